/* The capture's end of a live view. Writing never blocks: what the pipe does not take waits in a
 * list, whose size has a limit; what is over it is dropped, and the view learns it with the state
 * of the decoder after it, as soon as it has taken all before. A process and not a thread shows,
 * because what reads names, draws and parses keys must not be able to end a capture.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#endif
#include "cli/live/live_top.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/outlet.h"
#include "cli/base/seconds.h"
#include "cli/live/live_top_feed.h"
#include "decoder/codec/decoder_state.h"

#define QUEUE_MAX      (8u << 20) /* bytes of the stream */
#define PIPE_SIZE      (1 << 20)  /* what an ordinary user may have */
#define STATE_SECONDS  0.1        /* at most so often a state is saved */
#define FINISH_SECONDS 5.0        /* without a byte taken: the view is left alone */
#define START_MS       5

/* A message that waits. */
struct piece {
	struct piece *next;
	size_t size, sent;
	uint8_t bytes[];
};

struct live_top {
	pid_t process;
	int to;
	struct live_top_shared *shared;
	struct piece *first, **last;
	size_t queued;    /* bytes in the list */
	uint64_t skipped; /* since the last state; 0: none are skipped now */
	double last_state;
	bool gone, failed;
};

/* ---- The queue. ---- */

static void drop_queue(struct live_top *top)
{
	while (top->first) {
		struct piece *piece = top->first;
		top->first = piece->next;
		free(piece);
	}
	top->last = &top->first;
	top->queued = 0;
}

/* The view has ended, of itself or by its user. */
static void leave(struct live_top *top)
{
	drop_queue(top);
	top->gone = true;
}

/* As much as the pipe takes. */
static void send(struct live_top *top)
{
	while (top->first && !top->gone) {
		struct piece *piece = top->first;
		const ssize_t sent =
			write(top->to, piece->bytes + piece->sent, piece->size - piece->sent);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent <= 0) {
			leave(top);
			return;
		}
		piece->sent += (size_t)sent;
		top->queued -= (size_t)sent;
		if (piece->sent < piece->size)
			continue;
		top->first = piece->next;
		if (!top->first)
			top->last = &top->first;
		free(piece);
	}
}

/* Returns false if memory is short: then it is as if the queue were full. */
static bool enqueue(struct live_top *top, const struct live_top_message *message,
	const uint8_t *bytes, size_t size)
{
	struct piece *piece = malloc(sizeof(*piece) + sizeof(*message) + size);

	if (!piece)
		return false;
	*piece = (struct piece){.size = sizeof(*message) + size};
	memcpy(piece->bytes, message, sizeof(*message));
	if (size > 0)
		memcpy(piece->bytes + sizeof(*message), bytes, size);
	*top->last = piece;
	top->last = &piece->next;
	top->queued += piece->size;
	return true;
}

/* The view continues after what it skipped. */
static void resume(struct live_top *top, const struct ear_decoder *decoder)
{
	struct live_top_message message = {.kind = LIVE_TOP_STATE, .skipped = top->skipped};
	const double now = cli_seconds();
	uint8_t *bytes;
	size_t size;

	if (top->first || now - top->last_state < STATE_SECONDS || !ear_decoder_can_save(decoder))
		return;
	top->last_state = now;
	if (ear_decoder_save(decoder, &bytes, &size) != 0)
		return;
	message.size = (uint32_t)size;
	if (enqueue(top, &message, bytes, size))
		top->skipped = 0;
	free(bytes);
	send(top);
}

static void skip(struct live_top *top, size_t size)
{
	top->skipped += size;
	atomic_fetch_add(&top->shared->link.skipped, size);
}

void live_top_bytes(
	struct live_top *top, const struct ear_decoder *decoder, const uint8_t *bytes, size_t size)
{
	const struct live_top_message message = {.kind = LIVE_TOP_BYTES, .size = (uint32_t)size};

	if (top->gone || size == 0)
		return;
	atomic_store(&top->shared->phase, LIVE_TOP_RUNS);
	atomic_fetch_add(&top->shared->link.offered, size);
	send(top);
	if (top->gone)
		return;
	if (top->skipped == 0 && top->queued + size <= QUEUE_MAX &&
		enqueue(top, &message, bytes, size)) {
		send(top);
		return;
	}
	skip(top, size);
	resume(top, decoder);
}

void live_top_status(struct live_top *top, const struct ear_decoder *decoder,
	const struct ear_session_statistics *session)
{
	const struct ear_decoder_statistics *statistics = &decoder->statistics;
	struct top_link *link = &top->shared->link;

	atomic_store(&top->shared->phase, LIVE_TOP_RUNS);
	atomic_store(&link->records, statistics->records);
	atomic_store(&link->lost, statistics->unit_lost + statistics->missing);
	atomic_store(&link->blind, statistics->unknown_gaps);
	atomic_store(&link->gaps, statistics->gaps);
	atomic_store(&link->held_clocks, statistics->held_clocks);
	atomic_store(&link->received, session->received);
	atomic_store(&link->dropped, session->dropped);
	atomic_store(&link->ring_size, session->ring_size);
	atomic_store(&link->ring_fill, session->ring_fill);
	atomic_store(&link->ring_fill_most, session->ring_fill_max);
	atomic_store(&link->absent, session->absent);
	send(top);
	if (top->skipped > 0 && !top->gone)
		resume(top, decoder);
}

bool live_top_is_there(const struct live_top *top)
{
	return top && !top->gone;
}

/* ---- Begin and end. ---- */

static void show(
	const struct live_top_options *options, const int ends[2], struct live_top_shared *shared)
{
	close(ends[1]);
	const int status = outlet_finish(live_top_show(options, ends[0], shared));
	_exit(status);
}

static bool has_ended(struct live_top *top, int options)
{
	int status;
	pid_t ended;

	do {
		ended = waitpid(top->process, &status, options);
	} while (ended < 0 && errno == EINTR);
	if (ended == 0)
		return false;
	top->gone = true;
	top->failed = ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == EAR_EXIT_FAILED;
	top->process = -1;
	return true;
}

/* Until it has read the names, and said what is wrong with them. */
static bool wait_for_start(struct live_top *top)
{
	while (atomic_load(&top->shared->phase) == LIVE_TOP_STARTS) {
		if (has_ended(top, WNOHANG))
			return false;
		poll(NULL, 0, START_MS);
	}
	return true;
}

static bool start(struct live_top *top, const struct live_top_options *options)
{
	int ends[2];

	if (pipe(ends) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		(void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE); /* or as it is */
	(void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
	fflush(stdout);
	top->process = fork();
	if (top->process == 0)
		show(options, ends, top->shared);
	close(ends[0]);
	top->to = ends[1];
	if (top->process > 0)
		return true;
	close(ends[1]);
	return false;
}

static void free_all(struct live_top *top)
{
	drop_queue(top);
	munmap(top->shared, sizeof(*top->shared));
	free(top);
}

void live_top_find_program(const char *device, struct symbol_file *symbols)
{
	if (strncmp(device, "sim:", 4) != 0)
		return;
	snprintf(symbols->program, sizeof(symbols->program), "%.*s", (int)strcspn(device + 4, ","),
		device + 4);
	if (!symbol_file_hash(symbols->sha256, symbols->program))
		symbols->sha256[0] = '\0';
}

bool live_top_start(struct live_top **top_out, const struct live_top_options *options)
{
	struct live_top *top = calloc(1, sizeof(*top));
	struct live_top_shared *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*top_out = NULL;
	if (!top || shared == MAP_FAILED) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		free(top);
		return false;
	}
	top->shared = shared;
	top->last = &top->first;
	if (!start(top, options)) {
		cli_error("no process can be started: %s", strerror(errno));
		free_all(top);
		return false;
	}
	if (!wait_for_start(top)) {
		close(top->to);
		free_all(top);
		return false;
	}
	*top_out = top;
	return true;
}

/* What is left, as long as the view takes some of it. */
static void send_rest(struct live_top *top)
{
	struct pollfd out = {.fd = top->to, .events = POLLOUT};
	double last = cli_seconds();

	while (top->first && !top->gone && cli_seconds() - last < FINISH_SECONDS) {
		const size_t before = top->queued;
		poll(&out, 1, 100);
		send(top);
		if (top->queued != before)
			last = cli_seconds();
	}
}

bool live_top_finish(struct live_top *top, bool end_meant, bool leave_now)
{
	if (!top)
		return true;
	const struct live_top_message end = {.kind = LIVE_TOP_END, .skipped = end_meant};
	atomic_store(&top->shared->link.leave, leave_now);
	if (!top->gone) {
		(void)enqueue(top, &end, NULL, 0);
		send_rest(top);
	}
	close(top->to);
	if (top->process > 0)
		(void)has_ended(top, 0);
	const bool good = !top->failed;
	free_all(top);
	return good;
}
