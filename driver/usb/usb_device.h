#ifndef EAR_USB_DEVICE_H
#define EAR_USB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/base/report.h"
#include "driver/link/arrivals.h"

/* The USB devices that Earshot knows: which are plugged in, and which one a name means.
 * docs/usb.md, section 1; docs/boards.md, "USB devices".
 */

struct libusb_context; /* libusb's */
struct libusb_device;

enum ear_usb_kind {
	EAR_USB_KIND_FX2,      /* FX2LP with our firmware */
	EAR_USB_KIND_FX2_BARE, /* FX2LP without firmware */
	EAR_USB_KIND_FT232H,
	EAR_USB_KIND_FT2232H,
};

/* A set of kinds: the sum of these. */
#define EAR_USB_KINDS_FX2  (1u << EAR_USB_KIND_FX2 | 1u << EAR_USB_KIND_FX2_BARE)
#define EAR_USB_KINDS_FTDI (1u << EAR_USB_KIND_FT232H | 1u << EAR_USB_KIND_FT2232H)

struct ear_usb_device {
	enum ear_usb_kind kind;
	char path[32];      /* where it is plugged in, as the kernel calls it: "1-2.3" */
	char serial[64];    /* "" if it has none */
	bool serial_shared; /* another device of this scheme has the same serial number */
	char product[64];   /* its own name, "" if it has none */
	char node[32];      /* "/dev/bus/usb/001/002" */
	char driver[32];    /* the kernel's driver of interface 0, "" none */
	uint16_t version;   /* bcdDevice */
	unsigned megabits;  /* speed of the bus, 0 unknown */
	int access_error; /* errno that opening the node for reading and writing would give, or 0 */
	struct libusb_device *device; /* referenced */
};

#define EAR_USB_DEVICE_COUNT_MAX 32

/* All devices of these kinds. Opens none of them, unless the kernel does not know a product's name.
 * Returns how many, 0 .. capacity; each has to be released. EAR_E_IO if libusb cannot list them.
 */
int ear_usb_list(struct ear_usb_device *devices, size_t capacity, struct libusb_context *context,
	unsigned kinds);

void ear_usb_release(struct ear_usb_device *devices, size_t count);

/* The device that a name means: "SCHEME:" the only one of these kinds, "SCHEME:TEXT" the one with
 * this serial number or bus position. docs/boards.md.
 *
 * Returns 0 and *device, to be released.
 * Returns EAR_E_NO_DEVICE if there is none, EAR_E_BAD_ARGUMENT if there are several, EAR_E_IO.
 */
int ear_usb_find(struct ear_usb_device *device, struct libusb_context *context, const char *name,
	unsigned kinds, struct ear_report *report);

/* Explain an error of libusb_open or libusb_claim_interface, with its remedy, in *report. name is
 * the device's, for reports. Returns the error as enum ear_error.
 */
int ear_usb_explain(int libusb_error, const char *name, const struct ear_usb_device *device,
	struct ear_report *report);

/* A kind in a few words. Never NULL. */
const char *ear_usb_kind_text(enum ear_usb_kind kind);

/* The name that finds the device again after it was unplugged: by its serial number if no other
 * device has it, else by its bus position.
 */
void ear_usb_name(char *name, size_t size, const struct ear_usb_device *device);

/* Report the arrivals of all devices that Earshot knows, from now on. To be closed with
 * ear_arrivals_close. NULL if there is no memory, or libusb cannot see arrivals.
 */
struct ear_arrivals *ear_usb_arrivals(void);

#endif
