/* The image of a program for the inference. A segment that may be written has sections that may not
 * (linker scripts of small systems put all into one segment): these are constant for the whole
 * trace, so they come after it, and count.
 *
 * A segment that is loaded elsewhere than it runs is where it is loaded: what copies it is in the
 * trace.
 */
#include "library/infer/infer_program.h"

#include <earshot/error.h>
#include <stdint.h>
#include <stdlib.h>

#define SIZE_ALL_MAX (UINT64_C(256) << 20)

static int add_bytes(struct infer_program *program, struct ear_names *names, size_t file,
	uint64_t address, uint64_t size, uint64_t load_address, bool writable)
{
	struct ear_memory_segment *segment = &program->segments[program->segment_count];
	uint64_t all = size;
	bool flag;

	for (size_t i = 0; i < program->segment_count; i++)
		all += program->segments[i].size;
	if (size == 0)
		return 0;
	if (program->segment_count == INFER_PROGRAM_MAX || all > SIZE_ALL_MAX || all < size ||
		load_address + size < load_address)
		return EAR_E_FULL;
	uint8_t *bytes = malloc((size_t)size);
	if (!bytes)
		return EAR_E_NO_MEMORY;
	*segment = (struct ear_memory_segment){
		.address = load_address, .size = size, .bytes = bytes, .writable = writable};
	program->segment_count++;
	int64_t got = ear_names_image(names, file, address, bytes, (size_t)size, &flag);
	return got == (int64_t)size ? 0 : EAR_E_IO;
}

int infer_program_add_ram(struct infer_program *program, uint64_t address, uint64_t size)
{
	if (size == 0 || address + size - 1 < address)
		return 0;
	if (program->ram_count == INFER_PROGRAM_MAX)
		return EAR_E_FULL;
	program->ram[program->ram_count++] = (struct ear_span){address, address + size - 1};
	return 0;
}

/* The sections of a writable segment that are not. */
static int add_constants(struct infer_program *program, struct ear_names *names, size_t number,
	const struct ear_names_segment *segment)
{
	const struct ear_names_file *file = ear_names_file(names, number);

	for (size_t i = 0; i < file->section_count; i++) {
		const struct ear_names_section *section = &file->sections[i];
		bool inside =
			section->address - segment->address < segment->file_size &&
			section->size <= segment->file_size - (section->address - segment->address);
		uint64_t address = section->address + file->offset;
		if (!inside || !(section->flags & EAR_NAMES_IN_FILE) ||
			section->flags & EAR_NAMES_WRITE)
			continue;
		int result =
			add_bytes(program, names, number, address, section->size, address, false);
		if (result)
			return result;
	}
	return 0;
}

static int add_segment(struct infer_program *program, struct ear_names *names, size_t number,
	const struct ear_names_segment *segment)
{
	const uint64_t offset = ear_names_file(names, number)->offset;
	const bool writable = segment->flags & EAR_NAMES_WRITE;
	uint64_t size = segment->file_size < segment->size ? segment->file_size : segment->size;
	int result = infer_program_add_ram(program, segment->address + offset, segment->size);

	if (result == 0)
		result = infer_program_add_ram(program, segment->load_address + offset, size);
	if (result == 0)
		result = add_bytes(program, names, number, segment->address + offset, size,
			segment->load_address + offset, writable);
	if (result == 0 && writable && segment->load_address == segment->address)
		result = add_constants(program, names, number, segment);
	return result;
}

int infer_program_add(struct infer_program *program, struct ear_names *names)
{
	for (size_t i = 0; i < ear_names_file_count(names); i++) {
		const struct ear_names_file *file = ear_names_file(names, i);
		for (size_t s = 0; s < file->segment_count; s++) {
			int result = add_segment(program, names, i, &file->segments[s]);
			if (result)
				return result;
		}
	}
	return 0;
}

void infer_program_fini(struct infer_program *program)
{
	for (size_t i = 0; i < program->segment_count; i++)
		free((void *)(uintptr_t)program->segments[i].bytes);
	program->segment_count = 0;
}
