#ifndef USB_LINK_H
#define USB_LINK_H

#include <stddef.h>
#include <stdint.h>

/* What an emulated chip is connected to instead of the fake unit: the FIFO's other side. Every
 * function returns at once.
 */
struct usb_link {
	/* The host starts the stream: what waits in the chip from before is discarded. */
	void (*begin)(struct usb_link *link);
	/* The host ends the stream. An unplug does not. */
	void (*end)(struct usb_link *link);
	/* Bytes of the unit that are there now. Returns how many, 0 .. size. */
	size_t (*read)(struct usb_link *link, uint8_t *bytes, size_t size);
	/* Bytes for the unit. Returns how many were taken. */
	size_t (*write)(struct usb_link *link, const uint8_t *bytes, size_t size);
};

#endif
