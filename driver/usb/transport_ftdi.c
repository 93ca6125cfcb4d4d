/* ftdi: a chip in synchronous FIFO mode. libftdi sets the chip up; the stream is bulk_stream, since
 * libftdi's own swallows errors. Each packet carries two bytes of status in front, which are taken
 * out while the bytes are handed over, packet by packet and without a copy.
 */
#include "driver/usb/transport_ftdi.h"

#include <earshot/error.h>
#include <libftdi1/ftdi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/usb/bulk_stream.h"
#include "driver/usb/usb_device.h"

#define STATUS_SIZE  2
#define LINE_OVERRUN 0x02 /* in the second byte of the status */
#define ENDPOINT_IN  0x81 /* channel A */
#define ENDPOINT_OUT 0x02
#define ALL_PINS     0xFF
#define LATENCY_MS   2 /* until the chip sends a short packet; with 1 it was seen to skip data */
#define TIMEOUT_MS   1000
#define CHANNEL_TYPE \
	0x07 /* in word 0 of the EEPROM; bit 3 is for the driver, or for modes other than FIFO */

struct transport_ftdi {
	struct ear_transport base;
	struct ear_transport_faults faults;
	struct ftdi_context *ftdi; /* libusb's context is in it */
	struct ear_usb_device device;
	bool found, opened;
	struct ear_ftdi_strip strip;
	struct ear_bulk_stream *stream;
	struct ear_transport_sink sink;
};

bool ear_ftdi_strip(struct ear_ftdi_strip *strip, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		size_t packet = size < strip->packet_size ? size : strip->packet_size;
		bool overrun = packet >= STATUS_SIZE && bytes[1] & LINE_OVERRUN;

		/* The flag means that data before this packet's were lost. It may stay set for many
		 * packets: that is still one loss. */
		if (overrun && !strip->overrunning) {
			atomic_fetch_add_explicit(strip->overruns, 1, memory_order_relaxed);
			if (strip->lose)
				strip->lose(strip->context);
		}
		strip->overrunning = overrun;
		if (packet > STATUS_SIZE &&
			!strip->push(strip->context, bytes + STATUS_SIZE, packet - STATUS_SIZE))
			return false;
		bytes += packet;
		size -= packet;
	}
	return true;
}

static int report_ftdi(
	struct transport_ftdi *ftdi, int error, const char *what, struct ear_report *report)
{
	/* libftdi has codes of its own; -666 means that the device is not there. */
	return ear_report_set(report, error == -666 ? EAR_E_NO_DEVICE : EAR_E_IO, "%s: %s: %s",
		ftdi->base.name, what, ftdi_get_error_string(ftdi->ftdi));
}

/* -- On the stream's thread -- */

static bool take(void *owner, const uint8_t *bytes, size_t size)
{
	struct transport_ftdi *ftdi = owner;

	return ear_ftdi_strip(&ftdi->strip, bytes, size);
}

static void lose(void *owner)
{
	struct transport_ftdi *ftdi = owner;

	if (ftdi->sink.lose)
		ftdi->sink.lose(ftdi->sink.context);
}

/* The transfers are in the kernel already: without them the first milliseconds of the stream would
 * not fit into the chip. */
static int enable(void *owner, struct ear_report *report)
{
	struct transport_ftdi *ftdi = owner;
	int error = ftdi_set_bitmode(ftdi->ftdi, ALL_PINS, BITMODE_SYNCFF);

	return error < 0 ? report_ftdi(ftdi, error, "cannot set the synchronous FIFO mode", report)
			 : 0;
}

static void disable(void *owner)
{
	struct transport_ftdi *ftdi = owner;

	ftdi_set_bitmode(ftdi->ftdi, ALL_PINS, BITMODE_RESET);
}

static void end(void *owner, const struct ear_transport_end *how)
{
	struct transport_ftdi *ftdi = owner;

	ftdi->sink.end(ftdi->sink.context, how);
}

/* -- The transport -- */

static int ftdi_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	struct transport_ftdi *ftdi = (struct transport_ftdi *)transport;
	struct ear_bulk_options options = {
		.name = transport->name,
		.context = ftdi->ftdi->usb_ctx,
		.handle = ftdi->ftdi->usb_dev,
		.endpoint_in = ENDPOINT_IN,
		.endpoint_out = ENDPOINT_OUT,
		.packet_size = (uint16_t)ftdi->strip.packet_size,
		.take = take,
		.lose = lose,
		.enable = enable,
		.disable = disable,
		.end = end,
		.owner = ftdi,
		.faults = &ftdi->faults,
		.warning = transport->warning,
		.warning_size = sizeof(transport->warning),
	};

	ftdi->sink = *sink;
	ftdi->strip.push = sink->push;
	ftdi->strip.lose = sink->lose;
	ftdi->strip.context = sink->context;
	return ear_bulk_start(&ftdi->stream, &options, report);
}

static int ftdi_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	struct transport_ftdi *ftdi = (struct transport_ftdi *)transport;

	if (!ftdi->stream)
		return ear_report_set(
			report, EAR_E_IO, "%s: the stream has not been started", transport->name);
	return ear_bulk_write(ftdi->stream, bytes, size, timeout_ms, report);
}

static void ftdi_stop(struct ear_transport *transport)
{
	struct transport_ftdi *ftdi = (struct transport_ftdi *)transport;

	if (ftdi->stream)
		ear_bulk_stop(ftdi->stream);
}

static void ftdi_close(struct ear_transport *transport)
{
	struct transport_ftdi *ftdi = (struct transport_ftdi *)transport;

	if (!ear_bulk_free(ftdi->stream))
		return; /* the kernel still uses the memory */
	if (ftdi->opened)
		ftdi_usb_close(ftdi->ftdi);
	if (ftdi->found)
		ear_usb_release(&ftdi->device, 1);
	if (ftdi->ftdi)
		ftdi_free(ftdi->ftdi);
	free(ftdi);
}

static const struct ear_transport_ops ftdi_ops = {ftdi_start, ftdi_write, ftdi_stop, ftdi_close};

/* -- Opening -- */

/* Empty the chip's buffers, and keep it quiet until the stream begins. */
static int prepare(struct transport_ftdi *ftdi, struct ear_report *report)
{
	struct ftdi_context *context = ftdi->ftdi;
	int error = ftdi_set_bitmode(context, ALL_PINS, BITMODE_RESET);

	if (error >= 0)
		error = ftdi_set_latency_timer(context, LATENCY_MS);
	if (error >= 0)
		error = ftdi_setflowctrl(context, SIO_RTS_CTS_HS);
	if (error >= 0)
		error = ftdi_tcioflush(context);
	return error < 0 ? report_ftdi(ftdi, error, "cannot set up the chip", report) : 0;
}

/* libftdi opens and claims in one call and does not say which failed; libusb does. */
static int explain_open(struct transport_ftdi *ftdi, struct ear_report *report)
{
	libusb_device_handle *handle;
	char reason[128];
	int error;

	snprintf(reason, sizeof(reason), "%s", ftdi_get_error_string(ftdi->ftdi));
	error = libusb_open(ftdi->device.device, &handle);
	if (error)
		return ear_usb_explain(error, ftdi->base.name, &ftdi->device, report);
	libusb_set_auto_detach_kernel_driver(handle, 1);
	error = libusb_claim_interface(handle, 0);
	if (!error)
		libusb_release_interface(handle, 0);
	libusb_close(handle);
	if (error)
		return ear_usb_explain(error, ftdi->base.name, &ftdi->device, report);
	return ear_report_set(
		report, EAR_E_IO, "%s: cannot open the chip: %s", ftdi->base.name, reason);
}

static int open_chip(struct transport_ftdi *ftdi, struct ear_report *report)
{
	ftdi->ftdi->module_detach_mode = AUTO_DETACH_REATACH_SIO_MODULE;
	ftdi->ftdi->usb_read_timeout = TIMEOUT_MS;
	ftdi->ftdi->usb_write_timeout = TIMEOUT_MS;
	ftdi_set_interface(ftdi->ftdi, INTERFACE_A);
	if (ftdi_usb_open_dev(ftdi->ftdi, ftdi->device.device) < 0)
		return explain_open(ftdi, report);
	ftdi->opened = true;
	ftdi->strip.packet_size = ftdi->ftdi->max_packet_size;
	if ((ftdi->ftdi->type != TYPE_232H && ftdi->ftdi->type != TYPE_2232H) ||
		(ftdi->strip.packet_size != 512 && ftdi->strip.packet_size != 64))
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the chip is neither an FT232H nor an FT2232H", ftdi->base.name);
	if (ftdi->strip.packet_size == 64)
		snprintf(ftdi->base.warning, sizeof(ftdi->base.warning),
			"%s: the chip runs at full speed, 12 Mb/s; plug it into a USB 2.0 port",
			ftdi->base.name);
	return prepare(ftdi, report);
}

struct ftdi_context *ear_transport_ftdi_context(struct ear_transport *transport)
{
	return ((struct transport_ftdi *)transport)->ftdi;
}

/* Word 0 of the EEPROM holds the channel's type in its low bits, word 1 the vendor. */
enum ear_ftdi_channel ear_ftdi_channel(libusb_device *device)
{
	libusb_device_handle *handle;
	uint8_t words[4];
	int size = 2;

	if (libusb_open(device, &handle) != 0)
		return EAR_FTDI_CHANNEL_UNKNOWN;
	for (uint16_t i = 0; i < 2 && size == 2; i++)
		size = libusb_control_transfer(handle, FTDI_DEVICE_IN_REQTYPE,
			SIO_READ_EEPROM_REQUEST, 0, i, words + (size_t)2 * i, 2, TIMEOUT_MS);
	libusb_close(handle);
	bool empty = words[2] == 0xFF && words[3] == 0xFF;
	if (size != 2 || (!empty && (words[2] != 0x03 || words[3] != 0x04)))
		return EAR_FTDI_CHANNEL_UNKNOWN;
	return !empty && (words[0] & CHANNEL_TYPE) == CHANNEL_IS_FIFO ? EAR_FTDI_CHANNEL_FIFO
								      : EAR_FTDI_CHANNEL_OTHER;
}

int ear_transport_ftdi_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	struct transport_ftdi *ftdi = calloc(1, sizeof(*ftdi));
	int error = 0;

	*transport = NULL;
	if (!ftdi)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", device);
	ftdi->base.ops = &ftdi_ops;
	ftdi->base.controllable = true;
	ftdi->base.faults = &ftdi->faults;
	ftdi->base.checks = "that the FPGA has power and a bitstream with a capture unit on this "
			    "chip's channel A";
	ftdi->strip.overruns = &ftdi->faults.overruns;
	/* "ftdi:" is "ftdi" in a report, and the device's full name as soon as that is known. */
	snprintf(ftdi->base.name, sizeof(ftdi->base.name), "%s", device[5] ? device : "ftdi");
	ftdi->ftdi = ftdi_new();
	if (!ftdi->ftdi)
		error = ear_report_set(report, EAR_E_IO, "%s: USB cannot be used", ftdi->base.name);
	if (!error)
		error = ear_usb_find(
			&ftdi->device, ftdi->ftdi->usb_ctx, device, EAR_USB_KINDS_FTDI, report);
	ftdi->found = !error;
	if (!error)
		ear_usb_name(ftdi->base.reconnect, sizeof(ftdi->base.reconnect), &ftdi->device);
	if (!error && device[5] == '\0')
		memcpy(ftdi->base.name, ftdi->base.reconnect, sizeof(ftdi->base.name));
	if (!error)
		error = open_chip(ftdi, report);
	if (error) {
		ftdi_close(&ftdi->base);
		return error;
	}
	*transport = &ftdi->base;
	return 0;
}
