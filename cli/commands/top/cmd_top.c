/* 'earshot top': what runs now. Counting and showing are cli/top/; here are the options, and where
 * the records come from: a trace (top_trace.c) or a device (top_device.c).
 */
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/commands/top/top_device.h"
#include "cli/commands/top/top_trace.h"
#include "cli/options/options.h"
#include "cli/top/top_terminal.h"

struct request {
	struct top_trace trace;
	struct top_device device;
};

static const struct command_option table[] = {
	{"device", 'd', "DEVICE", VALUES_DEVICES,
		.text = "Show what a device runs, and keep no file. `earshot capture --top` keeps one.",
		.detail =
			"Devices are those of `earshot capture`. Leaving the view ends the capture.",
		OPTION_VALUE(struct request, device.device)},
	OPTION_GROUP(top_view_options, struct request, trace.options),
	{"follow", 0,
		.text = "Wait for more at the end of FILE, until Ctrl-C. A capture file that another "
			"`earshot` writes is followed without it, to its end.",
		OPTION_VALUE(struct request, trace.follow)},
	{"policy", 0, "POLICY", VALUES_WORDS, "auto stall drop",
		.text = "With -d: when the unit's FIFO is full, `stall` the core, or `drop` records "
			"and count them (default: `auto`, stall if the unit can).",
		OPTION_VALUE(struct request, device.policy)},
	{"time", 0, "MODE", VALUES_WORDS, "off sync record",
		.text = "With -d: which records carry the time, `off`, `sync` or `record` (default). "
			"Without it the idle share of a hart that waits in wfi is not known.",
		.detail = "Time takes more of the link; with `--policy stall` the core may be held "
			  "more.",
		OPTION_VALUE(struct request, device.time_mode)},
	{"keep-running", 0, .text = "With -d: join the running core instead of resetting it.",
		OPTION_VALUE(struct request, device.keep_running)},
	OPTION_GROUP(symbol_file_options, struct request, trace.input.symbols),
	OPTION_GROUP(trace_input_options, struct request, trace.input),
	{0},
};

static const char *check(struct request *request, int count)
{
	struct top_options *options = &request->trace.options;

	if (request->device.device && count > 0)
		return "-d or a trace, not both";
	if (!request->device.device && count != 1)
		return count == 0 ? "which trace? Give one, or -d DEVICE" : "one trace, please";
	if (options->how == TOP_AUTOMATIC)
		options->how = top_terminal_is_there() && !options->every ? TOP_SCREEN : TOP_PLAIN;
	return NULL;
}

static int run(int argc, char **argv)
{
	static struct request request = {
		.trace = {.input = TRACE_INPUT_DEFAULTS, .options = TOP_OPTIONS_DEFAULTS},
		.device = {.time_mode = TOP_DEVICE_TIME}};
	struct top_trace *trace = &request.trace;
	int status;
	const int first = options_parse(&cmd_top, argc, argv, &request, &status);

	if (first < 0)
		return status;
	const char *wrong = check(&request, argc - first);
	if (wrong)
		return cli_usage(cmd_top.name, "%s", wrong);
	if (request.device.device) {
		request.device.quiet = trace->input.quiet;
		status = top_device_run(&request.device, &trace->options, &trace->input.symbols);
		symbol_file_close(&trace->input.symbols);
		return status;
	}
	trace->input.path = argv[first];
	return top_trace_run(trace);
}

const struct command cmd_top = {
	.name = "top",
	.arguments = "[OPTION]... FILE\n[OPTION]... -d DEVICE",
	.summary = "show what runs now, on a device or while a trace is written",
	.about =
		"Show where the instructions go: the functions and instructions that most of them are "
		"of, traps and interrupts, how much is idle, how deep calls are, which opcodes, and "
		"what is lost. FILE may still grow: a capture that another `earshot` writes is "
		"followed to its end. With -d DEVICE it is what the device runs.",
	.options = table,
	.notes =
		"On a terminal it is a screen; `?` lists its keys. Otherwise it is a line for each "
		"interval.\n"
		"Rates are shown where records come as they run: not while a file is read up to "
		"where it grows.",
	.opens_device = true,
	.run = run,
};
