/* Gathered runs, and their summaries: every trace of tests/data, in every format that is read. */
#define _GNU_SOURCE /* memfd_create */

#include "check.h"

#include <earshot/error.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "followers.h"
#include "library/source/source_runs.h"
#include "library/state/run_summary.h"
#include "random.h"

#define FILES_MAX 512
#define GATHERED  1000 /* records in runs, of all texts, at least */

static char *paths[FILES_MAX];
static size_t path_count;

static int note_path(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	const char *name = path + walk->base;
	bool other = strcmp(name, "README.md") == 0 || strstr(name, ".xml") ||
		     strstr(name, ".state") || strcmp(name, "interface.txt") == 0;

	(void)status;
	if (kind != FTW_F || other)
		return 0;
	if (path_count == FILES_MAX)
		return -1; /* there are more than the array has room for */
	paths[path_count++] = strdup(path);
	return 0;
}

static int find_traces(void **state)
{
	(void)state;
	return nftw(EAR_TEST_DATA, note_path, 8, FTW_PHYS);
}

static int forget_traces(void **state)
{
	(void)state;
	while (path_count > 0)
		free(paths[--path_count]);
	return 0;
}

/* The source, NULL if the file is no trace. */
static struct ear_source *open_source(const char *path, int *fd)
{
	const struct ear_source_options options = {.shared = true};
	struct ear_source *source = NULL;

	*fd = open(path, O_RDONLY);
	assert_at_least(*fd, 0);
	return ear_source_new(&source, *fd, &options) == 0 ? source : NULL;
}

static void close_source(struct ear_source *source, int fd)
{
	ear_source_free(source);
	close(fd);
}

static void push_run(struct followers *followers, uint64_t position,
	const struct ear_source_run *run, struct random *random)
{
	if (!run->run)
		followers_push(followers, position, run->record);
	else if (ear_run_summary_fits(run->run) && random_below(random, 2) == 0)
		followers_push_summary(followers, position, run->run, run->compacts);
	else
		followers_push_run(followers, position, run->run, run->compacts);
}

static uint64_t follow_singly(struct followers *followers, struct ear_source *source)
{
	const struct ear_record *record;
	uint64_t position = 0;

	for (; ear_source_next(source, &record) == 1; position++)
		followers_push(followers, position, record);
	return position;
}

/* Returns the records that came in ordinary runs. */
static uint64_t follow_runs(
	struct followers *followers, struct ear_source *source, struct random *random)
{
	struct ear_source_runs runs;
	struct ear_source_run run;
	uint64_t position = 0, ordinary = 0;
	size_t max = 1 + (size_t)random_below(random, 80);

	assert_int_equal(
		ear_source_runs_init(&runs, source, ear_source_text_format(source) != NULL), 0);
	while (ear_source_runs_next(&runs, &run, max) == 1) {
		push_run(followers, position, &run, random);
		position += run.run ? run.run->count : 1;
		if (run.run && run.run->ordinary)
			ordinary += run.run->count;
		assert_true(position == ear_source_runs_position(&runs));
		if (runs.gather && run.run)
			assert_at_most(run.run->count, max);
		max = 1 + (size_t)random_below(random, 80);
	}
	/* What ended it, ends it for good. */
	assert_at_most(ear_source_runs_next(&runs, &run, max), 0);
	ear_source_runs_fini(&runs);
	return ordinary;
}

static uint64_t check_trace(const char *path, unsigned key, struct random *random)
{
	struct followers one, other;
	int fd, other_fd;
	struct ear_source *source = open_source(path, &fd);

	if (!source) {
		close(fd);
		return 0;
	}
	struct ear_source *again = open_source(path, &other_fd);
	const struct followers_options options = {
		.key = (enum ear_memory_key)key, .captured = !ear_source_text_format(source)};
	followers_begin(&one, &options);
	followers_begin(&other, &options);
	uint64_t count = follow_singly(&one, source);
	uint64_t ordinary = follow_runs(&other, again, random);
	assert_true(ear_source_position(again) == count);
	followers_assert_same(&one, &other, count);
	followers_end(&one);
	followers_end(&other);
	close_source(source, fd);
	close_source(again, other_fd);
	return ordinary;
}

static void runs_say_the_same_as_single_records(void **state)
{
	static const unsigned keys[] = {EAR_MEMORY_FLAT, EAR_MEMORY_VIRTUAL, EAR_MEMORY_PHYSICAL};
	struct random random = {11};
	uint64_t ordinary = 0;

	(void)state;
	assert_at_least(path_count, 20);
	for (size_t i = 0; i < path_count; i++)
		for (size_t key = 0; key < COUNT_OF(keys); key++)
			ordinary += check_trace(paths[i], keys[key], &random);
	assert_at_least(ordinary, GATHERED);
}

/* Lines of Whisper CSVs: a loop again and again, of which some lines are different --------------
 */

#define LOOPS     3000
#define LINES_MAX ((size_t)LOOPS * 16)
#define TEXT_MAX  (LINES_MAX * 128)

/* Columns of the lines of the loop, and in the second column of registers what a 64-bit hart has.
 * %x: any value. */
static const struct {
	const char *begin, *registers, *wide, *sources, *memory, *rest;
} loop[] = {
	{"80000000,550513", "x10=%x", "x10=%x%08x", "x10;i5", "", ",m,,addi     x10; x10; 5,0"},
	{"80000004,62a023", "", "", "x6;x5;i0", "8%x=%x", "s,m,,sw       x6; 0x0(x5),0"},
	{"80000008,2a303", "x6=%x", "x6=%x%08x", "x5;i0", "8%x", "l,m,,lw       x6; 0x0(x5),0"},
	{"8000000c,b50463", "", "", "x10;x11;i8", "", "nt,m,,beq      x10; x11; . + 0x8,0"},
	{"80000010,4505", "x10=1", "x10=1", "x0;i1", "", ",m,,c.li     x10; 0x1,0"},
	{"80000012,2b50533", "x10=%x", "x10=%x%08x", "x10;x11", "", ",m,,mul      x10; x10; x11,0"},
	{"80000016,280e7", "x1=8000001a;pc=8000001a", "x1=8000001a;pc=8000001a", "x5;i0", "",
		"c,m,,jalr     x1; 0x0(x5),0"},
	{"8000001a,2c283", "x5=%x", "x5=%x", "x5;i0", "8%x", "l,m,,lbu      x5; 0x0(x5),0"},
	{"8000001e,28067", "pc=80000000", "pc=80000000", "x5;i0", "",
		"j,m,,jalr     x0; 0x0(x5),0"},
};

static size_t spell(char *text, const char *format, struct random *random)
{
	unsigned one = (unsigned)random_below(random, 0x1000) << 16 >> random_below(random, 12);

	return (size_t)sprintf(text, format, one, (unsigned)random_below(random, 0x10000), one);
}

/* Something that is seldom there; much of it makes no record. */
static size_t spoil(char *line, size_t size, struct random *random)
{
	static const char *const others[] = {"# a comment\n", "\n", "80000004,62a023,,\n",
		"80000008,2a303,x6=1,x5;i0,80001000:90001000,l,m,,lw       x6; 0x0(x5),0\n",
		"80000000,550513,x10=1,x10;i5,,,u,,addi     x10; x10; 5,0\n",
		"80000000,550513,x10=1,x10;i5,,,m,,addi     x10; x10; 5,1\n",
		"80000000,550513,x10=1,x10;i5,,,m,2,addi     x10; x10; 5,0\n",
		"80000000,251073,c2=3,x10;x0,,,m,,csrrw    x0; frm; x10,0\n"};
	static const char odd[] = ";:,=xcp10 \r";

	if (random_below(random, 2) == 0)
		return (size_t)sprintf(line, "%s", others[random_below(random, COUNT_OF(others))]);
	line[random_below(random, size - 1)] = odd[random_below(random, sizeof(odd) - 1)];
	return size;
}

/* Returns its size. */
static size_t make_whisper(char *text, bool wide, bool often, struct random *random)
{
	size_t size =
		(size_t)sprintf(text, "pc, inst, modified regs, source operands, memory, inst "
				      "info, privilege, trap, disassembly, hartid\n");

	for (size_t i = 0; i < (size_t)LOOPS * COUNT_OF(loop); i++) {
		size_t at = i % COUNT_OF(loop), begin = size;
		size += (size_t)sprintf(text + size, "%s,", loop[at].begin);
		size += spell(text + size, wide ? loop[at].wide : loop[at].registers, random);
		size += (size_t)sprintf(text + size, ",%s,", loop[at].sources);
		size += spell(text + size, loop[at].memory, random);
		size += (size_t)sprintf(text + size, ",%s\n", loop[at].rest);
		if (random_below(random, often ? 8 : 200) == 0)
			size = begin + spoil(text + begin, size - begin, random);
	}
	return size;
}

static int keep_text(const char *text, size_t size)
{
	int fd = memfd_create("text", 0);

	assert_at_least(fd, 0);
	assert_int_equal(pwrite(fd, text, size, 0), (ssize_t)size);
	return fd;
}

static struct ear_source *open_text(int fd, unsigned xlen)
{
	const struct ear_source_options options = {
		.shared = true, .format = "whisper", .reader = {.xlen = xlen}};
	struct ear_source *source;

	assert_int_equal(ear_source_new(&source, fd, &options), 0);
	return source;
}

static void assert_same_record(const struct ear_record *one, const struct ear_record *other)
{
	const struct ear_record_access *access = one->memory, *again = other->memory;

	assert_int_equal(one->kind, other->kind);
	assert_true(one->index == other->index && one->pc == other->pc &&
		    one->next_pc == other->next_pc && one->opcode == other->opcode);
	assert_int_equal(one->hart, other->hart);
	assert_int_equal(one->flags, other->flags);
	assert_int_equal(one->xlen, other->xlen);
	assert_int_equal(one->privilege, other->privilege);
	assert_int_equal(one->opcode_size, other->opcode_size);
	assert_int_equal(one->frm, other->frm);
	assert_int_equal(one->vtype, other->vtype);
	assert_int_equal(one->register_count, other->register_count);
	for (size_t i = 0; i < one->register_count; i++) {
		assert_int_equal(one->registers[i].number, other->registers[i].number);
		assert_true(one->registers[i].value == other->registers[i].value);
	}
	assert_int_equal(one->memory_count, other->memory_count);
	if (one->memory_count == 0)
		return;
	assert_true(access->address == again->address);
	assert_int_equal(access->size, again->size);
	assert_int_equal(access->write, again->write);
	if (access->has_value)
		assert_true(access->value == again->value);
}

/* Each record, in a run or not, is what the source has alone. Returns how many were in runs. */
static size_t compare_with_runs(struct ear_source *alone, struct ear_source *source, size_t max)
{
	struct ear_expanded_record expanded;
	const struct ear_record *record;
	struct ear_source_runs runs;
	struct ear_source_run run;
	size_t ordinary = 0;

	assert_int_equal(ear_source_runs_init(&runs, source, true), 0);
	while (ear_source_runs_next(&runs, &run, max) == 1) {
		size_t count = run.run ? run.run->count : 1;
		if (run.run)
			ear_compact_run_begin(&expanded, run.run);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(ear_source_next(alone, &record), 1);
			assert_same_record(record, run.run ? ear_compact_run_get(&expanded, run.run,
								     &run.compacts[i], i)
							   : run.record);
		}
		ordinary += run.run ? count : 0;
		assert_true(ear_source_runs_position(&runs) == ear_source_position(alone));
		assert_true(ear_source_number(alone) <= ear_source_number(source));
	}
	assert_int_equal(ear_source_next(alone, &record), 0);
	assert_true(ear_source_number(alone) == ear_source_number(source));
	ear_source_runs_fini(&runs);
	return ordinary;
}

static void lines_of_a_whisper_csv_are_the_same_records_in_runs(void **state)
{
	struct random random = {23};
	char *text = malloc(TEXT_MAX);

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < 16; i++) {
		bool wide = i & 1, often = i & 2, as_32 = i & 4;
		size_t size = make_whisper(text, wide, often, &random);
		int fd = keep_text(text, size - (i & 8 ? 7 : 0));
		struct ear_source *alone = open_text(fd, as_32 ? 32 : 64),
				  *source = open_text(fd, as_32 ? 32 : 64);
		size_t ordinary =
			compare_with_runs(alone, source, 1 + (size_t)random_below(&random, 80));
		assert_at_least(ordinary, often || (wide && as_32) ? 1000 : LOOPS * 7);
		ear_source_free(alone);
		ear_source_free(source);
		close(fd);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_say_the_same_as_single_records),
		cmocka_unit_test(lines_of_a_whisper_csv_are_the_same_records_in_runs),
	};
	return cmocka_run_group_tests(tests, find_traces, forget_traces);
}
