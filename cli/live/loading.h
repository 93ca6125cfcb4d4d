#ifndef EAR_LOADING_H
#define EAR_LOADING_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/input/program.h"
#include "driver/session/session.h"

/* A program on its way into the memory of the system on a device: 'earshot load' and 'earshot
 * capture --load'.
 */
struct loading {
	const char *path;       /* the ELF file */
	const char *entry_text; /* address or symbol of the first instruction; NULL: the file's */
	bool runs;              /* let the core go at the end */
	bool quiet;             /* no summary */

	/* Only read from outside. */
	struct program program;
	uint32_t entry;
	uint64_t done; /* bytes of the segments before this one */
	double begin, last_progress;
};

/* Read the file and find where the core begins. Returns false after printing what is wrong;
 * nothing is to be freed then.
 */
bool loading_read(struct loading *loading);

/* Write it, with the core in reset, and read it back. Before ear_session_start; ear_session_stop
 * ends it early. Returns false after printing why it could not be done.
 */
bool loading_run(struct loading *loading, struct ear_session *session);

void loading_free(struct loading *loading);

#endif
