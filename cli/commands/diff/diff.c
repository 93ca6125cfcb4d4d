/* The state of a comparison, as the reports of it ask for it. */
#include "cli/commands/diff/diff.h"

const struct ear_record *diff_record(struct diff *diff, unsigned side, int position)
{
	return ear_compare_harts_record(diff->harts, side, position);
}

uint64_t diff_passed(const struct diff *diff, unsigned side)
{
	return ear_compare_count(diff->compare, side);
}

bool diff_number(const struct diff *diff, unsigned side, uint16_t hart, uint64_t *number)
{
	return diff_numbers_find(&diff->numbers[side], hart, diff_passed(diff, side), number);
}

bool diff_only_gaps(const struct diff *diff)
{
	return diff->gaps > 0 && diff->differences == 0 &&
	       ear_compare_harts_pairs(diff->harts) == 0;
}
