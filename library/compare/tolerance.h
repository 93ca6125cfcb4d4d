#ifndef EAR_TOLERANCE_H
#define EAR_TOLERANCE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/compare/compare_record.h"
#include "library/compare/followed_memory.h"
#include "library/compare/tolerance_source.h"

/* Values that may differ between two runs, because they depend on what only the time decides: a
 * clock, a counter, a device. A comparison takes such a read as equal, and what depends on it.
 *
 *     csrr  x5, mcycle      100 in A, 107 in B: a tolerated read
 *     addi  x6, x5, 1       101 and 108: depends on it
 *     sw    x6, 0(x10)      so does the word in memory
 *     bltu  x5, x7, out     taken in A only: a decision, which is a difference
 *
 * Followed are x and f registers, CSRs and bytes of memory (followed_memory.h), of each side apart.
 * A register depends on tolerated reads if the instruction that wrote it read something that does,
 * and if the sides wrote different values: equal values need no excuse, nor does what comes of
 * them. So nothing is tolerated by its field: a wrong value that was computed from equal ones is a
 * difference.
 *
 * Where the origin of a value is not certain, it is a difference: instructions that the table does
 * not know, vector instructions, several accesses in one, accesses whose address the source does
 * not show, a byte in memory that is not read as it was stored, more bytes than can be followed.
 * The result of a load does not depend on its address register: another address is a difference.
 */

/* What the harts share: options, memory, and counts. */
struct ear_tolerance;

/* Returns NULL without memory. */
struct ear_tolerance *ear_tolerance_new(const struct ear_tolerance_options *options);
void ear_tolerance_free(struct ear_tolerance *tolerance);

/* Sources number 0, 1, .. in the order in which they were read first; NULL after the last. */
const struct ear_tolerance_source *ear_tolerance_source(
	const struct ear_tolerance *tolerance, size_t number);

/* Stores that could not be followed: more than EAR_TOLERANCE_WORDS_MAX words of memory. */
#define EAR_TOLERANCE_WORDS_MAX EAR_FOLLOWED_WORDS_MAX
uint64_t ear_tolerance_lost(const struct ear_tolerance *tolerance);

/* The registers of a hart on both sides. The tolerance must outlive it. NULL without memory. */
struct ear_tolerance_hart;
struct ear_tolerance_hart *ear_tolerance_hart_new(struct ear_tolerance *tolerance);
void ear_tolerance_hart_free(struct ear_tolerance_hart *hart);

/* How records are compared: are they the same? If not, *difference is filled in. */
struct ear_pair_comparison {
	bool (*same)(void *context, struct ear_record_difference *difference,
		const struct ear_record *a, const struct ear_record *b);
	void *context;
};

/* Compare the next pair, with what is tolerated taken as equal: how sees A's record and a copy of
 * B's. Nothing changes. Where memory is short, nothing is tolerated. */
bool ear_tolerance_compare(struct ear_tolerance_hart *hart,
	struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, const struct ear_pair_comparison *how);

/* The pair is passed. numbers: of the two records, for later reports. */
void ear_tolerance_pass_pair(struct ear_tolerance_hart *hart, const struct ear_record *a,
	const struct ear_record *b, const uint64_t numbers[2]);

/* A record that only this side has is passed: an instruction, or a gap, after which nothing of the
 * side is followed any more. */
void ear_tolerance_pass(struct ear_tolerance_hart *hart, unsigned side,
	const struct ear_record *record, uint64_t number);

/* A copy of the hart as it is now, to look ahead with; the caller passes pairs to it as they may
 * come. It knows no stores since then, and counts nothing. any_load: so what is loaded may differ,
 * as if it was tolerated. The copy belongs to the hart, which has but one: the next call replaces
 * it. NULL without memory.
 */
struct ear_tolerance_hart *ear_tolerance_probe(struct ear_tolerance_hart *hart, bool any_load);

/* How a tolerated value made the sides go different ways. */
enum ear_decision_kind {
	EAR_DECISION_NONE,
	EAR_DECISION_BRANCH,
	EAR_DECISION_JUMP,    /* its target, or that of an xRET */
	EAR_DECISION_ADDRESS, /* of a load or store */
};

#define EAR_DECISION_NO_RECORD UINT64_MAX

struct ear_decision {
	enum ear_decision_kind kind;
	uint64_t pc;
	uint8_t reg_class; /* enum ear_register_class */
	uint16_t number;   /* of the register */
	struct ear_tolerance_source source;
	uint64_t records[2]; /* that read it, on each side, or EAR_DECISION_NO_RECORD */
};

/* The pair differs in this: did a tolerated value decide it? Before the pair is passed. */
bool ear_tolerance_decided(const struct ear_tolerance_hart *hart, const struct ear_record *a,
	const struct ear_record *b, const struct ear_record_difference *difference,
	struct ear_decision *decision);

/* The sides go different ways after the pair that was passed last: did it decide that? */
bool ear_tolerance_decided_before(
	const struct ear_tolerance_hart *hart, struct ear_decision *decision);

#endif
