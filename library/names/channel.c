/* The socket to earshot-names. The process is not trusted once it has seen a file: an answer grows
 * here only as its bytes come, whatever its header says, and the whole exchange has a time limit.
 * When anything is wrong the process is given up, not repaired.
 *
 * A confined caller may neither send signals nor wait for processes. Then closing the socket ends
 * the process, at the latest when its own time limit is over.
 */
#define _GNU_SOURCE /* environ, dladdr */
#include "library/names/channel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <earshot/error.h>

#include "common/own_file.h"
#include "common/printable.h"
#include "library/names/helper_message.h"

#define SLICE_MS 50
#define LIMIT_MS (INT64_C(1000) * (EAR_MESSAGE_SECONDS + 5))

static int fail(int error, char *message, size_t size, const char *form, ...)
	__attribute__((format(printf, 4, 5)));

static int fail(int error, char *message, size_t size, const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(message, size, form, arguments);
	va_end(arguments);
	return error;
}

/* ---- Starting and ending ---- */

static const char library_mark; /* something in the library, to find out where that is */

/* path: a folder and a slash before end. */
static bool is_beside(char path[PATH_MAX], char *end, const char *relative)
{
	size_t room = (size_t)(path + PATH_MAX - end);

	return (size_t)snprintf(end, room, "%s/earshot-names", relative) < room &&
	       access(path, X_OK) == 0;
}

/* From the library that this code is in, for programs that are elsewhere: so it is found where the
 * tree that was installed was moved. A path that depends on the current folder is not taken: a
 * program's own is as it was called.
 */
static bool find_by_library(char path[PATH_MAX])
{
	Dl_info info;

	if (!dladdr(&library_mark, &info) || !info.dli_fname || info.dli_fname[0] != '/' ||
		!realpath(info.dli_fname, path))
		return false;
	char *slash = strrchr(path, '/');
	return is_beside(path, slash + 1, EAR_LIBEXEC_LIBDIR) ||
	       is_beside(path, slash + 1, "../bin");
}

static bool find_program(char path[PATH_MAX])
{
	const char *named = getenv("EARSHOT_NAMES");

	if (named && named[0])
		return (size_t)snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
	return ear_own_file(path, PATH_MAX, "earshot-names", X_OK) ||
	       ear_own_file(path, PATH_MAX, "../bin/earshot-names", X_OK) ||
	       ear_own_file(path, PATH_MAX, EAR_LIBEXEC_DIR "/earshot-names", X_OK) ||
	       find_by_library(path) ||
	       ((size_t)snprintf(path, PATH_MAX, "%s", EAR_LIBEXEC_PATH) < PATH_MAX &&
		       access(path, X_OK) == 0);
}

static int fill_actions(posix_spawn_file_actions_t *actions, int fd)
{
	int error = posix_spawn_file_actions_adddup2(actions, fd, EAR_MESSAGE_FD);

	for (int standard = 0; standard <= 2 && !error; standard++)
		error = posix_spawn_file_actions_addopen(actions, standard, "/dev/null", O_RDWR, 0);
	return error;
}

/* A process group of its own keeps the terminal's Ctrl-C away. */
static int fill_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	int error = posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!error)
		error = posix_spawnattr_setpgroup(attributes, 0);
	if (!error)
		error = posix_spawnattr_setsigmask(attributes, &none);
	if (!error)
		error = posix_spawnattr_setsigdefault(attributes, &all);
	return error;
}

/* Returns 0 or an errno. */
static int spawn(pid_t *pid, const char *path, int fd)
{
	char *arguments[] = {(char *)(uintptr_t) "earshot-names", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	int error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error)
		goto out_destroy_actions;
	error = fill_actions(&actions, fd);
	if (!error)
		error = fill_attributes(&attributes);
	if (!error)
		error = posix_spawn(pid, path, &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
out_destroy_actions:
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Both ends above 3, so that no action of the spawn overwrites what a later one needs. */
static int open_pair(int ends[2])
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return errno;
	for (unsigned i = 0; i < 2; i++)
		ends[i] = fcntl(pair[i], F_DUPFD_CLOEXEC, EAR_MESSAGE_FD + 1);
	int error = errno;
	close(pair[0]);
	close(pair[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	for (unsigned i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return error;
}

int ear_channel_open(struct ear_channel *channel, char *message, size_t size)
{
	char path[PATH_MAX];
	int ends[2] = {-1, -1};

	channel->fd = -1;
	channel->pid = -1;
	if (!find_program(path))
		return fail(EAR_E_IO, message, size,
			"earshot-names, which reads ELF files, is not installed beside this "
			"program");
	int error = open_pair(ends);
	if (error)
		return fail(EAR_E_IO, message, size, "%s: %s", path, strerror(error));
	error = spawn(&channel->pid, path, ends[1]);
	close(ends[1]);
	if (error) {
		close(ends[0]);
		channel->pid = -1;
		return fail(EAR_E_IO, message, size, "%s: %s", path, strerror(error));
	}
	channel->fd = ends[0];
	return 0;
}

/* End the process and give its status, -1 if that is not known. */
static int end_process(struct ear_channel *channel, bool force)
{
	int status = -1;

	if (channel->fd >= 0)
		close(channel->fd);
	channel->fd = -1;
	if (channel->pid < 0)
		return -1;
	bool ended = waitpid(channel->pid, &status, WNOHANG) == channel->pid;
	for (unsigned i = 0; !ended && !force && i < 20; i++) { /* it sees the end of the socket */
		nanosleep(&(struct timespec){0, 1000000}, NULL);
		ended = waitpid(channel->pid, &status, WNOHANG) == channel->pid;
	}
	if (!ended && kill(channel->pid, SIGKILL) == 0) {
		pid_t got;
		do
			got = waitpid(channel->pid, &status, 0);
		while (got < 0 && errno == EINTR);
		status = -1;
	}
	channel->pid = -1;
	return ended ? status : -1;
}

void ear_channel_close(struct ear_channel *channel)
{
	end_process(channel, true);
}

/* It broke off. */
static int give_up(struct ear_channel *channel, char *message, size_t size)
{
	int status = end_process(channel, false);

	if (status != -1 && WIFSIGNALED(status))
		return fail(EAR_E_BAD_FILE, message, size,
			"reading it crashed (earshot-names: signal %d)", WTERMSIG(status));
	return fail(EAR_E_BAD_FILE, message, size, "reading it failed (earshot-names has ended)");
}

static int break_rules(struct ear_channel *channel, char *message, size_t size)
{
	end_process(channel, true);
	return fail(EAR_E_BAD_FILE, message, size,
		"reading it failed (earshot-names answered with nonsense)");
}

/* ---- Requests and answers ---- */

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The header, and the descriptor with it; then the rest, which fits into the socket's buffer. */
static bool send_request(struct ear_channel *channel, const struct ear_channel_request *request)
{
	uint8_t header[EAR_MESSAGE_HEADER];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec part = {header, sizeof(header)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct ear_wire wire = {0};
	ssize_t sent;

	ear_wire_u32(&wire, (uint32_t)request->size);
	ear_wire_u32(&wire, request->kind);
	ear_wire_u32(&wire, request->file);
	ear_wire_u32(&wire, ++channel->number);
	if (wire.failed)
		return false;
	memcpy(header, wire.bytes, sizeof(header));
	ear_wire_free(&wire);
	if (request->fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		struct cmsghdr *first = CMSG_FIRSTHDR(&message);
		first->cmsg_level = SOL_SOCKET;
		first->cmsg_type = SCM_RIGHTS;
		first->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(first), &request->fd, sizeof(int));
	}
	do
		sent = sendmsg(channel->fd, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent != sizeof(header))
		return false;
	const uint8_t *bytes = request->bytes;
	for (size_t done = 0; done < request->size; done += (size_t)sent) {
		/* Not send(): a confined process has only this one. */
		part = (struct iovec){(void *)(uintptr_t)(bytes + done), request->size - done};
		message = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
		sent = sendmsg(channel->fd, &message, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			sent = 0;
		if (sent < 0)
			return false;
	}
	return true;
}

/* Read size bytes. Returns 0, EAR_E_IO (broken off), EAR_E_TIMEOUT or EAR_E_CANCELLED. */
static int receive(struct ear_channel *channel, uint8_t *bytes, size_t size, int64_t deadline_ms)
{
	while (size > 0) {
		struct pollfd wait = {channel->fd, POLLIN, 0};
		int ready = poll(&wait, 1, SLICE_MS);

		if (ready < 0 && errno != EINTR)
			return EAR_E_IO;
		if (ready <= 0) {
			if (channel->progress && channel->progress(channel->context) != 0)
				return EAR_E_CANCELLED;
			if (clock_ms() > deadline_ms)
				return EAR_E_TIMEOUT;
			continue;
		}
		ssize_t got = read(channel->fd, bytes, size);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			return EAR_E_IO;
		bytes += got;
		size -= (size_t)got;
	}
	return 0;
}

/* The bytes of an answer, in memory that grows as they come. */
static int receive_body(
	struct ear_channel *channel, size_t size, uint8_t **body, int64_t deadline_ms)
{
	size_t done = 0, room = 0;
	uint8_t *bytes = NULL;
	int result = 0;

	while (result == 0 && (done < size || !bytes)) {
		room = room ? room * 2 : 65536;
		if (room > size)
			room = size;
		uint8_t *larger = realloc(bytes, room + 1);
		if (!larger) {
			result = EAR_E_NO_MEMORY;
			break;
		}
		bytes = larger;
		result = receive(channel, bytes + done, room - done, deadline_ms);
		done = room;
	}
	if (result != 0) {
		free(bytes);
		return result;
	}
	bytes[size] = '\0';
	*body = bytes;
	return 0;
}

static int explain(struct ear_channel *channel, int result, char *message, size_t size)
{
	switch (result) {
	case EAR_E_TIMEOUT:
		end_process(channel, true);
		return fail(result, message, size, "reading it took over %d seconds",
			EAR_MESSAGE_SECONDS);
	case EAR_E_CANCELLED:
		end_process(channel, true);
		return fail(result, message, size, "cancelled");
	case EAR_E_NO_MEMORY:
		end_process(channel, true);
		return fail(result, message, size, "%s", ear_error_text(result));
	default: return give_up(channel, message, size);
	}
}

int ear_channel_ask(struct ear_channel *channel, const struct ear_channel_request *request,
	uint8_t **answer, size_t *answer_size, char *message, size_t size)
{
	uint8_t header[EAR_MESSAGE_HEADER];
	int64_t deadline_ms = clock_ms() + LIMIT_MS;

	if (channel->fd < 0)
		return fail(EAR_E_BAD_FILE, message, size, "earshot-names has ended");
	if (!send_request(channel, request))
		return give_up(channel, message, size);
	int result = receive(channel, header, sizeof(header), deadline_ms);
	if (result != 0)
		return explain(channel, result, message, size);
	size_t length = ear_wire_get_u32(header);
	uint32_t kind = ear_wire_get_u32(header + 4);
	if ((kind != request->kind && kind != EAR_MESSAGE_ERROR) ||
		ear_wire_get_u32(header + 8) != request->file ||
		ear_wire_get_u32(header + 12) != channel->number || length > EAR_MESSAGE_ANSWER_MAX)
		return break_rules(channel, message, size);
	result = receive_body(channel, length, answer, deadline_ms);
	if (result != 0)
		return explain(channel, result, message, size);
	*answer_size = length;
	if (kind != EAR_MESSAGE_ERROR)
		return 0;
	ear_printable_string(message, size, (const char *)*answer, EAR_PRINTABLE_LINE);
	free(*answer);
	*answer = NULL;
	return EAR_E_BAD_FILE;
}
