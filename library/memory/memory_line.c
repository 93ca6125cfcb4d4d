/* Lines of memory_state.h: what changed, laid over what was before, and as bytes.
 *
 * Bytes of changes, numbers as in common/varint.h:
 *
 *     flags       bit 0: everything was forgotten
 *     written     only then
 *     count       of lines
 *     lines       by address: line number less the one before, form, masks and bytes by the form
 *
 * form: bit 0: settled is not all ones, 8 bytes of it follow; bits 2:1: known is 0: settled, 1: 0,
 * 2: what follows in 8 bytes. Then the known bytes.
 */
#include "library/memory/memory_line.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/varint.h"
#include "library/memory/memory_internal.h"
#include <earshot/error.h>

#define FLAG_FORGOTTEN 1u

#define FORM_SETTLED     1u
#define FORM_KNOWN_ALL   (0u << 1)
#define FORM_KNOWN_NONE  (1u << 1)
#define FORM_KNOWN_GIVEN (2u << 1)
#define FORM_MAX         5u

static void fill_line(const struct ear_block *block, unsigned i, struct ear_memory_line *line)
{
	line->address = (block->number << EAR_BLOCK_BITS) + (size_t)i * EAR_MEMORY_LINE;
	line->known = block->data.known[i];
	line->settled = block->data.settled[i];
	memcpy(line->bytes, block->data.bytes + (size_t)i * EAR_MEMORY_LINE, EAR_MEMORY_LINE);
}

int ear_memory_line(struct ear_memory *memory, uint64_t address, struct ear_memory_line *line)
{
	struct ear_block *block;

	int result = ear_block_find(memory, address >> EAR_BLOCK_BITS, false, &block);
	*line = (struct ear_memory_line){.address = address};
	if (result == 0 && block)
		fill_line(block, address % EAR_BLOCK_SIZE / EAR_MEMORY_LINE, line);
	return result;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

int ear_memory_changes(struct ear_memory *memory, struct ear_memory_changes *changes)
{
	size_t count = 0;

	if (memory->changed_count > 0)
		qsort(memory->changed, memory->changed_count, sizeof(*memory->changed), by_number);
	for (size_t i = 0; i < memory->changed_count; i++) {
		struct ear_block *block;
		int result = ear_block_find(memory, memory->changed[i], false, &block);
		if (result == 0)
			result = EAR_ARRAY_RESERVE(memory->lines, &memory->line_capacity,
					 count + EAR_BLOCK_LINES)
					 ? 0
					 : EAR_E_NO_MEMORY;
		if (result)
			return result;
		for (unsigned k = 0; k < EAR_BLOCK_LINES; k++)
			if (block->dirty >> k & 1)
				fill_line(block, k, &memory->lines[count++]);
		block->dirty &= ~EAR_BLOCK_CHANGED;
	}
	*changes = (struct ear_memory_changes){
		.forgotten = memory->forgotten_new,
		.written = memory->forgotten_new ? memory->written_at_last : 0,
		.count = count,
		.lines = memory->lines,
	};
	memory->changed_count = 0;
	memory->forgotten_new = false;
	return 0;
}

void ear_memory_line_under(struct ear_memory_line *line, const struct ear_memory_line *older)
{
	uint64_t taken = older->settled & ~line->settled;

	line->known |= older->known & taken;
	line->settled |= taken;
	for (unsigned i = 0; i < EAR_MEMORY_LINE && taken; i++)
		if (taken >> i & 1)
			line->bytes[i] = older->bytes[i];
}

static void put_mask(struct ear_varint_out *out, uint64_t mask)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(mask >> 8 * i);
	ear_varint_put_bytes(out, bytes, sizeof(bytes));
}

static void put_line(struct ear_varint_out *out, const struct ear_memory_line *line)
{
	unsigned form = (line->settled != UINT64_MAX ? FORM_SETTLED : 0) |
			(line->known == line->settled ? FORM_KNOWN_ALL
				: line->known == 0    ? FORM_KNOWN_NONE
						      : FORM_KNOWN_GIVEN);

	ear_varint_put(out, form);
	if (form & FORM_SETTLED)
		put_mask(out, line->settled);
	if (form & FORM_KNOWN_GIVEN)
		put_mask(out, line->known);
	if (line->known == UINT64_MAX) {
		ear_varint_put_bytes(out, line->bytes, EAR_MEMORY_LINE);
		return;
	}
	for (unsigned i = 0; i < EAR_MEMORY_LINE; i++)
		if (line->known >> i & 1)
			ear_varint_put_bytes(out, &line->bytes[i], 1);
}

size_t ear_memory_changes_save(
	const struct ear_memory_changes *changes, uint8_t *bytes, size_t size)
{
	struct ear_varint_out out = ear_varint_out(bytes, size);
	uint64_t last = 0;

	ear_varint_put(&out, changes->forgotten ? FLAG_FORGOTTEN : 0);
	if (changes->forgotten)
		ear_varint_put(&out, changes->written);
	ear_varint_put(&out, changes->count);
	for (size_t i = 0; i < changes->count; i++) {
		uint64_t line = changes->lines[i].address / EAR_MEMORY_LINE;
		ear_varint_put(&out, line - last);
		put_line(&out, &changes->lines[i]);
		last = line;
	}
	return out.size;
}

int ear_memory_changes_load(struct ear_memory_loader *loader, const uint8_t *bytes, size_t size)
{
	struct ear_varint_in in = ear_varint_in(bytes, size);
	uint64_t flags = ear_varint_get(&in);

	*loader = (struct ear_memory_loader){.forgotten = flags & FLAG_FORGOTTEN};
	if (loader->forgotten)
		loader->written = ear_varint_get(&in);
	loader->count = ear_varint_get(&in);
	loader->at = in.at;
	loader->end = in.end;
	/* A line takes two bytes at least. */
	if (in.bad || flags > FLAG_FORGOTTEN || loader->count > size / 2) {
		loader->count = 0;
		return EAR_E_BAD_FILE;
	}
	loader->first = true;
	return 0;
}

static uint64_t get_mask(struct ear_varint_in *in)
{
	const uint8_t *bytes = ear_varint_get_bytes(in, 8);
	uint64_t mask = 0;

	for (unsigned i = 0; i < 8 && bytes; i++)
		mask |= (uint64_t)bytes[i] << 8 * i;
	return mask;
}

static bool get_line(struct ear_varint_in *in, struct ear_memory_line *line)
{
	uint64_t form = ear_varint_get(in);

	line->settled = form & FORM_SETTLED ? get_mask(in) : UINT64_MAX;
	line->known = form & FORM_KNOWN_GIVEN  ? get_mask(in)
		      : form & FORM_KNOWN_NONE ? 0
					       : line->settled;
	if (in->bad || form > FORM_MAX || line->settled == 0 || line->known & ~line->settled)
		return false;
	memset(line->bytes, 0, sizeof(line->bytes));
	const uint8_t *bytes = ear_varint_get_bytes(in, (size_t)__builtin_popcountll(line->known));
	for (unsigned i = 0; i < EAR_MEMORY_LINE && bytes; i++)
		if (line->known >> i & 1)
			line->bytes[i] = *bytes++;
	return !in->bad;
}

int ear_memory_changes_next(struct ear_memory_loader *loader, struct ear_memory_line *line)
{
	struct ear_varint_in in = {.at = loader->at, .end = loader->end};

	if (loader->count == 0)
		return loader->at == loader->end ? 0 : EAR_E_BAD_FILE;
	uint64_t step = ear_varint_get(&in), last = loader->address / EAR_MEMORY_LINE;
	if (in.bad || step > UINT64_MAX / EAR_MEMORY_LINE - last || (step == 0 && !loader->first))
		return EAR_E_BAD_FILE;
	struct ear_memory_line got = {.address = (last + step) * EAR_MEMORY_LINE};
	if (!get_line(&in, &got))
		return EAR_E_BAD_FILE;
	loader->at = in.at;
	loader->address = got.address;
	loader->first = false;
	loader->count--;
	*line = got;
	return 1;
}
