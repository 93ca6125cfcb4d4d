#ifndef EAR_INFER_WINDOW_H
#define EAR_INFER_WINDOW_H

#include "library/infer/infer_forward.h"

/* The inference over windows of a trace, forward passes and infer_solve.h in turn until nothing
 * more follows: what is known later says what was there before, as far as the window reaches.
 *
 *     ear_infer_window_new(&window, &options, EAR_INFER_WINDOW, EAR_INFER_ROUNDS);
 *     for each record
 *             ear_infer_window_push(window, record);
 *             while (ear_infer_window_take(window, &taken, &inferred))
 *                     ...
 *     ear_infer_window_finish(window);
 *     and once more what can be taken
 *
 * Traces of one hart; with more of them there are forward passes alone.
 */
#define EAR_INFER_WINDOW 16384 /* records */
#define EAR_INFER_ROUNDS 4     /* forward passes at most; the third gains little */

/* With a snapshot: the last window has this many records, if the trace has them, */
#define EAR_INFER_KEPT       8192
#define EAR_INFER_END_ROUNDS 64 /* and is gone through more often */

struct ear_infer_window;

/* size: records of a window, 1 or more; rounds: forward passes at most, 1 or more: with 1
 * nothing is followed back. Returns 0 and *window, to be freed; EAR_E_NO_MEMORY. */
int ear_infer_window_new(struct ear_infer_window **window, const struct infer_options *options,
	size_t size, unsigned rounds);
void ear_infer_window_free(struct ear_infer_window *window);

/* A record, once all is taken that can be; and the end. Each returns 0 or EAR_E_NO_MEMORY. */
int ear_infer_window_push(struct ear_infer_window *window, const struct ear_record *record);
int ear_infer_window_finish(struct ear_infer_window *window);

/* The next record and what was inferred for it, in order, some records later; valid until the next
 * push. Returns false: there is none yet. */
bool ear_infer_window_take(struct ear_infer_window *window, const struct ear_record **record,
	const struct ear_inferred **inferred);

const struct ear_infer_counts *ear_infer_window_counts(const struct ear_infer_window *window);

#endif
