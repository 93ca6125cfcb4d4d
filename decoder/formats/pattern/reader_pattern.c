/* Logs of a form that its user describes: line_pattern.c takes a line apart, and what it says
 * becomes a record as in the other logs of tracers (base/log_reader.h).
 *
 * A line that no pattern fits is one of something else, unless a pattern had already taken a pc, a
 * register or an address of it: then it is damaged. Registers and accesses of {next} wait for their
 * record, PENDING_MAX at most.
 */
#include "decoder/formats/pattern/reader_pattern.h"

#include <inttypes.h>
#include <stdio.h>

#include "decoder/formats/base/log_reader.h"
#include "decoder/formats/pattern/line_pattern.h"
#include "decoder/isa/inst.h"

#define PENDING_MAX 64

struct reader_pattern {
	struct ear_log_reader log;
	struct ear_line_pattern *patterns;
	struct ear_line_match match;
	bool many; /* patterns */
	struct ear_line_part pending[PENDING_MAX];
	uint32_t pending_count;
	const char *refused; /* why a part cannot wait */
	char cause[200];
	/* Of the lines before the first record that fit nothing, the one that came furthest. */
	bool found; /* a record */
	uint64_t near_line;
	uint64_t near_column;
	char near[EAR_LINE_EXPECTED_SIZE];
};

static bool has(const struct ear_line_match *match, enum ear_line_value value)
{
	return match->given & ~match->unknown & EAR_LINE_BIT(value);
}

/* Of a store that shows the bytes of its word that it writes: what it writes, and where. */
static bool apply_strobe(struct ear_line_part *part)
{
	unsigned first = 0, count = 0;

	if (!part->has_strobe)
		return true;
	if (part->strobe == 0) /* nothing is written */
		return part->kind != EAR_LINE_STORE;
	while (!(part->strobe >> first & 1))
		first++;
	while (part->strobe >> (first + count) & 1)
		count++;
	part->number += first;
	part->value = first < 8 ? part->value >> 8 * first : 0;
	part->size = (uint8_t)(count <= 8 ? count : 0);
	return true;
}

/* Does the opcode store, and nothing else? */
static bool is_store(const struct ear_record *record)
{
	struct ear_inst inst = {0};

	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	return inst.kind == EAR_KIND_STORE || inst.kind == EAR_KIND_SC ||
	       inst.kind == EAR_KIND_VSTORE;
}

static void take_access(struct ear_log_reader *log, struct ear_line_part part)
{
	const bool write = part.kind == EAR_LINE_ACCESS ? is_store(&log->builder->record)
							: part.kind == EAR_LINE_STORE;

	if (apply_strobe(&part))
		ear_log_access(
			log, part.number, part.has_value ? &part.value : NULL, write, part.size);
}

static uint64_t of_xlen(const struct ear_log_reader *log, uint64_t value, bool negative)
{
	return negative && log->builder->record.xlen == 32 ? (uint32_t)value : value;
}

static void take_part(void *context, const struct ear_line_part *part)
{
	struct ear_log_reader *log = context;
	if (!part->known || !log->builder)
		return;
	if (part->kind >= EAR_LINE_ACCESS) {
		take_access(log, *part);
		return;
	}
	if (!part->has_value)
		return;
	const uint64_t value = of_xlen(log, part->value, part->negative);
	struct ear_text_cursor digits = ear_text_cursor(part->text.text, part->text.size);
	if (part->kind == EAR_LINE_READ)
		ear_log_read(log, EAR_REGISTER_X, part->number, value);
	else if (part->reg_class == EAR_REGISTER_V)
		ear_log_write_vector(log, (unsigned)part->number, &digits);
	else
		ear_log_write(log, part->reg_class, part->number, value, part->digits);
}

/* Until the next record begins. */
static void keep_part(void *context, const struct ear_line_part *part)
{
	struct reader_pattern *reader = context;

	if (part->reg_class == EAR_REGISTER_V)
		reader->refused = "a vector register cannot wait for its record";
	else if (reader->pending_count == PENDING_MAX)
		reader->refused = "too many registers and accesses wait for their record";
	else
		reader->pending[reader->pending_count++] = *part;
}

static void take_time(struct ear_log_reader *log, const struct ear_line_match *match)
{
	struct ear_text unit = match->texts[EAR_LINE_TIME];

	if (log->builder->record.flags & EAR_RECORD_HAS_TIME)
		return;
	if (has(match, EAR_LINE_CYCLE)) {
		ear_log_time(log, match->numbers[EAR_LINE_CYCLE]);
	} else if (has(match, EAR_LINE_TIME)) {
		ear_log_time(log, match->numbers[EAR_LINE_TIME]);
		log->builder->extra.time_unit = ear_record_builder_copy(
			log->builder, unit.size > 0 ? unit : (struct ear_text){"tick", 4});
	}
}

static void take_mode(struct ear_log_reader *log, const struct ear_line_match *match)
{
	struct ear_text word = match->texts[EAR_LINE_MODE];
	enum ear_privilege privilege;
	char digit = (char)('0' + (match->numbers[EAR_LINE_MODE] & 7));

	if (!has(match, EAR_LINE_MODE))
		return;
	if (word.size == 0) /* it was a number */
		word = (struct ear_text){&digit, match->numbers[EAR_LINE_MODE] < 8};
	if (ear_log_find_privilege(word, &privilege))
		ear_log_privilege(log, privilege);
	else
		ear_reader_word(&log->line.base, log->builder->record.hart, word);
}

/* A cause alone is one; with {trap} or {interrupt}, these say whether there is one. */
static void take_trap(struct ear_log_reader *log, const struct ear_line_match *match)
{
	struct ear_record *record = &log->builder->record;
	const bool trap = has(match, EAR_LINE_TRAP) && match->numbers[EAR_LINE_TRAP] != 0;
	const bool interrupt =
		has(match, EAR_LINE_INTERRUPT) && match->numbers[EAR_LINE_INTERRUPT] != 0;
	const bool alone =
		!(match->given & (EAR_LINE_BIT(EAR_LINE_TRAP) | EAR_LINE_BIT(EAR_LINE_INTERRUPT)));
	uint64_t cause = match->numbers[EAR_LINE_CAUSE];

	if (!trap && !interrupt && !(alone && has(match, EAR_LINE_CAUSE)))
		return;
	if (interrupt && has(match, EAR_LINE_CAUSE))
		cause |= (uint64_t)1 << (record->xlen - 1);
	if (has(match, EAR_LINE_CAUSE))
		ear_log_trap(log, cause);
	else
		record->flags |=
			(interrupt ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP) | EAR_RECORD_NO_CAUSE;
	log->builder->extra.has_trap_value = has(match, EAR_LINE_TVAL);
	if (has(match, EAR_LINE_TVAL))
		log->builder->extra.trap_value = match->numbers[EAR_LINE_TVAL];
}

/* The value of the register that the opcode writes, if it writes one. */
static void take_rd(struct ear_log_reader *log, const struct ear_line_match *match)
{
	const struct ear_record *record = &log->builder->record;
	struct ear_inst inst;

	if (!has(match, EAR_LINE_RD) || record->flags & EAR_RECORD_NO_OPCODE)
		return;
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	for (unsigned i = 0; i < inst.operand_count; i++) {
		const struct ear_operand *operand = &inst.operands[i];
		if (operand->kind > EAR_OPERAND_F || !(operand->access & EAR_OPERAND_WRITE))
			continue;
		ear_log_write(log, operand->kind == EAR_OPERAND_X ? EAR_REGISTER_X : EAR_REGISTER_F,
			(uint64_t)operand->value,
			of_xlen(log, match->numbers[EAR_LINE_RD],
				match->negative & EAR_LINE_BIT(EAR_LINE_RD)),
			0);
		return;
	}
}

/* What the line says, in the record begun or in the open one. */
static void take_line(struct reader_pattern *reader, struct ear_text line)
{
	struct ear_log_reader *log = &reader->log;
	const struct ear_line_match *match = &reader->match;

	if (has(match, EAR_LINE_OPCODE))
		ear_log_opcode(log, match->numbers[EAR_LINE_OPCODE]);
	take_time(log, match);
	take_mode(log, match);
	take_trap(log, match);
	take_rd(log, match);
	if (has(match, EAR_LINE_DISASM))
		ear_log_text(log, match->texts[EAR_LINE_DISASM]);
	for (uint32_t i = 0; i < reader->pending_count; i++)
		take_part(log, &reader->pending[i]);
	reader->pending_count = 0;
	ear_line_parts(reader->patterns, line, match, take_part, log);
}

static int begin(struct reader_pattern *reader, struct ear_text line)
{
	struct ear_log_reader *log = &reader->log;
	const struct ear_line_match *match = &reader->match;
	const uint64_t hart = has(match, EAR_LINE_HART) ? match->numbers[EAR_LINE_HART] : 0;

	if (!has(match, EAR_LINE_PC)) {
		reader->pending_count = 0;
		return ear_log_bad(log, "the pc is unknown");
	}
	struct ear_record *record =
		ear_log_begin(log, hart, match->numbers[EAR_LINE_PC], match->pc_digits);
	if (has(match, EAR_LINE_INDEX)) {
		record->index = match->numbers[EAR_LINE_INDEX];
		log->line.base.index_given = true;
	}
	take_line(reader, line);
	reader->found = true;
	return ear_log_end(log);
}

static int add(struct reader_pattern *reader, struct ear_text line)
{
	struct ear_log_reader *log = &reader->log;
	const struct ear_line_match *match = &reader->match;

	if (!log->builder)
		return ear_log_bad(log, "there is no record that the line adds to");
	if (has(match, EAR_LINE_PC) && match->numbers[EAR_LINE_PC] != log->builder->record.pc)
		return ear_log_bad(log, "the record before has another pc");
	if (has(match, EAR_LINE_HART) && match->numbers[EAR_LINE_HART] != log->builder->record.hart)
		return ear_log_bad(log, "the record before has another hart");
	take_line(reader, line);
	return ear_log_check(log);
}

static int keep(struct reader_pattern *reader, struct ear_text line)
{
	reader->refused = NULL;
	ear_line_parts(reader->patterns, line, &reader->match, keep_part, reader);
	return reader->refused ? ear_log_bad(&reader->log, reader->refused) : 0;
}

/* No pattern fits. */
static int refuse(struct reader_pattern *reader)
{
	const struct ear_line_match *match = &reader->match;
	char which[24] = "";

	if (reader->many)
		snprintf(which, sizeof(which), "pattern %" PRIu32 ", ", match->pattern);
	if (!reader->found && match->column > reader->near_column) {
		reader->near_line = ear_text_input_line_number(reader->log.line.base.input);
		reader->near_column = match->column;
		snprintf(reader->near, sizeof(reader->near), "%s", match->expected);
	}
	if (match->begun) {
		snprintf(reader->cause, sizeof(reader->cause), "%scolumn %zu: expected %s", which,
			match->column, match->expected);
		return ear_log_bad(&reader->log, reader->cause);
	}
	snprintf(reader->cause, sizeof(reader->cause),
		EAR_READER_OTHER "given pattern (%scolumn %zu: expected %s)", which, match->column,
		match->expected);
	return ear_log_other(&reader->log, reader->cause);
}

static int take(struct ear_log_reader *log, struct ear_text_cursor cursor)
{
	struct reader_pattern *reader = (struct reader_pattern *)log;
	struct ear_text line = {cursor.at, (size_t)(cursor.end - cursor.at)};

	ear_text_skip_blanks(&cursor);
	if (ear_text_at_end(&cursor))
		return 0;
	if (!ear_line_match(reader->patterns, line, &reader->match))
		return refuse(reader);
	switch (reader->match.role) {
	case EAR_LINE_BEGINS: return begin(reader, line);
	case EAR_LINE_PREVIOUS: return add(reader, line);
	case EAR_LINE_NEXT: return keep(reader, line);
	default: return 0;
	}
}

static int end(struct ear_log_reader *log)
{
	struct reader_pattern *reader = (struct reader_pattern *)log;

	if (reader->pending_count > 0) {
		reader->pending_count = 0;
		return ear_log_warn(
			log, "the last registers and accesses have no record that they belong to");
	}
	if (reader->found || reader->near_line == 0)
		return 0;
	snprintf(reader->cause, sizeof(reader->cause),
		"no line begins a record; line %" PRIu64 " comes furthest, to column %" PRIu64
		": expected %s",
		reader->near_line, reader->near_column, reader->near);
	reader->near_line = 0;
	return ear_log_warn(log, reader->cause);
}

#define FIELD(name) EAR_FIELD_BIT(EAR_FIELD_##name)

/* What none of the patterns can show. */
static uint64_t find_lacks(uint32_t shows)
{
	static const struct {
		uint32_t any;
		uint64_t fields;
	} rows[] = {
		{EAR_LINE_BIT(EAR_LINE_HART), FIELD(HART)},
		{EAR_LINE_BIT(EAR_LINE_CYCLE) | EAR_LINE_BIT(EAR_LINE_TIME), FIELD(TIME)},
		{EAR_LINE_BIT(EAR_LINE_OPCODE), FIELD(OPCODE) | FIELD(TAKEN)},
		{EAR_LINE_BIT(EAR_LINE_MODE), FIELD(PRIVILEGE)},
		{EAR_LINE_BIT(EAR_LINE_CAUSE), FIELD(TRAP)},
		{EAR_LINE_BIT(EAR_LINE_CAUSE) | EAR_LINE_BIT(EAR_LINE_INTERRUPT), FIELD(INTERRUPT)},
		{EAR_LINE_BIT(EAR_LINE_TRAP), FIELD(CAUSELESS)},
		{EAR_LINE_BIT(EAR_LINE_TVAL), FIELD(TRAP_VALUE)},
		{EAR_LINE_BIT(EAR_LINE_RD) | EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_WRITE),
			FIELD(X_WRITE) | FIELD(F_WRITE)},
		{EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_WRITE), FIELD(CSR_WRITE) | FIELD(V_WRITE)},
		{EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_READ), FIELD(READ_VALUE)},
		{EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_ACCESS) |
				EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_LOAD),
			FIELD(LOAD_ADDRESS) | FIELD(LOAD_VALUE)},
		{EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_ACCESS) |
				EAR_LINE_BIT(EAR_LINE_VALUES + EAR_LINE_STORE),
			FIELD(STORE_ADDRESS) | FIELD(STORE_VALUE)},
		{EAR_LINE_BIT(EAR_LINE_DISASM), FIELD(DISASSEMBLY)},
	};
	uint64_t lacks = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		lacks |= shows & rows[i].any ? 0 : rows[i].fields;
	return lacks;
}

static bool init(struct ear_log_reader *log)
{
	struct reader_pattern *reader = (struct reader_pattern *)log;
	const char *text = log->line.base.options.pattern;

	if (ear_line_pattern_new(&reader->patterns, text ? text : "", NULL))
		return false;
	const uint32_t shows = ear_line_pattern_shows(reader->patterns);
	log->line.base.lacks = find_lacks(shows);
	log->no_traps = !(shows & (EAR_LINE_BIT(EAR_LINE_TRAP) | EAR_LINE_BIT(EAR_LINE_CAUSE) |
					  EAR_LINE_BIT(EAR_LINE_INTERRUPT)));
	log->sparse = ear_line_pattern_is_sparse(reader->patterns);
	reader->many = ear_line_pattern_count(reader->patterns) > 1;
	return true;
}

static void fini(struct ear_log_reader *log)
{
	ear_line_pattern_free(((struct reader_pattern *)log)->patterns);
}

static void walk_part(struct ear_state_walk *walk, struct ear_line_part *part)
{
	ear_state_u8(walk, &part->kind, EAR_LINE_STORE);
	ear_state_u8(walk, &part->reg_class, EAR_REGISTER_CSR);
	ear_state_u8(walk, &part->size, 8);
	ear_state_bool(walk, &part->known);
	ear_state_bool(walk, &part->has_value);
	ear_state_bool(walk, &part->negative);
	ear_state_bool(walk, &part->has_strobe);
	ear_state_u16(walk, &part->strobe, UINT16_MAX);
	ear_state_u16(walk, &part->digits, UINT16_MAX);
	ear_state_u64(walk, &part->number, UINT64_MAX);
	ear_state_u64(walk, &part->value, UINT64_MAX);
	const bool reg = part->kind < EAR_LINE_ACCESS, csr = part->reg_class == EAR_REGISTER_CSR;
	walk->bad |= reg && part->number > (csr ? 4095 : 31);
}

static void walk(struct ear_log_reader *log, struct ear_state_walk *walk)
{
	struct reader_pattern *reader = (struct reader_pattern *)log;

	ear_state_bool(walk, &reader->found);
	ear_state_u32(walk, &reader->pending_count);
	if (reader->pending_count > PENDING_MAX) {
		walk->bad = true;
		reader->pending_count = 0;
	}
	for (uint32_t i = 0; i < reader->pending_count; i++)
		walk_part(walk, &reader->pending[i]);
}

static const struct ear_log_format format = {.unpadded = true,
	.take = take,
	.end = end,
	.size = sizeof(struct reader_pattern),
	.init = init,
	.fini = fini,
	.walk = walk};

int ear_reader_pattern_detect(const char *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	return 0;
}

struct ear_reader *ear_reader_pattern_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	return ear_log_make(&format, input, options);
}
