/* q2dm: the calls as a file that dmtracedump and traceview read. The kernel is a thread of its own.
 *
 * The names come before the calls in the file, so the trace is read twice: names are numbered in
 * the order in which they are entered first, which is the same both times.
 *
 * The original gives the kernel the lowest pid that ran nothing, which may be that of a task; here
 * it is one that no task has.
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/android/tools/calls.h"
#include "cli/android/tools/tool_list.h"
#include "common/array.h"
#include "common/protocol/bytes.h"

#define MAGIC        0x574F4C53u /* "SLOW" */
#define HEADER_SIZE  16
#define RECORD_SIZE  10
#define ACTION_EXIT  1
#define NUMBERS_STEP 4

struct names {
	struct ear_android_trace *trace;
	FILE *file;
	bool threads[EAR_QTRACE_PIDS];
	bool kernel;
	struct ear_android_symbol **list; /* by number */
	size_t count, room;
	uint32_t kernel_thread;
	bool failed;
};

/* --- First: what has a name --- */

static int number(struct names *names, struct ear_android_symbol *symbol)
{
	if (symbol->number > 0)
		return 0;
	if (!EAR_ARRAY_RESERVE(names->list, &names->room, names->count + 1))
		return ear_android_trace_fail(
			names->trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	names->list[names->count++] = symbol;
	symbol->number = (uint32_t)(NUMBERS_STEP * names->count);
	return 0;
}

static int take_run(
	void *context, const struct ear_android_run *run, const struct ear_android_stack *stack)
{
	(void)stack;
	return number(context, run->symbol);
}

static int take_call(void *context, uint64_t time, bool enter,
	const struct ear_android_stack *stack, const struct ear_android_call_frame *frame,
	size_t depth)
{
	struct names *names = context;

	(void)time;
	(void)enter;
	(void)depth;
	*(stack->is_kernel ? &names->kernel : &names->threads[stack->pid]) = true;
	return number(names, frame->symbol);
}

/* The thread of the kernel: a pid that is no task's. */
static uint32_t choose_kernel(const struct names *names)
{
	const struct ear_android_tasks *tasks = ear_android_trace_tasks(names->trace);
	bool compatible = ear_android_trace_options(names->trace)->compatible;
	uint32_t pid = 0;

	while (pid + 1 < EAR_QTRACE_PIDS &&
		(compatible ? tasks->list[pid] && tasks->list[pid]->ran : tasks->list[pid] != NULL))
		pid++;
	return pid;
}

/* A name as the file can hold it. */
static void put_name(FILE *file, const char *name)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' ? '?' : *name, file);
}

static void put_threads(const struct names *names)
{
	const struct ear_android_tasks *tasks = ear_android_trace_tasks(names->trace);

	fprintf(names->file, "*version\n2\nclock=thread-cpu\n*threads\n");
	for (uint32_t pid = 0; pid < EAR_QTRACE_PIDS; pid++) {
		const struct ear_android_task *task = tasks->list[pid];
		if (names->kernel && pid == names->kernel_thread)
			fprintf(names->file, "%" PRIu32 "\t(kernel)\n", pid);
		if (!names->threads[pid])
			continue;
		fprintf(names->file, "%" PRIu32 "\t", pid);
		put_name(names->file, task && task->name && task->name[0] ? task->name : "?");
		fputc('\n', names->file);
	}
}

static void put_methods(const struct names *names)
{
	fprintf(names->file, "*methods\n");
	for (size_t i = 0; i < names->count; i++) {
		const struct ear_android_symbol *symbol = names->list[i];
		fprintf(names->file, "0x%" PRIx32 "\t", symbol->number);
		if (symbol->class_name) {
			put_name(names->file, symbol->class_name);
			fputc('\t', names->file);
			put_name(names->file, symbol->method);
			fputc('\t', names->file);
			put_name(names->file, symbol->signature);
		} else {
			put_name(names->file, symbol->name);
		}
		fprintf(names->file, "%s\n", symbol->image->is_kernel ? " [kernel]" : "");
	}
	fprintf(names->file, "*end\n");
}

static void put_header(const struct names *names)
{
	const struct ear_qtrace_header *header =
		ear_qtrace_log_header(ear_android_trace_log(names->trace));
	uint8_t bytes[HEADER_SIZE];

	ear_store_le32(bytes, MAGIC);
	ear_store_le16(bytes + 4, 2);
	ear_store_le16(bytes + 6, HEADER_SIZE);
	ear_store_le32(bytes + 8, header->start_microseconds);
	ear_store_le32(bytes + 12, header->start_seconds);
	fwrite(bytes, 1, sizeof(bytes), names->file);
}

/* --- Then: the calls --- */

static int put_call(void *context, uint64_t time, bool enter, const struct ear_android_stack *stack,
	const struct ear_android_call_frame *frame, size_t depth)
{
	struct names *names = context;
	uint8_t bytes[RECORD_SIZE];

	(void)time;
	(void)depth;
	int result = number(names, frame->symbol);
	ear_store_le16(bytes, (uint16_t)(stack->is_kernel ? names->kernel_thread : stack->pid));
	ear_store_le32(bytes + 2, frame->symbol->number | (enter ? 0 : ACTION_EXIT));
	ear_store_le32(bytes + 6, (uint32_t)stack->cycles);
	fwrite(bytes, 1, sizeof(bytes), names->file);
	return result;
}

static int put_calls(const struct ear_android_request *request, struct names *names)
{
	struct ear_android_options options = *ear_android_trace_options(request->trace);
	const struct ear_android_call_hooks hooks = {put_call, take_run, names};
	struct ear_android_trace *again;
	char message[256];

	options.report = NULL; /* it was said the first time */
	int result = ear_android_trace_open(&again, &options, message, sizeof(message));
	if (result)
		return ear_android_trace_fail(request->trace, result, "%s", message);
	names->count = 0;
	result = ear_android_calls_run(again, true, &hooks);
	if (result)
		ear_android_trace_fail(
			request->trace, result, "%s", ear_android_trace_message(again));
	ear_android_trace_close(again);
	return result;
}

static int write_file(const struct ear_android_request *request, struct names *names)
{
	names->file = fopen(request->output, "wb");
	if (!names->file)
		return ear_android_trace_fail(
			request->trace, EAR_E_IO, "%s: %s", request->output, strerror(errno));
	names->kernel_thread = choose_kernel(names);
	put_threads(names);
	put_methods(names);
	put_header(names);
	int result = put_calls(request, names);
	bool failed = ferror(names->file) != 0;
	if ((fclose(names->file) != 0 || failed) && result == 0)
		result = ear_android_trace_fail(request->trace, EAR_E_IO,
			"%s: it cannot be written: %s", request->output, strerror(errno));
	return result;
}

static int run(const struct ear_android_request *request)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return ear_android_trace_fail(
			request->trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	names->trace = request->trace;
	const struct ear_android_call_hooks hooks = {take_call, take_run, names};
	int result = ear_android_calls_run(request->trace, true, &hooks);
	if (result == 0)
		result = ear_android_trace_finish(request->trace);
	if (result == 0 && names->count == 0)
		result = ear_android_trace_fail(
			request->trace, EAR_E_UNSUPPORTED, "there are no calls: nothing ran");
	if (result == 0)
		result = write_file(request, names);
	free(names->list);
	free(names);
	return result;
}

const struct ear_android_tool ear_android_q2dm = {
	.name = "q2dm",
	.summary = "calls as a file for dmtracedump and traceview",
	.needs_kernel = true,
	.needs_output = true,
	.run = run,
};
