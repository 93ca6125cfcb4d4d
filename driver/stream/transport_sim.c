/* sim: a virtual board in a process of its own. The process gets one end of a socket pair, so its
 * end shows as the end of the stream whatever it died of, and a full socket holds the simulation
 * back: nothing is lost. Everything that would leave a process behind ends in reap_board.
 */
#define _GNU_SOURCE /* environ, pipe2 and their kind */
#include "driver/stream/transport_sim.h"

#include <ctype.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/own_file.h"
#include "driver/base/clock.h"
#include "driver/stream/fd_stream.h"

#define BOARD_PROGRAM "earshot-board"
#define BOARD_FD      3 /* the socket's number in the board's process */
#define GRACE_MS      1000
#define READ_SIZE     (64 * 1024)
#define OPTION_MAX    32
#define KEY_SIZE      64 /* "--key" and its end */

extern char **environ;

/* A device name taken apart. All pointers point into text. */
struct sim_name {
	char *text;
	const char *program;
	struct {
		const char *key, *value;
	} options[OPTION_MAX];
	unsigned option_count;
};

struct transport_sim {
	struct ear_transport base;
	struct sim_name parts;
	char board[PATH_MAX];
	int fd; /* our end of the socket pair */
	pid_t pid;
	bool running;
	atomic_bool stopping;
	pthread_t thread;
	struct ear_transport_sink sink;
	uint8_t buffer[READ_SIZE];
};

/* -- The device's name -- */

/* Does text look like key=value? */
static bool is_option(const char *text)
{
	if (!islower((unsigned char)text[0]))
		return false;
	while (islower((unsigned char)*text) || isdigit((unsigned char)*text) || *text == '-' ||
		*text == '_')
		text++;
	return *text == '=';
}

/* Does text begin with a part of a list of numbers, "8," or the end of one, "9:FILE"? */
static bool is_in_list(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && (text[digits] == '\0' || strchr(",:", text[digits]));
}

/* The comma before the last option of the text, NULL if there is none. A value can be a list of
 * numbers: "dump=7,8,9:FILE".
 */
static char *last_option(char *text)
{
	for (char *at = text + strlen(text); at-- > text;) {
		if (*at == ',' && is_option(at + 1))
			return at;
		if (*at == ',' && !is_in_list(at + 1))
			return NULL;
	}
	return NULL;
}

/* Cut the options off the end of the text, the last one first. */
static int split_options(struct sim_name *name, const char *device, struct ear_report *report)
{
	char *comma;

	while ((comma = last_option(name->text))) {
		char *key = comma + 1;
		char *equals = strchr(key, '=');

		*comma = '\0';
		*equals = '\0';
		if (!strcmp(key, "fd"))
			return ear_report_set(report, EAR_E_BAD_ARGUMENT,
				"%s: option fd is set by earshot itself; leave it out", device);
		if (name->option_count == OPTION_MAX || strlen(key) > KEY_SIZE - 3)
			return ear_report_set(report, EAR_E_BAD_ARGUMENT,
				"%s: too many options, or the name of one is too long", device);
		name->options[name->option_count].key = key;
		name->options[name->option_count].value = equals + 1;
		name->option_count++;
	}
	return 0;
}

static int parse_name(struct sim_name *name, const char *device, struct ear_report *report)
{
	memset(name, 0, sizeof(*name));
	name->text = strdup(device + strlen("sim:"));
	if (!name->text)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", device);
	int error = split_options(name, device, report);
	if (!error && name->text[0] == '\0')
		error = ear_report_set(report, EAR_E_BAD_ARGUMENT,
			"%s: no program given (sim:PROGRAM.elf,key=value,...)", device);
	if (error)
		free(name->text);
	name->program = name->text;
	return error;
}

/* -- Finding the board's program -- */

/* Is DIR/earshot-board a program? Puts its path into path[0 .. size-1] if so. */
static bool try_folder(char *path, size_t size, const char *folder, size_t folder_size)
{
	static const char end[] = "/" BOARD_PROGRAM;

	if (folder_size + sizeof(end) > size)
		return false;
	memcpy(path, folder, folder_size);
	memcpy(path + folder_size, end, sizeof(end));
	return access(path, X_OK) == 0;
}

static bool try_search_path(char *path, size_t size)
{
	const char *folder = getenv("PATH");

	while (folder) {
		size_t length = strcspn(folder, ":");

		if (length > 0 && try_folder(path, size, folder, length))
			return true;
		folder = folder[length] ? folder + length + 1 : NULL;
	}
	return false;
}

int ear_transport_sim_find_board(char *path, size_t size, struct ear_report *report)
{
	const char *named = getenv("EARSHOT_BOARD");

	if (named && named[0]) {
		if ((size_t)snprintf(path, size, "%s", named) < size && access(path, X_OK) == 0)
			return 0;
		return ear_report_set(report, EAR_E_NO_DEVICE,
			"%s, which EARSHOT_BOARD names, cannot be run: %s", named, strerror(errno));
	}
	if (ear_own_file(path, size, BOARD_PROGRAM, X_OK) || try_search_path(path, size))
		return 0;
	return ear_report_set(report, EAR_E_NO_DEVICE,
		"the virtual board's program %s is neither beside this program nor in PATH "
		"(EARSHOT_BOARD can name it)",
		BOARD_PROGRAM);
}

/* -- The board's process -- */

static atomic_bool boards_are_quiet;

void ear_transport_sim_set_quiet(bool quiet)
{
	atomic_store(&boards_are_quiet, quiet);
}

/* What the process gets: the socket as BOARD_FD, nothing to read, and our standard error for all
 * that it prints.
 */
static int fill_actions(posix_spawn_file_actions_t *actions, int socket_fd)
{
	int error = posix_spawn_file_actions_adddup2(actions, socket_fd, BOARD_FD);

	if (!error)
		error = posix_spawn_file_actions_addopen(
			actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
	return error;
}

/* A process group of its own keeps the terminal's Ctrl-C away. Signals are as in a new shell,
 * whatever the host blocks or ignores.
 */
static int fill_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigemptyset(&all);
	sigaddset(&all, SIGINT);
	sigaddset(&all, SIGTERM);
	sigaddset(&all, SIGPIPE);
	sigaddset(&all, SIGCHLD);
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

/* earshot-board PROGRAM.elf --fd 3 --key value ... Returns 0 or an errno. */
static int spawn_board(struct transport_sim *sim, int socket_fd)
{
	char keys[OPTION_MAX][KEY_SIZE];
	char number[16];
	char *arguments[5 + 2 * OPTION_MAX + 1];
	unsigned count = 0;

	snprintf(number, sizeof(number), "%d", BOARD_FD);
	arguments[count++] = sim->board;
	arguments[count++] = (char *)(uintptr_t)sim->parts.program;
	arguments[count++] = (char *)(uintptr_t) "--fd";
	arguments[count++] = number;
	for (unsigned i = sim->parts.option_count; i-- > 0;) { /* in the order of the name */
		snprintf(keys[i], sizeof(keys[i]), "--%s", sim->parts.options[i].key);
		arguments[count++] = keys[i];
		arguments[count++] = (char *)(uintptr_t)sim->parts.options[i].value;
	}
	if (atomic_load(&boards_are_quiet))
		arguments[count++] = (char *)(uintptr_t) "--quiet";
	arguments[count] = NULL;

	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error)
		goto out_destroy_actions;
	error = fill_actions(&actions, socket_fd);
	if (!error)
		error = fill_attributes(&attributes);
	if (!error)
		error = posix_spawn(
			&sim->pid, sim->board, &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
out_destroy_actions:
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Wait up to timeout_ms for the process to end. False if it has not. */
static bool wait_board(struct transport_sim *sim, int *status, unsigned timeout_ms)
{
	uint64_t deadline_ms = ear_clock_ms() + timeout_ms;
	unsigned pause_ms = 1;

	for (;;) {
		pid_t pid = waitpid(sim->pid, status, WNOHANG);

		if (pid == sim->pid)
			return true;
		if (pid < 0 && errno != EINTR) {
			*status = -1; /* somebody else has waited for it */
			return true;
		}
		if (ear_clock_ms() >= deadline_ms)
			return false;
		ear_clock_sleep_ms(pause_ms);
		if (pause_ms < 16)
			pause_ms *= 2;
	}
}

/* The socket is shut down: wait for the process to end, at last by force. Returns its status as
 * waitpid gives it, -1 if that is not known; *forced: it took a signal of ours.
 */
static int reap_board(struct transport_sim *sim, bool *forced)
{
	int status;

	*forced = false;
	if (wait_board(sim, &status, GRACE_MS))
		return status;
	*forced = true;
	kill(sim->pid, SIGTERM);
	if (wait_board(sim, &status, GRACE_MS))
		return status;
	kill(sim->pid, SIGKILL);
	while (!wait_board(sim, &status, GRACE_MS))
		;
	return status;
}

/* -- The transport -- */

static void describe_end(
	const struct transport_sim *sim, struct ear_transport_end *end, int status, bool forced)
{
	const char *name = sim->base.name;

	if (atomic_load(&sim->stopping)) {
		end->reason = EAR_TRANSPORT_STOPPED;
	} else if (forced) {
		end->reason = EAR_TRANSPORT_VANISHED;
		ear_report_set(&end->report, 0,
			"%s: the board closed the connection and did not end", name);
	} else if (status != -1 && WIFEXITED(status)) {
		end->reason = EAR_TRANSPORT_EXITED;
		end->exit_status = WEXITSTATUS(status);
		ear_report_set(&end->report, 0, "%s: the board ended with status %d", name,
			end->exit_status);
	} else if (status != -1 && WIFSIGNALED(status)) {
		end->reason = EAR_TRANSPORT_VANISHED;
		ear_report_set(&end->report, 0, "%s: the board was killed by signal %d (%s)", name,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	} else {
		end->reason = EAR_TRANSPORT_VANISHED;
		ear_report_set(&end->report, 0, "%s: the board has gone", name);
	}
}

static void *read_thread(void *context)
{
	struct transport_sim *sim = context;
	struct ear_transport_end end = {.reason = EAR_TRANSPORT_STOPPED, .exit_status = -1};
	bool forced;

	for (;;) {
		ssize_t size = recv(sim->fd, sim->buffer, sizeof(sim->buffer), 0);

		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			break; /* the board has gone, or stop has shut the socket down */
		if (!sim->sink.push(sim->sink.context, sim->buffer, (size_t)size)) {
			atomic_store(&sim->stopping, true);
			break;
		}
	}
	shutdown(sim->fd, SHUT_RDWR);
	int status = reap_board(sim, &forced);
	describe_end(sim, &end, status, forced);
	sim->sink.end(sim->sink.context, &end);
	return NULL;
}

/* A socket pair that no other process inherits. The board's end gets a number above those that the
 * spawn assigns, even if the host runs with its standard streams closed.
 */
static int open_sockets(int *ours, int *board)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	*ours = fcntl(pair[0], F_DUPFD_CLOEXEC, BOARD_FD + 1);
	*board = fcntl(pair[1], F_DUPFD_CLOEXEC, BOARD_FD + 1);
	close(pair[0]);
	close(pair[1]);
	if (*ours >= 0 && *board >= 0)
		return 0;
	if (*ours >= 0)
		close(*ours);
	if (*board >= 0)
		close(*board);
	return -1;
}

static int sim_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	struct transport_sim *sim = (struct transport_sim *)transport;
	int board_fd;
	bool forced;

	if (open_sockets(&sim->fd, &board_fd) < 0) {
		sim->fd = -1;
		return ear_report_set(report, EAR_E_IO, "%s: cannot open a socket: %s",
			transport->name, strerror(errno));
	}
	int error = spawn_board(sim, board_fd);
	close(board_fd);
	if (error) {
		ear_report_set(report, 0, "%s: cannot run %s: %s", transport->name, sim->board,
			strerror(error));
		goto out_close_socket;
	}
	sim->sink = *sink;
	error = pthread_create(&sim->thread, NULL, read_thread, sim);
	if (error) {
		ear_report_set(report, 0, "%s: cannot start a thread: %s", transport->name,
			strerror(error));
		goto out_reap;
	}
	sim->running = true;
	return 0;

out_reap:
	shutdown(sim->fd, SHUT_RDWR);
	reap_board(sim, &forced);
out_close_socket:
	close(sim->fd);
	sim->fd = -1;
	return EAR_E_IO;
}

static int sim_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	struct transport_sim *sim = (struct transport_sim *)transport;
	uint64_t deadline_ms = ear_clock_ms() + timeout_ms;

	while (size > 0) {
		ssize_t sent = send(sim->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent > 0) {
			bytes += sent;
			size -= (size_t)sent;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			return ear_report_set(report, EAR_E_NO_DEVICE,
				"%s: control words can no longer be sent to the board: %s",
				transport->name, strerror(errno));
		int error = ear_fd_wait_writable(sim->fd, deadline_ms);
		if (error)
			return ear_report_set(report, error,
				"%s: the board does not read its control words", transport->name);
	}
	return 0;
}

static void sim_stop(struct ear_transport *transport)
{
	struct transport_sim *sim = (struct transport_sim *)transport;

	if (!sim->running)
		return;
	atomic_store(&sim->stopping, true);
	shutdown(sim->fd, SHUT_RDWR); /* the reading thread wakes up, and so does the board */
	pthread_join(sim->thread, NULL);
	sim->running = false;
}

static void sim_close(struct ear_transport *transport)
{
	struct transport_sim *sim = (struct transport_sim *)transport;

	sim_stop(transport);
	if (sim->fd >= 0)
		close(sim->fd);
	free(sim->parts.text);
	free(sim);
}

static const struct ear_transport_ops sim_ops = {sim_start, sim_write, sim_stop, sim_close};

int ear_transport_sim_open(
	struct ear_transport **transport, const char *device, struct ear_report *report)
{
	int error;

	*transport = NULL;
	struct transport_sim *sim = calloc(1, sizeof(*sim));
	if (!sim)
		return ear_report_set(report, EAR_E_NO_MEMORY, "%s: out of memory", device);
	error = parse_name(&sim->parts, device, report);
	if (error)
		goto out_free_sim;
	if (access(sim->parts.program, R_OK) < 0) {
		error = ear_report_set(report, EAR_E_NO_DEVICE,
			"%s: cannot read the program %s: %s", device, sim->parts.program,
			strerror(errno));
		goto out_free_name;
	}
	error = ear_transport_sim_find_board(sim->board, sizeof(sim->board), report);
	if (error)
		goto out_free_name;

	sim->base.ops = &sim_ops;
	sim->base.flow_controlled = true;
	sim->base.controllable = true;
	sim->base.ends_by_itself = true;
	snprintf(sim->base.name, sizeof(sim->base.name), "%s", device);
	sim->fd = -1;
	*transport = &sim->base;
	return 0;

out_free_name:
	free(sim->parts.text);
out_free_sim:
	free(sim);
	return error;
}
