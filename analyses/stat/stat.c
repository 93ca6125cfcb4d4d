/* A run in numbers. The hash is a polynomial in a fixed point, modulo 2^61 - 1, with a hash of each
 * record as a coefficient: so the order counts, and two parts are joined by a power of the point.
 */
#include "analyses/stat/stat.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define POINT   UINT64_C(0x0d1a3f5b7c9e2461)
#define OPCODES 4096u /* a power of two */

/* Of an opcode, what is counted of it. */
struct opcode {
	uint32_t opcode;
	uint8_t xlen; /* 0: nothing is here */
	uint8_t instruction_class, size;
};

/* What changes with each record is not at its end, where another thread's may begin. */
struct counter {
	struct ear_instructions *instructions;
	struct opcode *opcodes; /* those that came lately */
	char name[EAR_STAT_NAME_MAX];
	struct ear_stat stat;
};

/* ---- The hash. ---- */

static uint64_t multiply(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	uint64_t sum = (uint64_t)(product & EAR_STAT_MODULUS) + (uint64_t)(product >> 61);

	return sum >= EAR_STAT_MODULUS ? sum - EAR_STAT_MODULUS : sum;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum >= EAR_STAT_MODULUS ? sum - EAR_STAT_MODULUS : sum;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct ear_record *record)
{
	const uint32_t shown = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	uint64_t hash = mix(record->hart, record->pc);

	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		hash = mix(hash, record->opcode);
	if (shown)
		hash = mix(hash, shown);
	if (shown && !(record->flags & EAR_RECORD_NO_CAUSE))
		hash = mix(hash, record->cause);
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		hash = mix(hash, (uint64_t)reg->reg_class << 16 | reg->number);
		hash = mix(hash, reg->value);
	}
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		hash = mix(hash, access->address);
		hash = mix(hash, (uint64_t)access->size << 1 | access->write);
		if (access->has_value)
			hash = mix(hash, access->value);
	}
	hash ^= hash >> 29;
	return hash % EAR_STAT_MODULUS;
}

/* ---- Counting. ---- */

static const struct opcode *decode(struct counter *counter, uint32_t opcode, uint8_t xlen)
{
	uint32_t place = (opcode ^ opcode >> 12 ^ opcode >> 20) & (OPCODES - 1);
	struct opcode *entry = &counter->opcodes[place];
	struct ear_instruction instruction = {.size = sizeof(instruction)};

	if (entry->opcode == opcode && entry->xlen == xlen)
		return entry;
	if (ear_instruction_decode(counter->instructions, &instruction, opcode, xlen) != 0)
		instruction.instruction_class = EAR_CLASS_ILLEGAL;
	*entry = (struct opcode){.opcode = opcode,
		.xlen = xlen,
		.instruction_class = instruction.instruction_class,
		.size = instruction.opcode_size};
	return entry;
}

static void count_accesses(struct ear_stat *stat, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->masked)
			continue;
		if (access->write) {
			stat->writes++;
			stat->written_bytes += access->size;
		} else {
			stat->reads++;
			stat->read_bytes += access->size;
		}
	}
}

static void count_opcode(struct counter *counter, const struct ear_record *record)
{
	struct ear_stat *stat = &counter->stat;

	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE)
		return;
	const struct opcode *opcode = decode(counter, (uint32_t)record->opcode, record->xlen);
	stat->decoded++;
	stat->classes[opcode->instruction_class]++;
	stat->compressed += opcode->size == 2;
	switch (opcode->instruction_class) {
	case EAR_CLASS_LOAD: stat->bare_loads += record->memory_count == 0; break;
	case EAR_CLASS_STORE: stat->bare_stores += record->memory_count == 0; break;
	case EAR_CLASS_BRANCH:
		if (record->flags & EAR_RECORD_NO_NEXT_PC)
			stat->unknown_outcomes++;
		else if (record->flags & EAR_RECORD_TAKEN)
			stat->taken++;
		else
			stat->not_taken++;
		break;
	default: break;
	}
}

static void count_instruction(struct counter *counter, const struct ear_record *record)
{
	struct ear_stat *stat = &counter->stat;

	if (stat->records++ == 0)
		stat->first_pc = record->pc;
	stat->last_pc = record->pc;
	stat->harts[record->hart / 64] |= UINT64_C(1) << record->hart % 64;
	if (record->flags & EAR_RECORD_HAS_TIME) {
		if (stat->timed++ == 0)
			stat->first_ticks = record->ticks;
		stat->last_ticks = record->ticks;
	}
	stat->hash = add(multiply(stat->hash, POINT), hash_of(record));
	stat->power = multiply(stat->power, POINT);
	if (record->flags & EAR_RECORD_INTERRUPT) {
		stat->interrupts++;
	} else if (record->flags & EAR_RECORD_TRAP) {
		stat->traps++; /* its accesses touched nothing */
	} else {
		count_accesses(stat, record);
		count_opcode(counter, record);
	}
}

static void count_record(struct counter *counter, const struct ear_record *record)
{
	struct ear_stat *stat = &counter->stat;

	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: count_instruction(counter, record); break;
	case EAR_RECORD_GAP:
		stat->gaps++;
		if (record->u.gap.count_known)
			stat->missing += record->u.gap.count;
		else
			stat->blind++;
		break;
	case EAR_RECORD_EVENT: stat->events++; break;
	case EAR_RECORD_NOTE: break;
	default:
		stat->others++;
		count_accesses(stat, record);
		break;
	}
}

static void free_count(void *count)
{
	struct counter *counter = count;

	if (!counter)
		return;
	ear_instructions_free(counter->instructions);
	free(counter->opcodes);
	free(counter);
}

static int create(void **count, const struct ear_analysis_setup *setup)
{
	const struct ear_stat_options *options = setup->options;
	struct counter *counter = calloc(1, sizeof(*counter));
	int result = EAR_E_NO_MEMORY;

	if (!counter)
		return result;
	ear_stat_clear(&counter->stat);
	counter->stat.lacks = options ? options->lacks : 0;
	if (options && options->name && strlen(options->name) < sizeof(counter->name))
		strcpy(counter->name, options->name);
	counter->opcodes = calloc(OPCODES, sizeof(*counter->opcodes));
	if (counter->opcodes)
		result = ear_instructions_new(&counter->instructions, NULL, NULL);
	if (result)
		free_count(counter);
	else
		*count = counter;
	return result;
}

static int take_batch(void *count, const struct ear_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		count_record(count, ear_batch_record(batch, i));
	return 0;
}

const struct ear_stat *ear_stat_numbers(const void *count)
{
	const struct counter *counter = count;

	return &counter->stat;
}

const char *ear_stat_name(const void *count)
{
	const struct counter *counter = count;

	return counter->name;
}

/* ---- Parts. ---- */

void ear_stat_clear(struct ear_stat *stat)
{
	*stat = (struct ear_stat){.power = 1};
}

static void join_ends(struct ear_stat *stat, const struct ear_stat *next)
{
	if (next->timed > 0) {
		if (stat->timed == 0)
			stat->first_ticks = next->first_ticks;
		stat->last_ticks = next->last_ticks;
	}
	if (next->records > 0) {
		if (stat->records == 0)
			stat->first_pc = next->first_pc;
		stat->last_pc = next->last_pc;
	}
	for (size_t i = 0; i < EAR_STAT_HARTS / 64; i++)
		stat->harts[i] |= next->harts[i];
	stat->hash = add(multiply(stat->hash, next->power), next->hash);
	stat->power = multiply(stat->power, next->power);
}

void ear_stat_join(struct ear_stat *stat, const struct ear_stat *next)
{
	join_ends(stat, next);
	stat->records += next->records;
	stat->interrupts += next->interrupts;
	stat->traps += next->traps;
	stat->gaps += next->gaps;
	stat->events += next->events;
	stat->others += next->others;
	stat->missing += next->missing;
	stat->blind += next->blind;
	stat->decoded += next->decoded;
	for (unsigned i = 0; i < EAR_STAT_CLASSES; i++)
		stat->classes[i] += next->classes[i];
	stat->compressed += next->compressed;
	stat->unknown_outcomes += next->unknown_outcomes;
	stat->bare_loads += next->bare_loads;
	stat->bare_stores += next->bare_stores;
	stat->lacks |= next->lacks;
	stat->taken += next->taken;
	stat->not_taken += next->not_taken;
	stat->reads += next->reads;
	stat->writes += next->writes;
	stat->read_bytes += next->read_bytes;
	stat->written_bytes += next->written_bytes;
	stat->timed += next->timed;
}

static int join(void *whole, void *next)
{
	struct counter *counter = whole;

	ear_stat_join(&counter->stat, ear_stat_numbers(next));
	if (!counter->name[0])
		strcpy(counter->name, ear_stat_name(next));
	return 0;
}

static unsigned next_hart(const struct ear_stat *stat, uint64_t hart)
{
	while (hart < EAR_STAT_HARTS && !(stat->harts[hart / 64] >> hart % 64 & 1))
		hart++;
	return (unsigned)hart;
}

static void walk_counts(struct ear_stat *stat, struct ear_part_walk *walk)
{
	uint64_t *const counts[] = {&stat->records, &stat->interrupts, &stat->traps, &stat->gaps,
		&stat->events, &stat->others, &stat->missing, &stat->blind, &stat->decoded,
		&stat->compressed, &stat->taken, &stat->not_taken, &stat->reads, &stat->writes,
		&stat->read_bytes, &stat->written_bytes, &stat->timed, &stat->unknown_outcomes,
		&stat->bare_loads, &stat->bare_stores};
	const uint64_t count = sizeof(counts) / sizeof(counts[0]);

	for (uint64_t i = 0; ear_part_item(walk, "count", &i, count); i++)
		ear_part_u64(walk, counts[i], UINT64_MAX);
	for (uint64_t i = 0; ear_part_item(walk, "class", &i, EAR_STAT_CLASSES); i++)
		ear_part_u64(walk, &stat->classes[i], UINT64_MAX);
}

static void walk_harts(struct ear_stat *stat, struct ear_part_walk *walk)
{
	uint64_t i = ear_part_reads(walk) ? 0 : next_hart(stat, 0);

	for (; ear_part_item(walk, "hart", &i, EAR_STAT_HARTS); i = next_hart(stat, i + 1))
		stat->harts[i / 64] |= UINT64_C(1) << i % 64;
}

static void walk_part(void *count, struct ear_part_walk *walk)
{
	struct counter *counter = count;
	struct ear_stat *stat = &counter->stat;

	if ((counter->name[0] || ear_part_reads(walk)) && ear_part_line(walk, "name"))
		ear_part_quoted(walk, counter->name, sizeof(counter->name));
	walk_counts(stat, walk);
	walk_harts(stat, walk);
	if (ear_part_line(walk, "ticks")) {
		ear_part_u64(walk, &stat->first_ticks, UINT64_MAX);
		ear_part_u64(walk, &stat->last_ticks, UINT64_MAX);
	}
	if (ear_part_line(walk, "pcs")) {
		ear_part_hex64(walk, &stat->first_pc, UINT64_MAX);
		ear_part_hex64(walk, &stat->last_pc, UINT64_MAX);
	}
	if (ear_part_line(walk, "hash")) {
		ear_part_hex64(walk, &stat->hash, EAR_STAT_MODULUS - 1);
		ear_part_hex64(walk, &stat->power, EAR_STAT_MODULUS - 1);
	}
	if (ear_part_line(walk, "lacks"))
		ear_part_u64(walk, &stat->lacks, EAR_STAT_LACKS_MAX);
}

const struct ear_analysis ear_stat_analysis = {
	.name = "stat",
	.unknown_line = "it is none of stat",
	.create = create,
	.free = free_count,
	.batch = take_batch,
	.join = join,
	.walk = walk_part,
};

unsigned ear_stat_hart_count(const struct ear_stat *stat)
{
	unsigned harts = 0;

	for (size_t i = 0; i < EAR_STAT_HARTS / 64; i++)
		harts += (unsigned)__builtin_popcountll(stat->harts[i]);
	return harts;
}
