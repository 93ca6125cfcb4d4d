/* Follows a hart into interrupt handlers and out of them, with a stack of what was interrupted.
 *
 * No format says where a handler ends. Counting traps against xRETs does, as long as each trap
 * returns by one. Where that fails, the privilege helps: it sinks by an xRET only, so code in a
 * lower mode shows that the handlers of higher modes are over; and so does the pc of an outer
 * interrupt. That pc alone cannot decide, since a kernel that switches tasks returns elsewhere.
 */
#include "library/compare/handler.h"

#include "decoder/isa/opcode.h"

/* Higher ranks are entered by traps and left by xRETs. -1: unknown. */
static int8_t rank_of(const struct ear_record *record)
{
	static const int8_t ranks[] = {
		[EAR_PRIVILEGE_U] = 0,
		[EAR_PRIVILEGE_VU] = 0,
		[EAR_PRIVILEGE_VS] = 1,
		[EAR_PRIVILEGE_S] = 2,
		[EAR_PRIVILEGE_RESERVED] = -1,
		[EAR_PRIVILEGE_M] = 3,
		[EAR_PRIVILEGE_DEBUG] = 4,
	};

	/* Spike does not say in which mode an instruction traps, but ecall has a cause for each. */
	static const int8_t ecall_ranks[] = {0, 2, 1, 3};

	if (record->flags & EAR_RECORD_NO_PRIVILEGE && record->flags & EAR_RECORD_TRAP &&
		!(record->flags & EAR_RECORD_NO_CAUSE) && record->cause - 8 < 4)
		return ecall_ranks[record->cause - 8];
	if (record->flags & EAR_RECORD_NO_PRIVILEGE || record->privilege >= sizeof(ranks))
		return -1;
	return ranks[record->privilege];
}

static struct ear_handler_frame *top_frame(struct ear_handler *handler)
{
	return handler->depth > 0 && handler->depth <= EAR_HANDLER_DEPTH_MAX
		       ? &handler->frames[handler->depth - 1]
		       : NULL;
}

static void push_frame(struct ear_handler *handler, struct ear_handler_frame pushed)
{
	if (handler->depth == 0)
		handler->length = 0;
	handler->depth++;
	struct ear_handler_frame *frame = top_frame(handler);
	if (frame)
		*frame = pushed;
	handler->entered = true;
}

static void pop_frame(struct ear_handler *handler)
{
	if (handler->depth == 1) {
		handler->left = true;
		handler->left_frame = handler->frames[0];
	}
	handler->depth--;
}

/* The record shows in which mode the hart is: of the handler just entered, or after a return. */
static void look_at_privilege(struct ear_handler *handler, const struct ear_record *record)
{
	int8_t rank = rank_of(record);
	struct ear_handler_frame *frame = top_frame(handler);

	if (handler->entered && frame && !(record->flags & EAR_RECORD_INTERRUPT))
		frame->rank = rank;
	if (!(record->flags & EAR_RECORD_INTERRUPT))
		handler->entered = false;
	while (handler->returned && rank >= 0 && frame && frame->rank > rank) {
		pop_frame(handler);
		frame = top_frame(handler);
	}
}

static bool returns_to(const struct ear_handler_frame *frame, uint64_t pc)
{
	return frame->has_return_pc &&
	       (pc == frame->return_pc ||
		       (frame->is_exception &&
			       (pc - frame->return_pc == 2 || pc - frame->return_pc == 4)));
}

/* An xRET has gone to the pc of an outer interrupt: what is open inside was left. */
static void look_at_pc(struct ear_handler *handler, const struct ear_record *record)
{
	if (handler->depth == 0 || handler->depth > EAR_HANDLER_DEPTH_MAX ||
		returns_to(&handler->returned_frame, record->pc))
		return;
	for (uint64_t depth = handler->depth; depth > 0; depth--) {
		const struct ear_handler_frame *frame = &handler->frames[depth - 1];
		if (frame->is_exception || !returns_to(frame, record->pc))
			continue;
		while (handler->depth >= depth)
			pop_frame(handler);
		return;
	}
}

/* The record is the first after the outermost handler. */
static void look_at_return(struct ear_handler *handler, const struct ear_record *record)
{
	const struct ear_handler_frame *frame = &handler->left_frame;

	handler->left = false;
	if (!frame->has_return_pc || frame->return_pc == record->pc)
		return;
	handler->statistics.switched++;
	handler->has_switch = true;
	handler->last_switch = (struct ear_handler_switch){frame->return_pc, record->pc};
}

static bool is_first_of_handler(const struct ear_handler *handler, const struct ear_record *record)
{
	uint32_t stopped = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;

	return record->flags & EAR_RECORD_HANDLER && handler->begun &&
	       handler->next_index == record->index && !(handler->last_flags & stopped);
}

/* What the instruction does to the frames: a trap opens one, an xRET closes one. */
static void execute(struct ear_handler *handler, const struct ear_record *record)
{
	if (record->flags & EAR_RECORD_TRAP) {
		push_frame(handler, (struct ear_handler_frame){.return_pc = record->pc,
					    .has_return_pc = true,
					    .is_exception = true,
					    .rank = -1});
		return;
	}
	if (record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_SKIPPED))
		return;
	const struct ear_handler_frame *frame = top_frame(handler);
	switch (record->opcode) {
	case EAR_OPCODE_DRET:
		if (!frame || frame->rank < 4)
			return;
		break;
	case EAR_OPCODE_MRET:
	case EAR_OPCODE_SRET:
	case EAR_OPCODE_MNRET: break;
	default: return;
	}
	handler->returned = true;
	handler->returned_frame = frame ? *frame : (struct ear_handler_frame){.rank = -1};
	pop_frame(handler);
}

static void remember(struct ear_handler *handler, const struct ear_record *record)
{
	handler->begun = true;
	handler->last_flags = record->flags;
	handler->next_index = record->index + 1;
	handler->has_next_pc = !(record->flags & EAR_RECORD_NO_NEXT_PC);
	handler->next_pc = record->next_pc;
}

static bool cut(struct ear_handler *handler)
{
	handler->statistics.cut += handler->depth > 0;
	handler->statistics.open = false;
	handler->depth = 0;
	handler->begun = handler->entered = handler->returned = handler->left = false;
	return false;
}

static void count(struct ear_handler *handler)
{
	struct ear_handler_statistics *statistics = &handler->statistics;

	statistics->records++;
	handler->length++;
	if (handler->length > statistics->longest)
		statistics->longest = handler->length;
}

bool ear_handler_push(struct ear_handler *handler, const struct ear_record *record)
{
	bool riscv = record->isa == EAR_ISA_RISCV;
	bool interrupt = riscv && record->flags & EAR_RECORD_INTERRUPT;

	handler->has_switch = false;
	if (record->kind == EAR_RECORD_GAP)
		return cut(handler);
	look_at_privilege(handler, record);
	if (handler->returned)
		look_at_pc(handler, record);
	handler->returned = false;
	if (handler->left)
		look_at_return(handler, record);
	if (interrupt) {
		push_frame(handler,
			(struct ear_handler_frame){
				.return_pc = record->pc, .has_return_pc = true, .rank = -1});
	} else if (riscv && is_first_of_handler(handler, record)) {
		push_frame(handler, (struct ear_handler_frame){.return_pc = handler->next_pc,
					    .has_return_pc = handler->has_next_pc,
					    .rank = -1});
		look_at_privilege(handler, record);
		interrupt = true;
	}
	handler->statistics.handlers += interrupt;
	bool inside = handler->depth > 0;
	if (inside && !(record->flags & EAR_RECORD_INTERRUPT))
		execute(handler, record);
	remember(handler, record);
	if (inside)
		count(handler);
	handler->statistics.open = handler->depth > 0;
	return inside;
}
