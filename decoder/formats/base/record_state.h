#ifndef EAR_RECORD_STATE_H
#define EAR_RECORD_STATE_H

#include "common/state_walk.h"
#include "decoder/formats/base/line_reader.h"
#include "decoder/formats/base/record_builder.h"

/* What readers keep between two lines, as a state: parts that many readers have. Loading believes
 * nothing: it sets walk->bad. Texts are copied into the builder.
 *
 * Those with a result return 0 or EAR_E_NO_MEMORY.
 */

/* One step of a page walk. */
void ear_state_walk_step(struct ear_state_walk *walk, struct ear_walk_step *step);

/* The open record of a pair. */
int ear_state_pair(struct ear_state_walk *walk, struct ear_record_pair *pair);

/* What a reader of single lines keeps for every format. */
int ear_state_line_reader(struct ear_state_walk *walk, struct ear_line_reader *reader);

#endif
