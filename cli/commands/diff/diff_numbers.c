/* Numbers of instructions in a trace, for those who ask another command for the records there.
 *
 * A comparison counts the records of each hart by themselves. As long as all are compared and there
 * is one hart, that is the number in the trace, and nothing is kept. After that a ring has the
 * records that were read last: an event of the comparison is about one of these, since it reads
 * ahead no more than its window and what waits for the other side. What is not in the ring any more
 * is not known, and nothing is guessed.
 */
#include "cli/commands/diff/diff_numbers.h"

#include <stdlib.h>

/* The count of a hart; NULL: there are too many harts. */
static uint64_t *count_of(struct diff_numbers *numbers, uint16_t hart)
{
	for (unsigned i = 0; i < numbers->hart_count; i++)
		if (numbers->harts[i].hart == hart)
			return &numbers->harts[i].count;
	if (numbers->hart_count == EAR_COMPARE_HARTS_MAX)
		return NULL;
	numbers->harts[numbers->hart_count] = (struct diff_number_hart){.hart = hart};
	return &numbers->harts[numbers->hart_count++].count;
}

/* From here on the numbers of the harts are not the one of the trace. */
static void begin_ring(struct diff_numbers *numbers)
{
	if (numbers->other)
		return;
	numbers->other = true;
	numbers->same = numbers->total;
	numbers->kept = calloc(DIFF_NUMBERS_KEPT, sizeof(*numbers->kept));
	if (numbers->has_hart)
		*count_of(numbers, numbers->hart) = numbers->same;
}

void diff_numbers_pass(struct diff_numbers *numbers)
{
	begin_ring(numbers);
	numbers->total++;
}

/* Are all so far, and this one, of one hart? */
static bool is_same(struct diff_numbers *numbers, uint16_t hart)
{
	if (!numbers->has_hart)
		numbers->hart = hart;
	numbers->has_hart = true;
	if (numbers->hart != hart)
		begin_ring(numbers);
	return !numbers->other;
}

void diff_numbers_add(struct diff_numbers *numbers, uint16_t hart)
{
	if (is_same(numbers, hart)) {
		numbers->total++;
		return;
	}
	uint64_t *count = count_of(numbers, hart);
	if (count && numbers->kept)
		numbers->kept[numbers->kept_count++ % DIFF_NUMBERS_KEPT] =
			(struct diff_number){numbers->total, *count, hart};
	if (count)
		++*count;
	numbers->total++;
}

void diff_numbers_skip(struct diff_numbers *numbers, uint16_t hart, uint64_t count)
{
	if (!is_same(numbers, hart)) {
		uint64_t *of_hart = count_of(numbers, hart);
		if (of_hart)
			*of_hart += count;
	}
	numbers->total += count;
}

bool diff_numbers_find(
	const struct diff_numbers *numbers, uint16_t hart, uint64_t count, uint64_t *number)
{
	const uint64_t kept =
		numbers->kept_count < DIFF_NUMBERS_KEPT ? numbers->kept_count : DIFF_NUMBERS_KEPT;

	*number = count;
	if (!numbers->other || (hart == numbers->hart && count < numbers->same))
		return true;
	for (uint64_t back = 1; back <= kept; back++) {
		const struct diff_number *one =
			&numbers->kept[(numbers->kept_count - back) % DIFF_NUMBERS_KEPT];
		*number = one->number;
		if (one->hart == hart && one->count == count)
			return true;
	}
	return false;
}

void diff_numbers_fini(struct diff_numbers *numbers)
{
	free(numbers->kept);
	numbers->kept = NULL;
}
