/* The manifest of an archive: docs/archive.md, section 2. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <zlib.h>

#include "library/archive/manifest.h"

static const char sha256[] = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";

static const char text[] =
	"earshot archive 1\n"
	"e9609a96 folder a\n"
	"f408d71e link ../x\\x20y a/link\n"
	"6a8ea556 file 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03 6 1 1 19 "
	"- zstd - a/n\\x0a\\xff\\x5c.txt\n"
	"c2146017 file 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03 70 8 2 55 "
	"x records whisper b\n"
	"b7e73cfb end 4\n";

struct heard {
	unsigned count;
	uint64_t lines[8];
};

static void hear(void *context, uint64_t line)
{
	struct heard *heard = context;

	if (heard->count < COUNT_OF(heard->lines))
		heard->lines[heard->count] = line;
	heard->count++;
}

static int take(struct ear_manifest *manifest, const char *bytes, size_t size, struct heard *heard)
{
	/* Of its exact size, so that a sanitizer sees what is read after it. */
	char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	*heard = (struct heard){0};
	int result = ear_manifest_read(manifest, copy, size, hear, heard);
	free(copy);
	if (result >= 0)
		assert_int_equal(result, heard->count);
	return result;
}

static void fill(struct ear_manifest *manifest)
{
	struct ear_manifest_entry entries[] = {
		{.kind = EAR_MANIFEST_FOLDER, .path = "a"},
		{.kind = EAR_MANIFEST_LINK, .path = "a/link", .target = "../x y"},
		{.path = "a/n\n\xff\\.txt", .size = 6, .lines = 1, .blocks = 1, .stored = 19},
		{.path = "b",
			.size = 70,
			.lines = 8,
			.blocks = 2,
			.stored = 55,
			.executable = true,
			.records = true,
			.format = "whisper"},
	};

	*manifest = (struct ear_manifest){0};
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		if (entries[i].kind == EAR_MANIFEST_FILE)
			memcpy(entries[i].sha256, sha256, sizeof(sha256));
		assert_int_equal(ear_manifest_add(manifest, &entries[i]), 1);
	}
}

static void a_manifest_is_written_as_the_document_says(void **state)
{
	struct ear_manifest manifest;
	struct ear_pack_bytes bytes = {0};

	(void)state;
	fill(&manifest);
	assert_int_equal(ear_manifest_write(&bytes, &manifest), 0);
	assert_int_equal(bytes.size, sizeof(text) - 1);
	assert_memory_equal(bytes.bytes, text, bytes.size);
	free(bytes.bytes);
	ear_manifest_fini(&manifest);
}

static void what_was_written_is_read(void **state)
{
	struct ear_manifest manifest;
	struct heard heard;

	(void)state;
	assert_int_equal(take(&manifest, text, sizeof(text) - 1, &heard), 0);
	assert_int_equal(manifest.count, 4);
	assert_null(ear_manifest_find(&manifest, "a/n"));
	const struct ear_manifest_entry *entry = ear_manifest_find(&manifest, "a/n\n\xff\\.txt");
	assert_non_null(entry);
	assert_int_equal(entry->size, 6);
	assert_string_equal(entry->sha256, sha256);
	assert_string_equal(entry->format, "");
	assert_string_equal(ear_manifest_find(&manifest, "a/link")->target, "../x y");
	entry = ear_manifest_find(&manifest, "b");
	assert_true(entry->records && entry->executable);
	assert_int_equal(entry->blocks, 2);
	assert_int_equal(entry->stored, 55);
	assert_string_equal(entry->format, "whisper");
	ear_manifest_fini(&manifest);
}

static void every_prefix_is_known_to_lack_its_end(void **state)
{
	struct ear_manifest manifest;
	struct heard heard;

	(void)state;
	for (size_t size = 0; size < sizeof(text) - 1; size++) {
		int result = take(&manifest, text, size, &heard);
		if (result != EAR_E_VERSION && result < 1)
			fail_msg("%zu bytes are taken for a whole manifest", size);
		ear_manifest_fini(&manifest);
	}
}

/* A changed byte costs the line that it is in, and no other one. */
static void every_changed_byte_is_found_and_costs_one_line(void **state)
{
	char bytes[sizeof(text)];
	struct ear_manifest manifest;
	struct heard heard;

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(bytes, text, sizeof(text));
			bytes[i] = (char)(bytes[i] ^ (1 << bit));
			int result = take(&manifest, bytes, sizeof(text) - 1, &heard);
			if (result != EAR_E_VERSION && result < 1)
				fail_msg("bit %u of byte %zu is not seen", bit, i);
			/* A line feed that is one no more joins two lines. */
			if (result > 0 && manifest.count < (text[i] == '\n' ? 2 : 3))
				fail_msg("bit %u of byte %zu costs %zu", bit, i, manifest.count);
			ear_manifest_fini(&manifest);
		}
}

static size_t put_line(char *to, size_t size, const char *line)
{
	return (size_t)snprintf(to, size, "%08x %s\n",
		(unsigned)crc32_z(0, (const Bytef *)line, strlen(line)), line);
}

/* What somebody made who can make a CRC. */
static void no_entry_leads_out_of_the_folder(void **state)
{
	static const char *const bad[] = {"folder ..", "folder /", "folder /etc", "folder a/../b",
		"folder a//b", "folder a/", "folder .", "folder ./a", "folder a/..", "folder ",
		"folder a\\x00b", "folder a\\x41", "folder a\\x2", "folder a\\xZZ", "folder a b",
		"link x", "link  a", "file a", "thing a", "folder", "", "end", "end x", "end 7",
		"file 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be0/ 6 1 1 19 - zstd - "
		"a",
		"file 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03 -6 1 1 19 - zstd "
		"- a",
		"file 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03 6 1 1 19 - zip - "
		"a",
		"file 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03 6 1 1 19 - zstd - "
		"a b"};
	char bytes[512];
	struct ear_manifest manifest;
	struct heard heard;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		size_t size = (size_t)snprintf(bytes, sizeof(bytes), "earshot archive 1\n");
		size += put_line(bytes + size, sizeof(bytes) - size, bad[i]);
		size += put_line(bytes + size, sizeof(bytes) - size, "end 1");
		if (take(&manifest, bytes, size, &heard) != 1 || manifest.count != 0 ||
			heard.lines[0] != 2)
			fail_msg("'%s' is taken", bad[i]);
		ear_manifest_fini(&manifest);
	}
}

static void a_path_comes_once_and_in_order(void **state)
{
	char bytes[256];
	struct ear_manifest manifest;
	struct heard heard;
	size_t size = (size_t)snprintf(bytes, sizeof(bytes), "earshot archive 1\n");

	(void)state;
	size += put_line(bytes + size, sizeof(bytes) - size, "folder b");
	size += put_line(bytes + size, sizeof(bytes) - size, "folder b");
	size += put_line(bytes + size, sizeof(bytes) - size, "folder a");
	size += put_line(bytes + size, sizeof(bytes) - size, "end 3");
	assert_int_equal(take(&manifest, bytes, size, &heard), 2);
	assert_int_equal(heard.lines[0], 3);
	assert_int_equal(heard.lines[1], 4);
	assert_int_equal(manifest.count, 1);
	ear_manifest_fini(&manifest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_manifest_is_written_as_the_document_says),
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(every_prefix_is_known_to_lack_its_end),
		cmocka_unit_test(every_changed_byte_is_found_and_costs_one_line),
		cmocka_unit_test(no_entry_leads_out_of_the_folder),
		cmocka_unit_test(a_path_comes_once_and_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
