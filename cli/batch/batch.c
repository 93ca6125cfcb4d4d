/* A command over many traces. The parent lists them, runs the command once for each in a child
 * process, and puts together what they print. It reads no byte of a trace itself.
 */
#define _GNU_SOURCE /* asprintf */
#include "cli/batch/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/outlet.h"
#include "cli/base/progress.h"
#include "cli/batch/batch_list.h"
#include "cli/batch/batch_run.h"
#include "cli/batch/batch_table.h"
#include "cli/options/options.h"

#define WORDS_MAX 256

struct batch {
	const struct command *command;
	const struct batch_rules *rules;

	/* The command line of a child: its name, the options as "--name=argument", "--", a trace,
	 * NULL. */
	char *words[WORDS_MAX + 4];
	int word_count; /* without the last three */
	unsigned jobs;
	bool json, quiet;

	struct batch_list list;
	struct batch_table table;
	size_t printed; /* traces of which something was printed */
	bool usage;     /* the command line is wrong */
};

bool batch_take_jobs(void *value, const struct command_option *option, const char *argument)
{
	unsigned jobs;

	(void)value;
	return option_unsigned(
		&jobs, option, argument, (unsigned)option->min, (unsigned)option->max);
}

/* ---- The command line. ---- */

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	struct batch *batch = context;
	char **word = &batch->words[batch->word_count];

	if (strcmp(option->name, "jobs") == 0) {
		uint64_t jobs;
		const bool good = cli_parse_count(&jobs, argument) && jobs >= option->min &&
				  jobs <= option->max;
		batch->jobs = good ? (unsigned)jobs : 0;
		return good;
	}
	batch->json = batch->json || strcmp(option->name, "json") == 0;
	batch->quiet = batch->quiet || strcmp(option->name, "quiet") == 0;
	if (batch->word_count == WORDS_MAX)
		return false;
	if (asprintf(word, "--%s%s%s", option->name, argument ? "=" : "",
		    argument ? argument : "") < 0)
		*word = NULL;
	batch->word_count++;
	return *word != NULL;
}

/* Threads are for traces first; what is left of them is for each trace. */
static void add_jobs(struct batch *batch)
{
	const size_t count = batch->list.count ? batch->list.count : 1;
	const unsigned threads = batch->jobs > count ? batch->jobs / (unsigned)count : 1;

	if (threads > 1 && asprintf(&batch->words[batch->word_count], "--jobs=%u", threads) > 0)
		batch->word_count++;
}

/* ---- A trace. ---- */

static int work(void *context, size_t index)
{
	struct batch *batch = context;
	const struct batch_item *item = &batch->list.items[index];

	if (item->error) {
		cli_error("%s: %s", item->path, item->error);
		return EAR_EXIT_FAILED;
	}
	batch->words[batch->word_count] = (char *)"--";
	batch->words[batch->word_count + 1] = item->path;
	return batch->command->run(batch->word_count + 2, batch->words);
}

static void read_notes(struct batch *batch, size_t index, FILE *notes)
{
	char *line = NULL, name[32];
	size_t room = 0;
	uint64_t number;

	while (getline(&line, &room, notes) > 0)
		if (strncmp(line, "usage ", 6) == 0)
			batch->usage = true;
		else if (sscanf(line, "%31s %" SCNu64, name, &number) == 2)
			batch_table_note(&batch->table.rows[index], &batch->table, name, number);
	free(line);
}

static bool is_empty(FILE *file)
{
	const int byte = fgetc(file);

	rewind(file);
	return byte == EOF;
}

/* Each line after the name of its trace. */
static void print_lines(const char *path, FILE *output)
{
	char *line = NULL;
	size_t room = 0;

	for (ssize_t size; (size = getline(&line, &room, output)) > 0;) {
		batch_table_print_name(stdout, path);
		putchar(':');
		fwrite(line, 1, (size_t)size, stdout);
	}
	free(line);
}

static void print_block(struct batch *batch, const char *path, FILE *output)
{
	if (batch->printed++ > 0)
		putchar('\n');
	fputs("trace: ", stdout);
	batch_table_print_name(stdout, path);
	putchar('\n');
	fflush(stdout);
	batch_copy(output, STDOUT_FILENO);
}

/* What a child printed as a value: null if that is nothing. */
static void print_json(struct batch *batch, size_t index, FILE *output)
{
	fputs(batch->printed++ > 0 ? ",\n  {" : "\n  {", stdout);
	batch_table_json_row(&batch->table, index);
	fputs(", \"answer\": ", stdout);
	if (is_empty(output))
		fputs("null", stdout);
	fflush(stdout);
	batch_copy(output, STDOUT_FILENO);
	putchar('}');
}

static void print_answer(struct batch *batch, size_t index, FILE *output)
{
	const char *path = batch->list.items[index].path;

	if (batch->json)
		print_json(batch, index, output);
	else if (is_empty(output))
		return;
	else if (batch->rules->lines)
		print_lines(path, output);
	else
		print_block(batch, path, output);
	fflush(stdout);
}

static void show_progress(struct batch *batch)
{
	char text[160];

	batch_table_progress(&batch->table, text, sizeof(text));
	cli_progress("%s", text);
}

static bool take(void *context, size_t index, struct batch_result *result)
{
	struct batch *batch = context;
	struct batch_table *table = &batch->table;

	cli_progress_clear();
	read_notes(batch, index, result->notes);
	batch_copy(result->errors, STDERR_FILENO);
	if (batch->usage)
		return false;
	batch_table_set(table, index,
		result->stopped                   ? BATCH_NOT_DONE
		: result->status == EAR_EXIT_DONE ? BATCH_DONE
		: result->status == EAR_EXIT_NO   ? BATCH_NO
						  : BATCH_FAILED);
	print_answer(batch, index, result->output);
	if (result->signal && !result->stopped)
		cli_error("%s: the process that read it was ended by signal %d",
			batch->list.items[index].path, result->signal);
	show_progress(batch);
	return !ferror(stdout);
}

/* ---- All of them. ---- */

static int run_all(struct batch *batch)
{
	const struct batch_work all = {batch, batch->list.count, batch->jobs, work, take};

	if (batch->json)
		fputs("{\"traces\": [", stdout);
	show_progress(batch);
	batch_run(&all);
	cli_progress_clear();
	if (batch->usage)
		return EAR_EXIT_FAILED;
	if (cli_interrupted)
		cli_error("interrupted: %zu of %zu traces were not done",
			batch->table.counts[BATCH_NOT_DONE], batch->list.count);
	if (batch->json) {
		fputs(batch->printed > 0 ? "\n],\n" : "],\n", stdout);
		batch_table_json_total(&batch->table);
		fputs("}\n", stdout);
	} else if (!batch->quiet || !batch->rules->silent) {
		if (batch->printed > 0 && !batch->rules->lines)
			putchar('\n');
		batch_table_print(&batch->table, batch->rules->lines ? stderr : stdout);
	}
	return batch_table_status(&batch->table);
}

/* Is it one file after all: a folder that is a trace? */
static bool is_one(const struct batch *batch, char **words, int count)
{
	return count == 1 && words[0][0] != '@' && batch->list.count == 1 &&
	       !batch->list.items[0].error && strcmp(batch->list.items[0].path, words[0]) == 0;
}

static bool run(struct batch *batch, char **words, int count, int *status)
{
	char text[256];

	*status = EAR_EXIT_FAILED;
	if (!batch_list_make(&batch->list, words, count))
		return true;
	if (is_one(batch, words, count))
		return false;
	if (batch->list.count == 0) {
		batch_list_text(&batch->list, text, sizeof(text));
		cli_error("%s: there is no trace in it: %s", words[0], text);
		return true;
	}
	add_jobs(batch);
	if (batch_table_init(&batch->table, &batch->list, batch->rules->columns, batch->rules->no))
		*status = run_all(batch);
	return true;
}

bool batch_command(const struct command *command, int argc, char **argv, int *status)
{
	struct batch *batch = command->batch ? calloc(1, sizeof(*batch)) : NULL;

	if (!batch)
		return false;
	batch->command = command;
	batch->rules = command->batch;
	batch->jobs = 1;
	batch->words[batch->word_count++] = strdup(argv[0]);
	const int first = options_walk(command, argc, argv, take_option, batch);
	const bool done = first > 0 && batch_list_is_wanted(argv + first, argc - first) &&
			  run(batch, argv + first, argc - first, status);
	for (int i = 0; i < batch->word_count; i++)
		free(batch->words[i]);
	batch_table_fini(&batch->table);
	batch_list_free(&batch->list);
	free(batch);
	return done;
}
