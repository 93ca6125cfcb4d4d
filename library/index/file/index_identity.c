/* Which trace an index was made of.
 *
 * The times of a file say that nobody wrote to it: the time of its status (ctime) changes with
 * every write, and no program can set it. Where the times differ, the checksum of all bytes
 * decides, which is read at the speed of the disk. So a copy or a touched file costs one reading.
 */
#include "library/index/file/index_identity.h"

#include <earshot/error.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_SIZE    65536u
#define PROGRESS_STEP (4u << 20) /* bytes, some milliseconds */

_Static_assert(EAR_INDEX_IDENTITY_SIZE == 4 * 8 + EAR_INDEX_FORMAT_SIZE + 8,
	"the layout of docs/index.md");

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

int ear_index_identity_of(
	struct ear_index_identity *identity, int fd, const char *format, uint64_t reading)
{
	struct timespec now;
	struct stat status;

	*identity = (struct ear_index_identity){.reading = reading};
	if (fstat(fd, &status) < 0)
		return EAR_E_IO;
	if (!S_ISREG(status.st_mode))
		return EAR_E_UNSUPPORTED;
	identity->size = (uint64_t)status.st_size;
	identity->time = nanoseconds(&status.st_mtim);
	identity->change = nanoseconds(&status.st_ctim);
	/* The kernel's clock for files moves every few milliseconds. Until it has moved, another
	 * write leaves the same time. */
	if (clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 ||
		identity->change >= nanoseconds(&now))
		identity->change = 0;
	strncpy(identity->format, format, sizeof(identity->format) - 1);
	return 0;
}

int ear_index_content_read(struct ear_index_content *content, int fd, uint64_t size,
	ear_index_progress *progress, void *context)
{
	uint8_t bytes[CHUNK_SIZE];

	if (content->size == 0 || content->size > size) {
		ear_checksum_begin(&content->checksum);
		content->size = 0;
	}
	while (content->size < size) {
		uint64_t left = size - content->size;
		ssize_t got = pread(fd, bytes, left < sizeof(bytes) ? (size_t)left : sizeof(bytes),
			(off_t)content->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? EAR_E_IO : EAR_E_BAD_FILE;
		ear_checksum_add(&content->checksum, bytes, (size_t)got);
		uint64_t step = content->size / PROGRESS_STEP;
		content->size += (uint64_t)got;
		if (progress && content->size / PROGRESS_STEP != step &&
			progress(context, content->size, size) != 0)
			return EAR_E_CANCELLED;
	}
	return 0;
}

bool ear_index_identity_may_match(
	const struct ear_index_identity *old, const struct ear_index_identity *now)
{
	return memcmp(old->format, now->format, sizeof(old->format)) == 0 &&
	       old->reading == now->reading && old->size <= now->size;
}

bool ear_index_identity_is_untouched(
	const struct ear_index_identity *old, const struct ear_index_identity *now)
{
	return ear_index_identity_may_match(old, now) && old->size == now->size &&
	       old->time == now->time && old->change == now->change && old->change != 0;
}

void ear_index_identity_write(
	const struct ear_index_identity *identity, struct ear_index_bytes *bytes)
{
	ear_index_bytes_put_value(bytes, identity->size, 8);
	ear_index_bytes_put_value(bytes, identity->time, 8);
	ear_index_bytes_put_value(bytes, identity->change, 8);
	ear_index_bytes_put_value(bytes, identity->checksum, 8);
	ear_index_bytes_put(bytes, identity->format, sizeof(identity->format));
	ear_index_bytes_put_value(bytes, identity->reading, 8);
}

void ear_index_identity_read(struct ear_index_identity *identity, struct ear_index_cursor *cursor)
{
	*identity = (struct ear_index_identity){.size = ear_index_cursor_value(cursor, 8)};
	identity->time = ear_index_cursor_value(cursor, 8);
	identity->change = ear_index_cursor_value(cursor, 8);
	identity->checksum = ear_index_cursor_value(cursor, 8);
	const uint8_t *format = ear_index_cursor_take(cursor, sizeof(identity->format));
	if (format)
		memcpy(identity->format, format, sizeof(identity->format));
	identity->reading = ear_index_cursor_value(cursor, 8);
}
