/* Accesses, kept to be looked through from the last to the first.
 *
 * Nearly all instructions load or store one value, and that is what its bytes hold until the next
 * access to them. So the last access to a byte says all of it. What else an instruction may do
 * (atomics that fail, stores that trap) is noted down as complex, and only where a question is
 * about such bytes all records are followed instead.
 */
#include "library/index/file/index_log.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST ((size_t)1 << 12)
#define COMPLEX_BYTES  64u /* at most so many, from the address on */

void ear_index_log_fini(struct ear_index_log *log)
{
	free(log->addresses);
	free(log->values);
	free(log->forms);
	*log = (struct ear_index_log){0};
}

void ear_index_log_begin(struct ear_index_log *log, uint64_t first, uint64_t last)
{
	/* An access may begin before the bytes that it concerns. */
	log->low = first > COMPLEX_BYTES ? first - COMPLEX_BYTES : 0;
	log->span = last - log->low;
	log->count = 0;
	log->failed = false;
}

static bool grow_column(void **column, size_t size)
{
	void *grown = realloc(*column, size);

	if (grown)
		*column = grown;
	return grown;
}

static bool reserve(struct ear_index_log *log, size_t count)
{
	size_t capacity = log->capacity ? log->capacity : CAPACITY_FIRST;

	if (log->count + count <= log->capacity)
		return true;
	while (capacity < log->count + count && capacity < EAR_INDEX_LOG_MAX)
		capacity *= 2;
	if (log->count + count > EAR_INDEX_LOG_MAX ||
		!grow_column((void **)&log->addresses, capacity * sizeof(*log->addresses)) ||
		!grow_column((void **)&log->values, capacity * sizeof(*log->values)) ||
		!grow_column((void **)&log->forms, capacity)) {
		log->failed = true;
		return false;
	}
	log->capacity = capacity;
	return true;
}

/* There is room. */
static inline void put(struct ear_index_log *log, uint64_t address, uint64_t value, unsigned form)
{
	if (address - log->low > log->span)
		return;
	log->addresses[log->count] = address;
	log->values[log->count] = value;
	log->forms[log->count++] = (uint8_t)form;
}

/* 32-bit addresses that are not, or an access across their end. */
static void put_odd(struct ear_index_log *log, uint64_t address, uint64_t space)
{
	put(log, address & space, 0, EAR_INDEX_LOG_COMPLEX);
	put(log, 0, 0, EAR_INDEX_LOG_COMPLEX);
}

static inline void put_access(struct ear_index_log *log, uint64_t address, uint64_t space,
	uint64_t value, unsigned size, bool plain)
{
	if (address > space || space - address < COMPLEX_BYTES)
		put_odd(log, address, space);
	else
		put(log, address, value, plain ? size : EAR_INDEX_LOG_COMPLEX);
}

static inline bool is_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void push_run(struct ear_index_log *log, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts)
{
	const uint32_t ignored = EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED;
	bool plain = run->absent == 0 && !(run->flags & (EAR_RECORD_TRAP | EAR_RECORD_NO_OPCODE));
	uint64_t space = run->xlen == 32 ? UINT32_MAX : UINT64_MAX;

	if (run->flags & ignored || !reserve(log, 2 * run->count))
		return;
	for (size_t i = 0; i < run->count; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		bool write = compact->flags & EAR_COMPACT_WRITE;
		if (compact->size != EAR_COMPACT_NO_ACCESS)
			put_access(log, compact->address, space, compact->data, compact->size,
				plain && is_size(compact->size) &&
					ear_memory_is_plain(compact->opcode, compact->size, write));
	}
}

static bool is_plain(const struct ear_record *record)
{
	const uint32_t unusual = EAR_RECORD_TRAP | EAR_RECORD_NO_OPCODE;
	const struct ear_record_access *access = &record->memory[0];

	return record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV &&
	       !(record->flags & unusual) && record->memory_count == 1 && is_size(access->size) &&
	       ear_access_is_known(access) && !access->masked && !access->aborted &&
	       access->attributes == 0 &&
	       ear_memory_is_plain((uint32_t)record->opcode, access->size, access->write);
}

static void push_record(struct ear_index_log *log, const struct ear_record *record)
{
	const uint32_t ignored = EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED;
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
	uint64_t space = instruction && record->xlen == 32 ? UINT32_MAX : UINT64_MAX;

	if ((!instruction && record->kind != EAR_RECORD_MEMORY) || record->memory_count == 0 ||
		(instruction && record->flags & ignored) || !reserve(log, 2 * record->memory_count))
		return;
	bool plain = is_plain(record);
	for (size_t i = 0; i < record->memory_count; i++)
		put_access(log, record->memory[i].address, space, record->memory[i].value,
			record->memory[i].size, plain);
}

void ear_index_log_push(struct ear_index_log *log, const struct ear_source_run *run)
{
	if (log->failed)
		return;
	if (run->run)
		push_run(log, run->run, run->compacts);
	else
		push_record(log, run->record);
}

/* Looking through it -------------------------------------------------------------------------- */

static size_t count_open(const struct ear_memory_line *lines, size_t count)
{
	size_t open = 0;

	for (size_t i = 0; i < count; i++)
		open += 64 - (size_t)__builtin_popcountll(lines[i].settled);
	return open;
}

/* Is a byte of size bytes from address on open? */
static bool is_open(
	const struct ear_memory_line *lines, size_t count, uint64_t address, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint64_t at = address + i - lines[0].address;
		if (at / EAR_MEMORY_LINE < count &&
			!(lines[at / EAR_MEMORY_LINE].settled >> at % EAR_MEMORY_LINE & 1))
			return true;
	}
	return false;
}

/* Returns how many bytes were open. */
static size_t settle(struct ear_memory_line *lines, size_t count, uint64_t address, uint64_t value,
	unsigned size)
{
	size_t settled = 0;

	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i - lines[0].address;
		uint64_t bit = (uint64_t)1 << at % EAR_MEMORY_LINE;
		if (at / EAR_MEMORY_LINE >= count)
			continue;
		struct ear_memory_line *line = &lines[at / EAR_MEMORY_LINE];
		if (line->settled & bit)
			continue;
		line->settled |= bit;
		line->known |= bit;
		line->bytes[at % EAR_MEMORY_LINE] = (uint8_t)(value >> 8 * i);
		settled++;
	}
	return settled;
}

bool ear_index_log_lines(
	const struct ear_index_log *log, struct ear_memory_line *lines, size_t count)
{
	size_t open = count_open(lines, count);
	uint64_t first = lines[0].address;
	uint64_t low = first > COMPLEX_BYTES ? first - COMPLEX_BYTES : 0;
	uint64_t span = first - low + (count * EAR_MEMORY_LINE - 1);

	if (log->failed)
		return false;
	for (size_t i = log->count; i-- > 0 && open > 0;) {
		uint64_t address = log->addresses[i];
		if (address - low > span)
			continue;
		if (log->forms[i] != EAR_INDEX_LOG_COMPLEX)
			open -= settle(lines, count, address, log->values[i], log->forms[i]);
		else if (is_open(lines, count, address, COMPLEX_BYTES))
			return false;
	}
	return true;
}
