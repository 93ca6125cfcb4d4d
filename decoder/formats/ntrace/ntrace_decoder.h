#ifndef EAR_NTRACE_DECODER_H
#define EAR_NTRACE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/state_walk.h"
#include "decoder/flow/flow_run.h"
#include "decoder/formats/ntrace/ntrace_message.h"
#include "decoder/formats/ntrace/ntrace_walk.h"

/* Bytes of N-Trace to runs of records: docs/ntrace.md, "Decoding".
 *
 *     ear_ntrace_decoder_new(&decoder, code, &unit);
 *     while (there are bytes) {
 *             ear_ntrace_decoder_feed(decoder, bytes, size);
 *             while (ear_ntrace_decoder_next(decoder) == 1)
 *                     hand out decoder->run, and clear it
 *     }
 *     ear_ntrace_decoder_end(decoder);
 *     while (ear_ntrace_decoder_next(decoder) == 1)
 *             the same
 *
 * A stream of any length needs the same memory, and may be cut anywhere between two feeds. Nothing
 * that it holds is an error: what cannot be decoded is a gap.
 */

#define EAR_NTRACE_HARTS_MAX 64u

/* Records that are missing before the next ones of a hart. */
struct ear_ntrace_loss {
	bool pending;
	uint8_t reason; /* enum ear_gap_reason */
	uint64_t offset, bytes;
};

/* The branch message that a RepeatBranch repeats. */
struct ear_ntrace_branch {
	bool known;
	uint8_t tcode, btype;
	uint32_t icnt, history;
};

/* The state of one source of messages. */
struct ear_ntrace_hart {
	struct ear_flow_hart flow;
	bool synced;      /* reference is the address of the last message with one */
	bool pc_known;    /* pc is the next instruction */
	bool has_now;     /* now is the time of the last message with one */
	bool histories;   /* a message with a history was seen */
	bool has_context; /* context is the one reported last */
	uint64_t pc, reference, now, context;
	int64_t rest; /* half-words of I-CNTs that were full, less those walked over by history */
	struct ear_ntrace_branch last;
	struct ear_ntrace_loss loss;
	struct ear_return_stack stack;
};

enum ear_ntrace_stage {
	EAR_NTRACE_BYTES,   /* a message is to be read */
	EAR_NTRACE_MESSAGE, /* it is to be taken */
	EAR_NTRACE_WALK,    /* its walk is to be done */
};

/* What is under way between two runs. */
struct ear_ntrace_job {
	enum ear_ntrace_stage stage;
	struct ear_ntrace_hart *hart;
	struct ear_ntrace_message message; /* of RepeatBranch: the one that it repeats */
	struct ear_ntrace_walk walk;
	uint64_t offset;     /* of the message */
	size_t size;         /* its bytes */
	uint64_t executed;   /* half-words of this walk */
	uint64_t iterations; /* of RepeatBranch, still to come after this one */
	bool no_code;        /* the walk ends where no code is known */
};

struct ear_ntrace_decoder {
	struct ear_ntrace_unit unit;
	const struct ear_flow_code *code;
	struct ear_flow_range range;
	struct ear_ntrace_hart
		*harts[EAR_NTRACE_HARTS_MAX]; /* in the order of their first message */
	size_t hart_count;
	const uint8_t *bytes; /* what was fed and not taken yet */
	size_t size;
	uint64_t offset; /* of bytes */
	bool ended;
	uint8_t message[EAR_NTRACE_MESSAGE_MAX]; /* the bytes of the message that is open */
	size_t message_size;
	bool skipping;   /* up to the end of a message */
	bool aligned;    /* the end of a message was seen, so another one begins after it */
	uint64_t others; /* set of TCODEs that were skipped, which mean something else */
	struct ear_ntrace_loss start; /* of harts that are not known yet */
	struct ear_ntrace_job job;
	struct ear_flow_run run;
	int error; /* EAR_E_NO_MEMORY, or 0 */
};

/* code, which may be NULL, must stay; unit->xlen is 32 or 64. Returns 0 or EAR_E_NO_MEMORY. */
int ear_ntrace_decoder_new(struct ear_ntrace_decoder **decoder, const struct ear_flow_code *code,
	const struct ear_ntrace_unit *unit);
void ear_ntrace_decoder_free(struct ear_ntrace_decoder *decoder);

/* The next bytes of the stream, all of those before are taken. They must stay until
 * ear_ntrace_decoder_next returns 0. */
void ear_ntrace_decoder_feed(struct ear_ntrace_decoder *decoder, const uint8_t *bytes, size_t size);

/* No bytes follow. */
void ear_ntrace_decoder_end(struct ear_ntrace_decoder *decoder);

/* Make the next records. Returns 1 if the run is not empty: hand it out; 0 if all bytes are taken;
 * EAR_E_NO_MEMORY. */
int ear_ntrace_decoder_next(struct ear_ntrace_decoder *decoder);

/* May the state be saved? Only between two messages, when all records were handed out. */
bool ear_ntrace_decoder_is_settled(const struct ear_ntrace_decoder *decoder);

/* Measure, save or load the state; into a new decoder of the same unit. Returns 0 or
 * EAR_E_NO_MEMORY. */
int ear_ntrace_decoder_walk(struct ear_ntrace_decoder *decoder, struct ear_state_walk *walk);

#endif
