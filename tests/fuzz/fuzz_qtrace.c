/* The files of a qtrace, one after the other: four bytes are the size of each, the lowest first,
 * and all ones mean that there is none; the last one is Earshot's own. What is read is written into
 * another folder. Wrong is: a crash, a hang, a read beyond the bytes, an error without a sentence,
 * a written folder that is not read again with as many instructions.
 */
#include <earshot/error.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/formats/qtrace/qtrace_format.h"
#include "decoder/formats/qtrace/qtrace_mark.h"
#include "decoder/formats/qtrace/reader_qtrace.h"
#include "decoder/formats/qtrace/writer_qtrace.h"
#include "target.h"

#define RECORDS_MAX 20000 /* a few bytes may stand for 2^60 executions */
#define NO_FILE     UINT32_MAX

static char parent[] = "/tmp/earshot-fuzz-qtrace-XXXXXX";
static int folders[2] = {-1, -1}; /* given, written */

static const char *file_name(unsigned i)
{
	return i < EAR_QTRACE_FILES ? ear_qtrace_file_name((enum ear_qtrace_file)i)
				    : EAR_QTRACE_MARK_NAME;
}

static void empty(int folder)
{
	for (unsigned i = 0; i <= EAR_QTRACE_FILES; i++)
		unlinkat(folder, file_name(i), 0);
}

static void remove_folders(void)
{
	for (unsigned i = 0; i < 2; i++) {
		char path[sizeof(parent) + 8];
		empty(folders[i]);
		snprintf(path, sizeof(path), "%s/%u", parent, i);
		rmdir(path);
	}
	rmdir(parent);
}

static void make_folders(void)
{
	if (folders[0] >= 0)
		return;
	if (!mkdtemp(parent))
		abort();
	for (unsigned i = 0; i < 2; i++) {
		char path[sizeof(parent) + 8];
		snprintf(path, sizeof(path), "%s/%u", parent, i);
		if (mkdir(path, 0700) != 0)
			abort();
		folders[i] = open(path, O_RDONLY | O_DIRECTORY);
		if (folders[i] < 0)
			abort();
	}
	atexit(remove_folders);
}

static void put_files(const uint8_t *bytes, size_t size)
{
	empty(folders[0]);
	for (unsigned i = 0; i <= EAR_QTRACE_FILES && size >= 4; i++) {
		uint32_t wanted = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
				  (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
		bytes += 4;
		size -= 4;
		if (wanted == NO_FILE)
			continue;
		size_t count = wanted < size ? wanted : size;
		int fd = openat(folders[0], file_name(i), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
			abort();
		close(fd);
		bytes += count;
		size -= count;
	}
}

/* Returns the instructions that were read, or -1 if the folder is refused at once. */
static long read_folder(int folder, struct ear_writer *writer, bool must)
{
	const struct ear_reader_options options = {.xlen = 0};
	struct ear_text_input *input;
	struct ear_reader *reader;
	const struct ear_record *record;
	char fault[200] = "";
	long count = 0, left = must ? 10L * RECORDS_MAX : RECORDS_MAX;
	int result;

	if (ear_text_input_new_empty(&input) != 0)
		abort();
	result = ear_reader_qtrace_open(&reader, folder, input, &options, fault, sizeof(fault));
	if (result) {
		ear_text_input_free(input);
		if (must || !fault[0])
			abort();
		return -1;
	}
	while (left-- > 0 && (result = ear_reader_next(reader, &record)) == 1) {
		int pushed = writer ? ear_writer_push(writer, record) : 0;
		if (pushed != 0 && !ear_writer_qtrace_folder.fault(writer))
			abort();
		if (pushed)
			break;
		count += record->kind == EAR_RECORD_INSTRUCTION;
	}
	if (result < 0 && (must || !reader->fault(reader)))
		abort();
	ear_reader_free(reader);
	ear_text_input_free(input);
	return count;
}

int fuzz_qtrace(const uint8_t *bytes, size_t size)
{
	struct ear_writer *writer;

	make_folders();
	put_files(bytes, size);
	empty(folders[1]);
	if (ear_writer_qtrace_folder.open(&writer, folders[1], NULL) != 0)
		abort();
	long count = read_folder(folders[0], writer, false);
	if (ear_writer_qtrace_folder.finish(writer) != 0)
		abort();
	ear_writer_free(writer);
	if (read_folder(folders[1], NULL, true) != (count > 0 ? count : 0))
		abort();
	return 0;
}
