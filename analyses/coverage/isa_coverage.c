/* Records by their kind; what is counted of an instruction is in isa_counting.c, and what a part
 * leaves open is joined in isa_coverage_join.c.
 */
#include "analyses/coverage/isa_coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/coverage/isa_counting.h"

static void free_count(void *count)
{
	struct ear_isa_coverage *coverage = count;

	if (!coverage)
		return;
	free(coverage->opcodes);
	free(coverage->harts);
	free(coverage->open_counts);
	ear_numbering_fini(&coverage->numbering);
	ear_numbering_fini(&coverage->open_numbering);
	ear_instructions_free(coverage->own);
	free(coverage);
}

/* A part decodes with what is its own, and is open. */
static int create(void **count, const struct ear_analysis_setup *setup)
{
	const struct ear_isa_coverage_options *options = setup->options;
	struct ear_isa_coverage *coverage = calloc(1, sizeof(*coverage));
	int result = 0;

	if (!coverage)
		return EAR_E_NO_MEMORY;
	coverage->sums.has_traps = options->shows_traps;
	coverage->sums.has_interrupts = options->shows_interrupts;
	coverage->march = options->march;
	coverage->instructions = options->instructions;
	if (setup->part) {
		result = ear_instructions_new(&coverage->own, options->march, NULL);
		coverage->instructions = coverage->own;
		coverage->is_open = true;
	}
	if (result)
		free_count(coverage);
	else
		*count = coverage;
	return result;
}

/* --march, a long one by its hash. */
static void describe(const void *count, char text[EAR_PART_WORD_MAX])
{
	const struct ear_isa_coverage *coverage = count;
	const char *march = coverage->march ? coverage->march : "-";

	if (strlen(march) < EAR_PART_WORD_MAX && !strpbrk(march, "\r\n"))
		snprintf(text, EAR_PART_WORD_MAX, "%s", march);
	else
		snprintf(text, EAR_PART_WORD_MAX, "march-%016" PRIx64, ear_part_hash(march));
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

static int count_record(struct ear_isa_coverage *coverage, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_GAP) {
		coverage->sums.gaps++;
		ear_isa_coverage_pause(coverage);
	} else if (record->kind == EAR_RECORD_REGISTERS) {
		ear_isa_coverage_pause(coverage); /* a debugger wrote them */
	} else if (record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV) {
		return count_instruction(coverage, record);
	}
	return 0;
}

/* ---- Tasks. ---- */

static bool is_instruction(const struct ear_batch *batch)
{
	return batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;
}

static void set_task(void *count, uint32_t task, bool wanted)
{
	struct ear_isa_coverage *coverage = count;

	(void)task;
	coverage->unwanted = !wanted;
}

static int take_before(void *count, const struct ear_batch *batch)
{
	struct ear_isa_coverage *coverage = count;

	if (batch && is_instruction(batch))
		coverage->skipped = coverage->unwanted;
	return 0;
}

/* Is the batch one of another task? What such a one left in registers is not followed. */
static bool skips(struct ear_isa_coverage *coverage, const struct ear_batch *batch)
{
	if (!is_instruction(batch))
		return false;
	if (coverage->skipped && !coverage->unwanted)
		ear_isa_coverage_pause(coverage);
	coverage->skipped = coverage->unwanted;
	return coverage->skipped;
}

static int take_batch(void *count, const struct ear_batch *batch)
{
	struct ear_isa_coverage *coverage = count;
	int result = 0;

	if (skips(coverage, batch))
		return 0;
	for (size_t i = 0; i < batch->count && result == 0; i++)
		result = count_record(coverage, ear_batch_record(batch, i));
	return result;
}

const struct ear_analysis ear_isa_coverage_analysis = {
	.name = "coverage --isa",
	.unknown_line = "it is none of a coverage of the instruction set",
	.describe = describe,
	.create = create,
	.free = free_count,
	.task = set_task,
	.before = take_before,
	.batch = take_batch,
	.join = ear_isa_join,
	.walk = ear_isa_walk_part,
};

/* ---- Results. ---- */

size_t ear_isa_coverage_count(const struct ear_isa_coverage *coverage)
{
	return coverage->opcode_count;
}

const struct ear_isa_opcode *ear_isa_coverage_opcode(
	const struct ear_isa_coverage *coverage, size_t number)
{
	return &coverage->opcodes[number];
}

const struct ear_isa_sums *ear_isa_coverage_sums(const struct ear_isa_coverage *coverage)
{
	return &coverage->sums;
}
