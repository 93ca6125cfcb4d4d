/* The state of a Whisper reader after a line, for readers of other chunks (struct ear_reader_cut).
 *
 * A snapshot holds what decides how the next line is decoded: the columns, XLEN, the warnings given
 * already, the rounding mode and vtype of each hart. The indexes of harts are kept apart, since a
 * reader of a later chunk guesses them. Patterns are left out: they change the speed, not the
 * records.
 */
#include <earshot/error.h>
#include <string.h>

#include "formats/whisper/whisper_any_line.h"

/* Warnings that are given once, as bits. */
static uint8_t warning_bits(const struct ear_whisper_reader *reader)
{
	return (uint8_t)(reader->columns_reported | reader->comment_reported << 1);
}

static int save(const struct ear_reader *base, struct ear_snapshot *snapshot)
{
	const struct ear_whisper_reader *reader = (const struct ear_whisper_reader *)base;
	const struct ear_whisper_layout *layout = &reader->layout;
	const struct ear_whisper_hart *harts = reader->line.harts;
	const uint8_t head[] = {(uint8_t)layout->count, layout->usual, (uint8_t)reader->line.xlen,
		warning_bits(reader)};
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
	reader->columns_reported = head[3] & 1;
	reader->comment_reported = head[3] >> 1 & 1;
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
