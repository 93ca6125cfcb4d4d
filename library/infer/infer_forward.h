#ifndef EAR_INFER_FORWARD_H
#define EAR_INFER_FORWARD_H

#include "library/infer/infer_types.h"

/* Values that a trace does not have and that follow from it: docs/infer.md.
 *
 *     ear_infer_new(&infer, &options);
 *     for each record, with the one after it
 *             ear_infer_step(infer, record, next, &inferred);
 *
 * Each instruction is executed by library/check/semantics on what is known; a branch or a jump
 * through a register says something of its operands. What is not certain is unknown.
 */
struct ear_infer;

/* Returns 0 and *infer, to be freed; EAR_E_NO_MEMORY. */
int ear_infer_new(struct ear_infer **infer, const struct infer_options *options);
void ear_infer_free(struct ear_infer *infer);

/* The next record of any kind, and the one after it in the trace; NULL: there is none. *inferred is
 * what follows for it, valid until the caller changes it.
 *
 * Returns 0; EAR_E_NO_MEMORY: *infer is of no more use.
 */
int ear_infer_step(struct ear_infer *infer, const struct ear_record *record,
	const struct ear_record *next, struct ear_inferred *inferred);

const struct ear_infer_counts *ear_infer_counts(const struct ear_infer *infer);

#endif
