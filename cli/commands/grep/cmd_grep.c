/* 'earshot grep': the records of a trace for which all conditions hold. The trace is read to the
 * end once, by one thread or in chunks by several; what a record is compared with is decided before
 * (grep_conditions.c), what is shown of it after (grep_show.c).
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/batch/batch.h"
#include "cli/commands/cmd.h"
#include "cli/commands/grep/grep_chunks.h"
#include "cli/commands/grep/grep_conditions.h"
#include "cli/commands/grep/grep_counts.h"
#include "cli/commands/grep/grep_find.h"
#include "cli/commands/grep/grep_show.h"
#include "cli/commands/isa_option.h"
#include "cli/commands/names_option.h"
#include "cli/input/format_options.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"
#include "cli/output/places.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"

static bool take_context(void *value, const struct command_option *option, const char *argument)
{
	struct grep *grep = value;

	if (!option_take_unsigned(&grep->before, option, argument))
		return false;
	grep->after = grep->before;
	return true;
}

static bool take_count_by(void *value, const struct command_option *option, const char *argument)
{
	struct grep *grep = value;

	grep->count_only = grep->by_key = true;
	return option_take_unsigned(&grep->count_key, option, argument);
}

static bool take_format(void *value, const struct command_option *option, const char *argument)
{
	const struct ear_writer_format *format = ear_writer_find(argument);

	*(const struct ear_writer_format **)value = format;
	return (format && format->make) ||
	       option_fail(
		       option, argument, format ? "a text format" : "a format that can be written");
}

static bool take_json(void *value, const struct command_option *option, const char *argument)
{
	(void)argument;
	return take_format(value, option, "json");
}

static const struct command_option table[] = {
	{.heading = "Conditions:"},
	{"pc", 0, "RANGE",
		.text = "The pc is in RANGE; repeat for more ranges. A function has its inlined copies, "
			"too.",
		OPTION_TAKEN(conditions_take_range, struct grep, conditions)},
	{"opcode", 0, "VALUE[/MASK]", .text = "The opcode is VALUE, or its bits under MASK are.",
		OPTION_TAKEN(conditions_take_opcode, struct grep, conditions)},
	{"reg", 0, "NAME[=VALUE]",
		.text = "Writes this register: `x15`, `a5`, `f2`, `v8`, `mstatus`, `c768`.",
		OPTION_TAKEN(conditions_take_register, struct grep, conditions)},
	{"addr", 0, "RANGE", .text = "Accesses memory in RANGE; repeat for more ranges.",
		.detail = "A vector element that is masked off is not accessed.",
		OPTION_TAKEN(conditions_take_range, struct grep, conditions)},
	{"read", 0, .text = "Reads memory; with --addr, there.",
		OPTION_VALUE(struct grep, conditions.match.reads)},
	{"write", 0, .text = "Writes memory; with --addr, there.",
		OPTION_VALUE(struct grep, conditions.match.writes)},
	{"data", 0, "VALUE[/MASK]",
		.text = "Accesses memory, and the value is VALUE, or its bits under MASK are; with "
			"--addr, --read or --write, of that access.",
		OPTION_TAKEN(conditions_take_data, struct grep, conditions)},
	{"privilege", 0, "MODES",
		.text = "In one of these modes: u, s, m, vu, vs, d; `su` or `s,u`.",
		OPTION_TAKEN(conditions_take_privilege, struct grep, conditions)},
	{"mode-change", 0, "[=MODES]",
		.text = "In another mode than the instruction before it; with MODES, in one of them now.",
		.detail =
			"The instruction before is that of the same hart. After a gap it is not known, "
			"and there is no change.",
		OPTION_TAKEN(conditions_take_mode_change, struct grep, conditions)},
	{"trap", 0, "[=CAUSE]", .text = "Trapped or was interrupted.",
		.detail =
			"A CAUSE with the interrupt bit, as a trace shows it, means the interrupt.",
		OPTION_TAKEN(conditions_take_trap, struct grep, conditions)},
	{"interrupt", 0, "[=CAUSE]", .text = "Was interrupted.",
		OPTION_TAKEN(conditions_take_interrupt, struct grep, conditions)},
	{"event", 0, "[=NAME]",
		.text = "Is an event; with NAME, of that name: `start`, `stop`, `port` or `mismatch` of a "
			"capture, `port-` and a register of the event port (`port-switch`), "
			"the number of its source, or a name of a text format.",
		.detail = "What `--at` of `earshot state` takes, without `:K`.",
		OPTION_TAKEN(conditions_take_event, struct grep, conditions)},
	{"event-value", 0, "VALUE",
		.text = "Is an event with this value; with --event, of that name.",
		OPTION_TAKEN(conditions_take_event_value, struct grep, conditions)},
	{"gap", 0, .text = "Is a gap.", OPTION_VALUE(struct grep, conditions.match.gaps)},
	{"hart", 0, "N", .text = "Is of hart N.", OPTION_VALUE(struct grep, conditions.match.hart),
		.max = UINT16_MAX},
	{"task", 0, "TASK",
		.text = "Is of this task: its number, its name, or the last part of a name that is a path.",
		.detail =
			"Events in the trace say which task runs: those of a qtrace, and those of an event "
			"port. A switch belongs to the task that runs from then on. The trace is read from "
			"its beginning.",
		OPTION_TAKEN(task_input_take_name, struct grep, task)},
	{.heading = "A RANGE is FIRST-LAST, FIRST+SIZE, one address, a symbol (all of it), SYMBOL+OFFSET "
		    "(one address), SYMBOL:SIZE, SYMBOL+OFFSET:SIZE, FILE:LINE, a member of a variable "
		    "(`box.handler`, `table[3].next`) or a section (`.bss`).\n\nOptions:"},
	{"event-port", 0, "ADDRESS",
		.text = "With --task or --count-by task: stores to the event port at ADDRESS say which "
			"task runs.",
		OPTION_TAKEN(port_input_take_address, struct grep, tasks.port.options)},
	NAMES_OPTION(struct grep, wants_names),
	{"no-inline", 0,
		.text = "A function in --pc is its symbol: its inlined copies do not count.",
		OPTION_VALUE(struct grep, conditions.no_inline)},
	{"elf", 0, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take symbols from FILE (default: the program that the capture file names, if it "
			"is found).",
		.detail = "A FILE whose SHA-256 is not that of the traced program is refused.",
		OPTION_TAKEN(symbol_file_take_elf, struct grep, conditions.symbols)},
	{"elf-anyway", 0, .text = "Use --elf even if FILE is not the program that was traced.",
		OPTION_VALUE(struct grep, conditions.symbols.anyway)},
	{"from", 0, "PLACE", MOMENT_VALUES,
		.text = "Search from PLACE on: " MOMENT_FORMS " ({MOMENTS}).",
		OPTION_TAKEN(moment_option_take, struct grep, window.from)},
	{"to", 0, "PLACE", MOMENT_VALUES, .text = "Search up to PLACE.",
		OPTION_TAKEN(moment_option_take, struct grep, window.to)},
	{"first", 0, .text = "Show only the first match, with --limit N the first N.",
		.detail = "It is found with the index of FILE.",
		OPTION_VALUE(struct grep, window.first)},
	{"last", 0, .text = "Show only the last match, with --limit N the last N.",
		.detail = "It is found with the index of FILE.",
		OPTION_VALUE(struct grep, window.last)},
	{"before", 0, "PLACE", MOMENT_VALUES,
		.text = "With --first or --last: only matches before PLACE. Without, for a number: "
			"-B.",
		.detail =
			"--before and --after were context options first, and still are one where "
			"neither --first nor --last is given; -B, -A and -C always are.",
		OPTION_TAKEN(moment_option_take, struct grep, window.before)},
	{"after", 0, "PLACE", MOMENT_VALUES,
		.text = "With --first or --last: only matches after PLACE. Without, for a number: "
			"-A.",
		OPTION_TAKEN(moment_option_take, struct grep, window.after)},
	{"before-context", 'B', "N", .text = "Show N records before each match.",
		OPTION_VALUE(struct grep, before), .max = GREP_CONTEXT_MAX},
	{"after-context", 'A', "N", .text = "Show N records after each match.",
		OPTION_VALUE(struct grep, after), .max = GREP_CONTEXT_MAX},
	{"context", 'C', "N", .text = "Show N records before and after each match.",
		.take = take_context, .max = GREP_CONTEXT_MAX},
	{"limit", 'm', "N", .text = "Stop after N matches.", OPTION_VALUE(struct grep, most),
		.min = 1, .max = UINT64_MAX},
	{"most", .means = "limit"},
	{"count", 'c', .text = "Print only the number of matches.",
		OPTION_VALUE(struct grep, count_only)},
	{"count-by", 0, "KEY", VALUES_WORDS, GREP_COUNT_WORDS,
		.text = "Print how many matches there are in each `function`, at each `pc`, or of each "
			"`hart` or `task`, the most frequent first; a pc with its function and line if --names "
			"is given.",
		.take = take_count_by},
	{"places", 'n',
		.text = "Print the place of each record in front of it: `#` and the number by which "
			"--from, --at and other commands find it, its place in FILE, the index of the source; "
			"with --names also its function and line.",
		OPTION_VALUE(struct grep, places)},
	{"json", 0, .text = "Print each record as a line of JSON, as `-f json` does.",
		OPTION_TAKEN(take_json, struct grep, format)},
	{"format", 'f', "FORMAT", VALUES_TEXT_FORMATS,
		.text = "Text format of the records shown (default `whisper`).",
		OPTION_TAKEN(take_format, struct grep, format)},
	FORMAT_OPTIONS(struct grep, input.format, input.xlen, input.pattern, input.unit),
	VERDICT_OPTION(struct grep, verdict.incomplete),
	ISA_OPTION,
	COMMENTS_OPTION(
		struct grep, comments, "the exit status is that of the matches all the same"),
	{"jobs", 'j', "N",
		.text = "Threads to use (default 1): `whisper` and `json` are searched by all of them; other "
			"formats are read by one and searched by another.",
		OPTION_VALUE(struct grep, jobs), .min = 1, .max = CLI_JOBS_MAX},
	{"no-index", 0, .text = "Read FILE from its beginning, and neither use nor make an index.",
		.detail =
			"A search for all matches uses an index that is there, and makes none. A capture "
			"with gaps, and any FILE with --jobs, is read from its beginning.",
		OPTION_VALUE(struct grep, window.no_index)},
	STATUS_OPTION(struct grep, silent),
	QUIET_OPTION(struct grep, quiet),
	{0},
};

/* Returns 0 at the end of the file or of what is wanted, or an error, which was reported. */
static int read_records(struct grep *grep)
{
	bool progress = cli_progress_wanted() && !isatty(STDOUT_FILENO);
	const struct ear_record *record;
	int result;

	ear_source_set_jobs(grep->input.source, grep->jobs);
	struct ear_missing before = grep->input.missing;
	while ((result = source_input_next(&grep->input, &record)) > 0 && !cli_interrupted &&
		!grep->text.error) {
		result = grep_note(grep, record);
		const uint64_t number = grep->number;
		int inside = grep_window_pass(grep, record);
		if (record->kind == EAR_RECORD_GAP && inside != 1)
			grep->input.missing = before;
		else if (record->kind == EAR_RECORD_GAP)
			before = grep->input.missing;
		if (inside == 0 && result == 0)
			continue;
		if (result == 0)
			result = inside < 0 ? 0 : grep_take(grep, record, number);
		if (result < 0)
			source_input_fail(&grep->input, result);
		if (result <= 0)
			break;
		if (progress && grep->input.record_count % 4096 == 0)
			grep_show_progress(grep);
	}
	return result;
}

/* What is missing of what was searched, and what that makes of the status. */
static int judge(struct grep *grep, int status)
{
	const bool found = grep->silent && grep->matches > 0;

	if (!grep->asked_library) {
		if (source_input_judge(&grep->input) != EAR_EXIT_DONE)
			status = EAR_EXIT_FAILED;
		source_input_add_verdict(&grep->input, &grep->verdict);
	}
	if (cli_interrupted)
		return status;
	const int judged = verdict_end(&grep->verdict, grep->quiet, status, false);
	return found ? status : judged;
}

/* A part of the trace, or its first or last matches. */
static int search_window(struct grep *grep)
{
	int result = grep->with_tasks ? EAR_E_UNSUPPORTED : grep_find(grep);

	if (result != EAR_E_UNSUPPORTED || grep->input.reported)
		return result;
	if (grep_window_has_words(&grep->window)) {
		cli_error("%s: places other than numbers need a plain file%s", grep->input.name,
			grep->with_tasks ? ", and no --task" : "");
		return EAR_E_BAD_ARGUMENT;
	}
	if (!grep->window.last)
		return read_records(grep);
	cli_error("%s: the last match of what is read once cannot be found: give a plain file",
		grep->input.name);
	return result;
}

static int search_all(struct grep *grep)
{
	if (grep->with_tasks)
		return read_records(grep);
	int result = grep_by_index(grep);

	/* What ends early ends at a record, not at a chunk. */
	const bool all = grep->most == UINT64_MAX && !grep->silent;
	if (result == EAR_E_UNSUPPORTED && !grep->input.reported && grep->jobs > 1 && all &&
		!grep->counts && !grep->conditions.mode_change)
		result = grep_chunks(grep);
	if (grep->input.reported)
		return result;
	return result == EAR_E_UNSUPPORTED ? read_records(grep) : result;
}

/* Returns result, or EAR_E_FULL. */
static int print_counts(struct grep *grep, int result)
{
	if (grep->counts && result >= 0 && !grep_counts_print(grep->counts, grep->tasks.follower))
		return EAR_E_FULL;
	if (grep->count_only && !grep->counts)
		printf("%" PRIu64 "\n", grep->matches);
	return result;
}

static int search(struct grep *grep)
{
	int result = grep_window_is_set(&grep->window) ? search_window(grep) : search_all(grep);

	ear_source_stop(grep->input.source);
	cli_progress_clear();
	if (!grep->silent)
		result = print_counts(grep, result);
	int number = ear_text_output_finish(&grep->text) == 0 ? 0 : grep->text.error_number;
	if (fflush(stdout) != 0)
		number = errno;
	if (number && number != EPIPE) {
		cli_error("standard output: %s", strerror(number));
		return EAR_EXIT_FAILED;
	}
	if (cli_interrupted)
		cli_error("interrupted after %" PRIu64 " records", grep->input.record_count);
	else if (result >= 0 && grep->with_tasks && !grep->quiet && grep->matches < grep->most)
		task_input_warn(&grep->tasks, grep->input.name);
	notes_number("matches", grep->matches);
	if (result < 0 || cli_interrupted)
		return EAR_EXIT_FAILED;
	return grep->matches ? EAR_EXIT_DONE : EAR_EXIT_NO;
}

/* --names: in the text, with places in front of it, or beside a count. */
static bool find_names(struct grep *grep, struct ear_writer_options *options)
{
	struct symbol_file *symbols = &grep->conditions.symbols;

	if (!grep->wants_names)
		return true;
	if (!grep->places && !grep->by_key)
		return places_begin(options, grep->format, symbols);
	grep->names = symbol_file_names(symbols);
	if (grep->by_key)
		grep->conditions.names = grep->names;
	return grep->names;
}

/* Strings of an event port may be in the program: that of --elf, else the traced one if it is still
 * the same. */
static bool begin_tasks(struct grep *grep)
{
	struct symbol_file *symbols = &grep->conditions.symbols;

	if (symbols->elf)
		grep->tasks.port.elf = symbols->elf_offset ? NULL : symbols->elf;
	else if (symbol_file_find_program(symbols))
		grep->tasks.port.elf = symbols->program;
	grep->tasks.port.elf_optional = !symbols->elf;
	return port_input_load(&grep->tasks.port) &&
	       task_input_open(
		       &grep->tasks, strcmp(ear_source_format(grep->input.source), "shot") == 0);
}

/* Tasks and counts, as far as they are asked for. Returns false after printing why not. */
static bool begin_following(struct grep *grep)
{
	if (grep->with_tasks && !begin_tasks(grep))
		return false;
	if (grep->by_key)
		grep->counts = grep_counts_new(grep->count_key, grep->conditions.names);
	if (!grep->by_key || grep->counts)
		return true;
	cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	return false;
}

static int grep_file(struct grep *grep)
{
	int status = EAR_EXIT_FAILED;

	grep->input.quiet = grep->quiet;
	conditions_prepare(
		&grep->conditions, grep->wants_names || grep_window_has_words(&grep->window));
	/* The capture may name its program, of which the symbols are taken: any file is read. */
	trace_input_confine(grep->input.path,
		grep_window_is_set(&grep->window) && !grep->window.no_index ? EAR_INDEX_AUTO
									    : EAR_INDEX_NONE);
	if (!files_write("", "-") || !source_input_open(&grep->input))
		return EAR_EXIT_FAILED;
	if (ear_writer_has_reads(grep->format))
		ear_source_with_reads(grep->input.source);
	struct ear_writer_options options = {.no_comments = grep->comments.apart};
	if (!conditions_resolve(&grep->conditions, grep->input.source, grep->input.path) ||
		!find_names(grep, &options)) {
		source_input_close(&grep->input);
		return EAR_EXIT_FAILED;
	}
	if (!begin_following(grep)) {
		task_input_close(&grep->tasks);
		source_input_close(&grep->input);
		return EAR_EXIT_FAILED;
	}
	if (record_text_init(&grep->line, grep->format, NULL) &&
		ear_text_output_init(&grep->text, STDOUT_FILENO, EAR_TEXT_PLAIN) == 0 &&
		(grep->writer = grep->format->make(&grep->text, &options))) {
		cli_catch_signals(NULL);
		status = search(grep);
		status = judge(grep, status);
	} else {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	}
	for (unsigned i = 0; i < GREP_CONTEXT_MAX; i++)
		ear_record_copy_fini(&grep->copies[i]);
	grep_counts_free(grep->counts);
	task_input_close(&grep->tasks);
	record_text_fini(&grep->line);
	ear_writer_free(grep->writer);
	symbol_file_close(&grep->conditions.symbols);
	ear_text_output_fini(&grep->text);
	source_input_close(&grep->input);
	return status;
}

/* What options ask for together with others. */
static void settle_tasks(struct grep *grep)
{
	if (grep->task)
		grep->tasks.wanted = ear_task_wanted(grep->task);
	grep->with_tasks = grep->task || (grep->by_key && grep->count_key == GREP_COUNT_TASK);
	if (grep->by_key && grep->count_key == GREP_COUNT_FUNCTION)
		grep->conditions.names_option = "--count-by";
}

/* --before and --after: limits with --first or --last, else context, as they always were. Returns
 * false after printing what is wrong. */
static bool settle_window(struct grep *grep)
{
	struct grep_window *window = &grep->window;
	bool ends = window->first || window->last;

	if (window->first && window->last) {
		cli_error("--first and --last cannot be used together");
		return false;
	}
	if (window->from.is_number && window->to.is_number &&
		window->to.number < window->from.number) {
		cli_error("--to is before --from");
		return false;
	}
	if (grep->tasks.port.options.has_address && !grep->with_tasks) {
		cli_error("--event-port says which task runs: it needs --task or --count-by task");
		return false;
	}
	if (window->last && grep->with_tasks) {
		cli_error(
			"--last searches from the end, where the task is not known: not with --task");
		return false;
	}
	if (ends && grep->by_key) {
		cli_error("--count-by counts all matches: not with --%s",
			window->first ? "first" : "last");
		return false;
	}
	if (ends) {
		if (grep->most == UINT64_MAX)
			grep->most = 1;
		return true;
	}
	if (moment_option_has_words(&window->before) || moment_option_has_words(&window->after)) {
		cli_error("--before and --after limit --first and --last; without them they are a "
			  "number of records");
		return false;
	}
	const bool before = window->before.number > GREP_CONTEXT_MAX;
	if (before || window->after.number > GREP_CONTEXT_MAX) {
		cli_error(
			"--%s: at most %d records of context; with --first or --last it is a limit",
			before ? "before" : "after", GREP_CONTEXT_MAX);
		return false;
	}
	if (window->before.text)
		grep->before = (unsigned)window->before.number;
	if (window->after.text)
		grep->after = (unsigned)window->after.number;
	window->before.text = window->after.text = NULL;
	return true;
}

static int run(int argc, char **argv)
{
	static struct grep grep = {.most = UINT64_MAX, .jobs = 1};
	int status;

	source_input_init(&grep.input, "");
	ear_match_init(&grep.conditions.match);
	ear_privileges_reset(&grep.privileges);
	grep.format = ear_writer_find("whisper");
	int first = options_parse(&cmd_grep, argc, argv, &grep, &status);
	if (first < 0)
		return status;
	grep.quiet |= grep.silent;
	settle_tasks(&grep);
	if (!isa_option_apply(&grep.input.xlen) || !settle_window(&grep) ||
		!conditions_check(&grep.conditions))
		return EAR_EXIT_FAILED;
	if (first + 1 != argc)
		return cli_usage("grep", first == argc ? "which file?" : "one file, please");
	grep.input.lines = grep.format->takes_lines;
	grep.input.symbols = &grep.conditions.symbols;
	source_input_name(&grep.input, argv[first]);
	grep.comments.name = grep.input.name;
	return grep_file(&grep);
}

static const char *const columns[] = {"matches", NULL};
static const struct batch_rules batch = {
	.columns = columns, .no = "no match", .lines = true, .silent = true};

const struct command cmd_grep = {
	.name = "grep",
	.arguments = "[CONDITION]... [OPTION]... FILE...",
	.summary = "find records: who wrote a variable, traps, instructions, events",
	.about =
		"Show the records of a trace for which all conditions hold. FILE may be in any format; "
		"- is standard input. Several FILE, a folder of traces and @LIST: see {MANY TRACES}.",
	.options = table,
	.notes =
		"Who wrote this address:  earshot grep --addr 0x80001040+4 --write t.shot\n"
		"Who wrote it last before instruction 123456:\n"
		"  earshot grep --addr 0x80001040+4 --write --last --before 123456 t.shot\n\n"
		"The first or last match is found with the index of FILE, which is made when it is "
		"first needed: by pc, address, register, trap, one mode, change of mode, event or "
		"gap it takes a moment, however long FILE is. By an opcode, a value or a hart alone, "
		"the trace is "
		"read until there is a match, at the speed of decoding. A search for all matches "
		"uses an index that is there already (make one with `earshot index`).",
	.exit_status = "0 something matches, 1 nothing does, 2 it could not be done.",
	.batch = &batch,
	.run = run,
};
