/* Earshot's own requests. A table says which numbers each one takes, so every request is checked as
 * a whole, in one place, before anything is done.
 */
#include "requests.h"

#include "clock.h"
#include "common/protocol/ear_protocol.h"
#include "counters.h"
#include "eeprom.h"
#include "ep0.h"
#include "fpga.h"
#include "fx2lp.h"
#include "link.h"
#include "settings.h"
#include "version.h"

#define TYPE_READ  0xC0
#define TYPE_WRITE 0x40

#define LINK_KNOWN \
	(EAR_USB_LINK_NAMED | EAR_USB_LINK_WIDE | EAR_USB_LINK_PACKET_64 | \
		EAR_USB_LINK_IFCLK_INPUT | EAR_USB_LINK_IFCLK_INVERTED)
#define FPGA_KNOWN (EAR_USB_FPGA_LSB_FIRST | EAR_USB_FPGA_NO_INIT)

static void put16(uint8_t offset, uint16_t value)
{
	EP0BUF[offset] = value & 0xFF;
	EP0BUF[offset + 1] = value >> 8;
}

static void put32(uint8_t offset, uint32_t value)
{
	put16(offset, (uint16_t)value);
	put16(offset + 2, (uint16_t)(value >> 16));
}

static void clear_answer(uint8_t size)
{
	uint8_t i;

	for (i = 0; i < size; i++)
		EP0BUF[i] = 0;
}

/* The end of a request without an answer. */
static void finish(uint8_t error)
{
	if (error == EAR_USB_ERROR_NONE)
		ep0_acknowledge();
	else
		ep0_refuse(error);
}

static void identify(void)
{
	bool high = link_is_high_speed();

	clear_answer(EAR_USB_IDENTIFY_SIZE);
	EP0BUF[EAR_USB_IDENTIFY_MAGIC] = 'E';
	EP0BUF[EAR_USB_IDENTIFY_MAGIC + 1] = 'A';
	EP0BUF[EAR_USB_IDENTIFY_MAGIC + 2] = 'R';
	EP0BUF[EAR_USB_IDENTIFY_MAGIC + 3] = 'U';
	EP0BUF[EAR_USB_IDENTIFY_MAJOR] = EAR_USB_VERSION_MAJOR;
	EP0BUF[EAR_USB_IDENTIFY_MINOR] = EAR_USB_VERSION_MINOR;
	EP0BUF[EAR_USB_IDENTIFY_PROTOCOL_MAJOR] = EAR_PROTOCOL_MAJOR;
	EP0BUF[EAR_USB_IDENTIFY_PROTOCOL_MINOR] = EAR_PROTOCOL_MINOR;
	put16(EAR_USB_IDENTIFY_FIRMWARE, FIRMWARE_VERSION);
	EP0BUF[EAR_USB_IDENTIFY_CHIP] = REVID;
	EP0BUF[EAR_USB_IDENTIFY_SPEED] = high ? 2 : 1;
	put16(EAR_USB_IDENTIFY_PACKET, high ? EAR_USB_PACKET_HIGH : EAR_USB_PACKET_FULL);
	EP0BUF[EAR_USB_IDENTIFY_LINK] = link_flags;
	ep0_send(EAR_USB_IDENTIFY_SIZE);
}

static uint8_t state(void)
{
	uint8_t bits = 0;

	if (link_running)
		bits |= EAR_USB_STATE_RUNNING;
	if (requests_configured)
		bits |= EAR_USB_STATE_CONFIGURED;
	if (link_is_high_speed())
		bits |= EAR_USB_STATE_HIGH_SPEED;
	if (fpga_done())
		bits |= EAR_USB_STATE_FPGA_DONE;
	if (fpga_loading)
		bits |= EAR_USB_STATE_FPGA_LOADING;
	if (EP6FIFOFLGS & FIFOFLGS_FF)
		bits |= EAR_USB_STATE_IN_FULL;
	if (link_is_halted(EAR_USB_ENDPOINT_IN))
		bits |= EAR_USB_STATE_IN_HALTED;
	if (link_is_halted(EAR_USB_ENDPOINT_OUT))
		bits |= EAR_USB_STATE_OUT_HALTED;
	return bits;
}

static void status(bool clear)
{
	uint8_t i;

	clear_answer(EAR_USB_STATUS_SIZE);
	EP0BUF[EAR_USB_STATUS_STATE] = state();
	EP0BUF[EAR_USB_STATUS_ERROR] = last_error;
	EP0BUF[EAR_USB_STATUS_IN_PACKETS] = EP6CS >> 4 & 7;
	EP0BUF[EAR_USB_STATUS_OUT_PACKETS] = EP2CS >> 4 & 7;
	EP0BUF[EAR_USB_STATUS_IN_BYTES] = EP6FIFOBCL;
	EP0BUF[EAR_USB_STATUS_IN_BYTES + 1] = EP6FIFOBCH;
	for (i = 0; i < COUNT_OF_COUNTERS; i++)
		put16(EAR_USB_STATUS_STARTS + 2 * i, counters[i]);
	put16(EAR_USB_STATUS_WATCHDOG, clock_watchdog_count());
	put32(EAR_USB_STATUS_FPGA_BYTES, fpga_bytes);
	put32(EAR_USB_STATUS_UPTIME, clock_uptime());
	if (clear)
		counters_clear();
	ep0_send(EAR_USB_STATUS_SIZE);
}

static uint8_t start(void)
{
	uint8_t flags = (uint8_t)setup.value;

	if (flags != 0 && !(flags & EAR_USB_LINK_NAMED))
		return EAR_USB_ERROR_VALUE;
	if (!requests_configured || fpga_loading)
		return EAR_USB_ERROR_STATE;
	if (flags == 0)
		flags = settings_link();
	if (!link_is_high_speed() && !(flags & EAR_USB_LINK_PACKET_64))
		return EAR_USB_ERROR_SPEED;
	link_start(flags);
	return EAR_USB_ERROR_NONE;
}

static uint8_t reset_fifos(void)
{
	if (!requests_configured)
		return EAR_USB_ERROR_STATE;
	link_reset_fifos();
	return EAR_USB_ERROR_NONE;
}

static uint8_t begin_bitstream(void)
{
	link_stop();
	return fpga_begin((uint8_t)setup.value);
}

/* Any number of packets; the first fault ends it. */
static void take_bitstream(void)
{
	uint16_t left = setup.length;
	uint8_t size, error;

	while (left > 0) {
		if (!ep0_receive(&size))
			return;
		if (size == 0 || size > left) {
			ep0_refuse(EAR_USB_ERROR_LENGTH);
			return;
		}
		error = fpga_write(size);
		if (error != EAR_USB_ERROR_NONE) {
			ep0_refuse(error);
			return;
		}
		left -= size;
	}
	ep0_acknowledge();
}

static void read_eeprom(void)
{
	uint8_t error = eeprom_read(setup.value, (uint8_t)setup.length);

	if (error == EAR_USB_ERROR_NONE)
		ep0_send((uint8_t)setup.length);
	else
		ep0_refuse(error);
}

static void write_eeprom(void)
{
	uint8_t size;

	if (!ep0_receive(&size))
		return;
	if (size != setup.length)
		ep0_refuse(EAR_USB_ERROR_LENGTH);
	else
		finish(eeprom_write(setup.value, size));
}

static void reboot(void)
{
	ep0_acknowledge();
	clock_restart();
}

/* What a request wants of its numbers. */
struct shape {
	uint8_t request, type;
	uint16_t value_mask; /* bits of wValue that may be set */
	uint16_t index;
	uint16_t length_min, length_max;
};

static const __code struct shape shapes[] = {
	{EAR_USB_REQUEST_IDENTIFY, TYPE_READ, 0, 0, 1, 0xFFFF},
	{EAR_USB_REQUEST_STATUS, TYPE_READ, 1, 0, 1, 0xFFFF},
	{EAR_USB_REQUEST_START, TYPE_WRITE, LINK_KNOWN, 0, 0, 0},
	{EAR_USB_REQUEST_STOP, TYPE_WRITE, 0, 0, 0, 0},
	{EAR_USB_REQUEST_RESET_FIFOS, TYPE_WRITE, 0, 0, 0, 0},
	{EAR_USB_REQUEST_FPGA_BEGIN, TYPE_WRITE, FPGA_KNOWN, 0, 0, 0},
	{EAR_USB_REQUEST_FPGA_DATA, TYPE_WRITE, 0, 0, 1, 0xFFFF},
	{EAR_USB_REQUEST_FPGA_END, TYPE_WRITE, 0, 0, 0, 0},
	{EAR_USB_REQUEST_EEPROM_READ, TYPE_READ, 0xFFFF, 0, 1, 64},
	{EAR_USB_REQUEST_EEPROM_WRITE, TYPE_WRITE, 0xFFFF, EAR_USB_KEY_EEPROM, 1, 64},
	{EAR_USB_REQUEST_REBOOT, TYPE_WRITE, 0, EAR_USB_KEY_REBOOT, 0, 0},
};

static uint8_t check(void)
{
	const __code struct shape *shape = shapes;
	uint8_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++, shape++)
		if (shape->request == setup.request && shape->type == setup.type)
			break;
	if (i == sizeof(shapes) / sizeof(shapes[0]))
		return EAR_USB_ERROR_REQUEST;
	if ((setup.value & ~shape->value_mask) || setup.index != shape->index)
		return EAR_USB_ERROR_VALUE;
	if (setup.length < shape->length_min || setup.length > shape->length_max)
		return EAR_USB_ERROR_LENGTH;
	return EAR_USB_ERROR_NONE;
}

/* Requests that need a bitstream to be in progress, or none. */
static bool is_out_of_place(void)
{
	switch (setup.request) {
	case EAR_USB_REQUEST_FPGA_DATA:
	case EAR_USB_REQUEST_FPGA_END: return !fpga_loading;
	case EAR_USB_REQUEST_EEPROM_READ:
	case EAR_USB_REQUEST_EEPROM_WRITE: return fpga_loading;
	default: return false;
	}
}

/* Earshot's own requests. */
static void serve_vendor(void)
{
	uint8_t error = check();

	if (error == EAR_USB_ERROR_NONE && is_out_of_place())
		error = EAR_USB_ERROR_STATE;
	if (error != EAR_USB_ERROR_NONE) {
		ep0_refuse(error);
		return;
	}
	switch (setup.request) {
	case EAR_USB_REQUEST_IDENTIFY: identify(); break;
	case EAR_USB_REQUEST_STATUS: status(setup.value & 1); break;
	case EAR_USB_REQUEST_START: finish(start()); break;
	case EAR_USB_REQUEST_STOP:
		link_stop();
		ep0_acknowledge();
		break;
	case EAR_USB_REQUEST_RESET_FIFOS: finish(reset_fifos()); break;
	case EAR_USB_REQUEST_FPGA_BEGIN: finish(begin_bitstream()); break;
	case EAR_USB_REQUEST_FPGA_DATA: take_bitstream(); break;
	case EAR_USB_REQUEST_FPGA_END: finish(fpga_end()); break;
	case EAR_USB_REQUEST_EEPROM_READ: read_eeprom(); break;
	case EAR_USB_REQUEST_EEPROM_WRITE: write_eeprom(); break;
	default: reboot(); break;
	}
}

void requests_serve(void)
{
	ep0_begin();
	if ((setup.type & 0x60) == 0x40)
		serve_vendor();
	else if ((setup.type & 0x60) == 0x00)
		requests_standard();
	else
		ep0_refuse(EAR_USB_ERROR_REQUEST);
}
