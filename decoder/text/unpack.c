/* One step function a packing, over the streams of the libraries, which differ in names only. Where
 * a member ends, the stream is begun again: another one may follow.
 */
#include "decoder/text/unpack.h"

#include <bzlib.h>
#include <earshot/error.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define WINDOW_LOG_MAX 27
#define XZ_MEMORY_MAX  (256u << 20)

struct ear_unpack {
	enum ear_packing packing;
	bool inside;
	z_stream gzip;
	ZSTD_DCtx *zstd;
	lzma_stream xz;
	bz_stream bzip2;
	LZ4F_dctx *lz4;
};

/* What a step is about. */
struct step {
	const uint8_t *packed;
	size_t size, used;
	char *text;
	size_t room, made;
};

static const struct {
	const char *name, *magic;
	size_t size;
} packings[] = {
	[EAR_PACKING_GZIP] = {"gzip", "\x1F\x8B", 2},
	[EAR_PACKING_ZSTD] = {"zstd", "\x28\xB5\x2F\xFD", 4},
	[EAR_PACKING_XZ] = {"xz",
		"\xFD"
		"7zXZ\0",
		6},
	[EAR_PACKING_BZIP2] = {"bzip2", "BZh", 3},
	[EAR_PACKING_LZ4] = {"lz4", "\x04\x22\x4D\x18", 4},
};

enum ear_packing ear_unpack_find(const uint8_t *bytes, size_t size)
{
	for (enum ear_packing i = EAR_PACKING_GZIP; i <= EAR_PACKING_LZ4; i++)
		if (size >= packings[i].size &&
			memcmp(bytes, packings[i].magic, packings[i].size) == 0)
			return i;
	return EAR_PACKING_NONE;
}

const char *ear_unpack_name(enum ear_packing packing)
{
	return packings[packing].name;
}

static int begin_xz(struct ear_unpack *unpack)
{
	lzma_end(&unpack->xz);
	unpack->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&unpack->xz, XZ_MEMORY_MAX, 0) == LZMA_OK ? 0 : EAR_E_NO_MEMORY;
}

static int begin_bzip2(struct ear_unpack *unpack)
{
	BZ2_bzDecompressEnd(&unpack->bzip2);
	unpack->bzip2 = (bz_stream){.next_in = NULL};
	return BZ2_bzDecompressInit(&unpack->bzip2, 0, 0) == BZ_OK ? 0 : EAR_E_NO_MEMORY;
}

static int begin(struct ear_unpack *unpack)
{
	switch (unpack->packing) {
	case EAR_PACKING_GZIP:
		return inflateInit2(&unpack->gzip, 15 + 16) == Z_OK ? 0 : EAR_E_NO_MEMORY;
	case EAR_PACKING_ZSTD:
		unpack->zstd = ZSTD_createDCtx();
		if (unpack->zstd)
			ZSTD_DCtx_setParameter(unpack->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
		return unpack->zstd ? 0 : EAR_E_NO_MEMORY;
	case EAR_PACKING_XZ: return begin_xz(unpack);
	case EAR_PACKING_BZIP2: return begin_bzip2(unpack);
	default:
		return LZ4F_isError(LZ4F_createDecompressionContext(&unpack->lz4, LZ4F_VERSION))
			       ? EAR_E_NO_MEMORY
			       : 0;
	}
}

int ear_unpack_new(struct ear_unpack **unpack, enum ear_packing packing)
{
	struct ear_unpack *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->packing = packing;
	int result = begin(made);
	if (result) {
		free(made);
		return result;
	}
	*unpack = made;
	return 0;
}

void ear_unpack_free(struct ear_unpack *unpack)
{
	if (!unpack)
		return;
	inflateEnd(&unpack->gzip);
	ZSTD_freeDCtx(unpack->zstd);
	lzma_end(&unpack->xz);
	BZ2_bzDecompressEnd(&unpack->bzip2);
	LZ4F_freeDecompressionContext(unpack->lz4);
	free(unpack);
}

static int step_gzip(struct ear_unpack *unpack, struct step *step)
{
	z_stream *stream = &unpack->gzip;

	stream->next_in = (Bytef *)(uintptr_t)step->packed;
	stream->avail_in = (uInt)step->size;
	stream->next_out = (Bytef *)step->text;
	stream->avail_out = (uInt)step->room;
	int result = inflate(stream, Z_NO_FLUSH);
	step->used = step->size - stream->avail_in;
	step->made = step->room - stream->avail_out;
	unpack->inside = result != Z_STREAM_END;
	if (result == Z_STREAM_END)
		result = inflateReset(stream);
	if (result == Z_MEM_ERROR)
		return EAR_E_NO_MEMORY;
	return result == Z_OK || result == Z_BUF_ERROR ? 0 : EAR_E_BAD_FILE;
}

static int step_zstd(struct ear_unpack *unpack, struct step *step)
{
	ZSTD_outBuffer output = {step->text, step->room, 0};
	ZSTD_inBuffer input = {step->packed, step->size, 0};
	size_t left = ZSTD_decompressStream(unpack->zstd, &output, &input);

	step->used = input.pos;
	step->made = output.pos;
	unpack->inside = left != 0;
	if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		return EAR_E_NO_MEMORY;
	return ZSTD_isError(left) ? EAR_E_BAD_FILE : 0;
}

static int step_xz(struct ear_unpack *unpack, struct step *step)
{
	lzma_stream *stream = &unpack->xz;

	stream->next_in = step->packed;
	stream->avail_in = step->size;
	stream->next_out = (uint8_t *)step->text;
	stream->avail_out = step->room;
	lzma_ret result = lzma_code(stream, LZMA_RUN);
	step->used = step->size - stream->avail_in;
	step->made = step->room - stream->avail_out;
	unpack->inside = result != LZMA_STREAM_END;
	if (result == LZMA_STREAM_END)
		return begin_xz(unpack);
	if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
		return EAR_E_NO_MEMORY;
	return result == LZMA_OK || result == LZMA_BUF_ERROR ? 0 : EAR_E_BAD_FILE;
}

static int step_bzip2(struct ear_unpack *unpack, struct step *step)
{
	bz_stream *stream = &unpack->bzip2;

	stream->next_in = (char *)(uintptr_t)step->packed;
	stream->avail_in = (unsigned)step->size;
	stream->next_out = step->text;
	stream->avail_out = (unsigned)step->room;
	int result = BZ2_bzDecompress(stream);
	step->used = step->size - stream->avail_in;
	step->made = step->room - stream->avail_out;
	unpack->inside = result != BZ_STREAM_END;
	if (result == BZ_STREAM_END)
		return begin_bzip2(unpack);
	if (result == BZ_MEM_ERROR)
		return EAR_E_NO_MEMORY;
	return result == BZ_OK ? 0 : EAR_E_BAD_FILE;
}

static int step_lz4(struct ear_unpack *unpack, struct step *step)
{
	step->used = step->size;
	step->made = step->room;
	size_t left = LZ4F_decompress(
		unpack->lz4, step->text, &step->made, step->packed, &step->used, NULL);

	unpack->inside = left != 0;
	if (!LZ4F_isError(left))
		return 0;
	step->used = step->made = 0;
	return EAR_E_BAD_FILE;
}

int ear_unpack_step(struct ear_unpack *unpack, const uint8_t *packed, size_t size, size_t *used,
	char *text, size_t room, size_t *made)
{
	struct step step = {.packed = packed, .size = size, .text = text, .room = room};
	int result;

	if (size == 0 && !unpack->inside)
		return 0;
	switch (unpack->packing) {
	case EAR_PACKING_GZIP: result = step_gzip(unpack, &step); break;
	case EAR_PACKING_ZSTD: result = step_zstd(unpack, &step); break;
	case EAR_PACKING_XZ: result = step_xz(unpack, &step); break;
	case EAR_PACKING_BZIP2: result = step_bzip2(unpack, &step); break;
	default: result = step_lz4(unpack, &step); break;
	}
	*used += step.used;
	*made += step.made;
	return result;
}

bool ear_unpack_inside(const struct ear_unpack *unpack)
{
	return unpack->inside;
}
