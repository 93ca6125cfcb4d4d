/* Each analysis, held to what analyses/base/analysis.h says: counts of parts, wherever a trace is
 * cut, in whatever order they are read, also through files, by any number of threads, are the count
 * of the whole. Counts are compared as the text of a part, which has all that they know.
 */
#include <inttypes.h>
#include <pthread.h>
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
#include "analyses/branches/branches.h"
#include "analyses/calls/call_log.h"
#include "analyses/calls/call_sum.h"
#include "analyses/calls/interrupts.h"
#include "analyses/coverage/coverage.h"
#include "analyses/coverage/isa_coverage.h"
#include "analyses/memory/memory_result.h"
#include "analyses/profile/by.h"
#include "analyses/profile/methods.h"
#include "analyses/stat/stat.h"
#include "analyses/timeline/timeline.h"
#include "library_truth.h"
#include "likely_records.h"
#include "memory_runs.h"
#include "memory_text.h"
#include "random.h"
#include "task_trace.h"

#define CUTS 64

/* ThreadSanitizer has nothing to see in what has one thread. */
#define ONLY_THREADS 0
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef ONLY_THREADS
#define ONLY_THREADS 1
#endif
#endif

/* Calls that the whole has handed out, as text. */
static FILE *list;
static char *listed;
static size_t listed_size;

static int list_call(void *context, const struct ear_call_log_call *call)
{
	(void)context;
	fprintf(list,
		"%u %u %u %u %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64
		" %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
		call->hart, call->kind, call->end, call->xlen, call->depth, call->number,
		call->records, call->last, call->has_clocks, call->clocks, call->entry,
		call->function, call->call_pc);
	return 0;
}

static void print_facts(const void *count, FILE *file)
{
	const struct ear_call_log_facts facts = ear_call_log_facts(count);

	fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", facts.records,
		facts.calls, facts.gaps, facts.pathless, facts.has_time);
}

static void print_calls(void *count, FILE *file)
{
	fclose(list);
	fputs(listed, file);
	print_facts(count, file);
	free(listed);
	list = open_memstream(&listed, &listed_size);
	assert_non_null(list);
}

/* Two tasks run in turns of a few records, and only one is wanted. */
static int take_turns(void *count, const struct ear_batch *batch)
{
	int result = 0;

	for (size_t i = 0; i < batch->count && result == 0; i++) {
		const struct ear_batch one = {.size = sizeof(one),
			.count = 1,
			.position = batch->position + i,
			.number = batch->number + i,
			.record = ear_batch_record(batch, i)};
		ear_calls_analysis.task(count, 1, one.position / 23 % 2 == 0);
		result = ear_calls_analysis.batch(count, &one);
	}
	return result;
}

static struct ear_analysis calls_in_turns; /* ear_calls_analysis with that */

static struct ear_call_log_options sum_options = {.by_end = true};

static int add_call(void *context, const struct ear_call_log_call *call)
{
	(void)context;
	return ear_call_sum_add(sum_options.sum, call);
}

static void print_durations(FILE *file, const struct ear_durations *durations)
{
	fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g", durations->count,
		durations->min, durations->max, durations->sum);
	for (unsigned i = 0; i < EAR_DURATION_BUCKETS; i++)
		if (durations->buckets[i] > 0)
			fprintf(file, " %u:%" PRIu64, i, durations->buckets[i]);
}

/* In the order in which functions were met. The next whole has a new sum. */
static void print_sums(void *count, FILE *file)
{
	for (size_t i = 0; i < ear_call_sum_count(sum_options.sum); i++) {
		const struct ear_call_sum_function *function =
			ear_call_sum_function(sum_options.sum, i);
		fprintf(file, "%" PRIx64 " %" PRIu64 " %" PRIu64, function->entry, function->calls,
			function->handlers);
		print_durations(file, &function->records);
		print_durations(file, &function->clocks);
		fputc('\n', file);
	}
	print_facts(count, file);
	ear_call_sum_free(sum_options.sum);
	assert_int_equal(ear_call_sum_new(&sum_options.sum), 0);
}

static void print_interrupts(void *count, FILE *file)
{
	const struct ear_interrupts_facts *facts = ear_interrupts_facts(count);

	for (size_t i = 0; i < ear_interrupts_cause_count(count); i++) {
		const struct ear_interrupt_cause *cause = ear_interrupts_cause(count, i);
		fprintf(file, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cause->is_interrupt,
			cause->has_code ? cause->code : UINT64_MAX, cause->count,
			cause->records.count);
	}
	for (size_t i = 0; i < ear_interrupts_section_count(count); i++) {
		const struct ear_interrupt_section *section = ear_interrupts_section(count, i);
		fprintf(file, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", section->hart,
			section->first, section->last, section->records);
	}
	fprintf(file, "%" PRIu64 " %" PRIu64 " %u\n", facts->records, facts->gaps, facts->known);
}

static void print_timeline_event(FILE *file, const struct ear_timeline_event *event)
{
	fprintf(file, "%u %" PRIu32 " %" PRIu64, event->kind, event->track, event->time);
	if (event->kind == EAR_TIMELINE_BEGIN)
		fprintf(file, " %u %" PRIu64 " %" PRIu64, event->how, event->duration,
			event->merged);
	if (event->kind == EAR_TIMELINE_COUNTER)
		fprintf(file, " %.17g", event->value);
	else
		fprintf(file, " %u %" PRIu64, event->category, event->record);
	if (event->kind == EAR_TIMELINE_BEGIN || event->kind == EAR_TIMELINE_INSTANT)
		fprintf(file, " %" PRIu32 " %s %" PRIx64, event->name_number, event->name,
			event->address);
	fputc('\n', file);
}

/* All that a timeline hands out. */
static void print_timeline(void *count, FILE *file)
{
	struct ear_timeline *timeline = count;
	struct ear_timeline_event event;
	const struct ear_timeline_result result = ear_timeline_result(timeline);

	for (size_t i = 0; i < ear_timeline_track_count(timeline); i++) {
		const struct ear_timeline_track *track = ear_timeline_track(timeline, i);
		fprintf(file, "%s: %u %u %" PRIu64 "\n", track->name, track->kind, track->hart,
			track->merged);
	}
	while (ear_timeline_next(timeline, &event))
		print_timeline_event(file, &event);
	fprintf(file,
		"%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		result.has_time, result.records, result.slices, result.merged, result.least,
		result.instants, result.instants_left_out, result.backwards, result.gaps,
		result.pathless);
}

static void print_counts(const struct ear_profile_counts *counts, FILE *file)
{
	for (size_t i = 0; i < EAR_PROFILE_COUNTS; i++)
		fprintf(file, " %" PRIu64, counts->all[i]);
}

static void print_profile(void *count, FILE *file)
{
	const struct ear_profile *profile = count;
	const struct ear_profile_shows shows = ear_profile_shows_of(profile);

	fprintf(file, "%u %u %u %u %u %" PRIu64 " %" PRIu64 "\n", shows.time, shows.accesses,
		shows.branches, shows.traps, shows.interrupts, ear_profile_gaps(profile),
		ear_profile_pathless(profile));
	for (size_t i = 0; i < ear_profile_function_count(profile); i++) {
		const struct ear_profile_function *function = ear_profile_function(profile, i);
		fprintf(file, "function %s %" PRIx64 " %" PRIu64 ":", function->name,
			function->entry, function->calls);
		print_counts(&function->self, file);
		print_counts(&function->inclusive, file);
		fputc('\n', file);
	}
	for (size_t i = 0; i < ear_profile_node_count(profile); i++) {
		const struct ear_profile_node *node = ear_profile_node(profile, i);
		assert_true(node->parent == UINT32_MAX || node->parent < i);
		fprintf(file, "node %" PRIu32 " %" PRIu32 " %u %" PRIu64 ":", node->parent,
			node->function, node->kind, node->calls);
		print_counts(&node->self, file);
		print_counts(&node->inclusive, file);
		fputc('\n', file);
	}
	for (size_t i = 0; i < ear_profile_edge_count(profile); i++) {
		const struct ear_profile_edge *edge = ear_profile_edge(profile, i);
		fprintf(file, "edge %" PRIu32 " %" PRIu32 " %" PRIx64 " %" PRIu64 ":", edge->caller,
			edge->callee, edge->call_pc, edge->calls);
		print_counts(&edge->inclusive, file);
		fputc('\n', file);
	}
	for (size_t i = 0; i < ear_profile_pc_count(profile); i++) {
		const struct ear_profile_pc *pc = ear_profile_pc(profile, i);
		fprintf(file, "pc %" PRIx64 " %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", pc->pc,
			pc->function, pc->records, pc->clocks);
	}
}

static const struct ear_stat_options stat_options = {.lacks = EAR_STAT_NO_GAPS};
static const struct ear_call_log_options call_options = {.take = list_call};
static const struct ear_call_log_options calls_by_end = {
	.take = list_call, .by_end = true, .depth = 2};
static const struct ear_profile_options pcs = {.pcs = true};
static const struct ear_profile_options inside = {.interrupts_inside = true, .two_threads = true};
static const struct ear_timeline_options few_slices = {.slices_max = 50};
static const struct ear_timeline_options long_slices = {.depth = 2, .least = 3};
static struct ear_isa_coverage_options isa_options = {.shows_traps = true};
static pthread_mutex_t memory_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct ear_usage_options memory_options = {.working_set = 50, .lock = &memory_mutex};
static const struct ear_usage_options nameless_memory = {.lock = &memory_mutex};

/* A new analysis is held to all of this by a row. */
static const struct row {
	const struct ear_analysis *analysis;
	const void *options;
	/* What a whole has; NULL: it is as a part is, whose text has all of it. Such a part begins
	 * with a moment of a trace. */
	void (*print)(void *whole, FILE *file);
} rows[] = {
	{&ear_stat_analysis, &stat_options, NULL},
	{&ear_branches_analysis, NULL, NULL},
	{&ear_coverage_analysis, NULL, NULL},
	{&ear_isa_coverage_analysis, &isa_options, NULL},
	{&ear_calls_analysis, &call_options, print_calls},
	{&calls_in_turns, &call_options, print_calls},
	{&ear_calls_analysis, &calls_by_end, print_calls},
	{&ear_calls_analysis, &sum_options, print_sums},
	{&ear_interrupts_analysis, NULL, print_interrupts},
	{&ear_timeline_analysis, NULL, print_timeline},
	{&ear_timeline_analysis, &few_slices, print_timeline},
	{&ear_timeline_analysis, &long_slices, print_timeline},
	{&ear_profile_analysis, &pcs, print_profile},
	{&ear_profile_analysis, &inside, print_profile},
	{&ear_by_analyses[EAR_BY_PRIVILEGE], &pcs, NULL},
	{&ear_by_analyses[EAR_BY_HART], &pcs, NULL},
	{&ear_memory_analysis, &memory_options, memory_text_print},
	{&ear_memory_analysis, &nameless_memory, memory_text_print},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* ---- Counts. ---- */

static void *make(const struct row *row, bool part, void *whole)
{
	const struct ear_analysis_setup setup = {
		.options = row->options, .part = part, .whole = whole};
	void *count = NULL;

	assert_int_equal(row->analysis->create(&count, &setup), 0);
	return count;
}

static void finish(const struct row *row, void *count)
{
	if (row->analysis->finish)
		assert_int_equal(row->analysis->finish(count), 0);
}

/* Where records are from: a list, with the numbers of instructions, the tasks that run each, or
 * NULL, and the trace that it is of, or NULL. */
struct source {
	const struct ear_record *const *records;
	const uint64_t *numbers;
	const uint32_t *tasks;
	size_t count;
	const struct truth *truth;
};

/* What an analysis that begins with a moment needs of a trace. */
static void push_trace(
	const struct row *row, void *count, const struct truth *truth, size_t begin, size_t end)
{
	struct ear_trace *trace = truth_open_indexed(truth);
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_moment *moment;

	if (begin > 0) {
		assert_int_equal(ear_moment_new(&moment, trace, begin, NULL), 0);
		assert_int_equal(row->analysis->start(count, moment, NULL), 0);
		ear_moment_free(moment);
		assert_int_equal(ear_trace_seek(trace, begin, NULL), 1);
	}
	while (ear_trace_position(trace) < end && ear_trace_next_batch(trace, &batch) == 1) {
		if (batch.count > end - batch.position)
			batch.count = end - batch.position;
		assert_int_equal(row->analysis->batch(count, &batch), 0);
	}
	ear_trace_close(trace);
}

static void push(
	const struct row *row, void *count, const struct source *source, size_t begin, size_t end)
{
	const struct ear_record *const *records = source->records;

	if (row->analysis->start) {
		push_trace(row, count, source->truth, begin, end);
		return;
	}
	for (size_t i = begin; i < end; i++) {
		const struct ear_batch batch = {.size = sizeof(batch),
			.count = 1,
			.position = i,
			.number = source->numbers[i],
			.record = records[i]};
		if (source->tasks && row->analysis->task)
			row->analysis->task(count, source->tasks[i], true);
		assert_int_equal(row->analysis->batch(count, &batch), 0);
	}
}

static char *text_of(const struct row *row, void *count)
{
	const struct ear_part_head head = {
		.options = "-", .trace = "-", .program = "-", .program_sha256 = "-"};
	struct ear_part_head named = head;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	snprintf(named.analysis, sizeof(named.analysis), "%s", row->analysis->name);
	ear_analysis_write(row->analysis, count, NULL, &named, file);
	fclose(file);
	return text;
}

static char refusal[256]; /* the last one */

/* Returns NULL if it is refused. */
static void *read_text(const struct row *row, const char *text, size_t size, void *whole)
{
	void *count = make(row, true, whole);
	struct ear_part_reader reader;
	struct ear_part_head head;
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

	assert_non_null(file);
	if (!ear_part_open(&reader, file, &head) ||
		!ear_analysis_read(row->analysis, count, NULL, &reader)) {
		assert_string_not_equal(reader.error, "");
		snprintf(refusal, sizeof(refusal), "%s", reader.error);
		row->analysis->free(count);
		count = NULL;
	}
	ear_part_close(&reader);
	fclose(file);
	return count;
}

/* They are equal, or the first line that differs is printed. */
static void check_same(const struct row *row, const char *found, const char *expected)
{
	size_t at = 0, line = 0;

	while (found[at] && found[at] == expected[at]) {
		at++;
		line = found[at - 1] == '\n' ? at : line;
	}
	if (found[at] != expected[at])
		fail_msg("%s: %.*s\nis to be\n%.*s", row->analysis->name,
			(int)strcspn(found + line, "\n"), found + line,
			(int)strcspn(expected + line, "\n"), expected + line);
}

/* All that a whole has; it is freed. */
static char *end_whole(const struct row *row, void *whole)
{
	char *text;
	size_t size;

	finish(row, whole);
	if (row->print) {
		FILE *file = open_memstream(&text, &size);
		assert_non_null(file);
		row->print(whole, file);
		fclose(file);
	} else {
		text = text_of(row, whole);
	}
	row->analysis->free(whole);
	return text;
}

static char *text_of_whole(const struct row *row, const struct source *source)
{
	void *whole = make(row, false, NULL);

	push(row, whole, source, 0, source->count);
	return end_whole(row, whole);
}

/* ---- Cuts. ---- */

static int compare_places(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* places[0] is 0 and places[cuts + 1] the end. */
static void cut(struct random *random, uint64_t *places, unsigned cuts, uint64_t end)
{
	places[0] = 0;
	for (unsigned i = 1; i <= cuts; i++)
		places[i] = random_below(random, end + 1);
	places[cuts + 1] = end;
	qsort(places, cuts + 1, sizeof(places[0]), compare_places);
}

/* The part is replaced by what its file says. */
static void *through_file(const struct row *row, void *part, void *whole)
{
	char *text = text_of(row, part);
	void *again = read_text(row, text, strlen(text), whole);

	if (!again)
		fail_msg("%s: %s", row->analysis->name, refusal);
	char *text_again = text_of(row, again);
	check_same(row, text_again, text);
	free(text_again);
	free(text);
	row->analysis->free(part);
	return again;
}

static unsigned counted_again; /* parts that could not be joined */

static void join(const struct row *row, void *whole, void *part, const struct source *source,
	const uint64_t places[2])
{
	const struct ear_analysis *analysis = row->analysis;
	const int result = analysis->join(whole, part);

	if (result == EAR_E_UNSUPPORTED && analysis->again) {
		counted_again++;
		analysis->again(whole, true);
		push(row, whole, source, (size_t)places[0], (size_t)places[1]);
		analysis->again(whole, false);
	} else {
		assert_int_equal(result, 0);
	}
}

/* Parts are counted in any order, each maybe with a whole to look at or through a file, and joined
 * in theirs. */
static void check_cuts(const struct row *row, const struct source *source, unsigned cuts,
	uint64_t seed, const char *expected)
{
	struct random random = {seed};
	uint64_t places[CUTS + 2];
	void *parts[CUTS + 1] = {NULL}, *whole = make(row, false, NULL);

	cut(&random, places, cuts, source->count);
	for (unsigned left = cuts + 1; left > 0; left--) {
		unsigned i = (unsigned)random_below(&random, cuts + 1);
		while (parts[i])
			i = (i + 1) % (cuts + 1);
		const bool is_file = random_below(&random, 2);
		parts[i] = make(row, true, is_file ? NULL : whole);
		push(row, parts[i], source, (size_t)places[i], (size_t)places[i + 1]);
		finish(row, parts[i]);
		if (is_file)
			parts[i] = through_file(row, parts[i], whole);
	}
	for (unsigned i = 0; i <= cuts; i++) {
		join(row, whole, parts[i], source, &places[i]);
		row->analysis->free(parts[i]);
	}
	char *text = end_whole(row, whole);
	check_same(row, text, expected);
	free(text);
}

/* Up to so many cuts. analysis NULL: of all. */
static void check_all_cuts(const struct ear_analysis *analysis, const struct source *source,
	unsigned most, uint64_t seed)
{
	memory_options.begin = source->numbers[0];
	for (size_t i = 0; i < ROWS; i++) {
		if (analysis && rows[i].analysis != analysis)
			continue;
		const bool needs_trace = rows[i].analysis->start;
		if (needs_trace && !source->truth)
			continue;
		char *expected = text_of_whole(&rows[i], source);
		/* A moment takes long. */
		for (unsigned cuts = 0; cuts <= (needs_trace ? most / 8 : most);
			cuts = 2 * cuts + 1)
			check_cuts(&rows[i], source, cuts, seed + cuts, expected);
		free(expected);
	}
}

static struct source source_of(const struct truth *truth)
{
	return (struct source){.records = (const struct ear_record *const *)truth->records,
		.numbers = truth->numbers,
		.count = truth->count,
		.truth = truth};
}

static void any_cut_of_a_trace_is_the_whole(void **state)
{
	struct truth *truth;
	size_t number = 0;

	(void)state;
	for (; (truth = truth_of(number)); number++) {
		const struct source source = source_of(truth);
		check_all_cuts(NULL, &source, CUTS, 1000 * number);
		truth_free(truth);
	}
	assert_true(number > 5);
}

static void any_cut_of_records_in_any_order_is_the_whole(void **state)
{
	enum { COUNT = 600, RUNS = 40 / EAR_TEST_LESS };
	struct likely_record *likely = calloc(COUNT, sizeof(*likely));
	const struct ear_record *records[COUNT];
	uint64_t numbers[COUNT + 1] = {0};
	struct random random = {2026};

	(void)state;
	assert_non_null(likely);
	for (unsigned run = 0; run < RUNS; run++) {
		/* Short ones: parts of one record and of none. */
		const size_t count = run % 3 == 0 ? 40 : COUNT;
		for (size_t i = 0; i < count; i++) {
			if (run % 10 == 9)
				likely_record_any(&likely[i], &random);
			else
				likely_record_make(&likely[i], &random);
			/* Of an opcode without a size, or of more bytes, a part file cannot say. */
			likely[i].record.opcode_size = likely[i].record.opcode_size % 4 + 1;
			records[i] = &likely[i].record;
			numbers[i + 1] = numbers[i] + (records[i]->kind == EAR_RECORD_INSTRUCTION);
		}
		const struct source source = {
			.records = records, .numbers = numbers, .count = count};
		check_all_cuts(NULL, &source, CUTS, run);
	}
	free(likely);
}

/* The run is freed. */
static void check_memory_run(struct memory_run *run, unsigned most, uint64_t seed)
{
	const struct source source = {.records = run->records,
		.numbers = run->numbers,
		.tasks = run->tasks,
		.count = run->count};

	check_all_cuts(&ear_memory_analysis, &source, most, seed);
	memory_run_free(run);
}

/* No part of these is counted again: what it says is all that the whole needs. */
static void any_cut_of_a_run_that_uses_memory_is_the_whole(void **state)
{
	(void)state;
	counted_again = 0;
	for (uint64_t seed = 1; seed <= 24 / EAR_TEST_LESS; seed++)
		check_memory_run(memory_run_random(seed, seed % 5 ? 2000 : 200), CUTS, seed);
	for (uint64_t seed = 0; seed < 12 / EAR_TEST_LESS; seed++)
		check_memory_run(memory_run_one_stack(seed % 2), CUTS, seed);
	for (uint64_t seed = 0; seed < 2; seed++)
		check_memory_run(memory_run_stream(15000, 20000, false), 7, seed);
	check_memory_run(memory_run_bus(5000), CUTS, 1);
	check_memory_run(memory_run_bus(70000), 7, 2);
	assert_int_equal(counted_again, 0);
}

static void parts_that_do_not_say_all_are_counted_again(void **state)
{
	(void)state;
	counted_again = 0;
	check_memory_run(memory_run_stacks(2000), 7, 1);
	assert_true(counted_again > 0);
	counted_again = 0;
	check_memory_run(memory_run_stream(15000, 20000, true), 7, 1);
	assert_true(counted_again > 0);
	counted_again = 0;
	check_memory_run(memory_run_unordered(320000), 1, 1);
	assert_true(counted_again > 0);
}

/* ---- Threads. ---- */

static bool never(void)
{
	return false;
}

static void check_run(const struct row *row, const struct truth *truth, unsigned jobs,
	unsigned cuts, const char *expected)
{
	const struct ear_trace_options options = {.size = sizeof(options), .index = EAR_INDEX_NONE};
	struct random random = {100 * jobs + cuts};
	struct ear_part_plan plan = {.jobs = jobs, .queue = jobs % 2 == 0, .count = cuts + 1};
	struct ear_analysis_run *run = calloc(1, sizeof(*run));

	assert_non_null(run);
	cut(&random, plan.begins, cuts, truth->count);
	run->analysis = row->analysis;
	run->options = row->options;
	run->whole = make(row, false, NULL);
	run->reading.plan = &plan;
	run->reading.trace = truth_open(truth);
	run->reading.path = truth->path;
	run->reading.options = &options;
	run->reading.stopped = never;
	assert_int_equal(ear_analysis_run(run), 0);
	assert_int_equal(plan.count, cuts + 1);
	char *text = end_whole(row, run->whole);
	check_same(row, text, expected);
	free(text);
	ear_trace_close(run->reading.trace);
	free(run);
}

static void any_number_of_threads_is_the_whole(void **state)
{
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number));
		number += ONLY_THREADS ? EAR_TEST_LESS : 1) {
		for (size_t i = 0; i < ROWS; i++) {
			const struct source source = source_of(truth);
			char *expected = text_of_whole(&rows[i], &source);
			for (unsigned jobs = ONLY_THREADS ? 2 : 1; jobs <= 4;
				jobs += 1 + ONLY_THREADS)
				for (unsigned cuts = ONLY_THREADS ? 9 : 0; cuts <= 9;
					cuts += EAR_TEST_LESS > 1 ? 9 : 3)
					check_run(&rows[i], truth, jobs, cuts, expected);
			free(expected);
		}
		truth_free(truth);
	}
}

/* ---- Several runs in one reading. ---- */

static unsigned taken_batches;

static int make_nothing(void **count, const struct ear_analysis_setup *setup)
{
	(void)setup;
	*count = NULL;
	return 0;
}

static void free_nothing(void *count)
{
	(void)count;
}

static int want_three(void *count, const struct ear_batch *batch)
{
	(void)count;
	(void)batch;
	return ++taken_batches == 3; /* 1: no more */
}

static int fail_at_once(void *count, const struct ear_batch *batch)
{
	(void)count;
	(void)batch;
	return EAR_E_NO_MEMORY;
}

static int join_nothing(void *whole, void *next)
{
	(void)whole;
	(void)next;
	return 0;
}

static const struct ear_analysis modest = {
	.create = make_nothing,
	.free = free_nothing,
	.batch = want_three,
	.join = join_nothing,
	.direct = true,
};
static struct ear_analysis failing; /* that, and its first batch is an error */

/* Those that hand out nothing while they count: there is one list for that. */
static bool is_quiet(const struct row *row)
{
	return row->print != print_calls && row->print != print_sums;
}

static void begin_run(struct ear_analysis_run *run, const struct ear_analysis *analysis,
	const struct ear_analysis_run *first)
{
	*run = (struct ear_analysis_run){.analysis = analysis, .reading = first->reading};
}

static void runs_of_one_reading_are_as_each_by_itself(void **state)
{
	const struct ear_trace_options options = {.size = sizeof(options), .index = EAR_INDEX_NONE};
	struct truth *truth = truth_of(1);
	struct ear_part_plan plan = {.jobs = 1};
	struct ear_analysis_run *runs = calloc(ROWS + 2, sizeof(*runs)), *list_of[ROWS + 2];
	const struct source source = source_of(truth);

	(void)state;
	assert_non_null(runs);
	ear_part_plan_whole(&plan, 0, truth->count);
	runs[0].reading = (struct ear_part_reading){.plan = &plan,
		.trace = truth_open(truth),
		.path = truth->path,
		.options = &options,
		.stopped = never};
	failing = modest;
	failing.batch = fail_at_once;
	taken_batches = 0;
	for (size_t i = 0; i < ROWS + 2; i++)
		list_of[i] = &runs[i];
	for (size_t i = 0; i < ROWS; i++) {
		begin_run(&runs[i], is_quiet(&rows[i]) ? rows[i].analysis : &modest, runs);
		runs[i].options = rows[i].options;
		runs[i].whole = is_quiet(&rows[i]) ? make(&rows[i], false, NULL) : &runs[i];
	}
	begin_run(&runs[ROWS], &modest, runs);
	begin_run(&runs[ROWS + 1], &failing, runs);
	runs[ROWS].whole = runs[ROWS + 1].whole = &plan; /* nobody looks at it */
	ear_analysis_run_together(list_of, ROWS + 2);
	for (size_t i = 0; i < ROWS; i++) {
		if (!is_quiet(&rows[i]))
			continue;
		assert_int_equal(runs[i].result, 0);
		char *expected = text_of_whole(&rows[i], &source),
		     *text = end_whole(&rows[i], runs[i].whole);
		check_same(&rows[i], text, expected);
		free(text);
		free(expected);
	}
	assert_true(taken_batches >= 3);
	assert_int_equal(runs[ROWS + 1].result, EAR_E_NO_MEMORY);
	assert_string_equal(runs[ROWS + 1].reading.error, ear_error_text(EAR_E_NO_MEMORY));
	ear_trace_close(runs[0].reading.trace);
	truth_free(truth);
	free(runs);
}

/* ---- Tasks. ---- */

/* Those that need a follower, or get the records of a task. */
static const struct task_row {
	struct row row;
	const char *task;
} task_rows[] = {
	{{&ear_by_analyses[EAR_BY_TASK], &pcs, NULL}, NULL},
	{{&ear_by_analyses[EAR_BY_PROCESS], &pcs, NULL}, NULL},
	{{&ear_methods_analysis, &pcs, NULL}, NULL},
	{{&ear_profile_analysis, &pcs, print_profile}, "2"},
};
#define TASK_ROWS (sizeof(task_rows) / sizeof(task_rows[0]))

/* A part, finished, with a follower that got what is before it. */
static void *count_followed(const struct task_row *task_row, const struct task_trace *made,
	uint64_t begin, uint64_t end)
{
	const struct ear_trace_options options = {.size = sizeof(options), .index = EAR_INDEX_NONE};
	struct ear_task_filter filter = {.options = EAR_TASKS_DEFAULTS, .task = task_row->task};
	struct ear_part_plan plan = {.jobs = 1};
	struct ear_analysis_run *run = calloc(1, sizeof(*run));

	assert_non_null(run);
	ear_part_plan_whole(&plan, begin, end);
	run->analysis = task_row->row.analysis;
	run->options = task_row->row.options;
	run->filter = &filter;
	run->reading.plan = &plan;
	run->reading.trace = task_trace_open(made);
	run->reading.path = made->path;
	run->reading.options = &options;
	run->reading.stopped = never;
	assert_int_equal(ear_analysis_run(run), 0);
	void *part = run->part;
	ear_trace_close(run->reading.trace);
	ear_tasks_free(filter.tasks);
	free(run);
	return part;
}

static char *join_followed(const struct task_row *task_row, const struct task_trace *made,
	const uint64_t *places, unsigned cuts)
{
	const struct row *row = &task_row->row;
	void *whole = make(row, false, NULL);

	for (unsigned i = 0; i <= cuts; i++) {
		void *part = count_followed(task_row, made, places[i], places[i + 1]);
		if (i % 2)
			part = through_file(row, part, whole);
		assert_int_equal(row->analysis->join(whole, part), 0);
		row->analysis->free(part);
	}
	return end_whole(row, whole);
}

/* Of all records in one part, not joined to anything if its text has all of it. */
static char *text_of_all(const struct task_row *task_row, const struct task_trace *made)
{
	const uint64_t places[] = {0, made->count};

	if (task_row->row.print)
		return join_followed(task_row, made, places, 0);
	void *part = count_followed(task_row, made, 0, made->count);
	char *text = text_of(&task_row->row, part);
	task_row->row.analysis->free(part);
	return text;
}

static void check_followed(const struct task_row *task_row, uint64_t seed)
{
	enum { RECORDS = 160, TASK_CUTS = 15 };
	struct random random = {seed};
	struct task_trace made;
	uint64_t places[TASK_CUTS + 2];

	task_trace_make(&made, seed, RECORDS);
	char *expected = text_of_all(task_row, &made);
	/* Once before each record, then at random. */
	for (size_t i = 0; i <= made.count + 4; i++) {
		const unsigned cuts = i <= made.count ? 1 : TASK_CUTS;
		cut(&random, places, cuts, made.count);
		if (cuts == 1)
			places[1] = i;
		char *text = join_followed(task_row, &made, places, cuts);
		check_same(&task_row->row, text, expected);
		free(text);
	}
	free(expected);
	task_trace_free(&made);
}

static void any_cut_of_a_trace_of_tasks_is_the_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < TASK_ROWS; i++)
		for (uint64_t seed = 1; seed <= 2; seed++)
			check_followed(&task_rows[i], seed);
}

/* ---- Damage. ---- */

static void check_damaged(
	const struct row *row, const char *text, unsigned *refused, unsigned *taken)
{
	static const char signs[] = "0123456789 x\nabcdefopen";
	const size_t size = strlen(text);
	struct random random = {7};
	void *whole = make(row, false, NULL);

	for (unsigned i = 0; i < 3000 / EAR_TEST_LESS; i++) {
		char *damaged = strdup(text);
		assert_non_null(damaged);
		for (uint64_t j = 0; j <= random_below(&random, 3); j++)
			damaged[random_below(&random, size)] =
				signs[random_below(&random, sizeof(signs) - 1)];
		void *part = read_text(row, damaged,
			i % 4 == 0 ? (size_t)random_below(&random, size) + 1 : size, whole);
		const int result = part ? row->analysis->join(whole, part) : 0;
		if (result) { /* rows that cannot be */
			if (!row->analysis->again || result != EAR_E_UNSUPPORTED)
				assert_int_equal(result, EAR_E_BAD_FILE);
			row->analysis->free(whole);
			whole = make(row, false, NULL);
		}
		*refused += !part;
		*taken += part != NULL;
		row->analysis->free(part);
		free(damaged);
	}
	if (row->print == print_profile) /* what was damaged is summed up */
		finish(row, whole);
	row->analysis->free(whole);
}

static void damaged_parts_of_tasks_are_refused_or_read(void **state)
{
	struct task_trace made;

	(void)state;
	task_trace_make(&made, 3, 160);
	for (size_t i = 0; i < TASK_ROWS; i++) {
		unsigned refused = 0, taken = 0;
		void *part = count_followed(&task_rows[i], &made, made.count / 3, made.count);
		char *text = text_of(&task_rows[i].row, part);
		check_damaged(&task_rows[i].row, text, &refused, &taken);
		assert_true(refused > 500 / EAR_TEST_LESS);
		assert_true(taken > 100 / EAR_TEST_LESS);
		free(text);
		task_rows[i].row.analysis->free(part);
	}
	task_trace_free(&made);
}

static void damaged_files_are_refused_or_read(void **state)
{
	enum { COUNT = 300 };
	struct likely_record likely[COUNT];
	const struct ear_record *records[COUNT];
	uint64_t numbers[COUNT + 1] = {0};
	struct random random = {7};

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		likely_record_make(&likely[i], &random);
		records[i] = &likely[i].record;
		numbers[i + 1] = numbers[i] + (records[i]->kind == EAR_RECORD_INSTRUCTION);
	}
	struct truth *truth = truth_of(1);
	const struct source of_trace = source_of(truth),
			    of_records = {.records = records, .numbers = numbers, .count = COUNT};
	memory_options.begin = 0;
	for (size_t i = 0; i < ROWS; i++) {
		const struct source *source = rows[i].analysis->start ? &of_trace : &of_records;
		unsigned refused = 0, taken = 0;
		void *part = make(&rows[i], true, NULL);
		push(&rows[i], part, source, 0, source->count);
		finish(&rows[i], part);
		char *text = text_of(&rows[i], part);
		check_damaged(&rows[i], text, &refused, &taken);
		assert_true(refused > 500 / EAR_TEST_LESS);
		assert_true(taken > 100 / EAR_TEST_LESS);
		free(text);
		rows[i].analysis->free(part);
	}
	truth_free(truth);
}

/* Returns what the join of a file with these lines says; 1: it is refused. */
static int join_lines(const struct ear_analysis *analysis, const char *lines)
{
	const struct row *row = rows;
	char text[512];

	while (row->analysis != analysis)
		row++;
	void *whole = make(row, false, NULL);
	int size = snprintf(text, sizeof(text),
		"earshot-part %d %s\noptions -\ntrace -\nprogram - -\nrecords 0 1 1\nmissing 0 0 1 0 0 0 0 0 0\n%s",
		EAR_PART_VERSION, analysis->name, lines);
	void *part = read_text(row, text, (size_t)size, whole);
	int result = part ? analysis->join(whole, part) : 1;
	analysis->free(part);
	analysis->free(whole);
	return result;
}

static void rows_that_cannot_be(void **state)
{
	static const char *const calls[] = {
		"row 9 1\nend 7\n",                          /* no such kind */
		"row 8 2\nend 7\n", "row 0 0 1\nend 7\n",    /* too short */
		"row 2 0 5 9 0 0 0 0\nend 7\n",              /* a kind of frame that is none */
		"row 2 0 5 0 1 0 0 0\nend 7\n",              /* below a frame that is not there */
		"row 3 0 1 0\nend 7\n",                      /* one that is not there is left, */
		"row 2 0 5 0 0 0 0 0\nrow 3 0 1 9\nend 8\n", /* or in no way that there is, */
		"row 3 0 0 0\nend 7\n",                      /* or none */
		"row 2 0 5 0 0 0 0 0\nrow 3 0 1 0\nrow 3 0 1 0\nend 9\n", /* twice */
		"row 4 0 1 0 0\nend 7\n", /* a tail call of what is not there */
		"row 5 0 1 0\nend 7\n", "row 6 0 1 0 0 0\nend 7\n",
		"row 0 65536 0 0 0 0\nend 7\n", /* a hart that cannot be */
	};
	static const char *const timeline[] = {
		"row 11 1\nend 7\n",                         /* no such kind */
		"row 0 0 1\nend 7\n",                        /* too short */
		"row 0 0 1 5 0 2\nend 7\n",                  /* in a frame that is not there */
		"row 0 0 0 5 0 1\nend 7\n",                  /* no records, */
		"row 0 0 0 5 0 131\nend 7\n",                /* or more than a window has */
		"row 1 0 5 0 0 9\nend 7\n",                  /* a privilege that is none */
		"row 4 0 5 8 0 0 0\nend 7\n",                /* a kind of frame that is none */
		"row 5 0 1 0 0\nend 7\n",                    /* one that is not there is left, */
		"row 4 0 5 1 0 0 0\nrow 5 0 1 9 0\nend 8\n", /* or in no way that there is, */
		"row 5 0 0 0 0\nend 7\n",                    /* or none, */
		"row 4 0 5 1 0 0 0\nrow 5 0 1 0 0\nrow 5 0 1 0 0\nend 9\n", /* or twice */
		"row 8 0 5 0 0 0 0 201\nend 7\n", /* a text that is too long, */
		"row 8 0 5 0 0 0 0 9 1\nend 7\n", /* or not there */
		"row 0 65536 0 5 0 2\nend 7\n",   /* a hart that cannot be */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		assert_int_equal(join_lines(&ear_calls_analysis, calls[i]), EAR_E_BAD_FILE);
	for (size_t i = 0; i < sizeof(timeline) / sizeof(*timeline); i++)
		assert_int_equal(join_lines(&ear_timeline_analysis, timeline[i]), EAR_E_BAD_FILE);
	assert_int_equal(
		join_lines(&ear_calls_analysis, "row 2 0 5 0 0 0 0 0\nrow 3 0 1 0\nend 8\n"), 0);
	assert_int_equal(
		join_lines(&ear_timeline_analysis, "row 4 0 5 1 0 0 0\nrow 5 0 1 0 0\nend 8\n"), 0);
	assert_int_equal(join_lines(&ear_timeline_analysis, "row 8 0 5 0 0 0 0 9 1 2\nend 7\n"), 0);
	/* No end; no such line. */
	assert_int_equal(join_lines(&ear_calls_analysis, "row 2 0 5 0 0 0 0 0\n"), 1);
	assert_int_equal(join_lines(&ear_timeline_analysis, "pc 1\nend 7\n"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_cut_of_a_trace_is_the_whole),
		cmocka_unit_test(any_cut_of_records_in_any_order_is_the_whole),
		cmocka_unit_test(any_cut_of_a_run_that_uses_memory_is_the_whole),
		cmocka_unit_test(parts_that_do_not_say_all_are_counted_again),
		cmocka_unit_test(any_number_of_threads_is_the_whole),
		cmocka_unit_test(runs_of_one_reading_are_as_each_by_itself),
		cmocka_unit_test(any_cut_of_a_trace_of_tasks_is_the_whole),
		cmocka_unit_test(damaged_files_are_refused_or_read),
		cmocka_unit_test(rows_that_cannot_be),
		cmocka_unit_test(damaged_parts_of_tasks_are_refused_or_read),
	};
	struct ear_instructions *instructions;

	if (ear_instructions_new(&instructions, NULL, NULL) != 0)
		return 1;
	isa_options.instructions = instructions;
	calls_in_turns = ear_calls_analysis;
	calls_in_turns.batch = take_turns;
	sum_options.take = add_call;
	memory_options.names = memory_run_names();
	list = open_memstream(&listed, &listed_size);
	if (!list || ear_call_sum_new(&sum_options.sum) != 0)
		return 1;
	if (ONLY_THREADS)
		cmocka_set_test_filter("any_number_of_threads*");
	int result = cmocka_run_group_tests(tests, NULL, NULL);
	ear_instructions_free(instructions);
	ear_call_sum_free(sum_options.sum);
	ear_names_close(memory_options.names);
	fclose(list);
	free(listed);
	return result;
}
