/* Counting and showing a trace while it is read.
 *
 * A thread reads and counts, so that the screen and its keys never wait for the source, which may
 * be a device that sends nothing for an hour. The two meet at one lock: the reader holds it for a
 * batch, some microseconds; who shows holds it while the interval is copied. Batches are short and
 * follow each other at once, so a flag asks the reader to wait; else it could take the lock again
 * and again before the other thread runs.
 *
 * With --every no thread is needed: an interval ends where its records are.
 */
#include "cli/top/top_run.h"

#include <earshot/error.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/top/top_frame.h"
#include "cli/top/top_screen.h"
#include "cli/top/top_share.h"
#include "cli/top/top_terminal.h"
#include "cli/top/top_web.h"

#define SLICE_MS         20
#define IDLE_ENTRIES_MAX (TOP_IDLE_MAX * TOP_IDLE_MAX)

struct run {
	const struct top_source *source;
	const struct top_options *options;
	struct ear_top *top;
	struct top_frame frame;
	struct top_link_counts link_before;
	double begin, last; /* of the view, and of the interval */
	bool was_live;      /* at the begin of the interval */
	bool output_failed;

	pthread_mutex_t lock; /* of top, done and result */
	_Atomic bool wanted;  /* who shows waits for the lock */
	_Atomic bool stop;
	bool done;
	int result; /* why it is done: 0 the source ended, or an error */
};

/* ---- Reading. ---- */

/* Returns 1, 0 at the end, or an error. */
static int count_batch(struct run *run, struct ear_batch *batch)
{
	int result = run->source->next(run->source->context, batch);

	if (result == 1) {
		const int counted = ear_top_batch(run->top, batch);
		result = counted ? counted : 1;
	}
	return result;
}

static void *read_all(void *context)
{
	struct run *run = context;
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = 1;

	while (result == 1 && !atomic_load_explicit(&run->stop, memory_order_relaxed)) {
		result = run->source->next(run->source->context, &batch);
		if (result != 1)
			break;
		while (atomic_load(&run->wanted))
			sched_yield();
		pthread_mutex_lock(&run->lock);
		const int counted = ear_top_batch(run->top, &batch);
		pthread_mutex_unlock(&run->lock);
		result = counted ? counted : 1;
	}
	pthread_mutex_lock(&run->lock);
	run->done = true;
	run->result = result == 1 ? 0 : result;
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

/* ---- Intervals. ---- */

static struct top_link_counts load_link(const struct top_link *link)
{
	return (struct top_link_counts){.records = atomic_load(&link->records),
		.lost = atomic_load(&link->lost),
		.blind = atomic_load(&link->blind),
		.gaps = atomic_load(&link->gaps),
		.held_clocks = atomic_load(&link->held_clocks),
		.received = atomic_load(&link->received),
		.dropped = atomic_load(&link->dropped),
		.offered = atomic_load(&link->offered),
		.skipped = atomic_load(&link->skipped)};
}

static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void take_link(struct run *run)
{
	const struct top_link *link = run->source->link;
	struct top_frame *frame = &run->frame;
	const struct top_link_counts *before = &run->link_before;

	if (!link)
		return;
	const struct top_link_counts now = load_link(link);
	frame->link_sum = now;
	frame->link_now = (struct top_link_counts){.records = more(now.records, before->records),
		.lost = more(now.lost, before->lost),
		.blind = more(now.blind, before->blind),
		.gaps = more(now.gaps, before->gaps),
		.held_clocks = more(now.held_clocks, before->held_clocks),
		.received = more(now.received, before->received),
		.dropped = more(now.dropped, before->dropped),
		.offered = more(now.offered, before->offered),
		.skipped = more(now.skipped, before->skipped)};
	run->link_before = now;
	frame->ring_size = atomic_load(&link->ring_size);
	frame->ring_fill = atomic_load(&link->ring_fill);
	frame->ring_fill_most = atomic_load(&link->ring_fill_most);
	frame->absent = atomic_load(&link->absent);
}

/* End the interval. The lock is held, or there is no thread. */
static int take(struct run *run, const struct ear_top_wish *wish)
{
	struct top_frame *frame = &run->frame;
	const struct top_source *source = run->source;
	const double now = cli_seconds();
	const bool live = source->is_live && source->is_live(source->context);
	const int result = ear_top_take(run->top, wish, &frame->view);

	take_link(run);
	frame->elapsed = now - run->begin;
	frame->seconds = now - run->last;
	/* A file that was read up to where it grows gave what it had before as fast as it could. */
	frame->has_rates = live && run->was_live && frame->seconds > 0 && !run->options->every;
	run->was_live = live;
	run->last = now;
	return result;
}

static int take_locked(struct run *run, const struct ear_top_wish *wish)
{
	atomic_store(&run->wanted, true);
	pthread_mutex_lock(&run->lock);
	atomic_store(&run->wanted, false);
	const int result = take(run, wish);
	pthread_mutex_unlock(&run->lock);
	return result;
}

/* Has the reader ended? Then the state is known. */
static bool is_done(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	const bool done = run->done;
	if (done)
		run->frame.state = run->result       ? TOP_FAILED
				   : cli_interrupted ? TOP_INTERRUPTED
						     : TOP_ENDED;
	pthread_mutex_unlock(&run->lock);
	if (!done && cli_interrupted && run->frame.state == TOP_RUNNING)
		run->frame.state = TOP_INTERRUPTED;
	return done;
}

static bool print(struct run *run)
{
	struct top_frame *frame = &run->frame;
	const bool good =
		run->options->how == TOP_JSON ? top_print_json(frame) : top_print_plain(frame);

	frame->number++;
	run->output_failed = run->output_failed || !good;
	return good;
}

static bool is_last(const struct run *run)
{
	return run->options->count > 0 && run->frame.number == run->options->count;
}

/* ---- Lines. ---- */

static struct ear_top_wish line_wish(const struct run *run)
{
	return (struct ear_top_wish){
		.rows_max = run->options->rows > SIZE_MAX ? SIZE_MAX : (size_t)run->options->rows,
		.hart = -1};
}

/* With --every. Returns as top_run. */
static int print_by_records(struct run *run)
{
	const struct ear_top_wish wish = line_wish(run);
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = 1;

	while (result == 1) {
		result = cli_interrupted ? 0 : count_batch(run, &batch);
		if (result == 1 && ear_top_pending(run->top) < run->options->every)
			continue;
		if (result != 1)
			run->frame.state = result            ? TOP_FAILED
					   : cli_interrupted ? TOP_INTERRUPTED
							     : TOP_ENDED;
		const int taken = take(run, &wish);
		if (taken)
			return taken;
		if (!print(run))
			return 1;
		if (is_last(run))
			return result == 1 ? 1 : result;
	}
	return result == 0 && cli_interrupted ? 1 : result;
}

static void rest(void)
{
	const struct timespec slice = {0, SLICE_MS * 1000000L};

	nanosleep(&slice, NULL);
}

static int print_by_time(struct run *run)
{
	const struct ear_top_wish wish = line_wish(run);
	double due = run->begin + run->options->interval;

	for (;;) {
		const bool done = is_done(run);
		if (!done && !cli_interrupted && cli_seconds() < due) {
			rest();
			continue;
		}
		const int taken = take_locked(run, &wish);
		if (taken)
			return taken;
		if (!print(run) || is_last(run) || cli_interrupted)
			return 1;
		if (done)
			return run->result;
		due += run->options->interval;
		if (due < cli_seconds())
			due = cli_seconds() + run->options->interval;
	}
}

/* ---- The screen. ---- */

static struct ear_top_wish screen_wish(const struct top_screen *screen)
{
	return (struct ear_top_wish){.sum = screen->sum,
		.key = screen->key,
		.rows_max = TOP_SCREEN_ROWS,
		.hart = screen->hart};
}

static bool leaves(const struct top_source *source)
{
	return source->quits_only_view || (source->link && atomic_load(&source->link->leave));
}

/* When the source has ended its whole is shown until the user leaves. */
static int draw_until_end(struct run *run)
{
	struct top_screen screen = {.hart = -1};
	enum top_key_effect effect = TOP_KEY_TAKE; /* an empty screen says what is awaited */
	double due = run->begin + run->options->interval;
	bool ended = false;

	for (;;) {
		const bool done = is_done(run);
		if (cli_interrupted)
			return 1;
		if (done && leaves(run->source))
			return run->result;
		if (done && !ended) {
			ended = screen.sum = true;
			screen.paused = false;
			effect = TOP_KEY_TAKE;
		}
		const bool is_due = !ended && !screen.paused && cli_seconds() >= due;
		if (is_due || effect == TOP_KEY_TAKE) {
			const struct ear_top_wish wish = screen_wish(&screen);
			const int taken = take_locked(run, &wish);
			if (taken)
				return taken;
			run->frame.number += is_due;
			due = cli_seconds() + run->options->interval;
			effect = TOP_KEY_DRAW;
		}
		if (effect == TOP_KEY_DRAW && !top_screen_draw(&screen, &run->frame)) {
			run->output_failed = true;
			return 1;
		}
		if (!ended && is_last(run))
			return 1;
		const int key = top_terminal_key(SLICE_MS);
		effect = key == TOP_TERMINAL_CHANGED ? TOP_KEY_DRAW
						     : top_screen_key(&screen, &run->frame, key);
		if (effect == TOP_KEY_QUIT)
			return done ? run->result : 1;
	}
}

/* ---- To browsers. ---- */

/* The interval, and all since the beginning: no record is counted between the two. */
static int take_both(struct run *run, struct top_frame *sum)
{
	struct ear_top_wish wish = line_wish(run);
	struct ear_top_view view = sum->view; /* its memory is used again */

	atomic_store(&run->wanted, true);
	pthread_mutex_lock(&run->lock);
	atomic_store(&run->wanted, false);
	int result = take(run, &wish);
	wish.sum = true;
	if (!result)
		result = ear_top_take(run->top, &wish, &view);
	pthread_mutex_unlock(&run->lock);
	*sum = run->frame;
	sum->view = view;
	return result;
}

static int serve_until_end(struct run *run)
{
	struct top_frame sum = {0};
	struct top_web *web = top_web_start(run->source, run->options);
	double due = run->begin + run->options->interval;
	int result = web ? 1 : EAR_E_IO;

	run->output_failed = !web;
	while (web) {
		const bool done = is_done(run);
		if (!done && !cli_interrupted && cli_seconds() < due) {
			top_web_run(web, SLICE_MS);
			continue;
		}
		result = take_both(run, &sum);
		const bool is_end = result || done || cli_interrupted;
		if (!result && !top_web_update(web, &run->frame, &sum, is_end))
			result = EAR_E_NO_MEMORY;
		run->frame.number++;
		due += run->options->interval;
		if (due < cli_seconds())
			due = cli_seconds() + run->options->interval;
		if (result || is_end) {
			result = result ? result : done ? run->result : 1;
			break;
		}
	}
	top_web_finish(web);
	ear_top_view_fini(&sum.view);
	return result;
}

/* ---- All of it. ---- */

static int show_by_thread(struct run *run)
{
	const bool screen = run->options->how == TOP_SCREEN;
	pthread_t thread;

	errno = pthread_create(&thread, NULL, read_all, run);
	if (errno)
		return EAR_E_IO;
	if (screen && !top_terminal_open()) {
		cli_error("standard output: %s", strerror(errno));
		run->output_failed = true;
	}
	int result = 1;
	if (!run->output_failed)
		result = screen                         ? draw_until_end(run)
			 : run->options->how == TOP_WEB ? serve_until_end(run)
							: print_by_time(run);
	if (screen)
		top_terminal_close();
	atomic_store(&run->stop, true);
	if (run->source->cancel)
		run->source->cancel(run->source->context);
	pthread_join(thread, NULL);
	return result;
}

int top_run(const struct top_source *source, const struct top_options *options, bool *output_failed)
{
	struct run run = {.source = source, .options = options};
	uint64_t idle[IDLE_ENTRIES_MAX];
	const int idle_count = top_find_idle(options, source->names, idle, IDLE_ENTRIES_MAX);

	*output_failed = false;
	if (idle_count < 0)
		return EAR_E_BAD_ARGUMENT;
	const struct ear_top_options counting = {
		.names = source->names, .idle = idle, .idle_count = (size_t)idle_count};
	int result = ear_top_new(&run.top, &counting);
	if (result)
		return result;
	pthread_mutex_init(&run.lock, NULL);
	run.frame.source = source;
	run.frame.options = options;
	run.begin = run.last = cli_seconds();
	run.was_live = source->is_live && source->is_live(source->context);
	result = options->every ? print_by_records(&run) : show_by_thread(&run);
	*output_failed = run.output_failed;
	pthread_mutex_destroy(&run.lock);
	ear_top_view_fini(&run.frame.view);
	ear_top_free(run.top);
	return result;
}

/* ---- What only waits. ---- */

/* A function may have several symbols; each begins somewhere. */
int top_find_idle(
	const struct top_options *options, struct ear_names *names, uint64_t *entries, unsigned max)
{
	const struct ear_symbol *found[TOP_IDLE_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < options->idle_count; i++) {
		const size_t all = names ? ear_names_symbols_named(
						   names, options->idle[i], found, TOP_IDLE_MAX)
					 : 0;
		if (all == 0) {
			cli_error("--idle: no function is called '%s'%s", options->idle[i],
				names ? "" : " (no ELF given: use --elf FILE)");
			return -1;
		}
		for (size_t j = 0; j < all && j < TOP_IDLE_MAX && count < max; j++)
			entries[count++] = found[j]->address;
	}
	return (int)count;
}
