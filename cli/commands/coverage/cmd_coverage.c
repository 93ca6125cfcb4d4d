/* 'earshot coverage': what of a program ran. analyses/coverage/coverage.h counts by address,
 * coverage_lines.h makes lines of it; here is what is read, and where it goes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/coverage/coverage.h"
#include "analyses/coverage/isa_coverage.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/commands/coverage/coverage_isa.h"
#include "cli/commands/coverage/coverage_lines.h"
#include "cli/commands/coverage/coverage_show.h"
#include "cli/input/analysis_command.h"
#include "cli/input/source_paths.h"
#include "cli/options/options.h"

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_HTML };

struct request {
	struct analysis_input source;
	bool is_isa;                         /* --isa: that analysis, or else of lines */
	struct ear_isa_coverage_options isa; /* of it, */
	struct ear_instructions *decoder;    /* with this */
	bool refused;                        /* a trace is of another program: no sum makes sense */
	struct source_paths paths;
	const char *path; /* of the output; NULL: there is none */
	FILE *output;
	bool uncovered, all_sources, no_inline;
	uint64_t fail_under; /* per cent; 0: never */
	bool missing;
	enum format format;
};

static bool take_source(void *value, const struct command_option *option, const char *argument)
{
	return source_paths_take(value, option, argument);
}

static bool take_ignored(void *value, const struct command_option *option, const char *argument)
{
	return source_paths_take_ignored(value, option, argument);
}

static const struct command_option table[] = {
	{"output", 'o', "FILE", VALUES_FILES,
		.text = "Write a tracefile of lcov to FILE, too; `-` is standard output, without the "
			"table.",
		OPTION_VALUE(struct request, path)},
	{"uncovered", 0, .text = "Print functions and lines that never ran, after the table.",
		OPTION_VALUE(struct request, uncovered)},
	{"fail-under", 0, "N",
		.text = "End with exit status 1 if less than N per cent of the lines ran.",
		OPTION_VALUE(struct request, fail_under), .max = 100},
	{"source", 0, "OLD=NEW",
		.text = "Paths of sources that begin with OLD begin with NEW; repeat for more.",
		OPTION_TAKEN(take_source, struct request, paths)},
	{"ignore", 0, "GLOB",
		.text = "Leave out sources whose path matches GLOB, as `*/lib/*`; repeat for more.",
		OPTION_TAKEN(take_ignored, struct request, paths)},
	{"all-sources", 0,
		.text = "Count sources that cannot be read, too, as those of the toolchain's "
			"libraries.",
		OPTION_VALUE(struct request, all_sources)},
	{"no-inline", 0,
		.text = "Functions that the compiler inlined into others are not counted as functions; "
			"the lines of their code are.",
		OPTION_VALUE(struct request, no_inline)},
	{"isa", 0,
		.text = "Instead of lines: which instructions of the ISA ran, with which registers, "
			"values, directions and hazards; which traps, CSRs and privileges.",
		OPTION_VALUE(struct request, is_isa)},
	{"march", 0, "NAME",
		.text = "The ISA of --isa, as `rv32imc_zicsr` (default: all extensions of which an "
			"instruction ran).",
		OPTION_VALUE(struct request, isa.march)},
	JSON_OPTION(struct request, format, FORMAT_JSON,
		"Print one JSON object; of --isa with all bins."),
	{"format", 'f', "FORMAT", VALUES_WORDS, "table json html",
		.text = "Of --isa: `table` by instruction (default), or `html`: all bins.",
		OPTION_VALUE(struct request, format)},
	{"missing", 0, .text = "Of --isa: print the bins that are empty.",
		OPTION_VALUE(struct request, missing)},
	OPTION_GROUP(trace_parts_options, struct request, source.parts),
	OPTION_GROUP(task_options, struct request, source.tasks),
	OPTION_GROUP(symbol_file_options, struct request, source.input.symbols),
	OPTION_GROUP(trace_input_options, struct request, source.input),
	{0},
};

/* ---- The output. ---- */

static bool open_output(void *context)
{
	struct request *request = context;

	if (!request->path)
		return true;
	if (!files_write("-o", request->path))
		return false;
	int fd = files_open(request->path);
	request->output = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (fd >= 0 && !request->output)
		cli_error("out of memory");
	return request->output != NULL;
}

static bool close_output(struct request *request)
{
	if (!request->output)
		return true;
	bool good = !ferror(request->output);
	good = fclose(request->output) == 0 && good;
	request->output = NULL;
	if (!good)
		cli_error("%s: it cannot be written",
			strcmp(request->path, "-") != 0 ? request->path : "standard output");
	return good;
}

/* What makes the coverage less than it seems. */
static void warn(const struct request *request, const struct coverage_lines *lines)
{
	const struct ear_coverage_sums sums = ear_coverage_sums(request->source.whole);

	if (request->source.input.quiet)
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
	if (lines->some_present && lines->absent > 0)
		cli_warning("%zu sources that cannot be read are not counted, as %s (--source "
			    "OLD=NEW, --all-sources)",
			lines->absent, lines->first_absent);
	else if (lines->absent > 0)
		cli_warning("no source can be read, so libraries are counted, too: %s (--source "
			    "OLD=NEW)",
			lines->first_absent);
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

/* --fail-under. Of a trace that lacks records nobody can know. */
static bool passes(const struct request *request, const struct coverage_lines *lines)
{
	const struct verdict *verdict = &request->source.input.verdict;

	if (request->fail_under == 0)
		return true;
	if (100 * lines->counts.lines_hit < request->fail_under * lines->counts.lines)
		return false;
	if (verdict->missing.gaps == 0 || verdict->incomplete)
		return true;
	cli_error("records are missing: --fail-under is not passed without --incomplete ok");
	return false;
}

/* Returns an exit status. */
static int show_lines(struct request *request, bool good)
{
	struct coverage_lines lines;
	int status = EAR_EXIT_FAILED;

	if (!coverage_lines_make(&lines, request->source.whole, request->source.input.names,
		    &request->paths, request->all_sources, request->no_inline)) {
		cli_error("out of memory");
	} else if (check_lines(request, &lines)) {
		warn(request, &lines);
		files_begin();
		if (request->output)
			coverage_write_lcov(request->output, &lines);
		if (request->format == FORMAT_JSON)
			coverage_show_json(
				&lines, request->uncovered, &request->source.input.verdict);
		else if (!request->path || strcmp(request->path, "-") != 0)
			coverage_show_table(&lines);
		if (request->format != FORMAT_JSON && request->uncovered &&
			(!request->path || strcmp(request->path, "-") != 0))
			coverage_show_uncovered(&lines);
		status = good && !cli_interrupted ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
		if (status == EAR_EXIT_DONE && !passes(request, &lines))
			status = EAR_EXIT_NO;
	}
	coverage_lines_free(&lines);
	return status;
}

/* ---- The instruction set. ---- */

static void warn_of_isa(const struct request *request, const struct isa_bins *bins)
{
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(request->source.whole);

	if (request->source.input.quiet)
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
		case FORMAT_JSON: isa_bins_show_json(&bins, &request->source.input.verdict); break;
		case FORMAT_HTML: isa_bins_show_html(&bins); break;
		case FORMAT_TABLE:
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

static int run_isa(struct request *request, bool good)
{
	const struct ear_isa_coverage *isa = request->source.whole;
	const bool some = isa && ear_isa_coverage_count(isa) > 0;

	if (good && !some)
		cli_error("%s: there are no instructions of RISC-V with an opcode",
			request->source.input.path);
	return some && show_isa(request) && good && !cli_interrupted ? EAR_EXIT_DONE
								     : EAR_EXIT_FAILED;
}

static int run_lines(struct request *request, bool good)
{
	const struct analysis_input *source = &request->source;

	if (good && !source->input.names) {
		cli_error("%s: there are no lines without the program (--elf FILE)",
			source->input.path);
		good = false;
	}
	if (source->whole && source->input.names && !request->refused &&
		ear_coverage_sums(source->whole).records > 0)
		return show_lines(request, good);
	if (good)
		cli_error("%s: there are no instructions", source->input.path);
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

static bool prepare(void *request)
{
	return open_output(request) && choose(request);
}

static int show(void *context, bool good)
{
	struct request *request = context;
	const int status = request->is_isa ? run_isa(request, good) : run_lines(request, good);

	return close_output(request) ? status : EAR_EXIT_FAILED;
}

static const char *check(void *context, bool of_parts)
{
	const struct request *request = context;

	(void)of_parts;
	if (!request->is_isa &&
		(request->isa.march || request->missing || request->format == FORMAT_HTML))
		return "--march, --missing and -f html are for --isa";
	if (request->format == FORMAT_JSON && request->path && strcmp(request->path, "-") == 0)
		return "standard output has the JSON: -o FILE";
	if (request->is_isa && (request->path || request->uncovered || request->all_sources ||
				       request->no_inline || request->fail_under))
		return "-o, --uncovered, --all-sources, --no-inline and --fail-under are for lines, not "
		       "for --isa";
	if (request->source.parts.part > 0 && request->path)
		return "--part prints a part: without -o";
	return NULL;
}

static int run(int argc, char **argv)
{
	struct request request = {.source = ANALYSIS_INPUT_DEFAULTS};
	const struct analysis_command counting = {
		&cmd_coverage, &request, &request.source, true, check, prepare, NULL, show, NULL};
	const int status = analysis_command_run(&counting, argc, argv);

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
