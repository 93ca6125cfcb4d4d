#ifndef EAR_QTRACE_SAVE_H
#define EAR_QTRACE_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/qtrace/qtrace_format.h"

/* Writes a qtrace directory from what happened, byte for byte as the emulator does: blocks of code,
 * their executions, times of entries, accesses, exceptions, events. Each stream comes in the order
 * of time; the streams do not have to be in order among themselves.
 *
 * What would break a rule of docs/android.md, section 5, is refused with EAR_E_BAD_ARGUMENT, and
 * nothing of it is written: ear_qtrace_save_fault has the rule, a sentence. The caller may do
 * something else instead, or give up. Memory holds 16 bytes for each block of code.
 */
struct ear_qtrace_save;

struct ear_qtrace_save_options {
	struct ear_qtrace_header header; /* its dates; the counts are the writer's own */
	bool raw;                        /* without counts, as the emulator leaves it */
	bool no_accesses;                /* no .load and .store */
	bool no_methods;                 /* no .method */
};

/* Make the files in the directory, which stays the caller's; what they held is lost.
 * Returns 0 and *save; EAR_E_IO (errno) or EAR_E_NO_MEMORY.
 */
int ear_qtrace_save_new(struct ear_qtrace_save **save, int directory,
	const struct ear_qtrace_save_options *options);
void ear_qtrace_save_free(struct ear_qtrace_save *save);

/* A block of code, 1 to 512 entries; address with bit 0 of Thumb. Returns 0 and its number, or
 * EAR_E_BAD_ARGUMENT, EAR_E_NO_MEMORY. */
int ear_qtrace_save_block(struct ear_qtrace_save *save, uint64_t *number, uint32_t address,
	const uint32_t *entries, uint32_t count);

/* A block ran, of pid. */
int ear_qtrace_save_execution(
	struct ear_qtrace_save *save, uint64_t number, uint64_t time, uint32_t pid);

/* Entries began: those of an execution in order, in any order with the rest. If a time is refused
 * those before it are taken. */
int ear_qtrace_save_times(struct ear_qtrace_save *save, const uint64_t *times, size_t count);

static inline int ear_qtrace_save_time(struct ear_qtrace_save *save, uint64_t time)
{
	return ear_qtrace_save_times(save, &time, 1);
}

int ear_qtrace_save_access(
	struct ear_qtrace_save *save, bool store, const struct ear_qtrace_access *access);

/* Of the execution that came last: so many of its entries began. */
int ear_qtrace_save_exception(struct ear_qtrace_save *save, uint64_t time, uint32_t pc,
	uint32_t target, uint32_t entries);

int ear_qtrace_save_pid(struct ear_qtrace_save *save, const struct ear_qtrace_pid_event *event);
int ear_qtrace_save_method(
	struct ear_qtrace_save *save, const struct ear_qtrace_method_event *event);

/* The trace ends at time: end marks, counts. Returns 0 or EAR_E_IO (errno); nothing can be written
 * any more. */
int ear_qtrace_save_finish(struct ear_qtrace_save *save, uint64_t time, uint64_t microseconds);

/* The rule that the last refusal was about. Static. */
const char *ear_qtrace_save_fault(const struct ear_qtrace_save *save);

#endif
