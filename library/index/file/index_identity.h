#ifndef EAR_INDEX_IDENTITY_H
#define EAR_INDEX_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "library/index/file/index_bytes.h"
#include "library/source/source.h"

/* Which trace an index was made of. docs/index.md, section 5. */

#define EAR_INDEX_IDENTITY_SIZE 136u
#define EAR_INDEX_HASH_SIZE     32u /* SHA-256 */
#define EAR_INDEX_FORMAT_SIZE   16u

struct ear_index_identity {
	uint64_t size, time;
	uint8_t first[EAR_INDEX_HASH_SIZE], last[EAR_INDEX_HASH_SIZE];
	uint8_t table[EAR_INDEX_HASH_SIZE];
	char format[EAR_INDEX_FORMAT_SIZE];
	uint64_t reading;
};

/* Of the file behind fd, whose position does not change. format: of ear_source_format. reading: a
 * hash of how it is read. Returns 0; EAR_E_IO (errno); EAR_E_UNSUPPORTED: it is no regular file. */
int ear_index_identity_of(
	struct ear_index_identity *identity, int fd, const char *format, uint64_t reading);

enum ear_index_match {
	EAR_INDEX_OTHER, /* another trace, or read otherwise */
	EAR_INDEX_SAME,
	EAR_INDEX_GROWN, /* the same, and more after it */
};

/* Compare what an index says with the file behind fd as it is now. */
enum ear_index_match ear_index_identity_match(
	const struct ear_index_identity *old, const struct ear_index_identity *now, int fd);

void ear_index_identity_write(
	const struct ear_index_identity *identity, struct ear_index_bytes *bytes);
void ear_index_identity_read(struct ear_index_identity *identity, struct ear_index_cursor *cursor);

#endif
