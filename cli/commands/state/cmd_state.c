/* 'earshot state': what registers, memory, variables and the stack held at one moment of a run. The
 * library finds it (earshot/moment.h); here it is asked for, and printed by state_show.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/state/state_show.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"

enum {
	OPTION_AT,
	OPTION_REG,
	OPTION_MEM,
	OPTION_VAR,
	OPTION_STACK,
	OPTION_HART,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_DEVICE,
	OPTION_INITIAL,
	OPTION_JSON,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_NO_INDEX,
	OPTION_JOBS,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	{"at", 0, OPTION_AT, "MOMENT", VALUES_BEGINNINGS,
		"begin first trap interrupt event gap last end @",
		.text = "The moment, see below (default `end`)."},
	{.heading = "What to print (default: where each hart is, and its registers):"},
	{"reg", 0, OPTION_REG, "NAMES",
		.text = "Registers: `a0,sp,x15,f2,mstatus,pc`, or all of a kind: `x`, `f`, `v`, `csr`.",
		.detail =
			"`x` and `f` print unknown registers, too; `csr` and `v` only known ones."},
	{"mem", 0, OPTION_MEM, "RANGE",
		.text = "Memory: `0x80001000:64`, `main_buffer+32:64`, `.bss`, `box.items`, or where a "
			"register points to: `sp:32`, `a0+16:8`; repeat for more.",
		.detail =
			"Without a size 64 bytes, or all of a symbol, a section or a variable. A byte "
			"that is not known is `??`. A symbol or a variable that has the name of a register "
			"comes before it; `$sp` always is the register."},
	{"var", 0, OPTION_VAR, "EXPRESSION",
		.text = "A variable of the program: `box.handler`, `table[3].next`, `*list`; repeat for "
			"more."},
	{"stack", 0, OPTION_STACK,
		.text = "The calls that are active, the newest first; long recursions are folded.",
		.detail = "With --json no frame is left out."},
	{.heading = "Options:"},
	{"hart", 0, OPTION_HART, "N",
		.text = "Registers and stack of hart N (default: that of the last record before the "
			"moment)."},
	{"elf", 0, OPTION_ELF, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take names and the image of the program from FILE (default: the program that the "
			"capture file names, if it has not changed); repeat for more.",
		.detail =
			"OFFSET is added to the addresses of a file that was loaded elsewhere than it was "
			"linked to. A FILE whose SHA-256 is not that of the traced program is refused, "
			"unless another one has it."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	TRACE_INPUT_DEVICE_OPTION(OPTION_DEVICE),
	{"initial", 0, OPTION_INITIAL, "FILE", VALUES_FILES,
		.text = "What registers hold before the first record: lines such as `x 2 0x80010000`."},
	{"json", 0, OPTION_JSON, .text = "Print one JSON object."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of FILE (default: detected from its contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for a text (default: detected from its beginning)."},
	{"no-index", 0, OPTION_NO_INDEX,
		.text = "Follow FILE from its beginning, and build no index."},
	{"jobs", 'j', OPTION_JOBS, "N",
		.text = "Threads that build an index if there is none (default 1)."},
	{"quiet", 'q', OPTION_QUIET, .text = "No progress line."},
	{0},
};

struct arguments {
	struct trace_input input;
	struct state_request request;
	struct trace_place place;
};

static bool add(struct state_request *request, enum state_item_kind kind, const char *text,
	const struct command_option *option)
{
	if (request->count == STATE_ITEMS_MAX)
		return option_fail(option, text, "taken: there are too many");
	request->items[request->count++] = (struct state_item){kind, text};
	return true;
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	struct arguments *arguments = context;
	struct trace_input *input = &arguments->input;
	struct state_request *request = &arguments->request;
	uint64_t number;

	switch (option->id) {
	case OPTION_AT:
		return trace_place_parse(&arguments->place, argument) ||
		       option_fail(option, argument,
			       "a moment: the number of an instruction, @TICKS, begin, end, "
			       "first, last, trap, interrupt, event, gap, or the name of an event, "
			       "these with :K");
	case OPTION_REG:
		return state_check_registers(argument, option) &&
		       add(request, STATE_REGISTERS, argument, option);
	case OPTION_MEM: return add(request, STATE_MEMORY, argument, option);
	case OPTION_VAR: return add(request, STATE_VARIABLE, argument, option);
	case OPTION_STACK: return add(request, STATE_STACK, "", option);
	case OPTION_HART:
		if (!option_number(&number, option, argument, 0, UINT16_MAX))
			return false;
		request->hart = (uint16_t)number;
		request->hart_given = true;
		return true;
	case OPTION_ELF: return symbol_file_take(&input->symbols, option->name, argument);
	case OPTION_ELF_ANYWAY: input->symbols.anyway = true; return true;
	case OPTION_DEVICE: return trace_input_device(input, option, argument);
	case OPTION_INITIAL:
		input->options.initial_state = argument;
		return files_read("--initial", argument);
	case OPTION_JSON: request->json = true; return true;
	case OPTION_INPUT_FORMAT: input->options.format = argument; return true;
	case OPTION_XLEN:
		return option_unsigned(&input->options.xlen, option, argument, 32, 64) &&
		       (input->options.xlen == 32 || input->options.xlen == 64 ||
			       option_fail(option, argument, "32 or 64"));
	case OPTION_NO_INDEX: input->options.index = EAR_INDEX_NONE; return true;
	case OPTION_JOBS:
		return option_unsigned(&input->options.jobs, option, argument, 1, CLI_JOBS_MAX);
	case OPTION_QUIET: cli_progress_disable(); return true;
	}
	return false;
}

/* What is wrong with the end of the trace, and so with the moment, shows where that is read. */
static void say_end(struct trace_input *input, uint64_t position)
{
	const struct ear_record *record;

	if (ear_trace_seek(input->trace, position, &input->progress) != 1 ||
		ear_trace_next(input->trace, &record) != 0)
		return;
	cli_progress_clear();
	const char *fault = ear_trace_fault(input->trace);
	if (fault)
		cli_warning("%s: %s", input->path, fault);
	if (position == 0)
		cli_warning("%s: there are no records in it", input->path);
}

static int show(struct arguments *arguments)
{
	struct trace_input *input = &arguments->input;
	struct ear_moment *moment;
	uint64_t position;

	int found = trace_place_find(input, &arguments->place, &position);
	if (found != 1)
		return found == 0 ? EAR_EXIT_NO : EAR_EXIT_FAILED;
	if (ear_moment_new(&moment, input->trace, position, &input->progress)) {
		trace_input_fail(input);
		return EAR_EXIT_FAILED;
	}
	if (arguments->place.kind == TRACE_PLACE_END)
		say_end(input, ear_moment_position(moment));
	bool good = state_show(&arguments->request, input, moment);
	ear_moment_free(moment);
	if (fflush(stdout) != 0) {
		cli_error("standard output: it cannot be written");
		good = false;
	}
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run_arguments(struct arguments *arguments, int argc, char **argv)
{
	int status;

	int first = options_parse(&cmd_state, argc, argv, take_option, arguments, &status);
	if (first < 0)
		return status;
	if (first + 1 != argc)
		return cli_usage("state", first == argc ? "which trace?" : "one trace, please");
	arguments->input.path = argv[first];
	if (arguments->request.count == 0)
		arguments->request.items[arguments->request.count++] =
			(struct state_item){STATE_OVERVIEW, ""};
	return trace_input_open(&arguments->input) ? show(arguments) : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {
		.input = TRACE_INPUT_DEFAULTS, .place = {.kind = TRACE_PLACE_END}};
	int status = run_arguments(&arguments, argc, argv);

	trace_input_close(&arguments.input);
	return status;
}

const struct command cmd_state = {
	.name = "state",
	.arguments = "[OPTION]... [--at MOMENT] FILE",
	.summary = "print what registers and memory held at a moment",
	.about =
		"Print what registers, memory, variables and the stack held at a moment of the run "
		"that FILE, a capture or a trace of any format, has recorded. What the trace does "
		"not show is unknown and printed as `?`; nothing is guessed.",
	.options = table,
	.notes = "A MOMENT is one of these:\n"
		 "  N           after the instruction with number N, which `decode --from` counts\n"
		 "  @TICKS      after everything that happened until this time\n"
		 "  begin, end  before the first record, after the last one\n"
		 "  first, last after the first record, after the last one\n"
		 "  trap[=CAUSE][:K]       after a trap or an interrupt\n"
		 "  interrupt[=CAUSE][:K]  after an interrupt\n"
		 "  event[=NAME][:K]       after an event\n"
		 "  NAME[:K]               after an event whose name is none of these words\n"
		 "  gap[:K]                before a gap: after it nothing is known\n\n"
		 "K is 1 for the first one (the default), 2 for the second, -1 for the last.\n\n"
		 "The first question to a long trace builds its index, beside FILE or in the cache "
		 "({INDEX}). After a gap everything is unknown until it is seen again.",
	.exit_status =
		"0 printed, 1 there is no such trap, interrupt, event or gap, 2 it could not be "
		"done.",
	.run = run,
};
