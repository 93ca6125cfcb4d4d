/* Blocks of the heap: events of it, or arguments where a function of the malloc family is entered,
 * its result where the call has returned, with the same sp; that of posix_memalign is what it
 * stored last. What such a function calls of the family itself is a part of it.
 *
 * A call is its stack's: a task may return from it in another hart, which came to the stack later.
 */
#include "analyses/memory/memory_part.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/task_event.h>

#define NO_ENTRY UINT8_MAX /* of what an event said */

/* ---- Blocks. ---- */

static uint32_t *slot_of(struct ear_usage *memory, uint64_t address)
{
	const struct ear_numbering *table = &memory->block_numbers;
	uint32_t at = ear_numbering_first(table, ear_numbering_hash(address, 2));

	while (table->places[at] && memory->blocks[table->places[at] - 1].address != address)
		at = ear_numbering_next(table, at);
	return &table->places[at];
}

static struct heap_block *find_block(struct ear_usage *memory, uint64_t address)
{
	if (memory->block_count == 0)
		return NULL;
	const uint32_t number = *slot_of(memory, address);
	return number ? &memory->blocks[number - 1] : NULL;
}

static void forget(struct ear_usage *memory, struct heap_block *block)
{
	block->is_live = false;
	if (!block->counts)
		return;
	memory->facts.live--;
	memory->facts.live_bytes -= block->size;
}

static void allocated(
	struct ear_usage *memory, const struct heap_call *call, uint64_t address, uint64_t size)
{
	bool again;

	if (memory->dry)
		return;
	memory->facts.allocations += !memory->muted;
	void *grown = ear_numbering_grow(&memory->block_numbers, memory->blocks,
		sizeof(*memory->blocks), memory->block_count, &again);
	if (!grown) {
		memory->failed = true;
		return;
	}
	memory->blocks = grown;
	for (uint32_t i = 0; again && i < memory->block_count; i++)
		*slot_of(memory, memory->blocks[i].address) = i + 1;
	uint32_t *slot = slot_of(memory, address);
	if (*slot == 0) {
		if (memory->block_count == EAR_USAGE_BLOCKS_MAX) {
			memory->facts.blocks_lost++;
			return;
		}
		memory->blocks[memory->block_count] = (struct heap_block){.address = address};
		*slot = ++memory->block_count;
	}
	struct heap_block *block = &memory->blocks[*slot - 1];
	if (block->is_live) /* its free was not seen */
		forget(memory, block);
	block->size = size;
	block->caller = call->return_pc;
	block->record = call->record;
	block->hart = call->hart;
	block->entry = call->entry;
	block->is_live = true;
	block->counts = !memory->muted;
	if (memory->muted)
		return;
	memory->facts.live++;
	memory->facts.live_bytes += size;
	if (memory->facts.live_bytes > memory->facts.peak_bytes) {
		memory->facts.peak_bytes = memory->facts.live_bytes;
		memory->facts.peak_record = memory->number;
	}
}

static void blame(struct ear_usage *memory, unsigned fault, const struct heap_call *call,
	uint64_t address, uint64_t bytes)
{
	struct ear_usage_site *site =
		ear_usage_site(memory, fault, call->return_pc != 0, call->return_pc, call->hart);

	if (!site)
		return;
	site->bytes += bytes;
	if (site->count == 1) {
		site->address = address;
		site->has_address = true;
		site->first = call->record;
	}
}

static void freed(struct ear_usage *memory, const struct heap_call *call, uint64_t address)
{
	struct heap_block *block = find_block(memory, address);

	if (address == 0 || memory->dry)
		return;
	memory->facts.frees += !memory->muted;
	if (block && block->is_live)
		forget(memory, block);
	else if (block)
		blame(memory, EAR_USAGE_DOUBLE_FREE, call, address, block->size);
	else if (memory->facts.blocks_lost == 0 && memory->facts.gaps == 0)
		blame(memory, EAR_USAGE_UNKNOWN_FREE, call, address, 0);
}

/* ---- Calls. ---- */

static uint64_t size_of(const struct heap_call *call, unsigned kind)
{
	switch (kind) {
	case MEMORY_HEAP_CALLOC: return call->a0 * call->a1;
	case MEMORY_HEAP_REALLOC:
	case MEMORY_HEAP_MEMALIGN: return call->a1;
	case MEMORY_HEAP_POSIX: return call->a2;
	default: return call->a0;
	}
}

static void returned(
	struct ear_usage *memory, const struct memory_hart *hart, const struct heap_call *call)
{
	const unsigned kind = memory->entries[call->entry].kind;
	const uint64_t size = size_of(call, kind), result = hart->x[10];

	if (kind == MEMORY_HEAP_FREE || !(hart->known >> 10 & 1) || memory->has_events)
		return;
	if (kind == MEMORY_HEAP_POSIX) {
		if (result == 0 && call->stored)
			allocated(memory, call, call->stored, size);
		else if (result != 0)
			memory->facts.failed += !memory->muted;
		return;
	}
	if (result == 0) {
		if (kind == MEMORY_HEAP_REALLOC && size == 0)
			freed(memory, call, call->a0);
		else
			memory->facts.failed += !memory->muted;
		return;
	}
	if (kind == MEMORY_HEAP_REALLOC)
		freed(memory, call, call->a0);
	allocated(memory, call, result, size);
}

static bool belongs(const struct heap_call *call, const struct memory_hart *hart)
{
	return call->stack == hart->stack &&
	       (call->hart == hart->number || (call->stack != NONE && call->record < hart->since));
}

static bool is_inside(const struct ear_usage *memory, const struct memory_hart *hart)
{
	for (uint32_t i = 0; i < memory->call_count; i++)
		if (belongs(&memory->calls[i], hart))
			return true;
	return false;
}

static void entered(struct ear_usage *memory, const struct memory_hart *hart,
	const struct memory_step *step, uint8_t entry)
{
	const unsigned first = 10u + memory->entries[entry].first;
	const uint32_t needed = 1u << 1 | 1u << 2 | 1u << first;
	const struct heap_call call = {
		.return_pc = hart->x[1],
		.sp = hart->x[2],
		.a0 = hart->x[first],
		.a1 = hart->x[first + 1],
		.a2 = hart->x[first + 2],
		.record = memory->number,
		.stack = hart->stack,
		.hart = step->hart,
		.entry = entry,
	};

	if ((hart->known & needed) != needed || is_inside(memory, hart))
		return;
	if (memory->entries[entry].kind == MEMORY_HEAP_FREE && !memory->has_events)
		freed(memory, &call, call.a0);
	/* One that never returned, by longjmp, makes room. */
	if (memory->call_count == HEAP_CALLS_MAX)
		memmove(memory->calls, memory->calls + 1,
			--memory->call_count * sizeof(memory->calls[0]));
	memory->calls[memory->call_count++] = call;
}

/* A call that sp has left has not returned in order. */
static void leave(
	struct ear_usage *memory, const struct memory_hart *hart, const struct memory_step *step)
{
	for (uint32_t i = 0; i < memory->call_count; i++) {
		const struct heap_call call = memory->calls[i];
		const bool is_back = call.return_pc == step->pc && call.sp == hart->x[2];
		const bool is_left = hart->x[2] > call.sp;
		if ((!is_back && !is_left) || !belongs(&call, hart))
			continue;
		memory->calls[i--] = memory->calls[--memory->call_count];
		if (is_back)
			returned(memory, hart, &call);
	}
}

void ear_usage_heap_store(struct ear_usage *memory, uint16_t hart, uint64_t address, uint64_t value)
{
	if (memory->part) {
		ear_usage_report_store(memory, hart, address, value);
		return;
	}
	for (uint32_t i = 0; i < memory->call_count; i++) {
		struct heap_call *call = &memory->calls[i];
		if (memory->entries[call->entry].kind == MEMORY_HEAP_POSIX && call->hart == hart &&
			call->a0 == address)
			call->stored = value;
	}
}

void ear_usage_heap_step(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	if (memory->part) {
		ear_usage_report_step(memory, hart, step);
		return;
	}
	leave(memory, hart, step);
	const uint32_t entry = ear_usage_heap_entry(memory, step->pc);
	if (entry != NONE)
		entered(memory, hart, step, (uint8_t)entry);
}

/* ---- Events: from the first one on, functions say only whose call it is. ---- */

static const struct heap_call *find_call(
	const struct ear_usage *memory, const struct memory_hart *hart)
{
	for (uint32_t i = 0; hart && i < memory->call_count; i++)
		if (belongs(&memory->calls[i], hart))
			return &memory->calls[i];
	return NULL;
}

void ear_usage_heap_event(struct ear_usage *memory, const struct memory_heap_event *event)
{
	const struct memory_hart *hart =
		event->hart < memory->hart_count ? memory->harts[event->hart] : NULL;
	const struct heap_call *open = find_call(memory, hart);
	const bool is_first = !memory->has_events;
	const uint64_t number = memory->number;
	const struct heap_call call = {
		.return_pc = open                           ? open->return_pc
			     : hart && hart->known >> 1 & 1 ? hart->x[1]
							    : 0,
		.record = event->record,
		.hart = event->hart,
		.entry = open ? open->entry : NO_ENTRY,
	};

	memory->has_events = true;
	memory->number = event->record;
	if (event->kind == EAR_TASK_MALLOC)
		allocated(memory, &call, event->address, event->size);
	else if (event->kind == EAR_TASK_FREE && !(is_first && open)) /* else it counted */
		freed(memory, &call, event->address);
	memory->number = number;
}

/* ear_tasks_event */
int ear_usage_take_event(void *count, const struct ear_record *record)
{
	struct ear_usage *memory = count;
	struct ear_task_event event;

	if (!ear_task_event_read(&event, record) ||
		(event.kind != EAR_TASK_MALLOC && event.kind != EAR_TASK_FREE &&
			event.kind != EAR_TASK_LIBC_INIT))
		return 0;
	const struct memory_heap_event made = {.kind = (uint8_t)event.kind,
		.address = event.numbers[1],
		.size = event.kind == EAR_TASK_MALLOC ? event.numbers[2] : 0,
		/* It is before the record that comes next. */
		.record = memory->started ? memory->number + 1 : 0,
		.hart = record->hart};
	if (memory->part)
		ear_usage_report_event(memory, &made);
	else
		ear_usage_heap_event(memory, &made);
	return memory->failed ? EAR_E_NO_MEMORY : 0;
}

/* ---- What is left. ---- */

void ear_usage_heap_end(struct ear_usage *memory)
{
	memory->muted = false;
	for (uint32_t i = 0; i < memory->block_count; i++) {
		const struct heap_block *block = &memory->blocks[i];
		const struct heap_call call = {
			.return_pc = block->caller, .record = block->record, .hart = block->hart};
		if (block->is_live && block->counts)
			blame(memory, EAR_USAGE_LEAK, &call, block->address, block->size);
	}
}

static int compare(const void *a, const void *b)
{
	const struct ear_usage_block *one = a, *other = b;

	if (one->size != other->size)
		return one->size < other->size ? 1 : -1;
	return one->record < other->record ? -1 : one->record > other->record;
}

struct ear_usage_block *ear_usage_blocks(const struct ear_usage *memory, size_t *count)
{
	struct ear_usage_block *list = calloc(memory->block_count + UINT32_C(1), sizeof(*list));

	*count = 0;
	for (uint32_t i = 0; list && i < memory->block_count; i++) {
		const struct heap_block *block = &memory->blocks[i];
		if (block->is_live && block->counts)
			list[(*count)++] = (struct ear_usage_block){block->address, block->size,
				block->caller, block->record, block->hart,
				block->entry == NO_ENTRY ? "malloc"
							 : memory->entries[block->entry].name};
	}
	if (list)
		qsort(list, *count, sizeof(*list), compare);
	return list;
}
