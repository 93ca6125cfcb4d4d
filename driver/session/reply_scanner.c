/* Finding REPLY and STOP in a stream that is otherwise left alone. Nearly every frame is dismissed
 * by one look at its last bytes, since a frame ends after such a message; only a frame that could
 * end with one is parsed. A frame that is split between two calls is put together in carry.
 */
#include "driver/session/reply_scanner.h"

#include <assert.h>
#include <earshot/error.h>
#include <string.h>

#include "common/protocol/difference.h"

void ear_reply_scanner_init(struct ear_reply_scanner *scanner)
{
	memset(scanner, 0, sizeof(*scanner));
}

void ear_reply_scanner_interrupt(struct ear_reply_scanner *scanner)
{
	scanner->carry_size = 0;
}

void ear_reply_scanner_shape(struct ear_reply_scanner *scanner, uint8_t xlen, uint8_t flen)
{
	for (unsigned i = 0; i < EAR_STREAM_IDS; i++) {
		scanner->streams[i].xlen = xlen;
		scanner->streams[i].flen = flen;
	}
}

void ear_reply_scanner_clear_stray(struct ear_reply_scanner *scanner)
{
	memset(&scanner->stray, 0, sizeof(scanner->stray));
}

void ear_reply_scanner_clear_seen(struct ear_reply_scanner *scanner)
{
	for (unsigned i = 0; i < EAR_STREAM_IDS; i++)
		scanner->streams[i].seen = false;
}

/* bytes[0 .. size-1] belong to no frame. */
static void note_stray(struct ear_reply_scanner *scanner, const uint8_t *bytes, size_t size)
{
	struct ear_stray *stray = &scanner->stray;
	size_t room = sizeof(stray->sample) - stray->sample_size;
	size_t kept = size < room ? size : room;

	stray->bytes += size;
	memcpy(stray->sample + stray->sample_size, bytes, kept);
	stray->sample_size += kept;
}

/* Could bytes[0 .. size-1] be a message of this kind and PAD messages up to the end? */
static bool could_end_with(const uint8_t *bytes, size_t size, uint8_t kind, size_t message_size)
{
	for (size_t pad = 0; pad < EAR_FRAME_ALIGN && message_size + pad <= size; pad++) {
		if (bytes[size - message_size - pad] == kind)
			return true;
		if (bytes[size - 1 - pad] != EAR_MSG_PAD)
			return false;
	}
	return false;
}

/* Take the shape of its unit from a frame that begins with a UNIT message. */
static void note_shape(struct ear_reply_scanner *scanner, const struct ear_frame *frame)
{
	struct ear_message message;

	if (frame->payload[0] == EAR_MSG_UNIT &&
		ear_message_parse(&message, frame->payload, frame->payload_size) > 0) {
		scanner->streams[frame->stream_id].xlen = message.u.unit.xlen;
		scanner->streams[frame->stream_id].flen = message.u.unit.flen;
	}
}

/* The size of any message, negative if it cannot be parsed. *message is set unless the message is a
 * record of predict mode.
 */
static int parse(const struct ear_reply_scanner *scanner, struct ear_message *message,
	const uint8_t *bytes, size_t size)
{
	struct ear_record_message record;

	message->kind = EAR_MSG_PAD;
	if (!ear_message_is_difference(bytes[0]))
		return ear_message_parse(message, bytes, size);
	const uint8_t xlen = scanner->streams[scanner->stream].xlen;
	if (xlen == 0)
		return EAR_E_BAD_MESSAGE;
	return ear_record_message_parse(
		&record, bytes, size, xlen, scanner->streams[scanner->stream].flen);
}

/* Find the REPLY or STOP that ends this frame. What looks like one at the end may be the inside of
 * a record, so such a frame is parsed from its beginning.
 */
static bool find_message(struct ear_reply_scanner *scanner, struct ear_message *message,
	const struct ear_frame *frame)
{
	const uint8_t *payload = frame->payload;
	size_t size = frame->payload_size;

	scanner->stray.frames++;
	scanner->stream = frame->stream_id;
	scanner->streams[frame->stream_id].seen = true;
	note_shape(scanner, frame);
	if (!could_end_with(payload, size, EAR_MSG_REPLY, EAR_MSG_SIZE_REPLY) &&
		!could_end_with(payload, size, EAR_MSG_STOP, EAR_MSG_SIZE_STOP))
		return false;

	for (size_t offset = 0; offset < size;) {
		int used = parse(scanner, message, payload + offset, size - offset);

		if (used < 0)
			return false;
		if (message->kind == EAR_MSG_REPLY || message->kind == EAR_MSG_STOP)
			return true;
		offset += (size_t)used;
	}
	return false;
}

static void note_foreign(struct ear_reply_scanner *scanner, const uint8_t *frame)
{
	scanner->foreign_frames++;
	scanner->foreign_major = frame[2];
}

/* One step with the beginning of a frame in carry. Returns the bytes used. */
static size_t step_carry(struct ear_reply_scanner *scanner, struct ear_message *message,
	bool *found, const uint8_t *bytes, size_t size)
{
	struct ear_frame frame;
	size_t old = scanner->carry_size;
	size_t more = size < EAR_FRAME_SIZE_MAX - old ? size : EAR_FRAME_SIZE_MAX - old;
	size_t done;

	memcpy(scanner->carry + old, bytes, more);
	int result = ear_frame_parse(&frame, scanner->carry, old + more);
	if (result == EAR_E_MORE) {
		assert(more == size); /* no frame is longer than carry */
		scanner->carry_size = old + more;
		return more;
	}
	if (result > 0) {
		*found = find_message(scanner, message, &frame);
		done = (size_t)result;
	} else {
		/* No frame begins there: continue at the next byte where one could. */
		if (result == EAR_E_VERSION)
			note_foreign(scanner, scanner->carry);
		done = 1 + ear_frame_find(scanner->carry + 1, old - 1);
		note_stray(scanner, scanner->carry, done);
	}

	/* What looked like one long frame may have hidden short ones, so done can lie before the
	 * end of the old bytes. */
	if (done >= old) {
		scanner->carry_size = 0;
		return done - old;
	}
	memmove(scanner->carry, scanner->carry + done, old - done);
	scanner->carry_size = old - done;
	return 0;
}

/* One step with no frame begun. Returns the bytes used. */
static size_t step(struct ear_reply_scanner *scanner, struct ear_message *message, bool *found,
	const uint8_t *bytes, size_t size)
{
	struct ear_frame frame;
	int result = ear_frame_parse(&frame, bytes, size);

	if (result > 0) {
		*found = find_message(scanner, message, &frame);
		return (size_t)result;
	}
	if (result == EAR_E_MORE) {
		assert(size < EAR_FRAME_SIZE_MAX);
		memcpy(scanner->carry, bytes, size);
		scanner->carry_size = size;
		return size;
	}
	if (result == EAR_E_VERSION)
		note_foreign(scanner, bytes);
	size_t skipped = 1 + ear_frame_find(bytes + 1, size - 1);
	note_stray(scanner, bytes, skipped);
	return skipped;
}

int ear_reply_scanner_next(struct ear_reply_scanner *scanner, size_t *used,
	struct ear_message *message, const uint8_t *bytes, size_t size)
{
	size_t offset = 0;
	bool found = false;

	while (offset < size && !found) {
		if (scanner->carry_size > 0)
			offset +=
				step_carry(scanner, message, &found, bytes + offset, size - offset);
		else
			offset += step(scanner, message, &found, bytes + offset, size - offset);
	}
	*used = offset;
	return found;
}
