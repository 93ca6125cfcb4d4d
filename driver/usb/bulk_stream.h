#ifndef EAR_BULK_STREAM_H
#define EAR_BULK_STREAM_H

#include <libusb-1.0/libusb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/link/transport.h"

/* Bytes from a USB bulk endpoint without a pause, and a few bytes to another: what usb: and ftdi:
 * have in common.
 *
 * Many IN transfers wait in the kernel at any moment, so the device can send while the host does
 * something else. A thread of the stream reaps each, hands over its bytes, and submits it again.
 *
 * Threads: everything on the IN side, the start and end hooks and all of libusb's event handling
 * happen on the stream's thread. A write is an asynchronous transfer as well, so only the stream's
 * thread ever runs a completion. A synchronous call of libusb on another thread would run them
 * there.
 *
 * Faults, and what is done:
 *   STALL        all transfers are taken back, the halt is cleared, and they are submitted again
 *   bus error    the same. The second one in a row waits, as a STALL does, and longer each time. It
 * may be an unplug that the hub has not reported yet, so after the last attempt the list of devices
 * decides what to call it overflow     the bytes that fit are handed over, the sink's lose reports
 * the rest no device    the end: VANISHED no memory    fewer or smaller transfers, with a warning;
 * later, a transfer rests until there is memory again Every transfer is reaped before anything is
 * freed, on each way out.
 */

/* The endpoints, and who gets the bytes. All callbacks run on the stream's thread. */
struct ear_bulk_options {
	const char *name; /* the device's, for reports; outlives the stream */
	libusb_context *context;
	libusb_device_handle *handle; /* its interface claimed; both outlive the stream */
	uint8_t endpoint_in, endpoint_out;
	uint16_t packet_size; /* of the IN endpoint; transfers are multiples of it */

	/* bytes[0 .. size-1] of one transfer came, size >= 1. False: nobody wants more. */
	bool (*take)(void *owner, const uint8_t *bytes, size_t size);
	void (*lose)(void *owner);
	/* Once, when all transfers are in the kernel: let the device send. 0 or an error. */
	int (*enable)(void *owner, struct ear_report *report); /* NULL: nothing to do */
	/* Once, when all transfers are reaped. The device may have gone: errors are ignored. */
	void (*disable)(void *owner); /* NULL: nothing to do */
	/* The last call, as the sink's. */
	void (*end)(void *owner, const struct ear_transport_end *end);
	void *owner;

	struct ear_transport_faults *faults; /* counted here */
	char *warning;                       /* where to write a warning, or NULL */
	size_t warning_size;
};

struct ear_bulk_stream;

#define EAR_BULK_TRANSFER_SIZE 16384u     /* bytes of one transfer */
#define EAR_BULK_FLIGHT_MAX    (8u << 20) /* bytes of all transfers in the kernel */

/* How many bytes may be in flight: half of what the kernel allows all USB programs together
 * (the parameter usbfs_memory_mb of usbcore), at most EAR_BULK_FLIGHT_MAX.
 */
size_t ear_bulk_flight_size(void);

/* The parameter usbfs_memory_mb: megabytes, 0 no limit. -1 if it cannot be read. */
int ear_bulk_usbfs_megabytes(void);

/* Put the transfers into the kernel and start the thread. *options is copied.
 *
 * Returns 0 and *stream, to be freed with ear_bulk_free; the end callback will be called once.
 * Returns EAR_E_NO_DEVICE, EAR_E_NO_MEMORY or EAR_E_IO, and no callback is ever called.
 */
int ear_bulk_start(struct ear_bulk_stream **stream, const struct ear_bulk_options *options,
	struct ear_report *report);

/* Send bytes[0 .. size-1] to the OUT endpoint. One thread at a time.
 *
 * They are in flight when this returns and may still be lost: who expects an answer repeats them.
 * Returns 0, EAR_E_TIMEOUT if the device has not read earlier words, EAR_E_NO_DEVICE,
 * EAR_E_NO_MEMORY or EAR_E_IO.
 */
int ear_bulk_write(struct ear_bulk_stream *stream, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report);

/* End the stream and wait for its thread. The end callback was called when this returns. A second
 * call does nothing. */
void ear_bulk_stop(struct ear_bulk_stream *stream);

/* Stop, and free everything. NULL: nothing.
 *
 * Returns true. Returns false if the kernel did not return a transfer within 5 s: then the memory
 * stays allocated, and handle and context must not be closed. No kernel is known to do that.
 */
bool ear_bulk_free(struct ear_bulk_stream *stream);

/* The enum ear_error for an error of libusb. */
int ear_bulk_error(int libusb_error);

#endif
