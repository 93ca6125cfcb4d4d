#ifndef EAR_SNAPSHOT_H
#define EAR_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a reader or writer between two lines: what it knows from the lines before. Two with
 * equal snapshots treat the next lines in the same way. So a long text can be worked on in chunks,
 * by several at a time: each begins with the state that is expected before its chunk, and
 * afterwards this is compared with the state that the chunk before it really ended in.
 */
struct ear_snapshot {
	/* Compared as a whole: no padding, and nothing without an effect on later lines. */
	unsigned char *bytes;
	size_t size, capacity;

	/* The index of the next record of each hart, for formats in which records are counted by
	 * reading them. Apart from the rest, since many users do not need them. */
	uint64_t *indexes;
	size_t hart_count, hart_capacity;
};

/* An empty one is all zero. */
void ear_snapshot_fini(struct ear_snapshot *snapshot);

/* Make it empty, keeping the memory. */
void ear_snapshot_clear(struct ear_snapshot *snapshot);

/* Append size bytes. Returns 0 or EAR_E_NO_MEMORY. */
int ear_snapshot_put(struct ear_snapshot *snapshot, const void *bytes, size_t size);

/* Make indexes an array of count, all 0. Returns 0 or EAR_E_NO_MEMORY. */
int ear_snapshot_set_harts(struct ear_snapshot *snapshot, size_t count);

/* Make *to like *from. Returns 0 or EAR_E_NO_MEMORY. */
int ear_snapshot_copy(struct ear_snapshot *to, const struct ear_snapshot *from);

/* Are both the same state? with_indexes: the indexes count too. */
bool ear_snapshot_equal(
	const struct ear_snapshot *a, const struct ear_snapshot *b, bool with_indexes);

/* The next index of a hart: 0 for one that is not in the snapshot. */
static inline uint64_t ear_snapshot_index(const struct ear_snapshot *snapshot, size_t hart)
{
	return hart < snapshot->hart_count ? snapshot->indexes[hart] : 0;
}

#endif
