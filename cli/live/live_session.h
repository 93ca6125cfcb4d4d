#ifndef EAR_LIVE_SESSION_H
#define EAR_LIVE_SESSION_H

#include <stdbool.h>

#include "driver/session/session.h"

/* A session by the name of its device, with messages for people. A signal stops it from now on, and
 * the command gives up the rights that it no longer needs. options NULL: the defaults; quiet: no
 * warning, and no messages of a virtual board. Returns false after printing why it cannot be
 * opened.
 */
bool live_session_open(struct ear_session **session, const char *device,
	const struct ear_session_options *options, bool quiet);
void live_session_close(struct ear_session *session);

#endif
