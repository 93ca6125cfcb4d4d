#ifndef EAR_JSON_ORDINARY_H
#define EAR_JSON_ORDINARY_H

#include "decoder/formats/base/record_builder.h"

/* An instruction of RISC-V as writer_json.c writes most of them, taken from left to right: members
 * in its order, without blanks, and none but those that ordinary instructions have. The record is
 * the one that the reader would make of its members.
 *
 * builder was reset. light: without registers and accesses. EAR_TEXT_SLACK bytes after the line are
 * readable. Returns false if the line is another one, good or bad; then the record means nothing.
 */
bool ear_json_ordinary(struct ear_record_builder *builder, struct ear_text line, bool light);

#endif
