#ifndef EAR_EQUIVALENCE_H
#define EAR_EQUIVALENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/record/field.h"

/* What is no difference between two traces of one run in different formats: the rules, one row
 * each, and which format brings which of them. The table in docs/text-formats.md ("Comparing two
 * traces") is made of these rows.
 *
 * A rule holds for a pair if one side's format brings it and the other side is of another format.
 * It never passes over a field that both sides carry: where the side that brings it does show a
 * value, in whatever form, that value is compared.
 */
enum ear_rule {
	EAR_RULE_CSR_PARTS,      /* one CSR stands for parts of another: fcsr, fflags and frm */
	EAR_RULE_CSR_UNCHANGED,  /* a CSR that an instruction sets by the way, to what it was */
	EAR_RULE_CSR_ALIAS,      /* mvip is written along with mip */
	EAR_RULE_CSR_SLOTS,      /* a unit reports so many CSR writes of a record, and no more */
	EAR_RULE_V_UNCHANGED,    /* registers of a vector group that keep their value */
	EAR_RULE_VSTART,         /* each vector instruction ends with vstart 0, listed or not */
	EAR_RULE_FLAGS_AS_CSR,   /* flags raised show in the fflags that they add up to */
	EAR_RULE_FLAGS_CHANGED,  /* and only if these change */
	EAR_RULE_FLAGS_WITH_F,   /* flags show only beside an f register */
	EAR_RULE_TRAP_CSRS,      /* the CSRs that a trap writes are not listed */
	EAR_RULE_TRAP_PRIVILEGE, /* nor its privilege */
	EAR_RULE_TRAP_OPCODE,    /* nor the opcode of an instruction not executed */
	EAR_RULE_VIRTUAL,        /* VS shows as S, VU as U, debug mode as M */
	EAR_RULE_SC_ADDRESS,     /* an sc that stores nothing has no address */
	EAR_RULE_CACHE_ADDRESS,  /* nor has a cache operation */
	EAR_RULE_CACHE_BYTES,    /* a block that cbo.zero stores is in parts of its own size */
	EAR_RULE_TRAP_ADDRESS,   /* an access that trapped has no address, or no data */
	EAR_RULE_ACCESS_DATA,    /* an access is shown with its data, or not at all */
	EAR_RULE_ONE_ACCESS,     /* a unit reports one access of a record */
	EAR_RULE_PHYSICAL,       /* addresses of accesses are physical */
	EAR_RULE_STORE_XLEN,     /* of a store only the lowest XLEN bits are shown */
	EAR_RULE_BOOT_CODE,      /* begins with boot code of its own */
	EAR_RULE_CLOSING_LOOP,   /* runs on after the end, in a loop */
	EAR_RULE_INTERRUPTS,     /* has no interrupts */
	EAR_RULE_TRAPS,          /* has no traps: the instruction is left out */
	EAR_RULE_ROWS,           /* leaves out instructions that write no register */
	EAR_RULE_COUNT
};

#define EAR_RULE_BIT(rule) ((uint32_t)1 << (rule))

/* One row of the table, in words for the documentation. */
struct ear_rule_row {
	const char *name;    /* as the summary of `earshot diff` names it */
	const char *field;   /* of --only and --ignore; "records" for whole records */
	const char *same;    /* what is no difference */
	const char *differs; /* what still is one */
};
extern const struct ear_rule_row ear_rules[EAR_RULE_COUNT];

/* The rules that a format brings: a set of EAR_RULE_BIT. format: a name of decoder/formats/, or
 * "capture".
 */
uint32_t ear_rules_of(const char *format);

/* Two sides, and what follows from what they are. */
struct ear_equivalence {
	uint32_t rules;      /* those that hold, a set of EAR_RULE_BIT */
	uint32_t brings[2];  /* and which side brings them */
	uint64_t carried[2]; /* by format and unit, a set of EAR_FIELD_BIT */
	bool handlers[2];    /* it shows where interrupts are, if only by their handlers */
	unsigned slots[2];   /* CSR writes that a record can have; 0: any number */
};

/* carried: as ear_writer_format.fields, for a text format, or ear_source_carried. */
struct ear_equivalence_side {
	const char *format;
	uint64_t carried;
	unsigned csr_slots; /* of a capture's unit, else 0 */
};

void ear_equivalence_init(
	struct ear_equivalence *equivalence, const struct ear_equivalence_side sides[2]);

/* Does this side bring the rule, and does it hold? */
static inline bool ear_equivalence_brings(
	const struct ear_equivalence *equivalence, unsigned side, enum ear_rule rule)
{
	return equivalence->brings[side] & EAR_RULE_BIT(rule);
}

/* Do both sides carry the field? */
static inline bool ear_equivalence_both(
	const struct ear_equivalence *equivalence, enum ear_field field)
{
	return equivalence->carried[0] & equivalence->carried[1] & EAR_FIELD_BIT(field);
}

#endif
