/* 'earshot branches': conditional branches, one row each. analyses/branches/branches.h counts; here
 * is what is read, and how it is printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/branches/branches.h"
#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/input/analysis_command.h"
#include "cli/options/options.h"
#include "cli/show/table.h"

struct request {
	struct analysis_input source;
	unsigned order; /* as the words of --sort */
	enum table_format format;
	uint64_t limit; /* 0: all */
};

static const struct command_option table[] = {
	{"sort", 0, "ORDER", VALUES_WORDS, "misses executed taken pc",
		.text = "The highest `misses` (default), `executed` or `taken` first, or by `pc`.",
		OPTION_VALUE(struct request, order)},
	{"limit", 'n', "N", .text = "Print N branches; the total is of all.",
		OPTION_VALUE(struct request, limit), .min = 1, .max = UINT64_MAX},
	JSON_OPTION(struct request, format, TABLE_JSON, "Print one JSON object."),
	{"format", 'f', "FORMAT", VALUES_WORDS, "table csv json",
		.text = "`table` (default) or `csv`.", OPTION_VALUE(struct request, format)},
	OPTION_GROUP(trace_parts_options, struct request, source.parts),
	OPTION_GROUP(task_options, struct request, source.tasks),
	OPTION_GROUP(symbol_file_options, struct request, source.input.symbols),
	OPTION_GROUP(trace_input_options, struct request, source.input),
	{0},
};

/* ---- What is printed. ---- */

enum { EXECUTED, TAKEN, NOT_TAKEN, UNKNOWN, MISSES, MISS_RATE, PC, SYMBOL, LINE, COLUMNS };

static const char *const columns[] = {"executed", "taken", "not_taken", "unknown", "misses",
	"miss_rate", "pc", "symbol", "line", NULL};

/* Its numbers. */
static void make_row(struct table_cell row[COLUMNS], const struct ear_branch *branch)
{
	const uint64_t outcomes = branch->taken + branch->not_taken;
	const bool known = outcomes > 0 || branch->unknown == 0;

	for (int i = 0; i < COLUMNS; i++)
		row[i] = table_unknown();
	row[EXECUTED] = table_number(branch->executed);
	row[UNKNOWN] = table_number(branch->unknown);
	if (known) {
		row[TAKEN] = table_number(branch->taken);
		row[NOT_TAKEN] = table_number(branch->not_taken);
		row[MISSES] = table_number(branch->misses);
	}
	if (outcomes > 0)
		row[MISS_RATE] = table_real((double)branch->misses / (double)outcomes, 6);
}

static void name_row(struct table_cell row[COLUMNS], const struct ear_names *names, uint64_t pc)
{
	char text[TABLE_TEXT_MAX];

	row[PC] = table_address(pc);
	if (names && ear_names_text(names, pc, text, sizeof(text)) > 0)
		row[SYMBOL] = table_text(text);
	if (names && ear_names_line_text(names, pc, text, sizeof(text)) > 0)
		row[LINE] = table_text(text);
}

static int compare(
	uint64_t one, uint64_t other, const struct ear_branch *a, const struct ear_branch *b)
{
	if (one != other)
		return one > other ? -1 : 1;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int compare_misses(const void *a, const void *b)
{
	const struct ear_branch *one = a, *other = b;

	return compare(one->misses, other->misses, one, other);
}

static int compare_executed(const void *a, const void *b)
{
	const struct ear_branch *one = a, *other = b;

	return compare(one->executed, other->executed, one, other);
}

static int compare_taken(const void *a, const void *b)
{
	const struct ear_branch *one = a, *other = b;

	return compare(one->taken, other->taken, one, other);
}

static void print_rows(const struct request *request, const struct ear_branch *list, size_t count,
	const struct ear_branch *total)
{
	const bool is_json = request->format == TABLE_JSON;
	struct table_cell row[COLUMNS];

	printf(is_json ? "{\"branches\": " : "");
	struct table rows = table_begin(request->format, columns, request->limit);
	for (size_t i = 0; i < count; i++) {
		make_row(row, &list[i]);
		name_row(row, request->source.input.names, list[i].pc);
		table_add(&rows, row);
	}
	table_end(&rows, "--limit N");
	make_row(row, total);
	row[PC] = table_text("total");
	printf(is_json ? ",\n  \"total\": " : "");
	table_total(&rows, row, PC);
	if (is_json)
		printf(",\n  %s}\n", verdict_members(&request->source.input.verdict));
}

/* What makes the numbers less than they seem. */
static void warn(const struct request *request, const struct ear_branch *total)
{
	const struct ear_branches_sums sums = ear_branches_sums(request->source.whole);

	if (request->source.quiet)
		return;
	if (sums.gaps > 0)
		cli_warning(
			"there are gaps, %" PRIu64 ": what ran in them is not counted", sums.gaps);
	if (sums.without > 0)
		cli_warning("of %" PRIu64 " records it is not known whether they are branches: "
			    "they have no opcodes of RISC-V",
			sums.without);
	if (total->unknown > 0 && total->unknown == total->executed)
		cli_warning("the trace does not show which way a branch went");
	if (sums.left_out > 0)
		cli_warning("%" PRIu64 " branches are not counted: they ran in too many places",
			sums.left_out);
	if (cli_interrupted)
		cli_warning(
			"interrupted: this is of the first %" PRIu64 " instructions", sums.retired);
}

static bool print(const struct request *request)
{
	static int (*const orders[])(const void *, const void *) = {
		compare_misses, compare_executed, compare_taken, NULL};
	struct ear_branch *list, total = {0};
	const int64_t count = ear_branches_list(request->source.whole, &list);

	if (count < 0) {
		cli_error("%s", ear_error_text((int)count));
		return false;
	}
	for (int64_t i = 0; i < count; i++)
		ear_branch_add(&total, &list[i]);
	warn(request, &total);
	if (orders[request->order])
		qsort(list, (size_t)count, sizeof(*list), orders[request->order]);
	print_rows(request, list, (size_t)count, &total);
	free(list);
	return true;
}

static int show(void *context, bool good)
{
	const struct request *request = context;
	const struct analysis_input *source = &request->source;

	if (source->whole) {
		const struct ear_branches_sums sums = ear_branches_sums(source->whole);
		if (sums.retired > sums.without) {
			good = print(request) && good;
		} else if (good) {
			cli_error("%s: nothing can be said of branches: there are no instructions "
				  "of RISC-V with an opcode",
				source->input.path);
			good = false;
		}
	}
	return good && !cli_interrupted ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {.source = ANALYSIS_INPUT_DEFAULTS};
	const struct analysis_command counting = {
		&cmd_branches, &request, &request.source, false, NULL, NULL, NULL, show, NULL};

	request.source.analysis = &ear_branches_analysis;
	request.source.other_options = "it was counted with another --task or --event-port";
	return analysis_command_run(&counting, argc, argv);
}

const struct command cmd_branches = {
	.name = "branches",
	.arguments = "[OPTION]... FILE...",
	.summary = "conditional branches: taken, not taken, hard to predict",
	.about = "Print how often each conditional branch of FILE, a capture or a trace of any "
		 "format, was executed, taken and not taken, and how often a two-bit saturating "
		 "counter of its own would have mispredicted it. What the trace does not show is "
		 "no number, never 0.",
	.options = table,
	.notes = "Each branch has a counter for each hart, which begins as weakly not taken. An "
		 "outcome that the trace does not show is unknown and does not change it; nor does "
		 "a gap. FILE may also be parts of a trace, in order (--part).",
	.exit_status = "0 done, 2 the trace could not be read to its end, or has no opcodes.",
	.run = run,
};
