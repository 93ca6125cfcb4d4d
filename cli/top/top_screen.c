/* The screen of a live view. Its head has a fixed height, so that lists stay where they are; they
 * share what is left of the lines. Help is made from the table of keys, which is also what acts.
 */
#include "cli/top/top_screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/figure.h"
#include "cli/top/top_share.h"
#include "cli/top/top_terminal.h"
#include "cli/top/top_text.h"

#define NAME_SHOWN   200
#define COUNT_COLUMN 11
#define CLASSES_MIN  0.001 /* a share that is shown */

/* ---- Keys. ---- */

static const struct {
	char key;
	const char *name, *text;
} keys[] = {
	{'q', "q", "leave"},
	{' ', "space", "pause the screen, and continue; counting continues"},
	{'s', "s", "sort by instructions, clocks, traps, interrupts"},
	{'t', "t", "this interval, or all since the beginning"},
	{'h', "h", "all harts, or one after the other"},
	{'l', "l", "both lists, functions alone, instructions alone"},
	{'?', "?", "this help"},
};

static const char *const key_words[EAR_TOP_KEYS] = {
	"instructions", "clocks", "traps", "interrupts"};

static int next_hart(const struct ear_top_view *view, int hart)
{
	for (size_t i = 0; i < view->hart_count; i++)
		if (hart < 0 || (view->harts[i].hart == hart && i + 1 < view->hart_count))
			return view->harts[hart < 0 ? i : i + 1].hart;
	return -1;
}

enum top_key_effect top_screen_key(
	struct top_screen *screen, const struct top_frame *frame, int key)
{
	const bool had_help = screen->help;

	if (key == 0)
		return TOP_KEY_NOTHING;
	screen->help = false;
	switch (key) {
	case 'q':
	case 'Q': return had_help ? TOP_KEY_DRAW : TOP_KEY_QUIT;
	case ' ': screen->paused = !screen->paused; return TOP_KEY_DRAW;
	case 's':
		screen->key = (screen->key + 1) % EAR_TOP_KEYS;
		return screen->paused ? TOP_KEY_DRAW : TOP_KEY_TAKE;
	case 't':
		/* What has ended has no interval. */
		screen->sum = !screen->sum || frame->state != TOP_RUNNING;
		return screen->paused ? TOP_KEY_DRAW : TOP_KEY_TAKE;
	case 'h':
		screen->hart = next_hart(&frame->view, screen->hart);
		return screen->paused ? TOP_KEY_DRAW : TOP_KEY_TAKE;
	case 'l': screen->lists = (screen->lists + 1) % (TOP_INSTRUCTIONS + 1); return TOP_KEY_DRAW;
	case '?': screen->help = !had_help; return TOP_KEY_DRAW;
	default: return had_help ? TOP_KEY_DRAW : TOP_KEY_NOTHING;
	}
}

/* ---- The head. ---- */

static void put_count(struct top_text *text, const struct top_frame *frame, const char *what,
	uint64_t count, bool known)
{
	char rate[TOP_SHORT_SIZE];

	if (!known)
		top_text_put(text, TOP_PLAIN_TEXT, "%s not shown by the trace", what);
	else if (frame->has_rates)
		top_text_put(text, TOP_PLAIN_TEXT, "%s %s/s", what,
			top_short(rate, top_rate(frame, count)));
	else
		top_text_put(text, TOP_PLAIN_TEXT, "%s %s", what, top_short(rate, (double)count));
}

/* The state is at the right; a name that is too long for that is cut. */
static void put_title(
	struct top_text *text, const struct top_screen *screen, const struct top_frame *frame)
{
	const size_t columns = text->columns;
	char state[96];
	const int length = snprintf(state, sizeof(state), "  %s%s, %.1f s ",
		screen->paused ? "paused, " : "", top_state_word(frame->state), frame->elapsed);
	const size_t size = (size_t)length < columns ? (size_t)length : columns;

	text->columns = columns - size;
	top_text_put(text, TOP_HEAD, " earshot top  %s", frame->source->name);
	if (text->column < text->columns)
		top_text_put(text, TOP_HEAD, "%*s", (int)(text->columns - text->column), "");
	text->columns = columns;
	top_text_put(text, TOP_HEAD, "%s", state);
	top_text_end_line(text);
}

static void put_idle(struct top_text *text, const struct ear_top_sum *sum)
{
	double share = 0;
	const char *of = top_idle_share(sum, &sum->idle, &share);

	if (of)
		top_text_put(text, TOP_PLAIN_TEXT, "idle %.1f%% of %s", 100 * share, of);
	else if (sum->idle.waits > 0)
		top_text_put(text, TOP_PLAIN_TEXT,
			"idle unknown: %" PRIu64 " wfi and no time in the records",
			sum->idle.waits);
	else
		top_text_put(text, TOP_PLAIN_TEXT, "idle unknown");
}

static void put_counts(struct top_text *text, const struct top_screen *screen,
	const struct top_frame *frame, const struct ear_top_sum *sum)
{
	const uint64_t *counts = sum->counts.all;
	char records[TOP_SHORT_SIZE];

	put_count(text, frame, "instructions", counts[EAR_TOP_RECORDS], true);
	top_text_put(text, TOP_PLAIN_TEXT, " (%s since the beginning)",
		top_short(records, (double)frame->view.sum.counts.all[EAR_TOP_RECORDS]));
	if (frame->view.sum.timed > 0) {
		top_text_put(text, TOP_PLAIN_TEXT, "   ");
		put_count(text, frame, "clocks", counts[EAR_TOP_CLOCKS], true);
	}
	top_text_put(text, TOP_PLAIN_TEXT, "   ");
	put_idle(text, sum);
	top_text_end_line(text);
	put_count(text, frame, "traps", counts[EAR_TOP_TRAPS], !frame->source->no_traps);
	top_text_put(text, TOP_PLAIN_TEXT, "   ");
	put_count(text, frame, "interrupts", counts[EAR_TOP_INTERRUPTS],
		!frame->source->no_interrupts);
	for (size_t i = 0; i < frame->view.cause_count; i++) {
		const struct ear_top_cause *cause = &frame->view.causes[i];
		const uint64_t count = screen->sum ? cause->sum : cause->now;
		if (count > 0 && cause->is_known)
			top_text_put(text, TOP_DIM, "   %s 0x%" PRIx64 ": %s",
				cause->is_interrupt ? "interrupt" : "trap", cause->cause,
				top_short(records, (double)count));
	}
	top_text_end_line(text);
}

static void put_harts(
	struct top_text *text, const struct top_screen *screen, const struct top_frame *frame)
{
	const struct ear_top_view *view = &frame->view;

	top_text_put(text, TOP_PLAIN_TEXT, "depth of calls");
	for (size_t i = 0; i < view->hart_count; i++) {
		const struct ear_top_hart *hart = &view->harts[i];
		if (view->hart_count > 1)
			top_text_put(text, TOP_PLAIN_TEXT, "  hart %u", hart->hart);
		if (hart->has_depth)
			top_text_put(text, TOP_PLAIN_TEXT, " %" PRIu32 ", at most %" PRIu32,
				hart->depth, screen->sum ? hart->depth_ever : hart->depth_most);
		else
			top_text_put(text, TOP_PLAIN_TEXT, " unknown");
	}
	top_text_end_line(text);
}

/* The unit's own FIFO does not say how full it is: when it was, records are lost or the core was
 * held. */
static void put_link(
	struct top_text *text, const struct top_screen *screen, const struct top_frame *frame)
{
	const struct top_link_counts *counts = screen->sum ? &frame->link_sum : &frame->link_now;
	const struct ear_top_sum *sum = screen->sum ? &frame->view.sum : &frame->view.now;
	const bool captured = frame->source->link;
	const uint64_t lost = captured ? counts->lost : sum->missing;
	const uint64_t blind = captured ? counts->blind : sum->blind;
	char figure[CLI_FIGURE_SIZE];

	top_text_put(text, lost + blind > 0 ? TOP_BAD : TOP_PLAIN_TEXT, "lost %" PRIu64 "%s", lost,
		blind > 0 ? " and an unknown number" : "");
	if (captured && frame->absent)
		top_text_put(text, TOP_BAD, "   the device is away");
	if (captured) {
		if (frame->has_rates && !screen->sum)
			top_text_put(text, TOP_PLAIN_TEXT, "   link %s/s",
				cli_figure_bytes(figure, top_rate(frame, counts->received)));
		else
			top_text_put(text, TOP_PLAIN_TEXT, "   link %s",
				cli_figure_bytes(figure, (double)counts->received));
		if (frame->ring_size > 0)
			top_text_put(text, TOP_PLAIN_TEXT, "   buffer %d%%, at most %d%%",
				(int)(frame->ring_fill * 100 / frame->ring_size),
				(int)(frame->ring_fill_most * 100 / frame->ring_size));
		if (counts->held_clocks > 0)
			top_text_put(text, TOP_PLAIN_TEXT, "   core held %" PRIu64 " clocks",
				counts->held_clocks);
		if (counts->skipped > 0)
			top_text_put(text, TOP_BAD, "   view skipped %.1f%%",
				100 * (double)counts->skipped / (double)counts->offered);
	}
	top_text_end_line(text);
}

static void put_mix(struct top_text *text, const struct ear_top_sum *sum)
{
	bool done[EAR_CLASS_VECTOR + 1] = {false};

	top_text_put(text, TOP_PLAIN_TEXT, "opcodes");
	for (unsigned n = 0; n <= EAR_CLASS_VECTOR && sum->decoded > 0; n++) {
		unsigned most = 0;
		for (unsigned i = 0; i <= EAR_CLASS_VECTOR; i++)
			if (!done[i] && (done[most] || sum->classes[i] > sum->classes[most]))
				most = i;
		const double share = (double)sum->classes[most] / (double)sum->decoded;
		done[most] = true;
		if (share < CLASSES_MIN)
			break;
		top_text_put(text, TOP_PLAIN_TEXT, " %s %.1f%%", ear_instruction_class_name(most),
			100 * share);
	}
	top_text_end_line(text);
}

/* ---- Lists. ---- */

/* A row as it is sorted. */
struct row {
	const struct ear_top_counts *counts;
	size_t at;
	uint64_t value;
};

static int compare(const void *a, const void *b)
{
	const struct row *left = a, *right = b;

	if (left->value != right->value)
		return left->value > right->value ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

static void put_row_counts(struct top_text *text, const struct top_screen *screen,
	const struct top_frame *frame, const struct ear_top_counts *counts)
{
	const struct ear_top_sum *sum = screen->sum ? &frame->view.sum : &frame->view.now;
	const enum ear_top_key key = screen->key;
	const uint64_t all = sum->counts.all[key], own = counts->all[key];
	char number[TOP_SHORT_SIZE];

	top_short(number, frame->has_rates && !screen->sum ? top_rate(frame, own) : (double)own);
	top_text_put(text, TOP_PLAIN_TEXT, "%*s %6.1f%% ", COUNT_COLUMN, number,
		all > 0 ? 100 * (double)own / (double)all : 0.0);
}

static void put_list_head(struct top_text *text, const struct top_screen *screen,
	const struct top_frame *frame, const char *rest)
{
	const bool rates = frame->has_rates && !screen->sum;
	char head[32];

	snprintf(head, sizeof(head), "%s%s",
		screen->key == EAR_TOP_RECORDS ? "instr" : key_words[screen->key],
		rates ? "/s" : "");
	top_text_put(text, TOP_STRONG, "%*s   share %s", COUNT_COLUMN, head, rest);
	top_text_end_line(text);
}

static void put_hart(struct top_text *text, const struct top_frame *frame, uint16_t hart)
{
	if (frame->view.hart_count > 1)
		top_text_put(text, TOP_DIM, " hart %u", hart);
}

static void put_function(struct top_text *text, const struct top_frame *frame, size_t at)
{
	const struct ear_top_function *row = &frame->view.functions[at];
	char name[NAME_SHOWN];

	top_function_text(name, sizeof(name), row->name, row->entry);
	top_text_put(text, TOP_PLAIN_TEXT, "%s", name);
	if (row->is_idle)
		top_text_put(text, TOP_DIM, " (idle)");
	put_hart(text, frame, row->hart);
}

static void put_pc(struct top_text *text, const struct top_frame *frame, size_t at)
{
	const struct ear_top_pc *row = &frame->view.pcs[at];
	char name[NAME_SHOWN], line[NAME_SHOWN];

	top_function_text(name, sizeof(name), row->name, row->entry);
	top_line_text(line, sizeof(line), row);
	top_text_put(text, TOP_PLAIN_TEXT, "0x%08" PRIx64 "  ", row->pc);
	if (row->name[0] && row->pc > row->entry)
		top_text_put(text, TOP_PLAIN_TEXT, "%s+0x%" PRIx64, name, row->pc - row->entry);
	else
		top_text_put(text, TOP_PLAIN_TEXT, "%s", name);
	if (line[0])
		top_text_put(text, TOP_DIM, "  %s", line);
	put_hart(text, frame, row->hart);
}

/* A list with its head in so many lines. */
static void put_list(struct top_text *text, const struct top_screen *screen,
	const struct top_frame *frame, bool functions, size_t lines)
{
	const struct ear_top_view *view = &frame->view;
	const size_t count = functions ? view->function_count : view->pc_count;
	struct row *rows = malloc((count + 1) * sizeof(*rows));
	size_t used = 0;

	if (!rows) {
		text->failed = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const uint16_t hart = functions ? view->functions[i].hart : view->pcs[i].hart;
		const struct ear_top_counts *now =
			functions ? &view->functions[i].now : &view->pcs[i].now;
		const struct ear_top_counts *sum =
			functions ? &view->functions[i].sum : &view->pcs[i].sum;
		const struct ear_top_counts *counts = screen->sum ? sum : now;
		if ((screen->hart < 0 || screen->hart == hart) && counts->all[screen->key] > 0)
			rows[used++] = (struct row){counts, i, counts->all[screen->key]};
	}
	qsort(rows, used, sizeof(*rows), compare);
	put_list_head(text, screen, frame, functions ? "function" : "instruction");
	for (size_t i = 0; i + 1 < lines; i++) {
		if (i < used) {
			put_row_counts(text, screen, frame, rows[i].counts);
			(functions ? put_function : put_pc)(text, frame, rows[i].at);
		}
		top_text_end_line(text);
	}
	free(rows);
}

static void put_lists(
	struct top_text *text, const struct top_screen *screen, const struct top_frame *frame)
{
	const size_t left = top_text_left(text) > 1 ? top_text_left(text) - 1 : 0;

	if (screen->lists == TOP_BOTH && left >= 6) {
		put_list(text, screen, frame, true, (left + 1) / 2);
		put_list(text, screen, frame, false, left / 2);
	} else {
		put_list(text, screen, frame, screen->lists != TOP_INSTRUCTIONS, left);
	}
}

static void put_foot(
	struct top_text *text, const struct top_screen *screen, const struct top_frame *frame)
{
	char hart[32] = "all harts";

	if (screen->hart >= 0)
		snprintf(hart, sizeof(hart), "hart %d", screen->hart);
	top_text_put(text, TOP_HEAD, " %s, by %s, %s%s ", screen->sum ? "total" : "this interval",
		key_words[screen->key], hart, frame->view.limited ? ", limited" : "");
	top_text_put(text, TOP_PLAIN_TEXT,
		" ? help  q leave  s sort  t total  h hart  l lists  space pause");
}

static void put_help(struct top_text *text, const struct top_frame *frame)
{
	top_text_put(text, TOP_STRONG, "Keys");
	top_text_end_line(text);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		top_text_put(text, TOP_STRONG, "  %-7s", keys[i].name);
		top_text_put(text, TOP_PLAIN_TEXT, "%s%s", keys[i].text,
			keys[i].key == 'q' && frame->source->quits_only_view
				? "; the capture continues"
				: "");
		top_text_end_line(text);
	}
	top_text_put(text, TOP_STRONG, "  %-7s", "Ctrl-C");
	top_text_put(text, TOP_PLAIN_TEXT, "end");
	top_text_end_line(text);
	top_text_end_line(text);
	top_text_put(text, TOP_PLAIN_TEXT,
		"Idle: wfi, a jump to itself, and functions of --idle; with times their clocks.");
	top_text_end_line(text);
	top_text_put(text, TOP_PLAIN_TEXT,
		"Lost: by the unit's FIFO, the link or the host. Skipped: by this view alone.");
	top_text_end_line(text);
	while (top_text_left(text) > 1)
		top_text_end_line(text);
	/* Of a low screen the last line is written over. */
	top_text_go_last(text);
	top_text_put(text, TOP_HEAD, " any key: back ");
}

bool top_screen_draw(const struct top_screen *screen, struct top_frame *frame)
{
	const struct ear_top_sum *sum = screen->sum ? &frame->view.sum : &frame->view.now;
	static struct top_text text;
	const bool has_rates = frame->has_rates;
	size_t columns, lines;

	top_terminal_size(&columns, &lines);
	top_text_begin(&text, columns, lines, top_terminal_has_colors());
	put_title(&text, screen, frame);
	if (screen->help) {
		put_help(&text, frame);
	} else {
		frame->has_rates = has_rates && !screen->sum;
		put_counts(&text, screen, frame, sum);
		frame->has_rates = has_rates;
		put_harts(&text, screen, frame);
		put_link(&text, screen, frame);
		put_mix(&text, sum);
		put_lists(&text, screen, frame);
		put_foot(&text, screen, frame);
	}
	const bool good = top_text_show(&text);
	top_text_fini(&text);
	return good;
}
