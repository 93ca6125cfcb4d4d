#ifndef EAR_TRANSPORT_FILE_H
#define EAR_TRANSPORT_FILE_H

#include "driver/link/transport.h"

/* A dump of raw bytes: file:PATH, where PATH may be a pipe; file:- is standard input. It is read as
 * fast as the sink takes it. Flow controlled, not controllable.
 *
 * Opening a FIFO waits until somebody opens it for writing.
 * Results as ear_transport_open: EAR_E_NO_DEVICE if the file cannot be opened.
 */
int ear_transport_file_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

#endif
