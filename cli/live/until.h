#ifndef EAR_UNTIL_H
#define EAR_UNTIL_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/session/capture_config.h"

/* The event that a flight recorder waits for (capture --until), looked for in decoded records. What
 * the unit's own triggers can detect fires here on the same record, if that record arrives: one
 * that is lost or held back by the filter is not seen, nor counted.
 */
struct until {
	struct ear_trigger trigger; /* kind NONE: one of these instead: */
	bool exception;             /* an instruction trapped */
	bool interrupt;             /* an interrupt was taken */
	bool has_cause;             /* only with this cause, without the interrupt bit */
	uint64_t cause;
	bool violation; /* the core did not what its instruction says: library/check/checker.h, */
	uint32_t rules; /* by one of these rules: set of 1 << enum ear_check_rule */

	uint64_t reboots; /* the program began again so often; 0: not this */
	uint64_t starts;  /* so far */
	bool begun;       /* a record came, the first had this index, and pc: */
	uint64_t first_index, first_pc;
};

/* Can the unit's stop trigger wait for it, if there is one? Not for traps, interrupts and
 * violations; and of a mismatch the EVENT says where it was. */
bool until_unit_can(const struct until *until);

/* Can records show it? Not the clocks and the pin, which only the unit sees. */
bool until_records_can(const struct until *until);

/* Index of the instruction whose result was wrong, of an EVENT that says so. */
uint64_t until_mismatch_index(const struct ear_record *event);

/* Is it this record? Give all of them, in order. A violation none is: the flight recorder checks
 * them itself. A mismatch is an EVENT. */
bool until_record(struct until *until, const struct ear_record *record);

#endif
