#ifndef EAR_COVERAGE_ISA_H
#define EAR_COVERAGE_ISA_H

#include "analyses/coverage/isa_coverage.h"
#include "cli/commands/coverage/coverage_isa_bins.h"
#include "cli/show/verdict.h"

/* march: NULL: all extensions of which the trace has an instruction. instructions is what decoded.
 * Returns false if memory is short. Free it in any case. */
bool isa_bins_make(struct isa_bins *bins, const struct ear_isa_coverage *coverage,
	const struct ear_instructions *instructions, const char *march);

/* To standard output. */
void isa_bins_show_table(const struct isa_bins *bins);
void isa_bins_show_missing(const struct isa_bins *bins);
void isa_bins_show_json(const struct isa_bins *bins, const struct verdict *verdict);
void isa_bins_show_html(const struct isa_bins *bins);

#endif
