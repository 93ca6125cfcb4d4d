/* Parts of a call log: joined, they hand out what the whole does, wherever it is cut.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

#include "analyses/base/analysis_run.h"
#include "analyses/calls/call_log.h"
#include "analyses/calls/call_sum.h"
#include "library_truth.h"
#include "random.h"

/* ---- Logs as text. ---- */

struct text {
	char *text;
	size_t size;
	FILE *file;
};

static int take(void *context, const struct ear_call_log_call *call)
{
	struct text *text = context;

	fprintf(text->file,
		"%u %u %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %" PRIx64
		" %" PRIx64 " %" PRIx64 "\n",
		call->hart, call->kind, call->end, call->xlen, call->depth, call->number,
		call->records, call->last, call->has_clocks, call->clocks, call->entry,
		call->function, call->call_pc);
	return 0;
}

static void begin_text(struct text *text)
{
	*text = (struct text){0};
	text->file = open_memstream(&text->text, &text->size);
	assert_non_null(text->file);
}

/* The calls, and what the log says of itself. */
static char *end_text(struct text *text, struct ear_call_log *log)
{
	assert_int_equal(ear_call_log_finish(log), 0);
	const struct ear_call_log_facts facts = ear_call_log_facts(log);
	fprintf(text->file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", facts.records,
		facts.calls, facts.gaps, facts.pathless, facts.has_time);
	assert_int_equal(fclose(text->file), 0);
	ear_call_log_free(log);
	return text->text;
}

static struct ear_call_log *new_log(struct text *text, unsigned depth, bool by_end)
{
	const struct ear_call_log_options options = {
		.take = take, .context = text, .depth = depth, .by_end = by_end};
	struct ear_call_log *log;

	begin_text(text);
	assert_int_equal(ear_call_log_new(&log, NULL, &options), 0);
	return log;
}

static struct ear_call_log *new_part(void)
{
	const struct ear_call_log_options options = {.part = true};
	struct ear_call_log *part;

	assert_int_equal(ear_call_log_new(&part, NULL, &options), 0);
	return part;
}

/* ---- Reading. ---- */

/* Stretches of so many records take turns to be skipped; 0: none are. */
static uint64_t stretch;

static void take_batch(struct ear_call_log *log, const struct ear_batch *batch)
{
	if (stretch == 0 || batch->record) {
		ear_call_log_skip(log, stretch > 0 && batch->position / stretch % 2);
		assert_int_equal(ear_call_log_batch(log, batch), 0);
		return;
	}
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_batch one = {.size = sizeof(one),
			.count = 1,
			.position = batch->position + i,
			.number = batch->number + i,
			.record = ear_batch_record(batch, i)};
		take_batch(log, &one);
	}
}

static void read_into(struct ear_call_log *log, const struct truth *truth, size_t from, size_t to)
{
	struct ear_trace *trace = truth_open_indexed(truth);
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_moment *moment;

	if (from > 0) {
		assert_int_equal(ear_moment_new(&moment, trace, from, NULL), 0);
		assert_int_equal(ear_call_log_start(log, moment), 0);
		ear_moment_free(moment);
		assert_int_equal(ear_trace_seek(trace, from, NULL), 1);
	}
	while (ear_trace_position(trace) < to && ear_trace_next_batch(trace, &batch) == 1) {
		if (batch.count > to - batch.position)
			batch.count = to - batch.position;
		take_batch(log, &batch);
	}
	ear_trace_close(trace);
}

static const struct ear_part_head head = {
	.analysis = "calls", .options = "-", .trace = "-", .program_sha256 = "-", .program = "-"};

static void write_part(struct ear_call_log *part, FILE *file)
{
	struct ear_part_writer writer;

	ear_part_write_head(&writer, file, &head);
	ear_part_walk_write(ear_calls_analysis.walk, part, &writer);
	ear_part_write_end(&writer);
}

/* Through a file. */
static struct ear_call_log *write_and_read(struct ear_call_log *part)
{
	struct ear_call_log *again = new_part();
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = tmpfile();

	assert_non_null(file);
	write_part(part, file);
	rewind(file);
	assert_true(ear_part_open(&reader, file, &found));
	assert_true(ear_analysis_read(&ear_calls_analysis, again, NULL, &reader));
	ear_part_close(&reader);
	fclose(file);
	ear_call_log_free(part);
	return again;
}

static void join(struct ear_call_log *sum, const struct truth *truth, size_t from, size_t to,
	bool through_file)
{
	struct ear_call_log *part = new_part();

	read_into(part, truth, from, to);
	assert_int_equal(ear_call_log_finish(part), 0);
	if (through_file)
		part = write_and_read(part);
	assert_int_equal(ear_call_log_join(sum, part), 0);
	ear_call_log_free(part);
}

/* ---- Tests. ---- */

static void check_cuts(const struct truth *truth, struct random *random, unsigned depth,
	bool by_end, size_t longest, bool through_file)
{
	struct text whole, joined;
	struct ear_call_log *log = new_log(&whole, depth, by_end);

	read_into(log, truth, 0, truth->count);
	char *expected = end_text(&whole, log);
	log = new_log(&joined, depth, by_end);
	for (size_t at = 0, next; at < truth->count; at = next) {
		next = at + 1 + random_below(random, longest);
		next = next < truth->count ? next : truth->count;
		join(log, truth, at, next, through_file);
	}
	char *found = end_text(&joined, log);
	assert_string_equal(found, expected);
	free(found);
	free(expected);
}

static void parts_are_the_whole(void **state)
{
	struct random random = {11};
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		const size_t some = truth->count / 4 + 1, many = truth->count / 40 + 1;
		check_cuts(truth, &random, 0, false, some, number % 2);
		check_cuts(truth, &random, 0, true, some, false);
		check_cuts(truth, &random, 2, false, many, number % 3 == 0);
		stretch = 1 + random_below(&random, 40);
		check_cuts(truth, &random, 0, number % 2, many, true);
		stretch = 0;
		truth_free(truth);
	}
}

/* Every place of one trace. */
static void wherever_it_is_cut(void **state)
{
	struct truth *truth = truth_of(0);
	struct text whole, joined;
	struct ear_call_log *log = new_log(&whole, 0, false);

	(void)state;
	read_into(log, truth, 0, truth->count);
	char *expected = end_text(&whole, log);
	for (size_t cut = 1; cut < truth->count; cut += 7) {
		log = new_log(&joined, 0, false);
		join(log, truth, 0, cut, false);
		join(log, truth, cut, truth->count, false);
		char *found = end_text(&joined, log);
		assert_string_equal(found, expected);
		free(found);
	}
	free(expected);
	truth_free(truth);
}

/* ---- Parts that sum up what begins and ends in them. ---- */

static void print_durations(FILE *file, const struct ear_durations *durations)
{
	fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g", durations->count,
		durations->min, durations->max, durations->sum);
	for (unsigned i = 0; i < EAR_DURATION_BUCKETS; i++)
		if (durations->buckets[i] > 0)
			fprintf(file, " %u:%" PRIu64, i, durations->buckets[i]);
}

/* In the order in which functions were met; and what the log says of itself. */
static char *end_sum(struct ear_call_sum *sum, struct ear_call_log *log)
{
	struct text text;

	assert_int_equal(ear_call_log_finish(log), 0);
	begin_text(&text);
	for (size_t i = 0; i < ear_call_sum_count(sum); i++) {
		const struct ear_call_sum_function *function = ear_call_sum_function(sum, i);
		fprintf(text.file, "%" PRIx64 " %" PRIu64 " %" PRIu64, function->entry,
			function->calls, function->handlers);
		print_durations(text.file, &function->records);
		print_durations(text.file, &function->clocks);
		fprintf(text.file, "\n");
	}
	ear_call_sum_free(sum);
	return end_text(&text, log);
}

static int take_sum(void *context, const struct ear_call_log_call *call)
{
	return ear_call_sum_add(context, call);
}

static struct ear_call_log *new_sum(struct ear_call_sum **sum)
{
	struct ear_call_log_options options = {.take = take_sum, .by_end = true};
	struct ear_call_log *log;

	assert_int_equal(ear_call_sum_new(sum), 0);
	options.context = options.sum = *sum;
	assert_int_equal(ear_call_log_new(&log, NULL, &options), 0);
	return log;
}

static void join_with_sums(
	struct ear_call_log *log, const struct truth *truth, size_t from, size_t to)
{
	const struct ear_call_log_options options = {.part = true, .sums = true};
	struct ear_call_log *part;

	assert_int_equal(ear_call_log_new(&part, NULL, &options), 0);
	read_into(part, truth, from, to);
	assert_int_equal(ear_call_log_finish(part), 0);
	assert_int_equal(ear_call_log_join(log, part), 0);
	ear_call_log_free(part);
}

static void check_sums(const struct truth *truth, struct random *random, size_t longest)
{
	struct ear_call_sum *sum;
	struct ear_call_log *log = new_sum(&sum);

	read_into(log, truth, 0, truth->count);
	char *expected = end_sum(sum, log);
	log = new_sum(&sum);
	for (size_t at = 0, next; at < truth->count; at = next) {
		next = at + 1 + random_below(random, longest);
		next = next < truth->count ? next : truth->count;
		if (random_below(random, 4) == 0)
			join(log, truth, at, next, false);
		else
			join_with_sums(log, truth, at, next);
	}
	char *found = end_sum(sum, log);
	assert_string_equal(found, expected);
	free(found);
	free(expected);
}

static void sums_of_parts_are_those_of_the_whole(void **state)
{
	struct random random = {12};
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		check_sums(truth, &random, truth->count / 4 + 1);
		check_sums(truth, &random, truth->count / 40 + 1);
		truth_free(truth);
	}
}

/* A part, of which some functions have no room, as a log does it. */
static void sum_up_part(struct ear_call_sum *sum, struct random *random, uint64_t functions,
	struct ear_call_sum *whole)
{
	struct ear_call_sum *own;
	size_t met = 0;

	assert_int_equal(ear_call_sum_new(&own), 0);
	for (uint64_t i = 0; i < 2 * functions; i++) {
		const struct ear_call_log_call call = {
			.function = i < functions ? i * 2654435761u % 40009
						  : random_below(random, 40009),
			.records = random_below(random, 1000000)};
		assert_int_equal(ear_call_sum_add(whole, &call), 0);
		if (ear_call_sum_add_apart(own, &call) == 0)
			continue;
		const size_t count = ear_call_sum_count(own);
		assert_int_equal(ear_call_sum_meet(sum, own, met, count), 0);
		assert_int_equal(ear_call_sum_add(sum, &call), 0);
		met = count;
	}
	assert_int_equal(ear_call_sum_join(sum, own), 0);
	ear_call_sum_free(own);
}

static void more_functions_than_there_is_room_for(void **state)
{
	static const uint64_t parts[] = {100, 9000, 10, 17000, 1};
	struct random random = {13};
	struct ear_call_sum *sum, *whole;
	struct ear_call_log *log = new_sum(&sum), *other = new_sum(&whole);

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum_up_part(sum, &random, parts[i], whole);
	assert_int_equal(ear_call_sum_count(whole), EAR_CALL_SUM_FUNCTIONS + 1);
	char *expected = end_sum(whole, other), *found = end_sum(sum, log);
	assert_string_equal(found, expected);
	free(found);
	free(expected);
}

/* ---- Files that are wrong. ---- */

/* Returns what the join of the lines says. */
static int join_lines(const char *lines)
{
	struct text text;
	struct ear_call_log *sum = new_log(&text, 0, false), *part = new_part();
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = tmpfile();
	int result = 1;

	assert_non_null(file);
	fprintf(file, "earshot-part %d calls\noptions -\ntrace -\nprogram - -\nrecords 0 1 1\n%s",
		EAR_PART_VERSION, lines);
	rewind(file);
	if (ear_part_open(&reader, file, &found) &&
		ear_analysis_read(&ear_calls_analysis, part, NULL, &reader))
		result = ear_call_log_join(sum, part);
	ear_part_close(&reader);
	fclose(file);
	ear_call_log_free(part);
	free(end_text(&text, sum));
	return result;
}

static void rows_that_cannot_be(void **state)
{
	static const char *const wrong[] = {
		"row 9 1\nend 6\n",                          /* no such kind */
		"row 8 2\nend 6\n", "row 0 0 1\nend 6\n",    /* too short */
		"row 2 0 5 9 0 0 0 0\nend 6\n",              /* a kind of frame that is none */
		"row 2 0 5 0 1 0 0 0\nend 6\n",              /* below a frame that is not there */
		"row 3 0 1 0\nend 6\n",                      /* one that is not there is left, */
		"row 2 0 5 0 0 0 0 0\nrow 3 0 1 9\nend 7\n", /* or in no way that there is, */
		"row 3 0 0 0\nend 6\n",                      /* or none */
		"row 2 0 5 0 0 0 0 0\nrow 3 0 1 0\nrow 3 0 1 0\nend 8\n", /* twice */
		"row 4 0 1 0 0\nend 6\n", /* a tail call of what is not there */
		"row 5 0 1 0\nend 6\n", "row 6 0 1 0 0 0\nend 6\n",
		"row 0 65536 0 0 0 0\nend 6\n", /* a hart that cannot be */
	};

	(void)state;
	assert_int_equal(join_lines("row 2 0 5 0 0 0 0 0\nrow 3 0 1 0\nend 7\n"), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(join_lines(wrong[i]), EAR_E_BAD_FILE);
	assert_int_equal(join_lines("row 2 0 5 0 0 0 0 0\n"), 1); /* no end */
	assert_int_equal(join_lines("pc 1\nend 6\n"), 1);
}

/* A part with some bytes changed is refused, or is another one; nothing else happens. */
static void damaged_parts(void **state)
{
	struct random random = {3};
	struct truth *truth = truth_of(1);
	struct ear_call_log *part = new_part();
	struct text text;

	(void)state;
	read_into(part, truth, 0, truth->count);
	assert_int_equal(ear_call_log_finish(part), 0);
	begin_text(&text);
	write_part(part, text.file);
	assert_int_equal(fclose(text.file), 0);
	ear_call_log_free(part);
	const char *lines = strstr(text.text, "row ");
	assert_non_null(lines);
	for (unsigned trial = 0; trial < 300; trial++) {
		char *damaged = strdup(lines);
		assert_non_null(damaged);
		for (unsigned i = 0; i < 1 + trial % 4; i++)
			damaged[random_below(&random, strlen(lines))] =
				"0123456789 \n"[random_below(&random, 12)];
		(void)join_lines(damaged);
		free(damaged);
	}
	free(text.text);
	truth_free(truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(wherever_it_is_cut),
		cmocka_unit_test(sums_of_parts_are_those_of_the_whole),
		cmocka_unit_test(more_functions_than_there_is_room_for),
		cmocka_unit_test(rows_that_cannot_be),
		cmocka_unit_test(damaged_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
