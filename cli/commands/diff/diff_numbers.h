#ifndef EAR_DIFF_NUMBERS_H
#define EAR_DIFF_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "library/compare/compare_harts.h"

/* Of one side: which number an instruction has in its trace, where a comparison counts the records
 * of each hart, and of the task that is asked for. */
#define DIFF_NUMBERS_KEPT (1u << 17) /* a power of two */

struct diff_number {
	uint64_t number, count; /* in the trace; of its hart */
	uint16_t hart;
};

struct diff_numbers {
	uint64_t total; /* instructions of the trace that were read */
	/* So far all of them were compared, and are of one hart: both numbers are the same. */
	bool other;
	bool has_hart;
	uint16_t hart;
	uint64_t same; /* of that hart so many have the same number */
	/* After that: those that were compared last. NULL: there is no room. */
	struct diff_number *kept;
	uint64_t kept_count;
	struct diff_number_hart {
		uint16_t hart;
		uint64_t count;
	} harts[EAR_COMPARE_HARTS_MAX];
	unsigned hart_count;
};

/* An instruction was read that is not compared. */
void diff_numbers_pass(struct diff_numbers *numbers);
/* An instruction was read that is compared, as one of this hart. */
void diff_numbers_add(struct diff_numbers *numbers, uint16_t hart);
/* So many instructions of a hart were left out, since both sides have them. */
void diff_numbers_skip(struct diff_numbers *numbers, uint16_t hart, uint64_t count);

/* The number of the instruction of a hart before which so many of it were compared. Returns false
 * if it is not known any more. */
bool diff_numbers_find(
	const struct diff_numbers *numbers, uint16_t hart, uint64_t count, uint64_t *number);

void diff_numbers_fini(struct diff_numbers *numbers);

#endif
