/* A command is sent as `format "%d %s" [catch {COMMAND} earshot] $earshot`: so the answer begins
 * with 0, or with what the command failed with, and its result or OpenOCD's sentence follows.
 */
#include "driver/openocd/tcl_port.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/base/clock.h"
#include "driver/stream/tcp_connect.h"

#define END        '\x1a'
#define TIMEOUT_MS 15000 /* of a command: a reset may take some seconds */
#define WRAP       "format \"%%d %%s\" [catch {%s} earshot] $earshot\x1a"

int ear_tcl_port_open(struct ear_tcl_port *port, const char *device, struct ear_report *report)
{
	port->name = device;
	port->timeout_ms = TIMEOUT_MS;
	return ear_tcp_connect(&port->fd, device + strlen("openocd:"), device, "OpenOCD", report);
}

void ear_tcl_port_close(struct ear_tcl_port *port)
{
	if (port->fd >= 0)
		close(port->fd);
	port->fd = -1;
}

/* The connection cannot be used any more: what comes next would be taken for the wrong answer. */
static int lose(struct ear_tcl_port *port, int error, struct ear_report *report,
	const char *command, const char *cause)
{
	ear_tcl_port_close(port);
	return ear_report_set(report, error, "%s: '%s': %s", port->name, command, cause);
}

/* Wait for events until the time is over. An interrupt does not end it: what was begun with the
 * device is to be ended in good order. */
static bool wait_for(const struct ear_tcl_port *port, short events, uint64_t deadline_ms)
{
	struct pollfd fds = {.fd = port->fd, .events = events};

	for (;;) {
		const uint64_t now_ms = ear_clock_ms();
		const uint64_t left_ms = now_ms < deadline_ms ? deadline_ms - now_ms : 0;
		const int ready = poll(&fds, 1, (int)left_ms);
		if (ready > 0)
			return true;
		if (left_ms == 0 || (ready < 0 && errno != EINTR))
			return false;
	}
}

static bool may_repeat(void)
{
	return errno == EINTR || errno == EAGAIN;
}

static int send_all(struct ear_tcl_port *port, const char *bytes, size_t size, uint64_t deadline_ms,
	struct ear_report *report, const char *command)
{
	for (size_t at = 0; at < size;) {
		if (!wait_for(port, POLLOUT, deadline_ms))
			return lose(port, EAR_E_TIMEOUT, report, command, "OpenOCD takes nothing");
		const ssize_t sent = send(port->fd, bytes + at, size - at, MSG_NOSIGNAL);
		if (sent < 0 && !may_repeat())
			return lose(port, EAR_E_NO_DEVICE, report, command, strerror(errno));
		at += sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

/* One answer, and not a byte after it. */
static int receive(struct ear_tcl_port *port, uint64_t deadline_ms, struct ear_report *report,
	const char *command)
{
	size_t size = 0;

	while (wait_for(port, POLLIN, deadline_ms)) {
		const ssize_t got =
			read(port->fd, port->answer + size, sizeof(port->answer) - size);
		if (got < 0 && may_repeat())
			continue;
		if (got <= 0)
			return lose(port, EAR_E_NO_DEVICE, report, command,
				"OpenOCD has ended the connection");
		const char *end = memchr(port->answer + size, END, (size_t)got);
		size += (size_t)got;
		if (end && (size_t)(end - port->answer) + 1 < size)
			return lose(port, EAR_E_BAD_MESSAGE, report, command,
				"more than one answer came");
		if (end) {
			port->answer[size - 1] = '\0';
			return 0;
		}
		if (size == sizeof(port->answer))
			return lose(
				port, EAR_E_BAD_MESSAGE, report, command, "the answer has no end");
	}
	return lose(port, EAR_E_TIMEOUT, report, command, "OpenOCD does not answer");
}

/* The number that catch gave, then the result. */
static int judge(struct ear_tcl_port *port, const char **result, struct ear_report *report,
	const char *command)
{
	char *at = port->answer;
	const size_t digits = strspn(at, "0123456789");

	if (digits == 0 || at[digits] != ' ' || strlen(at) + 1 > sizeof(port->answer))
		return lose(port, EAR_E_BAD_MESSAGE, report, command,
			"this is no answer of OpenOCD's Tcl port (6666 as a rule)");
	*result = at + digits + 1;
	if (digits == 1 && at[0] == '0')
		return 0;
	for (at += digits + 1; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = ' ';
	return ear_report_set(report, EAR_E_REFUSED, "%s: '%s': OpenOCD says: %.200s", port->name,
		command, **result ? *result : "nothing");
}

int ear_tcl_port_run(struct ear_tcl_port *port, const char **result, struct ear_report *report,
	const char *format, ...)
{
	char command[EAR_TCL_COMMAND_MAX], text[sizeof(command) + sizeof(WRAP)];
	const uint64_t deadline_ms = ear_clock_ms() + port->timeout_ms;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (port->fd < 0)
		return ear_report_set(report, EAR_E_NO_DEVICE,
			"%s: '%s': the connection was lost before", port->name, command);
	if (wait_for(port, POLLIN, 0))
		return lose(port, EAR_E_BAD_MESSAGE, report, command,
			"an answer came before it was sent, or the connection has ended");
	const int size = snprintf(text, sizeof(text), WRAP, command);
	int error = send_all(port, text, (size_t)size, deadline_ms, report, command);
	if (!error)
		error = receive(port, deadline_ms, report, command);
	return error ? error : judge(port, result, report, command);
}

/* --- Memory --- */

bool ear_tcl_words(uint32_t *words, size_t count, const char *text)
{
	static const char blanks[] = " \t\r\n";
	const char *at = text;

	for (size_t i = 0; i < count; i++) {
		char *end;
		at += strspn(at, blanks);
		if (*at < '0' || *at > '9')
			return false;
		errno = 0;
		const unsigned long long value = strtoull(at, &end, 0);
		if (errno || value > UINT32_MAX || (*end && !strchr(blanks, *end)))
			return false;
		words[i] = (uint32_t)value;
		at = end;
	}
	return at[strspn(at, blanks)] == '\0';
}

static int take_words(struct ear_tcl_port *port, uint32_t *words, uint64_t address, size_t count,
	const char *result, struct ear_report *report)
{
	if (ear_tcl_words(words, count, result))
		return 0;
	return ear_report_set(report, EAR_E_BAD_MESSAGE,
		"%s: reading %zu words from 0x%" PRIx64 ": the answer is not so many numbers",
		port->name, count, address);
}

int ear_tcl_port_read(struct ear_tcl_port *port, uint32_t *words, uint64_t address, size_t count,
	struct ear_report *report)
{
	const char *result;
	const int error = ear_tcl_port_run(
		port, &result, report, "read_memory 0x%" PRIx64 " 32 %zu", address, count);

	return error ? error : take_words(port, words, address, count, result, report);
}

int ear_tcl_port_read_again(struct ear_tcl_port *port, uint32_t *words, uint64_t address,
	size_t count, struct ear_report *report)
{
	const char *result;
	const int error = ear_tcl_port_run(port, &result, report,
		"set earshot_words {}; for {set i 0} {$i < %zu} {incr i} {append earshot_words { } "
		"[read_memory 0x%" PRIx64 " 32 1]}; set earshot_words",
		count, address);

	return error ? error : take_words(port, words, address, count, result, report);
}

int ear_tcl_port_write(
	struct ear_tcl_port *port, uint64_t address, uint32_t word, struct ear_report *report)
{
	const char *result;

	return ear_tcl_port_run(
		port, &result, report, "write_memory 0x%" PRIx64 " 32 0x%" PRIx32, address, word);
}
