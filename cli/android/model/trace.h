#ifndef EAR_ANDROID_TRACE_H
#define EAR_ANDROID_TRACE_H

#include "cli/android/model/tasks.h"
#include "decoder/formats/qtrace/qtrace_log.h"

/* A qtrace folder as the tools see it: executions of blocks with their task and their function. */
struct ear_android_trace;

#define EAR_ANDROID_WORDS_MAX 64

struct ear_android_words {
	const char *list[EAR_ANDROID_WORDS_MAX]; /* :kernel, :libs, a function, a pid */
	size_t count;
};

struct ear_android_options {
	const char *folder;
	const char *kernel; /* an ELF file; NULL: none */
	const char *root;
	struct ear_names *names; /* NULL: nothing has names */
	bool mangled, compatible, lump_kernel, lump_libraries;
	struct ear_android_words include, exclude;
	uint64_t limit; /* executions that are read at the most; 0: all */
	ear_android_report *report;
	void *context;
};

/* Returns 0 and *trace, or an error and a sentence in message. */
int ear_android_trace_open(struct ear_android_trace **trace,
	const struct ear_android_options *options, char *message, size_t size);
void ear_android_trace_close(struct ear_android_trace *trace); /* NULL is allowed */

struct ear_android_run {
	struct ear_qtrace_execution execution;
	const uint64_t *times; /* of execution.entries */
	uint64_t until;        /* when the next one begins */
	uint32_t address;      /* without the bit of Thumb */
	struct ear_android_task *task;
	struct ear_android_symbol *symbol; /* the method that it runs, or the function */
	struct ear_android_symbol *function;
	const struct ear_android_region *region; /* NULL: the kernel's, or nobody's */
	bool in_method;
};

/* Is it a task whose pid is not excluded? */
bool ear_android_trace_wants_task(
	const struct ear_android_trace *trace, const struct ear_android_task *task);

/* The next execution that is not excluded; the end record is one without entries. Returns 1 and
 * *run, 0 at the end, or an error: ear_android_trace_message has the sentence. */
int ear_android_trace_next(struct ear_android_trace *trace, struct ear_android_run *run);

/* Without executions: the next method event, after it was applied. Results as above. */
int ear_android_trace_next_method(struct ear_android_trace *trace,
	struct ear_qtrace_method_event *event, struct ear_android_task **task);

/* Apply all events that are left. Returns 0 or an error. */
int ear_android_trace_finish(struct ear_android_trace *trace);

const char *ear_android_trace_message(const struct ear_android_trace *trace);
const struct ear_android_options *ear_android_trace_options(const struct ear_android_trace *trace);
struct ear_qtrace_log *ear_android_trace_log(struct ear_android_trace *trace);
struct ear_android_tasks *ear_android_trace_tasks(struct ear_android_trace *trace);
struct ear_android_files *ear_android_trace_files(struct ear_android_trace *trace);

/* 0: ARM and Thumb; else entries are halfwords of RISC-V. */
unsigned ear_android_trace_xlen(const struct ear_android_trace *trace);

/* Make the sentence of an error that a tool found. Returns result. */
int ear_android_trace_fail(struct ear_android_trace *trace, int result, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
