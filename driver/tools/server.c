/* A device for other hosts.
 *
 * One thread accepts connections and passes control words on. Each connection has a thread of its
 * own, which greets and then follows the stream in one ring. Strangers may connect in any number,
 * so every resource that a connection takes is bounded, and a connection without the token makes
 * room: one that is still greeting for a newer one, a listener for a controller. The last slot is
 * reserved for the controller.
 *
 * Who a connection is of is known when its greeting has come. From other addresses it makes others
 * give way at once. Behind a tunnel all have one address: there each has GRACE_MS to greet, and the
 * next ones wait in their order. So those who say nothing cannot keep out one who does, however
 * often they connect again.
 */
#define _GNU_SOURCE /* accept4, POLLRDHUP, explicit_bzero */
#include "driver/tools/server.h"

#include <earshot/error.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/base/clock.h"
#include "driver/stream/tcp_connect.h"
#include "driver/tools/server_reader.h"
#include "driver/tools/server_state.h"
#include "driver/tools/server_tap.h"

#define RING_SIZE  ((size_t)32 << 20)
#define READER_MAX 16
#define HELLO_MS   5000
#define WRITE_MS   1000
#define DRAIN_MS   2000
#define BACKLOG    64 /* connections that come at the same time */

#define FOLLOWER_MAX    256   /* readers that follow, at most */
#define GREETING_MAX    16    /* connections that have not sent their request yet */
#define LEAVING_MAX     16    /* connections whose thread has not ended yet */
#define WAITING_MAX     64    /* connections that wait to greet */
#define GRACE_MS        250   /* in which no other of its address evicts a greeting */
#define ACCEPT_PAUSE_MS 100   /* without a descriptor or memory for a connection */
#define SHORTAGE_MS     10000 /* between two reports of that */

/* A peer that vanishes without closing the connection is detected within 50 s. */
#define KEEPALIVE_IDLE_S     20
#define KEEPALIVE_INTERVAL_S 10
#define KEEPALIVE_COUNT      3

/* -- The device's side -- */

static void put(struct ear_server *server, const uint8_t *bytes, size_t size)
{
	size_t at = (size_t)(server->head % server->ring_size);
	size_t first = server->ring_size - at < size ? server->ring_size - at : size;

	memcpy(server->ring + at, bytes, first);
	memcpy(server->ring, bytes + first, size - first);
	server->head += size;
}

/* A reader that lags by more than the ring has lost bytes already: drop it, whatever it waits for.
 */
static void drop_slow(struct ear_server *server)
{
	for (struct ear_server_reader *reader = server->readers; reader; reader = reader->next) {
		if (reader->state != READER_FOLLOWING || reader->dropped ||
			server->head - reader->tail <= server->ring_size)
			continue;
		reader->dropped = true;
		ear_server_report(server,
			"%s does not keep up and was dropped: it lags by %llu bytes", reader->name,
			(unsigned long long)(server->head - reader->tail));
		shutdown(reader->fd, SHUT_RDWR);
	}
}

static bool take(void *context, const uint8_t *bytes, size_t size)
{
	struct ear_server *server = context;

	while (size > 0) {
		size_t chunk = size < server->ring_size ? size : server->ring_size;

		pthread_mutex_lock(&server->mutex);
		put(server, bytes, chunk);
		drop_slow(server);
		pthread_cond_broadcast(&server->changed);
		pthread_mutex_unlock(&server->mutex);
		bytes += chunk;
		size -= chunk;
	}
	return true;
}

static void take_end(void *context, const struct ear_transport_end *end)
{
	struct ear_server *server = context;

	pthread_mutex_lock(&server->mutex);
	server->end = *end;
	server->ended = true;
	server->restarting = end->reason == EAR_TRANSPORT_EXITED && server->spoken_to &&
			     server->options.reopen && !atomic_load(&server->stopping);
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
	ear_server_wake(server);
}

/* The readers see the loss by the numbers of the frames. */
static void take_loss(void *context)
{
	struct ear_server *server = context;

	pthread_mutex_lock(&server->mutex);
	ear_server_report(server, "bytes were lost on the way from the device");
	pthread_mutex_unlock(&server->mutex);
}

/* -- The server's thread -- */

/* Its name for messages, and what it shares with others of the same address: of IPv6 the network,
 * in which a single machine may have as many addresses as it likes. */
static void name_reader(
	struct ear_server_reader *reader, const struct sockaddr_storage *address, socklen_t size)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
	const struct in_addr *four = &((const struct sockaddr_in *)address)->sin_addr;
	char host[50], port[8];

	if (getnameinfo((const struct sockaddr *)address, size, host, sizeof(host), port,
		    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		snprintf(reader->name, sizeof(reader->name), "%s port %s", host, port);
	else
		snprintf(reader->name, sizeof(reader->name), "a reader");
	if (address->ss_family == AF_INET) {
		memcpy(reader->address, four, 4);
		reader->loopback = reader->address[0] == 127;
	} else if (address->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(six)) {
		memcpy(reader->address, six->s6_addr + 12, 4);
		reader->loopback = reader->address[0] == 127;
	} else if (address->ss_family == AF_INET6) {
		memcpy(reader->address, six->s6_addr, 8);
		reader->address[15] = 6;
		reader->loopback = IN6_IS_ADDR_LOOPBACK(six);
	}
}

/* With the mutex: free the reader's slot. If it is in its greeting, its thread sees a closed
 * connection. */
static void evict(struct ear_server *server, struct ear_server_reader *reader)
{
	static const char answer[] = "NO too many connections\n";

	if (reader->state == READER_GREETING)
		send(reader->fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	reader->dropped = true;
	pthread_cond_broadcast(&server->changed);
	shutdown(reader->fd, SHUT_RDWR);
	if (ear_server_may_report(server))
		ear_server_report(server, "%s was evicted: too many connections", reader->name);
}

/* Is it one of those that say nothing, or not yet, who they are? */
static bool is_greeting(const struct ear_server_reader *reader)
{
	return reader->state == READER_GREETING && !reader->dropped && !reader->has_token;
}

/* With the mutex: the greeting to evict for a new one. It is the oldest of the address that has
 * most of them, so that nobody evicts others by connecting often. NULL if there are fewer than
 * count. */
static struct ear_server_reader *find_greeting(const struct ear_server *server, unsigned count)
{
	struct ear_server_reader *found = NULL;
	unsigned max = 0, all = 0;

	for (struct ear_server_reader *reader = server->readers; reader; reader = reader->next) {
		unsigned same = 0;

		if (!is_greeting(reader))
			continue;
		all++;
		for (const struct ear_server_reader *other = server->readers; other;
			other = other->next)
			same += is_greeting(other) && memcmp(other->address, reader->address,
							      sizeof(reader->address)) == 0;
		if (same >= max) { /* the youngest come first: this one is older */
			max = same;
			found = reader;
		}
	}
	return all >= count ? found : NULL;
}

/* With the mutex: the listener that came last. NULL if there is a controller: then nobody has to
 * make room. */
static struct ear_server_reader *find_listener(const struct ear_server *server)
{
	struct ear_server_reader *found = NULL;

	for (struct ear_server_reader *reader = server->readers; reader; reader = reader->next) {
		if (reader->state != READER_FOLLOWING || reader->dropped)
			continue;
		if (reader->controls)
			return NULL;
		if (!found)
			found = reader;
	}
	return found;
}

/* There is no descriptor or no memory for a connection, which stays in the queue: without a pause
 * the server would try to accept it in a busy loop. */
static void endure_shortage(struct ear_server *server, int number)
{
	uint64_t now_ms = ear_clock_ms();

	server->accept_after_ms = now_ms + ACCEPT_PAUSE_MS;
	pthread_mutex_lock(&server->mutex);
	struct ear_server_reader *victim = find_greeting(server, 1);
	if (!victim)
		victim = find_listener(server);
	if (victim)
		evict(server, victim);
	if (server->shortage_reported_ms == 0 ||
		now_ms - server->shortage_reported_ms >= SHORTAGE_MS) {
		server->shortage_reported_ms = now_ms;
		ear_server_report(server,
			"cannot accept a connection: %s; trying again every %d ms "
			"(ulimit -n sets how many files may be open)",
			strerror(number), ACCEPT_PAUSE_MS);
	}
	pthread_mutex_unlock(&server->mutex);
}

static void set_options(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {{IPPROTO_TCP, TCP_NODELAY, 1}, {SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S},
		{IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S},
		{IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT}};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			sizeof(options[i].value));
}

/* Start the thread of a connection. Returns 0, or an error number: it is closed. */
static int start_reader(struct ear_server *server, struct ear_server_reader *reader)
{
	reader->next = NULL;
	reader->begun_ms = ear_clock_ms();
	pthread_mutex_lock(&server->mutex);
	int error = pthread_create(&reader->thread, NULL, ear_server_follow, reader);
	if (!error) {
		reader->next = server->readers;
		server->readers = reader;
		server->reader_count++;
	}
	pthread_mutex_unlock(&server->mutex);
	if (error) {
		close(reader->fd);
		free(reader);
		endure_shortage(server, error);
	}
	return error;
}

/* May a connection greet now? If there are too many, one has to give way for it: at once to another
 * address, after GRACE_MS to the same. Returns 0, or the ms until then. */
static unsigned make_room(struct ear_server *server, const struct ear_server_reader *reader)
{
	unsigned wait_ms = 0;

	pthread_mutex_lock(&server->mutex);
	struct ear_server_reader *oldest = find_greeting(server, GREETING_MAX);
	if (oldest && memcmp(oldest->address, reader->address, sizeof(reader->address)) == 0) {
		uint64_t age_ms = ear_clock_ms() - oldest->begun_ms;
		wait_ms = age_ms < GRACE_MS ? (unsigned)(GRACE_MS - age_ms) : 0;
	}
	if (oldest && wait_ms == 0)
		evict(server, oldest);
	pthread_mutex_unlock(&server->mutex);
	return wait_ms;
}

/* Those that wait may greet, in their order. Returns the ms until the next one may, or -1. */
static int start_waiting(struct ear_server *server)
{
	while (server->waiting) {
		struct ear_server_reader *reader = server->waiting;
		unsigned wait_ms = make_room(server, reader);
		if (wait_ms > 0)
			return (int)wait_ms;
		server->waiting = reader->next;
		server->waiting_count--;
		if (start_reader(server, reader) != 0)
			return ACCEPT_PAUSE_MS;
	}
	return -1;
}

/* Does another one of its address wait? */
static bool is_waiting(const struct ear_server *server, const struct ear_server_reader *reader)
{
	for (const struct ear_server_reader *other = server->waiting; other; other = other->next)
		if (memcmp(other->address, reader->address, sizeof(reader->address)) == 0)
			return true;
	return false;
}

/* It is the last one that waits, or there is no room for it. */
static void add_waiting(struct ear_server *server, struct ear_server_reader *reader)
{
	struct ear_server_reader **link = &server->waiting;

	if (server->waiting_count == WAITING_MAX) {
		pthread_mutex_lock(&server->mutex);
		evict(server, reader);
		pthread_mutex_unlock(&server->mutex);
		close(reader->fd);
		free(reader);
		return;
	}
	while (*link)
		link = &(*link)->next;
	*link = reader;
	server->waiting_count++;
}

static void accept_reader(struct ear_server *server)
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof(address);
	int fd = accept4(server->listen_fd, (struct sockaddr *)&address, &size, SOCK_CLOEXEC);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			endure_shortage(server, errno);
		return;
	}
	struct ear_server_reader *reader = calloc(1, sizeof(*reader));
	if (!reader) {
		close(fd);
		endure_shortage(server, ENOMEM);
		return;
	}
	set_options(fd);
	reader->server = server;
	reader->fd = fd;
	name_reader(reader, &address, size);
	if (is_waiting(server, reader) || make_room(server, reader) > 0)
		add_waiting(server, reader);
	else
		start_reader(server, reader);
}

/* Remove the readers that are done. all: end the others and wait for them as well. */
static void remove_readers(struct ear_server *server, bool all)
{
	struct ear_server_reader **link = &server->readers;

	pthread_mutex_lock(&server->mutex);
	while (*link) {
		struct ear_server_reader *reader = *link;

		if (!all && reader->state != READER_DONE) {
			link = &reader->next;
			continue;
		}
		*link = reader->next;
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
		if (reader->controls || ear_server_may_report(server))
			ear_server_report(server, "%s has left", reader->name);
		close(reader->fd);
		free(reader);
	}
	pthread_mutex_unlock(&server->mutex);
}

/* The peer closed the connection, or sends what it must not. */
static void disconnect(struct ear_server *server, struct ear_server_reader *reader)
{
	pthread_mutex_lock(&server->mutex);
	reader->dropped = true;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
	shutdown(reader->fd, SHUT_RDWR);
}

/* Control words go to the device whole. A listener must not send anything. */
static void take_input(struct ear_server *server, struct ear_server_reader *reader, bool controls)
{
	uint8_t bytes[256];
	struct ear_report report;
	ssize_t size = recv(reader->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size <= 0 || !controls)
		return disconnect(server, reader);
	for (ssize_t i = 0; i < size; i++) {
		reader->word[reader->word_size++] = bytes[i];
		if (reader->word_size < sizeof(reader->word))
			continue;
		reader->word_size = 0;
		pthread_mutex_lock(&server->mutex);
		server->spoken_to = true;
		pthread_mutex_unlock(&server->mutex);
		if (ear_transport_write(server->transport, reader->word, sizeof(reader->word),
			    WRITE_MS, &report) != 0) {
			pthread_mutex_lock(&server->mutex);
			ear_server_report(server, "%s", report.text);
			pthread_mutex_unlock(&server->mutex);
		}
	}
}

static bool has_room(const struct ear_server *server)
{
	return server->reader_count < server->options.reader_max + GREETING_MAX + LEAVING_MAX;
}

/* May a connection be accepted now? If not, it waits in the queue for *timeout_ms, or, if that is
 * -1, until a reader has left. */
static bool may_accept(const struct ear_server *server, int *timeout_ms)
{
	uint64_t now_ms = ear_clock_ms();

	*timeout_ms =
		now_ms < server->accept_after_ms ? (int)(server->accept_after_ms - now_ms) : -1;
	return *timeout_ms < 0 && has_room(server);
}

/* Wait for one event and act on it. */
static void serve_once(struct ear_server *server)
{
	struct pollfd fds[2 + FOLLOWER_MAX];
	struct ear_server_reader *readers[FOLLOWER_MAX];
	bool controls[FOLLOWER_MAX];
	unsigned count = 0;
	eventfd_t ignored;
	int timeout_ms;

	fds[0] = (struct pollfd){.fd = -1, .events = POLLIN};
	int waiting_ms = has_room(server) ? start_waiting(server) : -1;
	if (may_accept(server, &timeout_ms))
		fds[0].fd = server->listen_fd;
	if (waiting_ms >= 0 && (timeout_ms < 0 || waiting_ms < timeout_ms))
		timeout_ms = waiting_ms;
	fds[1] = (struct pollfd){.fd = server->wake_fd, .events = POLLIN};
	pthread_mutex_lock(&server->mutex);
	for (struct ear_server_reader *reader = server->readers; reader && count < FOLLOWER_MAX;
		reader = reader->next) {
		if (reader->state != READER_FOLLOWING || reader->dropped)
			continue;
		readers[count] = reader;
		controls[count] = reader->controls;
		fds[2 + count++] = (struct pollfd){.fd = reader->fd, .events = POLLIN | POLLRDHUP};
	}
	pthread_mutex_unlock(&server->mutex);
	if (poll(fds, 2 + count, timeout_ms) < 0)
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

/* Report the transport's warning, if there is one. */
static void report_warning(struct ear_server *server)
{
	const char *warning = server->transport->warning;

	pthread_mutex_lock(&server->mutex);
	if (warning[0])
		ear_server_report(server, "warning: %s", warning);
	pthread_mutex_unlock(&server->mutex);
}

static void report_statistics(struct ear_server *server)
{
	struct ear_transport_fault_counts faults = {0};

	ear_transport_add_faults(&faults, server->transport);
	pthread_mutex_lock(&server->mutex);
	ear_server_report(
		server, "%llu bytes came from the device", (unsigned long long)server->head);
	if (faults.stalls + faults.errors + faults.overflows + faults.overruns)
		ear_server_report(server,
			"the link had %llu stalls, %llu errors, %llu overflows and %llu overruns",
			(unsigned long long)faults.stalls, (unsigned long long)faults.errors,
			(unsigned long long)faults.overflows, (unsigned long long)faults.overruns);
	pthread_mutex_unlock(&server->mutex);
}

static int start_device(struct ear_server *server, struct ear_report *report)
{
	struct ear_transport_sink sink = {take, take_end, server, take_loss};
	int error = ear_transport_start(server->transport, &sink, report);

	if (!error)
		report_warning(server);
	return error;
}

/* Does anybody still follow the stream? must_leave: drop them all. */
static bool have_followers(struct ear_server *server, bool must_leave)
{
	bool found = false;

	pthread_mutex_lock(&server->mutex);
	for (struct ear_server_reader *reader = server->readers; reader; reader = reader->next) {
		if (reader->state != READER_FOLLOWING)
			continue;
		found = true;
		if (must_leave && !reader->dropped) {
			reader->dropped = true;
			pthread_cond_broadcast(&server->changed);
			shutdown(reader->fd, SHUT_RDWR);
		}
	}
	pthread_mutex_unlock(&server->mutex);
	return found;
}

/* The device was a program that has ended, and somebody has connected: open it again. Not earlier,
 * because the program's results are of interest until then (its UART in a file, for one). Who
 * follows gets what is in the ring and then the end: a stream is of one run of a device. Returns 0,
 * or an error, which is in server->end as well. */
static int restart_device(struct ear_server *server)
{
	struct ear_report report;
	uint64_t limit_ms = ear_clock_ms() + DRAIN_MS;

	while (have_followers(server, ear_clock_ms() >= limit_ms)) {
		ear_clock_sleep_ms(2);
		remove_readers(server, false);
	}
	struct ear_transport *transport = NULL;
	ear_transport_stop(server->transport);
	int error = server->options.reopen(server->options.context, &transport, &report);

	pthread_mutex_lock(&server->mutex);
	if (!error) {
		ear_transport_close(server->transport);
		server->transport = transport;
		server->spoken_to = false;
		server->ended = false;
		server->wanted = false;
	}
	pthread_mutex_unlock(&server->mutex);
	if (!error)
		error = start_device(server, &report);

	pthread_mutex_lock(&server->mutex);
	if (error) {
		server->ended = true;
		server->end = (struct ear_transport_end){
			.reason = EAR_TRANSPORT_FAILED, .exit_status = -1, .report = report};
	}
	server->restarting = false;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
	return error;
}

/* Serve until the device has ended for good, or until an end was asked for. */
static void serve_all(struct ear_server *server)
{
	while (!atomic_load(&server->stopping)) {
		serve_once(server);
		if (!has_ended(server))
			continue;
		pthread_mutex_lock(&server->mutex);
		bool restarting = server->restarting, wanted = server->wanted;
		pthread_mutex_unlock(&server->mutex);
		if (!restarting || (wanted && restart_device(server) != 0))
			break;
	}
	pthread_mutex_lock(&server->mutex);
	if (server->restarting) /* it could have continued */
		server->end = (struct ear_transport_end){
			.reason = EAR_TRANSPORT_STOPPED, .exit_status = -1};
	server->restarting = false;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
}

int ear_server_run(
	struct ear_server *server, struct ear_transport_end *end, struct ear_report *report)
{
	int error = start_device(server, report);

	if (error)
		return error;
	if (server->options.started)
		server->options.started(server->options.context);
	ear_server_tap_start(server);
	serve_all(server);
	ear_transport_stop(server->transport);
	uint64_t limit_ms = ear_clock_ms() + DRAIN_MS;
	while (server->readers && ear_clock_ms() < limit_ms) {
		ear_clock_sleep_ms(5); /* readers still get what is in the ring */
		remove_readers(server, false);
	}
	remove_readers(server, true);
	while (server->waiting) {
		struct ear_server_reader *reader = server->waiting;
		server->waiting = reader->next;
		close(reader->fd);
		free(reader);
	}
	ear_server_tap_end(server);
	report_statistics(server);
	*end = server->end;
	return 0;
}

void ear_server_stop(struct ear_server *server)
{
	atomic_store(&server->stopping, true);
	ear_server_wake(server);
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
	if (options->reader_max == 0 || options->reader_max > FOLLOWER_MAX)
		server->options.reader_max = READER_MAX;
	snprintf(server->name, sizeof(server->name), "%s", transport->name);
	server->report_room = EAR_SERVER_REPORT_BURST;
	server->report_ms = ear_clock_ms();
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
	explicit_bzero(server->token, sizeof(server->token));
	free(server);
}
