/* Messages to structures and back: one case a message, in the order of docs/protocol.md, section 4.
 *
 * Pure: bytes and a length in, a structure and a size out. All lengths are checked before the first
 * field is read; most messages have a fixed size, so one table of sizes serves them all. RAW32 and
 * RAW64 are in raw.c, the record messages of predict mode in difference.c.
 */
#include "common/protocol/message.h"

#include <earshot/error.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "common/protocol/raw.h"
#include "common/protocol/test_pattern.h"

_Static_assert(EAR_RAW_SIZE_MAX <= EAR_MESSAGE_SIZE_MAX, "a full RAW64 fits the largest message");

static int parse_unit(struct ear_message *message, const uint8_t *bytes, size_t size)
{
	if (size < 2)
		return EAR_E_MORE;

	size_t total = 2u + bytes[1];
	if (total < EAR_MSG_SIZE_UNIT)
		return EAR_E_BAD_MESSAGE;
	if (size < total)
		return EAR_E_MORE;

	struct ear_unit *unit = &message->u.unit;
	unit->protocol_major = bytes[2];
	unit->protocol_minor = bytes[3];
	unit->version = ear_load_le16(bytes + 4);
	unit->xlen = bytes[6];
	unit->nret = bytes[7];
	unit->flen = bytes[8];
	unit->csr_slots = bytes[9];
	unit->features = ear_load_le16(bytes + 10);
	unit->mode = bytes[12];
	unit->control = bytes[13];
	unit->hart = ear_load_le16(bytes + 14);
	unit->clock_hz = ear_load_le32(bytes + 16);
	unit->buffers = ear_load_le32(bytes + 20);
	memset(unit->geometry, 0, sizeof(unit->geometry));
	if (total >= EAR_MSG_SIZE_UNIT_PREDICT)
		memcpy(unit->geometry, bytes + EAR_MSG_SIZE_UNIT, sizeof(unit->geometry));
	else if (unit->mode == EAR_UNIT_MODE_PREDICT)
		return EAR_E_BAD_MESSAGE;
	return unit->xlen == 32 || unit->xlen == 64 ? (int)total : EAR_E_BAD_MESSAGE;
}

static int parse_test(struct ear_message *message, const uint8_t *bytes, size_t size)
{
	if (size < 2)
		return EAR_E_MORE;
	if (bytes[1] == 0 || bytes[1] > EAR_TEST_WORDS)
		return EAR_E_BAD_MESSAGE;

	size_t total = EAR_TEST_HEADER + 4u * bytes[1];
	if (size < total)
		return EAR_E_MORE;
	message->u.test.number = ear_load_le32(bytes + 4);
	message->u.test.word_count = bytes[1];
	message->u.test.changed_bits = (uint16_t)ear_test_pattern_compare(
		bytes + EAR_TEST_HEADER, message->u.test.number, bytes[1]);
	return (int)total;
}

/* Size of a message with a fixed size; 0 for other and unknown kinds. */
static size_t fixed_size(uint8_t kind)
{
	switch (kind) {
	case EAR_MSG_PAD: return EAR_MSG_SIZE_PAD;
	case EAR_MSG_SYNC: return EAR_MSG_SIZE_SYNC;
	case EAR_MSG_LOST: return EAR_MSG_SIZE_LOST;
	case EAR_MSG_TIME: return EAR_MSG_SIZE_TIME;
	case EAR_MSG_TIME_DELTA1: return EAR_MSG_SIZE_TIME_DELTA1;
	case EAR_MSG_TIME_DELTA2: return EAR_MSG_SIZE_TIME_DELTA2;
	case EAR_MSG_TIME_DELTA4: return EAR_MSG_SIZE_TIME_DELTA4;
	case EAR_MSG_EVENT: return EAR_MSG_SIZE_EVENT;
	case EAR_MSG_REPLY: return EAR_MSG_SIZE_REPLY;
	case EAR_MSG_STOP: return EAR_MSG_SIZE_STOP;
	case EAR_MSG_CHECK: return EAR_MSG_SIZE_CHECK;
	case EAR_MSG_PORT: return EAR_MSG_SIZE_PORT;
	default: return 0;
	}
}

static void parse_fixed(struct ear_message *message, const uint8_t *bytes)
{
	switch (bytes[0]) {
	case EAR_MSG_SYNC:
		message->u.sync.flags = bytes[1];
		message->u.sync.order = ear_load_le64(bytes + 2);
		break;
	case EAR_MSG_LOST:
		message->u.lost.reason = bytes[1];
		message->u.lost.count = ear_load_le64(bytes + 2);
		message->u.lost.first = ear_load_le64(bytes + 10);
		message->u.lost.last = ear_load_le64(bytes + 18);
		break;
	case EAR_MSG_TIME: message->u.ticks = ear_load_le64(bytes + 1); break;
	case EAR_MSG_TIME_DELTA1: message->u.ticks = bytes[1]; break;
	case EAR_MSG_TIME_DELTA2: message->u.ticks = ear_load_le16(bytes + 1); break;
	case EAR_MSG_TIME_DELTA4: message->u.ticks = ear_load_le32(bytes + 1); break;
	case EAR_MSG_EVENT:
		message->u.event.source = bytes[1];
		message->u.event.order = ear_load_le64(bytes + 2);
		message->u.event.value = ear_load_le32(bytes + 10);
		break;
	case EAR_MSG_REPLY:
		message->u.reply.tag = bytes[1];
		message->u.reply.status = bytes[2];
		message->u.reply.address = ear_load_le16(bytes + 3);
		message->u.reply.value = ear_load_le32(bytes + 5);
		break;
	case EAR_MSG_STOP:
		message->u.stop.reason = bytes[1];
		message->u.stop.retired = ear_load_le64(bytes + 2);
		message->u.stop.delivered = ear_load_le64(bytes + 10);
		message->u.stop.lost = ear_load_le64(bytes + 18);
		message->u.stop.filtered = ear_load_le64(bytes + 26);
		break;
	case EAR_MSG_CHECK:
		message->u.check.pc = ear_load_le32(bytes + 1);
		message->u.check.digest = ear_load_le32(bytes + 5);
		break;
	case EAR_MSG_PORT:
		message->u.event.source = bytes[1];
		message->u.event.order = 0;
		message->u.event.value = ear_load_le32(bytes + 2);
		break;
	default: break;
	}
}

int ear_message_parse(struct ear_message *message, const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return EAR_E_MORE;

	message->kind = bytes[0];
	if (bytes[0] == EAR_MSG_RAW32 || bytes[0] == EAR_MSG_RAW64)
		return ear_raw_parse(
			&message->u.retire.entry, &message->u.retire.has_order, bytes, size);
	if (bytes[0] == EAR_MSG_UNIT)
		return parse_unit(message, bytes, size);
	if (bytes[0] == EAR_MSG_TEST)
		return parse_test(message, bytes, size);

	size_t total = fixed_size(bytes[0]);
	if (total == 0)
		return EAR_E_BAD_MESSAGE;
	if (bytes[0] == EAR_MSG_PORT && size > 1 && bytes[1] < EAR_EVENT_REGISTER)
		return EAR_E_BAD_MESSAGE;
	if (size < total)
		return EAR_E_MORE;
	parse_fixed(message, bytes);
	return (int)total;
}

/* Only predict mode has a geometry. */
static size_t build_unit(uint8_t *bytes, const struct ear_unit *unit)
{
	bool predict = unit->mode == EAR_UNIT_MODE_PREDICT;
	size_t size = predict ? EAR_MSG_SIZE_UNIT_PREDICT : EAR_MSG_SIZE_UNIT;

	memset(bytes, 0, size);
	bytes[0] = EAR_MSG_UNIT;
	bytes[1] = (uint8_t)(size - 2);
	bytes[2] = unit->protocol_major;
	bytes[3] = unit->protocol_minor;
	ear_store_le16(bytes + 4, unit->version);
	bytes[6] = unit->xlen;
	bytes[7] = unit->nret;
	bytes[8] = unit->flen;
	bytes[9] = unit->csr_slots;
	ear_store_le16(bytes + 10, unit->features);
	bytes[12] = unit->mode;
	bytes[13] = unit->control;
	ear_store_le16(bytes + 14, unit->hart);
	ear_store_le32(bytes + 16, unit->clock_hz);
	ear_store_le32(bytes + 20, unit->buffers);
	if (predict)
		memcpy(bytes + EAR_MSG_SIZE_UNIT, unit->geometry, sizeof(unit->geometry));
	return size;
}

static size_t build_test(uint8_t *bytes, uint32_t number, uint8_t word_count)
{
	bytes[0] = EAR_MSG_TEST;
	bytes[1] = word_count;
	ear_store_le16(bytes + 2, 0);
	ear_store_le32(bytes + 4, number);
	ear_test_pattern_fill(bytes + EAR_TEST_HEADER, number, word_count);
	return EAR_TEST_HEADER + 4u * word_count;
}

size_t ear_message_build(uint8_t *bytes, const struct ear_message *message)
{
	bytes[0] = message->kind;
	switch (message->kind) {
	case EAR_MSG_RAW32:
	case EAR_MSG_RAW64:
		return ear_raw_build(bytes, &message->u.retire.entry, message->u.retire.has_order);
	case EAR_MSG_UNIT: return build_unit(bytes, &message->u.unit);
	case EAR_MSG_TEST:
		return build_test(bytes, message->u.test.number, message->u.test.word_count);
	case EAR_MSG_SYNC:
		bytes[1] = message->u.sync.flags;
		ear_store_le64(bytes + 2, message->u.sync.order);
		break;
	case EAR_MSG_LOST:
		bytes[1] = message->u.lost.reason;
		ear_store_le64(bytes + 2, message->u.lost.count);
		ear_store_le64(bytes + 10, message->u.lost.first);
		ear_store_le64(bytes + 18, message->u.lost.last);
		break;
	case EAR_MSG_TIME: ear_store_le64(bytes + 1, message->u.ticks); break;
	case EAR_MSG_TIME_DELTA1: bytes[1] = (uint8_t)message->u.ticks; break;
	case EAR_MSG_TIME_DELTA2: ear_store_le16(bytes + 1, (uint16_t)message->u.ticks); break;
	case EAR_MSG_TIME_DELTA4: ear_store_le32(bytes + 1, (uint32_t)message->u.ticks); break;
	case EAR_MSG_EVENT:
		bytes[1] = message->u.event.source;
		ear_store_le64(bytes + 2, message->u.event.order);
		ear_store_le32(bytes + 10, message->u.event.value);
		break;
	case EAR_MSG_REPLY:
		bytes[1] = message->u.reply.tag;
		bytes[2] = message->u.reply.status;
		ear_store_le16(bytes + 3, message->u.reply.address);
		ear_store_le32(bytes + 5, message->u.reply.value);
		break;
	case EAR_MSG_STOP:
		bytes[1] = message->u.stop.reason;
		ear_store_le64(bytes + 2, message->u.stop.retired);
		ear_store_le64(bytes + 10, message->u.stop.delivered);
		ear_store_le64(bytes + 18, message->u.stop.lost);
		ear_store_le64(bytes + 26, message->u.stop.filtered);
		break;
	case EAR_MSG_CHECK:
		ear_store_le32(bytes + 1, message->u.check.pc);
		ear_store_le32(bytes + 5, message->u.check.digest);
		break;
	case EAR_MSG_PORT:
		bytes[1] = message->u.event.source;
		ear_store_le32(bytes + 2, message->u.event.value);
		break;
	default: break;
	}
	return fixed_size(message->kind);
}

const char *ear_message_name(uint8_t kind)
{
	static const char *const names[] = {"PAD", "UNIT", "SYNC", "LOST", "TIME", "TIME_DELTA1",
		"TIME_DELTA2", "TIME_DELTA4", "EVENT", "REPLY", "RAW32", "RAW64", "STOP", "CHECK",
		"TEST", "PORT"};

	_Static_assert(EAR_MSG_PAD == 0x80 && EAR_MSG_PORT == 0x8F, "the names follow the table");
	if (kind < EAR_MSG_PAD || kind > EAR_MSG_PORT)
		return NULL;
	return names[kind - EAR_MSG_PAD];
}
