/* Reading of a capture file from the middle.
 *
 * The reader notes where the zstd frames begin whose bytes somebody may still have. Whoever was
 * there can come back: the frame is read again from its beginning, which is all that its bytes
 * depend on. What does not depend on it alone is noted as unsure: zstd gives more or less of a
 * damaged frame, by the room that it has, and a state may be a difference to the one before.
 */
#include "library/shot/shot_reader_internal.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ear_shot_reader_use_offsets(struct ear_shot_reader *reader)
{
	reader->at_offsets = true;
}

bool ear_shot_reader_place(const struct ear_shot_reader *reader, uint64_t byte,
	uint64_t *file_offset, uint64_t *frame_byte)
{
	size_t low = 0, high = reader->start_count; /* the first that begins after byte */

	if (!reader->is_shot) {
		*file_offset = *frame_byte = byte;
		return true;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (reader->starts[middle].stream_offset <= byte)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*file_offset = reader->starts[low - 1].file_offset;
	*frame_byte = reader->starts[low - 1].stream_offset;
	return true;
}

static void forget_input(struct ear_shot_reader *reader, uint64_t file_offset)
{
	reader->at_offsets = true;
	reader->again = 0;
	reader->position = reader->filled = 0;
	reader->input_offset = file_offset;
	reader->end_of_file = false;
	reader->kept = false;
	reader->last_was_seek_table = false;
	reader->parity_end = reader->repaired_to = 0;
	reader->known = KNOWN_NOTHING;
	reader->start_count = 0;
	free(reader->diff.bytes);
	reader->diff = (struct ear_shot_line_diff){.format = 0};
}

void ear_shot_reader_jump(struct ear_shot_reader *reader, uint64_t file_offset, uint64_t frame_byte)
{
	forget_input(reader, file_offset);
	reader->stream_offset = frame_byte;
	reader->jumped = reader->known_cut = true;
	reader->unsure = false;
	reader->step = reader->is_shot ? STATE_BETWEEN : STATE_RAW;
}

void ear_shot_reader_rewind(struct ear_shot_reader *reader)
{
	forget_input(reader, 0);
	/* How much zstd gives of a damaged frame depends on how the input is divided: as before. */
	reader->again = reader->prefix_size;
	reader->capacity = EAR_SHOT_INPUT_SIZE;
	reader->stream_offset = 0;
	reader->jumped = reader->known_cut = reader->unsure = false;
	reader->fault[0] = reader->mended[0] = '\0';
	for (unsigned i = 0; i < 2; i++) {
		free(reader->facts[i]);
		reader->facts[i] = NULL;
	}
	reader->step = STATE_START;
}

bool ear_shot_reader_is_unsure(const struct ear_shot_reader *reader)
{
	return reader->unsure;
}

int ear_shot_reader_seek(struct ear_shot_reader *reader, uint64_t file_offset)
{
	if (!reader->at_offsets && lseek(reader->fd, (off_t)file_offset, SEEK_SET) < 0)
		return EAR_E_IO;
	reader->position = reader->filled = 0;
	reader->input_offset = file_offset;
	reader->end_of_file = false;
	reader->kept = false;
	reader->parity_end = reader->repaired_to = 0;
	reader->known = KNOWN_NOTHING;
	reader->step = STATE_BETWEEN;
	return 0;
}
