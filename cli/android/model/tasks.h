#ifndef EAR_ANDROID_TASKS_H
#define EAR_ANDROID_TASKS_H

#include "cli/android/model/files.h"
#include "cli/android/model/space.h"
#include "decoder/formats/qtrace/qtrace_format.h"

/* Which tasks there are at a moment of a trace, what they map, and in which methods they are. */

struct ear_android_frame { /* a method that was entered and not left */
	uint64_t time;
	uint32_t address;
	bool native;
	struct ear_android_symbol *symbol; /* NULL: it has no name, or is native */
};

struct ear_android_task {
	uint32_t pid, parent, group; /* of the folder */
	uint64_t own;                /* the pid that the tools show */
	char *name, *arguments; /* of the program: all but the first one, with blanks between */
	bool has_program;       /* it began one itself */
	bool ran;               /* a block was its */
	bool has_map;           /* it mapped a file */
	uint64_t cycles;        /* for which it had the core, until the last switch */
	struct ear_android_space *space;
	struct ear_android_frame *frames;
	size_t depth, room;
};

struct ear_android_tasks {
	struct ear_android_files *files;
	const uint64_t *pids; /* by the folder's pid: the one that the tools show; NULL: itself */
	struct ear_android_regions regions;
	struct ear_android_space *fixed; /* what every task has */
	struct ear_android_task *list[EAR_QTRACE_PIDS];
	struct ear_android_task *current;
	uint64_t switched; /* when the current one got the core */
	char message[192];
};

/* Task 0 is there, and runs from time begin on. pids (NULL: none) stays the caller's. Returns 0 and
 * *tasks, or EAR_E_NO_MEMORY. */
int ear_android_tasks_new(struct ear_android_tasks **tasks, struct ear_android_files *files,
	const uint64_t *pids, uint64_t begin);
void ear_android_tasks_free(struct ear_android_tasks *tasks); /* NULL is allowed */

/* What an event changes. Both return 0; or EAR_E_BAD_FILE or EAR_E_NO_MEMORY, and message is a
 * sentence. */
int ear_android_tasks_event(
	struct ear_android_tasks *tasks, const struct ear_qtrace_pid_event *event);
int ear_android_tasks_method(
	struct ear_android_tasks *tasks, const struct ear_qtrace_method_event *event);

/* The task; NULL: there is none. */
struct ear_android_task *ear_android_tasks_find(
	const struct ear_android_tasks *tasks, uint64_t pid);

/* The pid to show for one of the folder. */
uint64_t ear_android_tasks_own(const struct ear_android_tasks *tasks, uint64_t pid);

/* The function that the task has at an address: never NULL. *region: NULL if it is the kernel's, or
 * nobody's. */
struct ear_android_symbol *ear_android_tasks_symbol(const struct ear_android_tasks *tasks,
	const struct ear_android_task *task, uint32_t address,
	const struct ear_android_region **region);

#endif
