#ifndef EAR_RECORD_ENCODER_H
#define EAR_RECORD_ENCODER_H

#include <earshot/record.h>

#include "decoder/codec/encoder.h"
#include "decoder/record/field.h"

/* Records to the wire: packs a trace from any source into frames, as a capture unit would send it.
 *
 * Fields that a record lacks are not invented. Operands are not sent. The bytes that a load read
 * follow from the register that it wrote. If it wrote none, they take the prediction in predict
 * mode, which costs nothing, and are zero in raw mode: a decoder must know that the source does not
 * have them (docs/file-format.md, section 3, "not_told").
 */
struct ear_record_encoder;

struct ear_record_encoder_options {
	const struct ear_geometry *geometry; /* predict mode; NULL: raw mode */
	uint64_t fields;                     /* fields that the source has: EAR_FIELD_BIT */
};

/* The geometry for files, "file": the largest one, because no hardware needs to hold it. */
extern const struct ear_geometry ear_record_encoder_geometry;

/* The fields that the wire can carry. */
#define EAR_RECORD_ENCODER_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_PC_PHYSICAL) | EAR_FIELD_BIT(EAR_FIELD_OPCODE) | \
		EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | EAR_FIELD_BIT(EAR_FIELD_TAKEN) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | \
		EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_FFLAGS) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE) | EAR_FIELD_BIT(EAR_FIELD_DATA_PHYSICAL) | \
		EAR_FIELD_BIT(EAR_FIELD_GAP) | EAR_FIELD_BIT(EAR_FIELD_EVENT))

/* The fields of these that the wire cannot carry of this record: of an instruction it has one x and
 * one f register, EAR_RETIRE_CSRS_MAX CSRs, and one address with a load, a store or both of XLEN
 * bits.
 */
uint64_t ear_record_encoder_unfit(const struct ear_record *record);

/* Frames go to sink. Returns NULL if memory is short. */
struct ear_record_encoder *ear_record_encoder_new(
	ear_encoder_sink *sink, void *context, const struct ear_record_encoder_options *options);

/* Add a record. Returns 0; EAR_E_UNSUPPORTED if the wire cannot carry it (not RISC-V, another kind,
 * or a hart whose low 8 bits are those of an earlier hart), and it is left out; or EAR_E_NO_MEMORY.
 */
int ear_record_encoder_push(struct ear_record_encoder *encoder, const struct ear_record *record);

/* Records whose index in the stream is another one than that of the source: in a stream the index
 * of a hart begins at 0, and does not jump without a gap.
 */
struct ear_renumbered {
	uint64_t count;
	uint64_t from, to; /* of the first of them: its index in the source and in the stream */
	uint16_t hart;     /* of the same */
};
const struct ear_renumbered *ear_record_encoder_renumbered(
	const struct ear_record_encoder *encoder);

/* Send all records so far to the sink, in whole frames. */
void ear_record_encoder_flush(struct ear_record_encoder *encoder);

/* The trace ends: the last record and STOP. */
void ear_record_encoder_finish(struct ear_record_encoder *encoder);

void ear_record_encoder_free(struct ear_record_encoder *encoder);

#endif
