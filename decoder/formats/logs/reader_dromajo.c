/* Dromajo's trace: hart, privilege, pc and opcode, then the register written, the vector registers,
 * or the exception.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/text/riscv_name.h"

static const char *const head = "%d %d 0x%x (0x%x)";

static bool take_exception(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[2];

	if (!ear_log_scan(line, " exception %d, tval %x", v))
		return false;
	ear_log_trap(log, v[0].number);
	log->builder->extra.has_trap_value = true;
	log->builder->extra.trap_value = v[1].number;
	return true;
}

/* " x 5 0x..", " f10 0x..", " v 2 0x.." */
static bool take_register(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[2];

	if (ear_log_scan(line, " v%d 0x", v) && v[0].number < 32)
		return ear_log_write_vector(log, (unsigned)v[0].number, line);
	if (ear_log_scan(line, " x%d 0x%x", v) && v[0].number < 32)
		ear_log_write(log, EAR_REGISTER_X, v[0].number, v[1].number, v[1].digits);
	else if (ear_log_scan(line, " f%d 0x%x", v) && v[0].number < 32)
		ear_log_write(log, EAR_REGISTER_F, v[0].number, v[1].number, v[1].digits);
	else
		return false;
	return true;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	enum ear_privilege privilege;
	struct ear_log_value v[4];

	if (ear_text_at_end(&line))
		return 0;
	if (!ear_log_scan(&line, head, v) || v[0].number > UINT16_MAX)
		return ear_log_other(log, EAR_READER_OTHER "Dromajo trace");
	ear_log_begin(log, v[0].number, v[2].number, v[2].digits);
	ear_log_opcode(log, v[3].number);
	if (v[1].number <= 3 && v[1].number != 2) {
		privilege = (enum ear_privilege)v[1].number;
		ear_log_privilege(log, privilege);
	}
	for (ear_text_skip_blanks(&line); !ear_text_at_end(&line); ear_text_skip_blanks(&line))
		if (!take_exception(log, &line) && !take_register(log, &line))
			ear_log_word(log, &line);
	return ear_log_end(log);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[4];

	return ear_log_scan(&line, head, v) && v[2].digits >= 8 && v[3].digits >= 4 &&
			       v[1].number <= 3
		       ? 85
		       : 0;
}

const struct ear_log_format ear_log_dromajo = {.judge = judge, .take = take};
