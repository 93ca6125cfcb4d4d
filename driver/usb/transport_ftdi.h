#ifndef EAR_TRANSPORT_FTDI_H
#define EAR_TRANSPORT_FTDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/link/transport.h"

struct ftdi_context;  /* libftdi's */
struct libusb_device; /* libusb's */

/* An FT232H or FT2232H in synchronous 245 FIFO mode, channel A (hdl/rtl/link/ear_link_ft245.v).
 *
 * Device name: ftdi: (the only one that is plugged in), ftdi:SERIAL or ftdi:BUS-PORT. The chip's
 * EEPROM must say "245 FIFO" for the channel; docs/boards.md.
 *
 * libftdi1 opens the chip and sets mode, latency and flow control. The stream is not libftdi's,
 * which swallows errors, but that of usb: (bulk_stream.h); the status bytes that the chip inserts
 * are removed here. The kernel's serial driver is detached and attached again. At the end the mode
 * is reset, so that other programs find the chip in its usual state.
 *
 * Controllable. Not flow controlled: see transport_usb.h. Results as ear_transport_open.
 */
int ear_transport_ftdi_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* libftdi's context of a transport that ear_transport_ftdi_open gave. */
struct ftdi_context *ear_transport_ftdi_context(struct ear_transport *transport);

/* The mode of channel A by the chip's EEPROM. Asking disturbs neither the kernel's driver nor a
 * program that uses the chip.
 */
enum ear_ftdi_channel {
	EAR_FTDI_CHANNEL_FIFO,    /* 245 FIFO */
	EAR_FTDI_CHANNEL_OTHER,   /* another mode, or an empty EEPROM, which means UART */
	EAR_FTDI_CHANNEL_UNKNOWN, /* the chip did not answer */
};

enum ear_ftdi_channel ear_ftdi_channel(struct libusb_device *device);

/* What the chip sends: packets, each with two bytes of status in front of its data. */
struct ear_ftdi_strip {
	size_t packet_size; /* 512 at high speed, 64 at full speed */
	bool (*push)(void *context, const uint8_t *bytes, size_t size);
	void (*lose)(void *context);
	void *context;
	bool overrunning;           /* the last packet reported an overflow of the chip's buffer */
	_Atomic uint64_t *overruns; /* counted when that begins */
};

/* Hand over the data in bytes[0 .. size-1], which begin with a packet and may end with a short one.
 * A packet of less than two bytes holds no data. Returns false when nobody wants more.
 */
bool ear_ftdi_strip(struct ear_ftdi_strip *strip, const uint8_t *bytes, size_t size);

#endif
