/* Follows calls, returns, traps and switches of stacks.
 *
 * A hart has some stacks, each with the frames that were entered in it and not left, and is in one
 * of them. A frame ends when control goes to its return address with its sp; this one test covers
 * returns, unwinding and what returns from several frames at once. Everything else is for code that
 * does not keep to the calling convention, and there sp decides: a frame whose sp is below the
 * current one cannot be active. Frames are not removed when sp moves but at the next transfer,
 * because between the two the instructions are still those of the old function.
 *
 * A switch of stacks shows in sp alone. It is applied at the next transfer too, for code may set sp
 * in several steps. A value at which a stack was left means that stack: no two are in the same
 * memory. docs/library.md, section 8, has all rules and limits.
 */
#include "library/stack/call_stack.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/stack/call_stack_private.h"

/* Bytes of a function that switches tasks, at most. */
#define SWITCH_SIZE 1024

/* Frames that are looked at where sp is not known. */
#define SEARCH_MAX 4096

int ear_call_stacks_new(struct ear_call_stacks **stacks)
{
	*stacks = calloc(1, sizeof(**stacks));
	return *stacks ? 0 : EAR_E_NO_MEMORY;
}

void ear_call_stacks_reset(struct ear_call_stacks *stacks)
{
	for (size_t i = 0; i < stacks->hart_count; i++)
		ear_call_stack_drop_hart(&stacks->harts[i]);
	free(stacks->harts);
	*stacks = (struct ear_call_stacks){.watch = stacks->watch};
}

void ear_call_stacks_free(struct ear_call_stacks *stacks)
{
	if (!stacks)
		return;
	stacks->watch = (struct ear_call_stack_watch){0};
	ear_call_stacks_reset(stacks);
	free(stacks);
}

static struct hart *find_hart(struct ear_call_stacks *stacks, uint16_t number, int *result)
{
	if (stacks->last < stacks->hart_count && stacks->harts[stacks->last].number == number)
		return &stacks->harts[stacks->last];
	for (size_t i = 0; i < stacks->hart_count; i++) {
		if (stacks->harts[i].number == number) {
			stacks->last = i;
			return &stacks->harts[i];
		}
	}
	*result = EAR_E_FULL;
	if (stacks->hart_count == EAR_FLOW_HARTS_MAX)
		return NULL;
	*result = EAR_E_NO_MEMORY;
	struct hart *harts = realloc(stacks->harts, (stacks->hart_count + 1) * sizeof(*harts));
	if (!harts)
		return NULL;
	stacks->harts = harts;
	struct hart *hart = &harts[stacks->hart_count];
	*hart = (struct hart){.number = number, .watch = &stacks->watch};
	hart->stacks = malloc(EAR_CALL_STACKS_MAX * sizeof(*hart->stacks));
	if (!hart->stacks)
		return NULL;
	ear_call_stack_forget(hart, 0);
	stacks->last = stacks->hart_count++;
	return hart;
}

/* A transfer: where sp is, and how it came there. */
struct transfer {
	const struct ear_flow_event *event;
	uint64_t position;
	uint64_t sp;
	bool sp_known;
	enum arrival arrival;
	bool unwound; /* frames were removed since sp is above them */
};

static bool is_trap_frame(const struct frame *frame)
{
	return frame->kind != EAR_FRAME_CALL;
}

static bool is_below_sp(const struct frame *frame, const struct transfer *transfer)
{
	return transfer->sp_known && frame->sp_known && frame->sp < transfer->sp;
}

static bool has_sp(const struct frame *frame, const struct transfer *transfer)
{
	return transfer->sp_known && frame->sp_known && frame->sp == transfer->sp;
}

static void drop_dead(struct hart *hart, struct transfer *transfer)
{
	struct stack *stack = ear_call_stack_current(hart);
	size_t count = stack->count;

	while (count > 0 && is_below_sp(&stack->frames[count - 1], transfer))
		count--;
	if (count == stack->count)
		return;
	transfer->unwound = true;
	ear_call_stack_pop_to(hart, count);
}

/* The newest frame that ends by going to target: with its sp; by a link register, the newest one in
 * any case. Returns how many frames are left then, or the number of frames if there is none. */
static size_t find_return(
	const struct stack *stack, const struct transfer *transfer, uint64_t target, bool by_link)
{
	size_t end =
		stack->count > SEARCH_MAX && !transfer->sp_known ? stack->count - SEARCH_MAX : 0;

	for (size_t i = stack->count; i > end; i--) {
		const struct frame *frame = &stack->frames[i - 1];
		bool known = transfer->sp_known && frame->sp_known;
		if (frame->kind == EAR_FRAME_CALL && frame->return_pc == target &&
			((known && frame->sp == transfer->sp) ||
				(by_link && (!known || (i == stack->count &&
							       frame->sp > transfer->sp)))))
			return i - 1;
		if (known && frame->sp > transfer->sp)
			break;
	}
	return stack->count;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Control goes to where nothing was left: to a new task, in memory that may have been another
 * one's. But a function that gave up the hart may continue somewhere in itself. */
static bool begins_task(const struct stack *stack, const struct transfer *transfer, uint64_t target)
{
	const struct frame *newest = stack->count ? &stack->frames[stack->count - 1] : NULL;

	if (transfer->arrival == ARRIVAL_EXACT)
		return newest && target - newest->entry >= SWITCH_SIZE;
	return transfer->arrival >= ARRIVAL_WITHIN;
}

/* Control goes by ra to where no frame returns to: longjmp, an exception, or ra was not written by
 * a call. The function that continues is the one whose frame is at sp: frames with just that sp
 * called it, or were called by it without a frame of their own. The first is the rule; which of
 * several it is the nearest call decides.
 */
static void return_elsewhere(struct hart *hart, struct transfer *transfer, uint64_t target)
{
	struct stack *stack = ear_call_stack_current(hart);
	bool jumped = transfer->arrival != ARRIVAL_NONE;

	drop_dead(hart, transfer);
	jumped = jumped || transfer->unwound;
	size_t count = stack->count, best = count;
	uint64_t least = UINT64_MAX;
	/* sp was not known until it was set: what was entered before is above it. */
	while (count > 0 && transfer->sp_known && !stack->frames[count - 1].sp_known &&
		(jumped || !is_trap_frame(&stack->frames[count - 1])))
		best = --count;
	while (count > 0 && has_sp(&stack->frames[count - 1], transfer) &&
		(jumped || !is_trap_frame(&stack->frames[count - 1]))) {
		count--;
		uint64_t far = distance(target, stack->frames[count].call_pc);
		if (best == stack->count || far < least) {
			best = count;
			least = far;
		}
	}
	if (transfer->arrival == ARRIVAL_EXACT && least > SWITCH_SIZE &&
		begins_task(stack, transfer, target))
		ear_call_stack_begin_task(hart, transfer->position, target);
	else if (best < stack->count)
		ear_call_stack_pop_to(hart, best);
	else if (stack->count == 0 && (stack->parent == NO_STACK || jumped))
		ear_call_stack_return_above_base(hart, transfer->position, target);
}

static void do_return(struct hart *hart, struct transfer *transfer)
{
	const struct ear_flow_event *event = transfer->event;
	struct stack *stack = ear_call_stack_current(hart);
	bool by_link = event->kind != EAR_FLOW_JUMP;
	size_t left = find_return(stack, transfer, event->target, by_link);

	if (left < stack->count) {
		ear_call_stack_return_to(hart, left);
		return;
	}
	if (event->kind != EAR_FLOW_RETURN || event->flags & (EAR_FLOW_BY_X5 | EAR_FLOW_OFFSET))
		return;
	if (transfer->arrival == ARRIVAL_NEW || transfer->arrival == ARRIVAL_WITHIN)
		ear_call_stack_begin_task(hart, transfer->position, event->target);
	else
		return_elsewhere(hart, transfer, event->target);
}

static uint64_t return_address(const struct ear_flow_event *event)
{
	uint64_t pc = event->pc + (event->flags & EAR_FLOW_SHORT ? 2 : 4);

	return event->flags & EAR_FLOW_WIDE ? pc : (uint32_t)pc;
}

static int do_call(struct hart *hart, struct transfer *transfer)
{
	const struct ear_flow_event *event = transfer->event;

	drop_dead(hart, transfer);
	return ear_call_stack_push_frame(hart, (struct frame){
						       .kind = EAR_FRAME_CALL,
						       .position = transfer->position,
						       .call_pc = event->pc,
						       .entry = event->target,
						       .return_pc = return_address(event),
						       .sp = transfer->sp,
						       .sp_known = transfer->sp_known,
					       });
}

static int do_trap(struct hart *hart, const struct transfer *transfer)
{
	const struct ear_flow_event *event = transfer->event;

	return ear_call_stack_push_frame(hart,
		(struct frame){
			.kind = event->kind == EAR_FLOW_TRAP ? EAR_FRAME_TRAP : EAR_FRAME_INTERRUPT,
			.position = transfer->position,
			.call_pc = event->pc,
			.entry = event->target,
			.return_pc = event->pc,
			.sp = transfer->sp,
			.sp_known = transfer->sp_known,
		});
}

/* Does the handler return for the function that trapped? */
static bool is_returned_for(
	const struct stack *stack, size_t handler, const struct transfer *transfer)
{
	const struct frame *below = handler > 0 ? &stack->frames[handler - 1] : NULL;

	return below && below->kind == EAR_FRAME_CALL &&
	       below->return_pc == transfer->event->target &&
	       (!transfer->sp_known || !below->sp_known || has_sp(below, transfer));
}

/* An xRET ends the newest handler that was entered from where it goes to, at the same sp. Where
 * that is none: a kernel may return to a function that gave up the hart by a call; or change the pc
 * of what was interrupted, to its return address, too; or begin a task.
 */
static void do_xret(struct hart *hart, struct transfer *transfer)
{
	uint64_t target = transfer->event->target;

	drop_dead(hart, transfer);
	if (transfer->sp_known)
		ear_call_stack_rejoin(hart, target, transfer->sp);
	struct stack *stack = ear_call_stack_current(hart);
	size_t newest = stack->count;
	bool fits = false, switched = transfer->arrival >= ARRIVAL_EXACT;
	for (size_t i = stack->count, seen = 0; i > 0 && seen < SEARCH_MAX; i--, seen++) {
		const struct frame *frame = &stack->frames[i - 1];
		bool same_sp = !transfer->sp_known || !frame->sp_known || has_sp(frame, transfer);
		if (is_trap_frame(frame)) {
			if (same_sp && ear_call_frame_continues_at(frame, target)) {
				ear_call_stack_return_to(hart, i - 1);
				return;
			}
			if (newest == stack->count) {
				newest = i - 1;
				fits = (same_sp && !switched) ||
				       ear_call_frame_continues_at(frame, target);
			}
		}
		if (!same_sp && newest < stack->count)
			break;
	}
	size_t left =
		transfer->sp_known ? find_return(stack, transfer, target, false) : stack->count;
	if (newest < stack->count && is_returned_for(stack, newest, transfer))
		left = newest - 1;
	if (left < stack->count && (switched || newest == stack->count || left + 1 == newest))
		ear_call_stack_return_to(hart, left);
	else if (newest < stack->count && (fits || !switched))
		ear_call_stack_return_to(hart, newest);
	else if (begins_task(stack, transfer, target))
		ear_call_stack_begin_task(hart, transfer->position, target);
	else if (stack->count == 0 && (stack->parent == NO_STACK || switched))
		ear_call_stack_return_above_base(hart, transfer->position, target);
}

/* How the stack was entered matters to the first transfer in it that is no trap. */
static void keep_arrival(struct stack *stack, struct transfer *transfer)
{
	bool trap = transfer->event->kind == EAR_FLOW_TRAP ||
		    transfer->event->kind == EAR_FLOW_INTERRUPT ||
		    transfer->event->kind == EAR_FLOW_HANDLER;

	if (stack->arrival != ARRIVAL_NONE && stack->count > stack->arrival_count)
		return;
	if (transfer->arrival == ARRIVAL_NONE)
		transfer->arrival = stack->arrival;
	stack->arrival = trap ? transfer->arrival : ARRIVAL_NONE;
	stack->arrival_count = trap ? stack->count : 0;
}

static int do_transfer(struct hart *hart, const struct ear_flow_event *event, uint64_t position)
{
	struct transfer transfer = {.event = event, .position = position};
	int result = 0;

	hart->now = position;

	if (event->flags & EAR_FLOW_SP_SAME) {
		transfer.sp = hart->sp;
		transfer.sp_known = hart->sp_known;
	} else if (!(event->flags & EAR_FLOW_SP_UNKNOWN)) {
		transfer.sp = event->sp;
		transfer.sp_known = true;
	}
	transfer.arrival = ear_call_stack_settle(hart, position, event->pc);
	keep_arrival(ear_call_stack_current(hart), &transfer);
	if (transfer.sp_known)
		ear_call_stack_note_sp(ear_call_stack_current(hart), transfer.sp);
	switch (event->kind) {
	case EAR_FLOW_CALL: return do_call(hart, &transfer);
	case EAR_FLOW_SWAP: do_return(hart, &transfer); return do_call(hart, &transfer);
	case EAR_FLOW_RETURN:
	case EAR_FLOW_JUMP: do_return(hart, &transfer); break;
	case EAR_FLOW_TRAP:
	case EAR_FLOW_INTERRUPT:
	case EAR_FLOW_HANDLER: result = do_trap(hart, &transfer); break;
	case EAR_FLOW_XRET: do_xret(hart, &transfer); break;
	}
	return result;
}

/* A kept event reports its sp. */
static void settle_sp(const struct hart *hart, struct ear_flow_event *event)
{
	if (!(event->flags & EAR_FLOW_SP_SAME))
		return;
	event->flags = (uint8_t)(event->flags & ~EAR_FLOW_SP_SAME);
	event->flags |= hart->sp_known ? 0 : EAR_FLOW_SP_UNKNOWN;
	event->sp = hart->sp_known ? hart->sp : 0;
}

/* The pc of the next record is known: where the last transfer went, and where a base is. */
static int arrive(struct hart *hart, uint64_t pc)
{
	struct stack *stack = ear_call_stack_current(hart);

	if (!stack->base_seen && stack->count == 0 && stack->parent == NO_STACK) {
		stack->base_entry = pc;
		stack->base_seen = true;
	}
	if (!hart->waiting)
		return 0;
	hart->waiting = false;
	struct ear_flow_event event = hart->wait;
	event.target = pc;
	return do_transfer(hart, &event, hart->wait_position);
}

static void do_set(struct hart *hart, const struct ear_flow_event *event)
{
	struct pending *pending = &hart->pending;
	unsigned how = event->flags & (EAR_FLOW_PART | EAR_FLOW_OFFSET);

	if (how == EAR_FLOW_PART) {
		if (pending->set && pending->building)
			pending->value = event->target;
		pending->building = false;
		return;
	}
	if (!pending->set) {
		bool same = event->flags & EAR_FLOW_SP_SAME;
		pending->leave_known =
			same ? hart->sp_known : !(event->flags & EAR_FLOW_SP_UNKNOWN);
		pending->leave = !pending->leave_known ? 0 : same ? hart->sp : event->sp;
	}
	pending->from_frame_pointer = how == EAR_FLOW_OFFSET && pending->leave_known &&
				      (!pending->set || pending->from_frame_pointer);
	pending->building = how == (EAR_FLOW_PART | EAR_FLOW_OFFSET);
	pending->value = event->target;
	pending->set = true;
}

/* Frames that were entered before sp was known all have the sp that is known now. */
static void do_was(struct hart *hart, const struct ear_flow_event *event)
{
	if (event->flags & EAR_FLOW_SP_SAME) {
		if (hart->sp_known)
			return;
		hart->sp = event->target;
		hart->sp_known = true;
	}
	if (!hart->pending.set)
		ear_call_stack_complete_sp(ear_call_stack_current(hart), event->target);
}

static void do_gap(struct hart *hart, uint64_t position)
{
	hart->now = position;
	ear_call_stack_forget(hart, position);
	hart->broken = hart->begun = true;
}

static int do_begin(struct ear_call_stacks *stacks, struct hart *hart,
	const struct ear_flow_event *event, uint64_t position)
{
	bool follows = event->flags & EAR_FLOW_PART ||
		       (event->flags & EAR_FLOW_OFFSET && stacks->has_index &&
			       event->pc == stacks->next_index);

	if (hart->has_index && event->pc != hart->next_index && !follows)
		do_gap(hart, position);
	if (!hart->begun)
		ear_call_stack_current(hart)->base_position = position;
	hart->begun = true;
	return arrive(hart, event->target);
}

static int do_handler(struct hart *hart, const struct ear_flow_event *event, uint64_t position)
{
	struct ear_flow_event made = *event;

	if (event->flags & EAR_FLOW_PART) { /* the part before knew */
		if (!hart->has_last || hart->last_stopped)
			return 0;
		made.target = hart->next_pc;
	}
	/* Where the next pc is not known, no xRET goes there: 1 is no address of an instruction. */
	bool known = event->flags & EAR_FLOW_PART ? hart->has_next_pc
						  : !(event->flags & EAR_FLOW_NO_TARGET);
	made.pc = known ? made.target : 1;
	made.target = event->pc;
	return do_transfer(hart, &made, position);
}

static void do_sync(
	struct ear_call_stacks *stacks, struct hart *hart, const struct ear_flow_event *event)
{
	if (!(event->flags & EAR_FLOW_SP_SAME)) {
		hart->sp_known = !(event->flags & EAR_FLOW_SP_UNKNOWN);
		hart->sp = hart->sp_known ? event->sp : 0;
	}
	if (event->flags & EAR_FLOW_SHORT)
		return;
	hart->has_index = hart->has_last = !(event->flags & EAR_FLOW_OFFSET);
	hart->next_index = hart->has_index ? event->pc : 0;
	hart->last_stopped = hart->has_last && event->flags & EAR_FLOW_PART;
	hart->has_next_pc = hart->has_last && !(event->flags & EAR_FLOW_NO_TARGET);
	hart->next_pc = hart->has_next_pc ? event->target : 0;
	if (event->flags & EAR_FLOW_BY_X5) {
		stacks->next_index = event->pc;
		stacks->has_index = true;
	}
}

static void do_foreign(struct hart *hart, uint64_t position)
{
	hart->now = position;
	ear_call_stack_forget(hart, 0);
	hart->foreign = true;
}

static int push_event(struct ear_call_stacks *stacks, struct hart *hart,
	const struct ear_flow_event *event, uint64_t position)
{
	if (hart->foreign)
		return 0;
	switch (event->kind) {
	case EAR_FLOW_CALL:
	case EAR_FLOW_SWAP:
	case EAR_FLOW_RETURN:
	case EAR_FLOW_JUMP:
	case EAR_FLOW_TRAP:
	case EAR_FLOW_INTERRUPT:
	case EAR_FLOW_XRET:
		if (event->flags & EAR_FLOW_NO_TARGET) {
			hart->waiting = true;
			hart->wait = *event;
			hart->wait_position = position;
			settle_sp(hart, &hart->wait);
			return 0;
		}
		return do_transfer(hart, event, position);
	case EAR_FLOW_SET: do_set(hart, event); return 0;
	case EAR_FLOW_WAS: do_was(hart, event); return 0;
	case EAR_FLOW_AT: return arrive(hart, event->target);
	case EAR_FLOW_HANDLER: return do_handler(hart, event, position);
	case EAR_FLOW_GAP: do_gap(hart, position); return 0;
	case EAR_FLOW_BEGIN: return do_begin(stacks, hart, event, position);
	case EAR_FLOW_SYNC: do_sync(stacks, hart, event); return 0;
	case EAR_FLOW_FOREIGN: do_foreign(hart, position); return 0;
	}
	return 0;
}

int ear_call_stacks_push(struct ear_call_stacks *stacks, const struct ear_flow_event *events,
	size_t count, uint64_t position)
{
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		struct hart *hart = find_hart(stacks, events[i].hart, &result);
		if (!hart)
			return result;
		result = push_event(stacks, hart, &events[i], position + events[i].position);
		if (result < 0)
			return result;
	}
	return 0;
}

static const struct hart *look_up(const struct ear_call_stacks *stacks, uint16_t number)
{
	for (size_t i = 0; i < stacks->hart_count; i++) {
		if (stacks->harts[i].number == number)
			return &stacks->harts[i];
	}
	return NULL;
}

static struct ear_call_frame show_base(const struct stack *stack)
{
	return (struct ear_call_frame){
		.kind = EAR_FRAME_BASE,
		.position = stack ? stack->base_position : 0,
		.entry = stack && stack->base_seen ? stack->base_entry : 0,
		.stack = stack ? stack->number : 0,
	};
}

int ear_call_stack_frames(const struct ear_call_stacks *stacks, uint16_t number,
	struct ear_call_frame *frames, size_t max)
{
	const struct hart *hart = look_up(stacks, number);
	const struct stack *stack = NULL;
	size_t count = 0;

	if (hart && hart->foreign)
		return EAR_E_UNSUPPORTED;
	for (uint32_t at = hart ? hart->current : NO_STACK; at != NO_STACK;
		at = ear_call_stack_by_number(hart, stack->parent)) {
		stack = &hart->stacks[at];
		for (size_t i = stack->count; i > 0; i--, count++) {
			if (count < max)
				frames[count] = ear_call_stack_show(stack, &stack->frames[i - 1]);
		}
	}
	/* The bases of the stacks above are the handler, or whatever it was, that continues. */
	if (count < max) {
		frames[count] = show_base(stack);
	}
	return (int)(count + 1);
}

/* Of the newest frame of the stack at a position. Parents make no circle. */
static uint32_t number_newest(
	struct hart *hart, uint32_t at, ear_call_stack_make *make, void *context)
{
	struct stack *stack = &hart->stacks[at];
	size_t first = stack->count;

	while (first > 0 && stack->frames[first - 1].number == 0)
		first--;
	uint32_t number = first > 0 ? stack->frames[first - 1].number : stack->base_number;
	if (number == 0) {
		uint32_t parent = ear_call_stack_by_number(hart, stack->parent);
		struct ear_call_frame base = show_base(stack);
		number = parent != NO_STACK ? number_newest(hart, parent, make, context)
					    : make(context, 0, &base);
		stack->base_number = number;
	}
	for (; first < stack->count; first++) {
		struct ear_call_frame frame = ear_call_stack_show(stack, &stack->frames[first]);
		number = make(context, number, &frame);
		stack->frames[first].number = number;
	}
	return number;
}

uint32_t ear_call_stack_newest(
	struct ear_call_stacks *stacks, uint16_t number, ear_call_stack_make *make, void *context)
{
	struct hart *hart = (struct hart *)look_up(stacks, number);

	return hart && !hart->foreign ? number_newest(hart, hart->current, make, context) : 0;
}

void ear_call_stack_number(
	struct ear_call_stacks *stacks, uint16_t number, ear_call_stack_make *make, void *context)
{
	struct hart *hart = (struct hart *)look_up(stacks, number);

	for (uint32_t i = 0; hart && !hart->foreign && i < hart->stack_count; i++) {
		const struct stack *stack = &hart->stacks[i];
		if (stack->count > 0 || stack->base_seen || stack->parent != NO_STACK)
			number_newest(hart, i, make, context);
	}
}

void ear_call_stacks_watch(struct ear_call_stacks *stacks, const struct ear_call_stack_watch *watch)
{
	stacks->watch = *watch;
	for (size_t i = 0; i < stacks->hart_count; i++) {
		stacks->harts[i].watch = &stacks->watch;
		for (uint32_t j = 0; j < stacks->harts[i].stack_count; j++)
			ear_call_stack_enter_all(&stacks->harts[i], j);
	}
}

uint32_t ear_call_stack_mark(const struct ear_call_stacks *stacks, uint16_t number)
{
	const struct hart *hart = look_up(stacks, number);

	return hart && !hart->foreign ? ear_call_stack_newest_mark(hart) : 0;
}

size_t ear_call_stack_hart_count(const struct ear_call_stacks *stacks)
{
	return stacks->hart_count;
}

uint16_t ear_call_stack_hart(const struct ear_call_stacks *stacks, size_t place)
{
	return stacks->harts[place].number;
}

bool ear_call_stack_depth(
	const struct ear_call_stacks *stacks, uint16_t number, struct ear_call_depth *depth)
{
	const struct hart *hart = look_up(stacks, number);

	if (!hart || hart->foreign)
		return false;
	depth->depth = hart->parent_depth + ear_call_stack_own_depth(ear_call_stack_current(hart));
	depth->lowest = hart->lowest;
	depth->broken = hart->broken;
	return true;
}

void ear_call_stack_begin_interval(struct ear_call_stacks *stacks)
{
	for (size_t i = 0; i < stacks->hart_count; i++) {
		struct hart *hart = &stacks->harts[i];
		hart->lowest =
			hart->parent_depth + ear_call_stack_own_depth(ear_call_stack_current(hart));
		hart->broken = false;
	}
}
