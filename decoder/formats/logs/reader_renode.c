/* Renode's execution trace as text: pc, pc and opcode, or with the disassembly; and a line for each
 * access, if they are tracked.
 */
#include "decoder/formats/logs/logs.h"

/* "MemoryWrite with address 0xE000, value 0x30000" */
static bool take_access(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_text_cursor at = *line;
	struct ear_log_value v[3];

	if (!ear_log_scan(&at, "Memory%w with address 0x%x", v))
		return false;
	bool known = false;
	for (; !ear_text_at_end(&at) && !known; at.at += !ear_text_at_end(&at))
		known = ear_log_scan(&at, "value 0x%x", v + 2);
	bool write = ear_text_is(v[0].word, "Write") || ear_text_is(v[0].word, "IOWrite");
	if (!ear_text_is(v[0].word, "InsnFetch"))
		ear_log_access(log, v[1].number, known ? &v[2].number : NULL, write, 0);
	return true;
}

static bool scan(struct ear_text_cursor *line, struct ear_log_value *v)
{
	struct ear_log_value next;

	v[1] = (struct ear_log_value){0};
	if (!ear_log_scan(line, "0x%x", v))
		return false;
	if (!ear_text_take(line, ':')) {
		ear_text_skip_blanks(line);
		return ear_text_at_end(line);
	}
	if (!ear_log_scan(line, " %x", v + 1) || v[1].digits > 8)
		return false;
	/* NEMU prints an opcode byte by byte, in the order of the memory. */
	struct ear_text_cursor at = *line;
	return v[1].digits != 2 || !ear_log_scan(&at, " %x ", &next) || next.digits != 2;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[2];

	if (ear_text_at_end(&line) || take_access(log, &line))
		return 0;
	if (!scan(&line, v))
		return ear_log_other(log, EAR_READER_OTHER "trace of Renode");
	ear_log_begin(log, 0, v[0].number, v[0].digits);
	if (v[1].digits)
		ear_log_opcode(log, v[1].number);
	ear_text_skip_blanks(&line);
	struct ear_text text = {line.at, (size_t)(line.end - line.at)};
	ear_log_text(log, text);
	return ear_log_end_riscv(log, text, v[1].number > UINT16_MAX && (v[1].number & 3) != 3);
}

/* Without an opcode it may be any list of numbers. */
static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[2];

	if (!scan(&line, v))
		return 0;
	return v[1].digits ? 75 : 30;
}

static int judge_accesses(struct ear_text_cursor line)
{
	struct ear_log_value v[2];

	return ear_log_scan(&line, "Memory%w with address 0x%x", v) ? 80 : 0;
}

const struct ear_log_format ear_log_renode = {
	.unpadded = true, .no_traps = true, .judge = judge, .take = take};
const struct ear_log_format ear_log_renode_accesses = {
	.unpadded = true, .no_traps = true, .judge = judge_accesses, .take = take};
