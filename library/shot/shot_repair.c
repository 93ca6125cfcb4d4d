/* Repair of bytes by their parity: the XOR of parity and columns is what is wrong with each column.
 * It is tried at every place where it may have happened, until the CRC-32 is right.
 */
#include "library/shot/shot_repair.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

#define WIDTH_MIN  64u  /* so short a parity costs less than its frame */
#define WIDTH_PART 100u /* of the bytes; more columns make the search longer */
#define PLACES_MAX 256u /* a hostile file cannot ask for more tries */

size_t ear_shot_repair_width(size_t size)
{
	size_t width = (size + WIDTH_PART - 1) / WIDTH_PART;

	if (width < WIDTH_MIN)
		width = WIDTH_MIN;
	return width < size ? width : size;
}

static void add_columns(const uint8_t *bytes, size_t size, uint8_t *columns, size_t width)
{
	for (size_t from = 0; from < size; from += width) {
		size_t count = size - from < width ? size - from : width;
		for (size_t i = 0; i < count; i++)
			columns[i] ^= bytes[from + i];
	}
}

void ear_shot_repair_parity(const uint8_t *bytes, size_t size, uint8_t *parity, size_t width)
{
	memset(parity, 0, width);
	add_columns(bytes, size, parity, width);
}

/* Change the bytes from .. from + width - 1, each by what is wrong with its column. */
static void apply(uint8_t *bytes, size_t size, size_t from, const uint8_t *columns, size_t width)
{
	size_t column = from % width;

	for (size_t i = from; i < size && i < from + width; i++) {
		bytes[i] ^= columns[column];
		column = column + 1 == width ? 0 : column + 1;
	}
}

static size_t first_wrong(size_t from, const uint8_t *columns, size_t width)
{
	while (columns[from % width] == 0)
		from++;
	return from;
}

enum ear_shot_repair ear_shot_repair(
	uint8_t *bytes, size_t size, uint8_t *columns, size_t width, uint32_t crc, size_t *wrong)
{
	size_t step = (width + 1) / 2;
	uLong before = 0; /* CRC-32 of the bytes before the place */

	assert(width > 0);
	if ((uint32_t)crc32_z(0, bytes, size) == crc)
		return EAR_SHOT_REPAIR_NEEDLESS;
	add_columns(bytes, size, columns, width);
	if (size / step > PLACES_MAX)
		return EAR_SHOT_REPAIR_FAILED;
	for (size_t from = 0; from < size; from += step) {
		apply(bytes, size, from, columns, width);
		if ((uint32_t)crc32_z(before, bytes + from, size - from) == crc) {
			*wrong = first_wrong(from, columns, width);
			return EAR_SHOT_REPAIR_DONE;
		}
		apply(bytes, size, from, columns, width);
		before = crc32_z(before, bytes + from, step < size - from ? step : size - from);
	}
	return EAR_SHOT_REPAIR_FAILED;
}
