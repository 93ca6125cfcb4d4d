#ifndef EAR_HELPER_FILE_H
#define EAR_HELPER_FILE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>

#include "library/names/wire.h"

/* One ELF file of the helper. */
struct helper_range {
	uint64_t first, end;
};

struct helper_file {
	int fd;
	Elf *elf;
	int debug_fd; /* of a separate debug file; -1 none */
	Elf *debug_elf;
	Dwarf *dwarf; /* of either; NULL: none, or not opened yet */
	bool dwarf_tried;
	Dwarf_CFI *frame_cfi; /* .debug_frame */
	Dwarf_CFI *eh_cfi;    /* .eh_frame */
	bool cfi_tried;
	uint32_t *section_numbers; /* by index in the file: its number in OPEN's answer */
	size_t section_count;      /* of the file */
	struct helper_range *code; /* sections that can be executed */
	size_t code_count;
};

/* Each returns NULL, or a sentence that says what is wrong. */
const char *helper_file_open(struct helper_file *file, int fd, struct ear_wire *answer);
const char *helper_file_debug(struct helper_file *file, int fd);
const char *helper_file_symbols(struct helper_file *file, struct ear_wire *answer);
void helper_file_close(struct helper_file *file);

/* The debug information, or NULL. */
Dwarf *helper_file_dwarf(struct helper_file *file);

/* Is this address in a section that can be executed? Debug information of functions that the linker
 * has dropped lies elsewhere, mostly at 0. True for all addresses if the file has no sections.
 */
bool helper_file_has_code(const struct helper_file *file, uint64_t address);

/* A name as the source has it, in strings; the offset of the linked name if it needs no change. */
uint32_t helper_demangle(struct ear_wire *strings, const char *linked, uint32_t linked_offset);

#endif
