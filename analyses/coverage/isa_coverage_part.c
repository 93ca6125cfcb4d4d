/* An open count as lines of a file: docs/parts.md, section 3.3. Opcodes are numbered from 0 and
 * harts too, in the order of their lines; what is of a hart follows its line. So a line that is
 * read may name only what came before it.
 */
#include "analyses/coverage/isa_state.h"

/* ---- Opcodes. ---- */

static void walk_bins(struct ear_part_walk *walk, uint64_t bins[EAR_ISA_BINS], uint64_t count)
{
	uint64_t bin = 0, hits;

	for (uint64_t i = 0; i < count && !walk->bad; i++) {
		while (!ear_part_reads(walk) && bins[bin] == 0)
			bin++;
		ear_part_u64(walk, &bin, EAR_ISA_BINS - 1);
		hits = bins[bin];
		ear_part_u64(walk, &hits, UINT64_MAX);
		bins[bin] = hits;
		bin += !ear_part_reads(walk);
	}
}

/* One that was read, or NULL after what is wrong with it. */
static struct ear_isa_opcode *add_opcode(struct ear_isa_coverage *coverage,
	struct ear_part_walk *walk, uint32_t word, uint8_t xlen, uint64_t executed)
{
	const uint32_t before = coverage->opcode_count;
	uint32_t number;

	if (walk->bad)
		return NULL;
	if ((xlen != 32 && xlen != 64) || before == EAR_ISA_OPCODES_MAX)
		ear_part_reject(walk, "it is no opcode, or there are too many");
	else if (ear_isa_find_opcode(coverage, word, xlen, &number))
		ear_part_reject(walk, "out of memory");
	else if (coverage->opcode_count == before)
		ear_part_reject(walk, "this opcode came before");
	if (walk->bad)
		return NULL;
	coverage->opcodes[number - 1].executed = executed;
	return &coverage->opcodes[number - 1];
}

/* opcode NULL: it is read. */
static void walk_opcode(struct ear_isa_coverage *coverage, struct ear_part_walk *walk,
	struct ear_isa_opcode *opcode)
{
	uint32_t word = opcode ? opcode->opcode : 0;
	uint8_t xlen = opcode ? opcode->xlen : 0;
	uint64_t executed = opcode ? opcode->executed : 0, count = 0;

	if (!ear_part_line(walk, "opcode"))
		return;
	for (unsigned i = 0; opcode && i < EAR_ISA_BINS; i++)
		count += opcode->bins[i] > 0;
	ear_part_hex32(walk, &word, UINT32_MAX);
	ear_part_u8(walk, &xlen, 64);
	ear_part_u64(walk, &executed, UINT64_MAX);
	ear_part_u64(walk, &count, EAR_ISA_BINS);
	if (!opcode)
		opcode = add_opcode(coverage, walk, word, xlen, executed);
	if (opcode)
		walk_bins(walk, opcode->bins, count);
}

/* ---- Harts. ---- */

static void add_hart(
	struct ear_isa_coverage *coverage, struct ear_part_walk *walk, const struct isa_hart *read)
{
	const size_t before = coverage->hart_count;
	struct isa_hart *hart = walk->bad ? NULL : ear_isa_find_hart(coverage, read->number);

	if (walk->bad)
		return;
	if (!hart)
		ear_part_reject(walk, "there are too many harts");
	else if (coverage->hart_count == before)
		ear_part_reject(walk, "this hart came before");
	if (walk->bad)
		return;
	*hart = *read;
	hart->known |= 1;
	hart->open &= ~hart->known;
	hart->first_count = 0; /* as many lines follow */
}

/* A copy: what is not known is written as 0. */
static void walk_hart(
	struct ear_isa_coverage *coverage, struct ear_part_walk *walk, struct isa_hart hart)
{
	if (!ear_part_line(walk, "hart"))
		return;
	hart.privilege = hart.has_privilege ? hart.privilege : 0;
	hart.frm = hart.knows_frm ? hart.frm : 0;
	ear_part_u16(walk, &hart.number, UINT16_MAX);
	ear_part_hex64(walk, &hart.known, UINT64_MAX);
	ear_part_hex64(walk, &hart.open, UINT64_MAX);
	ear_part_bool(walk, &hart.has_privilege);
	ear_part_u8(walk, &hart.privilege, EAR_ISA_PRIVILEGES - 1);
	ear_part_bool(walk, &hart.has_first_privilege);
	ear_part_u8(walk, &hart.first_privilege, EAR_ISA_PRIVILEGES - 1);
	ear_part_bool(walk, &hart.knows_frm);
	ear_part_bool(walk, &hart.frm_is_open);
	ear_part_u8(walk, &hart.frm, 7);
	ear_part_bool(walk, &hart.steps_are_cut);
	ear_part_bool(walk, &hart.forgotten);
	ear_part_u8(walk, &hart.first_count, EAR_ISA_DISTANCES);
	if (ear_part_reads(walk))
		add_hart(coverage, walk, &hart);
}

static void walk_value(struct ear_part_walk *walk, struct isa_hart *hart, uint64_t number)
{
	uint64_t value = hart->values[number];

	ear_part_u64(walk, &number, EAR_ISA_VALUED - 1);
	ear_part_hex64(walk, &value, UINT64_MAX);
	if (number > 0)
		hart->values[number] = value;
}

static void walk_step(
	struct ear_isa_coverage *coverage, struct ear_part_walk *walk, struct isa_step *step)
{
	uint32_t number = step->number > 0 ? step->number - 1 : UINT32_MAX;
	uint64_t address = step->address;
	uint8_t size = step->size;

	ear_part_u32(walk, &number, UINT32_MAX);
	ear_part_hex64(walk, &address, UINT64_MAX);
	ear_part_u8(walk, &size, UINT8_MAX);
	if (!ear_part_reads(walk) || walk->bad)
		return;
	if (number != UINT32_MAX && number >= coverage->opcode_count) {
		ear_part_reject(walk, "its opcode is not there");
		return;
	}
	*step = (struct isa_step){0};
	if (number == UINT32_MAX)
		return;
	*step = coverage->opcodes[number].step;
	step->number = number + 1;
	step->address = address;
	step->size = size;
}

static void write_of_hart(
	struct ear_isa_coverage *coverage, struct ear_part_walk *walk, struct isa_hart *hart)
{
	for (unsigned i = 0; i < EAR_ISA_VALUED; i++)
		if (hart->known >> i & 1 && ear_part_line(walk, "value"))
			walk_value(walk, hart, i);
	for (unsigned i = 0; i < hart->first_count && ear_part_line(walk, "first"); i++)
		walk_step(coverage, walk, &hart->first[i]);
	for (unsigned i = 0; i < EAR_ISA_DISTANCES && ear_part_line(walk, "before"); i++)
		walk_step(coverage, walk, &hart->before[i]);
}

static void add_first(
	struct ear_part_walk *walk, struct isa_hart *hart, const struct isa_step *step)
{
	if (walk->bad)
		return;
	if (hart->first_count == EAR_ISA_DISTANCES || step->number == 0)
		ear_part_reject(walk, "it is none, or there are too many");
	else
		hart->first[hart->first_count++] = *step;
}

/* The last one first: they come in this order. */
static void add_before(struct isa_hart *hart, const struct isa_step *step)
{
	for (unsigned i = 0; i + 1 < EAR_ISA_DISTANCES; i++)
		hart->before[i] = hart->before[i + 1];
	hart->before[EAR_ISA_DISTANCES - 1] = *step;
}

/* What is of the hart whose line came last. */
static void read_of_hart(struct ear_isa_coverage *coverage, struct ear_part_walk *walk)
{
	struct isa_hart *hart =
		coverage->hart_count > 0 ? &coverage->harts[coverage->hart_count - 1] : NULL;
	const bool is_value = ear_part_line(walk, "value");
	const bool is_first = !is_value && ear_part_line(walk, "first");
	const bool is_before = !is_value && !is_first && ear_part_line(walk, "before");
	struct isa_step step = {0};

	if (!is_value && !is_first && !is_before)
		return;
	if (!hart) {
		ear_part_reject(walk, "no hart came before it");
		return;
	}
	if (is_value) {
		walk_value(walk, hart, 0);
		return;
	}
	walk_step(coverage, walk, &step);
	if (is_first)
		add_first(walk, hart, &step);
	else if (!walk->bad)
		add_before(hart, &step);
}

static void walk_harts(struct ear_isa_coverage *coverage, struct ear_part_walk *walk)
{
	static const struct isa_hart none;

	if (ear_part_reads(walk)) {
		walk_hart(coverage, walk, none);
		read_of_hart(coverage, walk);
		return;
	}
	for (size_t i = 0; i < coverage->hart_count; i++) {
		walk_hart(coverage, walk, coverage->harts[i]);
		write_of_hart(coverage, walk, &coverage->harts[i]);
	}
}

/* ---- What is open. ---- */

/* One that was read, or NULL after what is wrong with it. */
static struct isa_open_count *add_open(struct ear_isa_coverage *coverage,
	struct ear_part_walk *walk, uint32_t number, uint32_t hart)
{
	struct isa_open_count *count = NULL;

	if (walk->bad)
		return NULL;
	if (number >= coverage->opcode_count || hart >= coverage->hart_count) {
		ear_part_reject(walk, "its opcode or hart is not there");
		return NULL;
	}
	count = ear_isa_open_count(coverage, number + 1, hart);
	if (!count)
		ear_part_reject(walk, "out of memory");
	return count;
}

/* count NULL: it is read. */
static void walk_open(
	struct ear_isa_coverage *coverage, struct ear_part_walk *walk, struct isa_open_count *count)
{
	uint32_t number = count ? count->number - 1 : 0, hart = count ? count->hart : 0;
	uint64_t rounded = count ? count->rounded : 0;

	if (!ear_part_line(walk, "open"))
		return;
	ear_part_u32(walk, &number, UINT32_MAX);
	ear_part_u32(walk, &hart, UINT32_MAX);
	ear_part_u64(walk, &rounded, UINT64_MAX);
	if (!count)
		count = add_open(coverage, walk, number, hart);
	if (!count)
		return;
	count->rounded = rounded;
	for (unsigned i = 0; i < ISA_OTHERS; i++)
		ear_part_u64(walk, &count->rs1[i], UINT64_MAX);
	for (unsigned i = 0; i < ISA_OTHERS; i++)
		ear_part_u64(walk, &count->rs2[i], UINT64_MAX);
}

/* ---- Sums. ---- */

static void walk_cell(struct ear_part_walk *walk, uint64_t *counts, unsigned rows, unsigned columns,
	unsigned cell)
{
	uint32_t row = cell / columns, column = cell % columns;
	uint64_t count = counts[cell];

	ear_part_u32(walk, &row, rows - 1);
	ear_part_u32(walk, &column, columns - 1);
	ear_part_u64(walk, &count, UINT64_MAX);
	counts[row * columns + column] = count;
}

/* Lines are of what is not 0. */
static void walk_table(struct ear_part_walk *walk, const char *name, uint64_t *counts,
	unsigned rows, unsigned columns)
{
	if (ear_part_reads(walk)) {
		if (ear_part_line(walk, name))
			walk_cell(walk, counts, rows, columns, 0);
		return;
	}
	for (unsigned i = 0; i < rows * columns; i++)
		if (counts[i] > 0 && ear_part_line(walk, name))
			walk_cell(walk, counts, rows, columns, i);
}

static void walk_sums(struct ear_isa_sums *sums, struct ear_part_walk *walk)
{
	bool *const shown[] = {&sums->has_values, &sums->has_accesses, &sums->has_privilege,
		&sums->has_directions, &sums->has_flags, &sums->has_rounding, &sums->has_vtype,
		&sums->has_traps, &sums->has_interrupts};

	walk_table(walk, "exception", sums->exceptions[0], EAR_ISA_PRIVILEGES, EAR_ISA_CAUSES);
	walk_table(walk, "interrupt", sums->interrupts[0], EAR_ISA_PRIVILEGES, EAR_ISA_CAUSES);
	walk_table(walk, "privilege", sums->privileges, 1, EAR_ISA_PRIVILEGES);
	walk_table(
		walk, "transition", sums->transitions[0], EAR_ISA_PRIVILEGES, EAR_ISA_PRIVILEGES);
	walk_table(walk, "csr", sums->csrs[0], EAR_ISA_CSR_WAYS, 4096);
	if (!ear_part_line(walk, "sums"))
		return;
	ear_part_u64(walk, &sums->records, UINT64_MAX);
	ear_part_u64(walk, &sums->without, UINT64_MAX);
	ear_part_u64(walk, &sums->left_out, UINT64_MAX);
	ear_part_u64(walk, &sums->gaps, UINT64_MAX);
	for (unsigned i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		ear_part_bool(walk, shown[i]);
}

void ear_isa_walk_part(void *count, struct ear_part_walk *walk)
{
	struct ear_isa_coverage *coverage = count;

	if (ear_part_reads(walk))
		walk_opcode(coverage, walk, NULL);
	else
		for (uint32_t i = 0; i < coverage->opcode_count; i++)
			walk_opcode(coverage, walk, &coverage->opcodes[i]);
	walk_harts(coverage, walk);
	if (ear_part_reads(walk))
		walk_open(coverage, walk, NULL);
	else
		for (uint32_t i = 0; i < coverage->open_count; i++)
			walk_open(coverage, walk, &coverage->open_counts[i]);
	walk_sums(&coverage->sums, walk);
	if (ear_part_line(walk, "paused"))
		ear_part_bool(walk, &coverage->paused);
}
