/* Keys, commands by name, help and the menu: all of them are made from one table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/commands/browse/browse.h"
#include "cli/commands/browse/browse_seek.h"

/* What can be done. */
struct action {
	int key, other;       /* 0: it has a name alone; other: a second key */
	const char *label;    /* of the key: "Down j" */
	const char *name;     /* of the command; NULL: it has a key alone */
	const char *argument; /* that the command takes: "MOMENT"; NULL: none */
	const char *text;     /* for the help; a row without run is a title */
	/* argument: of the command; NULL: by its key, or the command has none: then it asks. */
	void (*run)(struct browse *browse, const char *argument);
};

static void show_help(struct browse *browse);
static void show_menu(struct browse *browse);
static void run_command(struct browse *browse, const char *text);
static size_t complete(
	const char *text, char *completed, size_t size, char *names, size_t names_size);

static struct browse_model *here(struct browse *browse)
{
	return browse_here(browse);
}

static int page(const struct browse *browse)
{
	const int rows = browse->areas[browse->focus].rows;

	return rows > 3 ? rows - 2 : 1;
}

/* ---- Moves. ---- */

/* Up and down act on the pane of the focus. */
static void move_by(struct browse *browse, int count)
{
	const int columns = browse_register_columns(browse);
	enum ear_register_class reg_class;
	unsigned number;
	int wanted;

	switch (browse->focus) {
	case BROWSE_PANE_SOURCE: browse->line_off += count; return;
	case BROWSE_PANE_CODE: browse->code_off += count; return;
	case BROWSE_PANE_REGISTERS:
		if (browse->pair)
			break;
		wanted = browse->registers_at + count * columns;
		if (browse_register_row(wanted, &reg_class, &number))
			browse->registers_at = wanted;
		return;
	case BROWSE_PANE_MEMORY:
		browse->memory_at +=
			(uint64_t)((int64_t)count *
				   (browse->areas[BROWSE_PANE_MEMORY].columns >= 62 ? 16 : 8));
		return;
	case BROWSE_PANE_STACK:
		if (count < 0 && browse->frame < (size_t)-count)
			browse->frame = 0;
		else
			browse->frame += (size_t)(int64_t)count;
		return;
	default: break;
	}
	browse_result(browse, browse_rows(here(browse), count));
}

static void down(struct browse *browse, const char *argument)
{
	(void)argument;
	move_by(browse, 1);
}

static void up(struct browse *browse, const char *argument)
{
	(void)argument;
	move_by(browse, -1);
}

static void page_down(struct browse *browse, const char *argument)
{
	(void)argument;
	move_by(browse, page(browse));
}

static void page_up(struct browse *browse, const char *argument)
{
	(void)argument;
	move_by(browse, -page(browse));
}

#define SIDEWAYS     8 /* columns that a key moves the source by */
#define SIDEWAYS_MAX 400

/* Left and right move the text of source and code, and choose what is selected elsewhere. */
static void sideways(struct browse *browse, int count)
{
	struct browse_item items[BROWSE_ITEMS_MAX];
	enum ear_register_class reg_class;
	unsigned number;

	if (browse->focus == BROWSE_PANE_SOURCE || browse->focus == BROWSE_PANE_CODE) {
		int *left = &browse->left[browse->focus];
		*left += count * SIDEWAYS;
		*left = *left < 0 ? 0 : *left > SIDEWAYS_MAX ? SIDEWAYS_MAX : *left;
	} else if (browse->focus == BROWSE_PANE_MEMORY) {
		browse->memory_at += (uint64_t)(int64_t)count;
	} else if (browse->focus == BROWSE_PANE_REGISTERS && !browse->pair) {
		if (browse_register_row(browse->registers_at + count, &reg_class, &number))
			browse->registers_at += count;
	} else {
		const size_t all = browse_items(browse, items);
		if (all > 0)
			browse->item = (browse->item % all + (count > 0 ? 1 : all - 1)) % all;
	}
}

static void left(struct browse *browse, const char *argument)
{
	(void)argument;
	sideways(browse, -1);
}

static void right(struct browse *browse, const char *argument)
{
	(void)argument;
	sideways(browse, 1);
}

#define MOVE(name, call) \
	static void name(struct browse *browse, const char *argument) \
	{ \
		(void)argument; \
		browse_result(browse, call); \
	}

MOVE(first, browse_jump(here(browse), 0))
MOVE(last, browse_jump(here(browse), UINT64_MAX))
MOVE(step, browse_step(here(browse), EAR_FORWARD))
MOVE(step_back, browse_step(here(browse), EAR_BACKWARD))
MOVE(over, browse_over(here(browse), EAR_FORWARD))
MOVE(over_back, browse_over(here(browse), EAR_BACKWARD))
MOVE(line, browse_line(here(browse), EAR_FORWARD))
MOVE(line_back, browse_line(here(browse), EAR_BACKWARD))
MOVE(out, browse_out(here(browse), EAR_FORWARD))
MOVE(caller, browse_out(here(browse), EAR_BACKWARD))
MOVE(call, browse_call(here(browse), EAR_FORWARD))
MOVE(call_back, browse_call(here(browse), EAR_BACKWARD))
MOVE(returns, browse_return(here(browse), EAR_FORWARD))
MOVE(returns_back, browse_return(here(browse), EAR_BACKWARD))
MOVE(leave_loop, browse_leave_loop(here(browse), EAR_FORWARD))
MOVE(enter_loop, browse_leave_loop(here(browse), EAR_BACKWARD))
MOVE(back, browse_back(here(browse)))
MOVE(forth, browse_forth(here(browse)))

static void find(struct browse *browse, unsigned kinds, unsigned traps, const char *what,
	enum ear_direction direction)
{
	struct ear_query query = EAR_QUERY_ANY;

	query.kinds = kinds;
	query.traps = traps;
	browse_result(browse, browse_find(here(browse), &query, direction, what));
}

#define ANY_TRAP (EAR_QUERY_EXCEPTION | EAR_QUERY_INTERRUPT)
#define FIND(name, kinds, traps, what, direction) \
	static void name(struct browse *browse, const char *argument) \
	{ \
		(void)argument; \
		find(browse, kinds, traps, what, direction); \
	}

FIND(trap, 0, ANY_TRAP, "trap or interrupt", EAR_FORWARD)
FIND(trap_back, 0, ANY_TRAP, "trap or interrupt", EAR_BACKWARD)
FIND(interrupt, 0, EAR_QUERY_INTERRUPT, "interrupt", EAR_FORWARD)
FIND(interrupt_back, 0, EAR_QUERY_INTERRUPT, "interrupt", EAR_BACKWARD)
FIND(event, 1u << EAR_RECORD_EVENT, 0, "event", EAR_FORWARD)
FIND(event_back, 1u << EAR_RECORD_EVENT, 0, "event", EAR_BACKWARD)
FIND(gap, 1u << EAR_RECORD_GAP, 0, "gap", EAR_FORWARD)
FIND(gap_back, 1u << EAR_RECORD_GAP, 0, "gap", EAR_BACKWARD)

/* ---- The screen. ---- */

static void next_pane(struct browse *browse, const char *argument)
{
	(void)argument;
	browse->focus = (browse->focus + 1) % BROWSE_PANES;
	if (browse->pair)
		browse->side = browse->focus == BROWSE_PANE_REGISTERS;
	browse->line_off = browse->code_off = 0;
}

static void previous_pane(struct browse *browse, const char *argument)
{
	(void)argument;
	browse->focus = (browse->focus + BROWSE_PANES - 1) % BROWSE_PANES;
	if (browse->pair)
		browse->side = browse->focus == BROWSE_PANE_REGISTERS;
	browse->line_off = browse->code_off = 0;
}

static void records(struct browse *browse, const char *argument)
{
	(void)argument;
	browse->focus = BROWSE_PANE_RECORDS;
	browse->side = 0;
	browse->zoomed = false;
	memset(browse->left, 0, sizeof(browse->left));
}

static void zoom(struct browse *browse, const char *argument)
{
	(void)argument;
	browse->zoomed = !browse->zoomed;
}

static void fold(struct browse *browse, const char *argument)
{
	static const char *const texts[] = {"every record is a line",
		"calls without the cursor are a line: s goes into one, u out of it",
		"calls and loops without the cursor are a line"};
	const enum browse_fold next = (here(browse)->fold + 1) % BROWSE_FOLDS;

	const struct browse_calls *calls = browse_model_calls(here(browse));
	const uint32_t node = browse_calls_node(calls, here(browse)->cursor);
	const bool in_loop = next == BROWSE_FOLD_LOOPS && calls->node_count > 0 &&
			     calls->nodes[node].kind == BROWSE_NODE_LOOP;

	(void)argument;
	browse->models[0].fold = browse->models[1].fold = next;
	browse_say(browse, "%s%s", texts[next],
		in_loop ? "; this loop is open: ( and ) leave it" : "");
}

static void times(struct browse *browse, const char *argument)
{
	(void)argument;
	if (!browse->times && !browse_has_times(browse))
		browse_complain(browse, "the records around here have no times");
	else
		browse->times = !browse->times;
}

static void mouse(struct browse *browse, const char *argument)
{
	(void)argument;
	browse->mouse = !browse->mouse;
	browse_screen_use_mouse(browse->mouse);
	browse_say(browse, browse->mouse
				   ? "the mouse moves the cursor (Shift and drag selects text)"
				   : "the mouse selects text");
}

static void redraw(struct browse *browse, const char *argument)
{
	(void)argument;
	(void)browse;
	browse_screen_redraw();
}

static void show_list(struct browse *browse, const char *argument)
{
	(void)argument;
	if (browse->list.count == 0)
		browse_complain(browse, "no list was shown so far: y why, K check, ' marks");
	browse_list_show(browse);
}

/* ---- Answers. ---- */

#define ANSWER(name, call) \
	static void name(struct browse *browse, const char *argument) \
	{ \
		(void)argument; \
		call(browse); \
		browse->answered = !browse->list.shown; \
	}

ANSWER(why, browse_why)
ANSWER(origin, browse_origin)
ANSWER(check, browse_check)
ANSWER(marks, browse_marks)
ANSWER(harts, browse_harts)
ANSWER(tasks, browse_tasks)
ANSWER(matches, browse_matches)
ANSWER(help, show_help)
ANSWER(menu, show_menu)
ANSWER(locals, browse_locals)
ANSWER(differences, browse_pair_list)

static void difference(struct browse *browse, const char *argument)
{
	(void)argument;
	browse_pair_next(browse, EAR_FORWARD);
}

static void difference_back(struct browse *browse, const char *argument)
{
	(void)argument;
	browse_pair_next(browse, EAR_BACKWARD);
}

static void command(struct browse *browse, const char *argument)
{
	char text[256] = "";

	(void)argument;
	if (browse_ask(browse, ":", text, sizeof(text), complete))
		run_command(browse, text);
}

static void quit(struct browse *browse, const char *argument)
{
	/* Whoever closes a list that is not there does not want to end. */
	if (browse->answered && !argument)
		browse_say(browse, "q again quits");
	else
		browse->quit = true;
	browse->answered = false;
}

/* ---- The table. ---- */

static const struct action actions[] = {
	{.text = "The cursor"},
	{'j', BROWSE_KEY_DOWN, "Down j", "down", NULL, "a line down in the pane of the focus",
		down},
	{'k', BROWSE_KEY_UP, "Up k", "up", NULL, "a line up", up},
	{' ', BROWSE_KEY_PAGE_DOWN, "PgDn Space", "page-down", NULL, "a page down", page_down},
	{'b', BROWSE_KEY_PAGE_UP, "PgUp b", "page-up", NULL, "a page up", page_up},
	{'g', BROWSE_KEY_HOME, "Home g", "first", NULL, "the first record", first},
	{'G', BROWSE_KEY_END, "End G", "last", NULL, "the last record", last},
	{BROWSE_KEY_LEFT, 0, "Left", NULL, NULL, "select what the record writes and reads", left},
	{BROWSE_KEY_RIGHT, 0, "Right", NULL, NULL, "the next one of these", right},
	{.text = "Steps"},
	{'s', 0, "s", "step", NULL, "the next record, into calls", step},
	{'S', 0, "S", "step-back", NULL, "the record before", step_back},
	{'o', 0, "o", "over", NULL, "over a call", over},
	{'O', 0, "O", "over-back", NULL, "back over a call", over_back},
	{'l', 0, "l", "line", NULL, "the next line of the source, over calls", line},
	{'L', 0, "L", "line-back", NULL, "the line before", line_back},
	{'u', 0, "u", "out", NULL, "out: to where the function returned to", out},
	{'U', 0, "U", "caller", NULL, "up: to the call of the function", caller},
	{'c', 0, "c", "call", NULL, "the next call", call},
	{'C', 0, "C", "call-back", NULL, "the call before", call_back},
	{'r', 0, "r", "return", NULL, "the next return", returns},
	{'R', 0, "R", "return-back", NULL, "the return before", returns_back},
	{')', 0, ")", "leave-loop", NULL, "leave the loop", leave_loop},
	{'(', 0, "(", "enter-loop", NULL, "to before the loop", enter_loop},
	{.text = "What is selected"},
	{'[', 0, "[", "last-write", NULL, "who wrote it last; of a line or address: executed last",
		browse_seek_writer_back},
	{']', 0, "]", "next-write", NULL, "who writes it next; executed next", browse_seek_writer},
	{'{', 0, "{", "last-access", NULL, "the last read or write of it (memory)",
		browse_seek_access_back},
	{'}', 0, "}", "next-access", NULL, "the next read or write of it (memory)",
		browse_seek_access_next},
	{'V', 0, "V", "origin", NULL, "where its value came from, step by step, as a list", origin},
	{BROWSE_KEY_ENTER, 0, "Enter", "menu", NULL, "what can be done here", menu},
	{.text = "Searches"},
	{'/', 0, "/", "search", "CONDITIONS",
		"search: pc=, addr=, read, write, data=, reg=, trap, ...", browse_seek_search},
	{'?', 0, "?", "search-back", "CONDITIONS", "search back", browse_seek_search_back},
	{'n', 0, "n", "next", NULL, "the next match, in the direction of the search",
		browse_seek_next_match},
	{'N', 0, "N", "previous", NULL, "the next match, in the other direction",
		browse_seek_previous_match},
	{'A', 0, "A", "matches", NULL, "all matches, as a list", matches},
	{'t', 0, "t", "trap", NULL, "the next trap or interrupt", trap},
	{'T', 0, "T", "trap-back", NULL, "the trap or interrupt before", trap_back},
	{'i', 0, "i", "interrupt", NULL, "the next interrupt", interrupt},
	{'I', 0, "I", "interrupt-back", NULL, "the interrupt before", interrupt_back},
	{'e', 0, "e", "event", NULL, "the next event", event},
	{'E', 0, "E", "event-back", NULL, "the event before", event_back},
	{'x', 0, "x", "gap", NULL, "the next gap", gap},
	{'X', 0, "X", "gap-back", NULL, "the gap before", gap_back},
	{.text = "Places"},
	{'#', '@', "# @", "goto", "MOMENT", "a moment: 463, @5000, trap#2, crc#3, fw.c:31",
		browse_seek_go},
	{'!', 0, "!", "percent", "N", "a part of the trace, in percent", browse_seek_percent},
	{'<', BROWSE_KEY_ERASE, "< Backspace", "back", NULL, "where the last jump came from", back},
	{'>', 0, ">", "forth", NULL, "and forth again", forth},
	{'m', 0, "m", "mark", "NAME", "give the moment a name", browse_seek_mark},
	{'\'', 0, "'", "marks", NULL, "the marks, as a list", marks},
	{',', 0, ",", "mark-back", NULL, "the mark before", browse_seek_previous_mark},
	{';', 0, ";", "mark-next", NULL, "the next mark", browse_seek_next_mark},
	{0, 0, "", "unmark", "NAME", "delete a mark", browse_seek_unmark},
	{.text = "Answers"},
	{'y', 0, "y", "why", NULL, "why the run ended as it did, as a list", why},
	{'K', 0, "K", "check", NULL, "where the core broke the rules of the ISA, as a list", check},
	{'p', 0, "p", "print", "EXPRESSION", "a variable: box.count, *list", browse_seek_print},
	{'v', 0, "v", "locals", NULL, "parameters and variables of the function", locals},
	{'H', 0, "H", "harts", NULL, "the harts around here, as a list", harts},
	{'P', 0, "P", "tasks", NULL, "the tasks (processes), as a list", tasks},
	{'d', 0, "d", "difference", NULL, "of two traces: the next difference", difference},
	{'D', 0, "D", "difference-back", NULL, "the difference before", difference_back},
	{'=', 0, "=", "differences", NULL, "the differences, as a list", differences},
	{'.', 0, ".", "list", NULL, "the last list again", show_list},
	{.text = "The screen"},
	{BROWSE_KEY_TAB, 0, "Tab", "pane", NULL, "the next pane", next_pane},
	{BROWSE_KEY_BACK_TAB, 0, "Shift-Tab", "pane-back", NULL, "the pane before", previous_pane},
	{BROWSE_KEY_ESCAPE, 0, "Esc", "records", NULL, "back to the records", records},
	{'Z', 0, "Z", "zoom", NULL, "the pane on all of the screen, and back", zoom},
	{'z', 0, "z", "fold", NULL, "fold calls, then loops, then nothing", fold},
	{'a', 0, "a", "memory", "ADDRESS", "show memory there: buffer, sp+16, 0x8000",
		browse_seek_memory},
	{'f', 0, "f", "follow", NULL, "memory follows the accesses again",
		browse_seek_follow_memory},
	{'w', 0, "w", "times", NULL, "show when each record was", times},
	{'M', 0, "M", "mouse", NULL, "the mouse moves the cursor, or selects text", mouse},
	{12, 0, "Ctrl-L", "redraw", NULL, "draw all of it again", redraw},
	{':', 0, ":", NULL, NULL, "a command by its name; Tab completes it", command},
	{'h', BROWSE_KEY_F1, "h F1", "help", NULL, "this list", help},
	{'q', 0, "q", "quit", NULL, "quit", quit},
	{0},
};

/* ---- Keys. ---- */

static const struct action *find_key(int key)
{
	for (const struct action *action = actions; action->text; action++)
		if (action->run && key && (action->key == key || action->other == key))
			return action;
	return NULL;
}

static bool is_in(const struct browse_area *area, const struct browse_mouse *mouse)
{
	return area->rows > 0 && mouse->row >= area->row && mouse->row < area->row + area->rows &&
	       mouse->column >= area->column && mouse->column < area->column + area->columns;
}

/* A click goes to the row; the wheel moves as the keys do. */
static void press_mouse(struct browse *browse)
{
	struct browse_mouse mouse;

	browse_screen_mouse(&mouse);
	for (int pane = 0; pane < BROWSE_PANES; pane++) {
		const struct browse_area *area = &browse->areas[pane];
		if (!is_in(area, &mouse))
			continue;
		if (mouse.up || mouse.down) {
			browse_result(
				browse, browse_rows(browse_here(browse), mouse.down ? 3 : -3));
			return;
		}
		browse->focus = (enum browse_pane)pane;
		if (browse->pair)
			browse->side = pane == BROWSE_PANE_REGISTERS;
		const int off = mouse.row - area->row - 1 - (area->rows - 1) / 2;
		if (mouse.row > area->row && off != 0 &&
			(pane == BROWSE_PANE_RECORDS ||
				(browse->pair && pane == BROWSE_PANE_REGISTERS)))
			browse_result(browse, browse_rows(browse_here(browse), off));
		else if (pane == BROWSE_PANE_STACK && mouse.row > area->row)
			browse->frame = browse->frame_top + (size_t)(mouse.row - area->row - 1);
		return;
	}
}

/* Enter on a frame, a line or an address goes there. */
static bool enter(struct browse *browse)
{
	uint64_t position;

	if (browse->focus != BROWSE_PANE_STACK)
		return false;
	if (browse_selected_frame(browse, &position))
		browse_result(browse, browse_jump(browse_here(browse), position));
	else
		browse_complain(browse, "where this frame called is not known");
	browse->frame = 0;
	browse->focus = BROWSE_PANE_RECORDS;
	return true;
}

static void act(struct browse *browse, int key)
{
	if (key == BROWSE_KEY_MOUSE) {
		press_mouse(browse);
	} else if (key != BROWSE_KEY_ENTER || !enter(browse)) {
		const struct action *action = find_key(key);
		if (action)
			action->run(browse, NULL);
		else
			browse_complain(
				browse, "this key has no meaning; h shows those that have one");
	}
}

void browse_press(struct browse *browse, int key)
{
	browse->message[0] = '\0';
	if (key != 'q')
		browse->answered = false;
	const uint64_t before = browse_here(browse)->cursor;
	const unsigned side = browse->side;
	if (key == BROWSE_KEY_RESIZE)
		return;
	if (browse_list_press(browse, key)) {
		key = browse->list.pressed;
		browse->list.pressed = 0;
		/* The list stays where there is nothing to go to. */
		if (browse->list.has_chosen)
			browse->list.shown = !browse_seek_last_write(browse, &browse->list.chosen);
		browse->list.has_chosen = false;
		if (key)
			browse_press(browse, key);
	} else {
		act(browse, key);
	}
	if (browse_here(browse)->cursor == before && browse->side == side)
		return;
	if (!browse->item_kept)
		browse->item = 0;
	browse->item_kept = false;
	if (browse->focus != BROWSE_PANE_STACK)
		browse->frame = 0;
	browse->line_off = browse->code_off = 0;
	if (browse->pair)
		browse_pair_follow(browse);
}

/* ---- Help. ---- */

static void show_help(struct browse *browse)
{
	browse_list_begin(browse, "help: Enter on a line does it");
	browse_list_add(browse, UINT64_MAX, BROWSE_PLACE, "Start here");
	browse_list_add_key(browse, 'y', "  y says why the run ended as it did.");
	browse_list_add_key(
		browse, BROWSE_KEY_ENTER, "  Enter shows what can be done at the cursor.");
	browse_list_add(browse, UINT64_MAX, BROWSE_PLAIN,
		"  [ goes to who wrote what is selected, < comes back from any jump.");
	for (const struct action *action = actions; action->text; action++) {
		char name[64] = "";
		if (!action->run) {
			browse_list_add(browse, UINT64_MAX, BROWSE_PLACE, "%s", action->text);
			continue;
		}
		if (action->name)
			snprintf(name, sizeof(name), ":%s%s%s", action->name,
				action->argument ? " " : "",
				action->argument ? action->argument : "");
		if (action->key)
			browse_list_add_key(browse, action->key, "  %-12s %-23s %s", action->label,
				name, action->text);
		else
			browse_list_add(browse, UINT64_MAX, BROWSE_PLAIN, "  %-12s %-23s %s",
				action->label, name, action->text);
	}
	browse_list_add(browse, UINT64_MAX, BROWSE_PLACE, "The screen, in words");
	static const char *const words[] = {
		"  Values are those after the record of the cursor, as `earshot state --at N`.",
		"  What the record wrote is lit; ? is not known: the trace does not show it.",
		"  In source and code Left and Right move the text; Esc moves it back.",
		"  * is where the cursor is; < was executed before it in this call, > after it,",
		"  = both: as far as 3000 records on each side show.",
		"  Ctrl-C ends what takes long. docs/browse.md has the rest."};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		browse_list_add(browse, UINT64_MAX, BROWSE_PLAIN, "%s", words[i]);
	browse_list_show(browse);
}

/* ---- The menu. ---- */

static void offer(struct browse *browse, int key, const char *text)
{
	const struct action *action = find_key(key);

	browse_list_add_key(browse, key, "  %-12s %s", action ? action->label : "", text);
}

static void show_menu(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);
	struct browse_item item;
	char name[64], text[160];

	browse_list_begin(browse, "what can be done here");
	if (browse_selected(browse, &item)) {
		browse_item_text(&item, name, sizeof(name));
		snprintf(text, sizeof(text), "who wrote %s last", name);
		offer(browse, '[', text);
		snprintf(text, sizeof(text), "who writes %s next", name);
		offer(browse, ']', text);
		snprintf(text, sizeof(text), "where the value of %s came from", name);
		offer(browse, 'V', text);
		if (item.is_memory) {
			offer(browse, '{', "the last read or write there");
			offer(browse, '}', "the next read or write there");
		}
	} else if (browse->focus == BROWSE_PANE_SOURCE || browse->focus == BROWSE_PANE_CODE) {
		offer(browse, '[', "when it was executed last");
		offer(browse, ']', "when it is executed next");
	}
	if (record && record->kind == EAR_RECORD_INSTRUCTION) {
		offer(browse, 's', "the next record, into a call");
		offer(browse, 'o', "over a call");
		offer(browse, 'l', "the next line of the source");
		offer(browse, 'U', "to the call of this function");
		offer(browse, 'u', "out: to where it returned to");
		offer(browse, 'v', "parameters and variables here");
		offer(browse, ')', "leave the loop");
	}
	offer(browse, 'y', "why the run ended as it did");
	offer(browse, 'K', "where the core broke a rule");
	offer(browse, 'm', "give this moment a name");
	offer(browse, '/', "search");
	if (browse->pair)
		offer(browse, '=', "where the two traces differ");
	browse_list_show(browse);
}

/* ---- Commands by name. ---- */

static const struct action *find_name(const char *name, size_t size)
{
	for (const struct action *action = actions; action->text; action++)
		if (action->name && strlen(action->name) == size &&
			strncmp(action->name, name, size) == 0)
			return action;
	return NULL;
}

/* The only one that begins so; NULL: none or several. */
static const struct action *only_one(const char *name, size_t size)
{
	const struct action *found = NULL;

	for (const struct action *action = actions; action->text; action++) {
		if (!action->name || strncmp(action->name, name, size) != 0)
			continue;
		if (found)
			return NULL;
		found = action;
	}
	return found;
}

static void run_command(struct browse *browse, const char *text)
{
	text += strspn(text, " ");
	const size_t size = strcspn(text, " ");
	const char *argument = text + size + strspn(text + size, " ");

	if (size == 0)
		return;
	const struct action *action = find_name(text, size);
	if (!action)
		action = only_one(text, size);
	if (!action && text[strspn(text, "0123456789")] == '\0') {
		browse_result(browse, browse_moment(browse_here(browse), text));
		return;
	}
	if (!action)
		browse_complain(browse, "there is no command '%.*s'; :help lists them",
			(int)(size < 60 ? size : 60), text);
	else if (*argument && !action->argument)
		browse_complain(browse, "%s takes no argument", action->name);
	else
		action->run(browse, *argument || action->run == quit ? argument : NULL);
}

/* The longest beginning that all commands have which begin with text; how many there are. */
static size_t complete(
	const char *text, char *completed, size_t size, char *names, size_t names_size)
{
	const size_t length = strlen(text);
	size_t count = 0;

	completed[0] = names[0] = '\0';
	for (const struct action *action = actions; action->text; action++) {
		if (!action->name || strncmp(action->name, text, length) != 0)
			continue;
		const size_t used = strlen(names);
		snprintf(names + used, names_size - used, "%s%s", used ? " " : "", action->name);
		if (count++ == 0) {
			snprintf(completed, size, "%s", action->name);
			continue;
		}
		size_t same = 0;
		while (completed[same] && completed[same] == action->name[same])
			same++;
		completed[same] = '\0';
	}
	const struct action *whole = find_name(completed, strlen(completed));
	if (count == 1 && whole && whole->argument && strlen(completed) + 1 < size)
		strcat(completed, " ");
	return count;
}
