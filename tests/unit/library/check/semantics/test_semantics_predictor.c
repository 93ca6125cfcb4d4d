/* The arithmetic of the predictor (decoder/predict) against library/check/semantics/, which judges
 * what the predictor made: random instructions of every opcode whose result or next pc is
 * predicted. Neither knows the other, so a difference is an error in one of them.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>

#include "decoder/isa/inst_table.h"
#include "decoder/predict/checker.h"
#include "library/check/semantics/semantics.h"
#include "random.h"

#define INSTRUCTIONS 3000u /* of each opcode and width */
#define DRAWS        40000u

static const struct ear_geometry geometry = {.multiply = true, .divide = true, .operands = true};

/* What an instruction does, as far as it is an integer. */
struct outcome {
	uint64_t result, next_pc; /* result 0 without rd */
	uint64_t address, stored;
	unsigned access;
};

static uint64_t draw_value(struct random *random)
{
	static const uint64_t special[] = {0, 1, ~UINT64_C(0), 0x7fffffff, 0x80000000, 0xffffffff,
		0xffffffff80000000, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000};
	uint64_t value = random_next(random);

	switch (random_below(random, 4)) {
	case 0: return special[random_below(random, COUNT_OF(special))];
	case 1: return value >> random_below(random, 64);
	case 2: return UINT64_C(1) << random_below(random, 64);
	default: return value;
	}
}

static uint64_t sign_extend(uint64_t value, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static uint64_t word(unsigned xlen, uint64_t value)
{
	return xlen == 32 ? (uint32_t)value : value;
}

/* By the predictor. memory: what the access reads. False: this kind of instruction is not
 * predicted, or not here. */
static bool predict(struct outcome *outcome, uint32_t insn, unsigned xlen, uint64_t pc,
	const uint64_t *x, uint64_t memory)
{
	struct ear_operation op;
	struct ear_checked checked = {0};

	ear_operation_decode(&op, insn, xlen, 0);
	if (op.kind < EAR_DO_IMMEDIATE || op.kind > EAR_DO_AMOMAXU || op.kind == EAR_DO_FLOAD ||
		op.kind == EAR_DO_FSTORE)
		return false;
	uint64_t a = x[op.rs1], b = x[op.rs2];
	checked.next_pc = pc + op.size;
	ear_check(&checked, &op, pc, a, b, &geometry, xlen);
	if (op.flags & EAR_OPERATION_MEMORY) {
		outcome->address = word(xlen, a + (uint64_t)(int64_t)op.imm);
		outcome->access = op.access;
		if (op.flags & EAR_OPERATION_READS && op.kind != EAR_DO_SC)
			checked.result = ear_check_load(&op, memory);
		if (op.flags & EAR_OPERATION_WRITES)
			outcome->stored = op.kind >= EAR_DO_AMOSWAP && op.kind <= EAR_DO_AMOMAXU
						  ? ear_check_amo(&op, memory, b)
						  : b;
		if (op.access < 8)
			outcome->stored &= (UINT64_C(1) << 8 * op.access) - 1;
	}
	outcome->result = op.rd ? word(xlen, checked.result) : 0;
	outcome->next_pc = word(xlen, checked.next_pc);
	return true;
}

static bool is_taken(unsigned kind, uint64_t a, uint64_t b, unsigned xlen)
{
	int64_t left = (int64_t)sign_extend(a, xlen / 8), right = (int64_t)sign_extend(b, xlen / 8);

	switch (kind) {
	case EAR_SEM_BEQ: return a == b;
	case EAR_SEM_BNE: return a != b;
	case EAR_SEM_BLT: return left < right;
	case EAR_SEM_BGE: return left >= right;
	case EAR_SEM_BLTU: return a < b;
	default: return a >= b;
	}
}

/* By library/check/semantics/. */
static void judge(struct outcome *outcome, uint32_t insn, unsigned xlen, uint64_t pc,
	const uint64_t *x, uint64_t memory)
{
	static const uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 1, 2, 4, 8};
	struct ear_semantics op;
	uint64_t result = 0;

	ear_semantics_decode(&op, insn, xlen, EAR_SEMANTICS_ALL);
	uint64_t a = x[op.rs1], b = x[op.rs2], imm = (uint64_t)(int64_t)op.imm;
	outcome->next_pc = pc + op.size;
	if (op.kind >= EAR_SEM_LB && op.kind <= EAR_SEM_SD)
		outcome->access = sizes[op.kind - EAR_SEM_LB];
	else if (op.kind >= EAR_SEM_LR && op.kind <= EAR_SEM_AMO)
		outcome->access = (op.wide >> 12 & 7) == 2 ? 4 : 8;
	if (outcome->access)
		outcome->address = word(xlen, a + imm);
	switch (op.kind) {
	case EAR_SEM_AUIPC: result = pc + imm; break;
	case EAR_SEM_JAL:
	case EAR_SEM_JALR:
		result = outcome->next_pc;
		outcome->next_pc = op.kind == EAR_SEM_JAL ? pc + imm : (a + imm) & ~UINT64_C(1);
		break;
	case EAR_SEM_LB:
	case EAR_SEM_LH:
	case EAR_SEM_LW:
	case EAR_SEM_LD:
	case EAR_SEM_LR: result = sign_extend(memory, outcome->access); break;
	case EAR_SEM_LBU:
	case EAR_SEM_LHU:
	case EAR_SEM_LWU: result = memory & ((UINT64_C(1) << 8 * outcome->access) - 1); break;
	case EAR_SEM_SC:
	case EAR_SEM_SB:
	case EAR_SEM_SH:
	case EAR_SEM_SW:
	case EAR_SEM_SD: outcome->stored = b; break;
	case EAR_SEM_AMO:
		result = sign_extend(memory, outcome->access);
		outcome->stored = ear_semantics_amo(
			op.wide >> 27, outcome->access, result, sign_extend(b, outcome->access));
		break;
	default:
		if (op.kind >= EAR_SEM_ADD)
			result = xlen == 32 ? ear_semantics_compute_32(
						      (enum ear_semantics_kind)op.kind, a,
						      word(xlen, b + imm))
					    : ear_semantics_compute_64(
						      (enum ear_semantics_kind)op.kind, a, b + imm);
		else if (op.kind >= EAR_SEM_BEQ && op.kind <= EAR_SEM_BGEU &&
			 is_taken(op.kind, a, b, xlen))
			outcome->next_pc = pc + imm;
		break;
	}
	if (outcome->access && outcome->access < 8)
		outcome->stored &= (UINT64_C(1) << 8 * outcome->access) - 1;
	outcome->result = op.rd ? word(xlen, result) : 0;
	outcome->next_pc = word(xlen, outcome->next_pc);
}

/* sc writes 0 or 1, which depends on more than its operands. */
static bool compare(uint32_t insn, unsigned xlen, struct random *random, const char *name)
{
	struct outcome predicted = {0}, expected = {0};
	uint64_t x[32] = {0}, pc = word(xlen, random_next(random) & ~UINT64_C(1));
	uint64_t memory = draw_value(random);

	for (unsigned i = 1; i < 32; i++)
		x[i] = word(xlen, draw_value(random));
	if (random_once_in(random, 4)) /* equal operands */
		x[insn >> 15 & 31] = insn >> 15 & 31 ? x[insn >> 20 & 31] : 0;
	if (!predict(&predicted, insn, xlen, pc, x, memory))
		return false;
	judge(&expected, insn, xlen, pc, x, memory);
	if (predicted.result != expected.result || predicted.next_pc != expected.next_pc ||
		predicted.address != expected.address || predicted.stored != expected.stored ||
		predicted.access != expected.access)
		fail_msg("%s %08" PRIx32 " of RV%u at 0x%" PRIx64 ", rs1 0x%" PRIx64
			 " rs2 0x%" PRIx64 ": predicted 0x%" PRIx64 " next 0x%" PRIx64
			 " stored 0x%" PRIx64 ", expected 0x%" PRIx64 " next 0x%" PRIx64
			 " stored 0x%" PRIx64,
			name, insn, xlen, pc, x[insn >> 15 & 31], x[insn >> 20 & 31],
			predicted.result, predicted.next_pc, predicted.stored, expected.result,
			expected.next_pc, expected.stored);
	return true;
}

static void all_that_is_predicted_is_what_instructions_do(void **state)
{
	struct random random = {11};
	unsigned opcodes = 0;

	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
			const struct ear_inst_row *row = &ear_inst_rows[id];
			uint32_t free = ~row->mask[xlen == 64];
			unsigned compared = 0;

			for (unsigned i = 0; i < DRAWS && compared < INSTRUCTIONS; i++) {
				uint32_t insn =
					row->match | ((uint32_t)random_next(&random) & free);
				struct ear_inst inst;

				if ((row->match & 3) != 3)
					insn &= 0xffff;
				ear_inst_decode(&inst, insn, xlen);
				if (inst.id != id)
					continue;
				if (!compare(insn, xlen, &random, row->name))
					break; /* this opcode is not predicted */
				compared++;
			}
			opcodes += compared > 0;
		}
	}
	assert_int_equal(opcodes, 289);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_is_predicted_is_what_instructions_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
