/* The order in which a command that counts does things: words are checked before files are opened,
 * outputs before rights are given up, and what was counted is finished before it is shown.
 */
#include "cli/input/analysis_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/batch/batch_list.h"
#include "cli/batch/batch_table.h"
#include "cli/input/trace_command.h"
#include "cli/options/options.h"

/* What is read, before there are outputs: none of these is begun for a trace that is not there. */
static bool check_files(const struct analysis_command *counting, char **paths, int count)
{
	struct trace_input *input = &counting->source->input;

	files_read_all(paths, (size_t)count);
	input->path = paths[0];
	for (int i = 0; i < count && counting->prepare; i++)
		if (strcmp(paths[i], "-") == 0 || access(paths[i], R_OK) == 0)
			return true;
	if (!counting->prepare)
		return true;
	for (int i = 0; i < count; i++)
		cli_error("%s: %s", paths[i],
			access(paths[i], R_OK) == 0 ? "it cannot be read" : strerror(errno));
	return false;
}

/* Parts begin where an index has places; one that begins with the trace needs none. */
static void choose_index(struct analysis_input *source)
{
	const struct trace_parts *parts = &source->parts;

	if (!parts->from.text && !parts->to.text && parts->part == 0 &&
		(parts->plan.jobs == 1 || parts->in_order))
		source->input.options.index = EAR_INDEX_NONE;
}

static int show_part(const struct analysis_command *counting, bool good)
{
	struct analysis_input *source = counting->source;

	good = good && !cli_interrupted;
	if (good)
		files_begin();
	if (counting->show_part)
		return counting->show_part(counting->request, good);
	return good && analysis_input_write_part(source, stdout) ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* Of what was shown. */
static int judge(const struct analysis_command *counting, int status)
{
	const struct trace_input *input = &counting->source->input;

	return verdict_end(&input->verdict, input->quiet, status, true);
}

static int count_all(const struct analysis_command *counting, char **paths, int count)
{
	struct analysis_input *source = counting->source;

	if (!check_files(counting, paths, count) ||
		(counting->prepare && !counting->prepare(counting->request)))
		return EAR_EXIT_FAILED;
	choose_index(source);
	source->quiet = source->input.quiet;
	bool good = counting->read ? counting->read(counting->request, paths, count)
				   : analysis_input_read(source, paths, count);
	if (source->parts.part > 0)
		return judge(counting, show_part(counting, good));
	/* Of nothing nothing is shown. That no such task ran was said. */
	if (!good && (!source->begun ||
			     (source->tasks.task && !source->tasks.ran && !source->unchecked)))
		return EAR_EXIT_FAILED;
	good = analysis_input_finish(source) && good;
	return judge(counting, counting->show(counting->request, good));
}

/* Words that are several traces to these. What a folder or a list has besides is said; what cannot
 * be read of them is a failure, which leaves the others. */
struct traces {
	struct batch_list list;
	char **paths;
	int count;
	struct analysis_row *rows;
	size_t *items; /* in the list, of each path */
	bool failed;
};

static bool list_traces(struct traces *traces, char **words, int count)
{
	char text[256];

	if (!batch_list_make(&traces->list, words, count))
		return false;
	const struct batch_list *list = &traces->list;
	traces->paths = calloc(list->count + 1, sizeof(*traces->paths));
	traces->rows = calloc(list->count + 1, sizeof(*traces->rows));
	traces->items = calloc(list->count + 1, sizeof(*traces->items));
	const bool room = traces->paths && traces->rows && traces->items;
	for (size_t i = 0; room && i < list->count; i++) {
		const struct batch_item *item = &list->items[i];

		traces->failed = traces->failed || item->error;
		if (item->error)
			cli_error("%s: %s", item->path, item->error);
		else
			traces->items[traces->count] = i;
		if (!item->error)
			traces->paths[traces->count++] = item->path;
	}
	batch_list_text(list, text, sizeof(text));
	if (!room)
		cli_error("out of memory");
	else if (traces->count == 0)
		batch_list_fail_empty(list, words[0]);
	return traces->count > 0;
}

/* A command that has rows of its own notes none here. */
static bool has_rows(const struct traces *traces)
{
	for (int i = 0; i < traces->count; i++)
		if (traces->rows[i].state != ANALYSIS_NOT_DONE)
			return true;
	return false;
}

/* What became of each, and how many records were counted: on standard error, where it does not
 * mix with the one answer. */
static void print_table(const struct traces *traces)
{
	static const char *const columns[] = {"records", NULL};
	static const enum batch_state states[] = {[ANALYSIS_NOT_DONE] = BATCH_NOT_DONE,
		[ANALYSIS_DONE] = BATCH_DONE,
		[ANALYSIS_FAILED] = BATCH_FAILED};
	struct batch_table table;

	if (!batch_table_init(&table, &traces->list, columns, NULL))
		return;
	for (size_t i = 0; i < traces->list.count; i++)
		if (traces->list.items[i].error)
			batch_table_set(&table, i, BATCH_FAILED);
	for (int i = 0; i < traces->count; i++) {
		const struct analysis_row *row = &traces->rows[i];

		batch_table_set(&table, traces->items[i], states[row->state]);
		if (row->known)
			batch_table_note(
				&table.rows[traces->items[i]], &table, columns[0], row->records);
	}
	fflush(stdout);
	batch_table_print(&table, stderr);
	batch_table_fini(&table);
}

static int count_listed(const struct analysis_command *counting, char **words, int count)
{
	struct traces traces = {.count = 0};
	int status = EAR_EXIT_FAILED;

	if (list_traces(&traces, words, count)) {
		counting->source->rows = traces.rows;
		status = count_all(counting, traces.paths, traces.count);
		if (!counting->source->input.quiet && has_rows(&traces))
			print_table(&traces);
	}
	if (traces.failed)
		status = EAR_EXIT_FAILED;
	counting->source->rows = NULL;
	free(traces.paths);
	free(traces.rows);
	free(traces.items);
	batch_list_free(&traces.list);
	return status;
}

static int run(const struct analysis_command *counting, int argc, char **argv)
{
	int status;

	const int first = options_parse(counting->command, argc, argv, counting->request, &status);
	if (first < 0)
		return status;
	const bool of_parts = first < argc && part_file_is_one(argv[first]);
	const char *wrong = trace_command_check(argc - first, counting->several || of_parts);
	if (!wrong && counting->source->parts.part > 0 && (of_parts || argc - first > 1))
		wrong = "--part is of one trace";
	if (!wrong && counting->check)
		wrong = counting->check(counting->request, of_parts);
	if (wrong)
		return cli_usage(counting->command->name, "%s", wrong);
	if (counting->several && !of_parts && batch_list_is_wanted(argv + first, argc - first))
		return count_listed(counting, argv + first, argc - first);
	return count_all(counting, argv + first, argc - first);
}

int analysis_command_run(const struct analysis_command *counting, int argc, char **argv)
{
	const int status = run(counting, argc, argv);

	analysis_input_close(counting->source);
	return status;
}
