/* Who wrote an address last, before an instruction: its position, pc and text.
 *
 *     ./last_write run.shot ADDRESS NUMBER
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <earshot/earshot.h>

/* Called about every 50 ms. A program with a window would look here whether to give up. */
static int show(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)context;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %" PRIu64 " of %" PRIu64 " ", what, done, total);
	return 0;
}

static void print_record(const struct ear_record *record, uint64_t position)
{
	struct ear_instructions *instructions;
	char text[80];

	if (ear_instructions_new(&instructions, NULL, NULL) != 0)
		return;
	ear_instruction_text(instructions, record, text, sizeof(text));
	printf("position %" PRIu64 ": %" PRIx64 " %s\n", position, record->pc, text);
	ear_instructions_free(instructions);
}

int main(int argc, char **argv)
{
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	const struct ear_progress progress = {sizeof(progress), show, NULL};
	const struct ear_record *record;
	struct ear_trace *trace;
	uint64_t position = 0;

	if (argc != 4) {
		fprintf(stderr, "usage: last_write TRACE ADDRESS NUMBER\n");
		return 2;
	}
	options.error = error;
	if (ear_trace_open(&trace, argv[1], &options) != 0) {
		fprintf(stderr, "last_write: %s\n", error);
		return 1;
	}
	const uint64_t address = strtoull(argv[2], NULL, 0);
	int result = ear_trace_seek_number(trace, strtoull(argv[3], NULL, 0), &progress);
	if (result >= 0)
		result = ear_trace_last_write(trace, (struct ear_span){address, address},
			ear_trace_position(trace), &position, &progress);
	if (result == 1)
		result = ear_trace_seek(trace, position, &progress);
	if (result == 1)
		result = ear_trace_next(trace, &record);
	if (result == 1)
		print_record(record, position);
	else if (result == 0)
		printf("nothing wrote there before\n");
	else
		fprintf(stderr, "last_write: %s\n", ear_trace_error(trace));
	ear_trace_close(trace);
	return result < 0;
}
