/* Make a long capture whose every answer is known, for measurements of the index and of questions
 * to a trace.
 *
 * A program of program.h runs on the simulator of the tests, the reference encoder makes its
 * entries to a stream, and truth.h notes what is true at some hundred random moments. Written are
 * NAME.shot, NAME.elf and NAME.json. A text with the same instructions comes from
 * "earshot decode -f FORMAT NAME.shot": the answers are by the number of the instruction record,
 * which is the same in both.
 */
#include <sys/types.h>
/* sha2.h needs the types above it. */
#include <sha2.h>

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/codec/decoder.h"
#include "decoder/codec/encoder.h"
#include "iss/iss.h"
#include "library/shot/shot.h"
#include "library/shot/shot_states.h"
#include "truth.h"

#define BATCH       4096
#define RECORDS_MAX 4000000000u
#define EVENTS      1000
#define CLOCK_HZ    50000000

static const char help[] =
	"usage: make_long [OPTION]... NAME\n"
	"Write a long capture NAME.shot, its program NAME.elf and answers NAME.json.\n"
	"\n"
	"  -n, --records N      instructions (default 1000000, at most 4000000000)\n"
	"  -w, --workload W     interpreter, stream, calls, table (default interpreter)\n"
	"  -s, --seed S         decides the data and the questions (default 1)\n"
	"      --samples N      moments with answers (default 200)\n"
	"      --time           each instruction has its clock: one, two if it reads memory or\n"
	"                       the program goes on elsewhere, 20 if it divides\n"
	"  -h, --help           this text\n";

struct options {
	uint64_t records, seed, samples;
	const char *workload, *name;
	bool time;
};

struct run {
	struct program program;
	struct truth truth;
	struct ear_iss *iss;
	struct ear_encoder encoder;
	struct ear_predictor predictor;
	struct ear_shot_writer *writer;
	struct ear_shot_states states;
	struct ear_decoder decoder;
	int write_result;
	bool time;
	uint64_t clock;    /* that of the last instruction */
	uint64_t *moments; /* ascending numbers at which a sample is taken */
	uint64_t event_every;
	uint32_t events[2 * EVENTS];
	size_t event_count;
};

static struct run run; /* too large for the stack */

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "make_long: %s: %s\n", what, why);
	exit(2);
}

static int take_record(void *context, const struct ear_record *record)
{
	(void)context;
	if (record->kind == EAR_RECORD_GAP)
		fail("the stream", "it does not decode to what was encoded");
	return 0;
}

static int take_run(void *context, const struct ear_compact_run *taken,
	const struct ear_compact_record *compacts)
{
	(void)context, (void)taken, (void)compacts;
	return 0;
}

/* As a capture does: the bytes are written and decoded, and the decoder's states are, too. */
static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	size_t used;
	int result = ear_shot_writer_push(context, bytes, size);

	if (result >= 0)
		result = ear_decoder_push(&run.decoder, &used, bytes, size, false);
	if (result >= 0 && ear_shot_states_due(&run.states, &run.decoder))
		result = ear_shot_states_write(&run.states, context, &run.decoder);
	if (result < 0)
		run.write_result = result;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Random moments, each at most once. */
static size_t choose_moments(const struct options *options)
{
	uint64_t random = options->seed ^ 0x9E3779B97F4A7C15u;
	size_t count = 0;

	run.moments = calloc(options->samples + 1, sizeof(*run.moments));
	if (!run.moments)
		fail("moments", "out of memory");
	for (size_t i = 0; i < options->samples; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		run.moments[i] = (random >> 16) % options->records;
	}
	qsort(run.moments, options->samples, sizeof(*run.moments), compare_numbers);
	for (size_t i = 0; i < options->samples; i++)
		if (count == 0 || run.moments[count - 1] != run.moments[i])
			run.moments[count++] = run.moments[i];
	run.moments[count] = UINT64_MAX;
	return count;
}

static void open_program(const struct options *options, char *path, size_t size)
{
	struct ear_iss_options setup;

	if (program_build(&run.program, options->workload, options->records, options->seed) < 0)
		fail(options->workload, "no such workload");
	snprintf(path, size, "%s.elf", options->name);
	if (program_write_elf(&run.program, path) < 0)
		fail(path, strerror(errno));
	ear_iss_options_init(&setup);
	setup.memory_size = run.program.memory_size;
	setup.extensions = EAR_ISS_M | EAR_ISS_C;
	int result = ear_iss_new(&run.iss, &setup, path);
	if (result < 0)
		fail(path, ear_error_text(result));
}

static void open_capture(const struct options *options, const char *program_path, int fd)
{
	char facts[8192], digest[SHA256_DIGEST_STRING_LENGTH];

	if (!SHA256File(program_path, digest))
		fail(program_path, strerror(errno));
	snprintf(facts, sizeof(facts),
		"writer: make_long\nprogram: %s\nprogram_sha256: %s\nworkload: %s\nseed: %" PRIu64
		"\n",
		program_path, digest, options->workload, options->seed);
	int result = ear_shot_writer_new(&run.writer, fd, facts, 3);
	if (result < 0)
		fail(options->name, ear_error_text(result));
	ear_decoder_init(&run.decoder, take_record, NULL);
	run.decoder.run_sink = take_run;
	ear_shot_states_init(&run.states, EAR_SHOT_STATES_AUTOMATIC);
}

static void open_encoder(void)
{
	const struct ear_geometry *geometry = ear_geometry_get(EAR_GEOMETRY_LARGE);
	struct ear_unit unit;

	ear_iss_unit(run.iss, &unit);
	unit.mode = EAR_UNIT_MODE_PREDICT;
	unsigned time_mode = run.time ? EAR_TIME_MODE_RECORD : EAR_TIME_MODE_SYNC;
	unit.control = (uint8_t)(time_mode << EAR_UNIT_CONTROL_TIME_MODE_SHIFT);
	unit.clock_hz = CLOCK_HZ;
	ear_geometry_build(unit.geometry, geometry);
	ear_encoder_init(&run.encoder, &unit, take_frame, run.writer);
	if (ear_predictor_init(&run.predictor, &unit, geometry) < 0)
		fail("predictor", "out of memory");
	ear_encoder_predict(&run.encoder, &run.predictor);
	ear_encoder_start(&run.encoder);
}

/* The clock at which the instruction retires: without --time, its number. */
static uint64_t clock_of(const struct ear_retire *entry)
{
	unsigned size = (entry->insn & 3) == 3 ? 4 : 2;
	bool divides = (entry->insn & 0xFE004077) == 0x02004033; /* DIV .. REMU and their W forms */

	if (!run.time)
		return entry->order;
	if (divides)
		return run.clock + 20;
	return run.clock + 1 + (entry->mem_rmask || entry->pc_wdata != entry->pc_rdata + size);
}

/* An event with its time before the record of this number. */
static void put_event(uint64_t number, uint64_t clock)
{
	ear_encoder_prepare(&run.encoder, number, clock);
	ear_encoder_time(&run.encoder, clock);
	ear_encoder_put(&run.encoder, &(struct ear_message){.kind = EAR_MSG_EVENT,
					      .u.event = {.source = EAR_EVENT_PORT,
						      .order = number,
						      .value = (uint32_t)run.event_count}});
	run.events[run.event_count++] = (uint32_t)number;
}

static void push(const struct ear_retire *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ear_retire *entry = &entries[i];

		run.clock = clock_of(entry);
		if (entry->order % run.event_every == run.event_every - 1)
			put_event(entry->order, run.clock);
		ear_encoder_push(&run.encoder, entry, run.clock);
		truth_add(&run.truth, entry);
	}
}

static void go(const struct options *options)
{
	static struct ear_retire batch[BATCH];
	const uint8_t *memory =
		ear_iss_memory(run.iss, EAR_ISS_MEMORY_BASE, run.program.memory_size);
	const uint64_t *moment = run.moments;

	for (uint64_t done = 0; done < options->records && run.write_result == 0;) {
		uint64_t end = *moment < options->records ? *moment + 1 : options->records;
		size_t want = end - done < BATCH ? (size_t)(end - done) : BATCH;

		if (ear_iss_run(run.iss, batch, want) != want)
			fail(options->workload, "the program ended");
		push(batch, want);
		done += want;
		if (done == *moment + 1) {
			truth_sample(&run.truth, &batch[want - 1], memory);
			moment++;
		}
	}
}

static void finish(const struct options *options, int fd)
{
	ear_encoder_put(&run.encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					      .u.stop = {.reason = EAR_STOP_ENDED,
						      .retired = options->records,
						      .delivered = options->records}});
	ear_encoder_flush(&run.encoder);
	if (run.write_result == 0)
		run.write_result =
			ear_shot_writer_finish(run.writer, "end_reason: program ended\n");
	if (run.write_result < 0 || close(fd) != 0)
		fail(options->name, strerror(errno));
}

static void write_answers(const struct options *options, const char *program_path)
{
	const struct truth_about about = {options->seed, program_path, run.events, run.event_count};
	char path[4096];

	snprintf(path, sizeof(path), "%s.json", options->name);
	FILE *file = fopen(path, "w");
	if (!file)
		fail(path, strerror(errno));
	truth_write(&run.truth, &about, file);
	int failed = ferror(file);
	if (fclose(file) != 0 || failed)
		fail(path, strerror(errno));
}

static uint64_t parse_count(const char *text, const char *option)
{
	char *end;
	double value = strtod(text, &end); /* 1e9, too */

	if (end == text || *end || value < 1 || value > RECORDS_MAX)
		fail(option, "not a number from 1 to 4000000000");
	return (uint64_t)value;
}

static void parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{"records", required_argument, NULL, 'n'},
		{"workload", required_argument, NULL, 'w'},
		{"seed", required_argument, NULL, 's'},
		{"samples", required_argument, NULL, 'S'},
		{"time", no_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "n:w:s:h", names, NULL)) != -1) {
		switch (option) {
		case 'n': options->records = parse_count(optarg, "--records"); break;
		case 'w': options->workload = optarg; break;
		case 's': options->seed = parse_count(optarg, "--seed"); break;
		case 'S': options->samples = parse_count(optarg, "--samples"); break;
		case 't': options->time = true; break;
		case 'h': fputs(help, stdout); exit(0);
		default: fputs(help, stderr); exit(2);
		}
	}
	if (optind != argc - 1) {
		fputs(help, stderr);
		exit(2);
	}
	options->name = argv[optind];
}

int main(int argc, char **argv)
{
	struct options options = {
		.records = 1000000, .seed = 1, .samples = 200, .workload = "interpreter"};
	char program_path[4096], path[4096];

	parse(argc, argv, &options);
	open_program(&options, program_path, sizeof(program_path));
	size_t moments = choose_moments(&options);
	if (truth_init(&run.truth, &run.program, moments, options.seed) < 0)
		fail("truth", "out of memory");
	snprintf(path, sizeof(path), "%s.shot", options.name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		fail(path, strerror(errno));
	run.event_every = options.records / EVENTS + 1000;
	run.time = options.time;
	open_capture(&options, program_path, fd);
	open_encoder();
	go(&options);
	finish(&options, fd);
	write_answers(&options, program_path);
	ear_decoder_fini(&run.decoder);
	ear_shot_writer_free(run.writer);
	ear_predictor_fini(&run.predictor);
	ear_iss_free(run.iss);
	truth_fini(&run.truth);
	free(run.moments);
	return 0;
}
