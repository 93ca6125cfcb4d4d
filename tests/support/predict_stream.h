#ifndef EAR_PREDICT_STREAM_H
#define EAR_PREDICT_STREAM_H

#include <earshot/record.h>
#include <stddef.h>
#include <stdint.h>

#include "byte_buffer.h"
#include "decoder/codec/encoder.h"
#include "random.h"

/* Streams of predict mode: made from entries, and taken apart into entries again. */

/* A unit of sample_stream.h in predict mode. */
struct ear_unit predict_unit(
	const struct ear_geometry *geometry, unsigned xlen, unsigned flen, bool paddr);

/* A geometry that a unit may have; most of them are tiny, so that everything in them wraps. */
void random_geometry(struct ear_geometry *geometry, struct random *random);

/* An encoder of its own with the predictor that it needs. */
struct predict_encoder {
	struct ear_predictor predictor;
	struct ear_encoder encoder;
};

/* Frames go to *bytes, or to another sink. Ends the program if there is no memory. */
void predict_encoder_init(
	struct predict_encoder *encoder, const struct ear_unit *unit, struct byte_buffer *bytes);
void predict_encoder_init_sink(struct predict_encoder *encoder, const struct ear_unit *unit,
	ear_encoder_sink *sink, void *context);
void predict_encoder_fini(struct predict_encoder *encoder);

/* One thing that was decoded. */
struct decoded_entry {
	uint8_t kind;            /* enum ear_record_kind */
	struct ear_retire entry; /* INSTRUCTION */
	struct ear_gap gap;      /* GAP */
	struct ear_event event;  /* EVENT */
	uint64_t index;          /* of the record */
	uint64_t ticks;          /* if has_ticks */
	uint64_t stream_offset;  /* of the message */
	bool has_ticks;
	bool predicted; /* it came from a record message of predict mode; else entry is zero */
};

struct decoded_list {
	struct decoded_entry *list;
	size_t count, capacity;
	size_t limit; /* end decoding after so many; 0: never */
};

/* Decode a whole stream; the list is appended to. Every instruction record is checked against the
 * entry that it was made from: index, pc, opcode. Returns what ear_decoder_push returned, 1 if the
 * limit ended it.
 */
int decode_entries(struct decoded_list *decoded, const uint8_t *bytes, size_t size);
void decoded_list_free(struct decoded_list *decoded);

#endif
