/* trace, trace_registers, trace_accesses: what the records of a trace have. Conditions that the
 * trace can be searched for are; else the records are read from where the first one may be.
 */
#include <earshot/error.h>
#include <stdlib.h>

#include "library/sqlite/tables.h"

enum {
	POSITION,
	NUMBER,
	HART,
	/* trace */
	HART_INDEX = 3,
	TICKS,
	KIND,
	PC,
	NEXT_PC,
	OPCODE,
	OPCODE_SIZE,
	INSTRUCTION,
	PRIVILEGE,
	TAKEN,
	TRAP,
	INTERRUPT,
	CAUSE,
	RD,
	RD_VALUE,
	ADDRESS,
	ACCESS_SIZE,
	IS_WRITE,
	DATA,
	EVENT,
	VALUE,
	GAP,
	MISSING,
	FUNCTION,
	LINE,
	/* trace_registers */
	REGISTER_PC = 3,
	REGISTER,
	REGISTER_CLASS,
	REGISTER_VALUE,
	REGISTER_BYTES,
	/* trace_accesses */
	ACCESS_PC = 3,
	ACCESS_ADDRESS,
	ACCESS_PHYSICAL,
	ACCESS_BYTES,
	ACCESS_IS_WRITE,
	ACCESS_VALUE,
	ACCESS_ABORTED,
};

enum { TEXT_MAX = 512 };

static const struct table_column record_columns[] = {
	{"position", "INTEGER", TERM_POSITION},
	{"number", "INTEGER", TERM_NUMBER},
	{"hart", "INTEGER", TERM_HART},
	{"hart_index", "INTEGER", TERM_NONE},
	{"ticks", "INTEGER", TERM_TICKS},
	{"kind", "TEXT", TERM_KIND},
	{"pc", "INTEGER", TERM_PC},
	{"next_pc", "INTEGER", TERM_NONE},
	{"opcode", "INTEGER", TERM_NONE},
	{"opcode_size", "INTEGER", TERM_NONE},
	{"instruction", "TEXT", TERM_NONE},
	{"privilege", "TEXT", TERM_PRIVILEGE},
	{"taken", "INTEGER", TERM_NONE},
	{"trap", "INTEGER", TERM_TRAP},
	{"interrupt", "INTEGER", TERM_INTERRUPT},
	{"cause", "INTEGER", TERM_NONE},
	{"rd", "INTEGER", TERM_RD},
	{"rd_value", "INTEGER", TERM_NONE},
	{"address", "INTEGER", TERM_ADDRESS},
	{"access_size", "INTEGER", TERM_NONE},
	{"is_write", "INTEGER", TERM_WRITE},
	{"data", "INTEGER", TERM_NONE},
	{"event", "TEXT", TERM_EVENT},
	{"value", "INTEGER", TERM_NONE},
	{"gap", "TEXT", TERM_NONE},
	{"missing", "INTEGER", TERM_NONE},
	{"function", "TEXT", TERM_NONE},
	{"line", "TEXT", TERM_NONE},
	TABLE_PARAMETERS,
};

static const struct table_column register_columns[] = {
	{"position", "INTEGER", TERM_POSITION},
	{"number", "INTEGER", TERM_NUMBER},
	{"hart", "INTEGER", TERM_HART},
	{"pc", "INTEGER", TERM_PC},
	{"register", "TEXT", TERM_REGISTER},
	{"class", "TEXT", TERM_NONE},
	{"value", "INTEGER", TERM_NONE},
	{"bytes", "BLOB", TERM_NONE},
	TABLE_PARAMETERS,
};

static const struct table_column access_columns[] = {
	{"position", "INTEGER", TERM_POSITION},
	{"number", "INTEGER", TERM_NUMBER},
	{"hart", "INTEGER", TERM_HART},
	{"pc", "INTEGER", TERM_PC},
	{"address", "INTEGER", TERM_ADDRESS},
	{"physical", "INTEGER", TERM_NONE},
	{"size", "INTEGER", TERM_NONE},
	{"is_write", "INTEGER", TERM_WRITE},
	{"value", "INTEGER", TERM_NONE},
	{"aborted", "INTEGER", TERM_NONE},
	TABLE_PARAMETERS,
};

/* One row of each table ----------------------------------------------------------------------- */

static void add_place(
	struct cursor *cursor, const struct ear_record *record, uint64_t position, uint64_t number)
{
	cursor_set_integer(cursor, POSITION, position);
	if (record->kind == EAR_RECORD_INSTRUCTION)
		cursor_set_integer(cursor, NUMBER, number);
	cursor_set_integer(cursor, HART, record->hart);
}

static bool is_trap(const struct ear_record *record)
{
	return record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
}

static void add_flow(struct cursor *cursor, const struct ear_record *record)
{
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;

	cursor_set_integer(cursor, PC, record->pc);
	if (!(record->flags & EAR_RECORD_NO_NEXT_PC)) {
		cursor_set_integer(cursor, NEXT_PC, record->next_pc);
		cursor_set_integer(cursor, TAKEN, (record->flags & EAR_RECORD_TAKEN) != 0);
	}
	cursor_set_integer(cursor, TRAP, !interrupt && record->flags & EAR_RECORD_TRAP);
	cursor_set_integer(cursor, INTERRUPT, interrupt);
	if (is_trap(record) && !(record->flags & EAR_RECORD_NO_CAUSE))
		cursor_set_integer(cursor, CAUSE, record->cause);
	if (!(record->flags & EAR_RECORD_NO_PRIVILEGE))
		cursor_set_literal(cursor, PRIVILEGE, record_privilege_name(record->privilege));
}

static void add_instruction(struct cursor *cursor, const struct ear_record *record)
{
	char text[TEXT_MAX];

	add_flow(cursor, record);
	if (!(record->flags & EAR_RECORD_NO_OPCODE)) {
		cursor_set_integer(cursor, OPCODE, record->opcode);
		cursor_set_integer(cursor, OPCODE_SIZE, record->opcode_size);
	}
	if (cursor_uses(cursor, INSTRUCTION) &&
		ear_instruction_text(cursor->instructions, record, text, sizeof(text)) > 0)
		cursor_set_string(cursor, INSTRUCTION, text);
	cursor_set_function(cursor, FUNCTION, record->pc);
	if (cursor_uses(cursor, LINE) && cursor->names &&
		ear_names_line_text(cursor->names, record->pc, text, sizeof(text)) > 0)
		cursor_set_string(cursor, LINE, text);
}

static void add_lists(struct cursor *cursor, const struct ear_record *record)
{
	size_t reg = 0, access = 0;

	while (reg < record->register_count &&
		(record->registers[reg].reg_class != EAR_REGISTER_X ||
			record->registers[reg].number == 0))
		reg++;
	if (reg < record->register_count) {
		cursor_set_integer(cursor, RD, record->registers[reg].number);
		cursor_set_integer(cursor, RD_VALUE, record->registers[reg].value);
	}
	while (access < record->memory_count && record->memory[access].masked)
		access++;
	if (access == record->memory_count)
		return;
	const struct ear_record_access *at = &record->memory[access];
	cursor_set_integer(cursor, ADDRESS, at->address);
	if (at->size)
		cursor_set_integer(cursor, ACCESS_SIZE, at->size);
	cursor_set_integer(cursor, IS_WRITE, at->write);
	if (ear_access_is_known(at))
		cursor_set_integer(cursor, DATA, at->value);
}

static void add_event(struct cursor *cursor, const struct ear_event *event)
{
	char name[TEXT_MAX];

	if (cursor_uses(cursor, EVENT)) {
		int length = ear_event_name(event, name, sizeof(name));
		if (length > 0 && (size_t)length < sizeof(name))
			cursor_set_string(cursor, EVENT, name);
		else if (length > 0)
			cursor_set_text(cursor, EVENT, event->name.text, event->name.size);
	}
	cursor_set_integer(cursor, VALUE, event->value);
}

static void add_record(
	struct cursor *cursor, const struct ear_record *record, uint64_t position, uint64_t number)
{
	if (!cursor_add_row(cursor))
		return;
	add_place(cursor, record, position, number);
	cursor_set_integer(cursor, HART_INDEX, record->index);
	if (record->flags & EAR_RECORD_HAS_TIME)
		cursor_set_integer(cursor, TICKS, record->ticks);
	cursor_set_literal(cursor, KIND, record_kind_name(record->kind));
	if (record->kind == EAR_RECORD_INSTRUCTION)
		add_instruction(cursor, record);
	if (record->kind == EAR_RECORD_EVENT)
		add_event(cursor, &record->u.event);
	if (record->kind == EAR_RECORD_GAP) {
		cursor_set_literal(cursor, GAP, ear_gap_reason_text(record->u.gap.reason));
		if (record->u.gap.count_known)
			cursor_set_integer(cursor, MISSING, record->u.gap.count);
	}
	add_lists(cursor, record);
}

static void add_register(struct cursor *cursor, const struct ear_record_register *reg)
{
	static const char *const classes[] = {"x", "f", "csr", "v", "named"};
	char name[TEXT_MAX];

	if (reg->reg_class == EAR_REGISTER_NAMED) {
		cursor_set_text(cursor, REGISTER, reg->text.name, reg->text_size);
	} else if (cursor_uses(cursor, REGISTER)) {
		ear_register_name(
			(enum ear_register_class)reg->reg_class, reg->number, name, sizeof(name));
		cursor_set_string(cursor, REGISTER, name);
	}
	cursor_set_literal(cursor, REGISTER_CLASS, classes[reg->reg_class]);
	const uint8_t *bytes = ear_register_bytes(reg);
	if (reg->reg_class == EAR_REGISTER_V)
		cursor_set_blob(cursor, REGISTER_BYTES, reg->text.bytes, reg->text_size);
	else if (bytes && !ear_register_unknown(reg))
		cursor_set_blob(cursor, REGISTER_BYTES, bytes, reg->size);
	else if (!ear_register_unknown(reg))
		cursor_set_integer(cursor, REGISTER_VALUE, reg->value);
}

static void add_registers(
	struct cursor *cursor, const struct ear_record *record, uint64_t position, uint64_t number)
{
	for (size_t i = 0; i < record->register_count; i++) {
		if (!cursor_add_row(cursor))
			return;
		add_place(cursor, record, position, number);
		if (record->kind == EAR_RECORD_INSTRUCTION)
			cursor_set_integer(cursor, REGISTER_PC, record->pc);
		add_register(cursor, &record->registers[i]);
	}
}

static void add_accesses(
	struct cursor *cursor, const struct ear_record *record, uint64_t position, uint64_t number)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->masked || !cursor_add_row(cursor))
			continue;
		add_place(cursor, record, position, number);
		if (record->kind == EAR_RECORD_INSTRUCTION)
			cursor_set_integer(cursor, ACCESS_PC, record->pc);
		cursor_set_integer(cursor, ACCESS_ADDRESS, access->address);
		if (access->has_physical)
			cursor_set_integer(cursor, ACCESS_PHYSICAL, access->physical);
		if (access->size)
			cursor_set_integer(cursor, ACCESS_BYTES, access->size);
		cursor_set_integer(cursor, ACCESS_IS_WRITE, access->write);
		if (ear_access_is_known(access))
			cursor_set_integer(cursor, ACCESS_VALUE, access->value);
		cursor_set_integer(cursor, ACCESS_ABORTED, access->aborted);
	}
}

static void add_rows(
	struct cursor *cursor, const struct ear_record *record, uint64_t position, uint64_t number)
{
	if (cursor->table == &table_records)
		add_record(cursor, record, position, number);
	else if (cursor->table == &table_registers)
		add_registers(cursor, record, position, number);
	else
		add_accesses(cursor, record, position, number);
}

/* Reading ------------------------------------------------------------------------------------- */

enum { PASSED = 1, ENOUGH };

static int fail(struct cursor *cursor, int result)
{
	cursor_fail(cursor, ear_trace_error(cursor->trace));
	return result;
}

/* To the first record that may be wanted. */
static int begin(struct cursor *cursor)
{
	const struct table_wanted *wanted = &cursor->wanted;
	uint64_t from = wanted->position.low > 0 ? (uint64_t)wanted->position.low : 0;
	int result = 1;

	/* A pipe is where it is. */
	if (from != ear_trace_position(cursor->trace))
		result = ear_trace_seek(cursor->trace, from, &cursor->progress);
	if (result == 1 && wanted->number.low > 0 &&
		ear_trace_number(cursor->trace) < (uint64_t)wanted->number.low)
		result = ear_trace_seek_number(
			cursor->trace, (uint64_t)wanted->number.low, &cursor->progress);
	cursor->from = result == 1 ? ear_trace_position(cursor->trace) : UINT64_MAX;
	return result < 0 ? fail(cursor, result) : 0;
}

/* Is this record behind all that are wanted? Numbers and positions rise. */
static bool is_behind(const struct table_wanted *wanted, uint64_t position, uint64_t number)
{
	return position > (uint64_t)wanted->position.high || number > (uint64_t)wanted->number.high;
}

static int take_found(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct cursor *cursor = context;

	if (is_behind(&cursor->wanted, position, number))
		return PASSED;
	add_rows(cursor, record, position, number);
	cursor->from = position + 1;
	return cursor->no_memory || cursor->row_count >= cursor_goal(cursor) ? ENOUGH : 0;
}

static int search(struct cursor *cursor)
{
	uint64_t to = cursor->wanted.position.high < INT64_MAX
			      ? (uint64_t)cursor->wanted.position.high + 1
			      : UINT64_MAX;

	if (cursor->from >= to)
		return 0;
	int result = ear_trace_find_all(cursor->trace, &cursor->wanted.query, cursor->from, to,
		take_found, cursor, &cursor->progress);
	if (result != ENOUGH)
		cursor->from = UINT64_MAX;
	return result < 0 ? fail(cursor, result) : 0;
}

static int read(struct cursor *cursor)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = 1;

	while (cursor->from < UINT64_MAX && !cursor->no_memory &&
		cursor->row_count < cursor_goal(cursor)) {
		if (cursor_is_interrupted(cursor))
			return EAR_E_CANCELLED;
		result = ear_trace_next_batch(cursor->trace, &batch);
		for (size_t i = 0; result == 1 && i < batch.count; i++) {
			if (is_behind(&cursor->wanted, batch.position + i, batch.number + i))
				result = 0;
			else
				add_rows(cursor, ear_batch_record(&batch, i), batch.position + i,
					batch.number + i);
		}
		if (result != 1)
			cursor->from = UINT64_MAX;
	}
	return result < 0 ? fail(cursor, result) : 0;
}

static int fill(struct cursor *cursor)
{
	return cursor->wanted.by_query ? search(cursor) : read(cursor);
}

#define COUNT(columns) (sizeof(columns) / sizeof((columns)[0]))

const struct table table_records = {
	.name = "trace",
	.columns = record_columns,
	.count = COUNT(record_columns),
	.parameters = 4,
	.in_order = true,
	.names_for = 1u << FUNCTION | 1u << LINE,
	.begin = begin,
	.fill = fill,
};

const struct table table_registers = {
	.name = "trace_registers",
	.columns = register_columns,
	.count = COUNT(register_columns),
	.parameters = 4,
	.in_order = true,
	.begin = begin,
	.fill = fill,
};

const struct table table_accesses = {
	.name = "trace_accesses",
	.columns = access_columns,
	.count = COUNT(access_columns),
	.parameters = 4,
	.in_order = true,
	.begin = begin,
	.fill = fill,
};
