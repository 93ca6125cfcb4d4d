/* QEMU's plugin execlog: a line for each instruction, with its accesses, and from QEMU 9 with the
 * registers that changed. The opcode is what 4 bytes at the pc hold, so a compressed one has half
 * of the next one with it.
 */
#include "decoder/formats/logs/logs.h"

/* ", load, 0x8000a0ec, RAM": with a device's name the address is physical. */
static bool take_access(struct ear_log_reader *log, struct ear_text_cursor *line)
{
	struct ear_log_value value[2];
	bool store = ear_log_scan(line, ", store, %x", value);

	if (!store && !ear_log_scan(line, ", load, %x", value))
		return false;
	struct ear_record_access *access = ear_log_access(log, value[0].number, NULL, store, 0);
	struct ear_text_cursor after = *line;
	if (!ear_log_scan(&after, ", %w", value) || ear_text_is(value[0].word, "load,") ||
		ear_text_is(value[0].word, "store,"))
		return true;
	ear_text_skip_blanks(&after);
	if (ear_text_take_word(&after, "->"))
		return true; /* a register */
	/* A name has blanks: it ends before the next comma. */
	ear_text_take(line, ',');
	ear_text_until(line, ',');
	if (access) {
		access->has_physical = true;
		access->physical = access->address;
	}
	return true;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct ear_log_value v[3];

	if (ear_text_at_end(&line))
		return 0;
	if (!ear_log_scan(&line, "%d, %x, %x, \"", v) || v[0].number > UINT16_MAX)
		return ear_log_other(log, EAR_READER_OTHER "log of execlog");
	ear_log_begin(log, v[0].number, v[1].number, v[1].digits);
	ear_log_opcode(log, v[2].number);
	struct ear_text text = ear_text_until(&line, '"');
	ear_log_text(log, text);
	if (!ear_text_take(&line, '"'))
		return ear_log_bad(log, "the disassembly does not end");
	while (!ear_text_at_end(&line)) {
		if (take_access(log, &line))
			continue;
		bool good = ear_log_scan(&line, ", %w -> ", v);
		if (good && (ear_text_is(v[0].word, "pc") || ear_text_is(v[0].word, "priv")))
			good = ear_log_scan(
				&line, "%x", v); /* after it, what the next line shows */
		else if (good)
			good = ear_log_write_named(log, v[0].word, &line);
		if (!good)
			ear_log_word(log, &line);
	}
	return ear_log_end_riscv(log, text, false);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[3];

	return ear_log_scan(&line, "%d, %x, %x, \"", v) ? 95 : 0;
}

/* With registers: one of the first lines shows one. */
static int judge_registers(struct ear_text_cursor line)
{
	struct ear_log_value v[3];

	if (!ear_log_scan(&line, "%d, %x, %x, \"", v))
		return 0;
	ear_text_until(&line, '"');
	for (; !ear_text_at_end(&line); line.at++)
		if (ear_text_take_word(&line, " -> 0x"))
			return 96;
	return 0;
}

const struct ear_log_format ear_log_execlog = {
	.unpadded = true, .no_traps = true, .judge = judge, .take = take};
const struct ear_log_format ear_log_execlog_registers = {
	.unpadded = true, .no_traps = true, .judge = judge_registers, .take = take};
