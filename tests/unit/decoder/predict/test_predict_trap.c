/* docs/predict.md, section 5: traps, interrupts and returns, and the conventions of cores. */
#include "predict_subject.h"

#define MSTATUS 0x300
#define MTVEC   0x305
#define MEPC    0x341
#define MCAUSE  0x342
#define MTVAL   0x343

static void ecall_and_ebreak_trap(void **state)
{
	(void)state;
	for (uint8_t mode = 0; mode < 4; mode++) {
		begin(32, 0, false);
		predictor.mode = mode;
		struct ear_retire entry = expected(ECALL);
		assert_true(entry.trap);
		assert_int_equal(entry.cause, 8 + mode);
		entry = expected(EBREAK);
		assert_true(entry.trap);
		assert_true(entry.intr);
		assert_int_equal(entry.cause, 3);
		assert_int_equal(entry.mode, 3);
		predictor.pc = PC; /* neither is a reason to expect a trap there */
		assert_false(expected(NOP).trap);
		end();
	}
}

static void misaligned_accesses_trap_as_the_last_one_did(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	predictor.x[5] = 0x80004002;
	entry = expected(LW);
	assert_false(entry.trap);
	assert_int_equal(entry.mem_rmask, 0xF);
	entry = guess(LW);
	entry.trap = true, entry.cause = 4, entry.rd_addr = 0, entry.mem_rmask = 0;
	assert_int_equal(differs(&entry) & EAR_DIFFER_TRAP, EAR_DIFFER_TRAP);
	entry = expected(SW);
	assert_true(entry.trap);
	assert_int_equal(entry.cause, 6);
	assert_int_equal(entry.mem_addr, 0x80004002);
	assert_int_equal(entry.mem_wmask | entry.mem_rmask, 0);
	assert_int_equal(entry.rd_addr, 0);
	assert_int_equal(expected(LW).cause, 4);
	assert_int_equal(expected(0x0062A3AF).cause, 6); /* amoadd.w */
	predictor.pc = PC + 0x800;                       /* not where one trapped */
	assert_false(expected(0x00028303).trap);         /* lb: no alignment */
	entry = guess(LW);
	entry.trap = false, entry.cause = 0, entry.mem_rmask = 15;
	differs(&entry);
	predictor.pc = PC + 0x900;
	assert_false(expected(SW).trap);
	end();
}

static void unknown_opcodes_trap_as_the_last_one_did(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	entry = guess(CUSTOM);
	assert_false(entry.trap);
	entry.trap = true, entry.cause = 2;
	differs(&entry);
	entry = expected(CUSTOM | 0x1000);
	assert_true(entry.trap);
	assert_int_equal(entry.cause, 2);
	entry = guess(CUSTOM);
	entry.cause = 5; /* another trap: they are not illegal any more */
	differs(&entry);
	predictor.pc = PC + 0x900;
	assert_false(expected(CUSTOM | 0x2000).trap);
	end();
}

static void an_instruction_that_trapped_last_traps_again(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	predictor.x[5] = 0x80004000;
	entry = guess(LW);
	entry.trap = true, entry.cause = 13, entry.rd_addr = 0, entry.mem_rmask = 0;
	differs(&entry);
	predictor.pc = PC;
	entry = expected(LW);
	assert_true(entry.trap);
	assert_int_equal(entry.cause, 13);
	predictor.pc = PC;
	entry = guess(LW);
	entry.trap = false, entry.cause = 0, entry.mem_rmask = 15;
	differs(&entry);
	predictor.pc = PC;
	assert_false(expected(LW).trap);
	end();
}

static void the_handler_follows_from_mtvec(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	predictor.mtvec = 0x80000041;
	assert_int_equal(expected(ECALL).pc_wdata, 0x80000040);
	entry = guess(NOP);
	entry.irq = entry.trap = true, entry.cause = 0x8000000B;
	entry.pc_wdata = 0x80000040 + 4 * 11;
	assert_int_equal(differs(&entry) & EAR_DIFFER_NEXT_PC, 0);
	predictor.mtvec = 0x80000040;
	entry = guess(NOP);
	entry.irq = entry.trap = true, entry.cause = 0x8000000B;
	entry.pc_wdata = 0x80000040;
	assert_int_equal(differs(&entry) & EAR_DIFFER_NEXT_PC, 0);
	end();
}

static struct ear_retire irq_entry(uint64_t cause, uint32_t insn)
{
	struct ear_retire entry = {.order = predictor.order,
		.xlen = predictor.xlen,
		.pc_rdata = predictor.pc,
		.mode = predictor.mode,
		.ixl = predictor.ixl,
		.intr = predictor.intr,
		.irq = true,
		.trap = true,
		.insn = insn,
		.cause = cause,
		.pc_wdata = predictor.mtvec & ~(uint64_t)3};

	entry.csrs[0] = (struct ear_retire_csr){MEPC, entry.pc_rdata};
	entry.csrs[1] = (struct ear_retire_csr){MCAUSE, cause};
	entry.csrs[2] = (struct ear_retire_csr){MTVAL, 0};
	entry.csrs[3] = (struct ear_retire_csr){MSTATUS, predictor.mstatus};
	entry.csr_count = 4;
	return entry;
}

static void an_interrupt_is_expected_to_be_the_last_one_again(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(64, 0, false);
	predictor.mstatus = 0x1800;
	place(PC, LW);
	predictor.x[5] = 0x80004000;
	entry = irq_entry(0x8000000000000007, LW);
	assert_int_equal(differs(&entry), EAR_DIFFER_IRQ);
	assert_true(predictor.intr);
	assert_int_equal(predictor.mode, 3);
	entry = irq_entry(0x800000000000000B, LW);
	place(predictor.pc, LW);
	assert_int_equal(differs(&entry), EAR_DIFFER_IRQ | EAR_DIFFER_TRAP);
	entry = irq_entry(0x800000000000000B, 0);
	place(predictor.pc, LW);
	assert_int_equal(differs(&entry), EAR_DIFFER_IRQ | EAR_DIFFER_INSN);
	entry = irq_entry(0x800000000000000B, 0);
	place(predictor.pc, LW);
	assert_int_equal(differs(&entry), EAR_DIFFER_IRQ);
	assert_int_equal(ear_shadow_read(&predictor.code, (uint32_t)predictor.pc, 0xF), LW);
	end();
}

static void mtval_follows_from_the_cause(void **state)
{
	static const struct {
		uint64_t cause, value;
	} rows[] = {{0, PC}, {1, PC}, {2, LW}, {3, PC}, {4, 0x80004000}, {5, 0x80004000},
		{6, 0x80004000}, {7, 0x80004000}, {8, 0}, {9, 0}, {10, 0}, {11, 0}, {12, PC},
		{13, 0x80004000}, {14, 0}, {15, 0x80004000}, {16, 0}, {24, 0}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		begin(32, 0, false);
		predictor.x[5] = 0x80004000;
		predictor.trapped_before = true;
		predictor.trap_pc = PC, predictor.trap_cause = rows[i].cause;
		struct ear_retire entry = guess(LW);
		assert_int_equal(entry.cause, rows[i].cause);
		assert_int_equal(entry.csrs[2].number, MTVAL);
		assert_int_equal(entry.csrs[2].value, rows[i].value);
		/* the core writes 0 instead: it does so the next time, too */
		entry.csrs[2].value = 0;
		differs(&entry);
		predictor.pc = PC;
		assert_int_equal(guess(LW).csrs[2].value, 0);
		assert_int_equal(predictor.tval_zero, rows[i].cause < 16 ? 1u << rows[i].cause : 0);
		entry.csrs[2].value = 9;
		entry.order = predictor.order, entry.intr = true;
		differs(&entry);
		assert_int_equal(predictor.tval_zero, 0);
		end();
	}
}

static void mstatus_of_traps_and_returns(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(64, 0, false);
	predictor.mstatus = 0xA00020008; /* MIE, MPRV */
	predictor.mode = 0;
	entry = expected(ECALL);
	assert_int_equal(entry.csr_count, 4);
	assert_int_equal(entry.csrs[3].number, MSTATUS);
	assert_int_equal(entry.csrs[3].value, 0xA00020080); /* MPIE, MPP 0, MPRV */
	predictor.mepc = 0x4000;
	entry = expected(MRET);
	assert_int_equal(entry.pc_wdata, 0x4000);
	assert_int_equal(entry.csr_count, 1);
	assert_int_equal(
		entry.csrs[0].value, 0xA00000088); /* MIE, MPIE; MPRV ends: MPP was not 3 */
	assert_int_equal(predictor.mode, 0);
	predictor.mstatus = 0x21800;
	entry = guess(MRET);
	assert_int_equal(entry.csrs[0].value, 0x20080); /* MPP was 3: MPRV stays */
	entry.csrs[0].value = 0x21880;                  /* a core without user mode leaves 3 */
	assert_int_equal(differs(&entry), EAR_DIFFER_CSR);
	assert_int_equal(predictor.mode, 3);
	assert_int_equal(expected(MRET).csrs[0].value, 0x21880 | 8);
	end();
}

static void sret_goes_to_sepc_in_the_mode_of_spp(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(64, 0, false);
	entry = guess(0x14129073); /* csrrw x0, sepc, x5 */
	entry.rs1_rdata = 0x7000, entry.csrs[0].value = 0x7000;
	differs(&entry);
	predictor.mstatus = 0x100; /* SPP */
	entry = expected(SRET);
	assert_int_equal(entry.pc_wdata, 0x7000);
	assert_int_equal(entry.csr_count, 0);
	assert_int_equal(predictor.mode, 1);
	predictor.mstatus = 0;
	expected(SRET);
	assert_int_equal(predictor.mode, 0);
	end();
}

static void whether_mstatush_is_listed_is_trained(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	entry = guess(ECALL);
	assert_int_equal(entry.csr_count, 5);
	assert_int_equal(entry.csrs[4].number, 0x310);
	entry.csr_count = 4;
	assert_int_equal(differs(&entry), EAR_DIFFER_CSR);
	assert_int_equal(guess(ECALL).csr_count, 4);
	assert_int_equal(expected(MRET).csr_count, 1);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ecall_and_ebreak_trap),
		cmocka_unit_test(misaligned_accesses_trap_as_the_last_one_did),
		cmocka_unit_test(unknown_opcodes_trap_as_the_last_one_did),
		cmocka_unit_test(an_instruction_that_trapped_last_traps_again),
		cmocka_unit_test(the_handler_follows_from_mtvec),
		cmocka_unit_test(an_interrupt_is_expected_to_be_the_last_one_again),
		cmocka_unit_test(mtval_follows_from_the_cause),
		cmocka_unit_test(mstatus_of_traps_and_returns),
		cmocka_unit_test(sret_goes_to_sepc_in_the_mode_of_spp),
		cmocka_unit_test(whether_mstatush_is_listed_is_trained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
