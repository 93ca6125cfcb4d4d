#ifndef EAR_COVERAGE_SOURCE_H
#define EAR_COVERAGE_SOURCE_H

#include <stdbool.h>

#include "analyses/coverage/coverage.h"
#include "analyses/coverage/isa_coverage.h"
#include "cli/input/part_file.h"
#include "cli/input/task_batches.h"
#include "cli/input/trace_parts.h"

/* What a coverage is made of: traces, or files of parts.
 *
 *     struct coverage_source source = COVERAGE_SOURCE_DEFAULTS;
 *     ... source.input, source.parts, source.is_isa and others as the command line has them
 *     good = coverage_source_read(&source, argv + first, argc - first);
 *     ... source.coverage or source.isa, and source.input.names; also when good is false, if there
 *     ... is one: it is what came before
 *     coverage_source_close(&source);
 */
struct coverage_source {
	struct trace_input input; /* of the first trace; names are its */
	struct trace_parts parts;
	bool is_isa;                        /* --isa: isa is counted, or else coverage */
	bool shows_traps, shows_interrupts; /* the trace can */
	const char *march;                  /* of --isa; may be NULL */
	struct task_batches tasks; /* --task: only its records; whether it ran in some trace */

	struct ear_coverage *coverage;
	struct ear_isa_coverage *isa;
	struct ear_instructions *instructions; /* of isa */
	bool refused; /* a trace is of another program: no sum makes sense */

	/* Of the parts of the trace that is read. */
	struct coverage_part {
		struct ear_coverage *lines; /* one of the two */
		struct ear_isa_coverage *isa;
		struct ear_instructions *decoder; /* of isa */
		bool skipped;                     /* the record just before was of another task */
	} of_parts[TRACE_PARTS_MAX];
	char program[sizeof(((struct ear_part_head *)0)->program)];
};

#define COVERAGE_SOURCE_DEFAULTS \
	{ \
		.input = TRACE_INPUT_DEFAULTS, .parts = TRACE_PARTS_DEFAULTS, .tasks = { \
			.options = EAR_TASKS_DEFAULTS \
		} \
	}

/* Returns false after printing why not all could be read. With --part nothing else is left to do:
 * coverage_source_print_part. */
bool coverage_source_read(struct coverage_source *source, char **paths, int count);

/* Print what was counted as a part. Returns false after printing why not. */
bool coverage_source_print_part(struct coverage_source *source);
void coverage_source_close(struct coverage_source *source);

#endif
