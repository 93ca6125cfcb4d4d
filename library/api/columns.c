/* Columns: members of records in the caller's arrays. One function fills one column from one batch,
 * so the inner loops are over compact records of one member each.
 */
#include <string.h>

#include <earshot/trace.h>

#include "library/api/trace_internal.h"

static const struct {
	const char *name;
	size_t size;
} columns_known[EAR_COLUMN_COUNT] = {
	[EAR_COLUMN_POSITION] = {"position", 8},
	[EAR_COLUMN_NUMBER] = {"number", 8},
	[EAR_COLUMN_INDEX] = {"index", 8},
	[EAR_COLUMN_TICKS] = {"ticks", 8},
	[EAR_COLUMN_PC] = {"pc", 8},
	[EAR_COLUMN_NEXT_PC] = {"next_pc", 8},
	[EAR_COLUMN_OPCODE] = {"opcode", 8},
	[EAR_COLUMN_CAUSE] = {"cause", 8},
	[EAR_COLUMN_RD_VALUE] = {"rd_value", 8},
	[EAR_COLUMN_ADDRESS] = {"address", 8},
	[EAR_COLUMN_DATA] = {"data", 8},
	[EAR_COLUMN_FLAGS] = {"flags", 4},
	[EAR_COLUMN_HART] = {"hart", 2},
	[EAR_COLUMN_KIND] = {"kind", 1},
	[EAR_COLUMN_PRIVILEGE] = {"privilege", 1},
	[EAR_COLUMN_OPCODE_SIZE] = {"opcode_size", 1},
	[EAR_COLUMN_RD] = {"rd", 1},
	[EAR_COLUMN_ACCESS_SIZE] = {"access_size", 1},
	[EAR_COLUMN_IS_WRITE] = {"is_write", 1},
	[EAR_COLUMN_HAS] = {"has", 1},
};

const char *ear_column_name(unsigned id)
{
	return id < EAR_COLUMN_COUNT ? columns_known[id].name : NULL;
}

size_t ear_column_size(unsigned id)
{
	return id < EAR_COLUMN_COUNT ? columns_known[id].size : 0;
}

int ear_column_find(const char *name)
{
	for (int id = 0; id < EAR_COLUMN_COUNT; id++)
		if (strcmp(name, columns_known[id].name) == 0)
			return id;
	return EAR_E_BAD_ARGUMENT;
}

static const struct ear_record_register *first_x(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_X)
			return &record->registers[i];
	return NULL;
}

static unsigned has_of(const struct ear_record *record)
{
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
	uint32_t flags = record->flags;
	bool trap = flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	unsigned has = flags & EAR_RECORD_HAS_TIME ? EAR_HAS_TICKS : 0;

	if (instruction) {
		has |= EAR_HAS_PC;
		has |= flags & EAR_RECORD_NO_NEXT_PC ? 0 : EAR_HAS_NEXT_PC;
		has |= flags & EAR_RECORD_NO_OPCODE ? 0 : EAR_HAS_OPCODE;
		has |= flags & EAR_RECORD_NO_PRIVILEGE ? 0 : EAR_HAS_PRIVILEGE;
		has |= trap && !(flags & EAR_RECORD_NO_CAUSE) ? EAR_HAS_CAUSE : 0;
	}
	if (record->memory_count > 0)
		has |= EAR_HAS_ACCESS |
		       (ear_access_is_known(&record->memory[0]) ? EAR_HAS_DATA : 0u);
	return has;
}

/* The value of a column of any record, zero if it has none. */
static uint64_t value_of(const struct ear_record *record, unsigned id, unsigned has)
{
	const struct ear_record_register *x;

	switch (id) {
	case EAR_COLUMN_INDEX: return record->index;
	case EAR_COLUMN_TICKS: return has & EAR_HAS_TICKS ? record->ticks : 0;
	case EAR_COLUMN_PC: return has & EAR_HAS_PC ? record->pc : 0;
	case EAR_COLUMN_NEXT_PC: return has & EAR_HAS_NEXT_PC ? record->next_pc : 0;
	case EAR_COLUMN_OPCODE: return has & EAR_HAS_OPCODE ? record->opcode : 0;
	case EAR_COLUMN_CAUSE: return has & EAR_HAS_CAUSE ? record->cause : 0;
	case EAR_COLUMN_RD_VALUE: x = first_x(record); return x ? x->value : 0;
	case EAR_COLUMN_RD: x = first_x(record); return x ? x->number : 0;
	case EAR_COLUMN_ADDRESS: return has & EAR_HAS_ACCESS ? record->memory[0].address : 0;
	case EAR_COLUMN_DATA: return has & EAR_HAS_DATA ? record->memory[0].value : 0;
	case EAR_COLUMN_ACCESS_SIZE: return has & EAR_HAS_ACCESS ? record->memory[0].size : 0;
	case EAR_COLUMN_IS_WRITE: return has & EAR_HAS_ACCESS && record->memory[0].write;
	case EAR_COLUMN_FLAGS: return record->flags;
	case EAR_COLUMN_HART: return record->hart;
	case EAR_COLUMN_KIND: return record->kind;
	case EAR_COLUMN_PRIVILEGE: return has & EAR_HAS_PRIVILEGE ? record->privilege : 0;
	case EAR_COLUMN_OPCODE_SIZE: return has & EAR_HAS_OPCODE ? record->opcode_size : 0;
	case EAR_COLUMN_HAS: return has;
	default: return 0;
	}
}

static void put(const struct ear_column *column, size_t row, uint64_t value)
{
	switch (columns_known[column->id].size) {
	case 1: ((uint8_t *)column->values)[row] = (uint8_t)value; break;
	case 2: ((uint16_t *)column->values)[row] = (uint16_t)value; break;
	case 4: ((uint32_t *)column->values)[row] = (uint32_t)value; break;
	default: ((uint64_t *)column->values)[row] = value; break;
	}
}

static void fill_row(const struct ear_column *columns, size_t count, size_t row,
	const struct ear_batch *batch, const struct ear_record *record, size_t i)
{
	unsigned has = has_of(record);

	for (size_t c = 0; c < count; c++) {
		unsigned id = columns[c].id;
		put(&columns[c], row,
			id == EAR_COLUMN_POSITION ? batch->position + i
			: id == EAR_COLUMN_NUMBER ? batch->number + i
						  : value_of(record, id, has));
	}
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a type */
#define FILL(type, expression) \
	do { \
		type *to = (type *)column->values + row; \
		for (size_t i = 0; i < batch->count; i++) { \
			const struct ear_compact_record *compact = &batch->compacts[i]; \
			(void)compact; \
			to[i] = (type)(expression); \
		} \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

static unsigned compact_has(
	const struct ear_compact_run *run, const struct ear_compact_record *at, bool timed)
{
	unsigned has = timed ? EAR_HAS_TICKS | EAR_HAS_PC : EAR_HAS_PC;

	has |= run->flags & EAR_RECORD_NO_NEXT_PC ? 0u : EAR_HAS_NEXT_PC;
	has |= run->flags & EAR_RECORD_NO_OPCODE ? 0u : EAR_HAS_OPCODE;
	has |= run->flags & EAR_RECORD_NO_PRIVILEGE ? 0u : EAR_HAS_PRIVILEGE;
	return has | (at->size != EAR_COMPACT_NO_ACCESS ? EAR_HAS_ACCESS | EAR_HAS_DATA : 0u);
}

/* One column of a run. */
static void fill_column(const struct ear_column *column, size_t row, const struct ear_batch *batch)
{
	const struct ear_compact_run *run = batch->run;
	const uint32_t flags = run->flags;

#define TIMED  (i == 0 ? run->first_timed : run->all_timed)
#define ACCESS (compact->size != EAR_COMPACT_NO_ACCESS)
	switch (column->id) {
	case EAR_COLUMN_POSITION: FILL(uint64_t, batch->position + i); break;
	case EAR_COLUMN_NUMBER: FILL(uint64_t, batch->number + i); break;
	case EAR_COLUMN_INDEX: FILL(uint64_t, run->first_index + i); break;
	case EAR_COLUMN_TICKS: FILL(uint64_t, TIMED ? run->ticks + compact->ticks : 0); break;
	case EAR_COLUMN_PC: FILL(uint64_t, compact->pc); break;
	case EAR_COLUMN_NEXT_PC:
		FILL(uint64_t, flags & EAR_RECORD_NO_NEXT_PC ? 0 : compact->next_pc);
		break;
	case EAR_COLUMN_OPCODE:
		FILL(uint64_t, flags & EAR_RECORD_NO_OPCODE ? 0 : compact->opcode);
		break;
	case EAR_COLUMN_CAUSE: FILL(uint64_t, 0); break;
	case EAR_COLUMN_RD_VALUE: FILL(uint64_t, compact->rd ? compact->result : 0); break;
	case EAR_COLUMN_ADDRESS: FILL(uint64_t, ACCESS ? compact->address : 0); break;
	case EAR_COLUMN_DATA: FILL(uint64_t, ACCESS ? compact->data : 0); break;
	case EAR_COLUMN_FLAGS:
		FILL(uint32_t, flags | (compact->flags & (uint32_t)EAR_RECORD_TAKEN) |
				       (TIMED ? (uint32_t)EAR_RECORD_HAS_TIME : 0));
		break;
	case EAR_COLUMN_HART: FILL(uint16_t, run->hart); break;
	case EAR_COLUMN_KIND: FILL(uint8_t, EAR_RECORD_INSTRUCTION); break;
	case EAR_COLUMN_PRIVILEGE:
		FILL(uint8_t, flags & EAR_RECORD_NO_PRIVILEGE ? 0 : run->privilege);
		break;
	case EAR_COLUMN_OPCODE_SIZE:
		FILL(uint8_t, flags & EAR_RECORD_NO_OPCODE ? 0 : compact->opcode_size);
		break;
	case EAR_COLUMN_RD: FILL(uint8_t, compact->rd); break;
	case EAR_COLUMN_ACCESS_SIZE: FILL(uint8_t, ACCESS ? compact->size : 0); break;
	case EAR_COLUMN_IS_WRITE:
		FILL(uint8_t, ACCESS && compact->flags & EAR_COMPACT_WRITE);
		break;
	case EAR_COLUMN_HAS: FILL(uint8_t, compact_has(run, compact, TIMED)); break;
	}
#undef TIMED
#undef ACCESS
}

static int check_columns(
	struct ear_trace *trace, const struct ear_column *columns, size_t count, size_t rows)
{
	if (rows > INT64_MAX)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "too many rows");
	for (size_t i = 0; i < count; i++)
		if (columns[i].id >= EAR_COLUMN_COUNT || !columns[i].values ||
			(uintptr_t)columns[i].values % columns_known[columns[i].id].size)
			return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
				"column %zu is none, or has no memory that is aligned", i);
	return 0;
}

int64_t ear_trace_columns(struct ear_trace *trace, const struct ear_column *columns, size_t count,
	size_t rows, unsigned kinds, size_t *filled, const struct ear_progress *progress)
{
	struct ear_batch batch;
	struct ear_meter meter;
	size_t row = 0;

	int result = check_columns(trace, columns, count, rows);
	ear_meter_begin(&meter, progress, "reading", kinds ? 0 : rows);
	trace->reporting = true;
	while (result == 0 && row < rows) {
		result = ear_cursor_next_batch(&trace->reading, &batch, rows - row);
		if (result <= 0)
			break;
		result = ear_meter_pass(&meter, batch.count);
		if (batch.run && (kinds == 0 || kinds & 1u << EAR_RECORD_INSTRUCTION)) {
			for (size_t c = 0; c < count; c++)
				fill_column(&columns[c], row, &batch);
			row += batch.count;
			trace->xlen = trace->xlen ? trace->xlen : batch.run->xlen;
		} else if (batch.record && (kinds == 0 || kinds >> batch.record->kind & 1)) {
			fill_row(columns, count, row, &batch, batch.record, 0);
			row++;
		}
	}
	trace->reporting = false;
	if (filled)
		*filled = row;
	if (result < 0 && (result != EAR_E_BAD_ARGUMENT || trace->report_ended))
		return ear_trace_fail_reading(trace, &trace->reading, result);
	return result < 0 ? result : (int64_t)row;
}
