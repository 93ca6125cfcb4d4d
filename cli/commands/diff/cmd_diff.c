/* 'earshot diff': reads two traces in step and reports where they differ (library/compare/compare.h
 * does the comparison, diff_report.c says what it found). Equal lines are skipped without being
 * decoded as long as the formats allow it; threads are used only once records have to be read.
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/diff/diff.h"
#include "cli/commands/diff/diff_across.h"
#include "cli/commands/diff/diff_report.h"
#include "cli/commands/isa_option.h"
#include "cli/input/source_input.h"
#include "cli/options/options.h"
#include "cli/show/record_text.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "library/compare/compare.h"
#include "library/compare/compare_harts.h"

#define LOOK_EVERY 16384 /* records that are read */

enum {
	OPTION_FORMAT_A,
	OPTION_FORMAT_B,
	OPTION_MOST,
	OPTION_CONTEXT,
	OPTION_ONLY,
	OPTION_IGNORE,
	OPTION_UNKNOWN_EQUAL,
	OPTION_START,
	OPTION_FIRST_COMMON,
	OPTION_WINDOW,
	OPTION_RUN,
	OPTION_HART,
	OPTION_TASK,
	OPTION_EVENT_PORT,
	OPTION_INTERRUPTS,
	OPTION_TOLERATE,
	OPTION_NAMES,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_JSON,
	OPTION_XLEN,
	OPTION_ISA,
	OPTION_STRICT,
	OPTION_MAX_BAD,
	OPTION_JOBS,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	{"format-a", 'a', OPTION_FORMAT_A, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of A (default: detected from its contents)."},
	{"format-b", 'b', OPTION_FORMAT_B, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of B (default: detected from its contents)."},
	{"most", 'n', OPTION_MOST, "N", .text = "Report up to N differences (default 1), 0: all."},
	{"context", 'c', OPTION_CONTEXT, "N",
		.text = "Records to show before and after a difference (default 3)."},
	{"only", 0, OPTION_ONLY, "FIELDS",
		.text = "Compare only these fields, separated by commas.",
		.detail =
			"They are `hart`, `pc`, `opcode`, `privilege`, `trap`, `target`, `x`, `f`, "
			"`fflags`, `csr`, `v`, `named`, `address`, `value`, `physical`, `time`, `masked` "
			"and `size`."},
	{"ignore", 0, OPTION_IGNORE, "FIELDS",
		.text = "Compare all fields but these. Time is ignored unless --only names it."},
	{"unknown-equal", 0, OPTION_UNKNOWN_EQUAL,
		.text = "Values that are missing on one side are no difference."},
	{"start", 0, OPTION_START, "PC", .text = "Begin at this pc on both sides.",
		.detail = "If one side never reaches it, nothing can be compared."},
	{"first-common", 0, OPTION_FIRST_COMMON,
		.text = "Begin at the first instructions that both sides have (boot code may differ)."},
	{"window", 0, OPTION_WINDOW, "N",
		.text = "Records to look ahead for the place where the sides meet again (default 1000); 0: "
			"compare in lockstep."},
	{"run", 0, OPTION_RUN, "N",
		.text = "Instructions in a row that must match there (default 4)."},
	{"hart", 0, OPTION_HART, "N",
		.text = "Compare this hart only (default: each hart with the same hart of the other side, "
			"however they are interleaved)."},
	{"task", 0, OPTION_TASK, "TASK",
		.text = "Compare only what this task does: its number, its name, or the last part of a "
			"name that is a path.",
		.detail =
			"When it runs, on which hart, and what others do may differ. Events in the trace "
			"say which task runs: those of a qtrace, and those of an event port."},
	{"event-port", 0, OPTION_EVENT_PORT, "ADDRESS",
		.text = "With --task: stores to the event port at ADDRESS say which task runs."},
	{"interrupts", 0, OPTION_INTERRUPTS, "HOW", VALUES_WORDS, "compare skip",
		.text = "`skip`: interrupt handlers are not compared, from the interrupt to the xRET "
			"(default `compare`).",
		.detail =
			"So two runs with interrupts at different places can be compared. Nested handlers "
			"and exceptions inside are skipped with it; other exceptions are compared. What a "
			"handler changed is a difference where it is read."},
	{"tolerate", 0, OPTION_TOLERATE, "LIST", VALUES_BEGINNINGS, "clocks counters devices=",
		.text = "Values that depend on these reads may differ: clocks, counters, "
			"devices=RANGE[,RANGE], separated by commas.",
		.detail =
			"They are followed through registers and memory until one decides a branch or an "
			"address, which is a difference. `clocks` are the CSRs cycle, time and mcycle, "
			"`counters` instret, minstret and the hpmcounters; a RANGE of addresses is "
			"FIRST-LAST, FIRST+SIZE, one address, a variable, SYMBOL:SIZE or a section."},
	{"names", 0, OPTION_NAMES,
		.text = "Say which function and line of the source a difference is in.",
		.detail =
			"Names are those of the program that a capture file of the two names, if it has "
			"not changed, or of --elf."},
	{"elf", 0, OPTION_ELF, "FILE", VALUES_FILES,
		.text = "Take the names of --names and --tolerate from FILE, and the strings of an event "
			"port."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	{"json", 0, OPTION_JSON, .text = "Print one JSON object per line."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for texts (default: detected from their beginnings)."},
	ISA_OPTION(OPTION_ISA),
	{"strict", 0, OPTION_STRICT, .text = "Lines that cannot be read are errors."},
	{"max-bad", 0, OPTION_MAX_BAD, "LINES",
		.text = "Bad lines to skip before they are an error (default 100)."},
	{"jobs", 'j', OPTION_JOBS, "N",
		.text = "Threads to use (default 1): they compare the lines of uncompressed files. Once "
			"records differ, each side is read by one thread."},
	{"quiet", 'q', OPTION_QUIET, .text = "Print nothing; only the exit status."},
	{0},
};

/* Once records must be read, not only lines be compared, a side gets a thread of its own, or both
 * do: no more threads than jobs. */
static void consider_threads(struct diff *diff)
{
	uint64_t read = diff->inputs[0].record_count;

	diff->next_look = read + LOOK_EVERY;
	if (read - diff->read_before <
		ear_compare_harts_skipped(diff->harts) - diff->skipped_before) {
		diff->read_before = read;
		diff->skipped_before = ear_compare_harts_skipped(diff->harts);
		return;
	}
	for (unsigned i = 0; i < 2 && i + 1 < diff->jobs; i++)
		ear_source_set_jobs(diff->inputs[i].source, 2);
	diff->next_look = UINT64_MAX;
}

static void show_progress(struct diff *diff)
{
	if (!cli_progress_due(&diff->last_progress))
		return;
	cli_progress("comparing: %" PRIu64 " pairs, %" PRIu64 " differences",
		ear_compare_harts_pairs(diff->harts), diff->differences);
}

/* Now and then, however long the sides are the same: may it continue? */
static int look_up(struct diff *diff)
{
	if (cli_progress_wanted())
		show_progress(diff);
	if (!cli_interrupted)
		return 0;
	errno = EINTR;
	return EAR_E_IO;
}

/* The record as one of a run in which the task is alone: on one hart, and counted by itself. Of
 * what is missing in a gap nobody knows how much was of the task. Returns 0 if it is of another
 * one.
 */
static int pass_task(struct diff *diff, unsigned side, const struct ear_record **record)
{
	struct ear_record *own = &diff->task_records[side];
	bool gap = (*record)->kind == EAR_RECORD_GAP;
	int result = task_input_push(&diff->tasks[side], *record);

	diff->inputs[side].reported |= result < 0;
	if (result < 0 || (!gap && result == 0) ||
		(diff->options.hart >= 0 && (*record)->hart != diff->options.hart))
		return result < 0 ? result : 0;
	*own = **record;
	own->hart = diff->options.hart >= 0 ? (uint16_t)diff->options.hart : 0;
	own->index = diff->task_counts[side];
	diff->task_counts[side] += own->kind == EAR_RECORD_INSTRUCTION;
	if (gap)
		own->u.gap.count_known = false;
	*record = own;
	return 1;
}

/* The next one that is compared. */
static int read_record(struct diff *diff, unsigned side, const struct ear_record **record)
{
	int passed = 0;

	while (passed == 0) {
		int result = source_input_next(&diff->inputs[side], record);
		if (result <= 0 || !diff->task)
			return result;
		passed = pass_task(diff, side, record);
		if (diff->inputs[side].record_count % 4096 == 0 && look_up(diff) != 0)
			return EAR_E_IO;
	}
	return passed;
}

static int next_record(void *context, unsigned side, const struct ear_record **record)
{
	struct diff *diff = context;

	if (diff->inputs[side].record_count % 4096 == 0 && look_up(diff) != 0)
		return EAR_E_IO;
	if (diff->inputs[0].record_count >= diff->next_look && side == 0)
		consider_threads(diff);
	int result = read_record(diff, side, record);
	if (diff->watched && result > 0) {
		unsigned found = ear_compare_fields_in(*record) & diff->watched;
		diff->left_out |= found;
		diff->watched &= ~found;
	}
	return result;
}

static size_t skip_equal(void *context, struct ear_equal_lines *harts, size_t keep)
{
	struct diff *diff = context;

	look_up(diff); /* the record that is asked for next shows an interrupt */
	return ear_source_skip_equal(diff->inputs[0].source, diff->inputs[1].source, harts, keep);
}

/* A side never reaches the pc of --start: there is nothing useful to report. */
static bool out_of_reach(const struct diff *diff, const struct ear_compare_event *event)
{
	if (!diff->options.has_start || event->kind != EAR_COMPARE_ENDED ||
		ear_compare_harts_pairs(diff->harts) > 0)
		return false;
	cli_progress_clear();
	cli_error("%s: pc 0x%" PRIx64 " (--start) is never reached", diff->inputs[event->side].name,
		diff->options.start_pc);
	return true;
}

/* To call the traces the same because nothing was compared would be wrong, where something was
 * asked for that is not in them.
 */
static bool nothing_compared(const struct diff *diff)
{
	if (diff->differences || diff->gaps || ear_compare_harts_pairs(diff->harts) > 0)
		return false;
	if (diff->task)
		cli_error("neither side has a record of task %s", diff->task);
	else if (diff->options.hart >= 0)
		cli_error("neither side has a record of hart %d", diff->options.hart);
	else if (diff->options.has_start)
		cli_error("pc 0x%" PRIx64 " (--start) is reached on neither side",
			diff->options.start_pc);
	else if (diff_across_skipped_all(diff))
		cli_error("all records are those of interrupt handlers: nothing was compared");
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
	if (result < 0 || cli_interrupted || nothing_compared(diff))
		return EAR_EXIT_FAILED;
	diff_report_summary(diff);
	diff_across_warn(diff);
	if (diff_only_gaps(diff))
		return EAR_EXIT_FAILED;
	return diff->differences ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

/* Fields that records show when they have something of them. */
#define SHOWN \
	(EAR_COMPARE_X | EAR_COMPARE_F | EAR_COMPARE_FFLAGS | EAR_COMPARE_CSR | EAR_COMPARE_V | \
		EAR_COMPARE_PHYSICAL | EAR_COMPARE_MASKED)

/* The side as the rules of equivalence see it. */
static struct ear_equivalence_side describe_side(struct source_input *input)
{
	const char *name = ear_source_format(input->source);
	const struct ear_writer_format *format = ear_writer_find(name);
	uint64_t carried = format ? format->fields : ear_carried_by(name);
	const struct ear_decoder_statistics *statistics = ear_source_statistics(input->source);
	if (carried == 0)
		carried = ear_source_carried(input->source);
	bool unit = statistics && statistics->unit_known;

	return (struct ear_equivalence_side){
		.format = statistics ? "capture" : name,
		.carried = carried,
		.csr_slots = unit ? statistics->unit.csr_slots : 0,
	};
}

/* Fields that are compared although a side does not carry them: its format brings a rule by which
 * they show in another one. */
static unsigned shown_otherwise(const struct ear_equivalence *equivalence)
{
	uint32_t flags = EAR_RULE_BIT(EAR_RULE_FLAGS_AS_CSR) | EAR_RULE_BIT(EAR_RULE_FLAGS_CHANGED);

	return equivalence->rules & flags ? EAR_COMPARE_FFLAGS : 0;
}

/* A field that one side's format or unit cannot carry is not compared, and that is reported: masks,
 * and fields of a unit, only if the other side has something of it, for few cores have all that a
 * format can hold. Named in --only, it is compared all the same.
 */
static void leave_out_fields(struct diff *diff)
{
	struct ear_equivalence_side sides[2] = {
		describe_side(&diff->inputs[0]), describe_side(&diff->inputs[1])};

	ear_equivalence_init(&diff->equivalence, sides);
	diff->options.equivalence =
		diff->equivalence.rules && !diff->only_given ? &diff->equivalence : NULL;
	for (int i = 0; i < 2 && !diff->only_given; i++) {
		bool text = strcmp(sides[i].format, "capture") != 0;
		unsigned can = ear_compare_fields_of(sides[i].carried);
		unsigned lost = diff->options.fields & ~can & ~shown_otherwise(&diff->equivalence);
		unsigned watched = lost & (text ? EAR_COMPARE_MASKED | EAR_COMPARE_SIZE : SHOWN);
		diff->watched |= watched;
		diff->left_out |= lost & ~watched;
		diff->options.fields &= ~lost;
	}
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
}

static bool needs_program(const struct diff *diff)
{
	return diff->wants_names || diff->device_count > 0;
}

/* Of the first side that names its program. */
static bool find_names(struct diff *diff)
{
	struct symbol_file *symbols = &diff->symbols;

	for (unsigned side = 0; side < 2 && needs_program(diff) && !symbols->program; side++) {
		struct ear_source *source = diff->inputs[side].source;

		if (ear_source_fact(source, "program_sha256", symbols->sha256,
			    sizeof(symbols->sha256)) != SYMBOL_FILE_SHA256 - 1)
			symbols->sha256[0] = '\0';
		else if (ear_source_fact(source, "program", diff->program, sizeof(diff->program)) >
			 0)
			symbols->program = diff->program;
	}
	if (diff->wants_names)
		diff->names = symbol_file_names(symbols);
	return !diff->wants_names || diff->names;
}

static int compare_files(struct diff *diff)
{
	int status = EAR_EXIT_FAILED;

	if (needs_program(diff))
		symbol_file_prepare(&diff->symbols);
	if (!load_tasks(diff))
		return EAR_EXIT_FAILED;
	/* Names may be those of the program that a capture names: any file is read. */
	confine_files((const char *const[]){needs_program(diff) ? "/" : diff->inputs[0].path,
			      diff->inputs[1].path, NULL},
		(const char *const[]){NULL});
	if (!files_write("", "-") || !source_input_open(&diff->inputs[0]) ||
		!source_input_open(&diff->inputs[1]) || !find_names(diff) || !open_tasks(diff)) {
		close_inputs(diff);
		return EAR_EXIT_FAILED;
	}
	for (unsigned side = 0; side < 2; side++)
		diff->options.counted[side] =
			diff->task ||
			strcmp(ear_source_format(diff->inputs[side].source), "whisper") == 0;
	leave_out_fields(diff);
	if (!diff_across_begin(diff)) {
		close_inputs(diff);
		return EAR_EXIT_FAILED;
	}
	diff->next_look = diff->jobs > 1 ? LOOK_EVERY : UINT64_MAX;
	/* Lines that are equal on both sides may lie in a handler of one of them, and what they
	 * write is tolerated no more: each has to be read. */
	bool across = diff->task || ear_across_wanted(&diff->options.across);
	if (diff->jobs > 1 && !across) /* where that cannot be, it is done without */
		ear_source_compare_ahead(
			diff->inputs[0].source, diff->inputs[1].source, diff->jobs);
	diff->options.next = next_record;
	diff->options.next_context = diff;

	const struct ear_compare_harts_options options = {
		.compare = diff->options,
		.skip_equal = diff->inputs[0].strict || across ? NULL : skip_equal,
	};
	if (record_text_init(&diff->text, ear_writer_find("whisper")) &&
		ear_compare_harts_new(&diff->harts, &options) == 0) {
		cli_catch_signals(NULL);
		status = compare_records(diff);
		ear_source_stop(diff->inputs[0].source);
		ear_source_stop(diff->inputs[1].source);
		for (unsigned side = 0; side < 2; side++)
			if (source_input_judge(&diff->inputs[side]) != EAR_EXIT_DONE)
				status = EAR_EXIT_FAILED;
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
	close_inputs(diff);
	return status;
}

/* A set of fields by their names. Returns false if one is unknown, after printing. */
static bool parse_fields(unsigned *fields, const struct command_option *option, const char *text)
{
	*fields = 0;
	while (*text) {
		size_t size = strcspn(text, ",");
		unsigned field = ear_compare_field_find(text, size);
		if (!field) {
			cli_error("--%s: there is no field '%.*s'", option->name, (int)size, text);
			return false;
		}
		*fields |= field;
		text += size;
		text += *text == ',';
	}
	if (*fields == 0)
		cli_error("--%s: which fields?", option->name);
	return *fields != 0;
}

static bool take_both(struct diff *diff, const struct command_option *option, const char *argument)
{
	uint64_t bad_limit;
	int index;

	switch (option->id) {
	case OPTION_ISA: return isa_option_take(option, argument);
	case OPTION_XLEN:
		if (!option_word(&index, option, argument))
			return false;
		diff->inputs[0].xlen = diff->inputs[1].xlen = index ? 64 : 32;
		return true;
	case OPTION_STRICT: diff->inputs[0].strict = diff->inputs[1].strict = true; return true;
	case OPTION_MAX_BAD:
		if (!option_number(&bad_limit, option, argument, 0, UINT64_MAX))
			return false;
		diff->inputs[0].bad_limit = diff->inputs[1].bad_limit = bad_limit;
		return true;
	}
	return false;
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	struct diff *diff = context;
	struct ear_compare_options *compare = &diff->options;
	unsigned value = 0;
	int index = 0;
	bool good;

	switch (option->id) {
	case OPTION_FORMAT_A: diff->inputs[0].format = argument; return true;
	case OPTION_FORMAT_B: diff->inputs[1].format = argument; return true;
	case OPTION_MOST: return option_number(&diff->most, option, argument, 0, UINT64_MAX);
	case OPTION_CONTEXT: return option_unsigned(&compare->context, option, argument, 0, 1000);
	case OPTION_ONLY:
		diff->only_given = true;
		return parse_fields(&compare->fields, option, argument);
	case OPTION_IGNORE:
		good = parse_fields(&value, option, argument);
		compare->fields &= ~value;
		return good;
	case OPTION_UNKNOWN_EQUAL: compare->unknown_equal = true; return true;
	case OPTION_START:
		compare->has_start = true;
		return option_number(&compare->start_pc, option, argument, 0, UINT64_MAX);
	case OPTION_FIRST_COMMON: compare->first_common = true; return true;
	case OPTION_WINDOW:
		good = option_unsigned(&value, option, argument, 0, 1000000);
		compare->window = value;
		return good;
	case OPTION_RUN: return option_unsigned(&compare->run, option, argument, 1, 1000);
	case OPTION_HART:
		good = option_unsigned(&value, option, argument, 0, UINT16_MAX);
		compare->hart = (int)value;
		return good;
	case OPTION_TASK:
		diff->task = argument;
		return *argument || option_fail(option, argument, "the number or name of a task");
	case OPTION_EVENT_PORT: {
		struct ear_port_options *port = &diff->tasks[0].port.options;
		port->has_address = true;
		good = option_number(&port->address, option, argument, 0, UINT64_MAX);
		diff->tasks[1].port.options = *port;
		return good;
	}
	case OPTION_INTERRUPTS:
		good = option_word(&index, option, argument);
		compare->across.skip_interrupts = good && index == 1;
		return good;
	case OPTION_TOLERATE: return diff_take_tolerate(diff, option, argument);
	case OPTION_NAMES: diff->wants_names = true; return true;
	case OPTION_ELF: return symbol_file_take(&diff->symbols, option->name, argument);
	case OPTION_ELF_ANYWAY: diff->symbols.anyway = true; return true;
	case OPTION_JSON: diff->json = true; return true;
	case OPTION_JOBS: return option_unsigned(&diff->jobs, option, argument, 1, CLI_JOBS_MAX);
	case OPTION_QUIET:
		diff->quiet = true;
		cli_progress_disable();
		return true;
	default: return take_both(diff, option, argument);
	}
}

static int run(int argc, char **argv)
{
	static struct diff diff;
	int status;

	source_input_init(&diff.inputs[0], "");
	source_input_init(&diff.inputs[1], "");
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
	int first = options_parse(&cmd_diff, argc, argv, take_option, &diff, &status);
	if (first < 0)
		return status;
	if (!isa_option_apply(&diff.inputs[0].xlen))
		return EAR_EXIT_FAILED;
	if (diff.tasks[0].port.options.has_address && !diff.task)
		return cli_usage("diff", "--event-port says which task runs: it needs --task");
	diff.inputs[1].xlen = diff.inputs[0].xlen;
	if (first + 2 != argc)
		return cli_usage("diff", "two files, please");
	if (strcmp(argv[first], "-") == 0 && strcmp(argv[first + 1], "-") == 0)
		return cli_usage("diff", "standard input can be one of the files, not both");
	for (int i = 0; i < 2; i++) {
		diff.inputs[i].path = argv[first + i];
		diff.inputs[i].name =
			strcmp(argv[first + i], "-") == 0 ? "standard input" : argv[first + i];
	}
	return compare_files(&diff);
}

const struct command cmd_diff = {
	.name = "diff",
	.arguments = "[OPTION]... A B",
	.summary = "show where two traces differ",
	.about =
		"Show where two traces differ: the first difference in a sentence, with the records "
		"around it. A and B may be in different formats; - is standard input.",
	.options = table,
	.notes =
		"What the format of one side cannot carry is not compared, unless --only names it.\n"
		"What it shows in another form is no difference; the summary names these rules.\n"
		"FIELDS: hart pc opcode privilege trap target x f fflags csr v named address value "
		"physical time masked size\n"
		"\n"
		"At a gap both sides advance to the same index; what one side has there is counted, "
		"not compared.",
	.exit_status =
		"0 the same, 1 they differ, 2 they could not be compared, or gaps left nothing to "
		"compare.",
	.run = run,
};
