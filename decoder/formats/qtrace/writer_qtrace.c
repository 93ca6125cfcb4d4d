/* Records to a folder as the Android emulator's -trace makes it.
 *
 * Instructions are collected until their block ends; then the block is looked up by its code, and
 * its execution is written. All other streams are written as the records come. Times are those of
 * the records where the rules of the format allow it, else the next ones that they do: what an
 * instruction does happens after it begins, and the next one begins when all of that has happened.
 * ARM instructions without a time take the clocks that the emulator counts.
 */
#include "decoder/formats/qtrace/writer_qtrace.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/source_date.h"
#include "decoder/formats/qtrace/arm_flow.h"
#include "decoder/formats/qtrace/arm_ticks.h"
#include "decoder/formats/qtrace/code_table.h"
#include "decoder/formats/qtrace/qtrace_mark.h"
#include "decoder/formats/qtrace/qtrace_save.h"
#include "decoder/record/task_event_internal.h"

#define PAGE_SIZE   4096u
#define ARM_PAGE    1024u        /* the smallest that it has, by which the emulator translates */
#define TEXTS_MAX   256u         /* of an exec; more are left out */
#define TEXT_BYTES  (256u << 10) /* of all its texts, likewise */
#define WARNING_MAX 160

/* What had to be done otherwise, each with a sentence at the end. */
enum note {
	NOTE_UNTIMED,  /* instructions without time */
	NOTE_TICKS,    /* likewise, of ARM */
	NOTE_LATER,    /* instructions that begin later than their record says */
	NOTE_REMAPPED, /* events with another pid */
	NOTE_LEFT_OUT, /* events that would break a rule */
	NOTE_KINDS
};

struct writer_qtrace {
	struct ear_writer base;
	struct ear_qtrace_save *save;
	struct ear_code_table *code;
	struct ear_writer_hart hart;
	int folder;
	bool any, finished; /* any: an instruction came */
	unsigned xlen;      /* of RISC-V; 0: ARM and Thumb */
	char fault[WARNING_MAX];
	uint64_t notes[NOTE_KINDS];
	unsigned noted; /* sentences given */
	char note[WARNING_MAX];

	/* The block that is being collected. */
	uint32_t address, next_pc, count;
	uint32_t entries[EAR_QTRACE_BLOCK_MAX];
	uint64_t times[EAR_QTRACE_BLOCK_MAX];
	uint32_t block_pid;
	bool ended; /* nothing is added to it */

	uint64_t time;  /* of the last instruction */
	uint64_t after; /* what it does happens then, or later */
	struct ear_arm_ticks ticks;
	uint64_t block_time; /* of the last block that began */
	uint64_t least;      /* of the next instruction */
	uint64_t pid_time, method_time, exception_time;
	struct ear_qtrace_access last[2];

	uint32_t pid;                     /* that runs */
	uint64_t owners[EAR_QTRACE_PIDS]; /* pid of the records + 1; 0: free */
	bool named[EAR_QTRACE_PIDS], known[EAR_QTRACE_PIDS];
	struct ear_qtrace_text texts[TEXTS_MAX];
	uint8_t text_bytes[TEXT_BYTES];
};

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int refuse(struct writer_qtrace *writer, uint64_t pc, const char *cause)
{
	snprintf(writer->fault, sizeof(writer->fault), "0x%" PRIx64 ": %s", pc, cause);
	return EAR_E_BAD_ARGUMENT;
}

/* A rule of the format that this file should have kept, or too much code. */
static int pass(struct writer_qtrace *writer, int result)
{
	if (result == EAR_E_BAD_ARGUMENT)
		snprintf(writer->fault, sizeof(writer->fault), "%s",
			ear_qtrace_save_fault(writer->save));
	if (result == EAR_E_FULL)
		snprintf(writer->fault, sizeof(writer->fault), "there is too much code: %u entries",
			EAR_CODE_ENTRIES_MAX);
	return result;
}

/* --- Blocks --- */

/* Write the block that is collected, and begin another one with the next instruction. */
static int end_block(struct writer_qtrace *writer)
{
	uint32_t count = writer->count;
	int result = 0;

	if (count == 0)
		return 0;
	writer->count = 0;
	uint64_t number =
		ear_code_table_find(writer->code, writer->address, writer->entries, count);
	if (number == 0) {
		result = ear_qtrace_save_block(
			writer->save, &number, writer->address, writer->entries, count);
		if (result == 0)
			result = ear_code_table_add(
				writer->code, writer->address, writer->entries, count, number);
	}
	if (result == 0)
		result = ear_qtrace_save_execution(
			writer->save, number, writer->times[0], writer->block_pid);
	if (result == 0)
		result = ear_qtrace_save_times(writer->save, writer->times, count);
	return pass(writer, result);
}

/* Does a block of RISC-V end after this one: a jump, a branch, or what may trap on purpose? */
static bool riscv_ends_block(uint64_t opcode, unsigned size, unsigned xlen)
{
	if (size == 4)
		return (opcode & 0x7F) == 0x63 || (opcode & 0x7F) == 0x6F ||
		       (opcode & 0x7F) == 0x67 || (opcode & 0x7F) == 0x73;
	unsigned group = (unsigned)(opcode & 3), kind = (unsigned)(opcode >> 13 & 7);
	if (group == 1)
		return kind >= 5 || (kind == 1 && xlen == 32);     /* c.j, c.beqz, c.bnez, c.jal */
	return group == 2 && kind == 4 && (opcode >> 2 & 31) == 0; /* c.jr, c.jalr, c.ebreak */
}

/* Does a block end after this one, or at the end of its page? */
static bool ends_block(const struct writer_qtrace *writer, const struct ear_record *record)
{
	uint32_t page = record->isa == EAR_ISA_RISCV ? PAGE_SIZE : ARM_PAGE;

	if ((writer->next_pc & (page - 1)) < record->opcode_size)
		return true;
	switch (record->isa) {
	case EAR_ISA_A32: return ear_arm_ends_block((uint32_t)record->opcode);
	case EAR_ISA_T32:
		return ear_thumb_ends_block((uint32_t)record->opcode, record->opcode_size);
	default: return riscv_ends_block(record->opcode, record->opcode_size, writer->xlen);
	}
}

/* May the instruction be written at all? */
static int check_instruction(struct writer_qtrace *writer, const struct ear_record *record)
{
	bool riscv = record->isa == EAR_ISA_RISCV;

	if (record->pc > UINT32_MAX)
		return refuse(writer, record->pc, "this format has addresses of 32 bits");
	if (record->flags & EAR_RECORD_NO_OPCODE)
		return refuse(writer, record->pc, "the instruction has no opcode");
	if (!riscv && record->isa != EAR_ISA_A32 && record->isa != EAR_ISA_T32)
		return refuse(writer, record->pc, "this format has RISC-V, ARM and Thumb");
	if (record->opcode_size != 4 && (record->opcode_size != 2 || record->isa == EAR_ISA_A32))
		return refuse(writer, record->pc, "this format has opcodes of 2 or 4 bytes");
	if (writer->any && riscv != (writer->xlen != 0))
		return refuse(writer, record->pc, "a folder has RISC-V or ARM, not both");
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].address > UINT32_MAX)
			return refuse(writer, record->memory[i].address,
				"this format has addresses of 32 bits");
	return 0;
}

/* Time at which the instruction begins. */
static uint64_t choose_time(struct writer_qtrace *writer, const struct ear_record *record)
{
	uint64_t least = writer->least;

	if (writer->count == 0)
		least = max(least, writer->block_time + 1);
	if (!(record->flags & EAR_RECORD_HAS_TIME)) {
		writer->notes[record->isa == EAR_ISA_RISCV ? NOTE_UNTIMED : NOTE_TICKS]++;
		return max(least, writer->any ? writer->after : 1);
	}
	writer->notes[NOTE_LATER] += record->ticks < least;
	return max(least, record->ticks);
}

static void add_entry(struct writer_qtrace *writer, uint32_t entry, uint64_t time)
{
	writer->entries[writer->count] = entry;
	writer->times[writer->count++] = time;
}

static void add_halfwords(struct writer_qtrace *writer, const struct ear_record *record)
{
	uint16_t low = (uint16_t)record->opcode, high = (uint16_t)(record->opcode >> 16);
	bool thumb = record->isa == EAR_ISA_T32, timed = record->flags & EAR_RECORD_HAS_TIME;
	uint64_t time = writer->time;
	uint16_t first = thumb && record->opcode_size == 4 ? high : low;

	/* Each halfword of Thumb has clocks of its own. */
	unsigned clocks = thumb ? ear_arm_ticks_thumb(&writer->ticks, first) : 1;
	add_entry(writer, ear_qtrace_wrap(first), time);
	if (record->opcode_size == 4) {
		uint16_t second = thumb ? low : high;
		/* The second half of a branch begins a clock later: nothing can delay it. */
		bool branch = thumb && ear_thumb_ends_block((uint32_t)record->opcode, 4);
		time += timed ? branch : thumb ? clocks : 0;
		if (thumb)
			clocks += ear_arm_ticks_thumb(&writer->ticks, second);
		add_entry(writer, ear_qtrace_wrap(second), time);
	}
	writer->least = time;
	writer->after = writer->time + (timed ? 1 : clocks);
}

static void add_word(struct writer_qtrace *writer, const struct ear_record *record)
{
	bool counts = !(record->flags & (EAR_RECORD_HAS_TIME | EAR_RECORD_SKIPPED));
	unsigned clocks = ear_arm_ticks_arm(&writer->ticks, (uint32_t)record->opcode);

	add_entry(writer, (uint32_t)record->opcode, writer->time);
	writer->after = writer->time + (counts ? clocks : 1);
}

static int add_accesses(struct writer_qtrace *writer, const struct ear_record *record)
{
	const uint64_t *times = record->extra && record->flags & EAR_RECORD_HAS_TIME
					? record->extra->access_times
					: NULL;
	int result = 0;

	for (size_t i = 0; i < record->memory_count && result == 0; i++) {
		bool store = record->memory[i].write;
		uint64_t time = times && times[i] >= writer->time ? times[i] : writer->after;
		struct ear_qtrace_access access = {
			max(time, writer->last[store].time), (uint32_t)record->memory[i].address};
		/* The same address at the same time would end the file. */
		if (access.time == writer->last[store].time &&
			access.address == writer->last[store].address)
			access.time++;
		result = ear_qtrace_save_access(writer->save, store, &access);
		writer->last[store] = access;
		writer->least = max(writer->least, access.time);
	}
	return pass(writer, result);
}

/* The execution that was written last ended with an exception. */
static int add_exception(struct writer_qtrace *writer, uint64_t time, uint32_t target)
{
	uint32_t count = writer->count, address = writer->address;

	int result = end_block(writer);
	if (result || count == 0)
		return result;
	time = max(max(time, writer->after), writer->exception_time);
	writer->exception_time = time;
	writer->least = max(writer->least, time);
	return pass(writer, ear_qtrace_save_exception(
				    writer->save, time, address + 4 * (count - 1), target, count));
}

static int begin(struct writer_qtrace *writer, const struct ear_record *record)
{
	struct ear_qtrace_mark mark = {.xlen = 0};

	if (writer->any)
		return 0;
	if (record->isa == EAR_ISA_RISCV)
		mark.xlen = writer->xlen = record->xlen == 64 ? 64 : 32;
	return ear_qtrace_mark_write(&mark, writer->folder);
}

/* Which pids are others, beside the files of the format. */
static int write_pids(const struct writer_qtrace *writer)
{
	struct ear_qtrace_mark mark = {.xlen = writer->xlen};

	if (writer->notes[NOTE_REMAPPED] == 0)
		return 0;
	mark.pids = malloc(EAR_QTRACE_PIDS * sizeof(*mark.pids));
	if (!mark.pids)
		return EAR_E_NO_MEMORY;
	for (uint64_t pid = 0; pid < EAR_QTRACE_PIDS; pid++)
		mark.pids[pid] = writer->owners[pid] ? writer->owners[pid] - 1 : pid;
	int result = ear_qtrace_mark_write(&mark, writer->folder);
	ear_qtrace_mark_fini(&mark);
	return result;
}

/* An interrupt was taken between two instructions: the block before it ends. */
static int push_interrupt(struct writer_qtrace *writer, const struct ear_record *record)
{
	uint64_t time = record->flags & EAR_RECORD_HAS_TIME ? record->ticks : 0;

	return record->pc > UINT32_MAX
		       ? refuse(writer, record->pc, "this format has addresses of 32 bits")
		       : add_exception(writer, time, (uint32_t)record->pc);
}

static int push_instruction(struct writer_qtrace *writer, const struct ear_record *record)
{
	bool halfwords = record->isa != EAR_ISA_A32;
	uint32_t pc = (uint32_t)record->pc, address = pc | halfwords;
	uint32_t needed = halfwords && record->opcode_size == 4 ? 2 : 1;

	if (record->flags & EAR_RECORD_INTERRUPT)
		return push_interrupt(writer, record);
	int result = check_instruction(writer, record);
	if (result == 0)
		result = begin(writer, record);
	if (result == 0 &&
		(writer->ended || pc != writer->next_pc || (writer->address & 1) != halfwords ||
			writer->count + needed > EAR_QTRACE_BLOCK_MAX))
		result = end_block(writer);
	if (result)
		return result;
	writer->time = choose_time(writer, record);
	writer->least = writer->time;
	if (writer->count == 0) {
		writer->address = address;
		writer->block_time = writer->time;
		if (record->isa != EAR_ISA_RISCV)
			ear_arm_ticks_begin(&writer->ticks);
		writer->block_pid = writer->pid;
	}
	uint16_t low = (uint16_t)record->opcode;
	if (halfwords)
		add_halfwords(writer, record);
	else
		add_word(writer, record);
	writer->any = true;
	writer->next_pc = pc + record->opcode_size;
	writer->ended = ends_block(writer, record);
	/* A first half that stands alone shall not be read with what follows. */
	writer->ended |= halfwords && needed == 1 &&
			 (record->isa == EAR_ISA_RISCV ? (low & 3) == 3 : low >> 11 >= 0x1D);
	result = add_accesses(writer, record);
	if (result == 0 && record->flags & EAR_RECORD_TRAP)
		result = add_exception(writer, 0, pc);
	return result;
}

/* --- Events --- */

/* The pid of the format for one of a record: the same if it fits, else one that is free. */
static bool map_pid(struct writer_qtrace *writer, uint64_t pid, uint64_t *mapped)
{
	uint64_t owner = pid + 1;

	if (pid < EAR_QTRACE_PIDS && (writer->owners[pid] == 0 || writer->owners[pid] == owner)) {
		writer->owners[pid] = owner;
		*mapped = pid;
		return true;
	}
	for (uint64_t i = EAR_QTRACE_PIDS - 1; i > 0; i--)
		if (writer->owners[i] == 0 || writer->owners[i] == owner) {
			writer->owners[i] = owner;
			*mapped = i;
			writer->notes[NOTE_REMAPPED]++;
			return true;
		}
	return false;
}

static int put_event(struct writer_qtrace *writer, uint64_t time, enum ear_qtrace_pid_type type,
	const uint64_t *numbers)
{
	struct ear_qtrace_pid_event event = {.time = time, .type = type, .texts = writer->texts};

	memcpy(event.numbers, numbers, sizeof(event.numbers));
	writer->pid_time = time;
	writer->least = max(writer->least, time);
	return pass(writer, ear_qtrace_save_pid(writer->save, &event));
}

/* The original tools want a task to exist, or to have a name: give it one that says its pid. */
static int make_task(struct writer_qtrace *writer, uint64_t time, uint64_t pid)
{
	const uint64_t numbers[3] = {pid, pid};
	const struct ear_qtrace_text kept = writer->texts[0];
	char name[32];

	int size = snprintf(name, sizeof(name), "pid-%" PRIu64,
		writer->owners[pid] ? writer->owners[pid] - 1 : pid);
	writer->texts[0] = (struct ear_qtrace_text){(const uint8_t *)name, (size_t)size};
	int result = put_event(writer, time, EAR_QTRACE_KTHREAD, numbers);
	writer->texts[0] = kept;
	writer->named[pid] = writer->known[pid] = true;
	return result;
}

/* The texts of the event. What is beyond the room is left out. */
static size_t take_texts(struct writer_qtrace *writer, struct ear_text texts)
{
	size_t used = 0, count = 0, size;

	while (count < TEXTS_MAX && texts.size < TEXT_BYTES - used &&
		ear_task_event_text(&texts, (char *)writer->text_bytes + used, &size)) {
		writer->texts[count++] = (struct ear_qtrace_text){writer->text_bytes + used, size};
		used += size;
	}
	return count;
}

/* The time of an event: after the instruction that made it began. */
static uint64_t event_time(const struct writer_qtrace *writer, const struct ear_record *record)
{
	uint64_t time = record->flags & EAR_RECORD_HAS_TIME ? record->ticks : 0;

	return max(max(time, writer->any ? writer->after : 1), writer->pid_time);
}

static int push_method(struct writer_qtrace *writer, const struct ear_record *record,
	const struct ear_task_event *event, uint8_t type)
{
	uint64_t pid, time = event_time(writer, record);
	int result = 0;

	if (event->numbers[1] > UINT32_MAX)
		return refuse(writer, event->numbers[1], "this format has addresses of 32 bits");
	if (!map_pid(writer, event->numbers[0], &pid))
		return refuse(writer, event->numbers[0], "there are more than 32768 pids");
	if (!writer->known[0])
		result = make_task(writer, time, 0);
	if (result == 0 && !writer->known[pid])
		result = make_task(writer, time, pid);
	time = max(time, writer->method_time + 1);
	writer->method_time = time;
	writer->least = max(writer->least, time);
	const struct ear_qtrace_method_event method = {
		time, (uint32_t)event->numbers[1], (uint32_t)pid, type};
	return result ? result : pass(writer, ear_qtrace_save_method(writer->save, &method));
}

/* Events of .pid: their type, and which of their numbers are pids (bits) or addresses. */
static const struct kind {
	uint8_t type, pids, addresses;
} kinds[EAR_TASK_KINDS] = {
	[EAR_TASK_PROCESS] = {EAR_QTRACE_KTHREAD, 3, 0},
	[EAR_TASK_SWITCH] = {EAR_QTRACE_SWITCH, 1, 0},
	[EAR_TASK_FORK] = {EAR_QTRACE_FORK, 3, 0},
	[EAR_TASK_CLONE] = {EAR_QTRACE_CLONE, 3, 0},
	[EAR_TASK_EXEC] = {EAR_QTRACE_EXEC, 0, 0},
	[EAR_TASK_EXIT] = {EAR_QTRACE_EXIT, 0, 0},
	[EAR_TASK_NAME] = {EAR_QTRACE_NAME, 1, 0},
	[EAR_TASK_MMAP] = {EAR_QTRACE_MMAP, 0, 7},
	[EAR_TASK_MUNMAP] = {EAR_QTRACE_MUNMAP, 0, 3},
	[EAR_TASK_SYMBOL] = {EAR_QTRACE_SYMBOL, 0, 1},
	[EAR_TASK_SYMBOL_GONE] = {EAR_QTRACE_SYMBOL_GONE, 0, 1},
};

/* What the tools need to have heard before this event. */
static int prepare_tasks(struct writer_qtrace *writer, uint64_t time,
	const struct ear_task_event *event, const uint64_t *numbers)
{
	bool names_0 = event->kind == EAR_TASK_PROCESS && numbers[1] == 0;
	int result = 0;

	if (!writer->known[0] && !names_0)
		result = make_task(writer, time, 0);
	if (result == 0 && !writer->named[writer->pid] &&
		(event->kind == EAR_TASK_FORK || event->kind == EAR_TASK_CLONE))
		result = make_task(writer, time, writer->pid);
	return result;
}

static void note_task(
	struct writer_qtrace *writer, const struct ear_task_event *event, const uint64_t *numbers)
{
	bool child = event->kind == EAR_TASK_FORK || event->kind == EAR_TASK_CLONE;
	uint64_t pid = child || event->kind == EAR_TASK_PROCESS ? numbers[1] : numbers[0];

	if (event->kind == EAR_TASK_EXEC)
		pid = writer->pid;
	else if (!kinds[event->kind].pids)
		return;
	if (event->kind == EAR_TASK_SWITCH)
		writer->pid = (uint32_t)pid;
	writer->known[pid] = true;
	writer->named[pid] |= event->kind != EAR_TASK_SWITCH;
}

static int push_task(struct writer_qtrace *writer, const struct ear_record *record,
	const struct ear_task_event *event)
{
	const struct kind *kind = &kinds[event->kind];
	uint64_t time = event_time(writer, record);
	uint64_t numbers[3];

	memcpy(numbers, event->numbers, sizeof(numbers));
	for (unsigned i = 0; i < 3; i++) {
		if (kind->pids >> i & 1 && !map_pid(writer, numbers[i], &numbers[i]))
			return refuse(writer, numbers[i], "there are more than 32768 pids");
		if (kind->addresses >> i & 1 && numbers[i] > UINT32_MAX)
			return refuse(writer, numbers[i], "this format has addresses of 32 bits");
	}
	if (event->kind == EAR_TASK_EXEC && writer->pid == 0) {
		writer->notes[NOTE_LEFT_OUT]++;
		return 0;
	}
	int result = prepare_tasks(writer, time, event, numbers);
	if (result)
		return result;
	size_t count = take_texts(writer, event->texts);
	if (event->kind == EAR_TASK_EXEC)
		numbers[0] = count;
	else if (count == 0)
		writer->texts[0] = (struct ear_qtrace_text){writer->text_bytes, 0};
	result = put_event(writer, time, kind->type, numbers);
	note_task(writer, event, numbers);
	return result;
}

static int push_event(struct writer_qtrace *writer, const struct ear_record *record)
{
	struct ear_task_event event;

	if (!ear_task_event_parse(&event, record))
		return 0;
	switch (event.kind) {
	case EAR_TASK_METHOD_ENTER:
	case EAR_TASK_METHOD_EXIT:
	case EAR_TASK_METHOD_UNWIND:
		return push_method(writer, record, &event,
			(uint8_t)(event.kind - EAR_TASK_METHOD_ENTER + EAR_QTRACE_ENTER));
	case EAR_TASK_NATIVE_ENTER:
	case EAR_TASK_NATIVE_EXIT:
	case EAR_TASK_NATIVE_UNWIND:
		return push_method(writer, record, &event,
			(uint8_t)(event.kind - EAR_TASK_NATIVE_ENTER + EAR_QTRACE_NATIVE));
	case EAR_TASK_EXCEPTION:
		return event.numbers[1] > UINT32_MAX
			       ? refuse(writer, event.numbers[1],
					 "this format has addresses of 32 bits")
			       : add_exception(writer,
					 record->flags & EAR_RECORD_HAS_TIME ? record->ticks : 0,
					 (uint32_t)event.numbers[1]);
	default:
		if (event.kind >= EAR_TASK_MARK) /* of these the format has none */
			return 0;
		return push_task(writer, record, &event);
	}
}

uint64_t ear_writer_qtrace_unfit(const struct ear_record *record)
{
	struct ear_task_event event;

	if (record->kind != EAR_RECORD_EVENT ||
		(ear_task_event_parse(&event, record) && event.kind < EAR_TASK_MARK))
		return 0;
	return EAR_FIELD_BIT(EAR_FIELD_EVENT);
}

/* --- The writer --- */

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_qtrace *writer = (struct writer_qtrace *)base;

	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_EVENT)
		return 0;
	if (record->flags & EAR_RECORD_HAS_TIME && record->ticks >> 62)
		return refuse(writer, record->pc, "its time has more than 62 bits");
	int chosen = writer->hart.known && record->hart == writer->hart.hart
			     ? 1
			     : ear_writer_hart_choose(&writer->hart, record);
	if (chosen <= 0)
		return chosen;
	return record->kind == EAR_RECORD_EVENT ? push_event(writer, record)
						: push_instruction(writer, record);
}

static int finish(struct ear_writer *base)
{
	struct writer_qtrace *writer = (struct writer_qtrace *)base;

	if (writer->finished)
		return 0;
	writer->finished = true;
	int result = end_block(writer);
	if (result == 0 && !writer->known[0])
		result = make_task(writer, max(writer->pid_time, 1), 0);
	if (result == 0)
		result = ear_qtrace_save_finish(
			writer->save, max(writer->least, writer->any ? writer->after : 0), 0);
	return result ? result : write_pids(writer);
}

static const char *get_fault(const struct ear_writer *base)
{
	const struct writer_qtrace *writer = (const struct writer_qtrace *)base;

	return writer->fault[0] ? writer->fault : NULL;
}

static const char *next_note(struct ear_writer *base)
{
	static const char *const texts[NOTE_KINDS] = {
		[NOTE_UNTIMED] = "instructions have no time: each takes one clock",
		[NOTE_TICKS] = ("instructions have no time: each takes the emulator's clocks, "
				"without caches"),
		[NOTE_LATER] = "instructions begin later than they did, as the format wants it",
		[NOTE_REMAPPED] = "pids above 32767, or that they took, are others",
		[NOTE_LEFT_OUT] = "programs that pid 0 begins are left out",
	};
	struct writer_qtrace *writer = (struct writer_qtrace *)base;

	while (writer->noted < NOTE_KINDS) {
		unsigned kind = writer->noted++;
		if (writer->notes[kind] == 0)
			continue;
		snprintf(writer->note, sizeof(writer->note), "%" PRIu64 " %s", writer->notes[kind],
			texts[kind]);
		return writer->note;
	}
	return NULL;
}

static void free_writer(struct ear_writer *base)
{
	struct writer_qtrace *writer = (struct writer_qtrace *)base;

	ear_qtrace_save_free(writer->save);
	ear_code_table_free(writer->code);
	free(writer);
}

static uint32_t bcd(int number)
{
	uint32_t value = 0;

	for (unsigned shift = 0; number > 0; shift += 4, number /= 10)
		value |= (uint32_t)(number % 10) << shift;
	return value;
}

/* The time at which the trace is made. */
static void set_dates(struct ear_qtrace_header *header)
{
	struct tm local;
	time_t now;

	bool given = ear_source_date(&now);
	header->start_seconds = (uint32_t)now;
	if (!(given ? gmtime_r(&now, &local) : localtime_r(&now, &local)))
		return;
	header->date =
		bcd((local.tm_year + 1900) * 10000 + (local.tm_mon + 1) * 100 + local.tm_mday);
	header->time = bcd(local.tm_hour * 10000 + local.tm_min * 100 + local.tm_sec);
}

static int open_writer(
	struct ear_writer **writer, int folder, const struct ear_writer_options *options)
{
	struct writer_qtrace *made = calloc(1, sizeof(*made));
	struct ear_qtrace_save_options save = {.raw = false};

	if (!made)
		return EAR_E_NO_MEMORY;
	made->base.push = push;
	made->base.free = free_writer;
	made->folder = folder;
	made->hart = ear_writer_hart(options);
	set_dates(&save.header);
	made->code = ear_code_table_new();
	int result = made->code ? ear_qtrace_save_new(&made->save, folder, &save) : EAR_E_NO_MEMORY;
	if (result) {
		int number = errno;
		free_writer(&made->base);
		errno = number;
		return result;
	}
	*writer = &made->base;
	return 0;
}

const struct ear_writer_folder ear_writer_qtrace_folder = {
	.open = open_writer,
	.finish = finish,
	.fault = get_fault,
	.note = next_note,
};
