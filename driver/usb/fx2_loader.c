/* Firmware for the FX2LP: found, read, checked, and written into the chip's memory by its boot
 * loader. The image is read back before the processor runs, because a chip that starts with damaged
 * firmware vanishes from the bus without a reason.
 */
#include "driver/usb/fx2_loader.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hex.h"
#include "common/own_file.h"
#include "driver/usb/bulk_stream.h"

#define FIRMWARE_FILE "earshot-fx2.bin"
#define FILE_SIZE_MAX ((size_t)256 * 1024) /* the largest image takes some 45 KB */
#define RECORD_MAX    (5 + 255)            /* bytes of one record, with length and checksum */
#define CHUNK_SIZE    4096                 /* the kernel's limit for a control transfer */
#define TIMEOUT_MS    1000

/* -- Intel HEX -- */

struct parser {
	struct ear_fx2_image *image;
	bool named[EAR_USB_IMAGE_MAX]; /* by a record before */
	bool ended;
	const char *wrong; /* what is wrong with the line */
};

static bool take_data(struct parser *parser, unsigned address, const uint8_t *bytes, unsigned count)
{
	struct ear_fx2_image *image = parser->image;

	parser->wrong = "an address beyond the chip's memory";
	if (address + count > EAR_USB_IMAGE_MAX)
		return false;
	parser->wrong = "a byte that an earlier line has set already";
	for (unsigned i = 0; i < count; i++) {
		if (parser->named[address + i])
			return false;
		parser->named[address + i] = true;
		image->bytes[address + i] = bytes[i];
	}
	if (count > 0 && address + count > image->size)
		image->size = address + count;
	return true;
}

/* A whole record: length, address (2), type, data, checksum. */
static bool take_record(struct parser *parser, const uint8_t *bytes, size_t size)
{
	uint8_t sum = 0;

	parser->wrong = "a length that its count does not match";
	if (size < 5 || size != 5u + bytes[0])
		return false;
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + bytes[i]);
	parser->wrong = "a wrong checksum";
	if (sum != 0)
		return false;
	switch (bytes[3]) {
	case 0: return take_data(parser, (unsigned)(bytes[1] << 8 | bytes[2]), bytes + 4, bytes[0]);
	case 1:
		parser->ended = true;
		parser->wrong = "data in the end record";
		return bytes[0] == 0;
	case 2:
	case 4:
		parser->wrong = "an address beyond the chip's memory";
		return bytes[0] == 2 && bytes[4] == 0 && bytes[5] == 0;
	case 3:
	case 5: return true; /* where the program begins: the chip begins at 0 */
	default: parser->wrong = "an unknown record type"; return false;
	}
}

static bool take_line(struct parser *parser, const char *line, size_t length)
{
	uint8_t bytes[RECORD_MAX];
	size_t size = 0;

	while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' '))
		length--;
	if (length == 0)
		return true;
	parser->wrong = "data after the end record";
	if (parser->ended)
		return false;
	parser->wrong = "text that is not Intel HEX";
	if (line[0] != ':' || length % 2 == 0 || length / 2 > RECORD_MAX)
		return false;
	for (size_t i = 1; i < length; i += 2) {
		int high = ear_hex_digit(line[i]), low = ear_hex_digit(line[i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[size++] = (uint8_t)(high << 4 | low);
	}
	return take_record(parser, bytes, size);
}

int ear_fx2_image_parse(struct ear_fx2_image *image, const char *text, size_t size,
	const char *file, struct ear_report *report)
{
	struct parser parser = {.image = image};
	unsigned number = 0;

	memset(image, 0, sizeof(*image));
	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;
		size_t used = end ? length + 1 : length;

		number++;
		if (!take_line(&parser, text, length))
			return ear_report_set(report, EAR_E_BAD_FILE, "%s: line %u has %s", file,
				number, parser.wrong);
		text += used;
		size -= used;
	}
	if (!parser.ended)
		return ear_report_set(
			report, EAR_E_BAD_FILE, "%s: the end record is missing", file);
	if (image->size == 0)
		return ear_report_set(report, EAR_E_BAD_FILE, "%s: it holds no data", file);
	return 0;
}

/* -- The file -- */

int ear_fx2_find_firmware(char *path, size_t size, struct ear_report *report)
{
	static const char *const places[] = {
		"../firmware/fx2/" FIRMWARE_FILE, "../share/earshot/" FIRMWARE_FILE};
	const char *named = getenv("EARSHOT_FX2_FIRMWARE");

	if (named && named[0]) {
		if ((size_t)snprintf(path, size, "%s", named) < size && access(path, R_OK) == 0)
			return 0;
		return ear_report_set(report, EAR_E_NO_DEVICE,
			"%s, which EARSHOT_FX2_FIRMWARE names, cannot be read: %s", named,
			strerror(errno));
	}
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (ear_own_file(path, size, places[i], R_OK))
			return 0;
	return ear_report_set(report, EAR_E_NO_DEVICE,
		"the firmware's file %s was neither built nor installed with this program; it "
		"needs "
		"sdcc (EARSHOT_FX2_FIRMWARE can name it)",
		FIRMWARE_FILE);
}

/* Intel HEX begins with a colon; an image begins with a jump. */
static int take_contents(struct ear_fx2_image *image, const char *bytes, size_t size,
	const char *path, struct ear_report *report)
{
	int error = 0;

	if (size > 0 && bytes[0] == ':') {
		error = ear_fx2_image_parse(image, bytes, size, path, report);
	} else if (size > EAR_USB_IMAGE_MAX) {
		error = ear_report_set(
			report, EAR_E_BAD_FILE, "%s: too long to be firmware of an FX2LP", path);
	} else {
		memset(image, 0, sizeof(*image));
		memcpy(image->bytes, bytes, size);
		image->size = size;
	}
	if (!error && (image->size < EAR_USB_SETTINGS + EAR_USB_SETTINGS_SIZE ||
			      memcmp(image->bytes + EAR_USB_SETTINGS, "EARS", 4) != 0))
		error = ear_report_set(
			report, EAR_E_BAD_FILE, "%s: not Earshot's firmware for an FX2LP", path);
	return error;
}

int ear_fx2_image_read(struct ear_fx2_image *image, const char *path, struct ear_report *report)
{
	FILE *file = fopen(path, "re");
	int error;

	if (!file)
		return ear_report_set(
			report, EAR_E_IO, "%s: cannot open: %s", path, strerror(errno));
	char *bytes = malloc(FILE_SIZE_MAX);
	size_t size = bytes ? fread(bytes, 1, FILE_SIZE_MAX, file) : 0;
	if (!bytes)
		error = ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", path);
	else if (ferror(file))
		error = ear_report_set(
			report, EAR_E_IO, "%s: cannot read: %s", path, strerror(errno));
	else
		error = take_contents(image, bytes, size, path, report);
	free(bytes);
	fclose(file);
	return error;
}

/* -- Into the chip -- */

/* One FIRMWARE_LOAD request. Returns 0 or libusb's error. */
static int transfer(libusb_device_handle *handle, uint8_t direction, size_t address, uint8_t *bytes,
	size_t size)
{
	int moved = libusb_control_transfer(handle,
		(uint8_t)(direction | LIBUSB_REQUEST_TYPE_VENDOR | LIBUSB_RECIPIENT_DEVICE),
		EAR_USB_REQUEST_FIRMWARE_LOAD, (uint16_t)address, 0, bytes, (uint16_t)size,
		TIMEOUT_MS);

	if (moved < 0)
		return moved;
	return (size_t)moved == size ? 0 : LIBUSB_ERROR_IO;
}

static int set_reset(libusb_device_handle *handle, uint8_t value)
{
	return transfer(handle, LIBUSB_ENDPOINT_OUT, EAR_USB_CPUCS, &value, 1);
}

static int write_image(libusb_device_handle *handle, const struct ear_fx2_image *image)
{
	uint8_t chunk[CHUNK_SIZE];

	for (size_t at = 0; at < image->size; at += CHUNK_SIZE) {
		size_t size = image->size - at < CHUNK_SIZE ? image->size - at : CHUNK_SIZE;

		memcpy(chunk, image->bytes + at, size);
		int error = transfer(handle, LIBUSB_ENDPOINT_OUT, at, chunk, size);
		if (error)
			return error;
	}
	return 0;
}

/* Returns 0, libusb's error, or 1 if the chip holds something else. */
static int compare_image(libusb_device_handle *handle, const struct ear_fx2_image *image)
{
	uint8_t chunk[CHUNK_SIZE];

	for (size_t at = 0; at < image->size; at += CHUNK_SIZE) {
		size_t size = image->size - at < CHUNK_SIZE ? image->size - at : CHUNK_SIZE;

		int error = transfer(handle, LIBUSB_ENDPOINT_IN, at, chunk, size);
		if (error)
			return error;
		if (memcmp(chunk, image->bytes + at, size) != 0)
			return 1;
	}
	return 0;
}

int ear_fx2_load(libusb_device_handle *handle, const struct ear_fx2_image *image, const char *name,
	struct ear_report *report)
{
	int error = set_reset(handle, 1);

	if (!error)
		error = write_image(handle, image);
	if (!error)
		error = compare_image(handle, image);
	if (error > 0)
		return ear_report_set(report, EAR_E_IO,
			"%s: the firmware was damaged on its way into the chip; check the cable "
			"and the hub",
			name);
	if (!error)
		error = set_reset(handle, 0);
	if (error)
		return ear_report_set(report, ear_bulk_error(error),
			"%s: cannot load the firmware: %s", name, libusb_strerror(error));
	return 0;
}
