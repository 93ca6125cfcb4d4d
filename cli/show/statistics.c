/* What the decoder counted, as sentences: what is missing, where it was lost, and whether the
 * counts of unit and decoder agree. Nothing is printed if everything is there.
 */
#include "cli/show/statistics.h"

#include <inttypes.h>

#include "cli/base/cli.h"
#include "common/plural.h"
#include "common/protocol/ear_protocol.h"
#include "decoder/codec/verdict.h"

const char *statistics_stop_text(unsigned reason)
{
	switch (reason) {
	case EAR_STOP_HOST: return "stopped by the host";
	case EAR_STOP_TRIGGER: return "stop trigger";
	case EAR_STOP_ENDED: return "program ended";
	case EAR_STOP_ENDED_BUSY: return "program ended, but the core went on";
	default: return "unknown reason";
	}
}

#define ENDED_BUSY_TEXT \
	"the core still retired long after its system said that the program has ended; what " \
	"came later is not in the capture (docs/retire-port.md, section 4, ended_i)"

#define UNSETTLED_TEXT \
	"what came does not add up with the unit's counts (%" PRIu64 " records retired: %" PRIu64 \
	" sent, %" PRIu64 " lost, %" PRIu64 " held back by the filter): records are missing that " \
	"no gap reports, or parts of several captures are joined"

static void warn_gaps(const struct ear_decoder_statistics *statistics, const char *name)
{
	if (statistics->gaps == 0)
		return;
	cli_warning("%s: %" PRIu64 " gap%s: %" PRIu64 " records lost by the unit, %" PRIu64
		    " on the way%s",
		name, statistics->gaps, ear_plural(statistics->gaps), statistics->unit_lost,
		statistics->missing,
		statistics->unknown_gaps ? ", and an unknown number elsewhere" : "");
}

/* What no gap reports. */
static void warn_counts(const struct ear_decoder_statistics *statistics, const char *name)
{
	if (statistics->repeated_frames)
		cli_warning("%s: %" PRIu64 " frame%s came twice or too late, and %s left out", name,
			statistics->repeated_frames, ear_plural(statistics->repeated_frames),
			statistics->repeated_frames == 1 ? "was" : "were");
	if (statistics->unbalanced)
		cli_warning("%s: " UNSETTLED_TEXT, name, statistics->stop_retired,
			statistics->stop_delivered, statistics->stop_lost,
			statistics->stop_filtered);
}

int statistics_judge(const struct ear_decoder_statistics *statistics, const char *name,
	const char *fault, bool quiet)
{
	if (fault)
		cli_warning("%s: %s", name, fault);
	if (statistics->frames == 0) {
		if (statistics->unknown_version)
			cli_error("%s: the stream is of another protocol version; this program "
				  "reads protocol %u.%u",
				name, EAR_PROTOCOL_MAJOR, EAR_PROTOCOL_MINOR);
		else if (statistics->bytes == 0)
			cli_error(fault ? "%s: nothing of the stream is left"
					: "%s: the file is empty",
				name);
		else
			cli_error("%s: no frame of the wire protocol in %" PRIu64 " bytes", name,
				statistics->bytes);
		return EAR_EXIT_FAILED;
	}
	if (statistics->skipped_bytes)
		cli_warning("%s: %" PRIu64 " bytes belong to no valid frame%s", name,
			statistics->skipped_bytes,
			statistics->cut ? "; the data end inside a frame" : "");
	if (statistics->geometry_unsupported)
		cli_warning("%s: a unit predicts with a geometry that this program does not know; "
			    "its records cannot be reconstructed",
			name);
	if (!quiet)
		warn_gaps(statistics, name);
	warn_counts(statistics, name);
	if (statistics->stopped && statistics->stop_reason == EAR_STOP_ENDED_BUSY)
		cli_warning("%s: " ENDED_BUSY_TEXT, name);
	if (statistics->disagreements) {
		cli_error("%s: %" PRIu64 " check%s of the unit's digest failed: the unit and this "
			  "program reconstruct records differently. The %u records "
			  "before each such gap may be wrong",
			name, statistics->disagreements, ear_plural(statistics->disagreements),
			EAR_RUN_CHECK_INTERVAL);
		return EAR_EXIT_FAILED;
	}
	return EAR_EXIT_DONE;
}

void statistics_print_losses(const struct ear_decoder_statistics *statistics, uint64_t drop_count)
{
	if (statistics->host_lost_bytes)
		fprintf(stderr,
			"earshot: %" PRIu64 " bytes were dropped here, at %" PRIu64
			" place%s, because the buffer was full (--buffer makes it larger)\n",
			statistics->host_lost_bytes, drop_count, ear_plural(drop_count));
	if (statistics->skipped_bytes)
		fprintf(stderr, "earshot: %" PRIu64 " bytes belong to no valid frame\n",
			statistics->skipped_bytes);
	if (statistics->gaps)
		fprintf(stderr,
			"earshot: %" PRIu64 " gap%s: %" PRIu64 " records lost by the unit, %" PRIu64
			" on the way%s\n",
			statistics->gaps, ear_plural(statistics->gaps), statistics->unit_lost,
			statistics->missing,
			statistics->unknown_gaps ? ", and an unknown number elsewhere" : "");
	if (statistics->unbalanced)
		fprintf(stderr, "earshot: " UNSETTLED_TEXT "\n", statistics->stop_retired,
			statistics->stop_delivered, statistics->stop_lost,
			statistics->stop_filtered);
	else if (statistics->repeated_frames)
		fprintf(stderr,
			"earshot: %" PRIu64 " frame%s came twice or too late, and %s left out\n",
			statistics->repeated_frames, ear_plural(statistics->repeated_frames),
			statistics->repeated_frames == 1 ? "was" : "were");
	if (statistics->stopped && statistics->stop_reason == EAR_STOP_ENDED_BUSY)
		fprintf(stderr, "earshot: " ENDED_BUSY_TEXT "\n");
	if (statistics->stopped &&
		(statistics->stop_filtered || statistics->stop_retired != statistics->records))
		fprintf(stderr,
			"earshot: by the unit's count %" PRIu64 " records retired: %" PRIu64
			" sent, %" PRIu64 " lost, %" PRIu64 " held back by the filter\n",
			statistics->stop_retired, statistics->stop_delivered, statistics->stop_lost,
			statistics->stop_filtered);
}

void statistics_print_held(const struct ear_decoder_statistics *statistics)
{
	uint64_t clocks = statistics->records;
	unsigned time_mode = statistics->unit.control >> EAR_UNIT_CONTROL_TIME_MODE_SHIFT & 3;
	bool timed = time_mode == EAR_TIME_MODE_RECORD && statistics->last_ticks_known &&
		     statistics->last_ticks > statistics->first_ticks;
	char share[32] = "";

	if (timed)
		clocks = statistics->last_ticks - statistics->first_ticks;
	double part = (double)statistics->held_clocks /
		      ((double)statistics->held_clocks + (double)clocks);
	if (statistics->held_clocks == 0 || part < 0.01)
		return;
	if (timed)
		snprintf(share, sizeof(share), " (%.0f %%)", 100 * part);
	fprintf(stderr,
		"earshot: the core was held for %" PRIu64 " clocks%s, until the unit could "
		"send; times leave them out\n",
		statistics->held_clocks, share);
}
