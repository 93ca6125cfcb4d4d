/* The raw trace of Snitch: time, cycle, privilege, pc, opcode, and after "#;" what the core did, as
 * a dictionary of Python. A line of the core is an instruction, or only the end of a load or of an
 * accelerator's instruction, if it says stall. Lines of the floating-point subsystem have no pc.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/inst.h"

static bool scan(struct ear_text_cursor *line, struct ear_log_value *v)
{
	if (ear_log_scan(line, "%d %d %d 0x%w DASM(%x) #; {", v))
		return true;
	bool old = ear_log_scan(line, "%d %d 0x%w DASM(%x) #; {", v);
	v[4] = v[3];
	v[3] = v[2];
	v[2].number = 4;
	return old;
}

/* The number of a key, as 'rd': 0x0a; 0 if there is none. */
static uint64_t find(struct ear_text_cursor line, const char *key)
{
	struct ear_log_value v[1];

	for (; !ear_text_at_end(&line); line.at++) {
		struct ear_text_cursor at = line;
		if (ear_text_take(&at, '\'') && ear_text_take_word(&at, key) &&
			ear_log_scan(&at, "': %x", v))
			return v[0].number;
	}
	return 0;
}

/* The end of a load: joins the instruction before, if that is the one which writes the register. */
static int take_late(struct ear_log_reader *log, struct ear_text_cursor line)
{
	const uint64_t rd = find(line, "lsu_rd") & 31;
	enum ear_register_class reg_class;

	if (find(line, "retire_acc") || !log->builder || log->builder->record.register_count > 0 ||
		!ear_log_class(log, rd, EAR_OPERAND_WRITE, &reg_class))
		return ear_log_warn(
			log, "values that come later than their instruction are not read");
	ear_log_write(log, reg_class, rd, find(line, "ld_result_32"), 8);
	return 0;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[5];
	uint64_t pc;

	if (ear_text_at_end(&line))
		return 0;
	if (!scan(&line, v))
		return ear_log_other(log, EAR_READER_OTHER "trace of Snitch");
	struct ear_text_cursor word = ear_text_cursor(v[3].word.text, v[3].word.size);
	size_t digits = ear_text_hex(&word, &pc);
	if (digits == 0 || find(line, "source") != 0)
		return ear_log_warn(log, "lines of the floating-point subsystem are not read");
	bool late = find(line, "retire_load") || find(line, "retire_acc");
	int result = late ? take_late(log, line) : 0;
	if (result || find(line, "stall"))
		return result;
	struct ear_record *record = ear_log_begin(log, 0, pc, digits);
	ear_log_time(log, v[1].number);
	ear_log_opcode(log, v[4].number);
	if (v[2].number <= 3 && v[2].number != 2)
		ear_log_privilege(log, (enum ear_privilege)v[2].number);
	uint64_t value = find(line, "gpr_rdata_1");
	if (find(line, "is_store"))
		ear_log_access(log, find(line, "alu_result"), &value, true, 0);
	else if (find(line, "is_load"))
		ear_log_access(log, find(line, "alu_result"), NULL, false, 0);
	if (find(line, "write_rd"))
		ear_log_write(
			log, EAR_REGISTER_X, find(line, "rd") & 31, find(line, "writeback"), 8);
	if (find(line, "exception") && !ear_log_own_trap(record))
		record->flags |= EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE;
	return ear_log_end(log);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[5];

	return scan(&line, v) ? 95 : 0;
}

const struct ear_log_format ear_log_snitch = {.judge = judge, .take = take};
