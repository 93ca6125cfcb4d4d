#ifndef EAR_FARM_PLAN_H
#define EAR_FARM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/commands/farm/farm_file.h"
#include "cli/options/command.h"

/* A plan: one command over some traces, each in some parts (docs/farm.md, section 3). It is a file
 * in the folder of the farm, written once, and all that a step needs to know.
 */

struct farm_trace {
	char *path; /* as it was given */
	uint64_t size;
	char hash[FARM_HASH_SIZE]; /* of its first and its last MiB */
};

/* Steps are numbered from 1, by trace, then by part. */
struct farm_plan {
	char id[17];      /* of all below; two equal plans have the same */
	char *version;    /* cli_version */
	char *folder;     /* where it was made: paths are relative to it */
	char *command;    /* "profile" */
	char **arguments; /* its options */
	size_t argument_count;
	struct farm_trace *traces;
	size_t trace_count;
	unsigned parts; /* of each trace; how often each is captured */
	char *devices;  /* of capture: the file with the list of them; NULL: there is none */
};

/* The trace of captures that are made of no file. */
#define FARM_NO_FILE "-"

struct farm_step {
	const struct farm_trace *trace;
	size_t trace_number; /* from 0 */
	unsigned part;       /* from 1 */
};

/* Make a plan of the arguments of `earshot farm`, from the name of the command on. parts 0: as many
 * as suit the traces, 1 if the command has no parts. devices: of capture; or NULL. Returns false
 * after printing what is wrong. */
bool farm_plan_make(
	struct farm_plan *plan, int argc, char **argv, unsigned parts, const char *devices);
void farm_plan_free(struct farm_plan *plan);

/* Write it into the folder, which is made. If the same plan is there already, it stays. Returns
 * false after printing why not; another plan there is an error. */
bool farm_plan_write(const struct farm_plan *plan, const char *folder);

/* Read it, and go to its folder. Returns false after printing what is wrong with it. */
bool farm_plan_read(struct farm_plan *plan, const char *folder);

/* Is the whole what its parts print, one after the other? Else its command joins them. */
bool farm_has_texts(const struct farm_plan *plan);

/* Does it capture, instead of reading traces (farm_capture.h)? */
bool farm_is_capture(const struct farm_plan *plan);

size_t farm_plan_steps(const struct farm_plan *plan);
struct farm_step farm_plan_step(const struct farm_plan *plan, size_t number);

/* Is the trace still the one that was planned? Returns false after printing that it is not. */
bool farm_trace_is_same(const struct farm_trace *trace);

/* The first word of a command line that is no option of the command, nor the argument of one: argc
 * if there is none. */
int farm_first_word(const struct command *command, int argc, char **argv);

/* Arguments of a step, and of the merge: an array that ends with NULL, to be freed. Without inputs
 * the merge's. The texts are the plan's and the caller's. part: room for "12/100". */
char **farm_step_arguments(
	const struct farm_plan *plan, const struct farm_step *step, char part[32]);
char **farm_merge_arguments(const struct farm_plan *plan, char **inputs, size_t count);

#endif
