#ifndef EAR_SESSION_LOAD_H
#define EAR_SESSION_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "driver/session/session.h"

/* Load a program into the memory of the traced system, before ear_session_start. docs/protocol.md,
 * section 7.4.
 *
 *   ear_session_load_begin   the core is in reset
 *   ear_session_load         once for each segment
 *   ear_session_load_end     where the core begins, and whether it starts now
 */

/* Called after every few words: done bytes of this segment are in the memory. */
typedef void ear_session_load_progress(void *context, size_t done);

/* Identify the unit if that has not been done, end a capture or a test that still runs in it, and
 * put the core into reset.
 *
 * Returns 0, EAR_E_UNSUPPORTED if the unit cannot reach the memory or reset the core, or what
 *         identify does.
 */
int ear_session_load_begin(struct ear_session *session);

/* Write bytes[0 .. size-1] to the memory at address. Many words are in flight at a time; each
 * answer holds what the memory holds then, and a word without an answer is sent again. Words at the
 * ends that are written only in part keep their other bytes. progress may be NULL.
 *
 * Returns 0 when the memory holds all of it.
 * Returns EAR_E_REFUSED if there is no memory at some address or ear_session_stop was called,
 *         EAR_E_IO if it does not hold what was written; EAR_E_TIMEOUT, EAR_E_NO_DEVICE: as
 *         ear_session_identify. ear_session_message has the reason.
 */
int ear_session_load(struct ear_session *session, uint32_t address, const uint8_t *bytes,
	size_t size, ear_session_load_progress *progress, void *context);

/* Let the core begin at boot after its next reset (0: where the board says) and, if runs, release
 * it now. Results as ear_session_write_register.
 */
int ear_session_load_end(struct ear_session *session, uint32_t boot, bool runs);

#endif
