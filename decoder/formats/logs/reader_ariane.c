/* The two tracers of Ariane and CVA6 before RVFI: instr_tracer, with registers and addresses, and
 * the lines for spike-dasm that Verilator's build prints, before or after it. Exceptions have lines
 * of their own.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/inst.h"
#include "decoder/text/riscv_name.h"

static const char *const full = "%dns %d %w %x %d %x";
static const char *const brief = "%d 0x%x %w (0x%x) ";

static const struct {
	const char *text;
	uint8_t cause;
	bool interrupt;
} causes[] = {
	{"Instruction Address Misaligned", 0, false},
	{"Instruction Access Fault", 1, false},
	{"Illegal Instruction", 2, false},
	{"Breakpoint", 3, false},
	{"Load Address Misaligned", 4, false},
	{"Load Access Fault", 5, false},
	{"Store Address Misaligned", 6, false},
	{"Store Access Fault", 7, false},
	{"Environment Call User Mode", 8, false},
	{"Environment Call Supervisor Mode", 9, false},
	{"Environment Call Machine Mode", 11, false},
	{"Instruction Page Fault", 12, false},
	{"Load Page Fault", 13, false},
	{"Store Page Fault", 15, false},
	{"Supervisor Software Interrupt", 1, true},
	{"Machine Software Interrupt", 3, true},
	{"Supervisor Timer Interrupt", 5, true},
	{"Machine Timer Interrupt", 7, true},
	{"Supervisor External Interrupt", 9, true},
	{"Machine External Interrupt", 11, true},
};

static void set_cause(struct ear_log_reader *log, struct ear_text text)
{
	struct ear_record *record = &log->builder->record;

	record->flags |= EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (ear_text_is(text, causes[i].text))
			ear_log_trap(log, causes[i].cause | (uint64_t)causes[i].interrupt
								    << (record->xlen - 1));
	if (!(record->flags & EAR_RECORD_NO_CAUSE))
		return;
	if (ear_text_is(text, "Interrupt"))
		record->flags += EAR_RECORD_INTERRUPT - EAR_RECORD_TRAP;
}

/* "Exception @  1234ns, PC: 0000000080000038, Cause: Illegal Instruction, ": of the instruction
 * before if it is at this pc, else of one that has no line. */
static int take_exception(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[1];

	ear_text_until(line, 'P');
	if (!ear_log_scan(line, "PC: %x, Cause: ", v))
		return ear_log_bad(log, "an exception has no pc");
	struct ear_text text = ear_text_until(line, ',');
	if (log->builder && log->builder->record.pc == v[0].number &&
		!(log->builder->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))) {
		set_cause(log, text);
		return 0;
	}
	ear_log_begin(log, 0, v[0].number, v[0].digits);
	set_cause(log, text);
	return ear_log_end(log);
}

/* "Exception Cause: Illegal Instructions, DASM(0000000b) PC=0000000080000038" */
static int take_brief_exception(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[3];
	bool illegal = ear_log_scan(line, "Illegal Instructions, DASM(%x) PC=%x", v + 1);

	if (!illegal && ear_text_take_word(line, "Illegal Instructions, ")) { /* by spike-dasm */
		while (!ear_text_at_end(line) && !ear_log_scan(line, "PC=%x", v))
			line->at++;
		if (!ear_text_at_end(line))
			return ear_log_bad(log, "an exception is malformed");
		ear_log_begin(log, 0, v[0].number, v[0].digits);
		ear_log_trap(log, 2);
		return ear_log_end(log);
	}
	if (!illegal && !ear_log_scan(line, "%d, DASM(%x) PC=%x", v))
		return ear_log_bad(log, "an exception is malformed");
	ear_log_begin(log, 0, v[2].number, v[2].digits);
	if (illegal)
		ear_log_opcode(log, v[1].number); /* else it is the trap value */
	ear_log_trap(log, illegal ? 2 : v[0].number);
	log->builder->extra.has_trap_value = true;
	log->builder->extra.trap_value = v[1].number;
	return ear_log_end(log);
}

/* "t0  :0000000080000088": the first one is what the instruction writes, if it writes. */
static bool take_register(struct ear_log_reader *log, struct ear_text_cursor *line, bool first)
{
	enum ear_register_class reg_class, written;
	struct ear_log_value v[2];
	uint16_t number;

	if (!ear_log_scan(line, "%w :%x", v) && !ear_log_scan(line, "%w:%x", v))
		return false;
	if (!ear_riscv_find_register(v[0].word, &reg_class, &number))
		return false;
	if (first && ear_log_class(log, number, EAR_OPERAND_WRITE, &written) &&
		written == reg_class)
		ear_log_write(log, reg_class, number, v[1].number, v[1].digits);
	else
		ear_log_read(log, reg_class, number, v[1].number);
	return true;
}

/* The disassembly ends before the first register or address, which have a colon. */
static struct ear_text take_text(struct ear_text_cursor *line)
{
	struct ear_text_cursor at = *line;
	struct ear_text text = ear_text_until(&at, ':');

	if (!ear_text_at_end(&at)) {
		while (text.size > 0 && ear_text_is_blank(text.text[text.size - 1]))
			text.size--;
		while (text.size > 0 && !ear_text_is_blank(text.text[text.size - 1]))
			text.size--;
	}
	line->at = text.text + text.size;
	while (text.size > 0 && ear_text_is_blank(text.text[text.size - 1]))
		text.size--;
	return text;
}

static void take_effects(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value v[2];
	bool first = true;

	for (;; first = false) {
		ear_text_skip_blanks(line);
		if (ear_text_at_end(line))
			return;
		if (ear_log_scan(line, "VA: %x PA: %x", v)) {
			struct ear_record_access *access =
				ear_log_access(log, v[0].number, NULL, false, 0);
			if (access) {
				access->has_physical = true;
				access->physical = v[1].number;
			}
		} else if (!take_register(log, line, first)) {
			ear_log_word(log, line);
		}
	}
}

static bool set_privilege(struct ear_log_reader *log, struct ear_text word)
{
	enum ear_privilege privilege;

	if (!ear_log_find_privilege(word, &privilege))
		return false;
	ear_log_privilege(log, privilege);
	return true;
}

static int take_full(
	struct ear_log_reader *log, struct ear_text_cursor *line, const struct ear_log_value *v)
{
	ear_log_find_expanded(log, v[3].number);
	ear_log_begin(log, 0, v[3].number, v[3].digits);
	ear_log_time(log, v[1].number);
	ear_log_opcode(log, v[5].number);
	ear_text_skip_blanks(line);
	ear_log_text(log, take_text(line));
	if (!set_privilege(log, v[2].word))
		return ear_log_bad(log, "the privilege is unknown");
	take_effects(log, line);
	return ear_log_end(log);
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[6];

	ear_text_skip_blanks(&line);
	if (ear_text_at_end(&line))
		return 0;
	if (ear_text_take_word(&line, "Exception @"))
		return take_exception(log, &line);
	if (ear_text_take_word(&line, "Exception Cause: "))
		return take_brief_exception(log, &line);
	if (ear_log_scan(&line, "tval: %x", v)) {
		if (!log->builder ||
			!(log->builder->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))) {
			ear_reader_unpaired(
				&log->line.base, ear_text_input_line_number(log->line.base.input));
			return 0;
		}
		log->builder->extra.has_trap_value = true;
		log->builder->extra.trap_value = v[0].number;
		return 0;
	}
	if (ear_log_scan(&line, full, v))
		return take_full(log, &line, v);
	if (!ear_log_scan(&line, brief, v))
		return ear_log_other(log, EAR_READER_OTHER "Ariane log");
	ear_log_find_expanded(log, v[1].number);
	ear_log_begin(log, 0, v[1].number, v[1].digits);
	ear_log_time(log, v[0].number);
	ear_log_opcode(log, v[3].number);
	if (!ear_log_scan(&line, "DASM(%x)", v + 4))
		ear_log_text(log, (struct ear_text){line.at, (size_t)(line.end - line.at)});
	if (!set_privilege(log, v[2].word))
		return ear_log_bad(log, "the privilege is unknown");
	return ear_log_end(log);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[6];

	return ear_log_scan(&line, full, v) && v[3].digits >= 8 && v[5].digits == 8 &&
			       v[4].number < 2 && v[2].word.size == 1
		       ? 92
		       : 0;
}

static int judge_brief(struct ear_text_cursor line)
{
	struct ear_log_value v[6];

	return ear_log_scan(&line, brief, v) && v[1].digits >= 8 && v[3].digits == 8 &&
			       v[2].word.size == 1
		       ? 92
		       : 0;
}

const struct ear_log_format ear_log_ariane = {.no_traps = true, .judge = judge, .take = take};
const struct ear_log_format ear_log_ariane_dasm = {
	.unpadded = true, .no_traps = true, .judge = judge_brief, .take = take};
