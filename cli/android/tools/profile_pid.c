/* profile_pid: for how long each process had the core.
 *
 * The original forgets the time after the last switch, and counts from 0 instead of from the time
 * of the first block.
 */
#include <earshot/error.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/android/tools/tool_list.h"

static int by_cycles(const void *a, const void *b)
{
	const struct ear_android_task *left = *(struct ear_android_task *const *)a;
	const struct ear_android_task *right = *(struct ear_android_task *const *)b;

	if (left->cycles != right->cycles)
		return left->cycles < right->cycles ? 1 : -1;
	return left->own < right->own ? -1 : 1;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print(const struct ear_android_request *request, struct ear_android_task *const *list,
	size_t count)
{
	const struct ear_android_tasks *tasks = ear_android_trace_tasks(request->trace);
	FILE *out = request->out;
	uint64_t total = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		total += list[i]->cycles;
	fprintf(out, "  pid parent   cpu_time      %%      %% flags argv\n");
	for (size_t i = 0; i < count; i++) {
		const struct ear_android_task *task = list[i];
		const char *arguments = task->arguments ? task->arguments : "";
		sum += task->cycles;
		fprintf(out, "%5" PRIu64 " %6" PRIu64 " %10" PRIu64 " %6.2f %6.2f %5s %s%s%s\n",
			task->own, ear_android_tasks_own(tasks, task->parent), task->cycles,
			percent(task->cycles, total), percent(sum, total),
			task->has_program ? "" : "T", task->name ? task->name : "",
			arguments[0] ? " " : "", arguments);
	}
}

static int print_all(const struct ear_android_request *request)
{
	const struct ear_android_tasks *tasks = ear_android_trace_tasks(request->trace);
	struct ear_android_task **list = calloc(EAR_QTRACE_PIDS, sizeof(struct ear_android_task *));
	size_t count = 0;

	if (!list)
		return ear_android_trace_fail(
			request->trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	for (uint32_t pid = 0; pid < EAR_QTRACE_PIDS; pid++)
		if (tasks->list[pid])
			list[count++] = tasks->list[pid];
	qsort(list, count, sizeof(struct ear_android_task *), by_cycles);
	print(request, list, count);
	free(list);
	return 0;
}

static int run(const struct ear_android_request *request)
{
	struct ear_android_tasks *tasks = ear_android_trace_tasks(request->trace);
	struct ear_android_run run;
	uint64_t end = 0;
	int result;

	while ((result = ear_android_trace_next(request->trace, &run)) == 1)
		end = run.until;
	if (result == 0)
		result = ear_android_trace_finish(request->trace);
	if (result)
		return result;
	if (end > tasks->switched && !ear_android_trace_options(request->trace)->compatible)
		tasks->current->cycles += end - tasks->switched;
	return print_all(request);
}

const struct ear_android_tool ear_android_profile_pid = {
	.name = "profile_pid",
	.summary = "cycles of each process",
	.run = run,
};
