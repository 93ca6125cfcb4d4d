#ifndef EAR_TRANSPORTS_H
#define EAR_TRANSPORTS_H

#include "driver/link/transport.h"

/* The table of transports: opening a device by its name. */

/* Open the device with this name (link/transport.h lists the forms); nothing is read yet.
 *
 * Returns 0 and *transport, to be closed by the caller.
 * Returns EAR_E_BAD_ARGUMENT for a name that no transport understands, EAR_E_NO_DEVICE if the
 *         device is not there, EAR_E_NO_MEMORY, EAR_E_IO.
 */
int ear_transport_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

#endif
