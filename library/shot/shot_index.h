#ifndef EAR_SHOT_INDEX_H
#define EAR_SHOT_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* Where decoding of a capture file can begin. docs/file-format.md, sections 5, 7 and 8. */

/* A frame with a decoder's state. */
struct ear_shot_place {
	uint64_t file_offset;   /* of the frame */
	uint64_t stream_offset; /* of the bytes after it */
	uint64_t instructions;  /* instruction records before it */
	uint64_t records;       /* records of any kind before it */
};

struct ear_shot_index {
	struct ear_shot_place *places; /* in the order of the file */
	size_t count, capacity;
};

/* Find them in a seekable file: by the seek table and the index at its end, or, if the file has no
 * such end, frame by frame. fd's position does not change.
 *
 * Returns 0, an index without places if there are none or if this is no capture file; EAR_E_IO;
 * EAR_E_NO_MEMORY. fini is right in all cases.
 */
int ear_shot_index_read(struct ear_shot_index *index, int fd);
void ear_shot_index_fini(struct ear_shot_index *index);

/* The last place with at most so many instructions before it, or NULL: begin at the beginning. */
const struct ear_shot_place *ear_shot_index_find(
	const struct ear_shot_index *index, uint64_t instructions);

#endif
