#ifndef EAR_LEFT_OUT_H
#define EAR_LEFT_OUT_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole records that one tool has and another does not: boot code, rows left out, the loop after
 * the end (equivalence.h).
 */

/* An instruction in the boot ROM of a simulator. */
bool ear_is_boot_code(const struct ear_record *record);

/* An instruction that writes no register but those of vectors, or that trapped. */
bool ear_writes_no_register(const struct ear_record *record);

/* A loop whose rounds are all the same: what a program does that waits for its simulator to stop.
 * All zero before its first record. */
#define EAR_CLOSING_LOOP_MAX 8
struct ear_closing_loop {
	size_t count, next;
	bool closed; /* it has come back to its first instruction */
	uint64_t pcs[EAR_CLOSING_LOOP_MAX];
	uint64_t effects[EAR_CLOSING_LOOP_MAX]; /* hashes of what they write */
};

/* May this record, the next one of the hart, be of the loop? False: it never was one. */
bool ear_closing_loop_next(struct ear_closing_loop *loop, const struct ear_record *record);

#endif
