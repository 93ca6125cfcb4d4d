#ifndef EAR_TEXT_OUTPUT_H
#define EAR_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EAR_TEXT_RESERVE_MAX 65536 /* bytes that can be reserved at once */

enum ear_text_packing {
	EAR_TEXT_PLAIN,
	EAR_TEXT_GZIP,
	EAR_TEXT_ZSTD,
};

struct ear_text_packer;

/* A buffer in front of a file descriptor, for writers of text: they format in place.
 *
 * What a trace carries may hold anything, and the text may be shown on a terminal: it becomes what
 * common/printable.h lets pass. Text that is kept in memory stays as it is until it gets here.
 *
 * An error is remembered: after it everything is thrown away, and every flush returns it.
 */
struct ear_text_output {
	int fd;           /* -1: none, the text stays in the buffer, which grows */
	int error;        /* 0, EAR_E_IO or EAR_E_NO_MEMORY */
	int error_number; /* errno of the first failing write */
	bool exact;       /* every byte as it is */
	char *buffer;
	size_t used, capacity;
	uint64_t written;               /* bytes that the system took */
	struct ear_text_packer *packer; /* NULL for plain text */
};

/* Write to fd, which stays the caller's. Returns 0 or EAR_E_NO_MEMORY. */
int ear_text_output_init(struct ear_text_output *output, int fd, enum ear_text_packing packing);

/* Keep the text: buffer[0 .. used-1], which the caller may empty by used = 0. If memory runs out,
 * error is EAR_E_NO_MEMORY, and the text is lost. Returns as init.
 */
int ear_text_output_init_memory(struct ear_text_output *output);

/* The text has to come out byte for byte: nothing becomes fit to be shown, except on a terminal. */
void ear_text_output_be_exact(struct ear_text_output *output);

/* The packing that the end of a file name asks for: .gz, .zst, else plain. */
enum ear_text_packing ear_text_output_packing(const char *path);

/* Room for size <= EAR_TEXT_RESERVE_MAX bytes; never NULL. Valid until the next call. */
char *ear_text_output_reserve(struct ear_text_output *output, size_t size);

/* The caller has written up to end, which lies in the room reserved last. */
void ear_text_output_commit(struct ear_text_output *output, const char *end);

/* Append size bytes, any number. */
void ear_text_output_put(struct ear_text_output *output, const char *text, size_t size);

/* The same for much text, which is not copied on its way. */
void ear_text_output_append(struct ear_text_output *output, const char *text, size_t size);

/* Give everything to the system, packed so that a reader can have all of it.
 * Returns 0 or the first error (EAR_E_IO: errno in error_number).
 */
int ear_text_output_flush(struct ear_text_output *output);

/* Flush, and end the packed data. Nothing can be written any more. Returns as flush. */
int ear_text_output_finish(struct ear_text_output *output);

/* Free the buffer; what was not flushed is gone. */
void ear_text_output_fini(struct ear_text_output *output);

#endif
