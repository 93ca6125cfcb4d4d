/* 'earshot stat': runs in numbers, one row a trace. analyses/stat/stat.h counts; here is what is
 * read, and how it is printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyses/stat/stat.h"
#include "cli/base/cli.h"
#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/batch/batch_run.h"
#include "cli/commands/cmd.h"
#include "cli/input/analysis_command.h"
#include "cli/options/options.h"
#include "cli/show/table.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct request {
	struct analysis_input source;
	struct ear_stat_options options; /* of it */
	enum format format;
	bool wants_names;
	struct ear_stat stat, total;
	uint64_t unknown; /* set of numbers, in their order, that some row lacks */
	size_t printed;
	bool listed;  /* the row is another process's to print */
	bool counted; /* there is one */
};

static const struct command_option table[] = {
	JSON_OPTION(
		struct request, format, FORMAT_JSON, "Print one JSON object, with all numbers."),
	{"format", 'f', "FORMAT", VALUES_WORDS, "table csv json",
		.text = "`table` of the most important numbers (default), or all of them as `csv`.",
		OPTION_VALUE(struct request, format)},
	BRANCH_PROGRAM_OPTION(struct request, source.input.symbols),
	OPTION_GROUP(trace_parts_options, struct request, source.parts),
	OPTION_GROUP(trace_input_options, struct request, source.input),
	{0},
};

/* ---- The numbers of a row. ---- */

/* A number; known false: the trace does not show it. */
struct number {
	const char *name;
	bool known, is_address;
	uint64_t value;
};

#define NUMBERS_MAX (24 + EAR_STAT_CLASSES)

_Static_assert(NUMBERS_MAX <= 64, "a set of them is a number");

/* Was something counted, or is there nothing that the trace did not show? */
static bool is_shown(const struct ear_stat *stat, uint64_t counted, uint64_t hidden)
{
	return counted > 0 || (hidden == 0 && (stat->decoded > 0 || stat->records == 0));
}

/* ticks are no sum: a total has none. */
static size_t list_numbers(
	const struct ear_stat *stat, bool is_total, struct number numbers[NUMBERS_MAX])
{
	const bool reads = is_shown(stat, stat->reads, stat->bare_loads);
	const bool writes = is_shown(stat, stat->writes, stat->bare_stores);
	const bool outcomes = is_shown(stat, stat->taken + stat->not_taken, stat->unknown_outcomes);
	const bool some = stat->records > 0, opcodes = stat->decoded > 0;
	const uint64_t executed = stat->records - stat->interrupts - stat->traps;
	const bool timed = stat->timed > 0 && !is_total;
	const bool unsure = stat->lacks & EAR_STAT_UNSURE_INTERRUPTS && !is_total &&
			    stat->traps > 0 && stat->interrupts == 0;
	const struct number first[] = {
		{"records", true, false, stat->records},
		{"executed", true, false, executed},
		{"interrupts", !(stat->lacks & EAR_STAT_NO_INTERRUPTS) && !unsure, false,
			stat->interrupts},
		{"traps", !(stat->lacks & EAR_STAT_NO_TRAPS), false, stat->traps},
		{"harts", true, false, ear_stat_hart_count(stat)},
		{"gaps", !(stat->lacks & EAR_STAT_NO_GAPS), false, stat->gaps},
		{"missing", stat->blind == 0 && !(stat->lacks & EAR_STAT_NO_GAPS), false,
			stat->missing},
		{"events", !(stat->lacks & EAR_STAT_NO_EVENTS), false, stat->events},
		{"others", true, false, stat->others},
		{"ticks", timed, false, stat->last_ticks - stat->first_ticks},
		{"first_pc", some && !is_total, true, stat->first_pc},
		{"last_pc", some && !is_total, true, stat->last_pc},
		{"reads", reads, false, stat->reads},
		{"writes", writes, false, stat->writes},
		{"read_bytes", reads, false, stat->read_bytes},
		{"written_bytes", writes, false, stat->written_bytes},
		{"decoded", true, false, stat->decoded},
		{"compressed", opcodes, false, stat->compressed},
		{"taken", opcodes && outcomes, false, stat->taken},
		{"not_taken", opcodes && outcomes, false, stat->not_taken},
		{"unknown_outcomes", opcodes, false, stat->unknown_outcomes},
	};
	size_t count = sizeof(first) / sizeof(first[0]);

	memcpy(numbers, first, sizeof(first));
	for (unsigned i = 0; i < EAR_STAT_CLASSES; i++)
		numbers[count++] = (struct number){
			ear_instruction_class_name(i), opcodes, false, stat->classes[i]};
	return count;
}

/* Those of a row, or of the total: of what one row lacks there is no sum. */
static size_t list_row(struct request *request, const struct ear_stat *stat, bool is_total,
	struct number numbers[NUMBERS_MAX])
{
	const size_t count = list_numbers(stat, is_total, numbers);

	for (size_t i = 0; i < count; i++)
		if (!is_total)
			request->unknown |= (uint64_t)!numbers[i].known << i;
		else if (request->unknown >> i & 1)
			numbers[i].known = false;
	return count;
}

/* ---- Printing. ---- */

static void print_table_row(
	struct request *request, const char *name, const struct ear_stat *stat, bool is_total)
{
	struct number numbers[NUMBERS_MAX];
	const size_t count = list_row(request, stat, is_total, numbers);
	static const char *const shown[] = {
		"records", "interrupts", "traps", "gaps", "ticks", "branch", "load", "store"};
	static const int widths[] = {14, 10, 10, 6, 14, 12, 12, 12};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		for (size_t j = 0; j < count; j++) {
			if (strcmp(numbers[j].name, shown[i]) != 0)
				continue;
			if (numbers[j].known)
				printf("%*" PRIu64 " ", widths[i], numbers[j].value);
			else
				printf("%*s ", widths[i], "-");
		}
	if (is_total)
		printf("%16s ", "");
	else
		printf("%016" PRIx64 " ", stat->hash);
	puts(name);
}

static void print_table_head(void)
{
	printf("%14s %10s %10s %6s %14s %12s %12s %12s %16s %s\n", "records", "interrupts", "traps",
		"gaps", "ticks", "branches", "loads", "stores", "hash", "trace");
}

static void print_csv_row(
	struct request *request, const char *name, const struct ear_stat *stat, bool is_total)
{
	struct number numbers[NUMBERS_MAX];
	const size_t count = list_row(request, stat, is_total, numbers);

	printf("%s,", is_total ? "total" : "trace");
	table_print_csv(is_total ? "" : name);
	for (size_t i = 0; i < count; i++) {
		putchar(',');
		if (numbers[i].known)
			printf(numbers[i].is_address ? "0x%" PRIx64 : "%" PRIu64, numbers[i].value);
	}
	if (is_total)
		puts(",");
	else
		printf(",%016" PRIx64 "\n", stat->hash);
}

static void print_csv_head(void)
{
	static const struct ear_stat none;
	struct number numbers[NUMBERS_MAX];
	const size_t count = list_numbers(&none, false, numbers);

	printf("row,trace");
	for (size_t i = 0; i < count; i++)
		printf(",%s", numbers[i].name);
	puts(",hash");
}

static void print_json_row(
	struct request *request, const char *name, const struct ear_stat *stat, bool is_total)
{
	struct number numbers[NUMBERS_MAX];
	const size_t count = list_row(request, stat, is_total, numbers);

	printf("{");
	if (!is_total) {
		printf("\"trace\": ");
		cli_print_json(name);
		printf(", \"hash\": \"%016" PRIx64 "\", ", stat->hash);
	}
	for (size_t i = 0; i < count; i++) {
		printf("%s\"%s\": ", i > 0 ? ", " : "", numbers[i].name);
		if (!numbers[i].known)
			printf("null");
		else
			printf(numbers[i].is_address ? "\"0x%" PRIx64 "\"" : "%" PRIu64,
				numbers[i].value);
	}
	printf("}");
}

static void print_head(const struct request *request)
{
	switch (request->format) {
	case FORMAT_TABLE: print_table_head(); break;
	case FORMAT_CSV: print_csv_head(); break;
	case FORMAT_JSON: printf("{\"traces\": ["); break;
	}
}

static void print_row(struct request *request, const char *name)
{
	const struct ear_stat *stat = &request->stat;

	switch (request->format) {
	case FORMAT_TABLE: print_table_row(request, name, stat, false); break;
	case FORMAT_CSV: print_csv_row(request, name, stat, false); break;
	case FORMAT_JSON:
		printf(request->printed > 0 ? ",\n  " : "\n  ");
		print_json_row(request, name, stat, false);
		break;
	}
	request->printed++;
	fflush(stdout); /* what is done can be seen */
}

static void print_total(struct request *request, bool several)
{
	switch (request->format) {
	case FORMAT_TABLE:
		if (several)
			print_table_row(request, "total", &request->total, true);
		break;
	case FORMAT_CSV:
		if (several)
			print_csv_row(request, "", &request->total, true);
		break;
	case FORMAT_JSON:
		printf("%s], \"total\": ", request->printed > 0 ? "\n" : "");
		print_json_row(request, "", &request->total, true);
		printf(", %s}\n", verdict_members(&request->source.input.verdict));
		break;
	}
}

/* ---- Reading. ---- */

/* What no record of the trace can have. A unit of N-Trace marks either interrupts and exceptions
 * (BTYPE 3 and 2), or neither (1). */
static uint64_t find_lacks(struct ear_trace *trace)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	static const struct {
		const char *field;
		enum ear_stat_lack lack;
	} fields[] = {{"trap cause", EAR_STAT_NO_TRAPS}, {"interrupt", EAR_STAT_NO_INTERRUPTS},
		{"gap", EAR_STAT_NO_GAPS}, {"event", EAR_STAT_NO_EVENTS}};
	uint64_t lacks = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (ear_trace_carries(trace, fields[i].field) == 0)
			lacks |= fields[i].lack;
	if (ear_trace_facts(trace, &facts) == 0 && strcmp(facts.format, "ntrace") == 0)
		lacks |= EAR_STAT_UNSURE_INTERRUPTS;
	return lacks;
}

static const char *shown_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* For --from and --to. */
static bool find_names(struct trace_input *input)
{
	struct symbol_file *symbols = &input->symbols;

	symbol_file_of_trace(symbols, input->trace, input->path);
	input->names = symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
	return input->names || !symbols->elf;
}

static bool open_trace(struct request *request, const char *path)
{
	struct trace_input *input = &request->source.input;

	input->path = path;
	if (!trace_input_open_trace(input))
		return false;
	request->options.lacks = find_lacks(input->trace);
	request->options.name = shown_name(path);
	return !request->wants_names || find_names(input);
}

static void close_trace(struct request *request)
{
	analysis_input_forget(&request->source);
	ear_trace_close(request->source.input.trace);
	request->source.input.trace = NULL;
}

/* What could be read of a trace is a row; a part of one that the user ended is none. */
static bool take_trace(struct request *request, const char *path)
{
	struct analysis_input *source = &request->source;

	if (!open_trace(request, path))
		return false;
	bool good = analysis_input_count(source) && !cli_interrupted;
	if (source->parts.part > 0)
		return good;
	ear_stat_clear(&request->stat);
	if (source->whole)
		request->stat = *ear_stat_numbers(source->whole);
	if (!cli_interrupted && !request->listed) {
		ear_stat_join(&request->total, &request->stat);
		print_row(request, shown_name(path));
	}
	request->counted = !cli_interrupted;
	close_trace(request);
	return good;
}

/* Parts are of one trace, whose name they have. */
static bool read_parts(struct request *request, char **paths, int count)
{
	struct part_files files = {0};

	if (!analysis_input_join_files(&request->source, &files, paths, count))
		return false;
	if (!request->source.quiet)
		part_files_check_whole(&files);
	request->stat = request->total = *ear_stat_numbers(request->source.whole);
	const char *name = ear_stat_name(request->source.whole);
	print_row(request, name[0] ? name : paths[0]);
	return true;
}

/* ---- Several traces: each in a process of its own (cli/batch/batch_run.h). ---- */

/* What a process hands over. The texts of its verdict are in it. */
struct answer {
	struct ear_stat stat;
	struct verdict verdict;
};

struct several {
	struct request *request;
	char **paths;
	size_t count;
	bool good;
};

static int work(void *context, size_t index)
{
	const struct several *several = context;
	struct request *request = several->request;
	char *path = several->paths[index];
	struct answer answer;

	cli_catch_signals(NULL);
	if (request->source.input.symbols.elf)
		symbol_file_prepare(&request->source.input.symbols);
	trace_input_confine(path, request->source.input.options.index);
	request->listed = true;
	const bool good = take_trace(request, path);
	if (request->counted) {
		memset(&answer, 0, sizeof(answer)); /* padding is written, too */
		answer.stat = request->stat;
		answer.verdict = request->source.input.verdict;
		notes_bytes(&answer, sizeof(answer));
	}
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* Pointers of another process are those of this one. */
static void join_verdict(struct verdict *sum, struct verdict *more, const char *path)
{
	struct ear_missing *missing = &more->missing;
	const char *name = shown_name(path);

	missing->fault = missing->fault ? more->fault : NULL;
	missing->mended = more->mended_name ? more->mended : NULL;
	if (more->known)
		verdict_add(sum, name, missing);
	if (more->empty)
		sum->empty = name;
}

static bool take(void *context, size_t index, struct batch_result *result)
{
	struct several *several = context;
	struct request *request = several->request;
	struct answer answer;

	cli_progress_clear();
	batch_copy(result->errors, STDERR_FILENO);
	if (result->signal && !result->stopped)
		cli_error("%s: the process that read it was ended by signal %d",
			several->paths[index], result->signal);
	several->good = several->good && result->status == EAR_EXIT_DONE;
	if (fread(&answer, sizeof(answer), 1, result->notes) == 1) {
		request->stat = answer.stat;
		join_verdict(
			&request->source.input.verdict, &answer.verdict, several->paths[index]);
		ear_stat_join(&request->total, &request->stat);
		if (request->printed == 0)
			print_head(request);
		print_row(request, shown_name(several->paths[index]));
	}
	cli_progress("%zu of %zu traces", index + 1, several->count);
	return true;
}

static void show_trace(void *context, size_t index, const char *line)
{
	const struct several *several = context;

	cli_progress("%zu traces, %s: %s", several->count, several->paths[index], line);
}

/* Threads are for traces first; what is left of them is for each trace. */
static bool read_several(struct request *request, char **paths, size_t count)
{
	struct several several = {request, paths, count, true};
	unsigned *jobs = &request->source.parts.plan.jobs;
	const struct batch_work all = {&several, count, *jobs, work, take, show_trace};

	*jobs = *jobs > count ? *jobs / (unsigned)count : 1;
	const size_t done = batch_run(&all);
	cli_progress_clear();
	if (done < count)
		cli_error("%zu of %zu traces were not done", count - done, count);
	return several.good && done == count;
}

static bool read_all(void *context, char **paths, int count)
{
	struct request *request = context;
	const bool of_parts = part_file_is_one(paths[0]), several = count > 1 && !of_parts;
	bool good;

	ear_stat_clear(&request->total);
	if (several) {
		good = read_several(request, paths, (size_t)count);
		if (request->printed == 0)
			print_head(request);
		print_total(request, true);
		return good;
	}
	cli_catch_signals(NULL);
	request->wants_names =
		!of_parts && (moment_option_has_words(&request->source.parts.from) ||
				     moment_option_has_words(&request->source.parts.to));
	if (request->source.input.symbols.elf || request->wants_names)
		symbol_file_prepare(&request->source.input.symbols);
	trace_input_confine(paths[0], request->source.input.options.index);
	if (request->source.parts.part > 0)
		return take_trace(request, paths[0]);
	print_head(request);
	good = of_parts ? read_parts(request, paths, count) : take_trace(request, paths[0]);
	print_total(request, false);
	return good;
}

/* Rows are printed as they are read. */
static int show(void *context, bool good)
{
	(void)context;
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	request->source = (struct analysis_input)ANALYSIS_INPUT_DEFAULTS;
	request->source.analysis = &ear_stat_analysis;
	request->source.options = &request->options;
	const struct analysis_command counting = {
		&cmd_stat, request, &request->source, true, NULL, NULL, read_all, show, NULL};
	const int status = analysis_command_run(&counting, argc, argv);
	free(request);
	return status;
}

const struct command cmd_stat = {
	.name = "stat",
	.arguments = "[OPTION]... FILE...",
	.summary = "a run in numbers: instructions, interrupts, time, one row a trace",
	.about =
		"Count what is in each FILE, a capture or a trace of any format, - is standard "
		"input: records, what kinds of instructions, accesses, traps, gaps; and a hash of "
		"what the records show. What a format does not show is left open, never 0. FILE may be "
		"a folder or @LIST, too ({MANY TRACES}); -j reads so many traces at once.",
	.options = table,
	.notes = "The hash is that of all instruction records in their order: hart, pc, opcode, "
		 "registers and memory, traps. Equal hashes of two captures mean equal runs; two "
		 "formats of the same run differ where one of them shows more.",
	.exit_status = "0 done, 2 a trace could not be read to its end; the others are counted.",
	.run = run,
};
