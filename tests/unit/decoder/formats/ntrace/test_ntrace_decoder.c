/* N-Trace to records: what was encoded comes back, whatever the options, and a stream that is cut,
 * damaged or begins anywhere gives gaps, and never an instruction that does not fit. */
#include "ntrace_trip.h"

#include <earshot/error.h>
#include <stdio.h>

static bool is_trapped(const struct ear_record *record)
{
	return record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
}

/* Is the decoded record the one that was encoded? */
static bool is_same(
	const struct trip *trip, const struct ear_record *found, const struct ear_record *expected)
{
	uint32_t flags = EAR_RECORD_TAKEN | EAR_RECORD_NO_CAUSE;

	if (trip->unit.btype_ext)
		flags |= EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;
	if (!(found->flags & EAR_RECORD_NO_PRIVILEGE) && found->privilege != expected->privilege)
		return false;
	if (found->flags & EAR_RECORD_HAS_TIME && found->ticks != expected->ticks)
		return false;
	return found->pc == expected->pc && found->next_pc == expected->next_pc &&
	       found->opcode == expected->opcode && found->opcode_size == expected->opcode_size &&
	       is_trapped(found) == is_trapped(expected) &&
	       ((found->flags ^ expected->flags) & flags) == 0;
}

static void assert_all_came(const struct trip *trip, const struct trip_output *output)
{
	size_t timed = 0;

	if (output->count != trip->count)
		fail_msg("%zu records of %zu, %zu gaps", output->count, trip->count, output->gaps);
	for (size_t i = 0; i < trip->count; i++) {
		if (!is_same(trip, &output->records[i], &trip->records[i]))
			fail_msg("record %zu: pc 0x%llx to 0x%llx, not 0x%llx to 0x%llx", i,
				(unsigned long long)output->records[i].pc,
				(unsigned long long)output->records[i].next_pc,
				(unsigned long long)trip->records[i].pc,
				(unsigned long long)trip->records[i].next_pc);
		assert_int_equal(output->records[i].index, i);
		timed += (output->records[i].flags & EAR_RECORD_HAS_TIME) != 0;
		if (trip->unit.ownership && trip->unit.src_bits == 99)
			assert_false(output->records[i].flags & EAR_RECORD_NO_PRIVILEGE);
	}
	assert_int_equal(
		timed > 0, trip->unit.tstamp && trip->records[0].flags & EAR_RECORD_HAS_TIME);
}

static struct branch_walk some_walk(struct random *random)
{
	return (struct branch_walk){
		.traps = random_once_in(random, 2) ? 0 : 1 + (unsigned)random_below(random, 60),
		.privileges = random_once_in(random, 2),
		.times = random_once_in(random, 2),
		.straight = 1 + (unsigned)random_below(random, 6),
	};
}

static void every_option_gives_the_records_back(void **state)
{
	(void)state;
	struct random random = {11};

	for (unsigned round = 0; round < 800 / EAR_TEST_LESS; round++) {
		struct ear_ntrace_unit unit = trip_random_unit(round % 2 ? 64 : 32, &random);
		struct branch_walk walk = some_walk(&random);
		struct trip trip;
		trip_init(&trip, &unit, &walk, 1 + random_below(&random, 2000), &random);
		/* A decoder that is not given what it can find out. */
		if (random_once_in(&random, 2))
			trip.unit.htm = trip.unit.tstamp = EAR_NTRACE_ANY;
		struct trip_output output = trip_decode(&trip, trip.bytes, trip.size, trip.size);
		trip.unit.tstamp = unit.tstamp;
		assert_all_came(&trip, &output);
		trip_fini(&trip);
	}
}

static void a_stream_may_come_in_pieces(void **state)
{
	(void)state;
	struct random random = {12};

	for (unsigned round = 0; round < 40; round++) {
		struct ear_ntrace_unit unit = trip_random_unit(32, &random);
		struct branch_walk walk = some_walk(&random);
		struct trip trip;
		trip_init(&trip, &unit, &walk, 300, &random);
		struct trip_output output =
			trip_decode(&trip, trip.bytes, trip.size, 1 + round % 20);
		assert_all_came(&trip, &output);
		trip_fini(&trip);
	}
}

/* Each beginning of a stream gives a beginning of the records. */
static void a_cut_stream_gives_what_came_before(void **state)
{
	(void)state;
	struct random random = {13};

	for (unsigned round = 0; round < 24 / EAR_TEST_LESS; round++) {
		struct ear_ntrace_unit unit = trip_random_unit(round % 2 ? 64 : 32, &random);
		struct branch_walk walk = some_walk(&random);
		struct trip trip;
		trip_init(&trip, &unit, &walk, 200, &random);
		for (size_t size = 0; size < trip.size; size++) {
			struct trip_output output =
				trip_decode(&trip, trip.bytes, size, size ? size : 1);
			size_t count = output.count - output.gaps;
			assert_at_most(output.gaps, 1);
			assert_at_most(count, trip.count);
			for (size_t i = 0; i < count; i++)
				assert_true(is_same(&trip, &output.records[i], &trip.records[i]));
		}
		trip_fini(&trip);
	}
}

/* Do the records between two gaps follow each other in the truth? */
static void assert_pieces_of_the_truth(const struct trip *trip, const struct trip_output *output)
{
	size_t next = 0;

	for (size_t i = 0; i < output->count;) {
		size_t from = i, to;
		if (output->records[i].kind == EAR_RECORD_GAP) {
			i++;
			continue;
		}
		while (i < output->count && output->records[i].kind != EAR_RECORD_GAP)
			i++;
		for (to = next; to + (i - from) <= trip->count; to++) {
			size_t j = from;
			while (j < i &&
				is_same(trip, &output->records[j], &trip->records[to + j - from]))
				j++;
			if (j == i)
				break;
		}
		if (to + (i - from) > trip->count)
			fail_msg("records %zu to %zu are not of the trace", from, i);
		next = to + (i - from);
	}
}

/* A buffer that wrapped may begin at any byte. */
static void a_stream_may_begin_anywhere(void **state)
{
	(void)state;
	struct random random = {14};
	size_t decoded = 0;

	for (unsigned round = 0; round < 24 / EAR_TEST_LESS; round++) {
		struct ear_ntrace_unit unit = trip_random_unit(round % 2 ? 64 : 32, &random);
		struct branch_walk walk = some_walk(&random);
		struct trip trip;
		unit.sync_every = 4;
		trip_init(&trip, &unit, &walk, 300, &random);
		trip.unit.ring.wrapped = round / 2 % 2;
		for (size_t at = 1; at < trip.size; at++) {
			struct trip_output output =
				trip_decode(&trip, trip.bytes + at, trip.size - at, trip.size);
			/* what may be a beginning is believed, unless the unit says otherwise */
			bool unclear = !trip.unit.ring.wrapped && trip.bytes[at] == EAR_NTRACE_SYNC
											    << 2;
			if (unclear)
				continue;
			if (trip.unit.ring.wrapped ||
				(trip.bytes[at] & 3) != EAR_NTRACE_END_MESSAGE)
				assert_true(output.count == 0 ||
					    output.records[0].kind == EAR_RECORD_GAP);
			assert_pieces_of_the_truth(&trip, &output);
			decoded += output.count - output.gaps;
		}
		trip_fini(&trip);
	}
	assert_above(decoded, 100000 / EAR_TEST_LESS);
}

/* Each instruction follows from the one before it, unless a gap is between them. */
static void assert_consistent(const struct trip *trip, const struct trip_output *output)
{
	const struct ear_record *before = NULL;
	uint64_t mask = UINT64_MAX >> (64 - trip->unit.xlen);

	for (size_t i = 0; i < output->count; i++) {
		const struct ear_record *record = &output->records[i];
		struct ear_flow_range range = {0};
		if (record->kind == EAR_RECORD_GAP) {
			before = NULL;
			continue;
		}
		if (before)
			assert_int_equal(before->next_pc, record->pc);
		before = record;
		const struct ear_flow_instruction *at =
			ear_flow_code_at(trip->program.code, &range, record->pc);
		if (is_trapped(record))
			continue;
		assert_non_null(at);
		assert_int_equal(at->opcode, record->opcode);
		uint64_t after = (record->pc + at->size) & mask;
		uint64_t target = ear_flow_target(at, record->pc) & mask;
		if (at->kind <= EAR_FLOW_UPPER)
			assert_int_equal(record->next_pc, after);
		else if (at->kind == EAR_FLOW_BRANCH)
			assert_int_equal(
				record->next_pc, record->flags & EAR_RECORD_TAKEN ? target : after);
		else if (at->kind == EAR_FLOW_JUMP)
			assert_int_equal(record->next_pc, target);
	}
}

/* Each bit flipped: it ends, and what comes out is a walk over the program. A bit of a repetition
 * can ask for many records, so those are not taken to their end. */
static void a_flipped_bit_gives_no_impossible_instruction(void **state)
{
	(void)state;
	struct random random = {15};
	size_t found = 0, flips = 0;

	for (unsigned round = 0; round < 12 / EAR_TEST_LESS; round++) {
		struct ear_ntrace_unit unit = trip_random_unit(round % 2 ? 64 : 32, &random);
		struct branch_walk walk = some_walk(&random);
		struct trip trip;
		unit.repeat_branch = unit.repeat_hist = 0;
		trip_init(&trip, &unit, &walk, 150, &random);
		for (size_t bit = 0; bit < 8 * trip.size; bit++) {
			trip.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			struct trip_output output =
				trip_decode(&trip, trip.bytes, trip.size, trip.size);
			assert_consistent(&trip, &output);
			flips++;
			found += output.gaps > 0;
			trip.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		trip_fini(&trip);
	}
	assert_above(found, flips / 2);
}

/* Save at each message, load into a new decoder, and continue there. */
static void a_decoder_can_continue_from_a_saved_state(void **state)
{
	(void)state;
	struct random random = {16};
	static uint8_t saved[1 << 16];

	for (unsigned round = 0; round < 24; round++) {
		struct ear_ntrace_unit unit = trip_random_unit(round % 2 ? 64 : 32, &random);
		struct branch_walk walk = some_walk(&random);
		struct trip trip;
		struct trip_output output = trip_output();
		struct ear_ntrace_decoder *decoder, *other;
		const struct ear_record *record;
		size_t moves = 0;

		trip_init(&trip, &unit, &walk, 300, &random);
		assert_int_equal(
			ear_ntrace_decoder_new(&decoder, trip.program.code, &trip.unit), 0);
		for (size_t at = 0; at < trip.size; at++) {
			ear_ntrace_decoder_feed(decoder, trip.bytes + at, 1);
			while (ear_ntrace_decoder_next(decoder) == 1)
				while (ear_flow_run_next(&decoder->run, &record) == 1)
					trip_keep(&output, record);
			if (!ear_ntrace_decoder_is_settled(decoder))
				continue;
			struct ear_state_walk measure = {0};
			assert_int_equal(ear_ntrace_decoder_walk(decoder, &measure), 0);
			struct ear_state_walk save = {.bytes = saved, .size = sizeof(saved)};
			assert_int_equal(ear_ntrace_decoder_walk(decoder, &save), 0);
			assert_false(save.bad);
			assert_int_equal(measure.at, save.at);
			assert_int_equal(
				ear_ntrace_decoder_new(&other, trip.program.code, &trip.unit), 0);
			struct ear_state_walk load = {
				.bytes = saved, .size = save.at, .loading = true};
			assert_int_equal(ear_ntrace_decoder_walk(other, &load), 0);
			assert_false(load.bad);
			assert_int_equal(load.at, save.at);
			other->offset = decoder->offset;
			ear_ntrace_decoder_free(decoder);
			decoder = other;
			moves++;
		}
		assert_above(moves, 2);
		assert_all_came(&trip, &output);
		ear_ntrace_decoder_free(decoder);
		trip_fini(&trip);
	}
}

/* Three harts in one stream, their messages as they come. */
static void each_hart_has_its_own_records(void **state)
{
	(void)state;
	struct random random = {17};
	static struct ear_ntrace_encoder encoders[3];
	static struct ear_record records[3][400];
	const struct branch_walk walk = {.traps = 30, .straight = 3};
	struct trip trip = {.unit = ear_ntrace_default_unit};
	size_t pushed[3] = {0}, taken[3] = {0};

	trip.unit.xlen = 32;
	trip.unit.src_bits = 2;
	trip.unit.stack = 8;
	trip.bytes = malloc(3 * 400 * EAR_NTRACE_MESSAGE_MAX);
	assert_non_null(trip.bytes);
	branch_program_init(&trip.program, 32, &random);
	for (uint16_t i = 0; i < 3; i++) {
		branch_program_walk(&trip.program, &walk, &random, records[i], 400);
		ear_ntrace_encoder_init(&encoders[i], &trip.unit, i + 1);
	}
	for (size_t left = 3 * 401; left > 0;) {
		size_t i = random_below(&random, 3);
		if (pushed[i] == 401)
			continue;
		if (pushed[i] == 400)
			ear_ntrace_encoder_end(&encoders[i]);
		else
			ear_ntrace_encoder_push(&encoders[i], &records[i][pushed[i]]);
		trip_take(&trip, &encoders[i]);
		pushed[i]++;
		left--;
	}
	struct trip_output output = trip_decode(&trip, trip.bytes, trip.size, trip.size);
	assert_int_equal(output.gaps, 0);
	assert_int_equal(output.count, 3 * 400);
	for (size_t i = 0; i < output.count; i++) {
		const struct ear_record *found = &output.records[i];
		assert_in_range(found->hart, 1, 3);
		size_t at = taken[found->hart - 1]++;
		assert_int_equal(found->index, at);
		assert_true(is_same(&trip, found, &records[found->hart - 1][at]));
	}
	branch_program_fini(&trip.program);
	free(trip.bytes);
}

/* Histories for a loop that has no branch: each is tried and refused, and soon. */
static void a_loop_without_a_branch_ends(void **state)
{
	(void)state;
	static const uint8_t loop[] = {0x01, 0xa0}; /* c.j . */
	const struct ear_ntrace_message messages[] = {
		{.tcode = EAR_NTRACE_SYNC, .sync = 5, .address = 0x1000},
		{.tcode = EAR_NTRACE_FULL, .code = 2, .history = 0xffff, .data = 200000},
	};
	struct trip trip = {.unit = ear_ntrace_default_unit};

	trip.unit.xlen = 32;
	trip.bytes = malloc(4000 * EAR_NTRACE_MESSAGE_MAX);
	assert_non_null(trip.bytes);
	assert_int_equal(ear_flow_code_new(&trip.program.code), 0);
	assert_int_equal(ear_flow_code_add(trip.program.code, 0x1000, loop, 2), 0);
	assert_int_equal(ear_flow_code_finish(trip.program.code, 32), 0);
	for (size_t i = 0; i < 4000; i++)
		trip.size += ear_ntrace_put(trip.bytes + trip.size, &messages[i % 2], &trip.unit);
	struct trip_output output = trip_decode(&trip, trip.bytes, trip.size, trip.size);
	assert_int_equal(output.count, 2000);
	assert_int_equal(output.gaps, 2000);
	for (size_t i = 0; i < output.count; i++)
		assert_int_equal(output.records[i].u.gap.reason, EAR_GAP_DISAGREE);
	ear_flow_code_free(trip.program.code);
	free(trip.bytes);
}

/* What SiFive's cores do: tracing stops at a return whose call was not traced, and data end after
 * an I-CNT whose outcomes would come later. */
static void an_end_may_be_anywhere(void **state)
{
	static const uint8_t code[] = {0x01, 0x00, 0x82, 0x80}; /* c.nop, ret */
	const struct ear_ntrace_message messages[] = {
		{.tcode = EAR_NTRACE_SYNC, .sync = 5, .address = 0x1000},
		{.tcode = EAR_NTRACE_STOP, .code = 4, .icnt = 2},
		{.tcode = EAR_NTRACE_SYNC, .sync = 5, .address = 0x1000},
		{.tcode = EAR_NTRACE_FULL, .code = 0, .data = 2},
	};
	struct trip trip = {.unit = ear_ntrace_default_unit};
	uint8_t bytes[4 * EAR_NTRACE_MESSAGE_MAX];
	size_t size = 0;

	(void)state;
	trip.unit.xlen = 32;
	assert_int_equal(ear_flow_code_new(&trip.program.code), 0);
	assert_int_equal(ear_flow_code_add(trip.program.code, 0x1000, code, 4), 0);
	assert_int_equal(ear_flow_code_finish(trip.program.code, 32), 0);
	for (size_t i = 0; i < COUNT_OF(messages); i++)
		size += ear_ntrace_put(bytes + size, &messages[i], &trip.unit);
	struct trip_output output = trip_decode(&trip, bytes, size, size);
	assert_int_equal(output.count, 4);
	assert_int_equal(output.records[0].pc, 0x1000);
	assert_false(output.records[0].flags & EAR_RECORD_NO_NEXT_PC);
	assert_int_equal(output.records[1].pc, 0x1002);
	assert_true(output.records[1].flags & EAR_RECORD_NO_NEXT_PC);
	assert_int_equal(output.records[1].opcode, 0x8082);
	assert_int_equal(output.records[2].u.gap.reason, EAR_GAP_OFF);
	assert_int_equal(output.records[3].u.gap.reason, EAR_GAP_CUT);
	ear_flow_code_free(trip.program.code);
}

/* Lost messages, a stop, damage: a gap with its reason, and then the rest. */
static void each_loss_has_its_reason(void **state)
{
	(void)state;
	static const uint8_t code[] = {0x01, 0, 0x01, 0, 0x01, 0, 0x01, 0};
	static const struct {
		const char *bytes;
		size_t size;
		enum ear_gap_reason reason;
	} losses[] = {
		{"\x20\x00\x07", 3, EAR_GAP_UNIT_FIFO},    /* error */
		{"\x84\x10\x07", 3, EAR_GAP_OFF},          /* stop, I-CNT 1 */
		{"\x0E\x17", 2, EAR_GAP_DAMAGE},           /* MSEO 10 */
		{"\x24\x21\x07", 3, EAR_GAP_BAD_MESSAGE},  /* SYNC 8 */
		{"\x70\x11\x05\x07", 4, EAR_GAP_DISAGREE}, /* no jump is there */
		{"\x6C\xC4\x13", 3, EAR_GAP_NO_CODE},      /* no branch up to the end */
	};
	static const uint8_t start[] = {0x24, 0x15, 0x00, 0x83, 0x84, 0x10, 0x0f};

	for (size_t i = 0; i < COUNT_OF(losses); i++) {
		struct trip trip = {.unit = ear_ntrace_default_unit};
		uint8_t bytes[32];
		size_t size = 0;

		trip.unit.xlen = 32;
		assert_int_equal(ear_flow_code_new(&trip.program.code), 0);
		assert_int_equal(ear_flow_code_add(trip.program.code, 0x1000, code, 8), 0);
		assert_int_equal(ear_flow_code_finish(trip.program.code, 32), 0);
		memcpy(bytes, start, 4);
		memcpy(bytes + 4, losses[i].bytes, losses[i].size);
		size = 4 + losses[i].size;
		memcpy(bytes + size, start, sizeof(start));
		size += sizeof(start);
		struct trip_output output = trip_decode(&trip, bytes, size, size);
		assert_int_equal(output.gaps, 1);
		size_t gap = 0;
		while (output.records[gap].kind != EAR_RECORD_GAP)
			gap++;
		if (output.records[gap].u.gap.reason != losses[i].reason)
			fail_msg("row %zu: %s", i,
				ear_gap_reason_text(output.records[gap].u.gap.reason));
		ear_flow_code_free(trip.program.code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_gives_the_records_back),
		cmocka_unit_test(a_stream_may_come_in_pieces),
		cmocka_unit_test(a_cut_stream_gives_what_came_before),
		cmocka_unit_test(a_stream_may_begin_anywhere),
		cmocka_unit_test(a_flipped_bit_gives_no_impossible_instruction),
		cmocka_unit_test(each_hart_has_its_own_records),
		cmocka_unit_test(a_loop_without_a_branch_ends),
		cmocka_unit_test(an_end_may_be_anywhere),
		cmocka_unit_test(each_loss_has_its_reason),
		cmocka_unit_test(a_decoder_can_continue_from_a_saved_state),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
