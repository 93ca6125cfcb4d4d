#include "analyses/timeline/timeline_tasks.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX 1024u /* with names */
#define NAME_SIZE 48u
#define SYMBOLS   8192u /* places of names of methods; one is displaced by another */

/* Registers of the port, and sources of other events; protocol.table. */
enum {
	SOURCE_PORT = 0x80,
	PORT_SWITCH = 0,
	PORT_EXIT = 7,
	PORT_INIT_PID = 11,
	PORT_INIT_NAME = 12,
	PORT_NAME = 16,
	PORT_SYMBOL = 50,
	PORT_SYMBOL_ADDRESS = 51,
	PORT_STOP = 90,
	PORT_STRING = 104,
	PORT_STRING_BYTE = 105,
	PORT_HIGH = 107,
	PORT_METHOD = 112, /* entry, exit, exception; of native methods from 116 on */
	PORT_METHODS = 119,
	PORT_MARK = 120,
	PORT_COUNTER = 121,
	PORT_COUNT = 122,
	PORT_USER_STRING = 123,
	PORT_USER_HIGH = 124,
};

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

static struct symbol *place_of(const struct timeline_tasks *tasks, uint64_t address)
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
	struct symbol *symbol = place_of(tasks, address);
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
	if (how == 0 && tasks->symbols && place_of(tasks, address)->address == address)
		snprintf(event->text, sizeof(event->text), "%s", place_of(tasks, address)->name);
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

static void take_store(struct timeline_tasks *tasks, unsigned number, const struct ear_event *store,
	const uint64_t *current, struct timeline_task_event *event)
{
	struct ear_text text = store->name;

	if (number >= PORT_METHOD && number < PORT_METHODS && (number - PORT_METHOD) % 4 < 3) {
		take_method(tasks, event, (number - PORT_METHOD) % 4, number >= PORT_METHOD + 4,
			tasks->user_high << 32 | store->value);
		event->pid = current ? *current : 0;
		event->kind = current ? event->kind : TIMELINE_TASK_NONE;
		tasks->user_high = 0;
		return;
	}
	/* A string at an address is not known here, unless the event has it. */
	if (!text.text && store->value == 0)
		text = (struct ear_text){tasks->kernel.text, tasks->kernel.size};
	switch (number) {
	case PORT_SWITCH:
		event->kind = TIMELINE_TASK_SWITCH;
		event->pid = store->value;
		break;
	case PORT_EXIT:
		event->kind = TIMELINE_TASK_OTHER;
		snprintf(event->text, sizeof(event->text), "exit %" PRId32, (int32_t)store->value);
		break;
	case PORT_STOP:
		event->kind = TIMELINE_TASK_OTHER;
		snprintf(event->text, sizeof(event->text), "stop");
		break;
	case PORT_INIT_PID: tasks->init_pid = store->value; break;
	case PORT_INIT_NAME:
	case PORT_NAME:
		if (text.text && text.size > 0 && (number == PORT_INIT_NAME || current))
			set_name(tasks, number == PORT_NAME ? *current : tasks->init_pid, text.text,
				text.size);
		begin_anew(&tasks->kernel);
		break;
	case PORT_HIGH: tasks->high = store->value; break;
	case PORT_USER_HIGH: tasks->user_high = store->value; break;
	case PORT_SYMBOL_ADDRESS:
		tasks->symbol = tasks->high << 32 | store->value;
		tasks->high = 0;
		break;
	case PORT_SYMBOL:
		if (text.text && text.size > 0)
			set_symbol(tasks, tasks->symbol, text.text, text.size);
		begin_anew(&tasks->kernel);
		break;
	case PORT_STRING: collect(&tasks->kernel, store->value, 4); break;
	case PORT_STRING_BYTE: collect(&tasks->kernel, store->value, 1); break;
	case PORT_USER_STRING: collect(&tasks->user, store->value, 4); break;
	case PORT_MARK:
		event->kind = TIMELINE_TASK_MARK;
		snprintf(event->text, sizeof(event->text), "mark %" PRIu32 "%s%.*s", store->value,
			tasks->user.size > 0 ? " " : "", (int)tasks->user.size, tasks->user.text);
		begin_anew(&tasks->user);
		break;
	case PORT_COUNTER:
		tasks->counter = store->value;
		begin_anew(&tasks->user);
		break;
	case PORT_COUNT:
		event->kind = TIMELINE_TASK_COUNT;
		event->pid = tasks->counter;
		event->value = store->value;
		break;
	default: break;
	}
}

/* ---- Events of words. ---- */

static bool take_word(struct ear_text *text, const char *word)
{
	const size_t size = strlen(word);

	if (text->size < size || memcmp(text->text, word, size) != 0)
		return false;
	text->text += size;
	text->size -= size;
	return true;
}

/* A number and the blank after it. */
static bool take_number(struct ear_text *text, uint64_t *number)
{
	size_t at = 0;

	for (*number = 0; at < text->size && text->text[at] >= '0' && text->text[at] <= '9'; at++)
		*number = 10 * *number + (uint64_t)(text->text[at] - '0');
	if (at == 0)
		return false;
	at += at < text->size && text->text[at] == ' ';
	text->text += at;
	text->size -= at;
	return true;
}

/* "0x80001000" and the blank after it. */
static bool take_address(struct ear_text *text, uint64_t *address)
{
	size_t at = 0;

	if (!take_word(text, "0x"))
		return false;
	for (*address = 0; at < text->size && isxdigit((unsigned char)text->text[at]); at++) {
		const char digit = (char)tolower((unsigned char)text->text[at]);
		*address =
			*address << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
	}
	if (at == 0)
		return false;
	at += at < text->size && text->text[at] == ' ';
	text->text += at;
	text->size -= at;
	return true;
}

/* "method-enter 4 0x80001000", "native-unwind 4 0x80001000". */
static bool take_method_words(
	const struct timeline_tasks *tasks, struct ear_text text, struct timeline_task_event *event)
{
	static const char *const words[] = {"enter ", "exit ", "unwind "};
	const bool native = take_word(&text, "native-");
	uint64_t address;

	if (!native && !take_word(&text, "method-"))
		return false;
	for (unsigned how = 0; how < 3; how++)
		if (take_word(&text, words[how]) && take_number(&text, &event->pid) &&
			take_address(&text, &address)) {
			take_method(tasks, event, how, native, address);
			return true;
		}
	return false;
}

/* "exec /bin/vm -v": the task is known by what it executes. */
static void take_exec(struct timeline_tasks *tasks, struct ear_text text, const uint64_t *current)
{
	const char *end = text.size > 0 ? memchr(text.text, ' ', text.size) : NULL;
	const size_t size = end ? (size_t)(end - text.text) : text.size;

	if (current && size > 0)
		set_name(tasks, *current, text.text, size);
}

static void take_words(struct timeline_tasks *tasks, struct ear_text text, const uint64_t *current,
	struct timeline_task_event *event)
{
	const struct ear_text whole = text;
	uint64_t number, other;

	if (take_method_words(tasks, text, event))
		return;
	event->kind = TIMELINE_TASK_OTHER;
	if (take_word(&text, "symbol ") && take_address(&text, &number)) {
		set_symbol(tasks, number, text.text, text.size);
		event->kind = TIMELINE_TASK_NONE;
	} else if (take_word(&text, "switch ") && take_number(&text, &event->pid)) {
		event->kind = TIMELINE_TASK_SWITCH;
	} else if (take_word(&text, "name ") && take_number(&text, &number)) {
		set_name(tasks, number, text.text, text.size);
		event->kind = TIMELINE_TASK_NONE;
	} else if (take_word(&text, "process ") && take_number(&text, &other) &&
		   take_number(&text, &number)) {
		set_name(tasks, number, text.text, text.size);
		event->kind = TIMELINE_TASK_NONE;
	} else if (take_word(&text, "exec ")) {
		take_exec(tasks, text, current);
	} else if (take_word(&text, "mark ")) {
		event->kind = TIMELINE_TASK_MARK;
	} else if (take_word(&text, "counter ") && take_number(&text, &event->pid) &&
		   take_number(&text, &number)) {
		event->kind = TIMELINE_TASK_COUNT;
		event->value = (int64_t)number;
	}
	snprintf(event->text, sizeof(event->text), "%.*s", (int)(whole.size < 90 ? whole.size : 90),
		whole.text);
}

void timeline_tasks_take(struct timeline_tasks *tasks, const struct ear_event *own,
	const uint64_t *current, struct timeline_task_event *event)
{
	static const char *const sources[] = {"event", "start trigger", "stop trigger", "port",
		"held clocks", "held clocks", "mismatch", "events of the port were lost",
		"unknown register of the port"};

	*event = (struct timeline_task_event){.kind = TIMELINE_TASK_NONE};
	if (own->source >= SOURCE_PORT) {
		take_store(tasks, own->source - SOURCE_PORT, own, current, event);
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
