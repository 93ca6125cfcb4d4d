/* Opening a device as every command does that works with one. Signals are caught before, so that
 * Ctrl-C also ends an opening that takes long; rights are given up after, because opening needs
 * them.
 */
#include "cli/live/live_session.h"

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/live/interrupt.h"
#include "driver/stream/transport_sim.h"

static void stop_session(void *session)
{
	ear_session_stop(session);
}

bool live_session_open(struct ear_session **session, const char *device,
	const struct ear_session_options *options, bool quiet)
{
	struct ear_report report;

	interrupt_catch();
	ear_transport_sim_set_quiet(quiet);
	if (ear_session_open(session, device, options, &report) != 0) {
		cli_error("%s", report.text);
		return false;
	}
	confine_device();
	interrupt_stops(stop_session, *session);
	const char *warning = ear_session_warning(*session);
	if (warning[0] && !quiet)
		cli_warning("%s", warning);
	return true;
}

void live_session_close(struct ear_session *session)
{
	interrupt_stops(NULL, NULL);
	ear_session_close(session);
}
