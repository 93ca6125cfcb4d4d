#ifndef EAR_PREDICTOR_INSIDE_H
#define EAR_PREDICTOR_INSIDE_H

#include "decoder/isa/opcode.h"
#include "decoder/predict/predictor.h"

/* What predictor.c and predictor_run.c share. */

#define EAR_DIGEST_POLYNOMIAL 0x04C11DB7u

static inline const struct ear_operation *find_operation(
	struct ear_predictor *predictor, uint32_t insn)
{
	uint32_t hash = insn * 0x9E3779B1u >> (32 - EAR_OPERATION_CACHE_LOG2);
	struct ear_operation *operation = &predictor->operations[hash];

	if (operation->insn != insn) {
		ear_operation_decode(operation, insn, predictor->xlen, predictor->flen);
		if (predictor->geometry.base)
			ear_operation_keep_base(operation);
	}
	return operation;
}

static inline uint32_t fetch(const struct ear_predictor *predictor, uint64_t pc)
{
	const struct ear_shadow *pool = &predictor->code;
	uint32_t address = (uint32_t)pc;
	uint32_t offset = address & pool->line_mask;
	uint32_t insn;

	if (offset + 4 <= pool->line_mask + 1) {
		const uint8_t *line = ear_shadow_find(pool, address);
		insn = line ? ear_load_le32(line + offset) : 0;
	} else {
		insn = (uint32_t)ear_shadow_read_bytes(pool, address, 0xF);
	}
	return ear_opcode_is_compressed(insn) ? insn & 0xFFFF : insn;
}

static inline uint8_t *code_mark(struct ear_predictor *predictor, uint32_t address)
{
	uint32_t line = address >> predictor->code.line_shift;

	return &predictor->code_marks[line & ((1u << EAR_CODE_MARKS_LOG2) - 1)];
}

static inline struct ear_shadow *data_pool(struct ear_predictor *predictor)
{
	return predictor->geometry.unified ? &predictor->code : &predictor->data;
}

static inline uint64_t truncate(uint64_t value, unsigned xlen)
{
	return xlen == 32 ? (uint32_t)value : value;
}

static inline uint32_t rotate(uint64_t value, unsigned by)
{
	uint32_t folded = (uint32_t)value ^ (uint32_t)(value >> 32);

	return by ? folded << by | folded >> (32 - by) : folded;
}

static inline uint32_t advance(uint32_t digest, uint32_t fold)
{
	return digest << 1 ^ (-(digest >> 31) & EAR_DIGEST_POLYNOMIAL) ^ fold;
}

#endif
