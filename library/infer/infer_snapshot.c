/* A snapshot, such as a core dump: what registers and memory held at the end of the trace.
 *
 * It is used where it surely belongs. Its pc is where the trace ends; or it is where the last trap
 * came in, whose handler the trace has not left: such a handler has saved the registers, and writes
 * the dump. Then memory is later than the trace, and not used.
 */
#include "library/infer/infer_snapshot.h"

#define SRET 0x10200073u

struct infer_value infer_snapshot_load(
	const struct ear_infer_snapshot *snapshot, uint64_t address, unsigned size)
{
	struct infer_value value = {0, 0};

	for (size_t i = 0; i < snapshot->memory_count; i++) {
		const struct ear_memory_segment *segment = &snapshot->memory[i];
		for (unsigned k = 0; k < size; k++) {
			uint64_t at = address + k - segment->address;
			if (at >= segment->size || value.known >> 8 * k & 1)
				continue;
			value.value |= (uint64_t)segment->bytes[at] << 8 * k;
			value.known |= UINT64_C(0xff) << 8 * k;
		}
	}
	return value;
}

/* The only one with this pc; NULL: there is none, or several. */
static const struct ear_infer_held *find_held(
	const struct ear_infer_snapshot *snapshot, uint64_t pc)
{
	const struct ear_infer_held *found = NULL;

	for (size_t i = 0; i < snapshot->held_count; i++) {
		if (snapshot->held[i].pc != pc)
			continue;
		if (found)
			return NULL;
		found = &snapshot->held[i];
	}
	return found;
}

static bool returns(const struct infer_facts *step, const struct ear_record *record)
{
	return step->executed &&
	       (step->op.kind == EAR_SEM_MRET || (uint32_t)record->opcode == SRET);
}

/* The trap in whose handler the trace ends: its record is steps[*at]. */
static bool find_trap(const struct ear_record_copy *records, const struct infer_facts *steps,
	size_t count, size_t *at)
{
	for (size_t i = count; i > 0; i--) {
		const struct ear_record *record = &records[i - 1].record;
		if (record->kind == EAR_RECORD_GAP || returns(&steps[i - 1], record))
			return false;
		*at = i - 1;
		if (record->kind == EAR_RECORD_INSTRUCTION &&
			record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
			return true;
	}
	return false;
}

unsigned infer_snapshot_place(struct infer_end *end, const struct ear_infer *infer,
	const struct ear_record_copy *records, const struct infer_facts *steps, size_t count)
{
	const struct ear_infer_snapshot *snapshot = infer->options.snapshot;
	const struct infer_hart *hart = infer->harts[0];
	const struct ear_infer_held *held;
	size_t at;

	if (hart->seen && hart->pc_known && count > 0 && !steps[count - 1].barrier &&
		(held = find_held(snapshot, hart->pc))) {
		*end = (struct infer_end){.held = held, .at = count, .memory = snapshot};
		return EAR_INFER_CORE_AT_END;
	}
	if (find_trap(records, steps, count, &at) &&
		(held = find_held(snapshot, records[at].record.pc))) {
		*end = (struct infer_end){.held = held, .at = at};
		return EAR_INFER_CORE_AT_TRAP;
	}
	return EAR_INFER_CORE_UNUSED;
}

bool infer_snapshot_differs(const struct infer_end *end, struct ear_infer *infer,
	const struct infer_facts *steps, size_t count)
{
	if (!end->memory)
		return false;
	for (unsigned i = 1; i < 32; i++)
		if (infer_differs(infer->harts[0]->x[i], infer_exactly(end->held->x[i])))
			return true;
	for (size_t i = 0; i < count; i++) {
		uint64_t address = steps[i].address.value;
		if (steps[i].size > 0 && infer_is_known(steps[i].address) &&
			infer_differs(infer_memory_load(&infer->memory, address, steps[i].size),
				infer_snapshot_load(end->memory, address, steps[i].size)))
			return true;
	}
	return false;
}
