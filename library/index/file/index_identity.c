/* Which trace an index was made of.
 *
 * A whole hash of a long trace would take longer than most questions, so only its ends and, of a
 * capture, the table of its frames are hashed: the sizes of all compressed frames, which hardly an
 * edit leaves as they are. What gets through is found by the checksums of the stretches.
 */
#include "library/index/file/index_identity.h"

#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/shot/shot_format.h"
#include <earshot/error.h>

#define END_SIZE    65536u
#define FOOTER_SIZE 9u
#define ENTRY_SIZE  8u

_Static_assert(SHA256_DIGEST_LENGTH == EAR_INDEX_HASH_SIZE, "a SHA-256");
_Static_assert(
	EAR_INDEX_IDENTITY_SIZE == 8 + 8 + 3 * EAR_INDEX_HASH_SIZE + EAR_INDEX_FORMAT_SIZE + 8,
	"the layout of docs/index.md");

/* The hash of size bytes at offset, as many as there are. Returns 0 or EAR_E_IO. */
static int hash_part(uint8_t *hash, int fd, uint64_t offset, uint64_t size)
{
	uint8_t bytes[16384];
	SHA2_CTX context;

	SHA256Init(&context);
	while (size > 0) {
		size_t part = size < sizeof(bytes) ? (size_t)size : sizeof(bytes);
		ssize_t got = pread(fd, bytes, part, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		if (got == 0)
			break;
		SHA256Update(&context, bytes, (size_t)got);
		offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	SHA256Final(hash, &context);
	return 0;
}

/* Bytes of the seek table before its footer, 0 if there is none. */
static uint64_t table_size(int fd, uint64_t size)
{
	uint8_t footer[FOOTER_SIZE];

	if (size < FOOTER_SIZE ||
		pread(fd, footer, FOOTER_SIZE, (off_t)(size - FOOTER_SIZE)) != (ssize_t)FOOTER_SIZE)
		return 0;
	uint64_t table = (uint64_t)ear_load_le32(footer) * ENTRY_SIZE;
	if (ear_load_le32(footer + 5) != EAR_SHOT_SEEK_FOOTER || table > size - FOOTER_SIZE)
		return 0;
	return table;
}

int ear_index_identity_of(
	struct ear_index_identity *identity, int fd, const char *format, uint64_t reading)
{
	struct stat status;

	*identity = (struct ear_index_identity){.reading = reading};
	if (fstat(fd, &status) < 0)
		return EAR_E_IO;
	if (!S_ISREG(status.st_mode))
		return EAR_E_UNSUPPORTED;
	identity->size = (uint64_t)status.st_size;
	identity->time =
		(uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
	strncpy(identity->format, format, sizeof(identity->format) - 1);
	uint64_t size = identity->size, end = size < END_SIZE ? size : END_SIZE;
	int result = hash_part(identity->first, fd, 0, end);
	if (result == 0)
		result = hash_part(identity->last, fd, size - end, end);
	uint64_t table = table_size(fd, size);
	if (result == 0 && table > 0)
		result = hash_part(identity->table, fd, size - FOOTER_SIZE - table, table);
	return result;
}

static bool has_grown(
	const struct ear_index_identity *old, const struct ear_index_identity *now, int fd)
{
	uint8_t first[EAR_INDEX_HASH_SIZE], last[EAR_INDEX_HASH_SIZE];
	uint64_t end = old->size < END_SIZE ? old->size : END_SIZE;

	return old->size < now->size && hash_part(first, fd, 0, end) == 0 &&
	       hash_part(last, fd, old->size - end, end) == 0 &&
	       memcmp(first, old->first, sizeof(first)) == 0 &&
	       memcmp(last, old->last, sizeof(last)) == 0;
}

enum ear_index_match ear_index_identity_match(
	const struct ear_index_identity *old, const struct ear_index_identity *now, int fd)
{
	if (memcmp(old->format, now->format, sizeof(old->format)) != 0 ||
		old->reading != now->reading)
		return EAR_INDEX_OTHER;
	if (old->size == now->size && memcmp(old->first, now->first, sizeof(old->first)) == 0 &&
		memcmp(old->last, now->last, sizeof(old->last)) == 0 &&
		memcmp(old->table, now->table, sizeof(old->table)) == 0)
		return EAR_INDEX_SAME;
	return has_grown(old, now, fd) ? EAR_INDEX_GROWN : EAR_INDEX_OTHER;
}

void ear_index_identity_write(
	const struct ear_index_identity *identity, struct ear_index_bytes *bytes)
{
	ear_index_bytes_put_value(bytes, identity->size, 8);
	ear_index_bytes_put_value(bytes, identity->time, 8);
	ear_index_bytes_put(bytes, identity->first, sizeof(identity->first));
	ear_index_bytes_put(bytes, identity->last, sizeof(identity->last));
	ear_index_bytes_put(bytes, identity->table, sizeof(identity->table));
	ear_index_bytes_put(bytes, identity->format, sizeof(identity->format));
	ear_index_bytes_put_value(bytes, identity->reading, 8);
}

static void take(struct ear_index_cursor *cursor, void *to, size_t size)
{
	const uint8_t *bytes = ear_index_cursor_take(cursor, size);

	if (bytes)
		memcpy(to, bytes, size);
}

void ear_index_identity_read(struct ear_index_identity *identity, struct ear_index_cursor *cursor)
{
	*identity = (struct ear_index_identity){.size = ear_index_cursor_value(cursor, 8)};
	identity->time = ear_index_cursor_value(cursor, 8);
	take(cursor, identity->first, sizeof(identity->first));
	take(cursor, identity->last, sizeof(identity->last));
	take(cursor, identity->table, sizeof(identity->table));
	take(cursor, identity->format, sizeof(identity->format));
	identity->reading = ear_index_cursor_value(cursor, 8);
}
