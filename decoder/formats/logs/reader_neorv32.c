/* NEORV32's simulation trace: number, cycle, pc, opcode, privilege; newer ones have 0x and the
 * disassembly. Where that begins with "c." and the opcode has 32 bits, it is the expanded one, and
 * the one in memory is unknown. <TRAP_ENTRY> is the first instruction of a handler: the one before
 * trapped, if its opcode shows why, else an interrupt came or an access failed.
 */
#include "decoder/formats/logs/logs.h"

static const char *const head = "%d %d %x %x %w";

static bool ends_with_entry(struct ear_text *text)
{
	static const char mark[] = "<TRAP_ENTRY>";
	const size_t size = sizeof(mark) - 1;

	if (text->size < size || memcmp(text->text + text->size - size, mark, size) != 0)
		return false;
	text->size -= size;
	return true;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	enum ear_privilege privilege;
	struct ear_log_value v[5];

	if (ear_text_at_end(&line))
		return 0;
	if (!ear_log_scan(&line, head, v) || v[2].digits != 8)
		return ear_log_other(log, EAR_READER_OTHER "NEORV32 trace");
	ear_text_skip_blanks(&line);
	struct ear_text text = {line.at, (size_t)(line.end - line.at)};
	bool entry = ends_with_entry(&text);
	while (text.size > 0 && ear_text_is_blank(text.text[text.size - 1]))
		text.size--;
	struct ear_record *record = ear_log_begin(log, 0, v[2].number, v[2].digits);
	record->index = v[0].number;
	log->line.base.index_given = true;
	ear_log_time(log, v[1].number);
	bool expanded = text.size > 2 && memcmp(text.text, "c.", 2) == 0 && (v[3].number & 3) == 3;
	if (!expanded)
		ear_log_opcode(log, v[3].number);
	ear_log_text(log, text);
	if (ear_log_find_privilege(v[4].word, &privilege))
		ear_log_privilege(log, privilege);
	else if (!ear_text_is(v[4].word, "?"))
		return ear_log_bad(log, "the privilege is unknown");
	struct ear_record_builder *before = ear_record_pair_open(&log->line.pair);
	if (entry && (!before || !ear_log_own_trap(&before->record)))
		record->flags |= EAR_RECORD_HANDLER;
	return ear_log_end(log);
}

static int judge(struct ear_text_cursor line)
{
	enum ear_privilege privilege;
	struct ear_log_value v[5];

	return ear_log_scan(&line, head, v) && v[2].digits == 8 &&
			       (v[3].digits == 8 || v[3].digits == 4) &&
			       ear_log_find_privilege(v[4].word, &privilege) && v[4].word.size == 1
		       ? 85
		       : 0;
}

const struct ear_log_format ear_log_neorv32 = {.no_traps = true, .judge = judge, .take = take};
