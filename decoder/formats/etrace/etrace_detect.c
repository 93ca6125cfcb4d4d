/* A stream has no magic number, so many packets in a row must be possible ones, each with no bytes
 * left over, and each source must begin with where its hart is.
 */
#include "decoder/formats/etrace/etrace_detect.h"

#include "decoder/flow/flow_unit.h"
#include "decoder/formats/etrace/etrace_frame.h"
#include "decoder/formats/etrace/etrace_packet.h"

#define DETECT_PACKETS       6u
#define DETECT_SRCID_PACKETS 16u /* more: many widths are tried */
#define DETECT_SOURCES       8u

/* Where the sources of a stream have been so far. */
struct detected {
	unsigned count;
	uint32_t sources[DETECT_SOURCES];
	bool synchronised[DETECT_SOURCES];
	unsigned source_count;
};

/* Can the next packet be this one? A source begins with where its hart is. */
static bool detect_packet(
	struct detected *found, uint32_t source, const struct ear_etrace_packet *packet)
{
	unsigned i = 0;

	while (i < found->source_count && found->sources[i] != source)
		i++;
	if (i == DETECT_SOURCES)
		return false;
	const bool begins = packet->format == EAR_ETRACE_SYNC ||
			    (i == found->source_count && packet->format == EAR_ETRACE_SUPPORT);
	if (i == found->source_count) {
		found->sources[found->source_count++] = source;
		found->synchronised[i] = false;
	}
	found->synchronised[i] |= packet->format == EAR_ETRACE_SYNC;
	found->count++;
	return begins || found->synchronised[i];
}

/* Are at least so many packets at the beginning those of the unit? Flows and time stamps are not
 * used there, so the first three bits of each length are 0, which they are in no text. */
static bool is_of_unit(
	const struct ear_etrace_unit *unit, const uint8_t *bytes, size_t size, unsigned wanted)
{
	struct ear_etrace_frame frame;
	struct ear_etrace_packet packet;
	struct detected found = {0};
	size_t at = 0;

	while (found.count < wanted && at < size) {
		int taken = ear_etrace_frame_parse(&frame, unit, bytes + at, size - at);
		if (taken <= 0 || bytes[at] >> 5)
			return false;
		at += (size_t)taken;
		if (frame.kind == EAR_ETRACE_FRAME_PACKET &&
			(ear_etrace_packet_parse(
				 &packet, unit, false, frame.bytes, frame.size, frame.first) ||
				!detect_packet(&found, frame.source, &packet)))
			return false;
	}
	return found.count >= wanted;
}

uint32_t ear_etrace_find_srcid(
	const struct ear_etrace_unit *usual, const uint8_t *bytes, size_t size)
{
	struct ear_etrace_unit unit = *usual;
	uint32_t width = 0;

	if (is_of_unit(&unit, bytes, size, DETECT_PACKETS))
		return 0;
	for (unit.srcid_bits = 1; unit.srcid_bits <= 16; unit.srcid_bits++) {
		if (!is_of_unit(&unit, bytes, size, DETECT_SRCID_PACKETS))
			continue;
		if (width > 0)
			return 0;
		width = unit.srcid_bits;
	}
	return width;
}

bool ear_etrace_detect(const uint8_t *bytes, size_t size)
{
	static const unsigned xlens[] = {32, 64};
	struct ear_etrace_unit unit;
	char fault[EAR_FLOW_FAULT_SIZE];

	for (unsigned i = 0; i < 2; i++)
		if (ear_etrace_unit_read(
			    &unit, NULL, NULL, false, xlens[i], fault, sizeof(fault)) == 0 &&
			(is_of_unit(&unit, bytes, size, DETECT_PACKETS) ||
				ear_etrace_find_srcid(&unit, bytes, size) > 0))
			return true;
	return false;
}
