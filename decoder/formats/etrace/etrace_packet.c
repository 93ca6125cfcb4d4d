/* Packets of E-Trace 2.0: fields in the order of the specification. The last step of an encoder is
 * sign compression: it removes the highest bits of the whole packet that equal the bit below them.
 * So no field has a size of its own to check; what can be checked is that nothing follows the last
 * field but copies of its last bit, fewer than a byte of them.
 */
#include "decoder/formats/etrace/etrace_packet.h"

#include <earshot/error.h>

/* --- Reading --- */

/* Only copies of the last bit follow. */
static bool ends(const struct ear_etrace_bits *bits)
{
	bool last = ear_etrace_bits_last(bits);

	for (unsigned at = bits->at; at < bits->size; at++)
		if ((bits->bytes[at / 8] >> at % 8 & 1) != last)
			return false;
	return bits->at >= bits->size || bits->size - bits->at < 8;
}

/* The next bit, as asserted: it differs from the one before it. */
static bool take_change(struct ear_etrace_bits *bits)
{
	bool before = ear_etrace_bits_last(bits);

	return ear_etrace_bits_flag(bits) != before;
}

static void take_return(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->irreport = take_change(bits);
	packet->depth = (uint32_t)ear_etrace_bits_take(bits, ear_etrace_depth_width(unit));
}

static void take_tail(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	unsigned width = ear_etrace_address_width(unit);

	packet->has_address = true;
	packet->address = ear_etrace_sign_extend(ear_etrace_bits_take(bits, width), width)
			  << unit->iaddress_lsb;
	packet->notify = take_change(bits);
	packet->updiscon = take_change(bits);
	take_return(packet, unit, bits);
}

static void take_map(
	struct ear_etrace_packet *packet, struct ear_etrace_bits *bits, unsigned branches)
{
	uint64_t map = ear_etrace_bits_take(bits, ear_etrace_map_width(branches));

	packet->branches = (uint8_t)(branches > 0 ? branches : 31);
	packet->map = (uint32_t)ear_etrace_low_bits(map, packet->branches);
}

static void take_absolute(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->has_address = true;
	packet->address = ear_etrace_bits_take(bits, ear_etrace_address_width(unit))
			  << unit->iaddress_lsb;
}

static void take_context(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->privilege = ear_etrace_bits_take(bits, unit->privilege_width);
	packet->time = ear_etrace_bits_take(bits, unit->time_width);
	packet->context = ear_etrace_bits_take(bits, unit->context_width);
}

static int take_count(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->format = EAR_ETRACE_COUNT;
	packet->count = (uint32_t)ear_etrace_bits_take(bits, 32);
	packet->count_format = (uint8_t)ear_etrace_bits_take(bits, 2);
	if (packet->count_format == 1)
		return EAR_E_BAD_MESSAGE;
	if (packet->count_format != EAR_ETRACE_COUNT_FAILED)
		take_tail(packet, unit, bits);
	return 0;
}

static void take_index(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->format = EAR_ETRACE_INDEX;
	packet->index = (uint32_t)ear_etrace_bits_take(bits, unit->cache_size);
	unsigned branches = (unsigned)ear_etrace_bits_take(bits, 5);
	if (branches > 0)
		take_map(packet, bits, branches);
	take_return(packet, unit, bits);
}

static int take_format_0(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	bool index = unit->bpred_size == 0;

	if (unit->bpred_size == 0 && unit->cache_size == 0)
		return EAR_E_BAD_MESSAGE;
	if (unit->f0s_width > 0)
		index = ear_etrace_bits_flag(bits);
	if ((index ? unit->cache_size : unit->bpred_size) == 0)
		return EAR_E_BAD_MESSAGE;
	if (!index)
		return take_count(packet, unit, bits);
	take_index(packet, unit, bits);
	return 0;
}

static void take_format_1(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	unsigned branches = (unsigned)ear_etrace_bits_take(bits, 5);

	packet->format = EAR_ETRACE_MAP;
	take_map(packet, bits, branches);
	if (branches > 0)
		take_tail(packet, unit, bits);
}

static void take_trap(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	bool implicit, struct ear_etrace_bits *bits)
{
	packet->branch = ear_etrace_bits_flag(bits);
	take_context(packet, unit, bits);
	packet->cause = ear_etrace_bits_take(bits, unit->ecause_width);
	packet->interrupt = ear_etrace_bits_flag(bits);
	packet->thaddr = ear_etrace_bits_flag(bits);
	if (!implicit || !packet->thaddr)
		take_absolute(packet, unit, bits);
	packet->has_tval = !packet->interrupt;
	if (packet->has_tval)
		packet->tval = ear_etrace_bits_take(bits, unit->iaddress_width);
}

/* The options of each implementation, the first one in the lowest bit; 0: not of interest. */
static const uint8_t reference_options[] = {EAR_ETRACE_IMPLICIT_RETURN,
	EAR_ETRACE_IMPLICIT_EXCEPTION, EAR_ETRACE_FULL_ADDRESS, EAR_ETRACE_JUMP_TARGET_CACHE,
	EAR_ETRACE_BRANCH_PREDICTION};
static const uint8_t pulp_options[] = {EAR_ETRACE_JUMP_TARGET_CACHE, EAR_ETRACE_BRANCH_PREDICTION,
	EAR_ETRACE_IMPLICIT_RETURN, EAR_ETRACE_SIJUMP, EAR_ETRACE_IMPLICIT_EXCEPTION,
	EAR_ETRACE_FULL_ADDRESS, 0};

static const struct {
	const uint8_t *options;
	unsigned count;
	unsigned data; /* bits of denable, dloss and doptions */
} supports[EAR_ETRACE_SUPPORTS] = {
	[EAR_ETRACE_SUPPORT_REFERENCE] = {reference_options, sizeof(reference_options), 6},
	[EAR_ETRACE_SUPPORT_PULP] = {pulp_options, sizeof(pulp_options), 6},
};

static void take_support(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits)
{
	packet->enabled = ear_etrace_bits_flag(bits);
	ear_etrace_bits_take(bits, 1); /* encoder_mode: branch trace is the only one */
	packet->status = (uint8_t)ear_etrace_bits_take(bits, 2);
	packet->has_options = supports[unit->support].options != NULL;
	for (unsigned i = 0; i < supports[unit->support].count; i++)
		if (ear_etrace_bits_flag(bits))
			packet->options |= supports[unit->support].options[i];
	ear_etrace_bits_take(bits, supports[unit->support].data);
	/* What follows is the implementation's own. */
	if (!packet->has_options)
		bits->at = bits->size;
}

static void take_format_3(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	bool implicit, struct ear_etrace_bits *bits)
{
	packet->format = (uint8_t)(EAR_ETRACE_SYNC + ear_etrace_bits_take(bits, 2));
	switch (packet->format) {
	case EAR_ETRACE_SYNC:
		packet->branch = ear_etrace_bits_flag(bits);
		take_context(packet, unit, bits);
		take_absolute(packet, unit, bits);
		break;
	case EAR_ETRACE_TRAP: take_trap(packet, unit, implicit, bits); break;
	case EAR_ETRACE_CONTEXT: take_context(packet, unit, bits); break;
	default: take_support(packet, unit, bits); break;
	}
}

/* The packet alone has whole bytes; bits after it in the last byte mean nothing. */
static void begin(struct ear_etrace_bits *bits, const uint8_t *bytes, unsigned size, unsigned first)
{
	uint8_t shifted[EAR_ETRACE_PAYLOAD_MAX];
	unsigned whole = (8 * size - first) / 8;

	ear_etrace_bits_begin(bits, bytes, size, first);
	if (first == 0 || whole == 0)
		return;
	for (unsigned i = 0; i < whole; i++)
		shifted[i] = (uint8_t)ear_etrace_bits_take(bits, 8);
	ear_etrace_bits_begin(bits, shifted, whole, 0);
}

int ear_etrace_packet_parse(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	bool implicit_exception, const uint8_t *bytes, unsigned size, unsigned first)
{
	struct ear_etrace_bits bits;
	int result = 0;

	*packet = (struct ear_etrace_packet){0};
	if (8 * size <= first || size > EAR_ETRACE_PAYLOAD_MAX)
		return EAR_E_BAD_MESSAGE;
	begin(&bits, bytes, size, first);
	switch (ear_etrace_bits_take(&bits, 2)) {
	case 0: result = take_format_0(packet, unit, &bits); break;
	case 1: take_format_1(packet, unit, &bits); break;
	case 2:
		packet->format = EAR_ETRACE_ADDRESS;
		take_tail(packet, unit, &bits);
		break;
	default: take_format_3(packet, unit, implicit_exception, &bits); break;
	}
	return result == 0 && !ends(&bits) ? EAR_E_BAD_MESSAGE : result;
}

/* --- Writing --- */

static void put_change(struct ear_etrace_bits *bits, bool asserted)
{
	ear_etrace_bits_put(bits, ear_etrace_bits_last(bits) != asserted, 1);
}

static void put_return(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	const struct ear_etrace_packet *packet)
{
	put_change(bits, packet->irreport);
	uint64_t copies = ear_etrace_bits_last(bits) ? UINT64_MAX : 0;
	ear_etrace_bits_put(
		bits, packet->irreport ? packet->depth : copies, ear_etrace_depth_width(unit));
}

static void put_address(
	struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit, uint64_t address)
{
	ear_etrace_bits_put(bits, address >> unit->iaddress_lsb, ear_etrace_address_width(unit));
}

static void put_tail(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	const struct ear_etrace_packet *packet)
{
	put_address(bits, unit, packet->address);
	put_change(bits, packet->notify);
	put_change(bits, packet->updiscon);
	put_return(bits, unit, packet);
}

static void put_context(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	const struct ear_etrace_packet *packet)
{
	ear_etrace_bits_put(bits, packet->privilege, unit->privilege_width);
	ear_etrace_bits_put(bits, packet->time, unit->time_width);
	ear_etrace_bits_put(bits, packet->context, unit->context_width);
}

static void put_support(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	const struct ear_etrace_packet *packet)
{
	ear_etrace_bits_put(bits, packet->enabled, 1);
	ear_etrace_bits_put(bits, 0, 1);
	ear_etrace_bits_put(bits, packet->status, 2);
	for (unsigned i = 0; i < supports[unit->support].count; i++) {
		uint8_t option = supports[unit->support].options[i];
		ear_etrace_bits_put(bits, (packet->options & option) != 0, 1);
	}
	ear_etrace_bits_put(bits, 0, supports[unit->support].data);
}

static void put_format_0(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	const struct ear_etrace_packet *packet)
{
	ear_etrace_bits_put(bits, 0, 2);
	ear_etrace_bits_put(bits, packet->format == EAR_ETRACE_INDEX, unit->f0s_width);
	if (packet->format == EAR_ETRACE_COUNT) {
		ear_etrace_bits_put(bits, packet->count, 32);
		ear_etrace_bits_put(bits, packet->count_format, 2);
		if (packet->count_format != EAR_ETRACE_COUNT_FAILED)
			put_tail(bits, unit, packet);
		return;
	}
	ear_etrace_bits_put(bits, packet->index, unit->cache_size);
	ear_etrace_bits_put(bits, packet->branches, 5);
	if (packet->branches > 0)
		ear_etrace_bits_put(bits, packet->map, ear_etrace_map_width(packet->branches));
	put_return(bits, unit, packet);
}

static void put_trap(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	bool implicit, const struct ear_etrace_packet *packet)
{
	ear_etrace_bits_put(bits, packet->branch, 1);
	put_context(bits, unit, packet);
	ear_etrace_bits_put(bits, packet->cause, unit->ecause_width);
	ear_etrace_bits_put(bits, packet->interrupt, 1);
	ear_etrace_bits_put(bits, packet->thaddr, 1);
	if (!implicit || !packet->thaddr)
		put_address(bits, unit, packet->address);
	if (!packet->interrupt)
		ear_etrace_bits_put(bits, packet->tval, unit->iaddress_width);
}

static void put_format_3(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	bool implicit, const struct ear_etrace_packet *packet)
{
	ear_etrace_bits_put(bits, 3, 2);
	ear_etrace_bits_put(bits, packet->format - (unsigned)EAR_ETRACE_SYNC, 2);
	switch (packet->format) {
	case EAR_ETRACE_SYNC:
		ear_etrace_bits_put(bits, packet->branch, 1);
		put_context(bits, unit, packet);
		put_address(bits, unit, packet->address);
		break;
	case EAR_ETRACE_TRAP: put_trap(bits, unit, implicit, packet); break;
	case EAR_ETRACE_CONTEXT: put_context(bits, unit, packet); break;
	default: put_support(bits, unit, packet); break;
	}
}

void ear_etrace_packet_put(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	bool implicit_exception, const struct ear_etrace_packet *packet)
{
	switch (packet->format) {
	case EAR_ETRACE_COUNT:
	case EAR_ETRACE_INDEX: put_format_0(bits, unit, packet); break;
	case EAR_ETRACE_MAP:
		ear_etrace_bits_put(bits, 1, 2);
		ear_etrace_bits_put(bits, packet->has_address ? packet->branches : 0u, 5);
		ear_etrace_bits_put(bits, packet->map,
			ear_etrace_map_width(packet->has_address ? packet->branches : 0u));
		if (packet->has_address)
			put_tail(bits, unit, packet);
		break;
	case EAR_ETRACE_ADDRESS:
		ear_etrace_bits_put(bits, 2, 2);
		put_tail(bits, unit, packet);
		break;
	default: put_format_3(bits, unit, implicit_exception, packet); break;
	}
}

unsigned ear_etrace_bits_compress(struct ear_etrace_bits *bits)
{
	bool last = ear_etrace_bits_last(bits);

	while (bits->at > 1) {
		unsigned before = bits->at - 2;
		if ((bits->bytes[before / 8] >> before % 8 & 1) != last)
			break;
		bits->at--;
	}
	while (bits->at % 8 != 0)
		ear_etrace_bits_put(bits, last, 1);
	return bits->at / 8;
}
