/* Index building. The first three bytes are the cost of a stretch, the threads, and the seed of the
 * questions; the others are a trace of any format. Wrong is: a crash, an end that never comes, and
 * an answer of the index that is not the one of a plain scan (index_check.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "index_check.h"
#include "target.h"

#define SIZE_MAX_TRACE 16384u

/* A file that cannot be opened has no index, whatever the reason. */
static bool opens(const char *path)
{
	const struct ear_source_options options = {.shared = true};
	struct ear_source *source;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		abort();
	const bool good = ear_source_new(&source, fd, &options) == 0;
	if (good)
		ear_source_free(source);
	close(fd);
	return good;
}

int fuzz_build(const uint8_t *bytes, size_t size)
{
	char path[64], index[80];
	struct index_checked checked = {0};

	if (size < 4 || size > SIZE_MAX_TRACE)
		return 0;
	struct random random = {bytes[2] * UINT64_C(0x9E3779B97F4A7C15) | 1};
	const struct index_check check = {.path = path,
		.name = "an input",
		.stretch = 1u + bytes[0],
		.jobs = 1u + bytes[1] % 3,
		.queries = 20,
		.moments = 2};
	snprintf(path, sizeof(path), "/tmp/earshot-fuzz-build-%ld", (long)getpid());
	snprintf(index, sizeof(index), "%s.idx", path);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes + 3, 1, size - 3, file) != size - 3 || fclose(file) != 0)
		abort();
	if (opens(path))
		index_check_file(&check, &checked, &random);
	unlink(path);
	unlink(index);
	return 0;
}
