#ifndef EAR_UNIT_REGISTERS_H
#define EAR_UNIT_REGISTERS_H

#include <stdint.h>

/* The registers of a capture unit by their names. docs/protocol.md, section 7.1.
 *
 * Those of a trigger have the name of their block: "START.VALUE_LO". The blocks RANGE0 to RANGE3
 * and LOAD have one row each, with the address of their first register.
 */

#define EAR_UNIT_REGISTER_FIELDS 17 /* more than any register has */

struct ear_unit_register {
	const char *name;
	uint16_t address;
	char access[3]; /* "ro", "rw" or "wo" */
	struct {
		const char *name;
		uint8_t low, width;         /* bits */
	} fields[EAR_UNIT_REGISTER_FIELDS]; /* the last has no name */
};

/* In the order of their addresses. The last one has no name. */
extern const struct ear_unit_register ear_unit_registers[];

/* The register at an address, or the last one below it: the one whose block may have it. Never
 * NULL, as there is one at 0.
 */
const struct ear_unit_register *ear_unit_register_at(uint16_t address);

/* By its name of size letters, of any case. NULL: there is none. */
const struct ear_unit_register *ear_unit_register_find(const char *name, unsigned size);

#endif
