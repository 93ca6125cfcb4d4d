#include "cli/live/live_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"

struct live_view {
	pid_t process;
	int socket;
	char folder[4096];
};

/* A folder of our own. */
static bool make_folder(struct live_view *view, const char *below)
{
	int length = snprintf(view->folder, sizeof(view->folder), "%s/earshot-XXXXXX", below);

	if (length > 0 && (size_t)length < sizeof(view->folder) && mkdtemp(view->folder))
		return true;
	cli_error("%s: no folder can be made: %s", below,
		(size_t)length < sizeof(view->folder) ? strerror(errno) : "its name is too long");
	return false;
}

static bool start_process(struct live_view *view, const struct live_ring_options *options)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		cli_error("no process can be started: %s", strerror(errno));
		return false;
	}
	view->process = fork();
	if (view->process == 0) {
		close(ends[0]);
		live_ring_serve(options, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	view->socket = ends[0];
	if (view->process > 0)
		return true;
	cli_error("no process can be started: %s", strerror(errno));
	close(view->socket);
	return false;
}

static bool receive(struct live_view *view, struct live_ring_status *status)
{
	ssize_t got;

	do {
		got = read(view->socket, status, sizeof(*status));
	} while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(*status))
		return true;
	*status = (struct live_ring_status){
		.over = true, .failed = true, .text = "the process that captures has ended"};
	return false;
}

bool live_view_open(
	struct live_view **view_out, struct live_ring_options *options, const char *below)
{
	struct live_view *view = calloc(1, sizeof(*view));
	struct live_ring_status status;

	*view_out = NULL;
	if (!view) {
		cli_error("out of memory");
		return false;
	}
	if (!make_folder(view, below)) {
		free(view);
		return false;
	}
	options->folder = view->folder;
	if (!start_process(view, options)) {
		rmdir(view->folder);
		free(view);
		return false;
	}
	if (receive(view, &status) && !status.failed) {
		*view_out = view;
		return true;
	}
	live_view_close(view);
	return false;
}

bool live_view_ask(
	struct live_view *view, enum live_ring_wish wish, struct live_ring_status *status)
{
	const uint8_t byte = (uint8_t)wish;

	/* If it is gone, receive says so. read and write are what the sandbox allows. */
	(void)!write(view->socket, &byte, 1);
	return receive(view, status);
}

void live_view_path(const struct live_view *view, char path[LIVE_RING_PATH_MAX],
	const struct live_ring_status *status)
{
	live_ring_path(path, view->folder, status->file);
}

void live_view_close(struct live_view *view)
{
	int status;

	if (!view)
		return;
	close(view->socket);
	while (waitpid(view->process, &status, 0) < 0 && errno == EINTR)
		;
	free(view);
}
