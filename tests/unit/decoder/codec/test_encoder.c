/* The reference encoder: docs/protocol.md, sections 2, 4.2 to 4.5 and 5. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/raw.h"
#include "decode_run.h"
#include "decoder/codec/encoder.h"
#include "describe.h"
#include "retire_random.h"
#include "sample_stream.h"

/* Messages of a stream taken apart again; the stream must be whole frames. */
struct parsed {
	struct ear_message message;
	size_t size;
	unsigned frame; /* number of its frame */
	bool first_in_frame;
};

struct parsed_stream {
	struct parsed *list;
	size_t count;
	unsigned frame_count;
};

static void parse_stream(struct parsed_stream *parsed, const struct byte_buffer *bytes)
{
	size_t offset = 0, capacity = 0;

	*parsed = (struct parsed_stream){0};
	while (offset < bytes->size) {
		struct ear_frame frame;
		int used = ear_frame_parse(&frame, bytes->bytes + offset, bytes->size - offset);
		assert_above(used, 0);
		assert_int_equal(frame.sequence, parsed->frame_count & 0xFFFF);
		for (size_t at = 0; at < frame.payload_size;) {
			if (parsed->count == capacity) {
				capacity = capacity ? 2 * capacity : 256;
				parsed->list =
					realloc(parsed->list, capacity * sizeof(*parsed->list));
				assert_non_null(parsed->list);
			}
			struct parsed *next = &parsed->list[parsed->count++];
			int size = ear_message_parse(
				&next->message, frame.payload + at, frame.payload_size - at);
			assert_above(size, 0);
			next->size = (size_t)size;
			next->frame = parsed->frame_count;
			next->first_in_frame = at == 0;
			at += (size_t)size;
		}
		parsed->frame_count++;
		offset += (size_t)used;
	}
}

static bool is_record(const struct parsed *parsed)
{
	return parsed->message.kind == EAR_MSG_RAW32 || parsed->message.kind == EAR_MSG_RAW64;
}

static void begin(
	struct ear_encoder *encoder, struct byte_buffer *bytes, unsigned xlen, unsigned time_mode)
{
	struct ear_unit unit = sample_unit(xlen, 0, SAMPLE_CONTROL(time_mode));

	*bytes = (struct byte_buffer){0};
	ear_encoder_init(encoder, &unit, byte_buffer_sink, bytes);
}

static void finish(
	struct ear_encoder *encoder, struct byte_buffer *bytes, struct parsed_stream *parsed)
{
	ear_encoder_flush(encoder);
	parse_stream(parsed, bytes);
	byte_buffer_free(bytes);
}

/* The kinds of all messages but PAD, as one string of names. */
static void check_kinds(const struct parsed_stream *parsed, const char *expected)
{
	char text[4096] = "";

	for (size_t i = 0; i < parsed->count; i++) {
		if (parsed->list[i].message.kind == EAR_MSG_PAD)
			continue;
		strcat(strcat(text, text[0] ? " " : ""),
			ear_message_name(parsed->list[i].message.kind));
	}
	assert_string_equal(text, expected);
}

static void push_at(struct ear_encoder *encoder, uint64_t order, uint64_t ticks)
{
	struct ear_retire entry;

	sample_entry(&entry, order, encoder->unit.xlen);
	ear_encoder_push(encoder, &entry, ticks);
}

/* Random entries come out of the messages field by field, orders included. */
static void check_round_trip(unsigned xlen, unsigned time_mode)
{
	enum { COUNT = 3000 };
	struct random random = {0x123 + xlen + time_mode};
	struct ear_retire *entries = calloc(COUNT, sizeof(*entries));
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;
	uint64_t order = 65000, ticks = 5, expected = 0;
	size_t seen = 0;

	assert_non_null(entries);
	begin(&encoder, &bytes, xlen, time_mode);
	for (size_t i = 0; i < COUNT; i++) {
		retire_random(&entries[i], &random, xlen);
		order += random_once_in(&random, 20) ? 1 + random_below(&random, 100) : 1;
		ticks += random_next(&random) >> random_below(&random, 64);
		entries[i].order = order;
		ear_encoder_push(&encoder, &entries[i], ticks);
		if (random_once_in(&random, 100))
			ear_encoder_flush(&encoder);
	}
	assert_int_equal(encoder.record_count, COUNT);
	finish(&encoder, &bytes, &parsed);

	for (size_t i = 0; i < parsed.count; i++) {
		struct ear_message *message = &parsed.list[i].message;
		if (message->kind == EAR_MSG_SYNC)
			expected = message->u.sync.order;
		if (!is_record(&parsed.list[i]))
			continue;
		if (!message->u.retire.has_order)
			message->u.retire.entry.order = expected;
		expected = message->u.retire.entry.order + 1;
		assert_below(seen, COUNT);
		const char *difference =
			retire_difference(&entries[seen], &message->u.retire.entry);
		if (difference)
			fail_msg("entry %zu: %s differs", seen, difference);
		seen++;
	}
	assert_int_equal(seen, COUNT);
	free(parsed.list);
	free(entries);
}

static void random_entries_come_through_frames_unchanged(void **state)
{
	(void)state;
	for (unsigned time_mode = 0; time_mode <= 2; time_mode++) {
		check_round_trip(32, time_mode);
		check_round_trip(64, time_mode);
	}
}

static void a_capture_begins_with_unit_sync_and_time(void **state)
{
	static const char *const kinds[] = {"UNIT SYNC RAW32 RAW32", "UNIT SYNC TIME RAW32 RAW32",
		"UNIT SYNC TIME RAW32 TIME_DELTA1 RAW32"};

	(void)state;
	for (unsigned time_mode = 0; time_mode <= 2; time_mode++) {
		struct ear_encoder encoder;
		struct byte_buffer bytes;
		struct parsed_stream parsed;

		begin(&encoder, &bytes, 32, time_mode);
		push_at(&encoder, 9, 100);
		push_at(&encoder, 10, 101);
		finish(&encoder, &bytes, &parsed);
		check_kinds(&parsed, kinds[time_mode]);
		assert_int_equal(parsed.list[1].message.u.sync.order, 9);
		assert_int_equal(
			parsed.list[1].message.u.sync.flags, EAR_SYNC_HARD | EAR_SYNC_FIRST);
		free(parsed.list);
	}
}

static void a_capture_without_records_has_no_sync(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;

	(void)state;
	begin(&encoder, &bytes, 32, EAR_TIME_MODE_RECORD);
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP});
	finish(&encoder, &bytes, &parsed);
	check_kinds(&parsed, "STOP");
	free(parsed.list);
}

static void nothing_is_sent_when_nothing_was_put(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;

	(void)state;
	begin(&encoder, &bytes, 32, 0);
	ear_encoder_flush(&encoder);
	assert_int_equal(bytes.size, 0);
}

/* Fill a frame up to exactly payload bytes with messages that are not records. */
static void fill_frame(struct ear_encoder *encoder, size_t payload)
{
	const struct ear_message unit = {.kind = EAR_MSG_UNIT, .u.unit = encoder->unit};
	const struct ear_message pad = {.kind = EAR_MSG_PAD};

	while (encoder->payload_size + EAR_MSG_SIZE_UNIT <= payload)
		ear_encoder_put(encoder, &unit);
	while (encoder->payload_size < payload)
		ear_encoder_put(encoder, &pad);
}

static void a_record_that_fills_the_frame_exactly_stays_in_it(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct ear_encoder encoder;
		struct byte_buffer bytes;
		struct parsed_stream parsed;
		struct ear_retire entry;

		begin(&encoder, &bytes, 32, 0);
		push_at(&encoder, 1, 0);
		sample_entry(&entry, 2, 32);
		fill_frame(&encoder, EAR_FRAME_PAYLOAD_MAX - ear_raw_size(&entry, false) + more);
		ear_encoder_push(&encoder, &entry, 0);
		assert_int_equal(bytes.size > 0, more);
		if (!more)
			assert_int_equal(encoder.payload_size, EAR_FRAME_PAYLOAD_MAX);
		finish(&encoder, &bytes, &parsed);
		assert_int_equal(parsed.frame_count, 1 + more);

		/* In a new frame it is the first record, and carries its order. */
		const struct parsed *last = &parsed.list[parsed.count - 1];
		while (!is_record(last))
			last--;
		assert_int_equal(last->message.u.retire.has_order, more);
		assert_int_equal(last->frame, more);
		free(parsed.list);
	}
}

static void a_record_that_fits_only_without_its_order_ends_the_frame(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;
	struct ear_retire entry;

	(void)state;
	begin(&encoder, &bytes, 32, 0);
	push_at(&encoder, 1, 0);
	sample_entry(&entry, 50, 32); /* not the expected one: ORDER is needed */
	fill_frame(&encoder, EAR_FRAME_PAYLOAD_MAX - ear_raw_size(&entry, true) + 1);
	ear_encoder_push(&encoder, &entry, 0);
	assert_above(bytes.size, 0);
	finish(&encoder, &bytes, &parsed);
	assert_int_equal(parsed.frame_count, 2);
	free(parsed.list);
}

static void every_kind_of_message_may_fill_the_frame_exactly(void **state)
{
	static const uint8_t kinds[] = {EAR_MSG_UNIT, EAR_MSG_SYNC, EAR_MSG_LOST, EAR_MSG_EVENT,
		EAR_MSG_REPLY, EAR_MSG_STOP};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		for (unsigned more = 0; more < 2; more++) {
			struct ear_encoder encoder;
			struct byte_buffer bytes;
			struct parsed_stream parsed;
			struct ear_message message = {.kind = kinds[i]};
			uint8_t built[EAR_MESSAGE_SIZE_MAX];

			begin(&encoder, &bytes, 32, 0);
			if (kinds[i] == EAR_MSG_UNIT)
				message.u.unit = encoder.unit;
			size_t size = ear_message_build(built, &message);
			fill_frame(&encoder, EAR_FRAME_PAYLOAD_MAX - size + more);
			ear_encoder_put(&encoder, &message);
			finish(&encoder, &bytes, &parsed);
			assert_int_equal(parsed.frame_count, 1 + more);
			free(parsed.list);
		}
	}
}

static void the_first_record_of_every_frame_and_every_jump_carries_its_order(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;
	uint64_t expected = 0;
	unsigned frame = UINT32_MAX, with_order = 0;

	(void)state;
	begin(&encoder, &bytes, 64, EAR_TIME_MODE_RECORD);
	for (uint64_t i = 0; i < 2000; i++)
		push_at(&encoder, i % 50 == 49 ? i + 1000000 : i, 7 * i);
	finish(&encoder, &bytes, &parsed);
	for (size_t i = 0; i < parsed.count; i++) {
		if (!is_record(&parsed.list[i]))
			continue;
		bool has_order = parsed.list[i].message.u.retire.has_order;
		uint64_t order = parsed.list[i].message.u.retire.entry.order;
		if (parsed.list[i].frame != frame)
			assert_true(has_order);
		else
			assert_true(!has_order || order != expected);
		frame = parsed.list[i].frame;
		expected = (has_order ? order : expected) + 1;
		with_order += has_order;
	}
	assert_above(with_order, parsed.frame_count);
	free(parsed.list);
}

static void a_hard_sync_comes_before_every_multiple_of_65536(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;
	unsigned syncs = 0;

	(void)state;
	begin(&encoder, &bytes, 32, 0);
	for (uint64_t order = 65530; order < 3 * 65536 + 5; order++)
		push_at(&encoder, order, 0);
	finish(&encoder, &bytes, &parsed);
	for (size_t i = 0; i < parsed.count; i++) {
		if (parsed.list[i].message.kind != EAR_MSG_SYNC)
			continue;
		assert_int_equal(
			parsed.list[i].message.u.sync.order, syncs ? syncs * 65536 : 65530);
		assert_int_equal(parsed.list[i - 1].message.kind, EAR_MSG_UNIT);
		syncs++;
	}
	assert_int_equal(syncs, 4);
	free(parsed.list);
}

static void a_capture_that_begins_at_a_multiple_has_one_sync(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;

	(void)state;
	begin(&encoder, &bytes, 32, 0);
	push_at(&encoder, 65536, 0);
	push_at(&encoder, 65537, 0);
	finish(&encoder, &bytes, &parsed);
	check_kinds(&parsed, "UNIT SYNC RAW32 RAW32");
	free(parsed.list);
}

static void a_loss_is_followed_by_unit_sync_and_time(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;

	(void)state;
	begin(&encoder, &bytes, 64, EAR_TIME_MODE_SYNC);
	push_at(&encoder, 1, 10);
	ear_encoder_put(
		&encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
				  .u.lost = {.reason = 1, .count = 2, .first = 2, .last = 3}});
	push_at(&encoder, 4, 20);
	finish(&encoder, &bytes, &parsed);
	check_kinds(&parsed, "UNIT SYNC TIME RAW64 LOST UNIT SYNC TIME_DELTA1 RAW64");
	free(parsed.list);
}

static void a_second_capture_begins_anew_and_the_sequence_goes_on(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;

	(void)state;
	begin(&encoder, &bytes, 32, 0);
	push_at(&encoder, 1, 0);
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP});
	ear_encoder_start(&encoder);
	push_at(&encoder, 2, 0);
	finish(&encoder, &bytes, &parsed);
	check_kinds(&parsed, "UNIT SYNC RAW32 STOP UNIT SYNC RAW32");
	assert_int_equal(parsed.frame_count, 2);
	free(parsed.list);
}

/* The flags of every SYNC of two captures: with a sync that the host asked for and one after a
 * loss. */
static void check_sync_flags(uint8_t minor, const uint8_t *expected, size_t expected_count)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;
	size_t count = 0;

	begin(&encoder, &bytes, 32, 0);
	encoder.unit.protocol_minor = minor;
	ear_encoder_start(&encoder);
	push_at(&encoder, 1, 0);
	ear_encoder_sync(&encoder);
	push_at(&encoder, 2, 0);
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
					  .u.lost = {.count = 1, .first = 3, .last = 3}});
	push_at(&encoder, 4, 0);
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP});
	ear_encoder_start(&encoder);
	push_at(&encoder, 5, 0);
	finish(&encoder, &bytes, &parsed);
	for (size_t i = 0; i < parsed.count; i++) {
		if (parsed.list[i].message.kind != EAR_MSG_SYNC)
			continue;
		assert_below(count, expected_count);
		assert_int_equal(parsed.list[i].message.u.sync.flags, expected[count++]);
	}
	assert_int_equal(count, expected_count);
	free(parsed.list);
}

static void only_the_first_sync_of_a_capture_says_so(void **state)
{
	static const uint8_t flags[] = {EAR_SYNC_HARD | EAR_SYNC_FIRST, EAR_SYNC_HARD,
		EAR_SYNC_HARD, EAR_SYNC_HARD | EAR_SYNC_FIRST};

	(void)state;
	check_sync_flags(EAR_PROTOCOL_MINOR, flags, COUNT_OF(flags));
}

static void a_unit_of_an_older_minor_marks_no_sync_as_the_first(void **state)
{
	static const uint8_t flags[] = {EAR_SYNC_HARD, EAR_SYNC_HARD, EAR_SYNC_HARD, EAR_SYNC_HARD};

	(void)state;
	check_sync_flags(2, flags, COUNT_OF(flags));
}

static void the_shortest_time_that_holds_the_difference_is_used(void **state)
{
	static const struct {
		uint64_t delta;
		uint8_t kind; /* 0: none */
	} rows[] = {{0, 0}, {1, EAR_MSG_TIME_DELTA1}, {255, EAR_MSG_TIME_DELTA1},
		{256, EAR_MSG_TIME_DELTA2}, {65535, EAR_MSG_TIME_DELTA2},
		{65536, EAR_MSG_TIME_DELTA4}, {UINT32_MAX, EAR_MSG_TIME_DELTA4},
		{(uint64_t)UINT32_MAX + 1, EAR_MSG_TIME}, {UINT64_MAX - 100, EAR_MSG_TIME}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_encoder encoder;
		struct byte_buffer bytes;
		struct parsed_stream parsed;

		begin(&encoder, &bytes, 32, EAR_TIME_MODE_RECORD);
		push_at(&encoder, 1, 50);
		push_at(&encoder, 2, 50 + rows[i].delta);
		finish(&encoder, &bytes, &parsed);
		const struct ear_message *time = &parsed.list[4].message;
		if (rows[i].kind == 0) {
			assert_int_equal(time->kind, EAR_MSG_RAW32);
		} else {
			assert_int_equal(time->kind, rows[i].kind);
			assert_same(time->u.ticks,
				rows[i].delta + (time->kind == EAR_MSG_TIME ? 50 : 0));
		}
		free(parsed.list);
	}
}

static void the_first_time_of_every_frame_is_absolute(void **state)
{
	struct random random = {0x71};
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;
	uint64_t ticks = 0, expected_ticks = 0;
	unsigned frame = UINT32_MAX, times = 0;

	(void)state;
	begin(&encoder, &bytes, 32, EAR_TIME_MODE_RECORD);
	for (uint64_t i = 0; i < 3000; i++) {
		ticks += 1 + (random_next(&random) >> (32 + random_below(&random, 32)));
		push_at(&encoder, i, ticks);
		expected_ticks = ticks;
	}
	finish(&encoder, &bytes, &parsed);
	ticks = 0;
	for (size_t i = 0; i < parsed.count; i++) {
		const struct ear_message *message = &parsed.list[i].message;
		if (message->kind < EAR_MSG_TIME || message->kind > EAR_MSG_TIME_DELTA4)
			continue;
		if (parsed.list[i].frame != frame)
			assert_int_equal(message->kind, EAR_MSG_TIME);
		frame = parsed.list[i].frame;
		ticks = message->kind == EAR_MSG_TIME ? message->u.ticks : ticks + message->u.ticks;
		times++;
	}
	assert_int_equal(times, 3000);
	assert_int_equal(ticks, expected_ticks);
	free(parsed.list);
}

/* However full the frame is when a time comes: it is absolute if it opens a frame. */
static void a_time_that_is_pushed_into_the_next_frame_becomes_absolute(void **state)
{
	(void)state;
	for (size_t fill = 100; fill <= EAR_FRAME_PAYLOAD_MAX; fill++) {
		struct ear_encoder encoder;
		struct byte_buffer bytes;
		struct parsed_stream parsed;

		begin(&encoder, &bytes, 32, EAR_TIME_MODE_RECORD);
		push_at(&encoder, 1, 1000);
		fill_frame(&encoder, fill);
		push_at(&encoder, 2, 1300);
		finish(&encoder, &bytes, &parsed);
		for (size_t i = parsed.count; i-- > 0;) {
			const struct ear_message *message = &parsed.list[i].message;
			if (message->kind < EAR_MSG_TIME || message->kind > EAR_MSG_TIME_DELTA4)
				continue;
			bool absolute = message->kind == EAR_MSG_TIME;
			assert_int_equal(absolute, parsed.list[i].frame == 1);
			assert_int_equal(message->u.ticks, absolute ? 1300 : 300);
			break;
		}
		free(parsed.list);
	}
}

static void a_start_trigger_stands_between_the_sync_and_its_record(void **state)
{
	struct ear_encoder encoder;
	struct byte_buffer bytes;
	struct parsed_stream parsed;

	(void)state;
	begin(&encoder, &bytes, 32, EAR_TIME_MODE_RECORD);
	ear_encoder_prepare(&encoder, 65536, 77);
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_EVENT,
					  .u.event = {.source = 1, .order = 65536}});
	push_at(&encoder, 65536, 77);
	finish(&encoder, &bytes, &parsed);
	check_kinds(&parsed, "UNIT SYNC TIME EVENT RAW32");
	free(parsed.list);
}

static void reply_and_stop_end_their_frame(void **state)
{
	static const uint8_t kinds[] = {EAR_MSG_REPLY, EAR_MSG_STOP};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct ear_encoder encoder;
		struct byte_buffer bytes;

		begin(&encoder, &bytes, 32, 0);
		push_at(&encoder, 1, 0);
		assert_int_equal(bytes.size, 0);
		ear_encoder_put(&encoder, &(struct ear_message){.kind = kinds[i]});
		assert_above(bytes.size, 0);
		assert_int_equal(encoder.payload_size, 0);
		byte_buffer_free(&bytes);
	}
}

static void a_clean_stream_decodes_without_a_gap(void **state)
{
	(void)state;
	for (unsigned time_mode = 0; time_mode <= 2; time_mode++) {
		struct ear_encoder encoder;
		struct byte_buffer bytes;
		struct decode_run run;

		begin(&encoder, &bytes, 32, time_mode);
		for (uint64_t order = 60000; order < 70000; order++)
			push_at(&encoder, order, 3 * order);
		ear_encoder_put(
			&encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.retired = 10000, .delivered = 10000}});
		decode_run(&run, bytes.bytes, bytes.size, 1000, 777);
		assert_int_equal(run.instruction_count, 10000);
		assert_int_equal(run.gap_count, 0);
		assert_int_equal(run.statistics.first_index, 60000);
		assert_int_equal(run.statistics.last_index, 69999);
		assert_int_equal(run.statistics.skipped_bytes, 0);
		assert_int_equal(run.statistics.last_ticks_known, time_mode == 2);
		if (time_mode == 2)
			assert_int_equal(run.statistics.last_ticks, 3 * 69999);
		assert_true(run.statistics.stopped);
		assert_int_equal(run.statistics.stop_delivered, 10000);
		byte_buffer_free(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_entries_come_through_frames_unchanged),
		cmocka_unit_test(a_capture_begins_with_unit_sync_and_time),
		cmocka_unit_test(a_capture_without_records_has_no_sync),
		cmocka_unit_test(nothing_is_sent_when_nothing_was_put),
		cmocka_unit_test(a_record_that_fills_the_frame_exactly_stays_in_it),
		cmocka_unit_test(a_record_that_fits_only_without_its_order_ends_the_frame),
		cmocka_unit_test(every_kind_of_message_may_fill_the_frame_exactly),
		cmocka_unit_test(the_first_record_of_every_frame_and_every_jump_carries_its_order),
		cmocka_unit_test(a_hard_sync_comes_before_every_multiple_of_65536),
		cmocka_unit_test(a_capture_that_begins_at_a_multiple_has_one_sync),
		cmocka_unit_test(a_loss_is_followed_by_unit_sync_and_time),
		cmocka_unit_test(a_second_capture_begins_anew_and_the_sequence_goes_on),
		cmocka_unit_test(only_the_first_sync_of_a_capture_says_so),
		cmocka_unit_test(a_unit_of_an_older_minor_marks_no_sync_as_the_first),
		cmocka_unit_test(the_shortest_time_that_holds_the_difference_is_used),
		cmocka_unit_test(the_first_time_of_every_frame_is_absolute),
		cmocka_unit_test(a_time_that_is_pushed_into_the_next_frame_becomes_absolute),
		cmocka_unit_test(a_start_trigger_stands_between_the_sync_and_its_record),
		cmocka_unit_test(reply_and_stop_end_their_frame),
		cmocka_unit_test(a_clean_stream_decodes_without_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
