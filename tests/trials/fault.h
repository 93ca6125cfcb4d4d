#ifndef EAR_TRIALS_FAULT_H
#define EAR_TRIALS_FAULT_H

#include <stdbool.h>
#include <stddef.h>

#include "byte_buffer.h"
#include "random.h"
#include "run.h"

/* Damaged copies of streams, of which it is known which byte came from where. */

enum fault {
	FAULT_NONE,
	FAULT_CUT_START,    /* bytes cut off at the start: a listener who joins late */
	FAULT_CUT_END,      /* at the end: the capture died */
	FAULT_CUT_BOTH,     /* both */
	FAULT_CUT_FRAMES,   /* the same between frames, where nothing is torn */
	FAULT_ONLY_STOP,    /* the last frame alone */
	FAULT_DROP_FRAMES,  /* frames taken out at some places */
	FAULT_DROP_WRAP,    /* 65536 frames taken out at one place: the numbers fit again */
	FAULT_REPEAT_FRAME, /* one frame twice, at once or later */
	FAULT_REPEAT_RANGE, /* a range of frames twice, at once or later */
	FAULT_SWAP_FRAMES,  /* two neighbours in the wrong order */
	FAULT_FLIP,         /* one wrong bit */
	FAULT_FLIPS,        /* several */
	FAULT_NOISE,        /* bytes that are nobody's between the frames */
	FAULT_DELETE,       /* bytes taken out anywhere */
	FAULT_JOIN,         /* two captures, one after the other, whole */
	FAULT_JOIN_CUT,     /* the first without its end, the second without its start or whole */
	FAULT_JOIN_FITTING, /* the same where the frame number continues */
	FAULT_FORGE,        /* a wrong byte inside a frame, and the CRC made right again */
	FAULT_COUNT
};

/* "repeat-frame". Static. */
const char *fault_name(enum fault fault);

/* Where bytes of a damaged stream came from. */
struct fault_piece {
	size_t at, size; /* in the damaged stream */
	int run;         /* 0 or 1; -1: noise */
	size_t from;     /* in the stream of the run */
};

struct damaged {
	struct byte_buffer bytes;
	struct fault_piece *pieces; /* in order, without holes */
	size_t piece_count, piece_capacity;
	bool changed; /* it is not what was sent */
	bool fitting; /* two captures are joined where a frame number continues */
	bool begun;   /* the first frame of a hart comes after the second */
};

/* Make *damaged from runs[0], and from runs[1] with a JOIN. Never fails: it ends the program. */
void fault_make(
	struct damaged *damaged, enum fault fault, const struct run runs[2], struct random *random);
/* FAULT_REPEAT_FRAME of the frame with this number, at once. */
void fault_repeat(struct damaged *damaged, const struct run runs[2], size_t frame);
void fault_free(struct damaged *damaged);

/* The run from which the byte at this offset came, -1: nobody's. */
int fault_run_at(const struct damaged *damaged, uint64_t offset);

#endif
