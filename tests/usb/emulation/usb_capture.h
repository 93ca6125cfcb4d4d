#ifndef USB_CAPTURE_H
#define USB_CAPTURE_H

#include "check.h"
#include "common/protocol/frame.h"
#include "driver/session/session.h"

/* A whole capture as the command makes one, in the test's own process, with statistics of what
 * came. */
struct usb_capture {
	int error;    /* of open or start; 0: the loop was run to its end */
	bool started; /* open worked */
	struct ear_report report;
	uint64_t bytes, frames, skipped; /* skipped: bytes in no whole frame */
	uint64_t losses, lost; /* places where the host lost bytes, and how many it knows of */
	uint64_t repeats;      /* frames whose number is not the next one */
	struct ear_session_end end;
	struct ear_session_statistics statistics;
	char warning[256];

	/* Inside */
	uint8_t carry[EAR_FRAME_SIZE_MAX];
	size_t carry_size;
	bool has_sequence;
	uint16_t sequence;
};

/* What the test does meanwhile: called after each item, with all that came so far. */
typedef void usb_capture_hook(const struct usb_capture *capture, struct ear_session *session);

/* options NULL: patient ones, see below. hook NULL: nothing. */
void usb_capture_run(struct usb_capture *capture, const char *device,
	const struct ear_session_options *options, usb_capture_hook *hook);

/* Waits that are longer than any loaded machine makes them; and nothing is dropped when the device,
 * which is faster than a real one, is ahead. */
void usb_capture_options(struct ear_session_options *options);

/* Short waits, for tests in which something never comes. */
void usb_capture_impatient(struct ear_session_options *options);

/* All of it came, in order, and the unit said that it was all: so many frames, and the answers to
 * the last control words and STOP. */
void usb_capture_expect_whole(const struct usb_capture *capture, unsigned frame_count);

/* A hook: pulls out what is at port 3 after 300 frames. */
void usb_capture_unplug(const struct usb_capture *capture, struct ear_session *session);

/* Look for text in a sentence; the test fails without it. */
void usb_capture_expect(const char *text, const char *part);

/* Setup and teardown of each test: nothing may be left behind. */
int usb_capture_setup(void **state);
int usb_capture_teardown(void **state);

#endif
