/* The capture unit against the reference encoder and a plain model, in one configuration. */
#include <algorithm>
#include <cstring>

#include "unit_model.h"

static const unsigned TIME_MODES = UNIT_TIME ? 3 : 1;
static const uint32_t FLUSH_CYCLES = UNIT_PREDICT ? 1048576 : 1024; /* after reset */
static const uint64_t PREDICTOR_ENTRIES = 4;                        /* that it can hold */

/* End a capture: the way is 0 by the host, 1 by the end of the program. */
static outcome finish(bench &b, const unit_model &model, unsigned way, bool mirror = false)
{
	if (way == 0) {
		b.send(EAR_CONTROL_WORD_WRITE, 0x77, EAR_REG_CONTROL, 0);
	} else {
		b.retiring = false;
		b.top->ended_i = 1; /* what retired in the clock before still counts */
	}
	b.wait_stop(2000000);
	/* At once: a trigger may have been faster than the host, whose reply then comes after. */
	outcome o = model_verify(b, model, mirror);
	b.run(500);
	b.discard_replies();
	b.top->ended_i = 0;
	b.retiring = false;
	if (o.reason == EAR_STOP_TRIGGER) /* it came first; model_verify knows whether it should */
		return o;
	if (way == 1)
		CHECK_EQUAL(o.retired, b.offers.size());
	CHECK_EQUAL(o.reason, way == 0 ? EAR_STOP_HOST : EAR_STOP_ENDED);
	return o;
}

/* The policy of a unit that is asked to drop or not: without LOSS it never does. */
static bool can_drop(bool asked)
{
	return asked && UNIT_LOSS;
}

static void every_byte_is_the_reference_encoders(void)
{
	for (unsigned i = 0; i < 12; i++) {
		bench b(100 + i);
		unit_model model;
		model.time_mode = i % TIME_MODES;
		model.drop = can_drop(i % 4 == 3);
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

/* Policy drop on a slow link, in all ways of stopping: in the middle of a gap, too. */
static void every_dropped_record_is_accounted_for(void)
{
	if (!UNIT_LOSS)
		return;
	uint64_t gaps = 0;

	for (unsigned i = 0; i < 16; i++) {
		bench b(200 + i);
		unit_model model;
		model.drop = can_drop(true);
		model.time_mode = i % TIME_MODES;
		b.ready_chance = i % 4 == 0 ? 1.0 : 0.3 / (i % 4);
		b.retire_chance = i % 3 == 0 ? 1.0 : 0.15;
		b.link_period = 7 + i % 5 * 4;
		b.enable(true, model.time_mode);
		b.retiring = true;
		b.run(6000 + unsigned(b.bits(8)));
		outcome o = finish(b, model, i % 2);
		gaps += o.gap_count;
		/* A gap ends when the FIFO is empty, so a good part of it goes through before the
		 * next. */
		if (o.gap_count > 1)
			CHECK(o.delivered >= (o.gap_count - 1) * (UNIT_RECORD_FIFO - 1));
	}
	CHECK(gaps > 20);
}

/* A core that does not stop for stall_o: the loss is reported, not hidden. */
static void a_core_that_ignores_stall_loses_openly(void)
{
	if (!UNIT_STALL || !UNIT_LOSS)
		return;
	bench b(300);
	unit_model model;
	b.honour_stall = false;
	b.ready_chance = 0.2;
	b.retire_chance = 1.0;
	b.enable(false, 0);
	b.retiring = true;
	b.run(3000);
	CHECK(finish(b, model, 1).lost > 0);
	CHECK(b.stalled_clocks > 0);
}

/* A core that stops later than STALL_SLACK says loses what came too late. It is held then until the
 * gap has ended, and so loses no more.
 */
static void a_core_that_stops_too_late_loses_only_what_came_too_late(void)
{
	if (!UNIT_STALL || !UNIT_LOSS || UNIT_RECORD_FIFO == 1)
		return;
	bench b(301);
	unit_model model;
	b.late_entries = UNIT_RECORD_FIFO / 2;
	b.stall_break = 1.0;
	b.ready_chance = 0.2;
	b.retire_chance = 1.0;
	b.dense_chance = 1.0;
	b.enable(false, 0);
	b.retiring = true;
	b.run(20000);
	outcome o = finish(b, model, 1);
	std::fprintf(stderr, "  %llu of %llu records lost in %llu gaps\n",
		(unsigned long long)o.lost, (unsigned long long)o.retired,
		(unsigned long long)o.gap_count);
	CHECK(o.gap_count > 2);
	CHECK(o.lost <= o.gap_count * b.late_entries);
}

/* Bytes that the link took while each gap was open: from the first lost entry to the first one
 * after. */
static std::vector<uint64_t> drained_in_gaps(const bench &b)
{
	std::vector<uint64_t> drained;
	std::map<uint64_t, size_t> index;

	for (size_t i = 0; i < b.offers.size(); i++)
		index[b.offers[i].entry.order] = i;
	for (const heard &h : b.messages) {
		if (h.message.kind != EAR_MSG_LOST || h.records)
			continue;
		size_t after = index.at(h.message.u.lost.last) + 1;
		if (after < b.offers.size())
			drained.push_back(b.offers[after].sent -
					  b.offers[index.at(h.message.u.lost.first)].sent);
	}
	return drained;
}

/* Policy drop: a gap ends when the payload buffer has drained to the mark in register RESUME, and
 * not later: as soon as the FIFO is empty too. The buffer is full when a gap begins, because the
 * link is slow.
 */
static void a_gap_ends_when_the_payload_buffer_has_drained_to_the_mark(void)
{
	static const uint64_t SLOP = 160; /* on the way to the link, and what the framer adds */
	static const uint64_t marks[] = {UNIT_PAYLOAD_BYTES / 128, 0, UNIT_PAYLOAD_BYTES / 256,
		UNIT_PAYLOAD_BYTES / 64 - 1, UINT16_MAX};

	for (uint64_t mark : marks) {
		/* The first mark is the one after reset. */
		if (!UNIT_LOSS || (!UNIT_RESUME_REGISTER && mark != marks[0]))
			return;
		bench b(310);
		unit_model model;
		model.drop = true;
		b.gap_chance = 0;
		b.ready_chance = 0.05;
		b.retire_chance = 0.04;
		b.enable(true, 0);
		if (UNIT_RESUME_REGISTER)
			b.write(EAR_REG_RESUME, uint32_t(mark));
		b.messages.clear();
		b.bytes.clear();
		b.retiring = true;
		b.run(20 * UNIT_PAYLOAD_BYTES + 8000);
		outcome o = finish(b, model, 1);
		/* An unfinished frame does not drain. */
		uint64_t rest = std::max(64 * mark, uint64_t(EAR_FRAME_SIZE_MAX));
		uint64_t full = UNIT_PAYLOAD_BYTES;
		uint64_t least = full > rest + SLOP ? full - rest - SLOP : 0;
		/* What the FIFO holds goes through the buffer while it drains. */
		uint64_t stored =
			2 * (UNIT_RECORD_FIFO + PREDICTOR_ENTRIES) * b.bytes.size() / o.delivered;
		uint64_t most = (full > 64 * mark ? full - 64 * mark : 0) + stored + SLOP;
		CHECK(o.gap_count >= 2);
		for (uint64_t drained : drained_in_gaps(b)) {
			CHECK(drained >= least);
			CHECK(drained <= most);
		}
	}
}

/* The port offers an entry in every clock in which the core is not held. */
static void stall_loses_nothing_while_nine_words_flow_in_ten_clocks(void)
{
	if (!UNIT_STALL || UNIT_PREDICT) /* test_unit_predict has a measure of its own */
		return;
	bench b(310);
	unit_model model;
	b.retire_chance = 1.0;
	b.dense_chance = 0.5;
	b.link_period = 4;
	b.enable(false, 0);
	b.retiring = true;
	b.run(2000);
	size_t before = b.bytes.size();
	b.run(20000);
	double words = double(b.bytes.size() - before) / 4 / 20000;
	std::fprintf(stderr, "  %.3f words a clock\n", words);
	CHECK(words > (UNIT_NARROW == 2 ? 0.02 : UNIT_NARROW ? 0.60 : 0.90));
	CHECK_EQUAL(finish(b, model, 0).lost, 0);
}

static void records_go_on_after_the_order_wraps_16_bits(void)
{
	bench b(320);
	unit_model model;
	model.drop = can_drop(true);
	model.time_mode = TIME_MODES - 1;
	b.gap_chance = 0;
	b.retire_chance = UNIT_NARROW == 2 ? 0.001 : 0.02;
	b.next_order = 3 * 65536 - 50;
	b.enable(true, model.time_mode);
	b.retiring = true;
	b.retire_limit = 200;
	b.run(UNIT_NARROW == 2 ? 400000 : 20000);
	outcome o = finish(b, model, 1);
	CHECK_EQUAL(o.delivered, 200);
	unsigned syncs = 0;
	for (const heard &h : b.messages)
		syncs += h.message.kind == EAR_MSG_SYNC;
	CHECK_EQUAL(syncs, UNIT_PREDICT ? 1 : 2);
}

/* A trigger of a kind that looks at records, likely to fire on few of many. */
static trigger_model random_trigger(bench &b, unsigned kind)
{
	trigger_model t;
	t.kind = kind;
	t.reads = b.chance(0.7);
	t.writes = b.chance(0.7);
	switch (kind) {
	case EAR_TRIGGER_PC:
		t.value = b.bits(8);
		t.mask = b.chance(0.5) ? 0xFE : UINT64_MAX;
		break;
	case EAR_TRIGGER_OPCODE:
		t.value = b.bits(32);
		t.mask = 0x3F;
		break;
	case EAR_TRIGGER_ADDRESS:
	case EAR_TRIGGER_ADDRESS_DATA:
		t.value = b.bits(7);
		t.mask = t.value + b.bits(3);
		t.data = b.bits(64);
		t.data_mask = b.bits(2);
		break;
	case EAR_TRIGGER_RECORDS: t.value = b.bits(b.chance(0.3) ? 1 : 8); break;
	default: break;
	}
	return t;
}

static void triggers_fire_on_the_record_that_the_model_says(void)
{
	static const unsigned kinds[] = {EAR_TRIGGER_NONE, EAR_TRIGGER_PC, EAR_TRIGGER_OPCODE,
		EAR_TRIGGER_ADDRESS, EAR_TRIGGER_ADDRESS_DATA, EAR_TRIGGER_RECORDS};
	unsigned fired = 0;

	if (!UNIT_TRIGGER)
		return;
	bench b(400);
	b.pc_bits = 7;
	for (unsigned i = 0; i < 72; i++) {
		unit_model model;
		model.drop = can_drop(i % 5 == 0);
		model.time_mode = i / 3 % TIME_MODES;
		model.start = random_trigger(b, kinds[i % 6]);
		model.stop = random_trigger(b, kinds[i / 6 % 6]);
		b.retire_chance = i % 2 ? 0.8 : 0.1;
		model_configure(b, model);
		b.enable(model.drop, model.time_mode);
		b.retiring = true;
		bool stopped = b.run_until(
			[&] {
				return !b.messages.empty() &&
				       b.messages.back().message.kind == EAR_MSG_STOP;
			},
			4000);
		if (!stopped) {
			finish(b, model, i % 4 == 0);
			continue;
		}
		b.retiring = false;
		b.run(50);
		outcome o = model_verify(b, model);
		CHECK_EQUAL(o.reason, EAR_STOP_TRIGGER);
		CHECK_EQUAL(b.read(EAR_REG_CONTROL) & EAR_REG_CONTROL_ENABLE_MASK, 0);
		fired++;
	}
	CHECK(fired > 30);
}

static void the_filter_passes_what_the_model_says(void)
{
	uint64_t passed = 0, held = 0;

	if (!UNIT_FILTER)
		return;
	bench b(500);
	b.pc_bits = 9;
	for (unsigned i = 0; i < 24; i++) {
		unit_model model;
		model.drop = can_drop(i % 4 == 3);
		model.time_mode = i % TIME_MODES;
		model.filter = uint32_t(b.bits(8) | (b.bits(4) | b.bits(4)) << 8);
		for (unsigned r = 0; r < 4; r++) {
			model.low[r] = b.bits(10);
			model.high[r] = model.low[r] + b.bits(8);
		}
		if (UNIT_TRIGGER && i % 3 == 0)
			model.start = random_trigger(b, EAR_TRIGGER_PC);
		model_configure(b, model);
		b.enable(model.drop, model.time_mode);
		b.retiring = true;
		b.run(1500);
		outcome o = finish(b, model, i % 2);
		passed += o.delivered;
		held += o.filtered;
	}
	CHECK(passed > 500 && held > 500);
}

static size_t count_kind(const bench &b, uint8_t kind)
{
	size_t count = 0;

	for (const heard &h : b.messages)
		count += h.message.kind == kind;
	return count;
}

/* CYCLES and PIN fire on a clock: with an entry in every clock the statistics shows which. */
static void clock_triggers_fire_on_their_clock(void)
{
	if (!UNIT_TRIGGER)
		return;
	bench b(600);
	b.retire_chance = 1.0;
	b.dense_chance = 0;

	for (uint64_t cycles : {1, 2, 77, 300}) {
		b.write(EAR_REG_START, EAR_TRIGGER_NONE);
		b.write(EAR_REG_STOP, EAR_TRIGGER_CYCLES);
		b.write64(EAR_REG_STOP + EAR_TRIGGER_REG_VALUE_LO, cycles);
		b.retiring = true;
		b.write(EAR_REG_CONTROL, EAR_REG_CONTROL_ENABLE_MASK | EAR_REG_CONTROL_DROP_MASK);
		ear_message stop = b.wait_stop(20000);
		CHECK_EQUAL(stop.u.stop.reason, EAR_STOP_TRIGGER);
		CHECK_EQUAL(stop.u.stop.retired, cycles * UNIT_NRET);
		b.messages.clear();
	}

	/* The pin starts a capture; until then everything is filtered. A second time it stops one.
	 */
	b.write(EAR_REG_START, EAR_TRIGGER_PIN);
	b.write(EAR_REG_STOP, EAR_TRIGGER_NONE);
	b.messages.clear();
	b.write(EAR_REG_CONTROL, EAR_REG_CONTROL_ENABLE_MASK | EAR_REG_CONTROL_DROP_MASK);
	b.run(100);
	CHECK_EQUAL(b.read(EAR_REG_STATUS), EAR_REG_STATUS_ARMED_MASK);
	CHECK_EQUAL(count_records(b), 0);
	b.top->trigger_i = 1;
	b.run(300);
	b.top->trigger_i = 0;
	CHECK(b.read(EAR_REG_STATUS) & EAR_REG_STATUS_CAPTURING_MASK);
	b.write(EAR_REG_STOP, EAR_TRIGGER_PIN);
	b.top->trigger_i = 1;
	ear_message stop = b.wait_stop(20000);
	CHECK_EQUAL(stop.u.stop.reason, EAR_STOP_TRIGGER);
	CHECK(stop.u.stop.filtered > 100 * UNIT_NRET);
	CHECK_EQUAL(stop.u.stop.retired,
		stop.u.stop.delivered + stop.u.stop.lost + stop.u.stop.filtered);
	CHECK_EQUAL(count_kind(b, EAR_MSG_EVENT), 2);
	b.top->trigger_i = 0;
}

/* While the core is held no time goes by: neither for the times of records (model_verify has held
 * them against the reference) nor for a trigger on clocks.
 */
static void a_held_core_is_counted_and_takes_no_time(void)
{
	if (!COUNTS_HELD)
		return;
	for (unsigned i = 0; i < 6; i++) {
		bench b(620 + i);
		unit_model model;
		model.time_mode = TIME_MODES - 1;
		b.retire_chance = i % 2 ? 1.0 : 0.2;
		b.ready_chance = i % 3 ? 0.1 : 0.5;
		b.enable(false, model.time_mode);
		b.retiring = true;
		b.run(6000);
		outcome o = finish(b, model, i % 2);
		CHECK_EQUAL(o.lost, 0);
		CHECK(i % 2 == 0 || o.held > 500);
	}
	if (!UNIT_TRIGGER || UNIT_STALL_SLACK)
		return;
	for (uint64_t cycles : {100, 1000}) {
		bench b(630);
		b.retire_chance = 1.0;
		b.ready_chance = 0.1;
		b.write(EAR_REG_STOP, EAR_TRIGGER_CYCLES);
		b.write64(EAR_REG_STOP + EAR_TRIGGER_REG_VALUE_LO, cycles);
		b.retiring = true;
		b.write(EAR_REG_CONTROL, EAR_REG_CONTROL_ENABLE_MASK);
		ear_message stop = b.wait_stop(400000);
		CHECK_EQUAL(stop.u.stop.reason, EAR_STOP_TRIGGER);
		CHECK_EQUAL(stop.u.stop.retired, cycles * UNIT_NRET);
	}
}

/* Stores to the event port between the entries, at any pace of the link, with and without a filter:
 * each is an event right before its store, lost ones are counted, and the bytes are the reference
 * encoder's.
 */
static void port_events_come_before_their_stores(void)
{
	uint64_t sent = 0, lost = 0, brief = 0;

	if (!UNIT_EVENT_PORT)
		return;
	for (unsigned i = 0; i < 24; i++) {
		bench b(1700 + i);
		unit_model model;
		model.time_mode = i % TIME_MODES;
		model.drop = can_drop(i % 3 == 2 || !UNIT_STALL);
		b.ready_chance = i % 4 == 0 ? 1.0 : 0.25 * (i % 4);
		b.retire_chance = i % 5 == 0 ? 0.05 : i % 5 == 1 ? 0.3 : 1.0;
		b.port_chance = i % 2 ? 0.5 : 0.1;
		b.core_period = 5 + i % 7;
		b.link_period = 5 + i * 3 % 11;
		if (UNIT_FILTER && i % 4 == 1) {
			b.pc_bits = 9;
			model.filter = 0x301;
			model.low[0] = 0x100;
			model.high[0] = 0x300;
		}
		model_configure(b, model);
		b.enable(model.drop, model.time_mode);
		b.retiring = true;
		b.run(3000);
		b.port_chance = 0;
		CHECK(b.run_until([&] { return !b.port_asks; }, 4000));
		b.run(10);
		uint64_t unknown = b.port_unknown;
		outcome o = finish(b, model, i % 2);
		if (!model.drop)
			CHECK_EQUAL(o.lost + o.port_lost, 0);
		CHECK_EQUAL(b.read(EAR_REG_EVENTS_LOST), o.port_lost);
		CHECK_EQUAL(b.read(EAR_REG_EVENTS_UNKNOWN), unknown);
		/* Where nothing is filtered or lost, predict mode needs the order of none. */
		if (UNIT_PREDICT && o.filtered + o.lost == 0)
			CHECK_EQUAL(o.port_short, o.port_events);
		sent += o.port_events;
		lost += o.port_lost;
		brief += o.port_short;
		b.enable(model.drop, model.time_mode); /* the next capture counts from 0 */
		CHECK_EQUAL(b.read(EAR_REG_EVENTS_LOST), 0);
		CHECK_EQUAL(b.read(EAR_REG_EVENTS_UNKNOWN), 0);
	}
	std::fprintf(stderr, "  %llu events, %llu of them as PORT, and %llu lost\n",
		(unsigned long long)sent, (unsigned long long)brief, (unsigned long long)lost);
	CHECK(sent > 300);
	CHECK(brief > sent / 20);
}

/* Reads are no events: ENABLE says whether a capture runs, everything else is 0. */
static void the_event_port_is_read(void)
{
	if (!UNIT_EVENT_PORT)
		return;
	bench b(1800);
	unit_model model;
	model.drop = can_drop(UNIT_STALL == 0);
	auto read = [&](unsigned offset) {
		b.top->port_address_i = uint16_t(offset);
		b.top->port_wmask_i = 0;
		b.port_asks = true;
		b.run(1);
		CHECK(!b.port_asks);
		uint32_t value = b.top->port_rdata_o;
		b.run(1);
		return value;
	};
	CHECK_EQUAL(read(4 * EAR_PORT_ENABLE), 0);
	b.enable(model.drop, 0);
	b.retiring = true;
	b.run(100);
	CHECK_EQUAL(read(4 * EAR_PORT_ENABLE), UNIT_EVENT_PORT > 1);
	CHECK_EQUAL(read(4 * EAR_PORT_SWITCH), 0);
	CHECK_EQUAL(read(0x1000 + 4 * EAR_PORT_ENABLE), 0);
	finish(b, model, 0);
	CHECK_EQUAL(read(4 * EAR_PORT_ENABLE), 0);
	/* A store while nothing is captured is forgotten. */
	b.top->port_address_i = 0x1000;
	b.top->port_wmask_i = 0xF;
	b.port_asks = true;
	b.run(1);
	CHECK(!b.port_asks);
	b.port_events.clear();
	b.enable(model.drop, 0);
	b.retiring = true;
	b.run(300);
	CHECK_EQUAL(finish(b, model, 0).port_events, 0);
}

struct expectation {
	uint16_t address;
	uint32_t reset;
	uint32_t writable; /* 0: read-only */
	bool there;
};

static void every_register_has_its_value_and_access(void)
{
	ear_unit unit = unit_description(false, 0, false);
	std::vector<expectation> all = {
		{EAR_REG_ID, EAR_ID_VALUE, 0, true},
		{EAR_REG_PROTOCOL, EAR_PROTOCOL_MAJOR << 16 | EAR_PROTOCOL_MINOR, 0, true},
		{EAR_REG_UNIT_VERSION, 0x0123, 0, true},
		{EAR_REG_SHAPE, UNIT_XLEN | UNIT_NRET << 8 | UNIT_FLEN << 16 | UNIT_CSR_SLOTS << 24,
			0, true},
		{EAR_REG_FEATURES, unit.features, 0, true},
		{EAR_REG_HART, 0x0305, 0, true},
		{EAR_REG_CLOCK_HZ, 50000000, 0, true},
		{EAR_REG_BUFFERS, unit.buffers, 0, true},
		{EAR_REG_CONTROL, 0, 0x2 | (UNIT_TIME ? 0xC : 0), true},
		{EAR_REG_STATUS, 0, 0, true},
		{EAR_REG_FLUSH_CYCLES, FLUSH_CYCLES, UINT32_MAX, true},
		{EAR_REG_RESUME, UNIT_PAYLOAD_BYTES / 128, UNIT_RESUME_REGISTER ? UINT16_MAX : 0,
			UNIT_LOSS},
		{EAR_REG_CORE, UNIT_RESET_HOLD, 3, UNIT_CORE},
		{EAR_REG_TEST_NUMBER, 0, UINT32_MAX, UNIT_TEST},
		{EAR_REG_BOOT, 0, UINT32_MAX, UNIT_LOAD},
		{EAR_REG_LOAD_BASE, 0, 0xFFFF8000, UNIT_LOAD},
		{EAR_REG_FILTER, 0xF00, 0xFFF, UNIT_FILTER},
		{EAR_REG_EVENT_PORT, 1 | (UNIT_EVENT_PORT > 1) << 1 | UNIT_EVENT_STRINGS << 2, 0,
			UNIT_EVENT_PORT != 0},
		{EAR_REG_EVENTS_LOST, 0, 0, UNIT_EVENT_PORT != 0},
		{EAR_REG_EVENTS_UNKNOWN, 0, 0, UNIT_EVENT_PORT != 0},
	};
	for (uint16_t a : {EAR_REG_HELD_LO, EAR_REG_HELD_HI})
		all.push_back({a, 0, 0, COUNTS_HELD});
	bool clock_runs = UNIT_TIME && !UNIT_SNAPSHOT; /* then CYCLES has no value to expect */
	for (uint16_t a = EAR_REG_RETIRED_LO;
		a <= (clock_runs ? EAR_REG_FILTERED_HI : EAR_REG_CYCLES_HI); a += 4)
		all.push_back({a, 0, 0, true});
	uint32_t upper = UNIT_XLEN == 64 ? UINT32_MAX : 0;
	for (uint16_t a = EAR_REG_RANGE0; a <= EAR_REG_RANGE3 + 12; a += 4)
		all.push_back({a, 0, a & 4 ? upper : UINT32_MAX, UNIT_FILTER});
	for (uint16_t base : {EAR_REG_START, EAR_REG_STOP}) {
		all.push_back({base, 0, 0x30F, UNIT_TRIGGER});
		for (uint16_t a = EAR_TRIGGER_REG_VALUE_LO; a <= EAR_TRIGGER_REG_DATA_MASK_HI;
			a += 4)
			all.push_back({uint16_t(base + a), 0,
				a & 4 && a > EAR_TRIGGER_REG_VALUE_HI ? upper : UINT32_MAX,
				UNIT_TRIGGER});
	}

	bench b(700);
	std::vector<uint32_t> held(0x200, 0);
	for (const expectation &e : all) {
		ear_message reply = b.request(EAR_CONTROL_WORD_READ, e.address, 0);
		CHECK_EQUAL(
			reply.u.reply.status, e.there ? EAR_REPLY_OK : EAR_REPLY_UNKNOWN_REGISTER);
		CHECK_EQUAL(reply.u.reply.value, e.there ? e.reset : 0);
	}
	/* Write them all, then read them all: no two are the same flip-flops. */
	bool always_writable_upper = UNIT_XLEN == 32;
	for (const expectation &e : all) {
		bool register_of_32 =
			e.writable == 0 && always_writable_upper && e.address >= EAR_REG_RANGE0;
		uint32_t value = uint32_t(b.bits(32)) & ~1u;
		if (e.address == EAR_REG_CORE)
			value |= 1;
		ear_message reply = b.request(EAR_CONTROL_WORD_WRITE, e.address, value);
		held[e.address] = e.writable || register_of_32 ? value & e.writable : e.reset;
		CHECK_EQUAL(reply.u.reply.status, !e.there ? EAR_REPLY_UNKNOWN_REGISTER
						  : e.writable || register_of_32
							  ? EAR_REPLY_OK
							  : EAR_REPLY_READ_ONLY);
		CHECK_EQUAL(reply.u.reply.value, e.there ? held[e.address] : 0);
	}
	for (const expectation &e : all)
		if (e.there)
			CHECK_EQUAL(b.read(e.address), held[e.address]);
	if (UNIT_CORE) {
		CHECK_EQUAL(b.top->core_reset_o, held[EAR_REG_CORE] & 1);
		CHECK_EQUAL(b.top->core_halt_o, held[EAR_REG_CORE] >> 1);
	}
	CHECK_EQUAL(b.read(EAR_REG_COMMAND), 0);

	for (uint16_t a : {0x01, 0x22, 0x35, 0x3E, 0x78, 0x7FFC, 0x8002, 0x8C, 0xE0, 0x104, 0x128,
		     0x144, 0x180})
		CHECK_EQUAL(b.request(EAR_CONTROL_WORD_READ, a, 0).u.reply.status,
			EAR_REPLY_UNKNOWN_REGISTER);
	for (uint8_t operation : {0, 3, 255})
		CHECK_EQUAL(b.request(operation, EAR_REG_CORE, 0xFFFF).u.reply.status,
			EAR_REPLY_UNKNOWN_OPERATION);
}

static void a_damaged_control_word_is_not_answered_and_the_next_is(void)
{
	bench b(710);

	for (unsigned i = 0; i < 60; i++) {
		uint8_t word[EAR_CONTROL_WORD_SIZE];
		ear_control_word control = {EAR_CONTROL_WORD_WRITE, 0x55, EAR_REG_FLUSH_CYCLES, i};
		ear_control_word_build(word, &control);
		unsigned cut = i % 3 == 0 ? unsigned(b.bits(3)) + 1 : EAR_CONTROL_WORD_SIZE;
		if (cut == EAR_CONTROL_WORD_SIZE)
			word[b.bits(3) + b.bits(1)] ^= uint8_t(1 << b.bits(3));
		for (unsigned k = 0; k < i % 4; k++) /* noise, magic bytes among it */
			b.rx.push_back(b.chance(0.5) ? uint8_t(EAR_CONTROL_WORD_MAGIC) : 0x11);
		b.rx.insert(b.rx.end(), word, word + cut);
		/* The good word pushes the rest of the bad one out of the window. */
		CHECK_EQUAL(b.read(EAR_REG_ID), EAR_ID_VALUE);
	}
	CHECK_EQUAL(b.read(EAR_REG_FLUSH_CYCLES), FLUSH_CYCLES);
}

/* Words while records flow: each is answered, between messages, and the bytes stay right. */
static void the_host_is_answered_in_the_middle_of_a_capture(void)
{
	for (unsigned i = 0; i < 4; i++) {
		bench b(720 + i);
		unit_model model;
		model.drop = can_drop(i % 2);
		model.time_mode = i % TIME_MODES;
		b.ready_chance = i < 2 ? 1.0 : 0.3;
		b.enable(model.drop, model.time_mode);
		b.retiring = true;
		for (unsigned n = 0; n < 25; n++) {
			b.run(unsigned(b.bits(7)));
			switch (n % 4) {
			case 0: CHECK_EQUAL(b.read(EAR_REG_ID), EAR_ID_VALUE); break;
			case 1: b.write(EAR_REG_COMMAND, EAR_REG_COMMAND_SEND_UNIT_MASK); break;
			case 2: b.write(EAR_REG_COMMAND, EAR_REG_COMMAND_FLUSH_MASK); break;
			default:
				CHECK(b.read(EAR_REG_STATUS) & EAR_REG_STATUS_CAPTURING_MASK);
				/* What a running capture began with stays. */
				b.write(EAR_REG_CONTROL,
					b.read(EAR_REG_CONTROL) ^
						(EAR_REG_CONTROL_DROP_MASK |
							EAR_REG_CONTROL_TIME_MODE_MASK));
			}
		}
		finish(b, model, i % 2, UNIT_PREDICT);
		CHECK(count_kind(b, EAR_MSG_UNIT) >= 6);
	}
}

static uint64_t read64(bench &b, uint16_t address)
{
	return b.read(address) | uint64_t(b.read(uint16_t(address + 4))) << 32;
}

static void counters_are_read_at_one_instant_and_begin_anew(void)
{
	bench b(730);

	for (unsigned i = 0; i < 5; i++) {
		unit_model model;
		model.drop = can_drop(i % 2);
		b.ready_chance = i % 2 ? 0.2 : 1.0;
		b.retire_chance = 0.4;
		b.enable(model.drop, 0);
		b.retiring = true;
		b.run(2500);
		b.write(EAR_REG_COMMAND, EAR_REG_COMMAND_SNAPSHOT_MASK);
		uint64_t retired = read64(b, EAR_REG_RETIRED_LO);
		uint64_t inside = retired - read64(b, EAR_REG_DELIVERED_LO) -
				  read64(b, EAR_REG_LOST_LO) - read64(b, EAR_REG_FILTERED_LO);
		CHECK(retired > 0 && retired <= b.offers.size());
		if (UNIT_SNAPSHOT) {
			CHECK(inside <= UNIT_RECORD_FIFO + (UNIT_PREDICT ? PREDICTOR_ENTRIES : 0));
			CHECK_EQUAL(read64(b, EAR_REG_RETIRED_LO), retired);
		} else {
			CHECK(read64(b, EAR_REG_RETIRED_LO) > retired); /* it continues */
		}
		outcome o = finish(b, model, i % 3 == 0);
		uint64_t ticks = b.ticks;
		b.write(EAR_REG_COMMAND, EAR_REG_COMMAND_SNAPSHOT_MASK);
		CHECK_EQUAL(read64(b, EAR_REG_RETIRED_LO), o.retired);
		CHECK_EQUAL(read64(b, EAR_REG_DELIVERED_LO), o.delivered);
		CHECK_EQUAL(read64(b, EAR_REG_LOST_LO), o.lost);
		CHECK_EQUAL(read64(b, EAR_REG_FILTERED_LO), o.filtered);
		uint64_t cycles = read64(b, EAR_REG_CYCLES_LO);
		CHECK(UNIT_TIME ? cycles >= ticks && cycles < b.ticks : cycles == 0);
		CHECK(!COUNTS_HELD || read64(b, EAR_REG_HELD_LO) == o.held);
	}
}

/* The host stops while nothing can leave, and at once begins again: first everything of the old
 * capture comes, in order, up to its STOP. */
static void a_stop_under_a_blocked_link_still_drains_everything(void)
{
	for (unsigned i = 0; i < 4; i++) {
		bench b(740 + i);
		unit_model model;
		model.drop = can_drop(i % 2);
		b.retire_chance = 1.0;
		b.enable(model.drop, 0);
		b.ready_chance = 0;
		b.retiring = true;
		b.run(3000);
		uint32_t again = EAR_REG_CONTROL_ENABLE_MASK | EAR_REG_CONTROL_DROP_MASK;
		b.send(EAR_CONTROL_WORD_WRITE, 1, EAR_REG_CONTROL, 0);
		b.run(500);
		if (i >= 2)
			b.send(EAR_CONTROL_WORD_WRITE, 2, EAR_REG_CONTROL, again);
		b.run(500);
		b.ready_chance = 0.7;
		b.wait_stop(100000);
		outcome o = model_verify(b, model);
		if (UNIT_STALL)
			CHECK_EQUAL(o.lost > 0, model.drop);
		if (i < 2)
			continue;
		/* The second capture has its own statistics. */
		b.messages.clear();
		b.run(2000);
		CHECK(!b.messages.empty() && b.messages[0].message.kind == EAR_MSG_REPLY);
		b.retiring = false;
		b.send(EAR_CONTROL_WORD_WRITE, 3, EAR_REG_CONTROL, 0);
		ear_message stop = b.wait_stop(20000);
		CHECK_EQUAL(stop.u.stop.retired,
			stop.u.stop.delivered + stop.u.stop.lost + stop.u.stop.filtered);
		CHECK(stop.u.stop.retired > 0 && stop.u.stop.retired < b.offers.size());
	}
}

/* With FLUSH_CYCLES a lone record is on its way soon, and without it stays. */
static void an_idle_frame_is_flushed_in_time(void)
{
	bench b(750);
	unit_model model;
	model.drop = can_drop(true);
	b.retire_chance = 0.3;
	b.enable(true, 0);
	b.write(EAR_REG_FLUSH_CYCLES, 100);
	b.messages.clear();
	b.bytes.clear();
	for (unsigned n = 0; n < 20; n++) {
		size_t before = b.offers.size();
		b.retire_limit = before + 1 + b.bits(2);
		b.retiring = true;
		CHECK(b.run_until([&] { return b.offers.size() >= b.retire_limit; }, 1000));
		b.run(UNIT_NARROW == 2 ? 3000
				       : 600); /* 100 to wait, the rest for the words themselves */
		CHECK_EQUAL(count_records(b), b.offers.size());
	}
	b.top->ended_i = 1;
	b.wait_stop(1000);
	b.top->ended_i = 0;
	CHECK_EQUAL(model_verify(b, model, true).delivered, b.offers.size());

	b.retiring = false;
	b.run(100);
	b.enable(true, 0);
	b.retire_limit = 1;
	b.retiring = true;
	b.run(5000);
	CHECK_EQUAL(b.offers.size(), 1);
	CHECK_EQUAL(b.messages.size(), 0);
	finish(b, model, 1);
}

/* The system tells the end while instructions are still in the core's pipeline. */
static void what_retires_behind_the_end_is_in_the_capture(void)
{
	if (!UNIT_ENDED_CLOCKS)
		return;
	for (unsigned i = 0; i < 6; i++) {
		bench b(770 + i);
		unit_model model;
		model.drop = !UNIT_STALL;
		model.time_mode = i % TIME_MODES;
		b.retire_chance = i % 2 ? 1.0 : 0.1;
		b.ready_chance = i < 4 ? 1.0 : 0.01; /* a core that is held is not at its end */
		b.enable(model.drop, model.time_mode);
		b.retiring = true;
		b.run(500);
		b.top->ended_i = 1;
		b.run(1 + unsigned(b.bits(6)));
		outcome o = finish(b, model, 1); /* every entry that was offered is retired */
		CHECK_EQUAL(b.read(EAR_REG_CONTROL) & EAR_REG_CONTROL_ENABLE_MASK, 0);
		CHECK_EQUAL(o.reason, EAR_STOP_ENDED);
	}
}

/* A core that continues for ever is cut off, and STOP says so. */
static void a_core_that_goes_on_behind_its_end_is_told(void)
{
	if (!UNIT_ENDED_CLOCKS)
		return;
	bench b(780);
	unit_model model;
	model.drop = !UNIT_STALL;
	b.retire_chance = 0.3;
	b.enable(model.drop, 0);
	b.retiring = true;
	b.run(100);
	uint64_t before = b.clocks;
	b.top->ended_i = 1;
	b.wait_stop(200000);
	outcome o = model_verify(b, model);
	CHECK_EQUAL(o.reason, EAR_STOP_ENDED_BUSY);
	CHECK(b.clocks - before >= 16 * UNIT_ENDED_CLOCKS);
	/* A capture that begins now ends as soon as this is known. */
	b.retiring = false;
	b.run(500);
	b.discard_replies();
	b.messages.clear();
	b.write(EAR_REG_CONTROL, EAR_REG_CONTROL_ENABLE_MASK);
	CHECK_EQUAL(b.wait_stop(2000).u.stop.reason, EAR_STOP_ENDED);
}

static void events_stand_between_the_records(void)
{
	bench b(760);
	unit_model model;
	model.drop = can_drop(UNIT_STALL == 0);
	b.retire_chance = 1.0;
	CHECK(!b.top->event_ready_o); /* nothing is captured */
	b.enable(model.drop, 0);
	b.retiring = true;
	std::vector<uint32_t> sent;
	for (unsigned n = 0; n < 30; n++) {
		b.run(unsigned(b.bits(7)));
		CHECK(b.run_until([&] { return bool(b.top->event_ready_o); }, 4000));
		sent.push_back(uint32_t(b.bits(32)));
		b.top->event_data_i = sent.back();
		b.top->event_valid_i = 1;
		b.run(1);
		b.top->event_valid_i = 0;
	}
	finish(b, model, 0);
	size_t seen = 0;
	uint64_t last_order = 0;
	bool any_record = false;
	for (const heard &h : b.messages) {
		if (h.records) {
			any_record = true;
			continue;
		}
		if (h.message.kind != EAR_MSG_EVENT ||
			h.message.u.event.source == EAR_EVENT_HELD_LO ||
			h.message.u.event.source == EAR_EVENT_HELD_HI)
			continue;
		CHECK_EQUAL(h.message.u.event.source, EAR_EVENT_PORT);
		CHECK_EQUAL(h.message.u.event.value, sent.at(seen++));
		CHECK(h.message.u.event.order >= last_order);
		last_order = h.message.u.event.order;
	}
	CHECK(any_record);
	CHECK_EQUAL(seen, sent.size());
}

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(name) \
	{ \
#name, name \
	}

/* The messages that came, one number after the other, as the pattern says, with nothing else but
 * replies between them. Returns how many there were.
 */
static unsigned check_test_messages(bench &b, uint32_t *number)
{
	unsigned count = 0;

	for (const heard &h : b.messages) {
		CHECK(h.frame_end);
		if (h.message.kind == EAR_MSG_REPLY)
			continue;
		CHECK_EQUAL(h.message.kind, EAR_MSG_TEST);
		CHECK_EQUAL(h.message.u.test.number, *number);
		CHECK_EQUAL(h.message.u.test.word_count, EAR_TEST_WORDS);
		CHECK_EQUAL(h.message.u.test.changed_bits, 0);
		(*number)++;
		count++;
	}
	b.messages.clear();
	return count;
}

static void the_test_source_sends_its_pattern_until_it_is_switched_off(void)
{
	for (unsigned i = 0; i < 6 && UNIT_TEST; i++) {
		bench b(900 + i);
		uint32_t number = i % 2 ? 0xFFFFFFF0 + i : 0;
		b.ready_chance = i % 3 ? 1.0 : 0.5;
		b.core_period = 5 + i % 3;
		b.link_period = 5 + i % 2;
		b.write(EAR_REG_TEST_NUMBER, number);
		b.messages.clear();
		b.write(EAR_REG_TEST, EAR_REG_TEST_ON_MASK);
		b.run(8000);
		CHECK_EQUAL(b.read(EAR_REG_ID), EAR_ID_VALUE);
		b.run(4000);
		/* Its number is not to be changed now. */
		b.write(EAR_REG_TEST_NUMBER, 7);
		b.write(EAR_REG_TEST, 0);
		CHECK(check_test_messages(b, &number) > 30);
		b.run(2000);
		CHECK(b.messages.empty());
		CHECK_EQUAL(b.read(EAR_REG_TEST_NUMBER), number);
	}
	if (!UNIT_TEST) {
		bench b(900);
		CHECK_EQUAL(b.request(EAR_CONTROL_WORD_WRITE, EAR_REG_TEST, 1).u.reply.status,
			EAR_REPLY_UNKNOWN_REGISTER);
	}
}

/* A word a clock for nearly all of the time: faster than any link of this core's clock. */
static void the_test_source_keeps_the_link_busy(void)
{
	bench b(910);

	if (!UNIT_TEST)
		return;
	b.link_period = 5;
	b.write(EAR_REG_TEST, EAR_REG_TEST_ON_MASK);
	b.run(2000);
	size_t before = b.bytes.size();
	b.run(10000);
	CHECK(b.bytes.size() - before > 10000 * 4 * 9 / 10);
}

static void a_capture_ends_the_test_and_has_nothing_of_it(void)
{
	bench b(920);
	unit_model model;
	uint32_t number = 0;

	if (!UNIT_TEST)
		return;
	model.drop = can_drop(UNIT_STALL == 0);
	b.write(EAR_REG_TEST, EAR_REG_TEST_ON_MASK);
	b.run(3000);
	b.send(EAR_CONTROL_WORD_WRITE, 0x42, EAR_REG_CONTROL,
		EAR_REG_CONTROL_ENABLE_MASK | (model.drop ? EAR_REG_CONTROL_DROP_MASK : 0));
	CHECK(b.run_until(
		[&] {
			return !b.messages.empty() &&
			       b.messages.back().message.kind == EAR_MSG_REPLY &&
			       b.messages.back().message.u.reply.tag == 0x42;
		},
		4000));
	b.discard_replies();
	CHECK(check_test_messages(b, &number) > 10);
	CHECK_EQUAL(b.read(EAR_REG_TEST), 0);
	CHECK_EQUAL(b.request(EAR_CONTROL_WORD_WRITE, EAR_REG_TEST, 1).u.reply.value, 0);
	b.retiring = true;
	b.run(1000);
	b.send(EAR_CONTROL_WORD_WRITE, 0x43, EAR_REG_CONTROL, 0);
	b.wait_stop(20000);
	b.run(2000);
	for (const heard &h : b.messages)
		CHECK(h.message.kind != EAR_MSG_TEST);
}

/* The answer to a write is what the memory holds then; one that fails changes nothing. */
static void the_window_reaches_the_memory_while_the_core_is_in_reset(void)
{
	bench b(930);

	if (!UNIT_LOAD) {
		CHECK_EQUAL(b.request(EAR_CONTROL_WORD_WRITE, EAR_REG_LOAD, 1).u.reply.status,
			EAR_REPLY_UNKNOWN_REGISTER);
		return;
	}
	b.write(EAR_REG_CORE, EAR_REG_CORE_RESET_MASK);
	std::map<uint32_t, uint32_t> expected;
	for (unsigned i = 0; i < 300; i++) {
		uint32_t address = 0x80000000 + 4 * uint32_t(b.bits(18));
		uint32_t value = uint32_t(b.bits(32));
		uint16_t place = uint16_t(EAR_REG_LOAD + address % 0x8000);
		b.write(EAR_REG_LOAD_BASE, address);
		expected[address] = value;
		ear_message reply = b.request(EAR_CONTROL_WORD_WRITE, place, value);
		CHECK_EQUAL(reply.u.reply.status, EAR_REPLY_OK);
		CHECK_EQUAL(reply.u.reply.value, value);
	}
	CHECK(b.memory == expected);
	for (const auto &word : expected) {
		b.write(EAR_REG_LOAD_BASE, word.first);
		CHECK_EQUAL(b.read(uint16_t(EAR_REG_LOAD + word.first % 0x8000)), word.second);
	}

	b.write(EAR_REG_LOAD_BASE, 0x80100000);
	for (uint8_t operation : {EAR_CONTROL_WORD_READ, EAR_CONTROL_WORD_WRITE}) {
		ear_message reply = b.request(operation, EAR_REG_LOAD + 8, 5);
		CHECK_EQUAL(reply.u.reply.status, EAR_REPLY_NO_MEMORY);
		CHECK_EQUAL(reply.u.reply.value, 0);
	}
	b.write(EAR_REG_LOAD_BASE, 0x80000000);
	CHECK_EQUAL(b.request(3, EAR_REG_LOAD, 5).u.reply.status, EAR_REPLY_UNKNOWN_OPERATION);
	b.write(EAR_REG_CORE, 0);
	CHECK_EQUAL(b.request(EAR_CONTROL_WORD_WRITE, EAR_REG_LOAD, 5).u.reply.status,
		EAR_REPLY_NO_MEMORY);
	CHECK_EQUAL(b.read(EAR_REG_ID), EAR_ID_VALUE);
	b.write(EAR_REG_BOOT, 0x80000123);
	CHECK_EQUAL(b.top->boot_o, 0x80000123);
	CHECK(b.memory == expected);
}

static const test tests[] = {
	TEST(every_byte_is_the_reference_encoders),
	TEST(records_go_on_after_the_order_wraps_16_bits),
	TEST(stall_loses_nothing_while_nine_words_flow_in_ten_clocks),
	TEST(a_core_that_ignores_stall_loses_openly),
	TEST(a_core_that_stops_too_late_loses_only_what_came_too_late),
	TEST(a_gap_ends_when_the_payload_buffer_has_drained_to_the_mark),
	TEST(every_dropped_record_is_accounted_for),
	TEST(a_stop_under_a_blocked_link_still_drains_everything),
	TEST(triggers_fire_on_the_record_that_the_model_says),
	TEST(clock_triggers_fire_on_their_clock),
	TEST(a_held_core_is_counted_and_takes_no_time),
	TEST(the_filter_passes_what_the_model_says),
	TEST(events_stand_between_the_records),
	TEST(port_events_come_before_their_stores),
	TEST(the_event_port_is_read),
	TEST(what_retires_behind_the_end_is_in_the_capture),
	TEST(a_core_that_goes_on_behind_its_end_is_told),
	TEST(every_register_has_its_value_and_access),
	TEST(the_test_source_sends_its_pattern_until_it_is_switched_off),
	TEST(the_test_source_keeps_the_link_busy),
	TEST(a_capture_ends_the_test_and_has_nothing_of_it),
	TEST(the_window_reaches_the_memory_while_the_core_is_in_reset),
	TEST(a_damaged_control_word_is_not_answered_and_the_next_is),
	TEST(the_host_is_answered_in_the_middle_of_a_capture),
	TEST(counters_are_read_at_one_instant_and_begin_anew),
	TEST(an_idle_frame_is_flushed_in_time),
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
