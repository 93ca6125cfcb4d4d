#ifndef EAR_LIVE_SUMMARY_H
#define EAR_LIVE_SUMMARY_H

#include "cli/live/live_capture.h"

void live_show_progress(struct live_capture *live);

/* Why the capture ended, a phrase. end NULL: it failed. Static. */
const char *live_end_phrase(const struct live_capture *live, const struct ear_session_end *end);

/* What is in the files, and what is missing. */
void live_print_summary(const struct live_capture *live);

/* Prints what went wrong. Returns the exit status. */
int live_judge(const struct live_capture *live, const struct ear_session_end *end);

#endif
