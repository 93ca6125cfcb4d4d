#ifndef CLI_BATCH_OUTPUTS_H
#define CLI_BATCH_OUTPUTS_H

#include <stdbool.h>

#include "cli/batch/batch_list.h"

/* Where each trace of a list is written: folder/NAME without the endings of its format, and ending.
 * Traces that would be written to one file keep their own endings: a.csv and a.log become
 * a.csv.shot and a.log.shot. An item whose output is there already, or is still that of another
 * one, gets an error: nothing is written over. Returns false without memory. */
bool batch_outputs_choose(struct batch_list *list, const char *folder, const char *ending);

/* Make the folders that the output is in. Returns false after printing why not. */
bool batch_outputs_make_folders(const char *path);

#endif
