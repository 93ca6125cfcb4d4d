/* Reads the files of a qtrace side by side.
 *
 * Each stream has one record that was read and not taken yet. Blocks that repeat wait in a heap,
 * ordered by the time at which they run next; the earliest of the heap and of the file is the next
 * execution. A window of the writer bounds the heap, and a file that breaks that rule is an error.
 */
#include "decoder/formats/qtrace/qtrace_log.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/protocol/bytes.h"
#include "decoder/formats/qtrace/qtrace_in.h"

#define TEXTS_MAX   4096u      /* of an exec */
#define TEXT_BYTES  (1u << 20) /* of all texts of an event */
#define ENTRIES_MAX (1u << 28) /* of all blocks: 1 GiB */

struct block {
	uint32_t address, count;
	uint64_t first; /* of its entries in all of them */
};

/* A block that runs again. */
struct repeat {
	uint64_t time, number, step, left; /* left: after the one at time */
};

struct accesses {
	bool has;
	struct ear_qtrace_access next;
};

struct ear_qtrace_log {
	struct ear_qtrace_in in[EAR_QTRACE_FILES];
	struct ear_qtrace_header header;
	char fault[192];

	struct block *blocks;
	uint32_t *entries;
	uint64_t block_count, entry_count;

	/* .bb */
	bool has_record;
	struct repeat record; /* the next one of the file; left: its repeats */
	struct repeat repeats[EAR_QTRACE_WINDOW];
	size_t repeat_count;
	uint64_t ordinal;

	/* .insn */
	uint64_t time, step, steps; /* steps: how many more come with the same step */
	uint64_t begin;             /* of the execution, for its first entry; 0: later ones */
	uint64_t skipped;

	bool has_exception;
	struct ear_qtrace_exception exception, current;
	uint64_t exception_begin;    /* offset of current in its file */
	struct accesses accesses[2]; /* loads, stores */

	bool has_pid;
	struct ear_qtrace_pid_event pid, given_pid;
	struct ear_qtrace_text *texts;
	uint8_t *text_bytes;

	bool has_method;
	struct ear_qtrace_method_event method, given_method;
};

/* Make the sentence of the first error of a file. Returns that error, or 0. */
static int judge(struct ear_qtrace_log *log, enum ear_qtrace_file file)
{
	const struct ear_qtrace_in *in = &log->in[file];

	if (!in->error || log->fault[0])
		return in->error;
	if (in->error == EAR_E_IO)
		snprintf(log->fault, sizeof(log->fault), "%s: %s", ear_qtrace_file_name(file),
			strerror(in->error_number));
	else
		snprintf(log->fault, sizeof(log->fault), "%s, byte %" PRIu64 ": %s",
			ear_qtrace_file_name(file), in->begin, in->cause);
	return in->error;
}

static int fail(struct ear_qtrace_log *log, enum ear_qtrace_file file, const char *cause)
{
	ear_qtrace_in_fail(&log->in[file], cause);
	return judge(log, file);
}

static int fail_memory(struct ear_qtrace_log *log)
{
	snprintf(log->fault, sizeof(log->fault), "%s", ear_error_text(EAR_E_NO_MEMORY));
	return EAR_E_NO_MEMORY;
}

/* A time that is so much later. Returns false if there is no such time. */
static bool advance(uint64_t *time, uint64_t delta)
{
	return !__builtin_add_overflow(*time, delta, time);
}

#define TOO_LATE "the time has more than 64 bits"

/* --- .static --- */

static int take_header(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_STATIC];
	uint8_t bytes[EAR_QTRACE_HEADER_SIZE];
	uint32_t version;

	if (ear_qtrace_in_bytes(in, bytes, sizeof(bytes)) != 0)
		return judge(log, EAR_QTRACE_STATIC);
	if (!ear_qtrace_header_get(&log->header, bytes, &version)) {
		in->begin = 16;
		return fail(log, EAR_QTRACE_STATIC, "the version is not 2");
	}
	return 0;
}

/* Room for one more item in an array whose capacity is a power of two. */
static void *grow(void *array, uint64_t count, size_t item)
{
	if (count & (count - 1))
		return array;
	return realloc(array, (size_t)(count ? 2 * count : 1) * item);
}

static int grow_blocks(struct ear_qtrace_log *log)
{
	struct block *blocks = grow(log->blocks, log->block_count, sizeof(*blocks));

	if (!blocks)
		return fail_memory(log);
	log->blocks = blocks;
	return 0;
}

/* Room for the entries of one block; the array is as large as a power of two of blocks. */
static int grow_entries(struct ear_qtrace_log *log, uint64_t *capacity)
{
	if (log->entry_count + EAR_QTRACE_BLOCK_MAX <= *capacity)
		return 0;
	uint64_t wanted = *capacity ? 2 * *capacity : 4096;
	uint32_t *entries = realloc(log->entries, (size_t)wanted * sizeof(*entries));
	if (!entries)
		return fail_memory(log);
	log->entries = entries;
	*capacity = wanted;
	return 0;
}

static int take_block(struct ear_qtrace_log *log, uint64_t *capacity)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_STATIC];
	uint8_t bytes[EAR_QTRACE_BLOCK_SIZE], words[4 * EAR_QTRACE_BLOCK_MAX];

	ear_qtrace_in_begin(in);
	if (ear_qtrace_in_bytes(in, bytes, sizeof(bytes)) != 0)
		return judge(log, EAR_QTRACE_STATIC);
	struct block block = {
		ear_load_le32(bytes + 8), ear_load_le32(bytes + 12), log->entry_count};
	if (ear_load_le64(bytes) != log->block_count)
		return fail(log, EAR_QTRACE_STATIC, "the number of the block is not the next one");
	if (block.count > EAR_QTRACE_BLOCK_MAX)
		return fail(log, EAR_QTRACE_STATIC, "the block has more than 512 entries");
	if (log->block_count == 0 && (block.address != 0 || block.count != 0))
		return fail(log, EAR_QTRACE_STATIC, "block 0 has an address, or entries");
	if (log->entry_count + block.count > ENTRIES_MAX)
		return fail(log, EAR_QTRACE_STATIC, "there is too much code: 2^28 entries or more");
	if (ear_qtrace_in_bytes(in, words, (size_t)4 * block.count) != 0)
		return judge(log, EAR_QTRACE_STATIC);
	if (grow_blocks(log) != 0 || grow_entries(log, capacity) != 0)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < block.count; i++)
		log->entries[log->entry_count++] = ear_load_le32(words + (size_t)4 * i);
	log->blocks[log->block_count++] = block;
	return 0;
}

static int take_static(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_STATIC];
	uint64_t capacity = 0;
	int result = take_header(log);

	while (result == 0 && !ear_qtrace_in_ended(in) && !in->error)
		result = take_block(log, &capacity);
	if (result)
		return result;
	if (log->block_count == 0)
		return fail(log, EAR_QTRACE_STATIC, "there is no block 0");
	return judge(log, EAR_QTRACE_STATIC);
}

/* --- The streams: one record ahead of what was given out --- */

/* The end mark of the stream was read. What comes after it would be lost without a word. */
static int end_stream(struct ear_qtrace_log *log, enum ear_qtrace_file file)
{
	struct ear_qtrace_in *in = &log->in[file];

	ear_qtrace_in_begin(in);
	if (!ear_qtrace_in_ended(in))
		return fail(log, file, "more bytes come after the end mark");
	return 0;
}

static int read_record(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_BB];
	struct repeat *record = &log->record;
	uint64_t all, last;

	ear_qtrace_in_begin(in);
	uint64_t number = record->number + (uint64_t)ear_qtrace_in_signed(in);
	uint64_t delta = ear_qtrace_in_number(in);
	uint64_t left = ear_qtrace_in_number(in);
	uint64_t step = left ? ear_qtrace_in_number(in) : 0;
	log->has_record = false;
	if (in->error)
		return judge(log, EAR_QTRACE_BB);
	if (delta == 0 && number == record->number && left == 0)
		return end_stream(log, EAR_QTRACE_BB);
	if (delta == 0)
		return fail(log, EAR_QTRACE_BB, "the time is that of the record before");
	if (number >= log->block_count)
		return fail(log, EAR_QTRACE_BB, "there is no block of this number");
	if (left && step == 0)
		return fail(log, EAR_QTRACE_BB, "the block repeats after 0 clocks");
	*record = (struct repeat){record->time, number, step, left};
	if (!advance(&record->time, delta))
		return fail(log, EAR_QTRACE_BB, TOO_LATE);
	last = record->time;
	if (__builtin_mul_overflow(left, step, &all) || !advance(&last, all))
		return fail(log, EAR_QTRACE_BB, TOO_LATE);
	log->has_record = true;
	return 0;
}

static int read_exception(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_EXC];
	struct ear_qtrace_exception *next = &log->exception;

	ear_qtrace_in_begin(in);
	uint64_t delta = ear_qtrace_in_number(in), pc = ear_qtrace_in_number(in);
	uint64_t ordinals = ear_qtrace_in_number(in), target = ear_qtrace_in_number(in);
	uint64_t block = ear_qtrace_in_number(in), start = ear_qtrace_in_number(in);
	uint64_t entries = ear_qtrace_in_number(in);
	log->has_exception = false;
	if (in->error)
		return judge(log, EAR_QTRACE_EXC);
	if (delta == 0 && pc == 0 && (ordinals | target | block | start | entries) != 0)
		return fail(log, EAR_QTRACE_EXC, "the end mark is not 7 zeros");
	if (delta == 0 && pc == 0)
		return end_stream(log, EAR_QTRACE_EXC);
	if (pc > UINT32_MAX || target > UINT32_MAX)
		return fail(log, EAR_QTRACE_EXC, "an address has more than 32 bits");
	if (ordinals == 0)
		return fail(log, EAR_QTRACE_EXC, "it is a second exception of one execution");
	if (block >= log->block_count || entries > log->blocks[block].count)
		return fail(log, EAR_QTRACE_EXC, "the block does not have so many entries");
	*next = (struct ear_qtrace_exception){.time = next->time,
		.pc = (uint32_t)pc,
		.target = (uint32_t)target,
		.ordinal = next->ordinal,
		.block = block,
		.start = start,
		.entries = (uint32_t)entries};
	if (!advance(&next->time, delta) || !advance(&next->ordinal, ordinals))
		return fail(log, EAR_QTRACE_EXC, TOO_LATE);
	log->has_exception = true;
	return 0;
}

static int read_access(struct ear_qtrace_log *log, bool store)
{
	enum ear_qtrace_file file = store ? EAR_QTRACE_STORE : EAR_QTRACE_LOAD;
	struct ear_qtrace_in *in = &log->in[file];
	struct accesses *accesses = &log->accesses[store];

	ear_qtrace_in_begin(in);
	uint32_t delta = (uint32_t)ear_qtrace_in_signed(in);
	uint64_t later = ear_qtrace_in_number(in);
	accesses->has = false;
	if (in->error)
		return judge(log, file);
	if (delta == 0 && later == 0)
		return end_stream(log, file);
	accesses->next.address += delta;
	if (!advance(&accesses->next.time, later))
		return fail(log, file, TOO_LATE);
	accesses->has = true;
	return 0;
}

/* The head of the next event: all but its texts, which are read when it is taken. */
static int read_pid(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_PID];
	struct ear_qtrace_pid_event *next = &log->pid;

	ear_qtrace_in_begin(in);
	uint64_t delta = ear_qtrace_in_number(in), type = ear_qtrace_in_number(in);
	log->has_pid = false;
	if (in->error)
		return judge(log, EAR_QTRACE_PID);
	if (type == EAR_QTRACE_END)
		return end_stream(log, EAR_QTRACE_PID);
	const struct ear_qtrace_pid_fields fields = ear_qtrace_pid_fields(type);
	if (!fields.known)
		return fail(log, EAR_QTRACE_PID, "there is no event of this type");
	next->type = (enum ear_qtrace_pid_type)type;
	for (unsigned i = 0; i < fields.numbers; i++)
		next->numbers[i] = ear_qtrace_in_number(in);
	if (fields.texts && next->numbers[0] > TEXTS_MAX)
		return fail(log, EAR_QTRACE_PID, "the event has more than 4096 texts");
	if (!advance(&next->time, delta))
		return fail(log, EAR_QTRACE_PID, TOO_LATE);
	log->has_pid = !in->error;
	return judge(log, EAR_QTRACE_PID);
}

/* The texts of the event whose head was read. */
static int read_texts(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_PID];
	const struct ear_qtrace_pid_fields fields = ear_qtrace_pid_fields(log->pid.type);
	uint64_t count = fields.texts ? log->pid.numbers[0] : fields.text;
	size_t used = 0;

	for (size_t i = 0; i < count && !in->error; i++) {
		uint64_t size = ear_qtrace_in_number(in);
		if (size > TEXT_BYTES - used)
			return fail(
				log, EAR_QTRACE_PID, "the texts of the event have more than 1 MiB");
		log->texts[i] = (struct ear_qtrace_text){log->text_bytes + used, (size_t)size};
		ear_qtrace_in_bytes(in, log->text_bytes + used, (size_t)size);
		used += (size_t)size;
	}
	return judge(log, EAR_QTRACE_PID);
}

static int read_method(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_METHOD];
	struct ear_qtrace_method_event *next = &log->method;

	log->has_method = false;
	ear_qtrace_in_begin(in);
	uint64_t delta = ear_qtrace_in_number(in);
	uint32_t address = (uint32_t)ear_qtrace_in_signed(in);
	if (!in->error && delta == 0 && address == 0)
		return end_stream(log, EAR_QTRACE_METHOD);
	uint32_t pid = (uint32_t)ear_qtrace_in_signed(in);
	uint64_t type = ear_qtrace_in_number(in);
	if (in->error)
		return judge(log, EAR_QTRACE_METHOD);
	if (delta == 0)
		return fail(log, EAR_QTRACE_METHOD, "the time is that of the event before");
	if ((type & ~(uint64_t)EAR_QTRACE_NATIVE) > EAR_QTRACE_UNWIND)
		return fail(log, EAR_QTRACE_METHOD, "there is no event of this type");
	if (!advance(&next->time, delta))
		return fail(log, EAR_QTRACE_METHOD, TOO_LATE);
	next->address += address;
	next->pid += pid;
	next->type = (uint8_t)type;
	log->has_method = true;
	return 0;
}

/* --- Opening --- */

static int open_file(struct ear_qtrace_log *log, int directory, enum ear_qtrace_file file)
{
	const char *name = ear_qtrace_file_name(file);
	struct stat status;
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT && file == EAR_QTRACE_STATIC) {
		snprintf(log->fault, sizeof(log->fault), "is a folder without %s", name);
		return EAR_E_UNSUPPORTED;
	}
	if (fd < 0 && !(errno == ENOENT && ear_qtrace_file_optional(file))) {
		snprintf(log->fault, sizeof(log->fault), "%s: %s", name, strerror(errno));
		return errno == ENOENT ? EAR_E_BAD_FILE : EAR_E_IO;
	}
	int result = ear_qtrace_in_init(&log->in[file], fd);
	if (result)
		return fail_memory(log);
	if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)))
		return fail(log, file, "this is not a file");
	return 0;
}

/* The first record of each stream. */
static int begin_streams(struct ear_qtrace_log *log)
{
	log->texts = malloc(TEXTS_MAX * sizeof(*log->texts));
	log->text_bytes = malloc(TEXT_BYTES);
	if (!log->texts || !log->text_bytes)
		return fail_memory(log);
	int result = read_record(log);
	if (result == 0)
		result = read_exception(log);
	if (result == 0 && log->in[EAR_QTRACE_LOAD].fd >= 0)
		result = read_access(log, false);
	if (result == 0 && log->in[EAR_QTRACE_STORE].fd >= 0)
		result = read_access(log, true);
	if (result == 0)
		result = read_pid(log);
	if (result == 0 && log->in[EAR_QTRACE_METHOD].fd >= 0)
		result = read_method(log);
	return result;
}

int ear_qtrace_log_open(struct ear_qtrace_log **log, int directory, char *fault, size_t size)
{
	struct ear_qtrace_log *made = calloc(1, sizeof(*made));
	int result = made ? 0 : EAR_E_NO_MEMORY;

	if (!made) {
		snprintf(fault, size, "%s", ear_error_text(result));
		return result;
	}
	for (unsigned file = 0; file < EAR_QTRACE_FILES; file++)
		made->in[file].fd = -1;
	for (unsigned file = 0; file < EAR_QTRACE_FILES && result == 0; file++)
		result = open_file(made, directory, (enum ear_qtrace_file)file);
	if (result == 0)
		result = take_static(made);
	if (result == 0)
		result = begin_streams(made);
	if (result) {
		snprintf(fault, size, "%s", made->fault);
		ear_qtrace_log_close(made);
		return result;
	}
	*log = made;
	return 0;
}

void ear_qtrace_log_close(struct ear_qtrace_log *log)
{
	if (!log)
		return;
	for (unsigned file = 0; file < EAR_QTRACE_FILES; file++)
		ear_qtrace_in_fini(&log->in[file]);
	free(log->blocks);
	free(log->entries);
	free(log->texts);
	free(log->text_bytes);
	free(log);
}

/* --- What happened --- */

static void swap(struct repeat *a, struct repeat *b)
{
	struct repeat kept = *a;

	*a = *b;
	*b = kept;
}

/* Put the first one of the heap, whose time has grown, where it belongs. */
static void sink(struct ear_qtrace_log *log)
{
	struct repeat *heap = log->repeats;
	size_t at = 0;

	for (;;) {
		size_t least = at, left = 2 * at + 1;
		for (size_t i = left; i < left + 2 && i < log->repeat_count; i++)
			if (heap[i].time < heap[least].time)
				least = i;
		if (least == at)
			return;
		swap(&heap[at], &heap[least]);
		at = least;
	}
}

static int add_repeat(struct ear_qtrace_log *log, const struct repeat *record)
{
	struct repeat *heap = log->repeats;
	size_t at = log->repeat_count;

	if (record->left == 0)
		return 0;
	if (at == EAR_QTRACE_WINDOW)
		return fail(log, EAR_QTRACE_BB, "more than 1024 blocks repeat at once");
	heap[at] = (struct repeat){
		record->time + record->step, record->number, record->step, record->left - 1};
	log->repeat_count++;
	for (; at > 0 && heap[(at - 1) / 2].time > heap[at].time; at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
	return 0;
}

/* Take the earliest one out of the heap, and put its next execution in. */
static struct repeat take_repeat(struct ear_qtrace_log *log)
{
	struct repeat *first = &log->repeats[0];
	struct repeat taken = *first;

	if (first->left > 0) {
		first->left--;
		first->time += first->step;
	} else {
		*first = log->repeats[--log->repeat_count];
	}
	sink(log);
	return taken;
}

/* The exception of the execution with the ordinal that was counted last. */
static int take_exception(struct ear_qtrace_log *log, struct ear_qtrace_execution *execution)
{
	if (!log->has_exception || log->exception.ordinal != log->ordinal)
		return 0;
	log->current = log->exception;
	if (log->current.block != execution->number || log->current.start != execution->time)
		return fail(log, EAR_QTRACE_EXC,
			"the exception names another block than the one that ran then");
	if (log->current.time < execution->time)
		return fail(log, EAR_QTRACE_EXC, "the exception is older than its block");
	log->exception_begin = log->in[EAR_QTRACE_EXC].begin;
	execution->exception = &log->current;
	execution->entries = log->current.entries;
	return read_exception(log);
}

/* Nothing runs any more: nothing may be left, either. */
static int check_end(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_INSN];

	if (log->has_exception)
		return fail(log, EAR_QTRACE_EXC, "the exception is of a block that never ran");
	ear_qtrace_in_begin(in);
	if (log->steps > 0 || !ear_qtrace_in_ended(in))
		return fail(log, EAR_QTRACE_INSN, "more instructions began than blocks have");
	return judge(log, EAR_QTRACE_INSN);
}

int ear_qtrace_log_next(struct ear_qtrace_log *log, struct ear_qtrace_execution *execution)
{
	struct repeat taken;
	int result = 0;

	if (log->repeat_count > 0 &&
		(!log->has_record || log->repeats[0].time < log->record.time)) {
		taken = take_repeat(log);
	} else if (log->has_record) {
		taken = log->record;
		result = add_repeat(log, &taken);
		if (result == 0)
			result = read_record(log);
	} else {
		return judge(log, EAR_QTRACE_BB) ? judge(log, EAR_QTRACE_BB) : check_end(log);
	}
	if (result)
		return result;
	if (taken.time < log->current.time) {
		log->in[EAR_QTRACE_EXC].begin = log->exception_begin;
		return fail(log, EAR_QTRACE_EXC, "the next block began before the exception");
	}
	log->ordinal++;
	log->begin = taken.time;
	*execution = (struct ear_qtrace_execution){.number = taken.number,
		.time = taken.time,
		.ordinal = log->ordinal,
		.block = ear_qtrace_log_block(log, taken.number)};
	execution->entries = execution->block.count;
	result = take_exception(log, execution);
	return result ? result : 1;
}

/* The next time of .insn. */
static int step_time(struct ear_qtrace_log *log)
{
	struct ear_qtrace_in *in = &log->in[EAR_QTRACE_INSN];

	if (log->steps == 0) {
		ear_qtrace_in_begin(in);
		log->step = ear_qtrace_in_number(in);
		log->steps = ear_qtrace_in_number(in);
		if (in->error)
			return judge(log, EAR_QTRACE_INSN);
		if (log->steps == UINT64_MAX)
			return fail(log, EAR_QTRACE_INSN, "there are too many repeats");
		log->steps++;
	}
	log->steps--;
	if (!advance(&log->time, log->step))
		return fail(log, EAR_QTRACE_INSN, TOO_LATE);
	return 0;
}

/* Entries that began before the block that runs now are of no block: as the original tools do, step
 * over them, and over a whole row of equal steps at once. */
static int skip_early(struct ear_qtrace_log *log)
{
	int result = step_time(log);

	while (result == 0 && log->time < log->begin) {
		uint64_t count = log->steps, room = log->begin - log->time - 1;
		if (log->step > 0 && room / log->step < count)
			count = room / log->step;
		log->time += count * log->step;
		log->steps -= count;
		log->skipped += count + 1;
		result = step_time(log);
	}
	return result;
}

int ear_qtrace_log_time(struct ear_qtrace_log *log, uint64_t *time)
{
	int result = skip_early(log);

	if (result)
		return result;
	if (log->begin && log->time != log->begin)
		return fail(log, EAR_QTRACE_INSN,
			"the time is not that at which the block began, by qtrace.bb");
	log->begin = 0;
	*time = log->time;
	return 1;
}

int ear_qtrace_log_access(
	struct ear_qtrace_log *log, bool store, uint64_t limit, struct ear_qtrace_access *access)
{
	struct accesses *accesses = &log->accesses[store];

	if (!accesses->has || accesses->next.time > limit)
		return 0;
	*access = accesses->next;
	int result = read_access(log, store);
	return result ? result : 1;
}

int ear_qtrace_log_method(
	struct ear_qtrace_log *log, uint64_t limit, const struct ear_qtrace_method_event **event)
{
	if (!log->has_method || log->method.time > limit)
		return 0;
	log->given_method = log->method;
	*event = &log->given_method;
	int result = read_method(log);
	return result ? result : 1;
}

int ear_qtrace_log_pid(
	struct ear_qtrace_log *log, uint64_t limit, const struct ear_qtrace_pid_event **event)
{
	if (!log->has_pid || log->pid.time > limit)
		return 0;
	int result = read_texts(log);
	if (result)
		return result;
	log->given_pid = log->pid;
	log->given_pid.texts = log->texts;
	*event = &log->given_pid;
	result = read_pid(log);
	return result ? result : 1;
}

uint64_t ear_qtrace_log_access_time(const struct ear_qtrace_log *log, bool store)
{
	return log->accesses[store].has ? log->accesses[store].next.time : UINT64_MAX;
}

uint64_t ear_qtrace_log_pid_time(const struct ear_qtrace_log *log)
{
	return log->has_pid ? log->pid.time : UINT64_MAX;
}

uint64_t ear_qtrace_log_method_time(const struct ear_qtrace_log *log)
{
	return log->has_method ? log->method.time : UINT64_MAX;
}

const struct ear_qtrace_header *ear_qtrace_log_header(const struct ear_qtrace_log *log)
{
	return &log->header;
}

uint64_t ear_qtrace_log_block_count(const struct ear_qtrace_log *log)
{
	return log->block_count;
}

struct ear_qtrace_block ear_qtrace_log_block(const struct ear_qtrace_log *log, uint64_t number)
{
	const struct block *block = &log->blocks[number];

	return (struct ear_qtrace_block){
		block->address, block->count, log->entries ? log->entries + block->first : NULL};
}

uint64_t ear_qtrace_log_skipped(const struct ear_qtrace_log *log)
{
	return log->skipped;
}

const char *ear_qtrace_log_fault(const struct ear_qtrace_log *log)
{
	return log->fault[0] ? log->fault : NULL;
}
