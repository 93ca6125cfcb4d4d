/* earshot-call-log: are the call stacks of a trace those that the program says?
 *
 *     earshot-call-log TRACE ELF [--part RECORDS]
 *
 * The program (tests/programs, built with call_log.c) stores the address of a function where it
 * begins and ends, and says where longjmp landed, where a function becomes another one by a tail
 * call, and which task runs. These stores are the truth: the functions that are active, by task. At
 * each of them the functions of the frames of library/stack/call_stack are compared with it, as far
 * as they are functions that log. --part: flow events are made in parts of that many records, as
 * they are between two checkpoints.
 *
 * An interrupt can come between the call of a function and its store. So the first function below
 * a handler may be missing in the truth.
 *
 * Exit code: 0 nothing is wrong, 1 something is, 2 it could not be done.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "library/source/source.h"
#include "library/stack/call_stack.h"

#define FUNCTIONS   1024
#define TASKS       16
#define MAIN_TASK   15 /* runs first: LOG_MAIN of support.h */
#define DEPTH       1024
#define WRONG_SHOWN 5

enum word { ENTER, EXIT, LANDED, TAIL, TASK, NEXT_TASK, WORDS };

static const char *const word_names[WORDS] = {
	"log_enter", "log_exit", "log_landed", "log_tail", "log_task", "log_next_task"};

struct function {
	const char *name;
	uint64_t address, size;
	bool logs;
};

struct stack {
	uint64_t functions[DEPTH];
	size_t depth;
};

struct check {
	struct truth_image image;
	struct function functions[FUNCTIONS];
	size_t function_count;
	uint64_t words[WORDS];
	struct stack tasks[TASKS];
	size_t task, next_task; /* TASKS: none is announced */
	struct ear_flow flow;
	struct ear_call_stacks *stacks;
	uint64_t begin, compared, wrong, deepest, traps, switches;
};

static void add_symbol(
	struct check *check, const char *name, uint64_t value, uint64_t size, unsigned info)
{
	for (unsigned i = 0; i < WORDS; i++) {
		if (strcmp(name, word_names[i]) == 0)
			check->words[i] = value;
	}
	if (ELF32_ST_TYPE(info) == STT_FUNC && check->function_count < FUNCTIONS)
		check->functions[check->function_count++] =
			(struct function){name, value, size, false};
}

static bool read_symbols(struct check *check)
{
	const uint8_t *file = check->image.file;
	const Elf32_Ehdr *head = (const void *)file;

	if (file[EI_CLASS] != ELFCLASS32) {
		fprintf(stderr, "only for programs of 32 bits\n");
		return false;
	}
	const Elf32_Shdr *sections = (const void *)(file + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++) {
		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		const Elf32_Sym *symbols = (const void *)(file + sections[i].sh_offset);
		const char *names = (const void *)(file + sections[sections[i].sh_link].sh_offset);
		for (size_t k = 0; k < sections[i].sh_size / sizeof(*symbols); k++)
			add_symbol(check, names + symbols[k].st_name, symbols[k].st_value,
				symbols[k].st_size, symbols[k].st_info);
	}
	return check->words[ENTER] != 0;
}

static struct function *function_at(struct check *check, uint64_t pc)
{
	for (size_t i = 0; i < check->function_count; i++) {
		struct function *function = &check->functions[i];
		if (pc - function->address < function->size)
			return function;
	}
	return NULL;
}

static const char *name_of(struct check *check, uint64_t pc)
{
	const struct function *function = function_at(check, pc);

	return function ? function->name : "?";
}

/* Which word the record writes; WORDS: none. */
static enum word word_written(
	const struct check *check, const struct ear_record *record, uint64_t *value)
{
	for (size_t i = 0; record->kind == EAR_RECORD_INSTRUCTION && i < record->memory_count;
		i++) {
		const struct ear_record_access *access = &record->memory[i];
		for (unsigned word = 0; access->write && word < WORDS; word++) {
			if (check->words[word] && access->address == check->words[word]) {
				*value = access->value;
				return (enum word)word;
			}
		}
	}
	return WORDS;
}

struct shown {
	uint64_t function;
	bool optional; /* it may not have logged yet, or already that it ends */
};

/* The functions that log, newest first. */
static size_t list_shown(struct check *check, const struct ear_call_frame *frames, size_t count,
	uint64_t pc, struct shown *shown)
{
	size_t found = 0;
	bool interrupted = false;

	for (size_t i = 0; i < count; i++) {
		const struct function *function = function_at(check, pc);
		if (function && function->logs) {
			shown[found++] = (struct shown){function->address, interrupted};
			interrupted = false;
		}
		interrupted = interrupted || frames[i].kind == EAR_FRAME_TRAP ||
			      frames[i].kind == EAR_FRAME_INTERRUPT;
		pc = frames[i].call_pc;
	}
	return found;
}

/* Are the count shown ones the depth functions of the truth, but for some optional ones? */
static bool is_same(const uint64_t *truth, size_t depth, const struct shown *shown, size_t count)
{
	if (count == 0)
		return depth == 0;
	if (depth > 0 && truth[depth - 1] == shown->function &&
		is_same(truth, depth - 1, shown + 1, count - 1))
		return true;
	return shown->optional && is_same(truth, depth, shown + 1, count - 1);
}

static void report(struct check *check, const struct stack *truth, const struct shown *shown,
	size_t count, uint64_t position)
{
	if (check->wrong++ >= WRONG_SHOWN)
		return;
	printf("after record %" PRIu64 ", task %zu:\n  true: ", position, check->task);
	for (size_t i = truth->depth; i > 0; i--)
		printf(" %s", name_of(check, truth->functions[i - 1]));
	printf("\n  found:");
	for (size_t i = 0; i < count; i++)
		printf(" %s%s", name_of(check, shown[i].function), shown[i].optional ? "?" : "");
	printf("\n");
}

static void cut_part(struct check *check, uint64_t position)
{
	if (ear_flow_sync(&check->flow, position - check->begin) ||
		ear_call_stacks_push(
			check->stacks, check->flow.events, check->flow.count, check->begin))
		abort();
	check->flow.count = 0;
	check->begin = position;
}

static void compare(
	struct check *check, const struct ear_record *record, uint64_t position, bool exits)
{
	static struct ear_call_frame frames[DEPTH];
	static struct shown shown[DEPTH];
	const struct stack *truth = &check->tasks[check->task];

	cut_part(check, position + 1);
	int count = ear_call_stack_frames(check->stacks, record->hart, frames, DEPTH);
	if (count < 0 || count > DEPTH)
		abort();
	for (int i = 0; i < count; i++)
		check->traps += frames[i].kind >= EAR_FRAME_TRAP;
	size_t found = list_shown(check, frames, (size_t)count, record->next_pc, shown);
	check->compared++;
	check->deepest = truth->depth > check->deepest ? truth->depth : check->deepest;
	/* What says that it ends may be reached by a tail call. */
	if (!is_same(truth->functions, truth->depth, shown, found) &&
		!(exits && is_same(truth->functions, truth->depth - 1, shown, found)))
		report(check, truth, shown, found, position);
}

static void switch_task(struct check *check, uint64_t task)
{
	check->task = task < TASKS ? task : 0;
	check->next_task = TASKS;
	check->switches++;
}

static void enter(struct check *check, uint64_t function)
{
	struct stack *stack = &check->tasks[check->task];

	if (stack->depth < DEPTH)
		stack->functions[stack->depth++] = function;
}

/* A task that begins: what was in its memory before is gone. */
static bool begins_task(struct check *check, uint64_t function)
{
	return strcmp(name_of(check, function), "task") == 0;
}

static void take(struct check *check, enum word word, uint64_t value,
	const struct ear_record *record, uint64_t position)
{
	struct stack *stack = &check->tasks[check->task];

	switch (word) {
	case ENTER:
		if (begins_task(check, value))
			stack->depth = 0;
		enter(check, value);
		compare(check, record, position, false);
		break;
	case EXIT:
		compare(check, record, position, true);
		stack->depth -= stack->depth > 0;
		if (check->next_task != TASKS)
			switch_task(check, check->next_task);
		break;
	case LANDED:
		while (stack->depth > 1 && stack->functions[stack->depth - 1] != value)
			stack->depth--;
		compare(check, record, position, false);
		break;
	case TAIL:
		stack->depth -= stack->depth > 0;
		enter(check, value);
		break;
	case TASK: switch_task(check, value); break;
	case NEXT_TASK: check->next_task = value; break;
	case WORDS: break;
	}
}

static int open_trace(struct ear_source **source, const char *path)
{
	const struct ear_source_options options = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && ear_source_new(source, fd, &options) == 0)
		return fd;
	fprintf(stderr, "%s: cannot be read\n", path);
	exit(2);
}

/* Which functions log: by all stores of the run. */
static void find_logged(struct check *check, const char *path)
{
	const struct ear_record *record;
	struct ear_source *source;
	uint64_t value = 0;
	int fd = open_trace(&source, path);

	while (ear_source_next(source, &record) == 1) {
		enum word word = word_written(check, record, &value);
		struct function *function = function_at(check, value);
		if ((word == ENTER || word == TAIL) && function)
			function->logs = true;
	}
	ear_source_free(source);
	close(fd);
}

static void follow(struct check *check, const char *path, uint64_t part)
{
	const struct ear_record *record;
	struct ear_source *source;
	uint64_t value = 0, position = 0;
	bool begun = false;
	int fd = open_trace(&source, path);

	for (; ear_source_next(source, &record) == 1; position++) {
		if (ear_flow_push(&check->flow, position - check->begin, record))
			abort();
		enum word word = word_written(check, record, &value);
		begun = begun || (word == ENTER && value != 0); /* not when .bss is cleared */
		if (begun && word != WORDS)
			take(check, word, value, record, position);
		if (part && position + 1 - check->begin >= part)
			cut_part(check, position + 1);
	}
	ear_source_free(source);
	close(fd);
}

int main(int argc, char **argv)
{
	static struct check check = {.task = MAIN_TASK, .next_task = TASKS};
	uint64_t part = 0;

	if (argc == 5 && strcmp(argv[3], "--part") == 0)
		part = strtoull(argv[4], NULL, 10);
	else if (argc != 3) {
		fprintf(stderr, "earshot-call-log TRACE ELF [--part RECORDS]\n");
		return 2;
	}
	if (truth_image_open(&check.image, argv[2]) || !read_symbols(&check)) {
		fprintf(stderr, "%s: no program that logs its calls\n", argv[2]);
		return 2;
	}
	if (ear_call_stacks_new(&check.stacks))
		return 2;
	find_logged(&check, argv[1]);
	follow(&check, argv[1], part);
	printf("%" PRIu64 " moments, %" PRIu64 " wrong, deepest %" PRIu64 ", handlers %" PRIu64
	       ", switches %" PRIu64 "\n",
		check.compared, check.wrong, check.deepest, check.traps, check.switches);
	ear_flow_fini(&check.flow);
	ear_call_stacks_free(check.stacks);
	truth_image_close(&check.image);
	return check.wrong ? 1 : check.compared ? 0 : 2;
}
