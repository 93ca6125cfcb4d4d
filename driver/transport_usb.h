#ifndef EAR_TRANSPORT_USB_H
#define EAR_TRANSPORT_USB_H

#include "driver/transport.h"

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
