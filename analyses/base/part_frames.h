#ifndef EAR_ANALYSES_PART_FRAMES_H
#define EAR_ANALYSES_PART_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frames of calls, for who joins parts of a trace. A part numbers its frames from 1, in the order
 * in which it reports them, those that are active at its begin first. In the whole each has a mark.
 *
 *     for each frame that the part reports:
 *             if it is active at the begin: mark = ear_part_frames_find(..)
 *             if there is none: mark = that of a new frame of the whole
 *             ear_part_frames_add(.., mark)
 *     for each that ends: mark = ear_part_frames_end(..)
 *     at the end of the part: ear_part_frames_next(..)
 *     at last: ear_part_frames_fini(..)
 */
struct ear_part_frame {
	uint64_t position; /* of the record that entered it */
	uint32_t mark;   /* in the whole; 0: it has ended, or is that of a frame of the next part */
	uint32_t number; /* in its part */
	uint16_t hart;
};

/* All zero: nothing was joined. */
struct ear_part_frames {
	struct ear_part_frame *list; /* of the part: by number - 1 */
	uint32_t count, capacity;
	struct ear_part_frame *active; /* where the part before ended, sorted */
	size_t active_count;
};

void ear_part_frames_fini(struct ear_part_frames *frames);

/* The mark of a frame that was active where the part before ended: the lowest one of the hart that
 * was entered at the position and was not found before. 0: there is none. */
uint32_t ear_part_frames_find(struct ear_part_frames *frames, uint16_t hart, uint64_t position);

/* The next frame of the part. Returns false if memory is short. */
bool ear_part_frames_add(
	struct ear_part_frames *frames, uint16_t hart, uint64_t position, uint32_t mark);

/* The mark of a frame of the part; 0: it has ended. Number 0 is no frame, and has mark 0. Returns
 * false if there is no such number. */
bool ear_part_frames_get(const struct ear_part_frames *frames, uint64_t number, uint32_t *mark);
/* The mark of one that ends; 0: there is none. */
uint32_t ear_part_frames_end(struct ear_part_frames *frames, uint64_t number);

/* The part has ended: what is active is so where the next one begins. Returns false if memory is
 * short. */
bool ear_part_frames_next(struct ear_part_frames *frames);

#endif
