#ifndef EAR_ARCHIVE_WRITE_H
#define EAR_ARCHIVE_WRITE_H

#include "cli/commands/archive/archive_sources.h"
#include "cli/commands/archive/archive_store.h"

/* Sources into an archive: which of them are new by their SHA-256, then their objects, then the
 * manifest. docs/archive.md, section 4. */
struct archive_writing {
	struct archive_store *store;
	struct archive_sources *sources;
	unsigned jobs;
	size_t block_size;
	/* What was done: */
	uint64_t files, bytes;   /* of all sources that are in the archive now */
	uint64_t stored;         /* bytes of the objects that were made */
	uint64_t added, records; /* objects that were made; files that are records */
};

/* Returns false if it ended early, after printing why, or by a signal: what is in the archive by
 * then is good. Sources that failed are marked and were reported. */
bool archive_write(struct archive_writing *writing);

#endif
