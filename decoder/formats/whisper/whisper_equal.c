/* Equal lines of two Whisper CSVs: the common bytes, cut back to whole lines that can be passed.
 *
 * First comes memcmp in blocks of 4 KiB, since equal texts are equal for long. Then each line in
 * the common part is looked at once, with 64 characters at a time, for its hart and for what would
 * have an effect on later lines.
 */
#define _GNU_SOURCE /* memrchr */

#include "decoder/formats/whisper/whisper_equal.h"

#include <string.h>

#include "common/hex.h"
#include "decoder/formats/whisper/whisper_scan.h"
#include "decoder/text/char_mask.h"

#define CHUNK_SIZE 4096u

static size_t common_size(const char *a, const char *b, size_t size)
{
	size_t low = 0;

	while (size - low > CHUNK_SIZE && memcmp(a + low, b + low, CHUNK_SIZE) == 0)
		low += CHUNK_SIZE;
	while (size - low >= 8 && memcmp(a + low, b + low, 8) == 0)
		low += 8;
	while (low < size && a[low] == b[low])
		low++;
	return low;
}

/* Is one of these equals signs that of frm or fcsr, "c2=" or "c3="? line: where the line begins.
 * That of vtype, "c3105=", gives *vtype. */
static inline bool writes_frm(const char *line, const char *text, uint64_t equals, uint8_t *vtype)
{
	for (; equals; equals &= equals - 1) {
		const char *at = text + __builtin_ctzll(equals);
		if (at - line >= 2 && (at[-1] == '2' || at[-1] == '3') && at[-2] == 'c')
			return true;
		if (at[-1] == '5' && at - line >= 5 && memcmp(at - 5, "c3105", 5) == 0)
			*vtype = ear_whisper_vtype_at(at + 1);
	}
	return false;
}

/* The hart of a line that ends before end, or -1 if that is not plain: page walks are not empty.
 * *body: where the nine columns before it end. */
static int hart_of(const char *line, const char *end, size_t columns, const char **body)
{
	int hart = 0;

	if (end > line && end[-1] == '\r')
		end--;
	*body = end;
	if (columns == 9)
		return 0;
	if (columns == 12) {
		if (end - line < 4 || end[-1] != ',' || end[-2] != ',')
			return -1;
		end -= 2;
	}
	for (int shift = 0; shift < 16; shift += 4) {
		int value = end - line > 1 ? ear_hex_digit(*--end) : -1;
		if (value < 0)
			return -1;
		hart |= value << shift;
		*body = end - 1;
		if (end[-1] == ',')
			return hart;
	}
	return -1;
}

const char *ear_whisper_equal_line(
	const char *line, const char *end, size_t columns, struct ear_whisper_line_end *found)
{
	const char *text = line;
	int hart;

	found->vtype = 0;
	if (ear_hex_digit(*line) < 0)
		return NULL;
	for (;; text += 64) {
		uint64_t ends = ear_char_mask(text, '\n');
		uint64_t before = ends ? (ends & -ends) - 1 : UINT64_MAX;
		if (writes_frm(line, text, ear_char_mask(text, '=') & before, &found->vtype))
			return NULL;
		if (ends) {
			text += __builtin_ctzll(ends);
			break;
		}
		if (end - text <= 64)
			return NULL;
	}
	hart = hart_of(line, text, columns, &found->body);
	found->hart = (unsigned)hart;
	return hart >= 0 ? text + 1 : NULL;
}

static size_t find_hart(const struct ear_line_run *run, unsigned hart)
{
	size_t i = 0;

	while (run->harts[i].hart != hart)
		i++;
	return i;
}

void ear_whisper_leave_begin(
	struct ear_whisper_leave *leave, const struct ear_line_run *run, size_t keep)
{
	*leave = (struct ear_whisper_leave){.keep = keep, .open = keep > 0 ? run->hart_count : 0};
}

void ear_whisper_leave_line(
	struct ear_whisper_leave *leave, struct ear_line_run *run, unsigned hart)
{
	size_t i = find_hart(run, hart);
	bool open = leave->left[i] < leave->keep;

	run->line_count--;
	run->harts[i].count--;
	leave->left[i]++;
	if (open && (leave->left[i] == leave->keep || run->harts[i].count == 0))
		leave->open--;
}

void ear_whisper_leave_end(struct ear_line_run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->hart_count; i++)
		if (run->harts[i].count > 0)
			run->harts[count++] = run->harts[i];
	run->hart_count = count;
}

/* The states again, of the lines that are still in the run. */
static void find_states(struct ear_line_run *run, const char *a, size_t columns)
{
	const char *end = a + run->size;

	for (size_t i = 0; i < run->hart_count; i++)
		run->harts[i].state = 0;
	for (const char *at = a; at < end;) {
		struct ear_whisper_line_end found;
		at = ear_whisper_equal_line(at, end, columns, &found);
		if (found.vtype != 0)
			ear_line_run_count(run, found.hart, 0, found.vtype);
	}
}

/* Of the lines from a on the last ones are left out again. */
static void leave_lines(struct ear_line_run *run, const char *a, size_t columns, size_t keep)
{
	struct ear_whisper_leave leave;
	bool stale = false;

	ear_whisper_leave_begin(&leave, run, keep);
	while (leave.open > 0) {
		const char *end = a + run->size;
		const char *newline = memrchr(a, '\n', run->size - 1);
		const char *line = newline ? newline + 1 : a;
		struct ear_whisper_line_end found;
		ear_whisper_equal_line(line, end, columns, &found);
		stale |= found.vtype != 0;
		ear_whisper_leave_line(&leave, run, found.hart);
		run->size = (size_t)(line - a);
	}
	ear_whisper_leave_end(run);
	if (stale)
		find_states(run, a, columns);
}

void ear_whisper_equal_find(struct ear_line_run *run, const char *a, const char *b, size_t size,
	size_t columns, size_t keep)
{
	size_t same = common_size(a, b, size);
	const char *last = same > 0 ? memrchr(a, '\n', same) : NULL;
	const char *at = a, *end = last ? last + 1 : a;

	run->hart_count = 0;
	run->line_count = 0;
	while (at < end) {
		struct ear_whisper_line_end found;
		const char *next = ear_whisper_equal_line(at, end, columns, &found);
		if (!next || !ear_line_run_count(run, found.hart, 1, found.vtype))
			break;
		run->line_count++;
		at = next;
	}
	run->size = (size_t)(at - a);
	leave_lines(run, a, columns, keep);
}
