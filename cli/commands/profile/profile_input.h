#ifndef EAR_PROFILE_INPUT_H
#define EAR_PROFILE_INPUT_H

#include <pthread.h>
#include <stdbool.h>

#include "analyses/profile/by.h"
#include "cli/input/analysis_input.h"

/* What a profile is made of, and which one of the three: a profile, rows (--by), or methods.
 *
 *     struct profile_input input = PROFILE_INPUT_DEFAULTS;
 *     ... options: input.source, input.options, ..
 *     good = profile_input_begin(&input, paths, count) &&
 *            analysis_input_read(&input.source, paths, count);
 *     ... input.source.whole, if input.source.begun
 *     analysis_input_close(&input.source);
 */
#define PROFILE_FILTER_MAX 32

struct profile_input {
	struct analysis_input source;
	struct ear_profile_options options; /* names, filters and what the trace lacks are set */
	bool may_inline; /* options.inlined is as the program or the parts have it */
	bool has_by, has_methods;
	enum ear_by_key key;
	struct profile_filter {
		const char *names[PROFILE_FILTER_MAX]; /* of --within, or --exclude */
		uint64_t entries[PROFILE_FILTER_MAX];
		unsigned count;
	} within, without;
	pthread_mutex_t lock;
};

#define PROFILE_INPUT_DEFAULTS \
	{ \
		.source = ANALYSIS_INPUT_DEFAULTS, .lock = PTHREAD_MUTEX_INITIALIZER, \
	}

/* After the options, before these traces or parts are read: which analysis counts them, and how.
 * Returns false after printing what does not go together. */
bool profile_input_begin(struct profile_input *input, char **paths, int count);

#endif
