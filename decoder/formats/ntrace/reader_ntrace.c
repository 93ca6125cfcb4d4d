/* N-Trace to records: bytes of the input through the decoder.
 *
 * The input counts a byte as taken when the decoder has taken it, so that its offset is where a
 * saved reader continues.
 */
#include "decoder/formats/ntrace/reader_ntrace.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/flow/flow_file.h"
#include "decoder/formats/ntrace/ntrace_decoder.h"

struct reader_ntrace {
	struct ear_reader base;
	struct ear_ntrace_decoder *decoder;
	struct ear_flow_ring ring;
	bool has_head;     /* the input had a first line: another reader would not see it */
	const uint8_t *at; /* of the bytes that were fed: those before are taken from the input */
	bool begun, ended;
	const char *fault; /* of the input; NULL: none */
	bool warned;       /* of missing code, at no_code last */
	uint64_t no_code;
	uint64_t others; /* TCODEs that were skipped, and reported */
};

/* Say which messages are passed over, each TCODE once. Returns 0, or what the report function
 * wants.
 */
static int report_others(struct reader_ntrace *reader)
{
	const uint64_t fresh = reader->decoder->others & ~reader->others;
	const unsigned tcode = fresh ? (unsigned)__builtin_ctzll(fresh) : 0;
	char text[80];

	if (!fresh)
		return 0;
	reader->others |= UINT64_C(1) << tcode;
	snprintf(text, sizeof(text), "messages of TCODE %u (%s) are passed over", tcode,
		tcode == 34 || tcode == 35 ? "in-circuit trace"
		: tcode >= 56              ? "of a vendor"
					   : "not of the program's flow");
	return ear_reader_report_at(&reader->base, 0,
		ear_text_input_next_offset(reader->base.input), text, EAR_LINE_NOTE);
}

/* Before the first byte is decoded. A ring is fed as a whole, and its offsets are of its bytes in
 * their order. Returns 0 or an error. */
static int begin(struct reader_ntrace *reader)
{
	struct ear_flow_ring *ring = &reader->ring;

	reader->begun = true;
	reader->decoder->offset = ear_text_input_next_offset(reader->base.input);
	int result = ear_flow_ring_take(
		ring, reader->base.input, &reader->decoder->unit.ring, &reader->fault);
	if (result == 0 && ring->bytes) {
		ear_ntrace_decoder_feed(reader->decoder, ring->bytes, ring->size);
		ear_ntrace_decoder_end(reader->decoder);
		reader->ended = true;
	}
	return result;
}

/* Decode up to the next run. Returns 1, 0 at the end, or an error. */
static int advance(struct reader_ntrace *reader)
{
	struct ear_text_input *input = reader->base.input;
	struct ear_ntrace_decoder *decoder = reader->decoder;
	const uint8_t *bytes;
	size_t size;

	if (!reader->begun) {
		int begun = begin(reader);
		if (begun)
			return begun;
	}
	for (;;) {
		int result = ear_ntrace_decoder_next(decoder);
		if (decoder->bytes != reader->at && !reader->ring.bytes)
			ear_text_input_take(input, (size_t)(decoder->bytes - reader->at));
		reader->at = decoder->bytes;
		int reported = report_others(reader);
		if (reported || result || reader->ended)
			return reported ? reported : result;
		result = ear_text_input_bytes(input, 1, &bytes, &size);
		if (result < 0)
			return result;
		reader->ended = result == 0;
		if (reader->ended) {
			ear_ntrace_decoder_end(decoder);
		} else {
			ear_ntrace_decoder_feed(decoder, bytes, size);
			reader->at = bytes;
		}
	}
}

/* Say where code is missing, once a place. Returns 0, or what the report function wants. */
static int warn(struct reader_ntrace *reader, const struct ear_record *record)
{
	char text[80];
	uint64_t address = record->u.gap.first;

	if (record->kind != EAR_RECORD_GAP || record->u.gap.reason != EAR_GAP_NO_CODE ||
		(reader->warned && reader->no_code == address))
		return 0;
	reader->warned = true;
	reader->no_code = address;
	snprintf(text, sizeof(text), "no code at 0x%" PRIx64 ": give its ELF (--elf)", address);
	return ear_reader_report_at(&reader->base, 0, record->stream_offset, text, EAR_LINE_BAD);
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_ntrace *reader = (struct reader_ntrace *)base;

	while (ear_flow_run_next(&reader->decoder->run, record) == 0) {
		int result = advance(reader);
		if (result != 1)
			return result;
	}
	int result = warn(reader, *record);
	return result ? result : 1;
}

static int next_run(struct ear_reader *base, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	struct reader_ntrace *reader = (struct reader_ntrace *)base;

	while (ear_flow_run_take(&reader->decoder->run, run, record) == 0) {
		int result = advance(reader);
		if (result != 1)
			return result;
	}
	*compacts = reader->decoder->run.compacts;
	int result = *run ? 0 : warn(reader, *record);
	return result ? result : 1;
}

static bool place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct reader_ntrace *reader = (const struct reader_ntrace *)base;

	*offset = ear_text_input_next_offset(base->input);
	*line_number = 0;
	return reader->begun && !reader->has_head && !reader->ended &&
	       ear_ntrace_decoder_is_settled(reader->decoder);
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_ntrace *reader = (struct reader_ntrace *)base;

	ear_state_bool(walk, &reader->warned);
	ear_state_u64(walk, &reader->no_code, UINT64_MAX);
	ear_state_u64(walk, &reader->others, UINT64_MAX);
	reader->begun = true;
	if (walk->loading)
		reader->decoder->offset = ear_text_input_next_offset(base->input);
	return ear_ntrace_decoder_walk(reader->decoder, walk);
}

static const struct ear_reader_resume resume = {.place = place, .walk = walk_state};

static void free_reader(struct ear_reader *base)
{
	struct reader_ntrace *reader = (struct reader_ntrace *)base;

	ear_ntrace_decoder_free(reader->decoder);
	ear_flow_ring_fini(&reader->ring);
	free(reader);
}

static const char *get_fault(const struct ear_reader *base)
{
	return ((const struct reader_ntrace *)base)->fault;
}

int ear_reader_ntrace_make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size)
{
	struct ear_ntrace_unit unit;
	char cause[EAR_FLOW_FAULT_SIZE], *head;

	int result = ear_flow_file_take(&head, input, "ntrace", fault, size);
	if (result)
		return result;
	const bool has_head = head != NULL;
	result = ear_ntrace_unit_read(&unit, head, options->unit, cause);
	free(head);
	if (result) {
		snprintf(fault, size, "%s", cause);
		return result;
	}
	if (unit.xlen == 0)
		unit.xlen = options->xlen ? options->xlen : ear_flow_code_xlen(options->code);
	struct reader_ntrace *made = calloc(1, sizeof(*made));
	if (!made || ear_ntrace_decoder_new(&made->decoder, options->code, &unit)) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	made->has_head = has_head;
	made->base.input = input;
	made->base.options = *options;
	made->base.xlen = (uint8_t)unit.xlen;
	made->base.resume = &resume;
	if (!unit.ownership)
		made->base.lacks = EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE);
	made->base.next = next;
	made->base.next_run = next_run;
	made->base.free = free_reader;
	made->base.fault = get_fault;
	*reader = &made->base;
	return 0;
}

/* --- By the bytes --- */

#define MESSAGES_MIN  4u
#define MESSAGES_SURE 64u /* what comes after so many is damage, not another format */

static bool is_known(unsigned tcode)
{
	return tcode <= EAR_NTRACE_INDIRECT_SYNC || (tcode >= 33 && tcode <= 35) ||
	       (tcode >= EAR_NTRACE_FULL && tcode <= EAR_NTRACE_REPEAT) || tcode >= 56;
}

/* Some messages, all of known TCODEs and of sizes that can be, the first of them a synchronisation
 * after idle bytes or none: no other file begins like that for long. SRC is not known here, so
 * fields are not looked at. */
int ear_reader_ntrace_detect(const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes, *end = at + size;
	size_t messages = 0;

	if (ear_flow_file_is(bytes, size, "ntrace"))
		return 100;
	while (at < end && messages < MESSAGES_SURE) {
		const uint8_t *begin = at;
		unsigned tcode = *at >> 2;
		if ((*at & 3) == EAR_NTRACE_END_MESSAGE) {
			at++;
			continue;
		}
		while (at < end && (*at & 3) != EAR_NTRACE_END_MESSAGE)
			if ((*at++ & 3) == EAR_NTRACE_RESERVED)
				return 0;
		if (at == end)
			break;
		at++;
		if (at - begin > (ptrdiff_t)EAR_NTRACE_MESSAGE_MAX || *begin & 3 ||
			!is_known(tcode) || (messages == 0 && tcode != EAR_NTRACE_SYNC))
			return 0;
		messages++;
	}
	return messages >= MESSAGES_MIN ? 90 : 0;
}
