/* A live view of a device: a capture without an output, which ends when the view is left. */
#include "cli/commands/top/top_device.h"

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/live/live_capture.h"
#include "cli/live/live_session.h"
#include "cli/live/live_top.h"

static int capture(struct live_capture *live, bool quiet)
{
	int status = EAR_EXIT_FAILED;

	if (!live_session_open(&live->session, live->device, NULL, quiet))
		return status;
	if (cli_interrupted)
		cli_error("%s: interrupted before the capture began", live->device);
	else if (live_capture_prepare(live))
		status = live_capture_run(live);
	live_session_close(live->session);
	return live->top_failed ? EAR_EXIT_FAILED : status;
}

int top_device_run(const struct top_device *device, const struct top_options *options,
	struct symbol_file *symbols)
{
	static struct live_capture live;
	static const struct trigger_text triggers;
	const struct live_top_options view = {
		.device = device->device, .view = options, .symbols = symbols};
	const bool screen = options->how == TOP_SCREEN;
	int status = EAR_EXIT_FAILED;

	if (!files_device(device->device))
		return status;
	live_top_find_program(device->device, symbols);
	cli_progress_disable();
	live_capture_init(&live);
	live.device = device->device;
	live.triggers = &triggers;
	live.quiet = device->quiet;
	live.config.policy = device->policy;
	live.config.time_mode = (uint8_t)device->time_mode;
	live.config.keep_core_running = device->keep_running;
	if (live_top_start(&live.top, &view))
		status = capture(&live, device->quiet || screen);
	(void)live_top_finish(live.top, true, true);
	live_capture_fini(&live);
	return status;
}
