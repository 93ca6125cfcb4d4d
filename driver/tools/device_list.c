/* What could be opened on this machine, from /sys and libusb's list (list_usb.c), without opening
 * anything: a device that another program uses must not be disturbed by a list. Of all serial ports
 * only those are listed whose chip is one that boards for Earshot have.
 */
#include "driver/tools/device_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/stream/transport_sim.h"
#include "driver/tools/access_text.h"
#include "driver/tools/list_usb.h"

static void fill_sim(struct ear_device *device)
{
	char path[sizeof(device->detail)];
	struct ear_report report;

	snprintf(device->name, sizeof(device->name), "sim:PROGRAM.elf");
	snprintf(device->kind, sizeof(device->kind), "virtual board");
	device->available = ear_transport_sim_find_board(path, sizeof(path), &report) == 0;
	snprintf(device->detail, sizeof(device->detail), "%s",
		device->available ? path : report.text);
}

/* -- Serial ports -- */

/* A number in a file of a folder of /sys; -1 if there is none. */
static long read_number(const char *folder, const char *name, int base)
{
	char path[PATH_MAX + 32];
	char text[32];
	long number = -1;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return -1;
	if (fgets(text, sizeof(text), file))
		number = strtol(text, NULL, base);
	fclose(file);
	return number;
}

/* The chip that a tty belongs to, found by going up from its folder to that of a USB device. NULL:
 * not one that Earshot knows. *channel is the number of the chip's channel, from 0.
 */
static const char *chip_of(const char *tty, long *channel)
{
	char link[PATH_MAX], folder[PATH_MAX];

	snprintf(link, sizeof(link), "/sys/class/tty/%s/device", tty);
	if (!realpath(link, folder))
		return NULL;
	*channel = -1;
	for (char *slash = strrchr(folder, '/'); slash && slash != folder;
		slash = strrchr(folder, '/')) {
		long interface = read_number(folder, "bInterfaceNumber", 16);
		long vendor = read_number(folder, "idVendor", 16);

		if (interface >= 0)
			*channel = interface;
		if (vendor >= 0) {
			long product = read_number(folder, "idProduct", 16);

			if (vendor != 0x0403 || (product != 0x6010 && product != 0x6014))
				return NULL;
			return product == 0x6010 ? "FT2232H" : "FT232H";
		}
		*slash = '\0';
	}
	return NULL;
}

static bool fill_tty(struct ear_device *device, const char *tty)
{
	long channel;
	char path[64];
	const char *chip = chip_of(tty, &channel);

	if (!chip || strlen(tty) > 32)
		return false;
	snprintf(path, sizeof(path), "/dev/%.32s", tty);
	snprintf(device->name, sizeof(device->name), "uart:%s", path);
	snprintf(device->kind, sizeof(device->kind), "serial port");
	int error = access(path, R_OK | W_OK) ? errno : 0;
	device->available = error == 0;
	snprintf(device->detail, sizeof(device->detail), "channel %c of an FTDI %s%s%s",
		channel > 0 ? 'A' + (int)(channel % 26) : 'A', chip, error ? "; " : "",
		error ? ear_access_text(error) : "");
	return true;
}

static size_t list_ttys(struct ear_device *devices, size_t capacity)
{
	DIR *folder = opendir("/sys/class/tty");
	const struct dirent *entry;
	size_t used = 0;

	if (!folder)
		return 0;
	while (used < capacity && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			used += fill_tty(&devices[used], entry->d_name);
	closedir(folder);
	return used;
}

size_t ear_device_list(struct ear_device *devices, size_t capacity)
{
	size_t count = 0;

	if (count < capacity)
		fill_sim(&devices[count++]);
	count += ear_device_list_usb(devices + count, capacity - count);
	count += list_ttys(devices + count, capacity - count);
	return count;
}
