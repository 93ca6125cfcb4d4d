/* Records by their kind; what is counted of an instruction is in isa_counting.c, and what a part
 * leaves open is joined in isa_coverage_join.c.
 */
#include "analyses/coverage/isa_coverage.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/coverage/isa_counting.h"

int ear_isa_coverage_new(
	struct ear_isa_coverage **coverage, const struct ear_instructions *instructions)
{
	struct ear_isa_coverage *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->instructions = instructions;
	*coverage = made;
	return 0;
}

void ear_isa_coverage_free(struct ear_isa_coverage *coverage)
{
	if (!coverage)
		return;
	free(coverage->opcodes);
	free(coverage->harts);
	free(coverage->open_counts);
	ear_numbering_fini(&coverage->numbering);
	ear_numbering_fini(&coverage->open_numbering);
	free(coverage);
}

void ear_isa_coverage_open(struct ear_isa_coverage *coverage)
{
	coverage->is_open = true;
}

/* ---- Records. ---- */

void ear_isa_coverage_pause(struct ear_isa_coverage *coverage)
{
	coverage->paused = true;
	for (size_t i = 0; i < coverage->hart_count; i++)
		ear_isa_forget(&coverage->harts[i]);
}

static void count_privilege(
	struct ear_isa_sums *sums, struct isa_hart *hart, const struct ear_record *record)
{
	const uint8_t privilege = record->privilege & (EAR_ISA_PRIVILEGES - 1);

	if (record->flags & EAR_RECORD_NO_PRIVILEGE)
		return;
	sums->has_privilege = true;
	sums->privileges[privilege]++;
	if (hart->has_privilege && hart->privilege != privilege)
		sums->transitions[hart->privilege][privilege]++;
	if (!hart->has_first_privilege && !hart->forgotten) {
		hart->has_first_privilege = true;
		hart->first_privilege = privilege;
	}
	hart->has_privilege = true;
	hart->privilege = privilege;
}

static void count_trap(
	struct ear_isa_sums *sums, struct isa_hart *hart, const struct ear_record *record)
{
	const uint64_t cause =
		record->cause & ((UINT64_C(1) << (record->xlen == 32 ? 31 : 63)) - 1);
	const unsigned from = record->flags & EAR_RECORD_NO_PRIVILEGE
				      ? EAR_ISA_PRIVILEGES - 1
				      : record->privilege & (EAR_ISA_PRIVILEGES - 1);

	ear_isa_forget_steps(hart);
	if (record->flags & EAR_RECORD_NO_CAUSE || cause >= EAR_ISA_CAUSES)
		return;
	if (record->flags & EAR_RECORD_INTERRUPT)
		sums->interrupts[from][cause]++;
	else
		sums->exceptions[from][cause]++;
}

/* What traps did not retire; ecall and ebreak do what they are for. */
static void count_trapped(struct ear_isa_opcode *opcode, const struct ear_record *record)
{
	opcode->bins[EAR_ISA_TRAPPED]++;
	opcode->executed += !(record->flags & EAR_RECORD_NO_CAUSE) &&
			    (record->cause == 3 || (record->cause >= 8 && record->cause <= 11));
}

static int count_instruction(struct ear_isa_coverage *coverage, const struct ear_record *record)
{
	struct ear_isa_sums *sums = &coverage->sums;
	struct isa_hart *hart = ear_isa_find_hart(coverage, record->hart);
	uint32_t number;

	if (!hart)
		return EAR_E_NO_MEMORY;
	count_privilege(sums, hart, record);
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		count_trap(sums, hart, record);
	if (record->flags & EAR_RECORD_INTERRUPT)
		return 0;
	if (record->flags & EAR_RECORD_NO_OPCODE || (record->xlen != 32 && record->xlen != 64)) {
		sums->without++;
		ear_isa_forget(hart);
		return 0;
	}
	sums->records++;
	int result = ear_isa_find_opcode(coverage, (uint32_t)record->opcode, record->xlen, &number);
	if (result)
		return result;
	if (number == 0) {
		sums->left_out++;
		ear_isa_forget(hart);
		return 0;
	}
	if (!(record->flags & EAR_RECORD_TRAP))
		return ear_isa_count_retired(coverage, number, hart, record);
	count_trapped(&coverage->opcodes[number - 1], record);
	return 0;
}

int ear_isa_coverage_batch(struct ear_isa_coverage *coverage, const struct ear_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		int result = 0;
		if (record->kind == EAR_RECORD_GAP) {
			coverage->sums.gaps++;
			ear_isa_coverage_pause(coverage);
		} else if (record->kind == EAR_RECORD_REGISTERS) {
			ear_isa_coverage_pause(coverage); /* a debugger wrote them */
		} else if (record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV) {
			result = count_instruction(coverage, record);
		}
		if (result)
			return result;
	}
	return 0;
}

size_t ear_isa_coverage_count(const struct ear_isa_coverage *coverage)
{
	return coverage->opcode_count;
}

const struct ear_isa_opcode *ear_isa_coverage_opcode(
	const struct ear_isa_coverage *coverage, size_t number)
{
	return &coverage->opcodes[number];
}

void ear_isa_coverage_shows(struct ear_isa_coverage *coverage, bool traps, bool interrupts)
{
	coverage->sums.has_traps |= traps;
	coverage->sums.has_interrupts |= interrupts;
}

const struct ear_isa_sums *ear_isa_coverage_sums(const struct ear_isa_coverage *coverage)
{
	return &coverage->sums;
}
