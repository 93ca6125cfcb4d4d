/* 'earshot history': its options. */
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/commands/history/history.h"
#include "cli/input/trace_command.h"
#include "cli/options/options.h"

static bool take_variable(void *value, const struct command_option *option, const char *argument)
{
	struct history_request *request = value;

	if (request->variable_count == HISTORY_VARIABLES_MAX)
		return option_fail(option, argument, "taken: there are too many");
	request->variables[request->variable_count++] = argument;
	return true;
}

static bool take_condition(void *value, const struct command_option *option, const char *argument)
{
	if (history_condition_parse(value, argument))
		return true;
	return option_fail(option, argument,
		"a condition: a variable, one of == != < <= > >=, and a number or a constant");
}

static bool take_task(void *value, const struct command_option *option, const char *argument)
{
	if (!*argument)
		return option_fail(option, argument, "the number or name of a task");
	*(const char **)value = argument;
	return true;
}

static bool take_port(void *value, const struct command_option *option, const char *argument)
{
	struct history_tasks *tasks = value;

	tasks->has_port = tasks->asked = true;
	return option_number(&tasks->port, option, argument, 0, UINT64_MAX);
}

static const struct command_option table[] = {
	{"var", 0, "EXPRESSION",
		.text = "What this variable holds before each execution: `n`, `box.count`, "
			"`table[i].next`; repeat for more (default: parameters and variables of the "
			"function, 10 at most).",
		OPTION_TAKEN(take_variable, struct history_request, input)},
	{"where", 0, "CONDITION",
		.text = "Only where this holds: `n > 5`, `state == IDLE`; `!=`, `<`, `<=` and `>=`, "
			"too.",
		OPTION_TAKEN(take_condition, struct history_request, where)},
	{"from", 0, "MOMENT", MOMENT_VALUES, .text = "From there on: " MOMENT_FORMS " ({MOMENTS}).",
		OPTION_TAKEN(moment_option_take, struct history_request, from)},
	{"to", 0, "MOMENT", MOMENT_VALUES, .text = "Up to there.",
		OPTION_TAKEN(moment_option_take, struct history_request, to)},
	{"task", 0, "TASK",
		.text = "Only what TASK ran: its number, its name, or the last part of a name that is a "
			"path.",
		OPTION_TAKEN(take_task, struct history_request, task)},
	{"event-port", 0, "ADDRESS",
		.text = "Stores to an event port at ADDRESS say which task runs, where the unit had "
			"none.",
		OPTION_TAKEN(take_port, struct history_request, tasks)},
	{"sort", 0, "COLUMN",
		.text = "By what is in this column, the smallest first; `--sort=-COLUMN`: the largest "
			"first.",
		.detail = "What is not known comes last. At most 1048576 rows can be sorted.",
		OPTION_VALUE(struct history_request, sort)},
	{"limit", 'n', "N", .text = "Print the first N.",
		OPTION_VALUE(struct history_request, limit), .min = 1, .max = UINT64_MAX},
	JSON_OPTION(struct history_request, format, TABLE_JSON, "Print one JSON object."),
	{"format", 'f', "FORMAT", VALUES_WORDS, "table csv json",
		.text = "`table` (default) or `csv`.",
		OPTION_VALUE(struct history_request, format)},
	OPTION_GROUP(symbol_file_options, struct history_request, input.symbols),
	TRACE_INPUT_DEVICE(struct history_request, input),
	OPTION_GROUP(trace_index_options, struct history_request, input),
	OPTION_GROUP(trace_input_options, struct history_request, input),
	{0},
};

static const char *check(void *value, int count, char **words)
{
	struct history_request *request = value;

	if (count < 2)
		return "a trace is needed, and a line, a function, an address or a variable";
	if (count > 2)
		return "only one trace can be read, and one thing be looked for";
	request->what = words[0];
	request->tasks.asked = request->tasks.asked || request->task;
	return NULL;
}

static int work(void *value)
{
	struct history_request *request = value;
	struct history_search search = {0};
	int status = EAR_EXIT_FAILED;

	if (history_find(request, &search))
		status = history_show(request, &search);
	free(search.locals);
	free(search.spans);
	return status;
}

static int run(int argc, char **argv)
{
	struct history_request request = {.input = TRACE_INPUT_DEFAULTS};
	const struct trace_command reading = {
		&cmd_history, &request, &request.input, .check = check, .work = work};

	return trace_command_run(&reading, argc, argv);
}

const struct command cmd_history = {
	.name = "history",
	.arguments = "[OPTION]... WHAT FILE",
	.summary = "each execution of a line or function, each change of a variable",
	.about = "Print each time that WHAT was executed, with the calls that led there and what "
		 "the variables held; or each change of it, if it is a variable. FILE is a capture "
		 "or a trace of any format.",
	.options = table,
	.notes = "WHAT is a line (`fw.c:31`), a function, an address of code, a variable "
		 "(`box.count`, `table[3]`) or ADDRESS:SIZE. An execution of a line begins at the "
		 "first address of one of its ranges; of a function, at its entry.\n\n"
		 "A value that the trace does not show is `?`; one that the compiler did not keep "
		 "is `-`.",
	.exit_status = "0 there are some, 1 there is none, 2 it could not be done.",
	.run = run,
};
