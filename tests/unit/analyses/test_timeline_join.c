/* Parts of a timeline: joined, they are the timeline of the whole, wherever it is cut.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

#include "analyses/base/analysis_run.h"
#include "analyses/timeline/timeline.h"
#include "library_truth.h"
#include "random.h"

/* ---- Timelines as text. ---- */

static struct ear_timeline *new_timeline(const struct ear_timeline_options *options)
{
	struct ear_timeline *timeline;

	assert_int_equal(ear_timeline_new(&timeline, NULL, options), 0);
	return timeline;
}

static struct ear_timeline *new_part(void)
{
	return new_timeline(&(struct ear_timeline_options){.part = true});
}

static void print_event(FILE *file, const struct ear_timeline_event *event)
{
	fprintf(file, "%u %" PRIu32 " %" PRIu64, event->kind, event->track, event->time);
	switch ((enum ear_timeline_event_kind)event->kind) {
	case EAR_TIMELINE_BEGIN:
		fprintf(file, " %u %" PRIu64 " %" PRIu64, event->how, event->duration,
			event->merged);
		break;
	case EAR_TIMELINE_INSTANT: break;
	case EAR_TIMELINE_END: break;
	case EAR_TIMELINE_COUNTER: fprintf(file, " %.17g", event->value); break;
	}
	if (event->kind != EAR_TIMELINE_COUNTER)
		fprintf(file, " %u %" PRIu64, event->category, event->record);
	if (event->kind == EAR_TIMELINE_BEGIN || event->kind == EAR_TIMELINE_INSTANT)
		fprintf(file, " %" PRIu32 " %s %" PRIx64, event->name_number, event->name,
			event->address);
	fputc('\n', file);
}

/* All that a timeline hands out; it is freed. */
static char *text_of(struct ear_timeline *timeline)
{
	struct ear_timeline_event event;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(ear_timeline_finish(timeline), 0);
	for (size_t i = 0; i < ear_timeline_track_count(timeline); i++) {
		const struct ear_timeline_track *track = ear_timeline_track(timeline, i);
		fprintf(file, "%s: %u %u %" PRIu64 "\n", track->name, track->kind, track->hart,
			track->merged);
	}
	while (ear_timeline_next(timeline, &event))
		print_event(file, &event);
	const struct ear_timeline_result result = ear_timeline_result(timeline);
	fprintf(file,
		"%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		result.has_time, result.records, result.slices, result.merged, result.least,
		result.instants, result.instants_left_out, result.backwards, result.gaps,
		result.pathless);
	assert_int_equal(fclose(file), 0);
	ear_timeline_free(timeline);
	return text;
}

/* ---- Reading. ---- */

static void read_into(
	struct ear_timeline *timeline, const struct truth *truth, size_t from, size_t to)
{
	struct ear_trace *trace = truth_open_indexed(truth);
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_moment *moment;

	if (from > 0) {
		assert_int_equal(ear_moment_new(&moment, trace, from, NULL), 0);
		assert_int_equal(ear_timeline_start(timeline, moment, NULL), 0);
		ear_moment_free(moment);
		assert_int_equal(ear_trace_seek(trace, from, NULL), 1);
	}
	while (ear_trace_position(trace) < to && ear_trace_next_batch(trace, &batch) == 1) {
		if (batch.count > to - batch.position)
			batch.count = to - batch.position;
		assert_int_equal(ear_timeline_batch(timeline, &batch), 0);
	}
	ear_trace_close(trace);
}

static const struct ear_part_head head = {.analysis = "timeline",
	.options = "-",
	.trace = "-",
	.program_sha256 = "-",
	.program = "-"};

static void write_part(struct ear_timeline *part, FILE *file)
{
	ear_analysis_write(&ear_timeline_analysis, part, NULL, &head, file);
}

static bool read_part(struct ear_timeline *part, struct ear_part_reader *reader)
{
	return ear_analysis_read(&ear_timeline_analysis, part, NULL, reader);
}

/* Through a file. */
static struct ear_timeline *write_and_read(struct ear_timeline *part)
{
	struct ear_timeline *again = new_part();
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = tmpfile();

	assert_non_null(file);
	write_part(part, file);
	rewind(file);
	assert_true(ear_part_open(&reader, file, &found));
	assert_true(read_part(again, &reader));
	ear_part_close(&reader);
	fclose(file);
	ear_timeline_free(part);
	return again;
}

static void join(struct ear_timeline *sum, const struct truth *truth, size_t from, size_t to,
	bool through_file)
{
	struct ear_timeline *part = new_part();

	read_into(part, truth, from, to);
	assert_int_equal(ear_timeline_finish(part), 0);
	if (through_file)
		part = write_and_read(part);
	assert_int_equal(ear_timeline_join(sum, part), 0);
	ear_timeline_free(part);
}

/* ---- Tests. ---- */

static void check_cuts(const struct truth *truth, struct random *random,
	const struct ear_timeline_options *options, size_t longest, bool through_file)
{
	struct ear_timeline *timeline = new_timeline(options);

	read_into(timeline, truth, 0, truth->count);
	char *expected = text_of(timeline);
	timeline = new_timeline(options);
	for (size_t at = 0, next; at < truth->count; at = next) {
		next = at + 1 + random_below(random, longest);
		next = next < truth->count ? next : truth->count;
		join(timeline, truth, at, next, through_file);
	}
	char *found = text_of(timeline);
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
		check_cuts(truth, &random, NULL, some, number % 2);
		check_cuts(truth, &random, &(struct ear_timeline_options){.slices_max = 50}, some,
			false);
		check_cuts(truth, &random, &(struct ear_timeline_options){.depth = 2, .least = 3},
			many, number % 3 == 0);
		truth_free(truth);
	}
}

/* Every place of one trace. */
static void wherever_it_is_cut(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_timeline *timeline = new_timeline(NULL);

	(void)state;
	read_into(timeline, truth, 0, truth->count);
	char *expected = text_of(timeline);
	for (size_t cut = 1; cut < truth->count; cut += cut < 8 ? 1 : 7) {
		timeline = new_timeline(NULL);
		join(timeline, truth, 0, cut, false);
		join(timeline, truth, cut, truth->count, false);
		char *found = text_of(timeline);
		assert_string_equal(found, expected);
		free(found);
	}
	free(expected);
	truth_free(truth);
}

/* ---- Files that are wrong. ---- */

/* Returns what the join of the lines says. */
static int join_lines(const char *lines)
{
	struct ear_timeline *sum = new_timeline(NULL), *part = new_part();
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = tmpfile();
	int result = 1;

	assert_non_null(file);
	fprintf(file,
		"earshot-part %d timeline\noptions -\ntrace -\nprogram - -\nrecords 0 1 1\n%s",
		EAR_PART_VERSION, lines);
	rewind(file);
	if (ear_part_open(&reader, file, &found) && read_part(part, &reader))
		result = ear_timeline_join(sum, part);
	ear_part_close(&reader);
	fclose(file);
	ear_timeline_free(part);
	free(text_of(sum));
	return result;
}

static void rows_that_cannot_be(void **state)
{
	static const char *const wrong[] = {
		"row 11 1\nend 6\n",                         /* no such kind */
		"row 0 0 1\nend 6\n",                        /* too short */
		"row 0 0 1 5 0 2\nend 6\n",                  /* in a frame that is not there */
		"row 0 0 0 5 0 1\nend 6\n",                  /* no records, */
		"row 0 0 0 5 0 131\nend 6\n",                /* or more than a window has */
		"row 1 0 5 0 0 9\nend 6\n",                  /* a privilege that is none */
		"row 4 0 5 8 0 0 0\nend 6\n",                /* a kind of frame that is none */
		"row 5 0 1 0 0\nend 6\n",                    /* one that is not there is left, */
		"row 4 0 5 1 0 0 0\nrow 5 0 1 9 0\nend 7\n", /* or in no way that there is, */
		"row 5 0 0 0 0\nend 6\n",                    /* or none, */
		"row 4 0 5 1 0 0 0\nrow 5 0 1 0 0\nrow 5 0 1 0 0\nend 8\n", /* or twice */
		"row 8 0 5 0 0 0 0 201\nend 6\n", /* a text that is too long, */
		"row 8 0 5 0 0 0 0 9 1\nend 6\n", /* or not there */
		"row 0 65536 0 5 0 2\nend 6\n",   /* a hart that cannot be */
	};

	(void)state;
	assert_int_equal(join_lines("row 4 0 5 1 0 0 0\nrow 5 0 1 0 0\nend 7\n"), 0);
	assert_int_equal(join_lines("row 8 0 5 0 0 0 0 9 1 2\nend 6\n"), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(join_lines(wrong[i]), EAR_E_BAD_FILE);
	assert_int_equal(join_lines("row 4 0 5 1 0 0 0\n"), 1); /* no end */
	assert_int_equal(join_lines("pc 1\nend 6\n"), 1);
}

/* A part with some bytes changed is refused, or is another one; nothing else happens. */
static void damaged_parts(void **state)
{
	struct random random = {3};
	struct truth *truth = truth_of(1);
	struct ear_timeline *part = new_part();
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	read_into(part, truth, 0, truth->count);
	assert_int_equal(ear_timeline_finish(part), 0);
	write_part(part, file);
	assert_int_equal(fclose(file), 0);
	ear_timeline_free(part);
	const char *lines = strstr(text, "row ");
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
	free(text);
	truth_free(truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(wherever_it_is_cut),
		cmocka_unit_test(rows_that_cannot_be),
		cmocka_unit_test(damaged_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
