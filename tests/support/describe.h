#ifndef EAR_DESCRIBE_H
#define EAR_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "byte_buffer.h"
#include "common/protocol/control_word.h"
#include "common/protocol/difference.h"
#include "common/protocol/message.h"

#define DESCRIBE_SIZE 1024

/* What the bytes of the wire mean, one line for each thing: the text that vectors and the
 * examples of docs/protocol.md and docs/predict.md are compared with. Written apart from earshot
 * dump, so that one mistake does not hide in both.
 */

/* One message, every field, into text[0 .. DESCRIBE_SIZE-1]. */
void describe_message(char *text, const struct ear_message *message);

/* One record message of predict mode, whose first byte is header. */
void describe_record_message(char *text, uint8_t header, const struct ear_record_message *message);

void describe_control_word(char *text, const struct ear_control_word *word);

/* A whole stream, a line for each frame, message and run of bytes that is no frame, each with
 * its offset: "36    SYNC flags 01 order 0\n". NUL-terminated, appended to *lines.
 */
void describe_stream(struct byte_buffer *lines, const uint8_t *bytes, size_t size);

#endif
