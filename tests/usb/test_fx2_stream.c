/* The data path of the compiled firmware: both streams with their content, back-pressure, halts and
 * data toggles, resets in the middle. docs/usb.md section 3.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"
#include "fx2_device.h"
#include "random.h"

#define IN  EAR_USB_ENDPOINT_IN
#define OUT EAR_USB_ENDPOINT_OUT

enum {
	CLEAR_FEATURE = 1,
	SET_FEATURE = 3,
};

static void start(struct fx2_chip *chip, uint16_t flags)
{
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_START, flags), 0);
}

static int halt(struct fx2_chip *chip, uint8_t request, uint8_t endpoint)
{
	return fx2_device_control(chip, 0x02, request, 0, endpoint, NULL, 0);
}

/* A unit's frame: size bytes that differ from those of other frames, and PKTEND. As ear_link_fx2
 * does, full is looked at between packets only, and a whole packet that others follow needs no
 * PKTEND.
 */
static bool send_frame(struct fx2_chip *chip, struct random *random, uint8_t *copy, size_t size)
{
	if (!fx2_chip_flag_b(chip))
		return false;
	for (size_t i = 0; i < size; i++)
		copy[i] = (uint8_t)random_next(random);
	assert_int_equal(fx2_chip_fifo_write(chip, copy, size), size);
	if (size < 512)
		fx2_chip_fifo_pktend(chip);
	return true;
}

/* Frames of every size from the unit to the host, while control words go the other way; both sides
 * stop now and then. Every byte arrives, in order, and each frame as one packet.
 */
static void run_stream(struct fx2_chip *chip, bool wide)
{
	struct random random = {wide ? 77 : 78};
	struct {
		uint8_t bytes[512];
		size_t size;
	} *frames = calloc(4, sizeof(*frames));
	uint8_t packet[512], words[4096];
	size_t word_sent = 0, word_got = 0;
	unsigned made = 0, got = 0;

	assert_non_null(frames);
	for (size_t i = 0; i < sizeof(words); i++)
		words[i] = (uint8_t)random_next(&random);
	start(chip, wide ? EAR_USB_LINK_NAMED | EAR_USB_LINK_WIDE : 0);
	while (got < 3000 || word_got < sizeof(words)) {
		size_t size = 4 + 4 * random_below(&random, 128);
		int result;

		if (!random_once_in(&random, 3) &&
			send_frame(chip, &random, frames[made % 4].bytes, size))
			frames[made++ % 4].size = size;
		if (!random_once_in(&random, 3)) {
			result = fx2_chip_in(chip, IN, packet);
			assert_int_equal(result, made > got ? (int)frames[got % 4].size : FX2_NAK);
			if (result != FX2_NAK)
				assert_memory_equal(
					packet, frames[got++ % 4].bytes, (size_t)result);
		}
		size = 2 + 2 * random_below(&random, 20);
		if (size <= sizeof(words) - word_sent &&
			fx2_chip_out(chip, OUT, words + word_sent, (unsigned)size) == (int)size)
			word_sent += size;
		assert_int_equal(fx2_chip_flag_a(chip), word_sent > word_got);
		size = fx2_chip_fifo_read(chip, packet, 1 + random_below(&random, 20));
		assert_memory_equal(packet, words + word_got, size);
		word_got += size;
		if (word_sent > sizeof(words) - 42 && word_got == word_sent)
			word_got = word_sent = sizeof(words);
		if (random_once_in(&random, 16))
			fx2_chip_run(chip, (uint32_t)random_below(&random, 3000));
	}
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_TAILS), 0);
	free(frames);
}

static void both_streams_carry_every_byte(void **state)
{
	run_stream(*state, false);
}

static void a_wide_fd_does_the_same(void **state)
{
	run_stream(*state, true);
}

static void four_packets_fill_the_way_in_and_nothing_is_lost(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {5};
	uint8_t frames[6][512], packet[512];

	start(chip, 0);
	for (int i = 0; i < 4; i++)
		assert_true(send_frame(chip, &random, frames[i], 100));
	assert_false(fx2_chip_flag_b(chip));
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_IN_PACKETS), 4);
	assert_true(fx2_device_status(chip, EAR_USB_STATUS_STATE) & EAR_USB_STATE_IN_FULL);
	assert_false(send_frame(chip, &random, frames[4], 512));
	fx2_chip_run(chip, 3000000); /* the host has all the time in the world */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(fx2_chip_in(chip, IN, packet), 100);
		assert_memory_equal(packet, frames[i], 100);
		if (i == 0)
			assert_true(send_frame(chip, &random, frames[4], 512));
	}
	assert_int_equal(fx2_chip_in(chip, IN, packet), 512);
	assert_memory_equal(packet, frames[4], 512);
	assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
	assert_false(fx2_device_status(chip, EAR_USB_STATUS_STATE) & EAR_USB_STATE_IN_FULL);
}

static void four_packets_fill_the_way_out_and_wait_for_the_unit(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t word[512], back[2048];

	start(chip, 0);
	memset(word, 0x31, sizeof(word));
	for (int i = 0; i < 4; i++)
		assert_int_equal(fx2_chip_out(chip, OUT, word, 512), 512);
	assert_int_equal(fx2_chip_out(chip, OUT, word, 10), FX2_NAK);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_OUT_PACKETS), 4);
	assert_true(fx2_chip_flag_a(chip));
	assert_int_equal(fx2_chip_fifo_read(chip, back, 511), 511);
	assert_int_equal(fx2_chip_out(chip, OUT, word, 10), FX2_NAK);
	assert_int_equal(fx2_chip_fifo_read(chip, back, 1), 1);
	assert_int_equal(fx2_chip_out(chip, OUT, word, 10), 10);
	assert_int_equal(fx2_chip_fifo_read(chip, back, sizeof(back)), 3 * 512 + 10);
	assert_false(fx2_chip_flag_a(chip));
}

/* A host's transfer continues after a full packet, so the unit can send an empty one. */
static void a_full_packet_can_be_followed_by_an_empty_one(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t bytes[512], packet[512];

	start(chip, 0);
	memset(bytes, 0x5A, sizeof(bytes));
	for (int i = 0; i < 10; i++) {
		assert_int_equal(fx2_chip_fifo_write(chip, bytes, 512), 512);
		fx2_chip_fifo_pktend(chip);
		assert_int_equal(fx2_chip_in(chip, IN, packet), 512);
		assert_int_equal(fx2_chip_in(chip, IN, packet), 0);
		assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
	}
	fx2_chip_run(chip, 300000); /* and the firmware sends none of its own */
	assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_TAILS), 0);
}

/* An empty control word is none. */
static void empty_packets_do_no_harm(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t word[10] = {1, 2, 3}, packet[512];

	start(chip, 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(fx2_chip_out(chip, OUT, word, 0), 0);
	assert_false(fx2_chip_flag_a(chip));
	assert_int_equal(fx2_chip_out(chip, OUT, word, 10), 10);
	assert_int_equal(fx2_chip_fifo_read(chip, packet, 512), 10);
	assert_memory_equal(packet, word, 10);
}

static void a_packet_that_the_unit_never_ends_is_sent_after_a_while(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t bytes[100], packet[512];

	start(chip, 0);
	memset(bytes, 0x77, sizeof(bytes));
	fx2_chip_fifo_write(chip, bytes, 100);
	fx2_chip_run(chip, 60000);
	assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_IN_BYTES), 100);
	fx2_chip_fifo_write(chip, bytes, 1); /* it was only slow */
	fx2_chip_run(chip, 60000);
	assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
	fx2_chip_run(chip, 60000);
	assert_int_equal(fx2_chip_in(chip, IN, packet), 101);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_TAILS), 1);

	/* While the host does not read there is no hurry. */
	fx2_chip_fifo_write(chip, bytes, 10);
	fx2_chip_fifo_pktend(chip);
	fx2_chip_fifo_write(chip, bytes, 10);
	fx2_chip_run(chip, 300000);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_TAILS), 1);
	assert_int_equal(fx2_chip_in(chip, IN, packet), 10);
	fx2_chip_fifo_pktend(chip);
	assert_int_equal(fx2_chip_in(chip, IN, packet), 10);

	/* The rest of that frame comes with the next one: bytes in order, only packets differ. */
	fx2_chip_fifo_write(chip, bytes, 11);
	fx2_chip_fifo_pktend(chip);
	assert_int_equal(fx2_chip_in(chip, IN, packet), 11);
}

static void start_throws_away_what_was_left(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {6};
	uint8_t frame[512], packet[512], word[10] = {0};

	start(chip, 0);
	for (int i = 0; i < 3; i++)
		assert_true(send_frame(chip, &random, frame, 512));
	fx2_chip_fifo_write(chip, frame, 30);
	assert_int_equal(fx2_chip_out(chip, OUT, word, 10), 10);
	start(chip, 0);
	assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
	assert_false(fx2_chip_flag_a(chip));
	assert_true(fx2_chip_flag_b(chip));
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_IN_BYTES), 0);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STARTS), 2);

	/* And everything continues: four packets of room on both ways. */
	for (int i = 0; i < 4; i++) {
		assert_true(send_frame(chip, &random, frame, 512));
		assert_int_equal(fx2_chip_out(chip, OUT, frame, 512), 512);
	}
	assert_int_equal(fx2_chip_in(chip, IN, packet), 512);
}

static void stop_disconnects_the_unit_and_keeps_what_waits(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {7};
	uint8_t frame[512], packet[512];

	assert_false(fx2_chip_flag_b(chip)); /* never started */
	assert_int_equal(fx2_chip_fpga(chip)->driven, 0);
	start(chip, 0);
	assert_true(send_frame(chip, &random, frame, 200));
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_STOP, 0), 0);
	assert_false(fx2_chip_flag_a(chip));
	assert_false(fx2_chip_flag_b(chip));
	assert_int_equal(fx2_chip_fifo_write(chip, frame, 200), 0);
	assert_int_equal(fx2_chip_in(chip, IN, packet), 200);
	assert_memory_equal(packet, frame, 200);
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_STOP, 0), 0);
	assert_false(fx2_device_status(chip, EAR_USB_STATUS_STATE) & EAR_USB_STATE_RUNNING);
}

static void reset_fifos_empties_them_in_mid_stream(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {8};
	uint8_t frame[512], packet[512];

	start(chip, 0);
	for (int round = 0; round < 20; round++) {
		size_t cut = random_below(&random, 512);

		for (uint64_t i = random_below(&random, 4); i > 0; i--)
			send_frame(chip, &random, frame, 4 + random_below(&random, 508));
		fx2_chip_fifo_write(chip, frame, cut); /* in the middle of a frame */
		for (uint64_t i = random_below(&random, 5); i > 0; i--)
			fx2_chip_out(chip, OUT, frame, 10);
		if (random_once_in(&random, 2))
			fx2_chip_in(chip, IN, packet);
		assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_RESET_FIFOS, 0), 0);
		assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
		assert_false(fx2_chip_flag_a(chip));
		assert_true(send_frame(chip, &random, frame, 300));
		assert_int_equal(fx2_chip_in(chip, IN, packet), 300);
		assert_memory_equal(packet, frame, 300);
		assert_int_equal(fx2_chip_out(chip, OUT, frame, 10), 10);
		assert_int_equal(fx2_chip_fifo_read(chip, packet, 512), 10);
		assert_memory_equal(packet, frame, 10);
	}
	assert_true(fx2_device_status(chip, EAR_USB_STATUS_STATE) & EAR_USB_STATE_RUNNING);
}

/* An odd number of packets before, so that a forgotten toggle would cost the next one. */
static void clearing_a_halt_resets_the_toggle_and_loses_nothing(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {9};
	uint8_t frame[512], other[512], packet[512], status[2];

	start(chip, 0);
	for (int round = 0; round < 3; round++) {
		assert_true(send_frame(chip, &random, frame, 100));
		assert_int_equal(fx2_chip_in(chip, IN, packet), 100);
		assert_int_equal(fx2_chip_out(chip, OUT, frame, 10), 10);
		assert_true(send_frame(chip, &random, other, 50));

		assert_int_equal(halt(chip, SET_FEATURE, IN), 0);
		assert_int_equal(halt(chip, SET_FEATURE, OUT), 0);
		assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_STALL);
		assert_int_equal(fx2_chip_out(chip, OUT, frame, 10), FX2_STALL);
		assert_int_equal(fx2_device_control(chip, 0x82, 0, 0, IN, status, 2), 2);
		assert_int_equal(status[0], 1);
		assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STATE) &
					 (EAR_USB_STATE_IN_HALTED | EAR_USB_STATE_OUT_HALTED),
			EAR_USB_STATE_IN_HALTED | EAR_USB_STATE_OUT_HALTED);
		assert_int_equal(halt(chip, CLEAR_FEATURE, IN), 0);
		assert_int_equal(halt(chip, CLEAR_FEATURE, OUT), 0);

		assert_int_equal(fx2_chip_in(chip, IN, packet), 50);
		assert_memory_equal(packet, other, 50);
		assert_int_equal(fx2_chip_out(chip, OUT, other, 10), 10);
		assert_int_equal(fx2_chip_fifo_read(chip, packet, 512), 20);
		assert_memory_equal(packet, frame, 10);
		assert_memory_equal(packet + 10, other, 10);
	}
	/* Of an endpoint that is not halted, too: hosts do that to be sure. */
	assert_true(send_frame(chip, &random, frame, 100));
	assert_int_equal(fx2_chip_in(chip, IN, packet), 100);
	assert_int_equal(halt(chip, CLEAR_FEATURE, IN), 0);
	assert_true(send_frame(chip, &random, frame, 100));
	assert_int_equal(fx2_chip_in(chip, IN, packet), 100);
}

/* Each of these is a new beginning for both sides. */
static void a_new_configuration_is_a_new_beginning(void **state)
{
	struct fx2_chip *chip = *state;
	static const struct {
		uint8_t type, request;
		uint16_t value;
	} rows[] = {{0x00, 9, 1}, {0x01, 11, 0}};
	struct random random = {10};
	uint8_t frame[512], packet[512];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		start(chip, 0);
		assert_true(send_frame(chip, &random, frame, 100));
		assert_int_equal(fx2_chip_in(chip, IN, packet), 100);
		assert_int_equal(fx2_chip_out(chip, OUT, frame, 10), 10);
		assert_true(send_frame(chip, &random, frame, 100));
		assert_int_equal(halt(chip, SET_FEATURE, IN), 0);
		assert_int_equal(fx2_device_control(chip, rows[i].type, rows[i].request,
					 rows[i].value, 0, NULL, 0),
			0);
		assert_false(fx2_chip_flag_b(chip));
		assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NAK);
		start(chip, 0);
		assert_true(send_frame(chip, &random, frame, 60));
		assert_int_equal(fx2_chip_in(chip, IN, packet), 60);
		assert_memory_equal(packet, frame, 60);
		assert_int_equal(fx2_chip_out(chip, OUT, frame, 10), 10);
		assert_int_equal(fx2_chip_fifo_read(chip, packet, 512), 10);
	}
}

static void a_reset_of_the_bus_in_mid_stream_leaves_a_clean_device(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {11};
	uint8_t frame[512], packet[512];

	for (int round = 0; round < 10; round++) {
		start(chip, 0);
		for (uint64_t i = random_below(&random, 5); i > 0; i--)
			send_frame(chip, &random, frame, 512);
		fx2_chip_in(chip, IN, packet);
		fx2_chip_out(chip, OUT, frame, 512);
		fx2_device_enumerate(chip, true);
		start(chip, 0);
		assert_true(send_frame(chip, &random, frame, 512));
		assert_int_equal(fx2_chip_in(chip, IN, packet), 512);
		assert_memory_equal(packet, frame, 512);
		assert_int_equal(fx2_chip_out(chip, OUT, frame, 12), 12);
		assert_int_equal(fx2_chip_fifo_read(chip, packet, 512), 12);
	}
}

static void a_stream_goes_on_after_suspend(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {12};
	uint8_t frame[512], packet[512];

	start(chip, 0);
	assert_true(send_frame(chip, &random, frame, 100));
	fx2_chip_suspend(chip);
	fx2_chip_run(chip, 500000);
	assert_true(fx2_chip_asleep(chip));
	assert_int_equal(fx2_chip_in(chip, IN, packet), FX2_NO_DEVICE);
	fx2_chip_resume(chip);
	assert_int_equal(fx2_chip_in(chip, IN, packet), 100);
	assert_memory_equal(packet, frame, 100);
	assert_true(fx2_device_status(chip, EAR_USB_STATUS_STATE) & EAR_USB_STATE_RUNNING);
}

static void full_speed_wants_a_unit_with_small_packets(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {13};
	uint8_t frame[512], packet[512];

	fx2_device_enumerate(chip, false);
	fx2_device_assert_refused(
		chip, fx2_device_write(chip, EAR_USB_REQUEST_START, 0), EAR_USB_ERROR_SPEED);
	fx2_device_assert_refused(chip,
		fx2_device_write(chip, EAR_USB_REQUEST_START, EAR_USB_LINK_NAMED),
		EAR_USB_ERROR_SPEED);
	start(chip, EAR_USB_LINK_NAMED | EAR_USB_LINK_PACKET_64);
	for (int i = 0; i < 512; i++)
		frame[i] = (uint8_t)random_next(&random);
	assert_int_equal(fx2_chip_fifo_write(chip, frame, 200), 200);
	fx2_chip_fifo_pktend(chip);
	for (int at = 0; at < 200; at += 64) {
		int size = 200 - at < 64 ? 200 - at : 64;

		assert_int_equal(fx2_chip_in(chip, IN, packet), size);
		assert_memory_equal(packet, frame + at, (size_t)size);
	}
}

/* START names the link, or else the settings of the image do. */
static void the_link_is_as_start_or_the_settings_say(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t image[0x4000], data[16];
	size_t size;

	memcpy(image, fx2_device_image(&size), sizeof(image));
	image[EAR_USB_SETTINGS + EAR_USB_SETTINGS_LINK] =
		EAR_USB_LINK_WIDE | EAR_USB_LINK_IFCLK_INPUT;
	fx2_device_load(chip, image, size);
	fx2_device_wait(chip);
	fx2_device_enumerate(chip, true);
	start(chip, 0);
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
	assert_int_equal(data[EAR_USB_IDENTIFY_LINK], EAR_USB_LINK_WIDE | EAR_USB_LINK_IFCLK_INPUT);
	assert_int_equal(fx2_chip_memory(chip)[0xE601], 0x03); /* IFCONFIG: from outside */
	start(chip, EAR_USB_LINK_NAMED | EAR_USB_LINK_IFCLK_INVERTED);
	assert_int_equal(fx2_chip_memory(chip)[0xE601], 0xF3);
	start(chip, EAR_USB_LINK_NAMED);
	assert_int_equal(fx2_chip_memory(chip)[0xE601], 0xE3);
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
	assert_int_equal(data[EAR_USB_IDENTIFY_LINK], EAR_USB_LINK_NAMED);
}

#define CONFIGURED(test) \
	cmocka_unit_test_setup_teardown(test, fx2_device_setup_configured, fx2_device_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CONFIGURED(both_streams_carry_every_byte),
		CONFIGURED(a_wide_fd_does_the_same),
		CONFIGURED(four_packets_fill_the_way_in_and_nothing_is_lost),
		CONFIGURED(four_packets_fill_the_way_out_and_wait_for_the_unit),
		CONFIGURED(a_full_packet_can_be_followed_by_an_empty_one),
		CONFIGURED(empty_packets_do_no_harm),
		CONFIGURED(a_packet_that_the_unit_never_ends_is_sent_after_a_while),
		CONFIGURED(start_throws_away_what_was_left),
		CONFIGURED(stop_disconnects_the_unit_and_keeps_what_waits),
		CONFIGURED(reset_fifos_empties_them_in_mid_stream),
		CONFIGURED(clearing_a_halt_resets_the_toggle_and_loses_nothing),
		CONFIGURED(a_new_configuration_is_a_new_beginning),
		CONFIGURED(a_reset_of_the_bus_in_mid_stream_leaves_a_clean_device),
		CONFIGURED(a_stream_goes_on_after_suspend),
		CONFIGURED(full_speed_wants_a_unit_with_small_packets),
		CONFIGURED(the_link_is_as_start_or_the_settings_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
