/* Runs of lines that two texts share, counted by hart. A trace has few harts, so a linear search in
 * an array of fixed size is enough, and a run can be copied and compared without any allocation.
 */
#include "decoder/formats/base/line_compare.h"

bool ear_line_run_count(struct ear_line_run *run, unsigned hart, uint64_t count, unsigned state)
{
	size_t i = 0;

	while (i < run->hart_count && run->harts[i].hart != hart)
		i++;
	if (i == EAR_EQUAL_HARTS_MAX)
		return false;
	if (i == run->hart_count)
		run->harts[run->hart_count++] = (struct ear_equal_lines){.hart = (uint16_t)hart};
	run->harts[i].count += count;
	if (state != 0)
		run->harts[i].state = (uint8_t)state;
	return true;
}

bool ear_line_run_append(struct ear_line_run *run, const struct ear_line_run *next)
{
	struct ear_line_run sum = *run;

	for (size_t i = 0; i < next->hart_count; i++)
		if (!ear_line_run_count(
			    &sum, next->harts[i].hart, next->harts[i].count, next->harts[i].state))
			return false;
	sum.line_count += next->line_count;
	sum.size += next->size;
	*run = sum;
	return true;
}
