/* Comparing two Whisper CSVs without decoding them (struct ear_line_compare).
 *
 * Where both readers are in the same state, equal bytes give equal records (whisper_equal.h). Where
 * the lines differ, patterns show which pairs decode to the same record (whisper_equivalent.h). A
 * run of such lines only adds to the harts' record counts, so both readers step over it.
 */
#include <string.h>

#include "decoder/formats/whisper/whisper_equal.h"
#include "decoder/formats/whisper/whisper_equivalent.h"
#include "decoder/formats/whisper/whisper_reader.h"

/* Lines without a new pattern after which decoding more lines is not expected to add any. */
#define SETTLED_AFTER 64

/* Does what both have read so far leave them to read the same lines in the same way? */
static bool same_state(const struct ear_reader *base_a, const struct ear_reader *base_b)
{
	const struct ear_whisper_reader *a = (const struct ear_whisper_reader *)base_a;
	const struct ear_whisper_reader *b = (const struct ear_whisper_reader *)base_b;
	unsigned end = a->hart_end > b->hart_end ? a->hart_end : b->hart_end;

	if (!a->block || !b->block || !a->layout.usual || !b->layout.usual ||
		a->layout.count != b->layout.count || a->line.xlen != b->line.xlen)
		return false;
	for (unsigned hart = 0; hart < end; hart++)
		if (a->line.harts[hart].frm != b->line.harts[hart].frm ||
			a->line.harts[hart].vtype != b->line.harts[hart].vtype)
			return false;
	return true;
}

static uint64_t offset(const struct ear_reader *base)
{
	const struct ear_whisper_reader *reader = (const struct ear_whisper_reader *)base;

	return reader->block_offset + (uint64_t)(reader->at - reader->block);
}

static void count_run(struct ear_whisper_reader *reader, const struct ear_line_run *run)
{
	for (size_t i = 0; i < run->hart_count; i++) {
		ear_whisper_note_hart(reader, run->harts[i].hart);
		struct ear_whisper_hart *hart = &reader->line.harts[run->harts[i].hart];
		hart->next_index += run->harts[i].count;
		if (run->harts[i].state != 0)
			hart->vtype = run->harts[i].state;
	}
	reader->line_count += run->line_count;
}

static void jump(struct ear_reader *base, const struct ear_line_run *run, uint64_t size)
{
	struct ear_whisper_reader *reader = (struct ear_whisper_reader *)base;

	count_run(reader, run);
	ear_text_input_jump(
		base->input, offset(base) + size, reader->block_line + reader->line_count);
	ear_whisper_drop_block(reader);
}

static void find_equal(const struct ear_reader *base, struct ear_line_run *run, const char *a,
	const char *b, size_t size)
{
	const struct ear_whisper_reader *reader = (const struct ear_whisper_reader *)base;

	ear_whisper_equal_find(run, a, b, size, reader->layout.count, 0);
}

static enum ear_line_memory memory(const struct ear_reader *base)
{
	const struct ear_whisper_reader *reader = (const struct ear_whisper_reader *)base;

	if (!reader->block || !reader->layout.usual)
		return EAR_LINE_MEMORY_NONE;
	return reader->unmatched >= SETTLED_AFTER ? EAR_LINE_MEMORY_SETTLED
						  : EAR_LINE_MEMORY_GROWING;
}

static struct ear_whisper_text text_of(
	const struct ear_whisper_reader *reader, struct ear_line_range range)
{
	return (struct ear_whisper_text){.at = range.at,
		.end = range.end,
		.patterns = reader->patterns,
		.harts = reader->line.harts,
		.columns = reader->layout.count,
		.xlen = reader->line.xlen};
}

static size_t find_equivalent(const struct ear_reader *base_a, struct ear_line_range range_a,
	const struct ear_reader *base_b, struct ear_line_range range_b, struct ear_line_pair *pairs,
	size_t max, size_t *budget)
{
	const struct ear_whisper_text a =
		text_of((const struct ear_whisper_reader *)base_a, range_a);
	const struct ear_whisper_text b =
		text_of((const struct ear_whisper_reader *)base_b, range_b);

	return ear_whisper_equivalent_find(pairs, max, &a, &b, budget);
}

static void pass_lines(
	struct ear_whisper_reader *reader, const struct ear_line_run *run, size_t size)
{
	count_run(reader, run);
	reader->at += size;
}

/* The pairs counted, without the last keep of each hart. Returns false if there are too many harts.
 */
static bool count_pairs(
	struct ear_line_run *run, const struct ear_line_pair *pairs, size_t count, size_t keep)
{
	struct ear_whisper_leave leave;

	*run = (struct ear_line_run){.hart_count = 0};
	for (; run->line_count < count; run->line_count++)
		if (!ear_line_run_count(run, pairs[run->line_count].hart, 1, 0))
			return false;
	ear_whisper_leave_begin(&leave, run, keep);
	while (leave.open > 0)
		ear_whisper_leave_line(&leave, run, pairs[run->line_count - 1].hart);
	ear_whisper_leave_end(run);
	for (size_t i = 0; i < run->line_count; i++)
		if (pairs[i].state != 0)
			ear_line_run_count(run, pairs[i].hart, 0, pairs[i].state);
	return true;
}

static size_t skip_equivalent(struct ear_whisper_reader *a, struct ear_whisper_reader *b,
	struct ear_equal_lines *harts, size_t keep)
{
	struct ear_line_pair pairs[EAR_LINE_PAIRS_MAX];
	const struct ear_line_range range_a = {a->at, a->usual_end},
				    range_b = {b->at, b->usual_end};
	struct ear_line_run run;

	if (memory(&a->base) == EAR_LINE_MEMORY_NONE || memory(&b->base) == EAR_LINE_MEMORY_NONE)
		return 0;
	bool settled = memory(&a->base) == EAR_LINE_MEMORY_SETTLED ||
		       memory(&b->base) == EAR_LINE_MEMORY_SETTLED;
	size_t budget = settled ? EAR_LINE_PAIRS_MAX : 0;
	size_t count = find_equivalent(
		&a->base, range_a, &b->base, range_b, pairs, EAR_LINE_PAIRS_MAX, &budget);
	if (settled && EAR_LINE_PAIRS_MAX - budget > count / 8)
		a->unmatched = b->unmatched = 0;
	if (!count_pairs(&run, pairs, count, keep) || run.line_count == 0)
		return 0;
	const struct ear_line_pair *last = &pairs[run.line_count - 1];
	pass_lines(a, &run, last->end[0]);
	pass_lines(b, &run, last->end[1]);
	memcpy(harts, run.harts, run.hart_count * sizeof(*harts));
	return run.hart_count;
}

static size_t skip(struct ear_reader *base_a, struct ear_reader *base_b,
	struct ear_equal_lines *harts, size_t keep)
{
	struct ear_whisper_reader *a = (struct ear_whisper_reader *)base_a;
	struct ear_whisper_reader *b = (struct ear_whisper_reader *)base_b;
	struct ear_line_run run;

	/* At the end of a block the next record brings the next one. */
	if (a->at >= a->usual_end || b->at >= b->usual_end)
		return 0;
	if (!same_state(base_a, base_b))
		return skip_equivalent(a, b, harts, keep);
	size_t size_a = (size_t)(a->usual_end - a->at), size_b = (size_t)(b->usual_end - b->at);
	ear_whisper_equal_find(
		&run, a->at, b->at, size_a < size_b ? size_a : size_b, a->layout.count, keep);
	if (run.line_count == 0)
		return skip_equivalent(a, b, harts, keep);
	pass_lines(a, &run, run.size);
	pass_lines(b, &run, run.size);
	memcpy(harts, run.harts, run.hart_count * sizeof(*harts));
	return run.hart_count;
}

const struct ear_line_compare ear_whisper_line_compare = {
	.skip = skip,
	.same_state = same_state,
	.offset = offset,
	.jump = jump,
	.find_equal = find_equal,
	.memory = memory,
	.find_equivalent = find_equivalent,
};
