/* What is counted of an instruction that retired: hazards, which depend on the three before it, and
 * the values of its operands, which are known since a record has written the registers. The value
 * of a register that a part has not seen written is the same wherever it is read: how often that
 * was, and with which other operand, is all that the join needs.
 */
#include "analyses/coverage/isa_counting.h"

#include <earshot/error.h>

/* A packed vtype: SEW and LMUL as vtype has them, and these. */
#define VTYPE_KNOWN   0x40
#define VTYPE_ILLEGAL 0x80

#define CSR_FRM  2
#define CSR_FCSR 3

/* ---- Values. ---- */

static inline unsigned integer_class(int64_t value, int64_t min, int64_t max)
{
	/* Most are none of those that matter. */
	if (value > 1 && value < max)
		return EAR_ISA_POSITIVE;
	if (value == 0)
		return EAR_ISA_ZERO;
	if (value == 1)
		return EAR_ISA_ONE;
	if (value == -1)
		return EAR_ISA_MINUS_ONE;
	if (value == min)
		return EAR_ISA_MIN;
	if (value == max)
		return EAR_ISA_MAX;
	return value > 0 ? EAR_ISA_POSITIVE : EAR_ISA_NEGATIVE;
}

static unsigned float_class(uint64_t value, unsigned exponent_bits, unsigned fraction_bits)
{
	const uint64_t fraction = value & ((UINT64_C(1) << fraction_bits) - 1);
	const uint64_t most = (UINT64_C(1) << exponent_bits) - 1;
	const uint64_t exponent = value >> fraction_bits & most;
	const bool negative = value >> (exponent_bits + fraction_bits) & 1;

	if (exponent == most && fraction != 0)
		return fraction >> (fraction_bits - 1) ? EAR_ISA_FLOAT_QUIET_NAN
						       : EAR_ISA_FLOAT_SIGNALING_NAN;
	if (exponent == most)
		return negative ? EAR_ISA_FLOAT_NEGATIVE_INFINITY : EAR_ISA_FLOAT_INFINITY;
	if (exponent != 0)
		return negative ? EAR_ISA_FLOAT_NEGATIVE : EAR_ISA_FLOAT_POSITIVE;
	if (fraction != 0)
		return negative ? EAR_ISA_FLOAT_NEGATIVE_SUBNORMAL : EAR_ISA_FLOAT_SUBNORMAL;
	return negative ? EAR_ISA_FLOAT_NEGATIVE_ZERO : EAR_ISA_FLOAT_ZERO;
}

/* f registers have 64 bits here: what is narrower than its register is boxed, or a NaN. */
unsigned ear_isa_value_of(uint64_t value, unsigned format, unsigned xlen)
{
	switch (format) {
	case EAR_ISA_HALF:
		return value >> 16 == UINT64_MAX >> 16 ? float_class(value, 5, 10)
						       : EAR_ISA_FLOAT_QUIET_NAN;
	case EAR_ISA_SINGLE:
		return value >> 32 == UINT32_MAX ? float_class(value, 8, 23)
						 : EAR_ISA_FLOAT_QUIET_NAN;
	case EAR_ISA_DOUBLE: return float_class(value, 11, 52);
	default:
		return xlen == 32 ? integer_class((int32_t)(uint32_t)value, INT32_MIN, INT32_MAX)
				  : integer_class((int64_t)value, INT64_MIN, INT64_MAX);
	}
}

static unsigned is_negative(unsigned value)
{
	return value == EAR_ISA_MINUS_ONE || value == EAR_ISA_MIN || value == EAR_ISA_NEGATIVE;
}

/* Of two integers: what they are together. */
void ear_isa_count_values(struct ear_isa_opcode *opcode, unsigned rs1, unsigned rs2, uint64_t count)
{
	opcode->bins[EAR_ISA_SIGNS + 2 * is_negative(rs1) + is_negative(rs2)] += count;
	if (rs1 == EAR_ISA_MIN && rs2 == EAR_ISA_MINUS_ONE)
		opcode->bins[EAR_ISA_OVERFLOWS] += count;
}

/* The value of a source that is known. */
static inline unsigned count_source(
	struct ear_isa_opcode *opcode, const struct isa_hart *hart, unsigned slot, uint8_t reg)
{
	const unsigned value =
		ear_isa_value_of(hart->values[reg], opcode->formats[slot], opcode->xlen);

	opcode->bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT * slot + value]++;
	return value;
}

/* Not all are known: those that are open are to be counted when they are. */
static int count_open_sources(
	struct ear_isa_coverage *coverage, uint32_t number, struct isa_hart *hart)
{
	struct ear_isa_opcode *opcode = &coverage->opcodes[number - 1];
	const uint8_t regs[2] = {opcode->operands.rs1, opcode->operands.rs2};
	unsigned values[2] = {ISA_OTHER_UNKNOWN, ISA_OTHER_UNKNOWN};
	bool open[2] = {false, false};

	for (unsigned i = 0; i < 2; i++) {
		if (opcode->formats[1 + i] == EAR_ISA_NO_VALUE)
			continue;
		open[i] = hart->open >> regs[i] & 1;
		if (!(hart->known >> regs[i] & 1))
			continue;
		const unsigned value = count_source(opcode, hart, 1 + i, regs[i]);
		if (opcode->has_pair)
			values[i] = value;
	}
	if (!open[0] && !open[1])
		return 0;
	struct isa_open_count *count =
		ear_isa_open_count(coverage, number, (uint32_t)(hart - coverage->harts));
	if (!count)
		return EAR_E_NO_MEMORY;
	if (open[0])
		count->rs1[opcode->has_pair && open[1] ? ISA_OTHER_OPEN : values[1]]++;
	if (open[1] && !(opcode->has_pair && open[0]))
		count->rs2[values[0]]++;
	return 0;
}

static inline int count_sources(
	struct ear_isa_coverage *coverage, uint32_t number, struct isa_hart *hart)
{
	struct ear_isa_opcode *opcode = &coverage->opcodes[number - 1];
	const struct ear_isa_operands *operands = &opcode->operands;
	unsigned rs1 = 0, rs2 = 0;

	if (opcode->sources & ~hart->known)
		return count_open_sources(coverage, number, hart);
	if (opcode->formats[1] != EAR_ISA_NO_VALUE)
		rs1 = count_source(opcode, hart, 1, operands->rs1);
	if (opcode->formats[2] != EAR_ISA_NO_VALUE)
		rs2 = count_source(opcode, hart, 2, operands->rs2);
	if (opcode->has_pair)
		ear_isa_count_values(opcode, rs1, rs2, 1);
	return 0;
}

static bool is_dynamic(uint32_t word)
{
	const unsigned major = word & 0x7F;

	return (major == 0x43 || major == 0x47 || major == 0x4B || major == 0x4F ||
		       major == 0x53) &&
	       (word >> 12 & 7) == 7;
}

/* Rounding, flags; what the vector unit is set to. */
static int count_modes(struct ear_isa_coverage *coverage, uint32_t number, struct isa_hart *hart,
	const struct ear_record *record)
{
	struct ear_isa_opcode *opcode = &coverage->opcodes[number - 1];
	const uint32_t word = opcode->opcode;

	for (unsigned i = 0; i < 5 && record->fflags != 0; i++) {
		opcode->bins[EAR_ISA_RAISES + i] += record->fflags >> i & 1;
		coverage->sums.has_flags = true;
	}
	if (is_dynamic(word) && hart->frm_is_open) {
		struct isa_open_count *count =
			ear_isa_open_count(coverage, number, (uint32_t)(hart - coverage->harts));
		if (!count)
			return EAR_E_NO_MEMORY;
		count->rounded++;
	} else if (is_dynamic(word) && hart->knows_frm && hart->frm < 5) {
		opcode->bins[EAR_ISA_ROUNDS + hart->frm]++;
	}
	if (opcode->instruction.instruction_class < EAR_CLASS_VLOAD ||
		((word & 0x7F) == 0x57 && (word >> 12 & 7) == 7) ||
		(record->vtype & (VTYPE_KNOWN | VTYPE_ILLEGAL)) != VTYPE_KNOWN)
		return 0;
	coverage->sums.has_vtype = true;
	if ((record->vtype >> 3 & 7) < 4)
		opcode->bins[EAR_ISA_SEW + (record->vtype >> 3 & 7)]++;
	opcode->bins[EAR_ISA_LMUL + (record->vtype & 7)]++;
	return 0;
}

/* ---- Hazards. ---- */

/* The nearest earlier instruction that wrote reg. Returns its distance, from 1; 0: none. Where
 * there is no instruction its registers are 0, and x0 makes no hazard. */
static inline unsigned writer_of(const struct isa_step *before, uint8_t reg)
{
	if (reg == EAR_ISA_NO_REGISTER || reg == 0)
		return 0;
	if (before[0].operands.rd == reg)
		return 1;
	if (before[1].operands.rd == reg)
		return 2;
	return before[2].operands.rd == reg ? 3 : 0;
}

static inline bool reads(const struct isa_step *step, uint8_t reg)
{
	return (step->operands.rs1 == reg) | (step->operands.rs2 == reg) |
	       (step->operands.rs3 == reg);
}

static inline unsigned reader_of(const struct isa_step *before, uint8_t reg)
{
	if (reg == EAR_ISA_NO_REGISTER || reg == 0)
		return 0;
	if (reads(&before[0], reg))
		return 1;
	if (reads(&before[1], reg))
		return 2;
	return reads(&before[2], reg) ? 3 : 0;
}

static unsigned storer_of(const struct isa_step *before, const struct isa_step *step)
{
	for (unsigned i = 0; i < EAR_ISA_DISTANCES; i++)
		if (before[i].number && before[i].is_store && before[i].size > 0 &&
			(step->address - before[i].address < before[i].size ||
				before[i].address - step->address < step->size))
			return i + 1;
	return 0;
}

static unsigned csr_writer_of(const struct isa_step *before, uint16_t csr)
{
	for (unsigned i = 0; i < EAR_ISA_DISTANCES; i++)
		if (before[i].number && before[i].writes_csr && before[i].csr == csr)
			return i + 1;
	return 0;
}

static inline void push_step(struct isa_step *before, const struct isa_step *step)
{
	before[2] = before[1];
	before[1] = before[0];
	before[0] = *step;
}

void ear_isa_count_step(
	struct ear_isa_opcode *opcode, struct isa_step *before, const struct isa_step *step)
{
	const struct ear_isa_operands *operands = &step->operands;
	const unsigned first = writer_of(before, operands->rs1);
	const unsigned second = writer_of(before, operands->rs2);
	const unsigned third = writer_of(before, operands->rs3);
	const unsigned waw = writer_of(before, operands->rd);
	const unsigned war = reader_of(before, operands->rd);
	uint64_t *bins = opcode->bins;

	const unsigned distances = (1u << first | 1u << second | 1u << third) >> 1;
	for (unsigned i = 0; distances >> i != 0; i++) {
		bins[EAR_ISA_RAW + i] += distances >> i & 1;
		bins[EAR_ISA_LOAD_USE + i] += (distances >> i & 1) & before[i].is_load;
	}
	if (waw > 0)
		bins[EAR_ISA_WAW + waw - 1]++;
	if (war > 0)
		bins[EAR_ISA_WAR + war - 1]++;
	if (step->csr != EAR_ISA_NO_CSR) {
		const unsigned writer = csr_writer_of(before, step->csr);
		if (writer > 0)
			bins[EAR_ISA_CSR_RAW + writer - 1]++;
	}
	if (step->is_load && step->size > 0) {
		const unsigned storer = storer_of(before, step);
		if (storer > 0)
			bins[EAR_ISA_STORE_LOAD + storer - 1]++;
	}
	push_step(before, step);
}

static void count_step(
	struct ear_isa_opcode *opcode, struct isa_hart *hart, const struct isa_step *step)
{
	if (hart->steps_are_cut || hart->first_count == EAR_ISA_DISTANCES) {
		ear_isa_count_step(opcode, hart->before, step);
		return;
	}
	hart->first[hart->first_count++] = *step;
	push_step(hart->before, step);
}

/* ---- The others. ---- */

/* csrrw with rd x0 does not read. */
static void count_csr(struct ear_isa_sums *sums, const struct ear_isa_opcode *opcode)
{
	const uint32_t word = opcode->opcode;
	const unsigned csr = word >> 20, way = word >> 12 & 3;

	sums->csrs[EAR_ISA_CSR_READ][csr] += way != EAR_ISA_CSR_WRITTEN || (word >> 7 & 31) != 0;
	sums->csrs[way][csr] += way != EAR_ISA_CSR_READ && opcode->step.writes_csr;
}

static void count_accesses(struct ear_isa_coverage *coverage, struct ear_isa_opcode *opcode,
	const struct ear_record *record)
{
	const uint8_t size = opcode->instruction.access_size;

	if (record->memory_count == 0)
		return;
	const uint64_t address = record->memory[0].address;
	coverage->sums.has_accesses = true;
	if (size < 2 || size > 8 || (size & (size - 1)) != 0)
		return;
	opcode->bins[address % size == 0 ? EAR_ISA_ALIGNED : EAR_ISA_MISALIGNED]++;
	if ((address & 0xFFF) + size > 0x1000)
		opcode->bins[EAR_ISA_CROSSES]++;
}

static void keep_register(struct isa_hart *hart, const struct ear_record_register *reg)
{
	unsigned number = reg->number;
	uint64_t value = reg->value;

	if (reg->reg_class == EAR_REGISTER_CSR && (number == CSR_FRM || number == CSR_FCSR)) {
		hart->frm = (number == CSR_FRM ? value : value >> 5) & 7;
		hart->knows_frm = true;
		hart->frm_is_open = false;
	}
	if (number > 31 || reg->reg_class > EAR_REGISTER_F ||
		(reg->reg_class == EAR_REGISTER_X && number == 0))
		return;
	if (reg->reg_class == EAR_REGISTER_F) {
		number += 32;
		if (reg->size == 4)
			value |= UINT64_C(0xFFFFFFFF00000000);
	}
	hart->values[number] = value;
	hart->known |= UINT64_C(1) << number;
	hart->open &= ~(UINT64_C(1) << number);
}

static void keep_registers(struct ear_isa_coverage *coverage, struct ear_isa_opcode *opcode,
	struct isa_hart *hart, const struct ear_record *record)
{
	const uint8_t rd = opcode->operands.rd;

	/* What a record does not show of a register that it writes is not known any more. */
	if (rd > 0 && rd < EAR_ISA_VALUED) {
		hart->known &= ~(UINT64_C(1) << rd);
		hart->open &= ~(UINT64_C(1) << rd);
	}
	for (size_t i = 0; i < record->register_count; i++) {
		keep_register(hart, &record->registers[i]);
		coverage->sums.has_values |= record->registers[i].reg_class <= EAR_REGISTER_F;
		coverage->sums.has_rounding |= hart->knows_frm && !hart->frm_is_open;
	}
	if (rd >= EAR_ISA_VALUED || !(hart->known >> rd & 1))
		return;
	if (opcode->formats[0] != EAR_ISA_NO_VALUE)
		opcode->bins[EAR_ISA_VALUES + ear_isa_value_of(hart->values[rd], opcode->formats[0],
						      opcode->xlen)]++;
	if (opcode->instruction.instruction_class == EAR_CLASS_SC && rd > 0)
		opcode->bins[hart->values[rd] == 0 ? EAR_ISA_SC_STORED : EAR_ISA_SC_FAILED]++;
}

int ear_isa_count_retired(struct ear_isa_coverage *coverage, uint32_t number, struct isa_hart *hart,
	const struct ear_record *record)
{
	struct ear_isa_opcode *opcode = &coverage->opcodes[number - 1];
	const unsigned what = opcode->instruction.instruction_class;
	struct isa_step step = opcode->step;
	int result = 0;

	step.number = number;
	if (record->memory_count > 0) {
		step.address = record->memory[0].address;
		step.size = record->memory[0].size;
	}
	opcode->executed++;
	opcode->bins[record->pc & 2 ? EAR_ISA_AT_2 : EAR_ISA_AT_4]++;
	if (record->frm != 0) {
		hart->frm = record->frm & 7;
		hart->knows_frm = true;
		hart->frm_is_open = false;
		coverage->sums.has_rounding = true;
	}
	if (opcode->sources)
		result = count_sources(coverage, number, hart);
	if (result == 0 && (what == EAR_CLASS_FP || what >= EAR_CLASS_VLOAD))
		result = count_modes(coverage, number, hart, record);
	if (result)
		return result;
	count_accesses(coverage, opcode, record);
	if (what == EAR_CLASS_CSR)
		count_csr(&coverage->sums, opcode);
	count_step(opcode, hart, &step);
	keep_registers(coverage, opcode, hart, record);
	if (what != EAR_CLASS_BRANCH || record->flags & EAR_RECORD_NO_NEXT_PC)
		return 0;
	coverage->sums.has_directions = true;
	opcode->bins[record->flags & EAR_RECORD_TAKEN ? EAR_ISA_TAKEN : EAR_ISA_NOT_TAKEN]++;
	return 0;
}
