#ifndef EAR_GDB_SESSION_H
#define EAR_GDB_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/gdb/options.h"

/* One client and a recorded run: GDB's remote protocol (GDB manual, appendix E) from its first
 * packet to its last. docs/debugging.md is the user's page.
 */
/* Serve the client until it leaves. Returns 0; an error of the trace, which has the sentence; or
 * EAR_E_NO_MEMORY. */
int ear_gdb_serve(const struct ear_gdb_options *options);

/* Where the commands for GDB's own Python are that belong to this program. Returns false if they
 * are not there. */
bool ear_gdb_script(char *path, size_t size);

#endif
