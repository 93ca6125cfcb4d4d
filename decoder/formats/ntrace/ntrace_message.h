#ifndef EAR_NTRACE_MESSAGE_H
#define EAR_NTRACE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/ntrace/ntrace_unit.h"

/* Messages of N-Trace, and the bytes that they are sent in: docs/ntrace.md, "Bytes" and
 * "Messages". Nothing here knows a program or the messages before.
 */

/* How a byte ends: its two low bits, MSEO. The six above are data, MDO. */
enum ear_ntrace_end {
	EAR_NTRACE_MIDDLE = 0,
	EAR_NTRACE_END_FIELD = 1, /* the last byte of a variable field */
	EAR_NTRACE_RESERVED = 2,
	EAR_NTRACE_END_MESSAGE = 3, /* the last byte of a message; between messages an idle byte */
};

#define EAR_NTRACE_MDO_BITS 6u

/* The largest message of N-Trace 1.0 has 38 bytes; older encoders may send longer ones. */
#define EAR_NTRACE_MESSAGE_MAX 64u

enum ear_ntrace_tcode {
	EAR_NTRACE_OWNERSHIP = 2,
	EAR_NTRACE_DIRECT = 3,
	EAR_NTRACE_INDIRECT = 4,
	EAR_NTRACE_ERROR = 8,
	EAR_NTRACE_SYNC = 9,
	EAR_NTRACE_DIRECT_SYNC = 11,
	EAR_NTRACE_INDIRECT_SYNC = 12,
	EAR_NTRACE_FULL = 27,
	EAR_NTRACE_HISTORY = 28,
	EAR_NTRACE_HISTORY_SYNC = 29,
	EAR_NTRACE_REPEAT = 30,
	EAR_NTRACE_STOP = 33,
};

enum ear_ntrace_btype {
	EAR_NTRACE_JUMP = 0,
	EAR_NTRACE_TRAP = 1, /* an exception or an interrupt */
	EAR_NTRACE_EXCEPTION = 2,
	EAR_NTRACE_INTERRUPT = 3,
};

enum ear_ntrace_sync {
	EAR_NTRACE_SYNC_TRIGGER = 0,
	EAR_NTRACE_SYNC_RESET = 1,
	EAR_NTRACE_SYNC_PERIODIC = 2,
	EAR_NTRACE_SYNC_DEBUG = 3,
	EAR_NTRACE_SYNC_ICNT = 4,
	EAR_NTRACE_SYNC_ENABLE = 5,
	EAR_NTRACE_SYNC_WATCHPOINT = 6,
	EAR_NTRACE_SYNC_OVERRUN = 7,
	EAR_NTRACE_SYNC_POWER = 9,
	EAR_NTRACE_SYNC_CONTENTION = 11, /* of Nexus before 1.0 */
};

/* RCODE: which counter or buffer of the encoder was full. */
enum ear_ntrace_full {
	EAR_NTRACE_FULL_ICNT = 0,
	EAR_NTRACE_FULL_HISTORY = 1,
	EAR_NTRACE_FULL_REPEATED = 2,
	EAR_NTRACE_FULL_NOT_TAKEN = 8, /* of SiFive */
	EAR_NTRACE_FULL_TAKEN = 9,
};

struct ear_ntrace_message {
	uint8_t tcode; /* enum ear_ntrace_tcode */
	uint8_t sync;  /* of messages with the field SYNC */
	uint8_t btype; /* enum ear_ntrace_btype */
	uint8_t code;  /* ETYPE, RCODE or EVCODE */
	uint16_t src;
	bool has_time;
	uint32_t icnt;
	uint32_t history; /* with its stop bit; 0: the message has none */
	uint64_t address; /* FADDR or UADDR, in bytes; of XLEN bits */
	uint64_t data;    /* PROCESS, ECODE, RDATA, HREPEAT of RCODE 2, B-CNT */
	uint64_t time;
};

/* Does a message of this TCODE have the field SYNC, and so a full address and an absolute time? */
static inline bool ear_ntrace_is_sync(unsigned tcode)
{
	return tcode == EAR_NTRACE_SYNC || tcode == EAR_NTRACE_DIRECT_SYNC ||
	       tcode == EAR_NTRACE_INDIRECT_SYNC || tcode == EAR_NTRACE_HISTORY_SYNC;
}

/* Is bytes[0 .. size-1] one message, of a unit with a known XLEN? Its last byte alone ends a
 * message.
 *
 * Returns 0 and *message; EAR_E_UNSUPPORTED if it is of another TCODE, such as data messages, of
 * which nothing is known but the size; EAR_E_BAD_MESSAGE if it does not follow the format.
 */
int ear_ntrace_parse(struct ear_ntrace_message *message, const uint8_t *bytes, size_t size,
	const struct ear_ntrace_unit *unit);

/* Write a message, at most EAR_NTRACE_MESSAGE_MAX bytes. Returns how many. */
size_t ear_ntrace_put(uint8_t *bytes, const struct ear_ntrace_message *message,
	const struct ear_ntrace_unit *unit);

#endif
