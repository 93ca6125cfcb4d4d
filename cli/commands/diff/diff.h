#ifndef EAR_DIFF_H
#define EAR_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/commands/diff/diff_numbers.h"
#include "cli/input/source_input.h"
#include "cli/input/symbol_file.h"
#include "cli/input/task_input.h"
#include "cli/input/trace_input.h"
#include "cli/show/record_text.h"
#include "library/compare/compare.h"
#include "library/compare/compare_harts.h"

/* 'earshot diff': what its files share. */

struct diff {
	struct source_input inputs[2];
	struct ear_compare_options options;
	struct ear_tolerance_options tolerate;
	struct ear_equivalence equivalence; /* of the two formats */
	struct ear_compare_harts *harts;
	struct ear_compare *compare; /* of the hart that the event is about */
	unsigned jobs;
	uint64_t most; /* differences to report */
	bool json;
	bool silent;            /* only the exit status, */
	bool quiet;             /* or no messages; the first has the second */
	const char *incomplete; /* of a struct verdict */
	bool only_given;
	unsigned left_out; /* fields that a side cannot carry */
	unsigned watched; /* and those that count as such if the other side has something of them */

	struct diff_device {
		const char *text;
		size_t size;
	} devices[EAR_TOLERANCE_RANGES_MAX]; /* of --tolerate, by name: until the ELF is known */
	unsigned device_count;

	struct symbol_file symbols; /* --elf, and the names that --names shows */
	bool wants_names;
	struct ear_names *names; /* NULL: not wanted */

	struct trace_input infer;            /* what is said for --infer, no more */
	struct ear_inference *inferences[2]; /* of each side; NULL: it has its own values */
	uint64_t inferred[2];                /* what they add: EAR_FIELD_BIT */

	struct record_text text; /* records are shown as Whisper lines */

	const char *task; /* compare only the records of this one; NULL: all */
	struct task_input tasks[2];
	struct ear_record task_records[2]; /* the last one of each side, counted in the task */
	uint64_t task_counts[2];

	struct diff_numbers numbers[2]; /* with json */

	struct moment_option start; /* --start, unless it is an address */
	struct diff_start {
		bool waits;      /* the first instruction that is compared did not come yet, */
		uint64_t passed; /* before which there are so many */
	} starts[2];

	/* With threads: when to see whether they are needed, and what was done until then. */
	uint64_t next_look, read_before, skipped_before;

	uint64_t differences, gaps;
	uint64_t only[2];    /* records of each side without a counterpart */
	uint64_t in_gaps[2]; /* records of each side that met a gap */
	bool ended;          /* all was read */
	double last_progress;
};

/* The next records of a side, from position 0 on, or, before it, those that were passed. NULL if
 * there is none.
 */
const struct ear_record *diff_record(struct diff *diff, unsigned side, int position);

/* Records of a side that were passed; of the hart that the event is about if there are several. */
uint64_t diff_passed(const struct diff *diff, unsigned side);

/* The number in the trace of the instruction that the event is about, or that comes next. Returns
 * false if it is not known. */
bool diff_number(const struct diff *diff, unsigned side, uint16_t hart, uint64_t *number);

/* No pair of records was compared, because of gaps: that is neither the same nor a difference. */
bool diff_only_gaps(const struct diff *diff);

#endif
