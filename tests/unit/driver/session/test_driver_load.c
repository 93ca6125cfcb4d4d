/* Loading memory through a fake unit: whole and in part, over a link that loses words, and all the
 * ways in which it cannot be done.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "driver/session/session_load.h"
#include "fake_transport.h"

#define BASE 0x80000000u

static struct fake_transport *make_fake(void)
{
	struct fake_transport *fake = fake_transport_new();

	fake->unit.registers[EAR_REG_FEATURES / 4] |= EAR_REG_FEATURES_LOAD_MASK;
	memset(fake->unit.memory, 0xAA, sizeof(fake->unit.memory));
	return fake;
}

static struct ear_session *open_session(struct fake_transport *fake, unsigned reply_timeout_ms)
{
	struct ear_session_options options;
	struct ear_session *session;
	struct ear_report report;

	ear_session_options_init(&options);
	options.reply_timeout_ms = reply_timeout_ms;
	options.retries = 15; /* the machine may be slow */
	options.stop_timeout_ms = 100;
	assert_int_equal(ear_session_open_transport(&session, &fake->base, &options, &report), 0);
	return session;
}

static uint8_t byte_of(const struct fake_transport *fake, uint32_t address)
{
	return (uint8_t)(fake->unit.memory[(address - BASE) / 4] >> 8 * (address % 4));
}

static void fill(uint8_t *bytes, size_t size)
{
	uint32_t state = 1;

	for (size_t i = 0; i < size; i++) {
		state = state * 1103515245 + 12345;
		bytes[i] = (uint8_t)(state >> 16);
	}
}

static void assert_loaded(
	const struct fake_transport *fake, uint32_t address, const uint8_t *bytes, size_t size)
{
	for (uint32_t at = address - 8; at < address; at++)
		assert_int_equal(byte_of(fake, at), 0xAA);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(byte_of(fake, address + (uint32_t)i), bytes[i]);
	for (uint32_t at = address + (uint32_t)size; at < address + size + 8; at++)
		assert_int_equal(byte_of(fake, at), 0xAA);
}

static void every_place_and_size_is_loaded_and_nothing_beside(void **state)
{
	uint8_t bytes[13];

	(void)state;
	fill(bytes, sizeof(bytes));
	for (uint32_t offset = 0; offset < 4; offset++) {
		for (size_t size = 0; size <= sizeof(bytes); size++) {
			struct fake_transport *fake = make_fake();
			struct ear_session *session = open_session(fake, 10000);

			assert_int_equal(ear_session_load_begin(session), 0);
			/* Across the border of two windows. */
			uint32_t address = BASE + 0x8000 - 8 + offset;
			assert_int_equal(
				ear_session_load(session, address, bytes, size, NULL, NULL), 0);
			assert_loaded(fake, address, bytes, size);
			ear_session_close(session);
		}
	}
}

static void count_progress(void *context, size_t done)
{
	size_t *last = context;

	assert_above(done, *last);
	*last = done;
}

static void a_program_is_loaded_with_the_core_in_reset_and_then_runs(void **state)
{
	static uint8_t bytes[70000];

	(void)state;
	fill(bytes, sizeof(bytes));
	for (unsigned runs = 0; runs < 2; runs++) {
		struct fake_transport *fake = make_fake();
		size_t done = 0;

		fake->base.unpaced = runs;
		fake->unit.registers[EAR_REG_CORE / 4] = 0;
		struct ear_session *session = open_session(fake, 10000);
		assert_int_equal(ear_session_load_begin(session), 0);
		assert_false(fake_unit_core_runs(&fake->unit));
		assert_int_equal(ear_session_load(session, BASE + 64, bytes, sizeof(bytes),
					 count_progress, &done),
			0);
		assert_int_equal(done, sizeof(bytes));
		assert_loaded(fake, BASE + 64, bytes, sizeof(bytes));
		assert_int_equal(ear_session_load_end(session, BASE + 64, runs), 0);
		assert_int_equal(fake->unit.registers[EAR_REG_BOOT / 4], BASE + 64);
		assert_int_equal(fake_unit_core_runs(&fake->unit), runs);
		ear_session_close(session);
	}
}

/* Every other control word is lost at first; nothing is written wrong, and it all arrives. */
static void words_that_are_lost_are_sent_again(void **state)
{
	uint8_t bytes[400];

	(void)state;
	fill(bytes, sizeof(bytes));
	struct fake_transport *fake = make_fake();
	struct ear_session *session = open_session(fake, 40);
	assert_int_equal(ear_session_load_begin(session), 0);
	fake->lose_words = fake->word_count + 60;
	assert_int_equal(ear_session_load(session, BASE + 64, bytes, sizeof(bytes), NULL, NULL), 0);
	assert_loaded(fake, BASE + 64, bytes, sizeof(bytes));
	struct ear_session_statistics statistics;
	ear_session_statistics(session, &statistics);
	assert_above(statistics.control_resent, 10);
	ear_session_close(session);
}

static void an_address_without_memory_is_reported(void **state)
{
	uint8_t bytes[64] = {0};

	(void)state;
	struct fake_transport *fake = make_fake();
	struct ear_session *session = open_session(fake, 10000);
	assert_int_equal(ear_session_load_begin(session), 0);
	assert_int_equal(ear_session_load(session, BASE + FAKE_MEMORY_SIZE - 16, bytes,
				 sizeof(bytes), NULL, NULL),
		EAR_E_REFUSED);
	assert_contains(ear_session_message(session), "no memory at 0x80018000");
	ear_session_close(session);
}

static void a_memory_that_does_not_hold_it_is_reported(void **state)
{
	uint8_t bytes[64] = {0};

	(void)state;
	struct fake_transport *fake = make_fake();
	fake->unit.stuck = 0x00100000;
	struct ear_session *session = open_session(fake, 10000);
	assert_int_equal(ear_session_load_begin(session), 0);
	assert_int_equal(
		ear_session_load(session, BASE, bytes, sizeof(bytes), NULL, NULL), EAR_E_IO);
	assert_contains(ear_session_message(session),
		"memory at 0x80000000 holds 0x00100000 after 0x00000000");
	ear_session_close(session);
}

static void a_unit_that_cannot_is_refused(void **state)
{
	static const uint32_t lacks[] = {EAR_REG_FEATURES_LOAD_MASK, EAR_REG_FEATURES_CORE_MASK};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fake_transport *fake = make_fake();
		fake->unit.registers[EAR_REG_FEATURES / 4] &= ~lacks[i];
		struct ear_session *session = open_session(fake, 10000);
		assert_int_equal(ear_session_load_begin(session), EAR_E_UNSUPPORTED);
		assert_contains(ear_session_message(session), "without access to");
		ear_session_close(session);
	}
}

static void silence_and_a_device_that_vanishes_are_reported(void **state)
{
	uint8_t bytes[4000] = {0};

	(void)state;
	for (unsigned vanishes = 0; vanishes < 2; vanishes++) {
		struct fake_transport *fake = make_fake();
		struct ear_session *session = open_session(fake, vanishes ? 10000 : 40);
		assert_int_equal(ear_session_load_begin(session), 0);
		if (vanishes)
			fake->vanish_write = (int)fake->write_count + 100;
		else
			fake->mute = true;
		/* The register LOAD_BASE, or a word of the memory, whatever finds nobody. */
		assert_int_equal(ear_session_load(session, BASE, bytes, sizeof(bytes), NULL, NULL),
			vanishes ? EAR_E_NO_DEVICE : EAR_E_TIMEOUT);
		ear_session_close(session);
	}
}

static void count_then_mute(void *context, size_t done)
{
	struct fake_transport *fake = context;

	fake->mute = done > 1000;
}

static void silence_in_the_middle_is_reported(void **state)
{
	uint8_t bytes[4000] = {0};

	(void)state;
	struct fake_transport *fake = make_fake();
	struct ear_session *session = open_session(fake, 40);
	assert_int_equal(ear_session_load_begin(session), 0);
	assert_int_equal(
		ear_session_load(session, BASE, bytes, sizeof(bytes), count_then_mute, fake),
		EAR_E_TIMEOUT);
	assert_contains(ear_session_message(session), "no answer to a write of memory");
	ear_session_close(session);
}

static void stop_after_a_while(void *context, size_t done)
{
	if (done > 1000)
		ear_session_stop(context);
}

static void a_stop_in_the_middle_leaves_the_core_in_reset(void **state)
{
	uint8_t bytes[4000] = {0};

	(void)state;
	struct fake_transport *fake = make_fake();
	struct ear_session *session = open_session(fake, 10000);
	assert_int_equal(ear_session_load_begin(session), 0);
	assert_int_equal(
		ear_session_load(session, BASE, bytes, sizeof(bytes), stop_after_a_while, session),
		EAR_E_REFUSED);
	assert_contains(ear_session_message(session), "the program is loaded in part");
	assert_false(fake_unit_core_runs(&fake->unit));
	assert_int_equal(byte_of(fake, BASE + sizeof(bytes) - 4), 0xAA);
	ear_session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_place_and_size_is_loaded_and_nothing_beside),
		cmocka_unit_test(a_program_is_loaded_with_the_core_in_reset_and_then_runs),
		cmocka_unit_test(words_that_are_lost_are_sent_again),
		cmocka_unit_test(an_address_without_memory_is_reported),
		cmocka_unit_test(a_memory_that_does_not_hold_it_is_reported),
		cmocka_unit_test(a_unit_that_cannot_is_refused),
		cmocka_unit_test(silence_and_a_device_that_vanishes_are_reported),
		cmocka_unit_test(silence_in_the_middle_is_reported),
		cmocka_unit_test(a_stop_in_the_middle_leaves_the_core_in_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
