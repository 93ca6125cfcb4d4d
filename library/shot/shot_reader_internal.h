#ifndef EAR_SHOT_READER_INTERNAL_H
#define EAR_SHOT_READER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "library/shot/shot.h"
#include "library/shot/shot_format.h"

/* The reader of capture files, for the three files that it consists of: shot_reader.c reads from
 * the beginning to the end, shot_places.c begins somewhere else, shot_answers.c says what was
 * found. */

#define EAR_SHOT_INPUT_SIZE \
	(256u << 10) /* bytes of the file in memory, unless a frame is larger \
		      */

enum reader_state {
	STATE_START,     /* nothing was read: .shot or raw dump? */
	STATE_RAW,       /* raw dump: everything is stream */
	STATE_BETWEEN,   /* a frame header comes */
	STATE_IN_FRAME,  /* inside a zstd frame */
	STATE_SKIPPING,  /* inside a skippable frame that is not ours */
	STATE_SEARCHING, /* after damage: looking for a frame header */
	STATE_END,
};

/* What is known of the decoder's state at the place that was read last. */
enum known {
	KNOWN_NOTHING,
	KNOWN_PACKED, /* an ESNP frame came; nobody has looked into it */
	KNOWN_PLAIN,
	KNOWN_BROKEN, /* a frame was damaged: the deltas after it do not help */
};

/* Where a zstd frame begins, or the parity in front of it. */
struct ear_shot_start {
	uint64_t file_offset, stream_offset;
};

struct ear_shot_reader {
	int fd;
	bool at_offsets;        /* ear_shot_reader_use_offsets */
	bool ftdi;              /* ear_shot_reader_strip_ftdi, */
	size_t ftdi_packet;     /* and the size of the packets; 0: there are no status bytes */
	enum reader_state step; /* what comes next */
	ZSTD_DCtx *context;
	uint8_t *input; /* input[position .. filled-1] is unread */
	size_t position, filled, capacity;
	bool kept; /* input[kept_from ..] is the zstd frame being read, from its begin */
	size_t kept_from;
	uint64_t input_offset; /* of input[0] in the file */
	size_t prefix_size;    /* of ear_shot_reader_new */
	size_t again;          /* bytes of it to be read once more, after a rewind */
	uint64_t frame_offset; /* of the frame being read */
	bool end_of_file;
	uint64_t skip;            /* STATE_SKIPPING: bytes to go */
	bool last_was_seek_table; /* of the frames read so far */
	bool is_shot;
	uint64_t stream_offset;        /* bytes of the stream given so far, or before the jump */
	struct ear_shot_start *starts; /* of the zstd frames that gave the newest of them */
	size_t start_count, start_capacity;
	bool jumped, unsure;
	bool known_cut; /* states before the jump are not known */
	char *facts[2]; /* first and last, NUL-terminated, or NULL */
	char fault[160];
	char mended[160];
	uint64_t parity_offset, parity_end; /* of the EREP frame that came last */
	uint64_t repaired_to;               /* end of what parities so far are for */

	struct ear_shot_line_diff diff; /* came last, not taken */

	enum known known;
	uint8_t *packed; /* content of the ESNP frame that came last */
	size_t packed_size;
	uint8_t *plain; /* KNOWN_PLAIN: the state */
	size_t plain_size;
	uint8_t head[EAR_SHOT_STATE_HEADER]; /* of the state */
	bool is_delta;                       /* it came as a delta: */
	uint32_t crc;                        /* what it must become, with its head */
};

#endif
