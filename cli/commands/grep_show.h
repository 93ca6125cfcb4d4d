#ifndef EAR_GREP_SHOW_H
#define EAR_GREP_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/commands/grep_conditions.h"
#include "cli/input/source_input.h"
#include "cli/output/comments.h"
#include "cli/show/record_text.h"
#include "decoder/record/record_copy.h"
#include "formats/base/writer.h"

#define GREP_CONTEXT_MAX 1000 /* records before or after a match */

struct grep {
	struct source_input input;
	struct conditions conditions;
	const struct ear_writer_format *format;
	uint64_t most; /* matches; UINT64_MAX all */
	unsigned before, after;
	bool count_only, places, quiet;
	struct comments comments;
	bool refused; /* the format holds one hart, and there is another */

	struct ear_text_output text;
	struct ear_writer *writer;
	struct record_text line;                         /* with places */
	struct ear_record_copy copies[GREP_CONTEXT_MAX]; /* ring of the records before */
	unsigned copy_count, copy_next;
	unsigned after_left;
	bool separate; /* records were left out since the last one shown */
	uint64_t matches;
	unsigned jobs;
	double last_progress;
};

/* A record of the trace, in order: counted and shown if it matches, or if it is around a match.
 * Returns 1 to continue, 0 if that was enough, or an error.
 */
int grep_take(struct grep *grep, const struct ear_record *record);

void grep_show_progress(struct grep *grep);

#endif
