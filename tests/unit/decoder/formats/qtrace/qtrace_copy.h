#ifndef EAR_QTRACE_COPY_H
#define EAR_QTRACE_COPY_H

#include <stdbool.h>

/* Read all of a qtrace folder, and write what it says into another one: raw, or with counts.
 * Returns NULL, or a sentence that says what was wrong; static. */
const char *qtrace_copy(int to, int from, bool raw);

#endif
