#ifndef EAR_GREP_CHUNKS_H
#define EAR_GREP_CHUNKS_H

#include "cli/commands/grep/grep_show.h"

/* Search the whole file with grep->jobs threads. Returns 0 at the end of the file or of what is
 * wanted, or an error, which was printed. EAR_E_UNSUPPORTED: that cannot be done with this file,
 * and nothing has happened.
 */
int grep_chunks(struct grep *grep);

#endif
