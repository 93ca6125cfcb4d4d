#ifndef EAR_TRANSPORT_USB_H
#define EAR_TRANSPORT_USB_H

#include "driver/link/transport.h"

/* An FX2LP with Earshot's firmware on high-speed USB. docs/usb.md.
 *
 * Device name: usb: (the only one that is plugged in), usb:SERIAL or usb:BUS-PORT, such as
 * usb:1-2.3, which is where it is plugged in.
 *
 * A chip without firmware gets it when it is opened, and is waited for until it comes back. A
 * device whose firmware speaks another major of docs/usb.md is refused with both numbers.
 *
 * Controllable. Not flow controlled in this sense: while the host does not read, the device waits
 * or drops records, as the capture's policy says. But it must not be the host's slow consumer that
 * decides when; so the transport reads always, and what the ring cannot take is counted.
 *
 * Results as ear_transport_open. EAR_E_NO_DEVICE also if the device goes while it is opened;
 * EAR_E_VERSION if it speaks another major; EAR_E_UNSUPPORTED if its descriptors are not those of
 * docs/usb.md; EAR_E_IO if it may not be opened, is in use, or answers wrongly.
 */
int ear_transport_usb_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* The same, but the chip gets this firmware first, into its memory and until the power is off, with
 * or without other firmware in it. Also EAR_E_BAD_FILE: the file is no firmware.
 */
int ear_transport_usb_open_with(struct ear_transport **transport, const char *device,
	const char *firmware_path, struct ear_report *report);

/* One vendor request to a device that ear_transport_usb_open gave and that has not been started;
 * reads tells the direction. Returns the bytes moved, or an error with a sentence that begins with
 * what: EAR_E_REFUSED if the device does not want to, with its reason.
 */
struct ear_usb_request {
	bool reads;
	uint8_t number; /* EAR_USB_REQUEST_* */
	uint16_t value, index;
	uint8_t *bytes;
	uint16_t size;
	unsigned timeout_ms;
};

int ear_transport_usb_request(struct ear_transport *transport, const struct ear_usb_request *wanted,
	const char *what, struct ear_report *report);

/* What the firmware says about itself. docs/usb.md, IDENTIFY. */
struct ear_usb_identity {
	uint8_t major, minor;
	uint16_t firmware;
	uint8_t speed;        /* 1 full, 2 high */
	uint16_t packet_size; /* bytes of a bulk packet at this speed */
};

/* The same for a transport that ear_transport_usb_open gave. */
const struct ear_usb_identity *ear_transport_usb_identity(const struct ear_transport *transport);

#endif
