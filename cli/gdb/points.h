#ifndef EAR_GDB_POINTS_H
#define EAR_GDB_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/search.h>

#include "cli/gdb/options.h"
#include "cli/gdb/wire/expression.h"

/* Breakpoints and watchpoints, as GDB numbers their kinds in Z packets. */
enum ear_gdb_kind {
	EAR_GDB_SOFTWARE, /* the first two are one thing here */
	EAR_GDB_HARDWARE,
	EAR_GDB_WRITE,
	EAR_GDB_READ,
	EAR_GDB_ACCESS,
};

#define EAR_GDB_POINTS_MAX     4096u
#define EAR_GDB_CONDITIONS_MAX 64u /* of one */

/* A condition: an agent expression. */
struct ear_gdb_condition {
	size_t size;
	uint8_t *code;
};

struct ear_gdb_point {
	enum ear_gdb_kind kind;
	uint64_t address, size; /* size 1 or more; of a breakpoint 1 */
	size_t condition_count; /* it counts if one of them is true; 0: always */
	struct ear_gdb_condition conditions[EAR_GDB_CONDITIONS_MAX];
};

struct ear_gdb_points {
	struct ear_gdb_point **breaks; /* by address */
	struct ear_gdb_point **watches;
	size_t break_count, watch_count;
	uint64_t filter;  /* bit (address / 2) % 64 of each breakpoint */
	unsigned watched; /* set of EAR_QUERY_READ and _WRITE */
};

/* All zero is a set without points. */
void ear_gdb_points_fini(struct ear_gdb_points *points);

/* What a Z or z packet has after its first letter: "0,80000100,2;X3,260000". Returns 0; -1: it is
 * not such a text; -2: there are too many points, or there is no memory. */
int ear_gdb_points_insert(struct ear_gdb_points *points, const char *text);
int ear_gdb_points_remove(struct ear_gdb_points *points, const char *text);

/* The breakpoint at an address; NULL: there is none. */
const struct ear_gdb_point *ear_gdb_points_break(
	const struct ear_gdb_points *points, uint64_t address);

/* Is one of its conditions true? One that cannot be evaluated is, and text[EAR_GDB_TEXT_MAX] says
 * why it cannot. */
bool ear_gdb_point_counts(
	const struct ear_gdb_point *point, const struct ear_gdb_readers *readers, char *text);

/* A watchpoint that an access of size bytes touches; NULL: there is none. */
const struct ear_gdb_point *ear_gdb_points_watch(
	const struct ear_gdb_points *points, uint64_t address, uint64_t size, bool write);

#endif
