#ifndef NTRACE_TRIP_H
#define NTRACE_TRIP_H

#include "branch_program.h"
#include "check.h"

#include "decoder/formats/ntrace/ntrace_decoder.h"
#include "decoder/formats/ntrace/ntrace_encoder.h"

/* Records to N-Trace and back, for tests. */

struct trip {
	struct branch_program program;
	struct ear_ntrace_unit unit;
	struct ear_record *records;
	size_t count;
	uint8_t *bytes;
	size_t size;
};

#define TRIP_RECORDS_MAX 100000u

/* What a decoder made: instructions and gaps. The records are those of the last decoding. */
struct trip_output {
	struct ear_record *records;
	size_t count, gaps;
};

static inline struct ear_ntrace_unit trip_random_unit(unsigned xlen, struct random *random)
{
	struct ear_ntrace_unit unit = ear_ntrace_default_unit;

	unit.xlen = xlen;
	unit.src_bits = random_once_in(random, 2) ? 0 : (uint32_t)random_below(random, 13);
	unit.htm = (uint32_t)random_below(random, 2);
	unit.stack = random_once_in(random, 2) ? 0 : (uint32_t)random_below(random, 33);
	unit.sijump = (uint32_t)random_below(random, 2);
	unit.alljumps = random_once_in(random, 4);
	unit.extend = (uint32_t)random_below(random, 2);
	unit.tstamp = (uint32_t)random_below(random, 2);
	unit.hist_bits = 1 + (uint32_t)random_below(random, 31);
	unit.icnt_max = random_once_in(random, 2) ? (1u << 22) - 1
						  : 2 + (uint32_t)random_below(random, 100);
	unit.icnt_by_sync = random_once_in(random, 4);
	unit.sync_every = random_once_in(random, 2) ? 0 : 2 + (uint32_t)random_below(random, 60);
	unit.repeat_branch = (uint32_t)random_below(random, 2);
	unit.repeat_hist = (uint32_t)random_below(random, 2);
	unit.ownership = (uint32_t)random_below(random, 2);
	unit.btype_ext = (uint32_t)random_below(random, 2);
	return unit;
}

static inline void trip_take(struct trip *trip, struct ear_ntrace_encoder *encoder)
{
	memcpy(trip->bytes + trip->size, encoder->bytes, encoder->size);
	trip->size += encoder->size;
	encoder->size = 0;
}

/* Make a program, a walk of count records, and its stream. */
static inline void trip_init(struct trip *trip, const struct ear_ntrace_unit *unit,
	const struct branch_walk *walk, size_t count, struct random *random)
{
	static struct ear_ntrace_encoder encoder;

	trip->unit = *unit;
	trip->count = count;
	trip->size = 0;
	trip->records = calloc(count, sizeof(*trip->records));
	trip->bytes = malloc((count + 2) * EAR_NTRACE_MESSAGE_MAX);
	assert_non_null(trip->records);
	assert_non_null(trip->bytes);
	branch_program_init(&trip->program, unit->xlen, random);
	branch_program_walk(&trip->program, walk, random, trip->records, count);
	ear_ntrace_encoder_init(&encoder, unit,
		unit->src_bits ? (uint16_t)random_below(random, 1u << unit->src_bits) : 0);
	for (size_t i = 0; i < count; i++) {
		ear_ntrace_encoder_push(&encoder, &trip->records[i]);
		trip_take(trip, &encoder);
	}
	ear_ntrace_encoder_end(&encoder);
	trip_take(trip, &encoder);
}

static inline void trip_fini(struct trip *trip)
{
	branch_program_fini(&trip->program);
	free(trip->records);
	free(trip->bytes);
}

static inline void trip_keep(struct trip_output *output, const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_GAP)
		return;
	assert_below(output->count, TRIP_RECORDS_MAX);
	output->gaps += record->kind == EAR_RECORD_GAP;
	output->records[output->count++] = *record;
}

static inline struct trip_output trip_output(void)
{
	static struct ear_record records[TRIP_RECORDS_MAX];

	return (struct trip_output){.records = records};
}

/* Decode bytes, chunk ones at a time. */
static inline struct trip_output trip_decode(
	const struct trip *trip, const uint8_t *bytes, size_t size, size_t chunk)
{
	struct trip_output output = trip_output();
	struct ear_ntrace_decoder *decoder;
	const struct ear_record *record;

	assert_int_equal(ear_ntrace_decoder_new(&decoder, trip->program.code, &trip->unit), 0);
	for (size_t at = 0; at <= size; at += chunk) {
		if (at == size)
			ear_ntrace_decoder_end(decoder);
		else
			ear_ntrace_decoder_feed(
				decoder, bytes + at, size - at < chunk ? size - at : chunk);
		if (size - at < chunk && at < size)
			at = size - chunk;
		while (ear_ntrace_decoder_next(decoder) == 1)
			while (ear_flow_run_next(&decoder->run, &record) == 1)
				trip_keep(&output, record);
	}
	ear_ntrace_decoder_free(decoder);
	return output;
}

#endif
