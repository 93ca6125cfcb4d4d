/* Directories of the Android emulator's -trace to records.
 *
 * The reader is one instruction ahead: everything that happened after an instruction began, and not
 * after the next one did, is its own. Accesses become part of its record; events and the exception
 * that ended its block follow it, in the order of time.
 */
#include "decoder/formats/qtrace/reader_qtrace.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/qtrace/qtrace_log.h"
#include "decoder/formats/qtrace/qtrace_mark.h"
#include "decoder/isa/inst.h"
#include "decoder/record/task_event_internal.h"

struct instruction {
	uint64_t time;
	uint32_t pc, opcode;
	uint8_t size, isa;
	bool excepted;
	struct ear_qtrace_exception exception;
};

struct reader_qtrace {
	struct ear_reader base;
	struct ear_qtrace_log *log;
	struct ear_qtrace_mark mark;
	char fault[64]; /* of the reader itself; else the log's */

	struct ear_qtrace_execution run;
	uint32_t at; /* entry of it that comes next */
	bool has_next, excepted;
	struct instruction next;
	uint64_t limit; /* what happened up to this time is before the next instruction */
	struct ear_qtrace_exception exception;

	uint64_t index;
	bool warned;
	struct ear_record_builder builder;
};

static const char *get_fault(const struct ear_reader *base)
{
	const struct reader_qtrace *reader = (const struct reader_qtrace *)base;

	return reader->fault[0] ? reader->fault : ear_qtrace_log_fault(reader->log);
}

/* --- Instructions --- */

/* The next execution that has entries. Returns 1, 0 at the end, or an error. */
static int take_execution(struct reader_qtrace *reader)
{
	int result = 1;

	while (result == 1 && reader->at == reader->run.entries) {
		reader->at = 0;
		result = ear_qtrace_log_next(reader->log, &reader->run);
		if (result != 1)
			reader->run.entries = 0;
	}
	return result;
}

/* Has a halfword another one after it? */
static bool is_long(const struct reader_qtrace *reader, uint16_t halfword)
{
	return reader->mark.xlen ? (halfword & 3) == 3 : halfword >> 11 >= 0x1D;
}

/* An instruction of one or two halfwords; the time of the second one is not kept. */
static int take_halfwords(struct reader_qtrace *reader, struct instruction *next)
{
	const uint32_t *entries = reader->run.block.entries;
	uint16_t first = ear_qtrace_unwrap(entries[reader->at - 1]);
	uint64_t time;

	next->isa = reader->mark.xlen ? EAR_ISA_RISCV : EAR_ISA_T32;
	next->opcode = first;
	next->size = 2;
	if (!is_long(reader, first) || reader->at == reader->run.entries)
		return 1;
	uint16_t second = ear_qtrace_unwrap(entries[reader->at++]);
	next->opcode =
		reader->mark.xlen ? (uint32_t)second << 16 | first : (uint32_t)first << 16 | second;
	next->size = 4;
	return ear_qtrace_log_time(reader->log, &time);
}

/* Look at the instruction that comes after the one that is given out now. */
static int look_ahead(struct reader_qtrace *reader)
{
	struct instruction *next = &reader->next;
	int result = take_execution(reader);

	reader->has_next = result == 1;
	reader->limit = UINT64_MAX;
	if (result != 1)
		return result;
	const struct ear_qtrace_block *block = &reader->run.block;
	bool thumb = block->address & 1;
	*next = (struct instruction){.isa = EAR_ISA_A32,
		.size = 4,
		.opcode = block->entries[reader->at],
		.pc = thumb ? (block->address & ~UINT32_C(1)) + 2 * reader->at
			    : block->address + 4 * reader->at};
	result = ear_qtrace_log_time(reader->log, &next->time);
	reader->at++;
	if (result == 1 && thumb && ear_qtrace_is_wrapped(next->opcode))
		result = take_halfwords(reader, next);
	if (result != 1)
		return result;
	reader->limit = next->time;
	next->excepted = reader->at == reader->run.entries && reader->run.exception;
	if (next->excepted)
		next->exception = *reader->run.exception;
	return 1;
}

/* The loads and stores up to the limit, the earlier one first, of equal ones the load. */
static int take_accesses(struct reader_qtrace *reader, uint8_t size)
{
	struct ear_qtrace_log *log = reader->log;
	struct ear_qtrace_access access;

	for (;;) {
		bool store = ear_qtrace_log_access_time(log, true) <
			     ear_qtrace_log_access_time(log, false);
		int result = ear_qtrace_log_access(log, store, reader->limit, &access);
		if (result != 1)
			return result;
		struct ear_record_access *made = ear_record_builder_access(&reader->builder);
		if (!made && reader->builder.error == EAR_E_FULL) {
			snprintf(reader->fault, sizeof(reader->fault),
				"%s: an instruction has too many accesses",
				ear_qtrace_file_name(store ? EAR_QTRACE_STORE : EAR_QTRACE_LOAD));
			return EAR_E_BAD_FILE;
		}
		if (!made)
			return reader->builder.error;
		*made = (struct ear_record_access){
			.address = access.address, .write = store, .size = size};
		if (!ear_record_builder_access_time(&reader->builder, access.time))
			return reader->builder.error;
	}
}

/* Bytes of an access, which the files do not say. */
static uint8_t access_size(const struct instruction *instruction, unsigned xlen)
{
	struct ear_inst inst;

	if (instruction->isa != EAR_ISA_RISCV)
		return 0;
	ear_inst_decode(&inst, instruction->opcode, (uint8_t)xlen);
	return ear_inst_record_size(&inst);
}

static int give_instruction(struct reader_qtrace *reader, const struct ear_record **given)
{
	const struct instruction taken = reader->next;
	struct ear_record *record = &reader->builder.record;

	int result = look_ahead(reader);
	if (result < 0)
		return result;
	ear_record_builder_reset(&reader->builder, EAR_RECORD_INSTRUCTION);
	record->index = reader->index++;
	record->ticks = taken.time;
	record->flags = EAR_RECORD_HAS_TIME | EAR_RECORD_NO_PRIVILEGE;
	record->isa = taken.isa;
	record->xlen = taken.isa == EAR_ISA_RISCV ? (uint8_t)reader->mark.xlen : 32;
	record->pc = taken.pc;
	record->opcode = taken.opcode;
	record->opcode_size = taken.size;
	result = take_accesses(reader, access_size(&taken, reader->mark.xlen));
	if (result < 0)
		return result;
	*given = ear_record_builder_finish(&reader->builder);
	reader->excepted = taken.excepted;
	reader->exception = taken.exception;
	ear_record_follow(record, reader->has_next && !taken.excepted, reader->next.pc, true);
	return 1;
}

/* --- Events --- */

static struct ear_record *begin_event(struct reader_qtrace *reader, uint64_t time)
{
	struct ear_record *record = &reader->builder.record;

	ear_record_builder_reset(&reader->builder, EAR_RECORD_EVENT);
	record->index = reader->index;
	record->ticks = time;
	record->flags = EAR_RECORD_HAS_TIME;
	return record;
}

/* Give the event its name, of the kind and numbers of *event and these texts. */
static int name_event(struct reader_qtrace *reader, const struct ear_task_event *event,
	const struct ear_qtrace_text *texts, uint64_t count)
{
	size_t room = EAR_TASK_EVENT_BEGIN_MAX, size;

	for (uint64_t i = 0; i < count; i++)
		room += ear_task_event_room(texts[i].size);
	char *name = ear_record_builder_text(&reader->builder, room);
	if (!name)
		return reader->builder.error;
	size = ear_task_event_begin(name, room, event);
	for (uint64_t i = 0; i < count; i++)
		size = ear_task_event_add(name, room, size,
			(struct ear_text){(const char *)texts[i].bytes, texts[i].size});
	reader->builder.record.u.event.name = (struct ear_text){name, size};
	return 1;
}

/* The pid that the trace had before it was written into the folder. */
static uint64_t own_pid(const struct reader_qtrace *reader, uint64_t pid)
{
	return reader->mark.pids && pid < EAR_QTRACE_PIDS ? reader->mark.pids[pid] : pid;
}

static int give_pid(struct reader_qtrace *reader)
{
	static const uint8_t pids[] = {
		/* which numbers are pids: bits */
		[EAR_QTRACE_FORK] = 3,
		[EAR_QTRACE_CLONE] = 3,
		[EAR_QTRACE_SWITCH] = 1,
		[EAR_QTRACE_KTHREAD] = 3,
		[EAR_QTRACE_NAME] = 1,
	};
	static const enum ear_task_event_kind kinds[] = {
		[EAR_QTRACE_FORK] = EAR_TASK_FORK,
		[EAR_QTRACE_CLONE] = EAR_TASK_CLONE,
		[EAR_QTRACE_SWITCH] = EAR_TASK_SWITCH,
		[EAR_QTRACE_EXEC] = EAR_TASK_EXEC,
		[EAR_QTRACE_MMAP] = EAR_TASK_MMAP,
		[EAR_QTRACE_EXIT] = EAR_TASK_EXIT,
		[EAR_QTRACE_KTHREAD] = EAR_TASK_PROCESS,
		[EAR_QTRACE_SYMBOL] = EAR_TASK_SYMBOL,
		[EAR_QTRACE_SYMBOL_GONE] = EAR_TASK_SYMBOL_GONE,
		[EAR_QTRACE_MUNMAP] = EAR_TASK_MUNMAP,
		[EAR_QTRACE_NAME] = EAR_TASK_NAME,
	};
	const struct ear_qtrace_pid_event *pid;
	struct ear_task_event event = {0};

	int result = ear_qtrace_log_pid(reader->log, reader->limit, &pid);
	if (result != 1)
		return result;
	const struct ear_qtrace_pid_fields fields = ear_qtrace_pid_fields(pid->type);
	event.kind = kinds[pid->type];
	memcpy(event.numbers, pid->numbers, sizeof(event.numbers));
	for (unsigned i = 0; pid->type < sizeof(pids) && pids[pid->type] >> i; i++)
		if (pids[pid->type] >> i & 1)
			event.numbers[i] = own_pid(reader, event.numbers[i]);
	begin_event(reader, pid->time);
	return name_event(reader, &event, pid->texts, fields.texts ? pid->numbers[0] : fields.text);
}

static int give_method(struct reader_qtrace *reader)
{
	static const enum ear_task_event_kind kinds[] = {
		[EAR_QTRACE_ENTER] = EAR_TASK_METHOD_ENTER,
		[EAR_QTRACE_LEAVE] = EAR_TASK_METHOD_EXIT,
		[EAR_QTRACE_UNWIND] = EAR_TASK_METHOD_UNWIND,
		[EAR_QTRACE_NATIVE + EAR_QTRACE_ENTER] = EAR_TASK_NATIVE_ENTER,
		[EAR_QTRACE_NATIVE + EAR_QTRACE_LEAVE] = EAR_TASK_NATIVE_EXIT,
		[EAR_QTRACE_NATIVE + EAR_QTRACE_UNWIND] = EAR_TASK_NATIVE_UNWIND,
	};
	const struct ear_qtrace_method_event *method;

	int result = ear_qtrace_log_method(reader->log, reader->limit, &method);
	if (result != 1)
		return result;
	const struct ear_task_event event = {.kind = kinds[method->type],
		.numbers = {own_pid(reader, method->pid), method->address}};
	begin_event(reader, method->time);
	return name_event(reader, &event, NULL, 0);
}

static int give_exception(struct reader_qtrace *reader)
{
	const struct ear_task_event event = {.kind = EAR_TASK_EXCEPTION,
		.numbers = {reader->exception.pc, reader->exception.target}};

	reader->excepted = false;
	begin_event(reader, reader->exception.time);
	return name_event(reader, &event, NULL, 0);
}

/* The next event before the next instruction. Returns 1, 0 if there is none, or an error. */
static int give_event(struct reader_qtrace *reader)
{
	uint64_t pid = ear_qtrace_log_pid_time(reader->log);
	uint64_t method = ear_qtrace_log_method_time(reader->log);

	if (reader->excepted && reader->exception.time < pid && reader->exception.time < method)
		return give_exception(reader);
	int result = pid <= method ? give_pid(reader) : give_method(reader);
	if (result == 0 && reader->excepted)
		return give_exception(reader);
	return result;
}

/* --- The reader --- */

/* Old times were stepped over: once is enough to say so. */
static int warn(struct reader_qtrace *reader)
{
	const struct ear_reader_options *options = &reader->base.options;

	if (reader->warned || ear_qtrace_log_skipped(reader->log) == 0 || !options->report)
		return 0;
	reader->warned = true;
	return options->report(options->context, 0, 0,
		"qtrace.insn has instructions that are of no block; they are left out", false);
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_qtrace *reader = (struct reader_qtrace *)base;
	int result = give_event(reader);

	*record = &reader->builder.record;
	if (result == 0 && reader->has_next)
		result = give_instruction(reader, record);
	int stop = warn(reader);
	return stop ? stop : result;
}

static void free_reader(struct ear_reader *base)
{
	struct reader_qtrace *reader = (struct reader_qtrace *)base;

	ear_qtrace_log_close(reader->log);
	ear_qtrace_mark_fini(&reader->mark);
	ear_record_builder_fini(&reader->builder);
	free(reader);
}

static int open_files(struct reader_qtrace *reader, int folder, char *fault, size_t size)
{
	int result = ear_qtrace_mark_read(&reader->mark, folder);

	if (result == EAR_E_BAD_FILE)
		snprintf(fault, size,
			EAR_QTRACE_MARK_NAME ": written by a later version, or not by Earshot");
	else if (result)
		snprintf(fault, size, EAR_QTRACE_MARK_NAME ": %s",
			result == EAR_E_IO ? strerror(errno) : ear_error_text(result));
	if (result == 0)
		result = ear_qtrace_log_open(&reader->log, folder, fault, size);
	if (result == 0 && (result = look_ahead(reader)) < 0)
		snprintf(fault, size, "%s", ear_qtrace_log_fault(reader->log));
	return result < 0 ? result : 0;
}

int ear_reader_qtrace_open(struct ear_reader **reader, int folder, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size)
{
	struct reader_qtrace *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->base.input = input;
	made->base.options = *options;
	made->base.no_hart = true;
	made->base.next = next;
	made->base.free = free_reader;
	made->base.fault = get_fault;
	int result = open_files(made, folder, fault, size);
	if (result) {
		free_reader(&made->base);
		return result;
	}
	made->base.xlen = made->mark.xlen ? (uint8_t)made->mark.xlen : 32;
	*reader = &made->base;
	return 0;
}
