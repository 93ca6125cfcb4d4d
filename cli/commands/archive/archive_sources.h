#ifndef EAR_ARCHIVE_SOURCES_H
#define EAR_ARCHIVE_SOURCES_H

#include <sys/types.h>

#include "library/archive/manifest.h"

/* What is to be archived: files, folders and links, as the manifest will name them. */
struct archive_source {
	struct ear_manifest_entry entry; /* its path and target are the source's */
	char *file;                      /* its path for this process */
	bool failed;                     /* it is not in the archive: it was reported */
	bool archived;                   /* it was there before */
	bool copy;                       /* an earlier source has the same contents */
};

struct archive_sources {
	struct archive_source *list; /* in the order of their paths in the archive */
	size_t count, capacity;
	bool failed; /* something was left out, and reported */
};

/* Paths of the arguments @LIST and @- (cli/batch/batch_list.h). */
struct archive_lists {
	char **paths;
	size_t count, capacity;
	bool any; /* an argument was one */
};

/* Read them, before the right to is given up. Returns false after printing why not. */
bool archive_lists_read(struct archive_lists *lists, char **arguments, size_t count);
void archive_lists_fini(struct archive_lists *lists);

/* Collect what the arguments name. One folder: what is in it. Several arguments, or files: each by
 * its own name; what a list names by its path. except: a folder that may not be in them, NULL:
 * none. Returns false after printing why nothing can be done. */
bool archive_sources_find(struct archive_sources *sources, char **arguments, size_t count,
	const struct archive_lists *lists, const char *except);
void archive_sources_fini(struct archive_sources *sources);

#endif
