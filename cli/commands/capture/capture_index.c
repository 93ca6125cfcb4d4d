/* Indexes of capture files while they are written.
 *
 * The thread does what anybody could do with a file that grows: it opens the trace, and lets the
 * library build or extend the index. It shares nothing with the capture, and has what processor
 * time nobody else wants. A round reads what is new and a node or two; after it the thread rests
 * for a multiple of the time that it took.
 */
#include "cli/commands/capture/capture_index.h"

#include <earshot/error.h>
#include <earshot/index.h>
#include <earshot/trace.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/progress_call.h"
#include "cli/base/seconds.h"

#define REST_LEAST 5.0 /* seconds between two rounds */
#define REST_SHARE 3.0 /* and so many times what the last one took */
#define SLICE_MS   50
#define NICEST     19
#define JOBS_MAX   4 /* threads, when nothing else is to be done */

struct capture_index {
	const char *paths[OUTPUT_COUNT_MAX];
	size_t count;
	pthread_t thread;
	atomic_bool stop;
};

static bool has_index(const struct output *output)
{
	return !output->format && strcmp(output->path, "-") != 0;
}

bool capture_index_possible(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (has_index(&outputs->list[i]))
			return true;
	return false;
}

/* While the capture runs ----------------------------------------------------------------------- */

static int ask_stop(void *context, uint64_t done, uint64_t total, const char *what)
{
	struct capture_index *index = context;

	(void)done;
	(void)total;
	(void)what;
	return atomic_load_explicit(&index->stop, memory_order_relaxed);
}

static int make_index(const char *path, const struct ear_progress *progress, unsigned jobs,
	struct ear_trace **trace, char *error)
{
	struct ear_trace_options options = {.size = sizeof(options),
		.index = EAR_INDEX_AUTO,
		.jobs = jobs,
		.progress = progress,
		.error = error};
	int result = ear_trace_open(trace, path, &options);

	return result ? result : ear_trace_index(*trace, false, progress);
}

/* What cannot be done now is done at the end, or said there. */
static void make_round(struct capture_index *index)
{
	const struct ear_progress progress = {
		.size = sizeof(progress), .call = ask_stop, .context = index};
	char error[EAR_TRACE_ERROR_MAX];

	for (size_t i = 0; i < index->count; i++) {
		struct ear_trace *trace = NULL;
		struct stat status;
		if (stat(index->paths[i], &status) == 0 && status.st_size > 0)
			(void)make_index(index->paths[i], &progress, 1, &trace, error);
		ear_trace_close(trace);
	}
}

static void *run_thread(void *context)
{
	static const struct timespec slice = {0, SLICE_MS * 1000000L};
	struct capture_index *index = context;
	double rest = REST_LEAST, last = cli_seconds();

	/* On Linux this is of the thread, not of the process. */
	(void)setpriority(PRIO_PROCESS, 0, NICEST);
	while (!atomic_load_explicit(&index->stop, memory_order_relaxed)) {
		nanosleep(&slice, NULL);
		double begin = cli_seconds();
		if (begin - last < rest)
			continue;
		make_round(index);
		last = cli_seconds();
		rest = REST_SHARE * (last - begin);
		rest = rest > REST_LEAST ? rest : REST_LEAST;
	}
	return NULL;
}

struct capture_index *capture_index_begin(const struct outputs *outputs)
{
	struct capture_index *index = calloc(1, sizeof(*index));
	int error = index ? 0 : ENOMEM;

	for (size_t i = 0; i < outputs->count && index; i++)
		if (has_index(&outputs->list[i]))
			index->paths[index->count++] = outputs->list[i].path;
	if (index)
		error = pthread_create(&index->thread, NULL, run_thread, index);
	if (!error)
		return index;
	free(index);
	cli_error("--index: %s", strerror(error));
	return NULL;
}

/* When it is over ------------------------------------------------------------------------------ */

static void complete_index(const char *path, bool quiet)
{
	static const struct ear_progress progress = {
		.size = sizeof(struct ear_progress), .call = cli_progress_call};
	struct ear_index_facts facts = {.size = sizeof(facts)};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct ear_trace *trace = NULL;

	unsigned jobs = processors < 1          ? 1
			: processors > JOBS_MAX ? JOBS_MAX
						: (unsigned)processors;
	int result = make_index(path, &progress, jobs, &trace, error);
	cli_progress_clear();
	if (result == EAR_E_CANCELLED || cli_interrupted)
		cli_error("%s: its index is not complete; 'earshot index' completes it", path);
	else if (result != 1)
		cli_error("%s: no index: %s", path, trace ? ear_trace_error(trace) : error);
	else if (!quiet && ear_trace_index_facts(trace, &facts) == 0 && facts.file)
		fprintf(stderr, "index: %s, %" PRIu64 " bytes\n", facts.file, facts.file_size);
	ear_trace_close(trace);
}

void capture_index_end(struct capture_index *index, bool complete, bool quiet)
{
	if (!index)
		return;
	atomic_store(&index->stop, true);
	pthread_join(index->thread, NULL);
	if (complete)
		cli_continue();
	for (size_t i = 0; i < index->count && complete && !cli_interrupted; i++)
		complete_index(index->paths[i], quiet);
	free(index);
}
