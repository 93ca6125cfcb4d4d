/* Writes the first seeds of the corpus from the vectors: each stream as it is, as a capture file,
 * its messages one by one, and those of predict mode in a row.
 *
 *     make_seeds CORPUS VECTOR...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "decoder/codec/stream.h"
#include "protocol/message.h"
#include "shot_files.h"

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

static void save_stream(const char *name, const struct byte_buffer *bytes)
{
	struct ear_stream stream;
	struct ear_stream_item item;
	struct byte_buffer file = {0};
	size_t position = 0;
	int used;

	save("stream", name, bytes->bytes, bytes->size);
	save_predict(name, bytes);
	shot_write(&file, bytes->bytes, bytes->size, 200, 1);
	save("shot", name, file.bytes, file.size);
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

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: make_seeds CORPUS VECTOR...\n", stderr);
		return 2;
	}
	corpus = argv[1];
	for (int i = 2; i < argc; i++)
		take_vector(argv[i]);
	return 0;
}
