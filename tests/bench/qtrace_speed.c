/* How fast folders of the format qtrace are read and written: one is read, then read and written
 * again; the difference is what writing takes.
 *
 *     qtrace_speed FOLDER OUT
 *
 * OUT is a folder that is there; its files are written over. Prints instructions, seconds of
 * processor time, instructions/s and the highest use of memory so far. The best of three rounds
 * counts: the machine may be shared.
 */
#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "decoder/formats/qtrace/reader_qtrace.h"
#include "decoder/formats/qtrace/writer_qtrace.h"

#define ROUNDS 3

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the instructions, or -1 and a sentence in fault. */
static int64_t read_all(int folder, struct ear_writer *writer, char *fault, size_t size)
{
	const struct ear_reader_options options = {.xlen = 0};
	const struct ear_record *record;
	struct ear_text_input *input;
	struct ear_reader *reader;
	int64_t count = 0;
	int result = ear_text_input_new_empty(&input);

	if (result == 0)
		result = ear_reader_qtrace_open(&reader, folder, input, &options, fault, size);
	if (result)
		return -1;
	while ((result = ear_reader_next(reader, &record)) == 1) {
		if (writer && (result = ear_writer_push(writer, record)) != 0)
			break;
		count += record->kind == EAR_RECORD_INSTRUCTION;
	}
	if (result < 0)
		snprintf(fault, size, "%s", ear_error_text(result));
	ear_reader_free(reader);
	ear_text_input_free(input);
	return result < 0 ? -1 : count;
}

static double measure(int folder, int out, int64_t *count)
{
	struct ear_writer *writer = NULL;
	char fault[200] = "";
	double begin = cpu_seconds();

	if (out >= 0 && ear_writer_qtrace_folder.open(&writer, out, NULL) != 0)
		return -1;
	*count = read_all(folder, writer, fault, sizeof(fault));
	if (writer && ear_writer_qtrace_folder.finish(writer) != 0)
		*count = -1;
	ear_writer_free(writer);
	if (*count < 0)
		fprintf(stderr, "qtrace_speed: %s\n", fault);
	return *count < 0 ? -1 : cpu_seconds() - begin;
}

/* The best of the rounds; negative if it fails. */
static double best(int folder, int out, int64_t *count)
{
	double least = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double seconds = measure(folder, out, count);
		if (seconds < 0)
			return seconds;
		least = i == 0 || seconds < least ? seconds : least;
	}
	return least;
}

static void print(const char *what, int64_t count, double seconds)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%-6s %" PRId64 " instructions, %.3f s, %.1f M/s, %ld KiB\n", what, count, seconds,
		(double)count / seconds / 1e6, usage.ru_maxrss);
}

int main(int argc, char **argv)
{
	int64_t count;

	if (argc != 3) {
		fprintf(stderr, "usage: qtrace_speed FOLDER OUT\n");
		return 2;
	}
	int folder = open(argv[1], O_RDONLY | O_DIRECTORY);
	int out = open(argv[2], O_RDONLY | O_DIRECTORY);
	if (folder < 0 || out < 0) {
		fprintf(stderr, "qtrace_speed: there is no such folder\n");
		return 2;
	}
	double reading = best(folder, -1, &count);
	if (reading < 0)
		return 2;
	print("read", count, reading);
	double both = best(folder, out, &count);
	if (both < 0)
		return 2;
	print("write", count, both - reading);
	return 0;
}
