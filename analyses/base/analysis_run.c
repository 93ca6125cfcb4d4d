/* Parts are counted apart and joined in order, as soon as all before them are: so no more counts
 * are there than threads work on, and the order of the threads cannot be seen in the whole.
 */
#include "analyses/base/analysis_run.h"

#include <stdio.h>
#include <string.h>

#include <earshot/error.h>

/* Is there nothing to join: does the whole count the one part? */
static bool is_direct(const struct ear_analysis_run *run)
{
	return run->analysis->direct && run->whole && run->reading.plan->count == 1;
}

static void *count_of(struct ear_analysis_run *run, unsigned part)
{
	return is_direct(run) ? run->whole : run->counts[part];
}

static void follow_events(struct ear_analysis_run *run, unsigned part, bool on)
{
	if (run->analysis->event && run->filter)
		ear_tasks_set_event(
			run->filter->tasks, on ? run->analysis->event : NULL, count_of(run, part));
}

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct ear_analysis_run *run = context;
	const struct ear_analysis_setup setup = {.options = run->options,
		.part = true,
		.whole = run->whole,
		.tasks = run->filter ? run->filter->tasks : NULL};
	int result = 0;

	if (!is_direct(run))
		result = run->analysis->create(&run->counts[part], &setup);
	if (part == 0)
		run->begun = result == 0;
	if (result == 0)
		follow_events(run, part, true);
	if (result == 0 && moment)
		result = run->analysis->start(count_of(run, part), moment, progress);
	return result;
}

/* What wants no more ends the reading as if it was cancelled. */
static int check_enough(struct ear_analysis_run *run, int result)
{
	if (result <= 0)
		return result;
	run->enough = true;
	return EAR_E_CANCELLED;
}

/* While the filter takes a batch. */
struct taking {
	const struct ear_analysis *analysis;
	void *count;
};

static void set_task(const struct taking *taking, uint32_t task, bool wanted)
{
	if (taking->analysis->task)
		taking->analysis->task(taking->count, task, wanted);
}

/* ear_task_filter_taker: of what is before the part. */
static int take_before(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	const struct taking *taking = context;

	set_task(taking, task, wanted);
	return taking->analysis->before(taking->count, batch);
}

static int pass_before(void *context, const struct ear_batch *batch)
{
	struct ear_analysis_run *run = context;
	struct taking taking = {run->analysis, count_of(run, 0)};
	const bool ran = run->filter->ran;
	int result;

	follow_events(run, 0, !batch); /* those before the part are of others */
	if (!run->analysis->before)
		return batch ? ear_tasks_batch(run->filter->tasks, batch, NULL, NULL) : 0;
	if (!batch)
		return run->analysis->before(taking.count, NULL);
	result = ear_task_filter_take(run->filter, batch, take_before, &taking);
	run->filter->ran = ran;
	return result;
}

/* ear_task_filter_taker: of the part. */
static int take_records(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	const struct taking *taking = context;

	set_task(taking, task, wanted);
	return taking->analysis->batch(taking->count, batch);
}

static int take_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct ear_analysis_run *run = context;
	struct taking taking = {run->analysis, count_of(run, part)};

	if (!run->filter)
		return check_enough(run, run->analysis->batch(taking.count, batch));
	return check_enough(run, ear_task_filter_take(run->filter, batch, take_records, &taking));
}

/* ---- A part that cannot be joined. ---- */

static int ask_stopped(void *context, uint64_t done, uint64_t total, const char *what)
{
	const struct ear_analysis_run *run = context;

	(void)done;
	(void)total;
	(void)what;
	return run->reading.stopped();
}

static int open_again(struct ear_analysis_run *run)
{
	struct ear_trace_options options = *run->reading.options;

	if (run->again)
		return 0;
	run->again_progress = (struct ear_progress){sizeof(run->again_progress), ask_stopped, run};
	options.error = run->again_error;
	options.progress = &run->again_progress;
	return ear_trace_open(&run->again, run->reading.path, &options);
}

/* By the thread that is to join it: the whole takes its batches. */
static int read_again(struct ear_analysis_run *run, unsigned part)
{
	const uint64_t *places = &run->reading.plan->begins[part];
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = open_again(run);

	if (result == 0 && ear_trace_position(run->again) != places[0])
		result = ear_trace_seek(run->again, places[0], &run->again_progress);
	if (result < 0)
		return result;
	for (uint64_t at = places[0]; at < places[1]; at = batch.position + batch.count) {
		result = ear_trace_next_batch(run->again, &batch);
		if (result != 1)
			return result;
		if (batch.count > places[1] - batch.position)
			batch.count = (size_t)(places[1] - batch.position);
		result = run->analysis->batch(run->whole, &batch);
		if (result == 0 && run->reading.stopped())
			result = EAR_E_CANCELLED;
		if (result)
			return result;
	}
	return 0;
}

static int count_again(struct ear_analysis_run *run, unsigned part)
{
	run->analysis->again(run->whole, true);
	const int result = read_again(run, part);
	run->analysis->again(run->whole, false);
	return result;
}

static int end_part(void *context, unsigned part)
{
	struct ear_analysis_run *run = context;
	const struct ear_analysis *analysis = run->analysis;
	void *count = run->counts[part];
	int result = 0;

	if (is_direct(run))
		return 0;
	if (analysis->finish)
		result = analysis->finish(count);
	run->counts[part] = NULL;
	if (!run->whole) {
		run->part = count;
		return result;
	}
	if (result == 0)
		result = analysis->join(run->whole, count);
	analysis->free(count);
	if (result == EAR_E_UNSUPPORTED && analysis->again)
		result = count_again(run, part);
	return check_enough(run, result);
}

/* After the reading: what a place that could not be read left, and the events of the follower. */
static void clean_up(struct ear_analysis_run *run, unsigned planned)
{
	for (unsigned i = 0; i < planned; i++) {
		run->analysis->free(run->counts[i]);
		run->counts[i] = NULL;
	}
	ear_trace_close(run->again);
	if (run->filter && run->filter->tasks)
		run->filter->events += ear_tasks_events(run->filter->tasks);
}

static void forget_tasks(const struct ear_analysis_run *run)
{
	if (!run->filter)
		return;
	ear_tasks_free(run->filter->tasks); /* of the run before */
	run->filter->tasks = NULL;
}

int ear_analysis_run(struct ear_analysis_run *run)
{
	const struct ear_part_work work = {.begin = begin_part,
		.before = pass_before,
		.batch = take_batch,
		.end = end_part,
		.no_moments = !run->analysis->start};
	struct ear_part_reading *reading = &run->reading;
	const unsigned planned = reading->plan->count;

	reading->work = &work;
	reading->context = run;
	reading->tasks = run->filter ? &run->filter->options : NULL;
	reading->follower = run->filter ? &run->filter->tasks : NULL;
	forget_tasks(run);
	int result = ear_part_threads_read(reading);
	clean_up(run, planned);
	return result;
}

/* ---- Several runs in one reading. ---- */

struct together {
	struct ear_analysis_run *const *runs;
	size_t count;
};

static bool takes_more(const struct ear_analysis_run *run)
{
	return run->begun && run->result == 0;
}

/* What ends one of them does not end the reading, unless it is the last one. */
static int check_all(const struct together *together)
{
	for (size_t i = 0; i < together->count; i++)
		if (takes_more(together->runs[i]))
			return 0;
	return EAR_E_CANCELLED;
}

/* The follower of the first one that has a filter is made by the reading. */
static int make_follower(struct ear_analysis_run *run, const struct ear_part_reading *reading,
	const struct ear_progress *progress)
{
	struct ear_task_filter *filter = run->filter;

	if (!filter || &filter->tasks == reading->follower)
		return 0;
	return ear_tasks_new(&filter->tasks, reading->trace, &filter->options, progress);
}

static int begin_all(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	const struct together *together = context;

	for (size_t i = 0; i < together->count; i++) {
		struct ear_analysis_run *run = together->runs[i];

		run->result = make_follower(run, &together->runs[0]->reading, progress);
		if (run->result == 0)
			run->result = begin_part(
				run, part, run->analysis->start ? moment : NULL, progress);
	}
	return check_all(together);
}

static int pass_before_all(void *context, const struct ear_batch *batch)
{
	const struct together *together = context;

	for (size_t i = 0; i < together->count; i++)
		if (together->runs[i]->filter && takes_more(together->runs[i]))
			together->runs[i]->result = pass_before(together->runs[i], batch);
	return check_all(together);
}

static int pass_batch_all(void *context, unsigned part, const struct ear_batch *batch)
{
	const struct together *together = context;

	for (size_t i = 0; i < together->count; i++)
		if (takes_more(together->runs[i]))
			together->runs[i]->result = take_batch(together->runs[i], part, batch);
	return check_all(together);
}

/* Whatever ended one of them, what it took is joined. */
static int end_all(void *context, unsigned part)
{
	const struct together *together = context;

	for (size_t i = 0; i < together->count; i++) {
		struct ear_analysis_run *run = together->runs[i];
		const int result = run->begun ? end_part(run, part) : 0;

		run->result = run->result ? run->result : result;
	}
	return 0;
}

/* What ended the reading ended all that wanted more. */
static void note_end(
	struct ear_analysis_run *run, const struct ear_part_reading *reading, int result)
{
	if (run->result == 0)
		run->result = result;
	if (run->result != result || run->enough)
		snprintf(run->reading.error, sizeof(run->reading.error), "%s",
			ear_error_text(run->result));
	else if (&run->reading != reading)
		memcpy(run->reading.error, reading->error, sizeof(run->reading.error));
}

void ear_analysis_run_together(struct ear_analysis_run *const *runs, size_t count)
{
	struct together together = {runs, count};
	struct ear_part_work work = {.begin = begin_all,
		.before = pass_before_all,
		.batch = pass_batch_all,
		.end = end_all,
		.no_moments = true};
	struct ear_part_reading *reading = &runs[0]->reading;

	reading->work = &work;
	reading->context = &together;
	for (size_t i = 0; i < count; i++) {
		struct ear_task_filter *filter = runs[i]->filter;

		work.no_moments = work.no_moments && !runs[i]->analysis->start;
		if (filter && !reading->tasks) {
			reading->tasks = &filter->options;
			reading->follower = &filter->tasks;
		}
		forget_tasks(runs[i]);
	}
	const int result = ear_part_threads_read(reading);
	for (size_t i = count; i-- > 0;) { /* the first one last: the sentence is its */
		note_end(runs[i], reading, result);
		clean_up(runs[i], 1);
	}
}

void ear_analysis_write(const struct ear_analysis *analysis, void *part,
	const struct ear_task_filter *filter, const struct ear_part_head *head, FILE *file)
{
	struct ear_part_writer writer;

	ear_part_write_head(&writer, file, head);
	if (filter)
		ear_task_filter_write(filter, &writer);
	ear_part_walk_write(analysis->walk, part, &writer);
	ear_part_write_end(&writer);
}

bool ear_analysis_read(const struct ear_analysis *analysis, void *part,
	struct ear_task_filter *filter, struct ear_part_reader *reader)
{
	if (filter && !ear_task_filter_read(filter, reader))
		return false;
	return ear_part_walk_read(analysis->walk, part, reader, analysis->unknown_line);
}
