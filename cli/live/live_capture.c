/* The object that a capture is, and two questions to it. What is done with it is in live_plan.c
 * (before it), live_run.c (while it runs) and live_summary.c (what is said about it), which use
 * this file and are not used by it.
 */
#include "cli/live/live_capture.h"

#include <string.h>

#include "cli/base/cli.h"

static int take_record(void *context, const struct ear_record *record)
{
	struct live_capture *live = context;

	return outputs_record(&live->outputs, record);
}

void live_capture_init(struct live_capture *live)
{
	memset(live, 0, sizeof(*live));
	live->limit_records = live->limit_bytes = UINT64_MAX;
	live->flight.outputs = &live->outputs;
	ear_decoder_init(&live->decoder, take_record, live);
	ear_capture_config_init(&live->config);
	ear_shot_states_init(&live->outputs.states, EAR_SHOT_STATES_AUTOMATIC);
}

void live_capture_fini(struct live_capture *live)
{
	flight_close(&live->flight);
	ear_decoder_fini(&live->decoder);
}

bool live_is_over(const struct live_capture *live)
{
	return (live->limited || cli_interrupted) && !ear_session_controllable(live->session);
}

bool live_writes_nothing(const struct live_capture *live)
{
	return !outputs_alive(&live->outputs) &&
	       !(live->outputs.count == 0 && live_top_is_there(live->top)) &&
	       (!live->keeps_raw || ear_session_record_status(live->session) != 0);
}
