#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include "assembler.h"

/* The programs that make_long runs. Each never ends, and has the same runtime around its own work:
 * a timer interrupt at a fixed interval, whose handler now and then calls the function `rare`,
 * writes the next 64 bytes of the buffer `sparse`, and adds to the word `seldom`, which lies in the
 * same 64 bytes as the counter that the work increments all the time; and a handler of ecall.
 */

#define PROGRAM_CODE   UINT64_C(0x80000000)
#define PROGRAM_DATA   UINT64_C(0x80010000) /* in the image, with values */
#define PROGRAM_BSS    UINT64_C(0x80020000) /* in the image, zero */
#define PROGRAM_END    UINT64_C(0x80080000) /* of the image */
#define PROGRAM_STACK  UINT64_C(0x80100000) /* not in the image, nor is all that follows */
#define PROGRAM_TOP    UINT64_C(0x80200000) /* end of the stack */
#define PROGRAM_ARRAYS UINT64_C(0x81000000)

#define PROGRAM_DATA_SIZE 4096

/* In the data. The first 64 bytes share a line. */
#define PROGRAM_COUNTER PROGRAM_DATA
#define PROGRAM_SELDOM  (PROGRAM_DATA + 8)

#define PROGRAM_SPARSE      PROGRAM_BSS
#define PROGRAM_SPARSE_SIZE 4096
#define PROGRAM_RARE_COUNT  3

#define PROGRAM_REGIONS_MAX 8

/* Memory that the program uses, for questions about it. */
struct program_region {
	const char *name;
	uint64_t address, size;
};

struct program {
	const char *name;
	struct assembler as;
	uint8_t data[PROGRAM_DATA_SIZE];
	uint64_t array_size; /* bytes of each array from PROGRAM_ARRAYS on */
	uint64_t rare;       /* address of the function */
	uint64_t memory_size;
	size_t region_count;
	struct program_region regions[PROGRAM_REGIONS_MAX];
};

/* "interpreter, stream, calls, table". */
extern const char program_names[];

/* Make the program of this name for a run of about so many instructions; the seed decides its data.
 * Returns 0, or -1 if there is no such program.
 */
int program_build(struct program *program, const char *name, uint64_t records, uint64_t seed);

/* Write it to path as an ELF file with symbols. Returns 0, or -1 (errno). */
int program_write_elf(const struct program *program, const char *path);

#endif
