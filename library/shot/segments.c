/* The flight recorder's store: a list of capture files in memory (memfd) or on disk.
 *
 * Only whole segments are evicted, oldest first. Sixteen of them hold the size that was asked for,
 * so an eviction costs a sixteenth of it. Each is an ordinary capture file that begins with a
 * decoder's state: nothing needs the segments before it, and what a crash leaves on disk can be
 * read by every command.
 */
#define _GNU_SOURCE /* memfd_create */

#include "library/shot/segments.h"

#include <assert.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/protocol/frame.h"
#include "common/sync.h"
#include "decoder/codec/decoder_state.h"

#define SEGMENT_COUNT 16 /* of which the oldest is evicted: so much of the size at once */
#define OVERDUE       2  /* times its size: a segment ends even if there is no state */
#define CHUNK_MAX     (256u << 10)
#define LEVEL         1 /* of zstd: most segments are evicted unread */

struct segment {
	struct segment *next; /* the one after it */
	int fd;
	uint64_t number; /* in the name of its file */
	uint64_t bytes;  /* of the stream, that were not read yet */
	uint64_t records;
	bool has_state;
	bool synced; /* its file is whole, and on the disk */
};

struct ear_segments {
	uint64_t size, segment_size;
	char *path; /* NULL: in memory */
	char *facts;
	struct segment *oldest, *open; /* open: the newest, or NULL when closed */
	uint64_t numbers;              /* of segments so far */
	uint64_t first_file;           /* number of the first whose file is there */
	unsigned count;
	struct ear_shot_writer *writer; /* of the open segment */
	struct ear_shot_states states;  /* in it, with counts and offset from its begin */
	uint64_t begin_offset;          /* of the decoder's stream, where it begins */
	struct ear_shot_reader *reader; /* of the oldest segment, if it is being read */
	uint64_t bytes, evicted_bytes;
	bool newest_empty; /* its file is there, with nothing of the stream */
};

static void make_path(const struct ear_segments *segments, char *path, size_t size, uint64_t number)
{
	snprintf(path, size, "%s%06" PRIu64 ".shot", segments->path, number);
}

static int open_file(const struct ear_segments *segments, uint64_t number)
{
	char path[4096];

	if (!segments->path)
		return memfd_create("earshot-segment", MFD_CLOEXEC);
	make_path(segments, path, sizeof(path), number);
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static void delete_file(const struct ear_segments *segments, uint64_t number)
{
	char path[4096];

	if (!segments->path)
		return;
	make_path(segments, path, sizeof(path), number);
	unlink(path);
}

/* A segment after the others; nothing is open. */
static int begin_segment(struct ear_segments *segments)
{
	struct segment *segment = calloc(1, sizeof(*segment));

	if (!segment)
		return EAR_E_NO_MEMORY;
	segment->number = segments->numbers++;
	segment->fd = open_file(segments, segment->number);
	int result = segment->fd < 0 ? EAR_E_IO
				     : ear_shot_writer_new(&segments->writer, segment->fd,
					       segments->facts, LEVEL);
	if (result) {
		int number = errno;
		if (segment->fd >= 0) {
			close(segment->fd);
			delete_file(segments, segment->number);
		}
		free(segment);
		errno = number;
		return result;
	}
	struct segment **place = &segments->oldest;
	while (*place)
		place = &(*place)->next;
	*place = segment;
	segments->open = segment;
	/* A ring has a size: there is no allowance beside the tenth. */
	ear_shot_states_init(&segments->states, EAR_SHOT_STATES_AUTOMATIC);
	segments->states.allowance = 0;
	segments->newest_empty = true;
	segments->count++;
	return 0;
}

/* The writer is gone in any case. */
static int end_segment(struct ear_segments *segments)
{
	int result = ear_shot_writer_finish(segments->writer, "");

	ear_shot_writer_free(segments->writer);
	segments->writer = NULL;
	segments->open = NULL;
	return result;
}

/* Without its file. */
static void remove_oldest(struct ear_segments *segments)
{
	struct segment *segment = segments->oldest;

	assert(segment != segments->open);
	ear_shot_reader_free(segments->reader);
	segments->reader = NULL;
	close(segment->fd);
	segments->oldest = segment->next;
	segments->bytes -= segment->bytes;
	segments->count--;
	free(segment);
}

int ear_segments_new(
	struct ear_segments **segments, uint64_t size, const char *path, const char *facts)
{
	struct ear_segments *made = calloc(1, sizeof(*made));
	int result = EAR_E_NO_MEMORY;

	assert(size >= EAR_SEGMENTS_SIZE_MIN);
	if (!made)
		return EAR_E_NO_MEMORY;
	made->size = size;
	made->segment_size = size / SEGMENT_COUNT;
	made->facts = strdup(facts);
	made->path = path ? strdup(path) : NULL;
	if (made->facts && (made->path || !path))
		result = begin_segment(made);
	if (result) {
		int number = errno;
		ear_segments_free(made, false);
		errno = number;
		return result;
	}
	made->oldest->has_state = true; /* nobody needs one at the beginning of the run */
	*segments = made;
	return 0;
}

void ear_segments_free(struct ear_segments *segments, bool keep_files)
{
	if (!segments)
		return;
	if (segments->open)
		end_segment(segments);
	/* The newest may have been begun only now; a file with nothing in it is of no use. */
	if (segments->newest_empty)
		delete_file(segments, segments->numbers - 1);
	while (segments->oldest)
		remove_oldest(segments);
	if (!keep_files)
		ear_segments_forget(segments);
	free(segments->facts);
	free(segments->path);
	free(segments);
}

int ear_segments_push(struct ear_segments *segments, const uint8_t *bytes, size_t size)
{
	assert(segments->open);
	int result = ear_shot_writer_push(segments->writer, bytes, size);
	if (result)
		return result;
	segments->open->bytes += size;
	segments->newest_empty &= size == 0;
	segments->bytes += size;
	return 0;
}

int ear_segments_loss(struct ear_segments *segments, uint64_t size)
{
	segments->newest_empty = false;
	return ear_shot_writer_loss(segments->writer, size);
}

size_t ear_segments_chunk_size(const struct ear_segments *segments)
{
	_Static_assert(EAR_SEGMENTS_SIZE_MIN / SEGMENT_COUNT >= 2 * EAR_FRAME_SIZE_MAX,
		"a piece holds a whole frame");
	return segments->segment_size < CHUNK_MAX ? (size_t)segments->segment_size : CHUNK_MAX;
}

/* The decoder as if the stream began where the segment does. What it points to is shared. */
static void count_from_begin(const struct ear_segments *segments, const struct ear_decoder *decoder,
	struct ear_decoder *here)
{
	*here = *decoder;
	here->stream.offset -= segments->begin_offset;
	here->statistics.records -= segments->open->records;
	here->statistics.gaps = here->statistics.events = 0;
}

int ear_segments_turn(struct ear_segments *segments, const struct ear_decoder *decoder)
{
	struct ear_decoder here;
	int result;

	if (segments->open->bytes < segments->segment_size) {
		if (decoder->statistics.records - segments->open->records < segments->states.next ||
			!ear_shot_states_end_frames(&segments->states, decoder))
			return 0;
		count_from_begin(segments, decoder, &here);
		return ear_shot_states_write(&segments->states, segments->writer, &here);
	}
	bool saved = ear_decoder_can_save(decoder);
	if (!saved && segments->open->bytes < OVERDUE * segments->segment_size)
		return 0;

	result = end_segment(segments);
	if (result == 0)
		result = begin_segment(segments);
	if (result == 0) {
		segments->open->records = decoder->statistics.records;
		segments->begin_offset = decoder->stream.offset;
	}
	if (result == 0 && saved) {
		count_from_begin(segments, decoder, &here);
		result = ear_shot_states_write_whole(&segments->states, segments->writer, &here);
	}
	if (result == 0)
		segments->open->has_state = saved && segments->states.whole_cost > 0;
	return result;
}

bool ear_segments_excess(const struct ear_segments *segments)
{
	const struct segment *oldest = segments->oldest;

	return oldest && oldest != segments->open &&
	       segments->bytes - oldest->bytes >= segments->size;
}

void ear_segments_evict(struct ear_segments *segments)
{
	assert(!segments->reader && segments->oldest->next);
	segments->evicted_bytes += segments->oldest->bytes;
	remove_oldest(segments);
	ear_segments_forget(segments);
}

int ear_segments_close(struct ear_segments *segments)
{
	return segments->open ? end_segment(segments) : 0;
}

static int open_reader(struct ear_segments *segments)
{
	if (lseek(segments->oldest->fd, 0, SEEK_SET) < 0)
		return EAR_E_IO;
	return ear_shot_reader_new(&segments->reader, segments->oldest->fd, NULL, 0);
}

int ear_segments_state(struct ear_segments *segments, struct ear_shot_state *state)
{
	return segments->reader ? ear_shot_reader_state(segments->reader, state) : EAR_E_BAD_FILE;
}

int ear_segments_read(struct ear_segments *segments, uint8_t *buffer, size_t size, size_t *count)
{
	while (segments->oldest && segments->oldest != segments->open) {
		int result = segments->reader ? 0 : open_reader(segments);
		if (result)
			return result;
		int item = ear_shot_reader_next(segments->reader, buffer, size, count);
		if (item == EAR_SHOT_BYTES) {
			/* A file that somebody has changed may hold anything. */
			uint64_t part =
				*count < segments->oldest->bytes ? *count : segments->oldest->bytes;
			segments->oldest->bytes -= part;
			segments->bytes -= part;
		}
		if (item != EAR_SHOT_END && item != EAR_SHOT_LINE_DIFF)
			return item;
		if (item == EAR_SHOT_END)
			remove_oldest(segments);
	}
	return EAR_SHOT_END;
}

void ear_segments_forget(struct ear_segments *segments)
{
	uint64_t end = segments->oldest ? segments->oldest->number : segments->numbers;

	for (; segments->first_file < end; segments->first_file++)
		delete_file(segments, segments->first_file);
}

void ear_segments_statistics(
	const struct ear_segments *segments, struct ear_segments_statistics *statistics)
{
	const struct segment *oldest = segments->oldest;

	*statistics = (struct ear_segments_statistics){
		.bytes = segments->bytes,
		.evicted_bytes = segments->evicted_bytes,
		.records = oldest ? oldest->records : 0,
		.has_state = oldest && oldest->has_state,
		.count = segments->count,
		.files = segments->path ? segments->numbers - segments->first_file : 0,
	};
}

int ear_segments_flush(struct ear_segments *segments)
{
	return segments->path && segments->open ? ear_shot_writer_flush(segments->writer) : 0;
}

int ear_segments_sync(struct ear_segments *segments)
{
	int result = 0;

	if (!segments->path)
		return 0;
	for (struct segment *segment = segments->oldest; segment && result == 0;
		segment = segment->next) {
		if (segment->synced)
			continue;
		result = ear_sync_file(segment->fd);
		segment->synced = result == 0 && segment != segments->open;
	}
	return result ? result : ear_sync_name(segments->path);
}
