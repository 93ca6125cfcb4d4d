/* library_speed TRACE [ROUNDS]: how fast records of a trace come through libearshot, beside the
 * iterators that the commands use. Each way reads the whole trace in each round, in turn, so that
 * what else the machine does hits all of them alike; CPU time of the best round of each is printed.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <earshot/earshot.h>

#include "library/source/source_anchor.h"

#define COLUMN_ROWS 65536u

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "library_speed: %s\n", what);
	exit(1);
}

/* What is done with each record, so that it must be there: the same in all ways. */
static inline uint64_t use(const struct ear_record *record)
{
	return record->pc ^ record->opcode ^
	       (record->register_count ? record->registers[0].value : 0);
}

static struct ear_source *open_source(const char *path, int *fd)
{
	const struct ear_source_options options = {0};
	struct ear_source *source;

	*fd = open(path, O_RDONLY);
	if (*fd < 0 || ear_source_new(&source, *fd, &options))
		fail("the trace cannot be read");
	return source;
}

static uint64_t internal_records(const char *path, uint64_t *sum)
{
	const struct ear_record *record;
	uint64_t count = 0;
	int fd;
	struct ear_source *source = open_source(path, &fd);

	for (; ear_source_next(source, &record) == 1; count++)
		*sum += use(record);
	ear_source_free(source);
	close(fd);
	return count;
}

static uint64_t internal_runs(const char *path, uint64_t *sum)
{
	static struct ear_expanded_record expanded;
	struct ear_source_run run;
	uint64_t count = 0;
	int fd;
	struct ear_source *source = open_source(path, &fd);

	while (ear_source_next_run(source, &run) == 1) {
		if (!run.run) {
			*sum += use(run.record);
			count++;
			continue;
		}
		ear_compact_run_begin(&expanded, run.run);
		for (size_t i = 0; i < run.run->count; i++)
			*sum += use(ear_compact_run_get(&expanded, run.run, &run.compacts[i], i));
		count += run.run->count;
	}
	ear_source_free(source);
	close(fd);
	return count;
}

static struct ear_trace *open_trace(const char *path)
{
	struct ear_trace *trace;

	if (ear_trace_open(&trace, path, NULL))
		fail("the trace cannot be opened");
	return trace;
}

static uint64_t library_records(const char *path, uint64_t *sum)
{
	struct ear_trace *trace = open_trace(path);
	const struct ear_record *record;
	uint64_t count = 0;

	for (; ear_trace_next(trace, &record) == 1; count++)
		*sum += use(record);
	ear_trace_close(trace);
	return count;
}

static uint64_t library_batches(const char *path, uint64_t *sum)
{
	struct ear_trace *trace = open_trace(path);
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t count = 0;

	while (ear_trace_next_batch(trace, &batch) == 1) {
		for (size_t i = 0; i < batch.count; i++)
			*sum += use(ear_batch_record(&batch, i));
		count += batch.count;
	}
	ear_trace_close(trace);
	return count;
}

/* Four columns, which nobody looks at: other languages do. */
static uint64_t library_columns(const char *path, uint64_t *sum)
{
	static uint64_t pcs[COLUMN_ROWS], opcodes[COLUMN_ROWS], values[COLUMN_ROWS];
	static uint8_t rds[COLUMN_ROWS];
	const struct ear_column columns[] = {{EAR_COLUMN_PC, pcs}, {EAR_COLUMN_OPCODE, opcodes},
		{EAR_COLUMN_RD, rds}, {EAR_COLUMN_RD_VALUE, values}};
	struct ear_trace *trace = open_trace(path);
	uint64_t count = 0;
	int64_t got;

	do {
		got = ear_trace_columns(trace, columns, 4, COLUMN_ROWS, 0, NULL, NULL);
		count += got > 0 ? (uint64_t)got : 0;
	} while (got == COLUMN_ROWS);
	*sum = 0;
	ear_trace_close(trace);
	return count;
}

static const struct way {
	const char *name;
	uint64_t (*read)(const char *path, uint64_t *sum);
} ways[] = {
	{"internal, record by record", internal_records},
	{"internal, runs", internal_runs},
	{"ear_trace_next", library_records},
	{"ear_trace_next_batch", library_batches},
	{"ear_trace_columns, 4 columns", library_columns},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

int main(int argc, char **argv)
{
	double best[WAYS] = {0};
	uint64_t counts[WAYS] = {0}, sums[WAYS];

	if (argc < 2)
		fail("usage: library_speed TRACE [ROUNDS]");
	int rounds = argc > 2 ? atoi(argv[2]) : 5;
	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < WAYS; i++) {
			sums[i] = 0;
			double begin = now();
			counts[i] = ways[i].read(argv[1], &sums[i]);
			double seconds = now() - begin;
			if (round == 0 || seconds < best[i])
				best[i] = seconds;
			if (counts[i] != counts[0] || (sums[i] != sums[0] && sums[i] != 0))
				fail("two ways gave other records");
		}
	printf("%" PRIu64 " records, best of %d\n", counts[0], rounds);
	for (size_t i = 0; i < WAYS; i++)
		printf("%-28s %6.3f s  %6.1f M records/s  %+5.1f %%\n", ways[i].name, best[i],
			(double)counts[i] / best[i] * 1e-6, (best[i] / best[1] - 1) * 100);
	return 0;
}
