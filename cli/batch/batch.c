/* A command over many traces. The parent lists them, runs the command once for each in a child
 * process, and puts together what they print. It reads no byte of a trace itself.
 */
#define _GNU_SOURCE /* asprintf */
#include "cli/batch/batch.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/outlet.h"
#include "cli/base/progress.h"
#include "cli/batch/batch_groups.h"
#include "cli/batch/batch_junit.h"
#include "cli/batch/batch_list.h"
#include "cli/batch/batch_outputs.h"
#include "cli/batch/batch_run.h"
#include "cli/batch/batch_table.h"
#include "cli/options/options.h"

#define WORDS_MAX 256

struct batch {
	const struct command *command;
	const struct batch_rules *rules;

	/* The command line of a child: its name, the options as "--name=argument", "--", a trace
	 * or two, NULL. */
	char *words[WORDS_MAX + 6];
	int word_count; /* without "--" and what follows */
	unsigned jobs;
	bool json, quiet, overwrite;
	const char *pair, *junit, *output; /* options that the children do not get */

	const char *format; /* -f, if outputs are written */

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

bool batch_take_nothing(void *value, const struct command_option *option, const char *argument)
{
	(void)value;
	(void)option;
	(void)argument;
	return true;
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
	if (batch->rules->pairs && strcmp(option->name, "pair") == 0) {
		batch->pair = argument;
		return true;
	}
	if (batch->rules->junit && strcmp(option->name, "junit") == 0) {
		batch->junit = argument;
		return true;
	}
	if (batch->rules->ending && strcmp(option->name, "output") == 0) {
		batch->output = argument;
		return true;
	}
	if (batch->rules->ending && strcmp(option->name, "overwrite") == 0) {
		batch->overwrite = true;
		return true;
	}
	if (batch->rules->ending && strcmp(option->name, "format") == 0)
		batch->format = argument;
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
	int count = batch->word_count;
	char output[PATH_MAX + 16];
	if (item->output) {
		if (!batch_outputs_make_folders(item->output))
			return EAR_EXIT_FAILED;
		snprintf(output, sizeof(output), "--output=%s", item->output);
		batch->words[count++] = output;
	}
	batch->words[count++] = (char *)"--";
	batch->words[count++] = item->path;
	if (item->other)
		batch->words[count++] = item->other;
	return batch->command->run(count, batch->words);
}

/* A line without its end, as the text of a row. */
static void set_text(struct batch_row *row, const char *line)
{
	if (!row->text)
		row->text = strndup(line, strcspn(line, "\n"));
}

/* The last error says why it failed. */
static void read_errors(struct batch_row *row, FILE *errors)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, errors) > 0) {
		const bool is_error = strncmp(line, "earshot: ", 9) == 0 &&
				      strncmp(line + 9, "warning: ", 9) != 0;
		if (!is_error)
			continue;
		free(row->text);
		row->text = NULL;
		set_text(row, line + 9);
	}
	free(line);
	rewind(errors);
}

static void read_notes(struct batch *batch, size_t index, FILE *notes)
{
	char *line = NULL, name[32];
	size_t room = 0;
	uint64_t number;

	while (getline(&line, &room, notes) > 0)
		if (strncmp(line, "usage ", 6) == 0)
			batch->usage = true;
		else if (strncmp(line, "first ", 6) == 0)
			set_text(&batch->table.rows[index], line + 6);
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

/* Values that are one a line. */
static void print_json_lines(FILE *output)
{
	char *line = NULL;
	size_t room = 0;
	const char *separator = "[";

	for (ssize_t size; (size = getline(&line, &room, output)) > 0; separator = ", ") {
		fputs(separator, stdout);
		fwrite(line, 1, (size_t)(line[size - 1] == '\n' ? size - 1 : size), stdout);
	}
	fputs(*separator == '[' ? "[]" : "]", stdout);
	free(line);
}

/* What a child printed as a value: null if that is nothing. */
static void print_json(struct batch *batch, size_t index, FILE *output)
{
	fputs(batch->printed++ > 0 ? ",\n  {" : "\n  {", stdout);
	batch_table_json_row(&batch->table, index);
	fputs(", \"answer\": ", stdout);
	if (batch->rules->lines || batch->rules->pairs) {
		print_json_lines(output);
	} else if (is_empty(output)) {
		fputs("null", stdout);
	} else {
		fflush(stdout);
		batch_copy(output, STDOUT_FILENO);
	}
	putchar('}');
}

/* Nothing else is printed if the XML goes to standard output. */
static bool is_silent(const struct batch *batch)
{
	return (batch->junit && strcmp(batch->junit, "-") == 0) ||
	       (batch->quiet && batch->rules->silent);
}

static void print_answer(struct batch *batch, size_t index, FILE *output)
{
	const char *path = batch->list.items[index].path;

	if (is_silent(batch))
		return;
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

/* The whole, and where the trace is that runs. */
static void show_trace(void *context, size_t index, const char *line)
{
	struct batch *batch = context;
	char text[160];

	batch_table_progress(&batch->table, text, sizeof(text));
	cli_progress("%s, %s: %s", text, batch->list.items[index].name, line);
}

static bool take(void *context, size_t index, struct batch_result *result)
{
	struct batch *batch = context;
	struct batch_table *table = &batch->table;

	cli_progress_clear();
	read_notes(batch, index, result->notes);
	/* A part of an output is not taken for all of it. */
	const struct batch_item *item = &batch->list.items[index];
	if ((result->stopped || result->signal) && batch_outputs_is_part(item)) {
		(void)unlink(item->output);
		if (item->replaces)
			cli_error("%s: it was begun and is deleted; what was there before is lost",
				item->output);
	}
	if (batch->usage) {
		batch_copy(result->errors, STDERR_FILENO);
		return false;
	}
	batch_table_set(table, index,
		result->stopped                   ? BATCH_NOT_DONE
		: result->status == EAR_EXIT_DONE ? BATCH_DONE
		: result->status == EAR_EXIT_NO   ? BATCH_NO
						  : BATCH_FAILED);
	if (table->rows[index].state == BATCH_FAILED)
		read_errors(&table->rows[index], result->errors);
	batch_copy(result->errors, STDERR_FILENO);
	print_answer(batch, index, result->output);
	if (result->signal && !result->stopped)
		cli_error("%s: the process that read it was ended by signal %d",
			batch->list.items[index].path, result->signal);
	show_progress(batch);
	return !ferror(stdout);
}

/* ---- All of them. ---- */

static void print_end(struct batch *batch)
{
	struct batch_table *table = &batch->table;
	FILE *to = batch->rules->lines ? stderr : stdout;

	if (batch->json) {
		fputs(batch->printed > 0 ? "\n],\n" : "],\n", stdout);
		batch_groups_json(table);
		fputs(",\n", stdout);
		batch_table_json_total(table);
		fputs("}\n", stdout);
		return;
	}
	if (batch->printed > 0 && !batch->rules->lines)
		putchar('\n');
	batch_table_print(table, to);
	batch_groups_print(table, to);
}

/* Returns false after printing why not. */
static bool write_junit(struct batch *batch, FILE *file)
{
	files_begin();
	batch_junit_write(&batch->table, batch->command->name, file);
	const bool good = fflush(file) == 0 && !ferror(file);
	if (!good)
		cli_error("%s: it could not be written", batch->junit);
	if (file != stdout)
		fclose(file);
	return good;
}

static FILE *open_junit(const char *path)
{
	const int fd = files_write("--junit", path) ? files_open(path) : -1;

	return fd < 0 ? NULL : fd == STDOUT_FILENO ? stdout : fdopen(fd, "w");
}

static int run_all(struct batch *batch)
{
	const struct batch_work all = {
		batch, batch->list.count, batch->jobs, work, take, show_trace};
	FILE *junit = batch->junit ? open_junit(batch->junit) : NULL;

	if (batch->junit && !junit)
		return EAR_EXIT_FAILED;
	if (batch->json && !is_silent(batch))
		fputs("{\"traces\": [", stdout);
	show_progress(batch);
	batch_run(&all);
	cli_progress_clear();
	if (batch->usage)
		return EAR_EXIT_FAILED;
	if (cli_interrupted)
		cli_error("interrupted: %zu of %zu traces were not done",
			batch->table.counts[BATCH_NOT_DONE], batch->list.count);
	if (!is_silent(batch))
		print_end(batch);
	const bool written = !junit || write_junit(batch, junit);
	return written ? batch_table_status(&batch->table) : EAR_EXIT_FAILED;
}

/* ---- Its traces. ---- */

/* A folder that is a trace, not one that has some. */
static bool is_trace(const struct batch_list *list, const char *word)
{
	return list->count == 1 && !list->items[0].error && strcmp(list->items[0].path, word) == 0;
}

/* Two folders that are traces are a pair, whatever they are called. */
static bool add_pair(struct batch_list *list, const char *a, const char *b)
{
	if (!batch_list_add(list, a, batch_list_name_at(a), NULL))
		return false;
	list->items[0].other = strdup(b);
	return list->items[0].other != NULL;
}

static bool make_pairs(struct batch *batch, char **words)
{
	struct batch_list a = {0}, b = {0};
	bool good = batch_list_make(&a, words, 1) && batch_list_make(&b, words + 1, 1);

	if (good && is_trace(&a, words[0]) && is_trace(&b, words[1]))
		good = add_pair(&batch->list, words[0], words[1]);
	else if (good)
		good = batch_pairs_make(&batch->list, &a, &b, batch->pair ? batch->pair : "name");

	batch_list_free(&a);
	batch_list_free(&b);
	return good;
}

static bool choose_outputs(struct batch *batch)
{
	if (!batch->output || !batch->format || strcmp(batch->output, "-") == 0) {
		cli_usage(batch->command->name, "several traces need -o FOLDER and -f FORMAT");
		return false;
	}
	const char *ending = batch->rules->ending(batch->format);
	return ending &&
	       batch_outputs_choose(&batch->list, batch->output, ending, batch->overwrite);
}

/* Two folders or lists, not two files or two folders that are traces. */
static bool is_wanted(const struct batch *batch, char **words, int count)
{
	if (batch->rules->own && batch->rules->own(words, count))
		return false;
	return batch->rules->pairs ? count == 2 && batch_list_is_wanted(words, 1) &&
					     batch_list_is_wanted(words + 1, 1)
				   : batch_list_is_wanted(words, count);
}

/* Is it one file after all: a folder that is a trace? */
static bool is_one(const struct batch *batch, char **words, int count)
{
	const struct batch_item *item = batch->list.items;

	return count <= 2 && words[0][0] != '@' && batch->list.count == 1 && !item->error &&
	       strcmp(item->path, words[0]) == 0 &&
	       (!item->other || strcmp(item->other, words[1]) == 0);
}

static bool run(struct batch *batch, char **words, int count, int *status)
{
	*status = EAR_EXIT_FAILED;
	if (!(batch->rules->pairs ? make_pairs(batch, words)
				  : batch_list_make(&batch->list, words, count)))
		return true;
	if (is_one(batch, words, count))
		return false;
	if (batch->list.count == 0) {
		batch_list_fail_empty(&batch->list, words[0]);
		return true;
	}
	add_jobs(batch);
	if (batch->rules->ending && !choose_outputs(batch))
		return true;
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
	const bool done = first > 0 && is_wanted(batch, argv + first, argc - first) &&
			  run(batch, argv + first, argc - first, status);
	for (int i = 0; i < batch->word_count; i++)
		free(batch->words[i]);
	batch_table_fini(&batch->table);
	batch_list_free(&batch->list);
	free(batch);
	return done;
}
