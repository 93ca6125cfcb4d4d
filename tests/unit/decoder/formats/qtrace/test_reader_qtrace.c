/* A qtrace directory as records: docs/android.md, section 7. */
#include "check.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "decoder/formats/qtrace/qtrace_mark.h"
#include "decoder/formats/qtrace/qtrace_save.h"
#include "decoder/formats/qtrace/reader_qtrace.h"
#include "qtrace_folder.h"

static int no_report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	(void)line_number;
	(void)offset;
	if (!cause || kind != EAR_LINE_NOTE)
		fail_msg("a bad line of a binary file");
	++*(size_t *)context;
	return 0;
}

static size_t warnings;

static struct ear_reader *open_reader(int folder)
{
	const struct ear_reader_options options = {.report = no_report, .context = &warnings};
	struct ear_text_input *input;
	struct ear_reader *reader;
	char fault[200];

	warnings = 0;
	assert_int_equal(ear_text_input_new_empty(&input), 0);
	int result = ear_reader_qtrace_open(&reader, folder, input, &options, fault, sizeof(fault));
	if (result)
		fail_msg("refused: %s", fault);
	return reader;
}

static void close_reader(struct ear_reader *reader)
{
	struct ear_text_input *input = reader->input;

	ear_reader_free(reader);
	ear_text_input_free(input);
}

/* A record as a line: time, then pc and opcode with accesses, or the name of the event. */
static void describe(char *line, size_t size, const struct ear_record *record)
{
	size_t used = (size_t)snprintf(line, size, "%" PRIu64 " ", record->ticks);

	if (record->kind == EAR_RECORD_EVENT) {
		snprintf(line + used, size - used, "%.*s", (int)record->u.event.name.size,
			record->u.event.name.text);
		return;
	}
	used += (size_t)snprintf(line + used, size - used, "%s%u %" PRIx64 " %" PRIx64,
		record->isa == EAR_ISA_A32   ? "arm"
		: record->isa == EAR_ISA_T32 ? "thumb"
					     : "riscv",
		record->opcode_size, record->pc, record->opcode);
	for (size_t i = 0; i < record->memory_count; i++)
		used += (size_t)snprintf(line + used, size - used, " %s%u %" PRIx64,
			record->memory[i].write ? "st" : "ld", record->memory[i].size,
			record->memory[i].address);
}

/* The records of a folder from the one with this line on are these. */
static void assert_records(int folder, const char *const *lines, size_t count)
{
	struct ear_reader *reader = open_reader(folder);
	const struct ear_record *record;
	char line[256];
	size_t at = 0;
	int result;

	while (at < count && (result = ear_reader_next(reader, &record)) == 1) {
		describe(line, sizeof(line), record);
		if (at > 0)
			assert_string_equal(line, lines[at]);
		at += at > 0 || strcmp(line, lines[0]) == 0;
	}
	if (at < count)
		fail_msg("there is no '%s'", lines[at]);
	close_reader(reader);
}

static void assert_sample(const char *const *lines, size_t count)
{
	int raw = folder_open_sample("raw"), post = folder_open_sample("post");

	assert_records(raw, lines, count);
	assert_records(post, lines, count);
	close(raw);
	close(post);
}

static void accesses_belong_to_their_instruction(void **state)
{
	static const char *const lines[] = {
		"1 arm4 c0008000 e59fd004 ld0 c000800c",
		"32 arm4 c0008004 eb00010a",
		"33 arm4 c0008434 e92d4010 st0 c01feff8 st0 c01feffc",
		"45 arm4 c0008438 e59f2108 ld0 c0008548",
		"76 arm4 c000843c e3a01000",
	};

	(void)state;
	assert_sample(lines, COUNT_OF(lines));
}

static void events_follow_the_store_that_made_them(void **state)
{
	static const char *const lines[] = {
		"82 arm4 c000825c e5832030",
		"83 process 0 0 swapper",
		"83 arm4 c0008260 e12fff1e",
		"84 arm4 c0008448 e59f20fc ld0 c000854c",
	};
	static const char *const exec[] = {
		"271 exec /system/bin/app -v --loop=3",
	};

	(void)state;
	assert_sample(lines, COUNT_OF(lines));
	assert_sample(exec, COUNT_OF(exec));
}

static void an_exception_is_an_event_of_its_own(void **state)
{
	static const char *const lines[] = {"2201 exception 0x8080 0x8080"};

	(void)state;
	assert_sample(lines, COUNT_OF(lines));
}

static void methods_have_their_pid_and_address(void **state)
{
	static const char *const lines[] = {
		"2387 method-enter 100 0x42000100",
	};

	(void)state;
	assert_sample(lines, COUNT_OF(lines));
}

/* All of the sample: 1147 entries, of which Thumb's pairs are one instruction each. */
static void every_instruction_access_and_event_of_the_sample_comes(void **state)
{
	int sample = folder_open_sample("raw");
	struct ear_reader *reader = open_reader(sample);
	size_t entries = 0, loads = 0, stores = 0, events = 0;
	const struct ear_record *record;
	uint64_t time = 0, index = 0;
	int result;

	(void)state;
	while ((result = ear_reader_next(reader, &record)) == 1) {
		assert_at_least(record->ticks, time);
		assert_true(record->flags & EAR_RECORD_HAS_TIME);
		assert_int_equal(record->index, index);
		time = record->ticks;
		if (record->kind == EAR_RECORD_EVENT) {
			events++;
			continue;
		}
		index++;
		entries += record->isa == EAR_ISA_T32 && record->opcode_size == 4 ? 2 : 1;
		for (size_t i = 0; i < record->memory_count; i++) {
			loads += !record->memory[i].write;
			stores += record->memory[i].write;
		}
	}
	assert_int_equal(result, 0);
	assert_int_equal(ear_reader_next(reader, &record), 0);
	assert_int_equal(entries, 1147);
	assert_int_equal(loads, 319);
	assert_int_equal(stores, 251);
	assert_int_equal(events, 20 + 9 + 7); /* of .pid, .method and .exc */
	assert_int_equal(warnings, 0);
	close_reader(reader);
	close(sample);
}

/* "addi a0, a0, 1; c.nop; lw a1, 4(a0)" as Earshot writes RISC-V: halfwords, and a mark. */
static void the_mark_makes_halfwords_riscv(void **state)
{
	static const char *const lines[] = {
		"10 riscv4 80000000 150513",
		"11 riscv2 80000004 1",
		"12 riscv4 80000006 452583 ld4 80001004",
	};
	const uint16_t halfwords[] = {0x0513, 0x0015, 0x0001, 0x2583, 0x0045};
	const uint64_t times[] = {10, 10, 11, 12, 12};
	const struct ear_qtrace_save_options options = {0};
	const struct ear_qtrace_access access = {13, 0x80001004};
	struct ear_qtrace_save *save;
	uint32_t entries[5];
	uint64_t block;
	int folder = folder_make();

	(void)state;
	assert_int_equal(ear_qtrace_save_new(&save, folder, &options), 0);
	for (unsigned i = 0; i < 5; i++)
		entries[i] = ear_qtrace_wrap(halfwords[i]);
	assert_int_equal(ear_qtrace_save_block(save, &block, 0x80000001, entries, 5), 0);
	assert_int_equal(ear_qtrace_save_execution(save, block, 10, 0), 0);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(ear_qtrace_save_time(save, times[i]), 0);
	assert_int_equal(ear_qtrace_save_access(save, false, &access), 0);
	assert_int_equal(ear_qtrace_save_finish(save, 14, 0), 0);
	ear_qtrace_save_free(save);
	assert_int_equal(ear_qtrace_mark_write(&(struct ear_qtrace_mark){.xlen = 32}, folder), 0);
	assert_records(folder, lines, COUNT_OF(lines));
	unlinkat(folder, EAR_QTRACE_MARK_NAME, 0);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_belong_to_their_instruction),
		cmocka_unit_test(events_follow_the_store_that_made_them),
		cmocka_unit_test(an_exception_is_an_event_of_its_own),
		cmocka_unit_test(methods_have_their_pid_and_address),
		cmocka_unit_test(every_instruction_access_and_event_of_the_sample_comes),
		cmocka_unit_test(the_mark_makes_halfwords_riscv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
