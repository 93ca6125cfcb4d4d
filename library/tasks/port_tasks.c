/* Stores to the event port as events of tasks and methods.
 *
 * One table says of each register what it is: a number that is kept, or an event, with the numbers
 * that it takes. So a store is one look-up, and what an event needs and does not have is seen in
 * one place.
 */
#include "library/tasks/port_tasks.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/protocol/event_port.h"
#include "decoder/record/task_event_internal.h"

/* What is kept of a hart. VALUE is that of the store at hand. */
enum kept {
	NONE,
	VALUE,
	PID,
	GROUP,
	OLD_PID,
	MAP_START,
	MAP_END,
	MAP_OFFSET,
	UNMAP_START,
	SYMBOL,
	COUNTER,
	KEPT_COUNT
};

enum text {
	NO_TEXT,
	ONE_TEXT,
	ARGUMENTS,
	COUNTER_NAME, /* that came with the number of the counter */
};

static const struct meaning {
	uint8_t keeps; /* enum kept; an event, too, if numbers say so */
	bool is_event, is_signed;
	uint8_t kind;                          /* enum ear_task_event_kind */
	uint8_t numbers[EAR_TASK_NUMBERS_MAX]; /* enum kept */
	uint8_t text;                          /* enum text */
} meanings[] = {
	[EAR_PORT_SWITCH] = {PID, true, false, EAR_TASK_SWITCH, {VALUE}, NO_TEXT},
	[EAR_PORT_FORK] = {NONE, true, false, EAR_TASK_FORK, {GROUP, VALUE}, NO_TEXT},
	[EAR_PORT_EXECVE_VMSTART] = {.keeps = MAP_START},
	[EAR_PORT_EXECVE_VMEND] = {.keeps = MAP_END},
	[EAR_PORT_EXECVE_OFFSET] = {.keeps = MAP_OFFSET},
	[EAR_PORT_EXECVE_EXEPATH] = {NONE, true, false, EAR_TASK_MMAP,
		{MAP_START, MAP_END, MAP_OFFSET}, ONE_TEXT},
	[EAR_PORT_EXIT] = {NONE, true, true, EAR_TASK_EXIT, {VALUE}, NO_TEXT},
	[EAR_PORT_CMDLINE] = {NONE, true, false, EAR_TASK_EXEC, {NONE}, ARGUMENTS},
	[EAR_PORT_CMDLINE_LEN] = {.keeps = VALUE},
	[EAR_PORT_MMAP_EXEPATH] = {NONE, true, false, EAR_TASK_MMAP,
		{MAP_START, MAP_END, MAP_OFFSET}, ONE_TEXT},
	[EAR_PORT_INIT_PID] = {.keeps = OLD_PID},
	[EAR_PORT_INIT_NAME] = {NONE, true, false, EAR_TASK_PROCESS, {GROUP, OLD_PID}, ONE_TEXT},
	[EAR_PORT_CLONE] = {NONE, true, false, EAR_TASK_CLONE, {GROUP, VALUE}, NO_TEXT},
	[EAR_PORT_UNMAP_START] = {.keeps = UNMAP_START},
	[EAR_PORT_UNMAP_END] = {NONE, true, false, EAR_TASK_MUNMAP, {UNMAP_START, VALUE}, NO_TEXT},
	[EAR_PORT_NAME] = {NONE, true, false, EAR_TASK_NAME, {PID}, ONE_TEXT},
	[EAR_PORT_TGID] = {.keeps = GROUP},
	[EAR_PORT_DYN_SYM] = {NONE, true, false, EAR_TASK_SYMBOL, {SYMBOL}, ONE_TEXT},
	[EAR_PORT_DYN_SYM_ADDR] = {.keeps = SYMBOL},
	[EAR_PORT_REMOVE_ADDR] = {NONE, true, false, EAR_TASK_SYMBOL_GONE, {VALUE}, NO_TEXT},
	[EAR_PORT_STRING] = {.keeps = VALUE},
	[EAR_PORT_STRING_BYTE] = {.keeps = VALUE},
	[EAR_PORT_PHYSICAL] = {.keeps = VALUE},
	[EAR_PORT_HIGH] = {.keeps = VALUE},
	[EAR_PORT_METHOD_ENTRY] = {NONE, true, false, EAR_TASK_METHOD_ENTER, {PID, VALUE}, NO_TEXT},
	[EAR_PORT_METHOD_EXIT] = {NONE, true, false, EAR_TASK_METHOD_EXIT, {PID, VALUE}, NO_TEXT},
	[EAR_PORT_METHOD_EXCEPTION] = {NONE, true, false, EAR_TASK_METHOD_UNWIND, {PID, VALUE},
		NO_TEXT},
	[EAR_PORT_NATIVE_ENTRY] = {NONE, true, false, EAR_TASK_NATIVE_ENTER, {PID, VALUE}, NO_TEXT},
	[EAR_PORT_NATIVE_EXIT] = {NONE, true, false, EAR_TASK_NATIVE_EXIT, {PID, VALUE}, NO_TEXT},
	[EAR_PORT_NATIVE_EXCEPTION] = {NONE, true, false, EAR_TASK_NATIVE_UNWIND, {PID, VALUE},
		NO_TEXT},
	[EAR_PORT_MARK] = {NONE, true, false, EAR_TASK_MARK, {VALUE}, ONE_TEXT},
	[EAR_PORT_COUNTER] = {.keeps = COUNTER},
	[EAR_PORT_COUNT] = {NONE, true, false, EAR_TASK_COUNTER, {COUNTER, VALUE}, COUNTER_NAME},
	[EAR_PORT_USER_STRING] = {.keeps = VALUE},
	[EAR_PORT_USER_HIGH] = {.keeps = VALUE},
};

#define MEANING_COUNT    (sizeof(meanings) / sizeof(meanings[0]))
#define COUNTER_NAME_MAX 64

struct hart {
	uint16_t number;
	uint64_t kept[KEPT_COUNT];
	bool known[KEPT_COUNT];
	char counter[COUNTER_NAME_MAX];
	size_t counter_size;
};

struct ear_port_tasks {
	struct hart *harts;
	size_t hart_count;
	bool forgotten; /* a hart that comes now runs an unknown task */
	uint64_t incomplete;
	char *name;
	size_t name_size, name_room;
};

int ear_port_tasks_new(struct ear_port_tasks **tasks)
{
	*tasks = calloc(1, sizeof(**tasks));
	return *tasks ? 0 : EAR_E_NO_MEMORY;
}

void ear_port_tasks_free(struct ear_port_tasks *tasks)
{
	if (!tasks)
		return;
	free(tasks->harts);
	free(tasks->name);
	free(tasks);
}

struct ear_text ear_port_tasks_name(const struct ear_port_tasks *tasks)
{
	return (struct ear_text){tasks->name, tasks->name_size};
}

uint64_t ear_port_tasks_incomplete(const struct ear_port_tasks *tasks)
{
	return tasks->incomplete;
}

void ear_port_tasks_forget(struct ear_port_tasks *tasks)
{
	tasks->forgotten = true;
	for (size_t i = 0; i < tasks->hart_count; i++)
		memset(tasks->harts[i].known, 0, sizeof(tasks->harts[i].known));
}

/* NULL if memory is short. */
static struct hart *find_hart(struct ear_port_tasks *tasks, uint16_t number)
{
	for (size_t i = 0; i < tasks->hart_count; i++)
		if (tasks->harts[i].number == number)
			return &tasks->harts[i];
	struct hart *more = realloc(tasks->harts, (tasks->hart_count + 1) * sizeof(*tasks->harts));
	if (!more)
		return NULL;
	tasks->harts = more;
	struct hart *hart = &more[tasks->hart_count++];
	*hart = (struct hart){.number = number};
	hart->known[PID] = !tasks->forgotten;
	return hart;
}

static bool make_room(struct ear_port_tasks *tasks, size_t room)
{
	return EAR_ARRAY_RESERVE(tasks->name, &tasks->name_room, room);
}

static void add_text(struct ear_port_tasks *tasks, const char *text, size_t size)
{
	tasks->name_size = ear_task_event_add(
		tasks->name, tasks->name_room, tasks->name_size, (struct ear_text){text, size});
}

/* Each argument ends with a zero byte, the last one perhaps without. */
static void add_arguments(struct ear_port_tasks *tasks, struct ear_text text)
{
	for (size_t at = 0, size; at < text.size; at += size + 1) {
		const char *end = memchr(text.text + at, '\0', text.size - at);
		size = end ? (size_t)(end - text.text) - at : text.size - at;
		add_text(tasks, text.text + at, size);
	}
}

static int make_name(struct ear_port_tasks *tasks, const struct hart *hart,
	const struct meaning *meaning, const struct ear_port_store *store)
{
	struct ear_task_event event = {.kind = (enum ear_task_event_kind)meaning->kind};
	struct ear_text text = store->text;
	uint64_t value = meaning->is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)store->value
					    : store->value;

	/* Each byte may be an argument of its own. */
	if (!make_room(tasks, EAR_TASK_EVENT_BEGIN_MAX + ear_task_event_room(text.size) +
				      ear_task_event_room(COUNTER_NAME_MAX)))
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < EAR_TASK_NUMBERS_MAX; i++)
		event.numbers[i] =
			meaning->numbers[i] == VALUE ? value : hart->kept[meaning->numbers[i]];
	tasks->name_size = ear_task_event_begin(tasks->name, tasks->name_room, &event);
	/* A name that was written to a file of the system may end its line. */
	if (meaning->kind == EAR_TASK_NAME && text.size > 0 && text.text[text.size - 1] == '\n')
		text.size--;
	if (meaning->text == ONE_TEXT)
		add_text(tasks, text.text, text.size);
	else if (meaning->text == ARGUMENTS)
		add_arguments(tasks, text);
	else if (meaning->text == COUNTER_NAME)
		add_text(tasks, hart->counter, hart->counter_size);
	return 1;
}

static void keep(struct hart *hart, uint8_t what, const struct ear_port_store *store)
{
	hart->kept[what] = store->value;
	hart->known[what] = true;
	if (what != COUNTER)
		return;
	hart->counter_size =
		store->text.size < COUNTER_NAME_MAX ? store->text.size : COUNTER_NAME_MAX;
	if (hart->counter_size > 0)
		memcpy(hart->counter, store->text.text, hart->counter_size);
}

int ear_port_tasks_take(struct ear_port_tasks *tasks, const struct ear_port_store *store)
{
	if (store->number >= MEANING_COUNT)
		return EAR_E_UNSUPPORTED;
	const struct meaning *meaning = &meanings[store->number];
	if (!meaning->is_event && !meaning->keeps)
		return EAR_E_UNSUPPORTED;
	struct hart *hart = find_hart(tasks, store->hart);
	if (!hart)
		return EAR_E_NO_MEMORY;
	if (meaning->keeps)
		keep(hart, meaning->keeps, store);
	if (!meaning->is_event)
		return 0;
	for (size_t i = 0; i < EAR_TASK_NUMBERS_MAX; i++) {
		uint8_t needed = meaning->numbers[i];
		if (needed != NONE && needed != VALUE && !hart->known[needed]) {
			tasks->incomplete++;
			return 0;
		}
	}
	return make_name(tasks, hart, meaning, store);
}
