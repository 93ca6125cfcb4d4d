/* Logs of Imperas: the lines of trace2log in a testbench, RET,0,1,80000000,"0000a117 auipc
 * ..",x2=.. with columns for x, f, vector registers and CSRs, and the trace of OVPsim, which has a
 * line for each instruction and one for each change.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/csr.h"
#include "decoder/text/riscv_name.h"

static bool is_cause(uint64_t csr)
{
	return csr == EAR_CSR_MCAUSE || csr == EAR_CSR_SCAUSE || csr == EAR_CSR_VSCAUSE;
}

static void write_csr(struct ear_log_reader *log, uint64_t csr, uint64_t value)
{
	ear_log_write(log, EAR_REGISTER_CSR, csr, value, 0);
	if (log->builder && log->builder->record.flags & EAR_RECORD_TRAP && is_cause(csr))
		ear_log_trap(log, value);
}

/* "x2=8000a000 CSR305(mtvec)=80000088" */
static bool take_writes(struct ear_log_reader *log, struct ear_text column)
{
	struct ear_text_cursor at = ear_text_cursor(column.text, column.size);
	struct ear_log_value v[3];

	for (ear_text_skip_blanks(&at); !ear_text_at_end(&at); ear_text_skip_blanks(&at)) {
		if (ear_log_scan(&at, "CSR%x(%w)=%x", v) && v[0].number < 4096)
			write_csr(log, v[0].number, v[2].number);
		else if (!ear_log_scan(&at, "%w=", v) || !ear_log_write_named(log, v[0].word, &at))
			return false;
	}
	return true;
}

/* The kind of line: 1 RET, 2 TRAP, 0 none; before it may be what the simulator prints. */
static unsigned find_event(struct ear_text_cursor *line, struct ear_log_value *time)
{
	struct ear_text_cursor at = *line;

	*time = (struct ear_log_value){0};
	for (; !ear_text_at_end(&at); at.at++) {
		if (*at.at == '@' && ear_log_scan(&at, "@ %d: ", time))
			time->digits = 1;
		bool ret = ear_text_take_word(&at, "RET,");
		if (ret || ear_text_take_word(&at, "TRAP,")) {
			*line = at;
			return ret ? 1 : 2;
		}
		if (ear_text_at_end(&at))
			break;
	}
	return 0;
}

static int take_event(struct ear_log_reader *log, struct ear_text_cursor *line, bool trap,
	const struct ear_log_value *time)
{
	struct ear_log_value v[4];

	if (!ear_log_scan(line, "%d,%d,%x,\"%x", v) || v[0].number > UINT16_MAX)
		return ear_log_bad(log, "the hart, the order, the pc or the opcode is malformed");
	struct ear_record *record = ear_log_begin(log, v[0].number, v[2].number, v[2].digits);
	record->index = v[1].number;
	log->line.base.index_given = true;
	ear_log_opcode(log, v[3].number);
	if (time->digits)
		ear_log_time(log, time->number);
	if (trap)
		record->flags |= EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE;
	ear_text_skip_blanks(line);
	ear_log_text(log, ear_text_until(line, '"'));
	ear_text_take(line, '"');
	while (ear_text_take(line, ','))
		if (!take_writes(log, ear_text_until(line, ',')))
			return ear_log_bad(log, "a register is malformed");
	return ear_log_end(log);
}

/* OVPsim: "Info 1: 'riscvOVPsim/cpu', 0x0000000080000000(_start): Machine 0000a117 auipc sp,0xa";
 * the mode is of --tracemode. */
static bool find_instruction(struct ear_text_cursor *line, struct ear_log_value *v)
{
	struct ear_text_cursor at = *line;

	if (!ear_log_scan(&at, "Info", v))
		return false;
	ear_text_until(&at, '\'');
	if (!ear_text_take(&at, '\''))
		return false;
	v[0].word = ear_text_until(&at, '\'');
	if (!ear_log_scan(&at, "', 0x%x(", v + 1))
		return false;
	ear_text_until(&at, ')');
	bool plain = ear_log_scan(&at, "): %x ", v + 3) && v[3].digits >= 4;
	if (plain)
		v[2].word = (struct ear_text){0};
	else if (!ear_log_scan(&at, "): %w %x ", v + 2))
		return false;
	*line = at;
	return true;
}

static int take_instruction(
	struct ear_log_reader *log, struct ear_text_cursor *line, const struct ear_log_value *v)
{
	static const struct {
		const char *word;
		enum ear_privilege privilege;
	} modes[] = {
		{"Machine", EAR_PRIVILEGE_M},
		{"Supervisor", EAR_PRIVILEGE_S},
		{"User", EAR_PRIVILEGE_U},
		{"Debug", EAR_PRIVILEGE_DEBUG},
	};

	ear_log_begin(log, 0, v[1].number, v[1].digits);
	ear_log_opcode(log, v[3].number);
	ear_log_text(log, (struct ear_text){line->at, (size_t)(line->end - line->at)});
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (ear_text_is(v[2].word, modes[i].word))
			ear_log_privilege(log, modes[i].privilege);
	return ear_log_end(log);
}

/* "Info   sp 00000000 -> 8000a000" */
static bool take_change(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_text_cursor at = *line;
	struct ear_log_value v[2];
	uint16_t csr;

	if (!ear_log_scan(&at, "Info %w %w -> ", v))
		return false;
	if (!log->builder)
		return true;
	struct ear_text_cursor value = at;
	uint64_t number;
	if (ear_riscv_find_csr(v[0].word, &csr) && ear_log_hex(&value, &number))
		write_csr(log, csr, number);
	else
		return ear_log_write_named(log, v[0].word, &at);
	return true;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[4];

	if (ear_text_at_end(&line))
		return 0;
	unsigned event = find_event(&line, v);
	if (event)
		return take_event(log, &line, event == 2, v);
	if (find_instruction(&line, v))
		return take_instruction(log, &line, v);
	return take_change(log, &line) ? 0
				       : ear_log_other(log, EAR_READER_OTHER "trace of Imperas");
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[4];

	return find_event(&line, v) && ear_log_scan(&line, "%d,%d,%x,\"%x", v) ? 95 : 0;
}

static int judge_ovpsim(struct ear_text_cursor line)
{
	struct ear_log_value v[4];

	return find_instruction(&line, v) && v[3].digits >= 4 ? 90 : 0;
}

const struct ear_log_format ear_log_imperas = {.judge = judge, .take = take};
const struct ear_log_format ear_log_ovpsim = {
	.no_traps = true, .judge = judge_ovpsim, .take = take};
