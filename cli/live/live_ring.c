/* A capture that others look into: one loop that takes what comes from the device, and what is
 * asked for. Errors are in the status; the other side prints them.
 */
#include "cli/live/live_ring.h"

#include <dirent.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/seconds.h"
#include "cli/live/live_session.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/decoder_state.h"
#include "library/shot/shot.h"
#include "library/shot/shot_format.h"
#include "library/shot/shot_states.h"

#define WAIT_MS        10
#define LOOK_SECONDS   0.2 /* for an answer of the unit, which may have much to send before it */
#define HOLD_SECONDS   5.0
#define RESYNC_SECONDS 0.5
#define LEVEL          1 /* the stream is small already; a debugger waits for it */
#define OVERDUE        4 /* times the size: then a file begins without a state */

/* A file that is being written. */
struct piece {
	uint64_t number; /* 0: there is none */
	int fd;
	struct ear_shot_writer *writer;
	struct ear_shot_states states;
	uint64_t offset;       /* of the stream, where it begins */
	uint64_t instructions; /* before it, */
	uint64_t records;      /* records of any kind */
};

struct ring {
	const struct live_ring_options *options;
	int socket;
	struct ear_session *session;
	struct ear_identity identity;
	struct ear_decoder decoder;
	struct piece pieces[2]; /* the older one first */
	uint8_t window[256u << 10];
	size_t window_size;
	double last_resync;

	bool closed; /* the other side is */
	bool asked;  /* a wish waits to be answered, until: */
	double deadline;
	bool holds, hold_wanted; /* the core */
	bool fetched;            /* the core is held, and all that it did has come */
	bool turn_wanted;
	struct live_ring_status status;
};

void live_ring_path(char path[LIVE_RING_PATH_MAX], const char *folder, uint64_t file)
{
	snprintf(path, LIVE_RING_PATH_MAX, "%s/live-%" PRIu64 ".shot", folder, file);
}

/* ---- The files. ---- */

static uint64_t records_of(const struct ear_decoder *decoder)
{
	const struct ear_decoder_statistics *statistics = &decoder->statistics;

	return statistics->records + statistics->gaps + statistics->events;
}

/* Nothing can be kept any more: the capture ends. */
static void fail(struct ring *ring, int result)
{
	if (ring->status.over)
		return;
	ring->status.over = ring->status.failed = true;
	snprintf(ring->status.text, sizeof(ring->status.text), "%s: %s", ring->options->folder,
		result == EAR_E_IO ? strerror(errno) : ear_error_text(result));
}

static void check(struct ring *ring, int result)
{
	if (result)
		fail(ring, result);
}

static void remove_files(const struct ring *ring, uint64_t file)
{
	char path[LIVE_RING_PATH_MAX], index[LIVE_RING_PATH_MAX + 8];

	live_ring_path(path, ring->options->folder, file);
	snprintf(index, sizeof(index), "%s.idx", path);
	unlink(path);
	unlink(index);
}

static void close_piece(struct ring *ring, struct piece *piece)
{
	if (piece->number == 0)
		return;
	ear_shot_writer_free(piece->writer);
	close(piece->fd);
	remove_files(ring, piece->number);
	*piece = (struct piece){.number = 0};
}

/* Begin a file here. with_state: the decoder can be saved here. */
static void begin_piece(struct ring *ring, struct piece *piece, uint64_t number, bool with_state)
{
	char path[LIVE_RING_PATH_MAX];

	*piece = (struct piece){.number = number,
		.offset = ring->decoder.stream.offset,
		.instructions = ring->decoder.statistics.records,
		.records = records_of(&ring->decoder)};
	ear_shot_states_init(&piece->states, EAR_SHOT_STATES_AUTOMATIC);
	live_ring_path(path, ring->options->folder, number);
	piece->fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	int result = piece->fd < 0 ? EAR_E_IO
				   : ear_shot_writer_new(&piece->writer, piece->fd,
					     ring->options->facts, LEVEL);
	if (result) {
		fail(ring, result);
		if (piece->fd >= 0)
			close(piece->fd);
		piece->number = 0;
	} else if (with_state) {
		struct ear_decoder here = ring->decoder;
		here.stream.offset = 0;
		here.statistics.records = here.statistics.gaps = here.statistics.events = 0;
		check(ring, ear_shot_states_write_whole(&piece->states, piece->writer, &here));
	}
}

/* A state, if one is due. */
static void write_state(struct ring *ring, struct piece *piece)
{
	uint64_t instructions = ring->decoder.statistics.records - piece->instructions;

	if (instructions < piece->states.next)
		return;
	struct ear_decoder here = ring->decoder;
	here.stream.offset -= piece->offset;
	here.statistics.records = instructions;
	here.statistics.gaps = records_of(&ring->decoder) - piece->records - instructions;
	here.statistics.events = 0;
	check(ring, ear_shot_states_write(&piece->states, piece->writer, &here));
}

static void keep(struct ring *ring, const uint8_t *bytes, size_t size)
{
	for (unsigned i = 0; i < 2 && !ring->status.over; i++) {
		struct piece *piece = &ring->pieces[i];
		if (piece->number == 0 || size == 0)
			continue;
		check(ring, ear_shot_writer_push(piece->writer, bytes, size));
		write_state(ring, piece);
	}
}

static void drop_older(struct ring *ring)
{
	close_piece(ring, &ring->pieces[0]);
	ring->pieces[0] = ring->pieces[1];
	ring->pieces[1] = (struct piece){.number = 0};
}

/* The newest file is long enough: the next one begins, and the oldest is not needed any more. */
static void turn(struct ring *ring)
{
	const struct piece *newest = &ring->pieces[ring->pieces[1].number ? 1 : 0];
	const uint64_t bytes = ring->decoder.stream.offset - newest->offset;
	const uint64_t next = newest->number + 1, size = ring->options->size;
	const bool saved = ear_decoder_can_save(&ring->decoder);
	const bool wanted = ring->turn_wanted && saved && bytes > 0;

	if (ring->status.over || (bytes < size && !wanted) || (!saved && bytes < OVERDUE * size))
		return;
	ring->turn_wanted = false;
	if (ring->pieces[1].number)
		drop_older(ring);
	begin_piece(ring, &ring->pieces[1], next, saved);
}

/* What came so far can be read. */
static void flush(struct ring *ring)
{
	for (unsigned i = 0; i < 2; i++)
		if (ring->pieces[i].number)
			check(ring, ear_shot_writer_flush(ring->pieces[i].writer));
}

/* ---- The stream. ---- */

static int take_nothing(void *context, const struct ear_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

static int take_no_run(
	void *context, const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	(void)context;
	(void)run;
	(void)compacts;
	return 0;
}

static size_t step_of(const struct ring *ring)
{
	bool small = ring->decoder.statistics.hart_count == 0 ||
		     ear_shot_states_end_frames(&ring->pieces[0].states, &ring->decoder);

	return small ? EAR_SHOT_STATES_STEP : EAR_SHOT_CHUNK_SIZE / 16;
}

static void decode_window(struct ring *ring, bool final)
{
	size_t done = 0, used = 0;
	int result;

	do {
		size_t rest = ring->window_size - done, step = step_of(ring);
		size_t size = rest < step ? rest : step;
		result = ear_decoder_push(
			&ring->decoder, &used, ring->window + done, size, final && size == rest);
		keep(ring, ring->window + done, used);
		turn(ring);
		done += used;
	} while (result == 0 && used > 0 && done < ring->window_size);
	check(ring, result);
	ring->window_size -= done;
	memmove(ring->window, ring->window + done, ring->window_size);
}

static void take_bytes(struct ring *ring, const struct ear_session_item *item)
{
	size_t room = sizeof(ring->window) - ring->window_size;
	size_t size = item->size < room ? item->size : room;

	memcpy(ring->window + ring->window_size, item->bytes, size);
	ring->window_size += size;
	ear_session_consume(ring->session, size);
	decode_window(ring, false);
}

static void take_loss(struct ring *ring, uint64_t size)
{
	ear_decoder_host_loss(&ring->decoder, size);
	for (unsigned i = 0; i < 2; i++)
		if (ring->pieces[i].number)
			check(ring, ear_shot_writer_loss(ring->pieces[i].writer, size));
}

static void take_end(struct ring *ring, const struct ear_session_end *end)
{
	decode_window(ring, true);
	if (ring->status.over)
		return;
	ring->status.over = true;
	ring->status.failed =
		end->reason == EAR_SESSION_END_ERROR || end->reason == EAR_SESSION_END_VANISHED;
	snprintf(ring->status.text, sizeof(ring->status.text), "%s", end->report.text);
}

/* Damage that only the decoder detects. */
static void ask_for_sync(struct ring *ring)
{
	double now = cli_seconds();

	if (!ear_decoder_is_lost(&ring->decoder) || now - ring->last_resync < RESYNC_SECONDS)
		return;
	ring->last_resync = now;
	ear_session_resync(ring->session);
}

static void take_item(struct ring *ring)
{
	struct ear_session_item item;

	ask_for_sync(ring);
	int result = ear_session_next(ring->session, &item, WAIT_MS);
	if (result == EAR_E_TIMEOUT)
		return;
	if (result) {
		fail(ring, result);
		return;
	}
	switch (item.kind) {
	case EAR_SESSION_BYTES: take_bytes(ring, &item); break;
	case EAR_SESSION_LOSS: take_loss(ring, item.loss_size); break;
	case EAR_SESSION_END: take_end(ring, item.end); break;
	}
}

/* ---- What is asked for. ---- */

static void answer(struct ring *ring)
{
	struct live_ring_status *status = &ring->status;

	if (ring->session)
		flush(ring);
	status->file = ring->pieces[0].number;
	status->before = ring->pieces[0].records;
	status->records = records_of(&ring->decoder);
	status->bytes = ring->decoder.stream.offset;
	status->can_hold = ring->identity.features & EAR_REG_FEATURES_CORE_MASK;
	ring->asked = false;
	if (send(ring->socket, status, sizeof(*status), MSG_NOSIGNAL) != (ssize_t)sizeof(*status))
		ring->closed = true;
}

/* The core, if it is not as it was wanted. What the unit has is fetched, too: it says when. */
static void control(struct ring *ring)
{
	if (ring->status.over || ring->holds == ring->hold_wanted ||
		!(ring->identity.features & EAR_REG_FEATURES_CORE_MASK) ||
		ear_session_hold_core(ring->session, ring->hold_wanted) != 0)
		return;
	ring->holds = ring->hold_wanted;
	ring->fetched = false;
}

/* A wish, if one has come. wait: for it, since nothing else happens any more. */
static void take_wish(struct ring *ring, bool wait)
{
	struct pollfd ready = {.fd = ring->socket, .events = POLLIN};
	uint8_t wish;

	if (ring->asked || poll(&ready, 1, wait ? -1 : 0) <= 0)
		return;
	if (recv(ring->socket, &wish, 1, 0) != 1) {
		ring->closed = true;
		return;
	}
	ring->asked = true;
	if (wish == LIVE_RING_HOLD || wish == LIVE_RING_GO)
		ring->hold_wanted = wish == LIVE_RING_HOLD;
	if (wish == LIVE_RING_TURN && ring->pieces[1].number)
		drop_older(ring);
	else if (wish == LIVE_RING_TURN)
		ring->turn_wanted = true;
	ring->deadline = cli_seconds() + (wish == LIVE_RING_HOLD ? HOLD_SECONDS : LOOK_SECONDS);
	control(ring);
	if (wish == LIVE_RING_GO)
		ring->deadline = 0;
	else if (!ring->status.over && !ring->fetched)
		(void)ear_session_fetch(ring->session);
}

static bool is_due(const struct ring *ring)
{
	return ring->asked && (ring->status.over || cli_seconds() >= ring->deadline ||
				      (ring->holds == ring->hold_wanted &&
					      ear_session_is_answered(ring->session)));
}

static void serve(struct ring *ring)
{
	while (!ring->closed) {
		if (!ring->status.over)
			take_item(ring);
		take_wish(ring, ring->status.over);
		control(ring);
		if (is_due(ring)) {
			ring->fetched = !ring->status.over && ring->holds &&
					ear_session_is_answered(ring->session);
			answer(ring);
		}
	}
}

/* ---- Beginning and end. ---- */

static bool start(struct ring *ring)
{
	const struct live_ring_options *options = ring->options;
	struct ear_report report;

	if (!live_session_open(&ring->session, options->device, &options->session, options->quiet))
		return false;
	if (ear_session_controllable(ring->session) &&
		ear_session_identify(ring->session, &ring->identity) != 0) {
		cli_error("%s", ear_session_message(ring->session));
		return false;
	}
	if (ear_session_controllable(ring->session) &&
		ear_capture_config_check(&options->config, &ring->identity, &report) != 0) {
		cli_error("%s: %s", options->device, report.text);
		return false;
	}
	begin_piece(ring, &ring->pieces[0], 1, false);
	if (ring->status.over) {
		cli_error("%s", ring->status.text);
		return false;
	}
	if (!ear_session_controllable(ring->session) ||
		ear_session_start(ring->session, &options->config) == 0)
		return true;
	cli_error("%s", ear_session_message(ring->session));
	return false;
}

/* Nobody looks any more: the unit ends its capture, and the core goes on. */
static void stop(struct ring *ring)
{
	struct ear_session_item item = {.kind = EAR_SESSION_BYTES};

	ring->hold_wanted = false;
	control(ring);
	ear_session_stop(ring->session);
	while (item.kind != EAR_SESSION_END) {
		int result = ear_session_next(ring->session, &item, 100);
		if (result == 0 && item.kind == EAR_SESSION_BYTES)
			ear_session_consume(ring->session, item.size);
		else if (result != 0 && result != EAR_E_TIMEOUT)
			break;
	}
}

/* With what others may have put there: the index of a file that was removed in the meantime. */
static void remove_folder(const char *folder)
{
	DIR *all = opendir(folder);
	struct dirent *entry;

	while (all && (entry = readdir(all)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(all), entry->d_name, 0);
	if (all)
		closedir(all);
	rmdir(folder);
}

void live_ring_serve(const struct live_ring_options *options, int socket)
{
	struct ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return;
	ring->options = options;
	ring->socket = socket;
	ear_decoder_init(&ring->decoder, take_nothing, ring);
	ring->decoder.run_sink = take_no_run;
	bool started = start(ring);
	ring->status.over = ring->status.failed = !started;
	answer(ring);
	if (started) {
		serve(ring);
		stop(ring);
	}
	live_session_close(ring->session);
	for (unsigned i = 0; i < 2; i++)
		close_piece(ring, &ring->pieces[i]);
	ear_decoder_fini(&ring->decoder);
	free(ring);
	remove_folder(options->folder);
}
