#include "analyses/calls/recent_memory.h"

#include <string.h>

static uint32_t slot_of(uint64_t address)
{
	const uint64_t line = address / EAR_RECENT_LINE;

	return (uint32_t)(line ^ line >> 15) & (EAR_RECENT_LINES - 1);
}

static void put_byte(struct ear_recent_memory *memory, uint64_t address, uint8_t byte, bool known)
{
	struct ear_recent_line *line = &memory->lines[slot_of(address)];
	const uint64_t first = address & ~(uint64_t)(EAR_RECENT_LINE - 1);
	const unsigned at = (unsigned)(address - first);

	if (line->address != first || line->known == 0) {
		if (!known)
			return;
		line->address = first;
		line->known = 0;
	}
	line->bytes[at] = byte;
	if (known)
		line->known |= UINT64_C(1) << at;
	else
		line->known &= ~(UINT64_C(1) << at);
}

void ear_recent_memory_put(struct ear_recent_memory *memory, uint64_t address, unsigned size,
	uint64_t value, bool known)
{
	/* Nothing is larger than a vector register of 64 KiB; what has no size is taken for 64. */
	const bool whole = known && size > 0 && size <= 8;
	const unsigned count = size == 0 ? EAR_RECENT_LINE : size;

	for (unsigned i = 0; i < count; i++)
		put_byte(memory, address + i, (uint8_t)(whole ? value >> 8 * i : 0), whole);
}

void ear_recent_memory_forget(struct ear_recent_memory *memory)
{
	memset(memory, 0, sizeof(*memory));
}

uint64_t ear_recent_memory_get(
	const struct ear_recent_memory *memory, uint64_t address, uint8_t *bytes)
{
	uint64_t known = 0;

	memset(bytes, 0, EAR_RECENT_LINE);
	for (unsigned i = 0; i < EAR_RECENT_LINE; i++) {
		const uint64_t here = address + i;
		const struct ear_recent_line *line = &memory->lines[slot_of(here)];
		const unsigned at = (unsigned)(here % EAR_RECENT_LINE);
		if (line->address != here - at || !(line->known >> at & 1))
			continue;
		bytes[i] = line->bytes[at];
		known |= UINT64_C(1) << i;
	}
	return known;
}
