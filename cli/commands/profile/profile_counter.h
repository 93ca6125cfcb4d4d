#ifndef EAR_PROFILE_COUNTER_H
#define EAR_PROFILE_COUNTER_H

#include <stdbool.h>

#include "analyses/base/part.h"
#include "analyses/profile/by.h"
#include "analyses/profile/methods.h"
#include "cli/input/task_batches.h"

/* What is counted of a part of a trace: a profile, rows (--by), or methods. Results are those of
 * earshot/error.h.
 */
struct profile_what {
	struct ear_profile_options options;

	/* --by: rows instead of a profile; --methods: methods; --task: only its records. They read
	 * one trace. */
	bool has_by, has_methods;
	enum ear_by_key key;
	struct ear_task_filter tasks;
};

/* What is counted: one of the three. */
struct profile_counter {
	struct ear_profile *profile;
	struct ear_by *by;
	struct ear_methods *methods;
	struct ear_task_filter tasks; /* of a part that is read */
	uint64_t task_events;         /* that by and methods had */
};

/* "profile", "profile --by task": the analysis in a file of a part. */
void profile_counter_analysis(const struct profile_what *what, char text[EAR_PART_WORD_MAX]);

/* Do tasks have to be followed? */
bool profile_counter_follows(const struct profile_what *what);

/* A new one; names NULL: it is read from a file. tasks NULL: they are not followed. */
int profile_counter_new(struct profile_counter *counter, const struct profile_what *what,
	struct ear_names *names, struct ear_tasks *tasks);
void profile_counter_free(struct profile_counter *counter);

/* A batch of what comes before the part, NULL: that was all; one of the part; and no more come. */
int profile_counter_before(struct profile_counter *counter, const struct ear_batch *batch);
int profile_counter_batch(struct profile_counter *counter, const struct ear_batch *batch);
int profile_counter_end(struct profile_counter *counter);

/* next, which has ended, follows. It is freed, or becomes the counter that was none. */
int profile_counter_join(struct profile_counter *counter, struct profile_counter *next);

int profile_counter_write(struct profile_counter *counter, struct ear_part_writer *writer);
bool profile_counter_read(struct profile_counter *counter, struct ear_part_reader *reader);

#endif
