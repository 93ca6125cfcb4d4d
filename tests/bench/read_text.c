/* How fast a text is read: all of its records, without doing anything with them.
 *
 *     read_text FILE [FORMAT [light|full [JOBS]]]
 *
 * Prints bytes, records, seconds of processor time, MB/s and records/s; with JOBS, the threads to
 * read with, also the seconds that passed, which count then.
 */
#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/formats.h"
#include "library/parallel/parallel_reader.h"

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What the records have, so that all of them are looked at. Of a size that no two of them, of two
 * threads, lie in one line of the processors' caches.
 */
struct sum {
	uint64_t records, registers, accesses;
	uint64_t unused[29];
};

static int count_bad(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	uint64_t *count = context;

	(void)line_number;
	(void)offset;
	(void)cause;
	*count += kind != EAR_LINE_NOTE;
	return 0;
}

static int add(void *context, void *product, const struct ear_record *record)
{
	struct sum *sum = product;

	(void)context;
	sum->records++;
	sum->registers += record->register_count;
	sum->accesses += record->memory_count;
	return 0;
}

static void *make_sum(void *context)
{
	(void)context;
	return malloc(sizeof(struct sum));
}

static void free_sum(void *context, void *product)
{
	(void)context;
	free(product);
}

static int begin_sum(void *context, void *product)
{
	(void)context;
	*(struct sum *)product = (struct sum){0};
	return 0;
}

static int read_parallel(struct sum *sum, struct ear_reader *reader,
	const struct ear_reader_format *format, unsigned jobs)
{
	const struct ear_parallel_options options = {
		.jobs = jobs,
		.limit = UINT64_MAX,
		.use = {NULL, make_sum, free_sum, begin_sum, NULL, NULL, add, NULL},
	};
	struct ear_parallel_reader *parallel;
	void *product;
	int result = ear_parallel_reader_new(&parallel, reader, format, &options);

	if (result)
		return result;
	while ((result = ear_parallel_reader_next(parallel, &product)) > 0) {
		const struct sum *part = product;
		sum->records += part->records;
		sum->registers += part->registers;
		sum->accesses += part->accesses;
	}
	ear_parallel_reader_free(parallel);
	return result;
}

static int read_all(struct sum *sum, struct ear_reader *reader)
{
	const struct ear_record *record;
	int result;

	while ((result = ear_reader_next(reader, &record)) > 0)
		add(NULL, sum, record);
	return result;
}

static int run(struct ear_text_input *input, const char *name, bool light, unsigned jobs)
{
	struct sum sum = {0};
	uint64_t bad = 0;
	const struct ear_reader_options options = {
		.light = light, .report = count_bad, .context = &bad};
	const char *bytes;
	size_t size;

	if (ear_text_input_peek(input, &bytes, &size) != 0)
		return EAR_E_IO;
	const struct ear_reader_format *format =
		name ? ear_reader_find(name) : ear_reader_detect(bytes, size);
	struct ear_reader *reader = format ? format->make(input, &options) : NULL;
	if (!reader)
		return EAR_E_BAD_ARGUMENT;

	double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID), passed = seconds_of(CLOCK_MONOTONIC);
	int result = jobs ? read_parallel(&sum, reader, format, jobs) : read_all(&sum, reader);
	double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
	passed = seconds_of(CLOCK_MONOTONIC) - passed;
	double seconds = jobs ? passed : cpu;
	double megabytes = 1e-6 * (double)ear_text_input_next_offset(input);
	printf("%s: %.1f MB, %" PRIu64 " records (%" PRIu64 " registers, %" PRIu64
	       " accesses, %" PRIu64 " bad lines), %.3f s processor, %.3f s: %.0f MB/s, %.2f M "
	       "records/s\n",
		format->name, megabytes, sum.records, sum.registers, sum.accesses, bad, cpu,
		seconds, megabytes / seconds, 1e-6 * (double)sum.records / seconds);
	ear_reader_free(reader);
	return result;
}

int main(int argc, char **argv)
{
	struct ear_text_input *input;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: read_text FILE [FORMAT [light|full [JOBS]]]\n");
		return 2;
	}
	int result = ear_text_input_new(&input, fd, NULL, 0);
	if (result == 0) {
		const char *name = argc > 2 ? argv[2] : NULL;
		bool light = argc > 3 && strcmp(argv[3], "light") == 0;
		result = run(
			input, name, light, argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0);
		ear_text_input_free(input);
	}
	if (result < 0)
		fprintf(stderr, "read_text: %s\n", ear_error_text(result));
	close(fd);
	return result < 0 ? 1 : 0;
}
