/* What the lines of the beginning show of XLEN. Each is searched for "0x<pc> (0x<opcode>)" and,
 * after it, for "x 5 0x<value>", whatever else it has.
 */
#define _GNU_SOURCE /* memmem */

#include "decoder/formats/spike/spike_xlen.h"

#include <string.h>

#include "decoder/formats/base/xlen.h"
#include "decoder/text/text_cursor.h"

/* "x5  0x80000000" or "x 5 0x80000000" */
static void see_register(struct ear_xlen_evidence *evidence, struct ear_text_cursor cursor)
{
	uint64_t number, value;

	ear_text_skip_blanks(&cursor);
	if (!ear_text_take(&cursor, 'x'))
		return;
	ear_text_skip_blanks(&cursor);
	if (ear_text_decimal(&cursor, &number) && ear_text_skip_blanks(&cursor))
		ear_xlen_see_register(evidence, ear_text_0x(&cursor, &value));
}

/* What an instruction does only in one XLEN: c.jal jumps. */
static void see_flow(
	struct ear_xlen_evidence *evidence, struct ear_record *before, uint64_t pc, uint64_t opcode)
{
	if (before->pc == pc && before->opcode == opcode) /* its commit line */
		return;
	ear_xlen_see_opcode(evidence, opcode);
	const unsigned xlen = ear_xlen_of_record(before, pc);
	evidence->only_32 += xlen == 32;
	evidence->only_64 += xlen == 64;
	*before = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.pc = pc,
		.opcode = opcode,
		.opcode_size = (opcode & 3) == 3 ? 4 : 2};
}

static void see_line(
	struct ear_xlen_evidence *evidence, struct ear_record *before, struct ear_text line)
{
	const char *at = memmem(line.text, line.size, "0x", 2);
	uint64_t pc = 0, opcode;

	if (!at)
		return;
	struct ear_text_cursor cursor = ear_text_cursor(at, line.size - (size_t)(at - line.text));
	size_t digits = ear_text_0x(&cursor, &pc);
	if (!ear_text_take_word(&cursor, " (") || !ear_text_0x(&cursor, &opcode) ||
		!ear_text_take(&cursor, ')'))
		return;
	ear_xlen_see_pc(evidence, digits, pc);
	see_flow(evidence, before, pc, opcode);
	see_register(evidence, cursor);
}

unsigned ear_spike_xlen(const char *bytes, size_t size, bool *guessed)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	struct ear_xlen_evidence evidence = {0};
	struct ear_record before = {.kind = EAR_RECORD_GAP};

	while (!ear_text_at_end(&cursor)) {
		struct ear_text line = ear_text_until(&cursor, '\n');
		if (!ear_text_take(&cursor, '\n'))
			break;
		see_line(&evidence, &before, line);
	}
	return ear_xlen_of_wide_pcs(&evidence, guessed);
}
