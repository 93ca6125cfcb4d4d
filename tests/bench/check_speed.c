/* check_speed TRACE [ROUNDS]: how long the self-check of a trace takes beside reading its records
 * only. The ways take turns, so that what else the machine does hits all of them alike; CPU time of
 * the best round of each is printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <earshot/earshot.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "check_speed: %s\n", what);
	exit(1);
}

static struct ear_trace *open_trace(const char *path, bool reads)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace;

	options.reads = reads;
	options.index = EAR_INDEX_NONE;
	if (ear_trace_open(&trace, path, &options))
		fail("the trace cannot be opened");
	return trace;
}

static uint64_t read_batches(const char *path)
{
	struct ear_trace *trace = open_trace(path, false);
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t count = 0;

	while (ear_trace_next_batch(trace, &batch) == 1)
		count += batch.count;
	ear_trace_close(trace);
	return count;
}

static uint64_t check(const char *path, bool reads)
{
	struct ear_trace *trace = open_trace(path, reads);
	struct ear_check_counts counts = {.size = sizeof(counts)};

	if (ear_trace_check(trace, NULL, NULL, NULL, &counts, NULL))
		fail(ear_trace_error(trace));
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++)
		if (counts.rules[rule].violations)
			fail("there is a violation");
	ear_trace_close(trace);
	return counts.records;
}

static uint64_t check_results(const char *path)
{
	return check(path, false);
}

static uint64_t check_all(const char *path)
{
	return check(path, true);
}

static const struct way {
	const char *name;
	uint64_t (*read)(const char *path);
} ways[] = {
	{"read", read_batches},
	{"check without operands", check_results},
	{"check", check_all},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

int main(int argc, char **argv)
{
	double best[WAYS] = {0};
	uint64_t count = 0;

	if (argc < 2)
		fail("usage: check_speed TRACE [ROUNDS]");
	int rounds = argc > 2 ? atoi(argv[2]) : 5;
	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < WAYS; i++) {
			double begin = now();
			uint64_t got = ways[i].read(argv[1]);
			double seconds = now() - begin;
			if (round == 0 || seconds < best[i])
				best[i] = seconds;
			if (count != 0 && got != count)
				fail("two ways gave other records");
			count = got;
		}
	printf("%" PRIu64 " records, best of %d\n", count, rounds);
	for (size_t i = 0; i < WAYS; i++)
		printf("%-24s %6.3f s  %6.1f M records/s  %5.2f times reading\n", ways[i].name,
			best[i], (double)count / best[i] * 1e-6, best[i] / best[0]);
	return 0;
}
