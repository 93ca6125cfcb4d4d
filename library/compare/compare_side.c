/* A side of a comparison: its ring, and its position after a gap.
 *
 * The index that a gap ends at is what counts, but for texts whose lines were edited: there the
 * lines before the gap are more or fewer than its index says, and its size is what is true.
 */
#include "library/compare/compare_side.h"

#include <earshot/error.h>

#define REWIND_COPIES 32

size_t ear_side_plain_count(const struct ear_side *side, size_t max)
{
	size_t count = 0;

	while (count < side->ahead && count < max && !ear_side_is_gap(side, count))
		count++;
	return count;
}

int ear_side_keep(struct ear_side *side, const struct ear_record *record)
{
	size_t place = (side->current + side->ahead) % side->capacity;

	if (ear_record_copy_set(&side->copies[place], record) != 0)
		return EAR_E_NO_MEMORY;
	if (side->views)
		ear_view_copy(&side->views[place], &side->view);
	side->ahead++;
	return 0;
}

/* Nothing was read ahead: go back to the beginning of the ring, with what was passed. Where the
 * sides continue together only few copies are used, then, and they stay near the processor.
 */
static void rewind_ring(struct ear_side *side)
{
	size_t first = side->current - side->passed;

	for (size_t i = 0; i < side->passed; i++) {
		struct ear_record_copy copy = side->copies[i];
		side->copies[i] = side->copies[first + i];
		side->copies[first + i] = copy;
	}
	side->current = side->passed;
}

/* Does the gap cover as many records as it has indexes? */
static bool is_dense(const struct ear_gap *gap)
{
	return !gap->upper_bound && gap->last - gap->first + 1 == gap->count;
}

/* The gap was passed. Returns how far the position after it can be trusted. */
static unsigned advance_gap(struct ear_side *side, const struct ear_record *record)
{
	const struct ear_gap *gap = &record->u.gap;
	unsigned doubt = 0;

	if (!side->begun)
		side->position = gap->count_known ? gap->first : gap->at_start ? 0 : record->index;
	side->begun = true;
	if (!gap->count_known) {
		if (!gap->at_start)
			return EAR_SIDE_SEARCH | EAR_SIDE_SLIDE | EAR_SIDE_EXACT;
		if (ear_side_before(side->position, record->index + side->shift))
			side->position = record->index + side->shift;
		return EAR_SIDE_SEARCH | EAR_SIDE_SLIDE;
	}
	side->sparse |= gap->upper_bound;
	if (gap->last - gap->first + 1 >= gap->count &&
		(!side->counted || side->sparse || !is_dense(gap))) {
		doubt = is_dense(gap) ? 0 : EAR_SIDE_SEARCH;
		if (ear_side_before(side->position, gap->last + 1 + side->shift))
			side->position = gap->last + 1 + side->shift;
	} else {
		doubt = gap->first + side->shift == side->position ? 0 : EAR_SIDE_SEARCH;
		side->position += gap->count;
	}
	side->shift = side->position - (gap->last + 1);
	return doubt;
}

unsigned ear_side_pass(struct ear_side *side, size_t context)
{
	const struct ear_record *record = ear_side_at(side, 0);
	unsigned doubt = 0;

	if (record->kind == EAR_RECORD_INSTRUCTION)
		ear_side_advance(side, record);
	else
		doubt = advance_gap(side, record);
	side->current = (side->current + 1) % side->capacity;
	side->ahead--;
	if (side->passed < context)
		side->passed++;
	if (side->ahead == 0 && side->current >= REWIND_COPIES && side->current >= 2 * side->passed)
		rewind_ring(side);
	return doubt;
}
