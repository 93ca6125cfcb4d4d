#ifndef EAR_DECODER_H
#define EAR_DECODER_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/difference.h"
#include "common/protocol/message.h"
#include "decoder/codec/reconstruct.h"
#include "decoder/codec/stream.h"

/* Bytes of a capture to records. It connects the stream, the messages and one reconstruction for
 * each hart. Readers of text formats do without it: they make records themselves.
 */

/* Takes one record; it is valid during the call. Returns 0 to continue; any other value ends
 * the decoding, and ear_decoder_push returns it at once.
 */
typedef int ear_record_sink(void *context, const struct ear_record *record);

/* Takes a run of compact records at once, which is faster. *run and compacts are valid during the
 * call. Returns 0 if it took all, 1 if it took none (the decoder hands them to the ear_record_sink
 * one by one then); any other value ends the decoding.
 */
typedef int ear_compact_run_sink(void *context, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts);

/* The statistics of all input. All counts are since init. */
struct ear_decoder_statistics {
	uint64_t bytes;         /* of the stream, used */
	uint64_t frames;        /* valid ones */
	uint64_t skipped_bytes; /* in no valid frame */
	uint64_t missing_frames;
	uint64_t bad_messages;
	uint64_t records;      /* instruction records handed over */
	uint64_t gaps;         /* gap records handed over */
	uint64_t unit_lost;    /* records that the unit dropped, from LOST */
	uint64_t missing;      /* records lost on the way, by gaps or STOP */
	uint64_t unknown_gaps; /* gaps whose size is unknown even after STOP */
	uint64_t host_lost_bytes;
	uint64_t repeated_frames; /* frames that came twice or late, and were not used */
	uint64_t events;
	bool unit_known; /* a UNIT message came; unit is the last one */
	struct ear_unit unit;
	uint64_t ended;      /* captures with a STOP */
	uint64_t unended;    /* captures without STOP: the next one began, or the data ended */
	uint64_t parted;     /* of these, those that were meant to end there */
	uint64_t busy_ends;  /* captures whose core continued after its program had ended */
	uint64_t unbalanced; /* captures with a STOP whose counts do not add up */
	bool stopped;        /* a STOP message came: */
	uint8_t stop_reason; /* of the last one */
	/* Of all STOPs: */
	uint64_t stop_retired, stop_delivered, stop_lost, stop_filtered;
	uint64_t mismatches; /* captures in which the unit saw a wrong result (FEATURES.MISMATCH) */
	uint64_t held_clocks; /* the unit held its core for so long (FEATURES.HELD) */
	bool first_record, last_ticks_known;
	uint64_t first_index, last_index; /* of instruction records */
	uint64_t first_ticks, last_ticks;
	bool unknown_version; /* frames of another protocol major were skipped */
	bool cut;             /* the data ended inside a frame */
	unsigned hart_count;
	uint64_t disagreements;    /* predict mode: CHECKs that failed */
	bool geometry_unsupported; /* predict mode: a unit whose shadow state cannot be followed */
};

struct ear_decoder {
	ear_record_sink *sink;
	ear_compact_run_sink *run_sink; /* ear_decoder_push: NULL unless set after init */
	void *context;
	bool end_meant; /* the caller's, before the data end: without a STOP nothing is missing */
	struct ear_stream stream;
	struct ear_decoder_statistics statistics;
	struct ear_reconstruct *harts[EAR_STREAM_IDS]; /* made when first seen */
	bool loss_pending;                             /* before the next frame: */
	enum ear_gap_reason loss_reason;
	uint64_t early_offset, early_bytes; /* skipped before any hart was seen */
	enum ear_gap_reason early_reason;

	/* The frame whose messages are being handed over. */
	bool in_frame;
	bool repeated; /* it came before, and is not used */
	struct ear_reconstruct *hart;
	struct ear_stream_item item; /* it */
	size_t frame_size, payload_size;
	struct { /* of the hart, before it */
		bool known, based;
		uint64_t value;
	} ticks;
	size_t position; /* of the next message in the payload */
	uint64_t frame_offset;
	bool message_pending; /* message is parsed, but a gap before it had to be reported */
	size_t message_size;
	bool message_is_difference; /* it is in difference, else in message */
	struct ear_message message;
	struct ear_record_message difference;

	/* A run of compact records that is not handed over yet. */
	bool one_by_one;    /* no runs and no fast path: hart->entry is always that of the last
			     * record */
	bool with_reads;    /* set after init: records have the x registers that they read
			     * (extra->reads), as the unit sent them; there are no runs for run_sink */
	bool with_operands; /* with with_reads: there are runs, see ear_decoder_operands */
	size_t run_next;
	struct ear_compact_run run;
	struct ear_compact_record compacts[EAR_COMPACT_RUN_MAX];
	struct ear_expanded_record expanded;
	bool operands_known; /* of the run: */
	struct ear_operands operands[EAR_COMPACT_RUN_MAX];
	struct ear_reads reads; /* of the record handed over */

	unsigned finish_id; /* at the end: stream ids below it have reported their last gap */
	struct ear_record record;
};

/* sink and context are for ear_decoder_push; NULL with ear_decoder_next alone. */
void ear_decoder_init(struct ear_decoder *decoder, ear_record_sink *sink, void *context);
void ear_decoder_fini(struct ear_decoder *decoder);

/* The next record of the stream, of which bytes[0 .. size-1] are the unused part.
 *
 * final: nothing comes after these bytes, and what is pending is reported as a gap.
 * *used always gets the number of bytes used, 0 or more: offer the rest again next time, with more
 * bytes after it.
 *
 * bytes may be NULL if size is 0.
 *
 * Returns 1 and *record, valid until the next call.
 * Returns 0 when everything is reported (only with final).
 * Returns EAR_E_MORE if more bytes are needed (never with final); fewer than
 *         EAR_FRAME_SIZE_MAX bytes are unused then.
 * Returns EAR_E_NO_MEMORY if the state of a new hart could not be made.
 * Returns EAR_E_UNSUPPORTED, only after ear_decoder_anchor_load (decoder_anchor.h), if only a
 *         decoder that has seen the stream from its beginning can know the next record.
 */
int ear_decoder_next(struct ear_decoder *decoder, const struct ear_record **record, size_t *used,
	const uint8_t *bytes, size_t size, bool final);

/* As ear_decoder_next, but a run of compact records comes at once, which is faster: *run and
 * *compacts then, valid until the next call, and *run is NULL otherwise. The rest of a run that
 * ear_decoder_next began comes one by one. With with_reads there are runs only if with_operands is
 * set, too, which leaves it to the caller to see what they read.
 */
int ear_decoder_next_run(struct ear_decoder *decoder, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record, size_t *used,
	const uint8_t *bytes, size_t size, bool final);

/* What the records of the run that came last read, one for each; NULL if that is not wanted, or the
 * unit does not say it. */
static inline const struct ear_operands *ear_decoder_operands(const struct ear_decoder *decoder)
{
	return decoder->operands_known ? decoder->operands : NULL;
}

/* Decode bytes[0 .. size-1], which follow those used before, and hand all records to the sink.
 *
 * final: nothing comes after these bytes, and what is pending is reported as a gap.
 * *used always gets the number of bytes used: offer the rest again, with more bytes after it.
 *
 * Returns 0 when everything usable was used; fewer than EAR_FRAME_SIZE_MAX bytes remain.
 * Returns what the sink returned if that was not 0. This decoder cannot continue then: only its
 *         statistics and ear_decoder_fini are of use.
 * Returns EAR_E_NO_MEMORY if the state of a new hart could not be made.
 */
int ear_decoder_push(
	struct ear_decoder *decoder, size_t *used, const uint8_t *bytes, size_t size, bool final);

/* The host lost size bytes of the stream before the next byte. Size 0: their number is unknown, and
 * the gap is reported as damage, not as a loss of the host.
 */
void ear_decoder_host_loss(struct ear_decoder *decoder, uint64_t size);

#endif
