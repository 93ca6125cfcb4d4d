#ifndef EAR_UNWIND_H
#define EAR_UNWIND_H

#include <earshot/moment_view.h>
#include <earshot/names.h>

/* The canonical address of the frame of the function at moment->pc, by the rules of .debug_frame or
 * .eh_frame. Of a frame that has called another one, moment->pc is the return address - 1. Asks the
 * helper; the last rules are kept.
 *
 * Returns 0, EAR_E_UNSUPPORTED (no rule), or EAR_E_MORE if it cannot be computed from what is
 * known.
 */
int ear_unwind_cfa(struct ear_names *names, const struct ear_moment_view *moment, uint64_t *cfa);

#endif
