/* Readers of E-Trace and of Espressif's trace: bytes of an input to records.
 *
 * A ring buffer that wrapped is held in memory and turned so that the oldest byte comes first.
 *
 * Two descriptions of Espressif's packets contradict each other: addresses are absolute, or
 * differences. So the beginning is decoded both ways, and what fits the program better is taken.
 */
#include "decoder/formats/etrace/reader_etrace.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/etrace/etrace_stream.h"

#define RING_MAX (16u << 20) /* bytes of a ring buffer */
#define TRY_SIZE (64u << 10) /* bytes that are decoded both ways */

struct reader_etrace {
	struct ear_reader base;
	struct ear_etrace_unit unit;
	struct ear_etrace_stream *stream;
	uint8_t *ring; /* NULL: the input is read as it comes */
	size_t ring_size, ring_at;
	bool begun, ended;
};

/* --- Bytes --- */

/* The bytes that come next, at least EAR_ETRACE_TAKE_SIZE unless end. Returns 0 or an error. */
static int look(struct reader_etrace *reader, const uint8_t **bytes, size_t *size, uint64_t *offset,
	bool *end)
{
	struct ear_text_input *input = reader->base.input;
	int result = 0;

	if (reader->ring) {
		*bytes = reader->ring + reader->ring_at;
		*size = reader->ring_size - reader->ring_at;
		*offset = (reader->ring_at + reader->unit.head_offset) % reader->ring_size;
		*end = true;
		return 0;
	}
	result = ear_text_input_bytes(input, EAR_ETRACE_TAKE_SIZE, bytes, size);
	if (result <= 0)
		*size = 0;
	*offset = ear_text_input_next_offset(input);
	*end = *size < EAR_ETRACE_TAKE_SIZE;
	return result < 0 ? result : 0;
}

static void drop(struct reader_etrace *reader, size_t size)
{
	if (reader->ring)
		reader->ring_at += size;
	else if (size > 0)
		ear_text_input_take(reader->base.input, size);
}

static int report(
	struct reader_etrace *reader, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	return ear_reader_report_at(&reader->base, 0, offset, cause, kind);
}

/* Take the whole buffer into memory, the oldest byte first. */
static int turn_ring(struct reader_etrace *reader)
{
	const uint8_t *bytes;
	size_t size, head = reader->unit.head_offset;

	int result = ear_text_input_bytes(reader->base.input, RING_MAX, &bytes, &size);
	if (result <= 0)
		return result;
	if (size >= RING_MAX || head > size)
		return report(reader, 0,
			size >= RING_MAX
				? "the buffer is too large to be turned: its packets are read as they are"
				: "\"head_offset\" is beyond the buffer: its packets are read as they are",
			EAR_LINE_NOTE);
	reader->ring = malloc(size);
	if (!reader->ring)
		return EAR_E_NO_MEMORY;
	reader->ring_size = size;
	memcpy(reader->ring, bytes + head, size - head);
	memcpy(reader->ring + size - head, bytes, head);
	ear_text_input_take(reader->base.input, size);
	return 0;
}

/* --- Both readings of Espressif's addresses --- */

struct outcome {
	uint64_t instructions, gaps;
};

static int try_bytes(struct reader_etrace *reader, bool full, const uint8_t *bytes, size_t size,
	struct outcome *outcome)
{
	struct ear_etrace_unit unit = reader->unit;
	struct ear_etrace_stream *stream;
	const struct ear_record *record;
	size_t at = 0;

	*outcome = (struct outcome){0};
	unit.full_address = full;
	int result = ear_etrace_stream_new(&stream, &unit, reader->base.options.code);
	while (result >= 0 && at < size) {
		result = ear_etrace_stream_take(stream, bytes + at, size - at, at, true);
		at += result > 0 ? (size_t)result : 0;
		while (result >= 0 && ear_etrace_stream_next(stream, &record)) {
			outcome->instructions += record->kind == EAR_RECORD_INSTRUCTION;
			outcome->gaps += record->kind == EAR_RECORD_GAP;
		}
	}
	ear_etrace_stream_free(stream);
	return result < 0 ? result : 0;
}

static int choose(struct reader_etrace *reader)
{
	struct outcome delta, full;
	const uint8_t *bytes;
	size_t size;
	uint64_t offset;
	bool end;

	int result = look(reader, &bytes, &size, &offset, &end);
	if (result == 0 && !reader->ring &&
		(result = ear_text_input_bytes(reader->base.input, TRY_SIZE, &bytes, &size)) <= 0)
		return result;
	size = size < TRY_SIZE ? size : TRY_SIZE;
	if ((result = try_bytes(reader, false, bytes, size, &delta)) < 0 ||
		(result = try_bytes(reader, true, bytes, size, &full)) < 0)
		return result;
	bool take_full = full.instructions > delta.instructions ||
			 (full.instructions == delta.instructions && full.gaps < delta.gaps);
	bool same = full.instructions == delta.instructions && full.gaps == delta.gaps;
	reader->unit.full_address = same ? reader->unit.framing == EAR_ETRACE_PT10 : take_full;
	return report(reader, 0,
		same ? "whether addresses are absolute or differences does not show: taken as the "
		       "manual says (\"address_mode\")"
		: take_full
			? "addresses are taken as absolute: so the packets fit the program better"
			: "addresses are taken as differences: so the packets fit the program "
			  "better",
		EAR_LINE_NOTE);
}

/* Before the first byte is decoded. */
static int begin(struct reader_etrace *reader)
{
	int result = 0;

	reader->begun = true;
	if (ear_etrace_unit_is_esp(&reader->unit)) {
		if (reader->unit.wrapped)
			result = turn_ring(reader);
		if (result == 0 && reader->unit.address_mode == EAR_ETRACE_MODE_TRY)
			result = choose(reader);
	}
	if (result)
		return result;
	return ear_etrace_stream_new(&reader->stream, &reader->unit, reader->base.options.code);
}

/* --- Records --- */

static int finish(struct reader_etrace *reader, uint64_t offset)
{
	reader->ended = true;
	int result = ear_etrace_stream_end(reader->stream, offset);
	if (result == 0 && !ear_etrace_stream_started(reader->stream) &&
		offset + reader->ring_size > 0)
		result = report(reader, offset,
			"no packet says where the hart was, so nothing can be decoded: was the "
			"encoder's resynchronisation off?",
			EAR_LINE_BAD);
	return result;
}

/* Decode some more. Returns 1, 0 at the end, or as ear_reader_next. */
static int advance(struct reader_etrace *reader)
{
	const uint8_t *bytes;
	size_t size;
	uint64_t offset;
	bool end;

	if (reader->ended)
		return 0;
	int result = look(reader, &bytes, &size, &offset, &end);
	if (result)
		return result;
	int taken = ear_etrace_stream_take(reader->stream, bytes, size, offset, end);
	if (taken < 0)
		return taken;
	const char *fault = ear_etrace_stream_fault(reader->stream);
	drop(reader, (size_t)taken);
	if (fault)
		result = report(reader, offset, fault, EAR_LINE_BAD);
	if (result == 0 && size == 0 && taken == 0 && ear_etrace_stream_is_settled(reader->stream))
		result = finish(reader, offset);
	return result ? result : 1;
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_etrace *reader = (struct reader_etrace *)base;
	int result = reader->begun ? 0 : begin(reader);

	if (result)
		return result;
	for (;;) {
		if (ear_etrace_stream_next(reader->stream, record))
			return 1;
		const char *fault = ear_etrace_stream_fault(reader->stream);
		if (fault) {
			result = report(
				reader, ear_text_input_offset(base->input), fault, EAR_LINE_BAD);
			if (result)
				return result;
		}
		result = advance(reader);
		if (result != 1)
			return result;
	}
}

static bool place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct reader_etrace *reader = (const struct reader_etrace *)base;

	if (!reader->begun || reader->ring || reader->ended ||
		!ear_etrace_stream_is_settled(reader->stream))
		return false;
	*offset = ear_text_input_next_offset(base->input);
	*line_number = ear_text_input_next_line(base->input);
	return true;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_etrace *reader = (struct reader_etrace *)base;

	ear_state_u32(walk, &reader->unit.full_address);
	if (!reader->stream) {
		int result = ear_etrace_stream_new(
			&reader->stream, &reader->unit, reader->base.options.code);
		if (result)
			return result;
	}
	reader->begun = true;
	return ear_etrace_stream_walk(reader->stream, walk);
}

static const struct ear_reader_resume resume = {.place = place, .walk = walk_state};

static void free_reader(struct ear_reader *base)
{
	struct reader_etrace *reader = (struct reader_etrace *)base;

	ear_etrace_stream_free(reader->stream);
	free(reader->ring);
	free(reader);
}

static int make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, bool esp, char *fault, size_t size)
{
	struct reader_etrace *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	int result =
		ear_etrace_unit_read(&made->unit, options->unit, esp, options->xlen, fault, size);
	if (result) {
		free(made);
		return result;
	}
	if (made->unit.address_mode != EAR_ETRACE_MODE_TRY)
		made->unit.full_address = made->unit.address_mode == EAR_ETRACE_MODE_FULL;
	made->base.input = input;
	made->base.options = *options;
	made->base.xlen = (uint8_t)made->unit.xlen;
	made->base.resume = &resume;
	made->base.next = next;
	made->base.free = free_reader;
	*reader = &made->base;
	return 0;
}

int ear_reader_etrace_make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size)
{
	return make(reader, input, options, false, fault, size);
}

int ear_reader_esptrace_make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size)
{
	return make(reader, input, options, true, fault, size);
}
