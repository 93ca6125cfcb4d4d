/* The self-check: a program without a fault, and each thing in it that can be wrong. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "library/check/checker.h"

#define DATA 0x80001000u

/* One record with room for all that it points to. */
struct row {
	uint32_t pc, opcode, next_pc;
	int rd; /* -1: none */
	uint32_t value;
	int second; /* an x register that it writes, too; 0: none */
	int access; /* 0: none, 'r', 'w' */
	uint32_t address, data;
	int csr; /* 0: none */
	uint32_t csr_value;
	uint32_t flags, cause;
	uint8_t xlen; /* 0: 32 */
	int read;     /* x register that it read, 0: none is shown */
	uint32_t read_value;
};

/* RV32: loads and stores, branches, CSRs, a trap and the way back, an interrupt. */
static const struct row program[] = {
	{0x80000000, 0x800012b7, 0x80000004, .rd = 5, .value = DATA}, /* lui x5 */
	{0x80000004, 0x00428313, 0x80000008, .rd = 6, .value = DATA + 4,
		.read = 5, /* addi x6, x5 */
		.read_value = DATA},
	{0x80000008, 0x0062a023, 0x8000000c, .rd = -1, .access = 'w', .address = DATA, /* sw x6 */
		.data = DATA + 4},
	{0x8000000c, 0x0002a383, 0x80000010, .rd = 7, .value = DATA + 4, .access = 'r', /* lw x7 */
		.address = DATA, .data = DATA + 4},
	{0x80000010, 0x00730433, 0x80000014, .rd = 8, .value = 0x00002008}, /* add x8, x6, x7 */
	{0x80000014, 0x00730463, 0x8000001c, .rd = -1, .flags = EAR_RECORD_TAKEN}, /* beq x6, x7 */
	{0x8000001c, 0x34031073, 0x80000020, .rd = -1, .csr = 0x340,               /* mscratch */
		.csr_value = DATA + 4},
	{0x80000020, 0x340024f3, 0x80000024, .rd = 9, .value = DATA + 4}, /* csrr x9, mscratch */
	{0x80000024, 0x30529073, 0x80000028, .rd = -1, .csr = 0x305, .csr_value = DATA}, /* mtvec */
	{0x80000028, 0x30435073, 0x8000002c, .rd = -1, .csr = 0x304, .csr_value = 6},    /* mie */
	{0x8000002c, 0x30045073, 0x80000030, .rd = -1, .csr = 0x300, .csr_value = 8}, /* mstatus */
	{0x80000030, 0x00000073, DATA, .rd = -1, .csr = 0x341, .csr_value = 0x80000030, /* ecall */
		.flags = EAR_RECORD_TRAP, .cause = 11},
	{DATA, 0x30200073, 0x80000030, .rd = -1}, /* mret */
	{0x80000030, 0x00000013, DATA, .rd = -1, .csr = 0x341, .csr_value = 0x80000030,
		.flags = EAR_RECORD_INTERRUPT, .cause = 0x80000001},
};

#define ROWS (sizeof(program) / sizeof(program[0]))

struct seen {
	unsigned count;
	uint64_t number;
	unsigned rule;
	char text[EAR_VIOLATION_TEXT_MAX];
};

static int note(void *context, const struct ear_violation *violation)
{
	struct seen *seen = context;

	if (seen->count++ == 0) {
		seen->number = violation->number;
		seen->rule = violation->rule;
		snprintf(seen->text, sizeof(seen->text), "%s", violation->text);
	}
	return 0;
}

static void push_row_at(struct ear_checker *checker, const struct row *row, uint16_t hart,
	uint64_t position, uint64_t index)
{
	struct ear_record_register registers[3];
	struct ear_record_register read = {.reg_class = EAR_REGISTER_X};
	struct ear_record_access access = {.size = 4, .has_value = true};
	struct ear_record_extra extra = {.reads = &read, .read_count = 1};
	struct ear_record record = {
		.kind = EAR_RECORD_INSTRUCTION,
		.hart = hart,
		.index = index,
		.xlen = row->xlen ? row->xlen : 32,
		.privilege = row->flags & EAR_RECORD_NO_PRIVILEGE ? 0 : EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.isa = EAR_ISA_RISCV,
		.flags = row->flags,
		.opcode = row->opcode,
		.pc = row->pc,
		.next_pc = row->next_pc,
		.cause = row->cause,
		.registers = registers,
		.memory = &access,
	};

	memset(registers, 0, sizeof(registers));
	if (row->rd > 0)
		registers[record.register_count++] =
			(struct ear_record_register){.reg_class = EAR_REGISTER_X,
				.number = (uint16_t)row->rd,
				.value = row->value};
	if (row->second)
		registers[record.register_count++] = (struct ear_record_register){
			.reg_class = EAR_REGISTER_X, .number = (uint16_t)row->second, .value = 1};
	if (row->csr)
		registers[record.register_count++] =
			(struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
				.number = (uint16_t)row->csr,
				.value = row->csr_value};
	if (row->access) {
		access.address = row->address;
		access.value = row->data;
		access.write = row->access == 'w';
		record.memory_count = 1;
	}
	if (row->read) {
		read.number = (uint16_t)row->read;
		read.value = row->read_value;
		record.extra = &extra;
	}
	assert_int_equal(ear_checker_push(checker, &record, position, position), 0);
}

static void push_row(
	struct ear_checker *checker, const struct row *row, uint64_t position, uint64_t index)
{
	push_row_at(checker, row, 0, position, index);
}

static struct ear_check_counts run_source(const struct row *rows, size_t count,
	const uint64_t *indexes, struct seen *seen, bool captured)
{
	const struct ear_checker_options options = {
		.captured = captured, .found = note, .context = seen};
	struct ear_checker *checker;

	*seen = (struct seen){.count = 0};
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (size_t i = 0; i < count; i++)
		push_row(checker, &rows[i], i, indexes ? indexes[i] : i);
	struct ear_check_counts counts = *ear_checker_counts(checker);
	ear_checker_free(checker);
	return counts;
}

static struct ear_check_counts run(
	const struct row *rows, size_t count, const uint64_t *indexes, struct seen *seen)
{
	return run_source(rows, count, indexes, seen, true);
}

static void a_program_without_a_fault_has_no_violation(void **state)
{
	struct seen seen;

	(void)state;
	struct ear_check_counts counts = run(program, ROWS, NULL, &seen);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++)
		if (counts.rules[rule].checked == 0 && rule != EAR_CHECK_PMP)
			fail_msg("%s was never checked", ear_check_rule_name(rule));
}

/* A wrong row, the rule that it breaks, and what is said of it. */
struct plant {
	unsigned row;
	struct row wrong;
	unsigned rule;
	const char *text;
};

static const struct plant plants[] = {
	{1, {0x80000004, 0x00428313, 0x80000008, .rd = 6, .value = DATA + 8}, EAR_CHECK_RESULT,
		"x6 is 0x80001008, but addi of x5=0x80001000 and 4 is 0x80001004"},
	{1, {0x80000004, 0x00428313, 0x80000008, .rd = 10, .value = DATA + 4}, EAR_CHECK_RESULT,
		"addi writes x10 instead of x6"},
	{1, {0x80000004, 0x00428313, 0x80000008, .rd = 6, .value = DATA + 4, .second = 7},
		EAR_CHECK_RESULT, "addi writes x7, too"},
	{1, {0x80000004, 0x00428313, 0x80000008, .rd = -1}, EAR_CHECK_RESULT,
		"addi does not write x6"},
	{1, {0x80000004, 0x00428313, 0x8000000c, .rd = 6, .value = DATA + 4}, EAR_CHECK_NEXT_PC,
		"addi at 0x80000004 goes to 0x8000000c, not to 0x80000008"},
	{1,
		{0x80000004, 0x00428313, 0x80000008, .rd = 6, .value = DATA + 8, .read = 5,
			.read_value = DATA + 4},
		EAR_CHECK_OPERAND, "addi reads 0x80001004 from x5, which holds 0x80001000"},
	{1, {0x80000014, 0x00428313, 0x80000018, .rd = 6, .value = DATA + 4}, EAR_CHECK_FLOW,
		"pc is 0x80000014, but the instruction before goes to 0x80000004"},
	{1,
		{0x80000004, 0x00428313, 0x80000008, .rd = 6, .value = DATA + 4, .access = 'r',
			.address = DATA},
		EAR_CHECK_ACCESS, "addi accesses memory at 0x80001000"},
	{2,
		{0x80000008, 0x0062a023, 0x8000000c, .rd = -1, .access = 'w', .address = DATA + 4,
			.data = DATA + 4},
		EAR_CHECK_ACCESS, "sw writes 4 bytes at 0x80001004, not 4 at 0x80001000"},
	{2,
		{0x80000008, 0x0062a023, 0x8000000c, .rd = -1, .access = 'w', .address = DATA,
			.data = DATA},
		EAR_CHECK_STORED, "the value stored of sw is 0x80001000, not 0x80001004"},
	{2, {0x80000008, 0x0062a023, 0x8000000c, .rd = -1}, EAR_CHECK_ACCESS,
		"sw does not write memory"},
	{3,
		{0x8000000c, 0x0002a383, 0x80000010, .rd = 7, .value = 5, .access = 'r',
			.address = DATA, .data = 5},
		EAR_CHECK_LOADED, "lw returns 0x5 from 0x80001000, where 0x80001004 was stored"},
	{3,
		{0x8000000c, 0x0002a383, 0x80000010, .rd = 7, .value = 5, .access = 'r',
			.address = DATA, .data = DATA + 4},
		EAR_CHECK_RESULT, "x7 is 0x5, but lw of x5=0x80001000 is 0x80001004"},
	{5, {0x80000014, 0x00730463, 0x80000018, .rd = -1}, EAR_CHECK_NEXT_PC,
		"beq at 0x80000014 goes to 0x80000018, not to 0x8000001c"},
	{5, {0x80000014, 0x00730463, 0x8000001c, .rd = 3, .value = 1, .flags = EAR_RECORD_TAKEN},
		EAR_CHECK_RESULT, "beq writes x3"},
	{6, {0x8000001c, 0x34031073, 0x80000020, .rd = -1, .csr = 0x340, .csr_value = 1},
		EAR_CHECK_CSR, "the CSR written of csrrw is 0x1, not 0x80001004"},
	{7, {0x80000020, 0x340024f3, 0x80000024, .rd = 9, .value = 1}, EAR_CHECK_CSR,
		"the CSR of csrrs is 0x1, not 0x80001004"},
	{11,
		{0x80000030, 0x00000073, DATA, .rd = -1, .csr = 0x341, .csr_value = 0x80000030,
			.flags = EAR_RECORD_TRAP, .cause = 7},
		EAR_CHECK_TRAP, "ecall cannot trap with cause 0x7"},
	{11,
		{0x80000030, 0x00000073, DATA, .rd = -1, .csr = 0x341, .csr_value = 0x80000034,
			.flags = EAR_RECORD_TRAP, .cause = 11},
		EAR_CHECK_TRAP, "mepc is 0x80000034 after the trap, not 0x80000030"},
	{11,
		{0x80000030, 0x00000073, DATA + 4, .rd = -1, .csr = 0x341, .csr_value = 0x80000030,
			.flags = EAR_RECORD_TRAP, .cause = 11},
		EAR_CHECK_TRAP, "the trap goes to 0x80001004, but the handler is at 0x80001000"},
	{12, {DATA, 0x30200073, 0x80000034, .rd = -1}, EAR_CHECK_RETURN,
		"mret goes to 0x80000034, but mepc is 0x80000030"},
	{13,
		{0x80000030, 0x00000013, DATA, .rd = -1, .csr = 0x341, .csr_value = 0x80000030,
			.flags = EAR_RECORD_INTERRUPT, .cause = 0x80000007},
		EAR_CHECK_INTERRUPT, "interrupt 7 is taken, and mie 0x6 does not enable it"},
};

static void each_fault_is_found_where_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(plants); i++) {
		const struct plant *plant = &plants[i];
		struct row rows[ROWS];
		struct seen seen;

		memcpy(rows, program, sizeof(rows));
		rows[plant->row] = plant->wrong;
		run(rows, ROWS, NULL, &seen);
		if (seen.count == 0)
			fail_msg("not found: %s", plant->text);
		assert_string_equal(seen.text, plant->text);
		assert_int_equal(seen.number, plant->row);
		assert_int_equal(seen.rule, plant->rule);
	}
}

/* Supervisor and user mode ----------------------------------------------------------------------
 */

#define M EAR_PRIVILEGE_M
#define S EAR_PRIVILEGE_S
#define U EAR_PRIVILEGE_U

/* An instruction at pc in a mode; mstatus or sstatus as it shows it, none if -1. */
struct step {
	uint8_t mode;
	uint32_t pc, opcode, next_pc;
	int rd;
	uint32_t value;
	int csr;
	uint32_t csr_value;
	int status; /* 0: none is shown; else 0x300 or 0x100 */
	uint32_t status_value;
	uint32_t flags, cause;
	bool has_tval;
	uint32_t tval;
	uint32_t read, write, stored; /* addresses of an access of 4 bytes, 0: none */
};

#define HANDLER  0x80002000u
#define SHANDLER 0x80003000u

/* Machine mode prepares, mret goes to user mode, ecall to supervisor mode, sret back; a timer
 * interrupt, delegated, and the way back by sret; a load that faults goes to machine mode. */
static const struct step steps[] = {
	{M, 0x80000000, 0x80002537, 0x80000004, .rd = 10, .value = HANDLER},          /* lui */
	{M, 0x80000004, 0x800035b7, 0x80000008, .rd = 11, .value = SHANDLER},         /* lui */
	{M, 0x80000008, 0x30551073, 0x8000000c, .csr = 0x305, .csr_value = HANDLER},  /* mtvec */
	{M, 0x8000000c, 0x10559073, 0x80000010, .csr = 0x105, .csr_value = SHANDLER}, /* stvec */
	{M, 0x80000010, 0x10000613, 0x80000014, .rd = 12, .value = 0x100},            /* addi */
	{M, 0x80000014, 0x30261073, 0x80000018, .csr = 0x302, .csr_value = 0x100},    /* medeleg */
	{M, 0x80000018, 0x02000693, 0x8000001c, .rd = 13, .value = 0x20},             /* addi */
	{M, 0x8000001c, 0x30369073, 0x80000020, .csr = 0x303, .csr_value = 0x20},     /* mideleg */
	{M, 0x80000020, 0x30469073, 0x80000024, .csr = 0x304, .csr_value = 0x20},     /* mie */
	{M, 0x80000024, 0x30005073, 0x80000028, .csr = 0x300, .csr_value = 0},        /* mstatus */
	{M, 0x80000028, 0x34151073, 0x8000002c, .csr = 0x341, .csr_value = HANDLER},  /* mepc */
	{M, 0x8000002c, 0x30200073, HANDLER, .status = 0x300, .status_value = 0x80},  /* mret */
	{U, HANDLER, 0x00000073, SHANDLER, .flags = EAR_RECORD_TRAP, .cause = 8,      /* ecall */
		.csr = 0x141, .csr_value = HANDLER, .status = 0x100, .status_value = 0,
		.has_tval = true},
	{S, SHANDLER, 0x10200073, HANDLER, .status = 0x100, .status_value = 0x20}, /* sret */
	{U, HANDLER, 0x00000013, SHANDLER, .flags = EAR_RECORD_INTERRUPT, .cause = 0x80000005,
		.csr = 0x141, .csr_value = HANDLER, .status = 0x100, .status_value = 0,
		.has_tval = true},
	{S, SHANDLER, 0x10002773, SHANDLER + 4, .rd = 14, .value = 0},               /* csrr */
	{S, SHANDLER + 4, 0x00052783, HANDLER, .flags = EAR_RECORD_TRAP, .cause = 5, /* lw */
		.csr = 0x341, .csr_value = SHANDLER + 4, .status = 0x300, .status_value = 0x800,
		.has_tval = true, .tval = HANDLER},
	{M, HANDLER, 0x300027f3, HANDLER + 4, .rd = 15, .value = 0x800}, /* csrr */
	{M, HANDLER + 4, 0x00000013, HANDLER + 8, .rd = 0},
};

#define STEPS COUNT_OF(steps)

static void push_step(struct ear_checker *checker, const struct step *step, uint64_t number)
{
	struct ear_record_register registers[4];
	struct ear_record_access access = {.address = step->write ? step->write : step->read,
		.size = 4,
		.write = step->write != 0,
		.value = step->write ? step->stored : step->value,
		.has_value = true};
	struct ear_record record = {
		.kind = EAR_RECORD_INSTRUCTION,
		.index = number,
		.xlen = 32,
		.privilege = step->mode,
		.opcode_size = 4,
		.isa = EAR_ISA_RISCV,
		.flags = step->flags,
		.opcode = step->opcode,
		.pc = step->pc,
		.next_pc = step->next_pc,
		.cause = step->cause,
		.registers = registers,
		.memory = &access,
		.memory_count = step->write || step->read,
	};
	bool machine = step->csr == 0x341;
	size_t count = 0;

	memset(registers, 0, sizeof(registers));
	if (step->rd)
		registers[count++] = (struct ear_record_register){.reg_class = EAR_REGISTER_X,
			.number = (uint16_t)step->rd,
			.value = step->value};
	if (step->csr)
		registers[count++] = (struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
			.number = (uint16_t)step->csr,
			.value = step->csr_value};
	if (step->has_tval)
		registers[count++] = (struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
			.number = machine ? 0x343 : 0x143,
			.value = step->tval};
	if (step->status)
		registers[count++] = (struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
			.number = (uint16_t)step->status,
			.value = step->status_value};
	record.register_count = count;
	assert_int_equal(ear_checker_push(checker, &record, number, number), 0);
}

static struct ear_check_counts run_steps_of(
	const struct step *rows, size_t count, struct seen *seen, bool captured)
{
	const struct ear_checker_options options = {
		.captured = captured, .found = note, .context = seen};
	struct ear_checker *checker;

	*seen = (struct seen){.count = 0};
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (size_t i = 0; i < count; i++)
		push_step(checker, &rows[i], i);
	struct ear_check_counts counts = *ear_checker_counts(checker);
	ear_checker_free(checker);
	return counts;
}

static struct ear_check_counts run_steps(const struct step *rows, size_t count, struct seen *seen)
{
	return run_steps_of(rows, count, seen, true);
}

static void modes_without_a_fault_have_no_violation(void **state)
{
	struct seen seen;

	(void)state;
	struct ear_check_counts counts = run_steps(steps, STEPS, &seen);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
	assert_int_equal(counts.rules[EAR_CHECK_INTERRUPT].checked, 1);
	assert_int_equal(counts.rules[EAR_CHECK_RETURN].checked, 4); /* xEPC and xSTATUS, twice */
}

/* One member of a step is made wrong. */
struct slip {
	unsigned row;
	size_t member;
	uint32_t value;
	unsigned rule;
	const char *text;
};

#define MEMBER(name) offsetof(struct step, name)

static const struct slip slips[] = {
	{11, MEMBER(status_value), 0x88, EAR_CHECK_RETURN, "mstatus.MIE is 1 after mret, not 0"},
	{11, MEMBER(status_value), 0x00, EAR_CHECK_RETURN, "mstatus.MPIE is 0 after mret, not 1"},
	{12, MEMBER(status_value), 0x100, EAR_CHECK_TRAP, "mstatus.SPP is 1 after the trap, not 0"},
	{12, MEMBER(status_value), 0x20, EAR_CHECK_TRAP, "mstatus.SPIE is 1 after the trap, not 0"},
	{12, MEMBER(status_value), 0x40000, EAR_CHECK_TRAP,
		"mstatus.SUM is 1 after the trap, not 0"},
	{12, MEMBER(tval), 8, EAR_CHECK_TRAP, "stval is 0x8 after the trap, not 0"},
	{12, MEMBER(csr), 0x341, EAR_CHECK_TRAP,
		"the trap with cause 0x8 goes to machine mode, not to supervisor mode"},
	{12, MEMBER(cause), 9, EAR_CHECK_TRAP, "ecall cannot trap with cause 0x9"},
	{12, MEMBER(next_pc), HANDLER, EAR_CHECK_TRAP,
		"the trap goes to 0x80002000, but the handler is at 0x80003000"},
	{13, MEMBER(status_value), 0x120, EAR_CHECK_RETURN, "mstatus.SPP is 1 after sret, not 0"},
	{13, MEMBER(status_value), 0x22, EAR_CHECK_RETURN, "mstatus.SIE is 1 after sret, not 0"},
	{13, MEMBER(next_pc), HANDLER + 4, EAR_CHECK_RETURN,
		"sret goes to 0x80002004, but sepc is 0x80002000"},
	{14, MEMBER(cause), 0x80000009, EAR_CHECK_INTERRUPT,
		"interrupt 9 is taken, and mie 0x20 does not enable it"},
	{14, MEMBER(csr), 0x341, EAR_CHECK_INTERRUPT,
		"interrupt 5 goes to machine mode, and mideleg 0x20 delegates it"},
	{14, MEMBER(tval), 4, EAR_CHECK_TRAP, "stval is 0x4 after the trap, not 0"},
	{15, MEMBER(value), 0x100, EAR_CHECK_CSR, "mstatus.SPP is 1 where it is read, not 0"},
	{16, MEMBER(status_value), 0x1800, EAR_CHECK_TRAP,
		"mstatus.MPP is 3 after the trap, not 1"},
	{16, MEMBER(tval), HANDLER + 4, EAR_CHECK_TRAP,
		"mtval is 0x80002004 after the trap, and neither 0 nor 0x80002000"},
	{17, MEMBER(value), 0x808, EAR_CHECK_CSR, "mstatus.MIE is 1 where it is read, not 0"},
};

static void what_is_wrong_of_traps_and_modes_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(slips); i++) {
		const struct slip *slip = &slips[i];
		struct step rows[STEPS];
		struct seen seen;

		memcpy(rows, steps, sizeof(rows));
		memcpy((char *)&rows[slip->row] + slip->member, &slip->value, sizeof(slip->value));
		run_steps(rows, STEPS, &seen);
		if (seen.count == 0)
			fail_msg("not found: %s", slip->text);
		assert_string_equal(seen.text, slip->text);
		assert_int_equal(seen.number, slip->row);
		assert_int_equal(seen.rule, slip->rule);
	}
}

static void the_privilege_changes_by_traps_and_returns_only(void **state)
{
	static const struct {
		unsigned row;
		uint8_t mode;
		const char *text;
	} wrong[] = {
		{5, S, "the privilege is S, but that after the instruction before is M"},
		{12, S, "the privilege is S, but that after the instruction before is U"},
		{15, M, "the privilege is M, but that after the instruction before is S"},
		{17, U, "the privilege is U, but that after the instruction before is M"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct step rows[STEPS];
		struct seen seen;

		memcpy(rows, steps, sizeof(rows));
		rows[wrong[i].row].mode = wrong[i].mode;
		run_steps(rows, STEPS, &seen);
		assert_string_equal(seen.text, wrong[i].text);
		assert_int_equal(seen.number, wrong[i].row);
		assert_int_equal(seen.rule, EAR_CHECK_FLOW);
	}
}

/* A hart that has machine mode alone: MPP stays 3. */
static void one_wrong_privilege_of_a_text_is_one_violation(void **state)
{
	static const struct step rows[] = {
		{M, 0x80000000, 0x30551073, 0x80000004, .csr = 0x305, .csr_value = HANDLER},
		{M, 0x80000004, 0x00000013, 0x80000008, .rd = 0},
		{U, 0x80000008, 0x00000013, 0x8000000c, .rd = 0}, /* wrong */
		{M, 0x8000000c, 0x00000013, 0x80000010, .rd = 0},
		{M, 0x80000010, 0x00000073, HANDLER, .flags = EAR_RECORD_TRAP, .cause = 11,
			.csr = 0x341, .csr_value = 0x80000010, .status = 0x300,
			.status_value = 0x1800},
		{M, HANDLER, 0x30200073, 0x80000010, .status = 0x300, .status_value = 0x1880},
		{M, 0x80000010, 0x00000013, 0x80000014, .rd = 0},
	};
	struct seen seen;

	(void)state;
	run_steps_of(rows, COUNT_OF(rows), &seen, false);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 2);
	assert_string_equal(
		seen.text, "the privilege is U, but that after the instruction before is M");
}

/* As Spike shows it: of VS the mode is S, and sscratch is vsscratch. */
static void a_virtual_machine_that_shows_as_supervisor_mode_has_no_violation(void **state)
{
	static const struct step rows[] = {
		{M, 0x80000000, 0x00000013, 0x80000004, .csr = 0x600, .csr_value = 0x80},
		{M, 0x80000004, 0x30551073, 0x80000008, .csr = 0x305, .csr_value = HANDLER},
		{M, 0x80000008, 0x14055073, 0x8000000c, .csr = 0x140, .csr_value = 10},
		{M, 0x8000000c, 0x34155073, 0x80000010, .csr = 0x341, .csr_value = 0x80000020},
		{M, 0x80000010, 0x30200073, 0x80000020, .rd = 0}, /* mret */
		{S, 0x80000020, 0x1402d073, 0x80000024, .csr = 0x240, .csr_value = 5},
		{S, 0x80000024, 0x14002573, 0x80000028, .rd = 10, .value = 5},
		{S, 0x80000028, 0x00000073, HANDLER, .flags = EAR_RECORD_TRAP, .cause = 10},
		{M, HANDLER, 0x14002573, HANDLER + 4, .rd = 10, .value = 10}, /* csrr sscratch */
	};
	struct seen seen;

	(void)state;
	run_steps_of(rows, COUNT_OF(rows), &seen, false);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
}

/* A port without the signal for the privilege says that all is in user mode. */
static void a_port_without_the_privilege_has_no_violation(void **state)
{
	struct step rows[STEPS];
	struct seen seen;

	(void)state;
	memcpy(rows, steps, sizeof(rows));
	for (size_t i = 0; i < STEPS; i++)
		rows[i].mode = U;
	run_steps(rows, STEPS, &seen);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
}

/* Of mie a core has some bits; which, its writes show. */
static void a_bit_of_a_csr_that_was_kept_is_kept_again(void **state)
{
	struct step rows[] = {
		{M, 0x80000000, 0xfff00513, 0x80000004, .rd = 10, .value = 0xffffffff}, /* addi */
		{M, 0x80000004, 0x30451073, 0x80000008, .csr = 0x304, .csr_value = 0x888},
		{M, 0x80000008, 0x30405073, 0x8000000c, .csr = 0x304, .csr_value = 0},
		{M, 0x8000000c, 0x30451073, 0x80000010, .csr = 0x304, .csr_value = 0x888},
	};
	struct seen seen;

	(void)state;
	struct ear_check_counts counts = run_steps(rows, COUNT_OF(rows), &seen);
	assert_int_equal(seen.count, 0);
	assert_int_equal(counts.rules[EAR_CHECK_CSR].checked, 1);
	assert_int_equal(counts.rules[EAR_CHECK_CSR].unchecked[EAR_CHECK_UNKNOWN], 2);
	rows[3].csr_value = 0x880;
	run_steps(rows, COUNT_OF(rows), &seen);
	assert_string_equal(seen.text,
		"what was written was 0xffffffff, and the CSR holds 0x880; bits 0x8 did otherwise "
		"before");
	rows[3].csr_value = 0x988;
	run_steps(rows, COUNT_OF(rows), &seen);
	assert_int_equal(seen.rule, EAR_CHECK_CSR);
}

/* Flags of floating point gather in fflags. */
static void the_flags_of_floating_point_are_read(void **state)
{
	struct step rows[] = {
		{M, 0x80000000, 0x0032d073, 0x80000004, .csr = 3, .csr_value = 5}, /* fcsr */
		{M, 0x80000004, 0x00302573, 0x80000008, .rd = 10, .value = 5},
		{M, 0x80000008, 0x00202573, 0x8000000c, .rd = 10, .value = 0},
		{M, 0x8000000c, 0x00102573, 0x80000010, .rd = 10, .value = 5},
	};
	struct seen seen;

	(void)state;
	run_steps(rows, COUNT_OF(rows), &seen);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
	for (unsigned i = 1; i < COUNT_OF(rows); i++) {
		rows[i].value ^= 4;
		run_steps(rows, COUNT_OF(rows), &seen);
		assert_int_equal(seen.number, i);
		assert_int_equal(seen.rule, EAR_CHECK_CSR);
		rows[i].value ^= 4;
	}
}

/* Accesses in pieces ----------------------------------------------------------------------------
 */

/* RV32 with D: fld f1, 0(x0) and fsd f1, 16(x0), by a port that shows what pieces says. */
struct piece {
	bool write;
	uint64_t address;
	uint8_t size;
	uint64_t value;
};

struct piecewise {
	uint32_t opcode;
	int f; /* the f register that it writes; 0: none */
	uint64_t value;
	struct piece pieces[2];
};

#define FLD      UINT32_C(0x00003087) /* f1 */
#define FSD      UINT32_C(0x00103827) /* f1 */
#define FLD_BACK UINT32_C(0x01003107) /* f2 = what fsd stored */
#define LW_UPPER UINT32_C(0x01402283) /* x5 = its upper half */
#define DOUBLE   UINT64_C(0x1122334455667788)

static void run_pieces(const struct piecewise *rows, size_t count, bool captured, struct seen *seen,
	struct ear_check_counts *counts)
{
	const struct ear_checker_options options = {
		.captured = captured, .found = note, .context = seen};
	struct ear_checker *checker;

	*seen = (struct seen){.count = 0};
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (size_t i = 0; i < count; i++) {
		struct ear_record_access accesses[2];
		struct ear_record_register written = {.reg_class = EAR_REGISTER_F,
			.number = (uint16_t)rows[i].f,
			.value = rows[i].value};
		struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
			.index = i,
			.xlen = 32,
			.privilege = EAR_PRIVILEGE_M,
			.opcode_size = 4,
			.isa = EAR_ISA_RISCV,
			.opcode = rows[i].opcode,
			.pc = 4 * i,
			.next_pc = 4 * i + 4,
			.registers = &written,
			.register_count = rows[i].f != 0,
			.memory = accesses};
		if (rows[i].opcode == LW_UPPER)
			written.reg_class = EAR_REGISTER_X;
		memset(accesses, 0, sizeof(accesses));
		for (; record.memory_count < 2 && rows[i].pieces[record.memory_count].size > 0;
			record.memory_count++) {
			const struct piece *piece = &rows[i].pieces[record.memory_count];
			accesses[record.memory_count] =
				(struct ear_record_access){.address = piece->address,
					.size = piece->size,
					.value = piece->value,
					.write = piece->write,
					.has_value = true};
		}
		assert_int_equal(ear_checker_push(checker, &record, i, i), 0);
	}
	*counts = *ear_checker_counts(checker);
	ear_checker_free(checker);
}

static const struct piecewise in_two[] = {
	{FLD, 1, DOUBLE, {{false, 0, 4, 0x55667788}, {false, 4, 4, 0x11223344}}},
	{FSD, 0, 0, {{true, 16, 4, 0x55667788}, {true, 20, 4, 0x11223344}}},
	{FLD_BACK, 2, DOUBLE, {{false, 20, 4, 0x11223344}, {false, 16, 4, 0x55667788}}},
	{LW_UPPER, 5, 0x11223344, {{false, 20, 4, 0x11223344}}},
};

/* The port has no room for more. */
static const struct piecewise in_half[] = {
	{FLD, 1, DOUBLE, {{false, 0, 4, 0x55667788}}},
	{FSD, 0, 0, {{true, 16, 4, 0x55667788}}},
	{FLD_BACK, 2, DOUBLE, {{false, 16, 4, 0x55667788}}},
	{LW_UPPER, 5, 0x11223344, {{false, 20, 4, 0x11223344}}},
};

/* The text log of Whisper has a column of 32 bits, and no loads. */
static const struct piecewise in_text[] = {
	{FLD, 1, DOUBLE, {{false, 0, 8, DOUBLE}}},
	{FSD, 0, 0, {{true, 16, 8, 0x55667788}}},
	{FLD_BACK, 2, DOUBLE, {{false, 16, 8, DOUBLE}}},
	{LW_UPPER, 5, 0x11223344, {{false, 20, 4, 0x11223344}}},
};

static void a_double_on_a_port_of_32_bits_is_checked(void **state)
{
	static const struct piecewise *const ways[] = {in_two, in_half, in_text};
	struct ear_check_counts counts;
	struct seen seen;

	(void)state;
	for (size_t way = 0; way < COUNT_OF(ways); way++) {
		run_pieces(ways[way], 4, ways[way] != in_text, &seen, &counts);
		if (seen.count > 0)
			fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
		assert_int_equal(counts.rules[EAR_CHECK_ACCESS].checked, 4);
		assert_int_equal(counts.rules[EAR_CHECK_STORED].checked, 1);
		assert_int_equal(counts.rules[EAR_CHECK_RESULT].checked, 3);
		assert_int_equal(counts.rules[EAR_CHECK_LOADED].checked,
			ways[way] == in_text ? 2 : 3); /* halves count twice */
	}
}

static void what_is_wrong_of_a_double_in_pieces_is_found(void **state)
{
	static const struct {
		const struct piecewise *rows;
		unsigned row;
		struct piecewise wrong;
		unsigned rule;
	} plants_of_pieces[] = {
		{in_two, 0,
			{FLD, 1, DOUBLE ^ 1,
				{{false, 0, 4, 0x55667788}, {false, 4, 4, 0x11223344}}},
			EAR_CHECK_RESULT},
		{in_two, 0,
			{FLD, 1, DOUBLE, {{false, 8, 4, 0x55667788}, {false, 12, 4, 0x11223344}}},
			EAR_CHECK_ACCESS},
		{in_two, 1, {FSD, 0, 0, {{true, 16, 4, 0x55667788}, {true, 20, 4, 0x11223345}}},
			EAR_CHECK_STORED},
		{in_two, 3, {LW_UPPER, 5, 7, {{false, 20, 4, 7}}}, EAR_CHECK_LOADED},
		{in_half, 0, {FLD, 1, DOUBLE ^ 1, {{false, 0, 4, 0x55667788}}}, EAR_CHECK_RESULT},
		{in_half, 1, {FSD, 0, 0, {{true, 16, 4, 0x55667789}}}, EAR_CHECK_STORED},
		{in_half, 2,
			{FLD_BACK, 2, DOUBLE ^ UINT64_C(1) << 60, {{false, 16, 4, 0x55667788}}},
			EAR_CHECK_LOADED},
		{in_half, 3, {LW_UPPER, 5, 7, {{false, 20, 4, 7}}}, EAR_CHECK_LOADED},
		{in_text, 1, {FSD, 0, 0, {{true, 16, 8, 0x55667789}}}, EAR_CHECK_STORED},
		{in_text, 1, {FSD, 0, 0, {{true, 16, 8, DOUBLE ^ UINT64_C(1) << 60}}},
			EAR_CHECK_STORED},
	};
	struct ear_check_counts counts;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(plants_of_pieces); i++) {
		struct piecewise rows[4];
		struct seen seen;

		memcpy(rows, plants_of_pieces[i].rows, sizeof(rows));
		rows[plants_of_pieces[i].row] = plants_of_pieces[i].wrong;
		run_pieces(rows, 4, plants_of_pieces[i].rows != in_text, &seen, &counts);
		if (seen.count == 0)
			fail_msg("plant %zu is not found", i);
		assert_int_equal(seen.number, plants_of_pieces[i].row);
		assert_int_equal(seen.rule, plants_of_pieces[i].rule);
	}
}

/* Pieces that overlap, or leave a hole, are none of the access: then only memory is followed. */
static void pieces_that_make_up_no_access_are_not_judged(void **state)
{
	static const struct piece odd[][2] = {
		{{false, 0, 4, 1}, {false, 8, 4, 1}},
		{{false, 0, 4, 1}, {false, 2, 4, 1}},
		{{false, 0, 4, 1}, {true, 4, 4, 1}},
		{{false, 0xfffffffc, 8, 1}, {false, 0, 8, 1}},
		{{false, UINT64_MAX - 3, 4, 1}, {false, 0, 8, 1}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(odd); i++) {
		struct piecewise row = {FLD, 1, 1, {odd[i][0], odd[i][1]}};
		struct ear_check_counts counts;
		struct seen seen;

		run_pieces(&row, 1, true, &seen, &counts);
		assert_int_equal(seen.count, 0);
		assert_int_equal(counts.rules[EAR_CHECK_ACCESS].unchecked[EAR_CHECK_ABSENT], 1);
	}
}

static void an_index_that_goes_back_is_found(void **state)
{
	static const uint64_t back[] = {5, 6, 6}, ahead[] = {5, 6, 9};
	struct seen seen;

	(void)state;
	run(program, 3, back, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.rule, EAR_CHECK_ORDER);
	run(program, 3, ahead, &seen);
	assert_int_equal(seen.count, 0);
}

/* Spike writes of an instruction that traps no privilege, and QEMU4V has no word for traps: there
 * the CSRs say it. What they say is judged all the same. */
static void texts_that_show_less_of_a_trap_have_no_violation(void **state)
{
	static const uint32_t flags[] = {EAR_RECORD_TRAP | EAR_RECORD_NO_PRIVILEGE, 0};
	struct row rows[ROWS];
	struct seen seen;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		memcpy(rows, program, sizeof(rows));
		rows[11].flags = flags[i];
		run_source(rows, ROWS, NULL, &seen, false);
		if (seen.count > 0)
			fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
		rows[11].next_pc = rows[12].pc = DATA + 8;
		run_source(rows, ROWS, NULL, &seen, false);
		assert_int_equal(seen.number, 11);
		assert_int_equal(seen.rule, EAR_CHECK_TRAP);
	}
	rows[11].flags = EAR_RECORD_TRAP | EAR_RECORD_NO_PRIVILEGE;
	rows[11].cause = 7;
	run_source(rows, ROWS, NULL, &seen, false);
	assert_string_equal(seen.text, "ecall cannot trap with cause 0x7");
}

/* Where a text may leave out interrupts: the program can go on at their handler, and nowhere else.
 */
static void a_text_that_goes_on_elsewhere_is_found(void **state)
{
	struct row rows[ROWS];
	struct seen seen;

	(void)state;
	memcpy(rows, program, sizeof(rows));
	rows[10].pc = DATA;
	rows[10].next_pc = DATA + 4;
	rows[11].pc = rows[11].csr_value = DATA + 4;
	rows[12].next_pc = rows[13].pc = rows[13].csr_value = DATA + 4;
	run_source(rows, ROWS, NULL, &seen, false);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
	rows[10].pc = 0x80000038;
	rows[10].next_pc = 0x8000003c;
	rows[11].pc = rows[11].csr_value = 0x8000003c;
	rows[12].next_pc = rows[13].pc = rows[13].csr_value = 0x8000003c;
	run_source(rows, ROWS, NULL, &seen, false);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 10);
	assert_int_equal(seen.rule, EAR_CHECK_FLOW);
}

/* Whisper does not show where a trap and mret go; the next record does. */
static void what_a_write_of_mstatus_does_not_change_stays(void **state)
{
	static const struct step rows[] = {
		{M, 0x80000000, 0x30001073, 0x80000004, .csr = 0x300, .csr_value = 0x1800},
		{M, 0x80000004, 0x30046073, 0x80000008, .csr = 0x300,
			.csr_value = 0x1808}, /* MIE */
		/* SIE of sstatus, as Spike shows it */
		{M, 0x80000008, 0x10016073, 0x8000000c, .csr = 0x300, .csr_value = 0x180a},
		{M, 0x8000000c, 0x10016073, 0x80000010, .csr = 0x100, .csr_value = 2},
		{M, 0x80000010, 0x30002573, 0x80000014, .rd = 10, .value = 0x180a},
	};
	static const struct slip wrong[] = {
		{1, MEMBER(csr_value), 0x21808, EAR_CHECK_CSR,
			"mstatus.MPRV is 1 as written, not 0"},
		{1, MEMBER(csr_value), 0x0008, EAR_CHECK_CSR, "mstatus.MPP is 0 as written, not 3"},
		{2, MEMBER(csr_value), 0x1802, EAR_CHECK_CSR, "mstatus.MIE is 0 as written, not 1"},
		{3, MEMBER(csr_value), 0x22, EAR_CHECK_CSR, "mstatus.SPIE is 1 as written, not 0"},
	};
	struct seen seen;

	(void)state;
	run_steps(rows, COUNT_OF(rows), &seen);
	assert_int_equal(seen.count, 0);
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct step with[COUNT_OF(rows)];
		memcpy(with, rows, sizeof(with));
		memcpy((char *)&with[wrong[i].row] + wrong[i].member, &wrong[i].value,
			sizeof(wrong[i].value));
		run_steps(with, COUNT_OF(with), &seen);
		assert_string_equal(seen.text, wrong[i].text);
		assert_int_equal(seen.number, wrong[i].row);
	}
}

static void an_access_that_trapped_is_where_the_instruction_says(void **state)
{
	struct step rows[] = {
		{M, 0x80000000, 0x80002537, 0x80000004, .rd = 10, .value = HANDLER},
		{M, 0x80000004, 0x00052583, HANDLER, .flags = EAR_RECORD_TRAP, .cause = 5,
			.csr = 0x341, .csr_value = 0x80000004, .read = HANDLER + 3},
	};
	struct seen seen;

	(void)state;
	struct ear_check_counts counts = run_steps(rows, COUNT_OF(rows), &seen);
	assert_int_equal(seen.count, 0);
	assert_int_equal(counts.rules[EAR_CHECK_ACCESS].checked, 1);
	rows[1].read = HANDLER + 4;
	run_steps(rows, COUNT_OF(rows), &seen);
	assert_string_equal(seen.text, "lw traps at 0x80002004, not at 0x80002000");
	assert_int_equal(seen.rule, EAR_CHECK_ACCESS);
}

/* A text that begins after mtvec was written. */
static struct ear_check_counts run_text(
	const struct step *rows, size_t count, bool shows_interrupts, struct seen *seen)
{
	const struct ear_checker_options options = {
		.shows_interrupts = shows_interrupts, .found = note, .context = seen};
	struct ear_checker *checker;

	*seen = (struct seen){.count = 0};
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (size_t i = 0; i < count; i++)
		push_step(checker, &rows[i], i);
	struct ear_check_counts counts = *ear_checker_counts(checker);
	ear_checker_free(checker);
	return counts;
}

#define NOP(at) \
	{ \
		M, at, 0x00000013, (at) + 4, .rd = 0 \
	}

static void a_jump_to_where_no_handler_is_known_to_be_is_judged_by_the_format(void **state)
{
	static const struct step wrong_pc[] = {NOP(0x80000000), NOP(0x80000010), NOP(0x80000008)};
	static const struct step swapped[] = {
		NOP(0x80000000), NOP(0x80000008), NOP(0x80000004), NOP(0x8000000c)};
	static const struct step away[] = {
		NOP(0x80000000), NOP(0x80000010), NOP(0x80000014), NOP(0x80000018)};
	struct ear_check_counts counts;
	struct seen seen;

	(void)state;
	/* Each interrupt is a record. */
	run_text(wrong_pc, COUNT_OF(wrong_pc), true, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 1);
	assert_int_equal(seen.rule, EAR_CHECK_FLOW);
	run_text(away, COUNT_OF(away), true, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 1);
	/* Interrupts are left out: the handler may be there, but the program does not come back by
	 * itself. */
	run_text(wrong_pc, COUNT_OF(wrong_pc), false, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 2);
	run_text(swapped, COUNT_OF(swapped), false, &seen);
	assert_int_not_equal(seen.count, 0);
	assert_int_equal(seen.number, 2);
	counts = run_text(away, COUNT_OF(away), false, &seen);
	assert_int_equal(seen.count, 0);
	assert_int_equal(counts.rules[EAR_CHECK_FLOW].unchecked[EAR_CHECK_UNKNOWN], 2);
}

/* As of a log of commits alone: where an instruction goes is where the next line is. */
static void a_text_that_leaves_interrupts_out_has_no_violation(void **state)
{
	struct step rows[] = {
		{M, 0x80000000, 0x30551073, 0x80000004, .csr = 0x305, .csr_value = HANDLER},
		{M, 0x80000004, 0x30045073, 0x80000008, .csr = 0x300, .csr_value = 8},
		{M, 0x80000008, 0x00000013, HANDLER, .rd = 0}, /* then an interrupt */
		{M, HANDLER, 0x30002573, HANDLER + 4, .rd = 10, .value = 0x1880},
		{M, HANDLER + 4, 0x341025f3, HANDLER + 8, .rd = 11, .value = 0x8000000c},
		{M, HANDLER + 8, 0x30200073, HANDLER, .rd = 0}, /* mret, and another one */
		NOP(HANDLER),
	};
	struct ear_check_counts counts;
	struct seen seen;

	(void)state;
	counts = run_text(rows, COUNT_OF(rows), false, &seen);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
	assert_int_equal(counts.rules[EAR_CHECK_NEXT_PC].unchecked[EAR_CHECK_ABSENT], 1);
	assert_int_equal(counts.rules[EAR_CHECK_RETURN].unchecked[EAR_CHECK_ABSENT], 2);
	rows[2].next_pc = HANDLER + 4;
	run_text(rows, 3, false, &seen);
	assert_int_equal(seen.number, 2);
	assert_int_equal(seen.rule, EAR_CHECK_NEXT_PC);
	/* Where the handler is not known, a jump and back is none. */
	struct step jump[] = {
		{M, 0x80000000, 0x00000013, 0x80000010, .rd = 0},
		{M, 0x80000010, 0x00000013, 0x80000008, .rd = 0},
	};
	run_text(jump, COUNT_OF(jump), false, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 1);
}

/* As of Rocket, which prints no instruction that traps: the first mret leads to another ecall. */
static void a_return_to_an_unknown_place_may_hide_a_trap(void **state)
{
	struct step rows[] = {
		NOP(0x80000000),
		{M, 0x80000004, 0x30200073, 0x80000008, .rd = 0}, /* mret, MPIE is 1 now */
		{M, 0x80000008, 0x30200073, 0x8000000c,
			.rd = 0}, /* mret behind a trap with MIE 0 */
		{M, 0x8000000c, 0x300022f3, 0x80000010, .rd = 5, .value = 0x1880},
	};
	struct seen seen;

	(void)state;
	run_text(rows, COUNT_OF(rows), false, &seen);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
}

static void a_handler_is_where_a_trap_led_before(void **state)
{
	struct step rows[] = {
		{M, 0x80000000, 0x00000073, HANDLER, .flags = EAR_RECORD_TRAP, .cause = 11,
			.csr = 0x341, .csr_value = 0x80000000},
		{M, HANDLER, 0x34155073, HANDLER + 4, .csr = 0x341, .csr_value = 0x80000004},
		{M, HANDLER + 4, 0x30200073, 0x80000004, .rd = 0}, NOP(0x80000004),
		NOP(HANDLER), /* an interrupt that the text leaves out */
	};
	struct ear_check_counts counts;
	struct seen seen;

	(void)state;
	counts = run_text(rows, COUNT_OF(rows), false, &seen);
	assert_int_equal(seen.count, 0);
	assert_int_equal(counts.rules[EAR_CHECK_FLOW].unchecked[EAR_CHECK_ABSENT], 1);
	/* Where each interrupt is a record, none is left out. */
	run_text(rows, COUNT_OF(rows), true, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 4);
	rows[4] = (struct step)NOP(HANDLER + 8);
	run_text(rows, COUNT_OF(rows), true, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.number, 4);
}

static void where_a_text_does_not_say_where_it_goes_the_next_record_does(void **state)
{
	struct row rows[ROWS];
	struct seen seen;

	(void)state;
	memcpy(rows, program, sizeof(rows));
	rows[5].flags |= EAR_RECORD_NO_NEXT_PC;
	rows[11].flags |= EAR_RECORD_NO_NEXT_PC;
	rows[12].flags |= EAR_RECORD_NO_NEXT_PC;
	rows[13].flags = 0;
	rows[13].csr = 0;
	rows[13].next_pc = 0x80000034;
	run_source(rows, ROWS, NULL, &seen, false);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
	rows[13].pc = 0x80000040;
	rows[13].next_pc = 0x80000044;
	run_source(rows, ROWS, NULL, &seen, false);
	assert_int_equal(seen.number, 13);
	assert_int_equal(seen.rule, EAR_CHECK_FLOW);
	rows[12].pc = 0x80000040;
	run_source(rows, ROWS, NULL, &seen, false);
	assert_int_equal(seen.number, 12);
	rows[6].pc = 0x80000018;
	run_source(rows, ROWS, NULL, &seen, false);
	assert_int_equal(seen.number, 6);
}

/* After a gap nothing is known, so nothing can be wrong. */
static void a_gap_makes_all_unknown(void **state)
{
	const struct ear_checker_options options = {.captured = true};
	const struct ear_record gap = {.kind = EAR_RECORD_GAP};
	struct ear_checker *checker;
	struct row load = program[3];

	(void)state;
	load.data = load.value = 77;
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (size_t i = 0; i < 3; i++)
		push_row(checker, &program[i], i, i);
	assert_int_equal(ear_checker_push(checker, &gap, 3, 3), 0);
	push_row(checker, &load, 4, 90);
	const struct ear_check_counts *counts = ear_checker_counts(checker);
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++)
		assert_int_equal(counts->rules[rule].violations, 0);
	assert_int_equal(counts->rules[EAR_CHECK_LOADED].unchecked[EAR_CHECK_UNKNOWN], 1);
	ear_checker_free(checker);
}

static int stop(void *context, const struct ear_violation *violation)
{
	(void)violation;
	++*(int *)context;
	return 7;
}

/* x7 is loaded from where x6 was stored, and something else is there. */
static unsigned count_changed(uint16_t hart, bool captured, uint32_t between)
{
	const struct row wrong = {0x80000010, 0x0002a383, 0x80000014, .rd = 7, .value = 1,
		.access = 'r', .address = DATA, .data = 1};
	const struct row atomic = {0x8000000c, between, 0x80000010, .rd = 8, .value = DATA + 4,
		.access = 'r', .address = DATA, .data = DATA + 4};
	struct seen seen = {.count = 0};
	const struct ear_checker_options options = {
		.captured = captured, .found = note, .context = &seen};
	struct ear_checker *checker;

	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (size_t i = 0; i < 3; i++)
		push_row_at(checker, &program[i], hart, i, i);
	push_row_at(checker, &atomic, hart, 3, 3);
	push_row_at(checker, &wrong, hart, 4, 4);
	assert_int_equal(
		ear_checker_counts(checker)->rules[EAR_CHECK_LOADED].unchecked[EAR_CHECK_CHANGES],
		1 - seen.count);
	ear_checker_free(checker);
	return seen.count;
}

static void what_another_hart_may_have_stored_is_no_violation(void **state)
{
	const uint32_t lw = 0x0002a403, lr = 0x1002a42f;

	(void)state;
	assert_int_equal(count_changed(0, false, lw), 1);
	assert_int_equal(count_changed(1, false, lw), 0); /* the log of the second hart */
	assert_int_equal(count_changed(0, false, lr), 0);
	assert_int_equal(count_changed(0, true, lr), 1);
}

/* A store of supervisor mode whose physical address the text does not show may be anywhere. */
static void a_store_at_an_unknown_place_makes_memory_unknown(void **state)
{
	struct step rows[] = {
		{M, 0x80000000, 0x80002537, 0x80000004, .rd = 10, .value = HANDLER},
		{M, 0x80000004, 0x00a52023, 0x80000008, .write = HANDLER, .stored = HANDLER},
		{M, 0x80000008, 0x18051073, 0x8000000c, .csr = 0x180, .csr_value = 0x80000001},
		{M, 0x8000000c, 0x30200073, 0x80000010, .rd = 0},
		{S, 0x80000010, 0x000025b7, 0x80000014, .rd = 11, .value = 0x2000},
		{S, 0x80000014, 0x00b5a023, 0x80000018, .write = 0x2000, .stored = 0x2000},
		{S, 0x80000018, 0x00000073, HANDLER, .flags = EAR_RECORD_TRAP, .cause = 9,
			.csr = 0x341, .csr_value = 0x80000018},
		{M, HANDLER, 0x00052603, HANDLER + 4, .rd = 12, .value = 0x2000, .read = HANDLER},
	};
	struct seen seen;

	(void)state;
	run_steps_of(rows, COUNT_OF(rows), &seen, false);
	if (seen.count > 0)
		fail_msg("record %u: %s", (unsigned)seen.number, seen.text);
	rows[5] = (struct step){S, 0x80000014, 0x00000013, 0x80000018, .rd = 0};
	run_steps_of(rows, COUNT_OF(rows), &seen, false);
	assert_int_equal(seen.count, 1);
}

/* A program with code at 0x80000000 and a constant at HANDLER. */
static unsigned run_program(const struct step *rows, size_t count, bool writable, struct seen *seen)
{
	static const uint8_t code[] = {
		0x37, 0x25, 0x00, 0x80, 0x83, 0x25, 0x05, 0x00, 0x13, 0x00, 0x00, 0x00};
	static const uint8_t constant[] = {1, 2, 3, 4};
	const struct ear_memory_segment image[] = {
		{0x80000000, sizeof(code), code, writable},
		{HANDLER, sizeof(constant), constant, writable},
	};
	const struct ear_checker_options options = {
		.image = image, .image_count = COUNT_OF(image), .found = note, .context = seen};
	struct ear_checker *checker;

	*seen = (struct seen){.count = 0};
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (size_t i = 0; i < count; i++)
		push_step(checker, &rows[i], i);
	unsigned checked = (unsigned)ear_checker_counts(checker)->rules[EAR_CHECK_LOADED].checked;
	ear_checker_free(checker);
	return checked;
}

static const struct step loading[] = {
	{M, 0x80000000, 0x80002537, 0x80000004, .rd = 10, .value = HANDLER},
	{M, 0x80000004, 0x00052583, 0x80000008, .rd = 11, .value = 0x04030201, .read = HANDLER},
	NOP(0x80000008),
};

static void opcodes_and_first_loads_are_those_of_the_program(void **state)
{
	struct step rows[COUNT_OF(loading)];
	struct seen seen;

	(void)state;
	assert_int_equal(run_program(loading, COUNT_OF(loading), false, &seen), 4);
	assert_int_equal(seen.count, 0);
	memcpy(rows, loading, sizeof(rows));
	rows[1].value = 0x04030200;
	run_program(rows, COUNT_OF(rows), false, &seen);
	assert_int_equal(seen.number, 1);
	assert_string_equal(
		seen.text, "lw returns 0x4030200 from 0x80002000, where the program has 0x4030201");
	memcpy(rows, loading, sizeof(rows));
	rows[2].opcode = 0x00001013; /* slli x0, x0, 0 */
	run_program(rows, COUNT_OF(rows), false, &seen);
	assert_int_equal(seen.number, 2);
	assert_int_equal(seen.rule, EAR_CHECK_LOADED);
	assert_string_equal(
		seen.text, "the opcode of slli is 0x1013, but the program has 0x13 there");
}

/* Data may be of a run before; code holds if the trace begins with the program. */
static void of_what_is_writable_only_opcodes_are_judged_and_from_the_beginning(void **state)
{
	struct step rows[COUNT_OF(loading)];
	struct seen seen;

	(void)state;
	memcpy(rows, loading, sizeof(rows));
	rows[1].value = 0x04030200;
	assert_int_equal(run_program(rows, COUNT_OF(rows), true, &seen), 3);
	assert_int_equal(seen.count, 0);
	rows[2].opcode = 0x00001013;
	run_program(rows, COUNT_OF(rows), true, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(run_program(rows + 1, COUNT_OF(rows) - 1, true, &seen), 0);
	assert_int_equal(seen.count, 0);
	/* What the trace stored there comes first. */
	rows[1] = (struct step){
		M, 0x80000004, 0x00052583, 0x80000008, .rd = 11, .value = 0x1013, .read = HANDLER};
	rows[0] = (struct step){M, 0x80000000, 0x80002537, 0x80000004, .rd = 10, .value = HANDLER,
		.write = 0x80000008, .stored = 0x1013};
	run_program(rows, COUNT_OF(rows), true, &seen);
	assert_int_equal(seen.rule, EAR_CHECK_ACCESS); /* lui stores, and nothing else is wrong */
	assert_int_equal(seen.count, 1);
}

static void another_xlen_makes_all_unknown(void **state)
{
	(void)state;
	struct seen seen;
	struct row rows[2] = {program[0], program[1]};

	rows[0].opcode = 0x800002b7; /* lui x5, of 64 bits */
	rows[0].value = 0x80000000;
	rows[1].opcode = 0x0012d313; /* srli x6, x5, 1 */
	rows[1].value = 0xc0000000;
	rows[1].read = 0;
	rows[1].xlen = 64;
	run(rows, 2, NULL, &seen);
	assert_int_equal(seen.count, 0);
}

static void who_is_told_can_end_it(void **state)
{
	int calls = 0;
	const struct ear_checker_options options = {
		.captured = true, .found = stop, .context = &calls};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 32,
		.isa = EAR_ISA_RISCV,
		.opcode = 0x800012b7,
		.opcode_size = 4,
		.next_pc = 4};
	struct ear_checker *checker;

	(void)state;
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	assert_int_equal(ear_checker_push(checker, &record, 0, 0), 7);
	assert_int_equal(calls, 1);
	ear_checker_free(checker);
}

static void rules_have_names(void **state)
{
	(void)state;
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++)
		assert_int_equal(ear_check_rule_find(ear_check_rule_name(rule)), (int)rule);
	assert_null(ear_check_rule_name(EAR_CHECK_RULES));
	assert_null(ear_check_reason_name(EAR_CHECK_REASONS));
	assert_true(ear_check_rule_find("results") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_without_a_fault_has_no_violation),
		cmocka_unit_test(each_fault_is_found_where_it_is),
		cmocka_unit_test(modes_without_a_fault_have_no_violation),
		cmocka_unit_test(what_is_wrong_of_traps_and_modes_is_found),
		cmocka_unit_test(the_privilege_changes_by_traps_and_returns_only),
		cmocka_unit_test(one_wrong_privilege_of_a_text_is_one_violation),
		cmocka_unit_test(a_virtual_machine_that_shows_as_supervisor_mode_has_no_violation),
		cmocka_unit_test(a_port_without_the_privilege_has_no_violation),
		cmocka_unit_test(a_bit_of_a_csr_that_was_kept_is_kept_again),
		cmocka_unit_test(the_flags_of_floating_point_are_read),
		cmocka_unit_test(a_double_on_a_port_of_32_bits_is_checked),
		cmocka_unit_test(what_is_wrong_of_a_double_in_pieces_is_found),
		cmocka_unit_test(pieces_that_make_up_no_access_are_not_judged),
		cmocka_unit_test(an_index_that_goes_back_is_found),
		cmocka_unit_test(texts_that_show_less_of_a_trap_have_no_violation),
		cmocka_unit_test(a_text_that_goes_on_elsewhere_is_found),
		cmocka_unit_test(a_jump_to_where_no_handler_is_known_to_be_is_judged_by_the_format),
		cmocka_unit_test(a_text_that_leaves_interrupts_out_has_no_violation),
		cmocka_unit_test(a_return_to_an_unknown_place_may_hide_a_trap),
		cmocka_unit_test(a_handler_is_where_a_trap_led_before),
		cmocka_unit_test(what_a_write_of_mstatus_does_not_change_stays),
		cmocka_unit_test(an_access_that_trapped_is_where_the_instruction_says),
		cmocka_unit_test(where_a_text_does_not_say_where_it_goes_the_next_record_does),
		cmocka_unit_test(a_gap_makes_all_unknown),
		cmocka_unit_test(what_another_hart_may_have_stored_is_no_violation),
		cmocka_unit_test(a_store_at_an_unknown_place_makes_memory_unknown),
		cmocka_unit_test(opcodes_and_first_loads_are_those_of_the_program),
		cmocka_unit_test(
			of_what_is_writable_only_opcodes_are_judged_and_from_the_beginning),
		cmocka_unit_test(another_xlen_makes_all_unknown),
		cmocka_unit_test(who_is_told_can_end_it),
		cmocka_unit_test(rules_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
