/* Starts programs: this one for steps of a farm and sections of a report, and those of a batch
 * engine. */
#include "cli/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"

bool process_self(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length <= 0) {
		cli_error("/proc/self/exe: %s", strerror(errno));
		return false;
	}
	path[length] = '\0';
	return true;
}

bool process_detach(void)
{
	const int input = open("/dev/null", O_RDONLY);

	if (input < 0 || dup2(input, STDIN_FILENO) < 0)
		return false;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	return true;
}

pid_t process_start(const char *program, char *const arguments[], int output, int errors)
{
	pid_t process = fork();

	if (process < 0) {
		cli_error("%s: %s", program, strerror(errno));
		return -1;
	}
	if (process > 0)
		return process;
	if (!process_detach() || (output >= 0 && dup2(output, STDOUT_FILENO) < 0) ||
		(errors >= 0 && dup2(errors, STDERR_FILENO) < 0))
		_exit(127);
	execvp(program, arguments);
	_exit(127);
}

FILE *process_file(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/earshot-XXXXXX", folder && folder[0] ? folder : "/tmp");
	const int fd = mkstemp(path);
	FILE *file = fd >= 0 ? fdopen(fd, "r+") : NULL;
	const int number = errno;
	if (fd >= 0)
		unlink(path);
	if (fd >= 0 && !file)
		close(fd);
	if (!file)
		cli_error("%s: %s", path, strerror(number));
	return file;
}

int process_wait(pid_t process)
{
	bool ended = false;
	int status;

	while (waitpid(process, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
		if (cli_interrupted && !ended) {
			(void)kill(process, SIGTERM);
			ended = true;
		}
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_ask(char *const arguments[], char *output, size_t size)
{
	size_t length = 0;
	ssize_t count;
	int ends[2];

	if (pipe(ends) != 0)
		return -1;
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	pid_t process = process_start(arguments[0], arguments, ends[1], ends[1]);
	close(ends[1]);
	if (process < 0) {
		close(ends[0]);
		return -1;
	}
	char skipped[4096];
	while ((count = length + 1 < size ? read(ends[0], output + length, size - 1 - length)
					  : read(ends[0], skipped, sizeof(skipped))) != 0) {
		if (count < 0 && errno != EINTR)
			break;
		if (count > 0 && length + 1 < size)
			length += (size_t)count;
	}
	output[length] = '\0';
	close(ends[0]);
	int status = process_wait(process);
	return status == 127 ? -1 : status;
}
