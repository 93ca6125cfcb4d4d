/* uart: a serial port as a raw stream of bytes. The rate is set by BOTHER, because the rates of
 * links are not among the old constants, and read back, because drivers round silently. Overruns
 * are found by polling the driver's counter once a second: no event reports them.
 */
#include "driver/stream/transport_uart.h"

/* Not termios.h: it knows the old rates only, and its names collide with these. */
#include <asm/termbits.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/file_user.h"
#include "driver/link/device_name.h"
#include "driver/stream/fd_stream.h"

#define BAUD_DEFAULT 3000000
#define BAUD_MIN     300
#define BAUD_MAX     12000000
#define BAUD_ERROR   3 /* percent: with the sender's own error, the limit of an 8N1 receiver */

struct transport_uart {
	struct ear_transport base;
	struct ear_transport_faults faults;
	struct ear_fd_stream stream;
	struct termios2 before;
	bool counts; /* the driver counts overruns */
	unsigned overruns_before;
};

/* -- Overruns -- */

static bool read_overruns(struct transport_uart *uart, unsigned *count)
{
	struct serial_icounter_struct counters;

	if (ioctl(uart->stream.fd, TIOCGICOUNT, &counters) < 0)
		return false;
	*count = (unsigned)counters.overrun + (unsigned)counters.buf_overrun;
	return true;
}

static void look_for_overruns(void *owner, const struct ear_transport_sink *sink)
{
	struct transport_uart *uart = owner;
	unsigned count;

	if (!uart->counts || !read_overruns(uart, &count) || count == uart->overruns_before)
		return;
	atomic_fetch_add_explicit(
		&uart->faults.overruns, count - uart->overruns_before, memory_order_relaxed);
	uart->overruns_before = count;
	if (sink->lose)
		sink->lose(sink->context);
}

/* -- The transport -- */

static int uart_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	return ear_fd_stream_start(&((struct transport_uart *)transport)->stream, sink, report);
}

static int uart_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	return ear_fd_stream_write(
		&((struct transport_uart *)transport)->stream, bytes, size, timeout_ms, report);
}

static void uart_stop(struct ear_transport *transport)
{
	ear_fd_stream_stop(&((struct transport_uart *)transport)->stream);
}

static void uart_close(struct ear_transport *transport)
{
	struct transport_uart *uart = (struct transport_uart *)transport;

	ear_fd_stream_stop(&uart->stream);
	ioctl(uart->stream.fd, TCSETS2, &uart->before);
	ioctl(uart->stream.fd, TIOCNXCL);
	ear_fd_stream_fini(&uart->stream);
	free(uart);
}

static const struct ear_transport_ops uart_ops = {uart_start, uart_write, uart_stop, uart_close};

/* -- Opening -- */

struct settings {
	unsigned baud;
	bool rtscts;
};

static int parse_settings(struct settings *settings, const struct ear_device_name *name,
	const char *device, struct ear_report *report)
{
	const char *baud = ear_device_name_option(name, "baud");
	const char *flow = ear_device_name_option(name, "flow");
	char *end = NULL;

	settings->baud = BAUD_DEFAULT;
	if (baud) {
		unsigned long number = strtoul(baud, &end, 10);

		if (end == baud || *end || number < BAUD_MIN || number > BAUD_MAX)
			return ear_report_set(report, EAR_E_BAD_ARGUMENT,
				"%s: baud is a number from %u to %u", device, BAUD_MIN, BAUD_MAX);
		settings->baud = (unsigned)number;
	}
	settings->rtscts = flow && strcmp(flow, "rtscts") == 0;
	if (flow && !settings->rtscts && strcmp(flow, "none") != 0)
		return ear_report_set(
			report, EAR_E_BAD_ARGUMENT, "%s: flow is none or rtscts", device);
	if (name->what[0] == '\0')
		return ear_report_set(report, EAR_E_BAD_ARGUMENT,
			"uart: no port given (uart:/dev/ttyUSB0,baud=N)");
	return 0;
}

/* Raw, 8N1, this rate. Returns 0 or an error. */
static int set_mode(
	struct transport_uart *uart, const struct settings *settings, struct ear_report *report)
{
	const char *name = uart->base.name;
	struct termios2 mode = uart->before;

	mode.c_iflag = IGNBRK;
	mode.c_oflag = 0;
	mode.c_lflag = 0;
	mode.c_cflag = CS8 | CREAD | CLOCAL | BOTHER;
	if (settings->rtscts)
		mode.c_cflag |= CRTSCTS;
	mode.c_cc[VMIN] = 1;
	mode.c_cc[VTIME] = 0;
	mode.c_ispeed = settings->baud;
	mode.c_ospeed = settings->baud;
	if (ioctl(uart->stream.fd, TCSETS2, &mode) < 0 ||
		ioctl(uart->stream.fd, TCGETS2, &mode) < 0)
		return ear_report_set(report, EAR_E_UNSUPPORTED, "%s: the port refuses %u baud: %s",
			name, settings->baud, strerror(errno));
	unsigned made = mode.c_ospeed;
	unsigned apart = made > settings->baud ? made - settings->baud : settings->baud - made;
	if (apart > settings->baud / 100 * BAUD_ERROR)
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the port makes %u baud instead of %u; give a rate that it can make "
			"(baud=N)",
			name, made, settings->baud);
	return 0;
}

/* An FTDI chip otherwise holds bytes back for 16 ms. Ports that refuse this need it not. */
static void ask_for_low_latency(int fd)
{
	struct serial_struct serial;

	if (ioctl(fd, TIOCGSERIAL, &serial) == 0) {
		serial.flags |= (int)ASYNC_LOW_LATENCY;
		ioctl(fd, TIOCSSERIAL, &serial);
	}
}

static int open_port(struct transport_uart *uart, const char *path, const struct settings *settings,
	struct ear_report *report)
{
	const char *name = uart->base.name;
	char user[96];
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && errno == EACCES)
		return ear_report_set(report, EAR_E_IO,
			"%s: no permission; install Earshot's udev rules or join the group of %s "
			"(see earshot doctor)",
			name, path);
	if (fd < 0 && errno == EBUSY) {
		bool known = ear_file_user(user, sizeof(user), path);

		return ear_report_set(report, EAR_E_IO,
			"%s: another program uses the port%s%s; end it first", name,
			known ? ": " : "", user);
	}
	if (fd < 0)
		return ear_report_set(
			report, EAR_E_NO_DEVICE, "%s: cannot open: %s", name, strerror(errno));
	if (ioctl(fd, TCGETS2, &uart->before) < 0) {
		close(fd);
		return ear_report_set(report, EAR_E_UNSUPPORTED, "%s: not a serial port", name);
	}
	int error = ear_fd_stream_init(
		&uart->stream, name, "the port was unplugged, or its other end closed", fd, report);
	if (error)
		return error;
	error = set_mode(uart, settings, report);
	if (error) {
		ioctl(fd, TCSETS2, &uart->before);
		ear_fd_stream_fini(&uart->stream);
		return error;
	}
	ioctl(fd, TIOCEXCL);
	ioctl(fd, TCFLSH, TCIOFLUSH); /* the driver may hold bytes from before */
	ask_for_low_latency(fd);
	return 0;
}

int ear_transport_uart_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	static const char *const known[] = {"baud", "flow", NULL};
	struct ear_device_name name;
	struct settings settings = {0};

	*transport = NULL;
	int error = ear_device_name_parse(&name, device, known, report);
	if (!error)
		error = parse_settings(&settings, &name, device, report);
	if (error)
		return error;
	struct transport_uart *uart = calloc(1, sizeof(*uart));
	if (!uart)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", device);
	uart->base.ops = &uart_ops;
	uart->base.controllable = true;
	uart->base.flow_controlled = settings.rtscts;
	uart->base.unpaced = !settings.rtscts;
	uart->base.faults = &uart->faults;
	uart->base.checks = "the port, its baud rate, the wires (TX to RX, both ways), and that "
			    "the FPGA's bitstream holds a capture unit";
	snprintf(uart->base.name, sizeof(uart->base.name), "%s", device);
	snprintf(uart->base.reconnect, sizeof(uart->base.reconnect), "%s", device);
	error = open_port(uart, name.what, &settings, report);
	if (error) {
		free(uart);
		return error;
	}
	uart->stream.tick = look_for_overruns;
	uart->stream.owner = uart;
	uart->counts = read_overruns(uart, &uart->overruns_before);
	*transport = &uart->base;
	return 0;
}
