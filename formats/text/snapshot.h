#ifndef EAR_SNAPSHOT_H
#define EAR_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a reader or a writer of text knows from the lines before: where it stands. One that stands
 * there too goes on in the same way, so a long text can be worked on in chunks, by several
 * of them at a time: each begins where the one before it is expected to end, and afterwards it is
 * seen whether that was right.
 */
struct ear_snapshot {
	/* Compared as a whole: no padding, nothing that makes no difference. */
	unsigned char *bytes;
	size_t size, capacity;

	/* The index that the next record of each hart gets, for formats in which records are
	 * counted by reading them. Apart from the rest, for many uses need them not. */
	uint64_t *indexes;
	size_t hart_count, hart_capacity;
};

/* An empty one is all zero. */
void ear_snapshot_fini(struct ear_snapshot *snapshot);

/* Begin anew, keeping the memory. */
void ear_snapshot_clear(struct ear_snapshot *snapshot);

/* Append size bytes. Returns 0 or EAR_E_NO_MEMORY. */
int ear_snapshot_put(struct ear_snapshot *snapshot, const void *bytes, size_t size);

/* Make indexes an array of count, all 0. Returns 0 or EAR_E_NO_MEMORY. */
int ear_snapshot_set_harts(struct ear_snapshot *snapshot, size_t count);

/* Make *to like *from. Returns 0 or EAR_E_NO_MEMORY. */
int ear_snapshot_copy(struct ear_snapshot *to, const struct ear_snapshot *from);

/* Do both stand at the same place? with_indexes: the indexes count too. */
bool ear_snapshot_equal(
	const struct ear_snapshot *a, const struct ear_snapshot *b, bool with_indexes);

/* The next index of a hart: 0 for one that is not in the snapshot. */
static inline uint64_t ear_snapshot_index(const struct ear_snapshot *snapshot, size_t hart)
{
	return hart < snapshot->hart_count ? snapshot->indexes[hart] : 0;
}

#endif
