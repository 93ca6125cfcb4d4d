/* Tasks by number in a hash table with open addressing, and for each hart the number of the one
 * that it runs. Tasks stay when they end, since their names are asked for later; beyond TASKS_MAX,
 * which no system has, tasks have a number and nothing else.
 */
#include "library/tasks/task_follower.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/protocol/event_port.h"
#include "decoder/record/task_event_internal.h"

#define TASKS_MAX (1u << 16)

struct known_task {
	bool used, has_group;
	uint64_t pid, group;
	char *name; /* NULL: not known */
	size_t name_size;
};

struct hart {
	bool begun, known;
	uint64_t pid;
};

struct ear_task_follower {
	struct known_task *tasks;
	size_t size, used; /* size: a power of two */
	struct hart *harts;
	size_t hart_count;
	char *text; /* of the event at hand */
	size_t text_room;
	uint64_t events;
};

int ear_task_follower_new(struct ear_task_follower **follower)
{
	struct ear_task_follower *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->size = 64;
	made->tasks = calloc(made->size, sizeof(*made->tasks));
	if (!made->tasks) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	*follower = made;
	return 0;
}

void ear_task_follower_free(struct ear_task_follower *follower)
{
	if (!follower)
		return;
	for (size_t i = 0; i < follower->size; i++)
		free(follower->tasks[i].name);
	free(follower->tasks);
	free(follower->harts);
	free(follower->text);
	free(follower);
}

uint64_t ear_task_follower_events(const struct ear_task_follower *follower)
{
	return follower->events;
}

/* Tasks ---------------------------------------------------------------------------------------- */

/* The entry of the task, or the free one where it belongs. */
static struct known_task *find(struct known_task *tasks, size_t size, uint64_t pid)
{
	size_t at = ear_hash_index(pid ^ pid >> 29, size);

	while (tasks[at].used && tasks[at].pid != pid)
		at = (at + 1) & (size - 1);
	return &tasks[at];
}

static int grow(struct ear_task_follower *follower)
{
	size_t size = 2 * follower->size;
	struct known_task *tasks = calloc(size, sizeof(*tasks));

	if (!tasks)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < follower->size; i++)
		if (follower->tasks[i].used)
			*find(tasks, size, follower->tasks[i].pid) = follower->tasks[i];
	free(follower->tasks);
	follower->tasks = tasks;
	follower->size = size;
	return 0;
}

/* *known: the task, which is made if need be; NULL if there are too many. */
static int get_task(struct ear_task_follower *follower, uint64_t pid, struct known_task **known)
{
	*known = find(follower->tasks, follower->size, pid);
	if ((*known)->used)
		return 0;
	if (follower->used == TASKS_MAX) {
		*known = NULL;
		return 0;
	}
	if (2 * follower->used >= follower->size) {
		int result = grow(follower);
		if (result)
			return result;
		*known = find(follower->tasks, follower->size, pid);
	}
	follower->used++;
	**known = (struct known_task){.used = true, .pid = pid};
	return 0;
}

/* text NULL: none. It may be the name of another task. */
static int set_name(struct known_task *known, struct ear_text name)
{
	char *copy = NULL;

	if (!known)
		return 0;
	if (name.size > EAR_TASK_NAME_MAX)
		name.size = EAR_TASK_NAME_MAX;
	if (name.text) {
		copy = malloc(name.size + 1);
		if (!copy)
			return EAR_E_NO_MEMORY;
		memcpy(copy, name.text, name.size);
	}
	free(known->name);
	known->name = copy;
	known->name_size = copy ? name.size : 0;
	return 0;
}

bool ear_task_follower_find(
	const struct ear_task_follower *follower, uint64_t pid, struct ear_task *task)
{
	const struct known_task *known = find(follower->tasks, follower->size, pid);

	if (!known->used)
		return false;
	*task = (struct ear_task){.pid = pid,
		.group = known->group,
		.has_group = known->has_group,
		.name = {known->name, known->name_size}};
	return true;
}

/* Harts ---------------------------------------------------------------------------------------- */

/* NULL if memory is short. */
static struct hart *get_hart(struct ear_task_follower *follower, const struct ear_record *record)
{
	size_t number = record->hart;

	if (number >= follower->hart_count) {
		struct hart *more = realloc(follower->harts, (number + 1) * sizeof(*more));
		if (!more)
			return NULL;
		memset(more + follower->hart_count, 0,
			(number + 1 - follower->hart_count) * sizeof(*more));
		follower->harts = more;
		follower->hart_count = number + 1;
	}
	struct hart *hart = &follower->harts[number];
	if (!hart->begun && record->kind != EAR_RECORD_NOTE) {
		hart->begun = true;
		hart->known = record->index <= 1; /* some texts count from 1 */
	}
	return hart;
}

bool ear_task_follower_get(
	const struct ear_task_follower *follower, uint16_t hart, struct ear_task *task)
{
	if (hart >= follower->hart_count || !follower->harts[hart].known)
		return false;
	uint64_t pid = follower->harts[hart].pid;
	if (!ear_task_follower_find(follower, pid, task))
		*task = (struct ear_task){.pid = pid};
	return true;
}

static int switch_to(struct hart *hart, uint64_t pid)
{
	bool same = hart->known && hart->pid == pid;

	hart->known = true;
	hart->pid = pid;
	return !same;
}

/* Events --------------------------------------------------------------------------------------- */

/* The first text of the event; text NULL if it has none. Valid until the next call. */
static int take_text(
	struct ear_task_follower *follower, struct ear_task_event *event, struct ear_text *text)
{
	size_t size = 0;

	if (event->texts.size > follower->text_room) {
		char *more = realloc(follower->text, event->texts.size);
		if (!more)
			return EAR_E_NO_MEMORY;
		follower->text = more;
		follower->text_room = event->texts.size;
	}
	bool taken =
		event->texts.size > 0 && ear_task_event_text(&event->texts, follower->text, &size);
	*text = (struct ear_text){taken ? follower->text : NULL, size};
	return 0;
}

static int take_name(struct ear_task_follower *follower, uint64_t pid, struct ear_task_event *event)
{
	struct known_task *known;
	struct ear_text name;
	int result = take_text(follower, event, &name);

	if (result == 0)
		result = get_task(follower, pid, &known);
	if (result == 0 && name.text)
		result = set_name(known, name);
	return result < 0 ? result : 1;
}

/* A child, or a task that was there before: what an older task of its number was is over. */
static int begin_task(
	struct ear_task_follower *follower, uint64_t group, uint64_t pid, const struct hart *parent)
{
	struct ear_task other = {.name = {NULL, 0}};
	struct known_task *known;
	int result = get_task(follower, pid, &known);

	if (result || !known)
		return result;
	known->group = group;
	known->has_group = true;
	if (parent && parent->known && parent->pid != pid)
		ear_task_follower_find(follower, parent->pid, &other);
	return set_name(known, other.name);
}

static int take_event(
	struct ear_task_follower *follower, struct hart *hart, struct ear_task_event *event)
{
	const uint64_t *numbers = event->numbers;
	int result;

	follower->events++;
	switch (event->kind) {
	case EAR_TASK_PROCESS:
		result = begin_task(follower, numbers[0], numbers[1], NULL);
		return result ? result : take_name(follower, numbers[1], event);
	case EAR_TASK_SWITCH: return switch_to(hart, numbers[0]);
	case EAR_TASK_FORK:
	case EAR_TASK_CLONE:
		result = begin_task(follower, numbers[0], numbers[1], hart);
		return result ? result : 1;
	case EAR_TASK_EXEC: return hart->known ? take_name(follower, hart->pid, event) : 0;
	case EAR_TASK_NAME: return take_name(follower, numbers[0], event);
	case EAR_TASK_METHOD_ENTER:
	case EAR_TASK_METHOD_EXIT:
	case EAR_TASK_METHOD_UNWIND:
	case EAR_TASK_NATIVE_ENTER:
	case EAR_TASK_NATIVE_EXIT:
	case EAR_TASK_NATIVE_UNWIND: return hart->known ? 0 : switch_to(hart, numbers[0]);
	default: return 0;
	}
}

/* May an event of tasks be missing here? A unit whose FIFO is full still sends events. */
static bool loses_events(const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_EVENT)
		return record->u.event.source == EAR_EVENT_PORT_LOST ||
		       (record->u.event.source == EAR_EVENT_START_TRIGGER && record->index > 1);
	return record->kind == EAR_RECORD_GAP && record->u.gap.reason != EAR_GAP_UNIT_FIFO &&
	       record->u.gap.reason != EAR_GAP_REPEATED;
}

int ear_task_follower_push(struct ear_task_follower *follower, const struct ear_record *record)
{
	struct ear_task_event event;

	/* The usual record, at once. */
	if (record->kind == EAR_RECORD_INSTRUCTION && record->hart < follower->hart_count &&
		follower->harts[record->hart].begun)
		return 0;
	bool first = record->hart >= follower->hart_count;
	struct hart *hart = get_hart(follower, record);
	if (!hart)
		return EAR_E_NO_MEMORY;
	if (loses_events(record)) {
		bool known = hart->known;
		hart->known = false;
		return known;
	}
	if (record->kind != EAR_RECORD_EVENT)
		return first;
	if (record->u.event.source == EAR_EVENT_REGISTER + EAR_PORT_SWITCH) {
		follower->events++;
		return switch_to(hart, record->u.event.value);
	}
	return ear_task_event_parse(&event, record) ? take_event(follower, hart, &event) : 0;
}

/* Which task ----------------------------------------------------------------------------------- */

struct ear_task_wanted ear_task_wanted(const char *text)
{
	struct ear_task_wanted wanted = {.name = {text, strlen(text)}};

	wanted.has_pid = wanted.name.size > 0;
	for (size_t i = 0; i < wanted.name.size && wanted.has_pid; i++) {
		unsigned digit = (unsigned char)text[i] - (unsigned)'0';
		wanted.has_pid = digit <= 9 && wanted.pid <= (UINT64_MAX - digit) / 10;
		wanted.pid = 10 * wanted.pid + digit;
	}
	return wanted;
}

bool ear_task_is(const struct ear_task *task, const struct ear_task_wanted *wanted)
{
	struct ear_text name = task->name, end = wanted->name;

	if (wanted->has_pid && task->pid == wanted->pid)
		return true;
	if (end.size > EAR_TASK_NAME_MAX)
		end.size = EAR_TASK_NAME_MAX;
	if (!name.text || name.size < end.size ||
		memcmp(name.text + name.size - end.size, end.text, end.size) != 0)
		return false;
	return name.size == end.size ||
	       (end.size > 0 && name.text[name.size - end.size - 1] == '/');
}
