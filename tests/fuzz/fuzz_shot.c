/* A capture file, read to its end. Wrong is: a crash, an end that never comes, more memory than
 * the window that a file may ask for.
 */
#include <stdlib.h>
#include <unistd.h>

#include "decode_run.h"
#include "decoder/shot.h"
#include "target.h"

#define STREAM_MAX (16u << 20) /* a small file may unpack to much: enough is enough */

static void read_facts(const struct ear_shot_reader *reader)
{
	static const char *const keys[] = {"format", "created", "wire_bytes", ""};
	char text[32];

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		(void)ear_shot_reader_fact(reader, keys[i], text, sizeof(text));
	if (ear_shot_reader_complete(reader) && ear_shot_reader_fault(reader))
		abort();
}

static void read_all(struct ear_shot_reader *reader, size_t size)
{
	static uint8_t buffer[65536];
	size_t total = 0, losses = 0, count;
	int item;

	while ((item = ear_shot_reader_next(reader, buffer, sizeof(buffer), &count)) !=
		EAR_SHOT_END) {
		if (item == EAR_SHOT_BYTES && (count == 0 || count > sizeof(buffer)))
			abort();
		if (item < 0 || (item == EAR_SHOT_LOSS && ++losses > size))
			abort();
		total += item == EAR_SHOT_BYTES ? count : 0;
		if (total > STREAM_MAX)
			return;
	}
	if (!ear_shot_reader_is_shot(reader) && total != size)
		abort();
}

int fuzz_shot(const uint8_t *bytes, size_t size)
{
	static int fd = -1;
	struct ear_shot_reader *reader;

	if (fd < 0)
		fd = memory_file();
	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size ||
		lseek(fd, 0, SEEK_SET) != 0 || ear_shot_reader_new(&reader, fd, NULL, 0) != 0)
		abort();
	read_all(reader, size);
	read_facts(reader);
	ear_shot_reader_free(reader);
	return 0;
}
