#ifndef EAR_SHOT_STATES_H
#define EAR_SHOT_STATES_H

#include "decoder/codec/decoder.h"
#include "library/shot/shot.h"

/* Decoder states in capture files: written now and then, read to begin in mid-file or to continue
 * after damage. docs/file-format.md, section 7.
 *
 * Automatic: as many as the file can carry. A file grows by them by at most the larger of
 * EAR_SHOT_STATES_ALLOWANCE and a tenth; within that, of a stream whose end nobody knows, the
 * distance between states is as small as can be. The allowance is given out with the root of the
 * records: so the largest distance in the file is near what it would be had the end been known.
 * And a state has to be worth its time: making one costs as much as some records do.
 */
#define EAR_SHOT_STATES_AUTOMATIC UINT64_MAX
#define EAR_SHOT_STATES_ALLOWANCE 64000u    /* bytes */
#define EAR_SHOT_STATES_SEEK      16000000u /* instruction records between whole states */

/* Bytes of the stream after which one should ask again whether a state is due: a frame or two. */
#define EAR_SHOT_STATES_STEP (2 * (size_t)EAR_FRAME_SIZE_MAX)

struct ear_shot_states {
	uint64_t interval; /* instruction records; 0: none are written; or EAR_SHOT_STATES_AUTOMATIC
			    */
	uint64_t allowance; /* automatic: bytes that a small file may grow */
	uint64_t next;      /* instructions after which to ask again */

	/* Automatic. */
	uint64_t last, last_whole; /* instructions before the last state, and the last whole one */
	uint64_t whole_bytes;      /* that whole states took so far */
	uint64_t whole_cost, cost; /* of the last one, of the last delta; 0: there was none */
	uint64_t first_cost;       /* of the first */
	uint64_t distance;         /* instructions that are worth a state */
};

/* interval: instruction records between states, the first one after a quarter of it; 0; or
 * EAR_SHOT_STATES_AUTOMATIC. */
void ear_shot_states_init(struct ear_shot_states *states, uint64_t interval);

/* Could a state be due? The decoder has used all that was pushed. */
static inline bool ear_shot_states_due(
	const struct ear_shot_states *states, const struct ear_decoder *decoder)
{
	return states->interval > 0 && decoder->statistics.records >= states->next;
}

/* Is one due, and does the file have room for it? It depends on what ear_shot_writer_push has got.
 */
bool ear_shot_states_ready(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder);

/* Do states end zstd frames that would continue otherwise? */
bool ear_shot_states_end_frames(
	const struct ear_shot_states *states, const struct ear_decoder *decoder);

/* Write the state if it is due and the decoder can be saved here; else it stays due. Returns as
 * ear_shot_writer_push.
 */
int ear_shot_states_write(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder);

/* The same, due or not, as a complete state. */
int ear_shot_states_write_whole(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder);

/* The state that the reader has into the decoder (ear_decoder_load). *instructions gets the number
 * of instruction records before it. Returns 0, EAR_E_BAD_FILE or EAR_E_NO_MEMORY.
 */
int ear_shot_states_load(
	struct ear_shot_reader *reader, struct ear_decoder *decoder, uint64_t *instructions);

/* The reader has come to a state (EAR_SHOT_STATE): the decoder takes it if that helps. If the state
 * cannot be read and the decoder needs no help, it is the other way round. One that is damaged is
 * no error: it is reported as a fault of the file. Returns 0 or EAR_E_NO_MEMORY.
 */
int ear_shot_states_pass(struct ear_shot_reader *reader, struct ear_decoder *decoder);

#endif
