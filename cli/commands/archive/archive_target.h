#ifndef EAR_ARCHIVE_TARGET_H
#define EAR_ARCHIVE_TARGET_H

#include <sha2.h>
#include <stdio.h>

#include "cli/commands/archive/archive_read.h"

/* The folder that an archive is restored to. Nothing is written outside of it, whatever a manifest
 * says: no link in it is followed, and links are made last. No file that is there is written over.
 */
struct archive_target {
	const char *name; /* as the user says */
	int fd;
	bool failed; /* something could not be written; it was reported */

	/* The file that is written. */
	int folder, file;
	bool skip;
};

/* Make the folder, unless it is there. Returns false after printing. */
bool archive_target_open(struct archive_target *target, const char *name);
void archive_target_close(struct archive_target *target);

/* Make a folder or a link of the manifest. What is there already is left as it is. Failures are
 * reported, and set failed. */
void archive_target_make(struct archive_target *target, const struct ear_manifest_entry *entry);

/* Is there something that stands for the file already: the file itself, or another one, which is
 * reported? */
bool archive_target_has(struct archive_target *target, const struct ear_manifest_entry *entry);

/* Write files; context is the target. A file that is not whole gets the name NAME.damaged. */
extern const struct archive_sink archive_target_sink;

#endif
