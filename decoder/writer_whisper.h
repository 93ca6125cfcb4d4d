#ifndef EAR_WRITER_WHISPER_H
#define EAR_WRITER_WHISPER_H

#include "decoder/writer.h"

/* Whisper CSV (docs/text-formats.md): what Whisper 1.861 writes with --csvlog for the same
 * program, character by character. A gap and an event are lines that begin with "# ".
 */
struct ear_writer *ear_writer_whisper_make(struct ear_text_output *output);

#endif
