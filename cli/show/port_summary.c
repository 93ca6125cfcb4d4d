/* Each record is held against the instruction table: what its opcode can read and write is compared
 * with what the port showed. The table knows what no core does, so a custom instruction and one
 * that the table does not know show nothing here.
 */
#include "cli/show/port_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/protocol/ear_protocol.h"
#include "decoder/isa/inst.h"

static void note(struct port_summary *summary, enum port_fault_kind kind, uint64_t index)
{
	struct port_fault *fault = &summary->faults[kind];

	if (fault->count++ == 0)
		fault->first = index;
}

/* Only of these is it certain that they access no memory; all else may. */
static bool accesses_nothing(const struct ear_inst *inst)
{
	switch (inst->kind) {
	case EAR_KIND_ALU:
	case EAR_KIND_MUL:
	case EAR_KIND_DIV:
	case EAR_KIND_BRANCH:
	case EAR_KIND_CSR:
	case EAR_KIND_FP:
	case EAR_KIND_FENCE:
	case EAR_KIND_SYSTEM: return true;
	case EAR_KIND_JUMP: return !(inst->flags & (EAR_INST_POPS | EAR_INST_INDIRECT));
	default: return false;
	}
}

static void add_accesses(
	struct port_summary *summary, const struct ear_record *record, const struct ear_inst *inst)
{
	bool none = accesses_nothing(inst) && !ear_inst_may_be(inst);

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write && none)
			note(summary, PORT_WRITE, record->index);
		else if (!access->write &&
			 (none || (inst->kind == EAR_KIND_LOAD && inst->access_size &&
					  access->size > inst->access_size)))
			note(summary, PORT_READ, record->index);
	}
}

static bool reads_register(const struct ear_inst *inst, unsigned number)
{
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		if (operand->kind == EAR_OPERAND_X && operand->access & EAR_OPERAND_READ &&
			number >= (unsigned)operand->value &&
			number < (unsigned)operand->value + operand->count)
			return true;
	}
	return false;
}

static void add_operands(
	struct port_summary *summary, const struct ear_record *record, const struct ear_inst *inst)
{
	for (size_t i = 0; record->extra && i < record->extra->read_count; i++) {
		const struct ear_record_register *read = &record->extra->reads[i];
		if (read->reg_class == EAR_REGISTER_X && !reads_register(inst, read->number)) {
			note(summary, PORT_OPERAND, record->index);
			return;
		}
	}
}

static void add_trap(
	struct port_summary *summary, const struct ear_record *record, const struct ear_inst *inst)
{
	bool known = inst->id == EAR_INST_ECALL || inst->id == EAR_INST_EBREAK;

	if (known && record->cause == 0 && !(record->flags & EAR_RECORD_NO_CAUSE))
		note(summary, PORT_CAUSE, record->index);
	if (record->register_count && record->registers[0].reg_class == EAR_REGISTER_X)
		note(summary, PORT_TRAP_RESULT, record->index);
}

/* mret, and CSRs whose number says that they are of M mode: 0x300 and more. */
static bool needs_machine_mode(const struct ear_inst *inst)
{
	return inst->id == EAR_INST_MRET ||
	       (inst->kind == EAR_KIND_CSR && (inst->csr >> 8 & 3) == 3);
}

static void add_next(struct port_summary *summary, const struct ear_record *record)
{
	if (summary->has_before && record->hart == summary->hart_before &&
		record->index == summary->index_before + 1 &&
		!(record->flags & EAR_RECORD_HANDLER) && record->pc != summary->next_before)
		note(summary, summary->trapped_before ? PORT_NEXT_OF_TRAP : PORT_NEXT,
			record->index);
	summary->has_before = !(record->flags & EAR_RECORD_NO_NEXT_PC);
	summary->trapped_before = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	summary->hart_before = record->hart;
	summary->index_before = record->index;
	summary->next_before = record->next_pc;
}

void port_summary_add(struct port_summary *summary, const struct ear_record *record)
{
	struct ear_inst inst;

	if (record->kind == EAR_RECORD_GAP) {
		summary->has_before = false;
		if (record->u.gap.reason == EAR_GAP_JUMP)
			note(summary, PORT_ORDER, record->index);
		if (record->u.gap.reason == EAR_GAP_UNIT_FIFO)
			note(summary, PORT_SLACK, record->index);
	}
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	summary->records++;
	add_next(summary, record);
	if (record->flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE))
		return;
	if (record->opcode_size == 2 && record->opcode >> 16)
		note(summary, PORT_UPPER_HALF, record->index);
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	if (record->flags & EAR_RECORD_TRAP)
		add_trap(summary, record, &inst);
	else if (record->privilege == EAR_PRIVILEGE_U && needs_machine_mode(&inst))
		note(summary, PORT_MODE, record->index);
	if (inst.kind == EAR_KIND_ILLEGAL)
		return;
	add_accesses(summary, record, &inst);
	add_operands(summary, record, &inst);
}

static const struct {
	const char *text, *remedy;
} faults[PORT_FAULTS] = {
	[PORT_ORDER] = {"rvfi_order jumps, and neither unit nor link lost anything",
		"set COUNT_ORDER 1 of ear_rvfi, or find the entries that the core does not show"},
	[PORT_READ] = {"rvfi_mem_rmask shows reads that the opcode does not do",
		"set OPCODE_READS 1"},
	[PORT_WRITE] = {"rvfi_mem_wmask shows writes that the opcode does not do",
		"zero the mask in the adapter"},
	[PORT_OPERAND] = {"rvfi_rs1_addr or rvfi_rs2_addr shows registers that the opcode does not "
			  "read",
		"set NORMALIZE 1, in a unit that takes operands away"},
	[PORT_TRAP_RESULT] = {"rvfi_rd_addr is set where the instruction trapped",
		"set NORMALIZE 1, in a unit that takes rd away"},
	[PORT_CAUSE] = {"ecall or ebreak trapped with cause 0", "set CAUSES 0, or connect "
								"rvfi_ext_cause"},
	[PORT_UPPER_HALF] = {"rvfi_insn of a compressed instruction has an upper half",
		"zero it in the adapter"},
	[PORT_NEXT] = {"rvfi_pc_wdata is not the address of the next instruction",
		"give the next pc, or find the entries that the core does not show"},
	[PORT_NEXT_OF_TRAP] = {"rvfi_pc_wdata of a trap is not the handler",
		"give the address of the handler: each trap costs bits"},
	[PORT_MODE] = {"M mode's CSRs are used in mode U", "connect rvfi_mode, or set MODE 3 of "
							   "ear_rvfi"},
	[PORT_SLACK] = {"the unit lost records, although it holds the core",
		"set a larger STALL_SLACK, and hold the core with stall_o"},
};

unsigned port_summary_report(struct port_summary *summary,
	const struct ear_decoder_statistics *statistics, port_summary_sink *sink, void *context)
{
	char text[256];
	unsigned found = 0;

	/* A unit with the policy drop loses records when it has to. */
	if (!statistics->unit_known || statistics->unit.control & EAR_UNIT_CONTROL_DROP)
		summary->faults[PORT_SLACK].count = 0;
	for (unsigned i = 0; i < PORT_FAULTS; i++) {
		const struct port_fault *fault = &summary->faults[i];
		if (fault->count == 0)
			continue;
		snprintf(text, sizeof(text), "%s: %" PRIu64 " times, first at index %" PRIu64,
			faults[i].text, fault->count, fault->first);
		sink(context, text, faults[i].remedy);
		found++;
	}
	if (statistics->stopped && statistics->stop_reason == EAR_STOP_ENDED_BUSY) {
		sink(context, "the core still retired long after ended_i",
			"hold it, or raise ended_i later");
		found++;
	}
	if (summary->records == 0) {
		sink(context, "the capture has no record",
			"write CONTROL.ENABLE ('earshot control start'), and connect rvfi_valid");
		found++;
	}
	snprintf(text, sizeof(text), "%" PRIu64 " records show no fault of the retire port",
		summary->records);
	if (found == 0)
		sink(context, text, NULL);
	return found;
}
