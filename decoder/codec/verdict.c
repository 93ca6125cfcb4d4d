/* The verdict on a stream: a list of conditions, the most serious first, because the user sees the
 * first one that fails. Conditions of "accounted" come before those of "complete": a complete
 * stream is always accounted for.
 */
#include "decoder/codec/verdict.h"

#include <stddef.h>

/* Why is not every record accounted for? NULL: it is. */
static const char *why_not_accounted(const struct ear_decoder_account *account)
{
	if (account->geometry_unsupported)
		return "a unit predicts with a geometry that this program does not know";
	if (account->disagreements)
		return "a check failed: records may be wrong";
	if (account->unended)
		return "the end of a capture is missing";
	if (account->ended == 0)
		return "there is no STOP message";
	if (account->unbalanced)
		return "the unit's counts do not add up with what came";
	if (account->busy_ends)
		return "the core still retired after its program had ended";
	if (account->unknown_gaps)
		return "an unknown number of records is missing";
	return NULL;
}

static const char *why_not_complete(const struct ear_decoder_account *account)
{
	if (account->missing)
		return "records are missing";
	if (account->unit_lost || account->stop_lost)
		return "the unit lost records";
	if (account->host_lost_bytes)
		return "the host dropped bytes";
	if (account->bad_messages)
		return "a message could not be read";
	if (account->skipped_bytes)
		return "bytes belong to no valid frame";
	if (account->missing_frames)
		return "frames are missing";
	if (account->repeated_frames)
		return "frames came twice or too late";
	return account->gaps ? "there are gaps" : NULL;
}

struct ear_verdict ear_verdict_of(const struct ear_decoder_account *account)
{
	struct ear_verdict verdict = {.why = why_not_accounted(account)};

	verdict.accounted = !verdict.why;
	if (verdict.accounted)
		verdict.why = why_not_complete(account);
	verdict.complete = !verdict.why;
	return verdict;
}
