#include "predict_stream.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/codec/decoder.h"
#include "decoder/codec/reconstruct.h"
#include "sample_stream.h"

struct ear_unit predict_unit(
	const struct ear_geometry *geometry, unsigned xlen, unsigned flen, bool paddr)
{
	struct ear_unit unit = sample_unit(xlen, 0, 0);

	unit.protocol_major = EAR_PROTOCOL_MAJOR;
	unit.protocol_minor = EAR_PROTOCOL_MINOR;
	unit.flen = (uint8_t)flen;
	unit.mode = EAR_UNIT_MODE_PREDICT;
	if (paddr)
		unit.features |= EAR_REG_FEATURES_PADDR_MASK;
	ear_geometry_build(unit.geometry, geometry);
	return unit;
}

static void random_pool(struct ear_shadow_geometry *pool, struct random *random)
{
	pool->words_log2 = (uint8_t)(random_once_in(random, 4) ? 5 + random_below(random, 12)
							       : 5 + random_below(random, 3));
	do {
		pool->ways_log2 = (uint8_t)random_below(random, 4);
		pool->line_log2 = (uint8_t)random_below(random, 4);
	} while (pool->ways_log2 + pool->line_log2 > pool->words_log2);
}

void random_geometry(struct ear_geometry *geometry, struct random *random)
{
	*geometry = (struct ear_geometry){
		.unified = random_once_in(random, 3),
		.multiply = random_once_in(random, 2),
		.divide = random_once_in(random, 2),
		.operands = !random_once_in(random, 4),
		.base = random_once_in(random, 5),
		.single = random_once_in(random, 4),
		.dictionary_log2 =
			(uint8_t)(random_once_in(random, 4) ? 0 : 4 + random_below(random, 6)),
		.csr_log2 = (uint8_t)random_below(random, 7),
	};
	random_pool(&geometry->code, random);
	if (!geometry->unified)
		random_pool(&geometry->data, random);
}

void predict_encoder_init_sink(struct predict_encoder *encoder, const struct ear_unit *unit,
	ear_encoder_sink *sink, void *context)
{
	struct ear_geometry geometry;

	if (ear_geometry_parse(&geometry, unit->geometry) ||
		ear_predictor_init(&encoder->predictor, unit, &geometry))
		abort();
	ear_encoder_init(&encoder->encoder, unit, sink, context);
	ear_encoder_predict(&encoder->encoder, &encoder->predictor);
}

void predict_encoder_init(
	struct predict_encoder *encoder, const struct ear_unit *unit, struct byte_buffer *bytes)
{
	predict_encoder_init_sink(encoder, unit, byte_buffer_sink, bytes);
}

void predict_encoder_fini(struct predict_encoder *encoder)
{
	ear_predictor_fini(&encoder->predictor);
}

struct decoding {
	struct ear_decoder decoder;
	struct decoded_list *decoded;
};

static int take_record(void *context, const struct ear_record *record)
{
	struct decoding *decoding = context;
	struct decoded_list *decoded = decoding->decoded;

	if (decoded->count == decoded->capacity) {
		decoded->capacity = decoded->capacity ? 2 * decoded->capacity : 64;
		decoded->list = realloc(decoded->list, decoded->capacity * sizeof(*decoded->list));
		if (!decoded->list)
			abort();
	}
	struct decoded_entry *next = &decoded->list[decoded->count++];
	memset(next, 0, sizeof(*next));
	next->kind = record->kind;
	next->index = record->index;
	next->stream_offset = record->stream_offset;
	next->has_ticks = record->flags & EAR_RECORD_HAS_TIME;
	next->ticks = next->has_ticks ? record->ticks : 0;
	if (record->kind == EAR_RECORD_GAP)
		next->gap = record->u.gap;
	if (record->kind == EAR_RECORD_EVENT)
		next->event = record->u.event;
	next->predicted = decoding->decoder.message_is_difference;
	if (record->kind == EAR_RECORD_INSTRUCTION && next->predicted) {
		next->entry = decoding->decoder.hart->entry;
		if (record->index != next->entry.order || record->pc != next->entry.pc_rdata ||
			record->opcode != next->entry.insn)
			abort();
	}
	return decoded->limit && decoded->count >= decoded->limit ? 1 : 0;
}

int decode_entries(struct decoded_list *decoded, const uint8_t *bytes, size_t size)
{
	struct decoding *decoding = malloc(sizeof(*decoding));
	uint8_t *copy = exact_copy(bytes, size);
	size_t used;

	if (!decoding)
		abort();
	decoding->decoded = decoded;
	ear_decoder_init(&decoding->decoder, take_record, decoding);
	decoding->decoder.one_by_one = true; /* hart->entry is looked at */
	int result = ear_decoder_push(&decoding->decoder, &used, copy, size, true);
	ear_decoder_fini(&decoding->decoder);
	free(copy);
	free(decoding);
	return result;
}

void decoded_list_free(struct decoded_list *decoded)
{
	free(decoded->list);
	memset(decoded, 0, sizeof(*decoded));
}
