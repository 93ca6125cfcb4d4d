#ifndef EAR_ANALYSES_ISA_COVERAGE_H
#define EAR_ANALYSES_ISA_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/trace.h>

#include "analyses/base/part.h"
#include "analyses/coverage/isa_opcode.h"

/* What of the instruction set ran, and how, in traces of RISC-V: docs/analyses/isa-coverage.md.
 *
 * Counts are by opcode word. What a word says itself (its registers, aliases, directions) is asked
 * of the word afterwards; what it does not say is in bins. A trace begins with nothing known of
 * registers and of the instructions before it, and so does what follows a gap.
 *
 * Parts are counted each in a coverage of its own that is open, and joined in order:
 *
 *     ear_isa_coverage_new(&sum, instructions);
 *     for each part: ear_isa_coverage_new(&part, its instructions), ear_isa_coverage_open(part),
 *             ear_isa_coverage_batch(part, ..) ...
 *     for each part: ear_isa_coverage_join(sum, part)
 *
 * An open coverage keeps what depends on records before its first one: the first instructions of
 * each hart, and counts of operands in registers that no record of it has written.
 */
struct ear_isa_coverage;

/* instructions decodes, and must stay. Returns 0 and *coverage, or EAR_E_NO_MEMORY. */
int ear_isa_coverage_new(
	struct ear_isa_coverage **coverage, const struct ear_instructions *instructions);
void ear_isa_coverage_free(struct ear_isa_coverage *coverage); /* NULL is fine */

/* A new one: something may come before its first record, which join says. */
void ear_isa_coverage_open(struct ear_isa_coverage *coverage);

/* What comes is of a trace that can show these (ear_trace_carries). */
void ear_isa_coverage_shows(struct ear_isa_coverage *coverage, bool traps, bool interrupts);

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_isa_coverage_batch(struct ear_isa_coverage *coverage, const struct ear_batch *batch);

/* What comes is another trace. */
void ear_isa_coverage_pause(struct ear_isa_coverage *coverage);

/* next, which is open, follows what coverage, which is not, has counted. Returns 0 or
 * EAR_E_NO_MEMORY. */
int ear_isa_coverage_join(struct ear_isa_coverage *coverage, const struct ear_isa_coverage *next);

/* Files of parts (part.h): an open one, after the head; and into a new one, after ear_part_open,
 * which is open then; false is an error that the reader has. */
void ear_isa_coverage_write(
	const struct ear_isa_coverage *coverage, struct ear_part_writer *writer);
bool ear_isa_coverage_read(struct ear_isa_coverage *coverage, struct ear_part_reader *reader);

size_t ear_isa_coverage_count(const struct ear_isa_coverage *coverage);
const struct ear_isa_opcode *ear_isa_coverage_opcode(
	const struct ear_isa_coverage *coverage, size_t number);
const struct ear_isa_sums *ear_isa_coverage_sums(const struct ear_isa_coverage *coverage);

#endif
