/* Bytes to frames, and back into step after damage.
 *
 * Only whole, valid frames are trusted. After bytes that are no frame the search continues one byte
 * further, because the length of a frame may be what is damaged: no valid frame is ever skipped.
 */
#include "decoder/codec/stream.h"

#include <earshot/error.h>
#include <string.h>

void ear_stream_init(struct ear_stream *stream)
{
	memset(stream, 0, sizeof(*stream));
}

static int take_frame(struct ear_stream *stream, struct ear_stream_item *item,
	const struct ear_frame *frame, int size)
{
	uint8_t id = frame->stream_id;

	item->kind = EAR_STREAM_FRAME;
	item->offset = stream->offset;
	item->frame = *frame;
	item->missing_frames = 0;
	if (stream->sequence_known[id])
		item->missing_frames = (uint16_t)(frame->sequence - stream->next_sequence[id]);

	stream->sequence_known[id] = true;
	stream->next_sequence[id] = (uint16_t)(frame->sequence + 1);
	stream->offset += (uint64_t)size;
	return size;
}

void ear_stream_skip_frame(struct ear_stream *stream, const struct ear_stream_item *item)
{
	stream->next_sequence[item->frame.stream_id] =
		(uint16_t)(item->frame.sequence - item->missing_frames);
}

static int take_skipped(
	struct ear_stream *stream, struct ear_stream_item *item, size_t size, bool cut)
{
	item->kind = EAR_STREAM_SKIPPED;
	item->offset = stream->offset;
	item->skipped_bytes = size;
	item->cut = cut;
	stream->offset += size;
	return (int)size;
}

/* Each skipped run is reported with the bytes at hand, so the caller never keeps more than one
 * frame.
 *
 * A possible beginning of a frame is kept until the frame is whole or wrong. At the end of the data
 * it is neither: then it is skipped as a run of its own, so that the result does not depend on how
 * the bytes were divided between calls.
 */
int ear_stream_next(struct ear_stream *stream, struct ear_stream_item *item, const uint8_t *bytes,
	size_t size, bool final)
{
	struct ear_frame frame;
	size_t skipped = 0;
	bool cut = false; /* the run begins with a possible frame */

	item->unknown_version = false;
	while (skipped < size) {
		int used = ear_frame_parse(&frame, bytes + skipped, size - skipped);
		if (used > 0 && skipped == 0)
			return take_frame(stream, item, &frame, used);
		if (used > 0 || (used == EAR_E_MORE && !(final && (cut || skipped == 0))))
			break;
		cut |= used == EAR_E_MORE;
		item->unknown_version |= used == EAR_E_VERSION;
		skipped++;
		skipped += ear_frame_find(bytes + skipped, size - skipped);
	}
	if (skipped == 0)
		return EAR_E_MORE;
	return take_skipped(stream, item, skipped, cut && skipped == size);
}
