#ifndef EAR_ETRACE_PACKET_H
#define EAR_ETRACE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/formats/etrace/etrace_bits.h"
#include "decoder/formats/etrace/etrace_unit.h"

/* Packets of E-Trace 2.0 ("Instruction Trace Encoder Output Packets"), as they are and as
 * Espressif's trace units lay them out: pure functions from bytes to a struct, and back.
 */

enum ear_etrace_format {
	EAR_ETRACE_COUNT,   /* 0.0: branches that went as predicted */
	EAR_ETRACE_INDEX,   /* 0.1: index into the jump target cache, and branches */
	EAR_ETRACE_MAP,     /* 1: branches, and an address unless the map is full */
	EAR_ETRACE_ADDRESS, /* 2: an address */
	EAR_ETRACE_SYNC,    /* 3.0: where the hart is */
	EAR_ETRACE_TRAP,    /* 3.1: an exception or interrupt */
	EAR_ETRACE_CONTEXT, /* 3.2: privilege and context changed */
	EAR_ETRACE_SUPPORT  /* 3.3: the encoder's state and options */
};

/* What qual_status says. */
enum ear_etrace_status {
	EAR_ETRACE_NO_CHANGE,
	EAR_ETRACE_ENDED_REP, /* it ended: the packet before was sent because of that */
	EAR_ETRACE_TRACE_LOST,
	EAR_ETRACE_ENDED_NTR /* it ended, and the packet before would have been sent anyway */
};

/* branch_fmt of COUNT. */
enum ear_etrace_count_format {
	EAR_ETRACE_COUNT_FAILED = 0,  /* no address; the branch after these was mispredicted */
	EAR_ETRACE_COUNT_ADDRESS = 2, /* a branch at the address was predicted right */
	EAR_ETRACE_COUNT_ADDRESS_FAILED = 3 /* the branch at the address was mispredicted */
};

#define EAR_ETRACE_COUNT_BIAS 31u /* branch_count is less than the branches by this */

struct ear_etrace_packet {
	uint8_t format; /* enum ear_etrace_format; it decides which members mean something */
	/* COUNT with an address, MAP with an address, ADDRESS, SYNC, TRAP with an address. */
	bool has_address;
	/* With an address in COUNT, MAP, ADDRESS: is the bit different from the one before it?
	 * INDEX has only irreport. */
	bool notify, updiscon, irreport;
	bool branch; /* SYNC, TRAP: a branch at address was not taken; true of others */
	bool interrupt, thaddr, has_tval; /* TRAP; thaddr: the handler's first instruction retired,
					   * and address is its address */
	bool enabled;                     /* SUPPORT: ienable */
	bool has_options;                 /* SUPPORT: options is known */
	uint8_t options;                  /* SUPPORT: set of enum ear_etrace_option */
	uint8_t status;                   /* SUPPORT: enum ear_etrace_status */
	uint8_t count_format;             /* COUNT: enum ear_etrace_count_format */
	uint8_t branches;   /* MAP, INDEX: how many; a full MAP without address has 31 */
	uint32_t map;       /* the oldest branch in bit 0; 1: not taken; no bits above branches */
	uint32_t count;     /* COUNT: branch_count, without the bias */
	uint32_t index;     /* INDEX */
	uint32_t depth;     /* irdepth, if irreport */
	uint64_t privilege; /* SYNC, TRAP, CONTEXT: privilege_width bits */
	uint64_t time, context; /* SYNC, TRAP, CONTEXT; time also of a packet that is to be written,
				 * when what it reports happened */
	uint64_t address; /* shifted left by iaddress_lsb; ADDRESS, MAP, COUNT: sign-extended, as it
			   * may be a difference */
	uint64_t cause, tval;
};

/* Parse the packet in bytes[0 .. size-1], which begins in bit first of bytes[0]. Formats SYNC, TRAP
 * and CONTEXT are those of E-Trace 2.0; unit is valid.
 *
 * implicit_exception: the option in force; a trap whose handler retired then has no address.
 * Returns 0; EAR_E_BAD_MESSAGE if no packet of such an encoder has these bytes:
 * bits follow the last field that are not copies of the last one, or a value is reserved. *packet
 * then means nothing.
 */
int ear_etrace_packet_parse(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	bool implicit_exception, const uint8_t *bytes, unsigned size, unsigned first);

/* Append the packet to *bits. */
void ear_etrace_packet_put(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	bool implicit_exception, const struct ear_etrace_packet *packet);

/* Remove the bits at the end that a decoder adds again. Returns the bytes left, at least 1; bits is
 * not empty. */
unsigned ear_etrace_bits_compress(struct ear_etrace_bits *bits);

/* The same for the packets of PT10 and ET20 (unit->framing), without header and index. There is no
 * compression: a wrong size is EAR_E_BAD_MESSAGE, too. put returns the bytes written to *bits.
 * full: the address is written in 4 bytes; reading, the size decides. */
int ear_esp_packet_parse(struct ear_etrace_packet *packet, const struct ear_etrace_unit *unit,
	const uint8_t *bytes, unsigned size);
unsigned ear_esp_packet_put(struct ear_etrace_bits *bits, const struct ear_etrace_unit *unit,
	bool full, const struct ear_etrace_packet *packet);

/* The same for the packets of PULP's rv_tracer (unit->framing): the payload as it lies in a chunk.
 */
int ear_pulp_packet_parse(struct ear_etrace_packet *packet, const uint8_t *bytes, unsigned size);

/* Bits of a map of so many branches, 0 .. 31; 0 are all 31. */
static inline unsigned ear_etrace_map_width(unsigned branches)
{
	return branches == 0 || branches > 15 ? 31
	       : branches > 7                 ? 15
	       : branches > 3                 ? 7
	       : branches > 1                 ? 3
					      : 1;
}

#endif
