#ifndef EAR_SHOT_STATES_H
#define EAR_SHOT_STATES_H

#include "decoder/decoder.h"
#include "decoder/shot.h"

/* Decoder states in capture files: written now and then, read to begin in mid-file or to go on
 * behind damage. docs/file-format.md, section 7.
 */

#define EAR_SHOT_STATES_INTERVAL \
	16000000u /* instruction records; the first comes after a quarter */

struct ear_shot_states {
	uint64_t interval; /* 0: none are written */
	uint64_t next;     /* instructions after which one is due */
};

void ear_shot_states_init(struct ear_shot_states *states, uint64_t interval);

/* Should the state of this decoder be written? */
static inline bool ear_shot_states_due(
	const struct ear_shot_states *states, const struct ear_decoder *decoder)
{
	return states->interval > 0 && decoder->account.records >= states->next;
}

/* Write it, if the decoder can be saved here; else it stays due. All that the decoder has used was
 * pushed. Returns as ear_shot_writer_state.
 */
int ear_shot_states_write(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder);

/* The state that the reader has into the decoder (ear_decoder_load). *instructions gets the number
 * of instruction records before it. Returns 0, EAR_E_BAD_FILE or EAR_E_NO_MEMORY.
 */
int ear_shot_states_load(
	struct ear_shot_reader *reader, struct ear_decoder *decoder, uint64_t *instructions);

#endif
