/* Spans of overlapping ranges against looking at every range for every address. */
#include "library/names/intervals.h"

#include "check.h"
#include "random.h"

#define ADDRESSES 200

static uint32_t look(const struct ear_interval *list, size_t count, uint64_t address)
{
	const struct ear_interval *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct ear_interval *one = &list[i];
		if (address < one->first || address > one->last)
			continue;
		if (!best || one->rank[0] > best->rank[0] ||
			(one->rank[0] == best->rank[0] &&
				(one->first > best->first ||
					(one->first == best->first &&
						(one->rank[1] > best->rank[1] ||
							(one->rank[1] == best->rank[1] &&
								one->item < best->item))))))
			best = one;
	}
	return best ? best->item : EAR_INTERVALS_NONE;
}

static void spans_are_what_looking_at_all_gives(void **state)
{
	struct random random = {77};
	struct ear_interval list[40];

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		size_t count = (size_t)random_below(&random, COUNT_OF(list) + 1);
		struct ear_spans spans;

		for (size_t i = 0; i < count; i++) {
			uint64_t first = random_below(&random, ADDRESSES);
			list[i] = (struct ear_interval){.first = first,
				.last = first + random_below(&random, ADDRESSES - first),
				.rank = {random_below(&random, 3), random_below(&random, 3)},
				.item = (uint32_t)i};
			if (random_once_in(&random, 20))
				list[i].last = UINT64_MAX;
		}
		assert_int_equal(ear_spans_make(&spans, list, count), 0);
		assert_at_most(spans.count, 2 * count + 1);
		for (uint64_t address = 0; address < ADDRESSES; address++) {
			size_t at;
			uint64_t first, last;
			uint32_t item = ear_spans_find(&spans, address, &at);

			assert_int_equal(item, look(list, count, address));
			ear_spans_bounds(&spans, at, &first, &last);
			assert_in_range(address, first, last);
			assert_int_equal(look(list, count, first), item);
			assert_int_equal(look(list, count, last), item);
		}
		ear_spans_free(&spans);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_what_looking_at_all_gives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
