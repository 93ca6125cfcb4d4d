/* What Earshot keeps beside the files of a qtrace. */
#include "decoder/formats/qtrace/qtrace_mark.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/formats/qtrace/qtrace_format.h"

#define BEGIN     "earshot 1\n"
#define LINE_SIZE 64

/* A decimal number at *text, which then is after it. */
static bool take_number(const char **text, uint64_t *number)
{
	const char *at = *text;

	for (*number = 0; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		if (*number > (UINT64_MAX - digit) / 10)
			return false;
		*number = 10 * *number + digit;
	}
	bool any = at != *text;
	*text = at;
	return any;
}

/* "pid 32767 40000" */
static int take_pid(struct ear_qtrace_mark *mark, const char *line)
{
	uint64_t pid, own;

	if (strncmp(line, "pid ", 4) != 0)
		return EAR_E_BAD_FILE;
	line += 4;
	if (!take_number(&line, &pid) || pid >= EAR_QTRACE_PIDS || *line++ != ' ' ||
		!take_number(&line, &own) || strcmp(line, "\n") != 0)
		return EAR_E_BAD_FILE;
	if (!mark->pids) {
		mark->pids = malloc(EAR_QTRACE_PIDS * sizeof(*mark->pids));
		if (!mark->pids)
			return EAR_E_NO_MEMORY;
		for (uint64_t i = 0; i < EAR_QTRACE_PIDS; i++)
			mark->pids[i] = i;
	}
	mark->pids[pid] = own;
	return 0;
}

static int parse(struct ear_qtrace_mark *mark, FILE *file)
{
	char line[LINE_SIZE];
	int result = 0;

	if (!fgets(line, sizeof(line), file) || strcmp(line, BEGIN) != 0)
		return EAR_E_BAD_FILE;
	for (unsigned count = 0; result == 0 && fgets(line, sizeof(line), file); count++) {
		if (count == 0 && strcmp(line, "isa rv32\n") == 0)
			mark->xlen = 32;
		else if (count == 0 && strcmp(line, "isa rv64\n") == 0)
			mark->xlen = 64;
		else
			result = count > EAR_QTRACE_PIDS ? EAR_E_BAD_FILE : take_pid(mark, line);
	}
	return result == 0 && ferror(file) ? EAR_E_IO : result;
}

int ear_qtrace_mark_read(struct ear_qtrace_mark *mark, int folder)
{
	int fd = openat(folder, EAR_QTRACE_MARK_NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*mark = (struct ear_qtrace_mark){0};
	if (fd < 0)
		return errno == ENOENT ? 0 : EAR_E_IO;
	FILE *file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return EAR_E_NO_MEMORY;
	}
	int result = parse(mark, file), number = errno;
	fclose(file);
	errno = number;
	if (result)
		ear_qtrace_mark_fini(mark);
	return result;
}

void ear_qtrace_mark_fini(struct ear_qtrace_mark *mark)
{
	free(mark->pids);
	*mark = (struct ear_qtrace_mark){0};
}

static void print(const struct ear_qtrace_mark *mark, FILE *file)
{
	fputs(BEGIN, file);
	if (mark->xlen)
		fprintf(file, "isa rv%u\n", mark->xlen);
	for (unsigned pid = 0; mark->pids && pid < EAR_QTRACE_PIDS; pid++)
		if (mark->pids[pid] != pid)
			fprintf(file, "pid %u %" PRIu64 "\n", pid, mark->pids[pid]);
}

int ear_qtrace_mark_write(const struct ear_qtrace_mark *mark, int folder)
{
	bool any = mark->xlen || mark->pids;
	int fd = openat(folder, EAR_QTRACE_MARK_NAME,
		O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | (any ? O_CREAT : 0), 0666);

	if (fd < 0)
		return errno == ENOENT && !any ? 0 : EAR_E_IO;
	FILE *file = fdopen(fd, "w");
	if (!file) {
		int number = errno;
		close(fd);
		errno = number;
		return EAR_E_IO;
	}
	print(mark, file);
	bool failed = ferror(file) != 0;
	return fclose(file) == 0 && !failed ? 0 : EAR_E_IO;
}
