/* The walk over random programs, with every option of the encoder; damaged, cut and turned traces.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>

#include "etrace_run.h"

#include "decoder/formats/etrace/etrace_frame.h"
#include "decoder/formats/etrace/etrace_stream.h"

static struct etrace_run run;

static const struct etrace_run_options all = {.items = 3000,
	.trap_every = 60,
	.double_traps = true,
	.jump_traps = true,
	.user = true,
	.user_mode = 0,
	.machine_mode = 3};

static struct ear_etrace_unit usual(unsigned xlen)
{
	struct ear_etrace_unit unit;
	char fault[200];

	assert_int_equal(
		ear_etrace_unit_read(&unit, NULL, NULL, false, xlen, fault, sizeof(fault)), 0);
	return unit;
}

/* --- Reading a trace --- */

struct reading {
	struct ear_etrace_stream *stream;
	const uint8_t *bytes;
	size_t size, at;
	size_t step; /* bytes that become visible at a time; 0: all */
	size_t seen;
	bool ended;
	const char *fault; /* the last one */
};

static void reading_begin(struct reading *reading, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, size_t size)
{
	*reading = (struct reading){.bytes = bytes, .size = size, .seen = size};
	assert_int_equal(ear_etrace_stream_new(&reading->stream, unit, run.code), 0);
}

/* The next record; NULL at the end. */
static const struct ear_record *reading_next(struct reading *reading)
{
	const struct ear_record *record;

	for (;;) {
		if (ear_etrace_stream_next(reading->stream, &record))
			return record;
		const char *fault = ear_etrace_stream_fault(reading->stream);
		reading->fault = fault ? fault : reading->fault;
		if (reading->at == reading->size && reading->ended)
			return NULL;
		if (reading->at == reading->size) {
			assert_int_equal(ear_etrace_stream_end(reading->stream, reading->at), 0);
			reading->ended = true;
			continue;
		}
		bool last = reading->seen == reading->size;
		int taken = ear_etrace_stream_take(reading->stream, reading->bytes + reading->at,
			reading->seen - reading->at, reading->at, last);
		if (taken < 0)
			fail_msg("byte %zu: %d", reading->at, taken);
		reading->at += (size_t)taken;
		if (taken == 0 && !last && ear_etrace_stream_is_settled(reading->stream))
			reading->seen += reading->step;
	}
}

static void reading_end(struct reading *reading)
{
	ear_etrace_stream_free(reading->stream);
}

/* --- Against the truth --- */

static bool is_trap(const struct ear_record *record)
{
	return record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
}

static bool fits(const struct ear_record *record, const struct ear_etrace_item *item)
{
	const unsigned xlen = run.unit->xlen;
	uint64_t cause = item->cause | (uint64_t)item->interrupt << (xlen - 1);

	if (record->kind == EAR_RECORD_EVENT)
		return item->trap;
	if (record->kind != EAR_RECORD_INSTRUCTION || record->pc != item->pc ||
		is_trap(record) != item->trap)
		return false;
	if (!item->trap)
		return record->opcode == item->instruction->opcode;
	return record->cause == cause &&
	       (item->interrupt || record->extra->trap_value == item->value);
}

static const uint8_t modes[] = {EAR_PRIVILEGE_U, EAR_PRIVILEGE_S, 0, EAR_PRIVILEGE_M};

static void check_record(const char *what, const struct reading *reading,
	const struct ear_record *record, size_t i, size_t count)
{
	const struct ear_etrace_item *item = &run.items[i];
	uint8_t mode = run.unit->privilege_width == 1 && item->privilege ? 3 : item->privilege;

	if (!fits(record, item))
		fail_msg("%s: item %zu: kind %u pc %lx flags %x cause %lx, not %lx %s; byte %lu: "
			 "%s",
			what, i, record->kind, record->pc, record->flags, record->cause, item->pc,
			item->trap ? "trap" : "", record->stream_offset,
			reading->fault ? reading->fault : "");
	if (record->kind == EAR_RECORD_EVENT)
		return;
	if (record->privilege != modes[mode] || record->flags & EAR_RECORD_NO_PRIVILEGE)
		fail_msg("%s: item %zu: privilege %u, not %u", what, i, record->privilege, mode);
	if (item->instruction && item->instruction->kind == EAR_FLOW_BRANCH &&
		!(record->flags & EAR_RECORD_NO_NEXT_PC) &&
		!(record->flags & EAR_RECORD_TAKEN) != !item->taken)
		fail_msg("%s: item %zu: taken is wrong", what, i);
	if (i + 1 < count && !(record->flags & EAR_RECORD_NO_NEXT_PC) &&
		record->next_pc != run.items[i + 1].pc)
		fail_msg("%s: item %zu at %lx: next pc %lx, not %lx", what, i, record->pc,
			record->next_pc, run.items[i + 1].pc);
}

/* All of the trace is right, from the first item on. */
static void check_all(
	const char *what, const struct ear_etrace_unit *unit, size_t count, size_t step)
{
	struct reading reading;
	const struct ear_record *record;
	size_t i = 0;

	reading_begin(&reading, unit, run.bytes, run.size);
	reading.step = step;
	reading.seen = step ? 0 : run.size;
	while ((record = reading_next(&reading))) {
		if (i == count)
			fail_msg("%s: too many records", what);
		check_record(what, &reading, record, i++, count);
	}
	if (i != count)
		fail_msg("%s: %zu of %zu records", what, i, count);
	reading_end(&reading);
}

/* --- Round trips --- */

static void every_option_comes_back(void **state)
{
	(void)state;
	struct random random = {2024};
	static const uint32_t resyncs[] = {0, 1, 7, 50};

	for (unsigned i = 0; i < 512; i++) {
		struct ear_etrace_unit unit = usual(i & 1 ? 64 : 32);
		struct etrace_run_options options = all;
		char what[80];
		unit.full_address = i >> 1 & 1;
		unit.implicit_exception = i >> 2 & 1;
		unit.sijump = i >> 3 & 1;
		unit.branch_prediction = i >> 4 & 1;
		unit.jump_target_cache = i >> 5 & 1;
		unit.implicit_return = i >> 6 & 1;
		unit.bpred_size = unit.branch_prediction ? 5 : 0;
		unit.cache_size = unit.jump_target_cache ? 3 : 0;
		unit.f0s_width = unit.bpred_size && unit.cache_size;
		unit.return_stack_size = unit.implicit_return && i & 1 ? 3 : 0;
		unit.call_counter_size = unit.implicit_return && !(i & 1) ? 4 : 0;
		unit.support = EAR_ETRACE_SUPPORT_PULP;
		unit.time_width = i >> 7 & 1 ? 40 : 0;
		unit.srcid_bits = i >> 8 & 1 ? 3 : 0;
		options.items = 600;
		snprintf(what, sizeof(what), "options %x", i);
		etrace_run_make(&run, &unit, &random, &options);
		etrace_run_encode(&run, &unit, resyncs[random_below(&random, 4)], options.items);
		if (unit.srcid_bits)
			assert_at_least(run.size, run.packet_count * 2);
		check_all(what, &unit, options.items, 0);
		etrace_run_fini(&run);
	}
}

static struct ear_etrace_unit esp_unit(const char *name, bool full)
{
	struct ear_etrace_unit unit;
	char fault[200];

	assert_int_equal(
		ear_etrace_unit_read(&unit, NULL, name, true, 32, fault, sizeof(fault)), 0);
	unit.full_address = full;
	return unit;
}

static void packets_of_espressif_come_back(void **state)
{
	(void)state;
	struct random random = {6};

	for (unsigned i = 0; i < 64; i++) {
		bool pt10 = i & 1;
		struct ear_etrace_unit unit = esp_unit(pt10 ? "esp32c6" : "esp32p4", i >> 1 & 1);
		struct etrace_run_options options = all;
		char what[40];
		/* PT10 always reports the handler, so not where a jump before it went. */
		options.double_traps = options.jump_traps = !pt10;
		options.machine_mode = 1;
		options.items = 600;
		snprintf(what, sizeof(what), "Espressif %x", i);
		etrace_run_make(&run, &unit, &random, &options);
		run.aligned = true;
		etrace_run_encode(&run, &unit, i >> 2 & 1 ? 20 : 0, options.items);
		check_all(what, &unit, options.items, 0);
		etrace_run_fini(&run);
	}
}

/* A run with most options, of so many items. */
static void make_mixed(struct ear_etrace_unit *unit, uint64_t seed, size_t items, uint32_t resync)
{
	struct random random = {seed};
	struct etrace_run_options options = all;

	*unit = usual(32);
	unit->sijump = unit->branch_prediction = unit->jump_target_cache = 1;
	unit->bpred_size = 4;
	unit->cache_size = 2;
	unit->f0s_width = 1;
	unit->support = EAR_ETRACE_SUPPORT_PULP;
	unit->timestamp_bytes = 3;
	options.items = items;
	etrace_run_make(&run, unit, &random, &options);
	run.aligned = true;
	etrace_run_encode(&run, unit, resync, items);
}

static void bytes_may_come_one_by_one(void **state)
{
	(void)state;
	struct ear_etrace_unit unit;

	make_mixed(&unit, 77, 1500, 30);
	check_all("byte by byte", &unit, 1500, 1);
	etrace_run_fini(&run);
}

/* --- Damage --- */

/* Records of a trace that ends early: the first items, then at most a gap. */
static void a_trace_may_end_anywhere(void **state)
{
	(void)state;
	struct ear_etrace_unit unit;
	struct reading reading;
	const struct ear_record *record;
	size_t before = 0;

	make_mixed(&unit, 5, 400, 12);
	for (size_t size = 0; size <= run.size; size++) {
		size_t i = 0, gaps = 0;
		reading_begin(&reading, &unit, run.bytes, size);
		while ((record = reading_next(&reading))) {
			assert_int_equal(gaps, 0);
			if (record->kind == EAR_RECORD_GAP)
				gaps++;
			else
				check_record("cut", &reading, record, i++, run.count);
		}
		assert_at_least(i, before);
		before = i;
		reading_end(&reading);
	}
	assert_int_equal(before, run.count);
	etrace_run_fini(&run);
}

static size_t packet_of(size_t byte)
{
	size_t packet = 0;

	while (packet + 1 < run.packet_count && run.packets[packet + 1] <= byte)
		packet++;
	return run.packets[packet];
}

/* What was decoded before the damage stays right, and the decoder comes to an end. */
static void a_flipped_bit_changes_nothing_before_it(void **state)
{
	(void)state;
	struct ear_etrace_unit unit;
	size_t seen = 0;

	make_mixed(&unit, 8, 300, 10);
	run.aligned = false;
	etrace_run_encode(&run, &unit, 10, run.count);
	for (size_t bit = 0; bit < 8 * run.size; bit++) {
		struct reading reading;
		const struct ear_record *record;
		size_t i = 0, records = 0, packet = packet_of(bit / 8);
		bool gap = false;
		run.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		reading_begin(&reading, &unit, run.bytes, run.size);
		while ((record = reading_next(&reading)) && records < 2000000) {
			gap |= record->kind == EAR_RECORD_GAP;
			records++;
			if (record->stream_offset < packet) {
				check_record("flipped", &reading, record, i, i);
				i++;
			}
		}
		assert_below(records, 2000000);
		seen += gap || records != run.count;
		reading_end(&reading);
		run.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	/* The format has little redundancy: some changes are those of another run. */
	assert_above(seen, 2 * run.size);
	etrace_run_fini(&run);
}

/* Decode from byte start on, as of a ring buffer: after the gap of what was overwritten come the
 * last items. Returns how many. */
static size_t check_from(const struct ear_etrace_unit *unit, size_t start)
{
	struct ear_etrace_unit wrapped = *unit;
	struct reading reading;
	const struct ear_record *record;
	size_t count = 0;

	wrapped.ring.wrapped = 1;
	for (int round = 0; round < 2; round++) {
		size_t i = run.count - count, gaps = 0;
		reading_begin(&reading, &wrapped, run.bytes + start, run.size - start);
		while ((record = reading_next(&reading))) {
			gaps += record->kind == EAR_RECORD_GAP;
			if (record->kind == EAR_RECORD_GAP)
				continue;
			if (round == 1)
				check_record("ring", &reading, record, i++, run.count);
			count += round == 0;
		}
		assert_at_most(gaps, 1);
		reading_end(&reading);
		assert_at_most(count, run.count);
	}
	return count;
}

static void a_ring_buffer_may_begin_anywhere(void **state)
{
	(void)state;
	struct ear_etrace_unit unit;

	make_mixed(&unit, 21, 500, 12);
	for (size_t start = 0; start < run.size; start++) {
		size_t count = check_from(&unit, start);
		if (start < run.size / 3)
			assert_above(count, run.count / 3);
	}
	etrace_run_fini(&run);
}

static void a_ring_buffer_of_espressif_may_begin_anywhere(void **state)
{
	(void)state;
	struct random random = {17};

	for (unsigned i = 0; i < 2; i++) {
		struct ear_etrace_unit unit = esp_unit(i ? "esp32c6" : "esp32c5", i);
		struct etrace_run_options options = all;
		options.double_traps = options.jump_traps = !i;
		options.machine_mode = 1;
		options.items = 500;
		etrace_run_make(&run, &unit, &random, &options);
		run.aligned = true;
		etrace_run_encode(&run, &unit, 10, options.items);
		for (size_t start = 0; start < run.size; start++) {
			size_t count = check_from(&unit, start);
			if (start < run.size / 3)
				assert_above(count, run.count / 3);
		}
		etrace_run_fini(&run);
	}
}

/* Espressif numbers its packets: one that is missing is a gap, and what follows is right. */
static void a_missing_packet_is_a_gap(void **state)
{
	(void)state;
	struct random random = {99};
	struct ear_etrace_unit unit = esp_unit("esp32p4", false);
	struct etrace_run_options options = all;
	static uint8_t whole[RUN_BYTES_MAX];

	options.machine_mode = 1;
	options.items = 400;
	etrace_run_make(&run, &unit, &random, &options);
	etrace_run_encode(&run, &unit, 10, options.items);
	memcpy(whole, run.bytes, run.size);
	const size_t size = run.size;
	for (size_t packet = 2; packet + 20 < run.packet_count; packet++) {
		struct reading reading;
		const struct ear_record *record;
		size_t from = run.packets[packet], to = run.packets[packet + 1];
		size_t i = 0, gaps = 0, after = 0;
		memcpy(run.bytes, whole, from);
		memcpy(run.bytes + from, whole + to, size - to);
		run.size = size - (to - from);
		for (int round = 0; round < 2; round++) {
			reading_begin(&reading, &unit, run.bytes, run.size);
			i = gaps = 0;
			while ((record = reading_next(&reading))) {
				gaps += record->kind == EAR_RECORD_GAP;
				if (record->kind == EAR_RECORD_GAP) {
					i = run.count - after;
					continue;
				}
				after += round == 0 && gaps > 0;
				if (round == 1 || gaps == 0)
					check_record("missing", &reading, record, i, i);
				i++;
			}
			assert_int_equal(gaps, 1);
			reading_end(&reading);
		}
		assert_above(after, 0);
	}
	etrace_run_fini(&run);
}

/* --- State --- */

static void a_saved_state_continues(void **state)
{
	(void)state;
	struct ear_etrace_unit unit;
	static uint8_t bytes[1 << 16];

	make_mixed(&unit, 31, 600, 25);
	for (size_t stop = 0; stop < run.count; stop += 7) {
		struct reading reading, other;
		const struct ear_record *record;
		size_t i = 0;
		reading_begin(&reading, &unit, run.bytes, run.size);
		while (i < stop || !ear_etrace_stream_is_settled(reading.stream)) {
			record = reading_next(&reading);
			if (!record)
				break;
			check_record("before", &reading, record, i++, run.count);
		}
		struct ear_state_walk walk = {.bytes = bytes, .size = sizeof(bytes)};
		assert_int_equal(ear_etrace_stream_walk(reading.stream, &walk), 0);
		assert_false(walk.bad);
		reading_begin(&other, &unit, run.bytes, run.size);
		other.at = reading.at;
		other.ended = reading.ended;
		walk = (struct ear_state_walk){.bytes = bytes, .size = walk.at, .loading = true};
		assert_int_equal(ear_etrace_stream_walk(other.stream, &walk), 0);
		assert_false(walk.bad);
		while ((record = reading_next(&other)))
			check_record("after", &other, record, i++, run.count);
		assert_int_equal(i, run.count);
		for (size_t size = 0; size < walk.at; size += 1 + size / 8) {
			struct reading bad;
			struct ear_state_walk cut = {.bytes = bytes, .size = size, .loading = true};
			reading_begin(&bad, &unit, run.bytes, run.size);
			assert_int_equal(ear_etrace_stream_walk(bad.stream, &cut), 0);
			assert_true(cut.bad);
			reading_end(&bad);
		}
		reading_end(&reading);
		reading_end(&other);
	}
	etrace_run_fini(&run);
}

/* --- Missing code --- */

static void missing_code_is_a_gap_with_its_address(void **state)
{
	(void)state;
	/* auipc x6, 1; jalr x1, 0(x6); the callee is not known. */
	static const uint8_t text[] = {0x17, 0x13, 0, 0, 0xE7, 0x00, 0x03, 0x00, 0x01, 0x00};
	static const struct ear_etrace_packet packets[] = {
		{.format = EAR_ETRACE_SYNC,
			.has_address = true,
			.branch = true,
			.privilege = 3,
			.address = RUN_BASE},
		{.format = EAR_ETRACE_ADDRESS, .has_address = true, .address = 0x1000},
		{.format = EAR_ETRACE_SYNC,
			.has_address = true,
			.branch = true,
			.privilege = 3,
			.address = RUN_BASE + 8},
	};
	static const struct {
		uint8_t kind;
		uint64_t pc;
	} wanted[] = {
		{EAR_RECORD_INSTRUCTION, RUN_BASE},
		{EAR_RECORD_INSTRUCTION, RUN_BASE + 4},
		{EAR_RECORD_GAP, RUN_BASE + 0x1000},
		{EAR_RECORD_INSTRUCTION, RUN_BASE + 8},
	};
	struct ear_etrace_unit unit = usual(32);
	uint8_t bytes[3 * EAR_ETRACE_FRAME_MAX];
	struct reading reading;
	const struct ear_record *record;
	size_t size = 0, i = 0;

	assert_int_equal(ear_flow_code_new(&run.code), 0);
	assert_int_equal(ear_flow_code_add(run.code, RUN_BASE, text, sizeof(text)), 0);
	assert_int_equal(ear_flow_code_finish(run.code, 32), 0);
	for (size_t packet = 0; packet < COUNT_OF(packets); packet++) {
		struct ear_etrace_bits bits = {0};
		ear_etrace_packet_put(&bits, &unit, false, &packets[packet]);
		size += ear_etrace_frame_write(bytes + size, &unit, &bits, 0, NULL);
	}
	reading_begin(&reading, &unit, bytes, size);
	while ((record = reading_next(&reading))) {
		assert_below(i, COUNT_OF(wanted));
		assert_int_equal(record->kind, wanted[i].kind);
		if (record->kind == EAR_RECORD_GAP) {
			assert_int_equal(record->u.gap.reason, EAR_GAP_NO_CODE);
			assert_int_equal(record->u.gap.first, wanted[i].pc);
		} else {
			assert_int_equal(record->pc, wanted[i].pc);
		}
		i++;
	}
	assert_int_equal(i, COUNT_OF(wanted));
	reading_end(&reading);
	ear_flow_code_free(run.code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_comes_back),
		cmocka_unit_test(packets_of_espressif_come_back),
		cmocka_unit_test(bytes_may_come_one_by_one),
		cmocka_unit_test(a_trace_may_end_anywhere),
		cmocka_unit_test(a_flipped_bit_changes_nothing_before_it),
		cmocka_unit_test(a_ring_buffer_may_begin_anywhere),
		cmocka_unit_test(a_ring_buffer_of_espressif_may_begin_anywhere),
		cmocka_unit_test(a_missing_packet_is_a_gap),
		cmocka_unit_test(a_saved_state_continues),
		cmocka_unit_test(missing_code_is_a_gap_with_its_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
