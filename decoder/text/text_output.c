/* Text to a file descriptor, packed on the way, or into memory.
 *
 * Writers format directly into the buffer (reserve, commit), which is written out when it is full.
 * What must not get to a terminal is replaced only then, in spans that are clean as a whole nearly
 * always, so no writer has to care. The first error stays, and what comes after it is dropped.
 */
#include "decoder/text/text_output.h"

#include <assert.h>
#include <earshot/error.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "common/printable.h"

#define BUFFER_SIZE ((size_t)4 * EAR_TEXT_RESERVE_MAX)
#define PACKED_SIZE (128u << 10)
#define ZSTD_LEVEL  3
#define GZIP_LEVEL  6

struct ear_text_packer {
	enum ear_text_packing packing;
	z_stream gzip;
	ZSTD_CCtx *zstd;
	uint8_t packed[PACKED_SIZE];
};

/* How much is to come out: what is there, all that went in, or the end of the data too. */
enum ending {
	ENDING_NONE,
	ENDING_FLUSH,
	ENDING_FINISH,
};

static int write_all(struct ear_text_output *output, const void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && !output->error) {
		ssize_t written = write(output->fd, (const char *)bytes + done, size - done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			output->error = EAR_E_IO;
			output->error_number = errno;
			break;
		}
		done += (size_t)written;
		output->written += (uint64_t)written;
	}
	return output->error;
}

static int pack_gzip(
	struct ear_text_output *output, const char *text, size_t size, enum ending ending)
{
	static const int modes[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
	struct ear_text_packer *packer = output->packer;
	z_stream *stream = &packer->gzip;

	stream->next_in = (Bytef *)(uintptr_t)text; /* which is not written to */
	stream->avail_in = (uInt)size;
	do {
		stream->next_out = packer->packed;
		stream->avail_out = PACKED_SIZE;
		deflate(stream, modes[ending]);
		write_all(output, packer->packed, PACKED_SIZE - stream->avail_out);
	} while (stream->avail_out == 0 && !output->error);
	return output->error;
}

static int pack_zstd(
	struct ear_text_output *output, const char *bytes, size_t size, enum ending ending)
{
	static const ZSTD_EndDirective modes[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
	struct ear_text_packer *packer = output->packer;
	ZSTD_inBuffer text = {bytes, size, 0};
	size_t left;

	do {
		ZSTD_outBuffer packed = {packer->packed, PACKED_SIZE, 0};
		left = ZSTD_compressStream2(packer->zstd, &packed, &text, modes[ending]);
		if (ZSTD_isError(left))
			return output->error = EAR_E_NO_MEMORY; /* nothing else can fail */
		write_all(output, packer->packed, packed.pos);
	} while (!output->error && (ending == ENDING_NONE ? text.pos < text.size : left > 0));
	return output->error;
}

/* Text to the system as it is; errors are remembered. */
static void pass(struct ear_text_output *output, const char *text, size_t size, enum ending ending)
{
	if (output->error)
		return;
	if (!output->packer)
		write_all(output, text, size);
	else if (output->packer->packing == EAR_TEXT_GZIP)
		pack_gzip(output, text, size, ending);
	else
		pack_zstd(output, text, size, ending);
}

/* Text to the system, fit to be shown unless it has to be exact. Returns the bytes that are left
 * for the next time: the beginning of a character, if there is more to come.
 */
static size_t give(
	struct ear_text_output *output, const char *text, size_t size, enum ending ending)
{
	char shown[4096];
	size_t used = size;

	if (!output->exact)
		used = ear_printable_span(text, size, EAR_PRINTABLE_TEXT);
	if (used == size) {
		pass(output, text, size, ending);
		return 0;
	}
	pass(output, text, used, ENDING_NONE);
	while (used < size && !output->error) {
		size_t done, written = ear_printable_copy(shown, sizeof(shown), &done, text + used,
				     size - used, EAR_PRINTABLE_TEXT, ending != ENDING_NONE);
		if (done == 0)
			return size - used;
		pass(output, shown, written, ENDING_NONE);
		used += done;
	}
	pass(output, "", 0, ending);
	return 0;
}

static int drain(struct ear_text_output *output, enum ending ending)
{
	if (output->fd < 0)
		return output->error;
	size_t left = give(output, output->buffer, output->used, ending);
	memmove(output->buffer, output->buffer + output->used - left, left);
	output->used = left;
	return output->error;
}

/* Make room for size bytes after what is there: by writing that, or in memory. */
static void make_room(struct ear_text_output *output, size_t size)
{
	if (output->fd >= 0) {
		drain(output, ENDING_NONE);
		return;
	}

	char *buffer = realloc(output->buffer, 2 * output->capacity + size);
	if (buffer) {
		output->buffer = buffer;
		output->capacity = 2 * output->capacity + size;
	} else {
		output->error = EAR_E_NO_MEMORY;
		output->used = 0; /* there is room for one reserve at least */
	}
}

static bool init_packer(struct ear_text_packer *packer, enum ear_text_packing packing)
{
	packer->packing = packing;
	if (packing == EAR_TEXT_GZIP)
		return deflateInit2(&packer->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8,
			       Z_DEFAULT_STRATEGY) == Z_OK;
	packer->zstd = ZSTD_createCCtx();
	if (!packer->zstd)
		return false;
	ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1);
	return true;
}

int ear_text_output_init(struct ear_text_output *output, int fd, enum ear_text_packing packing)
{
	*output = (struct ear_text_output){.fd = fd, .capacity = BUFFER_SIZE};
	output->buffer = malloc(BUFFER_SIZE);
	if (!output->buffer)
		return EAR_E_NO_MEMORY;
	if (packing == EAR_TEXT_PLAIN)
		return 0;
	output->packer = calloc(1, sizeof(*output->packer));
	if (output->packer && init_packer(output->packer, packing))
		return 0;
	free(output->packer);
	output->packer = NULL;
	ear_text_output_fini(output);
	return EAR_E_NO_MEMORY;
}

int ear_text_output_init_memory(struct ear_text_output *output)
{
	return ear_text_output_init(output, -1, EAR_TEXT_PLAIN);
}

void ear_text_output_expect(struct ear_text_output *output, size_t size)
{
	size_t capacity = size + EAR_TEXT_RESERVE_MAX;
	char *buffer = capacity > output->capacity ? realloc(output->buffer, capacity) : NULL;

	if (buffer) { /* else it grows later */
		output->buffer = buffer;
		output->capacity = capacity;
	}
}

void ear_text_output_be_exact(struct ear_text_output *output)
{
	output->exact = output->fd < 0 || !isatty(output->fd);
}

enum ear_text_packing ear_text_output_packing(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot && strcmp(dot, ".gz") == 0)
		return EAR_TEXT_GZIP;
	return dot && strcmp(dot, ".zst") == 0 ? EAR_TEXT_ZSTD : EAR_TEXT_PLAIN;
}

char *ear_text_output_reserve(struct ear_text_output *output, size_t size)
{
	assert(size <= EAR_TEXT_RESERVE_MAX);
	if (output->used + size > output->capacity)
		make_room(output, size);
	return output->buffer + output->used;
}

void ear_text_output_commit(struct ear_text_output *output, const char *end)
{
	output->used = (size_t)(end - output->buffer);
	assert(output->used <= output->capacity);
}

void ear_text_output_put(struct ear_text_output *output, const char *text, size_t size)
{
	while (size > 0) {
		size_t part = size < EAR_TEXT_RESERVE_MAX ? size : EAR_TEXT_RESERVE_MAX;
		char *at = ear_text_output_reserve(output, part);
		memcpy(at, text, part);
		ear_text_output_commit(output, at + part);
		text += part;
		size -= part;
	}
}

void ear_text_output_append(struct ear_text_output *output, const char *text, size_t size)
{
	if (output->fd < 0 || size < EAR_TEXT_RESERVE_MAX) {
		ear_text_output_put(output, text, size);
		return;
	}
	drain(output, ENDING_NONE);
	if (output->used > 0) { /* the beginning of a character */
		ear_text_output_put(output, text, size);
		return;
	}
	while (size > 0) { /* a packer counts in 32 bits */
		size_t part = size < (1u << 30) ? size : 1u << 30;
		size_t left = give(output, text, part, ENDING_NONE);
		text += part - left;
		size -= part - left;
		if (left == part) /* the text ends in the middle of a character */
			break;
	}
	ear_text_output_put(output, text, size);
}

int ear_text_output_flush(struct ear_text_output *output)
{
	return drain(output, ENDING_FLUSH);
}

int ear_text_output_finish(struct ear_text_output *output)
{
	return drain(output, ENDING_FINISH);
}

void ear_text_output_fini(struct ear_text_output *output)
{
	if (output->packer && output->packer->packing == EAR_TEXT_GZIP)
		deflateEnd(&output->packer->gzip);
	if (output->packer)
		ZSTD_freeCCtx(output->packer->zstd);
	free(output->packer);
	free(output->buffer);
	output->packer = NULL;
	output->buffer = NULL;
}
