/* The plan of a farm: which command, which traces, how many parts. Who makes it twice makes the
 * same bytes; nothing else decides what a step is.
 */
#include "cli/commands/farm/farm_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/commands/farm/farm_file.h"

/* A part shall be worth its start, which costs some 50 ms, and a slot of a batch engine. */
#define PART_BYTES  ((uint64_t)4 << 20)
#define PARTS_MOST  16u
#define PARTS_LIMIT 10000u

/* Commands that a farm can run. later: options that are said when parts are put together, and not
 * to a part; NULL: the command has no parts. */
static const struct {
	const struct command *command;
	const char *later;
} farmed[] = {
	{&cmd_profile, ""}, {&cmd_coverage, ""}, {&cmd_branches, ""}, {&cmd_stat, ""},
	{&cmd_calls, " summary histogram depth limit json format "}, {&cmd_memory, ""},
	{&cmd_convert, ""}, {&cmd_check, " json junit limit max only "}, {&cmd_info, NULL},
	{&cmd_grep, NULL}, {&cmd_index, NULL}, {&cmd_why, NULL},
	{&cmd_capture, NULL}, /* its files are what is captured, or there are none */
};

static const char *later_of(const char *name, const struct command **command)
{
	for (size_t i = 0; i < sizeof(farmed) / sizeof(farmed[0]); i++)
		if (strcmp(farmed[i].command->name, name) == 0) {
			*command = farmed[i].command;
			return farmed[i].later;
		}
	*command = NULL;
	return NULL;
}

/* Splitting the command line ------------------------------------------------------------------ */

/* The row of an option as it was typed, "--format=csv" or "-fcsv"; *joined: its argument is in the
 * same word. NULL: there is none. */
static const struct command_option *row_of(
	const struct command *command, const char *word, bool *joined)
{
	struct command_rows rows = {.with_older = true, .next = command->options};
	const struct command_option *row;
	size_t length = strcspn(word, "=");
	bool is_long = word[1] == '-';

	*joined = is_long ? word[length] == '=' : word[2] != '\0';
	while ((row = command_next_row(&rows))) {
		if (!row->name)
			continue;
		if (is_long ? strlen(row->name) == length - 2 &&
					strncmp(row->name, word + 2, length - 2) == 0
			    : row->letter == word[1])
			return row;
	}
	return NULL;
}

int farm_first_word(const struct command *command, int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
		bool joined = false;
		const struct command_option *row = row_of(command, argv[i], &joined);
		i += row && row->argument && row->argument[0] != '[' && !joined ? 2 : 1;
	}
	return i < argc ? i : argc;
}

/* Options with their arguments to plan->arguments, all other words to files. */
static bool split(struct farm_plan *plan, const struct command *command, int argc, char **argv,
	char **files, size_t *file_count)
{
	for (int i = 1; i < argc; i++) {
		bool joined;
		if (argv[i][0] != '-' || argv[i][1] == '\0') {
			files[(*file_count)++] = argv[i];
			continue;
		}
		if (strcmp(argv[i], "--") == 0) {
			while (++i < argc)
				files[(*file_count)++] = argv[i];
			break;
		}
		const struct command_option *row = row_of(command, argv[i], &joined);
		if (!row) {
			cli_usage("farm", "%s has no option '%s', spelled out", command->name,
				argv[i]);
			return false;
		}
		plan->arguments[plan->argument_count++] = strdup(argv[i]);
		if (row->argument && row->argument[0] != '[' && !joined && i + 1 < argc)
			plan->arguments[plan->argument_count++] = strdup(argv[++i]);
	}
	return true;
}

static bool add_trace(struct farm_plan *plan, const char *path)
{
	struct farm_trace *trace = &plan->traces[plan->trace_count];
	unsigned long long size;

	trace->path = strdup(path);
	if (!trace->path || !farm_hash(trace->path, true, trace->hash, &size)) {
		cli_error(
			"%s: %s", path, errno == EINVAL ? "is not a plain file" : strerror(errno));
		free(trace->path);
		return false;
	}
	trace->size = size;
	plan->trace_count++;
	return true;
}

/* Captures of a device that has its program: there is nothing that could change. */
static bool add_no_file(struct farm_plan *plan)
{
	struct farm_trace *trace = &plan->traces[0];

	trace->path = strdup(FARM_NO_FILE);
	memset(trace->hash, '0', FARM_HASH_SIZE - 1);
	plan->trace_count = trace->path != NULL;
	return trace->path;
}

static unsigned choose_parts(const struct farm_plan *plan)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < plan->trace_count; i++)
		if (plan->traces[i].size > largest)
			largest = plan->traces[i].size;
	uint64_t parts = largest / PART_BYTES;
	return parts < 2 ? 2 : parts > PARTS_MOST ? PARTS_MOST : (unsigned)parts;
}

static void write_lines(const struct farm_plan *plan, FILE *file)
{
	fputs("version ", file);
	farm_put_word(file, plan->version);
	fputs("\nfolder ", file);
	farm_put_word(file, plan->folder);
	fputs("\ncommand ", file);
	farm_put_word(file, plan->command);
	fputc('\n', file);
	for (size_t i = 0; i < plan->argument_count; i++) {
		fputs("argument ", file);
		farm_put_word(file, plan->arguments[i]);
		fputc('\n', file);
	}
	if (plan->devices) {
		fputs("devices ", file);
		farm_put_word(file, plan->devices);
		fputc('\n', file);
	}
	fprintf(file, "parts %u\n", plan->parts);
	for (size_t i = 0; i < plan->trace_count; i++) {
		fprintf(file, "trace %" PRIu64 " %s ", plan->traces[i].size, plan->traces[i].hash);
		farm_put_word(file, plan->traces[i].path);
		fputc('\n', file);
	}
}

static bool make_id(struct farm_plan *plan)
{
	char *text = NULL;
	size_t size;
	char hash[SHA256_DIGEST_STRING_LENGTH];
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return false;
	write_lines(plan, file);
	if (fclose(file) != 0) {
		free(text);
		return false;
	}
	SHA256Data((const uint8_t *)text, size, hash);
	snprintf(plan->id, sizeof(plan->id), "%.16s", hash);
	free(text);
	return true;
}

bool farm_has_texts(const struct farm_plan *plan)
{
	return strcmp(plan->command, cmd_convert.name) == 0;
}

/* Is the option, which has an argument, among those of the command? */
static bool has_option(
	const struct farm_plan *plan, const struct command *command, const char *name)
{
	for (size_t i = 0; i < plan->argument_count; i++) {
		bool joined;
		const struct command_option *row =
			plan->arguments[i][0] == '-' ? row_of(command, plan->arguments[i], &joined)
						     : NULL;
		if (row && strcmp(row->means ? row->means : row->name, name) == 0)
			return true;
		if (row && row->argument && row->argument[0] != '[' && !joined)
			i++;
	}
	return false;
}

bool farm_is_capture(const struct farm_plan *plan)
{
	return strcmp(plan->command, "capture") == 0;
}

static bool make(struct farm_plan *plan, const struct command *command, const char *later, int argc,
	char **argv, unsigned parts)
{
	char **files = calloc((size_t)argc + 1, sizeof(*files));
	size_t file_count = 0;
	bool good = files && split(plan, command, argc, argv, files, &file_count);

	const bool captures = farm_is_capture(plan);
	if (good && captures && file_count == 0)
		good = add_no_file(plan);
	else if (good && file_count == 0) {
		cli_usage("farm", "which traces shall %s read?", command->name);
		good = false;
	}
	for (size_t i = 0; good && i < file_count; i++)
		good = add_trace(plan, files[i]);
	free(files);
	if (!good)
		return false;
	if (captures) {
		parts = parts ? parts : 1;
	} else if (plan->devices) {
		cli_usage("farm", "--devices is for capture");
		return false;
	}
	const bool texts = farm_has_texts(plan); /* not of every format: only --parts splits it */
	if (texts && has_option(plan, command, "output")) {
		cli_usage("farm", "give %s without --output: every step would write it",
			command->name);
		return false;
	}
	if (!later && !captures && parts > 1) {
		cli_usage("farm", "%s has no parts: give it several traces", command->name);
		return false;
	}
	if (captures || (parts && later))
		plan->parts = parts;
	else
		plan->parts = !later || texts ? 1 : choose_parts(plan);
	if (plan->parts > PARTS_LIMIT || plan->parts * plan->trace_count > INT32_MAX) {
		cli_usage("farm", "there are too many parts");
		return false;
	}
	return make_id(plan);
}

bool farm_plan_make(
	struct farm_plan *plan, int argc, char **argv, unsigned parts, const char *devices)
{
	const struct command *command;
	const char *later = later_of(argv[0], &command);

	*plan = (struct farm_plan){0};
	if (!command) {
		cli_usage("farm", "'%s' is no command that a farm can run", argv[0]);
		return false;
	}
	plan->version = strdup(cli_version);
	plan->folder = getcwd(NULL, 0);
	plan->command = strdup(argv[0]);
	plan->devices = devices ? strdup(devices) : NULL;
	plan->arguments = calloc((size_t)argc + 1, sizeof(*plan->arguments));
	plan->traces = calloc((size_t)argc + 1, sizeof(*plan->traces));
	if (plan->version && plan->folder && (plan->devices || !devices) && plan->command &&
		plan->arguments && plan->traces && make(plan, command, later, argc, argv, parts))
		return true;
	farm_plan_free(plan);
	return false;
}

void farm_plan_free(struct farm_plan *plan)
{
	for (size_t i = 0; i < plan->argument_count; i++)
		free(plan->arguments[i]);
	for (size_t i = 0; i < plan->trace_count; i++)
		free(plan->traces[i].path);
	free(plan->version);
	free(plan->folder);
	free(plan->command);
	free(plan->devices);
	free(plan->arguments);
	free(plan->traces);
	*plan = (struct farm_plan){0};
}

/* The file ------------------------------------------------------------------------------------ */

bool farm_plan_write(const struct farm_plan *plan, const char *folder)
{
	static const char *const folders[] = {"", "steps", "log", "result"};
	char path[FARM_PATH], temporary[FARM_PATH];
	struct farm_plan there;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (!farm_path(path, folder, "%s", folders[i]))
			return false;
		if (mkdir(path, 0777) != 0 && errno != EEXIST) {
			cli_error("%s: %s", path, strerror(errno));
			return false;
		}
	}
	if (!farm_path(path, folder, "plan"))
		return false;
	if (farm_exists(path)) {
		if (!farm_plan_read(&there, folder))
			return false;
		bool same = strcmp(there.id, plan->id) == 0;
		farm_plan_free(&there);
		if (!same)
			cli_error("%s: there is another plan; give another folder (-o)", path);
		return same;
	}
	FILE *file = farm_file_begin(temporary, path);
	if (!file)
		return false;
	fprintf(file, "earshot-farm 1 %s\n", plan->id);
	write_lines(plan, file);
	fputs("end\n", file);
	return farm_file_end(file, temporary, path);
}

static bool grow(void **list, size_t count, size_t size)
{
	if (count & (count - 1))
		return true;
	void *grown = realloc(*list, (count ? count * 2 : 1) * size);
	if (grown)
		*list = grown;
	return grown;
}

static bool take_trace(struct farm_plan *plan, char *words)
{
	int at = 0;

	if (!grow((void **)&plan->traces, plan->trace_count, sizeof(*plan->traces)))
		return false;
	struct farm_trace *trace = &plan->traces[plan->trace_count];
	if (sscanf(words, "%" SCNu64 " %64s %n", &trace->size, trace->hash, &at) != 2 || at == 0 ||
		!farm_get_word(words + at))
		return false;
	trace->path = strdup(words + at);
	plan->trace_count += trace->path != NULL;
	return trace->path;
}

/* One line, without its end. */
static bool take_line(struct farm_plan *plan, char *line)
{
	char *word = strchr(line, ' ');

	if (!word)
		return false;
	*word++ = '\0';
	if (strcmp(line, "trace") == 0)
		return take_trace(plan, word);
	if (strcmp(line, "parts") == 0)
		return plan->parts == 0 && sscanf(word, "%u", &plan->parts) == 1 &&
		       plan->parts >= 1 && plan->parts <= PARTS_LIMIT;
	if (!farm_get_word(word))
		return false;
	if (strcmp(line, "version") == 0 && !plan->version)
		return (plan->version = strdup(word)) != NULL;
	if (strcmp(line, "folder") == 0 && !plan->folder)
		return (plan->folder = strdup(word)) != NULL;
	if (strcmp(line, "command") == 0 && !plan->command)
		return (plan->command = strdup(word)) != NULL;
	if (strcmp(line, "devices") == 0 && !plan->devices)
		return (plan->devices = strdup(word)) != NULL;
	if (strcmp(line, "argument") != 0 ||
		!grow((void **)&plan->arguments, plan->argument_count, sizeof(*plan->arguments)))
		return false;
	plan->arguments[plan->argument_count] = strdup(word);
	plan->argument_count += plan->arguments[plan->argument_count] != NULL;
	return true;
}

static bool read_lines(struct farm_plan *plan, FILE *file, char id[17])
{
	const struct command *command;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	bool good = false, ended = false;

	if (fscanf(file, "earshot-farm 1 %16[0-9a-f]", id) == 1 && fgetc(file) == '\n') {
		good = true;
		while (good && !ended && (length = getline(&line, &room, file)) > 0) {
			good = line[length - 1] == '\n' && strlen(line) == (size_t)length;
			line[length - 1] = '\0';
			ended = good && strcmp(line, "end") == 0;
			good = good && (ended || take_line(plan, line));
		}
	}
	free(line);
	if (good && ended && plan->command)
		later_of(plan->command, &command);
	return good && ended && plan->version && plan->folder && plan->command && command &&
	       plan->trace_count && plan->parts && make_id(plan) && strcmp(id, plan->id) == 0;
}

bool farm_plan_read(struct farm_plan *plan, const char *folder)
{
	char path[FARM_PATH], id[17] = "";

	*plan = (struct farm_plan){0};
	if (!farm_path(path, folder, "plan"))
		return false;
	FILE *file = fopen(path, "re");
	if (!file) {
		cli_error("%s: %s", path, strerror(errno));
		return false;
	}
	bool good = read_lines(plan, file, id);
	fclose(file);
	if (!good)
		cli_error("%s: is not the plan of a farm, or is damaged", path);
	else if (strcmp(plan->version, cli_version) != 0) {
		cli_error("%s: is of %s, and this is %s", path, plan->version, cli_version);
		good = false;
	} else if (chdir(plan->folder) != 0) {
		cli_error("%s: %s", plan->folder, strerror(errno));
		good = false;
	}
	if (!good)
		farm_plan_free(plan);
	return good;
}

/* Steps --------------------------------------------------------------------------------------- */

size_t farm_plan_steps(const struct farm_plan *plan)
{
	return plan->trace_count * plan->parts;
}

struct farm_step farm_plan_step(const struct farm_plan *plan, size_t number)
{
	size_t trace = (number - 1) / plan->parts;

	return (struct farm_step){.trace = &plan->traces[trace],
		.trace_number = trace,
		.part = (unsigned)((number - 1) % plan->parts) + 1};
}

bool farm_trace_is_same(const struct farm_trace *trace)
{
	char hash[FARM_HASH_SIZE];
	unsigned long long size;

	if (strcmp(trace->path, FARM_NO_FILE) == 0)
		return true;
	if (!farm_hash(trace->path, true, hash, &size))
		cli_error("%s: %s", trace->path, strerror(errno));
	else if (size != trace->size || strcmp(hash, trace->hash) != 0)
		cli_error("%s: has changed since the farm was planned", trace->path);
	else
		return true;
	return false;
}

/* Is the word an option that is said when parts are put together? *skip: and its argument. */
static bool is_later(const struct command *command, const char *later, const char *word, bool *skip)
{
	bool joined;
	const struct command_option *row = word[0] == '-' ? row_of(command, word, &joined) : NULL;
	char name[64];

	*skip = row && row->argument && row->argument[0] != '[' && !joined;
	if (!row)
		return false;
	snprintf(name, sizeof(name), " %s ", row->means ? row->means : row->name);
	return strstr(later, name) != NULL;
}

char **farm_step_arguments(
	const struct farm_plan *plan, const struct farm_step *step, char part[32])
{
	const struct command *command;
	const char *later = later_of(plan->command, &command);
	char **list = calloc(plan->argument_count + 6, sizeof(*list));
	size_t count = 0;

	if (!list)
		return NULL;
	list[count++] = (char *)(uintptr_t) "earshot";
	list[count++] = plan->command;
	for (size_t i = 0; i < plan->argument_count; i++) {
		bool skip = false;
		bool drop = plan->parts > 1 && is_later(command, later, plan->arguments[i], &skip);
		if (!drop)
			list[count++] = plan->arguments[i];
		if (skip && ++i < plan->argument_count && !drop)
			list[count++] = plan->arguments[i];
	}
	if (plan->parts > 1) {
		snprintf(part, 32, "--part=%u/%u", step->part, plan->parts);
		list[count++] = part;
	}
	list[count++] = step->trace->path;
	return list;
}

char **farm_merge_arguments(const struct farm_plan *plan, char **inputs, size_t count)
{
	char **list = calloc(plan->argument_count + count + 3, sizeof(*list));
	size_t at = 0;

	if (!list)
		return NULL;
	list[at++] = (char *)(uintptr_t) "earshot";
	list[at++] = plan->command;
	for (size_t i = 0; i < plan->argument_count; i++)
		list[at++] = plan->arguments[i];
	for (size_t i = 0; i < count; i++)
		list[at++] = inputs[i];
	return list;
}
