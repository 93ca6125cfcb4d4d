#ifndef EAR_TEXT_INPUT_H
#define EAR_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EAR_TEXT_LINE_MAX (16u << 20) /* bytes; a longer line is an error of the file */
#define EAR_TEXT_SLACK    64u         /* readable bytes after every line, with any content */

/* Lines from a file descriptor: plain or packed (unpack.h), recognised by the first bytes.
 *
 * Memory is bounded: a buffer of 1 MiB, or of the size of a smaller file, which grows only for a
 * longer line.
 */
struct ear_text_input;

#define EAR_TEXT_PREFIX_MAX (64u << 10)

/* Read from fd, which stays the caller's and may be a pipe, after prefix[0 .. prefix_size-1],
 * which was read from it already (at most EAR_TEXT_PREFIX_MAX).
 * Returns 0 and the input in *input, to be freed; EAR_E_NO_MEMORY.
 */
int ear_text_input_new(
	struct ear_text_input **input, int fd, const uint8_t *prefix, size_t prefix_size);
void ear_text_input_free(struct ear_text_input *input);

/* Before anything was read behind the prefix: read at offsets (pread) from the beginning of the
 * file, without fd's own position. */
void ear_text_input_use_offsets(struct ear_text_input *input);

/* The next line, without its line end (\n or \r\n). *line is valid until the next call; it has
 * no NUL at its end, and EAR_TEXT_SLACK bytes after it may be read.
 *
 * Returns 1 and the line; 0 at the end of the file; EAR_E_IO (errno), EAR_E_NO_MEMORY, or
 * EAR_E_BAD_FILE if the compressed data are damaged or cut off or a line is too long:
 * see ear_text_input_fault. All whole lines before the fault come first.
 */
int ear_text_input_line(struct ear_text_input *input, const char **line, size_t *size);

/* Look at the beginning of the file, before any line was taken: at most 64 KiB.
 * Returns 0, or an error as above if there is nothing to look at.
 */
int ear_text_input_peek(struct ear_text_input *input, const char **bytes, size_t *size);

#define EAR_TEXT_AHEAD 512u

/* What comes after the line taken last, which is not valid any more: EAR_TEXT_AHEAD bytes, or fewer
 * at the end of the file. What cannot be read is reported later. */
void ear_text_input_ahead(struct ear_text_input *input, const char **bytes, size_t *size);

/* What is in memory of the text, as ear_text_input_peek, without waiting for more. */
void ear_text_input_glance(const struct ear_text_input *input, const char **bytes, size_t *size);

/* Take away what other programs have added to the text (text_clean.h), as far as its beginning has
 * any of it: before any line was taken. What cannot be read is reported later. */
void ear_text_input_clean(struct ear_text_input *input);

/* Was anything taken away, so that its bytes are not those of the file? */
bool ear_text_input_is_cleaned(const struct ear_text_input *input);

/* Then: take away this prefix of lines, too. */
void ear_text_input_strip(struct ear_text_input *input, const char *prefix);

/* All whole lines that are in memory, as one chunk that ends with a line end (at the end of the
 * file also the last line without one): for readers that find the lines themselves. At least
 * one line; the lines count as taken.
 * Returns as ear_text_input_line.
 */
int ear_text_input_block(struct ear_text_input *input, const char **bytes, size_t *size);

/* Of a file that is no text: the bytes that come next, none of which is taken; at least want of
 * them, which is at most EAR_TEXT_LINE_MAX, unless the file ends before. They are valid until the
 * next call.
 * Returns 1; 0 at the end of the file; or an error as ear_text_input_line.
 */
int ear_text_input_bytes(
	struct ear_text_input *input, size_t want, const uint8_t **bytes, size_t *size);

/* Take size of these bytes: for the offset they count as a line. */
void ear_text_input_take(struct ear_text_input *input, size_t size);

/* Whole lines in a buffer of their own, which can be used while the input continues. */
struct ear_text_block {
	char *buffer; /* capacity + EAR_TEXT_SLACK bytes of malloc */
	size_t capacity;
	const char *bytes; /* the lines, inside of buffer */
	size_t size;
	uint64_t line_number, offset; /* of the first line */
	bool cut;                     /* the last line has no line end */
	bool too_long;                /* the line after them is too long */
};

#define EAR_TEXT_CHUNK_SIZE (256u << 10)

/* As ear_text_input_block, but the caller gets the buffer in exchange for that of *block; for a
 * block that is all zero one is allocated. The buffer is filled first, to about 1 MiB. The lines
 * are not counted, and the block's line_number is not set.
 */
int ear_text_input_take_block(struct ear_text_input *input, struct ear_text_block *block);

/* Can any thread read any part of the text, as in a plain file? If so, *offset is the input's
 * offset in the text. Call it before any line was taken.
 */
bool ear_text_input_seekable(struct ear_text_input *input, uint64_t *offset);

/* Read the lines that begin in the EAR_TEXT_CHUNK_SIZE bytes from offset on into *block, as above;
 * the input is seekable. Several threads may do so at the same time, each with its own block.
 * Returns 1, with size 0 if no line begins there; 0 if the text ends at offset or before; EAR_E_IO
 * (errno) or EAR_E_NO_MEMORY.
 */
int ear_text_input_read_block(
	const struct ear_text_input *input, struct ear_text_block *block, uint64_t offset);

/* The same for size bytes, at least 1. */
int ear_text_input_read_range(const struct ear_text_input *input, struct ear_text_block *block,
	uint64_t offset, size_t size);

/* Of a seekable input: continue at offset, where the line with this number begins. */
void ear_text_input_jump(struct ear_text_input *input, uint64_t offset, uint64_t line_number);

/* For the caller's thread: others have read up to offset. */
void ear_text_input_passed(struct ear_text_input *input, uint64_t offset);

/* The line at offset is too long: set the fault. Returns EAR_E_BAD_FILE. */
int ear_text_input_long_line(struct ear_text_input *input, uint64_t offset);

void ear_text_block_fini(struct ear_text_block *block);

/* An input without a file. Its lines are those of the block given last, which must stay until the
 * next one is given.
 */
int ear_text_input_new_empty(struct ear_text_input **input);
void ear_text_input_give_block(struct ear_text_input *input, const struct ear_text_block *block);

/* Number of the line taken last, from 1, and the offset of its first byte in the uncompressed
 * text. After a block: those of its first line; the reader counts the lines and reports
 * their number with ear_text_input_count_lines.
 */
uint64_t ear_text_input_line_number(const struct ear_text_input *input);
uint64_t ear_text_input_offset(const struct ear_text_input *input);
void ear_text_input_count_lines(struct ear_text_input *input, uint64_t count);

/* Number of the next line, and its offset. After a block: those of the line after the block, if the
 * reader has counted. */
uint64_t ear_text_input_next_line(const struct ear_text_input *input);
uint64_t ear_text_input_next_offset(const struct ear_text_input *input);

/* Of an input that reads at offsets, before any line was taken: continue where the line with this
 * number begins, or with line_number 0 at any byte. Compressed text is unpacked up to there.
 * Returns 0; EAR_E_BAD_FILE if no line begins at offset and the text does not end there; or as
 * ear_text_input_line.
 */
int ear_text_input_go_to(struct ear_text_input *input, uint64_t offset, uint64_t line_number);

/* A checksum (common/checksum.h) of the text from offset on, which is not after the next line, nor
 * before the line or block taken last; and that of all up to end, likewise, which is not before the
 * end asked for last. */
void ear_text_input_sum(struct ear_text_input *input, uint64_t offset);
uint64_t ear_text_input_checksum(struct ear_text_input *input, uint64_t end);

/* True if the line taken last had no line end: the file may be cut off. */
bool ear_text_input_cut(const struct ear_text_input *input);

/* What is wrong with the file, a sentence, or NULL. */
const char *ear_text_input_fault(const struct ear_text_input *input);

#endif
