#ifndef CLI_BATCH_OUTPUTS_H
#define CLI_BATCH_OUTPUTS_H

#include <stdbool.h>

#include "cli/batch/batch_list.h"

/* Where each trace of a list is written: folder/NAME without the endings of its format, and ending.
 * Traces that would be written to one file keep their own endings: a.csv and a.log become
 * a.csv.shot and a.log.shot. An item whose output is there already, or is still that of another
 * one, gets an error: nothing is written over. With overwrite an output that is there is written
 * over, if it is a file and none of the traces. Returns false without memory. */
bool batch_outputs_choose(
	struct batch_list *list, const char *folder, const char *ending, bool overwrite);

/* The process that wrote the output of this item did not end it: is it a part of an output? One
 * that was there before and was not begun is as it was. */
bool batch_outputs_is_part(const struct batch_item *item);

/* Make the folders that the output is in. Returns false after printing why not. */
bool batch_outputs_make_folders(const char *path);

#endif
