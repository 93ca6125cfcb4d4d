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

#include "driver/session/session_private.h"

#include "protocol/frame.h"
#include "protocol/message.h"

#define SILENCE_MS_MAX 64000 /* the longest time between two requests */

/* A frame that holds an answer and nothing else. */
#define REPLY_FRAME_SIZE \
	(EAR_FRAME_HEADER_SIZE + EAR_FRAME_CRC_SIZE + \
		(EAR_MSG_SIZE_REPLY + EAR_FRAME_ALIGN - 1) / EAR_FRAME_ALIGN * EAR_FRAME_ALIGN)

bool ear_session_flushing(const struct ear_session *session)
{
	const struct ear_control_word *word = &session->channel.words[0];

	return session->channel.word_count > 0 && word->operation == EAR_CONTROL_WORD_WRITE &&
	       word->address == EAR_REG_COMMAND && word->value == EAR_REG_COMMAND_FLUSH_MASK;
}

void ear_session_ask_for_flush(struct ear_session *session, uint64_t now_ms)
{
	if (!ear_session_predicts(session) || session->options.silence_ms == 0 ||
		session->channel.word_count > 0)
		return;
	if (session->scanned != session->answered) /* the unit has sent something since */
		session->silence_ms = session->options.silence_ms;
	if (now_ms < session->quiet_ms + session->silence_ms)
		return;
	session->asked = session->scanned;
	ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_COMMAND,
		EAR_REG_COMMAND_FLUSH_MASK);
}

void ear_session_note_flush(struct ear_session *session, uint64_t offset)
{
	bool alone = offset - session->asked == REPLY_FRAME_SIZE;
	bool sends_by_itself = session->identity.features & EAR_REG_FEATURES_RUN_FLUSH_MASK;

	session->answered = offset;
	if (!alone || !sends_by_itself)
		session->silence_ms = session->options.silence_ms;
	else if (session->silence_ms <= SILENCE_MS_MAX / 2)
		session->silence_ms *= 2;
}
