#ifndef EAR_CHECK_RUN_H
#define EAR_CHECK_RUN_H

#include <earshot/record.h>

#include "decoder/record/operands.h"
#include "library/check/check_state.h"

/* The first records of an ordinary run as long as all that can be asked of them is known and right:
 * most are. They are counted and believed; the next one is for check_instruction, which says what
 * is wrong or not known. operands NULL: not shown. Returns how many those are.
 */
size_t check_run(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts,
	const struct ear_operands *operands, size_t from);

/* The same of records that were recorded as a segment, without these. Returns false, and has
 * changed nothing, if it does not follow from the segment that they would pass. */
bool check_run_replay(
	struct ear_checker *checker, struct check_hart *hart, const struct check_segment *segment);

/* What these x registers hold, as one number. */
uint64_t check_run_digest(const struct check_hart *hart, uint32_t registers);

#endif
