/* A session asks the unit who it is: every answer, and what may come instead of one. */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "driver/base/clock.h"
#include "driver/session/session.h"
#include "fake_transport.h"
#include "session_open.h"

static int check_leaks(void **state)
{
	(void)state;
	assert_int_equal(fake_transport_count, 0);
	return 0;
}

static void identify_reads_who_the_unit_is(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = open_session(fake);
	struct ear_identity identity;

	(void)state;
	assert_int_equal(ear_session_identify(session, &identity), 0);
	assert_int_equal(identity.protocol_major, 1);
	assert_int_equal(identity.protocol_minor, EAR_PROTOCOL_MINOR);
	assert_int_equal(identity.unit_version, 0x0107);
	assert_int_equal(identity.xlen, 32);
	assert_int_equal(identity.nret, 1);
	assert_int_equal(identity.flen, 0);
	assert_int_equal(identity.csr_slots, 4);
	assert_int_equal(identity.features, 0xFF);
	assert_int_equal(identity.hart, 3);
	assert_int_equal(identity.clock_hz, 12000000);
	assert_int_equal(identity.buffer_records, 512);
	assert_int_equal(identity.buffer_payload, 256 * 64);
	assert_string_equal(ear_session_message(session), "");
	ear_session_close(session);
}

static void a_newer_minor_is_accepted(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->unit.registers[EAR_REG_PROTOCOL / 4] = 1u << 16 | 9;
	struct ear_session *session = open_session(fake);
	assert_int_equal(ear_session_identify(session, NULL), 0);
	ear_session_close(session);
}

static void another_major_is_refused_with_both_numbers(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->unit.registers[EAR_REG_PROTOCOL / 4] = 2u << 16 | 5;
	struct ear_session *session = open_session(fake);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_VERSION);
	assert_string_equal(ear_session_message(session),
		"fake:unit: the unit speaks protocol 2.5, this earshot speaks 1.4; use the "
		"release of earshot that belongs to the unit, or update the unit");
	ear_session_close(session);
}

static void frames_of_another_major_are_refused_with_both_numbers(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->unit.major = 3;
	struct ear_session *session = open_impatient(fake, 40, 10000);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_VERSION);
	assert_string_equal(ear_session_message(session),
		"fake:unit: the unit speaks protocol 3, this earshot speaks 1.4; use the "
		"release of earshot that belongs to the unit, or update the unit");
	ear_session_close(session);
}

static void another_id_is_no_unit(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->unit.registers[EAR_REG_ID / 4] = 0x12345678;
	struct ear_session *session = open_session(fake);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_NO_DEVICE);
	assert_contains(ear_session_message(session), "0x12345678");
	ear_session_close(session);
}

static void silence_is_a_timeout_after_all_repetitions(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->mute = true;
	struct ear_session *session = open_impatient(fake, 40, 10000);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_TIMEOUT);
	assert_contains(ear_session_message(session), "register ID");
	assert_int_equal(fake->write_count, 4);
	ear_session_close(session);
}

/* A mute unit, and instead of its answers these bytes, as one push. */
static void expect_no_answer(
	const char *checks, const uint8_t *bytes, size_t size, const char *message)
{
	struct fake_transport *fake = fake_transport_new();

	fake->mute = true;
	fake->base.checks = checks;
	struct ear_session *session = open_impatient(fake, 20, 10000);
	if (size > 0)
		fake_transport_send(fake, bytes, size);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_TIMEOUT);
	assert_string_equal(ear_session_message(session), message);
	ear_session_close(session);
}

#define ASKED "fake:unit: no answer to a read of register ID, asked 4 times: "

static void what_came_instead_of_an_answer_is_said(void **state)
{
	const uint8_t noise[] = {0x00, 0xFF, 0x81, 0x00, 0xE0, 0x1C, 0x80, 0x00, 0x55, 0x66};
	const char *text = "\r\nBooting Zephyr OS\r\n*** build v3.5.0, a very long line\x1b[0m";
	struct fake_unit unit;
	uint8_t frames[2 * FAKE_FRAME_MAX];

	(void)state;
	expect_no_answer(NULL, NULL, 0, ASKED "nothing came");
	expect_no_answer("the power", NULL, 0, ASKED "nothing came; check the power");
	expect_no_answer("the baud rate", noise, sizeof(noise),
		ASKED "10 bytes came that are not an Earshot frame (00 FF 81 00 E0 1C 80 00 ...); "
		      "check the baud rate");
	expect_no_answer(NULL, noise, 1, ASKED "1 byte came that is not an Earshot frame (00)");
	expect_no_answer("the port", (const uint8_t *)text, strlen(text),
		ASKED "text came, as from a console: \"Booting Zephyr OS *** build v3.5.0, a ve\"; "
		      "check the port");

	fake_unit_init(&unit);
	size_t first = fake_unit_records(&unit, frames, 3);
	size_t both = first + fake_unit_records(&unit, frames + first, 3);
	expect_no_answer(NULL, frames, both,
		ASKED "2 frames of a unit came, but no answer, so control words may not reach it");
	/* Who joins in the middle of a frame sees its rest first. */
	expect_no_answer(NULL, frames + 5, both - 5,
		ASKED "1 frame of a unit came, but no answer, so control words may not reach it");
	/* A frame that begins and does not end is none. */
	expect_no_answer(
		NULL, frames, 3, ASKED "3 bytes came that are not an Earshot frame (E5 A1 01)");
}

static void the_longest_message_holds_what_to_check(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	char checks[160];

	(void)state;
	memset(fake->base.name, 'n', sizeof(fake->base.name) - 1);
	memset(checks, 'c', sizeof(checks) - 1);
	checks[sizeof(checks) - 1] = '\0';
	fake->mute = true;
	fake->base.checks = checks;
	struct ear_session *session = open_impatient(fake, 20, 10000);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_TIMEOUT);
	assert_contains(ear_session_message(session), "nothing came; check ccc");
	ear_session_close(session);
}

/* What came before an answer is not held against the next word. */
static void only_what_came_since_the_question_is_said(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	const uint8_t noise[] = {0x00, 0xFF, 0x81};
	uint32_t value;

	(void)state;
	fake->mute_enable = true;
	struct ear_session *session = open_impatient(fake, 100, 10000);
	fake_transport_send(fake, noise, sizeof(noise));
	assert_int_equal(ear_session_read_register(session, EAR_REG_ID, &value), 0);
	assert_int_equal(ear_session_write_register(session, EAR_REG_CONTROL, 0), EAR_E_TIMEOUT);
	assert_contains(
		ear_session_message(session), "register CONTROL, asked 4 times: nothing came");
	ear_session_close(session);
}

static void lost_words_are_sent_again(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session_statistics statistics;

	(void)state;
	fake->lose_words = 6;
	struct ear_session *session = open_impatient(fake, 40, 10000);
	assert_int_equal(ear_session_identify(session, NULL), 0);
	ear_session_statistics(session, &statistics);
	assert_at_least(statistics.control_resent, 3); /* more on a slow machine */
	ear_session_close(session);
}

static void a_wrong_tag_is_no_answer(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->unit.tag_change = 1;
	struct ear_session *session = open_impatient(fake, 40, 10000);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_TIMEOUT);
	ear_session_close(session);
}

static void a_wrong_address_is_no_answer(void **state)
{
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->unit.address_change = 4;
	struct ear_session *session = open_impatient(fake, 40, 10000);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_TIMEOUT);
	ear_session_close(session);
}

static void noise_before_the_frames_is_passed_over(void **state)
{
	static const uint8_t noise[] = {0xE5, 0xA1, 0x01, 0x00, 0x00, 0xE5, 0x00, 0x00, 0xE5};
	struct fake_transport *fake = fake_transport_new();

	(void)state;
	fake->noise = noise;
	fake->noise_size = sizeof(noise);
	struct ear_session *session = open_session(fake);
	assert_int_equal(ear_session_identify(session, NULL), 0);
	ear_session_close(session);
}

static void a_refused_word_says_why(void **state)
{
	struct fake_transport *fake = fake_transport_new();
	struct ear_session *session = open_session(fake);
	uint32_t value;

	(void)state;
	assert_int_equal(ear_session_write_register(session, EAR_REG_ID, 1), EAR_E_REFUSED);
	assert_contains(ear_session_message(session), "refused to write register ID");
	assert_int_equal(ear_session_read_register(session, 0x7F0, &value), EAR_E_REFUSED);
	assert_contains(ear_session_message(session), "no such register");
	assert_int_equal(ear_session_write_register(session, EAR_REG_FLUSH_CYCLES, 5), 0);
	assert_int_equal(ear_session_read_register(session, EAR_REG_FLUSH_CYCLES, &value), 0);
	assert_int_equal(value, 5);
	ear_session_close(session);
}

#define TEST(name) cmocka_unit_test_teardown(name, check_leaks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(identify_reads_who_the_unit_is),
		TEST(a_newer_minor_is_accepted),
		TEST(another_major_is_refused_with_both_numbers),
		TEST(frames_of_another_major_are_refused_with_both_numbers),
		TEST(another_id_is_no_unit),
		TEST(silence_is_a_timeout_after_all_repetitions),
		TEST(what_came_instead_of_an_answer_is_said),
		TEST(the_longest_message_holds_what_to_check),
		TEST(only_what_came_since_the_question_is_said),
		TEST(lost_words_are_sent_again),
		TEST(a_wrong_tag_is_no_answer),
		TEST(a_wrong_address_is_no_answer),
		TEST(noise_before_the_frames_is_passed_over),
		TEST(a_refused_word_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
