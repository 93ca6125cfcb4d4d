/* A unit, a program and an E-Trace stream: the first bytes are the unit's parameters, then comes
 * the program, then the stream. Wrong is: a crash, a read beyond the bytes, a decoder that does not
 * end, an instruction that the one before it does not lead to, a difference when the bytes come one
 * by one.
 */
#include <earshot/error.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "decoder/formats/etrace/etrace_stream.h"
#include "target.h"

#define OPTION_BYTES 8u
#define RECORDS_MAX  20000 /* a few bytes may stand for 2^32 branches */

static struct ear_etrace_unit take_unit(const uint8_t *bytes)
{
	struct ear_etrace_unit unit = {
		.framing = bytes[0] % EAR_ETRACE_FRAMINGS,
		.support = bytes[1] % EAR_ETRACE_SUPPORTS,
		.xlen = bytes[1] & 0x80 ? 64 : 32,
		.iaddress_width = bytes[1] & 0x80 ? 64 : 32,
		.iaddress_lsb = bytes[1] & 0x40 ? 0 : 1,
		.privilege_width = 2,
		.ecause_width = 6,
		.full_address = bytes[2] & 1,
		.implicit_exception = bytes[2] >> 1 & 1,
		.implicit_return = bytes[2] >> 2 & 1,
		.sijump = bytes[2] >> 3 & 1,
		.branch_prediction = bytes[2] >> 4 & 1,
		.jump_target_cache = bytes[2] >> 5 & 1,
		.ring.wrapped = bytes[2] >> 6 & 1,
		.ras = bytes[2] >> 7,
		.bpred_size = bytes[3] & 7,
		.cache_size = bytes[3] >> 3 & 7,
		.f0s_width = (bytes[3] & 7) && (bytes[3] >> 3 & 7),
		.srcid_bits = bytes[4] & 15,
		.timestamp_bytes = bytes[4] >> 4 & 7,
		.type_bits = bytes[5] & 3,
		.time_width = bytes[5] >> 2 & 63,
		.vector_count = 1,
		.vectors = {{false, 2, 0x80000010}},
	};

	if (bytes[6] & 8)
		unit.return_stack_size = bytes[6] & 7;
	else
		unit.call_counter_size = bytes[6] & 7;
	if (bytes[6] & 0x10 && unit.framing == EAR_ETRACE_ENCAP)
		unit.atb_id = 3;
	if (ear_etrace_unit_is_esp(&unit))
		unit.privilege_width = 1;
	if (!ear_etrace_unit_is_valid(&unit))
		abort();
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
		!(before->flags & EAR_RECORD_NO_NEXT_PC) && before->next_pc != record->pc)
		abort();
	sum->hash = (sum->hash ^ record->pc ^ record->kind ^ (uint64_t)record->hart << 8 ^
			    record->flags) *
		    UINT64_C(0x100000001B3);
	sum->count++;
	if (!instruction || record->hart != before->hart)
		*before = (struct ear_record){.kind = EAR_RECORD_GAP};
	if (instruction)
		*before = *record;
}

static struct sum decode(const struct ear_flow_code *code, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, size_t size, size_t step)
{
	struct ear_etrace_stream *stream;
	struct ear_record before = {.kind = EAR_RECORD_GAP};
	struct sum sum = {0};
	const struct ear_record *record;
	size_t at = 0, seen = step < size ? step : size;
	bool ended = false, again = false;

	if (ear_etrace_stream_new(&stream, unit, code) != 0)
		abort();
	while (sum.count < RECORDS_MAX) {
		while (sum.count < RECORDS_MAX && ear_etrace_stream_next(stream, &record))
			look_at(&sum, record, &before);
		if (sum.count == RECORDS_MAX || ended)
			break;
		int taken = ear_etrace_stream_take(stream, bytes + at, seen - at, at, seen == size);
		if (taken == EAR_E_FULL)
			break;
		if (taken < 0 || (size_t)taken > seen - at)
			abort();
		at += (size_t)taken;
		again = taken == 0 && !again && at < size;
		if (taken > 0 || again)
			continue;
		if (seen < size) {
			seen = size - seen < step ? size : seen + step;
			continue;
		}
		if (at < size || ear_etrace_stream_end(stream, at) != 0)
			abort();
		ended = true;
	}
	ear_etrace_stream_free(stream);
	return sum;
}

int fuzz_etrace(const uint8_t *bytes, size_t size)
{
	struct ear_flow_code *code;

	if (size < OPTION_BYTES)
		return 0;
	const struct ear_etrace_unit unit = take_unit(bytes);
	size_t code_size = (size_t)bytes[7] * 16;
	if (code_size > size - OPTION_BYTES)
		code_size = size - OPTION_BYTES;
	uint8_t *copy = exact_copy(bytes + OPTION_BYTES, size - OPTION_BYTES);
	if (ear_flow_code_new(&code) != 0 ||
		ear_flow_code_add(code, 0x80000000, copy, code_size) != 0 ||
		ear_flow_code_finish(code, unit.xlen) != 0)
		abort();
	size_t left = size - OPTION_BYTES - code_size;
	uint8_t *stream = exact_copy(copy + code_size, left);
	const struct sum whole = decode(code, &unit, stream, left, left ? left : 1);
	const struct sum pieces = decode(code, &unit, stream, left, 1);
	/* Bytes lost one by one are more gaps. */
	if (!unit.ring.wrapped && !ear_etrace_unit_is_esp(&unit) &&
		(whole.hash != pieces.hash || whole.count != pieces.count))
		abort();
	ear_flow_code_free(code);
	free(stream);
	free(copy);
	return 0;
}
