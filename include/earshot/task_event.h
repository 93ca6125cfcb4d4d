#ifndef EAR_TASK_EVENT_H
#define EAR_TASK_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What software reports about itself: tasks, their address spaces, methods of an interpreter,
 * markers. Such a report is an event record of source 0, whatever it came from: its name is the
 * kind of the event and its arguments, words with one blank between them.
 *
 *     switch 100
 *     mmap 0x40000000 0x40001000 0x0 /system/lib/libfoo.so
 *     exec /system/bin/app -v two\x20words ""
 *
 * So every format with events carries them, a person can read them, and no format has to know the
 * list. ear_tasks_set_event (tasks.h) also hands out what stores to an event port mean.
 *
 * Numbers come first: addresses and offsets with 0x, pids and codes in decimal. Texts come last:
 * bytes that are not printable ASCII, blanks, quotes, commas, semicolons and backslashes are \xHH,
 * and "" is the text without a byte. In the table: a pid, an address 0x, a text T, any number
 * of texts T...
 *
 *     process TGID PID T        a task that was there before the trace, with its name
 *     switch PID                another task runs
 *     fork TGID PID             the current task has a child with an address space of its own
 *     clone TGID PID            the same in the same address space: a thread
 *     exec T...                 the current task begins another program; its arguments
 *     exit CODE                 the current task ends
 *     name PID T                a task has a name
 *     mmap 0x 0x 0x T           a file is mapped: first address, the one after it, offset, path
 *     munmap 0x 0x              first address, the one after it
 *     symbol 0x T               a symbol comes
 *     symbol-gone 0x            it goes
 *     method-enter PID 0x       of a virtual machine; native-enter and so on of native methods
 *     method-exit PID 0x
 *     method-unwind PID 0x      it is left by an exception
 *     native-enter PID 0x
 *     native-exit PID 0x
 *     native-unwind PID 0x
 *     exception 0x 0x           the hart leaves the code at the first address; it shall return to
 *                               the second one, 0 if tracing stops there
 *     mark NUMBER T             of the user
 *     counter NUMBER VALUE T    of the user, with its name
 *     libc-init PID             a task has a heap from now on
 *     malloc PID 0x SIZE        it gets a block of the heap: address, bytes
 *     free PID 0x               it gives one back
 *     query-malloc PID 0x       it asks for the block that an address is in
 *
 * Everything that is not exactly so is an event like any other.
 */
enum ear_task_event_kind {
	EAR_TASK_PROCESS,
	EAR_TASK_SWITCH,
	EAR_TASK_FORK,
	EAR_TASK_CLONE,
	EAR_TASK_EXEC,
	EAR_TASK_EXIT,
	EAR_TASK_NAME,
	EAR_TASK_MMAP,
	EAR_TASK_MUNMAP,
	EAR_TASK_SYMBOL,
	EAR_TASK_SYMBOL_GONE,
	EAR_TASK_METHOD_ENTER,
	EAR_TASK_METHOD_EXIT,
	EAR_TASK_METHOD_UNWIND,
	EAR_TASK_NATIVE_ENTER,
	EAR_TASK_NATIVE_EXIT,
	EAR_TASK_NATIVE_UNWIND,
	EAR_TASK_EXCEPTION,
	EAR_TASK_MARK,
	EAR_TASK_COUNTER,
	EAR_TASK_LIBC_INIT,
	EAR_TASK_MALLOC,
	EAR_TASK_FREE,
	EAR_TASK_QUERY_MALLOC,
	EAR_TASK_KINDS
};

#define EAR_TASK_NUMBERS_MAX 3

struct ear_task_event {
	enum ear_task_event_kind kind;
	/* As many as the kind has, in the order above. An exit code is signed. */
	uint64_t numbers[EAR_TASK_NUMBERS_MAX];
	struct ear_text texts; /* read: what is left of the name, for ear_task_event_text */
};

/* Read the kind and the numbers of an event. event->texts points to the rest of its name, which is
 * not checked. False: it is another record, or an event like any other. */
bool ear_task_event_read(struct ear_task_event *event, const struct ear_record *record);

/* Take the next text of *texts to to[0 .. texts->size-1] at least; *size: its bytes. Returns false
 * if none is left, or it is malformed. */
bool ear_task_event_text(struct ear_text *texts, char *to, size_t *size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
