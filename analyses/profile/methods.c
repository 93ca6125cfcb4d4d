/* A stack of methods for each task, and rows for methods. Records of a stretch are counted once and
 * then added to each method on the stack; a mark says which have had them. The stacks follow from
 * the events alone, so a part knows them when it got those before it.
 */
#include "analyses/profile/methods_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define STACKS_MAX  65536u
#define METHODS_MAX (1u << 20)

/* ---- Methods. ---- */

static uint32_t *find_row(const struct ear_methods *methods, bool native, uint64_t address)
{
	const struct ear_numbering *numbers = &methods->numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(address, native));

	while (numbers->places[at]) {
		const struct ear_method *row = &methods->rows[numbers->places[at] - 1];
		if (row->known && row->address == address && row->native == native)
			break;
		at = ear_numbering_next(numbers, at);
	}
	return &numbers->places[at];
}

static int grow_rows(struct ear_methods *methods)
{
	bool again;
	struct ear_method *rows = ear_numbering_grow(
		&methods->numbers, methods->rows, sizeof(*rows), methods->count, &again);

	if (!rows)
		return EAR_E_NO_MEMORY;
	methods->rows = rows;
	for (uint32_t i = 1; i < methods->count && again; i++)
		*find_row(methods, rows[i].native, rows[i].address) = i + 1;
	if (methods->mark_capacity < methods->numbers.capacity) {
		uint64_t *marks =
			realloc(methods->marks, methods->numbers.capacity * sizeof(*marks));
		if (!marks)
			return EAR_E_NO_MEMORY;
		memset(marks + methods->mark_capacity, 0,
			(methods->numbers.capacity - methods->mark_capacity) * sizeof(*marks));
		methods->marks = marks;
		methods->mark_capacity = methods->numbers.capacity;
	}
	return 0;
}

/* Its number; that of what is outside if there are too many. */
int ear_methods_row(struct ear_methods *methods, bool native, uint64_t address, uint32_t *number)
{
	if (grow_rows(methods))
		return EAR_E_NO_MEMORY;
	uint32_t *slot = find_row(methods, native, address);
	*number = 0;
	if (*slot == 0 && methods->count == METHODS_MAX)
		return 0;
	if (*slot == 0) {
		methods->rows[methods->count] =
			(struct ear_method){.known = true, .native = native, .address = address};
		*slot = ++methods->count;
	}
	*number = *slot - 1;
	return 0;
}

/* ---- Stacks. ---- */

static uint32_t *find_stack(const struct ear_methods *methods, uint64_t pid)
{
	const struct ear_numbering *numbers = &methods->stack_numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(pid, 0));

	while (numbers->places[at] && methods->stacks[numbers->places[at] - 1].pid != pid)
		at = ear_numbering_next(numbers, at);
	return &numbers->places[at];
}

/* NULL: there is none, or *result is an error. */
static struct ear_methods_stack *stack_of(
	struct ear_methods *methods, uint64_t pid, bool make, int *result)
{
	bool again;
	struct ear_methods_stack *stacks = ear_numbering_grow(&methods->stack_numbers,
		methods->stacks, sizeof(*stacks), methods->stack_count, &again);

	*result = stacks ? 0 : EAR_E_NO_MEMORY;
	if (!stacks)
		return NULL;
	methods->stacks = stacks;
	for (uint32_t i = 0; i < methods->stack_count && again; i++)
		*find_stack(methods, stacks[i].pid) = i + 1;
	uint32_t *slot = find_stack(methods, pid);
	if (*slot == 0 && (!make || methods->stack_count == STACKS_MAX))
		return NULL;
	if (*slot == 0) {
		stacks[methods->stack_count] = (struct ear_methods_stack){.pid = pid};
		*slot = ++methods->stack_count;
	}
	return &stacks[*slot - 1];
}

static int enter(struct ear_methods *methods, uint64_t pid, bool native, uint64_t address)
{
	uint32_t number;
	int result;
	struct ear_methods_stack *stack = stack_of(methods, pid, true, &result);

	if (result == 0)
		result = ear_methods_row(methods, native, address, &number);
	if (result)
		return result;
	methods->rows[number].calls++;
	if (!stack || stack->depth == EAR_METHODS_DEPTH) {
		methods->unmatched++;
		return 0;
	}
	if (stack->depth == stack->capacity) {
		uint32_t capacity = stack->capacity ? 2 * stack->capacity : 16;
		uint32_t *more = realloc(stack->methods, capacity * sizeof(*more));
		if (!more)
			return EAR_E_NO_MEMORY;
		stack->methods = more;
		stack->capacity = capacity;
	}
	stack->methods[stack->depth++] = number;
	return 0;
}

/* The newest call of the method ends, and with it those that it made. */
static int leave(struct ear_methods *methods, uint64_t pid, bool native, uint64_t address)
{
	int result;
	struct ear_methods_stack *stack = stack_of(methods, pid, false, &result);

	if (result)
		return result;
	for (uint32_t depth = stack ? stack->depth : 0; depth > 0; depth--) {
		const struct ear_method *row = &methods->rows[stack->methods[depth - 1]];
		if (row->known && row->native == native && row->address == address) {
			stack->depth = depth - 1;
			return 0;
		}
	}
	methods->unmatched++;
	return 0;
}

/* ---- Events. ---- */

static int take_symbol(struct ear_methods *methods, const char *text)
{
	uint64_t address;
	int at = 0;
	uint32_t number;

	if (sscanf(text, "symbol 0x%" SCNx64 " %n", &address, &at) != 1 || at == 0)
		return 0;
	int result = ear_methods_row(methods, false, address, &number);
	if (result || number == 0 || !text[at])
		return result;
	char *name = strdup(text + at);
	if (!name)
		return EAR_E_NO_MEMORY;
	free(methods->rows[number].name);
	methods->rows[number].name = name;
	return 0;
}

static int take_event(void *context, const struct ear_record *event)
{
	struct ear_methods *methods = context;
	const struct ear_text *name = &event->u.event.name;
	char text[EAR_METHODS_NAME], kind[8], what[8];
	uint64_t pid, address;

	size_t size = name->size < sizeof(text) - 1 ? name->size : sizeof(text) - 1;
	memcpy(text, name->text, size);
	text[size] = '\0';
	if (strncmp(text, "symbol ", 7) == 0)
		return take_symbol(methods, text);
	if (sscanf(text, "%7[a-z]-%7[a-z] %" SCNu64 " 0x%" SCNx64, kind, what, &pid, &address) != 4)
		return 0;
	const bool native = strcmp(kind, "native") == 0;
	if (!native && strcmp(kind, "method") != 0)
		return 0;
	if (strcmp(what, "enter") == 0)
		return enter(methods, pid, native, address);
	return leave(methods, pid, native, address);
}

/* ---- Records. ---- */

static void end_stacks(struct ear_methods *methods, const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_GAP)
		return;
	for (uint32_t i = 0; i < methods->stack_count; i++)
		methods->stacks[i].depth = 0;
}

/* What is before a part is its events, and gaps. Then counting begins, with the methods that run
 * there. */
int ear_methods_before(void *count, const struct ear_batch *batch)
{
	struct ear_methods *methods = count;

	if (batch) {
		if (batch->record)
			end_stacks(methods, batch->record);
		return 0;
	}
	for (uint32_t i = 0; i < methods->count; i++)
		methods->rows[i].calls = 0;
	methods->unmatched = 0;
	return 0;
}

void ear_methods_add(struct ear_methods *methods, const uint32_t *stack, uint32_t depth,
	const struct ear_profile_counts *counts)
{
	ear_profile_add(&methods->rows[depth ? stack[depth - 1] : 0].self, counts);
	if (depth == 0)
		ear_profile_add(&methods->rows[0].inclusive, counts);
	methods->stretch++;
	for (; depth > 0; depth--) {
		const uint32_t number = stack[depth - 1];
		if (methods->marks[number] != methods->stretch)
			ear_profile_add(&methods->rows[number].inclusive, counts);
		methods->marks[number] = methods->stretch;
	}
}

int ear_methods_keep(struct ear_methods *methods, const uint32_t *stack, uint32_t depth)
{
	struct ear_methods_owner *owners =
		realloc(methods->owners, (methods->owner_count + 1) * sizeof(*owners));
	uint32_t *copy = malloc((depth + 1) * sizeof(*copy));

	if (owners)
		methods->owners = owners;
	if (!owners || !copy) {
		free(copy);
		return EAR_E_NO_MEMORY;
	}
	if (depth > 0)
		memcpy(copy, stack, depth * sizeof(*copy));
	owners[methods->owner_count++] = (struct ear_methods_owner){copy, depth};
	return 0;
}

/* Of records of a stretch that has the stack. */
static int count_record(struct ear_methods *methods, const struct ear_methods_stack *stack,
	const struct ear_record *record, struct ear_profile_counts *counts)
{
	ear_profile_count(record, counts, &methods->seen);
	int result = ear_profile_times_count(
		&methods->times, record, methods->owner_count, &counts->clocks);
	if (result <= 0)
		return result;
	return ear_methods_keep(methods, stack ? stack->methods : NULL, stack ? stack->depth : 0);
}

void ear_methods_task(void *count, uint32_t task, bool wanted)
{
	struct ear_methods *methods = count;

	(void)wanted;
	methods->task = task;
}

int ear_methods_batch(void *count, const struct ear_batch *batch)
{
	struct ear_methods *methods = count;
	struct ear_task_facts facts = {.size = sizeof(facts)};
	struct ear_profile_counts counts = {.records = 0};
	struct ear_methods_stack *stack = NULL;
	int result = 0;

	if (batch->record && batch->record->kind != EAR_RECORD_INSTRUCTION) {
		if (batch->record->kind == EAR_RECORD_GAP)
			ear_profile_times_stop(&methods->times);
		end_stacks(methods, batch->record);
		return 0;
	}
	if (methods->task > 0 && ear_tasks_get(methods->tasks, methods->task, &facts))
		stack = stack_of(methods, facts.pid, false, &result);
	for (size_t i = 0; i < batch->count && result == 0; i++)
		result = count_record(methods, stack, ear_batch_record(batch, i), &counts);
	if (result == 0)
		ear_methods_add(
			methods, stack ? stack->methods : NULL, stack ? stack->depth : 0, &counts);
	return result;
}

/* ---- Begin and end. ---- */

void ear_methods_free(void *count)
{
	struct ear_methods *methods = count;

	if (!methods)
		return;
	for (uint32_t i = 0; i < methods->count; i++)
		free(methods->rows[i].name);
	for (uint32_t i = 0; i < methods->stack_count; i++)
		free(methods->stacks[i].methods);
	for (uint32_t i = 0; i < methods->owner_count; i++)
		free(methods->owners[i].methods);
	free(methods->owners);
	free(methods->rows);
	free(methods->marks);
	free(methods->stacks);
	ear_numbering_fini(&methods->numbers);
	ear_numbering_fini(&methods->stack_numbers);
	ear_profile_times_fini(&methods->times);
	free(methods);
}

int ear_methods_create(void **count, const struct ear_analysis_setup *setup)
{
	const struct ear_profile_options *options = setup->options;
	struct ear_methods *methods = calloc(1, sizeof(*methods));

	if (!methods || grow_rows(methods)) {
		ear_methods_free(methods);
		return EAR_E_NO_MEMORY;
	}
	methods->options = *options;
	methods->seen = ear_profile_lacks(options->no_traps, options->no_interrupts);
	methods->tasks = setup->tasks;
	if (setup->tasks)
		ear_tasks_set_event(setup->tasks, take_event, methods);
	methods->rows[0] = (struct ear_method){.known = false};
	methods->count = 1;
	*count = methods;
	return 0;
}

void ear_methods_describe(const void *count, char text[EAR_PART_WORD_MAX])
{
	const struct ear_methods *methods = count;

	ear_profile_describe(&methods->options, text);
}

int ear_methods_end(void *count)
{
	struct ear_methods *methods = count;

	if (methods->tasks)
		methods->events = ear_tasks_events(methods->tasks);
	methods->tasks = NULL;
	return 0;
}

/* ---- Answers. ---- */

static int compare(const void *a, const void *b)
{
	const struct ear_method *x = a, *y = b;

	if (x->self.records != y->self.records)
		return x->self.records > y->self.records ? -1 : 1;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->native != y->native)
		return x->native ? 1 : -1;
	return x->address < y->address ? -1 : x->address > y->address;
}

size_t ear_methods_finish(struct ear_methods *methods, const struct ear_method **rows)
{
	size_t kept = 0;

	qsort(methods->rows, methods->count, sizeof(*methods->rows), compare);
	for (uint32_t i = 0; i < methods->count; i++) {
		struct ear_method row = methods->rows[i];
		methods->rows[i] = methods->rows[kept];
		if (row.calls > 0 || row.self.records > 0 || row.inclusive.records > 0)
			methods->rows[kept++] = row;
		else
			methods->rows[i] = row;
	}
	*rows = methods->rows;
	return kept;
}

struct ear_profile_counts ear_methods_total(const struct ear_methods *methods)
{
	struct ear_profile_counts total = {.records = 0};

	for (uint32_t i = 0; i < methods->count; i++)
		ear_profile_add(&total, &methods->rows[i].self);
	return total;
}

struct ear_profile_shows ear_methods_shows(const struct ear_methods *methods)
{
	return ear_profile_shows(methods->seen, methods->times.has_time);
}

uint64_t ear_methods_unmatched(const struct ear_methods *methods)
{
	return methods->unmatched;
}

uint64_t ear_methods_events(const struct ear_methods *methods)
{
	return methods->events;
}
