/* All of driver/usb in a build without libusb and libftdi (EAR_DEVICES=OFF): what opens a device
 * says why it cannot, so no other file has to know. The functions that need a device which was
 * opened are never called.
 */
#include "driver/usb/without_usb.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdbool.h>
#include <stdlib.h>

#include "driver/usb/ftdi_eeprom.h"
#include "driver/usb/fx2_flash.h"
#include "driver/usb/fx2_loader.h"
#include "driver/usb/transport_ftdi.h"
#include "driver/usb/transport_usb.h"
#include "driver/usb/usb_device.h"

/* name: the device's. */
static int refuse(struct ear_report *report, const char *name)
{
	return ear_report_set(report, EAR_E_UNSUPPORTED,
		"%s: " EAR_WITHOUT_USB "; build with EAR_DEVICES=ON, or use tcp:HOST and 'earshot "
		"serve' on a machine that has the device",
		name);
}

static int refuse_to_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	*transport = NULL;
	return refuse(report, device);
}

int ear_transport_usb_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	return refuse_to_open(transport, device, report);
}

int ear_transport_usb_open_with(struct ear_transport **transport, const char *device,
	const char *firmware_path, struct ear_report *report)
{
	(void)firmware_path;
	return refuse_to_open(transport, device, report);
}

int ear_transport_ftdi_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	return refuse_to_open(transport, device, report);
}

struct ear_arrivals *ear_usb_arrivals(void)
{
	return NULL;
}

int ear_fx2_find_firmware(char *path, size_t size, struct ear_report *report)
{
	(void)path;
	(void)size;
	return refuse(report, "usb:");
}

int ear_fx2_image_read(struct ear_fx2_image *image, const char *path, struct ear_report *report)
{
	(void)image;
	(void)path;
	return refuse(report, "usb:");
}

/* -- With a device that was opened: never -- */

static int never(void)
{
	const bool a_device_is_open = false;

	assert(a_device_is_open);
	abort();
}

const struct ear_usb_identity *ear_transport_usb_identity(const struct ear_transport *transport)
{
	(void)transport;
	never();
	return NULL;
}

int ear_fx2_flash_fpga(struct ear_transport *transport, uint8_t *bytes, size_t size, unsigned flags,
	ear_fx2_flash_progress *progress, void *context, struct ear_report *report)
{
	(void)transport, (void)bytes, (void)size, (void)flags, (void)progress, (void)context;
	(void)report;
	return never();
}

int ear_fx2_flash_eeprom(struct ear_transport *transport, const struct ear_fx2_image *image,
	ear_fx2_flash_progress *progress, void *context, struct ear_report *report)
{
	(void)transport, (void)image, (void)progress, (void)context, (void)report;
	return never();
}

int ear_ftdi_eeprom_plan(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report)
{
	(void)eeprom, (void)transport, (void)report;
	return never();
}

int ear_ftdi_eeprom_write(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report)
{
	(void)eeprom, (void)transport, (void)report;
	return never();
}
