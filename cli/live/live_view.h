#ifndef EAR_LIVE_VIEW_H
#define EAR_LIVE_VIEW_H

#include <stdbool.h>

#include "cli/live/live_ring.h"

/* A capture that runs in a process of its own, seen from the command that started it.
 *
 *   live_view_open    the device is open, the unit captures, the core runs
 *   live_view_ask     any number of times
 *   live_view_close   the capture is over, its files are removed
 *
 * The process is started while the command has all its rights; afterwards it may give them up.
 */
struct live_view;

/* options->folder is filled in: one that is made below folder. Returns false after the cause was
 * printed. *options need not stay. */
bool live_view_open(struct live_view **view, struct live_ring_options *options, const char *folder);

/* Returns false if the process is gone; status says so then. */
bool live_view_ask(
	struct live_view *view, enum live_ring_wish wish, struct live_ring_status *status);

/* The file that a status names. */
void live_view_path(const struct live_view *view, char path[LIVE_RING_PATH_MAX],
	const struct live_ring_status *status);

/* NULL is fine. */
void live_view_close(struct live_view *view);

#endif
