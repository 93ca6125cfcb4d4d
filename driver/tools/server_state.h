#ifndef EAR_SERVER_STATE_H
#define EAR_SERVER_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/stream/transport_tcp.h"
#include "driver/tools/server_options.h"

/* What server.c, which accepts connections and passes control words on, shares with
 * server_reader.c, which is the thread of one connection. */

struct ear_server_reader;

struct ear_server {
	struct ear_transport *transport;
	struct ear_server_options options;
	char name[sizeof(((struct ear_transport *)0)->name)]; /* of the device */
	char token[EAR_TCP_TOKEN_MAX + 1];
	int listen_fd, wake_fd;
	unsigned port;
	atomic_bool stopping;

	/* The server's thread only. */
	uint64_t accept_after_ms;          /* no connection is accepted before */
	uint64_t shortage_reported_ms;     /* when the last shortage was reported; 0 never */
	struct ear_server_reader *waiting; /* accepted, for a slot to greet in; the oldest first */
	unsigned waiting_count;

	pthread_mutex_t mutex;
	pthread_cond_t changed;            /* bytes for readers, or the end */
	struct ear_server_reader *readers; /* the youngest first */
	unsigned reader_count;
	uint8_t *ring;
	size_t ring_size;
	uint64_t head;               /* bytes of the stream until now */
	bool spoken_to;              /* the device got a control word since it was started */
	uint64_t controller_left_ms; /* 0: none has */
	bool restarting; /* the device has ended, and is opened again when somebody connects .. */
	bool wanted;     /* .. which somebody has done */
	bool ended;
	struct ear_transport_end end;
	pthread_t tap_thread;
	bool tap_runs, tap_over; /* over: the tap ends when it has all bytes */

	/* Lines about connections: how many may be reported, since when, how many were suppressed.
	 */
	unsigned report_room;
	uint64_t report_ms;
	uint64_t suppressed;
};

/* Hand a line to the server's user. With the mutex. */
void ear_server_report(struct ear_server *server, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* With the mutex: may a line about a connection be reported now? Strangers decide how often there
 * is one, so the rate is limited: EAR_SERVER_REPORT_BURST lines at once, and one more each
 * EAR_SERVER_REPORT_MS. The next line is preceded by how many were suppressed. */
#define EAR_SERVER_REPORT_BURST 32
#define EAR_SERVER_REPORT_MS    500
bool ear_server_may_report(struct ear_server *server);

/* Wake the server's thread. */
void ear_server_wake(struct ear_server *server);

#endif
