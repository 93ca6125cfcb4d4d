/* The chip as a whole: power, time, the processor with its memory, timer and interrupts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fx2_parts.h"

#define RUN_AWAY_ADDRESS 0x3BFE

enum {
	VECTOR_TIMER2 = 0x2B,
	VECTOR_RESUME = 0x33,
	VECTOR_INT2 = 0x43,
};

void fx2_fault(struct fx2_chip *chip, const char *format, ...)
{
	va_list arguments;
	size_t size;

	if (chip->fault[0])
		return;
	va_start(arguments, format);
	vsnprintf(chip->fault, sizeof(chip->fault), format, arguments);
	va_end(arguments);
	size = strlen(chip->fault);
	snprintf(chip->fault + size, sizeof(chip->fault) - size, " (pc %04X, %llu us)",
		chip->cpu.pc, (unsigned long long)(chip->now / FX2_CLOCKS_US));
}

static bool is_loaded(const struct fx2_chip *chip, uint16_t address)
{
	return chip->loaded[address / 8] >> (address & 7) & 1;
}

static uint8_t xdata_read(void *context, uint16_t address)
{
	struct fx2_chip *chip = context;
	uint8_t value;

	if (address < FX2_MEMORY_SIZE || (address >= 0xE000 && address < 0xE200) ||
		(address >= EP0BUF && address < EP0BUF + 64))
		return chip->memory[address];
	if (fx2_usb_register_read(chip, address, &value) ||
		fx2_fifo_register_read(chip, address, &value) ||
		fx2_i2c_register_read(chip, address, &value))
		return value;
	if (address != CPUCS && address != REVID && address != INTSETUP && address != PORTACFG)
		fx2_fault(chip, "read of %04X, which is not modelled", address);
	return chip->memory[address];
}

static void xdata_write(void *context, uint16_t address, uint8_t value)
{
	struct fx2_chip *chip = context;

	if (address < FX2_MEMORY_SIZE) {
		if (is_loaded(chip, address))
			fx2_fault(chip, "the program writes to itself at %04X", address);
		chip->memory[address] = value;
	} else if ((address >= 0xE000 && address < 0xE200) ||
		   (address >= EP0BUF && address < EP0BUF + 64)) {
		chip->memory[address] = value;
	} else if (fx2_usb_register_write(chip, address, value) ||
		   fx2_fifo_register_write(chip, address, value) ||
		   fx2_i2c_register_write(chip, address, value)) {
		return;
	} else if (address == CPUCS) {
		if ((value & 0x18) == 0x18)
			fx2_fault(chip, "CPUCS: reserved clock");
		chip->memory[address] = value & 0x3E;
	} else if (address == PORTACFG) {
		if (value != 0)
			fx2_fault(chip, "PORTACFG %02X takes pins that are ports", value);
		chip->memory[address] = value;
	} else if (address == INTSETUP) {
		chip->memory[address] = value;
	} else {
		fx2_fault(chip, "write of %02X to %04X, which is not modelled", value, address);
	}
}

static uint8_t sfr_read(void *context, uint8_t address)
{
	struct fx2_chip *chip = context;

	switch (address) {
	case SFR_EP2468STAT: return fx2_fifo_status(chip);
	case SFR_EP24FIFOFLGS: return fx2_fifo_flags(chip, 2) | 0x20;
	case SFR_EP68FIFOFLGS: return fx2_fifo_flags(chip, 6) | 0x20;
	case SFR_IOA:
	case SFR_IOB:
	case SFR_IOD: return fx2_pins_read(chip, address);
	default: return chip->cpu.sfr[address - 0x80];
	}
}

static void sfr_write(void *context, uint8_t address, uint8_t value)
{
	struct fx2_chip *chip = context;

	switch (address) {
	case SFR_IOA:
	case SFR_IOB:
	case SFR_OEA:
	case SFR_OEB:
	case SFR_OED: fx2_pins_changed(chip); break;
	case SFR_PCON:
		if (value & PCON_IDLE && chip->sleep_wanted && chip->suspended)
			chip->asleep = true; /* traffic would wake it again at once */
		chip->sleep_wanted = false;
		break;
	case MCS51_CKCON:
		if (value & 0x20)
			fx2_fault(chip, "CKCON: a faster timer 2 is not modelled");
		break;
	case SFR_T2CON:
		if (value & 0x7B)
			fx2_fault(chip, "T2CON %02X: only reload is modelled", value);
		break;
	case SFR_EXIF:
	case SFR_IE:
	case SFR_IP:
	case SFR_RCAP2L:
	case SFR_RCAP2H:
	case SFR_TL2:
	case SFR_TH2:
	case SFR_EICON:
	case SFR_EIE: break;
	default:
		fx2_fault(chip, "write of %02X to SFR %02X, which is not modelled", value, address);
	}
}

static void return_from_interrupt(void *context)
{
	((struct fx2_chip *)context)->in_interrupt = false;
}

static const struct mcs51_hooks hooks = {
	.xdata_read = xdata_read,
	.xdata_write = xdata_write,
	.sfr_read = sfr_read,
	.sfr_write = sfr_write,
	.return_from_interrupt = return_from_interrupt,
};

struct fx2_chip *fx2_chip_new(void)
{
	struct fx2_chip *chip = calloc(1, sizeof(*chip));

	if (!chip)
		return NULL;
	chip->fpga.capacity = 8u << 20;
	chip->fpga.bits = malloc(chip->fpga.capacity);
	if (!chip->fpga.bits) {
		free(chip);
		return NULL;
	}
	chip->cpu =
		(struct mcs51){.fx2 = true, .code = chip->memory, .hooks = &hooks, .context = chip};
	return chip;
}

void fx2_chip_free(struct fx2_chip *chip)
{
	if (!chip)
		return;
	free(chip->i2c.eeprom);
	free(chip->fpga.bits);
	free(chip);
}

void fx2_hold_processor(struct fx2_chip *chip, bool hold)
{
	if (chip->held && !hold) {
		mcs51_reset(&chip->cpu);
		chip->in_interrupt = false;
		chip->asleep = chip->sleep_wanted = false;
		chip->timer2_cycles = 0;
		fx2_pins_changed(chip);
	}
	chip->held = hold;
}

void fx2_chip_power_on(struct fx2_chip *chip)
{
	fx2_chip_power_off(chip);
	memset(chip->memory, 0, sizeof(chip->memory));
	memset(chip->memory, 0xA5, FX2_MEMORY_SIZE);
	memset(chip->cpu.iram, 0xA5, sizeof(chip->cpu.iram));
	memset(chip->loaded, 0, sizeof(chip->loaded));
	chip->now = 0;
	chip->powered = chip->held = true;
	chip->suspended = false;
	chip->idle_until = 0;
	chip->fifo_written = false;
	chip->memory[CPUCS] = 0x02;
	chip->memory[REVID] = 0x01;
	chip->memory[WAKEUPCS] = 0x05;
	mcs51_reset(&chip->cpu);
	fx2_usb_init(chip);
	fx2_fifo_init(chip);
	fx2_i2c_init(chip);
	fx2_pins_init(chip);
	if (fx2_i2c_boot(chip))
		fx2_hold_processor(chip, false);
	chip->connections = fx2_chip_connected(chip);
}

void fx2_chip_power_off(struct fx2_chip *chip)
{
	chip->powered = false;
	chip->connections = 0;
}

/* Timer 2 counts every third instruction cycle (CLKOUT / 12) and reloads itself. */
static void run_timer2(struct fx2_chip *chip, unsigned cycles)
{
	uint8_t *sfr = chip->cpu.sfr;
	unsigned count;

	if (!(sfr[SFR_T2CON - 0x80] & T2CON_TR2))
		return;
	chip->timer2_cycles += cycles;
	count = (unsigned)(sfr[SFR_TH2 - 0x80] << 8 | sfr[SFR_TL2 - 0x80]) +
		chip->timer2_cycles / 3;
	chip->timer2_cycles %= 3;
	if (count > 0xFFFF) {
		count += (unsigned)(sfr[SFR_RCAP2H - 0x80] << 8 | sfr[SFR_RCAP2L - 0x80]);
		sfr[SFR_T2CON - 0x80] |= T2CON_TF2;
	}
	sfr[SFR_TL2 - 0x80] = (uint8_t)count;
	sfr[SFR_TH2 - 0x80] = (uint8_t)(count >> 8);
}

/* The interrupt that is due now, or 0. One does not interrupt another here. */
static uint16_t pending_vector(const struct fx2_chip *chip)
{
	const uint8_t *sfr = chip->cpu.sfr;
	uint8_t resume = EICON_ERESI | EICON_RESI;

	if (chip->in_interrupt)
		return 0;
	if ((sfr[SFR_EICON - 0x80] & resume) == resume)
		return VECTOR_RESUME;
	if (!(sfr[SFR_IE - 0x80] & IE_EA))
		return 0;
	if (sfr[SFR_IE - 0x80] & IE_ET2 && sfr[SFR_T2CON - 0x80] & T2CON_TF2)
		return VECTOR_TIMER2;
	if (sfr[SFR_EIE - 0x80] & 1 && sfr[SFR_EXIF - 0x80] & EXIF_USBINT)
		return VECTOR_INT2;
	return 0;
}

/* Clocks of 48 MHz in an instruction cycle. */
static unsigned cycle_clocks(const struct fx2_chip *chip)
{
	return 16u >> (chip->memory[CPUCS] >> 3 & 3);
}

static void step(struct fx2_chip *chip)
{
	uint64_t before = chip->cpu.cycles;
	uint16_t vector = pending_vector(chip);
	unsigned cycles;

	if (vector) {
		chip->cpu.sfr[SFR_PCON - 0x80] &= (uint8_t)~PCON_IDLE;
		chip->in_interrupt = true;
		mcs51_interrupt(&chip->cpu, vector);
	} else if (chip->cpu.sfr[SFR_PCON - 0x80] & PCON_IDLE) {
		chip->cpu.cycles++;
	} else {
		if (chip->cpu.pc >= FX2_MEMORY_SIZE)
			fx2_fault(chip, "the program left the memory");
		mcs51_step(&chip->cpu);
	}
	cycles = (unsigned)(chip->cpu.cycles - before);
	chip->now += cycles * cycle_clocks(chip);
	run_timer2(chip, cycles);
}

void fx2_chip_run(struct fx2_chip *chip, uint32_t microseconds)
{
	uint64_t until = chip->now + (uint64_t)microseconds * FX2_CLOCKS_US;

	if (!chip->powered)
		return;
	while (chip->now < until && !chip->held && !chip->asleep) {
		step(chip);
		/* A host takes its time before it resets a device that has come. */
		if (chip->idle_until && chip->now >= chip->idle_until) {
			chip->idle_until = 0;
			fx2_chip_suspend(chip);
		}
	}
	if (chip->now < until)
		chip->now = until;
}

void fx2_chip_run_away(struct fx2_chip *chip)
{
	chip->memory[RUN_AWAY_ADDRESS] = 0x80; /* SJMP to itself */
	chip->memory[RUN_AWAY_ADDRESS + 1] = 0xFE;
	chip->cpu.pc = RUN_AWAY_ADDRESS;
}

const char *fx2_chip_fault(const struct fx2_chip *chip)
{
	return chip->fault[0] ? chip->fault : NULL;
}

uint8_t *fx2_chip_memory(struct fx2_chip *chip)
{
	return chip->memory;
}
