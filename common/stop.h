#ifndef EAR_STOP_H
#define EAR_STOP_H

#include <signal.h>
#include <stdbool.h>

/* A stop from outside, as by Ctrl-C, for code that would not see it otherwise: it waits for the
 * bytes of a pipe, or reads a text in which no record comes.
 */

/* Use this flag, which a signal handler sets; NULL: none. It must exist from then on. */
void ear_stop_on(const volatile sig_atomic_t *flag);

/* Is the flag set? */
bool ear_stopped(void);

/* Wait until fd can be read, or has ended. Returns 0; EAR_E_IO with errno EINTR if there is nothing
 * to read and the flag is set.
 */
int ear_stop_wait(int fd);

#endif
