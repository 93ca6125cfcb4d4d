/* The file of a cursor: a trace with its program, or a program alone. It stays open from one query
 * to the next one of the same parameters, as a join makes them.
 */
#include "library/sqlite/table_open.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_NAME, PROGRAM, FORMAT, UNIT, PARAMETERS };

static void close_file(struct cursor *cursor)
{
	ear_trace_close(cursor->trace);
	ear_flow_code_free(cursor->code);
	if (cursor->names != cursor->lent)
		ear_names_close(cursor->names);
	ear_instructions_free(cursor->instructions);
	sqlite3_free(cursor->names_fault);
	cursor->trace = NULL;
	cursor->code = NULL;
	cursor->names = NULL;
	cursor->instructions = NULL;
	cursor->names_fault = NULL;
}

void cursor_close(struct cursor *cursor)
{
	close_file(cursor);
	for (unsigned i = 0; i < PARAMETERS; i++) {
		sqlite3_free(cursor->parameters[i]);
		sqlite3_free(cursor->next_parameters[i]);
		cursor->parameters[i] = cursor->next_parameters[i] = NULL;
	}
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Take the parameters of the query. Returns whether they are those of the open file. */
static bool take_parameters(struct cursor *cursor)
{
	bool same = true;

	for (unsigned i = 0; i < PARAMETERS; i++) {
		same &= is_same(cursor->parameters[i], cursor->next_parameters[i]);
		sqlite3_free(cursor->parameters[i]);
		cursor->parameters[i] = cursor->next_parameters[i];
		cursor->next_parameters[i] = NULL;
	}
	return same;
}

static int open_names(struct cursor *cursor)
{
	cursor->names = cursor->lent;
	return cursor->lent ? 0 : ear_names_open(&cursor->names);
}

/* The program that was given. Its faults are errors. */
static int open_program(struct cursor *cursor, const char *program)
{
	int result = open_names(cursor);

	if (result == 0)
		result = ear_names_add(cursor->names, program, 0);
	if (result < 0 && cursor->names)
		cursor_fail(cursor, ear_names_message(cursor->names));
	return result < 0 ? result : 0;
}

/* The program that the trace names. Without it the columns of names are NULL, and trace_info says
 * why. */
static int find_program(struct cursor *cursor)
{
	int result = open_names(cursor);

	if (result == 0)
		result = ear_trace_add_program(cursor->trace, cursor->names);
	if (result == EAR_E_NO_MEMORY)
		return result;
	if (result < 0)
		cursor->names_fault = sqlite3_mprintf("%s", ear_trace_error(cursor->trace));
	return 0;
}

static int open_trace(struct cursor *cursor)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;

	options.error = cursor->error;
	options.index = EAR_INDEX_EXISTING;
	options.format = cursor->parameters[FORMAT];
	options.unit = cursor->parameters[UNIT];
	options.progress = &cursor->progress;
	if (cursor->parameters[PROGRAM]) {
		int result = open_program(cursor, cursor->parameters[PROGRAM]);
		/* Of a trace that is none of branches the code is not needed, and may be of another
		 * instruction set. */
		if (result == 0 && ear_flow_code_of_names(&cursor->code, cursor->names, NULL) == 0)
			options.code = cursor->code;
		if (result)
			return result;
	}
	return ear_trace_open(&cursor->trace, cursor->parameters[FILE_NAME], &options);
}

/* Is it a trace of RISC-V, whose registers have the standard names? Others are read in full. */
static int drop_register(struct cursor *cursor)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct ear_record *record;
	uint8_t isa = EAR_ISA_UNKNOWN;
	int result = ear_trace_facts(cursor->trace, &facts);

	if (result == 0 && facts.seekable) {
		do
			result = ear_trace_next(cursor->trace, &record);
		while (result == 1 && record->kind != EAR_RECORD_INSTRUCTION);
		if (result == 1)
			isa = record->isa;
		if (result >= 0)
			result = ear_trace_seek(cursor->trace, 0, NULL);
	}
	if (isa != EAR_ISA_RISCV)
		cursor->wanted.query.has_register = false;
	return result < 0 ? result : 0;
}

int cursor_open(struct cursor *cursor)
{
	const struct table *table = cursor->table;
	bool same = take_parameters(cursor);
	int result = 0;

	if (!cursor->parameters[FILE_NAME] && table->parameters > 1) {
		cursor_fail(cursor, "the file is missing, as in trace('t.shot')");
		return EAR_E_BAD_ARGUMENT;
	}
	if (!same)
		close_file(cursor);
	if (table->parameters == 1)
		return cursor->names ? 0 : open_program(cursor, cursor->parameters[PROGRAM]);
	if (!cursor->trace)
		result = open_trace(cursor);
	if (result == 0 && !cursor->instructions)
		result = ear_instructions_new(&cursor->instructions, NULL, NULL);
	if (result == 0 && !cursor->names && cursor->used & table->names_for)
		result = find_program(cursor);
	if (result == 0 && cursor->wanted.query.has_register)
		result = drop_register(cursor);
	if (result < 0 && cursor->trace && !cursor->error[0])
		cursor_fail(cursor, ear_trace_error(cursor->trace));
	return result;
}
