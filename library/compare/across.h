#ifndef EAR_ACROSS_H
#define EAR_ACROSS_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "library/compare/compare_record.h"
#include "library/compare/handler.h"
#include "library/compare/tolerance.h"

/* What a comparison of one hart does about runs whose time differs: interrupts at other places
 * (handler.h) and values that depend on clocks, counters and devices (tolerance.h). compare.c asks
 * here when it reads a record, compares a pair, and passes one.
 *
 * The comparison reads ahead, so two numbers differ: records read and records passed. Handlers are
 * taken out where records are read. What a handler does to tolerated values waits until the
 * comparison is there, for at most EAR_ACROSS_WAITING_MAX records of a side; beyond that it is seen
 * too early, which can show what it stored as a difference.
 */
#define EAR_ACROSS_WAITING_MAX 16384u

struct ear_across;

struct ear_across_options {
	bool skip_interrupts;
	struct ear_tolerance *tolerance; /* of all harts, or NULL */
};

/* Is there anything to do? */
static inline bool ear_across_wanted(const struct ear_across_options *options)
{
	return options->skip_interrupts || options->tolerance;
}

/* Returns NULL without memory. */
struct ear_across *ear_across_new(const struct ear_across_options *options);
void ear_across_free(struct ear_across *across);

/* The next instruction record or gap of a side was read. Returns 1 if the comparison is not to see
 * it, since it belongs to a handler; else 0; EAR_E_NO_MEMORY. */
int ear_across_read(struct ear_across *across, unsigned side, const struct ear_record *record);

/* It is not left out for another reason: the comparison sees it. Returns 0 or EAR_E_NO_MEMORY. */
int ear_across_see(struct ear_across *across, unsigned side, const struct ear_record *record);

/* Compare a pair, with what is tolerated taken as equal. */
bool ear_across_compare(struct ear_across *across, struct ear_record_difference *difference,
	const struct ear_record *a, const struct ear_record *b,
	const struct ear_pair_comparison *how);

/* Would the pairs that come be the same, as ear_across_compare sees them? Begin where the sides
 * are, pass pairs, ask for the next one, which passes it if it is the same. Nothing changes. begin
 * returns false if nothing is tolerated, or without memory. */
bool ear_across_probe_begin(struct ear_across *across, bool any_load);
void ear_across_probe_pass(
	struct ear_across *across, const struct ear_record *a, const struct ear_record *b);
bool ear_across_probe(struct ear_across *across, const struct ear_record *a,
	const struct ear_record *b, const struct ear_pair_comparison *how);

/* A pair is passed, or a record, perhaps a gap, of one side. */
void ear_across_pass_pair(
	struct ear_across *across, const struct ear_record *a, const struct ear_record *b);
void ear_across_pass(struct ear_across *across, unsigned side, const struct ear_record *record);

/* Records of handlers of a side that lie before its current record. */
uint64_t ear_across_skipped(const struct ear_across *across, unsigned side);

/* The sides differ: because of a tolerated value? difference NULL: they are at different
 * instructions. */
bool ear_across_decided(const struct ear_across *across, const struct ear_record *a,
	const struct ear_record *b, const struct ear_record_difference *difference,
	struct ear_decision *decision);

/* Was a handler left out before the current record, or before one of the next count ones, that has
 * returned elsewhere? Then *found, and *number: of the record that follows it. */
bool ear_across_switch(const struct ear_across *across, unsigned side, uint64_t count,
	struct ear_handler_switch *found, uint64_t *number);

const struct ear_handler_statistics *ear_across_handlers(
	const struct ear_across *across, unsigned side);

#endif
