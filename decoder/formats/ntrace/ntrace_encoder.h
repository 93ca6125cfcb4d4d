#ifndef EAR_NTRACE_ENCODER_H
#define EAR_NTRACE_ENCODER_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/flow/flow_code.h"
#include "decoder/flow/flow_held.h"
#include "decoder/flow/return_stack.h"
#include "decoder/formats/ntrace/ntrace_message.h"

/* Records of one hart to N-Trace, as an encoder in hardware would send them: docs/ntrace.md,
 * "Encoding".
 *
 *     ear_ntrace_encoder_init(&encoder, &unit, src);
 *     for each record:
 *             ear_ntrace_encoder_push(&encoder, record);
 *             take encoder.bytes[0 .. encoder.size-1], and set encoder.size to 0
 *     ear_ntrace_encoder_end(&encoder), and take them again
 *
 * Where an instruction goes is known when the next record comes, so the encoder is one record late.
 */

/* All messages that one record causes fit in. */
#define EAR_NTRACE_ENCODED_MAX (8 * EAR_NTRACE_MESSAGE_MAX)

struct ear_ntrace_encoder {
	struct ear_ntrace_unit unit;
	const struct ear_flow_code *code; /* of the opcodes that records lack; NULL: none */
	uint64_t mask;
	uint16_t src;
	bool on;        /* a synchronisation was sent */
	uint8_t resume; /* enum ear_ntrace_sync of the next one */
	uint64_t reference;
	uint64_t pc;        /* where what was sent ends */
	uint64_t now, sent; /* time of the record, and of the last message with one */
	bool has_now, has_sent;
	uint32_t icnt;
	uint32_t history; /* with its stop bit */
	uint32_t pending; /* a full history that may be repeated; 0: none */
	uint32_t pending_count;
	struct ear_ntrace_message last; /* the branch message sent last; TCODE 0: none */
	uint64_t last_target;
	uint32_t repeats;    /* of it */
	uint32_t since_sync; /* messages */
	bool has_privilege;
	uint8_t privilege; /* sent last */
	bool has_upper;    /* the instruction before was lui or auipc, in this message */
	uint8_t upper_rd;
	uint64_t upper;
	struct ear_flow_held held;
	struct ear_return_stack stack;
	uint8_t bytes[EAR_NTRACE_ENCODED_MAX];
	size_t size;
};

/* unit->xlen is 32 or 64. */
void ear_ntrace_encoder_init(
	struct ear_ntrace_encoder *encoder, const struct ear_ntrace_unit *unit, uint16_t src);

/* The next record of the hart. An instruction that retired without an opcode is missing from the
 * trace, as a gap. */
void ear_ntrace_encoder_push(struct ear_ntrace_encoder *encoder, const struct ear_record *record);

/* Records are missing here. */
void ear_ntrace_encoder_lose(struct ear_ntrace_encoder *encoder);

void ear_ntrace_encoder_end(struct ear_ntrace_encoder *encoder);

#endif
