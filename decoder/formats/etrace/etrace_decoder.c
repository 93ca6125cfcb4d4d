/* Packets of E-Trace to records: packets say what branches did and where jumps went that the text
 * does not show, and every instruction between follows from the text (etrace_walk.h).
 *
 * A packet is done in small tasks (enum task), in this order: walk over its instructions, hand them
 * out, hand out the last one, a gap, a trap, then take what the packet says of what follows. Each
 * may have to wait until a run was handed out.
 *
 * The last instruction of a packet is handed out with the next packet, which shows where it went.
 */
#include "decoder/formats/etrace/etrace_decoder.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>

enum task {
	TASK_WALK = 1 << 0,
	TASK_POUR = 1 << 1,  /* hand out all steps but the last */
	TASK_FLUSH = 1 << 2, /* hand out the last one too: the hart is nowhere then */
	TASK_GAP = 1 << 3,
	TASK_TRAP = 1 << 4,
	TASK_APPLY = 1 << 5,
	TASK_CONTEXT = 1 << 6,
};

#define PRIVILEGE_UNKNOWN UINT8_MAX

int ear_etrace_decoder_init(struct ear_etrace_decoder *decoder, const struct ear_etrace_unit *unit,
	const struct ear_flow_code *code, uint16_t hart, unsigned xlen)
{
	*decoder = (struct ear_etrace_decoder){
		.unit = unit,
		.code = code,
		.hart = {.hart = hart, .xlen = (uint8_t)xlen},
		.fresh = true,
		.privilege = PRIVILEGE_UNKNOWN,
		.options = ear_etrace_unit_options(unit),
	};
	ear_flow_run_init(&decoder->run);
	decoder->stack.depth = 1u << (unit->return_stack_size + unit->call_counter_size);
	decoder->steps = calloc(EAR_ETRACE_STEPS, sizeof(*decoder->steps));
	if (unit->bpred_size > 0)
		decoder->predictor = malloc((size_t)1 << unit->bpred_size);
	if (unit->cache_size > 0)
		decoder->cache = malloc(sizeof(*decoder->cache) << unit->cache_size);
	if (decoder->steps && (decoder->predictor || unit->bpred_size == 0) &&
		(decoder->cache || unit->cache_size == 0))
		return 0;
	ear_etrace_decoder_fini(decoder);
	return EAR_E_NO_MEMORY;
}

void ear_etrace_decoder_fini(struct ear_etrace_decoder *decoder)
{
	free(decoder->steps);
	free(decoder->predictor);
	free(decoder->cache);
	*decoder = (struct ear_etrace_decoder){0};
}

/* Begin to walk from the last step. */
static void begin_walk(struct ear_etrace_decoder *decoder)
{
	decoder->previous = ear_etrace_last_step(decoder)->pc;
	decoder->idle = 0;
	decoder->todo |= TASK_WALK | TASK_POUR;
}

/* --- Gaps --- */

static void note_gap(struct ear_etrace_decoder *decoder, enum ear_gap_reason reason,
	uint64_t offset, uint64_t bytes)
{
	if (!decoder->has_gap) {
		decoder->has_gap = true;
		decoder->gap_reason = (uint8_t)reason;
		decoder->gap_offset = offset;
		decoder->gap_bytes = 0;
	}
	decoder->gap_bytes += bytes;
}

/* The hart is nowhere; what was decoded is handed out first. */
static void lose_place(struct ear_etrace_decoder *decoder)
{
	decoder->todo = TASK_POUR | TASK_FLUSH;
	decoder->started = decoder->inferred = decoder->stop_at_branch = false;
	decoder->handler_absent = false;
	decoder->next_known = false;
}

/* The packet does not fit the text. Its steps are taken back. */
static void refuse(struct ear_etrace_decoder *decoder, enum ear_gap_reason reason)
{
	if (decoder->count > 1)
		decoder->count = 1;
	lose_place(decoder);
	ear_etrace_clear_outcomes(decoder);
	decoder->last = NULL;
	decoder->fresh = false;
	note_gap(decoder, reason, decoder->offset, decoder->bytes);
}

void ear_etrace_decoder_lose(struct ear_etrace_decoder *decoder, enum ear_gap_reason reason,
	uint64_t offset, uint64_t bytes)
{
	lose_place(decoder);
	decoder->fresh = false;
	decoder->fault = NULL;
	note_gap(decoder, reason, offset, bytes);
}

/* --- Tasks --- */

/* Privilege as packets have it. */
static void set_privilege(struct ear_etrace_decoder *decoder, uint8_t privilege)
{
	static const uint8_t names[] = {EAR_PRIVILEGE_U, EAR_PRIVILEGE_S, PRIVILEGE_UNKNOWN,
		EAR_PRIVILEGE_M, EAR_PRIVILEGE_VU, EAR_PRIVILEGE_VS};
	struct ear_flow_hart *hart = &decoder->hart;
	uint8_t raw = decoder->unit->privilege_width == 1 && privilege == 1 ? 3 : privilege;

	hart->privilege_known = decoder->unit->privilege_width > 0 && raw < sizeof(names) &&
				names[raw] != PRIVILEGE_UNKNOWN;
	hart->privilege = hart->privilege_known ? names[raw] : 0;
}

/* The step that comes next may be added to the run. */
static bool open_run(struct ear_etrace_decoder *decoder, const struct ear_etrace_step *step)
{
	struct ear_flow_hart *hart = &decoder->hart;

	set_privilege(decoder, step->privilege);
	if (step->timed && !hart->timed) {
		hart->timed = true;
		hart->time = decoder->time;
	}
	return ear_flow_run_open(&decoder->run, hart, decoder->offset);
}

/* Hand out all steps but the last. Returns false if the run is full. */
static bool pour(struct ear_etrace_decoder *decoder)
{
	struct ear_etrace_step *steps = decoder->steps;

	while (decoder->poured + 1 < decoder->count) {
		struct ear_etrace_step *step = &steps[decoder->poured];
		if (!open_run(decoder, step))
			return false;
		const uint8_t privilege = step->privilege;
		size_t room = ear_flow_run_room(&decoder->run),
		       left = decoder->count - 1 - decoder->poured;
		room = room < left ? room : left;
		step->timed = false;
		do {
			ear_flow_run_retire(&decoder->run, &decoder->hart, step->instruction,
				step->pc, step[1].pc, step->taken);
			step++;
		} while (--room > 0 && step->privilege == privilege && !step->timed);
		decoder->poured = (size_t)(step - steps);
	}
	if (decoder->count > 1)
		steps[0] = steps[decoder->count - 1];
	decoder->count = decoder->count > 0;
	decoder->poured = 0;
	return true;
}

/* Hand out the last step. Returns false if the run has to be handed out first. */
static bool flush(struct ear_etrace_decoder *decoder)
{
	uint64_t next = decoder->next_pc;
	bool taken = false;

	if (decoder->count == 0)
		return true;
	const struct ear_etrace_step *last = ear_etrace_last_step(decoder);
	/* Whether a return went where the stack says shows only in what follows. */
	bool known = ear_etrace_infer_next(decoder, false, &next, &taken) || decoder->next_known;
	if (decoder->next_known)
		next = decoder->next_pc;
	if (last->instruction->kind != EAR_FLOW_TRAPS) {
		if (!open_run(decoder, last))
			return false;
		if (known)
			ear_flow_run_retire(&decoder->run, &decoder->hart, last->instruction,
				last->pc, next, taken);
		else
			ear_flow_run_trap(&decoder->run, &decoder->hart, last->instruction,
				last->pc, 0, EAR_RECORD_NO_NEXT_PC, decoder->offset);
	}
	decoder->count = 0;
	decoder->last = NULL;
	ear_etrace_clear_outcomes(decoder);
	return true;
}

/* The exception or interrupt of the packet, at next_pc. */
static void give_trap(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;
	struct ear_flow_hart *hart = &decoder->hart;
	uint64_t next = packet->has_address && packet->thaddr ? packet->address : 0;
	uint32_t flags = packet->interrupt ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;

	bool vector = packet->thaddr && !packet->has_address &&
		      ear_etrace_vector(decoder->unit, packet->interrupt, packet->cause, &next);
	if (decoder->has_time || decoder->unit->time_width > 0) {
		hart->timed = true;
		hart->time = decoder->unit->time_width > 0 ? packet->time : decoder->frame_time;
	}
	if (!packet->thaddr)
		set_privilege(decoder, (uint8_t)packet->privilege);
	if (!decoder->next_known) {
		ear_flow_run_event(&decoder->run, hart, decoder->offset,
			"%s %llu at an unknown address",
			packet->interrupt ? "interrupt" : "exception",
			(unsigned long long)packet->cause);
		return;
	}
	if (!(packet->thaddr && (packet->has_address || vector)))
		flags |= EAR_RECORD_NO_NEXT_PC;
	struct ear_record *record = ear_flow_run_trap(&decoder->run, hart,
		ear_flow_code_bits_at(decoder->code, &decoder->range, decoder->next_pc),
		decoder->next_pc, ear_etrace_wrap(decoder, next), flags, decoder->offset);
	record->cause = packet->cause;
	if (packet->interrupt)
		record->cause |= UINT64_C(1) << (hart->xlen - 1);
	if (packet->has_tval) {
		decoder->run.extra.has_trap_value = true;
		decoder->run.extra.trap_value = packet->tval;
		record->extra = &decoder->run.extra;
	}
}

static void give_gap(struct ear_etrace_decoder *decoder)
{
	enum ear_gap_reason reason = decoder->gap_reason;

	decoder->has_gap = false;
	if (reason == EAR_GAP_NO_CODE)
		ear_flow_run_no_code(
			&decoder->run, &decoder->hart, decoder->gap_address, decoder->gap_offset);
	else
		ear_flow_run_gap(&decoder->run, &decoder->hart, reason, decoder->gap_bytes,
			decoder->gap_offset);
}

/* The hart is at an address that the packet gives, without a walk to it. */
static bool land(struct ear_etrace_decoder *decoder)
{
	decoder->last = NULL;
	decoder->address = ear_etrace_wrap(decoder, decoder->address);
	if (!ear_etrace_arrive(decoder, decoder->address)) {
		refuse(decoder, EAR_GAP_NO_CODE);
		return false;
	}
	ear_etrace_clear_outcomes(decoder);
	if (ear_etrace_at_branch(decoder))
		ear_etrace_add_outcomes(decoder, decoder->packet.branch, 1);
	decoder->started = true;
	decoder->fresh = decoder->handler_absent = false;
	return true;
}

static void time_last_step(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;
	bool own = decoder->unit->time_width > 0 &&
		   (packet->format == EAR_ETRACE_SYNC || packet->format == EAR_ETRACE_CONTEXT);

	/* While a jump is still to be reached, the last step may be an earlier one. */
	if ((!own && !decoder->has_time) || decoder->count == 0 || decoder->inferred)
		return;
	ear_etrace_last_step(decoder)->timed = true;
	decoder->time = own ? packet->time : decoder->frame_time;
}

/* What a synchronisation says of the hart. */
static void apply_sync(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;

	decoder->privilege = (uint8_t)packet->privilege;
	if (decoder->count == 0 && !land(decoder))
		return;
	ear_etrace_last_step(decoder)->privilege = decoder->privilege;
	ear_etrace_forget(decoder);
	if (packet->format == EAR_ETRACE_SYNC)
		time_last_step(decoder);
}

static void apply_trap(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;

	decoder->inferred = decoder->stop_at_branch = false;
	if (!packet->thaddr) {
		decoder->handler_absent = true;
		decoder->fresh = false;
		return;
	}
	decoder->address = packet->address;
	if (packet->has_address || ear_etrace_vector(decoder->unit, packet->interrupt,
					   packet->cause, &decoder->address)) {
		apply_sync(decoder);
		return;
	}
	decoder->fault = "the address of a trap's handler is not known (\"trap_vectors\")";
	refuse(decoder, EAR_GAP_BAD_MESSAGE);
}

/* Returns false if more tasks are due now. */
static void apply(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;

	switch (packet->format) {
	case EAR_ETRACE_SYNC: apply_sync(decoder); break;
	case EAR_ETRACE_TRAP: apply_trap(decoder); break;
	case EAR_ETRACE_CONTEXT:
		decoder->privilege = (uint8_t)packet->privilege;
		time_last_step(decoder);
		break;
	case EAR_ETRACE_SUPPORT:
		if (packet->has_options)
			decoder->options =
				packet->options | (decoder->unit->sijump ? EAR_ETRACE_SIJUMP : 0);
		break;
	default: time_last_step(decoder); break;
	}
}

static void do_walk(struct ear_etrace_decoder *decoder)
{
	enum ear_etrace_walk_result result = ear_etrace_walk_on(decoder);

	decoder->todo |= TASK_POUR;
	if (result != EAR_ETRACE_WALK_FULL)
		decoder->todo &= ~(unsigned)TASK_WALK;
	if (result == EAR_ETRACE_WALK_DONE || result == EAR_ETRACE_WALK_FULL)
		return;
	/* The jump to an address that the packet reports is certain. */
	const struct ear_etrace_step *last = ear_etrace_last_step(decoder);
	bool certain = result == EAR_ETRACE_WALK_NO_CODE &&
		       last->instruction->kind >= EAR_FLOW_INDIRECT && !decoder->inferred &&
		       ear_etrace_outcomes_left(decoder) == 0;
	size_t count = decoder->count;
	refuse(decoder, result == EAR_ETRACE_WALK_ERROR ? EAR_GAP_BAD_MESSAGE : EAR_GAP_NO_CODE);
	/* A synchronisation is good for what follows. */
	if (ear_etrace_is_sync(decoder))
		decoder->todo |= TASK_GAP | TASK_APPLY;
	if (certain) {
		decoder->count = count;
		decoder->next_known = true;
		decoder->next_pc = decoder->gap_address;
	}
}

bool ear_etrace_decoder_work(struct ear_etrace_decoder *decoder)
{
	while (decoder->todo) {
		if (decoder->run.has_record)
			return true;
		if (decoder->todo & TASK_POUR) {
			if (decoder->todo & TASK_WALK && decoder->count < EAR_ETRACE_STEPS) {
				do_walk(decoder);
				continue;
			}
			if (!pour(decoder))
				return true;
			if (!(decoder->todo & TASK_WALK))
				decoder->todo &= ~(unsigned)TASK_POUR;
		} else if (decoder->todo & TASK_FLUSH) {
			if (!flush(decoder))
				return true;
			decoder->todo &= ~(unsigned)TASK_FLUSH;
		} else if (decoder->todo & TASK_GAP) {
			if (decoder->has_gap)
				give_gap(decoder);
			decoder->todo &= ~(unsigned)TASK_GAP;
		} else if (decoder->todo & TASK_TRAP) {
			give_trap(decoder);
			decoder->todo &= ~(unsigned)TASK_TRAP;
		} else if (decoder->todo & TASK_APPLY) {
			decoder->todo &= ~(unsigned)TASK_APPLY;
			apply(decoder);
		} else {
			decoder->todo &= ~(unsigned)TASK_CONTEXT;
			decoder->context = decoder->packet.context;
			ear_flow_run_event(&decoder->run, &decoder->hart, decoder->offset,
				"context 0x%llx", (unsigned long long)decoder->context);
		}
	}
	return false;
}

/* --- Packets --- */

/* Where the trap happened. A return that went elsewhere than the stack says has the address in the
 * packet; after other instructions that is not defined. */
static void find_epc(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;
	const uint64_t address = ear_etrace_wrap(decoder, packet->address);
	const bool at = decoder->count > 0;
	const bool given = !packet->thaddr && !decoder->handler_absent && (at || decoder->fresh);
	bool taken;

	decoder->next_known =
		at && ear_etrace_infer_next(decoder, false, &decoder->next_pc, &taken);
	if (!decoder->next_known && at && !(given && ear_etrace_find(decoder, address)))
		decoder->next_known =
			ear_etrace_infer_next(decoder, true, &decoder->next_pc, &taken);
	if (!decoder->next_known && given) {
		decoder->next_known = true;
		decoder->next_pc = address;
	}
}

/* The encoder begins again: what the hart did between is not in the trace. */
static void note_restart(struct ear_etrace_decoder *decoder)
{
	if (!decoder->started && decoder->hart.index > 0 && !decoder->has_gap &&
		!decoder->handler_absent)
		note_gap(decoder, EAR_GAP_NO_START, decoder->offset, 0);
}

static void push_trap(struct ear_etrace_decoder *decoder)
{
	note_restart(decoder);
	find_epc(decoder);
	decoder->todo = TASK_FLUSH | TASK_TRAP | TASK_GAP | TASK_APPLY;
}

static void push_sync(struct ear_etrace_decoder *decoder)
{
	const uint64_t before = decoder->address;

	decoder->address = ear_etrace_wrap(decoder, decoder->packet.address);
	decoder->todo = TASK_GAP | TASK_APPLY;
	note_restart(decoder);
	if (!decoder->started || decoder->handler_absent || decoder->count == 0)
		return;
	if (decoder->unit->framing == EAR_ETRACE_PULP && decoder->address == before &&
		ear_etrace_last_step(decoder)->pc == before) {
		/* It synchronises at the instruction that the packet before has reported, with the
		 * branch of it, and says of the branch that it was not taken. */
		decoder->stop_at_branch = decoder->inferred = false;
		return;
	}
	const struct ear_flow_instruction *at = ear_etrace_find(decoder, decoder->address);
	ear_etrace_settle_outcome(decoder);
	if (at && at->kind == EAR_FLOW_BRANCH)
		ear_etrace_add_outcomes(decoder, decoder->packet.branch, 1);
	decoder->stop_at_branch = decoder->inferred = false;
	begin_walk(decoder);
}

static void push_support(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;
	bool more =
		packet->status == EAR_ETRACE_ENDED_NTR && decoder->inferred && decoder->count > 0;

	decoder->todo = TASK_APPLY;
	if (packet->status == EAR_ETRACE_NO_CHANGE)
		return;
	if (more)
		begin_walk(decoder);
	else
		lose_place(decoder);
	decoder->started = false;
	decoder->fresh = true;
	decoder->todo |= TASK_FLUSH | TASK_APPLY;
	decoder->next_known = false;
	if (packet->status == EAR_ETRACE_TRACE_LOST)
		note_gap(decoder, EAR_GAP_UNIT_FIFO, decoder->offset, 0);
}

/* Returns NULL, or what is wrong. */
static const char *take_address(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;

	if (packet->format == EAR_ETRACE_INDEX) {
		uint64_t entry = decoder->cache[packet->index];
		if (entry == 0)
			return "an entry of the jump target cache is used before it is set";
		decoder->address = entry & ~UINT64_C(1);
	} else if (packet->has_address) {
		uint64_t base =
			ear_etrace_has(decoder, EAR_ETRACE_FULL_ADDRESS) ? 0 : decoder->address;
		decoder->address = ear_etrace_wrap(decoder, base + packet->address);
	}
	decoder->stop_at_branch = packet->format != EAR_ETRACE_INDEX && !packet->has_address;
	return NULL;
}

static void push_flow(struct ear_etrace_decoder *decoder)
{
	const struct ear_etrace_packet *packet = &decoder->packet;

	if (decoder->count == 0) {
		if (decoder->handler_absent) {
			decoder->fault = "a trap's handler is not reported";
			refuse(decoder, EAR_GAP_BAD_MESSAGE);
		} else {
			note_gap(decoder, EAR_GAP_NO_START, decoder->offset, decoder->bytes);
		}
		return;
	}
	ear_etrace_settle_outcome(decoder);
	/* The packet before reported a jump, which the walk has still to reach. */
	if (decoder->inferred)
		ear_etrace_keep_target(decoder);
	decoder->fault = take_address(decoder);
	if (decoder->fault) {
		refuse(decoder, EAR_GAP_BAD_MESSAGE);
		return;
	}
	if (packet->format == EAR_ETRACE_COUNT) {
		decoder->predicted = (uint64_t)packet->count + EAR_ETRACE_COUNT_BIAS;
		decoder->failed = packet->count_format != EAR_ETRACE_COUNT_ADDRESS;
	} else if (packet->format != EAR_ETRACE_ADDRESS) {
		ear_etrace_add_outcomes(decoder, packet->map, packet->branches);
	}
	decoder->todo = TASK_APPLY;
	begin_walk(decoder);
}

void ear_etrace_decoder_push(struct ear_etrace_decoder *decoder,
	const struct ear_etrace_packet *packet, uint64_t offset, unsigned bytes,
	const uint64_t *time)
{
	assert(decoder->todo == 0 && ear_flow_run_is_empty(&decoder->run));
	decoder->packet = *packet;
	decoder->offset = offset;
	decoder->bytes = bytes;
	decoder->has_time = time != NULL;
	decoder->frame_time = time ? *time : 0;
	decoder->fault = NULL;
	switch (packet->format) {
	case EAR_ETRACE_SYNC: push_sync(decoder); break;
	case EAR_ETRACE_TRAP: push_trap(decoder); break;
	case EAR_ETRACE_CONTEXT: decoder->todo = TASK_APPLY; break;
	case EAR_ETRACE_SUPPORT: push_support(decoder); break;
	default: push_flow(decoder); return;
	}
	if (packet->format != EAR_ETRACE_SUPPORT && decoder->unit->context_width > 0 &&
		(packet->context != decoder->context || !decoder->started))
		decoder->todo |= TASK_CONTEXT;
}

void ear_etrace_decoder_end(struct ear_etrace_decoder *decoder, uint64_t offset)
{
	lose_place(decoder);
	decoder->offset = offset;
	decoder->todo |= TASK_GAP;
}

/* --- State --- */

static void walk_gap(struct ear_etrace_decoder *decoder, struct ear_state_walk *walk)
{
	ear_state_bool(walk, &decoder->has_gap);
	ear_state_u8(walk, &decoder->gap_reason, EAR_GAP_REASONS - 1);
	ear_state_u64(walk, &decoder->gap_offset, UINT64_MAX);
	ear_state_u64(walk, &decoder->gap_bytes, UINT64_MAX);
	ear_state_u64(walk, &decoder->gap_address, UINT64_MAX);
}

static void walk_hart(struct ear_flow_hart *hart, struct ear_state_walk *walk)
{
	ear_state_bool(walk, &hart->timed);
	ear_state_u64(walk, &hart->time, UINT64_MAX);
	ear_state_u64(walk, &hart->index, UINT64_MAX);
}

/* Where the hart is: an address, which must have code. */
static void walk_steps(struct ear_etrace_decoder *decoder, struct ear_state_walk *walk)
{
	struct ear_etrace_step *step = &decoder->steps[0];
	bool has_step = decoder->count > 0, has_last = decoder->last != NULL;

	ear_state_bool(walk, &has_step);
	ear_state_u64(walk, &step->pc, UINT64_MAX);
	ear_state_u8(walk, &step->privilege, UINT8_MAX);
	ear_state_bool(walk, &step->timed);
	ear_state_bool(walk, &has_last);
	ear_state_u64(walk, &decoder->last_pc, UINT64_MAX);
	if (!walk->loading)
		return;
	step->instruction = has_step ? ear_etrace_find(decoder, step->pc) : NULL;
	decoder->last = has_last ? ear_etrace_find(decoder, decoder->last_pc) : NULL;
	decoder->count = has_step && step->instruction;
	walk->bad |= has_step != (decoder->count > 0) || has_last != (decoder->last != NULL);
}

static void walk_outcomes(struct ear_etrace_decoder *decoder, struct ear_state_walk *walk)
{
	uint8_t count = (uint8_t)decoder->outcome_count;

	ear_state_u8(walk, &count, 1);
	decoder->outcome_count = walk->loading ? count : decoder->outcome_count;
	ear_state_u64(walk, &decoder->outcomes, 1);
	ear_state_u64(walk, &decoder->predicted, 1);
	ear_state_bool(walk, &decoder->failed);
}

void ear_etrace_decoder_walk(struct ear_etrace_decoder *decoder, struct ear_state_walk *walk)
{
	const struct ear_etrace_unit *unit = decoder->unit;

	walk_hart(&decoder->hart, walk);
	walk_steps(decoder, walk);
	walk_outcomes(decoder, walk);
	walk_gap(decoder, walk);
	ear_state_u8(walk, &decoder->options, EAR_ETRACE_OPTIONS);
	ear_state_u8(walk, &decoder->privilege, UINT8_MAX);
	ear_state_u64(walk, &decoder->time, UINT64_MAX);
	ear_state_u64(walk, &decoder->context, UINT64_MAX);
	ear_state_bool(walk, &decoder->started);
	ear_state_bool(walk, &decoder->fresh);
	ear_state_bool(walk, &decoder->handler_absent);
	ear_state_bool(walk, &decoder->inferred);
	ear_state_bool(walk, &decoder->stop_at_branch);
	ear_state_u64(walk, &decoder->address, UINT64_MAX);
	ear_return_stack_walk(&decoder->stack, walk);
	for (size_t i = 0; decoder->predictor && i < (size_t)1 << unit->bpred_size; i++)
		ear_state_u8(walk, &decoder->predictor[i], 3);
	for (size_t i = 0; decoder->cache && i < (size_t)1 << unit->cache_size; i++)
		ear_state_u64(walk, &decoder->cache[i], UINT64_MAX);
}
