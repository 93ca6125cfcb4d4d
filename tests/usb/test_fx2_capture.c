/* The whole way: the driver through the system's libusb to the emulated bus, on which the compiled
 * firmware runs in the model of its chip, with a unit behind its FIFOs. docs/usb.md.
 */
#include <earshot/error.h>
#include <stdlib.h>

#include "check.h"
#include "common/protocol/ear_protocol.h"
#include "driver/base/clock.h"
#include "emulation/usb_bus.h"
#include "emulation/usb_capture.h"
#include "fx2_board.h"

#define PORT   3
#define FRAMES 2000

static struct fx2_board board;
static struct usb_capture capture;

static int setup(void **state)
{
	int result = usb_capture_setup(state);

	fx2_board_open(&board, PORT, FRAMES);
	return result;
}

static int teardown(void **state)
{
	fx2_board_close(&board);
	return usb_capture_teardown(state);
}

static struct ear_session_options patient(void)
{
	struct ear_session_options options;

	usb_capture_options(&options);
	options.reply_timeout_ms = 2000;
	return options;
}

static void expect_whole(void)
{
	assert_string_equal(capture.report.text, "");
	assert_int_equal(capture.error, 0);
	if (capture.end.reason != EAR_SESSION_END_STOP)
		fail_msg("%s", capture.end.report.text);
	assert_int_equal(capture.skipped, 0);
	assert_int_equal(capture.repeats, 0);
	assert_int_equal(capture.losses, 0);
	assert_int_equal(capture.frames, FRAMES + 3); /* and two answers, and STOP */
	/* START empties the FIFOs: a word that was sent before it would be lost. */
	assert_int_equal(capture.statistics.control_resent, 0);
}

/* A bare chip gets the firmware that was built here, comes back, and captures, more than once. */
static void a_bare_chip_is_loaded_and_captures(void **state)
{
	struct ear_session_options options = patient();

	(void)state;
	for (unsigned round = 1; round <= 3; round++) {
		usb_capture_run(&capture, "usb:", &options, NULL);
		expect_whole();
		assert_int_equal(board.plug_count, 2);
		assert_int_equal(fx2_board_status(&board, EAR_USB_STATUS_STARTS), round);
	}
	assert_int_equal(fx2_board_status(&board, EAR_USB_STATUS_TAILS), 0);
	assert_int_equal(fx2_board_status(&board, EAR_USB_STATUS_REFUSED), 0);
	assert_int_equal(fx2_board_status(&board, EAR_USB_STATUS_STATE) & EAR_USB_STATE_RUNNING, 0);
}

static unsigned halts;

static void halt_now_and_then(const struct usb_capture *so_far, struct ear_session *session)
{
	(void)session;
	if (halts < 5 && so_far->frames > 200 * (halts + 1)) {
		halts++;
		fx2_board_halt(&board);
	}
}

/* What waits in the chip's FIFO stays there: nothing is lost. */
static void a_halt_in_mid_stream_costs_nothing(void **state)
{
	struct ear_session_options options = patient();

	(void)state;
	halts = 0;
	usb_capture_run(&capture, "usb:", &options, halt_now_and_then);
	assert_above(halts, 0);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(capture.frames, FRAMES + 3);
	assert_int_equal(capture.skipped, 0);
	assert_int_equal(capture.repeats, 0);
}

static bool ran_away;

static void run_away(const struct usb_capture *so_far, struct ear_session *session)
{
	(void)session;
	if (!ran_away && so_far->frames > 100) {
		ran_away = true;
		fx2_board_run_away(&board);
	}
}

/* The FIFOs carry the stream without the processor; the watchdog takes the device off the bus, the
 * capture ends with a reason or continues when it returns, and the next one is whole.
 */
static void a_firmware_that_hangs_is_restarted(void **state)
{
	struct ear_session_options options = patient();

	(void)state;
	ran_away = false;
	fx2_board_renew_unit(&board, 100000000);
	options.reconnect_timeout_ms = 0;
	usb_capture_run(&capture, "usb:", &options, run_away);
	assert_true(ran_away);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_VANISHED);
	usb_capture_expect(capture.end.report.text, "unplugged");
	assert_int_equal(capture.skipped, 0);
	assert_at_most(
		capture.repeats, capture.losses); /* the ring was full, and that was reported */

	while (atomic_load(&board.plug_count) < 3)
		ear_clock_sleep_ms(1);
	fx2_board_renew_unit(&board, FRAMES);
	usb_capture_run(&capture, "usb:", &options, NULL);
	assert_int_equal(capture.end.reason, EAR_SESSION_END_STOP);
	assert_int_equal(fx2_board_status(&board, EAR_USB_STATUS_WATCHDOG), 1);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_bare_chip_is_loaded_and_captures, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_halt_in_mid_stream_costs_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_firmware_that_hangs_is_restarted, setup, teardown),
	};
	int failed;

	(void)argc;
	usb_bus_begin(argv);
	setenv("EARSHOT_FX2_FIRMWARE", EAR_FX2_IMAGE, 1);
	usb_bus_open();
	usb_bus_set_megabytes(2);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	usb_bus_close();
	return failed;
}
