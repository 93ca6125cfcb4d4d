/* Captures to branch traces and back, with any options of the encoders.
 *
 *     branch_trips table ELF TRACE               bits an instruction, and speed, of each option
 *     branch_trips trips ELF TRACE COUNT SEED    random units, until COUNT instructions came back
 *     branch_trips damage ELF TRACE COUNT SEED   the first COUNT records: the stream of a random
 *                                                unit cut at every byte, with each bit flipped, and
 *                                                as a ring from every byte on
 *
 * What comes back is compared with what was written; the first difference ends the program with
 * status 1, and names the unit. Of a damaged stream, what comes before the damage must be right,
 * and what comes after it a walk over the program; of a ring, what follows the last gap must be the
 * end of the trace.
 */
#define _GNU_SOURCE /* memfd_create, memmem */
#include <earshot/branch_trace.h>
#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "decoder/flow/flow_code.h"
#include "decoder/flow/return_stack.h"
#include "decoder/formats/formats.h"
#include "library/source/source.h"
#include "random.h"

#define UNIT_SIZE 600u
#define STOPS     ((uint32_t)(EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))

static struct {
	struct ear_record *records;
	struct ear_record_extra *extras;
	size_t count;
	struct ear_flow_code *code;
} truth;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- The truth --- */

static void load_code(const char *path)
{
	char error[EAR_FLOW_ERROR_MAX];
	struct ear_names *names;

	if (ear_names_open(&names) || ear_names_add(names, path, 0) ||
		ear_flow_code_of_names(&truth.code, names, error))
		fail("%s: no program", path);
	ear_names_close(names);
}

/* mtval or stval. */
static uint64_t trap_value(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			(record->registers[i].number == 0x343 ||
				record->registers[i].number == 0x143))
			return record->registers[i].value;
	return record->extra && record->extra->has_trap_value ? record->extra->trap_value : 0;
}

static void keep(const struct ear_record *record)
{
	struct ear_record *kept = &truth.records[truth.count];
	struct ear_record_extra *extra = &truth.extras[truth.count++];

	*kept = *record;
	*extra =
		(struct ear_record_extra){.has_trap_value = true, .trap_value = trap_value(record)};
	kept->registers = NULL;
	kept->memory = NULL;
	kept->register_count = kept->memory_count = 0;
	kept->extra = record->flags & EAR_RECORD_TRAP ? extra : NULL;
}

static void load_trace(const char *path, size_t max)
{
	const struct ear_source_options options = {0};
	const struct ear_record *record;
	struct ear_source *source;
	size_t room = 0;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || ear_source_new(&source, fd, &options))
		fail("%s: not a trace", path);
	while (truth.count < max && ear_source_next(source, &record) == 1) {
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		if (truth.count == room) {
			room = room ? 2 * room : 65536;
			truth.records = realloc(truth.records, room * sizeof(*truth.records));
			truth.extras = realloc(truth.extras, room * sizeof(*truth.extras));
			if (!truth.records || !truth.extras)
				fail("out of memory");
		}
		keep(record);
	}
	for (size_t i = 0; i < truth.count; i++)
		if (truth.records[i].extra)
			truth.records[i].extra = &truth.extras[i];
	ear_source_free(source);
	close(fd);
}

/* --- Writing and reading --- */

/* The trace as a file in memory; returns its size. */
static size_t encode(const char *format, const char *unit, int *fd)
{
	const struct ear_writer_options options = {.unit = unit};
	struct ear_text_output output;
	struct ear_writer *writer;
	char fault[256] = "";

	*fd = memfd_create("trace", 0);
	if (*fd < 0 || ear_text_output_init(&output, *fd, EAR_TEXT_PLAIN) ||
		ear_writer_find(format)->make_of_bytes(
			&writer, &output, &options, fault, sizeof(fault)))
		fail("%s %s: no writer: %s", format, unit, fault);
	for (size_t i = 0; i < truth.count; i++)
		if (ear_writer_push(writer, &truth.records[i]))
			fail("%s %s: record %zu is refused", format, unit, i);
	if (ear_writer_finish(writer) || ear_text_output_finish(&output))
		fail("%s %s: not finished", format, unit);
	ear_writer_free(writer);
	ear_text_output_fini(&output);
	return (size_t)lseek(*fd, 0, SEEK_END);
}

struct reading {
	struct ear_text_input *input;
	struct ear_reader *reader;
	const struct ear_compact_run *run;
	const struct ear_compact_record *compacts;
	const struct ear_record *record;
};

static void reading_begin(struct reading *reading, const char *format, const char *unit, int fd)
{
	*reading = (struct reading){.input = NULL};
	const struct ear_reader_options options = {
		.unit = unit, .code = truth.code, .xlen = truth.records[0].xlen};
	char fault[256] = "";

	lseek(fd, 0, SEEK_SET);
	if (ear_text_input_new(&reading->input, fd, NULL, 0))
		fail("no input");
	ear_text_input_use_offsets(reading->input);
	if (ear_reader_find(format)->make_of_bytes(
		    &reading->reader, reading->input, &options, fault, sizeof(fault)))
		fail("%s %s: no reader: %s", format, unit, fault);
}

static bool reading_next(struct reading *reading)
{
	return ear_reader_next_run(
		       reading->reader, &reading->run, &reading->compacts, &reading->record) == 1;
}

static void reading_end(struct reading *reading)
{
	ear_reader_free(reading->reader);
	ear_text_input_free(reading->input);
}

/* --- Comparing --- */

/* A trap in a handler's first instruction, or the like: E-Trace has no address of it. */
static bool is_trap_without_address(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_EVENT &&
	       memmem(record->u.event.name.text, record->u.event.name.size, "unknown address", 15);
}

/* Is this one record that was in the trace, an instruction or a trap? */
static bool is_step(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION || is_trap_without_address(record);
}

static bool is_same(const struct ear_record *a, const struct ear_record *b, bool etrace)
{
	if (is_trap_without_address(b))
		return a->flags & STOPS;
	if (a->pc != b->pc || (a->flags & STOPS) != (b->flags & STOPS))
		return false;
	if (!(b->flags & EAR_RECORD_NO_NEXT_PC) && a->next_pc != b->next_pc)
		return false;
	if (!(b->flags & EAR_RECORD_NO_PRIVILEGE) && a->privilege != b->privilege)
		return false;
	if (a->flags & b->flags & EAR_RECORD_HAS_TIME && a->ticks != b->ticks)
		return false;
	if (!etrace || !(a->flags & STOPS))
		return true;
	return a->cause == b->cause &&
	       (!b->extra || (a->extra && a->extra->trap_value == b->extra->trap_value));
}

/* The records of the run that are the next ones of the truth. */
static size_t compare_run(const struct reading *reading, size_t at)
{
	const struct ear_compact_run *run = reading->run;
	const bool known = !(run->flags & EAR_RECORD_NO_PRIVILEGE);

	for (size_t i = 0; i < run->count; i++) {
		const struct ear_record *a = &truth.records[at + i];
		const struct ear_compact_record *b = &reading->compacts[i];
		if (at + i >= truth.count || a->pc != b->pc || a->next_pc != b->next_pc ||
			a->flags & STOPS || a->opcode != b->opcode ||
			(known && a->privilege != run->privilege))
			return i;
	}
	if (run->first_timed && truth.records[at].flags & EAR_RECORD_HAS_TIME &&
		truth.records[at].ticks != run->ticks)
		return 0;
	return run->count;
}

/* What was read is the truth from record `from` on. Returns how many records that were. */
static size_t compare(
	struct reading *reading, const char *format, const char *unit, size_t from, bool gap_ends)
{
	const bool etrace = strcmp(format, "etrace") == 0;
	size_t at = from;

	while (reading_next(reading)) {
		if (reading->run) {
			size_t same = compare_run(reading, at);
			at += same;
			if (same < reading->run->count)
				fail("%s %s: record %zu at %" PRIx64 " came back at %" PRIx64,
					format, unit, at, truth.records[at].pc,
					reading->compacts[same].pc);
			continue;
		}
		const struct ear_record *record = reading->record;
		if (record->kind == EAR_RECORD_GAP &&
			(gap_ends || record->u.gap.reason == EAR_GAP_NO_CODE))
			break;
		if (record->kind == EAR_RECORD_GAP)
			fail("%s %s: a gap (%s) before record %zu at %" PRIx64, format, unit,
				ear_gap_reason_text(record->u.gap.reason), at,
				truth.records[at].pc);
		if (!is_step(record))
			continue;
		if (at == truth.count || !is_same(&truth.records[at], record, etrace))
			fail("%s %s: record %zu at %" PRIx64 " (flags %x, next %" PRIx64
			     ", cause %" PRIx64 ", time %" PRIu64 ") came back at %" PRIx64
			     " (%x, %" PRIx64 ", %" PRIx64 ", %" PRIu64 ")",
				format, unit, at, truth.records[at].pc, truth.records[at].flags,
				truth.records[at].next_pc, truth.records[at].cause,
				truth.records[at].ticks, record->pc, record->flags, record->next_pc,
				record->cause, record->ticks);
		at++;
	}
	return at - from;
}

/* --- Random units --- */

static unsigned up_to(struct random *random, unsigned max)
{
	return (unsigned)random_below(random, (uint64_t)max + 1);
}

static void make_ntrace(char *text, struct random *random)
{
	const bool rare = random_once_in(random, 2);

	snprintf(text, UNIT_SIZE,
		"{\"htm\": %u, \"stack\": %u, \"sijump\": %u, \"alljumps\": %u, \"extend\": %u, "
		"\"tstamp\": %u, \"hist_bits\": %u, \"icnt_max\": %u, \"icnt_by_sync\": %u, "
		"\"sync_every\": %u, \"repeat_branch\": %u, \"repeat_hist\": %u, "
		"\"ownership\": %u, \"src_bits\": %u}",
		up_to(random, 1), up_to(random, 32), up_to(random, 1),
		random_once_in(random, 4) ? 1u : 0u, up_to(random, 1), up_to(random, 1),
		1 + up_to(random, 30), rare ? (1u << 22) - 1 : 2 + up_to(random, 100),
		random_once_in(random, 4) ? 1u : 0u, up_to(random, 1) * (2 + up_to(random, 60)),
		up_to(random, 1), up_to(random, 1), up_to(random, 1), up_to(random, 12));
}

static void make_etrace(char *text, struct random *random)
{
	const unsigned predictor = up_to(random, 8), cache = up_to(random, 6),
		       returns = up_to(random, 2), depth = 1 + up_to(random, 4);

	snprintf(text, UNIT_SIZE,
		"{\"full_address\": %u, \"sijump\": %u, \"bpred_size\": %u, "
		"\"branch_prediction\": %u, \"cache_size\": %u, \"jump_target_cache\": %u, "
		"\"f0s_width\": %u, \"implicit_return\": %u, \"return_stack_size\": %u, "
		"\"call_counter_size\": %u, \"ras\": \"%s\", \"time_width\": %u, "
		"\"privilege_width\": %u, \"ecause_width\": %u, \"resync_max\": %u, "
		"\"support\": \"pulp\", \"srcid_bits\": %u, \"timestamp_bytes\": %u, "
		"\"type_bits\": %u}",
		up_to(random, 1), up_to(random, 1), predictor, predictor > 0, cache, cache > 0,
		predictor > 0 && cache > 0, returns > 0, returns == 1 ? depth : 0,
		returns == 2 ? depth : 0, up_to(random, 1) ? "x1" : "x1x5", 64 * up_to(random, 1),
		2 + up_to(random, 1), 5 + up_to(random, 1), up_to(random, 1) * up_to(random, 60),
		up_to(random, 8), 8 * up_to(random, 1), up_to(random, 2));
}

/* Does a return go elsewhere than the calls before it say? The packets of E-Trace cannot report
 * that without doubt (docs/etrace.md): such a trace may end in a gap, or be wrong up to it. */
static bool has_odd_return(bool narrow)
{
	const unsigned call = narrow ? EAR_FLOW_CALL_X1 : EAR_FLOW_CALL,
		       back = narrow ? EAR_FLOW_RETURN_X1 : EAR_FLOW_RETURN;
	static struct ear_return_stack stack;

	stack.depth = EAR_RETURN_STACK_MAX;
	ear_return_stack_clear(&stack);
	for (size_t i = 0; i < truth.count; i++) {
		const struct ear_record *record = &truth.records[i];
		struct ear_flow_instruction at;
		uint64_t to = record->next_pc;
		if (record->flags & STOPS)
			continue;
		ear_flow_instruction_decode(&at, (uint32_t)record->opcode, record->xlen);
		if (at.link & back)
			ear_return_stack_pop(&stack, &to);
		/* A trap may come instead of where it goes. */
		if (to != record->next_pc)
			return true;
		if (at.link & call)
			ear_return_stack_push(&stack, record->pc + at.size);
	}
	return false;
}

static bool has_trap(void)
{
	for (size_t i = 0; i < truth.count; i++)
		if (truth.records[i].flags & STOPS)
			return true;
	return false;
}

/* A function without a branch that is called twice leaves doubt, too, if the second call ends in a
 * trap, a synchronisation or the end of the trace: its address was passed before. */
static bool is_doubtful(const char *unit, bool whole)
{
	return strstr(unit, "\"implicit_return\": 1") &&
	       (!whole || !strstr(unit, "\"resync_max\": 0,") || has_trap() ||
		       has_odd_return(strstr(unit, "\"ras\": \"x1\"") != NULL));
}

/* How often a jump to itself was executed is not in E-Trace. */
static bool has_jump_to_itself(void)
{
	for (size_t i = 0; i < truth.count; i++)
		if (!(truth.records[i].flags & STOPS) &&
			truth.records[i].next_pc == truth.records[i].pc)
			return true;
	return false;
}

/* A unit for which all must come back; whole: the trace ends where the program does. Returns its
 * format. */
static const char *make_unit(char *text, struct random *random, bool whole)
{
	if (random_below(random, 2) || has_jump_to_itself()) {
		make_ntrace(text, random);
		return "ntrace";
	}
	do
		make_etrace(text, random);
	while (is_doubtful(text, whole));
	return "etrace";
}

/* --- trips --- */

/* Units whose trace came back up to a gap: of missing code. */
static uint64_t unit_gaps;

static size_t trip(const char *format, const char *unit)
{
	struct reading reading;
	int fd;

	encode(format, unit, &fd);
	reading_begin(&reading, format, unit, fd);
	size_t count = compare(&reading, format, unit, 0, false);
	bool ended = !reading.run && reading.record && reading.record->kind == EAR_RECORD_GAP;
	reading_end(&reading);
	close(fd);
	if (count != truth.count && !ended)
		fail("%s %s: %zu of %zu records", format, unit, count, truth.count);
	unit_gaps += ended;
	return count;
}

static void run_trips(uint64_t wanted, uint64_t seed)
{
	struct random random = {seed};
	uint64_t done = 0, rounds = 0;

	for (; done < wanted && rounds < 1000; rounds++) {
		char unit[UNIT_SIZE];
		const char *format = make_unit(unit, &random, true);
		done += trip(format, unit);
	}
	printf("%" PRIu64 " instructions came back, of %" PRIu64 " units, %" PRIu64
	       " of them up to a gap\n",
		done, rounds, unit_gaps);
}

/* --- damage --- */

static int file_of(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("part", 0);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		fail("no memory file");
	return fd;
}

static void check_cuts(const char *format, const char *unit, const uint8_t *bytes, size_t size)
{
	for (size_t cut = 0; cut < size; cut++) {
		struct reading reading;
		int fd = file_of(bytes, cut);
		reading_begin(&reading, format, unit, fd);
		compare(&reading, format, unit, 0, true);
		if (reading_next(&reading) &&
			(reading.run || reading.record->kind == EAR_RECORD_INSTRUCTION))
			fail("%s %s: cut at %zu: records after the gap", format, unit, cut);
		reading_end(&reading);
		close(fd);
	}
}

/* Where the record before each byte begins: what came before that is not damaged. */
static uint64_t *find_offsets(const char *format, const char *unit, int fd, size_t size)
{
	uint64_t *offsets = calloc(size + 1, sizeof(*offsets));
	struct reading reading;
	const struct ear_record *record;

	if (!offsets)
		fail("out of memory");
	reading_begin(&reading, format, unit, fd);
	while (ear_reader_next(reading.reader, &record) == 1)
		if (record->stream_offset <= size)
			offsets[record->stream_offset] = record->stream_offset;
	reading_end(&reading);
	for (size_t i = 1; i <= size; i++)
		offsets[i] = offsets[i] ? offsets[i] : offsets[i - 1];
	return offsets;
}

static void check_flip(
	const char *format, const char *unit, const uint8_t *bytes, size_t size, uint64_t safe)
{
	const bool etrace = strcmp(format, "etrace") == 0;
	struct ear_record before = {.kind = EAR_RECORD_GAP};
	const struct ear_record *record;
	struct reading reading;
	size_t at = 0, count = 0;
	int fd = file_of(bytes, size);

	reading_begin(&reading, format, unit, fd);
	/* A bit of a repetition can ask for very many records. */
	while (count++ < 4 * truth.count + 1000 && ear_reader_next(reading.reader, &record) == 1) {
		if (is_step(record) && record->stream_offset < safe &&
			!is_same(&truth.records[at++], record, etrace))
			fail("%s %s: record %zu before the damage (byte %" PRIu64 ") is wrong",
				format, unit, at - 1, safe);
		if (record->kind == EAR_RECORD_EVENT)
			continue;
		if (record->kind == EAR_RECORD_INSTRUCTION && before.kind == record->kind &&
			before.hart == record->hart && before.index + 1 == record->index &&
			!(before.flags & EAR_RECORD_NO_NEXT_PC) && before.next_pc != record->pc)
			fail("%s %s: no walk: %" PRIx64 " after %" PRIx64, format, unit, record->pc,
				before.pc);
		before = *record;
	}
	reading_end(&reading);
	close(fd);
}

/* Read on to the last gap, the first time to count the gaps: *gaps 0. Returns the records after it.
 */
static size_t read_to_last_gap(struct reading *reading, size_t *gaps)
{
	size_t count = 0, seen = 0;

	while ((*gaps == 0 || seen < *gaps) && reading_next(reading)) {
		if (reading->run) {
			count += reading->run->count;
		} else if (reading->record->kind == EAR_RECORD_GAP) {
			count = 0;
			seen++;
		} else {
			count += is_step(reading->record);
		}
	}
	*gaps = seen;
	return count;
}

static void check_ring(const char *format, const char *unit, const uint8_t *bytes, size_t size)
{
	char wrapped[UNIT_SIZE + 20];
	struct reading reading;
	size_t gaps = 0;
	int fd = file_of(bytes, size);

	snprintf(wrapped, sizeof(wrapped), "{\"wrapped\": 1, %s", unit + 1);
	reading_begin(&reading, format, wrapped, fd);
	size_t count = read_to_last_gap(&reading, &gaps);
	reading_end(&reading);
	if (count > truth.count)
		fail("%s %s: ring of %zu bytes: too many records", format, wrapped, size);
	reading_begin(&reading, format, wrapped, fd);
	if (gaps > 0)
		read_to_last_gap(&reading, &gaps);
	compare(&reading, format, wrapped, truth.count - count, false);
	reading_end(&reading);
	close(fd);
}

/* Of a program that writes its code, the ELF file has not all of it. */
static bool has_all_code(void)
{
	struct ear_flow_range range = {0};

	for (size_t i = 0; i < truth.count; i++)
		if (!(truth.records[i].flags & STOPS) &&
			!ear_flow_code_at(truth.code, &range, truth.records[i].pc))
			return false;
	return true;
}

static void run_damage(uint64_t seed)
{
	struct random random = {seed};
	size_t cuts = 0;

	if (!has_all_code()) {
		printf("the program's file does not have all of its code\n");
		return;
	}

	for (unsigned round = 0; round < 4; round++) {
		char unit[UNIT_SIZE];
		const char *format = make_unit(unit, &random, false);
		int fd;
		size_t size = encode(format, unit, &fd);
		uint8_t *bytes = malloc(size);
		if (!bytes || pread(fd, bytes, size, 0) != (ssize_t)size)
			fail("no stream");
		uint64_t *offsets = find_offsets(format, unit, fd, size);
		check_cuts(format, unit, bytes, size);
		for (size_t start = 0; start < size; start++)
			check_ring(format, unit, bytes + start, size - start);
		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			check_flip(format, unit, bytes, size, offsets[bit / 8]);
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		cuts += size;
		free(offsets);
		free(bytes);
		close(fd);
	}
	printf("%zu cuts, %zu rings and %zu flipped bits\n", cuts, cuts, 8 * cuts);
}

/* --- table --- */

static const struct {
	const char *format, *label, *unit;
} rows[] = {
	{"ntrace", "BTM", "{\"htm\": 0, \"stack\": 0}"},
	{"ntrace", "BTM, implicit return", "{\"htm\": 0, \"stack\": 32}"},
	{"ntrace", "BTM, repeated branches", "{\"htm\": 0, \"stack\": 0, \"repeat_branch\": 1}"},
	{"ntrace", "HTM", "{\"htm\": 1, \"stack\": 0}"},
	{"ntrace", "HTM, implicit return", "{\"htm\": 1, \"stack\": 32}"},
	{"ntrace", "HTM, repeated histories", "{\"htm\": 1, \"stack\": 0, \"repeat_hist\": 1}"},
	{"ntrace", "HTM, both", "{\"htm\": 1, \"stack\": 32, \"repeat_hist\": 1}"},
	{"ntrace", "HTM, all options",
		"{\"htm\": 1, \"stack\": 32, \"repeat_hist\": 1, \"repeat_branch\": 1, "
		"\"sijump\": 1, \"extend\": 1}"},
	{"ntrace", "HTM, both, synchronised each 64 messages",
		"{\"htm\": 1, \"stack\": 32, \"repeat_hist\": 1, \"sync_every\": 64}"},
	{"etrace", "delta addresses", "{}"},
	{"etrace", "full addresses", "{\"full_address\": 1}"},
	{"etrace", "implicit return", "{\"implicit_return\": 1, \"return_stack_size\": 5}"},
	{"etrace", "branch prediction", "{\"branch_prediction\": 1, \"bpred_size\": 9}"},
	{"etrace", "jump target cache", "{\"jump_target_cache\": 1, \"cache_size\": 5}"},
	{"etrace", "all options",
		"{\"implicit_return\": 1, \"return_stack_size\": 5, \"branch_prediction\": 1, "
		"\"bpred_size\": 9, \"jump_target_cache\": 1, \"cache_size\": 5, "
		"\"f0s_width\": 1, \"sijump\": 1}"},
	{"etrace", "all options, synchronised each 64 packets",
		"{\"implicit_return\": 1, \"return_stack_size\": 5, \"branch_prediction\": 1, "
		"\"bpred_size\": 9, \"jump_target_cache\": 1, \"cache_size\": 5, "
		"\"f0s_width\": 1, \"sijump\": 1, \"resync_max\": 64}"},
};

static double megas(double seconds)
{
	return (double)truth.count / 1e6 / seconds;
}

/* The best of three rounds: the machine may be shared. */
static void print_row(const char *format, const char *label, const char *unit)
{
	double writing = 0, reading_speed = 0;
	size_t size = 0;

	for (unsigned round = 0; round < 3; round++) {
		struct reading reading;
		int fd;
		double begin = cpu_seconds();
		size = encode(format, unit, &fd);
		double speed = megas(cpu_seconds() - begin);
		writing = speed > writing ? speed : writing;
		reading_begin(&reading, format, unit, fd);
		begin = cpu_seconds();
		while (reading_next(&reading))
			continue;
		speed = megas(cpu_seconds() - begin);
		reading_speed = speed > reading_speed ? speed : reading_speed;
		reading_end(&reading);
		close(fd);
	}
	printf("| %s | %s | %.3f | %.0f | %.0f |\n", format, label,
		8 * (double)size / (double)truth.count, writing, reading_speed);
}

static void print_table(void)
{
	printf("%zu records\n", truth.count);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		print_row(rows[i].format, rows[i].label, rows[i].unit);
}

int main(int argc, char **argv)
{
	const bool table = argc == 4 && strcmp(argv[1], "table") == 0,
		   trips = argc == 6 && strcmp(argv[1], "trips") == 0,
		   damage = argc == 6 && strcmp(argv[1], "damage") == 0;

	if (!table && !trips && !damage) {
		fputs("usage: branch_trips table ELF TRACE | "
		      "branch_trips trips|damage ELF TRACE COUNT SEED\n",
			stderr);
		return 2;
	}
	load_code(argv[2]);
	load_trace(argv[3], damage ? strtoull(argv[4], NULL, 0) : SIZE_MAX);
	if (truth.count == 0)
		fail("%s: no record", argv[3]);
	if (table)
		print_table();
	else if (trips)
		run_trips(strtoull(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
	else
		run_damage(strtoull(argv[5], NULL, 0));
	free(truth.records);
	free(truth.extras);
	ear_flow_code_free(truth.code);
	return 0;
}
