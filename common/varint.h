#ifndef EAR_VARINT_H
#define EAR_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Numbers of variable length: 7 bits a byte, the lowest first, bit 7 says that more follow. For
 * what is kept in files or between threads; every read is checked.
 */
#define EAR_VARINT_MAX 10 /* bytes of a number */

/* Where numbers go. size counts on after capacity is reached; nothing is written there. */
struct ear_varint_out {
	uint8_t *bytes;
	size_t size, capacity;
};

static inline struct ear_varint_out ear_varint_out(uint8_t *bytes, size_t capacity)
{
	return (struct ear_varint_out){bytes, 0, capacity};
}

static inline void ear_varint_put_bytes(struct ear_varint_out *out, const void *bytes, size_t size)
{
	if (out->size <= out->capacity && size <= out->capacity - out->size && size > 0)
		memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

static inline void ear_varint_put(struct ear_varint_out *out, uint64_t value)
{
	uint8_t bytes[EAR_VARINT_MAX];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	ear_varint_put_bytes(out, bytes, size);
}

/* Where numbers come from. bad: the bytes ended too early, or a number is longer than 64 bits; what
 * is read then is 0. It stays set. */
struct ear_varint_in {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct ear_varint_in ear_varint_in(const uint8_t *bytes, size_t size)
{
	return (struct ear_varint_in){bytes, bytes ? bytes + size : bytes, false};
}

static inline uint64_t ear_varint_get(struct ear_varint_in *in)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && in->at < in->end && !in->bad; shift += 7) {
		uint8_t byte = *in->at++;
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			return value;
	}
	in->bad = true;
	return 0;
}

/* The next size bytes, or NULL. */
static inline const uint8_t *ear_varint_get_bytes(struct ear_varint_in *in, size_t size)
{
	const uint8_t *at = in->at;

	if (in->bad || (size_t)(in->end - in->at) < size) {
		in->bad = true;
		return NULL;
	}
	in->at += size;
	return at;
}

#endif
