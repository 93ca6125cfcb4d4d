/* Whether records are missing before an instruction (arrival.h).
 *
 * A filter suppresses records without a word; then the index jumps. Texts count their records, so
 * there only the program counter shows that some were taken out. An interrupt without a record of
 * its own looks the same: it begins a handler, or raises the privilege.
 */
#include "library/state/arrival.h"

static bool is_debug(uint8_t privilege)
{
	return privilege == EAR_PRIVILEGE_DEBUG;
}

static bool is_machine(uint8_t privilege)
{
	return privilege == EAR_PRIVILEGE_M;
}

static unsigned rank(uint8_t privilege)
{
	static const uint8_t ranks[] = {[EAR_PRIVILEGE_S] = 1,
		[EAR_PRIVILEGE_VS] = 1,
		[EAR_PRIVILEGE_M] = 2,
		[EAR_PRIVILEGE_DEBUG] = 3};

	return privilege < sizeof(ranks) ? ranks[privilege] : 0;
}

struct ear_arrival ear_arrival_of(const struct ear_record *record)
{
	return (struct ear_arrival){
		.index = record->index,
		.pc = record->pc,
		.privilege = record->flags & EAR_RECORD_NO_PRIVILEGE ? EAR_ARRIVAL_UNSAID
								     : record->privilege,
		.riscv = record->isa == EAR_ISA_RISCV,
		.handler = record->flags & EAR_RECORD_HANDLER,
	};
}

struct ear_arrival ear_arrival_of_run(const struct ear_compact_run *run, uint64_t pc)
{
	return (struct ear_arrival){
		.index = run->first_index,
		.pc = pc,
		.privilege =
			run->flags & EAR_RECORD_NO_PRIVILEGE ? EAR_ARRIVAL_UNSAID : run->privilege,
		.riscv = true,
		.handler = run->flags & EAR_RECORD_HANDLER,
	};
}

bool ear_arrival_breaks(const struct ear_arrival_rules *rules, const struct ear_expected *expected,
	const struct ear_arrival *arrival)
{
	/* A hart that comes late has done things before; some cores count from 1. */
	if (!expected)
		return arrival->index > 1 && (rules->captured || !arrival->any_index);
	uint8_t before = expected->privilege, now = arrival->privilege;
	bool raised = before != EAR_ARRIVAL_UNSAID && now != EAR_ARRIVAL_UNSAID &&
		      rank(now) > rank(before);

	if (expected->index_known && expected->index != arrival->index &&
		(rules->captured || !arrival->any_index))
		return true;
	if (!rules->captured && arrival->riscv && expected->pc_known &&
		expected->pc != arrival->pc && !arrival->handler && !raised)
		return true;
	return is_debug(before) != is_debug(now) ||
	       (rules->spaces && is_machine(before) != is_machine(now));
}

bool ear_arrival_knows_next(const struct ear_record *record)
{
	const uint32_t elsewhere = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_NEXT_PC;

	return record->isa == EAR_ISA_RISCV && !(record->flags & elsewhere);
}
