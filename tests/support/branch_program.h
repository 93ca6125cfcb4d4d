#ifndef EAR_BRANCH_PROGRAM_H
#define EAR_BRANCH_PROGRAM_H

#include <earshot/record.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/flow/flow_code.h"
#include "random.h"

/* Random programs, and random walks over them, for encoders and decoders of branch traces: code of
 * both sizes with branches, calls, returns, sequential jumps and returns from traps, as an
 * assembler would lay it out, and records of what a hart could have done with it. */

#define BRANCH_PROGRAM_SIZE 1600u /* bytes; the immediate of jalr reaches all of it */

struct branch_program {
	unsigned xlen;
	uint64_t base;
	uint8_t bytes[BRANCH_PROGRAM_SIZE];
	uint64_t starts[BRANCH_PROGRAM_SIZE / 2]; /* where an instruction begins */
	size_t start_count;
	struct ear_flow_code *code;
};

/* How a walk behaves. */
struct branch_walk {
	unsigned traps;      /* one in so many instructions; 0: none */
	unsigned privileges; /* privileges change at traps and returns from them */
	unsigned times;      /* each record has a time */
	unsigned straight;   /* branches are taken once in so many times, at least 1 */
};

void branch_program_init(struct branch_program *program, unsigned xlen, struct random *random);
void branch_program_fini(struct branch_program *program);

/* Fill in records[0 .. count-1]. */
void branch_program_walk(const struct branch_program *program, const struct branch_walk *walk,
	struct random *random, struct ear_record *records, size_t count);

#endif
