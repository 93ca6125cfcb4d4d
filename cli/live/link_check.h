#ifndef EAR_LINK_CHECK_H
#define EAR_LINK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/codec/stream.h"

/* Hold the stream of a link test (ear_session_start_test) against what the unit must have sent.
 *
 * Each TEST message has its number, and its frame can be made again from that. So everything
 * between two good frames is known, too: bytes of the right count are the missing frames with bits
 * that changed on the way; of another count, bytes were lost or came twice.
 */

#define LINK_CHECK_WINDOW (256u << 10)
#define LINK_CHECK_REGION (64u << 10) /* of damaged bytes that are looked at bit by bit */

struct link_check {
	/* The statistics. */
	uint64_t bytes;           /* that were looked through */
	uint64_t frames;          /* good ones with a TEST message */
	uint64_t other_frames;    /* good ones with anything else: replies */
	uint64_t damaged_frames;  /* that came, but not as they were sent: their CRC is wrong */
	uint64_t lost_frames;     /* of which nothing came */
	uint64_t repeated_frames; /* that came again */
	uint64_t wrong_bits;      /* in damaged frames of the right length, and in good ones */
	uint64_t lost_bytes;      /* of damaged frames, and of nothing but damage */
	uint64_t extra_bytes;     /* that nobody sent */
	uint64_t resyncs;         /* how often the next frame had to be searched */
	uint64_t host_lost_bytes; /* that the host had no room for */

	/* The way through the stream. */
	struct ear_stream stream;
	uint32_t number;      /* of the next message */
	uint8_t stream_id;    /* of the unit's frames */
	uint16_t sequence;    /* of the frame after the last good one */
	uint64_t region_size; /* bytes since then that are no frame */
	bool region_unknown;  /* the host lost some there */
	size_t window_size;
	uint8_t region[LINK_CHECK_REGION]; /* the first of them */
	uint8_t window[LINK_CHECK_WINDOW]; /* the beginning of a frame that is not whole */
};

/* Begin with message 0. */
void link_check_init(struct link_check *check);

/* The next bytes of the stream. */
void link_check_push(struct link_check *check, const uint8_t *bytes, size_t size);

/* The host lost size bytes here, 0: nobody knows how many. */
void link_check_loss(struct link_check *check, uint64_t size);

/* Nothing comes any more. */
void link_check_end(struct link_check *check);

/* Was there anything but what had to come? */
bool link_check_failed(const struct link_check *check);

#endif
