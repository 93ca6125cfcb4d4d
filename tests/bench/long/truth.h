#ifndef BENCH_TRUTH_H
#define BENCH_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/protocol/retire.h"
#include "program.h"

/* What is true of a run, noted down while it happens: every entry goes through truth_add, and at
 * the moments that were chosen truth_sample keeps the answers to questions about that moment.
 * Questions about what comes later are answered when it comes.
 *
 * Moments are named by the number of the last instruction record before them.
 */

#define TRUTH_NEVER     UINT32_MAX
#define TRUTH_ADDRESSES 8    /* words asked for at each moment */
#define TRUTH_PCS       4    /* addresses of instructions, likewise */
#define TRUTH_FRAMES    64   /* kept of the stack, the newest first */
#define TRUTH_MEMORY    4096 /* bytes kept of the memory */

enum truth_kind { TRUTH_TRAP, TRUTH_INTERRUPT, TRUTH_CSR, TRUTH_KINDS };

struct truth_frame {
	uint64_t return_address;
	uint64_t entry;  /* of the callee or the handler */
	uint32_t number; /* of the call, or of the record that trapped */
	bool trap;
};

struct truth_word {
	uint64_t address;
	unsigned size;
	uint32_t last_write, next_write;
};

struct truth_pc {
	uint64_t pc;
	uint32_t last, next;
};

struct truth_sample {
	uint32_t number;
	struct ear_retire entry; /* of that number */
	uint64_t x[32];
	uint32_t x_written;
	uint32_t depth;
	size_t frame_count;
	struct truth_frame frames[TRUTH_FRAMES];
	const char *region;
	uint64_t memory_address;
	uint8_t memory[TRUTH_MEMORY];
	uint8_t seen[TRUTH_MEMORY / 8]; /* bytes that the run has read or written, one bit each */
	struct truth_word words[TRUTH_ADDRESSES];
	struct truth_pc pcs[TRUTH_PCS];
	uint32_t last[TRUTH_KINDS], next[TRUTH_KINDS];
};

#define TRUTH_STACK_MAX 8192

struct truth {
	const struct program *program;
	uint32_t count;      /* entries so far */
	uint32_t *executed;  /* last execution of each halfword of code */
	uint8_t *waited_pcs; /* somebody waits for its next execution */
	size_t code_count;   /* halfwords */
	uint32_t *written;   /* last write of each four bytes of memory */
	uint8_t *seen;       /* one bit a byte of memory */
	uint8_t *waited;     /* one bit for four bytes of memory: somebody waits for a write */
	uint64_t x[32];
	uint32_t x_written;
	uint32_t last[TRUTH_KINDS];
	struct truth_frame stack[TRUTH_STACK_MAX];
	uint32_t depth;
	uint64_t random;
	size_t sample_count, first_open; /* the samples before have no open question */
	struct truth_sample *samples;
	uint32_t *rare, *seldom, *sparse; /* all calls of rare, all writes of seldom and sparse */
	size_t rare_count, seldom_count, sparse_count;
};

/* Room for so many samples. Returns 0, or -1 if memory is short. */
int truth_init(struct truth *truth, const struct program *program, size_t samples, uint64_t seed);
void truth_fini(struct truth *truth);

/* The next entry. */
void truth_add(struct truth *truth, const struct ear_retire *entry);

/* Keep a sample of the moment after `entry`, the last that was added; memory is the machine's,
 * from PROGRAM_CODE on.
 */
void truth_sample(struct truth *truth, const struct ear_retire *entry, const uint8_t *memory);

/* All answers as JSON; events: numbers of the instruction records before which an event stands. */
struct truth_about {
	uint64_t seed;
	const char *program_path;
	const uint32_t *events;
	size_t event_count;
};

void truth_write(const struct truth *truth, const struct truth_about *about, FILE *file);

#endif
