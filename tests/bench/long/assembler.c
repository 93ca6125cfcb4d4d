/* RISC-V instructions, one function each. Jumps to labels are filled in at the end, so every label
 * can be used before it is placed; no jump is ever compressed, so no size depends on a distance.
 */
#include "assembler.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define UNPLACED SIZE_MAX

void as_init(struct assembler *as, unsigned xlen, uint64_t base)
{
	memset(as, 0, sizeof(*as));
	as->xlen = xlen;
	as->base = base;
}

unsigned as_label(struct assembler *as)
{
	assert(as->label_count < AS_LABELS_MAX);
	as->labels[as->label_count] = UNPLACED;
	return as->label_count++;
}

void as_here(struct assembler *as, unsigned label)
{
	assert(label < as->label_count && as->labels[label] == UNPLACED);
	as->labels[label] = as->size;
}

static struct as_symbol *add_symbol(struct assembler *as, const char *name)
{
	assert(as->symbol_count < AS_SYMBOLS_MAX);
	struct as_symbol *symbol = &as->symbols[as->symbol_count++];
	snprintf(symbol->name, sizeof(symbol->name), "%s", name);
	return symbol;
}

/* The function that was begun last ends here. */
static void end_function(struct assembler *as)
{
	for (unsigned i = as->symbol_count; i-- > 0;) {
		struct as_symbol *symbol = &as->symbols[i];
		if (!symbol->function)
			continue;
		if (symbol->size == 0)
			symbol->size = as->base + as->size - symbol->address;
		return;
	}
}

void as_function(struct assembler *as, unsigned label, const char *name)
{
	end_function(as);
	as_here(as, label);
	struct as_symbol *symbol = add_symbol(as, name);
	symbol->address = as->base + as->size;
	symbol->function = true;
}

void as_object(struct assembler *as, const char *name, uint64_t address, uint64_t size)
{
	struct as_symbol *symbol = add_symbol(as, name);

	symbol->address = address;
	symbol->size = size;
}

uint64_t as_address_of(const struct assembler *as, unsigned label)
{
	assert(label < as->label_count && as->labels[label] != UNPLACED);
	return as->base + as->labels[label];
}

static void put_half(struct assembler *as, uint32_t half)
{
	assert(as->size + 2 <= AS_CODE_MAX);
	as->code[as->size++] = (uint8_t)half;
	as->code[as->size++] = (uint8_t)(half >> 8);
}

static void put_word(struct assembler *as, uint32_t word)
{
	put_half(as, word & 0xFFFF);
	put_half(as, word >> 16);
}

static void put_i(struct assembler *as, uint32_t opcode, unsigned funct3, unsigned rd, unsigned rs1,
	int immediate)
{
	assert(immediate >= -2048 && immediate < 2048);
	put_word(as, opcode | (uint32_t)rd << 7 | (uint32_t)funct3 << 12 | (uint32_t)rs1 << 15 |
			     (uint32_t)immediate << 20);
}

static void put_s(struct assembler *as, unsigned funct3, unsigned rs2, int offset, unsigned rs1)
{
	assert(offset >= -2048 && offset < 2048);
	uint32_t bits = (uint32_t)offset;
	put_word(as, 0x23 | (bits & 31) << 7 | (uint32_t)funct3 << 12 | (uint32_t)rs1 << 15 |
			     (uint32_t)rs2 << 20 | (bits >> 5 & 127) << 25);
}

static uint32_t branch_offset(int64_t offset)
{
	assert(offset >= -4096 && offset < 4096);
	uint32_t bits = (uint32_t)offset;
	return (bits >> 11 & 1) << 7 | (bits >> 1 & 15) << 8 | (bits >> 5 & 63) << 25 |
	       (bits >> 12 & 1) << 31;
}

static uint32_t jump_offset(int64_t offset)
{
	assert(offset >= -(1 << 20) && offset < 1 << 20);
	uint32_t bits = (uint32_t)offset;
	return (bits >> 12 & 255) << 12 | (bits >> 11 & 1) << 20 | (bits >> 1 & 1023) << 21 |
	       (bits >> 20 & 1) << 31;
}

static void add_fixup(struct assembler *as, unsigned label)
{
	assert(as->fixup_count < AS_FIXUPS_MAX);
	as->fixups[as->fixup_count++] = (struct as_fixup){as->size, label};
}

void as_finish(struct assembler *as)
{
	end_function(as);
	for (unsigned i = 0; i < as->fixup_count; i++) {
		size_t at = as->fixups[i].at, target = as->labels[as->fixups[i].label];
		int64_t offset = (int64_t)target - (int64_t)at;
		uint32_t word;

		assert(target != UNPLACED);
		memcpy(&word, as->code + at, sizeof(word));
		word |= (word & 127) == 0x63 ? branch_offset(offset) : jump_offset(offset);
		memcpy(as->code + at, &word, sizeof(word));
	}
}

void as_op(struct assembler *as, enum as_operation op, unsigned rd, unsigned rs1, unsigned rs2)
{
	if (op == AS_ADD && rd == rs1 && rd != ZERO && rs2 != ZERO)
		put_half(as, 0x9002 | rd << 7 | rs2 << 2); /* c.add */
	else
		put_word(as, 0x33 | (uint32_t)rd << 7 | ((uint32_t)op & 7) << 12 |
				     (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20 |
				     (uint32_t)op >> 8 << 25);
}

void as_addi(struct assembler *as, unsigned rd, unsigned rs1, int immediate)
{
	uint32_t bits = (uint32_t)immediate;

	if (rd == rs1 && rd != ZERO && immediate >= -32 && immediate < 32 && immediate != 0)
		put_half(as, 0x0001 | rd << 7 | (bits & 31) << 2 | (bits >> 5 & 1) << 12);
	else
		put_i(as, 0x13, 0, rd, rs1, immediate);
}

void as_andi(struct assembler *as, unsigned rd, unsigned rs1, int immediate)
{
	put_i(as, 0x13, 7, rd, rs1, immediate);
}

void as_slli(struct assembler *as, unsigned rd, unsigned rs1, unsigned shift)
{
	put_i(as, 0x13, 1, rd, rs1, (int)shift);
}

void as_srli(struct assembler *as, unsigned rd, unsigned rs1, unsigned shift)
{
	put_i(as, 0x13, 5, rd, rs1, (int)shift);
}

void as_mv(struct assembler *as, unsigned rd, unsigned rs2)
{
	put_half(as, 0x8002 | rd << 7 | rs2 << 2);
}

void as_lui(struct assembler *as, unsigned rd, uint32_t upper)
{
	put_word(as, 0x37 | (uint32_t)rd << 7 | upper << 12);
}

void as_li(struct assembler *as, unsigned rd, int32_t value)
{
	int32_t low = (int32_t)((uint32_t)value << 20) >> 20;

	if (low == value) {
		put_i(as, 0x13, 0, rd, ZERO, value);
		return;
	}
	as_lui(as, rd, ((uint32_t)value - (uint32_t)low) >> 12);
	if (low != 0)
		put_i(as, as->xlen == 64 ? 0x1B : 0x13, 0, rd, rd, low);
}

/* auipc and addi, relative to the pc. */
void as_la(struct assembler *as, unsigned rd, uint64_t address)
{
	int64_t offset = (int64_t)(address - (as->base + as->size));
	int32_t low = (int32_t)((uint32_t)offset << 20) >> 20;

	assert(offset >= -0x7FFFF800LL && offset < 0x7FFFF800LL);
	put_word(as, 0x17 | (uint32_t)rd << 7 | (((uint32_t)offset - (uint32_t)low) & 0xFFFFF000));
	put_i(as, 0x13, 0, rd, rd, low);
}

void as_load(struct assembler *as, unsigned rd, int offset, unsigned rs1)
{
	put_i(as, 0x03, as->xlen == 64 ? 3 : 2, rd, rs1, offset);
}

void as_store(struct assembler *as, unsigned rs2, int offset, unsigned rs1)
{
	put_s(as, as->xlen == 64 ? 3 : 2, rs2, offset, rs1);
}

void as_lw(struct assembler *as, unsigned rd, int offset, unsigned rs1)
{
	put_i(as, 0x03, 2, rd, rs1, offset);
}

void as_sw(struct assembler *as, unsigned rs2, int offset, unsigned rs1)
{
	put_s(as, 2, rs2, offset, rs1);
}

void as_lbu(struct assembler *as, unsigned rd, int offset, unsigned rs1)
{
	put_i(as, 0x03, 4, rd, rs1, offset);
}

void as_branch(struct assembler *as, enum as_condition condition, unsigned rs1, unsigned rs2,
	unsigned label)
{
	add_fixup(as, label);
	put_word(as, 0x63 | (uint32_t)condition << 12 | (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20);
}

void as_jump(struct assembler *as, unsigned label)
{
	add_fixup(as, label);
	put_word(as, 0x6F);
}

void as_call(struct assembler *as, unsigned label)
{
	add_fixup(as, label);
	put_word(as, 0x6F | (uint32_t)RA << 7);
}

void as_jump_register(struct assembler *as, unsigned rs1)
{
	put_half(as, 0x8002 | rs1 << 7);
}

void as_call_register(struct assembler *as, unsigned rs1)
{
	put_half(as, 0x9002 | rs1 << 7);
}

void as_return(struct assembler *as)
{
	as_jump_register(as, RA);
}

void as_csr_read(struct assembler *as, unsigned rd, unsigned csr)
{
	put_word(as, 0x73 | 2u << 12 | (uint32_t)rd << 7 | (uint32_t)csr << 20);
}

void as_csr_write(struct assembler *as, unsigned csr, unsigned rs1)
{
	put_word(as, 0x73 | 1u << 12 | (uint32_t)rs1 << 15 | (uint32_t)csr << 20);
}

void as_csr_set(struct assembler *as, unsigned csr, unsigned bits)
{
	assert(bits < 32);
	put_word(as, 0x73 | 6u << 12 | (uint32_t)bits << 15 | (uint32_t)csr << 20);
}

void as_ecall(struct assembler *as)
{
	put_word(as, 0x73);
}

void as_mret(struct assembler *as)
{
	put_word(as, 0x30200073);
}
