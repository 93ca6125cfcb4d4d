/* A capture file or raw dump by name, in a window (library/shot/window.h) that is filled step by
 * step, so that a pipe of any length can be read.
 */
#include "cli/input/input.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "decoder/codec/decoder.h"
#include "library/shot/shot_states.h"

int input_open_trace(const char *path, uint64_t *size)
{
	*size = 0;
	if (!files_read("", path))
		return -1;
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0) {
		cli_error("%s: %s", path, strerror(errno));
		return -1;
	}
	if (S_ISREG(status.st_mode))
		*size = (uint64_t)status.st_size;
	return fd;
}

static int open_file(const char *path, uint64_t *size)
{
	struct stat status;
	int fd = input_open_trace(path, size);

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		cli_error("%s: is a folder", path);
		close(fd);
		return -1;
	}
	return fd;
}

bool input_open(struct input *input, const char *path)
{
	*input = (struct input){.ftdi_status = input->ftdi_status};
	input->name = strcmp(path, "-") == 0 ? "standard input" : path;
	input->fd = open_file(path, &input->size);
	if (input->fd < 0)
		return false;
	if (ear_window_init(&input->window, input->fd, NULL, 0, input->size == 0) != 0) {
		cli_error("%s: %s", input->name, ear_error_text(EAR_E_NO_MEMORY));
		input_close(input);
		return false;
	}
	if (input->ftdi_status)
		ear_shot_reader_strip_ftdi(input->window.reader);
	return true;
}

bool input_fill(struct input *input)
{
	int result = ear_window_fill(&input->window);

	if (result == 0 || cli_interrupted)
		return true;
	cli_error("%s: %s", input->name,
		result == EAR_E_IO ? strerror(errno) : ear_error_text(result));
	return false;
}

int input_percent(int fd, uint64_t size)
{
	off_t position = size ? lseek(fd, 0, SEEK_CUR) : -1;

	return position < 0 ? -1 : (int)((uint64_t)position * 100 / size);
}

void input_close(struct input *input)
{
	ear_window_fini(&input->window);
	if (input->fd != STDIN_FILENO)
		close(input->fd);
}

/* One window. Returns 0 or an error. */
static int decode_window(struct input *input, struct ear_decoder *decoder)
{
	size_t used;

	decoder->end_meant = input->window.end_meant;
	int result = ear_decoder_push(decoder, &used, ear_window_bytes(&input->window),
		ear_window_size(&input->window), input->window.final);
	ear_window_consume(&input->window, used);
	if (input->window.at_loss)
		ear_decoder_host_loss(decoder, input->window.loss_size);
	return result;
}

bool input_decode(struct input *input, struct ear_decoder *decoder,
	void (*at_state)(void *context, const struct ear_decoder *decoder), void *context)
{
	double last_progress = cli_seconds();
	bool final = false;

	while (!final && !cli_interrupted) {
		if (!input_fill(input))
			return false;
		final = input->window.final;
		int result = decode_window(input, decoder);
		if (result == 0 && input->window.at_state) {
			if (at_state)
				at_state(context, decoder);
			result = ear_shot_states_pass(input->window.reader, decoder);
		}
		if (result) {
			cli_error("%s: %s", input->name, ear_error_text(result));
			return false;
		}
		if (cli_progress_due(&last_progress))
			cli_progress("reading: %" PRIu64 " records", decoder->statistics.records);
	}
	cli_progress_clear();
	if (cli_interrupted)
		cli_error("interrupted");
	return !cli_interrupted;
}
