/* Handlers, and where interrupts are disabled: in M and in S-mode, on several harts, nested deeper
 * than is kept, with causes of any number, and over gaps. */
#include "check.h"

#include <string.h>

#include "analyses/interrupts.h"
#include "random.h"

#define NOP       0x00000013u
#define MRET      0x30200073u
#define SRET      0x10200073u
#define CSRCI_MIE 0x30047073u /* csrrci x0, mstatus, 8 */
#define CSRSI_MIE 0x30046073u
#define CSRCI_SIE 0x10017073u /* csrrci x0, sstatus, 2 */
#define CSRSI_SIE 0x10016073u
#define CSRW_X5   0x30029073u /* csrrw x0, mstatus, x5 */
#define CSRC_X5   0x3002b073u
#define FOREVER   UINT64_C(0x8000000000000000)

struct program {
	struct ear_interrupts *interrupts;
	uint64_t position;
	uint16_t hart;
	uint8_t privilege;
};

static struct program begin(void)
{
	struct program program = {.privilege = EAR_PRIVILEGE_M};

	assert_int_equal(ear_interrupts_new(&program.interrupts, NULL), 0);
	return program;
}

static void push(struct program *program, struct ear_record record)
{
	record.hart = program->hart;
	record.index = program->position;
	record.ticks = 10 * program->position;
	record.flags |= EAR_RECORD_HAS_TIME;
	record.privilege = program->privilege;
	record.xlen = 64;
	record.opcode_size = 4;
	const struct ear_batch batch = {.size = sizeof(batch),
		.count = 1,
		.position = program->position,
		.number = program->position,
		.record = &record};

	assert_int_equal(ear_interrupts_batch(program->interrupts, &batch), 0);
	program->position++;
}

static void run(struct program *program, uint32_t opcode)
{
	push(program, (struct ear_record){.kind = EAR_RECORD_INSTRUCTION, .opcode = opcode});
}

static void set_x5(struct program *program, uint64_t value)
{
	const struct ear_record_register reg = {
		.reg_class = EAR_REGISTER_X, .number = 5, .value = value};

	push(program, (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
			      .opcode = NOP,
			      .register_count = 1,
			      .registers = &reg});
}

static void trap(struct program *program, uint32_t flag, uint64_t cause)
{
	push(program,
		(struct ear_record){.kind = EAR_RECORD_INSTRUCTION, .flags = flag, .cause = cause});
}

static void expect_section(
	const struct program *program, size_t i, uint64_t first, uint64_t last, bool by_trap)
{
	assert_true(i < ear_interrupts_section_count(program->interrupts));
	const struct ear_interrupt_section *section =
		ear_interrupts_section(program->interrupts, i);
	assert_int_equal(section->first, first);
	assert_int_equal(section->last, last);
	assert_int_equal(section->by_trap, by_trap);
	assert_int_equal(section->records, last - first);
	assert_int_equal(section->clocks, 10 * (last - first));
}

static void instructions_disable_and_enable(void **state)
{
	struct program program = begin();

	(void)state;
	run(&program, NOP); /* not known yet */
	run(&program, CSRSI_MIE);
	run(&program, CSRCI_MIE); /* 2 */
	run(&program, NOP);
	run(&program, CSRSI_MIE); /* 4 */
	set_x5(&program, 0);
	run(&program, CSRW_X5); /* 6 */
	run(&program, CSRCI_MIE);
	run(&program, NOP);
	set_x5(&program, 8);
	run(&program, CSRW_X5); /* 10 */
	run(&program, CSRC_X5); /* 11, to the end */
	run(&program, NOP);
	ear_interrupts_finish(program.interrupts);
	assert_int_equal(ear_interrupts_section_count(program.interrupts), 2);
	expect_section(&program, 0, 6, 10, false);
	expect_section(&program, 1, 2, 4, false);
	ear_interrupts_free(program.interrupts);
}

static void supervisors_have_a_bit_of_their_own(void **state)
{
	struct program program = begin();

	(void)state;
	program.privilege = EAR_PRIVILEGE_S;
	run(&program, CSRSI_SIE);
	run(&program, CSRCI_SIE); /* 1 */
	run(&program, CSRSI_SIE); /* 2 */
	run(&program, NOP);
	trap(&program, EAR_RECORD_INTERRUPT, FOREVER | 5); /* 4: stays in S */
	run(&program, NOP);
	run(&program, NOP);
	run(&program, SRET); /* 7 */
	run(&program, NOP);
	trap(&program, EAR_RECORD_TRAP, 9); /* 9: goes to M */
	program.privilege = EAR_PRIVILEGE_M;
	run(&program, NOP);
	run(&program, MRET); /* 11 */
	program.privilege = EAR_PRIVILEGE_S;
	run(&program, CSRCI_SIE); /* 12 */
	program.privilege = EAR_PRIVILEGE_U;
	run(&program, NOP); /* 13: in U they are enabled */
	run(&program, NOP);
	ear_interrupts_finish(program.interrupts);
	assert_int_equal(ear_interrupts_section_count(program.interrupts), 3);
	expect_section(&program, 0, 4, 7, true);
	expect_section(&program, 1, 9, 11, true);
	expect_section(&program, 2, 1, 2, false);
	assert_int_equal(ear_interrupts_cause_count(program.interrupts), 2);
	const struct ear_interrupt_cause *cause = ear_interrupts_cause(program.interrupts, 0);
	assert_true(cause->is_interrupt && cause->code == 5 && cause->count == 1);
	assert_int_equal(cause->records.max, 3);
	assert_int_equal(cause->clocks.max, 30);
	assert_int_equal(cause->entry.max, 10);
	cause = ear_interrupts_cause(program.interrupts, 1);
	assert_true(!cause->is_interrupt && cause->code == 9);
	assert_int_equal(cause->records.max, 2);
	ear_interrupts_free(program.interrupts);
}

static void harts_are_apart_and_gaps_forget(void **state)
{
	struct program program = begin();

	(void)state;
	trap(&program, EAR_RECORD_INTERRUPT, FOREVER | 7); /* 0 */
	program.hart = 1;
	run(&program, CSRSI_MIE);
	program.hart = 0;
	run(&program, NOP); /* 2 */
	program.hart = 1;
	run(&program, CSRCI_MIE); /* 3 */
	run(&program, CSRSI_MIE);
	program.hart = 0;
	run(&program, MRET); /* 5 */
	run(&program, NOP);
	trap(&program, EAR_RECORD_TRAP, 2);
	push(&program, (struct ear_record){.kind = EAR_RECORD_GAP});
	run(&program, NOP);
	run(&program, MRET); /* what it ends is forgotten */
	run(&program, NOP);
	ear_interrupts_finish(program.interrupts);
	assert_int_equal(ear_interrupts_facts(program.interrupts)->gaps, 1);
	assert_int_equal(ear_interrupts_section_count(program.interrupts), 1);
	const struct ear_interrupt_section *section = ear_interrupts_section(program.interrupts, 0);
	assert_int_equal(section->hart, 0);
	assert_int_equal(section->first, 0);
	assert_int_equal(section->last, 5);
	assert_int_equal(section->records, 2);
	assert_int_equal(ear_interrupts_cause(program.interrupts, 1)->records.count, 0);
	ear_interrupts_free(program.interrupts);
}

static void anything_is_bounded(void **state)
{
	struct random random = {3};
	struct program program = begin();
	static const uint32_t opcodes[] = {
		NOP, MRET, SRET, CSRCI_MIE, CSRSI_MIE, CSRCI_SIE, CSRSI_SIE, CSRW_X5, CSRC_X5};
	uint64_t taken = 0, counted = 0;

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		program.hart = (uint16_t)random_below(&random, 3);
		program.privilege = (uint8_t)random_below(&random, 5);
		if (random_once_in(&random, 3)) {
			trap(&program,
				random_once_in(&random, 2) ? EAR_RECORD_TRAP : EAR_RECORD_INTERRUPT,
				random_next(&random) >> random_below(&random, 64));
			taken++;
		} else {
			run(&program, opcodes[random_below(&random, 9)]);
		}
	}
	ear_interrupts_finish(program.interrupts);
	assert_int_equal(ear_interrupts_section_count(program.interrupts), EAR_INTERRUPTS_SECTIONS);
	assert_int_equal(ear_interrupts_cause_count(program.interrupts), EAR_INTERRUPTS_CAUSES);
	for (size_t i = 0; i < EAR_INTERRUPTS_CAUSES; i++)
		counted += ear_interrupts_cause(program.interrupts, i)->count;
	assert_int_equal(counted, taken);
	for (size_t i = 1; i < EAR_INTERRUPTS_SECTIONS; i++)
		assert_true(ear_interrupts_section(program.interrupts, i - 1)->clocks >=
			    ear_interrupts_section(program.interrupts, i)->clocks);
	ear_interrupts_free(program.interrupts);
	ear_interrupts_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_disable_and_enable),
		cmocka_unit_test(supervisors_have_a_bit_of_their_own),
		cmocka_unit_test(harts_are_apart_and_gaps_forget),
		cmocka_unit_test(anything_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
