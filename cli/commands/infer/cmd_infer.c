/* 'earshot infer': its options. infer_run.c does it. */
#include "cli/base/cli.h"
#include "cli/base/range.h"
#include "cli/commands/cmd.h"
#include "cli/commands/infer/infer_run.h"
#include "cli/input/format_options.h"
#include "cli/options/options.h"

static bool take_range(const struct command_option *option, const char *argument,
	struct ear_span spans[INFER_RANGES_MAX], size_t *count)
{
	struct ear_span span;
	const char *at = argument;

	if (*count == INFER_RANGES_MAX)
		return option_fail(option, argument, "taken: there are too many");
	if (!cli_take_range(&at, &span.first, &span.last) || *at != '\0')
		return option_fail(
			option, argument, "a range: FIRST-LAST, FIRST+SIZE or an address");
	spans[(*count)++] = span;
	return true;
}

/* Both: of a struct infer_request. */
static bool take_ram(void *value, const struct command_option *option, const char *argument)
{
	struct infer_request *request = value;

	return take_range(option, argument, request->ram, &request->options.ram_count);
}

static bool take_device(void *value, const struct command_option *option, const char *argument)
{
	struct infer_request *request = value;

	return take_range(option, argument, request->devices, &request->device_count);
}

static const struct command_option table[] = {
	FORMAT_OPTIONS(struct infer_request, input.format, input.xlen, input.pattern, input.unit),
	{"output", 'o', "OUT", VALUES_FILES,
		.text = "Write to OUT (default `-`: standard output), as JSON lines.",
		.detail = "Other formats cannot say which values are inferred.",
		OPTION_VALUE(struct infer_request, output)},
	{"elf", 0, "FILE[@OFFSET]", VALUES_FILES,
		.text = "The program: its constants, and where its memory is; repeat for more.",
		.detail = "Without it, the program that a capture file names, if it is found.",
		OPTION_TAKEN(symbol_file_take_elf, struct infer_request, symbols)},
	{"reset", 0,
		.text = "The trace begins where the program was just loaded: its data are as the "
			"ELF file has them.",
		OPTION_VALUE(struct infer_request, options.reset)},
	{"ram", 0, "RANGE",
		.text = "RANGE is memory, beside what the program has (a stack, a heap); repeat for more.",
		.detail = "What is not memory is never known.", .take = take_ram},
	{"device", 0, "RANGE",
		.text = "Something else than the harts of the trace writes to RANGE; repeat for more.",
		.take = take_device},
	{"core", 0, "CORE", VALUES_FILES,
		.text = "A core dump (ELF) that was made where FILE ends: what it holds is followed back.",
		.detail =
			"Its memory must be as it was after the last record of FILE; give what was "
			"written since then as `--device`. One that is not of the end of FILE is not "
			"used, which is said.",
		OPTION_VALUE(struct infer_request, options.core)},
	{"shared", 0,
		.text = "Other harts, or devices anywhere, write to memory: only constants are known of it.",
		.detail = "A trace of several harts is so from the second hart on.",
		OPTION_VALUE(struct infer_request, options.shared)},
	{"traps", 0, .text = "FILE shows each trap and each interrupt.",
		.detail =
			"So it is with captures, branch traces, `whisper` and `sail`. In others the "
			"target of a jump may be that of a trap, and says nothing of a register.",
		OPTION_VALUE(struct infer_request, options.traps)},
	{"max-bad", 0, "LINES", .text = "Bad lines to skip before they are an error (default 100).",
		OPTION_VALUE(struct infer_request, input.bad_limit), .max = UINT64_MAX},
	QUIET_OPTION(struct infer_request, no_summary),
	{0},
};

static int run(int argc, char **argv)
{
	static struct infer_request request = {
		.output = "-", .options.size = sizeof(request.options)};
	int status;

	source_input_init(&request.input, "");
	int first = options_parse(&cmd_infer, argc, argv, &request, &status);
	if (first < 0)
		return status;
	if (first + 1 != argc)
		return cli_usage("infer", first == argc ? "which file?" : "one file, please");
	source_input_name(&request.input, argv[first]);
	request.input.symbols = &request.symbols;
	if (!outputs_add(&request.outputs, request.output,
		    request.output[0] == '-' && !request.output[1] ? "json" : NULL))
		return EAR_EXIT_FAILED;
	return infer_run(&request);
}

const struct command cmd_infer = {
	.name = "infer",
	.arguments = "[OPTION]... --elf PROGRAM FILE",
	.summary = "work out the values that a trace does not have",
	.about =
		"Execute the instructions of FILE again, a branch trace or a text of RISC-V without "
		"values, on what the program says, and write its records with the registers, loads and "
		"stores that follow. Each is marked: the members `inferred_registers` and "
		"`inferred_memory` have what follows, `registers` and `memory` what FILE has.\n\n"
		"A value that is not certain is left out. What is supposed, and what is never known, "
		"is in docs/infer.md. Where FILE contradicts what was inferred, the command says so.",
	.options = table,
	.exit_status =
		"0 done, 1 the trace contradicts what was inferred, or CORE is not of its end, "
		"2 it could not be done.",
	.run = run,
};
