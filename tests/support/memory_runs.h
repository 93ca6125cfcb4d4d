#ifndef EAR_MEMORY_RUNS_H
#define EAR_MEMORY_RUNS_H

#include <earshot/names.h>
#include <earshot/record.h>

/* Records of runs that use memory, for tests of what counts that. */
struct memory_run {
	const struct ear_record **records;
	uint64_t *numbers; /* of instructions */
	uint32_t *tasks;   /* that runs each record */
	uint64_t first;    /* number of the first one */
	size_t count;
	void *items; /* what records point to */
};

void memory_run_free(struct memory_run *run);

/* The program of all of them: sections, functions of the heap, a table. To be closed. */
struct ear_names *memory_run_names(void);

/* Anything that programs do with memory. */
struct memory_run *memory_run_random(uint64_t seed, size_t count);
/* Each record begins a stack. */
struct memory_run *memory_run_stacks(size_t count);
/* Reads that follow no order, of bytes that nothing has written. */
struct memory_run *memory_run_unordered(size_t count);
/* Writes to the first of some words, and reads of all of them, one after the other. uneven: records
 * of other instructions are between some reads. */
struct memory_run *memory_run_stream(size_t written, size_t count, bool uneven);
/* Instructions, and accesses of the bus between them, which have none. */
struct memory_run *memory_run_bus(size_t count);
/* Two harts in one stack, as low as each other: the one that is first, 0 or 1, counts. */
struct memory_run *memory_run_one_stack(unsigned first);

#endif
