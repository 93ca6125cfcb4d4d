/* Applies the events of .pid and .method, one after the other. */
#include "cli/android/model/tasks.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/android/model/mapped_path.h"
#include "common/array.h"

static int fail(struct ear_android_tasks *tasks, int result)
{
	snprintf(tasks->message, sizeof(tasks->message), "%s",
		result == EAR_E_FULL ? "qtrace.pid: the tasks map too many files"
				     : ear_error_text(result));
	return result == EAR_E_FULL ? EAR_E_BAD_FILE : result;
}

struct ear_android_task *ear_android_tasks_find(const struct ear_android_tasks *tasks, uint64_t pid)
{
	return pid < EAR_QTRACE_PIDS ? tasks->list[pid] : NULL;
}

uint64_t ear_android_tasks_own(const struct ear_android_tasks *tasks, uint64_t pid)
{
	return tasks->pids && pid < EAR_QTRACE_PIDS ? tasks->pids[pid] : pid;
}

/* The task, a new one if there is none. Returns NULL and *result if that cannot be. */
static struct ear_android_task *get(struct ear_android_tasks *tasks, uint64_t pid, int *result)
{
	struct ear_android_task *task = ear_android_tasks_find(tasks, pid);

	if (task)
		return task;
	if (pid >= EAR_QTRACE_PIDS) {
		snprintf(tasks->message, sizeof(tasks->message),
			"qtrace: the pid %" PRIu64 " is above %d", pid, EAR_QTRACE_PIDS - 1);
		*result = EAR_E_BAD_FILE;
		return NULL;
	}
	task = calloc(1, sizeof(*task));
	if (!task) {
		*result = fail(tasks, EAR_E_NO_MEMORY);
		return NULL;
	}
	task->pid = task->group = (uint32_t)pid;
	task->own = ear_android_tasks_own(tasks, pid);
	tasks->list[pid] = task;
	task->space = ear_android_space_new();
	int error = task->space ? ear_android_space_copy(&tasks->regions, task->space, tasks->fixed)
				: EAR_E_NO_MEMORY;
	if (error) {
		*result = fail(tasks, error);
		return NULL;
	}
	return task;
}

static void free_task(struct ear_android_tasks *tasks, struct ear_android_task *task)
{
	if (!task)
		return;
	ear_android_space_leave(&tasks->regions, task->space);
	free(task->name);
	free(task->arguments);
	free(task->frames);
	free(task);
}

/* --- Places --- */

static int make_fixed(struct ear_android_tasks *tasks)
{
	const struct ear_android_place *place;
	int result = 0;

	for (unsigned i = 0; result == 0 && (place = ear_android_files_place(tasks->files, i)); i++)
		result = ear_android_space_map(
			&tasks->regions, tasks->fixed, place->start, place->end, 0, place->image);
	for (size_t i = 0; i < tasks->fixed->count; i++)
		tasks->fixed->regions[i]->spaces = 0; /* no task has it yet */
	return result;
}

int ear_android_tasks_new(struct ear_android_tasks **tasks, struct ear_android_files *files,
	const uint64_t *pids, uint64_t begin)
{
	struct ear_android_tasks *made = calloc(1, sizeof(*made));
	int result = 0;

	if (!made)
		return EAR_E_NO_MEMORY;
	made->files = files;
	made->pids = pids;
	made->switched = begin;
	made->fixed = ear_android_space_new();
	if (!made->fixed || make_fixed(made) != 0 || !(made->current = get(made, 0, &result))) {
		ear_android_tasks_free(made);
		return EAR_E_NO_MEMORY;
	}
	*tasks = made;
	return 0;
}

void ear_android_tasks_free(struct ear_android_tasks *tasks)
{
	if (!tasks)
		return;
	for (unsigned pid = 0; pid < EAR_QTRACE_PIDS; pid++)
		free_task(tasks, tasks->list[pid]);
	ear_android_space_leave(&tasks->regions, tasks->fixed);
	ear_android_regions_free(&tasks->regions);
	free(tasks);
}

struct ear_android_symbol *ear_android_tasks_symbol(const struct ear_android_tasks *tasks,
	const struct ear_android_task *task, uint32_t address,
	const struct ear_android_region **region)
{
	struct ear_android_image *kernel = ear_android_files_kernel(tasks->files);

	*region = ear_android_space_find(task->space, address);
	if (*region)
		return ear_android_image_find((*region)->image, address - (*region)->base);
	if (kernel && address >= kernel->begin && address < kernel->end)
		return ear_android_image_find(kernel, address);
	return ear_android_files_unknown(tasks->files)->symbols;
}

/* --- Events --- */

static int set_text(struct ear_android_tasks *tasks, char **to, char *text)
{
	if (!text)
		return fail(tasks, EAR_E_NO_MEMORY);
	free(*to);
	*to = text;
	return 0;
}

static int set_name(
	struct ear_android_tasks *tasks, struct ear_android_task *task, struct ear_qtrace_text text)
{
	return set_text(tasks, &task->name, strndup((const char *)text.bytes, text.size));
}

/* A process has the arguments of its parent; a thread has none of its own. */
static int copy_names(struct ear_android_tasks *tasks, struct ear_android_task *task,
	const struct ear_android_task *from, bool shares)
{
	int result = from->name ? set_text(tasks, &task->name, strdup(from->name)) : 0;

	if (result == 0 && from->arguments && !shares)
		result = set_text(tasks, &task->arguments, strdup(from->arguments));
	return result;
}

/* A child: with a copy of the space, or the space itself. */
static int add_child(struct ear_android_tasks *tasks, uint64_t group, uint64_t pid, bool shares)
{
	struct ear_android_task *parent = tasks->current;
	int result = 0;

	struct ear_android_task *child = get(tasks, pid, &result);
	if (!child || child == parent)
		return result;
	child->parent = parent->pid;
	child->has_program = false; /* the pid may have been another task's */
	child->depth = 0;
	child->group = (uint32_t)group;
	ear_android_space_leave(&tasks->regions, child->space);
	if (shares) {
		child->space = parent->space;
		child->space->tasks++;
	} else {
		child->space = ear_android_space_new();
		result = child->space ? ear_android_space_copy(
						&tasks->regions, child->space, parent->space)
				      : EAR_E_NO_MEMORY;
	}
	return result ? fail(tasks, result) : copy_names(tasks, child, parent, shares);
}

static int begin_program(
	struct ear_android_tasks *tasks, const struct ear_qtrace_text *texts, uint64_t count)
{
	struct ear_android_task *task = tasks->current;
	struct ear_android_space *space = ear_android_space_new();
	size_t size = 1, at = 0;

	int result = space ? ear_android_space_copy(&tasks->regions, space, tasks->fixed)
			   : EAR_E_NO_MEMORY;
	if (result) {
		ear_android_space_leave(&tasks->regions, space);
		return fail(tasks, result);
	}
	ear_android_space_leave(&tasks->regions, task->space);
	task->space = space;
	task->has_program = true;
	for (uint64_t i = 1; i < count; i++)
		size += texts[i].size + 1;
	char *arguments = malloc(size);
	for (uint64_t i = 1; arguments && i < count; i++) {
		if (at > 0)
			arguments[at++] = ' ';
		memcpy(arguments + at, texts[i].bytes, texts[i].size);
		at += texts[i].size;
	}
	if (arguments)
		arguments[at] = '\0';
	result = set_text(tasks, &task->arguments, arguments);
	return result || count == 0 ? result : set_name(tasks, task, texts[0]);
}

static int map_file(struct ear_android_tasks *tasks, const struct ear_qtrace_pid_event *event)
{
	char *path = ear_android_mapped_path(event->texts);
	struct ear_android_image *image = path ? ear_android_files_get(tasks->files, path) : NULL;
	uint64_t end = event->numbers[1] > UINT32_MAX ? UINT64_C(1) << 32 : event->numbers[1];

	free(path);
	if (image)
		image->is_later |= tasks->current->has_map;
	tasks->current->has_map = true;
	int result = image ? ear_android_space_map(&tasks->regions, tasks->current->space,
				     (uint32_t)event->numbers[0], end, (uint32_t)event->numbers[2],
				     image)
			   : EAR_E_NO_MEMORY;
	return result ? fail(tasks, result) : 0;
}

static int switch_to(struct ear_android_tasks *tasks, uint64_t time, uint64_t pid)
{
	int result = 0;
	struct ear_android_task *task = get(tasks, pid, &result);

	if (!task)
		return result;
	if (time > tasks->switched) {
		tasks->current->cycles += time - tasks->switched;
		tasks->switched = time;
	}
	tasks->current = task;
	return 0;
}

static int name_task(
	struct ear_android_tasks *tasks, uint64_t pid, uint64_t group, struct ear_qtrace_text name)
{
	int result = 0;
	struct ear_android_task *task = get(tasks, pid, &result);

	if (!task)
		return result;
	task->group = (uint32_t)group;
	return set_name(tasks, task, name);
}

int ear_android_tasks_event(
	struct ear_android_tasks *tasks, const struct ear_qtrace_pid_event *event)
{
	const uint64_t *numbers = event->numbers;
	int result;

	switch (event->type) {
	case EAR_QTRACE_FORK: return add_child(tasks, numbers[0], numbers[1], false);
	case EAR_QTRACE_CLONE: return add_child(tasks, numbers[0], numbers[1], true);
	case EAR_QTRACE_SWITCH: return switch_to(tasks, event->time, numbers[0]);
	case EAR_QTRACE_EXEC: return begin_program(tasks, event->texts, numbers[0]);
	case EAR_QTRACE_MMAP: return map_file(tasks, event);
	case EAR_QTRACE_KTHREAD: return name_task(tasks, numbers[1], numbers[0], event->texts[0]);
	case EAR_QTRACE_NAME:
		return name_task(tasks, numbers[0],
			numbers[0] < EAR_QTRACE_PIDS && tasks->list[numbers[0]]
				? tasks->list[numbers[0]]->group
				: numbers[0],
			event->texts[0]);
	case EAR_QTRACE_MUNMAP:
		result = ear_android_space_unmap(&tasks->regions, tasks->current->space,
			(uint32_t)numbers[0],
			numbers[1] > UINT32_MAX ? UINT64_C(1) << 32 : numbers[1]);
		return result ? fail(tasks, result) : 0;
	case EAR_QTRACE_END:
	case EAR_QTRACE_EXIT:
	case EAR_QTRACE_SYMBOL:
	case EAR_QTRACE_SYMBOL_GONE: return 0;
	}
	return 0;
}

/* --- Methods --- */

static struct ear_android_symbol *find_method(const struct ear_android_task *task, uint32_t address)
{
	const struct ear_android_region *region = ear_android_space_find(task->space, address);

	if (!region || !region->image->is_dex)
		return NULL;
	return ear_android_image_at(region->image, address - region->base);
}

static int enter(struct ear_android_tasks *tasks, struct ear_android_task *task,
	const struct ear_qtrace_method_event *event)
{
	bool native = event->type & EAR_QTRACE_NATIVE;

	if (!EAR_ARRAY_RESERVE(task->frames, &task->room, task->depth + 1))
		return fail(tasks, EAR_E_NO_MEMORY);
	task->frames[task->depth++] = (struct ear_android_frame){event->time, event->address,
		native, native ? NULL : find_method(task, event->address)};
	return 0;
}

static int leave(struct ear_android_tasks *tasks, struct ear_android_task *task,
	const struct ear_qtrace_method_event *event)
{
	bool native = event->type & EAR_QTRACE_NATIVE;

	if (task->depth == 0) /* it was entered before the trace began */
		return 0;
	const struct ear_android_frame *top = &task->frames[task->depth - 1];
	if (top->native != native || (!native && top->address != event->address)) {
		snprintf(tasks->message, sizeof(tasks->message),
			"qtrace.method, time %" PRIu64 ": pid %" PRIu64
			" leaves the method at 0x%08" PRIx32 ", but is in the one at 0x%08" PRIx32,
			event->time, task->own, event->address, top->address);
		return EAR_E_BAD_FILE;
	}
	task->depth--;
	return 0;
}

int ear_android_tasks_method(
	struct ear_android_tasks *tasks, const struct ear_qtrace_method_event *event)
{
	int result = 0;
	struct ear_android_task *task = get(tasks, event->pid, &result);

	if (!task)
		return result;
	return (event->type & ~EAR_QTRACE_NATIVE) == EAR_QTRACE_ENTER ? enter(tasks, task, event)
								      : leave(tasks, task, event);
}
