#ifndef EAR_FLOW_UNIT_H
#define EAR_FLOW_UNIT_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parameters of a trace unit: what its stream does not say and a decoder must know. A format
 * has them in a struct, and a table that describes its members.
 *
 * They are read from a JSON object: {"xlen": 32, "extend": 1, "encapsulation": {"srcid_bits": 8}}.
 * The members of an object inside of it are taken as if they were of the outer one.
 */
struct ear_flow_parameter {
	const char *key;          /* NULL: the table ends here */
	uint16_t offset;          /* of a uint32_t in the struct */
	uint32_t min, max;        /* of the number; true and false are 1 and 0 */
	bool wide;                /* it is a uint64_t, of any value: an address */
	const char *const *words; /* NULL, or what may stand instead of 0, 1, ..: to NULL */
	/* Of an object whose keys are not in the table: its members, one by one; else NULL. Returns
	 * false if this is not one. */
	bool (*member)(void *parameters, struct ear_text key, uint64_t value);
};

#define EAR_FLOW_FAULT_SIZE 256u

/* Read the parameters from a JSON text with its NUL; those that it lacks keep their values. Keys
 * that the table does not have are passed over, since files have more than a decoder needs ("how",
 * "elf").
 *
 * Returns 0; EAR_E_BAD_ARGUMENT with a sentence in fault[0 .. EAR_FLOW_FAULT_SIZE-1] if it is not
 * such an object, or a number is not in its range; or EAR_E_NO_MEMORY.
 */
int ear_flow_parameters_read(
	void *parameters, const struct ear_flow_parameter *table, const char *json, char *fault);

/* A unit that is known, with its parameters in the same form. A table ends with name NULL. */
struct ear_flow_known {
	const char *name, *json;
};

/* The same for --unit: text is the name of a unit that is known, or a JSON text. */
int ear_flow_unit_read(void *parameters, const struct ear_flow_parameter *table,
	const struct ear_flow_known *known, const char *text, char *fault);

#endif
