#ifndef CLI_ANALYSIS_INPUT_H
#define CLI_ANALYSIS_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "analyses/base/analysis.h"
#include "analyses/base/task_filter.h"
#include "cli/input/part_file.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"

struct ear_analysis_run;

/* What became of one of several traces. */
struct analysis_row {
	enum { ANALYSIS_NOT_DONE, ANALYSIS_DONE, ANALYSIS_FAILED } state;
	bool known;
	uint64_t records;
};

/* What an analysis counts on the command line: a trace, several ones, or part files.
 *
 *     struct analysis_input source = ANALYSIS_INPUT_DEFAULTS;
 *     source.analysis = &ear_coverage_analysis;
 *     ... options: source.input, source.parts, source.tasks
 *     good = analysis_input_read(&source, argv + first, argc - first);
 *     ... source.whole, source.input.names; also when good is false, if there is a whole: it is
 *     ... what came before
 *     analysis_input_close(&source);
 */
struct analysis_input {
	struct trace_input input; /* of the first trace; names are its */
	struct trace_parts parts;
	struct ear_task_filter tasks; /* --task: whether it ran in some trace; the last follower */

	const struct ear_analysis *analysis;
	const void *options; /* of it */
	/* Part files must have the options that the whole has; what is wrong with one that has not:
	 * "it was counted with another --march". NULL: they may have any. */
	const char *other_options;
	/* Instead, where that is not all: are these the options of parts that the whole can take?
	 * Prints why not. NULL: other_options says it. */
	bool (*takes)(const struct analysis_input *source, const char *path, const char *options);
	/* Before the whole is made: names are there, and go into the options. Of part files: only
	 * if this is there, else after all of them. NULL: the analysis needs no names. False: the
	 * reason was printed. */
	bool (*named)(struct analysis_input *source);
	/* After the parts are planned, before the whole is made. As named. */
	bool (*planned)(struct analysis_input *source);
	bool follows; /* tasks are followed, also without --task */
	/* Of --task only the analysis knows: nobody checks whether it ran, and a part file has it
	 * in its options alone. */
	bool unchecked;
	bool apart; /* several traces may be counted by processes, and joined as parts */
	bool quiet; /* not a word if part files are not the whole trace */
	/* After a trace was opened, before it is read: sets options that it decides, and says
	 * whether it goes with those before it. number: 0 is the first one. NULL: it always does.
	 * False: the reason was printed. */
	bool (*opened)(struct analysis_input *source, unsigned number);
	void *context;             /* the command's own */
	struct analysis_row *rows; /* of several traces, one each; NULL: nobody asks */

	/* Would these options count what those others have counted? Where the others count more, it
	 * is nothing that is shown of the first ones. NULL: nobody knows (analysis_share.c). */
	bool (*same_count)(const void *own, const void *counted);
	/* In the place of ear_analysis_run, for one that reads with others (analysis_share.c).
	 * NULL: that. */
	int (*run)(struct analysis_input *source, struct ear_analysis_run *run);
	bool guest;    /* the trace is another command line's, */
	bool borrowed; /* and so is what was counted */

	bool begun;  /* something was counted; else the whole is empty */
	bool enough; /* the analysis wanted no more */
	bool finished;
	void *whole; /* what was counted; NULL: nothing. With --part part is, instead. */
	void *part;
};

#define ANALYSIS_INPUT_DEFAULTS \
	{ \
		.input = TRACE_INPUT_DEFAULTS, .parts = TRACE_PARTS_DEFAULTS, .tasks = { \
			.options = EAR_TASKS_DEFAULTS \
		} \
	}

/* The group of --task and --event-port, for a struct ear_task_filter. */
extern const struct command_option task_options[];

/* All of it: traces or part files, whichever they are. Returns false after printing why not all
 * could be read. With --part nothing else is left to do than analysis_input_write_part.
 *
 * Several traces are read by processes, some at once, if they may be apart and -j says so: each
 * is counted by one of its own, and joined here, in their order. Not with --task, and other things
 * that parts do not have. */
bool analysis_input_read(struct analysis_input *source, char **paths, int count);

/* The steps of that, with the same results: a trace that is open, which is joined to the whole;
 * part files, and these without names or rights. Then no more come: the whole is finished,
 * or forgotten if it cannot be. */
bool analysis_input_count(struct analysis_input *source);
bool analysis_input_traces(struct analysis_input *source, char **paths, int count);
bool analysis_input_files(struct analysis_input *source, char **paths, int count);
bool analysis_input_finish(struct analysis_input *source);
/* What is missing in what was read goes to the verdict. */
void analysis_input_judge(struct analysis_input *source);
bool analysis_input_open(struct analysis_input *source, char *path, bool first);
bool analysis_input_make_whole(struct analysis_input *source);
bool analysis_input_join_file(
	struct analysis_input *source, struct part_files *files, const char *path);
void analysis_input_describe(
	const struct analysis_input *source, const void *count, char text[EAR_PART_WORD_MAX]);
bool analysis_input_join_files(
	struct analysis_input *source, struct part_files *files, char **paths, int count);
/* After all: did the wanted task run? Prints why not. */
bool analysis_input_check_task(const struct analysis_input *source, const char *path);
void analysis_input_forget(struct analysis_input *source); /* what was counted */

/* The part that was counted as a file. Returns false after printing why not. */
bool analysis_input_write_part(struct analysis_input *source, FILE *file);

void analysis_input_close(struct analysis_input *source);

/* ---- A reading that several share (analysis_share.c). ---- */

/* Several command lines over one trace, in one process: the first one opens the trace, which is
 * read once, for the counts of all of them. One that would count the same as another one shows
 * what that has counted. What each prints is what it prints alone.
 */

/* One of them. Its descriptors take its standard output and error. */
struct analysis_line {
	const struct command *command;
	int argc;
	char **argv;
	int output, errors;
	volatile int *status; /* its exit status, when it has ended; before that it stays as it is
			       */
};

#define ANALYSIS_LINES_MAX 32u

/* Run the first one, and with it those of the others that it can take with it. The rest did not
 * run. Standard output and error are those of the last line then: call it in a process of its own.
 */
void analysis_share_run(const struct analysis_line *lines, size_t count);

/* The reading of the trace begins: what the first line prints as errors from here on, until it was
 * read, is of the trace, and is what the others print as well. */
void analysis_share_begin(struct analysis_input *source);
/* Is this one of the others? Then the trace is open, and analysis_share_take is its
 * analysis_input_read. */
bool analysis_share_is_rest(void);
bool analysis_share_take(struct analysis_input *source, char **paths, int count);

#endif
