/* Writes the first seeds of the corpus from the vectors: each stream as it is, as a capture file,
 * its messages one by one, and those of predict mode in a row; and an anchor in the middle of each,
 * and of each text of the corpus of fuzz_reader; and calls for fuzz_api.
 *
 *     make_seeds CORPUS VECTOR...
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "call_machine.h"
#include "common/protocol/bytes.h"
#include "common/protocol/message.h"
#include "decode_run.h"
#include "decoder/codec/stream.h"
#include "library/source/source_anchor.h"
#include "library/stack/call_stack.h"
#include "random.h"
#include "shot_files.h"

#define SEED_MAX 4000u /* bytes of an anchor and its file */

static const char *corpus;

static void save(const char *target, const char *name, const uint8_t *bytes, size_t size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/%s", corpus, target, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

/* One of each kind; of RAW messages one of each size. */
static void save_messages(const struct ear_frame *frame)
{
	for (size_t at = 0; at < frame->payload_size;) {
		struct ear_message message;
		char name[64];
		int used =
			ear_message_parse(&message, frame->payload + at, frame->payload_size - at);
		if (used < 0)
			return;
		snprintf(name, sizeof(name), "%s-%d", ear_message_name(message.kind), used);
		save("message", name, frame->payload + at, (size_t)used);
		at += (size_t)used;
	}
}

/* The messages after the first SYNC of a unit in predict mode, as fuzz_predict takes them. */
static void save_predict(const char *name, const struct byte_buffer *bytes)
{
	struct ear_stream stream;
	struct ear_stream_item item;
	struct byte_buffer seed = {0};
	size_t position = 0;
	int used;

	ear_stream_init(&stream);
	while ((used = ear_stream_next(&stream, &item, bytes->bytes + position,
			bytes->size - position, true)) > 0) {
		struct ear_message message;
		size_t begin = 0;
		position += (size_t)used;
		if (item.kind != EAR_STREAM_FRAME)
			continue;
		const struct ear_frame *frame = &item.frame;
		int size = ear_message_parse(&message, frame->payload, frame->payload_size);
		if (size > 0 && message.kind == EAR_MSG_UNIT && seed.size == 0 &&
			message.u.unit.mode == EAR_UNIT_MODE_PREDICT) {
			const struct ear_unit *unit = &message.u.unit;
			uint8_t shape = (uint8_t)((unit->xlen == 64) | (unit->flen / 32) << 1 |
						  0x10 | unit->csr_slots << 5);
			byte_buffer_append(&seed, &shape, 1);
			byte_buffer_append(&seed, unit->geometry, sizeof(unit->geometry));
			begin = (size_t)size + EAR_MSG_SIZE_SYNC;
		}
		if (seed.size > 0)
			byte_buffer_append(
				&seed, frame->payload + begin, frame->payload_size - begin);
	}
	if (seed.size > 0)
		save("predict", name, seed.bytes, seed.size);
	byte_buffer_free(&seed);
}

/* An anchor in the middle of a file, as fuzz_anchor takes it, and the file. */
static void save_anchor(
	const char *name, char letter, const char *format, const uint8_t *bytes, size_t size)
{
	const struct ear_source_options options = {.format = format, .shared = true};
	const struct ear_record *record;
	struct ear_anchor anchor = {0};
	struct ear_source *source;
	struct byte_buffer seed = {0};
	size_t count = 0;
	int fd = memory_file();

	if (write(fd, bytes, size) != (ssize_t)size || ear_source_new(&source, fd, &options) != 0)
		exit(1);
	while (ear_source_next(source, &record) == 1)
		count++;
	ear_source_free(source);
	if (ear_source_new(&source, fd, &options) != 0)
		exit(1);
	for (size_t i = 0; i < (count + 1) / 2 && ear_source_next(source, &record) == 1; i++)
		;
	int result = ear_source_anchor(source, &anchor);
	if (count > 1 && result == 0 && anchor.size + size < SEED_MAX) {
		uint8_t head[15] = {(uint8_t)letter};
		ear_store_le16(head + 1, (uint16_t)anchor.size);
		ear_store_le32(head + 3, (uint32_t)anchor.byte);
		ear_store_le32(head + 7, (uint32_t)anchor.file_offset);
		ear_store_le32(head + 11, (uint32_t)anchor.frame_byte);
		byte_buffer_append(&seed, head, sizeof(head));
		byte_buffer_append(&seed, anchor.state, anchor.size);
		byte_buffer_append(&seed, bytes, size);
		save("anchor", name, seed.bytes, seed.size);
	}
	byte_buffer_free(&seed);
	ear_anchor_fini(&anchor);
	ear_source_free(source);
	close(fd);
}

/* A text whose format a letter names, or after L its first line, if that has a letter too. */
static void save_text_anchor(const char *name, const struct byte_buffer *text, const char *letters,
	const char *const *names)
{
	const char *letter = strchr(letters, (char)text->bytes[0]);
	const uint8_t *line = text->bytes + 1;
	const uint8_t *end = memchr(line, '\n', text->size - 1);

	if (letter) {
		save_anchor(name, *letter, names[letter - letters], line, text->size - 1);
		return;
	}
	for (size_t i = 0; text->bytes[0] == 'L' && end && letters[i]; i++)
		if (strlen(names[i]) == (size_t)(end - line) &&
			memcmp(names[i], line, strlen(names[i])) == 0)
			save_anchor(name, letters[i], names[i], end + 1,
				text->size - (size_t)(end + 1 - text->bytes));
}

/* The same for the texts of the corpus of fuzz_reader, whose first byte is a letter for the format:
 * names[i] for letters[i]. */
static void save_text_anchors(void)
{
	static const char letters[] = "wWqtasdlijrkb";
	static const char *const names[] = {"whisper", "whisper-log", "qemu4v", "tarmac",
		"armulator", "spike", "riscv-dv", "sail", "ibex", "json", "rvvi", "rocket",
		"bsg-manycore"};
	struct dirent **entries;
	char path[4096];

	snprintf(path, sizeof(path), "%s/reader", corpus);
	int count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		struct byte_buffer text = {0};
		snprintf(path, sizeof(path), "%s/reader/%s", corpus, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && byte_buffer_read_file(&text, path) == 0 &&
			text.size > 1)
			save_text_anchor(entries[i]->d_name, &text, letters, names);
		byte_buffer_free(&text);
		free(entries[i]);
	}
	free(entries);
}

static void save_stream(const char *name, const struct byte_buffer *bytes)
{
	struct ear_stream stream;
	struct ear_stream_item item;
	struct byte_buffer file = {0};
	char shot_name[300];
	size_t position = 0;
	int used;

	save("stream", name, bytes->bytes, bytes->size);
	save_predict(name, bytes);
	shot_write(&file, bytes->bytes, bytes->size, 200, 1);
	save("shot", name, file.bytes, file.size);
	save_anchor(name, 'c', "shot", bytes->bytes, bytes->size);
	snprintf(shot_name, sizeof(shot_name), "%s-shot", name);
	save_anchor(shot_name, 'c', "shot", file.bytes, file.size);
	byte_buffer_free(&file);

	ear_stream_init(&stream);
	while ((used = ear_stream_next(&stream, &item, bytes->bytes + position,
			bytes->size - position, true)) > 0) {
		position += (size_t)used;
		if (item.kind == EAR_STREAM_FRAME)
			save_messages(&item.frame);
	}
}

static void take_vector(const char *path)
{
	struct byte_buffer text = {0}, bytes = {0};
	char name[256];

	if (byte_buffer_read_file(&text, path) != 0) {
		perror(path);
		exit(1);
	}
	byte_buffer_append(&text, "", 1);
	char *hex = strstr((char *)text.bytes, "\nbytes\n");
	if (!hex)
		exit(1);
	for (hex += strlen("\nbytes\n");;) {
		char *after;
		uint8_t byte = (uint8_t)strtoul(hex, &after, 16);
		if (after == hex)
			break;
		byte_buffer_append(&bytes, &byte, 1);
		hex = after;
	}
	const char *base = strrchr(path, '/');
	snprintf(name, sizeof(name), "%s", base ? base + 1 : path);
	name[strcspn(name, ".")] = '\0';
	save_stream(name, &bytes);
	byte_buffer_free(&bytes);
	byte_buffer_free(&text);
}

/* Stacks in the middle of random programs, and what comes then. */
static void save_call_stacks(void)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct call_machine *machine = call_machine_new(
			seed, &(struct call_machine_options){.xlen = seed % 2 ? 32 : 64,
				      .no_next_pc = seed % 5 == 0,
				      .unmarked = seed % 3 == 0});
		struct ear_flow flow = {0};
		struct ear_call_stacks *stacks;
		struct byte_buffer bytes = {0};
		uint8_t *state;
		size_t size;
		char name[32];

		if (ear_call_stacks_new(&stacks) != 0)
			exit(1);
		for (unsigned i = 0; i < 70 * seed; i++)
			ear_flow_push(&flow, i, call_machine_next(machine));
		ear_flow_sync(&flow, 70 * seed);
		ear_call_stacks_push(stacks, flow.events, flow.count, 0);
		if (ear_call_stacks_save(stacks, true, &state, &size) != 0 || size > UINT16_MAX)
			exit(1);
		byte_buffer_append(
			&bytes, (const uint8_t[]){(uint8_t)size, (uint8_t)(size >> 8)}, 2);
		byte_buffer_append(&bytes, state, size);
		flow.count = 0;
		for (unsigned i = 0; i < 60; i++)
			ear_flow_push(&flow, i, call_machine_next(machine));
		byte_buffer_append(&bytes, flow.events, flow.count * sizeof(*flow.events));
		snprintf(name, sizeof(name), "program-%u", (unsigned)seed);
		save("call_stack", name, bytes.bytes, bytes.size);
		byte_buffer_free(&bytes);
		free(state);
		ear_flow_fini(&flow);
		ear_call_stacks_free(stacks);
		call_machine_free(machine);
	}
}

/* Calls at random, a few for each trace. */
static void save_api(void)
{
	struct random random = {0x6170690000000001};
	uint8_t bytes[60];
	char name[64];

	for (unsigned i = 0; i < 18; i++) {
		bytes[0] = (uint8_t)i;
		for (size_t k = 1; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)(random_next(&random) >> 40);
		snprintf(name, sizeof(name), "calls-%u", i);
		save("api", name, bytes, sizeof(bytes));
	}
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: make_seeds CORPUS VECTOR...\n", stderr);
		return 2;
	}
	corpus = argv[1];
	for (int i = 2; i < argc; i++)
		take_vector(argv[i]);
	save_text_anchors();
	save_call_stacks();
	save_api();
	return 0;
}
