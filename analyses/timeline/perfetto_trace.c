/* Perfetto's protobuf: a file is packets, one for each track and each event. Names and categories
 * come once, in the packet that needs them first, and have numbers from then on. Messages are short
 * and their fields few, so they are written as they are, without a library: a field is its number
 * and its kind, then a number, or a length and as many bytes. Numbers of fields are Perfetto's. */
#include "analyses/timeline/perfetto_trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/base/utf8.h"

#define TEXT_MAX     512u
#define MESSAGE_MAX  1536u
#define SEQUENCE     1
#define PROCESS_UUID 1
#define TRACK_UUID   2 /* of the first track */

/* Messages and their fields. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_INTERNED = 2 };
enum {
	TRACK_UUID_FIELD = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDERING = 11,
	TRACK_RANK = 12,
};
enum { ORDERING_EXPLICIT = 3 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum {
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_DOUBLE = 44,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3 };
enum { INTERNED_NUMBER = 1, INTERNED_TEXT = 2 };
enum { ANNOTATION_NAME = 1, ANNOTATION_NUMBER = 3, ANNOTATION_TEXT = 6 };

/* Names of annotations. */
enum { NOTE_RECORD = 1, NOTE_MERGED, NOTE_END, NOTES };

struct message {
	size_t size;
	unsigned char bytes[MESSAGE_MAX];
};

/* ---- Fields. ---- */

static void put_varint(struct message *to, uint64_t value)
{
	while (value >= 128 && to->size < MESSAGE_MAX) {
		to->bytes[to->size++] = (unsigned char)(value | 128);
		value >>= 7;
	}
	if (to->size < MESSAGE_MAX)
		to->bytes[to->size++] = (unsigned char)value;
}

static void put_number(struct message *to, unsigned field, uint64_t value)
{
	put_varint(to, (uint64_t)field << 3);
	put_varint(to, value);
}

static void put_bytes(struct message *to, unsigned field, const void *bytes, size_t size)
{
	put_varint(to, (uint64_t)field << 3 | 2);
	put_varint(to, size);
	if (size > MESSAGE_MAX - to->size)
		size = MESSAGE_MAX -
		       to->size; /* never: messages are larger than what is put there */
	memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
}

static void put_message(struct message *to, unsigned field, const struct message *from)
{
	put_bytes(to, field, from->bytes, from->size);
}

static void put_double(struct message *to, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_varint(to, (uint64_t)field << 3 | 1);
	for (unsigned i = 0; i < 8 && to->size < MESSAGE_MAX; i++)
		to->bytes[to->size++] = (unsigned char)(bits >> 8 * i);
}

/* What is no UTF-8 is ?. */
static void put_text(struct message *to, unsigned field, const char *text)
{
	const unsigned char *from = (const unsigned char *)text;
	char copy[TEXT_MAX + 4];
	size_t size = 0;

	while (*from && size < TEXT_MAX) {
		size_t count = ear_utf8_size(from);
		if (count == 0)
			copy[size++] = '?';
		for (size_t i = 0; i < count; i++)
			copy[size++] = (char)from[i];
		from += count > 0 ? count : 1;
	}
	put_bytes(to, field, copy, size);
}

static void put_interned(struct message *to, unsigned field, uint64_t number, const char *text)
{
	struct message entry;

	entry.size = 0;
	put_number(&entry, INTERNED_NUMBER, number);
	put_text(&entry, INTERNED_TEXT, text);
	put_message(to, field, &entry);
}

/* ---- Packets. ---- */

struct writer {
	struct ear_timeline *timeline;
	struct ear_byte_output *output;
	bool *named; /* by number of a name: it was said */
	size_t named_size;
};

static void write_packet(struct writer *writer, const struct message *packet)
{
	struct message head;

	head.size = 0;
	put_varint(&head, TRACE_PACKET << 3 | 2);
	put_varint(&head, packet->size);
	char *at = ear_byte_output_room(writer->output, head.size + packet->size);
	memcpy(at, head.bytes, head.size);
	memcpy(at + head.size, packet->bytes, packet->size);
	ear_byte_output_take(writer->output, at + head.size + packet->size);
}

static void begin_packet(struct message *packet)
{
	packet->size = 0;
	put_number(packet, PACKET_SEQUENCE, SEQUENCE);
}

/* The first packet: what numbers mean that all others use. */
static void write_begin(struct writer *writer)
{
	static const char *const notes[NOTES] = {
		[NOTE_RECORD] = "record", [NOTE_MERGED] = "merged", [NOTE_END] = "end"};
	struct message packet, interned;

	begin_packet(&packet);
	put_number(&packet, PACKET_FLAGS, FLAG_CLEARED);
	interned.size = 0;
	for (unsigned i = 0; i < EAR_TIMELINE_CATEGORIES; i++)
		put_interned(&interned, INTERNED_CATEGORY, i + 1, ear_timeline_category_name(i));
	for (unsigned i = 1; i < NOTES; i++)
		put_interned(&interned, INTERNED_ANNOTATION, i, notes[i]);
	put_message(&packet, PACKET_INTERNED, &interned);
	write_packet(writer, &packet);
}

static void write_process(struct writer *writer, const char *title)
{
	struct message packet, track, process;

	process.size = track.size = 0;
	put_number(&process, PROCESS_PID, 1);
	put_text(&process, PROCESS_NAME, title);
	put_number(&track, TRACK_UUID_FIELD, PROCESS_UUID);
	put_message(&track, TRACK_PROCESS, &process);
	put_number(&track, TRACK_CHILD_ORDERING, ORDERING_EXPLICIT);
	begin_packet(&packet);
	put_message(&packet, PACKET_TRACK, &track);
	write_packet(writer, &packet);
}

static void write_track(struct writer *writer, size_t number)
{
	const struct ear_timeline_track *own = ear_timeline_track(writer->timeline, number);
	struct message packet, track;

	track.size = 0;
	put_number(&track, TRACK_UUID_FIELD, TRACK_UUID + number);
	put_text(&track, TRACK_NAME, own->name);
	put_number(&track, TRACK_PARENT, PROCESS_UUID);
	if (own->kind == EAR_TRACK_COUNTER)
		put_bytes(&track, TRACK_COUNTER, "", 0);
	put_number(&track, TRACK_RANK, ear_timeline_track_rank(writer->timeline, number));
	begin_packet(&packet);
	put_message(&packet, PACKET_TRACK, &track);
	write_packet(writer, &packet);
}

/* Was the name said before? It is from now on, unless memory is short. */
static bool take_name(struct writer *writer, uint32_t number)
{
	if (number >= writer->named_size) {
		size_t size = 2 * (size_t)number + 1024;
		bool *named = realloc(writer->named, size * sizeof(*named));
		if (!named)
			return false;
		memset(named + writer->named_size, 0, (size - writer->named_size) * sizeof(*named));
		writer->named = named;
		writer->named_size = size;
	}
	const bool before = writer->named[number];
	writer->named[number] = true;
	return before;
}

static void put_name(struct writer *writer, struct message *packet, struct message *event,
	const struct ear_timeline_event *own)
{
	char address[32];
	const char *name = own->name;

	put_number(event, EVENT_NAME, (uint64_t)own->name_number + 1);
	if (take_name(writer, own->name_number))
		return;
	if (!name[0]) {
		snprintf(address, sizeof(address), "[0x%" PRIx64 "]", own->address);
		name = address;
	}
	struct message interned;
	interned.size = 0;
	put_interned(&interned, INTERNED_NAME, (uint64_t)own->name_number + 1, name);
	put_message(packet, PACKET_INTERNED, &interned);
}

static void put_note(struct message *event, unsigned name, uint64_t value, const char *text)
{
	struct message note;

	note.size = 0;
	put_number(&note, ANNOTATION_NAME, name);
	if (text)
		put_text(&note, ANNOTATION_TEXT, text);
	else
		put_number(&note, ANNOTATION_NUMBER, value);
	put_message(event, EVENT_ANNOTATION, &note);
}

static void write_event(struct writer *writer, const struct ear_timeline_event *own)
{
	static const unsigned types[] = {[EAR_TIMELINE_BEGIN] = TYPE_BEGIN,
		[EAR_TIMELINE_END] = TYPE_END,
		[EAR_TIMELINE_INSTANT] = TYPE_INSTANT,
		[EAR_TIMELINE_COUNTER] = TYPE_COUNTER};
	const bool named = own->kind == EAR_TIMELINE_BEGIN || own->kind == EAR_TIMELINE_INSTANT;
	const char *how = own->kind == EAR_TIMELINE_BEGIN ? ear_timeline_how_name(own->how) : NULL;
	struct message packet, event;

	begin_packet(&packet);
	put_number(&packet, PACKET_TIMESTAMP, own->time);
	put_number(&packet, PACKET_FLAGS, FLAG_NEEDS_INTERNED);
	event.size = 0;
	put_number(&event, EVENT_TYPE, types[own->kind]);
	put_number(&event, EVENT_TRACK, TRACK_UUID + (uint64_t)own->track);
	if (named) {
		put_number(&event, EVENT_CATEGORY, own->category + 1u);
		put_name(writer, &packet, &event, own);
		if (own->record != EAR_TIMELINE_BEFORE)
			put_note(&event, NOTE_RECORD, own->record, NULL);
		if (own->merged > 0)
			put_note(&event, NOTE_MERGED, own->merged, NULL);
		if (how)
			put_note(&event, NOTE_END, 0, how);
	}
	if (own->kind == EAR_TIMELINE_COUNTER)
		put_double(&event, EVENT_DOUBLE, own->value);
	put_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(writer, &packet);
}

int ear_perfetto_trace_write(
	struct ear_timeline *timeline, const char *title, struct ear_byte_output *output)
{
	struct writer writer = {.timeline = timeline, .output = output};
	struct ear_timeline_event event;

	write_begin(&writer);
	write_process(&writer, title);
	for (size_t i = 0; i < ear_timeline_track_count(timeline); i++)
		write_track(&writer, i);
	while (ear_timeline_next(timeline, &event) && output->error == 0)
		write_event(&writer, &event);
	free(writer.named);
	return ear_byte_output_flush(output);
}
