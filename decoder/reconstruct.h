#ifndef EAR_RECONSTRUCT_H
#define EAR_RECONSTRUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/predict/predictor.h"
#include "decoder/record.h"
#include "decoder/record_run.h"
#include "protocol/difference.h"
#include "protocol/message.h"

/* Messages of one hart to records. docs/protocol.md, sections 4 to 6.
 *
 * It holds what a record needs from the messages before it (index, time, rounding mode, in
 * predict mode the predictor), and keeps account of what is missing.
 */
struct ear_reconstruct {
	uint16_t hart;
	bool order_known;        /* expected_order means something */
	uint64_t expected_order; /* index of the next record */
	bool filtered;           /* indexes may jump without a loss */
	bool no_causes;          /* a cause of 0 means nothing */
	bool every_record_timed; /* time mode RECORD; else only the record behind a TIME has it */
	bool ticks_known;        /* the next record's time is ticks */
	bool ticks_based; /* a TIME came in this frame or one before, so a TIME_DELTA can be added.
			   * No frame begins with a delta, so a saved state does without. */
	uint64_t ticks;
	uint8_t frm;
	bool gap_pending;    /* bytes were lost since the last record: gap tells what is known */
	uint64_t gap_offset; /* stream offset where it begins */
	struct ear_gap gap;

	uint64_t record_count;   /* instruction records made */
	uint64_t missing;        /* records lost on the way, as far as known; not those of LOST */
	uint64_t before_capture; /* record_count + missing when the last capture stopped */

	/* Predict mode. */
	bool unit_seen;       /* a UNIT came, so what it said is known: */
	struct ear_unit unit; /* the last one; XLEN 0: only a saved state is known */
	uint32_t unit_count;  /* UNITs that came */
	bool predict;         /* the unit said so */
	bool following;       /* the predictor has the unit's state: no loss since a hard SYNC */
	bool fresh;           /* the predictor was reset and has learned nothing */
	struct ear_predictor *predictor; /* owned; NULL if the geometry cannot be followed */
	uint32_t unchecked;              /* records since the hard SYNC or the last CHECK */
	struct ear_retire entry;         /* the last one */

	/* What the current record points to. */
	struct ear_record_register registers[2 + EAR_RETIRE_CSRS_MAX];
	struct ear_record_access memory[2];
};

void ear_reconstruct_init(struct ear_reconstruct *reconstruct, uint16_t hart);
void ear_reconstruct_fini(struct ear_reconstruct *reconstruct);

/* Something of the stream of this hart was lost or damaged before the next message.
 * Several in a row become one gap; the first reason is kept, the counts add up.
 */
void ear_reconstruct_damage(struct ear_reconstruct *reconstruct, enum ear_gap_reason reason,
	uint64_t offset, uint64_t skipped_bytes, uint64_t missing_frames);

/* A retire entry becomes an instruction record.
 *
 * Returns 1 and fills *record. Before that, returns 2 with a gap record in *record if records
 * are missing in front of this entry: call again with the same entry.
 */
int ear_reconstruct_entry(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_retire *entry, bool has_order, uint64_t offset);

/* A record message of predict mode, size bytes at offset of the stream: the next record that it
 * tells. message keeps the place: what is told is taken out of it.
 *
 * Returns 1 and *record: call again with the same message. Returns 0 if the message is done, or if
 * nothing can be worked out from it, which becomes a gap. Returns EAR_E_BAD_MESSAGE if it tells
 * more records than may be without a CHECK.
 */
int ear_reconstruct_difference(struct ear_reconstruct *reconstruct, struct ear_record *record,
	struct ear_record_message *message, uint64_t offset, size_t size);

/* As ear_reconstruct_difference for many records: as many as begin the run of message and are
 * ordinary become *run and briefs, which has room for EAR_RECORD_RUN_MAX. None (run->count 0) if
 * the next record is another case: nothing has happened then.
 */
void ear_reconstruct_run(struct ear_reconstruct *reconstruct, struct ear_record_run *run,
	struct ear_record_brief *briefs, struct ear_record_message *message, uint64_t offset);

/* Any other message. Returns 1 if *record holds an event or a gap to hand over, 2 if it holds a
 * gap and the message must be given again, 0 if there is nothing to hand over, EAR_E_NO_MEMORY.
 */
int ear_reconstruct_message(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset);

/* Nothing more comes. Returns 1 and a gap record if one is pending, else 0. */
int ear_reconstruct_end(struct ear_reconstruct *reconstruct, struct ear_record *record);

#endif
