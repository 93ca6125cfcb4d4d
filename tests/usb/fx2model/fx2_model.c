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

void fx2_fault(struct fx2_model *model, const char *format, ...)
{
	va_list arguments;
	size_t size;

	if (model->fault[0])
		return;
	va_start(arguments, format);
	vsnprintf(model->fault, sizeof(model->fault), format, arguments);
	va_end(arguments);
	size = strlen(model->fault);
	snprintf(model->fault + size, sizeof(model->fault) - size, " (pc %04X, %llu us)",
		model->cpu.pc, (unsigned long long)(model->now / FX2_CLOCKS_US));
}

static bool is_loaded(const struct fx2_model *model, uint16_t address)
{
	return model->loaded[address / 8] >> (address & 7) & 1;
}

static uint8_t xdata_read(void *context, uint16_t address)
{
	struct fx2_model *model = context;
	uint8_t value;

	if (address < FX2_MEMORY_SIZE || (address >= 0xE000 && address < 0xE200) ||
		(address >= EP0BUF && address < EP0BUF + 64))
		return model->memory[address];
	if (fx2_usb_register_read(model, address, &value) ||
		fx2_fifo_register_read(model, address, &value) ||
		fx2_i2c_register_read(model, address, &value))
		return value;
	if (address != CPUCS && address != REVID && address != INTSETUP && address != PORTACFG)
		fx2_fault(model, "read of %04X, which is not modelled", address);
	return model->memory[address];
}

static void xdata_write(void *context, uint16_t address, uint8_t value)
{
	struct fx2_model *model = context;

	if (address < FX2_MEMORY_SIZE) {
		if (is_loaded(model, address))
			fx2_fault(model, "the program writes to itself at %04X", address);
		model->memory[address] = value;
	} else if ((address >= 0xE000 && address < 0xE200) ||
		   (address >= EP0BUF && address < EP0BUF + 64)) {
		model->memory[address] = value;
	} else if (fx2_usb_register_write(model, address, value) ||
		   fx2_fifo_register_write(model, address, value) ||
		   fx2_i2c_register_write(model, address, value)) {
		return;
	} else if (address == CPUCS) {
		if ((value & 0x18) == 0x18)
			fx2_fault(model, "CPUCS: reserved clock");
		model->memory[address] = value & 0x3E;
	} else if (address == PORTACFG) {
		if (value != 0)
			fx2_fault(model, "PORTACFG %02X takes pins that are ports", value);
		model->memory[address] = value;
	} else if (address == INTSETUP) {
		model->memory[address] = value;
	} else {
		fx2_fault(model, "write of %02X to %04X, which is not modelled", value, address);
	}
}

static uint8_t sfr_read(void *context, uint8_t address)
{
	struct fx2_model *model = context;

	switch (address) {
	case SFR_EP2468STAT: return fx2_fifo_status(model);
	case SFR_EP24FIFOFLGS: return fx2_fifo_flags(model, 2) | 0x20;
	case SFR_EP68FIFOFLGS: return fx2_fifo_flags(model, 6) | 0x20;
	case SFR_IOA:
	case SFR_IOB:
	case SFR_IOD: return fx2_pins_read(model, address);
	default: return model->cpu.sfr[address - 0x80];
	}
}

static void sfr_write(void *context, uint8_t address, uint8_t value)
{
	struct fx2_model *model = context;

	switch (address) {
	case SFR_IOA:
	case SFR_IOB:
	case SFR_OEA:
	case SFR_OEB:
	case SFR_OED: fx2_pins_changed(model); break;
	case SFR_PCON:
		if (value & PCON_IDLE && model->sleep_wanted && model->suspended)
			model->asleep = true; /* traffic would wake it again at once */
		model->sleep_wanted = false;
		break;
	case MCS51_CKCON:
		if (value & 0x20)
			fx2_fault(model, "CKCON: a faster timer 2 is not modelled");
		break;
	case SFR_T2CON:
		if (value & 0x7B)
			fx2_fault(model, "T2CON %02X: only reload is modelled", value);
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
		fx2_fault(
			model, "write of %02X to SFR %02X, which is not modelled", value, address);
	}
}

static void return_from_interrupt(void *context)
{
	((struct fx2_model *)context)->in_interrupt = false;
}

static const struct mcs51_hooks hooks = {
	.xdata_read = xdata_read,
	.xdata_write = xdata_write,
	.sfr_read = sfr_read,
	.sfr_write = sfr_write,
	.return_from_interrupt = return_from_interrupt,
};

struct fx2_model *fx2_model_new(void)
{
	struct fx2_model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->fpga.capacity = 8u << 20;
	model->fpga.bits = malloc(model->fpga.capacity);
	if (!model->fpga.bits) {
		free(model);
		return NULL;
	}
	model->cpu = (struct mcs51){
		.fx2 = true, .code = model->memory, .hooks = &hooks, .context = model};
	return model;
}

void fx2_model_free(struct fx2_model *model)
{
	if (!model)
		return;
	free(model->i2c.eeprom);
	free(model->fpga.bits);
	free(model);
}

void fx2_hold_processor(struct fx2_model *model, bool hold)
{
	if (model->held && !hold) {
		mcs51_reset(&model->cpu);
		model->in_interrupt = false;
		model->asleep = model->sleep_wanted = false;
		model->timer2_cycles = 0;
		fx2_pins_changed(model);
	}
	model->held = hold;
}

void fx2_model_power_on(struct fx2_model *model)
{
	fx2_model_power_off(model);
	memset(model->memory, 0, sizeof(model->memory));
	memset(model->memory, 0xA5, FX2_MEMORY_SIZE);
	memset(model->cpu.iram, 0xA5, sizeof(model->cpu.iram));
	memset(model->loaded, 0, sizeof(model->loaded));
	model->now = 0;
	model->powered = model->held = true;
	model->suspended = false;
	model->fifo_written = false;
	model->memory[CPUCS] = 0x02;
	model->memory[REVID] = 0x01;
	model->memory[WAKEUPCS] = 0x05;
	mcs51_reset(&model->cpu);
	fx2_usb_init(model);
	fx2_fifo_init(model);
	fx2_i2c_init(model);
	fx2_pins_init(model);
	if (fx2_i2c_boot(model))
		fx2_hold_processor(model, false);
	model->connections = fx2_model_connected(model);
}

void fx2_model_power_off(struct fx2_model *model)
{
	model->powered = false;
	model->connections = 0;
}

/* Timer 2 counts every third instruction cycle (CLKOUT / 12) and reloads itself. */
static void run_timer2(struct fx2_model *model, unsigned cycles)
{
	uint8_t *sfr = model->cpu.sfr;
	unsigned count;

	if (!(sfr[SFR_T2CON - 0x80] & T2CON_TR2))
		return;
	model->timer2_cycles += cycles;
	count = (unsigned)(sfr[SFR_TH2 - 0x80] << 8 | sfr[SFR_TL2 - 0x80]) +
		model->timer2_cycles / 3;
	model->timer2_cycles %= 3;
	if (count > 0xFFFF) {
		count += (unsigned)(sfr[SFR_RCAP2H - 0x80] << 8 | sfr[SFR_RCAP2L - 0x80]);
		sfr[SFR_T2CON - 0x80] |= T2CON_TF2;
	}
	sfr[SFR_TL2 - 0x80] = (uint8_t)count;
	sfr[SFR_TH2 - 0x80] = (uint8_t)(count >> 8);
}

/* The interrupt that is due now, or 0. One does not interrupt another here. */
static uint16_t pending_vector(const struct fx2_model *model)
{
	const uint8_t *sfr = model->cpu.sfr;
	uint8_t resume = EICON_ERESI | EICON_RESI;

	if (model->in_interrupt)
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
static unsigned cycle_clocks(const struct fx2_model *model)
{
	return 16u >> (model->memory[CPUCS] >> 3 & 3);
}

static void step(struct fx2_model *model)
{
	uint64_t before = model->cpu.cycles;
	uint16_t vector = pending_vector(model);
	unsigned cycles;

	if (vector) {
		model->cpu.sfr[SFR_PCON - 0x80] &= (uint8_t)~PCON_IDLE;
		model->in_interrupt = true;
		mcs51_interrupt(&model->cpu, vector);
	} else if (model->cpu.sfr[SFR_PCON - 0x80] & PCON_IDLE) {
		model->cpu.cycles++;
	} else {
		if (model->cpu.pc >= FX2_MEMORY_SIZE)
			fx2_fault(model, "the program left the memory");
		mcs51_step(&model->cpu);
	}
	cycles = (unsigned)(model->cpu.cycles - before);
	model->now += cycles * cycle_clocks(model);
	run_timer2(model, cycles);
}

void fx2_model_run(struct fx2_model *model, uint32_t microseconds)
{
	uint64_t until = model->now + (uint64_t)microseconds * FX2_CLOCKS_US;

	if (!model->powered)
		return;
	while (model->now < until && !model->held && !model->asleep)
		step(model);
	if (model->now < until)
		model->now = until;
}

void fx2_model_run_away(struct fx2_model *model)
{
	model->memory[RUN_AWAY_ADDRESS] = 0x80; /* SJMP to itself */
	model->memory[RUN_AWAY_ADDRESS + 1] = 0xFE;
	model->cpu.pc = RUN_AWAY_ADDRESS;
}

const char *fx2_model_fault(const struct fx2_model *model)
{
	return model->fault[0] ? model->fault : NULL;
}

uint8_t *fx2_model_memory(struct fx2_model *model)
{
	return model->memory;
}
