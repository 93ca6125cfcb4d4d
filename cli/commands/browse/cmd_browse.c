/* 'earshot browse': a trace on the screen of a terminal. The trace is opened, and its index made,
 * as for the other commands; then the screen begins, and keys are taken until it ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/index.h>
#include <earshot/moment.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/commands/browse/browse.h"
#include "cli/commands/browse/browse_signals.h"
#include "cli/commands/cmd.h"
#include "cli/input/format_options.h"
#include "cli/input/trace_command.h"
#include "cli/options/options.h"

struct arguments {
	struct trace_input inputs[2];
	struct browse browse;
	struct moment_option at;
	const char *paths[2];
	bool no_mouse, no_color;
};

static const struct command_option table[] = {
	{"at", 0, "MOMENT", MOMENT_VALUES,
		.text = "Begin there: " MOMENT_FORMS " (default: the last instruction, {MOMENTS}).",
		OPTION_TAKEN(moment_option_take, struct arguments, at)},
	{"no-mouse", 0, .text = "Leave the mouse to the terminal, which selects text with it.",
		OPTION_VALUE(struct arguments, no_mouse)},
	{"no-color", 0,
		.text = "Use no colors (default: as many as the terminal has, unless `NO_COLOR` is set).",
		OPTION_VALUE(struct arguments, no_color)},
	{"initial", 0, "FILE", VALUES_FILES,
		.text = "What registers hold before the first record: lines such as `x 2 0x80010000`.",
		OPTION_TAKEN(trace_input_take_initial, struct arguments,
			inputs[0].options.initial_state)},
	OPTION_GROUP(symbol_file_options, struct arguments, inputs[0].symbols),
	TRACE_INPUT_DEVICE(struct arguments, inputs[0]),
	OPTION_GROUP(trace_index_options, struct arguments, inputs[0]),
	FORMAT_OPTIONS(struct arguments, inputs[0].options.format, inputs[0].options.xlen,
		inputs[0].options.pattern, inputs[0].options.unit),
	QUIET_OPTION(struct arguments, inputs[0].quiet),
	{0},
};

/* ---- The index. ---- */

static int index_progress(void *context, uint64_t done, uint64_t total, const char *what)
{
	static double last;

	(void)context;
	if (cli_interrupted)
		return 1;
	if (cli_progress_due(&last))
		cli_progress("%s, %.0f %%, Ctrl-C: without an index", what,
			total > 0 ? 100.0 * (double)done / (double)total : 0.0);
	return 0;
}

static void warn_of_no_index(const struct trace_input *input)
{
	cli_warning("%s: without an index: moves far away read the trace from its beginning",
		input->path);
}

/* Builds the index, if there is none; after Ctrl-C the trace is read without one. Returns false
 * after printing what failed. */
static bool need_index(struct trace_input *input)
{
	const struct ear_progress progress = {sizeof(progress), index_progress, NULL};

	if (input->options.index != EAR_INDEX_AUTO)
		return true;
	const int result = ear_trace_index(input->trace, false, &progress);
	cli_progress_clear();
	if (result >= 0)
		return true;
	if (!cli_interrupted) {
		trace_input_fail(input);
		return false;
	}
	cli_continue();
	warn_of_no_index(input);
	ear_trace_close(input->trace);
	input->trace = NULL;
	input->options.index = EAR_INDEX_EXISTING;
	if (!trace_input_open_trace(input))
		return false;
	if (input->names && ear_trace_set_program(input->trace, input->names)) {
		trace_input_fail(input);
		return false;
	}
	return true;
}

/* ---- The screen. ---- */

/* What takes long says so at the bottom, and Ctrl-C ends it. */
static int screen_progress(void *context, uint64_t done, uint64_t total, const char *what)
{
	struct browse *browse = context;
	const double now = cli_seconds();

	if (browse_signals_look())
		return 1;
	if (browse->progress_last == 0)
		browse->progress_last = now;
	if (now - browse->progress_last < 0.3)
		return 0;
	browse->progress_last = now;
	struct browse_line line = {
		.row = browse_screen_rows() - 1, .width = browse_screen_columns() - 1};
	if (total > 0 && done <= total)
		browse_print(&line, BROWSE_EVENT, "%s, %.0f %% (Ctrl-C ends it)", what,
			100.0 * (double)done / (double)total);
	else
		browse_print(&line, BROWSE_EVENT, "%s (Ctrl-C ends it)", what);
	browse_fill(&line);
	browse_screen_show();
	return 0;
}

/* What is missing in the trace is the first thing that the screen says. Without an index nobody
 * knows before all was read. */
static void say_missing(struct browse *browse)
{
	struct browse_model *model = &browse->models[0];
	struct ear_missing missing = {.size = sizeof(missing)};
	char text[300];

	if (!model->counted || ear_trace_missing(model->trace, 0, UINT64_MAX, &missing, NULL) ||
		ear_missing_text(&missing, text, sizeof(text)) == 0)
		return;
	browse_complain(browse, "%s", text);
}

static void take_keys(struct browse *browse)
{
	while (!browse->quit && !browse_signals_ending()) {
		/* Of keys that are there already only the last one is drawn. */
		if (!browse_screen_has_key())
			browse_draw(browse);
		const int key = browse_screen_key();
		if (key == BROWSE_KEY_NONE) {
			if (browse_signals_take_stop())
				browse_screen_stop();
			if (browse_signals_take_interrupt())
				browse_say(browse, "q quits");
			continue;
		}
		browse->progress_last = 0;
		browse_press(browse, key);
		browse_signals_take_interrupt();
	}
}

/* At the last instruction, or, if Ctrl-C ends the way there, at the first record. */
static int go_to_end(struct browse *browse, struct browse_model *model)
{
	int result = browse_model_end(model);

	if (result == 0 || !cli_interrupted)
		return result;
	cli_continue();
	browse_complain(browse, "at the first record: the end was not looked for (Ctrl-C)");
	return 0;
}

/* With --no-index it gets one in memory; after Ctrl-C there is none. end: go there. Returns false
 * after printing what failed. */
static bool open_model(
	struct browse *browse, struct browse_model *model, struct trace_input *input, bool end)
{
	const struct ear_progress progress = {sizeof(progress), index_progress, NULL};
	int result = browse_model_open(model, input->trace, input->names, &progress);

	/* EAR_E_CANCELLED, or EAR_E_IO where a read was interrupted. */
	if (result && cli_interrupted) {
		cli_progress_clear();
		cli_continue();
		warn_of_no_index(input);
		browse_model_close(model);
		result = browse_model_open(model, input->trace, input->names, &input->progress);
	}
	model->progress = &input->progress;
	if (result == 0 && end)
		result = go_to_end(browse, model);
	if (result)
		trace_input_error(input->path, model->why);
	return result == 0;
}

static bool open_models(struct arguments *arguments)
{
	struct browse *browse = &arguments->browse;
	const char *at = arguments->at.text;

	for (unsigned side = 0; side < (browse->pair ? 2u : 1u); side++) {
		browse->inputs[side] = &arguments->inputs[side];
		/* A moment such as -5 counts from the end. */
		const bool end = side == 1 || !at || at[0] == '+' || at[0] == '-';
		if (!open_model(browse, &browse->models[side], &arguments->inputs[side], end))
			return false;
	}
	struct browse_model *model = &browse->models[0];
	if (arguments->at.text && !model->empty && browse_moment(model, arguments->at.text) != 1) {
		trace_input_error(arguments->paths[0], model->why);
		return false;
	}
	return true;
}

static int show(struct arguments *arguments)
{
	struct browse *browse = &arguments->browse;
	const char *none = getenv("NO_COLOR");

	if (!open_models(arguments) || (browse->pair && !browse_pair_open(browse)))
		return EAR_EXIT_FAILED;
	browse->sources = source_lines_new();
	if (!browse->sources) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	cli_progress_clear();
	cli_progress_disable();
	browse->mouse = !arguments->no_mouse;
	browse->progress = (struct ear_progress){sizeof(browse->progress), screen_progress, browse};
	browse->models[0].progress = browse->models[1].progress = &browse->progress;
	browse_signals_begin();
	const char *wrong =
		browse_screen_begin(!arguments->no_color && !(none && none[0]), browse->mouse);
	if (wrong) {
		cli_error("%s", wrong);
		return EAR_EXIT_FAILED;
	}
	say_missing(browse);
	if (browse->pair && !arguments->at.text)
		browse_pair_first(browse);
	if (browse->pair)
		browse_pair_follow(browse);
	take_keys(browse);
	browse_screen_end();
	return EAR_EXIT_DONE;
}

/* When the screen is gone, what is missing is said as any command says it. Of a trace without an
 * index only a reading of all of it could say that: nothing is owed for it. */
static int judge(struct arguments *arguments)
{
	const struct trace_input *first = &arguments->inputs[0];
	int status = EAR_EXIT_DONE;

	for (unsigned side = 0; side < 2 && arguments->paths[side]; side++) {
		struct trace_input *input = &arguments->inputs[side];
		input->verdict.incomplete = first->verdict.incomplete;
		if (!arguments->browse.models[side].counted)
			continue;
		trace_input_judge(input, 0, UINT64_MAX);
		status = verdict_end(&input->verdict, first->quiet, status, false);
	}
	return status;
}

/* ---- The command. ---- */

/* The other trace is read in the same way, but its format is what it is; its program is that of
 * --elf, or its own. Before rights are given up: what reads ELF files is started. */
static void prepare_other(struct trace_input inputs[2])
{
	const struct symbol_file *from = &inputs[0].symbols;
	struct symbol_file *symbols = &inputs[1].symbols;

	inputs[1].options = inputs[0].options;
	inputs[1].options.format = NULL;
	inputs[1].options.initial_state = NULL;
	memcpy(inputs[1].devices, inputs[0].devices, sizeof(inputs[0].devices));
	inputs[1].device_count = inputs[0].device_count;
	inputs[1].devices_given = inputs[0].devices_given;
	inputs[1].quiet = true;
	symbols->elf = from->elf ? strdup(from->elf) : NULL;
	symbols->elf_offset = from->elf_offset;
	symbols->anyway = from->anyway;
	symbols->image_suffices = true;
	symbol_file_prepare(symbols);
}

static bool open_inputs(struct arguments *arguments)
{
	struct trace_input *inputs = arguments->inputs;

	for (unsigned side = 0; side < 2 && arguments->paths[side]; side++) {
		inputs[side].path = arguments->paths[side];
		if (!files_read("", inputs[side].path))
			return false;
	}
	inputs[0].screen = true;
	inputs[0].other = arguments->paths[1];
	if (arguments->paths[1])
		prepare_other(inputs);
	trace_input_prepare(&inputs[0]);
	if (!trace_input_open_prepared(&inputs[0]) || !need_index(&inputs[0]))
		return false;
	if (!arguments->paths[1])
		return true;
	return trace_input_open_prepared(&inputs[1]) && need_index(&inputs[1]);
}

static int browse_files(struct arguments *arguments)
{
	struct browse *browse = &arguments->browse;
	int status = EAR_EXIT_FAILED;

	if (open_inputs(arguments)) {
		trace_input_warn_of_values(&arguments->inputs[0]);
		status = show(arguments);
		if (status == EAR_EXIT_DONE)
			status = judge(arguments);
	}
	browse_pair_free(browse);
	browse_list_free(browse);
	source_lines_free(browse->sources);
	for (unsigned side = 0; side < 2; side++) {
		browse_model_close(&browse->models[side]);
		trace_input_close(&arguments->inputs[side]);
	}
	return status;
}

static int run(int argc, char **argv)
{
	static struct arguments arguments;
	int status;

	arguments = (struct arguments){.inputs = {TRACE_INPUT_DEFAULTS, TRACE_INPUT_DEFAULTS}};
	const int first = options_parse(&cmd_browse, argc, argv, &arguments, &status);
	if (first < 0)
		return status;
	const int count = argc - first;
	if (count < 1 || count > 2)
		return cli_usage(
			"browse", "%s", count < 1 ? "which trace?" : "one or two traces, please");
	for (int i = 0; i < count; i++)
		arguments.paths[i] = argv[first + i];
	arguments.browse.pair = count == 2;
	for (int i = 0; i < count; i++)
		if (strcmp(arguments.paths[i], "-") == 0)
			return cli_usage(
				"browse", "keys come from standard input: a trace is a file");
	const char *wrong = browse_screen_check();
	if (wrong) {
		cli_error("browse: %s; in text: earshot show, state, grep, why, history", wrong);
		return EAR_EXIT_FAILED;
	}
	return browse_files(&arguments);
}

const struct command cmd_browse = {
	.name = "browse",
	.arguments = "[OPTION]... FILE [OTHER]",
	.summary = "a trace on the screen, forward and backward",
	.about =
		"Show a run on the screen of the terminal, at any moment: its records, the source beside "
		"the disassembly with the path that was executed, registers, memory and the calls. Keys "
		"go forward and backward, into and over calls, to the last and the next writer of a "
		"value, and to what a search finds. With OTHER, a second trace: both go together, and "
		"`d` is the next difference.",
	.options = table,
	.notes =
		"Enter shows what can be done where the cursor is, `h` all keys, `:` takes a command by "
		"its name, `q` quits. The first time the index of FILE is built ({INDEX}); Ctrl-C goes "
		"on without it. Where there is no screen, `earshot show`, `state`, `grep`, `why` and "
		"`history` print the same.",
	.exit_status = "0 it was left, 2 a trace is damaged, or it could not be done.",
	.run = run,
};
