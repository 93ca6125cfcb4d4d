#ifndef EAR_INFER_PROGRAM_H
#define EAR_INFER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include <earshot/names.h>
#include <earshot/search.h>

#include "library/memory/memory_types.h"

/* What ELF files say of memory: which bytes it has when they are loaded, and where it is. */
#define INFER_PROGRAM_MAX 256

struct infer_program {
	struct ear_memory_segment segments[INFER_PROGRAM_MAX];
	size_t segment_count;
	struct ear_span ram[INFER_PROGRAM_MAX]; /* with room for --ram */
	size_t ram_count;
};

/* Add all files of names. Returns false after printing why not. Free it all the same; zeros are
 * fine. */
bool infer_program_add(struct infer_program *program, struct ear_names *names);

/* There is memory, too. Returns false after printing that there is too much. */
bool infer_program_add_ram(struct infer_program *program, uint64_t address, uint64_t size);
void infer_program_free(struct infer_program *program);

#endif
