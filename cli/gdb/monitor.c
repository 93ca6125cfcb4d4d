/* Monitor commands: what GDB has no word for. Each prints to a memory stream, which goes to GDB's
 * console.
 */
#include "cli/gdb/monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/address.h>
#include <earshot/error.h>
#include <earshot/infer.h>
#include <earshot/moment_text.h>

#include "cli/gdb/console.h"
#include "cli/gdb/divert.h"
#include "cli/gdb/harts.h"
#include "cli/gdb/monitor_answers.h"
#include "cli/gdb/target.h"

/* ---- Records. ---- */

/* The value is not of the trace itself. */
static bool is_inferred_register(
	const struct ear_record *record, const struct ear_record_register *reg)
{
	const struct ear_record_inferred *found = record->extra ? record->extra->inferred : NULL;

	for (size_t i = 0; found && i < found->register_count; i++)
		if (found->registers[i].reg_class == reg->reg_class &&
			found->registers[i].number == reg->number)
			return true;
	return false;
}

static bool is_inferred_access(
	const struct ear_record *record, const struct ear_record_access *access)
{
	const struct ear_record_inferred *found = record->extra ? record->extra->inferred : NULL;

	for (size_t i = 0; found && i < found->memory_count; i++)
		if (found->memory[i].write == access->write &&
			found->memory[i].address == access->address)
			return true;
	return false;
}

static void print_register(struct ear_gdb_monitor *monitor, const struct ear_record *record,
	const struct ear_record_register *reg)
{
	char name[64];

	if (reg->reg_class == EAR_REGISTER_V)
		return;
	if (reg->reg_class == EAR_REGISTER_NAMED)
		snprintf(name, sizeof(name), "%.*s", (int)reg->text_size, reg->text.name);
	else
		ear_register_name(
			(enum ear_register_class)reg->reg_class, reg->number, name, sizeof(name));
	fputs("  ", monitor->out);
	ear_gdb_print_foreign(monitor, name);
	fprintf(monitor->out, " = 0x%" PRIx64 "%s\n", reg->value,
		is_inferred_register(record, reg) ? " (inferred)" : "");
}

static void print_access(struct ear_gdb_monitor *monitor, const struct ear_record *record,
	const struct ear_record_access *access)
{
	fprintf(monitor->out, "  %s ", access->write ? "wrote" : "read");
	if (access->has_value)
		fprintf(monitor->out, "0x%" PRIx64 " ", access->value);
	fprintf(monitor->out, "(%u byte%s) at ", access->size, access->size == 1 ? "" : "s");
	ear_gdb_print_place(monitor, access->address);
	fputs(is_inferred_access(record, access) ? " (inferred)\n" : "\n", monitor->out);
}

static void print_instruction(struct ear_gdb_monitor *monitor, const struct ear_record *record)
{
	char text[256];

	if (record->flags & EAR_RECORD_INTERRUPT) {
		fprintf(monitor->out, "an interrupt, cause 0x%" PRIx64 "\n",
			record->cause & INT32_MAX);
		return;
	}
	ear_instruction_text(monitor->session->instructions, record, text, sizeof(text));
	ear_gdb_print_foreign(monitor, text);
	if (record->flags & EAR_RECORD_TRAP)
		fprintf(monitor->out, "   trapped, cause 0x%" PRIx64, record->cause);
	fputs("\n", monitor->out);
}

/* A record in full: its number, its place, what it did. */
static void print_record(
	struct ear_gdb_monitor *monitor, const struct ear_record *record, uint64_t number)
{
	if (record->kind == EAR_RECORD_GAP) {
		fprintf(monitor->out, "before #%" PRIu64 ", a gap: %s\n", number,
			ear_gap_reason_text(record->u.gap.reason));
		return;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION) {
		fprintf(monitor->out, "before #%" PRIu64 ", an event\n", number);
		return;
	}
	fprintf(monitor->out, "#%" PRIu64 " ", number);
	if (monitor->session->hart_count > 1)
		fprintf(monitor->out, "hart %u ", record->hart);
	ear_gdb_print_place(monitor, record->pc);
	fputs("  ", monitor->out);
	print_instruction(monitor, record);
	for (size_t i = 0; i < record->register_count; i++)
		print_register(monitor, record, &record->registers[i]);
	for (size_t i = 0; i < record->memory_count; i++)
		print_access(monitor, record, &record->memory[i]);
}

/* ---- The present. ---- */

static void print_when(struct ear_gdb_monitor *monitor)
{
	struct ear_gdb_replay *replay = monitor->replay;
	uint64_t number = ear_gdb_number(replay);
	const struct ear_record *record = ear_gdb_record(replay);

	if (!record)
		fprintf(monitor->out, "at the end, after %" PRIu64 " instructions\n", number);
	else
		fprintf(monitor->out, "before #%" PRIu64 "%s\n", number,
			record->kind == EAR_RECORD_GAP ? ", at a gap" : "");
	if (record && record->flags & EAR_RECORD_HAS_TIME)
		fprintf(monitor->out, "time %" PRIu64 "\n", record->ticks);
}

static void do_when(struct ear_gdb_monitor *monitor, const char *text)
{
	(void)text;
	print_when(monitor);
}

static void do_record(struct ear_gdb_monitor *monitor, const char *text)
{
	uint64_t number = ear_gdb_number(monitor->replay);
	const struct ear_record *record = ear_gdb_record(monitor->replay);

	(void)text;
	if (record)
		print_record(monitor, record, number);
	else
		print_when(monitor);
}

/* ---- Places. ---- */

static bool take_number(const char *text, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*number = strtoull(text, &end, 0);
	return *end == '\0';
}

/* A mark, or any moment of the library (docs/moments.md). "event NAME", the older form, is the
 * next one from here on. Returns 1; 0: there is none; or an error: the trace has the sentence.
 */
static int find_place(struct ear_gdb_monitor *monitor, const char *text, uint64_t *position)
{
	const struct ear_progress *progress = &monitor->replay->progress;
	struct ear_moment_place place = {.size = sizeof(place)};
	int marked = ear_gdb_find_mark(monitor, text, position);

	if (marked != 0)
		return marked;
	if (strncmp(text, "event ", 6) == 0) {
		int result = ear_trace_seek_event(monitor->trace, text + strspn(text + 5, " ") + 5,
			monitor->replay->present, progress);
		*position = ear_trace_position(monitor->trace);
		return result;
	}
	int result = ear_trace_find_moment(monitor->trace, text, monitor->session->options->names,
		ear_gdb_number(monitor->replay), &place, progress);
	*position = place.before;
	return result;
}

static void do_goto(struct ear_gdb_monitor *monitor, const char *text)
{
	struct ear_gdb_session *session = monitor->session;
	uint64_t position;

	if (!*text) {
		fputs("where to? an instruction's number (12, +5, -5), @TIME, begin, end, trap, "
		      "event=NAME, a function, FILE:LINE, or a mark\n",
			monitor->out);
		return;
	}
	int result = find_place(monitor, text, &position);
	if (result == 0 || result == EAR_E_BAD_ARGUMENT) {
		fputs(ear_trace_error(monitor->trace), monitor->out);
		fputs("; and no mark is called that\n", monitor->out);
		return;
	}
	if (result == 1)
		result = ear_gdb_goto(monitor->replay, position);
	if (result < 0) {
		ear_gdb_print_error(monitor);
		return;
	}
	if (session->task == 0)
		session->hart = ear_gdb_hart(monitor->replay);
	session->stop = (struct ear_gdb_stop){.hart = session->hart};
	ear_gdb_note_harts(session);
	do_record(monitor, "");
	fputs("(if GDB still shows where it was before: maintenance flush register-cache, and "
	      "maintenance flush dcache)\n",
		monitor->out);
}

/* ---- Last and next. ---- */

/* The hart at the present, for addresses that are read there. Registers have their DWARF numbers.
 */
static bool view_register(void *context, unsigned number, uint64_t *value)
{
	struct ear_gdb_monitor *monitor = context;
	unsigned wanted = number < 32     ? number
			  : number < 64   ? number - 32 + EAR_GDB_F0
			  : number < 4096 ? EAR_GDB_COUNT
					  : number - 4096 + EAR_GDB_CSR0;

	return ear_gdb_register(monitor->replay, monitor->session->hart, wanted, value);
}

static bool view_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	struct ear_gdb_monitor *monitor = context;

	return ear_history_memory(monitor->replay->history, address, bytes, known, size,
		       &monitor->replay->progress) >= 0;
}

static int view_named(void *context, const char *name, uint64_t *value)
{
	struct ear_gdb_monitor *monitor = context;
	enum ear_register_class reg_class;
	unsigned number;

	if (strcmp(name, "pc") == 0)
		return ear_gdb_pc(monitor->replay, monitor->session->hart, value);
	if (ear_register_find(name, &reg_class, &number) || reg_class > EAR_REGISTER_CSR)
		return -1;
	number += reg_class == EAR_REGISTER_F     ? EAR_GDB_F0
		  : reg_class == EAR_REGISTER_CSR ? EAR_GDB_CSR0
						  : 0;
	return ear_gdb_register(monitor->replay, monitor->session->hart, number, value);
}

static bool parse_address(
	struct ear_gdb_monitor *monitor, const char *text, struct ear_address *address)
{
	char message[EAR_ADDRESS_MESSAGE_MAX];
	struct ear_moment_view view = {.size = sizeof(view),
		.read_register = view_register,
		.read_memory = view_memory,
		.read_named = view_named,
		.context = monitor};

	*address = (struct ear_address){.size = sizeof(*address)};
	(void)ear_gdb_pc(monitor->replay, monitor->session->hart, &view.pc);
	if (ear_address_parse(address, text, strlen(text), monitor->session->options->names, &view,
		    message) == 0)
		return true;
	fprintf(monitor->out, "%s\n", message);
	return false;
}

/* A register, or an address: what was executed there, else what was written. */
static bool make_query(struct ear_gdb_monitor *monitor, const char *text, struct ear_query *query,
	struct ear_address *address, const char **verb)
{
	enum ear_register_class reg_class;
	unsigned number;

	if (ear_register_find(text + (text[0] == '$'), &reg_class, &number) == 0) {
		query->hart = monitor->session->hart;
		query->has_register = true;
		query->register_class = (uint8_t)reg_class;
		query->register_number = (uint16_t)number;
		*verb = "wrote";
		return true;
	}
	if (!parse_address(monitor, text, address))
		return false;
	if (ear_address_is_code(address, monitor->names)) {
		query->pcs = address->ranges;
		query->pc_count = address->count;
		*verb = "executed";
	} else {
		if (address->is_point && !address->has_size)
			address->ranges[0].last = address->ranges[0].first;
		query->addresses = address->ranges;
		query->address_count = address->count;
		query->accesses = EAR_QUERY_WRITE;
		*verb = "wrote";
	}
	return true;
}

static void find(struct ear_gdb_monitor *monitor, const char *text, enum ear_direction direction)
{
	struct ear_query query = EAR_QUERY_ANY;
	struct ear_address address;
	const struct ear_record *record;
	const char *verb;
	uint64_t position;

	if (!*text) {
		fputs("what? an address, a symbol, a variable or a register\n", monitor->out);
		return;
	}
	if (!make_query(monitor, text, &query, &address, &verb))
		return;
	/* What comes next is not what is found here already. */
	uint64_t from = monitor->replay->present + (direction == EAR_FORWARD);
	int result = ear_trace_find(
		monitor->trace, &query, from, direction, &position, &monitor->replay->progress);
	if (result == 0) {
		fprintf(monitor->out, "nothing %s it %s here\n", verb,
			direction == EAR_FORWARD ? "after" : "before");
		return;
	}
	if (result == 1)
		result = ear_trace_seek(monitor->trace, position, &monitor->replay->progress);
	uint64_t number = ear_trace_number(monitor->trace);
	if (result == 1)
		result = ear_trace_next(monitor->trace, &record);
	if (result == 1)
		print_record(monitor, record, number);
	else
		ear_gdb_print_error(monitor);
}

static void do_last(struct ear_gdb_monitor *monitor, const char *text)
{
	find(monitor, text, EAR_BACKWARD);
}

static void do_next(struct ear_gdb_monitor *monitor, const char *text)
{
	find(monitor, text, EAR_FORWARD);
}

/* ---- Every change of something. ---- */

#define CHANGES_DEFAULT 20u
#define CHANGES_MAX     1000u

/* A value in memory, of 1 to 8 bytes, over time. */
struct changes {
	struct ear_span span;
	uint64_t value; /* after the record that is looked at */
	bool known;
	unsigned printed, max;
};

/* The value before the record at position. Returns 0 or an error of the trace. */
static int value_at(struct ear_gdb_monitor *monitor, const struct changes *changes,
	uint64_t position, uint64_t *value, bool *known)
{
	struct ear_history *history = monitor->replay->history;
	size_t size = (size_t)(changes->span.last - changes->span.first) + 1;
	uint8_t bytes[8];
	int result = ear_history_move(history, position, &monitor->replay->progress);

	*value = 0;
	if (result)
		return result;
	int64_t count = ear_history_memory(
		history, changes->span.first, bytes, NULL, size, &monitor->replay->progress);
	*known = count == (int64_t)size;
	for (size_t i = size; *known && i-- > 0;)
		*value = *value << 8 | bytes[i];
	return count < 0 ? (int)count : 0;
}

static void print_value(struct ear_gdb_monitor *monitor, uint64_t value, bool known)
{
	if (known)
		fprintf(monitor->out, "0x%" PRIx64, value);
	else
		fputs("?", monitor->out);
}

/* The write at position, if it changed the value. Returns 0 or an error of the trace. */
static int print_change(struct ear_gdb_monitor *monitor, struct changes *changes, uint64_t position)
{
	uint64_t before;
	bool known;
	int result = value_at(monitor, changes, position, &before, &known);

	if (result)
		return result;
	if (known != changes->known || before != changes->value) {
		const struct ear_record *record =
			ear_history_record(monitor->replay->history, position);
		struct ear_batch batch = {.size = sizeof(batch)};
		uint64_t pc = record ? record->pc : 0;
		ear_history_batch(monitor->replay->history, position, &batch);
		fprintf(monitor->out, "#%-10" PRIu64 " ", batch.number);
		print_value(monitor, before, known);
		fputs(" -> ", monitor->out);
		print_value(monitor, changes->value, changes->known);
		fputs("  ", monitor->out);
		ear_gdb_print_place(monitor, pc);
		fputs("\n", monitor->out);
		changes->printed++;
	}
	changes->value = before;
	changes->known = known;
	return 0;
}

static int print_changes(struct ear_gdb_monitor *monitor, struct changes *changes)
{
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position = monitor->replay->present;
	int result = value_at(monitor, changes, position, &changes->value, &changes->known);

	query.addresses = &changes->span;
	query.address_count = 1;
	query.accesses = EAR_QUERY_WRITE;
	while (result == 0 && changes->printed < changes->max) {
		result = ear_trace_find(monitor->trace, &query, position, EAR_BACKWARD, &position,
			&monitor->replay->progress);
		if (result <= 0)
			return result;
		result = print_change(monitor, changes, position);
	}
	return result;
}

static void do_history(struct ear_gdb_monitor *monitor, const char *text)
{
	struct changes changes = {.max = CHANGES_DEFAULT};
	char what[256];
	size_t size = strcspn(text, " ");
	const char *count = text + size + strspn(text + size, " ");
	struct ear_address address;
	uint64_t max;

	if (*count && take_number(count, &max) && max > 0 && max <= CHANGES_MAX)
		changes.max = (unsigned)max;
	else if (*count || size == 0 || size >= sizeof(what)) {
		fprintf(monitor->out,
			"of what? a line, a function, a variable or ADDRESS:SIZE, and how many, at most "
			"%u\n",
			CHANGES_MAX);
		return;
	}
	memcpy(what, text, size);
	what[size] = '\0';
	if (!parse_address(monitor, what, &address))
		return;
	if (address.kind == EAR_ADDRESS_LINE || ear_address_is_code(&address, monitor->names)) {
		ear_gdb_print_executions(monitor, &address, what, changes.max);
		return;
	}
	changes.span = address.ranges[0];
	if (address.count != 1 || changes.span.last - changes.span.first > 7) {
		fputs("that is more than 8 bytes: a part of it, please\n", monitor->out);
		return;
	}
	int result = print_changes(monitor, &changes);
	if (result == 0 && changes.printed == 0)
		fputs("nothing changed it before here\n", monitor->out);
	/* Back to the present. */
	if (result == 0)
		result = ear_history_move(monitor->replay->history, monitor->replay->present,
			&monitor->replay->progress);
	if (result < 0)
		ear_gdb_print_error(monitor);
}

/* ---- How it stops and steps. ---- */

static void print_caught(struct ear_gdb_monitor *monitor)
{
	const struct ear_gdb_replay *replay = monitor->replay;
	static const char *const what[] = {
		"nothing is", "exceptions are", "interrupts are", "exceptions and interrupts are"};

	fprintf(monitor->out, "%s caught", what[replay->caught & 3]);
	if (replay->caught && replay->has_cause)
		fprintf(monitor->out, ", of cause 0x%" PRIx64, replay->cause);
	fputs("\n", monitor->out);
}

static void do_catch(struct ear_gdb_monitor *monitor, const char *text)
{
	static const struct {
		const char *name;
		unsigned set;
	} kinds[] = {{"trap", EAR_QUERY_EXCEPTION | EAR_QUERY_INTERRUPT},
		{"exception", EAR_QUERY_EXCEPTION}, {"interrupt", EAR_QUERY_INTERRUPT}, {"off", 0}};
	struct ear_gdb_replay *replay = monitor->replay;
	size_t size = strcspn(text, " "), kind = 0;
	const char *cause = text + size + strspn(text + size, " ");
	uint64_t number = 0;

	if (*text) {
		while (kind < 4 && (strlen(kinds[kind].name) != size ||
					   strncmp(kinds[kind].name, text, size) != 0))
			kind++;
		if (kind == 4 || (*cause && !take_number(cause, &number))) {
			fputs("catch trap, exception or interrupt, with a cause if only that is "
			      "meant; or off\n",
				monitor->out);
			return;
		}
		replay->caught = kinds[kind].set;
		replay->has_cause = *cause != '\0';
		replay->cause = number;
	}
	print_caught(monitor);
}

static void do_handlers(struct ear_gdb_monitor *monitor, const char *text)
{
	if (strcmp(text, "over") == 0 || strcmp(text, "into") == 0)
		monitor->replay->handlers_over = text[0] == 'o';
	else if (*text)
		fputs("handlers over or into\n", monitor->out);
	fprintf(monitor->out, "steps go %s the handlers of traps\n",
		monitor->replay->handlers_over ? "over" : "into");
}

static void do_refused(struct ear_gdb_monitor *monitor, const char *text)
{
	const struct ear_gdb_session *session = monitor->session;

	(void)text;
	if (session->refused == 0)
		fputs("nothing was refused\n", monitor->out);
	else
		fprintf(monitor->out, "%u attempt%s to change what has happened; the last: %s\n",
			session->refused, session->refused == 1 ? "" : "s", session->refusal);
}

/* ---- The table. ---- */

static void do_help(struct ear_gdb_monitor *monitor, const char *text);

static const struct verb {
	const char *name, *arguments, *help; /* help NULL: an older name */
	void (*run)(struct ear_gdb_monitor *monitor, const char *text);
} verbs[] = {
	{"when", "", "where the present is: the number of the next record, and its time", do_when},
	{"where", "", "the same", do_when},
	{"record", "", "the next record in full", do_record},
	{"goto", "MOMENT",
		"go there: 12, +5, -5, @TIME, begin, end, trap#2, event=NAME, a function or a line, "
		"its :return, or a mark",
		do_goto},
	{"mark", "NAME", "give the present a name, which is kept beside the trace",
		ear_gdb_do_mark},
	{"marks", "", "list them", ear_gdb_do_marks},
	{"unmark", "NAME", "delete one", ear_gdb_do_unmark},
	{"bookmark", NULL, NULL, ear_gdb_do_mark}, /* as they were called */
	{"bookmarks", NULL, NULL, ear_gdb_do_marks},
	{"last", "WHAT",
		"the last record that wrote a variable, address or register, or executed code",
		do_last},
	{"next", "WHAT", "the next one", do_next},
	{"history", "WHAT [COUNT]", "its last changes, or executions of code, the newest first",
		do_history},
	{"stack", "", "which functions are active, as the trace shows it", ear_gdb_do_stack},
	{"tasks", "", "which tasks have run, and where they were left", ear_gdb_do_tasks},
	{"gaps", "", "where records are missing", ear_gdb_do_gaps},
	{"inferred", "", "the registers whose values follow and are not in the trace (--infer)",
		ear_gdb_do_inferred},
	{"why", "", "why the run ended as it did", ear_gdb_do_why},
	{"errors", "", "memory errors of the program before here", ear_gdb_do_errors},
	{"catch", "[KIND [CAUSE]]", "stop before a trap, exception or interrupt; off", do_catch},
	{"handlers", "[over|into]", "whether steps go over the handlers of traps", do_handlers},
	{"diverge", "",
		"with --diverge: run on from here with other values, beside the recorded run",
		ear_gdb_do_diverge},
	{"return", "", "go back from there to the recorded run", ear_gdb_do_return},
	{"refused", "", "attempts to change what has happened", do_refused},
	{"help", "", "this list", do_help},
};

static void do_help(struct ear_gdb_monitor *monitor, const char *text)
{
	char usage[64];

	(void)text;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!verbs[i].help)
			continue;
		snprintf(usage, sizeof(usage), "%s %s", verbs[i].name, verbs[i].arguments);
		fprintf(monitor->out, "%-24s %s\n", usage, verbs[i].help);
	}
}

static const struct verb *find_verb(const char *command, size_t size)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strlen(verbs[i].name) == size && strncmp(verbs[i].name, command, size) == 0)
			return &verbs[i];
	return NULL;
}

void ear_gdb_monitor(struct ear_gdb_session *session, const char *command)
{
	struct ear_gdb_monitor monitor = {.session = session,
		.replay = &session->replay,
		.trace = session->replay.trace,
		.names = session->options->names};
	char *text = NULL;
	size_t size = 0;

	command += strspn(command, " \t");
	size_t name = strcspn(command, " \t");
	const struct verb *verb = find_verb(command, name);
	monitor.out = open_memstream(&text, &size);
	if (!monitor.out)
		return;
	const bool diverted = session->replay.diversion;
	if (verb && verb->run != ear_gdb_do_return && verb->run != ear_gdb_do_diverge)
		ear_gdb_print_divert(&monitor);
	if (verb)
		verb->run(&monitor, command + name + strspn(command + name, " \t"));
	else
		fputs("there is no such command; 'monitor help' lists them\n", monitor.out);
	if (verb && verb->run != ear_gdb_do_return && diverted && !session->replay.diversion)
		fputs("the diversion is over\n", monitor.out);
	if (fclose(monitor.out) == 0)
		ear_gdb_console(session, text);
	free(text);
}
