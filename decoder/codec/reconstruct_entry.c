/* Retire entries of one hart to instruction records, sent as they are or predicted.
 *
 * Before every record comes ear_reconstruct_arrive, which compares its index with the expected one:
 * if a gap must be reported first, the same entry is given again after it. So no caller needs a
 * queue, and each call makes one record at most. What an entry does not say (taken, privilege, the
 * size of an access) follows from its opcode and its other members.
 */
#include <earshot/error.h>

#include "decoder/codec/reconstruct.h"

#include "decoder/codec/reconstruct_internal.h"
#include "decoder/codec/reconstruct_order.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

static bool condition_holds(const struct ear_retire *entry)
{
	struct ear_inst inst;
	uint64_t a = entry->rs1_rdata, b = entry->rs2_rdata;
	int64_t sa = entry->xlen == 32 ? (int32_t)a : (int64_t)a;
	int64_t sb = entry->xlen == 32 ? (int32_t)b : (int64_t)b;

	ear_inst_decode_within(&inst, entry->insn, entry->xlen, NULL);
	switch (inst.id) {
	case EAR_INST_BEQ: return a == b;
	case EAR_INST_BNE: return a != b;
	case EAR_INST_BLT: return sa < sb;
	case EAR_INST_BGE: return sa >= sb;
	case EAR_INST_BLTU: return a < b;
	case EAR_INST_BGEU: return a >= b;
	case EAR_INST_C_BEQZ: return a == 0;
	case EAR_INST_C_BNEZ: return a != 0;
	default: return false;
	}
}

#define BRANCH_OFFSET_MASK 0xFE000F80u /* the bits of a branch's offset */
#define BRANCH_OFFSET_4    0x00000200u /* those of . + 4 */
#define C_BRANCH_OFFSET    0x1C7Cu
#define C_BRANCH_OFFSET_2  0x0008u
#define C_JR_RS2           0x007Cu /* 0: c.jr, c.jalr; c.ebreak, if rs1 is 0, too */
#define C_JR_RS1           0x0F80u

/* Does a compressed instruction jump to the one after it? */
static bool compressed_jumps_to_next(const struct ear_retire *entry)
{
	uint32_t opcode = entry->insn;

	switch (opcode & EAR_OPCODE_C_MASK) {
	case EAR_OPCODE_C_BEQZ:
	case EAR_OPCODE_C_BNEZ:
		return (opcode & C_BRANCH_OFFSET) == C_BRANCH_OFFSET_2 && condition_holds(entry);
	case EAR_OPCODE_C_JAL: return entry->xlen == 32;
	case EAR_OPCODE_C_J: return true;
	case EAR_OPCODE_C_JR: return (opcode & C_JR_RS2) == 0 && (opcode & C_JR_RS1) != 0;
	default: return false;
	}
}

/* A jump to the next instruction does not show in next_pc. Jumps are always taken; a branch with
 * such an offset is decided by its operands. Both are rare, so the opcode's bits are tested before
 * the instruction table is searched.
 */
static bool jumps_to_next(const struct ear_retire *entry, unsigned size)
{
	uint32_t opcode = entry->insn;

	if (size == 2)
		return compressed_jumps_to_next(entry);
	switch (ear_opcode_major(opcode)) {
	case EAR_OPCODE_BRANCH:
		return (opcode & BRANCH_OFFSET_MASK) == BRANCH_OFFSET_4 && condition_holds(entry);
	case EAR_OPCODE_JAL: return true;
	case EAR_OPCODE_JALR: return (opcode >> 12 & 7) == 0;
	default: return false;
	}
}

static bool taken(const struct ear_retire *entry, unsigned size)
{
	if (entry->trap || entry->irq)
		return false;

	uint64_t next = entry->pc_rdata + size;
	if (entry->xlen == 32)
		next = (uint32_t)next;
	if (entry->pc_wdata == next)
		return jumps_to_next(entry, size);
	return size == 2 || (entry->insn & 0x70) == 0x60; /* BRANCH, JALR, JAL; not mret */
}

uint8_t ear_reconstruct_privilege(const struct ear_retire *entry)
{
	if (entry->debug)
		return EAR_PRIVILEGE_DEBUG;
	if (entry->virt)
		return entry->mode == 0 ? EAR_PRIVILEGE_VU : EAR_PRIVILEGE_VS;
	return entry->mode;
}

static struct ear_record_register *add_register(struct ear_record_register *at,
	enum ear_register_class reg_class, uint16_t number, uint64_t value)
{
	at->reg_class = (uint8_t)reg_class;
	at->size = 0;
	at->number = number;
	at->text_size = 0;
	at->value = value;
	return at + 1;
}

static void add_registers(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_retire *entry)
{
	struct ear_record_register *at = reconstruct->registers;

	if (entry->rd_addr != 0)
		at = add_register(at, EAR_REGISTER_X, entry->rd_addr, entry->rd_wdata);
	if (entry->frd_valid)
		at = add_register(at, EAR_REGISTER_F, entry->frd_addr, entry->frd_wdata);
	for (unsigned i = 0; i < entry->csr_count; i++)
		at = add_register(
			at, EAR_REGISTER_CSR, entry->csrs[i].number, entry->csrs[i].value);
	record->registers = reconstruct->registers;
	record->register_count = (size_t)(at - reconstruct->registers);
}

/* The operands as the port had them. */
static void add_reads(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_retire *entry)
{
	const struct ear_operands operands = {
		entry->rs1_rdata, entry->rs2_rdata, entry->rs1_addr, entry->rs2_addr};

	ear_reads_attach(&reconstruct->reads, record, &operands);
}

static uint64_t keep_bytes(uint64_t data, unsigned size)
{
	return size >= 8 ? data : data & (((uint64_t)1 << 8 * size) - 1);
}

/* A mask has one run of bits. Cores that align mem_addr shift the mask and the data. */
static void add_access(struct ear_record_access *access, const struct ear_retire *entry,
	unsigned mask, uint64_t data, bool write)
{
	unsigned shift = (unsigned)__builtin_ctz(mask);
	unsigned size = 32 - (unsigned)__builtin_clz(mask) - shift;

	*access = (struct ear_record_access){
		.address = entry->mem_addr + shift,
		.physical = entry->mem_paddr + shift,
		.value = keep_bytes(data >> 8 * shift, size),
		.size = (uint8_t)size,
		.write = write,
		.has_value = true,
		.has_physical = entry->mem_paddr != 0,
	};
}

/* A load or store that trapped, or a store conditional that failed, has an address and no mask.
 * The opcode decides whether it accesses memory: a core may leave any value in mem_addr when an
 * instruction has nothing to do with memory, and so has one that is sspush or just mop.rr.7.
 */
static bool add_bare_access(struct ear_record_access *access, const struct ear_retire *entry)
{
	struct ear_inst inst;

	ear_inst_decode_within(&inst, entry->insn, entry->xlen, NULL);
	*access = (struct ear_record_access){
		.address = entry->mem_addr,
		.physical = entry->mem_paddr,
		.size = inst.access_size,
		.write = inst.kind == EAR_KIND_STORE || inst.kind == EAR_KIND_SC ||
			 inst.kind == EAR_KIND_AMO || inst.kind == EAR_KIND_VSTORE,
		.has_physical = entry->mem_paddr != 0,
	};
	return inst.access_size > 0 && !ear_inst_may_be(&inst);
}

static void add_memory(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_retire *entry)
{
	struct ear_record_access *access = reconstruct->memory;

	if (entry->mem_rmask)
		add_access(access++, entry, entry->mem_rmask, entry->mem_rdata, false);
	if (entry->mem_wmask)
		add_access(access++, entry, entry->mem_wmask, entry->mem_wdata, true);
	if (access == reconstruct->memory && entry->mem_addr != 0 && !entry->irq)
		access += add_bare_access(access, entry);
	record->memory = reconstruct->memory;
	record->memory_count = (size_t)(access - reconstruct->memory);
}

/* frm and vtype are state of the hart: a record has those in force when it executed. */
static void follow_csrs(struct ear_reconstruct *reconstruct, const struct ear_retire *entry)
{
	for (unsigned i = 0; i < entry->csr_count; i++) {
		if (entry->csrs[i].number == EAR_CSR_FRM)
			reconstruct->frm = entry->csrs[i].value & 7;
		if (entry->csrs[i].number == EAR_CSR_FCSR)
			reconstruct->frm = entry->csrs[i].value >> EAR_FCSR_FRM_SHIFT & 7;
		if (entry->csrs[i].number == EAR_CSR_VTYPE)
			reconstruct->vtype = ear_vtype_pack(entry->csrs[i].value, entry->xlen);
	}
}

/* A port without causes: the cause is what the entry writes to mcause or scause, or unknown. */
static void find_cause(struct ear_record *record, const struct ear_retire *entry)
{
	record->cause = 0;
	record->flags |= EAR_RECORD_NO_CAUSE;
	for (unsigned i = 0; i < entry->csr_count; i++) {
		if (entry->csrs[i].number != EAR_CSR_MCAUSE &&
			entry->csrs[i].number != EAR_CSR_SCAUSE)
			continue;
		record->cause = entry->csrs[i].value;
		record->flags &= ~(uint32_t)EAR_RECORD_NO_CAUSE;
	}
}

static uint32_t flags(const struct ear_retire *entry, unsigned size)
{
	uint32_t set = 0;

	set |= taken(entry, size) ? EAR_RECORD_TAKEN : 0;
	set |= entry->trap && !entry->irq ? EAR_RECORD_TRAP : 0;
	set |= entry->irq ? EAR_RECORD_INTERRUPT : 0;
	set |= entry->intr ? EAR_RECORD_HANDLER : 0;
	set |= entry->halt ? EAR_RECORD_HALT : 0;
	set |= entry->pc_paddr ? EAR_RECORD_PC_PHYSICAL : 0;
	return set;
}

int ear_reconstruct_entry(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_retire *entry, bool has_order, uint64_t offset)
{
	uint64_t order = has_order ? entry->order : reconstruct->expected_order;
	int arrived =
		ear_reconstruct_arrive(reconstruct, record, order, EAR_ARRIVAL_RECORD, offset);

	if (arrived)
		return arrived;

	unsigned size = ear_opcode_size(entry->insn);
	ear_reconstruct_begin_record(reconstruct, record, EAR_RECORD_INSTRUCTION, offset);
	record->isa = EAR_ISA_RISCV;
	record->xlen = entry->xlen;
	record->privilege = ear_reconstruct_privilege(entry);
	record->opcode = entry->insn;
	record->opcode_size = (uint8_t)size;
	record->fflags = entry->fflags;
	record->frm = reconstruct->frm;
	record->vtype = reconstruct->vtype;
	record->flags |= flags(entry, size);
	record->pc = entry->pc_rdata;
	record->pc_physical = entry->pc_paddr;
	record->next_pc = entry->pc_wdata;
	record->cause = entry->cause;
	if (reconstruct->no_causes && (entry->trap || entry->irq))
		find_cause(record, entry);
	add_registers(reconstruct, record, entry);
	add_memory(reconstruct, record, entry);
	if (reconstruct->with_reads)
		add_reads(reconstruct, record, entry);

	if (entry->csr_count)
		follow_csrs(reconstruct, entry);
	reconstruct->expected_order = order + 1;
	reconstruct->capture.records++;
	if (!reconstruct->every_record_timed)
		reconstruct->ticks_known = false;
	return 1;
}

/* Predict mode --------------------------------------------------------------------------------- */

void ear_reconstruct_decode(struct ear_reconstruct *reconstruct, struct ear_record_message *message)
{
	struct ear_retire *entry = &reconstruct->entry;
	unsigned i = message->done++;

	message->count--;
	if (i == 0)
		*entry = message->entry;
	if (message->grouped)
		entry->insn = message->insns[i];
	ear_predictor_decode(reconstruct->predictor, entry, &message->differences[i]);
}

int ear_reconstruct_difference(struct ear_reconstruct *reconstruct, struct ear_record *record,
	struct ear_record_message *message, uint64_t offset, size_t size)
{
	struct ear_retire *entry = &reconstruct->entry;

	if (!reconstruct->following) {
		ear_reconstruct_damage(reconstruct, EAR_GAP_NO_SYNC, offset, size, 0);
		return 0;
	}
	if (reconstruct->entry_waits) {
		/* One that did not fit into a run may have a gap before it, and waits again. */
		int made = ear_reconstruct_entry(reconstruct, record, entry, true, offset);
		reconstruct->entry_waits = made == 2;
		return made;
	}
	if (message->run == 0 && message->count == 0)
		return 0;
	if (ear_reconstruct_arrive(
		    reconstruct, record, reconstruct->predictor->order, EAR_ARRIVAL_RECORD, offset))
		return 1; /* a gap: a predicted record cannot be a repeated one */
	if (reconstruct->unchecked == EAR_RUN_CHECK_INTERVAL)
		return EAR_E_BAD_MESSAGE;
	reconstruct->unchecked++;
	reconstruct->fresh = false;
	if (message->run > 0) {
		message->run--;
		ear_predictor_run(reconstruct->predictor, entry);
	} else {
		ear_reconstruct_decode(reconstruct, message);
	}
	reconstruct->entry_waits =
		ear_reconstruct_entry(reconstruct, record, entry, true, offset) == 2;
	return 1;
}
