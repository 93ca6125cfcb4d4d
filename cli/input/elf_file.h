#ifndef EAR_ELF_FILE_H
#define EAR_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An ELF file: its headers, and bytes of it. For what a command needs in its own process: the
 * segments that are loaded, and the table of symbols as it is. Names for people come from
 * library/names/.
 *
 * Files are untrusted. Every offset, size and count is held against the size of the file before it
 * is used, and nothing larger than the file is allocated. Functions that return int give 0 or an
 * enum ear_error: EAR_E_BAD_FILE for what does not follow the format, EAR_E_IO (errno),
 * EAR_E_NO_MEMORY.
 */
struct elf_file {
	int fd; /* -1: closed */
	uint64_t size;
	bool big_endian;
	unsigned xlen; /* 32 or 64 */
	uint16_t type, machine;
	uint64_t entry;
	uint64_t segments, segment_size, segment_count; /* table of segments */
	uint64_t sections, section_size, section_count; /* table of sections */
};

struct elf_segment {
	uint32_t type;
	uint64_t offset, file_size;
	uint64_t physical, memory_size;
};

struct elf_section {
	uint32_t type, link;
	uint64_t offset, size, entry_size;
};

struct elf_symbol {
	uint32_t name; /* offset in the table of names */
	uint64_t value;
};

/* Open path and read its header. EAR_E_BAD_FILE: it is no ELF file. On an error it is closed. */
int elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

/* Header i of a table, i < its count. EAR_E_BAD_FILE: it is not in the file. */
int elf_file_segment(const struct elf_file *file, uint64_t i, struct elf_segment *segment);
int elf_file_section(const struct elf_file *file, uint64_t i, struct elf_section *section);

/* The build ID that a linker put into it, as hexadecimal digits. Returns false if there is none
 * that fits. */
bool elf_file_build_id(const struct elf_file *file, char *text, size_t size);

/* Bytes of the file, to be freed; NULL for none at size 0. EAR_E_BAD_FILE: the file ends before. */
int elf_file_bytes(const struct elf_file *file, uint64_t offset, uint64_t size, uint8_t **bytes);

/* Bytes of a symbol in a table of symbols, and symbol i of the table's bytes. */
size_t elf_file_symbol_size(const struct elf_file *file);
struct elf_symbol elf_file_symbol(const struct elf_file *file, const uint8_t *table, size_t i);

#endif
