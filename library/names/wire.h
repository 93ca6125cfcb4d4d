#ifndef EAR_WIRE_H
#define EAR_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of messages: written at the end of a buffer that grows, read with every bound checked. */

struct ear_wire { /* zero it to begin */
	uint8_t *bytes;
	size_t size, room;
	bool failed; /* no memory, or larger than an answer may be: all later bytes are dropped */
};

void ear_wire_free(struct ear_wire *wire);
void ear_wire_put(struct ear_wire *wire, const void *bytes, size_t size);
void ear_wire_u32(struct ear_wire *wire, uint32_t value);
void ear_wire_u64(struct ear_wire *wire, uint64_t value);

/* A string with its NUL; the result is its offset. The empty one is always at 0: begin a block of
 * strings with it. Longer ones than 64 KiB are cut.
 */
uint32_t ear_wire_string(struct ear_wire *strings, const char *text);

uint32_t ear_wire_get_u32(const uint8_t *bytes);
uint64_t ear_wire_get_u64(const uint8_t *bytes);

/* A message that is taken apart from the front. */
struct ear_wire_view {
	const uint8_t *bytes;
	size_t size;
};

/* Take count items of item_size bytes. NULL if there are not so many; *view is as it was. */
const uint8_t *ear_wire_take(struct ear_wire_view *view, uint64_t count, size_t item_size);

/* Take a block of strings: it must have one byte at least and end with a NUL. */
bool ear_wire_take_strings(struct ear_wire_view *view, struct ear_wire_view *strings, size_t size);

/* The string at an offset; NULL if that is not in the block. */
const char *ear_wire_text(const struct ear_wire_view *strings, uint32_t offset);

#endif
