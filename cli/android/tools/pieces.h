#ifndef EAR_ANDROID_PIECES_H
#define EAR_ANDROID_PIECES_H

#include "cli/android/model/trace.h"

/* What ran of each block, cut where another block begins, so that no instruction is in two: bbprof
 * and bb2sym. A piece has the number of the block that begins where it begins,
 * or of the one that it was cut from.
 */
struct ear_android_piece {
	uint64_t block;
	uint32_t address; /* without the bit of Thumb */
	uint32_t count;   /* entries */
	uint64_t frequency, cycles;
	uint32_t begin;                    /* its first entry in the block */
	uint64_t first;                    /* of its entries in pieces.cycles */
	struct ear_android_symbol *symbol; /* of its block when it ran last */
};

struct ear_android_pieces {
	struct ear_android_piece *list; /* by address */
	size_t count, room;
	uint64_t *cycles; /* of each entry */
};

/* Read the whole trace. Returns 0 or an error. */
int ear_android_pieces_make(struct ear_android_pieces *pieces, struct ear_android_trace *trace);
void ear_android_pieces_fini(struct ear_android_pieces *pieces);

#endif
