/* Which sections a report has, and the command of each. An option of the report goes to every
 * command that has an option of the same name: the tables of the commands say which, so an option
 * has one meaning, and nothing here lists what a command takes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/commands/report/report.h"

/* At first; fewer if the file gets too large. */
#define SLICES_MAX 131072u
#define NODES_MAX  65536u

#define PLACES_MAX 48u /* whose records are embedded */

/* How a section is made: by a process of its own, or by the one that reads the trace once for all
 * of these. COUNTS_MORE: it counts what others only show, so it comes before them. */
enum run { ALONE, MAKES_INDEX, USES_INDEX, SHARES, COUNTS_MORE };

static const struct {
	const char *name;
	const struct command *command;
	const char *arguments; /* divided by blanks */
	const char *limit;     /* option that makes it smaller; NULL: none */
	uint64_t most;         /* its value at first */
	enum report_kind kind;
	enum run run;
} made[] = {
	{"info", &cmd_info, "--json", NULL, 0, REPORT_JSON, ALONE},
	{"why", &cmd_why, "--json", NULL, 0, REPORT_JSON, MAKES_INDEX},
	{"check", &cmd_check, "--json", NULL, 0, REPORT_JSON, ALONE},
	{"stat", &cmd_stat, "--json", NULL, 0, REPORT_JSON, ALONE},
	{"profile", &cmd_profile, "--json", NULL, 0, REPORT_JSON, SHARES},
	{"annotate", &cmd_profile, "--annotate --json", "--limit", 30, REPORT_JSON, COUNTS_MORE},
	{"flame", &cmd_profile, "-f columns", "--limit", NODES_MAX, REPORT_COLUMNS, SHARES},
	{"timeline", &cmd_timeline, "-f columns -o -", "--limit", SLICES_MAX, REPORT_COLUMNS,
		SHARES},
	{"calls", &cmd_calls, "--json --sort=-records", "--limit", 1000, REPORT_LINES, SHARES},
	{"coverage", &cmd_coverage, "--uncovered --json", NULL, 0, REPORT_JSON, SHARES},
	{"isa", &cmd_coverage, "--isa --json", NULL, 0, REPORT_JSON, SHARES},
	{"branches", &cmd_branches, "--json", "--limit", 1000, REPORT_JSON, SHARES},
	{"memory", &cmd_memory, "--json", NULL, 0, REPORT_JSON, COUNTS_MORE},
	{"heat", &cmd_memory, "--heat --json", NULL, 0, REPORT_JSON, SHARES},
	{"errors", &cmd_memory, "--errors --json", NULL, 0, REPORT_JSON, SHARES},
	{"uninitialized", &cmd_memory, "--uninitialized --json", NULL, 0, REPORT_JSON, SHARES},
	{"heap", &cmd_memory, "--heap --json", NULL, 0, REPORT_JSON, SHARES},
	{"stack", &cmd_memory, "--stack --json", NULL, 0, REPORT_JSON, SHARES},
	{"tasks", &cmd_profile, "--by task --json", NULL, 0, REPORT_JSON, SHARES},
	{"records", &cmd_show, "--json --no-source", NULL, 0, REPORT_LINES, USES_INDEX},
};

static const struct command_option *row_named(
	const struct command_option *options, const char *name)
{
	struct command_rows rows = {.next = options};
	const struct command_option *row;

	while ((row = command_next_row(&rows)))
		if (row->name && strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

/* ---- Words. ---- */

/* Texts that are made here stay until the program ends, as the command line does. */
static const char *keep(const char *text, size_t size)
{
	char *copy = strndup(text, size);

	if (!copy)
		cli_error("out of memory");
	return copy;
}

static bool add_word(struct report_section *section, const char *word)
{
	if (!word)
		return false;
	if (section->word_count + 1 >= REPORT_WORDS_MAX) {
		cli_error("too many options");
		return false;
	}
	section->words[section->word_count++] = word;
	section->words[section->word_count] = NULL;
	return true;
}

static bool add_words(struct report_section *section, const char *words)
{
	while (*words) {
		const size_t size = strcspn(words, " ");
		if (!add_word(section, keep(words, size)))
			return false;
		words += size + strspn(words + size, " ");
	}
	return true;
}

/* "--elf=x.elf": one word, so that no argument is taken for an option. */
static bool add_option(struct report_section *section, const struct report_option *option)
{
	char text[8192];

	if (!option->argument)
		snprintf(text, sizeof(text), "--%s", option->row->name);
	else if ((size_t)snprintf(text, sizeof(text), "--%s=%s", option->row->name,
			 option->argument) >= sizeof(text)) {
		cli_error("--%s: the argument is too long", option->row->name);
		return false;
	}
	return add_word(section, keep(text, strlen(text)));
}

void report_set_limit(struct report_section *section, uint64_t limit)
{
	const char *equals = strchr(section->limit_text, '=');

	section->limit = limit;
	snprintf(section->limit_text + (equals - section->limit_text) + 1, 21, "%" PRIu64, limit);
}

/* The options of the report that the command has, too. */
static bool pass_options(const struct report *report, struct report_section *section,
	const struct command *command, bool whole)
{
	for (size_t i = 0; i < report->option_count; i++) {
		const char *name = report->options[i].row->name;
		const bool is_range = strcmp(name, "from") == 0 || strcmp(name, "to") == 0;
		if (!row_named(command->options, name) || (whole && is_range))
			continue;
		if (!add_option(section, &report->options[i]))
			return false;
		section->after_index |= is_range;
	}
	return true;
}

static bool add_trace(struct report_section *section, const char *path)
{
	return (path[0] != '-' || add_word(section, "--")) && add_word(section, path);
}

/* The last ones, or those of the range. A trace that has fewer has no such begin: all of them. */
static bool add_range(const struct report *report, struct report_section *section)
{
	char text[64];

	for (size_t i = 0; i < report->option_count; i++)
		if (strcmp(report->options[i].row->name, "from") == 0 ||
			strcmp(report->options[i].row->name, "to") == 0) {
			snprintf(text, sizeof(text), "--limit=%" PRIu64, report->records);
			return add_word(section, keep(text, strlen(text)));
		}
	section->otherwise = "--from=begin";
	snprintf(text, sizeof(text), "--from=end-%" PRIu64, report->records);
	return add_word(section, keep(text, strlen(text)));
}

static struct report_section *new_section(struct report *report, const char *name, int trace)
{
	struct report_section *section = &report->sections[report->section_count++];

	*section = (struct report_section){.name = name, .trace = trace};
	return add_word(section, "earshot") ? section : NULL;
}

static bool make_section(struct report *report, size_t row, int trace)
{
	const struct command *command = made[row].command;
	const enum run run = made[row].run;
	struct report_section *section = new_section(report, made[row].name, trace);

	if (!section)
		return false;
	section->kind = made[row].kind;
	section->command = command;
	section->makes_index = run == MAKES_INDEX;
	section->after_index = run == USES_INDEX;
	section->counts_more = run == COUNTS_MORE;
	section->shares = section->counts_more || run == SHARES;
	if (!add_word(section, command->name) || !add_words(section, made[row].arguments) ||
		!pass_options(report, section, command, false))
		return false;
	if (made[row].limit) {
		snprintf(section->limit_text, sizeof(section->limit_text), "%s=", made[row].limit);
		report_set_limit(section, made[row].most);
		if (!add_word(section, section->limit_text))
			return false;
	}
	if (command == &cmd_show && !add_range(report, section))
		return false;
	return add_trace(section, report->traces[trace]);
}

static bool make_comparison(struct report *report)
{
	struct report_section *section = new_section(report, "diff", REPORT_BOTH);

	if (!section)
		return false;
	section->kind = REPORT_LINES;
	return add_word(section, cmd_diff.name) && add_word(section, "--json") &&
	       pass_options(report, section, &cmd_diff, true) &&
	       (report->traces[0][0] != '-' || add_word(section, "--")) &&
	       add_word(section, report->traces[0]) && add_trace(section, report->traces[1]);
}

bool report_make_sections(struct report *report)
{
	for (size_t i = 0; i < report->trace_count; i++)
		for (size_t row = 0; row < sizeof(made) / sizeof(made[0]); row++)
			if (!make_section(report, row, (int)i))
				return false;
	return report->trace_count < 2 || make_comparison(report);
}

/* A number of the JSON that a section printed, within its first bytes: what follows key. Returns
 * false if it is not there. */
static bool find_number(const struct report_section *section, const char *key, uint64_t *number)
{
	char text[16384];
	const ssize_t size = pread(fileno(section->output), text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	/* After the magic and the size of columns there is a NUL or two. */
	char *from = section->kind == REPORT_COLUMNS && size > 12 ? text + 12 : text;
	const char *at = strstr(from, key);
	if (!at || at[strlen(key)] < '0' || at[strlen(key)] > '9')
		return false;
	*number = strtoull(at + strlen(key), NULL, 10);
	return true;
}

/* Numbers of records that a page has links to. */
struct places {
	uint64_t numbers[PLACES_MAX];
	size_t count;
};

static void add_place(struct places *places, uint64_t number)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->numbers[i] == number)
			return;
	if (places->count < PLACES_MAX)
		places->numbers[places->count++] = number;
}

/* What comes after each of these keys in a section; of a comparison the number in this trace. */
static void add_places(struct places *places, const struct report_section *section, const char *key)
{
	char line[65536];

	if (!section)
		return;
	rewind(section->output);
	while (fgets(line, sizeof(line), section->output))
		for (const char *at = line; (at = strstr(at, key));) {
			at += strlen(key);
			at += *at == ' ';
			if (*at >= '0' && *at <= '9')
				add_place(places, strtoull(at, NULL, 10));
		}
}

bool report_make_cause(struct report *report, size_t trace)
{
	const struct report_section *timeline = report_find(report, "timeline", (int)trace);
	struct places places = {.count = 0};
	uint64_t records;
	size_t count = 0;
	char text[64];

	if (!timeline || report->section_count == REPORT_SECTIONS_MAX ||
		!find_number(timeline, "\"records\":", &records))
		return true;
	add_places(&places, report_find(report, "why", (int)trace), "\"record\":");
	add_places(&places, report_find(report, "check", (int)trace), "\"record\":");
	add_places(&places, report_find(report, "errors", (int)trace), "\"record\":");
	for (size_t i = 0; i < places.count; i++)
		if (places.numbers[i] + report->records < records)
			places.numbers[count++] = places.numbers[i];
	if (count == 0)
		return true;
	struct report_section *section = new_section(report, "cause", (int)trace);
	if (!section || !add_word(section, cmd_show.name) ||
		!add_words(section, "--json --no-source --around=25"))
		return false;
	section->kind = REPORT_LINES;
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "--at=%" PRIu64, places.numbers[i]);
		if (!add_word(section, keep(text, strlen(text))))
			return false;
	}
	return pass_options(report, section, &cmd_show, true) &&
	       add_trace(section, report->traces[trace]);
}

const struct report_section *report_find(const struct report *report, const char *name, int trace)
{
	for (size_t i = 0; i < report->section_count; i++) {
		const struct report_section *section = &report->sections[i];
		if (section->trace == trace && strcmp(section->name, name) == 0)
			return section->kind == REPORT_NONE ? NULL : section;
	}
	return NULL;
}
