#include "cli/commands/profile/profile_by.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/commands/profile/profile_show.h"

static const char *const key_names[] = {[EAR_BY_TASK] = "task",
	[EAR_BY_PROCESS] = "process",
	[EAR_BY_PRIVILEGE] = "privilege",
	[EAR_BY_HART] = "hart"};

static const char *privilege_name(uint64_t privilege)
{
	static const char *const names[] = {"u", "s", "h", "m", "vu", "vs", "debug"};

	return privilege < sizeof(names) / sizeof(names[0]) ? names[privilege] : "?";
}

static void print_task(const struct ear_by_task *task)
{
	printf("%" PRIu64 "  %s", task->pid, task->name);
	if (task->has_process && task->process != task->pid)
		printf("  (of %" PRIu64 ")", task->process);
}

static void print_key(const struct ear_by *by, const struct ear_by_row *row, enum ear_by_key key)
{
	const struct ear_by_task *task = NULL;

	if (key == EAR_BY_TASK)
		task = ear_by_task(by, row->key);
	else if (key == EAR_BY_PROCESS)
		task = ear_by_process(by, row->key);
	if (!row->known)
		printf("(not known)");
	else if (key == EAR_BY_TASK && task)
		print_task(task);
	else if (key == EAR_BY_PROCESS)
		printf("%" PRIu64 "  %s", row->key, task ? task->name : "");
	else if (key == EAR_BY_PRIVILEGE)
		printf("%s", privilege_name(row->key));
	else
		printf("%" PRIu64, row->key);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void print_number(uint64_t number, bool is_shown)
{
	if (is_shown)
		printf(" %10" PRIu64, number);
	else
		printf(" %10s", "-");
}

void profile_by_table(struct ear_by *by, enum ear_by_key key, uint64_t top)
{
	const struct ear_profile_counts total = ear_by_total(by);
	const struct ear_profile_shows shows = ear_by_shows(by);
	const bool timed = shows.time;
	const struct ear_by_row *rows;
	const size_t count = ear_by_finish(by, &rows);

	printf("%14s %6s%s %10s %10s  %s\n", "records", "%", timed ? "         clocks      %" : "",
		"traps", "interrupts", key_names[key]);
	for (size_t i = 0; i < count && (top == 0 || i < top); i++) {
		const struct ear_profile_counts *counts = &rows[i].counts;
		printf("%14" PRIu64 " %6.2f", counts->records,
			percent(counts->records, total.records));
		if (timed)
			printf(" %14" PRIu64 " %6.2f", counts->clocks,
				percent(counts->clocks, total.clocks));
		print_number(counts->traps, shows.traps);
		print_number(counts->interrupts, shows.interrupts);
		printf("  ");
		print_key(by, &rows[i], key);
		putchar('\n');
	}
	if (top && count > top)
		printf("... and %zu more (--top N)\n", (size_t)(count - top));
}

static void print_json_name(const struct ear_by_task *task)
{
	printf("\"name\": ");
	if (task && task->name[0])
		cli_print_json(task->name);
	else
		printf("null");
}

static void print_json_task(const struct ear_by_task *task)
{
	printf("\"pid\": %" PRIu64 ", \"process\": ", task->pid);
	if (task->has_process)
		printf("%" PRIu64 ", ", task->process);
	else
		printf("null, ");
	print_json_name(task);
}

static void print_json_key(
	const struct ear_by *by, const struct ear_by_row *row, enum ear_by_key key)
{
	const struct ear_by_task *task = key == EAR_BY_TASK ? ear_by_task(by, row->key) : NULL;

	if (!row->known) {
		printf("\"%s\": null", key_names[key]);
	} else if (task) {
		print_json_task(task);
	} else if (key == EAR_BY_PROCESS) {
		printf("\"process\": %" PRIu64 ", ", row->key);
		print_json_name(ear_by_process(by, row->key));
	} else if (key == EAR_BY_PRIVILEGE) {
		printf("\"privilege\": \"%s\"", privilege_name(row->key));
	} else {
		printf("\"%s\": %" PRIu64, key_names[key], row->key);
	}
}

void profile_by_json(struct ear_by *by, enum ear_by_key key)
{
	const struct ear_profile_shows shows = ear_by_shows(by);
	const struct ear_by_row *rows;
	const size_t count = ear_by_finish(by, &rows);

	printf("{\"by\": \"%s\", \"rows\": [", key_names[key]);
	for (size_t i = 0; i < count; i++) {
		printf(i > 0 ? ",\n  {" : "\n  {");
		print_json_key(by, &rows[i], key);
		printf(", ");
		profile_print_json_counts(&shows, "counts", &rows[i].counts);
		printf("}");
	}
	printf("\n]}\n");
}

/* ---- Methods. ---- */

/* Returns false if it has no name. */
static bool name_method(
	const struct ear_method *method, const struct ear_names *names, char text[PROFILE_NAME_MAX])
{
	if (method->name) {
		snprintf(text, PROFILE_NAME_MAX, "%s", method->name);
		return true;
	}
	return method->known && names &&
	       ear_names_text(names, method->address, text, PROFILE_NAME_MAX) > 0;
}

void profile_methods_table(struct ear_methods *methods, const struct ear_names *names, uint64_t top)
{
	const struct ear_profile_counts total = ear_methods_total(methods);
	const bool timed = ear_methods_shows(methods).time;
	const struct ear_method *rows;
	const size_t count = ear_methods_finish(methods, &rows);
	char name[PROFILE_NAME_MAX];

	printf("%14s %6s %14s %6s %12s%s  method\n", "self", "%", "inclusive", "%", "calls",
		timed ? "         clocks" : "");
	for (size_t i = 0; i < count && (top == 0 || i < top); i++) {
		const struct ear_method *row = &rows[i];
		printf("%14" PRIu64 " %6.2f %14" PRIu64 " %6.2f %12" PRIu64, row->self.records,
			percent(row->self.records, total.records), row->inclusive.records,
			percent(row->inclusive.records, total.records), row->calls);
		if (timed)
			printf(" %14" PRIu64, row->self.clocks);
		if (!row->known)
			strcpy(name, "(no method)");
		else if (!name_method(row, names, name))
			snprintf(name, sizeof(name), "[0x%" PRIx64 "]", row->address);
		printf("  %s%s\n", name, row->native ? "  (native)" : "");
	}
	if (top && count > top)
		printf("... and %zu more (--top N)\n", (size_t)(count - top));
}

void profile_methods_json(struct ear_methods *methods, const struct ear_names *names)
{
	const struct ear_profile_shows shows = ear_methods_shows(methods);
	const struct ear_method *rows;
	const size_t count = ear_methods_finish(methods, &rows);
	char name[PROFILE_NAME_MAX];

	printf("{\"unmatched\": %" PRIu64 ", \"methods\": [", ear_methods_unmatched(methods));
	for (size_t i = 0; i < count; i++) {
		printf(i > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
		if (name_method(&rows[i], names, name))
			cli_print_json(name);
		else
			printf("null");
		if (rows[i].known)
			printf(", \"address\": \"0x%" PRIx64 "\", \"native\": %s, ",
				rows[i].address, rows[i].native ? "true" : "false");
		else
			printf(", \"address\": null, \"native\": null, ");
		profile_print_json_counts(&shows, "self", &rows[i].self);
		printf(", ");
		profile_print_json_counts(&shows, "inclusive", &rows[i].inclusive);
		printf(", \"calls\": %" PRIu64 "}", rows[i].calls);
	}
	printf("\n]}\n");
}
