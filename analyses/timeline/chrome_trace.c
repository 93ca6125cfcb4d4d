#include "analyses/timeline/chrome_trace.h"

#include <inttypes.h>

#include "analyses/base/utf8.h"

#define TEXT_MAX ((size_t)512)

/* A text in JSON. What is no UTF-8 is ?. */
static char *put_text(char *at, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = (const unsigned char *)text;
	const char *const end = at + TEXT_MAX;

	*at++ = '"';
	while (*from && at < end) {
		size_t size = ear_utf8_size(from);
		if (size == 0) {
			*at++ = '?';
			from++;
		} else if (*from < ' ' || *from == 0x7f) {
			memcpy(at, "\\u00", 4);
			at[4] = digits[*from >> 4];
			at[5] = digits[*from++ & 15];
			at += 6;
		} else {
			if (*from == '"' || *from == '\\')
				*at++ = '\\';
			for (; size > 0; size--)
				*at++ = (char)*from++;
		}
	}
	*at++ = '"';
	return at;
}

static char *put_literal(char *at, const char *text)
{
	const size_t size = strlen(text);

	memcpy(at, text, size);
	return at + size;
}

/* Microseconds, with as many digits as nanoseconds need. */
static char *put_time(char *at, uint64_t time)
{
	at = ear_byte_output_decimal(at, time / 1000);
	if (time % 1000 == 0)
		return at;
	*at++ = '.';
	*at++ = (char)('0' + time % 1000 / 100);
	*at++ = (char)('0' + time % 100 / 10);
	*at++ = (char)('0' + time % 10);
	return at;
}

static char *put_hexadecimal(char *at, uint64_t value)
{
	int shift = 60;

	while (shift > 0 && value >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[value >> shift & 15];
	return at;
}

static char *put_name(char *at, const struct ear_timeline_event *event)
{
	if (event->name[0])
		return put_text(at, event->name);
	at = put_literal(at, "\"[0x");
	at = put_hexadecimal(at, event->address);
	return put_literal(at, "]\"");
}

static char *put_head(char *at, const char *phase, const struct ear_timeline_event *event)
{
	at = put_literal(at, ",\n{\"ph\":\"");
	at = put_literal(at, phase);
	at = put_literal(at, "\",\"pid\":1,\"tid\":");
	at = ear_byte_output_decimal(at, event->track + 1);
	at = put_literal(at, ",\"ts\":");
	return put_time(at, event->time);
}

static char *put_slice(char *at, const struct ear_timeline_event *event)
{
	const char *how = ear_timeline_how_name(event->how);
	const char *comma = "";

	at = put_head(at, "X", event);
	at = put_literal(at, ",\"dur\":");
	at = put_time(at, event->duration);
	at = put_literal(at, ",\"name\":");
	at = put_name(at, event);
	at = put_literal(at, ",\"cat\":\"");
	at = put_literal(at, ear_timeline_category_name(event->category));
	at = put_literal(at, "\",\"args\":{");
	if (event->record != EAR_TIMELINE_BEFORE) {
		at = put_literal(at, "\"record\":");
		at = ear_byte_output_decimal(at, event->record);
		comma = ",";
	}
	if (event->merged > 0) {
		at = put_literal(at, comma);
		comma = ",";
		at = put_literal(at, "\"merged\":");
		at = ear_byte_output_decimal(at, event->merged);
	}
	if (how) {
		at = put_literal(at, comma);
		at = put_literal(at, "\"end\":\"");
		at = put_literal(at, how);
		*at++ = '"';
	}
	return put_literal(at, "}}");
}

static char *put_instant(char *at, const struct ear_timeline_event *event)
{
	at = put_head(at, "i", event);
	at = put_literal(at, ",\"s\":\"t\",\"name\":");
	at = put_name(at, event);
	at = put_literal(at, ",\"cat\":\"");
	at = put_literal(at, ear_timeline_category_name(event->category));
	at = put_literal(at, "\",\"args\":{\"record\":");
	at = ear_byte_output_decimal(at, event->record);
	return put_literal(at, "}}");
}

static void write_counter(const struct ear_timeline *timeline,
	const struct ear_timeline_event *event, struct ear_byte_output *output)
{
	char *at = ear_byte_output_room(output, 2 * TEXT_MAX);

	at = put_literal(at, ",\n{\"ph\":\"C\",\"pid\":1,\"ts\":");
	at = put_time(at, event->time);
	at = put_literal(at, ",\"name\":");
	at = put_text(at, ear_timeline_track(timeline, event->track)->name);
	ear_byte_output_take(output, at);
	ear_byte_output_print(output, ",\"args\":{\"value\":%.9g}}", event->value);
}

static void write_tracks(
	const struct ear_timeline *timeline, const char *title, struct ear_byte_output *output)
{
	char *at = ear_byte_output_room(output, EAR_BYTE_OUTPUT_ROOM);

	at = put_literal(
		at, "\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":");
	at = put_text(at, title);
	at = put_literal(at, "}}");
	ear_byte_output_take(output, at);
	for (size_t i = 0; i < ear_timeline_track_count(timeline); i++) {
		const struct ear_timeline_track *track = ear_timeline_track(timeline, i);
		if (track->kind == EAR_TRACK_COUNTER)
			continue;
		at = ear_byte_output_room(output, EAR_BYTE_OUTPUT_ROOM);
		at = put_literal(at, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":");
		at = ear_byte_output_decimal(at, i + 1);
		at = put_literal(at, ",\"name\":\"thread_name\",\"args\":{\"name\":");
		at = put_text(at, track->name);
		if (track->merged > 0) {
			at = put_literal(at, ",\"merged\":");
			at = ear_byte_output_decimal(at, track->merged);
		}
		at = put_literal(at, "}}");
		ear_byte_output_take(output, at);
		ear_byte_output_print(output,
			",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_sort_index\",\"args\":"
			"{\"sort_index\":%u}}",
			i + 1, (unsigned)ear_timeline_track_rank(timeline, i));
	}
}

static void write_result(
	const struct ear_timeline *timeline, const char *verdict, struct ear_byte_output *output)
{
	const struct ear_timeline_result result = ear_timeline_result(timeline);

	ear_byte_output_print(output,
		"\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"time\":\"%s\",\"records\":%" PRIu64
		",\"slices\":%" PRIu64 ",\"merged\":%" PRIu64 ",\"least_duration\":%" PRIu64
		",\"instants\":%" PRIu64 ",\"instants_left_out\":%" PRIu64 ",\"gaps\":%" PRIu64
		",%s}}\n",
		result.has_time ? "1 ns is one unit of the trace's time"
				: "1 ns is one instruction record: the trace has no time",
		result.records, result.slices, result.merged, result.least, result.instants,
		result.instants_left_out, result.gaps, verdict);
}

int ear_chrome_trace_write(struct ear_timeline *timeline, const char *title, const char *verdict,
	struct ear_byte_output *output)
{
	struct ear_timeline_event event;

	ear_byte_output_print(output, "{\"traceEvents\":[");
	write_tracks(timeline, title, output);
	while (ear_timeline_next(timeline, &event) && output->error == 0) {
		char *at = ear_byte_output_room(output, 2 * TEXT_MAX);
		switch (event.kind) {
		case EAR_TIMELINE_BEGIN: at = put_slice(at, &event); break;
		case EAR_TIMELINE_INSTANT: at = put_instant(at, &event); break;
		case EAR_TIMELINE_COUNTER: write_counter(timeline, &event, output); continue;
		default: break; /* a slice has its duration */
		}
		ear_byte_output_take(output, at);
	}
	write_result(timeline, verdict, output);
	return ear_byte_output_flush(output);
}
