/* file: a dump or a pipe, read on a thread as fast as the sink takes it. The thread waits with poll
 * before each read: a pipe may be silent for ever, and stop must end the thread nevertheless.
 */
#include "driver/stream/transport_file.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_SIZE (64 * 1024)

struct transport_file {
	struct ear_transport base;
	int fd;
	int stop_fd; /* readable once stop was called */
	bool running;
	pthread_t thread;
	struct ear_transport_sink sink;
	uint8_t buffer[READ_SIZE];
};

/* Wait until there is something to read. Returns false when the host stops. */
static bool wait_readable(struct transport_file *file)
{
	struct pollfd fds[] = {
		{.fd = file->fd, .events = POLLIN},
		{.fd = file->stop_fd, .events = POLLIN},
	};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[1].revents == 0;
}

static void *read_thread(void *context)
{
	struct transport_file *file = context;
	struct ear_transport_end end = {.reason = EAR_TRANSPORT_STOPPED, .exit_status = -1};

	while (wait_readable(file)) {
		ssize_t size = read(file->fd, file->buffer, sizeof(file->buffer));

		if (size < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (size < 0) {
			end.reason = EAR_TRANSPORT_FAILED;
			ear_report_set(&end.report, 0, "%s: cannot read: %s", file->base.name,
				strerror(errno));
			break;
		}
		if (size == 0) {
			end.reason = EAR_TRANSPORT_END_OF_FILE;
			break;
		}
		if (!file->sink.push(file->sink.context, file->buffer, (size_t)size))
			break;
	}
	file->sink.end(file->sink.context, &end);
	return NULL;
}

static int file_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	struct transport_file *file = (struct transport_file *)transport;

	file->sink = *sink;
	int error = pthread_create(&file->thread, NULL, read_thread, file);
	if (error)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: cannot start a thread: %s",
			transport->name, strerror(error));
	file->running = true;
	return 0;
}

static int file_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	(void)bytes;
	(void)size;
	(void)timeout_ms;
	return ear_report_set(
		report, EAR_E_UNSUPPORTED, "%s: a file takes no control words", transport->name);
}

static void file_stop(struct ear_transport *transport)
{
	struct transport_file *file = (struct transport_file *)transport;

	if (!file->running)
		return;
	eventfd_write(file->stop_fd, 1);
	pthread_join(file->thread, NULL);
	file->running = false;
}

static void file_close(struct ear_transport *transport)
{
	struct transport_file *file = (struct transport_file *)transport;

	file_stop(transport);
	close(file->stop_fd);
	close(file->fd);
	free(file);
}

static const struct ear_transport_ops file_ops = {file_start, file_write, file_stop, file_close};

/* A file descriptor of our own for PATH or "-". -1 with errno set if there is none. */
static int open_path(const char *path)
{
	struct stat status;
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC)
				   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		close(fd);
		errno = EISDIR;
		return -1;
	}
	return fd;
}

int ear_transport_file_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	const char *path = device + strlen("file:");
	struct transport_file *file;

	*transport = NULL;
	int fd = open_path(path);
	if (fd < 0)
		return ear_report_set(
			report, EAR_E_NO_DEVICE, "%s: cannot open: %s", device, strerror(errno));
	int stop_fd = eventfd(0, EFD_CLOEXEC);
	if (stop_fd < 0) {
		ear_report_set(report, 0, "%s: cannot open: %s", device, strerror(errno));
		close(fd);
		return EAR_E_IO;
	}
	file = calloc(1, sizeof(*file));
	if (!file) {
		close(stop_fd);
		close(fd);
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", device);
	}
	file->base.ops = &file_ops;
	file->base.flow_controlled = true;
	snprintf(file->base.name, sizeof(file->base.name), "%s", device);
	file->fd = fd;
	file->stop_fd = stop_fd;
	*transport = &file->base;
	return 0;
}
