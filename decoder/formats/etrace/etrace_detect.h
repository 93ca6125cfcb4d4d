#ifndef EAR_ETRACE_DETECT_H
#define EAR_ETRACE_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/etrace/etrace_unit.h"

/* Streams of E-Trace, by the packets of bytes[0 .. size-1], their beginning. */

/* Are they of the usual unit of RV32 or RV64, or of one that differs from it by its srcID? */
bool ear_etrace_detect(const uint8_t *bytes, size_t size);

/* The width of srcID with which the packets are those of the unit: the only one. 0: they are so
 * without it, or with none, or with several. */
uint32_t ear_etrace_find_srcid(
	const struct ear_etrace_unit *unit, const uint8_t *bytes, size_t size);

#endif
