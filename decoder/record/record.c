/* The phrases for reasons of gaps. Commands, writers and reports all take them from here, so that a
 * user meets one phrase for one reason.
 */
#include <earshot/record.h>

const char *ear_gap_reason_text(enum ear_gap_reason reason)
{
	switch (reason) {
	case EAR_GAP_UNIT_FIFO: return "the unit's FIFO was full";
	case EAR_GAP_HOST_RING: return "the host's ring was full";
	case EAR_GAP_MISSING_FRAME: return "frames are missing";
	case EAR_GAP_DAMAGE: return "damaged bytes";
	case EAR_GAP_BAD_MESSAGE: return "a message could not be read";
	case EAR_GAP_CUT: return "the data end inside a frame";
	case EAR_GAP_NO_SYNC: return "no synchronisation point came before";
	case EAR_GAP_DISAGREE: return "unit and decoder disagree: records before may be wrong";
	case EAR_GAP_NO_START: return "the start of the capture is missing";
	case EAR_GAP_NO_END: return "the end of the capture is missing";
	case EAR_GAP_JUMP: return "the index jumps";
	case EAR_GAP_REPEATED: return "frames came twice or too late";
	case EAR_GAP_BAD_LINE: return "a line could not be read";
	case EAR_GAP_CUT_LINE: return "the text ends inside a line";
	case EAR_GAP_WORD: return "a word was not understood";
	case EAR_GAP_NO_CODE: return "no code is known here: an ELF is missing";
	case EAR_GAP_OFF: return "tracing was off";
	case EAR_GAP_REASONS: break;
	}
	return "unknown";
}
