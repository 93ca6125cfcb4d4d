/* Opcode words are found by a hash of them; the ones that were met lately are looked at first. Of
 * each hart the last three instructions and the values of its registers are kept.
 */
#include "analyses/coverage/isa_state.h"

#include <stdlib.h>

#include <earshot/error.h>

/* ---- Opcodes. ---- */

static uint32_t *slot_of(const struct ear_isa_coverage *coverage, uint32_t opcode, uint8_t xlen)
{
	const struct ear_numbering *numbering = &coverage->numbering;
	uint32_t at = ear_numbering_first(numbering, ear_numbering_hash(opcode, xlen));

	for (; numbering->places[at] != 0; at = ear_numbering_next(numbering, at)) {
		const struct ear_isa_opcode *found = &coverage->opcodes[numbering->places[at] - 1];
		if (found->opcode == opcode && found->xlen == xlen)
			break;
	}
	return &numbering->places[at];
}

static int add_opcode(
	struct ear_isa_coverage *coverage, uint32_t opcode, uint8_t xlen, uint32_t *number)
{
	bool again;
	struct ear_isa_opcode *opcodes = ear_numbering_grow(&coverage->numbering, coverage->opcodes,
		sizeof(*opcodes), coverage->opcode_count, &again);

	if (!opcodes)
		return EAR_E_NO_MEMORY;
	coverage->opcodes = opcodes;
	for (uint32_t i = 0; again && i < coverage->opcode_count; i++)
		*slot_of(coverage, opcodes[i].opcode, opcodes[i].xlen) = i + 1;
	struct ear_isa_opcode *own = &opcodes[coverage->opcode_count];
	ear_isa_opcode_init(own, coverage->instructions, opcode, xlen);
	*number = ++coverage->opcode_count;
	*slot_of(coverage, opcode, xlen) = *number;
	return 0;
}

int ear_isa_find_opcode(
	struct ear_isa_coverage *coverage, uint32_t opcode, uint8_t xlen, uint32_t *number)
{
	uint32_t *recent =
		&coverage->recent[(opcode ^ opcode >> 12 ^ opcode >> 20) & (EAR_ISA_RECENT - 1)];
	int result = 0;

	*number = *recent;
	if (*number && coverage->opcodes[*number - 1].opcode == opcode &&
		coverage->opcodes[*number - 1].xlen == xlen)
		return 0;
	*number = coverage->opcode_count > 0 ? *slot_of(coverage, opcode, xlen) : 0;
	if (*number == 0 && coverage->opcode_count < EAR_ISA_OPCODES_MAX)
		result = add_opcode(coverage, opcode, xlen, number);
	if (result == 0)
		*recent = *number;
	return result;
}

/* ---- Harts. ---- */

void ear_isa_forget_steps(struct isa_hart *hart)
{
	for (unsigned i = 0; i < EAR_ISA_DISTANCES; i++)
		hart->before[i] = (struct isa_step){0};
	hart->steps_are_cut = true;
}

void ear_isa_forget(struct isa_hart *hart)
{
	ear_isa_forget_steps(hart);
	hart->known = 1; /* x0 */
	hart->open = 0;
	hart->has_privilege = false;
	hart->knows_frm = hart->frm_is_open = false;
	hart->forgotten = true;
}

struct isa_hart *ear_isa_find_hart(struct ear_isa_coverage *coverage, uint16_t number)
{
	if (coverage->hart_count > 0 && coverage->harts[coverage->last_hart].number == number)
		return &coverage->harts[coverage->last_hart];
	for (size_t i = 0; i < coverage->hart_count; i++)
		if (coverage->harts[i].number == number) {
			coverage->last_hart = i;
			return &coverage->harts[i];
		}
	if (coverage->hart_count == EAR_ISA_HARTS)
		return NULL;
	struct isa_hart *harts =
		reallocarray(coverage->harts, coverage->hart_count + 1, sizeof(*harts));
	if (!harts)
		return NULL;
	coverage->harts = harts;
	coverage->last_hart = coverage->hart_count++;
	struct isa_hart *hart = &harts[coverage->last_hart];
	*hart = (struct isa_hart){
		.number = number, .known = 1, .open = ~UINT64_C(1), .frm_is_open = true};
	if (!coverage->is_open || coverage->paused)
		ear_isa_forget(hart);
	return hart;
}

/* ---- What is open. ---- */

static uint32_t *open_slot(const struct ear_isa_coverage *coverage, uint32_t number, uint32_t hart)
{
	const struct ear_numbering *numbering = &coverage->open_numbering;
	uint32_t at = ear_numbering_first(numbering, ear_numbering_hash(number, hart));

	for (; numbering->places[at] != 0; at = ear_numbering_next(numbering, at)) {
		const struct isa_open_count *found =
			&coverage->open_counts[numbering->places[at] - 1];
		if (found->number == number && found->hart == hart)
			break;
	}
	return &numbering->places[at];
}

struct isa_open_count *ear_isa_open_count(
	struct ear_isa_coverage *coverage, uint32_t number, uint32_t hart)
{
	uint32_t *slot = coverage->open_count > 0 ? open_slot(coverage, number, hart) : NULL;
	bool again;

	if (slot && *slot)
		return &coverage->open_counts[*slot - 1];
	struct isa_open_count *counts = ear_numbering_grow(&coverage->open_numbering,
		coverage->open_counts, sizeof(*counts), coverage->open_count, &again);
	if (!counts)
		return NULL;
	coverage->open_counts = counts;
	for (uint32_t i = 0; again && i < coverage->open_count; i++)
		*open_slot(coverage, counts[i].number, counts[i].hart) = i + 1;
	*open_slot(coverage, number, hart) = coverage->open_count + 1;
	counts[coverage->open_count] = (struct isa_open_count){.number = number, .hart = hart};
	return &counts[coverage->open_count++];
}
