/* The capture unit against the reference encoder and a plain model, in one configuration. */
#include <cstring>

#include "unit_model.h"

static const unsigned TIME_MODES = UNIT_TIME ? 3 : 1;

/* End a capture: the way is 0 by the host, 1 by the end of the program. */
static outcome finish(bench &b, const unit_model &model, unsigned way)
{
	if (way == 0) {
		b.send(EAR_CONTROL_WORD_WRITE, 0x77, EAR_REG_CONTROL, 0);
	} else {
		b.retiring = false;
		b.top->ended_i = 1; /* what retired in the clock before still counts */
	}
	b.wait_stop(2000000);
	b.run(500);
	b.top->ended_i = 0;
	b.retiring = false;
	outcome o = model_verify(b, model);
	if (way == 1)
		CHECK_EQUAL(o.retired, b.offers.size());
	CHECK_EQUAL(o.reason, way == 0 ? EAR_STOP_HOST : EAR_STOP_ENDED);
	return o;
}

static void every_byte_is_the_reference_encoders(void)
{
	for (unsigned i = 0; i < 12; i++) {
		bench b(100 + i);
		unit_model model;
		model.time_mode = i % TIME_MODES;
		model.drop = i % 4 == 3;
		b.ready_chance = i % 2 ? 1.0 : 0.6;
		b.retire_chance = i % 3 == 0 ? 0.05 : i % 3 == 1 ? 0.3 : 1.0;
		b.dense_chance = i % 5 == 0 ? 1.0 : 0.2;
		b.core_period = 5 + i % 7;
		b.link_period = 5 + i * 3 % 11;
		b.next_order = i == 4 ? 65536 - 20 : b.bits(64);
		b.enable(model.drop, model.time_mode);
		b.retiring = true;
		b.run(4000);
		outcome o = finish(b, model, i % 2);
		if (UNIT_STALL && !model.drop)
			CHECK_EQUAL(o.lost, 0);
		CHECK(o.delivered > 30);
	}
}

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(name) {#name, name}

static const test tests[] = {
	TEST(every_byte_is_the_reference_encoders),
};

/* Without arguments all tests, else those named. */
int main(int argc, char **argv)
{
	unsigned run = 0;

	for (const test &t : tests) {
		bool wanted = argc < 2;
		for (int i = 1; i < argc; i++)
			wanted |= std::strcmp(argv[i], t.name) == 0;
		if (!wanted)
			continue;
		std::fprintf(stderr, "%s\n", t.name);
		t.run();
		run++;
	}
	return run > 0 ? 0 : 1;
}
