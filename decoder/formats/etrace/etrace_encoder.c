/* The encoder of the specification, in our own words. For each item, with the one before it and the
 * one after it, in this order: a trap's handler began; a synchronisation is due; a jump has to be
 * reported; something comes next before which the address has to be known; the map is full.
 *
 * With branch prediction, 31 branches in a row that went as predicted are not sent as a map but
 * counted on, until one did not or an address has to be sent.
 */
#include "decoder/formats/etrace/etrace_encoder.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#define MAP_FULL 31u

static bool has(const struct ear_etrace_encoder *encoder, enum ear_etrace_option option)
{
	return encoder->options & option;
}

static void forget(struct ear_etrace_encoder *encoder)
{
	ear_return_stack_clear(&encoder->stack);
	if (encoder->predictor)
		memset(encoder->predictor, 1, (size_t)1 << encoder->unit->bpred_size);
	if (encoder->cache)
		memset(encoder->cache, 0, sizeof(*encoder->cache) << encoder->unit->cache_size);
}

int ear_etrace_encoder_init(struct ear_etrace_encoder *encoder, const struct ear_etrace_unit *unit,
	uint32_t resync_max, ear_etrace_emit *emit, void *context)
{
	*encoder = (struct ear_etrace_encoder){
		.unit = unit,
		.options = ear_etrace_unit_options(unit),
		.resync_max = resync_max,
		.emit = emit,
		.context = context,
		.first = true,
		.counting = true,
	};
	encoder->stack.depth = 1u << (unit->return_stack_size + unit->call_counter_size);
	if (unit->bpred_size > 0)
		encoder->predictor = malloc((size_t)1 << unit->bpred_size);
	if (unit->cache_size > 0)
		encoder->cache = malloc(sizeof(*encoder->cache) << unit->cache_size);
	if ((!encoder->predictor && unit->bpred_size > 0) ||
		(!encoder->cache && unit->cache_size > 0)) {
		ear_etrace_encoder_fini(encoder);
		return EAR_E_NO_MEMORY;
	}
	forget(encoder);
	return 0;
}

void ear_etrace_encoder_fini(struct ear_etrace_encoder *encoder)
{
	free(encoder->predictor);
	free(encoder->cache);
	encoder->predictor = NULL;
	encoder->cache = NULL;
}

/* --- Packets --- */

static void emit(struct ear_etrace_encoder *encoder, const struct ear_etrace_packet *packet)
{
	encoder->packets++;
	encoder->emit(encoder->context, packet);
}

static void emit_support(struct ear_etrace_encoder *encoder, enum ear_etrace_status status)
{
	const struct ear_etrace_packet packet = {.format = EAR_ETRACE_SUPPORT,
		.enabled = status == EAR_ETRACE_NO_CHANGE,
		.has_options = true,
		.options = encoder->options,
		.status = (uint8_t)status,
		.time = encoder->current.time};

	emit(encoder, &packet);
}

static void begin_map(struct ear_etrace_encoder *encoder)
{
	encoder->map = 0;
	encoder->branches = 0;
	encoder->predicted = 0;
	encoder->counting = true;
}

/* After a synchronisation at an instruction: its branch is in the packet, and nothing is known. */
static void synchronise(struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item)
{
	encoder->address = item->pc;
	encoder->packets = 0;
	encoder->first = encoder->open = false;
	forget(encoder);
	begin_map(encoder);
}

static bool is_branch(const struct ear_etrace_item *item)
{
	return !item->trap && item->instruction->kind == EAR_FLOW_BRANCH;
}

/* branch of SYNC and TRAP. */
static bool branch_bit(const struct ear_etrace_item *item)
{
	return !(is_branch(item) && item->taken);
}

static void emit_sync(struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item)
{
	const struct ear_etrace_packet packet = {.format = EAR_ETRACE_SYNC,
		.has_address = true,
		.branch = branch_bit(item),
		.privilege = item->privilege,
		.time = item->time,
		.context = item->context,
		.address = item->pc};

	emit(encoder, &packet);
	synchronise(encoder, item);
}

/* handler: its first instruction, which retired, or NULL. */
static void emit_trap(struct ear_etrace_encoder *encoder, const struct ear_etrace_item *trap,
	const struct ear_etrace_item *handler)
{
	const struct ear_etrace_item *at = handler ? handler : trap;
	uint64_t vector;
	bool implicit = handler && has(encoder, EAR_ETRACE_IMPLICIT_EXCEPTION);
	const struct ear_etrace_packet packet = {.format = EAR_ETRACE_TRAP,
		.has_address = !implicit,
		.branch = branch_bit(at),
		.privilege = at->privilege,
		.time = trap->time,
		.context = at->context,
		.cause = trap->cause,
		.interrupt = trap->interrupt,
		.thaddr = handler != NULL,
		.address = at->pc,
		.has_tval = !trap->interrupt,
		.tval = trap->interrupt ? 0 : trap->value};

	if (implicit && !(ear_etrace_vector(encoder->unit, trap->interrupt, trap->cause, &vector) &&
				vector == handler->pc)) {
		/* The vector is not where the handler began. */
		emit_trap(encoder, trap, NULL);
		emit_sync(encoder, handler);
		return;
	}
	emit(encoder, &packet);
	if (handler)
		synchronise(encoder, handler);
}

static uint64_t cache_index(const struct ear_etrace_encoder *encoder, uint64_t address)
{
	return address >> encoder->unit->iaddress_lsb &
	       ((UINT64_C(1) << encoder->unit->cache_size) - 1);
}

/* Are the branches since the last packet so many, all predicted but perhaps the last one, that they
 * are sent as a number? */
static bool counts(const struct ear_etrace_encoder *encoder)
{
	return has(encoder, EAR_ETRACE_BRANCH_PREDICTION) && encoder->predicted >= MAP_FULL;
}

/* The address of the item, with all branches up to it. jump: it comes after a jump that has to be
 * reported; leads: a synchronisation follows. */
static void emit_address(struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item,
	bool jump, bool leads)
{
	uint64_t base = has(encoder, EAR_ETRACE_FULL_ADDRESS) ? 0 : encoder->address;
	bool cached = jump && has(encoder, EAR_ETRACE_JUMP_TARGET_CACHE);
	uint64_t index = cached ? cache_index(encoder, item->pc) : 0;
	struct ear_etrace_packet packet = {.format = EAR_ETRACE_ADDRESS,
		.has_address = true,
		.address = item->pc - base,
		.updiscon = jump && leads,
		.irreport = jump && encoder->mispredicted,
		.depth = encoder->depth,
		.branches = (uint8_t)encoder->branches,
		.map = encoder->map,
		.time = item->time};

	if (counts(encoder)) {
		packet.format = EAR_ETRACE_COUNT;
		packet.count = (uint32_t)(encoder->predicted - MAP_FULL);
		packet.count_format = encoder->counting ? EAR_ETRACE_COUNT_ADDRESS
							: EAR_ETRACE_COUNT_ADDRESS_FAILED;
		packet.branches = 0;
		packet.map = 0;
	} else if (cached && encoder->cache[index] == (item->pc | 1) && !packet.updiscon) {
		packet.format = EAR_ETRACE_INDEX;
		packet.has_address = false;
		packet.index = (uint32_t)index;
		packet.address = 0;
	} else if (encoder->branches > 0) {
		packet.format = EAR_ETRACE_MAP;
	}
	if (jump && encoder->cache)
		encoder->cache[cache_index(encoder, item->pc)] = item->pc | 1;
	emit(encoder, &packet);
	encoder->address = item->pc;
	encoder->last_by_jump = jump;
	encoder->open = jump && !packet.updiscon;
	begin_map(encoder);
}

/* --- Branches --- */

static uint8_t *predictor_entry(const struct ear_etrace_encoder *encoder, uint64_t pc)
{
	unsigned shift = encoder->unit->iaddress_lsb == 2 ? 2 : 1;

	return &encoder->predictor[pc >> shift & ((UINT64_C(1) << encoder->unit->bpred_size) - 1)];
}

static bool is_predicted(
	const struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item)
{
	return encoder->predictor && (*predictor_entry(encoder, item->pc) >> 1 != 0) == item->taken;
}

static void train(const struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item)
{
	uint8_t *entry = predictor_entry(encoder, item->pc);

	if (item->taken)
		*entry = *entry == 0 ? 1 : 3;
	else
		*entry = *entry == 3 ? 2 : 0;
}

static void add_branch(struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item)
{
	bool predicted = is_predicted(encoder, item);

	if (encoder->branches < MAP_FULL) {
		encoder->map |= (uint32_t)!item->taken << encoder->branches;
		encoder->branches++;
	}
	encoder->predicted += predicted && encoder->counting;
	encoder->counting &= predicted;
}

/* The map or the count cannot take another branch. */
static void emit_full(struct ear_etrace_encoder *encoder)
{
	struct ear_etrace_packet packet = {.format = EAR_ETRACE_MAP,
		.branches = MAP_FULL,
		.map = encoder->map,
		.time = encoder->current.time};

	if (encoder->branches < MAP_FULL)
		return;
	if (has(encoder, EAR_ETRACE_BRANCH_PREDICTION) && encoder->counting)
		return;
	if (counts(encoder))
		packet = (struct ear_etrace_packet){.format = EAR_ETRACE_COUNT,
			.count = (uint32_t)(encoder->predicted - MAP_FULL),
			.count_format = EAR_ETRACE_COUNT_FAILED,
			.time = encoder->current.time};
	emit(encoder, &packet);
	begin_map(encoder);
}

/* --- Items --- */

static bool is_link(const struct ear_etrace_encoder *encoder,
	const struct ear_flow_instruction *instruction, bool call)
{
	unsigned wide = call ? EAR_FLOW_CALL : EAR_FLOW_RETURN,
		 narrow = call ? EAR_FLOW_CALL_X1 : EAR_FLOW_RETURN_X1;

	return has(encoder, EAR_ETRACE_IMPLICIT_RETURN) &&
	       instruction->link & (encoder->unit->ras ? wide : narrow);
}

/* Must a packet report where the current item, a jump, went? landed: it was synchronised at it. */
static bool is_uninferable(
	struct ear_etrace_encoder *encoder, const struct ear_etrace_item *next, bool landed)
{
	const struct ear_flow_instruction *instruction = encoder->current.instruction;
	const struct ear_etrace_item *before = encoder->has_before ? &encoder->before : NULL;
	uint64_t target;

	encoder->mispredicted = false;
	if (instruction->kind == EAR_FLOW_TRAP_RETURN)
		return true;
	if (instruction->kind != EAR_FLOW_INDIRECT)
		return false;
	if (has(encoder, EAR_ETRACE_SIJUMP) && !landed && before && !before->trap &&
		before->instruction->kind == EAR_FLOW_UPPER && instruction->rs1 != 0 &&
		before->instruction->rd == instruction->rs1)
		return false;
	if (!is_link(encoder, instruction, false) || encoder->stack.count == 0)
		return true;
	if (next && ear_return_stack_top(&encoder->stack) == next->pc) {
		ear_return_stack_pop(&encoder->stack, &target);
		return false;
	}
	encoder->mispredicted = true;
	encoder->depth = encoder->stack.count;
	return true;
}

static bool is_changed(const struct ear_etrace_item *before, const struct ear_etrace_item *item)
{
	return before->privilege != item->privilege || before->context != item->context;
}

/* Encode the current item. next: NULL if it is the last. */
static void encode(struct ear_etrace_encoder *encoder, const struct ear_etrace_item *next)
{
	const struct ear_etrace_item *item = &encoder->current;
	const struct ear_etrace_item *before = encoder->has_before ? &encoder->before : NULL;
	bool due = encoder->resync_max > 0 && encoder->packets >= encoder->resync_max;
	bool empty = encoder->branches == 0 && !encoder->open, landed = false;
	bool synced = false, reported = false;

	if (is_branch(item))
		add_branch(encoder, item);
	if (before && before->trap) {
		synced = !item->trap;
		landed = synced;
		if (item->trap && !encoder->before_reported)
			emit_trap(encoder, before, NULL);
		else if (!item->trap && encoder->before_reported)
			emit_sync(encoder, item);
		else if (!item->trap)
			emit_trap(encoder, before, item);
	} else if (!item->trap && (encoder->first || is_changed(before, item) || (due && empty))) {
		synced = true;
		landed = encoder->first;
		if (encoder->first)
			emit_support(encoder, EAR_ETRACE_NO_CHANGE);
		emit_sync(encoder, item);
	} else if (item->trap && (encoder->first || (before && encoder->uninferable))) {
		if (encoder->first)
			emit_support(encoder, EAR_ETRACE_NO_CHANGE);
		emit_trap(encoder, item, NULL);
		reported = true;
	} else if (before && encoder->uninferable) {
		bool leads = next && (next->trap || is_changed(item, next) ||
					     (encoder->resync_max > 0 &&
						     encoder->packets + 1 >= encoder->resync_max));
		emit_address(encoder, item, true, leads);
	} else if (!item->trap && (!next || next->trap ||
					  ((is_changed(item, next) || due) &&
						  (encoder->branches > 0 || encoder->open)))) {
		emit_address(encoder, item, false, false);
	} else if (!item->trap) {
		emit_full(encoder);
	}
	if (synced)
		encoder->last_by_jump = false;
	if (is_branch(item) && encoder->predictor)
		train(encoder, item);
	encoder->uninferable = !item->trap && is_uninferable(encoder, next, landed);
	if (!item->trap && is_link(encoder, item->instruction, true))
		ear_return_stack_push(&encoder->stack, item->pc + item->instruction->size);
	encoder->before_reported = reported;
	encoder->before = *item;
	encoder->has_before = true;
}

void ear_etrace_encoder_push(struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item)
{
	if (encoder->has_current)
		encode(encoder, item);
	encoder->current = *item;
	encoder->has_current = true;
}

void ear_etrace_encoder_finish(struct ear_etrace_encoder *encoder)
{
	if (encoder->has_current)
		encode(encoder, NULL);
	if (encoder->has_before && encoder->before.trap && !encoder->before_reported)
		emit_trap(encoder, &encoder->before, NULL);
	encoder->has_current = false;
	emit_support(encoder, encoder->last_by_jump ? EAR_ETRACE_ENDED_NTR : EAR_ETRACE_ENDED_REP);
}

void ear_etrace_encoder_lose(struct ear_etrace_encoder *encoder)
{
	ear_etrace_encoder_finish(encoder);
	emit_support(encoder, EAR_ETRACE_TRACE_LOST);
	encoder->first = true;
	encoder->has_before = encoder->uninferable = encoder->mispredicted = false;
	encoder->before_reported = encoder->last_by_jump = encoder->open = false;
	begin_map(encoder);
}
