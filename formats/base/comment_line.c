#include "formats/base/comment_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "protocol/ear_protocol.h"

#define NAME_MAX_SIZE 100

static const char gap_begin[] = "# gap: ", event_begin[] = "# event: ";

static const struct {
	uint8_t source;
	const char *name;
} sources[] = {
	{EAR_EVENT_START_TRIGGER, "start trigger"},
	{EAR_EVENT_STOP_TRIGGER, "stop trigger"},
	{EAR_EVENT_PORT, "event port"},
	{0, "unknown source"},
};

#define SOURCE_COUNT (sizeof(sources) / sizeof(sources[0]))

static char *put_gap(char *at, const struct ear_record *record)
{
	const struct ear_gap *gap = &record->u.gap;

	at += sprintf(at, "%s", gap_begin);
	if (!gap->count_known && gap->at_start && record->index == 0)
		at += sprintf(at, "an unknown number of records is missing at the start");
	else if (!gap->count_known && gap->at_start)
		at += sprintf(at, "an unknown number of records is missing before index %" PRIu64,
			record->index);
	else if (!gap->count_known)
		at += sprintf(at, "an unknown number of records is missing after index %" PRIu64,
			record->index - (record->index > 0));
	else if (gap->count == 0)
		at += sprintf(at, "no record is missing before index %" PRIu64, record->index);
	else
		at += sprintf(at, "%s%" PRIu64 " record%s missing; index %" PRIu64 " to %" PRIu64,
			gap->upper_bound ? "up to " : "", gap->count, gap->count == 1 ? "" : "s",
			gap->first, gap->last);
	at += sprintf(at, "; hart %u; %s", record->hart, ear_gap_reason_text(gap->reason));
	if (gap->skipped_bytes)
		at += sprintf(at, "; %" PRIu64 " bytes skipped", gap->skipped_bytes);
	if (gap->missing_frames)
		at += sprintf(at, "; %" PRIu64 " frame%s missing", gap->missing_frames,
			gap->missing_frames == 1 ? "" : "s");
	return at + sprintf(at, "; stream byte %" PRIu64 "\n", record->stream_offset);
}

/* A name from elsewhere must not break the line into other pieces. */
static char *put_name(char *at, const struct ear_text *name)
{
	size_t size = name->size < NAME_MAX_SIZE ? name->size : NAME_MAX_SIZE;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)name->text[i];
		*at++ = c < ' ' || c == 0x7F || c == ',' || c == ';' ? '_' : (char)c;
	}
	return at;
}

static char *put_event(char *at, const struct ear_record *record)
{
	const struct ear_event *event = &record->u.event;
	size_t i = 0;

	at += sprintf(at, "%s", event_begin);
	while (i < SOURCE_COUNT - 1 && sources[i].source != event->source)
		i++;
	if (event->source == 0 && event->name.text && event->name.size > 0)
		at = put_name(at, &event->name);
	else
		at += sprintf(at, "%s", sources[i].name);
	at += sprintf(at, "; value 0x%" PRIx32, event->value);
	if (event->words[0] || event->words[1])
		at += sprintf(
			at, "; words 0x%" PRIx64 " 0x%" PRIx64, event->words[0], event->words[1]);
	return at +
	       sprintf(at, "; hart %u; before index %" PRIu64 "\n", record->hart, record->index);
}

char *ear_comment_line_put(char *at, const struct ear_record *record)
{
	switch (record->kind) {
	case EAR_RECORD_GAP: return put_gap(at, record);
	case EAR_RECORD_EVENT: return put_event(at, record);
	default: return at;
	}
}

static bool begins(const char *line, size_t size, const char *begin)
{
	return size >= strlen(begin) && memcmp(line, begin, strlen(begin)) == 0;
}

bool ear_comment_line_is(const char *line, size_t size)
{
	return begins(line, size, gap_begin) || begins(line, size, event_begin);
}

/* What is left of a line. Each take_ function takes what it names from the front, or nothing. */
struct rest {
	const char *at;
	size_t size;
};

static bool take(struct rest *rest, const char *words)
{
	size_t size = strlen(words);

	if (!begins(rest->at, rest->size, words))
		return false;
	rest->at += size;
	rest->size -= size;
	return true;
}

static bool take_number(struct rest *rest, unsigned base, uint64_t *number)
{
	size_t count = 0;

	for (*number = 0; count < rest->size && count < 20; count++) {
		unsigned c = (unsigned char)rest->at[count];
		unsigned digit = c - '0' <= 9 ? c - '0' : c - 'a' <= 5 ? c - 'a' + 10 : base;
		if (digit >= base)
			break;
		*number = *number * base + digit;
	}
	rest->at += count;
	rest->size -= count;
	return count > 0;
}

static bool take_decimal(struct rest *rest, uint64_t *number)
{
	return take_number(rest, 10, number);
}

static bool take_hart(struct rest *rest, struct ear_record *record)
{
	uint64_t hart;

	if (!take(rest, "; hart ") || !take_decimal(rest, &hart) || hart > UINT16_MAX)
		return false;
	record->hart = (uint16_t)hart;
	return true;
}

static bool take_reason(struct rest *rest, struct ear_gap *gap)
{
	if (!take(rest, "; "))
		return false;
	for (enum ear_gap_reason reason = EAR_GAP_UNIT_FIFO; reason < EAR_GAP_REASONS; reason++)
		if (take(rest, ear_gap_reason_text(reason))) {
			gap->reason = reason;
			return true;
		}
	return false;
}

static bool take_missing(struct rest *rest, struct ear_record *record, struct ear_gap *gap)
{
	if (take(rest, "an unknown number of records is missing before index ")) {
		gap->at_start = true;
		return take_decimal(rest, &record->index);
	}
	if (take(rest, "an unknown number of records is missing at the start")) {
		gap->at_start = true;
		return true;
	}
	if (take(rest, "an unknown number of records is missing after index "))
		return take_decimal(rest, &record->index) && ++record->index;

	gap->count_known = true;
	if (take(rest, "no record is missing before index ")) {
		bool found = take_decimal(rest, &record->index);
		gap->first = record->index;
		gap->last = record->index - 1;
		return found;
	}
	gap->upper_bound = take(rest, "up to ");
	if (!take_decimal(rest, &gap->count) ||
		!(take(rest, " records missing") || take(rest, " record missing")) ||
		!take(rest, "; index ") || !take_decimal(rest, &gap->first) ||
		!take(rest, " to ") || !take_decimal(rest, &gap->last))
		return false;
	record->index = gap->first;
	return true;
}

/* "; <number> <words>", which may be missing. False if it is there and broken. */
static bool take_optional(struct rest *rest, const char *words, uint64_t *number)
{
	struct rest before = *rest;

	if (take(rest, "; ") && take_decimal(rest, number) && take(rest, words))
		return true;
	*rest = before;
	*number = 0;
	return true;
}

static bool parse_gap(struct rest *rest, struct ear_record *record)
{
	struct ear_gap gap = {.reason = EAR_GAP_UNIT_FIFO};

	if (!take_missing(rest, record, &gap) || !take_hart(rest, record) ||
		!take_reason(rest, &gap) ||
		!take_optional(rest, " bytes skipped", &gap.skipped_bytes) ||
		!(take_optional(rest, " frames missing", &gap.missing_frames) &&
			(gap.missing_frames ||
				take_optional(rest, " frame missing", &gap.missing_frames))) ||
		!take(rest, "; stream byte ") || !take_decimal(rest, &record->stream_offset))
		return false;
	record->kind = EAR_RECORD_GAP;
	record->u.gap = gap;
	return true;
}

static bool parse_event(struct rest *rest, struct ear_record *record)
{
	struct ear_event event = {0};
	const char *end = memchr(rest->at, ';', rest->size);
	uint64_t value;
	size_t i = 0;

	if (!end)
		return false;
	event.name = (struct ear_text){rest->at, (size_t)(end - rest->at)};
	while (i < SOURCE_COUNT && (strlen(sources[i].name) != event.name.size ||
					   memcmp(sources[i].name, rest->at, event.name.size) != 0))
		i++;
	if (i < SOURCE_COUNT) {
		event.source = sources[i].source;
		event.name = (struct ear_text){NULL, 0};
	}
	rest->size -= (size_t)(end - rest->at);
	rest->at = end;

	if (!take(rest, "; value 0x") || !take_number(rest, 16, &value) || value > UINT32_MAX)
		return false;
	event.value = (uint32_t)value;
	if (take(rest, "; words 0x") &&
		(!take_number(rest, 16, &event.words[0]) || !take(rest, " 0x") ||
			!take_number(rest, 16, &event.words[1])))
		return false;
	if (!take_hart(rest, record) || !take(rest, "; before index ") ||
		!take_decimal(rest, &record->index))
		return false;
	record->kind = EAR_RECORD_EVENT;
	record->stream_offset = 0;
	record->u.event = event;
	return true;
}

int ear_comment_line_parse(struct ear_record *record, const char *line, size_t size)
{
	struct ear_record parsed = {.kind = EAR_RECORD_GAP};
	struct rest rest = {line, size};
	bool good = take(&rest, gap_begin)     ? parse_gap(&rest, &parsed)
		    : take(&rest, event_begin) ? parse_event(&rest, &parsed)
					       : false;

	if (!good || rest.size != 0)
		return EAR_E_BAD_FILE;
	record->kind = parsed.kind;
	record->hart = parsed.hart;
	record->index = parsed.index;
	record->stream_offset = parsed.stream_offset;
	record->u = parsed.u;
	return 0;
}
