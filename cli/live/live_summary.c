/* What is said about a capture while it runs and when it has ended: the progress line, why it
 * ended, what is in it and what is missing, and the exit status. The order in which reasons are
 * asked for matters: what the device did by itself comes before what was wanted of it, because a
 * program that ends while Ctrl-C is on its way to the unit has ended by itself.
 */
#include "cli/live/live_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/base/figure.h"
#include "cli/base/progress.h"
#include "cli/show/statistics.h"
#include "common/plural.h"
#include "common/protocol/ear_protocol.h"

void live_show_progress(struct live_capture *live)
{
	struct ear_session_statistics now;
	const struct ear_decoder_statistics *statistics = &live->decoder.statistics;

	ear_session_statistics(live->session, &now);
	if (now.absent) {
		cli_progress("the device is away, waiting for it, %" PRIu64 " records",
			statistics->records);
		return;
	}
	char keeps[96] = "", received[CLI_FIGURE_SIZE], rate[CLI_FIGURE_SIZE];
	if (live->flight.size)
		flight_describe(&live->flight, &live->decoder, keeps, sizeof(keeps));
	cli_progress("lost %" PRIu64 ", %" PRIu64 " records%s, %s/s, %s, buffer %d%%",
		statistics->unit_lost + statistics->missing, statistics->records, keeps,
		cli_figure_bytes(rate, (double)ear_session_rate(&live->before, &now)),
		cli_figure_bytes(received, (double)now.received),
		(int)(now.ring_fill * 100 / now.ring_size));
	live->before = now;
}

/* Was the unit's stop trigger only the way in which it counts the records of --limit? */
static bool is_limit_trigger(const struct live_capture *live)
{
	return live->config.stop.kind == EAR_TRIGGER_RECORDS && !live->triggers->stop &&
	       !live->flight.by_unit;
}

/* What the device did. NULL: it only did what the host asked for. */
static const char *device_phrase(const struct live_capture *live, const struct ear_session_end *end)
{
	switch (end->reason) {
	case EAR_SESSION_END_STOP:
		if (end->stop_reason == EAR_STOP_HOST)
			return NULL;
		return end->stop_reason == EAR_STOP_TRIGGER && is_limit_trigger(live)
			       ? "limit"
			       : statistics_stop_text(end->stop_reason);
	case EAR_SESSION_END_EXITED: return "board ended without a STOP message";
	case EAR_SESSION_END_VANISHED: return "device vanished";
	case EAR_SESSION_END_ERROR: return "device error";
	case EAR_SESSION_END_OF_FILE:
	case EAR_SESSION_END_HOST: return NULL;
	}
	return NULL;
}

const char *live_end_phrase(const struct live_capture *live, const struct ear_session_end *end)
{
	if (!end)
		return "failed";
	if ((live_writes_nothing(live) && live->outputs.count > 0) || live->flight.failed)
		return live->outputs.broken_pipe ? "reader left" : "output failed";
	if (live->flight.seen)
		return "event";
	const char *device = device_phrase(live, end);
	if (device)
		return device;
	if (live_writes_nothing(live))
		return cli_interrupted ? "interrupted" : "view left";
	if (live->limited)
		return "limit";
	if (cli_interrupted)
		return "interrupted";
	switch (end->reason) {
	case EAR_SESSION_END_STOP: return statistics_stop_text(end->stop_reason);
	case EAR_SESSION_END_OF_FILE: return "end of file";
	default: return "no answer to the stop";
	}
}

/* Faults of the link that were repaired without a loss. */
static void print_link_faults(const struct live_capture *live)
{
	struct ear_session_statistics now;

	ear_session_statistics(live->session, &now);
	const struct ear_transport_fault_counts *faults = &now.faults;
	if (now.reconnect_count)
		fprintf(stderr,
			"earshot: the device disappeared and returned, %" PRIu64 " time%s\n",
			now.reconnect_count, ear_plural(now.reconnect_count));
	if (faults->stalls + faults->errors + faults->overflows + faults->overruns)
		fprintf(stderr,
			"earshot: the link had %" PRIu64 " stall%s, %" PRIu64 " error%s, %" PRIu64
			" overflow%s and %" PRIu64 " overrun%s\n",
			faults->stalls, ear_plural(faults->stalls), faults->errors,
			ear_plural(faults->errors), faults->overflows,
			ear_plural(faults->overflows), faults->overruns,
			ear_plural(faults->overruns));
}

/* Wrong results of the core: how many, if the unit still answers. The stream shows the first. */
static void print_mismatches(const struct live_capture *live)
{
	uint32_t count;

	if (ear_session_count_mismatches(live->session, &count) == 0) {
		if (count > 0)
			fprintf(stderr,
				"earshot: the unit saw %" PRIu32
				"%s wrong result%s of the core; 'earshot check' says more\n",
				count, count == UINT32_MAX ? " or more" : "", ear_plural(count));
	} else if (live->decoder.statistics.mismatches > 0) {
		fprintf(stderr, "earshot: the unit saw at least one wrong result of the core; "
				"'earshot check' says more\n");
	}
}

void live_print_summary(const struct live_capture *live)
{
	const struct ear_decoder_statistics *statistics = &live->decoder.statistics;
	uint64_t lost = statistics->unit_lost + statistics->missing;
	struct ear_session_statistics now;
	char bits[CLI_FIGURE_SIZE];

	ear_session_statistics(live->session, &now);
	fprintf(stderr, "earshot: %" PRIu64 " records in %" PRIu64 " bytes", statistics->records,
		statistics->bytes);
	if (statistics->records)
		fprintf(stderr, " (%s bits each)",
			cli_figure(bits,
				8.0 * (double)statistics->bytes / (double)statistics->records));
	if (lost)
		fprintf(stderr, ", %s%" PRIu64 " lost",
			statistics->unknown_gaps ? "more than " : "", lost);
	else
		fprintf(stderr,
			statistics->unknown_gaps ? ", an unknown number lost" : ", none lost");
	fprintf(stderr, "; %s\n", live->end_reason);
	if (live->flight.size)
		flight_print_summary(&live->flight, statistics->records);
	statistics_print_losses(statistics, now.drop_count);
	statistics_print_held(statistics);
	print_link_faults(live);
	print_mismatches(live);
}

int live_judge(const struct live_capture *live, const struct ear_session_end *end)
{
	bool wanted = live->flight.phase == FLIGHT_DONE; /* what came later was not */

	if (!end || live->outputs.failed)
		return EAR_EXIT_FAILED;
	if (wanted)
		return flight_judge(&live->flight);
	if (live_is_over(live)) /* as it was wanted */
		return live->flight.size ? flight_judge(&live->flight) : EAR_EXIT_DONE;
	if (end->reason == EAR_SESSION_END_VANISHED || end->reason == EAR_SESSION_END_ERROR ||
		end->reason == EAR_SESSION_END_EXITED || end->reason == EAR_SESSION_END_HOST) {
		cli_error("%s; the file is complete up to the last whole frame", end->report.text);
		return EAR_EXIT_FAILED;
	}
	if (live->decoder.statistics.records == 0 && end->has_stop && end->filtered > 0)
		cli_warning("none of %" PRIu64 " instructions passed: %s", end->filtered,
			live->triggers->start ? "the start trigger did not fire, or the filter "
						"let nothing pass"
					      : "the filter let nothing pass");
	if (live->decoder.statistics.frames == 0) {
		cli_error(
			"%s: received no data of Earshot's protocol; check device, link and speed (earshot doctor)",
			live->device);
		return EAR_EXIT_FAILED;
	}
	return live->flight.size ? flight_judge(&live->flight) : EAR_EXIT_DONE;
}
