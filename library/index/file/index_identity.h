#ifndef EAR_INDEX_IDENTITY_H
#define EAR_INDEX_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/checksum.h"
#include "library/index/file/index_bytes.h"
#include "library/index/file/index_progress.h"

/* Which trace an index was made of, and whether its file is still that. docs/index.md, section 5.
 */

#define EAR_INDEX_IDENTITY_SIZE 56u
#define EAR_INDEX_FORMAT_SIZE   16u

struct ear_index_identity {
	uint64_t size;
	uint64_t time, change; /* mtime and ctime, ns; change 0: a later edit may have the same */
	uint64_t checksum;     /* of all bytes */
	char format[EAR_INDEX_FORMAT_SIZE];
	uint64_t reading;
};

/* Of the file behind fd, without its checksum. format: of ear_source_format. reading: a hash of how
 * it is read. Returns 0; EAR_E_IO (errno); EAR_E_UNSUPPORTED: it is no regular file. */
int ear_index_identity_of(
	struct ear_index_identity *identity, int fd, const char *format, uint64_t reading);

/* The checksum of the first bytes of a file. All zero is that of none. */
struct ear_index_content {
	struct ear_checksum checksum;
	uint64_t size;
};

/* Make it that of the first size bytes of the file behind fd, whose position does not change.
 * progress may be NULL. Returns 0; EAR_E_BAD_FILE: the file has less; EAR_E_IO (errno),
 * EAR_E_CANCELLED. */
int ear_index_content_read(struct ear_index_content *content, int fd, uint64_t size,
	ear_index_progress *progress, void *context);

/* Are these of one trace, read in the same way, so that only the bytes of the file can differ? */
bool ear_index_identity_may_match(
	const struct ear_index_identity *old, const struct ear_index_identity *now);

/* The same, and nobody has written to the file since. */
bool ear_index_identity_is_untouched(
	const struct ear_index_identity *old, const struct ear_index_identity *now);

void ear_index_identity_write(
	const struct ear_index_identity *identity, struct ear_index_bytes *bytes);
void ear_index_identity_read(struct ear_index_identity *identity, struct ear_index_cursor *cursor);

#endif
