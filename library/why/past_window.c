/* The window of records that are kept as copies, and one other record.
 *
 * What the records of a window point to is in blocks, which the next window uses again. If it does
 * not fit, the window is made shorter.
 */
#include "library/why/past_window.h"

#include <stdlib.h>

#include "decoder/record/record_copy.h"
#include "library/api/trace_internal.h"
#include "library/source/source.h"

#define BLOCK_SIZE   ((size_t)1 << 20)
#define WINDOW_SMALL 256u

static int seek(struct ear_past *past, uint64_t position)
{
	ear_meter_begin(&past->meter, past->progress, "going back", 0);
	ear_cursor_use_index(&past->cursor, past->trace->index);
	int result = ear_cursor_seek(&past->cursor, position, &past->meter);
	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(past->trace, result, "cancelled");
	return result < 0 ? ear_trace_fail_reading(past->trace, &past->cursor, result) : result;
}

/* Memory for what a record points to. NULL: there is none, or it would be too much (*full). */
static char *take(struct ear_past *past, size_t size, bool *full)
{
	size_t block = past->bytes / BLOCK_SIZE;

	if (size > BLOCK_SIZE || block > EAR_PAST_BLOCKS) {
		*full = true;
		return NULL;
	}
	if (past->bytes % BLOCK_SIZE + size > BLOCK_SIZE || past->bytes == 0) {
		block += past->bytes > 0;
		past->bytes = block * BLOCK_SIZE;
	}
	if (block >= EAR_PAST_BLOCKS) {
		*full = true;
		return NULL;
	}
	if (block >= past->block_count) {
		past->blocks[block] = malloc(BLOCK_SIZE);
		if (!past->blocks[block])
			return NULL;
		past->block_count = block + 1;
	}
	char *memory = past->blocks[block] + past->bytes % BLOCK_SIZE;
	past->bytes += size;
	/* A block that is exactly full: the next one begins. */
	return memory;
}

/* Room for one record more. */
static bool grow(struct ear_past *past)
{
	size_t count = (size_t)(past->end - past->first);

	if (count < past->capacity)
		return true;
	size_t capacity = past->capacity ? 4 * past->capacity : 256;
	struct ear_record *records = realloc(past->records, capacity * sizeof(*records));
	if (!records)
		return false;
	past->records = records;
	uint64_t *numbers = realloc(past->numbers, capacity * sizeof(*numbers));
	if (!numbers)
		return false;
	past->numbers = numbers;
	past->capacity = capacity;
	return true;
}

static int keep(struct ear_past *past, const struct ear_record *record, bool *full)
{
	size_t at = (size_t)(past->end - past->first);
	char *memory = take(past, ear_record_clone_size(record) + 8, full);

	if (!memory || !grow(past))
		return *full ? 0 : ear_trace_fail(past->trace, EAR_E_NO_MEMORY, "out of memory");
	ear_record_clone(&past->records[at], memory, record);
	past->numbers[at] = past->cursor.number - (record->kind == EAR_RECORD_INSTRUCTION);
	past->end++;
	return 0;
}

static int load(struct ear_past *past, uint64_t from, uint64_t end, bool *full)
{
	const struct ear_record *record;

	past->first = past->end = from;
	past->bytes = 0;
	int result = seek(past, from);
	while (result == 1 && past->end < end && !*full) {
		result = ear_cursor_next(&past->cursor, &record);
		if (result < 0)
			return ear_trace_fail_reading(past->trace, &past->cursor, result);
		if (result == 0)
			break;
		int kept = keep(past, record, full);
		if (kept)
			return kept;
		if (ear_meter_pass(&past->meter, 1))
			return ear_trace_fail(past->trace, EAR_E_CANCELLED, "cancelled");
	}
	return result < 0 ? result : 0;
}

int ear_past_load(struct ear_past *past, uint64_t *end)
{
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	const unsigned window =
		past->trace->past_window ? past->trace->past_window : EAR_PAST_WINDOW;
	bool full = false;

	if (*end > UINT64_MAX / 2) {
		int result = ear_trace_counts(past->trace, &counts, past->progress);
		if (result)
			return result;
		*end = counts.records;
	}
	for (uint64_t size = window; size >= 1; size /= WINDOW_SMALL) {
		full = false;
		int result = load(past, *end > size ? *end - size : 0, *end, &full);
		if (result) {
			past->first = past->end = 0;
			return result;
		}
		if (!full)
			break;
	}
	if (full)
		return ear_trace_fail(past->trace, EAR_E_NO_MEMORY, "a record is too large");
	if (past->end < *end)
		*end = past->end;
	return 0;
}

void ear_past_end_fact(struct ear_past *past, const char *key, char *text, size_t size)
{
	const struct ear_record *record;

	/* It is known once the end was read. */
	text[0] = '\0';
	if (seek(past, past->end) < 0 || ear_cursor_next(&past->cursor, &record) != 0 ||
		ear_source_fact(past->cursor.source, key, text, size) < 0)
		text[0] = '\0';
}

const struct ear_record *ear_past_in_window(const struct ear_past *past, uint64_t position)
{
	return position >= past->first && position < past->end
		       ? &past->records[position - past->first]
		       : NULL;
}

uint64_t ear_past_number(const struct ear_past *past, uint64_t position)
{
	return past->numbers[position - past->first];
}

int ear_past_at(struct ear_past *past, uint64_t position, const struct ear_record **record)
{
	uint64_t end = position + 1;

	*record = ear_past_in_window(past, position);
	if (*record)
		return 1;
	int result = ear_past_load(past, &end);
	if (result)
		return result;
	*record = ear_past_in_window(past, position);
	return *record != NULL;
}

int ear_past_peek(struct ear_past *past, uint64_t position, const struct ear_record **record)
{
	const struct ear_record *read;

	*record = ear_past_in_window(past, position);
	if (*record) {
		past->peeked_number = ear_past_number(past, position);
		past->peeked_position = UINT64_MAX; /* the other record is not kept */
		return 1;
	}
	if (past->peeked_memory && past->peeked_position == position) {
		*record = &past->peeked;
		return 1;
	}
	int result = seek(past, position);
	if (result == 1)
		result = ear_cursor_next(&past->cursor, &read);
	if (result < 0)
		return ear_trace_fail_reading(past->trace, &past->cursor, result);
	if (result == 0)
		return 0;
	free(past->peeked_memory);
	past->peeked_memory = malloc(ear_record_clone_size(read) + 8);
	if (!past->peeked_memory)
		return ear_trace_fail(past->trace, EAR_E_NO_MEMORY, "out of memory");
	ear_record_clone(&past->peeked, past->peeked_memory, read);
	past->peeked_number = past->cursor.number - (read->kind == EAR_RECORD_INSTRUCTION);
	past->peeked_position = position;
	*record = &past->peeked;
	return 1;
}
