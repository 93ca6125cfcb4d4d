/* A block of a file as a frame, and the table of frames: docs/archive.md, section 3. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <zstd.h>

#include "library/archive/object_table.h"
#include "library/archive/text_pack.h"

/* A loop that adds, as Whisper writes it; odd: with a line that no writer makes. */
static size_t make_text(char *text, size_t size, unsigned rounds, bool odd, const char *line_end)
{
	uint32_t first = 0, second = 1;
	size_t at = (size_t)snprintf(text, size,
		"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, "
		"disassembly, hartid%s",
		line_end);

	for (unsigned i = 1; i <= rounds; i++) {
		first += second;
		at += (size_t)snprintf(text + at, size - at,
			"80000000,006282b3,x5=%x,x5;x6,,,m,,add      x5; x5; x6,0%s", first,
			line_end);
		second += first;
		at += (size_t)snprintf(text + at, size - at,
			"80000004,00530333,x6=%x,x6;x5,,,m,,add      x6; x6; x5,0%s", second,
			line_end);
		at += (size_t)snprintf(text + at, size - at,
			"80000008,ff9ff06f,,i-8,,t,m,,jal      x0; . - 0x8,0%s", line_end);
		if (odd && i == rounds / 2)
			at += (size_t)snprintf(text + at, size - at, "Hello, world!%s", line_end);
	}
	return at;
}

static void comes_back(const struct ear_text_form *form, bool first, const char *text, size_t size,
	bool wants_records)
{
	struct ear_pack_bytes frame = {0}, back = {0};
	struct ear_frame_info info;
	bool records;

	assert_int_equal(ear_text_pack(&frame, &records, form, first, text, size), 0);
	assert_int_equal(records, wants_records);
	assert_int_equal(ear_frame_look(&info, frame.bytes, frame.size), 0);
	assert_true(info.text);
	assert_int_equal(info.records, records);
	assert_int_equal(info.frame_size, frame.size);
	assert_int_equal(info.text_size, size);
	assert_int_equal(ear_text_unpack(&back, frame.bytes, frame.size), 0);
	assert_int_equal(back.size, size);
	assert_memory_equal(back.bytes, text, size);
	free(frame.bytes);
	free(back.bytes);
}

static void a_text_comes_back_as_records(void **state)
{
	static const char *const line_ends[] = {"\n", "\r\n"};
	char text[20000];
	struct ear_text_form form;

	(void)state;
	for (unsigned i = 0; i < COUNT_OF(line_ends); i++)
		for (unsigned odd = 0; odd < 2; odd++) {
			size_t size = make_text(text, sizeof(text), 60, odd, line_ends[i]);
			assert_int_equal(ear_text_form_find(&form, text, size), 0);
			assert_string_equal(form.reader->name, "whisper");
			comes_back(&form, true, text, size, true);
			/* Without the end of its last line. */
			comes_back(&form, true, text, size - 1, true);
			/* A later block has no header, and its reader gets it all the same. */
			size_t head = (size_t)(strchr(text, '\n') - text) + 1;
			assert_int_equal(form.head_size, head);
			comes_back(&form, false, text + head, size - head, true);
		}
}

static void what_is_no_trace_comes_back_by_zstd(void **state)
{
	static const char text[] = "Hello, world! Hello, world! Hello, world!";
	struct ear_text_form form;

	(void)state;
	assert_int_equal(ear_text_form_find(&form, text, sizeof(text)), 0);
	assert_null(form.reader);
	for (size_t size = 1; size <= sizeof(text); size++)
		comes_back(&form, true, text, size, false);
}

/* Not larger than zstd -19 makes it, also where the records are few. */
static void a_frame_is_never_larger_than_zstd_makes_it(void **state)
{
	char text[20000], packed[20000];
	struct ear_text_form form;
	struct ear_pack_bytes frame = {0};
	bool records;

	(void)state;
	for (unsigned rounds = 0; rounds < 80; rounds += 1 + rounds / 4) {
		size_t size = make_text(text, sizeof(text), rounds, false, "\n");
		assert_int_equal(ear_text_form_find(&form, text, size), 0);
		assert_int_equal(ear_text_pack(&frame, &records, &form, true, text, size), 0);
		/* zstd's command adds a checksum of 4 bytes. */
		assert_at_most(
			frame.size, ZSTD_compress(packed, sizeof(packed), text, size, 19) + 4);
	}
	free(frame.bytes);
}

static void the_same_text_makes_the_same_bytes(void **state)
{
	char text[20000];
	struct ear_text_form form;
	struct ear_pack_bytes frames[2] = {{0}};
	bool records;
	size_t size = make_text(text, sizeof(text), 60, true, "\n");

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(ear_text_form_find(&form, text, size), 0);
		assert_int_equal(ear_text_pack(&frames[i], &records, &form, true, text, size), 0);
	}
	assert_int_equal(frames[0].size, frames[1].size);
	assert_memory_equal(frames[0].bytes, frames[1].bytes, frames[0].size);
	free(frames[0].bytes);
	free(frames[1].bytes);
}

/* Of its exact size, so that a sanitizer sees what is read after it. */
static int unpack(struct ear_pack_bytes *back, const uint8_t *frame, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, frame, size);
	int result = ear_text_unpack(back, copy, size);
	free(copy);
	return result;
}

static void every_prefix_and_every_changed_byte_is_found(void **state)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xFF};
	char text[4000];
	struct ear_text_form form;
	struct ear_pack_bytes frame = {0}, back = {0};
	bool records;

	(void)state;
	for (unsigned kind = 0; kind < 2; kind++) {
		size_t size = make_text(text, sizeof(text), 20, true, "\n");
		assert_int_equal(ear_text_form_find(&form, text, size), 0);
		if (kind == 1)
			form.writer = NULL;
		assert_int_equal(ear_text_pack(&frame, &records, &form, true, text, size), 0);
		assert_int_equal(records, kind == 0);
		for (size_t i = 0; i < frame.size; i++)
			assert_int_equal(unpack(&back, frame.bytes, i), EAR_E_BAD_FILE);
		for (size_t i = 0; i < 3 * frame.size; i++) {
			frame.bytes[i / 3] ^= changes[i % 3];
			int result = unpack(&back, frame.bytes, frame.size);
			if (result == 0 &&
				(back.size != size || memcmp(back.bytes, text, size) != 0))
				fail_msg("byte %zu of kind %u gives another text", i / 3, kind);
			frame.bytes[i / 3] ^= changes[i % 3];
		}
	}
	free(frame.bytes);
	free(back.bytes);
}

/* The table ------------------------------------------------------------------------------- */

#define BLOCKS 5u

static void make_tables(struct ear_pack_bytes *object, struct ear_object_table *table)
{
	*table = (struct ear_object_table){0};
	*object = (struct ear_pack_bytes){0};
	for (uint64_t i = 0; i < BLOCKS; i++) {
		const struct ear_object_block block = {100 + i, 1000 * (i + 1), 10 * i};
		assert_int_equal(ear_object_table_add(table, &block), 0);
		object->size += block.size;
	}
	object->bytes = calloc(1, object->size);
	object->capacity = object->size;
	assert_non_null(object->bytes);
	assert_int_equal(ear_object_table_put(object, table), 0);
}

static bool is_table(
	const struct ear_pack_bytes *object, const struct ear_object_table *wanted, size_t size)
{
	struct ear_object_table table;
	int result = ear_object_table_take(&table, BLOCKS, size, object->bytes, size);

	if (result) {
		assert_int_equal(result, EAR_E_BAD_FILE);
		return false;
	}
	assert_int_equal(table.count, BLOCKS);
	assert_memory_equal(table.blocks, wanted->blocks, BLOCKS * sizeof(*table.blocks));
	ear_object_table_fini(&table);
	return true;
}

static void a_table_survives_any_changed_byte(void **state)
{
	struct ear_pack_bytes object;
	struct ear_object_table table;

	(void)state;
	make_tables(&object, &table);
	assert_true(is_table(&object, &table, object.size));
	for (size_t i = 0; i < object.size; i++) {
		object.bytes[i] ^= 0x10;
		if (!is_table(&object, &table, object.size))
			fail_msg("byte %zu", i);
		object.bytes[i] ^= 0x10;
	}
	for (size_t size = 0; size < object.size; size++)
		if (is_table(&object, &table, size))
			fail_msg("%zu bytes have a table", size);
	free(object.bytes);
	ear_object_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_comes_back_as_records),
		cmocka_unit_test(what_is_no_trace_comes_back_by_zstd),
		cmocka_unit_test(a_frame_is_never_larger_than_zstd_makes_it),
		cmocka_unit_test(the_same_text_makes_the_same_bytes),
		cmocka_unit_test(every_prefix_and_every_changed_byte_is_found),
		cmocka_unit_test(a_table_survives_any_changed_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
