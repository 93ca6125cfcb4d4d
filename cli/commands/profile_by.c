#include "cli/commands/profile_by.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/commands/profile_show.h"

static const char *const key_names[] = {[EAR_BY_TASK] = "task",
	[EAR_BY_PROCESS] = "process",
	[EAR_BY_PRIVILEGE] = "privilege",
	[EAR_BY_HART] = "hart"};

static const char *privilege_name(uint64_t privilege)
{
	static const char *const names[] = {"u", "s", "h", "m", "vu", "vs", "debug"};

	return privilege < sizeof(names) / sizeof(names[0]) ? names[privilege] : "?";
}

/* The name of a process is that of its first thread, whose pid it is. */
static bool find_process(struct ear_tasks *tasks, uint64_t pid, struct ear_task_facts *facts)
{
	for (uint32_t i = 1; i <= ear_tasks_count(tasks); i++)
		if (ear_tasks_get(tasks, i, facts) && facts->pid == pid)
			return true;
	return false;
}

static void print_key(const struct ear_by_row *row, enum ear_by_key key, struct ear_tasks *tasks)
{
	struct ear_task_facts facts = {.size = sizeof(facts), .name = ""};

	if (!row->known) {
		printf("(not known)");
	} else if (key == EAR_BY_TASK && ear_tasks_get(tasks, (uint32_t)row->key, &facts)) {
		printf("%" PRIu64 "  %s", facts.pid, facts.name);
		if (facts.has_process && facts.process != facts.pid)
			printf("  (of %" PRIu64 ")", facts.process);
	} else if (key == EAR_BY_PROCESS) {
		bool found = find_process(tasks, row->key, &facts);
		printf("%" PRIu64 "  %s", row->key, found ? facts.name : "");
	} else if (key == EAR_BY_PRIVILEGE) {
		printf("%s", privilege_name(row->key));
	} else {
		printf("%" PRIu64, row->key);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

void profile_by_table(struct ear_by *by, enum ear_by_key key, struct ear_tasks *tasks, uint64_t top)
{
	const struct ear_profile_counts total = ear_by_total(by);
	const bool timed = ear_by_shows(by).time;
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
		printf(" %10" PRIu64 " %10" PRIu64 "  ", counts->traps, counts->interrupts);
		print_key(&rows[i], key, tasks);
		putchar('\n');
	}
	if (top && count > top)
		printf("... and %zu more (--top N)\n", (size_t)(count - top));
}

static void print_json_task(const struct ear_task_facts *facts)
{
	printf("\"pid\": %" PRIu64 ", \"process\": ", facts->pid);
	if (facts->has_process)
		printf("%" PRIu64, facts->process);
	else
		printf("null");
	printf(", \"name\": ");
	if (facts->name[0])
		cli_print_json(facts->name);
	else
		printf("null");
}

static void print_json_key(
	const struct ear_by_row *row, enum ear_by_key key, struct ear_tasks *tasks)
{
	struct ear_task_facts facts = {.size = sizeof(facts), .name = ""};

	if (!row->known)
		printf("\"%s\": null", key_names[key]);
	else if (key == EAR_BY_TASK && ear_tasks_get(tasks, (uint32_t)row->key, &facts))
		print_json_task(&facts);
	else if (key == EAR_BY_PROCESS) {
		bool found = find_process(tasks, row->key, &facts);
		printf("\"process\": %" PRIu64 ", \"name\": ", row->key);
		if (found && facts.name[0])
			cli_print_json(facts.name);
		else
			printf("null");
	} else if (key == EAR_BY_PRIVILEGE) {
		printf("\"privilege\": \"%s\"", privilege_name(row->key));
	} else {
		printf("\"hart\": %" PRIu64, row->key);
	}
}

void profile_by_json(struct ear_by *by, enum ear_by_key key, struct ear_tasks *tasks)
{
	const struct ear_profile_shows shows = ear_by_shows(by);
	const struct ear_by_row *rows;
	const size_t count = ear_by_finish(by, &rows);

	printf("{\"by\": \"%s\", \"rows\": [", key_names[key]);
	for (size_t i = 0; i < count; i++) {
		printf(i > 0 ? ",\n  {" : "\n  {");
		print_json_key(&rows[i], key, tasks);
		printf(", ");
		profile_print_json_counts(&shows, "counts", &rows[i].counts);
		printf("}");
	}
	printf("\n]}\n");
}
