/* What 'earshot check' found, as the XML that CI servers read from test runs. */
#include "cli/commands/check/check_junit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/xml.h"

bool check_junit_open(struct check_junit *junit)
{
	const int fd = files_open(junit->path);

	if (fd >= 0)
		junit->file = fd == STDOUT_FILENO ? stdout : fdopen(fd, "w");
	if (fd >= 0 && !junit->file)
		cli_error("out of memory");
	return junit->file != NULL;
}

void check_junit_note(
	struct check_junit *junit, const struct ear_violation *violation, const char *place)
{
	struct check_junit_rule *rule = &junit->rules[violation->rule];

	if (!junit->path || junit->found[violation->rule])
		return;
	junit->found[violation->rule] = true;
	rule->number = violation->number;
	rule->pc = violation->record->pc;
	snprintf(rule->place, sizeof(rule->place), "%s", place);
	snprintf(rule->text, sizeof(rule->text), "%s", violation->text);
}

static void print_violation(FILE *file, const struct check_junit_rule *rule)
{
	fprintf(file, "#%" PRIu64 " 0x%" PRIx64, rule->number, rule->pc);
	xml_print(file, rule->place);
	fputs(": ", file);
	xml_print(file, rule->text);
}

static void print_rule(FILE *file, const struct check_junit *junit, unsigned rule,
	const struct ear_check_counts *counts)
{
	uint64_t violations = counts->rules[rule].violations;

	fprintf(file, "    <testcase classname=\"earshot.check\" name=\"%s\">\n",
		ear_check_rule_name(rule));
	if (violations > 0) {
		fputs("      <failure message=\"", file);
		print_violation(file, &junit->rules[rule]);
		fprintf(file, "\">%" PRIu64 " violation%s; the first one: ", violations,
			violations == 1 ? "" : "s");
		print_violation(file, &junit->rules[rule]);
		fputs("</failure>\n", file);
	} else if (counts->rules[rule].checked == 0) {
		fputs("      <skipped message=\"never checked\"/>\n", file);
	}
	fprintf(file, "      <system-out>checked %" PRIu64, counts->rules[rule].checked);
	for (unsigned reason = 0; reason < EAR_CHECK_REASONS; reason++)
		fprintf(file, ", %s %" PRIu64, ear_check_reason_name(reason),
			counts->rules[rule].unchecked[reason]);
	fputs("</system-out>\n    </testcase>\n", file);
}

static void print_suite(FILE *file, const struct check_junit *junit, const char *trace,
	uint32_t rules, const struct ear_check_counts *counts, const char *error)
{
	unsigned tests = 0, failures = 0, skipped = 0;

	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++) {
		if (rules && !(rules >> rule & 1))
			continue;
		tests++;
		failures += counts->rules[rule].violations > 0;
		skipped += counts->rules[rule].violations + counts->rules[rule].checked == 0;
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
	      "  <testsuite name=\"earshot check ",
		file);
	xml_print(file, trace);
	fprintf(file, "\" tests=\"%u\" failures=\"%u\" skipped=\"%u\" errors=\"%u\">\n",
		tests + (error ? 1 : 0), failures, skipped, error ? 1u : 0u);
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++)
		if (!rules || rules >> rule & 1)
			print_rule(file, junit, rule, counts);
	if (error) {
		fputs("    <testcase classname=\"earshot.check\" name=\"reading\">\n"
		      "      <error message=\"",
			file);
		xml_print(file, error);
		fputs("\"/>\n    </testcase>\n", file);
	}
	fputs("  </testsuite>\n</testsuites>\n", file);
}

bool check_junit_write(struct check_junit *junit, const char *trace, uint32_t rules,
	const struct ear_check_counts *counts, const char *error)
{
	FILE *file = junit->file;

	files_begin();
	print_suite(file, junit, trace, rules, counts, error);
	bool good = fflush(file) == 0 && !ferror(file);
	if (file != stdout)
		good = fclose(file) == 0 && good;
	junit->file = NULL;
	if (!good)
		cli_error("%s: it cannot be written",
			file == stdout ? "standard output" : junit->path);
	return good;
}
