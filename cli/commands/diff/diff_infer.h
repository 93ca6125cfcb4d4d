#ifndef CLI_DIFF_INFER_H
#define CLI_DIFF_INFER_H

#include "cli/commands/diff/diff.h"

/* --infer: the side without register values gets those that follow (docs/infer.md), and these are
 * compared. */

/* Both sides are open, and no record was read. Sets diff->inferred. Returns false after printing
 * why not. */
bool diff_infer_begin(struct diff *diff);
void diff_infer_end(struct diff *diff); /* after the inputs were closed */

/* Is the value of this side in the difference of its first record an inferred one? */
bool diff_infer_marks(
	struct diff *diff, const struct ear_record_difference *difference, unsigned side);

/* How much was inferred: in the summary, and warnings if it is in doubt. */
void diff_infer_summary(const struct diff *diff);
void diff_infer_json(const struct diff *diff, struct json *json);
void diff_infer_warn(const struct diff *diff);

#endif
