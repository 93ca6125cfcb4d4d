/* A terminal by the control sequences that all of today's have (ECMA-48: CUP, ED, EL, SGR; and the
 * alternate screen of xterm, which others ignore). A screen that is drawn anew once a second needs
 * no more: no library, and nothing is read from files of the system.
 */
#include "cli/top/top_terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/base/outlet.h"

#define BEGIN        "\033[?1049h\033[?25l\033[2J"
#define END          "\033[?25h\033[?1049l"
#define SEQUENCE_MAX 32

static struct termios saved;
static bool is_open, has_keys;
static volatile sig_atomic_t resized, stop_wanted;

static bool has_kind(void)
{
	const char *term = getenv("TERM");

	return term && term[0] && strcmp(term, "dumb") != 0;
}

bool top_terminal_is_there(void)
{
	return isatty(STDOUT_FILENO) && has_kind();
}

bool top_terminal_has_colors(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(none && none[0]) && term && strncmp(term, "vt", 2) != 0;
}

static void note_signal(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else
		stop_wanted = 1;
}

/* Keys are not echoed and come at once; signals stay keys' (Ctrl-C). */
static bool begin(void)
{
	struct termios mode = saved;

	mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	mode.c_cc[VMIN] = 0;
	mode.c_cc[VTIME] = 0;
	if (has_keys && tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) != 0)
		return false;
	return outlet_write(STDOUT_FILENO, BEGIN, strlen(BEGIN));
}

static void end(void)
{
	(void)outlet_write(STDOUT_FILENO, END, strlen(END));
	if (has_keys)
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
}

bool top_terminal_open(void)
{
	struct sigaction action = {.sa_handler = note_signal};

	has_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &saved) == 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGWINCH, &action, NULL);
	sigaction(SIGTSTP, &action, NULL);
	if (!begin())
		return false;
	is_open = true;
	return true;
}

void top_terminal_close(void)
{
	if (!is_open)
		return;
	is_open = false;
	end();
	signal(SIGWINCH, SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
}

void top_terminal_size(size_t *columns, size_t *lines)
{
	struct winsize size;
	const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

	*columns = known && size.ws_col > 0 ? size.ws_col : 80;
	*lines = known && size.ws_row > 0 ? size.ws_row : 24;
}

static void stop(void)
{
	stop_wanted = 0;
	end();
	raise(SIGSTOP);
	(void)begin();
}

int top_terminal_key(unsigned timeout_ms)
{
	struct pollfd in = {.fd = has_keys ? STDIN_FILENO : -1, .events = POLLIN};
	char bytes[SEQUENCE_MAX];

	if (stop_wanted) {
		stop();
		return TOP_TERMINAL_CHANGED;
	}
	if (resized || (poll(&in, 1, (int)timeout_ms) <= 0 && resized)) {
		resized = 0;
		return TOP_TERMINAL_CHANGED;
	}
	if (!(in.revents & (POLLIN | POLLHUP | POLLERR)))
		return 0;
	/* A sequence comes at once. More of one key than fit are the same key. */
	const ssize_t size = read(STDIN_FILENO, bytes, 1);
	if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN))
		has_keys = false; /* the terminal has gone */
	if (size <= 0)
		return 0;
	if (bytes[0] == '\033')
		while (poll(&in, 1, 0) > 0 && read(STDIN_FILENO, bytes + 1, sizeof(bytes) - 1) > 0)
			;
	return (unsigned char)bytes[0];
}
