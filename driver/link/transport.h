#ifndef EAR_TRANSPORT_H
#define EAR_TRANSPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/base/report.h"

/* A way to get bytes from a device, and to send control words to it.
 *
 * A transport is a set of functions (struct ear_transport_ops) and an object. The object is the
 * transport's own structure, with a struct ear_transport as its first member. driver/transports.h
 * opens one by the name of its device.
 *
 * Its life: open; start once; any number of writes; stop; close. Stop may come at any time and
 * more than once; close stops, too.
 *
 * Threads: open, start, write, stop and close are called from the host's threads, never two at the
 * same time. Bytes and the end come to the sink on a thread of the transport. Before stop or
 * close, the caller makes a push that waits for room return (ear_feed_cancel).
 *
 * Device names:
 *   sim:PROGRAM.elf,key=value,...   the virtual board        (transport_sim.h)
 *   file:PATH                       a dump of raw bytes      (transport_file.h)
 *   usb:[SERIAL|BUS-PORT]           an FX2LP                 (transport_usb.h)
 *   ftdi:[SERIAL|BUS-PORT]          an FT232H or FT2232H     (transport_ftdi.h)
 *   uart:TTY[,baud=N][,flow=rtscts] a serial port            (transport_uart.h)
 *   tcp:HOST:PORT[,token-file=PATH] another earshot serve    (transport_tcp.h)
 */

/* Why the stream ended. */
enum ear_transport_reason {
	EAR_TRANSPORT_STOPPED,     /* the host called stop */
	EAR_TRANSPORT_END_OF_FILE, /* a file or a pipe was read to its end */
	EAR_TRANSPORT_EXITED,      /* the device is a process, and it ended by itself */
	EAR_TRANSPORT_VANISHED,    /* the device was unplugged, or its process was killed */
	EAR_TRANSPORT_FAILED,      /* reading failed; the report says why */
};

/* How a transport ended. */
struct ear_transport_end {
	enum ear_transport_reason reason;
	int exit_status;          /* EXITED: status of the process, 0 .. 255; otherwise -1 */
	struct ear_report report; /* for every reason but STOPPED and END_OF_FILE */
};

/* Where a transport hands over what it reads. All functions run on the transport's thread. */
struct ear_transport_sink {
	/* bytes[0 .. size-1] came, size >= 1. The sink does not keep the pointer. It may block if
	 * the transport is flow controlled. Returns false when nobody wants more: the transport
	 * ends as STOPPED.
	 */
	bool (*push)(void *context, const uint8_t *bytes, size_t size);
	/* The stream has ended: called exactly once after a successful start, as the last call. */
	void (*end)(void *context, const struct ear_transport_end *end);
	void *context;
	/* An unknown number of bytes was lost before what is pushed next. For losses that the
	 * transport sees and that frames alone might not show. May be NULL.
	 */
	void (*lose)(void *context);
};

/* Faults of the link from which the transport recovered. Each counter has one writer and any number
 * of readers. A fault alone does not mean that bytes are missing: the sink's lose reports that, and
 * the sequence numbers of the frames show it.
 */
struct ear_transport_faults {
	_Atomic uint64_t stalls;      /* the endpoint halted, and was cleared */
	_Atomic uint64_t errors;      /* transfers that ended with a bus error */
	_Atomic uint64_t overflows;   /* packets longer than their transfer: bytes lost */
	_Atomic uint64_t overruns;    /* overflows of a buffer that the chip or the tty reported */
	_Atomic uint64_t write_again; /* transfers of control words that failed and are repeated */
};

/* The same, as a snapshot. */
struct ear_transport_fault_counts {
	uint64_t stalls, errors, overflows, overruns, write_again;
};

struct ear_transport;

struct ear_transport_ops {
	/* Begin to read; *sink is copied. Returns 0, or an error and the sink is never called. */
	int (*start)(struct ear_transport *transport, const struct ear_transport_sink *sink,
		struct ear_report *report);
	/* Send all of bytes[0 .. size-1] to the device within timeout_ms. They may still be in
	 * flight when this returns. Returns 0, EAR_E_UNSUPPORTED if the device takes none,
	 * EAR_E_NO_DEVICE if it has gone, EAR_E_TIMEOUT or EAR_E_IO.
	 */
	int (*write)(struct ear_transport *transport, const uint8_t *bytes, size_t size,
		unsigned timeout_ms, struct ear_report *report);
	/* End reading. The sink has had its last call when this returns. Bytes that have not been
	 * read yet are lost. Does nothing if not started or already stopped.
	 */
	void (*stop)(struct ear_transport *transport);
	/* Stop, and free everything, the object as well. */
	void (*close)(struct ear_transport *transport);
};

struct ear_transport {
	const struct ear_transport_ops *ops;
	char name[128];       /* the device's name, for reports; cut if longer */
	bool flow_controlled; /* the device waits when the host does not read */
	bool controllable;    /* write works: the device answers control words */
	bool unpaced;         /* nothing slows the host down when it writes faster than the device
			       * reads: words are lost and must be sent again */
	bool ends_by_itself;  /* the device ends soon after its program has ended */
	char reconnect[128];  /* the name that opens the same device again after it went away; "" if
			       * it never comes back */
	char warning[256];    /* after open and start: a sentence that the user should see although
			       * nothing failed; "" none */
	const char *checks;   /* what to check if the unit does not answer, as a list that continues
			       * "check ..."; NULL: nothing in particular */
	struct ear_transport_faults *faults; /* NULL: this transport has none of these */
};

/* True: from now on no transport is opened, and every long operation beside the stream gives up:
 * waiting for a device that is being opened (EAR_E_NO_DEVICE), repeating a control word before a
 * capture (EAR_E_TIMEOUT), and fx2_flash.h. False: as before. Any thread, and signal handlers.
 */
void ear_transport_interrupt(bool wanted);
bool ear_transport_interrupted(void);

/* Calls of the object's functions. */
int ear_transport_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report);
int ear_transport_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report);
void ear_transport_stop(struct ear_transport *transport);
void ear_transport_close(struct ear_transport *transport); /* NULL: nothing */

/* Add the transport's faults until now to *counts. Any thread. */
void ear_transport_add_faults(
	struct ear_transport_fault_counts *counts, const struct ear_transport *transport);

#endif
