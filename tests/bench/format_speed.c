/* How fast records are written: a text is read and written again to /dev/null, then read alone; the
 * difference is what writing takes.
 *
 *     format_speed FILE FORMAT
 *
 * The format of FILE is detected. Prints records, seconds of processor time for both passes, and
 * MB/s and records/s of writing alone. The best of three rounds counts: the machine may be shared.
 */
#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"

#define ROUNDS 3

struct pass {
	double seconds;
	uint64_t records, bytes; /* written */
};

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* writer NULL: read only. */
static int read_all(struct pass *pass, struct ear_text_input *input,
	const struct ear_writer_format *format, struct ear_text_output *output)
{
	const struct ear_reader_options options = {0};
	const struct ear_record *record;
	struct ear_writer *writer = NULL;
	const char *bytes;
	size_t size;
	int result = ear_text_input_peek(input, &bytes, &size);
	const struct ear_reader_format *source = result ? NULL : ear_reader_detect(bytes, size);
	struct ear_reader *reader = source ? source->make(input, &options) : NULL;

	if (!reader)
		return EAR_E_BAD_ARGUMENT;
	double begin = cpu_seconds();
	while ((result = ear_reader_next(reader, &record)) > 0) {
		const struct ear_writer_options columns = {
			.walks = reader->has_walks, .no_hart = reader->no_hart};
		pass->records++;
		if (!format)
			continue;
		if (!writer && !(writer = format->make(output, &columns)))
			break;
		ear_writer_push(writer, record);
	}
	if (format)
		ear_text_output_flush(output);
	pass->seconds = cpu_seconds() - begin;
	pass->bytes = format ? output->written : 0;
	ear_writer_free(writer);
	ear_reader_free(reader);
	return result;
}

static int run(struct pass *pass, const char *path, const struct ear_writer_format *format, int out)
{
	struct ear_text_input *input;
	struct ear_text_output output;
	int fd = open(path, O_RDONLY);
	int result = fd < 0 ? EAR_E_IO : ear_text_input_new(&input, fd, NULL, 0);

	if (result)
		return result;
	*pass = (struct pass){0};
	result = ear_text_output_init(&output, out, EAR_TEXT_PLAIN);
	if (result == 0) {
		result = read_all(pass, input, format, &output);
		ear_text_output_fini(&output);
	}
	ear_text_input_free(input);
	close(fd);
	return result;
}

static void keep_best(struct pass *best, const struct pass *pass)
{
	if (best->seconds == 0 || pass->seconds < best->seconds)
		*best = *pass;
}

int main(int argc, char **argv)
{
	const struct ear_writer_format *format = argc == 3 ? ear_writer_find(argv[2]) : NULL;
	struct pass read = {0}, both = {0}, pass;
	int out = open("/dev/null", O_WRONLY), result = 0;

	if (!format) {
		fprintf(stderr, "usage: format_speed FILE FORMAT\n");
		return 2;
	}
	for (int round = 0; round < ROUNDS && result == 0; round++) {
		result = run(&pass, argv[1], NULL, out);
		keep_best(&read, &pass);
		if (result == 0)
			result = run(&pass, argv[1], format, out);
		keep_best(&both, &pass);
	}
	close(out);
	if (result < 0) {
		fprintf(stderr, "format_speed: %s\n", ear_error_text(result));
		return 1;
	}
	double seconds = both.seconds - read.seconds;
	printf("%s: %" PRIu64 " records, %.1f MB written; read %.3f s, read and written %.3f s; "
	       "writing alone %.3f s: %.0f MB/s, %.2f M records/s\n",
		format->name, both.records, 1e-6 * (double)both.bytes, read.seconds, both.seconds,
		seconds, 1e-6 * (double)both.bytes / seconds,
		1e-6 * (double)both.records / seconds);
	return 0;
}
