/* The devices on USB for the list, from libusb's list and /sys, without opening anything. */
#include "driver/tools/list_usb.h"

#include <libusb-1.0/libusb.h>
#include <stdio.h>

#include "driver/tools/access_text.h"
#include "driver/usb/usb_device.h"

static void fill_usb(struct ear_device *device, const struct ear_usb_device *usb)
{
	const char *hint = "";

	ear_usb_name(device->name, sizeof(device->name), usb);
	snprintf(device->kind, sizeof(device->kind), "%s", ear_usb_kind_text(usb->kind));
	device->available = usb->access_error == 0;
	if (!device->available)
		hint = ear_access_text(usb->access_error);
	else if (usb->kind == EAR_USB_KIND_FX2_BARE)
		hint = "gets its firmware when it is opened";
	else if (usb->megabits > 0 && usb->megabits < 480)
		hint = "this port is too slow: it needs USB 2.0";
	snprintf(device->detail, sizeof(device->detail), "%s at %s, %u Mb/s%s%s", usb->node,
		usb->path, usb->megabits, hint[0] ? "; " : "", hint);
}

size_t ear_device_list_usb(struct ear_device *devices, size_t capacity)
{
	struct ear_usb_device found[EAR_USB_DEVICE_COUNT_MAX];
	libusb_context *context;
	size_t used = 0;

	if (libusb_init(&context) != 0)
		return 0;
	int count = ear_usb_list(
		found, EAR_USB_DEVICE_COUNT_MAX, context, EAR_USB_KINDS_FX2 | EAR_USB_KINDS_FTDI);
	for (int i = 0; i < count && used < capacity; i++)
		fill_usb(&devices[used++], &found[i]);
	if (count > 0)
		ear_usb_release(found, (size_t)count);
	libusb_exit(context);
	return used;
}
