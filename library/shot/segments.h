#ifndef EAR_SEGMENTS_H
#define EAR_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/codec/decoder.h"
#include "library/shot/shot.h"
#include "library/shot/shot_states.h"

/* The newest part of a stream, for a flight recorder: it takes bytes for days and keeps the last
 * ones.
 *
 *     evicted         segment   segment   ...   segment    open segment
 *     . . . . . . .  |---------|---------|-----|---------|-----
 *                    ^ the oldest                              ^ push
 *
 * The stream lies in segments, of which the oldest is evicted as a whole when the others hold
 * enough. Each begins where a frame of the wire begins, and with the state of a decoder that is
 * there, so what is left can be decoded whatever was evicted: in predict mode a record means
 * nothing to one who does not know what came before. (A hard SYNC of the unit in front of each
 * segment would do as well. It would cost room on the wire, and could not be had from a dump or a
 * device of which one is only a listener.)
 *
 * A segment is a capture file (docs/file-format.md), in memory or on disk. Those on disk have a
 * name, so that what they hold is not lost with the process; they are deleted when they are
 * evicted, or when what was read from them is safe elsewhere.
 */
struct ear_segments;

#define EAR_SEGMENTS_SIZE_MIN 16384u /* bytes of the stream */

/* At least size of the newest bytes are kept, and at most a quarter more; size is at least
 * EAR_SEGMENTS_SIZE_MIN.
 *
 * path NULL: in memory. Else in files with this name and a number after it; there must not be such
 * files yet. facts as for ear_shot_writer_new, for each of them; both are copied.
 *
 * Returns 0 and *segments, to be freed; EAR_E_NO_MEMORY, or EAR_E_IO (errno).
 */
int ear_segments_new(
	struct ear_segments **segments, uint64_t size, const char *path, const char *facts);

/* Free everything. Files that are still there are deleted, unless they are to be kept and hold
 * something. NULL is fine. */
void ear_segments_free(struct ear_segments *segments, bool keep_files);

/* Bytes that follow; they end where a frame of the wire ends. Not more than ear_segments_chunk_size
 * at once. Returns 0, EAR_E_IO (errno) or EAR_E_NO_MEMORY; nothing more can be pushed then, but
 * what is there can be read.
 */
int ear_segments_push(struct ear_segments *segments, const uint8_t *bytes, size_t size);

/* So many bytes are missing here, 0: unknown how many. Returns as push. */
int ear_segments_loss(struct ear_segments *segments, uint64_t size);

/* Bytes that should be pushed at once, so that segments do not become much too long. */
size_t ear_segments_chunk_size(const struct ear_segments *segments);

/* decoder has decoded all that was pushed and nothing else: its state is written if one is due
 * (shot_states.h). If the open segment is long enough, a new one begins with it. If the state
 * cannot be had here it is tried again, and after a while a segment begins without one. Returns as
 * push.
 */
int ear_segments_turn(struct ear_segments *segments, const struct ear_decoder *decoder);

/* Is there more than has to be kept? Then the oldest segment may be evicted, or read. */
bool ear_segments_excess(const struct ear_segments *segments);

/* Evict the oldest segment. Not while it is being read, and there is an excess. */
void ear_segments_evict(struct ear_segments *segments);

/* Nothing is pushed any more: all can be read. Returns as push. */
int ear_segments_close(struct ear_segments *segments);

/* The next chunk of what is kept, from its beginning: at most size bytes into buffer. What was read
 * is no longer kept, but its files stay until ear_segments_forget.
 *
 * Returns EAR_SHOT_BYTES and *count; EAR_SHOT_LOSS and *count bytes that are missing, 0 unknown;
 * EAR_SHOT_STATE, then ear_segments_state has the state of a decoder that is here; EAR_SHOT_END if
 * there is nothing that can be read, which is no end before ear_segments_close; EAR_E_IO (errno) or
 * EAR_E_NO_MEMORY.
 */
int ear_segments_read(struct ear_segments *segments, uint8_t *buffer, size_t size, size_t *count);

/* The state that ear_segments_read has come to; the caller frees its bytes. Returns as
 * ear_shot_reader_state.
 */
int ear_segments_state(struct ear_segments *segments, struct ear_shot_state *state);

/* What was read is safe elsewhere: the files that were read to their end are deleted. */
void ear_segments_forget(struct ear_segments *segments);

struct ear_segments_statistics {
	uint64_t bytes;         /* of the stream, kept and not read */
	uint64_t evicted_bytes; /* of the stream */
	/* The oldest that is kept, or where it will begin: */
	uint64_t records; /* instruction records of the run before it */
	bool has_state;   /* it can be decoded from its first byte; true for the run's beginning */
	unsigned count;   /* segments */
	uint64_t files;   /* that are there, also those that were read */
};

void ear_segments_statistics(
	const struct ear_segments *segments, struct ear_segments_statistics *statistics);

/* Make everything pushed so far readable in the files. Returns as push. */
int ear_segments_flush(struct ear_segments *segments);

/* Wait until everything that was flushed is on the disk, under its name. Returns as push. */
int ear_segments_sync(struct ear_segments *segments);

#endif
