/* USB bulk transfers without a pause, on libusb's asynchronous interface.
 *
 * The stream's thread is a loop: handle events, clear what needs clearing, submit what rests. A
 * completion never repairs anything itself; it notes the worst trouble seen, and the loop acts on
 * it when all transfers are back, because the halt of a stream may be cleared only then.
 */
#include "driver/usb/bulk_stream.h"

#include <assert.h>
#include <earshot/error.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/base/clock.h"

#define WRITE_SIZE_MAX  512  /* bytes in one OUT transfer */
#define WRITE_COUNT     8    /* OUT transfers that may be in flight */
#define REPAIR_ATTEMPTS 5    /* without a byte between them */
#define NO_MEMORY_MS    5000 /* how long no transfer at all may find memory */
#define RECLAIM_MS      5000 /* how long the kernel may keep a transfer that was cancelled */
#define TICK_MS         100  /* between looks at what no event reports */

/* Why the transfers are being taken back. The greater one wins. */
enum trouble {
	TROUBLE_NONE,
	TROUBLE_STALL,
	TROUBLE_ERROR,
	TROUBLE_STOP, /* from here on the stream ends */
	TROUBLE_FAILED,
	TROUBLE_GONE,
};

/* The OUT transfers, shared by the writing thread and the stream's.
 *
 * A write does not wait for their completion, and must not: the stream's thread may be waiting for
 * room in the ring, which only the writing thread can make, and it reaps nothing meanwhile. Who
 * waits for an answer repeats a word that was lost.
 */
struct outgoing {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct libusb_transfer *transfers[WRITE_COUNT];
	uint8_t bytes[WRITE_COUNT][WRITE_SIZE_MAX];
	bool busy[WRITE_COUNT];     /* in the kernel, or deferred: */
	bool deferred[WRITE_COUNT]; /* until the device is enabled: before, it discards words */
	bool open;                  /* it is enabled */
	bool closed;                /* the stream's thread has stopped handling events */
	bool halted;                /* the endpoint: the stream's thread will clear that */
};

struct ear_bulk_stream {
	struct ear_bulk_options options;
	struct outgoing out;
	pthread_t thread;
	bool running;
	bool stuck; /* the kernel kept a transfer */
	atomic_bool stopping;

	/* The stream's thread only, once it runs. */
	uint8_t *bytes; /* of all transfers */
	struct libusb_transfer **transfers;
	unsigned count, in_flight;
	bool *flying; /* transfers[i] is in the kernel */
	enum trouble trouble;
	unsigned repairs;        /* since a byte came */
	unsigned overflows;      /* since the last good transfer */
	uint64_t resume_ms;      /* not before this are transfers submitted again */
	uint64_t no_memory_ms;   /* since when no transfer is in the kernel for lack of memory; 0 */
	unsigned event_failures; /* in a row */
	struct ear_report failure;
};

/* -- How much -- */

int ear_bulk_usbfs_megabytes(void)
{
	FILE *file = fopen("/sys/module/usbcore/parameters/usbfs_memory_mb", "re");
	unsigned megabytes;

	if (!file)
		return -1;
	int found = fscanf(file, "%u", &megabytes);
	fclose(file);
	return found == 1 && megabytes < 1u << 20 ? (int)megabytes : -1;
}

size_t ear_bulk_flight_size(void)
{
	int megabytes = ear_bulk_usbfs_megabytes();

	if (megabytes <= 0 || (size_t)megabytes << 19 > EAR_BULK_FLIGHT_MAX)
		return EAR_BULK_FLIGHT_MAX;
	return (size_t)megabytes << 19;
}

int ear_bulk_error(int libusb_error)
{
	switch (libusb_error) {
	case LIBUSB_ERROR_NO_DEVICE:
	case LIBUSB_ERROR_NOT_FOUND: return EAR_E_NO_DEVICE;
	case LIBUSB_ERROR_NO_MEM: return EAR_E_NO_MEMORY;
	case LIBUSB_ERROR_TIMEOUT: return EAR_E_TIMEOUT;
	default: return EAR_E_IO;
	}
}

/* -- IN: one transfer -- */

static void count_fault(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void set_trouble(struct ear_bulk_stream *stream, enum trouble trouble)
{
	if (trouble > stream->trouble)
		stream->trouble = trouble;
}

static void fail(struct ear_bulk_stream *stream, const char *what)
{
	if (stream->trouble < TROUBLE_FAILED)
		ear_report_set(&stream->failure, 0, "%s: %s", stream->options.name, what);
	set_trouble(stream, TROUBLE_FAILED);
}

/* Submit transfers[i]. Returns what libusb does. */
static int submit(struct ear_bulk_stream *stream, unsigned i)
{
	int error = libusb_submit_transfer(stream->transfers[i]);

	if (!error) {
		stream->flying[i] = true;
		stream->in_flight++;
		stream->no_memory_ms = 0;
	}
	return error;
}

static void resubmit(struct ear_bulk_stream *stream, unsigned i)
{
	switch (submit(stream, i)) {
	case 0: break;
	case LIBUSB_ERROR_NO_MEM: break; /* refill tries again */
	case LIBUSB_ERROR_NO_DEVICE: set_trouble(stream, TROUBLE_GONE); break;
	case LIBUSB_ERROR_PIPE: set_trouble(stream, TROUBLE_STALL); break;
	default: set_trouble(stream, TROUBLE_ERROR); break;
	}
}

static void deliver(struct ear_bulk_stream *stream, const struct libusb_transfer *transfer)
{
	if (transfer->actual_length < 0 || transfer->actual_length > transfer->length)
		return fail(stream, "the kernel returned a transfer that is longer than requested");
	if (transfer->actual_length == 0 || !stream->options.take)
		return;
	stream->repairs = 0;
	if (!stream->options.take(
		    stream->options.owner, transfer->buffer, (size_t)transfer->actual_length))
		set_trouble(stream, TROUBLE_STOP);
}

static void take_overflow(struct ear_bulk_stream *stream)
{
	count_fault(&stream->options.faults->overflows);
	stream->options.lose(stream->options.owner);
	if (++stream->overflows > REPAIR_ATTEMPTS)
		set_trouble(stream, TROUBLE_ERROR);
}

static void take_error(struct ear_bulk_stream *stream)
{
	count_fault(&stream->options.faults->errors);
	set_trouble(stream, TROUBLE_ERROR);
}

/* The bytes of a transfer are good whatever its status is: they came before the fault. */
static void LIBUSB_CALL complete_in(struct libusb_transfer *transfer)
{
	struct ear_bulk_stream *stream = transfer->user_data;
	unsigned i =
		(unsigned)((size_t)(transfer->buffer - stream->bytes) / (size_t)transfer->length);

	assert(stream->flying[i]);
	stream->flying[i] = false;
	stream->in_flight--;
	deliver(stream, transfer);
	switch (transfer->status) {
	case LIBUSB_TRANSFER_COMPLETED:
	case LIBUSB_TRANSFER_TIMED_OUT: stream->overflows = 0; break;
	case LIBUSB_TRANSFER_STALL:
		if (stream->trouble != TROUBLE_STALL) /* one halt ends all that are in flight */
			count_fault(&stream->options.faults->stalls);
		set_trouble(stream, TROUBLE_STALL);
		break;
	case LIBUSB_TRANSFER_OVERFLOW: take_overflow(stream); break;
	case LIBUSB_TRANSFER_NO_DEVICE: set_trouble(stream, TROUBLE_GONE); break;
	case LIBUSB_TRANSFER_CANCELLED:
		/* By us, or by the kernel, as after a reset of the device. */
		if (stream->trouble == TROUBLE_NONE)
			take_error(stream);
		break;
	default: take_error(stream); break;
	}
	if (stream->trouble == TROUBLE_NONE)
		resubmit(stream, i);
}

/* -- OUT -- */

static void LIBUSB_CALL complete_out(struct libusb_transfer *transfer)
{
	struct ear_bulk_stream *stream = transfer->user_data;
	struct outgoing *out = &stream->out;
	size_t i = (size_t)(transfer->buffer - out->bytes[0]) / WRITE_SIZE_MAX;

	pthread_mutex_lock(&out->mutex);
	out->busy[i] = false;
	out->halted |= transfer->status == LIBUSB_TRANSFER_STALL;
	if (transfer->status == LIBUSB_TRANSFER_STALL || transfer->status == LIBUSB_TRANSFER_ERROR)
		count_fault(&stream->options.faults->write_again);
	pthread_cond_broadcast(&out->changed);
	pthread_mutex_unlock(&out->mutex);
}

/* With the mutex held: an idle transfer, or -1 if there is none until the time is over. */
static int find_idle(struct outgoing *out, uint64_t deadline_ms)
{
	struct timespec deadline = {
		(time_t)(deadline_ms / 1000), (long)(deadline_ms % 1000) * 1000000};

	for (;;) {
		for (int i = 0; i < WRITE_COUNT; i++)
			if (!out->busy[i])
				return i;
		if (ear_clock_ms() >= deadline_ms)
			return -1;
		pthread_cond_timedwait(&out->changed, &out->mutex, &deadline);
	}
}

/* With the mutex held: send one chunk. Returns 0, or an error. */
static int write_chunk(struct ear_bulk_stream *stream, const uint8_t *bytes, size_t size,
	uint64_t deadline_ms, struct ear_report *report)
{
	const char *name = stream->options.name;
	struct outgoing *out = &stream->out;
	int i = find_idle(out, deadline_ms);

	if (i < 0)
		return ear_report_set(report, EAR_E_TIMEOUT,
			"%s: the device does not read its control words", name);
	if (out->closed)
		return ear_report_set(report, EAR_E_NO_DEVICE, "%s: the device has gone", name);
	uint64_t now_ms = ear_clock_ms();
	memcpy(out->bytes[i], bytes, size);
	out->transfers[i]->length = (int)size;
	out->transfers[i]->timeout = deadline_ms > now_ms ? (unsigned)(deadline_ms - now_ms) : 1;
	if (!out->open) {
		out->busy[i] = out->deferred[i] = true;
		return 0;
	}
	int error = libusb_submit_transfer(out->transfers[i]);
	while (error == LIBUSB_ERROR_NO_MEM && ear_clock_ms() < deadline_ms) {
		pthread_mutex_unlock(&out->mutex);
		ear_clock_sleep_ms(5); /* a transfer of the stream may have returned by then */
		pthread_mutex_lock(&out->mutex);
		error = libusb_submit_transfer(out->transfers[i]);
	}
	if (error)
		return ear_report_set(report, ear_bulk_error(error),
			"%s: cannot send control words: %s", name, libusb_strerror(error));
	out->busy[i] = true;
	return 0;
}

int ear_bulk_write(struct ear_bulk_stream *stream, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	uint64_t deadline_ms = ear_clock_ms() + timeout_ms;
	int error = 0;

	pthread_mutex_lock(&stream->out.mutex);
	while (size > 0 && !error) {
		size_t chunk = size < WRITE_SIZE_MAX ? size : WRITE_SIZE_MAX;

		error = write_chunk(stream, bytes, chunk, deadline_ms, report);
		bytes += chunk;
		size -= chunk;
	}
	pthread_mutex_unlock(&stream->out.mutex);
	return error;
}

/* On the stream's thread: send the words that were written before the device was enabled. With
 * little memory, not all at once.
 */
static void send_deferred(struct outgoing *out)
{
	pthread_mutex_lock(&out->mutex);
	out->open = true;
	for (int i = 0; i < WRITE_COUNT; i++) {
		if (!out->deferred[i])
			continue;
		int error = libusb_submit_transfer(out->transfers[i]);
		if (error == LIBUSB_ERROR_NO_MEM)
			break;
		out->deferred[i] = false;
		out->busy[i] = error == 0; /* after an error, who waits for an answer repeats it */
		pthread_cond_broadcast(&out->changed);
	}
	pthread_mutex_unlock(&out->mutex);
}

/* On the stream's thread. */
static void clear_out(struct ear_bulk_stream *stream)
{
	pthread_mutex_lock(&stream->out.mutex);
	bool halted = stream->out.halted;
	stream->out.halted = false;
	pthread_mutex_unlock(&stream->out.mutex);
	if (halted)
		libusb_clear_halt(stream->options.handle, stream->options.endpoint_out);
}

/* -- The stream's thread -- */

static void handle_events(struct ear_bulk_stream *stream, unsigned timeout_ms)
{
	struct timeval timeout = {timeout_ms / 1000, (suseconds_t)(timeout_ms % 1000) * 1000};
	int error = libusb_handle_events_timeout_completed(stream->options.context, &timeout, NULL);

	if (!error || error == LIBUSB_ERROR_INTERRUPTED) {
		stream->event_failures = 0;
		return;
	}
	/* A permanent failure must not become a busy loop. */
	ear_clock_sleep_ms(1);
	if (++stream->event_failures == 100 && stream->trouble < TROUBLE_STOP)
		fail(stream, "the operating system reports no more USB events");
}

static void cancel_all(struct ear_bulk_stream *stream)
{
	for (unsigned i = 0; i < stream->count; i++)
		if (stream->flying[i])
			libusb_cancel_transfer(stream->transfers[i]);
}

/* Take all transfers back, and wait for them: until a transfer is reaped, its memory is the
 * kernel's.
 */
static void reclaim(struct ear_bulk_stream *stream)
{
	uint64_t limit_ms = ear_clock_ms() + RECLAIM_MS;
	uint64_t again_ms = 0;

	while (stream->in_flight > 0) {
		uint64_t now_ms = ear_clock_ms();

		if (now_ms >= limit_ms) {
			stream->stuck = true;
			return fail(stream, "the kernel does not return a transfer");
		}
		if (now_ms >= again_ms) {
			cancel_all(stream);
			again_ms = now_ms + TICK_MS;
		}
		handle_events(stream, TICK_MS);
	}
}

static bool is_listed(struct ear_bulk_stream *stream)
{
	libusb_device *device = libusb_get_device(stream->options.handle);
	libusb_device **list;
	bool found = false;
	ssize_t count = libusb_get_device_list(stream->options.context, &list);

	if (count < 0)
		return true;
	for (ssize_t i = 0; i < count; i++)
		found |= list[i] == device;
	libusb_free_device_list(list, 1);
	return found;
}

/* All transfers are back after a stall or a bus error: make the endpoint usable again. */
static void repair(struct ear_bulk_stream *stream)
{
	enum trouble trouble = stream->trouble;
	int error = libusb_clear_halt(stream->options.handle, stream->options.endpoint_in);

	if (error == LIBUSB_ERROR_NO_DEVICE || error == LIBUSB_ERROR_NOT_FOUND)
		return set_trouble(stream, TROUBLE_GONE);
	if (++stream->repairs >= REPAIR_ATTEMPTS) {
		if (!is_listed(stream))
			return set_trouble(stream, TROUBLE_GONE);
		return fail(stream, trouble == TROUBLE_STALL
					    ? "the device halts its stream again and again"
					    : "the bus reports errors again and again; try "
					      "another cable, port or hub");
	}
	/* The first time without a pause: a single fault should cost nothing. Then 20, 40, 80 ms: a
	 * hub needs a while to see that a device was pulled out. */
	unsigned pause_ms = stream->repairs == 1 ? 0 : 10u << (stream->repairs - 1);
	stream->resume_ms = ear_clock_ms() + pause_ms;
	stream->trouble = TROUBLE_NONE;
}

/* Submit all transfers that are not in the kernel. */
static void refill(struct ear_bulk_stream *stream)
{
	uint64_t now_ms = ear_clock_ms();

	if (stream->in_flight == stream->count || now_ms < stream->resume_ms)
		return;
	for (unsigned i = 0; i < stream->count && stream->trouble == TROUBLE_NONE; i++) {
		if (stream->flying[i])
			continue;
		resubmit(stream, i);
		if (!stream->flying[i])
			break; /* no memory for this one, nor for the next */
	}
	if (stream->in_flight > 0 || stream->trouble != TROUBLE_NONE)
		return;
	if (stream->no_memory_ms == 0)
		stream->no_memory_ms = now_ms;
	else if (now_ms - stream->no_memory_ms > NO_MEMORY_MS)
		fail(stream, "the kernel has no memory left for USB transfers "
			     "(see usbfs_memory_mb in earshot doctor)");
}

static void pump(struct ear_bulk_stream *stream)
{
	while (stream->trouble < TROUBLE_STOP) {
		send_deferred(&stream->out);
		uint64_t now_ms = ear_clock_ms();
		uint64_t wait_ms = TICK_MS;

		if (stream->resume_ms > now_ms && stream->resume_ms - now_ms < wait_ms)
			wait_ms = stream->resume_ms - now_ms;
		handle_events(stream, (unsigned)wait_ms);
		clear_out(stream);
		if (atomic_load_explicit(&stream->stopping, memory_order_acquire))
			set_trouble(stream, TROUBLE_STOP);
		if (stream->trouble == TROUBLE_STALL || stream->trouble == TROUBLE_ERROR) {
			reclaim(stream);
			if (stream->trouble < TROUBLE_STOP)
				repair(stream);
		}
		if (stream->trouble == TROUBLE_NONE)
			refill(stream);
	}
}

/* With the mutex: take back what is in flight. Returns true if something still is. */
static bool cancel_out(struct outgoing *out)
{
	bool busy = false;

	for (int i = 0; i < WRITE_COUNT; i++) {
		out->busy[i] &= !out->deferred[i]; /* the kernel does not know of it */
		out->deferred[i] = false;
		if (out->busy[i])
			libusb_cancel_transfer(out->transfers[i]);
		busy |= out->busy[i];
	}
	return busy;
}

/* The event loop has ended: let no other write begin. */
static void close_out(struct ear_bulk_stream *stream)
{
	struct outgoing *out = &stream->out;
	uint64_t limit_ms = ear_clock_ms() + RECLAIM_MS;
	bool busy;

	do {
		pthread_mutex_lock(&out->mutex);
		out->closed = true;
		busy = cancel_out(out);
		pthread_mutex_unlock(&out->mutex);
		if (busy)
			handle_events(stream, TICK_MS);
		if (busy && ear_clock_ms() >= limit_ms) {
			stream->stuck = true;
			return;
		}
	} while (busy);
}

static void describe_end(struct ear_bulk_stream *stream, struct ear_transport_end *end)
{
	const char *name = stream->options.name;

	*end = (struct ear_transport_end){.exit_status = -1};
	switch (stream->trouble) {
	case TROUBLE_GONE:
		end->reason = EAR_TRANSPORT_VANISHED;
		ear_report_set(
			&end->report, 0, "%s: the device was unplugged, or lost its power", name);
		break;
	case TROUBLE_FAILED:
		end->reason = EAR_TRANSPORT_FAILED;
		end->report = stream->failure;
		break;
	default: end->reason = EAR_TRANSPORT_STOPPED; break;
	}
}

static void *stream_thread(void *context)
{
	struct ear_bulk_stream *stream = context;
	const struct ear_bulk_options *options = &stream->options;
	struct ear_transport_end end;
	struct ear_report report;

	int error = options->enable ? options->enable(options->owner, &report) : 0;
	if (error == EAR_E_NO_DEVICE) {
		set_trouble(stream, TROUBLE_GONE);
	} else if (error) {
		stream->failure = report;
		set_trouble(stream, TROUBLE_FAILED);
	}
	pump(stream);
	reclaim(stream);
	close_out(stream);
	if (options->disable && !stream->stuck)
		options->disable(options->owner);
	describe_end(stream, &end);
	options->end(options->owner, &end);
	return NULL;
}

/* -- Start and end -- */

static void free_memory(struct ear_bulk_stream *stream)
{
	for (unsigned i = 0; stream->transfers && i < stream->count; i++)
		libusb_free_transfer(stream->transfers[i]);
	for (int i = 0; i < WRITE_COUNT; i++)
		libusb_free_transfer(stream->out.transfers[i]);
	pthread_cond_destroy(&stream->out.changed);
	pthread_mutex_destroy(&stream->out.mutex);
	free(stream->transfers);
	free(stream->flying);
	free(stream->bytes);
	free(stream);
}

/* Cut the memory into transfers of this size. */
static void fill_transfers(struct ear_bulk_stream *stream, size_t size)
{
	for (unsigned i = 0; i < stream->count; i++)
		libusb_fill_bulk_transfer(stream->transfers[i], stream->options.handle,
			stream->options.endpoint_in, stream->bytes + i * size, (int)size,
			complete_in, stream, 0);
}

static struct ear_bulk_stream *allocate(const struct ear_bulk_options *options)
{
	struct ear_bulk_stream *stream = calloc(1, sizeof(*stream));
	pthread_condattr_t attributes;

	if (!stream)
		return NULL;
	stream->options = *options;
	pthread_mutex_init(&stream->out.mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&stream->out.changed, &attributes);
	pthread_condattr_destroy(&attributes);

	stream->count = (unsigned)(ear_bulk_flight_size() / EAR_BULK_TRANSFER_SIZE);
	stream->bytes = malloc((size_t)stream->count * EAR_BULK_TRANSFER_SIZE);
	stream->flying = calloc(stream->count, sizeof(stream->flying[0]));
	stream->transfers = calloc(stream->count, sizeof(stream->transfers[0]));
	bool complete = stream->bytes && stream->flying && stream->transfers;
	for (unsigned i = 0; complete && i < stream->count; i++) {
		stream->transfers[i] = libusb_alloc_transfer(0);
		complete = stream->transfers[i] != NULL;
	}
	for (int i = 0; complete && i < WRITE_COUNT; i++) {
		stream->out.transfers[i] = libusb_alloc_transfer(0);
		complete = stream->out.transfers[i] != NULL;
		if (complete)
			libusb_fill_bulk_transfer(stream->out.transfers[i], options->handle,
				options->endpoint_out, stream->out.bytes[i], 0, complete_out,
				stream, 0);
	}
	if (!complete) {
		free_memory(stream);
		return NULL;
	}
	fill_transfers(stream, EAR_BULK_TRANSFER_SIZE);
	return stream;
}

/* Submit as many transfers as the kernel has memory for. If it has none even for one, smaller ones.
 * Returns 0 if there is at least one, or what libusb said.
 */
static int submit_first(struct ear_bulk_stream *stream)
{
	size_t size = EAR_BULK_TRANSFER_SIZE;
	int error = 0;

	for (;;) {
		while (stream->in_flight < stream->count && !error)
			error = submit(stream, stream->in_flight);
		if (error != LIBUSB_ERROR_NO_MEM || stream->in_flight > 0 ||
			size / 2 < stream->options.packet_size)
			break;
		size /= 2;
		error = 0;
		fill_transfers(stream, size);
	}
	if (error != LIBUSB_ERROR_NO_MEM || stream->in_flight == 0)
		return error;

	/* Free the others: the kernel has no memory for them. */
	if (stream->options.warning)
		snprintf(stream->options.warning, stream->options.warning_size,
			"%s: the kernel has memory for %zu KiB of USB transfers only, not %zu KiB; "
			"other programs use the rest (see usbfs_memory_mb in earshot doctor)",
			stream->options.name, stream->in_flight * size / 1024,
			(size_t)stream->count * EAR_BULK_TRANSFER_SIZE / 1024);
	for (unsigned i = stream->in_flight; i < stream->count; i++)
		libusb_free_transfer(stream->transfers[i]);
	stream->count = stream->in_flight;
	return 0;
}

static int report_no_start(const char *name, int error, struct ear_report *report)
{
	if (error == LIBUSB_ERROR_NO_MEM)
		return ear_report_set(report, EAR_E_NO_MEMORY,
			"%s: the kernel has no memory for USB transfers: other programs use it all "
			"(see usbfs_memory_mb in earshot doctor)",
			name);
	return ear_report_set(report, ear_bulk_error(error), "%s: cannot read from the device: %s",
		name, libusb_strerror(error));
}

int ear_bulk_start(struct ear_bulk_stream **stream_out, const struct ear_bulk_options *options,
	struct ear_report *report)
{
	struct ear_bulk_stream *stream = allocate(options);

	*stream_out = NULL;
	if (!stream)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", options->name);
	int error = submit_first(stream);
	if (error) {
		error = report_no_start(options->name, error, report);
		goto out_reclaim;
	}
	error = pthread_create(&stream->thread, NULL, stream_thread, stream);
	if (error) {
		error = ear_report_set(report, EAR_E_NO_MEMORY, "%s: cannot start a thread: %s",
			options->name, strerror(error));
		goto out_reclaim;
	}
	stream->running = true;
	*stream_out = stream;
	return 0;

out_reclaim:
	set_trouble(stream, TROUBLE_STOP); /* nothing is handed over any more */
	stream->options.take = NULL;
	reclaim(stream);
	if (!stream->stuck)
		free_memory(stream);
	return error;
}

void ear_bulk_stop(struct ear_bulk_stream *stream)
{
	if (!stream->running)
		return;
	atomic_store_explicit(&stream->stopping, true, memory_order_release);
	libusb_interrupt_event_handler(stream->options.context);
	pthread_join(stream->thread, NULL);
	stream->running = false;
}

bool ear_bulk_free(struct ear_bulk_stream *stream)
{
	if (!stream)
		return true;
	ear_bulk_stop(stream);
	if (stream->stuck)
		return false;
	free_memory(stream);
	return true;
}
