/* Run a program on the simulator, encode and decode its retire entries, compare every field, and
 * print what the trace costs.
 *
 *     codec_run [OPTION]... PROGRAM.elf...
 */
#include <earshot/error.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decoder/codec/decoder.h"
#include "decoder/codec/encoder.h"
#include "decoder/codec/reconstruct.h"
#include "decoder/isa/inst.h"
#include "iss/faults.h"
#include "iss/iss.h"
#include "retire_random.h"

#define MARK       65536
#define BATCH      4096
#define QUEUE_SIZE (1u << 18) /* entries on the way; a frame with more is ended early */

static const char help[] =
	"usage: codec_run [OPTION]... PROGRAM.elf...\n"
	"Encode and decode what the programs retire, compare every field, print the cost.\n"
	"\n"
	"  -g, --geometry NAME   tiny, small, large (default), unified, xl; or raw\n"
	"      --isa ISA         as the simulator takes it, rv32imc (default: all of it)\n"
	"      --max N           end after N entries of each program\n"
	"      --repeat N        run each program again until N entries have passed\n"
	"      --seed N          of everything random (default 1)\n"
	"      --flips N         N in a million entries get wrong fields\n"
	"      --bug KIND        alu, store, upset, stale, sign: the core has this bug\n"
	"      --no-multiply, --no-divide, --no-dictionary   take a part out of the geometry\n"
	"      --spoil N         after N entries a bit in the decoder changes: must be noticed\n"
	"      --flush N         FLUSH_CYCLES is N, and an entry retires in every clock\n"
	"      --encode-only     do not decode: for the speed of the encoder\n"
	"      --wire FILE       write the stream to FILE\n"
	"      --entries FILE    write the entries to FILE, packed, for other compressors\n"
	"      --header          the names of the columns first\n"
	"  -h, --help            this text\n"
	"\n"
	"Exit status: 0 all fields equal, 1 they differ, 2 it could not be done.\n";

struct options {
	struct ear_geometry geometry;
	bool raw, encode_only, header;
	const char *isa, *wire, *entries;
	uint64_t max, repeat, seed, spoil;
	uint32_t flips, flush;
	enum ear_iss_bug_kind bug;
};

struct run {
	struct ear_retire *queue; /* entries that were encoded and did not come back yet */
	uint64_t pushed, popped, spoil;
	uint64_t mismatches, gaps;
	struct ear_decoder decoder, batched;
	uint64_t mixed, mixed_batched, runs;
	uint64_t unordinary; /* records of a run that are not what it says */
	bool decode;
	FILE *wire, *entries;
	uint64_t wire_bytes; /* in finished frames */
};

/* What a link of a given rate does to the unit's FIFO. */
struct fifo {
	double drain; /* bytes for each retired instruction */
	double level, peak;
};

/* All that a record says, in one number. */
static uint64_t mix_record(uint64_t mixed, const struct ear_record *record)
{
	const uint64_t values[] = {record->kind, record->index, record->stream_offset, record->xlen,
		record->privilege, record->opcode, record->opcode_size, record->fflags, record->frm,
		record->flags, record->pc, record->pc_physical, record->next_pc, record->cause,
		record->register_count, record->memory_count};

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return mixed;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		mixed = (mixed ^ values[i]) * 0x100000001B3u;
	for (size_t i = 0; i < record->register_count; i++)
		mixed = (mixed ^ record->registers[i].value ^
				(uint64_t)record->registers[i].number << 40 ^
				(uint64_t)record->registers[i].reg_class << 56) *
			0x100000001B3u;
	for (size_t i = 0; i < record->memory_count; i++)
		mixed = ((mixed ^ record->memory[i].address) * 0x100000001B3u ^
				record->memory[i].value ^ (uint64_t)record->memory[i].size << 40 ^
				(uint64_t)record->memory[i].write << 56) *
			0x100000001B3u;
	return mixed;
}

/* The decoder that makes runs in batches must give the same records as the one that does not. */
static int take_batched(void *context, const struct ear_record *record)
{
	struct run *run = context;

	run->mixed_batched = mix_record(run->mixed_batched, record);
	return 0;
}

/* Is the record what a run calls ordinary? */
static bool is_ordinary(const struct ear_compact_record *compact, unsigned xlen)
{
	struct ear_inst inst;
	unsigned writes = 0;
	bool moves =
		compact->next_pc != (xlen == 32 ? (uint32_t)(compact->pc + compact->opcode_size)
						: compact->pc + compact->opcode_size);

	ear_inst_decode(&inst, compact->opcode, xlen);
	for (size_t i = 0; i < inst.operand_count; i++)
		if (inst.operands[i].kind == EAR_OPERAND_X &&
			inst.operands[i].access & EAR_OPERAND_WRITE)
			writes = (unsigned)inst.operands[i].value;
	switch (inst.kind) {
	case EAR_KIND_LOAD:
	case EAR_KIND_STORE:
		return !moves && compact->rd == writes && compact->size == inst.access_size &&
		       !(compact->flags & EAR_COMPACT_WRITE) == (inst.kind == EAR_KIND_LOAD);
	case EAR_KIND_JUMP: return compact->rd == writes && compact->flags & EAR_COMPACT_TAKEN;
	case EAR_KIND_BRANCH:
		return compact->rd == 0 && compact->size == EAR_COMPACT_NO_ACCESS &&
		       moves == !!(compact->flags & EAR_COMPACT_TAKEN);
	case EAR_KIND_ALU:
	case EAR_KIND_MUL:
	case EAR_KIND_DIV:
		return !moves && compact->rd == writes && compact->size == EAR_COMPACT_NO_ACCESS;
	default: return false;
	}
}

/* Runs are taken as a whole and one by one in turn. */
static int take_run(void *context, const struct ear_compact_run *taken,
	const struct ear_compact_record *compacts)
{
	struct run *run = context;
	struct ear_expanded_record made;

	for (size_t i = 0; i < taken->count && taken->ordinary; i++)
		if (!is_ordinary(&compacts[i], taken->xlen) ||
			(i > 0 && compacts[i].pc != compacts[i - 1].next_pc))
			run->unordinary++;
	if (run->runs++ % 4 == 3)
		return 1;
	ear_compact_run_begin(&made, taken);
	for (size_t i = 0; i < taken->count; i++)
		take_batched(run, ear_compact_run_get(&made, taken, &compacts[i], i));
	return 0;
}

/* Every record that is decoded must be the oldest entry that is on the way. */
static int take_record(void *context, const struct ear_record *record)
{
	struct run *run = context;

	if (record->kind != EAR_RECORD_INSTRUCTION) {
		run->gaps += record->kind == EAR_RECORD_GAP;
		return 0;
	}
	run->mixed = mix_record(run->mixed, record);
	if (run->spoil && run->popped == run->spoil)
		run->decoder.hart->predictor->x[2] ^= 4;
	const struct ear_retire *sent = &run->queue[run->popped++ % QUEUE_SIZE];
	const struct ear_retire *got = &run->decoder.hart->entry;
	const char *difference = retire_difference(sent, got);
	if (difference && run->mismatches++ < 3)
		fprintf(stderr, "entry %" PRIu64 " at pc %" PRIx64 " came back with another %s\n",
			sent->order, sent->pc_rdata, difference);
	return 0;
}

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct run *run = context;
	size_t used;

	run->wire_bytes += size;
	if (run->wire)
		fwrite(bytes, 1, size, run->wire);
	if (run->decode) {
		ear_decoder_push(&run->decoder, &used, bytes, size, false);
		ear_decoder_push(&run->batched, &used, bytes, size, false);
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void follow_fifo(struct fifo *fifo, double bytes)
{
	fifo->level += bytes - fifo->drain;
	if (fifo->level < 0)
		fifo->level = 0;
	if (fifo->level > fifo->peak)
		fifo->peak = fifo->level;
}

/* An entry as a plain row of bytes. */
static void write_entry(FILE *file, const struct ear_retire *entry)
{
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];
	struct ear_message message = {
		.kind = entry->xlen == 32 ? EAR_MSG_RAW32 : EAR_MSG_RAW64,
		.u.retire = {.entry = *entry},
	};

	fwrite(bytes, 1, ear_message_build(bytes, &message), file);
}

struct totals {
	uint64_t entries, wire_bytes;
	uint64_t *marks; /* bytes so far at every MARK-th entry; owned */
	size_t mark_count;
	double seconds;
	struct fifo fast, slow;
};

static void push_batch(struct run *run, struct ear_encoder *encoder, struct ear_retire *batch,
	size_t count, struct totals *totals)
{
	for (size_t i = 0; i < count; i++) {
		if (run->decode && run->pushed - run->popped == QUEUE_SIZE)
			ear_encoder_flush(encoder);
		ear_encoder_elapse(encoder, encoder->record_count);
		if (run->decode)
			run->queue[run->pushed++ % QUEUE_SIZE] = batch[i];
		if (run->entries)
			write_entry(run->entries, &batch[i]);
		uint64_t before = run->wire_bytes + encoder->payload_size;
		ear_encoder_push(encoder, &batch[i], 0);
		double bytes = (double)(run->wire_bytes + encoder->payload_size - before);
		follow_fifo(&totals->fast, bytes);
		follow_fifo(&totals->slow, bytes);
	}
}

static void push_only(struct ear_encoder *encoder, const struct ear_retire *batch, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (encoder->flush_cycles)
			ear_encoder_elapse(encoder, encoder->record_count);
		ear_encoder_push(encoder, &batch[i], 0);
	}
}

static void add_mark(struct totals *totals, uint64_t bytes)
{
	totals->marks = realloc(totals->marks, (totals->mark_count + 1) * sizeof(*totals->marks));
	if (!totals->marks) {
		perror("codec_run");
		exit(2);
	}
	totals->marks[totals->mark_count++] = bytes;
}

/* One run of the program. Returns 0, or an error. */
static int run_once(struct run *run, struct ear_encoder *encoder, struct ear_iss *iss,
	struct ear_faults *faults, uint64_t *order, const struct options *options,
	struct totals *totals)
{
	static struct ear_retire batch[BATCH];
	uint64_t limit = options->max ? options->max : UINT64_MAX, done = 0;

	while (done < limit) {
		size_t want = limit - done < BATCH ? (size_t)(limit - done) : BATCH;
		size_t count = ear_faults_run(faults, iss, batch, want);
		for (size_t i = 0; i < count; i++)
			batch[i].order = (*order)++;
		double begin = now();
		if (options->encode_only)
			push_only(encoder, batch, count);
		else
			push_batch(run, encoder, batch, count, totals);
		totals->seconds += now() - begin;
		done += count;
		totals->entries += count;
		if (totals->entries / MARK > totals->mark_count)
			add_mark(totals, run->wire_bytes + encoder->payload_size);
		if (count < want)
			break;
	}
	return 0;
}

static int open_iss(
	struct ear_iss **iss, const char *path, const struct options *options, uint64_t seed)
{
	struct ear_iss_options setup;
	struct ear_iss_bug bug;

	ear_iss_options_init(&setup);
	if (options->isa && ear_iss_options_isa(&setup, options->isa)) {
		fprintf(stderr, "codec_run: no such ISA: %s\n", options->isa);
		return 2;
	}
	setup.xlen = options->isa ? setup.xlen : 0;
	setup.seed = seed;
	setup.packets = 5000;
	setup.uart_busy = 300;
	setup.sc_failure = 20;
	setup.misaligned_traps = false;
	int result = ear_iss_new(iss, &setup, path);
	if (result) {
		fprintf(stderr, "codec_run: %s: %s\n", path, ear_error_text(result));
		return 2;
	}
	if (options->bug) {
		ear_iss_bug_draw(&bug, options->bug, seed);
		ear_iss_bug_set(*iss, &bug);
	}
	return 0;
}

static void begin_encoder(struct ear_encoder *encoder, struct ear_predictor *predictor,
	const struct ear_iss *iss, const struct options *options, struct run *run)
{
	struct ear_unit unit;

	ear_iss_unit(iss, &unit);
	unit.protocol_major = EAR_PROTOCOL_MAJOR;
	unit.protocol_minor = EAR_PROTOCOL_MINOR;
	if (!options->raw) {
		unit.mode = EAR_UNIT_MODE_PREDICT;
		ear_geometry_build(unit.geometry, &options->geometry);
	}
	ear_encoder_init(encoder, &unit, take_frame, run);
	if (options->raw)
		return;
	if (ear_predictor_init(predictor, &unit, &options->geometry)) {
		fprintf(stderr, "codec_run: out of memory\n");
		exit(2);
	}
	ear_encoder_predict(encoder, predictor);
	ear_encoder_flush_after(encoder, options->flush);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_totals(
	const char *path, const struct totals *totals, const struct run *run, bool decoded)
{
	double n = (double)totals->entries, bits = 8 * (double)totals->wire_bytes;
	/* Steady is the second half of the run. */
	size_t half = totals->mark_count / 2;
	double late = n - (double)half * MARK;
	double steady =
		half ? 8 * (double)(totals->wire_bytes - totals->marks[half - 1]) / late : bits / n;

	printf("%-28s %11" PRIu64 " %10.1f %9.5f %9.5f %9.0f %9.0f %8.1f", base_name(path),
		totals->entries, (bits - steady * n) / 1000, steady, bits / n, totals->fast.peak,
		totals->slow.peak, n / totals->seconds / 1e6);
	if (decoded)
		printf(" %" PRIu64 " wrong, %" PRIu64 " gaps", run->mismatches, run->gaps);
	printf("\n");
}

/* Allocate the queue, open the files and begin both decoders. */
static bool begin_run(struct run *run, const struct options *options)
{
	run->queue = calloc(QUEUE_SIZE, sizeof(*run->queue));
	run->wire = options->wire ? fopen(options->wire, "wb") : NULL;
	run->entries = options->entries ? fopen(options->entries, "wb") : NULL;
	if (!run->queue || (options->wire && !run->wire) || (options->entries && !run->entries)) {
		perror("codec_run");
		return false;
	}
	ear_decoder_init(&run->decoder, take_record, run);
	run->decoder.one_by_one = true; /* hart->entry is looked at */
	ear_decoder_init(&run->batched, take_batched, run);
	run->batched.run_sink = take_run;
	return true;
}

static void end_run(struct run *run)
{
	ear_decoder_fini(&run->decoder);
	ear_decoder_fini(&run->batched);
	free(run->queue);
	if (run->wire)
		fclose(run->wire);
	if (run->entries)
		fclose(run->entries);
}

/* The stream ends: take what the decoders still hold. */
static void finish_stream(struct run *run, struct ear_encoder *encoder, uint64_t order)
{
	size_t used;

	ear_encoder_put(encoder,
		&(struct ear_message){.kind = EAR_MSG_STOP,
			.u.stop = {
				.reason = EAR_STOP_ENDED, .retired = order, .delivered = order}});
	if (!run->decode)
		return;
	ear_decoder_push(&run->decoder, &used, NULL, 0, true);
	ear_decoder_push(&run->batched, &used, NULL, 0, true);
}

/* Did all entries come back, the same from both decoders? */
static bool is_exact(const struct run *run)
{
	const struct ear_decoder_statistics *statistics = &run->decoder.statistics;
	const struct ear_decoder_statistics *batched = &run->batched.statistics;
	bool same = run->mixed == run->mixed_batched && statistics->records == batched->records &&
		    statistics->last_index == batched->last_index;

	if (!run->decode)
		return true;
	if (run->pushed != run->popped)
		fprintf(stderr, "%" PRIu64 " entries went in, %" PRIu64 " came out\n", run->pushed,
			run->popped);
	if (!same)
		fprintf(stderr, "records in batches are not those one by one\n");
	if (run->unordinary)
		fprintf(stderr, "%" PRIu64 " records of runs are not ordinary\n", run->unordinary);
	return same && !run->unordinary && !run->mismatches && !run->gaps &&
	       run->pushed == run->popped && !statistics->disagreements;
}

static int run_program(const char *path, const struct options *options)
{
	struct run run = {.decode = !options->encode_only, .spoil = options->spoil};
	struct totals totals = {.fast.drain = 0.4, .slow.drain = 0.01};
	struct ear_predictor predictor;
	struct ear_encoder encoder;
	struct ear_faults faults;
	struct ear_iss *iss;
	struct ear_unit unit;
	uint64_t order = 0, seed = options->seed;

	if (open_iss(&iss, path, options, seed) || !begin_run(&run, options))
		return 2;
	begin_encoder(&encoder, &predictor, iss, options, &run);
	ear_iss_unit(iss, &unit);
	ear_faults_init(&faults, seed, options->flips, unit.flen);

	for (;;) {
		run_once(&run, &encoder, iss, &faults, &order, options, &totals);
		if (totals.entries >= options->repeat)
			break;
		ear_iss_free(iss);
		if (open_iss(&iss, path, options, ++seed))
			return 2;
	}
	finish_stream(&run, &encoder, order);
	totals.wire_bytes = run.wire_bytes;
	print_totals(path, &totals, &run, run.decode);
	bool exact = is_exact(&run);

	if (!options->raw)
		ear_predictor_fini(&predictor);
	ear_iss_free(iss);
	free(totals.marks);
	end_run(&run);
	return exact ? 0 : 1;
}

enum {
	MAX = 256,
	REPEAT,
	SEED,
	FLIPS,
	BUG,
	ISA,
	NO_MULTIPLY,
	NO_DIVIDE,
	NO_DICTIONARY,
	SPOIL,
	FLUSH,
	ENCODE_ONLY,
	WIRE,
	ENTRIES,
	HEADER
};

static const struct option long_options[] = {
	{"geometry", required_argument, NULL, 'g'},
	{"isa", required_argument, NULL, ISA},
	{"max", required_argument, NULL, MAX},
	{"repeat", required_argument, NULL, REPEAT},
	{"seed", required_argument, NULL, SEED},
	{"flips", required_argument, NULL, FLIPS},
	{"bug", required_argument, NULL, BUG},
	{"no-multiply", no_argument, NULL, NO_MULTIPLY},
	{"no-divide", no_argument, NULL, NO_DIVIDE},
	{"no-dictionary", no_argument, NULL, NO_DICTIONARY},
	{"spoil", required_argument, NULL, SPOIL},
	{"flush", required_argument, NULL, FLUSH},
	{"encode-only", no_argument, NULL, ENCODE_ONLY},
	{"wire", required_argument, NULL, WIRE},
	{"entries", required_argument, NULL, ENTRIES},
	{"header", no_argument, NULL, HEADER},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int set_bug(struct options *options, const char *name)
{
	for (int kind = 0; kind < EAR_ISS_BUG_KINDS; kind++) {
		if (strcmp(name, ear_iss_bug_name((enum ear_iss_bug_kind)kind)) == 0) {
			options->bug = (enum ear_iss_bug_kind)kind;
			return 0;
		}
	}
	fprintf(stderr, "codec_run: no such bug: %s\n", name);
	return 2;
}

static int set_geometry(struct options *options, const char *name)
{
	options->raw = strcmp(name, "raw") == 0;
	if (options->raw || ear_geometry_find(&options->geometry, name) == 0)
		return 0;
	fprintf(stderr, "codec_run: no such geometry: %s\n", name);
	return 2;
}

static int set_option(struct options *options, int option)
{
	switch (option) {
	case 'g': return set_geometry(options, optarg);
	case ISA: options->isa = optarg; return 0;
	case MAX: options->max = strtoull(optarg, NULL, 0); return 0;
	case REPEAT: options->repeat = strtoull(optarg, NULL, 0); return 0;
	case SEED: options->seed = strtoull(optarg, NULL, 0); return 0;
	case FLIPS: options->flips = (uint32_t)strtoul(optarg, NULL, 0); return 0;
	case BUG: return set_bug(options, optarg);
	case NO_MULTIPLY: options->geometry.multiply = false; return 0;
	case NO_DIVIDE: options->geometry.divide = false; return 0;
	case NO_DICTIONARY: options->geometry.dictionary_log2 = 0; return 0;
	case SPOIL: options->spoil = strtoull(optarg, NULL, 0); return 0;
	case FLUSH: options->flush = (uint32_t)strtoul(optarg, NULL, 0); return 0;
	case ENCODE_ONLY: options->encode_only = true; return 0;
	case WIRE: options->wire = optarg; return 0;
	case ENTRIES: options->entries = optarg; return 0;
	case HEADER: options->header = true; return 0;
	default: fputs(help, stderr); return 2;
	}
}

int main(int argc, char **argv)
{
	struct options options = {.seed = 1, .geometry = *ear_geometry_get(EAR_GEOMETRY_LARGE)};
	int result = 0, option;

	while ((option = getopt_long(argc, argv, "g:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (set_option(&options, option))
			return 2;
	}
	if (optind == argc) {
		fputs(help, stderr);
		return 2;
	}
	if (options.header)
		printf("%-28s %11s %10s %9s %9s %9s %9s %8s\n", "program", "entries", "cold kbit",
			"steady", "total", "fifo 40MB", "fifo 1MB", "M/s");
	for (int i = optind; i < argc; i++) {
		int one = run_program(argv[i], &options);
		result = one > result ? one : result;
	}
	return result;
}
