/* Random traces of memory_trace.h: the truth is computed beside the records that show it. */
#include "memory_trace.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define NOP   0x00000013u
#define SW    0x00a2a023u
#define LW    0x0002a283u
#define AMO   0x00a2a2afu /* amoadd.w */
#define SC    0x18a2a2afu
#define FSD   0x00a2b027u
#define HARTS 3

static const uint64_t bases[EAR_TRACE_WINDOWS] = {0x80000000, 0x80001000, 0xffffff00};

uint64_t memory_trace_address(size_t i)
{
	return (uint32_t)(bases[i / EAR_TRACE_WINDOW] + i % EAR_TRACE_WINDOW);
}

/* What the trace is made from. */
struct maker {
	struct memory_trace *trace;
	struct random *random;
	uint8_t bytes[EAR_TRACE_BYTES];
	uint64_t index[HARTS], pc[HARTS];
	unsigned hart, has;
};

static size_t random_place(struct maker *maker, unsigned size)
{
	size_t window = random_below(maker->random, EAR_TRACE_WINDOWS);

	/* Mostly the same few bytes, so that things happen to them. */
	size_t range = random_once_in(maker->random, 4) ? EAR_TRACE_WINDOW : 96;
	size_t at = (window == 2 ? EAR_TRACE_WINDOW / 2 - 48 : 0) +
		    random_below(maker->random, range - size);
	return window * EAR_TRACE_WINDOW + (at + size < EAR_TRACE_WINDOW ? at : 0);
}

static uint64_t value_at(const struct maker *maker, size_t at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)maker->bytes[at + i] << 8 * i;
	return value;
}

static void write_at(struct maker *maker, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		maker->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* Few values, so that some stores change nothing. The image that cannot be written is not. */
static void write_random(struct maker *maker)
{
	unsigned size = 1u << random_below(maker->random, 4);
	size_t at = random_place(maker, size);

	if (at / EAR_TRACE_WINDOW == 1)
		return;
	write_at(maker, at, random_next(maker->random) & UINT64_C(0x0303030303030303), size);
}

static void change_alone(struct maker *maker)
{
	for (size_t i = 0; i < EAR_TRACE_BYTES; i++)
		if (maker->trace->alone[i] && random_once_in(maker->random, 8))
			maker->bytes[i] = (uint8_t)random_below(maker->random, 4);
}

/* Records that a filter suppressed. Their stores come just before the next record of the hart: that
 * one shows that they are missing. From index 1 on a trace may begin. */
static void suppress(struct maker *maker)
{
	if (!(maker->has & TRACE_FILTER) || !random_once_in(maker->random, 60))
		return;
	maker->index[maker->hart] += 2 + random_below(maker->random, 5);
	for (unsigned i = 0; i < 4; i++)
		write_random(maker);
}

static struct ear_record *begin(struct maker *maker, struct traced *traced, uint32_t opcode)
{
	suppress(maker);
	traced->record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.hart = (uint16_t)maker->hart,
		.index = maker->index[maker->hart]++,
		.xlen = 32,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = opcode,
		.pc = maker->pc[maker->hart],
		.registers = &traced->reg,
		.memory = traced->access};
	traced->reg = (struct ear_record_register){.reg_class = EAR_REGISTER_X, .number = 5};
	maker->pc[maker->hart] = 0x1000 + 4 * random_below(maker->random, 256);
	traced->record.next_pc = maker->pc[maker->hart];
	return &traced->record;
}

static struct ear_record_access *add_access(
	struct maker *maker, struct traced *traced, size_t at, unsigned size, bool write)
{
	struct ear_record_access *access = &traced->access[traced->record.memory_count++];

	*access = (struct ear_record_access){.address = memory_trace_address(at),
		.size = (uint8_t)size,
		.write = write,
		.has_value = true,
		.value = value_at(maker, at, size)};
	return access;
}

static void make_store(struct maker *maker, struct traced *traced)
{
	unsigned size = 1u << random_below(maker->random, 4);
	size_t at = random_place(maker, size);
	uint64_t value = random_next(maker->random) & UINT64_C(0x0303030303030303);
	bool odd = maker->has & TRACE_ODD && random_once_in(maker->random, 4);

	/* The constant part is seldom written by an instruction. */
	if (at / EAR_TRACE_WINDOW == 1 && !random_once_in(maker->random, 16))
		at %= EAR_TRACE_WINDOW;
	begin(maker, traced, SW);
	struct ear_record_access *access = add_access(maker, traced, at, size, true);
	access->value = value & (size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1);
	switch (odd ? random_below(maker->random, 7) : 99) {
	case 0: /* trapped: nothing is written, or, misaligned, any part of it */
		traced->record.flags |= EAR_RECORD_TRAP;
		access->has_value = false;
		if (access->address % size != 0 && random_once_in(maker->random, 2))
			write_at(maker, at, value, 1);
		return;
	case 1: access->masked = true; return;
	case 2: /* refused, but who knows */
		access->aborted = true;
		if (random_once_in(maker->random, 2))
			return;
		break;
	case 3: access->has_value = false; break;
	case 4:
		access->unknown = 0xFF;
		access->value &= ~(uint64_t)0xFF;
		break;
	case 5: /* the source does not list it */ traced->record.memory_count = 0; break;
	case 6: /* fsd that shows half of it */
		if (size != 4)
			break;
		traced->record.opcode = FSD;
		if (at % EAR_TRACE_WINDOW + 8 <= EAR_TRACE_WINDOW &&
			(at + 4) / EAR_TRACE_WINDOW != 1)
			write_at(maker, at + 4, 0x01020301, 4);
		break;
	default: break;
	}
	write_at(maker, at, value, size);
}

static void make_load(struct maker *maker, struct traced *traced)
{
	unsigned size = 1u << random_below(maker->random, 4);
	size_t at = random_place(maker, size);

	begin(maker, traced, LW);
	struct ear_record_access *access = add_access(maker, traced, at, size, false);
	traced->record.register_count = 1;
	traced->reg.value = access->value; /* also where the access does not show it */
	if (!(maker->has & TRACE_ODD))
		return;
	switch (random_below(maker->random, 24)) {
	case 0:
		traced->record.flags |= EAR_RECORD_TRAP;
		access->value = 77;
		break;
	case 1:
		access->masked = true;
		access->value = 77;
		break;
	case 2:
		access->aborted = true;
		access->value = 77;
		break;
	case 3:
		access->unknown = 0xF0;
		access->value &= ~(uint64_t)0xF0;
		break;
	case 4:
		access->has_value = false;
		access->value = 77;
		break;
	default: break;
	}
}

static void make_atomic(struct maker *maker, struct traced *traced)
{
	size_t at = random_place(maker, 4);
	uint64_t value = random_next(maker->random) & 0x03030303;
	bool conditional = random_once_in(maker->random, 2),
	     fails = random_once_in(maker->random, 2);

	at = at / EAR_TRACE_WINDOW == 1 ? at % EAR_TRACE_WINDOW : at;
	begin(maker, traced, conditional ? SC : AMO);
	traced->record.register_count = 1;
	traced->reg.value = conditional && fails;
	if (!conditional)
		add_access(maker, traced, at, 4, false);
	if (conditional && fails) {
		/* As a capture shows it: an address, no value. */
		add_access(maker, traced, at, 4, true)->has_value = false;
		return;
	}
	struct ear_record_access *access = add_access(maker, traced, at, 4, true);
	access->value = value;
	if (!conditional && random_once_in(maker->random, 4))
		traced->record.memory_count = 1; /* only the read is shown */
	write_at(maker, at, value, 4);
}

static void make_gap(struct maker *maker, struct traced *traced)
{
	bool empty = random_once_in(maker->random, 4);

	traced->record = (struct ear_record){.kind = EAR_RECORD_GAP,
		.hart = (uint16_t)maker->hart,
		.u.gap = {.count_known = random_once_in(maker->random, 2) || empty,
			.count = empty ? 0 : 3}};
	for (unsigned i = 0; i < 6 && !empty; i++)
		write_random(maker);
	if (!empty)
		maker->index[maker->hart] += 3;
}

static void make_other(struct maker *maker, struct traced *traced)
{
	switch (random_below(maker->random, 4)) {
	case 0: traced->record = (struct ear_record){.kind = EAR_RECORD_EVENT}; break;
	case 1: { /* a bus master */
		size_t at = random_place(maker, 4);
		at = at / EAR_TRACE_WINDOW == 1 ? at % EAR_TRACE_WINDOW : at;
		traced->record =
			(struct ear_record){.kind = EAR_RECORD_MEMORY, .memory = traced->access};
		struct ear_record_access *access = add_access(maker, traced, at, 2, true);
		access->value = random_below(maker->random, 4);
		write_at(maker, at, access->value, 2);
		break;
	}
	default: begin(maker, traced, NOP); break;
	}
}

static void make_record(struct maker *maker, struct traced *traced)
{
	if (maker->has & TRACE_HARTS && random_once_in(maker->random, 3))
		maker->hart = (unsigned)random_below(maker->random, HARTS);
	change_alone(maker);
	switch (random_below(maker->random, 16)) {
	case 0:
	case 1: make_other(maker, traced); break;
	case 2: make_atomic(maker, traced); break;
	case 3:
		if (maker->has & TRACE_GAPS && random_once_in(maker->random, 6)) {
			make_gap(maker, traced);
			break;
		}
		make_load(maker, traced);
		break;
	case 4:
	case 5:
	case 6:
	case 7: make_store(maker, traced); break;
	default: make_load(maker, traced); break;
	}
	memcpy(traced->truth, maker->bytes, sizeof(maker->bytes));
}

/* A device, words that nobody declared, and an image whose second segment is not writable. */
static void prepare(struct maker *maker)
{
	struct memory_trace *trace = maker->trace;

	for (size_t i = 0; i < EAR_TRACE_BYTES; i++)
		maker->bytes[i] = (uint8_t)random_next(maker->random);
	for (unsigned i = 0; i < 2; i++) {
		memcpy(trace->image_bytes[i], maker->bytes + i * EAR_TRACE_WINDOW,
			EAR_TRACE_WINDOW);
		trace->image[i] = (struct ear_memory_segment){
			bases[i], EAR_TRACE_WINDOW - 100, trace->image_bytes[i], i == 0};
	}
	trace->device = (struct ear_memory_range){bases[0] + 40, 8};
	if (maker->has & TRACE_ALONE) {
		memset(trace->alone + 40, true, 8);
		memset(trace->alone + 64, true, 4);
		memset(trace->alone + 2 * EAR_TRACE_WINDOW + EAR_TRACE_WINDOW / 2 - 2, true, 4);
	}
	trace->options = (struct ear_memory_options){
		.captured = true,
		.devices = &trace->device,
		.device_count = 1,
		.image = trace->image,
		.image_count = 2,
	};
}

struct memory_trace *memory_trace_new(struct random *random, size_t count, unsigned has)
{
	struct memory_trace *trace = calloc(1, sizeof(*trace));
	struct maker maker = {.trace = trace, .random = random, .has = has};

	assert_non_null(trace);
	trace->records = calloc(count, sizeof(*trace->records));
	assert_non_null(trace->records);
	trace->count = count;
	prepare(&maker);
	for (size_t i = 0; i < count; i++)
		make_record(&maker, &trace->records[i]);
	return trace;
}

void memory_trace_free(struct memory_trace *trace)
{
	free(trace->records);
	free(trace);
}

/* Has the record a compact form? */
static bool is_compact(const struct ear_record *record)
{
	const struct ear_record_access *access = record->memory;

	return record->kind == EAR_RECORD_INSTRUCTION && record->flags == 0 &&
	       record->memory_count <= 1 &&
	       (record->memory_count == 0 || (access->has_value && !access->masked &&
						     !access->aborted && access->unknown == 0));
}

static size_t push_run(
	struct memory_trace *trace, struct ear_memory *memory, size_t first, size_t last)
{
	struct ear_compact_record compacts[EAR_COMPACT_RUN_MAX];
	const struct ear_record *begin = &trace->records[first].record;
	struct ear_compact_run run = {.first_index = begin->index,
		.hart = begin->hart,
		.xlen = begin->xlen,
		.privilege = begin->privilege};

	for (; first + run.count < last && run.count < EAR_COMPACT_RUN_MAX; run.count++) {
		const struct traced *traced = &trace->records[first + run.count];
		const struct ear_record *record = &traced->record;
		if (!is_compact(record) || record->hart != run.hart ||
			record->index != run.first_index + run.count)
			break;
		bool access = record->memory_count > 0;
		compacts[run.count] = (struct ear_compact_record){.pc = record->pc,
			.next_pc = record->next_pc,
			.rd = record->register_count > 0 ? 5 : 0,
			.result = traced->reg.value,
			.opcode = (uint32_t)record->opcode,
			.opcode_size = 4,
			.address = access ? traced->access[0].address : 0,
			.data = access ? traced->access[0].value : 0,
			.size = access ? traced->access[0].size : EAR_COMPACT_NO_ACCESS,
			.flags = access && traced->access[0].write ? EAR_COMPACT_WRITE : 0};
	}
	assert_int_equal(ear_memory_push_run(memory, &run, compacts), 0);
	return run.count;
}

void memory_trace_push(struct memory_trace *trace, struct ear_memory *memory, size_t first,
	size_t last, struct random *random)
{
	while (first < last) {
		struct traced *traced = &trace->records[first];
		if (is_compact(&traced->record) && !random_once_in(random, 3)) {
			first += push_run(trace, memory, first, last);
			continue;
		}
		traced->record.registers = &traced->reg;
		traced->record.memory = traced->access;
		assert_int_equal(ear_memory_push(memory, &traced->record), 0);
		first++;
	}
}
