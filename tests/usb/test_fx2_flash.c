/* Bitstream and firmware into a board: the driver through the system's libusb to the emulated bus,
 * on which the compiled firmware runs in the model of its chip. docs/usb.md, sections 5.1 and 5.2.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "driver/base/clock.h"
#include "driver/usb/fx2_flash.h"
#include "driver/usb/transport_usb.h"
#include "emulation/usb_bus.h"
#include "emulation/usb_capture.h"
#include "fx2_board.h"

#define PORT 3
#define SIZE 10001u /* bytes of the bitstream; not a multiple of anything */

static struct fx2_board board;
static struct ear_transport *transport;
static struct ear_report report;
static uint8_t bitstream[SIZE];
static struct fx2_fpga *fpga;

static int setup(void **state)
{
	uint32_t random = 1;

	(void)state;
	fx2_board_open(&board, PORT, 0);
	pthread_mutex_lock(&board.mutex);
	fpga = fx2_chip_fpga(board.chip);
	fpga->present = fpga->has_init = true;
	fpga->size = 8 * SIZE;
	fpga->extra_clocks = 100;
	fpga->clear_us = 5000;
	pthread_mutex_unlock(&board.mutex);
	for (size_t i = 0; i < SIZE; i++) {
		random = random * 1103515245 + 12345;
		bitstream[i] = (uint8_t)(random >> 16);
	}
	setenv("EARSHOT_FX2_FIRMWARE", EAR_FX2_IMAGE, 1);
	report.text[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fx2_board_close(&board);
	assert_int_equal(usb_bus_open_files(), 0);
	return 0;
}

static void open_device(void)
{
	if (ear_transport_usb_open(&transport, "usb:", &report) != 0)
		fail_msg("%s", report.text);
}

static void count_progress(void *context, size_t done, size_t total)
{
	size_t *last = context;

	assert_above(done, *last);
	assert_at_most(done, total);
	*last = done;
}

static int load(unsigned flags)
{
	return ear_fx2_flash_fpga(transport, bitstream, SIZE, flags, NULL, NULL, &report);
}

static void the_fpga_gets_its_bitstream_and_starts(void **state)
{
	size_t done = 0;

	(void)state;
	open_device();
	assert_int_equal(
		ear_fx2_flash_fpga(transport, bitstream, SIZE, 0, count_progress, &done, &report),
		0);
	assert_int_equal(done, SIZE);
	pthread_mutex_lock(&board.mutex);
	assert_true(fpga->done);
	for (uint32_t i = 0; i < 8 * SIZE; i++)
		assert_int_equal(fpga->bits[i], bitstream[i / 8] >> (7 - i % 8) & 1);
	pthread_mutex_unlock(&board.mutex);

	/* Again, and the other way round. */
	assert_int_equal(load(EAR_USB_FPGA_LSB_FIRST), 0);
	pthread_mutex_lock(&board.mutex);
	assert_true(fpga->done);
	for (uint32_t i = 0; i < 8 * SIZE; i++)
		assert_int_equal(fpga->bits[i], bitstream[i / 8] >> i % 8 & 1);
	pthread_mutex_unlock(&board.mutex);
	ear_transport_close(transport);
}

static void what_the_fpga_does_not_like_is_reported(void **state)
{
	(void)state;
	open_device();
	fpga->size = 8 * SIZE + 100000;
	assert_int_equal(load(0), EAR_E_REFUSED);
	usb_capture_expect(report.text, "did not start at the end of the bitstream");
	fpga->error_at = 40000;
	assert_int_equal(load(0), EAR_E_REFUSED);
	usb_capture_expect(report.text, "found an error in the bitstream");
	fpga->present = false;
	assert_int_equal(load(0), EAR_E_REFUSED);
	usb_capture_expect(report.text, "does not answer on INIT");

	/* And then one that is right. */
	fpga->present = true;
	fpga->error_at = 0;
	fpga->size = 8 * SIZE;
	assert_int_equal(load(0), 0);
	ear_transport_close(transport);
}

static void power_off(void *context, size_t done, size_t total)
{
	(void)context;
	if (done < total / 2)
		return;
	pthread_mutex_lock(&board.mutex);
	fx2_chip_power_off(board.chip);
	pthread_mutex_unlock(&board.mutex);
}

static void a_board_that_loses_its_power_is_reported(void **state)
{
	(void)state;
	open_device();
	int error = ear_fx2_flash_fpga(transport, bitstream, SIZE, 0, power_off, NULL, &report);
	/* The bus's error can come before the news that nobody is there any more. */
	assert_true(error == EAR_E_NO_DEVICE || error == EAR_E_IO);
	usb_capture_expect(report.text, "the FPGA cannot be loaded");
	ear_transport_close(transport);
}

static void the_chip_starts_from_the_eeprom_that_was_written(void **state)
{
	static struct ear_fx2_image image;
	static uint8_t boot[EAR_FX2_BOOT_MAX];

	(void)state;
	pthread_mutex_lock(&board.mutex);
	uint8_t *eeprom = fx2_chip_set_eeprom(board.chip, 32768);
	pthread_mutex_unlock(&board.mutex);
	open_device();
	assert_int_equal(ear_fx2_image_read(&image, EAR_FX2_IMAGE, &report), 0);
	assert_int_equal(ear_fx2_flash_eeprom(transport, &image, NULL, NULL, &report), 0);
	size_t size = ear_fx2_boot_build(boot, &image);
	assert_memory_equal(eeprom, boot, size);
	assert_int_equal(eeprom[size], 0xFF);
	ear_transport_close(transport);

	/* Without a file for a bare chip: so it is the chip's own. */
	setenv("EARSHOT_FX2_FIRMWARE", "/nowhere", 1);
	unsigned before = atomic_load(&board.plug_count);
	pthread_mutex_lock(&board.mutex);
	fx2_chip_power_off(board.chip);
	pthread_mutex_unlock(&board.mutex);
	ear_clock_sleep_ms(20);
	pthread_mutex_lock(&board.mutex);
	fx2_chip_power_on(board.chip);
	pthread_mutex_unlock(&board.mutex);
	for (unsigned i = 0; i < 1000 && atomic_load(&board.plug_count) == before; i++)
		ear_clock_sleep_ms(5);
	assert_above(atomic_load(&board.plug_count), before);
	open_device();
	assert_int_equal(load(0), 0);
	ear_transport_close(transport);
}

static void interrupt_in_the_middle(void *context, size_t done, size_t total)
{
	(void)context;
	if (done >= total / 2)
		ear_transport_interrupt(true);
}

/* What was broken off can be done again; and until then the chip does not start from a half. */
static void an_interrupt_leaves_a_board_that_can_be_flashed_again(void **state)
{
	static struct ear_fx2_image image;

	(void)state;
	pthread_mutex_lock(&board.mutex);
	uint8_t *eeprom = fx2_chip_set_eeprom(board.chip, 32768);
	pthread_mutex_unlock(&board.mutex);
	open_device();
	assert_int_equal(ear_fx2_image_read(&image, EAR_FX2_IMAGE, &report), 0);
	assert_int_equal(
		ear_fx2_flash_eeprom(transport, &image, interrupt_in_the_middle, NULL, &report),
		EAR_E_REFUSED);
	usb_capture_expect(report.text, "interrupted: the EEPROM has no firmware now");
	assert_int_equal(eeprom[0], 0xFF);
	ear_transport_interrupt(false);
	assert_int_equal(ear_fx2_flash_eeprom(transport, &image, NULL, NULL, &report), 0);
	assert_int_equal(eeprom[0], 0xC2);

	assert_int_equal(ear_fx2_flash_fpga(transport, bitstream, SIZE, 0, interrupt_in_the_middle,
				 NULL, &report),
		EAR_E_REFUSED);
	usb_capture_expect(report.text, "interrupted: the FPGA has no bitstream now");
	assert_false(fpga->done);
	ear_transport_interrupt(false);
	ear_transport_close(transport);
	open_device();
	assert_int_equal(load(0), 0);
	ear_transport_close(transport);
}

static void an_eeprom_that_is_not_there_is_reported(void **state)
{
	static struct ear_fx2_image image;

	(void)state;
	open_device();
	assert_int_equal(ear_fx2_image_read(&image, EAR_FX2_IMAGE, &report), 0);
	assert_int_equal(
		ear_fx2_flash_eeprom(transport, &image, NULL, NULL, &report), EAR_E_REFUSED);
	usb_capture_expect(report.text, "no EEPROM answers");
	ear_transport_close(transport);
}

/* It came to the bus so often; counted a moment later. */
static void wait_for_plugs(unsigned count)
{
	while (atomic_load(&board.plug_count) < count)
		ear_clock_sleep_ms(1);
	assert_int_equal(atomic_load(&board.plug_count), count);
}

static void a_chip_that_runs_can_get_firmware_again(void **state)
{
	(void)state;
	open_device();
	ear_transport_close(transport);
	wait_for_plugs(2); /* bare, and with its firmware */
	if (ear_transport_usb_open_with(&transport, "usb:", EAR_FX2_IMAGE, &report) != 0)
		fail_msg("%s", report.text);
	wait_for_plugs(3);
	assert_int_equal(load(0), 0);
	ear_transport_close(transport);
	assert_int_equal(ear_transport_usb_open_with(&transport, "usb:", "/dev/null", &report),
		EAR_E_BAD_FILE);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_fpga_gets_its_bitstream_and_starts, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_the_fpga_does_not_like_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_board_that_loses_its_power_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_chip_starts_from_the_eeprom_that_was_written, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_interrupt_leaves_a_board_that_can_be_flashed_again, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_eeprom_that_is_not_there_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_chip_that_runs_can_get_firmware_again, setup, teardown),
	};
	int failed;

	(void)argc;
	usb_bus_begin(argv);
	usb_bus_open();
	usb_bus_set_megabytes(2);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	return failed;
}
