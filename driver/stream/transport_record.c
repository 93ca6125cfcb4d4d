#include "driver/stream/transport_record.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/output_file.h"

struct transport_record {
	struct ear_transport base;
	struct ear_transport *inner;
	struct ear_transport_sink sink; /* of our user */
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

/* After a failure nothing more is written: a file with a hole inside would lie. */
static bool record_push(void *context, const uint8_t *bytes, size_t size)
{
	struct transport_record *record = context;

	if (!atomic_load(&record->failed) && !write_all(record->fd, bytes, size))
		atomic_store(&record->failed, errno);
	return record->sink.push(record->sink.context, bytes, size);
}

static void record_end(void *context, const struct ear_transport_end *end)
{
	struct transport_record *record = context;

	record->sink.end(record->sink.context, end);
}

static void record_lose(void *context)
{
	struct transport_record *record = context;

	if (record->sink.lose)
		record->sink.lose(record->sink.context);
}

static int record_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	struct transport_record *record = (struct transport_record *)transport;
	struct ear_transport_sink own = {record_push, record_end, record, record_lose};

	record->sink = *sink;
	int error = ear_transport_start(record->inner, &own, report);
	memcpy(transport->warning, record->inner->warning, sizeof(transport->warning));
	return error;
}

static int record_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	struct transport_record *record = (struct transport_record *)transport;

	return ear_transport_write(record->inner, bytes, size, timeout_ms, report);
}

static void record_stop(struct ear_transport *transport)
{
	struct transport_record *record = (struct transport_record *)transport;

	ear_transport_stop(record->inner);
}

static void record_close(struct ear_transport *transport)
{
	struct transport_record *record = (struct transport_record *)transport;

	ear_transport_close(record->inner);
	close(record->fd);
	free(record);
}

static const struct ear_transport_ops record_ops = {
	record_start, record_write, record_stop, record_close};

static void take_inner(struct transport_record *record, struct ear_transport *inner)
{
	record->base = *inner;
	record->base.ops = &record_ops;
	record->inner = inner;
}

void ear_transport_record_replace(struct ear_transport *transport, struct ear_transport *inner)
{
	struct transport_record *record = (struct transport_record *)transport;

	assert(transport->ops == &record_ops);
	ear_transport_close(record->inner);
	take_inner(record, inner);
}

int ear_transport_record_open(struct ear_transport **transport, struct ear_transport *inner,
	const char *path, struct ear_report *report)
{
	struct transport_record *record;
	char writer[96];

	*transport = NULL;
	int fd = ear_output_file_open(path, writer, sizeof(writer));
	if (fd < 0 && errno == EWOULDBLOCK)
		return ear_report_set(report, EAR_E_IO, "%s: another program writes this file (%s)",
			path, writer[0] ? writer : "which, is not known");
	if (fd < 0)
		return ear_report_set(
			report, EAR_E_IO, "%s: cannot create: %s", path, strerror(errno));
	record = calloc(1, sizeof(*record));
	if (!record) {
		close(fd);
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", path);
	}
	take_inner(record, inner);
	record->fd = fd;
	snprintf(record->path, sizeof(record->path), "%s", path);
	atomic_init(&record->failed, 0);
	*transport = &record->base;
	return 0;
}

int ear_transport_record_status(struct ear_transport *transport, struct ear_report *report)
{
	struct transport_record *record = (struct transport_record *)transport;

	assert(transport->ops == &record_ops);
	int failed = atomic_load(&record->failed);
	if (failed)
		return ear_report_set(report, EAR_E_IO,
			"%s: cannot write: %s; the record of the raw bytes is incomplete",
			record->path, strerror(failed));
	return 0;
}
