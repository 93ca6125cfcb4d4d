/* The order in which a command that reads one trace does things: words, outputs, the trace, the
 * work. */
#include "cli/input/trace_command.h"

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/options/options.h"

const char *trace_command_check(int count, bool several)
{
	return count == 0 ? "which trace?" : count > 1 && !several ? "one trace, please" : NULL;
}

static int run(const struct trace_command *reading, int argc, char **argv)
{
	void *request = reading->request;
	int status;

	int first = options_parse(reading->command, argc, argv, request, &status);
	if (first < 0)
		return status;
	const int count = argc - first;
	const char *wrong = reading->check ? reading->check(request, count, argv + first)
					   : trace_command_check(count, false);
	if (wrong)
		return cli_usage(reading->command->name, "%s", wrong);
	reading->input->path = argv[argc - 1];
	if (!files_read("", reading->input->path) ||
		(reading->prepare && !reading->prepare(request)) ||
		!trace_input_open(reading->input))
		return EAR_EXIT_FAILED;
	trace_input_warn_of_values(reading->input);
	status = reading->work(request);
	trace_input_judge_reach(reading->input);
	return verdict_end(&reading->input->verdict, reading->input->quiet, status, reading->finds);
}

int trace_command_run(const struct trace_command *reading, int argc, char **argv)
{
	int status = run(reading, argc, argv);

	trace_input_close(reading->input);
	return status;
}
