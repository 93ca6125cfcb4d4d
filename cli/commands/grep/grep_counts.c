/* Counts by key in a hash table with open addressing; the key of a function is its first address.
 * The symbol looked up last is kept with the range for which it is the answer, since most matches
 * follow one in the same function.
 */
#include "cli/commands/grep/grep_counts.h"

#include <earshot/names.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "common/hash.h"

#define COUNTS_MAX (1u << 24) /* keys: of pcs of a program of 16 million instructions */

struct entry {
	uint64_t key, count;
	const struct ear_symbol *symbol; /* FUNCTION: NULL if the pc is in none */
	bool used, is_instruction;
};

struct grep_counts {
	enum grep_count_key key;
	struct ear_names *names;
	struct entry *entries;
	size_t size, used; /* a power of two */
	bool has_span, full;
	uint64_t first, last; /* addresses of which the symbol is: */
	const struct ear_symbol *symbol;
};

struct grep_counts *grep_counts_new(enum grep_count_key key, struct ear_names *names)
{
	struct grep_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->key = key;
	counts->names = names;
	counts->size = 256;
	counts->entries = calloc(counts->size, sizeof(*counts->entries));
	if (!counts->entries) {
		free(counts);
		return NULL;
	}
	return counts;
}

void grep_counts_free(struct grep_counts *counts)
{
	if (!counts)
		return;
	free(counts->entries);
	free(counts);
}

static struct entry *find(struct entry *entries, size_t size, uint64_t key, bool is_instruction)
{
	size_t at = ear_hash_index(key ^ key >> 29, size);

	while (entries[at].used &&
		(entries[at].key != key || entries[at].is_instruction != is_instruction))
		at = (at + 1) & (size - 1);
	return &entries[at];
}

static bool grow(struct grep_counts *counts)
{
	size_t size = 2 * counts->size;
	struct entry *entries = size > COUNTS_MAX ? NULL : calloc(size, sizeof(*entries));

	if (!entries)
		return false;
	for (size_t i = 0; i < counts->size; i++) {
		const struct entry *entry = &counts->entries[i];
		if (entry->used)
			*find(entries, size, entry->key, entry->is_instruction) = *entry;
	}
	free(counts->entries);
	counts->entries = entries;
	counts->size = size;
	return true;
}

static const struct ear_symbol *symbol_at(struct grep_counts *counts, uint64_t pc)
{
	if (!counts->has_span || pc < counts->first || pc > counts->last) {
		counts->symbol =
			ear_names_symbol_span(counts->names, pc, &counts->first, &counts->last);
		counts->has_span = true;
	}
	return counts->symbol;
}

void grep_counts_add(
	struct grep_counts *counts, const struct ear_record *record, const struct ear_task *task)
{
	bool is_instruction = record->kind == EAR_RECORD_INSTRUCTION;
	const struct ear_symbol *symbol = NULL;
	uint64_t key = 0;

	if (counts->key == GREP_COUNT_HART) {
		key = record->hart;
		is_instruction = true;
	} else if (counts->key == GREP_COUNT_TASK) {
		key = task ? task->pid : 0;
		is_instruction = task;
	} else if (is_instruction && counts->key == GREP_COUNT_PC) {
		key = record->pc;
	} else if (is_instruction) {
		symbol = symbol_at(counts, record->pc);
		key = symbol ? symbol->address : UINT64_MAX;
	}
	struct entry *entry = find(counts->entries, counts->size, key, is_instruction);
	if (!entry->used) {
		if (2 * counts->used >= counts->size) {
			if (!grow(counts)) {
				counts->full = true;
				return;
			}
			entry = find(counts->entries, counts->size, key, is_instruction);
		}
		counts->used++;
		*entry = (struct entry){key, 0, symbol, true, is_instruction};
	}
	entry->count++;
}

static int compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->used != b->used)
		return a->used ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void print_pc(const struct grep_counts *counts, uint64_t pc)
{
	char symbol[256] = "", line[256] = "";

	if (counts->names) {
		ear_names_text(counts->names, pc, symbol, sizeof(symbol));
		ear_names_line_text(counts->names, pc, line, sizeof(line));
	}
	printf("0x%" PRIx64 "%s%s%s%s\n", pc, symbol[0] ? "  " : "", symbol, line[0] ? "  " : "",
		line);
}

/* "task 12  name": bytes that are not printable are "?". */
static void print_task(const struct ear_task_follower *tasks, uint64_t pid)
{
	struct ear_task task = {.name = {NULL, 0}};

	ear_task_follower_find(tasks, pid, &task);
	printf("task %" PRIu64 "%s", pid, task.name.size ? "  " : "");
	for (size_t i = 0; i < task.name.size; i++)
		putchar(task.name.text[i] > ' ' && task.name.text[i] < 0x7F ? task.name.text[i]
									    : '?');
	putchar('\n');
}

static void print_entry(const struct grep_counts *counts, const struct entry *entry,
	const struct ear_task_follower *tasks)
{
	printf("%10" PRIu64 "  ", entry->count);
	if (!entry->is_instruction)
		printf("%s\n", counts->key == GREP_COUNT_TASK ? "unknown task" : "no instruction");
	else if (counts->key == GREP_COUNT_TASK)
		print_task(tasks, entry->key);
	else if (counts->key == GREP_COUNT_PC)
		print_pc(counts, entry->key);
	else if (counts->key == GREP_COUNT_HART)
		printf("hart %" PRIu64 "\n", entry->key);
	else
		printf("%s\n", entry->symbol ? entry->symbol->name : "no symbol");
}

bool grep_counts_print(struct grep_counts *counts, const struct ear_task_follower *tasks)
{
	qsort(counts->entries, counts->size, sizeof(*counts->entries), compare);
	for (size_t i = 0; i < counts->used; i++)
		print_entry(counts, &counts->entries[i], tasks);
	if (counts->full)
		cli_error("--count-by: there are too many different ones; some are not counted");
	return !counts->full;
}
