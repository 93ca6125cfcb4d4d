#ifndef EAR_WHISPER_ANY_LINE_H
#define EAR_WHISPER_ANY_LINE_H

#include "decoder/formats/whisper/whisper_reader.h"

/* Takes an ordinary line in the usual order of columns. Returns false, and nothing has changed, if
 * it is any other line.
 */
typedef bool ear_whisper_take_ordinary(struct ear_whisper_reader *reader);

/* The next record from lines that match no pattern, or from a new block. Returns as
 * ear_reader_next.
 */
int ear_whisper_next_other(
	struct ear_whisper_reader *reader, ear_whisper_take_ordinary *take_ordinary);

/* The columns have changed: adapt. Returns 0 or what the report function returned. */
int ear_whisper_take_header(struct ear_whisper_reader *reader);

#endif
