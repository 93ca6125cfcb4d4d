#ifndef EAR_ANALYSES_ISA_COVERAGE_H
#define EAR_ANALYSES_ISA_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <earshot/instruction.h>

#include "analyses/base/analysis.h"
#include "analyses/coverage/isa_opcode.h"

/* What of the instruction set ran, and how, in traces of RISC-V: docs/analyses/isa-coverage.md.
 *
 * Counts are by opcode word. What a word says itself (its registers, aliases, directions) is asked
 * of the word afterwards; what it does not say is in bins. A trace begins with nothing known of
 * registers and of the instructions before it, and so does what follows a gap.
 *
 * A part keeps what depends on records before its first one: the first instructions of each hart,
 * and counts of operands in registers that no record of it has written.
 */
extern const struct ear_analysis ear_isa_coverage_analysis;

struct ear_isa_coverage; /* its count */

struct ear_isa_coverage_options {
	const struct ear_instructions *instructions; /* decode for the whole, and must stay */
	const char *march;                           /* what parts decode with; NULL: all */
	bool shows_traps, shows_interrupts;          /* the trace can (ear_trace_carries) */
};

/* What comes is another trace. */
void ear_isa_coverage_pause(struct ear_isa_coverage *coverage);

size_t ear_isa_coverage_count(const struct ear_isa_coverage *coverage);
const struct ear_isa_opcode *ear_isa_coverage_opcode(
	const struct ear_isa_coverage *coverage, size_t number);
const struct ear_isa_sums *ear_isa_coverage_sums(const struct ear_isa_coverage *coverage);

#endif
