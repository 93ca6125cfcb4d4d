#ifndef EAR_ARRIVALS_H
#define EAR_ARRIVALS_H

#include <stdbool.h>

/* Waiting for a device to be plugged in, whatever it is plugged into.
 *
 * Which buses can report an arrival is known to the table of transports alone:
 * ear_transport_arrivals in driver/transports.h. Who waits sees only this.
 */
struct ear_arrivals;

struct ear_arrivals_ops {
	/* Returns true as soon as a device has arrived since the last call, false after
	 * timeout_ms.
	 */
	bool (*wait)(struct ear_arrivals *arrivals, unsigned timeout_ms);
	/* Frees the object as well. */
	void (*close)(struct ear_arrivals *arrivals);
};

/* The first member of the bus's own structure. */
struct ear_arrivals {
	const struct ear_arrivals_ops *ops;
};

/* Wait until a device that Earshot knows has arrived since the last call, or until the time is
 * over. An arrival is only a hint: the device need not be the one that is missing, and may need a
 * moment before it can be opened. NULL: nothing reports arrivals; waits for timeout_ms and returns
 * false.
 */
bool ear_arrivals_wait(struct ear_arrivals *arrivals, unsigned timeout_ms);

/* NULL: nothing. */
void ear_arrivals_close(struct ear_arrivals *arrivals);

#endif
