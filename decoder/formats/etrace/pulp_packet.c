/* Packets of PULP's rv_tracer, as its te_packet_emitter.sv sends them. The bytes of a payload come
 * with the last one first. An address has 8 k + 1 bits, as few as keep its value; how many shows in
 * the size of the packet. notify repeats the highest bit of the address that is reported, not of
 * the difference that is sent, so it says nothing; updiscon is compared with it.
 */
#include "decoder/formats/etrace/etrace_packet.h"

#include <earshot/error.h>

#define CAUSE_WIDTH 64u
#define VALUE_WIDTH 64u
#define FLAGS       3u /* notify, updiscon, irreport */

/* Of a full map, without an address. A longer one has 16 to 30 branches and an address, but
 * rv_tracer sends 0 for the number of branches, if no jump is reported: how many there are is lost.
 */
#define FULL_MAP_BITS 40u

/* The address, after which the fields of so many bits follow. False if the packet is too short. */
static bool take_address(
	struct ear_etrace_packet *packet, struct ear_etrace_bits *bits, unsigned after)
{
	if (bits->size < bits->at + after + 9)
		return false;
	const unsigned width = (bits->size - bits->at - after) / 8 * 8 + 1;
	if (width > 65)
		return false;
	const uint64_t value = ear_etrace_bits_take(bits, width < 64 ? width : 64);
	packet->has_address = true;
	packet->address = width < 64 ? ear_etrace_sign_extend(value, width) : value;
	ear_etrace_bits_take(bits, width < 64 ? 0 : 1);
	return true;
}

static bool take_tail(struct ear_etrace_packet *packet, struct ear_etrace_bits *bits)
{
	if (!take_address(packet, bits, FLAGS))
		return false;
	const bool notify = ear_etrace_bits_flag(bits);
	packet->updiscon = ear_etrace_bits_flag(bits) != notify;
	ear_etrace_bits_flag(bits);
	return true;
}

static bool take_map(struct ear_etrace_packet *packet, struct ear_etrace_bits *bits)
{
	const unsigned branches = (unsigned)ear_etrace_bits_take(bits, 5);
	const uint64_t map = ear_etrace_bits_take(bits, ear_etrace_map_width(branches));

	packet->format = EAR_ETRACE_MAP;
	packet->branches = (uint8_t)(branches > 0 ? branches : 31);
	packet->map = (uint32_t)ear_etrace_low_bits(map, packet->branches);
	return branches > 0 ? take_tail(packet, bits) : bits->size == FULL_MAP_BITS;
}

static bool take_trap(struct ear_etrace_packet *packet, struct ear_etrace_bits *bits)
{
	packet->cause = ear_etrace_bits_take(bits, CAUSE_WIDTH);
	packet->interrupt = ear_etrace_bits_flag(bits);
	packet->thaddr = ear_etrace_bits_flag(bits);
	if (!take_address(packet, bits, VALUE_WIDTH))
		return false;
	packet->tval = ear_etrace_bits_take(bits, VALUE_WIDTH);
	packet->has_tval = !packet->interrupt;
	return true;
}

static void take_support(struct ear_etrace_packet *packet, struct ear_etrace_bits *bits)
{
	static const uint8_t options[] = {EAR_ETRACE_JUMP_TARGET_CACHE,
		EAR_ETRACE_BRANCH_PREDICTION, EAR_ETRACE_IMPLICIT_RETURN, EAR_ETRACE_SIJUMP,
		EAR_ETRACE_IMPLICIT_EXCEPTION, EAR_ETRACE_FULL_ADDRESS, 0};

	packet->enabled = ear_etrace_bits_flag(bits);
	ear_etrace_bits_flag(bits); /* the mode */
	packet->status = (uint8_t)ear_etrace_bits_take(bits, 2);
	packet->has_options = true;
	for (unsigned i = 0; i < sizeof(options); i++)
		packet->options |= ear_etrace_bits_flag(bits) ? options[i] : 0;
}

static bool take_format_3(struct ear_etrace_packet *packet, struct ear_etrace_bits *bits)
{
	packet->format = (uint8_t)(EAR_ETRACE_SYNC + ear_etrace_bits_take(bits, 2));
	if (packet->format == EAR_ETRACE_SUPPORT) {
		take_support(packet, bits);
		return bits->at <= bits->size;
	}
	if (packet->format != EAR_ETRACE_CONTEXT)
		packet->branch = ear_etrace_bits_flag(bits);
	packet->privilege = ear_etrace_bits_take(bits, 2);
	switch (packet->format) {
	case EAR_ETRACE_SYNC: return take_address(packet, bits, 0);
	case EAR_ETRACE_TRAP: return take_trap(packet, bits);
	default: return bits->at <= bits->size;
	}
}

int ear_pulp_packet_parse(struct ear_etrace_packet *packet, const uint8_t *bytes, unsigned size)
{
	uint8_t turned[EAR_ETRACE_PAYLOAD_MAX];
	struct ear_etrace_bits bits;
	bool good = false;

	*packet = (struct ear_etrace_packet){0};
	if (size == 0 || size > sizeof(turned))
		return EAR_E_BAD_MESSAGE;
	for (unsigned i = 0; i < size; i++)
		turned[i] = bytes[size - 1 - i];
	ear_etrace_bits_begin(&bits, turned, size, 0);
	switch (ear_etrace_bits_take(&bits, 2)) {
	case 1: good = take_map(packet, &bits); break;
	case 2:
		packet->format = EAR_ETRACE_ADDRESS;
		good = take_tail(packet, &bits);
		break;
	case 3: good = take_format_3(packet, &bits); break;
	default: break;
	}
	return good ? 0 : EAR_E_BAD_MESSAGE;
}
