/* index_speed TRACE [ROUNDS]: how fast the index of a trace is built by one thread, beside reading
 * the trace alone. Both are done in each round, in turn, so that what else the machine does hits
 * both alike; CPU time of the best round of each is printed. ROUNDS 0: built once, and nothing
 * else, to count its instructions.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "library/index/index_build.h"
#include "library/source/source_anchor.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "index_speed: %s\n", what);
	exit(1);
}

static uint64_t read_alone(int fd, char *format, size_t size)
{
	const struct ear_source_options options = {.shared = true};
	struct ear_source *source;
	struct ear_source_run run;
	uint64_t count = 0;

	if (ear_source_new(&source, fd, &options))
		fail("the trace cannot be read");
	snprintf(format, size, "%s", ear_source_format(source));
	while (ear_source_next_run(source, &run) == 1)
		count += run.run ? run.run->count : 1;
	ear_source_free(source);
	return count;
}

static uint64_t build(int fd, const char *path, const char *format, uint64_t *size)
{
	const struct ear_index_build_options options = {.path = path, .jobs = 1};
	struct ear_index_identity identity;
	struct ear_index_content content = {0};
	struct stat status;
	FILE *out = tmpfile();
	struct ear_index_built built;

	if (!out || ear_index_identity_of(&identity, fd, format, 0) ||
		ear_index_content_read(&content, fd, identity.size, NULL, NULL) ||
		ear_index_build(fileno(out), fd, &identity, &options, &built) ||
		fstat(fileno(out), &status))
		fail("the index cannot be built");
	*size = (uint64_t)status.st_size;
	fclose(out);
	return built.records;
}

int main(int argc, char **argv)
{
	double best_read = 0, best_build = 0;
	uint64_t count = 0, size = 0;
	char format[32];

	if (argc < 2)
		fail("usage: index_speed TRACE [ROUNDS]");
	int rounds = argc > 2 ? atoi(argv[2]) : 3, fd = open(argv[1], O_RDONLY);
	const struct ear_source_options options = {.shared = true};
	struct ear_source *source;
	if (fd < 0 || ear_source_new(&source, fd, &options))
		fail("the trace cannot be read");
	snprintf(format, sizeof(format), "%s", ear_source_format(source));
	ear_source_free(source);
	if (rounds == 0)
		count = build(fd, argv[1], format, &size);
	for (int round = 0; round < rounds; round++) {
		double begin = now();
		count = read_alone(fd, format, sizeof(format));
		double middle = now();
		if (build(fd, argv[1], format, &size) != count)
			fail("the index has other records");
		double end = now();
		if (round == 0 || middle - begin < best_read)
			best_read = middle - begin;
		if (round == 0 || end - middle < best_build)
			best_build = end - middle;
	}
	printf("%" PRIu64 " records, index %" PRIu64 " bytes, %.4f bits a record\n", count, size,
		(double)size * 8 / (double)count);
	if (rounds > 0)
		printf("reading alone %.3f s, %.1f M records/s; building %.3f s, %.1f M records/s\n",
			best_read, (double)count / best_read * 1e-6, best_build,
			(double)count / best_build * 1e-6);
	close(fd);
	return 0;
}
