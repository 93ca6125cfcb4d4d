#define _GNU_SOURCE /* posix_openpt and its kind */
/* uart: against a pseudo-terminal with a fake unit at its other end. No real port can be had here.
 */
#include <earshot/error.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "check.h"
#include "driver/session/session.h"
#include "driver/transports.h"
#include "fake_unit.h"

#define FRAMES 500

/* The other end: a unit with some frames. */
struct port {
	int fd;
	char device[128], path[64];
	struct fake_unit unit;
	pthread_t thread;
	atomic_bool quit;
	bool hangs_up; /* in the middle of the frames */
};

static void send_all(struct port *port, const uint8_t *bytes, size_t size)
{
	while (size > 0 && !atomic_load(&port->quit)) {
		struct pollfd fds = {.fd = port->fd, .events = POLLOUT};
		ssize_t written;

		poll(&fds, 1, 10);
		written = write(port->fd, bytes, size);
		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
		}
	}
}

static void send_capture(struct port *port)
{
	uint8_t frame[FAKE_FRAME_MAX];

	for (unsigned i = 0; i < FRAMES; i++) {
		send_all(port, frame, fake_unit_records(&port->unit, frame, 1 + i % 20));
		if (port->hangs_up && i == FRAMES / 2) {
			atomic_store(&port->quit, true);
			return;
		}
	}
	send_all(port, frame, fake_unit_stop(&port->unit, frame, EAR_STOP_ENDED));
}

static void *run_port(void *context)
{
	struct port *port = context;
	uint8_t bytes[EAR_CONTROL_WORD_SIZE], frame[FAKE_FRAME_MAX];
	struct ear_control_word word;
	bool captured = false;
	size_t size = 0;

	while (!atomic_load(&port->quit)) {
		struct pollfd fds = {.fd = port->fd, .events = POLLIN};
		ssize_t got;

		if (poll(&fds, 1, 10) <= 0)
			continue;
		got = read(port->fd, bytes + size, sizeof(bytes) - size);
		if (got <= 0)
			continue;
		size += (size_t)got;
		if (size < sizeof(bytes))
			continue;
		size = 0;
		assert_above(ear_control_word_parse(&word, bytes), 0);
		send_all(port, frame, fake_unit_answer(&port->unit, frame, &word));
		if (!captured && fake_unit_enabled(&port->unit) &&
			fake_unit_core_runs(&port->unit)) {
			captured = true;
			send_capture(port);
		}
	}
	if (port->hangs_up)
		close(port->fd);
	return NULL;
}

static void open_port(struct port *port, const char *options)
{
	port->fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	assert_at_least(port->fd, 0);
	assert_same(grantpt(port->fd), 0);
	assert_same(unlockpt(port->fd), 0);
	snprintf(port->path, sizeof(port->path), "%s", ptsname(port->fd));
	snprintf(port->device, sizeof(port->device), "uart:%s%s", port->path, options);
	fake_unit_init(&port->unit);
}

static void start_port(struct port *port)
{
	assert_int_equal(pthread_create(&port->thread, NULL, run_port, port), 0);
}

static void close_port(struct port *port)
{
	atomic_store(&port->quit, true);
	pthread_join(port->thread, NULL);
	if (!port->hangs_up)
		close(port->fd);
}

/* A whole capture. Returns the bytes that came. */
static uint64_t capture(const struct port *port, struct ear_session_end *end)
{
	struct ear_session_item item = {.kind = EAR_SESSION_LOSS};
	struct ear_capture_config config;
	struct ear_session *session;
	struct ear_report report;

	ear_capture_config_init(&config);
	if (ear_session_open(&session, port->device, NULL, &report))
		fail_msg("%s", report.text);
	if (ear_session_start(session, &config))
		fail_msg("%s", ear_session_message(session));
	while (item.kind != EAR_SESSION_END) {
		assert_int_equal(ear_session_next(session, &item, 20000), 0);
		assert_int_not_equal(item.kind, EAR_SESSION_LOSS);
		if (item.kind == EAR_SESSION_BYTES)
			ear_session_consume(session, item.size);
	}
	*end = *item.end;
	uint64_t bytes = item.offset;
	ear_session_close(session);
	return bytes;
}

static void a_capture_comes_whole(void **state)
{
	static const char *const options[] = {"", ",baud=12000000", ",baud=115200,flow=none"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(options); i++) {
		struct port port = {.fd = -1};
		struct ear_session_end end;

		open_port(&port, options[i]);
		start_port(&port);
		uint64_t bytes = capture(&port, &end);
		assert_int_equal(end.reason, EAR_SESSION_END_STOP);
		assert_int_equal(end.delivered, port.unit.order);
		assert_above(bytes, FRAMES * 60);
		close_port(&port);
	}
}

static void a_port_that_hangs_up_has_vanished(void **state)
{
	struct port port = {.hangs_up = true};
	struct ear_session_end end;

	(void)state;
	open_port(&port, "");
	start_port(&port);
	capture(&port, &end);
	assert_int_equal(end.reason, EAR_SESSION_END_VANISHED);
	assert_contains(end.report.text, "was unplugged");
	close_port(&port);
}

/* The mode that a tty has now: is it raw, and what is its speed? */
static void the_port_is_raw_alone_and_put_back(void **state)
{
	struct port port = {.fd = -1};
	struct ear_transport *transport;
	struct termios before, during, after;
	struct ear_report report;

	(void)state;
	open_port(&port, ",baud=921600,flow=rtscts");
	int fd = open(port.path, O_RDWR | O_NOCTTY | O_NONBLOCK);
	assert_at_least(fd, 0);
	assert_same(tcgetattr(fd, &before), 0);
	assert_int_equal(ear_transport_open(&transport, port.device, &report), 0);
	assert_true(transport->flow_controlled);
	assert_true(transport->controllable);
	assert_int_equal(tcgetattr(fd, &during), 0);
	assert_int_equal(during.c_lflag & (ICANON | ECHO | ISIG), 0);
	assert_int_equal(during.c_oflag & OPOST, 0);
	assert_int_equal(during.c_iflag & (IXON | ICRNL | ISTRIP), 0);
	assert_int_not_equal(cfgetospeed(&during), cfgetospeed(&before));
	ear_transport_close(transport);
	assert_int_equal(tcgetattr(fd, &after), 0);
	assert_int_equal(after.c_lflag, before.c_lflag);
	assert_int_equal(after.c_oflag, before.c_oflag);
	assert_int_equal(cfgetospeed(&after), cfgetospeed(&before));
	close(fd);
	close(port.fd);
}

/* Root may open a port whatever others have asked for, so the second program is nobody's. */
static void a_port_of_another_program_is_reported(void **state)
{
	struct port port = {.fd = -1};
	struct ear_transport *transport, *second;
	struct ear_report report;
	int status;

	(void)state;
	open_port(&port, "");
	assert_int_equal(chmod(port.path, 0666), 0);
	assert_int_equal(ear_transport_open(&transport, port.device, &report), 0);
	pid_t child = fork();
	if (child == 0) {
		bool other = geteuid() != 0 || setuid(65534) == 0;
		int error = ear_transport_open(&second, port.device, &report);

		if (other && error == EAR_E_IO &&
			strstr(report.text, "another program uses the port"))
			_exit(0);
		fprintf(stderr, "error %d: %s\n", error, report.text);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	ear_transport_close(transport);
	close(port.fd);
}

static void bad_names_are_reported(void **state)
{
	static const struct {
		const char *device;
		int error;
		const char *text;
	} rows[] = {
		{"uart:", EAR_E_BAD_ARGUMENT, "no port given"},
		{"uart:/dev/null,baud=fast", EAR_E_BAD_ARGUMENT, "300 to 12000000"},
		{"uart:/dev/null,baud=12000001", EAR_E_BAD_ARGUMENT, "300 to 12000000"},
		{"uart:/dev/null,flow=maybe", EAR_E_BAD_ARGUMENT, "none or rtscts"},
		{"uart:/dev/null,parity=even", EAR_E_BAD_ARGUMENT,
			"'parity=even' is not an option"},
		{"uart:/dev/null,", EAR_E_BAD_ARGUMENT, "is not an option"},
		{"uart:/dev/null", EAR_E_UNSUPPORTED, "not a serial port"},
		{"uart:/dev/nowhere", EAR_E_NO_DEVICE, "cannot open"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_transport *transport;
		struct ear_report report = {""};

		assert_int_equal(
			ear_transport_open(&transport, rows[i].device, &report), rows[i].error);
		assert_null(transport);
		assert_contains(report.text, rows[i].text);
	}
}

static void a_console_instead_of_a_unit_is_reported_with_what_to_check(void **state)
{
	struct port port = {0};
	struct ear_session_options options;
	struct ear_session *session;
	struct ear_report report;

	(void)state;
	open_port(&port, "");
	ear_session_options_init(&options);
	options.reply_timeout_ms = 20;
	if (ear_session_open(&session, port.device, &options, &report))
		fail_msg("%s", report.text);
	send_all(&port, (const uint8_t *)"login: ", 7);
	assert_int_equal(ear_session_identify(session, NULL), EAR_E_TIMEOUT);
	const char *expected = "text came, as from a console: \"login:\"; check the port, its baud "
			       "rate, the wires";
	assert_contains(ear_session_message(session), expected);
	ear_session_close(session);
	close(port.fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capture_comes_whole),
		cmocka_unit_test(a_port_that_hangs_up_has_vanished),
		cmocka_unit_test(the_port_is_raw_alone_and_put_back),
		cmocka_unit_test(a_port_of_another_program_is_reported),
		cmocka_unit_test(bad_names_are_reported),
		cmocka_unit_test(a_console_instead_of_a_unit_is_reported_with_what_to_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
