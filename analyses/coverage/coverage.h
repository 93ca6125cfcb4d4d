#ifndef EAR_ANALYSES_COVERAGE_H
#define EAR_ANALYSES_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/base/analysis.h"

/* Which instructions ran, how often, and which way conditional branches went:
 * docs/analyses/coverage.md. Lines and functions are made of these counts by
 * cli/commands/coverage/coverage_lines.c.
 *
 * An instruction is executed when it retires or traps: ecall and illegal instructions were reached.
 * One whose fetch failed was not, nor one that an interrupt came instead of.
 *
 * Counts are sums: parts, and several traces, may be joined in any order.
 * There is room for code in EAR_COVERAGE_PAGES stretches of 256 bytes, which takes 512 MB; what
 * runs outside of them is counted by ear_coverage_left_out alone.
 */
extern const struct ear_analysis ear_coverage_analysis; /* without options */

struct ear_coverage; /* its count */

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
