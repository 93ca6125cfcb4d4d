/* Joining what follows: the first instructions of each hart in the next part are counted again, now
 * with those before them; operands that were open there have the values that are known here.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/coverage/isa_counting.h"

struct joining {
	struct ear_isa_coverage *sum;
	const struct ear_isa_coverage *next;
	uint32_t *numbers; /* in the sum, of the opcodes of next; 0: there is no room */
};

static int join_opcodes(struct joining *joining)
{
	const struct ear_isa_coverage *next = joining->next;
	struct ear_isa_coverage *sum = joining->sum;

	for (uint32_t i = 0; i < next->opcode_count; i++) {
		const struct ear_isa_opcode *from = &next->opcodes[i];
		uint32_t *number = &joining->numbers[i];
		int result = ear_isa_find_opcode(sum, from->opcode, from->xlen, number);
		if (result)
			return result;
		if (*number == 0) {
			sum->sums.left_out += from->executed;
			continue;
		}
		struct ear_isa_opcode *to = &sum->opcodes[*number - 1];
		to->executed += from->executed;
		for (unsigned bin = 0; bin < EAR_ISA_BINS; bin++)
			to->bins[bin] += from->bins[bin];
	}
	return 0;
}

static void join_sums(struct ear_isa_sums *sum, const struct ear_isa_sums *next)
{
	sum->records += next->records;
	sum->without += next->without;
	sum->left_out += next->left_out;
	sum->gaps += next->gaps;
	sum->has_values |= next->has_values;
	sum->has_accesses |= next->has_accesses;
	sum->has_privilege |= next->has_privilege;
	sum->has_directions |= next->has_directions;
	sum->has_flags |= next->has_flags;
	sum->has_rounding |= next->has_rounding;
	sum->has_vtype |= next->has_vtype;
	sum->has_traps |= next->has_traps;
	sum->has_interrupts |= next->has_interrupts;
	for (unsigned i = 0; i < EAR_ISA_PRIVILEGES; i++) {
		for (unsigned j = 0; j < EAR_ISA_CAUSES; j++) {
			sum->exceptions[i][j] += next->exceptions[i][j];
			sum->interrupts[i][j] += next->interrupts[i][j];
		}
		sum->privileges[i] += next->privileges[i];
		for (unsigned j = 0; j < EAR_ISA_PRIVILEGES; j++)
			sum->transitions[i][j] += next->transitions[i][j];
	}
	for (unsigned i = 0; i < EAR_ISA_CSR_WAYS; i++)
		for (unsigned j = 0; j < 4096; j++)
			sum->csrs[i][j] += next->csrs[i][j];
}

/* The value of a source, as the hart has it. Returns false if it is not known. */
static bool source_value(const struct ear_isa_opcode *opcode, const struct isa_hart *hart,
	unsigned slot, uint8_t reg, unsigned *value)
{
	if (opcode->formats[slot] == EAR_ISA_NO_VALUE || !(hart->known >> reg & 1))
		return false;
	*value = ear_isa_value_of(hart->values[reg], opcode->formats[slot], opcode->xlen);
	return true;
}

static void join_open_count(const struct joining *joining, const struct isa_open_count *count,
	const struct isa_hart *hart)
{
	const uint32_t number = joining->numbers[count->number - 1];
	unsigned rs1 = 0, rs2 = 0;

	if (number == 0)
		return;
	struct ear_isa_opcode *opcode = &joining->sum->opcodes[number - 1];
	uint64_t *bins = opcode->bins;
	const bool knows_rs1 = source_value(opcode, hart, 1, opcode->operands.rs1, &rs1);
	const bool knows_rs2 = source_value(opcode, hart, 2, opcode->operands.rs2, &rs2);
	for (unsigned other = 0; other < ISA_OTHERS; other++) {
		if (knows_rs1) {
			bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT + rs1] += count->rs1[other];
			if (other < EAR_ISA_VALUE_COUNT)
				ear_isa_count_values(opcode, rs1, other, count->rs1[other]);
		}
		if (knows_rs2) {
			bins[EAR_ISA_VALUES + 2 * EAR_ISA_FLOAT_COUNT + rs2] += count->rs2[other];
			if (other < EAR_ISA_VALUE_COUNT)
				ear_isa_count_values(opcode, other, rs2, count->rs2[other]);
		}
	}
	const uint64_t both = count->rs1[ISA_OTHER_OPEN];
	if (knows_rs2)
		bins[EAR_ISA_VALUES + 2 * EAR_ISA_FLOAT_COUNT + rs2] += both;
	if (knows_rs1 && knows_rs2)
		ear_isa_count_values(opcode, rs1, rs2, both);
	if (hart->knows_frm && hart->frm < 5)
		bins[EAR_ISA_ROUNDS + hart->frm] += count->rounded;
}

static int join_open_counts(const struct joining *joining)
{
	const struct ear_isa_coverage *next = joining->next;

	/* In the order in which the records have them. */
	for (size_t i = 0; i < next->hart_count; i++)
		if (!ear_isa_find_hart(joining->sum, next->harts[i].number))
			return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < next->open_count; i++) {
		const struct isa_open_count *count = &next->open_counts[i];
		const struct isa_hart *hart =
			ear_isa_find_hart(joining->sum, next->harts[count->hart].number);
		if (!hart)
			return EAR_E_NO_MEMORY;
		join_open_count(joining, count, hart);
	}
	return 0;
}

static void join_steps(
	const struct joining *joining, struct isa_hart *to, const struct isa_hart *from)
{
	for (unsigned i = 0; i < from->first_count; i++) {
		struct isa_step step = from->first[i];
		step.number = joining->numbers[step.number - 1];
		if (step.number > 0)
			ear_isa_count_step(
				&joining->sum->opcodes[step.number - 1], to->before, &step);
	}
	if (!from->steps_are_cut && from->first_count < EAR_ISA_DISTANCES)
		return;
	memcpy(to->before, from->before, sizeof(to->before));
	for (unsigned i = 0; i < EAR_ISA_DISTANCES; i++)
		if (to->before[i].number > 0)
			to->before[i].number = joining->numbers[to->before[i].number - 1];
}

static void join_values(struct isa_hart *to, const struct isa_hart *from)
{
	for (unsigned i = 0; i < EAR_ISA_VALUED; i++)
		if (from->known >> i & 1)
			to->values[i] = from->values[i];
	to->known = from->known | (to->known & from->open);
	if (from->knows_frm) {
		to->frm = from->frm;
		to->knows_frm = true;
	} else if (!from->frm_is_open) {
		to->knows_frm = false;
	}
}

static void join_privilege(
	struct ear_isa_sums *sums, struct isa_hart *to, const struct isa_hart *from)
{
	if (from->has_first_privilege && to->has_privilege &&
		to->privilege != from->first_privilege)
		sums->transitions[to->privilege][from->first_privilege]++;
	if (from->has_privilege)
		to->privilege = from->privilege;
	to->has_privilege = from->has_privilege || (to->has_privilege && !from->forgotten);
}

static int join_harts(const struct joining *joining)
{
	struct ear_isa_coverage *sum = joining->sum;
	const struct ear_isa_coverage *next = joining->next;

	for (size_t i = 0; i < next->hart_count; i++) {
		struct isa_hart *to = ear_isa_find_hart(sum, next->harts[i].number);
		if (!to)
			return EAR_E_NO_MEMORY;
		join_steps(joining, to, &next->harts[i]);
		join_values(to, &next->harts[i]);
		join_privilege(&sum->sums, to, &next->harts[i]);
	}
	return 0;
}

/* A gap in next is one for all harts, those that it does not have, too. */
static void join_pause(struct ear_isa_coverage *sum, const struct ear_isa_coverage *next)
{
	sum->paused |= next->paused;
	for (size_t i = 0; next->paused && i < sum->hart_count; i++) {
		bool found = false;
		for (size_t j = 0; j < next->hart_count && !found; j++)
			found = next->harts[j].number == sum->harts[i].number;
		if (!found)
			ear_isa_forget(&sum->harts[i]);
	}
}

int ear_isa_join(void *whole, void *part)
{
	struct ear_isa_coverage *coverage = whole;
	const struct ear_isa_coverage *next = part;
	struct joining joining = {.sum = coverage, .next = next};

	assert(!coverage->is_open);
	joining.numbers = calloc((size_t)next->opcode_count + 1, sizeof(*joining.numbers));
	int result = joining.numbers ? join_opcodes(&joining) : EAR_E_NO_MEMORY;
	if (result == 0)
		result = join_open_counts(&joining);
	if (result == 0)
		result = join_harts(&joining);
	if (result == 0) {
		join_pause(coverage, next);
		join_sums(&coverage->sums, &next->sums);
	}
	free(joining.numbers);
	return result;
}
