/* usb: against an emulated FX2LP: libusb and everything above it are the real ones. */
#include <earshot/error.h>
#include <errno.h>
#include <stdio.h>

#include <string.h>

#include "check.h"
#include "driver/base/clock.h"
#include "driver/tools/device_list.h"
#include "driver/transports.h"
#include "driver/usb/transport_usb.h"
#include "fx2_model.h"
#include "usb_bus.h"
#include "usb_capture.h"

static struct fx2_model fx2;
static struct usb_capture capture;

/* A device with so many frames and STOP, at port 3. */
static struct usbfs_device *plug_in(unsigned frame_count)
{
	fx2.frame_count = frame_count;
	fx2.ends = true;
	return usb_bus_plug(&fx2.base, 3, true);
}

static int setup(void **state)
{
	fx2_model_init(&fx2);
	return usb_capture_setup(state);
}

static int teardown(void **state)
{
	int result = usb_capture_teardown(state);

	fx2_model_fini(&fx2);
	return result;
}

static void expect_whole(unsigned frame_count)
{
	usb_capture_expect_whole(&capture, frame_count);
}

/* -- The good way -- */

static void a_capture_comes_whole(void **state)
{
	(void)state;
	plug_in(3000);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	expect_whole(3000);
	assert_int_equal(capture.losses, 0);
	assert_int_equal(fx2.start_count, 1);
	assert_int_equal(fx2.stop_count, 2); /* before, and after */
}

static void a_device_is_found_by_serial_number_and_by_place(void **state)
{
	static const char *const names[] = {"usb:", "usb:EAR0001", "usb:1-3"};

	(void)state;
	plug_in(10);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		fx2_model_power_cycle(&fx2);
		usb_capture_run(&capture, names[i], NULL, NULL);
		expect_whole(10);
	}
	usb_capture_run(&capture, "usb:EAR0002", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "usb:EAR0002: no such device");
}

static void strings_that_the_kernel_does_not_report_are_asked_for(void **state)
{
	(void)state;
	fx2.frame_count = 5;
	fx2.ends = true;
	usb_bus_plug(&fx2.base, 3, false);
	usb_capture_run(&capture, "usb:EAR0001", NULL, NULL);
	expect_whole(5);
}

static void of_two_devices_one_has_to_be_named(void **state)
{
	static struct fx2_model other;

	(void)state;
	plug_in(10);
	fx2_model_init(&other);
	other.base.strings[3] = "EAR0002";
	usb_bus_plug(&other.base, 4, true);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_BAD_ARGUMENT);
	usb_capture_expect(capture.report.text, "2 devices are plugged in");
	usb_capture_expect(capture.report.text, "usb:1-3");
	usb_capture_expect(capture.report.text, "usb:1-4");
	usb_capture_run(&capture, "usb:1-3", NULL, NULL);
	expect_whole(10);
	usb_bus_unplug(4);
	fx2_model_fini(&other);
}

/* As clones of chips have it. Each is named by its place then, and found there again. */
static void a_serial_number_that_two_have_names_neither(void **state)
{
	static struct fx2_model other;
	struct ear_device devices[EAR_DEVICE_COUNT_MAX];
	unsigned named = 0;

	(void)state;
	plug_in(10);
	fx2_model_init(&other);
	usb_bus_plug(&other.base, 4, true);
	usb_capture_run(&capture, "usb:EAR0001", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_BAD_ARGUMENT);
	usb_capture_expect(capture.report.text, "2 devices are plugged in; say which: ");
	usb_capture_expect(capture.report.text, "usb:1-3");
	usb_capture_expect(capture.report.text, "usb:1-4");
	size_t count = ear_device_list(devices, EAR_DEVICE_COUNT_MAX);
	for (size_t i = 0; i < count; i++)
		named += !strcmp(devices[i].name, "usb:1-3") || !strcmp(devices[i].name, "usb:1-4");
	assert_int_equal(named, 2);
	usb_capture_run(&capture, "usb:1-3", NULL, NULL);
	expect_whole(10);
	usb_bus_unplug(4);
	fx2_model_fini(&other);
}

static void letters_that_no_terminal_shall_see_are_not_shown(void **state)
{
	struct ear_device devices[EAR_DEVICE_COUNT_MAX];
	bool found = false;

	(void)state;
	fx2.base.strings[3] = "A\x1b[31m\xC3\xA4";
	plug_in(10);
	size_t count = ear_device_list(devices, EAR_DEVICE_COUNT_MAX);
	for (size_t i = 0; i < count; i++)
		found |= !strcmp(devices[i].name, "usb:A?[31m??");
	assert_true(found);
	usb_capture_run(&capture, "usb:A?[31m??", NULL, NULL); /* its name is good for -d as well */
	expect_whole(10);
}

static void stop_on_request(const struct usb_capture *so_far, struct ear_session *session)
{
	if (so_far->frames > 100)
		ear_session_stop(session);
}

static void a_stream_without_an_end_is_stopped(void **state)
{
	(void)state;
	fx2.endless = true;
	usb_bus_plug(&fx2.base, 3, true);
	usb_capture_run(&capture, "usb:", NULL, stop_on_request);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.end.stop_reason, EAR_STOP_HOST);
	assert_above(capture.frames, 100);
	assert_int_equal(capture.skipped, 0);
}

static void a_driver_of_the_kernel_is_detached_and_given_back(void **state)
{
	struct usbfs_device *device = plug_in(10);

	(void)state;
	usbfs_set_driver(device, true);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	expect_whole(10);
	assert_true(usbfs_driver_bound(device));
}

/* -- Opening that does not work -- */

static void expect_refused(int error, const char *text)
{
	usb_capture_run(&capture, "usb:", NULL, NULL);
	usb_capture_expect(capture.report.text, text);
	assert_int_equal(capture.error, error);
	assert_false(capture.started);
	assert_int_equal(fx2.start_count, 0);
}

static void no_device_is_reported(void **state)
{
	(void)state;
	expect_refused(EAR_E_NO_DEVICE, "usb: no such device is plugged in");
}

static void a_device_of_somebody_else_is_left_alone(void **state)
{
	(void)state;
	fx2.base.strings[2] = "Something else";
	plug_in(1);
	expect_refused(EAR_E_NO_DEVICE, "no such device");
}

static void a_device_that_is_in_use_is_reported(void **state)
{
	struct usbfs_device *device = plug_in(1);

	(void)state;
	usbfs_set_busy(device, true);
	expect_refused(EAR_E_IO, "another program uses the device");
}

static void missing_rights_are_reported_with_a_remedy(void **state)
{
	(void)state;
	plug_in(1);
	usb_bus_allow(3, false);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	usb_bus_allow(3, true);
	assert_int_equal(capture.error, EAR_E_IO);
	usb_capture_expect(capture.report.text, "no permission for /dev/bus/usb/001/");
	usb_capture_expect(capture.report.text, "udev rules");
}

static void another_major_is_refused_with_both_numbers(void **state)
{
	char text[128];

	(void)state;
	fx2.base.device_descriptor[13] = 2;
	fx2.base.device_descriptor[12] = 5;
	plug_in(1);
	snprintf(text, sizeof(text),
		"version 2.5 of Earshot's USB protocol, this earshot speaks %u.%u",
		EAR_USB_VERSION_MAJOR, EAR_USB_VERSION_MINOR);
	expect_refused(EAR_E_VERSION, text);
}

static void another_major_in_identify_is_refused_as_well(void **state)
{
	(void)state;
	fx2.identify[EAR_USB_IDENTIFY_MAJOR] = 3;
	plug_in(1);
	expect_refused(EAR_E_VERSION, "speaks version 3.0");
}

static void a_wrong_answer_to_identify_is_refused(void **state)
{
	(void)state;
	fx2.identify[0] = 'X';
	plug_in(1);
	expect_refused(EAR_E_UNSUPPORTED, "not its firmware");
}

static void a_short_answer_to_identify_is_refused(void **state)
{
	(void)state;
	fx2.identify_size = 15;
	plug_in(1);
	expect_refused(EAR_E_UNSUPPORTED, "not its firmware");
}

static void packets_of_no_possible_size_are_refused(void **state)
{
	(void)state;
	fx2.identify[EAR_USB_IDENTIFY_PACKET] = 0;
	fx2.identify[EAR_USB_IDENTIFY_PACKET + 1] = 0;
	plug_in(1);
	expect_refused(EAR_E_UNSUPPORTED, "0 bytes");
}

/* Every byte of the configuration, made as wrong as it can be: it is refused or does not matter,
 * and nothing is read beyond its end. */
static void wrong_descriptors_do_no_harm(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
	unsigned refused = 0;

	(void)state;
	usb_bus_libusb_may_leak(true);
	for (size_t at = 0; at < fx2.base.config_size; at++) {
		for (size_t i = 0; i < COUNT_OF(values); i++) {
			uint8_t right = fx2.base.config[at];

			fx2.base.config[at] = values[i];
			fx2_model_power_cycle(&fx2);
			plug_in(1);
			usb_capture_run(&capture, "usb:", NULL, NULL);
			refused += capture.error != 0;
			if (capture.error == 0)
				assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
			usb_bus_unplug(3);
			fx2.base.config[at] = right;
		}
	}
	usb_bus_libusb_may_leak(false);
	assert_above(refused, 20);
}

static void a_configuration_that_is_cut_off_is_refused(void **state)
{
	(void)state;
	usb_bus_libusb_may_leak(true);
	for (size_t size = 0; size < 32; size++) {
		fx2.base.config_size = size;
		plug_in(1);
		usb_capture_run(&capture, "usb:", NULL, NULL);
		assert_below(capture.error, 0);
		usb_bus_unplug(3);
	}
	usb_bus_libusb_may_leak(false);
}

static void a_device_that_does_not_start_says_why(void **state)
{
	(void)state;
	fx2.refuses_start = true;
	plug_in(1);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "does not start");
	usb_capture_expect(capture.report.text, "12 Mb/s");
}

/* -- A device that does not answer, or not what it should -- */

static void requests_without_an_answer_end_in_time(void **state)
{
	uint64_t begin_ms = ear_clock_ms();

	(void)state;
	fx2.never_answers = true;
	plug_in(1);
	expect_refused(EAR_E_TIMEOUT, "timed out");
	assert_below(ear_clock_ms() - begin_ms, 5000);
}

static void a_mute_unit_is_reported(void **state)
{
	struct ear_session_options options;

	(void)state;
	fx2.mute = true;
	plug_in(1);
	usb_capture_impatient(&options);
	usb_capture_run(&capture, "usb:", &options, NULL);
	assert_int_equal(capture.error, EAR_E_TIMEOUT);
	usb_capture_expect(capture.report.text, "no answer");
}

static void a_unit_that_takes_no_control_words_is_reported(void **state)
{
	struct ear_session_options options;

	(void)state;
	fx2.deaf = true;
	plug_in(1);
	usb_capture_impatient(&options);
	usb_capture_run(&capture, "usb:", &options, NULL);
	assert_int_equal(capture.error, EAR_E_TIMEOUT);
	usb_capture_expect(capture.report.text, "no answer");
}

static void a_unit_that_answers_garbage_is_reported(void **state)
{
	struct ear_session_options options;

	(void)state;
	fx2.garbage = true;
	plug_in(1);
	usb_capture_impatient(&options);
	usb_capture_run(&capture, "usb:", &options, NULL);
	assert_int_equal(capture.error, EAR_E_TIMEOUT);
	usb_capture_expect(capture.report.text, "no answer");
}

/* -- Faults of the bus, in the middle -- */

static void halt_once(const struct usb_capture *so_far, struct ear_session *session)
{
	static uint64_t last;

	(void)session;
	if (so_far->frames > 200 && so_far->frames < 2000 && so_far->frames / 500 != last) {
		last = so_far->frames / 500;
		atomic_store(&fx2.halts, true);
	}
}

static void a_stall_is_cleared_and_nothing_is_lost(void **state)
{
	(void)state;
	plug_in(3000);
	atomic_store(&fx2.halts, true);
	usb_capture_run(&capture, "usb:", NULL, halt_once);
	expect_whole(3000);
	/* One at the beginning and four at the most later, whatever the transfers in flight. */
	assert_in_range(capture.statistics.faults.stalls, 1, 5);
}

static void an_endpoint_that_halts_for_ever_is_an_error(void **state)
{
	(void)state;
	atomic_store(&fx2.halts_again, true);
	atomic_store(&fx2.halts, true);
	plug_in(10);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "halts its stream again and again");
}

static void a_halted_control_pipe_is_cleared(void **state)
{
	(void)state;
	plug_in(50);
	atomic_store(&fx2.halts_out, true);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	expect_whole(50);
	assert_at_least(capture.statistics.faults.write_again, 1);
}

static void bus_errors_are_survived(void **state)
{
	static const int errors[] = {EPROTO, EILSEQ, ETIME, ECOMM};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		fx2_model_power_cycle(&fx2);
		atomic_store(&fx2.in_errors, 2);
		atomic_store(&fx2.in_error, errors[i]);
		plug_in(100);
		usb_capture_run(&capture, "usb:", NULL, NULL);
		expect_whole(100);
		usb_bus_unplug(3);
	}
	assert_at_least(capture.statistics.faults.errors, 2);
}

static void bus_errors_without_an_end_are_an_error(void **state)
{
	(void)state;
	atomic_store(&fx2.in_errors, 1000000);
	atomic_store(&fx2.in_error, EPROTO);
	plug_in(10);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "errors again and again");
}

static void overflow_once(const struct usb_capture *so_far, struct ear_session *session)
{
	static bool done;

	(void)session;
	if (!done && so_far->frames > 100) {
		done = true;
		atomic_store(&fx2.jumbo, true);
	}
}

static void stop_after_a_loss(const struct usb_capture *so_far, struct ear_session *session)
{
	overflow_once(so_far, session);
	if (so_far->losses > 0 && so_far->frames > 200)
		ear_session_stop(session);
}

static void an_overflow_is_reported_as_a_loss(void **state)
{
	(void)state;
	fx2.endless = true;
	usb_bus_plug(&fx2.base, 3, true);
	usb_capture_run(&capture, "usb:", NULL, stop_after_a_loss);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.losses, 1);
	assert_int_equal(capture.lost, 0); /* nobody knows how many */
	assert_int_equal(capture.statistics.faults.overflows, 1);
}

static void empty_packets_are_no_end(void **state)
{
	(void)state;
	atomic_store(&fx2.empty_packets, 300);
	plug_in(100);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	expect_whole(100);
	assert_int_equal(fx2.empty_packets, 0);
}

/* -- Memory of the kernel -- */

static void little_memory_means_fewer_transfers_and_a_warning(void **state)
{
	struct usbfs_device *device = plug_in(500);

	(void)state;
	usbfs_set_memory(device, 100 << 10); /* 6 transfers, and one for control words */
	usb_capture_run(&capture, "usb:", NULL, NULL);
	expect_whole(500);
	usb_capture_expect(capture.warning, "memory for 96 KiB of USB transfers only");
}

static void very_little_memory_means_small_transfers(void **state)
{
	struct usbfs_device *device = plug_in(500);

	(void)state;
	usbfs_set_memory(device, 5 << 10);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	expect_whole(500);
	usb_capture_expect(capture.warning, "memory for 4 KiB");
}

static void no_memory_at_all_is_reported(void **state)
{
	struct usbfs_device *device = plug_in(10);

	(void)state;
	usbfs_set_memory(device, 100);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_MEMORY);
	usb_capture_expect(capture.report.text, "usbfs_memory_mb");
}

static void memory_that_somebody_else_takes_meanwhile(
	const struct usb_capture *so_far, struct ear_session *session)
{
	(void)session;
	if (so_far->frames > 10) /* the capture runs */
		usbfs_set_memory(usb_bus_device(3), so_far->frames % 64 < 32 ? 40 << 10 : 4 << 20);
}

static void memory_may_come_and_go(void **state)
{
	(void)state;
	plug_in(2000);
	usb_capture_run(&capture, "usb:", NULL, memory_that_somebody_else_takes_meanwhile);
	expect_whole(2000);
}

static void the_limit_of_the_kernel_is_kept(void **state)
{
	struct usbfs_device *device = plug_in(100);

	(void)state;
	usb_bus_set_megabytes(2);
	usbfs_set_memory(device, 1100 << 10); /* half of 2 MiB, and a bit for requests */
	usb_capture_run(&capture, "usb:", NULL, NULL);
	usb_bus_set_megabytes(-1);
	expect_whole(100);
	assert_string_equal(capture.warning, "");
}

/* -- Unplugging -- */

static void unplugged_in_the_middle(void **state)
{
	(void)state;
	fx2.endless = true;
	for (int i = 0; i < 10; i++) {
		fx2_model_power_cycle(&fx2);
		usb_bus_plug(&fx2.base, 3, true);
		usb_capture_run(&capture, "usb:", NULL, usb_capture_unplug);
		assert_int_equal(capture.end.reason, EAR_SESSION_END_VANISHED);
		usb_capture_expect(capture.end.report.text, "unplugged");
		assert_above(capture.frames, 300);
		assert_int_equal(capture.repeats, 0); /* what came is whole */
		assert_int_equal(capture.skipped, 0);
	}
}

/* As with some controllers: every transfer ends with a bus error first, and a while later the
 * kernel sees that nobody is there. */
static void unplug_with_errors(const struct usb_capture *so_far, struct ear_session *session)
{
	static uint64_t errors_ms;

	(void)session;
	if (so_far->frames <= 300) {
		errors_ms = 0;
	} else if (errors_ms == 0) {
		atomic_store(&fx2.in_errors, 1000000);
		atomic_store(&fx2.in_error, EPROTO);
		errors_ms = ear_clock_ms();
	} else if (ear_clock_ms() - errors_ms > 30 && usb_bus_device(3)) {
		usb_bus_unplug(3);
	}
}

static void an_unplug_that_looks_like_errors_first(void **state)
{
	(void)state;
	fx2.endless = true;
	usb_bus_plug(&fx2.base, 3, true);
	usb_capture_run(&capture, "usb:", NULL, unplug_with_errors);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_VANISHED);
	assert_int_equal(capture.repeats, 0);
}

static void unplugged_after_the_last_frame(void **state)
{
	(void)state;
	plug_in(20);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	expect_whole(20);
	usb_bus_unplug(3);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
}

static void a_transport_that_is_closed_without_a_start(void **state)
{
	struct ear_transport *transport;
	struct ear_report report;

	(void)state;
	plug_in(1);
	assert_int_equal(ear_transport_open(&transport, "usb:", &report), 0);
	assert_int_equal(ear_transport_usb_identity(transport)->firmware, 7);
	assert_int_equal(ear_transport_usb_identity(transport)->packet_size, 512);
	assert_string_equal(transport->reconnect, "usb:EAR0001");
	assert_int_equal(
		ear_transport_write(transport, (const uint8_t *)"x", 1, 10, &report), EAR_E_IO);
	ear_transport_close(transport);
	assert_int_equal(ear_transport_open(&transport, "usb:", &report), 0);
	usb_bus_unplug(3);
	ear_transport_close(transport);
}

/* -- A slow consumer -- */

static void slow(const struct usb_capture *so_far, struct ear_session *session)
{
	ear_clock_sleep_ms(20);
	if (so_far->losses > 2)
		ear_session_stop(session);
}

static void a_slow_consumer_does_not_stop_the_device(void **state)
{
	struct ear_session_options options;

	(void)state;
	usb_capture_options(&options);
	options.ring_size = 16384;
	options.ring_full = EAR_RING_FULL_DROP;
	fx2.endless = true;
	usb_bus_plug(&fx2.base, 3, true);
	usb_capture_run(&capture, "usb:", &options, slow);
	assert_above(capture.losses, 2);
	assert_above(capture.lost, 0);
	assert_at_least(capture.statistics.dropped, capture.lost);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP); /* that is never dropped */
	assert_int_equal(capture.skipped, 0); /* whole packets are dropped, so whole frames */
}

/* Waiting instead: nothing is lost, and neither stop nor close waits for room. */
static void a_consumer_that_stops_reading_can_close(void **state)
{
	struct ear_session_options options;
	struct ear_capture_config config;
	struct ear_session *session;
	struct ear_report report;

	(void)state;
	usb_capture_options(&options);
	options.ring_size = 4096;
	options.ring_full = EAR_RING_FULL_WAIT;
	fx2.endless = true;
	usb_bus_plug(&fx2.base, 3, true);
	ear_capture_config_init(&config);
	assert_int_equal(ear_session_open(&session, "usb:", &options, &report), 0);
	assert_int_equal(ear_session_start(session, &config), 0);
	ear_clock_sleep_ms(50);
	ear_session_close(session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_capture_comes_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_device_is_found_by_serial_number_and_by_place, setup, teardown),
		cmocka_unit_test_setup_teardown(
			strings_that_the_kernel_does_not_report_are_asked_for, setup, teardown),
		cmocka_unit_test_setup_teardown(
			of_two_devices_one_has_to_be_named, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_serial_number_that_two_have_names_neither, setup, teardown),
		cmocka_unit_test_setup_teardown(
			letters_that_no_terminal_shall_see_are_not_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_stream_without_an_end_is_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_driver_of_the_kernel_is_detached_and_given_back, setup, teardown),
		cmocka_unit_test_setup_teardown(no_device_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_device_of_somebody_else_is_left_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_device_that_is_in_use_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			missing_rights_are_reported_with_a_remedy, setup, teardown),
		cmocka_unit_test_setup_teardown(
			another_major_is_refused_with_both_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(
			another_major_in_identify_is_refused_as_well, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_wrong_answer_to_identify_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_short_answer_to_identify_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			packets_of_no_possible_size_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_descriptors_do_no_harm, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_configuration_that_is_cut_off_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_device_that_does_not_start_says_why, setup, teardown),
		cmocka_unit_test_setup_teardown(
			requests_without_an_answer_end_in_time, setup, teardown),
		cmocka_unit_test_setup_teardown(a_mute_unit_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_unit_that_takes_no_control_words_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_unit_that_answers_garbage_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_stall_is_cleared_and_nothing_is_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_endpoint_that_halts_for_ever_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(a_halted_control_pipe_is_cleared, setup, teardown),
		cmocka_unit_test_setup_teardown(bus_errors_are_survived, setup, teardown),
		cmocka_unit_test_setup_teardown(
			bus_errors_without_an_end_are_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(an_overflow_is_reported_as_a_loss, setup, teardown),
		cmocka_unit_test_setup_teardown(empty_packets_are_no_end, setup, teardown),
		cmocka_unit_test_setup_teardown(
			little_memory_means_fewer_transfers_and_a_warning, setup, teardown),
		cmocka_unit_test_setup_teardown(
			very_little_memory_means_small_transfers, setup, teardown),
		cmocka_unit_test_setup_teardown(no_memory_at_all_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_may_come_and_go, setup, teardown),
		cmocka_unit_test_setup_teardown(the_limit_of_the_kernel_is_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(unplugged_in_the_middle, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_unplug_that_looks_like_errors_first, setup, teardown),
		cmocka_unit_test_setup_teardown(unplugged_after_the_last_frame, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_transport_that_is_closed_without_a_start, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_slow_consumer_does_not_stop_the_device, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_consumer_that_stops_reading_can_close, setup, teardown),
	};

	(void)argc;
	usb_bus_begin(argv);
	usb_bus_open();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	return failed;
}
