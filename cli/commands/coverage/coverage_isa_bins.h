#ifndef EAR_COVERAGE_ISA_BINS_H
#define EAR_COVERAGE_ISA_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/commands/coverage/coverage_isa_section.h"

/* The bins of an instruction set, and how often each was hit. */
struct isa_bin {
	const char *group; /* "opcode", "register", "alias", "value", "branch", ... Static */
	char name[32];     /* the instruction, CSR, ... */
	char what[32];     /* "rd=x5" */
	char section[ISA_SECTION_MAX];
	bool known; /* false: the trace cannot show it */
	uint64_t count;
};

struct isa_bins {
	struct isa_bin *bins; /* those of an instruction follow each other */
	size_t count, room;
	bool failed; /* memory was short */
	unsigned xlen;
	bool other_xlen; /* there are records of the other one, which are not counted */
	char extensions[512];
};

/* What bins are of; the rest of them is given to isa_bins_add. */
struct isa_of {
	const char *group, *name, *section;
};

void isa_bins_add(struct isa_bins *bins, const struct isa_of *of, const char *what, bool known,
	uint64_t count);
void isa_bins_free(struct isa_bins *bins);

#endif
