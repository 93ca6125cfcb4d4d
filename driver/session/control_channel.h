#ifndef EAR_CONTROL_CHANNEL_H
#define EAR_CONTROL_CHANNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/control_word.h"
#include "common/protocol/message.h"
#include "driver/link/transport.h"

/* Control words in flight: one at a time, in order, sent again until they are answered.
 * docs/protocol.md, sections 4.6 and 7.
 *
 * The answers come in band, so whoever reads the stream passes them to ear_control_channel_reply,
 * and calls ear_control_channel_poll from time to time. Nothing here waits, and so the same code
 * serves before a capture (the session waits for each answer) and in it (the consumer continues
 * reading).
 *
 * A word that is sent again keeps its tag, so a late answer to the first copy counts. The answer to
 * the second copy then belongs to no word and is ignored. Writing twice does no harm: a register
 * takes the same value again, and a COMMAND acts twice.
 */

#define EAR_CONTROL_CHANNEL_WORD_MAX 8 /* words that can wait */

struct ear_control_channel {
	struct ear_transport *transport;
	unsigned timeout_ms, retries;

	struct ear_control_word words[EAR_CONTROL_CHANNEL_WORD_MAX]; /* the first is in flight */
	unsigned word_count;
	bool sent;            /* the first word has been sent at least once */
	unsigned resent;      /* repetitions of the first word */
	uint64_t deadline_ms; /* for its answer */
	uint8_t tag;          /* of the next word */
	uint32_t value;       /* of the last OK answer */

	_Atomic uint64_t resent_total;
};

void ear_control_channel_init(struct ear_control_channel *channel, struct ear_transport *transport,
	unsigned timeout_ms, unsigned retries);

/* Queue a word. Returns 0, or EAR_E_FULL. Nothing is sent before the next poll. */
int ear_control_channel_add(
	struct ear_control_channel *channel, uint8_t operation, uint16_t address, uint32_t value);

/* Forget all words. */
void ear_control_channel_clear(struct ear_control_channel *channel);

/* Send what has to be sent now. While a word waits, poll again at deadline_ms.
 *
 * Returns 1 if a word waits for its answer, 0 if there is none.
 * Returns EAR_E_TIMEOUT if a word was sent retries + 1 times without an answer, or what the
 *         transport's write does: the word is then forgotten.
 */
int ear_control_channel_poll(
	struct ear_control_channel *channel, uint64_t now_ms, struct ear_report *report);

/* A REPLY came. One that does not belong to the word in flight (tag, address) is ignored.
 *
 * Returns 1 if it was the answer: the word is done, value is set. Returns 0 if it was ignored.
 * Returns EAR_E_REFUSED if it is an answer with an error status: the word is forgotten.
 */
int ear_control_channel_reply(struct ear_control_channel *channel, const struct ear_message *reply,
	struct ear_report *report);

/* The unit has sent something: the word in flight gets all its repetitions again. */
void ear_control_channel_reset_retries(struct ear_control_channel *channel);

#endif
