/* Writes the stacks of a trace into bytes, and reads them back.
 *
 * All numbers are variable-length (7 bits a byte, low first), those of a frame as differences from
 * the frame below it, since neighbours are close: a frame takes some 10 bytes. A delta leaves out
 * the bottom frames of each stack that are as in the last save. What is read is built beside what
 * was there and checked before it replaces it.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "library/stack/call_stack.h"
#include "library/stack/call_stack_private.h"

#define VERSION 1

enum hart_flag {
	HART_FOREIGN = 1 << 0,
	HART_BEGUN = 1 << 1,
	HART_SP_KNOWN = 1 << 2,
	HART_HAS_NEXT_PC = 1 << 3,
	HART_HAS_INDEX = 1 << 4,
	HART_HAS_LAST = 1 << 5,
	HART_LAST_STOPPED = 1 << 6,
	HART_WAITING = 1 << 7,
	HART_PENDING = 1 << 8,
	HART_BUILDING = 1 << 9,
	HART_FROM_FRAME_POINTER = 1 << 10,
	HART_LEAVE_KNOWN = 1 << 11,
};

enum stack_flag {
	STACK_BASE_SEEN = 1 << 0,
	STACK_START_KNOWN = 1 << 1,
	STACK_LEFT_KNOWN = 1 << 2,
	STACK_EXTENT_KNOWN = 1 << 3,
};

struct output {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed;
};

static void put(struct output *output, uint64_t value)
{
	if (output->failed ||
		!EAR_ARRAY_RESERVE(output->bytes, &output->capacity, output->size + 10)) {
		output->failed = true;
		return;
	}
	for (; value >= 0x80; value >>= 7)
		output->bytes[output->size++] = (uint8_t)(value | 0x80);
	output->bytes[output->size++] = (uint8_t)value;
}

/* Small numbers of either sign. */
static uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t folded)
{
	return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

static void put_difference(struct output *output, uint64_t value, uint64_t before)
{
	put(output, fold(value - before));
}

struct input {
	const uint8_t *bytes;
	size_t size;
	bool failed; /* the bytes are none of ours, or end */
};

static uint64_t take(struct input *input)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && input->size > 0; shift += 7) {
		uint8_t byte = *input->bytes++;
		input->size--;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			return value;
	}
	input->failed = true;
	return 0;
}

static uint64_t take_difference(struct input *input, uint64_t before)
{
	return before + unfold(take(input));
}

/* A number that must be less than end. */
static uint32_t take_less(struct input *input, uint64_t end)
{
	uint64_t value = take(input);

	if (value >= end)
		input->failed = true;
	return input->failed ? 0 : (uint32_t)value;
}

static void put_frame(struct output *output, const struct frame *frame, const struct frame *below)
{
	put(output, frame->kind | (frame->sp_known ? 4u : 0u));
	put_difference(output, frame->position, below->position);
	put_difference(output, frame->call_pc, below->entry);
	put_difference(output, frame->entry, frame->call_pc);
	put_difference(output, frame->return_pc, frame->call_pc);
	if (frame->sp_known)
		put_difference(output, frame->sp, below->sp);
}

static struct frame take_frame(struct input *input, const struct frame *below)
{
	struct frame frame = {0};
	uint32_t kind = take_less(input, 8);

	frame.kind = kind & 3;
	frame.sp_known = kind & 4;
	if (frame.kind == EAR_FRAME_BASE)
		input->failed = true;
	frame.position = take_difference(input, below->position);
	frame.call_pc = take_difference(input, below->entry);
	frame.entry = take_difference(input, frame.call_pc);
	frame.return_pc = take_difference(input, frame.call_pc);
	frame.sp = frame.sp_known ? take_difference(input, below->sp) : 0;
	return frame;
}

/* What the first frame of a stack is compared with. */
static struct frame base_of(const struct stack *stack)
{
	return (struct frame){
		.position = stack->base_position,
		.entry = stack->base_entry,
		.sp = stack->high,
	};
}

static void put_stack(struct output *output, const struct stack *stack, bool full)
{
	size_t shared = full ? 0 : stack->shared;

	put(output, stack->number);
	put(output, (uint32_t)(stack->parent + 1));
	put(output, (stack->base_seen ? STACK_BASE_SEEN : 0u) |
			    (stack->start_known ? STACK_START_KNOWN : 0u) |
			    (stack->left_known ? STACK_LEFT_KNOWN : 0u) |
			    (stack->extent_known ? STACK_EXTENT_KNOWN : 0u));
	put(output, stack->base_position);
	put(output, stack->base_entry);
	put(output, fold((uint64_t)stack->base_depth));
	put(output, stack->high);
	put_difference(output, stack->low, stack->high);
	put_difference(output, stack->start, stack->high);
	put_difference(output, stack->left, stack->high);
	put(output, stack->left_at);
	put(output, stack->arrival);
	if (stack->arrival != ARRIVAL_NONE)
		put(output, stack->arrival_count);
	put(output, shared);
	put(output, stack->count - shared);
	for (size_t i = shared; i < stack->count; i++) {
		struct frame below = i > 0 ? stack->frames[i - 1] : base_of(stack);
		put_frame(output, &stack->frames[i], &below);
	}
}

/* before: the hart in the state that a delta changes, or NULL; shared frames are moved from it. */
static int take_stack(struct input *input, struct stack *stack, struct hart *before)
{
	*stack = (struct stack){.number = take_less(input, UINT32_MAX)};
	stack->parent = (uint32_t)take_less(input, UINT32_MAX) - 1;
	uint32_t flags = take_less(input, 16);
	stack->base_seen = flags & STACK_BASE_SEEN;
	stack->start_known = flags & STACK_START_KNOWN;
	stack->left_known = flags & STACK_LEFT_KNOWN;
	stack->extent_known = flags & STACK_EXTENT_KNOWN;
	stack->base_position = take(input);
	stack->base_entry = take(input);
	stack->base_depth = (int64_t)unfold(take(input));
	stack->high = take(input);
	stack->low = take_difference(input, stack->high);
	stack->start = take_difference(input, stack->high);
	stack->left = take_difference(input, stack->high);
	stack->left_at = take(input);
	stack->arrival = (enum arrival)take_less(input, ARRIVAL_NEW + 1);
	if (stack->arrival != ARRIVAL_NONE)
		stack->arrival_count = take_less(input, EAR_CALL_FRAMES_MAX + 1);
	/* Depths are added up: what no program reaches would overflow. */
	if (stack->base_depth > INT32_MAX || stack->base_depth < -(int64_t)UINT32_MAX * 1024)
		input->failed = true;
	size_t shared = take_less(input, EAR_CALL_FRAMES_MAX + 1);
	size_t added = take_less(input, EAR_CALL_FRAMES_MAX + 1);
	/* A frame has 5 bytes or more: what is not there is not allocated. */
	if (input->failed || added > input->size / 5)
		return EAR_E_BAD_FILE;
	if (shared > 0) {
		uint32_t at = before ? ear_call_stack_by_number(before, stack->number) : NO_STACK;
		if (at == NO_STACK || before->stacks[at].count < shared)
			return EAR_E_BAD_FILE;
		stack->frames = before->stacks[at].frames;
		stack->capacity = before->stacks[at].capacity;
		before->stacks[at].frames = NULL;
		before->stacks[at].count = before->stacks[at].capacity = 0;
	}
	int result = ear_call_stack_reserve(stack, shared + added);
	if (result < 0)
		return result;
	stack->count = shared;
	for (size_t i = 0; i < added; i++) {
		struct frame below =
			stack->count > 0 ? stack->frames[stack->count - 1] : base_of(stack);
		stack->frames[stack->count++] = take_frame(input, &below);
	}
	return 0;
}

static uint32_t flags_of(const struct hart *hart)
{
	return (hart->foreign ? HART_FOREIGN : 0u) | (hart->begun ? HART_BEGUN : 0u) |
	       (hart->sp_known ? HART_SP_KNOWN : 0u) | (hart->has_next_pc ? HART_HAS_NEXT_PC : 0u) |
	       (hart->has_index ? HART_HAS_INDEX : 0u) | (hart->has_last ? HART_HAS_LAST : 0u) |
	       (hart->last_stopped ? HART_LAST_STOPPED : 0u) | (hart->waiting ? HART_WAITING : 0u) |
	       (hart->pending.set ? HART_PENDING : 0u) |
	       (hart->pending.building ? HART_BUILDING : 0u) |
	       (hart->pending.from_frame_pointer ? HART_FROM_FRAME_POINTER : 0u) |
	       (hart->pending.leave_known ? HART_LEAVE_KNOWN : 0u);
}

static void take_flags(struct input *input, struct hart *hart)
{
	uint32_t flags = take_less(input, 1 << 12);

	hart->foreign = flags & HART_FOREIGN;
	hart->begun = flags & HART_BEGUN;
	hart->sp_known = flags & HART_SP_KNOWN;
	hart->has_next_pc = flags & HART_HAS_NEXT_PC;
	hart->has_index = flags & HART_HAS_INDEX;
	hart->has_last = flags & HART_HAS_LAST;
	hart->last_stopped = flags & HART_LAST_STOPPED;
	hart->waiting = flags & HART_WAITING;
	hart->pending.set = flags & HART_PENDING;
	hart->pending.building = flags & HART_BUILDING;
	hart->pending.from_frame_pointer = flags & HART_FROM_FRAME_POINTER;
	hart->pending.leave_known = flags & HART_LEAVE_KNOWN;
}

static void put_hart(struct output *output, const struct hart *hart, bool full)
{
	put(output, hart->number);
	put(output, flags_of(hart));
	put(output, hart->sp);
	put(output, hart->next_pc);
	put(output, hart->next_index);
	if (hart->waiting) {
		put(output, hart->wait_position);
		put(output, hart->wait.pc);
		put(output, hart->wait.sp);
		put(output, hart->wait.kind);
		put(output, hart->wait.flags);
	}
	if (hart->pending.set) {
		put_difference(output, hart->pending.leave, hart->sp);
		put_difference(output, hart->pending.value, hart->sp);
	}
	put(output, hart->next_number);
	put(output, hart->switches);
	put(output, hart->current);
	put(output, hart->stack_count);
	for (uint32_t i = 0; i < hart->stack_count; i++)
		put_stack(output, &hart->stacks[i], full);
}

/* Does each chain of stacks end, and does no number occur twice? */
static bool is_sound(const struct hart *hart)
{
	size_t frames = 0;

	for (uint32_t i = 0; i < hart->stack_count; i++) {
		const struct stack *stack = &hart->stacks[i];
		frames += stack->count;
		if (ear_call_stack_by_number(hart, stack->number) != i ||
			stack->number >= hart->next_number)
			return false;
		uint32_t steps = 0;
		for (uint32_t at = i; at != NO_STACK; steps++) {
			if (steps == hart->stack_count)
				return false;
			at = ear_call_stack_by_number(hart, hart->stacks[at].parent);
		}
	}
	return frames <= EAR_CALL_FRAMES_MAX;
}

static int take_stacks(struct input *input, struct hart *hart, struct hart *before)
{
	size_t frames = 0;

	hart->current = take_less(input, EAR_CALL_STACKS_MAX);
	uint32_t count = take_less(input, EAR_CALL_STACKS_MAX + 1);
	if (input->failed || hart->current >= count)
		return EAR_E_BAD_FILE;
	hart->stacks = malloc(EAR_CALL_STACKS_MAX * sizeof(*hart->stacks));
	if (!hart->stacks)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		hart->stack_count = i + 1; /* so that its frames are freed */
		int result = take_stack(input, &hart->stacks[i], before);
		if (result < 0)
			return result;
		frames += hart->stacks[i].count;
		if (frames > EAR_CALL_FRAMES_MAX)
			return EAR_E_BAD_FILE;
	}
	if (input->failed || !is_sound(hart))
		return EAR_E_BAD_FILE;
	hart->frame_count = frames;
	hart->parent_depth = ear_call_stack_total_depth(
		hart, ear_call_stack_by_number(hart, hart->stacks[hart->current].parent));
	hart->lowest = hart->parent_depth + ear_call_stack_own_depth(&hart->stacks[hart->current]);
	return 0;
}

static int take_hart(struct input *input, struct hart *hart, struct ear_call_stacks *before)
{
	struct hart *old = NULL;

	*hart = (struct hart){.number = (uint16_t)take_less(input, UINT16_MAX + 1)};
	take_flags(input, hart);
	hart->sp = take(input);
	hart->next_pc = take(input);
	hart->next_index = take(input);
	if (hart->waiting) {
		hart->wait_position = take(input);
		hart->wait.hart = hart->number;
		hart->wait.pc = take(input);
		hart->wait.sp = take(input);
		hart->wait.kind = (uint8_t)take_less(input, EAR_FLOW_XRET + 1);
		hart->wait.flags = (uint8_t)take_less(input, UINT8_MAX + 1);
	}
	if (hart->pending.set) {
		hart->pending.leave = take_difference(input, hart->sp);
		hart->pending.value = take_difference(input, hart->sp);
	}
	hart->next_number = take_less(input, UINT32_MAX / 2);
	hart->switches = take(input);
	for (size_t i = 0; before && i < before->hart_count; i++) {
		if (before->harts[i].number == hart->number)
			old = &before->harts[i];
	}
	return input->failed ? EAR_E_BAD_FILE : take_stacks(input, hart, old);
}

static struct output put_stacks(const struct ear_call_stacks *stacks, bool full)
{
	struct output output = {0};

	put(&output, VERSION);
	put(&output, full);
	put(&output, full ? 0 : stacks->saves);
	put(&output, stacks->has_index);
	put(&output, stacks->next_index);
	put(&output, stacks->hart_count);
	for (size_t i = 0; i < stacks->hart_count; i++)
		put_hart(&output, &stacks->harts[i], full);
	return output;
}

int ear_call_stacks_save(struct ear_call_stacks *stacks, bool full, uint8_t **bytes, size_t *size)
{
	full = full || !stacks->saved;
	struct output output = put_stacks(stacks, full);
	if (output.failed) {
		free(output.bytes);
		return EAR_E_NO_MEMORY;
	}
	for (size_t i = 0; i < stacks->hart_count; i++) {
		struct hart *hart = &stacks->harts[i];
		for (uint32_t j = 0; j < hart->stack_count; j++)
			hart->stacks[j].shared = hart->stacks[j].count;
	}
	stacks->saves = full ? 1 : stacks->saves + 1;
	stacks->saved = true;
	*bytes = output.bytes;
	*size = output.size;
	return 0;
}

static int take_harts(
	struct input *input, struct ear_call_stacks *made, struct ear_call_stacks *before)
{
	uint32_t count = take_less(input, EAR_FLOW_HARTS_MAX + 1);

	/* A hart has 8 bytes or more. */
	if (input->failed || count > input->size / 8)
		return EAR_E_BAD_FILE;
	made->harts = count ? malloc(count * sizeof(*made->harts)) : NULL;
	if (count && !made->harts)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		made->hart_count = i + 1;
		int result = take_hart(input, &made->harts[i], before);
		if (result < 0)
			return result;
		for (uint32_t j = 0; j < i; j++) {
			if (made->harts[j].number == made->harts[i].number)
				return EAR_E_BAD_FILE;
		}
	}
	return input->failed || input->size > 0 ? EAR_E_BAD_FILE : 0;
}

int ear_call_stacks_load(struct ear_call_stacks *stacks, const uint8_t *bytes, size_t size)
{
	struct input input = {.bytes = bytes, .size = size};
	struct ear_call_stacks made = {.saved = true};
	int result = EAR_E_BAD_FILE;

	uint32_t version = take_less(&input, VERSION + 1);
	bool full = take_less(&input, 2);
	uint64_t saves = take(&input);
	made.has_index = take_less(&input, 2);
	made.next_index = take(&input);
	made.saves = saves + 1;
	bool fits = full ? saves == 0 : stacks->saved && stacks->saves == saves;
	if (!input.failed && version == VERSION && fits)
		result = take_harts(&input, &made, full ? NULL : stacks);
	/* What is loaded has no watch. */
	stacks->watch = (struct ear_call_stack_watch){0};
	ear_call_stacks_reset(stacks);
	if (result < 0) {
		ear_call_stacks_reset(&made);
		return result;
	}
	for (size_t i = 0; i < made.hart_count; i++) {
		for (uint32_t j = 0; j < made.harts[i].stack_count; j++)
			made.harts[i].stacks[j].shared = made.harts[i].stacks[j].count;
	}
	*stacks = made;
	return 0;
}

int ear_call_stacks_copy(struct ear_call_stacks *stacks, const struct ear_call_stacks *from)
{
	struct output output = put_stacks(from, true);
	int result = output.failed ? EAR_E_NO_MEMORY
				   : ear_call_stacks_load(stacks, output.bytes, output.size);

	free(output.bytes);
	return result;
}
