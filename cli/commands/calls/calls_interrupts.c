/* Handlers and sections without interrupts as tables or JSON. */
#include "cli/commands/calls/calls_interrupts.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/commands/show/show_records.h"
#include "cli/show/json.h"

#define NAME_MAX_ 256

static const char *name_of_cause(const struct ear_interrupt_cause *cause)
{
	return cause->has_code ? show_trap_name(cause->is_interrupt, cause->code) : NULL;
}

/* ---- Tables. ---- */

static void print_durations(const struct ear_durations *durations)
{
	if (durations->count == 0)
		printf(" %8s %10s %8s", "-", "-", "-");
	else
		printf(" %8" PRIu64 " %10.1f %8" PRIu64, durations->min,
			durations->sum / (double)durations->count, durations->max);
}

static void print_cause(const struct ear_interrupt_cause *cause, bool with_event)
{
	const char *name = name_of_cause(cause);

	printf("%10" PRIu64, cause->count);
	print_durations(&cause->entry);
	if (with_event)
		print_durations(&cause->since_event);
	print_durations(&cause->records);
	print_durations(&cause->clocks);
	printf("  %s", cause->is_interrupt ? "interrupt" : "exception");
	if (cause->has_code)
		printf(" 0x%" PRIx64, cause->code);
	if (name)
		printf(", %s", name);
	printf("\n");
}

static void print_causes(const struct ear_interrupts *interrupts, bool with_event)
{
	printf("%10s %28s", "", "clocks to the handler");
	if (with_event)
		printf(" %28s", "clocks since the event");
	printf(" %28s %28s\n%10s", "records of the handler", "clocks of the handler", "count");
	for (int i = 0; i < 3 + with_event; i++)
		printf(" %8s %10s %8s", "min", "mean", "max");
	printf("  cause\n");
	for (size_t i = 0; i < ear_interrupts_cause_count(interrupts); i++)
		print_cause(ear_interrupts_cause(interrupts, i), with_event);
}

static void print_place(const struct calls_show *show, uint64_t pc)
{
	char name[NAME_MAX_];

	if (!show->names || ear_names_text(show->names, pc, name, sizeof(name)) <= 0)
		snprintf(name, sizeof(name), "[0x%" PRIx64 "]", pc);
	printf("%s", name);
}

static void print_section(
	const struct calls_show *show, const struct ear_interrupt_section *section)
{
	printf("%12" PRIu64 " %12" PRIu64 " %12" PRIu64, section->first, section->last,
		section->records);
	if (section->has_clocks)
		printf(" %12" PRIu64 "  ", section->clocks);
	else
		printf(" %12s  ", "-");
	print_place(show, section->first_pc);
	printf("%s to ", section->by_trap ? " (trap)" : "");
	print_place(show, section->last_pc);
	if (section->hart)
		printf(", hart %u", section->hart);
	printf("\n");
}

static void print_sections(
	const struct calls_show *show, const struct ear_interrupts *interrupts, uint64_t max)
{
	const struct ear_interrupts_facts *facts = ear_interrupts_facts(interrupts);
	const size_t count = ear_interrupts_section_count(interrupts);

	if (!facts->known) {
		printf("\nwhether interrupts are enabled is not known\n");
		return;
	}
	printf("\ninterrupts were disabled, and enabled again, %" PRIu64 " times: %.0f records",
		facts->section_records.count, facts->section_records.sum);
	if (facts->section_clocks.count > 0)
		printf(", %.0f clocks", facts->section_clocks.sum);
	printf("\n%12s %12s %12s %12s  from where to where\n", "from", "to", "records", "clocks");
	for (size_t i = 0; i < count && i < max; i++)
		print_section(show, ear_interrupts_section(interrupts, i));
}

/* ---- For other programs. ---- */

static void print_json_durations(
	struct json *json, const char *key, const struct ear_durations *durations)
{
	if (durations->count == 0) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_number(json, "count", durations->count);
	json_number(json, "min", durations->min);
	json_real(json, "mean", durations->sum / (double)durations->count, 3);
	json_number(json, "max", durations->max);
	json_number(json, "50_to", ear_durations_at_most(durations, 500));
	json_number(json, "99_to", ear_durations_at_most(durations, 990));
	json_close(json, '}');
}

/* An object begins, and ends with its line. */
static struct json begin_object(void)
{
	struct json json = json_spaced();

	json_open(&json, NULL, '{');
	return json;
}

static void end_object(struct json *json)
{
	json_close(json, '}');
	putchar('\n');
}

static void print_json_cause(const struct ear_interrupt_cause *cause)
{
	struct json json = begin_object();

	json_text(&json, "kind", cause->is_interrupt ? "interrupt" : "exception");
	json_known(&json, "cause", cause->has_code, cause->code);
	json_text(&json, "name", name_of_cause(cause));
	json_number(&json, "count", cause->count);
	print_json_durations(&json, "entry_clocks", &cause->entry);
	print_json_durations(&json, "event_clocks", &cause->since_event);
	print_json_durations(&json, "records", &cause->records);
	print_json_durations(&json, "clocks", &cause->clocks);
	end_object(&json);
}

static void print_json_section(const struct ear_interrupt_section *section)
{
	struct json json = begin_object();

	json_text(&json, "kind", "section");
	json_number(&json, "hart", section->hart);
	json_text(&json, "by", section->by_trap ? "trap" : "instruction");
	json_number(&json, "first", section->first);
	json_number(&json, "last", section->last);
	json_hex(&json, "first_pc", true, section->first_pc);
	json_hex(&json, "last_pc", true, section->last_pc);
	json_number(&json, "records", section->records);
	json_known(&json, "clocks", section->has_clocks, section->clocks);
	end_object(&json);
}

static void print_json(const struct ear_interrupts *interrupts, uint64_t max)
{
	const struct ear_interrupts_facts *facts = ear_interrupts_facts(interrupts);

	for (size_t i = 0; i < ear_interrupts_cause_count(interrupts); i++)
		print_json_cause(ear_interrupts_cause(interrupts, i));
	struct json json = begin_object();
	json_text(&json, "kind", "disabled");
	print_json_durations(&json, "records", &facts->section_records);
	print_json_durations(&json, "clocks", &facts->section_clocks);
	end_object(&json);
	for (size_t i = 0; i < ear_interrupts_section_count(interrupts) && i < max; i++)
		print_json_section(ear_interrupts_section(interrupts, i));
}

void calls_interrupts_show(const struct calls_show *show, const struct ear_interrupts *interrupts,
	bool with_event, uint64_t max)
{
	if (show->format == CALLS_JSON) {
		print_json(interrupts, max);
		return;
	}
	print_causes(interrupts, with_event);
	print_sections(show, interrupts, max);
}
