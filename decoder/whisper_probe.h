#ifndef EAR_WHISPER_PROBE_H
#define EAR_WHISPER_PROBE_H

#include <stddef.h>

#include "decoder/whisper_line.h"

/* XLEN as the beginning of the file tells, 32 if it does not. A wide value decides at once; a
 * text may be misread, so that the first one counts only if no value is wide. *line is used for it.
 */
unsigned whisper_probe_xlen(struct whisper_line *line, const char *bytes, size_t size);

#endif
