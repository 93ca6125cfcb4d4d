#ifndef EAR_ISS_FOLLOW_H
#define EAR_ISS_FOLLOW_H

#include "iss.h"

/* Run beside a capture of the same program in raw mode, read from fd (.shot or raw dump), and
 * compare every field of every entry.
 *
 * Prints the first difference to stderr. Returns the number of entries that agree, at most max
 * (0: all); -1 after a difference, loss, damage, or a read error, which are printed.
 */
int64_t iss_follow_capture(struct ear_iss *iss, int fd, uint64_t max);

#endif
