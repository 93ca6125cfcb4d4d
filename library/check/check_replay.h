#ifndef EAR_CHECK_REPLAY_H
#define EAR_CHECK_REPLAY_H

#include "library/check/check_part.h"

/* Rows of a part (check_part.h), given to a checker that has all records before it: afterwards it
 * is as if it had been given those of the part.
 */
struct ear_check_replay;

/* Returns 0 or EAR_E_NO_MEMORY. The checker is the caller's. pages: of the part's CHECK_ROW_END. */
int ear_check_replay_new(struct ear_check_replay **replay, struct ear_checker *checker);
void ear_check_replay_free(struct ear_check_replay *replay);

/* May a part with so many pages of memory be replayed at all? Where memory becomes too large, it is
 * forgotten at a record that the rows do not say. */
bool ear_check_replay_fits(const struct ear_checker *checker, uint64_t pages);

/* The next row. Returns 0; 1 if what the part supposed is not so: the checker is of no more use,
 * and the records of the part have to be checked instead. What was found up to then is right. Or
 * EAR_E_BAD_FILE: no part has such a row here; or as ear_checker_push. */
int ear_check_replay_row(
	struct ear_check_replay *replay, unsigned kind, const uint64_t *numbers, unsigned count);

#endif
