#ifndef EAR_MESSAGE_H
#define EAR_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"
#include "common/protocol/retire.h"

#define EAR_MESSAGE_SIZE_MAX 500 /* the longest message: a TEST fills a frame */

#define EAR_UNIT_GEOMETRY_SIZE 8

/* The identity of the unit. docs/protocol.md, section 4.1. */
struct ear_unit {
	uint8_t protocol_major, protocol_minor;
	uint16_t version;
	uint8_t xlen, nret, flen, csr_slots;
	uint16_t features; /* EAR_REG_FEATURES_* masks */
	uint8_t mode;      /* EAR_UNIT_MODE_* */
	uint8_t control;   /* EAR_UNIT_CONTROL_* */
	uint16_t hart;
	uint32_t clock_hz;                        /* 0 unknown */
	uint32_t buffers;                         /* EAR_REG_BUFFERS_* masks */
	uint8_t geometry[EAR_UNIT_GEOMETRY_SIZE]; /* mode PREDICT: docs/predict.md, section 2 */
};

/* One message. kind selects the member of the union:
 * UNIT unit; SYNC sync; LOST lost; TIME, TIME_DELTA1/2/4 ticks; EVENT event; REPLY reply;
 * RAW32, RAW64 retire; STOP stop; CHECK check; TEST test; PORT event, whose order is not sent; PAD
 * none.
 */
struct ear_message {
	uint8_t kind; /* EAR_MSG_*; TIME_DELTA1, 2 and 4 stay distinct */
	union {
		struct ear_unit unit;
		struct {
			uint8_t flags; /* EAR_SYNC_* */
			uint64_t order;
		} sync;
		struct {
			uint8_t reason; /* EAR_LOST_* */
			uint64_t count, first, last;
		} lost;
		uint64_t ticks; /* absolute for TIME, difference otherwise */
		struct {
			uint8_t source; /* EAR_EVENT_* */
			uint64_t order;
			uint32_t value;
		} event;
		struct {
			uint8_t tag, status; /* EAR_REPLY_* */
			uint16_t address;
			uint32_t value;
		} reply;
		struct {
			struct ear_retire entry;
			bool has_order; /* false: entry.order is 0 and means previous + 1 */
		} retire;
		struct {
			uint8_t reason; /* EAR_STOP_* */
			uint64_t retired, delivered, lost, filtered;
		} stop;
		struct {
			uint32_t pc;     /* low bits of the next pc */
			uint32_t digest; /* of the records since the last hard SYNC or CHECK */
		} check;
		struct {
			uint32_t number;       /* of the message */
			uint8_t word_count;    /* 1 .. EAR_TEST_WORDS */
			uint16_t changed_bits; /* bits that differ from the test pattern; parsed
						  only */
		} test;
	} u;
};

/* Is kind the first byte of a record message of predict mode? common/protocol/difference.h has
 * those.
 */
static inline bool ear_message_is_difference(uint8_t kind)
{
	return (kind & 0xF0) != 0x80;
}

/* Parse one message from the front of bytes[0 .. size-1]. docs/protocol.md, section 4.
 *
 * Returns the bytes consumed and fills *message.
 * Returns EAR_E_MORE if the message runs past size: inside a frame, that is damage.
 * Returns EAR_E_BAD_MESSAGE if the kind is unknown, a reserved bit is set or a count is out of
 *         range, or the source of a PORT is no register: the rest of the frame cannot be read.
 * *message is undefined unless the result is positive.
 */
int ear_message_parse(struct ear_message *message, const uint8_t *bytes, size_t size);

/* Write *message to bytes[0 .. EAR_MESSAGE_SIZE_MAX-1].
 *
 * For RAW32 and RAW64 the mask follows from the entry; ORDER is sent if has_order.
 * Returns the size of the message.
 */
size_t ear_message_build(uint8_t *bytes, const struct ear_message *message);

/* The name of a kind as in docs/protocol.md; static. NULL for an unknown kind. */
const char *ear_message_name(uint8_t kind);

#endif
