/* A signal handler has no arguments, so what it stops is known to the whole program: here, and
 * nowhere else. The function is written last and removed first, so the handler never sees a
 * function with another one's argument.
 */
#include "cli/live/interrupt.h"

#include <stddef.h>

#include "cli/base/cli.h"
#include "driver/link/transport.h"

static void (*volatile stop_function)(void *what);
static void *volatile stop_what;

static void handle(void)
{
	void (*stop)(void *what) = stop_function;

	ear_transport_interrupt(true);
	if (stop)
		stop(stop_what);
}

void interrupt_catch(void)
{
	cli_catch_signals(handle);
}

void interrupt_stops(void (*stop)(void *what), void *what)
{
	stop_function = NULL;
	stop_what = what;
	stop_function = stop;
}
