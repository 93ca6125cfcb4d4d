#ifndef EAR_CONVERT_LOSS_H
#define EAR_CONVERT_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/codec/record_encoder.h"
#include "decoder/formats/base/writer.h"
#include "decoder/record/field.h"
#include "library/source/source.h"

/* What the target format cannot carry of the records, by field. A set has a bit for each field
 * (EAR_FIELD_BIT). Most records lose one of a few sets: the records of a set are counted together.
 */
#define CONVERT_LOSS_BITS 6

struct convert_loss {
	uint64_t fields[EAR_FIELD_COUNT]; /* records that lost each, beside those in sets */
	struct {
		uint64_t set, count;
	} sets[1u << CONVERT_LOSS_BITS];
	uint64_t refused;                 /* records that the target cannot hold at all */
	uint64_t instructions, other_isa; /* all, and the ones of a set that it has not */
	struct ear_renumbered renumbered;
};

/* What the target, NULL: a capture file, cannot carry of this record: a set. */
uint64_t convert_loss_find(const struct ear_writer_format *format, const struct ear_record *record);

/* Is it an instruction of an instruction set that the target has not? Its line is left out. */
bool convert_loss_is_other_isa(
	const struct ear_writer_format *format, const struct ear_record *record);

/* A record lost this set. */
void convert_loss_note(struct convert_loss *loss, uint64_t set);

/* The same where others count: so many records lost each field of the set; and their sum. */
void convert_loss_count(uint64_t *fields, uint64_t set, uint64_t count);
void convert_loss_add(struct convert_loss *loss, const uint64_t *fields);

/* With --strict it is an error: a sentence, with the place of the record in the source. */
void convert_loss_describe(char *text, size_t size, const struct ear_source *source,
	const struct ear_record *record, uint64_t set);

/* Were there instructions, and all were left out? */
bool convert_loss_is_all(const struct convert_loss *loss);

/* A warning for each field that was lost, with the number of records, and for other indexes. */
void convert_loss_warn(struct convert_loss *loss);

#endif
