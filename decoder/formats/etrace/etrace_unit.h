#ifndef EAR_ETRACE_UNIT_H
#define EAR_ETRACE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/flow/flow_ring.h"

/* The parameters of a trace encoder. None of them is in the stream. The names are those of the
 * specification ("Efficient Trace for RISC-V" 2.0, "Discovery of encoder parameters") without _p.
 */

/* How packets lie in the bytes. */
enum ear_etrace_framing {
	EAR_ETRACE_ENCAP, /* unformatted encapsulation 1.0; without srcID, time stamps and type
			   * also a byte of length before each packet */
	EAR_ETRACE_SMI,   /* Siemens Messaging Infrastructure */
	EAR_ETRACE_PT10,  /* Espressif, first generation: ESP32-C6, H2 */
	EAR_ETRACE_ET20,  /* Espressif, second generation: ESP32-C5, C61, P4, ... */
	EAR_ETRACE_PULP,  /* PULP's rv_tracer: chunks of 40 bytes */
	EAR_ETRACE_FRAMINGS
};

/* The order of the options in a support packet, which each implementation chooses. */
enum ear_etrace_support {
	EAR_ETRACE_SUPPORT_REFERENCE,
	EAR_ETRACE_SUPPORT_PULP,
	EAR_ETRACE_SUPPORT_UNKNOWN, /* options are not taken from the stream */
	EAR_ETRACE_SUPPORTS
};

/* Options that can change while the encoder runs. */
enum ear_etrace_option {
	EAR_ETRACE_FULL_ADDRESS = 1 << 0,
	EAR_ETRACE_IMPLICIT_EXCEPTION = 1 << 1,
	EAR_ETRACE_IMPLICIT_RETURN = 1 << 2,
	EAR_ETRACE_SIJUMP = 1 << 3, /* sequentially inferable jumps */
	EAR_ETRACE_BRANCH_PREDICTION = 1 << 4,
	EAR_ETRACE_JUMP_TARGET_CACHE = 1 << 5,
	EAR_ETRACE_OPTIONS = (1 << 6) - 1
};

/* Whether Espressif's packets have absolute addresses; sources differ. */
enum ear_etrace_address_mode {
	EAR_ETRACE_MODE_TRY, /* both ways, and the one is taken that fits the program */
	EAR_ETRACE_MODE_DELTA,
	EAR_ETRACE_MODE_FULL
};

#define EAR_ETRACE_BPRED_MAX 16 /* log2 of the entries */
#define EAR_ETRACE_CACHE_MAX 16
#define EAR_ETRACE_STACK_MAX 10

/* The handler of an exception or interrupt. */
struct ear_etrace_vector {
	bool interrupt;
	uint64_t cause, address;
};

#define EAR_ETRACE_VECTORS_MAX 128u

struct ear_etrace_unit {
	uint32_t framing; /* enum ear_etrace_framing */
	uint32_t support; /* enum ear_etrace_support */

	uint32_t iaddress_width;                       /* 8 .. 64 */
	uint32_t iaddress_lsb;                         /* 0 .. 2 */
	uint32_t privilege_width;                      /* 0 .. 8 */
	uint32_t ecause_width;                         /* 0 .. 64 */
	uint32_t time_width;                           /* 0 .. 64; 0: notime */
	uint32_t context_width;                        /* 0 .. 64; 0: nocontext */
	uint32_t f0s_width;                            /* 0 .. 1 */
	uint32_t bpred_size, cache_size;               /* log2 of the entries; 0: none */
	uint32_t call_counter_size, return_stack_size; /* log2 of the entries; one of them is 0 */

	/* Options, until the first support packet: 0 or 1. */
	uint32_t full_address, implicit_exception, implicit_return, sijump, branch_prediction,
		jump_target_cache;

	uint32_t ras; /* implicit return: 0: x1 is the link register, 1: x1 and x5 are */

	/* Of the encapsulation. */
	uint32_t srcid_bits;      /* 0 .. 16; SMI: of the hart index */
	uint32_t timestamp_bytes; /* 0 .. 8, where the header announces one */
	uint32_t type_bits; /* 0 .. 8; packets of another type than 0 are not of instructions */

	/* Of the stream. */
	uint32_t xlen;   /* 32 or 64; 0: as iaddress_width says */
	uint32_t atb_id; /* 1 .. 111: bytes of this source in CoreSight frames; 0: no frames */
	struct ear_flow_ring_unit ring;
	uint32_t hart;         /* Espressif: of the records */
	uint32_t generation;   /* Espressif: 1: PT10, 2: ET20; 0: as framing says */
	uint32_t address_mode; /* Espressif: enum ear_etrace_address_mode */

	uint32_t resync_max; /* for writing: packets between synchronisations; 0: none */

	/* Implicit exceptions: where handlers are. */
	struct ear_etrace_vector vectors[EAR_ETRACE_VECTORS_MAX];
	uint32_t vector_count;
};

/* Bits of irdepth. */
static inline unsigned ear_etrace_depth_width(const struct ear_etrace_unit *unit)
{
	return unit->return_stack_size + (unit->return_stack_size > 0 ? 1u : 0u) +
	       unit->call_counter_size;
}

/* An address has this many bits in a packet. */
static inline unsigned ear_etrace_address_width(const struct ear_etrace_unit *unit)
{
	return unit->iaddress_width - unit->iaddress_lsb;
}

/* Read a unit: the name of one that is known, or a JSON object (docs/etrace.md, "Parameters"), or
 * NULL, the usual one of E-Trace, esp: of Espressif's newer chips. Parameters that the text lacks
 * are the usual ones. head: NULL, or the first line of its file, before that. xlen: of the
 * program, 32 or 64; 0: not known.
 *
 * Returns 0; EAR_E_BAD_ARGUMENT and a sentence in fault[0 .. size-1]; EAR_E_NO_MEMORY. */
int ear_etrace_unit_read(struct ear_etrace_unit *unit, const char *head, const char *text, bool esp,
	unsigned xlen, char *fault, size_t size);

static inline bool ear_etrace_unit_is_esp(const struct ear_etrace_unit *unit)
{
	return unit->framing == EAR_ETRACE_PT10 || unit->framing == EAR_ETRACE_ET20;
}

/* Find the address of a handler. Returns false if it is not known. */
bool ear_etrace_vector(
	const struct ear_etrace_unit *unit, bool interrupt, uint64_t cause, uint64_t *address);

/* The options of the encoder before its first support packet: set of enum ear_etrace_option. */
uint8_t ear_etrace_unit_options(const struct ear_etrace_unit *unit);

/* Are the parameters in the ranges above? */
bool ear_etrace_unit_is_valid(const struct ear_etrace_unit *unit);

#endif
