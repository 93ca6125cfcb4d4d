/* Following a file that grows. Readers of traces read pipes as they come, so a thread makes a pipe
 * of the file: what is at its end waits here, and no reader needs to know of it.
 *
 * Every `earshot` locks what it writes (common/output_file.h). So a file is complete when its lock
 * is free and nothing came since: also if its writer was killed.
 */
#include "cli/top/top_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 50
#define PIECE   65536u

struct top_follow {
	int from, to, out; /* out: the end that is read */
	bool is_plain, waits, started;
	bool was_free; /* the lock, when it was looked at last */
	pthread_t thread;
	atomic_bool stop, caught_up;
};

static bool is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

bool top_follow_is_written(const char *path)
{
	struct stat status;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is =
		fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && is_locked(fd);

	if (fd >= 0)
		close(fd);
	return is;
}

int top_follow_open(struct top_follow **follow_out, const char *path, bool waits)
{
	struct top_follow *follow = calloc(1, sizeof(*follow));
	const bool is_input = strcmp(path, "-") == 0;
	struct stat status;
	int ends[2];

	if (!follow)
		return -1;
	follow->from = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
				: open(path, O_RDONLY | O_CLOEXEC);
	if (follow->from < 0 || pipe(ends) != 0) {
		if (follow->from >= 0)
			close(follow->from);
		free(follow);
		return -1;
	}
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	follow->out = ends[0];
	follow->to = ends[1];
	follow->is_plain = fstat(follow->from, &status) == 0 && S_ISREG(status.st_mode);
	follow->waits = waits;
	*follow_out = follow;
	return 0;
}

/* Returns false if the pipe is read no more. */
static bool hand_over(struct top_follow *follow, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t sent = write(follow->to, bytes, size);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

static void note_caught_up(struct top_follow *follow)
{
	int waiting = 0;

	if (ioctl(follow->out, FIONREAD, &waiting) == 0 && waiting == 0)
		atomic_store(&follow->caught_up, true);
}

/* A plain file has no more now: wait a moment. Returns false if no more can come: what its writer
 * wrote last was written before the lock was free, so one more look is enough. */
static bool wait_for_more(struct top_follow *follow)
{
	note_caught_up(follow);
	if (!follow->waits && follow->was_free)
		return false;
	follow->was_free = !is_locked(follow->from);
	if (follow->waits || !follow->was_free)
		poll(NULL, 0, LOOK_MS);
	return !atomic_load(&follow->stop);
}

static void *run_thread(void *context)
{
	struct top_follow *follow = context;
	char bytes[PIECE];

	while (!atomic_load(&follow->stop)) {
		struct pollfd in = {.fd = follow->from, .events = POLLIN};
		if (!follow->is_plain && poll(&in, 1, LOOK_MS) == 0) {
			note_caught_up(follow);
			continue;
		}
		const ssize_t size = read(follow->from, bytes, sizeof(bytes));
		if (size < 0 && errno == EINTR)
			continue;
		if (size > 0 && !hand_over(follow, bytes, (size_t)size))
			break;
		if (size < 0 || (size == 0 && !follow->is_plain))
			break;
		if (size == 0 && !wait_for_more(follow))
			break;
	}
	close(follow->to);
	return NULL;
}

bool top_follow_start(struct top_follow *follow)
{
	errno = pthread_create(&follow->thread, NULL, run_thread, follow);
	follow->started = errno == 0;
	return follow->started;
}

int top_follow_fd(const struct top_follow *follow)
{
	return follow->out;
}

bool top_follow_is_caught_up(struct top_follow *follow)
{
	return atomic_load(&follow->caught_up);
}

void top_follow_cancel(struct top_follow *follow)
{
	atomic_store(&follow->stop, true);
}

void top_follow_close(struct top_follow *follow)
{
	if (!follow)
		return;
	atomic_store(&follow->stop, true);
	close(follow->out); /* a thread that waits to write sees it */
	if (follow->started)
		pthread_join(follow->thread, NULL);
	else
		close(follow->to);
	close(follow->from);
	free(follow);
}
