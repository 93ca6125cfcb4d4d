#ifndef EAR_HASH_H
#define EAR_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hashes of keys, for tables in memory, and of bytes.
 *
 * ear_hash_mix multiplies by 2^64 divided by the golden ratio: keys that differ in a few bits get
 * upper bits that differ. The lower bits say little, so a table takes the upper ones. It is as fast
 * as a multiplication; who expects keys that are chosen to collide needs something else.
 */
static inline uint64_t ear_hash_mix(uint64_t key)
{
	return key * UINT64_C(0x9E3779B97F4A7C15);
}

/* The slot of a key in a table of 2^bits slots, bits 1 .. 63. */
static inline size_t ear_hash_slot(uint64_t key, unsigned bits)
{
	return (size_t)(ear_hash_mix(key) >> (64 - bits));
}

/* The same for a table of count slots, a power of two up to 2^32. */
static inline size_t ear_hash_index(uint64_t key, size_t count)
{
	return (size_t)(ear_hash_mix(key) >> 32) & (count - 1);
}

/* The slot of a key of 32 bits, such as an opcode, among 2^bits; bits 1 .. 31. */
static inline uint32_t ear_hash_slot32(uint32_t key, unsigned bits)
{
	return key * UINT32_C(0x9E3779B1) >> (32 - bits);
}

/* The hash of two keys; more are added one after the other. */
static inline uint64_t ear_hash_add(uint64_t hash, uint64_t key)
{
	return ear_hash_mix(hash ^ hash >> 29 ^ key);
}

/* FNV-1a of 64 bits, which files have: hash is EAR_HASH_FNV first, then what the bytes before gave.
 */
#define EAR_HASH_FNV UINT64_C(0xCBF29CE484222325)

static inline uint64_t ear_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
	return hash;
}

#endif
