/* Records to N-Trace.
 *
 * The encoder keeps what the decoder will know, and sends a message where the decoder could not
 * find the way alone. A message that may be repeated waits: a full history, and the count of branch
 * messages that are equal to the one before. Before any other message both are sent.
 */
#include "decoder/formats/ntrace/ntrace_encoder.h"

#include <string.h>

#define COUNT_MAX ((1u << 18) - 1) /* HREPEAT and B-CNT */

/* --- Messages --- */

static void put(struct ear_ntrace_encoder *encoder, struct ear_ntrace_message *message)
{
	bool sync = ear_ntrace_is_sync(message->tcode);

	message->src = encoder->src;
	message->has_time =
		encoder->unit.tstamp == 1 && encoder->has_now && (sync || encoder->has_sent);
	if (message->has_time) {
		message->time = sync ? encoder->now : encoder->now - encoder->sent;
		encoder->sent = encoder->now;
		encoder->has_sent = true;
	}
	encoder->size += ear_ntrace_put(encoder->bytes + encoder->size, message, &encoder->unit);
	encoder->since_sync = sync ? 0 : encoder->since_sync + 1;
}

static void flush_repeats(struct ear_ntrace_encoder *encoder)
{
	struct ear_ntrace_message message = {.tcode = EAR_NTRACE_REPEAT, .data = encoder->repeats};

	if (encoder->repeats > 0)
		put(encoder, &message);
	encoder->repeats = 0;
}

static void flush_history(struct ear_ntrace_encoder *encoder)
{
	struct ear_ntrace_message message = {.tcode = EAR_NTRACE_FULL,
		.code = encoder->pending_count > 1 ? EAR_NTRACE_FULL_REPEATED
						   : EAR_NTRACE_FULL_HISTORY,
		.history = encoder->pending,
		.data = encoder->pending_count};

	if (encoder->pending == 0)
		return;
	put(encoder, &message);
	encoder->pending = encoder->pending_count = 0;
}

/* Before a message that is not a repetition. */
static void flush(struct ear_ntrace_encoder *encoder)
{
	flush_repeats(encoder);
	flush_history(encoder);
	encoder->last.tcode = 0;
}

static bool is_htm(const struct ear_ntrace_encoder *encoder)
{
	return encoder->unit.htm != 0;
}

static void put_ownership(struct ear_ntrace_encoder *encoder)
{
	static const uint8_t processes[] = {
		[EAR_PRIVILEGE_U] = 0,
		[EAR_PRIVILEGE_S] = 1 << 2,
		[EAR_PRIVILEGE_M] = 3 << 2,
		[EAR_PRIVILEGE_VU] = 1 << 4,
		[EAR_PRIVILEGE_VS] = 1 << 4 | 1 << 2,
		[EAR_PRIVILEGE_DEBUG] = 3 << 2,
	};
	struct ear_ntrace_message message = {
		.tcode = EAR_NTRACE_OWNERSHIP, .data = processes[encoder->privilege]};

	if (!encoder->unit.ownership || !encoder->has_privilege)
		return;
	flush(encoder);
	put(encoder, &message);
}

/* The state of both sides after a synchronisation. */
static void synchronise(struct ear_ntrace_encoder *encoder, uint64_t address)
{
	encoder->reference = address;
	ear_return_stack_clear(&encoder->stack);
	put_ownership(encoder);
}

static void put_sync(struct ear_ntrace_encoder *encoder, enum ear_ntrace_sync reason, uint64_t pc)
{
	struct ear_ntrace_message message = {.tcode = EAR_NTRACE_SYNC,
		.sync = (uint8_t)reason,
		.icnt = encoder->icnt,
		.address = pc};

	flush(encoder);
	put(encoder, &message);
	encoder->icnt = 0;
	encoder->has_upper = false;
	synchronise(encoder, pc);
}

static bool is_repeated(const struct ear_ntrace_encoder *encoder,
	const struct ear_ntrace_message *message, uint64_t target)
{
	const struct ear_ntrace_message *last = &encoder->last;

	return encoder->unit.repeat_branch && encoder->pending == 0 &&
	       last->tcode == message->tcode && last->btype == message->btype &&
	       last->icnt == message->icnt && last->history == message->history &&
	       encoder->last_target == target && encoder->repeats < COUNT_MAX;
}

static uint8_t sync_of(uint8_t tcode)
{
	return tcode == EAR_NTRACE_DIRECT     ? EAR_NTRACE_DIRECT_SYNC
	       : tcode == EAR_NTRACE_INDIRECT ? EAR_NTRACE_INDIRECT_SYNC
					      : EAR_NTRACE_HISTORY_SYNC;
}

/* A message of a branch, jump or trap that goes to target: with a synchronisation if it is time. */
static void put_branch(struct ear_ntrace_encoder *encoder, enum ear_ntrace_tcode tcode,
	enum ear_ntrace_btype btype, uint64_t target)
{
	struct ear_ntrace_message message = {.tcode = (uint8_t)tcode,
		.btype = (uint8_t)btype,
		.icnt = encoder->icnt,
		.history = tcode == EAR_NTRACE_HISTORY ? encoder->history : 0};
	const struct ear_ntrace_message branch = message;
	bool sync = encoder->unit.sync_every > 0 && encoder->since_sync >= encoder->unit.sync_every;

	encoder->icnt = 0;
	encoder->history = 1;
	encoder->has_upper = false;
	if (!sync && is_repeated(encoder, &message, target)) {
		encoder->repeats++;
		return;
	}
	flush(encoder);
	if (sync) {
		message.tcode = sync_of(message.tcode);
		message.sync = EAR_NTRACE_SYNC_PERIODIC;
	}
	if (sync || tcode != EAR_NTRACE_DIRECT)
		message.address = sync ? target : target ^ encoder->reference;
	put(encoder, &message);
	if (sync) {
		synchronise(encoder, target);
		return;
	}
	encoder->last = branch;
	encoder->last_target = target;
	if (tcode != EAR_NTRACE_DIRECT)
		encoder->reference = target;
}

static void put_indirect(
	struct ear_ntrace_encoder *encoder, enum ear_ntrace_btype btype, uint64_t target)
{
	put_branch(
		encoder, is_htm(encoder) ? EAR_NTRACE_HISTORY : EAR_NTRACE_INDIRECT, btype, target);
}

/* --- Instructions --- */

/* The I-CNT cannot take this many half-words more. */
static void make_room(struct ear_ntrace_encoder *encoder, uint32_t half_words, uint64_t pc)
{
	struct ear_ntrace_message message = {
		.tcode = EAR_NTRACE_FULL, .code = EAR_NTRACE_FULL_ICNT, .data = encoder->icnt};

	if (encoder->icnt + half_words <= encoder->unit.icnt_max)
		return;
	if (encoder->unit.icnt_by_sync && !is_htm(encoder)) {
		put_sync(encoder, EAR_NTRACE_SYNC_ICNT, pc);
		return;
	}
	flush(encoder);
	put(encoder, &message);
	encoder->icnt = 0;
	encoder->has_upper = false;
}

/* A branch, or a jump that is reported as one. */
static void add_outcome(struct ear_ntrace_encoder *encoder, bool taken, uint64_t next)
{
	if (!is_htm(encoder)) {
		if (taken)
			put_branch(encoder, EAR_NTRACE_DIRECT, EAR_NTRACE_JUMP, next);
		return;
	}
	encoder->history = encoder->history << 1 | taken;
	if (!(encoder->history >> encoder->unit.hist_bits))
		return;
	flush_repeats(encoder);
	encoder->last.tcode = 0;
	if (encoder->pending != encoder->history || encoder->pending_count == COUNT_MAX)
		flush_history(encoder);
	encoder->pending = encoder->history;
	encoder->pending_count++;
	encoder->history = 1;
	if (!encoder->unit.repeat_hist)
		flush_history(encoder);
}

/* Will the decoder find where this jump goes? */
static bool is_inferred(
	struct ear_ntrace_encoder *encoder, const struct ear_flow_held *held, uint64_t next)
{
	const struct ear_flow_instruction *jalr = &held->instruction;
	uint64_t target = 0;
	bool popped = false;

	if (jalr->link & EAR_FLOW_RETURN)
		popped = ear_return_stack_pop(&encoder->stack, &target);
	if (encoder->unit.sijump && encoder->has_upper && encoder->upper_rd == jalr->rs1 &&
		jalr->rs1) {
		target = (encoder->upper + (uint64_t)(int64_t)jalr->offset) & encoder->mask &
			 ~UINT64_C(1);
		return target == next;
	}
	return popped && target == next;
}

/* An instruction retired, and next is the next one. A call is on the stack before its message is
 * sent, since a synchronisation empties the stack. */
static void retire(
	struct ear_ntrace_encoder *encoder, const struct ear_flow_held *held, uint64_t next)
{
	const struct ear_flow_instruction *instruction = &held->instruction;
	bool inferred = false;

	make_room(encoder, instruction->size / 2, held->pc);
	encoder->icnt += instruction->size / 2;
	if (instruction->kind == EAR_FLOW_INDIRECT)
		inferred = is_inferred(encoder, held, next);
	if (instruction->link & EAR_FLOW_CALL)
		ear_return_stack_push(
			&encoder->stack, (held->pc + instruction->size) & encoder->mask);
	encoder->has_upper = instruction->kind == EAR_FLOW_UPPER;
	encoder->upper_rd = instruction->rd;
	encoder->upper = ear_flow_target(instruction, held->pc);
	if (instruction->kind == EAR_FLOW_BRANCH)
		add_outcome(encoder, ear_flow_is_taken(held, encoder->mask, next), next);
	else if (instruction->kind == EAR_FLOW_JUMP && encoder->unit.alljumps)
		add_outcome(encoder, true, next);
	else if (instruction->kind >= EAR_FLOW_INDIRECT && !inferred)
		put_indirect(encoder, EAR_NTRACE_JUMP, next);
}

static void put_trap(struct ear_ntrace_encoder *encoder, bool interrupt, uint64_t handler)
{
	put_indirect(encoder,
		!encoder->unit.btype_ext ? EAR_NTRACE_TRAP
		: interrupt              ? EAR_NTRACE_INTERRUPT
					 : EAR_NTRACE_EXCEPTION,
		handler);
}

/* Records are missing from pc on: what was executed up to there is sent, and the decoder begins
 * anew after this. */
static void put_loss(struct ear_ntrace_encoder *encoder, uint64_t pc)
{
	struct ear_ntrace_message message = {
		.tcode = is_htm(encoder) ? EAR_NTRACE_HISTORY_SYNC : EAR_NTRACE_INDIRECT_SYNC,
		.sync = EAR_NTRACE_SYNC_PERIODIC,
		.icnt = encoder->icnt,
		.history = is_htm(encoder) ? encoder->history : 0,
		.address = pc,
	};
	struct ear_ntrace_message error = {.tcode = EAR_NTRACE_ERROR, .data = 1 << 2};

	if (!encoder->on)
		return;
	flush(encoder);
	if (encoder->icnt > 0)
		put(encoder, &message);
	put(encoder, &error);
	encoder->on = false;
	encoder->resume = EAR_NTRACE_SYNC_OVERRUN;
}

static void set_time(struct ear_ntrace_encoder *encoder, const struct ear_flow_held *held)
{
	if (!held->has_time || (encoder->has_now && held->time < encoder->now))
		return;
	encoder->now = held->time;
	encoder->has_now = true;
}

static void start(struct ear_ntrace_encoder *encoder, uint64_t pc)
{
	encoder->on = true;
	encoder->icnt = 0;
	encoder->history = 1;
	put_sync(encoder, (enum ear_ntrace_sync)encoder->resume, pc);
}

static void set_privilege(struct ear_ntrace_encoder *encoder, const struct ear_flow_held *held)
{
	if (!held->has_privilege ||
		(encoder->has_privilege && encoder->privilege == held->privilege))
		return;
	encoder->has_privilege = true;
	encoder->privilege = held->privilege;
	if (encoder->on)
		put_ownership(encoder);
}

/* What was held, now that the next record is known: next NULL at a loss or the end. handler: it is
 * the first one of an interrupt's handler. */
static void encode(struct ear_ntrace_encoder *encoder, const uint64_t *next, bool handler)
{
	struct ear_flow_held *held = &encoder->held;
	bool traps, fits;
	uint64_t to;

	if (!held->present)
		return;
	held->present = false;
	traps = ear_flow_held_traps(held);
	fits = next && (traps || ear_flow_leads_to(held, encoder->mask, *next));
	if (fits) {
		to = *next;
	} else if (!ear_flow_own_next(held, encoder->mask, &to)) {
		put_loss(encoder, held->pc); /* where it went is not known */
		return;
	}
	set_time(encoder, held);
	set_privilege(encoder, held);
	if (!encoder->on)
		start(encoder, held->pc);
	if (traps)
		put_trap(encoder, held->interrupted, to);
	else
		retire(encoder, held, to);
	if (!fits && next && handler)
		put_trap(encoder, true, *next);
	else if (!fits && next)
		put_loss(encoder, to);
	encoder->pc = to;
}

void ear_ntrace_encoder_init(
	struct ear_ntrace_encoder *encoder, const struct ear_ntrace_unit *unit, uint16_t src)
{
	memset(encoder, 0, sizeof(*encoder));
	encoder->unit = *unit;
	encoder->mask = UINT64_MAX >> (64 - unit->xlen);
	encoder->src = src;
	encoder->resume = EAR_NTRACE_SYNC_ENABLE;
	encoder->history = 1;
	encoder->stack.depth = unit->stack;
}

void ear_ntrace_encoder_lose(struct ear_ntrace_encoder *encoder)
{
	encode(encoder, NULL, false);
	put_loss(encoder, encoder->pc);
}

void ear_ntrace_encoder_push(struct ear_ntrace_encoder *encoder, const struct ear_record *record)
{
	struct ear_flow_held *held = &encoder->held;
	uint64_t pc = record->pc & encoder->mask;

	if (record->kind == EAR_RECORD_GAP && ear_gap_forgets(&record->u.gap))
		ear_ntrace_encoder_lose(encoder);
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	encode(encoder, &pc, record->flags & EAR_RECORD_HANDLER);
	ear_flow_hold(held, record, encoder->unit.xlen, encoder->code);
	held->present = held->has_opcode || held->trapped;
	if (!held->present)
		put_loss(encoder, pc);
}

void ear_ntrace_encoder_end(struct ear_ntrace_encoder *encoder)
{
	struct ear_ntrace_message message = {.tcode = EAR_NTRACE_STOP, .code = 4};

	encode(encoder, NULL, false);
	if (!encoder->on)
		return;
	flush(encoder);
	message.icnt = encoder->icnt;
	message.history = is_htm(encoder) && encoder->history > 1 ? encoder->history : 0;
	put(encoder, &message);
	encoder->on = false;
}
