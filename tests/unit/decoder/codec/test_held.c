/* Held clocks (docs/protocol.md, section 4.5): in the statistics, and not between the records. */
#include "check.h"

#include <stdlib.h>

#include "byte_buffer.h"
#include "decode_run.h"
#include "decoder/codec/encoder.h"
#include "sample_stream.h"

#define RECORDS 40

static void put_event(struct ear_encoder *encoder, uint8_t source, uint32_t value)
{
	ear_encoder_put(
		encoder, &(struct ear_message){.kind = EAR_MSG_EVENT,
				 .u.event = {.source = source, .order = RECORDS, .value = value}});
}

/* A capture, and its end as a unit of FEATURES.HELD gives it. */
static void put_capture(struct ear_encoder *encoder, uint64_t held)
{
	for (uint64_t order = 0; order < RECORDS; order++) {
		struct ear_retire entry;
		sample_entry(&entry, order, 32);
		ear_encoder_push(encoder, &entry, 2 * order);
	}
	if (held) {
		put_event(encoder, EAR_EVENT_HELD_LO, (uint32_t)held);
		put_event(encoder, EAR_EVENT_HELD_HI, (uint32_t)(held >> 32));
	}
	ear_encoder_put(encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					 .u.stop = {.retired = RECORDS, .delivered = RECORDS}});
}

static void held_clocks_of_all_captures_add_up(void **state)
{
	struct ear_unit unit = sample_unit(32, 0, SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));
	struct byte_buffer bytes = {0};
	struct ear_encoder encoder;
	struct decode_run run;

	(void)state;
	unit.features |= EAR_REG_FEATURES_HELD_MASK;
	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &bytes);
	put_capture(&encoder, 0);
	decode_run_whole(&run, bytes.bytes, bytes.size);
	assert_int_equal(run.statistics.held_clocks, 0);
	put_capture(&encoder, 0x123456789A);
	put_capture(&encoder, 7);
	decode_run_whole(&run, bytes.bytes, bytes.size);
	assert_int_equal(run.statistics.held_clocks, 0x12345678A1);
	assert_int_equal(run.statistics.events, 0);
	assert_int_equal(run.event_count, 0);
	byte_buffer_free(&bytes);
}

/* A source that nobody knows is an event like any other. */
static void other_events_stay_between_the_records(void **state)
{
	struct ear_unit unit = sample_unit(32, 0, 0);
	struct byte_buffer bytes = {0};
	struct ear_encoder encoder;
	struct decode_run run;

	(void)state;
	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &bytes);
	put_event(&encoder, EAR_EVENT_PORT, 1);
	put_event(&encoder, EAR_EVENT_HELD_HI + 1, 2);
	put_capture(&encoder, 0);
	decode_run_whole(&run, bytes.bytes, bytes.size);
	assert_int_equal(run.event_count, 2);
	assert_int_equal(run.statistics.held_clocks, 0);
	byte_buffer_free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_clocks_of_all_captures_add_up),
		cmocka_unit_test(other_events_stay_between_the_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
