#ifndef EAR_COMPARE_RECORD_H
#define EAR_COMPARE_RECORD_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/record/field.h"
#include "library/compare/equivalence.h"
#include "library/state/record_view.h"

/* Two records, field by field. */

/* What is compared, a set. */
enum ear_compare_field {
	EAR_COMPARE_HART = 1 << 0,
	EAR_COMPARE_PC = 1 << 1,
	EAR_COMPARE_OPCODE = 1 << 2,
	EAR_COMPARE_PRIVILEGE = 1 << 3,
	EAR_COMPARE_TRAP = 1 << 4,   /* trap or interrupt, and its cause */
	EAR_COMPARE_TARGET = 1 << 5, /* where a taken branch went */
	EAR_COMPARE_X = 1 << 6,
	EAR_COMPARE_F = 1 << 7,
	EAR_COMPARE_FFLAGS = 1 << 8,
	EAR_COMPARE_CSR = 1 << 9,
	EAR_COMPARE_V = 1 << 10,
	EAR_COMPARE_NAMED = 1 << 11,
	EAR_COMPARE_ADDRESS = 1 << 12, /* of memory accesses, and how many */
	EAR_COMPARE_VALUE = 1 << 13,   /* of memory accesses */
	EAR_COMPARE_PHYSICAL = 1 << 14,
	EAR_COMPARE_TIME = 1 << 15,
	EAR_COMPARE_MASKED = 1 << 16, /* vector elements that the mask switched off */
	EAR_COMPARE_SIZE = 1 << 17,   /* of memory accesses, where both sides know it */
};
#define EAR_COMPARE_ALL 0x3FFFFu

/* Name of one field as users write it, "csr"; the field of a name, 0 if there is none. */
const char *ear_compare_field_name(unsigned field);
unsigned ear_compare_field_find(const char *name, size_t size);

/* What can be compared of a format that carries this set of EAR_FIELD_BIT (decoder/record/field.h).
 */
unsigned ear_compare_fields_of(uint64_t carried);

/* Which of these fields a record has something of: those that a side may lack (NAMED and what is
 * always there are left out). */
unsigned ear_compare_fields_in(const struct ear_record *record);

/* How two records differ, in the first field that does, in the order of the enum. */
struct ear_record_difference {
	unsigned field;    /* enum ear_compare_field; 0: they do not differ */
	bool has_a, has_b; /* the side has such a register write, access, trap... */
	uint64_t value_a, value_b;
	uint8_t reg_class;    /* registers: enum ear_register_class */
	uint16_t number;      /* registers */
	struct ear_text name; /* registers: NAMED */
	uint64_t address;     /* VALUE, MASKED, SIZE: of the access */

	/* V, and NAMED of more than 8 bytes: the whole value, lowest byte first, instead of value_.
	 * Valid as long as the records; NULL if the side has none. */
	const uint8_t *bytes_a, *bytes_b;
	size_t size_a, size_b;

	/* Which bits of the value are unknown: of one of at most 8 bytes, and of bytes_, as long as
	 * they are, or NULL. A difference is in other bits. */
	uint64_t unknown_a, unknown_b;
	const uint8_t *unknown_bytes_a, *unknown_bytes_b;
};

/* Compare two instruction records in the fields of the set. unknown_equal: a value that one
 * side does not know is no difference. Returns true if they are the same.
 */
bool ear_record_compare(struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, unsigned fields, bool unknown_equal);

/* How two records of different formats are compared: by the rules of equivalence.h. */
struct ear_record_comparison {
	unsigned fields;
	bool unknown_equal;
	const struct ear_equivalence *equivalence; /* NULL: no rule holds */
	const struct ear_record_view *views[2];    /* of a and b, with equivalence */
	uint32_t used; /* rules without which they would differ are added here: EAR_RULE_BIT */
};

/* As ear_record_compare. */
bool ear_record_compare_by(struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, struct ear_record_comparison *how);

#endif
