#ifndef EAR_EXCERPT_H
#define EAR_EXCERPT_H

#include <stdint.h>

#include "decoder/codec/decoder.h"
#include "library/shot/shot.h"

/* A part of a capture as a capture: records of a decoder, packed again so that they decode to the
 * same records, with their indexes, times, events and gaps. docs/file-format.md, section 10.
 *
 * Each hart is encoded as its unit did, raw or predicted, by the reference encoder. The file begins
 * with a state in which the predictors know what the decoder knew there, except the caches, which
 * are empty: they fill again for less than they would take.
 */
struct ear_excerpt;

/* Records that decoder makes go to shot; both stay the caller's. decoder must have one_by_one set.
 * Returns 0 and *excerpt, or EAR_E_NO_MEMORY.
 */
int ear_excerpt_new(struct ear_excerpt **excerpt, const struct ear_decoder *decoder,
	struct ear_shot_writer *shot);
void ear_excerpt_free(struct ear_excerpt *excerpt);

/* The excerpt begins with the next record, and the decoder has made others before or was given a
 * state: write that. Without it the excerpt begins as the capture did.
 *
 * Returns 0, EAR_E_IO (errno), EAR_E_NO_MEMORY, or EAR_E_UNSUPPORTED if a unit predicts with a
 * geometry that cannot be followed.
 */
int ear_excerpt_begin(struct ear_excerpt *excerpt);

/* The record that the decoder has just made. Returns as ear_excerpt_begin. */
int ear_excerpt_push(struct ear_excerpt *excerpt, const struct ear_record *record);

/* The records that follow are those of another decoder: of a capture whose records come after the
 * ones before. decoder must have one_by_one set, and stays the caller's. */
void ear_excerpt_follow(struct ear_excerpt *excerpt, const struct ear_decoder *decoder);

/* The records first .. last of a hart of which some were pushed are missing, for an unknown reason:
 * a gap of EAR_GAP_JUMP. Returns as ear_excerpt_push. */
int ear_excerpt_gap(struct ear_excerpt *excerpt, unsigned id, uint64_t first, uint64_t last);

/* Everything that was pushed goes to shot, in whole frames. Returns 0, EAR_E_IO or EAR_E_NO_MEMORY.
 */
int ear_excerpt_flush(struct ear_excerpt *excerpt);

/* Bytes of the stream so far. */
uint64_t ear_excerpt_size(const struct ear_excerpt *excerpt);

#endif
