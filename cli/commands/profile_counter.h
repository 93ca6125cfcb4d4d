#ifndef EAR_PROFILE_COUNTER_H
#define EAR_PROFILE_COUNTER_H

#include "analyses/part.h"
#include "cli/commands/profile_source.h"

/* What is counted of a part of a trace: a profile, rows (--by), or methods, as the source says.
 * Results are those of earshot/error.h.
 */

/* "profile", "profile --by task": the analysis in a file of a part. */
void profile_counter_analysis(const struct profile_source *source, char text[EAR_PART_WORD_MAX]);

/* Do tasks have to be followed? */
bool profile_counter_follows(const struct profile_source *source);

/* A new one; names NULL: it is read from a file. tasks NULL: they are not followed. */
int profile_counter_new(struct profile_counter *counter, const struct profile_source *source,
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
