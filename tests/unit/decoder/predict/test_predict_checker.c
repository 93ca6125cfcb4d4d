/* docs/predict.md, section 5: what the checker works out, judged by the simulator of
 * tests/support/iss, which shares no code with it. Each instruction runs on both with edge values
 * and random ones.
 */
#include "check.h"

#include <inttypes.h>
#include <string.h>

#include "decoder/isa/inst.h"
#include "decoder/predict/checker.h"
#include "iss/iss_state.h"
#include "iss_bare.h"
#include "random.h"

#define OPERANDS 12000 /* pairs for each instruction and XLEN */

/* Every operation of the checker: the opcode with zero registers and immediates, the bits that
 * are free for them, and the XLEN that it is for (0: both). */
static const struct row {
	uint32_t match, free;
	uint8_t xlen;
} rows[] = {
	{0x00000037, 0xFFFFFF80, 0},  /* lui */
	{0x00000017, 0xFFFFFF80, 0},  /* auipc */
	{0x0000006F, 0xFFFFFF80, 0},  /* jal */
	{0x00000067, 0xFFFF8F80, 0},  /* jalr */
	{0x00000063, 0xFFFF8F80, 0},  /* beq */
	{0x00001063, 0xFFFF8F80, 0},  /* bne */
	{0x00004063, 0xFFFF8F80, 0},  /* blt */
	{0x00005063, 0xFFFF8F80, 0},  /* bge */
	{0x00006063, 0xFFFF8F80, 0},  /* bltu */
	{0x00007063, 0xFFFF8F80, 0},  /* bgeu */
	{0x00000013, 0xFFFF8F80, 0},  /* addi */
	{0x00002013, 0xFFFF8F80, 0},  /* slti */
	{0x00003013, 0xFFFF8F80, 0},  /* sltiu */
	{0x00004013, 0xFFFF8F80, 0},  /* xori */
	{0x00006013, 0xFFFF8F80, 0},  /* ori */
	{0x00007013, 0xFFFF8F80, 0},  /* andi */
	{0x00001013, 0x01FF8F80, 0},  /* slli */
	{0x00005013, 0x01FF8F80, 0},  /* srli */
	{0x40005013, 0x01FF8F80, 0},  /* srai */
	{0x00001013, 0x03FF8F80, 64}, /* slli by up to 63 */
	{0x00005013, 0x03FF8F80, 64}, /* srli */
	{0x40005013, 0x03FF8F80, 64}, /* srai */
	{0x00000033, 0x01FF8F80, 0},  /* add */
	{0x40000033, 0x01FF8F80, 0},  /* sub */
	{0x00001033, 0x01FF8F80, 0},  /* sll */
	{0x00002033, 0x01FF8F80, 0},  /* slt */
	{0x00003033, 0x01FF8F80, 0},  /* sltu */
	{0x00004033, 0x01FF8F80, 0},  /* xor */
	{0x00005033, 0x01FF8F80, 0},  /* srl */
	{0x40005033, 0x01FF8F80, 0},  /* sra */
	{0x00006033, 0x01FF8F80, 0},  /* or */
	{0x00007033, 0x01FF8F80, 0},  /* and */
	{0x0000001B, 0xFFFF8F80, 64}, /* addiw */
	{0x0000101B, 0x01FF8F80, 64}, /* slliw */
	{0x0000501B, 0x01FF8F80, 64}, /* srliw */
	{0x4000501B, 0x01FF8F80, 64}, /* sraiw */
	{0x0000003B, 0x01FF8F80, 64}, /* addw */
	{0x4000003B, 0x01FF8F80, 64}, /* subw */
	{0x0000103B, 0x01FF8F80, 64}, /* sllw */
	{0x0000503B, 0x01FF8F80, 64}, /* srlw */
	{0x4000503B, 0x01FF8F80, 64}, /* sraw */

	{0x02000033, 0x01FF8F80, 0},  /* mul */
	{0x02001033, 0x01FF8F80, 0},  /* mulh */
	{0x02002033, 0x01FF8F80, 0},  /* mulhsu */
	{0x02003033, 0x01FF8F80, 0},  /* mulhu */
	{0x02004033, 0x01FF8F80, 0},  /* div */
	{0x02005033, 0x01FF8F80, 0},  /* divu */
	{0x02006033, 0x01FF8F80, 0},  /* rem */
	{0x02007033, 0x01FF8F80, 0},  /* remu */
	{0x0200003B, 0x01FF8F80, 64}, /* mulw */
	{0x0200403B, 0x01FF8F80, 64}, /* divw */
	{0x0200503B, 0x01FF8F80, 64}, /* divuw */
	{0x0200603B, 0x01FF8F80, 64}, /* remw */
	{0x0200703B, 0x01FF8F80, 64}, /* remuw */

	{0x20002033, 0x01FF8F80, 0},  /* sh1add */
	{0x20004033, 0x01FF8F80, 0},  /* sh2add */
	{0x20006033, 0x01FF8F80, 0},  /* sh3add */
	{0x0800003B, 0x01FF8F80, 64}, /* add.uw */
	{0x2000203B, 0x01FF8F80, 64}, /* sh1add.uw */
	{0x2000403B, 0x01FF8F80, 64}, /* sh2add.uw */
	{0x2000603B, 0x01FF8F80, 64}, /* sh3add.uw */
	{0x0800101B, 0x03FF8F80, 64}, /* slli.uw */
	{0x40007033, 0x01FF8F80, 0},  /* andn */
	{0x40006033, 0x01FF8F80, 0},  /* orn */
	{0x40004033, 0x01FF8F80, 0},  /* xnor */
	{0x0A004033, 0x01FF8F80, 0},  /* min */
	{0x0A005033, 0x01FF8F80, 0},  /* minu */
	{0x0A006033, 0x01FF8F80, 0},  /* max */
	{0x0A007033, 0x01FF8F80, 0},  /* maxu */
	{0x60001033, 0x01FF8F80, 0},  /* rol */
	{0x60005033, 0x01FF8F80, 0},  /* ror */
	{0x60005013, 0x01FF8F80, 0},  /* rori */
	{0x60005013, 0x03FF8F80, 64}, /* rori by up to 63 */
	{0x6000103B, 0x01FF8F80, 64}, /* rolw */
	{0x6000503B, 0x01FF8F80, 64}, /* rorw */
	{0x6000501B, 0x01FF8F80, 64}, /* roriw */
	{0x60001013, 0x000F8F80, 0},  /* clz */
	{0x60101013, 0x000F8F80, 0},  /* ctz */
	{0x60201013, 0x000F8F80, 0},  /* cpop */
	{0x6000101B, 0x000F8F80, 64}, /* clzw */
	{0x6010101B, 0x000F8F80, 64}, /* ctzw */
	{0x6020101B, 0x000F8F80, 64}, /* cpopw */
	{0x60401013, 0x000F8F80, 0},  /* sext.b */
	{0x60501013, 0x000F8F80, 0},  /* sext.h */
	{0x08004033, 0x000F8F80, 32}, /* zext.h */
	{0x0800403B, 0x000F8F80, 64}, /* zext.h */
	{0x28705013, 0x000F8F80, 0},  /* orc.b */
	{0x69805013, 0x000F8F80, 32}, /* rev8 */
	{0x6B805013, 0x000F8F80, 64}, /* rev8 */
	{0x48001033, 0x01FF8F80, 0},  /* bclr */
	{0x48005033, 0x01FF8F80, 0},  /* bext */
	{0x68001033, 0x01FF8F80, 0},  /* binv */
	{0x28001033, 0x01FF8F80, 0},  /* bset */
	{0x48001013, 0x01FF8F80, 0},  /* bclri */
	{0x48005013, 0x01FF8F80, 0},  /* bexti */
	{0x68001013, 0x01FF8F80, 0},  /* binvi */
	{0x28001013, 0x01FF8F80, 0},  /* bseti */
	{0x48001013, 0x03FF8F80, 64}, /* bclri of bit 32 and above */
	{0x48005013, 0x03FF8F80, 64}, /* bexti */
	{0x68001013, 0x03FF8F80, 64}, /* binvi */
	{0x28001013, 0x03FF8F80, 64}, /* bseti */
};

static uint64_t cut(uint64_t value, unsigned xlen)
{
	return xlen == 32 ? (uint32_t)value : value;
}

static uint64_t some_operand(struct random *random, unsigned xlen)
{
	static const uint64_t edges[] = {0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF,
		0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE,
		0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001,
		0xFFFFFFFF80000000, 0xFFFFFFFF7FFFFFFF, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFF,
		0x00FF00FF00FF00FF};

	switch (random_below(random, 4)) {
	case 0:
	case 1: return cut(edges[random_below(random, COUNT_OF(edges))], xlen);
	case 2: return cut(random_next(random) >> random_below(random, 64), xlen);
	default: return cut(random_next(random), xlen);
	}
}

static const struct ear_geometry *geometry_large(void)
{
	return ear_geometry_get(EAR_GEOMETRY_LARGE);
}

/* One instruction on both. The entry that the simulator retires must be what the checker says. */
static void check_one(struct ear_iss *iss, struct random *random, uint32_t insn, unsigned xlen)
{
	const uint64_t pc = EAR_ISS_MEMORY_BASE;
	struct ear_checked checked = {.next_pc = pc + 4};
	struct ear_operation op;
	struct ear_retire entry;

	memcpy(ear_iss_memory(iss, pc, 4), &insn, 4);
	ear_operation_decode(&op, insn, xlen, 0);
	iss->pc = pc;
	iss->x[op.rs1] = op.rs1 ? some_operand(random, xlen) : 0;
	iss->x[op.rs2] = op.rs2 ? some_operand(random, xlen) : 0;
	uint64_t a = iss->x[op.rs1], b = iss->x[op.rs2];
	assert_true(ear_iss_step(iss, &entry));
	assert_int_equal(entry.insn, insn);
	assert_false(entry.trap);
	assert_int_equal(entry.rs1_addr, op.rs1);
	assert_int_equal(entry.rs2_addr, op.rs2);
	assert_int_equal(entry.rd_addr, op.rd);

	ear_check(&checked, &op, pc, a, b, geometry_large(), xlen);
	uint64_t result = op.rd ? cut(checked.result, xlen) : 0;
	if (entry.rd_wdata != result || entry.pc_wdata != cut(checked.next_pc, xlen)) {
		struct ear_inst inst;
		ear_inst_decode(&inst, insn, xlen);
		fail_msg("%s (%08x) on RV%u of %" PRIx64 " and %" PRIx64 ": rd %" PRIx64
			 " must be %" PRIx64 ", next pc %" PRIx64 " must be %" PRIx64,
			ear_inst_name(inst.id), insn, xlen, a, b, result, entry.rd_wdata,
			cut(checked.next_pc, xlen), entry.pc_wdata);
	}
}

static void check_rows(unsigned xlen)
{
	struct ear_iss *iss = iss_bare_new(xlen, 1);
	struct random random = {xlen};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (rows[i].xlen != 0 && rows[i].xlen != xlen)
			continue;
		for (unsigned k = 0; k < OPERANDS; k++) {
			uint32_t bits = (uint32_t)(random_next(&random) >> 32) & rows[i].free;
			check_one(iss, &random, rows[i].match | bits, xlen);
		}
	}
	ear_iss_free(iss);
}

static void every_operation_of_rv32_gives_what_the_simulator_gives(void **state)
{
	(void)state;
	check_rows(32);
}

static void every_operation_of_rv64_gives_what_the_simulator_gives(void **state)
{
	(void)state;
	check_rows(64);
}

static void every_operation_has_a_row(void **state)
{
	bool seen[EAR_DO_COUNT] = {false};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_operation op;
		ear_operation_decode(&op, rows[i].match, rows[i].xlen ? rows[i].xlen : 32, 0);
		seen[op.kind] = true;
	}
	for (unsigned kind = EAR_DO_IMMEDIATE; kind <= EAR_DO_BGEU; kind++)
		if (!seen[kind])
			fail_msg("operation %u is not tried", kind);
}

/* Loads and atomics take their data from the entry: the memory of both is the same here. */
static void check_memory(unsigned xlen)
{
	static const uint32_t loads[] = {0x03, 0x1003, 0x2003, 0x3003, 0x4003, 0x5003, 0x6003};
	static const uint8_t functions[] = {0, 1, 4, 8, 12, 16, 20, 24, 28};
	struct ear_iss *iss = iss_bare_new(xlen, 1);
	struct random random = {xlen + 1};
	const uint64_t pc = EAR_ISS_MEMORY_BASE, at = pc + 0x1000;

	for (unsigned k = 0; k < 200000; k++) {
		uint32_t insn = loads[random_below(&random, xlen == 32 ? 6 : 7)];
		if (xlen == 32 && insn == 0x3003)
			insn = 0x2003;
		if (k & 1) /* amo... x7, x6, (x5) */
			insn = (uint32_t)functions[random_below(&random, sizeof(functions))] << 27 |
			       (xlen == 64 && k & 2 ? 0x0062B0AFu : 0x0062A0AFu);
		insn = (insn & ~0xF8F80u) | 7u << 7 | 5u << 15;
		uint64_t old = some_operand(&random, 64), operand = some_operand(&random, xlen);
		memcpy(ear_iss_memory(iss, at, 8), &old, 8);
		memcpy(ear_iss_memory(iss, pc, 4), &insn, 4);
		iss->pc = pc, iss->x[5] = at, iss->x[6] = operand;

		struct ear_operation op;
		struct ear_retire entry;
		ear_operation_decode(&op, insn, xlen, 0);
		assert_true(ear_iss_step(iss, &entry));
		assert_false(entry.trap);
		assert_int_equal(entry.mem_rmask, (1u << op.access) - 1);
		uint64_t loaded = cut(ear_check_load(&op, entry.mem_rdata), xlen);
		/* AMOs load with the sign; the flag for zeros is of loads. */
		assert_int_equal(loaded, entry.rd_wdata);
		if (k & 1) {
			uint64_t stored = ear_check_amo(&op, entry.mem_rdata, operand);
			assert_int_equal(
				ear_masked_bytes(stored, entry.mem_wmask), entry.mem_wdata);
		}
	}
	ear_iss_free(iss);
}

static void loads_and_atomics_give_what_the_simulator_gives(void **state)
{
	(void)state;
	check_memory(32);
	check_memory(64);
}

/* Without the flag of the geometry nothing is worked out. */
static void products_and_quotients_are_left_out_without_their_flags(void **state)
{
	struct ear_geometry geometry = *geometry_large();

	(void)state;
	for (unsigned flags = 0; flags < 4; flags++) {
		geometry.multiply = flags & 1;
		geometry.divide = flags & 2;
		for (unsigned kind = EAR_DO_MUL; kind <= EAR_DO_REMUW; kind++) {
			struct ear_operation op = {.kind = (uint8_t)kind};
			struct ear_checked checked = {0};
			bool known = kind <= EAR_DO_MULW ? geometry.multiply : geometry.divide;
			ear_check(&checked, &op, 0, 0x7000000700000056, 3, &geometry, 64);
			assert_int_equal(ear_is_division(&op), kind >= EAR_DO_DIV);
			if ((checked.result != 0) != known)
				fail_msg("operation %u with flags %u", kind, flags);
		}
	}
}

static void bytes_outside_a_mask_are_dropped(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 256; mask++) {
		uint64_t expected = 0x8877665544332211;
		for (unsigned i = 0; i < 8; i++)
			if (!(mask >> i & 1))
				expected &= ~((uint64_t)0xFF << 8 * i);
		assert_int_equal(ear_masked_bytes(0x8877665544332211, mask), expected);
	}
	assert_int_equal(ear_low_bits(UINT64_MAX, 64), UINT64_MAX);
	assert_int_equal(ear_low_bits(UINT64_MAX, 63), UINT64_MAX >> 1);
	assert_int_equal(ear_low_bits(UINT64_MAX, 1), 1);
}

static void words_in_wide_f_registers_are_boxed(void **state)
{
	struct ear_operation single = {.kind = EAR_DO_FLOAD, .access = 4},
			     whole = {.kind = EAR_DO_FLOAD, .access = 8},
			     copy = {.kind = EAR_DO_FCOPY, .access = 4};

	(void)state;
	assert_int_equal(ear_check_box(&single, 0x3F800000, 64), 0xFFFFFFFF3F800000);
	assert_int_equal(ear_check_box(&single, 0x1234567880000000, 32), 0x80000000);
	assert_int_equal(ear_check_box(&whole, 0x4010000000000000, 64), 0x4010000000000000);
	assert_int_equal(ear_check_box(&copy, 0xFFFFFFFF3F800000, 64), 0xFFFFFFFF3F800000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_of_rv32_gives_what_the_simulator_gives),
		cmocka_unit_test(every_operation_of_rv64_gives_what_the_simulator_gives),
		cmocka_unit_test(every_operation_has_a_row),
		cmocka_unit_test(loads_and_atomics_give_what_the_simulator_gives),
		cmocka_unit_test(products_and_quotients_are_left_out_without_their_flags),
		cmocka_unit_test(bytes_outside_a_mask_are_dropped),
		cmocka_unit_test(words_in_wide_f_registers_are_boxed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
