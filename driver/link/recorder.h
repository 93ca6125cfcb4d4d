#ifndef EAR_RECORDER_H
#define EAR_RECORDER_H

#include "driver/link/transport.h"

/* A debugging tool: a sink that writes all bytes to a file and hands them on to another sink. The
 * device file:PATH plays the file.
 *
 *   transport --> recorder --> the next sink
 *                    |
 *                    v
 *                  file
 *
 * When the file cannot be written any more (disk full), the capture continues and the file does
 * not: a file with a hole inside would lie. ear_recorder_status reports it.
 */
struct ear_recorder;

/* Create the file at path; next is copied.
 *
 * Returns 0 and *recorder, or EAR_E_IO or EAR_E_NO_MEMORY with the reason.
 */
int ear_recorder_open(struct ear_recorder **recorder, const char *path,
	const struct ear_transport_sink *next, struct ear_report *report);

/* The sink to start a transport with. Another transport may be started with it when the first one
 * has been closed: what it receives follows in the same file.
 */
struct ear_transport_sink ear_recorder_sink(struct ear_recorder *recorder);

/* Did the file take everything so far? Nothing is flushed: ask after ear_transport_stop for the
 * last word.
 * Returns 0, or EAR_E_IO with the file's name and the cause. Any thread.
 */
int ear_recorder_status(struct ear_recorder *recorder, struct ear_report *report);

/* After the transport was closed. NULL: nothing. */
void ear_recorder_close(struct ear_recorder *recorder);

#endif
