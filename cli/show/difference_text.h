#ifndef EAR_CLI_DIFFERENCE_TEXT_H
#define EAR_CLI_DIFFERENCE_TEXT_H

#include "common/protocol/difference.h"
#include "common/protocol/message.h"
#include "decoder/predict/geometry.h"

/* Print a record message of predict mode whose first byte is kind: its name, the run, and the
 * fields that differ, as docs/predict.md names them. No line feed.
 */
void print_difference(uint8_t kind, const struct ear_record_message *message);

/* Print the geometry of a unit in predict mode: " geometry ...". */
void print_geometry(const struct ear_unit *unit);

#endif
