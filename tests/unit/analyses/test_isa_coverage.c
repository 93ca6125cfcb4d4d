/* What of the instruction set ran: bins that depend on what came before, and odd records. All
 * others are held against another count by tests/e2e/test_isa_coverage.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/coverage/isa_coverage.h"
#include "library_truth.h"
#include "random.h"

#define ADD_3_1_2 0x002081B3u /* add x3, x1, x2 */
#define ADDI_1    0x00100093u /* addi x1, x0, 1 */
#define ADDI_2    0xFFF00113u /* addi x2, x0, -1 */
#define LW_1      0x0000A083u /* lw x1, 0(x1) */
#define NOP       0x00000013u

struct machine {
	struct ear_instructions *instructions;
	struct ear_isa_coverage *coverage;
};

static struct machine begin(void)
{
	struct machine machine;

	assert_int_equal(ear_instructions_new(&machine.instructions, NULL, NULL), 0);
	assert_int_equal(ear_isa_coverage_new(&machine.coverage, machine.instructions), 0);
	return machine;
}

static void end(struct machine *machine)
{
	ear_isa_coverage_free(machine->coverage);
	ear_instructions_free(machine->instructions);
}

static void push(struct machine *machine, const struct ear_record *record)
{
	const struct ear_batch batch = {.size = sizeof(batch), .count = 1, .record = record};

	assert_int_equal(ear_isa_coverage_batch(machine->coverage, &batch), 0);
}

static void run(struct machine *machine, uint32_t opcode, unsigned rd, uint64_t value)
{
	const struct ear_record_register reg = {
		.reg_class = EAR_REGISTER_X, .number = (uint16_t)rd, .value = value, .size = 4};
	const struct ear_record record = {.opcode = opcode,
		.opcode_size = 4,
		.xlen = 32,
		.registers = &reg,
		.register_count = rd != 0};

	push(machine, &record);
}

static const struct ear_isa_opcode *opcode_of(const struct machine *machine, uint32_t opcode)
{
	for (size_t i = 0; i < ear_isa_coverage_count(machine->coverage); i++)
		if (ear_isa_coverage_opcode(machine->coverage, i)->opcode == opcode)
			return ear_isa_coverage_opcode(machine->coverage, i);
	fail_msg("the opcode 0x%08x did not run", opcode);
	return NULL;
}

static void hazards_have_the_distance_of_the_nearest_writer(void **state)
{
	struct machine machine = begin();

	(void)state;
	run(&machine, ADDI_1, 1, 1);
	run(&machine, LW_1, 1, 5);
	run(&machine, NOP, 0, 0);
	run(&machine, ADD_3_1_2, 3, 4);
	const struct ear_isa_opcode *add = opcode_of(&machine, ADD_3_1_2);
	assert_int_equal(add->bins[EAR_ISA_RAW], 0);
	assert_int_equal(add->bins[EAR_ISA_RAW + 1], 1);
	assert_int_equal(add->bins[EAR_ISA_RAW + 2], 0);
	assert_int_equal(add->bins[EAR_ISA_LOAD_USE + 1], 1);
	const struct ear_isa_opcode *load = opcode_of(&machine, LW_1);
	assert_int_equal(load->bins[EAR_ISA_RAW], 1);
	assert_int_equal(load->bins[EAR_ISA_LOAD_USE], 0);
	assert_int_equal(load->bins[EAR_ISA_WAW], 1);
	end(&machine);
}

static void values_are_known_until_a_gap(void **state)
{
	const struct ear_record gap = {.kind = EAR_RECORD_GAP};
	struct machine machine = begin();

	(void)state;
	run(&machine, ADD_3_1_2, 3, 0x80000000);
	run(&machine, ADDI_1, 1, 1);
	run(&machine, ADDI_2, 2, 0xFFFFFFFF);
	run(&machine, ADD_3_1_2, 3, 0);
	push(&machine, &gap);
	run(&machine, ADD_3_1_2, 3, 0x7FFFFFFF);
	const struct ear_isa_opcode *add = opcode_of(&machine, ADD_3_1_2);
	uint64_t rs1 = 0;
	for (unsigned i = 0; i < EAR_ISA_VALUE_COUNT; i++)
		rs1 += add->bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT + i];
	assert_int_equal(rs1, 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT + EAR_ISA_ONE], 1);
	assert_int_equal(
		add->bins[EAR_ISA_VALUES + 2 * EAR_ISA_FLOAT_COUNT + EAR_ISA_MINUS_ONE], 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_MIN], 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_ZERO], 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_MAX], 1);
	/* Both operands, once each; nothing after the gap. */
	assert_int_equal(add->bins[EAR_ISA_RAW], 1);
	assert_int_equal(add->bins[EAR_ISA_RAW + 1], 1);
	end(&machine);
}

/* A record of anything, now and then one that makes no sense. */
struct any {
	struct ear_record record;
	struct ear_record_register regs[2];
	struct ear_record_access access;
};

static void make_any(struct any *any, struct random *random)
{
	any->regs[0] = (struct ear_record_register){.reg_class = (uint8_t)random_below(random, 5),
		.number = (uint16_t)random_below(random, 65536),
		.value = random_below(random, UINT64_MAX)};
	any->regs[1] = (struct ear_record_register){
		.reg_class = EAR_REGISTER_X, .number = (uint16_t)random_below(random, 40)};
	any->access = (struct ear_record_access){.address = random_below(random, UINT64_MAX),
		.size = (uint8_t)random_below(random, 256)};
	any->record = (struct ear_record){
		.kind = (uint8_t)(random_below(random, 20) == 0 ? random_below(random, 7)
								: EAR_RECORD_INSTRUCTION),
		.isa = random_below(random, 50) == 0,
		.hart = (uint16_t)random_below(random, 5),
		.xlen = (uint8_t[]){0, 32, 64, 64}[random_below(random, 4)],
		.privilege = (uint8_t)random_below(random, 256),
		.opcode = random_below(random, UINT64_MAX),
		.opcode_size = (uint8_t)random_below(random, 9),
		.flags = (uint32_t)random_below(random, 1 << 14),
		.cause = random_below(random, random_below(random, 2) ? 80 : UINT64_MAX),
		.fflags = (uint8_t)random_below(random, 256),
		.frm = (uint8_t)random_below(random, 256),
		.vtype = (uint8_t)random_below(random, 256),
		.registers = any->regs,
		.register_count = (size_t)random_below(random, 3),
		.memory = &any->access,
		.memory_count = (size_t)random_below(random, 2)};
}

static void any_record_is_taken(void **state)
{
	struct machine machine = begin();
	struct random random = {99};
	struct any any;

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		make_any(&any, &random);
		push(&machine, &any.record);
	}
	assert_true(ear_isa_coverage_count(machine.coverage) <= EAR_ISA_OPCODES_MAX);
	assert_true(ear_isa_coverage_sums(machine.coverage)->records > 50000);
	end(&machine);
}

/* ---- Parts. ---- */

/* A record as programs have them: few opcodes, few registers, values that matter. */
static void make_likely(struct any *any, struct random *random)
{
	static const uint32_t opcodes[] = {ADD_3_1_2, ADDI_1, ADDI_2, LW_1, NOP,
		0x0220C1B3, /* div x3, x1, x2 */
		0x0020A023, /* sw x2, 0(x1) */
		0x30519073, /* csrrw x0, mtvec, x3 */
		0x305021F3, /* csrrs x3, mtvec, x0 */
		0x00208463, /* beq x1, x2, 8 */
		0x0020F1D3, /* fadd.s f3, f1, f2, dyn */
		0x2223F1C3, /* fmadd.d */
		0x00219073, /* csrrw x0, frm, x3 */
		0x18312223, /* sw x3 */
		0x1821A1AF, /* sc.w x3, x2, (x3) */
		0x022180D7, /* vadd.vv */
		0x852E /* c.mv */};
	static const uint64_t values[] = {0, 1, UINT64_MAX, 0x80000000, 0x7FFFFFFF,
		UINT64_C(1) << 63, INT64_MAX, 5, 0xFFFFFFFF80000000, 0xFFFFFFFF7F800001};

	const uint32_t opcode = opcodes[random_below(random, sizeof(opcodes) / sizeof(opcodes[0]))];
	const bool is_float = (opcode & 0x7F) == 0x53 || (opcode & 0x7F) == 0x43;
	const bool sets_frm = opcode == 0x00219073;
	any->regs[0] = (struct ear_record_register){
		.reg_class = is_float ? EAR_REGISTER_F : EAR_REGISTER_X,
		.number = (uint16_t)random_below(random, 4),
		.size = random_below(random, 2) ? 4 : 8,
		.value = values[random_below(random, sizeof(values) / sizeof(values[0]))]};
	if (sets_frm)
		any->regs[0] = (struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
			.number = 2,
			.value = random_below(random, 8)};
	any->access =
		(struct ear_record_access){.address = 0xFFC + random_below(random, 8), .size = 4};
	const uint64_t odd = random_below(random, 60);
	any->record =
		(struct ear_record){.kind = odd == 0 ? EAR_RECORD_GAP : EAR_RECORD_INSTRUCTION,
			.hart = (uint16_t)random_below(random, 2),
			.xlen = 32,
			.privilege = (uint8_t)(random_below(random, 8) == 0 ? 0 : 3),
			.pc = 2 * random_below(random, 4),
			.opcode = opcode,
			.opcode_size = 4,
			.flags = odd == 1   ? (uint32_t)EAR_RECORD_TRAP
				 : odd == 2 ? (uint32_t)EAR_RECORD_INTERRUPT
				 : odd == 3 ? (uint32_t)EAR_RECORD_NO_OPCODE
				 : odd == 4 ? (uint32_t)EAR_RECORD_NO_PRIVILEGE
					    : 0,
			.cause = random_below(random, 12),
			.fflags = (uint8_t)(is_float ? random_below(random, 32) : 0),
			.vtype = 0x40 | 0x10,
			.registers = any->regs,
			.register_count = opcode == NOP || odd == 5 ? 0 : 1,
			.memory = &any->access,
			.memory_count = opcode == LW_1 || (opcode & 0x7F) == 0x23};
}

/* All that a coverage knows. */
static char *text_of(const struct ear_isa_coverage *coverage)
{
	const struct ear_part_head head = {.analysis = "coverage --isa",
		.options = "-",
		.trace = "-",
		.program = "-",
		.program_sha256 = "-"};
	struct ear_part_writer writer;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	ear_part_write_head(&writer, file, &head);
	ear_isa_coverage_write(coverage, &writer);
	ear_part_write_end(&writer);
	fclose(file);
	return text;
}

/* Returns NULL if it is refused. */
static struct ear_isa_coverage *read_text(
	const struct ear_instructions *instructions, const char *text, size_t size)
{
	struct ear_isa_coverage *coverage;
	struct ear_part_reader reader;
	struct ear_part_head head;
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

	assert_non_null(file);
	assert_int_equal(ear_isa_coverage_new(&coverage, instructions), 0);
	if (!ear_part_open(&reader, file, &head) || !ear_isa_coverage_read(coverage, &reader)) {
		assert_string_not_equal(reader.error, "");
		ear_isa_coverage_free(coverage);
		coverage = NULL;
	}
	ear_part_close(&reader);
	fclose(file);
	return coverage;
}

static int compare_places(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Records from one place to the next, as a part: counted, written, and read again if as_file. */
static struct ear_isa_coverage *part_of(const struct ear_instructions *instructions,
	const struct ear_record *const *records, size_t begin_at, size_t end_at, bool as_file)
{
	struct machine part;

	assert_int_equal(ear_isa_coverage_new(&part.coverage, instructions), 0);
	ear_isa_coverage_open(part.coverage);
	for (size_t i = begin_at; i < end_at; i++)
		push(&part, records[i]);
	if (!as_file)
		return part.coverage;
	char *text = text_of(part.coverage);
	struct ear_isa_coverage *again = read_text(instructions, text, strlen(text));
	assert_non_null(again);
	free(text);
	ear_isa_coverage_free(part.coverage);
	return again;
}

/* They are equal, or the first line that differs is printed. */
static void check_same(const char *found, const char *expected)
{
	size_t at = 0, line = 0;

	while (found[at] && found[at] == expected[at]) {
		at++;
		line = found[at - 1] == '\n' ? at : line;
	}
	if (found[at] != expected[at])
		fail_msg("%.*s\nis to be\n%.*s", (int)strcspn(found + line, "\n"), found + line,
			(int)strcspn(expected + line, "\n"), expected + line);
}

#define CUTS 64

static void check_cuts(const struct ear_record *const *records, size_t count, unsigned cuts,
	uint64_t seed, const char *expected)
{
	struct random random = {seed};
	struct machine sum = begin();
	size_t places[CUTS + 1];

	for (unsigned i = 0; i < cuts; i++)
		places[i] = (size_t)random_below(&random, count + 1);
	places[cuts] = count;
	qsort(places, cuts, sizeof(places[0]), compare_places);
	for (unsigned i = 0; i <= cuts; i++) {
		struct ear_isa_coverage *part = part_of(sum.instructions, records,
			i > 0 ? places[i - 1] : 0, places[i], seed % 2 == 0);
		assert_int_equal(ear_isa_coverage_join(sum.coverage, part), 0);
		ear_isa_coverage_free(part);
	}
	char *text = text_of(sum.coverage);
	check_same(text, expected);
	free(text);
	end(&sum);
}

static char *whole_of(const struct ear_record *const *records, size_t count)
{
	struct machine machine = begin();

	for (size_t i = 0; i < count; i++)
		push(&machine, records[i]);
	char *text = text_of(machine.coverage);
	end(&machine);
	return text;
}

static void check_all_cuts(struct any *any, size_t count, uint64_t seed)
{
	const struct ear_record **records = calloc(count, sizeof(*records));

	assert_non_null(records);
	for (size_t i = 0; i < count; i++)
		records[i] = &any[i].record;
	char *expected = whole_of(records, count);
	for (unsigned cuts = 1; cuts <= CUTS; cuts = cuts < 8 ? cuts + 1 : 2 * cuts)
		check_cuts(records, count, cuts, seed + cuts, expected);
	free(expected);
	free(records);
}

static void parts_sum_up_to_the_whole_wherever_they_are_cut(void **state)
{
	enum { COUNT = 600, RUNS = 30 };
	struct any *any = calloc(COUNT, sizeof(*any));
	struct random random = {2026};

	(void)state;
	assert_non_null(any);
	for (unsigned run_number = 0; run_number < RUNS; run_number++) {
		/* Short ones: parts of one record and of none. */
		const size_t count = run_number % 3 == 0 ? 40 : COUNT;
		for (size_t i = 0; i < count; i++)
			if (run_number % 10 == 9)
				make_any(&any[i], &random);
			else
				make_likely(&any[i], &random);
		check_all_cuts(any, count, run_number);
	}
	free(any);
}

static void parts_of_real_traces_sum_up_to_the_whole(void **state)
{
	struct truth *truth;
	size_t number = 0;

	(void)state;
	for (; (truth = truth_of(number)); number++) {
		const struct ear_record *const *records =
			(const struct ear_record *const *)truth->records;
		char *expected = whole_of(records, truth->count);
		for (unsigned cuts = 1; cuts <= CUTS; cuts *= 4)
			check_cuts(records, truth->count, cuts, number + cuts, expected);
		free(expected);
		truth_free(truth);
	}
	assert_true(number > 5);
}

static void damaged_parts_are_refused_or_read(void **state)
{
	enum { COUNT = 300 };
	struct any any[COUNT];
	const struct ear_record *records[COUNT];
	struct random random = {7};
	struct machine machine = begin();
	unsigned refused = 0, taken = 0;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		make_likely(&any[i], &random);
		records[i] = &any[i].record;
	}
	struct ear_isa_coverage *part = part_of(machine.instructions, records, 0, COUNT, false);
	char *text = text_of(part);
	const size_t size = strlen(text);
	for (unsigned i = 0; i < 3000; i++) {
		static const char signs[] = "0123456789 x\nabcdefopen";
		char *damaged = strdup(text);
		assert_non_null(damaged);
		for (uint64_t j = 0; j <= random_below(&random, 3); j++)
			damaged[random_below(&random, size)] =
				signs[random_below(&random, sizeof(signs) - 1)];
		struct ear_isa_coverage *again = read_text(machine.instructions, damaged,
			i % 4 == 0 ? (size_t)random_below(&random, size) + 1 : size);
		refused += !again;
		taken += again != NULL;
		if (again)
			assert_int_equal(ear_isa_coverage_join(machine.coverage, again), 0);
		ear_isa_coverage_free(again);
		free(damaged);
	}
	assert_true(refused > 500);
	assert_true(taken > 100);
	free(text);
	ear_isa_coverage_free(part);
	end(&machine);
}

static void traces_of_all_kinds_are_counted_once(void **state)
{
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		struct machine machine = begin();
		uint64_t instructions = 0;
		for (size_t i = 0; i < truth->count; i++) {
			const struct ear_record *record = truth->records[i];
			push(&machine, record);
			instructions += record->kind == EAR_RECORD_INSTRUCTION &&
					record->isa == EAR_ISA_RISCV &&
					!(record->flags & EAR_RECORD_INTERRUPT);
		}
		const struct ear_isa_sums *sums = ear_isa_coverage_sums(machine.coverage);
		assert_int_equal(sums->records + sums->without, instructions);
		end(&machine);
		truth_free(truth);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hazards_have_the_distance_of_the_nearest_writer),
		cmocka_unit_test(values_are_known_until_a_gap),
		cmocka_unit_test(any_record_is_taken),
		cmocka_unit_test(parts_sum_up_to_the_whole_wherever_they_are_cut),
		cmocka_unit_test(parts_of_real_traces_sum_up_to_the_whole),
		cmocka_unit_test(damaged_parts_are_refused_or_read),
		cmocka_unit_test(traces_of_all_kinds_are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
