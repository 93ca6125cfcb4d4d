#ifndef EAR_DIFF_FIELDS_H
#define EAR_DIFF_FIELDS_H

#include "cli/commands/diff/diff.h"
#include "cli/options/options.h"

/* Which fields are compared. */

/* --only FIELDS, for a struct diff; --ignore FIELDS, for the set. */
command_take diff_take_only, diff_take_ignored;

/* Both sides are open. A field that one side's format or unit cannot carry is not compared, and
 * that is reported: masks, and fields of a unit, only if the other side has something of it, for
 * few cores have all that a format can hold. Named in --only, it is compared all the same.
 */
void diff_leave_out_fields(struct diff *diff);

/* What the format of a side, which is open, carries: EAR_FIELD_BIT. */
uint64_t diff_carried(const struct diff *diff, unsigned side);

#endif
