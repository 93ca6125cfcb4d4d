#ifndef EAR_ETRACE_UNIT_H
#define EAR_ETRACE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

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

#define EAR_ETRACE_BPRED_MAX 16 /* log2 of the entries */
#define EAR_ETRACE_CACHE_MAX 16
#define EAR_ETRACE_STACK_MAX 10

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

	/* Of the encapsulation. */
	uint32_t srcid_bits;      /* 0 .. 16; SMI: of the hart index */
	uint32_t timestamp_bytes; /* 0 .. 8, where the header announces one */
	uint32_t type_bits; /* 0 .. 8; packets of another type than 0 are not of instructions */
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

/* Are the parameters in the ranges above? */
bool ear_etrace_unit_is_valid(const struct ear_etrace_unit *unit);

#endif
