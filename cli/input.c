#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/error.h"

#define WINDOW_SIZE (256u << 10)

bool input_open(struct input *input, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat status;

	memset(input, 0, sizeof(*input));
	input->name = standard ? "standard input" : path;
	input->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (input->fd < 0) {
		cli_error("%s: %s", path, strerror(errno));
		return false;
	}
	if (fstat(input->fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		cli_error("%s: is a folder", path);
		close(input->fd);
		return false;
	}
	if (S_ISREG(status.st_mode))
		input->size = (uint64_t)status.st_size;

	input->buffer = malloc(WINDOW_SIZE);
	if (!input->buffer || ear_shot_reader_new(&input->reader, input->fd) != 0) {
		cli_error("%s: %s", input->name, ear_error_text(EAR_E_NO_MEMORY));
		input_close(input);
		return false;
	}
	return true;
}

bool input_fill(struct input *input)
{
	memmove(input->buffer, input_bytes(input), input_size(input));
	input->end -= input->begin;
	input->begin = 0;
	input->at_loss = false;

	while (input->end < WINDOW_SIZE && !input->final && !input->at_loss) {
		size_t count;
		int item = ear_shot_reader_next(input->reader, input->buffer + input->end,
			WINDOW_SIZE - input->end, &count);
		if (item < 0) {
			cli_error("%s: %s", input->name, strerror(errno));
			return false;
		}
		input->final = item == EAR_SHOT_END;
		input->at_loss = item == EAR_SHOT_LOSS;
		input->loss_size = input->at_loss ? count : 0;
		if (item == EAR_SHOT_BYTES)
			input->end += count;
		if (item == EAR_SHOT_BYTES && input->size == 0)
			break; /* a pipe: what came is worth showing now */
	}
	return true;
}

int input_percent(const struct input *input)
{
	off_t position = input->size ? lseek(input->fd, 0, SEEK_CUR) : -1;

	if (position < 0)
		return -1;
	return (int)((uint64_t)position * 100 / input->size);
}

void input_close(struct input *input)
{
	ear_shot_reader_free(input->reader);
	free(input->buffer);
	if (input->fd != STDIN_FILENO)
		close(input->fd);
}
