#ifndef EAR_SPIKE_LINE_H
#define EAR_SPIKE_LINE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/spike/spike_opcode.h"
#include "decoder/text/text_cursor.h"

/* What a line begins with. */
struct ear_spike_line {
	struct ear_text_cursor cursor;
	uint16_t hart;
	bool has_core;
	bool interrupt; /* CVA6: the first instruction of a handler */
};

/* What both lines of an instruction begin with, "0x<pc> (0x<opcode>)". */
struct ear_spike_head {
	uint64_t pc, opcode;
	unsigned xlen;
	bool no_opcode; /* our own: it is unknown */
};

/* Take "core   0: ", with which a line begins, after what the console has written in front of it.
 * Returns false if it is not there. */
bool ear_spike_take_core(struct ear_text_cursor *cursor, struct ear_spike_line *line);

/* The "core" that a prompt of the debugger (-d) or of a program's output without a line end comes
 * before. */
void ear_spike_find_core(struct ear_text_cursor *cursor, struct ear_spike_line *line);

/* Spike fetches 48 or 64 bits where the lowest ones announce such a format. */
static inline bool ear_spike_is_opcode(uint64_t opcode)
{
	return opcode <= UINT32_MAX || (opcode & 0x1F) == 0x1F;
}

/* Take the number of a line that an editor or grep -n has put before a commit line without "core":
 * "416 3 0x..", "416:3 0x..", of cat -n with a tab. Returns false if it is not there. */
bool ear_spike_take_line_number(struct ear_text_cursor *cursor, uint64_t *number);

/* "0x<pc> (0x<opcode>)", without xlen. Returns false if it is not there. */
static inline bool ear_spike_take_pc(
	struct ear_text_cursor *cursor, struct ear_spike_head *head, size_t *digits)
{
	*digits = ear_text_0x(cursor, &head->pc);
	if (*digits == 0 || ear_text_skip_blanks(cursor) == 0 || !ear_text_take(cursor, '('))
		return false;
	head->no_opcode =
		ear_text_peek(cursor) == '0' && ear_text_take_word(cursor, EAR_SPIKE_NO_OPCODE);
	head->opcode = 0;
	return (head->no_opcode || (ear_text_0x(cursor, &head->opcode) > 0 &&
					   ear_spike_is_opcode(head->opcode))) &&
	       ear_text_take(cursor, ')');
}

/* Rocket prints the bits of a virtual address, 40 or 49, which is sign-extended to 64. */
static inline uint64_t ear_spike_extend_pc(uint64_t pc, size_t digits)
{
	if (digits <= 8 || digits >= 16)
		return pc;
	if (pc >> (4 * digits - 1))
		return pc | UINT64_MAX << 4 * digits;
	return digits == 13 && pc >> 48 ? pc | UINT64_MAX << 49 : pc;
}

/* One opcode has a name for each XLEN: is the disassembly of the other one? */
static inline bool ear_spike_is_of_other_xlen(
	struct ear_text_cursor cursor, const struct ear_record *record)
{
	if (record->opcode_size != 2 || (record->opcode & 0xE003) != 0x2001)
		return false;
	return ear_text_take_word(&cursor, record->xlen == 64 ? "c.jal " : "c.addiw ");
}

/* A register, the vector configuration or an access begins; whether it is whole comes later. */
static inline bool ear_spike_is_effect(struct ear_text_cursor cursor)
{
	const char letter = ear_text_peek(&cursor);

	if (letter == 'm')
		return ear_text_take_word(&cursor, "mem ");
	if (letter != 'x' && letter != 'f' && letter != 'v' && letter != 'c' && letter != 'e')
		return false;
	cursor.at++;
	ear_text_skip_blanks(&cursor);
	return ear_text_is_digit(ear_text_peek(&cursor));
}

/* Is the commit line, from its effects on, one of an instruction that writes no register? */
static inline bool ear_spike_is_silent(struct ear_text_cursor cursor)
{
	ear_text_skip_blanks(&cursor);
	return ear_text_at_end(&cursor) || *cursor.at == 'm';
}

static inline uint8_t ear_spike_privilege_of(char digit)
{
	static const uint8_t privileges[] = {
		EAR_PRIVILEGE_U, EAR_PRIVILEGE_S, EAR_PRIVILEGE_RESERVED, EAR_PRIVILEGE_M};

	return privileges[(digit - '0') & 3];
}

#endif
