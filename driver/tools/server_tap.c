/* A follower inside the process.
 *
 * It copies from the ring with the mutex, as readers do, and hands over without. A reader that lags
 * is dropped, because its peer counts on every byte; the tap jumps to the newest bytes and looks
 * for a frame in them. It jumps at a quarter of the ring: what it shows is to be of now. It jumps
 * to before the newest byte: whoever is slow each time still gets something each time.
 */
#include "driver/tools/server_tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/tools/server_reader.h"

#define TICK_MS 100

struct tap {
	struct ear_server *server;
	uint64_t tail;    /* bytes of the stream that it has taken, or skipped */
	uint64_t skipped; /* bytes, since the last that were handed over */
	bool aligned;
	size_t held;
	uint8_t buffer[EAR_SERVER_CHUNK_SIZE];
	struct ear_server_tap_status status;
};

/* With the mutex: wait for bytes, but no longer than TICK_MS. */
static void wait_for_bytes(struct ear_server *server, const struct tap *tap)
{
	struct timespec until;

	if (tap->tail != server->head || server->tap_over)
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TICK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_cond_timedwait(&server->changed, &server->mutex, &until);
}

/* With the mutex. */
static void copy(struct tap *tap)
{
	const struct ear_server *server = tap->server;
	uint64_t lag = server->head - tap->tail;

	if (lag > server->ring_size / 4) {
		const uint64_t kept = lag < sizeof(tap->buffer) ? lag : sizeof(tap->buffer);
		tap->skipped += tap->held + lag - kept;
		tap->tail = server->head - kept;
		tap->held = 0;
		tap->aligned = false;
		lag = kept;
	}
	const size_t room = sizeof(tap->buffer) - tap->held;
	const size_t at = (size_t)(tap->tail % server->ring_size);
	size_t size = lag < room ? (size_t)lag : room;
	if (size > server->ring_size - at)
		size = server->ring_size - at;
	memcpy(tap->buffer + tap->held, server->ring + at, size);
	tap->tail += size;
	tap->held += size;
	tap->status = (struct ear_server_tap_status){.received = server->head,
		.ring_size = server->ring_size,
		.lag = (size_t)(server->head - tap->tail)};
}

static void hand_over(struct tap *tap)
{
	const struct ear_server_tap *to = tap->server->options.tap;
	const size_t before = tap->held;

	if (!tap->aligned) {
		tap->aligned = ear_server_align(tap->buffer, &tap->held);
		/* The end of a frame whose begin was skipped. */
		if (tap->skipped > 0)
			tap->skipped += before - tap->held;
	}
	if (!tap->aligned) {
		to->bytes(to->context, NULL, 0, 0, &tap->status);
		return;
	}
	to->bytes(to->context, tap->buffer, tap->held, tap->skipped, &tap->status);
	tap->skipped = 0;
	tap->held = 0;
}

static void *follow(void *context)
{
	struct tap *tap = context;
	struct ear_server *server = tap->server;
	bool over;

	do {
		pthread_mutex_lock(&server->mutex);
		wait_for_bytes(server, tap);
		copy(tap);
		over = server->tap_over && tap->tail == server->head;
		pthread_mutex_unlock(&server->mutex);
		hand_over(tap);
	} while (!over);
	free(tap);
	return NULL;
}

void ear_server_tap_start(struct ear_server *server)
{
	struct tap *tap;
	int error = ENOMEM;

	if (!server->options.tap)
		return;
	tap = calloc(1, sizeof(*tap));
	if (tap) {
		tap->server = server;
		error = pthread_create(&server->tap_thread, NULL, follow, tap);
	}
	server->tap_runs = error == 0;
	if (!error)
		return;
	free(tap);
	pthread_mutex_lock(&server->mutex);
	ear_server_report(server, "no thread for the view: %s", strerror(error));
	pthread_mutex_unlock(&server->mutex);
}

void ear_server_tap_end(struct ear_server *server)
{
	if (!server->tap_runs)
		return;
	pthread_mutex_lock(&server->mutex);
	server->tap_over = true;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
	pthread_join(server->tap_thread, NULL);
	server->tap_runs = false;
}
