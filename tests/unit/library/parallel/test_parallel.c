/* Texts read and written by several threads: everything is as with one. library/source/source.h,
 * parallel_reader.h, read_ahead.h, parallel_writer.h */
#define _GNU_SOURCE /* memfd_create */

#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/formats/formats.h"
#include "library/parallel/parallel_writer.h"
#include "library/parallel/thread_pool.h"
#include "library/source/source.h"
#include "random.h"
#include "record_trip.h"

#define NOTES_MAX 4096

/* What a reader reported, and when to say that it is enough. */
struct reports {
	size_t count, bad, bad_limit;
	struct {
		uint64_t line, offset;
		bool bad;
		char cause[100];
	} notes[NOTES_MAX];
};

static int note(
	void *context, uint64_t line, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	struct reports *reports = context;

	assert_below(reports->count, NOTES_MAX);
	reports->notes[reports->count].line = line;
	reports->notes[reports->count].offset = offset;
	reports->notes[reports->count].bad = kind != EAR_LINE_NOTE;
	snprintf(
		reports->notes[reports->count].cause, sizeof(reports->notes[0].cause), "%s", cause);
	reports->count++;
	reports->bad += kind != EAR_LINE_NOTE;
	return reports->bad > reports->bad_limit ? EAR_E_BAD_FILE : 0;
}

struct text {
	char *bytes;
	size_t size, capacity;
};

static void add(struct text *text, const char *bytes, size_t size)
{
	if (text->size + size > text->capacity) {
		text->capacity = 2 * (text->size + size);
		text->bytes = realloc(text->bytes, text->capacity);
		assert_non_null(text->bytes);
	}
	if (size > 0)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

static void add_line(struct text *text, const char *line)
{
	add(text, line, strlen(line));
	add(text, "\n", 1);
}

static int file_of(const struct text *text, enum ear_text_packing packing)
{
	struct ear_text_output output;
	int fd = memfd_create("text", 0);

	assert_at_least(fd, 0);
	assert_int_equal(ear_text_output_init(&output, fd, packing), 0);
	ear_text_output_append(&output, text->bytes, text->size);
	assert_int_equal(ear_text_output_finish(&output), 0);
	ear_text_output_fini(&output);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

struct side {
	struct ear_source *source;
	struct reports reports;
	int fd;
};

static struct side *open_side(const struct text *text, const char *format,
	enum ear_text_packing packing, unsigned jobs, size_t bad_limit, bool light)
{
	struct side *side = calloc(1, sizeof(*side));
	assert_non_null(side);
	const struct ear_source_options options = {.format = format,
		.reader = {.report = note, .context = &side->reports, .light = light}};

	side->reports.bad_limit = bad_limit;
	side->fd = file_of(text, packing);
	assert_int_equal(ear_source_new(&side->source, side->fd, &options), 0);
	ear_source_set_jobs(side->source, jobs);
	return side;
}

static void close_side(struct side *side)
{
	ear_source_free(side->source);
	close(side->fd);
	free(side);
}

static uint64_t line_of(const struct side *side, const struct ear_record *record)
{
	char place[64];
	uint64_t line;

	ear_source_place(side->source, record, place, sizeof(place));
	assert_int_equal(sscanf(place, "line %lu", &line), 1);
	return line;
}

/* The light way reads no more than this. */
static bool same_light(const struct ear_record *a, const struct ear_record *b)
{
	return a->kind == b->kind && a->pc == b->pc && a->opcode == b->opcode &&
	       a->hart == b->hart && a->index == b->index && a->flags == b->flags &&
	       a->privilege == b->privilege;
}

/* Records, their indexes and positions, what was reported, and the end, from one thread and from
 * several.
 */
static void check(const struct text *text, const char *format, enum ear_text_packing packing,
	unsigned jobs, size_t bad_limit, bool light)
{
	struct side *one = open_side(text, format, packing, 1, bad_limit, light);
	struct side *many = open_side(text, format, packing, jobs, bad_limit, light);
	const struct ear_record *a, *b;
	int result_a, result_b;

	for (;;) {
		result_a = ear_source_next(one->source, &a);
		result_b = ear_source_next(many->source, &b);
		assert_int_equal(result_a, result_b);
		if (result_a <= 0)
			break;
		if (light) {
			if (!same_light(a, b))
				fail_msg("%s: line %lu, jobs %u: pc %lx and %lx", format,
					(unsigned long)a->extra->line, jobs, (unsigned long)a->pc,
					(unsigned long)b->pc);
			continue;
		}
		const char *difference = trip_record_difference(a, b);
		if (difference)
			print_message("%s: line %lu, jobs %u, hart %u index %lu %lu, %s\n", format,
				line_of(one, a), jobs, a->hart, a->index, b->index, difference);
		assert_null(difference);
		assert_int_equal(a->index, b->index);
		assert_int_equal(a->stream_offset, b->stream_offset);
		assert_int_equal(line_of(one, a), line_of(many, b));
	}
	assert_int_equal(one->reports.count, many->reports.count);
	assert_memory_equal(one->reports.notes, many->reports.notes, sizeof(one->reports.notes));
	ear_source_stop(many->source);
	const struct ear_reader *reader = ear_source_reader(one->source);
	if (result_a == 0) /* several threads read further than where enough was enough */
		assert_int_equal(reader->words, ear_source_reader(many->source)->words);
	assert_int_equal(reader->word_line, ear_source_reader(many->source)->word_line);
	assert_string_equal(reader->word, ear_source_reader(many->source)->word);
	if (ear_source_fault(one->source))
		assert_string_equal(ear_source_fault(one->source), ear_source_fault(many->source));
	close_side(one);
	close_side(many);
}

static void check_all(const struct text *text, const char *format, size_t bad_limit)
{
	static const unsigned jobs[] = {3, 2, 5};

	for (size_t i = 0; i < COUNT_OF(jobs); i += EAR_TEST_LESS)
		check(text, format, EAR_TEXT_PLAIN, jobs[i], bad_limit, false);
	check(text, format, EAR_TEXT_GZIP, 3, bad_limit, false);
	check(text, format, EAR_TEXT_ZSTD, 4, bad_limit, false);
}

/* Lines of a file of tests/data, again and again, with something else between them: what, and how
 * often, is up to the caller. */
static struct text repeat(const char *name, size_t size, struct random *random,
	const char *const *others, size_t other_count, uint64_t every)
{
	struct text text = {0};
	size_t given, times = 0;
	char *lines = trip_load(name, &given);

	while (text.size < size) {
		const char *at = lines;
		const char *end = lines + given;
		if (times++ > 0) /* after the header */
			at = (const char *)memchr(at, '\n', given) + 1;
		while (at < end && text.size < size) {
			const char *newline = memchr(at, '\n', (size_t)(end - at));
			add(&text, at, (size_t)(newline + 1 - at));
			at = newline + 1;
			if (other_count > 0 && random_once_in(random, every))
				add_line(&text, others[random_below(random, other_count)]);
		}
	}
	free(lines);
	return text;
}

static void chunks_of_a_whisper_trace_are_put_together(void **state)
{
	struct random random = {11};
	struct text text = repeat("whisper/fpmix.csv", 2500000, &random, NULL, 0, 0);

	(void)state;
	check_all(&text, "whisper", 0);
	check(&text, "whisper", EAR_TEXT_PLAIN, 3, 0, true);
	free(text.bytes);
}

static void several_harts_are_counted_by_hart(void **state)
{
	struct random random = {12};
	struct text text = repeat("whisper/multi.csv", 2000000, &random, NULL, 0, 0);

	(void)state;
	check_all(&text, "whisper", 0);
	free(text.bytes);
}

/* Every kind of line that a later one depends on, and all that is reported. */
static void what_lines_say_about_later_ones_is_known_in_every_chunk(void **state)
{
	static const char *const others[] = {
		"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, "
		"disassembly, hartid",
		"inst, pc, modified regs, source operands, memory, inst info, privilege, trap, "
		"disassembly, hartid, iptw, dptw",
		"",
		"# a comment",
		"# gap: 12 records missing; index 100 to 111; hart 0; damaged bytes; stream byte 7",
		"# gap: bad comment",
		"80000000,00000073",
		"no line at all",
		"80000004,00229073,c2=3,x5;c2,,,m,,csrrw x0; frm; x5,0",
		"80000008,02b57553,f10=0;ff=1,f10;f11;rm=3,,f,m,,fadd.d f10; f10; f11; dyn,1",
		"8000000c,00050513,x10=ffffffff80000000,x10;i0,,,m,,addi     x10; x10; 0x0,ffff",
		"80000010,cd2272d7,x5=4;c3104=4;c3105=d2,i4;id2,,v,m,,vsetivli x5; 4; "
		"e32;m4;ta;ma,0",
		"80000014,2c40257,,v12m4;v8m4,,v,m,,vadd.vv v4; v12; v8,0",
		"80000018,00128293,x99=1;x5=2,x5;i1,,,m,,addi     x5; x5; 0x1,0",
	};
	static const uint64_t often[] = {40, 3000, 15000};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(often); i++) {
		struct random random = {13 + i};
		struct text text = repeat("whisper/intsort.csv", 1500000, &random, others,
			COUNT_OF(others), often[i]);
		check_all(&text, "whisper", 3000);
		/* Enough is enough at the same line. */
		check_all(&text, "whisper", 3);
		free(text.bytes);
	}
}

static void *make_count(void *context)
{
	(void)context;
	return calloc(1, sizeof(unsigned));
}

static void free_count(void *context, void *count)
{
	(void)context;
	free(count);
}

static int begin_count(void *context, void *count)
{
	(void)context;
	*(unsigned *)count = 0;
	return 0;
}

/* Of a text with a header and a record a line. */
static int count_wrong(void *context, void *count, const struct ear_record *record)
{
	(void)context;
	*(unsigned *)count += record->extra->line != record->index + 2;
	return 0;
}

static void threads_that_need_the_index_know_the_line(void **state)
{
	const struct ear_parallel_options options = {.jobs = 3,
		.need_index = true,
		.limit = UINT64_MAX,
		.use = {.make = make_count,
			.free = free_count,
			.begin = begin_count,
			.take = count_wrong}};
	struct random random = {21};
	struct text text = repeat("whisper/fpmix.csv", 5000000, &random, NULL, 0, 0);
	struct side *side = open_side(&text, "whisper", EAR_TEXT_PLAIN, 1, 0, false);
	struct ear_parallel_reader *parallel;
	unsigned chunks = 0;
	void *count;

	(void)state;
	assert_int_equal(ear_source_read_chunks(side->source, &parallel, &options), 0);
	for (; ear_parallel_reader_next(parallel, &count) > 0; chunks++)
		assert_int_equal(*(unsigned *)count, 0);
	assert_true(chunks > 3);
	ear_parallel_reader_free(parallel);
	close_side(side);
	free(text.bytes);
}

/* A line may be longer than a chunk, or the last one may be cut off. */
static void lines_of_any_length_are_read(void **state)
{
	struct random random = {14};
	struct text text = repeat("whisper/vector.csv", 300000, &random, NULL, 0, 0);

	(void)state;
	for (int i = 0; i < 4; i++) {
		add(&text, "80000000,00050513,", 18);
		for (unsigned k = 0; k < 30000u * (unsigned)(i + 1); k++)
			add(&text, "x10=12345678;", 13);
		add_line(&text, "x10=1,x10;i0,,,m,,addi     x10; x10; 0x0,0");
	}
	for (size_t cut = 0; cut < 60; cut += 7) {
		struct text part = {text.bytes, text.size - cut, 0};
		check(&part, "whisper", EAR_TEXT_PLAIN, 3, 10, false);
	}
	/* 16 MiB are too much. */
	for (unsigned k = 0; k < 17u << 20; k += 16)
		add(&text, "x10=000000000001", 16);
	check(&text, "whisper", EAR_TEXT_PLAIN, 3, 10, false);
	check(&text, "whisper", EAR_TEXT_ZSTD, 3, 10, false);
	free(text.bytes);
}

static void an_empty_text_has_no_records(void **state)
{
	static const char *const texts[] = {"", "\n", "\n\n\n", "pc, inst", "pc, inst\n"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct text text = {0};
		add(&text, texts[i], strlen(texts[i]));
		check_all(&text, "whisper", 0);
		free(text.bytes);
	}
}

/* Of the formats that cannot be cut, one thread reads ahead. */
static void every_format_is_read_ahead(void **state)
{
	static const struct {
		const char *format, *name;
	} files[] = {
		{"whisper-log", "whisper/intsort-default.log"},
		{"qemu4v", "qemu4v/published.txt"},
		{"qemu4v", "qemu4v/mips.txt"},
		{"tarmac", "tarmac/dialects.txt"},
		{"armulator", "armulator/forms.txt"},
		{"spike", "spike/rv64.log"},
		{"sail", "sail/rv64.log"},
		{"ibex", "ibex/rv32.log"},
		{"rvvi", "logs/rvvi-earshot"},
		{"riscv-dv", "riscv-dv/rv32.csv"},
	};
	static const char *const others[] = {"no line of any format", "", "\t \t"};
	struct random random = {15};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct text text =
			repeat(files[i].name, 150000, &random, others, COUNT_OF(others), 100);
		check_all(&text, files[i].format, SIZE_MAX);
		check_all(&text, files[i].format, 2);
		free(text.bytes);
	}
}

/* A source that is given up in the middle ends its threads. */
static void reading_may_end_anywhere(void **state)
{
	struct random random = {16};
	struct text text = repeat("whisper/fpmix.csv", 2000000, &random, NULL, 0, 0);

	(void)state;
	for (unsigned jobs = 2; jobs < 5; jobs++) {
		for (unsigned count = 0; count < 9000; count += 2999) {
			struct side *side =
				open_side(&text, "whisper", EAR_TEXT_PLAIN, jobs, SIZE_MAX, false);
			const struct ear_record *record;
			for (unsigned i = 0; i < count; i++)
				assert_int_equal(ear_source_next(side->source, &record), 1);
			close_side(side);
		}
	}
	free(text.bytes);
}

/* Write all records of a text: by one writer, or jobs > 0 by a parallel one. */
static char *write_all(
	const struct text *text, const char *from, const char *to, unsigned jobs, size_t *size)
{
	struct side *side = open_side(text, from, EAR_TEXT_PLAIN, 1, SIZE_MAX, false);
	const struct ear_writer_format *format = ear_writer_find(to);
	struct ear_parallel_writer *parallel = NULL;
	struct ear_text_output output;
	struct ear_writer *writer;
	const struct ear_record *record;

	assert_int_equal(ear_text_output_init_memory(&output), 0);
	writer = format->make(&output, NULL);
	assert_non_null(writer);
	if (jobs > 0)
		assert_int_equal(
			ear_parallel_writer_new(&parallel, format, NULL, &output, jobs), 0);
	while (ear_source_next(side->source, &record) > 0)
		assert_int_equal(jobs > 0 ? ear_parallel_writer_push(parallel, record)
					  : ear_writer_push(writer, record),
			0);
	if (jobs > 0)
		assert_int_equal(ear_parallel_writer_flush(parallel), 0);
	ear_parallel_writer_free(parallel);
	ear_writer_free(writer);
	close_side(side);
	*size = output.used;
	return output.buffer;
}

static void batches_are_written_as_by_one_writer(void **state)
{
	static const char *const formats[] = {
		"whisper", "whisper-log", "json", "spike", "riscv-dv"};
	struct random random = {17};
	struct text text = repeat("whisper/multi.csv", 1200000, &random, NULL, 0, 0);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		size_t size, parallel_size;
		char *one = write_all(&text, "whisper", formats[i], 0, &size);
		for (unsigned jobs = 1; jobs < 4; jobs++) {
			char *many = write_all(&text, "whisper", formats[i], jobs, &parallel_size);
			assert_int_equal(size, parallel_size);
			assert_memory_equal(one, many, size);
			free(many);
		}
		free(one);
	}
	free(text.bytes);
}

static void a_format_of_one_chunk_is_refused(void **state)
{
	struct ear_parallel_writer *writer;
	struct ear_text_output output;

	(void)state;
	assert_int_equal(ear_text_output_init_memory(&output), 0);
	assert_int_equal(
		ear_parallel_writer_new(&writer, ear_writer_find("armulator"), NULL, &output, 2),
		EAR_E_UNSUPPORTED);
	ear_text_output_fini(&output);
}

static void json_lines_are_read_in_chunks(void **state)
{
	struct random random = {18};
	struct text text = repeat("whisper/multi.csv", 400000, &random, NULL, 0, 0);
	struct text json = {0};

	(void)state;
	json.bytes = write_all(&text, "whisper", "json", 0, &json.size);
	assert_above(json.size, 3 * EAR_TEXT_CHUNK_SIZE);
	check_all(&json, "json", 0);
	free(text.bytes);
	free(json.bytes);
}

/* --- the pool --- */

#define SLOTS 5

static void square(void *context, size_t slot, unsigned thread)
{
	uint64_t *values = context;

	(void)thread;
	values[slot] *= values[slot];
}

static void work_comes_back_in_order(void **state)
{
	(void)state;
	for (unsigned jobs = 1; jobs < 5; jobs++) {
		uint64_t values[SLOTS], given = 0, taken = 0;
		struct ear_thread_pool *pool;
		size_t slot;
		assert_int_equal(ear_thread_pool_new(&pool, jobs, SLOTS, square, values), 0);
		assert_false(ear_thread_pool_wait(pool, &slot));
		while (taken < 5000) {
			while (given < 5000 && ear_thread_pool_free_slot(pool, &slot)) {
				values[slot] = given++;
				ear_thread_pool_submit(pool);
			}
			assert_true(ear_thread_pool_wait(pool, &slot));
			assert_int_equal(values[slot], taken * taken);
			taken++;
			ear_thread_pool_release(pool);
		}
		/* Work that nobody waits for is no harm. */
		assert_true(ear_thread_pool_free_slot(pool, &slot));
		values[slot] = 1;
		ear_thread_pool_submit(pool);
		ear_thread_pool_free(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_of_a_whisper_trace_are_put_together),
		cmocka_unit_test(threads_that_need_the_index_know_the_line),
		cmocka_unit_test(several_harts_are_counted_by_hart),
		cmocka_unit_test(what_lines_say_about_later_ones_is_known_in_every_chunk),
		cmocka_unit_test(lines_of_any_length_are_read),
		cmocka_unit_test(an_empty_text_has_no_records),
		cmocka_unit_test(every_format_is_read_ahead),
		cmocka_unit_test(reading_may_end_anywhere),
		cmocka_unit_test(batches_are_written_as_by_one_writer),
		cmocka_unit_test(a_format_of_one_chunk_is_refused),
		cmocka_unit_test(json_lines_are_read_in_chunks),
		cmocka_unit_test(work_comes_back_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
