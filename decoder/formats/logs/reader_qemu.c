/* QEMU's own log (-d exec,nochain with one instruction a block; in_asm, cpu and int besides).
 *
 * An execution is a Trace line, a dump of registers, or both; "IN:" shows each opcode once, when it
 * is translated. A dump is the state before the instruction. So what differs from the dump before
 * was written by the instruction before, which is the open record, and an execution is kept as a
 * head until the next one comes. RISC-V, ARM and AArch64.
 */
#include <stdlib.h>

#include "common/array.h"
#include "common/hash.h"
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/text/riscv_name.h"

#define VALUES_MAX 1024 /* registers and CSRs of a dump */
#define NAME_MAX   12
#define SLOTS_MAX  (1u << 22)

#define NOT_EXECUTED \
	"the log has translated code only, which says nothing of what ran: log with -d " \
	"exec,nochain as well"

/* An opcode that was translated; digits 0: the slot is free. */
struct code {
	uint64_t pc, opcode;
	uint8_t digits, privilege;
	bool has_privilege;
};

struct value {
	char name[NAME_MAX];
	uint64_t value;
	uint8_t digits;
	bool known;
};

struct head {
	bool used, trap, interrupt, has_cause;
	bool several; /* the block may have several instructions */
	uint16_t hart;
	uint64_t pc, cause, trap_value, offset, line;
	size_t digits;
	bool has_value;
	uint8_t isa;
};

struct qemu {
	struct ear_log_reader log;
	struct head head;
	struct code *codes;
	size_t slots, count;
	struct value *values; /* of the last dump */
	size_t value_count, value_capacity;
	bool has_privilege; /* of the block that is listed */
	uint8_t privilege, isa;
	bool several;  /* of the open record */
	bool executed; /* an execution was seen */
};

/* Opcodes ---------------------------------------------------------------------------------- */

static struct code *find_code(struct qemu *qemu, uint64_t pc)
{
	if (qemu->slots == 0)
		return NULL;
	size_t slot = ear_hash_index(pc, qemu->slots);
	while (qemu->codes[slot].digits && qemu->codes[slot].pc != pc)
		slot = (slot + 1) & (qemu->slots - 1);
	return &qemu->codes[slot];
}

/* Returns 0 or EAR_E_NO_MEMORY. */
static bool grow(struct qemu *qemu)
{
	struct code *before = qemu->codes;
	size_t slots = qemu->slots;

	if (2 * (qemu->count + 1) <= slots)
		return true;
	if (slots == SLOTS_MAX)
		return false;
	qemu->slots = slots ? 2 * slots : 1024;
	qemu->codes = calloc(qemu->slots, sizeof(*qemu->codes));
	if (!qemu->codes) {
		qemu->codes = before;
		qemu->slots = slots;
		return false;
	}
	for (size_t i = 0; i < slots; i++)
		if (before[i].digits)
			*find_code(qemu, before[i].pc) = before[i];
	free(before);
	return true;
}

/* "0x80000000:  00000297          auipc  t0,0": one opcode, however its bytes are grouped. */
static int take_code(struct qemu *qemu, struct ear_text_cursor *line)
{
	struct ear_log_value v[2];

	if (!ear_log_scan(line, "0x%x: %x", v) || (v[1].digits != 4 && v[1].digits != 8))
		return ear_log_other(&qemu->log, EAR_READER_OTHER "QEMU log");
	if (!grow(qemu))
		return ear_log_warn(&qemu->log, "too many instructions: some have no opcode");
	struct code *code = find_code(qemu, v[0].number);
	qemu->count += code->digits == 0;
	*code = (struct code){v[0].number, v[1].number, (uint8_t)v[1].digits, qemu->privilege,
		qemu->has_privilege};
	return 0;
}

/* Executions ------------------------------------------------------------------------------- */

static void fill_code(struct qemu *qemu, struct ear_record *record)
{
	const struct code *code = find_code(qemu, record->pc);

	if (!code || !code->digits)
		return;
	ear_log_opcode(&qemu->log, code->opcode);
	if (record->isa != EAR_ISA_RISCV) {
		record->opcode = code->opcode;
		record->opcode_size = code->digits / 2;
	}
	if (code->has_privilege)
		ear_log_privilege(&qemu->log, (enum ear_privilege)code->privilege);
}

/* The head becomes the open record. */
static int give_head(struct qemu *qemu)
{
	struct ear_log_reader *log = &qemu->log;
	const struct head *head = &qemu->head;

	if (!head->used)
		return 0;
	log->line.pair.broken |= qemu->several; /* it is not known where the open record goes */
	qemu->several = head->several;
	struct ear_record *record = ear_log_begin(log, head->hart, head->pc, head->digits);
	record->stream_offset = head->offset;
	log->builder->extra.line = head->line;
	record->isa = head->isa;
	if (head->isa == EAR_ISA_RISCV || !head->interrupt)
		fill_code(qemu, record);
	if (head->trap)
		record->flags |= EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE;
	if (head->has_cause && head->interrupt)
		ear_log_trap(log, head->cause | (uint64_t)1 << (record->xlen - 1));
	else if (head->has_cause)
		ear_log_trap(log, head->cause);
	log->builder->extra.has_trap_value = head->has_value;
	log->builder->extra.trap_value = head->trap_value;
	qemu->head.used = false;
	return ear_log_end(log);
}

static int begin_head(struct qemu *qemu, uint64_t hart, uint64_t pc, size_t digits)
{
	const struct ear_text_input *input = qemu->log.line.base.input;
	int result = give_head(qemu);

	for (size_t i = 0; hart != qemu->head.hart && i < qemu->value_count; i++)
		qemu->values[i].known = false; /* of another hart */
	qemu->executed = true;
	qemu->head = (struct head){.used = true,
		.hart = (uint16_t)hart,
		.pc = pc,
		.digits = digits,
		.isa = qemu->isa,
		.offset = ear_text_input_offset(input),
		.line = ear_text_input_line_number(input)};
	return result;
}

/* "Trace 0: 0x7f0cbc000100 [00000000/80000000/00109003/ff000201] main": the pc is the second; the
 * last 9 bits of the last are how many instructions the block may have, which QEMU before 6.1 does
 * not say, nor what QEMU before 2.12 does but the pc. */
static bool scan_trace(struct ear_text_cursor *line, struct ear_log_value *v)
{
	v[0] = v[5] = (struct ear_log_value){0};
	if (ear_log_scan(line, "Trace %d: 0x%x [%x/%x/%x/%x]", v))
		return true;
	v[5] = (struct ear_log_value){0};
	if (ear_log_scan(line, "Trace %d: 0x%x [%x/%x/%x]", v))
		return true;
	if (ear_log_scan(line, "Trace 0x%x [%d: %x]", v + 1)) {
		v[0] = v[2];
		return true;
	}
	v[0] = (struct ear_log_value){0};
	return ear_log_scan(line, "Trace 0x%x [%x]", v + 2);
}

static int take_trace(struct qemu *qemu, const struct ear_log_value *v)
{
	int result = begin_head(qemu, v[0].number, v[3].number, v[3].digits);

	qemu->head.several = (v[5].number & 511) != 1;
	if (result || !qemu->head.several)
		return result;
	return ear_log_warn(&qemu->log,
		"blocks may have several instructions, of which the first one is read "
		"(-singlestep, -accel tcg,one-insn-per-tb=on)");
}

/* Dumps ------------------------------------------------------------------------------------ */

static struct value *find_value(struct qemu *qemu, struct ear_text name)
{
	if (name.size == 0 || name.size >= NAME_MAX)
		return NULL;
	for (size_t i = 0; i < qemu->value_count; i++)
		if (ear_text_is(name, qemu->values[i].name))
			return &qemu->values[i];
	if (qemu->value_count == VALUES_MAX ||
		(qemu->value_count == qemu->value_capacity &&
			!ear_array_grow((void **)&qemu->values, sizeof(*qemu->values),
				&qemu->value_capacity, qemu->value_count + 1)))
		return NULL;
	struct value *value = &qemu->values[qemu->value_count++];
	*value = (struct value){.name = ""};
	memcpy(value->name, name.text, name.size);
	return value;
}

/* CSRs change by themselves too (mip), or where QEMU sets up what an instruction did not write. */
static bool may_write_csr(const struct ear_log_reader *log)
{
	const struct ear_record *record = log->builder ? &log->builder->record : NULL;
	struct ear_inst inst;

	if (!record ||
		record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		return true;
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	return inst.kind == EAR_KIND_CSR || inst.kind == EAR_KIND_SYSTEM ||
	       inst.kind == EAR_KIND_FP || inst.kind >= EAR_KIND_VLOAD;
}

/* A register of a dump: if it differs, the open record wrote it. */
static void note_value(struct qemu *qemu, struct ear_text name, const struct ear_log_value *v)
{
	struct value *value = find_value(qemu, name);

	if (!value)
		return;
	uint16_t csr;
	bool changed = value->known && value->value != v->number;
	value->known = true;
	value->value = v->number;
	value->digits = (uint8_t)v->digits;
	if (!changed || (name.text[0] != 'x' && qemu->isa == EAR_ISA_RISCV &&
				ear_riscv_find_csr(name, &csr) &&
				(csr == EAR_CSR_MIP || !may_write_csr(&qemu->log))))
		return;
	struct ear_text_cursor digits = ear_text_cursor(v->word.text, v->word.size);
	ear_log_write_named(&qemu->log, name, &digits);
}

/* A number with its digits as a word, which ear_log_write_named takes. */
static bool take_number(struct ear_text_cursor *line, struct ear_log_value *v)
{
	ear_text_skip_blanks(line);
	v->word.text = line->at;
	v->digits = ear_text_hex(line, &v->number);
	v->word.size = (size_t)(line->at - v->word.text);
	return v->digits > 0;
}

/* " x4/tp    00000000 x5/t0    00000000 ..", " f0/ft0 ..", " mstatus  00000000" */
static int take_riscv(struct qemu *qemu, struct ear_text_cursor line)
{
	struct ear_log_value v[1];

	while (ear_text_skip_blanks(&line), !ear_text_at_end(&line)) {
		struct ear_text name = ear_text_token(&line);
		const char *slash = memchr(name.text, '/', name.size);
		if (slash)
			name.size = (size_t)(slash - name.text);
		if (!take_number(&line, v))
			return ear_log_bad(&qemu->log, "a register has no value");
		if (ear_text_is(name, "pc")) {
			if (!qemu->head.used || qemu->head.pc != v->number ||
				qemu->head.line + 8 <
					ear_text_input_line_number(qemu->log.line.base.input))
				return begin_head(qemu, qemu->head.hart, v->number, v->digits);
			continue;
		}
		note_value(qemu, name, v);
	}
	return 0;
}

/* "R00=00000000 R01=..", " PC=.. X00=..": their names in lower case, without the zero. */
static int take_arm(struct qemu *qemu, struct ear_text_cursor line)
{
	struct ear_log_value v[2];
	int result = 0;

	while (ear_text_skip_blanks(&line), ear_log_scan(&line, "%w=", v)) {
		char name[NAME_MAX] = "";
		size_t size = 0;
		for (size_t i = 0; i < v[0].word.size && size + 1 < NAME_MAX; i++) {
			char letter = v[0].word.text[i];
			if (i == 1 && letter == '0' && v[0].word.size > 2)
				continue;
			name[size++] =
				letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
		}
		if (!take_number(&line, v + 1))
			return ear_log_bad(&qemu->log, "a register has no value");
		struct ear_text word = {name, size};
		if (ear_text_is(word, "pc") || ear_text_is(word, "r15")) {
			if (!qemu->head.used)
				result = begin_head(qemu, 0, v[1].number, v[1].digits);
		} else if (ear_text_is(word, "psr") || ear_text_is(word, "xpsr") ||
			   ear_text_is(word, "pstate")) {
			bool psr = !ear_text_is(word, "pstate");
			for (ear_text_skip_blanks(&line); psr && !ear_text_at_end(&line); line.at++)
				if (line.end - line.at > 2 && line.at[0] == ' ' &&
					line.at[2] == ' ')
					qemu->isa = line.at[1] == 'T' ? EAR_ISA_T32 : EAR_ISA_A32;
			note_value(qemu, size == 3 ? (struct ear_text){"cpsr", 4} : word, v + 1);
			if (!psr)
				qemu->isa = EAR_ISA_A64;
			qemu->head.isa = qemu->isa;
			return 0;
		} else {
			note_value(qemu, word, v + 1);
		}
	}
	return result;
}

/* Traps ------------------------------------------------------------------------------------ */

/* "riscv_cpu_do_interrupt: hart:0, async:0, cause:00000002, epc:0x80000038, tval:0x0000000b, .." */
static int take_interrupt(struct qemu *qemu, const struct ear_log_value *v)
{
	int result = 0;

	if (v[1].number || !qemu->head.used || qemu->head.pc != v[3].number)
		result = begin_head(qemu, v[0].number, v[3].number, v[3].digits);
	qemu->head.trap = true;
	qemu->head.has_cause = true;
	qemu->head.interrupt = v[1].number != 0;
	qemu->head.cause = v[2].number;
	qemu->head.has_value = v[1].number == 0;
	qemu->head.trap_value = v[4].number;
	return result;
}

/* "Stopped execution of TB chain before 0x7fb8b000ff80 [800001dc] main": an interrupt came, and
 * what the last Trace line shows was not executed. */
static int take_stop(struct qemu *qemu, const struct ear_log_value *v)
{
	if (qemu->head.used && !qemu->head.trap && qemu->head.pc == v[1].number)
		qemu->head.used = false;
	return 0;
}

/* Lines that say nothing about an instruction, or are about one that other lines show. */
static bool is_other(struct ear_text_cursor line)
{
	static const char *const words[] = {"----------------", "IN:", "...",
		"OBJD-T:", "Linking TBs", "cpu_io_recompile", "vm ", "pc:", "V      =", "host ",
		"start_brk", "end_code", "start_code", "start_data", "end_data", "start_stack",
		"brk ", "entry ", "argv_start", "env_start", "auxv_start", "guest_base",
		"page layout", "CPU Reset", "riscv_cpu_tlb_fill", "Invalid read", "Invalid write"};
	struct ear_log_value v[1];

	ear_text_skip_blanks(&line);
	if (ear_text_at_end(&line) || ear_log_scan(&line, "V = %d", v))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ear_text_take_word(&line, words[i]))
			return true;
	return false;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct qemu *qemu = (struct qemu *)log;
	struct ear_text_cursor at = line;
	struct ear_log_value v[6];

	if (scan_trace(&at, v))
		return take_trace(qemu, v);
	if (ear_log_scan(&at,
		    "riscv_cpu_do_interrupt: hart:%d, async:%d, cause:%x, epc:0x%x, tval:0x%x", v))
		return take_interrupt(qemu, v);
	if (ear_log_scan(&at, "Stopped execution of TB chain before 0x%x [%x]", v))
		return take_stop(qemu, v);
	if (ear_log_scan(&at, "Taking exception", v)) {
		qemu->head.trap = true;
		return 0;
	}
	if (ear_log_scan(&at, "Priv: %d; Virt: %d", v)) {
		qemu->has_privilege = v[0].number == 0 || v[0].number == 1 || v[0].number == 3;
		qemu->privilege =
			(uint8_t)(v[1].number && v[0].number < 2 ? v[0].number + EAR_PRIVILEGE_VU
								 : v[0].number & 3);
		return 0;
	}
	if (ear_text_take_word(&at, "0x")) {
		at = line;
		return take_code(qemu, &at);
	}
	if (is_other(line))
		return 0;
	if (ear_text_peek(&line) == 'R' || ear_text_take_word(&at, " PC=") ||
		ear_text_take_word(&at, "X") || ear_text_take_word(&at, "PSR=") ||
		ear_text_take_word(&at, "PSTATE="))
		return take_arm(qemu, line);
	if (ear_text_peek(&line) == ' ')
		return take_riscv(qemu, line);
	return ear_log_other(log, EAR_READER_OTHER "QEMU log");
}

static int end(struct ear_log_reader *log)
{
	struct qemu *qemu = (struct qemu *)log;

	if (!qemu->executed && qemu->count > 0) {
		int result = ear_log_warn(log, NOT_EXECUTED);
		if (result)
			return result;
	}
	return give_head(qemu);
}

static void fini(struct ear_log_reader *log)
{
	struct qemu *qemu = (struct qemu *)log;

	free(qemu->codes);
	free(qemu->values);
}

/* Three sets of fields: executions, with opcodes, and with registers. */
static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[6];

	return scan_trace(&line, v) ? 93 : 0;
}

static int judge_code(struct ear_text_cursor line)
{
	struct ear_log_value v[3];

	return ear_log_scan(&line, "IN:", v) ||
			       ear_log_scan(&line, "riscv_cpu_do_interrupt: hart:%d", v)
		       ? 94
		       : 0;
}

static int judge_registers(struct ear_text_cursor line)
{
	struct ear_log_value v[2];

	return ear_log_scan(&line, " x0/zero %x x1/ra %x", v) ||
			       ear_log_scan(&line, "R00=%x R01=%x", v) ||
			       ear_log_scan(&line, " PC=%x X00=%x", v)
		       ? 95
		       : 0;
}

#define FORMAT(id, function) \
	const struct ear_log_format ear_log_##id = {.judge = (function), \
		.take = take, \
		.end = end, \
		.fini = fini, \
		.size = sizeof(struct qemu), \
		.no_walk = true}

FORMAT(qemu, judge);
FORMAT(qemu_code, judge_code);
FORMAT(qemu_registers, judge_registers);
