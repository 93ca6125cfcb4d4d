/* What gaps say together, in numbers and in words, and what readers note of them as they go. */
#include "library/api/seen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/plural.h"
#include "common/versioned.h"
#include "decoder/codec/verdict.h"

/* ---- Sums. ---- */

/* Did the unit count what it dropped, or does a ring begin there? All else is damage. */
static bool is_of_a_part(const struct ear_gap *gap)
{
	return gap->reason == EAR_GAP_NO_START ||
	       (gap->reason == EAR_GAP_UNIT_FIFO && gap->count_known);
}

static bool is_end(const struct ear_gap *gap)
{
	return gap->reason == EAR_GAP_NO_END || gap->reason == EAR_GAP_CUT ||
	       gap->reason == EAR_GAP_CUT_LINE;
}

static void add(struct ear_missing *sum, const struct ear_gap *gap, uint64_t number)
{
	const bool part = is_of_a_part(gap);

	if (!part && sum->verdict != EAR_DAMAGED)
		sum->first = number;
	if (sum->verdict != EAR_DAMAGED)
		sum->verdict = part ? EAR_PART : EAR_DAMAGED;
	sum->gaps++;
	sum->bytes += gap->skipped_bytes;
	/* Of a line each hart has a gap, the first one its bytes. */
	sum->lines += gap->reason == EAR_GAP_BAD_LINE && gap->skipped_bytes > 0;
	sum->words += gap->reason == EAR_GAP_WORD;
	sum->no_start |= gap->reason == EAR_GAP_NO_START;
	sum->no_end |= is_end(gap) && !(gap->count_known && gap->count == 0);
	sum->wrong |= gap->reason == EAR_GAP_DISAGREE;
	if (gap->count_known && gap->reason == EAR_GAP_UNIT_FIFO)
		sum->lost += gap->count;
	else if (gap->count_known)
		sum->missing += gap->count;
	else
		sum->unknown |= !part && gap->reason != EAR_GAP_BAD_LINE && !is_end(gap);
}

void ear_missing_add(struct ear_missing *missing, const struct ear_gap *gap, uint64_t number)
{
	struct ear_missing sum = {.size = sizeof(sum)};

	if (ear_versioned_read(&sum, sizeof(sum), missing))
		return;
	add(&sum, gap, number);
	sum.size = missing->size;
	(void)ear_versioned_write(missing, &sum, sizeof(sum));
}

/* ---- Words. ---- */

struct phrase {
	char text[512];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(
	struct phrase *phrase, const char *format, ...)
{
	const size_t room = sizeof(phrase->text);
	va_list arguments;

	if (phrase->length > 0)
		phrase->length += (size_t)snprintf(
			phrase->text + phrase->length, room - phrase->length, "; ");
	va_start(arguments, format);
	phrase->length += (size_t)vsnprintf(
		phrase->text + phrase->length, room - phrase->length, format, arguments);
	va_end(arguments);
}

static void say_records(struct phrase *phrase, const struct ear_missing *missing)
{
	if (missing->missing > 0)
		say(phrase, "%" PRIu64 " record%s %s missing%s", missing->missing,
			ear_plural(missing->missing), missing->missing == 1 ? "is" : "are",
			missing->unknown ? ", and an unknown number more" : "");
	else if (missing->unknown)
		say(phrase, "an unknown number of records is missing");
}

size_t ear_missing_text(const struct ear_missing *given, char *text, size_t size)
{
	struct ear_missing missing = {.size = sizeof(missing)};
	struct phrase phrase = {.length = 0};

	if (ear_versioned_read(&missing, sizeof(missing), given))
		missing = (struct ear_missing){.gaps = 0};
	if (missing.wrong)
		say(&phrase, "a check failed: records may be wrong");
	if (missing.lines > 0)
		say(&phrase, "%" PRIu64 " line%s could not be read", missing.lines,
			ear_plural(missing.lines));
	if (missing.words > 0)
		say(&phrase, "%" PRIu64 " line%s words that were not understood", missing.words,
			missing.words == 1 ? " has" : "s have");
	say_records(&phrase, &missing);
	if (missing.no_end)
		say(&phrase, "its end is missing, with an unknown number of records");
	if (phrase.length == 0 && missing.verdict == EAR_DAMAGED && !missing.fault)
		say(&phrase, "bytes of it are damaged, but no record is missing");
	if (missing.fault)
		say(&phrase, "%s", missing.fault);
	if (missing.lost > 0)
		say(&phrase, "the unit dropped %" PRIu64 " record%s", missing.lost,
			ear_plural(missing.lost));
	if (missing.meant_end)
		say(&phrase, "it ends before its run did, as it was to");
	if (missing.no_start)
		say(&phrase, "it begins after the capture did");
	if (size > 0)
		snprintf(text, size, "%s", phrase.text);
	return strlen(phrase.text);
}

/* ---- What was passed. ---- */

void ear_seen_note_other(struct ear_seen *seen, uint64_t position, uint64_t number, size_t count,
	const struct ear_record *record)
{
	if (position > seen->end || position + count <= seen->end)
		return;
	if (record && record->kind == EAR_RECORD_GAP) {
		if (seen->missing.gaps == 0)
			seen->first = position;
		add(&seen->missing, &record->u.gap, number);
		seen->last = position;
	}
	seen->end = position + count;
}

/* A capture says at its STOP, too, whether all of it is there. */
static const char *fault_of(const struct ear_source *source)
{
	const struct ear_decoder_statistics *statistics = ear_source_statistics(source);
	const char *fault = ear_source_fault(source);

	if (!fault && statistics && (statistics->unbalanced || statistics->busy_ends))
		fault = ear_verdict_of(statistics).why;
	return fault;
}

void ear_seen_end(struct ear_seen *seen, uint64_t position, const struct ear_source *source)
{
	const struct ear_decoder_statistics *statistics = ear_source_statistics(source);
	const struct ear_reader *reader = ear_source_reader(source);
	const char *fault = fault_of(source), *mended = ear_source_mended(source);

	if (position != seen->end)
		return;
	seen->ended = true;
	seen->meant_end = statistics && statistics->parted > 0;
	seen->unpaired = reader ? reader->unpaired : 0;
	snprintf(seen->fault, sizeof(seen->fault), "%s", fault ? fault : "");
	snprintf(seen->mended, sizeof(seen->mended), "%s", mended ? mended : "");
}
