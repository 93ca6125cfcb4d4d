#ifndef USB_MODEL_H
#define USB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A USB device in memory: descriptors, requests, endpoints. usbfs.h shows it to libusb.
 *
 * All functions of a model are called by one thread at a time, without a lock of the model's own;
 * what a test changes meanwhile is atomic or protected by the model's lock.
 */
struct usb_model {
	uint8_t device_descriptor[18];
	uint8_t config[64];
	size_t config_size;
	const char *strings[4]; /* by index; [0] is the list of languages, NULL: refused */

	/* A request that is not answered from the above, or a vendor's. data[0 .. length-1] comes
	 * with the request or takes the answer. Returns the bytes moved, or a negative errno:
	 * -EPIPE refuses, -ETIMEDOUT never answers.
	 */
	int (*control)(
		struct usb_model *model, const uint8_t setup[8], uint8_t *data, size_t length);
	/* Bytes for the host into bytes[0 .. size-1]. *ends: the last packet was a short one.
	 * Returns how many, 0 none now (NAK), or a negative errno as a transfer's status.
	 */
	int (*in)(
		struct usb_model *model, uint8_t endpoint, uint8_t *bytes, size_t size, bool *ends);
	/* Bytes of the host. Returns how many were taken, 0 none now, or a negative errno. */
	int (*out)(struct usb_model *model, uint8_t endpoint, const uint8_t *bytes, size_t size);
	void (*clear_halt)(struct usb_model *model, uint8_t endpoint);
};

/* Do one request, standard ones included. Results as control. */
int usb_model_control(
	struct usb_model *model, const uint8_t setup[8], uint8_t *data, size_t length);

/* The descriptors of a device with one vendor-specific interface and a pair of bulk endpoints. */
struct usb_shape {
	uint16_t vendor, product, version;
	uint8_t class, subclass, protocol; /* of the interface */
	uint8_t endpoint_in, endpoint_out;
	uint16_t packet_size;
	const char *manufacturer, *name, *serial; /* NULL: none */
};

void usb_model_shape(struct usb_model *model, const struct usb_shape *shape);

#endif
