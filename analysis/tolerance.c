/* Follows values that depend on tolerated reads.
 *
 * A register is marked if the two sides may rightly hold different values in it; the mark says
 * where that comes from. Two equal results clear a mark whatever they were made of, so as long as
 * the sides agree only the writes of a record are looked at, and no instruction is decoded. A pair
 * that differs is decoded once: what its marked inputs can reach is made equal in a copy of B's
 * record, and the comparison of records decides about the rest. So its rules are the same with and
 * without tolerance.
 */
#include "analysis/tolerance.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/followed_memory.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

#define CSRS_MAX    32 /* of a side, that are marked at one time */
#define SOURCES_MAX 255

struct ear_tolerance {
	struct ear_tolerance_options options;
	struct ear_followed *memory[2];
	struct ear_tolerance_source sources[SOURCES_MAX];
	size_t source_count;
	uint8_t csr_sources[EAR_CSR_COUNT]; /* number of the source + 1, 0: none yet */
	uint8_t range_sources[EAR_TOLERANCE_RANGES_MAX];
};

/* What is marked on one side. */
struct marks {
	uint32_t x_set, f_set; /* a bit for each register */
	unsigned csr_count;
	struct ear_origin x[32], f[32];
	uint16_t csr_numbers[CSRS_MAX];
	struct ear_origin csrs[CSRS_MAX];
};

struct ear_tolerance_hart {
	struct ear_tolerance *tolerance;
	struct marks sides[2];
	struct ear_decision last; /* of the pair passed last, if it went by a marked value */
	char *scratch;            /* for the copy of B's registers and accesses */
	size_t scratch_size;
	struct ear_tolerance_hart *probe; /* NULL: none was asked for yet */
	bool is_probe;
};

/* What of an instruction depends on tolerated reads, on each side. A side without a record has
 * nothing. Nothing is set if nothing depends. */
struct outcome {
	struct ear_inst inst;
	const struct ear_record *records[2];
	struct ear_origin result[2]; /* what is written to x and f registers */
	struct ear_origin store[2];  /* to memory */
	struct ear_origin csr[2];    /* to the CSR that the instruction names */
	bool read;                   /* the result was read from a source right here */
};

struct ear_tolerance *ear_tolerance_new(const struct ear_tolerance_options *options)
{
	struct ear_tolerance *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	assert(options->range_count <= EAR_TOLERANCE_RANGES_MAX);
	made->options = *options;
	made->memory[0] = ear_followed_new();
	made->memory[1] = ear_followed_new();
	if (made->memory[0] && made->memory[1])
		return made;
	ear_tolerance_free(made);
	return NULL;
}

void ear_tolerance_free(struct ear_tolerance *tolerance)
{
	if (!tolerance)
		return;
	ear_followed_free(tolerance->memory[0]);
	ear_followed_free(tolerance->memory[1]);
	free(tolerance);
}

const struct ear_tolerance_source *ear_tolerance_source(
	const struct ear_tolerance *tolerance, size_t number)
{
	return number < tolerance->source_count ? &tolerance->sources[number] : NULL;
}

uint64_t ear_tolerance_lost(const struct ear_tolerance *tolerance)
{
	return ear_followed_lost(tolerance->memory[0]) + ear_followed_lost(tolerance->memory[1]);
}

struct ear_tolerance_hart *ear_tolerance_hart_new(struct ear_tolerance *tolerance)
{
	struct ear_tolerance_hart *made = calloc(1, sizeof(*made));

	if (made)
		made->tolerance = tolerance;
	return made;
}

void ear_tolerance_hart_free(struct ear_tolerance_hart *hart)
{
	if (!hart)
		return;
	ear_tolerance_hart_free(hart->probe);
	free(hart->scratch);
	free(hart);
}

struct ear_tolerance_hart *ear_tolerance_probe(struct ear_tolerance_hart *hart)
{
	if (!hart->probe)
		hart->probe = ear_tolerance_hart_new(hart->tolerance);
	if (hart->probe) {
		hart->probe->is_probe = true;
		memcpy(hart->probe->sides, hart->sides, sizeof(hart->sides));
	}
	return hart->probe;
}

/* Sources ---------------------------------------------------------------------------------- */

/* The number of a source + 1, kept at known; 0 if there is no room. */
static uint8_t name_source(
	struct ear_tolerance *tolerance, uint8_t *known, const struct ear_tolerance_source *source)
{
	if (*known == 0 && tolerance->source_count < SOURCES_MAX) {
		tolerance->sources[tolerance->source_count++] = *source;
		*known = (uint8_t)tolerance->source_count;
	}
	return *known;
}

static uint8_t source_of_csr(struct ear_tolerance *tolerance, unsigned csr)
{
	unsigned group = csr & ~0x9Fu, number = csr & 0x1F; /* the upper halves are at +0x80 */
	struct ear_tolerance_source source = {.csr = (uint16_t)csr};

	if (group != EAR_CSR_MCYCLE && group != EAR_CSR_CYCLE)
		return 0;
	source.kind = number < 2 ? EAR_TOLERANCE_CLOCKS : EAR_TOLERANCE_COUNTERS;
	if (!(number < 2 ? tolerance->options.clocks : tolerance->options.counters))
		return 0;
	return name_source(tolerance, &tolerance->csr_sources[csr], &source);
}

/* Which bytes of an access lie in a range of devices, bit 0 the lowest; *source of one of them. */
static unsigned device_bytes(
	struct ear_tolerance *tolerance, uint64_t address, unsigned size, uint8_t *source)
{
	unsigned bytes = 0;

	for (size_t i = 0; i < tolerance->options.range_count; i++) {
		const struct ear_tolerance_range *range = &tolerance->options.ranges[i];
		unsigned found = 0;
		for (unsigned byte = 0; byte < size; byte++)
			if (address + byte - range->first <= range->last - range->first)
				found |= 1u << byte;
		if (found) {
			struct ear_tolerance_source named = {
				.kind = EAR_TOLERANCE_DEVICES, .range = *range};
			*source = name_source(tolerance, &tolerance->range_sources[i], &named);
			bytes |= *source ? found : 0;
		}
	}
	return bytes;
}

/* Marks ------------------------------------------------------------------------------------ */

static const struct ear_origin *csr_mark(const struct marks *marks, unsigned csr)
{
	for (unsigned i = 0; i < marks->csr_count; i++)
		if (marks->csr_numbers[i] == csr)
			return &marks->csrs[i];
	return NULL;
}

/* The mark of a register, or NULL. */
static const struct ear_origin *mark_of(
	const struct marks *marks, enum ear_register_class reg_class, unsigned number)
{
	switch (reg_class) {
	case EAR_REGISTER_X: return marks->x_set >> number & 1 ? &marks->x[number] : NULL;
	case EAR_REGISTER_F: return marks->f_set >> number & 1 ? &marks->f[number] : NULL;
	case EAR_REGISTER_CSR: return csr_mark(marks, number);
	default: return NULL;
	}
}

static void clear_mark(struct marks *marks, enum ear_register_class reg_class, unsigned number)
{
	if (reg_class == EAR_REGISTER_X)
		marks->x_set &= ~(1u << (number & 31));
	else if (reg_class == EAR_REGISTER_F)
		marks->f_set &= ~(1u << (number & 31));
	for (unsigned i = 0; reg_class == EAR_REGISTER_CSR && i < marks->csr_count; i++) {
		if (marks->csr_numbers[i] != number)
			continue;
		marks->csr_count--;
		marks->csr_numbers[i] = marks->csr_numbers[marks->csr_count];
		marks->csrs[i] = marks->csrs[marks->csr_count];
		return;
	}
}

/* Mark a register, or clear its mark if origin has no source. */
static void set_mark(struct marks *marks, enum ear_register_class reg_class, unsigned number,
	const struct ear_origin *origin)
{
	clear_mark(marks, reg_class, number);
	if (origin->source == 0)
		return;
	if (reg_class == EAR_REGISTER_X && number != 0) {
		marks->x_set |= 1u << number;
		marks->x[number] = *origin;
	} else if (reg_class == EAR_REGISTER_F) {
		marks->f_set |= 1u << number;
		marks->f[number] = *origin;
	} else if (reg_class == EAR_REGISTER_CSR && marks->csr_count < CSRS_MAX) {
		marks->csr_numbers[marks->csr_count] = (uint16_t)number;
		marks->csrs[marks->csr_count++] = *origin;
	}
}

static bool has_marks(const struct marks *marks)
{
	return (marks->x_set | marks->f_set | marks->csr_count) != 0;
}

static enum ear_register_class class_of(const struct ear_operand *operand)
{
	return operand->kind == EAR_OPERAND_X   ? EAR_REGISTER_X
	       : operand->kind == EAR_OPERAND_F ? EAR_REGISTER_F
						: EAR_REGISTER_CSR;
}

static bool is_register(const struct ear_operand *operand)
{
	return operand->kind == EAR_OPERAND_X || operand->kind == EAR_OPERAND_F;
}

/* The mark of operand number place, if it is a register that is read. */
static const struct ear_origin *operand_mark(
	const struct marks *marks, const struct ear_inst *inst, unsigned place)
{
	const struct ear_operand *operand = &inst->operands[place];

	if (place >= inst->operand_count || !is_register(operand) ||
		!(operand->access & EAR_OPERAND_READ))
		return NULL;
	return mark_of(marks, class_of(operand), (unsigned)operand->value & 31);
}

/* That of the first marked operand; *place says which. */
static const struct ear_origin *any_operand_mark(
	const struct marks *marks, const struct ear_inst *inst, unsigned *place)
{
	for (*place = 0; *place < inst->operand_count; (*place)++) {
		const struct ear_origin *mark = operand_mark(marks, inst, *place);
		if (mark)
			return mark;
	}
	return NULL;
}

/* What an instruction does ----------------------------------------------------------------- */

static const struct ear_record_register *find_write(
	const struct ear_record *record, enum ear_register_class reg_class, unsigned number)
{
	for (size_t i = 0; record && i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class &&
			record->registers[i].number == number)
			return &record->registers[i];
	return NULL;
}

/* Where operand number place of an instruction that accesses memory is its address. */
static unsigned base_place(const struct ear_inst *inst)
{
	return inst->kind == EAR_KIND_CACHE ? 0 : 1;
}

static bool accesses_memory(const struct ear_inst *inst)
{
	return inst->kind == EAR_KIND_LOAD || inst->kind == EAR_KIND_STORE ||
	       inst->kind == EAR_KIND_AMO || inst->kind == EAR_KIND_LR || inst->kind == EAR_KIND_SC;
}

/* Its only access of this kind, or NULL. */
static const struct ear_record_access *only_access(const struct ear_record *record, bool write)
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

static unsigned access_size(const struct ear_record_access *access, const struct ear_inst *inst)
{
	unsigned size = access->size ? access->size : inst->access_size;

	return size <= 8 ? size : 0;
}

static uint64_t low_bytes(uint64_t value, unsigned size)
{
	return size >= 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

/* The value that a load read: of the access, else of the register that it was loaded into. */
static bool loaded_value(const struct outcome *outcome, unsigned side,
	const struct ear_record_access *access, uint64_t *value)
{
	const struct ear_operand *to = &outcome->inst.operands[0];
	const struct ear_record_register *reg = NULL;

	if (outcome->inst.operand_count > 0 && is_register(to))
		reg = find_write(outcome->records[side], class_of(to), (unsigned)to->value & 31);
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

static void load_side(struct ear_tolerance *tolerance, struct load *load, unsigned side,
	const struct ear_record_access *access, bool has_value, uint64_t value, unsigned *stale)
{
	unsigned stale_here = 0;

	load->followed |= ear_followed_load(tolerance->memory[side], access->address, load->size,
		has_value, value, &load->origins[side], &stale_here);
	*stale |= stale_here;
	load->sides |= 1u << side;
}

/* Look at the read of memory. Returns false if it is not a single one at the same address. */
static bool look_at_load(
	struct ear_tolerance *tolerance, const struct outcome *outcome, struct load *load)
{
	const struct ear_record_access *accesses[2];
	unsigned stale = 0, known = 0;
	uint64_t values[2] = {0, 0};

	memset(load, 0, sizeof(*load));
	for (unsigned side = 0; side < 2; side++) {
		accesses[side] = only_access(outcome->records[side], false);
		if (outcome->records[side] && !accesses[side])
			return false;
	}
	if (accesses[0] && accesses[1] && accesses[0]->address != accesses[1]->address)
		return false;
	for (unsigned side = 0; side < 2; side++) {
		if (!accesses[side])
			continue;
		load->size = access_size(accesses[side], &outcome->inst);
		if (load->size == 0)
			return false;
		bool has_value = loaded_value(outcome, side, accesses[side], &values[side]);
		values[side] = low_bytes(values[side], load->size);
		known += has_value;
		load_side(tolerance, load, side, accesses[side], has_value, values[side], &stale);
		load->device =
			device_bytes(tolerance, accesses[side]->address, load->size, &load->source);
	}
	load->followed &= ~stale;
	for (unsigned byte = 0; byte < load->size; byte++)
		if (known < 2 || (uint8_t)((values[0] ^ values[1]) >> 8 * byte))
			load->differ |= 1u << byte;
	return true;
}

/* A load, or the read of an atomic. */
static void flow_of_load(
	struct ear_tolerance *tolerance, struct outcome *outcome, const uint64_t numbers[2])
{
	struct load load;
	bool alone = !outcome->records[0] || !outcome->records[1];

	if (!look_at_load(tolerance, outcome, &load))
		return;
	unsigned covered = load.device | load.followed;
	if (alone ? !covered : !load.differ || load.differ & ~covered)
		return;
	outcome->read = load.differ & load.device;
	for (unsigned side = 0; side < 2; side++) {
		if (!(load.sides >> side & 1))
			continue;
		outcome->result[side] = load.origins[side];
		if (outcome->read)
			outcome->result[side] =
				(struct ear_origin){.source = load.source, .record = numbers[side]};
	}
}

/* What is stored is operand number place. A value that the register did not hold does not come from
 * it. */
static void flow_of_store(const struct ear_tolerance_hart *hart, struct outcome *outcome,
	unsigned place, bool as_it_is)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record_access *access = only_access(outcome->records[side], true);
		const struct ear_origin *mark =
			operand_mark(&hart->sides[side], &outcome->inst, place);
		if (!access || !mark)
			continue;
		unsigned size = access_size(access, &outcome->inst);
		if (as_it_is && mark->has_value && access->has_value &&
			low_bytes(mark->value ^ access->value, size))
			continue;
		outcome->store[side] = *mark;
	}
}

static void flow_of_atomic(
	const struct ear_tolerance_hart *hart, struct outcome *outcome, const uint64_t numbers[2])
{
	bool swap = outcome->inst.opcode >> 27 == 1; /* memory does not depend on what was there */

	flow_of_load(hart->tolerance, outcome, numbers);
	flow_of_store(hart, outcome, 2, false);
	for (unsigned side = 0; side < 2 && !swap; side++)
		if (outcome->store[side].source == 0)
			outcome->store[side] = outcome->result[side];
}

static void flow_of_csr(
	const struct ear_tolerance_hart *hart, struct outcome *outcome, const uint64_t numbers[2])
{
	const struct ear_inst *inst = &outcome->inst;
	uint8_t source = source_of_csr(hart->tolerance, inst->csr);
	bool writes = (inst->opcode >> 12 & 3) == 1; /* csrrw: not what was there, and more */
	unsigned place;

	outcome->read = source != 0;
	for (unsigned side = 0; side < 2; side++) {
		const struct marks *marks = &hart->sides[side];
		if (!outcome->records[side])
			continue;
		const struct ear_origin *csr = csr_mark(marks, inst->csr);
		if (!csr && inst->csr == EAR_CSR_FCSR)
			csr = csr_mark(marks, EAR_CSR_FFLAGS);
		if (csr)
			outcome->result[side] = *csr;
		if (source)
			outcome->result[side] =
				(struct ear_origin){.source = source, .record = numbers[side]};
		const struct ear_origin *operand = any_operand_mark(marks, inst, &place);
		if (operand)
			outcome->csr[side] = *operand;
		else if (!writes)
			outcome->csr[side] = outcome->result[side];
	}
}

/* Registers in, registers out. */
static void flow_of_registers(const struct ear_tolerance_hart *hart, struct outcome *outcome)
{
	unsigned place;

	for (unsigned side = 0; side < 2; side++) {
		const struct ear_origin *mark =
			any_operand_mark(&hart->sides[side], &outcome->inst, &place);
		if (outcome->records[side] && mark)
			outcome->result[side] = *mark;
	}
}

/* Did the instruction run to its end, as one that can be decoded? */
static bool decode(struct ear_inst *inst, const struct ear_record *record)
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

/* What depends on tolerated reads when these records run; one of them may be NULL. */
static void find_outcome(const struct ear_tolerance_hart *hart, struct outcome *outcome,
	const struct ear_record *a, const struct ear_record *b, const uint64_t numbers[2])
{
	struct ear_inst other;

	memset(outcome, 0, sizeof(*outcome));
	outcome->records[0] = a;
	outcome->records[1] = b;
	if (!decode(&outcome->inst, a ? a : b))
		return;
	if (a && b && (!decode(&other, b) || other.opcode != outcome->inst.opcode)) {
		memset(&outcome->inst, 0, sizeof(outcome->inst));
		return;
	}
	switch (outcome->inst.kind) {
	case EAR_KIND_ALU:
	case EAR_KIND_MUL:
	case EAR_KIND_DIV:
	case EAR_KIND_FP: flow_of_registers(hart, outcome); break;
	case EAR_KIND_LOAD:
	case EAR_KIND_LR: flow_of_load(hart->tolerance, outcome, numbers); break;
	case EAR_KIND_STORE: flow_of_store(hart, outcome, 0, true); break;
	case EAR_KIND_SC: flow_of_store(hart, outcome, 2, true); break;
	case EAR_KIND_AMO: flow_of_atomic(hart, outcome, numbers); break;
	case EAR_KIND_CSR: flow_of_csr(hart, outcome, numbers); break;
	default: break; /* a link register holds the pc, and nothing else writes one */
	}
}

static bool depends(const struct ear_origin origins[2])
{
	return (origins[0].source | origins[1].source) != 0;
}

/* Comparing -------------------------------------------------------------------------------- */

static void copy_register(struct ear_record_register *registers, const struct ear_record *a,
	const struct ear_record *b, enum ear_register_class reg_class, unsigned number)
{
	const struct ear_record_register *from = find_write(a, reg_class, number);
	const struct ear_record_register *to = find_write(b, reg_class, number);

	if (from && to)
		registers[to - b->registers].value = from->value;
}

static void copy_accesses(struct ear_record_access *accesses, const struct ear_record *a,
	const struct ear_record *b, bool write)
{
	const struct ear_record_access *from = only_access(a, write), *to = only_access(b, write);

	if (from && to && from->address == to->address)
		accesses[to - b->memory].value = from->value;
}

/* B's record with A's values wherever the outcome depends on tolerated reads. */
static void make_equal(const struct outcome *outcome, struct ear_record *copy,
	struct ear_record_register *registers, struct ear_record_access *accesses)
{
	const struct ear_record *a = outcome->records[0], *b = outcome->records[1];
	const struct ear_inst *inst = &outcome->inst;

	for (unsigned i = 0; i < inst->operand_count && depends(outcome->result); i++)
		if (is_register(&inst->operands[i]) && inst->operands[i].access & EAR_OPERAND_WRITE)
			copy_register(registers, a, b, class_of(&inst->operands[i]),
				(unsigned)inst->operands[i].value & 31);
	if (depends(outcome->result) && inst->kind == EAR_KIND_FP) {
		copy->fflags = a->fflags;
		copy_register(registers, a, b, EAR_REGISTER_CSR, EAR_CSR_FFLAGS);
		copy_register(registers, a, b, EAR_REGISTER_CSR, EAR_CSR_FCSR);
	}
	if (depends(outcome->csr))
		copy_register(registers, a, b, EAR_REGISTER_CSR, inst->csr);
	if (depends(outcome->result) && accesses_memory(inst))
		copy_accesses(accesses, a, b, false);
	if (depends(outcome->store))
		copy_accesses(accesses, a, b, true);
}

static bool reserve(struct ear_tolerance_hart *hart, size_t size)
{
	if (size <= hart->scratch_size)
		return true;
	char *grown = realloc(hart->scratch, size);
	if (!grown)
		return false;
	hart->scratch = grown;
	hart->scratch_size = size;
	return true;
}

bool ear_tolerance_compare(struct ear_tolerance_hart *hart,
	struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, const struct ear_pair_comparison *how)
{
	static const uint64_t numbers[2] = {0, 0};
	struct outcome outcome;

	if (how->same(how->context, difference, a, b))
		return true;
	find_outcome(hart, &outcome, a, b, numbers);
	if (!depends(outcome.result) && !depends(outcome.store) && !depends(outcome.csr))
		return false;
	size_t register_size = b->register_count * sizeof(*b->registers);
	size_t memory_size = b->memory_count * sizeof(*b->memory);
	if (!reserve(hart, register_size + memory_size + 1))
		return false;
	struct ear_record copy = *b;
	struct ear_record_register *registers = (struct ear_record_register *)(void *)hart->scratch;
	struct ear_record_access *accesses =
		(struct ear_record_access *)(void *)(hart->scratch + register_size);
	if (register_size)
		memcpy(registers, b->registers, register_size);
	if (memory_size)
		memcpy(accesses, b->memory, memory_size);
	copy.registers = registers;
	copy.memory = accesses;
	make_equal(&outcome, &copy, registers, accesses);
	return how->same(how->context, difference, a, &copy);
}

/* Passing ---------------------------------------------------------------------------------- */

static void count_tolerated(
	struct ear_tolerance_hart *hart, const struct ear_origin origins[2], bool read)
{
	struct ear_tolerance *tolerance = hart->tolerance;
	uint32_t source = origins[0].source ? origins[0].source : origins[1].source;

	if (source == 0 || hart->is_probe)
		return;
	if (read)
		tolerance->sources[source - 1].reads++;
	else
		tolerance->sources[source - 1].values++;
}

/* A register was written on the sides that have a record: mark it where the values differ and
 * depend on tolerated reads. Returns whether they differ on both sides. */
static bool pass_register(struct ear_tolerance_hart *hart, const struct outcome *outcome,
	enum ear_register_class reg_class, unsigned number, const struct ear_origin origins[2])
{
	const struct ear_record_register *writes[2];

	for (unsigned side = 0; side < 2; side++)
		writes[side] = find_write(outcome->records[side], reg_class, number);
	bool differ = !writes[0] || !writes[1] || writes[0]->value != writes[1]->value;
	for (unsigned side = 0; side < 2; side++) {
		if (!outcome->records[side])
			continue;
		struct ear_origin origin = differ ? origins[side] : (struct ear_origin){0};
		origin.has_value = writes[side] != NULL;
		origin.value = writes[side] ? writes[side]->value : 0;
		set_mark(&hart->sides[side], reg_class, number, &origin);
	}
	return differ && writes[0] && writes[1];
}

static void pass_registers(struct ear_tolerance_hart *hart, const struct outcome *outcome)
{
	const struct ear_inst *inst = &outcome->inst;

	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		if (!(operand->access & EAR_OPERAND_WRITE))
			continue;
		if (is_register(operand) && pass_register(hart, outcome, class_of(operand),
						    (unsigned)operand->value & 31, outcome->result))
			count_tolerated(hart, outcome->result, outcome->read);
		if (operand->kind == EAR_OPERAND_CSR &&
			pass_register(hart, outcome, EAR_REGISTER_CSR, inst->csr, outcome->csr))
			count_tolerated(hart, outcome->csr, false);
	}
	for (unsigned side = 0; side < 2 && inst->kind == EAR_KIND_FP; side++) {
		const struct ear_record *const *records = outcome->records;
		bool differ =
			!records[0] || !records[1] || records[0]->fflags != records[1]->fflags;
		if (differ && records[side] && outcome->result[side].source)
			set_mark(&hart->sides[side], EAR_REGISTER_CSR, EAR_CSR_FFLAGS,
				&outcome->result[side]);
	}
}

/* What is stored on a side. Bytes that are equal on both sides are not followed. */
static void pass_stores(struct ear_tolerance_hart *hart, const struct outcome *outcome)
{
	const struct ear_record_access *single[2] = {
		only_access(outcome->records[0], true), only_access(outcome->records[1], true)};
	bool same = single[0] && single[1] && single[0]->has_value && single[1]->has_value &&
		    single[0]->value == single[1]->value;

	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record *record = outcome->records[side];
		for (size_t i = 0; record && i < record->memory_count; i++) {
			const struct ear_record_access *access = &record->memory[i];
			unsigned size = access_size(access, &outcome->inst);
			struct ear_origin origin = {0};
			if (!access->write || access->masked || size == 0)
				continue;
			if (access == single[side] && !same)
				origin = outcome->store[side];
			origin.has_value = access->has_value;
			origin.value = access->value;
			ear_followed_store(
				hart->tolerance->memory[side], access->address, size, &origin);
		}
	}
	if (single[0] && single[1] && !same)
		count_tolerated(hart, outcome->store, false);
}

/* Clear the marks of what a record writes: no tolerated read is in it, or it is set again. */
static void clear_writes(struct marks *marks, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		clear_mark(marks, record->registers[i].reg_class, record->registers[i].number);
}

static void pass_outcome(struct ear_tolerance_hart *hart, const struct outcome *outcome)
{
	for (unsigned side = 0; side < 2; side++)
		if (outcome->records[side])
			clear_writes(&hart->sides[side], outcome->records[side]);
	if (outcome->inst.kind != EAR_KIND_ILLEGAL)
		pass_registers(hart, outcome);
	if (!hart->is_probe)
		pass_stores(hart, outcome);
}

/* Both records wrote the same values. */
static void pass_same(struct ear_tolerance_hart *hart, const struct ear_record *const records[2])
{
	static const struct ear_origin none;

	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record *record = records[side];
		struct ear_followed *memory = hart->tolerance->memory[side];
		if (has_marks(&hart->sides[side]))
			clear_writes(&hart->sides[side], record);
		if (hart->is_probe || ear_followed_count(memory) == 0)
			continue;
		for (size_t i = 0; i < record->memory_count; i++)
			if (record->memory[i].write && record->memory[i].size - 1u < 8)
				ear_followed_store(memory, record->memory[i].address,
					record->memory[i].size, &none);
	}
}

/* Deciding --------------------------------------------------------------------------------- */

/* The mark of a register on either side, with the source and the records that read it. */
static bool describe(const struct ear_tolerance_hart *hart, struct ear_decision *decision,
	enum ear_register_class reg_class, unsigned number)
{
	const struct ear_origin *marks[2];

	for (unsigned side = 0; side < 2; side++)
		marks[side] = mark_of(&hart->sides[side], reg_class, number);
	if (!marks[0] && !marks[1])
		return false;
	decision->reg_class = (uint8_t)reg_class;
	decision->number = (uint16_t)number;
	decision->source = hart->tolerance->sources[(marks[0] ? marks[0] : marks[1])->source - 1];
	for (unsigned side = 0; side < 2; side++)
		decision->records[side] =
			marks[side] ? marks[side]->record : EAR_DECISION_NO_RECORD;
	return true;
}

static bool describe_operand(const struct ear_tolerance_hart *hart, struct ear_decision *decision,
	const struct ear_inst *inst, unsigned place)
{
	if (!operand_mark(&hart->sides[0], inst, place) &&
		!operand_mark(&hart->sides[1], inst, place))
		return false;
	return describe(hart, decision, class_of(&inst->operands[place]),
		(unsigned)inst->operands[place].value & 31);
}

/* Where the instruction goes depends on a marked register. */
static bool goes_by_mark(const struct ear_tolerance_hart *hart, const struct ear_inst *inst,
	const struct ear_record *record, struct ear_decision *decision)
{
	*decision = (struct ear_decision){.kind = EAR_DECISION_JUMP, .pc = record->pc};
	if (inst->kind == EAR_KIND_SYSTEM)
		return (inst->opcode == EAR_OPCODE_MRET &&
			       describe(hart, decision, EAR_REGISTER_CSR, EAR_CSR_MEPC)) ||
		       (inst->opcode == EAR_OPCODE_SRET &&
			       describe(hart, decision, EAR_REGISTER_CSR, EAR_CSR_SEPC));
	if (inst->kind != EAR_KIND_BRANCH && inst->kind != EAR_KIND_JUMP)
		return false;
	if (inst->kind == EAR_KIND_BRANCH)
		decision->kind = EAR_DECISION_BRANCH;
	for (unsigned place = 0; place < inst->operand_count; place++)
		if (describe_operand(hart, decision, inst, place))
			return true;
	return false;
}

bool ear_tolerance_decided(const struct ear_tolerance_hart *hart, const struct ear_record *a,
	const struct ear_record *b, const struct ear_record_difference *difference,
	struct ear_decision *decision)
{
	struct ear_inst inst;
	struct ear_record executed = *a;

	*decision = (struct ear_decision){0};
	if (!has_marks(&hart->sides[0]) && !has_marks(&hart->sides[1]))
		return false;
	if (difference->field == EAR_COMPARE_TRAP || difference->field == EAR_COMPARE_ADDRESS)
		executed.flags &= ~(uint32_t)EAR_RECORD_TRAP;
	if (a->opcode != b->opcode || !decode(&inst, &executed))
		return false;
	if (difference->field == EAR_COMPARE_TARGET && goes_by_mark(hart, &inst, a, decision))
		return true;
	*decision = (struct ear_decision){.kind = EAR_DECISION_ADDRESS, .pc = a->pc};
	if ((difference->field == EAR_COMPARE_TRAP || difference->field == EAR_COMPARE_ADDRESS) &&
		(accesses_memory(&inst) || inst.kind == EAR_KIND_CACHE) &&
		describe_operand(hart, decision, &inst, base_place(&inst)))
		return true;
	*decision = (struct ear_decision){0};
	return false;
}

bool ear_tolerance_decided_before(
	const struct ear_tolerance_hart *hart, struct ear_decision *decision)
{
	*decision = hart->last;
	return decision->kind != EAR_DECISION_NONE;
}

/* Can the opcode be a branch, a jump or an xRET? */
static bool may_jump(uint64_t opcode)
{
	if (ear_opcode_is_compressed(opcode))
		return (opcode & 3) == 1 ? (opcode >> 13 & 7) != 0 : (opcode >> 13 & 7) == 4;
	unsigned major = ear_opcode_major(opcode);
	return major == EAR_OPCODE_BRANCH || major == EAR_OPCODE_JALR || major == EAR_OPCODE_SYSTEM;
}

/* A branch or jump by a marked register, for the case that the sides go apart after it. */
static void remember_decision(struct ear_tolerance_hart *hart, const struct ear_record *record)
{
	struct ear_inst inst;

	hart->last.kind = EAR_DECISION_NONE;
	if (!has_marks(&hart->sides[0]) && !has_marks(&hart->sides[1]))
		return;
	if (!may_jump(record->opcode) || !decode(&inst, record) ||
		!goes_by_mark(hart, &inst, record, &hart->last))
		hart->last.kind = EAR_DECISION_NONE;
}

void ear_tolerance_pass_pair(struct ear_tolerance_hart *hart, const struct ear_record *a,
	const struct ear_record *b, bool same, const uint64_t numbers[2])
{
	struct outcome outcome;

	remember_decision(hart, a);
	if (same) {
		pass_same(hart, (const struct ear_record *const[]){a, b});
		return;
	}
	find_outcome(hart, &outcome, a, b, numbers);
	pass_outcome(hart, &outcome);
}

void ear_tolerance_pass(struct ear_tolerance_hart *hart, unsigned side,
	const struct ear_record *record, uint64_t number)
{
	struct outcome outcome;
	const uint64_t numbers[2] = {number, number};

	hart->last.kind = EAR_DECISION_NONE;
	if (record->kind == EAR_RECORD_GAP) {
		hart->sides[side].x_set = hart->sides[side].f_set = 0;
		hart->sides[side].csr_count = 0;
		return;
	}
	find_outcome(hart, &outcome, side == 0 ? record : NULL, side == 1 ? record : NULL, numbers);
	pass_outcome(hart, &outcome);
}
