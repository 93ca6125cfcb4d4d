/* The shortest period that goes on for long enough. Each one is tried from the item on, and ends at
 * the first difference, so a list without repetitions takes a few comparisons an item.
 */
#include "cli/show/fold.h"

static size_t repeats(const uint64_t *keys, size_t count, size_t at, size_t period)
{
	size_t end = at + period;

	while (end < count && keys[end] == keys[end - period])
		end++;
	return end - at;
}

struct fold fold_find(const uint64_t *keys, size_t count, size_t at)
{
	for (size_t period = 1; period <= FOLD_PERIOD_MAX && period < count - at; period++) {
		size_t length = repeats(keys, count, at, period);
		size_t head = (FOLD_HEAD + period - 1) / period * period;

		if (length < FOLD_MIN || length < head + FOLD_TAIL + period)
			continue;
		return (struct fold){period, length, head, length - head - FOLD_TAIL};
	}
	return (struct fold){0};
}
