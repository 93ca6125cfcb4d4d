/* Traces through the library: records one by one, in batches and in columns, and places, compared
 * with what the reader of the commands gives.
 */
#define _GNU_SOURCE /* memfd_create */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "library/api/trace_internal.h"
#include "library_truth.h"
#include "random.h"

static void every_record_comes_once(void **state)
{
	struct truth *truth;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open(truth);
		const struct ear_record *record;
		uint64_t position = 0;
		int result;

		for (; (result = ear_trace_next(trace, &record)) == 1; position++) {
			truth_check(truth, record, position);
			assert_same(ear_trace_position(trace), position + 1);
			assert_same(ear_trace_number(trace), truth->numbers[position + 1]);
		}
		assert_int_equal(result, 0);
		assert_same(position, truth->count);
		assert_int_equal(ear_trace_next(trace, &record), 0);
		ear_trace_close(trace);
	}
}

static void what_a_record_has_its_trace_can_carry(void **state)
{
	struct truth *truth;
	size_t lacking = 0;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open(truth);
		const struct ear_record *record;
		const int traps = ear_trace_carries(trace, "trap cause");
		const int interrupts = ear_trace_carries(trace, "interrupt");
		const int gaps = ear_trace_carries(trace, "gap");
		const int events = ear_trace_carries(trace, "event");

		lacking += traps == 0 || interrupts == 0 || gaps == 0 || events == 0;
		while (ear_trace_next(trace, &record) == 1) {
			const bool is_interrupt = record->flags & EAR_RECORD_INTERRUPT;
			assert_true(!is_interrupt || interrupts == 1);
			assert_true(
				is_interrupt || !(record->flags & EAR_RECORD_TRAP) || traps == 1);
			assert_true(record->kind != EAR_RECORD_GAP || gaps == 1);
			assert_true(record->kind != EAR_RECORD_EVENT || events == 1);
		}
		assert_int_equal(ear_trace_carries(trace, "trap"), EAR_E_BAD_ARGUMENT);
		assert_string_equal(ear_trace_error(trace), "no field is called 'trap'");
		ear_trace_close(trace);
	}
	assert_true(lacking > 0);
}

/* Of a text in a file, or in a pipe, which is asked before its first record or after it. */
static void check_carries(const char *text, bool piped, bool late, const int *expected)
{
	static const char *const fields[] = {"integer register write", "load address",
		"store address", "privilege", "trap cause", "interrupt", "opcode"};
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	const struct ear_record *record;
	struct ear_trace *trace;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	if (!piped)
		assert_at_least(dup2(memfd_create("text", 0), ends[0]), 0);
	const int to = piped ? ends[1] : ends[0];
	assert_int_equal(write(to, text, strlen(text)), (int)strlen(text));
	close(ends[1]);
	if (!piped)
		assert_int_equal(lseek(to, 0, SEEK_SET), 0);
	options.format = "spike";
	assert_int_equal(ear_trace_open_fd(&trace, ends[0], "", &options), 0);
	if (late)
		assert_int_equal(ear_trace_next(trace, &record), 1);
	for (size_t i = 0; i < COUNT_OF(fields); i++)
		assert_int_equal(
			ear_trace_carries(trace, fields[i]), (piped && late) || expected[i]);
	if (!late)
		assert_int_equal(ear_trace_next(trace, &record), 1);
	assert_same(record->pc, 0x80000000);
	assert_int_equal(ear_trace_next(trace, &record), 1);
	ear_trace_close(trace);
	close(ends[0]);
}

static void two_logs_of_a_tool_carry_what_each_shows(void **state)
{
	static const char listing[] = "core   0: 0x80000000 (0x00500513) li a0, 5\n"
				      "core   0: 0x80000004 (0x00a12023) sw a0, 0(sp)\n"
				      "core   0: 0x80000008 (0x00012503) lw a0, 0(sp)\n";
	static const char commits[] =
		"core   0: 3 0x80000000 (0x00500513) x10 0x00000005\n"
		"core   0: 3 0x80000004 (0x00a12023) mem 0x80001000 0x00000005\n"
		"core   0: 3 0x80000008 (0x00012503) x10 0x00000005 mem 0x80001000\n";

	(void)state;
	for (int i = 0; i < 4; i++) {
		check_carries(listing, i & 1, i & 2, (const int[]){0, 0, 0, 0, 1, 1, 1});
		check_carries(commits, i & 1, i & 2, (const int[]){1, 1, 1, 1, 0, 0, 1});
	}
}

static void batches_mix_with_single_records(void **state)
{
	struct random random = {7};
	struct truth *truth;
	size_t runs = 0;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open(truth);
		const struct ear_record *record;
		struct ear_batch batch = {.size = sizeof(batch)};
		uint64_t position = 0;

		for (;;) {
			if (random_once_in(&random, 3)) {
				if (ear_trace_next(trace, &record) == 0)
					break;
				truth_check(truth, record, position++);
				continue;
			}
			if (ear_trace_next_batch(trace, &batch) == 0)
				break;
			assert_same(batch.position, position);
			assert_same(batch.number, truth->numbers[position]);
			runs += batch.run != NULL;
			for (size_t i = 0; i < batch.count; i++)
				truth_check(truth, ear_batch_record(&batch, i), position++);
		}
		assert_same(position, truth->count);
		ear_trace_close(trace);
	}
	assert_above(runs, 100);
}

/* A thread reads ahead: the same records, with all that they point to, at the same places. */
static void reading_ahead_is_reading(void **state)
{
	struct truth *truth;
	size_t runs = 0;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open(truth);
		struct ear_batch batch = {.size = sizeof(batch)};
		const struct ear_record *record;
		struct ear_ahead *ahead;
		uint64_t position = 0;

		/* Also from a place that is not the beginning. */
		for (; t % 2 && position < 5 && ear_trace_next(trace, &record) == 1; position++)
			truth_check(truth, record, position);
		assert_int_equal(ear_ahead_new(&ahead, trace), 0);
		while (ear_ahead_next_batch(ahead, &batch) == 1) {
			assert_same(batch.position, position);
			assert_same(batch.number, truth->numbers[position]);
			runs += batch.run != NULL;
			for (size_t i = 0; i < batch.count; i++)
				truth_check(truth, ear_batch_record(&batch, i), position++);
		}
		assert_same(position, truth->count);
		assert_int_equal(ear_ahead_next_batch(ahead, &batch), 0);
		ear_ahead_free(ahead);
		assert_int_equal(ear_trace_next(trace, &record), 0);
		ear_trace_close(trace);
	}
	assert_above(runs, 100);
}

/* Freed before its end, at any time, the thread ends. */
static void reading_ahead_can_be_ended(void **state)
{
	struct truth *truth = truth_of(0);

	(void)state;
	for (unsigned taken = 0; taken < 40; taken++) {
		struct ear_trace *trace = truth_open(truth);
		struct ear_batch batch = {.size = sizeof(batch)};
		struct ear_batch older = {.size = sizeof(batch) - 8};
		struct ear_ahead *ahead;

		assert_int_equal(ear_ahead_new(&ahead, trace), 0);
		assert_int_equal(ear_ahead_next_batch(ahead, &older), EAR_E_BAD_ARGUMENT);
		for (unsigned i = 0; i < taken; i++)
			assert_at_least(ear_ahead_next_batch(ahead, &batch), 0);
		ear_ahead_free(ahead);
		ear_trace_close(trace);
	}
	ear_ahead_free(NULL);
	truth_free(truth);
}

static int refuse_line(void *context, uint64_t line, uint64_t byte, const char *cause, bool bad)
{
	(void)context, (void)line, (void)byte, (void)cause;
	return bad ? EAR_E_BAD_FILE : 0;
}

/* What is wrong comes after what came before it, and is said once the thread has ended. */
static void an_error_comes_after_the_records_before_it(void **state)
{
	char path[] = "/tmp/earshot-ahead-XXXXXX";
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_trace *trace;
	struct ear_ahead *ahead;
	uint64_t count = 0;
	int result, fd = mkstemp(path);

	(void)state;
	assert_at_least(fd, 0);
	FILE *file = fdopen(fd, "w");
	assert_non_null(file);
	for (unsigned i = 0; i < 20000; i++)
		fprintf(file,
			"core   0: 0x%016x (0x00000013) nop\n"
			"core   0: 3 0x%016x (0x00000013)\n",
			0x80000000u + 4 * i, 0x80000000u + 4 * i);
	fprintf(file, "core   0: 3 nonsense\n");
	assert_int_equal(fclose(file), 0);
	options.format = "spike";
	options.index = EAR_INDEX_NONE;
	options.report = refuse_line;
	assert_int_equal(ear_trace_open(&trace, path, &options), 0);
	assert_int_equal(ear_ahead_new(&ahead, trace), 0);
	while ((result = ear_ahead_next_batch(ahead, &batch)) == 1)
		count += batch.count;
	assert_true(result < 0);
	assert_int_equal(ear_ahead_next_batch(ahead, &batch), result);
	ear_ahead_free(ahead);
	assert_at_least(count, 19999);
	ear_trace_close(trace);
	unlink(path);
}

/* A program with an older header, and one with a newer header. */
static void a_batch_is_as_large_as_the_program_says(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open(truth);
	struct {
		struct ear_batch batch;
		uint64_t more;
	} newer = {{.size = sizeof(newer)}, 7};
	struct ear_batch older = {.size = offsetof(struct ear_batch, expanded)};
	struct ear_expanded_record *const untouched = (void *)&newer;
	uint64_t position = 0;

	(void)state;
	older.expanded = untouched;
	while (ear_trace_next_batch(trace, &newer.batch) == 1) {
		for (size_t i = 0; i < newer.batch.count; i++)
			truth_check(truth, ear_batch_record(&newer.batch, i), position++);
		assert_int_equal(newer.batch.size, sizeof(newer));
		assert_int_equal(newer.more, 0);
		if (ear_trace_next_batch(trace, &older) == 0)
			break;
		assert_same(older.position, position);
		position += older.count;
		assert_ptr_equal(older.expanded, untouched);
	}
	assert_same(position, truth->count);
	older.size = 0;
	assert_int_equal(ear_trace_next_batch(trace, &older), EAR_E_BAD_ARGUMENT);
	assert_contains(ear_trace_error(trace), "size");
	ear_trace_close(trace);
	truth_free(truth);
}

/* The columns that the records of the truth have. */
static uint64_t expected(const struct truth *truth, unsigned id, size_t at)
{
	const struct ear_record *record = truth->records[at];
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;

	switch (id) {
	case EAR_COLUMN_POSITION: return at;
	case EAR_COLUMN_NUMBER: return truth->numbers[at];
	case EAR_COLUMN_INDEX: return record->index;
	case EAR_COLUMN_TICKS: return record->flags & EAR_RECORD_HAS_TIME ? record->ticks : 0;
	case EAR_COLUMN_PC: return instruction ? record->pc : 0;
	case EAR_COLUMN_KIND: return record->kind;
	case EAR_COLUMN_FLAGS: return record->flags;
	case EAR_COLUMN_HART: return record->hart;
	case EAR_COLUMN_OPCODE:
		return instruction && !(record->flags & EAR_RECORD_NO_OPCODE) ? record->opcode : 0;
	case EAR_COLUMN_ADDRESS: return record->memory_count ? record->memory[0].address : 0;
	case EAR_COLUMN_DATA:
		return record->memory_count && ear_access_is_known(&record->memory[0])
			       ? record->memory[0].value
			       : 0;
	case EAR_COLUMN_RD:
		for (size_t i = 0; i < record->register_count; i++)
			if (record->registers[i].reg_class == EAR_REGISTER_X)
				return record->registers[i].number;
		return 0;
	default: return UINT64_MAX; /* not compared */
	}
}

static uint64_t element(const struct ear_column *column, size_t row)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)column->values + row * ear_column_size(column->id),
		ear_column_size(column->id));
	return value;
}

static void columns_have_what_the_records_have(void **state)
{
	static uint64_t memory[EAR_COLUMN_COUNT][512];
	struct random random = {9};
	struct ear_column columns[EAR_COLUMN_COUNT];
	struct truth *truth;

	(void)state;
	for (unsigned id = 0; id < EAR_COLUMN_COUNT; id++) {
		columns[id] = (struct ear_column){id, memory[id]};
		assert_same(ear_column_find(ear_column_name(id)), (int)id);
	}
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open(truth);
		uint64_t position = 0;
		for (;;) {
			size_t rows = 1 + random_below(&random, 512), filled;
			int64_t got = ear_trace_columns(
				trace, columns, EAR_COLUMN_COUNT, rows, 0, &filled, NULL);
			assert_same(got, (int64_t)filled);
			for (size_t row = 0; row < filled; row++, position++)
				for (unsigned id = 0; id < EAR_COLUMN_COUNT; id++) {
					uint64_t want = expected(truth, id, position);
					if (want != UINT64_MAX &&
						element(&columns[id], row) != want)
						fail_msg("%s: %s of record %llu", truth->path,
							ear_column_name(id),
							(unsigned long long)position);
				}
			if (filled < rows)
				break;
		}
		assert_same(position, truth->count);
		ear_trace_close(trace);
	}
}

static void columns_of_instructions_leave_out_the_rest(void **state)
{
	struct truth *truth = truth_of(5);
	struct ear_trace *trace = truth_open(truth);
	uint64_t numbers[64], at = 0;
	const struct ear_column column = {EAR_COLUMN_NUMBER, numbers};
	int64_t got;

	(void)state;
	do {
		got = ear_trace_columns(
			trace, &column, 1, 64, 1u << EAR_RECORD_INSTRUCTION, NULL, NULL);
		for (int64_t i = 0; i < got; i++, at++)
			assert_same(numbers[i], at);
	} while (got == 64);
	assert_same(at, truth->numbers[truth->count]);
	ear_trace_close(trace);
	truth_free(truth);
}

static void every_place_can_be_gone_to(void **state)
{
	struct random random = {11};
	struct truth *truth;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t / 2)); t++, truth_free(truth)) {
		struct ear_trace *trace = t % 2 ? truth_open_indexed(truth) : truth_open(truth);
		const struct ear_record *record;

		for (unsigned i = 0; i < 60; i++) {
			uint64_t position = random_below(&random, truth->count);
			assert_int_equal(ear_trace_seek(trace, position, NULL), 1);
			for (uint64_t n = position; n < truth->count && n < position + 70; n++) {
				assert_int_equal(ear_trace_next(trace, &record), 1);
				truth_check(truth, record, n);
			}
			uint64_t number = random_below(&random, truth->numbers[truth->count]);
			assert_int_equal(ear_trace_seek_number(trace, number, NULL), 1);
			assert_same(ear_trace_number(trace), number);
			position = ear_trace_position(trace);
			assert_same(truth->numbers[position], number);
			assert_int_equal(ear_trace_next(trace, &record), 1);
			assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
			truth_check(truth, record, position);
		}
		assert_int_equal(ear_trace_seek(trace, truth->count, NULL), 1);
		assert_int_equal(ear_trace_next(trace, &record), 0);
		assert_int_equal(ear_trace_seek(trace, truth->count + 1, NULL), 0);
		assert_int_equal(
			ear_trace_seek_number(trace, truth->numbers[truth->count], NULL), 0);
		ear_trace_close(trace);
	}
}

static void a_time_is_found_at_its_first_record(void **state)
{
	struct random random = {13};
	struct truth *truth;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t / 2)); t++, truth_free(truth)) {
		struct ear_trace *trace = t % 2 ? truth_open_indexed(truth) : truth_open(truth);
		for (unsigned i = 0; i < 20; i++) {
			uint64_t ticks = truth->records[random_below(&random, truth->count)]->ticks;
			size_t at = 0;
			while (at < truth->count &&
				!(truth->records[at]->flags & EAR_RECORD_HAS_TIME &&
					truth->records[at]->ticks >= ticks))
				at++;
			assert_int_equal(
				ear_trace_seek_time(trace, ticks, NULL), at < truth->count);
			if (at < truth->count)
				assert_same(ear_trace_position(trace), at);
		}
		ear_trace_close(trace);
	}
}

static struct ear_trace_counts true_counts(const struct truth *truth)
{
	struct ear_trace_counts counts = {
		.records = truth->count, .instructions = truth->numbers[truth->count]};

	for (size_t i = 0; i < truth->count; i++) {
		const struct ear_record *record = truth->records[i];
		bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
		counts.gaps += record->kind == EAR_RECORD_GAP;
		counts.events += record->kind == EAR_RECORD_EVENT;
		counts.exceptions += instruction && record->flags & EAR_RECORD_TRAP;
		counts.interrupts += instruction && record->flags & EAR_RECORD_INTERRUPT;
		if (!(record->flags & EAR_RECORD_HAS_TIME))
			continue;
		if (!counts.has_time || record->ticks < counts.first_ticks)
			counts.first_ticks = record->ticks;
		if (!counts.has_time || record->ticks > counts.last_ticks)
			counts.last_ticks = record->ticks;
		counts.has_time = true;
	}
	return counts;
}

static void check_counts(const struct truth *truth, struct ear_trace *trace)
{
	const struct ear_trace_counts wanted = true_counts(truth);
	struct ear_trace_counts counts = {.size = sizeof(counts)};

	assert_int_equal(ear_trace_counts(trace, &counts, NULL), 0);
	assert_same(counts.records, wanted.records);
	assert_same(counts.instructions, wanted.instructions);
	assert_same(counts.gaps, wanted.gaps);
	assert_same(counts.events, wanted.events);
	assert_same(counts.exceptions, wanted.exceptions);
	assert_same(counts.interrupts, wanted.interrupts);
	assert_int_equal(counts.has_time, wanted.has_time);
	assert_same(counts.first_ticks, wanted.first_ticks);
	assert_same(counts.last_ticks, wanted.last_ticks);
}

static void the_counts_are_those_of_the_records(void **state)
{
	struct truth *truth;
	size_t traps = 0, gaps = 0;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open(truth);
		struct ear_trace_verdict verdict = {.size = sizeof(verdict)};
		uint64_t missing = 0;

		check_counts(truth, trace);
		assert_int_equal(ear_trace_verdict(trace, &verdict, NULL), 0);
		for (size_t i = 0; i < truth->count; i++)
			if (truth->records[i]->kind == EAR_RECORD_GAP &&
				truth->records[i]->u.gap.count_known)
				missing += truth->records[i]->u.gap.count;
		assert_same(verdict.missing, missing);
		assert_at_least(verdict.hart_count, 1);
		assert_same(verdict.harts[0], truth->records[0]->hart);
		traps += true_counts(truth).exceptions;
		gaps += true_counts(truth).gaps;
		assert_false(true_counts(truth).gaps && verdict.complete);
		ear_trace_close(trace);
	}
	assert_above(traps, 0);
	assert_above(gaps, 0);
}

/* The trace is not read for them, and no index is built. */
static void an_index_knows_the_counts(void **state)
{
	struct truth *truth;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		struct ear_trace *trace = truth_open_indexed(truth);
		check_counts(truth, trace);
		assert_null(trace->index);
		assert_int_equal(ear_trace_index(trace, false, NULL), 1);
		truth_check_index(truth, trace);
		ear_trace_close(trace);
		trace = truth_open_indexed(truth);
		check_counts(truth, trace);
		assert_false(trace->judged);
		ear_trace_close(trace);
	}
}

static int stop_at_once(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)done;
	(void)total;
	assert_non_null(what);
	++*(unsigned *)context;
	return 1;
}

/* A trace that takes longer to read than the time between two calls of progress. */
static void make_long(char *path)
{
	FILE *file = fdopen(mkstemp(path), "w");

	assert_non_null(file);
	for (unsigned i = 0; i < 1200000; i++)
		fprintf(file, "core   0: 3 0x%016x (0x00100293) x5  0x0000000000000001\n",
			0x80000000 + 4 * i);
	fclose(file);
}

static void what_takes_long_can_be_cancelled(void **state)
{
	char path[64] = "/tmp/earshot-library-XXXXXX";
	unsigned calls = 0;
	const struct ear_progress progress = {sizeof(progress), stop_at_once, &calls};
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	struct ear_query query = EAR_QUERY_ANY;
	struct ear_moment *moment = NULL;
	uint64_t count = 99, position = 99;
	struct ear_trace *trace;

	(void)state;
	make_long(path);
	assert_int_equal(ear_trace_open(&trace, path, NULL), 0);
	query.kinds = 1u << EAR_RECORD_GAP;
	assert_int_equal(ear_trace_seek(trace, 1199999, &progress), EAR_E_CANCELLED);
	assert_int_equal(ear_trace_counts(trace, &counts, &progress), EAR_E_CANCELLED);
	assert_string_equal(ear_trace_error(trace), "cancelled");
	assert_int_equal(ear_trace_count_found(trace, &query, 0, UINT64_MAX, &count, &progress),
		EAR_E_CANCELLED);
	assert_same(count, 99);
	assert_int_equal(
		ear_trace_find(trace, &query, UINT64_MAX, EAR_BACKWARD, &position, &progress),
		EAR_E_CANCELLED);
	assert_same(position, 99);
	assert_int_equal(ear_trace_seek_time(trace, 1, &progress), EAR_E_CANCELLED);
	assert_int_equal(ear_moment_new(&moment, trace, 1199999, &progress), EAR_E_CANCELLED);
	assert_same(calls, 6);
	assert_null(moment);
	assert_int_equal(ear_trace_seek(trace, 1199999, NULL), 1);
	assert_same(ear_trace_number(trace), 1199999);
	ear_trace_close(trace);
	unlink(path);
	strcat(path, ".idx"); /* it is long enough for one */
	unlink(path);
}

/* Change a byte in the middle of a file. */
static void edit(const char *path)
{
	FILE *file = fopen(path, "r+");

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	long middle = ftell(file) / 2;
	assert_int_equal(fseek(file, middle, SEEK_SET), 0);
	int byte = fgetc(file);
	assert_int_equal(fseek(file, middle, SEEK_SET), 0);
	fputc(byte == '0' ? '1' : '0', file);
	fclose(file);
}

static void a_trace_that_changes_is_an_error_and_then_has_a_new_index(void **state)
{
	char path[64] = "/tmp/earshot-library-XXXXXX", index[80], command[200];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	const struct ear_record *record;
	struct ear_trace *trace;
	uint64_t records = 0;
	int result;

	(void)state;
	close(mkstemp(path));
	snprintf(command, sizeof(command), "cp %s/whisper/fpmix.csv %s", EAR_TEST_DATA, path);
	assert_int_equal(system(command), 0);
	snprintf(index, sizeof(index), "%s.idx", path);
	options.format = "whisper";
	assert_int_equal(ear_trace_open(&trace, path, &options), 0);
	trace->index_always = true;
	trace->index_stretch = 64;
	assert_int_equal(ear_trace_index(trace, false, NULL), 1);
	assert_int_equal(ear_trace_index_verify(trace, NULL), 0);
	edit(path);
	/* Whoever comes by is told. */
	ear_trace_seek(trace, 400, NULL);
	while ((result = ear_trace_next(trace, &record)) == 1)
		;
	assert_int_equal(result, EAR_E_BAD_FILE);
	assert_contains(ear_trace_error(trace), "changed since its index was made");
	/* Then all is as for a file that is new. */
	assert_int_equal(ear_trace_seek(trace, 0, NULL), 1);
	assert_int_equal(ear_trace_index(trace, false, NULL), 1);
	assert_int_equal(ear_trace_index_verify(trace, NULL), 0);
	assert_int_equal(ear_trace_seek(trace, 400, NULL), 1);
	while ((result = ear_trace_next(trace, &record)) == 1)
		records++;
	assert_int_equal(result, 0);
	assert_above(records, 100);
	ear_trace_close(trace);
	unlink(path);
	unlink(index);
}

static int count_report(
	void *context, uint64_t line_number, uint64_t offset, const char *cause, bool bad)
{
	unsigned *count = context;

	(void)line_number;
	(void)offset;
	(void)cause;
	*count += bad;
	return 0;
}

/* Two bad lines among those of a text. */
static void write_with_bad_lines(const char *path)
{
	char from[1024], line[1024];
	FILE *to = fopen(path, "w");

	snprintf(from, sizeof(from), "%s/whisper/fpmix.csv", EAR_TEST_DATA);
	FILE *text = fopen(from, "r");
	assert_non_null(text);
	assert_non_null(to);
	for (unsigned i = 0; fgets(line, sizeof(line), text); i++)
		fprintf(to, "%s%s", i == 700 || i == 1500 ? "nonsense\n" : "", line);
	fclose(text);
	fclose(to);
}

/* Reading only the parts that are named, and the end, reports every bad line. */
/* Checkpoints: where an index has them, in order, each its own. */
static void checkpoints(void **state)
{
	struct truth *truth = truth_of(4);
	struct ear_trace *trace = truth_open(truth);
	uint64_t before = 0, last = 0;
	unsigned count = 0;

	(void)state;
	assert_int_equal(ear_trace_checkpoint_before(trace, 1000, &before, NULL), 0); /* no index */
	assert_same(before, 1000);
	ear_trace_close(trace);
	trace = truth_open_indexed(truth);
	for (uint64_t i = 0; i <= truth->count; i++) {
		assert_int_equal(ear_trace_checkpoint_before(trace, i, &before, NULL), 1);
		assert_true(before >= last && before <= i);
		count += before > last;
		last = before;
		uint64_t again = 0;
		assert_int_equal(ear_trace_checkpoint_before(trace, before, &again, NULL), 1);
		assert_same(again, before);
	}
	assert_in_range(count, 2, truth->count / 8);
	ear_trace_close(trace);
	truth_free(truth);
}

static void where_lines_are_bad_an_index_knows(void **state)
{
	char path[64] = "/tmp/earshot-library-XXXXXX", index[80];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	const struct ear_record *record;
	struct ear_trace *trace;
	uint64_t position = 77, read = 0;
	unsigned bad = 0;

	(void)state;
	close(mkstemp(path));
	snprintf(index, sizeof(index), "%s.idx", path);
	write_with_bad_lines(path);
	options.format = "whisper";
	options.report = count_report;
	options.report_context = &bad;
	assert_int_equal(ear_trace_open(&trace, path, &options), 0);
	/* Without an index a line may be bad anywhere. */
	assert_int_equal(ear_trace_find_report(trace, 5, &position, NULL), 1);
	assert_same(position, 5);
	trace->index_always = true;
	trace->index_stretch = 64;
	assert_int_equal(ear_trace_index(trace, false, NULL), 1);
	for (uint64_t from = 0; ear_trace_find_report(trace, from, &position, NULL) == 1;
		from = position + 1) {
		assert_int_equal(ear_trace_seek(trace, position, NULL), 1);
		assert_int_equal(ear_trace_next(trace, &record), 1);
		read++;
	}
	assert_int_equal(bad, 2);
	assert_in_range(read, 2, 100);
	assert_int_equal(ear_trace_find_report(trace, UINT64_MAX, &position, NULL), 0);
	ear_trace_close(trace);
	unlink(path);
	unlink(index);
	struct truth *truth = truth_of(4);
	trace = truth_open(truth); /* a capture */
	assert_int_equal(ear_trace_find_report(trace, 0, &position, NULL), 0);
	ear_trace_close(trace);
	truth_free(truth);
}

static void a_pipe_is_read_once(void **state)
{
	struct truth *truth = truth_of(4);
	struct ear_trace *trace;
	const struct ear_record *record;
	char command[400];
	uint64_t position = 0;

	(void)state;
	snprintf(command, sizeof(command), "cat %s", truth->path);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(ear_trace_open_fd(&trace, fileno(pipe), NULL, NULL), 0);
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	assert_int_equal(ear_trace_facts(trace, &facts), 0);
	assert_false(facts.seekable);
	assert_string_equal(facts.format, "shot");
	for (; ear_trace_next(trace, &record) == 1; position++) {
		truth_check(truth, record, position);
		if (position == 50) {
			assert_int_equal(ear_trace_seek(trace, 3, NULL), EAR_E_UNSUPPORTED);
			assert_contains(ear_trace_error(trace), "pipe");
		}
	}
	assert_same(position, truth->count);
	ear_trace_close(trace);
	pclose(pipe);
	truth_free(truth);
}

static void what_cannot_be_opened_is_explained(void **state)
{
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace = NULL;

	(void)state;
	options.error = error;
	assert_int_equal(ear_trace_open(&trace, "/nowhere/x.shot", &options), EAR_E_IO);
	assert_string_equal(error, "/nowhere/x.shot: No such file or directory");
	assert_int_equal(ear_trace_open(&trace, "/tmp", &options), EAR_E_UNSUPPORTED);
	assert_string_equal(error, "/tmp: is a folder without qtrace.static");
	assert_int_equal(ear_trace_open(&trace, EAR_TEST_DATA "/interface.txt", &options),
		EAR_E_UNSUPPORTED);
	assert_contains(error, "not a trace of a known format");
	options.format = "nonsense";
	assert_int_equal(ear_trace_open(&trace, EAR_TEST_DATA "/spike/rv64.log", &options),
		EAR_E_BAD_ARGUMENT);
	assert_string_equal(error, "'nonsense' is not a format");
	options.pattern = "{pc}";
	assert_int_equal(
		ear_trace_open(&trace, EAR_TEST_DATA "/pattern/bus", &options), EAR_E_BAD_ARGUMENT);
	assert_string_equal(error, "a pattern is for the format 'pattern', not for 'nonsense'");
	options.format = "pattern";
	options.pattern = "x{n}={v}\nPC {pcc}";
	assert_int_equal(
		ear_trace_open(&trace, EAR_TEST_DATA "/pattern/bus", &options), EAR_E_BAD_ARGUMENT);
	assert_contains(error, "pattern 2, column 4: there is no field 'pcc'");
	options.pattern = "x{n}={v}";
	assert_int_equal(
		ear_trace_open(&trace, EAR_TEST_DATA "/pattern/bus", &options), EAR_E_BAD_ARGUMENT);
	assert_string_equal(error, "pattern: no pattern has a {pc}, which begins a record");
	options.pattern = NULL;
	assert_int_equal(
		ear_trace_open(&trace, EAR_TEST_DATA "/pattern/bus", &options), EAR_E_BAD_FILE);
	assert_contains(error, "the form of its lines is missing");
	assert_null(trace);
}

/* With an index, too, which is of this pattern only. */
static void a_log_of_ones_own_is_opened_with_its_pattern(void **state)
{
	static const char *const patterns[] = {
		"PC {pc} : reg[{n}] = {v}", "PC {pc} : reg[{_}] = {...}", "PC {pc} : {...}"};
	static const unsigned counts[] = {3, 5, 5};
	char folder[] = "/tmp/earshot-pattern-XXXXXX", name[64];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace_counts found = {.size = sizeof(found)};

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/index", folder);
	options.index_file = name;
	for (size_t i = 0; i < COUNT_OF(patterns); i++) {
		struct ear_trace *trace;
		options.pattern = patterns[i];
		assert_int_equal(
			ear_trace_open(&trace, EAR_TEST_DATA "/pattern/vexriscv", &options), 0);
		assert_int_equal(ear_trace_counts(trace, &found, NULL), 0);
		assert_int_equal(found.instructions, counts[i]);
		ear_trace_close(trace);
	}
	unlink(name);
	rmdir(folder);
}

/* A program of another version of the headers. */
static void structs_of_other_sizes_are_taken(void **state)
{
	struct {
		struct ear_trace_options options;
		uint64_t newer;
	} grown = {{.size = sizeof(grown)}, 0};
	struct ear_trace_options older = {
		.size = offsetof(struct ear_trace_options, xlen), .xlen = 7};
	struct ear_trace *trace;

	(void)state;
	assert_int_equal(
		ear_trace_open(&trace, EAR_TEST_DATA "/spike/rv64.log", &grown.options), 0);
	struct ear_trace_facts small = {
		.size = offsetof(struct ear_trace_facts, path), .path = "untouched"};
	assert_int_equal(ear_trace_facts(trace, &small), 0);
	assert_string_equal(small.format, "spike");
	assert_string_equal(small.path, "untouched");
	ear_trace_close(trace);
	char why[EAR_TRACE_ERROR_MAX] = "";
	grown.newer = 1;
	grown.options.error = why;
	assert_int_equal(ear_trace_open(&trace, EAR_TEST_DATA "/spike/rv64.log", &grown.options),
		EAR_E_BAD_ARGUMENT);
	assert_contains(why, "newer version");
	assert_int_equal(ear_trace_open(&trace, EAR_TEST_DATA "/spike/rv64.log", &older), 0);
	ear_trace_close(trace);
	older.size = 0;
	assert_int_equal(ear_trace_open(&trace, EAR_TEST_DATA "/spike/rv64.log", &older),
		EAR_E_BAD_ARGUMENT);
	assert_string_equal(ear_version(), EAR_VERSION);
}

/* A report that ends the reading with a number of its own. */
static int end_reading(void *context, uint64_t line, uint64_t byte, const char *cause, bool bad)
{
	(void)line;
	(void)byte;
	(void)cause;
	(void)bad;
	return *(const int *)context;
}

/* What the records are, and how often the reading ended with result. Two lines cannot be read, one
 * of which is inside of a record. */
static uint64_t read_with_report(int *returned, int result, unsigned *ends)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_batch batch = {.size = sizeof(batch)};
	const char *path = EAR_TEST_DATA "/spike/rv64.log";
	struct ear_trace *trace;
	uint64_t records = 0;
	int got;

	options.format = "spike";
	options.report = end_reading;
	options.report_context = returned;
	char bad[] = "/tmp/ear_report_XXXXXX";
	int fd = mkstemp(bad);
	FILE *from = fopen(path, "r"), *to = fdopen(fd, "w");
	char line[512];
	assert_non_null(from);
	assert_non_null(to);
	for (unsigned i = 0; fgets(line, sizeof(line), from); i++) {
		if (i == 5 || i == 8)
			fputs("core   0: 3 0x000000008000zzzz (0x00000013) x5 0x1\n", to);
		fputs(line, to);
	}
	fclose(from);
	fclose(to);
	assert_int_equal(ear_trace_open(&trace, bad, &options), 0);
	while ((got = ear_trace_next_batch(trace, &batch)) != 0) {
		for (size_t i = 0; got == 1 && i < batch.count; i++) {
			const struct ear_record *record = ear_batch_record(&batch, i);
			records = 31 * records + record->stream_offset * 8 + record->kind;
		}
		if (got == 1)
			continue;
		assert_int_equal(got, result);
		assert_contains(ear_trace_error(trace), "ended by the report of line");
		++*ends;
	}
	ear_trace_close(trace);
	unlink(bad);
	return records;
}

static void a_report_ends_the_reading_with_any_number(void **state)
{
	static const struct {
		int returned, result;
		unsigned ends;
	} cases[] = {{0, 0, 0}, {-77, -77, 2}, {EAR_E_CANCELLED, EAR_E_CANCELLED, 2},
		{1, EAR_E_CANCELLED, 2}, {7, EAR_E_CANCELLED, 2}};
	unsigned ends = 0;
	int none = 0;
	uint64_t records = read_with_report(&none, 0, &ends);

	(void)state;
	assert_true(records != 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int returned = cases[i].returned;
		ends = 0;
		assert_same(read_with_report(&returned, cases[i].result, &ends), records);
		assert_same(ends, cases[i].ends);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_comes_once),
		cmocka_unit_test(what_a_record_has_its_trace_can_carry),
		cmocka_unit_test(two_logs_of_a_tool_carry_what_each_shows),
		cmocka_unit_test(batches_mix_with_single_records),
		cmocka_unit_test(reading_ahead_is_reading),
		cmocka_unit_test(reading_ahead_can_be_ended),
		cmocka_unit_test(an_error_comes_after_the_records_before_it),
		cmocka_unit_test(a_batch_is_as_large_as_the_program_says),
		cmocka_unit_test(columns_have_what_the_records_have),
		cmocka_unit_test(columns_of_instructions_leave_out_the_rest),
		cmocka_unit_test(every_place_can_be_gone_to),
		cmocka_unit_test(a_time_is_found_at_its_first_record),
		cmocka_unit_test(the_counts_are_those_of_the_records),
		cmocka_unit_test(an_index_knows_the_counts),
		cmocka_unit_test(what_takes_long_can_be_cancelled),
		cmocka_unit_test(a_trace_that_changes_is_an_error_and_then_has_a_new_index),
		cmocka_unit_test(where_lines_are_bad_an_index_knows),
		cmocka_unit_test(a_pipe_is_read_once),
		cmocka_unit_test(what_cannot_be_opened_is_explained),
		cmocka_unit_test(a_log_of_ones_own_is_opened_with_its_pattern),
		cmocka_unit_test(structs_of_other_sizes_are_taken),
		cmocka_unit_test(a_report_ends_the_reading_with_any_number),
		cmocka_unit_test(checkpoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
