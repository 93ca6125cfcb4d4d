/* Two decoders that share nothing, those of library/check/semantics/ and decoder/isa/, must agree
 * on which opcodes are instructions, on which x registers they read and write, and on offsets. They
 * were written apart from each other, so an error is unlikely to be in both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "decoder/isa/inst.h"
#include "library/check/semantics/semantics.h"
#include "random.h"

#define RANDOM_ROUNDS 3000000u

/* What the simulator has: the sets for RV32 and RV64. */
static struct ear_inst_set sets[2];

static int name_extensions(void **state)
{
	static const char *const names[2] = {
		"rv32gc_zba_zbb_zbc_zbs_zicond_zcb",
		"rv64gc_zba_zbb_zbc_zbs_zicond_zcb",
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *at;
		size_t size;

		assert_int_equal(ear_inst_set_parse(&sets[i], names[i], &at, &size), 0);
	}
	return 0;
}

/* Of the privileged instructions it has two. */
static bool is_known(const struct ear_inst *inst)
{
	return inst->id != EAR_INST_ILLEGAL &&
	       (inst->extension != EAR_EXT_S || inst->id == EAR_INST_MRET ||
		       inst->id == EAR_INST_WFI);
}

/* Jumps, branches, loads and stores: the immediate is an offset in both. */
static bool has_offset(const struct ear_semantics *op)
{
	return (op->kind >= EAR_SEM_JAL && op->kind <= EAR_SEM_SD && op->kind != EAR_SEM_AUIPC) ||
	       op->kind == EAR_SEM_FLOAD || op->kind == EAR_SEM_FSTORE;
}

static void check(uint32_t insn, unsigned xlen)
{
	uint32_t reads = 0, writes = 0, mine = 0;
	struct ear_inst inst;
	struct ear_semantics op;
	bool legal;

	ear_semantics_decode(&op, insn, xlen, EAR_SEMANTICS_ALL);
	ear_inst_decode_within(&inst, insn, xlen, &sets[xlen == 64]);
	legal = is_known(&inst);
	if (legal != (op.kind != EAR_SEM_ILLEGAL))
		fail_msg("%08x on RV%u: %s", insn, xlen,
			legal ? "the simulator refuses it" : "the simulator takes it");
	if (!legal)
		return;
	for (unsigned k = 0; k < inst.operand_count; k++) {
		const struct ear_operand *operand = &inst.operands[k];

		if (operand->kind != EAR_OPERAND_X)
			continue;
		reads |= operand->access & EAR_OPERAND_READ ? 1u << operand->value : 0;
		writes |= operand->access & EAR_OPERAND_WRITE ? 1u << operand->value : 0;
	}
	mine = 1u << op.rs1 | 1u << op.rs2;
	if ((mine | 1) != (reads | 1) || (1u << op.rd | 1) != (writes | 1))
		fail_msg("%08x on RV%u: reads %08x and %08x, writes x%u and %08x", insn, xlen, mine,
			reads, op.rd, writes);
	if (has_offset(&op) && op.imm != inst.imm)
		fail_msg("%08x on RV%u: offset %d and %lld", insn, xlen, op.imm,
			(long long)inst.imm);
}

static void all_compressed_opcodes_agree(void **state)
{
	(void)state;
	for (uint32_t insn = 0; insn < 0x10000; insn++) {
		if ((insn & 3) == 3)
			continue;
		check(insn, 32);
		check(insn, 64);
	}
}

/* Random opcodes, and such that differ from a known one in a few bits. */
static void opcodes_of_32_bits_agree(void **state)
{
	struct random random = {4};
	uint32_t insn = 0x00000013;

	(void)state;
	for (unsigned k = 0; k < RANDOM_ROUNDS; k++) {
		struct ear_semantics op;

		switch (random_below(&random, 4)) {
		case 0: insn = (uint32_t)random_next(&random) | 3; break;
		case 1: insn ^= 1u << random_below(&random, 32); break;
		case 2: insn ^= 1u << random_below(&random, 12) << 20; break;
		default: insn ^= (uint32_t)random_next(&random) & 0x01ff8f80; break; /* registers */
		}
		insn |= 3;
		check(insn, 32);
		check(insn, 64);
		ear_semantics_decode(&op, insn, 64, EAR_SEMANTICS_ALL);
		if (op.kind == EAR_SEM_ILLEGAL && random_once_in(&random, 4))
			insn = 0x00000033 | (uint32_t)(random_next(&random) & 0xfe007000);
	}
}

/* Every value of the fields that choose, with few registers. */
static void all_functions_agree(void **state)
{
	(void)state;
	for (uint32_t opcode = 3; opcode < 0x80; opcode += 4) {
		for (uint32_t k = 0; k < 1u << 15; k++) {
			uint32_t funct7 = k & 0x7f, funct3 = k >> 7 & 7, rs2 = k >> 10 & 31;
			uint32_t insn = funct7 << 25 | rs2 << 20 | 9 << 15 | funct3 << 12 |
					11 << 7 | opcode;

			check(insn, 32);
			check(insn, 64);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_compressed_opcodes_agree),
		cmocka_unit_test(all_functions_agree),
		cmocka_unit_test(opcodes_of_32_bits_agree),
	};

	return cmocka_run_group_tests(tests, name_extensions, NULL);
}
