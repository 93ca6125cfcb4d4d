/* The view's end: messages of the pipe go through a decoder of its own. A gap that only the view
 * has is a gap of its decoder, after which calls begin anew; what the capture lost is said by the
 * capture.
 */
#include "cli/live/live_top_feed.h"

#include <earshot/error.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/progress.h"
#include "cli/input/trace_input.h"
#include "cli/top/top_run.h"
#include "common/array.h"
#include "decoder/codec/decoder_state.h"

#define LOOK_MS     50
#define MESSAGE_MAX (64u << 20)

struct feed {
	int from;
	struct ear_decoder decoder;
	struct ear_expanded_record expanded;
	uint8_t *bytes; /* not decoded so far: at .. size - 1 */
	size_t at, size, room;
	uint8_t *state;
	size_t state_room;
	bool final;
	_Atomic bool stop;
	uint64_t position, number;
};

/* ---- The pipe. ---- */

/* Returns 1; 0 if the other side has closed, or it was cancelled; or an error. */
static int read_all(struct feed *feed, void *bytes, size_t size)
{
	struct pollfd in = {.fd = feed->from, .events = POLLIN};
	uint8_t *at = bytes;

	while (size > 0) {
		if (atomic_load(&feed->stop))
			return 0;
		if (poll(&in, 1, LOOK_MS) == 0)
			continue;
		const ssize_t got = read(feed->from, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		if (got == 0)
			return 0;
		at += got;
		size -= (size_t)got;
	}
	return 1;
}

static int take_bytes(struct feed *feed, size_t size)
{
	if (feed->at > 0)
		memmove(feed->bytes, feed->bytes + feed->at, feed->size - feed->at);
	feed->size -= feed->at;
	feed->at = 0;
	if (!EAR_ARRAY_RESERVE(feed->bytes, &feed->room, feed->size + size))
		return EAR_E_NO_MEMORY;
	const int result = read_all(feed, feed->bytes + feed->size, size);
	if (result == 1)
		feed->size += size;
	return result;
}

static int take_state(struct feed *feed, const struct live_top_message *message)
{
	if (!EAR_ARRAY_RESERVE(feed->state, &feed->state_room, message->size))
		return EAR_E_NO_MEMORY;
	const int result = read_all(feed, feed->state, message->size);
	if (result != 1)
		return result;
	feed->at = feed->size = 0;
	ear_decoder_host_loss(&feed->decoder, message->skipped);
	const int loaded = ear_decoder_load(&feed->decoder, feed->state, message->size);
	return loaded ? loaded : 1;
}

/* The next message. Returns 1, 0 at the end, or an error. */
static int take_message(struct feed *feed)
{
	struct live_top_message message;
	const int result = read_all(feed, &message, sizeof(message));

	if (result != 1)
		return result;
	if (message.size > MESSAGE_MAX)
		return EAR_E_BAD_FILE;
	switch (message.kind) {
	case LIVE_TOP_BYTES: return take_bytes(feed, message.size);
	case LIVE_TOP_STATE: return take_state(feed, &message);
	case LIVE_TOP_END:
		feed->final = true;
		feed->decoder.end_meant = message.skipped != 0;
		return 1;
	default: return EAR_E_BAD_FILE;
	}
}

/* ---- Records. ---- */

static void fill_batch(struct feed *feed, struct ear_batch *batch)
{
	if (batch->run)
		ear_compact_run_begin(&feed->expanded, batch->run);
	batch->count = batch->run ? batch->run->count : 1;
	batch->expanded = &feed->expanded;
	batch->position = feed->position;
	batch->number = feed->number;
	feed->position += batch->count;
	if (batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION)
		feed->number += batch->count;
}

/* top_next. */
static int next(void *context, struct ear_batch *batch)
{
	struct feed *feed = context;

	for (;;) {
		size_t used;
		batch->run = NULL;
		batch->compacts = NULL;
		batch->record = NULL;
		int result = ear_decoder_next_run(&feed->decoder, &batch->run, &batch->compacts,
			&batch->record, &used, feed->size > 0 ? feed->bytes + feed->at : NULL,
			feed->size - feed->at, feed->final);
		feed->at += used;
		if (result == 1) {
			if (batch->run)
				batch->record = NULL;
			fill_batch(feed, batch);
		}
		if (result != EAR_E_MORE)
			return result;
		result = take_message(feed);
		if (result != 1)
			return result;
	}
}

static bool is_live(void *context)
{
	(void)context;
	return true;
}

static void cancel(void *context)
{
	struct feed *feed = context;

	atomic_store(&feed->stop, true);
}

/* ---- The process. ---- */

static bool find_names(struct symbol_file *symbols, struct ear_names **names)
{
	*names = NULL;
	if (symbols->elf)
		*names = symbol_file_check(symbols) ? symbol_file_names(symbols) : NULL;
	else if (symbols->program[0])
		*names = symbol_file_own_names(symbols);
	return *names || !symbols->elf;
}

static bool prepare(const struct live_top_options *options, struct ear_names **names)
{
	uint64_t entries[TOP_IDLE_MAX];

	cli_catch_signals(NULL);
	cli_progress_disable();
	/* What the capture has asked for names is the capture's own, which it closes. */
	options->symbols->names = NULL;
	options->symbols->has_file = false;
	symbol_file_prepare(options->symbols);
	if (options->view->how == TOP_WEB) { /* which opens no file any more */
		if (!find_names(options->symbols, names))
			return false;
		confine_web();
		return true;
	}
	if (options->view->how == TOP_SCREEN)
		confine_screen((const char *const[]){NULL});
	else
		trace_input_confine("-", EAR_INDEX_NONE);
	return find_names(options->symbols, names) &&
	       top_find_idle(options->view, *names, entries, TOP_IDLE_MAX) >= 0;
}

static int show(const struct live_top_options *options, struct feed *feed,
	struct live_top_shared *shared, struct ear_names *names)
{
	const struct top_source source = {.name = options->device,
		.next = next,
		.context = feed,
		.is_live = is_live,
		.cancel = cancel,
		.names = names,
		.link = &shared->link,
		.quits_only_view = options->is_aside};
	bool output_failed;
	const int result = top_run(&source, options->view, &output_failed);

	if (result < 0)
		cli_error("%s: the view ended: %s", options->device, ear_error_text(result));
	return result < 0 || output_failed ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

/* Returns false if the capture has failed before. */
static bool wait_for_capture(const struct feed *feed, struct live_top_shared *shared)
{
	struct pollfd in = {.fd = feed->from, .events = POLLIN};

	while (atomic_load(&shared->phase) != LIVE_TOP_RUNS) {
		if (poll(&in, 1, LOOK_MS) > 0 && atomic_load(&shared->phase) != LIVE_TOP_RUNS)
			return false;
		if (cli_interrupted)
			return false;
	}
	return true;
}

int live_top_show(const struct live_top_options *options, int from, struct live_top_shared *shared)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	struct ear_names *names;
	int status = EAR_EXIT_FAILED;

	if (!feed) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return status;
	}
	feed->from = from;
	ear_decoder_init(&feed->decoder, NULL, NULL);
	if (prepare(options, &names)) {
		atomic_store(&shared->phase, LIVE_TOP_READY);
		status = EAR_EXIT_DONE;
		if (wait_for_capture(feed, shared))
			status = show(options, feed, shared, names);
	}
	symbol_file_close(options->symbols);
	ear_decoder_fini(&feed->decoder);
	free(feed->bytes);
	free(feed->state);
	free(feed);
	return status;
}
