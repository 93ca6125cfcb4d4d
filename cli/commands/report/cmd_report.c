/* 'earshot report': a page to look at, made of what other commands print. Nothing is computed here:
 * this runs them (report_run.c), cuts what is too long, and writes the file (report_page.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/process.h"
#include "cli/commands/cmd.h"
#include "cli/commands/report/report.h"
#include "cli/input/source_paths.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"
#include "cli/options/options.h"
#include "cli/report/report_bundle.h"

#define SIZE_DEFAULT    UINT64_C(4500000)
#define RECORDS_DEFAULT 2000
#define TRIES_MAX       4u /* of one section, to become smaller */
#define LIMIT_LEAST     256u

struct request {
	struct report report;
	struct trace_input input; /* what its options set is checked here, and used by commands */
	struct moment_option from, to;
	struct source_paths paths;
	const char *task;
};

static bool take_source(void *value, const struct command_option *option, const char *argument)
{
	return source_paths_take(value, option, argument);
}

static const struct command_option table[] = {
	{"output", 'o', "FILE", VALUES_FILES,
		.text = "Write to FILE, which is there when it is whole; `-` is standard output.",
		OPTION_VALUE(struct request, report.output)},
	{"jobs", 'j', "N", .text = "Commands that run at a time (default 2).",
		OPTION_VALUE(struct request, report.jobs), .min = 1, .max = CLI_JOBS_MAX},
	{"size", 0, "BYTES",
		.text = "How long FILE may become (default 4.5M): of the timeline, the flame graph and "
			"long lists less is shown, and the page says so.",
		OPTION_VALUE(struct request, report.size), .min = 1, .max = UINT64_MAX},
	{"records", 0, "N",
		.text = "Show the last N records one by one (default 2000); with --from or --to the "
			"first N of that range.",
		OPTION_VALUE(struct request, report.records), .min = 1, .max = 1000000},
	{"from", 0, "PLACE", MOMENT_VALUES,
		.text = "Begin with PLACE, where a command can: " MOMENT_FORMS " ({MOMENTS}).",
		OPTION_TAKEN(moment_option_take, struct request, from)},
	{"to", 0, "PLACE", MOMENT_VALUES, .text = "End with PLACE, likewise.",
		OPTION_TAKEN(moment_option_take, struct request, to)},
	{"task", 0, "TASK", .text = "Of commands that have this option: this task only.",
		OPTION_VALUE(struct request, task)},
	{"source", 0, "OLD=NEW",
		.text = "Paths of sources that begin with OLD begin with NEW; repeat for more.",
		OPTION_TAKEN(take_source, struct request, paths)},
	{"no-index", 0, .text = "Read FILE from its beginning, and build no index.",
		OPTION_SETS(struct request, input.options.index, EAR_INDEX_NONE)},
	OPTION_GROUP(symbol_file_options, struct request, input.symbols),
	OPTION_GROUP(trace_input_options, struct request, input),
	{0},
};

/* Options of the report itself: no command gets them. */
static bool is_own(const char *name)
{
	static const char *const own[] = {"output", "jobs", "size", "records", "quiet"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(own[i], name) == 0)
			return true;
	return false;
}

static bool take_any(void *context, const struct command_option *option, const char *argument)
{
	struct report *report = context;

	if (is_own(option->name))
		return true;
	if (report->option_count == REPORT_OPTIONS_MAX)
		return false;
	report->options[report->option_count++] = (struct report_option){option, argument};
	return true;
}

/* ---- Columns. ---- */

/* The head of columns, which begins with what is wanted of it. */
struct columns_head {
	char text[4096];
};

static void read_head(struct columns_head *head, const struct report_section *section)
{
	const ssize_t size = pread(fileno(section->output), head->text, sizeof(head->text) - 1, 12);

	head->text[size > 0 ? size : 0] = '\0';
}

/* 0: it is not there. */
static uint64_t number_of(const struct columns_head *head, const char *name)
{
	char key[64];

	snprintf(key, sizeof(key), "\"%s\":", name);
	const char *at = strstr(head->text, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* How many rows a section has that its limit is about; its limit, if that is not known. */
static uint64_t rows_of(const struct report_section *section)
{
	struct columns_head head;

	if (section->kind != REPORT_COLUMNS)
		return section->limit;
	read_head(&head, section);
	const uint64_t rows = strcmp(section->name, "flame") == 0
				      ? number_of(&head, "nodes") - number_of(&head, "merged")
				      : number_of(&head, "slices");
	return rows < section->limit ? rows : section->limit;
}

/* ---- The size. ---- */

/* The largest section that can become smaller; NULL: none can. */
static struct report_section *find_largest(struct report *report)
{
	struct report_section *largest = NULL;

	for (size_t i = 0; i < report->section_count; i++) {
		struct report_section *section = &report->sections[i];
		if (section->limit <= LIMIT_LEAST || section->kind == REPORT_NONE ||
			section->tries >= TRIES_MAX)
			continue;
		if (!largest || section->packed_bytes > largest->packed_bytes)
			largest = section;
	}
	return largest;
}

/* Run sections again, with less of each, until the file is short enough. */
static bool make_smaller(struct report *report)
{
	uint64_t size;

	while ((size = report_page_size(report)) > report->size) {
		struct report_section *section = find_largest(report);
		if (!section)
			return true;
		const uint64_t over = size - report->size, has = section->packed_bytes;
		const uint64_t rows = rows_of(section);
		/* Not less than an eighth at once: others may be as large. */
		uint64_t share = has > over ? has - over : 0;
		share = share > has / 8 ? share : has / 8;
		uint64_t limit =
			(uint64_t)((double)rows * 0.9 * (double)share / (double)(has ? has : 1));
		report_set_limit(section, limit > LIMIT_LEAST ? limit : LIMIT_LEAST);
		section->tries++;
		section->started = section->done = false;
		if (!report_run(report))
			return false;
	}
	return true;
}

/* ---- What is not in it. ---- */

static void leave_out(struct report *report, const char *text)
{
	if (report->left_out_count < REPORT_LEFT_OUT_MAX)
		snprintf(report->left_out[report->left_out_count++], sizeof(report->left_out[0]),
			"%s", text);
}

static void note_columns(struct report *report, const struct report_section *section)
{
	struct columns_head head;
	char text[200];

	read_head(&head, section);
	const uint64_t merged = number_of(&head, "merged");
	if (merged == 0)
		return;
	if (strcmp(section->name, "flame") == 0)
		snprintf(text, sizeof(text),
			"trace %d: %" PRIu64 " nodes of the flame graph with fewer than %" PRIu64
			" records are put together in those that they are in",
			section->trace + 1, merged, number_of(&head, "smaller_than"));
	else
		snprintf(text, sizeof(text),
			"trace %d: %" PRIu64 " slices of the timeline shorter than %" PRIu64
			" %s are counted in those that they are in",
			section->trace + 1, merged, number_of(&head, "shorter_than"),
			strstr(head.text, "\"unit\":\"records\"") ? "records" : "units of time");
	leave_out(report, text);
}

/* A list of calls ends with its limit, and then with the verdict. */
static bool is_limited(const struct report_section *section)
{
	uint64_t lines = 0;
	int c;

	if (strcmp(section->name, "calls") != 0 || section->kind != REPORT_LINES)
		return false;
	rewind(section->output);
	while ((c = getc(section->output)) != EOF)
		lines += c == '\n';
	return lines > section->limit;
}

static void note_left_out(struct report *report)
{
	for (size_t i = 0; i < report->section_count; i++) {
		const struct report_section *section = &report->sections[i];
		char text[200];
		if (section->kind == REPORT_COLUMNS) {
			note_columns(report, section);
		} else if (is_limited(section)) {
			snprintf(text, sizeof(text),
				"trace %d: of the calls there are the %" PRIu64 " longest",
				section->trace + 1, section->limit);
			leave_out(report, text);
		}
		if (section->kind != REPORT_COLUMNS && section->kind != REPORT_NONE &&
			section->tries > 0 && !is_limited(section)) {
			snprintf(text, sizeof(text),
				"trace %d: of %s there are %" PRIu64 " rows at most",
				section->trace + 1, section->name, section->limit);
			leave_out(report, text);
		}
	}
	const uint64_t size = report_page_size(report);
	char text[200];
	if (size > report->size) {
		snprintf(text, sizeof(text),
			"nothing more can be left out: the report has %" PRIu64
			" bytes, more than --size",
			size);
		leave_out(report, text);
	}
}

static void say_left_out(const struct report *report)
{
	if (report->quiet)
		return;
	for (size_t i = 0; i < report->left_out_count; i++)
		cli_warning("left out: %s", report->left_out[i]);
}

/* ---- The file. ---- */

/* Where the page goes. A new file, which takes the name when it is whole: half a report never has
 * it. It is opened before the commands run, who take long. */
struct page_file {
	const char *path;
	FILE *file;
	char temporary[4200]; /* "": it is written to path itself */
};

static bool open_temporary(struct page_file *page)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (uint64_t)getpid();
	snprintf(page->temporary, sizeof(page->temporary), "%.4096s.%016" PRIx64 ".tmp", page->path,
		random);
	const int fd = open(page->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	page->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!page->file)
		cli_error("%s: %s", page->temporary, strerror(errno));
	return page->file;
}

static bool open_page(struct page_file *page, const char *path)
{
	struct stat status;

	page->path = path;
	if (strcmp(path, "-") == 0) {
		page->path = "standard output";
		page->file = stdout;
		return true;
	}
	if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
		return open_temporary(page);
	page->file = fopen(path, "we");
	if (!page->file)
		cli_error("%s: %s", path, strerror(errno));
	return page->file;
}

static bool fail_page(const struct page_file *page)
{
	cli_error("%s: %s", page->path,
		cli_interrupted ? "interrupted" : strerror(errno ? errno : EIO));
	return false;
}

static bool write_page(struct page_file *page, struct report *report)
{
	bool good = report_write_page(report, page->file) || fail_page(page);

	if (page->file != stdout && fclose(page->file) != 0 && good)
		good = fail_page(page);
	page->file = NULL;
	if (!good || !page->temporary[0])
		return good;
	if (cli_interrupted || rename(page->temporary, page->path) != 0)
		return fail_page(page);
	page->temporary[0] = '\0';
	return true;
}

static void close_page(struct page_file *page)
{
	if (page->file && page->file != stdout)
		fclose(page->file);
	if (page->temporary[0])
		(void)unlink(page->temporary);
}

/* ---- The command. ---- */

/* What a command printed as errors, as if this one had. */
static void repeat_errors(const struct report_section *section)
{
	char line[4096];

	if (!section->errors)
		return;
	rewind(section->errors);
	while (fgets(line, sizeof(line), section->errors))
		fputs(line, stderr);
}

/* A file of which no command could count records is no trace. */
static bool check_traces(const struct report *report)
{
	for (int trace = 0; trace < (int)report->trace_count; trace++) {
		if (report_find(report, "check", trace) || report_find(report, "profile", trace))
			continue;
		for (size_t i = 0; i < report->section_count; i++)
			if (report->sections[i].trace == trace &&
				strcmp(report->sections[i].name, "profile") == 0)
				repeat_errors(&report->sections[i]);
		cli_error("%s: there is nothing to report of it", report->traces[trace]);
		return false;
	}
	return true;
}

static bool name_files(const struct request *request)
{
	const struct report *report = &request->report;
	const char *elf = request->input.symbols.elf;

	for (size_t i = 0; i < report->trace_count; i++) {
		if (!files_read("", report->traces[i]))
			return false;
		if (access(report->traces[i], R_OK) != 0) {
			cli_error("%s: %s", report->traces[i], strerror(errno));
			return false;
		}
	}
	return (!elf || files_read("--elf", elf)) && files_write("-o", report->output);
}

static int make(struct report *report, struct page_file *page)
{
	if (!report_run(report) || !check_traces(report))
		return EAR_EXIT_FAILED;
	for (size_t i = 0; i < report->trace_count; i++)
		if (!report_make_places(report, i))
			return EAR_EXIT_FAILED;
	if (!report_run(report) || !make_smaller(report))
		return EAR_EXIT_FAILED;
	note_left_out(report);
	say_left_out(report);
	const bool good = write_page(page, report);
	const int status = report_judge(report);
	return good ? status : EAR_EXIT_FAILED;
}

static int prepare_and_make(struct request *request)
{
	struct report *report = &request->report;
	struct page_file page = {.file = NULL};
	int status = EAR_EXIT_FAILED;

	if (!name_files(request) || !process_self(report->program, sizeof(report->program)) ||
		!report_make_sections(report))
		return status;
	cli_catch_signals(NULL);
	if (open_page(&page, report->output))
		status = make(report, &page);
	close_page(&page);
	return status;
}

static const char *check(const struct report *report, int count, char **words)
{
	if (count == 0)
		return "which trace?";
	if (count > REPORT_TRACES_MAX)
		return "one trace, or two";
	if (!report->output)
		return "where to? (-o FILE)";
	for (int i = 0; i < count; i++)
		if (strcmp(words[i], "-") == 0)
			return "the trace is read several times: it cannot be standard input";
	return NULL;
}

static int run(int argc, char **argv)
{
	static struct request request = {
		.report = {.jobs = 2, .size = SIZE_DEFAULT, .records = RECORDS_DEFAULT},
		.input = TRACE_INPUT_DEFAULTS};
	struct report *report = &request.report;
	int status;
	const int first = options_parse(&cmd_report, argc, argv, &request, &status);

	if (first < 0)
		return status;
	const char *wrong = check(report, argc - first, argv + first);
	if (wrong)
		return cli_usage("report", "%s", wrong);
	if (ear_report_script_size == 0) {
		cli_error("this earshot was built without the page of reports: build it with "
			  "-DEAR_REPORT=ON, which needs node and npm (scripts/setup --develop)");
		return EAR_EXIT_FAILED;
	}
	if (options_walk(&cmd_report, argc, argv, take_any, report) < 0)
		return cli_usage("report", "too many options");
	report->quiet = request.input.quiet;
	report->trace_count = (size_t)(argc - first);
	for (size_t i = 0; i < report->trace_count; i++)
		report->traces[i] = argv[first + (int)i];
	status = prepare_and_make(&request);
	report_free(report);
	source_paths_fini(&request.paths);
	symbol_file_close(&request.input.symbols);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.arguments = "[OPTION]... FILE [OTHER] -o REPORT.html",
	.summary = "a page to look at and to share: what happened, where time went",
	.about =
		"Write one HTML file that shows what FILE, a capture or a trace of any format, has: how it "
		"ended, what is missing, flame graph, timeline, source, coverage, memory, and of two traces "
		"their first difference. It opens in a browser without a network.",
	.options = table,
	.notes =
		"Each part of the page is what a command of earshot prints, and the page names the command. "
		"A command that fails leaves its part empty, with its message. Options that a command has, "
		"too, as --elf or --task, are passed to it.",
	.exit_status =
		"0 the report was made, whatever it says; 2 it could not be made, or it was made and "
		"a trace is damaged.",
	.run = run,
};
