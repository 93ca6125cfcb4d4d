#ifndef EAR_INFER_PROGRAM_H
#define EAR_INFER_PROGRAM_H

#include <stddef.h>

#include <earshot/names.h>
#include <earshot/search.h>

#include "library/memory/memory_types.h"

/* What ELF files say of memory: which bytes it has when they are loaded, and where it is. */
#define INFER_PROGRAM_MAX 256

struct infer_program {
	struct ear_memory_segment segments[INFER_PROGRAM_MAX];
	size_t segment_count;
	struct ear_span ram[INFER_PROGRAM_MAX];
	size_t ram_count;
};

/* Add all files of names. Returns 0; EAR_E_FULL (too large, or too many segments), EAR_E_IO (a
 * segment cannot be read), EAR_E_NO_MEMORY. End it all the same; zeros are fine. */
int infer_program_add(struct infer_program *program, struct ear_names *names);
void infer_program_fini(struct infer_program *program);

/* There is memory, too. Returns 0 or EAR_E_FULL. */
int infer_program_add_ram(struct infer_program *program, uint64_t address, uint64_t size);

#endif
