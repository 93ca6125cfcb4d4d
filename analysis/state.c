/* What every register of every hart holds, from what the records write.
 *
 * A register is known from its first write on. Where a record may have changed one that it does not
 * list, that register becomes unknown: after a gap all of them, after a trap without listed CSR
 * writes the CSRs of traps. A value is never guessed.
 */
#include "analysis/state.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "formats/text/text_cursor.h"

#define NAME_SIZE 24 /* a longer name is not followed */

struct vector {
	uint8_t *bytes[2]; /* the value and the one before it, in turn */
	size_t size[2], capacity[2];
	unsigned current;
	bool known;
};

struct named {
	char name[NAME_SIZE];
	size_t size;
	uint64_t value;
};

struct hart {
	uint64_t x[32], f[32], csr[EAR_CSR_COUNT];
	uint32_t x_known, f_known; /* a bit for each */
	uint64_t csr_known[EAR_CSR_COUNT / 64];
	struct vector v[32];
	struct named *names; /* EAR_STATE_NAMES_MAX, once there is one */
	size_t name_count;
	uint64_t next_pc;
	bool next_pc_known;
};

struct ear_state {
	struct hart *harts[UINT16_MAX + 1];
	unsigned hart_count;
	struct hart initial; /* what every hart begins with */
	struct ear_step_change *changes;
	size_t change_capacity;
};

int ear_state_new(struct ear_state **state)
{
	struct ear_state *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->initial.x_known = 1; /* x0 */
	*state = made;
	return 0;
}

static void free_hart(struct hart *hart)
{
	for (unsigned i = 0; i < 32; i++) {
		free(hart->v[i].bytes[0]);
		free(hart->v[i].bytes[1]);
	}
	free(hart->names);
}

void ear_state_free(struct ear_state *state)
{
	if (!state)
		return;
	for (size_t i = 0; i <= UINT16_MAX && state->hart_count > 0; i++) {
		if (!state->harts[i])
			continue;
		free_hart(state->harts[i]);
		free(state->harts[i]);
		state->hart_count--;
	}
	free_hart(&state->initial);
	free(state->changes);
	free(state);
}

static uint64_t *find_register(
	struct hart *hart, enum ear_register_class reg_class, unsigned number, bool *known)
{
	switch (reg_class) {
	case EAR_REGISTER_X:
		*known = hart->x_known >> (number & 31) & 1;
		return &hart->x[number & 31];
	case EAR_REGISTER_F:
		*known = hart->f_known >> (number & 31) & 1;
		return &hart->f[number & 31];
	default:
		*known = hart->csr_known[number % EAR_CSR_COUNT / 64] >> number % 64 & 1;
		return &hart->csr[number % EAR_CSR_COUNT];
	}
}

static void set_known(
	struct hart *hart, enum ear_register_class reg_class, unsigned number, bool known)
{
	uint64_t *csr = &hart->csr_known[number % EAR_CSR_COUNT / 64];
	uint32_t *bits = reg_class == EAR_REGISTER_X ? &hart->x_known : &hart->f_known;

	if (reg_class == EAR_REGISTER_CSR)
		*csr = (*csr & ~((uint64_t)1 << number % 64)) | (uint64_t)known << number % 64;
	else
		*bits = (*bits & ~(1u << (number & 31))) | (uint32_t)known << (number & 31);
}

static void set_register(
	struct hart *hart, enum ear_register_class reg_class, unsigned number, uint64_t value)
{
	bool known;

	if (reg_class == EAR_REGISTER_X && number == 0)
		return;
	*find_register(hart, reg_class, number, &known) = value;
	set_known(hart, reg_class, number, true);
}

/* Room for a value in the buffer that does not hold the current one. */
static bool reserve_vector(struct vector *vector, size_t size)
{
	unsigned next = !vector->current;

	if (vector->capacity[next] >= size)
		return true;
	uint8_t *bytes = realloc(vector->bytes[next], size);
	if (!bytes)
		return false;
	vector->bytes[next] = bytes;
	vector->capacity[next] = size;
	return true;
}

/* The room is there. */
static void set_vector(struct vector *vector, const uint8_t *bytes, size_t size)
{
	vector->known = size > 0 && size <= EAR_STATE_VECTOR_MAX;
	if (!vector->known)
		return;
	vector->current = !vector->current;
	memcpy(vector->bytes[vector->current], bytes, size);
	vector->size[vector->current] = size;
}

static struct named *find_named(const struct hart *hart, struct ear_text name)
{
	for (size_t i = 0; i < hart->name_count; i++)
		if (hart->names[i].size == name.size &&
			memcmp(hart->names[i].name, name.text, name.size) == 0)
			return &hart->names[i];
	return NULL;
}

/* Names beyond the limits are not followed: such a register stays unknown. */
static void set_named(struct hart *hart, struct ear_text name, uint64_t value)
{
	struct named *named = find_named(hart, name);

	if (!named) {
		if (!hart->names || hart->name_count == EAR_STATE_NAMES_MAX ||
			name.size > NAME_SIZE)
			return;
		named = &hart->names[hart->name_count++];
		memcpy(named->name, name.text, name.size);
		named->size = name.size;
	}
	named->value = value;
}

static void forget_named(struct hart *hart, struct ear_text name)
{
	struct named *named = find_named(hart, name);

	if (named)
		*named = hart->names[--hart->name_count];
}

static bool copy_vectors(struct hart *to, const struct hart *from)
{
	for (unsigned i = 0; i < 32; i++) {
		const struct vector *vector = &from->v[i];
		if (!vector->known)
			continue;
		if (!reserve_vector(&to->v[i], vector->size[vector->current]))
			return false;
		set_vector(
			&to->v[i], vector->bytes[vector->current], vector->size[vector->current]);
	}
	return true;
}

/* The hart, which begins with the initial state when it is seen first. */
static int reach_hart(struct ear_state *state, uint16_t number, struct hart **hart)
{
	*hart = state->harts[number];
	if (*hart)
		return 0;
	if (state->hart_count == EAR_STATE_HARTS_MAX)
		return EAR_E_FULL;
	struct hart *made = malloc(sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	*made = state->initial;
	memset(made->v, 0, sizeof(made->v));
	if (!copy_vectors(made, &state->initial)) {
		free_hart(made);
		free(made);
		return EAR_E_NO_MEMORY;
	}
	state->harts[number] = made;
	state->hart_count++;
	*hart = made;
	return 0;
}

/* CSRs whose value is not the one written last: counters, time, pending interrupts. */
static bool changes_by_itself(unsigned csr)
{
	switch (csr & ~31u) { /* blocks of 32 counters */
	case EAR_CSR_CYCLE:
	case EAR_CSR_CYCLEH:
	case EAR_CSR_MCYCLE:
	case EAR_CSR_MCYCLEH: return true;
	default: break;
	}
	switch (csr) {
	case EAR_CSR_MIP:
	case EAR_CSR_SIP:
	case EAR_CSR_VSIP:
	case EAR_CSR_HIP:
	case EAR_CSR_HGEIP:
	case EAR_CSR_MTOPI:
	case EAR_CSR_SEED: return true;
	default: return false;
	}
}

/* Two CSRs that are views of the same bits: writing one leaves the other open. */
static void forget_views(struct hart *hart, unsigned csr)
{
	static const uint16_t views[][2] = {
		{EAR_CSR_MSTATUS, EAR_CSR_SSTATUS},
		{EAR_CSR_MIE, EAR_CSR_SIE},
		{EAR_CSR_VSSTATUS,
			EAR_CSR_SSTATUS}, /* one replaces the other in a virtual machine */
		{EAR_CSR_VSIE, EAR_CSR_SIE},
	};

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		for (unsigned side = 0; side < 2; side++)
			if (views[i][side] == csr)
				set_known(hart, EAR_REGISTER_CSR, views[i][!side], false);
}

/* fcsr is frm and fflags in one (volume I, "Floating-Point Control and Status Register"). */
static void follow_fcsr(struct hart *hart, unsigned csr, uint64_t value)
{
	bool known;
	uint64_t whole = *find_register(hart, EAR_REGISTER_CSR, EAR_CSR_FCSR, &known);

	if (csr == EAR_CSR_FCSR) {
		set_register(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS, value & EAR_FCSR_FFLAGS);
		set_register(hart, EAR_REGISTER_CSR, EAR_CSR_FRM, value >> EAR_FCSR_FRM_SHIFT & 7);
	} else if (csr == EAR_CSR_FFLAGS && known) {
		set_register(hart, EAR_REGISTER_CSR, EAR_CSR_FCSR,
			(whole & ~(uint64_t)EAR_FCSR_FFLAGS) | (value & EAR_FCSR_FFLAGS));
	} else if (csr == EAR_CSR_FRM && known) {
		set_register(hart, EAR_REGISTER_CSR, EAR_CSR_FCSR,
			(whole & ~(uint64_t)EAR_FCSR_FRM) | (value & 7) << EAR_FCSR_FRM_SHIFT);
	}
}

static void write_csr(struct hart *hart, unsigned csr, uint64_t value)
{
	set_register(hart, EAR_REGISTER_CSR, csr, value);
	if (changes_by_itself(csr))
		set_known(hart, EAR_REGISTER_CSR, csr, false);
	forget_views(hart, csr);
	if (csr >= EAR_CSR_FFLAGS && csr <= EAR_CSR_FCSR)
		follow_fcsr(hart, csr, value);
}

/* Flags that were raised are added to those that are set. */
static void raise_flags(struct hart *hart, uint8_t fflags)
{
	bool known;
	uint64_t *flags = find_register(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS, &known);

	if (fflags && known)
		write_csr(hart, EAR_CSR_FFLAGS, *flags | fflags);
}

static bool writes_csrs(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR)
			return true;
	return false;
}

/* A trap, or a return from one, changes CSRs. Where the source lists none they are open. */
static void forget_trap_csrs(struct hart *hart, const struct ear_step *step)
{
	static const uint16_t status[] = {EAR_CSR_MSTATUS, EAR_CSR_MSTATUSH, EAR_CSR_SSTATUS,
		EAR_CSR_VSSTATUS, EAR_CSR_HSTATUS};
	static const uint16_t trap[] = {EAR_CSR_MEPC, EAR_CSR_MCAUSE, EAR_CSR_MTVAL, EAR_CSR_MTINST,
		EAR_CSR_MTVAL2, EAR_CSR_SEPC, EAR_CSR_SCAUSE, EAR_CSR_STVAL, EAR_CSR_VSEPC,
		EAR_CSR_VSCAUSE, EAR_CSR_VSTVAL, EAR_CSR_HTVAL, EAR_CSR_HTINST};
	bool traps = step->record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	bool returns = step->inst.id == EAR_INST_MRET || step->inst.id == EAR_INST_SRET;

	if ((!traps && !returns) || writes_csrs(step->record))
		return;
	for (size_t i = 0; i < sizeof(status) / sizeof(status[0]); i++)
		set_known(hart, EAR_REGISTER_CSR, status[i], false);
	for (size_t i = 0; traps && i < sizeof(trap) / sizeof(trap[0]); i++)
		set_known(hart, EAR_REGISTER_CSR, trap[i], false);
}

static void forget_all(struct hart *hart)
{
	hart->x_known = 1;
	hart->f_known = 0;
	memset(hart->csr_known, 0, sizeof(hart->csr_known));
	for (unsigned i = 0; i < 32; i++)
		hart->v[i].known = false;
	hart->name_count = 0;
	hart->next_pc_known = false;
}

/* What the source says that was read, was there. */
static void learn_reads(struct hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; record->extra && i < record->extra->read_count; i++) {
		const struct ear_record_register *reg = &record->extra->reads[i];
		if (reg->reg_class == EAR_REGISTER_X || reg->reg_class == EAR_REGISTER_F)
			set_register(hart, reg->reg_class, reg->number, reg->value);
		else if (reg->reg_class == EAR_REGISTER_CSR)
			write_csr(hart, reg->number, reg->value);
	}
}

/* csrrs x5, mcycle, x0: what rd got is what the CSR held. */
static void learn_csr_read(struct ear_step *step)
{
	const struct ear_record *record = step->record;
	struct ear_step_operand *csr = NULL;
	unsigned rd = 0;

	if (step->inst.kind != EAR_KIND_CSR || record->flags & EAR_RECORD_TRAP)
		return;
	for (size_t i = 0; i < step->operand_count; i++) {
		struct ear_step_operand *operand = &step->operands[i];
		if (operand->kind == EAR_OPERAND_CSR)
			csr = operand;
		else if (operand->kind == EAR_OPERAND_X && operand->access & EAR_OPERAND_WRITE)
			rd = operand->number;
	}
	for (size_t i = 0; csr && rd != 0 && i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_X && reg->number == rd) {
			csr->known = true;
			csr->value = reg->value;
		}
	}
}

/* The groups of a vector instruction: by the vtype of the source, else by the last one written. */
static void find_groups(struct hart *hart, struct ear_step *step)
{
	unsigned vtype = step->record->vtype;
	bool known;
	const uint64_t *csr = find_register(hart, EAR_REGISTER_CSR, EAR_CSR_VTYPE, &known);

	if (!(vtype & EAR_VTYPE_KNOWN))
		vtype = known ? ear_vtype_pack(*csr, step->inst.xlen) : 0;
	ear_inst_group(&step->inst, vtype, 64);
}

/* Is every register of a group known? */
static bool is_group_known(const struct hart *hart, const struct ear_operand *operand)
{
	for (unsigned i = 0; i < operand->count; i++)
		if (!hart->v[((unsigned)operand->value + i) & 31].known)
			return false;
	return true;
}

static void fill_register(
	struct hart *hart, struct ear_step_operand *operand, enum ear_operand_kind kind)
{
	enum ear_register_class reg_class = kind == EAR_OPERAND_X   ? EAR_REGISTER_X
					    : kind == EAR_OPERAND_F ? EAR_REGISTER_F
								    : EAR_REGISTER_CSR;

	operand->value = *find_register(hart, reg_class, operand->number, &operand->known);
	if (!operand->known)
		operand->value = 0;
}

/* One operand of the instruction: several of the step if it is a pair or a list of x registers. */
static void fill_operand(struct hart *hart, struct ear_step *step, const struct ear_operand *from)
{
	unsigned count = from->kind == EAR_OPERAND_X ? from->count : 1;

	for (unsigned i = 0; i < count; i++) {
		struct ear_step_operand *operand = &step->operands[step->operand_count++];
		*operand = (struct ear_step_operand){
			.kind = from->kind, .access = from->access, .count = from->count};
		if (from->kind == EAR_OPERAND_IMM) {
			operand->value = (uint64_t)(int64_t)from->value;
			operand->known = true;
			continue;
		}
		operand->number = (uint16_t)((unsigned)from->value + i);
		if (from->kind == EAR_OPERAND_V) {
			operand->known = is_group_known(hart, from);
			continue;
		}
		operand->count = 1;
		fill_register(hart, operand, from->kind);
	}
}

static void fill_operands(struct hart *hart, struct ear_step *step)
{
	if (ear_inst_is_vector(&step->inst))
		find_groups(hart, step);
	step->operand_count = 0;
	for (size_t i = 0; i < step->inst.operand_count; i++)
		fill_operand(hart, step, &step->inst.operands[i]);
	learn_csr_read(step);
}

static bool is_plain(const struct ear_record_register *reg)
{
	return reg->reg_class == EAR_REGISTER_X || reg->reg_class == EAR_REGISTER_F ||
	       reg->reg_class == EAR_REGISTER_CSR;
}

static void describe_vector(struct ear_step_change *change, const struct vector *vector)
{
	change->previous_known = vector->known;
	if (!vector->known)
		return;
	change->previous_bytes = vector->bytes[vector->current];
	change->previous_size = vector->size[vector->current];
}

/* One register: what it held goes to *change, then it is written. */
static void apply(struct hart *hart, struct ear_step_change *change,
	const struct ear_record_register *reg, const struct ear_step *step)
{
	struct ear_text name = {reg->text.name, reg->text_size};

	*change = (struct ear_step_change){.written = reg};
	if (is_plain(reg)) {
		uint64_t *place =
			find_register(hart, reg->reg_class, reg->number, &change->previous_known);
		change->previous = change->previous_known ? *place : 0;
		if (reg->reg_class == EAR_REGISTER_CSR) {
			/* An instruction that read the CSR first gave its value. */
			for (size_t i = 0; i < step->operand_count; i++) {
				const struct ear_step_operand *operand = &step->operands[i];
				if (operand->kind == EAR_OPERAND_CSR && operand->known &&
					operand->number == reg->number) {
					change->previous_known = true;
					change->previous = operand->value;
				}
			}
			write_csr(hart, reg->number, reg->value);
		} else {
			set_register(hart, reg->reg_class, reg->number, reg->value);
		}
	} else if (reg->reg_class == EAR_REGISTER_V) {
		struct vector *vector = &hart->v[reg->number & 31];
		describe_vector(change, vector);
		set_vector(vector, reg->text.bytes, reg->text_size);
	} else {
		const struct named *named = find_named(hart, name);
		change->previous_known = named != NULL;
		change->previous = named ? named->value : 0;
		if (ear_register_unknown(reg))
			forget_named(hart, name);
		else
			set_named(hart, name, reg->value);
		/* Which number such a register of RISC-V has, only its format knows. */
		if ((reg->unknown || reg->note_size) && step->record->isa == EAR_ISA_RISCV &&
			step->record->kind == EAR_RECORD_INSTRUCTION)
			forget_all(hart);
	}
}

/* All that can fail comes first, so that an error leaves the state as it was. */
static int reserve(struct ear_state *state, struct hart *hart, const struct ear_record *record)
{
	if (record->register_count > state->change_capacity) {
		struct ear_step_change *changes =
			realloc(state->changes, record->register_count * sizeof(*changes));
		if (!changes)
			return EAR_E_NO_MEMORY;
		state->changes = changes;
		state->change_capacity = record->register_count;
	}
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_NAMED && !hart->names) {
			hart->names = malloc(EAR_STATE_NAMES_MAX * sizeof(*hart->names));
			if (!hart->names)
				return EAR_E_NO_MEMORY;
		}
		if (reg->reg_class != EAR_REGISTER_V || reg->text_size > EAR_STATE_VECTOR_MAX)
			continue;
		/* Both buffers: a record may write a register twice. */
		struct vector *vector = &hart->v[reg->number & 31];
		for (unsigned turn = 0; turn < 2; turn++) {
			bool good = reserve_vector(vector, reg->text_size);
			vector->current = !vector->current;
			if (!good)
				return EAR_E_NO_MEMORY;
		}
	}
	return 0;
}

static void follow_kind(struct hart *hart, const struct ear_step *step)
{
	const struct ear_record *record = step->record;

	if (record->kind == EAR_RECORD_GAP &&
		!(record->u.gap.count_known && record->u.gap.count == 0))
		forget_all(hart);
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	raise_flags(hart, record->fflags);
	hart->next_pc = record->next_pc;
	hart->next_pc_known = !(record->flags & EAR_RECORD_NO_NEXT_PC);
}

int ear_state_push(struct ear_state *state, struct ear_step *step, const struct ear_record *record)
{
	struct hart *hart;

	int result = reach_hart(state, record->hart, &hart);
	if (result == 0)
		result = reserve(state, hart, record);
	if (result)
		return result;

	*step = (struct ear_step){.record = record, .changes = state->changes};
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION &&
			   !(record->flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE));
	if (instruction && record->isa == EAR_ISA_RISCV &&
		(record->xlen == 32 || record->xlen == 64))
		ear_inst_decode(&step->inst, (uint32_t)record->opcode, record->xlen);
	learn_reads(hart, record);
	fill_operands(hart, step);
	forget_trap_csrs(hart, step);
	for (size_t i = 0; i < record->register_count; i++)
		apply(hart, &state->changes[i], &record->registers[i], step);
	step->change_count = record->register_count;
	follow_kind(hart, step);
	return 0;
}

static const struct hart *look_up(const struct ear_state *state, uint16_t hart)
{
	return state->harts[hart] ? state->harts[hart] : &state->initial;
}

bool ear_state_register(const struct ear_state *state, uint16_t hart,
	enum ear_register_class reg_class, unsigned number, uint64_t *value)
{
	assert(reg_class == EAR_REGISTER_X || reg_class == EAR_REGISTER_F ||
		reg_class == EAR_REGISTER_CSR);
	bool known;
	/* The place is not written through. */
	const uint64_t *place = find_register(
		(struct hart *)(uintptr_t)look_up(state, hart), reg_class, number, &known);

	if (known)
		*value = *place;
	return known;
}

const uint8_t *ear_state_vector(
	const struct ear_state *state, uint16_t hart, unsigned number, size_t *size)
{
	const struct vector *vector = &look_up(state, hart)->v[number & 31];

	if (!vector->known)
		return NULL;
	*size = vector->size[vector->current];
	return vector->bytes[vector->current];
}

const uint8_t *ear_step_vector(const struct ear_state *state, const struct ear_step *step,
	size_t operand, unsigned i, size_t *size)
{
	unsigned number = step->operands[operand].number + i;

	for (size_t k = 0; k < step->change_count; k++) {
		const struct ear_step_change *change = &step->changes[k];
		if (change->written->reg_class != EAR_REGISTER_V ||
			change->written->number != number)
			continue;
		if (change->previous_bytes)
			*size = change->previous_size;
		return change->previous_bytes;
	}
	return ear_state_vector(state, step->record->hart, number, size);
}

bool ear_state_named(
	const struct ear_state *state, uint16_t hart, struct ear_text name, uint64_t *value)
{
	const struct named *named = find_named(look_up(state, hart), name);

	if (named)
		*value = named->value;
	return named != NULL;
}

bool ear_state_next_pc(const struct ear_state *state, uint16_t hart, uint64_t *pc)
{
	const struct hart *found = look_up(state, hart);

	if (found->next_pc_known)
		*pc = found->next_pc;
	return found->next_pc_known;
}

/* A line of the initial-state file. */
struct initial_line {
	char letter;
	uint64_t number, value, hart;
	bool has_hart;
	uint8_t bytes[EAR_STATE_VECTOR_MAX];
	size_t size;
};

/* Digits of any count, highest byte first. */
static bool take_bytes(struct ear_text_cursor *cursor, struct initial_line *line)
{
	const char *digits = cursor->at;
	size_t count = 0;

	while (cursor->at < cursor->end && ear_hex_digit(*cursor->at) >= 0) {
		cursor->at++;
		count++;
	}
	line->size = (count + 1) / 2;
	if (count == 0 || line->size > EAR_STATE_VECTOR_MAX)
		return false;
	memset(line->bytes, 0, line->size);
	for (size_t i = 0; i < count; i++)
		line->bytes[i / 2] |= (uint8_t)(ear_hex_digit(digits[count - 1 - i]) << i % 2 * 4);
	return true;
}

static const char *parse_initial(struct initial_line *line, struct ear_text_cursor cursor)
{
	line->letter = *cursor.at++;
	line->has_hart = false;
	if (line->letter == '\0' || !strchr("xfcv", line->letter))
		return "a line that begins with none of x, f, c, v";
	ear_text_skip_blanks(&cursor);
	if (!ear_text_decimal(&cursor, &line->number) ||
		line->number >= (line->letter == 'c' ? EAR_CSR_COUNT : 32))
		return "a register number that is missing or too large";
	if (!ear_text_skip_blanks(&cursor) || !ear_text_take_word(&cursor, "0x"))
		return "a value without 0x";
	if (line->letter == 'v' ? !take_bytes(&cursor, line) : !ear_text_hex(&cursor, &line->value))
		return "a value that is no number of the register's size";
	if (ear_text_skip_blanks(&cursor) && ear_text_peek(&cursor) != '#' &&
		!ear_text_at_end(&cursor)) {
		line->has_hart = true;
		if (!ear_text_decimal(&cursor, &line->hart) || line->hart > UINT16_MAX)
			return "a hart number that cannot be read";
		ear_text_skip_blanks(&cursor);
	}
	if (!ear_text_at_end(&cursor) && ear_text_peek(&cursor) != '#')
		return "unexpected text after the value";
	return NULL;
}

static int set_initial(struct hart *hart, const struct initial_line *line)
{
	unsigned number = (unsigned)line->number;

	switch (line->letter) {
	case 'x': set_register(hart, EAR_REGISTER_X, number, line->value); break;
	case 'f': set_register(hart, EAR_REGISTER_F, number, line->value); break;
	case 'c': write_csr(hart, number, line->value); break;
	default:
		if (!reserve_vector(&hart->v[number], line->size))
			return EAR_E_NO_MEMORY;
		set_vector(&hart->v[number], line->bytes, line->size);
		break;
	}
	return 0;
}

/* For one hart, or for those seen and those to come. */
static int apply_initial(struct ear_state *state, const struct initial_line *line)
{
	struct hart *hart;
	int result;

	if (line->has_hart) {
		result = reach_hart(state, (uint16_t)line->hart, &hart);
		return result ? result : set_initial(hart, line);
	}
	result = set_initial(&state->initial, line);
	for (size_t i = 0; i <= UINT16_MAX && state->hart_count > 0 && result == 0; i++)
		if (state->harts[i])
			result = set_initial(state->harts[i], line);
	return result;
}

int ear_state_load(struct ear_state *state, struct ear_text_input *input, ear_line_report *report,
	void *context)
{
	struct initial_line line = {0};
	const char *text;
	size_t size;
	int result;

	while ((result = ear_text_input_line(input, &text, &size)) == 1) {
		struct ear_text_cursor cursor = ear_text_cursor(text, size);
		ear_text_skip_blanks(&cursor);
		if (ear_text_at_end(&cursor) || ear_text_peek(&cursor) == '#')
			continue;
		const char *wrong = parse_initial(&line, cursor);
		if (!wrong)
			result = apply_initial(state, &line);
		else if (report)
			result = report(context, ear_text_input_line_number(input),
				ear_text_input_offset(input), wrong, true);
		if (result < 0)
			return result;
	}
	return result;
}
