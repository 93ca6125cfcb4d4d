#ifndef EAR_TOP_FOLLOW_H
#define EAR_TOP_FOLLOW_H

#include <stdbool.h>

/* A trace that still grows, as a pipe that ends when the trace does:
 *
 *     top_follow_open    the file is open
 *     top_follow_start   a thread hands its bytes over; the rights may be given up before
 *     ..                 read top_follow_fd
 *     top_follow_close
 */
struct top_follow;

/* Does it grow: does another process write the file at path, with the lock that each `earshot` has
 * on what it writes? False if it cannot be opened, too. */
bool top_follow_is_written(const char *path);

/* path "-": standard input. A plain file ends where it ends when nobody writes it, with waits: only
 * when the other side is closed. Anything else ends where it does. Returns 0, or -1 with errno. */
int top_follow_open(struct top_follow **follow, const char *path, bool waits);

/* Returns false with errno. */
bool top_follow_start(struct top_follow *follow);

/* To be read; it is closed by top_follow_close. */
int top_follow_fd(const struct top_follow *follow);

/* Was all that there is handed over and read, so that what comes now comes as it is written? Any
 * thread. */
bool top_follow_is_caught_up(struct top_follow *follow);

/* The pipe ends soon, whatever is written. Any thread. */
void top_follow_cancel(struct top_follow *follow);

void top_follow_close(struct top_follow *follow); /* NULL is fine */

#endif
