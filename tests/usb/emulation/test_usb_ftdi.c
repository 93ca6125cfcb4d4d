/* ftdi: against an emulated FT232H: libftdi1, libusb and everything above them are the real ones.
 */
#include <earshot/error.h>
#include <errno.h>
#include <string.h>

#include "check.h"
#include "driver/usb/ftdi_eeprom.h"
#include "driver/usb/transport_ftdi.h"
#include "ftdi_model.h"
#include "usb_bus.h"
#include "usb_capture.h"

static struct ftdi_model chip;
static struct usb_capture capture;

static struct usbfs_device *plug_in(unsigned frame_count)
{
	chip.frame_count = frame_count;
	chip.ends = true;
	return usb_bus_plug(&chip.base, 3, true);
}

static int setup(void **state)
{
	ftdi_model_init(&chip);
	return usb_capture_setup(state);
}

static int teardown(void **state)
{
	int result = usb_capture_teardown(state);

	ftdi_model_fini(&chip);
	return result;
}

static void expect_whole(unsigned frame_count)
{
	usb_capture_expect_whole(&capture, frame_count);
}

/* -- Taking out the status -- */

#define STRIP_MAX 2048

struct stripped {
	uint8_t bytes[STRIP_MAX];
	size_t size;
	unsigned losses, limit;
};

static bool take(void *context, const uint8_t *bytes, size_t size)
{
	struct stripped *stripped = context;

	assert_above(size, 0);
	assert_at_most(stripped->size + size, STRIP_MAX);
	memcpy(stripped->bytes + stripped->size, bytes, size);
	stripped->size += size;
	return stripped->limit == 0 || stripped->size < stripped->limit;
}

static void lose(void *context)
{
	((struct stripped *)context)->losses++;
}

static void two_bytes_of_each_packet_are_status(void **state)
{
	static const struct {
		size_t size, data;
	} rows[] = {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {511, 509}, {512, 510}, {513, 510}, {514, 510},
		{515, 511}, {1024, 1020}, {1100, 1094}};
	uint8_t bytes[STRIP_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 512 < 2 ? 0x60 : (uint8_t)(i - i / 512 * 2 - 2);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct stripped stripped = {.size = 0};
		_Atomic uint64_t overruns = 0;
		struct ear_ftdi_strip strip = {.packet_size = 512,
			.push = take,
			.lose = lose,
			.context = &stripped,
			.overruns = &overruns};

		for (size_t at = 0; at < rows[i].size; at++)
			if (at % 512 < 2)
				bytes[at] = 0;
		assert_true(ear_ftdi_strip(&strip, bytes, rows[i].size));
		assert_int_equal(stripped.size, rows[i].data);
		for (size_t at = 0; at < stripped.size; at++)
			assert_int_equal(stripped.bytes[at], (uint8_t)at);
		assert_int_equal(stripped.losses, 0);
	}
}

static void an_overrun_is_one_loss_as_long_as_it_lasts(void **state)
{
	static const uint8_t line[] = {0x60, 0x62, 0x62, 0x60, 0x62};
	struct stripped stripped = {.size = 0};
	_Atomic uint64_t overruns = 0;
	struct ear_ftdi_strip strip = {.packet_size = 64,
		.push = take,
		.lose = lose,
		.context = &stripped,
		.overruns = &overruns};
	uint8_t packet[64] = {0x32};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(line); i++) {
		packet[1] = line[i];
		assert_true(ear_ftdi_strip(&strip, packet, sizeof(packet)));
	}
	assert_int_equal(stripped.size, 5 * 62);
	assert_int_equal(stripped.losses, 2);
	assert_int_equal(overruns, 2);
	stripped.limit = 1;
	assert_false(ear_ftdi_strip(&strip, packet, sizeof(packet)));
}

/* -- Captures -- */

static void a_capture_comes_whole(void **state)
{
	static const char *const names[] = {"ftdi:", "ftdi:FT0001", "ftdi:1-3"};

	(void)state;
	plug_in(3000);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		ftdi_model_power_cycle(&chip);
		usb_capture_run(&capture, names[i], NULL, NULL);
		expect_whole(3000);
		assert_int_equal(capture.losses, 0);
	}
}

static void the_chip_is_prepared_and_put_back(void **state)
{
	struct usbfs_device *device = plug_in(10);

	(void)state;
	usbfs_set_driver(device, true);
	usb_capture_run(&capture, "ftdi:", NULL, NULL);
	expect_whole(10);
	assert_int_equal(chip.latency, 2);
	assert_int_equal(chip.flow, 1); /* RTS/CTS */
	assert_at_least(chip.flush_count, 2);
	assert_above(chip.reads_at_mode, 0); /* reads waited before the mode was set */
	assert_int_equal(chip.mode, 0);      /* and it is reset */
	assert_int_equal(chip.mode_count, 3);
	assert_true(usbfs_driver_bound(device));
}

static void stale_bytes_before_the_stream_do_no_harm(void **state)
{
	(void)state;
	for (size_t stale = 1; stale <= 64; stale += 9) {
		chip.stale = stale;
		ftdi_model_power_cycle(&chip);
		plug_in(20);
		usb_capture_run(&capture, "ftdi:", NULL, NULL);
		expect_whole(20);
		usb_bus_unplug(3);
	}
}

static void packets_without_a_whole_status_do_no_harm(void **state)
{
	(void)state;
	atomic_store(&chip.runts, 50);
	plug_in(100);
	usb_capture_run(&capture, "ftdi:", NULL, NULL);
	expect_whole(100);
	assert_int_equal(chip.runts, 0);
}

static void overrun_and_stop(const struct usb_capture *so_far, struct ear_session *session)
{
	static bool done;

	if (!done && so_far->frames > 100)
		atomic_store(&chip.overruns, done = true);
	if (so_far->losses > 0 && so_far->frames > 200)
		ear_session_stop(session);
}

static void an_overrun_of_the_chip_is_reported_in_its_place(void **state)
{
	(void)state;
	chip.endless = true;
	usb_bus_plug(&chip.base, 3, true);
	usb_capture_run(&capture, "ftdi:", NULL, overrun_and_stop);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.losses, 1);
	assert_int_equal(capture.statistics.faults.overruns, 1);
}

static void break_it(const struct usb_capture *so_far, struct ear_session *session)
{
	static uint64_t last;

	(void)session;
	if (so_far->frames / 400 == last)
		return;
	last = so_far->frames / 400;
	if (last % 2)
		atomic_store(&chip.halts, true);
	else
		atomic_store(&chip.in_error, EPROTO);
}

static void stalls_and_errors_are_survived(void **state)
{
	(void)state;
	plug_in(3000);
	atomic_store(&chip.halts, true);
	usb_capture_run(&capture, "ftdi:", NULL, break_it);
	expect_whole(3000);
	assert_at_least(capture.statistics.faults.stalls, 1);
}

static void unplugged_in_the_middle(void **state)
{
	(void)state;
	chip.endless = true;
	for (int i = 0; i < 5; i++) {
		ftdi_model_power_cycle(&chip);
		usb_bus_plug(&chip.base, 3, true);
		usb_capture_run(&capture, "ftdi:", NULL, usb_capture_unplug);
		assert_int_equal(capture.end.reason, EAR_SESSION_END_VANISHED);
		assert_int_equal(capture.repeats, 0);
	}
}

static void a_chip_that_nobody_feeds_is_reported(void **state)
{
	struct ear_session_options options;

	(void)state;
	chip.mute = true;
	plug_in(1);
	usb_capture_impatient(&options);
	usb_capture_run(&capture, "ftdi:", &options, NULL);
	assert_int_equal(capture.error, EAR_E_TIMEOUT);
	usb_capture_expect(capture.report.text, "ftdi:FT0001: no answer");
	assert_int_equal(chip.mode, 0);
}

static void reasons_not_to_open_are_reported(void **state)
{
	(void)state;
	usb_capture_run(&capture, "ftdi:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "ftdi: no such device");

	struct usbfs_device *device = plug_in(1);
	usbfs_set_busy(device, true);
	usb_capture_run(&capture, "ftdi:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_IO);
	usb_capture_expect(capture.report.text, "another program uses the device");
	usbfs_set_busy(device, false);

	usb_bus_allow(3, false);
	usb_capture_run(&capture, "ftdi:", NULL, NULL);
	usb_bus_allow(3, true);
	assert_int_equal(capture.error, EAR_E_IO);
	usb_capture_expect(capture.report.text, "udev rules");
	usb_bus_unplug(3);

	chip.base.device_descriptor[13] = 4; /* an FT232B with the wrong product id */
	plug_in(1);
	usb_capture_run(&capture, "ftdi:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_UNSUPPORTED);
	usb_capture_expect(capture.report.text, "neither an FT232H nor an FT2232H");
}

static void every_request_may_be_refused(void **state)
{
	static const int requests[] = {0x00, 0x02, 0x09, 0x0B};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(requests); i++) {
		ftdi_model_power_cycle(&chip);
		chip.refuse_request = requests[i];
		plug_in(1);
		usb_capture_run(&capture, "ftdi:", NULL, NULL);
		assert_below(capture.error, 0);
		assert_different(capture.report.text[0], '\0');
		usb_bus_unplug(3);
	}
}

/* -- The EEPROM -- */

static int write_eeprom(struct ear_ftdi_eeprom *eeprom, struct ear_report *report)
{
	struct ear_transport *transport;
	int error = ear_transport_ftdi_open(&transport, "ftdi:", report);

	assert_int_equal(error, 0);
	error = ear_ftdi_eeprom_plan(eeprom, transport, report);
	assert_int_equal(chip.eeprom_writes, 0);
	if (!error && eeprom->change > 0)
		error = ear_ftdi_eeprom_write(eeprom, transport, report);
	ear_transport_close(transport);
	return error;
}

/* The chip as an FT2232H, or an FT232H. */
static void plug_in_eeprom(uint8_t channel, unsigned words, bool two)
{
	ftdi_model_fini(&chip);
	ftdi_model_init(&chip);
	chip.base.device_descriptor[10] = two ? 0x10 : 0x14;
	chip.base.device_descriptor[13] = two ? 7 : 9;
	chip.channel = channel;
	chip.eeprom_words = words;
	usb_bus_plug(&chip.base, 3, true);
}

static void two_words_of_an_eeprom_make_a_fifo(void **state)
{
	static const struct {
		uint8_t channel, after;
		bool two;
	} rows[] = {{0, 1, false}, {8, 1, false}, {0x12, 0x11, false}, {0, 1, true}, {8, 9, true},
		{0x0A, 9, true}, {1, 1, false}, {9, 9, true}};
	struct ear_ftdi_eeprom eeprom;
	struct ear_report report;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (unsigned words = 64; words <= 128; words += 64) {
			bool same = rows[i].channel == rows[i].after;

			plug_in_eeprom(rows[i].channel, words, rows[i].two);
			assert_int_equal(write_eeprom(&eeprom, &report), 0);
			assert_int_equal(eeprom.change, same ? 0 : 2);
			assert_int_equal(chip.eeprom_writes, same ? 0 : 2);
			assert_int_equal(chip.eeprom[0], rows[i].after);
			assert_int_equal(chip.eeprom[words - 2], 0xCAFE);
			assert_int_equal(
				chip.eeprom[words - 1], ftdi_model_checksum(chip.eeprom, words));
			usb_bus_unplug(3);
		}
}

static void an_empty_eeprom_gets_an_image(void **state)
{
	struct ear_ftdi_eeprom eeprom;
	struct ear_report report;

	(void)state;
	for (unsigned two = 0; two < 2; two++)
		for (unsigned words = 64; words <= 128; words += 64) {
			plug_in_eeprom(0xFF, words, two);
			int error = write_eeprom(&eeprom, &report);
			usb_bus_unplug(3);
			assert_true(eeprom.empty);
			if (words == 64 && !two) {
				assert_int_equal(error, EAR_E_UNSUPPORTED);
				usb_capture_expect(report.text, "too small for an FT232H");
				assert_int_equal(chip.eeprom[0], 0xFFFF);
				continue;
			}
			assert_int_equal(error, 0);
			assert_int_equal(chip.eeprom[0] & 7, 1);
			assert_int_equal(chip.eeprom[1], 0x0403);
			assert_int_equal(chip.eeprom[2], two ? 0x6010 : 0x6014);
			assert_int_equal(
				chip.eeprom[words - 1], ftdi_model_checksum(chip.eeprom, words));
		}
}

static void an_eeprom_that_cannot_be_written_is_reported(void **state)
{
	struct ear_ftdi_eeprom eeprom;
	struct ear_report report;

	(void)state;
	plug_in_eeprom(0, 0, false); /* none at all looks empty */
	assert_int_equal(write_eeprom(&eeprom, &report), EAR_E_UNSUPPORTED);
	usb_capture_expect(report.text, "there is no EEPROM");
	usb_bus_unplug(3);

	plug_in_eeprom(0, 128, false);
	chip.forgets = true;
	assert_int_equal(write_eeprom(&eeprom, &report), EAR_E_IO);
	usb_capture_expect(report.text, "word 0 of the EEPROM is 0x0000 after 0x0001 was written");
	chip.forgets = false;
	chip.eeprom[3] ^= 1;
	chip.eeprom_writes = 0;
	assert_int_equal(write_eeprom(&eeprom, &report), EAR_E_UNSUPPORTED);
	usb_capture_expect(report.text, "the checksum of its EEPROM is wrong");
	assert_int_equal(chip.eeprom_writes, 0);
	usb_bus_unplug(3);

	static const int requests[] = {0x05, 0x90, 0x91};
	for (size_t i = 0; i < COUNT_OF(requests); i++) {
		plug_in_eeprom(0, 128, false);
		chip.refuse_request = requests[i];
		assert_int_equal(write_eeprom(&eeprom, &report), EAR_E_IO);
		usb_bus_unplug(3);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			two_bytes_of_each_packet_are_status, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_overrun_is_one_loss_as_long_as_it_lasts, setup, teardown),
		cmocka_unit_test_setup_teardown(a_capture_comes_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(the_chip_is_prepared_and_put_back, setup, teardown),
		cmocka_unit_test_setup_teardown(
			stale_bytes_before_the_stream_do_no_harm, setup, teardown),
		cmocka_unit_test_setup_teardown(
			packets_without_a_whole_status_do_no_harm, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_overrun_of_the_chip_is_reported_in_its_place, setup, teardown),
		cmocka_unit_test_setup_teardown(stalls_and_errors_are_survived, setup, teardown),
		cmocka_unit_test_setup_teardown(unplugged_in_the_middle, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_chip_that_nobody_feeds_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(reasons_not_to_open_are_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(every_request_may_be_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			two_words_of_an_eeprom_make_a_fifo, setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_eeprom_gets_an_image, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_eeprom_that_cannot_be_written_is_reported, setup, teardown),
	};

	(void)argc;
	usb_bus_begin(argv);
	usb_bus_open();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	return failed;
}
