/* Each function as a native method: what gcc and clang call with -finstrument-functions. Build this
 * file without that option, and with the macros of ear_port.h; only the user page is needed.
 *
 *     cc -finstrument-functions -c program.c
 *     cc -DEAR_PORT_BASE=0x10020000 -c ear_port_functions.c
 *
 * Nothing here needs a lock: an event is one store (on RV64 above 4 GiB two, with the lock).
 */
#include "ear_port.h"

#define QUIET __attribute__((no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif

QUIET void __cyg_profile_func_enter(void *function, void *site);
QUIET void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	ear_port_native_enter((uintptr_t)function);
}

void __cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	ear_port_native_exit((uintptr_t)function);
}

#ifdef __cplusplus
}
#endif
