/* What a capture does for its live view, for a server that decodes nothing itself: the same calls
 * of live_top.h, with what the tap says instead of a session's numbers.
 */
#include "cli/live/server_view.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/live/live_top.h"
#include "common/array.h"
#include "decoder/codec/decoder.h"

struct server_view {
	struct live_top *top;
	struct ear_server_tap tap;
	struct ear_decoder decoder;
	struct ear_session_statistics statistics;
	uint8_t *bytes; /* not decoded so far: the beginning of a frame */
	size_t size, room;
	bool failed, left;
};

static int take_record(void *context, const struct ear_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

static int decode(struct server_view *view)
{
	size_t at = 0, used;
	int result;

	do {
		result = ear_decoder_push(
			&view->decoder, &used, view->bytes + at, view->size - at, false);
		live_top_bytes(view->top, &view->decoder, view->bytes + at, used);
		at += used;
	} while (result == 0 && used > 0 && at < view->size);
	view->size -= at;
	memmove(view->bytes, view->bytes + at, view->size);
	return result;
}

static int append(struct server_view *view, const uint8_t *bytes, size_t size, uint64_t skipped)
{
	if (skipped > 0) {
		ear_decoder_host_loss(&view->decoder, skipped + view->size);
		view->statistics.dropped += skipped + view->size;
		view->size = 0;
	}
	if (size == 0)
		return 0;
	if (!EAR_ARRAY_RESERVE(view->bytes, &view->room, view->size + size))
		return EAR_E_NO_MEMORY;
	memcpy(view->bytes + view->size, bytes, size);
	view->size += size;
	return decode(view);
}

/* Of struct ear_server_tap: its thread. */
static void take_bytes(void *context, const uint8_t *bytes, size_t size, uint64_t skipped,
	const struct ear_server_tap_status *status)
{
	struct server_view *view = context;
	struct ear_session_statistics *statistics = &view->statistics;

	if (view->failed || view->left)
		return;
	const int result = append(view, bytes, size, skipped);
	statistics->received = status->received;
	statistics->ring_size = status->ring_size;
	statistics->ring_fill = status->lag;
	if (status->lag > statistics->ring_fill_max)
		statistics->ring_fill_max = status->lag;
	live_top_status(view->top, &view->decoder, statistics);
	if (result) {
		cli_error("--web: the view ends: %s", ear_error_text(result));
		view->failed = true;
	} else if (!live_top_is_there(view->top) && !cli_interrupted) {
		cli_error("--web: the view has ended; the device is served as before");
		view->left = true;
	}
}

bool server_view_start(struct server_view **view_out, const struct live_top_options *options)
{
	struct server_view *view = calloc(1, sizeof(*view));

	*view_out = NULL;
	if (!view) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	if (!live_top_start(&view->top, options)) {
		free(view);
		return false;
	}
	view->tap = (struct ear_server_tap){take_bytes, view};
	ear_decoder_init(&view->decoder, take_record, view);
	*view_out = view;
	return true;
}

const struct ear_server_tap *server_view_tap(const struct server_view *view)
{
	return &view->tap;
}

bool server_view_finish(struct server_view *view)
{
	if (!view)
		return true;
	const bool good = live_top_finish(view->top, true, true) && !view->failed;
	ear_decoder_fini(&view->decoder);
	free(view->bytes);
	free(view);
	return good;
}
