/* Time: steps of the heat, and intervals of the working set. */
#include "analyses/memory/memory_part.h"

#include <stdlib.h>
#include <string.h>

/* The steps are all used: twice as long ones. */
static void widen(struct ear_usage *memory)
{
	const uint64_t first = memory->facts.begin / memory->facts.step;

	for (uint32_t i = 0; i < memory->page_count; i++) {
		uint32_t heat[EAR_USAGE_STEPS] = {0}, *old = memory->pages[i].heat;
		for (size_t j = 0; j < EAR_USAGE_STEPS; j++) {
			const size_t to = (size_t)((first + j) / 2 - first / 2);
			const uint64_t sum = (uint64_t)heat[to] + old[j];
			heat[to] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
		}
		memcpy(old, heat, sizeof(heat));
	}
	memory->facts.step *= 2;
}

uint64_t ear_usage_step_of(const struct ear_usage *memory, uint64_t number)
{
	return number / memory->facts.step - memory->facts.begin / memory->facts.step;
}

void ear_usage_next_step(struct ear_usage *memory)
{
	while (ear_usage_step_of(memory, memory->number) >= EAR_USAGE_STEPS)
		widen(memory);
	memory->step = (uint32_t)ear_usage_step_of(memory, memory->number);
	ear_usage_set_step_end(memory);
}

void ear_usage_set_step_end(struct ear_usage *memory)
{
	const uint64_t step = memory->facts.step;

	memory->step_end = (memory->facts.begin / step + memory->step + 1) * step;
}

uint64_t ear_usage_step_begin(const struct ear_usage_facts *facts, unsigned step)
{
	return step == 0 ? facts->begin : (facts->begin / facts->step + step) * facts->step;
}

/* An interval of a part begins where it does in the whole: the first one may be shorter, and may
 * have no instruction.
 */
void ear_usage_begin_intervals(struct ear_usage *memory)
{
	const uint64_t begin = memory->facts.begin, size = memory->options.working_set;
	const uint64_t before = memory->part ? begin - memory->options.begin : 0;

	if (size == 0)
		return;
	memory->interval_begin = begin - before % size;
	if (before > 0 && before % size == 0)
		memory->interval_begin -= size;
	memory->interval_end = memory->interval_begin + size;
}

void ear_usage_add_interval(
	struct ear_usage *memory, uint64_t records, uint64_t lines, uint64_t pages)
{
	if (memory->row_count == EAR_USAGE_ROWS_MAX) {
		memory->facts.rows_lost++;
	} else {
		if (memory->row_count == memory->row_capacity) {
			size_t capacity = memory->row_capacity ? 2 * memory->row_capacity : 256;
			void *grown = realloc(memory->rows, capacity * sizeof(*memory->rows));
			if (!grown) {
				memory->failed = true;
				return;
			}
			memory->rows = grown;
			memory->row_capacity = capacity;
		}
		memory->rows[memory->row_count++] =
			(struct ear_usage_interval){memory->interval_begin, records, lines, pages};
	}
	memory->interval++;
	memory->interval_begin += records;
	memory->interval_end += memory->options.working_set;
}

void ear_usage_end_interval(struct ear_usage *memory, uint64_t records)
{
	for (uint32_t i = 0; memory->part && memory->interval == 0 && i < memory->page_count; i++)
		if (memory->bits[i]->interval == 0)
			memory_part_bits(memory->bits[i])->first_lines = memory->bits[i]->lines;
	ear_usage_add_interval(memory, records, memory->interval_lines, memory->interval_pages);
	memory->interval_lines = memory->interval_pages = 0;
}
