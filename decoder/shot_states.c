#include "decoder/shot_states.h"

#include <stdlib.h>

#include "common/error.h"
#include "decoder/decoder_state.h"

_Static_assert(EAR_DECODER_STATE_MAX <= EAR_SHOT_STATE_MAX, "a state fits its frame");

void ear_shot_states_init(struct ear_shot_states *states, uint64_t interval)
{
	states->interval = interval;
	states->next = interval / 4;
}

int ear_shot_states_write(struct ear_shot_states *states, struct ear_shot_writer *writer,
	const struct ear_decoder *decoder)
{
	const struct ear_decoder_account *account = &decoder->account;
	struct ear_shot_state state = {
		.instructions = account->records,
		.records = account->records + account->gaps + account->events,
	};

	if (!ear_decoder_can_save(decoder))
		return 0;
	states->next = account->records + states->interval;
	int result = ear_decoder_save(decoder, &state.bytes, &state.size);
	if (result == 0)
		result = ear_shot_writer_state(writer, &state);
	free(state.bytes);
	return result == EAR_E_UNSUPPORTED ? 0 : result;
}

int ear_shot_states_load(
	struct ear_shot_reader *reader, struct ear_decoder *decoder, uint64_t *instructions)
{
	struct ear_shot_state state;
	int result = ear_shot_reader_state(reader, &state);

	if (result)
		return result;
	result = ear_decoder_load(decoder, state.bytes, state.size);
	*instructions = state.instructions;
	free(state.bytes);
	return result;
}
