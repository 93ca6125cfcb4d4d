/* Misaligned loads and stores. On the demo core each of them traps (causes 4 and 6) and the handler
 * does the access byte by byte; a machine that does them itself, like QEMU, passes as well. */
#include "support.h"

#define CAUSE_LOAD_MISALIGNED  4
#define CAUSE_STORE_MISALIGNED 6

static uint8_t bytes[32];
static uint32_t trap_count;

static uint32_t load_bytes(uint32_t address, int count)
{
	uint32_t value = 0;

	while (count-- > 0)
		value = value << 8 | *(uint8_t *)(address + (uint32_t)count);
	return value;
}

/* Only 32-bit encodings come here. funct3 bits 1:0 are the size, bit 2 means unsigned. */
void trap_handler(uint32_t *frame)
{
	uint32_t cause = csr_read(mcause), address = csr_read(mtval), pc = csr_read(mepc);
	uint32_t insn = load_bytes(pc, 4), funct3 = insn >> 12 & 7;
	int i, size = 1 << (funct3 & 3);

	trap_count++;
	if (cause == CAUSE_LOAD_MISALIGNED) {
		uint32_t value = load_bytes(address, size);

		CHECK(address == frame[insn >> 15 & 31] + (uint32_t)((int32_t)insn >> 20));
		if (funct3 == 1)
			value = (uint32_t)(int16_t)value;
		frame[insn >> 7 & 31] = value;
	} else {
		CHECK(cause == CAUSE_STORE_MISALIGNED);
		for (i = 0; i < size; i++)
			*(uint8_t *)(address + (uint32_t)i) =
				(uint8_t)(frame[insn >> 20 & 31] >> (8 * i));
	}
	csr_write(mepc, pc + 4);
}

#define LOAD(name) \
	static uint32_t name(uint32_t address) \
	{ \
		uint32_t value; \
		__asm__ volatile(".option push; .option norvc; " #name " %0, 4(%1); .option pop" \
				 : "=r"(value) \
				 : "r"(address - 4) \
				 : "memory"); \
		return value; \
	}

#define STORE(name) \
	static void name(uint32_t address, uint32_t value) \
	{ \
		__asm__ volatile(".option push; .option norvc; " #name \
				 " %0, -8(%1); .option pop" ::"r"(value), \
				 "r"(address + 8) \
				 : "memory"); \
	}

LOAD(lw)
LOAD(lh)
LOAD(lhu)
STORE(sw)
STORE(sh)

int main(void)
{
	uint32_t base = (uint32_t)bytes, state = 5, expected = 0;
	int round, offset;

	for (round = 0; round < REPEAT * 12; round++) {
		for (offset = 0; offset < 8; offset++) {
			uint32_t at = base + 8 + (uint32_t)offset, value = random_next(&state);

			sw(at, value);
			CHECK(load_bytes(at, 4) == value);
			CHECK(lw(at) == value);
			sh(at + 1, value);
			CHECK(load_bytes(at + 1, 2) == (value & 0xffff));
			CHECK(lhu(at + 1) == (value & 0xffff));
			CHECK(lh(at + 1) == (uint32_t)(int16_t)value);
			/* The halfword is misaligned at even offsets (it is at +1), the word
			 * at all but multiples of four. */
			expected += (offset % 4 != 0 ? 2 : 0) + (offset % 2 == 0 ? 3 : 0);
		}
	}
	CHECK(trap_count == expected || trap_count == 0);
	return 0;
}
