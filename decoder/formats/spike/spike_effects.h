#ifndef EAR_SPIKE_EFFECTS_H
#define EAR_SPIKE_EFFECTS_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>

#include "decoder/formats/spike/spike_hart.h"
#include "decoder/formats/spike/spike_opcode.h"

/* The registers in a commit line of Spike, from a record of any source. */
#define EAR_SPIKE_DERIVED_MAX 8

struct ear_spike_effects {
	const struct ear_record_register **list; /* in Spike's order, no two of one register */
	size_t count, capacity;
	bool config; /* SEW, LMUL and vl are listed, too, after an f0 */

	struct ear_record_register derived[EAR_SPIKE_DERIVED_MAX];
	size_t derived_count;
};

/* The number of an f register of 128 bits that comes by its name, since it has no other room.
 * Negative: the register is something else. Its bytes follow the name, lowest first. */
int ear_spike_wide_float(const struct ear_record_register *reg);

void ear_spike_effects_fini(struct ear_spike_effects *effects);

/* Collect those of a record. hart is the state after it, but for vtype before it in before.
 * The list is valid as long as the record. Returns 0 or EAR_E_NO_MEMORY. */
int ear_spike_effects_collect(struct ear_spike_effects *effects, const struct ear_record *record,
	const struct ear_spike_opcode *opcode, const struct ear_spike_hart *before,
	const struct ear_spike_hart *after);

#endif
