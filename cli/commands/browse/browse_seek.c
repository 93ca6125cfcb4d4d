/* Keys that look for something: who wrote what is selected, places, searches, marks. */
#include "cli/commands/browse/browse_seek.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/marks.h>

#include "cli/commands/browse/browse.h"

static struct browse_model *here(struct browse *browse)
{
	return browse_here(browse);
}

/* ---- What is selected. ---- */

static const char *const ways[] = {"after", "before"};

/* Executions of the selected line or address. */
static void find_execution(struct browse *browse, enum ear_direction direction)
{
	struct ear_span spans[EAR_ADDRESS_RANGES_MAX];
	struct ear_query query = EAR_QUERY_ANY;
	const char *file;
	uint32_t number, nearest[2];
	uint64_t pc;
	char what[200];

	query.pcs = spans;
	if (browse->focus == BROWSE_PANE_SOURCE) {
		if (!browse_selected_line(browse, &file, &number)) {
			browse_complain(browse, "no line of the source is known here");
			return;
		}
		const int count = ear_names_line_addresses(
			here(browse)->names, file, number, spans, EAR_ADDRESS_RANGES_MAX, nearest);
		if (count <= 0) {
			browse_complain(browse, "line %" PRIu32 " has no code", number);
			return;
		}
		query.pc_count = (size_t)count < EAR_ADDRESS_RANGES_MAX ? (size_t)count
									: EAR_ADDRESS_RANGES_MAX;
		snprintf(what, sizeof(what), "execution of line %" PRIu32, number);
	} else {
		if (!browse_selected_code(browse, &pc)) {
			browse_complain(browse, "no instruction is selected");
			return;
		}
		spans[0] = (struct ear_span){pc, pc};
		query.pc_count = 1;
		snprintf(what, sizeof(what), "execution of 0x%" PRIx64, pc);
	}
	browse_result(browse, browse_find(here(browse), &query, direction, what));
}

/* Writes, or also reads of memory, of what is selected. */
static void find_selected(struct browse *browse, enum ear_direction direction, bool reads)
{
	struct ear_query query = EAR_QUERY_ANY;
	struct browse_item item;
	struct ear_span span;
	char name[64], what[128];

	if (browse->focus == BROWSE_PANE_SOURCE || browse->focus == BROWSE_PANE_CODE) {
		find_execution(browse, direction);
		return;
	}
	if (!browse_selected(browse, &item)) {
		browse_complain(browse, "nothing is selected here: Left and Right choose what the "
					"record reads and writes, Tab a pane");
		return;
	}
	if (item.is_memory) {
		span = (struct ear_span){item.address, item.address + (item.size - 1)};
		if (span.last < span.first)
			span.last = UINT64_MAX;
		query.addresses = &span;
		query.address_count = 1;
		query.accesses = reads ? 0 : EAR_QUERY_WRITE;
	} else {
		const struct ear_record *record =
			browse_model_record(here(browse), here(browse)->cursor);
		query.hart = record ? record->hart : -1;
		query.has_register = true;
		query.register_class = item.reg_class;
		query.register_number = item.number;
		if (reads) {
			browse_complain(browse, "an index knows who wrote a register, not who read "
						"it: [ and ] find writers");
			return;
		}
	}
	browse_item_text(&item, name, sizeof(name));
	snprintf(what, sizeof(what), "%s %s", reads ? "access to" : "write of", name);
	struct browse_model *model = here(browse);
	const uint64_t from = model->cursor;
	const int result = browse_find(model, &query, direction, what);
	browse_result(browse, result);
	/* The thing stays selected, so that the same key continues with it. */
	if (result == 1 && browse->focus == BROWSE_PANE_RECORDS) {
		struct browse_item items[BROWSE_ITEMS_MAX];
		const size_t count = browse_items(browse, items);
		for (size_t i = 0; i < count; i++)
			if (items[i].is_memory == item.is_memory &&
				(item.is_memory ? items[i].address <=
								  item.address + (item.size - 1) &&
							  item.address <=
								  items[i].address +
									  (items[i].size - 1)
						: items[i].reg_class == item.reg_class &&
							  items[i].number == item.number)) {
				browse->item = i;
				browse->item_kept = true;
				break;
			}
		browse_say(browse, "%s %s #%" PRIu64, what, ways[direction == EAR_BACKWARD], from);
	}
}

bool browse_seek_last_write(struct browse *browse, const struct browse_item *item)
{
	struct browse_model *model = here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);
	const struct ear_span span = {item->address, item->size - 1 > UINT64_MAX - item->address
							     ? UINT64_MAX
							     : item->address + (item->size - 1)};
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position;
	char name[64];

	browse_item_text(item, name, sizeof(name));
	if (item->is_memory) {
		query.addresses = &span;
		query.address_count = 1;
		query.accesses = EAR_QUERY_WRITE;
	} else {
		query.hart = record ? record->hart : -1;
		query.has_register = true;
		query.register_class = item->reg_class;
		query.register_number = item->number;
	}
	const int result = ear_trace_find(
		model->trace, &query, model->cursor + 1, EAR_BACKWARD, &position, model->progress);
	if (result < 0)
		browse_result(browse, browse_fail(model, result));
	else if (result == 0)
		browse_complain(browse, "nothing wrote %s before", name);
	else if (browse_jump(model, position) == 1)
		browse_say(browse, "the last write of %s", name);
	else
		browse_result(browse, 0);
	return result == 1;
}

void browse_seek_writer_back(struct browse *browse, const char *argument)
{
	(void)argument;
	find_selected(browse, EAR_BACKWARD, false);
}

void browse_seek_writer(struct browse *browse, const char *argument)
{
	(void)argument;
	find_selected(browse, EAR_FORWARD, false);
}

void browse_seek_access_back(struct browse *browse, const char *argument)
{
	(void)argument;
	find_selected(browse, EAR_BACKWARD, true);
}

void browse_seek_access_next(struct browse *browse, const char *argument)
{
	(void)argument;
	find_selected(browse, EAR_FORWARD, true);
}

/* ---- Places. ---- */

/* A text by the command, or one that is typed. Returns NULL if none was. */
static const char *ask(struct browse *browse, const char *argument, const char *label)
{
	static char text[256];

	if (argument)
		return argument;
	text[0] = '\0';
	return browse_ask(browse, label, text, sizeof(text), NULL) ? text : NULL;
}

void browse_seek_go(struct browse *browse, const char *argument)
{
	const char *text = ask(browse, argument, "go to: ");

	if (text)
		browse_result(browse, browse_moment(here(browse), text));
}

void browse_seek_percent(struct browse *browse, const char *argument)
{
	const char *text = ask(browse, argument, "percent: ");
	char *end;

	if (!text)
		return;
	const double part = strtod(text, &end);
	if (end == text || (*end != '\0' && strcmp(end, "%") != 0))
		browse_complain(browse, "'%.100s' is not a number of percent", text);
	else
		browse_result(browse, browse_percent(here(browse), part));
}

static void search_for(struct browse *browse, enum ear_direction direction)
{
	char what[BROWSE_SEARCH_MAX + 32];

	snprintf(what, sizeof(what), "match of '%.200s'", browse->search.text);
	browse_result(browse, browse_find(here(browse), &browse->search.query, direction, what));
}

static void search_text(struct browse *browse, const char *argument, const char *label,
	enum ear_direction direction)
{
	const char *text = ask(browse, argument, label);
	char wrong[EAR_ADDRESS_MESSAGE_MAX] = "";
	struct ear_moment *moment = NULL;
	struct ear_moment_view seen;

	if (!text)
		return;
	/* A pointer, or a register, is followed from where the cursor is; the pc, too, is known. */
	const bool there = browse_view(browse, &moment, &seen);
	if (browse_search_parse(
		    &browse->search, text, here(browse)->names, there ? &seen : NULL, wrong))
		search_for(browse, browse->search_direction = direction);
	else
		browse_complain(browse, "%s", wrong);
	ear_moment_free(moment);
}

void browse_seek_search(struct browse *browse, const char *argument)
{
	search_text(browse, argument, "search: ", EAR_FORWARD);
}

void browse_seek_search_back(struct browse *browse, const char *argument)
{
	search_text(browse, argument, "search back: ", EAR_BACKWARD);
}

static void again(struct browse *browse, enum ear_direction direction)
{
	if (browse->search.text[0])
		search_for(browse, direction);
	else
		browse_complain(browse, "nothing was searched for so far: / searches");
}

void browse_seek_next_match(struct browse *browse, const char *argument)
{
	(void)argument;
	again(browse, browse->search_direction);
}

void browse_seek_previous_match(struct browse *browse, const char *argument)
{
	(void)argument;
	again(browse, browse->search_direction == EAR_FORWARD ? EAR_BACKWARD : EAR_FORWARD);
}

void browse_seek_memory(struct browse *browse, const char *argument)
{
	const char *text = ask(browse, argument, "memory at: ");
	char wrong[EAR_ADDRESS_MESSAGE_MAX] = "";
	struct ear_address address = {.size = sizeof(address)};
	struct ear_moment *moment = NULL;
	struct ear_moment_view seen;

	if (!text)
		return;
	const bool there = browse_view(browse, &moment, &seen);
	if (ear_address_parse(&address, text, strlen(text), here(browse)->names,
		    there ? &seen : NULL, wrong) == 0) {
		browse->memory_at = address.ranges[0].first;
		browse->has_memory = browse->memory_kept = true;
	} else {
		browse_complain(browse, "%s%s", wrong, browse_hint(text));
	}
	ear_moment_free(moment);
}

void browse_seek_follow_memory(struct browse *browse, const char *argument)
{
	(void)argument;
	browse->memory_kept = false;
	browse_say(browse, "the pane of memory follows the accesses of the cursor");
}

/* ---- Marks. ---- */

void browse_seek_mark(struct browse *browse, const char *argument)
{
	struct browse_model *model = here(browse);
	const char *name = ask(browse, argument, "name of the mark: ");

	if (!name)
		return;
	if (!ear_mark_name_check(name)) {
		browse_complain(browse,
			"'%.64s' is no name of a mark: letters, digits, _ - . and "
			"a letter or _ first",
			name);
		return;
	}
	/* The moment after the record, whose values are shown. */
	const int result = ear_trace_mark(model->trace, name, model->cursor + 1, model->progress);
	if (result)
		browse_result(browse, browse_fail(model, result));
	else
		browse_say(browse, "marked as %s: `earshot state --at mark=%s` finds it, too", name,
			name);
}

void browse_seek_unmark(struct browse *browse, const char *argument)
{
	struct browse_model *model = here(browse);
	const char *name = ask(browse, argument, "mark to delete: ");

	if (!name)
		return;
	const int result = ear_trace_unmark(model->trace, name, model->progress);
	if (result < 0)
		browse_result(browse, browse_fail(model, result));
	else if (result == 0)
		browse_complain(browse, "there is no mark '%.64s'", name);
	else
		browse_say(browse, "the mark %s is deleted", name);
}

static void near_mark(struct browse *browse, bool forward)
{
	struct browse_model *model = here(browse);
	struct ear_mark *marks = calloc(EAR_MARKS_MAX, sizeof(*marks));
	const int64_t count = marks ? ear_trace_marks(model->trace, marks, sizeof(*marks),
					      EAR_MARKS_MAX, model->progress)
				    : EAR_E_NO_MEMORY;
	const struct ear_mark *found = NULL;

	for (int64_t i = 0; i < count && i < EAR_MARKS_MAX; i++) {
		const uint64_t at = marks[i].position > 0 ? marks[i].position - 1 : 0;
		if (forward ? at > model->cursor && !found : at < model->cursor)
			found = &marks[i];
	}
	if (count < 0)
		browse_result(browse, browse_fail(model, (int)count));
	else if (!found)
		browse_complain(
			browse, "there is no mark %s this record", forward ? "after" : "before");
	else if (browse_jump(model, found->position > 0 ? found->position - 1 : 0) == 1)
		browse_say(browse, "mark %s", found->name);
	free(marks);
}

void browse_seek_next_mark(struct browse *browse, const char *argument)
{
	(void)argument;
	near_mark(browse, true);
}

void browse_seek_previous_mark(struct browse *browse, const char *argument)
{
	(void)argument;
	near_mark(browse, false);
}

void browse_seek_print(struct browse *browse, const char *argument)
{
	const char *text = ask(browse, argument, "print: ");

	if (text)
		browse_print_variable(browse, text);
}
