/* A unit, a program and an N-Trace stream: the first bytes are the unit's options and the XLEN,
 * then comes a half of the program, then the stream. Wrong is: a crash, a read beyond the bytes, a
 * decoder that does not end, an instruction that the one before it does not lead to, a difference
 * when the bytes come one by one.
 */
#include <earshot/error.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "decoder/formats/ntrace/ntrace_decoder.h"
#include "target.h"

#define OPTION_BYTES 6u
#define RECORDS_MAX  20000 /* a few bytes may stand for 2^40 instructions */

static struct ear_ntrace_unit take_unit(const uint8_t *bytes)
{
	struct ear_ntrace_unit unit = ear_ntrace_default_unit;

	unit.xlen = bytes[0] & 1 ? 64 : 32;
	unit.sijump = bytes[0] >> 1 & 1;
	unit.alljumps = bytes[0] >> 2 & 1;
	unit.extend = bytes[0] >> 3 & 1;
	unit.ring.wrapped = bytes[0] >> 4 & 1;
	unit.htm = bytes[1] % 3;
	unit.tstamp = bytes[2] % 3;
	unit.src_bits = bytes[3] % 13;
	unit.stack = bytes[4] % (EAR_NTRACE_STACK_MAX + 1);
	return unit;
}

/* Of all records: what a difference shows. */
struct sum {
	uint64_t hash;
	long count;
};

static void look_at(struct sum *sum, const struct ear_record *record, struct ear_record *before)
{
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;

	if (instruction && before->kind == EAR_RECORD_INSTRUCTION && before->hart == record->hart &&
		before->index + 1 == record->index && before->next_pc != record->pc)
		abort();
	sum->hash = (sum->hash ^ record->pc ^ record->kind ^ (uint64_t)record->hart << 8 ^
			    record->stream_offset << 24 ^ record->flags) *
		    UINT64_C(0x100000001B3);
	sum->count++;
	if (instruction || record->kind == EAR_RECORD_GAP)
		*before = *record;
}

static struct sum decode(const struct ear_flow_code *code, const struct ear_ntrace_unit *unit,
	const uint8_t *bytes, size_t size, size_t chunk)
{
	struct ear_ntrace_decoder *decoder;
	struct ear_record before = {.kind = EAR_RECORD_GAP};
	struct sum sum = {0};
	const struct ear_record *record;

	if (ear_ntrace_decoder_new(&decoder, code, unit) != 0)
		abort();
	for (size_t at = 0; at <= size && sum.count < RECORDS_MAX; at += chunk) {
		size_t left = size - at;
		if (left == 0)
			ear_ntrace_decoder_end(decoder);
		else
			ear_ntrace_decoder_feed(decoder, bytes + at, left < chunk ? left : chunk);
		while (sum.count < RECORDS_MAX && ear_ntrace_decoder_next(decoder) == 1)
			while (ear_flow_run_next(&decoder->run, &record) == 1 &&
				sum.count < RECORDS_MAX)
				look_at(&sum, record, &before);
	}
	ear_ntrace_decoder_free(decoder);
	return sum;
}

int fuzz_ntrace(const uint8_t *bytes, size_t size)
{
	struct ear_flow_code *code;

	if (size < OPTION_BYTES)
		return 0;
	const struct ear_ntrace_unit unit = take_unit(bytes);
	size_t code_size = (size_t)bytes[5] * 2;
	if (code_size > size - OPTION_BYTES)
		code_size = size - OPTION_BYTES;
	uint8_t *copy = exact_copy(bytes + OPTION_BYTES, size - OPTION_BYTES);
	if (ear_flow_code_new(&code) != 0 ||
		ear_flow_code_add(code, 0x1000, copy, code_size) != 0 ||
		ear_flow_code_finish(code, unit.xlen) != 0)
		abort();
	size_t left = size - OPTION_BYTES - code_size;
	uint8_t *stream = exact_copy(copy + code_size, left);
	const struct sum whole = decode(code, &unit, stream, left, left ? left : 1);
	const struct sum pieces = decode(code, &unit, stream, left, 1);
	if (whole.hash != pieces.hash || whole.count != pieces.count)
		abort();
	ear_flow_code_free(code);
	free(stream);
	free(copy);
	return 0;
}
