#ifndef EAR_TRIALS_RUN_H
#define EAR_TRIALS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "byte_buffer.h"
#include "common/protocol/message.h"
#include "common/protocol/retire.h"
#include "random.h"

/* A run of which everything is known: what retired, what the unit lost, what its filter held back,
 * and the stream that the reference encoder made of it. The truth comes from the source of the
 * entries, never from a decoder.
 */

#define RUN_HARTS_MAX 2

/* What became of an index. */
enum fate {
	FATE_DELIVERED, /* it is on the wire */
	FATE_LOST,      /* a LOST message counts it */
	FATE_FILTERED,  /* filter or trigger held it back */
};

struct run_hart {
	uint8_t stream_id;
	uint64_t base; /* index of the first entry after ENABLE */
	size_t count;  /* indexes base .. base + count - 1 */
	uint8_t *fates;
	struct ear_retire *entries; /* of those that were delivered */
	uint64_t *ticks;
	size_t delivered, lost, filtered;
	bool old;      /* of a unit before protocol 1.3 */
	bool may_jump; /* the filter is on: the index may jump without a loss */
};

struct run_frame {
	size_t offset, size;
	uint8_t hart; /* index into harts */
	bool ends;    /* it holds a STOP */
};

struct run {
	bool predict;
	bool syncs; /* hard SYNCs in the middle */
	unsigned hart_count;
	struct run_hart harts[RUN_HARTS_MAX];
	struct byte_buffer bytes;
	struct run_frame *frames;
	size_t frame_count;
};

/* What a run is made with. */
struct run_wish {
	bool predict;
	unsigned hart_count;
	size_t count;       /* entries of each hart */
	unsigned per_frame; /* a frame is ended once in so many records; 0: when it is full */
	bool losses, filter, trigger;
	bool syncs;     /* the host asks for hard SYNCs in the middle */
	bool from_zero; /* indexes and frame numbers begin at 0 */
	bool has_base;  /* they begin at these: */
	uint64_t base;
	uint16_t sequence;
};

/* Make a run. Never fails: it ends the program instead. */
void run_make(struct run *run, struct random *random, const struct run_wish *wish);
void run_free(struct run *run);

/* May it hold hard SYNCs of a unit before protocol 1.3? What comes before such a one since the last
 * CHECK is never checked.
 */
bool run_is_unchecked(const struct run *run);

/* The hart with this stream id, or NULL. */
struct run_hart *run_hart_find(struct run *run, unsigned stream_id);

#endif
