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
#include "driver/stream/tcp_connect.h"

#define CONNECT_MS 5000

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

/* One line without its end, and not a byte more: the stream begins after it. */
static int read_line(
	int fd, char line[EAR_TCP_LINE_MAX], const char *device, struct ear_report *report)
{
	uint64_t deadline_ms = ear_clock_ms() + CONNECT_MS;
	size_t length = 0;

	while (ear_tcp_wait(fd, POLLIN, deadline_ms)) {
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
		return ear_tcp_report_interrupted(device, report);
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
	char token[EAR_TCP_TOKEN_MAX + 1];
	int fd;

	int has_token = find_token(token, name, report);
	if (has_token < 0)
		return has_token;
	int error = ear_tcp_connect(&fd, name->what, device, "'earshot serve'", report);
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
