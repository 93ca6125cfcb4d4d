/* A sink between a transport and its user that copies the bytes to a file. It writes on the
 * transport's thread, so the order in the file is the order of arrival without a lock; a slow disk
 * holds the transport up, which suits a debugging tool.
 */
#include "driver/link/recorder.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/output_file.h"

struct ear_recorder {
	struct ear_transport_sink next;
	int fd;
	char path[128];    /* for reports; cut if longer */
	atomic_int failed; /* errno of the first write that failed, 0 none */
};

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

static bool recorder_push(void *context, const uint8_t *bytes, size_t size)
{
	struct ear_recorder *recorder = context;

	if (!atomic_load(&recorder->failed) && !write_all(recorder->fd, bytes, size))
		atomic_store(&recorder->failed, errno);
	return recorder->next.push(recorder->next.context, bytes, size);
}

static void recorder_end(void *context, const struct ear_transport_end *end)
{
	struct ear_recorder *recorder = context;

	recorder->next.end(recorder->next.context, end);
}

static void recorder_lose(void *context)
{
	struct ear_recorder *recorder = context;

	if (recorder->next.lose)
		recorder->next.lose(recorder->next.context);
}

struct ear_transport_sink ear_recorder_sink(struct ear_recorder *recorder)
{
	return (struct ear_transport_sink){recorder_push, recorder_end, recorder, recorder_lose};
}

int ear_recorder_open(struct ear_recorder **recorder_out, const char *path,
	const struct ear_transport_sink *next, struct ear_report *report)
{
	struct ear_recorder *recorder;
	char writer[96];

	*recorder_out = NULL;
	int fd = ear_output_file_open(path, writer, sizeof(writer));
	if (fd < 0 && errno == EWOULDBLOCK)
		return ear_report_set(report, EAR_E_IO, "%s: another program writes this file (%s)",
			path, writer[0] ? writer : "its name is not known");
	if (fd < 0 || ear_output_file_empty(fd) != 0) {
		ear_report_set(report, EAR_E_IO, "%s: cannot create: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return EAR_E_IO;
	}
	recorder = calloc(1, sizeof(*recorder));
	if (!recorder) {
		close(fd);
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", path);
	}
	recorder->next = *next;
	recorder->fd = fd;
	snprintf(recorder->path, sizeof(recorder->path), "%s", path);
	atomic_init(&recorder->failed, 0);
	*recorder_out = recorder;
	return 0;
}

int ear_recorder_status(struct ear_recorder *recorder, struct ear_report *report)
{
	int failed = atomic_load(&recorder->failed);

	if (failed)
		return ear_report_set(report, EAR_E_IO,
			"%s: cannot write: %s; the record of the raw bytes is incomplete",
			recorder->path, strerror(failed));
	return 0;
}

void ear_recorder_close(struct ear_recorder *recorder)
{
	if (!recorder)
		return;
	close(recorder->fd);
	free(recorder);
}
