#ifndef EAR_CHECK_IMAGE_H
#define EAR_CHECK_IMAGE_H

#include "library/check/check_state.h"

/* The image of the program (options.image) against what the trace fetches and loads first. */

/* Before the first record, and again before others until the image is reached: does the trace begin
 * with the program, so that the image holds in what is writable, too? */
void check_image_begin(struct ear_checker *checker);

/* The opcode of the record, which has executed. */
void check_image_fetch(struct ear_checker *checker, const struct check_hart *hart);

/* What the records with this pc and this opcode are, as far as that is kept; NULL: it is not. */
static inline const struct check_fetched *check_image_find(
	const struct ear_checker *checker, uint64_t pc, uint32_t opcode)
{
	const struct check_fetched *fetched =
		&checker->fetched[ear_hash_slot32((uint32_t)pc, CHECK_CACHE_BITS)];

	return fetched->pc == pc && fetched->opcode == opcode ? fetched : NULL;
}

/* Before a load: bytes that the trace has not shown so far, and that are not writable, become what
 * the image has. Returns whether there was one. */
bool check_image_load(struct ear_checker *checker, uint64_t address, unsigned size);

#endif
