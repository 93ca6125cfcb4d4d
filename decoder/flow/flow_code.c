/* The table of a program's instructions.
 *
 * Ranges may overlap: a loader and what it loads. All their ends, in order, cut the
 * addresses into intervals that each range has whole or not at all; of each interval the last range
 * that has it is taken. Intervals that touch become one range, since an instruction may begin in
 * one section and end in the next. Then each half-word is decoded as if an instruction began there:
 * which ones do begin is known only when the trace is walked.
 */
#include "decoder/flow/flow_code.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

struct added {
	uint64_t address, size;
	uint8_t *bytes;
};

struct ear_flow_code {
	struct added *added; /* until it is finished */
	size_t added_count, added_capacity;
	uint64_t size;                 /* of all bytes added */
	unsigned xlen;                 /* 0: not finished yet */
	struct ear_flow_range *ranges; /* by address */
	size_t count, capacity;
	struct ear_flow_instruction *instructions; /* of all ranges */
};

int ear_flow_code_new(struct ear_flow_code **code)
{
	*code = calloc(1, sizeof(**code));
	return *code ? 0 : EAR_E_NO_MEMORY;
}

int ear_flow_code_add(
	struct ear_flow_code *code, uint64_t address, const uint8_t *bytes, uint64_t size)
{
	assert(code->xlen == 0);
	if (size == 0)
		return 0;
	if (size - 1 > UINT64_MAX - 1 - address)
		return EAR_E_BAD_ARGUMENT;
	if (size > EAR_FLOW_CODE_MAX - code->size || code->added_count == EAR_FLOW_RANGES_MAX)
		return EAR_E_FULL;
	if (!EAR_ARRAY_RESERVE(code->added, &code->added_capacity, code->added_count + 1))
		return EAR_E_NO_MEMORY;
	uint8_t *copy = malloc((size_t)size);
	if (!copy)
		return EAR_E_NO_MEMORY;
	memcpy(copy, bytes, (size_t)size);
	code->added[code->added_count++] = (struct added){address, size, copy};
	code->size += size;
	return 0;
}

bool ear_flow_code_is_empty(const struct ear_flow_code *code)
{
	return code->size == 0;
}

/* --- Ranges --- */

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* The byte at address of what was added last there, or NULL. */
static const uint8_t *find_added(const struct ear_flow_code *code, uint64_t address)
{
	for (size_t i = code->added_count; i-- > 0;)
		if (address - code->added[i].address < code->added[i].size)
			return &code->added[i].bytes[address - code->added[i].address];
	return NULL;
}

/* Put the intervals between the ends after each other into bytes, and make ranges of them.
 * Instructions begin at even addresses: an odd first or last byte is none's. */
static int join(struct ear_flow_code *code, const uint64_t *ends, size_t end_count, uint8_t *bytes)
{
	struct ear_flow_range *last = NULL;

	for (size_t i = 0; i + 1 < end_count; i++) {
		const uint8_t *from = find_added(code, ends[i]);
		uint64_t address = ends[i], size = ends[i + 1] - ends[i];

		if (!from || size == 0)
			continue;
		if (!last || last->address + last->size != address) {
			if (!EAR_ARRAY_RESERVE(code->ranges, &code->capacity, code->count + 1))
				return EAR_E_NO_MEMORY;
			last = &code->ranges[code->count++];
			*last = (struct ear_flow_range){.address = address};
			if (address & 1) {
				last->address++;
				from++;
				size--;
			}
		}
		memcpy(bytes, from, (size_t)size);
		bytes += size;
		last->size += size;
	}
	return 0;
}

/* --- Instructions --- */

static bool is_link(unsigned number)
{
	return number == 1 || number == 5;
}

static uint8_t find_register(const struct ear_inst *inst, unsigned access)
{
	for (unsigned i = 0; i < inst->operand_count; i++)
		if (inst->operands[i].kind == EAR_OPERAND_X && inst->operands[i].access & access)
			return (uint8_t)inst->operands[i].value;
	return 0;
}

static void set_links(struct ear_flow_instruction *to, bool indirect)
{
	bool pops = indirect && is_link(to->rs1) && to->rs1 != to->rd;

	if (is_link(to->rd))
		to->link |= EAR_FLOW_CALL;
	if (pops)
		to->link |= EAR_FLOW_RETURN;
	if (to->rd == 1)
		to->link |= EAR_FLOW_CALL_X1;
	if (indirect && to->rs1 == 1 && to->rd == 0)
		to->link |= EAR_FLOW_RETURN_X1;
}

static void set_jump(struct ear_flow_instruction *to, const struct ear_inst *inst)
{
	bool indirect = inst->flags & EAR_INST_INDIRECT;

	to->kind = EAR_FLOW_JUMP;
	to->offset = (int32_t)inst->imm;
	if (inst->flags & EAR_INST_POPS) { /* cm.popret: a return through ra, which it loads */
		to->kind = EAR_FLOW_INDIRECT;
		to->offset = 0;
		to->rs1 = 1;
		set_links(to, true);
		return;
	}
	to->rd = find_register(inst, EAR_OPERAND_WRITE);
	to->rs1 = indirect ? find_register(inst, EAR_OPERAND_READ) : 0;
	if (indirect && (to->rs1 || inst->id != EAR_INST_JALR))
		to->kind = EAR_FLOW_INDIRECT;
	else if (indirect)
		to->link = EAR_FLOW_ABSOLUTE;
	set_links(to, to->kind == EAR_FLOW_INDIRECT);
}

static void set_upper(struct ear_flow_instruction *to, const struct ear_inst *inst)
{
	to->kind = EAR_FLOW_UPPER;
	to->rd = find_register(inst, EAR_OPERAND_WRITE);
	to->offset = (int32_t)inst->imm;
	if (inst->id != EAR_INST_AUIPC)
		to->link = EAR_FLOW_ABSOLUTE;
}

static enum ear_flow_kind kind_of_system(const struct ear_inst *inst)
{
	switch (inst->opcode) {
	case EAR_OPCODE_MRET:
	case EAR_OPCODE_SRET:
	case EAR_OPCODE_URET:
	case EAR_OPCODE_DRET:
	case EAR_OPCODE_MNRET: return EAR_FLOW_TRAP_RETURN;
	case EAR_OPCODE_ECALL:
	case EAR_OPCODE_EBREAK:
	case EAR_OPCODE_C_EBREAK:
	case 0: return EAR_FLOW_TRAPS;
	default: return EAR_FLOW_OTHER;
	}
}

/* What is no instruction of the table may be one of an extension that only the core knows. */
void ear_flow_instruction_decode(struct ear_flow_instruction *to, uint32_t opcode, unsigned xlen)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, opcode, xlen);
	*to = (struct ear_flow_instruction){
		.opcode = inst.opcode, .size = inst.size, .bits_size = inst.size};
	if (inst.kind == EAR_KIND_BRANCH) {
		to->kind = EAR_FLOW_BRANCH;
		to->offset = (int32_t)inst.imm;
	} else if (inst.kind == EAR_KIND_JUMP) {
		set_jump(to, &inst);
	} else if (inst.id == EAR_INST_LUI || inst.id == EAR_INST_C_LUI ||
		   inst.id == EAR_INST_AUIPC) {
		set_upper(to, &inst);
	} else if (inst.kind == EAR_KIND_SYSTEM || inst.kind == EAR_KIND_ILLEGAL) {
		to->kind = (uint8_t)kind_of_system(&inst);
	}
}

/* Bits 4:0 all ones announce an opcode of more than 4 bytes, which no instruction has yet. */
static bool is_longer(uint32_t halfword)
{
	return (halfword & 0x1F) == 0x1F;
}

static void decode_range(
	struct ear_flow_instruction *to, const uint8_t *bytes, uint64_t size, unsigned xlen)
{
	for (uint64_t at = 0; at < size; at += 2, to++) {
		uint32_t opcode = (uint32_t)(bytes[at] | bytes[at + 1] << 8);
		bool whole = ear_opcode_is_compressed(opcode);

		if (!whole && at + 4 <= size) {
			opcode |= (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24;
			whole = true;
		}
		*to = (struct ear_flow_instruction){.opcode = opcode, .bits_size = whole ? 4 : 0};
		if (whole && !is_longer(opcode))
			ear_flow_instruction_decode(to, opcode, xlen);
	}
}

/* From the end on, each straight piece is one instruction longer than the one after it. */
static void measure(struct ear_flow_instruction *instructions, uint64_t count)
{
	for (uint64_t i = count; i-- > 0;) {
		struct ear_flow_instruction *here = &instructions[i];
		unsigned own = here->size / 2, more;

		if (own == 0 || here->kind > EAR_FLOW_UPPER)
			continue;
		more = i + own < count ? here[own].straight : 0;
		here->straight = (uint16_t)(own + more <= UINT16_MAX ? own + more : own);
	}
}

static int make_table(struct ear_flow_code *code, uint64_t *ends, uint8_t *bytes, unsigned xlen)
{
	size_t end_count = 0;

	for (size_t i = 0; i < code->added_count; i++) {
		ends[end_count++] = code->added[i].address;
		ends[end_count++] = code->added[i].address + code->added[i].size;
	}
	qsort(ends, end_count, sizeof(*ends), compare_addresses);
	if (join(code, ends, end_count, bytes))
		return EAR_E_NO_MEMORY;
	struct ear_flow_instruction *to = code->instructions;
	for (size_t i = 0; i < code->count; i++) {
		struct ear_flow_range *range = &code->ranges[i];
		uint64_t size = range->size;
		range->size &= ~UINT64_C(1);
		range->instructions = to;
		decode_range(to, bytes, range->size, xlen);
		measure(to, range->size / 2);
		to += range->size / 2;
		bytes += size;
	}
	return 0;
}

static void drop_added(struct ear_flow_code *code)
{
	for (size_t i = 0; i < code->added_count; i++)
		free(code->added[i].bytes);
	free(code->added);
	code->added = NULL;
	code->added_count = 0;
}

int ear_flow_code_finish(struct ear_flow_code *code, unsigned xlen)
{
	int result = EAR_E_NO_MEMORY;

	assert(code->xlen == 0);
	uint64_t *ends = calloc(2 * code->added_count + 1, sizeof(*ends));
	uint8_t *bytes = malloc((size_t)code->size + 1);
	code->instructions = calloc((size_t)code->size / 2 + 1, sizeof(*code->instructions));
	if (ends && bytes && code->instructions)
		result = make_table(code, ends, bytes, xlen);
	free(ends);
	free(bytes);
	drop_added(code);
	code->xlen = xlen;
	return result;
}

uint64_t ear_flow_code_size(const struct ear_flow_code *code)
{
	return code->size;
}

unsigned ear_flow_code_xlen(const struct ear_flow_code *code)
{
	return code->xlen;
}

bool ear_flow_code_find(const struct ear_flow_code *code, struct ear_flow_range *range, uint64_t pc)
{
	size_t low = 0, high = code ? code->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ear_flow_range *found = &code->ranges[middle];
		if (pc - found->address < found->size) {
			*range = *found;
			return true;
		}
		if (pc < found->address)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

uint64_t ear_flow_code_hash(const struct ear_flow_code *code)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct ear_flow_range *range = &code->ranges[i];
		hash = ear_hash_add(hash, range->address);
		for (uint64_t at = 0; at < range->size / 2; at++)
			hash = ear_hash_add(hash, range->instructions[at].opcode);
	}
	return hash;
}

void ear_flow_code_free(struct ear_flow_code *code)
{
	if (!code)
		return;
	drop_added(code);
	free(code->ranges);
	free(code->instructions);
	free(code);
}
