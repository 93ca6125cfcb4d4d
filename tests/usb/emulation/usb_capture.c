/* The loop of a capture as the command has it, with every frame checked: whole, numbered without a
 * gap unless the session reported one. What does not fit is counted, for the test to judge.
 */
#include "usb_capture.h"

#include <dirent.h>
#include <earshot/error.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/base/clock.h"
#include "usb_bus.h"

#define LIMIT_MS 60000 /* a capture that takes longer hangs */

static int descriptors_before; /* 0 not known yet */
static unsigned test_count;

static int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

int usb_capture_setup(void **state)
{
	(void)state;
	return 0;
}

int usb_capture_teardown(void **state)
{
	(void)state;
	for (int port = 1; port < 8; port++)
		if (usb_bus_device(port))
			usb_bus_unplug(port);
	assert_int_equal(usb_bus_open_files(), 0);
	assert_int_equal(usb_bus_unreaped(), 0);
	/* umockdev and libudev keep a few for themselves, from the first test on or, on a busy
	 * machine, from the second. A leak is one more in every test. Some close theirs in a thread
	 * that ends a little later. */
	if (test_count++ < 2)
		descriptors_before = count_descriptors();
	for (int i = 0; i < 3000 && count_descriptors() > descriptors_before + 2; i++)
		usleep(20000);
	assert_true(count_descriptors() <= descriptors_before + 2);
	return 0;
}

void usb_capture_expect(const char *text, const char *part)
{
	assert_contains(text, part);
}

void usb_capture_expect_whole(const struct usb_capture *capture, unsigned frame_count)
{
	assert_string_equal(capture->report.text, "");
	assert_int_equal(capture->error, 0);
	if (capture->end.reason != EAR_SESSION_END_STOP)
		fail_msg("%s", capture->end.report.text);
	assert_int_equal(capture->end.stop_reason, EAR_STOP_ENDED);
	assert_int_equal(capture->skipped, 0);
	assert_int_equal(capture->repeats, 0);
	assert_int_equal(capture->frames, frame_count + 3);
}

void usb_capture_unplug(const struct usb_capture *capture, struct ear_session *session)
{
	(void)session;
	if (capture->frames > 300 && usb_bus_device(3))
		usb_bus_unplug(3);
}

void usb_capture_options(struct ear_session_options *options)
{
	ear_session_options_init(options);
	options->ring_full = EAR_RING_FULL_WAIT;
	options->reply_timeout_ms = 500;
	options->retries = 20;
	options->stop_timeout_ms = 10000;
	options->stop_limit_ms = 20000;
}

void usb_capture_impatient(struct ear_session_options *options)
{
	ear_session_options_init(options);
	options->reply_timeout_ms = 100;
	options->retries = 2;
	options->stop_timeout_ms = 300;
	options->stop_limit_ms = 1000;
}

static void count_frame(struct usb_capture *capture, const struct ear_frame *frame)
{
	capture->frames++;
	if (capture->has_sequence && frame->sequence != (uint16_t)(capture->sequence + 1))
		capture->repeats++;
	capture->has_sequence = true;
	capture->sequence = frame->sequence;
}

/* Count whole frames; what is none is skipped byte by byte. */
static void count_bytes(struct usb_capture *capture, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int result;

		capture->carry[capture->carry_size++] = bytes[i];
		do {
			struct ear_frame frame;

			result = ear_frame_parse(&frame, capture->carry, capture->carry_size);
			if (result > 0) {
				count_frame(capture, &frame);
				capture->carry_size = 0;
			} else if (result != EAR_E_MORE) {
				capture->skipped++;
				memmove(capture->carry, capture->carry + 1, --capture->carry_size);
			}
		} while (result < 0 && result != EAR_E_MORE && capture->carry_size > 0);
	}
	capture->bytes += size;
}

static void run(struct usb_capture *capture, struct ear_session *session, usb_capture_hook *hook)
{
	uint64_t limit_ms = ear_clock_ms() + LIMIT_MS;
	struct ear_session_item item = {.kind = EAR_SESSION_LOSS};

	while (item.kind != EAR_SESSION_END) {
		if (ear_clock_ms() > limit_ms)
			fail_msg("the capture does not end");
		int error = ear_session_next(session, &item, 20);
		assert_true(error == 0 || error == EAR_E_TIMEOUT);
		if (!error && item.kind == EAR_SESSION_BYTES) {
			count_bytes(capture, item.bytes, item.size);
			ear_session_consume(session, item.size);
		} else if (!error && item.kind == EAR_SESSION_LOSS) {
			capture->losses++;
			capture->lost += item.loss_size;
			capture->skipped += capture->carry_size;
			capture->carry_size = 0;
		}
		if (hook && item.kind != EAR_SESSION_END)
			hook(capture, session);
	}
	capture->skipped += capture->carry_size;
	capture->end = *item.end;
}

void usb_capture_run(struct usb_capture *capture, const char *device,
	const struct ear_session_options *options, usb_capture_hook *hook)
{
	struct ear_session_options patient;
	struct ear_capture_config config;
	struct ear_session *session;

	memset(capture, 0, sizeof(*capture));
	usb_capture_options(&patient);
	ear_capture_config_init(&config);
	capture->error =
		ear_session_open(&session, device, options ? options : &patient, &capture->report);
	if (capture->error) {
		assert_true(capture->report.text[0] != '\0');
		return;
	}
	capture->started = true;
	capture->error = ear_session_start(session, &config);
	if (capture->error)
		ear_report_set(&capture->report, 0, "%s", ear_session_message(session));
	else
		run(capture, session, hook);
	ear_session_statistics(session, &capture->statistics);
	snprintf(capture->warning, sizeof(capture->warning), "%s", ear_session_warning(session));
	ear_session_close(session);
}
