/* A bug in a core is found at the first record that shows it: a program runs on the simulator
 * twice, once with the bug. Up to the first entry of the retire port that differs the two are one
 * run, so there can be no violation; and that entry must be one.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decoder/codec/decoder.h"
#include "iss/faults.h"
#include "iss_bare.h"
#include "library/check/checker.h"
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
	struct ear_check_counts counts;
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

/* All entries that it makes, changed by what the test wants, as a stream. */
typedef void spoil_entry(void *context, struct ear_retire *entry);

static void record_entries(
	struct run *run, struct ear_iss *iss, unsigned xlen, spoil_entry *spoil, void *context)
{
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_LARGE), xlen, 64, false);
	struct predict_encoder encoder;

	predict_encoder_init(&encoder, &unit, &run->stream);
	for (size_t i = 0; i < ENTRIES; i++) {
		struct ear_retire *entry = &run->entries[i];

		assert_true(ear_iss_step(iss, entry));
		entry->order = i;
		if (entry->csr_count > unit.csr_slots)
			entry->csr_count = unit.csr_slots;
		if (spoil)
			spoil(context, entry);
		ear_encoder_push(&encoder.encoder, entry, i);
	}
	ear_encoder_flush(&encoder.encoder);
	predict_encoder_fini(&encoder);
}

/* The program of this seed; bug NULL: on a good core. Returns how often the bug struck. */
static uint64_t run_program(
	struct run *run, unsigned xlen, uint64_t seed, const struct ear_iss_bug *bug)
{
	struct random random = {seed * 91 + 3};
	struct ear_iss *iss = iss_bare_new(xlen, seed);

	mixed_program_write(iss, xlen, &random);
	if (bug)
		ear_iss_bug_set(iss, bug);
	record_entries(run, iss, xlen, NULL, NULL);
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
	found->counts = *ear_checker_counts(sink.checker);
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

/* User mode -------------------------------------------------------------------------------------
 */

/* A handler for traps and one for the timer in machine mode, and a program in user mode that traps
 * in every way it can. */
static const uint32_t user_program[] = {
	0x00000297, /* auipc t0,0x0 */
	0x03428293, /* addi t0,t0,52 */
	0x30529073, /* csrrw zero,mtvec,t0 */
	0x00000297, /* auipc t0,0x0 */
	0x06c28293, /* addi t0,t0,108 */
	0x34129073, /* csrrw zero,mepc,t0 */
	0x08000293, /* addi t0,zero,128 */
	0x30429073, /* csrrw zero,mie,t0 */
	0x30029073, /* csrrw zero,mstatus,t0 */
	0x02004337, /* lui t1,0x2004 */
	0x00032223, /* sw zero,4(t1) */
	0x00032023, /* sw zero,0(t1) */
	0x30200073, /* mret */
	/* handler */
	0x340292f3, /* csrrw t0,mscratch,t0 */
	0x342022f3, /* csrrs t0,mcause,zero */
	0x0202c063, /* blt t0,zero,8000005c */
	0x341022f3, /* csrrs t0,mepc,zero */
	0x00428293, /* addi t0,t0,4 */
	0x34129073, /* csrrw zero,mepc,t0 */
	0x343022f3, /* csrrs t0,mtval,zero */
	0x300022f3, /* csrrs t0,mstatus,zero */
	0x340292f3, /* csrrw t0,mscratch,t0 */
	0x30200073, /* mret */
	/* of the timer */
	0x0200c337, /* lui t1,0x200c */
	0xff832283, /* lw t0,-8(t1) */
	0x02828293, /* addi t0,t0,40 */
	0x02004337, /* lui t1,0x2004 */
	0x00532023, /* sw t0,0(t1) */
	0x340292f3, /* csrrw t0,mscratch,t0 */
	0x30200073, /* mret */
	/* user mode */
	0x00000073, /* ecall */
	0x30002573, /* csrrs a0,mstatus,zero */
	0x00000597, /* auipc a1,0x0 */
	0x0005a603, /* lw a2,0(a1) */
	0x00368693, /* addi a3,a3,3 */
	0x40d5a023, /* sw a3,1024(a1) */
	0x00100073, /* ebreak */
	0x30200073, /* mret */
	0xfe1ff06f, /* jal zero,80000078 */
};

static void run_user_program(
	struct found *found, struct run *run, unsigned xlen, spoil_entry *spoil, void *context)
{
	struct ear_iss *iss = iss_bare_new(xlen, xlen);

	memcpy(ear_iss_memory(iss, EAR_ISS_MEMORY_BASE, sizeof(user_program)), user_program,
		sizeof(user_program));
	record_entries(run, iss, xlen, spoil, context);
	check(found, run);
	byte_buffer_free(&run->stream);
	ear_iss_free(iss);
}

static void a_program_in_user_mode_has_no_violation(void **state)
{
	static struct run run;

	(void)state;
	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		struct found found;

		run_user_program(&found, &run, xlen, NULL, NULL);
		if (found.violations)
			fail_msg("RV%u: record %u: %s", xlen, (unsigned)found.first, found.text);
		for (unsigned rule = EAR_CHECK_TRAP; rule <= EAR_CHECK_INTERRUPT; rule++)
			assert_at_least(found.counts.rules[rule].checked, 50);
	}
}

/* What is wrong in one entry of a kind. */
struct slip {
	bool of_trap, of_interrupt, of_mret; /* which entries */
	uint8_t mode;                        /* of the instruction */
	uint16_t csr;                        /* the one that is wrong; 0: the mode */
	uint64_t bits;
	unsigned rule;
	/* The search. */
	unsigned skip;
	uint64_t order;
	bool done;
};

#define MRET 0x30200073u

static void spoil_one(void *context, struct ear_retire *entry)
{
	struct slip *slip = context;
	bool trapped = entry->trap && !entry->irq;

	if (slip->done || entry->mode != slip->mode || trapped != slip->of_trap ||
		entry->irq != slip->of_interrupt ||
		(entry->insn == MRET && !entry->trap) != slip->of_mret || slip->skip-- > 0)
		return;
	slip->done = true;
	slip->order = entry->order;
	if (slip->csr == 0)
		entry->mode ^= (uint8_t)slip->bits;
	for (unsigned i = 0; i < entry->csr_count; i++)
		if (entry->csrs[i].number == slip->csr)
			entry->csrs[i].value ^= slip->bits;
}

static void what_is_wrong_of_modes_is_found_where_it_is(void **state)
{
	static const struct slip slips[] = {
		{.of_trap = true, .csr = 0x300, .bits = 0x800, .rule = EAR_CHECK_TRAP},
		{.of_trap = true, .csr = 0x300, .bits = 0x1800, .rule = EAR_CHECK_TRAP},
		{.of_trap = true, .csr = 0x300, .bits = 0x80, .rule = EAR_CHECK_TRAP},
		{.of_trap = true, .csr = 0x300, .bits = 0x8, .rule = EAR_CHECK_TRAP},
		{.of_trap = true, .csr = 0x341, .bits = 0x4, .rule = EAR_CHECK_TRAP},
		{.of_trap = true, .csr = 0x342, .bits = 0x1, .rule = EAR_CHECK_TRAP},
		{.of_trap = true, .csr = 0x343, .bits = 0x100000, .rule = EAR_CHECK_TRAP},
		{.of_interrupt = true, .csr = 0x300, .bits = 0x1800, .rule = EAR_CHECK_TRAP},
		{.of_interrupt = true, .csr = 0x343, .bits = 0x4, .rule = EAR_CHECK_TRAP},
		{.of_mret = true,
			.mode = 3,
			.csr = 0x300,
			.bits = 0x1800,
			.rule = EAR_CHECK_RETURN},
		{.of_mret = true, .mode = 3, .csr = 0x300, .bits = 0x80, .rule = EAR_CHECK_RETURN},
		{.of_mret = true, .mode = 3, .csr = 0x300, .bits = 0x8, .rule = EAR_CHECK_RETURN},
		{.bits = 3, .rule = EAR_CHECK_FLOW},
		{.mode = 3, .bits = 3, .rule = EAR_CHECK_FLOW},
	};
	static struct run run;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(slips); i++)
		for (unsigned skip = 5; skip < 45; skip += 4) {
			struct slip slip = slips[i];
			struct found found;

			slip.skip = skip;
			run_user_program(&found, &run, skip & 4 ? 64 : 32, spoil_one, &slip);
			if (!slip.done || found.violations == 0 || found.first != slip.order ||
				found.rule != slip.rule)
				fail_msg("slip %zu, number %u: record %u is wrong, found is "
					 "record %u: %s",
					i, skip, (unsigned)slip.order, (unsigned)found.first,
					found.text);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bug_in_a_core_is_found_where_it_first_shows),
		cmocka_unit_test(a_program_in_user_mode_has_no_violation),
		cmocka_unit_test(what_is_wrong_of_modes_is_found_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
