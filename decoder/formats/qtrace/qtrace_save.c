/* Writes the files of a qtrace.
 *
 * The window of qtrace.bb is the only thing that looks back: the newest record of each block, for
 * as long as the window was not flushed, takes the block's repeats. A block's newest record is in
 * the window exactly if the block ran after the last flush, so nothing has to be searched or
 * cleared at a flush.
 */
#include "decoder/formats/qtrace/qtrace_save.h"

#include <assert.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/bytes.h"
#include "decoder/formats/qtrace/qtrace_out.h"
#include "decoder/formats/qtrace/qtrace_varint.h"

struct window_record {
	uint64_t time, number, repeat, step;
};

/* A block of code: its newest record, and what the counts need. */
struct block {
	uint64_t last;   /* time at which it ran last; 0: never */
	uint16_t record; /* index in the window, if last is after the flush */
	uint16_t count;  /* entries */
};

struct stream {
	uint64_t time;
	uint32_t address;
	bool any;
};

struct ear_qtrace_save {
	struct ear_qtrace_out out[EAR_QTRACE_FILES];
	struct ear_qtrace_header header;
	bool raw, finished;
	const char *fault;

	struct block *blocks;
	uint64_t block_count;

	struct window_record window[EAR_QTRACE_WINDOW];
	size_t window_count;
	uint64_t flushed;                      /* time of the last flush */
	uint64_t written_number, written_time; /* of the record that was written last */

	/* The execution that came last. */
	uint64_t executions, last_time, last_number;
	bool excepted;

	uint64_t entry_time, step,
		repeat; /* .insn: of the last entry; an open record if has_step */
	bool has_step;
	struct stream accesses[2];
	uint64_t exception_time, exception_ordinal;
	uint64_t pid_time;
	struct ear_qtrace_method_event method;
	bool used_pids[EAR_QTRACE_PIDS];
	bool named[EAR_QTRACE_PIDS], known[EAR_QTRACE_PIDS];
	uint32_t pid; /* that the last switch named */
};

static int refuse(struct ear_qtrace_save *save, const char *rule)
{
	save->fault = rule;
	return EAR_E_BAD_ARGUMENT;
}

const char *ear_qtrace_save_fault(const struct ear_qtrace_save *save)
{
	return save->fault;
}

/* --- Files --- */

static int open_file(struct ear_qtrace_save *save, int directory, enum ear_qtrace_file file)
{
	int fd = openat(directory, ear_qtrace_file_name(file),
		O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0)
		return EAR_E_IO;
	return ear_qtrace_out_init(&save->out[file], fd);
}

static bool is_wanted(enum ear_qtrace_file file, const struct ear_qtrace_save_options *options)
{
	if (file == EAR_QTRACE_LOAD || file == EAR_QTRACE_STORE)
		return !options->no_accesses;
	return file != EAR_QTRACE_METHOD || !options->no_methods;
}

int ear_qtrace_save_new(
	struct ear_qtrace_save **save, int directory, const struct ear_qtrace_save_options *options)
{
	struct ear_qtrace_save *made = calloc(1, sizeof(*made));
	uint8_t bytes[EAR_QTRACE_HEADER_SIZE + EAR_QTRACE_BLOCK_SIZE] = {0};
	int result = 0;

	if (!made)
		return EAR_E_NO_MEMORY;
	for (unsigned file = 0; file < EAR_QTRACE_FILES; file++)
		made->out[file].fd = -1;
	for (unsigned i = 0; i < EAR_QTRACE_FILES && result == 0; i++) {
		enum ear_qtrace_file file = (enum ear_qtrace_file)i;
		if (is_wanted(file, options))
			result = open_file(made, directory, file);
		else
			unlinkat(directory, ear_qtrace_file_name(file), 0);
	}
	made->blocks = calloc(1, sizeof(*made->blocks));
	if (result == 0 && !made->blocks)
		result = EAR_E_NO_MEMORY;
	if (result) {
		int number = errno;
		ear_qtrace_save_free(made);
		errno = number;
		return result;
	}
	made->block_count = 1;
	made->header = (struct ear_qtrace_header){.start_seconds = options->header.start_seconds,
		.start_microseconds = options->header.start_microseconds,
		.date = options->header.date,
		.time = options->header.time};
	made->raw = options->raw;
	ear_qtrace_header_put(bytes, &made->header); /* block 0 after it is all zero */
	ear_qtrace_out_put(&made->out[EAR_QTRACE_STATIC], bytes, sizeof(bytes));
	*save = made;
	return 0;
}

void ear_qtrace_save_free(struct ear_qtrace_save *save)
{
	if (!save)
		return;
	for (unsigned file = 0; file < EAR_QTRACE_FILES; file++)
		ear_qtrace_out_fini(&save->out[file]);
	free(save->blocks);
	free(save);
}

/* --- Blocks --- */

int ear_qtrace_save_block(struct ear_qtrace_save *save, uint64_t *number, uint32_t address,
	const uint32_t *entries, uint32_t count)
{
	uint8_t bytes[EAR_QTRACE_BLOCK_SIZE];
	struct ear_qtrace_out *out = &save->out[EAR_QTRACE_STATIC];

	if (count == 0 || count > EAR_QTRACE_BLOCK_MAX)
		return refuse(save, "a block has 1 to 512 entries");
	if ((save->block_count & (save->block_count - 1)) == 0) {
		struct block *blocks = realloc(
			save->blocks, 2 * (size_t)save->block_count * sizeof(*save->blocks));
		if (!blocks)
			return EAR_E_NO_MEMORY;
		save->blocks = blocks;
	}
	*number = save->block_count++;
	save->blocks[*number] = (struct block){0, 0, (uint16_t)count};
	save->header.static_entries += count;
	ear_store_le64(bytes, *number);
	ear_store_le32(bytes + 8, address);
	ear_store_le32(bytes + 12, count);
	ear_qtrace_out_put(out, bytes, sizeof(bytes));
	for (uint32_t i = 0; i < count; i++) {
		ear_store_le32(bytes, entries[i]);
		ear_qtrace_out_put(out, bytes, 4);
	}
	return 0;
}

static void write_record(struct ear_qtrace_save *save, const struct window_record *record)
{
	struct ear_qtrace_out *out = &save->out[EAR_QTRACE_BB];
	uint8_t *at = ear_qtrace_out_reserve(out, (size_t)4 * EAR_QTRACE_VARINT_MAX);

	at = ear_qtrace_put_signed(at, (int64_t)(record->number - save->written_number));
	at = ear_qtrace_put(at, record->time - save->written_time);
	at = ear_qtrace_put(at, record->repeat);
	if (record->repeat)
		at = ear_qtrace_put(at, record->step);
	ear_qtrace_out_commit(out, at);
	save->written_number = record->number;
	save->written_time = record->time;
}

static void write_window(struct ear_qtrace_save *save)
{
	for (size_t i = 0; i < save->window_count; i++)
		write_record(save, &save->window[i]);
	save->window_count = 0;
}

/* Can the newest record of the block take this execution? Then it has. */
static bool join(struct ear_qtrace_save *save, struct block *block, uint64_t time)
{
	struct window_record *record = &save->window[block->record];
	uint64_t step = time - block->last;

	if (block->last <= save->flushed)
		return false;
	if (record->repeat == 0)
		record->step = step;
	else if (record->step != step)
		return false;
	record->repeat++;
	return true;
}

int ear_qtrace_save_execution(
	struct ear_qtrace_save *save, uint64_t number, uint64_t time, uint32_t pid)
{
	if (number == 0 || number >= save->block_count)
		return refuse(save, "there is no block of this number");
	if (time <= save->last_time)
		return refuse(save, "times of blocks increase strictly");
	if (pid >= EAR_QTRACE_PIDS)
		return refuse(save, "pids are 0 to 32767");

	struct block *block = &save->blocks[number];
	if (!join(save, block, time)) {
		if (save->window_count == EAR_QTRACE_WINDOW) {
			write_window(save);
			save->flushed = time;
		}
		block->record = (uint16_t)save->window_count;
		save->window[save->window_count++] = (struct window_record){time, number, 0, 0};
	}
	block->last = time;
	save->used_pids[pid] = true;
	save->executions++;
	save->last_time = time;
	save->last_number = number;
	save->excepted = false;
	save->header.executed_entries += block->count;
	return 0;
}

/* --- Times of entries --- */

#define STEP_SIZE ((size_t)2 * EAR_QTRACE_VARINT_MAX)

static inline uint8_t *put_step(const struct ear_qtrace_save *save, uint8_t *at)
{
	return save->has_step ? ear_qtrace_put(ear_qtrace_put(at, save->step), save->repeat) : at;
}

static void write_step(struct ear_qtrace_save *save)
{
	struct ear_qtrace_out *out = &save->out[EAR_QTRACE_INSN];
	uint8_t *at = ear_qtrace_out_reserve(out, STEP_SIZE);

	ear_qtrace_out_commit(out, put_step(save, at));
}

/* At most as many times as have room in a reservation. */
static int save_some_times(struct ear_qtrace_save *save, const uint64_t *times, size_t count)
{
	struct ear_qtrace_out *out = &save->out[EAR_QTRACE_INSN];
	uint8_t *at = ear_qtrace_out_reserve(out, count * STEP_SIZE);
	size_t i = 0;

	for (; i < count && times[i] >= save->entry_time; i++) {
		uint64_t step = times[i] - save->entry_time;
		save->entry_time = times[i];
		if (save->has_step && step == save->step && save->repeat < UINT32_MAX) {
			save->repeat++;
			continue;
		}
		at = put_step(save, at);
		save->has_step = true;
		save->step = step;
		save->repeat = 0;
	}
	ear_qtrace_out_commit(out, at);
	return i < count ? refuse(save, "times of instructions do not decrease") : 0;
}

int ear_qtrace_save_times(struct ear_qtrace_save *save, const uint64_t *times, size_t count)
{
	const size_t most = EAR_QTRACE_OUT_RESERVE / STEP_SIZE;
	int result = 0;

	for (size_t part; count > 0 && result == 0; times += part, count -= part) {
		part = count < most ? count : most;
		result = save_some_times(save, times, part);
	}
	return result;
}

/* --- The other streams --- */

int ear_qtrace_save_access(
	struct ear_qtrace_save *save, bool store, const struct ear_qtrace_access *access)
{
	struct ear_qtrace_out *out = &save->out[store ? EAR_QTRACE_STORE : EAR_QTRACE_LOAD];
	struct stream *last = &save->accesses[store];

	if (!out->buffer)
		return refuse(save, "the directory is made without accesses");
	if (access->time < last->time)
		return refuse(save, "times of accesses do not decrease");
	if (access->time == last->time && access->address == last->address)
		return refuse(save, "no access has the address and time of the one before it");
	uint8_t *at = ear_qtrace_out_reserve(out, (size_t)2 * EAR_QTRACE_VARINT_MAX);
	at = ear_qtrace_put_signed(at, (int32_t)(access->address - last->address));
	at = ear_qtrace_put(at, access->time - last->time);
	ear_qtrace_out_commit(out, at);
	*last = (struct stream){access->time, access->address, true};
	return 0;
}

int ear_qtrace_save_exception(
	struct ear_qtrace_save *save, uint64_t time, uint32_t pc, uint32_t target, uint32_t entries)
{
	struct ear_qtrace_out *out = &save->out[EAR_QTRACE_EXC];
	uint32_t count = save->blocks[save->last_number].count;

	if (save->executions == 0 || entries > count)
		return refuse(save, "an exception is of a block that ran");
	if (save->excepted)
		return refuse(save, "an execution has one exception at most");
	if (time < save->exception_time || (time == save->exception_time && pc == 0))
		return refuse(save, "times of exceptions do not decrease");
	uint8_t *at = ear_qtrace_out_reserve(out, (size_t)7 * EAR_QTRACE_VARINT_MAX);
	at = ear_qtrace_put(at, time - save->exception_time);
	at = ear_qtrace_put(at, pc);
	at = ear_qtrace_put(at, save->executions - save->exception_ordinal);
	at = ear_qtrace_put(at, target);
	at = ear_qtrace_put(at, save->last_number);
	at = ear_qtrace_put(at, save->last_time);
	ear_qtrace_out_commit(out, ear_qtrace_put(at, entries));
	save->exception_time = time;
	save->exception_ordinal = save->executions;
	save->excepted = true;
	save->header.executed_entries -= count - entries;
	return 0;
}

/* May the event come now? Then note what it makes of its tasks. */
static int check_event(struct ear_qtrace_save *save, const struct ear_qtrace_pid_event *event)
{
	const uint64_t *numbers = event->numbers;
	bool child = event->type == EAR_QTRACE_FORK || event->type == EAR_QTRACE_CLONE;
	bool grouped = child || event->type == EAR_QTRACE_KTHREAD;
	uint64_t pid = grouped ? numbers[1]
		       : event->type == EAR_QTRACE_SWITCH || event->type == EAR_QTRACE_NAME
			       ? numbers[0]
			       : save->pid;

	if (event->time < save->pid_time)
		return refuse(save, "times of events do not decrease");
	if (pid >= EAR_QTRACE_PIDS || (grouped && numbers[0] >= EAR_QTRACE_PIDS))
		return refuse(save, "pids are 0 to 32767");
	if (child && !save->named[save->pid])
		return refuse(save, "a task has a name before it forks or clones");
	if (event->type == EAR_QTRACE_EXEC && save->pid == 0)
		return refuse(save, "pid 0 begins no program");
	if (event->type == EAR_QTRACE_SWITCH)
		save->pid = (uint32_t)pid;
	save->known[pid] = true;
	save->named[pid] |= event->type == EAR_QTRACE_KTHREAD || event->type == EAR_QTRACE_NAME ||
			    event->type == EAR_QTRACE_EXEC || (child && save->named[save->pid]);
	return 0;
}

int ear_qtrace_save_pid(struct ear_qtrace_save *save, const struct ear_qtrace_pid_event *event)
{
	struct ear_qtrace_out *out = &save->out[EAR_QTRACE_PID];
	const struct ear_qtrace_pid_fields fields = ear_qtrace_pid_fields(event->type);
	int result = fields.known ? check_event(save, event)
				  : refuse(save, "there is no event of this type");

	if (result)
		return result;
	uint8_t *at = ear_qtrace_out_reserve(out, (size_t)5 * EAR_QTRACE_VARINT_MAX);
	at = ear_qtrace_put(at, event->time - save->pid_time);
	at = ear_qtrace_put(at, event->type);
	for (unsigned i = 0; i < fields.numbers; i++)
		at = ear_qtrace_put(at, event->numbers[i]);
	ear_qtrace_out_commit(out, at);
	uint64_t count = fields.texts ? event->numbers[0] : fields.text;
	for (uint64_t i = 0; i < count; i++) {
		at = ear_qtrace_out_reserve(out, EAR_QTRACE_VARINT_MAX);
		ear_qtrace_out_commit(out, ear_qtrace_put(at, event->texts[i].size));
		ear_qtrace_out_put(out, event->texts[i].bytes, event->texts[i].size);
	}
	save->pid_time = event->time;
	return 0;
}

int ear_qtrace_save_method(
	struct ear_qtrace_save *save, const struct ear_qtrace_method_event *event)
{
	struct ear_qtrace_out *out = &save->out[EAR_QTRACE_METHOD];

	if (!out->buffer)
		return refuse(save, "the directory is made without methods");
	if (event->time <= save->method.time)
		return refuse(save, "times of method events increase strictly");
	if (event->pid >= EAR_QTRACE_PIDS || !(event->pid == 0 || save->known[event->pid]))
		return refuse(save, "a task exists before its first method");
	uint8_t *at = ear_qtrace_out_reserve(out, (size_t)4 * EAR_QTRACE_VARINT_MAX);
	at = ear_qtrace_put(at, event->time - save->method.time);
	at = ear_qtrace_put_signed(at, (int32_t)(event->address - save->method.address));
	at = ear_qtrace_put_signed(at, (int32_t)(event->pid - save->method.pid));
	ear_qtrace_out_commit(out, ear_qtrace_put(at, event->type));
	save->method = *event;
	return 0;
}

/* --- The end --- */

static int flush_all(struct ear_qtrace_save *save)
{
	int result = 0;

	for (unsigned file = 0; file < EAR_QTRACE_FILES; file++)
		if (save->out[file].buffer && ear_qtrace_out_flush(&save->out[file]) != 0 &&
			result == 0) {
			result = EAR_E_IO;
			errno = save->out[file].error_number;
		}
	return result;
}

static void count_pids(struct ear_qtrace_save *save)
{
	struct ear_qtrace_header *header = &save->header;

	header->used_pids = 0;
	header->first_unused_pid = -1;
	for (int32_t pid = 0; pid < EAR_QTRACE_PIDS; pid++) {
		header->used_pids += save->used_pids[pid];
		if (!save->used_pids[pid] && header->first_unused_pid < 0)
			header->first_unused_pid = pid;
	}
}

static void put_end(struct ear_qtrace_save *save, enum ear_qtrace_file file, size_t zeros)
{
	static const uint8_t end[7];

	if (save->out[file].buffer)
		ear_qtrace_out_put(&save->out[file], end, zeros);
}

int ear_qtrace_save_finish(struct ear_qtrace_save *save, uint64_t time, uint64_t microseconds)
{
	uint8_t bytes[EAR_QTRACE_HEADER_SIZE];

	assert(!save->finished);
	save->finished = true;
	write_window(save);
	save->header.executed_blocks = save->executions;
	if (time > save->written_time) {
		write_record(save, &(struct window_record){time, 0, 0, 0});
		save->header.executed_blocks++;
	}
	write_step(save);
	put_end(save, EAR_QTRACE_BB, 3);
	put_end(save, EAR_QTRACE_LOAD, 2);
	put_end(save, EAR_QTRACE_STORE, 2);
	put_end(save, EAR_QTRACE_EXC, 7);
	put_end(save, EAR_QTRACE_PID, 2);
	put_end(save, EAR_QTRACE_METHOD, 2);
	count_pids(save);
	save->header.static_blocks = save->block_count;
	save->header.counted = !save->raw;
	save->header.elapsed_microseconds = microseconds;
	int result = flush_all(save);
	if (result)
		return result;
	ear_qtrace_header_put(bytes, &save->header);
	result = ear_qtrace_out_patch(&save->out[EAR_QTRACE_STATIC], 0, bytes, sizeof(bytes));
	if (result)
		errno = save->out[EAR_QTRACE_STATIC].error_number;
	return result;
}
