/* How fast N-Trace is decoded: a random program with a random walk is encoded, and the stream
 * decoded again and again.
 *
 *     ntrace_speed [ROUNDS]
 *
 * Prints, for branch and for history messages, the bits an instruction, and the records/s of runs
 * (what the decoder makes) and of records (each expanded). Branches are every third instruction
 * here, more than in compiled code. The best of three rounds counts: the machine may be shared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "branch_program.h"
#include "decoder/formats/ntrace/ntrace_decoder.h"
#include "decoder/formats/ntrace/ntrace_encoder.h"

#define RECORDS ((size_t)100000)
#define TRIES   3

struct stream {
	uint8_t *bytes;
	size_t size;
};

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct stream encode(const struct ear_record *records, const struct ear_ntrace_unit *unit)
{
	static struct ear_ntrace_encoder encoder;
	struct stream stream = {.bytes = malloc((RECORDS + 2) * EAR_NTRACE_MESSAGE_MAX)};

	if (!stream.bytes)
		abort();
	ear_ntrace_encoder_init(&encoder, unit, 0);
	for (size_t i = 0; i <= RECORDS; i++) {
		if (i < RECORDS)
			ear_ntrace_encoder_push(&encoder, &records[i]);
		else
			ear_ntrace_encoder_end(&encoder);
		for (size_t j = 0; j < encoder.size; j++)
			stream.bytes[stream.size++] = encoder.bytes[j];
		encoder.size = 0;
	}
	return stream;
}

/* Decode the stream once. Returns the instructions. */
static uint64_t decode(const struct ear_flow_code *code, const struct ear_ntrace_unit *unit,
	const struct stream *stream, bool expand)
{
	struct ear_ntrace_decoder *decoder;
	const struct ear_record *record;
	uint64_t count = 0;

	if (ear_ntrace_decoder_new(&decoder, code, unit))
		abort();
	ear_ntrace_decoder_feed(decoder, stream->bytes, stream->size);
	while (ear_ntrace_decoder_next(decoder) == 1) {
		if (!expand) {
			count += decoder->run.run.count;
			ear_flow_run_clear(&decoder->run);
			continue;
		}
		while (ear_flow_run_next(&decoder->run, &record) == 1)
			count += record->kind == EAR_RECORD_INSTRUCTION;
	}
	ear_ntrace_decoder_free(decoder);
	return count;
}

static void measure(const struct branch_program *program, const struct ear_record *records,
	const char *name, uint32_t htm, unsigned rounds)
{
	struct ear_ntrace_unit unit = ear_ntrace_default_unit;
	double best[2] = {1e9, 1e9};
	uint64_t count = 0;

	unit.xlen = program->xlen;
	unit.htm = htm;
	unit.stack = EAR_NTRACE_STACK_MAX;
	struct stream stream = encode(records, &unit);
	for (unsigned i = 0; i < 2 * TRIES; i++) {
		double begin = cpu_seconds();
		count = 0;
		for (unsigned round = 0; round < rounds; round++)
			count += decode(program->code, &unit, &stream, i % 2);
		double seconds = cpu_seconds() - begin;
		if (seconds < best[i % 2])
			best[i % 2] = seconds;
	}
	printf("%s: %.2f bits an instruction, %.1f M records/s as runs, %.1f as records\n", name,
		8.0 * (double)stream.size / (double)RECORDS, 1e-6 * (double)count / best[0],
		1e-6 * (double)count / best[1]);
	free(stream.bytes);
}

int main(int argc, char **argv)
{
	static struct branch_program program;
	const struct branch_walk walk = {.straight = 3};
	struct random random = {1};
	struct ear_record *records = calloc(RECORDS, sizeof(*records));
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 50;

	if (!records || rounds == 0)
		return 1;
	branch_program_init(&program, 32, &random);
	branch_program_walk(&program, &walk, &random, records, RECORDS);
	measure(&program, records, "branch messages", 0, rounds);
	measure(&program, records, "history messages", 1, rounds);
	branch_program_fini(&program);
	free(records);
	return 0;
}
