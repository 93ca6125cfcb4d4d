/* Command lines that share a count. The other lines run inside of the first one, after it has shown
 * its own: so its count, its names and its trace are there for all of them, and belong to it. What
 * they would have counted is compared by the analysis' options (same_count); what differs is read
 * by a process of its own, later.
 */
#include "cli/input/analysis_input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/outlet.h"

static struct {
	const struct analysis_line *lines;
	size_t count;
	struct analysis_input *first; /* what was counted; NULL: nothing yet */
	bool refused;                 /* this line needs another count */
	off_t begin, end;             /* of what the first one printed while it read */
} shared;

static off_t printed(void)
{
	fflush(stderr);
	return lseek(shared.lines[0].errors, 0, SEEK_CUR);
}

void analysis_share_begin(void)
{
	if (shared.lines)
		shared.begin = shared.end = printed();
}

void analysis_share_end(void)
{
	if (shared.lines && !shared.first)
		shared.end = printed();
}

/* What it printed, once more. */
static void repeat(void)
{
	char bytes[4096];
	off_t at = shared.begin;

	while (at < shared.end) {
		const off_t rest = shared.end - at;
		const size_t wanted = rest < (off_t)sizeof(bytes) ? (size_t)rest : sizeof(bytes);
		const ssize_t count = pread(shared.lines[0].errors, bytes, wanted, at);
		if (count <= 0 || !outlet_write(STDERR_FILENO, bytes, (size_t)count))
			return;
		at += count;
	}
}

static void direct(const struct analysis_line *line)
{
	fflush(stdout);
	fflush(stderr);
	(void)dup2(line->output, STDOUT_FILENO);
	(void)dup2(line->errors, STDERR_FILENO);
}

static void run(const struct analysis_line *line)
{
	shared.refused = false;
	direct(line);
	const int status = line->command->run(line->argc, line->argv);
	fflush(stdout);
	if (!shared.refused && !cli_interrupted)
		*line->status = status;
}

void analysis_share_run(const struct analysis_line *lines, size_t count)
{
	shared.lines = lines;
	shared.count = count;
	run(&lines[0]);
	shared.lines = NULL;
}

void analysis_share_rest(struct analysis_input *source)
{
	if (!shared.lines || shared.first || source->borrowed || !source->whole ||
		source->parts.part > 0)
		return;
	shared.first = source;
	for (size_t i = 1; i < shared.count && !cli_interrupted; i++) {
		files_clear();
		run(&shared.lines[i]);
	}
	shared.first = NULL;
	shared.refused = false;
	direct(&shared.lines[0]);
}

static bool is_same_text(const char *one, const char *other)
{
	return one == other || (one && other && strcmp(one, other) == 0);
}

/* The range and the tasks. */
static bool is_same_choice(const struct analysis_input *one, const struct analysis_input *other)
{
	return is_same_text(one->parts.from.text, other->parts.from.text) &&
	       is_same_text(one->parts.to.text, other->parts.to.text) &&
	       one->parts.part == other->parts.part &&
	       is_same_text(one->tasks.task, other->tasks.task) &&
	       one->tasks.asked == other->tasks.asked && one->follows == other->follows;
}

bool analysis_share_is_rest(void)
{
	return shared.first;
}

bool analysis_share_take(struct analysis_input *source, char **paths, int count)
{
	struct analysis_input *first = shared.first;
	const struct trace_input own = source->input;
	source->input = first->input;
	source->input.path = own.path;
	source->input.quiet = own.quiet;
	if (count == 1 && strcmp(paths[0], first->input.path) == 0 &&
		source->analysis == first->analysis && source->same_count &&
		(!source->opened || source->opened(source, 0)) &&
		(!source->named || source->named(source)) && is_same_choice(source, first) &&
		source->same_count(source->options, first->options)) {
		source->parts = first->parts;
		source->tasks = first->tasks;
		source->whole = first->whole;
		source->begun = first->begun;
		source->enough = first->enough;
		source->borrowed = true;
		repeat();
		return true;
	}
	source->input = own;
	shared.refused = true;
	return false;
}
