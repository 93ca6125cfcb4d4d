/* A stream on a file descriptor that poll can wait for. The reading thread waits for the descriptor
 * and an eventfd, so stop ends it at once; a write waits on its caller's thread with poll alone,
 * because it has a deadline anyway.
 */
#include "driver/stream/fd_stream.h"

#include <earshot/error.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/base/clock.h"

#define TICK_MS 1000

int ear_fd_stream_init(struct ear_fd_stream *stream, const char *name, const char *gone_text,
	int fd, struct ear_report *report)
{
	stream->name = name;
	stream->gone_text = gone_text;
	stream->fd = fd;
	stream->running = false;
	stream->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (stream->stop_fd >= 0)
		return 0;
	ear_report_set(report, 0, "%s: cannot open: %s", name, strerror(errno));
	close(fd);
	return EAR_E_IO;
}

void ear_fd_stream_fini(struct ear_fd_stream *stream)
{
	ear_fd_stream_stop(stream);
	close(stream->stop_fd);
	close(stream->fd);
}

static void set_end(struct ear_fd_stream *stream, struct ear_transport_end *end, int error)
{
	/* A tty whose device was pulled out fails with EIO, a broken connection with its cause. */
	end->reason = EAR_TRANSPORT_VANISHED;
	if (error && error != EIO)
		ear_report_set(&end->report, 0, "%s: %s: %s", stream->name, stream->gone_text,
			strerror(error));
	else
		ear_report_set(&end->report, 0, "%s: %s", stream->name, stream->gone_text);
}

/* Read once. Returns false at the end. */
static bool read_some(struct ear_fd_stream *stream, struct ear_transport_end *end)
{
	ssize_t size = read(stream->fd, stream->buffer, sizeof(stream->buffer));

	if (size > 0)
		return stream->sink.push(stream->sink.context, stream->buffer, (size_t)size);
	if (size < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	set_end(stream, end, size < 0 ? errno : 0);
	return false;
}

static void *read_thread(void *context)
{
	struct ear_fd_stream *stream = context;
	struct ear_transport_end end = {.reason = EAR_TRANSPORT_STOPPED, .exit_status = -1};
	uint64_t tick_ms = ear_clock_ms() + TICK_MS;

	for (;;) {
		struct pollfd fds[] = {{.fd = stream->fd, .events = POLLIN},
			{.fd = stream->stop_fd, .events = POLLIN}};

		poll(fds, 2, stream->tick ? TICK_MS : -1);
		if (fds[1].revents)
			break;
		if (stream->tick && ear_clock_ms() >= tick_ms) {
			stream->tick(stream->owner, &stream->sink);
			tick_ms = ear_clock_ms() + TICK_MS;
		}
		if (fds[0].revents && !read_some(stream, &end))
			break;
	}
	stream->sink.end(stream->sink.context, &end);
	return NULL;
}

int ear_fd_stream_start(struct ear_fd_stream *stream, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	stream->sink = *sink;
	int error = pthread_create(&stream->thread, NULL, read_thread, stream);
	if (error)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: cannot start a thread: %s",
			stream->name, strerror(error));
	stream->running = true;
	return 0;
}

int ear_fd_wait_writable(int fd, uint64_t deadline_ms)
{
	struct pollfd fds = {.fd = fd, .events = POLLOUT};

	for (;;) {
		uint64_t now_ms = ear_clock_ms();
		int left_ms = now_ms < deadline_ms ? (int)(deadline_ms - now_ms) : 0;
		int ready = poll(&fds, 1, left_ms);

		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return EAR_E_IO;
		if (left_ms == 0)
			return EAR_E_TIMEOUT;
	}
}

/* A closed connection is an error here, not a signal. */
static ssize_t write_some(int fd, const uint8_t *bytes, size_t size)
{
	ssize_t written = send(fd, bytes, size, MSG_NOSIGNAL);

	return written < 0 && errno == ENOTSOCK ? write(fd, bytes, size) : written;
}

int ear_fd_stream_write(struct ear_fd_stream *stream, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	uint64_t deadline_ms = ear_clock_ms() + timeout_ms;

	while (size > 0) {
		ssize_t written = write_some(stream->fd, bytes, size);

		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
			continue;
		}
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno != EAGAIN)
			return ear_report_set(report, EAR_E_NO_DEVICE,
				"%s: control words can no longer be sent: %s", stream->name,
				strerror(errno));
		int error = ear_fd_wait_writable(stream->fd, deadline_ms);
		if (error)
			return ear_report_set(report, error,
				"%s: the device does not read its control words", stream->name);
	}
	return 0;
}

void ear_fd_stream_stop(struct ear_fd_stream *stream)
{
	if (!stream->running)
		return;
	eventfd_write(stream->stop_fd, 1);
	pthread_join(stream->thread, NULL);
	stream->running = false;
}
