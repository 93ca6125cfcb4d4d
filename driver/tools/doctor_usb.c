/* What the doctor finds on USB: the memory that the kernel gives, then each device, from what the
 * kernel knows of it to the version of its unit. A device that somebody uses is not opened.
 */
#include "driver/tools/doctor_usb.h"

#include <dirent.h>
#include <earshot/error.h>
#include <libusb-1.0/libusb.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/file_user.h"
#include "common/plural.h"
#include "driver/session/session.h"
#include "driver/transports.h"
#include "driver/usb/bulk_stream.h"
#include "driver/usb/fx2_loader.h"
#include "driver/usb/transport_ftdi.h"
#include "driver/usb/transport_usb.h"
#include "driver/usb/usb_device.h"

#define MEGABYTES_ENOUGH 16 /* usbfs_memory_mb: twice what a capture has in flight */

void ear_doctor_firmware(struct ear_doctor_state *doctor)
{
	static struct ear_fx2_image image;
	char path[PATH_MAX];
	struct ear_report report;

	ear_doctor_subject(doctor, "firmware for FX2LP");
	if (ear_fx2_find_firmware(path, sizeof(path), &report) == 0 &&
		ear_fx2_image_read(&image, path, &report) == 0)
		ear_doctor_add(doctor, NULL, "%zu bytes in %.200s", image.size, path);
	else
		ear_doctor_add(doctor, "install sdcc and build again; only a bare FX2LP needs it",
			"%s", report.text);
}

static void look_at_memory(struct ear_doctor_state *doctor)
{
	int megabytes = ear_bulk_usbfs_megabytes();

	ear_doctor_subject(doctor, "memory for USB");
	if (megabytes < 0)
		ear_doctor_add(doctor, NULL,
			"the kernel does not report its limit; %u MiB are requested",
			EAR_BULK_FLIGHT_MAX >> 20);
	else if (megabytes == 0 || megabytes >= MEGABYTES_ENOUGH)
		ear_doctor_add(doctor, NULL, "usbfs_memory_mb is %d, %zu KiB in flight", megabytes,
			ear_bulk_flight_size() / 1024);
	else
		ear_doctor_add(doctor,
			"echo 16 | sudo tee /sys/module/usbcore/parameters/usbfs_memory_mb, or "
			"usbcore.usbfs_memory_mb=16 on the kernel's command line",
			"usbfs_memory_mb is %d, so only %zu KiB in flight", megabytes,
			ear_bulk_flight_size() / 1024);
}

/* -- A device -- */

static void look_at_unit(struct ear_doctor_state *doctor, const char *name)
{
	struct ear_session_options options;
	struct ear_identity identity;
	struct ear_session *session;
	struct ear_report report;

	ear_session_options_init(&options);
	int error = ear_session_open(&session, name, &options, &report);
	if (error)
		return ear_doctor_add(doctor,
			"docs/usb.md, section 6.1, lists the cause of each message", "%s",
			report.text);
	error = ear_session_identify(session, &identity);
	if (error == EAR_E_VERSION)
		ear_doctor_add(doctor,
			"use the release of earshot that belongs to the unit, or update the unit",
			"%s", ear_session_message(session));
	else if (error)
		ear_doctor_add(doctor,
			"check power, bitstream (a capture unit with this link) and wires: "
			"docs/boards.md shows them",
			"%s", ear_session_message(session));
	else
		ear_doctor_add(doctor, NULL,
			"capture unit 0x%08X, protocol %u.%u, RV%u, %u retire port%s",
			identity.unit_version, identity.protocol_major, identity.protocol_minor,
			identity.xlen, identity.nret, ear_plural(identity.nret));
	ear_session_close(session);
}

/* The firmware's version, and with it whether the device can be opened. */
static bool look_at_usb_firmware(struct ear_doctor_state *doctor, const char *name)
{
	struct ear_transport *transport;
	struct ear_report report;
	int error = ear_transport_open(&transport, name, &report);

	if (error == EAR_E_VERSION) {
		ear_doctor_add(doctor,
			"unplug the device, so that it gets this earshot's firmware; or write that "
			"to its EEPROM",
			"%s", report.text);
		return false;
	}
	if (error) {
		ear_doctor_add(doctor, "docs/usb.md, section 6.1, lists the cause of each message",
			"%s", report.text);
		return false;
	}
	const struct ear_usb_identity *identity = ear_transport_usb_identity(transport);
	ear_doctor_add(doctor, NULL, "firmware %u, version %u.%u of docs/usb.md",
		identity->firmware, identity->major, identity->minor);
	ear_transport_close(transport);
	return true;
}

/* The serial port that the kernel made of interface 0; "" none. */
static void find_tty(char *tty, size_t size, const struct ear_usb_device *usb)
{
	char path[128];
	const struct dirent *entry;

	tty[0] = '\0';
	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s:1.0", usb->path);
	DIR *folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (strncmp(entry->d_name, "tty", 3) == 0 && entry->d_name[3])
			snprintf(tty, size, "/dev/%s", entry->d_name);
	if (folder)
		closedir(folder);
}

/* Opening the chip would take its serial port away from a program that uses it. Is there one? */
static bool serial_port_is_in_use(struct ear_doctor_state *doctor, const struct ear_usb_device *usb)
{
	char tty[8 + NAME_MAX], who[96];

	find_tty(tty, sizeof(tty), usb);
	if (!tty[0] || !ear_file_user(who, sizeof(who), tty))
		return false;
	ear_doctor_add(doctor, NULL,
		"its serial port %.64s is open (%s), so versions were not read", tty, who);
	return true;
}

/* An FTDI chip can be switched to its synchronous FIFO only if the EEPROM says FIFO. Otherwise it
 * may serve as a serial port, and its pins must not be driven to find out more.
 */
static bool is_fifo(struct ear_doctor_state *doctor, const struct ear_usb_device *usb)
{
	if (usb->kind != EAR_USB_KIND_FT232H && usb->kind != EAR_USB_KIND_FT2232H)
		return true;
	if (ear_ftdi_channel(usb->device) != EAR_FTDI_CHANNEL_OTHER)
		return true;
	ear_doctor_add(doctor, NULL,
		"by its EEPROM, channel A is not a 245 FIFO: good for uart:, but not for ftdi: "
		"(doctor --write-eeprom makes it one); versions were not read");
	return false;
}

/* Does another program use the device? */
static bool is_in_use(const struct ear_usb_device *usb)
{
	libusb_device_handle *handle;

	if (libusb_open(usb->device, &handle) != 0)
		return false;
	libusb_set_auto_detach_kernel_driver(handle, 1);
	int error = libusb_claim_interface(handle, 0);
	if (!error)
		libusb_release_interface(handle, 0);
	libusb_close(handle);
	return error == LIBUSB_ERROR_BUSY;
}

static void look_at_suspend(struct ear_doctor_state *doctor, const struct ear_usb_device *usb)
{
	char path[128], text[16] = "";

	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/power/control", usb->path);
	FILE *file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	if (strncmp(text, "auto", 4) == 0)
		ear_doctor_add(doctor, doctor->rules,
			"the kernel may put it to sleep, which the udev rules switch off");
}

static void look_at_device(
	struct ear_doctor_state *doctor, const struct ear_usb_device *usb, bool opens)
{
	char name[96];

	ear_usb_name(name, sizeof(name), usb);
	ear_doctor_subject(doctor, name);
	ear_doctor_add(
		doctor, NULL, "%s, %s at %s", ear_usb_kind_text(usb->kind), usb->node, usb->path);
	if (usb->megabits > 0 && usb->megabits < 480)
		ear_doctor_add(doctor, "plug it into a USB 2.0 port, without an old hub between",
			"runs at %u Mb/s only", usb->megabits);
	else
		ear_doctor_add(doctor, NULL, "runs at %u Mb/s", usb->megabits);
	look_at_suspend(doctor, usb);
	if (usb->access_error) {
		char remedy[sizeof(doctor->rules) + 16];
		snprintf(remedy, sizeof(remedy), "%s; or run as root", doctor->rules);
		return ear_doctor_add(
			doctor, remedy, "cannot be opened: %s", strerror(usb->access_error));
	}
	if (usb->driver[0] && strcmp(usb->driver, "usbfs") != 0)
		ear_doctor_add(doctor, NULL,
			"the kernel's driver %s has it; a capture detaches it and gives it "
			"back",
			usb->driver);
	if (usb->kind == EAR_USB_KIND_FX2_BARE)
		return ear_doctor_add(doctor, NULL, "gets its firmware when it is opened");
	if (!opens || !is_fifo(doctor, usb) || serial_port_is_in_use(doctor, usb))
		return;
	if (is_in_use(usb))
		return ear_doctor_add(
			doctor, NULL, "another program uses it, so versions were not read");
	if (usb->kind != EAR_USB_KIND_FX2 || look_at_usb_firmware(doctor, name))
		look_at_unit(doctor, name);
}

void ear_doctor_usb(struct ear_doctor_state *doctor, bool opens)
{
	struct ear_usb_device found[EAR_USB_DEVICE_COUNT_MAX];
	const struct libusb_version *version = libusb_get_version();
	libusb_context *context;

	look_at_memory(doctor);
	ear_doctor_subject(doctor, "USB");
	int error = libusb_init(&context);
	if (error)
		return ear_doctor_add(doctor,
			"does this machine, or this container, have USB at all?",
			"libusb cannot be used: %s", libusb_strerror(error));
	int count = ear_usb_list(
		found, EAR_USB_DEVICE_COUNT_MAX, context, EAR_USB_KINDS_FX2 | EAR_USB_KINDS_FTDI);
	ear_doctor_add(doctor, NULL, "libusb %u.%u.%u, %d device%s that Earshot knows",
		version->major, version->minor, version->micro, count > 0 ? count : 0,
		ear_plural((uint64_t)count));
	for (int i = 0; i < count; i++)
		look_at_device(doctor, &found[i], opens);
	if (count > 0)
		ear_usb_release(found, (size_t)count);
	libusb_exit(context);
}
