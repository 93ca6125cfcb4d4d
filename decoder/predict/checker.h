#ifndef EAR_CHECKER_H
#define EAR_CHECKER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/difference.h"
#include "decoder/predict/geometry.h"
#include "decoder/predict/operation.h"

/* The result of an instruction: the arithmetic of the predictor. docs/predict.md, section 5.
 * Inline, because it is the innermost loop of decoding.
 *
 * Values of XLEN 32 are in the low half of 64 bits. The upper half of an operand is zero; that of a
 * result is ignored.
 */

struct ear_checked {
	uint64_t result;  /* of rd; 0 if it is not predicted */
	uint64_t next_pc; /* in: the address after the instruction */
};

/* Keep the bytes of a mask. */
static inline uint64_t ear_masked_bytes(uint64_t value, unsigned mask)
{
	uint64_t kept = 0;

	switch (mask) {
	case 0xF: return (uint32_t)value;
	case 0xFF: return value;
	case 0x3: return (uint16_t)value;
	case 0x1: return (uint8_t)value;
	default:
		for (unsigned i = 0; i < 8; i++)
			kept |= mask >> i & 1 ? value & (uint64_t)0xFF << 8 * i : 0;
		return kept;
	}
}

static inline uint64_t ear_extend_word(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)value;
}

/* The result of a load: the bytes read, extended. */
static inline uint64_t ear_check_load(const struct ear_operation *op, uint64_t data)
{
	bool zero = op->flags & EAR_OPERATION_UNSIGNED;

	switch (op->access) {
	case 1: return zero ? (uint8_t)data : (uint64_t)(int64_t)(int8_t)data;
	case 2: return zero ? (uint16_t)data : (uint64_t)(int64_t)(int16_t)data;
	case 4: return zero ? (uint32_t)data : ear_extend_word(data);
	default: return data;
	}
}

/* The value that an atomic operation writes. */
static inline uint64_t ear_check_amo(const struct ear_operation *op, uint64_t old, uint64_t b)
{
	if (op->access == 4) {
		old = ear_extend_word(old);
		b = ear_extend_word(b);
	}
	switch (op->kind) {
	case EAR_DO_AMOADD: return old + b;
	case EAR_DO_AMOXOR: return old ^ b;
	case EAR_DO_AMOAND: return old & b;
	case EAR_DO_AMOOR: return old | b;
	case EAR_DO_AMOMIN: return (int64_t)old < (int64_t)b ? old : b;
	case EAR_DO_AMOMAX: return (int64_t)old < (int64_t)b ? b : old;
	case EAR_DO_AMOMINU: return old < b ? old : b;
	case EAR_DO_AMOMAXU: return old < b ? b : old;
	default: return b;
	}
}

/* A value in an f register: a single in a 64-bit register is NaN-boxed. */
static inline uint64_t ear_check_box(const struct ear_operation *op, uint64_t value, unsigned flen)
{
	if (op->access == 4 && op->kind != EAR_DO_FCOPY)
		value = flen == 64 ? (uint32_t)value | (uint64_t)0xFFFFFFFF << 32 : (uint32_t)value;
	return value;
}

static inline unsigned ear_count_bits(uint64_t value)
{
	unsigned count = 0;

	for (; value; value &= value - 1)
		count++;
	return count;
}

/* Leading zeros of the low bits of value. */
static inline unsigned ear_leading_zeros(uint64_t value, unsigned bits)
{
	unsigned count = 0;

	while (count < bits && !(value >> (bits - 1 - count) & 1))
		count++;
	return count;
}

static inline unsigned ear_trailing_zeros(uint64_t value, unsigned bits)
{
	unsigned count = 0;

	while (count < bits && !(value >> count & 1))
		count++;
	return count;
}

static inline uint64_t ear_reverse_bytes(uint64_t value, unsigned xlen)
{
	uint64_t reversed = 0;

	for (unsigned i = 0; i < xlen; i += 8)
		reversed |= (value >> i & 0xFF) << (xlen - 8 - i);
	return reversed;
}

static inline uint64_t ear_or_bytes(uint64_t value)
{
	uint64_t combined = 0;

	for (unsigned i = 0; i < 64; i += 8)
		combined |= value >> i & 0xFF ? (uint64_t)0xFF << i : 0;
	return combined;
}

/* Upper half of the product of two values of 64 bits. */
static inline uint64_t ear_multiply_high(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t other = a0 * b1 + (uint32_t)middle;

	return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* The upper XLEN bits of a product. */
static inline uint64_t ear_check_mulh(
	uint64_t a, uint64_t b, bool a_signed, bool b_signed, unsigned xlen)
{
	if (xlen == 32) {
		uint64_t wide_a = a_signed ? ear_extend_word(a) : (uint32_t)a;
		uint64_t wide_b = b_signed ? ear_extend_word(b) : (uint32_t)b;
		return wide_a * wide_b >> 32;
	}
	uint64_t high = ear_multiply_high(a, b);
	if (a_signed && a >> 63)
		high -= b;
	if (b_signed && b >> 63)
		high -= a;
	return high;
}

/* Division with the results that the M extension defines for zero and overflow. */
static inline uint64_t ear_check_divide(
	uint64_t a, uint64_t b, bool is_signed, bool remainder, unsigned bits)
{
	if (bits == 32) {
		a = is_signed ? ear_extend_word(a) : (uint32_t)a;
		b = is_signed ? ear_extend_word(b) : (uint32_t)b;
	}
	if (b == 0)
		return remainder ? a : ~(uint64_t)0;
	if (!is_signed)
		return remainder ? a % b : a / b;
	if (b == ~(uint64_t)0)
		return remainder ? 0 : 0 - a;
	return remainder ? (uint64_t)((int64_t)a % (int64_t)b)
			 : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline bool ear_is_division(const struct ear_operation *op)
{
	return op->kind >= EAR_DO_DIV && op->kind <= EAR_DO_REMUW;
}

static inline void ear_check_division(struct ear_checked *checked, const struct ear_operation *op,
	uint64_t a, uint64_t b, unsigned xlen)
{
	bool word = op->kind >= EAR_DO_DIVW;
	unsigned which = (unsigned)(op->kind - (word ? EAR_DO_DIVW : EAR_DO_DIV));
	uint64_t value = ear_check_divide(a, b, (which & 1) == 0, which >= 2, word ? 32 : xlen);

	checked->result = word ? ear_extend_word(value) : value;
}

/* Result and next pc of all operations but loads, atomics, CSRs, floating point and trap returns.
 */
static inline __attribute__((always_inline)) void ear_check(struct ear_checked *checked,
	const struct ear_operation *op, uint64_t pc, uint64_t a, uint64_t b,
	const struct ear_geometry *geometry, unsigned xlen)
{
	const uint64_t imm = (uint64_t)(int64_t)op->imm;
	const unsigned shift_mask = xlen - 1;
	uint64_t wide_a = xlen == 32 ? ear_extend_word(a) : a;

	if (op->flags & EAR_OPERATION_IMMEDIATE)
		b = xlen == 32 ? (uint32_t)imm : imm;
	uint64_t wide_b = xlen == 32 ? ear_extend_word(b) : b;

	switch (op->kind) {
	case EAR_DO_IMMEDIATE: checked->result = imm; return;
	case EAR_DO_AUIPC: checked->result = pc + imm; return;
	case EAR_DO_ADD: checked->result = a + b; return;
	case EAR_DO_SUB: checked->result = a - b; return;
	case EAR_DO_SLL: checked->result = a << (b & shift_mask); return;
	case EAR_DO_SLT: checked->result = (int64_t)wide_a < (int64_t)wide_b; return;
	case EAR_DO_SLTU: checked->result = a < b; return;
	case EAR_DO_XOR: checked->result = a ^ b; return;
	case EAR_DO_SRL: checked->result = a >> (b & shift_mask); return;
	case EAR_DO_SRA: checked->result = (uint64_t)((int64_t)wide_a >> (b & shift_mask)); return;
	case EAR_DO_OR: checked->result = a | b; return;
	case EAR_DO_AND: checked->result = a & b; return;
	case EAR_DO_ADDW: checked->result = ear_extend_word(a + b); return;
	case EAR_DO_SUBW: checked->result = ear_extend_word(a - b); return;
	case EAR_DO_SLLW: checked->result = ear_extend_word(a << (b & 31)); return;
	case EAR_DO_SRLW: checked->result = ear_extend_word((uint32_t)a >> (b & 31)); return;
	case EAR_DO_SRAW:
		checked->result = (uint64_t)((int64_t)ear_extend_word(a) >> (b & 31));
		return;
	case EAR_DO_ANDN: checked->result = a & ~b; return;
	case EAR_DO_ORN: checked->result = a | ~b; return;
	case EAR_DO_XNOR: checked->result = ~(a ^ b); return;
	case EAR_DO_MIN: checked->result = (int64_t)wide_a < (int64_t)wide_b ? a : b; return;
	case EAR_DO_MINU: checked->result = a < b ? a : b; return;
	case EAR_DO_MAX: checked->result = (int64_t)wide_a < (int64_t)wide_b ? b : a; return;
	case EAR_DO_MAXU: checked->result = a < b ? b : a; return;
	case EAR_DO_ROL: checked->result = a << (b & shift_mask) | a >> (-b & shift_mask); return;
	case EAR_DO_ROR: checked->result = a >> (b & shift_mask) | a << (-b & shift_mask); return;
	case EAR_DO_ROLW:
		checked->result =
			ear_extend_word((uint32_t)a << (b & 31) | (uint32_t)a >> (-b & 31));
		return;
	case EAR_DO_RORW:
		checked->result =
			ear_extend_word((uint32_t)a >> (b & 31) | (uint32_t)a << (-b & 31));
		return;
	case EAR_DO_CLZ: checked->result = ear_leading_zeros(a, xlen); return;
	case EAR_DO_CTZ: checked->result = ear_trailing_zeros(a, xlen); return;
	case EAR_DO_CPOP: checked->result = ear_count_bits(a); return;
	case EAR_DO_CLZW: checked->result = ear_leading_zeros((uint32_t)a, 32); return;
	case EAR_DO_CTZW: checked->result = ear_trailing_zeros((uint32_t)a, 32); return;
	case EAR_DO_CPOPW: checked->result = ear_count_bits((uint32_t)a); return;
	case EAR_DO_SEXTB: checked->result = (uint64_t)(int64_t)(int8_t)a; return;
	case EAR_DO_SEXTH: checked->result = (uint64_t)(int64_t)(int16_t)a; return;
	case EAR_DO_ZEXTH: checked->result = (uint16_t)a; return;
	case EAR_DO_ORCB: checked->result = ear_or_bytes(a); return;
	case EAR_DO_REV8: checked->result = ear_reverse_bytes(a, xlen); return;
	case EAR_DO_SH1ADD: checked->result = (a << 1) + b; return;
	case EAR_DO_SH2ADD: checked->result = (a << 2) + b; return;
	case EAR_DO_SH3ADD: checked->result = (a << 3) + b; return;
	case EAR_DO_ADDUW: checked->result = (uint64_t)(uint32_t)a + b; return;
	case EAR_DO_SH1ADDUW: checked->result = ((uint64_t)(uint32_t)a << 1) + b; return;
	case EAR_DO_SH2ADDUW: checked->result = ((uint64_t)(uint32_t)a << 2) + b; return;
	case EAR_DO_SH3ADDUW: checked->result = ((uint64_t)(uint32_t)a << 3) + b; return;
	case EAR_DO_SLLUW: checked->result = (uint64_t)(uint32_t)a << (b & 63); return;
	case EAR_DO_BCLR: checked->result = a & ~((uint64_t)1 << (b & shift_mask)); return;
	case EAR_DO_BEXT: checked->result = a >> (b & shift_mask) & 1; return;
	case EAR_DO_BINV: checked->result = a ^ (uint64_t)1 << (b & shift_mask); return;
	case EAR_DO_BSET: checked->result = a | (uint64_t)1 << (b & shift_mask); return;

	case EAR_DO_MUL: checked->result = geometry->multiply ? a * b : 0; return;
	case EAR_DO_MULH:
	case EAR_DO_MULHSU:
	case EAR_DO_MULHU:
		if (geometry->multiply)
			checked->result = ear_check_mulh(
				a, b, op->kind != EAR_DO_MULHU, op->kind == EAR_DO_MULH, xlen);
		return;
	case EAR_DO_MULW: checked->result = geometry->multiply ? ear_extend_word(a * b) : 0; return;
	case EAR_DO_DIV:
	case EAR_DO_DIVU:
	case EAR_DO_REM:
	case EAR_DO_REMU:
	case EAR_DO_DIVW:
	case EAR_DO_DIVUW:
	case EAR_DO_REMW:
	case EAR_DO_REMUW:
		if (geometry->divide)
			ear_check_division(checked, op, a, b, xlen);
		return;

	case EAR_DO_JAL:
		checked->result = checked->next_pc;
		checked->next_pc = pc + imm;
		return;
	case EAR_DO_JALR:
		checked->result = checked->next_pc;
		checked->next_pc = (a + imm) & ~(uint64_t)1;
		return;
	case EAR_DO_BEQ: checked->next_pc = a == b ? pc + imm : checked->next_pc; return;
	case EAR_DO_BNE: checked->next_pc = a != b ? pc + imm : checked->next_pc; return;
	case EAR_DO_BLT:
		checked->next_pc = (int64_t)wide_a < (int64_t)wide_b ? pc + imm : checked->next_pc;
		return;
	case EAR_DO_BGE:
		checked->next_pc = (int64_t)wide_a >= (int64_t)wide_b ? pc + imm : checked->next_pc;
		return;
	case EAR_DO_BLTU: checked->next_pc = a < b ? pc + imm : checked->next_pc; return;
	case EAR_DO_BGEU: checked->next_pc = a >= b ? pc + imm : checked->next_pc; return;
	default: return;
	}
}

#endif
