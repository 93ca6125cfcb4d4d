/* The walk of a packet: over the text, from one place that is reported to the next.
 */
#include "decoder/formats/etrace/etrace_walk.h"

#include <assert.h>
#include <string.h>

/* A walk over so many instructions without an outcome of a branch is a loop. */
#define IDLE_MAX (1u << 20)

/* --- Addresses --- */

/* An address of the hart: of 32 bits, or of the encoder's width with its sign. */
uint64_t ear_etrace_wrap(const struct ear_etrace_decoder *decoder, uint64_t address)
{
	unsigned width = decoder->unit->iaddress_width;

	if (decoder->hart.xlen == 32)
		return (uint32_t)address;
	return width >= 64 ? address : ear_etrace_sign_extend(address, width);
}

const struct ear_flow_instruction *ear_etrace_find(struct ear_etrace_decoder *decoder, uint64_t pc)
{
	return ear_flow_code_at(decoder->code, &decoder->range, pc);
}

struct ear_etrace_step *ear_etrace_last_step(struct ear_etrace_decoder *decoder)
{
	return &decoder->steps[decoder->count - 1];
}

bool ear_etrace_at_branch(struct ear_etrace_decoder *decoder)
{
	return ear_etrace_last_step(decoder)->instruction->kind == EAR_FLOW_BRANCH;
}

/* --- What branches did --- */

uint64_t ear_etrace_outcomes_left(const struct ear_etrace_decoder *decoder)
{
	return decoder->outcome_count + decoder->predicted + decoder->failed;
}

void ear_etrace_clear_outcomes(struct ear_etrace_decoder *decoder)
{
	decoder->outcomes = decoder->predicted = 0;
	decoder->outcome_count = 0;
	decoder->failed = false;
}

/* not: a set of branches that were not taken, the oldest in bit 0. */
void ear_etrace_add_outcomes(struct ear_etrace_decoder *decoder, uint64_t not, unsigned count)
{
	decoder->outcomes |= not << decoder->outcome_count;
	decoder->outcome_count += count;
}

static uint8_t *predictor_entry(struct ear_etrace_decoder *decoder, uint64_t pc)
{
	unsigned shift = decoder->unit->iaddress_lsb == 2 ? 2 : 1;

	return &decoder->predictor[pc >> shift & ((UINT64_C(1) << decoder->unit->bpred_size) - 1)];
}

/* States: 0 and 1 predict not taken, 2 and 3 taken (specification, "Branch prediction"). */
static bool predict(struct ear_etrace_decoder *decoder, uint64_t pc)
{
	return decoder->predictor && *predictor_entry(decoder, pc) >> 1;
}

static void train(struct ear_etrace_decoder *decoder, uint64_t pc, bool taken)
{
	static const uint8_t next[4][2] = {{0, 1}, {0, 3}, {0, 3}, {2, 3}};
	uint8_t *entry = predictor_entry(decoder, pc);

	*entry = next[*entry][taken];
}

/* What comes next, of the branch at pc. Returns false if nothing is left. */
static bool peek_outcome(struct ear_etrace_decoder *decoder, uint64_t pc, bool *taken)
{
	if (decoder->outcome_count > 0)
		*taken = !(decoder->outcomes & 1);
	else if (decoder->predicted > 0)
		*taken = predict(decoder, pc);
	else if (decoder->failed)
		*taken = !predict(decoder, pc);
	else
		return false;
	return true;
}

static bool take_outcome(struct ear_etrace_decoder *decoder, uint64_t pc, bool *taken)
{
	if (!peek_outcome(decoder, pc, taken))
		return false;
	if (decoder->outcome_count > 0) {
		decoder->outcomes >>= 1;
		decoder->outcome_count--;
	} else if (decoder->predicted > 0) {
		decoder->predicted--;
	} else {
		decoder->failed = false;
	}
	if (decoder->predictor)
		train(decoder, pc, *taken);
	return true;
}

/* An outcome that the packet before left, as a bit. */
void ear_etrace_settle_outcome(struct ear_etrace_decoder *decoder)
{
	bool taken;

	if (decoder->outcome_count > 0 || decoder->count == 0 ||
		!peek_outcome(decoder, ear_etrace_last_step(decoder)->pc, &taken))
		return;
	ear_etrace_clear_outcomes(decoder);
	ear_etrace_add_outcomes(decoder, !taken, 1);
}

void ear_etrace_forget(struct ear_etrace_decoder *decoder)
{
	ear_return_stack_clear(&decoder->stack);
	if (decoder->predictor)
		memset(decoder->predictor, 1, (size_t)1 << decoder->unit->bpred_size);
	if (decoder->cache)
		memset(decoder->cache, 0, sizeof(*decoder->cache) << decoder->unit->cache_size);
}

/* --- One step --- */

bool ear_etrace_has(const struct ear_etrace_decoder *decoder, enum ear_etrace_option option)
{
	return decoder->options & option;
}

/* The jump's register was set by the instruction before it, from a constant. */
static bool is_sequential(
	const struct ear_etrace_decoder *decoder, const struct ear_flow_instruction *jump)
{
	return ear_etrace_has(decoder, EAR_ETRACE_SIJUMP) && decoder->last &&
	       decoder->last->kind == EAR_FLOW_UPPER && decoder->last->rd == jump->rs1 &&
	       jump->rs1 != 0;
}

static bool is_link(const struct ear_etrace_decoder *decoder,
	const struct ear_flow_instruction *instruction, bool call)
{
	unsigned wide = call ? EAR_FLOW_CALL : EAR_FLOW_RETURN,
		 narrow = call ? EAR_FLOW_CALL_X1 : EAR_FLOW_RETURN_X1;

	return ear_etrace_has(decoder, EAR_ETRACE_IMPLICIT_RETURN) &&
	       instruction->link & (decoder->unit->ras ? wide : narrow);
}

/* Does the packet say that the return does not go where the stack says? */
static bool is_report_of_return(const struct ear_etrace_decoder *decoder)
{
	return decoder->packet.irreport && decoder->packet.depth == decoder->stack.count;
}

/* Where a jump to a register goes, if the text or the stack shows it; reported: not the stack. */
static bool infer_jump(const struct ear_etrace_decoder *decoder,
	const struct ear_flow_instruction *jump, bool reported, uint64_t *target)
{
	if (is_sequential(decoder, jump)) {
		*target = (ear_flow_target(decoder->last, decoder->last_pc) +
				  (uint64_t)(int64_t)jump->offset) &
			  ~UINT64_C(1);
		return true;
	}
	if (!is_link(decoder, jump, false) || decoder->stack.count == 0 || reported)
		return false;
	*target = ear_return_stack_top(&decoder->stack);
	return true;
}

/* Where the last step goes, as far as it is known without another packet. */
bool ear_etrace_infer_next(
	struct ear_etrace_decoder *decoder, bool by_stack, uint64_t *next, bool *taken)
{
	const struct ear_etrace_step *step = ear_etrace_last_step(decoder);
	const struct ear_flow_instruction *instruction = step->instruction;

	*next = step->pc + instruction->size;
	*taken = false;
	switch (instruction->kind) {
	case EAR_FLOW_TRAP_RETURN: *taken = true; return false;
	case EAR_FLOW_TRAPS: *next = step->pc; break;
	case EAR_FLOW_INDIRECT:
		*taken = true;
		if (!infer_jump(decoder, instruction, !by_stack, next))
			return false;
		break;
	case EAR_FLOW_JUMP: *taken = true; break;
	case EAR_FLOW_BRANCH:
		if (!peek_outcome(decoder, step->pc, taken))
			return false;
		break;
	default: break;
	}
	if (*taken && instruction->kind != EAR_FLOW_INDIRECT)
		*next = ear_flow_target(instruction, step->pc);
	*next = ear_etrace_wrap(decoder, *next);
	return true;
}

enum step_result { STEP_ON, STEP_STOP, STEP_ERROR, STEP_NO_CODE };

static enum step_result fail(struct ear_etrace_decoder *decoder, const char *fault)
{
	decoder->fault = fault;
	return STEP_ERROR;
}

/* Arrive at pc. There is room. */
bool ear_etrace_arrive(struct ear_etrace_decoder *decoder, uint64_t pc)
{
	const struct ear_flow_instruction *instruction = ear_etrace_find(decoder, pc);

	if (!instruction) {
		decoder->gap_address = pc;
		return false;
	}
	decoder->steps[decoder->count++] = (struct ear_etrace_step){
		.pc = pc, .instruction = instruction, .privilege = decoder->privilege};
	return true;
}

/* Leave the last step, to target if the text does not show where to. STEP_STOP: it went there. */
static enum step_result step(struct ear_etrace_decoder *decoder, uint64_t target)
{
	struct ear_etrace_step *from = ear_etrace_last_step(decoder);
	const struct ear_flow_instruction *instruction = from->instruction;
	uint64_t next = from->pc + instruction->size;
	bool stop = false;

	switch (instruction->kind) {
	case EAR_FLOW_OTHER:
	case EAR_FLOW_UPPER: break;
	case EAR_FLOW_BRANCH:
		if (!take_outcome(decoder, from->pc, &from->taken))
			return fail(decoder, "a branch was reached without its outcome");
		if (from->taken)
			next = ear_flow_target(instruction, from->pc);
		decoder->idle = 0;
		break;
	case EAR_FLOW_JUMP:
		from->taken = true;
		next = ear_flow_target(instruction, from->pc);
		break;
	case EAR_FLOW_TRAPS:
		return fail(decoder, "the walk reached an instruction that never retires");
	default:
		from->taken = true;
		bool inferred =
			instruction->kind == EAR_FLOW_INDIRECT &&
			infer_jump(decoder, instruction, is_report_of_return(decoder), &next);
		if (!inferred && decoder->stop_at_branch)
			return fail(decoder, "a jump was reached before the branch reported");
		if (inferred && !is_sequential(decoder, instruction))
			ear_return_stack_pop(&decoder->stack, &next);
		stop = !inferred;
		next = stop ? target : next;
		break;
	}
	if (is_link(decoder, instruction, true))
		ear_return_stack_push(
			&decoder->stack, ear_etrace_wrap(decoder, from->pc + instruction->size));
	decoder->last = instruction;
	decoder->last_pc = from->pc;
	if (!ear_etrace_arrive(decoder, ear_etrace_wrap(decoder, next)))
		return STEP_NO_CODE;
	return stop ? STEP_STOP : STEP_ON;
}

/* --- The walk of a packet --- */

/* Does a loop without branches and reported jumps go on for ever? Brent's way to find it: compare
 * with where the walk was at the last power of two. With a return stack the same pc need not be a
 * loop. */
static bool is_endless(struct ear_etrace_decoder *decoder)
{
	const uint64_t pc = ear_etrace_last_step(decoder)->pc;

	if (decoder->idle > 0 && pc == decoder->check_pc &&
		!ear_etrace_has(decoder, EAR_ETRACE_IMPLICIT_RETURN))
		return true;
	if ((decoder->idle & (decoder->idle + 1)) == 0)
		decoder->check_pc = pc;
	return ++decoder->idle > IDLE_MAX;
}

bool ear_etrace_is_sync(const struct ear_etrace_decoder *decoder)
{
	return decoder->packet.format == EAR_ETRACE_SYNC;
}

/* The walk is where the packet says, without a jump that it reports. Does the packet end here? */
static bool ends_here(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;

	if (ear_etrace_is_sync(decoder))
		return packet->privilege == decoder->privilege ||
		       decoder->last->kind == EAR_FLOW_TRAP_RETURN;
	if (packet->notify)
		return true;
	decoder->inferred =
		!packet->updiscon && (!packet->irreport || packet->depth == decoder->stack.count);
	return decoder->inferred;
}

void ear_etrace_keep_target(struct ear_etrace_decoder *decoder)
{
	const uint64_t mask = (UINT64_C(1) << decoder->unit->cache_size) - 1;

	if (decoder->cache)
		decoder->cache[decoder->address >> decoder->unit->iaddress_lsb & mask] =
			decoder->address | 1;
}

/* Walk to the reported address. */
enum ear_etrace_walk_result ear_etrace_walk_on(struct ear_etrace_decoder *decoder)
{
	const bool run_out = decoder->packet.format == EAR_ETRACE_SUPPORT;

	while (decoder->count < EAR_ETRACE_STEPS) {
		enum step_result result =
			step(decoder, decoder->inferred ? decoder->previous : decoder->address);
		if (result == STEP_NO_CODE)
			return EAR_ETRACE_WALK_NO_CODE;
		if (result == STEP_ERROR)
			return EAR_ETRACE_WALK_ERROR;
		if (result == STEP_STOP)
			decoder->idle = 0;
		if (is_endless(decoder)) {
			decoder->fault = "the walk is in a loop that the packet does not end";
			return EAR_ETRACE_WALK_ERROR;
		}
		if (decoder->inferred) {
			decoder->inferred = result != STEP_STOP;
			if (run_out && !decoder->inferred)
				return EAR_ETRACE_WALK_DONE;
			continue;
		}
		const uint64_t left = ear_etrace_outcomes_left(decoder);
		if (decoder->stop_at_branch && left == 1 && ear_etrace_at_branch(decoder)) {
			decoder->stop_at_branch = false;
			return EAR_ETRACE_WALK_DONE;
		}
		if (result != STEP_STOP && ear_etrace_last_step(decoder)->pc != decoder->address)
			continue;
		bool all = left == ear_etrace_at_branch(decoder);
		if (result == STEP_STOP && !all) {
			decoder->fault = "outcomes of branches are left at the end of a packet";
			return EAR_ETRACE_WALK_ERROR;
		}
		if (result == STEP_STOP) {
			if (!ear_etrace_is_sync(decoder) && !decoder->packet.notify)
				ear_etrace_keep_target(decoder);
			return EAR_ETRACE_WALK_DONE;
		}
		if (all && !decoder->stop_at_branch && ends_here(decoder))
			return EAR_ETRACE_WALK_DONE;
	}
	return EAR_ETRACE_WALK_FULL;
}
