#ifndef EAR_STATE_WALK_H
#define EAR_STATE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One walk over a state measures, saves or loads it, so that all three agree.
 *
 * bytes NULL: only measure. loading: fill in the members; bad is set if the bytes end early or a
 * value is above the maximum of its member.
 */
struct ear_state_walk {
	uint8_t *bytes; /* loading: not written to */
	size_t size;    /* of bytes */
	size_t at;
	bool loading, bad;
};

/* Room for the next size bytes, or NULL. */
static inline uint8_t *ear_state_next(struct ear_state_walk *walk, size_t size)
{
	uint8_t *at = NULL;

	if (walk->bytes && !walk->bad) {
		walk->bad = size > walk->size - walk->at;
		at = walk->bad ? NULL : walk->bytes + walk->at;
	}
	if (!walk->bad)
		walk->at += size;
	return at;
}

/* An unsigned value of so many bytes, at most max. */
static inline uint64_t ear_state_value(
	struct ear_state_walk *walk, uint64_t value, unsigned size, uint64_t max)
{
	uint8_t *at = ear_state_next(walk, size);
	uint64_t found = 0;

	if (!at)
		return walk->loading ? 0 : value;
	if (!walk->loading) {
		for (unsigned i = 0; i < size; i++)
			at[i] = (uint8_t)(value >> 8 * i);
		return value;
	}
	for (unsigned i = 0; i < size; i++)
		found |= (uint64_t)at[i] << 8 * i;
	walk->bad |= found > max;
	return walk->bad ? 0 : found;
}

static inline void ear_state_u8(struct ear_state_walk *walk, uint8_t *value, uint8_t max)
{
	*value = (uint8_t)ear_state_value(walk, *value, 1, max);
}

static inline void ear_state_bool(struct ear_state_walk *walk, bool *value)
{
	*value = ear_state_value(walk, *value, 1, 1);
}

static inline void ear_state_u16(struct ear_state_walk *walk, uint16_t *value, uint16_t max)
{
	*value = (uint16_t)ear_state_value(walk, *value, 2, max);
}

static inline void ear_state_u32(struct ear_state_walk *walk, uint32_t *value)
{
	*value = (uint32_t)ear_state_value(walk, *value, 4, UINT32_MAX);
}

static inline void ear_state_u64(struct ear_state_walk *walk, uint64_t *value, uint64_t max)
{
	*value = ear_state_value(walk, *value, 8, max);
}

static inline void ear_state_bytes(struct ear_state_walk *walk, uint8_t *bytes, size_t size)
{
	uint8_t *at = ear_state_next(walk, size);

	if (at && walk->loading)
		memcpy(bytes, at, size);
	else if (at)
		memcpy(at, bytes, size);
}

#endif
