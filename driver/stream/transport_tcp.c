/* tcp: a device that another host serves. Connecting and the greeting happen in open, with short
 * waits so that an interrupt is seen; the greeting's line is read byte by byte because the stream
 * follows it without a gap. The token leaves the environment as soon as it is read.
 */
#define _GNU_SOURCE /* explicit_bzero */
#include "driver/stream/transport_tcp.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/base/clock.h"
#include "driver/link/device_name.h"
#include "driver/stream/fd_stream.h"

#define CONNECT_MS 5000
#define SLICE_MS   100 /* after which a wait looks at ear_transport_interrupted */

struct transport_tcp {
	struct ear_transport base;
	struct ear_fd_stream stream;
};

/* -- Token -- */

static bool is_token(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return length >= EAR_TCP_TOKEN_MIN && length <= EAR_TCP_TOKEN_MAX;
}

/* What $EARSHOT_TOKEN held. It is kept here, where no child inherits it. */
static char hidden_token[EAR_TCP_TOKEN_MAX + 3];

void ear_tcp_hide_token(void)
{
	char *value = getenv("EARSHOT_TOKEN");

	if (!value)
		return;
	snprintf(hidden_token, sizeof(hidden_token), "%s", value);
	explicit_bzero(value, strlen(value)); /* /proc shows the environment as it began */
	unsetenv("EARSHOT_TOKEN");
}

/* A token that other users can read or replace is no secret. */
static int check_token_file(int fd, const char *path, struct ear_report *report)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return ear_report_set(
			report, EAR_E_IO, "%s: cannot open: %s", path, strerror(errno));
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return ear_report_set(report, EAR_E_REFUSED,
			"%s: the token's file belongs to another user (%u), who can change it; "
			"make it yours: chown %u %s",
			path, (unsigned)status.st_uid, (unsigned)geteuid(), path);
	if (status.st_mode & (S_IRWXG | S_IRWXO))
		return ear_report_set(report, EAR_E_REFUSED,
			"%s: the token's file is open to other users (mode %04o); "
			"close it: chmod 600 %s",
			path, (unsigned)(status.st_mode & 07777), path);
	return 0;
}

/* The first line of a file. */
static int read_token_file(char *line, size_t size, const char *path, struct ear_report *report)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return ear_report_set(
			report, EAR_E_IO, "%s: cannot open: %s", path, strerror(errno));
	int error = check_token_file(fileno(file), path, report);
	if (!error && !fgets(line, (int)size, file))
		line[0] = '\0';
	fclose(file);
	return error;
}

int ear_tcp_read_token(
	char token[EAR_TCP_TOKEN_MAX + 1], const char *path, struct ear_report *report)
{
	char line[sizeof(hidden_token)] = "";
	int error = 0;

	ear_tcp_hide_token();
	if (path)
		error = read_token_file(line, sizeof(line), path, report);
	else
		memcpy(line, hidden_token, sizeof(line));
	if (error)
		return error;
	if (!path && line[0] == '\0')
		return 0;
	line[strcspn(line, "\r\n")] = '\0';
	bool good = is_token(line);
	if (good)
		memcpy(token, line, strlen(line) + 1);
	explicit_bzero(line, sizeof(line));
	if (good)
		return 1;
	return ear_report_set(report, EAR_E_BAD_ARGUMENT,
		"%s: a token has %d to %d visible letters and no blank",
		path ? path : "EARSHOT_TOKEN", EAR_TCP_TOKEN_MIN, EAR_TCP_TOKEN_MAX);
}

/* -- The transport -- */

static int tcp_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	return ear_fd_stream_start(&((struct transport_tcp *)transport)->stream, sink, report);
}

static int tcp_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	struct transport_tcp *tcp = (struct transport_tcp *)transport;

	if (!transport->controllable)
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: control needs a token (token-file=PATH, or $EARSHOT_TOKEN)",
			transport->name);
	return ear_fd_stream_write(&tcp->stream, bytes, size, timeout_ms, report);
}

static void tcp_stop(struct ear_transport *transport)
{
	ear_fd_stream_stop(&((struct transport_tcp *)transport)->stream);
}

static void tcp_close(struct ear_transport *transport)
{
	struct transport_tcp *tcp = (struct transport_tcp *)transport;

	ear_fd_stream_fini(&tcp->stream);
	free(tcp);
}

static const struct ear_transport_ops tcp_ops = {tcp_start, tcp_write, tcp_stop, tcp_close};

/* -- Connecting -- */

bool ear_tcp_is_port(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return text[digits] != '\0' || (digits > 0 && strtoul(text, NULL, 10) <= 65535);
}

/* HOST:PORT or [ADDRESS]:PORT, in place. False if it is neither. */
static bool split_address(char *text, char **host, char **port)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon[1] == '\0')
		return false;
	*colon = '\0';
	*port = colon + 1;
	*host = text;
	if (text[0] == '[' && colon > text + 1 && colon[-1] == ']') {
		colon[-1] = '\0';
		*host = text + 1;
	}
	return (*host)[0] != '\0';
}

/* Wait for events on fd. Returns false when the time is over, or after an interrupt. */
static bool wait_for(int fd, short events, uint64_t deadline_ms)
{
	struct pollfd fds = {.fd = fd, .events = events};

	while (!ear_transport_interrupted()) {
		uint64_t now_ms = ear_clock_ms();
		uint64_t left_ms = now_ms < deadline_ms ? deadline_ms - now_ms : 0;
		int ready = poll(&fds, 1, (int)(left_ms < SLICE_MS ? left_ms : SLICE_MS));

		if (ready > 0)
			return true;
		if (left_ms == 0 || (ready < 0 && errno != EINTR))
			return false;
	}
	return false;
}

static int report_interrupted(const char *device, struct ear_report *report)
{
	return ear_report_set(
		report, EAR_E_NO_DEVICE, "%s: interrupted while it was being opened", device);
}

/* Connect to one address. Returns a socket, or -1 with errno. */
static int connect_to(const struct addrinfo *address, uint64_t deadline_ms)
{
	int error = 0;
	socklen_t size = sizeof(error);
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (connect(fd, address->ai_addr, address->ai_addrlen) < 0) {
		error = errno;
		if (error == EINPROGRESS && !wait_for(fd, POLLOUT, deadline_ms))
			error = ETIMEDOUT;
		else if (error == EINPROGRESS &&
			 getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
			error = errno;
	}
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static int connect_name(
	int *fd, const char *host, const char *port, const char *device, struct ear_report *report)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *list;
	uint64_t deadline_ms = ear_clock_ms() + CONNECT_MS;
	int one = 1;

	int error = getaddrinfo(host, port, &hints, &list);
	if (error)
		return ear_report_set(
			report, EAR_E_NO_DEVICE, "%s: %s", device, gai_strerror(error));
	*fd = -1;
	for (const struct addrinfo *address = list; address && *fd < 0; address = address->ai_next)
		*fd = connect_to(address, deadline_ms);
	error = errno;
	freeaddrinfo(list);
	if (*fd < 0 && ear_transport_interrupted())
		return report_interrupted(device, report);
	if (*fd < 0)
		return ear_report_set(report, EAR_E_NO_DEVICE,
			"%s: cannot connect: %s; is 'earshot serve' running there?", device,
			strerror(error));
	setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return 0;
}

/* One line without its end, and not a byte more: the stream begins after it. */
static int read_line(
	int fd, char line[EAR_TCP_LINE_MAX], const char *device, struct ear_report *report)
{
	uint64_t deadline_ms = ear_clock_ms() + CONNECT_MS;
	size_t length = 0;

	while (wait_for(fd, POLLIN, deadline_ms)) {
		ssize_t size = read(fd, line + length, 1);

		if (size < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (size <= 0)
			return ear_report_set(report, EAR_E_NO_DEVICE,
				"%s: the other side closed the connection", device);
		if (line[length] == '\n') {
			line[length] = '\0';
			return 0;
		}
		/* It will be shown, and its sender is not trusted. */
		if (line[length] < ' ' || line[length] > '~')
			line[length] = '?';
		if (++length == EAR_TCP_LINE_MAX)
			return ear_report_set(report, EAR_E_VERSION,
				"%s: the other side is not 'earshot serve'", device);
	}
	if (ear_transport_interrupted())
		return report_interrupted(device, report);
	return ear_report_set(report, EAR_E_TIMEOUT,
		"%s: the other side does not answer; is it 'earshot serve'?", device);
}

int ear_tcp_greet(int fd, const char *token, const char *device, struct ear_report *report)
{
	char line[EAR_TCP_LINE_MAX];
	size_t size = (size_t)snprintf(line, sizeof(line), EAR_TCP_HELLO "%s%s\n",
		token ? "control " : "listen", token ? token : "");

	if (send(fd, line, size, MSG_NOSIGNAL) != (ssize_t)size)
		return ear_report_set(report, EAR_E_NO_DEVICE,
			"%s: the other side closed the connection", device);
	int error = read_line(fd, line, device, report);
	if (error)
		return error;
	if (strncmp(line, "OK ", 3) == 0)
		return 0;
	if (strncmp(line, "NO ", 3) == 0)
		return ear_report_set(
			report, EAR_E_REFUSED, "%s: the other side says: %s", device, line + 3);
	return ear_report_set(
		report, EAR_E_VERSION, "%s: the other side is not 'earshot serve'", device);
}

/* Returns 1 with a token, 0 without. */
static int find_token(char token[EAR_TCP_TOKEN_MAX + 1], const struct ear_device_name *name,
	struct ear_report *report)
{
	return ear_tcp_read_token(token, ear_device_name_option(name, "token-file"), report);
}

static int open_connection(struct transport_tcp *tcp, const struct ear_device_name *name,
	const char *device, struct ear_report *report)
{
	char token[EAR_TCP_TOKEN_MAX + 1], address[sizeof(name->what)];
	char *host, *port;
	int fd;

	memcpy(address, name->what, sizeof(address));
	if (!split_address(address, &host, &port))
		return ear_report_set(report, EAR_E_BAD_ARGUMENT,
			"%s: no host and port given (tcp:HOST:PORT)",
			name->what[0] ? device : "tcp");
	if (!ear_tcp_is_port(port))
		return ear_report_set(
			report, EAR_E_BAD_ARGUMENT, "%s: a port number is at most 65535", device);
	int has_token = find_token(token, name, report);
	if (has_token < 0)
		return has_token;
	int error = connect_name(&fd, host, port, device, report);
	if (error)
		return error;
	error = ear_tcp_greet(fd, has_token ? token : NULL, device, report);
	if (error) {
		close(fd);
		return error;
	}
	tcp->base.controllable = has_token;
	return ear_fd_stream_init(
		&tcp->stream, tcp->base.name, "the other side ended the connection", fd, report);
}

int ear_transport_tcp_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	static const char *const known[] = {"token-file", NULL};
	struct ear_device_name name;

	*transport = NULL;
	int error = ear_device_name_parse(&name, device, known, report);
	if (error)
		return error;
	struct transport_tcp *tcp = calloc(1, sizeof(*tcp));
	if (!tcp)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", device);
	tcp->base.ops = &tcp_ops;
	tcp->base.checks = "the device with 'earshot doctor' on the host that serves it";
	snprintf(tcp->base.name, sizeof(tcp->base.name), "%s", device);
	snprintf(tcp->base.reconnect, sizeof(tcp->base.reconnect), "%s", device);
	error = open_connection(tcp, &name, device, report);
	if (error) {
		free(tcp);
		return error;
	}
	*transport = &tcp->base;
	return 0;
}
