#ifndef EAR_FARM_SLURM_H
#define EAR_FARM_SLURM_H

#include <stdio.h>

#include "cli/commands/farm/farm_plan.h"

/* A farm of Slurm: arrays of steps, and a job that merges (docs/farm.md, section 4). Slurm starts
 * steps; whether one is done is said by its files alone.
 */

struct farm_slurm {
	const char *folder;
	const struct farm_plan *plan;
	const char *options[64]; /* more of sbatch, "--gres=board:1" */
	size_t option_count;
	unsigned at_once; /* tasks of an array that run at a time; 0: no limit */
};

/* Print what would be submitted. Returns an exit status. */
int farm_slurm_print(const struct farm_slurm *slurm, FILE *to);

/* Submit the steps that are missing and that Slurm does not have. Returns an exit status. */
int farm_slurm_submit(const struct farm_slurm *slurm);

/* Wait until the merge is done, and submit again what was lost. Returns the exit status of the
 * farm. */
int farm_slurm_wait(const struct farm_slurm *slurm);

#endif
