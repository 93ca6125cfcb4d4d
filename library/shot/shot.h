#ifndef EAR_SHOT_H
#define EAR_SHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The capture file. docs/file-format.md. */

#define EAR_SHOT_FACTS_MAX 65536 /* bytes of text in one facts frame */

#define EAR_SHOT_LINE_DIFF_MAX (32u << 20) /* bytes of a line diff */

/* What makes a text of the lines of records. docs/file-format.md, section 6. */
struct ear_shot_line_diff {
	uint64_t first, count; /* records that it is for */
	uint8_t format;        /* of the lines; 0: there is no line diff */
	uint8_t flags;
	uint8_t *bytes;
	size_t size;
};

#define EAR_SHOT_STATE_MAX (32u << 20) /* bytes of a decoder's state */

/* A decoder's state at a place in the stream. docs/file-format.md, section 7. */
struct ear_shot_state {
	uint64_t stream_offset;
	uint64_t instructions; /* instruction records before it */
	uint64_t records;      /* records of any kind before it */
	uint8_t *bytes;
	size_t size;
};

/* Writing ---------------------------------------------------------------------------------- */

struct ear_shot_writer;

/* Begin a capture file on fd, which stays the caller's and may be a pipe.
 *
 * facts is the text of the first facts frame (lines "key: value\n"), NUL-terminated; a line
 * "format" is put before it. level is zstd's compression level, 1 .. 19.
 *
 * Returns 0 and the writer in *writer, to be freed with ear_shot_writer_free.
 * Returns EAR_E_NO_MEMORY, EAR_E_IO (errno) or EAR_E_BAD_ARGUMENT (facts too long).
 */
int ear_shot_writer_new(struct ear_shot_writer **writer, int fd, const char *facts, int level);

/* Add size bytes of the stream; they end where a frame of the wire ends (or where garbage
 * between frames was given up). Returns 0 or EAR_E_IO.
 */
int ear_shot_writer_push(struct ear_shot_writer *writer, const uint8_t *bytes, size_t size);

/* The host dropped size bytes of the stream here. Returns 0 or EAR_E_IO. */
int ear_shot_writer_loss(struct ear_shot_writer *writer, uint64_t size);

/* A line diff for the records that come next. Returns 0, EAR_E_IO or EAR_E_NO_MEMORY. */
int ear_shot_writer_line_diff(
	struct ear_shot_writer *writer, const struct ear_shot_line_diff *diff);

/* The state of a decoder after all bytes pushed so far; stream_offset is filled in. *whole: as one
 * that is complete, else as the difference to the one before if there is one and that is
 * smaller; says afterwards which it was.
 *
 * Returns 1 if it was written, and the bytes that it added to the file in *cost. Returns 0 if these
 * were more than limit: nothing was written. Or EAR_E_IO or EAR_E_NO_MEMORY.
 */
int ear_shot_writer_state(struct ear_shot_writer *writer, const struct ear_shot_state *state,
	bool *whole, uint64_t limit, uint64_t *cost);

/* From now on measure what states cost, for ear_shot_writer_growth. */
void ear_shot_writer_measure(struct ear_shot_writer *writer);

/* Make ear_shot_writer_growth exact for now, with the end of a zstd frame here counted in. It takes
 * as long as compressing that frame. Returns 0 or EAR_E_NO_MEMORY.
 */
int ear_shot_writer_measure_now(struct ear_shot_writer *writer);

/* What the states have cost so far, without what the last push left to be written. */
struct ear_shot_growth {
	uint64_t base;        /* bytes that the file would have without states */
	uint64_t growth;      /* bytes that it has more */
	uint64_t cut_cost;    /* bytes that the end of a zstd frame costs at least */
	uint64_t cuts;        /* zstd frames that ended for a state */
	uint64_t state_bytes; /* part of growth: the states alone */
	bool at_frame;        /* a zstd frame ended with the last push */
};

struct ear_shot_growth ear_shot_writer_growth(const struct ear_shot_writer *writer);

/* Make everything pushed so far readable in the file. Returns 0 or EAR_E_IO. */
int ear_shot_writer_flush(struct ear_shot_writer *writer);

/* Finish the file: last facts (text as above) and seek table. Returns 0 or EAR_E_IO. The
 * writer accepts nothing more; free it.
 */
int ear_shot_writer_finish(struct ear_shot_writer *writer, const char *facts);

/* Free the writer; without a finish before, the file is not complete. NULL is fine. */
void ear_shot_writer_free(struct ear_shot_writer *writer);

/* Reading ---------------------------------------------------------------------------------- */

struct ear_shot_reader;

enum ear_shot_item {
	EAR_SHOT_BYTES = 1, /* count bytes of the stream were put into the buffer */
	EAR_SHOT_LOSS,      /* count bytes of the stream are missing here; 0: unknown */
	EAR_SHOT_LINE_DIFF, /* a line diff comes, for the records after: ear_shot_reader_line_diff
			     */
	EAR_SHOT_STATE,     /* a decoder's state comes: ear_shot_reader_state */
	EAR_SHOT_END,       /* nothing more comes */
};

#define EAR_SHOT_PREFIX_MAX (64u << 10)

/* Read a capture file or a raw dump from fd, which stays the caller's and may be a pipe, after
 * prefix[0 .. prefix_size-1], which was read from it already (at most EAR_SHOT_PREFIX_MAX).
 *
 * Returns 0 and the reader in *reader, to be freed with ear_shot_reader_free.
 * Returns EAR_E_NO_MEMORY or EAR_E_IO (errno).
 */
int ear_shot_reader_new(
	struct ear_shot_reader **reader, int fd, const uint8_t *prefix, size_t prefix_size);

/* Before anything was read: it is a dump of what an FTDI chip sent, whose status bytes are not of
 * the stream. A dump that has none is read as it is, and has a fault. */
void ear_shot_reader_strip_ftdi(struct ear_shot_reader *reader);

/* The next chunk of the stream, at most size bytes, into buffer. *count see enum.
 *
 * Damage inside the file is not an error: the reader continues at the next frame that it
 * finds, gives EAR_SHOT_LOSS with count 0, and says what it saw through ear_shot_reader_fault.
 *
 * Returns an enum ear_shot_item, or EAR_E_IO (errno) or EAR_E_NO_MEMORY.
 */
int ear_shot_reader_next(
	struct ear_shot_reader *reader, uint8_t *buffer, size_t size, size_t *count);

/* The line diff that came last, which goes over to the caller, who frees its bytes; format 0 if it
 * was taken already, or could not be read.
 */
struct ear_shot_line_diff ear_shot_reader_line_diff(struct ear_shot_reader *reader);

/* The state that came last, unpacked, in memory that the caller frees. Returns 0, or EAR_E_BAD_FILE
 * if there is none or it is damaged, or EAR_E_NO_MEMORY.
 */
int ear_shot_reader_state(struct ear_shot_reader *reader, struct ear_shot_state *state);

/* Could the state that came last not be read? Then those after it, which say what has changed
 * since, cannot be either, unless somebody gives the state of a decoder that is here.
 */
bool ear_shot_reader_state_is_broken(const struct ear_shot_reader *reader);

/* The state of a decoder here (ear_decoder_save); the bytes go over to the reader. */
void ear_shot_reader_give_state(struct ear_shot_reader *reader, uint8_t *bytes, size_t size);

/* Continue at this offset of the file, where a frame begins. fd must be seekable and something must
 * have been read already, so that the first facts are known. Returns 0 or EAR_E_IO (errno).
 */
int ear_shot_reader_seek(struct ear_shot_reader *reader, uint64_t file_offset);

/* From now on read at offsets (pread) from the beginning of the file, without fd's own position. */
void ear_shot_reader_use_offsets(struct ear_shot_reader *reader);

/* Where the bytes at this offset of the stream come from, which the reader gave: the zstd frame
 * that holds them begins at *file_offset, and at *frame_byte of the stream. In a dump both are
 * byte. At most EAR_SHOT_PLACES_KEPT bytes of the stream may have been given since. Returns false
 * if there is no such frame.
 */
bool ear_shot_reader_place(const struct ear_shot_reader *reader, uint64_t byte,
	uint64_t *file_offset, uint64_t *frame_byte);

#define EAR_SHOT_PLACES_KEPT (1u << 20)

/* Continue at a place that ear_shot_reader_place gave, of the same file, at offsets. Something must
 * have been read already. Nothing is read here. */
void ear_shot_reader_jump(
	struct ear_shot_reader *reader, uint64_t file_offset, uint64_t frame_byte);

/* Begin again, at offsets, as if nothing had been read. */
void ear_shot_reader_rewind(struct ear_shot_reader *reader);

/* After a jump: is what came perhaps not what a reader from the beginning gives? A zstd frame was
 * damaged, of which more or less can be read; or ear_shot_reader_state was asked for one that
 * states before the jump lead to. */
bool ear_shot_reader_is_unsure(const struct ear_shot_reader *reader);

#define EAR_SHOT_PROOF_SIZE 20 /* bytes of a file that suffice for ear_shot_is_capture */

/* Does a file that begins so begin as a capture file does? One whose very begin is damaged too. */
bool ear_shot_is_capture(const uint8_t *bytes, size_t size);

/* True for a .shot file, false for a raw dump. Known after the first ear_shot_reader_next. */
bool ear_shot_reader_is_shot(const struct ear_shot_reader *reader);

/* True if the last facts were read, the file ended after a seek table, nothing was damaged, and
 * whoever wrote it did not fail.
 */
bool ear_shot_reader_complete(const struct ear_shot_reader *reader);

/* Says whoever writes it that more will come, and that its end is always that of today? */
bool ear_shot_reader_grows(const struct ear_shot_reader *reader);

/* Does the file end where it was to, though its captures have no STOP: with a part, a limit, an
 * event, or a Ctrl-C, or because it grows? Once everything was read. */
bool ear_shot_reader_ends_meant(const struct ear_shot_reader *reader);

/* What is wrong with the file: one sentence with the offset of the first fault, or NULL. */
const char *ear_shot_reader_fault(const struct ear_shot_reader *reader);

/* What was damaged in the file and made good: one sentence with the offset of the first such place,
 * or NULL. Nothing is missing for it, and it is no fault.
 */
const char *ear_shot_reader_mended(const struct ear_shot_reader *reader);

/* The value of a fact read so far into text[0 .. size-1], cut to fit. Returns its length, or
 * EAR_E_BAD_ARGUMENT if there is no such fact.
 */
int ear_shot_reader_fact(
	const struct ear_shot_reader *reader, const char *key, char *text, size_t size);

void ear_shot_reader_free(struct ear_shot_reader *reader);

#endif
