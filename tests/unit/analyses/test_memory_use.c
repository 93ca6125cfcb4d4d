/* What a run did with memory: against plain arrays of random accesses, and case by case. Names, the
 * heap and bytes that were loaded are held by tests/e2e/test_memory_use.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <earshot/error.h>

#include "analyses/base/analysis_run.h"
#include "analyses/memory/memory_result.h"
#include "random.h"

#define LW      0x0002a303u /* lw t1, 0(t0) */
#define SW      0x0062a023u
#define ADDI_SP 0xff010113u /* addi sp, sp, -16 */
#define MV_SP   0x00050113u /* mv sp, a0 */
#define PC      0x80000000u
#define BASE    0x80010000u
#define PAGES   4u
#define BYTES   (PAGES * EAR_USAGE_PAGE)

struct run {
	struct ear_usage *memory;
	uint64_t number;
	uint16_t hart;
};

static void begin_part(struct run *run, uint64_t working_set, bool part)
{
	const struct ear_usage_options options = {.working_set = working_set};
	const struct ear_analysis_setup setup = {.options = &options, .part = part};
	void *memory = NULL;

	assert_int_equal(ear_memory_analysis.create(&memory, &setup), 0);
	*run = (struct run){.memory = memory};
}

static void begin(struct run *run, uint64_t working_set)
{
	begin_part(run, working_set, false);
}

static void give(struct run *run, const struct ear_record *record)
{
	const struct ear_batch batch = {
		.size = sizeof(batch), .count = 1, .number = run->number, .record = record};

	run->number += record->kind == EAR_RECORD_INSTRUCTION;
	assert_int_equal(ear_memory_analysis.batch(run->memory, &batch), 0);
}

static struct ear_record instruction(const struct run *run, uint64_t pc, uint32_t opcode)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.hart = run->hart,
		.xlen = 32,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = opcode,
		.pc = pc,
		.next_pc = pc + 4};
}

static void access_at(struct run *run, uint64_t pc, uint64_t address, uint8_t size, bool write)
{
	const struct ear_record_access access = {
		.address = address, .size = size, .write = write, .has_value = true};
	struct ear_record record = instruction(run, pc, write ? SW : LW);

	record.memory = &access;
	record.memory_count = 1;
	give(run, &record);
}

static void set_sp(struct run *run, uint32_t opcode, uint64_t sp)
{
	const struct ear_record_register reg = {
		.reg_class = EAR_REGISTER_X, .number = 2, .value = sp};
	struct ear_record record = instruction(run, PC, opcode);

	record.registers = &reg;
	record.register_count = 1;
	give(run, &record);
}

static const struct ear_usage_site *site(struct run *run, unsigned fault, uint64_t pc)
{
	const struct ear_usage_site *sites;
	size_t count = ear_usage_sites(run->memory, &sites);

	for (size_t i = 0; i < count; i++)
		if (sites[i].fault == fault && sites[i].pc == pc)
			return &sites[i];
	return NULL;
}

static void end(struct run *run)
{
	ear_memory_analysis.free(run->memory);
}

/* The same, counted in arrays. */
struct plain {
	uint64_t reads[PAGES], writes[PAGES], misaligned;
	bool touched[BYTES + 8];
};

static void check_plain(struct run *run, const struct plain *plain)
{
	const struct ear_usage_page *pages;
	const size_t count = ear_usage_pages(run->memory, &pages);
	uint64_t found = 0, touched = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t page = (pages[i].address - BASE) / EAR_USAGE_PAGE;
		if (page >= PAGES)
			continue;
		assert_int_equal(pages[i].count.reads, plain->reads[page]);
		assert_int_equal(pages[i].count.writes, plain->writes[page]);
		found += pages[i].touched;
	}
	for (unsigned i = 0; i < BYTES; i++)
		touched += plain->touched[i];
	assert_int_equal(found, touched);
	assert_int_equal(ear_usage_touched(run->memory, BASE, BASE + BYTES - 1), touched);
	const struct ear_usage_site *site_of = site(run, EAR_USAGE_MISALIGNED, PC);
	assert_int_equal(site_of ? site_of->count : 0, plain->misaligned);
}

static void random_accesses_are_counted_as_arrays_count_them(void **state)
{
	struct random random = {3};

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct plain *plain = calloc(1, sizeof(*plain));
		struct run run;

		assert_non_null(plain);
		begin(&run, 0);
		for (unsigned i = 0; i < 2000; i++) {
			const uint8_t size = (uint8_t)(1u << random_below(&random, 4));
			const uint64_t at = random_below(&random, BYTES - 8);
			const bool write = random_once_in(&random, 2);
			access_at(&run, PC, BASE + at, size, write);
			(write ? plain->writes : plain->reads)[at / EAR_USAGE_PAGE]++;
			memset(plain->touched + at, true, size);
			plain->misaligned += at % size != 0;
		}
		assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
		assert_int_equal(ear_usage_facts(run.memory).records, 2000);
		check_plain(&run, plain);
		end(&run);
		free(plain);
	}
}

static void code_that_is_written_is_reported_from_what_runs_where_was_written(void **state)
{
	struct ear_record nop;
	struct run run;

	(void)state;
	begin(&run, 0);
	access_at(&run, PC, BASE, 4, true);
	nop = instruction(&run, BASE, 0x13);
	give(&run, &nop); /* ran where was written */
	give(&run, &nop); /* once is enough */
	access_at(&run, PC + 4, BASE, 4, true);
	access_at(&run, PC + 8, BASE + 4, 4, true); /* did not run */
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	assert_int_equal(site(&run, EAR_USAGE_RUN_WRITTEN, BASE)->count, 1);
	assert_int_equal(site(&run, EAR_USAGE_CODE_WRITE, PC + 4)->count, 1);
	assert_null(site(&run, EAR_USAGE_CODE_WRITE, PC));
	assert_null(site(&run, EAR_USAGE_CODE_WRITE, PC + 8));
	end(&run);
}

static void stacks_are_reported_by_how_sp_moves(void **state)
{
	const struct ear_usage_stack *stacks;
	struct run run;

	(void)state;
	begin(&run, 0);
	ear_memory_analysis.task(run.memory, 1, true);
	set_sp(&run, MV_SP, 0x9000);
	set_sp(&run, ADDI_SP, 0x8f00);
	ear_memory_analysis.task(run.memory, 2, true);
	set_sp(&run, MV_SP, 0x5000); /* another one */
	set_sp(&run, ADDI_SP, 0x4ff0);
	ear_memory_analysis.task(run.memory, 1, true);
	set_sp(&run, MV_SP, 0x8f80); /* back */
	set_sp(&run, ADDI_SP, 0x8e00);
	ear_memory_analysis.task(run.memory, 3, false);
	set_sp(&run, MV_SP, 0x3000); /* of a task that does not count */
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	assert_int_equal(ear_usage_stacks(run.memory, &stacks), 3);
	assert_int_equal(stacks[0].high, 0x9000);
	assert_int_equal(stacks[0].low, 0x8e00);
	assert_int_equal(stacks[0].record, 5);
	assert_int_equal(stacks[0].switches, 2);
	assert_int_equal(stacks[0].task, 1);
	assert_int_equal(stacks[1].low, 0x4ff0);
	assert_int_equal(stacks[1].task, 2);
	assert_true(stacks[0].counts && stacks[1].counts && !stacks[2].counts);
	end(&run);
}

static void what_another_task_does_is_not_counted(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 0);
	ear_memory_analysis.task(run.memory, 1, true);
	access_at(&run, PC, BASE, 4, true);
	ear_memory_analysis.task(run.memory, 2, false);
	access_at(&run, PC, BASE + 4, 4, true);
	access_at(&run, PC, BASE + EAR_USAGE_PAGE - 2, 4, true); /* in two pages */
	access_at(&run, PC, UINT64_MAX - 1, 4, true);            /* over the end of all addresses */
	access_at(&run, PC, BASE + 9, 4, false);
	ear_memory_analysis.task(run.memory, 1, true);
	access_at(&run, PC, BASE + 4, 4, false);
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	const struct ear_usage_facts facts = ear_usage_facts(run.memory);
	assert_int_equal(facts.records, 2);
	assert_int_equal(facts.total.reads, 1);
	assert_int_equal(facts.total.writes, 1);
	assert_int_equal(ear_usage_touched(run.memory, 0, UINT64_MAX), 8);
	assert_null(site(&run, EAR_USAGE_MISALIGNED, PC));
	end(&run);
}

static void the_working_set_is_that_of_each_interval(void **state)
{
	static const uint64_t addresses[] = {0, 4, 64, 128, 60, 5000, 5000, 5000, 5064, 0};
	const struct ear_usage_interval *rows;
	struct run run;

	(void)state;
	begin(&run, 4);
	run.number = 1001; /* the trace is read from here on */
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		access_at(&run, PC, BASE + addresses[i], 4, false);
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	assert_int_equal(ear_usage_intervals(run.memory, &rows), 3);
	assert_int_equal(rows[0].begin, 1001);
	assert_int_equal(rows[0].lines, 3);
	assert_int_equal(rows[0].pages, 1);
	assert_int_equal(rows[1].begin, 1005);
	assert_int_equal(rows[1].lines, 2);
	assert_int_equal(rows[1].pages, 2);
	assert_int_equal(rows[2].records, 2);
	assert_int_equal(ear_usage_facts(run.memory).begin, 1001);
	end(&run);
}

static void heat_keeps_its_sum_when_its_steps_grow(void **state)
{
	const struct ear_usage_page *pages;
	uint64_t sum = 0;
	struct run run;

	(void)state;
	begin(&run, 0);
	for (unsigned i = 0; i < 200000; i++)
		access_at(&run, PC, BASE, 4, i % 2);
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	const struct ear_usage_facts facts = ear_usage_facts(run.memory);
	assert_int_equal(facts.step, 4096); /* 64 of them reach as far */
	const size_t count = ear_usage_pages(run.memory, &pages);
	for (size_t i = 0; i < count; i++)
		for (unsigned j = 0; j < EAR_USAGE_STEPS; j++) {
			sum += pages[i].heat[j];
			if (pages[i].address == BASE && (j + 1) * facts.step <= 200000)
				assert_int_equal(pages[i].heat[j], facts.step);
		}
	assert_int_equal(sum, 200000);
	end(&run);
}

/* Steps begin at multiples of their length: where the run begins says nothing of what is in one. */
static void heat_of_a_run_that_begins_anywhere(void **state)
{
	static const uint64_t begins[] = {1, 1023, 1500, 70000, UINT64_C(1) << 40 | 77};

	(void)state;
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		const struct ear_usage_page *pages;
		struct run run;
		begin(&run, 0);
		run.number = begins[i];
		for (unsigned j = 0; j < 100000; j++)
			access_at(&run, PC, BASE, 4, false);
		assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
		const struct ear_usage_facts facts = ear_usage_facts(run.memory);
		const size_t count = ear_usage_pages(run.memory, &pages);
		const uint64_t behind = begins[i] + 100000;
		for (unsigned j = 0; j < EAR_USAGE_STEPS; j++) {
			const uint64_t from = ear_usage_step_begin(&facts, j),
				       to = ear_usage_step_begin(&facts, j + 1);
			assert_true(j == 0 || from % facts.step == 0);
			for (size_t k = 0; k < count; k++)
				if (pages[k].address == BASE)
					assert_int_equal(pages[k].heat[j],
						from >= behind
							? 0
							: (to < behind ? to : behind) - from);
		}
		end(&run);
	}
}

static void harts_share_lines_truly_or_falsely(void **state)
{
	struct ear_usage_shared *found;
	struct run run;
	size_t count;

	(void)state;
	begin(&run, 0);
	for (unsigned i = 0; i < 6; i++) {
		run.hart = i % 2;
		access_at(&run, PC, BASE + 4 * run.hart, 4, true); /* bytes of their own */
		access_at(&run, PC, BASE + 64, 4, run.hart == 0);  /* one writes, one reads */
		access_at(&run, PC, BASE + 128, 4, false);         /* nobody writes */
	}
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	found = ear_usage_shared(run.memory, &count);
	assert_non_null(found);
	assert_int_equal(count, 2);
	assert_int_equal(found[0].line, BASE);
	assert_false(found[0].is_true);
	assert_int_equal(found[0].writers, 2);
	assert_int_equal(found[0].moves, 5);
	assert_int_equal(found[1].line, BASE + 64);
	assert_true(found[1].is_true);
	assert_int_equal(found[1].writers, 1);
	assert_int_equal(ear_usage_facts(run.memory).harts, 2);
	free(found);
	end(&run);
}

static void accesses_that_were_not_done_touch_nothing(void **state)
{
	struct ear_record_access access = {.address = BASE, .size = 4, .write = true};
	struct ear_record record;
	struct run run;

	(void)state;
	begin(&run, 0);
	record = instruction(&run, PC, SW);
	record.memory = &access;
	record.memory_count = 1;
	access.masked = true;
	give(&run, &record);
	access.masked = false;
	access.aborted = true;
	give(&run, &record);
	access.aborted = false;
	record.flags = EAR_RECORD_TRAP;
	record.cause = 6;
	access.address = BASE + 2;
	give(&run, &record);
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	assert_int_equal(ear_usage_facts(run.memory).total.writes, 0);
	assert_int_equal(ear_usage_touched(run.memory, 0, UINT64_MAX), 0);
	const struct ear_usage_site *found = site(&run, EAR_USAGE_MISALIGNED, PC);
	assert_non_null(found);
	assert_int_equal(found->trapped, 1);
	assert_int_equal(found->address, BASE + 2);
	end(&run);
}

static void pages_beyond_the_bound_are_counted_alone(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 0);
	access_at(&run, PC, BASE, 4, true);
	for (uint64_t i = 0; i < 70000; i++)
		access_at(&run, PC, (i + 1) << 32, 1, true);
	assert_int_equal(ear_memory_analysis.finish(run.memory), 0);
	const struct ear_usage_facts facts = ear_usage_facts(run.memory);
	assert_int_equal(facts.pages, EAR_USAGE_PAGES_MAX);
	assert_int_equal(facts.total.writes, 70001);
	/* One page is that of the code. */
	assert_int_equal(facts.lost, 70001 - (EAR_USAGE_PAGES_MAX - 1));
	end(&run);
}

/* ---- Files that are wrong. ---- */

/* Returns what the join says, or 1: the file is refused. */
static int join_lines(const char *lines)
{
	struct run sum, part;
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = tmpfile();
	int result = 1;

	begin_part(&sum, 50, false);
	begin_part(&part, 50, true);
	assert_non_null(file);
	fprintf(file,
		"earshot-part %d memory\noptions -\ntrace -\nprogram - -\nrecords 0 1 1\nmissing 0 0 1 0 0 0 0 0 0\n%s",
		EAR_PART_VERSION, lines);
	rewind(file);
	if (ear_part_open(&reader, file, &found) &&
		ear_analysis_read(&ear_memory_analysis, part.memory, NULL, &reader))
		result = ear_memory_analysis.join(sum.memory, part.memory);
	ear_part_close(&reader);
	fclose(file);
	end(&part);
	assert_int_equal(ear_memory_analysis.finish(sum.memory), 0);
	end(&sum);
	return result;
}

#define SUMS "sums 0 0 0 0 0 0 1 1 1 0 1024 0 0 0\n"

static void lines_that_cannot_be(void **state)
{
	static const char *const wrong[] = {
		"row 9 1\n", "row 0 0 1\n",       /* no such row, or too short */
		"row 0 65536 0 0 0 0 0\n",        /* a hart that cannot be */
		"row 2 0 1 1 0 0 0\n",            /* moves in no stack */
		"page 1 0 0 0 0 0 0 0 0 0 0 0\n", /* not the address of a page */
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\npage 4096 0 0 0 0 0 0 0 0 0 0 0\n", "heat 0 1\n",
		"bits 0 0 1\n", "share 0\n", /* of no page */
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nheat 64 1\n",
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nheat 63 1\n", /* after the end */
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nbits 3 32 1\n",
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nline 0 0 0 0\n",
		"site 4 1 0 0 1 0 0 0 0 0 0\n", /* what is found at the end only */
		"open 3 1 0 0 4 1 1 1 0 0 1 0 0 1\n",
		"sums 0 0 0 0 0 0 1 1 1 0 1000 0 0 0\n", /* not a power of two */
		"sums 0 0 0 0 0 0 1 0 1 0 1024 0 0 0\n", /* no records, but it has begun */
	};
	char text[512];

	(void)state;
	assert_int_equal(join_lines(SUMS "end 7\n"), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		unsigned lines = 7;
		for (const char *c = wrong[i]; *c; c++)
			lines += *c == '\n';
		snprintf(text, sizeof(text), SUMS "%send %u\n", wrong[i], lines);
		const int result = join_lines(text);
		if (result != 1 && result != EAR_E_BAD_FILE)
			fail_msg("%d: %s", result, wrong[i]);
	}
	assert_int_equal(join_lines(SUMS), 1); /* no end */
	assert_int_equal(join_lines("pc 1\nend 7\n"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_accesses_are_counted_as_arrays_count_them),
		cmocka_unit_test(code_that_is_written_is_reported_from_what_runs_where_was_written),
		cmocka_unit_test(stacks_are_reported_by_how_sp_moves),
		cmocka_unit_test(what_another_task_does_is_not_counted),
		cmocka_unit_test(the_working_set_is_that_of_each_interval),
		cmocka_unit_test(heat_keeps_its_sum_when_its_steps_grow),
		cmocka_unit_test(heat_of_a_run_that_begins_anywhere),
		cmocka_unit_test(harts_share_lines_truly_or_falsely),
		cmocka_unit_test(accesses_that_were_not_done_touch_nothing),
		cmocka_unit_test(pages_beyond_the_bound_are_counted_alone),
		cmocka_unit_test(lines_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
