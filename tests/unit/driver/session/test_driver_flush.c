/* A unit that predicts and is silent: it is asked for what waits in it, and nothing else suffers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <earshot/error.h>

#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "fake_transport.h"

#define PREDICTS EAR_REG_FEATURES_PREDICT_MASK
#define ITSELF   (PREDICTS | EAR_REG_FEATURES_RUN_FLUSH_MASK)
#define COMMAND  (EAR_REG_COMMAND / 4)

/* A capture of a unit that sends nothing but answers. */
static struct ear_session *begin(
	struct fake_transport *fake, uint32_t features, unsigned silence_ms, unsigned reply_ms)
{
	struct ear_session_options options;
	struct ear_capture_config config;
	struct ear_session *session;
	struct ear_report report;

	fake->unit.registers[EAR_REG_FEATURES / 4] = features;
	ear_session_options_init(&options);
	assert_int_equal(options.silence_ms, 400);
	options.silence_ms = silence_ms;
	options.reply_timeout_ms = reply_ms;
	if (ear_session_open_transport(&session, &fake->base, &options, &report))
		fail_msg("%s", report.text);
	ear_capture_config_init(&config);
	if (ear_session_start(session, &config))
		fail_msg("%s", ear_session_message(session));
	return session;
}

/* Take what comes, until the unit has got so many words or the time is over. */
static void take(struct ear_session *session, const struct fake_transport *fake, unsigned words,
	unsigned time_ms)
{
	struct ear_session_item item;
	uint64_t limit_ms = ear_clock_ms() + time_ms;

	while (fake->word_count < words && ear_clock_ms() < limit_ms)
		if (ear_session_next(session, &item, 2) == 0) {
			assert_int_equal(item.kind, EAR_SESSION_BYTES);
			ear_session_consume(session, item.size);
		}
}

/* The same; it has to get them. */
static void await_words(
	struct ear_session *session, const struct fake_transport *fake, unsigned words)
{
	take(session, fake, words, 30000);
	assert_true(fake->word_count >= words);
}

static void stop(struct ear_session *session)
{
	struct ear_session_item item;
	uint64_t limit_ms = ear_clock_ms() + 30000;

	ear_session_stop(session);
	do {
		if (ear_session_next(session, &item, 20))
			continue;
		if (item.kind == EAR_SESSION_BYTES)
			ear_session_consume(session, item.size);
		if (item.kind == EAR_SESSION_END)
			break;
	} while (ear_clock_ms() < limit_ms);
	assert_int_equal(item.kind, EAR_SESSION_END);
	assert_int_equal(item.end->reason, EAR_SESSION_END_STOP);
	ear_session_close(session);
}

static void a_silent_unit_is_asked_again_and_again(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, PREDICTS, 10, 10000);

	(void)state;
	await_words(session, fake, fake->word_count + 12);
	assert_int_equal(fake->unit.registers[COMMAND], EAR_REG_COMMAND_FLUSH_MASK);
	stop(session);
}

static void a_unit_of_raw_mode_is_not_asked(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, 0, 10, 10000);
	unsigned words = fake->word_count;

	(void)state;
	take(session, fake, words + 100, 200);
	assert_int_equal(fake->word_count, words);
	stop(session);
}

static void silence_of_0_asks_nobody(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, PREDICTS, 0, 10000);
	unsigned words = fake->word_count;

	(void)state;
	take(session, fake, words + 100, 200);
	assert_int_equal(fake->word_count, words);
	stop(session);
}

static void while_records_come_nobody_is_asked(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, PREDICTS, 500, 10000);
	uint8_t frame[FAKE_FRAME_MAX];
	unsigned words = fake->word_count;

	(void)state;
	for (uint64_t end_ms = ear_clock_ms() + 700; ear_clock_ms() < end_ms;) {
		fake_transport_send(fake, frame, fake_unit_records(&fake->unit, frame, 3));
		take(session, fake, words + 100, 5);
	}
	assert_int_equal(fake->word_count, words);
	stop(session);
}

/* 10, 20, 40, 80, 160, 320 ms after the answer before. */
static void where_nothing_waits_is_asked_ever_more_rarely(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, ITSELF, 10, 10000);
	uint8_t frame[FAKE_FRAME_MAX];

	(void)state;
	uint64_t begin_ms = ear_clock_ms();
	await_words(session, fake, fake->word_count + 6);
	assert_true(ear_clock_ms() - begin_ms >= 600);

	/* Something comes: 10 ms again, not 640. */
	fake_transport_send(fake, frame, fake_unit_records(&fake->unit, frame, 3));
	begin_ms = ear_clock_ms();
	await_words(session, fake, fake->word_count + 1);
	assert_true(ear_clock_ms() - begin_ms < 600);
	stop(session);
}

static void without_an_answer_the_capture_goes_on(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, PREDICTS, 10, 20);

	(void)state;
	await_words(session, fake, fake->word_count + 2);
	fake->mute = true;
	await_words(session, fake, fake->word_count + 9); /* given up twice */
	fake->mute = false;
	await_words(session, fake, fake->word_count + 3);
	stop(session);
}

static void a_sync_is_asked_for_after_it(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, PREDICTS, 10, 50);

	(void)state;
	await_words(session, fake, fake->word_count + 2);
	fake->mute = true;
	await_words(session, fake, fake->word_count + 2);
	ear_session_resync(session);
	ear_session_resync(session); /* once is enough */
	fake->mute = false;
	for (unsigned i = 0; fake->unit.registers[COMMAND] != EAR_REG_COMMAND_SYNC_MASK; i++) {
		assert_true(i < 20);
		await_words(session, fake, fake->word_count + 1);
	}
	stop(session);
}

static void await_answers(struct ear_session *session, struct fake_transport *fake)
{
	for (unsigned i = 0; !ear_session_is_answered(session); i++) {
		assert_true(i < 1000);
		take(session, fake, UINT32_MAX, 5);
	}
}

static void a_core_is_held_and_all_of_it_fetched(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session =
		begin(fake, PREDICTS | EAR_REG_FEATURES_CORE_MASK, 10000, 1000);

	(void)state;
	await_answers(session, fake);
	unsigned words = fake->word_count;
	assert_int_equal(ear_session_hold_core(session, true), 0);
	assert_int_equal(ear_session_fetch(session), 0);
	assert_false(ear_session_is_answered(session));
	await_answers(session, fake);
	assert_int_equal(fake->word_count, words + 2);
	assert_int_equal(fake->unit.registers[EAR_REG_CORE / 4], EAR_REG_CORE_HALT_MASK);
	assert_int_equal(fake->unit.registers[COMMAND], EAR_REG_COMMAND_FLUSH_MASK);
	assert_int_equal(ear_session_hold_core(session, false), 0);
	await_answers(session, fake);
	assert_int_equal(fake->unit.registers[EAR_REG_CORE / 4], 0);
	while (ear_session_hold_core(session, true) == 0)
		words++;
	assert_int_equal(ear_session_hold_core(session, true), EAR_E_FULL);
	await_answers(session, fake);
	stop(session);
}

static void a_unit_without_a_core_holds_none(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = begin(fake, 0, 10000, 1000);

	(void)state;
	await_answers(session, fake);
	unsigned words = fake->word_count;
	assert_int_equal(ear_session_hold_core(session, true), EAR_E_UNSUPPORTED);
	assert_int_equal(ear_session_fetch(session), 0);
	await_answers(session, fake);
	assert_int_equal(fake->word_count, words + 1);
	ear_session_stop(session);
	assert_int_equal(ear_session_fetch(session), 0); /* it is not known there yet */
	await_words(session, fake, words + 3);
	assert_int_equal(ear_session_fetch(session), EAR_E_UNSUPPORTED);
	stop(session);
}

static int check_leaks(void **state)
{
	(void)state;
	assert_int_equal(fake_transport_count, 0);
	return 0;
}

#define TEST(name) cmocka_unit_test_teardown(name, check_leaks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_silent_unit_is_asked_again_and_again),
		TEST(a_unit_of_raw_mode_is_not_asked),
		TEST(silence_of_0_asks_nobody),
		TEST(while_records_come_nobody_is_asked),
		TEST(a_core_is_held_and_all_of_it_fetched),
		TEST(a_unit_without_a_core_holds_none),
		TEST(where_nothing_waits_is_asked_ever_more_rarely),
		TEST(without_an_answer_the_capture_goes_on),
		TEST(a_sync_is_asked_for_after_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
