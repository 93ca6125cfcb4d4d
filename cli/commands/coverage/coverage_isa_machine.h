#ifndef EAR_COVERAGE_ISA_MACHINE_H
#define EAR_COVERAGE_ISA_MACHINE_H

#include "cli/commands/coverage/coverage_isa_bins.h"
#include "cli/commands/coverage/coverage_isa_mnemonics.h"

/* Bins that are of no instruction: traps by cause, privileges, CSRs. */
void isa_machine_add(struct isa_bins *bins, const struct isa_mnemonics *mnemonics);

#endif
