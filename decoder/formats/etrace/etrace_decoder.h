#ifndef EAR_ETRACE_DECODER_H
#define EAR_ETRACE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/state_walk.h"
#include "decoder/flow/flow_code.h"
#include "decoder/flow/flow_run.h"
#include "decoder/flow/return_stack.h"
#include "decoder/formats/etrace/etrace_packet.h"
#include "decoder/formats/etrace/etrace_unit.h"

/* Packets of one hart to records: the walk over the program's text ("Reference Python/C
 * implementation" and "Decoder" of the specification, in our own words).
 *
 *     ear_etrace_decoder_push(&decoder, &packet, offset, bytes);
 *     while (ear_etrace_decoder_work(&decoder))
 *             hand out decoder.run;
 *
 * The instructions of a packet are handed out when the whole packet fits the text: a packet that
 * does not is a gap, and leaves no instruction. Only of a packet with more than
 * EAR_ETRACE_STEPS instructions the first ones are handed out before.
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

/* unit and code stay the caller's; unit is valid. xlen: 32 or 64. Returns 0 or EAR_E_NO_MEMORY. */
int ear_etrace_decoder_init(struct ear_etrace_decoder *decoder, const struct ear_etrace_unit *unit,
	const struct ear_flow_code *code, uint16_t hart, unsigned xlen);
void ear_etrace_decoder_fini(struct ear_etrace_decoder *decoder);

/* The next packet, which has so many bytes at offset of the stream. All work is done, and run is
 * empty. time: of the encapsulation, or NULL. */
void ear_etrace_decoder_push(struct ear_etrace_decoder *decoder,
	const struct ear_etrace_packet *packet, uint64_t offset, unsigned bytes,
	const uint64_t *time);

/* Bytes could not be used, or packets are missing before offset. */
void ear_etrace_decoder_lose(struct ear_etrace_decoder *decoder, enum ear_gap_reason reason,
	uint64_t offset, uint64_t bytes);

/* Nothing follows. */
void ear_etrace_decoder_end(struct ear_etrace_decoder *decoder, uint64_t offset);

/* Decode until run has to be handed out, or the packet is done. Returns false if it is done, which
 * run may still have records of. */
bool ear_etrace_decoder_work(struct ear_etrace_decoder *decoder);

/* Measure, save or load what packets change (common/state_walk.h). All work is done, and run is
 * empty. */
void ear_etrace_decoder_walk(struct ear_etrace_decoder *decoder, struct ear_state_walk *walk);

#endif
