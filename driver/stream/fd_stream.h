#ifndef EAR_FD_STREAM_H
#define EAR_FD_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/link/transport.h"

/* Bytes from and to a file descriptor that can be waited for: what uart: and tcp: have in common. A
 * thread of the stream reads and hands over; a write happens on the caller's thread.
 */
struct ear_fd_stream {
	const char *name;      /* the device's, for reports; outlives the stream */
	const char *gone_text; /* for the report: what it means when no more bytes come */
	int fd;                /* belongs to the stream; not blocking */
	/* Every second, on the stream's thread, with the sink; NULL: nothing. */
	void (*tick)(void *owner, const struct ear_transport_sink *sink);
	void *owner;

	int stop_fd;
	bool running;
	pthread_t thread;
	struct ear_transport_sink sink;
	uint8_t buffer[64 * 1024];
};

/* Set the members above and prepare the rest. fd is closed if this fails.
 * Returns 0, or EAR_E_IO.
 */
int ear_fd_stream_init(struct ear_fd_stream *stream, const char *name, const char *gone_text,
	int fd, struct ear_report *report);

/* Stop, and close the file descriptors. */
void ear_fd_stream_fini(struct ear_fd_stream *stream);

/* Wait until fd takes bytes, until deadline_ms of ear_clock_ms.
 * Returns 0, EAR_E_TIMEOUT or EAR_E_IO.
 */
int ear_fd_wait_writable(int fd, uint64_t deadline_ms);

/* As the functions of struct ear_transport_ops. */
int ear_fd_stream_start(struct ear_fd_stream *stream, const struct ear_transport_sink *sink,
	struct ear_report *report);
int ear_fd_stream_write(struct ear_fd_stream *stream, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report);
void ear_fd_stream_stop(struct ear_fd_stream *stream);

#endif
