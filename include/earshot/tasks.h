#ifndef EAR_TASKS_H
#define EAR_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/task_event.h>
#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Tasks, for who reads a whole trace: which process or thread each instruction is of.
 *
 *     struct ear_tasks *tasks;
 *     struct ear_batch batch = {.size = sizeof(batch)};
 *
 *     ear_tasks_new(&tasks, trace, NULL, NULL);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_tasks_batch(tasks, &batch, take, context);
 *     for (uint32_t i = 1; i <= ear_tasks_count(tasks); i++)
 *             ... ear_tasks_get(tasks, i, &task)
 *     ear_tasks_free(tasks);
 *
 * Software says which task runs: by the event port of a unit, by stores to its address in any
 * trace, or by events of the trace (docs/event-port.md, docs/android.md, section 6). A switch
 * belongs to the task that runs from then on. A task is not known before the first event that says
 * it, nor after a gap in which one may be missing; before the first switch task 0 runs, if the
 * trace of the hart begins with its first instruction.
 *
 * Reading costs nothing to speak of where a trace has no event port: events are few. With one,
 * memory is followed for the strings that software points to.
 *
 * For the thread that uses it. When the trace is closed it gets no more batches; it may still be
 * asked, and freed.
 */
struct ear_tasks;

struct ear_tasks_options {
	size_t size; /* sizeof(struct ear_tasks_options) */
	bool has_port;
	uint64_t port; /* stores to an event port at this address are its events */
};

#define EAR_TASKS_DEFAULTS \
	{ \
		.size = sizeof(struct ear_tasks_options) \
	}

/* options NULL: the defaults. The trace is searched for events of a port, with its index or at
 * decoding speed; its place stays where it is. Strings are also read from the image of the program
 * (ear_trace_set_program), which is given before.
 *
 * Returns 0 and *tasks; EAR_E_BAD_ARGUMENT (size), EAR_E_NO_MEMORY, EAR_E_CANCELLED, or an error as
 * ear_trace_find. */
struct ear_progress;
int ear_tasks_new(struct ear_tasks **tasks, struct ear_trace *trace,
	const struct ear_tasks_options *options, const struct ear_progress *progress);
void ear_tasks_free(struct ear_tasks *tasks); /* NULL is fine */

/* Begin at a position instead of the trace's beginning, before the first batch: what comes before
 * it is read with a reader of its own, for what it says of tasks. No events are handed out.
 *
 * Returns 0; EAR_E_UNSUPPORTED (the trace cannot be read at any place), EAR_E_CANCELLED, or an
 * error of reading. */
int ear_tasks_start(
	struct ear_tasks *tasks, uint64_t position, const struct ear_progress *progress);

/* Records first .. first + count - 1 of the batch are instructions, or interrupts, of one task; 0:
 * it is not known. Returns 0 to go on; any other value ends ear_tasks_batch, which returns it. */
typedef int ear_tasks_take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task);

/* An event of tasks or methods, in the words of task_event.h: a record whose event's
 * name they are ("method-enter 4 0x80001000"). It comes before the records that it is for. The
 * record is valid until the function returns. Returns as ear_tasks_take. */
typedef int ear_tasks_event(void *context, const struct ear_record *event);

/* Hand out events, too, from now on; NULL: none. */
void ear_tasks_set_event(struct ear_tasks *tasks, ear_tasks_event *event, void *context);

/* The next batch of the trace, from its beginning on, or where ear_tasks_start began. take NULL:
 * nothing is handed out.
 *
 * Returns 0, what take returned, or EAR_E_NO_MEMORY. */
int ear_tasks_batch(struct ear_tasks *tasks, const struct ear_batch *batch, ear_tasks_take *take,
	void *context);

/* A task: a thread. What is known of it now: its name is the last one that it had. */
struct ear_task_facts {
	size_t size; /* sizeof(struct ear_task_facts), filled in by the caller */
	uint64_t pid;
	bool has_process;
	uint64_t process; /* pid of the process that the thread is of, if has_process */
	const char *name; /* "": not known. Valid until the next call for the tasks */
};

/* Numbers are 1 .. count, in the order in which tasks ran. */
uint32_t ear_tasks_count(const struct ear_tasks *tasks);
/* False, and *task is untouched: there is no such task, or size is 0. */
bool ear_tasks_get(struct ear_tasks *tasks, uint32_t number, struct ear_task_facts *task);
/* Is it the one that text says: its number in decimal, its name, or the last part of a name that
 * is a path? */
bool ear_tasks_is(struct ear_tasks *tasks, uint32_t number, const char *text);
/* Events of tasks so far; 0: nothing says which task runs. */
uint64_t ear_tasks_events(const struct ear_tasks *tasks);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
