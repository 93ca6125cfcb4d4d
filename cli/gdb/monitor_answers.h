#ifndef EAR_GDB_MONITOR_ANSWERS_H
#define EAR_GDB_MONITOR_ANSWERS_H

#include "cli/gdb/monitor_print.h"

/* Commands; text: what follows their name. */
void ear_gdb_do_stack(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_gaps(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_inferred(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_why(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_errors(struct ear_gdb_monitor *monitor, const char *text);

#endif
