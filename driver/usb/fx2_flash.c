/* Bitstream and EEPROM, written by the vendor requests of the FX2LP's firmware, chunk by chunk. The
 * EEPROM's first byte decides whether the chip boots from it, so it is written last: a write that
 * is broken off leaves a chip that comes up bare, never one that runs half a program.
 */
#include "driver/usb/fx2_flash.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "driver/usb/transport_usb.h"

#define FPGA_CHUNK   4096 /* the kernel's limit for a control transfer */
#define EEPROM_CHUNK 64
#define TIMEOUT_MS   2000 /* the longest answer takes some 150 ms */
#define BOOT_CHUNK   1023

/* -- FPGA -- */

static int send(struct ear_transport *transport, uint8_t number, uint16_t value, uint8_t *bytes,
	size_t size, struct ear_report *report)
{
	const struct ear_usb_request request = {
		.number = number,
		.value = value,
		.bytes = bytes,
		.size = (uint16_t)size,
		.timeout_ms = TIMEOUT_MS,
	};

	return ear_transport_usb_request(transport, &request, "the FPGA cannot be loaded", report);
}

int ear_fx2_flash_fpga(struct ear_transport *transport, uint8_t *bytes, size_t size, unsigned flags,
	ear_fx2_flash_progress *progress, void *context, struct ear_report *report)
{
	int result = send(transport, EAR_USB_REQUEST_FPGA_BEGIN, (uint16_t)flags, NULL, 0, report);

	for (size_t at = 0; result >= 0 && at < size; at += FPGA_CHUNK) {
		size_t chunk = size - at < FPGA_CHUNK ? size - at : FPGA_CHUNK;

		if (ear_transport_interrupted())
			return ear_report_set(report, EAR_E_REFUSED,
				"%s: interrupted: the FPGA has no bitstream now; flash it again",
				transport->name);
		result = send(transport, EAR_USB_REQUEST_FPGA_DATA, 0, bytes + at, chunk, report);
		if (result >= 0 && progress)
			progress(context, at + chunk, size);
	}
	if (result >= 0)
		result = send(transport, EAR_USB_REQUEST_FPGA_END, 0, NULL, 0, report);
	return result < 0 ? result : 0;
}

/* -- EEPROM -- */

static uint8_t *put_be16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return at + 2;
}

size_t ear_fx2_boot_build(uint8_t *bytes, const struct ear_fx2_image *image)
{
	static const uint8_t tail[] = {0x80, 0x01, EAR_USB_CPUCS >> 8, EAR_USB_CPUCS & 0xFF, 0x00};
	const uint8_t head[] = {0xC2, EAR_USB_VENDOR_ID & 0xFF, EAR_USB_VENDOR_ID >> 8,
		EAR_USB_PRODUCT_ID & 0xFF, EAR_USB_PRODUCT_ID >> 8, EAR_USB_VERSION_MINOR,
		EAR_USB_VERSION_MAJOR, 0x41};
	uint8_t *at = bytes + sizeof(head);

	memcpy(bytes, head, sizeof(head));
	for (size_t done = 0; done < image->size; done += BOOT_CHUNK) {
		size_t chunk = image->size - done < BOOT_CHUNK ? image->size - done : BOOT_CHUNK;

		at = put_be16(at, chunk);
		at = put_be16(at, done);
		memcpy(at, image->bytes + done, chunk);
		at += chunk;
	}
	memcpy(at, tail, sizeof(tail));
	return (size_t)(at - bytes) + sizeof(tail);
}

static int transfer(struct ear_transport *transport, bool reads, size_t address, uint8_t *bytes,
	size_t size, struct ear_report *report)
{
	const struct ear_usb_request request = {
		.reads = reads,
		.number = reads ? EAR_USB_REQUEST_EEPROM_READ : EAR_USB_REQUEST_EEPROM_WRITE,
		.value = (uint16_t)address,
		.index = reads ? 0 : EAR_USB_KEY_EEPROM,
		.bytes = bytes,
		.size = (uint16_t)size,
		.timeout_ms = TIMEOUT_MS,
	};

	return ear_transport_usb_request(transport, &request,
		reads ? "the EEPROM cannot be read" : "the EEPROM cannot be written", report);
}

struct writer {
	struct ear_transport *transport;
	uint8_t boot[EAR_FX2_BOOT_MAX];
	size_t size;
	ear_fx2_flash_progress *progress;
	void *context;
};

/* The first chunk with an invalid mark, all others, then the first chunk as it must be. Whatever
 * interrupts this leaves an EEPROM that the chip does not boot from. */
static int write_boot(struct writer *writer, struct ear_report *report)
{
	uint8_t mark = writer->boot[0];
	size_t first = writer->size < EEPROM_CHUNK ? writer->size : EEPROM_CHUNK;

	writer->boot[0] = 0xFF;
	int result = 0;
	for (size_t at = 0; result >= 0 && at < writer->size; at += EEPROM_CHUNK) {
		size_t left = writer->size - at;

		if (ear_transport_interrupted())
			return ear_report_set(report, EAR_E_REFUSED,
				"%s: interrupted: the EEPROM has no firmware now, so the chip will "
				"come up bare",
				writer->transport->name);
		result = transfer(writer->transport, false, at, writer->boot + at,
			left < EEPROM_CHUNK ? left : EEPROM_CHUNK, report);
		if (result >= 0 && writer->progress)
			writer->progress(writer->context, at, writer->size);
	}
	writer->boot[0] = mark;
	if (result >= 0)
		result = transfer(writer->transport, false, 0, writer->boot, first, report);
	return result < 0 ? result : 0;
}

static int compare_boot(struct writer *writer, struct ear_report *report)
{
	for (size_t at = 0; at < writer->size; at += EEPROM_CHUNK) {
		uint8_t bytes[EEPROM_CHUNK];
		size_t left = writer->size - at, size = left < EEPROM_CHUNK ? left : EEPROM_CHUNK;

		int result = transfer(writer->transport, true, at, bytes, size, report);
		if (result < 0)
			return result;
		if (memcmp(bytes, writer->boot + at, size) != 0)
			return ear_report_set(report, EAR_E_IO,
				"%s: the EEPROM holds something else at address 0x%04zX; is it "
				"large enough?",
				writer->transport->name, at);
	}
	if (writer->progress)
		writer->progress(writer->context, writer->size, writer->size);
	return 0;
}

int ear_fx2_flash_eeprom(struct ear_transport *transport, const struct ear_fx2_image *image,
	ear_fx2_flash_progress *progress, void *context, struct ear_report *report)
{
	struct writer *writer = malloc(sizeof(*writer));

	if (!writer)
		return ear_report_set(
			report, EAR_E_NO_MEMORY, "%s: out of memory", transport->name);
	writer->transport = transport;
	writer->progress = progress;
	writer->context = context;
	writer->size = ear_fx2_boot_build(writer->boot, image);
	int error = write_boot(writer, report);
	if (!error)
		error = compare_boot(writer, report);
	free(writer);
	return error;
}
