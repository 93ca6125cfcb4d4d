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
	STEP_US = 1, /* how long the firmware runs before the host asks again */
};

/* What the chip says without firmware. The real configuration descriptor lists test endpoints in
 * four alternate settings; nobody uses them.
 */
static const uint8_t bare_device[18] = {
	18, 1, 0x00, 0x02, 0xFF, 0xFF, 0xFF, 64, 0xB4, 0x04, 0x13, 0x86, 0x01, 0xA0, 0, 0, 0, 1};
static const uint8_t bare_configuration[18] = {
	9, 2, 18, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0};

void fx2_usb_init(struct fx2_model *model)
{
	model->memory[USBCS] = 0;
	model->setup_active = false;
	model->busy = model->hsnak = model->stall = false;
}

bool fx2_model_connected(const struct fx2_model *model)
{
	return model->powered && !(model->memory[USBCS] & USBCS_DISCON);
}

unsigned fx2_model_connections(const struct fx2_model *model)
{
	return model->connections;
}

static void raise_event(struct fx2_model *model, uint8_t events)
{
	model->memory[USBIRQ] |= events;
	if (model->memory[USBIE] & events)
		model->cpu.sfr[SFR_EXIF - 0x80] |= EXIF_USBINT;
}

void fx2_model_bus_reset(struct fx2_model *model, bool high_speed)
{
	if (!fx2_model_connected(model))
		return;
	fx2_model_resume(model);
	model->setup_active = false;
	model->busy = model->hsnak = model->stall = false;
	model->memory[USBCS] &= (uint8_t)~USBCS_HSM;
	if (high_speed)
		model->memory[USBCS] |= USBCS_HSM;
	fx2_fifo_host_toggles(model);
	raise_event(model, high_speed ? USBIRQ_URES | USBIRQ_HSGRANT : USBIRQ_URES);
}

void fx2_model_suspend(struct fx2_model *model)
{
	if (!fx2_model_connected(model) || model->suspended)
		return;
	model->suspended = true;
	raise_event(model, USBIRQ_SUSP);
}

void fx2_model_resume(struct fx2_model *model)
{
	if (!model->suspended)
		return;
	if (model->asleep && !(model->cpu.sfr[SFR_EICON - 0x80] & EICON_ERESI))
		fx2_fault(model, "no interrupt can wake the processor: EICON");
	model->suspended = false;
	model->asleep = false;
	if (model->memory[WAKEUPCS] & 4) /* DPEN: the bus wakes the chip */
		model->cpu.sfr[SFR_EICON - 0x80] |= EICON_RESI;
	else
		fx2_fault(model, "the bus cannot wake the chip: WAKEUPCS");
}

bool fx2_model_asleep(const struct fx2_model *model)
{
	return model->asleep;
}

/* ---- Registers ---- */

static void write_usbcs(struct fx2_model *model, uint8_t value)
{
	uint8_t old = model->memory[USBCS];

	model->memory[USBCS] = (old & USBCS_HSM) | (value & 0x0F);
	if (value & USBCS_DISCON && !(old & USBCS_DISCON)) {
		model->setup_active = model->suspended = false;
		model->memory[USBCS] &= (uint8_t)~USBCS_HSM;
	}
	if (!(value & USBCS_DISCON) && old & USBCS_DISCON)
		model->connections++;
}

/* TOGCTL: the endpoint is chosen by one write, and changed by the next. */
static void write_togctl(struct fx2_model *model, uint8_t value)
{
	uint8_t chosen = model->memory[TOGCTL] & 0x1F;
	struct fx2_fifo *fifo = chosen == 0x02 ? &model->ep2 : chosen == 0x16 ? &model->ep6 : NULL;

	model->memory[TOGCTL] = value;
	if (!(value & 0x60))
		return;
	if ((value & 0x1F) != chosen || !fifo || (value & 0x60) == 0x60)
		fx2_fault(model, "TOGCTL %02X after %02X", value, chosen);
	else
		fifo->toggle = value & 0x40;
}

static void write_ep0cs(struct fx2_model *model, uint8_t value)
{
	if (value & EPCS_HSNAK)
		model->hsnak = false;
	if (value & EPCS_STALL)
		model->stall = true;
}

static void write_ep0bcl(struct fx2_model *model, uint8_t value)
{
	model->memory[EP0BCL] = value;
	if (model->busy)
		fx2_fault(model, "EP0BCL is written while endpoint 0 is busy");
	if (model->setup[0] & 0x80 && value > 64)
		fx2_fault(model, "EP0BCL %u: packets of endpoint 0 have 64 bytes", value);
	model->busy = true;
}

bool fx2_usb_register_read(struct fx2_model *model, uint16_t address, uint8_t *value)
{
	switch (address) {
	case EP0CS:
		*value = (uint8_t)((model->hsnak ? EPCS_HSNAK : 0) | (model->busy ? EPCS_BUSY : 0) |
				   (model->stall ? EPCS_STALL : 0));
		return true;
	case USBIE:
	case USBIRQ:
	case USBCS:
	case WAKEUPCS:
	case TOGCTL:
	case EP0BCH:
	case EP0BCL: *value = model->memory[address]; return true;
	default:
		if (address < SETUPDAT || address >= SETUPDAT + 8)
			return false;
		*value = model->setup[address - SETUPDAT];
		return true;
	}
}

bool fx2_usb_register_write(struct fx2_model *model, uint16_t address, uint8_t value)
{
	switch (address) {
	case USBIRQ: /* ones clear; what stays set asks again */
		model->memory[USBIRQ] &= (uint8_t)~value;
		raise_event(model, model->memory[USBIRQ]);
		return true;
	case USBCS: write_usbcs(model, value); return true;
	case SUSPEND: model->sleep_wanted = true; return true;
	case TOGCTL: write_togctl(model, value); return true;
	case EP0CS: write_ep0cs(model, value); return true;
	case EP0BCL: write_ep0bcl(model, value); return true;
	case USBIE:
	case WAKEUPCS:
	case EP0BCH: model->memory[address] = value; return true;
	default: return false;
	}
}

/* ---- Endpoint 0, packet by packet ---- */

static bool is_in(const struct fx2_model *model)
{
	return model->setup[0] & 0x80;
}

static unsigned data_size(const struct fx2_model *model)
{
	return model->setup[6] | (unsigned)model->setup[7] << 8;
}

int fx2_model_setup(struct fx2_model *model, const uint8_t setup[8])
{
	if (!fx2_model_connected(model) || model->suspended)
		return FX2_NO_DEVICE;
	memcpy(model->setup, setup, 8);
	model->setup_active = true;
	model->moved = 0;
	model->data_finished = data_size(model) == 0;
	model->hsnak = true;
	model->busy = model->stall = false;
	model->memory[EP0BCL] = 64; /* says nothing until a packet has come */
	if (setup[0] == 0 && setup[1] == REQUEST_SET_ADDRESS)
		model->hsnak = false; /* the chip answers itself */
	else
		raise_event(model, USBIRQ_SUTOK | USBIRQ_SUDAV);
	return 0;
}

/* The data toggles of the host follow these requests: USB 2.0, 9.4.5 and 9.1.1.5. */
static void follow_request(struct fx2_model *model)
{
	const uint8_t *setup = model->setup;

	if (setup[1] == REQUEST_CLEAR_FEATURE && setup[0] == RECIPIENT_ENDPOINT) {
		if (setup[4] == 0x02)
			model->ep2.host_toggle = false;
		if (setup[4] == 0x86)
			model->ep6.host_toggle = false;
	}
	if ((setup[0] == 0 && setup[1] == REQUEST_SET_CONFIGURATION) ||
		(setup[0] == 1 && setup[1] == REQUEST_SET_INTERFACE))
		fx2_fifo_host_toggles(model);
}

/* The status stage, whichever its direction. */
static int finish(struct fx2_model *model)
{
	if (model->hsnak)
		return FX2_NAK;
	follow_request(model);
	model->setup_active = false;
	return 0;
}

static int ep0_state(const struct fx2_model *model)
{
	if (!fx2_model_connected(model) || model->suspended)
		return FX2_NO_DEVICE;
	if (!model->setup_active || model->stall)
		return FX2_STALL;
	return model->nak_all ? FX2_NAK : 0;
}

int fx2_model_ep0_in(struct fx2_model *model, uint8_t data[64])
{
	int result = ep0_state(model);
	unsigned size = model->memory[EP0BCL];

	if (result != 0)
		return result;
	if (!is_in(model))
		return finish(model);
	if (!model->busy || model->data_finished)
		return FX2_NAK;
	memcpy(data, model->memory + EP0BUF, size);
	model->busy = false;
	model->moved += size;
	model->data_finished = size < 64 || model->moved >= data_size(model);
	return (int)size;
}

int fx2_model_ep0_out(struct fx2_model *model, const uint8_t *data, unsigned size)
{
	int result = ep0_state(model);

	if (result != 0)
		return result;
	if (is_in(model))
		return finish(model);
	if (!model->busy)
		return FX2_NAK;
	memcpy(model->memory + EP0BUF, data, size);
	model->memory[EP0BCH] = 0;
	model->memory[EP0BCL] = (uint8_t)size;
	model->busy = false;
	model->moved += size;
	model->data_finished = model->moved >= data_size(model);
	return (int)size;
}

/* ---- Whole transfers ---- */

static int load(struct fx2_model *model, uint8_t *data)
{
	unsigned address = model->setup[2] | (unsigned)model->setup[3] << 8;

	for (unsigned i = 0; i < data_size(model); i++, address++) {
		bool known = address < FX2_MEMORY_SIZE || (address >= 0xE000 && address < 0xE200) ||
			     address == CPUCS;

		if (is_in(model))
			data[i] = known ? model->memory[address] : 0;
		else if (address == CPUCS)
			fx2_hold_processor(model, data[i] & CPUCS_RESET);
		else if (known)
			model->memory[address] = data[i];
		if (!is_in(model) && address < FX2_MEMORY_SIZE)
			model->loaded[address / 8] |= (uint8_t)(1u << (address & 7));
	}
	return (int)data_size(model);
}

/* Requests to a chip without firmware of its own. */
static int answer_bare(const struct fx2_model *model, uint8_t *data)
{
	const uint8_t *source = NULL;
	unsigned size = sizeof(bare_device);

	switch (model->setup[0] << 8 | model->setup[1]) {
	case REQUEST_SET_ADDRESS:
	case REQUEST_SET_CONFIGURATION: return 0;
	case 0x8000 | REQUEST_GET_CONFIGURATION: data[0] = 1; return data_size(model) > 0;
	case 0x8000 | REQUEST_GET_DESCRIPTOR:
		if (model->setup[3] == 1)
			source = bare_device;
		if (model->setup[3] == 2)
			source = bare_configuration;
		break;
	default: break;
	}
	if (!source)
		return FX2_STALL;
	if (data_size(model) < size)
		size = data_size(model);
	memcpy(data, source, size);
	return (int)size;
}

/* One step of the transfer; FX2_NAK means nothing moved. *done when the status stage is over. */
static int advance(struct fx2_model *model, uint8_t *data, bool *done)
{
	unsigned left = data_size(model) - model->moved;
	uint8_t packet[64];
	int result;

	if (!model->data_finished && !is_in(model))
		return fx2_model_ep0_out(model, data + model->moved, left < 64 ? left : 64);
	if (!model->data_finished) {
		unsigned at = model->moved;

		result = fx2_model_ep0_in(model, packet);
		if (result > 0 && (unsigned)result > left) {
			fx2_fault(model, "the firmware sends more than wLength");
			result = (int)left;
			model->moved = data_size(model);
		}
		if (result > 0)
			memcpy(data + at, packet, (size_t)result);
		return result;
	}
	result = is_in(model) ? fx2_model_ep0_out(model, NULL, 0) : fx2_model_ep0_in(model, packet);
	*done = result == 0;
	return result;
}

int fx2_model_control(
	struct fx2_model *model, const uint8_t setup[8], uint8_t *data, uint32_t timeout_us)
{
	uint64_t until = model->now + (uint64_t)timeout_us * FX2_CLOCKS_US;
	unsigned connections = model->connections;
	bool done = false;
	int result;

	if (!fx2_model_connected(model) || model->suspended)
		return FX2_NO_DEVICE;
	if ((setup[0] & 0x7F) == 0x40 && setup[1] == REQUEST_LOAD) {
		memcpy(model->setup, setup, 8);
		return load(model, data);
	}
	if (!(model->memory[USBCS] & USBCS_RENUM)) {
		memcpy(model->setup, setup, 8);
		return answer_bare(model, data);
	}
	fx2_model_setup(model, setup);
	while (!done) {
		result = advance(model, data, &done);
		if (result == FX2_STALL || result == FX2_NO_DEVICE)
			return result;
		if (result == FX2_NAK) {
			if (model->now >= until)
				return FX2_TIMEOUT;
			fx2_model_run(model, STEP_US);
		}
		if (model->connections != connections)
			return FX2_NO_DEVICE;
	}
	return (int)model->moved;
}
