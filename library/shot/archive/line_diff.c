/* A line diff: counts of equal lines, and between them changes.
 *
 * Lines are matched by position, not searched: line i belongs to record i, so making a diff is one
 * pass and needs no memory but its result. Inside a changed line only the part between the equal
 * ends is kept, and its position is counted in commas, which repeat from line to line and therefore
 * compress well where numbers of bytes would not.
 */
#include "library/shot/archive/line_diff.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define NUMBER_SIZE_MAX 10  /* bytes of a 64-bit number */
#define PART_SIZE       240 /* bytes of text that are looked at at once */

enum change { CHANGE_INSERT, CHANGE_DROP, CHANGE_REPLACE, CHANGE_PATCH, CHANGE_COUNT };

/* A cursor in a line: offset bytes away from a comma, both counted from the same end. */
struct column_place {
	uint64_t commas, offset;
};

void ear_line_diff_fini(struct ear_line_diff *diff)
{
	free(diff->bytes);
	*diff = (struct ear_line_diff){0};
}

void ear_line_diff_clear(struct ear_line_diff *diff)
{
	diff->size = 0;
	diff->copied = 0;
}

/* Making ----------------------------------------------------------------------------------- */

static int reserve(struct ear_line_diff *diff, size_t size)
{
	return EAR_ARRAY_RESERVE(diff->bytes, &diff->capacity, diff->size + size) ? 0
										  : EAR_E_NO_MEMORY;
}

static void put_number(struct ear_line_diff *diff, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		diff->bytes[diff->size++] = (uint8_t)(value | 0x80);
	diff->bytes[diff->size++] = (uint8_t)value;
}

/* A change, after the lines that are as they are, with room for count numbers and size bytes. */
static int put_change(struct ear_line_diff *diff, enum change change, unsigned count, size_t size)
{
	int result = reserve(diff, (count + 1) * NUMBER_SIZE_MAX + 1 + size);

	if (result)
		return result;
	put_number(diff, diff->copied);
	diff->bytes[diff->size++] = (uint8_t)change;
	diff->copied = 0;
	return 0;
}

static void put_text(struct ear_line_diff *diff, const char *text, size_t size)
{
	put_number(diff, size);
	if (size > 0)
		memcpy(diff->bytes + diff->size, text, size);
	diff->size += size;
}

static int put_literal(
	struct ear_line_diff *diff, enum change change, const char *text, size_t size)
{
	int result = put_change(diff, change, 1, size);

	if (result == 0)
		put_text(diff, text, size);
	return result;
}

/* The size of a line without its line end. */
static size_t content_size(const char *line, size_t size)
{
	if (size > 0 && line[size - 1] == '\n')
		size--;
	if (size > 0 && line[size - 1] == '\r')
		size--;
	return size;
}

static struct column_place place_from_begin(const char *line, size_t offset)
{
	struct column_place cursor = {0, offset};

	for (size_t i = 0; i < offset; i++) {
		if (line[i] == ',') {
			cursor.commas++;
			cursor.offset = offset - i - 1;
		}
	}
	return cursor;
}

static struct column_place place_from_end(const char *line, size_t size, size_t offset)
{
	struct column_place cursor = {0, size - offset};

	for (size_t i = size; i-- > offset;) {
		if (line[i] == ',') {
			cursor.commas++;
			cursor.offset = i - offset;
		}
	}
	return cursor;
}

/* One line for another. Where their ends are equal only the part between is kept, in
 * columns, for then the same change in many lines has the same bytes.
 */
static int put_line(struct ear_line_diff *diff, const char *line, size_t line_size,
	const char *wanted, size_t wanted_size)
{
	size_t old = content_size(line, line_size), new = content_size(wanted, wanted_size);
	size_t front = 0, back = 0;

	if (line_size - old != wanted_size - new || line_size == old ||
		memcmp(line + old, wanted + new, line_size - old) != 0)
		return put_literal(diff, CHANGE_REPLACE, wanted, wanted_size);
	while (front < old && front < new &&line[front] == wanted[front])
		front++;
	while (back < old - front &&
		back < new - front &&line[old - 1 - back] == wanted[new - 1 - back])
		back++;

	struct column_place begin = place_from_begin(line, front);
	struct column_place end = place_from_end(line, old, old - back);
	size_t size = new - front - back;
	int result = put_change(diff, CHANGE_PATCH, 5, size);
	if (result)
		return result;
	put_number(diff, begin.commas);
	put_number(diff, begin.offset);
	put_number(diff, end.commas);
	put_number(diff, end.offset);
	put_text(diff, wanted + front, size);
	return 0;
}

/* Where the line that begins at offset ends, after its line end. */
static size_t line_end(const char *text, size_t size, size_t offset)
{
	const char *newline = memchr(text + offset, '\n', size - offset);

	return newline ? (size_t)(newline - text) + 1 : size;
}

int ear_line_diff_compare(struct ear_line_diff *diff, const struct ear_lines *lines,
	const char *original, size_t size, const size_t *starts)
{
	size_t done = 0; /* of the original */
	int result = 0;

	for (size_t i = 0; i < lines->count && result == 0; i++) {
		size_t begin = i > 0 ? lines->ends[i - 1] : 0;
		const char *line = lines->text + begin;
		size_t line_size = lines->ends[i] - begin, start = starts[i];

		if (start < done || start >= size) {
			result = put_change(diff, CHANGE_DROP, 0, 0);
			continue;
		}
		if (start > done)
			result = put_literal(diff, CHANGE_INSERT, original + done, start - done);
		if (line_size <= size - start && memcmp(original + start, line, line_size) == 0) {
			diff->copied++;
			done = start + line_size;
			continue;
		}
		done = line_end(original, size, start);
		if (result == 0)
			result = put_line(diff, line, line_size, original + start, done - start);
	}
	if (result == 0 && done < size)
		result = put_literal(diff, CHANGE_INSERT, original + done, size - done);
	return result;
}

/* Following -------------------------------------------------------------------------------- */

void ear_line_diff_begin(
	struct ear_line_diff_cursor *cursor, const uint8_t *bytes, size_t size, uint64_t lines)
{
	static const uint8_t nothing[1];

	if (size == 0)
		bytes = nothing; /* NULL is allowed then, and is nothing to count from */
	*cursor = (struct ear_line_diff_cursor){.at = bytes, .end = bytes + size, .lines = lines};
}

static bool take_number(struct ear_line_diff_cursor *cursor, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;
		*value |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			return shift < 63 || byte <= 1;
	}
	return false;
}

static bool take_text(struct ear_line_diff_cursor *cursor, const char **text, size_t *size)
{
	uint64_t value;

	if (!take_number(cursor, &value) || value > (uint64_t)(cursor->end - cursor->at))
		return false;
	*text = (const char *)cursor->at;
	*size = (size_t)value;
	cursor->at += value;
	return true;
}

/* Offset in the line of a cursor counted from its beginning; false if there is none. */
static bool find_from_begin(
	const struct column_place *cursor, const char *line, size_t size, size_t *offset)
{
	size_t at = 0;

	for (uint64_t i = 0; i < cursor->commas; i++) {
		const char *comma = memchr(line + at, ',', size - at);
		if (!comma)
			return false;
		at = (size_t)(comma - line) + 1;
	}
	*offset = at + (size_t)cursor->offset;
	return cursor->offset <= size - at;
}

static bool find_from_end(
	const struct column_place *cursor, const char *line, size_t size, size_t *offset)
{
	size_t at = size;

	for (uint64_t i = 0; i < cursor->commas; i++) {
		do {
			if (at == 0)
				return false;
			at--;
		} while (line[at] != ',');
	}
	*offset = at - (size_t)cursor->offset;
	return cursor->offset <= at;
}

static bool patch_line(struct ear_line_diff_cursor *cursor, struct ear_text_output *output,
	const char *line, size_t size)
{
	struct column_place begin, end;
	size_t content = content_size(line, size), first, last, text_size;
	const char *text;

	if (!take_number(cursor, &begin.commas) || !take_number(cursor, &begin.offset) ||
		!take_number(cursor, &end.commas) || !take_number(cursor, &end.offset) ||
		!take_text(cursor, &text, &text_size) ||
		!find_from_begin(&begin, line, content, &first) ||
		!find_from_end(&end, line, content, &last) || first > last)
		return false;
	ear_text_output_put(output, line, first);
	ear_text_output_put(output, text, text_size);
	ear_text_output_put(output, line + last, size - last);
	return true;
}

/* Read how many lines are as they are; at the end of the line diff, all that are left. */
static bool begin_change(struct ear_line_diff_cursor *cursor)
{
	if (cursor->begun)
		return true;
	cursor->begun = true;
	cursor->copy = cursor->lines;
	if (cursor->at == cursor->end)
		return true;
	if (!take_number(cursor, &cursor->copy) || cursor->copy < cursor->passed)
		return false;
	cursor->copy -= cursor->passed;
	cursor->passed = 0;
	return cursor->copy <= cursor->lines && cursor->at < cursor->end &&
	       *cursor->at < CHANGE_COUNT;
}

/* The inserts that are due before the next line. */
static bool take_inserts(struct ear_line_diff_cursor *cursor, struct ear_text_output *output)
{
	const char *text;
	size_t size;

	while (begin_change(cursor)) {
		if (cursor->copy > 0 || cursor->at == cursor->end || *cursor->at != CHANGE_INSERT)
			return true;
		cursor->at++;
		if (!take_text(cursor, &text, &size))
			return false;
		ear_text_output_put(output, text, size);
		cursor->begun = false;
	}
	return false;
}

/* The change of one line. */
static bool change_line(struct ear_line_diff_cursor *cursor, struct ear_text_output *output,
	const char *line, size_t size)
{
	const char *text;
	size_t text_size;

	cursor->begun = false;
	cursor->lines--;
	switch (*cursor->at++) {
	case CHANGE_DROP: return true;
	case CHANGE_REPLACE:
		if (!take_text(cursor, &text, &text_size))
			return false;
		ear_text_output_put(output, text, text_size);
		return true;
	default: return patch_line(cursor, output, line, size);
	}
}

/* In parts whose count fits a byte, which compilers make vectors of. */
static unsigned count_ends(const char *text)
{
	uint8_t count = 0;

	for (unsigned i = 0; i < PART_SIZE; i++)
		count = (uint8_t)(count + (text[i] == '\n'));
	return count;
}

/* The size of the first *count lines of a text, or of all if it has no more; *count gets their
 * number. All lines of the text are whole.
 */
static size_t pass_lines(const char *text, size_t size, uint64_t *count)
{
	uint64_t left = *count;
	size_t at = 0;

	/* A part may end inside of a line: the line is not counted yet, so one more is always left
	 * to look for. */
	while (size - at >= PART_SIZE && left > PART_SIZE) {
		left -= count_ends(text + at);
		at += PART_SIZE;
	}
	for (; at < size && left > 0; left--)
		at = line_end(text, size, at);
	*count -= left;
	return at;
}

int ear_line_diff_apply(struct ear_line_diff_cursor *cursor, struct ear_text_output *output,
	const char *text, size_t size)
{
	size_t at = 0, end;

	while (cursor->lines > 0 || cursor->at < cursor->end) {
		if (!take_inserts(cursor, output))
			goto out_bad;
		if (at == size || cursor->lines == 0)
			break;
		uint64_t copied = cursor->copy;
		end = at + pass_lines(text + at, size - at, &copied);
		ear_text_output_append(output, text + at, end - at);
		at = end;
		cursor->copy -= copied;
		cursor->lines -= copied;
		if (copied > 0)
			continue;
		end = line_end(text, size, at);
		bool good = change_line(cursor, output, text + at, end - at);
		at = end;
		if (!good)
			goto out_bad;
	}
	if (cursor->lines == 0 && cursor->at < cursor->end)
		goto out_bad;
	ear_text_output_append(output, text + at, size - at);
	return output->error;

out_bad:
	cursor->at = cursor->end;
	cursor->lines = 0;
	ear_text_output_append(output, text + at, size - at);
	return output->error ? output->error : EAR_E_BAD_FILE;
}
