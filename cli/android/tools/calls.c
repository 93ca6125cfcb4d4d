/* What a block does to the stack of its task is decided by the last instruction of the block before
 * and by where the block is. A call pushes its function with the address after the call. Where a
 * block is at an address that a frame returns to, that frame is left. Exceptions push a frame that
 * remembers what it interrupted. Where a return leads elsewhere, because tracing was off or a task
 * began anew, the stack is left down to the function that runs now.
 */
#include "cli/android/tools/calls.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "common/array.h"

#define DEPTH_MAX 65536 /* calls that are no calls shall not take all memory */

/* The block that ran before on a stack. */
struct before {
	enum ear_android_flow flow;
	uint32_t next;   /* the address after its last instruction */
	uint32_t target; /* of the exception that ended it; 0: none */
	bool in_kernel, in_vectors, any;
};

struct frame {
	struct ear_android_call_frame shown;
	struct before saved; /* of an exception: what it interrupted */
};

struct stack {
	struct ear_android_stack shown; /* first: see ear_android_stack_frame */
	struct frame *frames;
	size_t room;
	struct before before;
};

#define STACKS (EAR_QTRACE_PIDS + 1) /* the last one is the kernel's */

struct calls {
	struct ear_android_trace *trace;
	struct ear_android_code code;
	bool apart, ended;
	const struct ear_android_call_hooks *hooks;
	struct stack *stacks[STACKS];
	struct stack *current;
};

/* --- Frames --- */

static int report(struct calls *calls, uint64_t time, bool enter, struct stack *stack)
{
	const struct ear_android_call_hooks *hooks = calls->hooks;
	size_t depth = stack->shown.depth - 1;

	return hooks->call(
		hooks->context, time, enter, &stack->shown, &stack->frames[depth].shown, depth);
}

const struct ear_android_call_frame *ear_android_stack_frame(
	const struct ear_android_stack *stack, size_t number)
{
	return &((const struct stack *)stack)->frames[number].shown;
}

static struct frame *top(struct stack *stack)
{
	return stack->shown.depth > 0 ? &stack->frames[stack->shown.depth - 1] : NULL;
}

static int pop(struct calls *calls, uint64_t time, struct stack *stack)
{
	int result = report(calls, time, false, stack);

	if (top(stack)->shown.is_exception) {
		stack->before = top(stack)->saved;
		if (stack->shown.depth > 1 && !calls->ended)
			stack->frames[stack->shown.depth - 2].shown.interrupted = false;
	}
	stack->shown.depth--;
	return result;
}

static int pop_to(struct calls *calls, uint64_t time, struct stack *stack, size_t depth)
{
	int result = 0;

	while (result == 0 && stack->shown.depth > depth)
		result = pop(calls, time, stack);
	return result;
}

static int push(struct calls *calls, uint64_t time, struct stack *stack,
	struct ear_android_call_frame frame)
{
	int result = 0;

	if (stack->shown.depth == DEPTH_MAX)
		result = pop_to(calls, time, stack, 0);
	if (result == 0 && !EAR_ARRAY_RESERVE(stack->frames, &stack->room, stack->shown.depth + 1))
		return ear_android_trace_fail(
			calls->trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	if (result)
		return result;
	stack->frames[stack->shown.depth++] =
		(struct frame){.shown = frame, .saved = stack->before};
	return report(calls, time, true, stack);
}

/* The frame is another function now. */
static int replace(
	struct calls *calls, uint64_t time, struct stack *stack, struct ear_android_symbol *symbol)
{
	int result = report(calls, time, false, stack);

	top(stack)->shown.symbol = symbol;
	return result ? result : report(calls, time, true, stack);
}

/* --- What a block does --- */

static int push_base(struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	return push(calls, run->execution.time, stack,
		(struct ear_android_call_frame){.symbol = run->symbol});
}

static int push_call(struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	return push(calls, run->execution.time, stack,
		(struct ear_android_call_frame){.symbol = run->symbol, .back = stack->before.next});
}

static int push_exception(
	struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	if (top(stack))
		top(stack)->shown.interrupted = true;
	return push(calls, run->execution.time, stack,
		(struct ear_android_call_frame){
			.symbol = run->symbol, .back = stack->before.next, .is_exception = true});
}

/* The depth below the frame that returns to the address; SIZE_MAX: none does. */
static size_t find_back(const struct stack *stack, uint32_t address)
{
	for (size_t i = stack->shown.depth; i > 0; i--) {
		const struct frame *frame = &stack->frames[i - 1];
		if (frame->shown.is_event)
			break;
		if ((frame->shown.back == address && address != 0) ||
			(frame->shown.is_exception && frame->saved.target == address &&
				address != 0))
			return i - 1;
	}
	return SIZE_MAX;
}

/* The depth with the function on top; SIZE_MAX: it is not there. */
static size_t find_symbol(const struct stack *stack, const struct ear_android_symbol *symbol)
{
	for (size_t i = stack->shown.depth; i > 0; i--) {
		if (stack->frames[i - 1].shown.symbol == symbol)
			return i;
		if (stack->frames[i - 1].shown.is_event)
			break;
	}
	return SIZE_MAX;
}

/* The kernel has given the core back: leave what interrupted user code, or all. */
static int leave_kernel(struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	size_t depth = stack->shown.depth;

	while (depth > 0 && !(stack->frames[depth - 1].shown.is_exception &&
				    !stack->frames[depth - 1].saved.in_kernel))
		depth--;
	return pop_to(calls, run->execution.time, stack, depth > 0 ? depth - 1 : 0);
}

/* The bottom of what belongs to the method on top. */
static size_t floor_of(const struct stack *stack)
{
	size_t depth = stack->shown.depth;

	while (depth > 0 && !stack->frames[depth - 1].shown.is_event)
		depth--;
	return depth;
}

/* A return led to no frame. */
static int follow_return(
	struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	size_t depth = find_symbol(stack, run->symbol);

	if (depth != SIZE_MAX)
		return pop_to(calls, run->execution.time, stack, depth);
	int result = pop_to(calls, run->execution.time, stack, floor_of(stack));
	return result ? result : push_base(calls, run, stack);
}

static bool is_begin(const struct ear_android_run *run)
{
	uint32_t base = run->region ? run->region->base : 0;

	return run->address - base == run->function->address;
}

static int follow_jump(struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	if (top(stack)->shown.symbol == run->symbol)
		return 0;
	if (stack->before.flow == EAR_ANDROID_RETURN)
		return follow_return(calls, run, stack);
	if (is_begin(run))
		return push_call(calls, run, stack);
	size_t depth = find_symbol(stack, run->symbol);
	if (depth != SIZE_MAX)
		return pop_to(calls, run->execution.time, stack, depth);
	return top(stack)->shown.is_event ? push_base(calls, run, stack)
					  : replace(calls, run->execution.time, stack, run->symbol);
}

static int follow(struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	const struct before *before = &stack->before;
	int result = 0;

	if (!top(stack))
		return push_base(calls, run, stack);
	if (before->flow == EAR_ANDROID_CALL && run->address != before->next)
		return push_call(calls, run, stack);
	if (before->flow == EAR_ANDROID_RETURN || top(stack)->shown.symbol != run->symbol) {
		size_t depth = find_back(stack, run->address);
		if (depth != SIZE_MAX) {
			bool excepted = stack->frames[depth].shown.is_exception;
			result = pop_to(calls, run->execution.time, stack, depth);
			if (result || !excepted)
				return result;
			return top(stack) ? follow_jump(calls, run, stack)
					  : push_base(calls, run, stack);
		}
	}
	return follow_jump(calls, run, stack);
}

static bool is_vectors(const struct ear_android_run *run)
{
	return run->function->image->is_vectors;
}

static int follow_native(
	struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	const struct before *before = &stack->before;
	bool kernel = run->function->image->is_kernel;
	bool trap = calls->code.xlen != 0 && before->target != 0 && run->address != before->next;
	int result = 0;

	if (top(stack) && (trap || (is_vectors(run) && !before->in_vectors)))
		return push_exception(calls, run, stack);
	if (top(stack) && before->in_vectors && !is_vectors(run) && !top(stack)->shown.is_event)
		return replace(calls, run->execution.time, stack, run->symbol);
	if (before->any && before->in_kernel && !kernel)
		result = leave_kernel(calls, run, stack);
	return result ? result : follow(calls, run, stack);
}

/* --- Methods --- */

/* Leave the methods that the task has left, and enter those that it has entered. */
static int follow_methods(
	struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	const struct ear_android_task *task = run->task;
	size_t same = 0, keep = SIZE_MAX;
	int result = 0;

	for (size_t i = 0; i < stack->shown.depth; i++) {
		const struct ear_android_call_frame *frame = &stack->frames[i].shown;
		if (!frame->is_event)
			continue;
		if (same == task->depth || task->frames[same].time != frame->entered) {
			keep = i;
			break;
		}
		same++;
	}
	if (keep != SIZE_MAX)
		result = pop_to(calls, run->execution.time, stack, keep);
	if (result == 0 && same < task->depth && stack->shown.depth == 0)
		result = push(calls, run->execution.time, stack,
			(struct ear_android_call_frame){.symbol = run->function});
	for (; same < task->depth && result == 0; same++) {
		const struct ear_android_frame *frame = &task->frames[same];
		result = push(calls, run->execution.time, stack,
			(struct ear_android_call_frame){
				.symbol = frame->symbol ? frame->symbol : run->function,
				.entered = frame->time,
				.is_event = true,
				.is_method = frame->symbol != NULL});
	}
	return result;
}

/* --- Executions --- */

static struct stack *select_stack(struct calls *calls, const struct ear_android_run *run)
{
	bool kernel = calls->apart && run->symbol->image->is_kernel;
	struct stack **stack = &calls->stacks[kernel ? EAR_QTRACE_PIDS : run->task->pid];

	if (!*stack) {
		*stack = calloc(1, sizeof(**stack));
		if (*stack) {
			(*stack)->shown.pid = run->task->pid;
			(*stack)->shown.is_kernel = kernel;
		}
	}
	return *stack;
}

static void remember(
	const struct calls *calls, const struct ear_android_run *run, struct stack *stack)
{
	struct ear_android_instruction last = {.address = run->address, .isa = EAR_ISA_A32};
	const struct ear_qtrace_exception *exception = run->execution.exception;
	uint32_t count = run->execution.entries;

	if (count > 0 && !(run->execution.block.address & 1))
		last = ear_android_code_at(&calls->code, &run->execution.block, count - 1);
	else
		for (uint32_t i = 0; i < count; i += last.entries)
			last = ear_android_code_at(&calls->code, &run->execution.block, i);
	stack->before = (struct before){.flow = ear_android_flow_of(&last, calls->code.xlen),
		.next = last.address + last.size,
		.target = exception ? exception->target : 0,
		.in_kernel = run->function->image->is_kernel,
		.in_vectors = is_vectors(run),
		.any = true};
}

static int step(struct calls *calls, const struct ear_android_run *run)
{
	struct stack *stack = select_stack(calls, run);
	int result = 0;

	if (!stack)
		return ear_android_trace_fail(
			calls->trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	if (calls->current && calls->current != stack && calls->current->shown.is_kernel)
		result = pop_to(calls, run->execution.time, calls->current, 0);
	calls->current = stack;
	if (result == 0 && !stack->shown.is_kernel)
		result = follow_methods(calls, run, stack);
	if (result == 0 && !run->in_method)
		result = follow_native(calls, run, stack);
	stack->shown.cycles += run->until - run->execution.time;
	remember(calls, run, stack);
	return result;
}

static int finish(struct calls *calls, uint64_t time)
{
	int result = 0;

	calls->ended = true;
	for (unsigned i = 0; i < STACKS && result == 0; i++)
		if (calls->stacks[i])
			result = pop_to(calls, time, calls->stacks[i], 0);
	return result;
}

static int follow_all(struct calls *calls)
{
	struct ear_android_run run;
	uint64_t end = 0;
	int result;

	while ((result = ear_android_trace_next(calls->trace, &run)) == 1) {
		end = run.until;
		if (run.execution.number == 0)
			continue;
		result = calls->hooks->ran ? calls->hooks->ran(calls->hooks->context, &run,
						     calls->current ? &calls->current->shown : NULL)
					   : 0;
		if (result == 0)
			result = step(calls, &run);
		if (result)
			return result;
	}
	return result ? result : finish(calls, end);
}

int ear_android_calls_run(
	struct ear_android_trace *trace, bool apart, const struct ear_android_call_hooks *hooks)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return ear_android_trace_fail(
			trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	calls->trace = trace;
	calls->apart = apart;
	calls->hooks = hooks;
	calls->code.xlen = ear_android_trace_xlen(trace);
	int result = follow_all(calls);
	for (unsigned i = 0; i < STACKS; i++)
		if (calls->stacks[i]) {
			free(calls->stacks[i]->frames);
			free(calls->stacks[i]);
		}
	free(calls);
	return result;
}
