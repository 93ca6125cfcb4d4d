/* The slave FIFOs of endpoints 2 (OUT) and 6 (IN), as TRM chapter 9 describes them. */
#include <string.h>

#include "fx2_parts.h"

/* Registers that cross into the clock of the interface want time between two writes: TRM 15.15,
 * where 16 instruction cycles do for the slowest clock.
 */
#define SYNC_CYCLES  16
#define CYCLE_CLOCKS 4

void fx2_fifo_init(struct fx2_chip *chip)
{
	memset(&chip->ep2, 0, sizeof(chip->ep2));
	memset(&chip->ep6, 0, sizeof(chip->ep6));
	chip->nak_all = false;
	chip->memory[IFCONFIG] = 0x80;
	chip->memory[EP1OUTCFG] = chip->memory[EP1INCFG] = 0xA0;
	chip->memory[EP2CFG] = 0xA2;
	chip->memory[EP4CFG] = 0xA0;
	chip->memory[EP6CFG] = 0xE2;
	chip->memory[EP8CFG] = 0xE0;
	for (unsigned address = EP2FIFOCFG; address <= EP8FIFOCFG; address++)
		chip->memory[address] = 0x05;
	chip->memory[EP6AUTOINLENH] = 2;
	chip->memory[EP6AUTOINLENL] = 0;
}

bool fx2_is_slave_fifo(const struct fx2_chip *chip)
{
	return chip->powered && (chip->memory[IFCONFIG] & 3) == 3;
}

static unsigned buffers(const struct fx2_chip *chip, uint16_t config)
{
	static const unsigned counts[] = {4, 0, 2, 3};

	return counts[chip->memory[config] & 3];
}

/* One endpoint with WORDWIDE makes FD wide for all. */
static bool is_wide(const struct fx2_chip *chip)
{
	bool wide = false;

	for (unsigned address = EP2FIFOCFG; address <= EP8FIFOCFG; address++)
		wide |= chip->memory[address] & 1;
	return wide;
}

static void reset_fifo(struct fx2_fifo *fifo)
{
	fifo->first = fifo->count = fifo->filling = fifo->reading = fifo->armed = 0;
	fifo->configured = true;
}

static struct fx2_fifo *fifo_of(struct fx2_chip *chip, unsigned endpoint)
{
	return endpoint == 2 ? &chip->ep2 : endpoint == 6 ? &chip->ep6 : NULL;
}

static void write_fiforeset(struct fx2_chip *chip, uint8_t value)
{
	struct fx2_fifo *fifo = fifo_of(chip, value & 15);

	if ((value & 15) == 0) {
		chip->nak_all = value & 0x80;
		return;
	}
	if (!chip->nak_all)
		fx2_fault(chip, "FIFORESET of an endpoint without NAKALL");
	if (chip->memory[EP2FIFOCFG] & FIFOCFG_AUTOOUT)
		fx2_fault(chip, "FIFORESET with AUTOOUT");
	if (fifo)
		reset_fifo(fifo);
}

static void write_outpktend(struct fx2_chip *chip, uint8_t value)
{
	if (!(chip->memory[REVCTL] & 1))
		fx2_fault(chip, "OUTPKTEND without ENH_PKT");
	if ((value & 0x8F) != 0x82)
		fx2_fault(chip, "OUTPKTEND %02X is not modelled", value);
	if (chip->memory[EP2FIFOCFG] & FIFOCFG_AUTOOUT)
		fx2_fault(chip, "OUTPKTEND with AUTOOUT");
	if (chip->ep2.armed + chip->ep2.count < buffers(chip, EP2CFG))
		chip->ep2.armed++;
	else
		fx2_fault(chip, "OUTPKTEND: all buffers are armed");
}

static void commit(struct fx2_fifo *fifo)
{
	fifo->sizes[(fifo->first + fifo->count) % FX2_BUFFERS_MAX] = fifo->filling;
	fifo->count++;
	fifo->filling = 0;
}

static void write_inpktend(struct fx2_chip *chip, uint8_t value)
{
	if (value != 6)
		fx2_fault(chip, "INPKTEND %02X is not modelled", value);
	if (chip->ep6.filling == 0)
		fx2_fault(chip, "INPKTEND sends an empty packet");
	else
		commit(&chip->ep6);
}

static bool is_full(const struct fx2_chip *chip)
{
	return chip->ep6.count >= buffers(chip, EP6CFG);
}

static bool is_empty(const struct fx2_chip *chip)
{
	return chip->ep2.count == 0 || !(chip->memory[EP2FIFOCFG] & FIFOCFG_AUTOOUT);
}

uint8_t fx2_fifo_flags(const struct fx2_chip *chip, unsigned endpoint)
{
	if (endpoint == 2)
		return is_empty(chip) ? 2 : chip->ep2.count >= buffers(chip, EP2CFG);
	return (uint8_t)((chip->ep6.filling == 0 && !is_full(chip) ? 2 : 0) | is_full(chip));
}

/* EPxCS: packets, full, empty. For the processor an IN endpoint is empty when no packet waits for
 * the host.
 */
static uint8_t status(const struct fx2_fifo *fifo, unsigned count_max)
{
	unsigned full = fifo->count >= count_max, empty = fifo->count == 0;

	return (uint8_t)(fifo->count << 4 | full << 3 | empty << 2);
}

uint8_t fx2_fifo_status(const struct fx2_chip *chip)
{
	uint8_t in = status(&chip->ep6, buffers(chip, EP6CFG)) >> 2 & 3;
	uint8_t out = status(&chip->ep2, buffers(chip, EP2CFG)) >> 2 & 3;

	return (uint8_t)(0x44 | in << 4 | out);
}

/* The chip's own rules about time and order of configuration. */
static void check_delay(struct fx2_chip *chip)
{
	if (chip->fifo_written && chip->now - chip->fifo_write_time < SYNC_CYCLES * CYCLE_CLOCKS)
		fx2_fault(chip, "too little time between writes to FIFO registers");
	chip->fifo_written = true;
	chip->fifo_write_time = chip->now;
}

static bool wants_delay(uint16_t address)
{
	return address == FIFORESET || address == FIFOPINPOLAR || address == INPKTEND ||
	       address == OUTPKTEND || address == PINFLAGSAB || address == PINFLAGSCD ||
	       address == REVCTL || (address >= EP2FIFOCFG && address <= EP8FIFOCFG) ||
	       (address >= EP2AUTOINLENH && address <= EP8AUTOINLENL);
}

bool fx2_fifo_register_read(struct fx2_chip *chip, uint16_t address, uint8_t *value)
{
	bool bytes_low = address == EP6FIFOBCL;

	switch (address) {
	case EP2CS:
	case EP6CS: {
		uint16_t config = address == EP2CS ? EP2CFG : EP6CFG;
		const struct fx2_fifo *fifo = address == EP2CS ? &chip->ep2 : &chip->ep6;

		*value = status(fifo, buffers(chip, config)) | (chip->memory[address] & EPCS_STALL);
		return true;
	}
	case EP2FIFOFLGS: *value = fx2_fifo_flags(chip, 2); return true;
	case EP6FIFOFLGS: *value = fx2_fifo_flags(chip, 6); return true;
	case EP6FIFOBCH:
	case EP6FIFOBCL:
		*value = (uint8_t)(bytes_low ? chip->ep6.filling : chip->ep6.filling >> 8);
		return true;
	default:
		if (address != IFCONFIG && address != REVCTL && !wants_delay(address) &&
			(address < EP1OUTCFG || address > EP8CFG))
			return false;
		*value = chip->memory[address];
		return true;
	}
}

static void write_config(struct fx2_chip *chip, uint16_t address, uint8_t value)
{
	if (value & EPCFG_VALID && (address == EP4CFG || address == EP8CFG))
		fx2_fault(chip, "endpoints 4 and 8 are not modelled");
	if (address == EP2CFG) {
		if (value & EPCFG_VALID && (value & 0x7C) != 0x20)
			fx2_fault(chip, "EP2CFG %02X: only bulk OUT of 512 is modelled", value);
		chip->ep2.configured = false;
	}
	if (address == EP6CFG) {
		if (value & EPCFG_VALID && (value & 0x7C) != 0x60)
			fx2_fault(chip, "EP6CFG %02X: only bulk IN of 512 is modelled", value);
		chip->ep6.configured = false;
	}
	chip->memory[address] = value;
}

bool fx2_fifo_register_write(struct fx2_chip *chip, uint16_t address, uint8_t value)
{
	if (wants_delay(address))
		check_delay(chip);
	switch (address) {
	case FIFORESET: write_fiforeset(chip, value); return true;
	case INPKTEND: write_inpktend(chip, value); return true;
	case OUTPKTEND: write_outpktend(chip, value); return true;
	case EP2CS:
	case EP6CS: chip->memory[address] = value & EPCS_STALL; return true;
	case FIFOPINPOLAR:
		if (value != 0)
			fx2_fault(chip, "FIFOPINPOLAR: only active low is modelled");
		break;
	case IFCONFIG:
		chip->memory[address] = value;
		fx2_pins_changed(chip);
		return true;
	case REVCTL: break;
	default:
		if (address >= EP1OUTCFG && address <= EP8CFG) {
			write_config(chip, address, value);
			return true;
		}
		if (!wants_delay(address))
			return false;
	}
	chip->memory[address] = value;
	return true;
}

/* ---- The FPGA's side ---- */

static bool flag(const struct fx2_chip *chip, unsigned assignment)
{
	if (!fx2_is_slave_fifo(chip))
		return false;
	switch (assignment) {
	case 0x8: return !is_empty(chip);
	case 0xE: return !is_full(chip);
	default: return false;
	}
}

bool fx2_chip_flag_a(const struct fx2_chip *chip)
{
	return flag(chip, chip->memory[PINFLAGSAB] & 15);
}

bool fx2_chip_flag_b(const struct fx2_chip *chip)
{
	return flag(chip, chip->memory[PINFLAGSAB] >> 4);
}

static unsigned packet_size(const struct fx2_chip *chip)
{
	unsigned size = chip->memory[EP6AUTOINLENH] * 256u + chip->memory[EP6AUTOINLENL];

	return size > FX2_PACKET_MAX ? FX2_PACKET_MAX : size;
}

/* Four buffers of endpoints 2 and 6 are where those of 4 and 8 would be: TRM figure 1-17. */
static void check_buffers(struct fx2_chip *chip)
{
	if ((chip->memory[EP4CFG] | chip->memory[EP8CFG]) & EPCFG_VALID)
		fx2_fault(chip, "endpoints 4 and 8 have no buffers left");
}

static bool in_fifo_works(struct fx2_chip *chip)
{
	if (!fx2_is_slave_fifo(chip) || !(chip->memory[EP6CFG] & EPCFG_VALID))
		return false;
	if (!chip->ep6.configured)
		fx2_fault(chip, "EP6 is used without FIFORESET after EP6CFG");
	if (!(chip->memory[EP6FIFOCFG] & FIFOCFG_AUTOIN))
		fx2_fault(chip, "EP6 is used without AUTOIN");
	check_buffers(chip);
	if (packet_size(chip) == 0)
		fx2_fault(chip, "EP6AUTOINLEN is 0");
	return !chip->fault[0];
}

size_t fx2_chip_fifo_write(struct fx2_chip *chip, const uint8_t *data, size_t size)
{
	struct fx2_fifo *fifo = &chip->ep6;
	unsigned limit = packet_size(chip);
	size_t done = 0;

	if (!in_fifo_works(chip))
		return 0;
	if (is_wide(chip) && size % 2 != 0)
		fx2_fault(chip, "an odd number of bytes on a 16-bit FD");
	while (done < size && !is_full(chip)) {
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

void fx2_chip_fifo_pktend(struct fx2_chip *chip)
{
	bool empty_too = chip->memory[EP6FIFOCFG] & FIFOCFG_ZEROLEN;

	if (!in_fifo_works(chip) || is_full(chip))
		return;
	if (chip->ep6.filling > 0 || empty_too)
		commit(&chip->ep6);
}

static void next_packet(struct fx2_fifo *fifo)
{
	fifo->first = (fifo->first + 1) % FX2_BUFFERS_MAX;
	fifo->count--;
	fifo->reading = 0;
}

size_t fx2_chip_fifo_read(struct fx2_chip *chip, uint8_t *data, size_t size)
{
	struct fx2_fifo *fifo = &chip->ep2;
	size_t done = 0;

	if (!fx2_is_slave_fifo(chip))
		return 0;
	while (done < size && !is_empty(chip)) {
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

void fx2_fifo_host_toggles(struct fx2_chip *chip)
{
	chip->ep2.host_toggle = chip->ep6.host_toggle = false;
}

/* What an endpoint answers whatever it holds: 0 when it takes part. */
static int endpoint_state(
	struct fx2_chip *chip, const struct fx2_fifo *fifo, uint16_t config, uint16_t control)
{
	if (!fx2_chip_connected(chip) || chip->suspended || !(chip->memory[USBCS] & USBCS_RENUM))
		return FX2_NO_DEVICE;
	if (!(chip->memory[config] & EPCFG_VALID))
		return FX2_NO_DEVICE;
	check_buffers(chip);
	if (!fifo->configured) {
		fx2_fault(chip, "an endpoint is used without FIFORESET after EPxCFG");
		return FX2_NO_DEVICE;
	}
	if (chip->memory[control] & EPCS_STALL)
		return FX2_STALL;
	return chip->nak_all ? FX2_NAK : 0;
}

static int take_packet(struct fx2_chip *chip, uint8_t *data)
{
	struct fx2_fifo *fifo = &chip->ep6;
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

int fx2_chip_in(struct fx2_chip *chip, uint8_t address, uint8_t *data)
{
	int result;

	if (address != 0x86)
		return FX2_NO_DEVICE;
	result = endpoint_state(chip, &chip->ep6, EP6CFG, EP6CS);
	if (result != 0)
		return result;
	result = FX2_NAK;
	while (chip->ep6.count > 0 && result == FX2_NAK)
		result = take_packet(chip, data);
	return result;
}

int fx2_chip_out(struct fx2_chip *chip, uint8_t address, const uint8_t *data, unsigned size)
{
	struct fx2_fifo *fifo = &chip->ep2;
	unsigned index, size_max = chip->memory[USBCS] & USBCS_HSM ? 512 : 64;
	int result;

	if (address != 0x02 || size > size_max)
		return FX2_NO_DEVICE;
	result = endpoint_state(chip, fifo, EP2CFG, EP2CS);
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
