/* Calls in the order of their begin. Frames come and go as ear_calls says; each has a mark, the
 * number of its call in a table of those that are open. Tail calls are found here, since only
 * symbols show them: a jump of the same frame to where another function begins. They are a chain at
 * the call of their frame. A ring keeps what waits for its end, or for that of an earlier call.
 */
#include "analyses/call_log.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

#define CACHE      4096u /* a power of two */
#define WINDOW     EAR_CALL_LOG_WINDOW
#define HARTS_KEPT 256u /* whose registers are asked for at a moment */
#define NONE       UINT64_MAX

/* The addresses around one that are of the same function. */
struct range {
	uint64_t pc; /* that was asked for */
	uint64_t first, last, entry;
	bool used, named, cold;
};

struct hart {
	uint16_t number;
	uint8_t xlen;
	bool timed; /* of its last record: */
	uint64_t ticks;
	uint64_t last; /* its number, */
	uint32_t opcode, mark;
	uint64_t records;
	struct range range; /* and the function that it is in */
	struct ear_call_registers registers;
	bool sp_known;
	uint64_t sp;
};

/* A call that has not ended. Open ones are numbered from 1, so that 0 is none. */
struct open {
	uint64_t sequence; /* among those that are handed out; NONE */
	uint64_t records, ticks;
	bool timed;
	uint32_t depth;
	uint32_t newest; /* of the first of a chain: the newest of it */
	uint32_t older;  /* of others: the one before; of a free one: the next free one */
	uint32_t length; /* of the first: how many the chain has */
};

struct waiting {
	struct ear_call_log_call call;
	uint32_t open; /* its number there; 0: it has ended */
};

struct ear_call_log {
	struct ear_call_log_options options;
	struct ear_names *names;
	struct ear_calls *calls;
	const struct ear_batch *batch;
	struct ear_call_log_facts facts;
	int failed;
	uint32_t task; /* that runs now */
	bool starting;

	struct hart *harts;
	size_t hart_count, newest_hart;
	struct range cache[CACHE];

	struct open *open; /* from 1 */
	uint32_t open_count, open_capacity, open_free;

	struct ear_call_log_call *ending;     /* by_end: the calls that are open */
	struct waiting *ring;                 /* by sequence */
	uint64_t first, next;                 /* sequences: the oldest that waits; the next one */
	struct ear_call_registers *registers; /* 2 a place of the ring */
	struct ear_call_memory *memory;       /* 1 a place of it */
	struct ear_recent_memory *recent;
};

/* ---- Names. ---- */

static bool is_cold(const char *name)
{
	const size_t size = strlen(name);

	return size > 5 && strcmp(name + size - 5, ".cold") == 0;
}

static const struct range *range_of(struct ear_call_log *log, uint64_t pc)
{
	struct range *range = &log->cache[(pc >> 1 ^ pc >> 13) & (CACHE - 1)];
	struct ear_function function = {.size = sizeof(function)};

	if (range->used && range->pc == pc)
		return range;
	*range = (struct range){.used = true, .pc = pc, .first = pc, .last = pc, .entry = pc};
	if (log->names && ear_names_function_at(log->names, pc, &function)) {
		range->named = true;
		range->cold = is_cold(function.name);
		range->first = function.first;
		range->last = function.last;
		range->entry = function.entry;
	}
	return range;
}

static bool is_wanted(struct ear_call_log *log, uint64_t entry, uint32_t depth)
{
	if (log->starting || (log->options.depth && depth >= log->options.depth))
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
	struct waiting *waiting = &log->ring[log->first++ % WINDOW];

	if (!log->failed)
		log->failed = log->options.take(log->options.context, &waiting->call);
}

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

static void read_before(
	const struct ear_call_log *log, struct ear_call_memory *memory, const struct hart *hart)
{
	for (unsigned i = 0; i < 8; i++)
		read_at(log, &memory->arguments[i], hart->registers.known >> i & 1,
			hart->registers.x[i]);
	read_at(log, &memory->stack, hart->sp_known, hart->sp);
	memory->result.known = 0;
}

/* The last record of the hart that was taken is the last one of the call. */
static void fill_in(struct ear_call_log *log, const struct open *open, const struct hart *hart,
	enum ear_call_log_end end)
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

static struct hart *find_hart(struct ear_call_log *log, uint16_t number);

/* Of one that waits and has not ended. */
static void fill_in_waiting(
	struct ear_call_log *log, struct waiting *waiting, enum ear_call_log_end end)
{
	const struct hart *hart = find_hart(log, waiting->call.hart);

	if (hart && waiting->open)
		fill_in(log, &log->open[waiting->open], hart, end);
}

/* Returns the sequence of a call that is to be handed out. */
static uint64_t wait_for(struct ear_call_log *log, const struct ear_call_log_call *call,
	const struct hart *hart, uint32_t open)
{
	if (log->next - log->first == WINDOW) {
		fill_in_waiting(log, &log->ring[log->first % WINDOW], EAR_CALL_LOG_WAITED);
		hand_out(log);
		hand_out_ended(log);
	}
	const uint64_t sequence = log->next++;
	struct waiting *waiting = &log->ring[sequence % WINDOW];
	*waiting = (struct waiting){.call = *call, .open = open};
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
		struct open *open = realloc(log->open, capacity * sizeof(*open));
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

static uint32_t depth_above(const struct ear_call_log *log, uint32_t mark)
{
	return mark ? log->open[log->open[mark].newest].depth + 1 : 0;
}

/* Begin a call. Returns its number; 0 if memory is short, which is said later. */
static uint32_t begin_call(
	struct ear_call_log *log, const struct hart *hart, const struct ear_call_log_call *call)
{
	const uint32_t number = make_open(log);

	if (number == 0) {
		log->failed = EAR_E_NO_MEMORY;
		return 0;
	}
	struct ear_call_log_call own = *call;
	uint64_t sequence = NONE;

	own.function = range_of(log, call->entry)->entry;
	if (is_wanted(log, own.function, own.depth)) {
		if (log->options.by_end) {
			log->ending[number] = own;
			sequence = log->next++;
			log->facts.calls++;
		} else {
			sequence = wait_for(log, &own, hart, number);
		}
	}
	log->open[number] = (struct open){.sequence = sequence,
		.records = hart->records,
		.ticks = hart->ticks,
		.timed = hart->timed,
		.depth = call->depth,
		.newest = number,
		.length = 1};
	return number;
}

static void end_call(struct ear_call_log *log, uint32_t number, const struct hart *hart,
	enum ear_call_log_end end)
{
	struct open *open = &log->open[number];

	if (log->options.by_end && open->sequence != NONE) {
		fill_in(log, open, hart, end);
		if (!log->failed)
			log->failed = log->options.take(log->options.context, &log->ending[number]);
	} else if (open->sequence != NONE && open->sequence >= log->first) {
		fill_in(log, open, hart, end);
		log->ring[open->sequence % WINDOW].open = 0;
	}
	open->sequence = NONE;
	open->older = log->open_free;
	log->open_free = number;
}

/* ---- Frames. ---- */

static struct hart *find_hart(struct ear_call_log *log, uint16_t number)
{
	if (log->newest_hart < log->hart_count && log->harts[log->newest_hart].number == number)
		return &log->harts[log->newest_hart];
	for (size_t i = 0; i < log->hart_count; i++)
		if (log->harts[i].number == number) {
			log->newest_hart = i;
			return &log->harts[i];
		}
	struct hart *harts = realloc(log->harts, (log->hart_count + 1) * sizeof(*harts));
	if (!harts)
		return NULL;
	log->harts = harts;
	log->newest_hart = log->hart_count++;
	harts[log->newest_hart] = (struct hart){.number = number};
	return &harts[log->newest_hart];
}

/* The number of the record that entered the frame. */
static uint64_t number_of(
	const struct ear_call_log *log, const struct hart *hart, uint64_t position)
{
	return log->batch && position >= log->batch->position
		       ? log->batch->number + (position - log->batch->position)
		       : hart->last;
}

static uint32_t entered(void *context, const struct ear_call_change *change)
{
	static const uint8_t kinds[] = {[EAR_FRAME_CALL] = EAR_CALL_LOG_CALL,
		[EAR_FRAME_TRAP] = EAR_CALL_LOG_TRAP,
		[EAR_FRAME_INTERRUPT] = EAR_CALL_LOG_INTERRUPT};
	struct ear_call_log *log = context;
	const struct hart *hart = find_hart(log, change->hart);

	if (!hart) {
		log->failed = EAR_E_NO_MEMORY;
		return 0;
	}
	const struct ear_call_log_call call = {.hart = change->hart,
		.kind = kinds[change->frame.kind & 3],
		.xlen = hart->xlen,
		.depth = depth_above(log, change->below),
		.number = number_of(log, hart, change->position),
		.entry = change->frame.entry,
		.call_pc = change->frame.call_pc,
		.task = log->task};
	return begin_call(log, hart, &call);
}

static void left(void *context, const struct ear_call_change *change)
{
	static const enum ear_call_log_end ends[] = {[EAR_CALL_RETURNED] = EAR_CALL_LOG_RETURNED,
		[EAR_CALL_UNWOUND] = EAR_CALL_LOG_UNWOUND,
		[EAR_CALL_FORGOTTEN] = EAR_CALL_LOG_FORGOTTEN};
	struct ear_call_log *log = context;
	const struct hart *hart = find_hart(log, change->hart);

	if (!hart || change->mark == 0)
		return;
	for (uint32_t at = log->open[change->mark].newest; at != change->mark;) {
		const uint32_t older = log->open[at].older;
		end_call(log, at, hart, ends[change->end]);
		at = older;
	}
	end_call(log, change->mark, hart, ends[change->end]);
	hand_out_ended(log);
}

/* ---- Records. ---- */

/* A jump that does not link: jal, jalr, c.j, c.jr. */
static bool is_jump(uint32_t opcode)
{
	if ((opcode & 3) == 3)
		return (opcode & 0xfff) == 0x06f || (opcode & 0xfff) == 0x067;
	return (opcode & 0xe003) == 0xa001 || ((opcode & 0xf07f) == 0x8002 && opcode & 0xf80);
}

/* The hart has jumped from its function to where another one begins. */
static void tail_call(struct ear_call_log *log, struct hart *hart, uint64_t call_pc, uint64_t pc)
{
	const uint32_t mark = hart->mark, newest = log->open[mark].newest;
	const struct ear_call_log_call call = {.hart = hart->number,
		.kind = EAR_CALL_LOG_TAIL,
		.xlen = hart->xlen,
		.depth = log->open[newest].depth + 1,
		.number = hart->last,
		.entry = pc,
		.call_pc = call_pc,
		.task = log->task};
	uint32_t older = newest;

	if (log->open[mark].length > EAR_CALL_LOG_TAILS) { /* it takes the place of the last one */
		older = log->open[newest].older;
		log->open[mark].newest = older;
		log->open[mark].length--;
		end_call(log, newest, hart, EAR_CALL_LOG_UNWOUND);
	}
	const uint32_t made = begin_call(log, hart, &call);
	if (made == 0)
		return;
	log->open[made].older = older;
	log->open[mark].newest = made;
	log->open[mark].length++;
}

static void arrive(
	struct ear_call_log *log, struct hart *hart, uint32_t mark, uint64_t from, uint64_t pc)
{
	const struct range *range = range_of(log, pc);

	if (mark && mark == hart->mark && range->named && hart->range.named && pc == range->entry &&
		range->entry != hart->range.entry && !range->cold && is_jump(hart->opcode))
		tail_call(log, hart, from, pc);
	hart->range = *range;
}

static void keep_register(struct hart *hart, const struct ear_record_register *reg)
{
	const unsigned number = reg->number - 10u;

	if (reg->reg_class == EAR_REGISTER_X && reg->number == 2) {
		hart->sp = reg->value;
		hart->sp_known = true;
	}
	if (number >= 8)
		return;
	if (reg->reg_class == EAR_REGISTER_X) {
		hart->registers.x[number] = reg->value;
		hart->registers.known |= 1u << number;
	} else if (reg->reg_class == EAR_REGISTER_F) {
		hart->registers.f[number] = reg->value;
		hart->registers.known |= 256u << number;
	}
}

static void take_record(
	struct ear_call_log *log, struct hart *hart, uint32_t mark, const struct ear_record *record)
{
	if (log->names && record->pc - hart->range.first > hart->range.last - hart->range.first)
		arrive(log, hart, mark, hart->range.pc, record->pc);
	hart->range.pc = record->pc;
	for (size_t i = 0; i < record->register_count; i++)
		keep_register(hart, &record->registers[i]);
	for (size_t i = 0; i < record->memory_count && log->recent; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (!access->masked && !access->aborted &&
			(access->write || ear_access_is_known(access)))
			ear_recent_memory_put(log->recent, access->address, access->size,
				access->value, ear_access_is_known(access));
	}
	hart->opcode =
		record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)
			? 0
			: (uint32_t)record->opcode;
	hart->timed = record->flags & EAR_RECORD_HAS_TIME;
	hart->ticks = record->ticks;
	hart->mark = mark;
	hart->records++;
}

static void take_run(struct ear_call_log *log, struct hart *hart, uint32_t mark,
	const struct ear_batch *batch, size_t first, size_t end)
{
	const struct ear_compact_record *compacts = batch->compacts;

	for (size_t i = first; i < end; i++) {
		const struct ear_compact_record *record = &compacts[i];
		if (log->names &&
			record->pc - hart->range.first > hart->range.last - hart->range.first) {
			if (i > first) {
				hart->last = batch->number + i - 1;
				hart->timed =
					i == 1 ? batch->run->first_timed : batch->run->all_timed;
				hart->ticks = batch->run->ticks + compacts[i - 1].ticks;
			}
			arrive(log, hart, mark, hart->range.pc, record->pc);
		}
		hart->range.pc = record->pc;
		if (record->rd - 10u < 8) {
			hart->registers.x[record->rd - 10u] = record->result;
			hart->registers.known |= 1u << (record->rd - 10u);
		} else if (record->rd == 2) {
			hart->sp = record->result;
			hart->sp_known = true;
		}
		if (log->recent && record->size != EAR_COMPACT_NO_ACCESS)
			ear_recent_memory_put(
				log->recent, record->address, record->size, record->data, true);
		hart->opcode = record->opcode;
		hart->mark = mark;
		hart->records++;
	}
	hart->timed = end == 1 ? batch->run->first_timed : batch->run->all_timed;
	hart->ticks = batch->run->ticks + compacts[end - 1].ticks;
}

/* ear_calls_take. */
static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	struct ear_call_log *log = context;
	struct hart *hart = find_hart(log, batch->run ? batch->run->hart : batch->record->hart);

	if (!hart)
		return EAR_E_NO_MEMORY;
	const uint32_t mark = path ? ear_calls_mark(log->calls, hart->number) : 0;
	hart->xlen = batch->run ? batch->run->xlen : batch->record->xlen;
	log->facts.records += count;
	log->facts.pathless += path ? 0 : count;
	if (batch->run)
		take_run(log, hart, mark, batch, first, first + count);
	else
		take_record(log, hart, mark, batch->record);
	hart->last = batch->number + first + count - 1;
	return log->failed;
}

/* ---- The whole. ---- */

int ear_call_log_new(struct ear_call_log **log_out, struct ear_names *names,
	const struct ear_call_log_options *options)
{
	struct ear_call_log *log = calloc(1, sizeof(*log));

	if (!log)
		return EAR_E_NO_MEMORY;
	const struct ear_calls_watch watch = {
		.size = sizeof(watch), .entered = entered, .left = left, .context = log};
	log->options = *options;
	log->names = names;
	log->ring = calloc(options->by_end ? 1 : WINDOW, sizeof(*log->ring));
	if (options->registers) {
		log->registers = calloc(2 * (size_t)WINDOW, sizeof(*log->registers));
		log->memory = calloc(WINDOW, sizeof(*log->memory));
		log->recent = calloc(1, sizeof(*log->recent));
	}
	if (!log->ring ||
		(options->registers && (!log->registers || !log->memory || !log->recent)) ||
		ear_calls_new(&log->calls, NULL) != 0 ||
		ear_calls_set_watch(log->calls, &watch) != 0) {
		ear_call_log_free(log);
		return EAR_E_NO_MEMORY;
	}
	*log_out = log;
	return 0;
}

void ear_call_log_free(struct ear_call_log *log)
{
	if (!log)
		return;
	ear_calls_free(log->calls);
	free(log->harts);
	free(log->open);
	free(log->ending);
	free(log->ring);
	free(log->registers);
	free(log->memory);
	free(log->recent);
	free(log);
}

static int start_registers(struct ear_call_log *log, struct ear_moment *moment)
{
	for (uint16_t number = 0; number < HARTS_KEPT; number++) {
		struct ear_call_registers registers = {.known = 0};
		for (unsigned i = 0; i < 8; i++) {
			if (ear_moment_register(
				    moment, number, EAR_REGISTER_X, 10 + i, &registers.x[i]))
				registers.known |= 1u << i;
			if (ear_moment_register(
				    moment, number, EAR_REGISTER_F, 10 + i, &registers.f[i]))
				registers.known |= 256u << i;
		}
		uint64_t sp = 0;
		const bool has_sp = ear_moment_register(moment, number, EAR_REGISTER_X, 2, &sp);
		struct hart *hart = registers.known ? find_hart(log, number) : NULL;
		if (registers.known && !hart)
			return EAR_E_NO_MEMORY;
		if (hart)
			hart->registers = registers;
		if (hart && has_sp) {
			hart->sp = sp;
			hart->sp_known = true;
		}
	}
	return 0;
}

int ear_call_log_start(struct ear_call_log *log, struct ear_moment *moment)
{
	log->starting = true;
	int result = ear_calls_start(log->calls, moment, NULL);
	log->starting = false;
	if (result == 0)
		result = start_registers(log, moment);
	return result ? result : log->failed;
}

void ear_call_log_set_task(struct ear_call_log *log, uint32_t task)
{
	log->task = task;
}

int ear_call_log_batch(struct ear_call_log *log, const struct ear_batch *batch)
{
	if (batch->record && batch->record->kind == EAR_RECORD_GAP) {
		log->facts.gaps++;
		for (size_t i = 0; i < log->hart_count; i++)
			log->harts[i].registers.known = log->harts[i].sp_known = 0;
		if (log->recent)
			ear_recent_memory_forget(log->recent);
	}
	log->batch = batch;
	int result = ear_calls_batch(log->calls, batch, take, log);
	log->batch = NULL;
	return result ? result : log->failed;
}

int ear_call_log_finish(struct ear_call_log *log)
{
	for (uint32_t i = 1; i <= log->open_count && log->options.by_end; i++) {
		const struct hart *hart =
			log->open[i].sequence == NONE ? NULL : find_hart(log, log->ending[i].hart);
		if (hart)
			end_call(log, i, hart, EAR_CALL_LOG_OPEN);
	}
	while (!log->options.by_end && log->first < log->next) {
		fill_in_waiting(log, &log->ring[log->first % WINDOW], EAR_CALL_LOG_OPEN);
		hand_out(log);
	}
	return log->failed;
}

struct ear_call_log_facts ear_call_log_facts(const struct ear_call_log *log)
{
	return log->facts;
}
