/* The segments of an ELF file, of 32 or 64 bits. */
#include "image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;

	if (file && fseek(file, 0, SEEK_END) == 0) {
		long size = ftell(file);

		rewind(file);
		bytes = size > 0 ? malloc((size_t)size) : NULL;
		if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
			free(bytes);
			bytes = NULL;
		}
	}
	if (file)
		fclose(file);
	return bytes;
}

static void add(struct truth_image *image, uint32_t type, uint64_t address, uint64_t size,
	uint64_t offset, uint32_t flags)
{
	if (type == PT_LOAD && size > 0 && image->count < EAR_MEMORY_SEGMENTS_MAX)
		image->segments[image->count++] = (struct ear_memory_segment){.address = address,
			.size = size,
			.bytes = image->file + offset,
			.writable = (flags & PF_W) != 0};
}

int truth_image_open(struct truth_image *image, const char *path)
{
	Elf32_Ehdr narrow;
	Elf64_Ehdr wide;

	memset(image, 0, sizeof(*image));
	image->file = read_file(path);
	if (!image->file || memcmp(image->file, ELFMAG, SELFMAG) != 0) {
		fprintf(stderr, "%s: no ELF file\n", path);
		truth_image_close(image);
		return -1;
	}
	memcpy(&narrow, image->file, sizeof(narrow));
	memcpy(&wide, image->file, sizeof(wide));
	bool is_wide = image->file[EI_CLASS] == ELFCLASS64;
	for (unsigned k = 0; k < (is_wide ? wide.e_phnum : narrow.e_phnum); k++) {
		Elf32_Phdr small;
		Elf64_Phdr large;

		if (is_wide) {
			memcpy(&large, image->file + wide.e_phoff + k * sizeof(large),
				sizeof(large));
			add(image, large.p_type, large.p_paddr, large.p_filesz, large.p_offset,
				large.p_flags);
		} else {
			memcpy(&small, image->file + narrow.e_phoff + k * sizeof(small),
				sizeof(small));
			add(image, small.p_type, small.p_paddr, small.p_filesz, small.p_offset,
				small.p_flags);
		}
	}
	return 0;
}

void truth_image_close(struct truth_image *image)
{
	free(image->file);
	memset(image, 0, sizeof(*image));
}
