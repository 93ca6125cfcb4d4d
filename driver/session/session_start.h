#ifndef EAR_SESSION_START_H
#define EAR_SESSION_START_H

#include "driver/session/session.h"

/* The steps of ear_session_start that other beginnings share: loading a program, and a device that
 * comes back.
 */

/* Before a capture: check that the device is controllable, and identify it once. Results as
 * ear_session_identify.
 */
int ear_session_prepare(struct ear_session *session);

/* End a capture or a link test that an earlier program left running. Results as
 * ear_session_identify.
 */
int ear_session_end_others(struct ear_session *session);

/* Discard what has come until now; the capture begins with what follows. Returns 0,
 * EAR_E_NO_DEVICE or EAR_E_REFUSED.
 */
int ear_session_begin_capture(struct ear_session *session);

#endif
