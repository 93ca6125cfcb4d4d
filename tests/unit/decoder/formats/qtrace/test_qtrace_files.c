/* The files of a qtrace as a log of what happened, and back: docs/android.md, sections 3 to 5.
 *
 * The rules of section 5, and the tests that fail where the files are written without one:
 *
 *  1  times_of_blocks_increase_strictly, every_file_is_there_with_its_end_mark
 *  2  times_of_methods_increase_strictly
 *  3  no_access_is_at_the_address_and_time_of_the_one_before
 *  4  at_most_1024_records_repeat_at_once, and test_qtrace_random.py
 *  5  a_block_has_512_entries_at_most, every_file_is_there_with_its_end_mark
 *  6  pids_are_below_32768
 *  7  a_task_without_a_name_has_no_child, pid_0_begins_no_program
 *  8  a_task_exists_before_its_first_method
 *  9  every_file_is_there_with_its_end_mark, a_file_that_is_not_wanted_is_not_there
 * 10  times_do_not_decrease, the_sample_is_written_byte_for_byte_as_the_emulator_did
 * 13  the_counts_of_the_header_are_those_of_post_trace
 * 14  an_execution_has_one_exception, the_counts_of_the_header_are_those_of_post_trace
 *
 * Rules 11 and 12 are of the tools and of what makes the log: tests/e2e/test_android.py.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "decoder/formats/qtrace/qtrace_log.h"
#include "decoder/formats/qtrace/qtrace_save.h"
#include "qtrace_copy.h"
#include "qtrace_folder.h"

static struct ear_qtrace_log *open_log(int folder)
{
	struct ear_qtrace_log *log;
	char fault[200];

	int result = ear_qtrace_log_open(&log, folder, fault, sizeof(fault));
	if (result)
		fail_msg("the folder is refused: %s", fault);
	return log;
}

static void assert_done(struct ear_qtrace_save *save, int result)
{
	if (result)
		fail_msg("refused: %s", ear_qtrace_save_fault(save));
}

static void assert_copy_is_equal(const char *from, const char *expected, bool raw)
{
	int sample = folder_open_sample(from), other = folder_open_sample(expected);
	int made = folder_make();

	const char *fault = qtrace_copy(made, sample, raw);
	if (fault)
		fail_msg("%s", fault);
	folder_assert_equal(made, other);
	folder_remove(made);
	close(sample);
	close(other);
}

static void the_sample_is_written_byte_for_byte_as_the_emulator_did(void **state)
{
	(void)state;
	assert_copy_is_equal("raw", "raw", true);
	assert_copy_is_equal("post", "raw", true);
}

static void the_counts_of_the_header_are_those_of_post_trace(void **state)
{
	(void)state;
	assert_copy_is_equal("raw", "post", false);
	assert_copy_is_equal("post", "post", false);
}

/* --- Rules of section 5: what the writer refuses --- */

struct writing {
	int folder;
	struct ear_qtrace_save *save;
	uint64_t block;
};

/* A folder with a block of two entries, and nothing that ran. */
static struct writing begin_writing(void)
{
	const uint32_t entries[] = {0xE1A00000, 0xE12FFF1E};
	const struct ear_qtrace_save_options options = {0};
	struct writing writing = {.folder = folder_make()};

	assert_int_equal(ear_qtrace_save_new(&writing.save, writing.folder, &options), 0);
	assert_done(writing.save,
		ear_qtrace_save_block(writing.save, &writing.block, 0x8000, entries, 2));
	return writing;
}

static void run_block(const struct writing *writing, uint64_t time)
{
	assert_done(
		writing->save, ear_qtrace_save_execution(writing->save, writing->block, time, 0));
	assert_done(writing->save, ear_qtrace_save_time(writing->save, time));
	assert_done(writing->save, ear_qtrace_save_time(writing->save, time + 1));
}

static void end_writing(struct writing *writing)
{
	ear_qtrace_save_free(writing->save);
	folder_remove(writing->folder);
}

static void assert_refused(const struct writing *writing, int result, const char *rule)
{
	assert_int_equal(result, EAR_E_BAD_ARGUMENT);
	assert_string_equal(ear_qtrace_save_fault(writing->save), rule);
}

static int push_event(const struct writing *writing, uint64_t time, enum ear_qtrace_pid_type type,
	uint64_t first, uint64_t second)
{
	const struct ear_qtrace_text text = {(const uint8_t *)"x", 1};
	const struct ear_qtrace_pid_event event = {time, type, {first, second}, &text};

	return ear_qtrace_save_pid(writing->save, &event);
}

static void times_of_blocks_increase_strictly(void **state)
{
	struct writing writing = begin_writing();

	(void)state;
	run_block(&writing, 7);
	assert_refused(&writing, ear_qtrace_save_execution(writing.save, writing.block, 7, 0),
		"times of blocks increase strictly");
	run_block(&writing, 8);
	end_writing(&writing);
}

static void times_of_methods_increase_strictly(void **state)
{
	struct writing writing = begin_writing();
	struct ear_qtrace_method_event event = {.time = 5, .address = 0x100};

	(void)state;
	assert_done(writing.save, ear_qtrace_save_method(writing.save, &event));
	assert_refused(&writing, ear_qtrace_save_method(writing.save, &event),
		"times of method events increase strictly");
	end_writing(&writing);
}

static void no_access_is_at_the_address_and_time_of_the_one_before(void **state)
{
	struct writing writing = begin_writing();
	const struct ear_qtrace_access zero = {0, 0};
	struct ear_qtrace_access access = {.time = 5, .address = 0x100};

	(void)state;
	for (int store = 0; store < 2; store++) {
		assert_refused(&writing, ear_qtrace_save_access(writing.save, store, &zero),
			"no access has the address and time of the one before it");
		assert_done(writing.save, ear_qtrace_save_access(writing.save, store, &access));
		assert_refused(&writing, ear_qtrace_save_access(writing.save, store, &access),
			"no access has the address and time of the one before it");
	}
	access.address = 0x104;
	assert_done(writing.save, ear_qtrace_save_access(writing.save, true, &access));
	access.time = 6;
	assert_done(writing.save, ear_qtrace_save_access(writing.save, true, &access));
	end_writing(&writing);
}

static void a_block_has_512_entries_at_most(void **state)
{
	struct writing writing = begin_writing();
	uint32_t entries[513] = {0};

	(void)state;
	assert_refused(&writing,
		ear_qtrace_save_block(writing.save, &writing.block, 0, entries, 513),
		"a block has 1 to 512 entries");
	assert_refused(&writing, ear_qtrace_save_block(writing.save, &writing.block, 0, entries, 0),
		"a block has 1 to 512 entries");
	assert_done(
		writing.save, ear_qtrace_save_block(writing.save, &writing.block, 0, entries, 512));
	assert_int_equal(writing.block, 2);
	end_writing(&writing);
}

static void pids_are_below_32768(void **state)
{
	struct writing writing = begin_writing();
	const struct ear_qtrace_method_event event = {.time = 5, .pid = 32768};

	(void)state;
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_SWITCH, 32768, 0),
		"pids are 0 to 32767");
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_KTHREAD, 1, 40000),
		"pids are 0 to 32767");
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_KTHREAD, 40000, 1),
		"pids are 0 to 32767");
	assert_refused(&writing, ear_qtrace_save_method(writing.save, &event),
		"a task exists before its first method");
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_NAME, 32768, 0),
		"pids are 0 to 32767");
	assert_refused(&writing, ear_qtrace_save_execution(writing.save, writing.block, 1, 32768),
		"pids are 0 to 32767");
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_SWITCH, 32767, 0));
	end_writing(&writing);
}

static void a_task_without_a_name_has_no_child(void **state)
{
	struct writing writing = begin_writing();

	(void)state;
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_FORK, 1, 1),
		"a task has a name before it forks or clones");
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_CLONE, 1, 1),
		"a task has a name before it forks or clones");
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_KTHREAD, 0, 0));
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_FORK, 1, 1));
	/* A child has the name of its parent; a task that only runs has none. */
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_SWITCH, 5, 0));
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_FORK, 5, 6),
		"a task has a name before it forks or clones");
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_SWITCH, 1, 0));
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_FORK, 6, 6));
	end_writing(&writing);
}

static void pid_0_begins_no_program(void **state)
{
	struct writing writing = begin_writing();

	(void)state;
	assert_refused(&writing, push_event(&writing, 1, EAR_QTRACE_EXEC, 1, 0),
		"pid 0 begins no program");
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_SWITCH, 1, 0));
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_EXEC, 1, 0));
	end_writing(&writing);
}

static void a_task_exists_before_its_first_method(void **state)
{
	struct writing writing = begin_writing();
	struct ear_qtrace_method_event event = {.time = 5, .pid = 3};

	(void)state;
	assert_refused(&writing, ear_qtrace_save_method(writing.save, &event),
		"a task exists before its first method");
	assert_done(writing.save, push_event(&writing, 1, EAR_QTRACE_SWITCH, 3, 0));
	assert_done(writing.save, ear_qtrace_save_method(writing.save, &event));
	end_writing(&writing);
}

static void an_execution_has_one_exception(void **state)
{
	struct writing writing = begin_writing();

	(void)state;
	assert_refused(&writing, ear_qtrace_save_exception(writing.save, 3, 4, 0, 2),
		"an exception is of a block that ran");
	run_block(&writing, 1);
	assert_refused(&writing, ear_qtrace_save_exception(writing.save, 3, 4, 0, 3),
		"an exception is of a block that ran");
	assert_done(writing.save, ear_qtrace_save_exception(writing.save, 3, 4, 0, 2));
	assert_refused(&writing, ear_qtrace_save_exception(writing.save, 3, 4, 0, 2),
		"an execution has one exception at most");
	end_writing(&writing);
}

static void every_file_is_there_with_its_end_mark(void **state)
{
	static const size_t sizes[EAR_QTRACE_FILES] = {88 + 16 + 16 + 8, 3, 0, 2, 2, 7, 2, 2};
	struct writing writing = begin_writing();

	(void)state;
	assert_int_equal(ear_qtrace_save_finish(writing.save, 0, 0), 0);
	for (unsigned i = 0; i < EAR_QTRACE_FILES; i++) {
		size_t size = SIZE_MAX;
		free(folder_read(writing.folder, (enum ear_qtrace_file)i, &size));
		assert_int_equal(size, sizes[i]);
	}
	ear_qtrace_log_close(open_log(writing.folder));
	end_writing(&writing);
}

/* Loads, stores and methods that nobody wants have no files; those of a trace that was there are
 * gone. */
static void a_file_that_is_not_wanted_is_not_there(void **state)
{
	const struct ear_qtrace_save_options options = {.no_accesses = true, .no_methods = true};
	const struct ear_qtrace_method_event event = {.time = 5};
	const struct ear_qtrace_access access = {.time = 5};
	struct writing writing = begin_writing();

	(void)state;
	ear_qtrace_save_free(writing.save);
	assert_int_equal(ear_qtrace_save_new(&writing.save, writing.folder, &options), 0);
	assert_refused(&writing, ear_qtrace_save_access(writing.save, false, &access),
		"the directory is made without accesses");
	assert_refused(&writing, ear_qtrace_save_method(writing.save, &event),
		"the directory is made without methods");
	assert_int_equal(ear_qtrace_save_finish(writing.save, 0, 0), 0);
	for (unsigned i = 0; i < EAR_QTRACE_FILES; i++) {
		const char *name = ear_qtrace_file_name((enum ear_qtrace_file)i);
		bool there = faccessat(writing.folder, name, F_OK, 0) == 0;
		if (there == ear_qtrace_file_optional((enum ear_qtrace_file)i))
			fail_msg("%s is %s", name, there ? "there" : "missing");
	}
	ear_qtrace_log_close(open_log(writing.folder));
	end_writing(&writing);
}

static void times_do_not_decrease(void **state)
{
	struct writing writing = begin_writing();
	struct ear_qtrace_access access = {.time = 5, .address = 0x100};
	const uint64_t times[] = {7, 8, 8, 6, 9};

	(void)state;
	run_block(&writing, 5);
	assert_refused(&writing, ear_qtrace_save_times(writing.save, times, 5),
		"times of instructions do not decrease");
	assert_refused(&writing, ear_qtrace_save_time(writing.save, 7),
		"times of instructions do not decrease");
	assert_done(writing.save, ear_qtrace_save_time(writing.save, 8));
	assert_done(writing.save, ear_qtrace_save_access(writing.save, true, &access));
	access = (struct ear_qtrace_access){.time = 4, .address = 0x104};
	assert_refused(&writing, ear_qtrace_save_access(writing.save, true, &access),
		"times of accesses do not decrease");
	assert_done(writing.save, push_event(&writing, 3, EAR_QTRACE_SWITCH, 1, 0));
	assert_refused(&writing, push_event(&writing, 2, EAR_QTRACE_SWITCH, 1, 0),
		"times of events do not decrease");
	assert_done(writing.save, ear_qtrace_save_exception(writing.save, 7, 4, 0, 1));
	run_block(&writing, 8);
	assert_refused(&writing, ear_qtrace_save_exception(writing.save, 6, 4, 0, 1),
		"times of exceptions do not decrease");
	end_writing(&writing);
}

/* More blocks that repeat than the window has: the oldest 1024 are written and repeat no more. */
static void at_most_1024_records_repeat_at_once(void **state)
{
	const uint32_t entry = 0xE1A00000;
	struct writing writing = begin_writing();
	struct ear_qtrace_execution run;
	uint64_t block, time = 1, count = 0;
	int result;

	(void)state;
	for (unsigned i = 0; i < 1100; i++)
		assert_done(writing.save,
			ear_qtrace_save_block(writing.save, &block, 0x10000 + 4 * i, &entry, 1));
	for (unsigned round = 0; round < 5; round++)
		for (unsigned i = 0; i < 1100; i++, time++) {
			assert_done(writing.save,
				ear_qtrace_save_execution(writing.save, 2 + i, time, 0));
			assert_done(writing.save, ear_qtrace_save_time(writing.save, time));
		}
	assert_int_equal(ear_qtrace_save_finish(writing.save, time, 0), 0);

	struct ear_qtrace_log *log = open_log(writing.folder);
	while ((result = ear_qtrace_log_next(log, &run)) == 1) {
		count++;
		if (run.number == 0)
			continue;
		assert_int_equal(run.number, 2 + (count - 1) % 1100);
		assert_int_equal(run.time, count);
		assert_int_equal(ear_qtrace_log_time(log, &time), 1);
	}
	assert_int_equal(result, 0);
	assert_int_equal(count, 5 * 1100 + 1);
	ear_qtrace_log_close(log);
	end_writing(&writing);
}

/* --- What the reader refuses: the file, the byte, the cause --- */

/* The sentence with which a folder is refused, at once or on the way; "" if it is not. */
static void read_whole(int folder, char *fault, size_t size)
{
	const struct ear_qtrace_pid_event *event;
	const struct ear_qtrace_method_event *method;
	struct ear_qtrace_access access;
	struct ear_qtrace_execution run;
	struct ear_qtrace_log *log;
	uint64_t time, left = 100000;
	int result = ear_qtrace_log_open(&log, folder, fault, size);

	if (result) {
		assert_int_not_equal(fault[0], '\0');
		return;
	}
	while (left > 0 && (result = ear_qtrace_log_next(log, &run)) == 1) {
		left--;
		for (uint32_t i = 0; i < run.entries && result == 1; i++)
			result = ear_qtrace_log_time(log, &time);
		while (result == 1 && (result = ear_qtrace_log_pid(log, run.time, &event)) == 1) {
		}
		if (result < 0)
			break;
	}
	while (left-- > 0 && result == 0 &&
		(result = ear_qtrace_log_pid(log, UINT64_MAX, &event)) == 1)
		result = 0;
	while (left-- > 0 && result == 0 &&
		(result = ear_qtrace_log_method(log, UINT64_MAX, &method)) == 1)
		result = 0;
	for (int store = 0; store < 2; store++)
		while (left-- > 0 && result == 0 &&
			(result = ear_qtrace_log_access(log, store, UINT64_MAX, &access)) == 1)
			result = 0;
	const char *cause = ear_qtrace_log_fault(log);
	if ((result < 0) != (cause != NULL))
		fail_msg("result %d, but the sentence is %s", result, cause ? cause : "missing");
	snprintf(fault, size, "%s", cause ? cause : "");
	ear_qtrace_log_close(log);
}

/* The sample with one file of other bytes. */
static void assert_fault(
	enum ear_qtrace_file file, const uint8_t *bytes, size_t size, const char *expected)
{
	int sample = folder_open_sample("raw"), folder = folder_make();
	char fault[200] = "";

	folder_copy(folder, sample);
	folder_write(folder, file, bytes, size);
	read_whole(folder, fault, sizeof(fault));
	assert_string_equal(fault, expected);
	folder_remove(folder);
	close(sample);
}

#define FAULT(file, expected, ...) \
	assert_fault(file, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), \
		expected)

static void what_breaks_a_rule_is_named_with_its_file_and_byte(void **state)
{
	(void)state;
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 3: the time is that of the record before", 1, 1, 0, 1,
		0, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 0: there is no block of this number", 0x80, 103, 1, 0,
		0, 0, 0);
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 0: there is no block of this number", 0x7F, 1, 0, 0,
		0, 0);
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 0: the block repeats after 0 clocks", 1, 1, 5, 0, 0,
		0, 0);
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 0: the time has more than 64 bits", 1, 1, 0xFC, 0x80,
		0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0);
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 3: the file ends before its end mark", 1, 1, 0, 0, 0);
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 0: no number begins with this byte", 0xFF, 1, 0, 0, 0,
		0);
	FAULT(EAR_QTRACE_INSN, "qtrace.insn, byte 2: the file ends before its end mark", 1, 0);
	FAULT(EAR_QTRACE_INSN,
		"qtrace.insn, byte 0: the time is not that at which the block began, by qtrace.bb",
		2, 0, 31, 0, 1, 0);
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: the file ends before its end mark", 0, 0, 0);
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: it is a second exception of one execution", 1, 1,
		0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: the block does not have so many entries", 1, 1,
		1, 1, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_EXC,
		"qtrace.exc, byte 0: the exception names another block than the one that ran then",
		1, 1, 1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: an address has more than 32 bits", 1, 0xF8, 16,
		0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_PID, "qtrace.pid, byte 0: there is no event of this type", 1, 11, 0, 0);
	FAULT(EAR_QTRACE_PID, "qtrace.pid, byte 0: there is no event of this type", 1, 13, 0, 0);
	FAULT(EAR_QTRACE_PID, "qtrace.pid, byte 0: the event has more than 4096 texts", 1, 4, 0x90,
		1);
	FAULT(EAR_QTRACE_PID, "qtrace.pid, byte 0: the texts of the event have more than 1 MiB", 1,
		12, 0, 0xE0, 0x20, 0, 0);
	FAULT(EAR_QTRACE_PID, "qtrace.pid, byte 0: the file ends inside of a record", 1, 12, 0, 5,
		'a');
	FAULT(EAR_QTRACE_METHOD, "qtrace.method, byte 0: there is no event of this type", 1, 0, 0,
		3, 0, 0);
	FAULT(EAR_QTRACE_METHOD, "qtrace.method, byte 0: the time is that of the event before", 0,
		1, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_LOAD, "qtrace.load, byte 2: the file ends before its end mark", 1, 1);
	FAULT(EAR_QTRACE_STATIC, "qtrace.static, byte 0: the file ends inside of a record", 1, 2);
}

static void bytes_after_an_end_mark_are_refused(void **state)
{
	(void)state;
	FAULT(EAR_QTRACE_BB, "qtrace.bb, byte 6: more bytes come after the end mark", 1, 1, 0, 0, 0,
		0, 1, 1, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_STORE, "qtrace.store, byte 4: more bytes come after the end mark", 4, 2, 0,
		0, 4, 3, 0, 0);
	FAULT(EAR_QTRACE_LOAD, "qtrace.load, byte 2: more bytes come after the end mark", 0, 0, 0);
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 7: more bytes come after the end mark", 0, 0, 0, 0,
		0, 0, 0, 0);
	FAULT(EAR_QTRACE_PID, "qtrace.pid, byte 5: more bytes come after the end mark", 4, 3, 0, 0,
		0, 4, 3, 0, 0, 0);
	FAULT(EAR_QTRACE_METHOD, "qtrace.method, byte 2: more bytes come after the end mark", 0, 0,
		1, 0, 0, 0, 0, 0);
}

static void an_end_mark_of_exceptions_is_seven_zeros(void **state)
{
	(void)state;
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: the end mark is not 7 zeros", 0, 0, 1, 0, 0, 0,
		0);
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: the end mark is not 7 zeros", 0, 0, 0, 0, 0, 0,
		1);
}

/* The blocks of the sample begin at 1, 33 and 79. */
static void an_exception_is_between_its_block_and_the_next_one(void **state)
{
	(void)state;
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: the exception is older than its block", 1, 1, 2,
		1, 2, 33, 5, 0, 0, 0, 0, 0, 0, 0);
	FAULT(EAR_QTRACE_EXC, "qtrace.exc, byte 0: the next block began before the exception", 80,
		1, 2, 1, 2, 33, 5, 0, 0, 0, 0, 0, 0, 0);
}

static void a_block_of_code_is_checked(void **state)
{
	int sample = folder_open_sample("raw");
	size_t size;
	uint8_t *bytes = folder_read(sample, EAR_QTRACE_STATIC, &size);

	(void)state;
	assert_fault(EAR_QTRACE_STATIC, bytes, 88, "qtrace.static, byte 0: there is no block 0");
	bytes[16] = 1;
	assert_fault(
		EAR_QTRACE_STATIC, bytes, size, "qtrace.static, byte 16: the version is not 2");
	bytes[16] = 2;
	bytes[104] = 2;
	assert_fault(EAR_QTRACE_STATIC, bytes, size,
		"qtrace.static, byte 104: the number of the block is not the next one");
	bytes[104] = 1;
	bytes[117] = 3;
	assert_fault(EAR_QTRACE_STATIC, bytes, size,
		"qtrace.static, byte 104: the block has more than 512 entries");
	bytes[117] = 0;
	bytes[96] = 4;
	assert_fault(EAR_QTRACE_STATIC, bytes, size,
		"qtrace.static, byte 88: block 0 has an address, or entries");
	free(bytes);
	close(sample);
}

static void a_file_that_is_missing_is_named(void **state)
{
	static const char *const expected[EAR_QTRACE_FILES] = {"is a folder without qtrace.static",
		"qtrace.bb: No such file or directory", "qtrace.insn: No such file or directory",
		"", "", "qtrace.exc: No such file or directory",
		"qtrace.pid: No such file or directory", ""};
	int sample = folder_open_sample("raw");

	(void)state;
	for (unsigned i = 0; i < EAR_QTRACE_FILES; i++) {
		int folder = folder_make();
		char fault[200] = "";
		folder_copy(folder, sample);
		unlinkat(folder, ear_qtrace_file_name((enum ear_qtrace_file)i), 0);
		read_whole(folder, fault, sizeof(fault));
		assert_string_equal(fault, expected[i]);
		folder_remove(folder);
	}
	close(sample);
}

/* Early times are stepped over, one by one and in a row. */
static void times_before_a_block_are_of_no_block(void **state)
{
	struct writing writing = begin_writing();
	struct ear_qtrace_execution run;
	uint64_t time;

	(void)state;
	assert_done(writing.save, ear_qtrace_save_execution(writing.save, 1, 100, 0));
	for (unsigned i = 0; i < 50; i++)
		assert_done(writing.save, ear_qtrace_save_time(writing.save, 2 * i));
	assert_done(writing.save, ear_qtrace_save_time(writing.save, 100));
	assert_done(writing.save, ear_qtrace_save_time(writing.save, 101));
	assert_int_equal(ear_qtrace_save_finish(writing.save, 102, 0), 0);
	struct ear_qtrace_log *log = open_log(writing.folder);
	assert_int_equal(ear_qtrace_log_next(log, &run), 1);
	assert_int_equal(ear_qtrace_log_time(log, &time), 1);
	assert_int_equal(time, 100);
	assert_int_equal(ear_qtrace_log_time(log, &time), 1);
	assert_int_equal(time, 101);
	assert_int_equal(ear_qtrace_log_skipped(log), 50);
	ear_qtrace_log_close(log);
	end_writing(&writing);
}

/* --- Damage --- */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void mutated_files_give_errors_and_never_more(void **state)
{
	int sample = folder_open_sample("raw"), folder = folder_make();
	uint32_t random = 1;
	size_t refused = 0;

	(void)state;
	folder_copy(folder, sample);
	for (unsigned round = 0; round < 2000; round++) {
		enum ear_qtrace_file file = next_random(&random) % EAR_QTRACE_FILES;
		char fault[200] = "";
		size_t size;
		uint8_t *bytes = folder_read(sample, file, &size);
		uint8_t *changed = folder_read(sample, file, &size);
		size_t whole = size;
		for (unsigned count = next_random(&random) % 3; count < 3; count++)
			changed[next_random(&random) % size] = (uint8_t)next_random(&random);
		if (next_random(&random) % 4 == 0)
			size = next_random(&random) % size;
		folder_write(folder, file, changed, size);
		read_whole(folder, fault, sizeof(fault));
		refused += fault[0] != '\0';
		if (fault[0] && strncmp(fault, "qtrace.", 7) != 0)
			fail_msg("no file is named: %s", fault);
		folder_write(folder, file, bytes, whole);
		free(bytes);
		free(changed);
	}
	assert_above(refused, 1000);
	folder_remove(folder);
	close(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_is_written_byte_for_byte_as_the_emulator_did),
		cmocka_unit_test(the_counts_of_the_header_are_those_of_post_trace),
		cmocka_unit_test(times_of_blocks_increase_strictly),
		cmocka_unit_test(times_of_methods_increase_strictly),
		cmocka_unit_test(no_access_is_at_the_address_and_time_of_the_one_before),
		cmocka_unit_test(a_block_has_512_entries_at_most),
		cmocka_unit_test(pids_are_below_32768),
		cmocka_unit_test(a_task_without_a_name_has_no_child),
		cmocka_unit_test(pid_0_begins_no_program),
		cmocka_unit_test(a_task_exists_before_its_first_method),
		cmocka_unit_test(an_execution_has_one_exception),
		cmocka_unit_test(every_file_is_there_with_its_end_mark),
		cmocka_unit_test(a_file_that_is_not_wanted_is_not_there),
		cmocka_unit_test(times_do_not_decrease),
		cmocka_unit_test(at_most_1024_records_repeat_at_once),
		cmocka_unit_test(what_breaks_a_rule_is_named_with_its_file_and_byte),
		cmocka_unit_test(bytes_after_an_end_mark_are_refused),
		cmocka_unit_test(an_end_mark_of_exceptions_is_seven_zeros),
		cmocka_unit_test(an_exception_is_between_its_block_and_the_next_one),
		cmocka_unit_test(a_block_of_code_is_checked),
		cmocka_unit_test(a_file_that_is_missing_is_named),
		cmocka_unit_test(times_before_a_block_are_of_no_block),
		cmocka_unit_test(mutated_files_give_errors_and_never_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
