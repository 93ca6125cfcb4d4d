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
		printf("... and %zu more (--limit N)\n", (size_t)(count - top));
}

static void print_json_name(struct json *json, const struct ear_by_task *task)
{
	json_text(json, "name", task && task->name[0] ? task->name : NULL);
}

static void print_json_key(struct json *json, const struct ear_by *by, const struct ear_by_row *row,
	enum ear_by_key key)
{
	const struct ear_by_task *task = key == EAR_BY_TASK ? ear_by_task(by, row->key) : NULL;

	if (!row->known) {
		json_null(json, key_names[key]);
	} else if (task) {
		json_number(json, "pid", task->pid);
		json_known(json, "process", task->has_process, task->process);
		print_json_name(json, task);
	} else if (key == EAR_BY_PROCESS) {
		json_number(json, "process", row->key);
		print_json_name(json, ear_by_process(by, row->key));
	} else if (key == EAR_BY_PRIVILEGE) {
		json_text(json, "privilege", privilege_name(row->key));
	} else {
		json_number(json, key_names[key], row->key);
	}
}

void profile_by_json(struct ear_by *by, enum ear_by_key key, const struct verdict *verdict)
{
	const struct ear_profile_shows shows = ear_by_shows(by);
	const struct ear_by_row *rows;
	const size_t count = ear_by_finish(by, &rows);
	struct json json = json_spaced();

	json_open(&json, NULL, '{');
	json_text(&json, "by", key_names[key]);
	verdict_json(verdict, &json);
	json_open(&json, "rows", '[');
	for (size_t i = 0; i < count; i++) {
		json_line(&json, 2);
		json_open(&json, NULL, '{');
		print_json_key(&json, by, &rows[i], key);
		profile_json_counts(&shows, &json, "counts", &rows[i].counts);
		json_close(&json, '}');
	}
	putchar('\n');
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
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
		printf("... and %zu more (--limit N)\n", (size_t)(count - top));
}

void profile_methods_json(
	struct ear_methods *methods, const struct ear_names *names, const struct verdict *verdict)
{
	const struct ear_profile_shows shows = ear_methods_shows(methods);
	const struct ear_method *rows;
	const size_t count = ear_methods_finish(methods, &rows);
	char name[PROFILE_NAME_MAX];

	struct json json = json_spaced();
	json_open(&json, NULL, '{');
	json_number(&json, "unmatched", ear_methods_unmatched(methods));
	verdict_json(verdict, &json);
	json_open(&json, "methods", '[');
	for (size_t i = 0; i < count; i++) {
		json_line(&json, 2);
		json_open(&json, NULL, '{');
		json_text(&json, "name", name_method(&rows[i], names, name) ? name : NULL);
		json_hex(&json, "address", rows[i].known, rows[i].address);
		if (rows[i].known)
			json_bool(&json, "native", rows[i].native);
		else
			json_null(&json, "native");
		profile_json_counts(&shows, &json, "self", &rows[i].self);
		profile_json_counts(&shows, &json, "inclusive", &rows[i].inclusive);
		json_number(&json, "calls", rows[i].calls);
		json_close(&json, '}');
	}
	putchar('\n');
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
}
