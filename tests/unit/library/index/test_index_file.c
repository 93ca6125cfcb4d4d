/* Index files that are damaged, cut off or made on purpose: an error or a rebuild, whatever is in
 * them. Traces that change underneath, folders that cannot be written, full disks, two builders.
 */
#include "check.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "decode_run.h"
#include "library/index/file/index_checkpoint.h"
#include "library/index/file/index_file.h"
#include "library/index/index.h"
#include "library/index/index_moment.h"
#include "library/index/index_verify.h"
#include "library/stack/call_stack.h"
#include "random.h"
#include "run.h"

#define STRETCH 40

static char folder[] = "test_index_file-XXXXXX";
static char trace[64], index_name[80], cache[80];

/* What is asked ------------------------------------------------------------------------------- */

static struct ear_index_options usual_options(enum ear_index_build build)
{
	return (struct ear_index_options){
		.build = build, .cache = "", .jobs = 1, .wait_ms = 0, .stretch = STRETCH};
}

static struct ear_source *open_source(int fd)
{
	const struct ear_source_options options = {.shared = true};
	struct ear_source *source;

	assert_int_equal(ear_source_new(&source, fd, &options), 0);
	return source;
}

/* Every kind of question; any answer will do. Returns the number of errors. */
static unsigned ask_anything(struct ear_index *index, struct random *random)
{
	uint64_t records = ear_index_totals(index).records;
	struct ear_memory_options memory = {.captured = true};
	struct ear_index_moment *moment;
	struct ear_index_walk *walk;
	int fd = open(trace, O_RDONLY);
	struct ear_source *source = open_source(fd);
	unsigned errors = 0;

	records = records < 100000 ? records : 100000;
	assert_int_equal(ear_index_walk_new(&walk, index, source), 0);
	assert_int_equal(ear_index_moment_new(&moment, walk, &memory), 0);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t position = random_below(random, records + 1), at;
		const struct ear_index_term terms[] = {
			{.kind = (enum ear_index_term_kind)random_below(
				 random, EAR_INDEX_ORDER + 1),
				.first = random_next(random) >> random_below(random, 64),
				.last = UINT64_MAX},
			{.kind = EAR_INDEX_WRITE, .first = 0, .last = UINT64_MAX}};
		const struct ear_index_query query = {terms, 1 + i % 2};
		const struct ear_call_stacks *stacks;
		struct ear_index_stretch stretch;
		struct ear_index_counts counts;
		const struct ear_state *state;
		uint8_t bytes[200], known[200];
		struct ear_anchor anchor;
		size_t node;
		bool changed;
		errors += ear_index_next(index, &query, position, &stretch) < 0;
		errors += ear_index_previous(index, &query, position, &stretch) < 0;
		errors += ear_index_count(index, position, &counts) < 0;
		errors += ear_index_find_number(index, position, &stretch) < 0;
		errors += ear_index_checkpoint_anchor(index, position, &node, &anchor) < 0;
		ear_anchor_fini(&anchor);
		errors += ear_index_walk_to(walk, position) < 0;
		errors += ear_index_state(moment, position, &state) < 0;
		errors += ear_index_stacks(moment, position, &stacks) < 0;
		errors += ear_index_memory(moment, position, random_below(random, 1u << 20),
				  sizeof(bytes), bytes, known) < 0;
		if (i == 0)
			errors += ear_index_verify(index, source, NULL, NULL, &at, &changed) < 0;
	}
	ear_index_moment_free(moment);
	ear_index_walk_free(walk);
	ear_source_free(source);
	close(fd);
	return errors;
}

/* A trace with an index ----------------------------------------------------------------------- */

static void make_trace(uint64_t seed, size_t count)
{
	struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
	const struct run_wish wish = {.predict = true,
		.hart_count = 2,
		.count = count,
		.per_frame = 40,
		.losses = true,
		.from_zero = true};
	struct run run;
	FILE *file = fopen(trace, "wb");

	assert_non_null(file);
	run_make(&run, &random, &wish);
	assert_same(fwrite(run.bytes.bytes, 1, run.bytes.size, file), run.bytes.size);
	assert_int_equal(fclose(file), 0);
	run_free(&run);
}

static struct ear_index *build_index(struct ear_index_report *report)
{
	const struct ear_index_options options = usual_options(EAR_INDEX_BUILD_ALWAYS);
	struct ear_index *index;
	int result = ear_index_open(&index, trace, &options, report);

	if (result)
		fail_msg("%s, %s", ear_error_text(result), report->cause);
	return index;
}

static void read_file(struct byte_buffer *bytes, const char *name)
{
	*bytes = (struct byte_buffer){NULL, 0, 0};
	assert_int_equal(byte_buffer_read_file(bytes, name), 0);
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(name, "wb");

	assert_non_null(file);
	assert_same(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* Damage -------------------------------------------------------------------------------------- */

static void open_damaged(struct random *random, unsigned *unusable, unsigned *errors)
{
	const struct ear_index_options options = usual_options(EAR_INDEX_BUILD_NEVER);
	struct ear_index *index;
	struct ear_index_report report;
	int result = ear_index_open(&index, trace, &options, &report);

	if (result) {
		assert_int_equal(result, EAR_E_UNSUPPORTED);
		assert_true(report.cause[0]);
		++*unusable;
		return;
	}
	*errors += ask_anything(index, random);
	ear_index_close(index);
}

static void damaged_and_cut_files_are_errors(void **state)
{
	struct random random = {5};
	struct ear_index_report report;
	struct byte_buffer bytes;
	unsigned unusable = 0, errors = 0;

	(void)state;
	make_trace(1, 1200);
	struct ear_index *index = build_index(&report);
	assert_same(ask_anything(index, &random) > 0, false);
	ear_index_close(index);
	read_file(&bytes, index_name);
	for (unsigned i = 0; i < 160; i++) {
		uint8_t *copy = malloc(bytes.size);
		size_t size = bytes.size;
		assert_non_null(copy);
		memcpy(copy, bytes.bytes, size);
		if (i % 4 == 0)
			size = random_below(&random, size);
		else
			for (unsigned flips = 1 + i % 3; flips > 0; flips--)
				copy[random_below(&random, size)] ^=
					(uint8_t)(1u << random_below(&random, 8));
		write_file(index_name, copy, size);
		open_damaged(&random, &unusable, &errors);
		free(copy);
	}
	assert_above(unusable, 35);
	assert_above(errors, 35);
	byte_buffer_free(&bytes);
}

/* What somebody wrote on purpose: right checksums, wrong contents. */
static void flip(uint8_t *bytes, size_t size, struct random *random)
{
	if (size == 0)
		return;
	switch (random_below(random, 3)) {
	case 0:
		bytes[random_below(random, size)] ^= (uint8_t)(1u << random_below(random, 8));
		break;
	case 1: bytes[random_below(random, size)] = UINT8_MAX; break;
	default: {
		size_t at = random_below(random, size), count = random_below(random, 9);
		memset(bytes + at, (int)random_below(random, 256),
			count < size - at ? count : size - at);
		break;
	}
	}
}

static void copy_sets(struct ear_index *from, struct ear_index_writer *writer,
	struct ear_index_place *place, bool wrong, struct random *random)
{
	uint8_t *content;

	assert_int_equal(ear_index_file_block(from, place, &content), 0);
	if (wrong)
		flip(content, place->unpacked, random);
	assert_int_equal(ear_index_writer_block(writer, content, place->unpacked, place), 0);
	free(content);
}

static void copy_checkpoint(struct ear_index *from, struct ear_index_writer *writer,
	struct ear_index_node *node, bool wrong, struct random *random)
{
	struct ear_index_checkpoint checkpoint;
	struct ear_index_bytes contents = {0}, block = {0};
	size_t at;

	if (node->checkpoint.size == 0)
		return;
	assert_int_equal(ear_index_checkpoint_read(from, node->position, &at, &checkpoint), 0);
	switch (wrong ? random_below(random, 5) : 9) {
	case 0: flip(checkpoint.anchor.state, checkpoint.anchor.size, random); break;
	case 1: flip(checkpoint.registers.bytes, checkpoint.registers.size, random); break;
	case 2: flip(checkpoint.stacks.bytes, checkpoint.stacks.size, random); break;
	case 3: flip(checkpoint.expected.bytes, checkpoint.expected.size, random); break;
	case 4: checkpoint.anchor.byte ^= random_next(random) >> random_below(random, 64); break;
	default: break;
	}
	ear_index_checkpoint_put(&checkpoint, &contents);
	assert_int_equal(ear_index_checkpoint_pack(NULL, &block, &contents, 0, NULL, NULL), 0);
	if (wrong && random_once_in(random, 4))
		flip(block.bytes, 12, random);
	node->checkpoint.size = (uint32_t)block.size;
	node->checkpoint.unpacked = (uint32_t)contents.size;
	assert_int_equal(
		ear_index_writer_put(writer, block.bytes, block.size, &node->checkpoint.offset), 0);
	ear_index_checkpoint_fini(&checkpoint);
	ear_index_bytes_fini(&contents);
	ear_index_bytes_fini(&block);
}

static void copy_version(struct ear_index *from, struct ear_index_writer *writer,
	struct ear_index_node *node, bool wrong, struct random *random)
{
	uint8_t *bytes;

	if (node->version.size == 0)
		return;
	assert_int_equal(
		ear_index_file_read(from, node->version.offset, node->version.size, &bytes), 0);
	if (wrong)
		flip(bytes, random_once_in(random, 2) ? 16 : node->version.size, random);
	assert_int_equal(
		ear_index_writer_put(writer, bytes, node->version.size, &node->version.offset), 0);
	free(bytes);
}

static void change_directory(struct ear_index_directory *directory, struct random *random)
{
	unsigned level = (unsigned)random_below(random, directory->level_count);
	struct ear_index_level *nodes = &directory->levels[level];
	struct ear_index_node *node = &nodes->nodes[random_below(random, nodes->count)];

	switch (random_below(random, 5)) {
	case 0: flip((uint8_t *)node, sizeof(*node), random); break;
	case 1: directory->records += random_below(random, 3); break;
	case 2: node->sets.unpacked = (uint32_t)random_next(random); break;
	case 3: node->checkpoint.unpacked = (uint32_t)random_next(random); break;
	default: node->count = (uint8_t)random_below(random, 20); break;
	}
}

/* A copy of the index in which something is wrong. */
static void write_hostile(const struct byte_buffer *good, struct random *random)
{
	char name[sizeof(index_name) + 8];
	struct ear_index *from;
	struct ear_index_writer writer;

	snprintf(name, sizeof(name), "%s.good", index_name);
	write_file(name, good->bytes, good->size);
	assert_int_equal(ear_index_file_open(&from, open(name, O_RDONLY)), 0);
	struct ear_index_directory *directory = &from->directory;
	int fd = open(index_name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	unsigned kind = (unsigned)random_below(random, 4);
	assert_at_least(fd, 0);
	assert_int_equal(ear_index_writer_begin(&writer, fd), 0);
	/* Reading goes by the directory as it is: the copy is changed afterwards. */
	struct ear_index_directory changed = *directory;
	for (unsigned level = 0; level < directory->level_count; level++) {
		const struct ear_index_level *nodes = &directory->levels[level];
		changed.levels[level].nodes = malloc(nodes->count * sizeof(*nodes->nodes));
		assert_non_null(changed.levels[level].nodes);
		memcpy(changed.levels[level].nodes, nodes->nodes,
			nodes->count * sizeof(*nodes->nodes));
		for (size_t i = 0; i < nodes->count; i++) {
			struct ear_index_node *node = &changed.levels[level].nodes[i];
			copy_sets(from, &writer, &node->sets,
				kind == 0 && random_once_in(random, 3), random);
			if (level > 0)
				continue;
			copy_checkpoint(from, &writer, node, kind == 1 && random_once_in(random, 2),
				random);
			copy_version(from, &writer, node, kind == 2 && random_once_in(random, 2),
				random);
		}
	}
	copy_sets(
		from, &writer, &changed.volatiles, kind == 2 && random_once_in(random, 3), random);
	if (kind == 3)
		change_directory(&changed, random);
	assert_int_equal(ear_index_writer_finish(&writer, &changed), 0);
	for (unsigned level = 0; level < directory->level_count; level++)
		free(changed.levels[level].nodes);
	close(fd);
	ear_index_file_close(from);
	unlink(name);
}

static void hostile_files_do_no_harm(void **state)
{
	const char *wish = getenv("EAR_INDEX_TRIALS");
	unsigned count = wish ? (unsigned)atoi(wish) : 120, unusable = 0, errors = 0;
	struct random random = {11};
	struct ear_index_report report;
	struct byte_buffer bytes;

	(void)state;
	make_trace(2, 900);
	ear_index_close(build_index(&report));
	read_file(&bytes, index_name);
	for (unsigned i = 0; i < count; i++) {
		write_hostile(&bytes, &random);
		open_damaged(&random, &unusable, &errors);
	}
	assert_above(errors, count / 20);
	assert_above(unusable, count / 100);
	byte_buffer_free(&bytes);
}

/* Traces that change -------------------------------------------------------------------------- */

static int open_again(enum ear_index_build build, struct ear_index_report *report)
{
	const struct ear_index_options options = usual_options(build);
	struct ear_index *index;
	int result = ear_index_open(&index, trace, &options, report);

	if (result == 0)
		ear_index_close(index);
	return result;
}

static void an_index_is_used_again_until_the_trace_changes(void **state)
{
	struct ear_index_report report;
	struct byte_buffer bytes;

	(void)state;
	make_trace(3, 1000);
	unlink(index_name);
	assert_int_equal(open_again(EAR_INDEX_BUILD_NEVER, &report), EAR_E_UNSUPPORTED);
	assert_int_equal(open_again(EAR_INDEX_BUILD_IF_NEEDED, &report), 0);
	assert_true(report.built);
	assert_string_equal(report.file, index_name);
	assert_int_equal(open_again(EAR_INDEX_BUILD_IF_NEEDED, &report), 0);
	assert_false(report.built);
	read_file(&bytes, trace);
	bytes.bytes[bytes.size - 3] ^= 1;
	write_file(trace, bytes.bytes, bytes.size);
	assert_int_equal(open_again(EAR_INDEX_BUILD_NEVER, &report), EAR_E_UNSUPPORTED);
	assert_string_equal(report.cause, "the trace has changed");
	assert_int_equal(open_again(EAR_INDEX_BUILD_IF_NEEDED, &report), 0);
	assert_true(report.built);
	byte_buffer_free(&bytes);
}

/* Write the trace again with another byte in it. */
static void edit_trace(size_t at)
{
	struct byte_buffer bytes;

	read_file(&bytes, trace);
	bytes.bytes[at] ^= 0x10;
	write_file(trace, bytes.bytes, bytes.size);
	byte_buffer_free(&bytes);
}

/* Also with the time of before. */
static void an_edit_anywhere_makes_another_trace(void **state)
{
	struct ear_index_report report;
	struct stat before;

	(void)state;
	make_trace(4, 40000);
	assert_int_equal(stat(trace, &before), 0);
	assert_above(before.st_size, 3 * 65536);
	for (size_t i = 0; i < 16; i++) {
		const struct timespec times[2] = {before.st_atim, before.st_mtim};
		ear_index_close(build_index(&report));
		edit_trace((size_t)before.st_size * i / 16);
		if (i % 2)
			assert_int_equal(utimensat(AT_FDCWD, trace, times, 0), 0);
		assert_int_equal(open_again(EAR_INDEX_BUILD_NEVER, &report), EAR_E_UNSUPPORTED);
		assert_string_equal(report.cause, "the trace has changed");
		assert_int_equal(open_again(EAR_INDEX_BUILD_IF_NEEDED, &report), 0);
		assert_true(report.built);
	}
}

/* The index against the trace, all of it. */
static int verify_all(struct ear_index *index)
{
	uint64_t position;
	bool changed;
	int fd = open(trace, O_RDONLY);
	struct ear_source *source = open_source(fd);
	int result = ear_index_verify(index, source, NULL, NULL, &position, &changed);

	ear_source_free(source);
	close(fd);
	return result;
}

/* While it is open nobody asks for the time again: then it shows where the trace is read. */
static void an_edit_of_a_trace_in_use_is_found_when_it_is_read(void **state)
{
	struct ear_index_report report;
	struct stat status;

	(void)state;
	make_trace(4, 40000);
	struct ear_index *index = build_index(&report);
	assert_int_equal(stat(trace, &status), 0);
	assert_int_equal(verify_all(index), 0);
	edit_trace((size_t)status.st_size / 2);
	assert_int_equal(verify_all(index), EAR_E_BAD_FILE);
	ear_index_close(index);
}

static unsigned compared;

static int count_comparing(void *context, uint64_t done, uint64_t total)
{
	const struct ear_index_report *report = context;

	assert_true(done <= total);
	compared += report->comparing;
	return 0;
}

/* Long enough that progress is reported. */
static void make_large_text(void)
{
	FILE *file = fopen(trace, "w");

	assert_non_null(file);
	for (unsigned i = 0; i < 80000; i++)
		fprintf(file, "core   0: 3 0x%016x (0x00a00513) x10 0x%016x\n", 0x80000000u + 4 * i,
			i);
	assert_int_equal(fclose(file), 0);
}

static void a_trace_that_was_touched_is_compared_once(void **state)
{
	struct ear_index_report report;
	struct ear_index_options options = usual_options(EAR_INDEX_BUILD_NEVER);
	struct byte_buffer before, after;
	struct ear_index *index;
	struct random random = {5};

	(void)state;
	make_large_text();
	unlink(index_name);
	options.stretch = 0;
	options.build = EAR_INDEX_BUILD_IF_NEEDED;
	assert_int_equal(ear_index_open(&index, trace, &options, &report), 0);
	ear_index_close(index);
	read_file(&before, index_name);
	usleep(20000); /* the clock of files has moved */
	assert_int_equal(utimensat(AT_FDCWD, trace, NULL, 0), 0);
	usleep(20000);
	options.build = EAR_INDEX_BUILD_NEVER;
	options.progress = count_comparing;
	options.context = &report;
	for (unsigned i = 0; i < 3; i++) {
		compared = 0;
		assert_int_equal(ear_index_open(&index, trace, &options, &report), 0);
		assert_false(report.built);
		assert_int_equal(ask_anything(index, &random), 0);
		ear_index_close(index);
		assert_same(compared > 0, i == 0);
	}
	read_file(&after, index_name);
	assert_true(
		before.size != after.size || memcmp(before.bytes, after.bytes, before.size) != 0);
	byte_buffer_free(&before);
	byte_buffer_free(&after);
}

/* A copy in the cache remembers what an index that cannot be written cannot. */
static void where_the_index_cannot_be_written_the_cache_remembers(void **state)
{
	struct ear_index_options options = usual_options(EAR_INDEX_BUILD_NEVER);
	char kept[sizeof(index_name) + 8];
	struct ear_index_report report;
	struct ear_index *index;

	(void)state;
	make_large_text();
	ear_index_close(build_index(&report));
	/* A link is never replaced. */
	snprintf(kept, sizeof(kept), "%s.kept", index_name);
	assert_int_equal(rename(index_name, kept), 0);
	assert_int_equal(symlink(strrchr(kept, '/') + 1, index_name), 0);
	usleep(20000);
	assert_int_equal(utimensat(AT_FDCWD, trace, NULL, 0), 0);
	usleep(20000);
	options.cache = cache;
	options.progress = count_comparing;
	options.context = &report;
	for (unsigned i = 0; i < 2; i++) {
		compared = 0;
		assert_int_equal(ear_index_open(&index, trace, &options, &report), 0);
		ear_index_close(index);
		assert_same(compared > 0, i == 0);
	}
	assert_true(report.cached);
	unlink(report.file);
	rmdir(cache);
	unlink(index_name);
	unlink(kept);
}

/* Any block: those that opening does not read, too. A zstd frame has some bits without a meaning:
 * with one of them changed the index says what it said before. */
static void all_blocks_are_checked(void **state)
{
	struct ear_index_report report;
	struct byte_buffer bytes;
	struct ear_index *index;
	struct random random = {6};
	unsigned damaged = 0;

	(void)state;
	make_trace(10, 3000);
	index = build_index(&report);
	assert_int_equal(ear_index_check(index), 0);
	ear_index_close(index);
	read_file(&bytes, index_name);
	for (unsigned i = 0; i < 100; i++) {
		size_t at = EAR_INDEX_HEADER_SIZE +
			    random_below(&random, bytes.size - EAR_INDEX_HEADER_SIZE);
		uint8_t was = bytes.bytes[at];
		bytes.bytes[at] ^= (uint8_t)(1 + random_below(&random, 255));
		write_file(index_name, bytes.bytes, bytes.size);
		bytes.bytes[at] = was;
		const struct ear_index_options options = usual_options(EAR_INDEX_BUILD_NEVER);
		int result = ear_index_open(&index, trace, &options, &report);
		if (result == 0) {
			result = ear_index_check(index);
			if (result == 0)
				assert_int_equal(verify_all(index), 0);
			ear_index_close(index);
		}
		damaged += result != 0;
	}
	assert_above(damaged, 90);
	byte_buffer_free(&bytes);
}

/* Places -------------------------------------------------------------------------------------- */

static void a_full_disk_leaves_no_file(void **state)
{
	struct ear_index_report report;
	struct stat status;

	(void)state;
	make_trace(5, 3000);
	unlink(index_name);
	pid_t child = fork();
	assert_at_least(child, 0);
	if (child == 0) {
		const struct rlimit limit = {3000, 3000};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		int result = open_again(EAR_INDEX_BUILD_IF_NEEDED, &report);
		_exit(result == EAR_E_UNSUPPORTED && strstr(report.cause, "cannot be written") ? 7
											       : 1);
	}
	int ended;
	assert_same(waitpid(child, &ended, 0), child);
	assert_true(WIFEXITED(ended));
	assert_int_equal(WEXITSTATUS(ended), 7);
	assert_int_equal(stat(index_name, &status), -1);
	char temporary[sizeof(index_name) + 8];
	snprintf(temporary, sizeof(temporary), "%s.tmp", index_name);
	assert_int_equal(stat(temporary, &status), -1);
}

static void where_the_folder_cannot_be_written_the_cache_is_used(void **state)
{
	struct ear_index_options options = usual_options(EAR_INDEX_BUILD_IF_NEEDED);
	struct ear_index_report report;
	struct ear_index *index;

	(void)state;
	make_trace(6, 500);
	unlink(index_name);
	options.cache = cache;
	options.only_cache = true; /* as root every folder can be written */
	assert_int_equal(ear_index_open(&index, trace, &options, &report), 0);
	assert_true(report.built);
	assert_true(report.cached);
	assert_int_equal(strncmp(report.file, cache, strlen(cache)), 0);
	ear_index_close(index);
	options.only_cache = false;
	assert_int_equal(ear_index_open(&index, trace, &options, &report), 0);
	assert_false(report.built);
	assert_true(report.cached);
	ear_index_close(index);
	unlink(report.file);
	rmdir(cache);
}

static void who_finds_another_builder_goes_on_without_or_waits(void **state)
{
	struct ear_index_report report;
	char temporary[sizeof(index_name) + 8];

	(void)state;
	make_trace(7, 500);
	unlink(index_name);
	snprintf(temporary, sizeof(temporary), "%s.tmp", index_name);
	int fd = open(temporary, O_RDWR | O_CREAT, 0600);
	assert_at_least(fd, 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(open_again(EAR_INDEX_BUILD_IF_NEEDED, &report), EAR_E_UNSUPPORTED);
	assert_string_equal(report.cause, "another program is building the index");
	/* It ends without an index: then it is ours to build. */
	pid_t child = fork();
	assert_at_least(child, 0);
	if (child == 0) {
		struct ear_index_options options = usual_options(EAR_INDEX_BUILD_IF_NEEDED);
		struct ear_index *index;
		close(fd);
		options.wait_ms = 20000;
		_exit(ear_index_open(&index, trace, &options, &report) == 0 && report.built ? 7
											    : 1);
	}
	usleep(150000);
	close(fd);
	int ended;
	assert_same(waitpid(child, &ended, 0), child);
	assert_true(WIFEXITED(ended));
	assert_int_equal(WEXITSTATUS(ended), 7);
}

static void many_builders_at_once_end_with_one_index(void **state)
{
	pid_t children[6];
	struct ear_index_report report;

	(void)state;
	make_trace(8, 3000);
	unlink(index_name);
	for (unsigned i = 0; i < 6; i++) {
		children[i] = fork();
		assert_at_least(children[i], 0);
		if (children[i] == 0) {
			struct ear_index_options options = usual_options(EAR_INDEX_BUILD_IF_NEEDED);
			struct ear_index *index;
			struct random random = {i + 1};
			options.wait_ms = -1;
			int result = ear_index_open(&index, trace, &options, &report);
			if (result)
				fprintf(stderr, "%s, %s\n", ear_error_text(result), report.cause);
			_exit(result == 0 && ask_anything(index, &random) == 0 ? 7 : 1);
		}
	}
	for (unsigned i = 0; i < 6; i++) {
		int ended;
		assert_same(waitpid(children[i], &ended, 0), children[i]);
		assert_true(WIFEXITED(ended));
		assert_int_equal(WEXITSTATUS(ended), 7);
	}
}

static int stop_soon(void *context, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return ++*(unsigned *)context > 0;
}

static void a_build_that_is_cancelled_leaves_no_file(void **state)
{
	struct ear_index_options options = usual_options(EAR_INDEX_BUILD_ALWAYS);
	struct ear_index_report report;
	struct ear_index *index;
	struct stat status;
	unsigned calls = 0;

	(void)state;
	make_trace(9, 60000);
	unlink(index_name);
	options.progress = stop_soon;
	options.context = &calls;
	assert_int_equal(ear_index_open(&index, trace, &options, &report), EAR_E_CANCELLED);
	assert_above(calls, 0);
	assert_int_equal(stat(index_name, &status), -1);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(trace, sizeof(trace), "%s/trace.bin", folder);
	snprintf(index_name, sizeof(index_name), "%s.idx", trace);
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(index_name);
	unlink(trace);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_and_cut_files_are_errors),
		cmocka_unit_test(hostile_files_do_no_harm),
		cmocka_unit_test(an_index_is_used_again_until_the_trace_changes),
		cmocka_unit_test(an_edit_anywhere_makes_another_trace),
		cmocka_unit_test(an_edit_of_a_trace_in_use_is_found_when_it_is_read),
		cmocka_unit_test(a_trace_that_was_touched_is_compared_once),
		cmocka_unit_test(where_the_index_cannot_be_written_the_cache_remembers),
		cmocka_unit_test(all_blocks_are_checked),
		cmocka_unit_test(a_full_disk_leaves_no_file),
		cmocka_unit_test(where_the_folder_cannot_be_written_the_cache_is_used),
		cmocka_unit_test(who_finds_another_builder_goes_on_without_or_waits),
		cmocka_unit_test(many_builders_at_once_end_with_one_index),
		cmocka_unit_test(a_build_that_is_cancelled_leaves_no_file),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
