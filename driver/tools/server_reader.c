/* One connection of 'earshot serve', on a thread of its own: the greeting, which decides who may
 * listen and who may control, and then the stream, from the beginning of a frame on.
 */
#define _GNU_SOURCE /* explicit_bzero */
#include "driver/tools/server_reader.h"

#include <earshot/error.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/protocol/frame.h"
#include "common/secret.h"
#include "driver/base/clock.h"

#define ENDING_MS 1000 /* in which a device ends after its controller has left */

/* -- A reader's thread: the greeting -- */

static bool send_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

/* One deadline for the whole line: a peer that sends slowly must not keep a slot for long. A zero
 * in it would hide what comes after.
 */
static bool read_line(int fd, char line[EAR_TCP_LINE_MAX], unsigned limit_ms)
{
	uint64_t deadline_ms = ear_clock_ms() + limit_ms;

	for (size_t length = 0; length < EAR_TCP_LINE_MAX; length++) {
		struct pollfd fds = {.fd = fd, .events = POLLIN};
		uint64_t now_ms = ear_clock_ms();

		if (now_ms >= deadline_ms || poll(&fds, 1, (int)(deadline_ms - now_ms)) != 1 ||
			recv(fd, line + length, 1, 0) != 1 || line[length] == '\0')
			return false;
		if (line[length] == '\n') {
			line[length] = '\0';
			return true;
		}
	}
	return false;
}

/* With the mutex: how many readers follow without control; if like is not NULL, of its address. */
static unsigned count_listeners(
	const struct ear_server *server, const struct ear_server_reader *like)
{
	unsigned count = 0;

	for (const struct ear_server_reader *reader = server->readers; reader;
		reader = reader->next)
		if (reader->state == READER_FOLLOWING && !reader->controls && !reader->dropped &&
			(!like ||
				memcmp(reader->address, like->address, sizeof(like->address)) == 0))
			count++;
	return count;
}

/* With the mutex: is there a slot for one more listener? Returns NULL or why not. */
static const char *admit_listener(const struct ear_server_reader *reader)
{
	const struct ear_server *server = reader->server;
	unsigned max = server->options.reader_max;
	unsigned address_max = server->options.address_max;
	bool kept = server->token[0] && server->transport->controllable;

	if (count_listeners(server, NULL) >= max - kept)
		return "too many readers";
	/* Tunnels of any number of people end at this machine's own address. */
	if (address_max == 0 && !reader->loopback)
		address_max = (max + 1) / 2;
	if (address_max > 0 && count_listeners(server, reader) >= address_max)
		return "too many readers from your address";
	return NULL;
}

static const char *check_token(const struct ear_server *server, const char *token)
{
	if (server->token[0] == '\0')
		return "nobody may control this device";
	return ear_secret_is(token, server->token) ? NULL : "that is not the token";
}

/* With the mutex: is the device free for a controller? Returns NULL or why not. */
static const char *admit_controller(const struct ear_server_reader *reader)
{
	const struct ear_server *server = reader->server;

	if (!server->transport->controllable)
		return "the device takes no control words";
	for (const struct ear_server_reader *other = server->readers; other; other = other->next)
		if (other->controls && other->state == READER_FOLLOWING && !other->dropped)
			return "somebody else controls the device";
	return NULL;
}

/* With the mutex, which is released meanwhile: a device that ends with its program may be about to
 * end when its controller has just left. Wait for that, or the next controller would get a device
 * that is gone a moment later. */
static void wait_for_end(struct ear_server_reader *reader)
{
	struct ear_server *server = reader->server;

	while (server->options.reopen && server->transport->ends_by_itself && !server->ended &&
		!reader->dropped && server->controller_left_ms != 0 &&
		ear_clock_ms() < server->controller_left_ms + ENDING_MS &&
		!atomic_load(&server->stopping)) {
		pthread_mutex_unlock(&server->mutex);
		ear_clock_sleep_ms(5);
		pthread_mutex_lock(&server->mutex);
	}
}

/* With the mutex: may the reader do what it asks for? Returns NULL, and it follows the stream from
 * now on, or the reason why not. */
static const char *admit(struct ear_server_reader *reader, const char *line)
{
	static const char hello[] = EAR_TCP_HELLO;
	struct ear_server *server = reader->server;
	const char *request = line + sizeof(hello) - 1;
	const char *why_not;

	if (strncmp(line, hello, sizeof(hello) - 1) != 0)
		return "this is earshot serve, version 1";
	bool controls = strncmp(request, "control ", 8) == 0;
	if (!controls && strcmp(request, "listen") != 0)
		return "listen or control?";
	why_not = controls ? check_token(server, request + 8) : NULL;
	if (why_not)
		return why_not;
	reader->has_token = controls;
	if (controls)
		wait_for_end(reader);
	while (server->restarting && !reader->dropped) {
		server->wanted = true;
		ear_server_wake(server);
		pthread_cond_wait(&server->changed, &server->mutex);
	}
	if (reader->dropped)
		return "too many connections";
	if (server->ended)
		return "the device has ended";
	why_not = controls ? admit_controller(reader) : admit_listener(reader);
	if (why_not)
		return why_not;
	reader->controls = controls;
	reader->tail = server->head;
	reader->state = READER_FOLLOWING;
	return NULL;
}

static bool greet(struct ear_server_reader *reader)
{
	struct ear_server *server = reader->server;
	char line[EAR_TCP_LINE_MAX];
	bool greeted = read_line(reader->fd, line, server->options.hello_ms);

	pthread_mutex_lock(&server->mutex);
	const char *why_not = greeted ? admit(reader, line) : "it did not say what it wants";
	if (!why_not && reader->controls)
		ear_server_report(server, "%s controls", reader->name);
	else if (ear_server_may_report(server))
		ear_server_report(server, why_not ? "%s was refused: %s" : "%s listens%s",
			reader->name, why_not ? why_not : "");
	pthread_mutex_unlock(&server->mutex);
	explicit_bzero(line, sizeof(line)); /* the token may be in it */
	int length = snprintf(line, sizeof(line), "%s %s\n", why_not ? "NO" : "OK",
		why_not ? why_not : server->name);
	ear_server_wake(server); /* to poll this connection for control words */
	return greeted && send_all(reader->fd, (const uint8_t *)line, (size_t)length) && !why_not;
}

/* -- A reader's thread: the stream -- */

/* Wait for bytes and append some to those that are held. Returns false at the end. */
static bool fetch(struct ear_server_reader *reader)
{
	struct ear_server *server = reader->server;

	pthread_mutex_lock(&server->mutex);
	while (reader->tail == server->head && !server->ended && !reader->dropped)
		pthread_cond_wait(&server->changed, &server->mutex);
	size_t room = sizeof(reader->buffer) - reader->held;
	size_t size =
		server->head - reader->tail < room ? (size_t)(server->head - reader->tail) : room;
	size_t at = (size_t)(reader->tail % server->ring_size);
	if (size > server->ring_size - at)
		size = server->ring_size - at;
	bool more = size > 0 && !reader->dropped;
	if (more) {
		memcpy(reader->buffer + reader->held, server->ring + at, size);
		reader->tail += size;
		reader->held += size;
	}
	pthread_mutex_unlock(&server->mutex);
	return more;
}

bool ear_server_align(uint8_t *bytes, size_t *size)
{
	struct ear_frame frame;
	size_t at = 0;
	int result = EAR_E_BAD_FRAME;

	while (at < *size && result == EAR_E_BAD_FRAME) {
		at += ear_frame_find(bytes + at, *size - at);
		result = ear_frame_parse(&frame, bytes + at, *size - at);
		if (result == EAR_E_BAD_FRAME)
			at++;
	}
	*size -= at;
	memmove(bytes, bytes + at, *size);
	return result > 0 || result == EAR_E_VERSION;
}

void *ear_server_follow(void *context)
{
	struct ear_server_reader *reader = context;
	struct ear_server *server = reader->server;

	bool more = greet(reader);
	while (more && fetch(reader)) {
		if (!reader->aligned)
			reader->aligned = ear_server_align(reader->buffer, &reader->held);
		if (reader->aligned) {
			more = send_all(reader->fd, reader->buffer, reader->held);
			reader->held = 0;
		}
	}
	pthread_mutex_lock(&server->mutex);
	if (reader->controls && reader->state == READER_FOLLOWING)
		server->controller_left_ms = ear_clock_ms();
	reader->state = READER_DONE;
	pthread_mutex_unlock(&server->mutex);
	shutdown(reader->fd, SHUT_RDWR);
	ear_server_wake(server);
	return NULL;
}
