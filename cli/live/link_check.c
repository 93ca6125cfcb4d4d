/* The stream of a link test against what the unit must have sent. A TEST message can be made again
 * from its number, so everything between two good frames is known: bytes of the right count are
 * the missing frames with changed bits, which are counted; of another count, bytes were lost or
 * came twice.
 */
#include "cli/live/link_check.h"

#include <string.h>

#include "common/protocol/message.h"
#include "common/protocol/test_pattern.h"

#define TEST_FRAME_SIZE ((size_t)EAR_FRAME_SIZE_MAX)

_Static_assert(EAR_MSG_SIZE_TEST == EAR_FRAME_PAYLOAD_MAX, "a TEST message fills its frame");

void link_check_init(struct link_check *check)
{
	memset(check, 0, sizeof(*check));
	ear_stream_init(&check->stream);
}

/* The frame that the unit sent with this message. */
static void build_frame(uint8_t *frame, uint8_t stream_id, uint16_t sequence, uint32_t number)
{
	const struct ear_message message = {
		.kind = EAR_MSG_TEST, .u.test = {.number = number, .word_count = EAR_TEST_WORDS}};

	ear_frame_finish(frame, ear_message_build(frame + EAR_FRAME_HEADER_SIZE, &message),
		stream_id, sequence);
}

static unsigned count_bits(const uint8_t *a, const uint8_t *b, size_t size)
{
	unsigned count = 0;

	for (size_t i = 0; i < size; i++)
		count += (unsigned)__builtin_popcount(a[i] ^ b[i]);
	return count;
}

/* As many bytes came as were sent: count the bits that changed. */
static void compare_region(struct link_check *check, uint64_t missing)
{
	uint64_t count = check->region_size / TEST_FRAME_SIZE;

	for (size_t i = 0; i < count && (i + 1) * TEST_FRAME_SIZE <= LINK_CHECK_REGION; i++) {
		uint8_t frame[TEST_FRAME_SIZE];

		build_frame(frame, check->stream_id, (uint16_t)(check->sequence + i),
			check->number + (uint32_t)i);
		check->wrong_bits +=
			count_bits(frame, check->region + i * TEST_FRAME_SIZE, TEST_FRAME_SIZE);
	}
	check->damaged_frames += missing;
}

/* A good frame, or the end, comes after missing others: what became of them? */
static void close_region(struct link_check *check, uint64_t missing)
{
	uint64_t sent = missing * TEST_FRAME_SIZE, size = check->region_size;

	if (size > 0)
		check->resyncs++;
	if (check->region_unknown) {
		check->lost_frames += missing;
	} else if (size == sent) {
		compare_region(check, missing);
	} else {
		uint64_t came = (size + TEST_FRAME_SIZE - 1) / TEST_FRAME_SIZE;

		if (came > missing)
			came = missing;
		check->damaged_frames += came;
		check->lost_frames += missing - came;
		if (size < sent)
			check->lost_bytes += sent - size;
		else
			check->extra_bytes += size - sent;
	}
	check->region_size = 0;
	check->region_unknown = false;
}

static void take_test(struct link_check *check, const struct ear_message *message)
{
	uint32_t missing = message->u.test.number - check->number;

	if (missing > UINT32_MAX / 2) { /* one that was there already */
		check->repeated_frames++;
		close_region(check, 0);
		return;
	}
	close_region(check, missing);
	check->frames++;
	check->wrong_bits += message->u.test.changed_bits;
	check->number = message->u.test.number + 1;
}

static void take_frame(struct link_check *check, const struct ear_stream_item *item)
{
	const struct ear_frame *frame = &item->frame;
	struct ear_message message;
	int size = ear_message_parse(&message, frame->payload, frame->payload_size);

	if (size == (int)EAR_MSG_SIZE_TEST && message.kind == EAR_MSG_TEST) {
		take_test(check, &message);
	} else {
		/* All that is missing before it can only have been TEST messages. */
		close_region(check, item->missing_frames);
		check->number += item->missing_frames;
		check->other_frames++;
	}
	check->stream_id = frame->stream_id;
	check->sequence = (uint16_t)(frame->sequence + 1);
}

static void take_skipped(struct link_check *check, const uint8_t *bytes, uint64_t size)
{
	if (check->region_size < LINK_CHECK_REGION) {
		size_t room = LINK_CHECK_REGION - (size_t)check->region_size;

		memcpy(check->region + check->region_size, bytes,
			size < room ? (size_t)size : room);
	}
	check->region_size += size;
}

static void run(struct link_check *check, bool final)
{
	struct ear_stream_item item;
	size_t used = 0;

	for (;;) {
		int size = ear_stream_next(&check->stream, &item, check->window + used,
			check->window_size - used, final);
		if (size < 0)
			break;
		if (item.kind == EAR_STREAM_FRAME)
			take_frame(check, &item);
		else
			take_skipped(check, check->window + used, item.skipped_bytes);
		used += (size_t)size;
	}
	check->window_size -= used;
	memmove(check->window, check->window + used, check->window_size);
}

void link_check_push(struct link_check *check, const uint8_t *bytes, size_t size)
{
	check->bytes += size;
	while (size > 0) {
		size_t room = LINK_CHECK_WINDOW - check->window_size;
		size_t part = size < room ? size : room;

		memcpy(check->window + check->window_size, bytes, part);
		check->window_size += part;
		bytes += part;
		size -= part;
		run(check, false);
	}
}

void link_check_loss(struct link_check *check, uint64_t size)
{
	run(check, true);
	check->host_lost_bytes += size;
	check->region_unknown = true;
}

void link_check_end(struct link_check *check)
{
	run(check, true);
	if (check->region_size > 0 || check->region_unknown)
		close_region(check, 0);
}

bool link_check_failed(const struct link_check *check)
{
	return check->damaged_frames || check->lost_frames || check->repeated_frames ||
	       check->wrong_bits || check->lost_bytes || check->extra_bytes || check->resyncs ||
	       check->host_lost_bytes;
}
