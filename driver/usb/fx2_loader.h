#ifndef EAR_FX2_LOADER_H
#define EAR_FX2_LOADER_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"
#include "driver/base/report.h"

/* The FX2LP's firmware: from its file into the chip. docs/usb.md, section 4. */

struct libusb_device_handle; /* libusb's */

struct ear_fx2_image {
	uint8_t bytes[EAR_USB_IMAGE_MAX]; /* what the file leaves out is 0 */
	size_t size;                      /* up to the last byte that the file names */
};

/* Parse Intel HEX: text[0 .. size-1], data records (00) and the end (01); the records that set an
 * address beyond 64 KiB (02, 04) only with 0, as the chip has no such memory.
 *
 * Everything is checked: lengths, checksums, addresses beyond EAR_USB_IMAGE_MAX, bytes that are set
 * twice, a missing end record, an empty image.
 *
 * Returns 0, or EAR_E_BAD_FILE with the line in *report. file is for the report.
 */
int ear_fx2_image_parse(struct ear_fx2_image *image, const char *text, size_t size,
	const char *file, struct ear_report *report);

/* Find the firmware's file: $EARSHOT_FX2_FIRMWARE, or the one that was built or installed with this
 * program. Returns 0 and its path in path[0 .. size-1], or EAR_E_NO_DEVICE.
 */
int ear_fx2_find_firmware(char *path, size_t size, struct ear_report *report);

/* Read a file: a binary image, or Intel HEX. It must hold Earshot's settings at their address, so
 * that no other firmware is loaded by mistake. Returns 0, EAR_E_IO, EAR_E_NO_MEMORY or
 * EAR_E_BAD_FILE.
 */
int ear_fx2_image_read(struct ear_fx2_image *image, const char *path, struct ear_report *report);

/* Stop the chip's processor, write the image, read it back, and start the processor. The chip
 * leaves the bus then and comes back as another device. name is the device's, for reports.
 *
 * Returns 0, EAR_E_NO_DEVICE or EAR_E_IO.
 */
int ear_fx2_load(struct libusb_device_handle *handle, const struct ear_fx2_image *image,
	const char *name, struct ear_report *report);

#endif
