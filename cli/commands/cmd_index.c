/* 'earshot index': the index of a trace, made or verified. */
#include <earshot/error.h>
#include <earshot/index.h>
#include <earshot/trace.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/progress_call.h"
#include "cli/commands/cmd.h"
#include "cli/input/format_options.h"
#include "cli/input/symbol_file.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"
#include "cli/show/json.h"
#include "cli/show/verdict.h"

#define PATH_SIZE 4096

struct index {
	struct ear_trace_options trace_options;
	struct ear_trace *trace;
	char error[EAR_TRACE_ERROR_MAX];
	const char *path;
	char folder[PATH_SIZE], cache[PATH_SIZE];
	bool rebuild, verify, no_build, json;
	struct symbol_file symbols;
};

static const struct command_option table[] = {
	{"output", 'o', "INDEX", VALUES_FILES,
		.text = "Write it to INDEX (default: FILE.idx, or in the cache if that cannot be written).",
		.detail = "Other commands look for an index beside FILE and in the cache only.",
		OPTION_VALUE(struct index, trace_options.index_file)},
	{"cache", 0, "DIR", VALUES_FOLDERS,
		.text = "Folder for indexes of traces beside which no file can be written (default: "
			"earshot in `XDG_CACHE_HOME` or ~/.cache).",
		OPTION_VALUE(struct index, trace_options.index_cache)},
	{"rebuild", 0, .text = "Build it anew, whatever is there.",
		OPTION_VALUE(struct index, rebuild)},
	{"no-build", 0, .text = "Build none; say whether there is one that fits.",
		OPTION_VALUE(struct index, no_build)},
	{"verify", 0, .text = "Read all of FILE and of the index, and compare them.",
		OPTION_VALUE(struct index, verify)},
	{"jobs", 'j', "N", .text = "Work with N threads (default 1).",
		OPTION_VALUE(struct index, trace_options.jobs), .min = 1, .max = CLI_JOBS_MAX},
	{"json", 0, .text = "Print the result as one line of JSON.",
		OPTION_VALUE(struct index, json)},
	FORMAT_OPTIONS(struct index, trace_options.format, trace_options.xlen,
		trace_options.pattern, trace_options.unit),
	BRANCH_PROGRAM_OPTION(struct index, symbols),
	QUIET_ALONE,
	{0},
};

static const struct ear_progress progress = {
	.size = sizeof(struct ear_progress), .call = cli_progress_call};

/* Where an index may be written: the folder of the trace, or that of -o, and the cache. */
static void find_folders(struct index *index)
{
	const char *file =
		index->trace_options.index_file ? index->trace_options.index_file : index->path;
	const char *slash = strrchr(file, '/');

	snprintf(index->folder, sizeof(index->folder), "%.*s", slash ? (int)(slash - file) + 1 : 1,
		slash ? file : ".");
	if (!trace_input_make_cache(
		    index->trace_options.index_cache, index->cache, sizeof(index->cache)))
		index->cache[0] = '\0';
}

/* A text in JSON: what cannot be in one is escaped. */
static const char *action(const struct ear_index_facts *facts)
{
	return facts->extended ? "extended" : facts->built ? "built" : "found";
}

static void print_verdict(const struct index *index, struct json *json)
{
	struct ear_missing missing = {.size = sizeof(missing)};
	struct verdict verdict = {0};

	if (ear_trace_missing(index->trace, 0, UINT64_MAX, &missing, &progress) == 0)
		verdict_add(&verdict, index->path, &missing);
	cli_progress_clear();
	verdict_json(&verdict, json);
}

static void print_json(const struct index *index, const struct ear_index_facts *facts)
{
	double bits =
		facts->records > 0 ? 8.0 * (double)facts->file_size / (double)facts->records : 0;

	struct json json = json_spaced();
	json_open(&json, NULL, '{');
	json_text(&json, "index", facts->file);
	json_text(&json, "action", action(facts));
	json_bool(&json, "cached", facts->cached);
	json_bool(&json, "verified", index->verify);
	json_number(&json, "size", facts->file_size);
	json_number(&json, "records", facts->records);
	json_real(&json, "bits_per_record", bits, 4);
	if (facts->built && facts->build_seconds > 0) {
		json_real(&json, "seconds", facts->build_seconds, 3);
		json_real(&json, "records_per_second",
			(double)facts->built_records / facts->build_seconds, 0);
	}
	print_verdict(index, &json);
	json_close(&json, '}');
	putchar('\n');
}

static void print_text(const struct index *index, const struct ear_index_facts *facts)
{
	printf("%s: %s%s\n", facts->file, action(facts), facts->cached ? ", in the cache" : "");
	printf("records: %" PRIu64 "\n", facts->records);
	printf("size: %" PRIu64 "\n", facts->file_size);
	if (facts->records > 0)
		printf("bits_per_record: %.4f\n",
			8.0 * (double)facts->file_size / (double)facts->records);
	if (facts->built && facts->build_seconds > 0)
		printf("records_per_second: %.0f\n",
			(double)facts->built_records / facts->build_seconds);
	if (index->verify)
		printf("verified: yes\n");
}

static int make_index(struct index *index)
{
	struct ear_index_facts facts = {.size = sizeof(facts)};
	int result = ear_trace_index(index->trace, index->rebuild, &progress);

	cli_progress_clear();
	if (result <= 0) {
		cli_error("%s: %s", index->path,
			result == EAR_E_CANCELLED ? "interrupted; no index was written"
						  : ear_trace_error(index->trace));
		return EAR_EXIT_FAILED;
	}
	if (index->verify) {
		result = ear_trace_index_verify(index->trace, &progress);
		cli_progress_clear();
		if (result) {
			cli_error("%s: %s; 'earshot index --rebuild' builds it anew", index->path,
				ear_trace_error(index->trace));
			return EAR_EXIT_FAILED;
		}
	}
	if (ear_trace_index_facts(index->trace, &facts) != 0 || !facts.file)
		return EAR_EXIT_FAILED;
	if (index->json)
		print_json(index, &facts);
	else
		print_text(index, &facts);
	return EAR_EXIT_DONE;
}

static int index_file(struct index *index)
{
	struct ear_trace_options *options = &index->trace_options;
	int status = EAR_EXIT_FAILED;

	find_folders(index);
	if (index->symbols.elf)
		symbol_file_prepare(&index->symbols);
	confine_trace(index->path);
	confine_index(
		(const char *const[]){index->folder, index->cache[0] ? index->cache : NULL, NULL});
	if (!files_write("", "-") || !files_read("", index->path) ||
		(options->index_file && !files_write("-o", options->index_file)))
		return EAR_EXIT_FAILED;
	cli_catch_signals(NULL);
	options->size = sizeof(*options);
	options->index = index->no_build ? EAR_INDEX_EXISTING : EAR_INDEX_AUTO;
	options->progress = &progress;
	options->error = index->error;
	int result = symbol_file_open_trace(&index->symbols, &index->trace, index->path, options);
	if (result == 0)
		status = make_index(index);
	else if (result < 0)
		cli_error("%s", index->error);
	ear_trace_close(index->trace);
	symbol_file_close(&index->symbols);
	return status;
}

static int run(int argc, char **argv)
{
	static struct index index;
	int status;

	index = (struct index){0};
	int first = options_parse(&cmd_index, argc, argv, &index, &status);
	if (first < 0)
		return status;
	if (argc - first != 1)
		return cli_usage("index", "%s", argc == first ? "which file?" : "one file, please");
	if (index.rebuild && index.no_build)
		return cli_usage("index", "--rebuild and --no-build exclude each other");
	index.path = argv[first];
	return index_file(&index);
}

const struct command cmd_index = {
	.name = "index",
	.arguments = "[OPTION]... FILE",
	.summary = "make questions to a long trace fast",
	.about =
		"Build the index of FILE, a capture or a trace in any text format, if it has none that "
		"fits, and print where it is. With it, searches and questions about a moment read a small "
		"part of FILE. Commands that need it build it themselves. It can be deleted at any time.",
	.options = table,
	.notes =
		"An index knows which places were executed, read and written, and which registers; a search "
		"for a value or an opcode alone reads all of FILE.",
	.exit_status = "0 there is an index, 2 there is none, or it does not fit FILE.",
	.run = run,
};
