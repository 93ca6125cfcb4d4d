/* The capture unit in predict mode, one configuration: what programs retire, and cores that are
 * only imagined, against the reference encoder, byte for byte.
 */
#include <cstring>
#include <string>

#include "normal_form.h"
#include "retire_source.h"
#include "unit_model.h"

static std::string programs; /* the folder that they are in */
static uint64_t habit_records = 6000;

static const unsigned TIME_MODES = UNIT_TIME ? 3 : 1;

static retire_shape shape(void)
{
	return {UNIT_XLEN, UNIT_FLEN, UNIT_CSR_SLOTS, UNIT_PADDR != 0, UNIT_OPERANDS != 0};
}

static const ear_geometry *geometry(void)
{
	static ear_geometry g;
	ear_unit unit = unit_description(false, 0, false);

	CHECK_EQUAL(ear_geometry_parse(&g, unit.geometry), 0);
	return &g;
}

static retire_mix program_mix(const char *name)
{
	retire_mix mix;

	mix.program = programs + "/" + name + ".elf";
	mix.geometry = geometry();
	return mix;
}

static retire_mix imagined_mix(unsigned differs)
{
	retire_mix mix;

	mix.imagined = 1000;
	mix.differs = differs;
	mix.geometry = geometry();
	return mix;
}

static void attach(bench &b, retire_source &source)
{
	b.source = [&source](ear_retire *entry) { source.next(entry); };
	b.gap_chance = 0;
}

static outcome finish(bench &b, const unit_model &model, bool mirror = false)
{
	b.retiring = false;
	b.top->ended_i = 1;
	b.wait_stop(20000000);
	b.run(200);
	b.discard_replies();
	b.top->ended_i = 0;
	return model_verify(b, model, mirror);
}

static size_t count_kind(const bench &b, uint8_t kind)
{
	size_t count = 0;

	for (const heard &h : b.messages)
		count += h.message.kind == kind;
	return count;
}

/* Whole programs, or what of them fits into the time, at all speeds of core and link. */
static void every_byte_of_a_program_is_the_reference_encoders(void)
{
	static const char *const names[] = {UNIT_PROGRAMS};
	unsigned i = 0;

	for (const char *name : names) {
		retire_source source(shape(), program_mix(name), i);
		bench b(1000 + i);
		unit_model model;
		attach(b, source);
		model.time_mode = i % 4 == 3 ? 1 % TIME_MODES : 0;
		model.drop = !UNIT_STALL;
		b.retire_chance = UNIT_STALL ? 1.0 : 0.1;
		b.ready_chance = i % 3 == 2 ? 0.1 : 1.0;
		b.enable(model.drop, model.time_mode);
		b.retire_limit = 12000;
		b.retiring = true;
		CHECK(b.run_until([&] { return b.offers.size() >= b.retire_limit; }, 2000000));
		outcome o = finish(b, model);
		CHECK(o.delivered >= (UNIT_STALL ? 12000 : 6000));
		i++;
	}
}

/* Wrong fields in a program's entries, and noise between them. */
static void entries_with_faults_are_told_exactly(void)
{
	static const char *const names[] = {UNIT_PROGRAMS};

	for (unsigned i = 0; i < 6; i++) {
		retire_mix mix = program_mix(names[i % (sizeof(names) / sizeof(*names))]);
		mix.flips = i % 3 == 0 ? 300 : i % 3 == 1 ? 10000 : 200000;
		mix.noise = i % 2;
		mix.imagined = 100;
		retire_source source(shape(), mix, 70 + i);
		bench b(1100 + i);
		unit_model model;
		attach(b, source);
		model.time_mode = i % TIME_MODES;
		model.drop = !UNIT_STALL;
		b.retire_chance = i % 2 && UNIT_STALL ? 0.9 : 0.1;
		b.enable(model.drop, model.time_mode);
		b.retire_limit = 6000;
		b.retiring = true;
		CHECK(b.run_until([&] { return b.offers.size() >= b.retire_limit; }, 2000000));
		finish(b, model);
	}
}

/* Cores that do what is expected but for some fields: every set of fields differs now and then. */
static void any_set_of_fields_can_differ(void)
{
	for (unsigned i = 0; i < 8; i++) {
		retire_source source(shape(), imagined_mix(i % 2 ? 50 : 400), 80 + i);
		bench b(1200 + i);
		unit_model model;
		attach(b, source);
		model.time_mode = i % TIME_MODES;
		model.drop = UNIT_LOSS && i % 4 == 3;
		b.gap_chance = i % 4 == 1 ? 0.02 : 0;
		b.retire_chance = i % 3 ? 1.0 : 0.2;
		b.ready_chance = i % 3 == 2 ? 0.3 : 1.0;
		b.core_period = 5 + i % 7;
		b.link_period = 5 + i * 3 % 11;
		b.enable(model.drop, model.time_mode);
		b.retire_limit = 6000;
		b.retiring = true;
		CHECK(b.run_until([&] { return b.offers.size() >= b.retire_limit; }, 2000000));
		outcome o = finish(b, model);
		if (UNIT_STALL && !model.drop)
			CHECK_EQUAL(o.lost, 0);
	}
}

/* Policy drop on a slow link: the records after a gap are predicted from those before it. */
static void a_gap_costs_no_sync(void)
{
	uint64_t gaps = 0;

	if (!UNIT_LOSS)
		return;
	for (unsigned i = 0; i < 6; i++) {
		retire_mix mix = imagined_mix(200);
		mix.flips = 20000;
		retire_source source(shape(), mix, 90 + i);
		bench b(1300 + i);
		unit_model model;
		attach(b, source);
		model.drop = true;
		model.time_mode = i % TIME_MODES;
		b.retire_chance = 1.0;
		b.ready_chance = 0.05 + 0.05 * i;
		b.enable(true, model.time_mode);
		b.retiring = true;
		b.run(12000);
		outcome o = finish(b, model);
		gaps += o.gap_count;
		CHECK_EQUAL(count_kind(b, EAR_MSG_SYNC), 1);
	}
	CHECK(gaps > 20);
}

/* COMMAND.SYNC between other words, also right before the end and while nothing is captured. */
static void the_host_can_ask_for_a_hard_sync(void)
{
	retire_mix mix = imagined_mix(60);
	retire_source source(shape(), mix, 7);
	bench b(1400);
	size_t syncs = 0;

	for (unsigned i = 0; i < 4; i++) {
		unit_model model;
		attach(b, source);
		model.drop = !UNIT_STALL;
		model.time_mode = i % TIME_MODES;
		b.retire_chance = 0.5;
		b.ready_chance = i % 2 ? 1.0 : 0.4;
		b.write(EAR_REG_COMMAND, EAR_REG_COMMAND_SYNC_MASK);
		b.enable(model.drop, model.time_mode);
		b.retiring = true;
		for (unsigned n = 0; n < 12; n++) {
			b.run(unsigned(b.bits(n % 4 ? 9 : 13)));
			b.write(EAR_REG_COMMAND, n % 3 == 0   ? EAR_REG_COMMAND_SYNC_MASK
						 : n % 3 == 1 ? EAR_REG_COMMAND_SYNC_MASK |
									EAR_REG_COMMAND_FLUSH_MASK
							      : EAR_REG_COMMAND_SEND_UNIT_MASK);
		}
		if (i % 2) { /* nothing retires between this and STOP */
			b.retiring = false;
			b.run(2000);
			b.write(EAR_REG_COMMAND, EAR_REG_COMMAND_SYNC_MASK);
		}
		finish(b, model, true);
		syncs += count_kind(b, EAR_MSG_SYNC);
		CHECK(count_kind(b, EAR_MSG_CHECK) > 0);
	}
	CHECK(syncs > 16);
}

/* What is counted or held back goes out in time, and the frame ends after it. */
static void what_waits_is_flushed_in_time(void)
{
	retire_source source(shape(), imagined_mix(100), 8);
	bench b(1500);
	unit_model model;

	attach(b, source);
	model.drop = !UNIT_STALL;
	b.enable(model.drop, 0);
	if (UNIT_FLUSH_REGISTER)
		b.write(EAR_REG_FLUSH_CYCLES, 100);
	b.messages.clear();
	b.bytes.clear();
	b.retire_chance = 1.0;
	b.run(4000); /* a sweep of the predictor is over */
	for (unsigned n = 0; n < 40 && UNIT_FLUSH_REGISTER; n++) {
		b.retire_limit = b.offers.size() + 1 + b.bits(n % 2 ? 1 : 5);
		b.retiring = true;
		CHECK(b.run_until([&] { return b.offers.size() >= b.retire_limit; }, 10000));
		b.run(1000);
		CHECK_EQUAL(count_records(b), b.offers.size());
		CHECK(b.messages.back().frame_end);
	}
	finish(b, model, true);

	/* COMMAND.FLUSH does it at once; the reply comes after. */
	b.enable(model.drop, 0);
	for (unsigned n = 0; n < 20; n++) {
		b.retire_limit = b.offers.size() + 1 + b.bits(3);
		b.retiring = true;
		CHECK(b.run_until([&] { return b.offers.size() >= b.retire_limit; }, 10000));
		b.run(1000);
		b.write(EAR_REG_COMMAND, EAR_REG_COMMAND_FLUSH_MASK);
		CHECK_EQUAL(count_records(b), b.offers.size());
	}
	finish(b, model, true);
}

/* Messages that come now and then, here events, do not put it off: no record waits for longer than
 * FLUSH_CYCLES, and what the unit needs to send it. When nothing retires any more, that is sent
 * once and then nothing.
 */
static void no_record_waits_for_longer_than_flush_cycles(void)
{
	const uint32_t flush_cycles = 5000;
	const uint64_t sending = UNIT_NARROW == 2 ? 12000 : 1500;
	retire_source source(shape(), imagined_mix(0), 11);
	bench b(1550);
	unit_model model;

	if (!UNIT_FLUSH_REGISTER)
		return;
	attach(b, source);
	model.drop = !UNIT_STALL;
	b.retire_chance = UNIT_STALL ? 1.0 : 0.2;
	b.enable(model.drop, 0);
	b.write(EAR_REG_FLUSH_CYCLES, flush_cycles);
	b.messages.clear();
	b.bytes.clear();
	b.run(4000); /* a sweep of the predictor is over */
	b.retiring = true;
	uint64_t begin = b.ticks;
	size_t due = 0; /* entries that must have come */
	for (unsigned n = 0; b.ticks < begin + 60000; n++) {
		b.run(100);
		b.top->event_valid_i = n % 20 == 0;
		b.run(1);
		b.top->event_valid_i = 0;
		while (due < b.offers.size() &&
			b.offers[due].ticks + flush_cycles + sending < b.ticks)
			due++;
		CHECK(count_records(b) >= due);
	}
	CHECK(due > 5000);
	b.retiring = false;
	b.run(unsigned(flush_cycles + sending));
	CHECK_EQUAL(count_records(b), b.offers.size());
	size_t messages = b.messages.size();
	b.run(4 * flush_cycles);
	CHECK_EQUAL(b.messages.size(), messages);
	CHECK_EQUAL(finish(b, model, true).lost, 0);
}

/* A CHECK after 65536 records, a RUN of 65535; and how fast it is when all is as predicted. */
static void long_runs_go_at_full_speed(void)
{
	retire_source source(shape(), imagined_mix(0), 9);
	bench b(1600);
	unit_model model;
	const uint64_t records = 140000;

	attach(b, source);
	model.drop = !UNIT_STALL;
	b.retire_chance = UNIT_STALL ? 1.0 : 0.2;
	b.link_period = 4;
	b.enable(model.drop, 0);
	b.run(20000); /* a sweep of the predictor is over */
	b.retire_limit = records;
	b.retiring = true;
	uint64_t before = b.clocks;
	CHECK(b.run_until([&] { return b.offers.size() >= records; }, 20 * records));
	double clocks = double(b.clocks - before) / double(records) * UNIT_NRET;
	outcome o = finish(b, model);
	std::fprintf(stderr, "  %.4f clocks a record\n", clocks);
	CHECK_EQUAL(o.lost, 0);
	CHECK_EQUAL(count_kind(b, EAR_MSG_CHECK), 3);
	/* Of one record in a register the core waits for the end. */
	double most = UNIT_PREDICT_PIPELINED ? 1.02 : UNIT_RECORD_FIFO == 1 ? 4.1 : 4.0;
	if (UNIT_STALL && UNIT_NRET == 1)
		CHECK(clocks < most);
}

static void count_bytes(void *context, const uint8_t *, size_t size)
{
	*static_cast<uint64_t *>(context) += size;
}

/* Bits an instruction that the reference encoder needs for a program's entries, as a port shows
 * them. */
static double encoder_bits(
	retire_source &source, uint64_t records, const std::function<void(ear_retire *)> &shows)
{
	ear_unit unit = unit_description(false, 0, false);
	ear_predictor predictor;
	ear_encoder encoder;
	uint64_t bytes = 0;

	ear_encoder_init(&encoder, &unit, count_bytes, &bytes);
	CHECK_EQUAL(ear_predictor_init(&predictor, &unit, geometry()), 0);
	ear_encoder_predict(&encoder, &predictor);
	for (uint64_t i = 0; i < records; i++) {
		ear_retire entry;
		source.next(&entry);
		entry.order = i;
		shows(&entry);
		ear_encoder_push(&encoder, &entry, 0);
	}
	ear_encoder_flush(&encoder);
	ear_predictor_fini(&predictor);
	return 8.0 * double(bytes) / double(records);
}

/* The ports of real cores (normal_form.h): the unit makes of what they show the entries that
 * docs/retire-port.md, section 2, asks for, so nothing differs from the prediction because of them.
 */
static void the_habits_of_real_ports_cost_nothing(void)
{
	static const char *const own[] = {UNIT_PROGRAMS};
	static const char *const names[] = {"crc32", "sha256", "alu", "strings"};
	struct habit {
		const char *name;
		void (core_port::*show)(ear_retire *);
	};
	static const habit habits[] = {{"Ibex", &core_port::ibex},
		{"PicoRV32", &core_port::picorv32}, {"SERV", &core_port::serv},
		{"NERV", &core_port::nerv}};

	if (!UNIT_NORMALIZE || !UNIT_OPCODE_READS)
		return;
	std::fprintf(stderr, "  %-8s %-8s %8s %8s %8s\n", "port", "program", "as shown", "through",
		"ideal");
	for (const habit &h : habits) {
		double all_shown = 0, all_best = 0;
		for (unsigned i = 0; i < (UNIT_XLEN == 32 ? 4 : 2); i++) {
			const char *name = UNIT_XLEN == 32 ? names[i] : own[i];
			retire_source source(shape(), program_mix(name), 40 + i);
			core_port port;
			bench b(1700 + i);
			unit_model model;
			b.source = [&](ear_retire *entry) {
				source.next(entry);
				entry->csr_count = 0; /* none of these ports lists them */
			};
			b.gap_chance = 0;
			b.shows = [&](ear_retire *entry) { (port.*h.show)(entry); };
			model.drop = !UNIT_STALL;
			b.retire_chance = UNIT_STALL ? 1.0 : 0.1;
			b.enable(model.drop, 0);
			b.retire_limit = habit_records;
			b.retiring = true;
			CHECK(b.run_until([&] { return b.offers.size() >= b.retire_limit; },
				200 * habit_records));
			finish(b, model); /* compares with what the entries should be */
			double through = 8.0 * double(b.bytes.size()) / double(habit_records);

			retire_source again(shape(), program_mix(name), 40 + i);
			retire_source ideal(shape(), program_mix(name), 40 + i);
			core_port second;
			double shown = encoder_bits(again, habit_records, [&](ear_retire *entry) {
				entry->csr_count = 0;
				(second.*h.show)(entry);
			});
			double best = encoder_bits(ideal, habit_records,
				[](ear_retire *entry) { entry->csr_count = 0; });
			std::fprintf(stderr, "  %-8s %-8s %8.4g %8.4g %8.4g\n", h.name, name, shown,
				through, best);
			/* UNIT, SYNC, STOP and what is around them. */
			CHECK((through - best) * double(habit_records) < 8 * 200);
			all_shown += shown;
			all_best += best;
		}
		CHECK(all_shown > 1.5 * all_best); /* there was something to mend */
	}
}

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(name) \
	{ \
#name, name \
	}

static const test tests[] = {
	TEST(any_set_of_fields_can_differ),
	TEST(a_gap_costs_no_sync),
	TEST(the_host_can_ask_for_a_hard_sync),
	TEST(what_waits_is_flushed_in_time),
	TEST(no_record_waits_for_longer_than_flush_cycles),
	TEST(every_byte_of_a_program_is_the_reference_encoders),
	TEST(entries_with_faults_are_told_exactly),
	TEST(long_runs_go_at_full_speed),
	TEST(the_habits_of_real_ports_cost_nothing),
};

/* test_unit_predict PROGRAMS [--records=N] [TEST...]: without tests all of them. N: how long
 * the_habits_of_real_ports_cost_nothing continues.
 */
int main(int argc, char **argv)
{
	unsigned run = 0;

	if (argc < 2)
		return 2;
	programs = argv[1];
	if (argc > 2 && std::strncmp(argv[2], "--records=", 10) == 0) {
		habit_records = std::strtoull(argv[2] + 10, nullptr, 10);
		argv++;
		argc--;
	}
	for (const test &t : tests) {
		bool wanted = argc < 3;
		for (int i = 2; i < argc; i++)
			wanted |= std::strcmp(argv[i], t.name) == 0;
		if (!wanted)
			continue;
		std::fprintf(stderr, "%s\n", t.name);
		t.run();
		run++;
	}
	return run > 0 ? 0 : 1;
}
