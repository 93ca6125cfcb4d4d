#ifndef EAR_TOLERANCE_SOURCE_H
#define EAR_TOLERANCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/isa/csr.h"

/* Where tolerated values come from (tolerance.h): CSRs and ranges of addresses. */

enum ear_tolerance_kind {
	EAR_TOLERANCE_CLOCKS,   /* cycle, time, mcycle, and their upper halves */
	EAR_TOLERANCE_COUNTERS, /* instret, minstret, hpmcounter3.., mhpmcounter3.. and halves */
	EAR_TOLERANCE_DEVICES,  /* loads from ranges of addresses */
};

struct ear_tolerance_range {
	uint64_t first, last; /* both included */
};

#define EAR_TOLERANCE_RANGES_MAX 16

struct ear_tolerance_options {
	bool clocks, counters;
	size_t range_count;
	struct ear_tolerance_range ranges[EAR_TOLERANCE_RANGES_MAX];
};

/* One CSR or range, and what was tolerated because of it. */
struct ear_tolerance_source {
	uint8_t kind; /* enum ear_tolerance_kind */
	uint16_t csr; /* not for devices */
	struct ear_tolerance_range range;
	uint64_t reads;  /* that gave different values */
	uint64_t values; /* that differed and depend on them: of registers and in memory */
};

#define EAR_TOLERANCE_SOURCES_MAX 255

/* Those that were met so far. They are numbered from 1 here. */
struct ear_tolerance_sources {
	struct ear_tolerance_options options;
	struct ear_tolerance_source list[EAR_TOLERANCE_SOURCES_MAX];
	size_t count;
	uint8_t of_csr[EAR_CSR_COUNT]; /* number of the source, 0: none yet */
	uint8_t of_range[EAR_TOLERANCE_RANGES_MAX];
};

/* The number of the source that a CSR is, 0 if it is none. */
uint8_t ear_tolerance_source_of_csr(struct ear_tolerance_sources *sources, unsigned csr);

/* Which bytes of an access, of at most 8, lie in a range of devices, bit 0 the lowest; *number is
 * the source of one of them. */
unsigned ear_tolerance_source_bytes(
	struct ear_tolerance_sources *sources, uint64_t address, unsigned size, uint8_t *number);

#endif
