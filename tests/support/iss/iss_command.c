/* earshot-iss: run a program on the instruction set simulator and write what retires.
 *
 *   earshot-iss [options] PROGRAM.elf
 *     -o FILE            write the stream in raw mode; "-" is standard output. Without it
 *                        entries are only counted
 *     --isa STRING       "rv32imc" and the like, see iss.h; default: everything, width of the ELF
 *     --xlen 32|64       refuse a program of another width
 *     --max N            stop after N entries
 *     --seed N           seed of everything random
 *     --set NAME=VALUE[,...]  an option of the simulator, see iss.h:
 *                        time_random=1    time advances unevenly
 *                        uart_busy=N      in N of 1000 reads the UART is busy
 *                        sc_failure=N     N of 1000 SCs fail without a reason
 *                        packets=N        packet source: one packet in N entries, on average
 *                        misaligned_traps=1  loads and stores trap, as on the demo core
 *                        memory=N         MiB
 *     --bug KIND[:SEED]  build in a bug: alu, store, upset, stale, sign
 *     --flips N          wrong fields in N of a million entries
 *     --dump LIST:FILE   what the hart and its memory hold behind the records of LIST, see dump.h
 *     --follow FILE      run beside this capture of a core and compare every field (FILE "-":
 * stdin)
 *     --quiet            do not show what the program prints
 * Prints the number of entries and how the program ended. Exit code: that of the program; 124 if
 * it did not end, 2 for bad usage or a bad file. With --follow: 0 if all agree, 1 if not.
 */
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/codec/encoder.h"
#include "iss/dump.h"
#include "iss/faults.h"
#include "iss/follow.h"
#include "iss/iss.h"
#include "iss/workload.h"

#define BATCH     256
#define EXIT_OPEN 124

struct options {
	struct ear_iss_options iss;
	struct ear_iss_bug bug;
	uint64_t max;
	uint32_t flips;
	bool quiet;
	const char *program, *output, *follow, *dump;
};

static void write_frame(void *context, const uint8_t *bytes, size_t size)
{
	FILE *stream = context;

	if (fwrite(bytes, 1, size, stream) != size) {
		fprintf(stderr, "earshot-iss: cannot write: %s\n", strerror(errno));
		exit(2);
	}
}

static void print_byte(void *context, uint8_t byte)
{
	(void)context;
	fputc(byte, stderr);
}

static int parse_bug(const char *text, struct ear_iss_bug *bug)
{
	size_t length = strcspn(text, ":");
	uint64_t seed = text[length] ? strtoull(text + length + 1, NULL, 0) : 1;

	for (int kind = EAR_ISS_BUG_NONE; kind < EAR_ISS_BUG_KINDS; kind++) {
		const char *name = ear_iss_bug_name((enum ear_iss_bug_kind)kind);

		if (strlen(name) == length && memcmp(name, text, length) == 0) {
			ear_iss_bug_draw(bug, (enum ear_iss_bug_kind)kind, seed);
			return 0;
		}
	}
	return EAR_E_BAD_ARGUMENT;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{"bug", required_argument, NULL, 'b'},
		{"dump", required_argument, NULL, 'd'},
		{"flips", required_argument, NULL, 'f'},
		{"follow", required_argument, NULL, 'F'},
		{"isa", required_argument, NULL, 'i'},
		{"max", required_argument, NULL, 'm'},
		{"quiet", no_argument, NULL, 'q'},
		{"seed", required_argument, NULL, 'S'},
		{"set", required_argument, NULL, 's'},
		{"xlen", required_argument, NULL, 'x'},
		{NULL, 0, NULL, 0},
	};
	struct ear_iss_options *iss = &options->iss;
	int option;

	while ((option = getopt_long(argc, argv, "o:", names, NULL)) != -1) {
		int result = 0;

		switch (option) {
		case 'b': result = parse_bug(optarg, &options->bug); break;
		case 'd': options->dump = optarg; break;
		case 'f': options->flips = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'F': options->follow = optarg; break;
		case 'i': result = ear_iss_options_isa(iss, optarg); break;
		case 'm': options->max = strtoull(optarg, NULL, 0); break;
		case 'o': options->output = optarg; break;
		case 'q': options->quiet = true; break;
		case 's': result = ear_iss_options_list(iss, optarg); break;
		case 'S': result = ear_iss_options_set(iss, "seed", optarg); break;
		case 'x': iss->xlen = (unsigned)strtoul(optarg, NULL, 0); break;
		default: result = EAR_E_BAD_ARGUMENT; break;
		}
		if (result < 0)
			return result;
	}
	if (optind != argc - 1)
		return EAR_E_BAD_ARGUMENT;
	options->program = argv[optind];
	return 0;
}

/* How many entries to run now: not past the end, nor past a moment that is to be dumped. */
static size_t batch_room(const struct options *options, const struct iss_dump *dump, uint64_t total)
{
	uint64_t room = BATCH, next = iss_dump_next(dump);

	if (options->max && options->max - total < room)
		room = options->max - total;
	if (next != UINT64_MAX && next + 1 - total < room)
		room = next + 1 - total;
	return (size_t)room;
}

/* Run to the end; entries go to the encoder if there is a stream. Returns their number. */
static uint64_t run(
	struct ear_iss *iss, const struct options *options, FILE *stream, struct iss_dump *dump)
{
	static struct ear_retire entries[BATCH];
	static struct ear_encoder encoder;
	struct ear_faults faults;
	struct ear_unit unit;
	uint64_t total = 0;
	size_t count, room;

	ear_iss_unit(iss, &unit);
	ear_faults_init(&faults, options->iss.seed, options->flips, unit.flen);
	if (stream) {
		ear_encoder_init(&encoder, &unit, write_frame, stream);
		ear_encoder_start(&encoder);
	}
	do {
		room = batch_room(options, dump, total);
		count = ear_faults_run(&faults, iss, entries, room);
		for (size_t k = 0; stream && k < count; k++)
			ear_encoder_push(&encoder, &entries[k], 0);
		total += count;
		if (count > 0 && total == iss_dump_next(dump) + 1)
			iss_dump_write(dump, entries[count - 1].pc_rdata);
	} while (count == room && (!options->max || total < options->max));
	if (stream) {
		const struct ear_message stop = {.kind = EAR_MSG_STOP,
			.u.stop = {.reason = EAR_STOP_ENDED, .retired = total, .delivered = total}};

		ear_encoder_put(&encoder, &stop);
	}
	return total;
}

static int open_output(const char *path, FILE **stream)
{
	*stream = NULL;
	if (path)
		*stream = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
	return path && !*stream ? EAR_E_IO : 0;
}

static int report(const struct ear_iss *iss, uint64_t total, FILE *out)
{
	int code = 0;

	fprintf(out, "%" PRIu64 " entries, ", total);
	switch (ear_iss_ended(iss, &code)) {
	case EAR_ISS_EXITED: fprintf(out, "exit code %d", code); break;
	case EAR_ISS_ASLEEP: fprintf(out, "asleep for good"); break;
	default: fprintf(out, "not at its end"); break;
	}
	if (ear_iss_bug_count(iss))
		fprintf(out, ", %" PRIu64 " times wrong", ear_iss_bug_count(iss));
	fprintf(out, "\n");
	if (ear_iss_ended(iss, NULL) != EAR_ISS_EXITED)
		return EXIT_OPEN;
	return code > 255 ? 255 : code;
}

static int follow(struct ear_iss *iss, const struct options *options)
{
	bool from_stdin = strcmp(options->follow, "-") == 0;
	int fd = from_stdin ? STDIN_FILENO : open(options->follow, O_RDONLY);
	int64_t agreed;

	if (fd < 0) {
		fprintf(stderr, "earshot-iss: %s: %s\n", options->follow, strerror(errno));
		return 2;
	}
	agreed = iss_follow_capture(iss, fd, options->max);
	if (!from_stdin)
		close(fd);
	if (agreed <= 0)
		return 1;
	printf("%" PRId64 " entries agree\n", agreed);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	struct ear_iss *iss;
	FILE *stream;
	uint64_t total;
	int result;

	ear_iss_options_init(&options.iss);
	if (parse(argc, argv, &options) < 0) {
		fprintf(stderr, "usage: earshot-iss [-o FILE] [options] PROGRAM.elf; the options "
				"are listed in tests/support/iss/iss_command.c\n");
		return 2;
	}
	if (!options.quiet)
		options.iss.uart = print_byte;
	result = ear_iss_new(&iss, &options.iss, options.program);
	if (result < 0) {
		fprintf(stderr, "earshot-iss: %s: %s\n", options.program,
			result == EAR_E_IO ? strerror(errno) : ear_error_text(result));
		return 2;
	}
	if (options.follow) {
		result = follow(iss, &options);
		ear_iss_free(iss);
		return result;
	}
	if (open_output(options.output, &stream) < 0) {
		fprintf(stderr, "earshot-iss: %s: %s\n", options.output, strerror(errno));
		ear_iss_free(iss);
		return 2;
	}
	struct iss_dump *dump = options.dump ? iss_dump_new(options.dump, iss) : NULL;
	if (options.dump && !dump) {
		ear_iss_free(iss);
		return 2;
	}
	ear_iss_bug_set(iss, &options.bug);
	total = run(iss, &options, stream, dump);
	bool failed = iss_dump_end(dump) < 0;
	if ((stream && fclose(stream) != 0) || failed) {
		fprintf(stderr, "earshot-iss: cannot write: %s\n", strerror(errno));
		ear_iss_free(iss);
		return 2;
	}
	result = report(iss, total, stream == stdout ? stderr : stdout);
	ear_iss_free(iss);
	return result;
}
