#ifndef EAR_GDB_MONITOR_ANSWERS_H
#define EAR_GDB_MONITOR_ANSWERS_H

#include <earshot/address.h>

#include "cli/gdb/monitor_print.h"

/* Commands; text: what follows their name. */
void ear_gdb_do_stack(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_tasks(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_gaps(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_inferred(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_why(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_errors(struct ear_gdb_monitor *monitor, const char *text);

/* The last executions of code before the present, the newest first, with the variables of its
 * function. text: of the address. */
void ear_gdb_print_executions(struct ear_gdb_monitor *monitor, const struct ear_address *address,
	const char *text, unsigned max);

/* Marks, in monitor_marks.c. */
void ear_gdb_do_mark(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_marks(struct ear_gdb_monitor *monitor, const char *text);
void ear_gdb_do_unmark(struct ear_gdb_monitor *monitor, const char *text);

/* A mark, by its name alone. Returns 1 and *position; 0: there is none; or an error: the trace has
 * the sentence. */
int ear_gdb_find_mark(struct ear_gdb_monitor *monitor, const char *name, uint64_t *position);

#endif
