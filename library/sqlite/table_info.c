/* trace_info: what a trace has, and what is missing; program_symbols: what a program has. */
#include <earshot/error.h>
#include <stdlib.h>

#include "library/sqlite/tables.h"

enum {
	FORMAT,
	XLEN,
	RECORDS,
	INSTRUCTIONS,
	EXCEPTIONS,
	INTERRUPTS,
	GAPS,
	EVENTS,
	FIRST_TICKS,
	LAST_TICKS,
	PROGRAM,
	PROGRAM_FAULT,
	COMPLETE,
	MISSING,
	FAULT,
	HAS_INDEX,
};

static const struct table_column columns[] = {
	{"trace_format", "TEXT", TERM_NONE},
	{"xlen", "INTEGER", TERM_NONE},
	{"records", "INTEGER", TERM_NONE},
	{"instructions", "INTEGER", TERM_NONE},
	{"exceptions", "INTEGER", TERM_NONE},
	{"interrupts", "INTEGER", TERM_NONE},
	{"gaps", "INTEGER", TERM_NONE},
	{"events", "INTEGER", TERM_NONE},
	{"first_ticks", "INTEGER", TERM_NONE},
	{"last_ticks", "INTEGER", TERM_NONE},
	{"names", "TEXT", TERM_NONE},
	{"names_fault", "TEXT", TERM_NONE},
	{"complete", "INTEGER", TERM_NONE},
	{"missing", "TEXT", TERM_NONE},
	{"fault", "TEXT", TERM_NONE},
	{"has_index", "INTEGER", TERM_NONE},
	TABLE_PARAMETERS,
};

static int begin(struct cursor *cursor)
{
	cursor->from = 0;
	return 0;
}

static void add_counts(struct cursor *cursor, const struct ear_trace_counts *counts)
{
	cursor_set_integer(cursor, RECORDS, counts->records);
	cursor_set_integer(cursor, INSTRUCTIONS, counts->instructions);
	cursor_set_integer(cursor, EXCEPTIONS, counts->exceptions);
	cursor_set_integer(cursor, INTERRUPTS, counts->interrupts);
	cursor_set_integer(cursor, GAPS, counts->gaps);
	cursor_set_integer(cursor, EVENTS, counts->events);
	if (counts->has_time) {
		cursor_set_integer(cursor, FIRST_TICKS, counts->first_ticks);
		cursor_set_integer(cursor, LAST_TICKS, counts->last_ticks);
	}
}

static void add_missing(struct cursor *cursor, const struct ear_missing *missing)
{
	char text[EAR_TRACE_ERROR_MAX];

	/* Of a text nobody knows whether it was to go on. */
	if (missing->verdict != EAR_UNKNOWN)
		cursor_set_integer(cursor, COMPLETE, missing->verdict == EAR_WHOLE);
	if (ear_missing_text(missing, text, sizeof(text)) > 0)
		cursor_set_string(cursor, MISSING, text);
	cursor_set_string(cursor, FAULT, missing->fault);
}

static void add_names(struct cursor *cursor)
{
	const struct ear_names_file *file = cursor->names ? ear_names_file(cursor->names, 0) : NULL;

	if (file)
		cursor_set_string(cursor, PROGRAM, file->path);
	cursor_set_string(cursor, PROGRAM_FAULT, cursor->names_fault);
}

static int fill(struct cursor *cursor)
{
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	struct ear_missing missing = {.size = sizeof(missing)};
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct ear_record *first;

	if (cursor->from == UINT64_MAX)
		return 0;
	cursor->from = UINT64_MAX;
	/* Its first record shows the XLEN. */
	int result = ear_trace_next(cursor->trace, &first);
	if (result >= 0)
		result = ear_trace_counts(cursor->trace, &counts, &cursor->progress);
	if (result == 0)
		result = ear_trace_missing(
			cursor->trace, 0, UINT64_MAX, &missing, &cursor->progress);
	if (result == 0)
		result = ear_trace_facts(cursor->trace, &facts);
	if (result) {
		cursor_fail(cursor, ear_trace_error(cursor->trace));
		return result;
	}
	if (!cursor_add_row(cursor))
		return EAR_E_NO_MEMORY;
	cursor_set_string(cursor, FORMAT, facts.format);
	if (facts.xlen)
		cursor_set_integer(cursor, XLEN, facts.xlen);
	add_counts(cursor, &counts);
	add_names(cursor);
	add_missing(cursor, &missing);
	cursor_set_integer(cursor, HAS_INDEX, facts.has_index);
	return 0;
}

const struct table table_info = {
	.name = "trace_info",
	.columns = columns,
	.count = sizeof(columns) / sizeof(columns[0]),
	.parameters = 4,
	.names_for = 1u << PROGRAM | 1u << PROGRAM_FAULT,
	.begin = begin,
	.fill = fill,
};

/* program_symbols ----------------------------------------------------------------------------- */

enum { SYMBOL_NAME, SYMBOL_ADDRESS, SYMBOL_SIZE, SYMBOL_KIND, SYMBOL_GLOBAL };

static const struct table_column symbol_columns[] = {
	{"name", "TEXT", TERM_NONE},
	{"address", "INTEGER", TERM_NONE},
	{"size", "INTEGER", TERM_NONE},
	{"kind", "TEXT", TERM_NONE},
	{"global", "INTEGER", TERM_NONE},
	{"program", "TEXT", TERM_PROGRAM},
};

static int fill_symbols(struct cursor *cursor)
{
	static const char *const kinds[] = {[EAR_NAMES_LABEL] = "label",
		[EAR_NAMES_FUNCTION] = "function",
		[EAR_NAMES_OBJECT] = "object"};
	const struct ear_symbol *list;
	size_t count = ear_names_symbols(cursor->names, &list);
	size_t goal = cursor_goal(cursor);

	for (; cursor->from < count && cursor->row_count < goal; cursor->from++) {
		const struct ear_symbol *symbol = &list[cursor->from];
		if (!cursor_add_row(cursor))
			return EAR_E_NO_MEMORY;
		cursor_set_string(cursor, SYMBOL_NAME, symbol->name);
		cursor_set_integer(cursor, SYMBOL_ADDRESS, symbol->address);
		if (symbol->size)
			cursor_set_integer(cursor, SYMBOL_SIZE, symbol->size);
		cursor_set_literal(cursor, SYMBOL_KIND, kinds[symbol->kind]);
		cursor_set_integer(cursor, SYMBOL_GLOBAL, symbol->is_global);
	}
	return 0;
}

const struct table table_symbols = {
	.name = "program_symbols",
	.columns = symbol_columns,
	.count = sizeof(symbol_columns) / sizeof(symbol_columns[0]),
	.parameters = 1,
	.begin = begin,
	.fill = fill_symbols,
};
