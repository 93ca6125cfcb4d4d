/* A capture while it runs: the session's bytes go through the decoder to the outputs, or to the
 * flight recorder. Bytes are decoded as they arrive, because only the decoder knows where frames
 * and records end: limits, states and text depend on it. Everything is done by one thread, in steps
 * that are short enough for a limit to be exact and for the files to be readable each second.
 */
#include "cli/live/live_capture.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/live/live_summary.h"
#include "cli/show/metadata.h"
#include "decoder/codec/decoder_state.h"

#define FLUSH_SECONDS  1.0 /* docs/file-format.md, section 2 */
#define RESYNC_SECONDS 0.5
#define STEP_SIZE      (2 * (size_t)EAR_FRAME_SIZE_MAX) /* holds a whole frame, wherever it begins */

static void reach_limit(struct live_capture *live)
{
	if (live->limited)
		return;
	live->limited = true;
	ear_session_stop(live->session);
}

static void check_limits(struct live_capture *live)
{
	const struct ear_decoder_statistics *statistics = &live->decoder.statistics;

	if (statistics->records >= live->limit_records || statistics->bytes >= live->limit_bytes ||
		(live->limit_seconds > 0 && cli_seconds() - live->begin >= live->limit_seconds))
		reach_limit(live);
}

/* Must the host enforce a limit itself? */
static bool has_limit(const struct live_capture *live)
{
	return live->limit_records != UINT64_MAX || live->limit_bytes != UINT64_MAX;
}

/* Decode bytes[0 .. size-1] and give them to the outputs. As ear_decoder_push. */
static int push_out(
	struct live_capture *live, size_t *used, const uint8_t *bytes, size_t size, bool final)
{
	if (live->flight.size)
		return flight_push(&live->flight, &live->decoder, used, bytes, size, final);
	int result = ear_decoder_push(&live->decoder, used, bytes, size, final);

	outputs_bytes(&live->outputs, bytes, *used);
	if (result == 0)
		outputs_decoded(&live->outputs, &live->decoder);
	return result;
}

/* The same, and to the live view. */
static int push(
	struct live_capture *live, size_t *used, const uint8_t *bytes, size_t size, bool final)
{
	const int result = push_out(live, used, bytes, size, final);

	if (live->top)
		live_top_bytes(live->top, &live->decoder, bytes, *used);
	return result;
}

/* Numbers for the live view. */
static void show_status(struct live_capture *live)
{
	struct ear_session_statistics statistics;

	if (!live->top)
		return;
	ear_session_statistics(live->session, &statistics);
	live_top_status(live->top, &live->decoder, &statistics);
}

/* Once a second, make readable what was received: docs/file-format.md, section 2. */
static void flush(struct live_capture *live)
{
	double now = cli_seconds();

	if (now - live->last_flush < FLUSH_SECONDS)
		return;
	live->last_flush = now;
	outputs_flush(&live->outputs);
	if (live->outputs.sync)
		outputs_sync(&live->outputs);
	if (live->flight.size)
		flight_flush(&live->flight, live->outputs.sync);
}

/* Decode what is in the window; the beginning of a frame at its end stays there. Take only a
 * frame or two at a time if a limit or a state may be due: they may hold millions of records.
 */
static int decode_window(struct live_capture *live, bool final)
{
	size_t done = 0, used = 0;
	int result;

	do {
		size_t rest = live->window_size - done;
		size_t step =
			has_limit(live) ? STEP_SIZE : outputs_step(&live->outputs, &live->decoder);
		size_t size = rest > step ? step : rest;

		result = push(live, &used, live->window + done, size, final && size == rest);
		done += used;
		check_limits(live);
		flush(live);
	} while (result == 0 && used > 0 && done < live->window_size && !live_is_over(live));

	live->window_size = live_is_over(live) ? 0 : live->window_size - done;
	memmove(live->window, live->window + done, live->window_size);
	return result;
}

static int take_bytes(struct live_capture *live, const struct ear_session_item *item)
{
	size_t room = sizeof(live->window) - live->window_size;
	size_t size = item->size < room ? item->size : room;

	if (!live_is_over(live)) {
		memcpy(live->window + live->window_size, item->bytes, size);
		live->window_size += size;
	}
	ear_session_consume(live->session, size);
	return decode_window(live, false);
}

static void take_loss(struct live_capture *live, const struct ear_session_item *item)
{
	ear_decoder_host_loss(&live->decoder, item->loss_size);
	if (live->flight.size)
		flight_loss(&live->flight, item->loss_size);
	else
		outputs_loss(&live->outputs, item->loss_size);
}

/* Damage that only the decoder detects. */
static void ask_for_sync(struct live_capture *live, double now)
{
	if (!ear_decoder_is_lost(&live->decoder) || now - live->last_resync < RESYNC_SECONDS)
		return;
	live->last_resync = now;
	ear_session_resync(live->session);
}

/* Between two steps: limits, files, the progress line. */
static void do_housekeeping(struct live_capture *live)
{
	double now = cli_seconds();

	check_limits(live);
	ask_for_sync(live, now);
	flush(live);
	show_status(live);
	if (cli_progress_due(&live->last_progress))
		live_show_progress(live);
}

/* Until the end of the capture. Returns the end, or NULL after printing an error. */
static const struct ear_session_end *take_stream(struct live_capture *live)
{
	struct ear_session_item item;
	int result = 0;

	while (result == 0) {
		if (live_writes_nothing(live) || live->flight.failed)
			reach_limit(live);
		if (live->flight.phase == FLIGHT_DONE)
			ear_session_stop(live->session);
		do_housekeeping(live);
		result = ear_session_next(live->session, &item, 100);
		if (result == EAR_E_TIMEOUT) {
			result = 0;
			continue;
		}
		if (result)
			break;
		switch (item.kind) {
		case EAR_SESSION_BYTES: result = take_bytes(live, &item); break;
		case EAR_SESSION_LOSS: take_loss(live, &item); break;
		case EAR_SESSION_END:
			/* What is left is no whole frame: reported as damage, and kept unchanged.
			 */
			live->decoder.end_meant =
				live->limited || live->flight.seen || cli_interrupted;
			live->flight.kept.end_meant = live->decoder.end_meant;
			return decode_window(live, true) ? NULL : item.end;
		}
	}
	cli_error("%s: %s", live->device, ear_error_text(result));
	return NULL;
}

static void close_outputs(struct live_capture *live)
{
	struct metadata *metadata = malloc(sizeof(*metadata));
	const struct ear_decoder_statistics *statistics =
		live->flight.size ? &live->flight.kept.statistics : &live->decoder.statistics;

	if (metadata) {
		metadata_init(metadata);
		metadata_add_time(metadata, "ended");
		metadata_add(metadata, "end_reason", "%s", live->end_reason);
		metadata_add(metadata, "wire_bytes", "%" PRIu64, statistics->bytes);
		metadata_add(metadata, "host_lost_bytes", "%" PRIu64, statistics->host_lost_bytes);
		if (live->flight.size)
			flight_add_metadata(&live->flight, metadata);
	}
	outputs_close(&live->outputs, metadata ? metadata->text : "");
	free(metadata);
}

/* The files are closed, so nothing waits for the view. */
static void end_view(struct live_capture *live, bool at_once)
{
	live->top_failed = !live_top_finish(live->top, live->decoder.end_meant, at_once);
	live->top = NULL;
}

static bool start(struct live_capture *live)
{
	if (!ear_session_controllable(live->session) ||
		ear_session_start(live->session, &live->config) == 0)
		return true;
	cli_error("%s", ear_session_message(live->session));
	return false;
}

int live_capture_run(struct live_capture *live)
{
	if (!start(live)) {
		live->end_reason = "failed";
		close_outputs(live);
		end_view(live, true);
		return EAR_EXIT_FAILED;
	}
	live->decoder.with_operands = flight_wants_operands(&live->flight);
	live->decoder.with_reads = live->decoder.with_operands ||
				   (outputs_want_reads(&live->outputs) && !live->flight.size);
	live->begin = cli_seconds();
	live->last_flush = live->begin;
	live->last_progress = live->begin;
	ear_session_statistics(live->session, &live->before);

	const struct ear_session_end *end = take_stream(live);
	cli_progress_clear();
	if (live->flight.size)
		flight_finish(&live->flight);
	live->end_reason = live_end_phrase(live, end);
	close_outputs(live);
	show_status(live);
	end_view(live, cli_interrupted);
	if (!live->quiet)
		live_print_summary(live);
	if (ear_session_record_status(live->session) != 0) {
		cli_error("%s", ear_session_message(live->session));
		live->outputs.failed = true;
	}
	return live_judge(live, end);
}
