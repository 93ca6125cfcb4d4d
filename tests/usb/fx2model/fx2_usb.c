/* The USB engine: events of the bus, endpoint 0, the loader in hardware. */
#include <string.h>

#include "fx2_parts.h"

enum {
	REQUEST_LOAD = 0xA0,
	REQUEST_SET_ADDRESS = 5,
	REQUEST_CLEAR_FEATURE = 1,
	REQUEST_GET_DESCRIPTOR = 6,
	REQUEST_GET_CONFIGURATION = 8,
	REQUEST_SET_CONFIGURATION = 9,
	REQUEST_SET_INTERFACE = 11,
	RECIPIENT_ENDPOINT = 2,
	CHIRP_US = 3000,
	IDLE_US = 3000, /* a bus that is quiet for so long is suspended */
	STEP_US = 1,    /* how long the firmware runs before the host asks again */
};

/* What the chip says without firmware. The real configuration descriptor lists test endpoints in
 * four alternate settings; nobody uses them.
 */
static const uint8_t bare_device[18] = {
	18, 1, 0x00, 0x02, 0xFF, 0xFF, 0xFF, 64, 0xB4, 0x04, 0x13, 0x86, 0x01, 0xA0, 0, 0, 0, 1};
static const uint8_t bare_configuration[18] = {
	9, 2, 18, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0};

void fx2_usb_init(struct fx2_chip *chip)
{
	chip->memory[USBCS] = 0;
	chip->setup_active = false;
	chip->busy = chip->hsnak = chip->stall = false;
}

bool fx2_chip_connected(const struct fx2_chip *chip)
{
	return chip->powered && !(chip->memory[USBCS] & USBCS_DISCON);
}

unsigned fx2_chip_connections(const struct fx2_chip *chip)
{
	return chip->connections;
}

static void raise_event(struct fx2_chip *chip, uint8_t events)
{
	chip->memory[USBIRQ] |= events;
	if (chip->memory[USBIE] & events)
		chip->cpu.sfr[SFR_EXIF - 0x80] |= EXIF_USBINT;
}

void fx2_chip_bus_reset(struct fx2_chip *chip, bool high_speed)
{
	if (!fx2_chip_connected(chip))
		return;
	chip->idle_until = 0;
	fx2_chip_resume(chip);
	chip->setup_active = false;
	chip->busy = chip->hsnak = chip->stall = false;
	chip->memory[USBCS] &= (uint8_t)~USBCS_HSM;
	fx2_fifo_host_toggles(chip);
	raise_event(chip, USBIRQ_URES);
	/* Every reset begins at full speed; the two sides agree on more meanwhile. */
	fx2_chip_run(chip, CHIRP_US);
	if (high_speed) {
		chip->memory[USBCS] |= USBCS_HSM;
		raise_event(chip, USBIRQ_HSGRANT);
	}
}

void fx2_chip_suspend(struct fx2_chip *chip)
{
	if (!fx2_chip_connected(chip) || chip->suspended)
		return;
	chip->suspended = true;
	raise_event(chip, USBIRQ_SUSP);
}

void fx2_chip_resume(struct fx2_chip *chip)
{
	if (!chip->suspended)
		return;
	if (chip->asleep && !(chip->cpu.sfr[SFR_EICON - 0x80] & EICON_ERESI))
		fx2_fault(chip, "no interrupt can wake the processor: EICON");
	chip->suspended = false;
	chip->asleep = false;
	if (chip->memory[WAKEUPCS] & 4) /* DPEN: the bus wakes the chip */
		chip->cpu.sfr[SFR_EICON - 0x80] |= EICON_RESI;
	else
		fx2_fault(chip, "the bus cannot wake the chip: WAKEUPCS");
}

bool fx2_chip_asleep(const struct fx2_chip *chip)
{
	return chip->asleep;
}

/* ---- Registers ---- */

static void write_usbcs(struct fx2_chip *chip, uint8_t value)
{
	uint8_t old = chip->memory[USBCS];

	chip->memory[USBCS] = (old & USBCS_HSM) | (value & 0x0F);
	if (value & USBCS_DISCON)
		chip->idle_until = 0;
	if (value & USBCS_DISCON && !(old & USBCS_DISCON)) {
		chip->setup_active = chip->suspended = false;
		chip->memory[USBCS] &= (uint8_t)~USBCS_HSM;
	}
	if (!(value & USBCS_DISCON) && old & USBCS_DISCON) {
		chip->connections++;
		chip->idle_until = chip->now + (uint64_t)IDLE_US * FX2_CLOCKS_US;
	}
}

/* TOGCTL: the endpoint is chosen by one write, and changed by the next. */
static void write_togctl(struct fx2_chip *chip, uint8_t value)
{
	uint8_t chosen = chip->memory[TOGCTL] & 0x1F;
	struct fx2_fifo *fifo = chosen == 0x02 ? &chip->ep2 : chosen == 0x16 ? &chip->ep6 : NULL;

	chip->memory[TOGCTL] = value;
	if (!(value & 0x60))
		return;
	if ((value & 0x1F) != chosen || !fifo || (value & 0x60) == 0x60)
		fx2_fault(chip, "TOGCTL %02X after %02X", value, chosen);
	else
		fifo->toggle = value & 0x40;
}

static void write_ep0cs(struct fx2_chip *chip, uint8_t value)
{
	if (value & EPCS_HSNAK)
		chip->hsnak = false;
	if (value & EPCS_STALL)
		chip->stall = true;
}

static void write_ep0bcl(struct fx2_chip *chip, uint8_t value)
{
	chip->memory[EP0BCL] = value;
	if (chip->busy)
		fx2_fault(chip, "EP0BCL is written while endpoint 0 is busy");
	if (chip->setup[0] & 0x80 && value > 64)
		fx2_fault(chip, "EP0BCL %u: packets of endpoint 0 have 64 bytes", value);
	chip->busy = true;
}

bool fx2_usb_register_read(struct fx2_chip *chip, uint16_t address, uint8_t *value)
{
	switch (address) {
	case EP0CS:
		*value = (uint8_t)((chip->hsnak ? EPCS_HSNAK : 0) | (chip->busy ? EPCS_BUSY : 0) |
				   (chip->stall ? EPCS_STALL : 0));
		return true;
	case USBIE:
	case USBIRQ:
	case USBCS:
	case WAKEUPCS:
	case TOGCTL:
	case EP0BCH:
	case EP0BCL: *value = chip->memory[address]; return true;
	default:
		if (address < SETUPDAT || address >= SETUPDAT + 8)
			return false;
		*value = chip->setup[address - SETUPDAT];
		return true;
	}
}

bool fx2_usb_register_write(struct fx2_chip *chip, uint16_t address, uint8_t value)
{
	switch (address) {
	case USBIRQ: /* ones clear; what stays set asks again */
		chip->memory[USBIRQ] &= (uint8_t)~value;
		raise_event(chip, chip->memory[USBIRQ]);
		return true;
	case USBCS: write_usbcs(chip, value); return true;
	case SUSPEND: chip->sleep_wanted = true; return true;
	case TOGCTL: write_togctl(chip, value); return true;
	case EP0CS: write_ep0cs(chip, value); return true;
	case EP0BCL: write_ep0bcl(chip, value); return true;
	case USBIE:
	case WAKEUPCS:
	case EP0BCH: chip->memory[address] = value; return true;
	default: return false;
	}
}

/* ---- Endpoint 0, packet by packet ---- */

static bool is_in(const struct fx2_chip *chip)
{
	return chip->setup[0] & 0x80;
}

static unsigned data_size(const struct fx2_chip *chip)
{
	return chip->setup[6] | (unsigned)chip->setup[7] << 8;
}

int fx2_chip_setup(struct fx2_chip *chip, const uint8_t setup[8])
{
	if (!fx2_chip_connected(chip) || chip->suspended)
		return FX2_NO_DEVICE;
	memcpy(chip->setup, setup, 8);
	chip->setup_active = true;
	chip->moved = 0;
	chip->data_finished = data_size(chip) == 0;
	chip->hsnak = true;
	chip->busy = chip->stall = false;
	chip->memory[EP0BCL] = 64; /* says nothing until a packet has come */
	if (setup[0] == 0 && setup[1] == REQUEST_SET_ADDRESS)
		chip->hsnak = false; /* the chip answers itself */
	else
		raise_event(chip, USBIRQ_SUTOK | USBIRQ_SUDAV);
	return 0;
}

/* The data toggles of the host follow these requests: USB 2.0, 9.4.5 and 9.1.1.5. */
static void follow_request(struct fx2_chip *chip)
{
	const uint8_t *setup = chip->setup;

	if (setup[1] == REQUEST_CLEAR_FEATURE && setup[0] == RECIPIENT_ENDPOINT) {
		if (setup[4] == 0x02)
			chip->ep2.host_toggle = false;
		if (setup[4] == 0x86)
			chip->ep6.host_toggle = false;
	}
	if ((setup[0] == 0 && setup[1] == REQUEST_SET_CONFIGURATION) ||
		(setup[0] == 1 && setup[1] == REQUEST_SET_INTERFACE))
		fx2_fifo_host_toggles(chip);
}

/* The status stage, whichever its direction. */
static int finish(struct fx2_chip *chip)
{
	if (chip->hsnak)
		return FX2_NAK;
	follow_request(chip);
	chip->setup_active = false;
	return 0;
}

static int ep0_state(const struct fx2_chip *chip)
{
	if (!fx2_chip_connected(chip) || chip->suspended)
		return FX2_NO_DEVICE;
	if (!chip->setup_active || chip->stall)
		return FX2_STALL;
	return chip->nak_all ? FX2_NAK : 0;
}

int fx2_chip_ep0_in(struct fx2_chip *chip, uint8_t data[64])
{
	int result = ep0_state(chip);
	unsigned size = chip->memory[EP0BCL];

	if (result != 0)
		return result;
	if (!is_in(chip))
		return finish(chip);
	if (!chip->busy || chip->data_finished)
		return FX2_NAK;
	memcpy(data, chip->memory + EP0BUF, size);
	chip->busy = false;
	chip->moved += size;
	chip->data_finished = size < 64 || chip->moved >= data_size(chip);
	return (int)size;
}

int fx2_chip_ep0_out(struct fx2_chip *chip, const uint8_t *data, unsigned size)
{
	int result = ep0_state(chip);

	if (result != 0)
		return result;
	if (is_in(chip))
		return finish(chip);
	if (!chip->busy)
		return FX2_NAK;
	memcpy(chip->memory + EP0BUF, data, size);
	chip->memory[EP0BCH] = 0;
	chip->memory[EP0BCL] = (uint8_t)size;
	chip->busy = false;
	chip->moved += size;
	chip->data_finished = chip->moved >= data_size(chip);
	return (int)size;
}

/* ---- Whole transfers ---- */

static int load(struct fx2_chip *chip, uint8_t *data)
{
	unsigned address = chip->setup[2] | (unsigned)chip->setup[3] << 8;

	for (unsigned i = 0; i < data_size(chip); i++, address++) {
		bool known = address < FX2_MEMORY_SIZE || (address >= 0xE000 && address < 0xE200) ||
			     address == CPUCS;

		if (is_in(chip))
			data[i] = known ? chip->memory[address] : 0;
		else if (address == CPUCS)
			fx2_hold_processor(chip, data[i] & CPUCS_RESET);
		else if (known)
			chip->memory[address] = data[i];
		if (!is_in(chip) && address < FX2_MEMORY_SIZE)
			chip->loaded[address / 8] |= (uint8_t)(1u << (address & 7));
	}
	return (int)data_size(chip);
}

/* Requests to a chip without firmware of its own. */
static int answer_bare(const struct fx2_chip *chip, uint8_t *data)
{
	const uint8_t *source = NULL;
	unsigned size = sizeof(bare_device);

	switch (chip->setup[0] << 8 | chip->setup[1]) {
	case REQUEST_SET_ADDRESS:
	case REQUEST_SET_CONFIGURATION: return 0;
	case 0x8000 | REQUEST_GET_CONFIGURATION: data[0] = 1; return data_size(chip) > 0;
	case 0x8000 | REQUEST_GET_DESCRIPTOR:
		if (chip->setup[3] == 1)
			source = bare_device;
		if (chip->setup[3] == 2)
			source = bare_configuration;
		break;
	default: break;
	}
	if (!source)
		return FX2_STALL;
	if (data_size(chip) < size)
		size = data_size(chip);
	memcpy(data, source, size);
	return (int)size;
}

/* One step of the transfer; FX2_NAK means nothing moved. *done when the status stage is over. */
static int advance(struct fx2_chip *chip, uint8_t *data, bool *done)
{
	unsigned left = data_size(chip) - chip->moved;
	uint8_t packet[64];
	int result;

	if (!chip->data_finished && !is_in(chip))
		return fx2_chip_ep0_out(chip, data + chip->moved, left < 64 ? left : 64);
	if (!chip->data_finished) {
		unsigned at = chip->moved;

		result = fx2_chip_ep0_in(chip, packet);
		if (result > 0 && (unsigned)result > left) {
			fx2_fault(chip, "the firmware sends more than wLength");
			result = (int)left;
			chip->moved = data_size(chip);
		}
		if (result > 0)
			memcpy(data + at, packet, (size_t)result);
		return result;
	}
	result = is_in(chip) ? fx2_chip_ep0_out(chip, NULL, 0) : fx2_chip_ep0_in(chip, packet);
	*done = result == 0;
	return result;
}

int fx2_chip_control(
	struct fx2_chip *chip, const uint8_t setup[8], uint8_t *data, uint32_t timeout_us)
{
	uint64_t until = chip->now + (uint64_t)timeout_us * FX2_CLOCKS_US;
	unsigned connections = chip->connections;
	bool done = false;
	int result;

	if (!fx2_chip_connected(chip) || chip->suspended)
		return FX2_NO_DEVICE;
	if ((setup[0] & 0x7F) == 0x40 && setup[1] == REQUEST_LOAD) {
		memcpy(chip->setup, setup, 8);
		return load(chip, data);
	}
	if (!(chip->memory[USBCS] & USBCS_RENUM)) {
		memcpy(chip->setup, setup, 8);
		return answer_bare(chip, data);
	}
	fx2_chip_setup(chip, setup);
	while (!done) {
		result = advance(chip, data, &done);
		if (result == FX2_STALL || result == FX2_NO_DEVICE)
			return result;
		if (result == FX2_NAK) {
			if (chip->now >= until)
				return FX2_TIMEOUT;
			fx2_chip_run(chip, STEP_US);
		}
		if (chip->connections != connections)
			return FX2_NO_DEVICE;
	}
	return (int)chip->moved;
}
