#ifndef EAR_DIFF_JSON_H
#define EAR_DIFF_JSON_H

#include "cli/commands/diff/diff.h"

/* Print an event, or the end, as a JSON object in a line. */
void diff_json_event(struct diff *diff, const struct ear_compare_event *event);
void diff_json_summary(struct diff *diff);

#endif
