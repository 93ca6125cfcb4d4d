#ifndef EAR_ANALYSES_METHODS_H
#define EAR_ANALYSES_METHODS_H

#include "analyses/profile/profile.h"

/* Where an interpreter spent its instructions, by the methods that it says it runs: method-enter,
 * -exit and -unwind of a virtual machine, and native-... of what it calls.
 * docs/analyses/profile.md, section 6.
 */
struct ear_methods;

struct ear_method {
	bool known, native; /* not known: records outside of all methods */
	uint64_t address;
	char *name; /* of the symbol event that was last before its first call; NULL: none came */
	uint64_t calls;
	struct ear_profile_counts self, inclusive; /* a record counts once for a method */
};

/* It needs a follower of tasks. Its options are struct ear_profile_options, not NULL, of which what
 * the trace cannot show matters. */
extern const struct ear_analysis ear_methods_analysis;

/* The methods, those with most records of their own first. */
size_t ear_methods_finish(struct ear_methods *methods, const struct ear_method **rows);
struct ear_profile_counts ear_methods_total(const struct ear_methods *methods);
struct ear_profile_shows ear_methods_shows(const struct ear_methods *methods);
/* Methods that were left without having been entered, or deeper than is followed. */
uint64_t ear_methods_unmatched(const struct ear_methods *methods);
uint64_t ear_methods_events(const struct ear_methods *methods); /* of tasks */

#endif
