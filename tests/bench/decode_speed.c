/* How fast the stream of a unit becomes records: nothing is read, nothing is written.
 *
 *     decode_speed WIRE...
 *
 * WIRE is a raw dump (`zstd -d < t.shot`); the whole of it is held in memory. CPU time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "decoder/codec/decoder.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;

	*size = 0;
	while (file && !feof(file) && !ferror(file)) {
		uint8_t *grown = realloc(bytes, *size + (1 << 20));
		if (!grown)
			break;
		bytes = grown;
		*size += fread(bytes + *size, 1, 1 << 20, file);
	}
	if (!file || ferror(file)) {
		perror(path);
		exit(2);
	}
	fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t size, used;
		uint8_t *bytes = read_whole(argv[i], &size);
		const struct ear_record *record;
		struct ear_decoder decoder;
		uint64_t checked = 0;

		ear_decoder_init(&decoder, NULL, NULL);
		double begin = now();
		for (size_t at = 0; ear_decoder_next(&decoder, &record, &used, bytes + at,
					    size - at, true) == 1;
			at += used)
			checked += record->pc;
		double seconds = now() - begin;
		printf("%-24s %12" PRIu64 " records %8.1f M/s (%" PRIx64 ")\n", argv[i],
			decoder.statistics.records,
			(double)decoder.statistics.records / seconds / 1e6, checked);
		ear_decoder_fini(&decoder);
		free(bytes);
	}
	return 0;
}
