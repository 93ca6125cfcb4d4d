/* What a command printed becomes text of a page: raw deflate, which browsers unpack, and base64 of
 * that. It goes through in pieces, so a section of any length needs no more memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/base/cli.h"
#include "cli/base/process.h"
#include "cli/commands/report/report.h"

#define PIECE ((size_t)1 << 16)

struct packing {
	FILE *to;
	unsigned char rest[3]; /* bytes that make no group of base64 yet */
	size_t rest_size;
	uint64_t written;
};

static void put_group(struct packing *packing, const unsigned char bytes[3], size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned value =
		(unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | (unsigned)bytes[2];
	char text[4] = {digits[value >> 18], digits[value >> 12 & 63],
		size > 1 ? digits[value >> 6 & 63] : '=', size > 2 ? digits[value & 63] : '='};

	fwrite(text, 1, sizeof(text), packing->to);
	packing->written += sizeof(text);
}

static void put_bytes(struct packing *packing, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		packing->rest[packing->rest_size++] = bytes[i];
		if (packing->rest_size < 3)
			continue;
		put_group(packing, packing->rest, 3);
		packing->rest_size = 0;
	}
}

static void put_end(struct packing *packing)
{
	for (size_t i = packing->rest_size; i < 3; i++)
		packing->rest[i] = 0;
	if (packing->rest_size > 0)
		put_group(packing, packing->rest, packing->rest_size);
}

static bool deflate_all(struct report_section *section, z_stream *stream, struct packing *packing,
	unsigned char *in, unsigned char *out)
{
	const int fd = fileno(section->output);
	ssize_t count;

	section->bytes = 0;
	section->crc = (uint32_t)crc32(0, NULL, 0);
	do {
		count = pread(fd, in, PIECE, (off_t)section->bytes);
		if (count < 0)
			return false;
		section->bytes += (uint64_t)count;
		section->crc = (uint32_t)crc32(section->crc, in, (uInt)count);
		stream->next_in = in;
		stream->avail_in = (uInt)count;
		do {
			stream->next_out = out;
			stream->avail_out = (uInt)PIECE;
			(void)deflate(stream, count > 0 ? Z_NO_FLUSH : Z_FINISH);
			put_bytes(packing, out, PIECE - stream->avail_out);
		} while (stream->avail_out == 0);
	} while (count > 0);
	put_end(packing);
	return fflush(packing->to) == 0 && !ferror(packing->to);
}

bool report_pack(struct report_section *section)
{
	struct packing packing = {.to = process_file()};
	unsigned char *buffers = malloc(2 * PIECE);
	z_stream stream = {0};

	/* Below 0: raw, without the head and the checksum of zlib. */
	if (!packing.to || !buffers ||
		deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
		if (packing.to) {
			cli_error("out of memory");
			fclose(packing.to);
		}
		free(buffers);
		return false;
	}
	errno = 0;
	const bool good = deflate_all(section, &stream, &packing, buffers, buffers + PIECE);
	if (!good)
		cli_error("a temporary file: %s", strerror(errno ? errno : EIO));
	deflateEnd(&stream);
	free(buffers);
	if (section->packed)
		fclose(section->packed);
	section->packed = packing.to;
	section->packed_bytes = packing.written;
	return good;
}
