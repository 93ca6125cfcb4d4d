#ifndef EAR_COMPARE_H
#define EAR_COMPARE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/compare/compare_event.h"

/* Two traces, record by record: where they differ, and where they meet again.
 *
 * Instruction records are compared; everything else between them is passed over, except gaps: over
 * a gap both sides go to the same index, and what one of them has there is counted and not
 * compared. Memory is bounded by the window, however long the traces are.
 */

struct ear_compare;

/* Returns 0 and *compare, to be freed, or EAR_E_NO_MEMORY. */
int ear_compare_new(struct ear_compare **compare, const struct ear_compare_options *options);
void ear_compare_free(struct ear_compare *compare);

/* Continue to the next event. Until the next call the sides stay at it: ear_compare_record
 * gives the records around it.
 *
 * Returns 1 and *event; 0 when both sides are at their end, or one is treated as ended, or they
 * parted; a negative value from next or EAR_E_NO_MEMORY.
 */
int ear_compare_next(struct ear_compare *compare, struct ear_compare_event *event);

/* Were the last pairs of both sides the same, with nothing read ahead? Then the caller may leave
 * out count pairs that it knows to be equal, which are counted here.
 */
bool ear_compare_idle(const struct ear_compare *compare);
void ear_compare_pass_equal(struct ear_compare *compare, uint64_t count);

/* The record at position of a side: 0 is the one that the event is about, negative ones are
 * before it (at most options.context), positive ones after it. NULL if it is not there.
 */
const struct ear_record *ear_compare_record(
	struct ear_compare *compare, unsigned side, int position);

/* What is known of interrupt handlers that are left out, NULL if none are; and whether one before
 * the current record, or the count after it, has returned elsewhere (across.h). */
const struct ear_handler_statistics *ear_compare_handlers(
	const struct ear_compare *compare, unsigned side);
bool ear_compare_switch(const struct ear_compare *compare, unsigned side, uint64_t count,
	struct ear_handler_switch *found, uint64_t *number);

/* Instruction records of a side that were passed so far, those left out included; pairs that were
 * compared. */

/* How often each rule was needed, added to counts: pairs of records that are the same by it, or
 * records that were left out. */
void ear_compare_add_rules(const struct ear_compare *compare, uint64_t counts[EAR_RULE_COUNT]);

/* Instruction records of a side that were passed so far; pairs that were compared. */
uint64_t ear_compare_count(const struct ear_compare *compare, unsigned side);
uint64_t ear_compare_pairs(const struct ear_compare *compare);

#endif
