/* Finds the records that matter to call stacks.
 *
 * Whether an instruction is one of them shows in a few bits of its opcode and in whether it writes
 * sp, so the fast path is three comparisons; the rest is done for some records in ten. sp is
 * followed here, where every write is seen, and reported with each event: only writes that do not
 * add to it are events of their own, since a switch of stacks is always one of these. A part knows
 * nothing of the one before. What depends on both is left to the tracker: the first write of sp in
 * a part is an event in any case, and the first and last records of each hart are announced.
 */
#include "library/state/flow.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/record/absent_fields.h"

#define SP EAR_RUN_SP

/* Bits 15:13 and 1:0 of Zcmp and Zcmt; and of c.fsdsp. */
#define OPCODE_ZCMP 0xA002u

enum sp_state { SP_SAME, SP_KNOWN, SP_UNKNOWN };

struct ear_flow_hart {
	uint64_t sp; /* if SP_KNOWN */
	uint64_t next_index, next_pc;
	uint32_t last_flags;
	uint16_t hart;
	uint8_t sp_state; /* enum sp_state */
	uint8_t xlen;
	bool begun;    /* in this part */
	bool follows;  /* next_index is known: no gap came after the last record */
	bool has_last; /* the last record is known, and so is whether it has next_pc: */
	bool has_next_pc;
	bool building; /* the last write of sp set part of a value */
	bool waiting;  /* the last event has no target */
	bool foreign;
};

void ear_flow_fini(struct ear_flow *flow)
{
	free(flow->events);
	free(flow->harts);
	*flow = (struct ear_flow){0};
}

void ear_flow_begin(struct ear_flow *flow)
{
	for (size_t i = 0; i < flow->hart_count; i++)
		flow->harts[i] = (struct ear_flow_hart){.hart = flow->harts[i].hart};
	flow->begun = false;
}

static struct ear_flow_hart *find_hart(struct ear_flow *flow, uint16_t number, int *result)
{
	if (flow->last < flow->hart_count && flow->harts[flow->last].hart == number)
		return &flow->harts[flow->last];
	for (size_t i = 0; i < flow->hart_count; i++) {
		if (flow->harts[i].hart == number) {
			flow->last = i;
			return &flow->harts[i];
		}
	}
	*result = EAR_E_FULL;
	if (flow->hart_count == EAR_FLOW_HARTS_MAX)
		return NULL;
	*result = EAR_E_NO_MEMORY;
	if (!EAR_ARRAY_RESERVE(flow->harts, &flow->hart_capacity, flow->hart_count + 1))
		return NULL;
	flow->last = flow->hart_count++;
	flow->harts[flow->last] = (struct ear_flow_hart){.hart = number};
	return &flow->harts[flow->last];
}

static int emit(struct ear_flow *flow, const struct ear_flow_hart *hart, uint64_t position,
	enum ear_flow_kind kind, unsigned flags, uint64_t pc, uint64_t target)
{
	if (!EAR_ARRAY_RESERVE(flow->events, &flow->capacity, flow->count + 1))
		return EAR_E_NO_MEMORY;
	flags |= hart->xlen == 64 ? EAR_FLOW_WIDE : 0u;
	flags |= hart->sp_state == SP_SAME      ? EAR_FLOW_SP_SAME
		 : hart->sp_state == SP_UNKNOWN ? EAR_FLOW_SP_UNKNOWN
						: 0u;
	flow->events[flow->count++] = (struct ear_flow_event){
		.pc = pc,
		.target = flags & EAR_FLOW_NO_TARGET ? 0 : target,
		.sp = hart->sp_state == SP_KNOWN ? hart->sp : 0,
		.position = (uint32_t)position,
		.hart = hart->hart,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
	};
	return 0;
}

/* Does a write of x2 by this opcode move sp within its stack: by adding to it, or aligning it? */
static bool is_arithmetic(uint32_t opcode)
{
	if (ear_opcode_is_compressed(opcode)) {
		opcode &= 0xFFFF;
		return (opcode & 0xEF83) == 0x6101 ||               /* c.addi16sp */
		       (opcode & 0xEF83) == 0x0101 ||               /* c.addi */
		       (opcode & 0xFF83) == 0x9102 ||               /* c.add */
		       (opcode & EAR_OPCODE_C_MASK) == OPCODE_ZCMP; /* cm.push, cm.pop */
	}
	uint32_t rs1 = opcode >> 15 & 31, rs2 = opcode >> 20 & 31, funct3 = opcode >> 12 & 7;
	switch (ear_opcode_major(opcode)) {
	case EAR_OPCODE_OP_IMM:
	case EAR_OPCODE_OP_IMM_32: return rs1 == SP && (funct3 == 0 || funct3 == 7);
	case EAR_OPCODE_OP: return (rs1 == SP || rs2 == SP) && (funct3 == 0 || funct3 == 7);
	default: return false;
	}
}

/* addi sp, s0, offset; mv sp, s0 */
static bool is_from_frame_pointer(uint32_t opcode)
{
	return ear_opcode_is_compressed(opcode) ? (opcode & 0xFFFF) == 0x8122
						: (opcode & 0xFFFFF) == 0x40113;
}

static bool is_upper(uint32_t opcode)
{
	if (ear_opcode_is_compressed(opcode))
		return (opcode & EAR_OPCODE_C_MASK) == EAR_OPCODE_C_LI;
	return ear_opcode_major(opcode) == EAR_OPCODE_LUI ||
	       ear_opcode_major(opcode) == EAR_OPCODE_AUIPC ||
	       (ear_opcode_major(opcode) == EAR_OPCODE_OP_IMM && (opcode >> 15 & 31) == 0);
}

/* What cm.push takes from sp. The instruction table has c.fsdsp for this opcode, but that does not
 * write sp. */
static int64_t list_size(uint32_t opcode, unsigned xlen)
{
	unsigned list = opcode >> 4 & 15;
	unsigned registers = list == 15 ? 13 : list > 3 ? list - 3 : 0;

	return (registers * xlen / 8 + 15) / 16 * 16 + (opcode >> 2 & 3) * 16;
}

/* What was added to sp, if the opcode says it. */
static bool find_added(uint32_t opcode, unsigned xlen, int64_t *added)
{
	struct ear_inst inst;

	if ((opcode & EAR_OPCODE_C_MASK) == OPCODE_ZCMP) {
		*added = list_size(opcode, xlen) * ((opcode & 0xFE03) == 0xB802 ? -1 : 1);
		return true;
	}
	ear_inst_decode(&inst, opcode, xlen);
	*added = inst.imm;
	switch (inst.id) {
	case EAR_INST_ADDI:
	case EAR_INST_C_ADDI:
	case EAR_INST_C_ADDI16SP: return true;
	default: return false;
	}
}

/* x2 was written. An event only if it may be another stack, or the first write of the part. */
static int set_sp(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position, uint64_t pc,
	uint32_t opcode, uint64_t value)
{
	bool arithmetic = is_arithmetic(opcode);
	int result = 0;

	if (hart->xlen == 32)
		value = (uint32_t)value;
	if (!arithmetic) {
		hart->building = is_upper(opcode);
		unsigned flags = hart->building ? EAR_FLOW_PART | EAR_FLOW_OFFSET : 0u;
		if (is_from_frame_pointer(opcode))
			flags = EAR_FLOW_OFFSET;
		result = emit(flow, hart, position, EAR_FLOW_SET, flags, pc, value);
	} else if (hart->building || hart->sp_state != SP_KNOWN) {
		int64_t added;
		hart->building = false;
		result = emit(flow, hart, position, EAR_FLOW_SET, EAR_FLOW_PART, pc, value);
		if (result == 0 && hart->sp_state != SP_KNOWN &&
			find_added(opcode, hart->xlen, &added)) {
			uint64_t before = value - (uint64_t)added;
			result = emit(flow, hart, position, EAR_FLOW_WAS, 0, pc,
				hart->xlen == 32 ? (uint32_t)before : before);
		}
	}
	hart->sp = value;
	hart->sp_state = SP_KNOWN;
	return result;
}

/* What a jump, call or return is: volume I, "Return-address prediction hints encoded in the
 * register operands of a JALR instruction". -1: none of these. */
static int jump_kind(uint32_t rd, uint32_t rs1)
{
	bool links = rd == 1 || rd == 5, by_link = rs1 == 1 || rs1 == 5;

	if (links)
		return by_link && rd != rs1 ? EAR_FLOW_SWAP : EAR_FLOW_CALL;
	return by_link ? EAR_FLOW_RETURN : EAR_FLOW_JUMP;
}

/* The kind of a control transfer, -1 if the instruction is none that matters. */
static int classify(uint32_t opcode, unsigned xlen, unsigned *flags)
{
	uint32_t rd = opcode >> 7 & 31, rs1 = opcode >> 15 & 31;

	if (ear_opcode_is_compressed(opcode)) {
		*flags |= EAR_FLOW_SHORT;
		if ((opcode & EAR_OPCODE_C_MASK) == EAR_OPCODE_C_JAL)
			return xlen == 32 ? EAR_FLOW_CALL : -1;
		if ((opcode & 0xE07F) != EAR_OPCODE_C_JR || rd == 0)
			return -1; /* c.mv, c.add; c.ebreak and what is reserved */
		rs1 = rd;
		rd = opcode >> 12 & 1;
	} else if (ear_opcode_major(opcode) == EAR_OPCODE_JAL) {
		*flags |= rd == 5 ? EAR_FLOW_BY_X5 : 0u;
		return rd == 1 || rd == 5 ? EAR_FLOW_CALL : -1;
	} else if (ear_opcode_major(opcode) == EAR_OPCODE_JALR) {
		*flags |= opcode >> 20 ? EAR_FLOW_OFFSET : 0u;
	} else {
		switch (opcode) {
		case EAR_OPCODE_MRET:
		case EAR_OPCODE_SRET:
		case EAR_OPCODE_MNRET:
		case EAR_OPCODE_DRET: return EAR_FLOW_XRET;
		default: return -1;
		}
	}
	int kind = jump_kind(rd, rs1);
	*flags |= (kind == EAR_FLOW_CALL ? rd : rs1) == 5 ? EAR_FLOW_BY_X5 : 0u;
	if (kind == EAR_FLOW_CALL)
		*flags &= ~(unsigned)EAR_FLOW_OFFSET;
	return kind;
}

/* May the instruction be a control transfer that matters? */
static inline bool is_transfer(uint32_t opcode, bool wide)
{
	if (!ear_opcode_is_compressed(opcode)) {
		uint32_t major = ear_opcode_major(opcode);
		return major == EAR_OPCODE_JALR || major == EAR_OPCODE_SYSTEM ||
		       (major == EAR_OPCODE_JAL && (opcode & 0xD80) == 0x080); /* x1, x5 */
	}
	uint32_t bits = opcode & EAR_OPCODE_C_MASK;
	return (bits == EAR_OPCODE_C_JAL && !wide) || bits == OPCODE_ZCMP ||
	       (bits == EAR_OPCODE_C_JR && (opcode & 0x7C) == 0);
}

/* An instruction that executed to its end. */
struct step {
	uint64_t position, pc, next_pc;
	uint32_t opcode;
	bool has_next_pc, taken;
	bool sp_written;
	uint64_t sp; /* if it was */
};

/* Instructions of Zcmp and Zcmt that jump; c.fsdsp, which has the same opcodes, never does. */
static int push_table_jump(
	struct ear_flow *flow, struct ear_flow_hart *hart, const struct step *step)
{
	bool pops = step->sp_written && (step->opcode & 0xFD03) == 0xBC02;

	if (step->has_next_pc ? !step->taken : !pops)
		return 0;
	if (step->sp_written) { /* cm.popret, cm.popretz: sp is that of the caller when it jumps */
		hart->sp = hart->xlen == 32 ? (uint32_t)step->sp : step->sp;
		hart->sp_state = SP_KNOWN;
	}
	enum ear_flow_kind kind = (step->opcode & 0xFC03) != 0xA002 ? EAR_FLOW_RETURN
				  : (step->opcode >> 2 & 0xFF) < 32 ? EAR_FLOW_JUMP
								    : EAR_FLOW_CALL;
	unsigned flags = EAR_FLOW_SHORT | (step->has_next_pc ? 0u : EAR_FLOW_NO_TARGET);
	hart->waiting = !step->has_next_pc;
	return emit(flow, hart, step->position, kind, flags, step->pc, step->next_pc);
}

static int push_transfer(struct ear_flow *flow, struct ear_flow_hart *hart, const struct step *step)
{
	unsigned flags = step->has_next_pc ? 0u : EAR_FLOW_NO_TARGET;
	int kind = classify(step->opcode, hart->xlen, &flags);

	if (kind < 0) {
		bool table = (step->opcode & EAR_OPCODE_C_MASK) == OPCODE_ZCMP;
		return table ? push_table_jump(flow, hart, step) : 0;
	}
	hart->waiting = !step->has_next_pc;
	return emit(flow, hart, step->position, (enum ear_flow_kind)kind, flags, step->pc,
		step->next_pc);
}

static int execute(struct ear_flow *flow, struct ear_flow_hart *hart, const struct step *step)
{
	int result = 0;

	if (is_transfer(step->opcode, hart->xlen == 64))
		result = push_transfer(flow, hart, step);
	if (step->sp_written && result == 0)
		result = set_sp(flow, hart, step->position, step->pc, step->opcode, step->sp);
	return result;
}

static int push_executed(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position,
	const struct ear_record *record)
{
	struct step step = {
		.position = position,
		.pc = record->pc,
		.next_pc = record->next_pc,
		.opcode = (uint32_t)record->opcode,
		.has_next_pc = !(record->flags & EAR_RECORD_NO_NEXT_PC),
		.taken = record->flags & EAR_RECORD_TAKEN,
	};

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_X && reg->number == SP) {
			step.sp_written = true;
			step.sp = reg->value;
		}
	}
	return execute(flow, hart, &step);
}

static int push_gap(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position)
{
	hart->sp_state = SP_UNKNOWN;
	hart->follows = hart->has_last = hart->building = false;
	hart->begun = true;   /* what the part before knew is void */
	hart->waiting = true; /* for the pc of the next record */
	return emit(flow, hart, position, EAR_FLOW_GAP, 0, 0, 0);
}

/* What a record says by being the next one. */
static int push_begin(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position,
	uint64_t index, uint64_t pc)
{
	bool follows_other = flow->begun && index == flow->next_index;
	unsigned flags = flow->begun ? 0u : EAR_FLOW_OFFSET;
	int result = 0;

	if (!hart->begun) {
		hart->begun = true;
		flags |= follows_other ? EAR_FLOW_PART : 0u;
		return emit(flow, hart, position, EAR_FLOW_BEGIN, flags, index, pc);
	}
	if (hart->follows && index != hart->next_index && !follows_other)
		result = push_gap(flow, hart, position);
	if (hart->waiting && result == 0)
		result = emit(flow, hart, position, EAR_FLOW_AT, 0, pc, pc);
	hart->waiting = false;
	return result;
}

/* The handler of an interrupt that has no record. */
static int push_handler(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position,
	const struct ear_record *record)
{
	unsigned flags = hart->has_last ? 0u : EAR_FLOW_PART;

	if (hart->has_last && hart->last_flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		return 0;
	if (!hart->has_last || !hart->has_next_pc)
		flags |= EAR_FLOW_NO_TARGET;
	return emit(flow, hart, position, EAR_FLOW_HANDLER, flags, record->pc, hart->next_pc);
}

static int push_instruction(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position,
	const struct ear_record *record)
{
	uint32_t stopped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	unsigned flags = record->flags & EAR_RECORD_NO_NEXT_PC ? EAR_FLOW_NO_TARGET : 0u;
	int result = 0;

	if (record->flags & EAR_RECORD_HANDLER)
		result = push_handler(flow, hart, position, record);
	if (result < 0)
		return result;
	if (stopped) {
		hart->waiting = flags & EAR_FLOW_NO_TARGET;
		return emit(flow, hart, position,
			stopped & EAR_RECORD_INTERRUPT ? EAR_FLOW_INTERRUPT : EAR_FLOW_TRAP, flags,
			record->pc, record->next_pc);
	}
	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE) {
		bool first = !hart->foreign;
		hart->foreign = true;
		return first ? emit(flow, hart, position, EAR_FLOW_FOREIGN, 0, record->pc, 0) : 0;
	}
	if (record->flags & EAR_RECORD_SKIPPED)
		return 0;
	return push_executed(flow, hart, position, record);
}

/* A source says what registers hold apart from the instructions. */
static int push_registers(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position,
	const struct ear_record *record)
{
	int result = 0;

	for (size_t i = 0; i < record->register_count && result == 0; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_X && reg->number == SP)
			result = set_sp(flow, hart, position, hart->next_pc, 0, reg->value);
	}
	return result;
}

static void remember(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t index,
	uint64_t next_pc, uint32_t flags)
{
	hart->next_index = flow->next_index = index + 1;
	flow->newest = (size_t)(hart - flow->harts);
	hart->next_pc = next_pc;
	hart->last_flags = flags;
	hart->has_next_pc = !(flags & EAR_RECORD_NO_NEXT_PC);
	hart->has_last = hart->follows = flow->begun = true;
}

int ear_flow_push(struct ear_flow *flow, uint64_t position, const struct ear_record *record)
{
	int result = 0;

	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION:
	case EAR_RECORD_REGISTERS: break;
	case EAR_RECORD_GAP:
		if (!ear_gap_forgets(&record->u.gap) || record->u.gap.reason == EAR_GAP_WORD)
			return 0;
		break;
	default: return 0;
	}
	struct ear_flow_hart *hart = find_hart(flow, record->hart, &result);
	if (!hart)
		return result;
	if (record->kind == EAR_RECORD_GAP)
		return push_gap(flow, hart, position);
	if (record->xlen)
		hart->xlen = record->xlen;
	if (record->kind == EAR_RECORD_REGISTERS)
		return push_registers(flow, hart, position, record);
	result = push_begin(flow, hart, position, record->index, record->pc);
	if (result == 0)
		result = push_instruction(flow, hart, position, record);
	remember(flow, hart, record->index, record->next_pc, record->flags);
	return result;
}

/* One by one: a run with something that is not ordinary. */
static int push_expanded(struct ear_flow *flow, uint64_t position,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts, size_t first,
	size_t end)
{
	struct ear_absent_fields absent = {.fields = run->absent};
	struct ear_expanded_record expanded;
	int result = 0;

	ear_compact_run_begin(&expanded, run);
	for (size_t i = first; i < end && result == 0; i++) {
		result = ear_flow_push(flow, position++,
			ear_absent_fields_remove(
				&absent, ear_compact_run_get(&expanded, run, &compacts[i], i)));
	}
	return result;
}

static int push_compact(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position,
	const struct ear_compact_record *compact)
{
	const struct step step = {
		.position = position,
		.pc = compact->pc,
		.next_pc = compact->next_pc,
		.opcode = compact->opcode,
		.has_next_pc = true,
		.taken = compact->flags & EAR_COMPACT_TAKEN,
		.sp_written = compact->rd == SP,
		.sp = compact->result,
	};

	return execute(flow, hart, &step);
}

/* Flags of a run that have nothing to do with the flow. */
#define HARMLESS (EAR_RECORD_HAS_SECURITY | EAR_RECORD_NO_PRIVILEGE)

int ear_flow_push_run(struct ear_flow *flow, uint64_t position, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, size_t first, size_t end)
{
	int result = 0;

	if (first >= end)
		return 0;
	if (run->absent || run->flags & ~(uint32_t)HARMLESS)
		return push_expanded(flow, position, run, compacts, first, end);
	struct ear_flow_hart *hart = find_hart(flow, run->hart, &result);
	if (!hart)
		return result;
	hart->xlen = run->xlen;
	/* The first record says whether something is missing before it. */
	result = push_begin(flow, hart, position, run->first_index + first, compacts[first].pc);
	if (result < 0)
		return result;
	bool wide = run->xlen == 64;
	for (size_t i = first; i < end; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		if (compact->rd == SP) {
			if (hart->sp_state == SP_KNOWN && !hart->building &&
				is_arithmetic(compact->opcode)) {
				hart->sp = wide ? compact->result : (uint32_t)compact->result;
				continue;
			}
		} else if ((run->ordinary && !(compact->flags & EAR_COMPACT_TAKEN)) ||
			   !is_transfer(compact->opcode, wide)) {
			continue;
		}
		result = push_compact(flow, hart, position + (i - first), compact);
		if (result < 0)
			return result;
	}
	const struct ear_compact_record *last = &compacts[end - 1];
	remember(flow, hart, run->first_index + end - 1, last->next_pc, run->flags);
	return 0;
}

static int push_mark(struct ear_flow *flow, struct ear_flow_hart *hart, uint64_t position,
	const struct ear_run_mark *mark)
{
	const struct step step = {
		.position = position + mark->at,
		.pc = mark->pc,
		.next_pc = mark->next_pc,
		.opcode = mark->opcode,
		.has_next_pc = true,
		.taken = mark->taken,
		.sp_written = mark->rd == SP,
		.sp = mark->result,
	};

	return execute(flow, hart, &step);
}

int ear_flow_push_summary(
	struct ear_flow *flow, uint64_t position, const struct ear_run_summary *summary)
{
	const struct ear_compact_run *run = &summary->run;
	bool wide = run->xlen == 64;
	int result = 0;

	struct ear_flow_hart *hart = find_hart(flow, run->hart, &result);
	if (!hart)
		return result;
	hart->xlen = run->xlen;
	result = push_begin(flow, hart, position, run->first_index, summary->pc);
	for (uint32_t i = 0; i < summary->mark_count && result == 0; i++) {
		const struct ear_run_mark *mark = &summary->marks[i];
		if (mark->rd == SP && hart->sp_state == SP_KNOWN && !hart->building &&
			is_arithmetic(mark->opcode))
			hart->sp = wide ? mark->result : (uint32_t)mark->result;
		else
			result = push_mark(flow, hart, position, mark);
	}
	if (result == 0)
		remember(flow, hart, run->first_index + run->count - 1, summary->next_pc,
			run->flags);
	return result;
}

static int sync_hart(struct ear_flow *flow, const struct ear_flow_hart *hart, uint64_t position)
{
	unsigned flags = 0;

	if (!hart->begun && hart->sp_state == SP_SAME)
		return 0;
	if (!hart->begun)
		flags |= EAR_FLOW_SHORT;
	if (!hart->has_next_pc)
		flags |= EAR_FLOW_NO_TARGET;
	if (hart->last_flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		flags |= EAR_FLOW_PART;
	if (!hart->follows)
		flags |= EAR_FLOW_OFFSET;
	if (flow->begun && hart == &flow->harts[flow->newest])
		flags |= EAR_FLOW_BY_X5;
	return emit(flow, hart, position, EAR_FLOW_SYNC, flags, hart->next_index, hart->next_pc);
}

int ear_flow_sync(struct ear_flow *flow, uint64_t position)
{
	int result = 0;

	for (size_t i = 0; i < flow->hart_count && result == 0; i++)
		result = sync_hart(flow, &flow->harts[i], position);
	ear_flow_begin(flow);
	return result;
}
