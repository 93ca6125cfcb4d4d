/* Two traces of several harts, and equal lines that are not read. library/compare/compare_harts.h,
 * equal_ahead.h, whisper_equal.h, whisper_equivalent.h */
#define _GNU_SOURCE /* memfd_create */

#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "library/compare/compare_harts.h"
#include "library/source/source.h"
#include "random.h"
#include "record_trip.h"

/* How the two sides are read. */
enum way {
	WAY_READ,    /* every line as a record */
	WAY_SKIP,    /* equal lines are not read */
	WAY_AHEAD,   /* nor those that other threads find */
	WAY_THREADS, /* each side by a thread */
	WAY_COUNT,
};

struct lines {
	char **lines; /* each with its line end; [0] is the header */
	size_t count, capacity;
};

struct log {
	char *text;
	size_t size;
	FILE *file;
	uint64_t pairs, skipped;
	int result;
};

static struct ear_source *sides[2];

static void add(struct lines *lines, const char *line, size_t size)
{
	if (lines->count == lines->capacity) {
		lines->capacity = 2 * lines->capacity + 1024;
		lines->lines = realloc(lines->lines, lines->capacity * sizeof(*lines->lines));
		assert_non_null(lines->lines);
	}
	lines->lines[lines->count] = strndup(line, size);
	assert_non_null(lines->lines[lines->count++]);
}

static void free_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->lines[i]);
	free(lines->lines);
	*lines = (struct lines){0};
}

/* The records of a file of tests/data, again and again. */
static struct lines repeat(const char *name, size_t count)
{
	struct lines lines = {0};
	size_t size;
	char *text = trip_load(name, &size);

	while (lines.count < count) {
		const char *at = text, *end = text + size;
		while (at < end && lines.count < count) {
			const char *newline = memchr(at, '\n', (size_t)(end - at));
			if (lines.count == 0 || at[0] != 'p')
				add(&lines, at, (size_t)(newline + 1 - at));
			at = newline + 1;
		}
	}
	free(text);
	return lines;
}

static struct lines copy(const struct lines *from)
{
	struct lines lines = {0};

	for (size_t i = 0; i < from->count; i++)
		add(&lines, from->lines[i], strlen(from->lines[i]));
	return lines;
}

static int file_of(const struct lines *lines)
{
	int fd = memfd_create("text", 0);

	assert_at_least(fd, 0);
	FILE *file = fdopen(dup(fd), "w");
	assert_non_null(file);
	for (size_t i = 0; i < lines->count; i++)
		fputs(lines->lines[i], file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int next(void *context, unsigned side, const struct ear_record **record)
{
	(void)context;
	return ear_source_next(sides[side], record);
}

static size_t skip_equal(void *context, struct ear_equal_lines *harts, size_t keep)
{
	(void)context;
	return ear_source_skip_equal(sides[0], sides[1], harts, keep);
}

static void put_records(struct log *log, struct ear_compare_harts *harts, unsigned side)
{
	/* What stands before is kept of A, as long as both were the same. */
	for (int position = side == 0 ? -3 : 0; position < 3; position++) {
		const struct ear_record *record = ear_compare_harts_record(harts, side, position);
		if (record && record->kind == EAR_RECORD_INSTRUCTION)
			fprintf(log->file, " %lx@%lu", record->pc, record->extra->line);
	}
}

static void put_event(struct log *log, struct ear_compare_harts *harts,
	const struct ear_compare *compare, const struct ear_compare_event *event)
{
	fprintf(log->file, "%d %u %lu %lu %u %lx %lx at %lu %lu:", event->kind, event->side,
		event->count[0], event->count[1], event->difference.field,
		event->difference.value_a, event->difference.value_b, ear_compare_count(compare, 0),
		ear_compare_count(compare, 1));
	put_records(log, harts, 0);
	fprintf(log->file, " /");
	put_records(log, harts, 1);
	fprintf(log->file, "\n");
}

/* Everything that a comparison tells. */
static struct log compare_texts(
	const struct lines *a, const struct lines *b, enum way way, int hart, size_t window)
{
	const struct ear_compare_harts_options options = {
		.compare = {.fields = EAR_COMPARE_ALL & ~(unsigned)EAR_COMPARE_TIME,
			.window = window,
			.run = 4,
			.context = 3,
			.hart = hart,
			.next = next},
		.skip_equal = way == WAY_SKIP || way == WAY_AHEAD ? skip_equal : NULL,
	};
	const struct ear_source_options text = {.format = "whisper", .reader = {.xlen = 64}};
	int fds[2] = {file_of(a), file_of(b)};
	struct ear_compare_harts *harts;
	struct ear_compare *compare;
	struct ear_compare_event event;
	struct log log = {0};

	log.file = open_memstream(&log.text, &log.size);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ear_source_new(&sides[i], fds[i], &text), 0);
		ear_source_set_jobs(sides[i], way == WAY_THREADS ? 2 : 1);
	}
	if (way == WAY_AHEAD)
		assert_int_equal(ear_source_compare_ahead(sides[0], sides[1], 3), 0);
	assert_int_equal(ear_compare_harts_new(&harts, &options), 0);
	while ((log.result = ear_compare_harts_next(harts, &event, &compare)) > 0)
		put_event(&log, harts, compare, &event);
	log.pairs = ear_compare_harts_pairs(harts);
	log.skipped = ear_compare_harts_skipped(harts);
	ear_compare_harts_free(harts);
	for (int i = 0; i < 2; i++) {
		ear_source_free(sides[i]);
		close(fds[i]);
	}
	fclose(log.file);
	return log;
}

/* All ways tell the same; returns what they tell. */
static struct log check(const struct lines *a, const struct lines *b, int hart, size_t window)
{
	struct log read = compare_texts(a, b, WAY_READ, hart, window);

	for (enum way way = WAY_SKIP; way < WAY_COUNT; way++) {
		struct log other = compare_texts(a, b, way, hart, window);
		assert_int_equal(read.result, other.result);
		assert_string_equal(read.text, other.text);
		assert_int_equal(read.pairs, other.pairs);
		if (way == WAY_SKIP)
			read.skipped = other.skipped;
		free(other.text);
	}
	return read;
}

static void equal_texts_are_hardly_read(void **state)
{
	static const char *const names[] = {
		"whisper/fpmix.csv", "whisper/multi.csv", "whisper/intsort.csv"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct lines lines = repeat(names[i], 40000);
		struct log log = check(&lines, &lines, -1, 1000);
		assert_string_equal(log.text, "");
		assert_int_equal(log.pairs, 39999);
		assert_above(log.skipped, 38000);
		free(log.text);
		free_lines(&lines);
	}
}

/* Change some lines of a text, each in one way. */
static void change(struct lines *lines, struct random *random, uint64_t every)
{
	struct lines made = {0};

	for (size_t i = 0; i < lines->count; i++) {
		char *line = lines->lines[i], *equals = strstr(line, "=");
		size_t size = strlen(line);
		if (i == 0 || !random_once_in(random, every)) {
			add(&made, line, size);
			continue;
		}
		switch (random_below(random, 4)) {
		case 0: /* a value */
			if (equals)
				equals[1] = equals[1] == '3' ? '4' : '3';
			add(&made, line, size);
			break;
		case 1: break; /* missing */
		case 2:        /* twice */
			add(&made, line, size);
			add(&made, line, size);
			break;
		default: /* something beside the records */
			add(&made, "# a comment\n", 12);
			add(&made, line, size);
			break;
		}
	}
	free_lines(lines);
	*lines = made;
}

static void all_ways_tell_of_the_same_differences(void **state)
{
	static const uint64_t often[] = {30, 2000, 20000};
	static const char *const names[] = {"whisper/fpmix.csv", "whisper/multi.csv"};

	(void)state;
	for (uint64_t seed = 1; seed <= (EAR_TEST_LESS > 1 ? 2 : 4); seed++) {
		for (size_t i = 0; i < COUNT_OF(often); i++) {
			struct random random = {100 * seed + i};
			struct lines a = repeat(names[seed % 2], 25000), b = copy(&a);
			change(&b, &random, often[i]);
			struct log log = check(&a, &b, -1, 1000);
			assert_int_equal(log.result, 0);
			free(log.text);
			free(check(&a, &b, -1, 0).text);
			free(check(&a, &b, 1, 100).text);
			free_lines(&a);
			free_lines(&b);
		}
	}
}

enum spelling {
	SPELLING_CR,          /* other line ends */
	SPELLING_NO_HART,     /* a column less */
	SPELLING_DISASSEMBLY, /* another one in each line */
	SPELLING_COUNT,
};

/* The same records in other texts. */
static void spell(struct lines *lines, enum spelling spelling)
{
	for (size_t i = 0; i < lines->count; i++) {
		char *line = lines->lines[i], *hart = strrchr(line, ',');
		char *made = malloc(strlen(line) + 16);
		assert_non_null(made);
		if (spelling == SPELLING_CR)
			sprintf(made, "%.*s\r\n", (int)strcspn(line, "\n"), line);
		else if (!hart || (i == 0 && spelling != SPELLING_NO_HART))
			sprintf(made, "%s", line);
		else if (spelling == SPELLING_NO_HART)
			sprintf(made, "%.*s\n", (int)(hart - line), line);
		else
			sprintf(made, "%.*s ; it%s", (int)(hart - line), line, hart);
		free(line);
		lines->lines[i] = made;
	}
}

static void lines_that_make_equal_records_are_hardly_read(void **state)
{
	(void)state;
	for (enum spelling spelling = 0; spelling < SPELLING_COUNT; spelling++) {
		struct lines a = repeat("whisper/intsort.csv", 40000);
		struct lines b = copy(&a);
		spell(&b, spelling);
		struct log log = check(&a, &b, -1, 1000);
		assert_string_equal(log.text, "");
		assert_int_equal(log.pairs, 39999);
		assert_above(log.skipped, 30000);
		free(log.text);
		free_lines(&a);
		free_lines(&b);
	}
}

static unsigned hart_of(const char *line)
{
	const char *comma = strrchr(line, ',');

	return (unsigned)strtoul(comma + 1, NULL, 16);
}

/* Let one hart or another go first, up to distance lines at a time. */
static struct lines shuffle(const struct lines *from, struct random *random, uint64_t distance)
{
	size_t next[2] = {1, 1};
	struct lines made = {0};

	add(&made, from->lines[0], strlen(from->lines[0]));
	while (made.count < from->count) {
		unsigned hart = (unsigned)random_below(random, 2);
		for (uint64_t n = random_below(random, distance); n > 0; n--) {
			size_t *at = &next[hart];
			while (*at < from->count && hart_of(from->lines[*at]) != hart)
				++*at;
			if (*at == from->count)
				break;
			add(&made, from->lines[*at], strlen(from->lines[*at]));
			++*at;
		}
	}
	return made;
}

static void harts_may_take_turns_in_any_way(void **state)
{
	static const uint64_t distances[] = {4, 3000};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(distances); i++) {
		struct random random = {7 + i};
		struct lines a = repeat("whisper/multi.csv", 20000);
		struct lines b = shuffle(&a, &random, distances[i]);
		struct log log = check(&a, &b, -1, 1000);
		assert_int_equal(log.result, 0);
		assert_string_equal(log.text, "");
		assert_int_equal(log.pairs, 19999);
		free(log.text);
		/* And a difference of one hart is found among them. */
		char *value = strstr(b.lines[15000], "=");
		while (!value)
			value = strstr(b.lines[15000 + random_below(&random, 900)], "=");
		value[1] = value[1] == '1' ? '2' : '1';
		log = check(&a, &b, -1, 1000);
		assert_int_equal(log.pairs, 19999);
		assert_ptr_equal(strchr(log.text, '\n'), log.text + log.size - 1);
		free(log.text);
		free_lines(&a);
		free_lines(&b);
	}
}

/* One side has all of a hart first: more records would wait than there is room for. */
static void harts_too_far_apart_are_told(void **state)
{
	struct random random = {9};
	struct lines a = repeat("whisper/multi.csv", 150000), b;
	for (size_t i = 1; i < a.count; i++) /* both have as many records */
		a.lines[i][strlen(a.lines[i]) - 2] = i % 2 ? '1' : '0';
	b = shuffle(&a, &random, 1000000);

	(void)state;
	struct log log = compare_texts(&a, &b, WAY_READ, -1, 1000);
	assert_int_equal(log.result, EAR_E_FULL);
	free(log.text);
	log = compare_texts(&a, &b, WAY_READ, 1, 1000);
	assert_int_equal(log.result, 0);
	assert_string_equal(log.text, "");
	free(log.text);
	free_lines(&a);
	free_lines(&b);
}

static void a_hart_that_only_one_side_has_is_told(void **state)
{
	struct lines a = repeat("whisper/multi.csv", 3000), b = {0};

	(void)state;
	for (size_t i = 0; i < a.count; i++)
		if (i == 0 || hart_of(a.lines[i]) == 0)
			add(&b, a.lines[i], strlen(a.lines[i]));
	struct log log = check(&a, &b, -1, 1000);
	assert_int_equal(log.result, 0);
	assert_int_equal(log.text[0] - '0', EAR_COMPARE_ENDED);
	assert_ptr_equal(strchr(log.text, '\n'), log.text + log.size - 1);
	free(log.text);
	free_lines(&a);
	free_lines(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_are_hardly_read),
		cmocka_unit_test(all_ways_tell_of_the_same_differences),
		cmocka_unit_test(lines_that_make_equal_records_are_hardly_read),
		cmocka_unit_test(harts_may_take_turns_in_any_way),
		cmocka_unit_test(harts_too_far_apart_are_told),
		cmocka_unit_test(a_hart_that_only_one_side_has_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
