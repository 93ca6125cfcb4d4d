/* The hooks of -finstrument-functions: each function says by a store when it begins and ends. */
#include "support.h"

#define QUIET __attribute__((no_instrument_function))

volatile xword log_enter, log_exit, log_landed, log_tail, log_task, log_next_task;

QUIET void __cyg_profile_func_enter(void *function, void *site);
QUIET void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	log_enter = (xword)function;
}

void __cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	log_exit = (xword)function;
}
