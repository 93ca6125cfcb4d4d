/* The vendor requests of the compiled firmware: status, bitstream, EEPROM, and everything that a
 * host might ask for by mistake or malice. docs/usb.md section 5.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"
#include "fx2_device.h"
#include "random.h"

#define BITSTREAM_SIZE 40000

static int write_data(struct fx2_chip *chip, uint8_t request, uint16_t value, uint16_t index,
	uint8_t *data, uint16_t length)
{
	return fx2_device_control(chip, 0x40, request, value, index, data, length);
}

static void status_accounts_and_can_be_cleared(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[32];

	for (int i = 0; i < 3; i++)
		assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_START, 0), 0);
	assert_int_equal(fx2_device_write(chip, 0x77, 0), FX2_STALL);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STATE),
		EAR_USB_STATE_RUNNING | EAR_USB_STATE_CONFIGURED | EAR_USB_STATE_HIGH_SPEED |
			EAR_USB_STATE_FPGA_DONE);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STARTS), 3);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_REFUSED), 1);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_ERROR), EAR_USB_ERROR_REQUEST);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_BUS_RESETS), 1);
	/* At power on, the reset of the bus, SET_CONFIGURATION, and each START. */
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_FIFO_RESETS), 6);

	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_STATUS, 1, data, 32), 32);
	assert_int_equal(data[EAR_USB_STATUS_STARTS], 3); /* as it was */
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_STATUS, 0, data, 32), 32);
	for (unsigned i = EAR_USB_STATUS_STARTS; i < EAR_USB_STATUS_FPGA_BYTES; i++)
		assert_int_equal(data[i], 0);
	assert_int_equal(data[EAR_USB_STATUS_ERROR], 0);
}

static void uptime_is_in_hundredths_of_a_second(void **state)
{
	struct fx2_chip *chip = *state;
	uint32_t before = fx2_device_status(chip, EAR_USB_STATUS_UPTIME);

	fx2_chip_run(chip, 3000000);
	assert_in_range(fx2_device_status(chip, EAR_USB_STATUS_UPTIME) - before, 299, 301);
}

static void an_answer_is_cut_to_the_length_that_was_asked_for(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[300];

	for (uint16_t length = 1; length < 300; length++) {
		memset(data, 0x5A, sizeof(data));
		assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, length),
			length < 16 ? length : 16);
		assert_int_equal(data[length < 16 ? length : 16], 0x5A);
	}
}

/* ---- Bitstream ---- */

static void fill(uint8_t *bytes, size_t size, uint64_t seed)
{
	struct random random = {seed};

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)random_next(&random);
}

static int send_bitstream(struct fx2_chip *chip, uint8_t *bytes, size_t size, uint16_t chunk)
{
	for (size_t at = 0; at < size; at += chunk) {
		uint16_t part = (uint16_t)(size - at < chunk ? size - at : chunk);
		int result = write_data(chip, EAR_USB_REQUEST_FPGA_DATA, 0, 0, bytes + at, part);

		if (result != part)
			return result;
	}
	return 0;
}

static void assert_bits(
	const struct fx2_fpga *fpga, const uint8_t *bytes, size_t size, bool lsb_first)
{
	assert_at_least(fpga->bit_count, 8 * size);
	for (size_t i = 0; i < 8 * size; i++) {
		int shift = lsb_first ? (int)(i % 8) : 7 - (int)(i % 8);

		if (fpga->bits[i] != (bytes[i / 8] >> shift & 1))
			fail_msg("bit %zu", i);
	}
}

/* What came out of the pins at the rising edges of CCLK is the file. */
static void a_bitstream_comes_out_of_the_pins(void **state)
{
	struct fx2_chip *chip = *state;
	static const struct {
		uint16_t flags, chunk;
		bool has_init;
	} rows[] = {
		{0, 4096, true},
		{EAR_USB_FPGA_LSB_FIRST, 64, true},
		{EAR_USB_FPGA_NO_INIT, 40000, false},
		{0, 1000, true},
	};
	struct fx2_fpga *fpga = fx2_chip_fpga(chip);
	uint8_t *bytes = malloc(BITSTREAM_SIZE);

	assert_non_null(bytes);
	fpga->present = true;
	fpga->size = 8 * BITSTREAM_SIZE;
	fpga->extra_clocks = 100;
	fpga->clear_us = 5000;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		fpga->has_init = rows[i].has_init;
		fill(bytes, BITSTREAM_SIZE, i + 1);
		assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_START, 0), 0);
		assert_int_equal(
			fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, rows[i].flags), 0);
		assert_int_equal(fpga->prog_pulses, i + 1);
		assert_at_least(fpga->prog_low_us, 1000);
		assert_int_equal(fpga->driven, FX2_DRIVES_CCLK | FX2_DRIVES_DIN);
		assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STATE) &
					 (EAR_USB_STATE_FPGA_LOADING | EAR_USB_STATE_FPGA_DONE |
						 EAR_USB_STATE_RUNNING),
			EAR_USB_STATE_FPGA_LOADING);
		fx2_device_assert_refused(chip, fx2_device_write(chip, EAR_USB_REQUEST_START, 0),
			EAR_USB_ERROR_STATE);
		assert_int_equal(send_bitstream(chip, bytes, BITSTREAM_SIZE, rows[i].chunk), 0);
		assert_int_equal(
			fx2_device_status(chip, EAR_USB_STATUS_FPGA_BYTES), BITSTREAM_SIZE);
		assert_int_equal(fpga->clocks, 8 * BITSTREAM_SIZE);
		assert_false(fpga->done);
		assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_END, 0), 0);
		assert_true(fpga->done);
		assert_int_equal(fpga->clocks_done, 64);
		assert_int_equal(fpga->driven, 0);
		assert_bits(fpga, bytes, BITSTREAM_SIZE, rows[i].flags & EAR_USB_FPGA_LSB_FIRST);
		for (uint32_t bit = 8 * BITSTREAM_SIZE; bit < fpga->bit_count; bit++)
			assert_int_equal(fpga->bits[bit], 1);
	}
	free(bytes);
}

static void a_bitstream_may_be_of_any_length(void **state)
{
	struct fx2_chip *chip = *state;
	struct fx2_fpga *fpga = fx2_chip_fpga(chip);
	uint8_t bytes[200];

	fill(bytes, sizeof(bytes), 3);
	fpga->present = fpga->has_init = true;
	for (unsigned size = 1; size <= sizeof(bytes); size++) {
		fpga->size = 8u * size;
		assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0), 0);
		assert_int_equal(
			write_data(chip, EAR_USB_REQUEST_FPGA_DATA, 0, 0, bytes, (uint16_t)size),
			size);
		assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_END, 0), 0);
		assert_bits(fpga, bytes, size, false);
	}
}

static void an_fpga_that_does_not_answer_is_reported(void **state)
{
	struct fx2_chip *chip = *state;
	struct fx2_fpga *fpga = fx2_chip_fpga(chip);
	uint8_t bytes[300] = {0};

	/* No FPGA, or no power: INIT stays high. */
	fx2_device_assert_refused(chip, fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0),
		EAR_USB_ERROR_FPGA_NO_INIT);
	assert_int_equal(fpga->driven, 0);
	fpga->present = fpga->has_init = fpga->broken = true;
	fx2_device_assert_refused(chip, fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0),
		EAR_USB_ERROR_FPGA_NO_INIT);

	/* INIT never comes back. */
	fpga->broken = false;
	fpga->clear_us = 500000;
	fx2_device_assert_refused(chip, fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0),
		EAR_USB_ERROR_FPGA_NO_INIT);
	fx2_device_assert_refused(chip,
		write_data(chip, EAR_USB_REQUEST_FPGA_DATA, 0, 0, bytes, 10), EAR_USB_ERROR_STATE);

	/* Slow, but in time. */
	fpga->clear_us = 50000;
	fpga->size = 8 * sizeof(bytes);
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0), 0);

	/* Bits are missing: DONE stays low. */
	assert_int_equal(write_data(chip, EAR_USB_REQUEST_FPGA_DATA, 0, 0, bytes, 100), 100);
	fpga->size = 10000;
	fx2_device_assert_refused(chip, fx2_device_write(chip, EAR_USB_REQUEST_FPGA_END, 0),
		EAR_USB_ERROR_FPGA_NOT_DONE);
	assert_int_equal(fpga->driven, 0);
	fx2_device_assert_refused(
		chip, fx2_device_write(chip, EAR_USB_REQUEST_FPGA_END, 0), EAR_USB_ERROR_STATE);

	/* The FPGA finds an error in the middle, or at the very end. */
	for (uint32_t error_at = 500; error_at <= 2400; error_at += 1900) {
		fpga->error_at = error_at;
		fpga->size = 0;
		assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0), 0);
		fx2_device_assert_refused(chip,
			write_data(chip, EAR_USB_REQUEST_FPGA_DATA, 0, 0, bytes, 300),
			EAR_USB_ERROR_FPGA_CRC);
		assert_int_equal(fpga->driven, 0);
	}
	fpga->error_at = 2500;
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0), 0);
	assert_int_equal(write_data(chip, EAR_USB_REQUEST_FPGA_DATA, 0, 0, bytes, 300), 300);
	fx2_device_assert_refused(
		chip, fx2_device_write(chip, EAR_USB_REQUEST_FPGA_END, 0), EAR_USB_ERROR_FPGA_CRC);
}

static void a_bitstream_on_its_way_is_given_up_by_a_reset(void **state)
{
	struct fx2_chip *chip = *state;
	struct fx2_fpga *fpga = fx2_chip_fpga(chip);

	fpga->present = fpga->has_init = true;
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0), 0);
	fx2_device_enumerate(chip, true);
	assert_int_equal(fpga->driven, 0);
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_START, 0), 0);
}

/* The document promises a rate; the model counts the chip's cycles. */
static void a_byte_of_the_bitstream_takes_six_microseconds(void **state)
{
	struct fx2_chip *chip = *state;
	struct fx2_fpga *fpga = fx2_chip_fpga(chip);
	uint8_t *bytes = calloc(1, 60000);
	uint32_t before, ticks;

	assert_non_null(bytes);
	fpga->present = fpga->has_init = true;
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0), 0);
	before = fx2_device_status(chip, EAR_USB_STATUS_UPTIME);
	assert_int_equal(write_data(chip, EAR_USB_REQUEST_FPGA_DATA, 0, 0, bytes, 60000), 60000);
	ticks = fx2_device_status(chip, EAR_USB_STATUS_UPTIME) - before;
	if (ticks > 37)
		fail_msg("60000 bytes took %u ticks of 10 ms", ticks);
	free(bytes);
}

/* ---- EEPROM ---- */

static int eeprom_write(struct fx2_chip *chip, uint16_t address, uint8_t *data, uint16_t size)
{
	return write_data(
		chip, EAR_USB_REQUEST_EEPROM_WRITE, address, EAR_USB_KEY_EEPROM, data, size);
}

static int eeprom_read(struct fx2_chip *chip, uint16_t address, uint8_t *data, uint16_t size)
{
	return fx2_device_read(chip, EAR_USB_REQUEST_EEPROM_READ, address, data, size);
}

static void the_eeprom_is_written_across_its_pages(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t *eeprom = fx2_chip_set_eeprom(chip, 8192);
	uint8_t data[64], back[64], expected[8192];
	struct random random = {21};

	memset(expected, 0xFF, sizeof(expected));
	for (int i = 0; i < 100; i++) {
		uint16_t size = (uint16_t)(1 + random_below(&random, 64));
		uint16_t address = (uint16_t)random_below(&random, sizeof(expected) - size + 1);

		fill(data, size, random_next(&random) | 1);
		assert_int_equal(eeprom_write(chip, address, data, size), size);
		memcpy(expected + address, data, size);
		assert_int_equal(eeprom_read(chip, address, back, size), size);
		assert_memory_equal(back, data, size);
	}
	assert_memory_equal(eeprom, expected, sizeof(expected));
}

static void a_missing_eeprom_is_reported(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[64] = {1};

	fx2_device_assert_refused(chip, eeprom_read(chip, 0, data, 8), EAR_USB_ERROR_EEPROM_ABSENT);
	fx2_device_assert_refused(
		chip, eeprom_write(chip, 0, data, 8), EAR_USB_ERROR_EEPROM_ABSENT);
}

static void the_eeprom_wants_a_key_and_a_sensible_length(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t *eeprom = fx2_chip_set_eeprom(chip, 16384);
	uint8_t data[100] = {1};

	fx2_device_assert_refused(chip,
		write_data(chip, EAR_USB_REQUEST_EEPROM_WRITE, 0, 0, data, 8), EAR_USB_ERROR_VALUE);
	fx2_device_assert_refused(chip, eeprom_write(chip, 0, data, 0), EAR_USB_ERROR_LENGTH);
	fx2_device_assert_refused(chip, eeprom_write(chip, 0, data, 65), EAR_USB_ERROR_LENGTH);
	fx2_device_assert_refused(chip, eeprom_read(chip, 0, data, 65), EAR_USB_ERROR_LENGTH);
	fx2_device_assert_refused(chip, eeprom_read(chip, 0, data, 0), EAR_USB_ERROR_LENGTH);
	for (size_t i = 0; i < 16384; i++)
		assert_int_equal(eeprom[i], 0xFF);
	fx2_chip_fpga(chip)->present = fx2_chip_fpga(chip)->has_init = true;
	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0), 0);
	fx2_device_assert_refused(chip, eeprom_read(chip, 0, data, 8), EAR_USB_ERROR_STATE);
	fx2_device_assert_refused(chip, eeprom_write(chip, 0, data, 8), EAR_USB_ERROR_STATE);
}

/* ---- Hostile hosts ---- */

static void assert_alive(struct fx2_chip *chip)
{
	uint8_t data[16];

	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
	assert_memory_equal(data, "EARU", 4);
}

/* Every request number in every direction and kind, with lengths around the sizes of the buffers.
 */
static void every_request_is_answered_or_refused(void **state)
{
	struct fx2_chip *chip = *state;
	static const uint16_t lengths[] = {0, 1, 63, 64, 65, 128, 512, 4096};
	static uint8_t data[4096];
	static const uint8_t types[] = {0x00, 0x01, 0x02, 0x03, 0x20, 0x21, 0x40, 0x41, 0x42, 0x5F,
		0x60, 0x80, 0x81, 0x82, 0xA0, 0xA1, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xFF};
	static uint8_t memory[0x3C00], before[0x3C00];

	memcpy(before, fx2_chip_memory(chip), sizeof(before));
	for (size_t t = 0; t < COUNT_OF(types); t++) {
		for (unsigned request = 0; request < 256; request++) {
			uint16_t length = lengths[(request + t) % COUNT_OF(lengths)];
			int result;

			if (request == EAR_USB_REQUEST_FIRMWARE_LOAD && (types[t] & 0x7F) == 0x40)
				continue; /* may write to all of the memory, and is the chip's */
			if (types[t] == 0 && request == 5)
				continue; /* SET_ADDRESS is the chip's, too */
			result = fx2_device_control(
				chip, types[t], (uint8_t)request, 0, 0, data, length);
			if (result != FX2_STALL && (result < 0 || result > length))
				fail_msg("type %02X request %02X: %d", types[t], request, result);
		}
		assert_alive(chip);
	}
	memcpy(memory, fx2_chip_memory(chip), sizeof(memory));
	assert_memory_equal(memory, before, sizeof(before));
}

static void random_setups_do_no_harm(void **state)
{
	struct fx2_chip *chip = *state;
	struct random random = {31};
	static uint8_t data[65536];
	uint8_t *eeprom = fx2_chip_set_eeprom(chip, 8192);
	static uint8_t before[0x3C00];

	memcpy(before, fx2_chip_memory(chip), sizeof(before));
	for (int i = 0; i < 4000; i++) {
		uint8_t setup[8];
		int result;

		for (int byte = 0; byte < 8; byte++)
			setup[byte] = (uint8_t)random_next(&random);
		if (random_once_in(&random, 2)) {
			setup[0] = random_once_in(&random, 2) ? 0x40 : 0xC0;
			setup[1] = 0xB0 | (setup[1] & 15);
		}
		if (!random_once_in(&random, 8))
			setup[7] = 0;
		if (!random_once_in(&random, 8))
			setup[3] = 0;
		if ((setup[0] & 0x7F) == 0x40 && setup[1] == EAR_USB_REQUEST_FIRMWARE_LOAD)
			continue;
		result = fx2_chip_control(chip, setup, data, FX2_ANSWER_US);
		if (result < 0 && result != FX2_STALL)
			fail_msg("round %d: %d", i, result);
	}
	assert_alive(chip);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_WATCHDOG), 0);
	assert_memory_equal(fx2_chip_memory(chip), before, sizeof(before));
	for (size_t i = 0; i < 8192; i++)
		assert_int_equal(eeprom[i], 0xFF);
}

/* The host begins, and stops at every point: after the SETUP, after any number of packets, before
 * the status stage. Then it asks for something else, or resets the bus, or nothing more comes.
 */
static void a_request_may_be_broken_off_anywhere(void **state)
{
	struct fx2_chip *chip = *state;
	static const uint8_t requests[][8] = {
		{0x40, EAR_USB_REQUEST_FPGA_DATA, 0, 0, 0, 0, 0x00, 0x02},
		{0x40, EAR_USB_REQUEST_EEPROM_WRITE, 0, 0, 0x45, 0x45, 64, 0},
		{0xC0, EAR_USB_REQUEST_STATUS, 0, 0, 0, 0, 64, 0},
		{0x80, 6, 0, 2, 0, 0, 255, 0},
		{0x00, 9, 1, 0, 0, 0, 0, 0},
	};
	struct fx2_fpga *fpga = fx2_chip_fpga(chip);
	uint8_t packet[64] = {0};

	fpga->present = fpga->has_init = true;
	fx2_chip_set_eeprom(chip, 8192);
	for (size_t r = 0; r < COUNT_OF(requests); r++) {
		for (int steps = 0; steps < 10; steps++) {
			for (int ending = 0; ending < (steps == 5 ? 3 : 2); ending++) {
				unsigned taken = 0;

				if (r == 0)
					fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0);
				assert_int_equal(fx2_chip_setup(chip, requests[r]), 0);
				for (int i = 0; i < steps; i++) {
					if (requests[r][0] & 0x80)
						fx2_chip_ep0_in(chip, packet);
					else
						taken += fx2_chip_ep0_out(chip, packet, 64) == 64;
					fx2_chip_run(chip, 150);
				}
				if (ending == 1)
					fx2_device_enumerate(chip, true);
				if (ending == 2)
					fx2_chip_run(chip, 2500000);
				assert_alive(chip);
				if (r == 0)
					assert_int_equal(fpga->clocks, 64 * 8 * taken);
			}
		}
	}
	assert_above(fx2_device_status(chip, EAR_USB_STATUS_ABANDONED), 10);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_WATCHDOG), 0);
}

/* A data stage with packets of other sizes than USB allows. */
static void a_data_stage_in_odd_pieces_is_refused_or_taken(void **state)
{
	struct fx2_chip *chip = *state;
	static const uint8_t data_setup[8] = {0x40, EAR_USB_REQUEST_FPGA_DATA, 0, 0, 0, 0, 100, 0};
	static const uint8_t eeprom_setup[8] = {
		0x40, EAR_USB_REQUEST_EEPROM_WRITE, 0, 0, 0x45, 0x45, 32, 0};
	uint8_t packet[64] = {0};
	uint8_t *eeprom = fx2_chip_set_eeprom(chip, 8192);

	fx2_chip_fpga(chip)->present = fx2_chip_fpga(chip)->has_init = true;
	for (unsigned size = 0; size <= 64; size += 16) {
		for (int which = 0; which < 2; which++) {
			memset(eeprom, 0xFF, 8192);
			if (which == 0)
				fx2_device_write(chip, EAR_USB_REQUEST_FPGA_BEGIN, 0);
			else
				fx2_device_enumerate(chip, true);
			fx2_chip_setup(chip, which == 0 ? data_setup : eeprom_setup);
			fx2_chip_run(chip, 500);
			for (int i = 0; i < 8; i++) {
				fx2_chip_ep0_out(chip, packet, size);
				fx2_chip_run(chip, 500);
			}
			fx2_chip_run(chip, 2000);
			assert_alive(chip);
			for (unsigned i = 0; i < 64; i++)
				assert_true(eeprom[i] == 0xFF || size == 32);
		}
	}
}

#define CONFIGURED(test) \
	cmocka_unit_test_setup_teardown(test, fx2_device_setup_configured, fx2_device_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CONFIGURED(status_accounts_and_can_be_cleared),
		CONFIGURED(uptime_is_in_hundredths_of_a_second),
		CONFIGURED(an_answer_is_cut_to_the_length_that_was_asked_for),
		CONFIGURED(a_bitstream_comes_out_of_the_pins),
		CONFIGURED(a_bitstream_may_be_of_any_length),
		CONFIGURED(an_fpga_that_does_not_answer_is_reported),
		CONFIGURED(a_bitstream_on_its_way_is_given_up_by_a_reset),
		CONFIGURED(a_byte_of_the_bitstream_takes_six_microseconds),
		CONFIGURED(the_eeprom_is_written_across_its_pages),
		CONFIGURED(a_missing_eeprom_is_reported),
		CONFIGURED(the_eeprom_wants_a_key_and_a_sensible_length),
		CONFIGURED(every_request_is_answered_or_refused),
		CONFIGURED(random_setups_do_no_harm),
		CONFIGURED(a_request_may_be_broken_off_anywhere),
		CONFIGURED(a_data_stage_in_odd_pieces_is_refused_or_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
