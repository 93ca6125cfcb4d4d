#ifndef EAR_QTRACE_LOG_H
#define EAR_QTRACE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/qtrace/qtrace_format.h"

/* A qtrace directory as what happened: each execution of a block, the time of each of its entries,
 * accesses, exceptions and events, every stream in the order of time. Raw and post-processed
 * directories are the same to it. Memory holds the blocks of code and a window, however long the
 * trace is.
 */
struct ear_qtrace_log;

struct ear_qtrace_block {
	uint32_t address; /* with bit 0 of Thumb */
	uint32_t count;
	const uint32_t *entries;
};

struct ear_qtrace_execution {
	uint64_t number;  /* of the block; 0: the end record, which has no entries */
	uint64_t time;    /* when it began */
	uint64_t ordinal; /* from 1 */
	uint32_t entries; /* that began: all, unless an exception ended it */
	struct ear_qtrace_block block;
	const struct ear_qtrace_exception *exception; /* NULL: none */
};

/* Open the files of the directory, which stays the caller's.
 *
 * Returns 0 and *log; EAR_E_UNSUPPORTED (a folder without blocks is none of this format),
 * EAR_E_BAD_FILE, EAR_E_IO or EAR_E_NO_MEMORY, and a sentence in fault[0 .. size-1] that names the
 * file.
 */
int ear_qtrace_log_open(struct ear_qtrace_log **log, int directory, char *fault, size_t size);
void ear_qtrace_log_close(struct ear_qtrace_log *log);

const struct ear_qtrace_header *ear_qtrace_log_header(const struct ear_qtrace_log *log);

/* The blocks with their numbers, 0 .. count-1. */
uint64_t ear_qtrace_log_block_count(const struct ear_qtrace_log *log);
struct ear_qtrace_block ear_qtrace_log_block(const struct ear_qtrace_log *log, uint64_t number);

/* All that follow return 1 and what comes next, 0 at the end, or an error as above
 * (ear_qtrace_log_fault has the sentence). What they point to is valid until the next call of the
 * same function.
 */
int ear_qtrace_log_next(struct ear_qtrace_log *log, struct ear_qtrace_execution *execution);

/* Of the execution that came last: the time of its next entry; call it once for each. */
int ear_qtrace_log_time(struct ear_qtrace_log *log, uint64_t *time);

/* The next load or store, event or method event with a time of at most limit; 0 if it is later. */
int ear_qtrace_log_access(
	struct ear_qtrace_log *log, bool store, uint64_t limit, struct ear_qtrace_access *access);
int ear_qtrace_log_pid(
	struct ear_qtrace_log *log, uint64_t limit, const struct ear_qtrace_pid_event **event);
int ear_qtrace_log_method(
	struct ear_qtrace_log *log, uint64_t limit, const struct ear_qtrace_method_event **event);

/* The same without taking it: its time; UINT64_MAX if none is left. */
uint64_t ear_qtrace_log_access_time(const struct ear_qtrace_log *log, bool store);
uint64_t ear_qtrace_log_pid_time(const struct ear_qtrace_log *log);
uint64_t ear_qtrace_log_method_time(const struct ear_qtrace_log *log);

/* What is wrong: "qtrace.bb, byte 17: ..."; NULL: nothing. */
const char *ear_qtrace_log_fault(const struct ear_qtrace_log *log);

/* Entries of qtrace.insn that are of no block: older than the block that ran next. */
uint64_t ear_qtrace_log_skipped(const struct ear_qtrace_log *log);

#endif
