#ifndef EAR_LIVE_TOP_H
#define EAR_LIVE_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/live/live_top_feed.h"
#include "decoder/codec/decoder.h"
#include "driver/session/session.h"

/* A live view of a capture that runs: a process of its own shows it, so that nothing that it does
 * can stop or change the capture.
 *
 *   live_top_start    before the device is opened; the view is there, its names are read
 *   live_top_bytes    what was decoded
 *   live_top_status   now and then
 *   live_top_finish   the capture is over
 *
 * The capture never waits. Bytes go through a queue in memory; what does not fit is skipped by the
 * view alone, and counted. When the queue is empty again the view gets the decoder's state, and
 * continues from there (decoder/codec/decoder_state.h).
 */
struct live_top;

/* Of the virtual board it is known which program runs: what the names of a view are of. */
void live_top_find_program(const char *device, struct symbol_file *symbols);

/* Returns false after printing why not. */
bool live_top_start(struct live_top **top, const struct live_top_options *options);

/* decoder has decoded these bytes, which end at the end of a frame. */
void live_top_bytes(
	struct live_top *top, const struct ear_decoder *decoder, const uint8_t *bytes, size_t size);

/* Numbers for the view; and what waits in the queue is sent. */
void live_top_status(struct live_top *top, const struct ear_decoder *decoder,
	const struct ear_session_statistics *statistics);

/* Is somebody there who looks? */
bool live_top_is_there(const struct live_top *top);

/* The capture is over, and its files are closed: hand over what is left, and wait until the view
 * has ended. leave: at once. Frees it; NULL is fine. Returns false if the view failed. */
bool live_top_finish(struct live_top *top, bool end_meant, bool leave);

#endif
