/* Handlers, and where interrupts are disabled: in M and in S-mode, on several harts, nested deeper
 * than is kept, with causes of any number, and over gaps. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/base/analysis_run.h"
#include "analyses/calls/interrupts.h"
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

/* ---- Parts. ---- */

#define RANDOM_RECORDS 1500

static const struct ear_part_head head = {.analysis = "calls --interrupts",
	.options = "-",
	.trace = "-",
	.program = "-",
	.program_sha256 = "-"};

/* What random records need. */
struct random_record {
	struct ear_record record;
	struct ear_record_register registers[2];
};

static void make_instruction(struct random_record *made, struct random *random)
{
	static const uint32_t opcodes[] = {NOP, NOP, NOP, NOP, MRET, SRET, CSRCI_MIE, CSRSI_MIE,
		CSRCI_SIE, CSRSI_SIE, CSRW_X5, CSRC_X5};
	static const uint32_t flags[] = {
		EAR_RECORD_TRAP, EAR_RECORD_INTERRUPT, EAR_RECORD_HANDLER, EAR_RECORD_NO_CAUSE};
	struct ear_record *record = &made->record;

	record->opcode = opcodes[random_below(random, sizeof(opcodes) / sizeof(*opcodes))];
	record->pc = 4 * random_below(random, 100);
	if (random_once_in(random, 6))
		record->flags |= flags[random_below(random, 4)];
	if (random_once_in(random, 20))
		record->flags |= EAR_RECORD_NO_OPCODE;
	record->cause = random_below(random, 4) | (random_once_in(random, 2) ? FOREVER : 0);
	if (random_once_in(random, 5))
		made->registers[record->register_count++] =
			(struct ear_record_register){.reg_class = EAR_REGISTER_X,
				.number = 5,
				.value = random_below(random, 16)};
	if (random_once_in(random, 30))
		made->registers[record->register_count++] =
			(struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
				.number = random_once_in(random, 2) ? 0x300 : 0x100,
				.value = random_below(random, 256)};
}

static struct random_record *make_records(uint64_t seed)
{
	struct random random = {seed};
	struct random_record *made = calloc(RANDOM_RECORDS, sizeof(*made));
	uint8_t privilege[2] = {EAR_PRIVILEGE_M, EAR_PRIVILEGE_M};

	assert_non_null(made);
	for (uint64_t i = 0; i < RANDOM_RECORDS; i++) {
		struct ear_record *record = &made[i].record;
		record->hart = random_once_in(&random, 4);
		record->ticks = 10 * i;
		record->flags = random_once_in(&random, 9) ? 0 : EAR_RECORD_HAS_TIME;
		record->xlen = 64;
		record->opcode_size = 4;
		record->registers = made[i].registers;
		if (random_once_in(&random, 12))
			privilege[record->hart] = (uint8_t[]){0, 1, 3}[random_below(&random, 3)];
		record->privilege = privilege[record->hart];
		if (random_once_in(&random, 40))
			record->kind = EAR_RECORD_GAP;
		else if (random_once_in(&random, 20))
			record->kind = EAR_RECORD_EVENT;
		else
			make_instruction(&made[i], &random);
		if (record->kind == EAR_RECORD_EVENT)
			record->u.event.source = (uint8_t)random_below(&random, 2);
	}
	return made;
}

static struct ear_interrupts *read_random(
	const struct random_record *made, uint64_t from, uint64_t to, bool part)
{
	struct ear_interrupts *interrupts;

	assert_int_equal(ear_interrupts_new(&interrupts, "1"), 0);
	if (part)
		ear_interrupts_open(interrupts);
	for (uint64_t i = from; i < to; i++) {
		const struct ear_batch batch = {.size = sizeof(batch),
			.count = 1,
			.position = i,
			.number = i,
			.record = &made[i].record};
		assert_int_equal(ear_interrupts_batch(interrupts, &batch), 0);
	}
	if (part)
		assert_int_equal(ear_interrupts_end(interrupts), 0);
	return interrupts;
}

/* All bytes of the answers; it is freed. */
static char *text_of(struct ear_interrupts *interrupts, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	assert_non_null(file);
	ear_interrupts_finish(interrupts);
	for (size_t i = 0; i < ear_interrupts_cause_count(interrupts); i++) {
		const struct ear_interrupt_cause *cause = ear_interrupts_cause(interrupts, i);
		fprintf(file, "%u %u %llu %llu\n", cause->is_interrupt, cause->has_code,
			(unsigned long long)cause->code, (unsigned long long)cause->count);
		fwrite(&cause->entry, sizeof(cause->entry), 4, file);
	}
	for (size_t i = 0; i < ear_interrupts_section_count(interrupts); i++) {
		const struct ear_interrupt_section *section = ear_interrupts_section(interrupts, i);
		fprintf(file, "%u %u %u %llu %llu %llx %llx %llu %llu\n", section->hart,
			section->by_trap, section->has_clocks, (unsigned long long)section->first,
			(unsigned long long)section->last, (unsigned long long)section->first_pc,
			(unsigned long long)section->last_pc, (unsigned long long)section->records,
			(unsigned long long)section->clocks);
	}
	const struct ear_interrupts_facts *facts = ear_interrupts_facts(interrupts);
	fprintf(file, "%llu %llu %u\n", (unsigned long long)facts->records,
		(unsigned long long)facts->gaps, facts->known);
	fwrite(&facts->section_records, sizeof(facts->section_records), 2, file);
	assert_int_equal(fclose(file), 0);
	ear_interrupts_free(interrupts);
	return text;
}

/* Returns false if the text is wrong; free the part all the same. */
static bool read_text(struct ear_interrupts **part, char *text, size_t size)
{
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = fmemopen(text, size, "r");

	assert_non_null(file);
	assert_int_equal(ear_interrupts_new(part, NULL), 0);
	const bool good = ear_part_open(&reader, file, &found) &&
			  ear_analysis_read(&ear_interrupts_analysis, *part, NULL, &reader);
	ear_part_close(&reader);
	fclose(file);
	return good;
}

static char *write_text(struct ear_interrupts *part, size_t *size)
{
	struct ear_part_writer writer;
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	assert_non_null(file);
	ear_part_write_head(&writer, file, &head);
	ear_part_walk_write(ear_interrupts_analysis.walk, part, &writer);
	ear_part_write_end(&writer);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void join_part(struct ear_interrupts *sum, struct ear_interrupts *part, bool through_file)
{
	if (through_file) {
		struct ear_interrupts *again;
		size_t size;
		char *text = write_text(part, &size);
		assert_true(read_text(&again, text, size));
		ear_interrupts_free(part);
		part = again;
		free(text);
	}
	assert_int_equal(ear_interrupts_join(sum, part), 0);
	ear_interrupts_free(part);
}

static void parts_are_the_whole(void **state)
{
	struct random random = {5};

	(void)state;
	for (uint64_t seed = 1; seed <= 20 / EAR_TEST_LESS; seed++) {
		struct random_record *made = make_records(seed);
		size_t size, joined_size;
		char *expected = text_of(read_random(made, 0, RANDOM_RECORDS, false), &size);
		for (unsigned cuts = 0; cuts < 8; cuts++) {
			const uint64_t most = 1 + random_below(&random, cuts < 4 ? 5 : 900);
			struct ear_interrupts *sum = read_random(made, 0, 0, false);
			for (uint64_t at = 0, next; at < RANDOM_RECORDS; at = next) {
				next = at + 1 + random_below(&random, most);
				next = next < RANDOM_RECORDS ? next : RANDOM_RECORDS;
				join_part(sum, read_random(made, at, next, true), cuts % 2);
			}
			char *text = text_of(sum, &joined_size);
			assert_int_equal(joined_size, size);
			assert_memory_equal(text, expected, size);
			free(text);
		}
		free(expected);
		free(made);
	}
}

static void damaged_parts(void **state)
{
	struct random random = {9};
	struct random_record *made = make_records(3);
	struct ear_interrupts *part = read_random(made, 0, 300, true);
	unsigned good = 0, bad = 0;
	size_t size;
	char *text = write_text(part, &size);

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		const size_t at = random_below(&random, size);
		const char before = text[at];
		struct ear_interrupts *again, *sum = read_random(made, 0, 0, false);
		text[at] = "0123456789 \nx"[random_below(&random, 13)];
		const bool taken =
			read_text(&again, text, size) && ear_interrupts_join(sum, again) == 0;
		good += taken;
		bad += !taken;
		ear_interrupts_free(again);
		free(text_of(sum, &(size_t){0}));
		text[at] = before;
	}
	assert_true(good > 0 && bad > 0);
	ear_interrupts_free(part);
	free(text);
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_disable_and_enable),
		cmocka_unit_test(supervisors_have_a_bit_of_their_own),
		cmocka_unit_test(harts_are_apart_and_gaps_forget),
		cmocka_unit_test(anything_is_bounded),
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(damaged_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
