/* Finding USB devices. Names, serial numbers and drivers are read from /sys where possible: opening
 * a device to ask for its strings needs rights, and wakes a device that another program uses.
 */
#include "driver/usb/usb_device.h"

#include <earshot/error.h>
#include <errno.h>
#include <libusb-1.0/libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/ear_protocol.h"
#include "driver/base/clock.h"

static const struct {
	uint16_t vendor, product;
	const char *name; /* the product's name begins like this; NULL: any */
	const char *text, *scheme;
} kinds_known[] = {
	[EAR_USB_KIND_FX2] = {EAR_USB_VENDOR_ID, EAR_USB_PRODUCT_ID, "Earshot",
		"FX2LP with Earshot's firmware", "usb:"},
	[EAR_USB_KIND_FX2_BARE] = {EAR_USB_BARE_VENDOR_ID, EAR_USB_BARE_PRODUCT_ID, NULL,
		"FX2LP without firmware", "usb:"},
	[EAR_USB_KIND_FT232H] = {0x0403, 0x6014, NULL, "FTDI FT232H", "ftdi:"},
	[EAR_USB_KIND_FT2232H] = {0x0403, 0x6010, NULL, "FTDI FT2232H", "ftdi:"},
};

#define KIND_COUNT (sizeof(kinds_known) / sizeof(kinds_known[0]))

const char *ear_usb_kind_text(enum ear_usb_kind kind)
{
	return kinds_known[kind].text;
}

static const char *scheme_of(enum ear_usb_kind kind)
{
	return kinds_known[kind].scheme;
}

void ear_usb_name(char *name, size_t size, const struct ear_usb_device *device)
{
	snprintf(name, size, "%s%s", scheme_of(device->kind),
		device->serial[0] && !device->serial_shared ? device->serial : device->path);
}

/* -- What the kernel knows about a device -- */

/* A file of /sys with one line. "" if there is none. */
static void read_attribute(char *text, size_t size, const char *path, const char *attribute)
{
	char file_name[128];

	text[0] = '\0';
	snprintf(file_name, sizeof(file_name), "/sys/bus/usb/devices/%s/%s", path, attribute);
	FILE *file = fopen(file_name, "re");
	if (!file)
		return;
	if (!fgets(text, (int)size, file))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(file);
}

static void read_driver(struct ear_usb_device *device)
{
	char link[128], target[256];

	snprintf(link, sizeof(link), "/sys/bus/usb/devices/%s:1.0/driver", device->path);
	ssize_t length = readlink(link, target, sizeof(target) - 1);
	if (length <= 0)
		return;
	target[length] = '\0';
	const char *slash = strrchr(target, '/');
	snprintf(device->driver, sizeof(device->driver), "%.31s", slash ? slash + 1 : target);
}

static void make_path(struct ear_usb_device *device)
{
	uint8_t ports[8];
	int count = libusb_get_port_numbers(device->device, ports, sizeof(ports));
	size_t used = (size_t)snprintf(
		device->path, sizeof(device->path), "%d", libusb_get_bus_number(device->device));

	for (int i = 0; i < count && used < sizeof(device->path); i++)
		used += (size_t)snprintf(device->path + used, sizeof(device->path) - used, "%c%u",
			i ? '.' : '-', ports[i]);
}

static unsigned speed_of(libusb_device *device)
{
	switch (libusb_get_device_speed(device)) {
	case LIBUSB_SPEED_LOW: return 1;
	case LIBUSB_SPEED_FULL: return 12;
	case LIBUSB_SPEED_HIGH: return 480;
	case LIBUSB_SPEED_SUPER: return 5000;
	case LIBUSB_SPEED_SUPER_PLUS: return 10000;
	default: return 0;
	}
}

/* The kernel has no strings of this device: ask the device itself. */
static void ask_strings(
	struct ear_usb_device *device, const struct libusb_device_descriptor *descriptor)
{
	libusb_device_handle *handle;

	if (libusb_open(device->device, &handle) != 0)
		return;
	if (descriptor->iProduct && !device->product[0])
		libusb_get_string_descriptor_ascii(handle, descriptor->iProduct,
			(unsigned char *)device->product, sizeof(device->product));
	if (descriptor->iSerialNumber && !device->serial[0])
		libusb_get_string_descriptor_ascii(handle, descriptor->iSerialNumber,
			(unsigned char *)device->serial, sizeof(device->serial));
	libusb_close(handle);
}

/* The strings of a device are shown, and typed on command lines. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* Which kind has these ids? -1 none. */
static int kind_of(const struct libusb_device_descriptor *descriptor)
{
	for (unsigned i = 0; i < KIND_COUNT; i++)
		if (descriptor->idVendor == kinds_known[i].vendor &&
			descriptor->idProduct == kinds_known[i].product)
			return (int)i;
	return -1;
}

/* Fill in a device of one of these kinds. Returns false if it is of another kind. */
static bool describe(struct ear_usb_device *device, libusb_device *usb, unsigned kinds)
{
	struct libusb_device_descriptor descriptor;

	if (libusb_get_device_descriptor(usb, &descriptor) != 0)
		return false;
	int kind = kind_of(&descriptor);
	if (kind < 0 || !(kinds >> kind & 1))
		return false;
	memset(device, 0, sizeof(*device));
	device->kind = (enum ear_usb_kind)kind;
	device->device = usb;
	device->version = descriptor.bcdDevice;
	device->megabits = speed_of(usb);
	make_path(device);
	snprintf(device->node, sizeof(device->node), "/dev/bus/usb/%03u/%03u",
		libusb_get_bus_number(usb), libusb_get_device_address(usb));
	read_attribute(device->serial, sizeof(device->serial), device->path, "serial");
	read_attribute(device->product, sizeof(device->product), device->path, "product");
	read_driver(device);
	device->access_error = access(device->node, R_OK | W_OK) ? errno : 0;
	if (descriptor.iProduct && !device->product[0])
		ask_strings(device, &descriptor);
	make_printable(device->product);
	make_printable(device->serial);
	const char *begin = kinds_known[kind].name;
	return !begin || !strncmp(device->product, begin, strlen(begin));
}

/* A serial number that two devices share identifies neither. */
static void find_shared_serials(struct ear_usb_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			devices[i].serial_shared |=
				i != j && devices[i].serial[0] &&
				!strcmp(devices[i].serial, devices[j].serial) &&
				!strcmp(scheme_of(devices[i].kind), scheme_of(devices[j].kind));
}

int ear_usb_list(
	struct ear_usb_device *devices, size_t capacity, libusb_context *context, unsigned kinds)
{
	libusb_device **list;
	size_t found = 0;
	ssize_t count = libusb_get_device_list(context, &list);

	if (count < 0)
		return EAR_E_IO;
	for (ssize_t i = 0; i < count && found < capacity; i++)
		if (describe(&devices[found], list[i], kinds)) {
			libusb_ref_device(list[i]);
			found++;
		}
	libusb_free_device_list(list, 1);
	find_shared_serials(devices, found);
	return (int)found;
}

void ear_usb_release(struct ear_usb_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		libusb_unref_device(devices[i].device);
}

/* -- Finding one -- */

static int report_several(const struct ear_usb_device *devices, int count, const char *name,
	struct ear_report *report)
{
	char list[160] = "";
	size_t used = 0;

	for (int i = 0; i < count && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s%s", i ? ", " : "",
			scheme_of(devices[i].kind), devices[i].path);
	return ear_report_set(report, EAR_E_BAD_ARGUMENT,
		"%s: %d devices are plugged in; say which: %s", name, count, list);
}

int ear_usb_find(struct ear_usb_device *device, libusb_context *context, const char *name,
	unsigned kinds, struct ear_report *report)
{
	struct ear_usb_device devices[EAR_USB_DEVICE_COUNT_MAX];
	const char *wanted = strchr(name, ':') + 1;
	char shown[80]; /* the name for reports: "usb" for "usb:" */
	int kept = 0;
	int count = ear_usb_list(devices, EAR_USB_DEVICE_COUNT_MAX, context, kinds);

	snprintf(shown, sizeof(shown), "%.*s",
		(int)(wanted - name) - (wanted[0] == '\0') + (int)strlen(wanted), name);
	if (count < 0)
		return ear_report_set(report, EAR_E_IO, "%s: cannot list USB devices", shown);
	for (int i = 0; i < count; i++) {
		if (!wanted[0] || !strcmp(wanted, devices[i].path) ||
			!strcmp(wanted, devices[i].serial))
			devices[kept++] = devices[i];
		else
			ear_usb_release(&devices[i], 1);
	}
	if (kept == 1) {
		*device = devices[0];
		return 0;
	}
	int error = kept ? report_several(devices, kept, shown, report)
			 : ear_report_set(report, EAR_E_NO_DEVICE,
				   "%s: no such device is plugged in (earshot list shows what is)",
				   shown);
	ear_usb_release(devices, (size_t)kept);
	return error;
}

int ear_usb_explain(int libusb_error, const char *name, const struct ear_usb_device *device,
	struct ear_report *report)
{
	switch (libusb_error) {
	case LIBUSB_ERROR_ACCESS:
		return ear_report_set(report, EAR_E_IO,
			"%s: no permission for %s; install Earshot's udev rules and plug the "
			"device "
			"in again (see earshot doctor)",
			name, device->node);
	case LIBUSB_ERROR_BUSY:
		return ear_report_set(report, EAR_E_IO,
			"%s: another program uses the device; end it first", name);
	case LIBUSB_ERROR_NO_DEVICE:
	case LIBUSB_ERROR_NOT_FOUND:
		return ear_report_set(report, EAR_E_NO_DEVICE, "%s: the device has gone", name);
	case LIBUSB_ERROR_NO_MEM:
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", name);
	default:
		return ear_report_set(report, EAR_E_IO, "%s: cannot open the device: %s", name,
			libusb_strerror(libusb_error));
	}
}

/* -- Arrivals -- */

struct usb_arrivals {
	struct ear_arrivals base;
	libusb_context *context;
	libusb_hotplug_callback_handle callback;
	int arrived;
};

static int LIBUSB_CALL note_arrival(
	libusb_context *context, libusb_device *device, libusb_hotplug_event event, void *user)
{
	struct usb_arrivals *arrivals = user;
	struct libusb_device_descriptor descriptor;

	(void)context;
	(void)event;
	if (libusb_get_device_descriptor(device, &descriptor) == 0 && kind_of(&descriptor) >= 0)
		arrivals->arrived = 1;
	return 0;
}

static bool arrivals_wait(struct ear_arrivals *base, unsigned timeout_ms)
{
	struct usb_arrivals *arrivals = (struct usb_arrivals *)base;
	uint64_t deadline_ms = ear_clock_ms() + timeout_ms;

	while (!arrivals->arrived) {
		uint64_t now_ms = ear_clock_ms();
		uint64_t left_ms = now_ms < deadline_ms ? deadline_ms - now_ms : 0;
		struct timeval timeout = {
			(time_t)(left_ms / 1000), (suseconds_t)(left_ms % 1000 * 1000)};

		if (left_ms == 0)
			return false;
		if (libusb_handle_events_timeout_completed(
			    arrivals->context, &timeout, &arrivals->arrived) != 0)
			ear_clock_sleep_ms(1);
	}
	arrivals->arrived = 0;
	return true;
}

static void arrivals_close(struct ear_arrivals *base)
{
	struct usb_arrivals *arrivals = (struct usb_arrivals *)base;

	libusb_hotplug_deregister_callback(arrivals->context, arrivals->callback);
	libusb_exit(arrivals->context);
	free(arrivals);
}

static const struct ear_arrivals_ops arrivals_ops = {arrivals_wait, arrivals_close};

struct ear_arrivals *ear_usb_arrivals(void)
{
	struct usb_arrivals *arrivals = calloc(1, sizeof(*arrivals));

	if (!arrivals)
		return NULL;
	arrivals->base.ops = &arrivals_ops;
	if (!libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG) ||
		libusb_init(&arrivals->context) != 0) {
		free(arrivals);
		return NULL;
	}
	if (libusb_hotplug_register_callback(arrivals->context, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED,
		    0, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
		    note_arrival, arrivals, &arrivals->callback) != 0) {
		libusb_exit(arrivals->context);
		free(arrivals);
		return NULL;
	}
	return &arrivals->base;
}
