#ifndef EAR_ODD_STREAM_H
#define EAR_ODD_STREAM_H

#include "byte_buffer.h"
#include "random.h"

/* A stream of predict mode of one or two harts, appended to *bytes. Their program is one of loads,
 * stores, branches, calls, changes of sp and some others, and does what the predictor expects, but
 * for what is odd: any field of an entry can differ, alone or with others. Between them come losses
 * of the unit, relayed gaps with and without a count, events, SYNCs and ends of frames. About count
 * entries. Not all of it could come from a unit.
 */
void odd_stream_make(struct byte_buffer *bytes, struct random *random, size_t count);

#endif
