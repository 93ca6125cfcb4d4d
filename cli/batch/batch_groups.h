#ifndef CLI_BATCH_GROUPS_H
#define CLI_BATCH_GROUPS_H

#include "cli/batch/batch_table.h"

/* The traces whose answer is "no", by what was found first in them: equal texts are a group, the
 * largest one first. */
void batch_groups_print(const struct batch_table *table, FILE *to);
void batch_groups_json(const struct batch_table *table); /* the member "groups" */

#endif
