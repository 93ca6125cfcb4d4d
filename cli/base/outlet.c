/* Standard output and error, cleaned: streams of glibc's fopencookie take the places of stdout and
 * stderr, so that printf and its kind, getopt and assert all end here.
 */
#define _GNU_SOURCE /* fopencookie */
#include "cli/base/outlet.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "common/printable.h"

#define PIECE_SIZE 4096
#define CARRY_MAX  4 /* the beginning of a character, until its end comes */

struct outlet {
	int fd;
	char carry[CARRY_MAX];
	size_t carried;
};

bool outlet_write(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

/* Clean and write; what may be the beginning of a character is carried over, unless final. */
static bool pass(struct outlet *outlet, const char *text, size_t size, bool final)
{
	char clean[EAR_PRINTABLE_GROWTH * PIECE_SIZE];

	while (size > 0) {
		size_t used, written = ear_printable_copy(clean, sizeof(clean), &used, text, size,
				     EAR_PRINTABLE_TEXT, final);

		if (!outlet_write(outlet->fd, clean, written))
			return false;
		text += used;
		size -= used;
		if (used == 0)
			break;
	}
	memcpy(outlet->carry, text, size);
	outlet->carried = size;
	return true;
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
	struct outlet *outlet = cookie;
	size_t done = 0;

	/* What was carried over and one byte more, until it is a character or none. */
	while (outlet->carried > 0 && done < size) {
		char joined[CARRY_MAX + 1];
		size_t length = outlet->carried;

		memcpy(joined, outlet->carry, length);
		joined[length++] = bytes[done++];
		if (!pass(outlet, joined, length, length > CARRY_MAX))
			return 0;
	}
	return pass(outlet, bytes + done, size - done, false) ? (ssize_t)size : 0;
}

/* Standard error shows all that it has got; half a character at its end is none. */
static ssize_t take_unbuffered(void *cookie, const char *bytes, size_t size)
{
	return pass(cookie, bytes, size, true) ? (ssize_t)size : 0;
}

static int end(void *cookie)
{
	struct outlet *outlet = cookie;

	return pass(outlet, outlet->carry, outlet->carried, true) ? 0 : -1;
}

void outlet_install(void)
{
	static struct outlet output = {.fd = STDOUT_FILENO}, error = {.fd = STDERR_FILENO};
	static const cookie_io_functions_t buffered = {.write = take, .close = end};
	static const cookie_io_functions_t unbuffered = {.write = take_unbuffered};
	FILE *to_output = fopencookie(&output, "w", buffered);
	FILE *to_error = fopencookie(&error, "w", unbuffered);

	if (to_output) {
		setvbuf(to_output, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
		stdout = to_output;
	}
	if (to_error) {
		setvbuf(to_error, NULL, _IONBF, 0);
		stderr = to_error;
	}
}

/* Did whoever reads standard output, such as head, see enough and leave? */
static bool reader_left(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

int outlet_finish(int status)
{
	bool failed = ferror(stdout) != 0;
	int number = fflush(stdout) == 0 ? 0 : errno;
	bool left = number == EPIPE || reader_left();

	if (close(STDOUT_FILENO) != 0 && errno != EBADF && number == 0)
		number = errno;
	if ((!failed && number == 0) || left)
		return status;
	/* A command that failed has reported this itself, or something worse. */
	if (status != EAR_EXIT_FAILED)
		cli_error("standard output: %s; what was printed is incomplete",
			number ? strerror(number) : "a write failed (is the disk full?)");
	return EAR_EXIT_FAILED;
}
