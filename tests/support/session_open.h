#ifndef EAR_TEST_SESSION_OPEN_H
#define EAR_TEST_SESSION_OPEN_H

/* Sessions over a fake transport, opened as tests need them. */

#include "check.h"
#include "driver/session/session.h"
#include "fake_transport.h"

/* Options for tests in which everything is answered: the machine may be as slow as it likes. */
static inline struct ear_session_options patient(void)
{
	struct ear_session_options options;

	ear_session_options_init(&options);
	options.reply_timeout_ms = 10000;
	options.stop_timeout_ms = 10000;
	return options;
}

static inline struct ear_session *open_with(
	struct fake_transport *fake, const struct ear_session_options *options)
{
	struct ear_session *session;
	struct ear_report report;

	if (ear_session_open_transport(&session, &fake->base, options, &report))
		fail_msg("%s", report.text);
	return session;
}

static inline struct ear_session *open_session(struct fake_transport *fake)
{
	struct ear_session_options options = patient();

	return open_with(fake, &options);
}

/* For tests of silence: an answer to a control word, and one to stop, must not take long. */
static inline struct ear_session *open_impatient(
	struct fake_transport *fake, unsigned reply_timeout_ms, unsigned stop_timeout_ms)
{
	struct ear_session_options options = patient();

	options.reply_timeout_ms = reply_timeout_ms;
	options.stop_timeout_ms = stop_timeout_ms;
	options.stop_limit_ms = 400;
	return open_with(fake, &options);
}

#endif
