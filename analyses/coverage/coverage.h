#ifndef EAR_ANALYSES_COVERAGE_H
#define EAR_ANALYSES_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/trace.h>

#include "analyses/base/part.h"

/* Which instructions ran, how often, and which way conditional branches went:
 * docs/analyses/coverage.md. Lines and functions are made of these counts by
 * cli/commands/coverage/coverage_lines.c.
 *
 *     ear_coverage_new(&coverage);
 *     while (...) ear_coverage_batch(coverage, &batch);
 *     pc = ear_coverage_at(coverage, address);
 *     ear_coverage_free(coverage);
 *
 * An instruction is executed when it retires or traps: ecall and illegal instructions were reached.
 * One whose fetch failed was not, nor one that an interrupt came instead of.
 *
 * Counts are sums: those of parts, and of several traces, joined in any order, are those of all.
 * There is room for code in EAR_COVERAGE_PAGES stretches of 256 bytes, which takes 512 MB; what
 * runs outside of them is counted by ear_coverage_left_out alone.
 */
struct ear_coverage;

#define EAR_COVERAGE_PAGES (1u << 17)

/* Of an instruction at an address. */
struct ear_coverage_pc {
	uint64_t executed; /* 0: it never was */
	uint64_t taken;    /* of a conditional branch of RISC-V */
	uint64_t hidden;   /* times that the trace does not show which way it went, if it is one */
	uint32_t opcode;   /* the first one that was seen, if has_opcode */
	uint8_t opcode_size;
	bool has_opcode, is_branch;
	bool changed; /* another opcode ran here, too */
};

/* Returns 0 and *coverage, or EAR_E_NO_MEMORY. */
int ear_coverage_new(struct ear_coverage **coverage);
void ear_coverage_free(struct ear_coverage *coverage); /* NULL is fine */

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_coverage_batch(struct ear_coverage *coverage, const struct ear_batch *batch);

/* Add what next has counted. Returns 0 or EAR_E_NO_MEMORY. */
int ear_coverage_join(struct ear_coverage *coverage, const struct ear_coverage *next);

/* Files of parts (part.h): what was counted, after the head; and into a new coverage, after
 * ear_part_open, where false is an error that the reader has. */
void ear_coverage_write(const struct ear_coverage *coverage, struct ear_part_writer *writer);
bool ear_coverage_read(struct ear_coverage *coverage, struct ear_part_reader *reader);

/* NULL if no record was at this address. Valid until the next batch or join. */
const struct ear_coverage_pc *ear_coverage_at(const struct ear_coverage *coverage, uint64_t pc);

/* Is this opcode a conditional branch of RISC-V? */
static inline bool ear_coverage_is_branch(uint32_t opcode)
{
	return (opcode & 0x7F) == 0x63 || ((opcode & 3) == 1 && (opcode >> 14 & 3) == 3);
}

struct ear_coverage_sums {
	uint64_t records;     /* of instructions and interrupts */
	uint64_t executed;    /* of these, instructions that were */
	uint64_t gaps;        /* in the traces */
	uint64_t without;     /* executed records that have no opcode: no branch is known of them */
	uint64_t left_out;    /* executed records that there was no room for */
	uint64_t changed_pcs; /* addresses at which opcodes changed */
};

struct ear_coverage_sums ear_coverage_sums(const struct ear_coverage *coverage);

#endif
