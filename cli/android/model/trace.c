/* Reads one execution ahead, because an execution ends when the next one begins. Events are applied
 * when the execution is given out: they hold for blocks that begin at their time or later.
 */
#include "cli/android/model/trace.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/formats/qtrace/qtrace_mark.h"

struct ear_android_trace {
	struct ear_android_options options;
	int folder;
	struct ear_qtrace_mark mark;
	struct ear_qtrace_log *log;
	struct ear_android_files *files;
	struct ear_android_tasks *tasks;
	struct ear_qtrace_execution ahead;
	bool has_ahead;
	uint64_t given;                          /* executions, also those that are excluded */
	uint64_t times[2][EAR_QTRACE_BLOCK_MAX]; /* of the one ahead, and of the one given out */
	struct ear_qtrace_exception exceptions[2];
	unsigned side;
	char message[512];
};

const char *ear_android_trace_message(const struct ear_android_trace *trace)
{
	return trace->message;
}

const struct ear_android_options *ear_android_trace_options(const struct ear_android_trace *trace)
{
	return &trace->options;
}

struct ear_qtrace_log *ear_android_trace_log(struct ear_android_trace *trace)
{
	return trace->log;
}

struct ear_android_tasks *ear_android_trace_tasks(struct ear_android_trace *trace)
{
	return trace->tasks;
}

struct ear_android_files *ear_android_trace_files(struct ear_android_trace *trace)
{
	return trace->files;
}

unsigned ear_android_trace_xlen(const struct ear_android_trace *trace)
{
	return trace->mark.xlen;
}

int ear_android_trace_fail(struct ear_android_trace *trace, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(trace->message, sizeof(trace->message), format, arguments);
	va_end(arguments);
	return result;
}

static int fail_log(struct ear_android_trace *trace, int result)
{
	const char *fault = ear_qtrace_log_fault(trace->log);

	return ear_android_trace_fail(trace, result, "%s", fault ? fault : ear_error_text(result));
}

static int fail_tasks(struct ear_android_trace *trace, int result)
{
	return ear_android_trace_fail(trace, result, "%s", trace->tasks->message);
}

/* --- Events --- */

/* The next event of .pid or .method up to the limit. Returns 1 and what it is (*method is NULL: it
 * was of .pid), 0 if there is none, or an error. */
static int apply_one(struct ear_android_trace *trace, uint64_t limit,
	const struct ear_qtrace_method_event **method)
{
	struct ear_qtrace_log *log = trace->log;
	const struct ear_qtrace_pid_event *event;
	bool pid = ear_qtrace_log_pid_time(log) <= ear_qtrace_log_method_time(log);

	*method = NULL;
	int got = pid ? ear_qtrace_log_pid(log, limit, &event)
		      : ear_qtrace_log_method(log, limit, method);
	if (got < 0)
		return fail_log(trace, got);
	if (got == 0)
		return 0;
	int result = pid ? ear_android_tasks_event(trace->tasks, event)
			 : ear_android_tasks_method(trace->tasks, *method);
	return result ? fail_tasks(trace, result) : 1;
}

static int apply(struct ear_android_trace *trace, uint64_t limit)
{
	const struct ear_qtrace_method_event *method;
	int result;

	while ((result = apply_one(trace, limit, &method)) == 1) {
	}
	return result;
}

int ear_android_trace_next_method(struct ear_android_trace *trace,
	struct ear_qtrace_method_event *event, struct ear_android_task **task)
{
	const struct ear_qtrace_method_event *method = NULL;
	int result;

	while ((result = apply_one(trace, UINT64_MAX, &method)) == 1 && !method) {
	}
	if (result != 1)
		return result;
	*event = *method;
	*task = ear_android_tasks_find(trace->tasks, method->pid);
	return 1;
}

int ear_android_trace_finish(struct ear_android_trace *trace)
{
	return apply(trace, UINT64_MAX);
}

/* --- Executions --- */

static int look_ahead(struct ear_android_trace *trace)
{
	struct ear_qtrace_execution *ahead = &trace->ahead;
	uint64_t *times = trace->times[trace->side];

	int result = ear_qtrace_log_next(trace->log, ahead);
	trace->has_ahead = result == 1;
	for (uint32_t i = 0; result == 1 && i < ahead->entries; i++)
		result = ear_qtrace_log_time(trace->log, &times[i]);
	if (trace->has_ahead && ahead->exception) {
		trace->exceptions[trace->side] = *ahead->exception;
		ahead->exception = &trace->exceptions[trace->side];
	}
	return result < 0 ? fail_log(trace, result) : 0;
}

/* To the originals all that a process maps after its first file is a library, also methods. */
static bool is_library(const struct ear_android_trace *trace, const struct ear_android_image *image)
{
	size_t size = strlen(image->path);

	if (trace->options.compatible)
		return image->is_later;
	return !image->is_kernel && size > 3 && strcmp(image->path + size - 3, ".so") == 0;
}

static bool is_pid(const char *word)
{
	return word[0] && word[strspn(word, "0123456789")] == '\0';
}

static bool is_word(
	const struct ear_android_trace *trace, const char *word, const struct ear_android_run *run)
{
	if (is_pid(word))
		return strtoul(word, NULL, 10) == run->task->own;
	if (strcmp(word, ":kernel") == 0)
		return run->symbol->image->is_kernel;
	if (strcmp(word, ":libs") == 0)
		return is_library(trace, run->symbol->image);
	return strcmp(word, run->symbol->name) == 0;
}

static bool is_one_of(const struct ear_android_trace *trace, const struct ear_android_words *words,
	const struct ear_android_run *run)
{
	for (size_t i = 0; i < words->count; i++)
		if (is_word(trace, words->list[i], run))
			return true;
	return false;
}

/* The words of one kind: pids, or else functions. */
static struct ear_android_words of_kind(const struct ear_android_words *words, bool pids)
{
	struct ear_android_words found = {.count = 0};

	for (size_t i = 0; i < words->count; i++)
		if (is_pid(words->list[i]) == pids)
			found.list[found.count++] = words->list[i];
	return found;
}

/* The originals look at pids and functions one after the other, of each only at what is excluded if
 * nothing is included, and at the end record, too. */
static bool is_wanted_by_original(
	const struct ear_android_trace *trace, const struct ear_android_run *run, bool pids)
{
	const struct ear_android_words include = of_kind(&trace->options.include, pids);
	const struct ear_android_words exclude = of_kind(&trace->options.exclude, pids);

	return include.count > 0 ? is_one_of(trace, &include, run)
				 : !is_one_of(trace, &exclude, run);
}

static bool is_wanted(const struct ear_android_trace *trace, const struct ear_android_run *run)
{
	const struct ear_android_options *options = &trace->options;

	if (options->compatible)
		return is_wanted_by_original(trace, run, true) &&
		       is_wanted_by_original(trace, run, false);
	if (run->execution.number == 0)
		return true;
	return !is_one_of(trace, &options->exclude, run) &&
	       (options->include.count == 0 || is_one_of(trace, &options->include, run));
}

bool ear_android_trace_wants_task(
	const struct ear_android_trace *trace, const struct ear_android_task *task)
{
	const struct ear_android_run run = {.task = (struct ear_android_task *)(uintptr_t)task};

	return is_wanted_by_original(trace, &run, true);
}

static struct ear_android_symbol *lump(
	const struct ear_android_trace *trace, struct ear_android_symbol *symbol)
{
	struct ear_android_image *image = symbol->image;

	return (trace->options.lump_kernel && image->is_kernel) ||
			       (trace->options.lump_libraries && is_library(trace, image))
		       ? &image->whole
		       : symbol;
}

/* Find the function and the method. */
static void name(struct ear_android_trace *trace, struct ear_android_run *run)
{
	const struct ear_android_task *task = run->task;

	run->function = ear_android_tasks_symbol(trace->tasks, task, run->address, &run->region);
	const struct ear_android_frame *top =
		task->depth > 0 ? &task->frames[task->depth - 1] : NULL;
	run->in_method = top && !top->native && top->symbol;
	run->symbol = lump(trace, run->in_method ? top->symbol : run->function);
}

static int give(struct ear_android_trace *trace, struct ear_android_run *run)
{
	*run = (struct ear_android_run){.execution = trace->ahead,
		.times = trace->times[trace->side],
		.address = trace->ahead.block.address & ~UINT32_C(1)};
	trace->side ^= 1;
	int result = 0;
	if (++trace->given == trace->options.limit)
		trace->has_ahead = false;
	else
		result = look_ahead(trace);
	if (result == 0)
		result = apply(trace, run->execution.time);
	if (result)
		return result;
	run->until = trace->has_ahead         ? trace->ahead.time
		     : run->execution.entries ? run->times[run->execution.entries - 1]
					      : run->execution.time;
	run->task = trace->tasks->current;
	run->task->ran |= run->execution.number != 0;
	name(trace, run);
	return 1;
}

int ear_android_trace_next(struct ear_android_trace *trace, struct ear_android_run *run)
{
	while (trace->has_ahead) {
		int result = give(trace, run);
		if (result != 1 || is_wanted(trace, run))
			return result;
	}
	return 0;
}

/* --- Opening --- */

static int open_folder(struct ear_android_trace *trace)
{
	const char *path = trace->options.folder;
	char fault[256];

	trace->folder = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	if (trace->folder < 0)
		return ear_android_trace_fail(trace, EAR_E_IO, "%s", strerror(errno));
	int result = ear_qtrace_mark_read(&trace->mark, trace->folder);
	if (result)
		return ear_android_trace_fail(trace, result,
			EAR_QTRACE_MARK_NAME ": it cannot be read, or is of a later version");
	result = ear_qtrace_log_open(&trace->log, trace->folder, fault, sizeof(fault));
	return result ? ear_android_trace_fail(trace, result, "%s", fault) : 0;
}

static int open_all(struct ear_android_trace *trace)
{
	const struct ear_android_options *options = &trace->options;
	int result = open_folder(trace);

	if (result)
		return result;
	const struct ear_android_files_options files = {.names = options->names,
		.folder = trace->folder,
		.root = options->root,
		.kernel = options->kernel,
		.mangled = options->mangled,
		.fixed = trace->mark.xlen == 0,
		.report = options->report,
		.context = options->context};
	result = ear_android_files_open(
		&trace->files, &files, trace->message, sizeof(trace->message));
	if (result == 0)
		result = look_ahead(trace);
	if (result)
		return result;
	/* The original tools count from 0, at which nothing runs. */
	uint64_t begin = options->compatible || !trace->has_ahead ? 0 : trace->ahead.time;
	result = ear_android_tasks_new(
		&trace->tasks, trace->files, options->compatible ? NULL : trace->mark.pids, begin);
	return result ? ear_android_trace_fail(trace, result, "%s", ear_error_text(result)) : 0;
}

int ear_android_trace_open(struct ear_android_trace **trace,
	const struct ear_android_options *options, char *message, size_t size)
{
	struct ear_android_trace *made = calloc(1, sizeof(*made));

	if (!made) {
		snprintf(message, size, "%s", ear_error_text(EAR_E_NO_MEMORY));
		return EAR_E_NO_MEMORY;
	}
	made->options = *options;
	made->folder = -1;
	int result = open_all(made);
	if (result) {
		snprintf(message, size, "%s", made->message);
		ear_android_trace_close(made);
		return result;
	}
	*trace = made;
	return 0;
}

void ear_android_trace_close(struct ear_android_trace *trace)
{
	if (!trace)
		return;
	ear_android_tasks_free(trace->tasks);
	ear_android_files_close(trace->files);
	ear_qtrace_log_close(trace->log);
	ear_qtrace_mark_fini(&trace->mark);
	if (trace->folder >= 0)
		close(trace->folder);
	free(trace);
}
