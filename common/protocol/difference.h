#ifndef EAR_DIFFERENCE_H
#define EAR_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"
#include "common/protocol/retire.h"

/* The record messages of predict mode. docs/predict.md, section 7. */

#define EAR_GROUP_MAX           4   /* records in one GROUP message */
#define EAR_DIFFERENCE_SIZE_MAX 240 /* no record message is longer */

/* The fields of one record that differ from the prediction. Their values are in a retire entry. */
struct ear_difference {
	uint32_t mask;     /* EAR_DIFFER_*: the fields that differ */
	uint32_t unknown;  /* encoder: fields that take the prediction */
	bool from_number;  /* INSN: insn comes from the dictionary */
	uint16_t number;   /* its index there */
	bool relative;     /* RDATA, RD: the value is relative to the prediction */
	uint64_t expected; /* encoder: what the value of RDATA, else RD, is relative to */
};

/* A record message: run records as predicted, then count records that differ. */
struct ear_record_message {
	uint32_t run;
	unsigned count; /* 0: RUN; 1; 2 .. EAR_GROUP_MAX: a GROUP, in which only insn differs */
	unsigned done;  /* records taken out by the caller; parsed as 0 */
	bool grouped;   /* a GROUP */
	struct ear_difference differences[EAR_GROUP_MAX];
	uint32_t insns[EAR_GROUP_MAX]; /* of a GROUP, unless from_number */
	struct ear_retire entry;       /* count 1: the fields that differ; others are undefined */
};

/* Parse one record message from the front of bytes[0 .. size-1] for a unit of this XLEN and FLEN.
 *
 * Returns the bytes consumed and fills *message.
 * Returns EAR_E_MORE if the message runs past size.
 * Returns EAR_E_BAD_MESSAGE if it does not follow the specification.
 */
int ear_record_message_parse(struct ear_record_message *message, const uint8_t *bytes, size_t size,
	unsigned xlen, unsigned flen);

/* Write the message for run records as predicted and one that differs to
 * bytes[0 .. EAR_DIFFERENCE_SIZE_MAX-1]. difference->mask is not 0. Returns the size.
 */
size_t ear_record_message_build(uint8_t *bytes, uint32_t run, const struct ear_retire *entry,
	const struct ear_difference *difference, unsigned flen);

/* The same for count records, 1 .. EAR_GROUP_MAX, for each of which ear_fits_group is true. */
size_t ear_group_build(uint8_t *bytes, uint32_t run, unsigned count, const uint32_t *insns,
	const struct ear_difference *differences);

/* The same for run records as predicted and no other; run is not 0. */
size_t ear_run_build(uint8_t *bytes, uint32_t run);

/* Can a record be in a group? Only if its opcode alone differs, and has a short form. */
bool ear_fits_group(const struct ear_difference *difference, uint32_t insn);

/* The low bits of value; all, if bits is 64 or more. */
static inline uint64_t ear_low_bits(uint64_t value, unsigned bits)
{
	return bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

/* The size of an access whose mask is 1, 3, F or FF; 0 for any other mask. */
static inline unsigned ear_mask_size(unsigned mask)
{
	return mask == 0xF ? 4 : mask == 1 ? 1 : mask == 3 ? 2 : mask == 0xFF ? 8 : 0;
}

#endif
