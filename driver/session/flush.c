/* Records that wait in a unit that predicts.
 *
 * A run of predicted records waits in the unit until something differs, or until FLUSH_CYCLES
 * clocks have passed. Clocks are not time: those of the virtual board slow down with the machine,
 * and units before protocol 1.3 restart the count with each message. Waiting records are not shown
 * live, and are lost if the host is killed. So the host asks for them by its own clock, with
 * COMMAND.FLUSH, after a while of silence. That costs nothing while records come.
 *
 * An answer that comes alone means that nothing waited: the program sleeps. Such answers would
 * eventually push everything else out of a flight recorder, so a unit that sends waiting records by
 * itself is asked half as often after each of them. Other units are not: nothing else would bring
 * the records of a loop that follows.
 */

#include "driver/session/flush.h"

#include "common/protocol/frame.h"
#include "common/protocol/message.h"

#define SILENCE_MS_MAX 64000 /* the longest time between two requests */

/* A frame that holds an answer and nothing else. */
#define REPLY_FRAME_SIZE \
	(EAR_FRAME_HEADER_SIZE + EAR_FRAME_CRC_SIZE + \
		(EAR_MSG_SIZE_REPLY + EAR_FRAME_ALIGN - 1) / EAR_FRAME_ALIGN * EAR_FRAME_ALIGN)

void ear_flush_init(
	struct ear_flush *flush, struct ear_control_channel *channel, unsigned silence_min_ms)
{
	*flush = (struct ear_flush){
		.channel = channel,
		.silence_min_ms = silence_min_ms,
		.silence_ms = silence_min_ms,
	};
}

bool ear_flush_in_flight(const struct ear_flush *flush)
{
	const struct ear_control_word *word = &flush->channel->words[0];

	return flush->channel->word_count > 0 && word->operation == EAR_CONTROL_WORD_WRITE &&
	       word->address == EAR_REG_COMMAND && word->value == EAR_REG_COMMAND_FLUSH_MASK;
}

void ear_flush_ask(struct ear_flush *flush, uint64_t position, uint64_t quiet_ms, uint64_t now_ms)
{
	if (flush->silence_min_ms == 0 || flush->channel->word_count > 0)
		return;
	if (position != flush->answered) /* the unit has sent something since */
		flush->silence_ms = flush->silence_min_ms;
	if (now_ms < quiet_ms + flush->silence_ms)
		return;
	(void)ear_flush_now(flush, position);
}

int ear_flush_now(struct ear_flush *flush, uint64_t position)
{
	flush->asked = position;
	return ear_control_channel_add(flush->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_COMMAND,
		EAR_REG_COMMAND_FLUSH_MASK);
}

void ear_flush_note_answer(struct ear_flush *flush, uint64_t position, bool sends_by_itself)
{
	bool alone = position - flush->asked == REPLY_FRAME_SIZE;

	flush->answered = position;
	if (!alone || !sends_by_itself)
		flush->silence_ms = flush->silence_min_ms;
	else if (flush->silence_ms <= SILENCE_MS_MAX / 2)
		flush->silence_ms *= 2;
}
