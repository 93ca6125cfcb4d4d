/* How many megabytes a second go from a transport's thread through the ring to a consumer that
 * looks at every byte.
 *
 *   ring_throughput [MEGABYTES]     for each line (2048)
 *
 * Lines, "what: MB/s":
 *   ring 512      the bare ring, in pushes of one USB packet
 *   ring 65536    the bare ring, in pushes of 64 KiB
 *   session 512   transport thread, feed, session (finds each frame, checks its CRC), consumer
 *   session 65536 the same in larger pushes
 *   pipe 65536    the same with file: reading a pipe that another thread fills
 *
 * All bytes are compared with what was sent; a wrong, missing or dropped byte ends the program
 * with status 1.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/frame.h"
#include "driver/base/ring.h"
#include "driver/session/session.h"

/* The stream: these bytes again and again. The size is no multiple of the ring's, so a byte that
 * comes out at the wrong time is a wrong byte. All frames are whole. */
#define BLOCK_FRAMES 2047
#define BLOCK_SIZE   ((size_t)BLOCK_FRAMES * EAR_FRAME_SIZE_MAX)
#define RING_SIZE    ((size_t)8 << 20)

static uint8_t *block; /* twice, so that any piece of up to one block is contiguous */
static uint64_t total;

static _Noreturn void fail(const char *text)
{
	fprintf(stderr, "ring_throughput: %s\n", text);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void make_block(void)
{
	uint32_t seed = 1;

	block = malloc(2 * BLOCK_SIZE);
	if (!block)
		fail("out of memory");
	for (size_t i = 0; i < BLOCK_FRAMES; i++) {
		uint8_t *frame = block + i * EAR_FRAME_SIZE_MAX;

		for (size_t k = 0; k < EAR_FRAME_PAYLOAD_MAX; k++) {
			seed = seed * 1664525 + 1013904223;
			frame[EAR_FRAME_HEADER_SIZE + k] = (uint8_t)(seed >> 24);
		}
		ear_frame_finish(frame, EAR_FRAME_PAYLOAD_MAX, 0, (uint16_t)i);
	}
	memcpy(block + BLOCK_SIZE, block, BLOCK_SIZE);
}

/* The next piece of the stream to be sent. */
static const uint8_t *piece_at(uint64_t offset, size_t *size)
{
	if (*size > total - offset)
		*size = (size_t)(total - offset);
	return block + offset % BLOCK_SIZE;
}

static void check(const uint8_t *bytes, size_t size, uint64_t offset)
{
	while (size > 0) {
		size_t place = (size_t)(offset % BLOCK_SIZE);
		size_t part = size < BLOCK_SIZE - place ? size : BLOCK_SIZE - place;

		if (memcmp(bytes, block + place, part) != 0)
			fail("a wrong byte came out");
		bytes += part;
		offset += part;
		size -= part;
	}
}

static void print(const char *what, size_t push_size, double seconds)
{
	printf("%s %zu: %.0f\n", what, push_size, (double)total / 1e6 / seconds);
	fflush(stdout);
}

/* -- The bare ring -- */

struct bare {
	struct ear_ring ring;
	size_t push_size;
};

static void *push_bare(void *context)
{
	struct bare *bare = context;

	for (uint64_t offset = 0; offset < total;) {
		size_t size = bare->push_size;
		const uint8_t *bytes = piece_at(offset, &size);
		size_t pushed = ear_ring_push(&bare->ring, bytes, size);

		if (pushed == 0)
			sched_yield();
		offset += pushed;
	}
	return NULL;
}

static void measure_ring(size_t push_size)
{
	struct bare bare = {.push_size = push_size};
	pthread_t thread;
	double begin = now();

	if (ear_ring_init(&bare.ring, RING_SIZE) || pthread_create(&thread, NULL, push_bare, &bare))
		fail("out of memory");
	for (uint64_t offset = 0; offset < total;) {
		size_t size;
		const uint8_t *view = ear_ring_peek(&bare.ring, &size);

		if (size == 0)
			sched_yield();
		check(view, size, offset);
		ear_ring_consume(&bare.ring, size);
		offset += size;
	}
	pthread_join(thread, NULL);
	print("ring", push_size, now() - begin);
	ear_ring_fini(&bare.ring);
}

/* -- A session with a transport that sends as fast as it can -- */

struct transport_bench {
	struct ear_transport base;
	struct ear_transport_sink sink;
	size_t push_size;
	pthread_t thread;
	bool running;
};

static void *push_sink(void *context)
{
	struct transport_bench *bench = context;
	struct ear_transport_end end = {.reason = EAR_TRANSPORT_END_OF_FILE, .exit_status = -1};

	for (uint64_t offset = 0; offset < total;) {
		size_t size = bench->push_size;
		const uint8_t *bytes = piece_at(offset, &size);

		if (!bench->sink.push(bench->sink.context, bytes, size))
			break;
		offset += size;
	}
	bench->sink.end(bench->sink.context, &end);
	return NULL;
}

static int bench_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	struct transport_bench *bench = (struct transport_bench *)transport;

	(void)report;
	bench->sink = *sink;
	if (pthread_create(&bench->thread, NULL, push_sink, bench))
		fail("cannot start a thread");
	bench->running = true;
	return 0;
}

static void bench_stop(struct ear_transport *transport)
{
	struct transport_bench *bench = (struct transport_bench *)transport;

	if (bench->running)
		pthread_join(bench->thread, NULL);
	bench->running = false;
}

static const struct ear_transport_ops bench_ops = {
	.start = bench_start, .stop = bench_stop, .close = bench_stop};

static void read_session(struct ear_session *session)
{
	struct ear_session_item item;

	for (;;) {
		if (ear_session_next(session, &item, 10000))
			fail("nothing came for 10 s");
		if (item.kind == EAR_SESSION_LOSS)
			fail("bytes were dropped");
		if (item.kind == EAR_SESSION_END)
			break;
		check(item.bytes, item.size, item.offset);
		ear_session_consume(session, item.size);
	}
	if (item.offset != total)
		fail("bytes are missing");
}

static void measure_session(size_t push_size)
{
	struct transport_bench bench = {
		.base = {.ops = &bench_ops, .name = "bench", .flow_controlled = true},
		.push_size = push_size};
	struct ear_session *session;
	struct ear_report report;
	double begin = now();

	if (ear_session_open_transport(&session, &bench.base, NULL, &report))
		fail(report.text);
	read_session(session);
	print("session", push_size, now() - begin);
	ear_session_close(session);
}

/* -- file: and a pipe -- */

static void *fill_pipe(void *context)
{
	int fd = *(int *)context;

	for (uint64_t offset = 0; offset < total;) {
		size_t size = 65536;
		const uint8_t *bytes = piece_at(offset, &size);
		ssize_t written = write(fd, bytes, size);

		if (written < 0)
			fail("cannot write to the pipe");
		offset += (uint64_t)written;
	}
	close(fd);
	return NULL;
}

static void measure_pipe(void)
{
	struct ear_session *session;
	struct ear_report report;
	pthread_t thread;
	char device[64];
	int pipes[2];
	double begin = now();

	if (pipe(pipes) || pthread_create(&thread, NULL, fill_pipe, &pipes[1]))
		fail("cannot make a pipe");
	snprintf(device, sizeof(device), "file:/proc/self/fd/%d", pipes[0]);
	if (ear_session_open(&session, device, NULL, &report))
		fail(report.text);
	read_session(session);
	print("pipe", 65536, now() - begin);
	ear_session_close(session);
	pthread_join(thread, NULL);
	close(pipes[0]);
}

int main(int argc, char **argv)
{
	unsigned long megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 2048;

	if (argc > 2 || megabytes == 0)
		fail("usage: ring_throughput [MEGABYTES]");
	total = (uint64_t)megabytes * 1000000;
	make_block();
	measure_ring(512);
	measure_ring(65536);
	measure_session(512);
	measure_session(65536);
	measure_pipe();
	free(block);
	return 0;
}
