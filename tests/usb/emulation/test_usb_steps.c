/* Fault at every step: the first, second, third ... USB operation of a whole capture fails, each in
 * every way that it can. The capture ends, with a reason; what came until then is whole; nothing is
 * left behind.
 */
#include <earshot/error.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "ftdi_model.h"
#include "fx2_model.h"
#include "usb_bus.h"
#include "usb_capture.h"

#define FRAMES    12
#define STEPS_MAX 2000 /* more than there are */

static struct usb_capture capture;

/* How a step can fail. The last ones go the same way for both devices. */
static const struct {
	enum usbfs_fault fault;
	int error;
	bool usb_only;
} ways[] = {
	{USBFS_FAULT_IOCTL, EIO, false},
	{USBFS_FAULT_IOCTL, ENODEV, false},
	{USBFS_FAULT_URB, EPROTO, false},
	{USBFS_FAULT_URB, EPIPE, true},
	{USBFS_FAULT_URB, EOVERFLOW, true},
	{USBFS_FAULT_URB, ESHUTDOWN, true},
};

/* What must be true whatever happened. */
static void check_account(void)
{
	if (capture.error) {
		assert_below(capture.error, 0);
		assert_different(capture.report.text[0], '\0');
		return;
	}
	assert_true(
		capture.end.reason == EAR_SESSION_END_STOP || capture.end.report.text[0] != '\0');
	/* Received and handed over is the same, and what is missing is known to be missing: no
	 * damage, and no hole in the numbers without a loss or a fault that was counted. */
	assert_int_equal(capture.statistics.dropped, 0);
	if (capture.end.reason == EAR_SESSION_END_STOP && capture.losses == 0) {
		assert_int_equal(capture.skipped, 0);
		assert_int_equal(capture.repeats, 0);
		assert_at_least(capture.frames, FRAMES + 2);
	}
}

/* Run the capture with step number failing. Returns false if it has fewer steps. */
static bool run_step(const char *name, struct usb_model *model, unsigned way, long number)
{
	struct usbfs_device *device = usb_bus_plug(model, 3, true);
	struct ear_session_options options;

	usb_capture_impatient(&options);
	options.reply_timeout_ms = 30; /* there are hundreds of answers that do not come */
	options.stop_timeout_ms = 50;
	usbfs_fail(device, ways[way].fault, number, ways[way].error);
	usb_capture_run(&capture, name, &options, NULL);
	long count = usbfs_operations(device, ways[way].fault);
	check_account();
	usb_bus_unplug(3);
	assert_int_equal(usb_bus_open_files(), 0);
	assert_int_equal(usb_bus_unreaped(), 0);
	return count > number;
}

static void run_way(const char *name, struct usb_model *model, void (*renew)(void), unsigned way)
{
	unsigned whole = 0, failed = 0;
	long number = 0;
	bool more = true;

	while (more && number < STEPS_MAX) {
		renew();
		more = run_step(name, model, way, number++);
		if (capture.error || capture.end.reason != EAR_SESSION_END_STOP) {
			failed++;
			more = true; /* it had fewer steps because it ended early */
		} else {
			whole++;
		}
	}
	assert_below(number, STEPS_MAX);
	assert_above(number, 30); /* it was a capture */
	assert_above(whole, 0);   /* the last one, at least */
	print_message("%s errno %d: %ld steps, %u captures whole, %u ended\n", name,
		ways[way].error, number - 1, whole, failed);
}

static struct fx2_model fx2;

static void renew_fx2(void)
{
	fx2_model_power_cycle(&fx2);
	fx2.frame_count = FRAMES;
	fx2.ends = true;
}

static void usb_with_a_fault_at_every_step(void **state)
{
	(void)state;
	fx2_model_init(&fx2);
	for (unsigned way = 0; way < COUNT_OF(ways); way++)
		run_way("usb:", &fx2.base, renew_fx2, way);
	fx2_model_fini(&fx2);
}

static struct ftdi_model chip;

static void renew_chip(void)
{
	ftdi_model_power_cycle(&chip);
	chip.frame_count = FRAMES;
	chip.ends = true;
}

static void ftdi_with_a_fault_at_every_step(void **state)
{
	(void)state;
	ftdi_model_init(&chip);
	for (unsigned way = 0; way < COUNT_OF(ways) && !ways[way].usb_only; way++)
		run_way("ftdi:", &chip.base, renew_chip, way);
	ftdi_model_fini(&chip);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			usb_with_a_fault_at_every_step, usb_capture_setup, usb_capture_teardown),
		cmocka_unit_test_setup_teardown(
			ftdi_with_a_fault_at_every_step, usb_capture_setup, usb_capture_teardown),
	};

	(void)argc;
	usb_bus_begin(argv);
	usb_bus_open();
	usb_bus_set_megabytes(1); /* few transfers, so few steps that are all the same */
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	return failed;
}
