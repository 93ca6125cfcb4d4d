#ifndef EAR_WHISPER_PROBE_H
#define EAR_WHISPER_PROBE_H

#include <stddef.h>

#include "decoder/formats/whisper/whisper_line.h"

/* XLEN as the lines of the beginning of a file say, 32 if they do not: wide values and texts that
 * only RV64 has against texts that only RV32 has and negative immediates in registers of 8 digits.
 * *line is used for it. *guessed: nothing there is of RV32 alone.
 */
unsigned ear_whisper_probe_xlen(
	struct ear_whisper_line *line, const char *bytes, size_t size, bool *guessed);

/* Does the line, which was parsed, write an x register with 10 digits or more? Only RV64 has such
 * values: a digit too many makes 9 of 8.
 */
bool ear_whisper_probe_is_64(const struct ear_whisper_line *line);

#endif
