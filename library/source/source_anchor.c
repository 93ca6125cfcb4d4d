/* Places in a trace where reading can begin.
 *
 * Before the first record there is nothing to know: the state is empty. After it, of a capture or
 * dump it is the decoder's (decoder/codec/decoder_anchor.c), of a text that of its reader, with
 * what any reader knows before it:
 *
 *     the number of the line that comes next
 *     the members of struct ear_reader that lines change: walks, XLEN, no hart, index given
 *     what the format's reader knows (ear_reader_resume.walk in its reader_*.c)
 *
 * Integers are little-endian, as common/state_walk.h writes them.
 */
#include "library/source/source_anchor.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "common/protocol/bytes.h"
#include "common/state_walk.h"
#include "decoder/codec/decoder_anchor.h"
#include "library/source/source_internal.h"

void ear_anchor_fini(struct ear_anchor *anchor)
{
	free(anchor->state);
	*anchor = (struct ear_anchor){.state = NULL};
}

static bool has_anchors(const struct ear_source *source)
{
	return source->anchored && source->jobs <= 1 && !source->threaded && !source->equal &&
	       !source->skipped;
}

/* Texts ------------------------------------------------------------------------------------ */

/* Where the next line is. Returns false if there can be no anchor. */
static bool find_line(const struct ear_source *source, uint64_t *offset, uint64_t *line_number)
{
	const struct ear_reader *reader = source->reader;

	if (!reader->resume || reader->options.lines || !ear_reader_is_settled(reader))
		return false;
	if (reader->resume->place)
		return reader->resume->place(reader, offset, line_number);
	*offset = ear_text_input_next_offset(source->text);
	*line_number = ear_text_input_next_line(source->text);
	return true;
}

static int walk_text(struct ear_state_walk *walk, struct ear_reader *reader, uint64_t *line_number)
{
	ear_state_u64(walk, line_number, UINT64_MAX);
	ear_state_bool(walk, &reader->has_walks);
	ear_state_u8(walk, &reader->xlen, 64);
	walk->bad |= walk->loading && reader->xlen != 0 && reader->xlen != 32 && reader->xlen != 64;
	ear_state_bool(walk, &reader->guessed);
	ear_state_bool(walk, &reader->extended);
	ear_state_bool(walk, &reader->no_hart);
	ear_state_bool(walk, &reader->index_given);
	uint32_t harts = reader->hart_count;
	ear_state_u32(walk, &harts);
	walk->bad |= walk->loading && harts > EAR_READER_HARTS_MAX;
	reader->hart_count = walk->bad ? 0 : harts;
	for (unsigned i = 0; i < reader->hart_count; i++) {
		ear_state_u16(walk, &reader->harts[i].hart, UINT16_MAX);
		ear_state_u64(walk, &reader->harts[i].next_index, UINT64_MAX);
	}
	return reader->resume->walk ? reader->resume->walk(reader, walk) : 0;
}

/* Only a walk that loads changes the reader. */
static int save_text(struct ear_source *source, struct ear_anchor *anchor)
{
	struct ear_state_walk walk = {.bytes = NULL};
	uint64_t line_number;

	if (!find_line(source, &anchor->byte, &line_number))
		return EAR_E_UNSUPPORTED;
	anchor->file_offset = anchor->frame_byte = anchor->byte;
	int result = walk_text(&walk, source->reader, &line_number);
	if (result)
		return result;
	if (walk.at > EAR_ANCHOR_STATE_MAX)
		return EAR_E_UNSUPPORTED;
	anchor->size = walk.at;
	anchor->state = malloc(walk.at);
	if (!anchor->state)
		return EAR_E_NO_MEMORY;
	walk = (struct ear_state_walk){.bytes = anchor->state, .size = anchor->size};
	return walk_text(&walk, source->reader, &line_number);
}

/* A new reader at the beginning of the text, which knows no lines. */
static int renew_text(struct ear_source *source)
{
	const struct ear_reader_options options = source->reader->options;
	struct ear_text_input *input;
	const struct ear_reader_format *format = source->text_format;
	struct ear_reader *reader = NULL;

	int result = ear_text_input_new(&input, source->fd, NULL, 0);
	if (result)
		return result;
	ear_text_input_use_offsets(input);
	result = ear_source_look(input, &format, true);
	if (result == 0)
		result = ear_source_make_reader(&reader, input, format, &options, source->fault);
	if (result) {
		ear_text_input_free(input);
		return result;
	}
	ear_reader_free(source->reader);
	ear_text_input_free(source->text);
	source->reader = reader;
	source->text = input;
	return 0;
}

static int load_text(struct ear_source *source, const struct ear_anchor *anchor)
{
	struct ear_state_walk walk = {
		.bytes = anchor->state, .size = anchor->size, .loading = true};
	uint64_t line_number = 0;
	int result = renew_text(source);

	if (result || anchor->position == 0)
		return result;
	if (!source->reader->resume || source->reader->options.lines)
		return EAR_E_UNSUPPORTED;
	if (anchor->size < sizeof(line_number))
		return EAR_E_BAD_FILE;
	result = ear_text_input_go_to(source->text, anchor->byte, ear_load_le64(anchor->state));
	if (result == 0)
		result = walk_text(&walk, source->reader, &line_number);
	return result == 0 && (walk.bad || walk.at != walk.size) ? EAR_E_BAD_FILE : result;
}

/* Any source ------------------------------------------------------------------------------- */

int ear_source_anchor(struct ear_source *source, struct ear_anchor *anchor)
{
	struct ear_source_wire_place place;
	int result;

	*anchor = (struct ear_anchor){
		.position = ear_source_position(source), .number = ear_source_number(source)};
	if (!has_anchors(source) || (source->layers && anchor->position > 0))
		return EAR_E_UNSUPPORTED;
	if (anchor->position == 0)
		return 0;
	if (source->reader)
		return save_text(source, anchor);
	result = ear_source_wire_save(&source->wire, &place, &anchor->state, &anchor->size);
	if (result)
		return result;
	anchor->byte = place.byte;
	anchor->file_offset = place.file_offset;
	anchor->frame_byte = place.frame_byte;
	return 0;
}

static int load_wire(struct ear_source *source, const struct ear_anchor *anchor)
{
	const struct ear_source_wire_place place = {anchor->position, anchor->number, anchor->byte,
		anchor->file_offset, anchor->frame_byte};

	source->looked = false;
	if (anchor->position > 0)
		return ear_source_wire_load(&source->wire, &place, anchor->state, anchor->size);
	ear_source_wire_rewind(&source->wire);
	return 0;
}

int ear_source_seek(struct ear_source *source, const struct ear_anchor *anchor)
{
	if (!has_anchors(source) || (source->layers && anchor->position > 0))
		return EAR_E_UNSUPPORTED;
	if (anchor->number > anchor->position || anchor->size > EAR_ANCHOR_STATE_MAX ||
		(anchor->position == 0 && anchor->size > 0))
		return EAR_E_BAD_FILE;
	source->position = anchor->position;
	source->number = anchor->number;
	int result = source->reader ? load_text(source, anchor) : load_wire(source, anchor);
	return result ? result : ear_source_renew_layer(source);
}

int ear_source_seek_place(struct ear_source *source, const struct ear_shot_place *place)
{
	if (!has_anchors(source) || source->reader || source->layers)
		return EAR_E_UNSUPPORTED;
	if (place->instructions > place->records)
		return EAR_E_BAD_FILE;
	const struct ear_source_wire_place found = {.position = place->records,
		.number = place->instructions,
		.byte = place->stream_offset,
		.file_offset = place->file_offset};
	source->looked = false;
	return ear_source_wire_load_place(&source->wire, &found);
}

int ear_anchor_meets(const struct ear_anchor *end, const struct ear_anchor *begin)
{
	if (end->position != begin->position || end->number != begin->number ||
		end->byte != begin->byte || !end->state || !begin->state)
		return 0;
	return ear_decoder_anchor_meets(end->state, end->size, begin->state, begin->size);
}

void ear_source_checksum_begin(struct ear_source *source)
{
	uint64_t offset, line_number;

	if (source->looked) { /* its bytes are gone */
		source->looked = false;
		ear_source_wire_rewind(&source->wire);
	}
	if (!source->reader)
		ear_source_wire_sum(&source->wire);
	else if (find_line(source, &offset, &line_number))
		ear_text_input_sum(source->text, offset);
}

uint64_t ear_source_checksum(struct ear_source *source)
{
	uint64_t offset, line_number;

	if (!source->reader)
		return ear_source_wire_checksum(&source->wire);
	return find_line(source, &offset, &line_number)
		       ? ear_text_input_checksum(source->text, offset)
		       : 0;
}
