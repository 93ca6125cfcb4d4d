#ifndef EAR_PLANTED_CHECKER_H
#define EAR_PLANTED_CHECKER_H

/* The predictor's arithmetic with a bug in it: planted.h. */
#define ear_check      ear_check_without_bug
#define ear_check_load ear_check_load_without_bug
#define ear_check_amo  ear_check_amo_without_bug
#include EAR_TRUE_CHECKER
#undef ear_check
#undef ear_check_load
#undef ear_check_amo

#include "planted.h"

static inline uint64_t ear_check_load(const struct ear_operation *op, uint64_t data)
{
	if (planted_bug == PLANTED_LB && op->access == 1)
		return (uint8_t)data;
	return ear_check_load_without_bug(op, data);
}

static inline uint64_t ear_check_amo(const struct ear_operation *op, uint64_t old, uint64_t b)
{
	struct ear_operation other = *op;

	if (planted_bug == PLANTED_AMO && op->kind == EAR_DO_AMOMAX)
		other.kind = EAR_DO_AMOMIN;
	if (planted_bug == PLANTED_AMO && op->kind == EAR_DO_AMOMAXU)
		other.kind = EAR_DO_AMOMINU;
	return ear_check_amo_without_bug(&other, old, b);
}

static inline uint64_t planted_product(uint64_t a, uint64_t b, unsigned xlen)
{
	return xlen == 32 ? (uint64_t)(uint32_t)a * (uint32_t)b >> 32 : ear_multiply_high(a, b);
}

/* b: as in ear_check, before the immediate takes its place. */
static inline void planted_result(struct ear_checked *checked, const struct ear_operation *op,
	uint64_t pc, uint64_t a, uint64_t b, const struct ear_geometry *geometry, unsigned xlen)
{
	uint64_t imm = (uint64_t)(int64_t)op->imm;
	bool immediate = op->flags & EAR_OPERATION_IMMEDIATE;
	uint64_t second = immediate ? imm : b;

	if (xlen == 32)
		second = (uint32_t)second;
	switch (planted_bug) {
	case PLANTED_ADD:
		if (op->kind == EAR_DO_ADD)
			checked->result =
				(((a >> 16) + (second >> 16)) << 16) | ((a + second) & 0xffff);
		return;
	case PLANTED_SUB:
		if (op->kind == EAR_DO_SUB && a == second)
			checked->result--;
		return;
	case PLANTED_SLT:
		if (op->kind == EAR_DO_SLT)
			checked->result = a < second;
		return;
	case PLANTED_SRA:
		if (op->kind == EAR_DO_SRA)
			checked->result = a >> (second & (xlen - 1));
		return;
	case PLANTED_ADDW:
		if (op->kind == EAR_DO_ADDW)
			checked->result = (uint32_t)checked->result;
		return;
	case PLANTED_CPOP:
		if (op->kind == EAR_DO_CPOP)
			checked->result -= a & 1;
		return;
	case PLANTED_SH2ADD:
		if (op->kind == EAR_DO_SH2ADD)
			checked->result = (a << 1) + b;
		return;
	case PLANTED_MULH:
		if (op->kind == EAR_DO_MULH && geometry->multiply)
			checked->result = planted_product(a, b, xlen);
		return;
	case PLANTED_DIV:
		if (op->kind == EAR_DO_DIV && b == 0)
			checked->result = 0;
		return;
	case PLANTED_REM:
		if (op->kind == EAR_DO_REM && (a ^ b) >> (xlen - 1) & 1)
			checked->result = 0 - checked->result;
		return;
	case PLANTED_AUIPC:
		if (op->kind == EAR_DO_AUIPC)
			checked->result += op->size;
		return;
	case PLANTED_JAL:
		if (op->kind == EAR_DO_JAL)
			checked->result = pc;
		return;
	case PLANTED_JALR:
		if (op->kind == EAR_DO_JALR)
			checked->next_pc += 2;
		return;
	case PLANTED_BLT:
		if (op->kind == EAR_DO_BLT)
			checked->next_pc = a < b ? pc + imm : pc + op->size;
		return;
	default: return;
	}
}

static inline __attribute__((always_inline)) void ear_check(struct ear_checked *checked,
	const struct ear_operation *op, uint64_t pc, uint64_t a, uint64_t b,
	const struct ear_geometry *geometry, unsigned xlen)
{
	ear_check_without_bug(checked, op, pc, a, b, geometry, xlen);
	if (planted_bug != PLANTED_NONE)
		planted_result(checked, op, pc, a, b, geometry, xlen);
}

#endif
