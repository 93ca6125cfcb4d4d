/* The program's image. What is not writable holds for the whole trace; of the rest only opcodes,
 * and only if the trace begins with the program and nothing is missing: data may be of a run
 * before.
 *
 * What the trace stored comes before the image. An opcode of memory that was stored to is not
 * judged, since it may have been fetched before the store.
 */
#include "library/check/check_image.h"

#include <inttypes.h>

#include "common/protocol/bytes.h"

#define CSR_SATP 0x180u

static const struct ear_memory_segment *find_segment(
	const struct ear_checker *checker, uint64_t address, unsigned size)
{
	for (size_t i = 0; i < checker->options.image_count; i++) {
		const struct ear_memory_segment *segment = &checker->options.image[i];
		if (address - segment->address < segment->size &&
			size <= segment->size - (address - segment->address))
			return segment;
	}
	return NULL;
}

void check_image_begin(struct ear_checker *checker)
{
	const struct ear_record *record = checker->record;
	const struct ear_memory_segment *segment = find_segment(checker, record->pc, 1);

	if (checker->image_reached || (!checker->options.captured && !segment))
		return;
	checker->image_reached = true;
	checker->image_begun =
		checker->options.captured ? record->index == 0 : record->pc == segment->address;
}

/* Where the instruction is in memory; false: nobody knows. */
static bool find_fetch(
	const struct ear_checker *checker, const struct check_hart *hart, uint64_t *address)
{
	const struct ear_record *record = checker->record;
	const struct check_value *satp = &hart->csrs[CSR_SATP];
	bool physical = record->flags & EAR_RECORD_PC_PHYSICAL;

	*address = physical ? record->pc_physical : check_word(hart, record->pc);
	return physical || (!checker->may_be_virtual && (record->privilege == EAR_PRIVILEGE_M ||
								!satp->known || satp->value == 0));
}

enum outcome { UNJUDGED, RIGHT, WRONG };

static enum outcome judge(
	struct ear_checker *checker, const struct check_hart *hart, uint32_t *expected)
{
	const struct ear_record *record = checker->record;
	const unsigned size = record->opcode_size == 2 ? 2 : 4;
	uint64_t address;

	if (!find_fetch(checker, hart, &address))
		return UNJUDGED;
	const struct ear_memory_segment *segment = find_segment(checker, address, size);
	if (!segment ||
		(segment->writable && (!checker->image_begun || checker->memory.forgotten)) ||
		ear_check_memory_is_stored(&checker->memory, address, size))
		return UNJUDGED;
	const uint8_t *bytes = segment->bytes + (address - segment->address);
	*expected = size == 2 ? ear_load_le16(bytes) : ear_load_le32(bytes);
	return (((uint32_t)record->opcode ^ *expected) & (size == 2 ? 0xffff : UINT32_MAX)) == 0
		       ? RIGHT
		       : WRONG;
}

void check_image_fetch(struct ear_checker *checker, const struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	const uint32_t opcode = (uint32_t)record->opcode;
	enum outcome outcome;
	uint32_t expected = 0;
	char name[32];

	if (checker->options.image_count == 0 || record->flags & EAR_RECORD_NO_OPCODE)
		return;
	const struct check_fetched *found = check_image_find(checker, record->pc, opcode);
	outcome = !found ? judge(checker, hart, &expected) : found->judged ? RIGHT : UNJUDGED;
	if (outcome == WRONG) {
		check_violate(checker, EAR_CHECK_LOADED, expected, opcode,
			"the opcode of %s is 0x%" PRIx32 ", but the program has 0x%" PRIx32
			" there",
			check_mnemonic(checker, name, sizeof(name)), opcode, expected);
		return;
	}
	if (outcome == RIGHT)
		check_pass(checker, EAR_CHECK_LOADED);
	checker->fetched[ear_hash_slot32((uint32_t)record->pc, CHECK_CACHE_BITS)] =
		(struct check_fetched){record->pc, opcode, outcome == RIGHT};
}

bool check_image_load(struct ear_checker *checker, uint64_t address, unsigned size)
{
	const struct ear_memory_segment *segment = find_segment(checker, address, size);

	return segment && !segment->writable &&
	       ear_check_memory_seed(&checker->memory, address, size,
		       segment->bytes + (address - segment->address));
}
