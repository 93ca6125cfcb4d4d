/* The files of a qtrace as fuzz_qtrace takes them, and a list of methods after them; some of the
 * tools that came with the emulator answer. Wrong is: a crash, a hang, a read beyond the bytes, an
 * error without a sentence.
 */
#include <dirent.h>
#include <earshot/error.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/android/tools/tool.h"
#include "decoder/formats/qtrace/qtrace_format.h"
#include "decoder/formats/qtrace/qtrace_mark.h"
#include "target.h"

#define EXECUTIONS_MAX 2000 /* a few bytes may stand for 2^60 */
#define TOOLS_PER_RUN  4    /* which ones, the bytes say */
#define NO_FILE        UINT32_MAX
#define FILES          (EAR_QTRACE_FILES + 2)

static char parent[] = "/tmp/earshot-fuzz-android-XXXXXX";
static char given[sizeof(parent) + 8], written[sizeof(parent) + 8];
static FILE *nowhere;

static const char *file_name(unsigned i)
{
	if (i < EAR_QTRACE_FILES)
		return ear_qtrace_file_name((enum ear_qtrace_file)i);
	return i == EAR_QTRACE_FILES ? EAR_QTRACE_MARK_NAME : "qtrace.dexlist";
}

/* The names of files that tools write come from the trace. */
static void empty(const char *folder)
{
	DIR *all = opendir(folder);
	const struct dirent *entry;

	if (!all)
		abort();
	while ((entry = readdir(all)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(all), entry->d_name, 0);
	closedir(all);
}

static void remove_folders(void)
{
	empty(given);
	empty(written);
	rmdir(given);
	rmdir(written);
	rmdir(parent);
	fclose(nowhere);
}

static void make_folders(void)
{
	if (nowhere)
		return;
	nowhere = fopen("/dev/null", "w");
	if (!nowhere || !mkdtemp(parent))
		abort();
	snprintf(given, sizeof(given), "%s/given", parent);
	snprintf(written, sizeof(written), "%s/out", parent);
	if (mkdir(given, 0700) != 0 || mkdir(written, 0700) != 0)
		abort();
	atexit(remove_folders);
}

static void put_files(const uint8_t *bytes, size_t size)
{
	char path[sizeof(given) + 32];

	empty(given);
	for (unsigned i = 0; i < FILES && size >= 4; i++) {
		uint32_t wanted = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
				  (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
		bytes += 4;
		size -= 4;
		if (wanted == NO_FILE)
			continue;
		size_t count = wanted < size ? wanted : size;
		snprintf(path, sizeof(path), "%s/%s", given, file_name(i));
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
			abort();
		close(fd);
		bytes += count;
		size -= count;
	}
}

static void ignore(void *context, const char *sentence)
{
	(void)context;
	if (!sentence[0])
		abort();
}

static void run_tool(const struct ear_android_tool *tool, unsigned choice)
{
	char output[sizeof(written) + 8], message[512] = "";
	const struct ear_android_options options = {.folder = given,
		.lump_libraries = choice & 1,
		.compatible = choice & 2,
		.lump_kernel = choice & 4,
		.limit = EXECUTIONS_MAX,
		.report = ignore};
	struct ear_android_request request = {
		.out = nowhere, .moment = choice * 16, .has_moment = choice & 8, .output = output};

	snprintf(output, sizeof(output), "%s/out", written);
	int result = ear_android_trace_open(&request.trace, &options, message, sizeof(message));
	if (result) {
		if (!message[0])
			abort();
		return;
	}
	if (tool->run(&request) != 0 && !ear_android_trace_message(request.trace)[0])
		abort();
	ear_android_trace_close(request.trace);
}

int fuzz_android(const uint8_t *bytes, size_t size)
{
	unsigned count = 0, choice = 0;

	while (ear_android_tools[count])
		count++;
	for (size_t i = 0; i < size; i++)
		choice = choice * 31 + bytes[i];
	make_folders();
	put_files(bytes, size);
	for (unsigned i = 0; i < TOOLS_PER_RUN; i++)
		run_tool(ear_android_tools[(choice + i * (count / TOOLS_PER_RUN)) % count],
			choice >> 8);
	empty(written);
	return 0;
}
