#ifndef EAR_COVERAGE_ISA_H
#define EAR_COVERAGE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/isa_coverage.h"

/* The bins of an instruction set, and how often each was hit. */
struct isa_bin {
	const char *group; /* "opcode", "register", "alias", "value", "branch", ... */
	char name[32];     /* the instruction, CSR, ... */
	char what[32];     /* "rd=x5" */
	const char *section;
	bool known; /* false: the trace cannot show it */
	uint64_t count;
};

struct isa_bins {
	struct isa_bin *bins; /* those of an instruction follow each other */
	size_t count, room;
	unsigned xlen;
	bool other_xlen; /* there are records of the other one, which are not counted */
	char extensions[512];
};

/* march: NULL: all extensions of which the trace has an instruction. instructions is what decoded.
 * Returns false if memory is short. Free it in any case. */
bool isa_bins_make(struct isa_bins *bins, const struct ear_isa_coverage *coverage,
	const struct ear_instructions *instructions, const char *march);
void isa_bins_free(struct isa_bins *bins);

/* To standard output. */
void isa_bins_show_table(const struct isa_bins *bins);
void isa_bins_show_missing(const struct isa_bins *bins);
void isa_bins_show_json(const struct isa_bins *bins);
void isa_bins_show_html(const struct isa_bins *bins);

#endif
