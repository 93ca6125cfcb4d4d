#ifndef EAR_SERVER_PRIVATE_H
#define EAR_SERVER_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "driver/stream/transport_tcp.h"
#include "driver/tools/server.h"
#include "protocol/ear_protocol.h"

/* What server.c, which accepts connections and passes control words on, shares with
 * server_reader.c, which is the thread of one connection. */

#define EAR_SERVER_CHUNK_SIZE (64 * 1024)

enum ear_server_reader_state {
	READER_GREETING,
	READER_FOLLOWING,
	READER_DONE, /* its thread is about to end */
};

/* One connection. The server's mutex is for all but its thread's own. */
struct ear_server_reader {
	struct ear_server_reader *next;
	struct ear_server *server;
	int fd;
	char name[80];
	uint8_t address[16]; /* IPv4 in 4 bytes, IPv6 in its 8 of the network; the rest is 0 */
	bool loopback;
	pthread_t thread;
	enum ear_server_reader_state state;
	bool controls;
	bool dropped;  /* too slow, evicted, or closed by the peer: leave */
	uint64_t tail; /* bytes of the stream that it has taken */

	/* The beginning of a control word; the server's thread only. */
	uint8_t word[EAR_CONTROL_WORD_SIZE];
	size_t word_size;

	/* Its thread only. */
	bool aligned; /* a frame's beginning was found */
	size_t held;  /* bytes in buffer that are not sent yet */
	uint8_t buffer[EAR_SERVER_CHUNK_SIZE];
};

struct ear_server {
	struct ear_transport *transport;
	struct ear_server_options options;
	char name[sizeof(((struct ear_transport *)0)->name)]; /* of the device */
	char token[EAR_TCP_TOKEN_MAX + 1];
	int listen_fd, wake_fd;
	unsigned port;
	atomic_bool stopping;

	/* The server's thread only. */
	uint64_t accept_after_ms;      /* no connection is accepted before */
	uint64_t shortage_reported_ms; /* when the last shortage was reported; 0 never */

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

/* The thread of a connection; context is its struct ear_server_reader. */
void *ear_server_follow(void *context);

#endif
