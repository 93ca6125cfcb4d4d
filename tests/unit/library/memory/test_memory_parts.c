/* Memory of random traces: what is known is true, and parts of a trace put together, changes taken
 * on the way and blocks that were spilled say the same as one pass.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>

#include "library/memory/memory_internal.h"
#include "library/memory/memory_state.h"
#include "memory_trace.h"

#define TRACES  150
#define RECORDS 900
#define LINES   64 /* more than the windows have */

struct moment {
	uint8_t bytes[EAR_TRACE_BYTES];
	bool known[EAR_TRACE_BYTES];
};

static void read_moment(struct ear_memory *memory, struct moment *moment)
{
	for (size_t i = 0; i < EAR_TRACE_BYTES; i += EAR_TRACE_WINDOW / 2) {
		uint64_t address = memory_trace_address(i);
		int64_t count = ear_memory_read(memory, address, moment->bytes + i,
			moment->known + i, EAR_TRACE_WINDOW / 2);
		assert_at_least(count, 0);
	}
}

static unsigned random_features(struct random *random)
{
	return (unsigned)random_below(random, 32);
}

static struct ear_memory *new_memory(const struct ear_memory_options *options)
{
	struct ear_memory *memory = NULL;

	assert_int_equal(ear_memory_new(&memory, options), 0);
	return memory;
}

/* The volatile bytes of the whole trace. */
static struct ear_memory_volatile *find_volatile(struct memory_trace *trace, struct random *random)
{
	struct ear_memory *memory = new_memory(&trace->options);
	struct ear_memory_volatile *set = NULL;
	uint8_t bytes[4096];

	memory_trace_push(trace, memory, 0, trace->count, random);
	size_t size = ear_memory_volatile_save(ear_memory_volatile(memory), bytes, sizeof(bytes));
	assert_at_most(size, sizeof(bytes));
	assert_int_equal(ear_memory_volatile_load(&set, bytes, size), 0);
	ear_memory_free(memory);
	return set;
}

static void expect_truth(const struct memory_trace *trace, const struct moment *moment, size_t at,
	const struct ear_memory_volatile *set, uint64_t seed)
{
	for (size_t i = 0; i < EAR_TRACE_BYTES; i++) {
		uint64_t address = memory_trace_address(i);
		if (!moment->known[i] || moment->bytes[i] == trace->records[at].truth[i])
			continue;
		/* What changes by itself is known between two loads that agree. */
		if (trace->alone[i] &&
			!(ear_memory_volatile_mask(set, address) >> address % 64 & 1))
			continue;
		fail_msg("seed %llu, after record %zu: byte 0x%llx is known as %02x, it is %02x",
			(unsigned long long)seed, at, (unsigned long long)address, moment->bytes[i],
			trace->records[at].truth[i]);
	}
}

static void what_is_known_is_true_after_every_record(void **state)
{
	(void)state;
	uint64_t known = 0, all = 0;

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct random random = {seed};
		struct memory_trace *trace =
			memory_trace_new(&random, RECORDS, random_features(&random));
		struct ear_memory_volatile *set = find_volatile(trace, &random);
		struct ear_memory *memory = new_memory(&trace->options);
		struct moment moment;

		ear_memory_set_volatile(memory, set);
		for (size_t i = 0; i < trace->count; i++) {
			memory_trace_push(trace, memory, i, i + 1, &random);
			if (i % 7 && i > 100)
				continue;
			read_moment(memory, &moment);
			expect_truth(trace, &moment, i, set, seed);
			for (size_t k = 0; k < EAR_TRACE_BYTES; k++)
				known += moment.known[k];
			all += EAR_TRACE_BYTES;
		}
		ear_memory_free(memory);
		ear_memory_volatile_free(set);
		memory_trace_free(trace);
	}
	/* Else the test shows nothing. */
	assert_above(known, all / 8);
	assert_below(known, all);
}

static void expect_same(struct ear_memory *one, struct ear_memory *other, uint64_t seed)
{
	struct moment a, b;
	uint8_t saved[2][4096];
	size_t sizes[2];

	read_moment(one, &a);
	read_moment(other, &b);
	for (size_t i = 0; i < EAR_TRACE_BYTES; i++)
		if (a.known[i] != b.known[i] || a.bytes[i] != b.bytes[i])
			fail_msg("seed %llu: byte 0x%llx is %s%02x in one pass, %s%02x in parts",
				(unsigned long long)seed,
				(unsigned long long)memory_trace_address(i),
				a.known[i] ? "" : "unknown ", a.bytes[i],
				b.known[i] ? "" : "unknown ", b.bytes[i]);
	for (unsigned i = 0; i < 2; i++) {
		struct ear_memory *memory = i ? other : one;
		sizes[i] = ear_memory_volatile_save(
			ear_memory_volatile(memory), saved[i], sizeof(saved[i]));
	}
	assert_int_equal(sizes[0], sizes[1]);
	if (memcmp(saved[0], saved[1], sizes[0]) != 0)
		fail_msg("seed %llu: other volatile bytes in parts", (unsigned long long)seed);
}

/* Versions of lines, as an index keeps them. */
struct version {
	bool forgotten;
	uint64_t written;
	size_t count, position; /* after so many records */
	struct ear_memory_line *lines;
};

struct versions {
	struct version all[RECORDS];
	size_t count;
};

/* Through bytes, so that these are tested too. */
static void add_version(struct versions *versions, size_t position, struct ear_memory *memory)
{
	struct version *version = &versions->all[versions->count++];
	struct ear_memory_changes changes;
	struct ear_memory_loader loader;
	struct ear_memory_line line;

	assert_int_equal(ear_memory_changes(memory, &changes), 0);
	size_t size = ear_memory_changes_save(&changes, NULL, 0);
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	assert_int_equal(ear_memory_changes_save(&changes, bytes, size), size);
	assert_int_equal(ear_memory_changes_load(&loader, bytes, size), 0);
	*version = (struct version){.forgotten = loader.forgotten,
		.written = loader.written,
		.position = position,
		.lines = calloc(LINES, sizeof(line))};
	while (ear_memory_changes_next(&loader, &line) == 1) {
		assert_below(version->count, LINES);
		version->lines[version->count++] = line;
	}
	assert_int_equal(version->count, changes.count);
	free(bytes);
}

static void free_versions(struct versions *versions)
{
	for (size_t i = 0; i < versions->count; i++)
		free(versions->all[i].lines);
	free(versions);
}

/* A line after the versions up to `last`, newest first. */
static void look_up(const struct versions *versions, size_t last,
	const struct ear_memory_options *options, const struct ear_memory_volatile *set,
	struct ear_memory_line *line)
{
	bool forgotten = false;
	uint64_t written = 0;

	for (size_t i = last + 1; i-- > 0 && line->settled != UINT64_MAX && !forgotten;) {
		const struct version *version = &versions->all[i];
		for (size_t k = 0; k < version->count; k++)
			if (version->lines[k].address == line->address)
				ear_memory_line_under(line, &version->lines[k]);
		forgotten = version->forgotten;
		written = version->written;
	}
	ear_memory_line_end(line, options, forgotten, written, set);
}

static void expect_lookup(const struct versions *versions, size_t last,
	const struct memory_trace *trace, const struct ear_memory_volatile *set,
	struct ear_memory *truth, uint64_t seed)
{
	struct moment moment;

	read_moment(truth, &moment);
	for (size_t i = 0; i < EAR_TRACE_BYTES; i += EAR_MEMORY_LINE) {
		struct ear_memory_line line = {.address = memory_trace_address(i)};
		look_up(versions, last, &trace->options, set, &line);
		for (size_t k = 0; k < EAR_MEMORY_LINE; k++)
			if ((line.known >> k & 1) != moment.known[i + k] ||
				line.bytes[k] != moment.bytes[i + k])
				fail_msg("seed %llu, version %zu after %zu records: byte 0x%llx "
					 "is %d %02x, in one pass %d %02x",
					(unsigned long long)seed, last,
					versions->all[last].position,
					(unsigned long long)line.address + k,
					(int)(line.known >> k & 1), line.bytes[k],
					moment.known[i + k], moment.bytes[i + k]);
	}
}

/* One part, with its changes on the way. Again if it says so. */
static void merge_part(struct memory_trace *trace, struct ear_memory *whole,
	struct versions *versions, size_t first, size_t last, struct random *random, bool *again)
{
	struct ear_memory_options options = trace->options;
	struct ear_memory_border border;
	size_t begun = versions->count;

	options.part = true;
	struct ear_memory *part = new_memory(&options);
	if (*again)
		assert_int_equal(ear_memory_seed(part, whole), 0);
	for (size_t at = first; at < last;) {
		size_t step = 1 + random_below(random, 60);
		size_t end = at + step < last ? at + step : last;
		memory_trace_push(trace, part, at, end, random);
		add_version(versions, end, part);
		at = end;
	}
	int result = ear_memory_merge(whole, part, &border);
	assert_at_least(result, 0);
	assert_false(*again && result == 1);
	*again = result == 1;
	for (size_t i = begun; i < versions->count && result == 0; i++) {
		struct version *version = &versions->all[i];
		if (version->forgotten)
			version->written |= border.written;
	}
	if (result == 0 && border.forgotten && begun < versions->count &&
		!versions->all[begun].forgotten) {
		versions->all[begun].forgotten = true;
		versions->all[begun].written = border.written;
	}
	for (size_t i = begun; i < versions->count && result == 1; i++)
		free(versions->all[i].lines);
	versions->count = result == 1 ? begun : versions->count;
	ear_memory_free(part);
}

static void parts_put_together_say_the_same_as_one_pass(void **state)
{
	(void)state;
	unsigned repeats = 0, borders = 0;

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct random random = {seed * 977};
		struct memory_trace *trace =
			memory_trace_new(&random, RECORDS, random_features(&random));
		struct ear_memory_volatile *set = find_volatile(trace, &random);
		struct ear_memory *whole = new_memory(&trace->options);
		struct ear_memory *one = new_memory(&trace->options);
		struct versions *versions = calloc(1, sizeof(*versions));
		bool again = false;

		for (size_t at = 0; at < trace->count;) {
			size_t step =
				1 + random_below(&random, random_once_in(&random, 3) ? 3 : 300);
			size_t end = at + step < trace->count ? at + step : trace->count;
			merge_part(trace, whole, versions, at, end, &random, &again);
			repeats += again;
			if (again)
				merge_part(trace, whole, versions, at, end, &random, &again);
			memory_trace_push(trace, one, at, end, &random);
			expect_same(one, whole, seed);
			borders++;
			at = end;
		}
		ear_memory_free(one);
		one = new_memory(&trace->options);
		ear_memory_set_volatile(one, set);
		for (size_t i = 0, at = 0; i < versions->count; i++) {
			memory_trace_push(trace, one, at, versions->all[i].position, &random);
			at = versions->all[i].position;
			expect_lookup(versions, i, trace, set, one, seed);
		}
		free_versions(versions);
		ear_memory_free(one);
		ear_memory_free(whole);
		ear_memory_volatile_free(set);
		memory_trace_free(trace);
	}
	/* Both ways were gone. */
	assert_above(repeats, 0);
	assert_below(repeats, borders / 2);
}

/* The image of an index is not known when it is made: its bytes are compared with what loads saw
 * first, as if it had been known. */
static void an_image_that_comes_later_is_not_trusted_more(void **state)
{
	(void)state;
	unsigned contradicted = 0, compared = 0;

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct random random = {seed * 131};
		struct memory_trace *trace = memory_trace_new(
			&random, RECORDS, seed % 2 ? TRACE_ALONE | TRACE_HARTS : TRACE_HARTS);
		struct ear_memory_options bare = trace->options;
		/* Some bytes of the image are not what memory holds. */
		for (unsigned i = 0; i < 20; i++)
			trace->image_bytes[0][random_below(&random, 96)] ^= 0x80;
		bare.image_count = 0;
		struct ear_memory *with = new_memory(&trace->options), *whole = new_memory(&bare);
		struct versions *versions = calloc(1, sizeof(*versions));
		struct ear_memory_volatile *set = find_volatile(trace, &random), *later = NULL;
		bool again = false;

		ear_memory_set_volatile(with, set);
		for (size_t at = 0; at < trace->count; at += 90) {
			struct memory_trace part = *trace;
			part.options = bare;
			merge_part(&part, whole, versions, at, at + 90, &random, &again);
			if (again)
				merge_part(&part, whole, versions, at, at + 90, &random, &again);
		}
		size_t size = ear_memory_volatile_save(ear_memory_volatile(whole), NULL, 0);
		uint8_t *bytes = malloc(size);
		assert_int_equal(
			ear_memory_volatile_save(ear_memory_volatile(whole), bytes, size), size);
		assert_int_equal(ear_memory_volatile_load(&later, bytes, size), 0);
		/* What loads see after everything was forgotten is not compared. */
		bool forgotten = false;
		for (size_t i = 0; i < versions->count; i++)
			forgotten |= versions->all[i].forgotten;
		for (size_t i = 0, at = 0; i < versions->count && !forgotten; i++) {
			memory_trace_push(trace, with, at, versions->all[i].position, &random);
			at = versions->all[i].position;
			expect_lookup(versions, i, trace, later, with, seed);
			compared++;
		}
		contradicted += set->count > 0;
		ear_memory_volatile_free(set);
		ear_memory_volatile_free(later);
		ear_memory_free(with);
		ear_memory_free(whole);
		free_versions(versions);
		free(bytes);
		memory_trace_free(trace);
	}
	assert_above(contradicted, TRACES / 2);
	assert_above(compared, TRACES);
}

static void damaged_bytes_are_refused_or_give_a_set(void **state)
{
	(void)state;
	struct random random = {3};
	struct memory_trace *trace = memory_trace_new(&random, RECORDS, TRACE_ALONE | TRACE_ODD);
	struct ear_memory_options bare = trace->options;
	struct ear_memory_volatile *set;
	struct ear_memory_changes changes;
	struct ear_memory_loader loader;
	struct ear_memory_line line;

	bare.image_count = 0;
	struct ear_memory *memory = new_memory(&bare);
	memory_trace_push(trace, memory, 0, trace->count, &random);
	assert_int_equal(ear_memory_changes(memory, &changes), 0);
	size_t sizes[2] = {ear_memory_volatile_save(ear_memory_volatile(memory), NULL, 0),
		ear_memory_changes_save(&changes, NULL, 0)};
	for (unsigned what = 0; what < 2; what++) {
		uint8_t *bytes = malloc(sizes[what]);
		if (what == 0)
			ear_memory_volatile_save(ear_memory_volatile(memory), bytes, sizes[what]);
		else
			ear_memory_changes_save(&changes, bytes, sizes[what]);
		for (unsigned i = 0; i < 20000; i++) {
			size_t size = random_below(&random, 4) ? sizes[what]
							       : random_below(&random, sizes[what]);
			uint8_t *copy = malloc(size + (size == 0));
			memcpy(copy, bytes, size);
			if (size > 0 && size == sizes[what])
				copy[random_below(&random, size)] = (uint8_t)random_next(&random);
			if (what == 0 && ear_memory_volatile_load(&set, copy, size) == 0) {
				assert_at_least(sizes[what], size);
				ear_memory_volatile_free(set);
			} else if (what == 1 && ear_memory_changes_load(&loader, copy, size) == 0) {
				while (ear_memory_changes_next(&loader, &line) == 1)
					assert_int_equal(line.known & ~line.settled, 0);
			}
			free(copy);
		}
		free(bytes);
	}
	ear_memory_free(memory);
	memory_trace_free(trace);
}

static void what_is_expected_comes_back_from_bytes(void **state)
{
	(void)state;
	struct random random = {5};
	struct memory_trace *trace =
		memory_trace_new(&random, RECORDS, TRACE_HARTS | TRACE_FILTER | TRACE_GAPS);
	uint8_t bytes[2][256];

	for (size_t at = 0; at <= trace->count; at += 30) {
		struct ear_memory *memory = new_memory(&trace->options);
		memory_trace_push(trace, memory, 0, at, &random);
		size_t size = ear_memory_expected_save(memory, bytes[0], sizeof(bytes[0]));
		assert_at_most(size, sizeof(bytes[0]));
		struct ear_memory *other = new_memory(&trace->options);
		assert_int_equal(ear_memory_expected_load(other, bytes[0], size), 0);
		assert_int_equal(ear_memory_expected_save(other, bytes[1], sizeof(bytes[1])), size);
		assert_memory_equal(bytes[0], bytes[1], size);
		for (size_t cut = 0; cut < size; cut++)
			assert_int_equal(
				ear_memory_expected_load(other, bytes[0], cut), EAR_E_BAD_FILE);
		ear_memory_free(other);
		ear_memory_free(memory);
	}
	memory_trace_free(trace);
}

/* A spill in memory. */
struct store {
	uint8_t slots[4096][EAR_MEMORY_SLOT];
	unsigned writes, reads;
};

static int write_slot(void *context, uint64_t slot, const void *bytes)
{
	struct store *store = context;

	assert_below(slot, COUNT_OF(store->slots));
	memcpy(store->slots[slot], bytes, EAR_MEMORY_SLOT);
	store->writes++;
	return 0;
}

static int read_slot(void *context, uint64_t slot, void *bytes)
{
	struct store *store = context;

	memcpy(bytes, store->slots[slot], EAR_MEMORY_SLOT);
	store->reads++;
	return 0;
}

/* Loads and stores all over 2 MiB; with so little memory that most blocks are elsewhere. */
static void wander(struct ear_memory *memory, uint8_t *truth, struct random *random)
{
	for (size_t i = 0; i < 20000; i++) {
		size_t at = random_below(random, 2u << 20) & ~(size_t)7;
		struct ear_record_access access = {.address = 0x1000000 + at,
			.size = 8,
			.write = random_once_in(random, 2),
			.has_value = true,
			.value = random_next(random)};
		struct ear_record record = {
			.kind = EAR_RECORD_MEMORY, .memory = &access, .memory_count = 1};
		if (access.write)
			memcpy(truth + at, &access.value, 8);
		else
			memcpy(&access.value, truth + at, 8);
		assert_int_equal(ear_memory_push(memory, &record), 0);
	}
}

static void spilled_blocks_come_back(void **state)
{
	(void)state;
	struct store *store = calloc(1, sizeof(*store));
	struct ear_memory_spill spill = {write_slot, read_slot, store};
	uint8_t *truth = calloc(2, 1 << 20);
	struct ear_memory_options options[2] = {{.size_max = 400000, .spill = &spill}, {0}};
	struct ear_memory *memories[2];
	struct ear_memory_changes changes[2];
	struct random random;

	for (unsigned i = 0; i < 2; i++) {
		memories[i] = new_memory(&options[i]);
		memset(truth, 0, 2 << 20);
		for (unsigned round = 0; round < 3; round++) {
			random.state = 9 + round;
			wander(memories[i], truth, &random);
			assert_int_equal(ear_memory_changes(memories[i], &changes[i]), 0);
		}
	}
	assert_int_equal(changes[0].count, changes[1].count);
	assert_memory_equal(
		changes[0].lines, changes[1].lines, changes[0].count * sizeof(*changes[0].lines));
	assert_above(store->writes, 1000);
	assert_above(store->reads, 1000);
	assert_below(ear_memory_size(memories[0]), 6000000); /* the changes, most of it */
	assert_int_equal(ear_memory_overflows(memories[0]), 0);
	for (size_t at = 0; at < 2u << 20; at += 4096) {
		uint8_t bytes[2][4096];
		bool known[2][4096];
		for (unsigned i = 0; i < 2; i++)
			assert_at_least(ear_memory_read(memories[i], 0x1000000 + at, bytes[i],
						known[i], 4096),
				0);
		assert_memory_equal(bytes[0], bytes[1], 4096);
		assert_memory_equal(known[0], known[1], sizeof(known[0]));
		for (size_t i = 0; i < 4096; i++)
			if (known[0][i])
				assert_int_equal(bytes[0][i], truth[at + i]);
	}
	ear_memory_free(memories[0]);
	ear_memory_free(memories[1]);
	free(truth);
	free(store);
}

static void without_a_spill_a_full_memory_forgets_and_counts_it(void **state)
{
	(void)state;
	struct ear_memory_options options = {.size_max = 400000};
	struct ear_memory *memory = new_memory(&options);
	uint8_t *truth = calloc(2, 1 << 20), bytes[4096];
	bool known[4096];
	struct random random = {3};

	wander(memory, truth, &random);
	assert_above(ear_memory_overflows(memory), 2);
	assert_below(ear_memory_size(memory), 900000);
	int64_t count = 0;
	for (size_t at = 0; at < 2u << 20; at += 4096) {
		count += ear_memory_read(memory, 0x1000000 + at, bytes, known, 4096);
		for (size_t i = 0; i < 4096; i++)
			if (known[i])
				assert_int_equal(bytes[i], truth[at + i]);
	}
	assert_above(count, 0);
	ear_memory_free(memory);
	free(truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known_is_true_after_every_record),
		cmocka_unit_test(parts_put_together_say_the_same_as_one_pass),
		cmocka_unit_test(an_image_that_comes_later_is_not_trusted_more),
		cmocka_unit_test(damaged_bytes_are_refused_or_give_a_set),
		cmocka_unit_test(what_is_expected_comes_back_from_bytes),
		cmocka_unit_test(spilled_blocks_come_back),
		cmocka_unit_test(without_a_spill_a_full_memory_forgets_and_counts_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
