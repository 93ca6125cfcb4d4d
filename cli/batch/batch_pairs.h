#ifndef CLI_BATCH_PAIRS_H
#define CLI_BATCH_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/batch/batch_list.h"

/* Which trace of one list is compared with which of another. The rule makes a key of the name of a
 * trace (struct batch_item); equal keys are a pair:
 *
 *     name     the name without the endings of its format and compression: deep/a of deep/a.csv.gz
 *     file     only what is after the last slash of that
 *     REGEX    what the groups of a POSIX extended expression match in the name, or all that the
 *              expression matches if it has no group; a name that does not match has no key
 */
#define BATCH_PAIR_RULES "name file"

/* The traces of a in their order, each with its partner as other, then those of b that have none.
 * What has no partner, no key, or a key that another trace of its list has, is there with an error.
 * The items go over to pairs. Returns false after printing why not. */
bool batch_pairs_make(
	struct batch_list *pairs, struct batch_list *a, struct batch_list *b, const char *rule);

/* The length of a name without the endings of its format and compression. */
size_t batch_pairs_stem(const char *name);

#endif
