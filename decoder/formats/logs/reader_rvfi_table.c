/* The table of core-v-verif's RVFI agent, in its three generations: with blanks, with bytes in the
 * memory column, and with bars and a column for the cycle. Bars count as blanks.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/inst.h"

static const char *const blanks = " %d %x %x %w x%d %x x%d %x x%d %x";
static const char *const bars = " | %d | %d | %x | %x | %w | x%d | %x | x%d | %x | x%d | %x |";

/* What a row has before its memory column. */
struct row {
	struct ear_log_value v[12]; /* cycle, order, pc, .. */
	bool has_cycle;
	uint64_t time, fraction;
	struct ear_text unit;
};

/* "138.000 ns" or "138" before RVFI. */
static bool scan(struct ear_text_cursor *line, struct row *row)
{
	*row = (struct row){0};
	ear_text_skip_blanks(line);
	if (!ear_text_decimal(line, &row->time))
		return false;
	if (ear_text_take(line, '.') && !ear_text_decimal(line, &row->fraction))
		return false;
	ear_text_skip_blanks(line);
	row->unit.text = line->at;
	while (ear_text_peek(line) >= 'a' && ear_text_peek(line) <= 'z')
		line->at++;
	row->unit.size = (size_t)(line->at - row->unit.text);
	if (ear_log_scan(line, " | RVFI", row->v))
		row->has_cycle = ear_log_scan(line, bars, row->v);
	else if (!ear_log_scan(line, " : RVFI", row->v) || !ear_log_scan(line, blanks, row->v + 1))
		return false;
	return row->has_cycle || row->v[1].number > 0;
}

/* The cycle, or the time in whole units. */
static void set_time(struct ear_log_reader *log, const struct row *row)
{
	ear_log_time(log, row->has_cycle ? row->v[0].number : row->time);
	if (!row->has_cycle && row->unit.size > 0)
		log->builder->extra.time_unit = ear_record_builder_copy(log->builder, row->unit);
}

static void add_read(struct ear_log_reader *log, const struct ear_log_value *v)
{
	enum ear_register_class reg_class;

	if (ear_log_class(log, v[0].number, EAR_OPERAND_READ, &reg_class))
		ear_log_read(log, reg_class, v[0].number, v[1].number);
}

static void skip_bars(struct ear_text_cursor *line)
{
	while (ear_text_skip_blanks(line) || ear_text_take(line, '|'))
		;
}

/* "W4 8000a0ec 80000020", "WR ..", "RD ..", "R2 ..", or "--" and "N/A" */
static bool take_memory(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[3];

	skip_bars(line);
	struct ear_text kind = ear_text_token(line);
	if (kind.size == 0 || ear_text_is(kind, "N/A"))
		return true;
	for (unsigned i = 0; i < 2; i++) {
		skip_bars(line);
		if (!ear_log_scan(line, "%w", &v[i]))
			return false;
	}
	if (kind.text[0] == '-')
		return true;
	struct ear_text_cursor address = ear_text_cursor(v[0].word.text, v[0].word.size);
	struct ear_text_cursor data = ear_text_cursor(v[1].word.text, v[1].word.size);
	uint64_t numbers[2];
	if ((kind.text[0] != 'W' && kind.text[0] != 'R') || !ear_log_hex(&address, &numbers[0]))
		return false;
	bool known = ear_log_hex(&data, &numbers[1]) && ear_text_at_end(&data);
	unsigned size = kind.size > 1 && ear_text_is_digit(kind.text[1])
				? (unsigned)(kind.text[1] - '0')
				: 0;
	ear_log_access(log, numbers[0], known ? &numbers[1] : NULL, kind.text[0] == 'W', size);
	return true;
}

/* "INTR 7", "NMI FAULT", "DEBUG", .. before the function, file and line of the source. */
static void take_marks(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[1];

	skip_bars(line);
	if (ear_log_scan(line, "INTR", v))
		log->builder->record.flags |= EAR_RECORD_HANDLER;
	else if (ear_log_scan(line, "HALT", v))
		log->builder->record.flags |= EAR_RECORD_HALT;
}

static bool is_header(struct ear_text_cursor line)
{
	struct ear_text_cursor at = line;
	struct ear_log_value v[1];

	if (ear_text_peek(&at) == '-')
		return true;
	ear_text_until(&at, 'R');
	return ear_log_scan(&at, "RVFI | CYCLE", v) || ear_log_scan(&at, "RVFI Order", v) ||
	       ear_log_scan(&at, "RVFI ORDER", v);
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	enum ear_register_class reg_class;
	enum ear_privilege privilege;
	struct row row;

	if (ear_text_at_end(&line) || is_header(line))
		return 0;
	if (!scan(&line, &row))
		return ear_log_other(log, EAR_READER_OTHER "table of RVFI");
	struct ear_record *record = ear_log_begin(log, 0, row.v[2].number, row.v[2].digits);
	record->index = row.v[1].number;
	log->line.base.index_given = true;
	ear_log_opcode(log, row.v[3].number);
	set_time(log, &row);
	if (!ear_log_find_privilege(row.v[4].word, &privilege))
		return ear_log_bad(log, "the privilege is unknown");
	ear_log_privilege(log, privilege);
	add_read(log, &row.v[5]);
	if (row.v[7].number != row.v[5].number)
		add_read(log, &row.v[7]);
	if (ear_log_class(log, row.v[9].number, EAR_OPERAND_WRITE, &reg_class))
		ear_log_write(log, reg_class, row.v[9].number, row.v[10].number, row.v[10].digits);
	if (!take_memory(log, &line))
		return ear_log_bad(log, "the memory columns are malformed");
	take_marks(log, &line);
	return ear_log_end(log);
}

static int judge(struct ear_text_cursor line)
{
	struct row row;

	return scan(&line, &row) || (is_header(line) && ear_text_peek(&line) != '-') ? 95 : 0;
}

const struct ear_log_format ear_log_rvfi_table = {.no_traps = true, .judge = judge, .take = take};
