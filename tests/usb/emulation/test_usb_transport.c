/* usb: against an emulated FX2LP: libusb and everything above it are the real ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "common/error.h"
#include "driver/clock.h"
#include "driver/transport_usb.h"
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

/* All of it came, in order, and the unit said that it was all. The answers to the last control
 * words are frames as well. */
static void expect_whole(unsigned frame_count)
{
	assert_string_equal(capture.report.text, "");
	assert_int_equal(capture.error, 0);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.end.stop_reason, EAR_STOP_ENDED);
	assert_int_equal(capture.skipped, 0);
	assert_int_equal(capture.repeats, 0);
	assert_int_equal(capture.frames, frame_count + 3);
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

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_capture_comes_whole, setup, teardown),
	};

	(void)argc;
	usb_bus_begin(argv);
	usb_bus_open();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	return failed;
}
