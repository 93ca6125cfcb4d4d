/* Checkpoints in the file.
 *
 * Most of a checkpoint is what the decoder's predictor knows, and between two checkpoints most of
 * that stays. So one in some is whole, and the others are compressed with that one as zstd's
 * prefix: two blocks give any checkpoint. Much of what changes is in the caches of the predictor,
 * so it is also in memory: where the node before has a version, that is part of the prefix, too.
 */
#include "library/index/file/index_checkpoint.h"

#include <stdlib.h>

#include "library/index/file/index_version.h"

#include <earshot/error.h>

#define HEADER_SIZE 12u
#define WITH_LINES  1u

void ear_index_checkpoint_fini(struct ear_index_checkpoint *checkpoint)
{
	ear_anchor_fini(&checkpoint->anchor);
	ear_index_bytes_fini(&checkpoint->registers);
	ear_index_bytes_fini(&checkpoint->stacks);
	ear_index_bytes_fini(&checkpoint->expected);
}

static void put_part(struct ear_index_bytes *bytes, const void *part, size_t size)
{
	ear_index_bytes_put_value(bytes, size, 4);
	ear_index_bytes_put(bytes, part, size);
}

void ear_index_checkpoint_put(
	const struct ear_index_checkpoint *checkpoint, struct ear_index_bytes *bytes)
{
	ear_index_bytes_put_value(bytes, checkpoint->anchor.byte, 8);
	ear_index_bytes_put_value(bytes, checkpoint->anchor.file_offset, 8);
	ear_index_bytes_put_value(bytes, checkpoint->anchor.frame_byte, 8);
	put_part(bytes, checkpoint->anchor.state, checkpoint->anchor.size);
	put_part(bytes, checkpoint->registers.bytes, checkpoint->registers.size);
	put_part(bytes, checkpoint->stacks.bytes, checkpoint->stacks.size);
	put_part(bytes, checkpoint->expected.bytes, checkpoint->expected.size);
}

int ear_index_checkpoint_pack(struct ear_index_packer *packer, struct ear_index_bytes *block,
	const struct ear_index_bytes *contents, uint32_t back, const struct ear_index_bytes *base,
	const struct ear_index_bytes *lines)
{
	struct ear_index_bytes prefix = {0};

	if (back > 0)
		ear_index_bytes_put(&prefix, base->bytes, base->size);
	if (lines)
		ear_index_bytes_put(&prefix, lines->bytes, lines->size);
	ear_index_bytes_put_value(block, back, 4);
	ear_index_bytes_put_value(block, lines ? WITH_LINES : 0, 4);
	ear_index_bytes_put_value(block, contents->size, 4);
	int result = prefix.failed ? EAR_E_NO_MEMORY
				   : ear_index_pack(packer, block, contents->bytes, contents->size,
					     prefix.bytes, prefix.size);
	ear_index_bytes_fini(&prefix);
	return result;
}

/* The node of the last checkpoint at or before position. */
static size_t find_node(const struct ear_index *index, uint64_t position)
{
	size_t node = ear_index_file_find(index, position);

	while (node > 0 && index->directory.levels[0].nodes[node].checkpoint.size == 0)
		node--;
	return node;
}

uint64_t ear_index_checkpoint_before(const struct ear_index *index, uint64_t position)
{
	if (index->directory.level_count == 0)
		return 0;
	return index->directory.levels[0].nodes[find_node(index, position)].position;
}

/* The contents of a checkpoint; may_differ: it may be a difference to another one. */
static int read_contents(const struct ear_index *index, size_t node, bool may_differ,
	uint8_t **contents, size_t *size);

/* What a checkpoint was packed with. */
static int read_prefix(const struct ear_index *index, size_t node, uint32_t back, uint32_t flags,
	struct ear_index_bytes *prefix)
{
	struct ear_index_version version;
	int result = 0;

	if (back > 0) {
		uint8_t *base;
		size_t size;
		result = read_contents(index, node - back, false, &base, &size);
		if (result)
			return result;
		ear_index_bytes_put(prefix, base, size);
		free(base);
	}
	if (flags & WITH_LINES) {
		result = node > 0 ? ear_index_version_read(&version, index, node - 1)
				  : EAR_E_BAD_FILE;
		if (result)
			return result;
		result = ear_index_version_bytes(&version, index, prefix);
		ear_index_version_fini(&version);
	}
	return prefix->failed ? EAR_E_NO_MEMORY : result;
}

static int read_contents(const struct ear_index *index, size_t node, bool may_differ,
	uint8_t **contents, size_t *size)
{
	const struct ear_index_node *here = &index->directory.levels[0].nodes[node];
	struct ear_index_bytes prefix = {0};
	uint8_t *block;

	if (here->checkpoint.size < HEADER_SIZE)
		return EAR_E_BAD_FILE;
	int result =
		ear_index_file_read(index, here->checkpoint.offset, here->checkpoint.size, &block);
	if (result)
		return result;
	uint32_t back = ear_load_le32(block), flags = ear_load_le32(block + 4);
	*size = ear_load_le32(block + 8);
	if (*size != here->checkpoint.unpacked || back > node || (back > 0 && !may_differ))
		result = EAR_E_BAD_FILE;
	else
		result = read_prefix(index, node, back, flags, &prefix);
	if (result == 0)
		result = ear_index_unpack(index->context, contents, *size, block + HEADER_SIZE,
			here->checkpoint.size - HEADER_SIZE, prefix.bytes, prefix.size);
	ear_index_bytes_fini(&prefix);
	free(block);
	return result;
}

static void get_part(struct ear_index_cursor *cursor, struct ear_index_bytes *part)
{
	uint64_t size = ear_index_cursor_value(cursor, 4);
	const uint8_t *bytes = ear_index_cursor_take(cursor, size);

	if (bytes)
		ear_index_bytes_put(part, bytes, (size_t)size);
}

int ear_index_checkpoint_read(const struct ear_index *index, uint64_t position, size_t *node,
	struct ear_index_checkpoint *checkpoint)
{
	struct ear_index_bytes state = {0};
	uint8_t *contents;
	size_t size;

	*checkpoint = (struct ear_index_checkpoint){0};
	if (index->directory.level_count == 0)
		return EAR_E_BAD_FILE;
	*node = find_node(index, position);
	int result = read_contents(index, *node, true, &contents, &size);
	if (result)
		return result;
	struct ear_index_cursor cursor = {contents, contents + size, false};
	struct ear_anchor *anchor = &checkpoint->anchor;
	anchor->position = index->directory.levels[0].nodes[*node].position;
	anchor->number = index->directory.levels[0].nodes[*node].number;
	anchor->byte = ear_index_cursor_value(&cursor, 8);
	anchor->file_offset = ear_index_cursor_value(&cursor, 8);
	anchor->frame_byte = ear_index_cursor_value(&cursor, 8);
	get_part(&cursor, &state);
	get_part(&cursor, &checkpoint->registers);
	get_part(&cursor, &checkpoint->stacks);
	get_part(&cursor, &checkpoint->expected);
	anchor->state = state.bytes;
	anchor->size = state.size;
	if (state.failed || checkpoint->registers.failed || checkpoint->stacks.failed ||
		checkpoint->expected.failed)
		result = EAR_E_NO_MEMORY;
	else if (cursor.failed || cursor.at != cursor.end)
		result = EAR_E_BAD_FILE;
	free(contents);
	return result;
}

int ear_index_checkpoint_anchor(
	const struct ear_index *index, uint64_t position, size_t *node, struct ear_anchor *anchor)
{
	struct ear_index_checkpoint checkpoint;
	int result = ear_index_checkpoint_read(index, position, node, &checkpoint);

	*anchor = (struct ear_anchor){0};
	if (result == 0) {
		*anchor = checkpoint.anchor;
		checkpoint.anchor = (struct ear_anchor){0};
	}
	ear_index_checkpoint_fini(&checkpoint);
	return result;
}

int ear_index_save_state(const struct ear_state *state, struct ear_index_bytes *bytes)
{
	size_t size = ear_state_save(state, NULL, 0);
	uint8_t *room = ear_index_bytes_grow(bytes, size);

	if (!room)
		return EAR_E_NO_MEMORY;
	ear_state_save(state, room, size);
	return 0;
}

struct ear_state_source ear_index_state_source(const struct ear_source *source)
{
	bool capture = ear_source_text_format(source) == NULL;

	return (struct ear_state_source){.captured = capture, .shows_fflags = capture};
}
