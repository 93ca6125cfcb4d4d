#ifndef EAR_ETRACE_DECODER_H
#define EAR_ETRACE_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/state_walk.h"
#include "decoder/formats/etrace/etrace_walk.h"

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
