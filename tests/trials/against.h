#ifndef EAR_TRIALS_AGAINST_H
#define EAR_TRIALS_AGAINST_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "random.h"
#include "run.h"

/* Gaps against gaps: two damaged copies of one stream, compared. Every record that both still have
 * must be compared, and none is different but one that was changed on purpose.
 *
 * Returns true if the comparison said nothing untrue; else what it said is in text.
 */
bool against_trial(const struct run *run, const struct damaged damaged[2], struct random *random,
	char *text, size_t size);

#endif
