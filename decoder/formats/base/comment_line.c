/* Gaps and events as lines of plain words, for formats that have comments and no place for them.
 *
 * Writer and reader are in one file, side by side, because each is right only if it mirrors the
 * other: every clause that put_gap or put_event writes has a take_ function that reads it.
 */
#include "decoder/formats/base/comment_line.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/plural.h"
#include "common/protocol/ear_protocol.h"
#include "common/protocol/event_port.h"
#include "decoder/text/text_cursor.h"

#define NAME_MAX_SIZE 2048

static const char gap_begin[] = "# gap: ", event_begin[] = "# event: ";

static const struct {
	uint8_t source;
	const char *name;
} sources[] = {
	{EAR_EVENT_START_TRIGGER, "start trigger"},
	{EAR_EVENT_STOP_TRIGGER, "stop trigger"},
	{EAR_EVENT_PORT, "event port"},
	{EAR_EVENT_MISMATCH, "mismatch"},
	{EAR_EVENT_PORT_LOST, "port events lost"},
	{EAR_EVENT_PORT_UNKNOWN, "unknown port registers"},
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
			gap->upper_bound ? "up to " : "", gap->count, ear_plural(gap->count),
			gap->first, gap->last);
	at += sprintf(at, "; hart %u; %s", record->hart, ear_gap_reason_text(gap->reason));
	if (gap->skipped_bytes)
		at += sprintf(at, "; %" PRIu64 " bytes skipped", gap->skipped_bytes);
	if (gap->missing_frames)
		at += sprintf(at, "; %" PRIu64 " frame%s missing", gap->missing_frames,
			ear_plural(gap->missing_frames));
	return at + sprintf(at, "; stream byte %" PRIu64 "\n", record->stream_offset);
}

/* A name from elsewhere must not break the line into other clauses. */
static char *put_name(char *at, const struct ear_text *name)
{
	size_t size = name->size < NAME_MAX_SIZE ? name->size : NAME_MAX_SIZE;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)name->text[i];
		*at++ = c < ' ' || c == 0x7F || c == ',' || c == ';' ? '_' : (char)c;
	}
	return at;
}

/* A write to the event port: the name of its register, or the number of one that has none. */
static char *put_port(char *at, uint8_t source)
{
	const char *name = ear_event_port_name(source);

	if (name)
		return at + sprintf(at, "port %s", name);
	return at + sprintf(at, "port register %u", (unsigned)source - EAR_EVENT_REGISTER);
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
	else if (event->source >= EAR_EVENT_REGISTER)
		at = put_port(at, event->source);
	else
		at += sprintf(at, "%s", sources[i].name);
	at += sprintf(at, "; value 0x%" PRIx32, event->value);
	if (event->source >= EAR_EVENT_REGISTER && event->name.text && event->name.size > 0)
		at = put_name(at + sprintf(at, "; text "), &event->name);
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

static bool take_hart(struct ear_text_cursor *cursor, struct ear_record *record)
{
	uint64_t hart;

	if (!ear_text_take_word(cursor, "; hart ") || !ear_text_decimal(cursor, &hart) ||
		hart > UINT16_MAX)
		return false;
	record->hart = (uint16_t)hart;
	return true;
}

static bool take_reason(struct ear_text_cursor *cursor, struct ear_gap *gap)
{
	if (!ear_text_take_word(cursor, "; "))
		return false;
	for (enum ear_gap_reason reason = EAR_GAP_UNIT_FIFO; reason < EAR_GAP_REASONS; reason++)
		if (ear_text_take_word(cursor, ear_gap_reason_text(reason))) {
			gap->reason = reason;
			return true;
		}
	return false;
}

static bool take_missing(
	struct ear_text_cursor *cursor, struct ear_record *record, struct ear_gap *gap)
{
	if (ear_text_take_word(cursor, "an unknown number of records is missing before index ")) {
		gap->at_start = true;
		return ear_text_decimal(cursor, &record->index);
	}
	if (ear_text_take_word(cursor, "an unknown number of records is missing at the start")) {
		gap->at_start = true;
		return true;
	}
	if (ear_text_take_word(cursor, "an unknown number of records is missing after index "))
		return ear_text_decimal(cursor, &record->index) && ++record->index;

	gap->count_known = true;
	if (ear_text_take_word(cursor, "no record is missing before index ")) {
		bool found = ear_text_decimal(cursor, &record->index);
		gap->first = record->index;
		gap->last = record->index - 1;
		return found;
	}
	gap->upper_bound = ear_text_take_word(cursor, "up to ");
	if (!ear_text_decimal(cursor, &gap->count) ||
		!(ear_text_take_word(cursor, " records missing") ||
			ear_text_take_word(cursor, " record missing")) ||
		!ear_text_take_word(cursor, "; index ") || !ear_text_decimal(cursor, &gap->first) ||
		!ear_text_take_word(cursor, " to ") || !ear_text_decimal(cursor, &gap->last))
		return false;
	record->index = gap->first;
	return true;
}

/* "; <number> <words>", which may be missing. False if it is there and broken. */
static bool take_optional(struct ear_text_cursor *cursor, const char *words, uint64_t *number)
{
	struct ear_text_cursor before = *cursor;

	if (ear_text_take_word(cursor, "; ") && ear_text_decimal(cursor, number) &&
		ear_text_take_word(cursor, words))
		return true;
	*cursor = before;
	*number = 0;
	return true;
}

static bool parse_gap(struct ear_text_cursor *cursor, struct ear_record *record)
{
	struct ear_gap gap = {.reason = EAR_GAP_UNIT_FIFO};

	if (!take_missing(cursor, record, &gap) || !take_hart(cursor, record) ||
		!take_reason(cursor, &gap) ||
		!take_optional(cursor, " bytes skipped", &gap.skipped_bytes) ||
		!(take_optional(cursor, " frames missing", &gap.missing_frames) &&
			(gap.missing_frames ||
				take_optional(cursor, " frame missing", &gap.missing_frames))) ||
		!ear_text_take_word(cursor, "; stream byte ") ||
		!ear_text_decimal(cursor, &record->stream_offset))
		return false;
	record->kind = EAR_RECORD_GAP;
	record->u.gap = gap;
	return true;
}

/* The source of "port switch" or "port register 2"; 0: of neither. */
static uint8_t port_source(struct ear_text name)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	uint64_t number;

	if (!ear_text_take_word(&cursor, "port "))
		return 0;
	if (!ear_text_take_word(&cursor, "register "))
		return ear_event_port_source(name.text + 5, name.size - 5);
	if (!ear_text_decimal(&cursor, &number) || !ear_text_at_end(&cursor) ||
		number > UINT8_MAX - EAR_EVENT_REGISTER)
		return 0;
	return (uint8_t)(EAR_EVENT_REGISTER + number);
}

static bool parse_event(struct ear_text_cursor *cursor, struct ear_record *record)
{
	struct ear_event event = {0};
	uint64_t value;
	size_t i = 0;

	event.name = ear_text_until(cursor, ';');
	while (i < SOURCE_COUNT && !ear_text_is(event.name, sources[i].name))
		i++;
	event.source = i < SOURCE_COUNT ? sources[i].source : port_source(event.name);
	if (i < SOURCE_COUNT || event.source)
		event.name = (struct ear_text){NULL, 0};
	if (!ear_text_take_word(cursor, "; value 0x") || !ear_text_hex(cursor, &value) ||
		value > UINT32_MAX)
		return false;
	event.value = (uint32_t)value;
	if (ear_text_take_word(cursor, "; text "))
		event.name = ear_text_until(cursor, ';');
	if (ear_text_take_word(cursor, "; words 0x") &&
		(!ear_text_hex(cursor, &event.words[0]) || !ear_text_take_word(cursor, " 0x") ||
			!ear_text_hex(cursor, &event.words[1])))
		return false;
	if (!take_hart(cursor, record) || !ear_text_take_word(cursor, "; before index ") ||
		!ear_text_decimal(cursor, &record->index))
		return false;
	record->kind = EAR_RECORD_EVENT;
	record->stream_offset = 0;
	record->u.event = event;
	return true;
}

int ear_comment_line_parse(struct ear_record *record, const char *line, size_t size)
{
	struct ear_record parsed = {.kind = EAR_RECORD_GAP};
	struct ear_text_cursor cursor = ear_text_cursor(line, size);
	bool good = ear_text_take_word(&cursor, gap_begin)     ? parse_gap(&cursor, &parsed)
		    : ear_text_take_word(&cursor, event_begin) ? parse_event(&cursor, &parsed)
							       : false;

	if (!good || !ear_text_at_end(&cursor))
		return EAR_E_BAD_FILE;
	record->kind = parsed.kind;
	record->hart = parsed.hart;
	record->index = parsed.index;
	record->stream_offset = parsed.stream_offset;
	record->u = parsed.u;
	return 0;
}
