/* 'earshot profile': where a run spent its instructions. analyses/profile/profile.h counts; here is
 * what is read, and how it is printed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <earshot/error.h>

#include "analyses/profile/methods.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/profile/profile_against.h"
#include "cli/commands/profile/profile_by.h"
#include "cli/commands/profile/profile_callgrind.h"
#include "cli/commands/profile/profile_code.h"
#include "cli/commands/profile/profile_input.h"
#include "cli/commands/profile/profile_lines.h"
#include "cli/commands/profile/profile_show.h"
#include "cli/commands/profile/profile_viewers.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"

#define TOP_DEFAULT 30

enum {
	OPTION_FORMAT,
	OPTION_OUTPUT,
	OPTION_TREE,
	OPTION_LINES,
	OPTION_ANNOTATE,
	OPTION_BLOCKS,
	OPTION_OPCODES,
	OPTION_SORT,
	OPTION_TOP,
	OPTION_INSIDE,
	OPTION_INLINE,
	OPTION_AGAINST,
	OPTION_SOURCE,
	OPTION_IGNORE,
	OPTION_BY,
	OPTION_METHODS,
	OPTION_TASK,
	OPTION_EVENT_PORT,
	OPTION_WITHIN,
	OPTION_EXCLUDE,
	OPTION_FROM,
	OPTION_TO,
	OPTION_JOBS,
	OPTION_PART,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_QUIET,
};

/* What the table is of. */
enum table {
	TABLE_FUNCTIONS,
	TABLE_TREE,
	TABLE_BY,
	TABLE_METHODS,
	TABLE_LINES,
	TABLE_ANNOTATE,
	TABLE_BLOCKS,
	TABLE_OPCODES
};

enum format {
	FORMAT_TABLE,
	FORMAT_JSON,
	FORMAT_FOLDED,
	FORMAT_CALLGRIND,
	FORMAT_SPEEDSCOPE,
	FORMAT_PPROF
};

static const struct command_option table[] = {
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WORDS,
		"table json folded callgrind speedscope pprof",
		.text = "`table` (default), `json`; `folded`: a line for each call stack, as flame graphs "
			"want it; `callgrind`, for KCachegrind; `speedscope`; or `pprof`, which is "
			"binary."},
	{"output", 'o', OPTION_OUTPUT, "FILE", VALUES_FILES,
		.text = "Write to FILE (default `-`: standard output)."},
	{"tree", 0, OPTION_TREE, .text = "Print the tree of calls, instead of functions."},
	{"lines", 0, OPTION_LINES, .text = "Print lines of the source, instead of functions."},
	{"annotate", 0, OPTION_ANNOTATE, "FUNCTION",
		.text = "Print source and instructions of FUNCTION, a name or an address in it."},
	{"blocks", 0, OPTION_BLOCKS,
		.text = "Print stretches of instructions that ran equally often, up to a jump."},
	{"opcodes", 0, OPTION_OPCODES,
		.text = "Print how often each instruction of the ISA, and each class, was executed."},
	{"sort", 0, OPTION_SORT, "WHAT", VALUES_WORDS, "self inclusive calls",
		.text = "Order of the functions: `self` (default), `inclusive` or `calls`."},
	{"top", 0, OPTION_TOP, "N",
		.text = "Print N functions, nodes of the tree, lines, blocks or opcodes (default 30); "
			"0: all."},
	{"interrupts-inside", 0, OPTION_INSIDE,
		.text = "Count the handlers of interrupts for what they interrupted, too. Without it they "
			"are roots of their own."},
	{"inline", 0, OPTION_INLINE,
		.text = "Take functions that the compiler inlined into others for functions of their own, "
			"below those. --lines and --annotate always show them."},
	{"by", 0, OPTION_BY, "WHAT", VALUES_WORDS, "task process privilege hart",
		.text = "Print a row for each `task` (thread), `process`, `privilege` or `hart`, instead "
			"of functions."},
	{"methods", 0, OPTION_METHODS,
		.text = "Print the methods that an interpreter reports to the event port, instead of "
			"functions."},
	{"task", 0, OPTION_TASK, "TASK",
		.text = "Count only what TASK ran: its number, its name, or the last part of a name that "
			"is a path."},
	{"event-port", 0, OPTION_EVENT_PORT, "ADDRESS",
		.text = "With --task, --by and --methods: stores to an event port at ADDRESS say which task runs, "
			"where the unit had none."},
	{"against", 0, OPTION_AGAINST, "OLD", VALUES_FILES,
		.text = "Print what changed since OLD, a trace or a part, by function, by clocks if both "
			"have time."},
	{"source", 0, OPTION_SOURCE, "OLD=NEW",
		.text = "Paths of sources that begin with OLD begin with NEW; repeat for more."},
	{"ignore", 0, OPTION_IGNORE, "GLOB",
		.text = "Leave functions out of the list, or of --lines and --against, whose name, or the "
			"path of whose source, matches GLOB, as `mem*` or `*/lib/*`; repeat for more. "
			"They still count for their callers."},
	{"within", 0, OPTION_WITHIN, "FUNCTION",
		.text = "Count only what FUNCTION ran, with all that it called; repeat for more."},
	{"exclude", 0, OPTION_EXCLUDE, "FUNCTION",
		.text = "Do not count what FUNCTION ran, with all that it called; repeat for more."},
	TRACE_PARTS_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
	TRACE_PARTS_PART_OPTION(OPTION_PART),
	{"elf", 0, OPTION_ELF, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take names from FILE (default: the program that the capture file names, if it "
			"has not changed); repeat for more."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of FILE (default: detected from its contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for a text (default: detected from its beginning)."},
	{"quiet", 'q', OPTION_QUIET, .text = "No progress line, and no warnings."},
	{0},
};

struct request {
	struct profile_input input, old; /* old: of --against */
	struct profile_view view;
	struct source_paths paths; /* the view's */
	char *against;
	const char *output;
	enum format format;
	enum table table;
	bool several; /* tables were asked for */
	const char *annotated;
	bool quiet;
};

static bool take_filter(
	struct profile_filter *filter, const struct command_option *option, const char *argument)
{
	if (filter->count == PROFILE_FILTER_MAX)
		return option_fail(option, argument, "one of at most 32");
	filter->names[filter->count++] = argument;
	return true;
}

static bool take_table(struct request *request, enum table what)
{
	request->several = request->table != TABLE_FUNCTIONS && request->table != what;
	request->table = what;
	request->input.options.pcs |= what >= TABLE_LINES;
	return true;
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct profile_input *profile = &request->input;
	struct analysis_input *source = &profile->source;
	struct trace_input *input = &source->input;
	int word;

	switch (option->id) {
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->format = (enum format)word;
		profile->options.pcs |= request->format == FORMAT_CALLGRIND;
		return true;
	case OPTION_TREE: return take_table(request, TABLE_TREE);
	case OPTION_ANNOTATE:
		request->annotated = argument;
		return take_table(request, TABLE_ANNOTATE);
	case OPTION_BLOCKS: return take_table(request, TABLE_BLOCKS);
	case OPTION_OPCODES: return take_table(request, TABLE_OPCODES);
	case OPTION_OUTPUT: request->output = argument; return true;
	case OPTION_LINES: return take_table(request, TABLE_LINES);
	case OPTION_SORT:
		if (!option_word(&word, option, argument))
			return false;
		request->view.sort = (enum profile_sort)word;
		return true;
	case OPTION_TOP: return option_number(&request->view.top, option, argument, 0, UINT64_MAX);
	case OPTION_INSIDE: profile->options.interrupts_inside = true; return true;
	case OPTION_INLINE: profile->options.inlined = true; return true;
	case OPTION_BY:
		if (!option_word(&word, option, argument))
			return false;
		profile->has_by = true;
		profile->key = (enum ear_by_key)word;
		return take_table(request, TABLE_BY);
	case OPTION_METHODS: profile->has_methods = true; return take_table(request, TABLE_METHODS);
	case OPTION_TASK: return task_batches_take_task(&source->tasks, argument);
	case OPTION_EVENT_PORT: return task_batches_take_port(&source->tasks, option, argument);
	case OPTION_AGAINST: request->against = strdup(argument); return request->against != NULL;
	case OPTION_SOURCE: return source_paths_take(&request->paths, option, argument);
	case OPTION_IGNORE: return source_paths_take_ignored(&request->paths, option, argument);
	case OPTION_WITHIN: return take_filter(&profile->within, option, argument);
	case OPTION_EXCLUDE: return take_filter(&profile->without, option, argument);
	case OPTION_FROM:
		return trace_parts_take(&source->parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_TO: return trace_parts_take(&source->parts, TRACE_PARTS_TO, option, argument);
	case OPTION_JOBS:
		return trace_parts_take(&source->parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_PART:
		return trace_parts_take(&source->parts, TRACE_PARTS_PART, option, argument);
	case OPTION_ELF: return symbol_file_take(&input->symbols, option->name, argument);
	case OPTION_ELF_ANYWAY: input->symbols.anyway = true; return true;
	case OPTION_INPUT_FORMAT: input->options.format = argument; return true;
	case OPTION_XLEN:
		if (!option_word(&word, option, argument))
			return false;
		input->options.xlen = xlens[word];
		return true;
	case OPTION_QUIET:
		request->quiet = true;
		cli_progress_disable();
		return true;
	}
	return false;
}

#define MACHINE_RISCV 243

/* Is the program one of which the trace may be, with what is asked for? */
static void warn_of_program(const struct request *request)
{
	const struct ear_profile *profile = request->input.source.whole;
	const struct ear_names *names = request->input.source.input.names;
	const uint64_t records = ear_profile_total(profile).records;
	bool has_symbols = false, has_lines = false, is_riscv = false, ran = false;

	for (size_t i = 0; i < ear_names_file_count(names); i++) {
		const struct ear_names_file *file = ear_names_file(names, i);
		has_symbols = has_symbols || file->has_symbols;
		has_lines = has_lines || file->has_lines;
		is_riscv = is_riscv || file->machine == MACHINE_RISCV;
	}
	for (size_t i = 0; i < ear_profile_function_count(profile); i++) {
		const struct ear_profile_function *function = ear_profile_function(profile, i);
		ran = ran || (function->name[0] && function->self.records > 0);
	}
	if (!is_riscv && ear_profile_pathless(profile) < records)
		cli_warning("the program is for another machine than RISC-V");
	/* That there are no symbols was said when it was read. */
	if (has_symbols && !ran && records > 0)
		cli_warning("nothing ran in a function of the program: is it the one that was "
			    "traced?");
	if (!has_lines && (request->table == TABLE_LINES || request->input.options.inlined))
		cli_warning("the program has no lines%s: it was built without -g, or they are in "
			    "another file",
			request->input.options.inlined ? ", so nothing is known of inlining" : "");
}

/* Of code that is looked at. */
static void warn_of_code(const struct ear_profile *profile)
{
	const size_t count = ear_profile_pc_count(profile);
	uint64_t changed = 0;

	for (size_t i = 0; i < count; i++)
		changed += ear_profile_pc(profile, i)->changed;
	if (changed > 0)
		cli_warning("at %" PRIu64 " addresses more than one instruction ran: code was "
			    "changed, or there were two programs",
			changed);
	if (count >= EAR_PROFILE_PCS_MAX)
		cli_warning("there are too many instructions: others count for functions only");
}

/* What makes the profile less than it seems. */
static void warn(const struct request *request)
{
	const struct ear_profile *profile = request->input.source.whole;

	if (request->quiet)
		return;
	if (!request->input.source.input.names)
		cli_warning("there are no names: functions are what calls entered (--elf FILE)");
	else if (ear_names_file_count(request->input.source.input.names) > 0)
		warn_of_program(request);
	trace_input_warn_of_handlers(&request->input.source.input);
	warn_of_code(profile);
	if (ear_profile_gaps(profile) > 0)
		cli_warning("there are gaps, %" PRIu64 ": what was called before one has no caller "
			    "after it",
			ear_profile_gaps(profile));
	if (ear_profile_pathless(profile) > 0)
		cli_warning("of %" PRIu64 " records no calls are known: they have no opcodes of "
			    "RISC-V",
			ear_profile_pathless(profile));
	if (ear_profile_limited(profile))
		cli_warning("there are too many paths of calls: the deepest are not kept apart");
	if (cli_interrupted)
		cli_warning("interrupted: this is the profile of the first %" PRIu64 " records",
			ear_profile_total(profile).records);
}

static bool print_table(const struct request *request)
{
	const struct profile_view *view = &request->view;

	switch (request->table) {
	case TABLE_TREE: return profile_show_tree(view);
	case TABLE_LINES: return profile_lines(view);
	case TABLE_ANNOTATE: return profile_annotate(view, request->annotated);
	case TABLE_BLOCKS: return profile_blocks(view);
	case TABLE_OPCODES: return profile_opcodes(view);
	default: return profile_show_functions(view);
	}
}

static bool print(const struct request *request)
{
	const struct profile_view *view = &request->view;

	switch (request->format) {
	case FORMAT_JSON: profile_show_json(view); return true;
	case FORMAT_FOLDED: return profile_show_folded(view);
	case FORMAT_CALLGRIND: return profile_callgrind(view, request->input.source.input.path);
	case FORMAT_SPEEDSCOPE: return profile_speedscope(view, request->input.source.input.path);
	case FORMAT_PPROF: return fflush(stdout) == 0 && profile_pprof(view, STDOUT_FILENO);
	default: return print_table(request);
	}
}

/* OLD, with what was said of the new one. */
static bool read_old(struct request *request)
{
	const struct profile_input *input = &request->input;
	struct profile_input *old = &request->old;

	old->options = input->options;
	old->options.names = NULL;
	old->within = input->within;
	old->without = input->without;
	old->source.tasks.task = input->source.tasks.task;
	old->source.tasks.options = input->source.tasks.options;
	old->source.input.options = input->source.input.options;
	old->source.input.options.index = EAR_INDEX_NONE;
	return profile_input_read(old, &request->against, 1);
}

static bool print_against(const struct request *request)
{
	struct profile_view old = request->view;

	old.profile = request->old.source.whole;
	old.names = request->old.source.input.names;
	return request->format == FORMAT_JSON ? profile_against_json(&request->view, &old)
					      : profile_against_table(&request->view, &old);
}

/* What is printed goes to the file, which is opened before rights are given up. */
static bool open_output(const struct request *request, char **paths, int count)
{
	if (request->format == FORMAT_PPROF && !request->output && isatty(STDOUT_FILENO)) {
		cli_error("pprof's format is binary: not written to a terminal (-o FILE)");
		return false;
	}
	if (!request->output || strcmp(request->output, "-") == 0)
		return true;
	for (int i = 0; i < count; i++)
		if (!files_read("", paths[i]))
			return false;
	if (!files_write("-o", request->output))
		return false;
	int fd = outputs_open_file(request->output);
	if (fd < 0)
		return false;
	if (dup2(fd, STDOUT_FILENO) < 0) {
		cli_error("%s: %s", request->output, strerror(errno));
		return false;
	}
	return true;
}

static void print_by(const struct request *request)
{
	const struct analysis_input *source = &request->input.source;
	const enum ear_by_key key = request->input.key;
	const struct ear_names *names = source->input.names;
	const bool methods = request->input.has_methods, json = request->format == FORMAT_JSON;
	const uint64_t events =
		methods ? ear_methods_events(source->whole) : ear_by_events(source->whole);

	if (source->follows && events == 0 && !request->quiet)
		cli_warning("%s: no event says which task runs", source->input.path);
	if (methods && json)
		profile_methods_json(source->whole, names);
	else if (methods)
		profile_methods_table(source->whole, names, request->view.top);
	else if (json)
		profile_by_json(source->whole, key);
	else
		profile_by_table(source->whole, key, request->view.top);
}

static int run_profile(struct request *request, char **paths, int count)
{
	const struct profile_input *input = &request->input;
	bool good;

	if (!open_output(request, paths, count))
		return EAR_EXIT_FAILED;
	/* The process that reads ELF files begins before rights are given up. */
	if (request->against)
		symbol_file_prepare(&request->old.source.input.symbols);
	good = profile_input_read(&request->input, paths, count);
	if (request->against)
		good = good && read_old(request);
	const bool shown = input->source.begun && input->source.parts.part == 0;
	if (shown && (input->has_by || input->has_methods)) {
		print_by(request);
	} else if (shown && (good || !request->against)) {
		request->view.profile = input->source.whole;
		request->view.names = input->source.input.names;
		warn(request);
		good = (request->against ? print_against(request) : print(request)) && good;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_error("standard output: it cannot be written");
		return EAR_EXIT_FAILED;
	}
	return good && !cli_interrupted ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {.input = PROFILE_INPUT_DEFAULTS,
		.old = PROFILE_INPUT_DEFAULTS,
		.view = {.top = TOP_DEFAULT}};
	const struct trace_parts *parts = &request.input.source.parts;
	int status;

	request.view.paths = &request.paths;

	int first = options_parse(&cmd_profile, argc, argv, take_option, &request, &status);
	if (first >= 0 && first == argc) {
		status = cli_usage("profile", "which trace?");
	} else if (first >= 0 && request.table != TABLE_FUNCTIONS &&
		   request.format != FORMAT_TABLE &&
		   ((request.table != TABLE_BY && request.table != TABLE_METHODS) ||
			   request.format != FORMAT_JSON)) {
		status = cli_usage("profile", "--tree, --lines, --annotate, --blocks and --opcodes "
					      "are tables: without -f");
	} else if (first >= 0 && request.against &&
		   (request.table != TABLE_FUNCTIONS || parts->part > 0 ||
			   request.format > FORMAT_JSON)) {
		status = cli_usage("profile", "--against is a table of functions, or -f json");
	} else if (first >= 0 && request.paths.ignored_count > 0 &&
		   ((request.table != TABLE_FUNCTIONS && request.table != TABLE_LINES) ||
			   (request.format != FORMAT_TABLE && !request.against))) {
		status = cli_usage(
			"profile", "--ignore is for the list of functions, --lines and --against");
	} else if (first >= 0 && request.input.options.inlined &&
		   request.table != TABLE_FUNCTIONS && request.table != TABLE_TREE) {
		status = cli_usage(
			"profile", "--inline is for the list of functions, --tree and -f");
	} else if (first >= 0 && request.several) {
		status = cli_usage("profile", "one of --tree, --lines, --annotate, --blocks and "
					      "--opcodes");
	} else if (first >= 0) {
		if (!parts->from && !parts->to && parts->plan.jobs == 1 && parts->part == 0)
			request.input.source.input.options.index = EAR_INDEX_NONE;
		status = run_profile(&request, argv + first, argc - first);
	}
	analysis_input_close(&request.input.source);
	analysis_input_close(&request.old.source);
	source_paths_fini(&request.paths);
	free(request.against);
	return status;
}

const struct command cmd_profile = {
	.name = "profile",
	.arguments = "[OPTION]... FILE...",
	.summary = "where a run spent its instructions, by function and call",
	.about =
		"Count the instructions of each function of FILE, a capture or a trace of any "
		"format, or of several ones of the same program: those of itself, and with all that it called (inclusive), which counts a "
		"record once for each function that is among its callers.",
	.options = table,
	.notes =
		"Calls are followed through interrupts, tasks, tail calls and longjmp; nothing has "
		"to be compiled in. Self counts sum up to all records. With time in the trace, "
		"clocks are those of the function itself.",
	.exit_status =
		"0 done, 2 the trace could not be read to its end: the profile is that of what "
		"came before.",
	.run = run,
};
