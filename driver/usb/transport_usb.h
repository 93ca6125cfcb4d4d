#ifndef EAR_TRANSPORT_USB_H
#define EAR_TRANSPORT_USB_H

#include "driver/link/transport.h"

/* An FX2LP with Earshot's firmware on high-speed USB. docs/usb.md.
 *
 * Device name: usb: (the only one that is plugged in), usb:SERIAL or usb:BUS-PORT, such as
 * usb:1-2.3, its bus position.
 *
 * A chip without firmware gets it when it is opened, and open waits until it comes back. A device
 * whose firmware speaks another major of docs/usb.md is refused with both numbers.
 *
 * Controllable. Not flow controlled: the device would wait or drop records, as the capture's policy
 * says, if the host did not read. But a slow consumer on the host must not decide that, so the
 * transport always reads, and bytes that do not fit into the ring are counted.
 *
 * Results as ear_transport_open. EAR_E_NO_DEVICE also if the device goes while it is opened;
 * EAR_E_VERSION if it speaks another major; EAR_E_UNSUPPORTED if its descriptors are not those of
 * docs/usb.md; EAR_E_IO if it may not be opened, is in use, or answers wrongly.
 */
int ear_transport_usb_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* The same, but first load this firmware into the chip's memory, where it stays until the power is
 * off, whatever firmware the chip has. Also EAR_E_BAD_FILE: the file is not firmware.
 */
int ear_transport_usb_open_with(struct ear_transport **transport, const char *device,
	const char *firmware_path, struct ear_report *report);

/* One vendor request to a device that ear_transport_usb_open gave and that has not been started.
 * Returns the bytes moved, or an error with a sentence that begins with what: EAR_E_REFUSED with
 * the device's reason if it refuses.
 */
struct ear_usb_request {
	bool reads;     /* from the device, else to it */
	uint8_t number; /* EAR_USB_REQUEST_* */
	uint16_t value, index;
	uint8_t *bytes;
	uint16_t size;
	unsigned timeout_ms;
};

int ear_transport_usb_request(struct ear_transport *transport, const struct ear_usb_request *wanted,
	const char *what, struct ear_report *report);

/* The firmware's answer to IDENTIFY. docs/usb.md. */
struct ear_usb_identity {
	uint8_t major, minor;
	uint16_t firmware;
	uint8_t speed;        /* 1 full, 2 high */
	uint16_t packet_size; /* bytes of a bulk packet at this speed */
};

/* The answer of a transport that ear_transport_usb_open gave. */
const struct ear_usb_identity *ear_transport_usb_identity(const struct ear_transport *transport);

#endif
