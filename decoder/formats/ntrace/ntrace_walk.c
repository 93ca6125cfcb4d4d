/* The walk over the program that one message stands for.
 *
 * To try it costs little: the table of instructions has the length of each straight piece, so the
 * walk hops from one branch or jump to the next. What an instruction does to the flow is one
 * function for both, so that what was tried is what is done.
 */
#include "decoder/formats/ntrace/ntrace_walk.h"

/* --- The flow --- */

/* The next outcome of the history. Returns false if there is none. */
static inline bool take_outcome(struct ear_ntrace_walk *walk, bool *taken)
{
	if (walk->count == 0) {
		if (walk->repeats == 0)
			return false;
		walk->repeats--;
		walk->history = walk->pattern;
		walk->count = walk->pattern_count;
	}
	walk->count--;
	*taken = walk->history >> walk->count & 1;
	return true;
}

static inline bool is_used_up(const struct ear_ntrace_walk *walk)
{
	return walk->count == 0 && walk->repeats == 0;
}

/* Is the instruction whose half-words were just taken off the last one of the message? */
static inline bool is_last(const struct ear_ntrace_walk *walk)
{
	return walk->left == 0 && !walk->more;
}

static bool branch(struct ear_ntrace_walk *walk, bool *taken)
{
	if (walk->by_history)
		return take_outcome(walk, taken);
	*taken = walk->taken_last && is_last(walk);
	return true;
}

/* A jump whose target is known: with all jumps reported, it is like a branch that is taken. */
static bool jump(const struct ear_ntrace_context *context, struct ear_ntrace_walk *walk)
{
	bool taken = true;

	if (!context->unit->alljumps)
		return true;
	if (walk->by_history)
		return take_outcome(walk, &taken) && taken;
	return walk->taken_last && is_last(walk);
}

/* The instruction before pc, if it was executed in this message and pc follows it. */
static const struct ear_flow_instruction *find_previous(
	const struct ear_ntrace_context *context, const struct ear_ntrace_walk *walk, uint64_t *at)
{
	const struct ear_flow_instruction *found = NULL;

	for (uint64_t pc = walk->from; pc != walk->pc;) {
		found = ear_flow_code_at(context->code, context->range, pc);
		if (!found)
			return NULL;
		*at = pc;
		pc = (pc + found->size) & context->mask;
	}
	return found;
}

/* A sequential jump: lui or auipc directly before it gives its base. */
static bool infer_jump(const struct ear_ntrace_context *context, const struct ear_ntrace_walk *walk,
	const struct ear_flow_instruction *jalr, uint64_t *target)
{
	uint64_t at = 0;

	if (!context->unit->sijump || jalr->rs1 == 0)
		return false;
	const struct ear_flow_instruction *upper = find_previous(context, walk, &at);
	if (!upper || upper->kind != EAR_FLOW_UPPER || upper->rd != jalr->rs1)
		return false;
	*target = (ear_flow_target(upper, at) + (uint64_t)(int64_t)jalr->offset) & context->mask &
		  ~UINT64_C(1);
	return true;
}

/* A jump through a register. A return to the address on the stack needs no message; where it ends
 * one that has an address, that holds. */
static bool indirect(const struct ear_ntrace_context *context, struct ear_ntrace_walk *walk,
	const struct ear_flow_instruction *jalr, uint64_t *next)
{
	bool has_popped = false;
	uint64_t popped = 0;

	if (jalr->link & EAR_FLOW_RETURN)
		has_popped = ear_return_stack_pop(context->stack, &popped);
	if (infer_jump(context, walk, jalr, next))
		return true;
	if (has_popped && !(is_last(walk) && walk->has_target)) {
		*next = popped;
		return true;
	}
	walk->known = walk->has_target;
	*next = walk->target;
	return is_last(walk);
}

/* What an instruction that is not straight does: *next, and whether it was taken. Its half-words
 * are taken off already. Returns false if that does not fit the message. */
static bool flow(const struct ear_ntrace_context *context, struct ear_ntrace_walk *walk,
	const struct ear_flow_instruction *at, uint64_t *next, bool *taken)
{
	bool fits = true;

	*next = walk->pc + at->size;
	*taken = true;
	walk->last_kind = at->kind;
	switch (at->kind) {
	case EAR_FLOW_BRANCH:
		fits = branch(walk, taken);
		if (*taken)
			*next = ear_flow_target(at, walk->pc);
		break;
	case EAR_FLOW_JUMP:
		fits = jump(context, walk);
		*next = ear_flow_target(at, walk->pc);
		break;
	case EAR_FLOW_INDIRECT: fits = indirect(context, walk, at, next); break;
	case EAR_FLOW_TRAP_RETURN:
		walk->known = walk->has_target;
		*next = walk->target;
		fits = is_last(walk);
		break;
	default: return false; /* it never retires */
	}
	if (at->link & EAR_FLOW_CALL)
		ear_return_stack_push(context->stack, (walk->pc + at->size) & context->mask);
	*next &= context->mask;
	return fits;
}

/* --- To try --- */

/* The end of the walk is in the straight piece from *at on: it must be between two instructions. */
static bool ends_between(const struct ear_flow_instruction *at, uint64_t left)
{
	uint64_t size = 0;

	while (size < left)
		size += at[size].size / 2;
	return size == left;
}

#define CALLS_MOST 16u /* of each function, without a branch between them: more is no program */

/* Without an outcome and without a stack, a walk that comes to an instruction again does so for
 * ever: more half-words than these are a loop without a branch. With a stack it may come again from
 * another call. */
static uint64_t most_without_outcome(const struct ear_ntrace_context *context)
{
	if (!context->code)
		return UINT64_MAX;
	return ear_flow_code_size(context->code) / 2 * (context->stack->depth ? CALLS_MOST : 1) + 2;
}

static bool takes_outcome(
	const struct ear_ntrace_context *context, const struct ear_flow_instruction *at)
{
	return at->kind == EAR_FLOW_BRANCH ||
	       (at->kind == EAR_FLOW_JUMP && context->unit->alljumps);
}

static enum ear_ntrace_verdict try_walk(
	const struct ear_ntrace_context *context, struct ear_ntrace_walk *walk)
{
	const uint64_t most = most_without_outcome(context);
	uint64_t idle = 0;

	while (walk->left > 0) {
		uint64_t next, own;
		bool taken;
		const struct ear_flow_instruction *at =
			ear_flow_code_at(context->code, context->range, walk->pc);
		if (!at)
			return EAR_NTRACE_NO_CODE;
		if (at->straight >= walk->left && !walk->until_used) {
			if (!ends_between(at, walk->left))
				return EAR_NTRACE_MISMATCH;
			walk->pc = (walk->pc + 2 * walk->left) & context->mask;
			walk->left = 0;
			walk->last_kind = EAR_FLOW_OTHER;
			return EAR_NTRACE_FITS;
		}
		own = at->straight ? at->straight : at->size / 2;
		if (own > walk->left)
			return EAR_NTRACE_MISMATCH;
		walk->left -= own;
		idle = takes_outcome(context, at) ? 0 : idle + own;
		if (walk->until_used && idle > most)
			return EAR_NTRACE_MISMATCH;
		if (at->straight) {
			walk->pc = (walk->pc + 2 * own) & context->mask;
			continue;
		}
		if (!flow(context, walk, at, &next, &taken))
			return EAR_NTRACE_MISMATCH;
		walk->pc = walk->from = next;
		if (walk->until_used && is_used_up(walk))
			return EAR_NTRACE_FITS;
	}
	return walk->until_used ? EAR_NTRACE_MISMATCH : EAR_NTRACE_FITS;
}

/* An outcome that is left over, and an end that is not of the message's kind, do not fit. */
static bool ends_well(const struct ear_ntrace_context *context, const struct ear_ntrace_walk *walk)
{
	if (walk->by_history && !is_used_up(walk))
		return false;
	if (!walk->known)
		return walk->open_end;
	if (walk->has_target && walk->pc != walk->target)
		return false;
	if (walk->jump_last && walk->last_kind != EAR_FLOW_INDIRECT &&
		walk->last_kind != EAR_FLOW_TRAP_RETURN)
		return false;
	return !walk->taken_last || walk->last_kind == EAR_FLOW_BRANCH ||
	       (walk->last_kind == EAR_FLOW_JUMP && context->unit->alljumps);
}

static void copy_stack(struct ear_return_stack *to, const struct ear_return_stack *from)
{
	to->depth = from->depth;
	to->count = from->count;
	to->next = from->next;
	memcpy(to->addresses, from->addresses, from->depth * sizeof(*from->addresses));
}

enum ear_ntrace_verdict ear_ntrace_try(const struct ear_ntrace_context *context,
	const struct ear_ntrace_walk *walk, uint64_t *executed)
{
	struct ear_ntrace_walk tried = *walk;
	struct ear_return_stack stack;
	struct ear_ntrace_context own = *context;

	copy_stack(&stack, context->stack);
	own.stack = &stack;
	enum ear_ntrace_verdict verdict = try_walk(&own, &tried);
	*executed = walk->left - tried.left;
	return verdict == EAR_NTRACE_FITS && !ends_well(&own, &tried) ? EAR_NTRACE_MISMATCH
								      : verdict;
}

/* --- To do it --- */

/* How many of the half-words from *at on to do at once: all, but not the last instruction of the
 * message, if that has a time of its own. */
static uint64_t straight_part(
	const struct ear_flow_instruction *at, const struct ear_ntrace_walk *walk, bool timed)
{
	uint64_t size = at->size / 2;

	if (!timed || at->straight < walk->left)
		return at->straight < walk->left ? at->straight : walk->left;
	while (size + at[size].size / 2 < walk->left)
		size += at[size].size / 2;
	return size;
}

bool ear_ntrace_go(const struct ear_ntrace_context *context, struct ear_ntrace_walk *walk,
	struct ear_flow_run *run, struct ear_flow_hart *hart, uint64_t offset, const uint64_t *time)
{
	while (walk->left > 0) {
		const struct ear_flow_instruction *at =
			ear_flow_code_at(context->code, context->range, walk->pc);
		uint64_t own = at->size / 2, next;
		bool taken;

		if (time && walk->left == own && !hart->timed) {
			hart->timed = true;
			hart->time = *time;
		}
		if (!ear_flow_run_open(run, hart, offset))
			return false;
		if (at->straight) {
			own = ear_flow_run_retire_straight(run, hart, at, walk->pc, context->mask,
				straight_part(at, walk, time != NULL));
			walk->left -= own;
			walk->pc = (walk->pc + 2 * own) & context->mask;
			walk->last_kind = EAR_FLOW_OTHER;
			continue;
		}
		walk->left -= own;
		flow(context, walk, at, &next, &taken);
		if (!walk->known)
			return true;
		ear_flow_run_retire(run, hart, at, walk->pc, next, taken);
		walk->pc = walk->from = next;
	}
	return true;
}
