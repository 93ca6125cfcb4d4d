/* Calls that have not ended, and those that wait for others. A ring keeps what waits for its end,
 * or for that of an earlier call. Tail calls are found here, since only symbols show them: a jump
 * of the same frame to where another function begins. They are a chain at the call of their frame.
 */
#include "analyses/calls/call_log_open.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/calls/call_log_begun.h"
#include "analyses/calls/call_log_report.h"

#define CACHE  CALL_LOG_CACHE
#define WINDOW EAR_CALL_LOG_WINDOW
#define NONE   UINT64_MAX

/* ---- Names. ---- */

static bool is_cold(const char *name)
{
	const size_t size = strlen(name);

	return size > 5 && strcmp(name + size - 5, ".cold") == 0;
}

const struct call_log_range *call_log_range(struct ear_call_log *log, uint64_t pc)
{
	struct call_log_range *range = &log->cache[(pc >> 1 ^ pc >> 13) & (CACHE - 1)];
	struct ear_function function = {.size = sizeof(function)};

	if (range->used && range->pc == pc)
		return range;
	*range = (struct call_log_range){
		.used = true, .pc = pc, .first = pc, .last = pc, .entry = pc};
	if (log->options.lock)
		pthread_mutex_lock(log->options.lock);
	if (log->names && ear_names_function_at(log->names, pc, &function)) {
		range->named = true;
		range->cold = is_cold(function.name);
		range->first = function.first;
		range->last = function.last;
		range->entry = function.entry;
	}
	if (log->options.lock)
		pthread_mutex_unlock(log->options.lock);
	return range;
}

static bool is_wanted(struct ear_call_log *log, uint64_t entry, uint32_t depth)
{
	if (log->starting || log->skipped || (log->options.depth && depth >= log->options.depth))
		return false;
	if (log->options.entry_count == 0)
		return true;
	for (size_t i = 0; i < log->options.entry_count; i++)
		if (log->options.entries[i] == entry)
			return true;
	return false;
}

/* ---- What waits. ---- */

static void hand_out(struct ear_call_log *log)
{
	struct call_log_waiting *waiting = &log->ring[log->first++ % WINDOW];

	if (!log->failed)
		log->failed = log->options.take(log->options.context, &waiting->call);
}

/* Those that have ended, and all before them. */
static void hand_out_ended(struct ear_call_log *log)
{
	while (!log->options.by_end && log->first < log->next &&
		!log->ring[log->first % WINDOW].open)
		hand_out(log);
}

static void read_at(
	const struct ear_call_log *log, struct ear_call_bytes *bytes, bool known, uint64_t address)
{
	bytes->address = known ? address : 0;
	bytes->known = known ? ear_recent_memory_get(log->recent, address, bytes->bytes) : 0;
}

static void read_before(const struct ear_call_log *log, struct ear_call_memory *memory,
	const struct call_log_hart *hart)
{
	for (unsigned i = 0; i < 8; i++)
		read_at(log, &memory->arguments[i], hart->registers.known >> i & 1,
			hart->registers.x[i]);
	read_at(log, &memory->stack, hart->sp_known, hart->sp);
	memory->result.known = 0;
}

/* The last record of the hart that was taken is the last one of the call. */
static void fill_in(struct ear_call_log *log, const struct call_log_open *open,
	const struct call_log_hart *hart, enum ear_call_log_end end)
{
	struct ear_call_log_call *call = log->options.by_end
						 ? &log->ending[open - log->open]
						 : &log->ring[open->sequence % WINDOW].call;

	call->end = (uint8_t)end;
	call->records = hart->records - open->records;
	call->last = call->records ? hart->last : call->number;
	call->has_clocks = open->timed && hart->timed && hart->ticks >= open->ticks;
	call->clocks = call->has_clocks ? hart->ticks - open->ticks : 0;
	log->facts.has_time |= call->has_clocks;
	if (log->registers) {
		log->registers[2 * (open->sequence % WINDOW) + 1] = hart->registers;
		read_at(log, &log->memory[open->sequence % WINDOW].result,
			hart->registers.known & 1, hart->registers.x[0]);
	}
}

/* Of one that waits and has not ended. */
static void fill_in_waiting(
	struct ear_call_log *log, struct call_log_waiting *waiting, enum ear_call_log_end end)
{
	const struct call_log_hart *hart = call_log_hart(log, waiting->call.hart);

	if (hart && waiting->open)
		fill_in(log, &log->open[waiting->open], hart, end);
}

/* Returns the sequence of a call that is to be handed out. */
static uint64_t wait_for(struct ear_call_log *log, const struct ear_call_log_call *call,
	const struct call_log_hart *hart, uint32_t open)
{
	if (log->next - log->first == WINDOW) {
		fill_in_waiting(log, &log->ring[log->first % WINDOW], EAR_CALL_LOG_WAITED);
		hand_out(log);
		hand_out_ended(log);
	}
	const uint64_t sequence = log->next++;
	struct call_log_waiting *waiting = &log->ring[sequence % WINDOW];
	*waiting = (struct call_log_waiting){.call = *call, .open = open};
	if (log->registers) {
		struct ear_call_registers *registers = &log->registers[2 * (sequence % WINDOW)];
		registers[0] = hart->registers;
		waiting->call.before = &registers[0];
		waiting->call.after = &registers[1];
		waiting->call.memory = &log->memory[sequence % WINDOW];
		read_before(log, &log->memory[sequence % WINDOW], hart);
	}
	log->facts.calls++;
	return sequence;
}

/* ---- What is open. ---- */

static uint32_t make_open(struct ear_call_log *log)
{
	uint32_t number = log->open_free;

	if (number) {
		log->open_free = log->open[number].older;
		return number;
	}
	if (log->open_count + 2 > log->open_capacity) {
		uint32_t capacity = log->open_capacity ? 2 * log->open_capacity : 64;
		struct call_log_open *open = realloc(log->open, capacity * sizeof(*open));
		if (!open)
			return 0;
		log->open = open;
		if (log->options.by_end) {
			struct ear_call_log_call *ending =
				realloc(log->ending, capacity * sizeof(*ending));
			if (!ending)
				return 0;
			log->ending = ending;
		}
		log->open_capacity = capacity;
	}
	return ++log->open_count;
}

uint32_t call_log_depth(const struct ear_call_log *log, uint32_t mark)
{
	return mark ? log->open[log->open[mark].newest].depth + 1 : 0;
}

uint32_t call_log_begin(struct ear_call_log *log, const struct call_log_hart *hart,
	const struct ear_call_log_call *call, uint64_t position)
{
	const uint32_t number = make_open(log);

	if (number == 0) {
		log->failed = EAR_E_NO_MEMORY;
		return 0;
	}
	struct ear_call_log_call own = *call;
	uint64_t sequence = NONE;

	own.function = call_log_range(log, call->entry)->entry;
	if (is_wanted(log, own.function, own.depth)) {
		if (log->options.by_end) {
			log->ending[number] = own;
			sequence = log->next++;
			log->facts.calls++;
		} else {
			sequence = wait_for(log, &own, hart, number);
		}
	}
	log->open[number] = (struct call_log_open){.position = position,
		.hart = call->hart,
		.used = true,
		.sequence = sequence,
		.records = hart->records,
		.ticks = hart->ticks,
		.timed = hart->timed,
		.depth = call->depth,
		.newest = number,
		.length = 1};
	return number;
}

static void end_call(struct ear_call_log *log, uint32_t number, const struct call_log_hart *hart,
	enum ear_call_log_end end)
{
	struct call_log_open *open = &log->open[number];

	if (log->options.by_end && open->sequence != NONE) {
		fill_in(log, open, hart, end);
		if (!log->failed)
			log->failed = log->options.take(log->options.context, &log->ending[number]);
	} else if (open->sequence != NONE && open->sequence >= log->first) {
		fill_in(log, open, hart, end);
		log->ring[open->sequence % WINDOW].open = 0;
	}
	open->sequence = NONE;
	open->used = false;
	open->older = log->open_free;
	log->open_free = number;
}

void call_log_end(struct ear_call_log *log, uint32_t mark, const struct call_log_hart *hart,
	enum ear_call_log_end end)
{
	for (uint32_t at = log->open[mark].newest; at != mark;) {
		const uint32_t older = log->open[at].older;
		end_call(log, at, hart, end);
		at = older;
	}
	end_call(log, mark, hart, end);
	hand_out_ended(log);
}

/* ---- Frames. ---- */

struct call_log_hart *call_log_hart(struct ear_call_log *log, uint16_t number)
{
	if (log->newest_hart < log->hart_count && log->harts[log->newest_hart].number == number)
		return &log->harts[log->newest_hart];
	for (size_t i = 0; i < log->hart_count; i++)
		if (log->harts[i].number == number) {
			log->newest_hart = i;
			return &log->harts[i];
		}
	struct call_log_hart *harts = realloc(log->harts, (log->hart_count + 1) * sizeof(*harts));
	if (!harts)
		return NULL;
	log->harts = harts;
	log->newest_hart = log->hart_count++;
	harts[log->newest_hart] = (struct call_log_hart){.number = number};
	if (log->is_part) /* no address is in it, so the first record arrives */
		harts[log->newest_hart].range.first = harts[log->newest_hart].range.last = NONE;
	return &harts[log->newest_hart];
}

/* A jump that does not link: jal, jalr, c.j, c.jr. */
static bool is_jump(uint32_t opcode)
{
	if ((opcode & 3) == 3)
		return (opcode & 0xfff) == 0x06f || (opcode & 0xfff) == 0x067;
	return (opcode & 0xe003) == 0xa001 || ((opcode & 0xf07f) == 0x8002 && opcode & 0xf80);
}

/* The hart has jumped from its function to where another one begins. */
void call_log_tail(struct ear_call_log *log, struct call_log_hart *hart, uint32_t mark,
	uint64_t call_pc, uint64_t pc)
{
	if (call_log_reports(log, mark)) {
		call_log_report_tail(log, hart, mark, call_pc, pc);
		return;
	}
	mark -= log->active;
	const uint32_t newest = log->open[mark].newest;
	const struct ear_call_log_call call = {.hart = hart->number,
		.kind = EAR_CALL_LOG_TAIL,
		.xlen = hart->xlen,
		.depth = log->open[newest].depth + 1,
		.number = hart->last,
		.entry = pc,
		.call_pc = call_pc};
	uint32_t older = newest;

	if (log->open[mark].length > EAR_CALL_LOG_TAILS) { /* it takes the place of the last one */
		older = log->open[newest].older;
		log->open[mark].newest = older;
		log->open[mark].length--;
		end_call(log, newest, hart, EAR_CALL_LOG_UNWOUND);
	}
	const uint32_t made = call_log_begin(log, hart, &call, NONE);
	if (made == 0)
		return;
	log->open[made].older = older;
	log->open[made].below = log->active + mark;
	log->open[mark].newest = made;
	log->open[mark].length++;
}

void call_log_arrive(struct ear_call_log *log, struct call_log_hart *hart, uint32_t mark,
	uint64_t from, uint64_t pc)
{
	const struct call_log_range *range = call_log_range(log, pc);

	if (log->is_part && !hart->begun) /* a frame that was entered here had no record before */
		call_log_report_first(log, hart, call_log_reports(log, mark) ? mark : 0, pc);
	else if (mark && mark == hart->mark && range->named && hart->range.named &&
		 pc == range->entry && range->entry != hart->range.entry && !range->cold &&
		 is_jump(hart->opcode))
		call_log_tail(log, hart, mark, from, pc);
	hart->begun = true;
	hart->range = *range;
}

/* ---- The end. ---- */

static void close_by_end(struct ear_call_log *log)
{
	size_t count;
	struct call_log_begun *list = call_log_list_begun(log, &count);

	if (!list)
		log->failed = EAR_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		const uint32_t number = list[i].number;
		const struct call_log_hart *hart = call_log_hart(log, log->ending[number].hart);
		if (hart)
			end_call(log, number, hart, EAR_CALL_LOG_OPEN);
	}
	free(list);
}

void call_log_close(struct ear_call_log *log)
{
	if (log->options.by_end)
		close_by_end(log);
	while (!log->options.by_end && log->first < log->next) {
		fill_in_waiting(log, &log->ring[log->first % WINDOW], EAR_CALL_LOG_OPEN);
		hand_out(log);
	}
}
