/* Bytes of N-Trace to runs of records.
 *
 * Bytes are collected to messages; a message becomes a walk over the program (ntrace_walk.h) and
 * then at most one other record. Both wait where the run is full, as the job.
 *
 * What was lost is kept with the hart and becomes a gap before its next record, so that a gap says
 * how many bytes it has cost. A message that does not fit the program ends the trust in all of the
 * hart's state, up to the next message with a full address. Where only code is missing, addresses
 * still follow from one another: the next message with an address continues.
 */
#include "decoder/formats/ntrace/ntrace_decoder.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdlib.h>

#define ICNT_MAX (UINT64_C(1) << 22)

static struct ear_ntrace_context context_of(
	struct ear_ntrace_decoder *decoder, struct ear_ntrace_hart *hart)
{
	return (struct ear_ntrace_context){
		.code = decoder->code,
		.unit = &decoder->unit,
		.range = &decoder->range,
		.stack = &hart->stack,
		.mask = UINT64_MAX >> (64 - decoder->unit.xlen),
	};
}

/* --- Losses --- */

static void note_loss(
	struct ear_ntrace_loss *loss, enum ear_gap_reason reason, uint64_t offset, uint64_t bytes)
{
	if (!loss->pending || loss->reason == EAR_GAP_OFF)
		*loss = (struct ear_ntrace_loss){true, (uint8_t)reason, offset, 0};
	loss->bytes += bytes;
}

/* Nothing is known of the hart until the next message with a full address. */
static void forget(struct ear_ntrace_hart *hart)
{
	hart->synced = hart->pc_known = hart->has_now = false;
	hart->rest = 0;
	hart->last.known = false;
	ear_return_stack_clear(&hart->stack);
}

static void lose(
	struct ear_ntrace_hart *hart, enum ear_gap_reason reason, uint64_t offset, uint64_t bytes)
{
	forget(hart);
	note_loss(&hart->loss, reason, offset, bytes);
}

/* A message whose hart is not known was lost. */
static void lose_all(struct ear_ntrace_decoder *decoder, enum ear_gap_reason reason,
	uint64_t offset, uint64_t bytes)
{
	for (size_t i = 0; i < decoder->hart_count; i++)
		lose(decoder->harts[i], reason, offset, bytes);
	note_loss(&decoder->start, reason, offset, bytes);
}

/* The gap of a hart, before its next record. Returns false if there is none. */
static bool give_gap(struct ear_ntrace_decoder *decoder, struct ear_ntrace_hart *hart)
{
	struct ear_ntrace_loss *loss = &hart->loss;

	if (!loss->pending)
		return false;
	ear_flow_run_gap(&decoder->run, &hart->flow, (enum ear_gap_reason)loss->reason, loss->bytes,
		loss->offset);
	loss->pending = false;
	return true;
}

/* --- Harts --- */

static struct ear_ntrace_hart *add_hart(struct ear_ntrace_decoder *decoder, uint16_t src)
{
	if (decoder->hart_count == EAR_NTRACE_HARTS_MAX)
		return NULL;
	struct ear_ntrace_hart *hart = calloc(1, sizeof(*hart));
	if (!hart) {
		decoder->error = EAR_E_NO_MEMORY;
		return NULL;
	}
	hart->flow.hart = src;
	hart->flow.xlen = (uint8_t)decoder->unit.xlen;
	hart->stack.depth = decoder->unit.stack;
	hart->loss = decoder->start;
	decoder->harts[decoder->hart_count++] = hart;
	return hart;
}

/* The hart of a message; NULL: there are too many, or memory is short. */
static struct ear_ntrace_hart *find_hart(struct ear_ntrace_decoder *decoder, uint16_t src)
{
	for (size_t i = 0; i < decoder->hart_count; i++)
		if (decoder->harts[i]->flow.hart == src)
			return decoder->harts[i];
	return add_hart(decoder, src);
}

/* --- Walks --- */

static bool has_address(unsigned tcode)
{
	return tcode == EAR_NTRACE_INDIRECT || tcode == EAR_NTRACE_HISTORY ||
	       ear_ntrace_is_sync(tcode);
}

static bool is_direct(unsigned tcode)
{
	return tcode == EAR_NTRACE_DIRECT || tcode == EAR_NTRACE_DIRECT_SYNC;
}

/* The bits below the stop bit. */
static void set_history(struct ear_ntrace_walk *walk, uint32_t history)
{
	walk->by_history = true;
	walk->history = walk->pattern = history;
	walk->count = walk->pattern_count = history ? (uint8_t)(31 - __builtin_clz(history)) : 0;
}

/* Do the outcomes of a message's branches come with histories, if it has none itself? */
static bool is_by_history(
	const struct ear_ntrace_decoder *decoder, const struct ear_ntrace_job *job)
{
	if (is_direct(job->message.tcode))
		return false;
	return decoder->unit.htm == EAR_NTRACE_ANY ? job->hart->histories : decoder->unit.htm;
}

/* The half-words of the I-CNT. */
static void set_walk(const struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	const struct ear_ntrace_message *message = &job->message;
	bool jumps = has_address(message->tcode) && message->btype == EAR_NTRACE_JUMP;

	job->walk = (struct ear_ntrace_walk){
		.pc = job->hart->pc,
		.from = job->hart->pc,
		.left = message->icnt + (uint64_t)job->hart->rest,
		.target = message->address,
		.has_target = jumps,
		.known = true,
		.jump_last = jumps && !ear_ntrace_is_sync(message->tcode),
		.taken_last = is_direct(message->tcode),
		.open_end = message->tcode == EAR_NTRACE_STOP,
	};
	if (message->history || is_by_history(decoder, job))
		set_history(&job->walk, message->history);
}

/* Up to the branch that takes the last outcome. The encoder would have reported a full I-CNT
 * before one that is larger than it can hold. */
static void set_history_walk(struct ear_ntrace_job *job)
{
	const struct ear_ntrace_message *message = &job->message;
	struct ear_ntrace_walk *walk = &job->walk;

	*walk = (struct ear_ntrace_walk){
		.pc = job->hart->pc,
		.from = job->hart->pc,
		.left = ICNT_MAX + (uint64_t)job->hart->rest,
		.known = true,
		.until_used = true,
		.more = true,
	};
	set_history(walk, message->history);
	if (message->code == EAR_NTRACE_FULL_REPEATED)
		walk->repeats = message->data - 1;
	if (message->history)
		return;
	walk->count = 0; /* RCODE 8 and 9: the same outcome each time */
	walk->pattern_count = 1;
	walk->pattern = message->code == EAR_NTRACE_FULL_TAKEN;
	walk->repeats = message->data;
}

/* Try the walk. If it fits, it is done next; else the hart is lost. */
static void begin_walk(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	const struct ear_ntrace_context context = context_of(decoder, job->hart);
	enum ear_ntrace_verdict verdict = EAR_NTRACE_MISMATCH;

	if (job->walk.left <= INT64_MAX) /* more half-words than that are less than none */
		verdict = ear_ntrace_try(&context, &job->walk, &job->executed);
	if (verdict == EAR_NTRACE_MISMATCH) {
		lose(job->hart, EAR_GAP_DISAGREE, job->offset, job->size);
		return;
	}
	job->no_code = verdict == EAR_NTRACE_NO_CODE;
	job->walk.more |= job->no_code;
	job->walk.left = job->executed;
	job->stage = EAR_NTRACE_WALK;
}

/* Where a message with an address continues, whatever was before. */
static void continue_at(struct ear_ntrace_hart *hart, const struct ear_ntrace_message *message)
{
	hart->pc = hart->reference = message->address;
	hart->pc_known = hart->synced = true;
	hart->rest = 0;
	if (ear_ntrace_is_sync(message->tcode))
		ear_return_stack_clear(&hart->stack);
}

static void give_trap(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	const struct ear_ntrace_message *message = &job->message;
	uint32_t flag =
		message->btype == EAR_NTRACE_INTERRUPT ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;

	if (message->has_time) {
		job->hart->flow.timed = true;
		job->hart->flow.time = job->hart->now;
	}
	ear_flow_run_trap(&decoder->run, &job->hart->flow,
		ear_flow_code_bits_at(decoder->code, &decoder->range, job->walk.pc), job->walk.pc,
		message->address, flag | EAR_RECORD_NO_CAUSE, job->offset);
}

/* The walk is done: what it changes, and the record that follows it. */
static void end_walk(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	struct ear_ntrace_hart *hart = job->hart;
	const struct ear_ntrace_message *message = &job->message;

	job->stage = EAR_NTRACE_BYTES;
	hart->rest = job->walk.until_used ? hart->rest - (int64_t)job->executed : 0;
	hart->pc = job->walk.pc;
	hart->pc_known = !job->no_code;
	if (job->no_code)
		ear_flow_run_no_code(&decoder->run, &hart->flow, job->walk.pc, job->offset);
	else if (message->btype != EAR_NTRACE_JUMP)
		give_trap(decoder, job);
	if (has_address(message->tcode))
		continue_at(hart, message);
}

/* Tracing stops at a jump: where it went is not known. */
static void give_open_end(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	struct ear_ntrace_walk *walk = &job->walk;

	ear_flow_run_trap(&decoder->run, &job->hart->flow,
		ear_flow_code_at(decoder->code, &decoder->range, walk->pc), walk->pc, 0,
		EAR_RECORD_NO_NEXT_PC, job->offset);
	walk->known = true;
}

static void take_stop(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	static const char *const causes[] = {[0] = "debug", [1] = "low-power", [4] = "disabled"};
	unsigned code = job->message.code;
	const char *cause = code < sizeof(causes) / sizeof(causes[0]) ? causes[code] : NULL;

	if (cause)
		ear_flow_run_event(
			&decoder->run, &job->hart->flow, job->offset, "trace-stop %s", cause);
	else
		ear_flow_run_event(
			&decoder->run, &job->hart->flow, job->offset, "trace-stop %u", code);
	forget(job->hart);
	note_loss(&job->hart->loss, EAR_GAP_OFF, job->offset, 0);
}

/* Go on with the walk of the job. Returns false if the run has to be handed out first. */
static bool do_walk(struct ear_ntrace_decoder *decoder)
{
	struct ear_ntrace_job *job = &decoder->job;
	const struct ear_ntrace_context context = context_of(decoder, job->hart);
	bool timed = job->message.has_time && job->message.btype == EAR_NTRACE_JUMP &&
		     job->message.tcode != EAR_NTRACE_SYNC && /* its cause is after the walk */
		     !job->walk.more && job->iterations == 0;

	if (!ear_ntrace_go(&context, &job->walk, &decoder->run, &job->hart->flow, job->offset,
		    timed ? &job->hart->now : NULL))
		return false;
	if (!job->walk.known) {
		give_open_end(decoder, job);
		return false;
	}
	end_walk(decoder, job);
	if (job->iterations > 0 && job->hart->pc_known) {
		job->iterations--;
		set_walk(decoder, job);
		begin_walk(decoder, job);
	} else if (job->message.tcode == EAR_NTRACE_STOP && !job->no_code) {
		take_stop(decoder, job);
	}
	return !decoder->run.has_record;
}

/* --- Messages --- */

/* A message that says nothing without what was before it. */
static void skip(struct ear_ntrace_job *job)
{
	if (!job->hart->synced)
		note_loss(&job->hart->loss, EAR_GAP_NO_START, job->offset, job->size);
}

/* Tracing begins, or begins again: what was lost comes first. */
static void take_start(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	struct ear_ntrace_hart *hart = job->hart;

	if (give_gap(decoder, hart)) {
		job->stage = EAR_NTRACE_MESSAGE; /* once more, without the gap */
		return;
	}
	continue_at(hart, &job->message);
	if (!job->message.has_time)
		return;
	hart->now = job->message.time;
	hart->has_now = true;
	if (job->message.tcode == EAR_NTRACE_SYNC) { /* others are of the jump before */
		hart->flow.timed = true;
		hart->flow.time = hart->now;
	}
}

/* BTM has no histories, and HTM no direct branches. */
static bool is_of_mode(
	const struct ear_ntrace_decoder *decoder, const struct ear_ntrace_message *message)
{
	bool history = message->history != 0 || (message->tcode == EAR_NTRACE_FULL &&
							message->code >= EAR_NTRACE_FULL_NOT_TAKEN);

	if (decoder->unit.htm == EAR_NTRACE_ANY)
		return true;
	return decoder->unit.htm ? !is_direct(message->tcode) : !history;
}

static void remember(struct ear_ntrace_hart *hart, const struct ear_ntrace_message *message)
{
	hart->last = (struct ear_ntrace_branch){
		.known = message->tcode == EAR_NTRACE_DIRECT ||
			 message->tcode == EAR_NTRACE_INDIRECT ||
			 message->tcode == EAR_NTRACE_HISTORY,
		.tcode = message->tcode,
		.btype = message->btype,
		.icnt = message->icnt,
		.history = message->history,
	};
}

static void take_branch(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	struct ear_ntrace_hart *hart = job->hart;
	struct ear_ntrace_message *message = &job->message;
	bool sync = ear_ntrace_is_sync(message->tcode);

	if (has_address(message->tcode) && !sync && hart->synced)
		message->address ^= hart->reference;
	remember(hart, message);
	if (hart->pc_known) {
		set_walk(decoder, job);
		begin_walk(decoder, job);
	}
	if (job->stage == EAR_NTRACE_WALK)
		return;
	if (sync)
		take_start(decoder, job);
	else if (hart->synced && has_address(message->tcode))
		continue_at(hart, message);
	else
		skip(job);
}

static void take_full(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	struct ear_ntrace_hart *hart = job->hart;
	const struct ear_ntrace_message *message = &job->message;

	if (!hart->pc_known) {
		skip(job);
		return;
	}
	switch (message->code) {
	case EAR_NTRACE_FULL_ICNT:
		if (hart->rest > INT64_MAX / 2)
			lose(hart, EAR_GAP_BAD_MESSAGE, job->offset, job->size);
		else
			hart->rest += (int64_t)message->data;
		return;
	case EAR_NTRACE_FULL_HISTORY:
	case EAR_NTRACE_FULL_REPEATED: break;
	case EAR_NTRACE_FULL_NOT_TAKEN:
	case EAR_NTRACE_FULL_TAKEN:
		if (message->data > 0)
			break;
		return;
	default: return; /* of another vendor */
	}
	set_history_walk(job);
	begin_walk(decoder, job);
}

static void take_repeat(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	struct ear_ntrace_hart *hart = job->hart;
	const struct ear_ntrace_message repeat = job->message;

	if (!hart->pc_known) {
		skip(job);
		return;
	}
	if (!hart->last.known) {
		lose(hart, EAR_GAP_BAD_MESSAGE, job->offset, job->size);
		return;
	}
	job->message = (struct ear_ntrace_message){
		.tcode = hart->last.tcode,
		.btype = hart->last.btype,
		.icnt = hart->last.icnt,
		.history = hart->last.history,
		.address = hart->reference,
	};
	job->iterations = repeat.data - 1;
	set_walk(decoder, job);
	begin_walk(decoder, job);
}

/* PROCESS: FORMAT, PRV and V, then the context. */
static void take_ownership(struct ear_ntrace_decoder *decoder, struct ear_ntrace_job *job)
{
	static const uint8_t privileges[2][4] = {
		{EAR_PRIVILEGE_U, EAR_PRIVILEGE_S, EAR_PRIVILEGE_RESERVED, EAR_PRIVILEGE_M},
		{EAR_PRIVILEGE_VU, EAR_PRIVILEGE_VS, EAR_PRIVILEGE_RESERVED,
			EAR_PRIVILEGE_RESERVED},
	};
	struct ear_ntrace_hart *hart = job->hart;
	uint64_t process = job->message.data, context = process >> 5;
	unsigned form = process & 3;

	hart->flow.privilege = privileges[process >> 4 & 1][process >> 2 & 3];
	hart->flow.privilege_known = hart->flow.privilege != EAR_PRIVILEGE_RESERVED;
	if (form < 2 || (hart->has_context && hart->context == process))
		return;
	hart->has_context = true;
	hart->context = process;
	if (job->message.has_time) {
		hart->flow.timed = true;
		hart->flow.time = hart->now;
	}
	ear_flow_run_event(&decoder->run, &hart->flow, job->offset,
		form == 2 ? "switch %" PRIu64 : "hcontext %" PRIu64, context);
}

/* ECODE: what was lost. */
static void take_error(struct ear_ntrace_job *job)
{
	bool program = job->message.data & 1 << 2, ownership = job->message.data & 1 << 3;

	job->hart->flow.privilege_known = job->hart->has_context = false;
	if (program || !ownership)
		lose(job->hart, EAR_GAP_UNIT_FIFO, job->offset, 0);
}

static void take_message(struct ear_ntrace_decoder *decoder)
{
	struct ear_ntrace_job *job = &decoder->job;
	const struct ear_ntrace_message *message = &job->message;

	job->stage = EAR_NTRACE_BYTES;
	job->iterations = 0;
	if (!is_of_mode(decoder, message)) {
		lose(job->hart, EAR_GAP_BAD_MESSAGE, job->offset, job->size);
		return;
	}
	job->hart->histories |= message->history != 0;
	switch (message->tcode) {
	case EAR_NTRACE_OWNERSHIP: take_ownership(decoder, job); return;
	case EAR_NTRACE_ERROR: take_error(job); return;
	case EAR_NTRACE_FULL: take_full(decoder, job); return;
	case EAR_NTRACE_REPEAT: take_repeat(decoder, job); return;
	default: take_branch(decoder, job); return;
	}
}

/* --- Bytes --- */

static void set_time(struct ear_ntrace_hart *hart, struct ear_ntrace_message *message)
{
	if (!message->has_time)
		return;
	if (ear_ntrace_is_sync(message->tcode)) {
		hart->now = message->time;
		hart->has_now = true;
	} else if (hart->has_now) {
		hart->now += message->time;
	} else {
		message->has_time = false; /* since when is not known */
	}
}

/* A stream may begin inside of a message, whose rest looks like another one. Where nothing ended
 * before it, only what begins a trace is believed: a program trace synchronisation with an I-CNT of
 * 0, for a reason that begins one, at an instruction of the program. */
static bool is_beginning(
	struct ear_ntrace_decoder *decoder, const struct ear_ntrace_message *message)
{
	return message->tcode == EAR_NTRACE_SYNC && message->icnt == 0 &&
	       message->sync != EAR_NTRACE_SYNC_PERIODIC && message->sync != EAR_NTRACE_SYNC_ICNT &&
	       (!decoder->code ||
		       ear_flow_code_at(decoder->code, &decoder->range, message->address));
}

static void parse(struct ear_ntrace_decoder *decoder, uint64_t offset)
{
	struct ear_ntrace_job *job = &decoder->job;
	size_t size = decoder->message_size;
	bool aligned = decoder->aligned;
	int result = ear_ntrace_parse(&job->message, decoder->message, size, &decoder->unit);

	decoder->message_size = 0;
	decoder->aligned = true;
	if (!aligned && (result || !is_beginning(decoder, &job->message))) {
		lose_all(decoder, EAR_GAP_NO_START, offset, size);
		return;
	}
	if (result == EAR_E_UNSUPPORTED) {
		decoder->others |= UINT64_C(1) << job->message.tcode;
		return;
	}
	job->hart = result ? NULL : find_hart(decoder, job->message.src);
	if (!job->hart) {
		lose_all(decoder, EAR_GAP_BAD_MESSAGE, offset, size);
		return;
	}
	job->offset = offset;
	job->size = size;
	job->stage = EAR_NTRACE_MESSAGE;
	set_time(job->hart, &job->message);
}

/* Bytes up to the end of a message. Nothing is open: a byte that ends a message is idle. */
static void take_byte(struct ear_ntrace_decoder *decoder)
{
	uint8_t byte = *decoder->bytes;
	unsigned end = byte & 3;
	uint64_t offset = decoder->offset - decoder->message_size;

	decoder->bytes++;
	decoder->size--;
	decoder->offset++;
	if (decoder->skipping) {
		lose_all(decoder, EAR_GAP_DAMAGE, offset, 1);
		decoder->skipping = end != EAR_NTRACE_END_MESSAGE;
		return;
	}
	if (decoder->message_size == 0 && end == EAR_NTRACE_END_MESSAGE) {
		decoder->aligned = true;
		return;
	}
	if (end == EAR_NTRACE_RESERVED || decoder->message_size == EAR_NTRACE_MESSAGE_MAX) {
		lose_all(decoder, decoder->aligned ? EAR_GAP_DAMAGE : EAR_GAP_NO_START, offset,
			decoder->message_size + 1);
		decoder->skipping = end != EAR_NTRACE_END_MESSAGE;
		decoder->aligned = true;
		decoder->message_size = 0;
		return;
	}
	decoder->message[decoder->message_size++] = byte;
	if (end == EAR_NTRACE_END_MESSAGE)
		parse(decoder, offset);
}

/* The end: a message that is cut off, and what was lost up to here. Returns false if that is all.
 */
static bool give_end(struct ear_ntrace_decoder *decoder)
{
	if (decoder->message_size > 0) {
		lose_all(decoder, EAR_GAP_CUT, decoder->offset - decoder->message_size,
			decoder->message_size);
		decoder->message_size = 0;
	}
	if (decoder->start.pending && decoder->hart_count == 0 && !add_hart(decoder, 0))
		return false;
	for (size_t i = 0; i < decoder->hart_count; i++) {
		struct ear_ntrace_hart *hart = decoder->harts[i];
		if (hart->loss.reason == EAR_GAP_OFF)
			hart->loss.pending = false;   /* nothing follows */
		if (hart->pc_known && hart->rest > 0) /* they retired, and no message says how */
			lose(hart, EAR_GAP_CUT, decoder->offset, 0);
		if (give_gap(decoder, hart))
			return true;
	}
	return false;
}

/* --- The decoder --- */

int ear_ntrace_decoder_new(struct ear_ntrace_decoder **decoder, const struct ear_flow_code *code,
	const struct ear_ntrace_unit *unit)
{
	*decoder = calloc(1, sizeof(**decoder));
	if (!*decoder)
		return EAR_E_NO_MEMORY;
	(*decoder)->unit = *unit;
	(*decoder)->code = code;
	ear_flow_run_init(&(*decoder)->run);
	if (unit->ring.wrapped) {
		(*decoder)->skipping = true;
		lose_all(*decoder, EAR_GAP_NO_START, 0, 0);
	}
	return 0;
}

void ear_ntrace_decoder_free(struct ear_ntrace_decoder *decoder)
{
	for (size_t i = 0; decoder && i < decoder->hart_count; i++)
		free(decoder->harts[i]);
	free(decoder);
}

void ear_ntrace_decoder_feed(struct ear_ntrace_decoder *decoder, const uint8_t *bytes, size_t size)
{
	decoder->bytes = bytes;
	decoder->size = size;
}

void ear_ntrace_decoder_end(struct ear_ntrace_decoder *decoder)
{
	decoder->ended = true;
}

int ear_ntrace_decoder_next(struct ear_ntrace_decoder *decoder)
{
	struct ear_flow_run *run = &decoder->run;

	while (!run->has_record && !decoder->error) {
		if (decoder->job.stage == EAR_NTRACE_WALK) {
			if (!do_walk(decoder))
				return 1;
		} else if (decoder->job.stage == EAR_NTRACE_MESSAGE) {
			take_message(decoder);
		} else if (decoder->size > 0) {
			take_byte(decoder);
		} else if (!decoder->ended || !give_end(decoder)) {
			break;
		}
	}
	return decoder->error ? decoder->error : !ear_flow_run_is_empty(run);
}

/* --- Saving --- */

bool ear_ntrace_decoder_is_settled(const struct ear_ntrace_decoder *decoder)
{
	return decoder->job.stage == EAR_NTRACE_BYTES && decoder->message_size == 0 &&
	       ear_flow_run_is_given(&decoder->run);
}

static void walk_loss(struct ear_ntrace_loss *loss, struct ear_state_walk *walk)
{
	ear_state_bool(walk, &loss->pending);
	ear_state_u8(walk, &loss->reason, EAR_GAP_REASONS - 1);
	ear_state_u64(walk, &loss->offset, UINT64_MAX);
	ear_state_u64(walk, &loss->bytes, UINT64_MAX);
}

static void walk_last(struct ear_ntrace_branch *last, struct ear_state_walk *walk)
{
	ear_state_bool(walk, &last->known);
	ear_state_u8(walk, &last->tcode, 63);
	ear_state_u8(walk, &last->btype, EAR_NTRACE_INTERRUPT);
	ear_state_u32(walk, &last->icnt);
	ear_state_u32(walk, &last->history);
	last->known &= last->tcode == EAR_NTRACE_DIRECT || last->tcode == EAR_NTRACE_INDIRECT ||
		       last->tcode == EAR_NTRACE_HISTORY;
}

static void walk_hart(struct ear_ntrace_hart *hart, struct ear_state_walk *walk)
{
	uint64_t rest = (uint64_t)hart->rest;

	ear_state_u16(walk, &hart->flow.hart, UINT16_MAX);
	ear_state_u8(walk, &hart->flow.privilege, EAR_PRIVILEGE_DEBUG);
	ear_state_bool(walk, &hart->flow.privilege_known);
	ear_state_bool(walk, &hart->flow.timed);
	ear_state_u64(walk, &hart->flow.index, UINT64_MAX);
	ear_state_u64(walk, &hart->flow.time, UINT64_MAX);
	ear_state_bool(walk, &hart->synced);
	ear_state_bool(walk, &hart->pc_known);
	ear_state_bool(walk, &hart->has_now);
	ear_state_bool(walk, &hart->histories);
	ear_state_bool(walk, &hart->has_context);
	ear_state_u64(walk, &hart->pc, UINT64_MAX);
	ear_state_u64(walk, &hart->reference, UINT64_MAX);
	ear_state_u64(walk, &hart->now, UINT64_MAX);
	ear_state_u64(walk, &hart->context, UINT64_MAX);
	ear_state_u64(walk, &rest, UINT64_MAX);
	hart->rest = (int64_t)rest;
	walk_last(&hart->last, walk);
	walk_loss(&hart->loss, walk);
	ear_return_stack_walk(&hart->stack, walk);
}

int ear_ntrace_decoder_walk(struct ear_ntrace_decoder *decoder, struct ear_state_walk *walk)
{
	uint8_t count = (uint8_t)decoder->hart_count;

	ear_state_bool(walk, &decoder->skipping);
	ear_state_bool(walk, &decoder->aligned);
	walk_loss(&decoder->start, walk);
	ear_state_u8(walk, &count, EAR_NTRACE_HARTS_MAX);
	for (size_t i = 0; i < count; i++) {
		if (i == decoder->hart_count && !add_hart(decoder, 0))
			return EAR_E_NO_MEMORY;
		walk_hart(decoder->harts[i], walk);
	}
	return 0;
}
