/* An interval as a line of text, for logs: what is most important first, in a fixed order. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/base/figure.h"
#include "cli/top/top_share.h"

#define FUNCTIONS      3
#define NAME_MAX_SHOWN 64

static void print_sums(const struct top_frame *frame)
{
	const struct ear_top_sum *now = &frame->view.now;
	const uint64_t *counts = now->counts.all;
	char text[TOP_SHORT_SIZE];
	double share = 0;

	printf("%" PRIu64 " instructions", counts[EAR_TOP_RECORDS]);
	if (frame->has_rates)
		printf(", %s/s", top_short(text, top_rate(frame, counts[EAR_TOP_RECORDS])));
	if (frame->view.sum.timed > 0)
		printf(", %" PRIu64 " clocks", counts[EAR_TOP_CLOCKS]);
	if (top_idle_share(now, &now->idle, &share))
		printf(", idle %.1f%%", 100 * share);
	else if (now->idle.waits > 0)
		printf(", idle unknown, %" PRIu64 " wfi", now->idle.waits);
	if (!frame->source->no_traps)
		printf(", %" PRIu64 " traps", counts[EAR_TOP_TRAPS]);
	if (!frame->source->no_interrupts)
		printf(", %" PRIu64 " interrupts", counts[EAR_TOP_INTERRUPTS]);
}

static void print_missing(const struct top_frame *frame)
{
	const struct ear_top_sum *now = &frame->view.now;
	const struct top_link_counts *link = &frame->link_now;
	const bool captured = frame->source->link;
	const uint64_t missing = captured ? link->lost : now->missing;
	const uint64_t blind = captured ? link->blind : now->blind;

	printf(", lost %" PRIu64, missing);
	if (blind > 0)
		printf(" and an unknown number");
}

static void print_link(const struct top_frame *frame)
{
	const struct top_link_counts *now = &frame->link_now;
	char text[CLI_FIGURE_SIZE];

	if (!frame->source->link)
		return;
	if (frame->absent)
		printf(", the device is away");
	if (frame->has_rates)
		printf(", link %s/s", cli_figure_bytes(text, top_rate(frame, now->received)));
	if (frame->ring_size > 0)
		printf(", buffer %d%%", (int)(frame->ring_fill * 100 / frame->ring_size));
	if (now->held_clocks > 0)
		printf(", core held %" PRIu64 " clocks", now->held_clocks);
	if (now->skipped > 0)
		printf(", view skipped %" PRIu64 " of %" PRIu64 " bytes", now->skipped,
			now->offered);
}

bool top_print_plain(const struct top_frame *frame)
{
	const struct ear_top_view *view = &frame->view;
	const uint64_t records = view->now.counts.all[EAR_TOP_RECORDS];

	if (frame->options->every)
		printf("%6" PRIu64 ": ", frame->number);
	else
		printf("%8.1f s: ", frame->elapsed);
	print_sums(frame);
	print_missing(frame);
	print_link(frame);
	for (size_t i = 0; i < view->function_count && i < FUNCTIONS && records > 0; i++) {
		char name[NAME_MAX_SHOWN];
		const struct ear_top_function *row = &view->functions[i];
		top_function_text(name, sizeof(name), row->name, row->entry);
		printf("%s %s %.1f%%", i > 0 ? "," : ";", name,
			100 * (double)row->now.all[EAR_TOP_RECORDS] / (double)records);
	}
	if (frame->state != TOP_RUNNING)
		printf("; %s", top_state_word(frame->state));
	putchar('\n');
	return fflush(stdout) == 0;
}
