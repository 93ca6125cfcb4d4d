/* One message of N-Trace to its fields and back.
 *
 * Each TCODE has a list of fields, and one loop goes over it, so the lists can be compared with the
 * specification line by line. A fixed field has a number of bits and follows the one before it
 * without a gap. A variable field begins likewise and ends with the byte that says so: its width is
 * what the sender gave it. After the listed fields there may be one more variable one, the time.
 */
#include "decoder/formats/ntrace/ntrace_message.h"

#include <assert.h>
#include <earshot/error.h>

enum field {
	NO_FIELD,
	SYNC, /* fixed */
	BTYPE,
	ETYPE,
	RCODE,
	EVCODE,
	CDF,
	ICNT, /* variable */
	UADDR,
	FADDR,
	HIST,
	PROCESS,
	ECODE,
	RDATA,
	HREPEAT,
	BCNT,
	TSTAMP,
};

#define FIELDS_MAX 6

/* HREPEAT and the HIST after CDF are there or not, by the field before them. */
static const uint8_t layouts[64][FIELDS_MAX] = {
	[EAR_NTRACE_OWNERSHIP] = {PROCESS},
	[EAR_NTRACE_DIRECT] = {ICNT},
	[EAR_NTRACE_INDIRECT] = {BTYPE, ICNT, UADDR},
	[EAR_NTRACE_ERROR] = {ETYPE, ECODE},
	[EAR_NTRACE_SYNC] = {SYNC, ICNT, FADDR},
	[EAR_NTRACE_DIRECT_SYNC] = {SYNC, ICNT, FADDR},
	[EAR_NTRACE_INDIRECT_SYNC] = {SYNC, BTYPE, ICNT, FADDR},
	[EAR_NTRACE_FULL] = {RCODE, RDATA, HREPEAT},
	[EAR_NTRACE_HISTORY] = {BTYPE, ICNT, UADDR, HIST},
	[EAR_NTRACE_HISTORY_SYNC] = {SYNC, BTYPE, ICNT, FADDR, HIST},
	[EAR_NTRACE_REPEAT] = {BCNT},
	[EAR_NTRACE_STOP] = {EVCODE, CDF, ICNT, HIST},
};

static const uint8_t fixed_bits[] = {
	[SYNC] = 4, [BTYPE] = 2, [ETYPE] = 4, [RCODE] = 4, [EVCODE] = 4, [CDF] = 2};

/* Of variable fields: most bits of a value. Addresses have XLEN - 1. */
static const uint8_t most_bits[] = {[ICNT] = 22,
	[HIST] = 32,
	[PROCESS] = 64,
	[ECODE] = 8,
	[RDATA] = 32,
	[HREPEAT] = 18,
	[BCNT] = 18,
	[TSTAMP] = 64};

/* Codes that have a meaning: bits. */
static const uint16_t known_codes[] = {
	[SYNC] = 0xCAFF, /* 0 .. 7, 9, 11, 14, 15 */
	[BTYPE] = 0xF,
	[ETYPE] = 0x0001,
	[RCODE] = 0xFF07, /* 0 .. 2, and those of vendors */
	[EVCODE] = 0xFFFF,
	[CDF] = 0x0003,
};

/* --- Reading --- */

struct reading {
	const uint8_t *at, *end;
	unsigned bit; /* of the MDO at at that comes next */
};

static unsigned end_of(uint8_t byte)
{
	return byte & 3u;
}

/* A field of so many bits, which no end of a field interrupts. */
static bool take_fixed(struct reading *reading, unsigned bits, unsigned *value)
{
	*value = 0;
	for (unsigned i = 0; i < bits; i++) {
		if (reading->at == reading->end ||
			(i > 0 && reading->bit == 0 && end_of(reading->at[-1]) != 0))
			return false;
		*value |= (*reading->at >> (2 + reading->bit) & 1u) << i;
		if (++reading->bit == EAR_NTRACE_MDO_BITS) {
			reading->bit = 0;
			reading->at++;
		}
	}
	return true;
}

/* A variable field, whose bits beyond 64 are copies of its highest bit, or 0. *bits: its width as
 * it was sent. Returns false if there is none. */
static bool take_variable(struct reading *reading, uint64_t *value, unsigned *bits)
{
	bool beyond_zero = true, beyond_one = true;

	*value = 0;
	*bits = 0;
	while (reading->at < reading->end) {
		uint64_t data = (uint64_t)(*reading->at >> (2 + reading->bit));
		unsigned count = EAR_NTRACE_MDO_BITS - reading->bit;
		for (unsigned i = 0; i < count; i++) {
			uint64_t bit = data >> i & 1;
			if (*bits + i < 64) {
				*value |= bit << (*bits + i);
			} else {
				beyond_zero &= !bit;
				beyond_one &= bit != 0;
			}
		}
		*bits += count;
		reading->bit = 0;
		if (end_of(*reading->at++) != EAR_NTRACE_MIDDLE)
			return beyond_zero || (beyond_one && *value >> 63);
	}
	return false;
}

/* An address of bits bits, without its lowest one, to one of XLEN bits. */
static bool set_address(
	uint64_t *address, uint64_t value, unsigned bits, const struct ear_ntrace_unit *unit)
{
	unsigned most = unit->xlen - 1;
	uint64_t mask = UINT64_MAX >> (64 - most), above;

	if (unit->extend && bits < 64 && value >> (bits - 1) & 1)
		value |= UINT64_MAX << (bits - 1);
	above = value & ~mask;
	if (above && !(unit->extend && above == ~mask))
		return false;
	*address = (value & mask) << 1;
	return true;
}

static void set_fixed(struct ear_ntrace_message *message, unsigned field, unsigned value)
{
	switch (field) {
	case SYNC: message->sync = (uint8_t)value; break;
	case BTYPE: message->btype = (uint8_t)value; break;
	default: message->code = (uint8_t)value; break;
	}
}

static bool set_variable(struct ear_ntrace_message *message, unsigned field, uint64_t value)
{
	if (most_bits[field] < 64 && value >> most_bits[field])
		return false;
	switch (field) {
	case ICNT: message->icnt = (uint32_t)value; return true;
	case HIST: message->history = (uint32_t)value; return value != 0;
	case TSTAMP:
		message->time = value;
		message->has_time = true;
		return true;
	case RDATA:
		if (message->code == EAR_NTRACE_FULL_HISTORY ||
			message->code == EAR_NTRACE_FULL_REPEATED) {
			message->history = (uint32_t)value;
			return value > 1;
		}
		message->data = value;
		return message->code != EAR_NTRACE_FULL_ICNT || value >> most_bits[ICNT] == 0;
	case HREPEAT:
	case BCNT: message->data = value; return value != 0;
	default: message->data = value; return true;
	}
}

static bool take_field(struct reading *reading, struct ear_ntrace_message *message, unsigned field,
	const struct ear_ntrace_unit *unit)
{
	unsigned bits, code;
	uint64_t value;

	if (field <= CDF) {
		if (!take_fixed(reading, fixed_bits[field], &code) ||
			!(known_codes[field] >> code & 1))
			return false;
		if (field == CDF)
			message->history = code; /* is a history to come? */
		else
			set_fixed(message, field, code);
		return true;
	}
	if (!take_variable(reading, &value, &bits))
		return false;
	if (field == FADDR || field == UADDR)
		return set_address(&message->address, value, bits, unit);
	return set_variable(message, field, value);
}

/* Does this message have a field that not all messages of its TCODE have? */
static bool is_absent(const struct ear_ntrace_message *message, unsigned field)
{
	return (field == HREPEAT && message->code != EAR_NTRACE_FULL_REPEATED) ||
	       (field == HIST && message->tcode == EAR_NTRACE_STOP && message->history == 0);
}

int ear_ntrace_parse(struct ear_ntrace_message *message, const uint8_t *bytes, size_t size,
	const struct ear_ntrace_unit *unit)
{
	struct reading reading = {bytes, bytes + size, 0};
	unsigned value;

	*message = (struct ear_ntrace_message){0};
	if (!take_fixed(&reading, EAR_NTRACE_MDO_BITS, &value) || end_of(bytes[0]) != 0)
		return EAR_E_BAD_MESSAGE;
	message->tcode = (uint8_t)value;
	const uint8_t *fields = layouts[value];
	if (fields[0] == NO_FIELD)
		return EAR_E_UNSUPPORTED;
	if (!take_fixed(&reading, unit->src_bits, &value))
		return EAR_E_BAD_MESSAGE;
	message->src = (uint16_t)value;
	for (unsigned i = 0; i < FIELDS_MAX && fields[i] != NO_FIELD; i++)
		if (!is_absent(message, fields[i]) &&
			!take_field(&reading, message, fields[i], unit))
			return EAR_E_BAD_MESSAGE;
	if (reading.at == reading.end)
		return 0;
	if (reading.bit != 0 || unit->tstamp == 0 || !take_field(&reading, message, TSTAMP, unit) ||
		reading.at != reading.end)
		return EAR_E_BAD_MESSAGE;
	return 0;
}

/* --- Writing --- */

struct writing {
	uint8_t *bytes;
	size_t size;  /* whole bytes */
	unsigned bit; /* bits of the byte after them that are used */
	uint8_t data; /* its MDO */
};

static void put_byte(struct writing *writing, unsigned end)
{
	assert(writing->size < EAR_NTRACE_MESSAGE_MAX);
	writing->bytes[writing->size++] = (uint8_t)((unsigned)writing->data << 2 | end);
	writing->bit = 0;
	writing->data = 0;
}

static void put_bits(struct writing *writing, uint64_t value, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++) {
		writing->data |= (uint8_t)((value >> i & 1) << writing->bit);
		if (++writing->bit == EAR_NTRACE_MDO_BITS)
			put_byte(writing, EAR_NTRACE_MIDDLE);
	}
}

/* At least the lowest least bits of value, up to the end of a byte. */
static void put_variable(struct writing *writing, uint64_t value, unsigned least)
{
	unsigned room = EAR_NTRACE_MDO_BITS - writing->bit;

	while (least > room) {
		put_bits(writing, value, room);
		value >>= room;
		least -= room;
		room = EAR_NTRACE_MDO_BITS;
	}
	writing->data |= (uint8_t)(value << writing->bit & 0x3F);
	put_byte(writing, EAR_NTRACE_END_FIELD);
}

/* How many bits a value needs. */
static unsigned width_of(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* Without extension all bits up to the highest 1. With it, bits that are copies of the highest bit
 * sent are left off; that bit is the last one of its byte. */
static void put_address(
	struct writing *writing, uint64_t address, const struct ear_ntrace_unit *unit)
{
	unsigned most = unit->xlen - 1, least;
	uint64_t value = address >> 1;

	if (!unit->extend) {
		put_variable(writing, value, width_of(value));
		return;
	}
	uint64_t extended = value;
	if (value >> (most - 1) & 1)
		extended |= UINT64_MAX << (most - 1);
	least = width_of((int64_t)extended < 0 ? ~extended : extended) + 1;
	put_variable(writing, extended, least);
}

static void put_field(struct writing *writing, const struct ear_ntrace_message *message,
	unsigned field, const struct ear_ntrace_unit *unit)
{
	bool history = message->code == EAR_NTRACE_FULL_HISTORY ||
		       message->code == EAR_NTRACE_FULL_REPEATED;
	uint64_t value = message->data;

	switch (field) {
	case SYNC: put_bits(writing, message->sync, fixed_bits[SYNC]); return;
	case BTYPE: put_bits(writing, message->btype, fixed_bits[BTYPE]); return;
	case CDF: put_bits(writing, message->history != 0, fixed_bits[CDF]); return;
	case ETYPE:
	case RCODE:
	case EVCODE: put_bits(writing, message->code, fixed_bits[field]); return;
	case FADDR:
	case UADDR: put_address(writing, message->address, unit); return;
	case ICNT: value = message->icnt; break;
	case HIST: value = message->history; break;
	case TSTAMP: value = message->time; break;
	case RDATA: value = history ? message->history : message->data; break;
	default: break;
	}
	put_variable(writing, value, width_of(value));
}

size_t ear_ntrace_put(uint8_t *bytes, const struct ear_ntrace_message *message,
	const struct ear_ntrace_unit *unit)
{
	struct writing writing = {.bytes = bytes};
	const uint8_t *fields = layouts[message->tcode];

	put_bits(&writing, message->tcode, EAR_NTRACE_MDO_BITS);
	put_bits(&writing, message->src, unit->src_bits);
	for (unsigned i = 0; i < FIELDS_MAX && fields[i] != NO_FIELD; i++)
		if (!is_absent(message, fields[i]))
			put_field(&writing, message, fields[i], unit);
	if (message->has_time)
		put_field(&writing, message, TSTAMP, unit);
	bytes[writing.size - 1] |= EAR_NTRACE_END_MESSAGE;
	return writing.size;
}
