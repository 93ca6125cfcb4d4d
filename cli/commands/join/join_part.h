#ifndef CLI_JOIN_PART_H
#define CLI_JOIN_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOIN_HARTS 256 /* stream ids */

/* One of the captures that are joined. */
struct join_part {
	const char *path;
	char *of,
		*created; /* the capture that it was cut out of, and when that began; NULL: none */
	char *device, *program;
	bool numbered; /* which instructions of that capture it has is known: */
	uint64_t first, last;
	bool has_instruction; /* else it has none: */
	unsigned hart;        /* of its first one, */
	uint64_t index;
	uint64_t position;

	/* Where its records are in what is written: that at position 0 here, before the gaps that
	 * were put in. It is less than 0 if it begins with records that are passed over. */
	int64_t written;
	uint64_t gaps[JOIN_HARTS]; /* positions here before which a gap was put */
	unsigned gap_count;
};

/* What the file says about itself. Returns false after printing why it cannot be joined. */
bool join_part_read(struct join_part *part, const char *path);
void join_part_free(struct join_part *part);

/* Bring them into their order: by the numbers of their instructions if they are cut out of one
 * capture, else by the index of their first one. Returns false after printing which of them is not
 * of the same run. */
bool join_parts_order(struct join_part *parts, size_t count);

/* Where the record at this position of part is in what is written. */
uint64_t join_part_written(const struct join_part *part, uint64_t position);

#endif
