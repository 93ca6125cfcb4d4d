#ifndef EAR_GDB_MONITOR_PRINT_H
#define EAR_GDB_MONITOR_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "cli/gdb/session_state.h"

/* What the monitor commands share. */
struct ear_gdb_monitor {
	struct ear_gdb_session *session;
	struct ear_gdb_replay *replay;
	struct ear_trace *trace;
	const struct ear_names *names; /* NULL: none */
	FILE *out;
};

/* What the trace or a file says, safe for a terminal. */
void ear_gdb_print_foreign(struct ear_gdb_monitor *monitor, const char *text);

/* The last error of the trace. */
void ear_gdb_print_error(struct ear_gdb_monitor *monitor);

/* "0x80000010 <main+0x4> fw.c:12" */
void ear_gdb_print_place(struct ear_gdb_monitor *monitor, uint64_t pc);

#endif
