#ifndef EAR_TOP_WEB_H
#define EAR_TOP_WEB_H

#include "cli/top/top_frame.h"

/* A live view for browsers (cli/web/web.h): the objects of top_json.c as events. */
struct top_web;

/* Returns NULL after printing why not. */
struct top_web *top_web_start(const struct top_source *source, const struct top_options *options);

/* The interval, and all since the beginning. is_end: it is the last one. Returns false without
 * memory. */
bool top_web_update(
	struct top_web *web, const struct top_frame *now, const struct top_frame *sum, bool is_end);

/* Answer requests for so long. */
void top_web_run(struct top_web *web, unsigned duration_ms);

/* NULL is fine. */
void top_web_finish(struct top_web *web);

#endif
