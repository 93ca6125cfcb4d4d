/* What a question about memory needs not read: pages of which a version has all lines, and accesses
 * that are kept instead of memory.
 */
#include "check.h"

#include <earshot/error.h>

#include "library/index/file/index_log.h"
#include "library/index/file/index_sparse.h"
#include "random.h"

#define SW    0x00a2a023u
#define LW    0x0002a283u
#define SC    0x18a2a2afu
#define PAGE  UINT64_C(0x80001000)
#define LINE  64u
#define LINES 4u

static struct ear_memory *new_memory(void)
{
	const struct ear_memory_options options = {.captured = true, .part = true};
	struct ear_memory *memory = NULL;

	assert_int_equal(ear_memory_new(&memory, &options), 0);
	return memory;
}

static struct ear_record make_record(
	uint32_t opcode, uint64_t index, const struct ear_record_access *access)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.index = index,
		.xlen = 64,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = opcode,
		.pc = 0x80000000,
		.next_pc = 0x80000000,
		.memory = access,
		.memory_count = 1};
}

static void store(struct ear_memory *memory, uint64_t address)
{
	static uint64_t index;
	const struct ear_record_access access = {
		.address = address, .size = 4, .write = true, .has_value = true, .value = address};
	const struct ear_record record = make_record(SW, index++, &access);

	assert_int_equal(ear_memory_push(memory, &record), 0);
}

static void make_sparse(struct ear_index_sparse *sparse, struct ear_memory *memory)
{
	struct ear_memory_changes changes;

	assert_int_equal(ear_memory_changes(memory, &changes), 0);
	assert_int_equal(ear_index_sparse_make(sparse, memory, &changes), 0);
}

static void a_page_has_all_lines_that_were_ever_touched(void **state)
{
	struct ear_memory *memory = new_memory();
	struct ear_index_sparse sparse;

	(void)state;
	store(memory, PAGE);
	store(memory, PAGE + 7 * LINE);
	make_sparse(&sparse, memory);
	ear_index_sparse_fini(&sparse);
	store(memory, PAGE + 5 * LINE);
	make_sparse(&sparse, memory);
	assert_int_equal(sparse.page_count, 1);
	assert_int_equal(sparse.pages[0], PAGE);
	assert_int_equal(sparse.count, 3);
	assert_int_equal(sparse.lines[0].address, PAGE);
	assert_int_equal(sparse.lines[1].address, PAGE + 5 * LINE);
	assert_int_equal(sparse.lines[2].address, PAGE + 7 * LINE);
	ear_index_sparse_fini(&sparse);
	ear_memory_free(memory);
}

static void a_page_in_which_much_changes_is_left_out(void **state)
{
	struct ear_memory *memory = new_memory();
	struct ear_index_sparse sparse;

	(void)state;
	for (unsigned i = 0; i < 17; i++)
		store(memory, PAGE + i * LINE);
	for (unsigned i = 0; i < 16; i++)
		store(memory, PAGE + 4096 + i * LINE);
	make_sparse(&sparse, memory);
	assert_int_equal(sparse.page_count, 1);
	assert_int_equal(sparse.pages[0], PAGE + 4096);
	assert_int_equal(sparse.count, 16);
	ear_index_sparse_fini(&sparse);
	ear_memory_free(memory);
}

static void what_a_part_does_not_know_comes_from_before(void **state)
{
	struct ear_memory *before = new_memory(), *memory = new_memory();
	struct ear_index_sparse sparse, completed;

	(void)state;
	store(before, PAGE + 9 * LINE);
	store(before, PAGE + 5 * LINE + 8);
	store(before, PAGE + 4096); /* of another page */
	store(memory, PAGE + 5 * LINE);
	make_sparse(&sparse, memory);
	assert_int_equal(ear_index_sparse_complete(&completed, &sparse, before), 0);
	assert_int_equal(completed.page_count, 1);
	assert_int_equal(completed.count, 2);
	assert_int_equal(completed.lines[0].address, PAGE + 5 * LINE);
	assert_int_equal(completed.lines[0].settled, 0xF0F);
	assert_int_equal(completed.lines[1].address, PAGE + 9 * LINE);
	ear_index_sparse_fini(&completed);
	ear_index_sparse_fini(&sparse);
	ear_memory_free(before);
	ear_memory_free(memory);
}

static void it_becomes_smaller_until_nothing_is_left(void **state)
{
	struct ear_memory *memory = new_memory();
	struct ear_index_sparse sparse;
	size_t before;

	(void)state;
	for (unsigned page = 0; page < 60; page++)
		for (unsigned i = 0; i < 8; i++)
			store(memory, PAGE + page * 4096 + i * LINE);
	make_sparse(&sparse, memory);
	assert_int_equal(sparse.page_count, 32);
	assert_int_equal(sparse.count, 32 * 8 + 28 * 8);
	assert_true(ear_index_sparse_shrink(&sparse));
	assert_int_equal(sparse.page_count, 32);
	assert_int_equal(sparse.count, 32 * 8);
	do {
		before = sparse.page_count;
		assert_int_equal(sparse.count, before * 8);
	} while (ear_index_sparse_shrink(&sparse) && sparse.page_count < before);
	assert_int_equal(sparse.count, 0);
	ear_index_sparse_fini(&sparse);
	ear_memory_free(memory);
}

/* Random loads and stores, some across the border of a line: what the log says of lines is what the
 * memory holds. */
static void a_log_agrees_with_the_memory(void **state)
{
	struct random random = {1};

	(void)state;
	for (unsigned trial = 0; trial < 200; trial++) {
		struct ear_memory_line lines[LINES] = {{0}}, held;
		struct ear_memory *memory = new_memory();
		struct ear_index_log log = {0};
		ear_index_log_begin(&log, PAGE, PAGE + LINES * LINE - 1);
		for (unsigned i = 0; i < 60; i++) {
			uint64_t address = PAGE - LINE + random_below(&random, (LINES + 2) * LINE);
			bool write = random_once_in(&random, 2);
			struct ear_record_access access = {.address = address,
				.size = (uint8_t)(1u << random_below(&random, 4)),
				.write = write,
				.has_value = true,
				.value = random_next(&random)};
			/* A load sees what is there. */
			const struct ear_record record = make_record(write ? SW : LW, i, &access);
			const struct ear_source_run run = {.record = &record};
			uint8_t bytes[8];
			bool known[8];
			ear_memory_read(memory, address, bytes, known, access.size);
			for (unsigned k = 0; !write && k < access.size; k++)
				if (known[k])
					access.value = (access.value & ~(UINT64_C(255) << 8 * k)) |
						       (uint64_t)bytes[k] << 8 * k;
			assert_int_equal(ear_memory_push(memory, &record), 0);
			ear_index_log_push(&log, &run);
		}
		for (unsigned i = 0; i < LINES; i++)
			lines[i].address = PAGE + i * LINE;
		assert_true(ear_index_log_lines(&log, lines, LINES));
		for (unsigned i = 0; i < LINES; i++) {
			assert_int_equal(ear_memory_line(memory, lines[i].address, &held), 0);
			assert_int_equal(lines[i].known, held.known);
			assert_int_equal(lines[i].settled, held.settled);
			assert_memory_equal(lines[i].bytes, held.bytes, LINE);
		}
		ear_index_log_fini(&log);
		ear_memory_free(memory);
	}
}

/* An sc may have stored or not: who asks about its line must follow the memory. */
static void a_log_does_not_say_what_it_does_not_know(void **state)
{
	const struct ear_record_access access = {
		.address = PAGE, .size = 4, .write = true, .has_value = true, .value = 1};
	const struct ear_record record = make_record(SC, 0, &access);
	const struct ear_source_run run = {.record = &record};
	struct ear_memory_line near = {.address = PAGE}, far = {.address = PAGE + 2 * LINE};
	struct ear_index_log log = {0};

	(void)state;
	ear_index_log_begin(&log, 0, UINT64_MAX);
	ear_index_log_push(&log, &run);
	assert_false(ear_index_log_lines(&log, &near, 1));
	assert_true(ear_index_log_lines(&log, &far, 1));
	near.settled = UINT64_MAX;
	assert_true(ear_index_log_lines(&log, &near, 1));
	ear_index_log_fini(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_has_all_lines_that_were_ever_touched),
		cmocka_unit_test(a_page_in_which_much_changes_is_left_out),
		cmocka_unit_test(what_a_part_does_not_know_comes_from_before),
		cmocka_unit_test(it_becomes_smaller_until_nothing_is_left),
		cmocka_unit_test(a_log_agrees_with_the_memory),
		cmocka_unit_test(a_log_does_not_say_what_it_does_not_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
