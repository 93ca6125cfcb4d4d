#ifndef EAR_STOP_H
#define EAR_STOP_H

#include <signal.h>
#include <stdbool.h>

/* An end that was asked for from outside, as with Ctrl-C: what waits for the bytes of a pipe, or
 * reads a text in which no record comes, would not see it otherwise.
 */

/* A flag that a signal handler sets, or NULL. It must stay. */
void ear_stop_on(const volatile sig_atomic_t *flag);

/* Is it set? */
bool ear_stopped(void);

/* Wait until fd can be read, or has ended. Returns 0; EAR_E_IO with errno EINTR if there is nothing
 * to read and the flag is set.
 */
int ear_stop_wait(int fd);

#endif
