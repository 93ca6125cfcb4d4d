#ifndef EAR_DIFF_REPORT_H
#define EAR_DIFF_REPORT_H

#include "cli/commands/diff/diff.h"

/* Report an event, or the result at the end, as the options ask for it: as text, as JSON, not at
 * all.
 */
void diff_report(struct diff *diff, const struct ear_compare_event *event);
/* Of the first difference, for a batch (cli/base/notes.h). */
void diff_note_first(struct diff *diff, const struct ear_compare_event *event);

void diff_report_summary(struct diff *diff);

#endif
