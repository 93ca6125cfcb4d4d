#ifndef EAR_TRIALS_JUDGE_H
#define EAR_TRIALS_JUDGE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>

#include "decoder/codec/decoder.h"
#include "fault.h"
#include "run.h"

/* The oracle. What comes out of a damaged stream must be the true list of records minus exactly
 * the ranges that its gaps name. A fault of the output is one of
 *
 *   wrong      a record that is not what retired at its index
 *   repeated   a record for the second time, or out of order
 *   unnamed    a record that is missing, and no gap names it
 *   present    a record that a gap names as missing
 *   claim      "complete" or "accounted" said of what is not, or not said of what is
 *   count      a gap or the statistics counts other records than there are
 *
 * A stream that ends without STOP names its end by not being complete. In a stream with a forged
 * frame, whose CRC is right, records may be wrong, but a gap must come after them, and it is not
 * complete. So in predict mode with two captures that are joined where the number of a frame goes
 * on. In raw mode nothing in the stream distinguishes such captures if the index continues as well.
 */

#define JUDGE_TEXT_SIZE 300

/* What is known of a hart of a run while its records come. */
struct judge_hart {
	bool *seen, *named; /* by number of the entry: index - base */
	bool any;           /* a record was seen */
	size_t first;       /* number of the first record seen */
	size_t next;        /* number after the last record seen or range named */
	size_t known_total; /* records that gaps of known size name */
};

struct judge {
	struct run *runs;
	unsigned run_count;
	const struct damaged
		*damaged; /* NULL: offsets in the stream mean nothing; there is one run */
	bool forged;
	bool seamless; /* the second of two captures continues with the very next index */
	bool begun;    /* a hart's first frame is the second that came, as if of another capture */
	bool forgotten[RUN_HARTS_MAX]; /* and so that began a new one */
	bool fitting; /* two captures whose numbers may fit: frames, indexes, and even counts */
	struct judge_hart harts[2][RUN_HARTS_MAX];
	int current[RUN_HARTS_MAX];  /* run of the last record of this hart, -1 none */
	bool unknown[RUN_HARTS_MAX]; /* a gap of unknown size came since the last record */
	bool lost[RUN_HARTS_MAX];    /* a loss of the unit came last, from this index on: */
	uint64_t lost_first[RUN_HARTS_MAX];
	bool gapped[RUN_HARTS_MAX]; /* any gap came since */
	uint64_t doubtful;          /* forged: wrong records since the last gap */
	uint64_t records, gaps;
	char fault[JUDGE_TEXT_SIZE]; /* the first one found, "" if there is none */
};

void judge_init(struct judge *judge, struct run *runs, unsigned run_count,
	const struct damaged *damaged, bool forged);

/* An ear_record_sink whose context is the judge: never ends the decoding. */
int judge_record(void *context, const struct ear_record *record);

/* Everything came: judge what is missing, and what the statistics says. */
void judge_end(struct judge *judge, const struct ear_decoder_statistics *statistics, bool whole);

void judge_fini(struct judge *judge);

#endif
