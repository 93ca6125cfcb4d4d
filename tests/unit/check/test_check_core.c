/* A bug in a core is found at the first record that shows it: a program runs on the simulator
 * twice, once with the bug. Up to the first entry of the retire port that differs the two are one
 * run, so there can be no violation; and that entry must be one.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>

#include "check/checker.h"
#include "decoder/codec/decoder.h"
#include "iss/faults.h"
#include "iss_bare.h"
#include "mixed_program.h"
#include "predict_stream.h"
#include "retire_random.h"

#define ENTRIES  4000u
#define PROGRAMS 300u

struct run {
	struct ear_retire entries[ENTRIES];
	struct byte_buffer stream;
};

struct found {
	uint64_t violations, first, records;
	unsigned rule;
	char text[EAR_VIOLATION_TEXT_MAX];
};

static void draw_bug(
	struct ear_iss_bug *bug, enum ear_iss_bug_kind kind, struct random *random, uint64_t seed)
{
	ear_iss_bug_draw(bug, kind, seed);
	/* Most stores are never read again, and most results have no sign to extend. */
	bool often = kind == EAR_ISS_BUG_STORE || kind == EAR_ISS_BUG_SIGN;
	bug->period = often ? 1 + (uint32_t)random_below(random, 6)
			    : 20 + (uint32_t)random_below(random, 200);
	bug->moment = 200 + random_below(random, 1000);
	bug->mask = 0x7c;
	bug->pattern &= bug->mask;
}

/* The program of this seed; bug NULL: on a good core. Returns how often the bug struck. */
static uint64_t run_program(
	struct run *run, unsigned xlen, uint64_t seed, const struct ear_iss_bug *bug)
{
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_LARGE), xlen, 64, false);
	struct random random = {seed * 91 + 3};
	struct ear_iss *iss = iss_bare_new(xlen, seed);
	struct predict_encoder encoder;

	mixed_program_write(iss, xlen, &random);
	if (bug)
		ear_iss_bug_set(iss, bug);
	predict_encoder_init(&encoder, &unit, &run->stream);
	for (size_t i = 0; i < ENTRIES; i++) {
		struct ear_retire *entry = &run->entries[i];

		assert_true(ear_iss_step(iss, entry));
		entry->order = i;
		if (entry->csr_count > unit.csr_slots)
			entry->csr_count = unit.csr_slots;
		ear_encoder_push(&encoder.encoder, entry, i);
	}
	ear_encoder_flush(&encoder.encoder);
	predict_encoder_fini(&encoder);
	uint64_t count = ear_iss_bug_count(iss);
	ear_iss_free(iss);
	return count;
}

static int note(void *context, const struct ear_violation *violation)
{
	struct found *found = context;

	if (found->violations++ == 0) {
		found->first = violation->number;
		found->rule = violation->rule;
		snprintf(found->text, sizeof(found->text), "%s", violation->text);
	}
	return 0;
}

struct sink {
	struct ear_checker *checker;
	uint64_t number;
};

static int take(void *context, const struct ear_record *record)
{
	struct sink *sink = context;
	uint64_t number = sink->number++;

	return ear_checker_push(sink->checker, record, number, number);
}

static void check(struct found *found, const struct run *run)
{
	static const struct ear_span devices[] = {
		{0x02000000, 0x0200ffff}, {0x10000000, 0x1001ffff}};
	const struct ear_checker_options options = {.captured = true,
		.devices = devices,
		.device_count = COUNT_OF(devices),
		.found = note,
		.context = found};
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	struct sink sink = {.number = 0};
	size_t used;

	assert_non_null(decoder);
	*found = (struct found){.violations = 0};
	assert_int_equal(ear_checker_new(&sink.checker, &options), 0);
	ear_decoder_init(decoder, take, &sink);
	decoder->with_reads = true;
	assert_int_equal(
		ear_decoder_push(decoder, &used, run->stream.bytes, run->stream.size, true), 0);
	found->records = sink.number;
	ear_decoder_fini(decoder);
	free(decoder);
	ear_checker_free(sink.checker);
}

static size_t first_difference(const struct run *a, const struct run *b)
{
	size_t at = 0;

	while (at < ENTRIES && !retire_difference(&a->entries[at], &b->entries[at]))
		at++;
	return at;
}

/* Was the register read or written before? If not, nobody knows what it held. */
static bool is_shown(const struct run *run, size_t before, unsigned reg)
{
	for (size_t i = 0; i < before; i++) {
		const struct ear_retire *entry = &run->entries[i];
		if (entry->rs1_addr == reg || entry->rs2_addr == reg || entry->rd_addr == reg)
			return true;
	}
	return false;
}

static void a_bug_in_a_core_is_found_where_it_first_shows(void **state)
{
	static struct run good, bad;
	unsigned found_count[EAR_ISS_BUG_KINDS] = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		unsigned xlen = seed & 1 ? 64 : 32;
		struct random random = {seed};
		struct found found;

		run_program(&good, xlen, seed, NULL);
		check(&found, &good);
		if (found.violations)
			fail_msg("program %u: record %u: %s", (unsigned)seed, (unsigned)found.first,
				found.text);
		for (unsigned kind = 1; kind < EAR_ISS_BUG_KINDS; kind++) {
			struct ear_iss_bug bug;

			draw_bug(&bug, (enum ear_iss_bug_kind)kind, &random, seed * 10 + kind);
			run_program(&bad, xlen, seed, &bug);
			size_t at = first_difference(&good, &bad);
			check(&found, &bad);
			byte_buffer_free(&bad.stream);
			if (at == ENTRIES) { /* it did not strike, or nothing looked */
				assert_int_equal(found.violations, 0);
				continue;
			}
			/* A store into the code may show before fence.i, or not. */
			if ((kind == EAR_ISS_BUG_UPSET && !is_shown(&good, at, bug.reg)) ||
				good.entries[at].insn != bad.entries[at].insn)
				continue;
			if (found.violations == 0 || found.first != at)
				fail_msg("program %u, RV%u, bug %s: entry %zu differs, the first "
					 "violation of %" PRIu64 " is record %" PRIu64 ": %s",
					(unsigned)seed, xlen,
					ear_iss_bug_name((enum ear_iss_bug_kind)kind), at,
					found.violations, found.first, found.text);
			found_count[kind]++;
		}
		byte_buffer_free(&good.stream);
	}
	for (unsigned kind = 1; kind < EAR_ISS_BUG_KINDS; kind++)
		if (found_count[kind] < 5)
			fail_msg("%u programs show the bug %s", found_count[kind],
				ear_iss_bug_name((enum ear_iss_bug_kind)kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bug_in_a_core_is_found_where_it_first_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
