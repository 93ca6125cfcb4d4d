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

/* A buffer before a file descriptor, in which writers format in place.
 *
 * A trace may hold any bytes, and its text may be shown on a terminal. So only what
 * common/printable.h lets pass goes out. Text that is kept in memory is not changed.
 *
 * The first error is kept: after it all text is dropped, and every flush returns it.
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

/* Some size bytes of text will be kept in memory: their room is taken at once. More may come. */
void ear_text_output_expect(struct ear_text_output *output, size_t size);

/* Write the text byte for byte, unless it goes to a terminal. */
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
