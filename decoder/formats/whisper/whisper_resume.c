/* The state of a Whisper reader after a line, for readers of other chunks (struct ear_reader_cut).
 *
 * A snapshot holds what decides how the next line is decoded: the columns, XLEN, the warnings given
 * already, the rounding mode and vtype of each hart. The indexes of harts are kept apart, since a
 * reader of a later chunk guesses them. Patterns are left out: they change the speed, not the
 * records.
 */
#include <earshot/error.h>
#include <string.h>

#include "decoder/formats/whisper/whisper_any_line.h"

/* Warnings that are given once, and how sure XLEN is. */
static uint8_t get_flags(const struct ear_whisper_reader *reader)
{
	return (uint8_t)(reader->columns_reported | reader->comment_reported << 1 |
			 reader->base.guessed << 2 | reader->pmp_reported << 3);
}

static void set_flags(struct ear_whisper_reader *reader, uint8_t flags)
{
	reader->columns_reported = flags & 1;
	reader->comment_reported = flags >> 1 & 1;
	reader->base.guessed = flags >> 2 & 1;
	reader->pmp_reported = flags >> 3 & 1;
}

static int save(const struct ear_reader *base, struct ear_snapshot *snapshot)
{
	const struct ear_whisper_reader *reader = (const struct ear_whisper_reader *)base;
	const struct ear_whisper_layout *layout = &reader->layout;
	const struct ear_whisper_hart *harts = reader->line.harts;
	const uint8_t head[] = {(uint8_t)layout->count, layout->usual, (uint8_t)reader->line.xlen,
		get_flags(reader)};
	unsigned end = reader->hart_end;

	ear_snapshot_clear(snapshot);
	if (ear_snapshot_put(snapshot, head, sizeof(head)) ||
		ear_snapshot_put(snapshot, layout->columns, layout->count) ||
		ear_snapshot_set_harts(snapshot, end))
		return EAR_E_NO_MEMORY;
	for (unsigned hart = 0; hart < end; hart++)
		snapshot->indexes[hart] = harts[hart].next_index;
	while (end > 0 && harts[end - 1].frm == 0 && harts[end - 1].vtype == 0)
		end--;
	for (unsigned hart = 0; hart < end; hart++)
		if (ear_snapshot_put(snapshot, &harts[hart].frm, 1) ||
			ear_snapshot_put(snapshot, &harts[hart].vtype, 1))
			return EAR_E_NO_MEMORY;
	return 0;
}

static int restore(struct ear_reader *base, const struct ear_snapshot *snapshot)
{
	struct ear_whisper_reader *reader = (struct ear_whisper_reader *)base;
	const unsigned char *head = snapshot->bytes, *state;
	struct ear_whisper_layout layout = {.count = head[0], .usual = head[1]};

	memcpy(layout.columns, head + 4, layout.count);
	state = head + 4 + layout.count;
	reader->begun = true;
	ear_whisper_drop_block(reader);
	reader->line.xlen = head[2];
	set_flags(reader, head[3]);
	if (layout.count != reader->layout.count || layout.usual != reader->layout.usual ||
		memcmp(layout.columns, reader->layout.columns, layout.count) != 0) {
		reader->layout = layout;
		ear_whisper_take_header(reader);
	}
	if (snapshot->hart_count > reader->hart_end)
		reader->hart_end = (unsigned)snapshot->hart_count;
	for (unsigned hart = 0; hart < reader->hart_end; hart++) {
		bool saved = state < snapshot->bytes + snapshot->size;
		reader->line.harts[hart] =
			(struct ear_whisper_hart){ear_snapshot_index(snapshot, hart),
				saved ? state[0] : 0, saved ? state[1] : 0};
		state += 2;
	}
	return 0;
}

const struct ear_reader_cut ear_whisper_cut = {save, restore};

/* Anchors ---------------------------------------------------------------------------------- */

static bool place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct ear_whisper_reader *reader = (const struct ear_whisper_reader *)base;

	*offset = ear_text_input_next_offset(base->input);
	*line_number = ear_text_input_next_line(base->input);
	if (reader->block) {
		*offset = reader->block_offset + (uint64_t)(reader->at - reader->block);
		*line_number = reader->block_line + reader->line_count;
	}
	return true;
}

/* Columns that came from a file are those of a header, or what a text without one has. */
static bool is_layout(const struct ear_whisper_layout *layout)
{
	struct ear_whisper_layout usual = {.count = 0};

	if (layout->count > 0 && (!ear_whisper_layout_has(layout, EAR_WHISPER_PC) ||
					 !ear_whisper_layout_has(layout, EAR_WHISPER_INST)))
		return false;
	if (!layout->usual)
		return true;
	if (layout->count != 9 && layout->count != 10 && layout->count != 12)
		return false;
	ear_whisper_layout_assume(&usual, layout->count);
	return memcmp(usual.columns, layout->columns, layout->count) == 0;
}

static void walk_layout(struct ear_state_walk *walk, struct ear_whisper_layout *layout)
{
	uint8_t count = (uint8_t)layout->count;

	ear_state_u8(walk, &count, EAR_WHISPER_LAYOUT_MAX);
	layout->count = count;
	ear_state_bool(walk, &layout->usual);
	for (unsigned i = 0; i < count; i++)
		ear_state_u8(walk, &layout->columns[i], EAR_WHISPER_COLUMN_COUNT);
	walk->bad |= walk->loading && !walk->bad && !is_layout(layout);
}

static void walk_harts(struct ear_state_walk *walk, struct ear_whisper_reader *reader)
{
	struct ear_whisper_line *line = &reader->line;
	unsigned end = (unsigned)ear_state_value(walk, reader->hart_end, 4, EAR_WHISPER_HARTS);
	unsigned parsed = (unsigned)ear_state_value(walk, line->hart_end, 4, EAR_WHISPER_HARTS);

	for (unsigned hart = 0; hart < end && !walk->bad; hart++) {
		ear_state_u64(walk, &line->harts[hart].next_index, UINT64_MAX);
		ear_state_u8(walk, &line->harts[hart].frm, 7);
		ear_state_u8(walk, &line->harts[hart].vtype, UINT8_MAX);
	}
	reader->hart_end = end;
	line->hart_end = parsed;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct ear_whisper_reader *reader = (struct ear_whisper_reader *)base;
	struct ear_whisper_layout layout = reader->layout;
	uint8_t flags = get_flags(reader), xlen = (uint8_t)reader->line.xlen;

	walk_layout(walk, &layout);
	ear_state_u8(walk, &xlen, 64);
	ear_state_u8(walk, &flags, 15);
	ear_state_bool(walk, &reader->begun);
	walk_harts(walk, reader);
	if (!walk->loading)
		return 0;
	walk->bad |= xlen != 32 && xlen != 64;
	if (walk->bad)
		return 0;
	reader->line.xlen = xlen;
	set_flags(reader, flags);
	reader->layout = layout;
	ear_whisper_drop_block(reader);
	return ear_whisper_take_header(reader);
}

const struct ear_reader_resume ear_whisper_resume = {place, walk_state};
