#ifndef EAR_SERVER_READER_H
#define EAR_SERVER_READER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"
#include "driver/tools/server_state.h"

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
	uint64_t begun_ms; /* its greeting was begun */
	pthread_t thread;
	enum ear_server_reader_state state;
	bool has_token; /* it gave the token: its greeting makes room for nobody */
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

/* Remove what is before the first frame of bytes[0 .. *size-1]. Does a frame begin there now? If
 * not, more bytes are to follow those that are left. */
bool ear_server_align(uint8_t *bytes, size_t *size);

/* The thread of a connection; context is its struct ear_server_reader. */
void *ear_server_follow(void *context);

#endif
