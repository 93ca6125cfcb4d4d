/* Compressed data of every kind, in members and in pieces of any size. decoder/text/unpack.h */
#include "check.h"

#include <bzlib.h>
#include <earshot/error.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "decoder/text/text_input.h"
#include "decoder/text/unpack.h"
#include "random.h"

#define TEXT_SIZE   300000u
#define PACKED_ROOM (2 * TEXT_SIZE)

static char text[TEXT_SIZE + 1], found[TEXT_SIZE + 64]; /* the libraries want room to end */
static uint8_t packed[PACKED_ROOM];

static size_t pack_gzip(const char *bytes, size_t size, uint8_t *to, size_t room)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes,
		.avail_in = (uInt)size,
		.next_out = to,
		.avail_out = (uInt)room};

	assert_int_equal(
		deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return room - stream.avail_out;
}

static size_t pack(enum ear_packing packing, const char *bytes, size_t size, uint8_t *to)
{
	const size_t room = PACKED_ROOM - (size_t)(to - packed);
	unsigned count = (unsigned)room;
	size_t made = 0;

	switch (packing) {
	case EAR_PACKING_GZIP: return pack_gzip(bytes, size, to, room);
	case EAR_PACKING_ZSTD: return ZSTD_compress(to, room, bytes, size, 3);
	case EAR_PACKING_XZ:
		assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL,
					 (const uint8_t *)bytes, size, to, &made, room),
			LZMA_OK);
		return made;
	case EAR_PACKING_BZIP2:
		assert_int_equal(BZ2_bzBuffToBuffCompress((char *)to, &count,
					 (char *)(uintptr_t)bytes, (unsigned)size, 1, 0, 0),
			BZ_OK);
		return count;
	default: return LZ4F_compressFrame(to, room, bytes, size, NULL);
	}
}

/* Numbers with repeats, so that a member has several blocks and shrinks. */
static void make_text(void)
{
	struct random random = {1};

	for (size_t i = 0; i < TEXT_SIZE; i++)
		text[i] = i % 64 == 63
				  ? '\n'
				  : (char)('0' + random_below(&random, i % 640 < 300 ? 2 : 10));
}

/* Unpack all, in pieces of at most these sizes. Returns 0 or the error. */
static int unpack_all(
	enum ear_packing packing, size_t size, size_t piece, size_t room, size_t *made)
{
	struct ear_unpack *unpack;
	size_t used = 0;
	int result = ear_unpack_new(&unpack, packing);

	*made = 0;
	assert_int_equal(result, 0);
	for (size_t before = 1; result == 0 && (used < size || *made != before);) {
		size_t part = size - used < piece ? size - used : piece;
		size_t left = sizeof(found) - *made < room ? sizeof(found) - *made : room;
		before = *made;
		result = ear_unpack_step(
			unpack, packed + used, part, &used, found + *made, left, made);
		if (result == 0 && *made == before && part == 0)
			break;
	}
	if (result == 0 && ear_unpack_inside(unpack))
		result = EAR_E_MORE;
	ear_unpack_free(unpack);
	return result;
}

static void every_packing_comes_back_in_members_and_pieces(void **state)
{
	static const size_t sizes[][2] = {
		{SIZE_MAX, SIZE_MAX}, {1000, 333}, {7, SIZE_MAX}, {SIZE_MAX, 100}};

	(void)state;
	make_text();
	for (enum ear_packing packing = EAR_PACKING_GZIP; packing <= EAR_PACKING_LZ4; packing++) {
		size_t size = pack(packing, text, TEXT_SIZE / 3, packed);
		size += pack(
			packing, text + TEXT_SIZE / 3, TEXT_SIZE - TEXT_SIZE / 3, packed + size);
		assert_int_equal(ear_unpack_find(packed, size), packing);
		for (size_t i = 0; i < 4; i++) {
			size_t made;
			memset(found, 0, sizeof(found));
			assert_int_equal(
				unpack_all(packing, size, sizes[i][0], sizes[i][1], &made), 0);
			assert_int_equal(made, TEXT_SIZE);
			assert_memory_equal(found, text, TEXT_SIZE);
		}
	}
}

static void what_is_cut_off_is_not_at_its_end(void **state)
{
	size_t made;

	(void)state;
	make_text();
	for (enum ear_packing packing = EAR_PACKING_GZIP; packing <= EAR_PACKING_LZ4; packing++) {
		size_t size = pack(packing, text, 2000, packed);
		for (size_t cut = 7; cut < size; cut += 5)
			assert_int_equal(
				unpack_all(packing, cut, SIZE_MAX, SIZE_MAX, &made), EAR_E_MORE);
	}
}

/* Nothing is written where it should not be, and the call ends. */
static void damaged_data_end_in_an_orderly_way(void **state)
{
	struct random random = {2};
	unsigned refused = 0;
	size_t made;

	(void)state;
	make_text();
	for (enum ear_packing packing = EAR_PACKING_GZIP; packing <= EAR_PACKING_LZ4; packing++) {
		size_t size = pack(packing, text, 3000, packed);
		for (unsigned i = 0; i < 300; i++) {
			size_t at = random_below(&random, (unsigned)size);
			uint8_t bit = (uint8_t)(1u << random_below(&random, 8));
			packed[at] ^= bit;
			refused += unpack_all(packing, size, SIZE_MAX, SIZE_MAX, &made) != 0;
			assert_true(made <= sizeof(found));
			packed[at] ^= bit;
		}
	}
	assert_above(refused, 1000);
}

/* The library has text left when the last byte was read: the buffer is full. */
static void lines_of_every_packing_are_read(void **state)
{
	struct ear_text_input *input;
	const char *line;
	size_t size;

	(void)state;
	make_text();
	for (enum ear_packing packing = EAR_PACKING_GZIP; packing <= EAR_PACKING_LZ4; packing++) {
		FILE *file = tmpfile();
		size_t lines = 0;
		assert_non_null(file);
		size = pack(packing, text, TEXT_SIZE - TEXT_SIZE % 64, packed);
		assert_int_equal(pwrite(fileno(file), packed, size, 0), size);
		assert_int_equal(ear_text_input_new(&input, fileno(file), NULL, 0), 0);
		for (int result; (result = ear_text_input_line(input, &line, &size)) != 0;
			lines++) {
			assert_int_equal(result, 1);
			assert_int_equal(size, 63);
			assert_memory_equal(line, text + 64 * lines, size);
		}
		assert_int_equal(lines, TEXT_SIZE / 64);
		ear_text_input_free(input);
		fclose(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packing_comes_back_in_members_and_pieces),
		cmocka_unit_test(what_is_cut_off_is_not_at_its_end),
		cmocka_unit_test(damaged_data_end_in_an_orderly_way),
		cmocka_unit_test(lines_of_every_packing_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
