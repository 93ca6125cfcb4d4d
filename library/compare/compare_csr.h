#ifndef EAR_COMPARE_CSR_H
#define EAR_COMPARE_CSR_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "library/compare/equivalence.h"
#include "library/state/record_view.h"

/* CSR writes and floating-point flags of two records in different formats. */

struct ear_csr_pair {
	const struct ear_record *records[2];
	const struct ear_record_view *views[2];
	const struct ear_equivalence *equivalence;
	bool unknown_equal; /* what one side does not show is no difference */
	uint32_t used;      /* rules without which the records would differ: set here */
};

/* Where two records differ: has_ and value_ as in struct ear_record_difference. */
struct ear_csr_difference {
	uint16_t number;
	bool has[2];
	uint64_t value[2];
};

/* Are the CSR writes of both records the same, by the rules that hold? If not, *difference. */
bool ear_csr_compare(struct ear_csr_difference *difference, struct ear_csr_pair *pair);

/* And the flags raised? number is not used. */
bool ear_flags_compare(struct ear_csr_difference *difference, struct ear_csr_pair *pair);

#endif
