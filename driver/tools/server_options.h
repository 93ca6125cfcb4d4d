#ifndef EAR_SERVER_OPTIONS_H
#define EAR_SERVER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "driver/link/transport.h"

/* What the server says to a tap, with each call. */
struct ear_server_tap_status {
	uint64_t received; /* bytes from the device */
	size_t ring_size;  /* bytes by which the tap may lag */
	size_t lag;        /* and does */
};

/* Somebody in this process who follows the stream, from its first frame on, on a thread of its own.
 * He makes nobody wait: when he lags by the ring he continues at the newest frame.
 */
struct ear_server_tap {
	/* Bytes of the stream; size 0: there are none now, said some times per second. skipped: so
	 * many bytes before these are missing. */
	void (*bytes)(void *context, const uint8_t *bytes, size_t size, uint64_t skipped,
		const struct ear_server_tap_status *status);
	void *context;
};

/* How a server (server.h) shall serve. */
struct ear_server_options {
	const char *address; /* to listen at: NULL 127.0.0.1, so nobody from outside */
	const char *port;    /* NULL: any; see ear_server_port */
	const char *token;   /* who knows it may control; NULL: nobody may */
	size_t ring_size;    /* bytes by which a reader may lag; 0: 32 MiB */
	unsigned reader_max; /* at the same time; 0: 16. With a token, one is the controller's */
	/* Listeners of one address (IPv6: of one network of 64 bits); 0: half of reader_max, or as
	 * many as there may be from this machine itself. */
	unsigned address_max;
	unsigned hello_ms; /* for a reader to say what it wants, as a whole; 0: 5 s */
	/* Open the device again when the next connection comes, after a controlled device ended by
	 * itself (EAR_TRANSPORT_EXITED). Results as ear_transport_open. NULL: the server ends with
	 * the device. */
	int (*reopen)(void *context, struct ear_transport **transport, struct ear_report *report);
	/* The device was started, and the server listens: the time to give up rights that are no
	 * longer needed. NULL: nothing. */
	void (*started)(void *context);
	const struct ear_server_tap *tap; /* NULL: none */
	/* Something happened that the user of the server should see: one line, no end of line. Any
	 * thread, one at a time. NULL: nobody sees it. */
	void (*report)(void *context, const char *line);
	void *context;
};

#endif
