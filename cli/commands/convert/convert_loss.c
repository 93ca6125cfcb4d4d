/* Losses of a conversion. A record costs one comparison as long as records lose the same sets of
 * fields: sets have slots by their hash, and one that is evicted is counted by field.
 */
#include "cli/commands/convert/convert_loss.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "common/hash.h"
#include "common/plural.h"

uint64_t convert_loss_find(const struct ear_writer_format *format, const struct ear_record *record)
{
	return format ? ear_writer_lost(format, record)
		      : (ear_record_fields(record) & ~EAR_RECORD_ENCODER_FIELDS) |
				ear_record_encoder_unfit(record);
}

bool convert_loss_is_other_isa(
	const struct ear_writer_format *format, const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION && record->isa != EAR_ISA_RISCV &&
	       !(format && format->fields & EAR_FIELD_BIT(EAR_FIELD_OTHER_ISA));
}

bool convert_loss_is_all(const struct convert_loss *loss)
{
	return loss->instructions > 0 && loss->other_isa == loss->instructions;
}

void convert_loss_count(uint64_t *fields, uint64_t set, uint64_t count)
{
	for (; set; set &= set - 1)
		fields[__builtin_ctzll(set)] += count;
}

void convert_loss_note(struct convert_loss *loss, uint64_t set)
{
	const size_t slot = ear_hash_slot(set, CONVERT_LOSS_BITS);

	if (loss->sets[slot].set != set) {
		convert_loss_count(loss->fields, loss->sets[slot].set, loss->sets[slot].count);
		loss->sets[slot].set = set;
		loss->sets[slot].count = 0;
	}
	loss->sets[slot].count++;
}

void convert_loss_add(struct convert_loss *loss, const uint64_t *fields)
{
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++)
		loss->fields[field] += fields[field];
}

void convert_loss_describe(char *text, size_t size, const struct ear_source *source,
	const struct ear_record *record, uint64_t set)
{
	char place[64];

	ear_source_place(source, record, place, sizeof(place));
	snprintf(text, size, "%s: the format cannot carry: %s (--strict)", place,
		ear_field_text((enum ear_field)__builtin_ctzll(set)));
}

void convert_loss_warn(struct convert_loss *loss)
{
	for (size_t slot = 0; slot < 1u << CONVERT_LOSS_BITS; slot++) {
		convert_loss_count(loss->fields, loss->sets[slot].set, loss->sets[slot].count);
		loss->sets[slot].count = 0;
	}
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++)
		if (loss->fields[field])
			cli_warning("the output format cannot carry: %s, of %" PRIu64 " record%s",
				ear_field_text((enum ear_field)field), loss->fields[field],
				ear_plural(loss->fields[field]));
	if (loss->refused)
		cli_warning("a capture file cannot hold: %" PRIu64 " record%s", loss->refused,
			ear_plural(loss->refused));
	const struct ear_renumbered *renumbered = &loss->renumbered;
	if (renumbered->count)
		cli_warning("%" PRIu64 " record%s another index in the capture file, first: hart "
			    "%u, index %" PRIu64 " becomes %" PRIu64,
			renumbered->count, renumbered->count == 1 ? " has" : "s have",
			renumbered->hart, renumbered->from, renumbered->to);
}
