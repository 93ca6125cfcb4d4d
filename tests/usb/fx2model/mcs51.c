/* An interpreter for the 8051. The opcode map is a grid: the low nibble is the addressing mode, the
 * high one the operation. Each group of columns has one switch over the rows, so most operations
 * are written once for all modes. test_mcs51.c compares it with s51, instruction by instruction.
 */
#include "mcs51.h"

#include <string.h>

/* Instruction cycles by opcode: DS80C320 user's guide, which the FX2LP's manual refers to. A taken
 * and an untaken branch cost the same. MOVX costs more when CKCON stretches it.
 */
static const uint8_t opcode_cycles[256] = {
	1, 3, 4, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 00 */
	4, 3, 4, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 10 */
	4, 3, 4, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 20 */
	4, 3, 4, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 30 */
	3, 3, 2, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 40 */
	3, 3, 2, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 50 */
	3, 3, 2, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 60 */
	3, 3, 2, 3, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, /* 70 */
	3, 3, 2, 3, 5, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, /* 80 */
	3, 3, 2, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 90 */
	2, 3, 2, 3, 5, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, /* A0 */
	2, 3, 2, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, /* B0 */
	2, 3, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* C0 */
	2, 3, 2, 1, 1, 4, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, /* D0 */
	2, 3, 2, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* E0 */
	2, 3, 2, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* F0 */
};

static uint8_t *sfr(struct mcs51 *cpu, uint8_t address)
{
	return &cpu->sfr[address - 0x80];
}

#define ACC(cpu) (*sfr(cpu, MCS51_ACC))
#define PSW(cpu) (*sfr(cpu, MCS51_PSW))

static bool is_own(const struct mcs51 *cpu, uint8_t address)
{
	switch (address) {
	case MCS51_SP:
	case MCS51_DPL:
	case MCS51_DPH:
	case MCS51_PSW:
	case MCS51_ACC:
	case MCS51_B: return true;
	case MCS51_DPL1:
	case MCS51_DPH1:
	case MCS51_DPS:
	case MCS51_MPAGE: return cpu->fx2;
	default: return false;
	}
}

static uint8_t read_direct(struct mcs51 *cpu, uint8_t address)
{
	if (address < 0x80)
		return cpu->iram[address];
	if (cpu->hooks->sfr_read && !is_own(cpu, address))
		return cpu->hooks->sfr_read(cpu->context, address);
	return *sfr(cpu, address);
}

/* What an instruction reads that will write back. */
static uint8_t read_latch(struct mcs51 *cpu, uint8_t address)
{
	return address < 0x80 ? cpu->iram[address] : *sfr(cpu, address);
}

static void write_direct(struct mcs51 *cpu, uint8_t address, uint8_t value)
{
	if (address < 0x80) {
		cpu->iram[address] = value;
		return;
	}
	*sfr(cpu, address) = value;
	if (cpu->hooks->sfr_write && !is_own(cpu, address))
		cpu->hooks->sfr_write(cpu->context, address, value);
}

static uint8_t bit_byte(uint8_t bit)
{
	return bit < 0x80 ? (uint8_t)(0x20 + (bit >> 3)) : bit & 0xF8;
}

static bool read_bit(struct mcs51 *cpu, uint8_t bit)
{
	return read_direct(cpu, bit_byte(bit)) >> (bit & 7) & 1;
}

static bool read_bit_latch(struct mcs51 *cpu, uint8_t bit)
{
	return read_latch(cpu, bit_byte(bit)) >> (bit & 7) & 1;
}

static void write_bit(struct mcs51 *cpu, uint8_t bit, bool value)
{
	uint8_t address = bit_byte(bit);
	uint8_t mask = (uint8_t)(1u << (bit & 7));
	uint8_t old = read_latch(cpu, address);

	write_direct(cpu, address, value ? old | mask : old & (uint8_t)~mask);
}

static bool carry(struct mcs51 *cpu)
{
	return PSW(cpu) & MCS51_PSW_CY;
}

static void set_flags(struct mcs51 *cpu, uint8_t mask, uint8_t flags)
{
	PSW(cpu) = (PSW(cpu) & (uint8_t)~mask) | flags;
}

static void set_carry(struct mcs51 *cpu, bool value)
{
	set_flags(cpu, MCS51_PSW_CY, value ? MCS51_PSW_CY : 0);
}

static void push(struct mcs51 *cpu, uint8_t value)
{
	cpu->iram[++*sfr(cpu, MCS51_SP)] = value;
}

static uint8_t pop(struct mcs51 *cpu)
{
	return cpu->iram[(*sfr(cpu, MCS51_SP))--];
}

static void push_pc(struct mcs51 *cpu)
{
	push(cpu, (uint8_t)cpu->pc);
	push(cpu, (uint8_t)(cpu->pc >> 8));
}

static void pop_pc(struct mcs51 *cpu)
{
	uint16_t high = pop(cpu);

	cpu->pc = (uint16_t)(high << 8 | pop(cpu));
}

static bool second_pointer(struct mcs51 *cpu)
{
	return cpu->fx2 && *sfr(cpu, MCS51_DPS) & 1;
}

static uint16_t data_pointer(struct mcs51 *cpu)
{
	bool second = second_pointer(cpu);
	uint8_t low = *sfr(cpu, second ? MCS51_DPL1 : MCS51_DPL);

	return (uint16_t)(*sfr(cpu, second ? MCS51_DPH1 : MCS51_DPH) << 8 | low);
}

static void set_data_pointer(struct mcs51 *cpu, uint16_t value)
{
	bool second = second_pointer(cpu);

	*sfr(cpu, second ? MCS51_DPL1 : MCS51_DPL) = (uint8_t)value;
	*sfr(cpu, second ? MCS51_DPH1 : MCS51_DPH) = (uint8_t)(value >> 8);
}

static uint8_t fetch(struct mcs51 *cpu)
{
	return cpu->code[cpu->pc++];
}

static uint16_t fetch_address(struct mcs51 *cpu)
{
	uint16_t high = fetch(cpu);

	return (uint16_t)(high << 8 | fetch(cpu));
}

/* The distance is the last byte of the instruction. */
static void branch(struct mcs51 *cpu, bool taken)
{
	int8_t distance = (int8_t)fetch(cpu);

	if (taken)
		cpu->pc = (uint16_t)(cpu->pc + distance);
}

static void add(struct mcs51 *cpu, uint8_t operand, bool carry_in)
{
	int sum = ACC(cpu) + operand + carry_in;
	int low = (ACC(cpu) & 15) + (operand & 15) + carry_in;
	int with_sign = (int8_t)ACC(cpu) + (int8_t)operand + carry_in;
	uint8_t flags = 0;

	if (sum > 255)
		flags |= MCS51_PSW_CY;
	if (low > 15)
		flags |= MCS51_PSW_AC;
	if (with_sign > 127 || with_sign < -128)
		flags |= MCS51_PSW_OV;
	set_flags(cpu, MCS51_PSW_CY | MCS51_PSW_AC | MCS51_PSW_OV, flags);
	ACC(cpu) = (uint8_t)sum;
}

static void subtract(struct mcs51 *cpu, uint8_t operand)
{
	bool borrow = carry(cpu);
	int difference = ACC(cpu) - operand - borrow;
	int low = (ACC(cpu) & 15) - (operand & 15) - borrow;
	int with_sign = (int8_t)ACC(cpu) - (int8_t)operand - borrow;
	uint8_t flags = 0;

	if (difference < 0)
		flags |= MCS51_PSW_CY;
	if (low < 0)
		flags |= MCS51_PSW_AC;
	if (with_sign > 127 || with_sign < -128)
		flags |= MCS51_PSW_OV;
	set_flags(cpu, MCS51_PSW_CY | MCS51_PSW_AC | MCS51_PSW_OV, flags);
	ACC(cpu) = (uint8_t)difference;
}

static void multiply(struct mcs51 *cpu)
{
	unsigned product = ACC(cpu) * *sfr(cpu, MCS51_B);

	ACC(cpu) = (uint8_t)product;
	*sfr(cpu, MCS51_B) = (uint8_t)(product >> 8);
	set_flags(cpu, MCS51_PSW_CY | MCS51_PSW_OV, product > 255 ? MCS51_PSW_OV : 0);
}

/* A divisor of 0 sets OV; the manual leaves the results open, and here nothing changes. */
static void divide(struct mcs51 *cpu)
{
	uint8_t divisor = *sfr(cpu, MCS51_B);

	set_flags(cpu, MCS51_PSW_CY | MCS51_PSW_OV, divisor == 0 ? MCS51_PSW_OV : 0);
	if (divisor == 0)
		return;
	*sfr(cpu, MCS51_B) = ACC(cpu) % divisor;
	ACC(cpu) = ACC(cpu) / divisor;
}

/* DA A sets the carry and never clears it. */
static void decimal_adjust(struct mcs51 *cpu)
{
	unsigned value = ACC(cpu);

	if ((value & 15) > 9 || PSW(cpu) & MCS51_PSW_AC)
		value += 6;
	if (value > 255)
		set_carry(cpu, true);
	if ((value & 0x1F0) > 0x90 || carry(cpu))
		value += 0x60;
	if (value > 255)
		set_carry(cpu, true);
	ACC(cpu) = (uint8_t)value;
}

static void exchange(struct mcs51 *cpu, uint8_t *place)
{
	uint8_t value = *place;

	*place = ACC(cpu);
	ACC(cpu) = value;
}

static void exchange_digit(struct mcs51 *cpu, uint8_t *place)
{
	uint8_t value = *place;

	*place = (value & 0xF0) | (ACC(cpu) & 0x0F);
	ACC(cpu) = (ACC(cpu) & 0xF0) | (value & 0x0F);
}

/* Columns 6 to F of the opcode table: @R0, @R1, R0 .. R7. */
static uint8_t *register_place(struct mcs51 *cpu, uint8_t opcode)
{
	uint8_t *bank = &cpu->iram[PSW(cpu) & MCS51_PSW_BANK];

	return opcode & 8 ? &bank[opcode & 7] : &cpu->iram[bank[opcode & 1]];
}

/* The second operand of the arithmetic rows: column 4 #data, 5 direct, then as above. */
static uint8_t source(struct mcs51 *cpu, uint8_t opcode)
{
	uint8_t column = opcode & 15;

	if (column == 4)
		return fetch(cpu);
	if (column == 5)
		return read_direct(cpu, fetch(cpu));
	return *register_place(cpu, opcode);
}

static void compare_and_branch(struct mcs51 *cpu, uint8_t left, uint8_t right)
{
	set_carry(cpu, left < right);
	branch(cpu, left != right);
}

/* Columns 6 to F: the operand is a byte of internal RAM. */
static void step_register(struct mcs51 *cpu, uint8_t opcode)
{
	uint8_t *place = register_place(cpu, opcode);

	switch (opcode >> 4) {
	case 0x0: (*place)++; break;
	case 0x1: (*place)--; break;
	case 0x2: add(cpu, *place, false); break;
	case 0x3: add(cpu, *place, carry(cpu)); break;
	case 0x4: ACC(cpu) |= *place; break;
	case 0x5: ACC(cpu) &= *place; break;
	case 0x6: ACC(cpu) ^= *place; break;
	case 0x7: *place = fetch(cpu); break;
	case 0x8: write_direct(cpu, fetch(cpu), *place); break;
	case 0x9: subtract(cpu, *place); break;
	case 0xA: *place = read_direct(cpu, fetch(cpu)); break;
	case 0xB: compare_and_branch(cpu, *place, fetch(cpu)); break;
	case 0xC: exchange(cpu, place); break;
	case 0xD:
		if (opcode & 8)
			branch(cpu, --*place != 0);
		else
			exchange_digit(cpu, place);
		break;
	case 0xE: ACC(cpu) = *place; break;
	default: *place = ACC(cpu); break;
	}
}

/* Column 4: the accumulator, most with #data. */
static void step_accumulator(struct mcs51 *cpu, uint8_t opcode)
{
	switch (opcode >> 4) {
	case 0x0: ACC(cpu)++; break;
	case 0x1: ACC(cpu)--; break;
	case 0x2: add(cpu, source(cpu, opcode), false); break;
	case 0x3: add(cpu, source(cpu, opcode), carry(cpu)); break;
	case 0x4: ACC(cpu) |= source(cpu, opcode); break;
	case 0x5: ACC(cpu) &= source(cpu, opcode); break;
	case 0x6: ACC(cpu) ^= source(cpu, opcode); break;
	case 0x7: ACC(cpu) = fetch(cpu); break;
	case 0x8: divide(cpu); break;
	case 0x9: subtract(cpu, source(cpu, opcode)); break;
	case 0xA: multiply(cpu); break;
	case 0xB: compare_and_branch(cpu, ACC(cpu), fetch(cpu)); break;
	case 0xC: ACC(cpu) = (uint8_t)(ACC(cpu) << 4 | ACC(cpu) >> 4); break;
	case 0xD: decimal_adjust(cpu); break;
	case 0xE: ACC(cpu) = 0; break;
	default: ACC(cpu) = (uint8_t)~ACC(cpu); break;
	}
}

/* Column 5: a direct address. */
static void step_direct(struct mcs51 *cpu, uint8_t opcode)
{
	uint8_t address, value;

	switch (opcode >> 4) {
	case 0x0:
	case 0x1:
		address = fetch(cpu);
		value = read_latch(cpu, address);
		write_direct(cpu, address, (uint8_t)(opcode & 0x10 ? value - 1 : value + 1));
		break;
	case 0x2: add(cpu, source(cpu, opcode), false); break;
	case 0x3: add(cpu, source(cpu, opcode), carry(cpu)); break;
	case 0x4: ACC(cpu) |= source(cpu, opcode); break;
	case 0x5: ACC(cpu) &= source(cpu, opcode); break;
	case 0x6: ACC(cpu) ^= source(cpu, opcode); break;
	case 0x7:
		address = fetch(cpu);
		write_direct(cpu, address, fetch(cpu));
		break;
	case 0x8: /* MOV: the source comes first in the code */
		value = read_direct(cpu, fetch(cpu));
		write_direct(cpu, fetch(cpu), value);
		break;
	case 0x9: subtract(cpu, source(cpu, opcode)); break;
	case 0xA: break; /* A5, the one opcode without a meaning */
	case 0xB: compare_and_branch(cpu, ACC(cpu), read_direct(cpu, fetch(cpu))); break;
	case 0xC:
		address = fetch(cpu);
		value = read_direct(cpu, address);
		write_direct(cpu, address, ACC(cpu));
		ACC(cpu) = value;
		break;
	case 0xD:
		address = fetch(cpu);
		value = (uint8_t)(read_latch(cpu, address) - 1);
		write_direct(cpu, address, value);
		branch(cpu, value != 0);
		break;
	case 0xE: ACC(cpu) = read_direct(cpu, fetch(cpu)); break;
	default: write_direct(cpu, fetch(cpu), ACC(cpu)); break;
	}
}

/* ORL, ANL, XRL direct,A and direct,#data. */
static void logic_direct(struct mcs51 *cpu, uint8_t opcode)
{
	uint8_t address = fetch(cpu);
	uint8_t operand = (opcode & 15) == 2 ? ACC(cpu) : fetch(cpu);
	uint8_t old = read_latch(cpu, address);

	switch (opcode >> 4) {
	case 4: write_direct(cpu, address, old | operand); break;
	case 5: write_direct(cpu, address, old & operand); break;
	default: write_direct(cpu, address, old ^ operand); break;
	}
}

static uint16_t external_address(struct mcs51 *cpu, uint8_t opcode)
{
	uint8_t page = *sfr(cpu, cpu->fx2 ? MCS51_MPAGE : MCS51_P2);

	if ((opcode & 15) == 0)
		return data_pointer(cpu);
	return (uint16_t)(page << 8 | cpu->iram[(PSW(cpu) & MCS51_PSW_BANK) + (opcode & 1)]);
}

static void move_external(struct mcs51 *cpu, uint8_t opcode)
{
	uint16_t address = external_address(cpu, opcode);

	if (cpu->fx2)
		cpu->cycles += *sfr(cpu, MCS51_CKCON) & 7;
	if (opcode < 0xF0)
		ACC(cpu) = cpu->hooks->xdata_read(cpu->context, address);
	else
		cpu->hooks->xdata_write(cpu->context, address, ACC(cpu));
}

static void rotate_with_carry(struct mcs51 *cpu, bool left)
{
	unsigned value = ACC(cpu);
	bool in = carry(cpu);

	set_carry(cpu, left ? value >> 7 : value & 1);
	ACC(cpu) = (uint8_t)(left ? value << 1 | in : value >> 1 | (unsigned)in << 7);
}

/* Columns 0 to 3, without AJMP and ACALL: jumps and bits. */
static void step_other(struct mcs51 *cpu, uint8_t opcode)
{
	uint16_t address;
	uint8_t bit;

	switch (opcode) {
	case 0x00: break;
	case 0x02: cpu->pc = fetch_address(cpu); break;
	case 0x03: ACC(cpu) = (uint8_t)(ACC(cpu) >> 1 | ACC(cpu) << 7); break;
	case 0x10: /* JBC */
		bit = fetch(cpu);
		if (read_bit_latch(cpu, bit)) {
			write_bit(cpu, bit, false);
			branch(cpu, true);
		} else {
			branch(cpu, false);
		}
		break;
	case 0x12:
		address = fetch_address(cpu);
		push_pc(cpu);
		cpu->pc = address;
		break;
	case 0x13: rotate_with_carry(cpu, false); break;
	case 0x20: branch(cpu, read_bit(cpu, fetch(cpu))); break;
	case 0x22: pop_pc(cpu); break;
	case 0x23: ACC(cpu) = (uint8_t)(ACC(cpu) << 1 | ACC(cpu) >> 7); break;
	case 0x30: branch(cpu, !read_bit(cpu, fetch(cpu))); break;
	case 0x32:
		pop_pc(cpu);
		if (cpu->hooks->return_from_interrupt)
			cpu->hooks->return_from_interrupt(cpu->context);
		break;
	case 0x33: rotate_with_carry(cpu, true); break;
	case 0x40: branch(cpu, carry(cpu)); break;
	case 0x42:
	case 0x43:
	case 0x52:
	case 0x53:
	case 0x62:
	case 0x63: logic_direct(cpu, opcode); break;
	case 0x50: branch(cpu, !carry(cpu)); break;
	case 0x60: branch(cpu, ACC(cpu) == 0); break;
	case 0x70: branch(cpu, ACC(cpu) != 0); break;
	case 0x72: set_carry(cpu, read_bit(cpu, fetch(cpu)) || carry(cpu)); break;
	case 0x73: cpu->pc = (uint16_t)(data_pointer(cpu) + ACC(cpu)); break;
	case 0x80: branch(cpu, true); break;
	case 0x82: set_carry(cpu, read_bit(cpu, fetch(cpu)) && carry(cpu)); break;
	case 0x83: ACC(cpu) = cpu->code[(uint16_t)(cpu->pc + ACC(cpu))]; break;
	case 0x90: set_data_pointer(cpu, fetch_address(cpu)); break;
	case 0x92: write_bit(cpu, fetch(cpu), carry(cpu)); break;
	case 0x93: ACC(cpu) = cpu->code[(uint16_t)(data_pointer(cpu) + ACC(cpu))]; break;
	case 0xA0: set_carry(cpu, !read_bit(cpu, fetch(cpu)) || carry(cpu)); break;
	case 0xA2: set_carry(cpu, read_bit(cpu, fetch(cpu))); break;
	case 0xA3: set_data_pointer(cpu, (uint16_t)(data_pointer(cpu) + 1)); break;
	case 0xB0: set_carry(cpu, !read_bit(cpu, fetch(cpu)) && carry(cpu)); break;
	case 0xB2:
		bit = fetch(cpu);
		write_bit(cpu, bit, !read_bit_latch(cpu, bit));
		break;
	case 0xB3: set_carry(cpu, !carry(cpu)); break;
	case 0xC0: /* the stack pointer moves first: PUSH SP pushes the new one */
		++*sfr(cpu, MCS51_SP);
		cpu->iram[*sfr(cpu, MCS51_SP)] = read_direct(cpu, fetch(cpu));
		break;
	case 0xC2: write_bit(cpu, fetch(cpu), false); break;
	case 0xC3: set_carry(cpu, false); break;
	case 0xD0:
		bit = pop(cpu);
		write_direct(cpu, fetch(cpu), bit);
		break;
	case 0xD2: write_bit(cpu, fetch(cpu), true); break;
	case 0xD3: set_carry(cpu, true); break;
	default: move_external(cpu, opcode); break; /* E0 E2 E3 F0 F2 F3 */
	}
}

/* AJMP and ACALL: 11 bits of the address, the rest from the next instruction's. */
static void jump_in_page(struct mcs51 *cpu, uint8_t opcode)
{
	uint8_t low = fetch(cpu);
	uint16_t target = (uint16_t)((cpu->pc & 0xF800) | (opcode & 0xE0) << 3 | low);

	if (opcode & 0x10)
		push_pc(cpu);
	cpu->pc = target;
}

void mcs51_reset(struct mcs51 *cpu)
{
	cpu->pc = 0;
	memset(cpu->sfr, 0, sizeof(cpu->sfr));
	*sfr(cpu, MCS51_SP) = 7;
	*sfr(cpu, MCS51_P0) = 0xFF;
	*sfr(cpu, MCS51_P1) = 0xFF;
	*sfr(cpu, MCS51_P2) = 0xFF;
	*sfr(cpu, MCS51_P3) = 0xFF;
	if (cpu->fx2)
		*sfr(cpu, MCS51_CKCON) = 1;
}

void mcs51_step(struct mcs51 *cpu)
{
	uint8_t opcode = fetch(cpu);
	uint8_t column = opcode & 15;

	cpu->instructions++;
	cpu->cycles += opcode_cycles[opcode];
	if (column == 1)
		jump_in_page(cpu, opcode);
	else if (column < 4)
		step_other(cpu, opcode);
	else if (column == 4)
		step_accumulator(cpu, opcode);
	else if (column == 5)
		step_direct(cpu, opcode);
	else
		step_register(cpu, opcode);

	/* The parity bit follows the accumulator, whoever writes it. */
	set_flags(cpu, MCS51_PSW_P, (uint8_t)__builtin_parity(ACC(cpu)));
}

void mcs51_interrupt(struct mcs51 *cpu, uint16_t vector)
{
	push_pc(cpu);
	cpu->pc = vector;
	cpu->cycles += 4;
}
