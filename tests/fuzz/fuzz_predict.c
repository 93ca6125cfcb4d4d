/* Messages of predict mode after a good UNIT and a hard SYNC: what the unit is like comes from the
 * first bytes. Wrong is: a crash, a hang, entries that depend on how the bytes are cut, and
 * entries that do not come back when they are encoded and decoded again, whatever they are.
 */
#include <stdlib.h>
#include <string.h>

#include "common/protocol/frame.h"
#include "decode_run.h"
#include "predict_stream.h"
#include "retire_random.h"
#include "target.h"

#define SHAPE_SIZE    9   /* bytes in front of the messages */
#define FRAME_PART    400 /* of the messages in one frame */
#define ENTRIES_LIMIT 500 /* a run costs three bytes and tells 65535 */

/* A unit from the first bytes. Sizes out of range become small ones, unless the first byte says
 * that they are meant. */
static struct ear_unit shape(const uint8_t *bytes)
{
	static const uint8_t flens[4] = {0, 32, 64, 64};
	struct ear_geometry geometry;
	uint8_t asked[EAR_UNIT_GEOMETRY_SIZE];
	unsigned xlen = bytes[0] & 1 ? 64 : 32;

	memcpy(asked, bytes + 1, sizeof(asked));
	if (!(bytes[0] & 0x10) || ear_geometry_parse(&geometry, asked)) {
		asked[0] &= 15;
		asked[1] = asked[3] = 5 + (asked[1] & 3);
		asked[2] &= 0x33;
		asked[4] &= 0x33;
		asked[5] = asked[5] & 8 ? 0 : 4 + asked[5] % 6;
		asked[6] %= 7;
		asked[7] = 0;
		if (ear_geometry_parse(&geometry, asked))
			ear_geometry_find(&geometry, "small");
	}
	struct ear_unit unit =
		predict_unit(&geometry, xlen, flens[bytes[0] >> 1 & 3], bytes[0] & 8);
	unit.csr_slots = bytes[0] >> 5 & 7;
	return unit;
}

static void put_frame(
	struct byte_buffer *stream, uint16_t sequence, const uint8_t *part, size_t size)
{
	uint8_t frame[EAR_FRAME_SIZE_MAX];

	memcpy(frame + EAR_FRAME_HEADER_SIZE, part, size);
	byte_buffer_append(stream, frame, ear_frame_finish(frame, size, 0, sequence));
}

static void make_stream(
	struct byte_buffer *stream, const struct ear_unit *unit, const uint8_t *bytes, size_t size)
{
	uint8_t part[EAR_FRAME_PAYLOAD_MAX];
	struct ear_message sync = {.kind = EAR_MSG_SYNC, .u.sync = {.flags = EAR_SYNC_HARD}};
	struct ear_message head = {.kind = EAR_MSG_UNIT, .u.unit = *unit};
	size_t used = ear_message_build(part, &head);
	uint16_t sequence = 0;

	used += ear_message_build(part + used, &sync);
	do {
		size_t more = size < FRAME_PART ? size : FRAME_PART;
		memcpy(part + used, bytes, more);
		if (used + more > 0)
			put_frame(stream, sequence++, part, used + more);
		bytes += more;
		size -= more;
		used = 0;
	} while (size > 0);
}

/* What no port of this unit could show is left out: the messages may hold another UNIT. */
static void fit_port(struct ear_retire *entry, const struct ear_unit *unit)
{
	if (unit->flen == 32)
		entry->frd_wdata = (uint32_t)entry->frd_wdata;
	if (unit->flen == 0) {
		entry->frd_valid = false;
		entry->frd_addr = entry->fflags = 0;
		entry->frd_wdata = 0;
	}
	if (!(unit->features & EAR_REG_FEATURES_PADDR_MASK))
		entry->pc_paddr = entry->mem_paddr = 0;
}

/* Hostile streams may hold raw messages too: what they tell is not the predictor's. */
static bool is_predicted(const struct decoded_entry *decoded, const struct ear_unit *unit)
{
	return decoded->kind == EAR_RECORD_INSTRUCTION && decoded->predicted &&
	       decoded->entry.xlen == unit->xlen;
}

/* The next entry that is no gap because the index jumps: hostile entries have any index. */
static size_t pass_jumps(const struct decoded_list *decoded, size_t at)
{
	while (at < decoded->count && decoded->list[at].kind == EAR_RECORD_GAP &&
		decoded->list[at].gap.reason == EAR_GAP_JUMP)
		at++;
	return at;
}

/* Encode what was decoded. It must come back. */
static void check_again(struct decoded_list *decoded, const struct ear_unit *unit)
{
	struct predict_encoder encoder;
	struct byte_buffer stream = {0};
	struct decoded_list again = {0};
	size_t at = 0;

	predict_encoder_init(&encoder, unit, &stream);
	for (size_t i = 0; i < decoded->count; i++) {
		if (!is_predicted(&decoded->list[i], unit))
			continue;
		fit_port(&decoded->list[i].entry, unit);
		ear_encoder_push(&encoder.encoder, &decoded->list[i].entry, 0);
	}
	ear_encoder_put(&encoder.encoder, &(struct ear_message){.kind = EAR_MSG_STOP});
	if (decode_entries(&again, stream.bytes, stream.size) != 0)
		abort();
	for (size_t i = 0; i < decoded->count; i++) {
		if (!is_predicted(&decoded->list[i], unit))
			continue;
		at = pass_jumps(&again, at);
		if (at >= again.count || again.list[at].kind != EAR_RECORD_INSTRUCTION ||
			retire_difference(&decoded->list[i].entry, &again.list[at].entry))
			abort();
		at++;
	}
	if (pass_jumps(&again, at) != again.count)
		abort();
	decoded_list_free(&again);
	byte_buffer_free(&stream);
	predict_encoder_fini(&encoder);
}

int fuzz_predict(const uint8_t *bytes, size_t size)
{
	struct byte_buffer stream = {0};
	struct decoded_list decoded = {.limit = ENTRIES_LIMIT};

	if (size < SHAPE_SIZE)
		return 0;
	struct ear_unit unit = shape(bytes);
	make_stream(&stream, &unit, bytes + SHAPE_SIZE, size - SHAPE_SIZE);
	int result = decode_entries(&decoded, stream.bytes, stream.size);
	if (result == 0) {
		struct decode_run whole, cut, single;
		decode_run_whole(&whole, stream.bytes, stream.size);
		decode_run(&cut, stream.bytes, stream.size, stream.size / 3, 7);
		decode_run_one_by_one(&single, stream.bytes, stream.size);
		if (whole.digest != cut.digest || whole.statistics.gaps != cut.statistics.gaps ||
			whole.digest != single.digest)
			abort();
	} else if (result != 1) {
		abort();
	}
	check_again(&decoded, &unit);
	decoded_list_free(&decoded);
	byte_buffer_free(&stream);
	return 0;
}
