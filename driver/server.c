#define _GNU_SOURCE /* accept4, POLLRDHUP */
#include "driver/server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/error.h"
#include "driver/clock.h"
#include "driver/transport_tcp.h"
#include "protocol/ear_protocol.h"
#include "protocol/frame.h"

#define RING_SIZE  ((size_t)32 << 20)
#define READER_MAX 16
#define HELLO_MS   5000
#define PIECE_SIZE (64 * 1024)
#define WRITE_MS   1000
#define DRAIN_MS   2000
#define BACKLOG    64 /* connections that come at the same time */

enum reader_state {
	READER_GREETING,
	READER_FOLLOWING,
	READER_DONE, /* its thread is about to end */
};

/* One connection. The server's mutex is for all but its thread's own. */
struct reader {
	struct reader *next;
	struct ear_server *server;
	int fd;
	char name[80];
	pthread_t thread;
	enum reader_state state;
	bool controls;
	bool dropped;  /* too slow, or its end hung up: leave */
	uint64_t tail; /* bytes of the stream that it has taken */

	/* Control words on their way in; the server's thread only. */
	uint8_t word[EAR_CONTROL_WORD_SIZE];
	size_t word_size;

	/* Its thread only. */
	bool aligned; /* a frame's beginning was found */
	size_t held;  /* bytes in buffer that are not sent yet */
	uint8_t buffer[PIECE_SIZE];
};

struct ear_server {
	struct ear_transport *transport;
	struct ear_server_options options;
	char token[EAR_TCP_TOKEN_MAX + 1];
	int listen_fd, wake_fd;
	unsigned port;
	atomic_bool stopping;

	pthread_mutex_t mutex;
	pthread_cond_t changed; /* bytes for readers, or the end */
	struct reader *readers;
	unsigned reader_count;
	uint8_t *ring;
	size_t ring_size;
	uint64_t head; /* bytes of the stream until now */
	bool ended;
	struct ear_transport_end end;
};

static void tell(struct ear_server *server, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* With the mutex. */
static void tell(struct ear_server *server, const char *format, ...)
{
	char line[256];
	va_list arguments;

	if (!server->options.tell)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	server->options.tell(server->options.context, line);
}

static void wake(struct ear_server *server)
{
	eventfd_write(server->wake_fd, 1);
}

/* -- The device's side -- */

static void put(struct ear_server *server, const uint8_t *bytes, size_t size)
{
	size_t at = (size_t)(server->head % server->ring_size);
	size_t first = server->ring_size - at < size ? server->ring_size - at : size;

	memcpy(server->ring + at, bytes, first);
	memcpy(server->ring, bytes + first, size - first);
	server->head += size;
}

/* Who is behind by more than the ring has lost bytes already: out, with whatever it waits for. */
static void drop_slow(struct ear_server *server)
{
	for (struct reader *reader = server->readers; reader; reader = reader->next) {
		if (reader->state != READER_FOLLOWING || reader->dropped ||
			server->head - reader->tail <= server->ring_size)
			continue;
		reader->dropped = true;
		tell(server, "%s does not keep up and was dropped, %llu bytes behind", reader->name,
			(unsigned long long)(server->head - reader->tail));
		shutdown(reader->fd, SHUT_RDWR);
	}
}

static bool take(void *context, const uint8_t *bytes, size_t size)
{
	struct ear_server *server = context;

	while (size > 0) {
		size_t piece = size < server->ring_size ? size : server->ring_size;

		pthread_mutex_lock(&server->mutex);
		put(server, bytes, piece);
		drop_slow(server);
		pthread_cond_broadcast(&server->changed);
		pthread_mutex_unlock(&server->mutex);
		bytes += piece;
		size -= piece;
	}
	return true;
}

static void take_end(void *context, const struct ear_transport_end *end)
{
	struct ear_server *server = context;

	pthread_mutex_lock(&server->mutex);
	server->end = *end;
	server->ended = true;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
	wake(server);
}

/* The readers see it by the numbers of the frames. */
static void take_loss(void *context)
{
	struct ear_server *server = context;

	pthread_mutex_lock(&server->mutex);
	tell(server, "bytes were lost on the way from the device");
	pthread_mutex_unlock(&server->mutex);
}

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

/* Equal? In a time that does not tell how much of it is. */
static bool same_token(const char *given, const char *token)
{
	size_t length = strlen(token);
	unsigned different = (unsigned)(strlen(given) ^ length);

	for (size_t i = 0; i < length; i++)
		different |= (unsigned)(uint8_t)token[i] ^ (uint8_t)given[i % (strlen(given) + 1)];
	return different == 0;
}

/* In good time as a whole: who comes and says little must not keep a place for long. */
static bool read_line(int fd, char line[EAR_TCP_LINE_MAX], unsigned limit_ms)
{
	uint64_t deadline_ms = ear_clock_ms() + limit_ms;

	for (size_t length = 0; length < EAR_TCP_LINE_MAX; length++) {
		struct pollfd fds = {.fd = fd, .events = POLLIN};
		uint64_t now_ms = ear_clock_ms();

		if (now_ms >= deadline_ms || poll(&fds, 1, (int)(deadline_ms - now_ms)) != 1 ||
			recv(fd, line + length, 1, 0) != 1)
			return false;
		if (line[length] == '\n') {
			line[length] = '\0';
			return true;
		}
	}
	return false;
}

/* May it do what it asks for? Returns NULL and begins to follow, or the reason why not. With the
 * mutex. */
static const char *admit(struct reader *reader, const char *line)
{
	static const char hello[] = EAR_TCP_HELLO;
	struct ear_server *server = reader->server;
	const char *request = line + sizeof(hello) - 1;
	bool controls = false;

	if (strncmp(line, hello, sizeof(hello) - 1) != 0)
		return "this is earshot serve, version 1";
	if (strncmp(request, "control ", 8) == 0) {
		if (server->token[0] == '\0')
			return "nobody may control this device";
		if (!same_token(request + 8, server->token))
			return "that is not the token";
		if (!server->transport->controllable)
			return "the device takes no control words";
		for (struct reader *other = server->readers; other; other = other->next)
			if (other->controls && other->state == READER_FOLLOWING)
				return "somebody else controls the device";
		controls = true;
	} else if (strcmp(request, "listen") != 0) {
		return "listen or control?";
	}
	reader->controls = controls;
	reader->tail = server->head;
	reader->state = READER_FOLLOWING;
	return NULL;
}

static bool greet(struct reader *reader)
{
	struct ear_server *server = reader->server;
	char line[EAR_TCP_LINE_MAX];
	bool greeted = read_line(reader->fd, line, server->options.hello_ms);

	pthread_mutex_lock(&server->mutex);
	const char *why_not = greeted ? admit(reader, line) : "it did not say what it wants";
	if (why_not)
		tell(server, "%s was refused: %s", reader->name, why_not);
	else
		tell(server, "%s %s", reader->name, reader->controls ? "controls" : "listens");
	pthread_mutex_unlock(&server->mutex);
	int length = snprintf(line, sizeof(line), "%s %s\n", why_not ? "NO" : "OK",
		why_not ? why_not : server->transport->name);
	wake(server); /* its input is of interest now */
	return greeted && send_all(reader->fd, (const uint8_t *)line, (size_t)length) && !why_not;
}

/* -- A reader's thread: the stream -- */

/* Wait for bytes and copy some behind those that are held. Returns false at the end. */
static bool fetch(struct reader *reader)
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

/* Throw away what stands before a frame. */
static void align(struct reader *reader)
{
	struct ear_frame frame;
	size_t at = 0;
	int result = EAR_E_BAD_FRAME;

	while (at < reader->held && result == EAR_E_BAD_FRAME) {
		at += ear_frame_find(reader->buffer + at, reader->held - at);
		result = ear_frame_parse(&frame, reader->buffer + at, reader->held - at);
		if (result == EAR_E_BAD_FRAME)
			at++;
	}
	reader->aligned = result > 0 || result == EAR_E_VERSION;
	reader->held -= at;
	memmove(reader->buffer, reader->buffer + at, reader->held);
}

static void *follow(void *context)
{
	struct reader *reader = context;
	struct ear_server *server = reader->server;

	bool more = greet(reader);
	while (more && fetch(reader)) {
		if (!reader->aligned)
			align(reader);
		if (reader->aligned) {
			more = send_all(reader->fd, reader->buffer, reader->held);
			reader->held = 0;
		}
	}
	pthread_mutex_lock(&server->mutex);
	reader->state = READER_DONE;
	pthread_mutex_unlock(&server->mutex);
	shutdown(reader->fd, SHUT_RDWR);
	wake(server);
	return NULL;
}

/* -- The server's thread -- */

static void name_reader(struct reader *reader, const struct sockaddr *address, socklen_t size)
{
	char host[50], port[8];

	if (getnameinfo(address, size, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		snprintf(reader->name, sizeof(reader->name), "%s port %s", host, port);
	else
		snprintf(reader->name, sizeof(reader->name), "a reader");
}

static void accept_reader(struct ear_server *server)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	int one = 1;
	int fd = accept4(server->listen_fd, (struct sockaddr *)&address, &size, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	struct reader *reader = calloc(1, sizeof(*reader));
	if (!reader || server->reader_count == server->options.reader_max) {
		send_all(fd, (const uint8_t *)"NO too many readers\n", 20);
		close(fd);
		free(reader);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	reader->server = server;
	reader->fd = fd;
	name_reader(reader, (struct sockaddr *)&address, size);
	pthread_mutex_lock(&server->mutex);
	if (pthread_create(&reader->thread, NULL, follow, reader)) {
		tell(server, "%s was refused: no memory", reader->name);
		close(fd);
		free(reader);
	} else {
		reader->next = server->readers;
		server->readers = reader;
		server->reader_count++;
	}
	pthread_mutex_unlock(&server->mutex);
}

/* Readers that are through. all: wait for the others as well. */
static void remove_readers(struct ear_server *server, bool all)
{
	struct reader **place = &server->readers;

	pthread_mutex_lock(&server->mutex);
	while (*place) {
		struct reader *reader = *place;

		if (!all && reader->state != READER_DONE) {
			place = &reader->next;
			continue;
		}
		*place = reader->next;
		server->reader_count--;
		if (all) {
			reader->dropped = true;
			pthread_cond_broadcast(&server->changed);
		}
		pthread_mutex_unlock(&server->mutex);
		if (all)
			shutdown(reader->fd, SHUT_RDWR);
		pthread_join(reader->thread, NULL);
		pthread_mutex_lock(&server->mutex);
		tell(server, "%s has left", reader->name);
		close(reader->fd);
		free(reader);
	}
	pthread_mutex_unlock(&server->mutex);
}

/* Its end hung up, or sends what it must not. */
static void let_go(struct ear_server *server, struct reader *reader)
{
	pthread_mutex_lock(&server->mutex);
	reader->dropped = true;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
	shutdown(reader->fd, SHUT_RDWR);
}

/* Control words go to the device whole. A listener has nothing to say. */
static void take_input(struct ear_server *server, struct reader *reader, bool controls)
{
	uint8_t bytes[256];
	struct ear_report report;
	ssize_t size = recv(reader->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size <= 0 || !controls)
		return let_go(server, reader);
	for (ssize_t i = 0; i < size; i++) {
		reader->word[reader->word_size++] = bytes[i];
		if (reader->word_size < sizeof(reader->word))
			continue;
		reader->word_size = 0;
		if (ear_transport_write(server->transport, reader->word, sizeof(reader->word),
			    WRITE_MS, &report) != 0) {
			pthread_mutex_lock(&server->mutex);
			tell(server, "%s", report.text);
			pthread_mutex_unlock(&server->mutex);
		}
	}
}

/* Wait for anything, and do it. */
static void serve_once(struct ear_server *server)
{
	struct pollfd fds[2 + 256];
	struct reader *readers[256];
	bool controls[256];
	unsigned count = 0;
	eventfd_t ignored;

	fds[0] = (struct pollfd){.fd = server->listen_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = server->wake_fd, .events = POLLIN};
	pthread_mutex_lock(&server->mutex);
	for (struct reader *reader = server->readers; reader; reader = reader->next) {
		if (reader->state != READER_FOLLOWING || reader->dropped)
			continue;
		readers[count] = reader;
		controls[count] = reader->controls;
		fds[2 + count++] = (struct pollfd){.fd = reader->fd, .events = POLLIN | POLLRDHUP};
	}
	pthread_mutex_unlock(&server->mutex);
	if (poll(fds, 2 + count, -1) < 0)
		return;
	if (fds[1].revents)
		eventfd_read(server->wake_fd, &ignored);
	for (unsigned i = 0; i < count; i++)
		if (fds[2 + i].revents)
			take_input(server, readers[i], controls[i]);
	remove_readers(server, false);
	if (fds[0].revents)
		accept_reader(server);
}

static bool has_ended(struct ear_server *server)
{
	pthread_mutex_lock(&server->mutex);
	bool ended = server->ended;
	pthread_mutex_unlock(&server->mutex);
	return ended;
}

/* What the transport has to say, if anything. */
static void tell_notice(struct ear_server *server)
{
	const char *notice = server->transport->notice;

	pthread_mutex_lock(&server->mutex);
	if (notice[0])
		tell(server, "warning: %s", notice);
	pthread_mutex_unlock(&server->mutex);
}

static void tell_account(struct ear_server *server)
{
	struct ear_transport_fault_counts faults = {0};

	ear_transport_add_faults(&faults, server->transport);
	pthread_mutex_lock(&server->mutex);
	tell(server, "%llu bytes came from the device", (unsigned long long)server->head);
	if (faults.stalls + faults.errors + faults.overflows + faults.overruns)
		tell(server,
			"the link had %llu stalls, %llu errors, %llu overflows and %llu overruns",
			(unsigned long long)faults.stalls, (unsigned long long)faults.errors,
			(unsigned long long)faults.overflows, (unsigned long long)faults.overruns);
	pthread_mutex_unlock(&server->mutex);
}

int ear_server_run(
	struct ear_server *server, struct ear_transport_end *end, struct ear_report *report)
{
	struct ear_transport_sink sink = {take, take_end, server, take_loss};
	int error = ear_transport_start(server->transport, &sink, report);

	if (error)
		return error;
	tell_notice(server);
	while (!has_ended(server) && !atomic_load(&server->stopping))
		serve_once(server);
	ear_transport_stop(server->transport);
	uint64_t limit_ms = ear_clock_ms() + DRAIN_MS;
	while (server->readers && ear_clock_ms() < limit_ms) {
		ear_clock_sleep_ms(5); /* what is in the ring is still theirs */
		remove_readers(server, false);
	}
	remove_readers(server, true);
	tell_account(server);
	*end = server->end;
	return 0;
}

void ear_server_stop(struct ear_server *server)
{
	atomic_store(&server->stopping, true);
	wake(server);
}

/* -- Opening -- */

static int listen_at(struct ear_server *server, struct ear_report *report)
{
	const char *host = server->options.address ? server->options.address : "127.0.0.1";
	const char *port = server->options.port ? server->options.port : "0";
	struct addrinfo hints = {.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
	struct addrinfo *address;
	struct sockaddr_storage own;
	socklen_t size = sizeof(own);
	int one = 1;

	int error = ear_tcp_is_port(port) ? getaddrinfo(host, port, &hints, &address) : EAI_SERVICE;
	if (error)
		return ear_report_set(report, EAR_E_BAD_ARGUMENT, "%s port %s: %s", host, port,
			gai_strerror(error));
	server->listen_fd =
		socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool listening =
		server->listen_fd >= 0 &&
		setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
		bind(server->listen_fd, address->ai_addr, address->ai_addrlen) == 0 &&
		listen(server->listen_fd, BACKLOG) == 0 &&
		getsockname(server->listen_fd, (struct sockaddr *)&own, &size) == 0;
	freeaddrinfo(address);
	if (!listening)
		return ear_report_set(report, EAR_E_IO, "%s port %s: cannot listen: %s", host, port,
			strerror(errno));
	server->port = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
						       : ((struct sockaddr_in *)&own)->sin_port);
	return 0;
}

static int prepare(struct ear_server *server, struct ear_report *report)
{
	server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	server->ring = malloc(server->ring_size);
	if (server->wake_fd < 0 || !server->ring)
		return ear_report_set(report, EAR_E_NO_MEMORY,
			"%s: no memory for %zu bytes of the stream", server->transport->name,
			server->ring_size);
	return listen_at(server, report);
}

int ear_server_open(struct ear_server **server_out, struct ear_transport *transport,
	const struct ear_server_options *options, struct ear_report *report)
{
	struct ear_server *server = calloc(1, sizeof(*server));

	*server_out = NULL;
	if (!server) {
		ear_transport_close(transport);
		return ear_report_set(report, EAR_E_NO_MEMORY, "out of memory");
	}
	server->transport = transport;
	server->options = *options;
	server->listen_fd = -1;
	server->ring_size = options->ring_size ? options->ring_size : RING_SIZE;
	if (options->reader_max == 0 || options->reader_max > 256)
		server->options.reader_max = READER_MAX;
	if (options->hello_ms == 0)
		server->options.hello_ms = HELLO_MS;
	if (options->token)
		snprintf(server->token, sizeof(server->token), "%s", options->token);
	pthread_mutex_init(&server->mutex, NULL);
	pthread_cond_init(&server->changed, NULL);
	int error = prepare(server, report);
	if (error) {
		ear_server_close(server);
		return error;
	}
	*server_out = server;
	return 0;
}

unsigned ear_server_port(const struct ear_server *server)
{
	return server->port;
}

void ear_server_close(struct ear_server *server)
{
	if (!server)
		return;
	ear_transport_close(server->transport);
	if (server->listen_fd >= 0)
		close(server->listen_fd);
	if (server->wake_fd >= 0)
		close(server->wake_fd);
	pthread_cond_destroy(&server->changed);
	pthread_mutex_destroy(&server->mutex);
	free(server->ring);
	free(server);
}
