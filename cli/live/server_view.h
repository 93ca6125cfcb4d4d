#ifndef EAR_SERVER_VIEW_H
#define EAR_SERVER_VIEW_H

#include "cli/live/live_top_feed.h"
#include "driver/tools/server_options.h"

/* A live view of what a server passes on (driver/tools/server.h), for 'earshot serve --web':
 *
 *     server_view_start    before a thread is started and the device is opened
 *     server_view_tap      goes to the server's options
 *     server_view_finish   the server has ended
 *
 * It decodes the stream once more than those who capture, on the tap's thread, so that it can say
 * what is lost and can continue where its view could not follow (live_top.h).
 */
struct server_view;

/* Returns false after printing why not. */
bool server_view_start(struct server_view **view, const struct live_top_options *options);

const struct ear_server_tap *server_view_tap(const struct server_view *view);

/* Frees it; NULL is fine. Returns false if the view failed. */
bool server_view_finish(struct server_view *view);

#endif
