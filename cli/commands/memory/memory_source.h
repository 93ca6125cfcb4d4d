#ifndef CLI_MEMORY_SOURCE_H
#define CLI_MEMORY_SOURCE_H

#include <pthread.h>
#include <stdbool.h>

#include "analyses/memory/memory_result.h"
#include "cli/input/part_file.h"
#include "cli/input/task_batches.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"

/* What a run did with memory, of a trace, read by one thread or in parts by several, or of files of
 * parts. */
struct memory_source {
	struct trace_input input;
	struct trace_parts parts;
	struct ear_task_filter tasks;
	struct ear_usage_options options; /* physical, working_set */
	struct ear_usage *memory;         /* of all; NULL: it could not be begun */
	bool no_accesses;                 /* the format of the trace shows none */

	struct ear_usage *pieces[EAR_PARTS_QUEUE_MAX]; /* of parts */
	struct ear_trace *again; /* for parts that cannot be joined; NULL: there was none */
	struct ear_progress again_progress;
	char again_error[EAR_TRACE_ERROR_MAX];
	pthread_mutex_t lock;
	char program[sizeof(((struct ear_part_head *)0)->program)]; /* of files of parts */
};

#define MEMORY_SOURCE_DEFAULTS \
	{ \
		.input = TRACE_INPUT_DEFAULTS, .parts = TRACE_PARTS_DEFAULTS, \
		.tasks = {.options = EAR_TASKS_DEFAULTS}, .lock = PTHREAD_MUTEX_INITIALIZER \
	}

/* The trace, which is open. Returns false after printing why not all was read; what came before
 * was. */
bool memory_source_read(struct memory_source *source);
/* The same, but print the part of it that was asked for. */
bool memory_source_print_part(struct memory_source *source);
/* Files of parts; the first one must be there. */
bool memory_source_read_files(struct memory_source *source, int count, char **paths, bool quiet);

void memory_source_close(struct memory_source *source);

#endif
