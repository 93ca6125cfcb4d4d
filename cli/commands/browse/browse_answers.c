/* Lists of what other commands answer: why, check, marks, matches of a search, harts, tasks. A row
 * has the place that it is about, and Enter goes there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/check.h>
#include <earshot/error.h>
#include <earshot/marks.h>
#include <earshot/tasks.h>
#include <earshot/variable.h>
#include <earshot/why.h>

#include "cli/commands/browse/browse.h"

#define MATCHES_MAX    1000
#define VIOLATIONS_MAX 1000

/* The last error of the trace. */
static void fail(struct browse *browse, int result)
{
	browse_result(browse, browse_fail(browse_here(browse), result));
}

/* " main+0x4 (fw.c:12)". */
static void name_place(const struct browse *browse, uint64_t pc, char *text, size_t size)
{
	const struct ear_names *names = browse->models[browse->side].names;
	char name[160] = "", line[160] = "";

	text[0] = '\0';
	if (!names)
		return;
	ear_names_text(names, pc, name, sizeof(name));
	ear_names_line_text(names, pc, line, sizeof(line));
	if (name[0])
		snprintf(text, size, line[0] ? " %s (%s)" : " %s", name, line);
}

/* ---- Why. ---- */

static void value_text(
	const struct browse *browse, const struct ear_value_place *place, char *text, size_t size)
{
	const struct ear_names *names = browse->models[browse->side].names;
	char name[160] = "";

	if (place->kind == EAR_VALUE_REGISTER) {
		ear_register_name(
			(enum ear_register_class)place->reg_class, place->number, text, size);
		return;
	}
	if (names)
		ear_names_text(names, place->address, name, sizeof(name));
	if (name[0])
		snprintf(text, size, "[%s]", name);
	else
		snprintf(text, size, "[0x%" PRIx64 "]", place->address);
}

/* The text of the line that a pc is of, after two blanks; "" if there is none. */
static void source_text(struct browse *browse, uint64_t pc, char *text, size_t size)
{
	const struct ear_names *names = browse_here(browse)->names;
	struct ear_line line = {.size = sizeof(line)};

	text[0] = '\0';
	if (!names || !ear_names_line_at(names, pc, &line) || line.line == 0)
		return;
	const char *source = source_lines_find(browse->sources, line.path, line.line);
	if (source && source[0])
		snprintf(text, size, "  %s", source);
}

static void add_place(struct browse *browse, const struct ear_why_place *place,
	enum browse_style style, const char *what)
{
	char where[340], source[300];

	if (!place->known)
		return;
	name_place(browse, place->pc, where, sizeof(where));
	source_text(browse, place->pc, source, sizeof(source));
	browse_list_add(browse, place->position, style, "  #%-10" PRIu64 " 0x%08" PRIx64 "%s  %s%s",
		place->number, place->pc, where, what, source);
}

/* What is at the end of a chain: memory that nobody wrote, a constant. */
static void add_end(struct browse *browse, const struct ear_value_source *source, int indent)
{
	char place[200], value[40] = "?";
	const char *end = ear_value_end_name(source->end);

	value_text(browse, &source->place, place, sizeof(place));
	if (source->value_known)
		snprintf(value, sizeof(value), "0x%" PRIx64, source->value);
	browse_list_add(browse, UINT64_MAX, BROWSE_DIM, "    %*s%s = %s: %s", indent, "", place,
		value, end ? end : "not followed");
}

/* A part of a value: which record wrote it, unless the row of that record says so. */
static void add_part(struct browse *browse, const struct ear_value_chain *chain,
	const struct ear_value_source *part, int indent, bool always)
{
	char place[200], value[40] = "?";

	if (part->end != EAR_VALUE_FOLLOWED || part->node >= chain->node_count) {
		add_end(browse, part, indent);
		return;
	}
	const struct ear_value_node *node = &chain->nodes[part->node];
	if (!always && (part->place.kind != EAR_VALUE_MEMORY || node->folded == 0 ||
			       part->place.address == node->place.address))
		return;
	value_text(browse, &part->place, place, sizeof(place));
	if (part->value_known)
		snprintf(value, sizeof(value), "0x%" PRIx64, part->value);
	browse_list_add(browse, node->position, BROWSE_DIM,
		"    %*s%s = %s: written by %s#%" PRIu64, indent, "", place, value,
		node->folded > 0 ? "the instruction of " : "", node->number);
}

static void add_node(struct browse *browse, const struct ear_value_chain *chain,
	const struct ear_value_node *node)
{
	char place[200], where[340], value[40] = "?", end[64] = "";
	const int indent = (int)(node->depth < 12 ? node->depth : 12) * 2;

	value_text(browse, &node->place, place, sizeof(place));
	name_place(browse, node->pc, where, sizeof(where));
	if (node->after_known)
		snprintf(value, sizeof(value), "0x%" PRIx64, node->after);
	if (node->end != EAR_VALUE_FOLLOWED && ear_value_end_name(node->end))
		snprintf(end, sizeof(end), "  (%s)", ear_value_end_name(node->end));
	browse_list_add(browse, node->position, BROWSE_PLAIN, "    #%-8" PRIu64 " %*s%s = %s%s%s",
		node->number, indent, "", place, value, where, end);
	if (node->folded > 0)
		browse_list_add(browse, node->first_position, BROWSE_DIM,
			"              %*s... and %s%" PRIu64
			" more by this instruction, back to #%" PRIu64,
			indent, "", chain->limited ? "at least " : "", node->folded,
			node->first_number);
	for (size_t i = 0; i < node->source_count; i++) {
		const struct ear_value_source *source = &chain->sources[node->first_source + i];
		if (source->end == EAR_VALUE_FOLLOWED)
			add_part(browse, chain, source, 10 + indent, false);
		else if (source->end != EAR_VALUE_NOT_ASKED)
			add_end(browse, source, 10 + indent);
	}
}

static void add_chain(struct browse *browse, const struct ear_value_chain *chain)
{
	for (size_t i = 0; i < chain->root_count; i++)
		add_part(browse, chain, &chain->sources[i], 0, chain->root_count > 1);
	for (size_t i = 0; i < chain->node_count; i++)
		add_node(browse, chain, &chain->nodes[i]);
	if (chain->limited)
		browse_list_add(browse, UINT64_MAX, BROWSE_DIM,
			"    ... and so on: `earshot why --value` with --limit and --depth "
			"shows more");
}

/* A value that the end depends on, the record that read it, and where it came from. */
static void add_value(struct browse *browse, const struct ear_why_value *value)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record;
	const char *role = ear_why_role_name(value->role);
	char name[200], where[340] = "", source[300] = "", text[256] = "", held[40] = "";
	uint64_t number = 0;

	value_text(browse, &value->source.place, name, sizeof(name));
	if (value->chain && value->chain->value_known)
		snprintf(held, sizeof(held), " = 0x%" PRIx64, value->chain->value);
	const bool is_there = browse_model_number(model, value->source.before, &number);
	record = is_there ? browse_model_record(model, value->source.before) : NULL;
	if (!record || record->kind != EAR_RECORD_INSTRUCTION) {
		browse_list_add(browse, UINT64_MAX, BROWSE_PLACE, "  %s %s%s: where it came from",
			role ? role : "value", name, held);
	} else {
		const uint64_t pc = record->pc;
		browse_instruction_text(model, record, text, sizeof(text));
		name_place(browse, pc, where, sizeof(where));
		source_text(browse, pc, source, sizeof(source));
		browse_list_add(browse, value->source.before, BROWSE_PLACE,
			"  %s %s%s, read by #%" PRIu64 "%s  %s%s", role ? role : "value", name,
			held, number, where, text, source);
	}
	if (value->chain)
		add_chain(browse, value->chain);
}

static uint64_t position_of(struct browse *browse, uint64_t number)
{
	struct browse_model *model = browse_here(browse);

	return ear_trace_seek_number(model->trace, number, model->progress) == 1
		       ? ear_trace_position(model->trace)
		       : UINT64_MAX;
}

/* Nobody knows why it ended, and the end is in a loop: which one, as the records around it show. */
static void add_last_loop(struct browse *browse, const struct ear_why *why)
{
	struct browse_model *model = browse_here(browse);
	const struct browse_calls *calls = browse_model_calls(model);
	const uint64_t at = why->place.position;
	uint64_t number;
	char where[340];

	if (why->kind != EAR_WHY_UNKNOWN || !why->place.known || at < calls->first ||
		at >= calls->end)
		return;
	const struct browse_node *loop = &calls->nodes[browse_calls_node(calls, at)];
	if (calls->node_count == 0 || loop->kind != BROWSE_NODE_LOOP ||
		!browse_model_number(model, loop->first, &number))
		return;
	const bool is_cut = loop->first == calls->first && calls->first > 0;
	name_place(browse, loop->low, where, sizeof(where));
	browse_list_add(browse, loop->first, BROWSE_PLAIN,
		"  #%-10" PRIu64 " 0x%08" PRIx64
		"%s  %s round of the loop that it is in; %s%" PRIu64 " rounds",
		number, loop->low, where, is_cut ? "a" : "the second", is_cut ? "at least " : "",
		loop->rounds);
}

static void list_why(struct browse *browse, const struct ear_why *why)
{
	browse_list_begin(browse, "why: Enter goes there");
	browse_list_add(browse, why->place.known ? why->place.position : UINT64_MAX,
		why->kind == EAR_WHY_ENDED ? BROWSE_PLACE : BROWSE_LOSS, "%s", why->text);
	add_place(browse, &why->place, BROWSE_PLAIN, "where it happened");
	if (why->end_missing)
		browse_list_add(browse, UINT64_MAX, BROWSE_LOSS,
			"  the end of the trace is missing: what happened after #%" PRIu64
			" is not known",
			why->end_after);
	if (why->core.known)
		browse_list_add(
			browse, why->core.position, BROWSE_LOSS, "  the core: %s", why->core_text);
	add_place(browse, &why->jump, BROWSE_PLAIN, "the jump that led there");
	add_place(browse, &why->loop, BROWSE_PLAIN, "the loop begins");
	add_last_loop(browse, why);
	add_place(browse, &why->branch, BROWSE_PLAIN, "the last branch before the code was chosen");
	add_place(browse, &why->choice, BROWSE_PLAIN, "the last branch before its value was made");
	add_place(browse, &why->overflow, BROWSE_LOSS, "the stack grew over what is next to it");
	add_place(browse, &why->skip, BROWSE_LOSS, "the handler skipped 4 bytes of 2");
	add_place(browse, &why->changed.interrupt, BROWSE_LOSS,
		"an interrupt, whose handler changed a register:");
	add_place(browse, &why->changed.write, BROWSE_LOSS, "the write in the handler");
	for (size_t i = 0; i < why->memory_error_count && i < EAR_WHY_ERRORS_MAX; i++) {
		const struct ear_memory_error *error = &why->memory_errors[i];
		char text[EAR_MEMORY_ERROR_TEXT_MAX];
		ear_memory_error_text(error, text, sizeof(text));
		browse_list_add(browse, position_of(browse, error->moment.number), BROWSE_LOSS,
			"  #%-10" PRIu64 " a memory error: %s", error->moment.number, text);
	}
	/* How the code was put together says less than what chose it. */
	for (size_t i = 0; i < why->value_count && i < EAR_WHY_VALUES_MAX; i++)
		if (why->values[i].role != EAR_WHY_CODE)
			add_value(browse, &why->values[i]);
	for (size_t i = 0; i < why->value_count && i < EAR_WHY_VALUES_MAX; i++)
		if (why->values[i].role == EAR_WHY_CODE)
			add_value(browse, &why->values[i]);
	const struct ear_why_difference *difference = &why->difference;
	if (difference->before.known)
		browse_list_add(
			browse, UINT64_MAX, BROWSE_PLACE, "  the time before it went well:");
	add_place(browse, &difference->before, BROWSE_PLAIN, "the same instruction, earlier");
	add_place(browse, &difference->branch_then, BROWSE_PLAIN,
		"the branch that went another way then");
	add_place(browse, &difference->branch_now, BROWSE_PLAIN, "and here, now");
	add_place(browse, &difference->interrupt, BROWSE_PLAIN, "an interrupt, only this time");
	browse_list_show(browse);
}

void browse_why(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	const struct ear_symbol *symbol;
	const struct ear_why *why;

	options.names = model->names;
	if (model->names && ear_names_symbols_named(model->names, "tohost", &symbol, 1) > 0) {
		options.has_tohost = true;
		options.tohost = symbol->address;
	}
	const int result = ear_trace_why(model->trace, &options, &why, model->progress);
	if (result) {
		fail(browse, result);
		return;
	}
	list_why(browse, why);
	ear_why_free(why);
}

void browse_origin(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);
	const struct ear_value_chain *chain;
	struct browse_item item;
	char name[64];

	if (!record || !browse_selected(browse, &item)) {
		browse_complain(browse, "nothing is selected here: Left and Right choose what the "
					"record reads and writes");
		return;
	}
	const struct ear_value value = {
		.place = {.kind = item.is_memory ? EAR_VALUE_MEMORY : EAR_VALUE_REGISTER,
			.reg_class = item.reg_class,
			.number = item.number,
			.hart = record->hart,
			.size = (uint8_t)(item.size > 8 ? 8 : item.size),
			.address = item.address},
		.before = model->cursor + 1};
	const int result =
		ear_trace_value_chain(model->trace, &value, NULL, &chain, model->progress);
	if (result) {
		fail(browse, result);
		return;
	}
	browse_item_text(&item, name, sizeof(name));
	browse_list_begin(browse, "where %s came from: Enter goes there", name);
	add_chain(browse, chain);
	ear_value_chain_free(chain);
	if (browse->list.count == 0)
		browse_complain(browse, "where %s came from is not known", name);
	browse_list_show(browse);
}

/* ---- Check. ---- */

struct checking {
	struct browse *browse;
	uint64_t count;
};

static int violation(void *context, const struct ear_violation *found)
{
	struct checking *checking = context;
	char where[340];

	if (checking->count++ >= VIOLATIONS_MAX)
		return 0;
	name_place(checking->browse, found->record->pc, where, sizeof(where));
	browse_list_add(checking->browse, found->position, BROWSE_PLAIN,
		"#%-10" PRIu64 " 0x%08" PRIx64 "%s: %s: %s", found->number, found->record->pc,
		where, ear_check_rule_name(found->rule), found->text);
	return 0;
}

void browse_check(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	struct ear_check_counts counts = {.size = sizeof(counts)};
	struct checking checking = {.browse = browse};

	browse_list_begin(browse, "check: where the core broke a rule");
	const int result =
		ear_trace_check(model->trace, NULL, violation, &checking, &counts, model->progress);
	if (result && result != EAR_E_CANCELLED) {
		fail(browse, result);
		return;
	}
	if (checking.count > VIOLATIONS_MAX)
		browse_list_add(browse, UINT64_MAX, BROWSE_DIM,
			"... and %" PRIu64 " more: `earshot check` lists them",
			checking.count - VIOLATIONS_MAX);
	if (result == EAR_E_CANCELLED)
		browse_list_add(browse, UINT64_MAX, BROWSE_LOSS,
			"interrupted: the rest of the trace was not checked");
	if (browse->list.count == 0)
		browse_say(browse,
			"no rule is broken, in %" PRIu64 " instructions that were checked as "
			"far as the trace shows them",
			counts.instructions);
	browse_list_show(browse);
}

/* ---- Marks. ---- */

void browse_marks(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	struct ear_mark *marks = calloc(EAR_MARKS_MAX, sizeof(*marks));
	const int64_t count = marks ? ear_trace_marks(model->trace, marks, sizeof(*marks),
					      EAR_MARKS_MAX, model->progress)
				    : EAR_E_NO_MEMORY;

	if (count <= 0) {
		free(marks);
		if (count < 0)
			fail(browse, (int)count);
		else
			browse_say(browse, "there are no marks: m makes one");
		return;
	}
	browse_list_begin(browse, "marks: Enter goes there");
	for (int64_t i = 0; i < count && i < EAR_MARKS_MAX; i++) {
		const uint64_t at = marks[i].position > 0 ? marks[i].position - 1 : 0;
		uint64_t number = marks[i].number;
		/* A mark is between two records: the one that Enter goes to is named. */
		const bool is_after =
			marks[i].position > 0 && browse_model_number(model, at, &number);
		browse_list_add(browse, at, marks[i].stale ? BROWSE_LOSS : BROWSE_PLAIN,
			"%-24s %s #%" PRIu64 "%s", marks[i].name, is_after ? "after" : "before",
			number, marks[i].stale ? "  (the trace has changed since)" : "");
	}
	free(marks);
	browse_list_show(browse);
}

/* ---- Matches. ---- */

static int match(void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct browse *browse = context;
	struct browse_model *model = browse_here(browse);
	char text[256], where[340] = "";

	if (browse->list.count >= MATCHES_MAX)
		return 1;
	browse_record_text(model, record, text, sizeof(text));
	if (record->kind == EAR_RECORD_INSTRUCTION)
		name_place(browse, record->pc, where, sizeof(where));
	browse_list_add(browse, position,
		record->kind == EAR_RECORD_GAP ? BROWSE_LOSS : BROWSE_PLAIN,
		"#%-10" PRIu64 " %-34s%s", number, text, where);
	return 0;
}

void browse_matches(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);

	if (!browse->search.text[0]) {
		browse_complain(browse, "nothing was searched for so far: / searches");
		return;
	}
	browse_list_begin(browse, "matches of '%.60s'", browse->search.text);
	const int result = ear_trace_find_all(
		model->trace, &browse->search.query, 0, UINT64_MAX, match, browse, model->progress);
	if (result < 0 && result != EAR_E_CANCELLED) {
		fail(browse, result);
		return;
	}
	if (result == 1 || result == EAR_E_CANCELLED)
		browse_list_add(browse, UINT64_MAX, BROWSE_LOSS, "... and more: %s",
			result == 1 ? "n and N walk all of them" : "interrupted");
	if (browse->list.count == 0)
		browse_complain(browse, "there is no match of '%.200s'", browse->search.text);
	/* On the one that is nearest before the cursor. */
	while (browse->list.at + 1 < browse->list.count &&
		browse->list.rows[browse->list.at + 1].position <= model->cursor)
		browse->list.at++;
	browse_list_show(browse);
}

/* ---- Harts and tasks. ---- */

#define HARTS_MAX 64

void browse_harts(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	const struct browse_calls *calls = browse_model_calls(model);
	struct {
		uint16_t hart;
		uint64_t count, nearest;
	} harts[HARTS_MAX];
	size_t count = 0;
	bool more = false;

	for (uint64_t at = calls->first; at < calls->end; at++) {
		const struct ear_record *record = browse_model_record(model, at);
		size_t i = 0;
		if (!record || record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		while (i < count && harts[i].hart != record->hart)
			i++;
		if (i == HARTS_MAX) {
			more = true;
			continue;
		}
		if (i == count) {
			harts[count].hart = record->hart;
			harts[count].count = 0;
			harts[count++].nearest = at;
		}
		if (at <= model->cursor)
			harts[i].nearest = at;
		harts[i].count++;
	}
	browse_list_begin(browse, "harts of the records around here: Enter goes to its last one");
	for (size_t i = 0; i < count; i++)
		browse_list_add(browse, harts[i].nearest, BROWSE_PLAIN,
			"hart %u  %" PRIu64 " instructions of the %" PRIu64
			" records from position %" PRIu64,
			harts[i].hart, harts[i].count, calls->end - calls->first, calls->first);
	if (more)
		browse_list_add(browse, UINT64_MAX, BROWSE_LOSS,
			"... and more: the first %d harts are listed", HARTS_MAX);
	if (count == 0)
		browse_complain(browse, "there are no instructions around here");
	browse_list_show(browse);
}

struct task_reading {
	struct browse *browse;
	struct ear_tasks *tasks;
	uint64_t *
		firsts; /* of task i + 1: its last switch at or before the cursor, else the first */
	size_t room;
	uint32_t last;
	uint64_t cursor;
};

static int take_task(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct task_reading *reading = context;
	const uint64_t at = batch->position + first;

	(void)count;
	if (task == 0 || task == reading->last || task > 1024)
		return 0;
	if (reading->firsts[task] == UINT64_MAX || at <= reading->cursor)
		reading->firsts[task] = at;
	reading->last = task;
	return 0;
}

static int read_tasks(struct browse *browse, struct task_reading *reading)
{
	struct browse_model *model = browse_here(browse);
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = ear_tasks_new(&reading->tasks, model->trace, NULL, model->progress);

	if (result == 0)
		result = ear_trace_seek(model->trace, 0, model->progress);
	for (uint64_t read = 0; result >= 0; read += batch.count) {
		result = ear_trace_next_batch(model->trace, &batch);
		if (result != 1)
			break;
		result = ear_tasks_batch(reading->tasks, &batch, take_task, reading);
		if (model->progress->call(model->progress->context, read,
			    model->counted ? model->counts.records : 0, "reading the tasks"))
			return EAR_E_CANCELLED;
	}
	return result;
}

void browse_tasks(struct browse *browse)
{
	struct task_reading reading = {.browse = browse, .cursor = browse_here(browse)->cursor};

	reading.firsts = malloc(1025 * sizeof(*reading.firsts));
	if (!reading.firsts)
		return;
	memset(reading.firsts, 0xFF, 1025 * sizeof(*reading.firsts));
	const int result = read_tasks(browse, &reading);
	if (result < 0) {
		fail(browse, result);
	} else if (ear_tasks_count(reading.tasks) == 0) {
		browse_say(browse, "nothing in the trace says which task runs");
	} else {
		browse_list_begin(
			browse, "tasks: Enter goes to where it ran last before the cursor");
		for (uint32_t i = 1; i <= ear_tasks_count(reading.tasks) && i <= 1024; i++) {
			struct ear_task_facts task = {.size = sizeof(task)};
			if (!ear_tasks_get(reading.tasks, i, &task))
				continue;
			browse_list_add(browse, reading.firsts[i], BROWSE_PLAIN,
				"task %" PRIu64 "  %.200s", task.pid, task.name);
		}
		browse_list_show(browse);
	}
	ear_tasks_free(reading.tasks);
	free(reading.firsts);
}

/* ---- Variables. ---- */

/* The pc of the view is that of the record after a jump, too, which changes no register but its
 * link: so the variables are those of the function that the source and the stack show. After any
 * other record it is the next pc: what describes the frame fits the values after the record. */
bool browse_view(struct browse *browse, struct ear_moment **moment, struct ear_moment_view *seen)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);
	const bool is_instruction = record && record->kind == EAR_RECORD_INSTRUCTION;
	const uint16_t hart = record ? record->hart : 0;
	const uint64_t pc = is_instruction ? record->pc : 0;
	const uint64_t next = is_instruction ? pc + record->opcode_size : 0;

	*seen = (struct ear_moment_view){.size = sizeof(*seen)};
	*moment = NULL;
	const int result = ear_moment_new(moment, model->trace, model->cursor + 1, model->progress);
	if (result) {
		browse_fail(model, result);
		return false;
	}
	if (ear_moment_view(*moment, hart, seen) && is_instruction && seen->pc != next)
		seen->pc = pc;
	return true;
}

static bool view(struct browse *browse, struct ear_moment **moment, struct ear_moment_view *seen)
{
	*moment = NULL;
	if (!browse_here(browse)->names) {
		browse_complain(browse, "no program is known: --elf FILE");
		return false;
	}
	if (browse_view(browse, moment, seen))
		return true;
	browse_result(browse, EAR_E_BAD_ARGUMENT);
	return false;
}

#define POINTED_MAX 64 /* bytes of a text that are shown */

/* Where a char * points to, if that is known; false: it is none. */
static bool points_to_text(const struct ear_variable *variable, uint64_t *address)
{
	static const char wanted[] = "char *";
	const struct ear_type *type = variable->type_count > 0 ? &variable->types[0] : NULL;
	const size_t length = type && type->type_name ? strlen(type->type_name) : 0;

	if (length < sizeof(wanted) - 1 || type->kind != EAR_TYPE_POINTER || type->size > 8 ||
		strcmp(type->type_name + length - (sizeof(wanted) - 1), wanted) != 0 ||
		variable->byte_count != type->size)
		return false;
	*address = 0;
	for (size_t i = 0; i < variable->byte_count; i++) {
		if (!variable->known[i])
			return false;
		*address |= (uint64_t)variable->bytes[i] << 8 * i;
	}
	return true;
}

/* The text that a char * points to, after a blank: "..." where it is longer, "?" where the rest is
 * not known; "" if nothing of it is. */
static void pointed_text(const struct ear_variable *variable, const struct ear_moment_view *seen,
	char text[2 * POINTED_MAX + 8])
{
	uint8_t bytes[POINTED_MAX], known[POINTED_MAX] = {0};
	uint64_t address;
	size_t used = 0, i = 0;

	text[0] = '\0';
	if (!points_to_text(variable, &address) || address > UINT64_MAX - POINTED_MAX ||
		!seen->read_memory(seen->context, address, bytes, known, sizeof(bytes)) ||
		!known[0])
		return;
	text[used++] = ' ';
	text[used++] = '"';
	for (; i < POINTED_MAX && known[i] && bytes[i]; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			text[used++] = '\\';
		text[used++] = (char)bytes[i];
	}
	snprintf(text + used, 2 * POINTED_MAX + 8 - used, "\"%s",
		i == POINTED_MAX ? "..."
		: known[i]       ? ""
				 : "?");
}

void browse_print_variable(struct browse *browse, const char *expression)
{
	struct ear_variable variable = {.size = sizeof(variable)};
	struct ear_moment_view seen;
	struct ear_moment *moment;
	struct ear_names *names = browse_here(browse)->names;

	if (!view(browse, &moment, &seen)) {
		ear_moment_free(moment);
		return;
	}
	if (ear_variable_find(&variable, names, expression, strlen(expression), &seen) != 0) {
		browse_complain(browse, "%s%s", ear_names_message(names), browse_hint(expression));
	} else {
		char *text = ear_variable_text(&variable, names, 4);
		char pointed[2 * POINTED_MAX + 8];
		pointed_text(&variable, &seen, pointed);
		browse_say(browse, "%.100s = %s%s", expression, text ? text : "?", pointed);
		free(text);
		ear_variable_free(&variable);
	}
	ear_moment_free(moment);
}

/* Where a variable is: a register by its DWARF number, or memory. */
static bool item_of(const struct ear_variable *variable, struct browse_item *item)
{
	*item = (struct browse_item){0};
	if (variable->place == EAR_PLACE_MEMORY) {
		item->is_memory = true;
		item->address = variable->address;
		item->size = variable->value_size > 0 ? variable->value_size : 1;
		return true;
	}
	item->reg_class = variable->register_number < 32 ? EAR_REGISTER_X : EAR_REGISTER_F;
	item->number = (uint16_t)(variable->register_number % 32);
	return variable->place == EAR_PLACE_REGISTER && variable->register_number < 64;
}

void browse_locals(struct browse *browse)
{
	struct ear_moment_view seen;
	struct ear_moment *moment;
	struct ear_names *names = browse_here(browse)->names;
	struct ear_local *locals = NULL;
	size_t count = 0;

	if (!view(browse, &moment, &seen)) {
		ear_moment_free(moment);
		return;
	}
	if (ear_variable_locals(names, seen.pc, &locals, &count) != 0 || count == 0) {
		browse_complain(browse, "no variables are known here%s%s",
			ear_names_message(names)[0] ? ": " : "", ear_names_message(names));
		ear_moment_free(moment);
		free(locals);
		return;
	}
	browse_list_begin(browse, "variables after this record: Enter goes to who wrote one last");
	for (size_t i = 0; i < count; i++) {
		struct ear_variable variable = {.size = sizeof(variable)};
		struct browse_item item;
		char pointed[2 * POINTED_MAX + 8] = "";
		bool has_item = false;
		char *text = NULL;
		if (ear_variable_find(
			    &variable, names, locals[i].name, strlen(locals[i].name), &seen) == 0) {
			text = ear_variable_text(&variable, names, 3);
			pointed_text(&variable, &seen, pointed);
			has_item = item_of(&variable, &item);
			ear_variable_free(&variable);
		}
		const char *value = text ? text : "?";
		const size_t used = strlen(value) + strlen(pointed);
		browse_list_add(browse, UINT64_MAX,
			locals[i].is_parameter ? BROWSE_PLACE : BROWSE_PLAIN, "%-20s = %s%s%*s  %s",
			locals[i].name, value, pointed, (int)(used < 30 ? 30 - used : 0), "",
			locals[i].type_name);
		if (has_item)
			browse_list_set_item(browse, &item);
		free(text);
	}
	free(locals);
	ear_moment_free(moment);
	browse_list_show(browse);
}
