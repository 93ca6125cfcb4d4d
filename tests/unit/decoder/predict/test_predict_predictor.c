/* docs/predict.md, sections 3, 5 and 6: what is expected of the next entry, rule by rule. Traps are
 * in test_predict_trap.c.
 */
#include "predict_subject.h"

#include "random.h"

static void after_a_hard_sync_nothing_is_known(void **state)
{
	(void)state;
	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		begin(xlen, 64, true);
		memset(predictor.x, 1, sizeof(predictor.x));
		predictor.mstatus = predictor.mepc = predictor.raised = 5;
		predictor.mode = 0;
		ear_predictor_reset(&predictor, 77);
		struct ear_retire entry, none = {.order = 77,
						 .xlen = (uint8_t)xlen,
						 .mode = 3,
						 .ixl = xlen == 32 ? 1 : 2,
						 .pc_wdata = 2};
		ear_predictor_run(&predictor, &entry);
		assert_null(retire_difference(&none, &entry));
		assert_int_equal(predictor.irq_cause, ((uint64_t)1 << (xlen - 1)) | 7);
		assert_int_equal(predictor.trap_lists_mstatush, xlen == 32);
		end();
	}
}

static void the_next_entry_follows_the_last_one(void **state)
{
	begin(32, 0, false);
	struct ear_retire entry = guess(NOP);

	(void)state;
	entry.order = 500, entry.pc_wdata = 0x9000, entry.mode = 1, entry.ixl = 3;
	entry.debug = entry.virt = entry.halt = true;
	assert_int_equal(differs(&entry), EAR_DIFFER_ORDER | EAR_DIFFER_HEAD | EAR_DIFFER_NEXT_PC);
	entry = expected(NOP);
	assert_int_equal(entry.order, 501);
	assert_int_equal(entry.pc_rdata, 0x9000);
	assert_int_equal(entry.mode, 1);
	assert_int_equal(entry.ixl, 3);
	assert_true(entry.debug);
	assert_true(entry.virt);
	assert_false(entry.halt);
	assert_false(entry.intr);
	end();
}

static void opcodes_are_trained_by_address_and_by_number(void **state)
{
	struct ear_difference difference;
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	entry = guess(NOP);
	entry.insn = LW;
	entry.rs1_addr = 5, entry.rd_addr = 6, entry.mem_rmask = 15;
	ear_predictor_encode(&predictor, &entry, &difference);
	assert_int_equal(difference.mask, EAR_DIFFER_INSN);
	assert_false(difference.from_number);
	uint32_t number = (LW ^ LW >> 9 ^ LW >> 18 ^ LW >> 27) & 511;
	assert_int_equal(difference.number, number);
	assert_int_equal(predictor.dictionary[number], LW);
	predictor.pc = PC;
	assert_int_equal(guess(LW).insn, LW);
	predictor.pc = PC + 0x100; /* elsewhere: by number */
	entry.order++, entry.pc_rdata += 0x100, entry.pc_wdata += 0x100;
	ear_predictor_encode(&predictor, &entry, &difference);
	assert_int_equal(difference.mask, EAR_DIFFER_INSN);
	assert_true(difference.from_number);
	end();
}

static void a_compressed_opcode_is_two_bytes_of_the_cache(void **state)
{
	begin(32, 0, false);
	(void)state;
	place(PC, 0x12344515); /* c.li x10, 5 and something after it */
	ear_shadow_write(&predictor.code, PC, 0xF, 0x12344515);
	struct ear_retire entry;
	ear_predictor_run(&predictor, &entry);
	assert_int_equal(entry.insn, 0x4515);
	assert_int_equal(entry.pc_wdata, PC + 2);
	assert_int_equal(entry.rd_wdata, 5);
	end();
}

static void registers_are_trained_from_results_and_from_operands(void **state)
{
	begin(64, 0, false);
	struct ear_retire entry = guess(0x00628333); /* add x6, x5, x6 */

	(void)state;
	assert_int_equal(entry.rs1_addr, 5);
	assert_int_equal(entry.rs2_addr, 6);
	entry.rs1_rdata = 1000, entry.rs2_rdata = 7;
	entry.rd_wdata = 1007;
	assert_int_equal(differs(&entry), EAR_DIFFER_RS1 | EAR_DIFFER_RS2);
	entry = expected(0x00628333);
	assert_int_equal(entry.rs1_rdata, 1000);
	assert_int_equal(entry.rs2_rdata, 1007);
	assert_int_equal(entry.rd_wdata, 2007);
	/* a wrong result is believed, and one for x0 is not */
	entry = guess(0x00628333);
	entry.rd_wdata = 5;
	assert_int_equal(differs(&entry), EAR_DIFFER_RD);
	assert_int_equal(predictor.x[6], 5);
	entry = guess(0x00628033);
	assert_int_equal(entry.rd_wdata, 0);
	entry.rs1_addr = 0, entry.rs1_rdata = 55;
	assert_int_equal(differs(&entry) & EAR_DIFFER_NUMBERS, EAR_DIFFER_NUMBERS);
	assert_int_equal(predictor.x[0], 0);
	end();
}

static void without_operands_the_shadow_is_asked(void **state)
{
	struct ear_unit unit = unit_of(32, 0, false);

	(void)state;
	unit.geometry[0] &= (uint8_t)~EAR_UNIT_GEOMETRY_OPERANDS;
	begin_unit(&unit);
	predictor.x[5] = 40, predictor.x[6] = 2;
	struct ear_retire entry = expected(0x00628333);
	assert_int_equal(entry.rs1_addr | entry.rs2_addr, 0);
	assert_int_equal(entry.rs1_rdata | entry.rs2_rdata, 0);
	assert_int_equal(entry.rd_wdata, 42);
	end();
}

static void loads_come_from_the_cache_and_stores_go_there(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(64, 0, false);
	predictor.x[5] = 0x80004000;
	predictor.x[6] = 0x1122334455667788;
	entry = expected(SW);
	assert_int_equal(entry.mem_addr, 0x80004000);
	assert_int_equal(entry.mem_wmask, 0xF);
	assert_int_equal(entry.mem_rmask, 0);
	assert_int_equal(entry.mem_wdata, 0x55667788);
	entry = expected(0x00128303); /* lb x6, 1(x5) */
	assert_int_equal(entry.mem_addr, 0x80004001);
	assert_int_equal(entry.mem_rmask, 1);
	assert_int_equal(entry.mem_rdata, 0x77);
	assert_int_equal(entry.rd_wdata, 0x77);
	entry = guess(LW);
	entry.mem_rdata = 0x80000000;
	entry.rd_wdata = 0xFFFFFFFF80000000;
	assert_int_equal(differs(&entry), EAR_DIFFER_RDATA);
	entry = expected(LW);
	assert_int_equal(entry.mem_rdata, 0x80000000);
	assert_int_equal(entry.rd_wdata, 0xFFFFFFFF80000000);
	end();
}

static void atomics_write_what_they_make_of_the_data(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	predictor.x[5] = 0x80004000, predictor.x[6] = 10;
	ear_shadow_write(&predictor.data, 0x80004000, 0xF, 32);
	entry = expected(0x0062A3AF); /* amoadd.w x7, x6, (x5) */
	assert_int_equal(entry.mem_rmask, 0xF);
	assert_int_equal(entry.mem_wmask, 0xF);
	assert_int_equal(entry.mem_rdata, 32);
	assert_int_equal(entry.mem_wdata, 42);
	assert_int_equal(entry.rd_wdata, 32);
	entry = expected(0x1802A3AF | 6u << 20); /* sc.w x7, x6, (x5): expected to succeed */
	assert_int_equal(entry.mem_wmask, 0xF);
	assert_int_equal(entry.mem_rmask, 0);
	assert_int_equal(entry.rd_wdata, 0);
	assert_int_equal(entry.mem_wdata, 10);
	entry = expected(0x1002A3AF); /* lr.w x7, (x5) */
	assert_int_equal(entry.mem_rmask, 0xF);
	assert_int_equal(entry.rd_wdata, 10);
	end();
}

static void with_one_cache_code_that_is_written_is_fetched(void **state)
{
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_UNIFIED), 32, 0, false);

	(void)state;
	begin_unit(&unit);
	predictor.x[5] = PC + 4, predictor.x[6] = 0x00100513; /* li x10, 1 */
	expected(SW);
	struct ear_retire entry;
	ear_predictor_run(&predictor, &entry);
	assert_int_equal(entry.insn, 0x00100513);
	assert_int_equal(entry.rd_wdata, 1);
	end();
}

/* CSRs ---------------------------------------------------------------------------------------- */

static void csr_operations_write_what_the_manual_says(void **state)
{
	static const struct {
		uint32_t function;
		unsigned source;
		bool writes;
		uint64_t value;
	} rows[] = {
		{1, 5, true, 0x0F0}, /* csrrw */
		{1, 0, true, 0},     /* csrrw of x0 */
		{2, 5, true, 0x3F0}, /* csrrs */
		{2, 0, false, 0},    /* csrr */
		{3, 5, true, 0x300}, /* csrrc */
		{3, 0, false, 0},    /* csrrc of x0 */
		{5, 5, true, 5},     /* csrrwi */
		{5, 0, true, 0},     /* csrrwi of 0 */
		{6, 5, true, 0x3C5}, /* csrrsi */
		{6, 0, false, 0},    /* csrrsi of 0 */
		{7, 5, true, 0x3C0}, /* csrrci: bits 0 and 2 were clear */
		{7, 0, false, 0},    /* csrrci of 0 */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		begin(32, 0, false);
		predictor.x[5] = 0x0F0;
		struct ear_retire entry = guess(0x34001073); /* csrw mscratch, x0 */
		entry.csrs[0].value = 0x3C0;
		differs(&entry);
		uint32_t insn = 0x34000373 | rows[i].function << 12 | rows[i].source << 15;
		entry = expected(insn); /* rd is x6 */
		assert_int_equal(entry.rd_addr, 6);
		assert_int_equal(entry.rd_wdata, 0x3C0);
		assert_int_equal(entry.csr_count, rows[i].writes);
		if (rows[i].writes) {
			assert_int_equal(entry.csrs[0].number, 0x340);
			assert_int_equal(entry.csrs[0].value, rows[i].value);
		}
		assert_int_equal(
			expected(0x34002373).rd_wdata, rows[i].writes ? rows[i].value : 0x3C0);
		end();
	}
}

/* What is read is the old value: also if the shadow had another one. */
static void a_value_that_was_read_is_written_back_changed(void **state)
{
	begin(32, 0, false);
	struct ear_retire entry = guess(0x34036373); /* csrrsi x6, mscratch, 6 */

	(void)state;
	assert_int_equal(entry.rd_wdata, 0);
	entry.rd_wdata = 0x100;
	entry.csrs[0].value = 0x106;
	assert_int_equal(differs(&entry), EAR_DIFFER_RD);
	assert_int_equal(expected(0x34002373).rd_wdata, 0x106);
	end();
}

static void csrs_share_places_by_their_number(void **state)
{
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_SMALL), 32, 0, false);

	(void)state;
	begin_unit(&unit); /* 16 places; a CSR n has place n xor n >> 6 */
	predictor.x[5] = 7;
	expected(0x34029073); /* mscratch: 340 ^ D = ...D */
	assert_int_equal(predictor.csrs[0xD].number, 0x340);
	assert_int_equal(expected(0x34002373).rd_wdata, 7);
	expected(0x30629073); /* mcounteren: 306 ^ C = ...A */
	assert_int_equal(predictor.csrs[0xA].number, 0x306);
	expected(0x7C029073); /* 7C0 ^ 1F = ...F */
	expected(0x7D029073); /* 7D0 ^ 1F = ...F: takes its place */
	assert_int_equal(expected(0x7C002373).rd_wdata, 0);
	end();
	unit.geometry[6] = 0; /* no places at all */
	begin_unit(&unit);
	predictor.x[5] = 7;
	assert_int_equal(expected(0x34029073).csrs[0].value, 7);
	assert_int_equal(expected(0x34002373).rd_wdata, 0);
	assert_int_equal(expected(0x30529073).csrs[0].value, 7); /* mtvec has a register */
	assert_int_equal(expected(0x30502373).rd_wdata, 7);
	end();
}

static void a_list_that_is_cut_trains_the_expected_writes(void **state)
{
	struct ear_unit unit = unit_of(64, 0, false);

	(void)state;
	unit.csr_slots = 2;
	begin_unit(&unit);
	predictor.mstatus = 8;
	struct ear_retire entry = expected(ECALL);
	assert_int_equal(entry.csr_count, 2);
	assert_int_equal(predictor.mepc, PC);
	assert_int_equal(predictor.mcause, 11);
	assert_int_equal(predictor.mstatus, 0x1880);
	end();
	unit.csr_slots = 0;
	begin_unit(&unit);
	entry = expected(ECALL);
	assert_int_equal(entry.csr_count, 0);
	assert_int_equal(predictor.mepc, PC);
	end();
	unit.csr_slots = 8; /* a shorter list is not cut: it says what was written */
	begin_unit(&unit);
	entry = guess(ECALL);
	entry.csr_count = 1;
	differs(&entry);
	assert_int_equal(predictor.mepc, PC);
	assert_int_equal(predictor.mcause, 0);
	end();
}

/* Floating point ------------------------------------------------------------------------------ */

static void f_registers_follow_loads_moves_and_copies(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(64, 64, false);
	predictor.x[5] = 0x80004000, predictor.x[6] = 0x40490FDB;
	ear_shadow_write(&predictor.data, 0x80004000, 0xFF, 0x400921FB54442D18);
	entry = expected(0x0002B087); /* fld f1, 0(x5) */
	assert_true(entry.frd_valid);
	assert_int_equal(entry.frd_addr, 1);
	assert_int_equal(entry.frd_wdata, 0x400921FB54442D18);
	entry = expected(0x0002A107); /* flw f2, 0(x5): boxed */
	assert_int_equal(entry.frd_wdata, 0xFFFFFFFF54442D18);
	entry = expected(0xF00301D3); /* fmv.w.x f3, x6 */
	assert_int_equal(entry.frd_wdata, 0xFFFFFFFF40490FDB);
	entry = expected(0x22108253); /* fsgnj.d f4, f1, f1: a copy */
	assert_int_equal(entry.frd_addr, 4);
	assert_int_equal(entry.frd_wdata, 0x400921FB54442D18);
	entry = expected(0xE2020353); /* fmv.x.d x6, f4 */
	assert_int_equal(entry.rd_wdata, 0x400921FB54442D18);
	entry = expected(0x0042B427); /* fsd f4, 8(x5) */
	assert_int_equal(entry.mem_addr, 0x80004008);
	assert_int_equal(entry.mem_wdata, 0x400921FB54442D18);
	entry = guess(0x02208253); /* fadd.d f4, f1, f2: not worked out */
	assert_true(entry.frd_valid);
	assert_int_equal(entry.frd_wdata, 0);
	entry.frd_wdata = 77;
	assert_int_equal(differs(&entry), EAR_DIFFER_FVALUE);
	assert_int_equal(expected(0xE2020353).rd_wdata, 77);
	end();
}

static void on_rv32_eight_bytes_are_the_lower_four(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 64, false);
	predictor.x[5] = 0x80004000;
	predictor.f[4] = 0x1122334455667788;
	entry = expected(0x0042B027); /* fsd f4, 0(x5) */
	assert_int_equal(entry.mem_wmask, 0xF);
	assert_int_equal(entry.mem_wdata, 0x55667788);
	entry = expected(0x0002B087); /* fld f1, 0(x5) */
	assert_int_equal(entry.mem_rmask, 0xF);
	assert_int_equal(entry.frd_wdata, 0x55667788);
	end();
}

static void flags_are_expected_as_they_were_raised_last(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(32, 32, false);
	entry = guess(0x1820F253); /* fdiv.s f4, f1, f2 */
	assert_int_equal(entry.fflags, 0);
	entry.fflags = 1;
	assert_int_equal(differs(&entry), EAR_DIFFER_FRD);
	assert_int_equal(expected(0x1820F253).fflags, 1);
	assert_int_equal(expected(0x20108253).fflags, 0); /* fsgnj.s raises none */
	assert_int_equal(expected(NOP).fflags, 0);
	assert_int_equal(expected(0x00102373).rd_wdata, 1); /* csrr x6, fflags */
	predictor.x[5] = 0xE0;
	expected(0x00329073);                               /* csrw fcsr, x5 */
	assert_int_equal(expected(0x00202373).rd_wdata, 7); /* csrr x6, frm */
	expected(0x00225073);                               /* csrwi frm, 4 */
	expected(0x0011D073);                               /* csrwi fflags, 3 */
	assert_int_equal(expected(0x00302373).rd_wdata, 0x83);
	end();
}

static void without_f_registers_their_instructions_are_unknown(void **state)
{
	begin(32, 0, false);
	struct ear_retire entry = expected(0x0002A107);

	(void)state;
	assert_false(entry.frd_valid);
	assert_int_equal(entry.mem_addr | entry.mem_rmask, 0);
	assert_int_equal(entry.pc_wdata, PC + 4);
	end();
}

/* Physical addresses -------------------------------------------------------------------------- */

static void physical_addresses_are_as_far_away_as_before(void **state)
{
	struct ear_retire entry;

	(void)state;
	begin(64, 0, true);
	predictor.x[5] = 0x4000;
	entry = guess(LW);
	assert_int_equal(entry.pc_paddr, PC);
	assert_int_equal(entry.mem_paddr, 0x4000);
	entry.pc_paddr = PC + 0x100000000, entry.mem_paddr = 0x9004000;
	assert_int_equal(differs(&entry), EAR_DIFFER_PADDR);
	entry = expected(LW);
	assert_int_equal(entry.pc_paddr, 0x100000000 + PC + 4);
	assert_int_equal(entry.mem_paddr, 0x9004000);
	assert_int_equal(expected(NOP).mem_paddr, 0);
	predictor.x[5] = 0x5000; /* another page */
	assert_int_equal(expected(LW).mem_paddr, 0x5000);
	predictor.x[5] = 0x14000; /* a page with the same place */
	assert_int_equal(expected(LW).mem_paddr, 0x9014000);
	end();
}

/* The encoder trained this and a run in the decoder did not, once. */
static void a_physical_address_of_zero_means_that_there_is_none(void **state)
{
	struct ear_predictor *other = &predictor;
	struct ear_retire entry;

	(void)state;
	begin(64, 0, true);
	other->pc = 0;
	entry = expected(NOP); /* pc 0 lies at 0: from now on there is none */
	assert_int_equal(entry.pc_paddr, 0);
	assert_int_equal(expected(NOP).pc_paddr, 0);
	entry = guess(NOP);
	entry.pc_paddr = 0x7000;
	assert_int_equal(differs(&entry), EAR_DIFFER_PADDR);
	assert_int_equal(expected(NOP).pc_paddr, 0x7004);
	end();
}

/* Digest -------------------------------------------------------------------------------------- */

/* The table of section 6, row by row. */
static uint32_t digest_by_hand(
	uint32_t before, const struct ear_retire *entry, bool floats, bool paddr)
{
	uint64_t words[40];
	unsigned by[40], count = 0;
	uint32_t sum = 0;

#define WORD(rotation, word) (by[count] = (rotation), words[count++] = (word))
	WORD(0, (uint64_t)entry->trap | (uint64_t)entry->halt << 1 | (uint64_t)entry->intr << 2 |
			(uint64_t)entry->irq << 3 | (uint64_t)entry->mode << 4 |
			(uint64_t)entry->ixl << 6 | (uint64_t)entry->debug << 8 |
			(uint64_t)entry->virt << 9 | (uint64_t)entry->rs1_addr << 10 |
			(uint64_t)entry->rs2_addr << 15 | (uint64_t)entry->rd_addr << 20 |
			(uint64_t)entry->csr_count << 25);
	WORD(1, entry->mem_rmask | (uint64_t)entry->mem_wmask << 8);
	WORD(2, entry->order);
	WORD(3, entry->insn);
	WORD(5, entry->pc_rdata);
	WORD(7, entry->pc_wdata);
	WORD(9, entry->rs1_rdata);
	WORD(11, entry->rs2_rdata);
	WORD(13, entry->rd_wdata);
	WORD(15, entry->mem_addr);
	WORD(17, entry->mem_rdata);
	WORD(19, entry->mem_wdata);
	WORD(21, entry->cause);
	if (floats) {
		WORD(23, entry->frd_wdata);
		WORD(25, (uint64_t)entry->frd_valid | (uint64_t)entry->frd_addr << 1 |
				 (uint64_t)entry->fflags << 6);
	}
	if (paddr) {
		WORD(27, entry->pc_paddr);
		WORD(29, entry->mem_paddr);
	}
	for (unsigned i = 0; i < entry->csr_count; i++) {
		WORD(4 + 2 * i, entry->csrs[i].value);
		WORD(6 + 2 * i, entry->csrs[i].number);
	}
#undef WORD
	for (unsigned i = 0; i < count; i++) {
		uint32_t folded = (uint32_t)(words[i] ^ words[i] >> 32);
		for (unsigned k = 0; k < by[i]; k++)
			folded = folded << 1 | folded >> 31;
		sum ^= folded;
	}
	return before << 1 ^ sum ^ (before >> 31 ? 0x04C11DB7 : 0);
}

static void the_digest_is_that_of_the_table(void **state)
{
	struct random random = {21};

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		unsigned xlen = i & 1 ? 64 : 32, flen = i & 2 ? 64 : 0;
		uint32_t digest = 0;
		begin(xlen, flen, i & 4);
		for (unsigned k = 0; k < 3000; k++) {
			struct ear_retire entry;
			retire_random(&entry, &random, xlen);
			entry.order = random_next(&random);
			if (k % 4 == 0) /* and those of a run */
				ear_predictor_run(&predictor, &entry);
			else
				differs(&entry);
			digest = digest_by_hand(digest, &entry, flen != 0, i & 4);
			assert_int_equal(predictor.digest, digest);
		}
		end();
	}
}

/* Sides --------------------------------------------------------------------------------------- */

static void quotients_are_sent_as_they_are(void **state)
{
	struct ear_difference difference;
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	predictor.x[5] = 100, predictor.x[6] = 7;
	entry = guess(0x0262C3B3); /* div x7, x5, x6 */
	assert_int_equal(entry.rd_wdata, 14);
	entry.rd_wdata = 15;
	ear_predictor_encode(&predictor, &entry, &difference);
	assert_int_equal(difference.mask, EAR_DIFFER_RD);
	assert_int_equal(difference.expected, 0);
	entry = guess(0x026283B3); /* mul: the difference to the product */
	entry.rd_wdata++;
	ear_predictor_encode(&predictor, &entry, &difference);
	assert_int_equal(difference.expected, 700);
	end();
}

/* Encoder and decoder come to the same state from the same entry, whatever it is. */
static void both_sides_train_the_same(void **state)
{
	struct random random = {22};

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct ear_geometry geometry;
		struct ear_predictor decoder;
		unsigned xlen = i & 1 ? 64 : 32;
		random_geometry(&geometry, &random);
		struct ear_unit unit = predict_unit(&geometry, xlen, i & 2 ? 64 : 0, i & 4);
		begin_unit(&unit);
		assert_int_equal(ear_predictor_init(&decoder, &unit, &geometry), 0);
		decoder.pc = PC;
		for (unsigned k = 0; k < 300; k++) {
			struct ear_difference difference;
			struct ear_retire entry, got;
			retire_random(&entry, &random, xlen);
			if (!(i & 2)) {
				entry.frd_valid = false;
				entry.frd_addr = entry.fflags = 0, entry.frd_wdata = 0;
			}
			if (!(i & 4))
				entry.pc_paddr = entry.mem_paddr = 0;
			ear_predictor_encode(&predictor, &entry, &difference);
			/* only what differs reaches the other side */
			got = entry;
			if (!(difference.mask & EAR_DIFFER_RS1))
				got.rs1_rdata = 0x5A5A5A5A;
			if (!(difference.mask & EAR_DIFFER_RD))
				got.rd_wdata = 0x5A5A5A5A;
			if (!(difference.mask & EAR_DIFFER_NEXT_PC))
				got.pc_wdata = 0x5A5A5A5A;
			if (difference.from_number)
				got.insn = 0x5A5A5A5A;
			ear_predictor_decode(&decoder, &got, &difference);
			const char *other = retire_difference(&entry, &got);
			if (other)
				fail_msg("round %u, entry %u: %s", i, k, other);
			assert_int_equal(predictor.digest, decoder.digest);
			assert_memory_equal(predictor.x, decoder.x, sizeof(decoder.x));
			assert_memory_equal(predictor.dictionary, decoder.dictionary,
				sizeof(decoder.dictionary));
		}
		ear_predictor_fini(&decoder);
		end();
	}
}

static void fields_that_are_not_known_are_taken_as_expected(void **state)
{
	struct ear_difference difference;
	struct ear_retire entry;

	(void)state;
	begin(32, 0, false);
	predictor.x[5] = 0x80004000;
	ear_shadow_write(&predictor.data, 0x80004000, 0xF, 123);
	entry = guess(LW);
	entry.mem_rdata = entry.rd_wdata = entry.rs1_rdata = 0;
	ear_predictor_resolve(
		&predictor, &entry, &difference, EAR_DIFFER_RDATA | EAR_DIFFER_RS1 | EAR_DIFFER_RD);
	assert_int_equal(difference.mask, 0);
	assert_int_equal(entry.rs1_rdata, 0x80004000);
	assert_int_equal(entry.mem_rdata, 123);
	assert_int_equal(entry.rd_wdata, 123);
	entry = guess(LW); /* what is known counts */
	entry.rd_wdata = 5;
	ear_predictor_resolve(&predictor, &entry, &difference, EAR_DIFFER_RDATA);
	assert_int_equal(difference.mask, EAR_DIFFER_RD);
	assert_int_equal(predictor.x[6], 5);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_hard_sync_nothing_is_known),
		cmocka_unit_test(the_next_entry_follows_the_last_one),
		cmocka_unit_test(opcodes_are_trained_by_address_and_by_number),
		cmocka_unit_test(a_compressed_opcode_is_two_bytes_of_the_cache),
		cmocka_unit_test(registers_are_trained_from_results_and_from_operands),
		cmocka_unit_test(without_operands_the_shadow_is_asked),
		cmocka_unit_test(loads_come_from_the_cache_and_stores_go_there),
		cmocka_unit_test(atomics_write_what_they_make_of_the_data),
		cmocka_unit_test(with_one_cache_code_that_is_written_is_fetched),
		cmocka_unit_test(csr_operations_write_what_the_manual_says),
		cmocka_unit_test(a_value_that_was_read_is_written_back_changed),
		cmocka_unit_test(csrs_share_places_by_their_number),
		cmocka_unit_test(a_list_that_is_cut_trains_the_expected_writes),
		cmocka_unit_test(f_registers_follow_loads_moves_and_copies),
		cmocka_unit_test(on_rv32_eight_bytes_are_the_lower_four),
		cmocka_unit_test(flags_are_expected_as_they_were_raised_last),
		cmocka_unit_test(without_f_registers_their_instructions_are_unknown),
		cmocka_unit_test(physical_addresses_are_as_far_away_as_before),
		cmocka_unit_test(a_physical_address_of_zero_means_that_there_is_none),
		cmocka_unit_test(the_digest_is_that_of_the_table),
		cmocka_unit_test(quotients_are_sent_as_they_are),
		cmocka_unit_test(both_sides_train_the_same),
		cmocka_unit_test(fields_that_are_not_known_are_taken_as_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
