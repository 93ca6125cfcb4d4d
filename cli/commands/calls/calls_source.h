#ifndef CLI_CALLS_SOURCE_H
#define CLI_CALLS_SOURCE_H

#include <pthread.h>
#include <stdbool.h>

#include "analyses/calls/call_log.h"
#include "analyses/calls/interrupts.h"
#include "cli/input/part_file.h"
#include "cli/input/task_batches.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"

/* What calls come from: a trace, read by one thread or in parts by several, or files of parts. */
struct calls_source {
	struct trace_input input;
	struct trace_parts parts;
	struct ear_task_filter tasks;
	struct ear_call_log_options options; /* lock is set here */
	struct ear_call_log *log;            /* of all */
	struct ear_interrupts *interrupts;   /* not NULL: these are followed, and no calls; */
	const char *event;                   /* since this one; NULL: none */
	bool limited; /* what takes the calls wants no more, and returned CALLS_ENOUGH */

	struct ear_call_log *logs[EAR_PARTS_QUEUE_MAX]; /* of parts */
	struct ear_interrupts *told[EAR_PARTS_QUEUE_MAX];
	pthread_mutex_t lock;
	char program[sizeof(((struct ear_part_head *)0)->program)]; /* of files of parts */
};

#define CALLS_SOURCE_DEFAULTS \
	{ \
		.input = TRACE_INPUT_DEFAULTS, .parts = TRACE_PARTS_DEFAULTS, \
		.tasks = {.options = EAR_TASKS_DEFAULTS}, .lock = PTHREAD_MUTEX_INITIALIZER \
	}

/* Of options->take. */
#define CALLS_ENOUGH 1

/* The trace, which is open: all calls are taken. Returns false after printing why not; those of
 * what came before were. */
bool calls_source_read(struct calls_source *source);
/* The same, but print the part of it that was asked for. */
bool calls_source_print_part(struct calls_source *source);
/* Files of parts; the first one must be there, and open gets its names before they are asked. */
bool calls_source_read_files(struct calls_source *source, int count, char **paths, bool quiet,
	bool (*open)(void *context), void *context);

uint64_t calls_source_records(const struct calls_source *source);
void calls_source_close(struct calls_source *source);

#endif
