#ifndef EAR_ARCHIVE_READ_H
#define EAR_ARCHIVE_READ_H

#include "cli/commands/archive/archive_store.h"

/* Files of an archive, one after the other, block by block, with several threads. */

/* Where they go. A function returns false to end everything, after printing;
 * NULL: it is not wanted. */
struct archive_sink {
	void *context;
	bool (*begin)(void *context, const struct ear_manifest_entry *entry);
	/* The next bytes of the file. What is damaged is left out, and was reported. */
	bool (*text)(void *context, const uint8_t *text, size_t size);
	/* whole: the file is, byte for byte, the one that was archived. */
	bool (*end)(void *context, const struct ear_manifest_entry *entry, bool whole);
};

/* Read these entries, of which those that are no files are skipped. Every damage is reported with
 * the file and its lines. Returns 1 if all of them are whole, 0 if some are not, -1 if it ended
 * early.
 */
int archive_read(const struct archive_store *store, const struct ear_manifest_entry *const *entries,
	size_t count, unsigned jobs, const struct archive_sink *sink);

#endif
