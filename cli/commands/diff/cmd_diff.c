/* 'earshot diff': reads two traces in step and reports where they differ (library/compare/compare.h
 * does the comparison, diff_report.c says what it found).
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/batch/batch.h"
#include "cli/commands/cmd.h"
#include "cli/commands/diff/diff.h"
#include "cli/commands/diff/diff_across.h"
#include "cli/commands/diff/diff_fields.h"
#include "cli/commands/diff/diff_infer.h"
#include "cli/commands/diff/diff_read.h"
#include "cli/commands/diff/diff_report.h"
#include "cli/commands/isa_option.h"
#include "cli/input/format_options.h"
#include "cli/input/source_input.h"
#include "cli/options/options.h"
#include "cli/show/record_text.h"
#include "decoder/formats/formats.h"
#include "library/compare/compare_harts.h"

/* A moment; an address, as in 0x80000000, is that pc, as it always was. value: a struct diff. */
static bool take_start(void *value, const struct command_option *option, const char *argument)
{
	struct diff *diff = value;

	diff->options.has_start = true;
	diff->options.at_start = argument[0] != '0' || (argument[1] != 'x' && argument[1] != 'X');
	if (diff->options.at_start)
		return moment_option_take(&diff->start, option, argument);
	return option_number(&diff->options.start_pc, option, argument, 0, UINT64_MAX);
}

static const struct command_option table[] = {
	{"format-a", 'a', "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of A (default: detected from its contents).",
		OPTION_VALUE(struct diff, inputs[0].format)},
	{"format-b", 'b', "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of B (default: detected from its contents).",
		OPTION_VALUE(struct diff, inputs[1].format)},
	PATTERN_OPTION("pattern-a", "A", struct diff, inputs[0].pattern),
	PATTERN_OPTION("pattern-b", "B", struct diff, inputs[1].pattern),
	UNIT_OPTION("unit-a", "A", struct diff, inputs[0].unit),
	UNIT_OPTION("unit-b", "B", struct diff, inputs[1].unit),
	{"limit", 'n', "N", .text = "Report up to N differences (default 1), 0: all.",
		OPTION_VALUE(struct diff, most), .max = UINT64_MAX},
	{"most", .means = "limit"},
	{"context", 'c', "N", .text = "Records to show before and after a difference (default 3).",
		OPTION_VALUE(struct diff, options.context), .max = 1000},
	{"only", 0, "FIELDS", .text = "Compare only these fields, separated by commas.",
		.detail =
			"They are `hart`, `pc`, `opcode`, `privilege`, `trap`, `target`, `x`, `f`, "
			"`fflags`, `csr`, `v`, `named`, `address`, `value`, `physical`, `time`, `masked` "
			"and `size`.",
		.take = diff_take_only},
	{"ignore", 0, "FIELDS",
		.text = "Compare all fields but these. Time is ignored unless --only names it.",
		OPTION_TAKEN(diff_take_ignored, struct diff, options.fields)},
	{"unknown-equal", 0, .text = "Values that are missing on one side are no difference.",
		OPTION_VALUE(struct diff, options.unknown_equal)},
	{"start", 0, "PLACE", MOMENT_VALUES,
		.text = "Begin on each side with PLACE: " MOMENT_FORMS " ({MOMENTS}), or the first "
			"instruction at an address `0x80000000`.",
		.take = take_start},
	{"first-common", 0,
		.text = "Begin at the first instructions that both sides have (boot code may differ).",
		OPTION_VALUE(struct diff, options.first_common)},
	{"window", 0, "N",
		.text = "Records to look ahead for the place where the sides meet again (default 1000); 0: "
			"compare in lockstep.",
		OPTION_VALUE(struct diff, options.window), .max = 1000000},
	{"run", 0, "N", .text = "Instructions in a row that must match there (default 4).",
		OPTION_VALUE(struct diff, options.run), .min = 1, .max = 1000},
	{"hart", 0, "N",
		.text = "Compare this hart only (default: each hart with the same hart of the other side, "
			"however they are interleaved).",
		OPTION_VALUE(struct diff, options.hart), .max = UINT16_MAX},
	{"task", 0, "TASK",
		.text = "Compare only what this task does: its number, its name, or the last part of a "
			"name that is a path.",
		.detail =
			"When it runs, on which hart, and what others do may differ. Events in the trace "
			"say which task runs: those of a qtrace, and those of an event port.",
		OPTION_TAKEN(task_input_take_name, struct diff, task)},
	{"event-port", 0, "ADDRESS",
		.text = "With --task: stores to the event port at ADDRESS say which task runs.",
		OPTION_TAKEN(port_input_take_address, struct diff, tasks[0].port.options)},
	{"interrupts", 0, "HOW", VALUES_WORDS, "compare skip",
		.text = "`skip`: interrupt handlers are not compared, from the interrupt to the xRET "
			"(default `compare`).",
		.detail =
			"So two runs with interrupts at different places can be compared. Nested handlers "
			"and exceptions inside are skipped with it; other exceptions are compared. What a "
			"handler changed is a difference where it is read.",
		OPTION_VALUE(struct diff, options.across.skip_interrupts)},
	{"tolerate", 0, "LIST", VALUES_BEGINNINGS, "clocks counters devices=",
		.text = "Values that depend on these reads may differ: clocks, counters, "
			"devices=RANGE[,RANGE], separated by commas.",
		.detail =
			"They are followed through registers and memory until one decides a branch or an "
			"address, which is a difference. `clocks` are the CSRs cycle, time and mcycle, "
			"`counters` instret, minstret and the hpmcounters; a RANGE of addresses is "
			"FIRST-LAST, FIRST+SIZE, one address, a variable, SYMBOL:SIZE or a section.",
		.take = diff_take_tolerate},
	{"names", 0, .text = "Say which function and line of the source a difference is in.",
		.detail =
			"Names are those of the program that a capture file of the two names, if it has "
			"not changed, or of --elf.",
		OPTION_VALUE(struct diff, wants_names)},
	{"elf", 0, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take the names of --names and --tolerate from FILE, the strings of an event "
			"port, and the program of a branch trace; repeat for more.",
		OPTION_TAKEN(symbol_file_take_elf, struct diff, symbols)},
	{"elf-anyway", 0, .text = "Use --elf even if FILE is not the program that was traced.",
		OPTION_VALUE(struct diff, symbols.anyway)},
	OPTION_GROUP(trace_infer_options, struct diff, infer),
	TRACE_INPUT_DEVICE(struct diff, infer),
	{"json", 0, .text = "Print one JSON object per line.", OPTION_VALUE(struct diff, json)},
	{"xlen", 0, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for texts (default: detected from their beginnings).",
		OPTION_TAKEN(option_take_xlen, struct diff, inputs[0].xlen)},
	ISA_OPTION,
	{"strict", 0, .text = "Lines that cannot be read are errors.",
		OPTION_VALUE(struct diff, inputs[0].strict)},
	{"max-bad", 0, "LINES", .text = "Bad lines to skip before they are an error (default 100).",
		OPTION_VALUE(struct diff, inputs[0].bad_limit), .max = UINT64_MAX},
	BATCH_PAIR_OPTION,
	BATCH_JUNIT_OPTION,
	{"jobs", 'j', "N",
		.text = "Threads to use (default 1): they compare the lines of uncompressed files. Once "
			"records differ, each side is read by one thread.",
		OPTION_VALUE(struct diff, jobs), .min = 1, .max = CLI_JOBS_MAX},
	STATUS_OPTION(struct diff, silent),
	QUIET_OPTION(struct diff, quiet),
	VERDICT_OPTION(struct diff, incomplete),
	{0},
};

/* What --start asked for. */
static const char *start_text(const struct diff *diff, char text[40])
{
	if (diff->options.at_start)
		return diff->start.text;
	snprintf(text, 40, "pc 0x%" PRIx64, diff->options.start_pc);
	return text;
}

/* A side never reaches --start: there is nothing useful to report. */
static bool out_of_reach(const struct diff *diff, const struct ear_compare_event *event)
{
	char text[40];

	if (!diff->options.has_start || event->kind != EAR_COMPARE_ENDED ||
		ear_compare_harts_pairs(diff->harts) > 0)
		return false;
	cli_progress_clear();
	cli_error("%s: %s (--start) is never reached", diff->inputs[event->side].name,
		start_text(diff, text));
	return true;
}

/* To call the traces the same because nothing was compared would be wrong, where something was
 * asked for that is not in them.
 */
static bool nothing_compared(const struct diff *diff)
{
	char text[40];

	if (diff->differences || diff->gaps || ear_compare_harts_pairs(diff->harts) > 0)
		return false;
	if (diff->task)
		cli_error("neither side has a record of task %s", diff->task);
	else if (diff->options.hart >= 0)
		cli_error("neither side has a record of hart %d", diff->options.hart);
	else if (diff->options.has_start)
		cli_error("%s (--start) is reached on neither side", start_text(diff, text));
	else if (diff_across_skipped_all(diff))
		cli_error("all records are those of interrupt handlers: nothing was compared");
	else if (diff->inputs[0].record_count == 0 && diff->inputs[1].record_count == 0)
		cli_error("neither side has a record");
	else
		return false;
	return true;
}

static int compare_records(struct diff *diff)
{
	struct ear_compare_event event;
	int result = 0;

	while (!cli_interrupted && (diff->most == 0 || diff->differences < diff->most)) {
		result = ear_compare_harts_next(diff->harts, &event, &diff->compare);
		if (result <= 0)
			break;
		if (event.kind == EAR_COMPARE_GAP) {
			diff->gaps += !event.again;
			diff->in_gaps[0] += event.count[0];
			diff->in_gaps[1] += event.count[1];
		} else {
			diff->differences++;
		}
		if (event.kind == EAR_COMPARE_INSERTED) {
			diff->only[0] += event.count[0];
			diff->only[1] += event.count[1];
		}
		if (out_of_reach(diff, &event))
			return EAR_EXIT_FAILED;
		if (diff->differences == 1 && event.kind != EAR_COMPARE_GAP)
			diff_note_first(diff, &event);
		diff_report(diff, &event);
	}
	cli_progress_clear();
	if (cli_interrupted)
		cli_error("interrupted after %" PRIu64 " records",
			ear_compare_harts_pairs(diff->harts));
	if (result == EAR_E_FULL)
		cli_error("the harts take turns too differently in A and B to be compared in one "
			  "pass: compare one at a time (--hart)");
	else if (result < 0 && !diff->inputs[0].reported && !diff->inputs[1].reported &&
		 !cli_interrupted)
		cli_error("%s", ear_error_text(result));
	for (unsigned side = 0; side < 2 && diff->task && result >= 0; side++)
		task_input_warn(&diff->tasks[side], diff->inputs[side].name);
	diff->ended = result == 0;
	if (result < 0 || cli_interrupted || nothing_compared(diff))
		return EAR_EXIT_FAILED;
	notes_number("records", ear_compare_harts_pairs(diff->harts));
	notes_number("differences", diff->differences);
	diff_report_summary(diff);
	diff_across_warn(diff);
	diff_infer_warn(diff);
	if (diff_only_gaps(diff))
		return EAR_EXIT_FAILED;
	return diff->differences ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

/* Lines that both texts have are not counted: where damage begins is not known. */
static int judge(struct diff *diff, unsigned side, int status)
{
	struct verdict verdict = {.no_place = true, .incomplete = diff->incomplete};

	if (source_input_judge(&diff->inputs[side]) != EAR_EXIT_DONE)
		status = EAR_EXIT_FAILED;
	if (cli_interrupted)
		return status;
	source_input_add_verdict(&diff->inputs[side], &verdict);
	return verdict_end(&verdict, diff->quiet, status, true);
}

/* Before the command gives up its rights. */
static bool load_tasks(struct diff *diff)
{
	for (unsigned side = 0; side < 2 && diff->task; side++) {
		struct port_input *port = &diff->tasks[side].port;
		diff->tasks[side].wanted = ear_task_wanted(diff->task);
		port->elf = diff->symbols.elf;
		if (!port_input_load(port))
			return false;
	}
	return true;
}

static bool open_tasks(struct diff *diff)
{
	for (unsigned side = 0; side < 2 && diff->task; side++)
		if (!task_input_open(&diff->tasks[side],
			    strcmp(ear_source_format(diff->inputs[side].source), "shot") == 0))
			return false;
	return true;
}

static void close_inputs(struct diff *diff)
{
	for (unsigned side = 0; side < 2; side++)
		task_input_close(&diff->tasks[side]);
	source_input_close(&diff->inputs[0]);
	source_input_close(&diff->inputs[1]);
	diff_infer_end(diff); /* their layers have ended */
}

static bool needs_program(const struct diff *diff)
{
	return diff->wants_names || diff->device_count > 0 || diff->symbols.elf ||
	       diff->infer.inferring || moment_option_has_words(&diff->start);
}

/* Of the first side that names its program. */
static bool find_names(struct diff *diff)
{
	struct symbol_file *symbols = &diff->symbols;

	for (unsigned side = 0; side < 2 && needs_program(diff) && !symbols->sha256[0]; side++)
		symbol_file_of_source(symbols, diff->inputs[side].source, diff->inputs[side].path);
	if (diff->wants_names)
		diff->names = symbol_file_names(symbols);
	return !diff->wants_names || diff->names;
}

/* The number of the instruction of --start on a side, by another reading of it. */
static bool find_start(struct diff *diff, unsigned side, struct ear_names *names)
{
	const struct source_input *input = &diff->inputs[side];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_moment_place place;
	struct ear_trace *trace;

	options.format = input->format;
	options.xlen = input->xlen;
	options.isa = input->isa;
	options.pattern = input->pattern;
	options.unit = input->unit;
	options.index = EAR_INDEX_EXISTING;
	options.error = error;
	int result = symbol_file_open_trace(&diff->symbols, &trace, input->path, &options);
	if (result < 0)
		trace_input_error(input->path, error);
	if (result)
		return false;
	const bool found =
		moment_option_find_in(trace, names, input->path, diff->start.text, &place) == 1 &&
		moment_option_number(trace, input->path, place.before, &diff->starts[side].passed);
	ear_trace_close(trace);
	return found;
}

static bool find_starts(struct diff *diff)
{
	struct symbol_file *symbols = &diff->symbols;
	struct ear_names *names = NULL;

	if (!diff->start.text)
		return true;
	for (unsigned side = 0; side < 2; side++)
		diff->starts[side] = (struct diff_start){true, diff->start.number};
	if (diff->start.is_number)
		return true;
	names = symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
	return (names || !symbols->elf) && find_start(diff, 0, names) && find_start(diff, 1, names);
}

static int compare_files(struct diff *diff)
{
	int status = EAR_EXIT_FAILED;

	for (unsigned side = 0; side < 2; side++)
		diff->inputs[side].quiet = diff->quiet;
	diff->symbols.image_suffices = diff->infer.inferring && !diff->wants_names;
	if (needs_program(diff))
		symbol_file_prepare(&diff->symbols);
	if (!load_tasks(diff))
		return EAR_EXIT_FAILED;
	/* Names may be those of the program that a capture names: any file is read. */
	confine_trace(diff->inputs[0].path);
	confine_trace(diff->inputs[1].path);
	confine_files((const char *const[]){needs_program(diff) ? "/" : diff->inputs[0].path,
			      diff->inputs[1].path, NULL},
		(const char *const[]){NULL});
	if (!files_write("", "-") || !source_input_open(&diff->inputs[0]) ||
		!source_input_open(&diff->inputs[1]) || !find_names(diff) || !find_starts(diff) ||
		!open_tasks(diff) || !diff_infer_begin(diff)) {
		close_inputs(diff);
		return EAR_EXIT_FAILED;
	}
	for (unsigned side = 0; side < 2; side++)
		diff->options.counted[side] =
			diff->task ||
			strcmp(ear_source_format(diff->inputs[side].source), "whisper") == 0;
	diff_leave_out_fields(diff);
	if (!diff_across_begin(diff)) {
		close_inputs(diff);
		return EAR_EXIT_FAILED;
	}
	diff_read_begin(diff);
	/* Lines that are equal on both sides may lie in a handler of one of them, and what they
	 * write is tolerated no more: each has to be read. */
	bool across = diff->task || ear_across_wanted(&diff->options.across) ||
		      diff->infer.inferring || diff->start.text;
	if (diff->jobs > 1 && !across) /* where that cannot be, it is done without */
		ear_source_compare_ahead(
			diff->inputs[0].source, diff->inputs[1].source, diff->jobs);
	const struct ear_compare_harts_options options = {
		.compare = diff->options,
		.skip_equal = diff->inputs[0].strict || across ? NULL : diff_read_skip,
	};
	if (record_text_init(&diff->text, ear_writer_find("whisper"), NULL) &&
		ear_compare_harts_new(&diff->harts, &options) == 0) {
		cli_catch_signals(NULL);
		status = compare_records(diff);
		ear_source_stop(diff->inputs[0].source);
		ear_source_stop(diff->inputs[1].source);
		for (unsigned side = 0; side < 2; side++)
			status = judge(diff, side, status);
		if (fflush(stdout) != 0 && errno != EPIPE) {
			cli_error("standard output: %s", strerror(errno));
			status = EAR_EXIT_FAILED;
		}
	} else {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	}
	ear_compare_harts_free(diff->harts);
	diff_across_end(diff);
	record_text_fini(&diff->text);
	for (unsigned side = 0; side < 2; side++)
		diff_numbers_fini(&diff->numbers[side]);
	close_inputs(diff);
	return status;
}

static int run(int argc, char **argv)
{
	static struct diff diff;
	int status;

	source_input_init(&diff.inputs[0], "");
	source_input_init(&diff.inputs[1], "");
	diff.inputs[0].symbols = diff.inputs[1].symbols = &diff.symbols;
	diff.inputs[0].format_option = "-a";
	diff.inputs[1].format_option = "-b";
	diff.most = 1;
	diff.jobs = 1;
	diff.options = (struct ear_compare_options){
		.fields = EAR_COMPARE_ALL & ~(unsigned)EAR_COMPARE_TIME,
		.window = 1000,
		.run = 4,
		.context = 3,
		.hart = -1,
	};
	int first = options_parse(&cmd_diff, argc, argv, &diff, &status);
	if (first < 0)
		return status;
	diff.quiet |= diff.silent;
	if (!isa_option_apply(&diff.inputs[0].xlen))
		return EAR_EXIT_FAILED;
	if (diff.tasks[0].port.options.has_address && !diff.task)
		return cli_usage("diff", "--event-port says which task runs: it needs --task");
	diff.tasks[1].port.options = diff.tasks[0].port.options;
	diff.inputs[1].xlen = diff.inputs[0].xlen;
	diff.inputs[1].strict = diff.inputs[0].strict;
	diff.inputs[1].bad_limit = diff.inputs[0].bad_limit;
	if (first + 2 != argc)
		return cli_usage("diff", "two files, please");
	if (moment_option_has_words(&diff.start) &&
		(strcmp(argv[first], "-") == 0 || strcmp(argv[first + 1], "-") == 0))
		return cli_usage("diff", "--start: standard input cannot be read twice; an address "
					 "(0x80000000) or a number needs no search");
	if (strcmp(argv[first], "-") == 0 && strcmp(argv[first + 1], "-") == 0)
		return cli_usage("diff", "standard input can be one of the files, not both");
	for (int i = 0; i < 2; i++)
		source_input_name(&diff.inputs[i], argv[first + i]);
	return compare_files(&diff);
}

static const char *const columns[] = {"records", "differences", NULL};
static const struct batch_rules batch = {
	.columns = columns, .no = "differs", .silent = true, .pairs = true, .junit = true};

const struct command cmd_diff = {
	.name = "diff",
	.arguments = "[OPTION]... A B",
	.summary = "show where two traces differ",
	.about =
		"Show where two traces differ: the first difference in a sentence, with the records "
		"around it. A and B may be in different formats; - is standard input. Two folders or "
		"@LIST: see {MANY TRACES}.",
	.options = table,
	.notes =
		"What the format of one side cannot carry is not compared, unless --only names it.\n"
		"What it shows in another form is no difference; the summary names these rules.\n"
		"With --infer the side without registers (a branch trace, a log of instructions) has "
		"those that follow, and the addresses and values of its accesses. They are compared "
		"with what the other side shows; a value that one side lacks is no difference. A "
		"difference says which value was inferred.\n"
		"FIELDS: hart pc opcode privilege trap target x f fflags csr v named address value "
		"physical time masked size\n"
		"\n"
		"At a gap both sides advance to the same index; what one side has there is counted, "
		"not compared.",
	.exit_status =
		"0 the same, 1 they differ, 2 they could not be compared, or gaps left nothing to "
		"compare.",
	.batch = &batch,
	.run = run,
};
