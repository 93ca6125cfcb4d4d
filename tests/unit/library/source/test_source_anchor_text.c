/* Anchors of texts: every text of tests/data, in every format that is read, plain and compressed.
 */
#define _GNU_SOURCE /* asprintf, memmem */

#include "check.h"

#include <earshot/error.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "anchor_check.h"
#include "byte_buffer.h"
#include "decode_run.h"
#include "decoder/formats/formats.h"
#include "random.h"
#include "record_trip.h"

#define FILES_MAX 512
#define SMALL \
	((4u << 10) / EAR_TEST_LESS) /* bytes of a text of which every record becomes an anchor */

static char *paths[FILES_MAX];
static size_t path_count;

static int note_path(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	const char *name = path + walk->base;
	bool other = strcmp(name, "README.md") == 0 || strcmp(name, "interface.txt") == 0 ||
		     strstr(name, ".shot") || strstr(name, ".state");

	(void)status;
	if (kind != FTW_F || other)
		return 0;
	if (path_count == FILES_MAX)
		return -1; /* there are more than the array has room for */
	paths[path_count++] = strdup(path);
	return 0;
}

static int find_texts(void **state)
{
	(void)state;
	return nftw(EAR_TEST_DATA, note_path, 8, FTW_PHYS);
}

static int forget_texts(void **state)
{
	(void)state;
	while (path_count > 0)
		free(paths[--path_count]);
	return 0;
}

static int file_of(const void *bytes, size_t size)
{
	int fd = memory_file();

	assert_same(write(fd, bytes, size), (ssize_t)size);
	return fd;
}

/* Of a log of a form of its own, what its file NAME.pattern has; NULL: the text is another one. */
static char *pattern;

static void load_pattern(const char *path)
{
	struct byte_buffer text = {NULL, 0, 0};
	char name[1024];

	free(pattern);
	pattern = NULL;
	snprintf(name, sizeof(name), "%s.pattern", path);
	if (access(name, R_OK) != 0)
		return;
	assert_int_equal(byte_buffer_read_file(&text, name), 0);
	pattern = strndup((const char *)text.bytes, text.size);
	byte_buffer_free(&text);
}

static struct ear_reader_options options_of(bool light)
{
	return (struct ear_reader_options){.light = light, .pattern = pattern};
}

/* The format by the contents, NULL if it is no trace. */
static const char *format_of(int fd)
{
	const struct ear_source_options options = {.shared = true, .reader = options_of(false)};
	struct ear_source *source;

	if (ear_source_new(&source, fd, &options) != 0)
		return NULL;
	const char *format = ear_source_format(source);
	ear_source_free(source);
	return format;
}

/* Lines with several records, and bad lines of several harts, of which each has a gap, cannot be
 * left in their middle; samples of logs have many of both. QEMU's log knows too much before it. */
static bool may_refuse(const char *format, const char *name)
{
	return strcmp(format, "tarmac") == 0 || strcmp(format, "qemu4v") == 0 ||
	       strstr(name, "/tests/data/logs/") != NULL ||
	       strstr(name, "/tests/data/pasted/") != NULL || pattern;
}

static size_t check_text(int fd, const char *format, const char *name, bool light, size_t size,
	struct random *random)
{
	const struct anchor_check check = {
		.options = {.format = format, .reader = options_of(light)},
		.anchors = size <= SMALL ? 0 : 28 / EAR_TEST_LESS,
		.follow = size <= SMALL ? 25 : 200,
		.most_refused = may_refuse(format, name) ? SIZE_MAX : 0,
		.anywhere = true,
		.name = name,
	};

	return anchor_check_file(fd, &check, random);
}

/* The text as it is, without its last line end, and compressed in two ways. */
static size_t check_variants(
	const struct byte_buffer *text, const char *format, const char *name, struct random *random)
{
	size_t bound = ZSTD_compressBound(text->size) + text->size / 2 + 1000,
	       half = text->size / 2;
	uint8_t *packed = malloc(bound);
	int fd = file_of(text->bytes, text->size);
	size_t records = check_text(fd, format, name, false, text->size, random);

	check_text(fd, format, name, true, text->size, random);
	close(fd);
	fd = file_of(text->bytes, text->size - 1);
	check_text(fd, format, name, false, text->size, random);
	close(fd);
	size_t size = ZSTD_compress(packed, bound, text->bytes, half, 3);
	size += ZSTD_compress(
		packed + size, bound - size, text->bytes + half, text->size - half, 3);
	fd = file_of(packed, size);
	check_text(fd, format, name, false, SMALL + 1, random);
	close(fd);
	fd = memory_file();
	gzFile gzip = gzdopen(dup(fd), "w");
	assert_int_equal(gzwrite(gzip, text->bytes, (unsigned)text->size), text->size);
	gzclose(gzip);
	check_text(fd, format, name, false, SMALL + 1, random);
	close(fd);
	free(packed);
	return records;
}

static void every_text_can_be_continued(void **state)
{
	struct random random = {11};
	char seen[1024] = " ";
	size_t records = 0;

	(void)state;
	for (size_t i = 0; i < path_count; i++) {
		struct byte_buffer text = {NULL, 0, 0};
		assert_int_equal(byte_buffer_read_file(&text, paths[i]), 0);
		load_pattern(paths[i]);
		int fd = file_of(text.bytes, text.size);
		const char *format = format_of(fd);
		close(fd);
		if (format) {
			records += check_variants(&text, format, paths[i], &random);
			char name[64];
			snprintf(name, sizeof(name), " %s ", format);
			if (!strstr(seen, name))
				strncat(seen, name + 1, sizeof(seen) - strlen(seen) - 1);
		}
		byte_buffer_free(&text);
	}
	free(pattern);
	pattern = NULL;
	assert_above(records, 3000);
	for (size_t i = 0; ear_reader_formats[i].name; i++) {
		char name[64];
		snprintf(name, sizeof(name), " %s ", ear_reader_formats[i].name);
		/* below; and a folder has no lines, nor have bytes */
		if (strcmp(name, " json ") != 0 && ear_reader_formats[i].make)
			assert_contains(seen, name);
	}
}

static void what_is_written_can_be_continued(void **state)
{
	static const char *const formats[] = {
		"json", "whisper", "tarmac", "spike", "armulator", "riscv-dv", "whisper-log"};
	struct random random = {13};
	struct trip trip;

	(void)state;
	trip_read_file(&trip, "whisper", "whisper/timer.csv");
	assert_above(trip.count, 20);
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		size_t size;
		char *bytes = trip_write(formats[i], trip.records, trip.count, &size);
		const struct byte_buffer text = {(uint8_t *)bytes, size, size};
		assert_above(check_variants(&text, formats[i], formats[i], &random), 20);
		free(bytes);
	}
	trip_fini(&trip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_text_can_be_continued),
		cmocka_unit_test(what_is_written_can_be_continued),
	};

	return cmocka_run_group_tests(tests, find_texts, forget_texts);
}
