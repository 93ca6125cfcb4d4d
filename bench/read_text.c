/* How fast a text is read: all of its records, without doing anything with them.
 *
 *     read_text FILE [FORMAT [light]]
 *
 * Prints bytes, records, seconds of processor time, MB/s and records/s.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "decoder/reader.h"

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int count_bad(
	void *context, uint64_t line_number, uint64_t offset, const char *cause, bool bad)
{
	uint64_t *count = context;

	(void)line_number;
	(void)offset;
	(void)cause;
	*count += bad;
	return 0;
}

static int run(struct ear_text_input *input, const char *name, bool light)
{
	uint64_t bad = 0, records = 0, registers = 0, accesses = 0;
	const struct ear_reader_options options = {
		.light = light, .report = count_bad, .context = &bad};
	const struct ear_record *record;
	const char *bytes;
	size_t size;

	if (ear_text_input_peek(input, &bytes, &size) != 0)
		return EAR_E_IO;
	const struct ear_reader_format *format =
		name ? ear_reader_find(name) : ear_reader_detect(bytes, size);
	struct ear_reader *reader = format ? format->make(input, &options) : NULL;
	if (!reader)
		return EAR_E_BAD_ARGUMENT;

	double begin = cpu_seconds();
	int result;
	while ((result = ear_reader_next(reader, &record)) > 0) {
		records++;
		registers += record->register_count;
		accesses += record->memory_count;
	}
	double seconds = cpu_seconds() - begin;
	double megabytes = 1e-6 * (double)ear_text_input_position(input);
	printf("%s: %.1f MB, %" PRIu64 " records (%" PRIu64 " registers, %" PRIu64
	       " accesses, %" PRIu64 " bad lines), %.3f s: %.0f MB/s, %.2f M records/s\n",
		format->name, megabytes, records, registers, accesses, bad, seconds,
		megabytes / seconds, 1e-6 * (double)records / seconds);
	ear_reader_free(reader);
	return result;
}

int main(int argc, char **argv)
{
	struct ear_text_input *input;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: read_text FILE [FORMAT [light]]\n");
		return 2;
	}
	int result = ear_text_input_new(&input, fd, NULL, 0);
	if (result == 0) {
		const char *name = argc > 2 ? argv[2] : NULL;
		result = run(input, name, argc > 3 && strcmp(argv[3], "light") == 0);
		ear_text_input_free(input);
	}
	if (result < 0)
		fprintf(stderr, "read_text: %s\n", ear_error_text(result));
	close(fd);
	return result < 0 ? 1 : 0;
}
