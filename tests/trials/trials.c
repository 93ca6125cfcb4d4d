/* Trials of truth: streams of which everything is known are damaged in every way, decoded, and
 * judged. The short form is a test; the long one is for whoever wants to know.
 *
 *     trials [OPTION]...
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "against.h"
#include "decode_run.h"
#include "decoder/codec/decoder.h"
#include "fault.h"
#include "judge.h"
#include "library/source/source.h"
#include "run.h"

#define TRIALS_A_RUN 12 /* of different faults, from the same run */

static const char help[] =
	"usage: trials [OPTION]...\n"
	"Damage streams of which everything is known, decode them, and judge what comes\n"
	"out: it must be the true records minus exactly the ranges that gaps name.\n"
	"\n"
	"  -n, --count N    so many trials (default 3000)\n"
	"      --seed N     the first seed (default 1)\n"
	"      --fault NAME only this fault\n"
	"      --keep FILE  write the damaged stream of a trial that failed, two as FILE.a and .b\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 nothing untrue was said, 1 something was, 2 it could not be done.\n";

struct options {
	uint64_t count, seed;
	int fault; /* -1: all */
	const char *keep;
};

#define SWEEP_MAX 400         /* frames of a run of which each is repeated */
#define AGAINST   FAULT_COUNT /* the row of gaps against gaps */
#define ROW_COUNT (FAULT_COUNT + 1)

struct tally {
	uint64_t trials[ROW_COUNT][2], failed[ROW_COUNT][2]; /* raw, predict */
};

/* A run of records at once, as users that are faster that way take it. */
static int judge_run(
	void *context, const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	struct ear_expanded_record made;

	ear_compact_run_begin(&made, run);
	for (size_t i = 0; i < run->count; i++)
		judge_record(context, ear_compact_run_get(&made, run, &compacts[i], i));
	return 0;
}

/* Decode in pieces of random size. */
static void decode_bytes(struct judge *judge, struct ear_decoder_statistics *statistics,
	const struct byte_buffer *bytes, struct random *random)
{
	static struct ear_decoder decoder;
	size_t begin = 0, end = 0, used;

	ear_decoder_init(&decoder, judge_record, judge);
	if (random_once_in(random, 2))
		decoder.run_sink = judge_run;
	do {
		size_t step =
			random_once_in(random, 3) ? 1 + random_below(random, 2000) : bytes->size;
		end = bytes->size - end < step ? bytes->size : end + step;
		if (ear_decoder_push(&decoder, &used, end > begin ? bytes->bytes + begin : NULL,
			    end - begin, end == bytes->size) != 0)
			abort();
		begin += used;
	} while (end < bytes->size);
	*statistics = decoder.statistics;
	ear_decoder_fini(&decoder);
}

/* The same through a file, as convert and diff read it, with one to three threads. */
static void decode_file(struct judge *judge, struct ear_decoder_statistics *statistics,
	const struct byte_buffer *bytes, struct random *random)
{
	struct ear_source_options options = {.format = "shot"};
	const struct ear_record *record;
	struct ear_source *source;
	int fd = memory_file(), result;

	if (write(fd, bytes->bytes, bytes->size) != (ssize_t)bytes->size ||
		lseek(fd, 0, SEEK_SET) != 0 || ear_source_new(&source, fd, &options) != 0)
		abort();
	ear_source_set_jobs(source, 1 + (unsigned)random_below(random, 3));
	while ((result = ear_source_next(source, &record)) > 0)
		judge_record(judge, record);
	if (result < 0)
		abort();
	ear_source_stop(source);
	*statistics = *ear_source_statistics(source);
	ear_source_free(source);
	close(fd);
}

static void keep(const char *path, const struct byte_buffer *bytes)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes->bytes, 1, bytes->size, file) != bytes->size)
		perror(path);
	if (file)
		fclose(file);
}

/* Decode and judge. */
static bool judge_damaged(const struct options *options, struct run runs[2], enum fault fault,
	uint64_t seed, struct damaged *damaged, struct random *random)
{
	struct ear_decoder_statistics statistics;
	struct judge judge;
	unsigned run_count =
		fault == FAULT_JOIN || fault == FAULT_JOIN_CUT || fault == FAULT_JOIN_FITTING ? 2
											      : 1;

	/* What is predicted in the second of two captures that fit is wrong until a check says so.
	 */
	bool forged = fault == FAULT_FORGE || (runs[0].predict && damaged->fitting);
	judge_init(&judge, runs, run_count, damaged, forged);
	judge.fitting = damaged->fitting;
	judge.begun = damaged->begun;
	if (damaged->bytes.size > 0 && random_once_in(random, 10))
		decode_file(&judge, &statistics, &damaged->bytes, random);
	else
		decode_bytes(&judge, &statistics, &damaged->bytes, random);
	judge_end(&judge, &statistics, !damaged->changed || fault == FAULT_JOIN);
	bool good = judge.fault[0] == '\0';
	if (!good) {
		printf("seed %" PRIu64 ", %s, %s: %s\n", seed, runs[0].predict ? "predict" : "raw",
			fault_name(fault), judge.fault);
		if (options->keep)
			keep(options->keep, &damaged->bytes);
	}
	judge_fini(&judge);
	fault_free(damaged);
	return good;
}
static bool one_trial(const struct options *options, struct run runs[2], enum fault fault,
	uint64_t seed, struct random *random)
{
	struct damaged damaged;

	fault_make(&damaged, fault, runs, random);
	return judge_damaged(options, runs, fault, seed, &damaged, random);
}

/* Two damaged copies, compared. */
static bool one_against(
	struct run runs[2], const struct options *options, uint64_t seed, struct random *random)
{
	static const enum fault faults[] = {FAULT_NONE, FAULT_CUT_START, FAULT_CUT_END,
		FAULT_CUT_FRAMES, FAULT_DROP_FRAMES, FAULT_DROP_FRAMES, FAULT_REPEAT_FRAME,
		FAULT_SWAP_FRAMES, FAULT_FLIPS, FAULT_NOISE, FAULT_DELETE};
	struct damaged damaged[2];
	enum fault drawn[2];
	char text[JUDGE_TEXT_SIZE];

	for (unsigned i = 0; i < 2; i++) {
		drawn[i] = faults[random_below(random, sizeof(faults) / sizeof(faults[0]))];
		fault_make(&damaged[i], drawn[i], runs, random);
	}
	bool good = against_trial(&runs[0], damaged, random, text, sizeof(text));
	if (!good)
		printf("seed %" PRIu64 ", %s, %s against %s: %s\n", seed,
			runs[0].predict ? "predict" : "raw", fault_name(drawn[0]),
			fault_name(drawn[1]), text);
	if (!good && options->keep) {
		char name[300];
		for (unsigned i = 0; i < 2; i++) {
			snprintf(name, sizeof(name), "%s.%c", options->keep, "ab"[i]);
			keep(name, &damaged[i].bytes);
		}
	}
	for (unsigned i = 0; i < 2; i++)
		fault_free(&damaged[i]);
	return good;
}

/* Is the fault one that this run can have? */
static bool fits(enum fault fault, const struct run *run)
{
	if (fault == FAULT_DROP_WRAP)
		return run->frame_count > 65536 + 2;
	/* Nothing but the CRC protects what a record holds in raw mode, or before a hard SYNC of an
	 * old unit, which comes without a CHECK. */
	return fault != FAULT_FORGE || (run->predict && !run_is_unchecked(run));
}

static struct run_wish draw_wish(struct random *random, bool wrap)
{
	struct run_wish wish = {
		.predict = !wrap && random_once_in(random, 2),
		.hart_count = random_once_in(random, 4) ? 2 : 1,
		.count = 1 + random_below(random, random_once_in(random, 6) ? 6000 : 900),
		.per_frame = random_once_in(random, 4) ? 0 : 1 + (unsigned)random_below(random, 30),
		.losses = random_once_in(random, 3),
		.filter = random_once_in(random, 4),
		.trigger = random_once_in(random, 5),
		.from_zero = random_once_in(random, 2),
		.syncs = random_once_in(random, 2),
	};

	if (wrap) {
		wish.hart_count = 1;
		wish.per_frame = 1;
		wish.count = 67000 + random_below(random, 3000);
	}
	return wish;
}

/* Each frame of a run comes twice, one after the other. */
static void sweep(const struct options *options, struct tally *tally, struct run runs[2],
	uint64_t seed, struct random *random)
{
	struct damaged damaged;

	for (size_t frame = 0; frame < runs[0].frame_count; frame++) {
		fault_repeat(&damaged, runs, frame);
		tally->trials[FAULT_REPEAT_FRAME][runs[0].predict]++;
		tally->failed[FAULT_REPEAT_FRAME][runs[0].predict] +=
			!judge_damaged(options, runs, FAULT_REPEAT_FRAME, seed, &damaged, random);
	}
}

static void all_faults(const struct options *options, struct tally *tally, uint64_t seed)
{
	struct random random = {seed * 2654435761u + 1};
	struct run runs[2];

	for (unsigned i = 0; i < 20; i++)
		random_next(&random);
	bool wrap = options->fault == FAULT_DROP_WRAP || random_once_in(&random, 60);
	struct run_wish wish = draw_wish(&random, wrap), other = draw_wish(&random, false);
	other.predict = wish.predict;
	run_make(&runs[0], &random, &wish);
	run_make(&runs[1], &random, &other);
	if (runs[0].frame_count <= SWEEP_MAX && random_once_in(&random, 20))
		sweep(options, tally, runs, seed, &random);
	for (unsigned i = 0; i < TRIALS_A_RUN; i++) {
		enum fault fault = options->fault >= 0
					   ? (enum fault)options->fault
					   : (enum fault)random_below(&random, FAULT_COUNT);
		if (wrap && i == 0 && options->fault < 0)
			fault = FAULT_DROP_WRAP;
		if (options->fault < 0 && random_once_in(&random, 8))
			fault = AGAINST;
		if (!fits(fault, &runs[0]))
			continue;
		tally->trials[fault][wish.predict]++;
		tally->failed[fault][wish.predict] +=
			fault == AGAINST ? !one_against(runs, options, seed, &random)
					 : !one_trial(options, runs, fault, seed, &random);
	}
	run_free(&runs[0]);
	run_free(&runs[1]);
}

static uint64_t total(const uint64_t counts[ROW_COUNT][2])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ROW_COUNT; i++)
		sum += counts[i][0] + counts[i][1];
	return sum;
}

static const char *row_name(unsigned row)
{
	return row == AGAINST ? "gaps-gaps" : fault_name((enum fault)row);
}

static void print_tally(const struct tally *tally)
{
	printf("%-14s %10s %10s %22s\n", "fault", "raw", "predict", "something untrue said");
	for (unsigned i = 0; i < ROW_COUNT; i++)
		printf("%-14s %10" PRIu64 " %10" PRIu64 " %22" PRIu64 "\n", row_name(i),
			tally->trials[i][0], tally->trials[i][1],
			tally->failed[i][0] + tally->failed[i][1]);
	printf("%" PRIu64 " trials, %" PRIu64 " failed\n", total(tally->trials),
		total(tally->failed));
}

static int find_row(const char *text)
{
	for (int i = 0; i < ROW_COUNT; i++)
		if (strcmp(text, row_name((unsigned)i)) == 0)
			return i;
	fprintf(stderr, "trials: no fault is called '%s'\n", text);
	exit(2);
}

static void parse(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {{"count", required_argument, NULL, 'n'},
		{"seed", required_argument, NULL, 's'}, {"fault", required_argument, NULL, 'f'},
		{"keep", required_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	int option;

	*options = (struct options){.count = 3000, .seed = 1, .fault = -1};
	while ((option = getopt_long(argc, argv, "n:h", names, NULL)) != -1) {
		switch (option) {
		case 'n': options->count = strtoull(optarg, NULL, 0); break;
		case 's': options->seed = strtoull(optarg, NULL, 0); break;
		case 'f': options->fault = find_row(optarg); break;
		case 'k': options->keep = optarg; break;
		case 'h': fputs(help, stdout); exit(0);
		default: fputs(help, stderr); exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct options options;
	struct tally tally = {0};

	parse(&options, argc, argv);
	for (uint64_t seed = options.seed; total(tally.trials) < options.count; seed++)
		all_faults(&options, &tally, seed);
	print_tally(&tally);
	return total(tally.failed) > 0;
}
