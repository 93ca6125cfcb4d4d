/* Devices that come back: after an unplug, in the middle of a capture; and a bare FX2LP that gets
 * its firmware and returns as another device. */
#include <earshot/error.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"
#include "driver/base/clock.h"
#include "driver/link/transport.h"
#include "driver/usb/fx2_loader.h"
#include "ftdi_model.h"
#include "fx2_model.h"
#include "usb_bus.h"
#include "usb_capture.h"

static struct fx2_model fx2, bare;
static struct usb_capture capture;

static int setup(void **state)
{
	fx2_model_init(&fx2);
	fx2_model_init_bare(&bare);
	return usb_capture_setup(state);
}

static int teardown(void **state)
{
	int result = usb_capture_teardown(state);

	fx2_model_fini(&fx2);
	fx2_model_fini(&bare);
	return result;
}

static struct ear_session_options waiting(unsigned reconnect_timeout_ms)
{
	struct ear_session_options options;

	usb_capture_options(&options);
	options.reply_timeout_ms = 1000;
	options.reconnect_timeout_ms = reconnect_timeout_ms;
	return options;
}

/* -- A device that went away -- */

static bool keeps_power; /* the unit continues while its USB side is away */
static int port_again;   /* where it is plugged in again; 0: never */
static unsigned unplugs, unplugs_max;
static uint64_t frames_at_unplug;

/* Out after some hundred frames, in again at once, and at the end stop. */
static void out_and_in(const struct usb_capture *so_far, struct ear_session *session)
{
	int port = usb_bus_device(3) ? 3 : 4;

	if (unplugs == unplugs_max && so_far->losses == unplugs_max &&
		so_far->frames > frames_at_unplug + 200)
		ear_session_stop(session);
	if (unplugs == unplugs_max || so_far->losses != unplugs ||
		so_far->frames < frames_at_unplug + 200)
		return;
	unplugs++;
	frames_at_unplug = so_far->frames;
	usb_bus_unplug(port);
	if (!keeps_power)
		fx2_model_power_cycle(&fx2);
	if (port_again)
		usb_bus_plug(&fx2.base, port_again, true);
}

static void begin(bool power, int again, unsigned count)
{
	keeps_power = power;
	port_again = again;
	unplugs = 0;
	unplugs_max = count;
	frames_at_unplug = 0;
	fx2.endless = true;
	usb_bus_plug(&fx2.base, 3, true);
}

static void a_device_that_lost_its_power_is_started_again(void **state)
{
	struct ear_session_options options = waiting(10000);

	(void)state;
	begin(false, 3, 3);
	usb_capture_run(&capture, "usb:", &options, out_and_in);
	assert_int_equal(capture.error, 0);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.losses, 3); /* each with its place */
	assert_int_equal(capture.lost, 0);   /* and an unknown size */
	assert_int_equal(capture.statistics.reconnect_count, 3);
	assert_int_equal(capture.skipped, 0);
	assert_int_equal(fx2.start_count, 4);
}

static void a_device_that_kept_its_power_goes_on_with_its_capture(void **state)
{
	struct ear_session_options options = waiting(10000);

	(void)state;
	begin(true, 3, 2);
	usb_capture_run(&capture, "usb:", &options, out_and_in);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.losses, 2);
	/* Its core was not held, nor its capture begun anew: the records are counted on. */
	assert_above(capture.end.retired, 20 * 400);
}

static void it_is_found_in_another_port_by_its_serial_number(void **state)
{
	struct ear_session_options options = waiting(10000);

	(void)state;
	begin(true, 4, 1);
	usb_capture_run(&capture, "usb:1-3", &options, out_and_in);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.statistics.reconnect_count, 1);
}

static void set_mute(bool mute)
{
	pthread_mutex_lock(&fx2.mutex);
	fx2.mute = mute;
	pthread_mutex_unlock(&fx2.mutex);
}

/* Out and in again, but the unit says nothing until somebody has asked it in vain. */
static void out_and_in_and_mute(const struct usb_capture *so_far, struct ear_session *session)
{
	struct ear_session_statistics statistics;

	if (so_far->frames < 200)
		return;
	ear_session_statistics(session, &statistics);
	if (unplugs == 0) {
		unplugs = 1;
		usb_bus_unplug(3);
		set_mute(true);
		usb_bus_plug(&fx2.base, 3, true);
	} else if (statistics.absent && fx2.start_count >= 2) {
		set_mute(false);
	} else if (so_far->losses > 0) {
		ear_session_stop(session);
	}
}

static void a_unit_that_answers_at_the_second_attempt_only(void **state)
{
	struct ear_session_options options = waiting(60000);

	(void)state;
	begin(true, 3, 1);
	options.reply_timeout_ms = 100;
	options.retries = 5;
	usb_capture_run(&capture, "usb:", &options, out_and_in_and_mute);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.losses, 1);
	assert_at_least(fx2.start_count, 3);
}

static void the_wait_has_an_end(void **state)
{
	struct ear_session_options options = waiting(300);

	(void)state;
	begin(true, 0, 1);
	usb_capture_run(&capture, "usb:", &options, out_and_in);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_VANISHED);
	usb_capture_expect(capture.end.report.text, "unplugged");
	usb_capture_expect(capture.end.report.text, "has not come back");
	assert_int_equal(capture.losses, 0);
}

/* Out, and while it is waited for the user has enough. */
static void out_and_stop(const struct usb_capture *so_far, struct ear_session *session)
{
	struct ear_session_statistics statistics;

	if (so_far->frames < 200)
		return;
	if (usb_bus_device(3))
		usb_bus_unplug(3);
	ear_session_statistics(session, &statistics);
	if (statistics.absent)
		ear_session_stop(session);
}

static void the_wait_can_be_stopped(void **state)
{
	struct ear_session_options options = waiting(EAR_SESSION_WAIT_FOR_EVER);

	(void)state;
	begin(true, 0, 1);
	usb_capture_run(&capture, "usb:", &options, out_and_stop);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_HOST);
	usb_capture_expect(capture.end.report.text, "while the device was absent");
}

static void another_unit_is_not_taken_for_the_same(
	const struct usb_capture *so_far, struct ear_session *session)
{
	(void)session;
	if (so_far->frames < 200 || unplugs == 1)
		return;
	unplugs++;
	usb_bus_unplug(3);
	fx2_model_power_cycle(&fx2);
	fx2.unit.registers[EAR_REG_SHAPE / 4] = 64 | 1 << 8;
	usb_bus_plug(&fx2.base, 3, true);
}

static void another_unit_is_refused(void **state)
{
	struct ear_session_options options = waiting(400);

	(void)state;
	begin(false, 3, 0);
	usb_capture_run(&capture, "usb:", &options, another_unit_is_not_taken_for_the_same);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_VANISHED);
	assert_int_equal(capture.losses, 0);
}

static void what_comes_back_goes_to_the_same_record(void **state)
{
	struct ear_session_options options = waiting(10000);
	char path[] = "/tmp/earshot-usb-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_at_least(fd, 0);
	options.record_path = path;
	begin(true, 3, 1);
	usb_capture_run(&capture, "usb:", &options, out_and_in);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.losses, 1);
	/* All that was received, before and after. */
	assert_int_equal(lseek(fd, 0, SEEK_END), capture.statistics.received);
	close(fd);
	unlink(path);
}

/* -- Firmware -- */

#define HEX_END ":00000001FF\n"

static const char good_hex[] = ":03000000020100FA\n"
			       ":0401000075814022A3\n"
			       ":100080004541525301000000000000000000000044\n" HEX_END;

static void intel_hex_is_read(void **state)
{
	static struct ear_fx2_image image;
	struct ear_report report;

	(void)state;
	assert_int_equal(
		ear_fx2_image_parse(&image, good_hex, strlen(good_hex), "a.hex", &report), 0);
	assert_int_equal(image.size, 0x104);
	assert_int_equal(image.bytes[0], 0x02);
	assert_int_equal(image.bytes[0x103], 0x22);
	assert_memory_equal(image.bytes + 0x80, "EARS", 4);
	assert_int_equal(image.bytes[3], 0);
}

static void bad_intel_hex_is_reported_with_its_line(void **state)
{
	static const struct {
		const char *text, *wrong;
	} rows[] = {
		{"", "the end record is missing"},
		{":03000000020100FA\n", "the end record is missing"},
		{HEX_END, "it holds no data"},
		{":03000000020100FB\n" HEX_END, "line 1 has a wrong checksum"},
		{":03000000020100FA\n:04000000020100F9\n", "line 2 has a length that its count"},
		{":0300000002010\n", "line 1 has text that is not Intel HEX"},
		{"030000000201000FA\n", "line 1 has text that is not Intel HEX"},
		{":03000000020G00FA\n", "line 1 has text that is not Intel HEX"},
		{":03000000020100FA\n:03000000020100FA\n" HEX_END, "line 2 has a byte that"},
		{":033BFE00020100C1\n" HEX_END, "beyond the chip's memory"},
		{":01FFFF0055AC\n" HEX_END, "beyond the chip's memory"},
		{":020000040001F9\n" HEX_END, "beyond the chip's memory"},
		{":020000041000EA\n" HEX_END, "beyond the chip's memory"},
		{":0000000AF6\n" HEX_END, "an unknown record type"},
		{":0100000155A9\n", "line 1 has data in the end record"},
		{":0100000055AA\n" HEX_END ":0100000055AA\n",
			"line 3 has data after the end record"},
		{":\n" HEX_END, "line 1 has a length that its count"},
	};
	static struct ear_fx2_image image;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_report report = {""};

		assert_int_equal(ear_fx2_image_parse(&image, rows[i].text, strlen(rows[i].text),
					 "a.hex", &report),
			EAR_E_BAD_FILE);
		usb_capture_expect(report.text, rows[i].wrong);
		usb_capture_expect(report.text, "a.hex");
	}
}

/* Every byte of a good file changed in every bit, and every length: never a crash, and seldom
 * taken. */
static void damaged_intel_hex_does_no_harm(void **state)
{
	static struct ear_fx2_image image;
	struct ear_report report;
	unsigned taken = 0;

	(void)state;
	for (size_t size = 0; size < sizeof(good_hex) - 2; size++) {
		char *text = malloc(size + 1);

		assert_non_null(text);
		memcpy(text, good_hex, size);
		assert_below(ear_fx2_image_parse(&image, text, size, "a", &report), 0);
		free(text);
	}
	for (size_t at = 0; at < sizeof(good_hex) - 1; at++)
		for (int bit = 0; bit < 8; bit++) {
			char text[sizeof(good_hex)];

			memcpy(text, good_hex, sizeof(text));
			text[at] = (char)(text[at] ^ 1 << bit);
			taken += ear_fx2_image_parse(
					 &image, text, sizeof(text) - 1, "a", &report) == 0;
		}
	assert_below(taken, 60); /* letters in lower case, and the like */
}

/* Write the firmware's file and name it. */
static void name_firmware(const char *text)
{
	static char path[] = "/tmp/earshot-fx2-test.hex";
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	setenv("EARSHOT_FX2_FIRMWARE", path, 1);
}

/* What the chip does with its firmware: it goes, and comes back as another device. */
static void *renumerate(void *context)
{
	const bool *returns = context;

	while (!atomic_load(&bare.started))
		ear_clock_sleep_ms(2);
	ear_clock_sleep_ms(50);
	usb_bus_unplug(3);
	ear_clock_sleep_ms(50);
	if (*returns)
		usb_bus_plug(&fx2.base, 3, true);
	return NULL;
}

static void load(bool returns)
{
	pthread_t thread;

	fx2.frame_count = 20;
	fx2.ends = true;
	usb_bus_plug(&bare.base, 3, true);
	assert_int_equal(pthread_create(&thread, NULL, renumerate, &returns), 0);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	atomic_store(&bare.started, true);
	pthread_join(thread, NULL);
}

static void a_bare_chip_gets_its_firmware(void **state)
{
	(void)state;
	name_firmware(good_hex);
	load(true);
	assert_string_equal(capture.report.text, "");
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.frames, 23);
	assert_memory_equal(bare.memory + 0x80, "EARS", 4);
	assert_int_equal(bare.memory[0], 0x02);
}

static void firmware_that_was_damaged_on_its_way_is_not_started(void **state)
{
	(void)state;
	name_firmware(good_hex);
	bare.damages_load = true;
	usb_bus_plug(&bare.base, 3, true);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_IO);
	usb_capture_expect(capture.report.text, "damaged on its way");
	assert_false(bare.started);
	assert_int_equal(bare.memory[EAR_USB_CPUCS], 1);
}

static void a_bad_file_is_reported_before_anything_is_loaded(void **state)
{
	(void)state;
	name_firmware("nonsense\n");
	usb_bus_plug(&bare.base, 3, true);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_BAD_FILE);
	usb_capture_expect(capture.report.text, "not Earshot's firmware");
	name_firmware(":nonsense\n");
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_BAD_FILE);
	usb_capture_expect(capture.report.text, "line 1");
	assert_int_equal(bare.load_count, 0);
	setenv("EARSHOT_FX2_FIRMWARE", "/nowhere/at/all.hex", 1);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "/nowhere/at/all.hex");
}

static void a_chip_that_does_not_return_is_reported(void **state)
{
	uint64_t begin_ms = ear_clock_ms();

	(void)state;
	name_firmware(good_hex);
	load(false);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "has not come back with its firmware within 5 s");
	assert_at_least(ear_clock_ms() - begin_ms, 5000);
}

static void interrupt(int number)
{
	(void)number;
	ear_transport_interrupt(true);
}

static void the_wait_for_a_chip_can_be_interrupted(void **state)
{
	const struct itimerval soon = {.it_value.tv_usec = 300000};
	uint64_t begin_ms = ear_clock_ms();

	(void)state;
	name_firmware(good_hex);
	signal(SIGALRM, interrupt);
	setitimer(ITIMER_REAL, &soon, NULL);
	load(false);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "interrupted before the device came back");
	assert_below(ear_clock_ms(), begin_ms + 4000);
	usb_capture_run(&capture, "usb:", NULL, NULL);
	assert_int_equal(capture.error, EAR_E_NO_DEVICE);
	usb_capture_expect(capture.report.text, "interrupted before it was opened");
	ear_transport_interrupt(false);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_device_that_lost_its_power_is_started_again, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_device_that_kept_its_power_goes_on_with_its_capture, setup, teardown),
		cmocka_unit_test_setup_teardown(
			it_is_found_in_another_port_by_its_serial_number, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_unit_that_answers_at_the_second_attempt_only, setup, teardown),
		cmocka_unit_test_setup_teardown(the_wait_has_an_end, setup, teardown),
		cmocka_unit_test_setup_teardown(the_wait_can_be_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(another_unit_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_comes_back_goes_to_the_same_record, setup, teardown),
		cmocka_unit_test_setup_teardown(intel_hex_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(
			bad_intel_hex_is_reported_with_its_line, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_intel_hex_does_no_harm, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bare_chip_gets_its_firmware, setup, teardown),
		cmocka_unit_test_setup_teardown(
			firmware_that_was_damaged_on_its_way_is_not_started, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_bad_file_is_reported_before_anything_is_loaded, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_chip_that_does_not_return_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_wait_for_a_chip_can_be_interrupted, setup, teardown),
	};

	(void)argc;
	usb_bus_begin(argv);
	usb_bus_open();
	usb_bus_set_megabytes(2); /* quicker to begin than with all there could be */
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	unlink("/tmp/earshot-fx2-test.hex");
	return failed;
}
