#ifndef EAR_FARM_STEP_H
#define EAR_FARM_STEP_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/commands/farm/farm_plan.h"

/* Steps of a farm and their merge. Each can run anywhere, any number of times, also twice at the
 * same time: its result depends on the plan alone, and the file of the result is the truth
 * (docs/farm.md, section 3).
 */

enum farm_state {
	FARM_MISSING, /* it has not ended in good order */
	FARM_DONE,
	FARM_FAILED, /* FARM_TRIES tries ended with an error */
};

#define FARM_TRIES 3u

struct farm_record {
	enum farm_state state;
	int status; /* exit status of the command, if DONE; 2: it has an answer all the same */
	unsigned tries;
};

/* What is known of a step. A result that is not the one of its record is none: it is missing. */
struct farm_record farm_step_look(const char *folder, size_t number);

/* Run it, unless it is done. Returns the exit status: 0 done, 2 it could not be done. */
int farm_step_run(const char *folder, const struct farm_plan *plan, size_t number);

/* Forget the tries of a step that failed, so that it may be tried again. */
void farm_step_forgive(const char *folder, size_t number);

/* Put the results of all steps together, unless that is done: one file for each trace. Returns the
 * exit status: the worst of the traces; 2 if a step is missing, after printing which. */
int farm_merge_run(const char *folder, const struct farm_plan *plan);

/* Is the merge done? *status is the exit status of the farm. */
bool farm_merge_look(const char *folder, const struct farm_plan *plan, int *status);

/* How many results there are: one for each trace, or for each capture. */
size_t farm_plan_results(const struct farm_plan *plan);

/* Where a result is, numbered from 0. As farm_path. */
bool farm_result_path(char *path, const char *folder, const struct farm_plan *plan, size_t trace);

#endif
