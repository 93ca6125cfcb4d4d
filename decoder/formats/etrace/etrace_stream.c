/* The way of a packet: bytes, CoreSight's frames if there are any, the frame of the packet, the
 * decoder of its source.
 *
 * Where a packet begins is known from the one before it. After bytes that are no frame, and in a
 * buffer that begins anywhere, the reader looks for a row of zeros that no packet has inside.
 */
#include "decoder/formats/etrace/etrace_stream.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/etrace/etrace_decoder.h"

#define DATA_SIZE (EAR_ETRACE_FRAME_MAX + EAR_ATB_FRAME_SIZE)

struct ear_etrace_stream {
	const struct ear_etrace_unit *unit;
	const struct ear_flow_code *code;
	struct ear_etrace_decoder *sources[EAR_ETRACE_SOURCES_MAX];
	uint32_t source_count;
	uint32_t busy, busy_end; /* sources with work or records */

	bool aligned;   /* a frame begins at the next byte */
	uint32_t zeros; /* not aligned: so many bytes before were 0 */
	bool numbered;  /* Espressif: the packets so far had numbers up to this one */
	uint16_t number;
	bool started;
	const char *fault;

	/* Bytes lost before there was a source. */
	bool has_loss;
	uint64_t loss_offset, loss_bytes;

	/* Of CoreSight's frames: bytes that are not yet a whole frame of a packet. */
	struct ear_atb atb;
	uint32_t data_size;
	uint8_t data[DATA_SIZE];
};

int ear_etrace_stream_new(struct ear_etrace_stream **stream, const struct ear_etrace_unit *unit,
	const struct ear_flow_code *code)
{
	struct ear_etrace_stream *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->unit = unit;
	made->code = code;
	made->aligned = !unit->ring.wrapped;
	*stream = made;
	return 0;
}

void ear_etrace_stream_free(struct ear_etrace_stream *stream)
{
	for (uint32_t i = 0; stream && i < stream->source_count; i++) {
		ear_etrace_decoder_fini(stream->sources[i]);
		free(stream->sources[i]);
	}
	free(stream);
}

/* --- Sources --- */

static int add_source(struct ear_etrace_stream *stream, uint16_t hart)
{
	if (stream->source_count == EAR_ETRACE_SOURCES_MAX)
		return EAR_E_FULL;
	struct ear_etrace_decoder *decoder = malloc(sizeof(*decoder));
	if (!decoder || ear_etrace_decoder_init(
				decoder, stream->unit, stream->code, hart, stream->unit->xlen)) {
		free(decoder);
		return EAR_E_NO_MEMORY;
	}
	stream->sources[stream->source_count++] = decoder;
	return 0;
}

/* Find the decoder of a hart, or make one. Returns 0, EAR_E_NO_MEMORY or EAR_E_FULL. */
static int find_source(struct ear_etrace_stream *stream, uint16_t hart, uint32_t *at)
{
	for (*at = 0; *at < stream->source_count; ++*at)
		if (stream->sources[*at]->hart.hart == hart)
			return 0;
	int result = add_source(stream, hart);
	if (result == 0 && stream->has_loss) { /* a ring that wrapped begins with such */
		ear_etrace_decoder_lose(stream->sources[*at],
			stream->unit->ring.wrapped ? EAR_GAP_NO_START : EAR_GAP_DAMAGE,
			stream->loss_offset, stream->loss_bytes);
		while (ear_etrace_decoder_work(stream->sources[*at]))
			;
	}
	return result;
}

static void set_busy(struct ear_etrace_stream *stream, uint32_t first, uint32_t count)
{
	stream->busy = first;
	stream->busy_end = first + count;
}

/* Of a source not known. */
static void lose(struct ear_etrace_stream *stream, enum ear_gap_reason reason, uint64_t offset,
	uint64_t bytes, const char *fault)
{
	if (fault)
		stream->fault = fault;
	for (uint32_t i = 0; i < stream->source_count; i++)
		ear_etrace_decoder_lose(stream->sources[i], reason, offset, bytes);
	set_busy(stream, 0, stream->source_count);
	if (stream->source_count > 0)
		return;
	if (!stream->has_loss)
		stream->loss_offset = offset;
	stream->has_loss = true;
	stream->loss_bytes += bytes;
}

/* --- Frames --- */

/* Skip to where a frame certainly begins. Returns the bytes taken. */
static int align(
	struct ear_etrace_stream *stream, const uint8_t *bytes, size_t size, uint64_t offset)
{
	const bool esp = ear_etrace_unit_is_esp(stream->unit);
	const unsigned wanted = esp ? EAR_ESP_ANCHOR_ZEROS : ear_etrace_null_max(stream->unit) + 1;
	const uint8_t mask = esp ? 0xFF : 0x1F;
	size_t at = 0;

	for (; at < size && !stream->aligned; at++) {
		if ((bytes[at] & mask) == 0) {
			stream->zeros++;
		} else if (stream->zeros >= wanted) {
			stream->aligned = true;
			break;
		} else {
			stream->zeros = 0;
		}
	}
	if (stream->aligned)
		stream->zeros = 0;
	if (at > 0)
		lose(stream, EAR_GAP_DAMAGE, offset, at, NULL);
	return (int)at;
}

/* Espressif counts its packets. Returns false if some are missing: once. */
static bool check_number(
	struct ear_etrace_stream *stream, const struct ear_etrace_frame *frame, uint64_t offset)
{
	bool good = !stream->numbered || frame->source == (uint16_t)(stream->number + 1u);

	stream->numbered = true;
	stream->number = (uint16_t)(frame->source - !good);
	if (!good)
		lose(stream, EAR_GAP_MISSING_FRAME, offset, 0,
			"the numbers of packets jump: packets are missing");
	return good;
}

static int push(struct ear_etrace_stream *stream, const struct ear_etrace_frame *frame,
	uint64_t offset, unsigned bytes)
{
	const bool esp = ear_etrace_unit_is_esp(stream->unit);
	struct ear_etrace_packet packet;
	uint32_t at;

	int result = find_source(stream, (uint16_t)(esp ? stream->unit->hart : frame->source), &at);
	if (result)
		return result;
	struct ear_etrace_decoder *decoder = stream->sources[at];
	if (esp)
		result = ear_esp_packet_parse(&packet, stream->unit, frame->bytes, frame->size);
	else if (stream->unit->framing == EAR_ETRACE_PULP)
		result = ear_pulp_packet_parse(&packet, frame->bytes, frame->size);
	else
		result = ear_etrace_packet_parse(&packet, stream->unit,
			decoder->options & EAR_ETRACE_IMPLICIT_EXCEPTION, frame->bytes, frame->size,
			frame->first);
	if (result) {
		ear_etrace_decoder_lose(decoder, EAR_GAP_BAD_MESSAGE, offset, bytes);
		stream->fault = "the bytes are no packet of such a unit";
	} else {
		ear_etrace_decoder_push(
			decoder, &packet, offset, bytes, frame->has_time ? &frame->time : NULL);
	}
	set_busy(stream, at, 1);
	return 0;
}

/* Take a frame from bytes without CoreSight's. */
static int take(struct ear_etrace_stream *stream, const uint8_t *bytes, size_t size,
	uint64_t offset, bool end)
{
	struct ear_etrace_frame frame;

	if (!stream->aligned)
		return align(stream, bytes, size, offset);
	int taken = ear_etrace_frame_parse(&frame, stream->unit, bytes, size);
	if (taken == EAR_E_MORE && !end)
		return 0;
	if (taken == EAR_E_MORE) {
		lose(stream, EAR_GAP_CUT, offset, size, "the trace ends inside of a packet");
		return (int)size;
	}
	if (taken < 0) {
		stream->aligned = stream->unit->framing == EAR_ETRACE_SMI ||
				  stream->unit->framing == EAR_ETRACE_PULP;
		lose(stream, EAR_GAP_DAMAGE, offset, 1, "no packet begins here");
		stream->numbered = false;
		return 1;
	}
	if (frame.kind != EAR_ETRACE_FRAME_PACKET)
		return taken;
	/* What was lost comes first. */
	if (ear_etrace_unit_is_esp(stream->unit) && !check_number(stream, &frame, offset))
		return 0;
	int result = push(stream, &frame, offset, (unsigned)taken);
	return result ? result : taken;
}

static bool is_busy(const struct ear_etrace_stream *stream)
{
	return stream->busy < stream->busy_end;
}

/* Take frames of CoreSight, and packets out of them. */
static int take_atb(struct ear_etrace_stream *stream, const uint8_t *bytes, size_t size,
	uint64_t offset, bool end)
{
	const bool last = end && size < EAR_ATB_FRAME_SIZE;

	while (stream->data_size > 0) {
		int taken = take(stream, stream->data, stream->data_size, offset, last);
		if (taken < 0)
			return taken;
		stream->data_size -= (uint32_t)taken;
		memmove(stream->data, stream->data + taken, stream->data_size);
		if (is_busy(stream))
			return 0;
		if (taken == 0)
			break;
	}
	if (size < EAR_ATB_FRAME_SIZE)
		return end ? (int)size : 0;
	stream->data_size += ear_atb_take(&stream->atb, (uint8_t)stream->unit->atb_id, bytes,
		stream->data + stream->data_size);
	return EAR_ATB_FRAME_SIZE;
}

int ear_etrace_stream_take(struct ear_etrace_stream *stream, const uint8_t *bytes, size_t size,
	uint64_t offset, bool end)
{
	if (stream->unit->atb_id > 0)
		return take_atb(stream, bytes, size, offset, end);
	return size > 0 ? take(stream, bytes, size, offset, end) : 0;
}

int ear_etrace_stream_end(struct ear_etrace_stream *stream, uint64_t offset)
{
	uint32_t at;

	if (stream->source_count == 0 && stream->has_loss) {
		int result = find_source(stream, (uint16_t)stream->unit->hart, &at);
		if (result)
			return result;
	}
	for (at = 0; at < stream->source_count; at++)
		ear_etrace_decoder_end(stream->sources[at], offset);
	set_busy(stream, 0, stream->source_count);
	return 0;
}

/* Nothing is left of the run: decode some more, or turn to the next source. */
static void work(struct ear_etrace_stream *stream, struct ear_etrace_decoder *decoder)
{
	bool more = ear_etrace_decoder_work(decoder);

	stream->started |= decoder->started;
	if (decoder->fault)
		stream->fault = decoder->fault;
	decoder->fault = NULL;
	if (!more && ear_flow_run_is_empty(&decoder->run))
		stream->busy++;
}

int ear_etrace_stream_next(struct ear_etrace_stream *stream, const struct ear_record **record)
{
	while (is_busy(stream)) {
		struct ear_etrace_decoder *decoder = stream->sources[stream->busy];
		if (ear_flow_run_next(&decoder->run, record))
			return 1;
		work(stream, decoder);
	}
	return 0;
}

int ear_etrace_stream_next_run(struct ear_etrace_stream *stream, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record)
{
	while (is_busy(stream)) {
		struct ear_etrace_decoder *decoder = stream->sources[stream->busy];
		*compacts = decoder->run.compacts;
		if (ear_flow_run_take(&decoder->run, run, record))
			return 1;
		work(stream, decoder);
	}
	return 0;
}

const char *ear_etrace_stream_fault(struct ear_etrace_stream *stream)
{
	const char *fault = stream->fault;

	stream->fault = NULL;
	return fault;
}

bool ear_etrace_stream_started(const struct ear_etrace_stream *stream)
{
	return stream->started;
}

/* --- State --- */

/* The last record of a run that was handed out is still in it. */
bool ear_etrace_stream_is_settled(const struct ear_etrace_stream *stream)
{
	for (uint32_t i = stream->busy; i < stream->busy_end; i++) {
		const struct ear_etrace_decoder *decoder = stream->sources[i];
		if (decoder->todo || decoder->run.has_record ||
			decoder->run.given < decoder->run.run.count)
			return false;
	}
	return stream->data_size == 0;
}

int ear_etrace_stream_walk(struct ear_etrace_stream *stream, struct ear_state_walk *walk)
{
	uint32_t count =
		(uint32_t)ear_state_value(walk, stream->source_count, 4, EAR_ETRACE_SOURCES_MAX);

	for (uint32_t i = 0; i < count && !walk->bad; i++) {
		uint16_t hart = i < stream->source_count ? stream->sources[i]->hart.hart : 0;
		ear_state_u16(walk, &hart, UINT16_MAX);
		if (walk->loading && !walk->bad) {
			int result = add_source(stream, hart);
			if (result)
				return result;
		}
		if (!walk->bad)
			ear_etrace_decoder_walk(stream->sources[i], walk);
	}
	ear_state_bool(walk, &stream->aligned);
	ear_state_u32(walk, &stream->zeros);
	ear_state_bool(walk, &stream->numbered);
	ear_state_u16(walk, &stream->number, UINT16_MAX);
	ear_state_bool(walk, &stream->started);
	ear_state_bool(walk, &stream->has_loss);
	ear_state_u64(walk, &stream->loss_offset, UINT64_MAX);
	ear_state_u64(walk, &stream->loss_bytes, UINT64_MAX);
	ear_state_u8(walk, &stream->atb.id, 127);
	return 0;
}
