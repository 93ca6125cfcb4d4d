#ifndef EAR_ETRACE_DECODER_INTERNAL_H
#define EAR_ETRACE_DECODER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/formats/etrace/etrace_decoder.h"

/* The walk of a packet (etrace_walk.c), a part of the decoder: from where the hart is to the
 * address that the packet reports. The steps of the walk are in decoder->steps; what is wrong is in
 * decoder->fault.
 */
enum ear_etrace_walk_result {
	EAR_ETRACE_WALK_DONE,
	EAR_ETRACE_WALK_FULL, /* of steps, which have to be handed out first */
	EAR_ETRACE_WALK_ERROR,
	EAR_ETRACE_WALK_NO_CODE, /* at the last step */
};

/* Walk to the reported address, decoder->address. */
enum ear_etrace_walk_result ear_etrace_walk_on(struct ear_etrace_decoder *decoder);

/* Arrive at pc, for which there is room. Returns false if there is no code. */
bool ear_etrace_arrive(struct ear_etrace_decoder *decoder, uint64_t pc);

/* Where the last step goes, as far as it is known without another packet. Returns false if it is
 * not. */
bool ear_etrace_infer_next(struct ear_etrace_decoder *decoder, uint64_t *next, bool *taken);

/* What branches did: add a set of those that were not taken, the oldest in bit 0; make a bit of an
 * outcome that the packet before left; have none. */
void ear_etrace_add_outcomes(struct ear_etrace_decoder *decoder, uint64_t not, unsigned count);
void ear_etrace_settle_outcome(struct ear_etrace_decoder *decoder);
void ear_etrace_clear_outcomes(struct ear_etrace_decoder *decoder);
uint64_t ear_etrace_outcomes_left(const struct ear_etrace_decoder *decoder);

/* Empty the predictor, the cache and the return stack. */
void ear_etrace_forget(struct ear_etrace_decoder *decoder);

/* The jump target cache has the reported address from now on. */
void ear_etrace_keep_target(struct ear_etrace_decoder *decoder);

/* An address of the hart: of 32 bits, or of the encoder's width with its sign. */
uint64_t ear_etrace_wrap(const struct ear_etrace_decoder *decoder, uint64_t address);

/* The instruction at pc, or NULL: there is no code. */
const struct ear_flow_instruction *ear_etrace_find(struct ear_etrace_decoder *decoder, uint64_t pc);

/* The last step; is it a branch? There is one. */
struct ear_etrace_step *ear_etrace_last_step(struct ear_etrace_decoder *decoder);
bool ear_etrace_at_branch(struct ear_etrace_decoder *decoder);

/* Does the encoder have an option, by the unit or by its last support packet? */
bool ear_etrace_has(const struct ear_etrace_decoder *decoder, enum ear_etrace_option option);

/* Is the packet a synchronisation? */
bool ear_etrace_is_sync(const struct ear_etrace_decoder *decoder);

#endif
