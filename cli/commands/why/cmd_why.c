/* 'earshot why': why the run ended as it did. The library finds it (earshot/why.h); here it is
 * asked for, and why_show.c prints it.
 */
#include <earshot/why.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/why/chain_option.h"
#include "cli/commands/why/chain_show.h"
#include "cli/commands/why/why_show.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"

enum {
	OPTION_NODES,
	OPTION_DEPTH,
	OPTION_REPEATS,
	OPTION_ADDRESSES,
	OPTION_HART,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_DEVICE,
	OPTION_JSON,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_NO_INDEX,
	OPTION_JOBS,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	CHAIN_OPTIONS(OPTION_NODES, OPTION_DEPTH, OPTION_REPEATS, OPTION_ADDRESSES),
	{"hart", 0, OPTION_HART, "N",
		.text = "Why hart N ended as it did (default: the one of which the end says most)."},
	{"elf", 0, OPTION_ELF, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take names and the image of the program from FILE (default: the program that the "
			"capture file names, if it has not changed); repeat for more."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	TRACE_INPUT_DEVICE_OPTION(OPTION_DEVICE),
	{"json", 0, OPTION_JSON, .text = "Print one JSON object."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of FILE (default: detected from its contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for a text (default: detected from its beginning)."},
	{"no-index", 0, OPTION_NO_INDEX,
		.text = "Read FILE from its beginning, and build no index."},
	{"jobs", 'j', OPTION_JOBS, "N",
		.text = "Threads that build an index if there is none (default 1)."},
	{"quiet", 'q', OPTION_QUIET, .text = "No progress line."},
	{0},
};

struct arguments {
	struct trace_input input;
	struct ear_why_options options;
	struct ear_value_chain_options chain;
	bool json;
};

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct arguments *arguments = context;
	struct trace_input *input = &arguments->input;
	struct ear_value_chain_options *chain = &arguments->chain;
	uint64_t number;
	int word;

	switch (option->id) {
	case OPTION_NODES:
		return option_unsigned(&chain->nodes, option, argument, 1, CHAIN_NODES_MAX);
	case OPTION_DEPTH:
		return option_unsigned(&chain->depth, option, argument, 1, CHAIN_NODES_MAX);
	case OPTION_REPEATS:
		return option_unsigned(&chain->repeats, option, argument, 1, CHAIN_NODES_MAX);
	case OPTION_ADDRESSES: chain->addresses = true; return true;
	case OPTION_HART:
		if (!option_number(&number, option, argument, 0, UINT16_MAX))
			return false;
		arguments->options.hart = (int)number;
		return true;
	case OPTION_ELF: return symbol_file_take(&input->symbols, option->name, argument);
	case OPTION_ELF_ANYWAY: input->symbols.anyway = true; return true;
	case OPTION_DEVICE: return trace_input_device(input, option, argument);
	case OPTION_JSON: arguments->json = true; return true;
	case OPTION_INPUT_FORMAT: input->options.format = argument; return true;
	case OPTION_XLEN:
		if (!option_word(&word, option, argument))
			return false;
		input->options.xlen = xlens[word];
		return true;
	case OPTION_NO_INDEX: input->options.index = EAR_INDEX_NONE; return true;
	case OPTION_JOBS:
		return option_unsigned(&input->options.jobs, option, argument, 1, CLI_JOBS_MAX);
	case OPTION_QUIET: cli_progress_disable(); return true;
	}
	return false;
}

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
	bool good = why_show(&show, &arguments->input, why, arguments->json);
	chain_show_fini(&show);
	if (fflush(stdout) != 0) {
		cli_error("standard output: it cannot be written");
		good = false;
	}
	if (!good)
		return EAR_EXIT_FAILED;
	return why->kind == EAR_WHY_UNKNOWN || why->kind == EAR_WHY_ENDED ? EAR_EXIT_NO
									  : EAR_EXIT_DONE;
}

static int run_arguments(struct arguments *arguments, int argc, char **argv)
{
	const struct ear_why *why;
	int status;

	int first = options_parse(&cmd_why, argc, argv, take_option, arguments, &status);
	if (first < 0)
		return status;
	if (first + 1 != argc)
		return cli_usage("why", first == argc ? "which trace?" : "one trace, please");
	arguments->input.path = argv[first];
	if (!trace_input_open(&arguments->input))
		return EAR_EXIT_FAILED;
	take_tohost(arguments);
	arguments->options.chain = &arguments->chain;
	int result = ear_trace_why(
		arguments->input.trace, &arguments->options, &why, &arguments->input.progress);
	cli_progress_clear();
	if (result) {
		trace_input_fail(&arguments->input);
		return EAR_EXIT_FAILED;
	}
	status = explain(arguments, why);
	ear_why_free(why);
	return status;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.input = TRACE_INPUT_DEFAULTS,
		.options = EAR_WHY_DEFAULTS,
		.chain = EAR_VALUE_CHAIN_DEFAULTS};
	int status = run_arguments(&arguments, argc, argv);

	trace_input_close(&arguments.input);
	return status;
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
