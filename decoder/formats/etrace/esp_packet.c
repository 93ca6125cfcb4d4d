/* Packets of Espressif's trace units, after the technical reference manuals of ESP32-C6 (PT10), C5,
 * C61 and P4 (ET20). They are E-Trace without sign compression: each kind of packet has a fixed
 * layout, padded to whole bytes. The two generations differ in the order of the last fields: PT10
 * has the address before notify and updiscon, ET20 after them, in as few bytes as it needs.
 * Nothing of this was held against a chip.
 */
#include <earshot/error.h>

#include "decoder/formats/etrace/etrace_packet.h"

#define ADDRESS_WIDTH 31 /* of 32 bits, without the lowest one */

static bool is_pt10(const struct ear_etrace_unit *unit)
{
	return unit->framing == EAR_ETRACE_PT10;
}

/* --- Reading --- */

/* notify and updiscon, of bits that follow each other after the bit "before". */
static void take_changes(
	struct ear_etrace_packet *packet, struct ear_etrace_bits *bits, bool before)
{
	bool notify = ear_etrace_bits_flag(bits), updiscon = ear_etrace_bits_flag(bits);

	packet->notify = notify != before;
	packet->updiscon = updiscon != notify;
}

static void take_address(
	struct ear_etrace_packet *packet, struct ear_etrace_bits *bits, unsigned width)
{
	uint64_t address = ear_etrace_bits_take(bits, width);

	packet->has_address = true;
	packet->address = ear_etrace_sign_extend(address, width) << 1;
}

/* The end of a packet with branches or an address: 0 if the packet has the size that it needs. */
static int take_tail(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	if (is_pt10(unit)) {
		take_address(packet, bits, ADDRESS_WIDTH);
		take_changes(packet, bits, ear_etrace_bits_last(bits));
		return bits->at <= bits->size && bits->size - bits->at < 8 ? 0 : EAR_E_BAD_MESSAGE;
	}
	struct ear_etrace_bits changes = *bits;
	bits->at = (bits->at + 2 + 7) / 8 * 8;
	if (bits->at >= bits->size || bits->size - bits->at > 32)
		return EAR_E_BAD_MESSAGE;
	take_address(packet, bits, bits->size - bits->at);
	take_changes(packet, &changes, ear_etrace_bits_last(bits));
	return 0;
}

static int take_map(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	unsigned branches = (unsigned)ear_etrace_bits_take(bits, 5);
	uint64_t map = ear_etrace_bits_take(bits, ear_etrace_map_width(branches));

	packet->format = EAR_ETRACE_MAP;
	packet->branches = (uint8_t)(branches > 0 ? branches : 31);
	packet->map = (uint32_t)ear_etrace_low_bits(map, packet->branches);
	if (branches > 0)
		return take_tail(packet, unit, bits);
	return bits->size == 40 ? 0 : EAR_E_BAD_MESSAGE;
}

static void take_absolute(struct ear_etrace_packet *packet, struct ear_etrace_bits *bits)
{
	packet->has_address = true;
	packet->address = ear_etrace_bits_take(bits, ADDRESS_WIDTH) << 1;
}

static void take_trap(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->branch = ear_etrace_bits_flag(bits);
	packet->privilege = ear_etrace_bits_take(bits, 1);
	packet->cause = ear_etrace_bits_take(bits, is_pt10(unit) ? 5 : 6);
	packet->interrupt = ear_etrace_bits_flag(bits);
	packet->thaddr = is_pt10(unit) || ear_etrace_bits_flag(bits);
	take_absolute(packet, bits);
	packet->has_tval = !packet->interrupt;
	/* PT10 has the field also for interrupts. */
	if (is_pt10(unit) || packet->has_tval)
		packet->tval = ear_etrace_bits_take(bits, 32);
}

static void take_support(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->enabled = ear_etrace_bits_flag(bits);
	if (!is_pt10(unit))
		ear_etrace_bits_take(bits, 1);
	packet->status = (uint8_t)ear_etrace_bits_take(bits, 2);
	/* The meaning of ET20's options is not known well enough to be used. */
	ear_etrace_bits_take(bits, is_pt10(unit) ? 1 : 8);
}

static int take_format_3(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->format = (uint8_t)(EAR_ETRACE_SYNC + ear_etrace_bits_take(bits, 2));
	switch (packet->format) {
	case EAR_ETRACE_SYNC:
		packet->branch = ear_etrace_bits_flag(bits);
		packet->privilege = ear_etrace_bits_take(bits, 1);
		take_absolute(packet, bits);
		break;
	case EAR_ETRACE_TRAP: take_trap(packet, unit, bits); break;
	case EAR_ETRACE_SUPPORT: take_support(packet, unit, bits); break;
	default: return EAR_E_BAD_MESSAGE;
	}
	return bits->at <= bits->size && bits->size - bits->at < 8 ? 0 : EAR_E_BAD_MESSAGE;
}

int ear_esp_packet_parse(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, unsigned size)
{
	struct ear_etrace_bits bits;

	*packet = (struct ear_etrace_packet){0};
	if (size == 0 || size > EAR_ETRACE_PAYLOAD_MAX)
		return EAR_E_BAD_MESSAGE;
	ear_etrace_bits_begin(&bits, bytes, size, 0);
	switch (ear_etrace_bits_take(&bits, 2)) {
	case 1: return take_map(packet, unit, &bits);
	case 2: packet->format = EAR_ETRACE_ADDRESS; return take_tail(packet, unit, &bits);
	case 3: return take_format_3(packet, unit, &bits);
	default: return EAR_E_BAD_MESSAGE;
	}
}

/* --- Writing --- */

static void put_changes(
	struct ear_etrace_bits *bits, const struct ear_etrace_packet *packet, bool before)
{
	bool notify = packet->notify != before;

	ear_etrace_bits_put(bits, notify, 1);
	ear_etrace_bits_put(bits, packet->updiscon != notify, 1);
}

/* Bits of ET20's address: whole bytes, as few as keep the value. */
static unsigned address_bits(uint64_t value)
{
	unsigned width = 8;

	while (width < 32 && ear_etrace_low_bits(ear_etrace_sign_extend(value, width), 32) !=
				     ear_etrace_low_bits(value, 32))
		width += 8;
	return width;
}

static void put_tail(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit, bool full,
	const struct ear_etrace_packet *packet)
{
	uint64_t value = ear_etrace_low_bits(packet->address >> 1, ADDRESS_WIDTH);

	if (is_pt10(unit)) {
		ear_etrace_bits_put(bits, value, ADDRESS_WIDTH);
		put_changes(bits, packet, ear_etrace_bits_last(bits));
		return;
	}
	if (!full)
		value = ear_etrace_sign_extend(value, ADDRESS_WIDTH);
	unsigned width = full ? 32 : address_bits(value);
	put_changes(bits, packet, value >> (width - 1) & 1);
	bits->at = (bits->at + 7) / 8 * 8;
	ear_etrace_bits_put(bits, value, width);
}

static void put_format_3(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	const struct ear_etrace_packet *packet)
{
	ear_etrace_bits_put(bits, 3, 2);
	ear_etrace_bits_put(bits, packet->format - (unsigned)EAR_ETRACE_SYNC, 2);
	if (packet->format == EAR_ETRACE_SUPPORT) {
		ear_etrace_bits_put(bits, packet->enabled, 1);
		ear_etrace_bits_put(bits, 0, is_pt10(unit) ? 0 : 1);
		ear_etrace_bits_put(bits, packet->status, 2);
		ear_etrace_bits_put(bits, 0, is_pt10(unit) ? 1 : 8);
		return;
	}
	ear_etrace_bits_put(bits, packet->branch, 1);
	ear_etrace_bits_put(bits, packet->privilege, 1);
	if (packet->format == EAR_ETRACE_TRAP) {
		ear_etrace_bits_put(bits, packet->cause, is_pt10(unit) ? 5 : 6);
		ear_etrace_bits_put(bits, packet->interrupt, 1);
		ear_etrace_bits_put(bits, packet->thaddr, is_pt10(unit) ? 0 : 1);
	}
	ear_etrace_bits_put(bits, packet->address >> 1, ADDRESS_WIDTH);
	if (packet->format == EAR_ETRACE_TRAP && (is_pt10(unit) || !packet->interrupt))
		ear_etrace_bits_put(bits, packet->tval, 32);
}

unsigned ear_esp_packet_put(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	bool full, const struct ear_etrace_packet *packet)
{
	switch (packet->format) {
	case EAR_ETRACE_MAP:
		ear_etrace_bits_put(bits, 1, 2);
		ear_etrace_bits_put(bits, packet->has_address ? packet->branches : 0u, 5);
		ear_etrace_bits_put(bits, packet->map,
			ear_etrace_map_width(packet->has_address ? packet->branches : 0u));
		if (packet->has_address)
			put_tail(bits, unit, full, packet);
		break;
	case EAR_ETRACE_ADDRESS:
		ear_etrace_bits_put(bits, 2, 2);
		put_tail(bits, unit, full, packet);
		break;
	default: put_format_3(bits, unit, packet); break;
	}
	bits->at = (bits->at + 7) / 8 * 8;
	return bits->at / 8;
}
