/* The stacks of a hart: their frames, and which of them is the current one.
 *
 * sp identifies a stack. Where sp is set to the very value that it had when a stack was left, that
 * one is resumed; a value between the least and the greatest sp seen in a stack belongs to it;
 * every other value is a new one. The limits keep a trace of nonsense in bounds: what was left
 * longest ago is dropped first, then what is deepest.
 */
#include "library/stack/call_stack_switch.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A frame pointer restores sp within a stack: it rises, but no more than this. */
#define FRAME_POINTER_RISE (1u << 20)

struct ear_call_frame ear_call_stack_show(const struct stack *stack, const struct frame *frame)
{
	return (struct ear_call_frame){
		.kind = frame->kind,
		.sp_known = frame->sp_known,
		.position = frame->position,
		.call_pc = frame->call_pc,
		.entry = frame->entry,
		.return_pc = frame->return_pc,
		.sp = frame->sp,
		.stack = stack->number,
	};
}

/* Frames end .. count - 1 of a stack end; returned: the lowest of them in good order. */
static void report_left(const struct hart *hart, const struct stack *stack, size_t end,
	size_t count, enum ear_call_stack_end how, bool returned)
{
	if (!hart->watch || !hart->watch->left)
		return;
	for (size_t i = count; i > end; i--) {
		const struct frame *frame = &stack->frames[i - 1];
		const struct ear_call_frame shown = ear_call_stack_show(stack, frame);
		hart->watch->left(hart->watch->context, hart->number, &shown, frame->mark,
			returned && i == end + 1 ? EAR_CALL_STACK_RETURNED : how, hart->now);
	}
}

static void drop_stacks(struct hart *hart)
{
	for (uint32_t i = 0; i < hart->stack_count; i++) {
		report_left(hart, &hart->stacks[i], 0, hart->stacks[i].count,
			EAR_CALL_STACK_FORGOTTEN, false);
		free(hart->stacks[i].frames);
	}
	hart->stack_count = 0;
	hart->frame_count = 0;
}

void ear_call_stack_drop_hart(struct hart *hart)
{
	drop_stacks(hart);
	free(hart->stacks);
	hart->stacks = NULL;
}

struct stack *ear_call_stack_current(const struct hart *hart)
{
	return &hart->stacks[hart->current];
}

static struct stack make_stack(struct hart *hart, uint64_t position)
{
	return (struct stack){
		.number = hart->next_number++,
		.parent = NO_STACK,
		.base_position = position,
	};
}

/* Nothing is known: one stack, of which nothing is known. */
void ear_call_stack_forget(struct hart *hart, uint64_t position)
{
	drop_stacks(hart);
	hart->stacks[0] = make_stack(hart, position);
	hart->stack_count = 1;
	hart->current = 0;
	hart->parent_depth = 0;
	hart->lowest = 0;
	hart->pending = (struct pending){0};
	hart->sp = hart->next_pc = hart->next_index = 0;
	hart->sp_known = hart->has_last = hart->has_index = hart->has_next_pc = false;
	hart->waiting = false;
}

uint32_t ear_call_stack_by_number(const struct hart *hart, uint32_t number)
{
	for (uint32_t i = 0; i < hart->stack_count && number != NO_STACK; i++) {
		if (hart->stacks[i].number == number)
			return i;
	}
	return NO_STACK;
}

int64_t ear_call_stack_own_depth(const struct stack *stack)
{
	return stack->base_depth + (int64_t)stack->count;
}

/* Parents make no circle: link_parent. */
int64_t ear_call_stack_total_depth(const struct hart *hart, uint32_t at)
{
	int64_t depth = 0;

	while (at != NO_STACK) {
		depth += ear_call_stack_own_depth(&hart->stacks[at]);
		at = ear_call_stack_by_number(hart, hart->stacks[at].parent);
	}
	return depth;
}

static void note_depth(struct hart *hart)
{
	int64_t depth = hart->parent_depth + ear_call_stack_own_depth(ear_call_stack_current(hart));

	if (depth < hart->lowest)
		hart->lowest = depth;
}

/* The current stack, or what is below it, is another one. */
static void note_stack(struct hart *hart)
{
	const struct stack *stack = ear_call_stack_current(hart);

	hart->parent_depth =
		ear_call_stack_total_depth(hart, ear_call_stack_by_number(hart, stack->parent));
	note_depth(hart);
}

static void truncate_stack(struct hart *hart, struct stack *stack, size_t count, bool returned)
{
	report_left(hart, stack, count, stack->count, EAR_CALL_STACK_UNWOUND, returned);
	hart->frame_count -= stack->count - count;
	stack->count = count;
	if (stack->shared > count)
		stack->shared = count;
}

void ear_call_stack_pop_to(struct hart *hart, size_t count)
{
	truncate_stack(hart, ear_call_stack_current(hart), count, false);
	note_depth(hart);
}

void ear_call_stack_return_to(struct hart *hart, size_t count)
{
	truncate_stack(hart, ear_call_stack_current(hart), count, true);
	note_depth(hart);
}

/* The base has returned: what runs now is who called it. */
void ear_call_stack_return_above_base(struct hart *hart, uint64_t position, uint64_t pc)
{
	struct stack *stack = ear_call_stack_current(hart);

	stack->base_depth--;
	stack->base_position = position;
	stack->base_entry = pc;
	stack->base_seen = true;
	stack->base_number = 0;
	stack->parent = NO_STACK;
	note_stack(hart);
}

/* A task begins in the current stack. */
void ear_call_stack_begin_task(struct hart *hart, uint64_t position, uint64_t pc)
{
	struct stack *stack = ear_call_stack_current(hart);

	truncate_stack(hart, stack, 0, false);
	stack->parent = NO_STACK;
	stack->base_number = 0;
	stack->base_depth = 0;
	stack->base_position = position;
	stack->base_entry = pc;
	stack->base_seen = true;
	note_stack(hart);
}

int ear_call_stack_reserve(struct stack *stack, size_t count)
{
	return EAR_ARRAY_RESERVE(stack->frames, &stack->capacity, count) ? 0 : EAR_E_NO_MEMORY;
}

static void remove_stack(struct hart *hart, uint32_t at)
{
	struct stack *stack = &hart->stacks[at];

	assert(at != hart->current);
	report_left(hart, stack, 0, stack->count, EAR_CALL_STACK_FORGOTTEN, false);
	hart->frame_count -= stack->count;
	free(stack->frames);
	uint32_t last = --hart->stack_count;
	if (at != last)
		*stack = hart->stacks[last];
	if (hart->current == last)
		hart->current = at;
}

static bool is_below_current(const struct hart *hart, uint32_t at)
{
	for (uint32_t i = hart->current; i != NO_STACK;
		i = ear_call_stack_by_number(hart, hart->stacks[i].parent)) {
		if (i == at)
			return true;
	}
	return false;
}

/* The stack that was left longest ago, NO_STACK if all are in use. */
static uint32_t oldest_stack(const struct hart *hart)
{
	uint32_t oldest = NO_STACK;

	for (uint32_t i = 0; i < hart->stack_count; i++) {
		if (is_below_current(hart, i))
			continue;
		if (oldest == NO_STACK || hart->stacks[i].left_at < hart->stacks[oldest].left_at)
			oldest = i;
	}
	return oldest;
}

/* There are too many frames: those of the oldest stack go, or half of the current one. */
static void drop_frames(struct hart *hart)
{
	uint32_t oldest = oldest_stack(hart);
	struct stack *stack = ear_call_stack_current(hart);

	if (oldest != NO_STACK) {
		remove_stack(hart, oldest);
		return;
	}
	if (stack->count < 2) { /* all are in stacks below */
		stack->parent = NO_STACK;
		stack->base_number = 0;
		note_stack(hart);
		return;
	}
	size_t dropped = stack->count / 2;
	report_left(hart, stack, 0, dropped, EAR_CALL_STACK_FORGOTTEN, false);
	const struct frame *base = &stack->frames[dropped - 1];
	stack->base_position = base->position;
	stack->base_entry = base->entry;
	stack->base_seen = true;
	stack->base_number = base->number;
	stack->base_depth += (int64_t)dropped;
	stack->count -= dropped;
	stack->shared = 0;
	hart->frame_count -= dropped;
	memmove(stack->frames, stack->frames + dropped, stack->count * sizeof(*stack->frames));
}

/* Of the newest frame of the stack at a position, or of what is below the stack. */
static uint32_t mark_of(const struct hart *hart, uint32_t at)
{
	while (at != NO_STACK && hart->stacks[at].count == 0)
		at = ear_call_stack_by_number(hart, hart->stacks[at].parent);
	return at == NO_STACK ? 0 : hart->stacks[at].frames[hart->stacks[at].count - 1].mark;
}

uint32_t ear_call_stack_newest_mark(const struct hart *hart)
{
	return mark_of(hart, hart->current);
}

static void report_entered(
	const struct hart *hart, const struct stack *stack, struct frame *frame, uint32_t below)
{
	if (!hart->watch || !hart->watch->entered)
		return;
	const struct ear_call_frame shown = ear_call_stack_show(stack, frame);
	frame->mark = hart->watch->entered(hart->watch->context, hart->number, &shown, below);
}

/* Parents make no circle. */
void ear_call_stack_enter_all(struct hart *hart, uint32_t at)
{
	struct stack *stack = &hart->stacks[at];
	const uint32_t parent = ear_call_stack_by_number(hart, stack->parent);

	if (stack->count == 0 || stack->frames[0].mark)
		return;
	for (uint32_t i = parent; i != NO_STACK;
		i = ear_call_stack_by_number(hart, hart->stacks[i].parent)) {
		if (hart->stacks[i].count > 0) {
			ear_call_stack_enter_all(hart, i);
			break;
		}
	}
	uint32_t below = mark_of(hart, parent);
	for (size_t i = 0; i < stack->count; i++) {
		report_entered(hart, stack, &stack->frames[i], below);
		below = stack->frames[i].mark;
	}
}

int ear_call_stack_push_frame(struct hart *hart, struct frame frame)
{
	while (hart->frame_count >= EAR_CALL_FRAMES_MAX)
		drop_frames(hart);
	struct stack *stack = ear_call_stack_current(hart);
	int result = ear_call_stack_reserve(stack, stack->count + 1);
	if (result < 0)
		return result;
	if (hart->watch && hart->watch->entered)
		report_entered(hart, stack, &frame, ear_call_stack_newest_mark(hart));
	stack->frames[stack->count++] = frame;
	hart->frame_count++;
	return 0;
}

void ear_call_stack_note_sp(struct stack *stack, uint64_t sp)
{
	if (!stack->extent_known) {
		stack->extent_known = true;
		stack->low = stack->high = sp;
	}
	stack->low = sp < stack->low ? sp : stack->low;
	stack->high = sp > stack->high ? sp : stack->high;
}

void ear_call_stack_complete_sp(struct stack *stack, uint64_t sp)
{
	ear_call_stack_note_sp(stack, sp);
	for (size_t i = stack->count; i > 0; i--) {
		struct frame *frame = &stack->frames[i - 1];
		if (frame->sp_known)
			continue;
		frame->sp = sp;
		frame->sp_known = true;
		if (stack->shared > i - 1)
			stack->shared = i - 1;
	}
}

static bool is_within(const struct stack *stack, uint64_t sp)
{
	return stack->extent_known && sp - stack->low <= stack->high - stack->low;
}

/* The hart runs in the current stack now, and came from the one at a position. Where it continues
 * what it did before (a handler that changes to its own stack), the frames of that are below.
 */
static void link_parent(struct hart *hart, uint32_t from)
{
	struct stack *stack = ear_call_stack_current(hart);

	if (stack->count == 0) {
		stack->base_number = 0;
		stack->parent = hart->stacks[from].number;
		for (uint32_t i = from; i != NO_STACK;
			i = ear_call_stack_by_number(hart, hart->stacks[i].parent)) {
			if (i == hart->current) { /* that would be a circle */
				stack->parent = NO_STACK;
				break;
			}
		}
	}
	note_stack(hart);
}

static void leave_stack(struct hart *hart, const struct pending *pending)
{
	struct stack *stack = ear_call_stack_current(hart);

	stack->left_known = pending->leave_known;
	stack->left = pending->leave_known ? pending->leave : 0;
	stack->left_at = ++hart->switches;
}

/* The stack that was left at a value of sp; of several the last one. */
static uint32_t find_left(const struct hart *hart, uint64_t sp)
{
	uint32_t found = NO_STACK;

	for (uint32_t i = 0; i < hart->stack_count; i++) {
		const struct stack *stack = &hart->stacks[i];
		if (i != hart->current && stack->left_known && stack->left == sp &&
			(found == NO_STACK || stack->left_at > hart->stacks[found].left_at))
			found = i;
	}
	return found;
}

static uint32_t find_around(const struct hart *hart, uint64_t sp)
{
	uint32_t found = NO_STACK;

	for (uint32_t i = 0; i < hart->stack_count; i++) {
		if (i != hart->current && is_within(&hart->stacks[i], sp) &&
			(found == NO_STACK ||
				hart->stacks[i].left_at > hart->stacks[found].left_at))
			found = i;
	}
	return found;
}

/* sp was set into a stack, but not to where it was left: from its top again, or above what was
 * pushed after sp was saved. */
static void enter_within(struct hart *hart, uint64_t sp)
{
	struct stack *stack = ear_call_stack_current(hart);
	size_t count = stack->count;

	if (stack->start_known && sp == stack->start)
		count = 0;
	while (count > 0 && stack->frames[count - 1].sp_known && stack->frames[count - 1].sp < sp)
		count--;
	truncate_stack(hart, stack, count, false);
}

static void enter_new(struct hart *hart, uint64_t position, uint64_t pc, uint64_t sp)
{
	if (hart->stack_count == EAR_CALL_STACKS_MAX) {
		uint32_t oldest = oldest_stack(hart);
		/* All of them on top of each other is no program. */
		remove_stack(hart, oldest != NO_STACK ? oldest : hart->current == 0);
	}
	struct stack *stack = &hart->stacks[hart->stack_count];
	*stack = make_stack(hart, position);
	stack->base_entry = pc;
	stack->base_seen = stack->start_known = true;
	stack->start = sp;
	hart->current = hart->stack_count++;
}

/* Nothing is known of where the stack is, as at a boot: it is where sp is set to now, unless a
 * handler does that. */
static bool is_unplaced(const struct stack *stack, const struct pending *pending)
{
	if (pending->leave_known || stack->extent_known)
		return false;
	for (size_t i = stack->count; i > 0; i--) {
		if (stack->frames[i - 1].kind != EAR_FRAME_CALL)
			return false;
	}
	return true;
}

/* A transfer comes: what sp was set to since the last one counts now. */
/* sp was set within the current stack. */
static enum arrival stay(struct stack *stack, uint64_t sp)
{
	if (!stack->extent_known) {
		stack->start_known = true;
		stack->start = sp;
	}
	ear_call_stack_note_sp(stack, sp);
	return ARRIVAL_SAME;
}

enum arrival ear_call_stack_settle(struct hart *hart, uint64_t position, uint64_t pc)
{
	struct pending pending = hart->pending;
	struct stack *stack = ear_call_stack_current(hart);
	uint32_t from_number = stack->number, found;
	enum arrival arrival = ARRIVAL_EXACT;

	if (!pending.set)
		return ARRIVAL_NONE;
	hart->pending = (struct pending){0};
	if (pending.leave_known)
		ear_call_stack_note_sp(stack, pending.leave);
	if (pending.leave_known && pending.value == pending.leave)
		return ARRIVAL_NONE;
	if (is_within(stack, pending.value))
		return stay(stack, pending.value);
	found = find_left(hart, pending.value);
	if (found == NO_STACK) {
		if (is_unplaced(stack, &pending) ||
			(pending.from_frame_pointer &&
				pending.value - pending.leave <= FRAME_POINTER_RISE))
			return stay(stack, pending.value);
		found = find_around(hart, pending.value);
		arrival = found == NO_STACK ? ARRIVAL_NEW : ARRIVAL_WITHIN;
	}
	if (found != NO_STACK && is_below_current(hart, found))
		arrival = ARRIVAL_BACK;
	leave_stack(hart, &pending);
	if (found == NO_STACK)
		enter_new(hart, position, pc, pending.value);
	else
		hart->current = found;
	stack = ear_call_stack_current(hart);
	if (found != NO_STACK && !(stack->left_known && stack->left == pending.value))
		enter_within(hart, pending.value);
	ear_call_stack_note_sp(stack, pending.value);
	uint32_t from = ear_call_stack_by_number(hart, from_number);
	if (from != NO_STACK)
		link_parent(hart, from);
	return arrival;
}

bool ear_call_frame_continues_at(const struct frame *frame, uint64_t pc)
{
	if (pc == frame->return_pc)
		return true;
	return frame->kind == EAR_FRAME_TRAP &&
	       (pc - frame->return_pc == 2 || pc - frame->return_pc == 4);
}

bool ear_call_stack_rejoin(struct hart *hart, uint64_t pc, uint64_t sp)
{
	uint32_t made = hart->current;
	const struct stack *left = &hart->stacks[made];

	for (uint32_t at = left->count ? NO_STACK : ear_call_stack_by_number(hart, left->parent);
		at != NO_STACK; at = ear_call_stack_by_number(hart, hart->stacks[at].parent)) {
		struct stack *stack = &hart->stacks[at];
		const struct frame *newest = stack->count ? &stack->frames[stack->count - 1] : NULL;
		if (!newest)
			continue;
		if (stack->extent_known || newest->sp_known || newest->kind == EAR_FRAME_CALL ||
			!ear_call_frame_continues_at(newest, pc))
			return false;
		uint32_t number = stack->number;
		ear_call_stack_complete_sp(stack, sp);
		ear_call_stack_note_sp(stack, left->low);
		ear_call_stack_note_sp(stack, left->high);
		hart->current = at;
		remove_stack(hart, made);
		hart->current = ear_call_stack_by_number(hart, number);
		note_stack(hart);
		return true;
	}
	return false;
}
