/* Who ends a capture: the unit, where its stop trigger can, because it ends at exactly the record
 * and costs nothing; else the host, which looks at each record. Decided before the unit is
 * configured.
 */
#include "cli/base/cli.h"
#include "cli/live/live_capture.h"
#include "common/protocol/ear_protocol.h"

/* The unit's own stop trigger ends a capture at exactly the record wanted. It counts what retires,
 * including what the filter drops, so with a filter the host has to count.
 */
static void use_stop_trigger(struct live_capture *live, const struct ear_identity *identity)
{
	const struct trigger_text *triggers = live->triggers;

	if (live->limit_records == UINT64_MAX || live->config.stop.kind || triggers->modes ||
		triggers->range_count || !(identity->features & EAR_REG_FEATURES_TRIGGER_MASK))
		return;
	live->config.stop =
		(struct ear_trigger){.kind = EAR_TRIGGER_RECORDS, .value = live->limit_records};
	live->limit_records = UINT64_MAX;
}

/* The unit's own stop trigger finds the event exactly and at no cost, also in a record that is lost
 * or that the filter holds back. But it ends the capture at once, and it does not know traps.
 * identity NULL: the device cannot be controlled.
 */
static bool plan_until(struct live_capture *live, const struct ear_identity *identity)
{
	struct flight *flight = &live->flight;

	if (!flight->has_until)
		return true;
	flight->by_unit = until_unit_can(&flight->until) && flight->after == 0 &&
			  !live->triggers->stop && identity &&
			  identity->features & EAR_REG_FEATURES_TRIGGER_MASK;
	if (flight->by_unit)
		live->config.stop = flight->until.trigger;
	if (flight->until.trigger.kind == EAR_TRIGGER_MISMATCH && identity &&
		!(identity->features & EAR_REG_FEATURES_MISMATCH_MASK)) {
		cli_error(
			"--until mismatch: the unit was built without it (MISMATCH); with 'violation' "
			"the host checks what arrives");
		return false;
	}
	if (flight->by_unit || until_records_can(&flight->until))
		return true;
	cli_error(
		"--until %s: only the unit's stop trigger can detect this: the unit must have one, "
		"and --after and --stop cannot be used",
		live->triggers->until);
	return false;
}

bool live_capture_prepare(struct live_capture *live)
{
	struct ear_identity identity;
	struct ear_report report;

	if (!ear_session_controllable(live->session)) {
		if (trigger_text_wanted(live->triggers) || live->config.must_reset) {
			cli_error(
				"%s: this device cannot be controlled: no triggers, no filter, no reset",
				live->device);
			return false;
		}
		return plan_until(live, NULL);
	}
	if (ear_session_identify(live->session, &identity) != 0) {
		cli_error("%s", ear_session_message(live->session));
		return false;
	}
	if (!plan_until(live, &identity))
		return false;
	use_stop_trigger(live, &identity);
	if (ear_capture_config_check(&live->config, &identity, &report) == 0)
		return true;
	cli_error("%s: %s", live->device, report.text);
	return false;
}
