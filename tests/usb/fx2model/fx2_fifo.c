/* The slave FIFOs of endpoints 2 (OUT) and 6 (IN), as TRM chapter 9 tells. */
#include <string.h>

#include "fx2_parts.h"

/* Registers that cross into the clock of the interface want time between two writes: TRM 15.15,
 * where 16 instruction cycles do for the slowest clock.
 */
#define SYNC_CYCLES  16
#define CYCLE_CLOCKS 4

void fx2_fifo_init(struct fx2_model *model)
{
	memset(&model->ep2, 0, sizeof(model->ep2));
	memset(&model->ep6, 0, sizeof(model->ep6));
	model->nak_all = false;
	model->memory[IFCONFIG] = 0x80;
	model->memory[EP1OUTCFG] = model->memory[EP1INCFG] = 0xA0;
	model->memory[EP2CFG] = 0xA2;
	model->memory[EP4CFG] = 0xA0;
	model->memory[EP6CFG] = 0xE2;
	model->memory[EP8CFG] = 0xE0;
	for (uint16_t address = EP2FIFOCFG; address <= EP8FIFOCFG; address++)
		model->memory[address] = 0x05;
	model->memory[EP6AUTOINLENH] = 2;
	model->memory[EP6AUTOINLENL] = 0;
}

bool fx2_is_slave_fifo(const struct fx2_model *model)
{
	return model->powered && (model->memory[IFCONFIG] & 3) == 3;
}

static unsigned buffers(const struct fx2_model *model, uint16_t config)
{
	static const unsigned counts[] = {4, 0, 2, 3};

	return counts[model->memory[config] & 3];
}

/* One endpoint with WORDWIDE makes FD wide for all. */
static bool is_wide(const struct fx2_model *model)
{
	bool wide = false;

	for (uint16_t address = EP2FIFOCFG; address <= EP8FIFOCFG; address++)
		wide |= model->memory[address] & 1;
	return wide;
}

static void reset_fifo(struct fx2_fifo *fifo)
{
	fifo->first = fifo->count = fifo->filling = fifo->reading = fifo->armed = 0;
	fifo->configured = true;
}

static struct fx2_fifo *fifo_of(struct fx2_model *model, unsigned endpoint)
{
	return endpoint == 2 ? &model->ep2 : endpoint == 6 ? &model->ep6 : NULL;
}

static void write_fiforeset(struct fx2_model *model, uint8_t value)
{
	struct fx2_fifo *fifo = fifo_of(model, value & 15);

	if ((value & 15) == 0) {
		model->nak_all = value & 0x80;
		return;
	}
	if (!model->nak_all)
		fx2_fault(model, "FIFORESET of an endpoint without NAKALL");
	if (model->memory[EP2FIFOCFG] & FIFOCFG_AUTOOUT)
		fx2_fault(model, "FIFORESET with AUTOOUT");
	if (fifo)
		reset_fifo(fifo);
}

static void write_outpktend(struct fx2_model *model, uint8_t value)
{
	if (!(model->memory[REVCTL] & 1))
		fx2_fault(model, "OUTPKTEND without ENH_PKT");
	if ((value & 0x8F) != 0x82)
		fx2_fault(model, "OUTPKTEND %02X is not modelled", value);
	if (model->memory[EP2FIFOCFG] & FIFOCFG_AUTOOUT)
		fx2_fault(model, "OUTPKTEND with AUTOOUT");
	if (model->ep2.armed + model->ep2.count < buffers(model, EP2CFG))
		model->ep2.armed++;
	else
		fx2_fault(model, "OUTPKTEND: all buffers are armed");
}

static void commit(struct fx2_fifo *fifo)
{
	fifo->sizes[(fifo->first + fifo->count) % FX2_BUFFERS_MAX] = fifo->filling;
	fifo->count++;
	fifo->filling = 0;
}

static void write_inpktend(struct fx2_model *model, uint8_t value)
{
	if (value != 6)
		fx2_fault(model, "INPKTEND %02X is not modelled", value);
	if (model->ep6.filling == 0)
		fx2_fault(model, "INPKTEND sends an empty packet");
	else
		commit(&model->ep6);
}

static bool is_full(const struct fx2_model *model)
{
	return model->ep6.count >= buffers(model, EP6CFG);
}

static bool is_empty(const struct fx2_model *model)
{
	return model->ep2.count == 0 || !(model->memory[EP2FIFOCFG] & FIFOCFG_AUTOOUT);
}

uint8_t fx2_fifo_flags(const struct fx2_model *model, unsigned endpoint)
{
	if (endpoint == 2)
		return is_empty(model) ? 2 : model->ep2.count >= buffers(model, EP2CFG);
	return (uint8_t)((model->ep6.filling == 0 && !is_full(model) ? 2 : 0) | is_full(model));
}

/* EPxCS: packets, full, empty. For the processor an IN endpoint is empty when no packet waits for
 * the host.
 */
static uint8_t status(const struct fx2_fifo *fifo, unsigned count_max)
{
	unsigned full = fifo->count >= count_max, empty = fifo->count == 0;

	return (uint8_t)(fifo->count << 4 | full << 3 | empty << 2);
}

uint8_t fx2_fifo_status(const struct fx2_model *model)
{
	uint8_t in = status(&model->ep6, buffers(model, EP6CFG)) >> 2 & 3;
	uint8_t out = status(&model->ep2, buffers(model, EP2CFG)) >> 2 & 3;

	return (uint8_t)(0x44 | in << 4 | out);
}

/* The chip's own rules about time and order of configuration. */
static void check_delay(struct fx2_model *model)
{
	if (model->fifo_written && model->now - model->fifo_write_time < SYNC_CYCLES * CYCLE_CLOCKS)
		fx2_fault(model, "too little time between writes to FIFO registers");
	model->fifo_written = true;
	model->fifo_write_time = model->now;
}

static bool wants_delay(uint16_t address)
{
	return address == FIFORESET || address == FIFOPINPOLAR || address == INPKTEND ||
	       address == OUTPKTEND || address == PINFLAGSAB || address == PINFLAGSCD ||
	       address == REVCTL || (address >= EP2FIFOCFG && address <= EP8FIFOCFG) ||
	       (address >= EP2AUTOINLENH && address <= EP8AUTOINLENL);
}

bool fx2_fifo_register_read(struct fx2_model *model, uint16_t address, uint8_t *value)
{
	bool bytes_low = address == EP6FIFOBCL;

	switch (address) {
	case EP2CS:
	case EP6CS: {
		uint16_t config = address == EP2CS ? EP2CFG : EP6CFG;
		const struct fx2_fifo *fifo = address == EP2CS ? &model->ep2 : &model->ep6;

		*value = status(fifo, buffers(model, config)) |
			 (model->memory[address] & EPCS_STALL);
		return true;
	}
	case EP2FIFOFLGS: *value = fx2_fifo_flags(model, 2); return true;
	case EP6FIFOFLGS: *value = fx2_fifo_flags(model, 6); return true;
	case EP6FIFOBCH:
	case EP6FIFOBCL:
		*value = (uint8_t)(bytes_low ? model->ep6.filling : model->ep6.filling >> 8);
		return true;
	default:
		if (address != IFCONFIG && address != REVCTL && !wants_delay(address) &&
			(address < EP1OUTCFG || address > EP8CFG))
			return false;
		*value = model->memory[address];
		return true;
	}
}

static void write_config(struct fx2_model *model, uint16_t address, uint8_t value)
{
	if (value & EPCFG_VALID && (address == EP4CFG || address == EP8CFG))
		fx2_fault(model, "endpoints 4 and 8 are not modelled");
	if (address == EP2CFG) {
		if (value & EPCFG_VALID && (value & 0x7C) != 0x20)
			fx2_fault(model, "EP2CFG %02X: only bulk OUT of 512 is modelled", value);
		model->ep2.configured = false;
	}
	if (address == EP6CFG) {
		if (value & EPCFG_VALID && (value & 0x7C) != 0x60)
			fx2_fault(model, "EP6CFG %02X: only bulk IN of 512 is modelled", value);
		model->ep6.configured = false;
	}
	model->memory[address] = value;
}

bool fx2_fifo_register_write(struct fx2_model *model, uint16_t address, uint8_t value)
{
	if (wants_delay(address))
		check_delay(model);
	switch (address) {
	case FIFORESET: write_fiforeset(model, value); return true;
	case INPKTEND: write_inpktend(model, value); return true;
	case OUTPKTEND: write_outpktend(model, value); return true;
	case EP2CS:
	case EP6CS: model->memory[address] = value & EPCS_STALL; return true;
	case FIFOPINPOLAR:
		if (value != 0)
			fx2_fault(model, "FIFOPINPOLAR: only active low is modelled");
		break;
	case IFCONFIG:
		model->memory[address] = value;
		fx2_pins_changed(model);
		return true;
	case REVCTL: break;
	default:
		if (address >= EP1OUTCFG && address <= EP8CFG) {
			write_config(model, address, value);
			return true;
		}
		if (!wants_delay(address))
			return false;
	}
	model->memory[address] = value;
	return true;
}

/* ---- The FPGA's side ---- */

static bool flag(const struct fx2_model *model, unsigned assignment)
{
	if (!fx2_is_slave_fifo(model))
		return false;
	switch (assignment) {
	case 0x8: return !is_empty(model);
	case 0xE: return !is_full(model);
	default: return false;
	}
}

bool fx2_model_flag_a(const struct fx2_model *model)
{
	return flag(model, model->memory[PINFLAGSAB] & 15);
}

bool fx2_model_flag_b(const struct fx2_model *model)
{
	return flag(model, model->memory[PINFLAGSAB] >> 4);
}

static unsigned packet_size(const struct fx2_model *model)
{
	unsigned size = model->memory[EP6AUTOINLENH] * 256u + model->memory[EP6AUTOINLENL];

	return size > FX2_PACKET_MAX ? FX2_PACKET_MAX : size;
}

/* Four buffers of endpoints 2 and 6 are where those of 4 and 8 would be: TRM figure 1-17. */
static void check_buffers(struct fx2_model *model)
{
	if ((model->memory[EP4CFG] | model->memory[EP8CFG]) & EPCFG_VALID)
		fx2_fault(model, "endpoints 4 and 8 have no buffers left");
}

static bool in_fifo_works(struct fx2_model *model)
{
	if (!fx2_is_slave_fifo(model) || !(model->memory[EP6CFG] & EPCFG_VALID))
		return false;
	if (!model->ep6.configured)
		fx2_fault(model, "EP6 is used without FIFORESET after EP6CFG");
	if (!(model->memory[EP6FIFOCFG] & FIFOCFG_AUTOIN))
		fx2_fault(model, "EP6 is used without AUTOIN");
	check_buffers(model);
	if (packet_size(model) == 0)
		fx2_fault(model, "EP6AUTOINLEN is 0");
	return !model->fault[0];
}

size_t fx2_model_fifo_write(struct fx2_model *model, const uint8_t *data, size_t size)
{
	struct fx2_fifo *fifo = &model->ep6;
	unsigned limit = packet_size(model);
	size_t done = 0;

	if (!in_fifo_works(model))
		return 0;
	if (is_wide(model) && size % 2 != 0)
		fx2_fault(model, "an odd number of bytes on a 16-bit FD");
	while (done < size && !is_full(model)) {
		unsigned index = (fifo->first + fifo->count) % FX2_BUFFERS_MAX;
		size_t part =
			size - done < limit - fifo->filling ? size - done : limit - fifo->filling;

		memcpy(fifo->packets[index] + fifo->filling, data + done, part);
		fifo->filling += (unsigned)part;
		done += part;
		if (fifo->filling == limit)
			commit(fifo);
	}
	return done;
}

void fx2_model_fifo_pktend(struct fx2_model *model)
{
	bool empty_too = model->memory[EP6FIFOCFG] & FIFOCFG_ZEROLEN;

	if (!in_fifo_works(model) || is_full(model))
		return;
	if (model->ep6.filling > 0 || empty_too)
		commit(&model->ep6);
}

static void next_packet(struct fx2_fifo *fifo)
{
	fifo->first = (fifo->first + 1) % FX2_BUFFERS_MAX;
	fifo->count--;
	fifo->reading = 0;
}

size_t fx2_model_fifo_read(struct fx2_model *model, uint8_t *data, size_t size)
{
	struct fx2_fifo *fifo = &model->ep2;
	size_t done = 0;

	if (!fx2_is_slave_fifo(model))
		return 0;
	while (done < size && !is_empty(model)) {
		size_t left = fifo->sizes[fifo->first] - fifo->reading;
		size_t part = size - done < left ? size - done : left;

		memcpy(data + done, fifo->packets[fifo->first] + fifo->reading, part);
		fifo->reading += (unsigned)part;
		done += part;
		if (fifo->reading == fifo->sizes[fifo->first]) {
			next_packet(fifo);
			fifo->armed++; /* AUTOOUT gives the buffer back */
		}
	}
	return done;
}

/* ---- The host's side ---- */

void fx2_fifo_host_toggles(struct fx2_model *model)
{
	model->ep2.host_toggle = model->ep6.host_toggle = false;
}

/* What an endpoint answers whatever it holds: 0 when it takes part. */
static int endpoint_state(
	struct fx2_model *model, const struct fx2_fifo *fifo, uint16_t config, uint16_t control)
{
	if (!fx2_model_connected(model) || model->suspended ||
		!(model->memory[USBCS] & USBCS_RENUM))
		return FX2_NO_DEVICE;
	if (!(model->memory[config] & EPCFG_VALID))
		return FX2_NO_DEVICE;
	check_buffers(model);
	if (!fifo->configured) {
		fx2_fault(model, "an endpoint is used without FIFORESET after EPxCFG");
		return FX2_NO_DEVICE;
	}
	if (model->memory[control] & EPCS_STALL)
		return FX2_STALL;
	return model->nak_all ? FX2_NAK : 0;
}

static int take_packet(struct fx2_model *model, uint8_t *data)
{
	struct fx2_fifo *fifo = &model->ep6;
	unsigned size = fifo->sizes[fifo->first];
	bool wanted = fifo->toggle == fifo->host_toggle;

	if (wanted) {
		memcpy(data, fifo->packets[fifo->first], size);
		fifo->host_toggle = !fifo->host_toggle;
	}
	/* A host takes a packet with the other toggle for a repetition: it acknowledges it and
	 * throws it away.
	 */
	fifo->toggle = !fifo->toggle;
	next_packet(fifo);
	return wanted ? (int)size : FX2_NAK;
}

int fx2_model_in(struct fx2_model *model, uint8_t address, uint8_t *data)
{
	int result;

	if (address != 0x86)
		return FX2_NO_DEVICE;
	result = endpoint_state(model, &model->ep6, EP6CFG, EP6CS);
	if (result != 0)
		return result;
	result = FX2_NAK;
	while (model->ep6.count > 0 && result == FX2_NAK)
		result = take_packet(model, data);
	return result;
}

int fx2_model_out(struct fx2_model *model, uint8_t address, const uint8_t *data, unsigned size)
{
	struct fx2_fifo *fifo = &model->ep2;
	unsigned index, size_max = model->memory[USBCS] & USBCS_HSM ? 512 : 64;
	int result;

	if (address != 0x02 || size > size_max)
		return FX2_NO_DEVICE;
	result = endpoint_state(model, fifo, EP2CFG, EP2CS);
	if (result != 0)
		return result;
	if (fifo->armed == 0)
		return FX2_NAK;
	if (fifo->toggle != fifo->host_toggle) {
		fifo->host_toggle = !fifo->host_toggle;
		return (int)size; /* acknowledged as a repetition, and forgotten */
	}
	fifo->toggle = fifo->host_toggle = !fifo->toggle;
	if (size == 0)
		return 0; /* AUTOOUT gives the buffer back at once */
	index = (fifo->first + fifo->count) % FX2_BUFFERS_MAX;
	memcpy(fifo->packets[index], data, size);
	fifo->sizes[index] = size;
	fifo->count++;
	fifo->armed--;
	return (int)size;
}
