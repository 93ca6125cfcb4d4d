/* What is asked of a memory: bytes, its key, its size (memory_state.h).
 *
 * Accesses come first, then the image where it is valid; a device and what changes by itself are
 * never known.
 */
#include "library/memory/memory_internal.h"
#include "library/memory/memory_state.h"

static bool is_device(const struct ear_memory_options *options, uint64_t address)
{
	for (size_t i = 0; i < options->device_count; i++)
		if (address - options->devices[i].address < options->devices[i].size)
			return true;
	return false;
}

int64_t ear_memory_read(
	struct ear_memory *memory, uint64_t address, uint8_t *bytes, bool *known, size_t size)
{
	struct ear_memory_line line = {.address = 1};
	int64_t count = 0;

	for (size_t i = 0; i < size; i++, address++) {
		unsigned at = address % EAR_MEMORY_LINE;
		if (line.address != address - at) {
			int result = ear_memory_line(memory, address - at, &line);
			if (result)
				return result;
			ear_image_line(&memory->options, memory->forgotten, memory->written_at_last,
				&line);
			line.known &= ~ear_memory_volatile_mask(&memory->found, line.address) &
				      ~ear_memory_volatile_mask(memory->given, line.address) &
				      ~ear_volatile_contradicted(
					      memory->given, &memory->options, line.address);
		}
		known[i] = line.known >> at & 1 && !is_device(&memory->options, address);
		bytes[i] = known[i] ? line.bytes[at] : 0;
		count += known[i];
	}
	return count;
}

enum ear_memory_key ear_memory_better_key(const struct ear_memory *memory)
{
	bool asked = memory->translated || memory->physical_differs;

	if (memory->options.key != EAR_MEMORY_FLAT || !asked)
		return memory->options.key;
	return memory->physical_differs || memory->physical_seen ? EAR_MEMORY_PHYSICAL
								 : EAR_MEMORY_VIRTUAL;
}

size_t ear_memory_size(const struct ear_memory *memory)
{
	return sizeof(*memory) + memory->made * sizeof(struct ear_block) +
	       memory->block_capacity * (sizeof(void *) + 1) +
	       (memory->table.capacity + memory->firsts.capacity) * sizeof(struct ear_block_entry) +
	       memory->firsts.count * sizeof(struct ear_first) +
	       memory->changed_capacity * sizeof(uint64_t) +
	       memory->line_capacity * sizeof(struct ear_memory_line) +
	       memory->found.capacity * sizeof(struct ear_volatile_line);
}

uint64_t ear_memory_overflows(const struct ear_memory *memory)
{
	return memory->overflows;
}
