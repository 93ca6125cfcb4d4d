#ifndef EAR_PROFILE_SOURCE_H
#define EAR_PROFILE_SOURCE_H

#include <pthread.h>
#include <stdbool.h>

#include "cli/commands/profile/profile_counter.h"
#include "cli/input/trace_parts.h"

/* What a profile is made of: traces, or files of parts.
 *
 *     struct profile_source source = PROFILE_SOURCE_DEFAULTS;
 *     ... source.input, source.parts, source.what as the command line has them
 *     good = profile_source_read(&source, argv + first, argc - first);
 *     ... source.sum.profile, source.input.names; also when good is false, if there is a profile
 *     profile_source_close(&source);
 */
#define PROFILE_FILTER_MAX 32

struct profile_source {
	struct trace_input input; /* of the first trace; names are its */
	struct trace_parts parts;
	struct profile_what what;
	struct profile_filter {
		const char *names[PROFILE_FILTER_MAX]; /* of --within, or --exclude */
		uint64_t entries[PROFILE_FILTER_MAX];
		unsigned count;
	} within, without;

	/* What is asked for is finished; NULL: nothing could be read. With --part it was printed,
	 * and is not finished. */
	struct profile_counter sum;

	char program[4096]; /* that parts were counted with */

	pthread_mutex_t lock;
	struct profile_counter counters[EAR_PARTS_MAX]; /* of the parts of a trace */
};

#define PROFILE_SOURCE_DEFAULTS \
	{ \
		.input = TRACE_INPUT_DEFAULTS, .parts = TRACE_PARTS_DEFAULTS, \
		.lock = PTHREAD_MUTEX_INITIALIZER, .what.tasks = { \
			.options = EAR_TASKS_DEFAULTS \
		} \
	}

/* Returns false after printing why not all could be read. */
bool profile_source_read(struct profile_source *source, char **paths, int count);
void profile_source_close(struct profile_source *source);

#endif
