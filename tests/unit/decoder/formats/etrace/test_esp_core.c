/* Core files of esp-idf with trace buffers. */
#include "check.h"

#include <earshot/error.h>

#include "common/protocol/bytes.h"
#include "decoder/formats/etrace/esp_core.h"

/* Two segments, notes and a buffer: the headers, a note of another kind, ours of one core, 32 bytes
 * of the buffer. */
#define NOTES_AT  116u
#define NOTE_AT   (NOTES_AT + 12 + 8 + 4)
#define BODY_AT   (NOTE_AT + 12 + 16)
#define BUFFER_AT (BODY_AT + 80 + 44)
#define FILE_SIZE (BUFFER_AT + 32)

static void put_segment(uint8_t *at, uint32_t type, uint32_t offset, uint32_t size)
{
	ear_store_le32(at, type);
	ear_store_le32(at + 4, offset);
	ear_store_le32(at + 16, size);
}

static void put_note_head(uint8_t *at, uint32_t name, uint32_t contents, uint32_t type)
{
	ear_store_le32(at, name);
	ear_store_le32(at + 4, contents);
	ear_store_le32(at + 8, type);
}

static void put_core(uint8_t *at)
{
	static const uint8_t bytes[12] = {1, 4, 2, 100, 2, 2, 0, 1, 1, 1, 0, 0};

	memcpy(at, bytes, sizeof(bytes));
	ear_store_le32(at + 12, 0); /* its segment */
	ear_store_le32(at + 16, 0x40820000);
	ear_store_le32(at + 20, 32);
	ear_store_le32(at + 24, 32);
	ear_store_le32(at + 28, 9); /* head_offset */
	ear_store_le32(at + 32, 128);
}

static void make_file(uint8_t *file)
{
	static const uint8_t sizes[8] = {1, 0, 80, 44, 1, 2, 32, 28};

	memset(file, 0, FILE_SIZE);
	memcpy(file, "\177ELF\1\1\1", 7);
	ear_store_le32(file + 28, 52);
	ear_store_le16(file + 42, 32);
	ear_store_le16(file + 44, 2);
	put_segment(file + 52, 1, BUFFER_AT, 32);
	put_segment(file + 84, 4, NOTES_AT, BUFFER_AT - NOTES_AT);
	put_note_head(file + NOTES_AT, 5, 3, 1);
	memcpy(file + NOTES_AT + 12, "CORE", 5);
	put_note_head(file + NOTE_AT, 16, 80 + 44, EAR_ESP_NOTE_TYPE);
	memcpy(file + NOTE_AT + 12, EAR_ESP_NOTE_NAME, 16);
	ear_store_le32(file + BODY_AT, 0x53545652);
	ear_store_le32(file + BODY_AT + 4, 2);
	ear_store_le16(file + BODY_AT + 8, 13);
	memcpy(file + BODY_AT + 12, sizes, sizeof(sizes));
	put_core(file + BODY_AT + 80);
}

static void the_note_and_its_buffer_are_found(void **state)
{
	(void)state;
	uint8_t file[FILE_SIZE];
	struct ear_esp_note note;
	size_t offset, count, head;
	bool wrapped;

	make_file(file);
	assert_int_equal(ear_esp_core_read(&note, file, sizeof(file)), 0);
	assert_int_equal(note.target, 13);
	assert_int_equal(note.core_count, 1);
	assert_int_equal(note.capture_reason, 2);
	const struct ear_esp_core *core = &note.cores[0];
	assert_int_equal(core->core_id, 1);
	assert_int_equal(core->packets, EAR_ESP_PACKETS_PT10);
	assert_true(core->loop && core->full_address && core->memory_full && core->head_valid);
	assert_int_equal(core->resync_threshold, 128);
	assert_int_equal(
		ear_esp_core_buffer(core, file, sizeof(file), &offset, &count, &head, &wrapped), 0);
	assert_int_equal(offset, BUFFER_AT);
	assert_int_equal(count, 32);
	assert_int_equal(head, 9);
	assert_true(wrapped);
}

static void a_buffer_that_is_not_full_ends_at_its_head(void **state)
{
	(void)state;
	uint8_t file[FILE_SIZE];
	struct ear_esp_note note;
	size_t offset, count, head;
	bool wrapped;

	make_file(file);
	file[BODY_AT + 80 + 9] = 0; /* memory_full */
	assert_int_equal(ear_esp_core_read(&note, file, sizeof(file)), 0);
	assert_int_equal(ear_esp_core_buffer(&note.cores[0], file, sizeof(file), &offset, &count,
				 &head, &wrapped),
		0);
	assert_int_equal(count, 9);
	assert_false(wrapped);
	ear_store_le32(file + BODY_AT + 80 + 28, 33); /* head_offset */
	assert_int_equal(ear_esp_core_read(&note, file, sizeof(file)), 0);
	assert_int_equal(ear_esp_core_buffer(&note.cores[0], file, sizeof(file), &offset, &count,
				 &head, &wrapped),
		EAR_E_BAD_FILE);
}

static void another_version_is_not_guessed(void **state)
{
	(void)state;
	uint8_t file[FILE_SIZE];
	struct ear_esp_note note;

	make_file(file);
	file[BODY_AT + 12] = 2;
	assert_int_equal(ear_esp_core_read(&note, file, sizeof(file)), EAR_E_UNSUPPORTED);
	make_file(file);
	file[BODY_AT] ^= 1;
	assert_int_equal(ear_esp_core_read(&note, file, sizeof(file)), EAR_E_BAD_FILE);
	make_file(file);
	file[NOTE_AT + 8] ^= 1;
	assert_int_equal(ear_esp_core_read(&note, file, sizeof(file)), EAR_E_UNSUPPORTED);
}

/* In a block of that size each time: a read behind the end is seen where a sanitizer looks on. */
static void a_damaged_file_is_refused_or_read_inside(void **state)
{
	(void)state;
	uint8_t whole[FILE_SIZE];

	make_file(whole);
	for (size_t size = 0; size <= FILE_SIZE; size++)
		for (size_t at = 0; at <= size; at += size < FILE_SIZE ? size + 1 : 1) {
			uint8_t *file = malloc(size + 1);
			struct ear_esp_note note;
			size_t offset, count, head;
			bool wrapped;
			memcpy(file, whole, size);
			if (size == FILE_SIZE && at < size)
				file[at] ^= 0xFF;
			uint8_t *exact = malloc(size ? size : 1);
			memcpy(exact, file, size);
			int result = ear_esp_core_read(&note, exact, size);
			if (size < BUFFER_AT)
				assert_below(result, 0);
			for (unsigned i = 0; result == 0 && i < note.core_count; i++)
				if (ear_esp_core_buffer(&note.cores[i], exact, size, &offset,
					    &count, &head, &wrapped) == 0) {
					assert_at_most(head, size);
					assert_at_most(offset + count, size);
				}
			free(exact);
			free(file);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_note_and_its_buffer_are_found),
		cmocka_unit_test(a_buffer_that_is_not_full_ends_at_its_head),
		cmocka_unit_test(another_version_is_not_guessed),
		cmocka_unit_test(a_damaged_file_is_refused_or_read_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
