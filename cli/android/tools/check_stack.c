/* check_stack: do the calls agree with the method events?
 *
 * Two things are compared at each block: the methods on the stack of calls with those that the
 * events say are active; and native methods with what runs: between the event that enters one and
 * the one that leaves it the task is in the function at its address, if a function begins there.
 */
#include <earshot/error.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/android/tools/calls.h"
#include "cli/android/tools/tool_list.h"
#include "common/array.h"

/* A method that the events say is active. */
struct active {
	uint64_t entered;
	uint32_t address;
	bool awaited; /* its function has not run */
};

struct methods {
	struct active *list;
	size_t depth, room;
};

struct check {
	const struct ear_android_request *request;
	struct methods tasks[EAR_QTRACE_PIDS];
};

/* Does a function begin at the address of a native method? */
static bool is_function(
	const struct check *check, const struct ear_android_task *task, uint32_t address)
{
	const struct ear_android_region *region;
	const struct ear_android_symbol *symbol =
		ear_android_tasks_symbol(ear_android_trace_tasks(check->request->trace), task,
			address & ~UINT32_C(1), &region);

	/* Some systems give a native method's place in a file of methods. */
	return !symbol->image->is_missing && !symbol->image->is_dex &&
	       symbol->address + (region ? region->base : 0) == (address & ~UINT32_C(1));
}

/* The methods of the task up to keep stay. */
static void leave(const struct check *check, const struct ear_android_run *run,
	struct methods *methods, size_t keep)
{
	for (; methods->depth > keep; methods->depth--) {
		const struct active *top = &methods->list[methods->depth - 1];
		if (top->awaited)
			fprintf(check->request->out,
				"%" PRIu64 " thr %" PRIu64 " the native method 0x%08" PRIx32
				" that was entered at %" PRIu64 " never ran\n",
				run->execution.time, run->task->own, top->address, top->entered);
	}
}

static int enter(const struct check *check, const struct ear_android_task *task,
	struct methods *methods, const struct ear_android_frame *frame)
{
	if (!EAR_ARRAY_RESERVE(methods->list, &methods->room, methods->depth + 1))
		return ear_android_trace_fail(check->request->trace, EAR_E_NO_MEMORY, "%s",
			ear_error_text(EAR_E_NO_MEMORY));
	methods->list[methods->depth++] = (struct active){.entered = frame->time,
		.address = frame->address,
		.awaited = frame->native && is_function(check, task, frame->address)};
	return 0;
}

/* What the events between this block and the last one of its task did. */
static int follow_events(
	const struct check *check, const struct ear_android_run *run, struct methods *methods)
{
	const struct ear_android_task *task = run->task;
	size_t same = 0;
	int result = 0;

	while (same < methods->depth && same < task->depth &&
		methods->list[same].entered == task->frames[same].time)
		same++;
	leave(check, run, methods, same);
	for (; same < task->depth && result == 0; same++)
		result = enter(check, task, methods, &task->frames[same]);
	return result;
}

/* The innermost method whose function this is has run. */
static void note_function(const struct ear_android_run *run, const struct methods *methods)
{
	uint32_t base = run->region ? run->region->base : 0;

	for (size_t i = methods->depth; i > 0; i--) {
		struct active *active = &methods->list[i - 1];
		if ((active->address & ~UINT32_C(1)) != run->function->address + base)
			continue;
		active->awaited = false;
		return;
	}
}

/* The stack is that of the block before; so are the methods. */
static void compare(const struct check *check, const struct ear_android_run *run,
	const struct ear_android_stack *stack)
{
	const struct methods *methods = &check->tasks[stack->pid];
	size_t count = 0;
	bool same = true;

	for (size_t i = 0; i < stack->depth; i++) {
		const struct ear_android_call_frame *frame = ear_android_stack_frame(stack, i);
		if (!frame->is_event)
			continue;
		same = same && count < methods->depth &&
		       methods->list[count].entered == frame->entered;
		count++;
	}
	if (!same || count != methods->depth)
		fprintf(check->request->out,
			"%" PRIu64 " thr %" PRIu64
			" has %zu methods on its stack, and %zu by the events\n",
			run->execution.time,
			ear_android_tasks_own(
				ear_android_trace_tasks(check->request->trace), stack->pid),
			count, methods->depth);
}

static int ran(
	void *context, const struct ear_android_run *run, const struct ear_android_stack *stack)
{
	struct check *check = context;
	struct methods *methods = &check->tasks[run->task->pid];

	if (stack)
		compare(check, run, stack);
	if (run->execution.number == 0)
		return 0;
	int result = follow_events(check, run, methods);
	if (result == 0)
		note_function(run, methods);
	return result;
}

static int pass_call(void *context, uint64_t time, bool enter_it,
	const struct ear_android_stack *stack, const struct ear_android_call_frame *frame,
	size_t depth)
{
	(void)context;
	(void)time;
	(void)enter_it;
	(void)stack;
	(void)frame;
	(void)depth;
	return 0;
}

static int run(const struct ear_android_request *request)
{
	struct check *check = calloc(1, sizeof(*check));

	if (!check)
		return ear_android_trace_fail(
			request->trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	check->request = request;
	const struct ear_android_call_hooks hooks = {
		.call = pass_call, .ran = ran, .context = check};
	int result = ear_android_calls_run(request->trace, false, &hooks);
	for (unsigned i = 0; i < EAR_QTRACE_PIDS; i++)
		free(check->tasks[i].list);
	free(check);
	return result < 0 ? result : 0;
}

const struct ear_android_tool ear_android_check_stack = {
	.name = "check_stack",
	.summary = "where calls and method events do not agree",
	.needs_kernel = true,
	.run = run,
};
