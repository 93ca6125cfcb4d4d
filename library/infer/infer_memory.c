/* Memory as far as it is known: the pages of check_memory.h for what is writable, the image itself
 * for what is not. So forgetting is cheap, and never touches what no program may write.
 */
#include "library/infer/infer_memory.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

static bool is_in_spans(const struct ear_span *spans, size_t count, uint64_t address, unsigned size)
{
	for (size_t i = 0; i < count; i++)
		if (address <= spans[i].last && address + size - 1 >= spans[i].first)
			return true;
	return false;
}

static bool is_ram(const struct infer_options *options, uint64_t address)
{
	return is_in_spans(options->ram, options->ram_count, address, 1) &&
	       !is_in_spans(options->devices, options->device_count, address, 1);
}

static bool has(const struct ear_memory_segment *segment, uint64_t address)
{
	return address - segment->address < segment->size;
}

/* The byte of a segment that is not writable. Of segments that overlap the last one counts. */
static bool find_constant(const struct infer_memory *memory, uint64_t address, uint8_t *byte)
{
	const struct infer_options *options = memory->options;

	for (size_t i = options->image_count; i > 0; i--) {
		const struct ear_memory_segment *segment = &options->image[i - 1];
		if (!has(segment, address))
			continue;
		*byte = segment->bytes[address - segment->address];
		return !segment->writable && !memory->written[i - 1];
	}
	return false;
}

int infer_memory_init(struct infer_memory *memory, const struct infer_options *options)
{
	*memory = (struct infer_memory){.options = options, .shared = options->shared};
	memory->written = calloc(options->image_count + 1, sizeof(bool));
	if (!memory->written)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; options->reset && i < options->image_count; i++) {
		const struct ear_memory_segment *segment = &options->image[i];
		for (uint64_t at = 0; segment->writable && at < segment->size; at++)
			if (is_ram(options, segment->address + at))
				ear_check_memory_store(&memory->bytes, segment->address + at, 1,
					segment->bytes[at]);
	}
	if (!memory->bytes.failed)
		return 0;
	infer_memory_fini(memory);
	return EAR_E_NO_MEMORY;
}

int infer_memory_copy(struct infer_memory *copy, const struct infer_memory *memory)
{
	size_t size = (memory->options->image_count + 1) * sizeof(bool);

	*copy = *memory;
	copy->written = malloc(size);
	if (!copy->written)
		return EAR_E_NO_MEMORY;
	memcpy(copy->written, memory->written, size);
	if (ear_check_memory_copy(&copy->bytes, &memory->bytes))
		return 0;
	free(copy->written);
	copy->written = NULL;
	return EAR_E_NO_MEMORY;
}

void infer_memory_fini(struct infer_memory *memory)
{
	ear_check_memory_fini(&memory->bytes);
	free(memory->written);
	memory->written = NULL;
}

void infer_memory_forget(struct infer_memory *memory)
{
	ear_check_memory_forget(&memory->bytes);
}

struct infer_value infer_memory_load(struct infer_memory *memory, uint64_t address, unsigned size)
{
	struct infer_value value = {0, 0};
	uint64_t bytes = 0;
	unsigned known = 0;

	if (memory->moved || address + size - 1 < address)
		return value;
	if (!memory->shared &&
		is_in_spans(memory->options->ram, memory->options->ram_count, address, size))
		known = ear_check_memory_read(&memory->bytes, address, size, &bytes);
	for (unsigned i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)(bytes >> 8 * i);
		if (!(known >> i & 1) && !find_constant(memory, address + i, &byte))
			continue;
		value.value |= (uint64_t)byte << 8 * i;
		value.known |= UINT64_C(0xff) << 8 * i;
	}
	return value;
}

static void mark_written(struct infer_memory *memory, uint64_t address, unsigned size)
{
	for (size_t i = 0; i < memory->options->image_count; i++)
		for (unsigned k = 0; k < size; k++)
			if (has(&memory->options->image[i], address + k))
				memory->written[i] = true;
}

/* lose: what is not known of the value is not known of memory any more. */
static void put(struct infer_memory *memory, uint64_t address, unsigned size,
	struct infer_value value, bool lose)
{
	for (unsigned i = 0; i < size; i++) {
		uint64_t mask = UINT64_C(0xff) << 8 * i;
		if (memory->shared || memory->moved || !is_ram(memory->options, address + i))
			continue;
		if ((value.known & mask) == mask)
			ear_check_memory_store(
				&memory->bytes, address + i, 1, value.value >> 8 * i);
		else if (lose)
			ear_check_memory_lose(&memory->bytes, address + i, 1);
	}
}

void infer_memory_store(
	struct infer_memory *memory, uint64_t address, unsigned size, struct infer_value value)
{
	mark_written(memory, address, size);
	put(memory, address, size, value, true);
}

void infer_memory_show(
	struct infer_memory *memory, uint64_t address, unsigned size, struct infer_value value)
{
	put(memory, address, size, value, false);
}

bool infer_memory_is_ram(const struct infer_memory *memory, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		if (!is_ram(memory->options, address + i))
			return false;
	return true;
}

bool infer_memory_refutes(
	struct infer_memory *memory, uint64_t address, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)(value >> 8 * i), constant = byte;
		if (find_constant(memory, address + i, &constant) && constant != byte) {
			mark_written(memory, address, size);
			return true;
		}
	}
	return false;
}
