/* The calls of struct ear_arrivals. NULL stands for a bus that reports nothing: waiting then only
 * takes time, so a caller that looks again after each wait works on every bus.
 */
#include "driver/link/arrivals.h"

#include <stddef.h>

#include "driver/base/clock.h"

bool ear_arrivals_wait(struct ear_arrivals *arrivals, unsigned timeout_ms)
{
	if (arrivals)
		return arrivals->ops->wait(arrivals, timeout_ms);
	ear_clock_sleep_ms(timeout_ms);
	return false;
}

void ear_arrivals_close(struct ear_arrivals *arrivals)
{
	if (arrivals)
		arrivals->ops->close(arrivals);
}
