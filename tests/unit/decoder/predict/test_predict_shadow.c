/* docs/predict.md, section 3, "Caches": compared with a model that keeps a list of lines. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/predict/shadow.h"
#include "random.h"

#define LINE_BYTES_MAX 32

/* What the section says, byte by byte: places for lines, and a count of the lines taken in. */
struct model {
	unsigned ways, sets, line_bytes;
	unsigned taken;
	struct place {
		bool used;
		uint32_t line; /* line address */
		uint8_t bytes[LINE_BYTES_MAX];
	} * places;
};

static void model_init(struct model *model, const struct ear_shadow_geometry *geometry)
{
	model->ways = 1u << geometry->ways_log2;
	model->line_bytes = 4u << geometry->line_log2;
	model->sets = (4u << geometry->words_log2) / model->line_bytes / model->ways;
	model->taken = 0;
	model->places = calloc((size_t)model->sets * model->ways, sizeof(*model->places));
	assert_non_null(model->places);
}

static uint8_t *model_byte(struct model *model, uint32_t address, bool take)
{
	uint32_t line = address / model->line_bytes;
	struct place *set = model->places + (size_t)(line % model->sets) * model->ways;

	for (unsigned way = 0; way < model->ways; way++)
		if (set[way].used && set[way].line == line)
			return &set[way].bytes[address % model->line_bytes];
	if (!take)
		return NULL;
	struct place *place = &set[model->taken++ % model->ways];
	*place = (struct place){.used = true, .line = line};
	return &place->bytes[address % model->line_bytes];
}

static uint64_t model_read(struct model *model, uint32_t address, unsigned mask)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++) {
		const uint8_t *byte = model_byte(model, address + i, false);
		if (mask >> i & 1 && byte)
			value |= (uint64_t)*byte << 8 * i;
	}
	return value;
}

static void model_write(struct model *model, uint32_t address, unsigned mask, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			*model_byte(model, address + i, true) = (uint8_t)(value >> 8 * i);
}

static unsigned some_mask(struct random *random)
{
	static const uint8_t plain[] = {1, 3, 15, 255};

	return random_once_in(random, 3) ? (unsigned)random_below(random, 256)
					 : plain[random_below(random, 4)];
}

/* Near a few places, so that lines are found again; also around the end of the addresses. */
static uint32_t some_address(struct random *random)
{
	static const uint32_t bases[] = {0, 0x80000000, 0x80004000, 0xFFFFFFF0};

	return bases[random_below(random, COUNT_OF(bases))] + (uint32_t)random_below(random, 600);
}

static void check_cache(const struct ear_shadow_geometry *geometry, unsigned steps)
{
	struct random random = {
		geometry->words_log2 * 64u + geometry->ways_log2 * 8u + geometry->line_log2 + 1u};
	struct ear_shadow cache;
	struct model model;
	unsigned held = 0;

	assert_int_equal(ear_shadow_init(&cache, geometry), 0);
	model_init(&model, geometry);
	for (unsigned i = 0; i < steps; i++) {
		uint32_t address = some_address(&random);
		unsigned mask = some_mask(&random);
		uint64_t value = random_next(&random);

		if (random_once_in(&random, 2)) {
			ear_shadow_write(&cache, address, mask, value);
			model_write(&model, address, mask, value);
		}
		address = some_address(&random), mask = some_mask(&random);
		value = ear_shadow_read(&cache, address, mask);
		held += value != 0;
		if (value != model_read(&model, address, mask))
			fail_msg("words %u ways %u line %u: step %u, address %x, mask %02x",
				geometry->words_log2, geometry->ways_log2, geometry->line_log2, i,
				address, mask);
	}
	assert_int_equal(cache.victim, model.taken);
	assert_above(held, 100);
	ear_shadow_fini(&cache);
	free(model.places);
}

static void every_shape_holds_what_the_model_holds(void **state)
{
	(void)state;
	for (uint8_t words = 5; words <= 9; words++)
		for (uint8_t ways = 0; ways <= 3; ways++)
			for (uint8_t line = 0; line <= 3; line++)
				if (words >= ways + line)
					check_cache(
						&(struct ear_shadow_geometry){words, ways, line},
						20000);
	check_cache(&(struct ear_shadow_geometry){16, 3, 3}, 50000);
	check_cache(&(struct ear_shadow_geometry){16, 0, 0}, 50000);
}

static struct ear_shadow make_cache(uint8_t words, uint8_t ways, uint8_t line)
{
	struct ear_shadow cache;

	assert_int_equal(
		ear_shadow_init(&cache, &(struct ear_shadow_geometry){words, ways, line}), 0);
	return cache;
}

static void what_is_not_in_the_cache_reads_as_zero_and_is_not_filled(void **state)
{
	struct ear_shadow cache = make_cache(5, 1, 1);

	(void)state;
	assert_int_equal(ear_shadow_read(&cache, 0x1000, 0xFF), 0);
	assert_null(ear_shadow_find(&cache, 0x1000));
	assert_int_equal(cache.victim, 0);
	ear_shadow_fini(&cache);
}

static void a_line_is_taken_in_with_zeros(void **state)
{
	struct ear_shadow cache = make_cache(5, 0, 2);

	(void)state;
	ear_shadow_write(&cache, 0x1000, 0xFF, UINT64_MAX);
	ear_shadow_write(&cache, 0x1008, 0xFF, UINT64_MAX);
	ear_shadow_write(&cache, 0x1085, 1, 0x77); /* the same place, 128 bytes further */
	assert_int_equal(ear_shadow_read(&cache, 0x1080, 0xFF), 0x770000000000);
	assert_int_equal(ear_shadow_read(&cache, 0x1088, 0xFF), 0);
	assert_int_equal(ear_shadow_read(&cache, 0x1000, 0xFF), 0);
	ear_shadow_fini(&cache);
}

/* The way is chosen by the count of all lines that were taken in, not of those of the set. */
static void the_way_follows_from_the_number_of_lines_taken_in(void **state)
{
	struct ear_shadow cache = make_cache(5, 1, 0); /* 16 sets of 2 ways, lines of 4 bytes */

	(void)state;
	ear_shadow_write(&cache, 0x000, 0xF, 1); /* line 0: way 0 of set 0 */
	ear_shadow_write(&cache, 0x004, 0xF, 2); /* line 1: way 1 of set 1 */
	ear_shadow_write(&cache, 0x040, 0xF, 3); /* line 2: way 0 of set 0, where 0x000 was */
	assert_int_equal(ear_shadow_read(&cache, 0x000, 0xF), 0);
	assert_int_equal(ear_shadow_read(&cache, 0x004, 0xF), 2);
	assert_int_equal(ear_shadow_read(&cache, 0x040, 0xF), 3);
	ear_shadow_write(&cache, 0x040, 0xF, 4); /* in the cache: nothing is filled */
	ear_shadow_write(&cache, 0x080, 0xF, 5); /* line 3: way 1 of set 0 */
	assert_int_equal(ear_shadow_read(&cache, 0x040, 0xF), 4);
	assert_int_equal(ear_shadow_read(&cache, 0x080, 0xF), 5);
	ear_shadow_fini(&cache);
}

/* With one way and lines that fall upon each other, the order of the two lines shows. */
static void the_lower_line_of_an_access_comes_first(void **state)
{
	struct ear_shadow cache = make_cache(5, 1, 0);

	(void)state;
	ear_shadow_write(&cache, 0x002, 0xF, 0x44332211); /* lines 0 and 4 */
	assert_int_equal(cache.victim, 2);
	assert_ptr_equal(ear_shadow_find(&cache, 0x000), cache.bytes);
	assert_ptr_equal(ear_shadow_find(&cache, 0x004), cache.bytes + 4 * (2 * 1 + 1));
	assert_int_equal(ear_shadow_read(&cache, 0x002, 0xF), 0x44332211);
	assert_int_equal(ear_shadow_read(&cache, 0x003, 0x3), 0x3322);
	ear_shadow_fini(&cache);
}

static void only_the_bytes_of_the_mask_are_written(void **state)
{
	struct ear_shadow cache = make_cache(5, 0, 3);

	(void)state;
	ear_shadow_write(&cache, 0x100, 0xFF, 0x1111111111111111);
	ear_shadow_write(&cache, 0x100, 0xA5, 0x8877665544332211);
	assert_int_equal(ear_shadow_read(&cache, 0x100, 0xFF), 0x8811661111331111 | 0x11);
	assert_int_equal(ear_shadow_read(&cache, 0x100, 0x80), 0x8800000000000000);
	ear_shadow_write(&cache, 0x200, 0, UINT64_MAX); /* no bytes: no line */
	assert_null(ear_shadow_find(&cache, 0x200));
	ear_shadow_fini(&cache);
}

static void clearing_forgets_lines_and_their_count(void **state)
{
	struct ear_shadow cache = make_cache(5, 2, 0);

	(void)state;
	for (uint32_t i = 0; i < 7; i++)
		ear_shadow_write(&cache, 4 * i, 0xF, 0xFFFFFFFF);
	ear_shadow_clear(&cache);
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(ear_shadow_read(&cache, 4 * i, 0xF), 0);
	ear_shadow_write(&cache, 0, 1, 1);
	assert_ptr_equal(ear_shadow_find(&cache, 0), cache.bytes);
	assert_int_equal(ear_shadow_read(&cache, 0, 0xF), 1);
	ear_shadow_fini(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_holds_what_the_model_holds),
		cmocka_unit_test(what_is_not_in_the_cache_reads_as_zero_and_is_not_filled),
		cmocka_unit_test(a_line_is_taken_in_with_zeros),
		cmocka_unit_test(the_way_follows_from_the_number_of_lines_taken_in),
		cmocka_unit_test(the_lower_line_of_an_access_comes_first),
		cmocka_unit_test(only_the_bytes_of_the_mask_are_written),
		cmocka_unit_test(clearing_forgets_lines_and_their_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
