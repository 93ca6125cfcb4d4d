/* What a part leaves open: what instructions did to bytes, if the parts before wrote or executed
 * these, or did not. It is one for all times that an instruction did so with the same bytes.
 */
#include "analyses/memory/memory_part.h"

static uint32_t *slot_of(const struct memory_part *part, const struct memory_open *open)
{
	const struct ear_numbering *table = &part->open_numbers;
	uint32_t at = ear_numbering_first(
		table, ear_numbering_hash(open->pc * 8 + (uint64_t)open->kind * 2 + open->has_pc,
			       open->address));

	for (; table->places[at]; at = ear_numbering_next(table, at)) {
		const struct memory_open *other = &part->open[table->places[at] - 1];
		if (other->address == open->address && other->pc == open->pc &&
			other->size == open->size && other->kind == open->kind &&
			other->has_pc == open->has_pc &&
			(other->mask == open->mask || open->kind == MEMORY_OPEN_WRITE))
			break;
	}
	return &table->places[at];
}

static bool grow(struct ear_usage *memory)
{
	struct memory_part *part = memory->part;
	bool again;
	void *grown = ear_numbering_grow(
		&part->open_numbers, part->open, sizeof(*part->open), part->open_count, &again);

	if (!grown) {
		memory->failed = true;
		return false;
	}
	part->open = grown;
	for (uint32_t i = 0; again && i < part->open_count; i++)
		if (!part->open[i].is_run)
			*slot_of(part, &part->open[i]) = i + 1;
	return true;
}

/* ---- Instructions that go through memory. ---- */

static struct memory_cursor *cursor_of(struct memory_part *part, const struct memory_open *open)
{
	return &part->cursors[open->kind][open->pc / 2 % MEMORY_CURSORS];
}

static bool is_like(const struct memory_open *last, const struct memory_open *open)
{
	return last->pc == open->pc && last->has_pc == open->has_pc && last->hart == open->hart &&
	       last->size == open->size && last->mask == open->mask && last->fresh == open->fresh;
}

/* Is it the next access? */
static bool extend(struct memory_part *part, const struct memory_open *open)
{
	const struct memory_cursor *cursor = cursor_of(part, open);
	struct memory_open *last = cursor->last > 0 ? &part->open[cursor->last - 1] : NULL;

	if (!last || !last->is_run || !is_like(last, open) || last->times == MEMORY_TIMES_MAX ||
		open->address != last->address + last->times * last->stride)
		return false;
	if (last->times == 1)
		last->step = open->first - last->first;
	last->is_regular &= open->first == last->first + last->times * last->step;
	last->times++;
	return true;
}

/* Will more come? Then they need not be found again. */
static void begin_run(struct memory_part *part, struct memory_open *open)
{
	struct memory_cursor *cursor = cursor_of(part, open);
	const struct memory_open *last = cursor->last > 0 ? &part->open[cursor->last - 1] : NULL;
	const uint64_t stride = last ? open->address - last->address : 0;

	if (!last || !is_like(last, open) || last->is_run || stride != cursor->stride)
		cursor->streak = 0;
	else
		cursor->streak++;
	cursor->stride = stride;
	cursor->last = part->open_count + 1;
	open->stride = stride;
	open->is_run = cursor->streak >= MEMORY_STREAK && stride != 0 &&
		       part->open_counts[open->kind] >= MEMORY_OPEN_MANY;
}

void ear_usage_add_open(struct ear_usage *memory, const struct memory_open_access *access)
{
	struct memory_part *part = memory->part;
	struct memory_open open = {
		.pc = access->access->pc,
		.address = access->access->address,
		.mask = access->mask,
		.fresh = access->fresh,
		.count = 1,
		.times = 1,
		.is_regular = true,
		.first = memory->number,
		.hart = access->access->hart,
		.size = access->access->size,
		.kind = (uint8_t)access->kind,
		.has_pc = access->access->has_pc,
	};

	if (part->is_full[open.kind])
		return;
	if (open.kind == MEMORY_OPEN_WRITE)
		open.mask = ear_usage_look_for_site(
				    memory, EAR_USAGE_CODE_WRITE, open.has_pc, open.pc) != NULL;
	if (extend(part, &open) || !grow(memory))
		return;
	uint32_t *slot = slot_of(part, &open);
	if (*slot > 0) {
		part->open[*slot - 1].count++;
	} else if (part->open_counts[open.kind] == MEMORY_OPEN_MAX || open.size > 64) {
		part->is_full[open.kind] = true;
	} else {
		begin_run(part, &open);
		part->open[part->open_count++] = open;
		part->open_counts[open.kind]++;
		if (!open.is_run)
			*slot = part->open_count;
	}
}

void ear_usage_open_write(
	struct ear_usage *memory, uint32_t page, const struct memory_access *access)
{
	struct memory_part_bits *bits = memory_part_bits(memory->bits[page]);

	if (bits->writes_left == 0)
		return;
	bits->writes_left--;
	if (access->size > 0)
		ear_usage_add_open(
			memory, &(struct memory_open_access){access, 0, 0, MEMORY_OPEN_WRITE});
	if (bits->writes_left == 0)
		bits->is_unreported = true;
}

/* ---- What the parts before did. ---- */

enum which { WRITTEN, REPORTED };

static uint64_t bits_at(
	const struct ear_usage *memory, uint64_t address, unsigned size, enum which which)
{
	const struct memory_bits *bits = NULL;
	uint64_t found = 0;

	for (unsigned i = 0; i < size && i < 64 && address + i >= address; i++) {
		const unsigned offset = (address + i) % EAR_USAGE_PAGE;
		if (i == 0 || offset == 0)
			bits = ear_usage_look_for_page(memory, address + i - offset);
		if (!bits)
			continue;
		const uint64_t *words = which == WRITTEN ? bits->written : bits->reported;
		found |= (words[offset / 64] >> offset % 64 & 1) << i;
	}
	return found;
}

uint64_t ear_usage_written_at(const struct ear_usage *memory, uint64_t address, unsigned size)
{
	return bits_at(memory, address, size, WRITTEN);
}

uint64_t ear_usage_reported_at(const struct ear_usage *memory, uint64_t address, unsigned size)
{
	return bits_at(memory, address, size, REPORTED);
}

bool ear_usage_executed_at(const struct ear_usage *memory, uint64_t address, unsigned size)
{
	const struct memory_bits *bits = NULL;

	for (unsigned i = 0; i < size && address + i >= address; i++) {
		const unsigned offset = (address + i) % EAR_USAGE_PAGE;
		if (i == 0 || offset == 0)
			bits = ear_usage_look_for_page(memory, address + i - offset);
		if (bits && bits->executed[offset / 128] >> (offset / 2 % 64) & 1)
			return true;
	}
	return false;
}
