#ifndef EAR_PROFILE_BY_H
#define EAR_PROFILE_BY_H

#include "analyses/profile/by.h"
#include "analyses/profile/methods.h"
#include "cli/show/verdict.h"

/* The rows of a run by task, process, privilege or hart, to standard output. top: rows, 0: all. */
void profile_by_table(struct ear_by *by, enum ear_by_key key, uint64_t top);
void profile_by_json(struct ear_by *by, enum ear_by_key key, const struct verdict *verdict);

/* The methods of an interpreter; names: where an event said none, NULL: there are none. */
void profile_methods_table(
	struct ear_methods *methods, const struct ear_names *names, uint64_t top);
void profile_methods_json(
	struct ear_methods *methods, const struct ear_names *names, const struct verdict *verdict);

#endif
