#include "analyses/timeline/timeline_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/task_event.h>

#define TASKS_MAX 1024u /* with names */
#define NAME_SIZE 48u
#define SYMBOLS   8192u /* places of names of methods; one is displaced by another */

struct task {
	uint64_t pid;
	char name[NAME_SIZE];
};

/* A string that is passed by value. */
struct collected {
	char text[NAME_SIZE];
	size_t size;
	bool ended;
};

/* What the software calls the method at an address. */
struct symbol {
	uint64_t address;
	char name[NAME_SIZE]; /* "": the place is free */
};

struct timeline_tasks {
	struct task tasks[TASKS_MAX];
	size_t count;
	struct collected kernel, user;
	uint64_t init_pid, counter, symbol, high, user_high;
	struct symbol *symbols; /* NULL: none were said */
};

struct timeline_tasks *timeline_tasks_new(void)
{
	return calloc(1, sizeof(struct timeline_tasks));
}

void timeline_tasks_free(struct timeline_tasks *tasks)
{
	if (tasks)
		free(tasks->symbols);
	free(tasks);
}

static struct task *find(const struct timeline_tasks *tasks, uint64_t pid)
{
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->tasks[i].pid == pid)
			return (struct task *)&tasks->tasks[i];
	return NULL;
}

const char *timeline_tasks_name(const struct timeline_tasks *tasks, uint64_t pid)
{
	const struct task *task = find(tasks, pid);

	return task ? task->name : "";
}

static void set_name(struct timeline_tasks *tasks, uint64_t pid, const char *name, size_t size)
{
	struct task *task = find(tasks, pid);

	if (!task && tasks->count < TASKS_MAX) {
		task = &tasks->tasks[tasks->count++];
		task->pid = pid;
	}
	if (!task)
		return;
	size = size < NAME_SIZE - 1 ? size : NAME_SIZE - 1;
	memcpy(task->name, name, size);
	task->name[size] = '\0';
}

/* ---- Methods. ---- */

static struct symbol *symbol_slot(const struct timeline_tasks *tasks, uint64_t address)
{
	return &tasks->symbols[(address ^ address >> 13) % SYMBOLS];
}

static void set_symbol(
	struct timeline_tasks *tasks, uint64_t address, const char *name, size_t size)
{
	if (!tasks->symbols)
		tasks->symbols = calloc(SYMBOLS, sizeof(*tasks->symbols));
	if (!tasks->symbols)
		return; /* they have no names then */
	struct symbol *symbol = symbol_slot(tasks, address);
	size = size < NAME_SIZE - 1 ? size : NAME_SIZE - 1;
	symbol->address = address;
	memcpy(symbol->name, name, size);
	symbol->name[size] = '\0';
}

/* how: 0 begins, 1 returns, 2 is left by an exception. */
static void take_method(const struct timeline_tasks *tasks, struct timeline_task_event *event,
	unsigned how, bool native, uint64_t address)
{
	event->kind = how == 0 ? TIMELINE_TASK_ENTER : TIMELINE_TASK_LEAVE;
	event->native = native;
	event->unwound = how == 2;
	event->address = address;
	if (how == 0 && tasks->symbols && symbol_slot(tasks, address)->address == address)
		snprintf(event->text, sizeof(event->text), "%s", symbol_slot(tasks, address)->name);
}

/* ---- The port. ---- */

static void collect(struct collected *to, uint32_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, value >>= 8) {
		if ((value & 255) == 0)
			to->ended = true;
		else if (!to->ended && to->size < sizeof(to->text) - 1)
			to->text[to->size++] = (char)(value & 255);
	}
}

static void begin_anew(struct collected *collected)
{
	collected->size = 0;
	collected->ended = false;
}

static bool is_method(unsigned number)
{
	return number >= EAR_PORT_METHOD_ENTRY && number <= EAR_PORT_NATIVE_EXCEPTION &&
	       (number - EAR_PORT_METHOD_ENTRY) % 4 < 3;
}

static void take_store(struct timeline_tasks *tasks, unsigned number, const struct ear_event *store,
	const uint64_t *current, struct timeline_task_event *event)
{
	struct ear_text text = store->name;

	if (is_method(number)) {
		take_method(tasks, event, (number - EAR_PORT_METHOD_ENTRY) % 4,
			number >= EAR_PORT_NATIVE_ENTRY, tasks->user_high << 32 | store->value);
		event->pid = current ? *current : 0;
		event->kind = current ? event->kind : TIMELINE_TASK_NONE;
		tasks->user_high = 0;
		return;
	}
	/* A string at an address is not known here, unless the event has it. */
	if (!text.text && store->value == 0)
		text = (struct ear_text){tasks->kernel.text, tasks->kernel.size};
	switch (number) {
	case EAR_PORT_SWITCH:
		event->kind = TIMELINE_TASK_SWITCH;
		event->pid = store->value;
		break;
	case EAR_PORT_EXIT:
		event->kind = TIMELINE_TASK_OTHER;
		snprintf(event->text, sizeof(event->text), "exit %" PRId32, (int32_t)store->value);
		break;
	case EAR_PORT_STOP_EMU:
		event->kind = TIMELINE_TASK_OTHER;
		snprintf(event->text, sizeof(event->text), "stop");
		break;
	case EAR_PORT_INIT_PID: tasks->init_pid = store->value; break;
	case EAR_PORT_INIT_NAME:
	case EAR_PORT_NAME:
		if (text.text && text.size > 0 && (number == EAR_PORT_INIT_NAME || current))
			set_name(tasks, number == EAR_PORT_NAME ? *current : tasks->init_pid,
				text.text, text.size);
		begin_anew(&tasks->kernel);
		break;
	case EAR_PORT_HIGH: tasks->high = store->value; break;
	case EAR_PORT_USER_HIGH: tasks->user_high = store->value; break;
	case EAR_PORT_DYN_SYM_ADDR:
		tasks->symbol = tasks->high << 32 | store->value;
		tasks->high = 0;
		break;
	case EAR_PORT_DYN_SYM:
		if (text.text && text.size > 0)
			set_symbol(tasks, tasks->symbol, text.text, text.size);
		begin_anew(&tasks->kernel);
		break;
	case EAR_PORT_STRING: collect(&tasks->kernel, store->value, 4); break;
	case EAR_PORT_STRING_BYTE: collect(&tasks->kernel, store->value, 1); break;
	case EAR_PORT_USER_STRING: collect(&tasks->user, store->value, 4); break;
	case EAR_PORT_MARK:
		event->kind = TIMELINE_TASK_MARK;
		snprintf(event->text, sizeof(event->text), "mark %" PRIu32 "%s%.*s", store->value,
			tasks->user.size > 0 ? " " : "", (int)tasks->user.size, tasks->user.text);
		begin_anew(&tasks->user);
		break;
	case EAR_PORT_COUNTER:
		tasks->counter = store->value;
		begin_anew(&tasks->user);
		break;
	case EAR_PORT_COUNT:
		event->kind = TIMELINE_TASK_COUNT;
		event->pid = tasks->counter;
		event->value = store->value;
		break;
	default: break;
	}
}

/* ---- Events of words. ---- */

/* What is after the numbers and a blank. */
static struct ear_text text_of(const struct ear_task_event *event)
{
	const size_t blank = event->texts.size > 0;

	return (struct ear_text){event->texts.text + blank, event->texts.size - blank};
}

/* "exec /bin/vm -v": the task is known by what it executes. */
static void take_exec(struct timeline_tasks *tasks, struct ear_text text, const uint64_t *current)
{
	const char *end = text.size > 0 ? memchr(text.text, ' ', text.size) : NULL;
	const size_t size = end ? (size_t)(end - text.text) : text.size;

	if (current && size > 0)
		set_name(tasks, *current, text.text, size);
}

static void take_read(struct timeline_tasks *tasks, const struct ear_task_event *read,
	const uint64_t *current, struct timeline_task_event *event)
{
	const struct ear_text text = text_of(read);
	const uint64_t *numbers = read->numbers;

	switch (read->kind) {
	case EAR_TASK_METHOD_ENTER:
	case EAR_TASK_METHOD_EXIT:
	case EAR_TASK_METHOD_UNWIND:
	case EAR_TASK_NATIVE_ENTER:
	case EAR_TASK_NATIVE_EXIT:
	case EAR_TASK_NATIVE_UNWIND:
		event->pid = numbers[0];
		event->text[0] = '\0';
		take_method(tasks, event, (read->kind - EAR_TASK_METHOD_ENTER) % 3,
			read->kind >= EAR_TASK_NATIVE_ENTER, numbers[1]);
		break;
	case EAR_TASK_SYMBOL:
		set_symbol(tasks, numbers[0], text.text, text.size);
		event->kind = TIMELINE_TASK_NONE;
		break;
	case EAR_TASK_SWITCH:
		event->kind = TIMELINE_TASK_SWITCH;
		event->pid = numbers[0];
		break;
	case EAR_TASK_NAME:
	case EAR_TASK_PROCESS:
		set_name(tasks, numbers[read->kind == EAR_TASK_PROCESS], text.text, text.size);
		event->kind = TIMELINE_TASK_NONE;
		break;
	case EAR_TASK_EXEC: take_exec(tasks, text, current); break;
	case EAR_TASK_COUNTER:
		event->kind = TIMELINE_TASK_COUNT;
		event->pid = numbers[0];
		event->value = (int64_t)numbers[1];
		break;
	default: break;
	}
}

/* A mark need not have a number, "mark here". */
static void take_words(struct timeline_tasks *tasks, struct ear_text text, const uint64_t *current,
	struct timeline_task_event *event)
{
	const struct ear_record record = {.kind = EAR_RECORD_EVENT, .u.event.name = text};
	const bool is_mark = text.size >= 5 && memcmp(text.text, "mark ", 5) == 0;
	struct ear_task_event read;

	event->kind = is_mark ? TIMELINE_TASK_MARK : TIMELINE_TASK_OTHER;
	snprintf(event->text, sizeof(event->text), "%.*s", (int)(text.size < 90 ? text.size : 90),
		text.text);
	if (ear_task_event_read(&read, &record))
		take_read(tasks, &read, current, event);
}

void timeline_tasks_take(struct timeline_tasks *tasks, const struct ear_event *own,
	const uint64_t *current, struct timeline_task_event *event)
{
	static const char *const sources[] = {[0] = "event",
		[EAR_EVENT_START_TRIGGER] = "start trigger",
		[EAR_EVENT_STOP_TRIGGER] = "stop trigger",
		[EAR_EVENT_PORT] = "port",
		[EAR_EVENT_HELD_LO] = "held clocks",
		[EAR_EVENT_HELD_HI] = "held clocks",
		[EAR_EVENT_MISMATCH] = "mismatch",
		[EAR_EVENT_PORT_LOST] = "events of the port were lost",
		[EAR_EVENT_PORT_UNKNOWN] = "unknown register of the port"};

	*event = (struct timeline_task_event){.kind = TIMELINE_TASK_NONE};
	if (own->source >= EAR_EVENT_REGISTER) {
		take_store(tasks, own->source - EAR_EVENT_REGISTER, own, current, event);
	} else if (own->source == 0 && own->name.text) {
		take_words(tasks, own->name, current, event);
	} else {
		event->kind = TIMELINE_TASK_OTHER;
		if (own->source < sizeof(sources) / sizeof(sources[0]))
			snprintf(event->text, sizeof(event->text), "%s %" PRIu32,
				sources[own->source], own->value);
		else
			snprintf(event->text, sizeof(event->text), "event %u: %" PRIu32,
				own->source, own->value);
	}
}
