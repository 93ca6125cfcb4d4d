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

#define PLACES_MAX 48u /* whose records are embedded, */
#define AROUND     25u /* with so many before and after each */

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
	{"calls", &cmd_calls, "--json --sort=-clocks", "--limit", 1000, REPORT_LINES, SHARES},
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
	{"marks", &cmd_show, "--marks --json", NULL, 0, REPORT_JSON, USES_INDEX},
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
		!pass_options(report, section, command, strcmp(section->name, "marks") == 0))
		return false;
	if (made[row].limit) {
		snprintf(section->limit_text, sizeof(section->limit_text), "%s=", made[row].limit);
		report_set_limit(section, made[row].most);
		if (!add_word(section, section->limit_text))
			return false;
	}
	if (strcmp(section->name, "records") == 0 && !add_range(report, section))
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

/* ---- Records that a page has links to. ---- */

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

/* The number that follows this text, after a blank or none. Returns false if there is none. */
static bool take_number(const char **at, const char *text, uint64_t *number)
{
	const size_t size = strlen(text);
	char *end;

	if (strncmp(*at, text, size) != 0)
		return false;
	const char *digits = *at + size + ((*at)[size] == ' ');
	if (*digits < '0' || *digits > '9')
		return false;
	*number = strtoull(digits, &end, 10);
	*at = end;
	return true;
}

/* What comes after each of these keys in a section. */
static void add_places(struct places *places, const struct report_section *section, const char *key)
{
	char line[65536];
	uint64_t number;

	if (!section)
		return;
	rewind(section->output);
	while (fgets(line, sizeof(line), section->output))
		for (const char *at = line; (at = strstr(at, key));)
			if (take_number(&at, key, &number))
				add_place(places, number);
			else
				at++;
}

/* Where two traces differ first: the number of the record of one, and its hart. */
struct difference {
	uint64_t number, hart;
};

static bool find_difference(const struct report *report, size_t trace, struct difference *found)
{
	static const char *const sides[] = {"\"a\":{\"record\":", "\"b\":{\"record\":"};
	const struct report_section *section = report_find(report, "diff", REPORT_BOTH);
	char line[65536];
	uint64_t record;

	if (!section)
		return false;
	rewind(section->output);
	while (fgets(line, sizeof(line), section->output)) {
		if (strncmp(line, "{\"kind\":\"gap\"", 13) == 0)
			continue;
		const char *at = strstr(line, sides[trace]);
		const bool is_there = at && take_number(&at, sides[trace], &record) &&
				      take_number(&at, ",\"number\":", &found->number);
		at = is_there ? strstr(at, ",\"hart\":") : NULL;
		return at && take_number(&at, ",\"hart\":", &found->hart);
	}
	return false;
}

/* The number of a line of `show --json`, which is its last member. */
static bool number_of_line(const char *line, size_t size, uint64_t *number)
{
	static const char key[] = ",\"number\":";

	for (size_t at = size; at-- > 0;)
		if (strncmp(&line[at], key, sizeof(key) - 1) == 0) {
			const char *text = &line[at];
			return take_number(&text, key, number);
		}
	return false;
}

/* The numbers of the records that a section has, from first to last. */
static bool find_range(const struct report_section *section, uint64_t *first, uint64_t *last)
{
	char *line = NULL, end[128];
	size_t capacity = 0;

	if (!section)
		return false;
	rewind(section->output);
	const ssize_t size = getline(&line, &capacity, section->output);
	const bool found = size > 0 && number_of_line(line, (size_t)size, first);
	free(line);
	const off_t length = lseek(fileno(section->output), 0, SEEK_END);
	const off_t from = length > (off_t)sizeof(end) - 1 ? length - (off_t)sizeof(end) + 1 : 0;
	const ssize_t count = pread(fileno(section->output), end, sizeof(end) - 1, from);
	end[count > 0 ? count : 0] = '\0';
	return found && count > 0 && number_of_line(end, (size_t)count, last);
}

/* Those that the records which are there do not have, or not with what was before them. */
static void leave_out_held(struct places *places, const struct report_section *records)
{
	uint64_t first, last;
	size_t count = 0;

	if (!find_range(records, &first, &last))
		return;
	for (size_t i = 0; i < places->count; i++) {
		const uint64_t number = places->numbers[i];
		const bool has_before = first == 0 || number >= first + AROUND;
		if (!has_before || number > last)
			places->numbers[count++] = number;
	}
	places->count = count;
}

static bool make_cause(struct report *report, size_t trace, const struct places *places)
{
	char text[64];

	if (places->count == 0)
		return true;
	struct report_section *section = new_section(report, "cause", (int)trace);
	snprintf(text, sizeof(text), "--json --no-source --around=%u", AROUND);
	if (!section || !add_word(section, cmd_show.name) || !add_words(section, text))
		return false;
	section->kind = REPORT_LINES;
	for (size_t i = 0; i < places->count; i++) {
		snprintf(text, sizeof(text), "--at=%" PRIu64, places->numbers[i]);
		if (!add_word(section, keep(text, strlen(text))))
			return false;
	}
	return pass_options(report, section, &cmd_show, true) &&
	       add_trace(section, report->traces[trace]);
}

/* What was known before two traces differ. */
static bool make_state(struct report *report, size_t trace, const struct difference *difference)
{
	char text[128], at[32] = "begin";

	struct report_section *section = new_section(report, "state", (int)trace);
	if (difference->number > 0)
		snprintf(at, sizeof(at), "%" PRIu64, difference->number - 1);
	snprintf(text, sizeof(text), "--json --reg x,f,csr --stack --hart=%" PRIu64 " --at=%s",
		difference->hart, at);
	if (!section || !add_word(section, cmd_state.name) || !add_words(section, text))
		return false;
	section->kind = REPORT_JSON;
	return pass_options(report, section, &cmd_state, true) &&
	       add_trace(section, report->traces[trace]);
}

bool report_make_places(struct report *report, size_t trace)
{
	const int number = (int)trace;
	struct places places = {.count = 0};
	struct difference difference;

	if (report->section_count + 2 > REPORT_SECTIONS_MAX)
		return true;
	const bool differs = find_difference(report, trace, &difference);
	if (differs)
		add_place(&places, difference.number);
	add_places(&places, report_find(report, "why", number), "\"record\":");
	add_places(&places, report_find(report, "marks", number), "\"after\":{\"number\":");
	add_places(&places, report_find(report, "check", number), "\"record\":");
	add_places(&places, report_find(report, "errors", number), "\"record\":");
	leave_out_held(&places, report_find(report, "records", number));
	return make_cause(report, trace, &places) &&
	       (!differs || make_state(report, trace, &difference));
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
