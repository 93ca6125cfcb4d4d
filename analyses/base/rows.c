/* A row is a byte of its kind, with SAME if it has as many numbers as the row of its kind before,
 * else a byte of their count; then a varint a number: its difference to that of the row before, the
 * sign in bit 0. A row is in one chunk.
 */
#include "analyses/base/rows.h"

#include <stdlib.h>
#include <string.h>

#define SAME       0x80u
#define CHUNK_SIZE ((size_t)(1u << 18) - 64)
#define VARINT_MAX 10u
#define ROW_MAX    (2 + EAR_ROWS_NUMBERS * VARINT_MAX)

struct ear_rows_chunk {
	struct ear_rows_chunk *next;
	size_t used;
	uint8_t bytes[CHUNK_SIZE];
};

void ear_rows_fini(struct ear_rows *rows)
{
	for (struct ear_rows_chunk *chunk = rows->first; chunk;) {
		struct ear_rows_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	*rows = (struct ear_rows){0};
}

static bool add_chunk(struct ear_rows *rows)
{
	struct ear_rows_chunk *chunk = malloc(sizeof(*chunk));

	if (!chunk)
		return false;
	chunk->next = NULL;
	chunk->used = 0;
	if (rows->last)
		rows->last->next = chunk;
	else
		rows->first = chunk;
	rows->last = chunk;
	rows->bytes += sizeof(*chunk);
	return true;
}

static inline uint8_t *put_number(uint8_t *at, uint64_t number, uint64_t before)
{
	const uint64_t difference = number - before;
	uint64_t rest = difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);

	for (; rest >= 0x80; rest >>= 7)
		*at++ = (uint8_t)(rest | 0x80);
	*at++ = (uint8_t)rest;
	return at;
}

static inline const uint8_t *take_number(const uint8_t *at, uint64_t *number)
{
	uint64_t rest = *at & 0x7F;

	for (unsigned shift = 7; *at & 0x80; shift += 7)
		rest |= (uint64_t)(*++at & 0x7F) << shift;
	*number += rest >> 1 ^ (rest & 1 ? UINT64_MAX : 0);
	return at + 1;
}

bool ear_rows_add(struct ear_rows *rows, unsigned kind, const uint64_t *numbers, unsigned count)
{
	struct ear_rows_last *last = &rows->added[kind];

	if ((!rows->last || CHUNK_SIZE - rows->last->used < ROW_MAX) && !add_chunk(rows))
		return false;
	uint8_t *at = rows->last->bytes + rows->last->used;
	if (count == last->count) {
		*at++ = (uint8_t)(kind | SAME);
	} else {
		*at++ = (uint8_t)kind;
		*at++ = last->count = (uint8_t)count;
	}
	for (unsigned i = 0; i < count; i++) {
		at = put_number(at, numbers[i], last->numbers[i]);
		last->numbers[i] = numbers[i];
	}
	rows->last->used = (size_t)(at - rows->last->bytes);
	rows->count++;
	return true;
}

void ear_rows_rewind(struct ear_rows *rows)
{
	rows->chunk = NULL;
	rows->at = 0;
	memset(rows->taken, 0, sizeof(rows->taken));
}

bool ear_rows_next(
	struct ear_rows *rows, unsigned *kind, uint64_t numbers[EAR_ROWS_NUMBERS], unsigned *count)
{
	if (!rows->chunk)
		rows->chunk = rows->first;
	if (rows->chunk && rows->at == rows->chunk->used && rows->chunk->next) {
		rows->chunk = rows->chunk->next;
		rows->at = 0;
	}
	if (!rows->chunk || rows->at == rows->chunk->used)
		return false;
	const uint8_t *at = rows->chunk->bytes + rows->at;
	*kind = *at & ~SAME;
	struct ear_rows_last *last = &rows->taken[*kind];
	if (!(*at++ & SAME))
		last->count = *at++;
	*count = last->count;
	for (unsigned i = 0; i < last->count; i++) {
		at = take_number(at, &last->numbers[i]);
		numbers[i] = last->numbers[i];
	}
	rows->at = (size_t)(at - rows->chunk->bytes);
	return true;
}

static void read_row(struct ear_rows *rows, struct ear_part_walk *walk)
{
	const uint64_t kind = ear_part_decimal(walk, 0, EAR_ROWS_KINDS - 1);
	uint64_t numbers[EAR_ROWS_NUMBERS];
	unsigned count = 0;

	for (; !walk->bad && !ear_part_line_ended(walk->reader); count++) {
		if (count == EAR_ROWS_NUMBERS)
			ear_part_reject(walk, "it has too many numbers");
		else
			numbers[count] = ear_part_decimal(walk, 0, UINT64_MAX);
	}
	if (!walk->bad && !ear_rows_add(rows, (unsigned)kind, numbers, count))
		ear_part_reject(walk, "out of memory");
}

static void write_rows(struct ear_rows *rows, struct ear_part_walk *walk)
{
	uint64_t numbers[EAR_ROWS_NUMBERS];
	unsigned kind, count;

	ear_rows_rewind(rows);
	while (ear_rows_next(rows, &kind, numbers, &count)) {
		ear_part_line(walk, "row");
		ear_part_decimal(walk, kind, UINT64_MAX);
		for (unsigned i = 0; i < count; i++)
			ear_part_decimal(walk, numbers[i], UINT64_MAX);
	}
	ear_rows_rewind(rows);
}

void ear_rows_walk(struct ear_rows *rows, struct ear_part_walk *walk)
{
	if (!ear_part_reads(walk))
		write_rows(rows, walk);
	else if (ear_part_line(walk, "row"))
		read_row(rows, walk);
}
