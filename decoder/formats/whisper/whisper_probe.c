/* XLEN of a Whisper CSV, whose numbers have no leading zeros: RV64 programs often begin with small
 * values, and an RV32 trace may have a line with a digit too many. So the lines of the beginning
 * vote.
 */
#include "decoder/formats/whisper/whisper_probe.h"

#include <stdbool.h>
#include <string.h>

#include "decoder/formats/whisper/whisper_layout.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

#define LEAD     8   /* votes by which one side leads when no more are counted */
#define LINES_64 128 /* RV64 code of so many lines has more than one wide value */

struct votes {
	unsigned for_32, for_64, wide, lines;
	bool sure; /* a wide value is no digit too many */
};

/* Is the register wider than a digit too many makes it? */
bool ear_whisper_probe_is_64(const struct ear_whisper_line *line)
{
	const struct ear_record *record = &line->record;

	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_X &&
			record->registers[i].value >> 36)
			return true;
	return false;
}

/* Was an immediate put into a register that is negative, and shows in 32 bits? */
static bool shows_32(const struct ear_whisper_line *line)
{
	const struct ear_record *record = &line->record;
	uint64_t compressed = record->opcode & EAR_OPCODE_C_MASK, rd = record->opcode >> 7 & 31;
	uint64_t rs1_and_function = record->opcode >> 12 & 0xFF; /* of addi of x0: 0 */
	struct ear_inst inst;

	/* lui, addi of x0, c.li, c.lui */
	bool load =
		ear_opcode_major(record->opcode) == EAR_OPCODE_LUI ||
		(ear_opcode_major(record->opcode) == EAR_OPCODE_OP_IMM && rs1_and_function == 0);
	load |= record->opcode_size == 2 &&
		(compressed == EAR_OPCODE_C_LI || (compressed == EAR_OPCODE_C_LUI && rd != 2));
	if (!load || record->register_count != 1 ||
		record->registers[0].reg_class != EAR_REGISTER_X)
		return false;
	ear_inst_decode(&inst, (uint32_t)record->opcode, 64);
	return inst.imm < 0 && record->registers[0].value == (uint32_t)inst.imm;
}

static bool is_legal(const struct ear_record *record, unsigned xlen)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, xlen);
	return inst.kind != EAR_KIND_ILLEGAL;
}

/* Whisper names instructions of RV64 on RV32, too, where they trap: one that executed is of its
 * XLEN. Returns 0 if both have it. */
static unsigned executed_xlen(const struct ear_record *record)
{
	bool on_32 = is_legal(record, 32), on_64 = is_legal(record, 64);

	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) || on_32 == on_64)
		return 0;
	return on_32 ? 32 : 64;
}

static void count_line(
	struct votes *votes, struct ear_whisper_line *line, const struct ear_text *columns)
{
	bool differ32;

	line->xlen = 32;
	if (ear_whisper_line_parse(line, columns))
		return;
	votes->lines++;
	if (line->wide >> 32) {
		votes->wide++;
		votes->sure |= ear_whisper_probe_is_64(line);
		return;
	}
	if (shows_32(line)) {
		votes->for_32++;
		return;
	}
	unsigned executed = executed_xlen(&line->record);
	if (executed != 0) {
		votes->for_32 += executed == 32;
		votes->for_64 += executed == 64;
		return;
	}
	differ32 = line->extra.disassembly.text != NULL;
	line->xlen = 64;
	if (ear_whisper_line_parse(line, columns) ||
		differ32 == (line->extra.disassembly.text != NULL))
		return;
	if (differ32)
		votes->for_64++;
	else
		votes->for_32++;
}

static unsigned judge(const struct votes *votes)
{
	/* A lone value of 9 digits in a long text has one too many. */
	bool lone =
		votes->wide == 1 && !votes->sure && votes->for_64 == 0 && votes->lines >= LINES_64;

	return votes->wide + votes->for_64 > votes->for_32 && !lone ? 64 : 32;
}

unsigned ear_whisper_probe_xlen(
	struct ear_whisper_line *line, const char *bytes, size_t size, bool *guessed)
{
	struct ear_whisper_layout layout = {.count = 0};
	struct votes votes = {0};

	while (size > 0) {
		const char *newline = memchr(bytes, '\n', size);
		struct ear_text text = {bytes, newline ? (size_t)(newline - bytes) : size};
		struct ear_text columns[EAR_WHISPER_COLUMN_COUNT + 1];

		size -= text.size + (newline != NULL);
		bytes += text.size + 1;
		if (!newline || ear_whisper_layout_parse(&layout, text) || *text.text == '#')
			continue;
		if (layout.count == 0)
			ear_whisper_layout_assume(&layout, ear_whisper_layout_count(text));
		if (ear_whisper_layout_split(&layout, text, columns))
			continue;
		count_line(&votes, line, columns);
		if (votes.wide + votes.for_64 >= votes.for_32 + LEAD ||
			votes.for_32 >= votes.wide + votes.for_64 + LEAD)
			break;
	}
	const unsigned xlen = judge(&votes);
	*guessed = xlen == 32 && votes.for_32 == 0;
	return xlen;
}
