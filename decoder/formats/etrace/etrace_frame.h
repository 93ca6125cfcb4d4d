#ifndef EAR_ETRACE_FRAME_H
#define EAR_ETRACE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/etrace/etrace_bits.h"
#include "decoder/formats/etrace/etrace_unit.h"

/* Where packets lie in the bytes of a trace: the unformatted encapsulation ("Unformatted Trace &
 * Diagnostic Data Packet Encapsulation for RISC-V" 1.0), Siemens' header, Espressif's memory; and
 * the frames of ARM's CoreSight around any of them. Pure functions.
 */

enum ear_etrace_frame_kind {
	EAR_ETRACE_FRAME_PACKET,
	EAR_ETRACE_FRAME_IDLE,  /* nothing */
	EAR_ETRACE_FRAME_ALIGN, /* nothing; after EAR_ETRACE_ALIGN_ZEROS idle bytes or more, a
				 * packet certainly begins after it */
	EAR_ETRACE_FRAME_OTHER, /* a packet that is not of instructions */
};

struct ear_etrace_frame {
	uint8_t kind;  /* enum ear_etrace_frame_kind; only PACKET has the members below */
	uint8_t first; /* bit of bytes[0] where the packet begins */
	uint8_t size;  /* of bytes, 1 .. EAR_ETRACE_PAYLOAD_MAX */
	bool has_time;
	const uint8_t *bytes; /* inside of the bytes given */
	uint32_t source;      /* srcID, SMI: hart index; Espressif: the packet's number, 16 bits */
	uint64_t time;        /* of the encapsulation */
};

/* Parse the frame at the front of bytes[0 .. size-1]. Returns the bytes consumed, at least 1;
 * EAR_E_MORE if the frame runs past size; EAR_E_BAD_FRAME if no frame begins like this. */
int ear_etrace_frame_parse(struct ear_etrace_frame *frame, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, size_t size);

/* Bytes of the largest frame. */
#define EAR_ETRACE_FRAME_MAX 64u

/* Inside of a packet are at most so many "null" bytes in a row, whose low five bits are 0: the
 * first other byte after more of them begins a packet (encapsulation 1.0, "Synchronization"). */
static inline unsigned ear_etrace_null_max(const struct ear_etrace_unit *unit)
{
	return 31u + unit->timestamp_bytes + unit->srcid_bits / 8;
}

/* Espressif: zeros between groups of packets; no packet has so many in a row. */
#define EAR_ESP_ANCHOR_ZEROS 14u
#define EAR_ESP_ANCHOR_EVERY 128u /* packets */
#define EAR_ESP_HEADER_SIZE  3u

/* PULP: a chunk for each packet, whose last byte is the header and the eight before it the time. */
#define EAR_PULP_CHUNK_SIZE 40u

/* Write the frame of one packet at bytes, which has room for EAR_ETRACE_FRAME_MAX. bits: the
 * packet, which is compressed here. source and time as above; time NULL: none. Returns the bytes
 * written. */
unsigned ear_etrace_frame_write(uint8_t *bytes, const struct ear_etrace_unit *unit,
	struct ear_etrace_bits *bits, uint32_t source, const uint64_t *time);
unsigned ear_esp_frame_write(uint8_t *bytes, const struct ear_etrace_bits *bits, uint16_t number);

/* Frames of the CoreSight formatter: 16 bytes that hold up to 15 bytes of several sources. */
#define EAR_ATB_FRAME_SIZE 16u

struct ear_atb {
	uint8_t id; /* of the next byte; 0: padding */
};

/* Take the bytes of the source wanted out of a frame: bytes[0 .. 15] to data, which has room for
 * 15. Returns how many. */
unsigned ear_atb_take(struct ear_atb *atb, uint8_t wanted, const uint8_t *bytes, uint8_t *data);

#endif
