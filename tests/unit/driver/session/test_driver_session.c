/* A whole session against a fake unit: the good way, and every way that it can go wrong. */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "fake_transport.h"
#include "session_open.h"

/* -- Allocations that fail on demand: the driver's malloc and calloc come here -- */

static int fail_allocation = -1; /* the one with this number fails */
static int allocation_count;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size)
{
	return allocation_count++ == fail_allocation ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_count++ == fail_allocation ? NULL : __real_calloc(count, size);
}

/* -- Helpers -- */

/* What a consumer saw. */
struct seen {
	uint64_t bytes, lost;
	unsigned losses, frames;
	struct ear_session_end end;
	uint8_t carry[EAR_FRAME_SIZE_MAX];
	size_t carry_size;
};

/* Count the whole frames; anything between them fails the test. */
static void count_frames(struct seen *seen, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		struct ear_frame frame;

		assert_below(seen->carry_size, sizeof(seen->carry));
		seen->carry[seen->carry_size++] = bytes[i];
		int result = ear_frame_parse(&frame, seen->carry, seen->carry_size);
		assert_true(result > 0 || result == EAR_E_MORE);
		if (result > 0) {
			seen->frames++;
			seen->carry_size = 0;
		}
	}
}

/* Read to the end, in chunks of at most chunk bytes. frames: check that there are only frames. */
static void read_all(struct ear_session *session, struct seen *seen, size_t chunk, bool frames)
{
	struct ear_session_item item;
	uint64_t limit_ms = ear_clock_ms() + 30000;

	memset(seen, 0, sizeof(*seen));
	for (;;) {
		assert_below(ear_clock_ms(), limit_ms);
		int error = ear_session_next(session, &item, 20);
		if (error) {
			assert_int_equal(error, EAR_E_TIMEOUT);
			continue;
		}
		assert_int_equal(item.offset, seen->bytes);
		if (item.kind == EAR_SESSION_END)
			break;
		if (item.kind == EAR_SESSION_LOSS) {
			seen->losses++;
			seen->lost += item.loss_size;
			continue;
		}
		assert_above(item.size, 0);
		size_t size = item.size < chunk ? item.size : chunk;
		if (frames)
			count_frames(seen, item.bytes, size);
		seen->bytes += size;
		ear_session_consume(session, size);
	}
	seen->end = *item.end;
	assert_int_equal(ear_session_next(session, &item, 0), 0);
	assert_int_equal(item.kind, EAR_SESSION_END);
}

static int start(struct ear_session *session)
{
	struct ear_capture_config config;

	ear_capture_config_init(&config);
	return ear_session_start(session, &config);
}

static int check_leaks(void **state)
{
	(void)state;
	fail_allocation = -1;
	assert_int_equal(fake_transport_count, 0);
	return 0;
}

/* -- Capture -- */

/* Two units on one link: each has its own STOP, and the capture is of both. */
static void a_capture_of_two_units_ends_with_the_last_stop(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->frame_count = 20;
	fake->other_count = 8;
	fake->ends = true;
	struct ear_session *session = open_session(fake);
	assert_int_equal(start(session), 0);
	read_all(session, &seen, 4096, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(seen.end.stop_reason, EAR_STOP_ENDED);
	assert_int_equal(seen.end.retired, 210 + 80);
	assert_int_equal(seen.end.delivered, 210 + 80);
	ear_session_close(session);
}

static void a_capture_ends_complete_with_the_programs_end(void **state)
{
	(void)state;
	for (size_t chunk = 1; chunk <= 4096; chunk *= 4) {
		struct fake_transport *fake = fake_transport_new();
		struct seen seen;

		fake->frame_count = 100;
		fake->ends = true;
		struct ear_session *session = open_session(fake);
		assert_int_equal(start(session), 0);
		read_all(session, &seen, chunk, true);
		assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
		assert_int_equal(seen.end.stop_reason, EAR_STOP_ENDED);
		assert_true(seen.end.has_stop);
		assert_false(seen.end.stop_requested);
		assert_int_equal(seen.end.retired, 5 * 210);
		assert_int_equal(seen.end.delivered, 5 * 210);
		assert_int_equal(seen.frames, 2 + 100 + 1); /* two replies, frames, STOP */
		assert_int_equal(seen.carry_size, 0);
		assert_contains(seen.end.report.text, "the program has ended");
		ear_session_close(session);
	}
}

static void bytes_after_stop_are_not_of_the_capture(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	uint8_t frame[FAKE_FRAME_MAX];
	struct fake_unit other;
	struct ear_session_item item;
	struct seen seen;

	(void)state;
	fake->frame_count = 3;
	fake->ends = true;
	struct ear_session *session = open_session(fake);
	assert_int_equal(start(session), 0);
	while (!fake_unit_core_runs(&fake->unit)) /* looks at the answer to ENABLE */
		assert_int_equal(ear_session_next(session, &item, 1000), 0);
	fake_unit_init(&other);
	fake_transport_send(fake, frame, fake_unit_records(&other, frame, 5));
	fake_transport_flush(fake); /* STOP and what follows it are in the ring together */
	read_all(session, &seen, 100000, true);
	assert_int_equal(seen.frames, 2 + 3 + 1);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
	ear_session_close(session);
}

static void the_exit_status_of_the_device_is_reported(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->base.ends_by_itself = true;
	fake->frame_count = 1;
	fake->ends = fake->exits = true;
	struct ear_session *session = open_session(fake);
	assert_int_equal(start(session), 0);
	read_all(session, &seen, 100000, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(seen.end.exit_status, 7);
	ear_session_close(session);
}

static void an_exit_without_stop_is_an_incomplete_capture(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->frame_count = 4;
	fake->exits = true;
	struct ear_session *session = open_session(fake);
	assert_int_equal(start(session), 0);
	read_all(session, &seen, 100000, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_EXITED);
	assert_int_equal(seen.end.exit_status, 7);
	assert_false(seen.end.has_stop);
	assert_int_equal(seen.frames, 2 + 4);
	ear_session_close(session);
}

static void the_core_is_reset_configured_enabled_then_released(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_capture_config config;
	struct ear_session_item item;

	(void)state;
	fake->unit.registers[EAR_REG_CORE / 4] = 0; /* it runs already */
	struct ear_session *session = open_session(fake);
	ear_capture_config_init(&config);
	config.policy = EAR_POLICY_DROP;
	config.time_mode = EAR_TIME_MODE_SYNC;
	config.flush_cycles = 99;
	assert_int_equal(ear_session_start(session, &config), 0);
	assert_false(fake_unit_core_runs(&fake->unit));
	for (unsigned i = 0; i < 100 && !fake_unit_core_runs(&fake->unit); i++)
		if (ear_session_next(session, &item, 20) == 0)
			ear_session_consume(session, item.size);
	assert_true(fake_unit_core_runs(&fake->unit));
	assert_int_equal(fake->unit.registers[EAR_REG_CONTROL / 4], 1 | 2 | 1 << 2);
	assert_int_equal(fake->unit.registers[EAR_REG_FLUSH_CYCLES / 4], 99);
	ear_session_close(session);
}

static void a_running_core_can_be_joined(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_capture_config config;

	(void)state;
	fake->unit.registers[EAR_REG_CORE / 4] = 0;
	struct ear_session *session = open_session(fake);
	ear_capture_config_init(&config);
	config.keep_core_running = true;
	assert_int_equal(ear_session_start(session, &config), 0);
	assert_true(fake_unit_core_runs(&fake->unit));
	ear_session_close(session);
}

static void an_old_capture_is_ended_and_thrown_away(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	uint8_t frame[FAKE_FRAME_MAX];
	struct seen seen;

	(void)state;
	fake->unit.registers[EAR_REG_CONTROL / 4] = 1;
	fake->unit.registers[EAR_REG_STATUS / 4] = EAR_REG_STATUS_CAPTURING_MASK;
	fake->unit.registers[EAR_REG_CORE / 4] = 1;
	fake->frame_count = 2;
	fake->ends = true;
	struct ear_session *session = open_session(fake);
	fake_transport_send(fake, frame, fake_unit_records(&fake->unit, frame, 20));
	assert_int_equal(start(session), 0);
	assert_int_equal(fake->stop_count, 1);
	read_all(session, &seen, 100000, true);
	assert_int_equal(seen.frames, 2 + 2 + 1);
	assert_int_equal(seen.end.stop_reason, EAR_STOP_ENDED);
	ear_session_close(session);
}

/* A frame is cut by the start of the capture: the capture holds it whole. */
static void a_capture_does_not_begin_inside_of_a_frame(void **state)
{
	uint8_t frame[FAKE_FRAME_MAX];
	struct fake_unit other;

	(void)state;
	fake_unit_init(&other);
	size_t size = fake_unit_records(&other, frame, 10);
	for (size_t cut = 1; cut < size; cut += 7) {
		struct fake_transport *fake = fake_transport_new();
		struct seen seen;

		/* A unit with nothing to configure: after the read of STATUS comes ENABLE. */
		fake->unit.registers[EAR_REG_FEATURES / 4] = 0;
		fake->unit.registers[EAR_REG_CORE / 4] = 0;
		fake->split = frame;
		fake->split_at = cut;
		fake->split_size = size;
		struct ear_session *session = open_session(fake);
		assert_int_equal(start(session), 0);
		ear_session_stop(session);
		read_all(session, &seen, 5, true);
		assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
		assert_int_equal(seen.frames, 1 + 1 + 1 + 1); /* it, two replies, STOP */
		ear_session_close(session);
	}
}

static void stop_is_sent_to_the_unit_and_the_rest_is_read(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->frame_count = 50;
	struct ear_session *session = open_session(fake);
	assert_int_equal(start(session), 0);
	ear_session_stop(session);
	ear_session_stop(session);
	read_all(session, &seen, 1000, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(seen.end.stop_reason, EAR_STOP_HOST);
	assert_true(seen.end.stop_requested);
	assert_int_equal(seen.frames, 2 + 50 + 1 + 1); /* another reply, and STOP */
	assert_int_equal(fake->unit.registers[EAR_REG_CONTROL / 4], 0);
	ear_session_close(session);
}

static void a_unit_that_never_says_stop_is_left_after_a_while(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->frame_count = 2;
	fake->keeps_on = true;
	struct ear_session *session = open_impatient(fake, 10000, 150);
	assert_int_equal(start(session), 0);
	ear_session_stop(session);
	uint64_t begin_ms = ear_clock_ms();
	read_all(session, &seen, 1000, true);
	assert_at_least(ear_clock_ms() - begin_ms, 150);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_HOST);
	assert_contains(seen.end.report.text, "no STOP message");
	assert_int_equal(seen.frames, 2 + 2 + 1);
	ear_session_close(session);
}

static void a_unit_that_babbles_on_is_left_after_a_while(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->babbles = true;
	fake->base.flow_controlled = true;
	struct ear_session *session = open_impatient(fake, 10000, 150);
	assert_int_equal(start(session), 0);
	ear_session_stop(session);
	read_all(session, &seen, 100000, false);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_HOST);
	assert_contains(seen.end.report.text, "keeps sending");
	ear_session_close(session);
}

static void close_in_the_middle_leaves_nothing_behind(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session_options options = patient();
	struct ear_session *session;

	(void)state;
	fake->babbles = true;
	options.ring_size = 1024;
	options.ring_full = EAR_RING_FULL_WAIT;
	assert_int_equal(ear_session_open_transport(&session, &fake->base, &options, NULL), 0);
	assert_int_equal(start(session), 0);
	struct ear_session_item item;
	for (unsigned i = 0; i < 10; i++)
		if (ear_session_next(session, &item, 20) == 0)
			ear_session_consume(session, item.size);
	ear_session_close(session);
}

static void an_unanswered_enable_ends_the_capture_with_an_error(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->mute_enable = true;
	struct ear_session *session = open_impatient(fake, 40, 10000);
	assert_int_equal(start(session), 0);
	read_all(session, &seen, 1000, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_ERROR);
	assert_contains(seen.end.report.text,
		"no answer to a write of register CONTROL, asked 4 times: nothing came");
	assert_false(seen.end.stop_requested);
	ear_session_close(session);
}

static void registers_are_closed_during_a_capture(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = open_session(fake);
	uint32_t value;

	(void)state;
	assert_int_equal(start(session), 0);
	assert_int_equal(start(session), EAR_E_BAD_ARGUMENT);
	assert_int_equal(
		ear_session_read_register(session, EAR_REG_ID, &value), EAR_E_BAD_ARGUMENT);
	assert_contains(ear_session_message(session), "already started");
	ear_session_close(session);
}

/* A capture that the host stops, of a unit with these features. */
static struct ear_session *capture_with(struct fake_transport *fake, uint32_t features)
{
	struct seen seen;

	fake->frame_count = 5;
	fake->unit.registers[EAR_REG_FEATURES / 4] |= features;
	fake->unit.registers[EAR_REG_MISMATCHES / 4] = 12;
	struct ear_session *session = open_session(fake);
	assert_int_equal(ear_session_identify(session, NULL), 0);
	assert_int_equal(start(session), 0);
	ear_session_stop(session);
	read_all(session, &seen, 1000, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
	return session;
}

static void wrong_results_are_counted_after_the_end(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = capture_with(fake, EAR_REG_FEATURES_MISMATCH_MASK);
	struct ear_session_item item;
	uint32_t count;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(ear_session_count_mismatches(session, &count), 0);
		assert_int_equal(count, 12);
		assert_int_equal(ear_session_next(session, &item, 0), 0);
		assert_int_equal(item.kind, EAR_SESSION_END);
	}
	ear_session_close(session);
}

static void wrong_results_that_nobody_counts_are_not_asked_for(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = capture_with(fake, 0);
	unsigned words = fake->word_count;
	uint32_t count;

	(void)state;
	assert_int_equal(ear_session_count_mismatches(session, &count), EAR_E_UNSUPPORTED);
	assert_int_equal(fake->word_count, words);
	ear_session_close(session);

	fake = fake_transport_new();
	fake->unit.registers[EAR_REG_FEATURES / 4] |= EAR_REG_FEATURES_MISMATCH_MASK;
	session = open_session(fake);
	assert_int_equal(start(session), 0); /* the capture runs */
	assert_int_equal(ear_session_count_mismatches(session, &count), EAR_E_UNSUPPORTED);
	ear_session_close(session);
}

static void what_the_unit_cannot_do_is_refused_before_anything_is_written(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_capture_config config;

	(void)state;
	fake->unit.registers[EAR_REG_FEATURES / 4] = EAR_REG_FEATURES_CORE_MASK;
	struct ear_session *session = open_session(fake);
	ear_capture_config_init(&config);
	config.policy = EAR_POLICY_STALL;
	assert_int_equal(ear_session_start(session, &config), EAR_E_UNSUPPORTED);
	assert_contains(ear_session_message(session), "fake:unit: the unit was built without");
	assert_int_equal(fake->write_count, 8); /* the reads of identify */
	ear_session_close(session);
}

/* -- A device without registers -- */

static void a_dump_is_read_to_its_end(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	uint8_t frame[FAKE_FRAME_MAX];
	struct seen seen;

	(void)state;
	fake->base.controllable = false;
	struct ear_session *session = open_session(fake);
	assert_false(ear_session_controllable(session));
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_UNSUPPORTED);
	fake_transport_send(fake, frame, fake_unit_records(&fake->unit, frame, 5));
	fake_transport_send(fake, frame, fake_unit_stop(&fake->unit, frame, EAR_STOP_TRIGGER));
	fake_transport_send(fake, frame, fake_unit_records(&fake->unit, frame, 2));
	fake_transport_end(fake, EAR_TRANSPORT_END_OF_FILE);
	read_all(session, &seen, 100, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_OF_FILE);
	assert_true(seen.end.has_stop);
	assert_int_equal(seen.end.stop_reason, EAR_STOP_TRIGGER);
	assert_int_equal(seen.frames, 3);
	ear_session_close(session);
}

static void stop_ends_the_reading_of_a_dump(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct seen seen;

	(void)state;
	fake->base.controllable = false;
	struct ear_session *session = open_session(fake);
	ear_session_stop(session);
	read_all(session, &seen, 100, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_HOST);
	ear_session_close(session);
}

/* -- Loss on the host -- */

static void bytes_in_are_bytes_out_and_bytes_dropped(void **state)
{
	struct ear_session_options options = patient();
	struct ear_session_statistics statistics;
	struct ear_session *session;
	uint8_t frame[FAKE_FRAME_MAX];
	struct seen seen;
	uint64_t sent = 0;

	(void)state;
	struct fake_transport *fake = fake_transport_new();
	fake->base.controllable = false;
	options.ring_size = 8192;
	assert_int_equal(ear_session_open_transport(&session, &fake->base, &options, NULL), 0);
	for (unsigned i = 0; i < 200; i++) { /* nobody reads */
		size_t size = fake_unit_records(&fake->unit, frame, 1 + i % 20);

		fake_transport_send(fake, frame, size);
		sent += size;
	}
	fake_transport_flush(fake);
	for (unsigned i = 0; i < 10; i++) { /* a slow reader: some now, more frames, the rest */
		struct ear_session_item item;

		assert_int_equal(ear_session_next(session, &item, 100), 0);
		if (item.kind == EAR_SESSION_BYTES)
			break;
	}
	fake_transport_end(fake, EAR_TRANSPORT_VANISHED);
	read_all(session, &seen, 333, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_VANISHED);
	assert_int_equal(seen.bytes + seen.lost, sent);
	assert_int_equal(seen.losses, 1);
	ear_session_statistics(session, &statistics);
	assert_int_equal(statistics.received, sent);
	assert_int_equal(statistics.dropped, seen.lost);
	assert_int_equal(statistics.consumed, seen.bytes);
	assert_int_equal(statistics.drop_count, 1);
	assert_int_equal(statistics.ring_fill, 0);
	assert_int_equal(statistics.ring_size, 8192);
	assert_above(statistics.ring_fill_max, 7600);
	ear_session_close(session);
}

static void a_flow_controlled_device_waits_and_loses_nothing(void **state)
{
	struct ear_session_options options = patient();
	struct ear_session_statistics statistics;
	struct ear_session *session;
	struct seen seen;

	(void)state;
	struct fake_transport *fake = fake_transport_new();
	fake->base.flow_controlled = true;
	fake->frame_count = 400;
	fake->ends = true;
	options.ring_size = 1024;
	assert_int_equal(ear_session_open_transport(&session, &fake->base, &options, NULL), 0);
	assert_int_equal(start(session), 0);
	read_all(session, &seen, 100, true);
	assert_int_equal(seen.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(seen.frames, 2 + 400 + 1);
	ear_session_statistics(session, &statistics);
	assert_int_equal(statistics.dropped, 0);
	assert_above(statistics.wait_count, 0);
	ear_session_close(session);
}

static void the_rate_is_bytes_over_time(void **state)
{
	struct ear_session_statistics before = {.time_ms = 1000, .received = 500};
	struct ear_session_statistics after = {.time_ms = 1500, .received = 10500};

	(void)state;
	assert_int_equal(ear_session_rate(&before, &after), 20000);
	assert_int_equal(ear_session_rate(&before, &before), 0);
}

/* -- Failure at every point -- */

/* A whole session; what ended it comes back: 0, or the error of the call that failed. */
static int whole_session(struct fake_transport *fake, struct seen *seen)
{
	struct ear_session_options options = patient();
	struct ear_session *session;
	struct ear_report report = {""};

	options.stop_timeout_ms = 150; /* also how long a vanishing device may take */
	seen->end.reason = EAR_SESSION_END_STOP;
	int error = ear_session_open_transport(&session, &fake->base, &options, &report);
	if (error) {
		assert_contains(report.text, "fake:");
		return error;
	}
	error = start(session);
	if (error)
		assert_contains(ear_session_message(session), "fake:");
	else
		read_all(session, seen, 1000, true);
	ear_session_close(session);
	return error;
}

static void every_failing_call_is_the_error_that_comes_out(void **state)
{
	static const int errors[] = {EAR_E_IO, EAR_E_NO_DEVICE};
	struct seen seen;

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		bool failed = true;

		for (int call = 0; failed; call++) {
			struct fake_transport *fake = fake_transport_new();

			fake->fail_call = call;
			fake->fail_error = errors[k];
			fake->ends = true;
			int error = whole_session(fake, &seen);
			failed = error || seen.end.reason != EAR_SESSION_END_STOP;
			assert_true(error == 0 || error == errors[k]);
			if (error == 0 && failed) {
				assert_int_equal(seen.end.reason,
					k == 0 ? EAR_SESSION_END_ERROR : EAR_SESSION_END_VANISHED);
				assert_contains(seen.end.report.text, "fake:");
			}
			assert_true(failed || call >= 15); /* all of them were tried */
		}
	}
}

static void a_device_that_vanishes_at_any_word_is_reported(void **state)
{
	struct seen seen;
	bool failed = true;

	(void)state;
	for (int word = 0; failed; word++) {
		struct fake_transport *fake = fake_transport_new();

		fake->vanish_write = word;
		fake->ends = true;
		int error = whole_session(fake, &seen);
		failed = error || seen.end.reason != EAR_SESSION_END_STOP;
		assert_true(error == 0 || error == EAR_E_NO_DEVICE);
		if (error == 0 && failed) {
			assert_int_equal(seen.end.reason, EAR_SESSION_END_VANISHED);
			assert_string_equal(seen.end.report.text, "fake: it has ended");
		}
		assert_true(failed || word >= 14);
	}
}

static void out_of_memory_at_any_point_is_reported(void **state)
{
	struct ear_session *session;
	struct ear_session_options options = patient();
	int error = EAR_E_NO_MEMORY;

	(void)state;
	options.record_path = "/dev/null";
	for (int number = 0; error; number++) {
		struct fake_transport *fake = fake_transport_new();
		struct ear_report report = {""};

		allocation_count = 0;
		fail_allocation = number;
		error = ear_session_open_transport(&session, &fake->base, &options, &report);
		fail_allocation = -1;
		if (error) {
			assert_int_equal(error, EAR_E_NO_MEMORY);
			assert_null(session);
			assert_different(report.text[0], '\0');
		} else {
			assert_at_least(number, 3); /* session, ring, recorder */
			ear_session_close(session);
		}
		assert_int_equal(fake_transport_count, 0);
	}
}

#define TEST(name) cmocka_unit_test_teardown(name, check_leaks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_capture_ends_complete_with_the_programs_end),
		TEST(a_capture_of_two_units_ends_with_the_last_stop),
		TEST(bytes_after_stop_are_not_of_the_capture),
		TEST(the_exit_status_of_the_device_is_reported),
		TEST(an_exit_without_stop_is_an_incomplete_capture),
		TEST(the_core_is_reset_configured_enabled_then_released),
		TEST(a_running_core_can_be_joined),
		TEST(an_old_capture_is_ended_and_thrown_away),
		TEST(a_capture_does_not_begin_inside_of_a_frame),
		TEST(stop_is_sent_to_the_unit_and_the_rest_is_read),
		TEST(a_unit_that_never_says_stop_is_left_after_a_while),
		TEST(a_unit_that_babbles_on_is_left_after_a_while),
		TEST(close_in_the_middle_leaves_nothing_behind),
		TEST(an_unanswered_enable_ends_the_capture_with_an_error),
		TEST(registers_are_closed_during_a_capture),
		TEST(wrong_results_are_counted_after_the_end),
		TEST(wrong_results_that_nobody_counts_are_not_asked_for),
		TEST(what_the_unit_cannot_do_is_refused_before_anything_is_written),
		TEST(a_dump_is_read_to_its_end),
		TEST(stop_ends_the_reading_of_a_dump),
		TEST(bytes_in_are_bytes_out_and_bytes_dropped),
		TEST(a_flow_controlled_device_waits_and_loses_nothing),
		TEST(the_rate_is_bytes_over_time),
		TEST(every_failing_call_is_the_error_that_comes_out),
		TEST(a_device_that_vanishes_at_any_word_is_reported),
		TEST(out_of_memory_at_any_point_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
