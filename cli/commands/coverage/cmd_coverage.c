/* 'earshot coverage': what of a program ran. analyses/coverage/coverage.h counts by address,
 * coverage_lines.h makes lines of it; here is what is read, and where it goes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <earshot/error.h>

#include "analyses/coverage/coverage.h"
#include "analyses/coverage/isa_coverage.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/coverage/coverage_isa.h"
#include "cli/commands/coverage/coverage_lines.h"
#include "cli/commands/coverage/coverage_show.h"
#include "cli/input/analysis_input.h"
#include "cli/input/source_paths.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"

enum {
	OPTION_OUTPUT,
	OPTION_UNCOVERED,
	OPTION_FAIL_UNDER,
	OPTION_SOURCE,
	OPTION_IGNORE,
	OPTION_ISA,
	OPTION_MARCH,
	OPTION_FORMAT,
	OPTION_MISSING,
	OPTION_FROM,
	OPTION_TO,
	OPTION_JOBS,
	OPTION_PART,
	OPTION_TASK,
	OPTION_EVENT_PORT,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	{"output", 'o', OPTION_OUTPUT, "FILE", VALUES_FILES,
		.text = "Write a tracefile of lcov to FILE, too; `-` is standard output, without the table."},
	{"uncovered", 0, OPTION_UNCOVERED,
		.text = "Print functions and lines that never ran, after the table."},
	{"fail-under", 0, OPTION_FAIL_UNDER, "N",
		.text = "End with exit status 1 if less than N per cent of the lines ran."},
	{"source", 0, OPTION_SOURCE, "OLD=NEW",
		.text = "Paths of sources that begin with OLD begin with NEW; repeat for more."},
	{"ignore", 0, OPTION_IGNORE, "GLOB",
		.text = "Leave out sources whose path matches GLOB, as `*/lib/*`; repeat for more."},
	{"isa", 0, OPTION_ISA,
		.text = "Instead of lines: which instructions of the ISA ran, with which registers, "
			"values, directions and hazards; which traps, CSRs and privileges."},
	{"march", 0, OPTION_MARCH, "NAME",
		.text = "The ISA of --isa, as `rv32imc_zicsr` (default: all extensions of which an "
			"instruction ran)."},
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WORDS, "table json html",
		.text = "Of --isa: `table` by instruction (default); `json` or `html`: all bins."},
	{"missing", 0, OPTION_MISSING, .text = "Of --isa: print the bins that are empty."},
	TRACE_PARTS_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
	TRACE_PARTS_PART_OPTION(OPTION_PART),
	{"task", 0, OPTION_TASK, "TASK",
		.text = "Count only what TASK ran: its number, its name, or the last part of a name that "
			"is a path."},
	{"event-port", 0, OPTION_EVENT_PORT, "ADDRESS",
		.text = "With --task: stores to an event port at ADDRESS say which task runs, where the "
			"unit had none."},
	{"elf", 0, OPTION_ELF, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take lines from FILE (default: the program that the capture file names, if it "
			"has not changed); repeat for more."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of the traces (default: detected from their contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for texts (default: detected from their beginning)."},
	{"quiet", 'q', OPTION_QUIET, .text = "No progress line, and no warnings."},
	{0},
};

struct request {
	struct analysis_input source;
	bool is_isa;                         /* --isa: that analysis, or else of lines */
	struct ear_isa_coverage_options isa; /* of it, */
	struct ear_instructions *decoder;    /* with this */
	bool refused;                        /* a trace is of another program: no sum makes sense */
	struct source_paths paths;
	const char *path; /* of the output; NULL: there is none */
	FILE *output;
	bool uncovered, quiet;
	uint64_t fail_under; /* per cent; 0: never */
	bool missing;
	int format; /* of --isa: the place in the table of options */
};

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct analysis_input *source = &request->source;
	struct trace_input *input = &source->input;
	int word;

	switch (option->id) {
	case OPTION_OUTPUT: request->path = argument; return true;
	case OPTION_UNCOVERED: request->uncovered = true; return true;
	case OPTION_FAIL_UNDER:
		return option_number(&request->fail_under, option, argument, 0, 100);
	case OPTION_SOURCE: return source_paths_take(&request->paths, option, argument);
	case OPTION_IGNORE: return source_paths_take_ignored(&request->paths, option, argument);
	case OPTION_ISA: request->is_isa = true; return true;
	case OPTION_MARCH: request->isa.march = argument; return true;
	case OPTION_FORMAT: return option_word(&request->format, option, argument);
	case OPTION_MISSING: request->missing = true; return true;
	case OPTION_FROM:
		return trace_parts_take(&source->parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_TO: return trace_parts_take(&source->parts, TRACE_PARTS_TO, option, argument);
	case OPTION_JOBS:
		return trace_parts_take(&source->parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_PART:
		return trace_parts_take(&source->parts, TRACE_PARTS_PART, option, argument);
	case OPTION_TASK: return task_batches_take_task(&source->tasks, argument);
	case OPTION_EVENT_PORT: return task_batches_take_port(&source->tasks, option, argument);
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

/* ---- The output. ---- */

/* Before the traces, which take the right to open files away. */
static bool open_output(struct request *request, char **paths, int path_count)
{
	const struct symbol_file *symbols = &request->source.input.symbols;

	for (int i = 0; i < path_count; i++) {
		if (!files_read("", paths[i]))
			return false;
		if (access(paths[i], R_OK) != 0 && strcmp(paths[i], "-") != 0) {
			/* No empty file for a trace that is not there. */
			cli_error("%s: %s", paths[i], strerror(errno));
			return false;
		}
	}
	if (symbols->elf && !files_read("--elf", symbols->elf))
		return false;
	if (!request->path)
		return true;
	if (!files_write("-o", request->path))
		return false;
	int fd = outputs_open_file(request->path);
	request->output = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (fd >= 0 && !request->output)
		cli_error("out of memory");
	return request->output != NULL;
}

static bool close_output(struct request *request)
{
	FILE *file = request->output ? request->output : stdout;
	bool good = fflush(file) == 0 && !ferror(file);

	if (request->output && fclose(request->output) != 0)
		good = false;
	request->output = NULL;
	if (!good)
		cli_error("%s: it cannot be written",
			request->path && strcmp(request->path, "-") != 0 ? request->path
									 : "standard output");
	return good;
}

/* What makes the coverage less than it seems. */
static void warn(const struct request *request, const struct coverage_lines *lines)
{
	const struct ear_coverage_sums sums = ear_coverage_sums(request->source.whole);

	if (request->quiet)
		return;
	if (sums.gaps > 0)
		cli_warning(
			"there are gaps, %" PRIu64 ": what ran in them is not counted", sums.gaps);
	if (sums.without > 0)
		cli_warning("%" PRIu64 " records have no opcode: no branch is known of them",
			sums.without);
	if (sums.changed_pcs > 0)
		cli_warning("at %" PRIu64 " addresses the code changed while it ran: branches "
			    "there are not counted",
			sums.changed_pcs);
	if (sums.left_out > 0)
		cli_warning("%" PRIu64 " records are not counted: they ran in too many places",
			sums.left_out);
	if (lines->others > 0)
		cli_warning("at %" PRIu64 " addresses the program has other instructions than "
			    "those that ran: is it the one that was traced?",
			lines->others);
	if (!lines->has_symbols)
		cli_warning("the program has no symbols: functions are only those that were "
			    "inlined");
	if (sums.executed > 0 && lines->counts.lines > 0 && lines->counts.lines_hit == 0)
		cli_warning("no line ran: is this the program that was traced?");
	if (cli_interrupted)
		cli_warning("interrupted: this is the coverage of the first %" PRIu64 " records",
			sums.records);
}

static bool check_lines(const struct request *request, const struct coverage_lines *lines)
{
	if (lines->counts.lines > 0)
		return true;
	if (request->paths.ignored_count > 0)
		cli_error("no lines are left: --ignore matches all sources");
	else
		cli_error("the program has no lines: it was built without -g, or they are in "
			  "another file");
	return false;
}

/* Returns an exit status. */
static int show(struct request *request, bool good)
{
	struct coverage_lines lines;
	int status = EAR_EXIT_FAILED;

	if (!coverage_lines_make(
		    &lines, request->source.whole, request->source.input.names, &request->paths)) {
		cli_error("out of memory");
	} else if (check_lines(request, &lines)) {
		warn(request, &lines);
		if (request->output)
			coverage_write_lcov(request->output, &lines);
		if (!request->path || strcmp(request->path, "-") != 0)
			coverage_show_table(&lines);
		if (request->uncovered && (!request->path || strcmp(request->path, "-") != 0))
			coverage_show_uncovered(&lines);
		status = good && !cli_interrupted ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
		if (status == EAR_EXIT_DONE &&
			100 * lines.counts.lines_hit < request->fail_under * lines.counts.lines)
			status = EAR_EXIT_NO;
	}
	coverage_lines_free(&lines);
	return status;
}

/* ---- The instruction set. ---- */

static void warn_of_isa(const struct request *request, const struct isa_bins *bins)
{
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(request->source.whole);

	if (request->quiet)
		return;
	if (sums->gaps > 0)
		cli_warning(
			"there are gaps, %" PRIu64 ": what ran in them is not counted", sums->gaps);
	if (sums->without > 0)
		cli_warning("%" PRIu64 " records have no opcode", sums->without);
	if (sums->left_out > 0)
		cli_warning("%" PRIu64 " records are not counted: there are too many different "
			    "opcodes",
			sums->left_out);
	if (bins->other_xlen)
		cli_warning("only the instructions of rv%u are counted", bins->xlen);
	if (cli_interrupted)
		cli_warning("interrupted: this is the coverage of what came before");
}

static bool show_isa(const struct request *request)
{
	struct isa_bins bins;
	const bool good =
		isa_bins_make(&bins, request->source.whole, request->decoder, request->isa.march);

	if (!good) {
		cli_error("out of memory");
	} else {
		warn_of_isa(request, &bins);
		switch (request->format) {
		case 1: isa_bins_show_json(&bins); break;
		case 2: isa_bins_show_html(&bins); break;
		default:
			if (request->missing)
				isa_bins_show_missing(&bins);
			else
				isa_bins_show_table(&bins);
			break;
		}
	}
	isa_bins_free(&bins);
	return good;
}

static int run_isa(struct request *request, char **paths, bool good)
{
	const struct ear_isa_coverage *isa = request->source.whole;
	const bool some = isa && ear_isa_coverage_count(isa) > 0;

	if (good && !some)
		cli_error("%s: there are no instructions of RISC-V with an opcode", paths[0]);
	return some && show_isa(request) && good && !cli_interrupted ? EAR_EXIT_DONE
								     : EAR_EXIT_FAILED;
}

static int run_lines(struct request *request, char **paths, bool good)
{
	const struct analysis_input *source = &request->source;

	if (good && !source->input.names) {
		cli_error("%s: there are no lines without the program (--elf FILE)", paths[0]);
		good = false;
	}
	if (source->whole && source->input.names && !request->refused &&
		ear_coverage_sums(source->whole).records > 0)
		return show(request, good);
	if (good)
		cli_error("%s: there are no instructions", paths[0]);
	return EAR_EXIT_FAILED;
}

/* ---- What is read. ---- */

static bool is_same_program(struct request *request)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct trace_input *input = &request->source.input;
	int result = ear_trace_facts(input->trace, &facts);
	const char *own = result == 0 && facts.program_sha256 ? facts.program_sha256 : "";
	const char *first = input->symbols.sha256;
	const bool both = own[0] && first[0];

	if (input->symbols.anyway || strcmp(own, first) == 0 || (input->symbols.elf && !both))
		return true;
	request->refused = true;
	if (both)
		cli_error("%s: it is of another program than the trace before it: its coverage "
			  "is another one, too",
			input->path);
	else
		cli_error("%s: whether it is of the same program as the trace before it is not "
			  "known; if it is, give that with --elf",
			input->path);
	return false;
}

static bool take_opened(struct analysis_input *source, unsigned number)
{
	struct request *request = source->context;
	struct ear_trace *trace = source->input.trace;

	request->isa.shows_traps = ear_trace_carries(trace, "trap cause") != 0;
	request->isa.shows_interrupts = ear_trace_carries(trace, "interrupt") != 0;
	if (number > 0 && request->is_isa)
		ear_isa_coverage_pause(source->whole);
	return number == 0 || request->is_isa || is_same_program(request);
}

/* Returns false after printing why not. */
static bool choose(struct request *request)
{
	struct analysis_input *source = &request->source;
	char error[EAR_INSTRUCTIONS_ERROR_MAX] = "";

	source->opened = take_opened;
	source->context = request;
	source->analysis = &ear_coverage_analysis;
	source->other_options = "it was counted with another --task or --event-port";
	if (!request->is_isa)
		return true;
	source->analysis = &ear_isa_coverage_analysis;
	source->options = &request->isa;
	source->other_options = "it was counted with another --march, --task or --event-port";
	int result = ear_instructions_new(&request->decoder, request->isa.march, error);
	if (result)
		cli_error("--march: %s", error[0] ? error : ear_error_text(result));
	request->isa.instructions = request->decoder;
	return result == 0;
}

static int run_coverage(struct request *request, char **paths, int path_count)
{
	struct analysis_input *source = &request->source;
	int status;

	if (!open_output(request, paths, path_count))
		return EAR_EXIT_FAILED;
	const bool good = choose(request) && analysis_input_read(source, paths, path_count);
	if (source->parts.part > 0)
		status = good && analysis_input_write_part(source, stdout) ? EAR_EXIT_DONE
									   : EAR_EXIT_FAILED;
	else
		status = request->is_isa ? run_isa(request, paths, good)
					 : run_lines(request, paths, good);
	return close_output(request) ? status : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {.source = ANALYSIS_INPUT_DEFAULTS};
	struct analysis_input *source = &request.source;
	const struct trace_parts *parts = &source->parts;
	int status;

	int first = options_parse(&cmd_coverage, argc, argv, take_option, &request, &status);
	if (!parts->from && !parts->to && parts->plan.jobs == 1 && parts->part == 0)
		source->input.options.index = EAR_INDEX_NONE;
	if (first >= 0 && first == argc)
		status = cli_usage("coverage", "which trace?");
	else if (first >= 0 && !request.is_isa &&
		 (request.isa.march || request.missing || request.format))
		status = cli_usage("coverage", "--march, --missing and -f are for --isa");
	else if (first >= 0 && request.is_isa &&
		 (request.path || request.uncovered || request.fail_under))
		status = cli_usage("coverage",
			"-o, --uncovered and --fail-under are for lines, not for --isa");
	else if (first >= 0 && parts->part > 0 && request.path)
		status = cli_usage("coverage", "--part prints a part: without -o");
	else if (first >= 0)
		status = run_coverage(&request, argv + first, argc - first);
	analysis_input_close(source);
	ear_instructions_free(request.decoder);
	return status;
}

const struct command cmd_coverage = {
	.name = "coverage",
	.arguments = "[OPTION]... FILE... [-o OUTPUT]",
	.summary = "which lines, functions and branches of a program ran",
	.about =
		"Print how much of a program FILE executed, a capture or a trace of any format, or "
		"several ones of the same program together: lines, functions, and conditional "
		"branches both ways. Nothing has to be compiled in; the lines are those of the "
		"debug information (-g).",
	.options = table,
	.notes = "Branches are those of the machine: this is neither condition coverage nor MC/DC. "
		 "Marks of lcov in the sources are honoured: LCOV_EXCL_LINE, LCOV_EXCL_START, "
		 "LCOV_EXCL_STOP, and LCOV_EXCL_BR_LINE, _START and _STOP.",
	.exit_status = "0 done, 1 less than --fail-under ran, 2 a trace could not be read to its "
		       "end: the coverage is that of what came before.",
	.run = run,
};
