#ifndef EAR_ETRACE_WALK_H
#define EAR_ETRACE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/flow/flow_code.h"
#include "decoder/flow/flow_run.h"
#include "decoder/flow/return_stack.h"
#include "decoder/formats/etrace/etrace_packet.h"
#include "decoder/formats/etrace/etrace_unit.h"

/* The walk of a packet: from where the hart is to the address that the packet reports; and the
 * state of a decoder (etrace_decoder.h), which it is a part of. The steps of a walk are in
 * decoder->steps; what is wrong is in decoder->fault.
 */

#define EAR_ETRACE_STEPS 4096u

/* An instruction that retired. Where it went is known with the next one. */
struct ear_etrace_step {
	uint64_t pc;
	const struct ear_flow_instruction *instruction;
	uint8_t privilege; /* as packets have it */
	bool taken, timed;
};

struct ear_etrace_decoder {
	const struct ear_etrace_unit *unit;
	const struct ear_flow_code *code;
	struct ear_flow_range range; /* of the code, asked for last */
	struct ear_flow_hart hart;
	struct ear_flow_run run; /* what was decoded, to be handed out */
	uint8_t options;         /* in force */

	/* Where the hart is: the last of these steps, if there is one. */
	struct ear_etrace_step *steps;
	size_t count, poured;
	const struct ear_flow_instruction
		*last; /* before that one; NULL: after a synchronisation */
	uint64_t last_pc;
	uint8_t privilege; /* as packets have it */
	uint64_t time;     /* of the last step, if it is timed */
	uint64_t context;

	bool started;        /* synchronised */
	bool fresh;          /* nothing was decoded since the encoder started */
	bool handler_absent; /* a trap was reported, and its handler was not yet */
	bool inferred;       /* the last step was reached, but may be reached once more */
	bool stop_at_branch;
	uint64_t address; /* reported last */

	/* What branches did, the oldest first: bits, then so many as predicted, then one that was
	 * not. */
	uint64_t outcomes, predicted;
	unsigned outcome_count;
	bool failed;

	struct ear_return_stack stack;
	uint8_t *predictor; /* NULL: none */
	uint64_t *cache;    /* addresses with bit 0 set; 0: empty. NULL: none */

	/* The packet that is worked on. */
	struct ear_etrace_packet packet;
	uint64_t offset, bytes;
	bool has_time; /* of the encapsulation: frame_time */
	uint64_t frame_time;
	unsigned todo;     /* set of enum todo */
	uint64_t previous; /* the address at which the walk began */
	uint64_t check_pc; /* where a walk without branches was at a power of two of steps */
	uint32_t idle;     /* steps since the last outcome */
	bool next_known;   /* where the last step went: next_pc */
	uint64_t next_pc;

	/* A gap that comes before the next synchronisation. */
	bool has_gap;
	uint8_t gap_reason; /* enum ear_gap_reason */
	uint64_t gap_offset, gap_bytes, gap_address;
	const char *fault; /* what was wrong with the packet of the last gap; NULL: nothing */
};

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

/* Where the last step goes, as far as it is known without another packet. by_stack: a return goes
 * where the stack says. Returns false if it is not known. */
bool ear_etrace_infer_next(
	struct ear_etrace_decoder *decoder, bool by_stack, uint64_t *next, bool *taken);

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
