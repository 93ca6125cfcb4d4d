/* A live view of a trace. What grows, or comes through a pipe, goes through a pipe of our own
 * (cli/top/top_follow.h), whose end we can make: so a view can always be left. A file that is
 * complete is read as every command reads it.
 */
#include "cli/commands/top/top_trace.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/top/top_follow.h"
#include "cli/top/top_run.h"
#include "cli/top/top_terminal.h"

struct reading {
	struct top_trace *trace;
	struct top_follow *follow; /* NULL: the file is complete */
};

static int next(void *context, struct ear_batch *batch)
{
	const struct reading *reading = context;

	return ear_trace_next_batch(reading->trace->input.trace, batch);
}

static bool is_live(void *context)
{
	const struct reading *reading = context;

	return reading->follow && top_follow_is_caught_up(reading->follow);
}

static void cancel(void *context)
{
	const struct reading *reading = context;

	if (reading->follow)
		top_follow_cancel(reading->follow);
}

/* A file that nobody writes: all of it is there. */
static bool is_whole_file(const char *path)
{
	struct stat status;

	if (strcmp(path, "-") == 0)
		return fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && !top_follow_is_written(path);
}

static bool open_follow(struct reading *reading)
{
	struct top_trace *trace = reading->trace;
	struct trace_input *input = &trace->input;

	if (!trace->follow && is_whole_file(input->path))
		return true;
	if (top_follow_open(&reading->follow, input->path, trace->follow)) {
		cli_error("%s: %s", input->path, strerror(errno));
		return false;
	}
	input->has_fd = true;
	input->fd = top_follow_fd(reading->follow);
	input->options.index = EAR_INDEX_NONE;
	return true;
}

static int show(struct reading *reading)
{
	struct top_trace *trace = reading->trace;
	struct trace_input *input = &trace->input;
	const struct top_source source = {.name = input->path,
		.next = next,
		.context = reading,
		.is_live = is_live,
		.cancel = cancel,
		.names = input->names,
		.no_traps = ear_trace_carries(input->trace, "trap cause") == 0 &&
			    ear_trace_carries(input->trace, "trap without a cause") == 0,
		.no_interrupts = ear_trace_carries(input->trace, "interrupt") == 0};
	bool output_failed;

	cli_progress_disable();
	const int result = top_run(&source, &trace->options, &output_failed);
	input->reach = result == 0 ? UINT64_MAX : ear_trace_position(input->trace);
	if (result < 0 && result != EAR_E_BAD_ARGUMENT)
		trace_input_fail(input);
	return result < 0 || output_failed ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

static int run(struct reading *reading)
{
	struct trace_input *input = &reading->trace->input;

	if (!files_read("", input->path) || !open_follow(reading))
		return EAR_EXIT_FAILED;
	input->screen = reading->trace->options.how == TOP_SCREEN;
	trace_input_prepare(input);
	if (reading->follow && !top_follow_start(reading->follow)) {
		cli_error("no thread can be started: %s", strerror(errno));
		return EAR_EXIT_FAILED;
	}
	if (!trace_input_open_prepared(input))
		return EAR_EXIT_FAILED;
	const int status = show(reading);
	trace_input_judge_reach(input);
	return verdict_end(&input->verdict, input->quiet, status, false);
}

int top_trace_run(struct top_trace *trace)
{
	struct reading reading = {.trace = trace};
	const int status = run(&reading);

	trace_input_close(&trace->input);
	top_follow_close(reading.follow);
	return status;
}
