#ifndef EAR_PROGRAM_H
#define EAR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of an ELF file goes into memory. */
struct segment {
	uint64_t address;
	uint64_t size;      /* in memory */
	uint64_t file_size; /* of that, bytes that are not zero by themselves */
	uint8_t *bytes;     /* those */
};

struct program {
	unsigned xlen; /* 32 or 64 */
	uint64_t entry;
	uint64_t size; /* of all segments */
	struct segment *segments;
	size_t count;
};

/* Read a RISC-V program from path. Returns false after printing why it is none. */
bool program_read(struct program *program, const char *path);
void program_free(struct program *program);

#endif
