/* The link test of a session (ear_session_start_test) against a fake unit. */
#include "check.h"

#include <earshot/error.h>
#include <string.h>

#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "fake_transport.h"

static struct ear_session *open_session(struct fake_transport *fake, unsigned stop_timeout_ms)
{
	struct ear_session_options options;
	struct ear_session *session;
	struct ear_report report;

	ear_session_options_init(&options);
	options.reply_timeout_ms = 10000;
	options.stop_timeout_ms = stop_timeout_ms;
	assert_int_equal(ear_session_open_transport(&session, &fake->base, &options, &report), 0);
	return session;
}

/* Read to the end. Returns the bytes; *end is what came last. */
static uint64_t read_all(struct ear_session *session, struct ear_session_end *end)
{
	uint64_t limit_ms = ear_clock_ms() + 30000, bytes = 0;
	struct ear_session_item item;

	for (;;) {
		assert_below(ear_clock_ms(), limit_ms);
		if (ear_session_next(session, &item, 20) != 0)
			continue;
		if (item.kind == EAR_SESSION_END)
			break;
		assert_int_equal(item.kind, EAR_SESSION_BYTES);
		bytes += item.size;
		ear_session_consume(session, item.size);
	}
	*end = *item.end;
	return bytes;
}

/* So many TEST frames in front of the answer to "off". */
static void send_tests(struct fake_transport *fake, unsigned count)
{
	uint8_t frame[FAKE_FRAME_MAX];

	while (count-- > 0)
		fake_transport_send(fake, frame, fake_unit_test(&fake->unit, frame));
}

static void a_test_ends_with_the_answer_that_the_source_is_off(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session_end end;

	(void)state;
	fake->unit.registers[EAR_REG_TEST_NUMBER / 4] = 77;
	struct ear_session *session = open_session(fake, 10000);
	assert_int_equal(ear_session_start_test(session), 0);
	fake_transport_flush(fake);
	assert_true(fake_unit_testing(&fake->unit));
	assert_int_equal(fake->unit.registers[EAR_REG_TEST_NUMBER / 4], 0);
	send_tests(fake, 20);
	ear_session_stop(session);
	assert_int_equal(read_all(session, &end), 24 + 20 * EAR_FRAME_SIZE_MAX + 24);
	assert_int_equal(end.reason, EAR_SESSION_END_STOP);
	assert_false(end.has_stop);
	assert_contains(end.report.text, "the test has ended");
	assert_false(fake_unit_testing(&fake->unit));
	assert_false(fake_unit_core_runs(&fake->unit)); /* as it was */
	ear_session_close(session);
}

static void a_test_of_somebody_else_is_ended_by_a_capture_and_by_a_test(void **state)
{
	(void)state;
	for (unsigned test = 0; test < 2; test++) {
		struct fake_transport *fake = fake_transport_new();
		struct ear_capture_config config;
		struct ear_session_end end;

		fake->ends = true;
		fake->unit.registers[EAR_REG_TEST / 4] = 1;
		struct ear_session *session = open_session(fake, 10000);
		send_tests(fake, 30);
		ear_capture_config_init(&config);
		if (test) {
			assert_int_equal(ear_session_start_test(session), 0);
			ear_session_stop(session);
			assert_int_equal(read_all(session, &end), 24 + 24);
		} else {
			assert_int_equal(ear_session_start(session, &config), 0);
			assert_int_equal(fake->unit.registers[EAR_REG_TEST / 4], 0);
			read_all(session, &end);
		}
		assert_int_equal(end.reason, EAR_SESSION_END_STOP);
		ear_session_close(session);
	}
}

static void a_unit_without_a_source_is_refused(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->unit.registers[EAR_REG_FEATURES / 4] &= ~EAR_REG_FEATURES_TEST_MASK;
	struct ear_session *session = open_session(fake, 10000);
	assert_int_equal(ear_session_start_test(session), EAR_E_UNSUPPORTED);
	assert_contains(ear_session_message(session), "without a test source");
	assert_int_equal(fake->unit.registers[EAR_REG_TEST / 4], 0);
	ear_session_close(session);
}

static void a_device_that_vanishes_ends_the_test(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session_end end;

	(void)state;
	struct ear_session *session = open_session(fake, 10000);
	assert_int_equal(ear_session_start_test(session), 0);
	send_tests(fake, 5);
	fake_transport_end(fake, EAR_TRANSPORT_VANISHED);
	assert_int_equal(read_all(session, &end), 24 + 5 * EAR_FRAME_SIZE_MAX);
	assert_int_equal(end.reason, EAR_SESSION_END_VANISHED);
	ear_session_close(session);
}

static void a_unit_that_does_not_say_that_it_is_off_is_given_up(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session_end end;

	(void)state;
	struct ear_session *session = open_session(fake, 100);
	assert_int_equal(ear_session_start_test(session), 0);
	fake_transport_flush(fake);
	fake->mute = true;
	ear_session_stop(session);
	read_all(session, &end);
	assert_int_equal(end.reason, EAR_SESSION_END_HOST);
	assert_contains(end.report.text, "did not confirm the end of the test");
	ear_session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_ends_with_the_answer_that_the_source_is_off),
		cmocka_unit_test(a_test_of_somebody_else_is_ended_by_a_capture_and_by_a_test),
		cmocka_unit_test(a_unit_without_a_source_is_refused),
		cmocka_unit_test(a_device_that_vanishes_ends_the_test),
		cmocka_unit_test(a_unit_that_does_not_say_that_it_is_off_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
