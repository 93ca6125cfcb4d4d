#ifndef EAR_TOLERANCE_FLOW_H
#define EAR_TOLERANCE_FLOW_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/isa/inst.h"
#include "library/compare/followed_memory.h"
#include "library/compare/tolerance_marks.h"
#include "library/compare/tolerance_source.h"

/* What one instruction passes on: from marked registers and memory, and from sources, to what it
 * writes (tolerance.h).
 */

/* What is known before it. */
struct ear_flow_state {
	struct ear_tolerance_sources *sources;
	struct ear_followed *const *memory; /* of both sides */
	const struct ear_marks *marks;      /* of both sides */
	bool any_load; /* what memory holds is not known: loads may differ as if from a source */
};

/* What of an instruction depends on tolerated reads, on each side. A side without a record has
 * nothing. Nothing is set if nothing depends. */
struct ear_flow {
	struct ear_inst inst; /* EAR_KIND_ILLEGAL: it did not run to its end, or is unknown */
	const struct ear_record *records[2];
	struct ear_origin result[2]; /* what is written to x and f registers */
	struct ear_origin store[2];  /* to memory */
	struct ear_origin csr[2];    /* to the CSR that the instruction names */
	bool read;                   /* the result was read from a source right here */
};

/* The flow of a pair of records of one instruction, or of one record, with NULL for the other.
 * numbers: of the records. */
void ear_flow_find(struct ear_flow *flow, const struct ear_flow_state *state,
	const struct ear_record *a, const struct ear_record *b, const uint64_t numbers[2]);

static inline bool ear_flow_depends(const struct ear_origin origins[2])
{
	return (origins[0].source | origins[1].source) != 0;
}

/* Decode the instruction of a record. Returns false if it did not run to its end, or is none that
 * is known. */
bool ear_flow_decode(struct ear_inst *inst, const struct ear_record *record);

static inline bool ear_flow_is_register(const struct ear_operand *operand)
{
	return operand->kind == EAR_OPERAND_X || operand->kind == EAR_OPERAND_F;
}

static inline enum ear_register_class ear_flow_class(const struct ear_operand *operand)
{
	return operand->kind == EAR_OPERAND_X   ? EAR_REGISTER_X
	       : operand->kind == EAR_OPERAND_F ? EAR_REGISTER_F
						: EAR_REGISTER_CSR;
}

/* The mark of operand number place, if it is a register that is read, or NULL. *number: of the
 * register. */
const struct ear_origin *ear_flow_operand(const struct ear_marks *marks,
	const struct ear_inst *inst, unsigned place, unsigned *number);

bool ear_flow_accesses_memory(const struct ear_inst *inst);

/* Which operand of an instruction that accesses memory is its address. */
unsigned ear_flow_base(const struct ear_inst *inst);

/* What a record writes to a register, NULL for nothing or no record. */
const struct ear_record_register *ear_flow_write(
	const struct ear_record *record, enum ear_register_class reg_class, unsigned number);

/* The only read or write of memory of a record; NULL if there is none, or more than one. */
const struct ear_record_access *ear_flow_access(const struct ear_record *record, bool write);

/* Its bytes, 1 to 8; 0 if they are more, or not known. */
unsigned ear_flow_access_size(const struct ear_record_access *access, const struct ear_inst *inst);

#endif
