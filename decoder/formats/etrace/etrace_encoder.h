#ifndef EAR_ETRACE_ENCODER_H
#define EAR_ETRACE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/flow/flow_code.h"
#include "decoder/flow/return_stack.h"
#include "decoder/formats/etrace/etrace_packet.h"
#include "decoder/formats/etrace/etrace_unit.h"

/* What a hart did to the packets of an E-Trace encoder, with every option of the specification
 * ("Example encoder algorithm"). It waits for the item after the one that it encodes.
 *
 * Returns that go elsewhere than the return stack says cannot be reported without doubt by the
 * rules of 2.0 (issue 254 of the specification); they are reported by those rules all the same.
 */

/* An instruction that retired, or an exception or interrupt instead of one. */
struct ear_etrace_item {
	uint64_t pc; /* trap: where the instruction is that did not retire */
	const struct ear_flow_instruction *instruction; /* of it; a trap needs none */
	bool trap, interrupt;
	bool taken;        /* of a branch */
	uint8_t privilege; /* as the packet has it */
	uint64_t cause, value, time, context;
};

typedef void ear_etrace_emit(void *context, const struct ear_etrace_packet *packet);

struct ear_etrace_encoder {
	const struct ear_etrace_unit *unit;
	uint8_t options;
	uint32_t resync_max; /* packets between synchronisations; 0: none */
	ear_etrace_emit *emit;
	void *context;

	bool has_current, has_before;
	struct ear_etrace_item before, current;
	bool first;           /* nothing was reported yet */
	bool uninferable;     /* "before" is a jump that a packet has to report */
	bool mispredicted;    /* and it is a return that the stack has elsewhere */
	bool before_reported; /* "before" is a trap that was reported */
	bool last_by_jump;    /* the last packet reported a jump */
	bool open;      /* the last packet reported a jump, which a decoder may take for an earlier
			 * arrival at the same address: no synchronisation may follow it at once */
	uint32_t depth; /* of the stack at that return */

	uint64_t address; /* reported last */
	uint32_t packets; /* since the last synchronisation */
	uint32_t map;
	unsigned branches;  /* in map, up to 31 */
	uint64_t predicted; /* branches in a row that went as predicted; all since the map began */
	bool counting;      /* all branches since the last packet are in predicted */
	struct ear_return_stack stack;
	uint8_t *predictor;
	uint64_t *cache;
};

/* unit stays the caller's; its options are in force. Returns 0 or EAR_E_NO_MEMORY. */
int ear_etrace_encoder_init(struct ear_etrace_encoder *encoder, const struct ear_etrace_unit *unit,
	uint32_t resync_max, ear_etrace_emit *emit, void *context);
void ear_etrace_encoder_fini(struct ear_etrace_encoder *encoder);

void ear_etrace_encoder_push(
	struct ear_etrace_encoder *encoder, const struct ear_etrace_item *item);

/* What comes next is missing: the trace ends, and with the next item begins anew. */
void ear_etrace_encoder_lose(struct ear_etrace_encoder *encoder);

/* The trace ends. */
void ear_etrace_encoder_finish(struct ear_etrace_encoder *encoder);

#endif
