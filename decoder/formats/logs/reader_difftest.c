/* The commit trace that difftest prints for XiangShan and NutShell: at the end the last
 * instructions, or with --dump-commit-trace all of them. The opcode of a compressed instruction is
 * the expanded one. It shows only where the next pc is 2 bytes further; then the opcode in memory
 * is unknown.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/inst.h"

/* What a line is of. */
enum kind { OTHER, COMMIT, EXCEPTION, INTERRUPT };

/* "[c=8979][26] commit pc ", and until 2023 "commit inst [1a]: pc ". */
static enum kind take_kind(struct ear_text_cursor *line)
{
	static const struct {
		const char *now, *before;
		enum kind kind;
	} rows[] = {
		{"commit pc ", "commit inst [%x]: pc ", COMMIT},
		{"exception pc ", "exception [%x]: pc ", EXCEPTION},
		{"interrupt pc ", "interrupt [%x]: pc ", INTERRUPT},
	};
	struct ear_log_value v[1];

	ear_log_scan(line, "[c=%d]", v);
	const bool now = ear_log_scan(line, "[%d] ", v);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ear_log_scan(line, now ? rows[i].now : rows[i].before, v))
			return rows[i].kind;
	return OTHER;
}

/* What follows idx: "(17)", "(S)", "(skip)", "lqidx 00002a", "(00) addr .. data .. mask 0xff", the
 * disassembly, "<--". */
static void take_rest(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[3];

	while (ear_log_scan(line, " (%w)", v) || ear_log_scan(line, " lqidx %x", v) ||
		ear_log_scan(line, " sqidx %x", v))
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

static const char *const old_commit = "%x inst %x wen %d dst %x data %x";

/* The register's number has 8 hexadecimal digits until 2023, later two decimal ones. */
static bool is_old(struct ear_text_cursor line)
{
	struct ear_log_value v[5];

	return ear_log_scan(&line, old_commit, v) && v[3].digits == 8;
}

static int take_commit(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	enum ear_register_class reg_class;
	struct ear_log_value v[6];

	if (!ear_log_scan(
		    line, is_old(*line) ? old_commit : "%x inst %x wen %d dst %d data %x", v) &&
		!ear_log_scan(line, "%x inst %x wen %d dst x%d data %x", v))
		return ear_log_bad(log, "a commit is malformed");
	while (ear_log_scan(line, " idx %x", v + 5) || ear_log_scan(line, " robidx %x", v + 5))
		;
	ear_log_find_expanded(log, v[0].number);
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

	if (!ear_log_scan(line, "%x inst %x cause %x", v))
		return ear_log_bad(log, "an exception is malformed");
	ear_log_find_expanded(log, v[0].number);
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
	struct ear_log_value v[2];

	if (ear_text_at_end(&line) || ear_text_take_word(&line, "=====") ||
		ear_log_scan(&line, "commit group [%x]: pc %x", v))
		return 0;
	switch (take_kind(&line)) {
	case COMMIT: return take_commit(log, &line);
	case EXCEPTION: return take_trap(log, &line, false);
	case INTERRUPT: return take_trap(log, &line, true);
	case OTHER: break;
	}
	return ear_log_other(log, EAR_READER_OTHER "commit trace of difftest");
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[2];

	return take_kind(&line) != OTHER && ear_log_scan(&line, "%x inst %x", v) ? 95 : 0;
}

const struct ear_log_format ear_log_difftest = {.judge = judge, .take = take};
