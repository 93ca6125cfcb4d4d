/* Frames of packets. A header says how many bytes follow, so a reader that has lost its place
 * cannot see where a frame begins; the encapsulation's row of zeros before an alignment byte, and
 * Espressif's anchors, are longer than any row of zeros inside of a packet.
 */
#include "decoder/formats/etrace/etrace_frame.h"

#include <earshot/error.h>

#include "decoder/formats/etrace/etrace_packet.h"

#define LENGTH_MASK 31u
#define FLOW_SHIFT  5
#define EXTEND      0x80u

static uint64_t load(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

/* E-Trace has 2 bits: 2 is a packet of instructions, 3 of data. Others number from 0. */
static unsigned type_of_instructions(const struct ear_etrace_unit *unit)
{
	return unit->type_bits == 2 ? 2 : 0;
}

/* The header is length:5, flow:2, extend:1. Whole bytes of srcID follow it, then a time stamp if
 * extend is set. The rest of srcID is in the lowest bits of the payload, then the type. */
static int parse_encap(struct ear_etrace_frame *frame, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, size_t size)
{
	const unsigned length = bytes[0] & LENGTH_MASK, whole = unit->srcid_bits / 8,
		       rest = unit->srcid_bits % 8;
	const bool extend = bytes[0] & EXTEND;

	if (length == 0) {
		frame->kind = extend ? EAR_ETRACE_FRAME_ALIGN : EAR_ETRACE_FRAME_IDLE;
		return 1;
	}
	unsigned time_size = extend ? unit->timestamp_bytes : 0,
		 total = 1 + whole + time_size + length;
	if (size < total)
		return EAR_E_MORE;
	struct ear_etrace_bits bits;
	frame->bytes = bytes + 1 + whole + time_size;
	frame->size = (uint8_t)length;
	frame->has_time = time_size > 0;
	frame->time = load(bytes + 1 + whole, time_size);
	ear_etrace_bits_begin(&bits, frame->bytes, length, 0);
	frame->source =
		(uint32_t)(load(bytes + 1, whole) | ear_etrace_bits_take(&bits, rest) << 8 * whole);
	frame->kind = ear_etrace_bits_take(&bits, unit->type_bits) == type_of_instructions(unit)
			      ? EAR_ETRACE_FRAME_PACKET
			      : EAR_ETRACE_FRAME_OTHER;
	frame->first = (uint8_t)bits.at;
	return (int)total;
}

/* Siemens: length:5, type:2 (2: instructions), timetag:1, then 16 bits of time if timetag is set,
 * the hart's index, and padding to a byte. */
static int parse_smi(struct ear_etrace_frame *frame, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, size_t size)
{
	const unsigned length = bytes[0] & LENGTH_MASK, type = bytes[0] >> FLOW_SHIFT & 3,
		       time_size = bytes[0] & EXTEND ? 2 : 0, whole = (unit->srcid_bits + 7) / 8,
		       total = 1 + time_size + whole + length;

	if (bytes[0] == 0) {
		frame->kind = EAR_ETRACE_FRAME_IDLE;
		return 1;
	}
	if (length == 0 || type < 2)
		return EAR_E_BAD_FRAME;
	if (size < total)
		return EAR_E_MORE;
	frame->kind = type == 2 ? EAR_ETRACE_FRAME_PACKET : EAR_ETRACE_FRAME_OTHER;
	frame->has_time = time_size > 0;
	frame->time = load(bytes + 1, time_size);
	frame->source =
		(uint32_t)ear_etrace_low_bits(load(bytes + 1 + time_size, whole), unit->srcid_bits);
	frame->bytes = bytes + total - length;
	frame->size = (uint8_t)length;
	return (int)total;
}

/* Espressif: the size of all in 5 bits, then a number of 16 bits that counts packets. */
static int parse_esp(struct ear_etrace_frame *frame, const uint8_t *bytes, size_t size)
{
	if (bytes[0] == 0) {
		frame->kind = EAR_ETRACE_FRAME_IDLE;
		return 1;
	}
	if (bytes[0] > LENGTH_MASK || bytes[0] <= EAR_ESP_HEADER_SIZE)
		return EAR_E_BAD_FRAME;
	if (size < bytes[0])
		return EAR_E_MORE;
	frame->kind = EAR_ETRACE_FRAME_PACKET;
	frame->source = ear_load_le16(bytes + 1);
	frame->bytes = bytes + EAR_ESP_HEADER_SIZE;
	frame->size = (uint8_t)(bytes[0] - EAR_ESP_HEADER_SIZE);
	return bytes[0];
}

/* PULP's rv_tracer: 40 bytes, the last one first: the header (length:5, flow:2, extend:1), 64 bits
 * of time, the payload, zeros. */
static int parse_pulp(struct ear_etrace_frame *frame, const uint8_t *bytes, size_t size)
{
	const unsigned end = EAR_PULP_CHUNK_SIZE - 1 - 8;

	if (size < EAR_PULP_CHUNK_SIZE)
		return EAR_E_MORE;
	const unsigned length = bytes[EAR_PULP_CHUNK_SIZE - 1] & LENGTH_MASK;
	if (length == 0) {
		frame->kind = EAR_ETRACE_FRAME_IDLE;
		return (int)EAR_PULP_CHUNK_SIZE;
	}
	for (unsigned i = 0; i < end - length; i++)
		if (bytes[i] != 0)
			return EAR_E_BAD_FRAME;
	for (unsigned i = 0; i < 8; i++)
		frame->time = frame->time << 8 | bytes[end + i];
	frame->has_time = frame->time > 0; /* not connected as a rule */
	frame->kind = EAR_ETRACE_FRAME_PACKET;
	frame->bytes = bytes + end - length;
	frame->size = (uint8_t)length;
	return (int)EAR_PULP_CHUNK_SIZE;
}

int ear_etrace_frame_parse(struct ear_etrace_frame *frame, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, size_t size)
{
	*frame = (struct ear_etrace_frame){0};
	if (size == 0)
		return EAR_E_MORE;
	switch (unit->framing) {
	case EAR_ETRACE_ENCAP: return parse_encap(frame, unit, bytes, size);
	case EAR_ETRACE_SMI: return parse_smi(frame, unit, bytes, size);
	case EAR_ETRACE_PULP: return parse_pulp(frame, bytes, size);
	default: return parse_esp(frame, bytes, size);
	}
}

/* --- Writing --- */

static uint8_t *store(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*at++ = (uint8_t)(value >> 8 * i);
	return at;
}

unsigned ear_etrace_frame_write(uint8_t *bytes, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits, uint32_t source, const uint64_t *time)
{
	struct ear_etrace_bits payload = {0};
	unsigned size = ear_etrace_bits_compress(bits);
	uint8_t *at = bytes + 1;

	if (unit->framing == EAR_ETRACE_ENCAP) {
		ear_etrace_bits_put(
			&payload, source >> unit->srcid_bits / 8 * 8, unit->srcid_bits % 8);
		ear_etrace_bits_put(&payload, type_of_instructions(unit), unit->type_bits);
	}
	for (unsigned i = 0; i < size; i++)
		ear_etrace_bits_put(&payload, bits->bytes[i], 8);
	const unsigned length = (payload.at + 7) / 8;

	if (unit->framing == EAR_ETRACE_SMI) {
		bytes[0] = (uint8_t)(length | 2u << FLOW_SHIFT | (time ? EXTEND : 0));
		at = time ? store(at, *time, 2) : at;
		at = store(at, source, (unit->srcid_bits + 7) / 8);
	} else {
		bytes[0] = (uint8_t)(length | (time ? EXTEND : 0));
		at = store(at, source, unit->srcid_bits / 8);
		at = time ? store(at, *time, unit->timestamp_bytes) : at;
	}
	memcpy(at, payload.bytes, length);
	return (unsigned)(at - bytes) + length;
}

unsigned ear_esp_frame_write(uint8_t *bytes, const struct ear_etrace_bits *bits, uint16_t number)
{
	const unsigned size = bits->at / 8;

	bytes[0] = (uint8_t)(size + EAR_ESP_HEADER_SIZE);
	ear_store_le16(bytes + 1, number);
	memcpy(bytes + EAR_ESP_HEADER_SIZE, bits->bytes, size);
	return size + EAR_ESP_HEADER_SIZE;
}

/* --- CoreSight --- */

/* A byte with an even number is a new source, or data whose lowest bit is in byte 15. That bit of a
 * new source says whether it holds for the next byte already, or for the one after it. */
unsigned ear_atb_take(struct ear_atb *atb, uint8_t wanted, const uint8_t *bytes, uint8_t *data)
{
	unsigned count = 0;

	for (unsigned i = 0; i < EAR_ATB_FRAME_SIZE - 1; i++) {
		bool aside = bytes[EAR_ATB_FRAME_SIZE - 1] >> i / 2 & 1;
		uint8_t id = atb->id;
		if (i % 2 == 0 && bytes[i] & 1) {
			atb->id = bytes[i] >> 1;
			if (!aside || i + 1 == EAR_ATB_FRAME_SIZE - 1)
				continue;
			i++; /* the next byte is still of the old source */
		}
		if (id == wanted)
			data[count++] =
				i % 2 == 0 ? (uint8_t)((bytes[i] & 0xFE) | aside) : bytes[i];
	}
	return count;
}
