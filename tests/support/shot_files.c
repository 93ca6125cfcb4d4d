#include "shot_files.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "decode_run.h"
#include "library/shot/shot.h"
#include "library/shot/shot_format.h"

#define ITEMS_MAX 10000000u

static void keep_fact(const struct ear_shot_reader *reader, const char *key, char text[64])
{
	if (ear_shot_reader_fact(reader, key, text, 64) < 0)
		text[0] = '\0';
}

void shot_read_fd(struct shot_contents *contents, int fd, size_t buffer_size)
{
	struct ear_shot_reader *reader;
	uint8_t *buffer = malloc(buffer_size);
	unsigned items = 0;
	size_t count;
	int item;

	*contents = (struct shot_contents){0};
	if (!buffer || ear_shot_reader_new(&reader, fd, NULL, 0) != 0)
		abort();
	while ((item = ear_shot_reader_next(reader, buffer, buffer_size, &count)) > 0 &&
		item != EAR_SHOT_END) {
		assert(items++ < ITEMS_MAX);
		assert(item != EAR_SHOT_BYTES || (count > 0 && count <= buffer_size));
		if (item == EAR_SHOT_BYTES) {
			byte_buffer_append(&contents->stream, buffer, count);
			continue;
		}
		if (contents->loss_count++ == 0)
			contents->loss_at = contents->stream.size;
		contents->loss_bytes += count;
	}
	contents->result = item;
	contents->is_shot = ear_shot_reader_is_shot(reader);
	contents->complete = ear_shot_reader_complete(reader);
	if (ear_shot_reader_fault(reader))
		snprintf(contents->fault, sizeof(contents->fault), "%s",
			ear_shot_reader_fault(reader));
	if (ear_shot_reader_mended(reader))
		snprintf(contents->mended, sizeof(contents->mended), "%s",
			ear_shot_reader_mended(reader));
	keep_fact(reader, "created", contents->created);
	keep_fact(reader, "device", contents->device);
	ear_shot_reader_free(reader);
	free(buffer);
}

void shot_read(
	struct shot_contents *contents, const uint8_t *bytes, size_t size, size_t buffer_size)
{
	int fd = memory_file();

	if (size > 0 && write(fd, bytes, size) != (ssize_t)size)
		abort();
	if (lseek(fd, 0, SEEK_SET) != 0)
		abort();
	shot_read_fd(contents, fd, buffer_size);
	close(fd);
}

void shot_contents_free(struct shot_contents *contents)
{
	byte_buffer_free(&contents->stream);
}

void shot_write(struct byte_buffer *file, const uint8_t *bytes, size_t size, size_t part,
	unsigned flush_every)
{
	struct ear_shot_writer *writer;
	int fd = memory_file();
	unsigned pushes = 0;

	if (ear_shot_writer_new(&writer, fd, "created: 2026-01-31T12:00:00Z\ndevice: test\n", 3))
		abort();
	while (size > 0) {
		size_t now = part < size ? part : size;
		if (ear_shot_writer_push(writer, bytes, now) != 0)
			abort();
		if (flush_every && ++pushes % flush_every == 0 && ear_shot_writer_flush(writer))
			abort();
		bytes += now;
		size -= now;
	}
	if (ear_shot_writer_finish(writer, "ended: 2026-01-31T12:00:01Z\n") != 0)
		abort();
	ear_shot_writer_free(writer);

	if (lseek(fd, 0, SEEK_SET) != 0 || byte_buffer_read_fd(file, fd) != 0)
		abort();
	close(fd);
}

void shot_spoil_parities(struct byte_buffer *file)
{
	for (size_t at = 0; at + 12 <= file->size;) {
		if (memcmp(file->bytes + at + 8, EAR_SHOT_TAG_REPAIR, EAR_SHOT_TAG_SIZE) == 0)
			file->bytes[at + 20] ^= 0xFF; /* its CRC-32 */
		at += ZSTD_findFrameCompressedSize(file->bytes + at, file->size - at);
	}
}
