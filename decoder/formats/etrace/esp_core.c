/* Core files of esp-idf. The file is little-endian ELF of 32 bits; only its program headers are
 * needed. Every offset is checked against the size before it is used.
 */
#include "decoder/formats/etrace/esp_core.h"

#include <earshot/error.h>
#include <string.h>

#include "common/protocol/bytes.h"

#define NOTE_MAGIC  0x53545652u /* "RVTS" */
#define HEADER_SIZE 80u
#define CORE_SIZE   44u

#define ELF_HEADER_SIZE    52u
#define ELF_SEGMENT_SIZE   32u
#define ELF_TYPE_LOAD      1u
#define ELF_TYPE_NOTE      4u
#define ELF_NOTE_HEAD_SIZE 12u

static void parse_core(struct ear_esp_core *core, const uint8_t *bytes)
{
	*core = (struct ear_esp_core){
		.core_id = bytes[0],
		.state = bytes[1],
		.loop = bytes[2] == 2,
		.packets = bytes[3],
		.full_address = bytes[4] == 2,
		.resync_mode = bytes[5],
		.head_valid = bytes[7],
		.fifo_empty = bytes[8],
		.memory_full = bytes[9],
		.fifo_overflow = bytes[10],
		.segment = ear_load_le32(bytes + 12),
		.buffer_address = ear_load_le32(bytes + 16),
		.segment_size = ear_load_le32(bytes + 20),
		.capacity = ear_load_le32(bytes + 24),
		.head_offset = ear_load_le32(bytes + 28),
		.resync_threshold = ear_load_le32(bytes + 32),
	};
}

int ear_esp_note_parse(struct ear_esp_note *note, const uint8_t *bytes, size_t size)
{
	if (size < HEADER_SIZE || ear_load_le32(bytes) != NOTE_MAGIC)
		return EAR_E_BAD_FILE;
	if (bytes[12] != 1 || bytes[14] != HEADER_SIZE || bytes[15] != CORE_SIZE ||
		bytes[18] != EAR_ESP_SHA_SIZE || bytes[19] != EAR_ESP_PARAMETERS)
		return EAR_E_UNSUPPORTED;
	const uint8_t count = bytes[16];
	if (count > EAR_ESP_CORES_MAX || size < HEADER_SIZE + count * CORE_SIZE)
		return EAR_E_BAD_FILE;
	*note = (struct ear_esp_note){
		.write_sequence = ear_load_le32(bytes + 4),
		.target = ear_load_le16(bytes + 8),
		.revision = ear_load_le16(bytes + 10),
		.core_count = count,
		.capture_reason = bytes[17],
	};
	memcpy(note->app_sha256, bytes + 20, sizeof(note->app_sha256));
	memcpy(note->parameters, bytes + 52, sizeof(note->parameters));
	for (unsigned i = 0; i < count; i++)
		parse_core(&note->cores[i], bytes + HEADER_SIZE + (size_t)i * CORE_SIZE);
	return 0;
}

bool ear_esp_is_elf(const uint8_t *bytes, size_t size)
{
	return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

/* --- The file --- */

/* Program header number i; NULL if there is none. */
static const uint8_t *find_segment(const uint8_t *bytes, size_t size, uint32_t i)
{
	/* class 1: 32 bits; data 1: little-endian */
	if (size < ELF_HEADER_SIZE || !ear_esp_is_elf(bytes, size) || bytes[4] != 1 ||
		bytes[5] != 1 || ear_load_le16(bytes + 42) != ELF_SEGMENT_SIZE ||
		i >= ear_load_le16(bytes + 44))
		return NULL;
	uint64_t offset = (uint64_t)ear_load_le32(bytes + 28) + (uint64_t)i * ELF_SEGMENT_SIZE;
	return offset + ELF_SEGMENT_SIZE <= size ? bytes + offset : NULL;
}

/* The contents of a segment in the file. Returns false if they are not inside of it. */
static bool find_contents(const uint8_t *segment, size_t size, uint32_t *offset, uint32_t *count)
{
	*offset = ear_load_le32(segment + 4);
	*count = ear_load_le32(segment + 16);
	return *offset <= size && *count <= size - *offset;
}

static uint32_t pad(uint32_t size)
{
	return (size + 3) / 4 * 4;
}

/* The note in a segment of notes: its contents, or NULL. */
static const uint8_t *find_note(const uint8_t *bytes, uint32_t size, uint32_t *count)
{
	static const char name[] = EAR_ESP_NOTE_NAME;
	uint32_t at = 0;

	while (size - at >= ELF_NOTE_HEAD_SIZE) {
		uint32_t name_size = ear_load_le32(bytes + at);
		uint32_t type = ear_load_le32(bytes + at + 8), left;
		*count = ear_load_le32(bytes + at + 4);
		at += ELF_NOTE_HEAD_SIZE;
		left = size - at;
		if (name_size > left || pad(name_size) > left || *count > left - pad(name_size))
			return NULL;
		bool found = type == EAR_ESP_NOTE_TYPE && name_size == sizeof(name) &&
			     memcmp(bytes + at, name, sizeof(name)) == 0;
		at += pad(name_size);
		if (found)
			return bytes + at;
		left = size - at;
		at += pad(*count) < left ? pad(*count) : left;
	}
	return NULL;
}

int ear_esp_core_read(struct ear_esp_note *note, const uint8_t *bytes, size_t size)
{
	const uint8_t *segment;

	for (uint32_t i = 0; (segment = find_segment(bytes, size, i)); i++) {
		uint32_t offset, count, contents;
		if (ear_load_le32(segment) != ELF_TYPE_NOTE)
			continue;
		if (!find_contents(segment, size, &offset, &count))
			return EAR_E_BAD_FILE;
		const uint8_t *found = find_note(bytes + offset, count, &contents);
		if (found)
			return ear_esp_note_parse(note, found, contents);
	}
	return EAR_E_UNSUPPORTED;
}

int ear_esp_core_buffer(const struct ear_esp_core *core, const uint8_t *bytes, size_t size,
	size_t *offset, size_t *count, size_t *head, bool *wrapped)
{
	const uint8_t *segment = find_segment(bytes, size, core->segment);
	uint32_t from, have;

	if (!segment || ear_load_le32(segment) != ELF_TYPE_LOAD ||
		!find_contents(segment, size, &from, &have))
		return EAR_E_BAD_FILE;
	uint32_t used = core->capacity < have ? core->capacity : have;
	if (core->head_valid && core->head_offset > used)
		return EAR_E_BAD_FILE;
	*wrapped = core->loop && core->memory_full && core->head_valid;
	*offset = from;
	*head = core->head_valid ? core->head_offset : used;
	*count = *wrapped ? used : *head;
	return 0;
}
