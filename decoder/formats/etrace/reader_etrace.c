/* Readers of E-Trace and of Espressif's trace: bytes of an input to records. The buffers of a core
 * file of esp-idf are read one after the other.
 *
 * Two descriptions of Espressif's packets contradict each other: addresses are absolute, or
 * differences. So the beginning is decoded both ways, and what fits the program better is taken.
 */
#include "decoder/formats/etrace/reader_etrace.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/flow/flow_file.h"
#include "decoder/flow/flow_unit.h"
#include "decoder/formats/etrace/esp_core.h"
#include "decoder/formats/etrace/etrace_detect.h"
#include "decoder/formats/etrace/etrace_packet.h"
#include "decoder/formats/etrace/etrace_stream.h"

#define FILE_MAX    (16u << 20) /* bytes of a core file */
#define REPORTS_MAX 16u
#define SRCID_SIZE  2048u       /* bytes in which the width of srcID is looked for */
#define TRY_SIZE    (64u << 10) /* bytes that are decoded both ways */

struct reader_etrace {
	struct ear_reader base;
	struct ear_etrace_unit unit;
	struct ear_etrace_stream *stream;
	struct ear_flow_ring ring;
	bool has_head; /* the input had a first line: another reader would not see it */
	bool begun, ended;
	const char *reported[REPORTS_MAX]; /* causes: each is reported once, all are gaps */
	bool no_code_reported;
	uint64_t no_code;  /* the address reported last */
	const char *fault; /* of the input; NULL: none */

	/* A core file. */
	uint8_t *file; /* NULL: it is none */
	size_t file_size;
	struct ear_esp_note note;
	unsigned core; /* the next one */
};

/* --- Bytes --- */

/* The bytes that come next, at least EAR_ETRACE_TAKE_SIZE unless end. Returns 0 or an error. */
static int look(struct reader_etrace *reader, const uint8_t **bytes, size_t *size, uint64_t *offset,
	bool *end)
{
	struct ear_text_input *input = reader->base.input;
	int result = 0;

	if (reader->ring.bytes) {
		*bytes = reader->ring.bytes + reader->ring.at;
		*size = reader->ring.size - reader->ring.at;
		*offset = ear_flow_ring_offset(&reader->ring);
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
	if (reader->ring.bytes)
		reader->ring.at += size;
	else if (size > 0)
		ear_text_input_take(reader->base.input, size);
}

static int report(
	struct reader_etrace *reader, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	return ear_reader_report_at(&reader->base, 0, offset, cause, kind);
}

/* --- Core files --- */

static int refuse(struct reader_etrace *reader, const char *fault)
{
	reader->fault = fault;
	return EAR_E_BAD_FILE;
}

/* Is the input a core file? Then it is taken into memory. */
static int take_core_file(struct reader_etrace *reader)
{
	const uint8_t *bytes;
	size_t size;

	int result = ear_text_input_bytes(reader->base.input, 4, &bytes, &size);
	if (result <= 0 || !ear_esp_is_elf(bytes, size))
		return result < 0 ? result : 0;
	result = ear_text_input_bytes(reader->base.input, FILE_MAX, &bytes, &size);
	if (result <= 0)
		return result;
	if (size >= FILE_MAX)
		return refuse(reader, "the core file is too large");
	result = ear_esp_core_read(&reader->note, bytes, size);
	if (result)
		return refuse(reader,
			result == EAR_E_UNSUPPORTED
				? "the ELF file has no note of Espressif's trace that is understood"
				: "the note of Espressif's trace is damaged");
	reader->file = malloc(size);
	if (!reader->file)
		return EAR_E_NO_MEMORY;
	memcpy(reader->file, bytes, size);
	reader->file_size = size;
	ear_text_input_take(reader->base.input, size);
	if (reader->note.write_sequence & 1)
		return report(reader, 0,
			"the note was written while the core file was: it may not fit the buffers",
			EAR_LINE_NOTE);
	return 0;
}

/* What the note says of a core that cannot be seen in its packets. */
static int report_core(struct reader_etrace *reader, const struct ear_esp_core *core, bool wrapped)
{
	int result = 0;

	if (wrapped && core->resync_mode == 1)
		result = report(reader, reader->ring.offset,
			"the ring wrapped, and resynchronisation was off: what it holds can be "
			"decoded only from a trap on",
			EAR_LINE_NOTE);
	if (result == 0 && core->fifo_overflow)
		result = report(
			reader, reader->ring.offset, "the trace unit lost packets", EAR_LINE_NOTE);
	if (result == 0 && !core->fifo_empty)
		result = report(reader, reader->ring.offset,
			"the last packets had not yet left the trace unit", EAR_LINE_NOTE);
	return result;
}

/* The buffer of the next core. */
static int take_core(struct reader_etrace *reader)
{
	const struct ear_esp_core *core = &reader->note.cores[reader->core++];
	size_t offset, count, head;
	bool wrapped;

	int result = ear_esp_core_buffer(
		core, reader->file, reader->file_size, &offset, &count, &head, &wrapped);
	if (result)
		return refuse(reader, "the core file lacks a buffer that its note names");
	if (core->packets != EAR_ESP_PACKETS_PT10 && core->packets != EAR_ESP_PACKETS_ET20)
		return refuse(reader, "the packets are of a kind that is not known");
	reader->unit.framing =
		core->packets == EAR_ESP_PACKETS_PT10 ? EAR_ETRACE_PT10 : EAR_ETRACE_ET20;
	reader->unit.ring.wrapped = wrapped;
	reader->unit.full_address = core->full_address;
	reader->unit.hart = core->core_id;
	result = ear_flow_ring_turn(
		&reader->ring, reader->file + offset, count, wrapped ? head : 0, offset);
	return result ? result : report_core(reader, core, wrapped);
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
	if (result == 0 && !reader->ring.bytes &&
		(result = ear_text_input_bytes(reader->base.input, TRY_SIZE, &bytes, &size)) <= 0)
		return result;
	size = size < TRY_SIZE ? size : TRY_SIZE;
	if ((result = try_bytes(reader, false, bytes, size, &delta)) < 0 ||
		(result = try_bytes(reader, true, bytes, size, &full)) < 0)
		return result;
	bool take_full = full.instructions > delta.instructions ||
			 (full.instructions == delta.instructions && full.gaps < delta.gaps);
	bool same = full.instructions == delta.instructions && full.gaps == delta.gaps;
	reader->unit.full_address = same ? reader->unit.full_address : take_full;
	return report(reader, 0,
		same ? "whether addresses are absolute or differences does not show: taken as the "
		       "unit says (\"full_address\")"
		: take_full
			? "addresses are taken as absolute: so the packets fit the program better"
			: "addresses are taken as differences: so the packets fit the program "
			  "better",
		EAR_LINE_NOTE);
}

/* Before the first byte of a buffer is decoded. */
static int begin_stream(struct reader_etrace *reader)
{
	int result = 0;

	if (ear_etrace_unit_is_esp(&reader->unit) &&
		reader->unit.address_mode == EAR_ETRACE_MODE_TRY)
		result = choose(reader);
	if (result)
		return result;
	ear_etrace_stream_free(reader->stream);
	reader->stream = NULL;
	return ear_etrace_stream_new(&reader->stream, &reader->unit, reader->base.options.code);
}

/* Without a unit: of E-Trace srcID may show, if the usual unit does not fit. */
static int find_srcid(struct reader_etrace *reader)
{
	const struct ear_reader_options *options = &reader->base.options;
	const uint8_t *bytes;
	size_t size;
	char text[80];

	if (options->unit || reader->has_head || ear_etrace_unit_is_esp(&reader->unit))
		return 0;
	int result = ear_text_input_bytes(reader->base.input, SRCID_SIZE, &bytes, &size);
	if (result <= 0)
		return result;
	reader->unit.srcid_bits = ear_etrace_find_srcid(&reader->unit, bytes, size);
	if (reader->unit.srcid_bits == 0)
		return 0;
	snprintf(text, sizeof(text), "srcID is taken to have %u bits: so the packets fit",
		reader->unit.srcid_bits);
	return report(reader, 0, text, EAR_LINE_NOTE);
}

static int begin(struct reader_etrace *reader)
{
	int result = find_srcid(reader);

	reader->begun = true;
	if (result)
		return result;
	if (ear_etrace_unit_is_esp(&reader->unit)) {
		result = take_core_file(reader);
		if (result == 0 && reader->file && reader->note.core_count == 0)
			result = refuse(reader, "the core file has no trace buffer");
		else if (result == 0 && reader->file)
			result = take_core(reader);
	}
	if (result == 0 && !reader->file)
		result = ear_flow_ring_take(
			&reader->ring, reader->base.input, &reader->unit.ring, &reader->fault);
	return result ? result : begin_stream(reader);
}

/* --- Records --- */

/* The fault of the packet taken last: the first time. Returns 0, or what the report function wants.
 */
static int report_fault(struct reader_etrace *reader, uint64_t offset)
{
	const char *fault = ear_etrace_stream_fault(reader->stream);
	size_t i = 0;

	if (!fault)
		return 0;
	while (i < REPORTS_MAX && reader->reported[i] && reader->reported[i] != fault)
		i++;
	if (i == REPORTS_MAX || reader->reported[i])
		return 0;
	reader->reported[i] = fault;
	return report(reader, offset, fault, EAR_LINE_BAD);
}

/* Say where code is missing, once an address. */
static int report_no_code(struct reader_etrace *reader, const struct ear_record *record)
{
	char text[80];
	uint64_t address = record->u.gap.first;

	if (record->kind != EAR_RECORD_GAP || record->u.gap.reason != EAR_GAP_NO_CODE ||
		(reader->no_code_reported && reader->no_code == address))
		return 0;
	reader->no_code_reported = true;
	reader->no_code = address;
	snprintf(text, sizeof(text), "no code at 0x%" PRIx64 ": give its ELF (--elf)", address);
	return report(reader, record->stream_offset, text, EAR_LINE_BAD);
}

static int finish(struct reader_etrace *reader, uint64_t offset)
{
	reader->ended = true;
	int result = ear_etrace_stream_end(reader->stream, offset);
	if (result == 0 && !ear_etrace_stream_started(reader->stream) &&
		offset + reader->ring.size > 0)
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
	int result;

	if (reader->ended && reader->file && reader->core < reader->note.core_count) {
		reader->ended = false;
		result = take_core(reader);
		if (result == 0)
			result = begin_stream(reader);
		return result ? result : 1;
	}
	if (reader->ended)
		return 0;
	result = look(reader, &bytes, &size, &offset, &end);
	if (result)
		return result;
	int taken = ear_etrace_stream_take(reader->stream, bytes, size, offset, end);
	if (taken < 0)
		return taken;
	result = report_fault(reader, offset);
	drop(reader, (size_t)taken);
	if (result == 0 && size == 0 && taken == 0 && ear_etrace_stream_is_settled(reader->stream))
		result = finish(reader, offset);
	return result ? result : 1;
}

/* The stream has no record left. Returns as advance. */
static int read_on(struct reader_etrace *reader)
{
	int result = report_fault(reader, ear_text_input_offset(reader->base.input));

	return result ? result : advance(reader);
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_etrace *reader = (struct reader_etrace *)base;
	int result = reader->begun ? 0 : begin(reader);

	if (result)
		return result;
	while (!ear_etrace_stream_next(reader->stream, record)) {
		result = read_on(reader);
		if (result != 1)
			return result;
	}
	result = report_no_code(reader, *record);
	return result ? result : 1;
}

static int next_run(struct ear_reader *base, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	struct reader_etrace *reader = (struct reader_etrace *)base;
	int result = reader->begun ? 0 : begin(reader);

	if (result)
		return result;
	while (!ear_etrace_stream_next_run(reader->stream, run, compacts, record)) {
		result = read_on(reader);
		if (result != 1)
			return result;
	}
	result = *run ? 0 : report_no_code(reader, *record);
	return result ? result : 1;
}

static bool place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct reader_etrace *reader = (const struct reader_etrace *)base;

	if (!reader->begun || reader->has_head || reader->ring.bytes || reader->ended ||
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
	reader->unit.srcid_bits = (uint32_t)ear_state_value(walk, reader->unit.srcid_bits, 1, 16);
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
	ear_flow_ring_fini(&reader->ring);
	free(reader->file);
	free(reader);
}

static const char *get_fault(const struct ear_reader *base)
{
	return ((const struct reader_etrace *)base)->fault;
}

static int make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, bool esp, char *fault, size_t size)
{
	struct reader_etrace *made = calloc(1, sizeof(*made));
	char *head = NULL;

	if (!made)
		return EAR_E_NO_MEMORY;
	int result = ear_flow_file_take(&head, input, "etrace", fault, size);
	if (result == 0)
		result = ear_etrace_unit_read(
			&made->unit, head, options->unit, esp, options->xlen, fault, size);
	made->has_head = head != NULL;
	free(head);
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
	if (made->unit.privilege_width == 0)
		made->base.lacks = EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE);
	made->base.next = next;
	made->base.next_run = next_run;
	made->base.free = free_reader;
	made->base.fault = get_fault;
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

/* So many packets in a row are no chance: their numbers have 16 bits. The note of a core file may
 * be after what is looked at: then -i is needed. */
#define DETECT_PACKETS 6

int ear_reader_esptrace_detect(const char *bytes, size_t size)
{
	static const struct ear_etrace_unit unit = {.framing = EAR_ETRACE_ET20};
	struct ear_etrace_frame frame;
	struct ear_esp_note note;
	unsigned count = 0;
	uint32_t number = 0;
	size_t at = 0;

	if (ear_esp_is_elf((const uint8_t *)bytes, size))
		return ear_esp_core_read(&note, (const uint8_t *)bytes, size) == 0 ? 95 : 0;
	while (count < DETECT_PACKETS && at < size) {
		int taken = ear_etrace_frame_parse(
			&frame, &unit, (const uint8_t *)bytes + at, size - at);
		if (taken <= 0)
			return 0;
		at += (size_t)taken;
		if (frame.kind != EAR_ETRACE_FRAME_PACKET)
			continue;
		if (count > 0 && frame.source != (uint16_t)(number + 1))
			return 0;
		number = frame.source;
		count++;
	}
	return count == DETECT_PACKETS ? 90 : 0;
}

int ear_reader_etrace_detect(const char *bytes, size_t size)
{
	if (ear_flow_file_is(bytes, size, "etrace"))
		return 100;
	return ear_etrace_detect((const uint8_t *)bytes, size) ? 80 : 0;
}
