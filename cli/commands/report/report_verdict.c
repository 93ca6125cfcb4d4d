/* The verdict on the traces of a report. Sections are of commands, each of which says what is
 * missing and has it in its exit status (docs/verdict.md). Two of them have no other reason for
 * the status 2 when there is an answer: `stat`, which reads what the report is of, and `why`, which
 * reads the whole trace. So their warnings are those of the report, each line once, and so is
 * their status.
 */
#include <string.h>

#include "cli/base/cli.h"
#include "cli/commands/report/report.h"

#define LINE_MAX_BYTES 4096

static bool has_line(const struct report_section *section, const char *line)
{
	char other[LINE_MAX_BYTES];

	if (!section || !section->errors)
		return false;
	rewind(section->errors);
	while (fgets(other, sizeof(other), section->errors))
		if (strcmp(line, other) == 0)
			return true;
	return false;
}

/* Its lines, but for those that another one has. */
static void say(
	const struct report_section *section, const struct report_section *before, bool quiet)
{
	static const char warning[] = "earshot: warning: ";
	char line[LINE_MAX_BYTES];
	long at = 0;

	while (section->errors && fseek(section->errors, at, SEEK_SET) == 0 &&
		fgets(line, sizeof(line), section->errors)) {
		at = ftell(section->errors);
		const bool is_warning = strncmp(line, warning, sizeof(warning) - 1) == 0;
		if (!(quiet && is_warning) && !has_line(before, line))
			fputs(line, stderr);
	}
}

static const struct report_section *named(const struct report *report, const char *name, int trace)
{
	for (size_t i = 0; i < report->section_count; i++)
		if (report->sections[i].trace == trace &&
			strcmp(report->sections[i].name, name) == 0)
			return &report->sections[i];
	return NULL;
}

static int judge_trace(const struct report *report, int trace)
{
	const struct report_section *stat = named(report, "stat", trace),
				    *why = report_find(report, "why", trace);
	int status = EAR_EXIT_DONE;

	say(stat, NULL, report->quiet);
	if (stat->status >= 128)
		cli_error("%s: signal %d ended `earshot stat`: it is not known what is missing",
			report->traces[trace], stat->status - 128);
	if (stat->kind == REPORT_NONE || stat->status == EAR_EXIT_FAILED)
		status = EAR_EXIT_FAILED;
	if (why)
		say(why, stat, report->quiet);
	if (why && why->status == EAR_EXIT_FAILED)
		status = EAR_EXIT_FAILED;
	return status;
}

int report_judge(const struct report *report)
{
	int status = EAR_EXIT_DONE;

	for (int trace = 0; trace < (int)report->trace_count; trace++) {
		const int one = judge_trace(report, trace);
		status = one > status ? one : status;
	}
	return status;
}
