/* Command lines that share a reading. Each is a command that goes from its options to its output by
 * itself, so none of them can wait for the others but inside of its own reading: there the next
 * line runs, up to its reading, and so on. The innermost one reads the trace for the counts of all,
 * and then each shows its own, the last one first. One that would count the same as one before it,
 * by the analysis' options (same_count), has no count of its own. What cannot share the reading is
 * left to a process of its own.
 */
#include "cli/input/analysis_input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyses/base/analysis_run.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/outlet.h"

/* A line with a count of its own. */
struct member {
	struct analysis_input *source;
	struct ear_analysis_run *run;
	bool lends;      /* others show its count, */
	bool unfinished; /* which could not be finished */
};

static struct {
	const struct analysis_line *lines, *current;
	size_t count, next; /* the line that runs next */
	struct member members[ANALYSIS_LINES_MAX];
	size_t member_count;
	bool read;                /* it was */
	bool refused;             /* the current line cannot share */
	off_t begin, opened, end; /* of what the first one printed while it opened and read */
} shared;

static off_t printed(void)
{
	fflush(stderr);
	return lseek(shared.lines[0].errors, 0, SEEK_CUR);
}

/* What the first line printed, once more. */
static void repeat(off_t from, off_t to)
{
	char bytes[4096];

	while (from < to) {
		const off_t rest = to - from;
		const size_t wanted = rest < (off_t)sizeof(bytes) ? (size_t)rest : sizeof(bytes);
		const ssize_t count = pread(shared.lines[0].errors, bytes, wanted, from);
		if (count <= 0 || !outlet_write(STDERR_FILENO, bytes, (size_t)count))
			return;
		from += count;
	}
}

/* From here on this line prints. */
static void direct(const struct analysis_line *line)
{
	fflush(stdout);
	fflush(stderr);
	(void)dup2(line->output, STDOUT_FILENO);
	(void)dup2(line->errors, STDERR_FILENO);
	shared.current = line;
}

static void run(const struct analysis_line *line)
{
	files_clear();
	shared.refused = false;
	direct(line);
	const int status = line->command->run(line->argc, line->argv);
	fflush(stdout);
	if (!shared.refused && !cli_interrupted)
		*line->status = status;
	shared.refused = false;
}

void analysis_share_run(const struct analysis_line *lines, size_t count)
{
	shared.lines = lines;
	shared.count = count < ANALYSIS_LINES_MAX ? count : ANALYSIS_LINES_MAX;
	shared.next = 1;
	shared.member_count = 0;
	shared.read = false;
	run(&lines[0]);
	shared.lines = NULL;
}

/* ---- The reading. ---- */

/* Whoever shows the count of another one does so before that one. */
static void finish_lent(struct member *member)
{
	member->source->enough = member->run->enough;
	member->source->begun = member->run->begun;
	if (member->lends)
		member->unfinished = !analysis_input_finish(member->source);
}

static void read_all(void)
{
	struct ear_analysis_run *runs[ANALYSIS_LINES_MAX];

	direct(&shared.lines[0]);
	for (size_t i = 0; i < shared.member_count; i++)
		runs[i] = shared.members[i].run;
	ear_analysis_run_together(runs, shared.member_count);
	shared.read = true;
	shared.end = printed();
	for (size_t i = 0; i < shared.member_count; i++)
		finish_lent(&shared.members[i]);
}

/* The other lines come up to their reading; then all is read. */
static void run_others(void)
{
	const struct analysis_line *own = shared.current;

	while (!shared.read && shared.next < shared.count && !cli_interrupted)
		run(&shared.lines[shared.next++]);
	if (!shared.read)
		read_all();
	direct(own);
	if (own != shared.lines)
		repeat(shared.opened, shared.end);
}

/* In the place of ear_analysis_run: when it returns the others have begun to count, too, and all
 * was read. */
static int count_with_others(struct analysis_input *source, struct ear_analysis_run *run)
{
	if (shared.read || source->parts.part > 0 || source->parts.plan.count != 1)
		return ear_analysis_run(run);
	struct member *member = &shared.members[shared.member_count++];
	*member = (struct member){.source = source, .run = run};
	if (shared.member_count == 1)
		shared.opened = printed();
	run_others();
	shared.refused = member->unfinished;
	return run->result;
}

void analysis_share_begin(struct analysis_input *source)
{
	if (!shared.lines)
		return;
	shared.begin = printed();
	source->run = count_with_others;
}

/* ---- The other lines. ---- */

bool analysis_share_is_rest(void)
{
	return shared.lines && shared.member_count > 0 && !shared.read;
}

static bool is_same_text(const char *one, const char *other)
{
	return one == other || (one && other && strcmp(one, other) == 0);
}

static bool is_same_range(const struct analysis_input *one, const struct analysis_input *other)
{
	return is_same_text(one->parts.from.text, other->parts.from.text) &&
	       is_same_text(one->parts.to.text, other->parts.to.text) &&
	       one->parts.part == other->parts.part;
}

static bool is_same_task(const struct analysis_input *one, const struct analysis_input *other)
{
	return is_same_text(one->tasks.task, other->tasks.task) &&
	       one->tasks.asked == other->tasks.asked && one->follows == other->follows;
}

/* Whose count it would show; NULL: it needs its own. */
static struct member *find_same(struct analysis_input *source)
{
	for (size_t i = 0; i < shared.member_count && source->same_count; i++) {
		const struct analysis_input *other = shared.members[i].source;

		if (source->analysis == other->analysis && is_same_task(source, other) &&
			(!source->named || source->named(source)) &&
			source->same_count(source->options, other->options))
			return &shared.members[i];
	}
	return NULL;
}

static bool borrow(struct analysis_input *source, struct member *member)
{
	member->lends = true;
	source->borrowed = true;
	run_others();
	if (member->unfinished || (member->run->result && !member->run->enough)) {
		shared.refused = true;
		return false;
	}
	source->tasks = member->source->tasks;
	source->whole = member->source->whole;
	source->begun = member->source->begun;
	source->enough = member->source->enough;
	analysis_input_judge(source);
	return true;
}

static bool read_with_others(struct analysis_input *source)
{
	struct member *same = find_same(source);

	if (same)
		return borrow(source, same);
	source->guest = true;
	source->run = count_with_others;
	const bool good = analysis_input_count(source);
	shared.refused = shared.refused || !shared.read; /* it did not come that far */
	return good;
}

bool analysis_share_take(struct analysis_input *source, char **paths, int count)
{
	const struct analysis_input *first = shared.members[0].source;
	const struct trace_input own = source->input;
	const bool in_order = source->parts.in_order;

	source->input = first->input;
	source->input.path = own.path;
	source->input.quiet = own.quiet;
	source->input.verdict = own.verdict;
	repeat(shared.begin, shared.opened);
	if (count == 1 && strcmp(paths[0], first->input.path) == 0 &&
		is_same_range(source, first)) {
		source->parts = first->parts;
		source->parts.in_order = in_order;
		if (!source->opened || source->opened(source, 0))
			return read_with_others(source);
	}
	source->input = own;
	shared.refused = true;
	return false;
}
