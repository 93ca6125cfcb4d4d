/* usb: an FX2LP with Earshot's firmware. Opening is a sequence of checks from the outside in, each
 * with its own message: descriptors, rights, IDENTIFY, version. A bare chip gets its firmware first
 * and is found again at the same bus position with a new address. The stream itself is bulk_stream.
 */
#include "driver/usb/transport_usb.h"

#include <earshot/error.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"
#include "driver/base/clock.h"
#include "driver/usb/bulk_stream.h"
#include "driver/usb/fx2_loader.h"
#include "driver/usb/usb_device.h"

#define TIMEOUT_MS     1000 /* of a request */
#define REENUMERATE_MS 5000 /* for a chip to come back with its firmware */
#define CONFIGURATION  1

struct transport_usb {
	struct ear_transport base;
	struct ear_transport_faults faults;
	libusb_context *context;
	struct ear_usb_device device;
	bool found;
	libusb_device_handle *handle;
	bool claimed;
	struct ear_usb_identity identity;
	struct ear_bulk_stream *stream;
	struct ear_transport_sink sink;
};

/* -- Requests -- */

/* A vendor request in this direction. Returns the bytes moved, or libusb's error. */
static int request(struct transport_usb *usb, uint8_t direction, uint8_t number, uint16_t value,
	uint8_t *bytes, size_t size)
{
	return libusb_control_transfer(usb->handle,
		(uint8_t)(direction | LIBUSB_REQUEST_TYPE_VENDOR | LIBUSB_RECIPIENT_DEVICE), number,
		value, 0, bytes, (uint16_t)size, TIMEOUT_MS);
}

static int report_request(
	struct transport_usb *usb, int error, const char *what, struct ear_report *report)
{
	return ear_report_set(report, ear_bulk_error(error), "%s: %s: %s", usb->base.name, what,
		libusb_strerror(error));
}

/* Why the device refused its last request. */
static const char *refusal(struct transport_usb *usb)
{
	uint8_t status[EAR_USB_STATUS_SIZE];

	if (request(usb, LIBUSB_ENDPOINT_IN, EAR_USB_REQUEST_STATUS, 0, status, sizeof(status)) !=
		sizeof(status))
		return "it gives no reason";
	switch (status[EAR_USB_STATUS_ERROR]) {
	case EAR_USB_ERROR_STATE: return "it is not configured, or its FPGA is being loaded";
	case EAR_USB_ERROR_FPGA_NO_INIT:
		return "the FPGA does not answer on INIT; has it power, and is INIT connected?";
	case EAR_USB_ERROR_FPGA_CRC:
		return "the FPGA found an error in the bitstream; is it one for this FPGA?";
	case EAR_USB_ERROR_FPGA_NOT_DONE:
		return "the FPGA did not start at the end of the bitstream; is it whole, and for "
		       "this "
		       "FPGA?";
	case EAR_USB_ERROR_EEPROM_ABSENT: return "no EEPROM answers";
	case EAR_USB_ERROR_EEPROM_VERIFY:
		return "the EEPROM does not hold what was written; is it write-protected or too "
		       "small?";
	case EAR_USB_ERROR_SPEED:
		return "it runs at full speed, 12 Mb/s, which its capture unit cannot use; plug it "
		       "into a USB 2.0 port";
	default: return "it gives no reason";
	}
}

/* -- On the stream's thread -- */

static bool take(void *owner, const uint8_t *bytes, size_t size)
{
	struct transport_usb *usb = owner;

	return usb->sink.push(usb->sink.context, bytes, size);
}

static void lose(void *owner)
{
	struct transport_usb *usb = owner;

	if (usb->sink.lose)
		usb->sink.lose(usb->sink.context);
}

static int enable(void *owner, struct ear_report *report)
{
	struct transport_usb *usb = owner;
	int error = request(usb, LIBUSB_ENDPOINT_OUT, EAR_USB_REQUEST_START, 0, NULL, 0);

	if (error == LIBUSB_ERROR_PIPE)
		return ear_report_set(report, EAR_E_REFUSED, "%s: the device does not start: %s",
			usb->base.name, refusal(usb));
	return error < 0 ? report_request(usb, error, "the device does not start", report) : 0;
}

static void disable(void *owner)
{
	request(owner, LIBUSB_ENDPOINT_OUT, EAR_USB_REQUEST_STOP, 0, NULL, 0);
}

static void end(void *owner, const struct ear_transport_end *how)
{
	struct transport_usb *usb = owner;

	usb->sink.end(usb->sink.context, how);
}

/* -- The transport -- */

static int usb_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	struct transport_usb *usb = (struct transport_usb *)transport;
	struct ear_bulk_options options = {
		.name = transport->name,
		.context = usb->context,
		.handle = usb->handle,
		.endpoint_in = EAR_USB_ENDPOINT_IN,
		.endpoint_out = EAR_USB_ENDPOINT_OUT,
		.packet_size = usb->identity.packet_size,
		.take = take,
		.lose = lose,
		.enable = enable,
		.disable = disable,
		.end = end,
		.owner = usb,
		.faults = &usb->faults,
		.warning = transport->warning,
		.warning_size = sizeof(transport->warning),
	};

	usb->sink = *sink;
	return ear_bulk_start(&usb->stream, &options, report);
}

static int usb_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	struct transport_usb *usb = (struct transport_usb *)transport;

	if (!usb->stream)
		return ear_report_set(
			report, EAR_E_IO, "%s: the stream has not been started", transport->name);
	return ear_bulk_write(usb->stream, bytes, size, timeout_ms, report);
}

static void usb_stop(struct ear_transport *transport)
{
	struct transport_usb *usb = (struct transport_usb *)transport;

	if (usb->stream)
		ear_bulk_stop(usb->stream);
}

/* Releasing the interface gives it back to the kernel's driver, if one had it before. */
static void close_handle(struct transport_usb *usb)
{
	if (usb->claimed)
		libusb_release_interface(usb->handle, EAR_USB_INTERFACE);
	usb->claimed = false;
	if (usb->handle)
		libusb_close(usb->handle);
	usb->handle = NULL;
}

static void usb_close(struct ear_transport *transport)
{
	struct transport_usb *usb = (struct transport_usb *)transport;

	if (!ear_bulk_free(usb->stream))
		return; /* the kernel still uses the memory */
	close_handle(usb);
	if (usb->found)
		ear_usb_release(&usb->device, 1);
	if (usb->context)
		libusb_exit(usb->context);
	free(usb);
}

static const struct ear_transport_ops usb_ops = {usb_start, usb_write, usb_stop, usb_close};

/* -- Opening -- */

/* Is there a bulk endpoint with this address and a valid packet size? */
static bool has_endpoint(const struct libusb_interface_descriptor *interface, uint8_t address)
{
	/* libusb keeps the number that the device gave, even if no endpoint follows. */
	for (unsigned i = 0; interface->endpoint && i < interface->bNumEndpoints; i++) {
		const struct libusb_endpoint_descriptor *endpoint = &interface->endpoint[i];

		if (endpoint->bEndpointAddress == address &&
			(endpoint->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) ==
				LIBUSB_TRANSFER_TYPE_BULK)
			return endpoint->wMaxPacketSize == EAR_USB_PACKET_HIGH ||
			       endpoint->wMaxPacketSize == EAR_USB_PACKET_FULL;
	}
	return false;
}

static int check_descriptors(struct transport_usb *usb, struct ear_report *report)
{
	struct libusb_config_descriptor *config;
	bool right = false;
	int error = libusb_get_config_descriptor(usb->device.device, 0, &config);

	if (error && error != LIBUSB_ERROR_IO && error != LIBUSB_ERROR_NOT_FOUND)
		return ear_usb_explain(error, usb->base.name, &usb->device, report);
	if (!error) {
		const struct libusb_interface *interface = config->interface;

		right = config->bNumInterfaces == 1 && interface->num_altsetting == 1 &&
			interface->altsetting->bInterfaceClass == EAR_USB_INTERFACE_CLASS &&
			interface->altsetting->bInterfaceSubClass == EAR_USB_INTERFACE_SUBCLASS &&
			has_endpoint(interface->altsetting, EAR_USB_ENDPOINT_IN) &&
			has_endpoint(interface->altsetting, EAR_USB_ENDPOINT_OUT);
		libusb_free_config_descriptor(config);
	}
	if (!right)
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the device's descriptors are not those of Earshot's firmware",
			usb->base.name);
	return 0;
}

static int check_version(
	struct transport_usb *usb, unsigned major, unsigned minor, struct ear_report *report)
{
	if (major == EAR_USB_VERSION_MAJOR)
		return 0;
	return ear_report_set(report, EAR_E_VERSION,
		"%s: the device's firmware speaks version %u.%u of Earshot's USB protocol, this "
		"earshot "
		"speaks %u.%u; see earshot doctor",
		usb->base.name, major, minor, EAR_USB_VERSION_MAJOR, EAR_USB_VERSION_MINOR);
}

static int identify(struct transport_usb *usb, struct ear_report *report)
{
	uint8_t answer[EAR_USB_IDENTIFY_SIZE];
	struct ear_usb_identity *identity = &usb->identity;
	int size = request(
		usb, LIBUSB_ENDPOINT_IN, EAR_USB_REQUEST_IDENTIFY, 0, answer, sizeof(answer));

	if (size < 0 && size != LIBUSB_ERROR_PIPE)
		return report_request(usb, size, "the device does not answer IDENTIFY", report);
	if (size != sizeof(answer) || memcmp(answer, "EARU", 4) != 0)
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the device has Earshot's name, but not its firmware", usb->base.name);
	*identity = (struct ear_usb_identity){
		.major = answer[EAR_USB_IDENTIFY_MAJOR],
		.minor = answer[EAR_USB_IDENTIFY_MINOR],
		.firmware = (uint16_t)(answer[EAR_USB_IDENTIFY_FIRMWARE] |
				       answer[EAR_USB_IDENTIFY_FIRMWARE + 1] << 8),
		.speed = answer[EAR_USB_IDENTIFY_SPEED],
		.packet_size = (uint16_t)(answer[EAR_USB_IDENTIFY_PACKET] |
					  answer[EAR_USB_IDENTIFY_PACKET + 1] << 8),
	};
	int error = check_version(usb, identity->major, identity->minor, report);
	if (!error && identity->packet_size != EAR_USB_PACKET_HIGH &&
		identity->packet_size != EAR_USB_PACKET_FULL)
		error = ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the device reports packets of %u bytes, not %u or %u", usb->base.name,
			identity->packet_size, EAR_USB_PACKET_HIGH, EAR_USB_PACKET_FULL);
	return error;
}

/* STOP, and both data toggles 0 on both sides. */
static int quiet(struct transport_usb *usb, struct ear_report *report)
{
	int error = request(usb, LIBUSB_ENDPOINT_OUT, EAR_USB_REQUEST_STOP, 0, NULL, 0);

	if (error >= 0)
		error = libusb_clear_halt(usb->handle, EAR_USB_ENDPOINT_IN);
	if (error >= 0)
		error = libusb_clear_halt(usb->handle, EAR_USB_ENDPOINT_OUT);
	if (error < 0)
		return report_request(usb, error, "the device does not stop its stream", report);
	return 0;
}

static int configure(struct transport_usb *usb, struct ear_report *report)
{
	int current;
	int error = libusb_get_configuration(usb->handle, &current);

	if (!error && current != CONFIGURATION)
		error = libusb_set_configuration(usb->handle, CONFIGURATION);
	if (error)
		return ear_usb_explain(error, usb->base.name, &usb->device, report);
	return 0;
}

static int open_device(struct transport_usb *usb, struct ear_report *report)
{
	int error = libusb_open(usb->device.device, &usb->handle);

	if (error) {
		usb->handle = NULL;
		return ear_usb_explain(error, usb->base.name, &usb->device, report);
	}
	libusb_set_auto_detach_kernel_driver(usb->handle, 1);
	error = configure(usb, report);
	if (error)
		return error;
	error = libusb_claim_interface(usb->handle, EAR_USB_INTERFACE);
	if (error)
		return ear_usb_explain(error, usb->base.name, &usb->device, report);
	usb->claimed = true;
	return 0;
}

/* Everything up to a device that is ready to be started. */
static int open_running(struct transport_usb *usb, struct ear_report *report)
{
	int error =
		check_version(usb, usb->device.version >> 8, usb->device.version & 0xFF, report);

	if (!error)
		error = check_descriptors(usb, report);
	if (!error)
		error = open_device(usb, report);
	if (!error)
		error = identify(usb, report);
	if (!error)
		error = quiet(usb, report);
	return error;
}

/* Load firmware into a chip: the named file, or the one of this program. */
static int load_firmware(
	struct transport_usb *usb, const char *named_path, struct ear_report *report)
{
	char path[PATH_MAX];
	int error = 0;

	if (named_path)
		snprintf(path, sizeof(path), "%s", named_path);
	else
		error = ear_fx2_find_firmware(path, sizeof(path), report);

	if (error)
		return error;
	struct ear_fx2_image *image = malloc(sizeof(*image));
	if (!image)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", usb->base.name);
	error = ear_fx2_image_read(image, path, report);
	if (!error)
		error = open_device(usb, report);
	if (!error)
		error = ear_fx2_load(usb->handle, image, usb->base.name, report);
	close_handle(usb);
	free(image);
	return error;
}

/* Look for a chip with firmware at the same bus position, in a new libusb context: an old context
 * learns of arrivals from udev only, which need not run. A chip that had firmware before and has
 * not left the bus yet still has its old address.
 */
static bool look_at_place(struct transport_usb *usb, const struct ear_usb_device *before)
{
	struct ear_usb_device devices[EAR_USB_DEVICE_COUNT_MAX];
	bool found = false;

	if (libusb_init(&usb->context) != 0) {
		usb->context = NULL;
		return false;
	}
	int count =
		ear_usb_list(devices, EAR_USB_DEVICE_COUNT_MAX, usb->context, EAR_USB_KINDS_FX2);
	for (int i = 0; i < count; i++) {
		if (!found && devices[i].kind == EAR_USB_KIND_FX2 &&
			!strcmp(devices[i].path, before->path) &&
			strcmp(devices[i].node, before->node) != 0) {
			usb->device = devices[i];
			found = true;
		} else {
			ear_usb_release(&devices[i], 1);
		}
	}
	if (!found) {
		libusb_exit(usb->context);
		usb->context = NULL;
	}
	return found;
}

/* The chip has its firmware, leaves the bus, and comes back at the same place. */
static int await_reenumeration(
	struct transport_usb *usb, struct ear_arrivals *arrivals, struct ear_report *report)
{
	uint64_t deadline_ms = ear_clock_ms() + REENUMERATE_MS;
	struct ear_usb_device before = usb->device; /* only its strings are used */

	ear_usb_release(&usb->device, 1);
	usb->found = false;
	libusb_exit(usb->context);
	usb->context = NULL;
	do {
		if (look_at_place(usb, &before)) {
			usb->found = true;
			return 0;
		}
		ear_arrivals_wait(arrivals, 250);
	} while (ear_clock_ms() < deadline_ms && !ear_transport_interrupted());
	if (ear_transport_interrupted())
		return ear_report_set(report, EAR_E_NO_DEVICE,
			"%s: interrupted before the device came back with its firmware",
			usb->base.name);
	return ear_report_set(report, EAR_E_NO_DEVICE,
		"%s: the device has not come back with its firmware within %u s", usb->base.name,
		REENUMERATE_MS / 1000);
}

static int load_and_reenumerate(
	struct transport_usb *usb, const char *named_path, struct ear_report *report)
{
	struct ear_arrivals *arrivals = ear_usb_arrivals();
	int error = load_firmware(usb, named_path, report);

	if (!error)
		error = await_reenumeration(usb, arrivals, report);
	ear_arrivals_close(arrivals);
	return error;
}

int ear_transport_usb_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	return ear_transport_usb_open_with(transport, device, NULL, report);
}

int ear_transport_usb_open_with(struct ear_transport **transport, const char *device,
	const char *firmware_path, struct ear_report *report)
{
	struct transport_usb *usb = calloc(1, sizeof(*usb));

	*transport = NULL;
	if (!usb)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", device);
	usb->base.ops = &usb_ops;
	usb->base.controllable = true;
	usb->base.faults = &usb->faults;
	usb->base.checks = "that the FPGA has power and a bitstream with a capture unit, and the "
			   "wires between it and the FX2LP";
	/* "usb:" is "usb" in a report, and the device's full name as soon as that is known. */
	snprintf(usb->base.name, sizeof(usb->base.name), "%s", device[4] ? device : "usb");
	int error = libusb_init(&usb->context);
	if (error) {
		usb->context = NULL;
		error = ear_report_set(report, EAR_E_IO, "%s: USB cannot be used: %s",
			usb->base.name, libusb_strerror(error));
	}
	if (!error)
		error = ear_usb_find(&usb->device, usb->context, device, EAR_USB_KINDS_FX2, report);
	usb->found = !error;
	if (!error && device[4] == '\0')
		ear_usb_name(usb->base.name, sizeof(usb->base.name), &usb->device);
	if (!error && (firmware_path || usb->device.kind == EAR_USB_KIND_FX2_BARE))
		error = load_and_reenumerate(usb, firmware_path, report);
	if (!error)
		error = open_running(usb, report);
	if (error) {
		usb_close(&usb->base);
		return error;
	}
	ear_usb_name(usb->base.reconnect, sizeof(usb->base.reconnect), &usb->device);
	*transport = &usb->base;
	return 0;
}

const struct ear_usb_identity *ear_transport_usb_identity(const struct ear_transport *transport)
{
	return &((const struct transport_usb *)transport)->identity;
}

int ear_transport_usb_request(struct ear_transport *transport, const struct ear_usb_request *wanted,
	const char *what, struct ear_report *report)
{
	struct transport_usb *usb = (struct transport_usb *)transport;
	uint8_t direction = wanted->reads ? LIBUSB_ENDPOINT_IN : LIBUSB_ENDPOINT_OUT;

	int moved = libusb_control_transfer(usb->handle,
		(uint8_t)(direction | LIBUSB_REQUEST_TYPE_VENDOR | LIBUSB_RECIPIENT_DEVICE),
		wanted->number, wanted->value, wanted->index, wanted->bytes, wanted->size,
		wanted->timeout_ms);
	if (moved == LIBUSB_ERROR_PIPE)
		return ear_report_set(
			report, EAR_E_REFUSED, "%s: %s: %s", transport->name, what, refusal(usb));
	if (moved < 0)
		return report_request(usb, moved, what, report);
	if (moved != wanted->size)
		return ear_report_set(report, EAR_E_IO, "%s: %s: only %d of %u bytes were moved",
			transport->name, what, moved, wanted->size);
	return moved;
}
