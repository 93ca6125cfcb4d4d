/* What one instruction passes on.
 *
 * By kind of instruction, not by opcode: registers in, registers out; memory to register; register
 * to memory. Loads and stores also look at the values: bytes of a load that differ must all come
 * from followed bytes, and what is stored must be what the register held, so a wrong value on this
 * way is found.
 */
#include "library/compare/tolerance_flow.h"

#include <string.h>

#include "decoder/isa/csr.h"

/* Bits 31:27 of an AMO. */
enum { AMO_SWAP = 1, AMO_CAS = 5 };

const struct ear_origin *ear_flow_operand(const struct ear_marks *marks,
	const struct ear_inst *inst, unsigned place, unsigned *number)
{
	const struct ear_operand *operand = &inst->operands[place];

	if (place >= inst->operand_count || !ear_flow_is_register(operand) ||
		!(operand->access & EAR_OPERAND_READ))
		return NULL;
	for (unsigned i = 0; i < operand->count; i++) {
		*number = ((unsigned)operand->value + i) & 31;
		const struct ear_origin *mark =
			ear_marks_find(marks, ear_flow_class(operand), *number);
		if (mark)
			return mark;
	}
	return NULL;
}

/* The mark of the first marked operand, or NULL. */
static const struct ear_origin *any_operand(
	const struct ear_marks *marks, const struct ear_inst *inst)
{
	const struct ear_origin *mark = NULL;
	unsigned number;

	for (unsigned place = 0; place < inst->operand_count && !mark; place++)
		mark = ear_flow_operand(marks, inst, place, &number);
	return mark;
}

const struct ear_record_register *ear_flow_write(
	const struct ear_record *record, enum ear_register_class reg_class, unsigned number)
{
	for (size_t i = 0; record && i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class &&
			record->registers[i].number == number)
			return &record->registers[i];
	return NULL;
}

unsigned ear_flow_base(const struct ear_inst *inst)
{
	return inst->kind == EAR_KIND_CACHE ? 0 : 1;
}

bool ear_flow_accesses_memory(const struct ear_inst *inst)
{
	return inst->kind == EAR_KIND_LOAD || inst->kind == EAR_KIND_STORE ||
	       inst->kind == EAR_KIND_AMO || inst->kind == EAR_KIND_LR || inst->kind == EAR_KIND_SC;
}

const struct ear_record_access *ear_flow_access(const struct ear_record *record, bool write)
{
	const struct ear_record_access *found = NULL;

	for (size_t i = 0; record && i < record->memory_count; i++) {
		if (record->memory[i].write != write)
			continue;
		if (found)
			return NULL;
		found = &record->memory[i];
	}
	return found;
}

unsigned ear_flow_access_size(const struct ear_record_access *access, const struct ear_inst *inst)
{
	unsigned size = access->size ? access->size : inst->access_size;

	return size <= 8 ? size : 0;
}

static uint64_t low_bytes(uint64_t value, unsigned size)
{
	return size >= 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

/* The value that a load read: of the access, else of the register that it was loaded into. */
static bool loaded_value(const struct ear_flow *flow, unsigned side,
	const struct ear_record_access *access, uint64_t *value)
{
	const struct ear_operand *to = &flow->inst.operands[0];
	const struct ear_record_register *reg = NULL;

	if (flow->inst.operand_count > 0 && ear_flow_is_register(to))
		reg = ear_flow_write(
			flow->records[side], ear_flow_class(to), (unsigned)to->value & 31);
	if (reg)
		*value = reg->value;
	if (access->has_value)
		*value = access->value;
	return reg || access->has_value;
}

/* What a load reads on the sides that are there. */
struct load {
	unsigned sides;    /* set of them */
	unsigned size;     /* bytes */
	unsigned differ;   /* bytes that differ, bit 0 the lowest; all on one side alone */
	unsigned device;   /* bytes of a device */
	unsigned followed; /* bytes that are followed, as they were stored */
	uint8_t source;    /* of the device */
	struct ear_origin origins[2];
};

static void load_side(const struct ear_flow_state *state, struct load *load, unsigned side,
	const struct ear_record_access *access, bool has_value, uint64_t value, unsigned *stale)
{
	unsigned stale_here = 0;

	load->followed |= ear_followed_load(state->memory[side], access->address, load->size,
		has_value, value, &load->origins[side], &stale_here);
	*stale |= stale_here;
	load->sides |= 1u << side;
}

/* Look at the read of memory. Returns false if it is not a single one at the same address. */
static bool look_at_load(
	const struct ear_flow_state *state, const struct ear_flow *flow, struct load *load)
{
	const struct ear_record_access *accesses[2];
	unsigned stale = 0, known = 0;
	uint64_t values[2] = {0, 0};

	memset(load, 0, sizeof(*load));
	for (unsigned side = 0; side < 2; side++) {
		accesses[side] = ear_flow_access(flow->records[side], false);
		if (flow->records[side] && !accesses[side])
			return false;
	}
	if (accesses[0] && accesses[1] && accesses[0]->address != accesses[1]->address)
		return false;
	for (unsigned side = 0; side < 2; side++) {
		if (!accesses[side])
			continue;
		load->size = ear_flow_access_size(accesses[side], &flow->inst);
		if (load->size == 0)
			return false;
		bool has_value = loaded_value(flow, side, accesses[side], &values[side]);
		values[side] = low_bytes(values[side], load->size);
		known += has_value;
		load_side(state, load, side, accesses[side], has_value, values[side], &stale);
		load->device = ear_tolerance_source_bytes(
			state->sources, accesses[side]->address, load->size, &load->source);
	}
	load->followed &= ~stale;
	for (unsigned byte = 0; byte < load->size; byte++)
		if (known < 2 || (uint8_t)((values[0] ^ values[1]) >> 8 * byte))
			load->differ |= 1u << byte;
	return true;
}

/* A load, or the read of an atomic. */
static void flow_of_load(
	const struct ear_flow_state *state, struct ear_flow *flow, const uint64_t numbers[2])
{
	struct load load;
	bool alone = !flow->records[0] || !flow->records[1];

	if (!look_at_load(state, flow, &load))
		return;
	if (state->any_load) {
		load.device = load.differ;
		load.source = 1;
	}
	unsigned covered = load.device | load.followed;
	if (alone ? !covered : !load.differ || load.differ & ~covered)
		return;
	flow->read = load.differ & load.device;
	for (unsigned side = 0; side < 2; side++) {
		if (!(load.sides >> side & 1))
			continue;
		flow->result[side] = load.origins[side];
		if (flow->read)
			flow->result[side] =
				(struct ear_origin){.source = load.source, .record = numbers[side]};
	}
}

/* What is stored is operand number place. A value that the register did not hold, on either side,
 * does not come from it. */
static void flow_of_store(
	const struct ear_flow_state *state, struct ear_flow *flow, unsigned place, bool as_it_is)
{
	for (unsigned side = 0; side < 2; side++) {
		unsigned number;
		const struct ear_record_access *access = ear_flow_access(flow->records[side], true);
		const struct ear_origin *mark =
			ear_flow_operand(&state->marks[side], &flow->inst, place, &number);
		if (!access || !mark)
			continue;
		unsigned size = ear_flow_access_size(access, &flow->inst);
		if (as_it_is && mark->has_value && access->has_value &&
			low_bytes(mark->value ^ access->value, size)) {
			flow->store[0] = flow->store[1] = (struct ear_origin){0};
			return;
		}
		flow->store[side] = *mark;
	}
}

static void flow_of_atomic(
	const struct ear_flow_state *state, struct ear_flow *flow, const uint64_t numbers[2])
{
	/* What a swap stores does not depend on what was there. */
	bool swap = flow->inst.opcode >> 27 == AMO_SWAP || flow->inst.opcode >> 27 == AMO_CAS;

	flow_of_load(state, flow, numbers);
	flow_of_store(state, flow, 2, false);
	for (unsigned side = 0; side < 2 && !swap; side++)
		if (flow->store[side].source == 0)
			flow->store[side] = flow->result[side];
}

static void flow_of_csr(
	const struct ear_flow_state *state, struct ear_flow *flow, const uint64_t numbers[2])
{
	const struct ear_inst *inst = &flow->inst;
	uint8_t source = ear_tolerance_source_of_csr(state->sources, inst->csr);
	bool writes = (inst->opcode >> 12 & 3) == 1; /* csrrw: not what was there, and more */

	flow->read = source != 0;
	for (unsigned side = 0; side < 2; side++) {
		const struct ear_marks *marks = &state->marks[side];
		if (!flow->records[side])
			continue;
		const struct ear_origin *csr = ear_marks_find(marks, EAR_REGISTER_CSR, inst->csr);
		if (!csr && inst->csr == EAR_CSR_FCSR)
			csr = ear_marks_find(marks, EAR_REGISTER_CSR, EAR_CSR_FFLAGS);
		if (csr)
			flow->result[side] = *csr;
		if (source)
			flow->result[side] =
				(struct ear_origin){.source = source, .record = numbers[side]};
		const struct ear_origin *operand = any_operand(marks, inst);
		if (operand)
			flow->csr[side] = *operand;
		else if (!writes)
			flow->csr[side] = flow->result[side];
	}
}

/* Registers in, registers out. */
static void flow_of_registers(const struct ear_flow_state *state, struct ear_flow *flow)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct ear_origin *mark = any_operand(&state->marks[side], &flow->inst);
		if (flow->records[side] && mark)
			flow->result[side] = *mark;
	}
}

bool ear_flow_decode(struct ear_inst *inst, const struct ear_record *record)
{
	uint32_t no =
		EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED | EAR_RECORD_NO_OPCODE;

	memset(inst, 0, sizeof(*inst));
	if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV ||
		record->flags & no || record->opcode >> 32)
		return false;
	ear_inst_decode(inst, (uint32_t)record->opcode, record->xlen);
	return inst->kind != EAR_KIND_ILLEGAL;
}

void ear_flow_find(struct ear_flow *flow, const struct ear_flow_state *state,
	const struct ear_record *a, const struct ear_record *b, const uint64_t numbers[2])
{
	struct ear_inst other;

	memset(flow, 0, sizeof(*flow));
	flow->records[0] = a;
	flow->records[1] = b;
	if (!ear_flow_decode(&flow->inst, a ? a : b))
		return;
	if (a && b && (!ear_flow_decode(&other, b) || other.opcode != flow->inst.opcode)) {
		memset(&flow->inst, 0, sizeof(flow->inst));
		return;
	}
	switch (flow->inst.kind) {
	case EAR_KIND_ALU:
	case EAR_KIND_MUL:
	case EAR_KIND_DIV:
	case EAR_KIND_FP: flow_of_registers(state, flow); break;
	case EAR_KIND_LOAD:
	case EAR_KIND_LR: flow_of_load(state, flow, numbers); break;
	case EAR_KIND_STORE: flow_of_store(state, flow, 0, true); break;
	case EAR_KIND_SC: flow_of_store(state, flow, 2, true); break;
	case EAR_KIND_AMO: flow_of_atomic(state, flow, numbers); break;
	case EAR_KIND_CSR: flow_of_csr(state, flow, numbers); break;
	default: break; /* a link register holds the pc, and nothing else writes one */
	}
}
