/* The exec.log of VeeR's testbench: cycle, number, pc, opcode, the register and the CSR written.
 * What a load or a division writes later has a line of its own; it joins the instruction before, if
 * that is the one which writes this register.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/text/riscv_name.h"

static const char *const head = "%d : #%d 0 %x %x";

static int take_late(struct ear_log_reader *log, struct ear_text name, uint64_t value)
{
	enum ear_register_class reg_class, written;
	uint16_t number;

	if (!ear_riscv_find_register(name, &reg_class, &number))
		return ear_log_bad(log, "a register is unknown");
	if (!log->builder || !ear_log_class(log, number, EAR_OPERAND_WRITE, &written) ||
		log->builder->record.register_count > 0)
		return ear_log_warn(
			log, "values that come after later instructions (nbL, nbD) are not read");
	ear_log_write(log, reg_class, number, value, 0);
	return 0;
}

/* "r5=80000000" of EH1: the register port, of whatever instruction; of this one, if it writes. */
static void take_old(struct ear_log_reader *log, uint64_t number, uint64_t value)
{
	enum ear_register_class reg_class;

	if (ear_log_class(log, number, EAR_OPERAND_WRITE, &reg_class))
		ear_log_write(log, reg_class, number, value, 0);
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[4];

	if (ear_text_at_end(&line) || ear_text_take_word(&line, "//"))
		return 0;
	if (ear_log_scan(&line, "%d : %w=%x ; nb", v))
		return take_late(log, v[1].word, v[2].number);
	if (!ear_log_scan(&line, head, v))
		return ear_log_other(log, EAR_READER_OTHER "VeeR log");
	struct ear_record *record = ear_log_begin(log, 0, v[2].number, v[2].digits);
	record->index = v[1].number;
	log->line.base.index_given = true;
	ear_log_time(log, v[0].number);
	ear_log_opcode(log, v[3].number);
	while (ear_text_skip_blanks(&line),
		!ear_text_at_end(&line) && ear_text_peek(&line) != ';') {
		if (ear_log_scan(&line, "c%x=%x", v) && v[0].number < 4096)
			ear_log_write(log, EAR_REGISTER_CSR, v[0].number, v[1].number, 0);
		else if (ear_log_scan(&line, "r%d=%x", v))
			take_old(log, v[0].number, v[1].number);
		else if (!ear_log_scan(&line, "%w=", v) ||
			 !ear_log_write_named(log, v[0].word, &line))
			ear_log_word(log, &line);
	}
	if (ear_text_take(&line, ';')) {
		ear_text_skip_blanks(&line);
		ear_log_text(log, ear_text_until(&line, '\n'));
	}
	return ear_log_end(log);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[4];

	return ear_log_scan(&line, head, v) && v[2].digits == 8 && v[3].digits >= 4 ? 95 : 0;
}

const struct ear_log_format ear_log_veer = {.judge = judge, .take = take};
