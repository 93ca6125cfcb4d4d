/* Names are looked up by getaddrinfo, which cannot be interrupted; each address of a name is tried
 * in turn, all of them within one time.
 */
#include "driver/stream/tcp_connect.h"

#include <earshot/error.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/base/clock.h"
#include "driver/link/transport.h"

#define ADDRESS_SIZE 512 /* bytes of HOST:PORT, with its NUL */
#define CONNECT_MS   5000
#define SLICE_MS     100 /* after which a wait looks at ear_transport_interrupted */

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

bool ear_tcp_wait(int fd, short events, uint64_t deadline_ms)
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

int ear_tcp_report_interrupted(const char *device, struct ear_report *report)
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
		if (error == EINPROGRESS && !ear_tcp_wait(fd, POLLOUT, deadline_ms))
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

static int connect_name(int *fd, const char *host, const char *port, const char *device,
	const char *server, struct ear_report *report)
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
		return ear_tcp_report_interrupted(device, report);
	if (*fd < 0)
		return ear_report_set(report, EAR_E_NO_DEVICE,
			"%s: cannot connect: %s; is %s running there?", device, strerror(error),
			server);
	setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return 0;
}

int ear_tcp_connect(int *fd, const char *address, const char *device, const char *server,
	struct ear_report *report)
{
	char text[ADDRESS_SIZE];
	char *host, *port;

	snprintf(text, sizeof(text), "%s", address);
	if (strlen(address) >= sizeof(text) || !split_address(text, &host, &port)) {
		const int scheme = (int)strcspn(device, ":");
		return ear_report_set(report, EAR_E_BAD_ARGUMENT,
			"%.*s: no host and port given (%.*s:HOST:PORT)",
			address[0] ? (int)strlen(device) : scheme, device, scheme, device);
	}
	if (!ear_tcp_is_port(port))
		return ear_report_set(
			report, EAR_E_BAD_ARGUMENT, "%s: a port number is at most 65535", device);
	return connect_name(fd, host, port, device, server, report);
}
