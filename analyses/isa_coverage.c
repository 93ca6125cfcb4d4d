/* Opcode words are found by a hash of them; the ones that were met lately are looked at first. Of
 * each hart the last three instructions and the values of its x registers are kept.
 */
#include "analyses/isa_coverage.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/numbering.h"

#define RECENT    4096u /* a power of two */
#define HARTS_MAX 1024u
#define DISTANCES 3

/* Some of what an earlier instruction wrote. */
struct written {
	uint8_t rd; /* EAR_ISA_NO_REGISTER: nothing */
	bool is_load;
};

struct hart {
	uint16_t number;
	struct written before[DISTANCES]; /* the last one first */
	uint32_t known;                   /* x registers whose value is */
	uint64_t x[32];
	bool has_privilege;
	uint8_t privilege; /* of its last record */
};

struct ear_isa_coverage {
	const struct ear_instructions *instructions;
	struct ear_isa_opcode *opcodes;
	uint32_t opcode_count;
	struct ear_numbering numbering;
	uint32_t recent[RECENT]; /* numbers + 1, by a hash of the word; 0: none */
	struct hart *harts;
	size_t hart_count, last_hart;
	struct ear_isa_sums sums;
};

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
	ear_numbering_fini(&coverage->numbering);
	free(coverage);
}

/* ---- Opcodes. ---- */

struct ear_isa_operands ear_isa_operands_of(const struct ear_instruction *instruction)
{
	struct ear_isa_operands own = {
		EAR_ISA_NO_REGISTER, EAR_ISA_NO_REGISTER, EAR_ISA_NO_REGISTER};
	unsigned reads = 0;

	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const struct ear_instruction_operand *operand = &instruction->operands[i];
		if (operand->is_immediate || (operand->reg_class != EAR_REGISTER_X &&
						     operand->reg_class != EAR_REGISTER_F))
			continue;
		const uint8_t number = (uint8_t)((operand->number & 31) +
						 (operand->reg_class == EAR_REGISTER_F ? 32 : 0));
		if (operand->access & EAR_OPERAND_IS_WRITTEN && own.rd == EAR_ISA_NO_REGISTER)
			own.rd = number;
		if (!(operand->access & EAR_OPERAND_IS_READ))
			continue;
		if (reads == 0)
			own.rs1 = number;
		else if (reads == 1)
			own.rs2 = number;
		reads++;
	}
	/* The register that is stored comes first. */
	if (instruction->instruction_class == EAR_CLASS_STORE && reads >= 2) {
		const uint8_t stored = own.rs1;
		own.rs1 = own.rs2;
		own.rs2 = stored;
	}
	return own;
}

static uint32_t *place_of(const struct ear_isa_coverage *coverage, uint32_t opcode, uint8_t xlen)
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
		*place_of(coverage, opcodes[i].opcode, opcodes[i].xlen) = i + 1;
	struct ear_isa_opcode *own = &opcodes[coverage->opcode_count];
	*own = (struct ear_isa_opcode){
		.opcode = opcode, .xlen = xlen, .instruction = {.size = sizeof(own->instruction)}};
	if (ear_instruction_decode(coverage->instructions, &own->instruction, opcode, xlen) != 0)
		own->instruction.instruction_class = EAR_CLASS_ILLEGAL;
	own->operands = ear_isa_operands_of(&own->instruction);
	*number = ++coverage->opcode_count;
	*place_of(coverage, opcode, xlen) = *number;
	return 0;
}

/* *number: of the opcode, from 1; 0: there is no room for it. Returns 0 or EAR_E_NO_MEMORY. */
static int find_opcode(
	struct ear_isa_coverage *coverage, uint32_t opcode, uint8_t xlen, uint32_t *number)
{
	uint32_t *recent = &coverage->recent[(opcode ^ opcode >> 12 ^ opcode >> 20) & (RECENT - 1)];
	int result = 0;

	*number = *recent;
	if (*number && coverage->opcodes[*number - 1].opcode == opcode &&
		coverage->opcodes[*number - 1].xlen == xlen)
		return 0;
	*number = coverage->opcode_count > 0 ? *place_of(coverage, opcode, xlen) : 0;
	if (*number == 0 && coverage->opcode_count < EAR_ISA_OPCODES_MAX)
		result = add_opcode(coverage, opcode, xlen, number);
	if (result == 0)
		*recent = *number;
	return result;
}

/* ---- Harts. ---- */

static void forget_before(struct hart *hart)
{
	for (unsigned i = 0; i < DISTANCES; i++)
		hart->before[i].rd = EAR_ISA_NO_REGISTER;
}

static void forget(struct hart *hart)
{
	forget_before(hart);
	hart->known = 1; /* x0 */
	hart->has_privilege = false;
}

/* NULL if memory is short, or there are too many. */
static struct hart *find_hart(struct ear_isa_coverage *coverage, uint16_t number)
{
	if (coverage->hart_count > 0 && coverage->harts[coverage->last_hart].number == number)
		return &coverage->harts[coverage->last_hart];
	for (size_t i = 0; i < coverage->hart_count; i++)
		if (coverage->harts[i].number == number) {
			coverage->last_hart = i;
			return &coverage->harts[i];
		}
	if (coverage->hart_count == HARTS_MAX)
		return NULL;
	struct hart *harts =
		reallocarray(coverage->harts, coverage->hart_count + 1, sizeof(*harts));
	if (!harts)
		return NULL;
	coverage->harts = harts;
	coverage->last_hart = coverage->hart_count++;
	struct hart *hart = &harts[coverage->last_hart];
	*hart = (struct hart){.number = number};
	forget(hart);
	return hart;
}

void ear_isa_coverage_pause(struct ear_isa_coverage *coverage)
{
	for (size_t i = 0; i < coverage->hart_count; i++)
		forget(&coverage->harts[i]);
}

/* ---- Counting. ---- */

static unsigned value_of(uint64_t value, unsigned xlen)
{
	const int64_t own = xlen == 32 ? (int32_t)(uint32_t)value : (int64_t)value;

	if (own == 0)
		return EAR_ISA_ZERO;
	if (own == 1)
		return EAR_ISA_ONE;
	if (own == -1)
		return EAR_ISA_MINUS_ONE;
	if (own == (xlen == 32 ? INT32_MIN : INT64_MIN))
		return EAR_ISA_MIN;
	if (own == (xlen == 32 ? INT32_MAX : INT64_MAX))
		return EAR_ISA_MAX;
	return own > 0 ? EAR_ISA_POSITIVE : EAR_ISA_NEGATIVE;
}

static void count_value(
	struct ear_isa_opcode *opcode, const struct hart *hart, unsigned operand, uint8_t reg)
{
	if (reg < 32 && hart->known >> reg & 1)
		opcode->bins[EAR_ISA_VALUES + 7 * operand + value_of(hart->x[reg], opcode->xlen)]++;
}

/* The nearest earlier instruction that wrote reg. Returns its distance, from 1; 0: none. */
static unsigned writer_of(const struct hart *hart, uint8_t reg)
{
	if (reg == EAR_ISA_NO_REGISTER || reg == 0)
		return 0;
	for (unsigned i = 0; i < DISTANCES; i++)
		if (hart->before[i].rd == reg)
			return i + 1;
	return 0;
}

static void count_hazards(struct ear_isa_opcode *opcode, struct hart *hart)
{
	const struct ear_isa_operands *operands = &opcode->operands;
	const unsigned first = writer_of(hart, operands->rs1);
	const unsigned second = operands->rs2 != operands->rs1 ? writer_of(hart, operands->rs2) : 0;
	const unsigned same = writer_of(hart, operands->rd);

	for (unsigned distance = 1; distance <= DISTANCES; distance++) {
		if (first != distance && second != distance)
			continue;
		opcode->bins[EAR_ISA_RAW + distance - 1]++;
		if (hart->before[distance - 1].is_load)
			opcode->bins[EAR_ISA_LOAD_USE + distance - 1]++;
	}
	if (same > 0)
		opcode->bins[EAR_ISA_WAW + same - 1]++;
	memmove(&hart->before[1], &hart->before[0], (DISTANCES - 1) * sizeof(hart->before[0]));
	hart->before[0] = (struct written){
		operands->rd, opcode->instruction.instruction_class == EAR_CLASS_LOAD};
}

static void count_csr(struct ear_isa_sums *sums, const struct ear_isa_opcode *opcode)
{
	/* csrrw with rd x0 does not read, the others do not write with x0 or 0. */
	const uint32_t word = opcode->opcode;
	const unsigned csr = word >> 20;
	const bool swaps = (word >> 12 & 3) == 1;

	sums->csr_reads[csr] += !swaps || (word >> 7 & 31) != 0;
	sums->csr_writes[csr] += swaps || (word >> 15 & 31) != 0;
}

static void count_accesses(struct ear_isa_coverage *coverage, struct ear_isa_opcode *opcode,
	const struct ear_record *record)
{
	const uint8_t size = opcode->instruction.access_size;

	if (record->memory_count == 0)
		return;
	coverage->sums.has_accesses = true;
	if (size < 2 || size > 8 || (size & (size - 1)) != 0)
		return;
	opcode->bins[record->memory[0].address % size == 0 ? EAR_ISA_ALIGNED
							   : EAR_ISA_MISALIGNED]++;
}

static void keep_registers(struct ear_isa_coverage *coverage, struct ear_isa_opcode *opcode,
	struct hart *hart, const struct ear_record *record)
{
	const uint8_t rd = opcode->operands.rd;

	/* What a record does not show of a register that it writes is not known any more. */
	if (rd > 0 && rd < 32)
		hart->known &= ~(UINT32_C(1) << rd);
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_X || reg->number == 0 || reg->number > 31)
			continue;
		hart->x[reg->number] = reg->value;
		hart->known |= UINT32_C(1) << reg->number;
		coverage->sums.has_values = true;
	}
	count_value(opcode, hart, 0, rd);
}

static void count_retired(struct ear_isa_coverage *coverage, struct ear_isa_opcode *opcode,
	struct hart *hart, const struct ear_record *record)
{
	const unsigned what = opcode->instruction.instruction_class;

	opcode->executed++;
	count_value(opcode, hart, 1, opcode->operands.rs1);
	count_value(opcode, hart, 2, opcode->operands.rs2);
	count_hazards(opcode, hart);
	count_accesses(coverage, opcode, record);
	keep_registers(coverage, opcode, hart, record);
	if (what == EAR_CLASS_CSR)
		count_csr(&coverage->sums, opcode);
	if (what != EAR_CLASS_BRANCH || record->flags & EAR_RECORD_NO_NEXT_PC)
		return;
	coverage->sums.has_directions = true;
	opcode->bins[record->flags & EAR_RECORD_TAKEN ? EAR_ISA_TAKEN : EAR_ISA_NOT_TAKEN]++;
}

static void count_privilege(
	struct ear_isa_sums *sums, struct hart *hart, const struct ear_record *record)
{
	const uint8_t privilege = record->privilege & (EAR_ISA_PRIVILEGES - 1);

	if (record->flags & EAR_RECORD_NO_PRIVILEGE)
		return;
	sums->has_privilege = true;
	sums->privileges[privilege]++;
	if (hart->has_privilege && hart->privilege != privilege)
		sums->transitions[hart->privilege][privilege]++;
	hart->has_privilege = true;
	hart->privilege = privilege;
}

static void count_trap(
	struct ear_isa_sums *sums, struct hart *hart, const struct ear_record *record)
{
	const uint64_t cause =
		record->cause & ((UINT64_C(1) << (record->xlen == 32 ? 31 : 63)) - 1);

	forget_before(hart);
	if (record->flags & EAR_RECORD_NO_CAUSE || cause >= EAR_ISA_CAUSES)
		return;
	if (record->flags & EAR_RECORD_INTERRUPT)
		sums->interrupts[cause]++;
	else
		sums->exceptions[cause]++;
}

static int count_instruction(struct ear_isa_coverage *coverage, const struct ear_record *record)
{
	struct ear_isa_sums *sums = &coverage->sums;
	struct hart *hart = find_hart(coverage, record->hart);
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
		forget(hart);
		return 0;
	}
	sums->records++;
	int result = find_opcode(coverage, (uint32_t)record->opcode, record->xlen, &number);
	if (result)
		return result;
	if (number == 0) {
		sums->left_out++;
		forget(hart);
		return 0;
	}
	struct ear_isa_opcode *opcode = &coverage->opcodes[number - 1];
	if (!(record->flags & EAR_RECORD_TRAP)) {
		count_retired(coverage, opcode, hart, record);
		return 0;
	}
	opcode->bins[EAR_ISA_TRAPPED]++;
	/* They do what they are for. */
	opcode->executed += !(record->flags & EAR_RECORD_NO_CAUSE) &&
			    (record->cause == 3 || (record->cause >= 8 && record->cause <= 11));
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

const struct ear_isa_sums *ear_isa_coverage_sums(const struct ear_isa_coverage *coverage)
{
	return &coverage->sums;
}
