/* Runs a fuzz target on files, and on all files of folders: the corpus as a plain test, and
 * one crashing file under a debugger.
 *
 *     replay_stream FILE-OR-FOLDER...
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "byte_buffer.h"
#include "target.h"

static unsigned file_count;

static void run_file(const char *path)
{
	struct byte_buffer bytes = {0};

	if (byte_buffer_read_file(&bytes, path) != 0) {
		perror(path);
		exit(2);
	}
	fprintf(stderr, "%s\n", path);
	uint8_t *copy = exact_copy(bytes.bytes, bytes.size);
	LLVMFuzzerTestOneInput(copy, bytes.size);
	free(copy);
	byte_buffer_free(&bytes);
	file_count++;
}

static void run_path(const char *path)
{
	struct stat status;
	struct dirent **names;

	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
		run_file(path);
		return;
	}
	int count = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char inner[4096];
		snprintf(inner, sizeof(inner), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			run_file(inner);
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	printf("%u files\n", file_count);
	return file_count > 0 ? 0 : 2;
}
