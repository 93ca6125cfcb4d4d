#ifndef EAR_PREDICTOR_INTERNAL_H
#define EAR_PREDICTOR_INTERNAL_H

#include "common/hash.h"
#include "decoder/isa/opcode.h"
#include "decoder/predict/predictor.h"

/* What the step of one entry (predictor_step.c) and the fast path (predictor_fast.h) share. */

/* For the parts of a step: arguments that are constants at the call remain constants in it, so one
 * source gives the machine code of each mode and XLEN.
 */
#define EAR_STEP_INLINE static inline __attribute__((always_inline))

#define EAR_DIGEST_POLYNOMIAL 0x04C11DB7u

/* The operation of an opcode, decoded or from the cache. */
static inline const struct ear_operation *find_operation(
	struct ear_predictor *predictor, uint32_t insn)
{
	uint32_t hash = ear_hash_slot32(insn, EAR_OPERATIONS_BY_OPCODE_LOG2);
	struct ear_operation *operation = &predictor->by_opcode[hash];

	if (operation->insn != insn) {
		ear_operation_decode(operation, insn, predictor->xlen, predictor->flen);
		if (predictor->geometry.base)
			ear_operation_keep_base(operation);
	}
	return operation;
}

/* The opcode that the code cache has at pc; 0 if none. */
static inline uint32_t fetch(const struct ear_predictor *predictor, uint64_t pc)
{
	const struct ear_shadow *cache = &predictor->code;
	uint32_t address = (uint32_t)pc;
	uint32_t offset = address & cache->line_mask;
	uint32_t insn;

	if (offset + 4 <= cache->line_mask + 1) {
		const uint8_t *line = ear_shadow_find(cache, address);
		insn = line ? ear_load_le32(line + offset) : 0;
	} else {
		insn = (uint32_t)ear_shadow_read_bytes(cache, address, 0xF);
	}
	return ear_opcode_is_compressed(insn) ? insn & 0xFFFF : insn;
}

/* Unified geometry: the mark of the line that holds address. Marks are shared by lines whose
 * addresses have the same low bits.
 */
static inline uint8_t *code_mark(struct ear_predictor *predictor, uint32_t address)
{
	uint32_t line = address >> predictor->code.line_shift;

	return &predictor->code_marks[line & ((1u << EAR_CODE_MARKS_LOG2) - 1)];
}

static inline struct ear_shadow *data_cache(struct ear_predictor *predictor)
{
	return predictor->geometry.unified ? &predictor->code : &predictor->data;
}

static inline uint64_t to_xlen(uint64_t value, unsigned xlen)
{
	return xlen == 32 ? (uint32_t)value : value;
}

/* The digest: docs/predict.md, section 6 ------------------------------------------------------- */

/* One field of an entry: folded to 32 bits and rotated left. */
static inline uint32_t digest_term(uint64_t value, unsigned rotation)
{
	uint32_t folded = (uint32_t)value ^ (uint32_t)(value >> 32);

	return rotation ? folded << rotation | folded >> (32 - rotation) : folded;
}

/* The digest after an entry whose terms make sum. */
static inline uint32_t digest_advance(uint32_t digest, uint32_t sum)
{
	return digest << 1 ^ (-(digest >> 31) & EAR_DIGEST_POLYNOMIAL) ^ sum;
}

#endif
