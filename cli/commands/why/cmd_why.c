/* 'earshot why': why the run ended as it did. The library finds it (earshot/why.h); here it is
 * asked for, and why_show.c prints it.
 */
#include <earshot/why.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/why/chain_member.h"
#include "cli/commands/why/chain_option.h"
#include "cli/commands/why/chain_show.h"
#include "cli/commands/why/why_show.h"
#include "cli/input/trace_command.h"
#include "cli/options/options.h"

struct arguments {
	struct trace_input input;
	struct ear_why_options options;
	struct ear_value_chain_options chain;
	bool json;
};

static const struct command_option table[] = {
	OPTION_GROUP(chain_options, struct arguments, chain),
	{"hart", 0, "N",
		.text = "Why hart N ended as it did (default: the one of which the end says most).",
		OPTION_VALUE(struct arguments, options.hart), .max = UINT16_MAX},
	{"json", 0, .text = "Print one JSON object.", OPTION_VALUE(struct arguments, json)},
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
	return why->kind == EAR_WHY_UNKNOWN || why->kind == EAR_WHY_ENDED ? EAR_EXIT_NO
									  : EAR_EXIT_DONE;
}

static int work(void *request)
{
	struct arguments *arguments = request;
	const struct ear_why *why;

	take_tohost(arguments);
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

static int run(int argc, char **argv)
{
	struct arguments arguments = {.input = TRACE_INPUT_DEFAULTS,
		.options = EAR_WHY_DEFAULTS,
		.chain = EAR_VALUE_CHAIN_DEFAULTS};
	const struct trace_command reading = {&cmd_why, &arguments, &arguments.input, .work = work};

	return trace_command_run(&reading, argc, argv);
}

const struct command cmd_why = {
	.name = "why",
	.arguments = "[OPTION]... FILE",
	.summary = "say why a run ended as it did",
	.about =
		"Say why the run that FILE has recorded ended as it did: a trap whose handler did not "
		"return, a failing exit code, a loop without progress, or the event of a flight "
		"recorder. With the place and its calls, the values that did it and where they came "
		"from, and what was different the last time. Where the cause is not known, that is "
		"what is said.",
	.options = table,
	.notes =
		"How programs end: by the exit register of the virtual board and of QEMU's machine "
		"`virt`, by `tohost`, or by the exit call of a proxy kernel.",
	.exit_status =
		"0 a cause was found, 1 it is not known, or nothing is wrong, 2 it could not "
		"be done.",
	.run = run,
};
