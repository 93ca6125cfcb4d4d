#ifndef EAR_RECONSTRUCT_H
#define EAR_RECONSTRUCT_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/difference.h"
#include "common/protocol/message.h"
#include "decoder/codec/frame_memory.h"
#include "decoder/predict/predictor.h"
#include "decoder/record/operands.h"

#define EAR_SYNC_FIRST_SINCE_MINOR        3 /* protocol minor that brought SYNC.FIRST */
#define EAR_CHECK_BEFORE_SYNC_SINCE_MINOR 3 /* and a CHECK before a hard SYNC */

/* The state of a capture of one hart, from its start to STOP. */
struct ear_capture {
	bool open;        /* it has begun, and no STOP came */
	bool start_known; /* nothing is missing before start_order */
	bool lost_known;  /* lost counts from its start; false: from a state of version 1 */
	bool restarted;   /* its index went backwards */
	uint64_t start_order;
	uint64_t records;      /* instruction records made */
	uint64_t lost;         /* of LOST messages */
	uint64_t lost_range;   /* the same by their first and last index */
	uint64_t missing;      /* of gaps whose counts are exact */
	uint64_t upper;        /* of gaps whose counts are upper bounds */
	uint64_t unknown_gaps; /* gaps without a count */
	/* Filter on: the widest jump of the index at the start of a frame without a gap, and the
	 * size of the second widest. Frames may be missing there. */
	uint64_t widest_first, widest_size, second_size;
};

/* What STOP resolves in a capture. */
struct ear_capture_end {
	bool adds_up;          /* records and gaps are what the unit counted */
	int64_t missing_more;  /* records missing in no gap; negative: gaps count too many */
	uint64_t unknown_gaps; /* gaps without a count, whose sum is known now */
};

/* Messages of one hart to records. docs/protocol.md, sections 4 to 6.
 *
 * It holds what a record needs from the messages before it (index, time, rounding mode, in predict
 * mode the predictor), and what is missing.
 */
struct ear_reconstruct {
	uint16_t hart;
	bool order_known;        /* expected_order means something */
	uint64_t expected_order; /* index of the next record */
	bool filtered;           /* indexes may jump without a loss */
	bool no_causes;          /* a cause of 0 is unknown */
	bool with_reads;         /* records have the registers that they read */
	bool every_record_timed; /* time mode RECORD; else only the record after a TIME has one */
	bool ticks_known;        /* the next record's time is ticks */
	bool ticks_based; /* a TIME came in this frame or one before, so a TIME_DELTA can be added.
			   * No frame begins with a delta, so a saved state does without. */
	uint64_t ticks;
	uint8_t frm;
	uint8_t vtype;       /* ear_vtype_pack() */
	uint8_t unit_minor;  /* protocol minor of the last UNIT */
	uint8_t check_minor; /* the highest one of those UNITs since the last CHECK */
	bool gap_pending;    /* bytes were lost since the last record: gap has what is known */
	uint64_t gap_offset; /* stream offset where it begins */
	struct ear_gap gap;
	struct ear_capture capture;
	struct ear_capture_end capture_end; /* of the last STOP */
	bool stopped;                       /* a STOP came */
	uint64_t unended;                   /* captures that ended without STOP */
	uint64_t parted;                    /* of these, those that were meant to */

	/* The frame whose messages come. */
	struct ear_frame_mark frame;
	bool frame_fresh;               /* none of its indexes was accepted yet */
	bool frame_timed;               /* a TIME came in it */
	struct ear_frame_memory frames; /* those before it */

	/* Predict mode. */
	bool unit_fresh;      /* a UNIT came, and nothing was missing since */
	bool unit_seen;       /* a UNIT came, and unit is valid: */
	struct ear_unit unit; /* the last one; XLEN 0: only a saved state is known */
	uint32_t unit_count;  /* UNITs that came */
	bool predict;         /* by the last UNIT */
	bool following;       /* the predictor has the unit's state: no loss since a hard SYNC */
	bool fresh;           /* the predictor was reset and not trained since */
	struct ear_predictor *predictor; /* owned; NULL if the geometry cannot be followed */
	uint32_t unchecked;              /* records since the hard SYNC or the last CHECK */
	struct ear_retire entry;         /* the last one */
	bool entry_waits;                /* it is decoded, and a gap before it was reported */

	/* What the current record points to. */
	struct ear_record_register registers[2 + EAR_RETIRE_CSRS_MAX];
	struct ear_record_access memory[2];
	struct ear_reads reads;
};

void ear_reconstruct_init(struct ear_reconstruct *reconstruct, uint16_t hart);
void ear_reconstruct_fini(struct ear_reconstruct *reconstruct);

/* Was something lost since the last record? Frames that came twice do not count. */
bool ear_reconstruct_lost(const struct ear_reconstruct *reconstruct);

/* A frame of this hart begins, whose CRC is crc. */
void ear_reconstruct_begin_frame(
	struct ear_reconstruct *reconstruct, uint16_t sequence, uint32_t crc, size_t payload_size);

/* All its messages were used, and it was not a repeated one. */
void ear_reconstruct_end_frame(struct ear_reconstruct *reconstruct);

/* A part of the stream of this hart before the next message was lost or damaged, or came twice
 * (EAR_GAP_REPEATED). Several in a row become one gap with the first reason and the sum of counts.
 */
void ear_reconstruct_damage(struct ear_reconstruct *reconstruct, enum ear_gap_reason reason,
	uint64_t offset, uint64_t skipped_bytes, uint64_t missing_frames);

/* The functions below return this if the index of a message shows that its whole frame came before:
 * the message is not used, and the caller skips the rest of the frame.
 */
#define EAR_RECONSTRUCT_REPEATED 3

/* A retire entry becomes an instruction record.
 *
 * Returns 1 and fills *record. Before that, returns 2 with a gap record in *record if records
 * are missing before this entry: call again with the same entry.
 */
int ear_reconstruct_entry(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_retire *entry, bool has_order, uint64_t offset);

/* The next record of a record message of predict mode, which has size bytes at offset of the
 * stream. message is the cursor: each record is taken out of it.
 *
 * Returns 1 and *record: call again with the same message. Returns 0 if the message is empty, or
 * cannot be decoded, which becomes a gap. Returns EAR_E_BAD_MESSAGE if it has more records than
 * allowed without a CHECK.
 */
int ear_reconstruct_difference(struct ear_reconstruct *reconstruct, struct ear_record *record,
	struct ear_record_message *message, uint64_t offset, size_t size);

/* The ticks of a TIME_DELTA pass between records of *run: what is added to it from now on has a
 * time of its own. Returns false if it cannot: a new run must begin after the message.
 */
bool ear_reconstruct_run_time(struct ear_reconstruct *reconstruct,
	const struct ear_compact_run *run, const struct ear_message *message);

/* Many records at once: *run is empty, and the records of the next record message can be added to
 * it; offset is that of the message. Returns false if they cannot, and run->count is 0.
 */
bool ear_reconstruct_begin_run(
	const struct ear_reconstruct *reconstruct, struct ear_compact_run *run, uint64_t offset);

/* As ear_reconstruct_difference, for the ordinary records at the beginning of message: they are
 * added to *run and compacts, which has room for EAR_COMPACT_RUN_MAX. What remains of message is
 * for ear_reconstruct_difference, unless there was no more room. Between two calls with the same
 * run nothing else may come. operands, with as much room, get theirs if reconstruct->with_reads.
 */
void ear_reconstruct_add_run(struct ear_reconstruct *reconstruct, struct ear_compact_run *run,
	struct ear_compact_record *compacts, struct ear_operands *operands,
	struct ear_record_message *message, uint64_t offset);

/* Any other message. Returns 1 if *record is an event or a gap to hand over; 2 if it is a gap, and
 * the message must be given again; 0 if there is nothing to hand over; or EAR_E_NO_MEMORY. After a
 * STOP that returned 0, capture_end is valid.
 */
int ear_reconstruct_message(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset);

/* The data end, at offset; meant: a capture without STOP was to end there. Returns 1 and a gap
 * record as long as there is one to hand over, then 0.
 */
int ear_reconstruct_end(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t offset, bool meant);

#endif
