/* The verdict on a stream: a list of conditions, the most serious first, because the user sees the
 * first one that fails. Conditions of "accounted" come before those of "complete": a complete
 * stream is always accounted for.
 */
#include "decoder/codec/verdict.h"

#include <stddef.h>

/* Why is not every record accounted for? NULL: it is. */
static const char *why_not_accounted(const struct ear_decoder_statistics *statistics)
{
	if (statistics->geometry_unsupported)
		return "a unit predicts with a geometry that this program does not know";
	if (statistics->disagreements)
		return "a check failed: records may be wrong";
	if (statistics->unended > statistics->parted)
		return "the end of a capture is missing";
	if (statistics->parted)
		return "it was to end before the capture did";
	if (statistics->ended == 0)
		return "there is no STOP message";
	if (statistics->unbalanced)
		return "the unit's counts do not add up with what came";
	if (statistics->busy_ends)
		return "the core still retired after its program had ended";
	if (statistics->unknown_gaps)
		return "an unknown number of records is missing";
	return NULL;
}

static const char *why_not_complete(const struct ear_decoder_statistics *statistics)
{
	if (statistics->missing)
		return "records are missing";
	if (statistics->unit_lost || statistics->stop_lost)
		return "the unit lost records";
	if (statistics->host_lost_bytes)
		return "the host dropped bytes";
	if (statistics->bad_messages)
		return "a message could not be read";
	if (statistics->skipped_bytes)
		return "bytes belong to no valid frame";
	if (statistics->missing_frames)
		return "frames are missing";
	if (statistics->repeated_frames)
		return "frames came twice or too late";
	return statistics->gaps ? "there are gaps" : NULL;
}

struct ear_verdict ear_verdict_of(const struct ear_decoder_statistics *statistics)
{
	struct ear_verdict verdict = {.why = why_not_accounted(statistics)};

	verdict.accounted = !verdict.why;
	if (verdict.accounted)
		verdict.why = why_not_complete(statistics);
	verdict.complete = !verdict.why;
	return verdict;
}
