/* The rows that a cursor holds: some at a time, in one array, with their texts in another. */
#include "library/sqlite/cursor.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_FIRST = 16, ROWS_MOST = 1024 };

struct cell *cursor_add_row(struct cursor *cursor)
{
	size_t count = cursor->table->count;

	if (cursor->row_count == cursor->row_room) {
		size_t room = cursor->row_room ? cursor->row_room * 2 : ROWS_FIRST;
		struct cell *cells = realloc(cursor->cells, room * count * sizeof(*cells));
		if (!cells) {
			cursor->no_memory = true;
			return NULL;
		}
		cursor->cells = cells;
		cursor->row_room = room;
	}
	struct cell *row = &cursor->cells[cursor->row_count++ * count];
	memset(row, 0, count * sizeof(*row));
	return row;
}

static struct cell *cell_of(struct cursor *cursor, unsigned column)
{
	if (!cursor_uses(cursor, column) || cursor->no_memory)
		return NULL;
	return &cursor->cells[(cursor->row_count - 1) * cursor->table->count + column];
}

void cursor_set_integer(struct cursor *cursor, unsigned column, uint64_t value)
{
	struct cell *cell = cell_of(cursor, column);

	if (cell)
		*cell = (struct cell){.type = CELL_INTEGER, .value.integer = (int64_t)value};
}

void cursor_set_literal(struct cursor *cursor, unsigned column, const char *text)
{
	struct cell *cell = cell_of(cursor, column);

	if (cell && text)
		*cell = (struct cell){.type = CELL_LITERAL, .value.literal = text};
}

static void set_bytes(
	struct cursor *cursor, unsigned column, enum cell_type type, const void *bytes, size_t size)
{
	struct cell *cell = cell_of(cursor, column);

	if (!cell || size > INT32_MAX)
		return;
	if (cursor->byte_room - cursor->byte_count < size) {
		size_t room = (cursor->byte_room + size) * 2 + 256;
		char *grown = realloc(cursor->bytes, room);
		if (!grown) {
			cursor->no_memory = true;
			return;
		}
		cursor->bytes = grown;
		cursor->byte_room = room;
	}
	*cell = (struct cell){
		.type = (uint8_t)type, .size = (uint32_t)size, .value.offset = cursor->byte_count};
	if (size > 0)
		memcpy(cursor->bytes + cursor->byte_count, bytes, size);
	cursor->byte_count += size;
}

void cursor_set_text(struct cursor *cursor, unsigned column, const char *text, size_t size)
{
	set_bytes(cursor, column, CELL_TEXT, text, size);
}

void cursor_set_string(struct cursor *cursor, unsigned column, const char *text)
{
	if (text)
		set_bytes(cursor, column, CELL_TEXT, text, strlen(text));
}

void cursor_set_blob(struct cursor *cursor, unsigned column, const void *bytes, size_t size)
{
	set_bytes(cursor, column, CELL_BLOB, bytes, size);
}

void cursor_set_function(struct cursor *cursor, unsigned column, uint64_t pc)
{
	struct ear_function function = {.size = sizeof(function)};

	if (cursor_uses(cursor, column) && cursor->names &&
		ear_names_function_at(cursor->names, pc, &function))
		cursor_set_string(cursor, column, function.name);
}

size_t cursor_goal(const struct cursor *cursor)
{
	return cursor->row_id < ROWS_MOST ? ROWS_FIRST + (size_t)cursor->row_id : ROWS_MOST;
}

void cursor_fail(struct cursor *cursor, const char *text)
{
	sqlite3_snprintf((int)sizeof(cursor->error), cursor->error, "%s", text);
}

const char *record_kind_name(unsigned kind)
{
	static const char *const names[] = {
		[EAR_RECORD_INSTRUCTION] = "instruction",
		[EAR_RECORD_GAP] = "gap",
		[EAR_RECORD_EVENT] = "event",
		[EAR_RECORD_MEMORY] = "memory",
		[EAR_RECORD_IDLE] = "idle",
		[EAR_RECORD_REGISTERS] = "registers",
		[EAR_RECORD_NOTE] = "note",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

const char *record_privilege_name(unsigned privilege)
{
	static const char *const names[] = {
		[EAR_PRIVILEGE_U] = "U",
		[EAR_PRIVILEGE_S] = "S",
		[EAR_PRIVILEGE_RESERVED] = "reserved",
		[EAR_PRIVILEGE_M] = "M",
		[EAR_PRIVILEGE_VU] = "VU",
		[EAR_PRIVILEGE_VS] = "VS",
		[EAR_PRIVILEGE_DEBUG] = "D",
	};

	return privilege < sizeof(names) / sizeof(names[0]) ? names[privilege] : NULL;
}

bool cursor_is_interrupted(struct cursor *cursor)
{
	/* An interrupt ends every statement of the connection, from its first step on, as long as
	 * the query runs that it was meant for. It ends the preparing of one, too. */
	int result = SQLITE_OK;

	if (!cursor->probe)
		result = sqlite3_prepare_v2(cursor->db, "SELECT 1", -1, &cursor->probe, NULL);
	if (!cursor->interrupted && result == SQLITE_OK)
		result = sqlite3_step(cursor->probe);
	cursor->interrupted |= result == SQLITE_INTERRUPT;
	(void)sqlite3_reset(cursor->probe);
	return cursor->interrupted;
}
