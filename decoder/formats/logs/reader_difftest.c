/* The commit trace that difftest prints for XiangShan and NutShell: at the end the last
 * instructions, or with --dump-commit-trace all of them. The opcode of a compressed instruction is
 * the expanded one. It shows only where the next pc is 2 bytes further; then the opcode in memory
 * is unknown.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/inst.h"

/* "[c=8979][26] " */
static bool take_number(struct ear_text_cursor *line)
{
	struct ear_log_value v[1];

	ear_log_scan(line, "[c=%d]", v);
	return ear_log_scan(line, "[%d] ", v);
}

static void find_expanded(struct ear_log_reader *log, uint64_t next_pc)
{
	struct ear_record *open = log->builder ? &log->builder->record : NULL;
	struct ear_inst inst;

	if (!open || open->flags & EAR_RECORD_NO_OPCODE || open->opcode_size != 4 ||
		next_pc != open->pc + 2 || log->line.pair.broken)
		return;
	ear_inst_decode(&inst, (uint32_t)open->opcode, open->xlen);
	if (inst.kind == EAR_KIND_JUMP ||
		(inst.kind == EAR_KIND_BRANCH && open->pc + (uint64_t)inst.imm == next_pc))
		return;
	open->flags |= EAR_RECORD_NO_OPCODE;
	open->opcode = 0;
	open->opcode_size = 0;
}

/* What follows idx: "(17)", "(S)", "(00) addr .. data .. mask 0xff", the disassembly, "<--". */
static void take_rest(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[3];

	while (ear_log_scan(line, " (%w)", v))
		;
	if (ear_log_scan(line, " addr %x data %x mask %x", v)) {
		unsigned bytes = (unsigned)__builtin_popcountll(v[2].number);
		unsigned first = v[2].number ? (unsigned)__builtin_ctzll(v[2].number) : 0;
		uint64_t value = first < 8 ? v[1].number >> 8 * first : 0;
		ear_log_access(log, v[0].number + first, &value, true, bytes);
	}
	ear_text_skip_blanks(line);
	struct ear_text text = {line->at, (size_t)(line->end - line->at)};
	if (text.size >= 3 && memcmp(text.text + text.size - 3, "<--", 3) == 0)
		text.size -= 3;
	while (text.size > 0 && ear_text_is_blank(text.text[text.size - 1]))
		text.size--;
	ear_log_text(log, text);
}

static int take_commit(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	enum ear_register_class reg_class;
	struct ear_log_value v[6];

	if (!ear_log_scan(line, "commit pc %x inst %x wen %d dst %d data %x idx %x", v) &&
		!ear_log_scan(line, "commit pc %x inst %x wen %d dst x%d data %x idx %x", v))
		return ear_log_bad(log, "a commit is malformed");
	find_expanded(log, v[0].number);
	ear_log_begin(log, 0, v[0].number, v[0].digits);
	ear_log_opcode(log, v[1].number);
	if (v[2].number && ear_log_class(log, v[3].number, EAR_OPERAND_WRITE, &reg_class))
		ear_log_write(log, reg_class, v[3].number, v[4].number, v[4].digits);
	take_rest(log, line);
	return ear_log_end(log);
}

static int take_trap(struct ear_log_reader *log, struct ear_text_cursor *line, bool interrupt)
{
	struct ear_log_value v[3];

	if (!ear_log_scan(line, " pc %x inst %x cause %x", v))
		return ear_log_bad(log, "an exception is malformed");
	find_expanded(log, v[0].number);
	struct ear_record *record = ear_log_begin(log, 0, v[0].number, v[0].digits);
	ear_log_opcode(log, v[1].number);
	if (interrupt)
		v[2].number |= (uint64_t)1 << (record->xlen - 1);
	ear_log_trap(log, v[2].number);
	take_rest(log, line);
	return ear_log_end(log);
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[1];

	if (ear_text_at_end(&line))
		return 0;
	if (!take_number(&line))
		return ear_log_other(log, EAR_READER_OTHER "commit trace of difftest");
	if (ear_log_scan(&line, "exception", v))
		return take_trap(log, &line, false);
	if (ear_log_scan(&line, "interrupt", v))
		return take_trap(log, &line, true);
	return take_commit(log, &line);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[2];

	return take_number(&line) && (ear_log_scan(&line, "commit pc %x inst %x", v) ||
					     ear_log_scan(&line, "exception pc %x inst %x", v))
		       ? 95
		       : 0;
}

const struct ear_log_format ear_log_difftest = {.judge = judge, .take = take};
