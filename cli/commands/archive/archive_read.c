/* The blocks of objects are read in order, unpacked by threads in any order, and taken back in
 * order. A block that is damaged costs what is in it: the table at the end of the object says which
 * lines, and where the next block begins.
 */
#include "cli/commands/archive/archive_read.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "library/archive/object_table.h"
#include "library/parallel/thread_pool.h"

#define SLOTS_MAX (CLI_JOBS_MAX + 1)

/* A block on its way. */
struct slot {
	const struct ear_manifest_entry *entry;
	bool first, last;
	bool cut;        /* blocks after this one were not found */
	uint64_t number; /* of the block in its object, from 1 */
	uint64_t line;   /* of its first line in the file, from 1 */
	uint64_t lines;
	struct ear_pack_bytes frame, text;
	int result;
};

struct reader {
	const struct archive_store *store;
	const struct archive_sink *sink;
	const struct ear_manifest_entry *const *entries;
	size_t count, next;
	struct ear_thread_pool *pool;
	struct slot slots[SLOTS_MAX];
	size_t slot_count;

	/* The object that is read. */
	const struct ear_manifest_entry *entry; /* NULL: none */
	int fd;
	struct ear_object_table table;
	size_t block;
	uint64_t offset, line;
	bool cut; /* not all of its blocks were found */

	/* The file that is given to the sink. */
	SHA2_CTX sha256;
	bool whole;

	double progress;
	bool all_whole, ended;
};

static void unpack_slot(void *context, size_t number, unsigned thread)
{
	struct reader *reader = context;
	struct slot *slot = &reader->slots[number];

	(void)thread;
	if (slot->result == 0 && slot->frame.size > 0)
		slot->result = ear_text_unpack(&slot->text, slot->frame.bytes, slot->frame.size);
}

/* Bytes of an object. */
static bool read_at(int fd, uint8_t *to, size_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t got = pread(fd, to, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

static void report(
	const struct reader *reader, const struct ear_manifest_entry *entry, const char *why)
{
	char path[ARCHIVE_OBJECT_MAX];

	archive_store_object(path, entry->sha256, entry->records);
	cli_error("%s: %s/%s: %s", entry->path, reader->store->name, path, why);
}

/* The frame at an offset, and its block. Returns false if there is none that is whole. */
static bool read_frame(const struct reader *reader, uint64_t offset, uint64_t size,
	struct ear_pack_bytes *frame, struct ear_frame_info *info)
{
	size_t most =
		size < 2 * EAR_TEXT_PACK_BLOCK_MAX ? (size_t)size : 2 * EAR_TEXT_PACK_BLOCK_MAX;

	frame->size = 0;
	for (size_t want = (size_t)1 << 20;; want *= 4) {
		want = want < most ? want : most;
		if (!ear_pack_bytes_reserve(frame, want) ||
			!read_at(reader->fd, frame->bytes, want, offset))
			return false;
		if (ear_frame_look(info, frame->bytes, want) == 0)
			return info->text;
		if (want == most)
			return false;
	}
}

/* Without a table: blocks from the first one on, as far as they are whole. */
static int walk_blocks(struct reader *reader, uint64_t size)
{
	struct ear_pack_bytes frame = {0}, text = {0};
	struct ear_frame_info info;
	uint64_t offset = 0;
	int result = 0;

	while (result == 0 && reader->table.count < reader->entry->blocks && offset < size &&
		read_frame(reader, offset, size - offset, &frame, &info) &&
		ear_text_unpack(&text, frame.bytes, info.frame_size) == 0) {
		struct ear_object_block block = {info.frame_size, text.size, 0};
		for (size_t i = 0; i < text.size; i++)
			block.lines += text.bytes[i] == '\n';
		result = ear_object_table_add(&reader->table, &block);
		offset += info.frame_size;
	}
	reader->cut = reader->table.count < reader->entry->blocks;
	free(frame.bytes);
	free(text.bytes);
	return result == 0 && reader->table.count == 0 ? EAR_E_BAD_FILE : result;
}

/* The table of an object; where there is one block, the object is that block. */
static int find_blocks(struct reader *reader, uint64_t size)
{
	const struct ear_manifest_entry *entry = reader->entry;
	const struct ear_object_block only = {size, entry->size, entry->lines};
	uint64_t tail = 2 * EAR_OBJECT_TABLE_MAX < size ? 2 * EAR_OBJECT_TABLE_MAX : size;

	reader->table.count = 0;
	reader->cut = false;
	if (entry->blocks <= 1)
		return ear_object_table_add(&reader->table, &only);
	uint8_t *bytes = malloc((size_t)tail);
	int result = bytes ? EAR_E_BAD_FILE : EAR_E_NO_MEMORY;
	if (bytes && read_at(reader->fd, bytes, (size_t)tail, size - tail)) {
		ear_object_table_fini(&reader->table);
		result = ear_object_table_take(
			&reader->table, entry->blocks, size, bytes, (size_t)tail);
	}
	free(bytes);
	return result == EAR_E_BAD_FILE ? walk_blocks(reader, size) : result;
}

static bool open_object(struct reader *reader)
{
	char path[ARCHIVE_OBJECT_MAX];
	struct stat status;

	archive_store_object(path, reader->entry->sha256, reader->entry->records);
	reader->fd = openat(reader->store->fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (reader->fd < 0 || fstat(reader->fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		report(reader, reader->entry, reader->fd < 0 ? strerror(errno) : "not a file");
		return false;
	}
	int result = find_blocks(reader, (uint64_t)status.st_size);
	if (result)
		report(reader, reader->entry,
			result == EAR_E_BAD_FILE
				? "the whole file is lost: its first block and both tables are damaged"
				: ear_error_text(result));
	return result == 0;
}

/* Begin the next file. Returns false if there is none. One without an object, or whose object
 * cannot be opened, is a block without bytes. */
static bool open_next(struct reader *reader)
{
	while (reader->next < reader->count) {
		reader->entry = reader->entries[reader->next++];
		if (reader->entry->kind != EAR_MANIFEST_FILE)
			continue;
		reader->block = 0;
		reader->offset = 0;
		reader->line = 1;
		reader->fd = -1;
		reader->table.count = 0;
		return true;
	}
	reader->entry = NULL;
	return false;
}

static void close_object(struct reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
	reader->entry = NULL;
}

/* The next block of the object into a slot. */
static void fill_slot(struct reader *reader, struct slot *slot)
{
	slot->entry = reader->entry;
	slot->first = reader->block == 0;
	slot->number = reader->block + 1;
	slot->line = reader->line;
	slot->lines = 0;
	slot->frame.size = slot->text.size = 0;
	slot->result = 0;
	slot->cut = false;
	if (slot->first && reader->entry->blocks > 0 && !open_object(reader)) {
		slot->result = EAR_E_IO; /* it was reported */
		reader->table.count = 0;
	}
	if (reader->block < reader->table.count) {
		const struct ear_object_block *block = &reader->table.blocks[reader->block];
		slot->lines = block->lines;
		slot->result = EAR_E_NO_MEMORY;
		if (block->size > 2 * EAR_TEXT_PACK_BLOCK_MAX)
			slot->result = EAR_E_BAD_FILE;
		else if (ear_pack_bytes_reserve(&slot->frame, (size_t)block->size))
			slot->result = read_at(reader->fd, slot->frame.bytes, (size_t)block->size,
					       reader->offset)
					       ? 0
					       : EAR_E_BAD_FILE;
		slot->frame.size = slot->result ? 0 : (size_t)block->size;
		reader->offset += block->size;
		reader->line += block->lines;
	}
	reader->block++;
	slot->last = reader->block >= reader->table.count;
	slot->cut = slot->last && slot->result == 0 && reader->cut;
	if (slot->last)
		close_object(reader);
}

static bool submit_next(struct reader *reader)
{
	size_t number;

	if (reader->ended || cli_interrupted || !ear_thread_pool_free_slot(reader->pool, &number))
		return false;
	if (!reader->entry && !open_next(reader))
		return false;
	fill_slot(reader, &reader->slots[number]);
	ear_thread_pool_submit(reader->pool);
	return true;
}

/* Which lines a damaged block has. A file whose last line has no line feed has one more. */
static void report_block(const struct reader *reader, const struct slot *slot)
{
	char why[160];
	uint64_t last = slot->line + slot->lines - (slot->lines > 0);

	snprintf(why, sizeof(why),
		"block %" PRIu64 " is damaged, or of another version of Earshot: lines %" PRIu64
		" to %" PRIu64 "%s are lost",
		slot->number, slot->line, last, slot->last ? ", the last ones," : "");
	report(reader, slot->entry,
		slot->result == EAR_E_BAD_FILE ? why : ear_error_text(slot->result));
}

static void report_cut(struct reader *reader, const struct slot *slot)
{
	char why[160];

	snprintf(why, sizeof(why),
		"it is cut off, or damaged in both tables, after block %" PRIu64 ": lines %" PRIu64
		" to %" PRIu64 ", the last ones, are lost",
		slot->number, slot->line + slot->lines, slot->entry->lines);
	report(reader, slot->entry, why);
	reader->whole = false;
}

static bool end_file(struct reader *reader, const struct slot *slot)
{
	char sha256[EAR_MANIFEST_SHA256];

	SHA256End(&reader->sha256, sha256);
	if (reader->whole && strcmp(sha256, slot->entry->sha256) != 0) {
		report(reader, slot->entry,
			"the file that it gives is not the one that was archived");
		reader->whole = false;
	}
	reader->all_whole &= reader->whole;
	return !reader->sink->end ||
	       reader->sink->end(reader->sink->context, slot->entry, reader->whole);
}

static bool take_slot(struct reader *reader, const struct slot *slot)
{
	const struct archive_sink *sink = reader->sink;

	if (slot->first) {
		SHA256Init(&reader->sha256);
		reader->whole = true;
		if (sink->begin && !sink->begin(sink->context, slot->entry))
			return false;
	}
	if (slot->result) {
		if (slot->result != EAR_E_IO)
			report_block(reader, slot);
		reader->whole = false;
	} else {
		SHA256Update(&reader->sha256, slot->text.bytes, slot->text.size);
		if (sink->text && !sink->text(sink->context, slot->text.bytes, slot->text.size))
			return false;
	}
	if (slot->cut)
		report_cut(reader, slot);
	return !slot->last || end_file(reader, slot);
}

static void read_all(struct reader *reader)
{
	size_t number;

	for (;;) {
		while (submit_next(reader))
			;
		if (!ear_thread_pool_wait(reader->pool, &number))
			break;
		if (!reader->ended && !take_slot(reader, &reader->slots[number]))
			reader->ended = true;
		ear_thread_pool_release(reader->pool);
		if (cli_progress_due(&reader->progress))
			cli_progress("restoring: %zu of %zu", reader->next, reader->count);
	}
}

int archive_read(const struct archive_store *store, const struct ear_manifest_entry *const *entries,
	size_t count, unsigned jobs, const struct archive_sink *sink)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int result = -1;

	if (reader) {
		*reader = (struct reader){.store = store,
			.sink = sink,
			.entries = entries,
			.count = count,
			.slot_count = jobs + 1,
			.fd = -1,
			.all_whole = true};
	}
	if (!reader || ear_thread_pool_new(
			       &reader->pool, jobs, reader->slot_count, unpack_slot, reader) != 0) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		goto out_free;
	}
	read_all(reader);
	ear_thread_pool_free(reader->pool);
	close_object(reader);
	ear_object_table_fini(&reader->table);
	for (size_t i = 0; i < reader->slot_count; i++) {
		free(reader->slots[i].frame.bytes);
		free(reader->slots[i].text.bytes);
	}
	result = reader->ended || cli_interrupted ? -1 : reader->all_whole;
out_free:
	free(reader);
	return result;
}
