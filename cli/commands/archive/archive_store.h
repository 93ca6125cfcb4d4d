#ifndef EAR_ARCHIVE_STORE_H
#define EAR_ARCHIVE_STORE_H

#include "library/archive/manifest.h"

/* The folder of an archive: its manifest and its objects. docs/archive.md, sections 1 and 2. */
struct archive_store {
	const char *name; /* as the user says */
	int fd;
	struct ear_manifest manifest;
	int damaged; /* lines of the manifest that cannot be used; they were reported */
};

#define ARCHIVE_OBJECT_MAX 96u /* bytes of an object's path in the folder */

/* Make the folder, unless it is there: it must be empty, or an archive, which is locked for as long
 * as it is open. Returns false after printing. */
bool archive_store_create(struct archive_store *store, const char *name);

/* Open an archive to read it. Returns false after printing. */
bool archive_store_open(struct archive_store *store, const char *name);
void archive_store_close(struct archive_store *store);

/* Write a manifest in place of the one that is there, when all objects are on the disk. Returns
 * false after printing. */
bool archive_store_save(const struct archive_store *store, const struct ear_manifest *manifest);

/* The path of an object in the folder: named by the SHA-256 of what it holds. */
void archive_store_object(char path[ARCHIVE_OBJECT_MAX], const char *sha256, bool records);

#endif
