#ifndef CLI_TIMELINE_SOURCE_H
#define CLI_TIMELINE_SOURCE_H

#include <stdbool.h>
#include <stdio.h>

#include "analyses/timeline/timeline.h"
#include "cli/input/part_file.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"

/* What a timeline comes from: a trace, read by one thread or in parts by several, or files of
 * parts.
 */
struct timeline_source {
	struct trace_input input;
	struct trace_parts parts;
	struct ear_timeline_options options;
	struct ear_timeline *timeline; /* of all */

	struct ear_timeline *pieces[EAR_PARTS_QUEUE_MAX];           /* of parts */
	char program[sizeof(((struct ear_part_head *)0)->program)]; /* of files of parts */
};

#define TIMELINE_SOURCE_DEFAULTS \
	{ \
		.input = TRACE_INPUT_DEFAULTS, .parts = TRACE_PARTS_DEFAULTS \
	}

/* The trace, which is open and planned. Returns false after printing why the timeline is not that
 * of all of it, or is not there. */
bool timeline_source_read(struct timeline_source *source);
/* The same, but write the part of it that was asked for. */
bool timeline_source_write_part(struct timeline_source *source, FILE *file);
/* Files of parts. */
bool timeline_source_read_files(
	struct timeline_source *source, int count, char **paths, bool quiet);

void timeline_source_close(struct timeline_source *source);

#endif
