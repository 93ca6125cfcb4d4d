#include "cli/commands/profile/profile_callgrind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"

struct callgrind {
	const struct profile_view *view;
	const struct ear_profile *profile; /* the view's */
	bool timed;
	bool *named;        /* functions whose name was printed: the number says it from then on */
	const char *file;   /* of the lines that follow */
	const char **files; /* that were printed; their numbers are from 1 */
	size_t file_count, file_capacity;
};

static bool line_of(const struct callgrind *callgrind, uint64_t pc, struct ear_line *line)
{
	if (profile_line_at(callgrind->view, pc, line))
		return true;
	line->path = "???";
	line->line = 0;
	return false;
}

/* "fl=(2) src/main.c", the next time "fl=(2)". */
static bool print_file(struct callgrind *callgrind, const char *key, const char *path)
{
	size_t i = 0;

	while (i < callgrind->file_count && strcmp(callgrind->files[i], path) != 0)
		i++;
	if (i < callgrind->file_count) {
		printf("%s=(%zu)\n", key, i + 1);
		return true;
	}
	if (i == callgrind->file_capacity) {
		size_t capacity = 2 * callgrind->file_capacity + 16;
		const char **files = realloc(callgrind->files, capacity * sizeof(*files));
		if (!files)
			return false;
		callgrind->files = files;
		callgrind->file_capacity = capacity;
	}
	callgrind->files[callgrind->file_count++] = path;
	printf("%s=(%zu) %s\n", key, i + 1, path);
	return true;
}

static void print_function(struct callgrind *callgrind, const char *key, uint32_t number)
{
	const struct ear_profile_function *function =
		ear_profile_function(callgrind->profile, number);

	if (callgrind->named[number])
		printf("%s=(%" PRIu32 ")\n", key, number + 1);
	else if (function->name[0])
		printf("%s=(%" PRIu32 ") %s\n", key, number + 1, function->name);
	else if (function->entry)
		printf("%s=(%" PRIu32 ") [0x%" PRIx64 "]\n", key, number + 1, function->entry);
	else
		printf("%s=(%" PRIu32 ") [unknown]\n", key, number + 1);
	callgrind->named[number] = true;
}

static void print_cost(const struct callgrind *callgrind, uint64_t pc, uint32_t line,
	uint64_t records, uint64_t clocks)
{
	printf("0x%" PRIx64 " %" PRIu32 " %" PRIu64, pc, line, records);
	if (callgrind->timed)
		printf(" %" PRIu64, clocks);
	putchar('\n');
}

/* Code that was inlined is of another file. */
static bool enter_file(struct callgrind *callgrind, const char *path)
{
	if (callgrind->file && strcmp(callgrind->file, path) == 0)
		return true;
	callgrind->file = path;
	return print_file(callgrind, "fi", path);
}

/* Where a function begins: of one that was only inlined the file alone is known. */
static void begin_of(const struct callgrind *callgrind, uint32_t number, struct ear_line *line)
{
	const struct ear_profile_function *function =
		ear_profile_function(callgrind->profile, number);

	if (!profile_begin_of(callgrind->view, function, line))
		*line = (struct ear_line){.size = sizeof(*line), .path = "???"};
}

static bool print_edge(struct callgrind *callgrind, const struct ear_profile_edge *edge)
{
	const uint64_t entry = ear_profile_function(callgrind->profile, edge->callee)->entry;
	struct ear_line from, to;

	line_of(callgrind, edge->call_pc, &from);
	begin_of(callgrind, edge->callee, &to);
	if (!enter_file(callgrind, from.path) || !print_file(callgrind, "cfi", to.path))
		return false;
	print_function(callgrind, "cfn", edge->callee);
	/* With 0 calls, callgrind_annotate takes the cost for one of the caller itself: of jumps,
	 * and of calls before the first record, there is 1. */
	printf("calls=%" PRIu64 " 0x%" PRIx64 " %" PRIu32 "\n", edge->calls > 0 ? edge->calls : 1,
		entry, to.line);
	print_cost(callgrind, edge->call_pc, from.line, edge->inclusive.records,
		edge->inclusive.clocks);
	return true;
}

/* Instructions from *pc on and calls from *edge on are those of the function. */
static bool print_body(struct callgrind *callgrind, uint32_t number, size_t *pc, size_t *edge)
{
	const struct ear_profile *profile = callgrind->profile;
	const size_t pcs = ear_profile_pc_count(profile), edges = ear_profile_edge_count(profile);
	struct ear_line line;

	begin_of(callgrind, number, &line);
	callgrind->file = line.path;
	putchar('\n');
	if (!print_file(callgrind, "fl", line.path))
		return false;
	print_function(callgrind, "fn", number);
	for (; *pc < pcs && ear_profile_pc(profile, *pc)->function == number; ++*pc) {
		const struct ear_profile_pc *entry = ear_profile_pc(profile, *pc);
		line_of(callgrind, entry->pc, &line);
		if (!enter_file(callgrind, line.path))
			return false;
		print_cost(callgrind, entry->pc, line.line, entry->records, entry->clocks);
	}
	for (; *edge < edges && ear_profile_edge(profile, *edge)->caller == number; ++*edge)
		if (!print_edge(callgrind, ear_profile_edge(profile, *edge)))
			return false;
	return true;
}

static void print_head(const struct callgrind *callgrind, const char *trace)
{
	const struct ear_profile_counts total = ear_profile_total(callgrind->profile);

	printf("# callgrind format\nversion: 1\ncreator: %s\ncmd: %s\n", cli_version, trace);
	printf("positions: instr line\nevents: Ir%s\n", callgrind->timed ? " Clocks" : "");
	printf("summary: %" PRIu64, total.records);
	if (callgrind->timed)
		printf(" %" PRIu64, total.clocks);
	putchar('\n');
	if (callgrind->view->names && ear_names_file_count(callgrind->view->names) > 0)
		printf("\nob=(1) %s", ear_names_file(callgrind->view->names, 0)->path);
}

bool profile_callgrind(const struct profile_view *view, const char *trace)
{
	const size_t functions = ear_profile_function_count(view->profile);
	struct callgrind callgrind = {.view = view,
		.profile = view->profile,
		.timed = ear_profile_has_time(view->profile),
		.named = calloc(functions + 1, sizeof(bool))};
	size_t pc = 0, edge = 0;
	bool good = callgrind.named;

	if (good)
		print_head(&callgrind, trace);
	for (uint32_t i = 0; i < functions && good; i++)
		good = print_body(&callgrind, i, &pc, &edge);
	free(callgrind.named);
	free(callgrind.files);
	return good;
}
