#ifndef CLI_BROWSE_H
#define CLI_BROWSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/commands/browse/browse_model.h"
#include "cli/commands/browse/browse_query.h"
#include "cli/commands/browse/browse_screen.h"
#include "cli/input/source_lines.h"
#include "cli/input/trace_input.h"

/* 'earshot browse': what its files share.
 *
 *   browse_model, _move, _calls, _query   what is asked, without a screen
 *   browse_screen, _signals               the terminal
 *   browse_panes, _code, _values, _area   what is drawn
 *   browse_keys, _seek, _prompt, _list    what keys do
 *   browse_answers, _pair                 why, check, marks; two traces
 */
enum browse_pane {
	BROWSE_PANE_RECORDS,
	BROWSE_PANE_SOURCE,
	BROWSE_PANE_CODE,
	BROWSE_PANE_REGISTERS, /* of two traces: the records of the other one */
	BROWSE_PANE_MEMORY,
	BROWSE_PANE_STACK,
	BROWSE_PANES
};

/* Where a pane is: its first row is the heading. rows 0: it is not shown. */
struct browse_area {
	int row, column, rows, columns;
};

#define BROWSE_ITEMS_MAX   24
#define BROWSE_MESSAGE_MAX 512

/* What a record reads and writes: a register, or memory. */
struct browse_item {
	bool is_memory, is_written;
	uint8_t reg_class;
	uint16_t number;
	uint64_t address, size;
};

struct browse_list_row {
	char *text;
	uint64_t position; /* UINT64_MAX: it is no place */
	enum browse_style style;
	int key;                 /* of a menu: that is pressed; 0: none */
	struct browse_item item; /* of size > 0 or a register: who wrote it last is the place */
	bool has_item;
};

/* A list over the panes: why, check, marks, help, a menu. */
struct browse_list {
	bool shown;
	char title[96];
	struct browse_list_row *rows;
	size_t count, capacity;
	size_t at, top;
	int pressed; /* the key of the row that was chosen; 0: none */
	bool has_chosen;
	struct browse_item chosen; /* or its item */
};

struct browse {
	struct trace_input *inputs[2];
	struct browse_model models[2];
	bool pair;     /* two traces */
	unsigned side; /* that keys act on */
	struct browse_pair *locked;

	struct source_lines *sources;
	struct browse_area areas[BROWSE_PANES];
	enum browse_pane focus;
	bool zoomed; /* the pane of the focus has all of the screen */
	bool times;  /* the records have a column for them */
	bool mouse, color;

	/* What is selected in each pane. */
	size_t item;      /* of the record: which of its items */
	bool item_kept;   /* by the move that was just made */
	int registers_at; /* row of the pane of registers */
	int registers_top;
	uint64_t memory;    /* first address that is shown, */
	uint64_t memory_at; /* and the one that is selected */
	bool has_memory, memory_kept;
	size_t frame, frame_top; /* of the stack, 0 the newest */
	int line_off, code_off;  /* lines from that of the cursor */
	int left[BROWSE_PANES];  /* columns of source and code that are left of the pane */

	struct browse_list list;
	struct browse_search search; /* the last one, */
	enum ear_direction search_direction;
	char message[BROWSE_MESSAGE_MAX];
	bool message_is_error;
	struct ear_progress progress;
	double progress_last;
	bool answered; /* by a sentence where a list was expected: q closes that */
	bool quit;
};

static inline struct browse_model *browse_here(struct browse *browse)
{
	return &browse->models[browse->side];
}

/* Of an expression that was not understood: where it may be. */
static inline const char *browse_hint(const char *text)
{
	const bool is_name = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
			     *text == '_' || *text == '*';
	return is_name ? "; for variables of a caller press U first" : "";
}

/* The line at the bottom. */
void browse_say(struct browse *browse, const char *form, ...) __attribute__((format(printf, 2, 3)));
void browse_complain(struct browse *browse, const char *form, ...)
	__attribute__((format(printf, 2, 3)));

/* The result of a move: its sentence is shown if it was none. */
void browse_result(struct browse *browse, int result);

/* Panes (browse_panes.c). Draws all. */
void browse_draw(struct browse *browse);
void browse_draw_source(struct browse *browse, const struct browse_area *area);
void browse_draw_code(struct browse *browse, const struct browse_area *area);
void browse_draw_registers(struct browse *browse, const struct browse_area *area);
void browse_draw_memory(struct browse *browse, const struct browse_area *area);
void browse_draw_stack(struct browse *browse, const struct browse_area *area);

/* Has a record around the cursor a time? */
bool browse_has_times(struct browse *browse);

/* The heading of a pane, and line i below it. */
void browse_heading(struct browse *browse, enum browse_pane pane, const char *text);
struct browse_line browse_area_line(const struct browse_area *area, int i);

/* Append the beginning of a text that fits, up to a blank if there is one; *text is the rest. */
void browse_put_wrapped(struct browse_line *line, enum browse_style style, const char **text);

/* What is after the first columns of a text. */
const char *browse_after(const char *text, int columns);

/* Lines that a text takes so; those after the first one have less room, by indent. */
int browse_lines_of(const char *text, int width, int indent);

/* Lines that the sentence at the bottom takes. */
int browse_message_rows(const struct browse *browse);

/* What a record is, in words that fit into a line; and its function and line, "" if not known. */
void browse_record_text(
	struct browse_model *model, const struct ear_record *record, char *text, size_t size);
void browse_instruction_text(
	struct browse_model *model, const struct ear_record *record, char *text, size_t size);
void browse_place_text(struct browse_model *model, uint64_t pc, char *text, size_t size);

/* The name of what a jump or branch at pc goes to, after the text of the instruction. */
void browse_add_target(
	struct browse_model *model, uint64_t pc, unsigned xlen, char *text, size_t size);

/* What the record of the cursor reads and writes; and the one that is selected, or NULL. */
size_t browse_items(struct browse *browse, struct browse_item items[BROWSE_ITEMS_MAX]);
bool browse_selected(struct browse *browse, struct browse_item *item);
void browse_item_text(const struct browse_item *item, char *text, size_t size);

/* Registers of the pane, in its order: false beyond the last one. */
bool browse_register_row(int row, enum ear_register_class *reg_class, unsigned *number);
int browse_register_columns(const struct browse *browse);

/* The line or address that is selected in the panes of source and code, relative to the cursor's.
 * Returns false if there is none. */
bool browse_selected_line(struct browse *browse, const char **path, uint32_t *line);
bool browse_selected_code(struct browse *browse, uint64_t *pc);
bool browse_selected_frame(struct browse *browse, uint64_t *position);

/* Keys (browse_keys.c). */
void browse_press(struct browse *browse, int key);

/* Asks for a line of text: false if it was left with Esc. complete: what Tab does; NULL: nothing.
 * It returns how many texts begin so, the longest beginning that they have, and their names. */
typedef size_t browse_completion(
	const char *text, char *completed, size_t size, char *names, size_t names_size);
bool browse_ask(struct browse *browse, const char *label, char *text, size_t size,
	browse_completion *complete);

/* A list. Its rows are freed by the next one. */
void browse_list_begin(struct browse *browse, const char *form, ...)
	__attribute__((format(printf, 2, 3)));
void browse_list_add(struct browse *browse, uint64_t position, enum browse_style style,
	const char *form, ...) __attribute__((format(printf, 4, 5)));
void browse_list_add_key(struct browse *browse, int key, const char *form, ...)
	__attribute__((format(printf, 3, 4)));
/* The row that was added last is a thing: Enter goes to who wrote it last. */
void browse_list_set_item(struct browse *browse, const struct browse_item *item);
void browse_list_show(struct browse *browse);
void browse_list_free(struct browse *browse);
void browse_list_draw(struct browse *browse);
bool browse_list_press(struct browse *browse, int key); /* did it take the key? */

/* Lists of answers (browse_answers.c). */
void browse_why(struct browse *browse);
void browse_origin(struct browse *browse); /* of what is selected */
void browse_check(struct browse *browse);
void browse_marks(struct browse *browse);
void browse_harts(struct browse *browse);
void browse_tasks(struct browse *browse);
void browse_matches(struct browse *browse);
void browse_print_variable(struct browse *browse, const char *expression);
void browse_locals(struct browse *browse);

/* What was known after the record of the cursor, in the function that it belongs to. Returns false
 * with why in the model; *moment is to be freed in any case. */
struct ear_moment;
struct ear_moment_view;
bool browse_view(struct browse *browse, struct ear_moment **moment, struct ear_moment_view *seen);

/* Two traces (browse_pair.c). */
struct browse_pair;
bool browse_pair_open(struct browse *browse); /* false after printing why not */
void browse_pair_free(struct browse *browse);
void browse_pair_follow(struct browse *browse); /* the other side comes to the same record */
void browse_pair_first(struct browse *browse);  /* to the first difference, if there is one */
void browse_pair_list(struct browse *browse);
void browse_pair_next(struct browse *browse, enum ear_direction direction);
void browse_pair_text(struct browse *browse, char *text, size_t size);

#endif
