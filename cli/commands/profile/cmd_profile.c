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
#include "cli/commands/cmd.h"
#include "cli/commands/profile/profile_against.h"
#include "cli/commands/profile/profile_annotate.h"
#include "cli/commands/profile/profile_by.h"
#include "cli/commands/profile/profile_callgrind.h"
#include "cli/commands/profile/profile_code.h"
#include "cli/commands/profile/profile_columns.h"
#include "cli/commands/profile/profile_input.h"
#include "cli/commands/profile/profile_lines.h"
#include "cli/commands/profile/profile_show.h"
#include "cli/commands/profile/profile_viewers.h"
#include "cli/input/analysis_command.h"
#include "cli/options/options.h"

#define TOP_DEFAULT 30
#define TOP_UNSET   UINT64_MAX /* no --limit */

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
	FORMAT_PPROF,
	FORMAT_COLUMNS
};

struct request {
	struct profile_input input, old; /* old: of --against */
	struct profile_view view;
	struct source_paths paths; /* the view's */
	const char *against;
	const char *output;
	enum format format;
	enum table table;
	enum { INLINING_DEFAULT, INLINING_YES, INLINING_NO } inlining;
	bool several; /* tables were asked for */
	struct profile_filter annotated;
};

static bool take_filter(void *value, const struct command_option *option, const char *argument)
{
	struct profile_filter *filter = value;

	if (filter->count == PROFILE_FILTER_MAX)
		return option_fail(option, argument, "one of at most 32");
	filter->names[filter->count++] = argument;
	return true;
}

static bool take_source(void *value, const struct command_option *option, const char *argument)
{
	return source_paths_take(value, option, argument);
}

static bool take_ignored(void *value, const struct command_option *option, const char *argument)
{
	return source_paths_take_ignored(value, option, argument);
}

static bool take_format(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;
	const bool good = option_take_unsigned(&request->format, option, argument);

	request->input.options.pcs |= request->format == FORMAT_CALLGRIND;
	return good;
}

/* Another table than that of functions: option->min. */
static bool take_table(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;
	const enum table what = (enum table)option->min;

	(void)argument;
	request->several = request->table != TABLE_FUNCTIONS && request->table != what;
	request->table = what;
	request->input.options.pcs |= what >= TABLE_LINES;
	request->input.has_by |= what == TABLE_BY;
	request->input.has_methods |= what == TABLE_METHODS;
	return true;
}

static bool take_annotated(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;

	return (!argument || take_filter(&request->annotated, option, argument)) &&
	       take_table(value, option, argument);
}

static bool take_by(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;

	return option_take_unsigned(&request->input.key, option, argument) &&
	       take_table(value, option, argument);
}

#define TABLE(what) .take = take_table, .min = (what)

static const struct command_option table[] = {
	JSON_OPTION(struct request, format, FORMAT_JSON, "Print one JSON object, with all counts."),
	{"format", 'f', "FORMAT", VALUES_WORDS,
		"table json folded callgrind speedscope pprof columns",
		.text = "`table` (default); `folded`: a line for each call stack, as flame graphs "
			"want it; `callgrind`, for KCachegrind; `speedscope`; `pprof`, which is "
			"binary; or `columns`, the tree for the page of `report`, which is, too.",
		.take = take_format},
	{"output", 'o', "FILE", VALUES_FILES,
		.text = "Write to FILE (default `-`: standard output).",
		OPTION_VALUE(struct request, output)},
	{"tree", 0, .text = "Print the tree of calls, instead of functions.", TABLE(TABLE_TREE)},
	{"lines", 0, .text = "Print lines of the source, instead of functions.",
		TABLE(TABLE_LINES)},
	{"annotate", 0, "[=FUNCTION]",
		.text = "Print source and instructions with their counts, of FUNCTION, a name or an "
			"address in it; repeat for more. Without it, of the functions that ran most.",
		.take = take_annotated, .min = TABLE_ANNOTATE},
	{"blocks", 0,
		.text = "Print stretches of instructions that ran equally often, up to a jump.",
		TABLE(TABLE_BLOCKS)},
	{"opcodes", 0,
		.text = "Print how often each instruction of the ISA, and each class, was executed.",
		TABLE(TABLE_OPCODES)},
	{"sort", 0, "WHAT", VALUES_WORDS, "self inclusive calls",
		.text = "Order of the functions: `self` (default), `inclusive` or `calls`.",
		OPTION_VALUE(struct request, view.sort)},
	{"limit", 'n', "N",
		.text = "Print N functions, nodes of the tree, lines, blocks or opcodes (default 30); "
			"0: all. Of `-f columns`: N nodes at most (default: all), the largest.",
		OPTION_VALUE(struct request, view.top), .max = UINT64_MAX - 1},
	{"top", .means = "limit"},
	{"interrupts-inside", 0,
		.text = "Count the handlers of interrupts for what they interrupted, too. Without it they "
			"are roots of their own.",
		OPTION_VALUE(struct request, input.options.interrupts_inside)},
	{"inline", 0,
		.text = "Functions that the compiler inlined into others are functions of their own, below "
			"those: the default, where the program has debug information.",
		OPTION_SETS(struct request, inlining, INLINING_YES)},
	{"no-inline", 0,
		.text = "They count for the functions that they were inlined into. --lines and --annotate "
			"always show them.",
		OPTION_SETS(struct request, inlining, INLINING_NO)},
	{"by", 0, "WHAT", VALUES_WORDS, "task process privilege hart",
		.text = "Print a row for each `task` (thread), `process`, `privilege` or `hart`, instead "
			"of functions.",
		.take = take_by, .min = TABLE_BY},
	{"methods", 0,
		.text = "Print the methods that an interpreter reports to the event port, instead of "
			"functions.",
		TABLE(TABLE_METHODS)},
	{"against", 0, "OLD", VALUES_FILES,
		.text = "Print what changed since OLD, a trace or a part, by function, by clocks if both "
			"have time.",
		OPTION_VALUE(struct request, against)},
	{"source", 0, "OLD=NEW",
		.text = "Paths of sources that begin with OLD begin with NEW; repeat for more.",
		OPTION_TAKEN(take_source, struct request, paths)},
	{"ignore", 0, "GLOB",
		.text = "Leave functions out of the list, or of --lines and --against, whose name, or the "
			"path of whose source, matches GLOB, as `mem*` or `*/lib/*`; repeat for more. "
			"They still count for their callers.",
		OPTION_TAKEN(take_ignored, struct request, paths)},
	{"within", 0, "FUNCTION",
		.text = "Count only what FUNCTION ran, with all that it called; repeat for more.",
		OPTION_TAKEN(take_filter, struct request, input.within)},
	{"exclude", 0, "FUNCTION",
		.text = "Do not count what FUNCTION ran, with all that it called; repeat for more.",
		OPTION_TAKEN(take_filter, struct request, input.without)},
	OPTION_GROUP(trace_parts_options, struct request, input.source.parts),
	OPTION_GROUP(task_options, struct request, input.source.tasks),
	OPTION_GROUP(symbol_file_options, struct request, input.source.input.symbols),
	OPTION_GROUP(trace_input_options, struct request, input.source.input),
	{0},
};

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
	if (!has_lines && (request->table == TABLE_LINES || request->inlining == INLINING_YES))
		cli_warning("the program has no lines%s: it was built without -g, or they are in "
			    "another file",
			request->inlining == INLINING_YES ? ", so nothing is known of inlining"
							  : "");
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

	if (request->input.source.input.quiet)
		return;
	if (!request->input.source.input.names)
		cli_warning("there are no names: functions are what calls entered (--elf FILE)");
	else if (ear_names_file_count(request->input.source.input.names) > 0)
		warn_of_program(request);
	trace_input_warn_of_handlers(&request->input.source.input);
	if (request->input.options.pcs)
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
	case TABLE_ANNOTATE:
		return profile_annotate(
			view, &request->annotated, false, request->input.source.input.quiet);
	case TABLE_BLOCKS: return profile_blocks(view);
	case TABLE_OPCODES: return profile_opcodes(view);
	default: return profile_show_functions(view);
	}
}

static bool print(const struct request *request)
{
	const struct profile_view *view = &request->view;

	switch (request->format) {
	case FORMAT_JSON:
		if (request->table == TABLE_ANNOTATE)
			return profile_annotate(
				view, &request->annotated, true, request->input.source.input.quiet);
		profile_show_json(view);
		return true;
	case FORMAT_FOLDED: return profile_show_folded(view);
	case FORMAT_CALLGRIND: return profile_callgrind(view, request->input.source.input.path);
	case FORMAT_SPEEDSCOPE: return profile_speedscope(view, request->input.source.input.path);
	case FORMAT_PPROF: return fflush(stdout) == 0 && profile_pprof(view, STDOUT_FILENO);
	case FORMAT_COLUMNS: return profile_columns(view);
	default: return print_table(request);
	}
}

/* OLD, with what was said of the new one. */
static bool read_old(struct request *request)
{
	const struct profile_input *input = &request->input;
	struct profile_input *old = &request->old;

	old->options = input->options;
	old->may_inline = request->inlining == INLINING_DEFAULT;
	old->options.names = NULL;
	old->within = input->within;
	old->without = input->without;
	old->source.tasks.task = input->source.tasks.task;
	old->source.tasks.options = input->source.tasks.options;
	old->source.input.options = input->source.input.options;
	old->source.input.options.index = EAR_INDEX_NONE;
	char *paths[] = {(char *)request->against};
	return profile_input_begin(old, paths, 1) && analysis_input_read(&old->source, paths, 1) &&
	       analysis_input_finish(&old->source);
}

static bool print_against(const struct request *request)
{
	struct profile_view old = request->view;

	old.profile = request->old.source.whole;
	old.names = request->old.source.input.names;
	old.verdict = &request->old.source.input.verdict;
	return request->format == FORMAT_JSON ? profile_against_json(&request->view, &old)
					      : profile_against_table(&request->view, &old);
}

/* What is printed goes to the file, which is opened before rights are given up. */
static bool open_output(const struct request *request)
{
	if (request->format >= FORMAT_PPROF && !request->output && isatty(STDOUT_FILENO)) {
		cli_error("%s is binary: not written to a terminal (-o FILE)",
			request->format == FORMAT_PPROF ? "pprof's format" : "-f columns");
		return false;
	}
	if (!request->output || strcmp(request->output, "-") == 0)
		return true;
	if ((request->against && !files_read("--against", request->against)) ||
		!files_write("-o", request->output))
		return false;
	int fd = files_open(request->output);
	if (fd < 0)
		return false;
	if (dup2(fd, STDOUT_FILENO) < 0) {
		cli_error("%s: %s", request->output, strerror(errno));
		return false;
	}
	return true;
}

/* The process that reads ELF files begins before rights are given up. */
static bool prepare(void *context)
{
	struct request *request = context;

	if (!open_output(request))
		return false;
	if (request->against)
		symbol_file_prepare(&request->old.source.input.symbols);
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

	if (source->follows && events == 0 && !request->input.source.input.quiet)
		cli_warning("%s: no event says which task runs", source->input.path);
	if (methods && json)
		profile_methods_json(source->whole, names, &source->input.verdict);
	else if (methods)
		profile_methods_table(source->whole, names, request->view.top);
	else if (json)
		profile_by_json(source->whole, key, &source->input.verdict);
	else
		profile_by_table(source->whole, key, request->view.top);
}

static bool read_all(void *context, char **paths, int count)
{
	struct request *request = context;

	return profile_input_begin(&request->input, paths, count) &&
	       analysis_input_read(&request->input.source, paths, count) &&
	       (!request->against || read_old(request));
}

static int show(void *context, bool good)
{
	struct request *request = context;
	const struct profile_input *input = &request->input;

	if (input->source.begun)
		files_begin();
	if (input->source.begun && (input->has_by || input->has_methods)) {
		print_by(request);
	} else if (input->source.begun && (good || !request->against)) {
		request->view.profile = input->source.whole;
		request->view.names = input->source.input.names;
		warn(request);
		good = (request->against ? print_against(request) : print(request)) && good;
	}
	return good && !cli_interrupted ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static const char *check(void *context, bool of_parts)
{
	struct request *request = context;
	const bool is_list = request->table == TABLE_FUNCTIONS;
	const bool is_code = request->table == TABLE_ANNOTATE;
	const bool has_json =
		request->table == TABLE_BY || request->table == TABLE_METHODS || is_code;

	(void)of_parts;
	if (!is_list && request->format != FORMAT_TABLE &&
		!(has_json && request->format == FORMAT_JSON))
		return is_code ? "--annotate is a table, or --json"
			       : "--tree, --lines, --blocks and --opcodes are tables: without --json and -f";
	if (request->against &&
		(!is_list || request->input.source.parts.part > 0 || request->format > FORMAT_JSON))
		return "--against is a table of functions, or -f json";
	if (request->paths.ignored_count > 0 &&
		((!is_list && !is_code && request->table != TABLE_LINES) ||
			(request->format != FORMAT_TABLE && !request->against && !is_code)))
		return "--ignore is for the list of functions, --lines, --annotate and --against";
	const bool has_functions = is_list || is_code || request->table == TABLE_TREE;
	if (request->inlining == INLINING_YES && !has_functions)
		return "--inline is for the list of functions, --tree, --annotate and -f";
	if (request->view.top == TOP_UNSET)
		request->view.top = request->format == FORMAT_COLUMNS ? 0 : TOP_DEFAULT;
	request->input.options.inlined = request->inlining == INLINING_YES;
	request->input.may_inline = request->inlining == INLINING_DEFAULT && has_functions;
	if (request->several)
		return "one of --tree, --lines, --annotate, --blocks and --opcodes";
	return NULL;
}

/* Before FUNCTION could be left out it was a word of its own. It still is: a word after --annotate
 * that no file has for a name, if there are others that may be traces. */
struct words {
	char **argv;
	char *joined; /* for free() */
};

static bool take_nothing(void *context, const struct command_option *option, const char *argument)
{
	(void)context, (void)option, (void)argument;
	return true;
}

static int join_function(struct words *words, int argc, char **argv)
{
	int at = 1;

	words->argv = calloc((size_t)argc + 1, sizeof(*words->argv));
	if (!words->argv)
		return -1;
	memcpy(words->argv, argv, (size_t)argc * sizeof(*argv));
	const int first = options_walk(&cmd_profile, argc, words->argv, take_nothing, NULL);
	memcpy(words->argv, argv, (size_t)argc * sizeof(*argv));
	while (at + 1 < argc && strcmp(argv[at], "--annotate") != 0 && strcmp(argv[at], "--") != 0)
		at++;
	if (at + 1 >= argc || strcmp(argv[at], "--annotate") != 0 || first < 0 ||
		first > argc - 2 || argv[at + 1][0] == '-' || access(argv[at + 1], F_OK) == 0)
		return argc;
	const size_t size = strlen(argv[at]) + strlen(argv[at + 1]) + 2;
	words->joined = malloc(size);
	if (!words->joined)
		return -1;
	snprintf(words->joined, size, "%s=%s", argv[at], argv[at + 1]);
	words->argv[at] = words->joined;
	memmove(&words->argv[at + 1], &argv[at + 2], (size_t)(argc - at - 2) * sizeof(*argv));
	words->argv[argc - 1] = NULL;
	return argc - 1;
}

static int run(int argc, char **argv)
{
	struct words words = {0};
	struct request request = {.input = PROFILE_INPUT_DEFAULTS,
		.old = PROFILE_INPUT_DEFAULTS,
		.view = {.top = TOP_UNSET}};
	const struct analysis_command counting = {&cmd_profile, &request, &request.input.source,
		true, check, prepare, read_all, show, NULL};

	request.view.paths = &request.paths;
	request.view.verdict = &request.input.source.input.verdict;
	const int count = join_function(&words, argc, argv);
	int status = EAR_EXIT_FAILED;
	if (count < 0)
		cli_error("out of memory");
	else
		status = analysis_command_run(&counting, count, words.argv);
	analysis_input_close(&request.old.source);
	source_paths_fini(&request.paths);
	free(words.joined);
	free(words.argv);
	return status;
}

const struct command cmd_profile = {
	.name = "profile",
	.arguments = "[OPTION]... FILE...",
	.summary = "which functions and lines took the instructions and the time",
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
