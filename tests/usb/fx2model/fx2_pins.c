/* Ports A, B and D, and an FPGA that is configured through them (docs/usb.md, "Pins"). */
#include <string.h>

#include "fx2_parts.h"

enum {
	PA_PROG = 0x01,
	PA_INIT = 0x02,
	PA_DONE = 0x08,
	PA_CCLK = 0x80,
	PA_FIFO = 0x74, /* SLOE, FIFOADR, PKTEND: the FPGA drives them */
	PB_DIN = 0x01,
};

void fx2_pins_init(struct fx2_chip *chip)
{
	chip->prog_low = chip->cclk = false;
	chip->prog_change = 0;
	chip->fpga.done = false;
	chip->fpga.bit_count = chip->fpga.clocks = chip->fpga.clocks_done = 0;
	chip->fpga.driven = 0;
}

struct fx2_fpga *fx2_chip_fpga(struct fx2_chip *chip)
{
	return &chip->fpga;
}

static uint8_t latch(const struct fx2_chip *chip, uint8_t sfr)
{
	return chip->cpu.sfr[sfr - 0x80];
}

static bool init_is_high(const struct fx2_chip *chip)
{
	const struct fx2_fpga *fpga = &chip->fpga;
	uint64_t clear = (uint64_t)fpga->clear_us * FX2_CLOCKS_US;

	if (!fpga->present || !fpga->has_init || fpga->broken)
		return true;
	if (chip->prog_low || (fpga->prog_pulses > 0 && chip->now < chip->prog_change + clear))
		return false;
	return fpga->error_at == 0 || fpga->bit_count < fpga->error_at;
}

uint8_t fx2_pins_read(struct fx2_chip *chip, uint8_t port)
{
	uint8_t value = 0xFF;

	if (port != SFR_IOA)
		return value;
	if (chip->prog_low)
		value &= (uint8_t)~PA_PROG;
	if (!init_is_high(chip))
		value &= (uint8_t)~PA_INIT;
	if (chip->fpga.present && !chip->fpga.done)
		value &= (uint8_t)~PA_DONE;
	if (!chip->cclk)
		value &= (uint8_t)~PA_CCLK;
	return value;
}

static void move_prog(struct fx2_chip *chip, bool low)
{
	struct fx2_fpga *fpga = &chip->fpga;

	if (low == chip->prog_low)
		return;
	if (!low)
		fpga->prog_low_us = (uint32_t)((chip->now - chip->prog_change) / FX2_CLOCKS_US);
	chip->prog_low = low;
	chip->prog_change = chip->now;
	if (low) {
		fpga->prog_pulses++;
		fpga->bit_count = fpga->clocks = fpga->clocks_done = 0;
		if (!fpga->broken)
			fpga->done = false;
	}
}

static void clock_bit(struct fx2_chip *chip, bool data)
{
	struct fx2_fpga *fpga = &chip->fpga;

	fpga->clocks++;
	if (fpga->done) {
		fpga->clocks_done++;
		return;
	}
	if (fpga->has_init && !init_is_high(chip))
		return; /* not ready, or given up */
	if (fpga->bit_count < fpga->capacity)
		fpga->bits[fpga->bit_count] = data;
	fpga->bit_count++;
	fpga->done = fpga->present && !fpga->broken && fpga->size > 0 &&
		     fpga->bit_count >= fpga->size + fpga->extra_clocks;
}

/* A latch, an output enable or IFCONFIG has changed: see what that does to the pins. */
void fx2_pins_changed(struct fx2_chip *chip)
{
	uint8_t enable_a = latch(chip, SFR_OEA), port_a = latch(chip, SFR_IOA);
	bool ports = (chip->memory[IFCONFIG] & 3) == 0;
	bool din_driven = ports && latch(chip, SFR_OEB) & PB_DIN;
	bool cclk = enable_a & port_a & PA_CCLK;

	if (enable_a & (PA_FIFO | PA_INIT | PA_DONE))
		fx2_fault(chip, "OEA %02X drives pins that the FPGA drives", enable_a);
	if (enable_a & port_a & PA_PROG)
		fx2_fault(chip, "PROG is driven high: its pull-up does that");
	if (ports && ((latch(chip, SFR_OEB) & (uint8_t)~PB_DIN) || latch(chip, SFR_OED)))
		fx2_fault(chip, "FD is driven by the ports");
	chip->fpga.driven = (uint8_t)((enable_a & PA_PROG ? FX2_DRIVES_PROG : 0) |
				      (enable_a & PA_CCLK ? FX2_DRIVES_CCLK : 0) |
				      (din_driven ? FX2_DRIVES_DIN : 0));
	move_prog(chip, enable_a & PA_PROG && !(port_a & PA_PROG));
	if (cclk && !chip->cclk) {
		if (!din_driven)
			fx2_fault(chip, "CCLK rises without anybody on DIN");
		clock_bit(chip, latch(chip, SFR_IOB) & PB_DIN);
	}
	chip->cclk = cclk;
}
