#ifndef EAR_QTRACE_OUT_H
#define EAR_QTRACE_OUT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes to one file of a qtrace, through a buffer. The first error stays, and ear_qtrace_out_flush
 * returns it. */
struct ear_qtrace_out {
	int fd; /* -1: none */
	uint8_t *buffer;
	size_t used;
	int error_number; /* 0, or errno of the first write that failed */
};

#define EAR_QTRACE_OUT_RESERVE 4096u /* bytes that can be reserved at once */

/* Write to fd, which then belongs to the output. Returns 0 or EAR_E_NO_MEMORY. */
int ear_qtrace_out_init(struct ear_qtrace_out *out, int fd);
void ear_qtrace_out_fini(struct ear_qtrace_out *out);

/* Room for size <= EAR_QTRACE_OUT_RESERVE bytes; out->used says how many there are after it. */
uint8_t *ear_qtrace_out_reserve(struct ear_qtrace_out *out, size_t size);

/* The caller has written up to end, in the room reserved last. */
static inline void ear_qtrace_out_commit(struct ear_qtrace_out *out, const uint8_t *end)
{
	out->used = (size_t)(end - out->buffer);
}

/* Any number of bytes. */
void ear_qtrace_out_put(struct ear_qtrace_out *out, const uint8_t *bytes, size_t size);

/* Returns 0 or EAR_E_IO (out->error_number). */
int ear_qtrace_out_flush(struct ear_qtrace_out *out);

/* Write over bytes at an offset, after everything was flushed. Returns as flush. */
int ear_qtrace_out_patch(
	struct ear_qtrace_out *out, uint64_t offset, const uint8_t *bytes, size_t size);

#endif
