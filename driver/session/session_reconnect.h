#ifndef EAR_SESSION_RECONNECT_H
#define EAR_SESSION_RECONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/session/session.h"

/* The transport has ended like this. Is the device worth waiting for? If so, the phase is
 * PHASE_ABSENT now.
 */
bool ear_session_begin_reconnect(struct ear_session *session, const struct ear_transport_end *end);

/* One look for the device. Returns 0 and *item, a loss of unknown size, when it is there again and
 * captures; EAR_E_TIMEOUT if nothing happened until deadline_ms; EAR_E_NO_DEVICE if the wait is
 * over, with the reason in session->end.
 */
int ear_session_try_reconnect(
	struct ear_session *session, struct ear_session_item *item, uint64_t deadline_ms);

#endif
