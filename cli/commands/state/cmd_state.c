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
#include "cli/input/trace_command.h"
#include "cli/options/options.h"

struct arguments {
	struct trace_input input;
	struct state_request request;
	struct moment_option at;
};

static bool add(struct state_request *request, enum state_item_kind kind, const char *text,
	const struct command_option *option)
{
	if (request->count == STATE_ITEMS_MAX)
		return option_fail(option, text, "taken: there are too many");
	request->items[request->count++] = (struct state_item){kind, text};
	return true;
}

static bool take_registers(void *value, const struct command_option *option, const char *argument)
{
	return state_check_registers(argument, option) &&
	       add(value, STATE_REGISTERS, argument, option);
}

static bool take_memory(void *value, const struct command_option *option, const char *argument)
{
	return add(value, STATE_MEMORY, argument, option);
}

static bool take_variable(void *value, const struct command_option *option, const char *argument)
{
	return add(value, STATE_VARIABLE, argument, option);
}

static bool take_stack(void *value, const struct command_option *option, const char *argument)
{
	(void)argument;
	return add(value, STATE_STACK, "", option);
}

static const struct command_option table[] = {
	{"at", 0, "MOMENT", MOMENT_VALUES, .text = "The moment, see below (default `end`).",
		OPTION_TAKEN(moment_option_take, struct arguments, at)},
	{.heading = "What to print (default: where each hart is, and its registers):"},
	{"reg", 0, "NAMES",
		.text = "Registers: `a0,sp,x15,f2,mstatus,pc`, or all of a kind: `x`, `f`, `v`, `csr`.",
		.detail =
			"`x` and `f` print unknown registers, too; `csr` and `v` only known ones.",
		OPTION_TAKEN(take_registers, struct arguments, request)},
	{"mem", 0, "RANGE",
		.text = "Memory: `0x80001000:64`, `main_buffer+32:64`, `.bss`, `box.items`, or where a "
			"register points to: `sp:32`, `a0+16:8`; repeat for more.",
		.detail =
			"Without a size 64 bytes, or all of a symbol, a section or a variable. A byte "
			"that is not known is `??`. A symbol or a variable that has the name of a register "
			"comes before it; `$sp` always is the register.",
		OPTION_TAKEN(take_memory, struct arguments, request)},
	{"var", 0, "EXPRESSION",
		.text = "A variable of the program: `box.handler`, `table[3].next`, `*list`; repeat for "
			"more.",
		OPTION_TAKEN(take_variable, struct arguments, request)},
	{"stack", 0,
		.text = "The calls that are active, the newest first; long recursions are folded.",
		.detail = "With --json no frame is left out.",
		OPTION_TAKEN(take_stack, struct arguments, request)},
	{"no-inline", 0, .text = "With --stack: without the functions that are inlined.",
		OPTION_VALUE(struct arguments, request.no_inline)},
	{.heading = "Options:"},
	{"hart", 0, "N",
		.text = "Registers and stack of hart N (default: that of the last record before the "
			"moment).",
		OPTION_VALUE(struct arguments, request.hart), .max = UINT16_MAX},
	{"initial", 0, "FILE", VALUES_FILES,
		.text = "What registers hold before the first record: lines such as `x 2 0x80010000`.",
		OPTION_TAKEN(
			trace_input_take_initial, struct arguments, input.options.initial_state)},
	{"json", 0, .text = "Print one JSON object.", OPTION_VALUE(struct arguments, request.json)},
	OPTION_GROUP(symbol_file_options, struct arguments, input.symbols),
	TRACE_INPUT_DEVICE(struct arguments, input),
	OPTION_GROUP(trace_infer_options, struct arguments, input),
	OPTION_GROUP(trace_index_options, struct arguments, input),
	OPTION_GROUP(trace_input_options, struct arguments, input),
	{0},
};

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

static int work(void *request)
{
	struct arguments *arguments = request;
	struct trace_input *input = &arguments->input;
	struct ear_moment_place place;
	struct ear_moment *moment;

	if (arguments->request.count == 0)
		arguments->request.items[arguments->request.count++] =
			(struct state_item){STATE_OVERVIEW, ""};
	int found = moment_option_find(input, arguments->at.text, &place);
	if (found != 1)
		return found == 0 ? EAR_EXIT_NO : EAR_EXIT_FAILED;
	if (ear_moment_new(&moment, input->trace, place.after, &input->progress)) {
		trace_input_fail(input);
		return EAR_EXIT_FAILED;
	}
	arguments->request.at_end = place.after == UINT64_MAX;
	if (arguments->request.at_end)
		say_end(input, ear_moment_position(moment));
	bool good = state_show(&arguments->request, input, moment);
	ear_moment_free(moment);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {
		.input = TRACE_INPUT_DEFAULTS, .at.text = "@end", .request.hart = -1};
	const struct trace_command reading = {
		&cmd_state, &arguments, &arguments.input, .work = work};

	return trace_command_run(&reading, argc, argv);
}

const struct command cmd_state = {
	.name = "state",
	.arguments = "[OPTION]... [--at MOMENT] FILE",
	.summary = "variables, registers, memory and the call stack at a moment",
	.about =
		"Print what registers, memory, variables and the stack held at a moment of the run "
		"that FILE, a capture or a trace of any format, has recorded. What the trace does "
		"not show is unknown and printed as `?`; nothing is guessed.",
	.options = table,
	.notes = "A MOMENT, here and in every other option that takes one, is one of these:\n"
		 "  N                  after the instruction with number N\n"
		 "  @TICKS             after everything that happened until this time\n"
		 "  begin, end         before the first record, after the last one\n"
		 "  first              after the first record\n"
		 "  trap[=CAUSE]       after a trap; so exception, interrupt\n"
		 "  event[=NAME]       after an event\n"
		 "  gap                before a gap: after it nothing is known\n"
		 "  crc, fw.c:31       after the first instruction of a function, of a line\n"
		 "  crc:return         after the instruction by which it returns\n"
		 "  =crc, @trap        always the symbol, always the word\n"
		 "Each with #K for the K-th, #-1 for the last, and with +N or -N: the N-th "
		 "instruction after or before it, as `crc#3+5`.\n\n"
		 "The first question to a long trace builds its index, beside FILE or in the cache "
		 "({INDEX}). After a gap everything is unknown until it is seen again. Where the "
		 "end of the trace is missing, the answer about the end begins with that.",
	.exit_status =
		"0 printed, 1 there is no such trap, interrupt, event or gap, 2 it could not be "
		"done.",
	.run = run,
};
