#ifndef EAR_ARRIVAL_H
#define EAR_ARRIVAL_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

/* Does an instruction follow the one before it of its hart, or is something missing in between that
 * no gap record says? What state.h and memory_state.h ask of every instruction.
 */

/* What an instruction looks like from outside. */
struct ear_arrival {
	uint64_t index, pc;
	uint8_t privilege; /* EAR_ARRIVAL_UNSAID: not known */
	bool riscv, handler;
	bool any_index; /* it is one more than that of the record before, of whatever hart */
};

#define EAR_ARRIVAL_UNSAID UINT8_MAX

/* What is expected of a hart. */
struct ear_expected {
	uint16_t hart;
	uint8_t privilege;
	bool index_known, pc_known;
	uint64_t index, pc;
	/* Parts: the first instruction of the hart. */
	bool has_first;
	bool first_of_all;     /* nothing in the part was before it */
	bool first_of_numbers; /* no instruction and no gap */
	struct ear_arrival first;
};

struct ear_arrival_rules {
	bool captured; /* indexes are exact: the program counter need not be followed */
	bool spaces;   /* machine mode and the others have different addresses */
};

struct ear_arrival ear_arrival_of(const struct ear_record *record);
/* Of the first record of a run, at pc. */
struct ear_arrival ear_arrival_of_run(const struct ear_compact_run *run, uint64_t pc);

/* Does the instruction not follow what was expected of its hart (NULL: it is the first one)? Then
 * records are missing, or it is in another address space.
 */
bool ear_arrival_breaks(const struct ear_arrival_rules *rules, const struct ear_expected *expected,
	const struct ear_arrival *arrival);

/* What is expected after the record: not its index, which the caller counts. */
bool ear_arrival_knows_next(const struct ear_record *record);

#endif
