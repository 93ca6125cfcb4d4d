#ifndef EAR_ORIGINS_H
#define EAR_ORIGINS_H

#include <earshot/instruction.h>
#include <earshot/record.h>
#include <earshot/value_chain.h>

/* What a record computed a value from. */
#define EAR_ORIGINS_MAX 24

struct ear_origins {
	uint8_t end; /* enum ear_value_end: FOLLOWED, CONSTANT, CORE or OPAQUE */
	size_t count;
	struct ear_value_source sources[EAR_ORIGINS_MAX]; /* node and end are not set */
};

/* The sources of what record wrote to place, which it did. */
void ear_origins_of(struct ear_origins *origins, const struct ear_instructions *instructions,
	const struct ear_record *record, const struct ear_value_place *place);

/* All registers that the record read, but x0: operands of a branch, the base of an access. */
void ear_origins_read(struct ear_origins *origins, const struct ear_instructions *instructions,
	const struct ear_record *record);

/* The last of them is the base of its accesses, or the target of a jump: of loads, stores, atomics
 * and indirect jumps. */
bool ear_origins_base(struct ear_value_source *base, const struct ear_instructions *instructions,
	const struct ear_record *record);

#endif
