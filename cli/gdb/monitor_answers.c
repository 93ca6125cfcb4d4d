/* Monitor commands that answer about the run: calls, gaps, inferred values, its end, memory errors.
 */
#include "cli/gdb/monitor_answers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/infer.h>
#include <earshot/memory_errors.h>
#include <earshot/moment_view.h>
#include <earshot/variable.h>
#include <earshot/why.h>

#include "cli/gdb/harts.h"

#define GAPS_MAX 50u /* that are listed */

/* ---- The stack. ---- */

#define FRAMES_MAX 50u /* that are listed */

void ear_gdb_do_stack(struct ear_gdb_monitor *monitor, const char *text)
{
	struct ear_gdb_session *session = monitor->session;
	struct ear_gdb_frames *frames = &session->frames;
	uint64_t pc;

	(void)text;
	int result = ear_gdb_frames_read(
		frames, monitor->replay, session->hart, monitor->replay->present);
	if (result == EAR_E_UNSUPPORTED) {
		fputs("this trace does not show calls\n", monitor->out);
		return;
	}
	if (result) {
		ear_gdb_print_error(monitor);
		return;
	}
	bool known = ear_gdb_pc(monitor->replay, session->hart, &pc);
	for (size_t i = 0; i < frames->count && i < FRAMES_MAX; i++) {
		const struct ear_call_frame *frame = &frames->frames[i];
		fprintf(monitor->out, "#%-3zu ", i);
		if (known)
			ear_gdb_print_place(monitor, pc);
		else
			fputs("?", monitor->out);
		if (frame->kind == EAR_FRAME_TRAP || frame->kind == EAR_FRAME_INTERRUPT)
			fprintf(monitor->out, "  <%s>",
				frame->kind == EAR_FRAME_TRAP ? "trap" : "interrupt");
		fputs("\n", monitor->out);
		pc = frame->call_pc;
		known = true;
	}
	if (frames->count > FRAMES_MAX)
		fprintf(monitor->out, "and %zu more\n", frames->count - FRAMES_MAX);
}

/* ---- Executions. ---- */

#define VARIABLES_MAX 10u /* that are printed */

/* " n=5 text="ear"", the innermost of each name; what the compiler did not keep is left out. */
static void print_variables(struct ear_gdb_monitor *monitor, struct ear_moment *moment,
	uint16_t hart, uint64_t pc, const struct ear_local *locals, size_t count)
{
	struct ear_names *names = monitor->session->options->names;
	struct ear_moment_view view = {.size = sizeof(view)};
	unsigned printed = 0;

	if (!ear_moment_view(moment, hart, &view))
		return;
	view.pc = pc;
	for (size_t i = 0; i < count && printed < VARIABLES_MAX; i++) {
		struct ear_variable variable = {.size = sizeof(variable)};
		bool is_new = true;
		for (size_t k = 0; k < i; k++)
			is_new = is_new && strcmp(locals[k].name, locals[i].name) != 0;
		if (!is_new || ear_variable_find(&variable, names, locals[i].name,
				       strlen(locals[i].name), &view))
			continue;
		char *text = variable.place == EAR_PLACE_NONE
				     ? NULL
				     : ear_variable_text(&variable, names, 2);
		if (text) {
			fprintf(monitor->out, "%s%s=", printed++ > 0 ? " " : "  ", locals[i].name);
			ear_gdb_print_foreign(monitor, text);
		}
		free(text);
		ear_variable_free(&variable);
	}
}

/* The execution at a position. Returns 0 or an error. */
static int print_execution(struct ear_gdb_monitor *monitor, struct ear_moment **moment,
	uint64_t position, const struct ear_local *locals, size_t count)
{
	const struct ear_progress *progress = &monitor->replay->progress;
	const struct ear_record *record;
	struct ear_gdb_thread thread;
	char text[256];

	int result = *moment ? ear_moment_move(*moment, position, progress)
			     : ear_moment_new(moment, monitor->trace, position, progress);
	if (result == 0)
		result = ear_trace_seek(monitor->trace, position, progress);
	const uint64_t number = ear_trace_number(monitor->trace);
	if (result == 1)
		result = ear_trace_next(monitor->trace, &record);
	if (result != 1)
		return result;
	const uint16_t hart = record->hart;
	const uint64_t pc = record->pc;
	fprintf(monitor->out, "#%-10" PRIu64 " ", number);
	if (monitor->session->hart_count > 1)
		fprintf(monitor->out, "hart %u ", hart);
	ear_gdb_print_place(monitor, pc);
	if (ear_gdb_task_at(monitor->session, position, hart, &thread)) {
		ear_gdb_task_text(monitor->session, thread.task, text, sizeof(text));
		fprintf(monitor->out, ", %s", text);
	}
	print_variables(monitor, *moment, hart, pc, locals, count);
	fputs("\n", monitor->out);
	return 0;
}

void ear_gdb_print_executions(struct ear_gdb_monitor *monitor, const struct ear_address *address,
	const char *text, unsigned max)
{
	struct ear_names *names = monitor->session->options->names;
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position = monitor->replay->present;
	struct ear_moment *moment = NULL;
	struct ear_local *locals = NULL;
	size_t count = 0, local_count = 0;
	unsigned printed = 0;
	int result = 1;

	struct ear_span *entries = ear_address_entries(address, names, text, &count);
	if (!entries) {
		fputs("it could not be done: out of memory\n", monitor->out);
		return;
	}
	if (names && ear_variable_locals(names, entries[0].first, &locals, &local_count))
		local_count = 0;
	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	query.pcs = entries;
	query.pc_count = count;
	while (result == 1 && printed < max) {
		result = ear_trace_find(monitor->trace, &query, position, EAR_BACKWARD, &position,
			&monitor->replay->progress);
		if (result != 1)
			break;
		result = print_execution(monitor, &moment, position, locals, local_count);
		printed += result == 0;
		result += result == 0;
	}
	if (result < 0)
		ear_gdb_print_error(monitor);
	else if (printed == 0)
		fputs("it was not executed before here\n", monitor->out);
	ear_moment_free(moment);
	free(locals);
	free(entries);
}

/* ---- Tasks. ---- */

void ear_gdb_do_tasks(struct ear_gdb_monitor *monitor, const char *text)
{
	struct ear_gdb_session *session = monitor->session;
	struct ear_gdb_thread thread;
	unsigned printed = 0;
	char line[256];

	(void)text;
	if (session->options->live) {
		fputs("the tasks of a run that continues are not followed\n", monitor->out);
		return;
	}
	if (ear_gdb_read_tasks(session, true)) {
		ear_gdb_print_error(monitor);
		return;
	}
	for (uint32_t i = 1; i <= ear_gdb_task_count(session); i++) {
		if (!ear_gdb_find_task(session, i, &thread))
			continue;
		ear_gdb_thread_text(session, &thread, line, sizeof(line));
		fprintf(monitor->out, "%s\n", line);
		printed++;
	}
	if (ear_gdb_task_count(session) == 0)
		fputs("nothing in this trace says which task runs\n", monitor->out);
	else if (printed == 0)
		fputs("no task has run before here\n", monitor->out);
}

/* ---- What is missing. ---- */

struct gap_list {
	struct ear_gdb_monitor *monitor;
	uint64_t count;
};

static int print_gap(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct gap_list *list = context;
	const struct ear_gap *gap = &record->u.gap;

	(void)position;
	if (list->count++ >= GAPS_MAX)
		return 0;
	fprintf(list->monitor->out, "before #%" PRIu64 ": ", number);
	if (gap->count_known)
		fprintf(list->monitor->out, "%" PRIu64 " records, ", gap->count);
	fprintf(list->monitor->out, "%s\n", ear_gap_reason_text(gap->reason));
	return 0;
}

void ear_gdb_do_gaps(struct ear_gdb_monitor *monitor, const char *text)
{
	struct gap_list list = {.monitor = monitor};
	struct ear_query query = EAR_QUERY_ANY;

	(void)text;
	query.kinds = 1u << EAR_RECORD_GAP;
	int result = ear_trace_find_all(monitor->trace, &query, 0, UINT64_MAX, print_gap, &list,
		&monitor->replay->progress);
	if (result < 0)
		ear_gdb_print_error(monitor);
	else if (list.count == 0)
		fputs("there are no gaps\n", monitor->out);
	else if (list.count > GAPS_MAX)
		fprintf(monitor->out, "and %" PRIu64 " more\n", list.count - GAPS_MAX);
}

/* The registers of a hart at the moment whose values are inferred. Returns how many. */
static unsigned print_inferred(
	struct ear_gdb_monitor *monitor, struct ear_moment *moment, uint16_t hart)
{
	static const unsigned counts[] = {
		[EAR_REGISTER_X] = 32, [EAR_REGISTER_F] = 32, [EAR_REGISTER_CSR] = 4096};
	unsigned printed = 0;
	char name[32];

	for (unsigned reg_class = EAR_REGISTER_X; reg_class <= EAR_REGISTER_CSR; reg_class++)
		for (unsigned i = 0; i < counts[reg_class]; i++) {
			if (!ear_moment_inferred(
				    moment, hart, (enum ear_register_class)reg_class, i))
				continue;
			ear_register_name(
				(enum ear_register_class)reg_class, i, name, sizeof(name));
			if (printed++ == 0)
				fprintf(monitor->out, "hart %u:", hart);
			fprintf(monitor->out, " %s", name);
		}
	return printed;
}

void ear_gdb_do_inferred(struct ear_gdb_monitor *monitor, const char *text)
{
	const struct ear_gdb_session *session = monitor->session;
	struct ear_moment *moment;

	(void)text;
	if (ear_moment_new(&moment, monitor->trace, monitor->replay->present,
		    &monitor->replay->progress)) {
		ear_gdb_print_error(monitor);
		return;
	}
	for (unsigned i = 0; i < session->hart_count; i++)
		if (print_inferred(monitor, moment, session->harts[i]) == 0)
			fprintf(monitor->out, "hart %u: no register is inferred\n",
				session->harts[i]);
		else
			fputs("\n", monitor->out);
	ear_moment_free(moment);
}

void ear_gdb_do_why(struct ear_gdb_monitor *monitor, const char *text)
{
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	const struct ear_why *why;

	(void)text;
	options.names = monitor->names;
	int result = ear_trace_why(monitor->trace, &options, &why, &monitor->replay->progress);
	if (result) {
		ear_gdb_print_error(monitor);
		return;
	}
	if (why->end_missing)
		fprintf(monitor->out, "the end of the trace is missing, after #%" PRIu64 "\n",
			why->end_after);
	ear_gdb_print_foreign(monitor, why->text);
	fputs("\n", monitor->out);
	if (why->place.known) {
		fprintf(monitor->out, "#%" PRIu64 " ", why->place.number);
		ear_gdb_print_place(monitor, why->place.pc);
		fputs("\n", monitor->out);
	}
	fputs("('earshot why' has the values that did it, and where they came from)\n",
		monitor->out);
	ear_why_free(why);
}

/* ---- Memory errors. ---- */

#define ERRORS_MAX 20u /* that are printed, the newest ones */

static void print_moment(
	struct ear_gdb_monitor *monitor, const char *what, const struct ear_memory_moment *moment)
{
	fprintf(monitor->out, "  %s #%" PRIu64 " ", what, moment->number);
	ear_gdb_print_place(monitor, moment->pc);
	fputs("\n", monitor->out);
}

static void print_memory_error(
	struct ear_gdb_monitor *monitor, const struct ear_memory_error *error)
{
	char text[EAR_MEMORY_ERROR_TEXT_MAX];

	ear_memory_error_text(error, text, sizeof(text));
	fprintf(monitor->out, "#%" PRIu64 " ", error->moment.number);
	ear_gdb_print_place(monitor, error->moment.pc);
	fprintf(monitor->out, "\n  %s: %s\n", ear_memory_error_name(error->kind), text);
	if (error->caller)
		print_moment(monitor, "called from",
			&(struct ear_memory_moment){error->moment.number, error->caller - 1});
	if (error->kind == EAR_MEMORY_UNWRITTEN)
		print_moment(monitor, "decides", &error->other);
	if (error->kind == EAR_MEMORY_LEFT_FRAME && error->other.pc)
		print_moment(monitor, "returned", &error->other);
	if (error->has_block)
		print_moment(monitor, "allocated", &error->block.allocated);
	if (error->has_block && error->block.is_free)
		print_moment(monitor, "freed", &error->block.freed);
}

static void print_memory_errors(struct ear_gdb_monitor *monitor, struct ear_memory_checker *checker)
{
	const struct ear_memory_error *errors;
	const size_t count = ear_memory_checker_errors(checker, &errors);
	const size_t first = count > ERRORS_MAX ? count - ERRORS_MAX : 0;

	if (first > 0)
		fprintf(monitor->out, "%zu before these ('earshot memory --errors')\n", first);
	for (size_t i = first; i < count; i++)
		print_memory_error(monitor, &errors[i]);
	if (count == 0)
		fputs("there are none before here\n", monitor->out);
}

void ear_gdb_do_errors(struct ear_gdb_monitor *monitor, const char *text)
{
	const struct ear_memory_checker_options options = {
		.size = sizeof(options), .names = monitor->session->options->names};
	struct ear_memory_checker *checker;
	const struct ear_progress *progress = &monitor->replay->progress;

	(void)text;
	int result = ear_memory_checker_new(&checker, &options, NULL);
	if (result) {
		fputs("it could not be done: out of memory\n", monitor->out);
		return;
	}
	result = ear_trace_seek(monitor->trace, 0, progress);
	if (result >= 0)
		result = ear_memory_checker_read(
			checker, monitor->trace, monitor->replay->present, progress);
	if (result < 0)
		ear_gdb_print_error(monitor);
	else
		print_memory_errors(monitor, checker);
	ear_memory_checker_free(checker);
}
