#ifndef EAR_ANALYSES_PROFILE_FUNCTIONS_H
#define EAR_ANALYSES_PROFILE_FUNCTIONS_H

#include "analyses/profile/profile_state.h"

/* Functions of a profile, and which one an address is in. Numbers are those of profile->functions.
 */

/* One by its name and where it begins, or by what it is inlined into. Names are kept, not copied.
 * Return UINT32_MAX if memory is short. */
uint32_t ear_profile_take_function(struct ear_profile *profile, const char *name, uint64_t entry);
uint32_t ear_profile_take_inlined(
	struct ear_profile *profile, const char *name, const char *source, uint32_t outer);

/* Room for one more. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_grow_functions(struct ear_profile *profile);

/* The function that has the code: what is inlined into it, or into what is, is no entry of a call.
 * UINT32_MAX of UINT32_MAX. */
uint32_t ear_profile_outermost(const struct ear_profile *profile, uint32_t function);

/* What the names say of a pc; NULL if memory is short. */
const struct ear_profile_place *ear_profile_look_up(struct ear_profile *profile, uint64_t pc);

/* The function that an address is in; where names have none, one that begins at otherwise.
 * Returns UINT32_MAX if memory is short. */
uint32_t ear_profile_function_at(struct ear_profile *profile, uint64_t address, uint64_t otherwise);

/* Let the function of an address be known. Returns false if memory is short. */
bool ear_profile_know(struct ear_profile *profile, uint64_t address, uint32_t function);

/* If names say what is at the address, it is known from now on. Returns false if memory is short.
 */
bool ear_profile_learn(struct ear_profile *profile, uint64_t address);

/* A name that stays as long as the profile. NULL if memory is short. */
const char *ear_profile_keep(struct ear_profile *profile, const char *name);

#endif
