/* 'earshot check': where a core is wrong, by what its instructions must do. The library does it
 * (earshot/check.h); here it is asked for and printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/check.h>
#include <earshot/error.h>
#include <earshot/instruction.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/base/range.h"
#include "cli/batch/batch.h"
#include "cli/commands/check/check_junit.h"
#include "cli/commands/check/check_parts.h"
#include "cli/commands/cmd.h"
#include "cli/input/trace_command.h"
#include "cli/options/options.h"
#include "cli/show/end_missing.h"
#include "cli/show/json.h"

#define MAX_DEFAULT 10
#define ASSUMED_MAX 256

struct check {
	struct trace_input input;
	uint64_t max, printed, violations;
	uint32_t rules; /* 0: all */
	bool json, reset;
	struct json out; /* with --json */
	struct check_junit junit;
	struct check_parts parts;
	struct end_missing end;
	struct ear_record_register assumed[ASSUMED_MAX];
	size_t assumed_count;
};

/* Rules with commas between: a set. */
static bool take_rules(void *value, const struct command_option *option, const char *text)
{
	uint32_t *rules = value;
	char name[16];

	while (*text) {
		size_t size = strcspn(text, ",");
		int rule = EAR_E_BAD_ARGUMENT;
		if (size < sizeof(name)) {
			memcpy(name, text, size);
			name[size] = '\0';
			rule = ear_check_rule_find(name);
		}
		if (rule < 0)
			return option_fail(option, text,
				"rules with commas between, such as result,loaded (see --help)");
		*rules |= 1u << rule;
		text += size + (text[size] == ',');
	}
	return *rules != 0 || option_fail(option, text, "the name of a rule");
}

/* REG=VALUE, or "reset", of a struct check. */
static bool take_assumed(void *value, const struct command_option *option, const char *argument)
{
	struct check *check = value;
	struct ear_record_register *reg = &check->assumed[check->assumed_count];
	enum ear_register_class reg_class;
	unsigned number;
	char name[32];
	size_t size = strcspn(argument, "=");
	const char *at = argument + size + 1;

	if (strcmp(argument, "reset") == 0) {
		check->reset = true;
		return true;
	}
	if (check->assumed_count == ASSUMED_MAX)
		return option_fail(option, argument, "taken: there are too many");
	if (argument[size] == '=' && size < sizeof(name)) {
		memcpy(name, argument, size);
		name[size] = '\0';
		*reg = (struct ear_record_register){0};
		if (ear_register_find(name, &reg_class, &number) == 0 &&
			reg_class <= EAR_REGISTER_CSR && cli_take_number(&at, &reg->value) &&
			*at == '\0' && !(reg_class == EAR_REGISTER_X && number == 0)) {
			reg->reg_class = (uint8_t)reg_class;
			reg->number = (uint16_t)number;
			check->assumed_count++;
			return true;
		}
	}
	return option_fail(
		option, argument, "REG=VALUE, such as sp=0x80010000 or mtvec=0; or reset");
}

static const struct command_option table[] = {
	{"limit", 'n', "N",
		.text = "Print at most N violations (default 10), 0: all. All are counted.",
		OPTION_VALUE(struct check, max), .max = UINT64_MAX},
	{"max", .means = "limit"},
	{"only", 0, "RULES", .text = "Check these rules only: `result,loaded`.",
		.detail = "A rule is one of order, flow, operand, result, next-pc, access, stored, "
			  "loaded, trap, return, csr, interrupt, pmp.",
		OPTION_TAKEN(take_rules, struct check, rules)},
	{"assume", 0, "REG=VALUE",
		.text = "REG, such as `sp` or `mtvec`, holds VALUE where the trace begins, so that its first "
			"uses are checked; repeat for more. `reset`: the trace begins at a reset.",
		.detail =
			"After a reset mstatus.MIE, mstatus.MPRV and pmpcfg are 0. What is assumed holds "
			"until the trace shows another write, or a gap.",
		.take = take_assumed},
	{"json", 0, .text = "Print one JSON object.", OPTION_VALUE(struct check, json)},
	{"junit", 0, "FILE", VALUES_FILES,
		.text = "Write FILE for a CI server, too: XML as JUnit has it, with a test case for each "
			"rule. `-`: standard output, instead of the text.",
		OPTION_VALUE(struct check, junit.path)},
	{"part", 0, "K/N",
		.text = "Check only the K-th of N parts of FILE, a capture, N at most 64, and print it "
			"as a part: all of them as files, in order, are the whole.",
		OPTION_TAKEN(trace_parts_take, struct check, parts.asked)},
	BATCH_JOBS_OPTION,
	OPTION_GROUP(symbol_file_options, struct check, input.symbols),
	TRACE_INPUT_DEVICE(struct check, input),
	OPTION_GROUP(trace_input_options, struct check, input),
	{0},
};

/* " main+4 (fw.c:12)"; "" without names. */
static void name_place(const struct check *check, uint64_t pc, char *text, size_t size)
{
	const struct ear_names *names = check->input.names;
	char name[160], line[160];

	text[0] = '\0';
	if (!names || ear_names_text(names, pc, name, sizeof(name)) <= 0)
		return;
	if (ear_names_line_text(names, pc, line, sizeof(line)) > 0)
		snprintf(text, size, " %s (%s)", name, line);
	else
		snprintf(text, size, " %s", name);
}

static void print_json(
	struct check *check, const struct ear_violation *violation, const char *place)
{
	const struct ear_record *record = violation->record;

	json_line(&check->out, 2);
	json_open(&check->out, NULL, '{');
	json_number(&check->out, "record", violation->number);
	json_number(&check->out, "hart", record->hart);
	json_hex(&check->out, "pc", true, record->pc);
	json_text(&check->out, "rule", ear_check_rule_name(violation->rule));
	json_hex(&check->out, "expected", true, violation->expected);
	json_hex(&check->out, "actual", true, violation->actual);
	json_text(&check->out, "text", violation->text);
	if (place[0])
		json_text(&check->out, "place", place + 1);
	json_close(&check->out, '}');
}

/* Where and by which rule, without the values of this run. */
static void note_first(const struct check *check, const struct ear_violation *violation)
{
	char place[336], text[400];

	name_place(check, violation->record->pc, place, sizeof(place));
	snprintf(text, sizeof(text), "0x%" PRIx64 "%s: %s", violation->record->pc, place,
		ear_check_rule_name(violation->rule));
	notes_text("first", text);
}

static int found(void *context, const struct ear_violation *violation)
{
	struct check *check = context;
	char place[336];

	if (check->violations++ == 0)
		note_first(check, violation);
	bool first = check->junit.path && !check->junit.found[violation->rule];
	if (check->printed >= check->max && !first)
		return 0;
	name_place(check, violation->record->pc, place, sizeof(place));
	check_junit_note(&check->junit, violation, place);
	if (check->printed >= check->max)
		return 0;
	cli_progress_clear();
	if (check->json)
		print_json(check, violation, place);
	else
		printf("#%" PRIu64 " 0x%" PRIx64 "%s: %s: %s\n", violation->number,
			violation->record->pc, place, ear_check_rule_name(violation->rule),
			violation->text);
	check->printed++;
	return 0;
}

static bool is_wanted(const struct check *check, unsigned rule)
{
	return check->rules == 0 || check->rules >> rule & 1;
}

static void print_counts_json(struct check *check, const struct ear_check_counts *counts)
{
	struct json *json = &check->out;

	if (check->printed > 0)
		putchar('\n');
	json_close(json, ']');
	json_number(json, "records", counts->records);
	json_number(json, "instructions", counts->instructions);
	json_number(json, "violations", check->violations);
	end_missing_json(&check->end, json);
	trace_input_json_verdict(&check->input, json);
	json_open(json, "rules", '{');
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++) {
		if (!is_wanted(check, rule))
			continue;
		json_line(json, 2);
		json_open(json, ear_check_rule_name(rule), '{');
		json_number(json, "checked", counts->rules[rule].checked);
		json_number(json, "violations", counts->rules[rule].violations);
		for (unsigned reason = 0; reason < EAR_CHECK_REASONS; reason++)
			json_number(json, ear_check_reason_name(reason),
				counts->rules[rule].unchecked[reason]);
		json_close(json, '}');
	}
	putchar('\n');
	json_close(json, '}');
	json_close(json, '}');
	putchar('\n');
}

static void print_counts(const struct check *check, const struct ear_check_counts *counts)
{
	if (check->violations > check->printed && check->max > 0)
		printf("... and %" PRIu64 " more (--limit N)\n",
			check->violations - check->printed);
	if (check->printed > 0)
		printf("\n");
	end_missing_print(&check->end);
	printf("%-10s %14s %14s   not checked:", "rule", "checked", "violations");
	for (unsigned reason = 0; reason < EAR_CHECK_REASONS; reason++)
		printf(" %9s", ear_check_reason_name(reason));
	printf("\n");
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++) {
		if (!is_wanted(check, rule))
			continue;
		printf("%-10s %14" PRIu64 " %14" PRIu64 "               ",
			ear_check_rule_name(rule), counts->rules[rule].checked,
			counts->rules[rule].violations);
		for (unsigned reason = 0; reason < EAR_CHECK_REASONS; reason++)
			printf(" %9" PRIu64, counts->rules[rule].unchecked[reason]);
		printf("\n");
	}
	printf("%" PRIu64 " instructions, %" PRIu64 " violation%s\n", counts->instructions,
		check->violations, check->violations == 1 ? "" : "s");
}

/* Nothing else is printed if the XML goes to standard output. */
static bool is_silent(const struct check *check)
{
	return check->junit.path && strcmp(check->junit.path, "-") == 0;
}

/* error: why the check could not be done, NULL: it was. */
static bool write_junit(
	struct check *check, const struct ear_check_counts *counts, const char *error)
{
	return !check->junit.path ||
	       check_junit_write(&check->junit, check->input.path, check->rules, counts, error);
}

static bool checked_any(const struct ear_check_counts *counts)
{
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++)
		if (counts->rules[rule].checked > 0)
			return true;
	return false;
}

/* What is an error of the check as JUnit has it, or "": not all of the trace could be checked. */
static void find_damage(struct check *check, char *text, size_t size)
{
	const struct verdict *verdict = &check->input.verdict;

	if (verdict->known && verdict->missing.verdict == EAR_DAMAGED && !verdict->incomplete)
		(void)ear_missing_text(&verdict->missing, text, size);
}

static int work(void *request)
{
	struct check *check = request;
	const struct ear_check_options options = {
		.size = sizeof(options),
		.rules = check->rules,
		.assumed = check->assumed,
		.assumed_count = check->assumed_count,
		.reset = check->reset,
	};
	struct ear_check_counts counts = {.size = sizeof(counts)};

	if (check->parts.asked.of > 0)
		return check_parts_write(&check->parts, &check->input, &options);
	if (check->json) {
		check->out = json_spaced();
		json_open(&check->out, NULL, '{');
		json_open(&check->out, "found", '[');
	}
	const int result = check->parts.paths ? check_parts_join(&check->parts, &check->input,
							&options, found, check, &counts)
					      : ear_trace_check(check->input.trace, &options, found,
							check, &counts, &check->input.progress);
	if (result > 0) /* a file that is no part: nothing can be said */
		return EAR_EXIT_FAILED;
	trace_input_judge_reach(&check->input);
	if (result == 0 && check->input.verdict.missing.gaps > 0)
		check->end = trace_input_end(check->input.trace, &check->input.progress);
	cli_progress_clear();
	if (check->json)
		print_counts_json(check, &counts);
	else if (!is_silent(check))
		print_counts(check, &counts);
	notes_number("instructions", counts.instructions);
	notes_number("violations", check->violations);
	char damage[512] = "";
	if (result == 0)
		find_damage(check, damage, sizeof(damage));
	const bool written = write_junit(check, &counts,
		result      ? ear_trace_error(check->input.trace)
		: damage[0] ? damage
			    : NULL);
	if (result) {
		trace_input_fail(&check->input);
		return EAR_EXIT_FAILED;
	}
	if (check->input.symbols.code && !check->input.quiet)
		cli_warning(
			"%s: opcodes and pcs of a branch trace come from the program, so the check "
			"finds little of what the core did wrong",
			check->input.path);
	if (!written)
		return EAR_EXIT_FAILED;
	if (counts.records > 0 && !checked_any(&counts)) {
		cli_error("%s: no rule could be applied to any record", check->input.path);
		return EAR_EXIT_FAILED;
	}
	return check->violations > 0 ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

static bool prepare(void *request)
{
	struct check *check = request;

	if (check->parts.paths && !check_parts_find_trace(&check->parts))
		return false;
	if (check->parts.paths)
		check->input.path = check->parts.trace;
	return !check->junit.path ||
	       (files_write("--junit", check->junit.path) && check_junit_open(&check->junit));
}

static const char *check_words(void *request, int count, char **words)
{
	struct check *check = request;

	if (check_parts_are(words, count)) {
		check->parts.paths = words;
		check->parts.count = count;
	}
	if (check->parts.paths && check->parts.asked.of > 0)
		return "--part is of a trace, and these are parts";
	if (check->parts.paths || check->parts.asked.of > 0)
		check->input.options.index = EAR_INDEX_AUTO;
	if (is_silent(check))
		check->max = 0;
	else if (check->max == 0)
		check->max = UINT64_MAX;
	return check->json && is_silent(check)
		       ? "--json and --junit - both write to standard output"
		       : trace_command_check(count, check->parts.paths);
}

static int run(int argc, char **argv)
{
	const struct ear_check_counts none = {.size = sizeof(none)};
	struct check check = {
		.input = TRACE_INPUT_DEFAULTS, .max = MAX_DEFAULT, .parts = CHECK_PARTS_DEFAULTS};
	const struct trace_command reading = {
		&cmd_check, &check, &check.input, check_words, prepare, work, true};

	check.input.options.reads = true;
	check.input.options.index = EAR_INDEX_NONE;
	const int status = trace_command_run(&reading, argc, argv);
	if (check.junit.file) /* the trace could not be opened */
		(void)write_junit(&check, &none, check.input.error);
	return status;
}

static const char *const columns[] = {"instructions", "violations", NULL};
static const struct batch_rules batch = {
	.columns = columns, .no = "wrong", .junit = true, .own = check_parts_are};

const struct command cmd_check = {
	.name = "check",
	.arguments = "[OPTION]... FILE...",
	.summary = "find where a core is wrong, without a reference",
	.about =
		"Check each instruction of FILE, a capture or a trace of RISC-V in any format, against "
		"what the ISA says that it does: operands, result, where it goes, accesses, traps, "
		"CSRs. No reference model is needed, and interrupts and devices stay as they were.\n\n"
		"After the violations a table says of each rule how often it was checked, and how "
		"often it could not be, and why: the trace does not show it (absent), it depends on a "
		"value not shown so far (unknown), the instruction is of another extension, or the "
		"memory changes by itself.\n\n"
		"Several FILE, a folder of traces and @LIST: see {MANY TRACES}.",
	.options = table,
	.exit_status = "0 no violation, 1 there are some, 2 it could not be done.",
	.batch = &batch,
	.run = run,
};
