/* An interval as an object of JSON: docs/analyses/top.md, section 4, has each member. Numbers are
 * those of the interval, or sums since the beginning; what is not known is null.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/show/json.h"
#include "cli/top/top_share.h"

struct shown {
	bool time, traps, interrupts;
	bool sum; /* since the beginning */
};

static void print_counts(
	struct json *json, const struct ear_top_counts *counts, const struct shown *shown)
{
	json_number(json, "records", counts->all[EAR_TOP_RECORDS]);
	json_known(json, "clocks", shown->time, counts->all[EAR_TOP_CLOCKS]);
	json_known(json, "traps", shown->traps, counts->all[EAR_TOP_TRAPS]);
	json_known(json, "interrupts", shown->interrupts, counts->all[EAR_TOP_INTERRUPTS]);
}

static void print_idle(
	struct json *json, const struct ear_top_sum *sum, const struct ear_top_idle *idle)
{
	double share = 0;
	const char *of = top_idle_share(sum, idle, &share);

	json_open(json, "idle", '{');
	if (of)
		json_real(json, "share", share, 6);
	else
		json_null(json, "share");
	json_text(json, "of", of);
	json_known(json, "records", sum->decoded > 0, idle->records);
	json_known(json, "waits", sum->decoded > 0, idle->waits);
	json_known(json, "clocks", sum->counts.all[EAR_TOP_CLOCKS] > 0, idle->clocks);
	json_close(json, '}');
}

static void print_function(struct json *json, const char *name, uint64_t entry)
{
	json_text(json, "function", name && name[0] ? name : NULL);
	json_hex(json, "entry", entry != 0, entry);
}

static void print_harts(
	struct json *json, const struct ear_top_view *view, const struct shown *shown)
{
	json_open(json, "harts", '[');
	for (size_t i = 0; i < view->hart_count; i++) {
		const struct ear_top_hart *hart = &view->harts[i];
		const struct ear_top_counts *counts = shown->sum ? &hart->sum : &hart->now;
		const struct ear_top_idle *idle = shown->sum ? &hart->idle_sum : &hart->idle_now;
		if (counts->all[EAR_TOP_RECORDS] == 0)
			continue;
		json_open(json, NULL, '{');
		json_number(json, "hart", hart->hart);
		print_counts(json, counts, shown);
		json_number(json, "idle_records", idle->records);
		json_known(json, "idle_clocks", shown->time, idle->clocks);
		json_known(json, "depth", hart->has_depth, hart->depth);
		json_known(json, "depth_most", hart->has_depth,
			shown->sum ? hart->depth_ever : hart->depth_most);
		json_hex(json, "pc", true, hart->pc);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_causes(
	struct json *json, const struct ear_top_view *view, const struct shown *shown)
{
	json_open(json, "causes", '[');
	for (size_t i = 0; i < view->cause_count; i++) {
		const struct ear_top_cause *cause = &view->causes[i];
		const uint64_t count = shown->sum ? cause->sum : cause->now;
		if (count == 0)
			continue;
		json_open(json, NULL, '{');
		json_text(json, "kind", cause->is_interrupt ? "interrupt" : "trap");
		json_hex(json, "cause", cause->is_known, cause->cause);
		json_number(json, "count", count);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_functions(
	struct json *json, const struct ear_top_view *view, const struct shown *shown)
{
	json_open(json, "functions", '[');
	for (size_t i = 0; i < view->function_count; i++) {
		const struct ear_top_function *row = &view->functions[i];
		json_open(json, NULL, '{');
		print_function(json, row->name, row->entry);
		json_number(json, "hart", row->hart);
		print_counts(json, shown->sum ? &row->sum : &row->now, shown);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_open(json, "other_functions", '{');
	print_counts(json, &view->other_functions, shown);
	json_close(json, '}');
}

static void print_pcs(struct json *json, const struct ear_top_view *view, const struct shown *shown)
{
	json_open(json, "instructions", '[');
	for (size_t i = 0; i < view->pc_count; i++) {
		const struct ear_top_pc *row = &view->pcs[i];
		json_open(json, NULL, '{');
		json_hex(json, "pc", true, row->pc);
		print_function(json, row->name, row->entry);
		json_text(json, "path", row->path);
		json_known(json, "line", row->path, row->line);
		json_number(json, "hart", row->hart);
		print_counts(json, shown->sum ? &row->sum : &row->now, shown);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_open(json, "other_instructions", '{');
	print_counts(json, &view->other_pcs, shown);
	json_close(json, '}');
}

static void print_mix(struct json *json, const struct ear_top_sum *now)
{
	json_number(json, "decoded", now->decoded);
	json_open(json, "classes", '{');
	for (unsigned i = 0; i <= EAR_CLASS_VECTOR; i++)
		json_known(json, ear_instruction_class_name(i), now->decoded > 0, now->classes[i]);
	json_close(json, '}');
}

/* What is missing: of a capture as the capture says, since the view may have skipped some. */
static void print_missing(
	struct json *json, const struct top_frame *frame, const struct ear_top_sum *now, bool sum)
{
	const struct top_link_counts *link = sum ? &frame->link_sum : &frame->link_now;
	const bool captured = frame->source->link;

	json_number(json, "gaps", captured ? link->gaps : now->gaps);
	json_number(json, "missing", captured ? link->lost : now->missing);
	json_number(json, "unknown_gaps", captured ? link->blind : now->blind);
}

static void print_link(struct json *json, const struct top_frame *frame, bool is_sum)
{
	const struct top_link_counts *sum = &frame->link_sum;
	const struct top_link_counts *now = is_sum ? sum : &frame->link_now;

	if (!frame->source->link) {
		json_null(json, "capture");
		return;
	}
	json_open(json, "capture", '{');
	json_number(json, "records", sum->records);
	json_number(json, "received", now->received);
	if (frame->has_rates && !is_sum)
		json_real(json, "bytes_per_second", top_rate(frame, now->received), 1);
	else
		json_null(json, "bytes_per_second");
	json_number(json, "dropped", now->dropped);
	json_number(json, "ring_fill", frame->ring_fill);
	json_number(json, "ring_fill_most", frame->ring_fill_most);
	json_number(json, "ring_size", frame->ring_size);
	json_number(json, "held_clocks", now->held_clocks);
	json_number(json, "offered", now->offered);
	json_number(json, "skipped", now->skipped);
	json_bool(json, "absent", frame->absent);
	json_close(json, '}');
}

void top_put_json(struct json *json, const struct top_frame *frame, bool sum)
{
	const struct ear_top_view *view = &frame->view;
	const struct ear_top_sum *counted = sum ? &view->sum : &view->now;
	const struct shown shown = {
		view->sum.timed > 0, !frame->source->no_traps, !frame->source->no_interrupts, sum};

	json_open(json, NULL, '{');
	json_number(json, "interval", frame->number);
	json_text(json, "state", top_state_word(frame->state));
	if (frame->options->every)
		json_null(json, "seconds");
	else
		json_real(json, "seconds", sum ? frame->elapsed : frame->seconds, 6);
	json_bool(json, "live", frame->has_rates);
	print_counts(json, &counted->counts, &shown);
	print_missing(json, frame, counted, sum);
	json_number(json, "events", counted->events);
	print_idle(json, counted, &counted->idle);
	print_mix(json, counted);
	print_causes(json, view, &shown);
	print_harts(json, view, &shown);
	print_functions(json, view, &shown);
	print_pcs(json, view, &shown);
	json_bool(json, "limited", view->limited);
	print_link(json, frame, sum);
	json_close(json, '}');
}

bool top_print_json(const struct top_frame *frame)
{
	struct json json = json_spaced();

	top_put_json(&json, frame, false);
	putchar('\n');
	return fflush(stdout) == 0;
}
