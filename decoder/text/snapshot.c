/* Snapshots as two arrays that grow and are never given back before the end: a thread takes and
 * compares thousands of them. They are compared byte by byte, so whoever fills one must put in
 * everything that matters and nothing else.
 */
#include "decoder/text/snapshot.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

void ear_snapshot_fini(struct ear_snapshot *snapshot)
{
	free(snapshot->bytes);
	free(snapshot->indexes);
	*snapshot = (struct ear_snapshot){0};
}

void ear_snapshot_clear(struct ear_snapshot *snapshot)
{
	snapshot->size = 0;
	snapshot->hart_count = 0;
}

int ear_snapshot_put(struct ear_snapshot *snapshot, const void *bytes, size_t size)
{
	if (size > snapshot->capacity - snapshot->size) {
		size_t capacity = 2 * snapshot->capacity + size;
		unsigned char *grown = realloc(snapshot->bytes, capacity);
		if (!grown)
			return EAR_E_NO_MEMORY;
		snapshot->bytes = grown;
		snapshot->capacity = capacity;
	}
	if (size > 0)
		memcpy(snapshot->bytes + snapshot->size, bytes, size);
	snapshot->size += size;
	return 0;
}

int ear_snapshot_set_harts(struct ear_snapshot *snapshot, size_t count)
{
	if (count > snapshot->hart_capacity) {
		uint64_t *grown = realloc(snapshot->indexes, count * sizeof(*grown));
		if (!grown)
			return EAR_E_NO_MEMORY;
		snapshot->indexes = grown;
		snapshot->hart_capacity = count;
	}
	if (count > 0)
		memset(snapshot->indexes, 0, count * sizeof(*snapshot->indexes));
	snapshot->hart_count = count;
	return 0;
}

int ear_snapshot_copy(struct ear_snapshot *to, const struct ear_snapshot *from)
{
	ear_snapshot_clear(to);
	int result = ear_snapshot_put(to, from->bytes, from->size);
	if (result == 0)
		result = ear_snapshot_set_harts(to, from->hart_count);
	if (result == 0 && from->hart_count > 0)
		memcpy(to->indexes, from->indexes, from->hart_count * sizeof(*to->indexes));
	return result;
}

static bool equal_indexes(const struct ear_snapshot *a, const struct ear_snapshot *b)
{
	size_t count = a->hart_count > b->hart_count ? a->hart_count : b->hart_count;

	for (size_t hart = 0; hart < count; hart++)
		if (ear_snapshot_index(a, hart) != ear_snapshot_index(b, hart))
			return false;
	return true;
}

bool ear_snapshot_equal(
	const struct ear_snapshot *a, const struct ear_snapshot *b, bool with_indexes)
{
	if (a->size != b->size || (a->size > 0 && memcmp(a->bytes, b->bytes, a->size) != 0))
		return false;
	return !with_indexes || equal_indexes(a, b);
}
