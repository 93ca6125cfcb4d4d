#ifndef EAR_STATE_WALK_H
#define EAR_STATE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "protocol/bytes.h"

/* One walk over a state serves to measure, save and load it, so that all three agree.
 *
 * bytes NULL: only count. loading: the fields are filled in; bad is set if the bytes end, or a
 * value is above what its field can be.
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
	uint8_t *place = NULL;

	if (walk->bytes && !walk->bad) {
		walk->bad = size > walk->size - walk->at;
		place = walk->bad ? NULL : walk->bytes + walk->at;
	}
	if (!walk->bad)
		walk->at += size;
	return place;
}

/* An unsigned value of so many bytes, at most most. */
static inline uint64_t ear_state_value(
	struct ear_state_walk *walk, uint64_t value, unsigned size, uint64_t most)
{
	uint8_t *place = ear_state_next(walk, size);
	uint64_t found = 0;

	if (!place)
		return walk->loading ? 0 : value;
	if (!walk->loading) {
		for (unsigned i = 0; i < size; i++)
			place[i] = (uint8_t)(value >> 8 * i);
		return value;
	}
	for (unsigned i = 0; i < size; i++)
		found |= (uint64_t)place[i] << 8 * i;
	walk->bad |= found > most;
	return walk->bad ? 0 : found;
}

static inline void ear_state_u8(struct ear_state_walk *walk, uint8_t *value, uint8_t most)
{
	*value = (uint8_t)ear_state_value(walk, *value, 1, most);
}

static inline void ear_state_bool(struct ear_state_walk *walk, bool *value)
{
	*value = ear_state_value(walk, *value, 1, 1);
}

static inline void ear_state_u16(struct ear_state_walk *walk, uint16_t *value, uint16_t most)
{
	*value = (uint16_t)ear_state_value(walk, *value, 2, most);
}

static inline void ear_state_u32(struct ear_state_walk *walk, uint32_t *value)
{
	*value = (uint32_t)ear_state_value(walk, *value, 4, UINT32_MAX);
}

static inline void ear_state_u64(struct ear_state_walk *walk, uint64_t *value, uint64_t most)
{
	*value = ear_state_value(walk, *value, 8, most);
}

static inline void ear_state_bytes(struct ear_state_walk *walk, uint8_t *bytes, size_t size)
{
	uint8_t *place = ear_state_next(walk, size);

	if (place && walk->loading)
		memcpy(bytes, place, size);
	else if (place)
		memcpy(place, bytes, size);
}

#endif
