/* 'earshot why': why the run ended as it did. The library finds it (earshot/why.h); here it is
 * asked for, and why_show.c prints it. With --value: where a value came from (why_value.c), for
 * which 'trace-value' is an older name.
 */
#include <earshot/why.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/allocator_option.h"
#include "cli/commands/cmd.h"
#include "cli/commands/why/chain_member.h"
#include "cli/commands/why/chain_option.h"
#include "cli/commands/why/chain_show.h"
#include "cli/commands/why/why_show.h"
#include "cli/commands/why/why_value.h"
#include "cli/input/trace_command.h"
#include "cli/options/options.h"

struct arguments {
	struct trace_input input;
	struct ear_why_options options;
	struct ear_value_chain_options chain;
	const char *expression; /* of --value; NULL: not given */
	struct moment_option at;
	struct allocators allocators;
	bool json;
};

static const struct command_option table[] = {
	{"value", 0, "EXPRESSION",
		.text = "Print instead where a value came from: of a register (`a0`, `mstatus`), an "
			"address (`0x80001000:4`), a variable or a member of one (`box.handler`).",
		OPTION_VALUE(struct arguments, expression)},
	{"at", 0, "MOMENT", MOMENT_VALUES, .text = "Of --value: the moment (default `end`).",
		OPTION_TAKEN(moment_option_take, struct arguments, at)},
	OPTION_GROUP(chain_options, struct arguments, chain),
	{"hart", 0, "N",
		.text = "Why hart N ended as it did (default: the one of which the end says most); "
			"of --value: its registers (default: those of the last record before "
			"the moment).",
		OPTION_VALUE(struct arguments, options.hart), .max = UINT16_MAX},
	{"json", 0, .text = "Print one JSON object.", OPTION_VALUE(struct arguments, json)},
	OPTION_GROUP(allocator_options, struct arguments, allocators),
	OPTION_GROUP(symbol_file_options, struct arguments, input.symbols),
	TRACE_INPUT_DEVICE(struct arguments, input),
	OPTION_GROUP(trace_infer_options, struct arguments, input),
	OPTION_GROUP(trace_index_options, struct arguments, input),
	OPTION_GROUP(trace_input_options, struct arguments, input),
	{0},
};

/* A store to the symbol tohost ends the programs of test suites. */
static void take_tohost(struct arguments *arguments)
{
	const struct ear_symbol *symbol;

	if (!arguments->input.names ||
		ear_names_symbols_named(arguments->input.names, "tohost", &symbol, 1) == 0)
		return;
	arguments->options.has_tohost = true;
	arguments->options.tohost = symbol->address;
}

static int explain(struct arguments *arguments, const struct ear_why *why)
{
	struct chain_show show = {
		.names = arguments->input.names, .digits = why->place.xlen == 64 ? 16 : 8};

	if (ear_instructions_new(&show.instructions, NULL, NULL)) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	show.members = chain_members_new(arguments->input.names);
	bool good = why_show(&show, &arguments->input, why, arguments->json);
	chain_show_fini(&show);
	if (!good)
		return EAR_EXIT_FAILED;
	return !why->core.known && (why->kind == EAR_WHY_UNKNOWN || why->kind == EAR_WHY_ENDED)
		       ? EAR_EXIT_NO
		       : EAR_EXIT_DONE;
}

static int work(void *request)
{
	struct arguments *arguments = request;
	const struct ear_why *why;

	if (arguments->expression)
		return why_value_print(&(struct why_value){.input = &arguments->input,
			.expression = arguments->expression,
			.at = arguments->at.text ? arguments->at.text : "end",
			.hart = arguments->options.hart,
			.chain = &arguments->chain,
			.json = arguments->json});
	if (arguments->allocators.count > 0 &&
		!allocators_try(&arguments->allocators, arguments->input.names))
		return EAR_EXIT_FAILED;
	take_tohost(arguments);
	arguments->options.allocators = arguments->allocators.list;
	arguments->options.allocator_count = arguments->allocators.count;
	arguments->options.chain = &arguments->chain;
	arguments->options.names = arguments->input.names;
	int result = ear_trace_why(
		arguments->input.trace, &arguments->options, &why, &arguments->input.progress);
	cli_progress_clear();
	if (result) {
		trace_input_fail(&arguments->input);
		return EAR_EXIT_FAILED;
	}
	const int status = explain(arguments, why);
	ear_why_free(why);
	return status;
}

static const char *check_words(void *request, int count, char **words)
{
	struct arguments *arguments = request;

	(void)words;
	if (arguments->at.text && !arguments->expression)
		return "--at is the moment of a value: with --value";
	return trace_command_check(count, false);
}

static const char *check_old_words(void *request, int count, char **words)
{
	struct arguments *arguments = request;

	arguments->expression = words[0];
	return count == 0   ? "which value?"
	       : count == 1 ? "of which trace?"
	       : count > 2  ? "one value of one trace, please"
			    : NULL;
}

static int run_as(const struct command *command,
	const char *(*check)(void *request, int count, char **words), int argc, char **argv)
{
	struct arguments arguments = {.input = TRACE_INPUT_DEFAULTS,
		.options = EAR_WHY_DEFAULTS,
		.chain = EAR_VALUE_CHAIN_DEFAULTS};
	const struct trace_command reading = {
		command, &arguments, &arguments.input, check, .work = work};

	return trace_command_run(&reading, argc, argv);
}

static int run(int argc, char **argv)
{
	return run_as(&cmd_why, check_words, argc, argv);
}

static int run_trace_value(int argc, char **argv)
{
	return run_as(&cmd_trace_value, check_old_words, argc, argv);
}

const struct command cmd_why = {
	.name = "why",
	.arguments = "[OPTION]... FILE\n[OPTION]... FILE --value EXPRESSION",
	.summary = "say why a run ended as it did, or where a value came from",
	.about =
		"Say why the run that FILE has recorded ended as it did: a trap whose handler did not "
		"return, a failing exit code, a loop without progress, or the event of a flight "
		"recorder. With the place and its calls, the values that did it and where they came "
		"from, and what was different the last time. Where the cause is not known, that is "
		"what is said.\n"
		"With --value: the record that wrote a value last, what it was computed from, who "
		"wrote that, and so on through loads, stores, moves and arithmetic. Where the chain "
		"is not known any more it ends, and says why; nothing is guessed.",
	.options = table,
	.notes =
		"How programs end: by the exit register of the virtual board and of QEMU's machine "
		"`virt`, by `tohost`, or by the exit call of a proxy kernel.\n"
		"A MOMENT is one of `earshot state`: a number, `@TICKS`, `end`, `trap#2`, an event, a "
		"function, `FILE:LINE` ({MOMENTS}).",
	.exit_status =
		"0 a cause or a writer was found, 1 none is known, or nothing is wrong, 2 it could not "
		"be done.",
	.run = run,
};

const struct command cmd_trace_value = {
	.name = "trace-value",
	.arguments = "[OPTION]... EXPRESSION FILE",
	.summary = "an older name of `earshot why --value`",
	.about = "The same as `earshot why FILE --value EXPRESSION`.",
	.options = table,
	.run = run_trace_value,
};
