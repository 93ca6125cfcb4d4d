/* Branches, held against a model that is written anew here: one counter for each branch and hart,
 * stepped record by record from the initial state, without parts. Random runs of two harts have
 * gaps, interrupts, traps and records without an outcome. Cuts are those of test_analysis.c, and
 * here also such that each part has only a few records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <earshot/instruction.h>

#include "analyses/branches/branches.h"
#include "random.h"

#define BEQZ   0x00000463u /* beqz x0, +8 */
#define C_BNEZ 0xE411u     /* c.bnez x8, +12 */
#define NOP    0x00000013u
#define BASE   0x80000000u
#define PLACES 16
#define HARTS  2

static void *make(void)
{
	const struct ear_analysis_setup setup = {.options = NULL};
	void *count;

	assert_int_equal(ear_branches_analysis.create(&count, &setup), 0);
	return count;
}

static void push(void *count, const struct ear_record *record)
{
	const struct ear_batch batch = {.size = sizeof(batch), .count = 1, .record = record};

	assert_int_equal(ear_branches_analysis.batch(count, &batch), 0);
}

static struct ear_record record_of(uint64_t pc, uint32_t opcode, uint32_t flags)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.pc = pc,
		.opcode = opcode,
		.opcode_size = (opcode & 3) == 3 ? 4 : 2,
		.xlen = 32,
		.flags = flags};
}

/* ---- The model. ---- */

static const char *const predictions[] = {"NN", "Nn", "Tt", "TT"}; /* capital: what it predicts */

struct model {
	struct ear_branch branches[PLACES];
	const char *states[PLACES][HARTS];
	uint64_t gaps;
};

static void model_step(struct ear_branch *branch, const char **state, bool taken)
{
	const bool says_taken = **state == 'T';

	branch->misses += says_taken != taken;
	if (*state == predictions[0])
		*state = taken ? predictions[1] : predictions[0];
	else if (*state == predictions[1])
		*state = taken ? predictions[2] : predictions[0];
	else if (*state == predictions[2])
		*state = taken ? predictions[3] : predictions[1];
	else
		*state = taken ? predictions[3] : predictions[2];
}

static void model_take(struct model *model, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_GAP) {
		model->gaps++;
		return;
	}
	const size_t place = (size_t)(record->pc - BASE) / 2;
	struct ear_branch *branch = &model->branches[place];
	if (record->opcode == NOP || record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) ||
		record->flags & EAR_RECORD_NO_OPCODE)
		return;
	branch->executed++;
	if (record->flags & EAR_RECORD_NO_NEXT_PC) {
		branch->unknown++;
		return;
	}
	if (record->flags & EAR_RECORD_TAKEN)
		branch->taken++;
	else
		branch->not_taken++;
	model_step(branch, &model->states[place][record->hart], record->flags & EAR_RECORD_TAKEN);
}

/* ---- Runs. ---- */

/* Places have habits: always, never, in turn, by chance. */
static struct ear_record make_record(struct random *random, size_t number)
{
	const uint64_t place = random_below(random, PLACES);
	const uint32_t opcode = place % 5 == 4 ? NOP : place % 2 ? C_BNEZ : BEQZ;
	struct ear_record record = record_of(BASE + 2 * place, opcode, 0);

	if (random_once_in(random, 40)) {
		record = (struct ear_record){.kind = EAR_RECORD_GAP};
		return record;
	}
	record.hart = (uint16_t)random_below(random, HARTS);
	if (place % 4 == 0 || (place % 4 == 2 && number % 2) ||
		(place % 4 == 3 && random_once_in(random, 2)))
		record.flags |= EAR_RECORD_TAKEN;
	if (random_once_in(random, 15)) {
		static const uint32_t odd[] = {EAR_RECORD_TRAP, EAR_RECORD_INTERRUPT,
			EAR_RECORD_NO_NEXT_PC, EAR_RECORD_NO_OPCODE};
		record.flags |= odd[random_below(random, 4)];
	}
	return record;
}

static void check_list(const void *count, const struct model *model)
{
	struct ear_branch *list;
	const int64_t found = ear_branches_list(count, &list);
	int64_t expected = 0;

	for (size_t i = 0; i < PLACES; i++) {
		const struct ear_branch *branch = &model->branches[i];
		if (branch->executed == 0)
			continue;
		assert_true(expected < found);
		const struct ear_branch *row = &list[expected++];
		assert_int_equal(row->pc, BASE + 2 * i);
		assert_int_equal(row->executed, branch->executed);
		assert_int_equal(row->taken, branch->taken);
		assert_int_equal(row->not_taken, branch->not_taken);
		assert_int_equal(row->unknown, branch->unknown);
		assert_int_equal(row->misses, branch->misses);
	}
	assert_int_equal(found, expected);
	assert_int_equal(ear_branches_sums(count).gaps, model->gaps);
	free(list);
}

static void misses_are_those_of_a_counter_wherever_the_run_is_cut(void **state)
{
	(void)state;
	for (unsigned run = 1; run <= 300; run++) {
		struct random random = {run};
		struct model model = {0};
		void *whole = make(), *part = make();
		const uint64_t length = 1 + random_below(&random, 1000);
		for (size_t i = 0; i < PLACES; i++)
			for (size_t j = 0; j < HARTS; j++)
				model.states[i][j] = predictions[1];
		for (size_t i = 0; i < length; i++) {
			const struct ear_record record = make_record(&random, i);
			model_take(&model, &record);
			push(part, &record);
			if (random_once_in(&random, run % 7 ? 8 : 300)) {
				assert_int_equal(ear_branches_analysis.join(whole, part), 0);
				ear_branches_analysis.free(part);
				part = make();
			}
		}
		assert_int_equal(ear_branches_analysis.join(whole, part), 0);
		ear_branches_analysis.free(part);
		check_list(whole, &model);
		ear_branches_analysis.free(whole);
	}
}

/* Each opcode that may be one, by the instruction table. */
static void a_branch_is_what_the_instruction_table_says(void **state)
{
	struct ear_instructions *instructions;
	struct ear_instruction instruction = {.size = sizeof(instruction)};
	unsigned branches = 0;

	(void)state;
	assert_int_equal(ear_instructions_new(&instructions, NULL, NULL), 0);
	for (uint32_t i = 0; i < 1u << 16; i++) {
		/* All compressed ones; of the others all major opcodes and funct3. */
		const uint32_t opcode = (i & 3) == 3 ? (i & 0x707F) | 0x00100000 : i;
		void *count = make();
		struct ear_branch *list;
		struct ear_record record = record_of(BASE, opcode, 0);
		assert_int_equal(ear_instruction_of(instructions, &instruction, &record), 0);
		push(count, &record);
		const int64_t found = ear_branches_list(count, &list);
		assert_int_equal(found, instruction.instruction_class == EAR_CLASS_BRANCH);
		branches += found > 0;
		free(list);
		ear_branches_analysis.free(count);
	}
	assert_int_equal(branches, 2 * 2048 + 6 * 64); /* c.beqz, c.bnez; BRANCH */
	ear_instructions_free(instructions);
}

static void what_did_not_retire_is_no_branch(void **state)
{
	static const uint32_t flags[] = {EAR_RECORD_TRAP, EAR_RECORD_INTERRUPT};
	void *count = make();
	struct ear_branch *list;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct ear_record record = record_of(BASE, BEQZ, flags[i] | EAR_RECORD_TAKEN);
		push(count, &record);
	}
	assert_int_equal(ear_branches_list(count, &list), 0);
	assert_int_equal(ear_branches_sums(count).retired, 0);
	free(list);
	ear_branches_analysis.free(count);
}

static void without_opcodes_of_riscv_nothing_is_a_branch(void **state)
{
	void *count = make();
	struct ear_branch *list;
	struct ear_record record = record_of(BASE, BEQZ, EAR_RECORD_NO_OPCODE);

	(void)state;
	push(count, &record);
	record = record_of(BASE, BEQZ, 0);
	record.isa = EAR_ISA_A32;
	push(count, &record);
	assert_int_equal(ear_branches_list(count, &list), 0);
	assert_int_equal(ear_branches_sums(count).retired, 2);
	assert_int_equal(ear_branches_sums(count).without, 2);
	free(list);
	ear_branches_analysis.free(count);
}

static void a_trace_with_too_many_branches_needs_no_more_than_its_room(void **state)
{
	const uint64_t more = 1000;
	void *count = make();
	struct ear_branch *list;

	(void)state;
	for (uint64_t i = 0; i < EAR_BRANCHES_MAX + more; i++) {
		const struct ear_record record = record_of(2 * i, BEQZ, 0);
		push(count, &record);
	}
	assert_int_equal(ear_branches_sums(count).left_out, more);
	assert_int_equal(ear_branches_list(count, &list), EAR_BRANCHES_MAX);
	free(list);
	ear_branches_analysis.free(count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misses_are_those_of_a_counter_wherever_the_run_is_cut),
		cmocka_unit_test(a_branch_is_what_the_instruction_table_says),
		cmocka_unit_test(what_did_not_retire_is_no_branch),
		cmocka_unit_test(without_opcodes_of_riscv_nothing_is_a_branch),
		cmocka_unit_test(a_trace_with_too_many_branches_needs_no_more_than_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
