#ifndef EAR_TEXT_INPUT_H
#define EAR_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EAR_TEXT_LINE_MAX (16u << 20) /* bytes; a longer line is an error of the file */
#define EAR_TEXT_SLACK    64u         /* readable bytes behind every line, of any content */

/* Lines from a file descriptor: plain, gzip or zstd, told apart by the first bytes.
 *
 * Memory is bounded: a buffer of 1 MiB, which grows only for a longer line.
 */
struct ear_text_input;

#define EAR_TEXT_PREFIX_MAX (64u << 10)

/* Read from fd, which stays the caller's and may be a pipe, behind prefix[0 .. prefix_size-1],
 * which was read from it already (at most EAR_TEXT_PREFIX_MAX).
 * Returns 0 and the input in *input, to be freed; EAR_E_NO_MEMORY.
 */
int ear_text_input_new(
	struct ear_text_input **input, int fd, const uint8_t *prefix, size_t prefix_size);
void ear_text_input_free(struct ear_text_input *input);

/* The next line, without its line end (\n or \r\n). *line is valid until the next call; what
 * stands there is not NUL-terminated, and EAR_TEXT_SLACK bytes behind it may be read.
 *
 * Returns 1 and the line; 0 at the end of the file; EAR_E_IO (errno), EAR_E_NO_MEMORY, or
 * EAR_E_BAD_FILE if the compressed data are damaged or cut off or a line is too long:
 * ear_text_input_fault tells.
 */
int ear_text_input_line(struct ear_text_input *input, const char **line, size_t *size);

/* Look at the beginning of the file, before any line was taken: at most 64 KiB.
 * Returns 0 or an error as above.
 */
int ear_text_input_peek(struct ear_text_input *input, const char **bytes, size_t *size);

/* All whole lines that are in memory, as one piece that ends with a line end (at the end of the
 * file also the last line without one): for readers that find the lines themselves. At least
 * one line; the lines count as taken.
 * Returns as ear_text_input_line.
 */
int ear_text_input_block(struct ear_text_input *input, const char **bytes, size_t *size);

/* Number of the line taken last, from 1, and the offset of its first byte in the uncompressed
 * text. After a block: of its first line; the reader counts on and says so here.
 */
uint64_t ear_text_input_line_number(const struct ear_text_input *input);
uint64_t ear_text_input_offset(const struct ear_text_input *input);
void ear_text_input_count_lines(struct ear_text_input *input, uint64_t count);

/* The caller begins in mid-file: the next line has this number and offset. Before any was taken. */
void ear_text_input_set_place(struct ear_text_input *input, uint64_t line_number, uint64_t offset);

/* True if the line taken last had no line end: the file may be cut off. */
bool ear_text_input_cut(const struct ear_text_input *input);

/* Bytes read from fd so far, for progress. */
uint64_t ear_text_input_position(const struct ear_text_input *input);

/* What is wrong with the file, a sentence, or NULL. */
const char *ear_text_input_fault(const struct ear_text_input *input);

#endif
