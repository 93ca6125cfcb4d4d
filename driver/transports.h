#ifndef EAR_TRANSPORTS_H
#define EAR_TRANSPORTS_H

#include "driver/link/arrivals.h"
#include "driver/link/transport.h"

/* The table of transports: what is done with a device that is known by its name only. */

/* Open the device with this name (link/transport.h lists the forms); nothing is read yet.
 *
 * Returns 0 and *transport, to be closed by the caller.
 * Returns EAR_E_BAD_ARGUMENT for a name that no transport understands, EAR_E_NO_DEVICE if the
 *         device is not there, EAR_E_NO_MEMORY, EAR_E_IO.
 */
int ear_transport_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* Watch for the device with this name to be plugged in; to be closed with ear_arrivals_close.
 *
 * Returns NULL if nothing reports the arrival of such a device (a board over TCP, for one), or if
 * there is no memory; ear_arrivals_wait takes that and then waits for the time only.
 */
struct ear_arrivals *ear_transport_arrivals(const char *device);

#endif
