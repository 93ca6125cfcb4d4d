#ifndef EAR_RETURN_STACK_H
#define EAR_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/state_walk.h"

#define EAR_RETURN_STACK_MAX 1024u

/* The return addresses that the encoder of a branch trace keeps, so that returns to them need no
 * message. A push onto a full stack drops the oldest address.
 *
 * All zero is one of depth 0, which holds nothing; depth is set by its user.
 */
struct ear_return_stack {
	uint32_t depth; /* at most EAR_RETURN_STACK_MAX */
	uint32_t count;
	uint32_t next; /* where the next address goes; below depth */
	uint64_t addresses[EAR_RETURN_STACK_MAX];
};

static inline void ear_return_stack_push(struct ear_return_stack *stack, uint64_t address)
{
	if (stack->depth == 0)
		return;
	stack->addresses[stack->next] = address;
	stack->next = stack->next + 1 == stack->depth ? 0 : stack->next + 1;
	stack->count += stack->count < stack->depth;
}

/* Returns false, and leaves *address, if the stack is empty. */
static inline bool ear_return_stack_pop(struct ear_return_stack *stack, uint64_t *address)
{
	if (stack->count == 0)
		return false;
	stack->count--;
	stack->next = (stack->next == 0 ? stack->depth : stack->next) - 1;
	*address = stack->addresses[stack->next];
	return true;
}

/* The address that the next pop gives; the stack is not empty. */
static inline uint64_t ear_return_stack_top(const struct ear_return_stack *stack)
{
	return stack->addresses[(stack->next == 0 ? stack->depth : stack->next) - 1];
}

static inline void ear_return_stack_clear(struct ear_return_stack *stack)
{
	stack->count = stack->next = 0;
}

/* Measure, save or load the addresses (common/state_walk.h); the depth is that of the options. */
static inline void ear_return_stack_walk(
	struct ear_return_stack *stack, struct ear_state_walk *walk)
{
	uint32_t count = (uint32_t)ear_state_value(walk, stack->count, 4, stack->depth);
	uint32_t at = stack->next + (stack->next < count ? stack->depth : 0) - count;

	if (walk->loading) {
		stack->count = walk->bad ? 0 : count;
		stack->next = stack->count == stack->depth ? 0 : stack->count;
		at = 0;
	}
	for (uint32_t i = 0; i < stack->count; i++, at++) {
		at = at == stack->depth ? 0 : at;
		ear_state_u64(walk, &stack->addresses[at], UINT64_MAX);
	}
}

#endif
