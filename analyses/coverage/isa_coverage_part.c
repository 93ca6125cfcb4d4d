/* What an open coverage has counted, as lines of a file: docs/parts.md, section 3.3. Opcodes are
 * numbered from 0 and harts too, in the order of their lines.
 */
#include "analyses/coverage/isa_coverage.h"

#include <inttypes.h>
#include <string.h>

#include "analyses/coverage/isa_counting.h"

/* ---- Writing. ---- */

static void write_opcode(struct ear_part_writer *writer, const struct ear_isa_opcode *opcode)
{
	char text[EAR_ISA_BINS * 25 + 1] = "";
	size_t used = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < EAR_ISA_BINS; i++) {
		if (opcode->bins[i] == 0)
			continue;
		used += (size_t)snprintf(
			text + used, sizeof(text) - used, " %u %" PRIu64, i, opcode->bins[i]);
		count++;
	}
	ear_part_write(writer, "opcode 0x%" PRIx32 " %u %" PRIu64 " %u%s", opcode->opcode,
		opcode->xlen, opcode->executed, count, text);
}

static void write_steps(struct ear_part_writer *writer, const char *name,
	const struct isa_step *steps, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		ear_part_write(writer, "%s %" PRIu32 " 0x%" PRIx64 " %u", name,
			steps[i].number > 0 ? steps[i].number - 1 : UINT32_MAX, steps[i].address,
			steps[i].size);
}

static void write_hart(struct ear_part_writer *writer, const struct isa_hart *hart)
{
	ear_part_write(writer, "hart %u 0x%" PRIx64 " 0x%" PRIx64 " %u %u %u %u %u %u %u %u %u %u",
		hart->number, hart->known, hart->open, hart->has_privilege,
		hart->has_privilege ? hart->privilege : 0, hart->has_first_privilege,
		hart->first_privilege, hart->knows_frm, hart->frm_is_open,
		hart->knows_frm ? hart->frm : 0, hart->steps_are_cut, hart->forgotten,
		hart->first_count);
	for (unsigned i = 0; i < EAR_ISA_VALUED; i++)
		if (hart->known >> i & 1)
			ear_part_write(writer, "value %u 0x%" PRIx64, i, hart->values[i]);
	write_steps(writer, "first", hart->first, hart->first_count);
	write_steps(writer, "before", hart->before, EAR_ISA_DISTANCES);
}

static void write_open(struct ear_part_writer *writer, const struct isa_open_count *count)
{
	char text[2 * ISA_OTHERS * 21 + 1] = "";
	size_t used = 0;

	for (unsigned i = 0; i < 2 * ISA_OTHERS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %" PRIu64,
			i < ISA_OTHERS ? count->rs1[i] : count->rs2[i - ISA_OTHERS]);
	ear_part_write(writer, "open %" PRIu32 " %" PRIu32 " %" PRIu64 "%s", count->number - 1,
		count->hart, count->rounded, text);
}

static void write_table(struct ear_part_writer *writer, const char *name, const uint64_t *counts,
	unsigned rows, unsigned columns)
{
	for (unsigned i = 0; i < rows; i++)
		for (unsigned j = 0; j < columns; j++)
			if (counts[i * columns + j] > 0)
				ear_part_write(writer, "%s %u %u %" PRIu64, name, i, j,
					counts[i * columns + j]);
}

static void write_sums(struct ear_part_writer *writer, const struct ear_isa_sums *sums)
{
	write_table(writer, "exception", sums->exceptions[0], EAR_ISA_PRIVILEGES, EAR_ISA_CAUSES);
	write_table(writer, "interrupt", sums->interrupts[0], EAR_ISA_PRIVILEGES, EAR_ISA_CAUSES);
	write_table(writer, "privilege", sums->privileges, 1, EAR_ISA_PRIVILEGES);
	write_table(
		writer, "transition", sums->transitions[0], EAR_ISA_PRIVILEGES, EAR_ISA_PRIVILEGES);
	write_table(writer, "csr", sums->csrs[0], EAR_ISA_CSR_WAYS, 4096);
	ear_part_write(writer,
		"sums %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %u %u %u %u %u %u %u",
		sums->records, sums->without, sums->left_out, sums->gaps, sums->has_values,
		sums->has_accesses, sums->has_privilege, sums->has_directions, sums->has_flags,
		sums->has_rounding, sums->has_vtype, sums->has_traps, sums->has_interrupts);
}

void ear_isa_coverage_write(const struct ear_isa_coverage *coverage, struct ear_part_writer *writer)
{
	for (uint32_t i = 0; i < coverage->opcode_count; i++)
		write_opcode(writer, &coverage->opcodes[i]);
	for (size_t i = 0; i < coverage->hart_count; i++)
		write_hart(writer, &coverage->harts[i]);
	for (uint32_t i = 0; i < coverage->open_count; i++)
		write_open(writer, &coverage->open_counts[i]);
	write_sums(writer, &coverage->sums);
	ear_part_write(writer, "paused %u", coverage->paused);
}

/* ---- Reading. ---- */

static bool read_opcode(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	uint64_t word, xlen, executed, count, bin, hits;
	uint32_t number;

	if (!ear_part_number(reader, &word, UINT32_MAX) || !ear_part_number(reader, &xlen, 64) ||
		!ear_part_number(reader, &executed, UINT64_MAX) ||
		!ear_part_number(reader, &count, EAR_ISA_BINS))
		return false;
	const uint32_t before = coverage->opcode_count;
	if ((xlen != 32 && xlen != 64) || before == EAR_ISA_OPCODES_MAX)
		return ear_part_fail(reader, "it is no opcode, or there are too many");
	if (ear_isa_find_opcode(coverage, (uint32_t)word, (uint8_t)xlen, &number))
		return ear_part_fail(reader, "out of memory");
	if (coverage->opcode_count == before)
		return ear_part_fail(reader, "this opcode came before");
	struct ear_isa_opcode *opcode = &coverage->opcodes[number - 1];
	opcode->executed = executed;
	for (uint64_t i = 0; i < count; i++) {
		if (!ear_part_number(reader, &bin, EAR_ISA_BINS - 1) ||
			!ear_part_number(reader, &hits, UINT64_MAX))
			return false;
		opcode->bins[bin] = hits;
	}
	return true;
}

static bool read_hart(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	static const uint64_t most[] = {1, EAR_ISA_PRIVILEGES - 1, 1, EAR_ISA_PRIVILEGES - 1, 1, 1,
		7, 1, 1, EAR_ISA_DISTANCES};
	uint64_t number, known, open, rest[10];

	if (!ear_part_number(reader, &number, UINT16_MAX) ||
		!ear_part_number(reader, &known, UINT64_MAX) ||
		!ear_part_number(reader, &open, UINT64_MAX))
		return false;
	for (unsigned i = 0; i < 10; i++)
		if (!ear_part_number(reader, &rest[i], most[i]))
			return false;
	const size_t before = coverage->hart_count;
	struct isa_hart *hart = ear_isa_find_hart(coverage, (uint16_t)number);
	if (!hart)
		return ear_part_fail(reader, "there are too many harts");
	if (coverage->hart_count == before)
		return ear_part_fail(reader, "this hart came before");
	*hart = (struct isa_hart){.number = (uint16_t)number,
		.known = known | 1,
		.open = open & ~(known | 1),
		.has_privilege = rest[0],
		.privilege = (uint8_t)rest[1],
		.has_first_privilege = rest[2],
		.first_privilege = (uint8_t)rest[3],
		.knows_frm = rest[4],
		.frm_is_open = rest[5],
		.frm = (uint8_t)rest[6],
		.steps_are_cut = rest[7],
		.forgotten = rest[8]};
	return true;
}

static struct isa_hart *last_hart(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	if (coverage->hart_count > 0)
		return &coverage->harts[coverage->hart_count - 1];
	ear_part_fail(reader, "no hart came before it");
	return NULL;
}

static bool read_value(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	struct isa_hart *hart = last_hart(coverage, reader);
	uint64_t number, value;

	if (!hart || !ear_part_number(reader, &number, EAR_ISA_VALUED - 1) ||
		!ear_part_number(reader, &value, UINT64_MAX))
		return false;
	if (number > 0)
		hart->values[number] = value;
	return true;
}

/* A step into *step. */
static bool read_step(
	struct ear_isa_coverage *coverage, struct ear_part_reader *reader, struct isa_step *step)
{
	uint64_t number, address, size;

	if (!ear_part_number(reader, &number, UINT32_MAX) ||
		!ear_part_number(reader, &address, UINT64_MAX) ||
		!ear_part_number(reader, &size, UINT8_MAX))
		return false;
	*step = (struct isa_step){0};
	if (number == UINT32_MAX)
		return true;
	if (number >= coverage->opcode_count)
		return ear_part_fail(reader, "its opcode is not there");
	*step = coverage->opcodes[number].step;
	step->number = (uint32_t)number + 1;
	step->address = address;
	step->size = (uint8_t)size;
	return true;
}

static bool read_first(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	struct isa_hart *hart = last_hart(coverage, reader);
	struct isa_step step;

	if (!hart || !read_step(coverage, reader, &step))
		return false;
	if (hart->first_count == EAR_ISA_DISTANCES || step.number == 0)
		return ear_part_fail(reader, "it is none, or there are too many");
	hart->first[hart->first_count++] = step;
	return true;
}

static bool read_before(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	struct isa_hart *hart = last_hart(coverage, reader);
	struct isa_step step;

	if (!hart || !read_step(coverage, reader, &step))
		return false;
	/* The last one first: they come in this order. */
	for (unsigned i = 0; i + 1 < EAR_ISA_DISTANCES; i++)
		hart->before[i] = hart->before[i + 1];
	hart->before[EAR_ISA_DISTANCES - 1] = step;
	return true;
}

static bool read_open(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	uint64_t number, hart, rounded;

	if (!ear_part_number(reader, &number, UINT32_MAX) ||
		!ear_part_number(reader, &hart, UINT32_MAX) ||
		!ear_part_number(reader, &rounded, UINT64_MAX))
		return false;
	if (number >= coverage->opcode_count || hart >= coverage->hart_count)
		return ear_part_fail(reader, "its opcode or hart is not there");
	struct isa_open_count *count =
		ear_isa_open_count(coverage, (uint32_t)number + 1, (uint32_t)hart);
	if (!count)
		return ear_part_fail(reader, "out of memory");
	count->rounded = rounded;
	return ear_part_numbers(reader, count->rs1, ISA_OTHERS) &&
	       ear_part_numbers(reader, count->rs2, ISA_OTHERS);
}

static bool read_cell(
	struct ear_part_reader *reader, uint64_t *counts, unsigned rows, unsigned columns)
{
	uint64_t row, column, count;

	if (!ear_part_number(reader, &row, rows - 1) ||
		!ear_part_number(reader, &column, columns - 1) ||
		!ear_part_number(reader, &count, UINT64_MAX))
		return false;
	counts[row * columns + column] = count;
	return true;
}

static bool read_sums(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	struct ear_isa_sums *sums = &coverage->sums;
	bool *const shown[] = {&sums->has_values, &sums->has_accesses, &sums->has_privilege,
		&sums->has_directions, &sums->has_flags, &sums->has_rounding, &sums->has_vtype,
		&sums->has_traps, &sums->has_interrupts};
	uint64_t numbers[4], is;

	if (!ear_part_numbers(reader, numbers, 4))
		return false;
	sums->records = numbers[0];
	sums->without = numbers[1];
	sums->left_out = numbers[2];
	sums->gaps = numbers[3];
	for (unsigned i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (!ear_part_number(reader, &is, 1))
			return false;
		*shown[i] = is;
	}
	return true;
}

static bool read_paused(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	uint64_t paused;

	if (!ear_part_number(reader, &paused, 1))
		return false;
	coverage->paused = paused;
	return true;
}

static bool read_line(
	struct ear_isa_coverage *coverage, struct ear_part_reader *reader, const char *word)
{
	static const struct {
		const char *word;
		bool (*read)(struct ear_isa_coverage *coverage, struct ear_part_reader *reader);
	} lines[] = {{"opcode", read_opcode}, {"hart", read_hart}, {"value", read_value},
		{"first", read_first}, {"before", read_before}, {"open", read_open},
		{"sums", read_sums}, {"paused", read_paused}};
	struct ear_isa_sums *sums = &coverage->sums;
	const struct {
		const char *word;
		uint64_t *counts;
		unsigned rows, columns;
	} tables[] = {{"exception", sums->exceptions[0], EAR_ISA_PRIVILEGES, EAR_ISA_CAUSES},
		{"interrupt", sums->interrupts[0], EAR_ISA_PRIVILEGES, EAR_ISA_CAUSES},
		{"privilege", sums->privileges, 1, EAR_ISA_PRIVILEGES},
		{"transition", sums->transitions[0], EAR_ISA_PRIVILEGES, EAR_ISA_PRIVILEGES},
		{"csr", sums->csrs[0], EAR_ISA_CSR_WAYS, 4096}};

	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strcmp(word, lines[i].word) == 0)
			return lines[i].read(coverage, reader);
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (strcmp(word, tables[i].word) == 0)
			return read_cell(
				reader, tables[i].counts, tables[i].rows, tables[i].columns);
	return ear_part_fail(reader, "it is none of a coverage of the instruction set");
}

bool ear_isa_coverage_read(struct ear_isa_coverage *coverage, struct ear_part_reader *reader)
{
	const char *word;

	ear_isa_coverage_open(coverage);
	while (ear_part_next(reader, &word)) {
		if (!word)
			return true;
		if (!read_line(coverage, reader, word))
			return false;
	}
	return false;
}
