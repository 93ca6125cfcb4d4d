/* One flag for the whole program. Waiting polls in short slices, because a signal that another
 * thread receives does not interrupt this one.
 */
#include "common/stop.h"

#include <earshot/error.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>

#define LOOK_EVERY 100 /* ms: the signal may have gone to another thread */

static const volatile sig_atomic_t *stop_flag;

void ear_stop_on(const volatile sig_atomic_t *flag)
{
	stop_flag = flag;
}

bool ear_stopped(void)
{
	return stop_flag && __atomic_load_n(stop_flag, __ATOMIC_RELAXED);
}

int ear_stop_wait(int fd)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};

	/* An error of poll, or of fd, shows in the read that follows. */
	for (;;) {
		int ready = poll(&wanted, 1, LOOK_EVERY);
		if (ready > 0 || (ready < 0 && errno != EINTR))
			return 0;
		if (ear_stopped()) {
			errno = EINTR;
			return EAR_E_IO;
		}
	}
}
