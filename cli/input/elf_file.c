/* Headers of ELF files, field by field from their bytes, so that neither a library nor a struct of
 * this machine reads what the file says. A table is read where it is asked for: a file may claim
 * any number of entries, and only those that are in it are read.
 */
#include "cli/input/elf_file.h"

#include <earshot/error.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_32  52u /* bytes of the file's header */
#define HEADER_64  64u
#define SEGMENT_32 32u
#define SEGMENT_64 56u
#define SECTION_32 40u
#define SECTION_64 64u
#define SYMBOL_32  16u
#define SYMBOL_64  24u

#define NOTE_HEADER 12u
#define NOTE_GNU    "GNU"  /* the name of GNU's notes, with its NUL */
#define NOTES_MAX   65536u /* bytes of a segment that are looked at */

static uint64_t number(const struct elf_file *file, const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[file->big_endian ? i : size - 1 - i];
	return value;
}

/* A field that has the size of an address, and lies elsewhere in files of 64 bit. */
static uint64_t address(
	const struct elf_file *file, const uint8_t *bytes, unsigned at_32, unsigned at_64)
{
	return file->xlen == 32 ? number(file, bytes + at_32, 4) : number(file, bytes + at_64, 8);
}

/* Exactly size bytes from offset on, which are in the file. */
static int read_at(const struct elf_file *file, uint64_t offset, uint8_t *bytes, size_t size)
{
	if (offset > file->size || size > file->size - offset)
		return EAR_E_BAD_FILE;
	while (size > 0) {
		ssize_t got = pread(file->fd, bytes, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		if (got == 0)
			return EAR_E_BAD_FILE; /* it was cut off meanwhile */
		bytes += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

/* Entry i of a table. */
static int read_entry(const struct elf_file *file, uint64_t table, uint64_t entry_size, uint64_t i,
	uint8_t *bytes, size_t size)
{
	if (entry_size < size || table > file->size || i >= (file->size - table) / entry_size)
		return EAR_E_BAD_FILE;
	return read_at(file, table + i * entry_size, bytes, size);
}

/* Counts that do not fit into the header are in the first section. */
static int read_large_counts(struct elf_file *file)
{
	uint8_t bytes[SECTION_64] = {0};
	bool many_segments = file->segment_count == PN_XNUM;
	bool many_sections = file->section_count == 0 && file->sections != 0;

	if (!many_segments && !many_sections)
		return 0;
	int result = read_entry(file, file->sections, file->section_size, 0, bytes,
		file->xlen == 32 ? SECTION_32 : SECTION_64);
	if (result)
		return result;
	if (many_segments)
		file->segment_count = number(file, bytes + (file->xlen == 32 ? 28 : 44), 4);
	if (many_sections)
		file->section_count = address(file, bytes, 20, 32);
	return 0;
}

static int read_header(struct elf_file *file)
{
	uint8_t bytes[HEADER_64] = {0};
	int result = read_at(file, 0, bytes, HEADER_32);

	if (result)
		return result;
	if (memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
		(bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64) ||
		(bytes[EI_DATA] != ELFDATA2LSB && bytes[EI_DATA] != ELFDATA2MSB))
		return EAR_E_BAD_FILE;
	file->xlen = bytes[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	file->big_endian = bytes[EI_DATA] == ELFDATA2MSB;
	if (file->xlen == 64)
		result = read_at(file, 0, bytes, HEADER_64);
	if (result)
		return result;
	file->type = (uint16_t)number(file, bytes + 16, 2);
	file->machine = (uint16_t)number(file, bytes + 18, 2);
	file->entry = address(file, bytes, 24, 24);
	file->segments = address(file, bytes, 28, 32);
	file->sections = address(file, bytes, 32, 40);
	const uint8_t *counts = bytes + (file->xlen == 32 ? 42 : 54);
	file->segment_size = number(file, counts, 2);
	file->segment_count = number(file, counts + 2, 2);
	file->section_size = number(file, counts + 4, 2);
	file->section_count = number(file, counts + 6, 2);
	return read_large_counts(file);
}

int elf_file_open(struct elf_file *file, const char *path)
{
	struct stat status;

	*file = (struct elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (file->fd < 0)
		return EAR_E_IO;
	int result = fstat(file->fd, &status) ? EAR_E_IO : 0;
	if (result == 0 && !S_ISREG(status.st_mode))
		result = EAR_E_BAD_FILE;
	if (result == 0) {
		file->size = (uint64_t)status.st_size;
		result = read_header(file);
	}
	if (result) {
		int error = errno;
		elf_file_close(file);
		errno = error;
	}
	return result;
}

void elf_file_close(struct elf_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

int elf_file_segment(const struct elf_file *file, uint64_t i, struct elf_segment *segment)
{
	uint8_t bytes[SEGMENT_64];
	int result = read_entry(file, file->segments, file->segment_size, i, bytes,
		file->xlen == 32 ? SEGMENT_32 : SEGMENT_64);

	if (result)
		return result;
	*segment = (struct elf_segment){.type = (uint32_t)number(file, bytes, 4),
		.offset = address(file, bytes, 4, 8),
		.physical = address(file, bytes, 12, 24),
		.file_size = address(file, bytes, 16, 32),
		.memory_size = address(file, bytes, 20, 40)};
	return 0;
}

int elf_file_section(const struct elf_file *file, uint64_t i, struct elf_section *section)
{
	uint8_t bytes[SECTION_64];
	bool narrow = file->xlen == 32;
	int result = read_entry(file, file->sections, file->section_size, i, bytes,
		narrow ? SECTION_32 : SECTION_64);

	if (result)
		return result;
	*section = (struct elf_section){.type = (uint32_t)number(file, bytes + 4, 4),
		.link = (uint32_t)number(file, bytes + (narrow ? 24 : 40), 4),
		.offset = address(file, bytes, 16, 24),
		.size = address(file, bytes, 20, 32),
		.entry_size = address(file, bytes, 36, 56)};
	return 0;
}

int elf_file_bytes(const struct elf_file *file, uint64_t offset, uint64_t size, uint8_t **bytes)
{
	*bytes = NULL;
	if (offset > file->size || size > file->size - offset)
		return EAR_E_BAD_FILE;
	if (size == 0)
		return 0;
	uint8_t *made = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
	if (!made)
		return EAR_E_NO_MEMORY;
	int result = read_at(file, offset, made, (size_t)size);
	if (result)
		free(made);
	else
		*bytes = made;
	return result;
}

size_t elf_file_symbol_size(const struct elf_file *file)
{
	return file->xlen == 32 ? SYMBOL_32 : SYMBOL_64;
}

struct elf_symbol elf_file_symbol(const struct elf_file *file, const uint8_t *table, size_t i)
{
	const uint8_t *bytes = table + i * elf_file_symbol_size(file);

	return (struct elf_symbol){(uint32_t)number(file, bytes, 4), address(file, bytes, 4, 8)};
}

/* In the notes of a segment: sizes of a name and of what follows it, a type, then both, each filled
 * up to 4 bytes. */
static bool find_build_id(const struct elf_file *file, const uint8_t *notes, uint64_t left,
	char *text, size_t text_size)
{
	while (left >= NOTE_HEADER) {
		uint64_t name = number(file, notes, 4), size = number(file, notes + 4, 4);
		uint64_t type = number(file, notes + 8, 4), padded = (name + 3) & ~(uint64_t)3;
		const uint8_t *at = notes + NOTE_HEADER + padded;
		uint64_t all = NOTE_HEADER + padded + ((size + 3) & ~(uint64_t)3);
		if (all > left)
			return false;
		if (type == NT_GNU_BUILD_ID && name == sizeof(NOTE_GNU) &&
			memcmp(notes + NOTE_HEADER, NOTE_GNU, sizeof(NOTE_GNU)) == 0 && size > 0 &&
			2 * size < text_size) {
			for (uint64_t i = 0; i < size; i++)
				snprintf(text + 2 * i, 3, "%02x", at[i]);
			return true;
		}
		notes += all;
		left -= all;
	}
	return false;
}

bool elf_file_build_id(const struct elf_file *file, char *text, size_t size)
{
	bool found = false;

	for (uint64_t i = 0; i < file->segment_count && !found; i++) {
		struct elf_segment segment;
		uint8_t *notes;
		if (elf_file_segment(file, i, &segment) != 0)
			return false;
		if (segment.type != PT_NOTE || segment.file_size > NOTES_MAX ||
			elf_file_bytes(file, segment.offset, segment.file_size, &notes) != 0)
			continue;
		found = find_build_id(file, notes, segment.file_size, text, size);
		free(notes);
	}
	return found;
}
