#ifndef MCS51_H
#define MCS51_H

#include <stdbool.h>
#include <stdint.h>

/* The processor of an 8051, with nothing around it: all 255 opcodes, flags as Intel's manual of
 * the MCS-51 says, times as the FX2LP has them (docs of the DS80C320, which shares its core).
 *
 * Memory beyond the internal RAM, ports and timers belong to the caller: he has the hooks.
 * A program memory that is also data memory, as in the FX2LP, is the caller's array in both roles.
 */

/* Special function registers that belong to the processor, at their addresses. */
enum mcs51_sfr {
	MCS51_P0 = 0x80,
	MCS51_SP = 0x81,
	MCS51_DPL = 0x82,
	MCS51_DPH = 0x83,
	MCS51_DPL1 = 0x84, /* FX2LP: the second data pointer */
	MCS51_DPH1 = 0x85,
	MCS51_DPS = 0x86, /* FX2LP: bit 0 chooses the data pointer */
	MCS51_CKCON = 0x8E,
	MCS51_P1 = 0x90,
	MCS51_MPAGE = 0x92, /* FX2LP: upper address byte of MOVX @Ri */
	MCS51_P2 = 0xA0,    /* others: the same */
	MCS51_P3 = 0xB0,
	MCS51_PSW = 0xD0,
	MCS51_ACC = 0xE0,
	MCS51_B = 0xF0,
};

enum mcs51_psw {
	MCS51_PSW_P = 0x01,
	MCS51_PSW_OV = 0x04,
	MCS51_PSW_BANK = 0x18,
	MCS51_PSW_AC = 0x40,
	MCS51_PSW_CY = 0x80,
};

struct mcs51;

/* What is around the processor. sfr_read and sfr_write see only registers that the processor does
 * not have itself, and may be NULL. An instruction that reads and writes back (SETB P1.0) reads the
 * latch in sfr[], not the hook, as the chip does.
 */
struct mcs51_hooks {
	uint8_t (*xdata_read)(void *context, uint16_t address);
	void (*xdata_write)(void *context, uint16_t address, uint8_t value);
	uint8_t (*sfr_read)(void *context, uint8_t address);
	void (*sfr_write)(void *context, uint8_t address, uint8_t value);
	void (*return_from_interrupt)(void *context);
};

struct mcs51 {
	uint16_t pc;
	bool fx2; /* two data pointers, MPAGE, stretched MOVX */
	uint8_t iram[256];
	uint8_t sfr[128];    /* at address - 0x80 */
	const uint8_t *code; /* 65536 bytes, the caller's */
	uint64_t instructions;
	uint64_t cycles; /* instruction cycles: 4 clocks in the FX2LP */
	const struct mcs51_hooks *hooks;
	void *context; /* of the hooks */
};

/* As after a reset; iram, code, hooks, context and the counters stay. */
void mcs51_reset(struct mcs51 *cpu);

/* One instruction. */
void mcs51_step(struct mcs51 *cpu);

/* An interrupt: push pc, go to vector. Costs what an LCALL costs. */
void mcs51_interrupt(struct mcs51 *cpu, uint16_t vector);

#endif
