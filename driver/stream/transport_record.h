#ifndef EAR_TRANSPORT_RECORD_H
#define EAR_TRANSPORT_RECORD_H

#include "driver/link/transport.h"

/* A debugging tool: everything that *inner receives goes also to the file at path, which
 * file:PATH can play again. Name and properties are those of *inner.
 *
 * When the file cannot be written any more (disk full), the capture goes on and the file
 * does not; ear_transport_record_status tells.
 *
 * Returns 0 and *transport, which owns *inner from now on; or EAR_E_IO or EAR_E_NO_MEMORY,
 * and *inner is still the caller's.
 */
int ear_transport_record_open(struct ear_transport **transport, struct ear_transport *inner,
	const char *path, struct ear_report *report);

/* The device went away and *inner is the same device again, opened and not started: close the old
 * one, and let what the new one receives follow in the same file. *transport may be started again.
 */
void ear_transport_record_replace(struct ear_transport *transport, struct ear_transport *inner);

/* Did the file take everything so far? *transport was opened by ear_transport_record_open.
 * Flushes nothing: ask after ear_transport_stop for the last word.
 * Returns 0, or EAR_E_IO with the file's name and the cause. Any thread.
 */
int ear_transport_record_status(struct ear_transport *transport, struct ear_report *report);

#endif
