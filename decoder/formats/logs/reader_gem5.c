/* gem5's Exec trace: tick, cpu, pc, disassembly, class of the operation, result, address. There is
 * no opcode. D= is what a store writes, and otherwise the value of the first operand, if that is a
 * register. Parts of an instruction (micro-operations) join it.
 */
#define _GNU_SOURCE /* memmem */
#include "decoder/formats/logs/logs.h"
#include "decoder/text/riscv_name.h"

/* The text up to the next colon between blanks, without blanks around it. */
static struct ear_text take_field(struct ear_text_cursor *line)
{
	ear_text_skip_blanks(line);
	struct ear_text field = {line->at, 0};
	while (!ear_text_at_end(line)) {
		if (line->end - line->at >= 2 && line->at[0] == ' ' && line->at[1] == ':' &&
			(line->end - line->at == 2 || line->at[2] == ' '))
			break;
		line->at++;
	}
	field.size = (size_t)(line->at - field.text);
	while (field.size > 0 && ear_text_is_blank(field.text[field.size - 1]))
		field.size--;
	ear_text_skip_blanks(line);
	ear_text_take(line, ':');
	return field;
}

struct head {
	uint64_t tick, hart, pc, micro;
	bool has_micro;
	size_t digits;
};

/* "    500: system.cpu1: T0 : 0x80000004 @_start+4    : "; a micro-operation ends in ". 1", with
 * two places for its number. */
static bool scan(struct ear_text_cursor *line, struct head *head)
{
	struct ear_log_value v[2];

	*head = (struct head){0};
	if (!ear_log_scan(line, "%d: %w", v))
		return false;
	head->tick = v[0].number;
	struct ear_text name = v[1].word;
	if (name.size > 0 && name.text[name.size - 1] == ':')
		name.size--;
	for (size_t i = name.size; i > 0 && ear_text_is_digit(name.text[i - 1]); i--) {
		struct ear_text_cursor number =
			ear_text_cursor(name.text + i - 1, name.size - i + 1);
		ear_text_decimal(&number, &head->hart);
	}
	ear_text_skip_blanks(line); /* + and -: speculative or not */
	if (!ear_text_take(line, '+'))
		ear_text_take(line, '-');
	ear_log_scan(line, " A%d", v); /* address space (ExecAsid), thread (ExecThread) */
	ear_log_scan(line, " T%d :", v);
	struct ear_text place = take_field(line);
	struct ear_text_cursor at = ear_text_cursor(place.text, place.size);
	head->digits = ear_text_0x(&at, &head->pc);
	const char *dot = place.size > 3 ? place.text + place.size - 3 : "";
	struct ear_text_cursor micro = ear_text_cursor(dot + 1, *dot == '.' ? 2 : 0);
	ear_text_skip_blanks(&micro);
	head->has_micro = ear_text_decimal(&micro, &head->micro) && ear_text_at_end(&micro);
	return head->digits > 0 && head->hart <= UINT16_MAX;
}

/* The first operand, if it is a register. */
static bool find_result(struct ear_text text, enum ear_register_class *reg_class, uint16_t *number)
{
	struct ear_text_cursor at = ear_text_cursor(text.text, text.size);

	struct ear_text name = ear_text_token(&at);
	bool call = (name.size == 5 && memcmp(name.text, "c.jal", 5) == 0) ||
		    (name.size == 5 && memcmp(name.text, "c_jal", 5) == 0);
	if (call) { /* it has no operand for ra */
		*reg_class = EAR_REGISTER_X;
		*number = 1;
		return true;
	}
	ear_text_skip_blanks(&at);
	name = (struct ear_text){at.at, 0};
	while (!ear_text_at_end(&at) && *at.at != ',' && !ear_text_is_blank(*at.at))
		at.at++;
	name.size = (size_t)(at.at - name.text);
	return ear_riscv_find_register(name, reg_class, number);
}

static bool take_effects(
	struct ear_log_reader *log, struct ear_text_cursor *line, struct ear_text text)
{
	struct ear_text kind = take_field(line);
	struct ear_log_value data = {0}, address = {0}, v[1];
	enum ear_register_class reg_class;
	uint16_t number;

	/* Every class that accesses memory is a MemRead or a MemWrite of some kind. */
	bool store = kind.size > 7 && memcmp(kind.text, "MemWri", 6) == 0;
	store |= kind.size > 12 && memcmp(kind.text, "FloatMemWrit", 12) == 0;
	bool has_data = ear_log_scan(line, " D=%x", &data);
	bool has_address = ear_log_scan(line, " A=%x", &address);
	if (ear_log_scan(line, " Predicated False", v))
		log->builder->record.flags |= EAR_RECORD_SKIPPED;
	ear_log_scan(line, " FetchSeq=%d", v);
	ear_log_scan(line, " CPSeq=%d", v);
	if (ear_log_scan(line, " flags=(", v)) {
		ear_text_until(line, ')');
		ear_text_take(line, ')');
	}
	ear_text_skip_blanks(line);
	bool has_result = find_result(text, &reg_class, &number);
	/* The part of an AMO that stores has what it stores. */
	bool amo = text.size > 3 && !memmem(text.text, text.size, "[s]", 3) &&
		   (memcmp(text.text, "amo", 3) == 0 || memcmp(text.text, "sc.", 3) == 0 ||
			   memcmp(text.text, "sc_", 3) == 0);
	if (has_address)
		ear_log_access(log, address.number, has_data && store && !amo ? &data.number : NULL,
			store, 0);
	if (has_data && (!store || amo) && has_result)
		ear_log_write(log, reg_class, number, data.number, 0);
	return ear_text_at_end(line);
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct head head;

	if (ear_text_at_end(&line))
		return 0;
	if (!scan(&line, &head))
		return ear_log_other(log, EAR_READER_OTHER "gem5 trace");
	struct ear_text text = take_field(&line);
	const struct ear_record *open = log->builder ? &log->builder->record : NULL;
	bool part = head.has_micro && open && open->pc == head.pc &&
		    (head.micro > 0 || (open->memory_count == 0 && open->register_count == 0));
	if (!part) {
		ear_log_begin(log, head.hart, head.pc, head.digits);
		ear_log_time(log, head.tick);
		log->builder->extra.time_unit =
			ear_record_builder_copy(log->builder, (struct ear_text){"tick", 4});
		ear_log_text(log, text);
	}
	if (!ear_text_at_end(&line) && !take_effects(log, &line, text))
		ear_log_word(log, &line);
	return part ? 0 : ear_log_end_riscv(log, text, false);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_text_cursor at = line;
	struct ear_log_value v[2];
	struct head head;

	if (!ear_log_scan(&at, "%d: %w", v) || v[1].word.size < 4)
		return 0;
	return scan(&line, &head) && !ear_text_at_end(&line) ? 85 : 0;
}

const struct ear_log_format ear_log_gem5 = {.unpadded = true, .judge = judge, .take = take};
